"""Steps in which some bodies are of first order and others of second: each moves as if all were like it."""

from __future__ import annotations

import numpy as np

import signorini as sg
from signorini.dynamics.advance import advance, state_after
from signorini.methods.free_motion import free_motion, starting_motion
from signorini.methods.report import Tally
from signorini.model.state import State

NO_PAIRS = np.zeros((0, 2), dtype=np.int32)
STEPS, FROM = 8, 4
"""Steps that are taken, and the first one of mixed orders."""


def two_of_each() -> sg.Simulation:
    """Twice a damped sheet that hangs from a corner, and a box that turns at the end of a rod."""
    scene = sg.Scene()
    for k in range(2):
        mesh = sg.shapes.grid(0.3, 0.3, cells=3)
        sheet = scene.add_cloth(mesh, position=(2.0 * k, 1.0, 0.0), rotation=(0.8, 0.2, 0.0), name=f"sheet-{k}")
        sheet.pin([0])
        points = np.array([2.0 * k, 0.0, 0.0]) + np.linspace(0.0, 0.4, 4)[:, None] * [0.6, 0.0, -0.8]
        rod = scene.add_rod(
            points, linear_density=0.02, stretching_stiffness=200.0, bending_rigidity=1e-3, name=f"rod-{k}"
        )
        rod.pin([0])
        place = points[-1] + [0.03, 0.0, -0.06]
        scene.add_rigid(sg.shapes.box(0.05, 0.04, 0.1), density=500.0, position=tuple(place), name=f"box-{k}")
        scene.attach(f"rod-{k}", [3], to=f"box-{k}")
    return sg.Simulation(scene, dt=4e-3, settings=sg.Settings(integrator="bdf2", newton_iterations=5))


def after(sim: sg.Simulation, first_order: np.ndarray | None) -> State:
    """The state after some steps, of which the last are of first order for some nodes (n,)."""
    world, state, model, dt = sim._world, sim.state, sim._world.model, sim.dt
    for k in range(STEPS):
        mask = first_order if k >= FROM else None
        rule, reference = starting_motion(world, state, dt, careful=False, rotating_frames=True, first_order=mask)
        free = free_motion(world, state, None, Tally(), rule, reference, careful=False)
        u, spin, time = free.velocity, free.system.spin, state.time + dt
        placed = advance(model, state, u, spin, model.kinematic_positions(time), dt)
        taken = free.taken(world, state, NO_PAIRS, np.zeros_like(u), np.zeros_like(u))
        state = state_after(model, state, placed, u, spin, time, taken)
    return state


def test_each_body_moves_as_if_all_were_of_its_order() -> None:
    """What is attached to a rigid body follows its arc in a mixed step, and its tangent in one of first order: there to 20 µm."""
    sim = two_of_each()
    names, body = np.array(sim._world.model.body_names), sim._world.parts.node_body
    first, sheets = (np.char.endswith(names, "-0")[body], np.char.startswith(names, "sheet")[body])
    mixed, second, euler = (after(sim, mask) for mask in (first, None, np.ones_like(first)))
    assert np.abs(second.q - euler.q)[sheets].max() > 1e-4
    for alone, own in ((euler, first & sheets), (second, ~first)):
        np.testing.assert_allclose(mixed.q[own], alone.q[own], atol=1e-9)
        np.testing.assert_allclose(mixed.v[own], alone.v[own], atol=1e-6)
        assert mixed.history is not None
        assert alone.history is not None
        np.testing.assert_allclose(mixed.history.displacement[own], alone.history.displacement[own], atol=1e-6)
    np.testing.assert_allclose(mixed.q[first], euler.q[first], atol=2e-5)
