"""Equilibria of soft solids against beam theory, the elastica and closed forms, by a small Newton loop of its own."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.optimize import brentq
from scipy.sparse.linalg import splu

from reference import tetrahedra as twins
from signorini.elements.element import backward_euler
from signorini.elements.tetrahedra import Tetrahedra
from signorini.geometry.tet_mesh import TetMesh
from signorini.geometry.tet_shapes import box_tets, cylinder_tets
from signorini.scene.solid_material import SolidMaterial
from signorini.scene.solids.solid_elements import build_tetrahedra
from support.element_sets import assembled_sparse, at

Array = NDArray[np.float64]
YOUNG = 1e6


def elements(mesh: TetMesh, model: str, poisson: float) -> Tetrahedra:
    material = SolidMaterial(young=YOUNG, poisson=poisson, density=1000.0, model=model)
    return build_tetrahedra(mesh, material)


def equilibrium(
    tetrahedra: Tetrahedra, q: Array, free: NDArray[np.bool_], load: Array, *, tolerance: float = 1e-7
) -> Array:
    """Positions at which the free components (n, 3) of elastic force + load (n, 3) vanish, by Newton with line search.

    Tolerance: relative to the largest elastic force at a node.
    """
    unknowns = np.flatnonzero(free.ravel())
    for _ in range(200):
        K, force = assembled_sparse(tetrahedra, at(q), backward_euler(1.0))
        residual = (force + load)[free]
        if np.abs(residual).max() <= tolerance * np.abs(force).max():
            return q
        matrix = K.to_scipy().tocsc()[unknowns][:, unknowns]
        step = np.zeros_like(q)
        step[free] = splu(matrix).solve(residual)
        q = _line_search(tetrahedra, q, step, load)
    raise AssertionError("no equilibrium found")


def _line_search(tetrahedra: Tetrahedra, q: Array, step: Array, load: Array) -> Array:
    """The first of q + step, q + step/2, ... that lowers elastic energy minus work of the load."""

    before = twins.kernel_energy(tetrahedra, q)
    rounding = 1e-14 * YOUNG * tetrahedra.volume.sum()
    for halvings in range(30):
        part = 0.5**halvings * step
        if twins.kernel_energy(tetrahedra, q + part) - before - (load * part).sum() <= rounding:
            return q + part
    raise AssertionError("the step does not lower the energy")


def cantilever(
    cells: int, slenderness: int, poisson: float, model: str
) -> tuple[Tetrahedra, Array, NDArray[np.bool_], Array]:
    """A beam of square section 1 along x, clamped at its left end: elements, positions, what is free, a unit tip load."""
    mesh = box_tets(slenderness, 1.0, 1.0, cells=(slenderness * cells, cells, cells))
    x = mesh.vertices[:, 0] + 0.5 * slenderness
    free = np.repeat(x[:, None] > 1e-9, 3, axis=1)
    # The shear force as traction evenly over the end face, lumped by the area of its triangles.
    surface, nodes = mesh.surface()
    corners = surface.vertices[surface.triangles]
    area = 0.5 * np.linalg.norm(np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]), axis=1)
    at_end = (corners[:, :, 0] > 0.5 * slenderness - 1e-9).all(axis=1)
    load = np.zeros_like(mesh.vertices)
    np.add.at(load[:, 2], nodes[surface.triangles[at_end]].ravel(), -np.repeat(area[at_end] / 3.0, 3))
    assert load[:, 2].sum() == pytest.approx(-1.0)
    return elements(mesh, model, poisson), mesh.vertices.copy(), free, load


def tip(q: Array, rest: Array) -> Array:
    """Mean displacement (3,) of the end face."""
    end = rest[:, 0] > rest[:, 0].max() - 1e-9
    return (q - rest)[end].mean(axis=0)


def timoshenko(length: float, poisson: float) -> float:
    """Tip deflection per unit of load: bending and shear of a square section of side 1."""
    shear_area = 10.0 * (1.0 + poisson) / (12.0 + 11.0 * poisson)
    return length**3 / (3.0 * YOUNG / 12.0) + length / (shear_area * YOUNG / (2.0 * (1.0 + poisson)))


def excess_stiffness(cells: int, poisson: float, model: str) -> float:
    """How much stiffer than Timoshenko's beam a cantilever of five squares' length is, at a deflection of 0.1 %."""
    exact = timoshenko(5.0, poisson)
    tetrahedra, rest, free, load = cantilever(cells, 5, poisson, model)
    q = equilibrium(tetrahedra, rest, free, 1e-3 / exact * load)
    return -1e-3 / tip(q, rest)[2] - 1.0


@pytest.mark.parametrize("model", ["corotational", "neo-hookean"])
def test_cantilever_converges_to_beam_theory_with_second_order(model: str) -> None:
    """Linear tetrahedra are too stiff in bending, by an amount that falls with the square of the cell size."""
    excess = np.array([excess_stiffness(cells, 0.0, model) for cells in (1, 2, 4, 8)])
    rates = np.log2(excess[:-1] / excess[1:])
    assert (excess > 0.0).all()
    np.testing.assert_allclose(rates[1:], 2.0, atol=0.1)
    assert excess[-1] - (excess[-2] - excess[-1]) / 3.0 == pytest.approx(0.0, abs=0.005)  # in the limit: the theory


def test_mirrored_cells_hardly_lock_in_bending() -> None:
    """With all cells cut alike this beam was 3.4 times as stiff as in theory."""
    assert excess_stiffness(4, 0.49, "corotational") < 0.35


ELASTICA = {1.0: (0.30172, 0.05643), 2.0: (0.49346, 0.16064)}
"""Tip deflection and shortening over the length, by P L² / (E I) (Bisshopp and Drucker 1945; Mattiasson 1981)."""


@pytest.mark.parametrize("model", ["corotational", "neo-hookean"])
def test_large_deflection_follows_the_elastica(model: str) -> None:
    """The bending stiffness is that of the same mesh under a small load, so that only the large rotation is tested."""
    tetrahedra, rest, free, load = cantilever(2, 12, 0.0, model)
    small = equilibrium(tetrahedra, rest, free, load)
    assert -tip(small, rest)[2] < 0.01
    bending = 12.0**3 / (3.0 * -tip(small, rest)[2])
    q = rest
    for factor, (down, shorter) in ELASTICA.items():
        q = equilibrium(tetrahedra, q, free, factor * bending / 12.0**2 * load)
        assert -tip(q, rest)[2] / 12.0 == pytest.approx(down, rel=0.02)
        assert -tip(q, rest)[0] / 12.0 == pytest.approx(shorter, rel=0.04)


def squeezed(mesh: TetMesh, tetrahedra: Tetrahedra, *, bonded: bool, by: float) -> Array:
    """The solid between two plates that approach along z until its height is 1 − `by` of what it was."""
    z = mesh.vertices[:, 2]
    plates = np.abs(z) > z.max() - 1e-9
    free = np.ones((len(z), 3), dtype=bool)
    free[plates] = False if bonded else (True, True, False)
    if not bonded:  # no friction: hold the body's centre line against drifting and turning
        axis = np.argmin(np.linalg.norm(mesh.vertices, axis=1))
        side = np.argmax(mesh.vertices[:, 0] - 10.0 * np.abs(mesh.vertices[:, 1:]).sum(axis=1))
        free[axis, :2] = False
        free[side, 1] = False
    q = mesh.vertices.copy()
    for step in range(1, 7):
        before = 1.0 - by * (step - 1) / 6.0
        now = 1.0 - by * step / 6.0
        q = q * [np.sqrt(before / now), np.sqrt(before / now), now / before] if not bonded else q
        q[plates, 2] = z[plates] * now
        q[~free] = np.where(np.arange(3) < 2, mesh.vertices, q)[~free] if not bonded else q[~free]
        q = equilibrium(tetrahedra, q, free, np.zeros_like(q), tolerance=1e-6)
    return q


def volume_ratio(mesh: TetMesh, q: Array) -> float:
    return TetMesh(q, mesh.tetrahedra).volume() / mesh.volume()


def uniaxial_ratio(height: float, poisson: float) -> float:
    """J of a Neo-Hookean solid whose height is `height` of what it was and whose sides are free."""
    mu = YOUNG / (2.0 * (1.0 + poisson))
    kappa = YOUNG / (3.0 * (1.0 - 2.0 * poisson))

    def side_stress(wide: float) -> float:
        J, square = height * wide**2, height**2 + 2.0 * wide**2
        return mu * J ** (-2.0 / 3.0) * (wide - square / (3.0 * wide)) + kappa * (J - 1.0) * J / wide

    return height * brentq(side_stress, 0.8, 2.0) ** 2


def test_neo_hookean_keeps_its_volume_when_squeezed() -> None:
    mesh = cylinder_tets(0.5, 1.0, edge=0.2)
    tetrahedra = elements(mesh, "neo-hookean", 0.49)
    q = squeezed(mesh, tetrahedra, bonded=False, by=0.3)
    found = volume_ratio(mesh, q)
    assert found == pytest.approx(uniaxial_ratio(0.7, 0.49), abs=1e-6)
    assert abs(found - 1.0) < 0.01
    linear = elements(mesh, "corotational", 0.49)
    assert volume_ratio(mesh, squeezed(mesh, linear, bonded=False, by=0.3)) < 0.98  # linear strain does not know volume


def test_a_bonded_cube_bulges_and_keeps_its_volume_better_the_finer_it_is() -> None:
    """The corners at the plates are under high pressure; coarse elements cannot follow the bulge and lose volume."""
    lost = []
    for cells in (4, 6):
        mesh = box_tets(1.0, 1.0, 1.0, cells=cells)
        tetrahedra = elements(mesh, "neo-hookean", 0.49)
        q = squeezed(mesh, tetrahedra, bonded=True, by=0.3)
        lost.append(1.0 - volume_ratio(mesh, q))
        assert np.abs(q[:, :2]).max() > 0.6
        assert np.linalg.det(twins.gradients(tetrahedra, q)).min() > 0.8
    assert 0.0 < lost[1] < 0.6 * lost[0]
    assert lost[1] < 0.02
