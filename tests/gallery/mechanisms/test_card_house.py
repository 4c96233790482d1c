"""`card-house`: it stands by friction; without enough of it two leaning cards slide apart."""

from __future__ import annotations

import pytest

from signorini.gallery.mechanisms.card_house import LEAST_FRICTION, SCENE
from support.mechanisms import measured, simulation

TOP = 0.083
"""Height of a leaning card, about [m]."""


def sinks(seconds, **options):
    """How far the highest corner sinks [m], and the reports."""
    sim = simulation(SCENE, **options)

    def top():
        return max(float(body.positions[:, 2].max()) for body in sim.bodies.values())

    start = top()
    rows, reports = measured(sim, seconds, top)
    return start - rows[-1, 1], reports


def test_the_house_stands():
    sunk, reports = sinks(0.1)
    assert sunk < 5e-3 * TOP
    assert reports[-1].max_speed < 0.01


@pytest.mark.slow
def test_the_house_stays():
    sunk, reports = sinks(SCENE.seconds)
    assert sunk < 5e-3 * TOP
    assert reports[-1].max_speed < 0.01


@pytest.mark.parametrize(("share", "stands"), [(1.2, True), (0.8, False)])
def test_the_least_friction(share, stands):
    """Two cards that lean against each other stand above it, and slide apart below it."""
    sunk, _ = sinks(0.2, friction=share * LEAST_FRICTION, storeys=1)
    assert (sunk < 0.01 * TOP) == stands


@pytest.mark.parametrize(("storeys", "cards"), [(1, 2), (2, 7), (3, 15)])
def test_number_of_cards(storeys, cards):
    assert sum(body.kind == "rigid" for body in SCENE.build(storeys=storeys).bodies.values()) == cards
