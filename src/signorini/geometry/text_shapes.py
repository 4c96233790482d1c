"""Text as closed surfaces: letters of a built-in alphabet or of a font file, with a thickness.

Every letter is a closed surface of its own (two for an exclamation mark), outward, with nearly equilateral triangles where
there is room for them.
"""

from __future__ import annotations

from functools import lru_cache
from importlib.util import find_spec
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from signorini.checks import check_positive
from signorini.errors import InputError, MissingExtraError, short
from signorini.geometry.memory_limit import BYTES_PER_TRIANGLE, check_room
from signorini.geometry.planar_predicates import segments_meet
from signorini.geometry.text_alphabet import CAP_HEIGHT, LETTERS, SPACE, SPACING, letter_contours
from signorini.geometry.triangle_mesh import TriangleMesh
from signorini.geometry.triangulation import PlanarMesh, triangulate

if TYPE_CHECKING:
    from signorini.geometry.font_outlines import Font

MAX_EDGES_IN_HEIGHT = 100.0
"""Largest number of edges in the height of a letter; more would be an error of units rather than a wish."""
_DIGITS = 6
"""Digits to which coordinates, in hundredths of the height, are rounded, for the same triangles on every machine."""

Placed = list[tuple[PlanarMesh, float]]
"""Glyphs, with capitals 100 high, and the distance by which each is moved to the right."""


def text(
    string: str, *, height: float, depth: float, font: str | Path | None = None, edge: float | None = None
) -> TriangleMesh:
    """One line of letters standing upright: x to the right, z up, to be read from -y.

    `height` [m] is that of a capital letter (descenders reach lower), `depth` [m] the thickness along y. The text is
    centred: x around its middle, y around half its depth, z around half the height of a capital. `edge` [m] is the
    length that the edges of triangles should have (height / 8 if not given); curves and thin strokes may have shorter ones.

    The built-in alphabet has capitals, digits and . , : ! ? - + = / '. With `font`, the path of a font file (.ttf or .otf),
    any character that the font has; this needs the extra `text`.
    """
    h = check_positive("height of text", height, unit="m")
    d = check_positive("depth of text", depth, unit="m")
    length = check_positive("edge of text", h / 8.0 if edge is None else edge, unit="m")
    if h / length > MAX_EDGES_IN_HEIGHT:
        part = f"1/{MAX_EDGES_IN_HEIGHT:g}"
        raise InputError(f"edge of text is too short: {length:g} m is less than {part} of its height of {h:g} m")
    if not isinstance(string, str) or not string.strip():
        raise InputError(f"text must be a string with at least one letter, got {short(string)}")
    if font is not None and not isinstance(font, str | Path):
        raise InputError(f"font must be the path of a .ttf or .otf file, got {short(font)}")
    relative = round(100.0 * length / h, _DIGITS)
    placed = _built_in(string, relative) if font is None else _from_font(string, _open_font(font), relative)
    left = min(float(glyph.points[:, 0].min()) + shift for glyph, shift in placed)
    right = max(float(glyph.points[:, 0].max()) + shift for glyph, shift in placed)
    layers = max(1, round(d / length))
    walls = 2 * layers * sum(len(glyph.boundary) for glyph, _ in placed)
    check_room(
        f"edge of text = {length:g} m",
        walls,
        "triangles",
        BYTES_PER_TRIANGLE,
        "use a longer edge",
    )
    vertices, triangles, first = [], [], 0
    for glyph, shift in placed:
        flat = (glyph.points + np.array([shift - 0.5 * (left + right), -50.0])) * (h / 100.0)
        vertices.append(_layered(flat, d, layers))
        triangles.append(_extruded(glyph, layers) + first)
        first += len(vertices[-1])
    return _without_unused(np.concatenate(vertices), np.concatenate(triangles))


def _built_in(string: str, edge: float) -> Placed:
    unknown = sorted({c for c in string if c not in LETTERS and c != " "})
    if unknown:
        known = "".join(sorted(LETTERS))
        raise InputError(
            f"text {string!r} has {', '.join(map(repr, unknown))}, but the built-in alphabet has only {known}: use these, or "
            "give font the path of a .ttf or .otf file"
        )
    scale = 100.0 / CAP_HEIGHT
    placed: Placed = []
    pen = 0.0
    for letter in string:
        if letter == " ":
            pen += scale * SPACE
            continue
        glyph = _letter(letter, edge)
        low, high = float(glyph.points[:, 0].min()), float(glyph.points[:, 0].max())
        placed.append((glyph, pen - low))
        pen += high - low + scale * SPACING
    return placed


@lru_cache(maxsize=512)
def _letter(letter: str, edge: float) -> PlanarMesh:
    scale = 100.0 / CAP_HEIGHT
    curves = letter_contours(letter, edge / scale)
    # Sides between two arcs may be short; an alphabet with strokes of 20 can lose 5.
    return triangulate([_divided(scale * c, edge, shortest=min(0.35 * edge, 5.0)) for c in curves], edge=edge)


def _open_font(path: str | Path) -> Font:
    if find_spec("fontTools") is None:
        raise MissingExtraError(
            f'text in the font {str(path)!r} needs the package fontTools: install it with pip install "signorini[text]"'
        )
    from signorini.geometry.font_outlines import read_font

    return read_font(path)


def _from_font(string: str, font: Font, edge: float) -> Placed:
    from signorini.geometry.font_outlines import flattened

    scale = 100.0 / _cap_height(font)
    placed: Placed = []
    glyphs: dict[str, PlanarMesh | None] = {}
    pen = 0.0
    for character in string:
        name = font.glyph(character)
        if name not in glyphs:
            smooth = [scale * flattened(contour, edge / scale) for contour in font.contours(name)]
            glyphs[name] = _triangulated([curve for curve in smooth if len(curve) > 2], character, font.name, edge)
        glyph = glyphs[name]
        if glyph is not None:
            placed.append((glyph, pen))
        pen += scale * font.advance(name)
    if not placed:
        raise InputError(f"text {string!r} has only blanks in font {font.name!r}: give it a letter")
    return placed


def _cap_height(font: Font) -> float:
    """The height of H, or of the whole em in fonts without one."""
    if ord("H") in font.characters:
        heights = [y for contour in font.contours(font.glyph("H")) for segment in contour for _, y in segment]
        if heights and max(heights) > 0.0:
            return float(max(heights))
    return font.units_per_em or 1000.0


def _triangulated(curves: list[NDArray[np.float64]], character: str, name: str, edge: float) -> PlanarMesh | None:
    """Without short sides if that is possible, with them where it would make the outlines of small details cross."""
    place = None
    for shortest in (0.35 * edge, 1e-3):
        contours = [c for c in (_divided(curve, edge, shortest=shortest) for curve in curves) if len(c) > 2]
        if not contours:
            return None
        place = _crossing(contours)
        if place is None:
            return triangulate(contours, edge=edge)
    raise InputError(
        f"the outlines of {character!r} in font {name!r} cross each other near {place} (the capitals are 100 high): use a "
        "font without overlapping outlines"
    )


def _crossing(contours: list[NDArray[np.float64]]) -> tuple[int, int] | None:
    """Near where two sides meet that are not neighbours."""
    sides = []
    for n, contour in enumerate(contours):
        points = [(float(x), float(y)) for x, y in contour]
        sides += [(points[k - 1], points[k], (n, (k - 1) % len(points)), (n, k)) for k in range(len(points))]
    for (a, b, start, end), (c, d, other_start, other_end) in combinations(sides, 2):
        if start != other_end and end != other_start and segments_meet(a, b, c, d):
            return round(a[0]), round(a[1])
    return None


def _divided(contour: NDArray[np.float64], edge: float, *, shortest: float) -> NDArray[np.float64]:
    """The contour (n, 2) with sides below `shortest` shrunk to a point and the others cut into pieces of about `edge`."""
    points = np.round(contour, _DIGITS)
    while len(points) > 2:
        lengths = np.linalg.norm(np.roll(points, -1, axis=0) - points, axis=1)
        k = int(np.argmin(lengths))
        if lengths[k] >= shortest:
            break
        points[k] = 0.5 * (points[k] + points[(k + 1) % len(points)])
        points = np.delete(points, (k + 1) % len(points), axis=0)
    pieces = []
    for p, q in zip(points, np.roll(points, -1, axis=0), strict=True):
        count = max(1, round(float(np.linalg.norm(q - p)) / edge))
        pieces.append(p + (q - p) * (np.arange(count) / count)[:, None])
    return np.concatenate(pieces).round(_DIGITS)


def _layered(flat: NDArray[np.float64], depth: float, layers: int) -> NDArray[np.float64]:
    """(layers + 1) copies of the points (n, 2), from the front (-y) to the back."""
    y = np.repeat(depth * (np.arange(layers + 1) / layers - 0.5), len(flat))
    return np.column_stack([np.tile(flat[:, 0], layers + 1), y, np.tile(flat[:, 1], layers + 1)])


def _extruded(glyph: PlanarMesh, layers: int) -> NDArray[np.int64]:
    """Front, back and walls between layered copies of the points of a glyph."""
    n = len(glyph.points)
    parts = [glyph.triangles.astype(np.int64), glyph.triangles[:, ::-1].astype(np.int64) + n * layers]
    a, b = glyph.boundary.T.astype(np.int64)
    flip = (np.arange(len(a)) % 2 == 1)[:, None]
    for k in range(layers):
        a0, b0, a1, b1 = a + n * k, b + n * k, a + n * (k + 1), b + n * (k + 1)
        rising = np.column_stack([b0, a0, a1, b0, a1, b1])
        falling = np.column_stack([b0, a0, b1, a0, a1, b1])
        parts.append(np.where(flip ^ bool(k % 2), falling, rising).reshape(-1, 3))
    return np.concatenate(parts)


def _without_unused(vertices: NDArray[np.float64], triangles: NDArray[np.int64]) -> TriangleMesh:
    """Inner points exist on the front and the back only."""
    used, renumbered = np.unique(triangles, return_inverse=True)
    return TriangleMesh(vertices[used], renumbered.reshape(-1, 3).astype(np.int32))
