"""Characters: capsules and blended bodies that follow their bones, and the procedural dancer."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from signorini.characters.articulation import Articulation, BoneMotion
from signorini.characters.blended_body import fill_pinches, surface_nets
from signorini.characters.dancer import procedural_dancer
from signorini.characters.skeleton import Skeleton
from signorini.errors import InputError
from signorini.geometry import shapes
from signorini.geometry.triangle_mesh import TriangleMesh
from signorini.model.build import build_model
from signorini.scene.motions import Chain, Translate
from signorini.scene.scene import Scene
from signorini.simulation.simulation import Simulation

DATA = os.environ.get("SIGNORINI_EXTERNAL_DATA")
external = pytest.mark.skipif(DATA is None, reason="SIGNORINI_EXTERNAL_DATA is not set: no motion capture")


def arm(*, bend: float = np.pi / 2) -> Articulation:
    """Two bones of 0.3 m along x from (0, 0, 1); from 0 to 1 s the elbow bends about y and the shoulder moves 0.1 m up."""
    turns = Rotation.from_rotvec([[0, 0, 0], [0, -bend, 0]]).as_quat()
    still = np.tile([0.0, 0, 0, 1], (2, 1))
    places = np.tile([[0.0, 0, 1], [0.3, 0, 0]], (2, 1, 1))
    places[1, 0, 2] += 0.1
    return Articulation(
        ("shoulder", "elbow"), np.array([-1, 0]), np.array([0.0, 1.0]), places, np.stack([still, turns], axis=1)
    )


def arm_skeleton(**options: float) -> Skeleton:
    return Skeleton.from_articulation(arm(**options), tips=[(1, (0.3, 0, 0))], radii={"shoulder": 0.05, "elbow": 0.04})


def segment_distance(x: np.ndarray, head: np.ndarray, tail: np.ndarray) -> np.ndarray:
    axis = tail - head
    s = np.clip((x - head) @ axis / (axis @ axis), 0.0, 1.0)
    return np.linalg.norm(x - head - s[:, None] * axis, axis=1)


def closed(mesh: TriangleMesh) -> bool:
    """Every directed edge once, and its reverse once."""
    t = mesh.triangles
    edges = [tuple(e) for e in np.concatenate([t[:, [0, 1]], t[:, [1, 2]], t[:, [2, 0]]]).tolist()]
    return len(set(edges)) == len(edges) and all((b, a) in set_of for set_of in [set(edges)] for a, b in edges)


def volume(mesh: TriangleMesh) -> float:
    a, b, c = mesh.vertices[mesh.triangles].transpose(1, 0, 2)
    return float((a * np.cross(b, c)).sum() / 6.0)


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
