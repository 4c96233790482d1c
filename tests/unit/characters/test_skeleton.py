"""Skeletons: capsules that follow their bones, radii, files and wrong input."""

from __future__ import annotations

import numpy as np
import pytest

from signorini.characters.articulation import Articulation, BoneMotion
from signorini.characters.dancer import procedural_dancer
from signorini.characters.skeleton import Skeleton
from signorini.errors import InputError
from signorini.geometry import shapes
from signorini.scene.motions import Chain, Translate
from signorini.scene.scene import Scene
from signorini.simulation.simulation import Simulation
from support.arm import arm, arm_skeleton, closed, segment_distance


@pytest.mark.parametrize("time", [0.0, 0.4, 1.0])
def test_capsules_surround_their_bones_at_all_times(time):
    skeleton = arm_skeleton()
    mesh, motion = skeleton.surface(edge=0.01)
    assert isinstance(motion, BoneMotion)
    x = motion.positions(mesh.vertices, time)
    head, tail = skeleton.segments(time)
    np.testing.assert_allclose(head[1], [0.3, 0, 1 + 0.1 * time], atol=1e-14)
    end = 0.3 * np.array([1 + np.cos(time * np.pi / 2), 0, np.sin(time * np.pi / 2)]) + [0, 0, 1 + 0.1 * time]
    np.testing.assert_allclose(tail[1], end, atol=1e-14)
    for joint, radius in ((0, 0.05), (1, 0.04)):
        mine = x[motion.joints[:, 0] == joint]
        np.testing.assert_allclose(segment_distance(mine, head[joint], tail[joint]), radius, atol=1e-12)
    assert closed(mesh)


def test_bones_skip_joints_in_the_same_place_and_name_several_of_a_joint():
    offsets = np.array([[[0, 0, 1], [0, 0, 0], [0.1, 0, -0.4], [0, 0, 0.5]]], dtype=float)
    body = Articulation(
        ("Hips", "LHipJoint", "LeftUpLeg", "Spine"),
        np.array([-1, 0, 1, 0]),
        np.array([0.0, 1.0]),
        np.repeat(offsets, 2, axis=0),
        np.tile([0.0, 0, 0, 1], (2, 4, 1)),
    )
    skeleton = Skeleton.from_articulation(body, tips=[(3, (0, 0, 0.2)), (3, (0.1, 0, 0.1))])
    assert [bone.name for bone in skeleton.bones] == ["LHipJoint", "Hips", "Spine>tip", "Spine>tip"]
    changed = skeleton.with_radii({"Spine": 0.2, "Hips": 0.1})
    assert [bone.radius for bone in changed.bones][1:] == [0.1, 0.2, 0.2]


def test_default_radii_follow_names_and_lengths():
    dancer = procedural_dancer(height=2.0)
    bigger = procedural_dancer(height=4.0)
    for a, b in zip(dancer.bones, bigger.bones, strict=True):
        assert b.radius == pytest.approx(2 * a.radius)
    radius = {bone.name: bone.radius for bone in dancer.bones}
    assert radius["left hand"] < radius["left forearm"] < radius["left arm"] < radius["left thigh"]
    odd = Articulation(
        ("a", "b"), np.array([-1, 0]), np.array([0.0, 1.0]), np.tile([[0.0, 0, 0], [1, 0, 0]], (2, 1, 1)),
        np.tile([0.0, 0, 0, 1], (2, 2, 1)),
    )  # fmt: skip
    assert Skeleton.from_articulation(odd).bones[0].radius == pytest.approx(
        0.06
    )  # 15 % of 1 m is above 6 % of the height


def test_a_surface_on_bones_cannot_be_placed_by_the_scene():
    mesh, motion = arm_skeleton().surface()
    scene = Scene()
    scene.add_cloth(shapes.grid(1.0, 1.0, cells=2), position=(0, 0, 5))
    scene.add_kinematic(mesh, motion=motion, position=(0, 0, 1))
    with pytest.raises(InputError, match="place its skeleton instead"):
        Simulation(scene, dt=1e-3)
    moved = Chain((motion, Translate(velocity=(1, 0, 0))))  # after the bones everything is possible
    expected = motion.positions(mesh.vertices, 0.5) + np.array([0.5, 0, 0])
    np.testing.assert_allclose(moved.positions(mesh.vertices, 0.5), expected)


def test_a_motion_of_bones_comes_back_from_a_file_bit_by_bit(tmp_path):
    mesh, motion = arm_skeleton(bend=1.2).surface(body="blended", edge=0.02)
    assert isinstance(motion, BoneMotion)
    np.savez_compressed(tmp_path / "motion.npz", **motion.to_arrays())
    with np.load(tmp_path / "motion.npz", allow_pickle=False) as file:
        again = BoneMotion.from_arrays(dict(file))
    for time in (0.0, 0.37, 1.0):
        np.testing.assert_array_equal(again.positions(mesh.vertices, time), motion.positions(mesh.vertices, time))
    arrays = motion.to_arrays()
    del arrays["joints"]
    with pytest.raises(InputError, match="'joints' is missing"):
        BoneMotion.from_arrays(arrays)


@pytest.mark.parametrize(
    ("build", "words"),
    [
        (lambda: arm_skeleton().surface(body="skin"), "'skin'"),
        (lambda: arm_skeleton().surface(edge=-1.0), "edge of a skeleton"),
        (lambda: arm_skeleton().surface(blend=0.01), "needs body='blended'"),
        (lambda: arm_skeleton().surface(body="blended", blend=0.0), "blend"),
        (lambda: arm_skeleton().surface(body="blended", edge=1e-4), "too short"),
        (lambda: arm_skeleton().with_radii({"elbw": 0.1}), "did you mean 'elbow'"),
        (lambda: arm_skeleton().with_radii({"elbow": -0.1}), "radius of the bone 'elbow'"),
        (lambda: arm_skeleton().surface()[1].positions(np.zeros((3, 3)), 0.0), "cannot move 3 points"),
        (lambda: procedural_dancer(height=0), "height of a dancer"),
        (lambda: procedural_dancer(turn_time=-1), "turn_time"),
        (lambda: procedural_dancer(start="now"), "'now'"),
        (lambda: procedural_dancer(turns=float("nan")), "angle of a Turn"),
        (lambda: procedural_dancer(arms=(0, 95)), "-80 to 80"),
        (lambda: procedural_dancer(arms=3), "two angles"),
        (lambda: Skeleton.from_bvh("none.bvh"), "does not exist"),
        (lambda: Articulation(("a",), np.array([0]), [0, 1], np.zeros((2, 1, 3)), np.ones((2, 1, 4))), "parents"),
        (lambda: Articulation(("a",), np.array([-1]), [0, 1], np.zeros((2, 1, 3)), np.zeros((2, 1, 4))), "zero quat"),
        (lambda: Articulation(("a",), np.array([-1]), [0, 1], np.zeros((3, 1, 3)), np.ones((2, 1, 4))), r"\(2, 1, 3\)"),
        (lambda: BoneMotion(arm(), np.zeros((2, 3)), np.zeros((2, 1), int), np.ones((3, 1))), "one shape"),
        (lambda: BoneMotion(arm(), np.zeros((2, 3)), np.full((2, 1), 2), np.ones((2, 1))), "0 to 1"),
    ],
)
def test_wrong_input_is_named(build, words):
    with pytest.raises(InputError, match=words):
        build()
