"""Lengths of sub-steps: those of a fail-safe whose budget is spent become longer again, whatever made them short."""

from __future__ import annotations

import pytest

import signorini as sg
from signorini.methods.pace import GRID, Course, Pace


def paced(**settings) -> Pace:
    """Sub-steps that a solid which spins fast has divided by 64, and unsolved problems by four more."""
    return Pace(sg.Settings(**settings), deepest=6, course=Course(level=8, error_level=6))


@pytest.mark.parametrize("settings", [{}, {"integrator": "bdf2", "step_error": 0.01}])
def test_a_spent_budget_ends_in_few_substeps(settings):
    pace, done, count = paced(**settings), GRID // 2, 0
    while done < GRID:
        done, count = done + pace.cells, count + 1
        pace.accept(done, spent=True)
    assert count <= 10


def test_with_a_budget_left_substeps_stay_as_short_as_the_spin_asks_for():
    pace, done = paced(), GRID // 2
    for _ in range(8):
        done += pace.cells
        pace.accept(done, spent=False)
    assert pace.course.level == pace.final_level
