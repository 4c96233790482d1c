"""The data set of a sweep: what was simulated is what is read back, whoever wrote it and however often."""

from __future__ import annotations

import hashlib

import numpy as np
import pytest

import signorini as sg
from signorini.errors import InputError
from signorini.simulation.frame_clock import FrameClock
from signorini.studies.sweep.dataset import (
    RunFrames,
    create_dataset,
    damaged_runs,
    finish_dataset,
    frame_count,
    layout_of,
)
from signorini.studies.sweep.plan import make_plan
from signorini.studies.sweep.scene_source import FileSource
from support.sweeps import slope_file

FRICTIONS = (0.1, 0.5, 0.9)


@pytest.fixture(scope="module")
def simulated(tmp_path_factory):
    """A plan, and frames of its runs with what was simulated."""
    folder = tmp_path_factory.mktemp("dataset")
    plan = make_plan(FileSource.of(slope_file(folder)), [{"friction": f} for f in FRICTIONS], dataset=True)
    layout, runs = None, []
    for planned in plan.runs:
        made = plan.source.make(planned.parameters)
        sim = sg.Simulation(made.scene, dt=made.dt)
        layout = layout or layout_of(sim, frames=4)
        frames, states = RunFrames(layout, sim), []
        for _ in range(3 if planned.number else 4):
            frames.add(sim)
            block = sim.bodies["block"]
            states.append((sim.time, block.positions, block.velocities, block.contact_forces))
            sim.step()
        runs.append((frames, states))
    return plan, layout, runs


def written(path, simulated, numbers=(0, 1, 2)):
    plan, layout, runs = simulated
    create_dataset(path, layout, plan)
    digests = {k: runs[k][0].write(path, k) for k in numbers}
    finish_dataset(path, digests)
    return digests


def test_xarray_reads_what_was_simulated(tmp_path, simulated):
    xarray = pytest.importorskip("xarray")
    written(tmp_path / "dataset.zarr", simulated)
    data = xarray.open_zarr(tmp_path / "dataset.zarr", consolidated=True, chunks=None)
    assert dict(data.sizes) == {
        "run": 3, "frame": 4, "vertex": 8, "axis": 3, "face": 12, "corner": 3, "edge": 0, "end": 2, "digest_byte": 32
    }  # fmt: skip
    assert data.friction.values.tolist() == list(FRICTIONS) and "friction" in data.coords
    assert data.complete.values.all()
    assert data.positions.attrs["units"] == "m"
    for number, (_, states) in enumerate(simulated[2]):
        for k, (time, *values) in enumerate(states):
            assert float(data.time[number, k]) == time
            for name, expected in zip(("positions", "velocities", "contact_forces"), values, strict=True):
                np.testing.assert_array_equal(data[name][number, k].values, expected.astype(np.float32))
    assert np.isnan(data.positions[1, 3]).all() and np.isnan(data.time[1, 3])
    box = simulated[0].source.make({}).scene.bodies["block"].mesh
    np.testing.assert_array_equal(data.faces.values, box.triangles)


def test_writing_again_in_any_order_gives_the_same_bytes(tmp_path, simulated):
    first, second = tmp_path / "a.zarr", tmp_path / "b.zarr"
    written(first, simulated)
    written(second, simulated, numbers=(2,))
    (second / "positions/c/1.1234.partial").write_bytes(b"cut off")
    written(second, simulated, numbers=(2, 1, 0))
    assert tree_digest(first) == tree_digest(second)


def tree_digest(path):
    return {
        str(file.relative_to(path)): hashlib.sha256(file.read_bytes()).hexdigest()
        for file in sorted(path.rglob("*"))
        if file.is_file()
    }


def test_runs_that_are_missing_are_said_to_be(tmp_path, simulated):
    zarr = pytest.importorskip("zarr")
    written(tmp_path / "dataset.zarr", simulated, numbers=(0, 2))
    group = zarr.open_group(tmp_path / "dataset.zarr", mode="r")
    assert group["complete"][:].tolist() == [True, False, True]
    assert np.isnan(group["positions"][1]).all()
    assert damaged_runs(tmp_path / "dataset.zarr") == []


@pytest.mark.parametrize("damage", ["changed", "missing", "exchanged"])
def test_damage_is_found(tmp_path, simulated, damage):
    path = tmp_path / "dataset.zarr"
    written(path, simulated)
    chunk = path / "velocities/c/1/0/0/0"
    if damage == "changed":
        content = bytearray(chunk.read_bytes())
        content[len(content) // 2] ^= 1
        chunk.write_bytes(content)
    elif damage == "missing":
        chunk.unlink()
    else:  # a chunk that is whole, but of another run
        chunk.write_bytes((path / "velocities/c/0/0/0/0").read_bytes())
    assert damaged_runs(path) == [1]


def test_a_data_set_of_other_runs_is_left_alone(tmp_path, simulated):
    plan, layout, _ = simulated
    written(tmp_path / "dataset.zarr", simulated)
    before = tree_digest(tmp_path / "dataset.zarr")
    other = make_plan(plan.source, [{"friction": 0.3}], dataset=True)
    with pytest.raises(InputError, match="is of other runs: a data set cannot grow"):
        create_dataset(tmp_path / "dataset.zarr", layout, other)
    assert tree_digest(tmp_path / "dataset.zarr") == before


def test_other_meshes_and_more_frames_are_refused(simulated):
    plan, layout, _ = simulated
    made = plan.source.make({"rigid.block.mesh.cells": [2, 1, 1]})
    with pytest.raises(InputError, match="'block' has 12 vertices, and the data set expects 'block' with 8"):
        RunFrames(layout, sg.Simulation(made.scene, dt=made.dt))
    made = plan.source.make({})
    sim = sg.Simulation(made.scene, dt=made.dt)
    frames = RunFrames(layout, sim)
    for _ in range(4):
        frames.add(sim)
    with pytest.raises(InputError, match="more than the 4 frames"):
        frames.add(sim)


@pytest.mark.parametrize(
    ("dt", "fps", "seconds"), [(5e-3, 20.0, 0.5), (4e-3, 30.0, 0.1), (1e-2, 1000.0, 0.05), (1e-3, 7.0, 0.2)]
)
def test_the_number_of_frames_is_that_of_a_run(dt, fps, seconds):
    clock, count, following = FrameClock(dt, fps, seconds), 1, 1
    for step in range(1, clock.last_step + 1):
        if clock.is_frame(step, following):
            following = clock.frame_after(step, following)
            count += 1
    assert frame_count(dt, fps, seconds) == count
