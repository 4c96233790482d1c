"""Detection with distance bounds finds what detection without them finds, bit for bit, whatever moves were tried before."""

from __future__ import annotations

from dataclasses import fields

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from reference.soups import random_soup
from signorini.collision import paths_kernels
from signorini.collision.broad_phase import BoxTree, Candidates
from signorini.collision.contact_set import ContactSet
from signorini.collision.detect import detect_continuous, detect_proximity
from signorini.collision.paths import STRAIGHT, Paths
from signorini.collision.separation import Separation
from signorini.collision.surface import Surface

NONE = np.zeros(0, np.int32)
REACH, SEPARATION, MARGIN = 0.06, 0.01, 0.05


def assert_same(found: ContactSet, expected: ContactSet) -> None:
    for field in fields(ContactSet)[:-1]:
        np.testing.assert_array_equal(getattr(found, field.name), getattr(expected, field.name), err_msg=field.name)


class Motions:
    """Random motions of a soup: its first body turns about its mean, all bodies fly, and their vertices shake."""

    def __init__(self, surface: Surface, seed: int, speed: float, shake: float, angle: float) -> None:
        self.surface, self.rng, self.angle = surface, np.random.default_rng(seed), angle
        bodies = int(surface.vertex_body.max()) + 1
        together = speed * self.rng.normal(size=3)
        self.flight = together + 0.1 * speed * self.rng.normal(size=(bodies, 3))
        self.shake = shake * 10.0 ** self.rng.uniform(-4.0, 0.0, surface.vertex_count)[:, None]

    def next(self, x: np.ndarray) -> tuple[np.ndarray, Paths]:
        """Where a motion from x (v, 3) ends, and its paths."""
        moved = x + self.flight[self.surface.vertex_body] + self.shake * self.rng.normal(size=x.shape)
        if self.angle == 0.0:
            return moved, STRAIGHT
        turns = np.flatnonzero(self.surface.vertex_body == 0)
        axis = self.rng.normal(size=3)
        turn = self.angle * axis / np.linalg.norm(axis)
        arms = x[turns] - x[turns].mean(axis=0)
        moved[turns] = x[turns].mean(axis=0) + self.flight[0] + Rotation.from_rotvec(turn).apply(arms)
        count, entries = len(x), len(turns)
        indptr = np.minimum(np.arange(count + 1), entries).astype(np.int32)
        arrays = paths_kernels.trace(
            indptr, np.zeros(entries, np.int32), np.zeros(entries), np.zeros(entries, np.int32), arms, count, turn[None],
            NONE, NONE, np.zeros(0, np.int64), np.zeros((0, 3)), np.zeros(0), np.zeros((1, 0, 3)),
        )  # fmt: skip
        return moved, Paths(arrays)


def tracked(tree: BoxTree, known: Candidates, x0: np.ndarray, x1: np.ndarray, paths: Paths) -> Candidates:
    if known.cover_paths(x0, x1, paths):
        return known
    return tree.find_candidates(x0, x1, distance=REACH, margin=MARGIN, steps=4.0, paths=paths)


@settings(max_examples=60, deadline=None)
@given(
    seed=st.integers(0, 100_000),
    bodies=st.integers(1, 3),
    rigid=st.integers(0, 1),
    kinematic=st.integers(0, 1),
    speed=st.sampled_from([0.0, 0.01, 3.0]),
    shake=st.sampled_from([0.0, 1e-9, 0.003, 0.1]),
    angle=st.sampled_from([0.0, 0.0, 0.03, 0.5, 4.0]),
)
def test_bounds_change_no_contact_and_no_impact(
    seed: int, bodies: int, rigid: int, kinematic: int, speed: float, shake: float, angle: float
) -> None:
    surface, x = random_soup(
        seed, bodies=bodies + kinematic, triangles=6, whiskers=1, rigid=rigid, kinematic=kinematic,
        planes=(((0.0, 0.0, 1.0), -0.3),),
    )  # fmt: skip
    tree, motions, rng = BoxTree(surface, x), Motions(surface, seed, speed, shake, angle), np.random.default_rng(seed)
    separation = Separation(SEPARATION * rng.uniform(0.2, 1.0, surface.vertex_count), np.full(1, SEPARATION))
    candidates = tree.find_candidates(x, x, distance=REACH, margin=0.0)
    for _ in range(8):
        end, paths = x, STRAIGHT
        for _ in range(int(rng.integers(1, 4))):  # all but the last one are rejected
            end, paths = motions.next(x)
            candidates = tracked(tree, candidates, x, end, paths)
            fresh = tree.find_candidates(x, end, distance=REACH, margin=0.0, paths=paths)
            found = detect_continuous(surface, candidates, x, end, separation=separation, paths=paths)
            expected = detect_continuous(surface, fresh, x, end, separation=separation, paths=paths)
            assert_same(found.contacts, expected.contacts)
            assert found.first_time == expected.first_time
        near = detect_proximity(surface, candidates, end, distance=REACH)
        fresh = tree.find_candidates(end, end, distance=REACH, margin=0.0)
        expected_near = detect_proximity(surface, fresh, end, distance=REACH)
        assert_same(near.contacts, expected_near.contacts)
        assert near.min_distance == expected_near.min_distance
        if rng.random() < 0.8:
            x = end
