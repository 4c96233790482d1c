"""The linear system of a step against finite differences of the energy, and what is promised about it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import signorini as sg
from reference import elements as naive
from signorini.dynamics.assembly import assemble
from signorini.dynamics.energy import elastic_energy
from signorini.elements.element import Elements
from signorini.elements.hinges import Hinges
from signorini.elements.springs import Springs
from signorini.geometry import shapes
from signorini.model.build import build_model
from signorini.model.model import Model
from signorini.model.state import State
from signorini.scene import motions
from signorini.scene.cloth import Cloth
from signorini.scene.cloth_material import ClothMaterial
from signorini.scene.scene import Scene
from support.element_sets import elements_of

MATERIAL = ClothMaterial(
    membrane_stiffness=300.0,
    shear_stiffness=40.0,
    bending_rigidity=1e-3,
    compression_ratio=0.3,
    damping_time=3e-3,
    bending_damping_time=2e-2,
)
CELLS = 3
DT = 5e-3


def sheet(**options) -> tuple[Scene, Cloth]:
    scene = Scene(**{"gravity": (0.0, 0.0, 0.0), **options})
    return scene, scene.add_cloth(shapes.grid(0.3, 0.3, cells=CELLS), material=MATERIAL, model="mass-spring")


def crumpled(q: naive.Array, seed: int, size: float = 0.03) -> naive.Array:
    return q + size * np.random.default_rng(seed).uniform(-1.0, 1.0, q.shape)


def energy(model: Model, q: naive.Array) -> float:
    return naive.spring_energy(elements_of(model, Springs), q) + naive.hinge_energy(elements_of(model, Hinges), q)


def force(model: Model, q: naive.Array) -> naive.Array:
    """What `assemble` takes as the elastic force: b without gravity and velocity."""
    return assemble(model, State(q, np.zeros_like(q), 0.0), 1.0).b


@pytest.mark.parametrize("seed", range(3))
def test_rhs_is_momentum_and_the_negative_gradient_of_the_energy(seed: int) -> None:
    model, state = build_model(sheet(gravity=(1.0, 2.0, -9.0))[0])
    q = crumpled(state.q, seed)
    v = np.random.default_rng(seed).normal(size=q.shape)
    b = assemble(model, State(q, v, 0.0), DT).b
    elastic = naive.force_by_differences(lambda x: energy(model, x), q)
    expected = model.mass[:, None] * (v + DT * np.array([1.0, 2.0, -9.0])) + DT * elastic
    np.testing.assert_allclose(b, expected, atol=1e-6 * np.abs(expected).max())
    assert elastic_energy(model, State(q, v, 0.0)) == pytest.approx(energy(model, q), rel=1e-12)


def test_matrix_is_mass_damping_and_stiffness() -> None:
    # In a stretched flat sheet no clamp is active and hinges are at rest: K is then the exact derivative.
    model, state = build_model(sheet(air_drag=0.7)[0])
    q = 1.2 * state.q
    A = assemble(model, State(q, state.v, 0.0), DT).A.to_scipy().toarray()
    K = -naive.jacobian_by_differences(lambda x: force(model, x), q)
    # Damping is proportional to stiffness along springs and for hinges, so it is the stiffness of such elements.
    C, springs, hinges = np.zeros_like(K), elements_of(model, Springs), elements_of(model, Hinges)
    for (i, j), c in zip(springs.nodes, springs.damping_constant, strict=True):
        row = np.zeros(q.shape)
        row[j] = (q[j] - q[i]) / np.linalg.norm(q[j] - q[i])
        row[i] = -row[j]
        C += c * np.outer(row, row)
    for nodes, c in zip(hinges.nodes, hinges.angular_damping, strict=True):
        row = -naive.force_by_differences(lambda x, nodes=nodes: naive.hinge_angle(*x[nodes]), q)
        C += c * np.outer(row, row)
    mass = np.repeat(model.mass, 3)
    expected = np.diag(mass * (1.0 + 0.7 * DT)) + DT * C + DT**2 * K
    np.testing.assert_allclose(A, expected, atol=1e-5 * np.abs(expected).max())


def test_matrix_is_close_to_the_derivative_when_the_sheet_is_stretched_and_bent() -> None:
    model, state = build_model(sheet()[0])
    q = crumpled(1.3 * state.q, 1, size=0.01)
    undamped = assemble(model, State(q, state.v, 0.0), DT).A.to_scipy().toarray()
    K = -naive.jacobian_by_differences(lambda x: force(model, x), q)
    mass = np.diag(np.repeat(model.mass, 3))
    zero = assemble(model, State(q, state.v, 0.0), 1e-9).A.to_scipy().toarray()
    C = (zero - mass) / 1e-9
    np.testing.assert_allclose(undamped - mass - DT * C, DT**2 * K, atol=0.02 * DT**2 * np.abs(K).max())


@settings(max_examples=40, deadline=None)
@given(
    seed=st.integers(0, 10_000),
    scale=st.sampled_from([1.0, 0.3, 1e-3, 0.0, -1.0, 5.0]),
    noise=st.sampled_from([0.0, 1e-6, 0.03, 1.0]),
    dt=st.sampled_from([1e-4, 5e-3, 0.1]),
)
def test_matrix_is_symmetric_positive_definite_however_the_sheet_is_deformed(
    seed: int, scale: float, noise: float, dt: float
) -> None:
    model, state = build_model(sheet()[0])
    q = crumpled(scale * state.q, seed, size=noise)
    system = assemble(model, State(q, state.v, 0.0), dt)
    assert np.isfinite(system.b).all()
    A = system.A.to_scipy().toarray()
    largest = np.abs(A).max()
    np.testing.assert_allclose(A, A.T, atol=1e-12 * largest)
    assert np.linalg.eigvalsh(A).min() > 0.999 * model.mass.min() - 1e-12 * largest


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 10_000))
def test_momentum_is_conserved_without_gravity(seed: int) -> None:
    model, state = build_model(sheet()[0])
    rng = np.random.default_rng(seed)
    q, v = crumpled(state.q, seed), rng.normal(size=state.q.shape)
    system = assemble(model, State(q, v, 0.0), DT)
    v1 = np.linalg.solve(system.A.to_scipy().toarray(), system.b.ravel()).reshape(-1, 3)
    np.testing.assert_allclose(model.mass @ v1, model.mass @ v, atol=1e-9)


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 10_000))
def test_a_vibrating_sheet_loses_energy(seed: int) -> None:
    model, state = build_model(sheet()[0])
    rng = np.random.default_rng(seed)
    v = 0.05 * rng.normal(size=state.q.shape)
    system = assemble(model, State(state.q, v, 0.0), 1e-3)
    v1 = np.linalg.solve(system.A.to_scipy().toarray(), system.b.ravel()).reshape(-1, 3)
    before = 0.5 * model.mass @ (v * v).sum(axis=1)
    after = 0.5 * model.mass @ (v1 * v1).sum(axis=1) + elastic_energy(model, State(state.q + 1e-3 * v1, v1, 0.0))
    assert after < before


def residual(model: Model, state: State, v1: naive.Array, dt: float) -> float:
    """|M (v1 − v0) − dt F(q0 + dt v1)| of backward Euler without damping."""
    elastic = naive.force_by_differences(lambda x: energy(model, x), state.q + dt * v1)
    return float(np.linalg.norm(model.mass[:, None] * (v1 - state.v) - dt * elastic))


def test_further_newton_iterations_solve_backward_euler() -> None:
    scene = Scene(gravity=(0.0, 0.0, 0.0))
    stiff = ClothMaterial(
        membrane_stiffness=300.0,
        shear_stiffness=40.0,
        bending_rigidity=1e-4,
        compression_ratio=1.0,
        damping_time=0.0,
        bending_damping_time=0.0,
    )
    scene.add_cloth(shapes.grid(0.3, 0.3, cells=CELLS), material=stiff, model="mass-spring")
    model, state = build_model(scene)
    start = State(crumpled(1.1 * state.q, 3, size=0.01), crumpled(state.v, 4, size=1.0), 0.0)
    residuals, v = [], None
    for _ in range(6):
        system = assemble(model, start, DT, linearised_at=v)
        v = np.linalg.solve(system.A.to_scipy().toarray(), system.b.ravel()).reshape(-1, 3)
        residuals.append(residual(model, start, v, DT))
    assert residuals[1] < 0.2 * residuals[0]
    assert residuals[-1] < 1e-4 * residuals[0]


def test_pinned_nodes_land_exactly_on_their_target() -> None:
    scene, cloth = sheet(gravity=(0.0, 0.0, -9.81))
    cloth.pin([0, 5], motion=motions.Translate(velocity=(0.3, 0.0, 1.0)))
    cloth.pin([3])
    model, state = build_model(scene)
    start = State(crumpled(state.q, 1), np.random.default_rng(2).normal(size=state.q.shape), 0.2)
    system = assemble(model, start, DT)
    v = np.linalg.solve(system.A.to_scipy().toarray(), system.b.ravel()).reshape(-1, 3)
    landed = start.q + DT * v
    np.testing.assert_allclose(landed[[0, 5]], state.q[[0, 5]] + (0.2 + DT) * np.array([0.3, 0.0, 1.0]), atol=1e-12)
    np.testing.assert_allclose(landed[3], state.q[3], atol=1e-12)
    assert np.flatnonzero(system.free == 0).tolist() == [0, 3, 5]


def test_prescribed_rows_keep_the_matrix_symmetric_and_the_others_exact() -> None:
    scene, cloth = sheet()
    cloth.pin([0, 5], motion=motions.Translate(velocity=(0.0, 0.0, 2.0)))
    pinned_model, state = build_model(scene)
    model, _ = build_model(sheet()[0])
    start = State(crumpled(state.q, 1), np.random.default_rng(2).normal(size=state.q.shape), 0.0)
    system, plain = assemble(pinned_model, start, DT), assemble(model, start, DT)
    A, full = system.A.to_scipy().toarray(), plain.A.to_scipy().toarray()
    np.testing.assert_allclose(A, A.T, atol=1e-15 * np.abs(A).max())
    prescribed = np.repeat(system.free == 0, 3)
    v = np.zeros(len(A))
    v[prescribed] = ((state.q - start.q) / DT + np.array([0.0, 0.0, 2.0]))[system.free == 0].ravel()
    v[~prescribed] = np.linalg.solve(
        full[np.ix_(~prescribed, ~prescribed)], plain.b.ravel()[~prescribed] - full[~prescribed] @ v
    )
    np.testing.assert_allclose(np.linalg.solve(A, system.b.ravel()), v, atol=1e-9)
    np.testing.assert_array_equal(A[prescribed][:, ~prescribed], 0.0)
    np.testing.assert_allclose(A[prescribed][:, prescribed], np.diag(np.repeat(model.mass, 3)[prescribed]))


def test_pin_is_released_after_its_time_and_a_later_pin_wins() -> None:
    scene, cloth = sheet()
    cloth.pin([1], release_time=0.1)
    cloth.pin([2])
    cloth.pin([2], motion=motions.Translate(velocity=(1.0, 0.0, 0.0)))
    model, state = build_model(scene)
    nodes, targets = model.pinned(0.1)
    assert nodes.tolist() == [1, 2]
    np.testing.assert_allclose(targets[1], state.q[2] + [0.1, 0.0, 0.0])
    assert model.pinned(0.1001)[0].tolist() == [2]
    assert model.pinned(0.1 + 1e-16)[0].tolist() == [1, 2]  # as summed from many steps


def test_assembly_changes_neither_model_nor_state() -> None:
    scene, cloth = sheet()
    cloth.pin([0])
    model, state = build_model(scene)
    q, v, data = state.q.copy(), state.v.copy(), model.pattern.data.copy()
    assemble(model, state, DT, linearised_at=v + 1.0)
    np.testing.assert_array_equal(state.q, q)
    np.testing.assert_array_equal(state.v, v)
    np.testing.assert_array_equal(model.pattern.data, data)


def test_two_cloths_do_not_couple_and_each_has_its_own_elements() -> None:
    scene = Scene(gravity=(0.0, 0.0, 0.0))
    for k in range(2):
        scene.add_cloth(shapes.grid(0.3, 0.3, cells=2 + k), material=MATERIAL, position=(0.0, 0.0, float(k)))
    model, state = build_model(scene)
    q = crumpled(state.q, 5)
    A = assemble(model, State(q, state.v, 0.0), DT).A.to_scipy().toarray()
    first = 3 * model.bodies["cloth"].count
    assert not A[:first, first:].any()
    single = Scene(gravity=(0.0, 0.0, 0.0))
    single.add_cloth(shapes.grid(0.3, 0.3, cells=3), material=MATERIAL, position=(0.0, 0.0, 1.0))
    alone, _ = build_model(single)
    part = q[first // 3 :].copy()
    expected = assemble(alone, State(part, np.zeros_like(part), 0.0), DT).A.to_scipy().toarray()
    np.testing.assert_allclose(A[first:, first:], expected)


@dataclass(frozen=True)
class _FastLoad(Elements):
    """Loads with an assembly of their own, which turn into no number at a time."""

    nodes: np.ndarray
    until: float

    def assemble(self, at, weights, internal, entries, data, b) -> None:
        b[self.nodes[:, 0]] += weights.force * (1.0 if at.time < self.until else np.nan)


@pytest.mark.parametrize(("until", "error"), [(0.0, sg.InputError), (0.01, sg.SimulationStoppedError)])
def test_elements_with_their_own_assembly_are_checked_too(until: float, error: type[Exception]) -> None:
    scene = sg.Scene()
    scene.add_cloth(sg.shapes.grid(0.4, 0.4, cells=2), name="sheet")
    scene.add_elements(_FastLoad(np.array([[0]], np.int32), until), body="sheet")

    def run() -> None:
        sim = sg.Simulation(scene, dt=4e-3)
        for _ in range(4):
            sim.step()

    with pytest.raises(error, match="forces of the elements _FastLoad are not finite"):
        run()
