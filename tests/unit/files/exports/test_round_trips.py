"""Every export format out and in again, read by the library of its owners or by a reader written from its specification."""

from __future__ import annotations

import json
import struct
from pathlib import Path

import numpy as np
import pytest
import trimesh
from scipy.spatial.transform import Rotation

import signorini as sg
from signorini.files.exports.export import export
from signorini.files.meshes.gltf_file import GltfFile
from signorini.files.meshes.obj_file import read_obj
from signorini.files.runs.trajectory import Trajectory
from support.stored_runs import FRAMES, quads_file, stored_run

NAMES = ["patch", "blue ball", "rope", "box"]


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return stored_run(tmp_path_factory.mktemp("stored"))


def y_up_centimetres(points: np.ndarray) -> np.ndarray:
    """What (x, y, z) in metres with z up is in centimetres with y up."""
    return 100.0 * np.column_stack([points[:, 0], points[:, 2], -points[:, 1]])


def test_an_obj_file_comes_back_as_it_went(tmp_path: Path) -> None:
    """Loaded with units and axes, run, exported with the opposite: the same numbers, polygons, texture and order."""
    source = quads_file(tmp_path)
    scene = sg.Scene(gravity=(0, 0, 0))
    scene.add_cloth(sg.load_mesh(source, up="y", unit="cm"), name="patch")
    sg.run(scene, tmp_path / "out", dt=0.01, seconds=0.02, fps=100)
    (first, *_, last) = export(tmp_path / "out", tmp_path / "back.obj", up="y", scale=100)
    kept = [line for line in source.read_text().splitlines() if line.startswith(("vt ", "f "))]
    written = [line for line in first.read_text().splitlines() if line.startswith(("vt ", "f "))]
    numbers = [[line.split()[0], *map(float, line.split()[1:])] for line in kept if line.startswith("vt")]
    assert [[w.split()[0], *map(float, w.split()[1:])] for w in written if w.startswith("vt")] == numbers
    assert [w for w in written if w.startswith("f ")] == [w for w in kept if w.startswith("f ")]
    for path in (first, last):
        np.testing.assert_allclose(read_obj(path).vertices, read_obj(source).vertices, atol=1e-9)


def test_a_scene_that_is_saved_keeps_polygons_and_texture(tmp_path: Path) -> None:
    mesh = sg.load_mesh(quads_file(tmp_path), up="y", unit="cm")
    scene = sg.Scene()
    scene.add_cloth(mesh, name="patch", position=(0, 0, 1))
    loaded = sg.load_scene(sg.save_scene(tmp_path / "saved/scene.toml", scene)).scene.bodies["patch"].faces
    assert loaded is not None and mesh.faces is not None
    for name, values in mesh.faces.to_arrays().items():
        np.testing.assert_array_equal(loaded.to_arrays()[name], values)


def read_pc2(file: Path) -> tuple[float, float, np.ndarray]:
    """First frame, frames per sample and points (samples, n, 3), by the specification of the format."""
    data = file.read_bytes()
    signature, version, count, start, rate, samples = struct.unpack_from("<12siiffi", data)
    assert (signature, version) == (b"POINTCACHE2\0", 1)
    points = np.frombuffer(data, "<f4", offset=32)
    assert len(points) == 3 * count * samples
    return start, rate, points.reshape(samples, count, 3)


def read_mdd(file: Path) -> tuple[np.ndarray, np.ndarray]:
    """Times (samples,) and points (samples, n, 3), by the specification of the format."""
    data = file.read_bytes()
    samples, count = struct.unpack_from(">ii", data)
    times, points = np.frombuffer(data, ">f4", samples, 8), np.frombuffer(data, ">f4", offset=8 + 4 * samples)
    assert len(points) == 3 * count * samples
    return times, points.reshape(samples, count, 3)


def test_pc2_and_mdd(run: Path, tmp_path: Path) -> None:
    trajectory = Trajectory.open(run)
    (single,) = export(run, tmp_path / "patch.pc2", bodies=["patch"], up="y", scale=100)
    start, rate, points = read_pc2(single)
    assert (single.name, start, rate, len(points)) == ("patch.pc2", 1.0, 1.0, FRAMES)
    for k in range(FRAMES):
        np.testing.assert_allclose(points[k], y_up_centimetres(trajectory.positions("patch", k)), rtol=1e-6, atol=1e-4)
    several = export(run, tmp_path / "all.mdd", every=2)
    assert [path.name for path in several] == [f"all_{name}.mdd" for name in NAMES]
    times, points = read_mdd(several[1])
    np.testing.assert_allclose(times, [0.0, 0.2, 0.4], rtol=1e-6)
    np.testing.assert_allclose(points[2], trajectory.positions("blue ball", 4), rtol=1e-6, atol=1e-7)


def test_ply_keeps_polygons_and_texture(run: Path, tmp_path: Path) -> None:
    """Read by VTK, which keeps polygons, by trimesh, which takes only one size of them, and by ourselves."""
    import pyvista

    stored = Trajectory.open(run)
    paths = export(run, tmp_path / "f.ply", bodies=["patch", "rope"])
    found = pyvista.read(paths[3])
    assert [cell.n_points for cell in found.cell] == [4, 4, 3, 3]
    points = np.concatenate([stored.positions(name, 3) for name in ("patch", "rope")])
    np.testing.assert_allclose(found.points, points, rtol=1e-6)
    mesh = sg.load_mesh(paths[3])
    np.testing.assert_array_equal(mesh.vertices, points)
    np.testing.assert_array_equal(mesh.triangles, stored.bodies["patch"].triangles)
    assert mesh.faces is not None and mesh.faces.counts.tolist() == [4, 4, 3, 3]
    box = trimesh.load(export(run, tmp_path / "box.ply", bodies=["box"])[0], process=False)
    np.testing.assert_array_equal(box.vertices, stored.positions("box", 0))


def test_usd(run: Path, tmp_path: Path) -> None:
    pytest.importorskip("pxr")
    from pxr import Usd, UsdGeom

    trajectory = Trajectory.open(run)
    for ending, up, scale in (("usda", None, 1.0), ("usdc", "y", 100.0)):
        (file,) = export(run, tmp_path / f"all.{ending}", up=up, scale=scale)
        stage = Usd.Stage.Open(str(file))
        assert UsdGeom.GetStageUpAxis(stage) == (up or "z").upper()
        assert UsdGeom.GetStageMetersPerUnit(stage) == pytest.approx(1.0 / scale)
        assert stage.GetTimeCodesPerSecond() == pytest.approx(10.0)
        assert (stage.GetStartTimeCode(), stage.GetEndTimeCode()) == (1, FRAMES)
        mesh = UsdGeom.Mesh(stage.GetPrimAtPath("/World/patch"))
        assert list(mesh.GetFaceVertexCountsAttr().Get()) == [4, 4, 3, 3]
        st = UsdGeom.PrimvarsAPI(mesh).GetPrimvar("st")
        assert list(st.GetIndices())[:8] == [0, 1, 4, 3, 6, 2, 5, 4]
        np.testing.assert_allclose(np.array(st.Get())[6], [0.25, 0.75])
        ball = UsdGeom.Mesh(stage.GetPrimAtPath("/World/blue_ball"))
        rope = UsdGeom.BasisCurves(stage.GetPrimAtPath("/World/rope"))
        for k in range(FRAMES):
            for shape, name in ((mesh, "patch"), (ball, "blue ball")):
                expected = trajectory.positions(name, k)
                expected = y_up_centimetres(expected) if up else expected
                np.testing.assert_allclose(np.array(shape.GetPointsAttr().Get(1 + k)), expected, rtol=1e-5, atol=1e-5)
            assert len(rope.GetPointsAttr().Get(1 + k)) == 10
        assert UsdGeom.Mesh(stage.GetPrimAtPath("/World/box")).GetPointsAttr().GetNumTimeSamples() == 0


@pytest.mark.parametrize(("up", "scale"), [(None, 1.0), ("y", 100.0)])
def test_usd_surfaces_are_read(run: Path, tmp_path: Path, up: str | None, scale: float) -> None:
    """The file says its axes and unit: the mesh is the same, whatever they are."""
    pytest.importorskip("pxr")
    (file,) = export(run, tmp_path / "patch.usdc", bodies=["patch"], up=up, scale=scale)
    mesh = sg.load_mesh(file)
    np.testing.assert_allclose(mesh.vertices, Trajectory.open(run).positions("patch", 0), rtol=1e-6, atol=1e-7)
    assert mesh.faces is not None
    source = read_obj(quads_file(tmp_path)).faces
    for name, values in source.to_arrays().items():
        np.testing.assert_allclose(mesh.faces.to_arrays()[name], values, err_msg=name)
    ten = sg.load_mesh(file, unit="m", scale=10.0 / scale)
    np.testing.assert_allclose(ten.vertices, 10.0 * mesh.vertices, rtol=1e-6, atol=1e-6)


def test_gltf_by_trimesh(run: Path, tmp_path: Path) -> None:
    """The first frame, with y up; trimesh reads no animations."""
    for ending in ("glb", "gltf"):
        (file,) = export(run, tmp_path / f"all.{ending}", bodies=["patch", "blue ball", "box"])
        found = trimesh.load(file, process=False)
        for name in ("blue ball", "box"):
            part = found.geometry[name]
            expected = y_up_centimetres(Trajectory.open(run).positions(name, 0)) / 100.0
            np.testing.assert_allclose(part.vertices, expected, atol=1e-6)
            np.testing.assert_array_equal(part.faces, Trajectory.open(run).bodies[name].triangles)
        patch = found.geometry["patch"]
        assert len(patch.vertices) == 8 + 1  # one is on a seam
        corners = patch.vertices[patch.faces]
        source = Trajectory.open(run).positions("patch", 0)[Trajectory.open(run).bodies["patch"].triangles]
        np.testing.assert_allclose(corners.reshape(-1, 3), y_up_centimetres(source.reshape(-1, 3)) / 100, atol=1e-6)


def test_gltf_animation(run: Path, tmp_path: Path) -> None:
    """What a viewer shows at each frame: base plus weighted morph targets, or the mesh moved by its node."""
    (file,) = export(run, tmp_path / "all.glb")
    gltf, trajectory = GltfFile(file), Trajectory.open(run)
    data = gltf.json
    (animation,) = data["animations"]
    channels = {
        (c["target"]["node"], c["target"]["path"]): animation["samplers"][c["sampler"]] for c in animation["channels"]
    }
    assert set(channels) == {(0, "weights"), (1, "rotation"), (1, "translation"), (2, "weights")}
    for number, name in enumerate(NAMES):
        (primitive,) = data["meshes"][number]["primitives"]
        base = gltf.array(primitive["attributes"]["POSITION"]).astype(float)
        count = trajectory.bodies[name].vertex_count
        for k in range(FRAMES):
            shown = base[:count]
            if (number, "weights") in channels:
                weights = gltf.array(channels[number, "weights"]["output"]).reshape(FRAMES, FRAMES - 1)[k]
                targets = [gltf.array(target["POSITION"])[:count] for target in primitive["targets"]]
                shown = shown + np.einsum("t,tni->ni", weights, np.array(targets))
            if (number, "rotation") in channels:
                turn = Rotation.from_quat(gltf.array(channels[number, "rotation"]["output"])[k].astype(float))
                shown = turn.apply(shown) + gltf.array(channels[number, "translation"]["output"])[k]
            expected = y_up_centimetres(trajectory.positions(name, k)) / 100
            np.testing.assert_allclose(shown, expected, atol=2e-6, err_msg=f"{name} at {k}")
    np.testing.assert_allclose(gltf.array(channels[0, "weights"]["input"]), trajectory.times, atol=1e-7)


def test_gltf_surfaces_are_read(run: Path, tmp_path: Path) -> None:
    """y up becomes z up again, and the vertices of the seam are one again, with their texture."""
    for ending in ("glb", "gltf"):
        (file,) = export(run, tmp_path / f"patch.{ending}", bodies=["patch"])
        mesh = sg.load_mesh(file)
        stored, body = Trajectory.open(run).positions("patch", 0), Trajectory.open(run).bodies["patch"]
        np.testing.assert_allclose(mesh.vertices, stored, atol=1e-6)
        np.testing.assert_array_equal(mesh.triangles, body.triangles)
        assert mesh.faces is not None and body.faces is not None and mesh.faces.has_uv
        halves = [(0, 1, 2), (0, 2, 3)]
        rows = body.faces.uv_corners
        expected = (
            [rows[list(half)] for half in halves] + [rows[4:8][list(half)] for half in halves] + [rows[8:11], rows[11:]]
        )
        np.testing.assert_allclose(
            mesh.faces.uv[mesh.faces.uv_corners], body.faces.uv[np.concatenate(expected)], atol=1e-6
        )


def test_gltf_of_other_programs(tmp_path: Path) -> None:
    """Nested and mirrored nodes, as trimesh writes and reads them."""
    scene = trimesh.Scene()
    mirror = np.diag([-1.0, 1.0, 1.0, 1.0])
    mirror[:3, 3] = [0.3, 0.2, 0.1]
    scene.add_geometry(trimesh.creation.icosphere(subdivisions=2), transform=mirror)
    scene.add_geometry(
        trimesh.creation.box(), transform=trimesh.transformations.rotation_matrix(0.4, [1, 2, 3], [4, 5, 6])
    )
    scene.export(tmp_path / "two.glb")
    mesh = sg.load_mesh(tmp_path / "two.glb", up="z")
    expected = trimesh.load(tmp_path / "two.glb", process=False).to_mesh()
    volume = np.einsum("ti,ti->", *(lambda c: (c[:, 0], np.cross(c[:, 1], c[:, 2])))(mesh.vertices[mesh.triangles])) / 6
    assert volume == pytest.approx(expected.volume, rel=1e-5)
    np.testing.assert_allclose(
        np.sort(mesh.vertices, axis=0)[[0, -1]], np.sort(expected.vertices, axis=0)[[0, -1]], atol=1e-6
    )


@pytest.mark.parametrize("damage", ["short", "json", "index"])
def test_damaged_gltf_is_one_sentence(run: Path, tmp_path: Path, damage: str) -> None:
    (file,) = export(run, tmp_path / "box.gltf", bodies=["box"])
    data = json.loads(file.read_text())
    if damage == "short":
        data["buffers"][0]["uri"] = data["buffers"][0]["uri"][:200]
    elif damage == "index":
        data["accessors"][data["meshes"][0]["primitives"][0]["attributes"]["POSITION"]]["count"] = 3
    file.write_text(json.dumps(data)[: 300 if damage == "json" else None])
    with pytest.raises(sg.InputError, match=r"box\.gltf") as caught:
        sg.load_mesh(file)
    assert "\n" not in str(caught.value)


def test_pvd(run: Path, tmp_path: Path) -> None:
    import pyvista

    written = export(run, tmp_path / "all.pvd")
    assert written[0] == tmp_path / "all.pvd" and len(written) == 1 + 4 * FRAMES
    reader, trajectory = pyvista.PVDReader(written[0]), Trajectory.open(run)
    np.testing.assert_array_equal(reader.time_values, trajectory.times)
    for k in range(FRAMES):
        reader.set_active_time_point(k)
        blocks = reader.read()
        for number, name in enumerate(NAMES):
            block, now = blocks[number], trajectory.positions(name, k)
            np.testing.assert_array_equal(block.points, now)
            np.testing.assert_array_equal(block["displacement"], now - trajectory.positions(name, 0))
            before = trajectory.positions(name, max(k - 1, 0))
            np.testing.assert_allclose(block["velocity"], (now - before) / 0.1, atol=1e-12)
        assert [cell.n_points for cell in blocks[0].cell] == [4, 4, 3, 3]
        assert blocks[2].n_lines == 5


def test_vtkhdf(run: Path, tmp_path: Path) -> None:
    pytest.importorskip("h5py")
    import pyvista
    from vtkmodules.vtkCommonExecutionModel import vtkStreamingDemandDrivenPipeline

    (file,) = export(run, tmp_path / "all.vtkhdf")
    reader, trajectory = pyvista.get_reader(file).reader, Trajectory.open(run)
    reader.UpdateInformation()
    times = reader.GetOutputInformation(0).Get(vtkStreamingDemandDrivenPipeline.TIME_STEPS())
    np.testing.assert_array_equal(times, trajectory.times)
    counts = [trajectory.bodies[name].vertex_count for name in NAMES]
    for k in range(FRAMES):
        reader.UpdateTimeStep(times[k])
        found = pyvista.wrap(reader.GetOutput())
        now = np.concatenate([trajectory.positions(name, k) for name in NAMES])
        first = np.concatenate([trajectory.positions(name, 0) for name in NAMES])
        np.testing.assert_array_equal(found.points, now)
        np.testing.assert_array_equal(found["displacement"], now - first)
        np.testing.assert_array_equal(found["body"], np.repeat(np.arange(4), counts))
        assert found.n_lines == 5
        assert found.n_cells == 5 + 4 + sum(len(trajectory.bodies[name].triangles) for name in ("blue ball", "box"))


@pytest.mark.parametrize(("ending", "module", "words"), [("usdc", "pxr.Usd", "usd-core"), ("vtkhdf", "h5py", "h5py")])
def test_a_missing_extra_is_one_sentence(run: Path, tmp_path: Path, monkeypatch, ending, module, words) -> None:
    monkeypatch.setitem(__import__("sys").modules, module, None)
    with pytest.raises(sg.MissingExtraError, match=words) as caught:
        export(run, tmp_path / f"f.{ending}")
    assert "pip install" in str(caught.value) and "\n" not in str(caught.value)
