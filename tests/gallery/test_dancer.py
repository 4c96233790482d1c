"""The dancer and her skirt: six layers that stay apart, are carried round by the waist, and swing out in the turn."""

from __future__ import annotations

import math
import os
from pathlib import Path

import numpy as np
import pytest

import signorini as sg
from signorini.characters.skeleton import Skeleton
from signorini.errors import InputError
from signorini.gallery.dancer import LENGTHS, SCENE, SkirtLayer, build
from support.scene_runs import run

LAYERS = [f"layer-{k + 1}" for k in range(len(LENGTHS))]
MOCAP = Path(os.environ.get("SIGNORINI_EXTERNAL_DATA", "")) / "mocap/05_06.bvh"


def test_it_starts_free_of_intersection_at_full_size():
    sim = sg.Simulation(SCENE.build(), dt=SCENE.dt)
    assert sum(len(sim.bodies[name].positions) for name in LAYERS) == 16_800
    assert sim.intersections() == 0
    assert sim.min_distance > 2.0 * sim.contact_distance, "the layers start apart"


def test_the_turn_is_clean_and_swings_the_skirt_out():
    """From rest to the end of the turn of 0.9 s: ipctk sees nothing, the waist turns by 360° and the hem rises."""
    sim = sg.Simulation(SCENE.build(resolution=14), dt=12e-3)
    start, hem, turned = sim.bodies["layer-1"].positions[:14].copy(), [], [0.0]
    reports = []
    for steps in (33, 20, 20, 20, 16):
        reports += run(sim, steps)
        layer = sim.bodies["layer-1"].positions
        hem.append(float(layer[-14:, 2].mean()))
        turned.append(turned[-1] + (_angle(layer[:14], start) - turned[-1]) % (2.0 * math.pi))
        np.testing.assert_allclose(layer[:14, 2], start[:, 2], atol=1e-3)
    assert max(r.active_count for r in reports) > 20, "the layers touch each other or the body"
    assert sum(r.solves_converged for r in reports) == sum(r.solves for r in reports)
    assert max(hem[1:]) > hem[0] + 0.05, "the hem rises in the turn"
    assert turned[1] == pytest.approx(0.0, abs=1e-3)
    assert turned[-1] == pytest.approx(2.0 * math.pi, abs=1e-3)


def test_friction_and_stiffness_are_taken():
    plain, changed = build(resolution=12), build(resolution=12, friction=0.77, stiffness=2.0)
    assert {b.friction for b in changed.bodies.values()} == {0.77}
    for name in LAYERS:
        assert changed.bodies[name].material == plain.bodies[name].material.scaled(2.0)


@pytest.mark.parametrize("resolution", [12, 27, 41])
def test_any_resolution_starts_free(resolution):
    assert sg.Simulation(build(resolution=resolution), dt=SCENE.dt).intersections() == 0


def test_a_layer_is_a_ring_with_outward_triangles_that_starts_unstretched():
    layer = SkirtLayer(radius=0.1, angle=0.6, length=0.5, around=60, rings=20, folds=8)
    rest, folded = layer.at_rest(), layer.folded()
    for x in (rest.vertices, folded):
        corners = x[rest.triangles]
        normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
        assert (np.sum(normals[:, :2] * corners.mean(axis=1)[:, :2], axis=1) > 0.0).all()
    directed = rest.triangles[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2)
    edges, count = np.unique(np.sort(directed, axis=1), axis=0, return_counts=True)
    hem = 60 * 19
    assert set(edges[count == 1].ravel().tolist()) == {*range(60), *range(hem, hem + 60)}, "open only above and below"
    length = [np.linalg.norm(x[edges[:, 1]] - x[edges[:, 0]], axis=1) for x in (rest.vertices, folded)]
    strain = length[1] / length[0] - 1.0
    assert strain.max() < 1e-3
    assert strain.min() > -0.1
    radius = np.hypot(folded[hem:, 0], folded[hem:, 1])
    assert np.count_nonzero((radius > np.roll(radius, 1)) & (radius >= np.roll(radius, -1))) == 8, "eight folds"


@pytest.mark.skipif(not MOCAP.is_file(), reason="SIGNORINI_EXTERNAL_DATA has no mocap/05_06.bvh")
def test_a_skirt_for_motion_capture():
    """The skirt is fitted to the pose of the first frame of a BVH file and moves with it."""
    skeleton = Skeleton.from_bvh(MOCAP, scale=0.05644, frames=(1, 200))
    sim = sg.Simulation(build(resolution=16, skeleton=skeleton), dt=4e-3)
    assert sim.intersections() == 0
    run(sim, 20)


def test_bodies_that_fit_no_skirt_are_refused(tmp_path):
    skeleton = _pole(tmp_path, "Hips")
    with pytest.raises(InputError, match="no joint with 'spine'"):
        build(resolution=12, skeleton=skeleton)


def _angle(now: np.ndarray, before: np.ndarray) -> float:
    """By how much a ring about the z axis has turned."""
    (a, b), (c, d) = before[0, :2], now[0, :2]
    return math.atan2(a * d - b * c, a * c + b * d)


def _pole(folder: Path, name: str) -> Skeleton:
    text = f"""HIERARCHY
ROOT {name}
{{
  OFFSET 0 0 0
  CHANNELS 3 Zrotation Xrotation Yrotation
  End Site
  {{
    OFFSET 0 100 0
  }}
}}
MOTION
Frames: 2
Frame Time: 0.1
0 0 0
0 0 0
"""
    (folder / "pole.bvh").write_text(text)
    return Skeleton.from_bvh(folder / "pole.bvh")
