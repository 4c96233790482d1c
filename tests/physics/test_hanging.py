"""Pinned cloth: how far it stretches, where its pins are, and what happens when they let go."""

from __future__ import annotations

import math

import numpy as np
import pytest

import signorini as sg
from signorini.scene.cloth_material import PRESETS

GRAVITY = 9.81
LENGTH, WIDTH = 1.0, 0.1


def strip(*, cells=(2, 20), material="cotton", area_density=0.2, air_drag=20.0):
    """A vertical strip of 1 m and its top row, vertices in rows from the bottom up."""
    scene = sg.Scene(air_drag=air_drag)
    cloth = scene.add_cloth(
        sg.shapes.grid(WIDTH, LENGTH, cells=cells),
        material=material,
        area_density=area_density,
        warp=(0.0, 1.0, 0.0),
        position=(0.0, 0.0, 2.0),
        rotation=(math.pi / 2.0, 0.0, 0.0),
        name="strip",
    )
    row = cells[0] + 1
    top = np.arange(row * cells[1], row * (cells[1] + 1))
    return scene, cloth, top


@pytest.mark.parametrize(("material", "factor"), [("cotton", 1.0), ("cotton", 0.1), ("denim", 1.0)])
def test_a_strip_stretches_as_a_rod_under_its_own_weight(material, factor):
    """ΔL = ρ g L² / (2 E h): 0.33 mm for 1 m of cotton, far below 2 %.

    The load of the lowest row is not spread below it: n rows stretch by (n + 1/2 ± 1/2)/n of that at most, so 1/20; where the
    pins keep the strip from contracting sideways it is stiffer.
    """
    scene, cloth, top = strip(material=PRESETS[material].scaled(factor))
    cloth.pin(top)
    sim = sg.Simulation(scene, dt=20e-3)
    for _ in range(150):
        report = sim.step()
    assert report.max_speed < 1e-4, "it must hang still"
    x = sim.bodies["strip"].positions
    stretch = x[top, 2].mean() - x[:3, 2].mean() - LENGTH
    stiffness = cloth.material.membrane_stiffness
    expected = 0.2 * GRAVITY * LENGTH**2 / (2.0 * stiffness)
    ratio = stretch / expected
    assert 1.0 / (1.0 + 2.0 * cloth.material.shear_stiffness / stiffness) - 0.05 < ratio < 1.05, (
        f"{1e3 * stretch:.3f} mm instead of {1e3 * expected:.3f} mm"
    )
    if material == "cotton" and factor == 1.0:
        assert 0.0 < stretch < 0.02 * LENGTH


@pytest.mark.parametrize("name", PRESETS)
def test_every_preset_hangs_with_little_stretch(name):
    """The closed form ρ g L² / (2 E h) of each preset at 0.2 kg/m²; the sides of the strip are pinned at its top."""
    scene, cloth, top = strip(material=name)
    cloth.pin(top)
    sim = sg.Simulation(scene, dt=20e-3)
    for _ in range(100):
        sim.step()
    z = sim.bodies["strip"].positions[:, 2]
    expected = 0.2 * GRAVITY * LENGTH / (2.0 * PRESETS[name].membrane_stiffness)
    assert 0.85 * expected < (z.max() - z.min()) / LENGTH - 1.0 < 1.06 * expected
    assert expected < (1e-3 if name not in ("jersey", "rubber-sheet") else 1e-2)


def test_fixed_pins_stay_exactly_where_they_are():
    """q of a pinned vertex equals its start in every step, to the rounding of q + dt ((target - q) / dt)."""
    scene, cloth, top = strip()
    cloth.pin(top[[0, -1]])
    sim = sg.Simulation(scene)
    start = cloth.positions.copy()
    for _ in range(100):
        sim.step()
        now = sim.bodies["strip"].positions[top[[0, -1]]]
        assert np.abs(now - start[top[[0, -1]]]).max() < 1e-15
        assert np.abs(sim.bodies["strip"].velocities[top[[0, -1]]]).max() < 1e-12


def test_moving_pins_are_exactly_where_the_script_says():
    """q(t) = motion(rest, t) at the end of every step, to rounding; the velocity is the backward difference."""
    scene, cloth, top = strip()
    swing = sg.motions.Rotate(rate=3.0, axis=(0.0, 1.0, 0.0), center=(0.0, 0.0, 2.0), stop=0.2)
    cloth.model = "mass-spring"  # a continuum takes the jerk of the first step in two halves
    cloth.pin(top, motion=swing)
    sim = sg.Simulation(scene)
    rest = cloth.positions[top].copy()
    before = rest
    for _ in range(80):
        sim.step()
        expected = swing.positions(rest, sim.time)
        assert np.abs(sim.bodies["strip"].positions[top] - expected).max() < 1e-14
        assert np.abs(sim.bodies["strip"].velocities[top] - (expected - before) / sim.dt).max() < 1e-10
        before = expected


def test_a_python_function_moves_pins():
    """x(t) = x_0 + 0.1 sin(5 t) exactly; the free end follows."""
    scene, cloth, top = strip()
    cloth.pin(top, motion=lambda rest, time: rest + np.array([0.1 * math.sin(5.0 * time), 0.0, 0.0]))
    sim = sg.Simulation(scene)
    for _ in range(60):
        sim.step()
    moved = sim.bodies["strip"].positions[top] - cloth.positions[top]
    assert np.abs(moved - np.array([0.1 * math.sin(5.0 * sim.time), 0.0, 0.0])).max() < 1e-14
    assert abs(sim.bodies["strip"].positions[:3, 0].mean()) > 1e-3


def test_released_pins_fall_freely():
    """From the first step after `release_time` on the centre of mass has v_n = v_r + n g dt, exactly as backward Euler:
    no force is left. Before, it does not fall.
    """
    release, dt = 0.2, 4e-3
    scene, cloth, top = strip(air_drag=0.0)
    cloth.pin(top, release_time=release)
    sim = sg.Simulation(scene, dt=dt)
    mass = sim._world.model.mass / sim._world.model.mass.sum()
    for _ in range(round(release / dt)):
        sim.step()
        assert np.abs(sim.bodies["strip"].positions[top] - cloth.positions[top]).max() < 1e-15
    v, z = mass @ sim.state.v, mass @ sim.state.q
    assert np.abs(v).max() < 0.05, "it hung"
    for n in range(1, 41):
        sim.step()
        g = np.array([0.0, 0.0, -GRAVITY])
        assert np.abs(mass @ sim.state.v - (v + n * dt * g)).max() < 1e-10
        assert np.abs(mass @ sim.state.q - (z + n * dt * v + dt**2 * n * (n + 1) / 2 * g)).max() < 1e-10


@pytest.mark.parametrize("dt", [8e-3, 4e-3])
def test_pendulum_swings_with_its_period(dt):
    """A stiff square plate held at one edge is a compound pendulum: T = 2π √(2 L / 3 g) = 0.897 s for L = 0.3 m, plus
    the 0.4 % of an amplitude of 0.25 rad (θ²/16). Backward Euler damps a frequency ω by dt ω²/2 and shifts it only in
    second order; lumping the mass on 6 rows raises the moment of inertia by (1 + 1/(2·6²)).
    """
    L, angle, cells = 0.3, 0.25, 6
    scene = sg.Scene()
    stiff = sg.ClothMaterial(
        membrane_stiffness=2000.0,
        shear_stiffness=500.0,
        bending_rigidity=1.0,
        compression_ratio=1.0,
        damping_time=0.0,
        bending_damping_time=0.0,
    )
    cloth = scene.add_cloth(
        sg.shapes.grid(L, L, cells=cells),
        material=stiff,
        rotation=(math.pi / 2.0 - angle, 0.0, 0.0),
        name="plate",
    )
    top = np.arange((cells + 1) * cells, (cells + 1) ** 2)
    cloth.pin(top)
    sim = sg.Simulation(scene, dt=dt, settings=sg.Settings(newton_iterations=2))
    hinge = cloth.positions[top].mean(axis=0)
    times, side = [], []
    while len(times) < 3 and sim.time < 3.0:
        sim.step()
        side.append((sim.bodies["plate"].positions[: cells + 1].mean(axis=0) - hinge)[1])
        if len(side) > 1 and side[-1] * side[-2] < 0.0:
            times.append(sim.time - dt * side[-1] / (side[-1] - side[-2]))
    period = times[2] - times[0]
    expected = 2.0 * math.pi * math.sqrt(2.0 * L / (3.0 * GRAVITY))
    assert period == pytest.approx(expected, rel=0.02), f"{period:.4f} s instead of {expected:.4f} s"
