"""The integrator of the collision loop: forces and damping against the library's assembly, closed forms, rates."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import signorini as sg
from signorini.dynamics.assembly import assemble_unconstrained
from signorini.elements.hinges import Hinges
from signorini.elements.springs import Springs
from signorini.elements.tetrahedra import Tetrahedra
from signorini.geometry.tet_shapes import box_tets
from signorini.methods.collision_loop import newmark
from signorini.methods.collision_loop.newmark import forces_at, integrate, newmark_step, stable_step
from support.element_sets import elements_of

EXACT = sg.Settings(linear_tolerance=1e-14)


def crumpled(seed=0):
    """A cotton sheet and a soft box, both deformed and in motion; hinge friction takes part."""
    scene = sg.Scene(air_drag=1.5)
    scene.add_cloth(
        sg.shapes.grid(0.3, 0.3, cells=4), material="cotton", position=(0, 0, 0.5), name="sheet", model="mass-spring"
    )
    scene.add_soft_solid(box_tets(0.2, 0.2, 0.2, cells=2), density=500.0, young=2e4, poisson=0.3, name="box")
    sim = sg.Simulation(scene)
    rng = np.random.default_rng(seed)
    state = sim.state
    q = state.q + 0.01 * rng.standard_normal(state.q.shape)
    return sim._world.model, replace(state, q=q, v=rng.standard_normal(q.shape))


def without_damping(model):
    names = {Springs: "damping_constant", Hinges: "angular_damping", Tetrahedra: "stiffness_damping"}
    undamped = [
        replace(e, **{names[type(e)]: 0.0 * getattr(e, names[type(e)])}) if type(e) in names else e
        for e in model.elements
    ]
    return replace(model, elements=tuple(undamped), drag=np.zeros_like(model.drag))


def dense(matrix):
    return matrix.to_scipy().toarray()


def test_forces_are_those_of_the_assembly():
    """b of the library's backward Euler is M (v + dt g) + dt F: the forces of the half-kicks are its F."""
    model, state = crumpled()
    _, b, _ = assemble_unconstrained(model, state, 1.0)
    F = b - model.mass[:, None] * state.v
    np.testing.assert_allclose(forces_at(model, state, 0.01).force, F, rtol=1e-9, atol=1e-9 * np.abs(F).max())
    assert np.abs(F).max() > 1.0


def test_a_half_kick_solves_the_damped_system():
    """(M + τ C) v = M v0 + τ (F + M g), with C and F from the library's own assembly: C = (A − A_undamped)/τ."""
    model, state = crumpled()
    tau = 1e-3
    A, b, _ = assemble_unconstrained(model, state, tau)
    undamped, _, _ = assemble_unconstrained(without_damping(model), state, tau)
    M = np.repeat(model.mass, 3)
    matrix = np.diag(M) + dense(A) - dense(undamped)
    pins, none = (np.zeros(0, np.int32), np.zeros((0, 3))), np.zeros((0, 3))
    v = newmark._half_kick(model, state, forces_at(model, state, tau), np.zeros((0, 3, 3)), none, pins, EXACT)
    np.testing.assert_allclose(v.ravel(), np.linalg.solve(matrix, b.ravel()), rtol=1e-7, atol=1e-9)
    assert np.abs(v - state.v).max() > 0.1


def test_the_stable_step_bounds_the_highest_frequency():
    """ω h = ½ at CFL number 1 for a bound of ω: never below the true one, and not more than three times above."""
    model, state = crumpled()
    A, _, _ = assemble_unconstrained(without_damping(model), state, 1.0)
    M = np.repeat(model.mass, 3)
    K = (dense(A) - np.diag(M)) / np.sqrt(M[:, None] * M)
    true = np.sqrt(np.linalg.eigvalsh(K).max())
    bound = 0.5 / stable_step(model, state)
    assert true <= bound * (1.0 + 1e-12)
    assert bound < 3.0 * true


def test_without_elements_any_step_is_stable():
    scene = sg.Scene()
    scene.add_rigid(sg.shapes.box(0.1, 0.1, 0.1), mass=1.0, position=(0, 0, 1))
    sim = sg.Simulation(scene)
    assert stable_step(sim._world.model, sim.state) == np.inf


def breathing(damping_time):
    """An equilateral triangle of springs, all nodes at 1.1 of their distance R from the centre.

    Its breathing mode is exactly linear: r'' = −ω² (r − R) − damping_time ω² r' with ω² = 3 k/m.
    """
    corners = np.array([[np.cos(a), np.sin(a), 0.0] for a in np.deg2rad([90, 210, 330])])
    scene = sg.Scene(gravity=(0, 0, 0))
    rubber = sg.ClothMaterial(
        membrane_stiffness=20.0,
        shear_stiffness=0.0,
        bending_rigidity=0.0,
        compression_ratio=1.0,
        damping_time=damping_time,
        bending_damping_time=0.0,
    )
    mesh = sg.TriangleMesh(corners, np.array([[0, 1, 2]]))
    scene.add_cloth(
        mesh, material=rubber, area_density=0.2, initial_vertices=1.1 * corners, name="triangle", model="mass-spring"
    )
    sim = sg.Simulation(scene)
    k, m = elements_of(sim._world.model, Springs).stiffness_in_tension[0], sim._world.model.mass[0]
    return sim._world.model, sim.state, np.sqrt(3.0 * k / m)


def radius_after(model, state, end, steps):
    return np.linalg.norm(integrate(model, state, end, steps, EXACT).q, axis=1).mean()


def rate(errors):
    return np.log2(errors[:-1] / errors[1:])


def test_an_undamped_oscillation_converges_with_the_square_of_the_step():
    model, state, omega = breathing(0.0)
    end = 1.7 * 2.0 * np.pi / omega
    exact = 1.0 + 0.1 * np.cos(omega * end)
    errors = np.array([abs(radius_after(model, state, end, n) - exact) for n in (50, 100, 200, 400)])
    assert rate(errors) == pytest.approx([2.0, 2.0, 2.0], abs=0.05)
    phase, h = omega * end, end / 400
    # The frequency of leap-frog is too high by the factor 1 + (ω h)²/24.
    assert errors[-1] == pytest.approx(0.1 * abs(np.sin(phase)) * phase * (omega * h) ** 2 / 24.0, rel=0.01)


def test_a_damped_oscillation_converges_with_the_step():
    """Damping is implicit in both half-kicks: stable for any step, and of first order."""
    model, state, omega = breathing(0.02)
    end = 2.0 * np.pi / omega
    decay = 0.01 * omega**2
    fast = np.sqrt(omega**2 - decay**2)
    exact = 1.0 + 0.1 * np.exp(-decay * end) * (np.cos(fast * end) + decay / fast * np.sin(fast * end))
    errors = np.array([abs(radius_after(model, state, end, n) - exact) for n in (200, 400, 800)])
    assert rate(errors) == pytest.approx([1.0, 1.0], abs=0.05)


def test_the_energy_of_an_undamped_oscillation_stays_bounded():
    """Over 200 periods at ω h = 0.3 the energy swings by at most (ω h)²/4 of itself and does not drift."""
    model, state, omega = breathing(0.0)
    h = 0.3 / omega
    springs, m = elements_of(model, Springs), model.mass
    k, L = springs.stiffness_in_tension, springs.rest_length
    energies, forces = [], forces_at(model, state, 0.5 * h)
    for n in range(int(200 * 2.0 * np.pi / 0.3)):
        state, forces = newmark_step(model, state, forces, (n + 1) * h, EXACT)
        stretch = np.linalg.norm(state.q - np.roll(state.q, 1, axis=0), axis=1).mean() - L.mean()
        energies.append(0.5 * m @ (state.v**2).sum(axis=1) + 1.5 * k.mean() * stretch**2)
    energies = np.array(energies)
    exact = 1.5 * k.mean() * (0.1 * L.mean()) ** 2
    assert np.abs(energies / exact - 1.0).max() < 0.3**2 / 4.0 * 1.05
    assert abs(energies[-400:].mean() / energies[:400].mean() - 1.0) < 1e-3


def test_a_cfl_number_of_4_is_stable_and_12_is_not():
    """An undamped pinned sheet in motion: ω h = 2 for the bound of ω keeps the energy of 400 steps, ω h = 6 explodes."""
    hard = sg.ClothMaterial(
        membrane_stiffness=50.0,
        shear_stiffness=20.0,
        bending_rigidity=1e-4,
        compression_ratio=1.0,
        damping_time=0.0,
        bending_damping_time=0.0,
    )
    scene = sg.Scene(gravity=(0, 0, 0))
    cloth = scene.add_cloth(sg.shapes.grid(0.5, 0.5, cells=6), material=hard, name="sheet", model="mass-spring")
    cloth.pin([0, 6])
    sim = sg.Simulation(scene)
    model = sim._world.model
    v = 0.05 * np.random.default_rng(0).standard_normal(sim.state.v.shape)
    for cfl, stable in ((4.0, True), (12.0, False)):
        state = replace(sim.state, v=v)
        h = cfl * stable_step(model, state)
        end = integrate(model, state, 400 * h, 400, EXACT)
        speed = np.abs(end.v).max() / np.abs(v).max()
        assert (speed < 2.0) == stable, (cfl, speed)


def test_free_fall_is_exact():
    """x = g t²/2 without error for any number of steps; a rigid body that tumbles falls with the cloth."""
    scene = sg.Scene()
    scene.add_cloth(sg.shapes.grid(0.2, 0.2, cells=3), position=(0, 0, 2), name="sheet", model="mass-spring")
    scene.add_rigid(sg.shapes.box(0.1, 0.2, 0.3), mass=1.0, position=(1, 0, 2), angular_velocity=(3, 1, 2), name="box")
    sim = sg.Simulation(scene)
    model, start = sim._world.model, sim.state
    end = integrate(model, start, 0.3, 7, EXACT)
    moved = np.delete(end.q - start.q, model.rigids.spins, axis=0)
    np.testing.assert_allclose(moved, np.tile([0, 0, -0.5 * 9.81 * 0.09], (len(moved), 1)), atol=1e-12)
    L = [model.rigids.momentum(s.rotations, s.v[model.rigids.spins]) for s in (start, end)]
    np.testing.assert_allclose(L[1], L[0], atol=1e-14)


@pytest.mark.parametrize("integrator", ["newmark", "backward-euler"])
def test_pins_and_attachments_arrive_where_they_must(integrator):
    """A pinned corner follows its script at every step of the integrator; an attached one stays on its tumbling box."""
    scene = sg.Scene()
    cloth = scene.add_cloth(sg.shapes.grid(0.2, 0.2, cells=3), position=(0, 0, 1), name="sheet", model="mass-spring")
    cloth.pin([0], motion=sg.motions.Turn(angle=1.0, duration=0.1, axis=(0, 0, 1)))
    where = cloth.positions[15] + np.array([0.03, 0.03, 0.0])
    scene.add_rigid(sg.shapes.box(0.04, 0.04, 0.04), mass=0.05, position=where, name="box")
    scene.attach("sheet", [15], to="box")
    sim = sg.Simulation(scene)
    model, state = sim._world.model, sim.state
    rest = state.q[15] - state.q[16]
    settings = sg.Settings(collision_loop=sg.CollisionLoopSettings(integrator=integrator))
    for end in (0.01, 0.037, 0.08):
        state = integrate(model, state, end, 20, settings)
        nodes, targets = model.pinned(end)
        np.testing.assert_allclose(state.q[nodes], targets, atol=1e-14)
        arm = state.q[15] - state.q[16]
        assert np.linalg.norm(arm) == pytest.approx(np.linalg.norm(rest), rel=1e-12)
    assert np.linalg.norm(arm - rest) > 1e-3, "the box has turned"
