"""Forces of the explicit method against energies and assembled matrices; its stable step against what really happens."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import signorini as sg
from reference.tetrahedra import energy
from signorini.collision.contact_set import empty_contacts
from signorini.methods.hong import forces_kernels
from signorini.methods.hong.contacts import build_touching
from signorini.methods.hong.forces import InternalForce, elastic_forces, free_accelerations, interpolated
from signorini.methods.hong.runge_kutta import Motion, runge_kutta_step
from signorini.methods.hong.solids import join_solids
from signorini.methods.hong.stability import SAFETY, frequency_ratio, stable_step
from signorini.methods.hong.step_data import StepData, model_data, step_data
from signorini.scene.solid_material import SolidMaterial
from signorini.scene.solids.solid_elements import build_tetrahedra
from support.element_sets import assembled

MODELS = ["neo-hookean", "corotational"]


def material(model: str, **changes) -> SolidMaterial:
    return replace(SolidMaterial(young=2e4, poisson=0.4, density=1000.0, model=model), **changes)


def elements(model: str, **changes):
    mesh = sg.shapes.box_tets(0.2, 0.1, 0.1, cells=(2, 1, 1))
    return build_tetrahedra(mesh, material(model, **changes)), mesh.vertices.copy()


def node_forces(tets, force, count):
    total = np.zeros((count, 3))
    np.add.at(total, tets.nodes[:, 1:], force.forces)
    np.subtract.at(total, tets.nodes[:, 0], force.forces.sum(axis=1))
    return total


def free_step(model: str = "neo-hookean", **changes) -> tuple[sg.Simulation, StepData]:
    """A block in space without gravity, and one step of 1 s of it."""
    scene = sg.Scene(gravity=(0.0, 0.0, 0.0))
    scene.add_soft_solid(
        sg.shapes.box_tets(0.2, 0.1, 0.1, cells=(4, 2, 2)), material=material(model, **changes), name="b"
    )
    sim = sg.Simulation(scene)
    return sim, step_data(model_data(sim._world.model), sim.state, 1.0)


def no_contacts(step: StepData, q, v):
    return build_touching(step, empty_contacts(), step.surface_positions(q, 0.0), v)


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("size", [0.0, 0.02, 0.3])
def test_elastic_forces_are_the_slope_of_the_energy(model, size):
    """0.3 turns elements inside out. Central differences are good to 1e-6 of the largest force."""
    tets, q = elements(model)
    q += size * 0.1 * np.random.default_rng(1).standard_normal(q.shape)
    f, h = node_forces(tets, elastic_forces(join_solids([tets]), q), len(q)), 1e-7
    for i, k in ((0, 0), (5, 1), (7, 2), (11, 0)):
        up, down = q.copy(), q.copy()
        up[i, k] += h
        down[i, k] -= h
        slope = -(energy(tets, up) - energy(tets, down)) / (2.0 * h)
        assert f[i, k] == pytest.approx(slope, abs=1e-5 * max(np.abs(f).max(), 1.0))
    assert f == pytest.approx(assembled(tets, q)[1], abs=1e-9 * max(np.abs(f).max(), 1.0)), (
        "as the implicit methods have it"
    )


@pytest.mark.parametrize("model", MODELS)
def test_one_pass_is_the_same_as_two(model):
    sim, step = free_step(model, stiffness_damping=0.01, mass_damping=0.3)
    rng = np.random.default_rng(0)
    q, v = sim.state.q + 0.005 * rng.standard_normal(sim.state.q.shape), rng.standard_normal(sim.state.v.shape)
    force, b = elastic_forces(step.data.solids, q), step.blocks
    two = free_accelerations(step, force, v)
    for keep in (False, True):
        kept, one = InternalForce(np.zeros_like(force.frames), np.zeros_like(force.forces)), np.empty_like(v)
        forces_kernels.accelerate_at(
            b.nodes, b.order, b.constants, b.counts, b.neo_hookean, b.damped, q, v, step.inverse_mass,
            step.model.gravity, step.model.drag, keep, kept.frames, kept.forces, one,
        )  # fmt: skip
        assert one == pytest.approx(two, abs=1e-9 * np.abs(two).max())
        assert (kept.frames == (force.frames if keep else 0.0)).all()
        assert (kept.forces == (force.forces if keep else 0.0)).all()


@pytest.mark.parametrize("model", MODELS)
def test_damping_at_rest_is_that_of_the_stiffness_matrix(model):
    tets, q = elements(model, stiffness_damping=0.02)
    v = np.random.default_rng(3).standard_normal(q.shape)
    sim_free, _ = elements(model)
    K = assembled(sim_free, q)[0]
    expected = -0.02 * (K @ v.ravel()).reshape(-1, 3)
    scene = sg.Scene(gravity=(0.0, 0.0, 0.0))
    mesh = sg.shapes.box_tets(0.2, 0.1, 0.1, cells=(2, 1, 1))
    scene.add_soft_solid(mesh, material=material(model, stiffness_damping=0.02), name="b")
    sim = sg.Simulation(scene)
    step = step_data(model_data(sim._world.model), sim.state, 1.0)
    a = free_accelerations(step, elastic_forces(join_solids([tets]), q), v)
    assert a * step.model.mass[:, None] == pytest.approx(expected, abs=1e-8 * np.abs(expected).max())


@pytest.mark.parametrize("model", MODELS)
def test_damping_takes_energy_and_no_rigid_motion_feels_it(model):
    sim, damped = free_step(model, stiffness_damping=0.02)
    _, plain = free_step(model)
    rng, mass = np.random.default_rng(4), damped.model.mass[:, None]
    for size in (0.001, 0.01, 0.05):  # the last turns elements inside out
        q = sim.state.q + size * rng.standard_normal(sim.state.q.shape)
        force, v = elastic_forces(damped.data.solids, q), rng.standard_normal(q.shape)
        lost = mass * (free_accelerations(damped, force, v) - free_accelerations(plain, force, v))
        assert (lost * v).sum() < 0.0
        spinning = np.array([1.0, 2.0, 3.0]) + np.cross([0.3, -1.0, 0.5], q)
        turned = mass * (free_accelerations(damped, force, spinning) - free_accelerations(plain, force, spinning))
        if model == "neo-hookean":  # objective; R of a co-rotational element is objective only where F is a rotation
            assert np.abs(turned).max() < 1e-10 * np.abs(lost).max()


def test_interpolated_forces_sum_to_zero_and_err_by_the_square_of_the_way():
    """Between two configurations, the error of linear interpolation falls by four when the way is halved (Hong2004 §2)."""
    tets, q = elements("neo-hookean")
    way = np.zeros_like(q)
    way[11] = [-0.02, 0.004, 0.006]
    errors = []
    for scale in (1.0, 0.5, 0.25):
        before, after = elastic_forces(join_solids([tets]), q), elastic_forces(join_solids([tets]), q + scale * way)
        share = np.zeros(len(q))
        share[11] = 0.5
        middle = interpolated(join_solids([tets]), before, after, share)
        exact = elastic_forces(join_solids([tets]), q + 0.5 * scale * way)
        errors.append(np.abs(middle.forces - exact.forces).max())
        total = node_forces(tets, middle, len(q))
        assert np.abs(total.sum(axis=0)).max() < 1e-12 * np.abs(total).max()
    assert np.log2(errors[0] / errors[1]) == pytest.approx(2.0, abs=0.2)
    assert np.log2(errors[1] / errors[2]) == pytest.approx(2.0, abs=0.1)
    whole = np.zeros(len(q))
    whole[11] = 1.0
    back = interpolated(join_solids([tets]), before, after, whole)
    assert back.forces == pytest.approx(before.forces, abs=1e-9), "moved back all the way"
    assert interpolated(join_solids([tets]), before, after, np.zeros(len(q))).forces == pytest.approx(
        after.forces, abs=0.0
    )


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("beta", [0.0, 2e-4, 2e-2])
def test_the_stable_step_is_stable_and_half_as_much_again_is_not(model, beta):
    """Small vibrations for 400 steps: no growth at the stable step, explosion beyond, also when overdamped."""
    sim, step = free_step(model, stiffness_damping=beta)
    h = stable_step(step.data, sim.state.q, frequency_ratio(step.data))
    rng = np.random.default_rng(0)
    grown = {}
    for factor in (1.0, 1.3 / SAFETY):
        q = sim.state.q + 1e-7 * rng.standard_normal(sim.state.q.shape)
        v = np.zeros_like(q)
        motion = Motion(0.0, q, v, elastic_forces(step.data.solids, q))
        touching = no_contacts(step, q, v)
        for _ in range(400):
            motion = runge_kutta_step(step, motion, touching, factor * h, np.zeros(0, bool)).motion
            if not np.abs(motion.v).max() < 1e3:
                break
        grown[factor] = np.abs(motion.q - sim.state.q).max()
    assert grown[1.0] < 1e-6
    assert not grown[1.3 / SAFETY] < 1e-4
    assert 0.3 < frequency_ratio(step.data) <= 1.0
