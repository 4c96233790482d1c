"""Faults planted in the projection on the friction cone: its characterisation, differences, and the residuals find each."""

from __future__ import annotations

from types import ModuleType

import numpy as np
import pytest
from examples.extending import projected_gradient

import signorini as sg
from reference.problems import random_mlcp
from signorini.contact import friction_cone_kernels
from support.mutants import Mutant, planted

MUTANTS = (
    Mutant("sign of the polar cone", "if mu * tau <= -a0:", "if mu * tau <= a0:"),
    Mutant("polar cone without friction", "if mu * tau <= -a0:", "if tau <= -a0:"),
    Mutant("cone without friction", "if tau <= mu * a0 and", "if tau <= a0 and"),
    Mutant("scale of the side", "n = (a0 + mu * tau) / (1.0 + mu * mu)", "n = (a0 + mu * tau) / (1.0 + mu)"),
    Mutant("sign of the side", "n = (a0 + mu * tau)", "n = (a0 - mu * tau)"),
    Mutant("friction of the side not scaled", "mu * n * a1 / tau, mu * n * a2 / tau", "n * a1 / tau, n * a2 / tau"),
    Mutant("one tangent reversed", "mu * n * a2 / tau, SLIP", "-mu * n * a2 / tau, SLIP"),
    Mutant("an open contact that pulls", "return 0.0, 0.0, 0.0, OPEN", "return a0, 0.0, 0.0, OPEN"),
    Mutant("derivative across the side", "across = scale * mu * n / tau", "across = scale * mu / tau"),
    Mutant("derivative along the side", "along = scale / (1.0 + mu * mu)", "along = scale"),
    Mutant("sign of a mixed derivative", "(along * mu * mu - across) * e1 * e2", "(along * mu * mu + across) * e1 * e2"),
    Mutant("derivative of sticking", "H[r, r] = scale", "H[r, r] = 1.0"),
    Mutant("limit without friction", "bound = mu * q[0]", "bound = q[0]"),
    Mutant("limit of pulling", "if q[0] <= 0.0:\n        q[0] = 0.0", "if q[0] <= -1.0:\n        q[0] = 0.0"),
    Mutant("pyramid with one side", "elif q[a] < -bound:", "elif q[a] < -2.0 * bound:"),
    Mutant("limit of one tangent only", "            q[1] *= bound / length\n", ""),
)  # fmt: skip


def fault(module: ModuleType) -> str:
    """What is wrong with a projection, its derivative or the limits of impulses; empty if nothing is."""
    rng = np.random.default_rng(5)
    for _ in range(150):
        a, mu = rng.normal(size=3), float(rng.uniform(0.05, 2.0))
        p = np.array(module.project(*a, mu)[:3])
        rest = a - p
        if p[0] < 0.0 or np.hypot(p[1], p[2]) > mu * p[0] + 1e-12:
            return "the projection is outside of the cone"
        if rest[0] > -mu * np.hypot(rest[1], rest[2]) + 1e-12 or abs(rest @ p) > 1e-12:
            return "the rest is not normal to the cone"
        H, scale, step = np.zeros((3, 3)), 1.7, 1e-6
        if module.derivative(*a, mu, scale, H):
            difference = [
                (np.array(module.project(*(a + step * e), mu)[:3]) - module.project(*(a - step * e), mu)[:3])
                / (2.0 * step)
                for e in np.eye(3)
            ]
            if np.abs(H - scale * np.array(difference).T).max() > 1e-4:
                return "the derivative is not that of differences"
        for cone in (True, False):
            q = a.copy()
            module.limit_impulse(q, mu, cone)
            size = np.hypot(q[1], q[2]) if cone else np.abs(q[1:]).max()
            if q[0] < 0.0 or size > mu * q[0] + 1e-12:
                return "a limited impulse is outside of the cone"
            if cone and abs(q[1] * a[2] - q[2] * a[1]) > 1e-12:
                return "a limited impulse has another direction"
    return ""


def test_the_module_without_a_fault_is_right() -> None:
    assert fault(planted(friction_cone_kernels, None)) == ""


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant.name)
def test_the_oracle_of_the_cone_kills(mutant: Mutant) -> None:
    assert fault(planted(friction_cone_kernels, mutant))


SOLVER_FAULTS = {
    "sign": lambda project: lambda p, mu: project(p, mu) * (1.0, -1.0, -1.0),
    "scale": lambda project: lambda p, mu: project(p, mu) * (1.1, 1.1, 1.1),
    "wider cone": lambda project: lambda p, mu: project(p, 1.5 * mu),
    "narrower cone": lambda project: lambda p, mu: project(p, 0.5 * mu),
    "no friction": lambda project: lambda p, mu: project(p, mu) * (1.0, 0.0, 0.0),
    "contacts that pull": lambda project: lambda p, mu: np.column_stack([p[:, 0], project(p, mu)[:, 1:]]),
}


@pytest.mark.filterwarnings("ignore::RuntimeWarning")  # of a solver that diverges
@pytest.mark.parametrize("name", SOLVER_FAULTS)
def test_the_residuals_of_a_response_kill_a_solver_with_a_wrong_projection(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    problem = random_mlcp(np.random.default_rng(3), rows=4, columns=4, contacts=6, friction=0.5)
    settings = sg.SolverSettings(name="ica", tolerance=1e-6, max_outer=2000)
    assert projected_gradient.solve(problem, settings, None).converged
    monkeypatch.setattr(projected_gradient, "project", SOLVER_FAULTS[name](projected_gradient.project))
    assert not projected_gradient.solve(problem, settings, None).converged
