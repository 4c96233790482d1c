"""Output directories: mount points, links and `.` work; what no run wrote stays."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from signorini.errors import InputError
from signorini.files.runs.runner import resume_directory
from signorini.files.runs.trajectory import Trajectory
from support.fake_simulation import FakeSimulation
from support.runs import run


@pytest.mark.parametrize("kind", ["mount", "disk", "link", "dangling", "dot", "stale lock"])
def test_directories_that_cannot_be_replaced(tmp_path, monkeypatch, kind):
    """None of them is removed, with --force neither; a mount point is stood in for by what the system would say."""
    real, out = tmp_path / "real", tmp_path / "out"
    real.mkdir()
    match kind:
        case "link":
            out.symlink_to(real)
        case "dangling":
            out.symlink_to(tmp_path / "not/yet")
        case "dot":
            monkeypatch.chdir(real)
            out = Path()
        case _:
            out = real
    if kind == "disk":
        (real / "lost+found").mkdir()
    if kind == "stale lock":
        (real / "run.lock").write_text("{}")
    rmtree = shutil.rmtree

    def busy(path, *arguments, **options):
        assert Path(path).resolve() != out.resolve(), "the directory itself would be removed"
        rmtree(path, *arguments, **options)

    monkeypatch.setattr(shutil, "rmtree", busy)
    before = out.stat().st_ino if out.exists() else None
    run(out, seconds=0.01)
    (out / "picture.png").touch()
    run(out, seconds=0.01, force=True)
    assert before in (None, out.stat().st_ino)
    assert not (out / "picture.png").exists()
    resume_directory(out, seconds=0.02, simulation=FakeSimulation)
    assert Trajectory.open(out).frame_count == 3
    assert out.is_symlink() == (kind in ("link", "dangling"))


@pytest.mark.parametrize("name", ["own.png", "meshes/bunny.obj", "checkpoint/notes.txt", ".hidden", "film2.mp4"])
def test_force_keeps_what_no_run_wrote(tmp_path, name):
    run(tmp_path / "out", seconds=0.01)
    (tmp_path / "out" / name).write_text("mine")
    with pytest.raises(InputError, match=name.replace(".", r"\.") + r".*which no run writes"):
        run(tmp_path / "out", seconds=0.02, force=True)
    assert (tmp_path / "out" / name).read_text() == "mine"
    assert Trajectory.open(tmp_path / "out").frame_count == 2  # nor is anything else removed


def test_force_keeps_a_scene_that_was_never_run_there(tmp_path):
    (tmp_path / "scene.toml").write_text("# written by hand")
    with pytest.raises(InputError, match=r"'scene\.toml' but no run"):
        run(tmp_path, force=True)
    assert (tmp_path / "scene.toml").exists()


def test_force_follows_no_link(tmp_path):
    run(tmp_path / "out", seconds=0.01)
    shutil.move(tmp_path / "out/trajectory.zarr", tmp_path / "elsewhere.zarr")
    (tmp_path / "out/trajectory.zarr").symlink_to(tmp_path / "elsewhere.zarr")
    run(tmp_path / "out", seconds=0.02, force=True)
    assert Trajectory.open(tmp_path / "elsewhere.zarr").frame_count == 2


def test_no_room_keeps_the_earlier_run_and_an_empty_directory(tmp_path, monkeypatch):
    run(tmp_path / "out", seconds=0.01)
    (tmp_path / "empty").mkdir()
    usage = shutil.disk_usage(tmp_path)._replace(free=10)
    monkeypatch.setattr(shutil, "disk_usage", lambda path: usage)
    with pytest.raises(InputError, match="is full"):
        run(tmp_path / "out", force=True)
    with pytest.raises(InputError, match="is full"):
        run(tmp_path / "empty")
    assert (tmp_path / "empty").is_dir()
    assert Trajectory.open(tmp_path / "out").frame_count == 2


def test_what_a_killed_process_was_writing_is_removed(tmp_path):
    run(tmp_path / "out", seconds=0.01)
    left = [tmp_path / "out/.summary.json.1.partial", tmp_path / "out/checkpoint/.state.npz.1.partial"]
    for file in left:
        file.touch()
    resume_directory(tmp_path / "out", seconds=0.02, simulation=FakeSimulation)
    assert not any(file.exists() for file in left)
