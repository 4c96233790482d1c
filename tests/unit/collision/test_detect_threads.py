"""Detection on several threads: the same contacts in the same order as on one, to the last bit."""

from __future__ import annotations

from dataclasses import fields

import numpy as np
import pytest

from reference.soups import random_soup
from signorini.collision import detect
from signorini.collision.broad_phase import BoxTree
from signorini.collision.contact_set import ContactSet
from signorini.collision.separation import Separation
from signorini.parallel import team

REACH = 0.1
PLANES = (((0.0, 0.0, 1.0), -0.3),)


@pytest.fixture(autouse=True)
def all_threads_take_part(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also on busy cores, and for the few pairs of a small surface."""
    monkeypatch.setattr(team, "_team", team.Team(patient=True))
    monkeypatch.setattr(detect, "WORTH_SHARING", 0)


def as_bytes(contacts: ContactSet) -> list[bytes]:
    values = (getattr(contacts, field.name) for field in fields(contacts))
    return [value.tobytes() for value in values if isinstance(value, np.ndarray)]


@pytest.mark.parametrize("seed", range(3))
def test_every_number_of_threads_finds_the_same_near_contacts(seed: int) -> None:
    surface, x = random_soup(seed, bodies=6, triangles=8, whiskers=2, planes=PLANES)
    found = []
    for threads in (1, 2, 3, 8):
        candidates = BoxTree(surface, x).find_candidates(x, x, distance=REACH, margin=0.01)
        with team.use_threads(threads):
            near = [detect.detect_proximity(surface, candidates, at, distance=REACH) for at in (x, x + 1e-4)]
        found.append([(as_bytes(one.contacts), one.min_distance) for one in near])
    assert len(found[0][0][0]) >= 5 and len(found[0][0][0][0]) > 8 * 100
    assert all(one == found[0] for one in found)


@pytest.mark.parametrize("seed", range(3))
def test_every_number_of_threads_finds_the_same_impacts(seed: int) -> None:
    surface, x0 = random_soup(seed, bodies=6, triangles=8, whiskers=2, planes=PLANES)
    x1 = x0 + 0.1 * np.random.default_rng(seed).normal(size=x0.shape)
    separation = Separation(np.full(len(x0), 1e-3), np.full(len(PLANES), 1e-3))
    found = []
    for threads in (1, 2, 3, 8):
        candidates = BoxTree(surface, x0).find_candidates(x0, x1, distance=REACH, margin=0.0)
        with team.use_threads(threads):
            impacts = detect.detect_continuous(surface, candidates, x0, x1, separation=separation)
        found.append((as_bytes(impacts.contacts), impacts.first_time))
    assert len(found[0][0][0]) > 8 * 10
    assert all(one == found[0] for one in found)


def test_threads_that_are_short_of_room_are_asked_again() -> None:
    surface, x0 = random_soup(4, bodies=12, triangles=20, spread=0.3, size=0.3)
    x1 = x0[::-1].copy()
    separation = Separation(np.full(len(x0), 1e-3), np.zeros(0))
    found = []
    for threads in (1, 3):
        candidates = BoxTree(surface, x0).find_candidates(x0, x1, distance=REACH, margin=0.0)
        with team.use_threads(threads):
            found.append(detect.detect_continuous(surface, candidates, x0, x1, separation=separation))
    assert len(found[0].contacts) > 1024
    assert as_bytes(found[0].contacts) == as_bytes(found[1].contacts)
    assert found[0].first_time == found[1].first_time
