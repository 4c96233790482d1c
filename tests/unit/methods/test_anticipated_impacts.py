"""Impacts that are expected from the last step are contacts of the first problem of the next one, where something bends."""

import numpy as np
import pytest

import signorini as sg
from signorini import gallery
from signorini.collision.broad_phase import BoxTree
from signorini.methods import cmr
from signorini.scene.cloth_material import cloth_material


def fold(steps: int) -> tuple[sg.Simulation, list[sg.StepReport]]:
    """A thin sheet, hung, that falls in folds."""
    scene = gallery.find("falling-cloth").build(model="continuum", resolution=24)
    sim = sg.Simulation(scene, dt=4e-3)
    return sim, [sim.step() for _ in range(steps)]


def sheets_on_block() -> sg.Simulation:
    """Two thin sheets on a block: the lower one touches what keeps its shape, the upper one only cloth."""
    scene = sg.Scene(friction=0.3)
    scene.add_ground()
    scene.add_rigid(sg.shapes.box(0.2, 0.2, 0.1), mass=1.0, position=(0.0, 0.0, 0.06), name="block")
    sheet = sg.shapes.grid(0.4, 0.4, cells=8)
    for name, height in (("lower", 0.125), ("upper", 0.14)):
        scene.add_cloth(sheet, material=cloth_material("silk", "continuum"), position=(0.0, 0.0, height), name=name)
    return sg.Simulation(scene, dt=4e-3)


def without_anticipation(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cmr, "with_anticipated", lambda contacts, *_: (contacts, len(contacts)))


def test_folds_of_a_thin_sheet_need_one_contact_problem_a_step(monkeypatch: pytest.MonkeyPatch) -> None:
    _, reports = fold(120)
    without_anticipation(monkeypatch)
    _, plain = fold(120)
    again, before = (sum(report.solves for report in found) - 120 for found in (reports, plain))
    assert before > 30
    assert again < 0.5 * before
    assert all(r.solves_converged == r.solves and r.status is sg.StepStatus.ACCEPTED for r in reports)


def test_it_begins_after_a_step_with_late_contact() -> None:
    sim = sheets_on_block()
    late = []
    for _ in range(40):
        report = sim.step()
        late.append((bool(sim.checkpoint().get("memory_late", False)), report.solves))
    first = next(k for k, (found, _) in enumerate(late) if found)
    assert late[first][1] > 1  # nobody expected the first impact


def test_bodies_that_keep_their_shape_are_not_braked_by_what_they_pass(monkeypatch: pytest.MonkeyPatch) -> None:
    def thrown() -> np.ndarray:
        scene = sg.Scene(friction=0.3)
        scene.add_ground()
        scene.add_rigid(sg.shapes.box(0.1, 0.1, 0.1), mass=1.0, position=(0, 0, 0.3), velocity=(3, 0, -4), name="box")
        scene.add_rigid(sg.shapes.box(0.2, 0.2, 0.2), mass=5.0, position=(0.5, 0, 0.11), name="block")
        sim = sg.Simulation(scene, dt=5e-3)
        for _ in range(50):
            sim.step()
        return np.concatenate([body.positions.ravel() for body in sim.bodies.values() if body.name != "ground"])

    found = thrown()
    without_anticipation(monkeypatch)
    assert np.array_equal(found, thrown())


def test_a_restored_run_anticipates_the_same() -> None:
    sim, _ = fold(110)
    saved = sim.checkpoint()
    assert bool(saved["memory_late"])
    for _ in range(5):
        sim.step()
    again = sg.Simulation(gallery.find("falling-cloth").build(model="continuum", resolution=24), dt=4e-3)
    again.restore(saved)
    for _ in range(5):
        again.step()
    assert np.array_equal(sim.bodies["sheet"].positions, again.bodies["sheet"].positions)


def test_thin_contact_needs_no_more_searches(monkeypatch: pytest.MonkeyPatch) -> None:
    counts = []
    search = BoxTree.find_candidates
    monkeypatch.setattr(BoxTree, "find_candidates", lambda *a, **k: counts.append(1) or search(*a, **k))
    fold(120)
    assert len(counts) < 0.5 * 120
