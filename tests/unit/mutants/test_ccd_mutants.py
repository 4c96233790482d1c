"""Faults planted in continuous detection: the oracle of impacts finds each, and a blind simulation is caught."""

from __future__ import annotations

from dataclasses import replace
from types import ModuleType

import numpy as np
import pytest

import signorini as sg
from reference import ccd as naive
from signorini.collision import ccd_kernels
from signorini.methods.trial_motion import TrialMotion
from support.mutants import Mutant, planted
from support.watched_steps import watched

MUTANTS = (
    Mutant("steps twice as long as is safe", "t += max(step, gap / longest)", "t += 2.0 * max(step, gap / longest)"),
    Mutant("motion of the vertex forgotten", "longest = norm(up) + ", "longest = "),
    Mutant("motion of the first edge forgotten", "math.sqrt(max(dot(ua0, ua0), dot(ua1, ua1))) + ", ""),
    Mutant("approach and departure exchanged", "closing = -dot", "closing = dot"),
    Mutant("third corner of the triangle forgotten", "            closing_time(n, keep, xp, up, xc, uc),\n", ""),
    Mutant("second ends of the edges forgotten", "            closing_time(n, keep, xa1, ua1, xb1, ub1),\n", ""),
    Mutant("end of the motion ignored", "if t + step > 1.0:", "if t + step > 0.5:"),
    Mutant("one displacement not relative", "subtract(uk, mean), subtract(um, mean)", "subtract(uk, mean), um"),
    Mutant("what starts too close ignored", "> 0.0:\n            return t", "> 0.0:\n            return np.inf"),
    Mutant("distance to keep ignored", "keep = min_distance + margin", "keep = margin"),
    Mutant("out of iterations is no hit", "np.inf\n    return t", "np.inf\n    return np.inf"),
)  # fmt: skip
QUERIES = 250


def late(module: ModuleType) -> str:
    """The first of the promises of continuous detection that a module breaks; empty if it keeps all."""
    rng = np.random.default_rng(21)
    for pair in naive.PAIRS:
        toi = getattr(module, f"{pair}_toi")
        x = rng.uniform(-1.0, 1.0, (8, 20 * QUERIES, 3))
        truth = naive.certain_impacts(pair, x)
        hit = np.flatnonzero(np.isfinite(truth))[:QUERIES]
        for i in hit:
            found = toi(x[:4, i], x[4:, i], 0, 1, 2, 3, 0.0, 500)
            if not found <= truth[i] + 1e-9:
                return f"{pair}: an impact at {truth[i]:.3f} is found at {found:.3f}"
        for i in hit[:20]:
            start = float(naive.distance(pair, x[:4, i : i + 1])[0])
            if toi(x[:4, i], x[4:, i], 0, 1, 2, 3, 1.01 * start, 500) != 0.0:
                return f"{pair}: a pair that starts too close is not"
            keep = 0.3 * start
            at = toi(x[:4, i], x[4:, i], 0, 1, 2, 3, keep, 500)
            when = naive.at_time(x[:, i : i + 1], at)
            if np.isfinite(at) and float(naive.distance(pair, when)[0]) < keep * (1.0 - 1e-9):
                return f"{pair}: nearer than the distance to keep"
            if not np.isfinite(toi(x[:4, i], x[4:, i], 0, 1, 2, 3, 0.0, 1)):
                return f"{pair}: out of iterations, and no hit"
    return ""


def test_the_module_without_a_fault_keeps_its_promises() -> None:
    assert late(planted(ccd_kernels, None)) == ""


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant.name)
def test_the_oracle_of_impacts_kills(mutant: Mutant) -> None:
    assert late(planted(ccd_kernels, mutant))


def bullet() -> sg.Simulation:
    """A ball of 60 m/s and a taut sheet: it passes the sheet within one step."""
    scene = sg.Scene(gravity=(0, 0, 0))
    sheet = scene.add_cloth(sg.shapes.grid(0.5, 0.5, cells=4), material="denim")
    sheet.pin(range(25))
    scene.add_rigid(
        sg.shapes.sphere(0.03, subdivisions=3), density=2000, position=(0.02, 0.01, 0.2), velocity=(0, 0, -60)
    )
    return sg.Simulation(scene, dt=1e-2)


def test_a_blind_detection_is_seen_on_the_true_path(monkeypatch: pytest.MonkeyPatch) -> None:
    """Stored positions before and after do not intersect: only the path in between shows it."""
    step = watched(bullet(), instants=60)
    for _ in range(2):
        step()
    found = TrialMotion.find_impacts

    def blind(self, *args, **kwargs):
        impacts = found(self, *args, **kwargs)
        return replace(impacts, contacts=impacts.contacts.only(np.zeros(0, np.int64)), first_time=np.inf)

    monkeypatch.setattr(TrialMotion, "find_impacts", blind)
    sim = bullet()
    step = watched(sim, instants=60)
    with pytest.raises(AssertionError, match=r"crossed on the way|ipctk finds"):
        for _ in range(2):
            step()
