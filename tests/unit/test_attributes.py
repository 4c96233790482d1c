"""Attributes that tell: what is misspelt raises with the nearest name, what is read-only says so, no write is lost."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import signorini as sg


def scene() -> sg.Scene:
    scene = sg.Scene()
    scene.add_rigid(sg.shapes.box(0.1, 0.1, 0.1), mass=1.0, name="box", position=(0, 0, 1))
    scene.add_kinematic(sg.shapes.box(0.1, 0.1, 0.1), name="hand", position=(1, 0, 1))
    scene.add_cloth(sg.shapes.grid(0.1, 0.1, cells=2), name="sheet", position=(2, 0, 1))
    scene.add_joint("hinge", "box", at=(0, 0, 1.2), axis=(0, 1, 0), stiffness=1.0, name="pivot")
    return scene


@pytest.mark.parametrize(
    ("where", "misspelt", "meant"),
    [
        (lambda s: s.scene, "gravty", "gravity"),
        (lambda s: s.scene, "air_dragg", "air_drag"),
        (lambda s: s, "dtt", "dt"),
        (lambda s: s, "watcher", "watchers"),
        (lambda s: s.bodies["box"], "velocty", "velocity"),
        (lambda s: s.bodies["hand"], "centre", "center"),
        (lambda s: s.bodies["sheet"], "velocites", "velocities"),
        (lambda s: s.joints["pivot"], "targt", "target"),
    ],
)
def test_misspelt_attributes_are_answered_with_the_nearest_name(where, misspelt: str, meant: str) -> None:
    thing = where(sg.Simulation(scene()))
    with pytest.raises(sg.InputError, match=f"no attribute '{misspelt}': did you mean '{meant}'"):
        setattr(thing, misspelt, 1.0)
    with pytest.raises(AttributeError, match=f"did you mean '{meant}'"):
        getattr(thing, misspelt)


@pytest.mark.parametrize(
    ("where", "name"),
    [
        (lambda s: s, "dt"),
        (lambda s: s, "time"),
        (lambda s: s, "step_index"),
        (lambda s: s, "settings"),
        (lambda s: s.bodies["hand"], "center"),
        (lambda s: s.bodies["hand"], "rotation"),
        (lambda s: s.bodies["box"], "mass"),
        (lambda s: s.joints["pivot"], "position"),
        (lambda s: s.joints["pivot"], "name"),
    ],
)
def test_what_can_only_be_read_says_so(where, name: str) -> None:
    thing = where(sg.Simulation(scene()))
    with pytest.raises(sg.InputError, match=rf"{name} of the .* can only be read; (what can be set is|call move_to)"):
        setattr(thing, name, getattr(thing, name))


@pytest.mark.parametrize("name", ["velocity", "angular_velocity", "center", "rotation", "pose", "positions"])
def test_writing_to_a_copy_is_an_error_and_not_lost(name: str) -> None:
    sim = sg.Simulation(scene())
    read = getattr(sim.bodies["box"], name)
    with pytest.raises(ValueError, match="copy of the state"):
        read[..., 2] = 5.0
    changed = read.copy()
    changed[..., 2] = 5.0
    (2.0 * read)[..., 2] = 5.0


def test_what_is_added_in_place_is_set() -> None:
    sim = sg.Simulation(scene())
    box = sim.bodies["box"]
    box.velocity += (0.0, 0.0, 2.0)
    box.rotation += np.array([0.0, 0.3, 0.0])
    sim.bodies["sheet"].velocities += (1.0, 0.0, 0.0)
    np.testing.assert_allclose(box.velocity, (0, 0, 2))
    np.testing.assert_allclose(box.rotation, (0, 0.3, 0))
    np.testing.assert_allclose(sim.bodies["sheet"].velocities, np.tile((1.0, 0, 0), (9, 1)))
    turned = Rotation.from_rotvec(box.rotation) * Rotation.from_matrix(box.pose[:3, :3]).inv()
    assert turned.magnitude() == pytest.approx(0.0, abs=1e-12)
    assert type(np.concatenate([box.velocity, box.center])) is np.ndarray
    assert type(np.cross(box.velocity, box.center)) is np.ndarray


def test_what_is_set_on_a_scene_is_checked() -> None:
    own = scene()
    own.gravity = (0, 0, -1)
    assert own.gravity.tolist() == [0, 0, -1]
    with pytest.raises(sg.InputError, match="gravity must be three"):
        own.gravity = (0, 0)
    with pytest.raises(sg.InputError, match="friction"):
        own.friction = -1.0


def test_scenes_are_copied_and_derived_from() -> None:
    for other in (copy.deepcopy(scene()), pickle.loads(pickle.dumps(scene()))):
        assert other.body_names == scene().body_names
        with pytest.raises(sg.InputError, match="gravity"):
            other.gravty = 1.0

    class Mine(sg.Scene):
        def __init__(self) -> None:
            super().__init__()
            self.note = "mine"

    assert Mine().note == "mine"


def test_names_that_do_not_exist_list_those_that_do() -> None:
    sim = sg.Simulation(scene())
    with pytest.raises(sg.InputError, match=r"there is no body 'bxo'.*there are sheet, box, hand"):
        sim.bodies["bxo"]
    with pytest.raises(sg.InputError, match=r"there is no joint 'elbow'.*pivot"):
        sim.joints["elbow"]


def test_setting_velocities_does_not_check_the_scene_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """Only what moves bodies needs the check of the whole scene: for intersections, and for bodies inside each other."""
    import signorini.simulation.simulation as module

    calls = []
    check = module.check_start
    monkeypatch.setattr(module, "check_start", lambda *given: calls.append(1) or check(*given))
    sim = sg.Simulation(scene())
    assert len(calls) == 1
    for k in range(5):
        sim.bodies["box"].velocity = (0, 0, k)
        sim.bodies["box"].angular_velocity = (0, k, 0)
        sim.bodies["sheet"].velocities = np.full((9, 3), 0.1 * k)
        sim.bodies["box"].apply_force((0, 0, 1))
        sim.step()
    assert len(calls) == 1
    sim.bodies["box"].center = (0, 0, 1.5)
    assert len(calls) == 2


def test_centre_and_velocity_of_a_deformable_body_are_those_of_its_mass() -> None:
    sim = sg.Simulation(scene(), dt=4e-3)
    sheet = sim.bodies["sheet"]
    np.testing.assert_allclose(sheet.center, (2, 0, 1), atol=1e-12)
    sim.step()
    np.testing.assert_allclose(sheet.velocity, (0, 0, -9.81 * sim.dt), rtol=1e-9, atol=1e-9)
    with pytest.raises(sg.InputError, match="velocity of the cloth body 'sheet' can only be read; set node_velocities"):
        sheet.velocity = (0, 0, 1)
