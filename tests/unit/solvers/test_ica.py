"""Iterative constraint anticipation: against the paper's listing, against full anticipation, and at its edges."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np
import pytest

from reference.ica import iterate_listing
from reference.measures import relative_error
from reference.problems import random_mlcp
from signorini.contact.mlcp import WarmStart
from signorini.errors import InputError
from signorini.linalg.block_matrix import BlockMatrix
from signorini.settings import SolverSettings
from signorini.solvers import measure, solve

NEVER = {"tolerance": 1e-30, "relative_tolerance": 1e-30}
EXACT = SolverSettings(name="full-anticipation")
ica = partial(SolverSettings, name="ica")


@pytest.mark.parametrize("friction", [0.0, 0.5])
@pytest.mark.parametrize(("outer", "sweeps"), [(1, 1), (1, 3), (7, 1)])
def test_iterates_are_those_of_the_listing(friction, outer, sweeps):
    problem = random_mlcp(
        np.random.default_rng(11), rows=4, columns=4, contacts=25, friction=friction, duplicates=2, empty=1
    )
    settings = ica(**NEVER, friction_cone="pyramid", max_outer=outer, max_inner=sweeps)
    response = solve(problem, settings)
    dv, impulse = iterate_listing(problem, outer, sweeps)
    assert response.outer_iterations == outer and response.inner_iterations == sweeps * outer
    assert np.abs(impulse).max() > 0.0
    np.testing.assert_allclose(response.dv, dv, atol=1e-12 * np.abs(dv).max())
    np.testing.assert_allclose(response.impulse, impulse, atol=1e-12 * np.abs(impulse).max())


@pytest.mark.parametrize("stiffness", [1.0, 10.0, 100.0])
@pytest.mark.parametrize("seed", range(3))
def test_one_percent_of_the_exact_solution_without_friction(stiffness, seed):
    problem = random_mlcp(
        np.random.default_rng(seed), rows=8, columns=7, contacts=80, stiffness=stiffness, duplicates=4
    )
    response = solve(problem, ica())
    assert response.converged and not response.diverged
    assert relative_error(problem, response.dv, solve(problem, EXACT).dv) <= 1e-2


@pytest.mark.parametrize("cone", ["pyramid", "cone"])
@pytest.mark.parametrize("stiffness", [1.0, 10.0])
@pytest.mark.parametrize("seed", range(3))
def test_one_percent_of_the_exact_solution_with_friction(cone, stiffness, seed):
    problem = random_mlcp(
        np.random.default_rng(seed), rows=8, columns=7, contacts=80, stiffness=stiffness, friction=0.3
    )
    response = solve(problem, ica(friction_cone=cone))
    exact = solve(problem, replace(EXACT, friction_cone=cone))
    assert response.converged and exact.friction_residual < 1e-8
    assert np.abs(exact.impulse[:, 1:]).max() > 0.0
    assert relative_error(problem, response.dv, exact.dv) <= 1e-2


def test_converges_to_the_exact_solution():
    problem = random_mlcp(np.random.default_rng(5), rows=5, columns=5, contacts=30, friction=0.3)
    settings = ica(tolerance=1e-10, relative_tolerance=1e-10, max_outer=20_000)
    response = solve(problem, settings)
    assert response.converged
    assert relative_error(problem, response.dv, solve(problem, EXACT).dv) <= 1e-8


def test_pyramid_and_cone_differ():
    problem = random_mlcp(np.random.default_rng(5), rows=5, columns=5, contacts=30, friction=0.3)
    gam = solve(problem, ica(friction_cone="pyramid")).impulse
    assert (np.hypot(gam[:, 1], gam[:, 2]) > 0.3 * gam[:, 0] * 1.01).any()
    gam = solve(problem, ica(friction_cone="cone")).impulse
    assert (np.hypot(gam[:, 1], gam[:, 2]) <= 0.3 * gam[:, 0] * (1 + 1e-12)).all()


def test_not_converged_is_reported_with_honest_residuals():
    problem = random_mlcp(np.random.default_rng(2), contacts=30, stiffness=100.0)
    response = solve(problem, ica(max_outer=3))
    assert not response.converged and not response.diverged and response.outer_iterations == 3
    residuals = measure(problem, response.dv, response.impulse)
    assert response.dynamics_relative == residuals.dynamics_relative > ica().relative_tolerance


def test_indefinite_dynamics_is_reported_as_divergence():
    problem = random_mlcp(np.random.default_rng(2), contacts=30, stiffness=10.0)
    A = problem.A
    rows = np.repeat(np.arange(A.node_count), np.diff(A.indptr))
    data = A.data.copy()
    data[A.indices != rows] *= 3.0
    response = solve(replace(problem, A=BlockMatrix(A.indptr, A.indices, data)), ica())
    assert response.diverged and not response.converged
    assert np.isfinite(response.dv).all() and np.isfinite(response.impulse).all()
    assert response.outer_iterations < 200


def test_not_a_number_is_reported_as_divergence():
    problem = random_mlcp(np.random.default_rng(2), contacts=30)
    problem.free_velocity[3, 0] = np.nan
    response = solve(problem, ica())
    assert response.diverged and not response.converged


def test_the_rule_of_the_paper_stops_early_on_stiff_problems():
    problem = random_mlcp(np.random.default_rng(1), sheets=3, rows=9, columns=9, contacts=120, stiffness=1000.0)
    response = solve(problem, ica(stop="paper"))
    assert response.converged and response.outer_iterations < 100
    assert relative_error(problem, response.dv, solve(problem, EXACT).dv) > 0.05
    assert not solve(problem, ica(max_outer=response.outer_iterations)).converged


def test_by_the_rule_of_the_paper_sweeps_end_after_two_at_the_earliest():
    """A change between two sweeps cannot be told after the first one."""
    problem = random_mlcp(np.random.default_rng(3), rows=6, columns=6, contacts=40, friction=0.3)
    response = solve(problem, ica(stop="paper", max_outer=4, tolerance=1e-12))
    assert response.inner_iterations >= 2 * response.outer_iterations


@pytest.mark.parametrize(("seed", "friction"), [(14, 0.0), (14, 0.3)])
def test_the_rule_of_the_paper_demands_half_the_contact_distance(seed, friction):
    """Problems where 5 % alone would stop with a penetration above the bound."""
    rng = np.random.default_rng(seed)
    problem = random_mlcp(rng, rows=6, columns=6, contacts=60, stiffness=1000.0, friction=friction)
    settings = ica(stop="paper", tolerance=1e-4)
    loose = solve(replace(problem, contact_distance=1.0), settings)
    assert loose.converged and loose.penetration_velocity > 1e-4
    for distance, allowed in ((0.0, 1e-4), (1.2e-6, 1.5e-4)):  # the tolerance; half of 1.2e-6 m in 4 ms
        strict = solve(replace(problem, contact_distance=distance), settings)
        assert strict.converged and strict.penetration_velocity <= allowed


def test_a_warm_start_of_the_wrong_size_is_refused():
    problem = random_mlcp(np.random.default_rng(0), contacts=5)
    with pytest.raises(InputError, match="50 nodes and 5 contacts"):
        solve(problem, ica(), WarmStart(np.zeros((50, 3)), np.zeros((4, 3))))


def test_a_warm_start_is_not_changed_and_is_projected():
    problem = random_mlcp(np.random.default_rng(0), contacts=5, friction=0.2)
    warm = WarmStart(np.zeros((50, 3)), np.tile([1e-3, 1.0, -1.0], (5, 1)))
    response = solve(problem, ica(max_outer=1), warm)
    assert (warm.impulse == [1e-3, 1.0, -1.0]).all() and not warm.dv.any()
    assert (np.abs(response.impulse[:, 1:]) <= 0.2 * response.impulse[:, :1] * (1 + 1e-12)).all()


def test_a_warm_start_that_pulls_is_projected_even_if_nothing_is_left_to_do():
    problem = random_mlcp(np.random.default_rng(0), contacts=5)
    problem.free_velocity[:] = np.abs(problem.free_velocity)
    response = solve(problem, ica(), WarmStart(np.zeros((50, 3)), np.tile([-1e-12, 0.0, 0.0], (5, 1))))
    assert response.converged and response.outer_iterations == 0
    assert (response.impulse >= 0.0).all()


def test_impulses_that_are_not_needed_any_more_are_released():
    problem = random_mlcp(np.random.default_rng(0), contacts=20, friction=0.2)
    before = solve(problem, ica())
    problem.free_velocity[:, 0] = 10.0
    response = solve(problem, ica(), WarmStart(before.dv, before.impulse))
    assert response.converged and not response.impulse.any()
    assert np.abs(response.dv).max() <= 1e-3
    assert response.outer_iterations < 300  # does not wait for underflow


def test_contacts_without_nodes_get_no_impulse_and_do_not_block_convergence():
    problem = random_mlcp(np.random.default_rng(7), contacts=20, empty=3, friction=0.3)
    problem.free_velocity[-1, 0] = -1.0
    response = solve(problem, ica())
    assert response.converged and not response.impulse[-3:].any()
    assert response.penetration_velocity >= 0.9  # two prescribed surfaces in each other: reported


def test_a_tangent_that_cannot_move_does_not_break_friction():
    problem = random_mlcp(np.random.default_rng(7), contacts=20, friction=0.3)
    problem.jacobian_blocks[:, 2, :] = 0.0
    problem.free_velocity[:, 2] = 0.0
    for cone in ("pyramid", "cone"):
        response = solve(problem, ica(friction_cone=cone))
        assert response.converged and np.isfinite(response.dv).all()


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        ("tolerance", 0.0, "solver tolerance must be positive"),
        ("relative_tolerance", float("nan"), "solver relative_tolerance must be positive"),
        ("max_outer", 0, "solver max_outer must be an integer of at least 1"),
        ("max_inner", 2.5, "solver max_inner must be an integer"),
        ("contact_repeats", True, "solver contact_repeats must be an integer"),
        ("improve_start", 1, "solver improve_start must be true or false, got 1"),
        ("friction_cone", "square", "solver friction_cone must be one of pyramid, cone"),
        ("stop", "never", "solver stop must be one of residual, paper"),
        ("name", "newton", "solver name must be one of "),
    ],
)
def test_bad_settings_are_named(field, value, message):
    with pytest.raises(InputError, match=message):
        SolverSettings(**{field: value})
