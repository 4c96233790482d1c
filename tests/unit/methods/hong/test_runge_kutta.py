"""One compiled step against the same step written out in NumPy: stages, contact forces, rest, and what is near a plane."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import signorini as sg
from reference.lcp import enumerate_lcp
from signorini.collision.contact_set import KIND_SHIFT, VERTEX_PLANE
from signorini.contact.frames import contact_jacobian
from signorini.methods.hong import contacts_kernels, response_kernels
from signorini.methods.hong.contacts import build_touching, come_to_rest, detect_signed, group_pairs, responding
from signorini.methods.hong.forces import elastic_forces, free_accelerations
from signorini.methods.hong.runge_kutta import STAGES, Motion, runge_kutta_step
from signorini.methods.hong.step_data import model_data, step_data
from signorini.scene.solid_material import SolidMaterial
from signorini.settings import Settings

JELLY = SolidMaterial(young=2e4, poisson=0.4, density=1000.0, model="neo-hookean", stiffness_damping=1e-3)
NEAR = 1e-3


def pressed(seed: int, *, ground: bool = False):
    """A block of one model on a block of the other, in contact and shaken, as (sim, step, x, q, v)."""
    scene = sg.Scene()
    scene.add_soft_solid(
        sg.shapes.box_tets(0.1, 0.1, 0.1, cells=2), material=JELLY, name="low", position=(0.0, 0.0, 0.0502)
    )
    top = scene.add_soft_solid(
        sg.shapes.box_tets(0.1, 0.1, 0.1, cells=2), material=replace(JELLY, model="corotational"), name="high",
        position=(0.013, 0.021, 0.1506),
    )  # fmt: skip
    top.pin([0])
    if ground:
        scene.add_ground()
    sim = sg.Simulation(scene, settings=Settings(method="hong", contact_distance=0.01, detection_factor=2.0))
    return sim, *shaken(sim, seed)


def shaken(sim: sg.Simulation, seed: int):
    rng = np.random.default_rng(seed)
    step = step_data(model_data(sim._world.model), sim.state, 1.0)
    q = sim.state.q + 2e-4 * rng.standard_normal(sim.state.q.shape)
    v = 0.1 * rng.standard_normal(q.shape)
    v[step.pinned] = step.pinned_velocity
    return step, step.surface_positions(q, 0.0), q, v


def detect(sim: sg.Simulation, x, near: float = NEAR):
    world = sim._world
    found = world.tree.find_candidates(x, x, distance=world.detection_distance, margin=0.0)
    return detect_signed(world, group_pairs(world.model.surface, found), x, x, near)


def free_at(step, q, v):
    return free_accelerations(step, elastic_forces(step.data.solids, q), v)


def written_out(step, touching, q0, v0, h):
    """Runge-Kutta 4 with complementarity by enumeration; q, v, forces of the stages, and the error estimate."""
    J = np.array([touching.rates(row.reshape(-1, 3)) for row in np.eye(v0.size)]).T
    back = np.repeat(step.inverse_mass, 3)[:, None] * J.T
    forces = []

    def rates(q, v):
        free = free_at(step, q, v)
        forces.append(enumerate_lcp(J @ back, J @ free.ravel() + touching.bias)[0])
        return v, free + (back @ forces[-1]).reshape(-1, 3)

    k1 = rates(q0, v0)
    k2 = rates(q0 + h / 2 * k1[0], v0 + h / 2 * k1[1])
    k3 = rates(q0 + h / 2 * k2[0], v0 + h / 2 * k2[1])
    k4 = rates(q0 + h * k3[0], v0 + h * k3[1])
    q, v = (s + h / 6 * (k1[i] + 2 * k2[i] + 2 * k3[i] + k4[i]) for i, s in enumerate((q0, v0)))
    k5 = rates(q, v)
    error = h / 6 * max(np.abs(k4[0] - k5[0]).max(), h * np.abs(k4[1] - k5[1]).max())
    return q, v, forces, error


@pytest.mark.parametrize("seed", range(3))
def test_the_compiled_step_is_the_written_out_one(seed):
    sim, step, x, q, v = pressed(seed)
    contacts = detect(sim, x)
    assert len(contacts) >= 4
    contacts = responding(step, contacts)
    touching = build_touching(step, contacts, x, v)
    force = elastic_forces(step.data.solids, q)
    h, wrong_guess = 1e-4, np.random.default_rng(seed).random(len(contacts)) < 0.5
    start = Motion(0.5, q, v, force)
    trial = runge_kutta_step(step, start, touching, h, wrong_guess)
    q1, v1, f, error = written_out(step, touching, q, v, h)
    assert trial.motion.time == 0.5 + h
    assert trial.motion.q == pytest.approx(q1, abs=1e-13)
    assert trial.motion.v == pytest.approx(v1, abs=1e-11)
    assert trial.error == pytest.approx(error, rel=1e-6)
    mean = (f[0] + 2 * f[1] + 2 * f[2] + f[3]) / 6
    assert mean.max() > 0.0
    assert trial.contact_force == pytest.approx(mean, abs=1e-8 * mean.max())
    assert trial.converged == STAGES and trial.residual < 1e-8
    after = elastic_forces(step.data.solids, q1)
    assert trial.motion.force.forces == pytest.approx(after.forces, abs=1e-9 * np.abs(after.forces).max())
    free = free_at(step, q1, v1)
    assert trial.motion.acceleration == pytest.approx(free, abs=1e-9 * np.abs(free).max())
    known = replace(start, acceleration=free_accelerations(step, force, v))
    again = runge_kutta_step(step, known, touching, h, wrong_guess)
    assert (again.motion.q == trial.motion.q).all() and (again.motion.v == trial.motion.v).all()


def brought_to_rest(W, speed, resting):
    """Impulses that stop the resting contacts and those that would approach because of them; both by dense algebra."""
    impulse, resting = np.zeros(len(speed)), resting.copy()
    while resting.any():
        impulse[resting] = np.linalg.solve(W[np.ix_(resting, resting)], -speed[resting])
        new = ~resting & (speed + W @ impulse < -1e-10 * np.abs(speed).max())
        if not new.any():
            break
        resting |= new
    return impulse, resting


@pytest.mark.parametrize("seed", range(6))
def test_contacts_come_to_rest_as_by_dense_algebra(seed):
    """Those that approach or will push rest, and those that the impulses would make approach."""
    sim, step, x, q, v = pressed(seed)
    touching = build_touching(step, detect(sim, x), x, v)
    W, speed, a, h = touching.problem.W, touching.speed, free_at(step, q, v), 1e-3
    ahead = speed + h * (touching.rates(a) + touching.bias)
    impulse, resting = brought_to_rest(W, speed, (enumerate_lcp(W, ahead)[0] > 0.0) | (speed < 0.0))
    guess = np.random.default_rng(seed).random(len(speed)) < 0.5
    found, strength = come_to_rest(touching, a, h, still=0.0, guess=guess)
    assert (found == resting).all() and strength is not None
    assert strength == pytest.approx(impulse, abs=1e-7 * np.abs(impulse).max())
    _, nothing = come_to_rest(touching, a, h, still=1e3, guess=guess)
    assert nothing is None, "all are still by that measure"


def test_an_impulse_that_closes_another_contact_stops_that_too():
    rng, joined = np.random.default_rng(0), 0
    for _ in range(20):
        J = rng.standard_normal((6, 9))
        W, speed = J @ J.T, rng.standard_normal(6)
        impulse, resting = brought_to_rest(W, speed, speed < 0.0)
        strength, found = np.empty(6), speed < 0.0
        joined += int((resting & ~found).sum())
        response_kernels.bring_to_rest(W, speed, found, strength)
        assert (found == resting).all()
        assert strength == pytest.approx(impulse, abs=1e-6 * max(np.abs(impulse).max(), 1e-9))
    assert joined > 5
    still = np.empty(2)
    response_kernels.bring_to_rest(np.eye(2), np.ones(2), np.zeros(2, dtype=bool), still)
    assert (still == 0.0).all(), "nothing rests"
    response_kernels.bring_to_rest(-np.eye(2), -np.ones(2), np.ones(2, dtype=bool), still)
    assert np.isnan(still).all(), "no mass is negative"


def test_the_jacobian_is_that_of_the_other_methods():
    sim, step, x, _, v = pressed(0)
    contacts = detect(sim, x)
    touching = build_touching(step, contacts, x, v)
    moving = step.surface_velocities(v)
    expected = contact_jacobian(contacts, moving, sim._world.model.surface_map, step.movable)
    for name in ("frames", "free_velocity", "indptr", "nodes", "blocks"):
        assert (getattr(touching.jacobian, name) == getattr(expected, name)).all()
    assert touching.speed == pytest.approx((contacts.normal * relative(contacts, moving)).sum(axis=1), abs=1e-14)


def relative(contacts, moving):
    return (
        contacts.weights[:, :, None] * np.where(contacts.vertices[:, :, None] >= 0, moving[contacts.vertices], 0.0)
    ).sum(axis=1)


def test_vertices_at_planes_and_the_small_loops():
    """Against NumPy: what is near a plane, what is movable, the largest speed, and boxes."""
    sim, step, x, _, v = pressed(1, ground=True)
    surface = sim._world.model.surface
    on_planes = detect(sim, x)
    rows = (on_planes.key >> KIND_SHIFT) == VERTEX_PLANE
    height = x @ surface.plane_normal[0] - surface.plane_height[0]
    expected = np.flatnonzero(height < NEAR)
    assert 0 < len(expected) < len(x) and on_planes.vertices[rows, 0].tolist() == expected.tolist()
    assert on_planes.distance[rows] == pytest.approx(height[expected], abs=1e-15)
    assert (on_planes.vertices[rows, 1:] == -1).all() and (on_planes.weights[rows] == [1.0, 0.0, 0.0, 0.0]).all()
    assert (on_planes.normal[rows] == surface.plane_normal[0]).all()
    pair = np.column_stack([surface.vertex_body[expected], np.full(len(expected), surface.plane_body[0])])
    assert (on_planes.bodies[rows] == pair).all()

    movable = np.zeros(len(x), dtype=bool)
    movable[on_planes.vertices[::2, 0]] = True
    kept = responding(replace(step, movable_vertices=movable), on_planes)
    able = (movable[on_planes.vertices] & (on_planes.weights != 0.0)).any(axis=1)
    assert 0 < len(kept) < len(on_planes) and (kept.key == on_planes.key[able]).all()
    assert responding(replace(step, movable_vertices=np.ones(len(x), dtype=bool)), on_planes) is on_planes

    assert contacts_kernels.fastest(v) == pytest.approx(np.linalg.norm(v, axis=1).max(), rel=1e-15)
    assert contacts_kernels.fastest(np.zeros((0, 3))) == 0.0
