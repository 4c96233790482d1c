"""The default tolerance of the contact solver: chosen from the scene, visible, and fine enough for towers to rest."""

from __future__ import annotations

import numpy as np
import pytest

import signorini as sg
from signorini.studies.absurd_scenes import leaning_cards


def tower(count: int) -> sg.Scene:
    """Boxes of 0.2 x 0.2 x 0.1 m on top of each other, each a little beside the one below."""
    scene = sg.Scene(friction=0.5)
    scene.add_ground()
    rng = np.random.default_rng(0)
    for i in range(count):
        place = (*rng.uniform(-0.01, 0.01, 2), 0.05 + 0.1 * i + 0.004 * (i + 1))
        scene.add_rigid(sg.shapes.box(0.2, 0.2, 0.1), density=1000, position=place, name=f"box-{i}")
    return scene


def cloth() -> sg.Scene:
    scene = sg.Scene()
    scene.add_cloth(sg.shapes.grid(0.3, 0.3, cells=3), position=(0, 0, 0.1), model="mass-spring", name="sheet")
    scene.add_ground()
    return scene


@pytest.mark.parametrize("dt", [1e-3, 4e-3])
def test_it_follows_gravity_and_the_time_step(dt):
    assert sg.Simulation(tower(1), dt=dt).contact_tolerance == pytest.approx(1.25e-4 * 9.81 * dt)
    assert sg.Simulation(cloth(), dt=dt).contact_tolerance == pytest.approx(1.25e-2 * 9.81 * dt)


def test_it_is_never_coarser_than_before():
    assert sg.Simulation(cloth(), dt=0.03).contact_tolerance == 5e-4


def test_without_gravity_it_follows_the_contact_distance():
    scene = tower(1)
    scene.gravity = np.zeros(3)
    simulation = sg.Simulation(scene, settings=sg.Settings(contact_distance=1e-3))
    assert simulation.contact_tolerance == pytest.approx(1e-4 * 1e-3 / 4e-3)


def test_the_users_choice_is_taken_and_the_settings_stay_as_they_are():
    chosen = sg.Settings(solver=sg.SolverSettings(tolerance=1e-3))
    assert sg.Simulation(tower(1), settings=chosen).contact_tolerance == 1e-3
    simulation = sg.Simulation(tower(1))
    assert isinstance(simulation.settings.solver, sg.SolverSettings)
    assert simulation.settings.solver.tolerance is None


def test_the_solver_reaches_it():
    simulation = sg.Simulation(tower(3))
    reports = [simulation.step() for _ in range(60)]
    assert all(r.solves == r.solves_converged for r in reports)
    assert reports[-1].complementarity_residual <= simulation.contact_tolerance


@pytest.mark.slow
def test_a_tower_of_twenty_boxes_comes_to_rest():
    """32 mm/s with the former tolerance of 5e-4 m/s."""
    simulation = sg.Simulation(tower(20))
    speeds = []
    for step in range(750):
        simulation.step()
        if step >= 500:
            speeds.append(max(np.abs(simulation.bodies[f"box-{i}"].velocities).max() for i in range(20)))
    assert max(speeds) < 1e-3


def test_an_a_frame_of_cards_does_not_sink():
    """It sank by 0.41 ‰ a second."""
    sim, heights = sg.Simulation(leaning_cards(1), dt=4e-3), []
    for _ in range(500):
        sim.step()
        heights.append(max(float(body.positions[:, 2].max()) for body in sim.bodies.values()))
    assert heights[249] > 0.08
    assert heights[249] - heights[499] < 5e-5 * heights[249]
