"""Error of a second-order step: the part of the difference to a parabola, and motion with a known third derivative."""

from __future__ import annotations

import numpy as np
import pytest

import signorini as sg
from signorini.dynamics.step_error import error_part, step_errors


@pytest.mark.parametrize(("ratio", "third"), [(0.5, 0.0), (1.0, 0.0), (2.0, 0.0), (1.0, 1.0 / 6.0)])
def test_the_part_is_that_of_a_cubic(ratio: float, third: float) -> None:
    """Positions q = t³/6 around t = 0, and velocities as the rule makes them of such positions in steps of the length before."""

    def q(t: float) -> float:
        return t**3 / 6.0

    def velocity(t: float, h: float) -> float:
        u, u0, u00 = ((q(t - k * h) - q(t - (k + 1) * h)) / h for k in range(3))
        return 1.5 * u - 0.5 * u0 + third * (u - 2.0 * u0 + u00)

    dt, before = 1.0, 1.0 / ratio
    eps = ratio / (1.0 + ratio)
    v0, v00 = velocity(0.0, before), velocity(-before, before)
    expected = v0 + 0.5 * ratio * (v0 - v00)
    last, earlier = (q(0.0) - q(-before)) / before, (q(-before) - q(-2.0 * before)) / before
    carried = (eps + 2.0 * third) * last - third * earlier
    own = (0.5 * dt**2 + carried) / (1.0 + eps + third) - q(dt) / dt  # of the step that ends with the exact velocity
    assert error_part(ratio, third) == pytest.approx(own / (q(dt) / dt - expected), rel=1e-12)
    assert error_part(1.0, 0.0) == pytest.approx(8.0 / 27.0)
    assert error_part(1.0, 1.0 / 6.0) == pytest.approx(6.0 / 35.0)


def test_the_error_of_a_swing_is_that_of_its_third_derivative() -> None:
    """A mass on a soft spring, q = v/ω sin ωt: the error of a step over its length is 1/10 dt² q‴."""
    dt, stiffness, mass = 2e-3, 40.0, 0.05
    scene = sg.Scene(gravity=(0.0, 0.0, 0.0))
    rod = scene.add_rod(
        [(0.0, 0.0, 0.0), (0.5, 0.0, 0.0)], linear_density=2.0 * mass / 0.5, stretching_stiffness=0.5 * stiffness,
        bending_rigidity=0.0, damping_time=0.0, name="spring",
    )  # fmt: skip
    rod.pin([0])
    sim = sg.Simulation(scene, dt=dt, settings=sg.Settings(integrator="bdf2"))
    speed, omega = 0.5, np.sqrt(stiffness / mass)
    sim.bodies["spring"].velocities = [(0.0, 0.0, 0.0), (speed, 0.0, 0.0)]
    for _ in range(50):
        before = sim.state
        sim.step()
    found = step_errors(sim._world.model, sim._world.parts, before, sim.state, sim._solved.system, sim.settings)  # pyright: ignore
    assert found is not None
    jerk = speed * omega**2 * np.cos(omega * (sim.time - 0.5 * dt))
    free = 0.5  # the pinned half of the mass does not move
    assert found.rate[0] == pytest.approx(0.1 * dt**2 * abs(jerk) * np.sqrt(free), rel=0.03)
    assert found.impact[0] == 0.0
