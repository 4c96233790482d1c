"""The procedural dancer, and one from motion capture."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest

from signorini.characters.dancer import procedural_dancer
from signorini.characters.skeleton import Skeleton
from signorini.geometry import shapes
from signorini.model.build import build_model
from signorini.scene.scene import Scene
from signorini.simulation.simulation import Simulation
from support.arm import closed, segment_distance, volume

DATA = os.environ.get("SIGNORINI_EXTERNAL_DATA")
external = pytest.mark.skipif(DATA is None, reason="SIGNORINI_EXTERNAL_DATA is not set: no motion capture")


@pytest.mark.parametrize("body", ["capsules", "blended"])
def test_the_dancer_turns_once_in_less_than_a_second(body):
    dancer = procedural_dancer(start=0.2)
    mesh, motion = dancer.surface(body=body)
    assert closed(mesh) and mesh.vertices[:, 2].min() >= 0.0 and 1.6 < mesh.vertices[:, 2].max() < 1.75
    hips = np.argmin(np.linalg.norm(mesh.vertices - [0.16, 0.0, 0.85], axis=1))
    angle, last, turned = 0.0, None, []
    for time in np.linspace(0.0, 1.3, 261):
        x, y, z = motion.positions(mesh.vertices, float(time))[hips]
        now = np.arctan2(y, x)
        angle += 0.0 if last is None else (now - last + np.pi) % (2 * np.pi) - np.pi
        last = now
        turned.append(angle)
        assert z == pytest.approx(mesh.vertices[hips, 2])
    turned = np.array(turned)
    assert turned[40] == pytest.approx(0.0, abs=1e-12) and turned[220] == pytest.approx(2 * np.pi)
    assert turned[-1] == pytest.approx(2 * np.pi)  # at rest after 0.9 s
    reach = np.abs(motion.positions(mesh.vertices, 1.1)).max(axis=0)
    assert reach[0] > 0.8  # arms out


def test_the_dancer_may_keep_turning():
    mesh, motion = procedural_dancer(then="turn", arms=(5, 5)).surface()
    a, b = motion.positions(mesh.vertices, 10.0), motion.positions(mesh.vertices, 10.0 + 0.9 * 0.75)
    np.testing.assert_allclose(a, b, atol=1e-12)  # one turn at 4/3 of the mean rate
    assert np.abs(a - motion.positions(mesh.vertices, 10.3)).max() > 0.5


def test_the_blended_dancer_is_smooth_where_a_skirt_touches():
    """A round waist, and triangles of waist and hips that meet at small angles: no crease."""
    mesh, _ = procedural_dancer().surface(body="blended")
    waist = mesh.vertices[np.abs(mesh.vertices[:, 2] - 1.05) < 0.012]
    radius = np.linalg.norm(waist[:, :2], axis=1)
    assert radius.min() > 0.08 and radius.max() < 0.11
    corners = mesh.vertices[mesh.triangles]
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    normals /= np.linalg.norm(normals, axis=1, keepdims=True)
    edges = np.sort(mesh.triangles[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2), axis=1)
    order = np.lexsort(edges.T[::-1])
    face = order // 3
    middle = corners.mean(axis=1)
    x, _, z = middle[face[0::2]].T
    skirt = (z > 0.85) & (z < 1.2) & (np.abs(x) < 0.3)  # not the hands
    turn = np.sum(normals[face[0::2]] * normals[face[1::2]], axis=1)
    assert np.degrees(np.arccos(np.clip(turn[skirt], -1, 1)).max()) < 30.0


def test_pairs_inside_one_kinematic_body_never_collide():
    """Overlapping capsules are one kinematic body: detection and the check at the start leave it alone."""
    mesh, motion = procedural_dancer().surface()
    scene = Scene()
    scene.add_cloth(shapes.grid(0.5, 0.5, cells=4), position=(0, 0, 2.5))
    scene.add_kinematic(mesh, motion=motion)
    assert build_model(scene)
    simulation = Simulation(scene, dt=2e-3)
    report = simulation.step()
    assert report.contact_count == 0


@external
@pytest.mark.parametrize("body", ["capsules", "blended"])
def test_a_recorded_dancer(body):
    skeleton = Skeleton.from_bvh(Path(str(DATA)) / "mocap" / "05_06.bvh", scale=0.05644, frames=(1, 886))
    mesh, motion = skeleton.surface(body=body)
    assert closed(mesh) and 0.03 < volume(mesh) < 0.1
    head, tail = skeleton.segments(2.5)
    x = motion.positions(mesh.vertices, 2.5)
    d = np.min(
        [segment_distance(x, h, t) - b.radius for h, t, b in zip(head, tail, skeleton.bones, strict=True)], axis=0
    )
    assert np.median(np.abs(d)) < 0.02 and d.max() < 0.08
    assert x[:, 2].min() > -0.2
