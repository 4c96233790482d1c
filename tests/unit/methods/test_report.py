"""The report of a step: everything that was tallied is in it."""

from __future__ import annotations

from dataclasses import fields
from types import SimpleNamespace
from typing import Any

import pytest

from signorini.methods.report import StepReport, StepStatus, Tally, body_pairs

END: Any = SimpleNamespace(state=SimpleNamespace(time=0.3), near=SimpleNamespace(min_distance=0.02))


def test_every_number_of_the_tally_is_in_the_report() -> None:
    """A number that is tallied and reported under one name must not be forgotten in between."""
    tally = Tally()
    shared = {f.name for f in fields(Tally)} & {f.name for f in fields(StepReport)}
    shared -= {"infeasible_bodies", "unsolved_bodies", "shortest_substep"}
    assert len(shared) >= 15
    for k, name in enumerate(sorted(shared - {"phase_seconds"})):
        setattr(tally, name, 100 + k)
    tally.phase_seconds = {"check": 1.0}
    tally.infeasible_bodies, tally.unsolved_bodies = {(2, 0), (0, 2), (1, 0)}, {(1, 1)}
    tally.shortest_substep = 0.05
    report = tally.report(END, dt=0.1, names=["b", "a", "c"])
    for name in shared:
        assert getattr(report, name) == getattr(tally, name), name
    assert (report.infeasible_bodies, report.unsolved_bodies) == ("a | b; b | c", "a | a")
    assert report.shortest_substep == 0.05
    assert (report.time, report.dt, report.min_distance) == (0.3, 0.1, 0.02)


@pytest.mark.parametrize(
    ("halvings", "failsafes", "certified", "expected"),
    [
        (0, 0, True, StepStatus.ACCEPTED),
        (2, 0, True, StepStatus.HALVED),
        (2, 1, True, StepStatus.FAILSAFE),
        (2, 0, False, StepStatus.UNCERTIFIED),
    ],
)
def test_the_status_is_the_worst_that_happened(halvings, failsafes, certified, expected) -> None:
    tally = Tally(halvings=halvings, failsafe_substeps=failsafes)
    assert tally.report(END, dt=0.1, names=[], certified=certified).status is expected


def test_pairs_of_bodies_are_named_once_in_order() -> None:
    assert body_pairs(["z", "a"], [(0, 1), (1, 0), (1, 1)]) == [("a", "a"), ("a", "z")]
