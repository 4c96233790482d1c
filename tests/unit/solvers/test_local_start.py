"""Local starts: only the bodies around what is not solved take part, and the answer is that of the whole problem."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from signorini.contact.mlcp import Mlcp, WarmStart
from signorini.linalg.block_matrix import build_pattern, find_entries
from signorini.settings import SolverSettings
from signorini.solvers import augmented_lagrangian, local_start, measure, solve
from signorini.solvers.local_start import mend_start

BODIES, TOLERANCE = 60, 1e-6
SETTINGS = SolverSettings(tolerance=TOLERANCE, improve_start=False)


def stacks(height: int = 3) -> Mlcp:
    """Stacks of bodies of two nodes each that lie on the ground and on each other, and would fall."""
    n = 2 * BODIES
    A = build_pattern(n, np.arange(n, dtype=np.int32).reshape(-1, 2))
    nodes = np.arange(n)
    A.data[find_entries(A, nodes, nodes)] = 1.5 * np.eye(3)
    A.data[find_entries(A, nodes, nodes ^ 1)] = -0.5 * np.eye(3)
    rows, blocks = [], []
    for body in range(BODIES):
        for k in range(2):
            rows.append([2 * body + k] if body % height == 0 else [2 * body + k, 2 * body - 2 + k])
            blocks.extend([np.eye(3)] if body % height == 0 else [np.eye(3), -np.eye(3)])
    m = len(rows)
    free = np.zeros((m, 3))
    free[:, 1] = 0.05
    free[[c for c, row in enumerate(rows) if len(row) == 1], 0] = -1.0
    return Mlcp(
        A,
        np.cumsum([0, *map(len, rows)]).astype(np.int32),
        np.concatenate(rows).astype(np.int32),
        np.array(blocks),
        gap=np.zeros(m),
        free_velocity=free,
        friction=np.full(m, 0.5),
        dt=1e-2,
    )


def disturbed() -> tuple[Mlcp, WarmStart]:
    """The stacks after one more contact closes: the start is the solution before it did."""
    problem = stacks()
    problem.free_velocity[2 * 31, 0] = 2.0
    before = solve(problem, SETTINGS)
    assert before.converged
    after = problem.free_velocity.copy()
    after[2 * 31, 0] = -1.0
    return replace(problem, free_velocity=after), WarmStart(before.dv, before.impulse)


def never(part: Mlcp, start: WarmStart) -> tuple[WarmStart | None, int]:
    raise AssertionError("no part should be solved")


def test_only_bodies_around_the_disturbance_move():
    problem, start = disturbed()
    seen = []

    def solve_part(part: Mlcp, part_start: WarmStart) -> tuple[WarmStart, int]:
        seen.append(part.node_count)
        found = solve(part, SETTINGS, part_start)
        assert found.converged
        return WarmStart(found.dv, found.impulse), 100

    mended, work = mend_start(problem, start, TOLERANCE, solve_part)
    assert mended is not None
    assert seen[0] <= 6
    assert max(seen) <= 12
    assert 0 < work < 100
    r = measure(problem, mended.dv, mended.impulse)
    assert max(r.normal, r.friction, r.dynamics, r.penetration_velocity) <= TOLERANCE
    moved = np.flatnonzero((mended.dv != start.dv).any(axis=1)) // 2
    assert set(moved) <= {30, 31, 32}


def test_a_start_that_is_near_is_left_alone():
    problem, start = disturbed()
    solved = solve(problem, SETTINGS, start)
    near = WarmStart(solved.dv, solved.impulse)
    assert mend_start(problem, near, TOLERANCE, never) == (None, 0)


def test_a_part_that_is_not_solved_changes_nothing():
    problem, start = disturbed()
    assert mend_start(problem, start, TOLERANCE, lambda part, part_start: (None, 600))[0] is None


def test_a_problem_of_few_bodies_has_no_parts(monkeypatch):
    problem, start = disturbed()
    monkeypatch.setattr(local_start, "FEW_BODIES", BODIES + 1)
    assert mend_start(problem, start, TOLERANCE, never) == (None, 0)


def test_a_part_with_most_of_the_contacts_is_none():
    problem, start = disturbed()
    rows = np.flatnonzero(np.isin(np.arange(problem.contact_count) // 2, (30, 31, 32)))
    few = local_start._part_of(problem, start, np.isin(np.arange(problem.node_count) // 2, (30, 31, 32)))[2]
    assert few.contact_count == len(rows)
    indptr, first = problem.jacobian_indptr, rows[0]
    kept = slice(indptr[first], indptr[rows[-1] + 1])
    only = replace(
        problem,
        jacobian_indptr=(indptr[first : rows[-1] + 2] - indptr[first]).astype(np.int32),
        jacobian_nodes=problem.jacobian_nodes[kept],
        jacobian_blocks=problem.jacobian_blocks[kept],
        gap=problem.gap[rows],
        free_velocity=problem.free_velocity[rows],
        friction=problem.friction[rows],
    )
    assert mend_start(only, WarmStart(start.dv, start.impulse[rows]), TOLERANCE, never) == (None, 0)


def test_the_solver_starts_from_what_was_mended(monkeypatch):
    monkeypatch.setattr(augmented_lagrangian, "FEW_NODES", 10)
    problem, start = disturbed()
    response = solve(problem, SolverSettings(tolerance=TOLERANCE), start)
    assert response.converged
    moved = np.flatnonzero((response.dv != start.dv).any(axis=1)) // 2
    assert set(moved) <= {30, 31, 32}
