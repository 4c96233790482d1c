"""Contact solvers from outside of the package: in a simulation, in a file, and when they return nonsense."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial

import numpy as np
import pytest

import signorini as sg
from reference.problems import random_mlcp
from signorini.files.scenes.scene_changes import changed_settings
from signorini.files.scenes.scene_file import load_scene, save_scene
from signorini.settings import solver_name
from signorini.solvers import solve


def dense_gauss_seidel(problem, settings, warm_start):
    """Projected Gauss-Seidel on the dense matrix of the contacts, B = G A⁻¹ G'."""
    m = problem.contact_count
    G, b = problem.jacobian().toarray(), problem.bias().ravel()
    inverse = np.linalg.solve(problem.A.to_scipy().toarray(), G.T)
    B = G @ inverse
    p = np.zeros((m, 3)) if warm_start is None else warm_start.impulse.copy()
    largest, sweeps = np.inf, 0
    while largest > 0.01 * settings.tolerance and sweeps < 5000:
        largest = 0.0
        sweeps += 1
        for c in range(m):
            rows = slice(3 * c, 3 * c + 3)
            step = 1.0 / max(np.linalg.eigvalsh(B[rows, rows])[-1], 1e-300)
            q = p[c] - step * (B[rows] @ p.ravel() + b[rows])
            q[0] = max(q[0], 0.0)
            q[1:] *= min(1.0, problem.friction[c] * q[0] / max(np.linalg.norm(q[1:]), 1e-300))
            largest = max(largest, np.abs(q - p[c]).max() / step)
            p[c] = q
    dv = (inverse @ p.ravel()).reshape(-1, 3)
    return sg.measured_response(problem, dv, p, tolerance=settings.tolerance, inner_iterations=sweeps)


@dataclass(frozen=True)
class Counting:
    """A solver with settings of its own."""

    calls: list

    def __call__(self, problem, settings, warm_start):
        self.calls.append((settings, warm_start))
        return solve(problem, replace(settings, tolerance=1e-6), warm_start)


def falling_box() -> sg.Scene:
    scene = sg.Scene(friction=0.4)
    scene.add_ground()
    scene.add_rigid(
        sg.shapes.box(0.2, 0.2, 0.2), density=500.0, position=[0, 0, 0.105], velocity=[2.0, 0, -1.0], name="box"
    )
    return scene


def test_a_simulation_runs_with_a_function_as_its_solver():
    """Sliding against friction: the same motion as with the default solver, to the tolerance of both."""
    velocities = []
    for solver in (sg.SolverSettings(), dense_gauss_seidel):
        sim = sg.Simulation(falling_box(), dt=5e-3, settings=sg.Settings(solver=solver))
        reports = [sim.step() for _ in range(12)]
        assert reports[-1].contact_count > 0
        velocities.append(sim.bodies["box"].velocity)
    assert np.linalg.norm(velocities[0]) > 0.05
    np.testing.assert_allclose(velocities[1], velocities[0], atol=12 * sg.SolverSettings().residual)


def test_a_solver_gets_the_default_settings_and_the_warm_start():
    solver = Counting([])
    sim = sg.Simulation(falling_box(), dt=5e-3, settings=sg.Settings(solver=solver))
    for _ in range(8):
        sim.step()
    assert all(settings == sg.SolverSettings(tolerance=5e-4) for settings, _ in solver.calls)
    assert all(isinstance(start, sg.WarmStart) for _, start in solver.calls)
    assert any(start.impulse.any() for _, start in solver.calls)


def test_the_measured_response_tells_whether_it_is_converged():
    problem = random_mlcp(np.random.default_rng(3), contacts=6)
    good = solve(problem, dense_gauss_seidel)
    assert good.converged and not good.diverged
    assert good.normal_residual <= 5e-4 and good.inner_iterations > 1
    bad = sg.measured_response(problem, 0.0 * good.dv, 0.0 * good.impulse, tolerance=5e-4)
    assert not bad.converged and not bad.diverged and bad.normal_residual > 5e-4
    lost = sg.measured_response(problem, np.nan * good.dv, good.impulse, tolerance=5e-4)
    assert not lost.converged and lost.diverged


def altered(change):
    def altered_solver(problem, settings, warm_start):
        return change(solve(problem, settings, warm_start))

    return altered_solver


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda r: None, "must return a Response, as measured_response makes it, got NoneType"),
        (lambda r: (r.dv, r.impulse), "got tuple"),
        (
            lambda r: replace(r, dv=r.dv[1:]),
            r"must return dv with shape \(\d+, 3\) and type float64, got float64 \(\d+, 3\)",
        ),
        (lambda r: replace(r, impulse=r.impulse.ravel()), r"must return impulse with shape \(\d+, 3\)"),
        (lambda r: replace(r, dv=r.dv.astype(np.float32)), "got float32"),
        (lambda r: replace(r, impulse=r.impulse.tolist()), "got list"),
    ],
)
def test_a_wrong_response_is_one_sentence_that_names_the_solver(change, words):
    problem = random_mlcp(np.random.default_rng(3), contacts=6)
    with pytest.raises(sg.InputError, match=words) as caught:
        solve(problem, altered(change))
    assert "test_outside_solver:altered.<locals>.altered_solver" in str(caught.value)


def test_a_response_that_is_not_finite_counts_as_diverged():
    problem = random_mlcp(np.random.default_rng(3), contacts=6)
    response = solve(problem, altered(lambda r: replace(r, dv=np.full_like(r.dv, np.inf), converged=True)))
    assert response.diverged and not response.converged


@pytest.mark.parametrize(
    ("solver", "words"), [("ica", "SolverSettings\\(name='ica'\\)"), (Counting, "class Counting: give an")]
)
def test_what_cannot_be_called_is_refused(solver, words):
    with pytest.raises(sg.InputError, match=words):
        sg.Settings(solver=solver)


def test_names_of_solvers():
    assert solver_name(sg.SolverSettings(name="ica")) == "ica"
    for solver in (dense_gauss_seidel, partial(dense_gauss_seidel, warm_start=None)):
        assert solver_name(solver).endswith("test_outside_solver:dense_gauss_seidel")
    assert solver_name(Counting([])).endswith("test_outside_solver:Counting")


@pytest.mark.parametrize("solver", [dense_gauss_seidel, Counting([])])
def test_a_saved_scene_says_that_its_solver_is_missing(solver, tmp_path):
    file = save_scene(tmp_path / "scene.toml", falling_box(), settings=sg.Settings(solver=solver, max_refinements=7))
    name = solver_name(solver)
    text = file.read_text()
    assert f"# NOT COMPLETE: the contact solver is the Python code {name!r}" in text
    assert "max_refinements = 7" in text
    with pytest.raises(sg.InputError, match="this contact solver was Python code") as caught:
        load_scene(file)
    assert name in str(caught.value)


def test_settings_beside_a_python_solver_can_be_changed():
    settings = sg.Settings(solver=dense_gauss_seidel)
    changed = changed_settings(settings, {"max_refinements": "8"})
    assert changed == replace(settings, max_refinements=8)
    with pytest.raises(sg.InputError, match=r"'solver\.tolerance': the contact solver is the Python code"):
        changed_settings(settings, {"solver.tolerance": "1e-3"})
