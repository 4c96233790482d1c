"""Commands to scripted bodies, and steering of drives, from the loop of a user."""

from __future__ import annotations

import numpy as np
import pytest

import signorini as sg


def scene_with_hand() -> sg.Scene:
    scene = sg.Scene()
    scene.add_ground()
    scene.add_rigid(sg.shapes.box(0.1, 0.1, 0.1), density=300, position=(0, 0, 0.052), name="box")
    scene.add_kinematic(sg.shapes.box(0.02, 0.2, 0.1), position=(-0.1, 0, 0.07), name="hand")
    scene.add_kinematic(sg.shapes.box(0.02, 0.2, 0.1), position=(0.5, 0, 0.07), name="wall")
    return scene


def test_hand_moves_where_it_is_told_and_pushes() -> None:
    sim = sg.Simulation(scene_with_hand(), dt=5e-3)
    hand = sim.bodies["hand"]
    for k in range(20):
        hand.move_to((-0.1 + 0.005 * (k + 1), 0, 0.07), (0, 0, 0.01 * (k + 1)))
        sim.step()
        assert hand.center == pytest.approx([-0.1 + 0.005 * (k + 1), 0, 0.07], abs=1e-12)
        assert hand.rotation == pytest.approx([0, 0, 0.01 * (k + 1)], abs=1e-12)
    assert sim.bodies["box"].center[0] > 0.03
    assert sim.intersections() == 0
    before = hand.center
    sim.step()
    assert hand.center == pytest.approx(before, abs=1e-12)


def test_velocity_goes_on_until_another_command() -> None:
    sim = sg.Simulation(scene_with_hand(), dt=5e-3)
    sim.bodies["hand"].velocity = (0, 0, 0.5)
    for _ in range(10):
        sim.step()
    assert sim.bodies["hand"].center == pytest.approx([-0.1, 0, 0.095], abs=1e-12)
    sim.bodies["hand"].move_vertices(sim.bodies["hand"].positions + np.array([0, 0.001, 0]))
    for _ in range(2):
        sim.step()
    assert sim.bodies["hand"].center == pytest.approx([-0.1, 0.001, 0.095], abs=1e-12)


def test_commands_are_part_of_a_checkpoint() -> None:
    one, two = (sg.Simulation(scene_with_hand(), dt=5e-3) for _ in range(2))
    one.bodies["hand"].velocity = (0.5, 0, 0)
    for _ in range(5):
        one.step()
    two.restore(one.checkpoint())
    for _ in range(10):
        one.step()
        two.step()
    assert np.array_equal(one.bodies["hand"].positions, two.bodies["hand"].positions)
    assert np.array_equal(one.state.q, two.state.q)


@pytest.mark.parametrize(
    ("position", "words"),
    [
        ((np.nan, 0, 0), "position"),
        ((50, 0, 0.07), "farther than the scene"),
        ((0.55, 0, 0.07), "through .* 'wall'"),
        ((-0.1, 0, -0.2), "below 'ground'"),
    ],
)
def test_absurd_commands_are_refused(position, words) -> None:
    sim = sg.Simulation(scene_with_hand(), dt=5e-3)
    with pytest.raises(sg.InputError, match=words):
        sim.bodies["hand"].move_to(position)


def test_bodies_that_ignore_each_other_may_be_led_through_each_other() -> None:
    scene = scene_with_hand()
    scene.set_contact("hand", ["wall", "ground", "box"], ignore=True)
    sim = sg.Simulation(scene, dt=5e-3)
    sim.bodies["hand"].move_to((0.55, 0, 0.07))
    sim.step()
    sim.bodies["hand"].move_to((0.55, 0, -0.07))
    sim.step()
    assert sim.bodies["hand"].center == pytest.approx([0.55, 0, -0.07], abs=1e-12)


def test_drive_of_a_body_goes_to_its_target_with_a_limited_force() -> None:
    scene = sg.Scene(gravity=(0, 0, 0))
    scene.add_rigid(sg.shapes.box(0.1, 0.1, 0.1), mass=2.0, name="box")
    scene.add_drive("box", stiffness=400, damping=60, max_force=3.0, angular_stiffness=2.0, angular_damping=0.2)
    sim = sg.Simulation(scene, dt=5e-3)
    sim.bodies["box"].drive_to((0.2, 0, 0), (0, 0, 0.5))
    sim.step()
    assert sim.bodies["box"].velocity == pytest.approx([3.0 / 2.0 * 5e-3, 0, 0], abs=1e-12)
    for _ in range(400):
        sim.step()
    assert sim.bodies["box"].center == pytest.approx([0.2, 0, 0], abs=1e-3)
    assert sim.bodies["box"].rotation == pytest.approx([0, 0, 0.5], abs=1e-2)


def test_joints_are_written_to_scene_files(tmp_path) -> None:
    scene = sg.Scene()
    scene.add_rigid(sg.shapes.box(0.1, 0.1, 0.1), mass=1.0, name="box")
    scene.add_joint("hinge", "box", at=(0, 0, 0.1), axis=(0, 1, 0), upper=1.0, stiffness=3.0, name="pivot")
    scene.lock("box", translation="y", name="plane")
    scene.add_drive("box", stiffness=1.0, max_force=2.0, name="pull")
    again = sg.load_scene(sg.save_scene(tmp_path / "scene.toml", scene)).scene
    assert again.joints == scene.joints
    assert again.locks == scene.locks
    assert again.drives == scene.drives


def test_what_is_wrong_with_a_joint_is_said() -> None:
    scene = sg.Scene()
    scene.add_rigid(sg.shapes.box(0.1, 0.1, 0.1), mass=1.0, name="box")
    scene.add_ground()
    with pytest.raises(sg.InputError, match="kind of a joint"):
        scene.add_joint("screw", "box")
    with pytest.raises(sg.InputError, match="itself"):
        scene.add_joint("ball", "box", to="box")
    with pytest.raises(sg.InputError, match="lower must be at most 0"):
        scene.add_joint("hinge", "box", lower=0.5)
    with pytest.raises(sg.InputError, match="tied to a rigid or kinematic body"):
        scene.add_joint("ball", "box", to="ground")
