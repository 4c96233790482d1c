"""Contacts that a motion would cause: shots at any speed, and against ipctk."""

from __future__ import annotations

import ipctk
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reference import detection as naive
from reference.soups import random_soup, single_bodies
from signorini.collision.detect import Impacts
from signorini.collision.surface import Surface
from support.contacts import BIG, FACE, GROUND, UP, check_invariants, impacts, proximity, sides, tip


def check_impacts(surface: Surface, found: Impacts, x0: naive.Array, separation: float) -> None:
    """Contacts are well formed, and their constraint holds at the start with some room."""
    check_invariants(surface, found.contacts, x0)
    assert (0.0 <= found.first_time <= 1.0) == (len(found.contacts) > 0)
    least = proximity(surface, x0, 10.0).min_distance
    assert (found.contacts.distance >= 0.5 * min(separation, least) * (1.0 - 1e-6)).all()


speeds = st.floats(0.0, 8.0).map(lambda power: 10.0**power)
inside = st.tuples(st.floats(0.05, 0.9), st.floats(0.05, 0.9)).filter(lambda p: p[0] + p[1] < 0.95)


@settings(max_examples=60, deadline=None)
@given(at=inside, height=st.floats(1e-6, 1.0), speed=speeds, seed=st.integers(0, 1000))
def test_vertex_shot_through_a_triangle_is_found_at_any_speed(
    at: tuple[float, float], height: float, speed: float, seed: int
) -> None:
    target = np.array([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])
    arrow, _ = tip([at[0], at[1], height])
    surface, x0 = single_bodies([(arrow, FACE), (target, FACE)])
    drift = np.random.default_rng(seed).normal(size=3)  # all move together, which changes nothing
    x1 = x0 + drift
    x1[:3, 2] -= height + speed
    found = impacts(surface, x0, x1, 1e-3)
    crossing = height / (height + speed)
    assert found.first_time <= crossing
    near = crossing - 1.1e-3 / (height + speed) if height > 2e-3 else 0.0
    assert found.first_time >= 0.4 * near
    check_impacts(surface, found, x0, 1e-3)
    assert any(0 in sides(found.contacts, c)[0] for c in range(len(found.contacts)))


@settings(max_examples=60, deadline=None)
@given(at=st.floats(-0.4, 0.4), angle=st.floats(0.05, 3.0), height=st.floats(1e-6, 1.0), speed=speeds)
def test_edge_shot_through_an_edge_is_found_at_any_speed(at: float, angle: float, height: float, speed: float) -> None:
    across = 0.5 * np.array([np.cos(angle), np.sin(angle), 0.0])
    blade = np.array([across, -across, [0.0, 0.0, 3.0]]) + np.array([at, 0.0, height])
    edge = np.array([[-0.5, 0.0, 0.0], [0.5, 0.0, 0.0], [0.0, 0.0, -3.0]])
    surface, x0 = single_bodies([(blade, FACE), (edge, FACE)])
    x1 = x0.copy()
    x1[:3, 2] -= height + speed
    found = impacts(surface, x0, x1, 1e-3)
    assert found.first_time <= height / (height + speed)
    check_impacts(surface, found, x0, 1e-3)


@settings(max_examples=60, deadline=None)
@given(height=st.floats(1e-9, 1.0), speed=speeds)
def test_vertex_shot_through_a_plane_is_found_at_any_speed(height: float, speed: float) -> None:
    surface, x0 = single_bodies([tip([0.0, 0.0, height])], planes=(GROUND,))
    x1 = x0 - [0.0, 0.0, height + speed]
    found = impacts(surface, x0, x1, 1e-3)
    assert found.first_time == pytest.approx((height - min(1e-3, 0.5 * height)) / (height + speed), abs=1e-12)
    assert 0 in found.contacts.vertices[:, 0]
    check_invariants(surface, found.contacts, x0)
    np.testing.assert_allclose(found.contacts.distance[0], height)


def test_motion_apart_or_at_rest_has_no_impact() -> None:
    surface, x0 = single_bodies([(BIG, FACE), (BIG + 1e-4 * UP, FACE)], planes=(((0.0, 0.0, 1.0), -1e-4),))
    for x1 in (x0, x0 + UP, x0 * [1.0, 1.0, 1.5]):
        found = impacts(surface, x0, x1, 1e-3)
        assert len(found.contacts) == 0
        assert found.first_time == np.inf


@pytest.mark.parametrize("fall", [0.0, 1e-3])
def test_vertex_that_starts_below_a_plane_is_a_hit_at_once(fall: float) -> None:
    surface, x0 = single_bodies([tip([0.0, 0.0, -0.1])], planes=(GROUND,))
    found = impacts(surface, x0, x0 - fall * UP, 1e-3)
    assert found.first_time == 0.0
    assert found.contacts.vertices[:, 0].tolist() == [0]
    assert found.contacts.distance[0] == pytest.approx(-0.1)


def collision_mesh(surface: Surface, x: naive.Array) -> ipctk.CollisionMesh:
    return ipctk.CollisionMesh(
        np.asfortranarray(x), np.asfortranarray(surface.edges), np.asfortranarray(surface.triangles)
    )


@pytest.mark.parametrize("speed", [0.06, 0.3, 2.0])
def test_no_collision_that_ipctk_finds_is_missed(speed: float) -> None:
    hits = misses = 0
    for seed in range(100):
        surface, x0 = random_soup(seed, bodies=3, triangles=2, spread=3.0, size=0.4)
        mesh = collision_mesh(surface, x0)
        if ipctk.has_intersections(mesh, np.asfortranarray(x0)):
            continue
        x1 = x0 + speed * np.random.default_rng(seed).normal(size=(len(x0), 3))
        found = impacts(surface, x0, x1, 1e-4)
        check_impacts(surface, found, x0, 1e-4)
        if ipctk.is_step_collision_free(mesh, np.asfortranarray(x0), np.asfortranarray(x1)):
            misses += 1
        else:
            hits += 1
            assert len(found.contacts)
            step = ipctk.compute_collision_free_stepsize(mesh, np.asfortranarray(x0), np.asfortranarray(x1))
            assert found.first_time <= step / 0.8 + 1e-6  # ipctk stops short of the impact by up to a fifth
    assert hits > 5
    assert speed > 1.0 or misses > 5


@pytest.mark.parametrize("seed", range(8))
def test_motion_up_to_the_first_impact_keeps_the_separation(seed: int) -> None:
    surface, x0 = random_soup(seed, bodies=3, triangles=2, spread=2.0, size=0.4)
    x1 = x0 + 0.5 * np.random.default_rng(seed).normal(size=x0.shape)
    separation = 1e-3
    start = proximity(surface, x0, 10.0).min_distance
    found = impacts(surface, x0, x1, separation)
    for t in np.linspace(0.0, 0.999, 30) * min(found.first_time, 1.0):
        assert proximity(surface, x0 + t * (x1 - x0), 10.0).min_distance > 0.99 * min(separation, 0.5 * start)
