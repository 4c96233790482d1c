"""`arch`: dry stones stand if the arch is thick enough, and fall if it is too thin, as Heyman says."""

from __future__ import annotations

import math

import pytest

import signorini as sg
from signorini.gallery.mechanisms.arch import DENSITY, DEPTH, LEAST_THICKNESS, RADIUS, SCENE, THICKNESS
from support.mechanisms import measured, simulation


def crown_sinks(seconds, *, stones, **options):
    """How far the keystone sinks [m], and the reports."""
    sim = simulation(SCENE, stones=stones, **options)
    keystone = sim.bodies[f"stone-{stones // 2 + 1}"]
    start = float(keystone.center[2])
    rows, reports = measured(sim, seconds, lambda: float(keystone.center[2]))
    return start - rows[-1, 1], reports


def test_an_arch_of_25_stones_stands():
    sunk, reports = crown_sinks(0.015, stones=25)
    assert sunk < 5e-4 * RADIUS
    assert reports[-1].max_speed < 0.01


@pytest.mark.slow
def test_an_arch_of_101_stones_stands():
    sunk, reports = crown_sinks(0.5, stones=101)
    assert sunk < 5e-3 * RADIUS
    assert reports[-1].max_speed < 0.01


@pytest.mark.slow
@pytest.mark.parametrize(("share", "stands"), [(1.3, True), (0.7, False)])
def test_the_least_thickness(share, stands):
    """A little above the least thickness it stands, a little below it is falling after a second."""
    sunk, _ = crown_sinks(1.0, stones=25, thickness=share * LEAST_THICKNESS)
    assert (sunk < 0.01 * RADIUS) == stands


@pytest.mark.parametrize("stones", [3, 25, 101])
def test_starts_free_of_intersection(stones):
    scene = SCENE.build(stones=stones)
    assert sg.Simulation(scene, dt=SCENE.dt).intersections() == 0
    crown = scene.bodies[f"stone-{stones // 2 + 1}"]
    assert crown.center[2] == pytest.approx(RADIUS, rel=0.5 / stones)
    wedges = DENSITY * DEPTH * RADIUS * THICKNESS * stones * math.sin(math.pi / stones)
    assert sum(b.mass for b in scene.bodies.values() if b.kind == "rigid") == pytest.approx(wedges)


def test_an_even_number_of_stones_is_refused():
    with pytest.raises(sg.InputError, match="odd number"):
        SCENE.build(stones=24)
