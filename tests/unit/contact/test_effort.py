"""Effort of the interior-point method: what its factorisations cost is counted, and ends it."""

from __future__ import annotations

import numpy as np
import pytest

from reference.problems import random_mlcp
from signorini.contact import barrier_method
from signorini.contact.barrier_method import Effort
from signorini.contact.feasibility import examine
from signorini.contact.residuals import build_local_response
from signorini.contact.room_sharing import share_room
from signorini.methods.work_budget import WorkBudget

TOLERANCE = 1e-6


@pytest.mark.parametrize("dense_below", [0, 10**6])
def test_factorisations_are_counted_and_end_with_the_effort(monkeypatch, dense_below):
    """An examination counted as 3,000 inner iterations, and sharing as 2,000, whatever the fill: a fifth of what they cost."""
    monkeypatch.setattr(barrier_method, "DENSE_BELOW", dense_below)
    factorise, calls = barrier_method._State.factorise, []

    def count(state):
        calls.append(state.effort.spent)
        return factorise(state)

    monkeypatch.setattr(barrier_method._State, "factorise", count)
    problem = random_mlcp(np.random.default_rng(3), rows=12, columns=12, contacts=300, friction=0.5, stiffness=100.0)
    prepared, whole = build_local_response(problem), Effort()
    assert examine(problem, prepared, tolerance=TOLERANCE, effort=whole) is not None
    assert len(calls) > 3
    each = calls[1] - calls[0]
    assert each > 0.0
    assert whole.spent >= each * (len(calls) - 1)
    total = len(calls)
    calls.clear()
    limited = Effort(most=1.5 * each)
    examine(problem, prepared, tolerance=TOLERANCE, effort=limited)
    assert len(calls) < total
    assert limited.spent < 5.0 * each
    shared = Effort(most=0.0)
    assert share_room(problem, np.full(300, 1e-3), tolerance=TOLERANCE, effort=shared) is None
    work = WorkBudget()
    work.count_sharing(shared)
    assert work.done > 0.0
