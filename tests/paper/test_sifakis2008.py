"""Sifakis2008 §4-5: what its collision response promises, measured; the same for the Gauss-Seidel impulses it replaces."""

from __future__ import annotations

import math

import numpy as np
import pytest

import signorini as sg
from reference import collision_loop as reference
from signorini.methods.collision_loop import volume_impulses
from signorini.methods.collision_loop.effective_motion import EffectiveMotion
from signorini.methods.collision_loop.impulses import resolve_by_impulses
from signorini.methods.collision_loop.volume_impulses import collision_volumes, newton_step, resolve_by_volumes
from signorini.methods.report import Tally

RESOLVE = {"volume": resolve_by_volumes, "impulses": resolve_by_impulses}
FORMS = [("volume", {}), ("impulses", {}), ("impulses", {"normals": "impact"})]


def resolved(sim, v, dt):
    motion = reference.motion_of(sim, dt)
    after, found = RESOLVE[sim.settings.method](motion, v, Tally())
    return motion, after, found


@pytest.mark.parametrize(("method", "loop"), FORMS)
def test_both_forms_separate_colliding_sheets(method, loop):
    """Three sheets, at once, over a whole frame of 1/60 s in which they would pass through each other."""
    sim = reference.sheets(method, count=3, cells=10, **loop)
    v = reference.on_course(sim, 1.0)
    motion, after, found = resolved(sim, v, 1.0 / 60.0)
    assert found > 1000
    assert reference.left_over(motion, v) > 1000
    assert reference.left_over(motion, after) == 0


@pytest.mark.parametrize(("method", "loop"), FORMS)
def test_momentum_is_conserved_globally_and_in_each_contact_zone(method, loop):
    """§4: Σ j = 0 over everything and over each zone, to 1e-10 of the momentum exchanged; what touches nothing keeps its own."""
    sim = reference.sheets(method, count=3, apart=1.0, **loop)
    v = reference.on_course(sim, 1.0, seed=3)
    # The uppermost sheet of the second stack flies away.
    slots = list(sim._world.model.bodies.values())
    v[slots[-1].nodes, 2] = 1.0
    _, after, found = resolved(sim, v, 0.01)
    assert found > 100
    impulse = sim._world.model.mass[:, None] * (after - v)
    scale = np.abs(impulse).sum()
    for zone in (slots[:3], slots[3:5]):
        nodes = np.concatenate([np.arange(s.nodes.start, s.nodes.stop) for s in zone])
        assert np.abs(impulse[nodes]).sum() > 0.05 * scale
        assert np.abs(impulse[nodes].sum(axis=0)).max() < 1e-10 * scale
    assert np.abs(impulse.sum(axis=0)).max() < 1e-10 * scale
    assert not impulse[slots[5].nodes].any()


@pytest.mark.parametrize(("method", "loop"), FORMS)
def test_kinetic_energy_is_never_raised(method, loop):
    """§4, for steps from 2 ms to two frames and motions from smooth to wild, resolved or not."""
    sim = reference.sheets(method, count=3, **loop)
    for dt in (0.002, 0.01, 1.0 / 30.0):
        for rough in (0.1, 1.0):
            for seed in range(4):
                v = reference.on_course(sim, 0.02 / dt, seed=seed, rough=rough)
                _, after, found = resolved(sim, v, dt)
                assert found > 0
                assert reference.kinetic(sim, after) <= reference.kinetic(sim, v) * (1.0 + 1e-12)


def test_eq_4_alone_can_raise_the_energy(monkeypatch):
    """Why the step is bounded by the energy lost so far: Newton's method on the volumes is inelastic only to first order."""
    sim = reference.sheets("volume", count=3, solve_tolerance=1e-4)
    motions = [reference.on_course(sim, 2.0, seed=seed, rough=1.0) for seed in range(8)]
    bounded = [reference.kinetic(sim, resolved(sim, v, 1.0 / 30.0)[1]) / reference.kinetic(sim, v) for v in motions]
    monkeypatch.setattr(volume_impulses, "_largest_part", lambda *_: math.inf)
    free = [reference.kinetic(sim, resolved(sim, v, 1.0 / 30.0)[1]) / reference.kinetic(sim, v) for v in motions]
    assert max(free) > 1.01
    assert max(bounded) <= 1.0 + 1e-12


NORMAL = np.array([0.3, -0.2, 1.0]) / np.linalg.norm([0.3, -0.2, 1.0])


def one_pair(method, dt, **loop):
    """A corner of a triangle meets the inside of another one in the middle of a step of length dt, all six nodes in motion."""
    rng = np.random.default_rng(5)
    across = np.linalg.svd(NORMAL[None])[2][1:]
    below = np.array([[-0.5, -0.4], [0.6, -0.3], [0.0, 0.7]]) @ across
    above = np.array([0.02, 0.03]) @ across + np.array(
        [np.zeros(3), NORMAL + 0.6 * across[0], NORMAL - 0.5 * across[1]]
    )
    v = np.concatenate([np.zeros((3, 3)), np.tile(-NORMAL, (3, 1))]) + 0.4 * rng.normal(size=(6, 3))
    scene = sg.Scene(gravity=(0, 0, 0))
    for k, corners in enumerate((below, above)):
        start = corners - 0.5 * dt * v[3 * k : 3 * k + 3]
        mesh = sg.TriangleMesh(start, np.array([[0, 1, 2]]))
        scene.add_cloth(mesh, area_density=0.1 + 0.2 * k)
    loop = sg.CollisionLoopSettings(**loop)
    sim = sg.Simulation(scene, settings=sg.Settings(method=method, contact_distance=1e-7, collision_loop=loop))
    return sim, v, EffectiveMotion(sim._world, sim._moment, dt)


STEPS = 0.1 * 0.5 ** np.arange(6)


@pytest.mark.parametrize(("method", "loop"), FORMS)
def test_impulses_become_normal_in_the_limit_of_small_steps(method, loop, record_property):
    """§4: the angle between every impulse and the normal at the moment of collision vanishes in proportion to the step."""
    angles = []
    for dt in STEPS:
        sim, v, motion = one_pair(method, dt, **loop)
        after, found = RESOLVE[method](motion, v, Tally())
        assert found == 1
        impulse = sim._world.model.mass[:, None] * (after - v)
        impulse = impulse[np.linalg.norm(impulse, axis=1) > 1e-6]
        assert len(impulse) == 4
        sine = np.linalg.norm(np.cross(impulse, NORMAL), axis=1) / np.linalg.norm(impulse, axis=1)
        angles.append(float(np.arcsin(sine).max()))
    rates = np.log2(np.array(angles[:-1]) / angles[1:])
    record_property("largest angle to the normal by step [rad]", angles)
    record_property("rates", rates.tolist())
    if loop:
        assert max(angles) < 1e-6, "the normal at the time of impact is exact for every step"
        return
    assert rates[-3:] == pytest.approx([1.0, 1.0, 1.0], abs=0.05), f"angles {angles}"
    assert angles[-1] < 0.005


def test_keeping_the_volume_is_inelastic_to_first_order():
    """§5: the pressure of Eq. 4 and the one that leaves the least kinetic energy differ by a part in proportion to dt."""
    differences = []
    for dt in STEPS:
        sim, v, motion = one_pair("volume", dt, damping=1.0, solve_tolerance=1e-12)
        pairs = collision_volumes(motion, motion.find_pairs(motion.place(v)))
        assert len(pairs) == 1
        goal = pairs.volumes(sim._moment.surface_positions)
        dv = newton_step(motion, pairs, goal, v, 1e9, Tally())[0] - v
        # The least kinetic energy along dv is at −v'M dv / dv'M dv; Eq. 4 takes 1.
        mass = sim._world.model.mass[:, None]
        differences.append(abs(1.0 + float((mass * v * dv).sum() / (mass * dv * dv).sum())))
    rates = np.log2(np.array(differences[:-1]) / differences[1:])
    assert rates[-3:] == pytest.approx([1.0, 1.0, 1.0], abs=0.1)


def test_a_newton_step_takes_the_part_gamma():
    """Table 1: with M = 5 and γ = 0.3 one outer iteration leaves 0.7⁵ of what a short step lacks in volume."""
    sim, v, motion = one_pair("volume", STEPS[-1], outer=1)
    pairs = collision_volumes(motion, motion.find_pairs(motion.place(v)))
    goal = pairs.volumes(sim._moment.surface_positions)
    after, _ = resolve_by_volumes(motion, v, Tally())
    lacking = [float((goal - pairs.volumes(motion.place(u).surface_positions))[0]) for u in (v, after)]
    assert lacking[1] / lacking[0] == pytest.approx(0.7**5, rel=0.02)


def test_pairs_are_found_anew_in_every_outer_iteration():
    """A sheet pushed by a second one runs into a third that nothing was about to hit: one outer iteration cannot know."""
    left = []
    for outer in (1, 3):
        sim = reference.sheets("volume", count=3, gap=0.006, outer=outer, damping=1.0)
        slots = list(sim._world.model.bodies.values())
        v = np.zeros_like(sim.state.v)
        v[slots[2].nodes, 2] = -1.5
        motion, after, _ = resolved(sim, v, 0.006)
        left.append(reference.left_over(motion, after))
    assert left[0] > 0
    assert left[1] == 0
