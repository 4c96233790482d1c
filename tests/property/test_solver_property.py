"""What every answer of a contact solver satisfies, for arbitrary contact problems."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from reference.problems import random_frames, random_mlcp
from signorini.contact.mlcp import Mlcp, WarmStart
from signorini.linalg.block_matrix import BlockMatrix
from signorini.settings import SolverSettings
from signorini.solvers import measure, solve

SOLVERS = st.sampled_from(["ica", "full-anticipation"])
CONES = st.sampled_from(["pyramid", "cone"])
TIGHT = {"tolerance": 1e-5, "relative_tolerance": 1e-6, "max_outer": 20_000}


@st.composite
def problems(draw: st.DrawFn) -> Mlcp:
    return random_mlcp(
        np.random.default_rng(draw(st.integers(0, 2**32 - 1))),
        sheets=draw(st.integers(1, 3)),
        rows=draw(st.integers(2, 5)),
        columns=draw(st.integers(2, 5)),
        contacts=draw(st.integers(1, 25)),
        stiffness=draw(st.sampled_from([0.1, 1.0, 10.0, 50.0])),
        friction=draw(st.sampled_from([0.0, 0.1, 0.3])),
        duplicates=draw(st.integers(0, 4)),
        empty=draw(st.integers(0, 2)),
    )


@settings(max_examples=60, deadline=None)
@given(problems(), SOLVERS, CONES)
def test_impulses_push_and_stay_in_their_cone(problem, solver, cone):
    # A few iterations are enough: feasibility does not wait for convergence.
    response = solve(problem, SolverSettings().adapted(name=solver, friction_cone=cone, max_outer=20))
    lam, gam = response.impulse[:, 0], response.impulse[:, 1:]
    assert (lam >= 0.0).all()
    size = np.linalg.norm(gam, axis=1) if cone == "cone" else np.abs(gam).max(axis=1)
    assert (size <= problem.friction * lam * (1 + 1e-12)).all()


@settings(max_examples=60, deadline=None)
@given(problems(), SOLVERS, CONES)
def test_a_converged_answer_satisfies_every_condition(problem, solver, cone):
    options = SolverSettings(name=solver, friction_cone=cone)
    response = solve(problem, options)
    assert response.converged
    residuals = measure(problem, response.dv, response.impulse, cone)
    assert max(residuals.normal, residuals.friction, residuals.dynamics) <= options.residual * (1 + 1e-6)
    negligible = residuals.dynamics <= 1e-3 * options.residual * (1 + 1e-6)  # a contact that hardly pushes
    assert negligible or residuals.dynamics_relative <= options.relative_tolerance * (1 + 1e-6)
    movable = np.diff(problem.jacobian_indptr) > 0
    u_n = contact_velocity(problem, response.dv)[:, 0] + problem.gap / problem.dt
    assert (u_n[movable] >= -options.residual * (1 + 1e-6)).all()


def contact_velocity(problem: Mlcp, dv: np.ndarray) -> np.ndarray:
    u = problem.free_velocity.copy()
    owner = np.repeat(np.arange(problem.contact_count), np.diff(problem.jacobian_indptr))
    np.add.at(u, owner, np.einsum("kij,kj->ki", problem.jacobian_blocks, dv[problem.jacobian_nodes]))
    return u


@settings(max_examples=30, deadline=None)
@given(problems(), SOLVERS, st.integers(0, 2**32 - 1))
def test_the_answer_rotates_with_the_problem(problem, solver, seed):
    R = random_frames(1, np.random.default_rng(seed))[0]
    A = problem.A
    rotated = replace(
        problem,
        A=BlockMatrix(A.indptr, A.indices, np.ascontiguousarray(R @ A.data @ R.T)),
        jacobian_blocks=np.ascontiguousarray(problem.jacobian_blocks @ R.T),
    )
    options = SolverSettings().adapted(name=solver, **TIGHT)
    a, b = solve(problem, options), solve(rotated, options)
    assume(a.converged and b.converged)  # interleaved friction keeps ICA from converging on some problems
    np.testing.assert_allclose(b.dv, a.dv @ R.T, atol=1e-4 * max(np.abs(a.dv).max(), 1e-3))


@settings(max_examples=40, deadline=None)
@given(problems(), CONES)
def test_a_warm_start_from_the_answer_ends_at_once(problem, cone):
    options = SolverSettings(name="ica", friction_cone=cone, **TIGHT)
    first = solve(problem, options)
    assume(first.converged)  # interleaved friction keeps ICA from converging on some problems
    again = solve(
        problem, replace(options, tolerance=2e-5, relative_tolerance=2e-6), WarmStart(first.dv, first.impulse)
    )
    assert again.converged and again.outer_iterations <= 2
    np.testing.assert_allclose(again.dv, first.dv, atol=1e-4)


@settings(max_examples=20, deadline=None)
@given(problems(), SOLVERS, CONES, st.sampled_from(["residual", "paper"]))
def test_the_same_problem_gives_the_same_bits(problem, solver, cone, stop):
    options = SolverSettings().adapted(name=solver, friction_cone=cone, stop=stop)
    a, b = solve(problem, options), solve(problem, options)
    assert (a.dv == b.dv).all() and (a.impulse == b.impulse).all()
    assert a.outer_iterations == b.outer_iterations


@settings(max_examples=20, deadline=None)
@given(problems(), SOLVERS)
def test_without_contact_nothing_is_corrected(problem, solver):
    m = 0
    empty = replace(
        problem,
        jacobian_indptr=problem.jacobian_indptr[: m + 1],
        jacobian_nodes=problem.jacobian_nodes[:0],
        jacobian_blocks=problem.jacobian_blocks[:0],
        gap=problem.gap[:0],
        free_velocity=problem.free_velocity[:0],
        friction=problem.friction[:0],
    )
    apart = replace(problem, free_velocity=np.abs(problem.free_velocity))
    for case in (empty, apart):
        response = solve(case, SolverSettings(name=solver))
        assert response.converged and not response.dv.any() and not response.impulse.any()


@settings(max_examples=30, deadline=None)
@given(problems())
def test_duplicate_contacts_do_not_change_the_motion(problem):
    """Repeating every contact shares the impulses but leaves dv alone (without friction dv is unique)."""
    problem = replace(problem, friction=np.zeros(problem.contact_count))
    indptr = problem.jacobian_indptr
    twice = replace(
        problem,
        jacobian_indptr=np.concatenate([indptr, indptr[1:] + indptr[-1]]).astype(np.int32),
        jacobian_nodes=np.tile(problem.jacobian_nodes, 2),
        jacobian_blocks=np.tile(problem.jacobian_blocks, (2, 1, 1)),
        gap=np.tile(problem.gap, 2),
        free_velocity=np.tile(problem.free_velocity, (2, 1)),
        friction=np.tile(problem.friction, 2),
    )
    options = SolverSettings(name="ica", **TIGHT)
    a, b = solve(problem, options), solve(twice, options)
    assert a.converged and b.converged
    np.testing.assert_allclose(b.dv, a.dv, atol=2e-3 * max(np.abs(a.dv).max(), 1e-3))
