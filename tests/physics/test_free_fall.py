"""Free fall: exact to the integrator, first order in dt, and slowed by the air as backward Euler says."""

from __future__ import annotations

import numpy as np
import pytest

import signorini as sg

GRAVITY = 9.81
START = 5.0


def falling(*, velocity=(0.0, 0.0, 0.0), rotation=(0.0, 0.0, 0.0), air_drag=0.0, gravity=(0.0, 0.0, -GRAVITY), dt=4e-3):
    scene = sg.Scene(gravity=gravity, air_drag=air_drag)
    scene.add_cloth(
        sg.shapes.grid(0.4, 0.3, cells=(5, 4)),
        position=(0.0, 0.0, START),
        rotation=rotation,
        velocity=velocity,
        name="sheet",
    )
    return sg.Simulation(scene, dt=dt)


@pytest.mark.parametrize(
    ("velocity", "rotation"),
    [((0.0, 0.0, 0.0), (0.0, 0.0, 0.0)), ((1.5, -0.7, 2.0), (0.0, 0.0, 0.0)), ((1.5, -0.7, 2.0), (0.3, -1.1, 0.6))],
    ids=["at rest", "thrown", "thrown, tilted"],
)
@pytest.mark.parametrize("dt", [1e-3, 4e-3, 20e-3])
def test_free_fall_is_exact_to_backward_euler(velocity, rotation, dt):
    """v_n = v_0 + n g dt and x_n = x_0 + n v_0 dt + g dt² n (n + 1) / 2 for every vertex: no spring may notice."""
    sim = falling(velocity=velocity, rotation=rotation, dt=dt)
    sheet = sim.bodies["sheet"]
    x0, v0, g = sheet.positions, np.array(velocity), np.array([0.0, 0.0, -GRAVITY])
    for n in range(1, 41):
        report = sim.step()
        assert np.abs(sheet.velocities - (v0 + n * dt * g)).max() < 1e-10
        assert np.abs(sheet.positions - (x0 + n * dt * v0 + dt**2 * n * (n + 1) / 2 * g)).max() < 1e-10
        assert report.refinements == 1
        assert report.contact_count == 0
    assert sim.time == pytest.approx(40 * dt, rel=1e-14)


def test_gravity_may_point_anywhere():
    """x_n = x_0 + g dt² n (n + 1) / 2 with g = (1, -2, 3) m/s²."""
    g = np.array([1.0, -2.0, 3.0])
    sim = falling(gravity=tuple(g))
    x0 = sim.bodies["sheet"].positions
    for _ in range(10):
        sim.step()
    assert np.abs(sim.bodies["sheet"].positions - (x0 + 4e-3**2 * 55 * g)).max() < 1e-10


@pytest.mark.parametrize("tolerance", [1e-5, 1e-12])
def test_large_sheets_are_solved_to_the_linear_tolerance(tolerance):
    """v_n = n g dt also where conjugate gradients solve A v = b to a residual of `linear_tolerance` in the norm of D_A^-1.

    As A ≥ M, the error of v is at most max(D_A / M) times that: 1 + 2 dt² k/m ≈ 100 for cotton with cells of 42 mm (k =
    1,000 N/m, m = 0.35 g). Found: up to 27.
    """
    scene = sg.Scene()
    scene.add_cloth(sg.shapes.grid(1.0, 1.0, cells=24), position=(0.0, 0.0, START), name="sheet")
    sim = sg.Simulation(scene, settings=sg.Settings(linear_tolerance=tolerance))
    assert len(sim.state.q) >= sim.settings.direct_solve_below
    for n in range(1, 41):
        sim.step()
        expected = np.array([0.0, 0.0, -GRAVITY * n * sim.dt])
        assert np.abs(sim.bodies["sheet"].velocities - expected).max() < 100.0 * tolerance * GRAVITY * n * sim.dt


def test_first_order_convergence_to_the_parabola():
    """Backward Euler is g t dt / 2 below z = z_0 - g t² / 2: the error halves with dt, and is exactly that."""
    t = 0.4
    errors = []
    for dt in (20e-3, 10e-3, 5e-3):
        sim = falling(dt=dt)
        for _ in range(round(t / dt)):
            sim.step()
        error = START - 0.5 * GRAVITY * t**2 - sim.bodies["sheet"].positions[:, 2].mean()
        assert error == pytest.approx(0.5 * GRAVITY * t * dt, abs=1e-10)
        errors.append(error)
    orders = np.log2(np.array(errors[:-1]) / errors[1:])
    assert orders == pytest.approx(1.0, abs=1e-6)


@pytest.mark.parametrize("drag", [0.5, 2.0, 20.0])
def test_air_slows_down_as_backward_euler_says(drag):
    """Without gravity v_n = v_0 / (1 + c dt)^n, which tends to v_0 exp(-c t)."""
    v0 = np.array([2.0, -1.0, 0.5])
    sim = falling(velocity=tuple(v0), air_drag=drag, gravity=(0.0, 0.0, 0.0))
    for n in range(1, 26):
        sim.step()
        assert np.abs(sim.bodies["sheet"].velocities - v0 / (1.0 + drag * sim.dt) ** n).max() < 1e-10
    exact = v0 * np.exp(-drag * sim.time)
    # ln((1 + c dt)^n) = c t - c² t dt / 2 + ...: the relative error of first order.
    assert sim.bodies["sheet"].velocities[0] == pytest.approx(exact, rel=0.51 * drag**2 * sim.time * sim.dt)


def test_terminal_speed():
    """With gravity and drag the speed tends to g / c, and is at most that on the way."""
    sim = falling(air_drag=10.0)
    for n in range(1, 301):
        sim.step()
        expected = GRAVITY / 10.0 * (1.0 - (1.0 + 10.0 * sim.dt) ** -n)
        assert np.abs(sim.bodies["sheet"].velocities[:, 2] + expected).max() < 1e-10
    assert -sim.bodies["sheet"].velocities[0, 2] == pytest.approx(GRAVITY / 10.0, rel=1e-5)
