"""Rods: beam theory, momentum, contact of curves with everything, and files."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import signorini as sg


def straight(length: float, segments: int) -> np.ndarray:
    t = np.linspace(0.0, length, segments + 1)
    return np.column_stack([t, 0.0 * t, 0.0 * t])


@pytest.mark.parametrize("segments", [10, 20, 40])
def test_a_cantilever_sags_like_a_beam(segments: int) -> None:
    """w L⁴ / (8 EI) at the tip, for a small sag; the clamp is half a segment short, an error of first order."""
    length, rigidity, density = 1.0, 1e-2, 1e-3
    scene = sg.Scene(gravity=(0, 0, -9.81))
    rod = scene.add_rod(
        straight(length + length / segments, segments + 1),
        linear_density=density,
        stretching_stiffness=1e4,
        bending_rigidity=rigidity,
        damping_time=0.1,
    )
    rod.pin([0, 1])
    sim = sg.Simulation(scene, dt=0.05)
    for _ in range(200):
        sim.step()
    assert sim.step().max_speed < 1e-6
    sag = -sim.bodies["rod"].positions[-1, 2]
    expected = density * 9.81 * length**4 / (8.0 * rigidity)
    assert sag == pytest.approx(expected, rel=2.0 / segments)


def swing(damping_time: float) -> tuple[np.ndarray, np.ndarray]:
    """Times and heights of the tip of a cantilever that was let go with a small bend, without gravity."""
    points = straight(0.5, 10)
    bent = points + np.column_stack([0.0 * points[:, 0], 0.0 * points[:, 0], 0.02 * points[:, 0] ** 2])
    scene = sg.Scene(gravity=(0, 0, 0))
    rod = scene.add_rod(
        points, initial_vertices=bent, linear_density=1e-2, bending_rigidity=1e-2, damping_time=damping_time
    )
    rod.pin([0, 1])
    sim, tip = sg.Simulation(scene, dt=5e-4), []
    for _ in range(1600):
        sim.step()
        tip.append(sim.bodies["rod"].positions[-1, 2])
    return 5e-4 * np.arange(1, 1601), np.array(tip)


def test_bending_is_damped_by_the_damping_time() -> None:
    """A mode of frequency ω loses amplitude with the rate damping_time ω² / 2, beyond what backward Euler takes."""
    (time, free), (_, damped) = swing(0.0), swing(5e-3)
    crossings = time[1:][np.diff(np.sign(free)) != 0]
    omega = np.pi / np.diff(crossings).mean()
    late = slice(1000, 1600)
    measured = np.log(np.abs(free[late]).max() / np.abs(damped[late]).max()) / time[late].mean()
    assert measured == pytest.approx(0.5 * 5e-3 * omega**2, rel=0.15)


def test_a_free_rod_keeps_its_momentum() -> None:
    scene = sg.Scene(gravity=(0, 0, 0))
    t = np.linspace(0.0, 1.0, 21)
    scene.add_rod(
        np.column_stack([t, 0.1 * np.sin(7.0 * t), 0.05 * np.cos(5.0 * t)]),
        initial_vertices=np.column_stack([1.1 * t, 0.0 * t, 0.1 * t**2]),
        velocity=(1.0, 2.0, 3.0),
        bending_rigidity=1e-3,
    )
    sim = sg.Simulation(scene, dt=4e-3)
    mass = sim._world.model.mass[:, None]
    before = (mass * sim.state.v).sum(axis=0)
    for _ in range(50):
        sim.step()
    np.testing.assert_allclose((mass * sim.state.v).sum(axis=0), before, rtol=1e-4)


def test_a_curved_rod_stays_curved() -> None:
    angle = np.linspace(0.0, np.pi, 15)
    arc = np.column_stack([0.2 * np.cos(angle), 0.2 * np.sin(angle), 0.0 * angle])
    scene = sg.Scene(gravity=(0, 0, 0))
    scene.add_rod(arc, bending_rigidity=1e-3)
    sim = sg.Simulation(scene)
    for _ in range(25):
        sim.step()
    np.testing.assert_allclose(sim.bodies["rod"].positions, arc, atol=1e-9)


@pytest.mark.parametrize("target", ["rod", "cloth", "rigid", "kinematic", "ground"])
def test_a_fast_rod_passes_through_nothing(target: str) -> None:
    """30 m/s, 12 cm a step: nothing is passed in any step, seen by continuous detection and by an independent look."""
    scene = sg.Scene(gravity=(0, 0, 0), friction=0.2)
    points = straight(0.5, 10)
    scene.add_rod(points, position=(-0.25, 0.013, 0.2), velocity=(0, 0, -30), linear_density=0.05, name="fast")
    match target:
        case "rod":
            scene.add_rod(points[:, [1, 0, 2]], position=(0.01, -0.25, 0), linear_density=1.0, name="other").pin(
                [0, 10]
            )
        case "cloth":
            mesh = sg.shapes.grid(0.6, 0.6, cells=6)
            cloth = scene.add_cloth(mesh, name="other")
            cloth.pin(np.flatnonzero(np.abs(mesh.vertices[:, :2]).max(axis=1) > 0.29))
        case "rigid":
            scene.add_rigid(sg.shapes.box(0.2, 0.2, 0.1), density=2000, name="other")
        case "kinematic":
            scene.add_kinematic(sg.shapes.box(0.2, 0.2, 0.1), name="other")
        case "ground":
            scene.add_ground(name="other")
    sim = sg.Simulation(scene, dt=4e-3)
    touched = 0
    for _ in range(12):
        report = sim.step()
        assert sim.intersections() == 0
        touched = max(touched, report.active_count)
    assert touched > 0
    lowest = sim.bodies["fast"].positions[4:7, 2].min()
    assert lowest > -0.3  # the middle was caught; free it would be at -1.2 m


def test_a_rod_is_saved_and_read(tmp_path: Path) -> None:
    scene = sg.Scene()
    t = np.linspace(0.0, 1.0, 5)
    rod = scene.add_rod(
        np.column_stack([t, t**2, 0.0 * t]),
        position=(0, 0, 1),
        rotation=(0.1, 0.2, 0.3),
        velocity=(1, 0, 0),
        closed=True,
    )
    rod.pin([2], release_time=0.5)
    file = sg.save_scene(tmp_path / "scene.toml", scene)
    again = sg.load_scene(file).scene.bodies["rod"]
    for name in ("points", "positions", "velocities", "closed", "linear_density", "bending_rigidity", "kind"):
        np.testing.assert_array_equal(getattr(again, name), getattr(rod, name))
    np.testing.assert_array_equal(again.pins[0].vertices, [2])
    assert again.pins[0].release_time == 0.5


@pytest.mark.parametrize(
    ("points", "options", "message"),
    [
        ([[0, 0, 0]], {}, "at least 2"),
        ([[0, 0, 0], [1, 0, 0]], {"closed": True}, "at least 3"),
        ([[0, 0, 0], [0, 0, 0], [1, 0, 0]], {}, "points 0 and 1 of a rod are the same"),
        ([[0, 0, 0], [1, 0, 0], [0, 0, 0]], {"closed": True}, "points 2 and 0 of a rod are the same"),
        ([[0, 0, 0], [1, 0, 0]], {"linear_density": 0.0}, "linear_density must be positive"),
        ([[0, 0, 0], [1, 0, 0]], {"bending_rigidity": -1.0}, "bending_rigidity must be"),
        ([[0, 0, 0], [1, 0, 0]], {"initial_velocities": [[0, 0, 0]]}, "one row per point, got 1 for 2"),
        ("rope", {}, "points of a rod"),
    ],
)
def test_bad_input_is_one_sentence(points: object, options: dict, message: str) -> None:
    with pytest.raises(sg.InputError, match=message) as error:
        sg.Scene().add_rod(points, **options)  # pyright: ignore[reportArgumentType]
    assert "\n" not in str(error.value)
