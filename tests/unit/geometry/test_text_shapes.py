"""Letters: closed, of the right size, area and genus, without self-intersection; fonts against FreeType."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import ipctk
import numpy as np
import pytest
from numpy.typing import NDArray

from signorini.errors import InputError, MissingExtraError
from signorini.geometry import text_shapes
from signorini.geometry.font_outlines import flattened, read_font
from signorini.geometry.mass_properties import check_closed, mass_properties, surface_parts
from signorini.geometry.text_alphabet import LETTERS
from signorini.geometry.text_shapes import text
from signorini.geometry.triangle_mesh import TriangleMesh

HOLES = {**dict.fromkeys("ADOPQR0469", 1), **dict.fromkeys("B8", 2)}
PARTS = dict.fromkeys("!?:=", 2)


def intersects(mesh: TriangleMesh) -> bool:
    faces = np.asfortranarray(mesh.triangles)
    collision = ipctk.CollisionMesh(np.asfortranarray(mesh.vertices), ipctk.edges(faces), faces)
    return ipctk.has_intersections(collision, np.asfortranarray(mesh.vertices))


def smallest_angle(mesh: TriangleMesh) -> float:
    x = mesh.vertices[mesh.triangles]
    u, v = np.roll(x, -1, axis=1) - x, np.roll(x, 1, axis=1) - x
    cosine = (u * v).sum(axis=2) / (np.linalg.norm(u, axis=2) * np.linalg.norm(v, axis=2))
    return float(np.degrees(np.arccos(cosine.max())))


@pytest.mark.parametrize("letter", LETTERS)
@pytest.mark.parametrize("edge", [None, 0.05, 0.3])
def test_every_letter_is_closed_and_of_the_right_genus(letter: str, edge: float | None) -> None:
    mesh = text(letter, height=1.0, depth=0.25, edge=edge)
    check_closed(mesh, letter)
    parts = PARTS.get(letter, 1)
    assert surface_parts(mesh).max() + 1 == parts
    edges = 3 * len(mesh.triangles) // 2
    assert len(mesh.vertices) - edges + len(mesh.triangles) == 2 * parts - 2 * HOLES.get(letter, 0)
    assert smallest_angle(mesh) > 5.0
    np.testing.assert_allclose([mesh.vertices[:, 1].min(), mesh.vertices[:, 1].max()], [-0.125, 0.125])


@pytest.mark.parametrize("letter", "ABOQS8G?")
def test_letters_do_not_intersect_themselves(letter: str) -> None:
    assert not intersects(text(letter, height=1.0, depth=0.25))


@pytest.mark.parametrize("letter", [c for c in LETTERS if c.isalnum()])
def test_capitals_and_digits_have_the_height_and_reasonable_triangles(letter: str) -> None:
    mesh = text(letter, height=0.2, depth=0.05)
    top = mesh.vertices[:, 2].max()
    assert top == pytest.approx(0.1, abs=0.002 if letter != "W" else 0.01)
    assert mesh.vertices[:, 0].min() == pytest.approx(-mesh.vertices[:, 0].max(), abs=1e-12)
    assert smallest_angle(mesh) > 12.0
    assert 100 < len(mesh.triangles) < 450


def test_volume_is_depth_times_the_drawn_area() -> None:
    """H without any curve: two posts of 2 × 10 and a bar of 2.4 × 2, in tenths of the height."""
    assert mass_properties(text("H", height=1.0, depth=0.3), 1.0).volume == pytest.approx(0.3 * 0.448, rel=1e-9)
    # O: boxes with rounded corners, each corner loses (1 - π/4) r².
    area = 0.66 - (4 - np.pi) * 0.3**2 - (0.26 * 0.6 - (4 - np.pi) * 0.12**2)
    assert mass_properties(text("O", height=1.0, depth=0.3, edge=0.02), 1.0).volume == pytest.approx(
        0.3 * area, rel=2e-3
    )


def test_a_line_reads_from_minus_y() -> None:
    """F has its bars to the right of its post, seen along +y with z up: more ink at smaller x."""
    mesh = text("F", height=1.0, depth=0.1)
    assert mass_properties(mesh, 1.0).centre[0] < -0.05
    assert mass_properties(mesh, 1.0).centre[2] > 0.05
    pair = text("I.", height=1.0, depth=0.1)
    assert pair.vertices[pair.vertices[:, 2] > 0.0, 0].max() < 0.0  # the full stop comes after


def test_words_are_letters_side_by_side() -> None:
    mesh = text("AB C!", height=1.0, depth=0.2)
    part = surface_parts(mesh)
    assert part.max() == 4
    boxes = [mesh.vertices[np.unique(mesh.triangles[part == k])] for k in range(4)]
    for left, right in pairwise(boxes):
        assert left[:, 0].max() + 0.1 < right[:, 0].min()
    assert boxes[1][:, 0].max() + 0.4 < boxes[2][:, 0].min()  # the blank


def test_text_is_the_same_every_time() -> None:
    one, two = text("S8", height=0.3, depth=0.1), text("S8", height=0.3, depth=0.1)
    np.testing.assert_array_equal(one.vertices, two.vertices)
    np.testing.assert_array_equal(one.triangles, two.triangles)


@pytest.mark.parametrize(
    ("string", "options", "words"),
    [
        ("", {}, ["at least one letter", "''"]),
        ("   ", {}, ["at least one letter"]),
        (5, {}, ["must be a string", "5"]),
        ("Äpfel", {}, ["'Ä'", "'e'", "built-in alphabet", ".ttf"]),
        ("A", {"height": -1.0}, ["height of text", "-1 m"]),
        ("A", {"depth": 0.0}, ["depth of text"]),
        ("A", {"edge": 1e-4}, ["edge of text", "too short"]),
        ("A", {"font": "/nowhere/font.ttf"}, ["/nowhere/font.ttf", "cannot be read"]),
        ("A", {"font": __file__}, ["test_text_shapes.py", ".ttf"]),
        ("A", {"font": 3}, ["font must be the path of a", "3"]),
    ],
)
def test_bad_input_is_named(string: str, options: dict[str, float], words: list[str]) -> None:
    with pytest.raises(InputError) as caught:
        text(string, **{"height": 1.0, "depth": 0.2, **options})  # type: ignore[arg-type]
    for word in words:
        assert word in str(caught.value)


@pytest.fixture(scope="module")
def fonts() -> Path:
    matplotlib = pytest.importorskip("matplotlib", reason="the fonts for these tests come with matplotlib")
    return Path(matplotlib.get_data_path()) / "fonts" / "ttf"


@pytest.mark.parametrize("name", ["DejaVuSans.ttf", "DejaVuSerif-Bold.ttf", "STIXGeneral.ttf", "cmr10.ttf"])
def test_outlines_are_those_of_freetype(fonts: Path, name: str) -> None:
    """Simple and composite glyphs; FreeType rounds the points between two control points down to whole units."""
    freetype = pytest.importorskip("matplotlib.ft2font")
    oracle = freetype.FT2Font(str(fonts / name))
    font = read_font(fonts / name)
    for character in "AgQ8&%" if name == "cmr10.ttf" else "AgQ8&éÄ%":
        metrics = oracle.load_char(ord(character), freetype.LoadFlags.NO_SCALE)
        points, codes = oracle.get_path()
        theirs = 64.0 * points[codes != 79]  # 79 closes a contour and has no point
        glyph = font.glyph(character)
        ours = np.array([p for contour in font.contours(glyph) for segment in contour for p in segment], dtype=float)
        apart = np.abs(ours[:, None] - theirs[None]).max(axis=2)
        assert apart.min(axis=0).max() < 1.0
        assert apart.min(axis=1).max() < 1.0
        assert font.advance(glyph) == metrics.horiAdvance
        assert len(font.contours(glyph)) == np.count_nonzero(codes == 1)


def test_cubic_outlines_of_an_opentype_font(tmp_path: Path) -> None:
    """A ring drawn with the usual cubic arcs, in a CFF font of our own making: area, hole and advance."""
    builder, pens = pytest.importorskip("fontTools.fontBuilder"), pytest.importorskip("fontTools.pens.t2CharStringPen")
    font = builder.FontBuilder(1000, isTTF=False)
    pen = pens.T2CharStringPen(900, None)
    for radius, sign in ((400.0, 1.0), (200.0, -1.0)):
        k = 0.5522847498 * radius
        x, y, m = radius, sign * radius, sign * k
        pen.moveTo((x, 0))
        pen.curveTo((x, m), (k, y), (0, y))
        pen.curveTo((-k, y), (-x, m), (-x, 0))
        pen.curveTo((-x, -m), (-k, -y), (0, -y))
        pen.curveTo((k, -y), (x, -m), (x, 0))
        pen.closePath()
    shapes = {"ring": pen.getCharString(), ".notdef": pens.T2CharStringPen(500, None).getCharString()}
    font.setupGlyphOrder([".notdef", "ring"])
    font.setupCharacterMap({ord("o"): "ring"})
    font.setupCFF("Ring", {}, shapes, {})
    font.setupHorizontalMetrics({".notdef": (500, 0), "ring": (900, -400)})
    font.setupHorizontalHeader(ascent=800, descent=-200)
    font.setupPost()
    font.save(tmp_path / "ring.otf")
    mesh = text("oo", height=1.0, depth=0.1, font=tmp_path / "ring.otf", edge=0.03)  # without an H, the em is 1 high
    check_closed(mesh, "rings")
    area = 2.0 * np.pi * (0.4**2 - 0.2**2)
    assert mass_properties(mesh, 1.0).volume == pytest.approx(0.1 * area, rel=5e-3)
    assert np.ptp(mesh.vertices[:, 0]) == pytest.approx(0.9 + 0.8, abs=1e-3)
    edges = 3 * len(mesh.triangles) // 2
    assert len(mesh.vertices) - edges + len(mesh.triangles) == 0  # two tori


def test_without_fonttools_only_the_built_in_alphabet_works(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(text_shapes, "find_spec", lambda name: None)
    assert len(text("A", height=1.0, depth=0.1).triangles) > 0
    with pytest.raises(MissingExtraError, match=r"x\.ttf.*fontTools.*pip install \"signorini\[text\]\"$"):
        text("A", height=1.0, depth=0.1, font="x.ttf")


@pytest.mark.parametrize("name", ["DejaVuSans.ttf", "DejaVuSerif-Italic.ttf", "STIXGeneral.ttf", "cmr10.ttf"])
@pytest.mark.parametrize("edge", [0.05, 0.125, 0.4])
def test_letters_of_fonts_are_closed(fonts: Path, name: str, edge: float) -> None:
    mesh = text("Bag 8&ij%@", height=0.1, depth=0.02, font=fonts / name, edge=0.1 * edge)
    check_closed(mesh, name)


def test_letters_of_a_font_do_not_intersect(fonts: Path) -> None:
    mesh = text("Ég8", height=0.1, depth=0.02, font=fonts / "DejaVuSans.ttf")
    assert not intersects(mesh)
    assert text("H", height=0.1, depth=0.02, font=fonts / "DejaVuSans.ttf").vertices[:, 2].max() == pytest.approx(0.05)


def test_a_missing_glyph_is_named(fonts: Path) -> None:
    with pytest.raises(InputError, match=r"cmr10.*no glyph for '漢'"):
        text("漢", height=1.0, depth=0.1, font=fonts / "cmr10.ttf")


def test_a_damaged_font_is_an_input_error_wherever_it_ends(fonts: Path, tmp_path: Path) -> None:
    data = (fonts / "cmr10.ttf").read_bytes()
    for part in (0.0, 0.001, 0.01, 0.1, 0.3, 0.5, 0.7, 0.9, 0.99):
        file = tmp_path / f"{part}.ttf"
        file.write_bytes(data[: int(part * len(data))])
        with pytest.raises(InputError, match="font"):
            text("AgQ8%&xyz", height=1.0, depth=0.1, font=file)


def test_curves_lie_on_the_parabola() -> None:
    corner = [((0.0, 0.0), (1.0, 0.0), (1.0, 1.0)), ((1.0, 1.0), (0.0, 0.0))]
    points: NDArray[np.float64] = flattened(corner, 0.1)
    # x = 1 - (1 - s)², y = s²
    s = np.sqrt(points[:, 1])
    np.testing.assert_allclose(points[:, 0], 1.0 - (1.0 - s) ** 2, atol=1e-12)
    assert len(points) > 10
