"""Rotation of the normals of faces and edges during a step, and points that leave them, against NumPy."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from signorini.collision.contact_set import EDGE_EDGE, KIND_SHIFT, VERTEX_EDGE, VERTEX_TRIANGLE
from signorini.contact.contact_points_kernels import add_normal_rotation, mark_leaving

DT = 0.01


def unit(x):
    return x / np.linalg.norm(x)


def moved(x, rotation, shift):
    """Where four points are after the last three have moved as one body, and the velocities that take them there."""
    after = x.copy()
    after[1:] = rotation.apply(x[1:]) + shift
    return after, (after - x) / DT


def added(kind, x, v, weights, normal, *, fixed=(True,) * 4, smooth=False):
    out = np.zeros((1, 3))
    add_normal_rotation(
        np.array([kind << KIND_SHIFT]), np.arange(4, dtype=np.int32)[None], np.array([weights]), np.array([normal]),
        np.array([smooth]), np.array(fixed), x, v, DT, out,
    )  # fmt: skip
    return out[0]


@pytest.mark.parametrize("seed", range(20))
def test_the_distance_at_the_end_is_that_to_the_plane_of_the_face_as_it_lies_then(seed):
    random = np.random.default_rng(seed)
    x = random.normal(size=(4, 3))
    bary = random.dirichlet(np.ones(3))
    normal = unit(np.cross(x[2] - x[1], x[3] - x[1])) * random.choice([-1.0, 1.0])
    x[0] = bary @ x[1:] + 0.01 * normal
    x1, v = moved(x, Rotation.from_rotvec(0.3 * random.normal(size=3)), 0.05 * random.normal(size=3))
    weights = np.array([1.0, *(-bary)])
    out = added(VERTEX_TRIANGLE, x, v, weights, normal)
    after = unit(np.cross(x1[2] - x1[1], x1[3] - x1[1]))
    after = after if after @ unit(np.cross(x[2] - x[1], x[3] - x[1])) > 0.0 else -after
    after = after if normal @ unit(np.cross(x[2] - x[1], x[3] - x[1])) > 0.0 else -after
    distance = normal @ (weights @ x) + DT * normal @ (weights @ v + out)
    if unit(np.cross(x[2] - x[1], x[3] - x[1])) @ unit(np.cross(x1[2] - x1[1], x1[3] - x1[1])) < 0.7:
        assert not out.any()
    else:
        assert distance == pytest.approx(after @ (x1[0] - x1[1]), abs=1e-12)
        assert np.cross(out, normal) == pytest.approx(np.zeros(3), abs=1e-9)


@pytest.mark.parametrize("seed", range(20))
def test_the_distance_of_two_edges_at_the_end_is_along_their_common_normal(seed):
    random = np.random.default_rng(seed)
    a, b = unit(random.normal(size=3)), unit(random.normal(size=3))
    normal = unit(np.cross(a, b))
    s, t = random.uniform(0.2, 0.8, size=2)
    x = np.array([-s * a, (1 - s) * a, -t * b - 0.01 * normal, (1 - t) * b - 0.01 * normal])
    weights = np.array([1 - s, s, t - 1, -t])
    assert weights @ x == pytest.approx(0.01 * normal)
    turn = Rotation.from_rotvec(0.1 * random.normal(size=3))
    x1 = np.concatenate([x[:2], turn.apply(x[2:])])
    out = added(EDGE_EDGE, x, (x1 - x) / DT, weights, normal)
    after = unit(np.cross(x1[1] - x1[0], x1[3] - x1[2]))
    distance = normal @ (weights @ x) + DT * normal @ (weights @ (x1 - x) / DT + out)
    assert distance == pytest.approx(after @ (x1[0] - x1[2]), abs=1e-12)


def test_contacts_that_are_no_case_for_it_stay_what_they_are():
    x = np.array([[0.2, 0.2, 0.01], [0, 0, 0], [1, 0, 0], [0, 1, 0]], dtype=float)
    _, v = moved(x, Rotation.from_rotvec([0.2, 0.0, 0.0]), np.zeros(3))
    weights, normal = np.array([1.0, -0.6, -0.2, -0.2]), np.array([0.0, 0.0, 1.0])
    assert added(VERTEX_TRIANGLE, x, v, weights, normal).any()
    assert not added(VERTEX_TRIANGLE, x, v, weights, normal, smooth=True).any()
    assert not added(VERTEX_TRIANGLE, x, v, weights, normal, fixed=(True, False, False, False)).any()
    assert not added(VERTEX_EDGE, x, v, weights, normal).any()
    assert not added(EDGE_EDGE, x, v, weights, normal, fixed=(False, False, True, True)).any()
    parallel = np.array([[0, 0, 0.01], [1, 0, 0.01], [0, 0, 0], [1, 0.01, 0]], dtype=float)
    assert not added(EDGE_EDGE, parallel, v, np.array([0.5, 0.5, -0.5, -0.5]), normal).any()


def left(kind, x, v, *, fixed=(True,) * 4):
    leaves = np.empty(1, dtype=bool)
    key = np.array([kind << KIND_SHIFT])
    mark_leaving(key, np.arange(4, dtype=np.int32)[None], np.array(fixed), x, v, DT, leaves)
    return bool(leaves[0])


@pytest.mark.parametrize("kind", [VERTEX_TRIANGLE, EDGE_EDGE])
def test_points_that_leave_their_face_or_edges_are_found(kind):
    """The nearest point of the plane of a face, or of two lines, by least squares."""
    random, found = np.random.default_rng(0), []
    for _ in range(300):
        x, v = random.normal(size=(4, 3)), random.normal(size=(4, 3)) / DT
        end = x + DT * v
        if kind == VERTEX_TRIANGLE:
            s, t = np.linalg.lstsq((end[2:] - end[1]).T, end[0] - end[1], rcond=None)[0]
            outside = min(s, t, 1.0 - s - t) < 0.0
        else:
            sides = np.array([end[1] - end[0], end[2] - end[3]])
            s, t = np.linalg.lstsq(sides.T, end[2] - end[0], rcond=None)[0]
            outside = min(s, t, 1.0 - s, 1.0 - t) < 0.0
            if np.linalg.norm(np.cross(unit(sides[0]), unit(sides[1]))) < 0.1:
                outside = False
        assert left(kind, x, v) == outside
        assert not left(kind, x, v, fixed=(False, True, True, True))
        assert not left(kind, x, v, fixed=(True, False, False, False))
        assert not left(VERTEX_EDGE, x, v)
        found.append(outside)
    assert 20 < sum(found) < 290
