"""Joints of rigid bodies: pendulums against closed forms and a reference integration, drift, limits, loops, contact."""

from __future__ import annotations

import numpy as np
import pytest

import signorini as sg
from signorini.studies.validation.cases.pendulum import double_pendulum, rod_period, rod_scene

G = 9.81


def test_period_of_a_pendulum() -> None:
    """A rod of 0.5 m on a hinge, 0.3 rad: the elliptic integral to 0.5 %; measured 2e-5."""
    scene = rod_scene(0.3)
    scene.add_joint("hinge", "rod", at=(0, 0, 0), axis=(0, 1, 0), name="pivot")
    sim = sg.Simulation(scene, dt=4e-3)
    times, angles, energies = [], [], []
    for _ in range(700):
        report = sim.step()
        assert report.status.name == "ACCEPTED"
        times.append(sim.time)
        angles.append(np.arctan2(sim.bodies["rod"].center[0], -sim.bodies["rod"].center[2]))
        energies.append(report.kinetic_energy + report.potential_energy)
    t, x = np.array(times), np.array(angles)
    up = np.flatnonzero((x[:-1] < 0) & (x[1:] >= 0))
    crossings = t[up] - x[up] * (t[up + 1] - t[up]) / (x[up + 1] - x[up])
    assert np.diff(crossings).mean() == pytest.approx(rod_period(0.3), rel=1e-3)
    # No growth over the periods: the oscillation that a step leaves is of its length.
    first, last = np.array(energies[:291]), np.array(energies[-291:])
    assert last.max() <= first.max() + 1e-6
    assert sim.joints["pivot"].error < 1e-12
    assert abs(sim.joints["pivot"].position) <= 0.61


def test_double_pendulum_follows_the_equations_of_motion() -> None:
    """Two rods on hinges against Lagrange's equations, integrated to 1e-10: 1 s of large motion."""
    off, open_by = double_pendulum(2e-3)
    assert off < 0.01
    assert open_by < 1e-12


def test_limit_of_a_hinge_is_not_passed() -> None:
    scene = rod_scene(1.0)
    scene.add_joint("hinge", "rod", at=(0, 0, 0), axis=(0, -1, 0), lower=-1.3, name="pivot")
    sim = sg.Simulation(scene, dt=4e-3)
    lowest = 0.0
    for _ in range(250):
        sim.step()
        lowest = min(lowest, sim.joints["pivot"].position)
    assert -1.3 - 1e-9 <= lowest <= -1.29


def test_four_bar_linkage_moves_and_stays_closed() -> None:
    """Three bars and the world, four parallel hinges: twenty equations, of which three say nothing new; one motion is left."""
    scene = sg.Scene(gravity=(0, 0, 0))
    points = np.array([[0, 0, 0], [0, 0, 0.3], [0.5, 0, 0.4], [0.6, 0, 0.0]], dtype=float)
    for k in range(3):
        along = points[k + 1] - points[k]
        size = np.linalg.norm(along)
        scene.add_rigid(
            sg.shapes.box(size, 0.03, 0.03),
            density=500,
            position=0.5 * (points[k] + points[k + 1]) + [0, 0.05 * k, 0],
            rotation=(0, -np.arctan2(along[2], along[0]), 0),
            name=f"bar-{k}",
        )
    names = ["bar-0", "bar-1", "bar-2"]
    scene.add_joint(
        "hinge", "bar-0", at=points[0], axis=(0, 1, 0), damping=5.0, target_velocity=2.0, max_force=5.0, name="a"
    )
    scene.add_joint("hinge", "bar-1", to="bar-0", at=points[1], axis=(0, 1, 0), name="b")
    scene.add_joint("hinge", "bar-2", to="bar-1", at=points[2], axis=(0, 1, 0), name="c")
    scene.add_joint("hinge", "bar-2", at=points[3], axis=(0, 1, 0), name="d")
    sim = sg.Simulation(scene, dt=5e-3)
    assert sim._world.model.joints is not None
    assert len(names) == len(sim._world.model.rigids)
    for _ in range(100):
        sim.step()
    assert abs(sim.joints["a"].position) > 0.3
    assert max(sim.joints[name].error for name in "abcd") < 1e-10


def test_driven_finger_holds_a_soft_ball_with_its_force() -> None:
    scene = sg.Scene(gravity=(0, 0, 0))
    scene.add_soft_solid(sg.shapes.sphere_tets(0.05, edge=0.025), material="rubber", name="ball")
    scene.add_kinematic(sg.shapes.box(0.02, 0.2, 0.2), position=(-0.0615, 0, 0), name="wall")
    scene.add_rigid(sg.shapes.box(0.02, 0.1, 0.1), mass=0.1, position=(0.0615, 0, 0), name="finger")
    scene.add_joint(
        "slider", "finger", axis=(-1, 0, 0), stiffness=2000, damping=20, target=0.05, max_force=5.0, name="push"
    )
    sim = sg.Simulation(scene, dt=5e-3)
    for _ in range(160):
        sim.step()
    force = sim.contact_force("finger")
    assert force[0] == pytest.approx(5.0, rel=0.01)
    assert sim.joints["push"].drive_force == pytest.approx(5.0, rel=1e-6)


def test_chain_of_twenty_links_comes_to_rest_on_a_table() -> None:
    scene = sg.Scene(friction=0.4)
    for k in range(20):
        scene.add_rigid(sg.shapes.box(0.05, 0.02, 0.02), density=800, position=(0.06 * k, 0, 0.08), name=f"link-{k}")
        if k:
            scene.add_joint(
                "hinge",
                f"link-{k}",
                to=f"link-{k - 1}",
                at=(0.06 * k - 0.03, 0, 0.08),
                axis=(0, 1, 0),
                name=f"hinge-{k}",
            )
    scene.add_ground()
    sim = sg.Simulation(scene, dt=5e-3)
    for _ in range(80):
        report = sim.step()
        assert report.status.name in ("ACCEPTED", "HALVED")
    assert max(sim.joints[f"hinge-{k}"].error for k in range(1, 20)) < 1e-10
    assert report.kinetic_energy < 1e-3
    weight = 9.81 * 20 * 800 * 0.05 * 0.02 * 0.02
    lifted = sum(sim.contact_force(f"link-{k}")[2] for k in range(20))
    assert lifted == pytest.approx(weight, rel=0.02)


def test_door_is_pushed_by_a_soft_ball() -> None:
    scene = sg.Scene(gravity=(0, 0, 0))
    scene.add_rigid(sg.shapes.box(0.4, 0.02, 0.4), mass=0.5, position=(0.2, 0, 0), name="door")
    scene.add_soft_solid(
        sg.shapes.sphere_tets(0.05, edge=0.03),
        material="rubber",
        position=(0.3, -0.08, 0),
        velocity=(0, 2, 0),
        name="ball",
    )
    scene.add_joint("hinge", "door", at=(0, 0, 0), axis=(0, 0, 1), upper=1.0, name="hinge")
    sim = sg.Simulation(scene, dt=2e-3)
    for _ in range(60):
        sim.step()
    assert sim.joints["hinge"].velocity > 0.5
    assert sim.joints["hinge"].error < 1e-12
    assert sim.intersections() == 0
