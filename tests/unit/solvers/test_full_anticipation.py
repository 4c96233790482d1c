"""Full anticipation against Clarabel, which shares no code with it."""

from __future__ import annotations

import numpy as np
import pytest

from reference.clarabel_qp import solve_clarabel
from reference.measures import relative_error
from reference.problems import random_mlcp
from signorini.errors import InputError
from signorini.settings import SolverSettings
from signorini.solvers import solve, solve_full_anticipation

EXACT = SolverSettings(name="full-anticipation", tolerance=1e-8)


@pytest.mark.parametrize("stiffness", [1.0, 10.0, 100.0, 1000.0])
@pytest.mark.parametrize("duplicates", [0, 5])
def test_agrees_with_clarabel_without_friction(stiffness, duplicates):
    rng = np.random.default_rng(int(stiffness) + duplicates)
    problem = random_mlcp(rng, rows=7, columns=6, contacts=60, stiffness=stiffness, duplicates=duplicates)
    response = solve(problem, EXACT)
    dv, lam = solve_clarabel(problem)
    assert response.converged
    assert (response.impulse[:, 0] > 0.0).sum() >= 4
    assert relative_error(problem, response.dv, dv) <= 1e-6
    if duplicates == 0:
        np.testing.assert_allclose(response.impulse[:, 0], lam, atol=1e-5 * lam.max())


@pytest.mark.parametrize("cone", ["pyramid", "cone"])
def test_friction_obeys_coulomb(cone):
    problem = random_mlcp(np.random.default_rng(3), rows=7, columns=6, contacts=60, friction=0.4)
    response = solve(problem, SolverSettings(name="full-anticipation", tolerance=1e-8, friction_cone=cone))
    assert response.converged
    assert response.friction_residual <= 1e-8 and response.normal_residual <= 1e-8
    u = contact_velocity(problem, response.dv)
    lam, gam = response.impulse[:, 0], response.impulse[:, 1:]
    sliding = (lam > 1e-12) & (np.linalg.norm(u[:, 1:], axis=1) > 1e-6)
    assert sliding.sum() > 3
    if cone == "cone":  # sliding friction is maximal and opposes the motion exactly
        direction = u[sliding, 1:] / np.linalg.norm(u[sliding, 1:], axis=1, keepdims=True)
        np.testing.assert_allclose(gam[sliding], -0.4 * lam[sliding, None] * direction, atol=1e-6 * lam.max())
    else:  # the same for every axis that slides
        for axis in (0, 1):
            moving = (lam > 1e-12) & (np.abs(u[:, 1 + axis]) > 1e-6)
            expected = -0.4 * lam[moving] * np.sign(u[moving, 1 + axis])
            np.testing.assert_allclose(gam[moving, axis], expected, atol=1e-6 * lam.max())


def contact_velocity(problem, dv):
    u = problem.free_velocity.copy()
    for c in range(problem.contact_count):
        for k in range(problem.jacobian_indptr[c], problem.jacobian_indptr[c + 1]):
            u[c] += problem.jacobian_blocks[k] @ dv[problem.jacobian_nodes[k]]
    return u


def test_refuses_large_problems_and_names_the_way_out():
    problem = random_mlcp(np.random.default_rng(0), contacts=2001)
    with pytest.raises(InputError, match=r"2001 contacts = 6003 rows.*'ica'"):
        solve_full_anticipation(problem, SolverSettings())
