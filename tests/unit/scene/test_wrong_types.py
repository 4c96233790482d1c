"""What a hurried user types: each gets one clear sentence, at the call that is wrong and not later."""

from __future__ import annotations

import numpy as np
import pytest

import signorini as sg
from signorini.geometry import shapes
from signorini.scene import motions
from signorini.settings import SolverSettings

GRID = shapes.grid(0.2, 0.2, cells=4)
COTTON = {"membrane_stiffness": 1e3, "shear_stiffness": 1e2, "bending_rigidity": 1e-5}


def scene_with_cloth() -> sg.Scene:
    scene = sg.Scene()
    scene.add_cloth(GRID, position=(0.0, 0.0, 1.0), name="sheet")
    return scene


WRONG = {
    "solver by name": lambda: sg.Settings(solver="ica"),
    "negative size": lambda: sg.Settings(direct_solve_below=-3),
    "distance as text": lambda: sg.Settings(contact_distance="1"),
    "tolerance as text": lambda: SolverSettings(tolerance="1"),
    "true as friction": lambda: sg.Scene(friction=True),
    "scene as text": lambda: sg.Simulation("falling-cloth"),
    "settings as dict": lambda: sg.Simulation(scene_with_cloth(), settings={"max_refinements": 3}),
    "dt as text": lambda: sg.Simulation(scene_with_cloth(), dt="1"),
    "material as dict": lambda: sg.Scene().add_cloth(GRID, material={"membrane_stiffness": 1.0}),
    "damping as text": lambda: sg.ClothMaterial(**COTTON, damping_time="a", bending_damping_time=0.0),
    "hysteresis without rigidity": lambda: sg.ClothMaterial(
        **{**COTTON, "bending_rigidity": 0.0}, bending_hysteresis=1e-4, damping_time=0.0, bending_damping_time=0.0
    ),
    "height as text": lambda: sg.Scene().add_ground(height="a"),
    "rate as list": lambda: motions.Rotate(rate=[1, 2]),
    "endless past": lambda: motions.Translate(velocity=(0, 0, 1), start=float("-inf")),
    "frames as text": lambda: motions.Frames(times="a", frames="b"),
    "chain of text": lambda: motions.Chain(["a"]),
    "chain of nothing": lambda: motions.Chain(None),
    "motion class": lambda: sg.Scene().add_kinematic(GRID, motion=motions.Translate),
    "release time as text": lambda: scene_with_cloth().bodies["sheet"].pin([0], release_time="a"),
    "ragged triangles": lambda: sg.TriangleMesh(np.eye(3), [[0, 1], [0, 1, 2]]),
    "endless sphere": lambda: shapes.sphere(1.0, subdivisions=10**6),
    "less than a step": lambda: next(sg.Simulation(scene_with_cloth(), dt=0.1).run(seconds=1e-9)),
    "far away": lambda: sg.Simulation(far_away()),
    "collapsed": lambda: setattr(sg.Simulation(scene_with_cloth()).bodies["sheet"], "positions", np.zeros((25, 3))),
}


def far_away() -> sg.Scene:
    scene = sg.Scene()
    scene.add_cloth(GRID, position=(1e80, 0.0, 0.0))
    return scene


@pytest.mark.parametrize("wrong", WRONG.values(), ids=WRONG.keys())
def test_wrong_input_is_one_sentence(wrong):
    with pytest.raises(sg.InputError) as error:
        wrong()
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    "change",
    [
        {"q": np.full((25, 3), np.nan)},
        {"v": np.zeros((3, 3))},
        {"elements_2": np.zeros(1)},
        {"dt": np.array(1.0)},
        {"q": np.zeros((25, 3))},
        {"time": None},
    ],
)
def test_a_checkpoint_that_does_not_fit_is_refused_and_changes_nothing(change):
    sim = sg.Simulation(scene_with_cloth())
    sim.step()
    checkpoint = {**sim.checkpoint(), **change}
    checkpoint = {name: value for name, value in checkpoint.items() if value is not None}
    before = sim.state.q.copy()
    with pytest.raises(sg.InputError):
        sim.restore(checkpoint)
    np.testing.assert_array_equal(sim.state.q, before)
    with pytest.raises(sg.InputError):
        sim.restore("checkpoint")  # type: ignore[arg-type]


def test_a_motion_that_works_in_place_does_not_move_the_resting_shape():
    def lift(points, time):
        points += [0.0, 0.0, 0.1 * time]
        return points

    scene = scene_with_cloth()
    scene.add_kinematic(shapes.sphere(0.1), position=(0.0, 0.0, 0.3), motion=lift, name="ball")
    sim = sg.Simulation(scene, dt=0.01)
    for _ in range(3):
        sim.step()
    assert sim.bodies["ball"].positions[:, 2].mean() == pytest.approx(0.303, abs=1e-9)
