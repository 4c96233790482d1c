"""The path of multipliers with growing penalties: problems that creep towards their solution with one penalty."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from signorini.contact.mlcp import Mlcp, WarmStart
from signorini.contact.residuals import build_local_response, measure
from signorini.linalg.block_matrix import BlockMatrix
from signorini.settings import SolverSettings
from signorini.solvers import solve
from signorini.solvers.near_misses.multiplier_path import MAX_COST, solve_coupled

TOLERANCE = 1.25e-4 * 9.81 * 1e-3
"""That of rigid bodies at dt = 1 ms [m/s]."""
RECORDED = sorted((Path(__file__).parent / "near_misses").glob("*.npz"))
"""Contact problems of an arch of 25 stones that falls into a heap (`test_the_least_thickness`)."""


def worst(problem: Mlcp, dv, impulse) -> float:
    """The largest residual [m/s]."""
    r = measure(problem, dv, impulse)
    return max(r.normal, r.friction, r.dynamics, r.penetration_velocity)


@pytest.mark.parametrize("path", RECORDED, ids=lambda path: path.stem)
def test_problems_of_a_heap_of_stones_are_solved(path):
    """With one penalty they ended at 1.2 to 6 times the tolerance after 40,000 iterations."""
    problem = Mlcp.load(path)
    response = solve(problem, SolverSettings(tolerance=TOLERANCE, max_iterations=20_000))
    assert response.converged
    assert worst(problem, response.dv, response.impulse) <= TOLERANCE


def pressed_between_walls(approach: float) -> Mlcp:
    """A body of 1 kg between two frictionless walls, both of which close at `approach` [m/s]; below zero they open."""
    normal = np.array([1.0, 0.0, 0.0])
    frames = np.array([[normal, [0, 1, 0], [0, 0, 1]], [-normal, [0, 1, 0], [0, 0, -1]]])
    velocity = np.zeros((2, 3))
    velocity[:, 0] = -approach
    return Mlcp(
        A=BlockMatrix(np.array([0, 1], np.int32), np.array([0], np.int32), np.eye(3)[None]),
        jacobian_indptr=np.array([0, 1, 2], np.int32),
        jacobian_nodes=np.zeros(2, np.int32),
        jacobian_blocks=frames,
        gap=np.zeros(2),
        free_velocity=velocity,
        friction=np.zeros(2),
        dt=1e-3,
    )


@pytest.mark.parametrize("approach", [-1e-3, 0.0, 0.1])
def test_a_path_ends(approach):
    """Solved if the walls leave room; if they do not, multipliers grow without end, and the path ends before it costs much."""
    problem, found = pressed_between_walls(approach), []

    def excess(dv, impulse):
        found.append(worst(problem, dv, impulse) / 1e-7)
        return found[-1]

    start = WarmStart(np.zeros((1, 3)), np.array([[5.0, 0.0, 0.0], [1.0, 0.0, 0.0]]))
    cost = solve_coupled(
        problem, build_local_response(problem), tolerance=1e-7, relative_tolerance=1e-6, excess=excess, start=start
    )
    assert cost < MAX_COST
    assert (found[-1] <= 1.0) == (approach <= 0.0)


def test_a_solution_whose_impulses_are_far_is_reached_by_growing_penalties():
    """The walls leave 1 µm/s: impulses must fall by 50 N s at that speed, thousands of updates with one penalty."""
    problem, found = pressed_between_walls(-1e-6), []
    start = WarmStart(np.zeros((1, 3)), np.array([[50.0, 0.0, 0.0], [50.0, 0.0, 0.0]]))

    def excess(dv, impulse):
        found.append(worst(problem, dv, impulse) / 1e-7)
        return found[-1]

    solve_coupled(
        problem, build_local_response(problem), tolerance=1e-7, relative_tolerance=1e-6, excess=excess, start=start
    )
    assert found[0] > 1.0
    assert found[-1] <= 1.0
    assert len(found) < 12
