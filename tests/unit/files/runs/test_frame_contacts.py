"""Contacts of every frame on disk: complete whenever the frame is, the same after a resume, and checked when read."""

from __future__ import annotations

import numpy as np
import pytest

import signorini as sg
from signorini.errors import InputError
from signorini.files.runs import frame_contacts, run_directory
from signorini.files.runs.frame_contacts import ContactsWriter, read_contacts
from signorini.simulation.frame_readout import FrameReadout


def scene() -> sg.Scene:
    scene = sg.Scene(friction=0.3)
    scene.add_cloth(sg.shapes.grid(0.2, 0.2, cells=4), position=(0, 0, 0.004), name="sheet")
    scene.add_ground(name="floor")
    return scene


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    out = tmp_path_factory.mktemp("contacts") / "run"
    sg.run(scene(), out, dt=0.01, seconds=0.2, fps=20, contacts=True)
    return out


def test_every_frame_has_the_contacts_of_its_step(whole) -> None:
    trajectory = sg.Trajectory.open(whole)
    assert trajectory.has_contacts
    sim = sg.Simulation(scene(), dt=0.01)
    for number, frame in enumerate(sim.run(seconds=0.2, fps=20)):
        found = trajectory.contacts(number)
        assert len(found) == len(sim.contacts()) == frame.report.active_count
        for k, contact in enumerate(sim.contacts()):
            assert [found.names[b] for b in found.bodies[k]] == [contact.body_a, contact.body_b]
            np.testing.assert_array_equal(found.points[k], contact.point)
            force = contact.normal_force * contact.normal + contact.friction_force
            np.testing.assert_allclose(found.forces[k], force, rtol=1e-12, atol=1e-15)
            assert found.sticks[k] == contact.sticks
    assert len(trajectory.contacts(-1)) > 0


def test_a_run_that_was_killed_writes_the_same_contacts(whole, tmp_path, monkeypatch) -> None:
    """Killed after the contacts of a frame were written and before the frame exists."""
    monkeypatch.setattr(run_directory, "CHECKPOINT_SECONDS", 0.0)
    append, out = run_directory.TrajectoryWriter.append, tmp_path / "run"

    def killed(self, time, positions):
        if self.frame_count == 3:
            raise SystemError("killed")
        append(self, time, positions)

    monkeypatch.setattr(run_directory.TrajectoryWriter, "append", killed)
    with pytest.raises(SystemError):
        sg.run(scene(), out, dt=0.01, seconds=0.2, fps=20, contacts=True)
    assert sg.Trajectory.open(out).frame_count == 3
    assert len(list((out / "contacts").iterdir())) == 4
    monkeypatch.setattr(run_directory.TrajectoryWriter, "append", append)
    sg.resume(out)
    files = sorted(p.name for p in (whole / "contacts").iterdir())
    assert files == [f"{k:06d}.npz" for k in range(5)] == sorted(p.name for p in (out / "contacts").iterdir())
    for name in files:
        assert (out / "contacts" / name).read_bytes() == (whole / "contacts" / name).read_bytes()


def test_force_replaces_contacts_and_nothing_else(tmp_path) -> None:
    sg.run(scene(), tmp_path / "run", dt=0.01, seconds=0.02, fps=100, contacts=True)
    (tmp_path / "run/contacts/mine.txt").write_text("mine")
    with pytest.raises(InputError, match=r"contacts/mine\.txt.*which no run writes"):
        sg.run(scene(), tmp_path / "run", dt=0.01, seconds=0.02, force=True)
    (tmp_path / "run/contacts/mine.txt").unlink()
    sg.run(scene(), tmp_path / "run", dt=0.01, seconds=0.02, force=True)
    assert not (tmp_path / "run/contacts").exists()
    with pytest.raises(InputError, match="has no contacts: run the scene again with --contacts"):
        sg.Trajectory.open(tmp_path / "run").contacts(0)


def damaged(**changes) -> dict:
    arrays = {
        "names": np.array(["a", "b"]),
        "bodies": np.array([[0, 1]], dtype=np.int32),
        **{name: np.zeros((1, 3)) for name in ("points", "normals", "forces")},
        "sticks": np.array([True]),
    }
    return {name: array for name, array in (arrays | changes).items() if array is not None}


@pytest.mark.parametrize(
    "changes",
    [
        {"points": np.zeros((2, 3))},
        {"forces": np.array([["x", "y", "z"]])},
        {"bodies": np.array([[0, 2]])},
        {"sticks": None},
        {"names": np.array([{}], dtype=object)},
    ],
)
def test_damage_is_one_sentence(tmp_path, changes) -> None:
    (tmp_path / "contacts").mkdir()
    np.savez(tmp_path / "contacts/000000.npz", **damaged(**changes))
    with pytest.raises(InputError, match=r"contacts of frame 0 cannot be read: .*000000\.npz' is damaged"):
        read_contacts(tmp_path, 0)


def test_missing_and_cut_files_are_named(tmp_path) -> None:
    none = np.zeros((0, 3))
    ContactsWriter(tmp_path).write(
        0, FrameReadout(("a",), np.zeros((0, 2), np.int32), none, none, none, np.zeros(0, bool))
    )
    assert len(read_contacts(tmp_path, 0)) == 0
    file = tmp_path / frame_contacts.FOLDER / "000000.npz"
    file.write_bytes(file.read_bytes()[:-30])
    with pytest.raises(InputError, match="is damaged"):
        read_contacts(tmp_path, 0)
    with pytest.raises(InputError, match="contacts of frame 1 are missing"):
        read_contacts(tmp_path, 1)
