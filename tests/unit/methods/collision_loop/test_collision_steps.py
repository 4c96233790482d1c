"""The bookkeeping of the collision loop: collision steps of a frame, and the velocities at their ends."""

from __future__ import annotations

import math

import numpy as np
import pytest

import signorini as sg
from reference import collision_loop as reference
from signorini.methods.collision_loop import collision_loop
from signorini.methods.collision_loop.collision_loop import CollisionLoopMemory, attempt_collision_step
from signorini.methods.collision_loop.newmark import integrate, stable_step
from signorini.methods.report import Tally
from signorini.scene.cloth_material import cloth_material


def falling(**loop):
    """A sheet in free fall, far from everything."""
    scene = sg.Scene()
    scene.add_cloth(
        sg.shapes.grid(0.3, 0.3, cells=5), material="silk", position=(0, 0, 1), name="sheet", model="mass-spring"
    )
    settings = sg.Settings(method="volume", collision_loop=sg.CollisionLoopSettings(**loop))
    return sg.Simulation(scene, dt=1.0 / 60.0, settings=settings)


@pytest.mark.parametrize("max_loops", [1, 7, 16, 1000])
def test_a_frame_is_cut_into_collision_steps_of_at_most_so_many_loops(max_loops, monkeypatch):
    """Equal steps of the integrator of at most CFL number 4; the last collision step is what is left, and ends on time."""
    sim = falling(max_loops=max_loops)
    loops = math.ceil(sim.dt / (4.0 * stable_step(sim._world.model, sim.state)))
    assert 20 < loops < 1000
    taken = []
    monkeypatch.setattr(
        collision_loop,
        "integrate",
        lambda m, s, t1, n, o: (taken.append((n, t1 - s.time)), integrate(m, s, t1, n, o))[1],
    )
    report = sim.step()
    assert [n for n, _ in taken] == [max_loops] * (loops // max_loops) + [loops % max_loops] * (loops % max_loops > 0)
    np.testing.assert_allclose([interval / n for n, interval in taken], sim.dt / loops, rtol=1e-9)
    assert report.substeps == len(taken)
    assert report.collision_interval == pytest.approx(min(max_loops, loops) * sim.dt / loops)
    assert report.status is sg.StepStatus.ACCEPTED
    assert sim.time == sim.dt


def test_what_is_far_too_stiff_stops_with_a_sentence():
    scene = sg.Scene()
    scene.add_cloth(
        sg.shapes.grid(0.3, 0.3, cells=5),
        material=cloth_material("cotton").scaled(1e9),
        position=(0, 0, 1),
        name="sheet",
    )
    sim = sg.Simulation(scene, dt=1.0 / 60.0, settings=sg.Settings(method="impulses"))
    with pytest.raises(sg.SimulationStoppedError, match=r"method .impulses. is stable up to .*\(take method .cmr."):
        sim.step()
    assert sim.time == 0.0


def test_without_contact_the_candidate_is_the_result():
    sim = falling()
    start, t1 = sim._moment, 0.01
    attempt = attempt_collision_step(sim._world, start, t1, 5, sim._method.resolve, Tally())
    candidate = integrate(sim._world.model, start.state, t1, 5, sim.settings)
    assert attempt.moment.state.time == t1
    np.testing.assert_allclose(attempt.moment.state.q, candidate.q, atol=1e-15)
    assert np.array_equal(attempt.moment.state.v, candidate.v)


def attempt_with(sim, v, dt, loops=3):
    for name, body in sim.bodies.items():
        body.velocities = v[sim._world.model.bodies[name].nodes]
    start = sim._moment
    candidate = integrate(sim._world.model, start.state, start.state.time + dt, loops, sim.settings)
    attempt = attempt_collision_step(sim._world, start, start.state.time + dt, loops, sim._method.resolve, Tally())
    assert attempt.moment is not None
    return start.state, candidate, attempt.moment.state


@pytest.mark.parametrize("method", ["volume", "impulses"])
def test_with_collisions_what_was_processed_keeps_its_effective_velocity(method):
    """Sifakis2008 §3, last paragraph: v of processed nodes is (x1 − x0)/dt, the others keep that of the candidate."""
    sim = reference.sheets(method, cells=8)
    v = reference.on_course(sim, 1.0)
    # Only one half of the sheets meets.
    v[sim.state.q[:, 0] > 0.0] = 0.0
    dt = 0.01
    start, candidate, after = attempt_with(sim, v, dt)
    effective = (after.q - start.q) / dt
    processed = np.abs(after.q - candidate.q).max(axis=1) > 1e-12
    assert 20 < processed.sum() < len(v) - 20
    np.testing.assert_allclose(after.v[processed], effective[processed], atol=1e-11)
    assert np.array_equal(after.v[~processed], candidate.v[~processed])


@pytest.mark.parametrize("method", ["volume", "impulses"])
def test_with_repulsions_only_the_change_is_added(method):
    """The other case of the rule: v1 = v* + Δv, with Δv the change of the effective velocity."""
    sim = reference.sheets(method, gap=0.007, cells=8)
    v = reference.on_course(sim, 0.02, rough=1.0)
    dt = 0.01
    start, candidate, after = attempt_with(sim, v, dt)
    changed = np.abs(after.q - candidate.q).max(axis=1) > 1e-9
    assert changed.sum() > 20
    np.testing.assert_allclose(after.v, candidate.v + (after.q - candidate.q) / dt, atol=1e-10)
    assert np.abs(after.v - (after.q - start.q) / dt)[changed].max() > 1e-6, "the two cases differ"


@pytest.mark.parametrize("method", ["volume", "impulses"])
def test_angular_momentum_of_rigid_bodies_is_conserved_through_a_collision(method):
    """Two tumbling boxes without friction: Σ x × p + L is kept exactly by impulses along the shortest connections; area vectors
    at the end of the step turn the boxes at their start, which vanishes with dt.
    """
    scene = sg.Scene(gravity=(0, 0, 0), friction=0.0)
    for k in range(2):
        scene.add_rigid(
            sg.shapes.box(0.1, 0.12, 0.14, cells=2),
            mass=1.0 + k,
            position=(0.14 * k, 0.02 * k, 0.01),
            rotation=(0.3, 0.5 * k, 0.2),
            velocity=(1.0 - 2.0 * k, 0.0, 0.1),
            angular_velocity=(2.0, 1.0, 4.0 * k),
            name=f"box {k}",
        )
    errors = []
    for dt in (4e-3, 1e-3, 2.5e-4):
        sim = sg.Simulation(scene, dt=dt, settings=sg.Settings(method=method))
        model = sim._world.model

        def momenta(state, model=model):
            L = model.rigids.momentum(state.rotations, state.v[model.rigids.spins])
            linear = model.rigids.nodes
            p = model.mass[linear, None] * state.v[linear]
            return p.sum(axis=0), (np.cross(state.q[linear], p) + L).sum(axis=0)

        before, processed = momenta(sim.state), 0
        while sim.time < 0.1:
            processed += sim.step().contact_count
        after = momenta(sim.state)
        assert processed > 0
        np.testing.assert_allclose(after[0], before[0], atol=1e-12)
        errors.append(np.abs(after[1] - before[1]).max())
    if method == "impulses":
        assert max(errors) < 1e-12, "the points of a pair are along its normal"
    else:
        assert errors[0] < 0.01
        assert errors[-1] < 0.3 * errors[0]


def test_the_number_of_loops_is_remembered():
    sim = falling(max_loops=4)
    sim.step()
    assert sim._moment.memory == CollisionLoopMemory(4)
    saved = sim.checkpoint()
    assert int(saved["collision_loops"]) == 4
    sim.bodies["sheet"].velocities = np.zeros_like(sim.bodies["sheet"].velocities)
    assert sim._moment.memory == CollisionLoopMemory(4)
    fresh = falling(max_loops=4)
    fresh.restore(saved)
    assert fresh._moment.memory == CollisionLoopMemory(4)
    del saved["collision_loops"]
    fresh.restore(saved)
    assert fresh._moment.memory is None
