"""A sheet on an incline of tan θ = 0.5: Coulomb's law to the second digit of the coefficient.

The closed form of a slab: it holds for μ ≥ tan θ, and slides with a = g (sin θ - μ cos θ) otherwise; the plane carries
N = m g cos θ. Settings are those shipped, but for δ.
"""

from __future__ import annotations

import numpy as np
import pytest

from signorini.studies.validation.cases.slope import acceleration, on_slope, slide

GRAVITY = 9.81
THETA = np.arctan(0.5)
DT = 4e-3
SETTLING = 50
"""Steps in which the sheet comes down by the 1 mm that it starts above the contact distance, and comes to lie flat."""
PLANES = ("half-space", "triangles")
FRAMES = {"aligned": ((0.0, 0.0, 0.0), 0.0), "oblique": ((0.3, -0.5, 0.9), 0.7)}
"""A rotation of the whole world, gravity included, and the heading of the mesh on the slope."""


def sheet_on_slope(friction, *, plane="half-space", frame="aligned"):
    """A sheet of 0.2 m just above the slope; returns the simulation, the downhill direction and the normal."""
    world, heading = FRAMES[frame]
    return on_slope("cloth", friction, plane=plane, world=world, heading=heading)


@pytest.mark.parametrize("seconds", [1.0, pytest.param(3.0, marks=pytest.mark.slow)])
@pytest.mark.parametrize("frame", FRAMES)
@pytest.mark.parametrize("plane", PLANES)
def test_holds_at_051_and_slides_at_049(plane, frame, seconds):
    """μ = 0.51 > tan θ: less than 0.1 µm a second. μ = 0.49: a = 0.088 m/s² within 2 % in every 0.1 s.

    That is the gain of velocity, which backward Euler has exactly for a constant force. It is 0.35 mm/s in a step, less than the
    tolerance of the contact solver (0.5 mm/s), which improves a good start tenfold.
    """
    sim, downhill, _ = sheet_on_slope(0.51, plane=plane, frame=frame)
    slide(sim, downhill, SETTLING)
    crept = slide(sim, downhill, round(seconds / DT))[-1, 0]
    assert abs(crept) < 1e-7 * seconds, f"{1e6 * crept:.3g} µm in {seconds:g} s at μ = 0.51"
    sim, downhill, _ = sheet_on_slope(0.49, plane=plane, frame=frame)
    velocity = slide(sim, downhill, SETTLING + round(seconds / DT))[SETTLING - 1 :: 25, 1]
    gained = np.diff(velocity) / (25 * DT) / acceleration(0.49)
    assert len(gained) == round(10 * seconds)
    assert np.all(np.abs(gained - 1.0) < 0.02), f"{gained.round(4)} of a in windows of 0.1 s"


@pytest.mark.parametrize("frame", FRAMES)
@pytest.mark.parametrize("friction", [0.0, 0.2])
@pytest.mark.parametrize("plane", PLANES)
def test_sliding_acceleration(plane, friction, frame):
    """a = g (sin θ - μ cos θ) within 2 %: 2.632 m/s² at μ = 0.2, 4.387 m/s² without friction."""
    sim, downhill, _ = sheet_on_slope(friction, plane=plane, frame=frame)
    slide(sim, downhill, SETTLING)
    velocity = slide(sim, downhill, 100)[:, 1]
    measured = np.polyfit(DT * np.arange(100), velocity, 1)[0]
    expected = acceleration(friction)
    assert measured == pytest.approx(expected, rel=0.02), f"a = {measured:.4f} m/s² instead of {expected:.4f} m/s²"


@pytest.mark.parametrize("frame", FRAMES)
@pytest.mark.parametrize("friction", [0.2, 0.51])
def test_the_slope_carries_the_load(friction, frame):
    """N = m g cos θ, and the friction is min(μ N, m g sin θ) uphill: 1 % of the weight each."""
    sim, downhill, normal = sheet_on_slope(friction, frame=frame)
    slide(sim, downhill, 100)
    weight = GRAVITY * 0.2 * 0.2**2
    force = sim.contact_force("block")
    expected = weight * np.cos(THETA)
    assert force @ normal == pytest.approx(expected, rel=0.01)
    assert -force @ downhill == pytest.approx(min(friction * expected, weight * np.sin(THETA)), rel=0.01)
    assert abs(np.cross(normal, downhill) @ force) < 0.01 * weight
    assert np.array_equal(sim.contact_force("slope"), -force)
    slipping = [not c.sticks for c in sim.contacts()]
    assert all(slipping) if friction == 0.2 else not all(slipping)
