"""Newton's method with coupled friction: the derivative of the cone, and problems that frozen shifts do not solve."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import signorini as sg
from reference.problems import random_mlcp
from signorini.contact.friction_cone_kernels import project
from signorini.contact.mlcp import WarmStart
from signorini.contact.residuals import build_local_response, measure
from signorini.solvers.near_misses import coupled_newton
from signorini.solvers.near_misses.coupled_newton import CoupledNewton, project_onto_cones
from signorini.solvers.near_misses.multiplier_path import MAX_COST, solve_coupled

numbers = st.floats(-10.0, 10.0)


@settings(deadline=None)  # the kernel is compiled in the first call
@example((-1.0, 0.0, 2.5302246085846426e-182), 0.0)
@example((-1.0, 0.0, 0.0), 0.0)
@given(st.tuples(numbers, numbers, numbers), st.floats(0.0, 3.0))
@example((-1.0, 0.0, 0.0), 0.0)  # a pull without friction: 0 <= 0 * -1 is true
def test_projection_is_that_of_the_kernel(q, mu):
    p, _ = project_onto_cones(np.array([q]), np.array([mu]))
    assert p[0, 0] >= 0.0
    np.testing.assert_allclose(p[0], project(*q, mu)[:3], atol=1e-12)


@pytest.mark.parametrize("seed", range(20))
def test_derivative_of_the_projection_is_that_of_differences(seed):
    random = np.random.default_rng(seed)
    q, mu, h = random.normal(size=(5, 3)), random.uniform(0.1, 2.0, 5), 1e-6
    _, H = project_onto_cones(q, mu)
    for axis in range(3):
        step = h * np.eye(3)[axis]
        difference = (project_onto_cones(q + step, mu)[0] - project_onto_cones(q - step, mu)[0]) / (2.0 * h)
        np.testing.assert_allclose(H[:, :, axis], difference, atol=1e-5)


def newton_of(problem):
    return CoupledNewton(problem, build_local_response(problem), None, tolerance=1e-8, relative_tolerance=1e-6)


def test_newton_matrix_is_the_derivative_of_the_forces(monkeypatch):
    monkeypatch.setattr(coupled_newton, "DENSE", 1000)
    problem = random_mlcp(np.random.default_rng(1), contacts=8, stiffness=1.0, friction=0.8)
    newton = newton_of(problem)
    random = np.random.default_rng(2)
    x, d, h = random.normal(size=len(newton.x)), random.normal(size=len(newton.x)), 1e-7
    rho = 3000.0 * newton.stiffness
    _, slopes, _ = newton._impulses(x, rho)
    matrix = newton.A + newton.G.T @ (slopes @ newton.G.reshape(8, 3, -1)).reshape(len(newton.G), -1)
    difference = (newton._impulses(x + h * d, rho)[2] - newton._impulses(x - h * d, rho)[2]) / (2.0 * h)
    np.testing.assert_allclose(matrix @ d, difference, rtol=1e-5, atol=1e-4 * np.abs(difference).max())


def slot_problem(friction: float):
    """The contact problem of a finely meshed box that flies askew between two plates with 4 µm of room on either side."""
    scene = sg.Scene(friction=friction)
    scene.add_rigid(sg.shapes.box(0.1, 0.06, 0.1, cells=3), density=1000.0, velocity=(2.7, 0.4, 0.0))
    for side in (-1.0, 1.0):
        scene.add_kinematic(sg.shapes.grid(4.0, 4.0, cells=2), position=(0.0, 0.0, side * (0.05 + 4e-6)))
    sim = sg.Simulation(scene, dt=5e-3)
    sim.step()
    assert sim._solved is not None
    return sim._solved.problem


@pytest.mark.parametrize("friction", [0.0, 0.5, 1.3, 2.0])
def test_a_box_in_a_slot_is_solved_as_measured_from_outside(friction):
    problem, found = slot_problem(friction), []

    def excess(dv, impulse):
        r = measure(problem, dv, impulse)
        found.append(max(r.normal, r.friction, r.dynamics, r.penetration_velocity))
        return found[-1] / 1e-8

    cost = solve_coupled(problem, build_local_response(problem), tolerance=1e-8, relative_tolerance=1e-6, excess=excess)
    assert 0 < cost < MAX_COST
    assert found[-1] <= 1e-8


@pytest.mark.parametrize("seed", range(5))
def test_sparse_and_dense_factorisations_give_the_same_steps(monkeypatch, seed):
    problem = random_mlcp(np.random.default_rng(seed), contacts=8, stiffness=1.0, friction=0.8)
    monkeypatch.setattr(coupled_newton, "DENSE", 1000)
    dense = newton_of(problem)
    assert dense.dense
    monkeypatch.setattr(coupled_newton, "DENSE", 0)
    sparse = newton_of(problem)
    assert not sparse.dense
    x = np.random.default_rng(seed).normal(size=len(dense.x))
    _, slopes, force = dense._impulses(x, 3000.0 * dense.stiffness)
    np.testing.assert_allclose(sparse._step(slopes, force), dense._step(slopes, force), rtol=1e-8, atol=1e-10)
    assert dense.update(1.0) and sparse.update(1.0)
    for penalty in (3.0, 10.0, 100.0):
        assert dense.update(penalty) == sparse.update(penalty)
    np.testing.assert_allclose(sparse.x, dense.x, atol=1e-7)


def test_a_start_is_taken_and_a_limit_is_kept():
    problem = random_mlcp(np.random.default_rng(3), contacts=8, stiffness=1.0, friction=0.8)
    found = []

    def excess(dv, impulse):
        r = measure(problem, dv, impulse)
        found.append((max(r.normal, r.friction, r.dynamics, r.penetration_velocity) / 1e-8, dv, impulse))
        return found[-1][0]

    follow = partial(
        solve_coupled, problem, build_local_response(problem), tolerance=1e-8, relative_tolerance=1e-6, excess=excess
    )
    cold = follow()
    _, dv, impulse = min(found, key=lambda item: item[0])
    assert follow(start=WarmStart(dv, impulse)) < cold
    found.clear()
    follow(most=1.0)
    assert len(found) <= 1
