"""`check` names every fault of meshes that are wrong in one way each; `repair` mends what is safe, and the result simulates."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

import numpy as np
import pytest
import trimesh

import signorini as sg
from support.bad_meshes import BAD_MESHES, ball

DATA = Path(os.environ.get("SIGNORINI_EXTERNAL_DATA", "nowhere")) / "meshes"
REPAIRED = [name for name, make in BAD_MESHES.items() if make().repaired]


def stored(folder: Path, name: str) -> Path:
    bad = BAD_MESHES[name]()
    np.savez(folder / f"{name}.npz", vertices=bad.vertices, triangles=bad.triangles)
    return folder / f"{name}.npz"


@pytest.mark.parametrize("name", BAD_MESHES)
def test_the_fault_is_named_with_place_and_remedy(tmp_path: Path, name: str) -> None:
    bad, report = BAD_MESHES[name](), sg.check(stored(tmp_path, name))
    found = report.named(bad.fault)
    assert found, report
    (fault,) = found
    assert fault.count >= 1 and fault.remedy and name in str(fault)
    if bad.place is not None:
        assert np.linalg.norm(fault.places - bad.place, axis=1).min() < 0.16, fault.places
    if bad.fault not in ("size", "up axis", "not finite", "missing vertices", "one-sided", "unreferenced"):
        assert len(fault.places)
    said = re.findall(r"\(-?[\d.]+(?:e.\d+)?(?:, -?[\d.]+(?:e.\d+)?){2}\)", str(fault))
    assert len(set(said)) == len(said) and not any("e-1" in place for place in said), "each place once, and 0 is 0"
    json.dumps(report.to_dict())


@pytest.mark.parametrize("name", REPAIRED)
def test_what_is_repaired_simulates(tmp_path: Path, name: str) -> None:
    report = sg.repair(stored(tmp_path, name))
    assert report.ok and report.repairs, report
    assert not report.named(BAD_MESHES[name]().fault), report
    (file,) = report.written
    assert file == tmp_path / f"{name}.repaired.npz"
    mesh = sg.load_mesh(file)
    x, t = ball()
    good = sg.TriangleMesh(x, t)
    volume = [
        float(np.einsum("ti,ti->", *(lambda c: (c[:, 0], np.cross(c[:, 1], c[:, 2])))(m.vertices[m.triangles])))
        for m in (mesh, good)
    ]
    assert volume[0] == pytest.approx(volume[1], rel=0.03)  # a filled or smoothed ball is nearly the whole one
    scene = sg.Scene()
    scene.add_rigid(mesh, density=500.0, position=(0, 0, 2), name="ball")
    sg.Simulation(scene, dt=0.01).step()


def test_merging_keeps_polygons_and_texture(tmp_path: Path) -> None:
    """Two quads with vertices of their own along the common edge, and a lone vertex."""
    (tmp_path / "cut.obj").write_text(
        "v 9 9 9\nv 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 1 0 0\nv 2 0 0\nv 2 1 0\nv 1 1 0\nvt 0 0\nvt 1 0\nvt 1 1\nvt 0 1\n"
        "f 2/1 3/2 4/3 5/4\nf 6/1 7/2 8/3 9/4\n"
    )
    report = sg.repair(tmp_path / "cut.obj")
    mesh = sg.load_mesh(report.written[0])
    assert report.ok and len(mesh.vertices) == 6 and mesh.faces is not None
    assert mesh.faces.counts.tolist() == [4, 4] and mesh.faces.uv_corners.tolist() == [0, 1, 2, 3, 0, 1, 2, 3]
    corners = [[0, 0], [1, 0], [1, 1], [0, 1], [1, 0], [2, 0], [2, 1], [1, 1]]
    assert mesh.vertices[mesh.faces.corners][:, :2].tolist() == corners


@pytest.mark.parametrize("name", [name for name in BAD_MESHES if name not in REPAIRED])
def test_what_is_not_safe_is_not_repaired(tmp_path: Path, name: str) -> None:
    """The fault is still named after a repair, and nothing was invented."""
    bad, report = BAD_MESHES[name](), sg.repair(stored(tmp_path, name))
    assert report.named(bad.fault), report
    kept = np.load(tmp_path / f"{name}.repaired.npz")
    assert len(kept["triangles"]) == len(bad.triangles)


def test_a_good_mesh_has_no_faults(tmp_path: Path) -> None:
    x, t = ball()
    for source in (sg.TriangleMesh(x, t), sg.shapes.box_tets(1, 1, 1, cells=(2, 2, 2))):
        report = sg.check(source)
        assert report.ok and not report.faults, report
    assert "nothing is wrong with it" in repr(report)


def test_units_and_axes_of_a_file_remove_the_remarks(tmp_path: Path) -> None:
    assert sg.check(stored(tmp_path, "giant")).named("size")[0].remedy.startswith('say unit="cm"')
    assert not sg.check(stored(tmp_path, "giant"), unit="cm").named("size")
    assert not sg.check(stored(tmp_path, "lying"), up="y").named("up axis")


def test_the_coloured_mesh_and_the_picture(tmp_path: Path) -> None:
    from PIL import Image

    from signorini.diagnosis.coloured_mesh import COLOURS, write_coloured_ply
    from signorini.diagnosis.fault_picture import draw_faults

    report = sg.check(stored(tmp_path, "two_cubes"))
    found = trimesh.load(write_coloured_ply(report, tmp_path / "faults.ply"), process=False)
    marked = (found.visual.face_colors[:, :3] == COLOURS["error"]).all(axis=1)
    crossing = report.named("intersecting")[0]
    assert marked.sum() == len(crossing.triangles[0][1]) + 8 * len(crossing.places)
    pixels = np.asarray(Image.open(draw_faults(report, tmp_path / "faults.png")).convert("RGB")).astype(int)
    red = (pixels[..., 0] > 150) & (pixels[..., 1] < 90) & (pixels[..., 2] < 90)
    assert pixels.shape == (720, 1280, 3) and 2000 < red.sum() < 0.5 * red.size


def test_a_fault_inside_of_a_body_shines_through(tmp_path: Path) -> None:
    """A triangle that is there twice, in the middle of a closed box, is seen, paler than in front of it."""
    from PIL import Image

    from signorini.diagnosis.fault_picture import draw_faults

    box, size = sg.shapes.box(1.0, 1.0, 1.0), 0.2
    inner = size * np.array([[-1.0, 0, -1], [1, 0, -1], [0, 0, 1]])
    for depth, pale in ((0.0, True), (-1.0, False)):
        vertices = np.concatenate([box.vertices, inner + np.array([0.0, depth, 0.0])])
        triangles = np.concatenate([box.triangles, [[8, 9, 10], [8, 9, 10]]])
        file = tmp_path / f"{pale}.npz"
        np.savez(file, vertices=vertices, triangles=triangles)
        report = sg.check(file)
        assert not report.ok
        pixels = np.asarray(Image.open(draw_faults(report, tmp_path / "p.png"))).astype(int)
        red = pixels[..., 0] - pixels[..., 1]
        assert (red > 60).sum() > 1000
        assert (red.max() < 130) == pale


@pytest.mark.skipif(not DATA.is_dir(), reason="needs the meshes of SIGNORINI_EXTERNAL_DATA")
def test_meshes_of_others() -> None:
    assert sg.check(DATA / "two-cubes-intersecting.ply").named("intersecting")[0].count == 96
    close = sg.check(DATA / "two-cubes-close.ply")
    assert close.ok and close.named("unreferenced")[0].count == 18
    assert sg.check(DATA / "bunny.ply").named("up axis") and not sg.check(DATA / "bunny.ply", up="y").faults
    assert not sg.check(DATA / "torus.msh").faults


def test_bad_calls_are_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(sg.InputError, match="takes a file, a scene or a mesh, got int"):
        sg.check(3)  # type: ignore[arg-type]
    with pytest.raises(sg.InputError, match="does not exist"):
        sg.check(tmp_path / "gone.obj")
    with pytest.raises(sg.InputError, match="does not exist"):
        sg.check(tmp_path / "gone.toml")
    with pytest.raises(sg.InputError, match="did you mean 'drape'"):
        sg.check("drap")
    with pytest.raises(sg.InputError, match="up, scale and unit are for mesh files"):
        sg.check("drape", up="y")
    with pytest.raises(sg.InputError, match="write a built-in scene out first"):
        sg.repair("drape")
    (tmp_path / "bad.toml").write_text("hello = [[[")
    with pytest.raises(sg.InputError, match=r"bad\.toml' cannot be repaired: Invalid value"):
        sg.repair(tmp_path / "bad.toml")
    with pytest.raises(sg.InputError, match=r"must end in \.toml"):
        sg.repair(tmp_path / "bad.toml", tmp_path / "bad.obj")
    assert sorted(file.name for file in tmp_path.iterdir()) == ["bad.toml"], "nothing was written"
    (tmp_path / "mesh").write_text("v 0 0 0")
    with pytest.raises(sg.InputError, match="has no ending: use one of glb, gltf, msh, npz, obj, off, ply, stl, usd"):
        sg.check(tmp_path / "mesh")
    with pytest.raises(sg.InputError, match="second argument"):
        sg.repair(sg.shapes.grid(1, 1, cells=1))
    with pytest.raises(sg.InputError, match="obj, ply or npz"):
        sg.repair(sg.shapes.grid(1, 1, cells=1), tmp_path / "a.stl")
