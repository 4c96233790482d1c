"""Exports: what is written is read back by other libraries and is equal, bit by bit, to the trajectory."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import trimesh

import signorini as sg
from signorini.errors import InputError
from signorini.files.exports import registry
from signorini.files.exports.export import export
from signorini.files.runs.trajectory import Trajectory, TrajectoryBody
from signorini.files.runs.trajectory_writer import TrajectoryWriter
from signorini.geometry import shapes


@pytest.fixture
def run(tmp_path: Path) -> Path:
    """A run directory with two bodies and five frames."""
    meshes = {"sheet": shapes.grid(0.5, 0.5, cells=3), "blue ball": shapes.sphere(0.3, subdivisions=2)}
    bodies = {name: TrajectoryBody(name, "cloth", mesh.triangles, len(mesh.vertices)) for name, mesh in meshes.items()}
    out = tmp_path / "run"
    out.mkdir()
    writer = TrajectoryWriter.create(out / "trajectory.zarr", bodies)
    random = np.random.default_rng(1)
    for k in range(5):
        writer.append(0.1 * k, {name: random.normal(size=mesh.vertices.shape) for name, mesh in meshes.items()})
    return out


def joined(trajectory: Trajectory, frame: int, names: list[str]) -> tuple[np.ndarray, np.ndarray]:
    """Vertices and triangles of some bodies, one after the other."""
    points = [trajectory.positions(name, frame) for name in names]
    starts = np.cumsum([0, *(len(p) for p in points)])
    triangles = [trajectory.bodies[name].triangles + starts[k] for k, name in enumerate(names)]
    return np.concatenate(points), np.concatenate(triangles)


@pytest.mark.parametrize("ending", ["obj", "ply", "PLY"])
def test_sequences_read_back_exactly(run: Path, tmp_path: Path, ending: str) -> None:
    written = export(run, tmp_path / f"new/frames.{ending}")
    assert [path.name for path in written] == [f"frames_{k:04d}.{ending}" for k in range(5)]
    trajectory = Trajectory.open(run)
    for k, path in enumerate(written):
        found = trimesh.load_mesh(path, process=False, maintain_order=True)
        if isinstance(found, trimesh.Scene):
            found = found.to_mesh()
        points, triangles = joined(trajectory, k, ["sheet", "blue ball"])
        np.testing.assert_array_equal(found.vertices, points)
        np.testing.assert_array_equal(found.faces, triangles)


def test_obj_has_an_object_for_each_body(run: Path, tmp_path: Path) -> None:
    text = export(run, tmp_path / "frames.obj")[0].read_text()
    assert [line for line in text.splitlines() if line.startswith("o ")] == ["o sheet", "o blue_ball"]


def test_ply_says_which_vertices_are_whose(run: Path, tmp_path: Path) -> None:
    header = export(run, tmp_path / "frames.ply")[0].read_bytes().split(b"end_header")[0].decode()
    n = Trajectory.open(run).bodies["blue ball"].vertex_count
    assert "comment sheet: vertices 0 to 15\n" in header
    assert f"comment blue ball: vertices 16 to {15 + n}\n" in header


def test_npz_holds_all_positions(run: Path, tmp_path: Path) -> None:
    trajectory = Trajectory.open(run)
    assert export(trajectory, tmp_path / "all.npz") == [tmp_path / "all.npz"]
    arrays = np.load(tmp_path / "all.npz")
    np.testing.assert_array_equal(arrays["times"], trajectory.times)
    for name, body in trajectory.bodies.items():
        np.testing.assert_array_equal(arrays[f"{name}/triangles"], body.triangles)
        for k in range(5):
            np.testing.assert_array_equal(arrays[f"{name}/positions"][k], trajectory.positions(name, k))


def test_some_bodies_and_every_second_frame(run: Path, tmp_path: Path) -> None:
    written = export(run, tmp_path / "f.ply", bodies=["blue ball"], every=2)
    assert [path.name for path in written] == ["f_0000.ply", "f_0001.ply", "f_0002.ply"]
    last = trimesh.load_mesh(written[2], process=False)
    np.testing.assert_array_equal(last.vertices, Trajectory.open(run).positions("blue ball", 4))
    export(run, tmp_path / "f.npz", bodies=["sheet"], every=3)
    arrays = np.load(tmp_path / "f.npz")
    assert set(arrays.files) == {"times", "sheet/positions", "sheet/triangles"}
    np.testing.assert_allclose(arrays["times"], [0.0, 0.3])


@pytest.mark.parametrize(
    ("file", "options", "words"),
    [
        ("f.abc", {}, ["'abc'", "npz, obj, pc2, ply, pvd"]),
        ("frames", {}, ["no ending", "npz, obj, pc2, ply, pvd"]),
        ("f.obj", {"bodies": ["shet"]}, ["'shet'", "did you mean 'sheet'"]),
        ("f.obj", {"bodies": "sheet"}, ["['sheet']"]),
        ("f.obj", {"bodies": []}, ["no body"]),
        ("f.obj", {"every": 0}, ["every", "at least 1"]),
    ],
)
def test_bad_input_is_named(run: Path, tmp_path: Path, file: str, options: dict, words: list[str]) -> None:
    with pytest.raises(InputError) as caught:
        export(run, tmp_path / "new" / file, **options)
    for word in words:
        assert word in str(caught.value)
    assert not (tmp_path / "new").exists()


def test_a_run_without_a_complete_frame_is_refused(tmp_path: Path) -> None:
    mesh = shapes.grid(1.0, 1.0, cells=1)
    TrajectoryWriter.create(tmp_path / "trajectory.zarr", {"a": TrajectoryBody("a", "cloth", mesh.triangles, 4)})
    with pytest.raises(InputError, match="no complete frame"):
        export(tmp_path, tmp_path / "f.obj")


def test_a_format_from_outside_the_package(run: Path, tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr(registry, "_EXPORTERS", dict(registry._EXPORTERS))

    @sg.exporter("heights", ".HGT")
    def write_heights(selection: sg.FrameSelection, file: Path) -> list[Path]:
        rows = [[selection.positions(name, k)[:, 2].max() for name in selection.bodies] for k in selection.frames]
        np.savetxt(file, np.column_stack([selection.times, rows]))
        return [file]

    for ending in ("heights", "hgt"):
        (path,) = export(run, tmp_path / f"top.{ending}", every=2)
        assert np.loadtxt(path).shape == (3, 3)
        np.testing.assert_allclose(np.loadtxt(path)[:, 0], [0.0, 0.2, 0.4])
    with pytest.raises(InputError, match="heights, hgt, mdd, npz, obj, pc2, ply"):
        export(run, tmp_path / "top.txt")


@pytest.mark.parametrize("endings", [(), ("",), (".",)])
def test_a_format_needs_an_ending(endings: tuple[str, ...]) -> None:
    with pytest.raises(InputError, match="at least one ending"):
        sg.exporter(*endings)
