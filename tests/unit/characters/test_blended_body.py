"""Blended bodies: one closed surface around all bones, and its motion."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from signorini.characters.articulation import Articulation, BoneMotion
from signorini.characters.blended_body import fill_pinches, surface_nets
from signorini.geometry.triangle_mesh import TriangleMesh
from support.arm import arm, arm_skeleton, closed, segment_distance, volume


@pytest.mark.parametrize("blend", [0.01, 0.03])
def test_a_blended_body_encloses_its_capsules_tightly(blend):
    skeleton = arm_skeleton()
    mesh, motion = skeleton.surface(body="blended", edge=0.015, blend=blend)
    assert closed(mesh) and volume(mesh) > 0.0
    d = np.min(
        [segment_distance(mesh.vertices, h, t) - r for h, t, r in zip(*skeleton.segments(), (0.05, 0.04), strict=True)],
        0,
    )
    assert d.min() >= -1e-6 and d.max() <= blend * np.log(2.0) + 1e-6
    # Far from the joint the blend is gone, and points follow one bone.
    assert isinstance(motion, BoneMotion)
    np.testing.assert_allclose(motion.weights.sum(axis=1), 1.0, atol=1e-15)
    x = motion.positions(mesh.vertices, 1.0)
    head, tail = skeleton.segments(1.0)
    far = mesh.vertices[:, 0] > 0.3 + 0.05 + 12 * blend
    assert not far.any() or np.abs(segment_distance(x[far], head[1], tail[1]) - 0.04).max() <= 1e-3


def test_a_blended_joint_does_not_collapse_when_it_turns_far():
    """Dual quaternions keep the elbow thick at 150°, where a mean of positions would fold it to a line."""
    skeleton = arm_skeleton(bend=np.radians(150))
    mesh, motion = skeleton.surface(body="blended", edge=0.015)
    x = motion.positions(mesh.vertices, 1.0)
    near = np.abs(mesh.vertices[:, 0] - 0.3) < 0.01
    thickness = np.linalg.norm(x[near] - [0.3, 0.0, 1.1], axis=1)
    assert near.sum() > 10 and thickness.min() > 0.03


def test_rigid_points_of_a_blend_move_rigidly():
    body = arm(bend=0.0).placed(rotation=(0, 0, 1.0))
    points = np.random.default_rng(0).normal(size=(20, 3))
    weights = np.random.default_rng(1).dirichlet([1, 1], size=20)
    motion = BoneMotion(body, points, np.tile([0, 1], (20, 1)), weights)
    np.testing.assert_allclose(motion.positions(points, 1.0), points + np.array([0, 0, 0.1]), atol=1e-14)


@pytest.mark.parametrize(("one", "other"), [(170, 190), (-74, -106), (74, 106)])
def test_a_blend_of_two_turns_is_the_one_between(one, other):
    """The quaternions of two close rotations can have opposite signs: those of -74° and -106° do here."""
    degrees = np.array([[0, 0], [0.5 * one, 0.5 * other], [one, other]])
    turns = Rotation.from_rotvec(np.radians(degrees).reshape(-1, 1) * [[0, 0, 1]]).as_quat().reshape(3, 2, 4)
    body = Articulation(("a", "b"), np.array([-1, -1]), np.array([0.0, 1, 2]), np.zeros((3, 2, 3)), turns)
    point = np.array([[1.0, 0, 0.5]])
    motion = BoneMotion(body, point, np.array([[0, 1]]), np.array([[0.5, 0.5]]))
    for time in (1.0, 2.0):
        angle = np.radians(0.25 * time * (one + other))
        np.testing.assert_allclose(motion.positions(point, time), [[np.cos(angle), np.sin(angle), 0.5]], atol=1e-14)


def test_surface_nets_of_a_sphere():
    n = np.arange(24) - 11.5
    field = np.sqrt(n[:, None, None] ** 2 + n[None, :, None] ** 2 + n[None, None, :] ** 2) - 8.0
    vertices, quads = surface_nets(field)
    mesh = TriangleMesh(vertices, np.concatenate([quads[:, [0, 1, 2]], quads[:, [0, 2, 3]]]).astype(np.int32))
    assert closed(mesh)
    assert np.abs(np.linalg.norm(vertices - 11.5, axis=1) - 8.0).max() < 0.2
    assert volume(mesh) == pytest.approx(4 / 3 * np.pi * 8**3, rel=0.03)


def test_filling_makes_every_random_field_a_closed_manifold():
    rng = np.random.default_rng(3)
    for _ in range(20):
        field = np.ones((15, 15, 15))
        field[5:-5, 5:-5, 5:-5] = rng.normal(size=(5, 5, 5)) + 0.6
        if (field > 0).all():
            continue
        before = field.copy()
        fill_pinches(field, -0.25)
        assert (field <= before).all() and ((field == before) | (field == -0.25)).all()
        _, quads = surface_nets(field)
        edges = np.concatenate([quads[:, [a, (a + 1) % 4]] for a in range(4)])
        unique, count = np.unique(np.sort(edges, axis=1), axis=0, return_counts=True)
        assert (count == 2).all() and len(unique)
