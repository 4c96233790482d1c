"""Equations and coordinates of joints: their derivatives against finite differences, at poses where nothing is aligned."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import signorini as sg
from signorini.model.build import build_model
from signorini.model.jointed.joint_geometry import (
    FramePoses,
    joint_coordinates,
    joint_places,
    joint_rows,
    velocity_rows,
)
from signorini.model.jointed.joint_specs import Row
from signorini.model.jointed.joints import Joints

H = 1e-6


def joints_of_all_kinds() -> Joints:
    scene = sg.Scene()
    for k in range(4):
        scene.add_rigid(sg.shapes.box(0.1, 0.2, 0.3), mass=1.0, position=(0.5 * k, 0, 0), name=f"box-{k}")
    scene.add_joint("ball", "box-0", to="box-1", at=(0.2, 0.1, 0))
    scene.add_joint("hinge", "box-1", to="box-2", at=(0.7, 0, 0.2), axis=(1, 2, 3))
    scene.add_joint("slider", "box-2", to="box-3", at=(1.2, 0, 0.2), axis=(3, 1, -1))
    scene.add_joint("fixed", "box-3", at=(1.5, 0.3, 0))
    scene.lock("box-0", translation="xy", rotation="z", frame="body")
    scene.lock("box-1", translation="z", rotation="x")
    found = build_model(scene)[0].joints
    assert found is not None
    return found


def poses(joints: Joints, rng: np.random.Generator) -> FramePoses:
    X = np.zeros((joints.world + 1, 3))
    X[: joints.rigid_count] = np.arange(joints.rigid_count)[:, None] * (0.5, 0, 0)
    R = np.tile(np.eye(3), (len(X), 1, 1))
    X[:-1] += 0.1 * rng.normal(size=(len(X) - 1, 3))
    R[:-1] = Rotation.from_rotvec(0.4 * rng.normal(size=(len(X) - 1, 3))).as_matrix()
    return FramePoses(X, R)


def moved(at: FramePoses, frame: int, velocity: np.ndarray, spin: np.ndarray) -> FramePoses:
    X, R = at.X.copy(), at.R.copy()
    X[frame] += velocity
    R[frame] = Rotation.from_rotvec(spin).as_matrix() @ R[frame]
    return FramePoses(X, R)


@pytest.mark.parametrize("seed", range(3))
def test_derivatives_of_equations_and_coordinates(seed: int) -> None:
    joints, rng = joints_of_all_kinds(), np.random.default_rng(seed)
    at = poses(joints, rng)
    _, J = joint_rows(joints, joint_places(joints, at))
    _, Jx = joint_coordinates(joints, joint_places(joints, at))
    held = ~velocity_rows(joints)
    assert set(joints.rows.kind[~held]) == {Row.SLIDE, Row.SPIN, Row.WORLD_SPIN}
    for frame in range(joints.rigid_count):
        for axis in range(6):
            step = H * np.eye(6)[axis]
            ends = [joint_places(joints, moved(at, frame, s * step[:3], s * step[3:])) for s in (1, -1)]
            g = (joint_rows(joints, ends[0])[0] - joint_rows(joints, ends[1])[0]) / (2 * H)
            x = (joint_coordinates(joints, ends[0])[0] - joint_coordinates(joints, ends[1])[0]) / (2 * H)
            which, part = axis // 3, axis % 3
            for difference, derivative, of in ((g, J, joints.rows.joint), (x, Jx, np.arange(len(joints)))):
                first, second = joints.first[of] == frame, joints.second[of] == frame
                expected = first * derivative[:, which, part] + second * derivative[:, 2 + which, part]
                # An angle is that of the second body's axis: its derivative is exact where the hinge is closed.
                own = held if derivative is J else joints.coordinate != 1
                np.testing.assert_allclose(difference[own], expected[own], atol=1e-7)


def test_angle_of_a_closed_hinge_and_its_derivative() -> None:
    joints = joints_of_all_kinds()
    k = joints.kinds.index("hinge")
    rng = np.random.default_rng(4)
    at = poses(joints, rng)
    second = int(joints.second[k])
    axis = at.R[second] @ joints.second_triad[k, 0]
    for angle in (-2.5, 0.3, 3.0):
        R = at.R.copy()  # the triads are the same in the world at the start, where no body is turned
        R[joints.first[k]] = Rotation.from_rotvec(angle * axis).as_matrix() @ at.R[second]
        closed = FramePoses(at.X, R)
        x, J = joint_coordinates(joints, joint_places(joints, closed))
        assert x[k] == pytest.approx(angle, abs=1e-12)
        turn = moved(closed, int(joints.first[k]), np.zeros(3), H * axis)
        assert joint_coordinates(joints, joint_places(joints, turn))[0][k] - x[k] == pytest.approx(H, rel=1e-6)
        np.testing.assert_allclose(J[k, 1], axis, atol=1e-12)
