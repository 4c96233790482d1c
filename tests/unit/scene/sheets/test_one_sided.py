"""Surfaces with one side: a Möbius strip is a cloth or an obstacle, no solid; pressure and pictures know its seam."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import signorini as sg
from signorini.geometry.triangles import area_vectors, mixed_edges
from signorini.render.drawn_surfaces import DrawnCloth, DrawnSurface
from signorini.render.subdivision import loop_subdivision
from signorini.scene.cloth_material import ClothModel
from support.bad_meshes import moebius


def strip() -> sg.TriangleMesh:
    bad = moebius()
    return sg.TriangleMesh(bad.vertices, bad.triangles)


def closed_one_sided() -> sg.TriangleMesh:
    """The projective plane of six vertices: every edge has two triangles, and no winding is consistent."""
    triangles = ["124", "126", "134", "135", "156", "235", "236", "245", "346", "456"]
    vertices = np.random.default_rng(1).normal(size=(6, 3))
    return sg.TriangleMesh(vertices, np.array([[int(c) - 1 for c in t] for t in triangles]))


@pytest.mark.parametrize("model", ["continuum", "mass-spring"])
def test_where_the_winding_changes_does_not_matter(model: ClothModel) -> None:
    """A strip that is stretched and bent, so that no strain is zero but for rounding, moves alike wherever its seam is."""
    mesh, ends = strip(), []
    start = mesh.vertices + 2e-3 * np.sin(37.0 * mesh.vertices + np.arange(len(mesh.vertices))[:, None])
    turned = mesh.triangles.copy()
    turned[:31] = turned[:31, ::-1]
    for triangles in (mesh.triangles, turned):
        scene = sg.Scene(gravity=(0, 0, 0))
        own = sg.TriangleMesh(mesh.vertices, triangles)
        scene.add_cloth(own, model=model, initial_vertices=start, name="strip")
        sim = sg.Simulation(scene, dt=4e-3)
        for _ in range(5):
            sim.step()
        ends.append(sim.bodies["strip"].positions)
    assert np.abs(ends[0] - start).max() > 1e-3
    np.testing.assert_allclose(ends[0], ends[1], atol=1e-12)


@pytest.mark.parametrize("model", ["continuum", "mass-spring"])
def test_a_strip_falls_on_the_ground(model: ClothModel) -> None:
    scene = sg.Scene(friction=0.5)
    scene.add_ground()
    scene.add_cloth(strip(), model=model, position=(0, 0, 0.11), name="strip")
    sim = sg.Simulation(scene, dt=4e-3)
    reports = [sim.step() for _ in range(40)]
    assert all(r.solves_converged == r.solves for r in reports) and sim.intersections() == 0
    assert reports[-1].contact_count
    assert reports[-1].total_energy < reports[0].total_energy, "it falls from rest, and nothing kicks it"


def test_a_scene_file_with_a_strip_runs_and_is_checked(tmp_path: Path) -> None:
    mesh = strip()
    rows = ["v {} {} {}".format(*x) for x in mesh.vertices] + [
        "f {} {} {}".format(*t) for t in (mesh.triangles + 1).tolist()
    ]
    (tmp_path / "strip.obj").write_text("\n".join(rows))
    table = '[[{}]]\nname = "strip"\nmesh = {{ file = "strip.obj" }}\nposition = [0, 0, 1]\n'
    files = {}
    for kind in ("cloth", "kinematic", "rigid"):
        sheet = '[[cloth]]\nname = "sheet"\nmesh = { shape = "grid", width = 0.1, depth = 0.1, cells = 2 }\n'
        files[kind] = tmp_path / f"{kind}.toml"
        files[kind].write_text(table.format(kind) + ("density = 100.0\n" if kind == "rigid" else "") + sheet)
    for kind in ("cloth", "kinematic"):
        report = sg.check(files[kind])
        assert report.ok and [f.severity for f in report.named("one-sided")] == ["remark"], report
        loaded = sg.load_scene(files[kind])
        assert sg.Simulation(loaded.scene).step().status.name == "ACCEPTED"
    (fault,) = sg.check(files["rigid"]).named("one-sided")
    assert fault.severity == "error" and "use it as cloth" in fault.remedy
    with pytest.raises(sg.InputError, match=r"only one side, as a Möbius strip.*use it as cloth"):
        sg.load_scene(files["rigid"])


def test_no_one_is_told_to_orient_what_has_one_side() -> None:
    scene = sg.Scene()
    for mesh in (strip(), closed_one_sided()):
        with pytest.raises(sg.InputError, match="only one side") as raised:
            scene.add_rigid(mesh, density=1000.0)
        assert "orient" not in str(raised.value) and "close the holes" not in str(raised.value)


def test_pressure_needs_two_sides() -> None:
    scene = sg.Scene()
    scene.add_cloth(strip(), name="strip")
    load = scene.add_pressure("strip", 1.0)
    with pytest.raises(sg.InputError, match=r"pressure on 'strip'.*opposite ways beside 1 edges.*one side only"):
        sg.Simulation(scene)
    scene.loads.remove(load)
    scene.add_pressure("strip", 1.0, vertices=[*range(20), *range(40, 60)])
    assert sg.Simulation(scene).step().load_work != 0.0


def test_wind_does_not_depend_on_the_winding() -> None:
    mesh, ends = strip(), []
    for triangles in (mesh.triangles, mesh.triangles[:, ::-1]):
        scene = sg.Scene(gravity=(0, 0, 0))
        scene.add_cloth(sg.TriangleMesh(mesh.vertices, triangles), model="mass-spring", name="strip")
        scene.add_wind("strip", (3.0, 1.0, 2.0))
        sim = sg.Simulation(scene, dt=4e-3)
        for _ in range(5):
            sim.step()
        ends.append(sim.bodies["strip"].positions)
    assert np.abs(ends[0] - mesh.vertices).max() > 1e-4
    np.testing.assert_allclose(ends[0], ends[1], atol=1e-12)


@pytest.mark.parametrize("smooth", [True, False])
def test_the_seam_is_drawn_like_the_rest(smooth: bool) -> None:
    """Normals of vertices agree with those of their triangles; summed over the seam they would cancel: a dark line."""
    mesh = strip()
    if smooth:
        part = loop_subdivision(mesh.vertices, mesh.triangles)
        drawn = DrawnCloth.of(part, mesh.vertices)
        points, normals = drawn.place(part.flat @ mesh.vertices)
        assert np.array_equal(drawn.between(mesh.vertices), points)
    else:
        drawn = DrawnSurface.of(mesh.vertices, mesh.triangles, crease=None, longest=1.0)
        points, normals = drawn.place(mesh.vertices)
    flat = area_vectors(points, drawn.triangles)
    flat /= np.linalg.norm(flat, axis=1, keepdims=True)
    assert (np.einsum("tci,ti->tc", normals[drawn.triangles], flat) > 0.9).all()


def test_edges_whose_triangles_face_opposite_ways_are_found() -> None:
    assert mixed_edges(strip().triangles).sum() == 1
    grid = sg.shapes.grid(1.0, 1.0, cells=3)
    assert not mixed_edges(grid.triangles).any()
    assert mixed_edges(np.concatenate([grid.triangles[:1, ::-1], grid.triangles[1:]])).sum() in (1, 2, 3)
