"""Faults planted in a checkpoint: its file is refused, or the run that goes on from it is another."""

from __future__ import annotations

import shutil
from functools import cache
from pathlib import Path

import numpy as np
import pytest

import signorini as sg
from signorini.errors import InputError
from signorini.files.runs.checkpoint_file import DIGEST, read_checkpoint


def scene() -> sg.Scene:
    """Cloth with creases, a soft block and two boxes on the ground, with steps of second order."""
    made = sg.Scene(friction=0.4)
    made.add_ground()
    made.add_rigid(sg.shapes.box(0.1, 0.1, 0.1), density=500, position=(0, 0, 0.051), name="lower")
    made.add_rigid(
        sg.shapes.box(0.1, 0.1, 0.1), density=50, position=(0.03, 0, 0.152), rotation=(0, 0, 0.3), name="upper"
    )
    made.add_cloth(sg.shapes.grid(0.3, 0.3, cells=4), material="denim", position=(0, 0, 0.21))
    return made


def simulation() -> sg.Simulation:
    return sg.Simulation(scene(), dt=5e-3, settings=sg.Settings(integrator="bdf2"))


@cache
def reference() -> tuple[dict[str, np.ndarray], np.ndarray]:
    """A checkpoint after six steps, and positions and velocities after four more."""
    sim = simulation()
    for _ in range(6):
        sim.step()
    saved = sim.checkpoint()
    return saved, continued(sim)


def continued(sim: sg.Simulation) -> np.ndarray:
    for _ in range(4):
        sim.step()
    return np.concatenate([sim.state.q, sim.state.v])


def test_a_run_goes_on_bit_by_bit() -> None:
    saved, end = reference()
    sim = simulation()
    sim.restore(saved)
    assert np.array_equal(continued(sim), end)


@pytest.mark.parametrize("fault", ["absent", "zero", "bit"])
def test_every_array_of_a_checkpoint_counts(fault: str) -> None:
    """Without it, with zeros, or with one bit of one number turned, the checkpoint is refused or the run is another."""
    saved, end = reference()
    survived = []
    for name, array in saved.items():
        if fault == "zero" and not np.any(array):
            continue
        changed = {key: value.copy() for key, value in saved.items()}
        if fault == "absent":
            del changed[name]
        elif fault == "zero":
            changed[name][...] = 0
        elif array.size:
            middle = np.atleast_1d(changed[name]).reshape(-1).view(np.uint8)
            middle[(array.size // 2) * array.itemsize + array.itemsize // 2] ^= 0x10
        else:
            continue
        sim = simulation()
        try:
            sim.restore(changed)
            same = np.array_equal(continued(sim), end)
        except (InputError, sg.SimulationStoppedError):
            continue
        if same:
            survived.append(name)
    # An account of energy that is empty, for instance, is not saved: whether it is depends on the processor's rounding.
    present = {name for name, array in saved.items() if fault != "zero" or np.any(array)}
    assert set(survived) == HARMLESS[fault] & present


_LATER = {"memory_grown", "memory_work", "memory_rest_island", "memory_rest_peak", "memory_rest_last_peak"}
"""The account of energy, the budget of work and the peaks of speed that sleep is decided by: they matter many steps later, when
the account is full or something is slow."""
HARMLESS: dict[str, set[str]] = {
    "absent": {"applied", "memory_grown", "memory_orders", "memory_rest_island", "memory_squeezed", "memory_late"},
    "zero": _LATER | {"interval", "memory_orders", "memory_rest_steps"},
    "bit": _LATER | {"applied", "elements_2", "memory_dv", "memory_rest_steps", "memory_squeezed", "memory_late"},
}
"""Arrays in which a fault in memory changes none of the next four steps: forces that are zero, what has a default, and what
matters later, such as who is of first order if energy grows again. In a file the digest finds all of them."""


@pytest.fixture(scope="module")
def run_directory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("mutants") / "run"
    sg.run(scene(), out, seconds=0.02, dt=5e-3)
    return out


def read_damaged(source: Path, to: Path, data: bytes) -> None:
    shutil.rmtree(to, ignore_errors=True)
    (to / "checkpoint").mkdir(parents=True)
    (to / "checkpoint" / "state.npz").write_bytes(data)
    read_checkpoint(to)


def test_flipped_bytes_and_truncated_files_are_refused(run_directory: Path, tmp_path: Path) -> None:
    data = (run_directory / "checkpoint" / "state.npz").read_bytes()
    read_damaged(run_directory, tmp_path / "good", data)
    rng = np.random.default_rng(8)
    for place in rng.integers(len(data), size=150):
        damaged = bytearray(data)
        damaged[place] ^= 1 << int(rng.integers(8))
        try:
            read_damaged(run_directory, tmp_path / "bad", bytes(damaged))
        except InputError:
            continue
        # What is not refused is a byte of the archive that says nothing, such as a time of day: the arrays are the same.
        assert same_arrays(bytes(damaged), data, tmp_path), place
    for length in np.linspace(0, len(data) - 1, 40).astype(int):
        with pytest.raises(InputError):
            read_damaged(run_directory, tmp_path / "short", data[:length])


def same_arrays(a: bytes, b: bytes, folder: Path) -> bool:
    (folder / "a.npz").write_bytes(a)
    (folder / "b.npz").write_bytes(b)
    with np.load(folder / "a.npz") as first, np.load(folder / "b.npz") as second:
        return first.files == second.files and all(np.array_equal(first[n], second[n]) for n in first.files)


@pytest.mark.parametrize("fault", ["absent", "one bit", "other version", "no digest", "added"])
def test_a_valid_archive_with_other_contents_is_refused(fault: str, run_directory: Path, tmp_path: Path) -> None:
    """As a program would write it that does not know the digest: the archive is sound, the contents are not those of the run."""
    with np.load(run_directory / "checkpoint" / "state.npz") as file:
        arrays = {name: file[name] for name in file.files}
    names = [name for name in arrays if name != DIGEST]
    for name in names if fault in ("absent", "one bit") else names[:1]:
        changed = {key: value.copy() for key, value in arrays.items()}
        if fault == "absent":
            del changed[name]
        elif fault == "one bit":
            if not changed[name].size:
                continue
            np.atleast_1d(changed[name]).reshape(-1).view(np.uint8)[0] ^= 1
        elif fault == "other version":
            changed = {key.replace("state/", "state-2/"): value for key, value in changed.items()}
        elif fault == "no digest":
            del changed[DIGEST]
        else:
            changed["state/more"] = np.zeros(3)
        (tmp_path / "checkpoint").mkdir(exist_ok=True)
        np.savez(tmp_path / "checkpoint" / "state.npz", **changed)
        with pytest.raises(InputError, match="damaged"):
            read_checkpoint(tmp_path)
