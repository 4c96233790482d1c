"""Stable Neo-Hookean, Mooney-Rivlin and Ogden laws against naive twins, finite differences and linear elasticity."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from reference import solid_laws as naive
from signorini.elements.laws import mooney_rivlin_kernels, ogden_kernels, stable_neo_hookean_kernels
from signorini.elements.laws.mooney_rivlin import MOONEY_RIVLIN
from signorini.elements.laws.ogden import OGDEN
from signorini.elements.laws.stable_neo_hookean import STABLE_NEO_HOOKEAN
from signorini.elements.solid_law import SolidLaw
from signorini.errors import InputError

MU, LAM = 2.0, 5.0


class Case(NamedTuple):
    law: SolidLaw
    kernels: Any
    density: Any
    shape: naive.Array


CASES = {
    "stable-neo-hookean": Case(
        STABLE_NEO_HOOKEAN, stable_neo_hookean_kernels, naive.stable_neo_hookean_density, np.zeros(0)
    ),
    "mooney-rivlin": Case(MOONEY_RIVLIN, mooney_rivlin_kernels, naive.mooney_rivlin_density, np.array([0.3])),
    # Ogden's rubber of 1972: 6.3, 0.012, -0.1 bar with exponents 1.3, 5, -2, over a shear modulus of 4.225 bar
    "ogden": Case(
        OGDEN,
        ogden_kernels,
        naive.ogden_density,
        np.array([6.3 / 4.225, 1.3, 0.012 / 4.225, 5.0, -0.1 / 4.225, -2.0]),
    ),
}


def gradients() -> list[naive.Array]:
    rng = np.random.default_rng(11)
    found = [np.eye(3) + amount * rng.normal(size=(3, 3)) for amount in (0.1, 0.3, 1.0, 2.0) for _ in range(4)]
    found += [np.diag(d) for d in ([0.33, 1, 1], [1, 1, 1e-9], [1, 0.9, -0.5], [0.05, 0.04, 0.03], [0.5, 0.5, 0.5])]
    return found


@pytest.mark.parametrize("F", gradients())
@pytest.mark.parametrize("name", CASES)
def test_energy_and_derivatives_hold_for_any_deformation(name: str, F: naive.Array) -> None:
    law, kernels, density, shape = CASES[name]
    work = np.empty((12, 3, 3))
    assert law.energy_density(F, MU, LAM, shape, work) == pytest.approx(density(F, MU, LAM, shape), rel=1e-11)
    step = 1e-6
    P, H = naive.density_hessian(kernels, F, MU, LAM, shape, project=False)
    slope, curvature = np.zeros(9), np.zeros((9, 9))
    for k in range(9):
        d = np.zeros(9)
        d[k] = step
        ahead, behind = F + d.reshape(3, 3), F - d.reshape(3, 3)
        slope[k] = density(ahead, MU, LAM, shape) - density(behind, MU, LAM, shape)
        far, near = (naive.density_hessian(kernels, G, MU, LAM, shape, project=False)[0] for G in (ahead, behind))
        curvature[k] = far - near
    np.testing.assert_allclose(P, slope / (2.0 * step), atol=1e-8 * max(1.0, np.abs(P).max()))
    np.testing.assert_allclose(H, curvature / (2.0 * step), atol=2e-7 * np.abs(H).max())
    whole = law.stress(F[None], np.array([MU]), np.array([LAM]), shape[None])[0]
    np.testing.assert_allclose(whole.ravel(), P, atol=1e-12 * np.abs(P).max())


@pytest.mark.parametrize("name", CASES)
def test_small_strain_is_linear_elasticity(name: str) -> None:
    _, kernels, _, shape = CASES[name]
    P, H = naive.density_hessian(kernels, np.eye(3), MU, LAM, shape, project=True)
    one = np.eye(9).reshape(3, 3, 3, 3)
    C = MU * (one + one.transpose(1, 0, 2, 3)) + LAM * np.einsum("ik,jl->ikjl", np.eye(3), np.eye(3))
    np.testing.assert_allclose(P, 0.0, atol=1e-13)
    np.testing.assert_allclose(H, C.reshape(9, 9), atol=1e-12)


@settings(max_examples=150, deadline=None)
@given(F=arrays(np.float64, (3, 3), elements=st.floats(-3.0, 3.0)), name=st.sampled_from(sorted(CASES)))
def test_projected_stiffness_is_semidefinite_and_finite(F: naive.Array, name: str) -> None:
    _, kernels, _, shape = CASES[name]
    P, H = naive.density_hessian(kernels, F, MU, LAM, shape, project=True)
    assert np.isfinite(P).all()
    assert np.isfinite(H).all()
    np.testing.assert_allclose(H, H.T, atol=1e-12 * np.abs(H).max())
    assert np.linalg.eigvalsh(H).min() >= -1e-12 * np.abs(H).max()


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("ratio", [0.0, 0.3, 0.45, 0.49])
def test_no_collapse_is_stable(name: str, ratio: float) -> None:
    """Along every path to a point, a line, a plane and to the mirror image the energy falls towards the resting shape."""
    _, _, density, shape = CASES[name]
    lam = 2.0 * MU * ratio / (1.0 - 2.0 * ratio)
    for path in (lambda s: [s, s, s], lambda s: [1.0, s, s], lambda s: [1.0, 1.0, s], lambda s: [1.2, 0.9, s]):
        low = -1.5 if path(7.0)[1] != 7.0 else 0.0  # a mirror image has one negative stretch
        energies = [density(np.diag(path(s)), MU, lam, shape) for s in np.linspace(low, 0.9, 121)]
        assert (np.diff(energies) < 0.0).all()


@pytest.mark.parametrize("name", CASES)
def test_laws_are_linear_in_both_constants_as_locking_free_elements_need(name: str) -> None:
    case = CASES[name]
    case.law.check_linear(case.shape)
    F = np.diag([1.3, 0.8, 1.0 / (1.3 * 0.8)])  # of no change of volume
    work = np.empty((12, 3, 3))
    assert case.law.energy_density(F, 0.0, 7.0, case.shape, work) == pytest.approx(0.0, abs=1e-14)


def test_a_law_that_is_not_linear_is_refused() -> None:
    import signorini as sg

    @sg.kernel
    def element(F, G, volume, mu, lam, shape, work, f, K):  # type: ignore[no-untyped-def]
        f[:] = 0.0

    @sg.kernel
    def energy_density(F, mu, lam, shape, work):  # type: ignore[no-untyped-def]
        return mu * lam * F[0, 0]

    with pytest.raises(InputError, match=r"'own' must be linear in μ and λ .* element='tetrahedra'"):
        SolidLaw("own", element, energy_density).check_linear(np.zeros(0))
