"""Scene files with a character: the motion of its bones is saved beside the scene and comes back bit by bit."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import signorini as sg
from signorini.characters.articulation import BoneMotion
from signorini.errors import InputError
from signorini.files.scenes.scene_file import load_scene, save_scene
from signorini.gallery.dancer import build
from signorini.scene.kinematic import Kinematic
from signorini.scene.motions import Chain


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("scene")
    return save_scene(folder / "scene.toml", build(resolution=12), dt=8e-3, seconds=1.0)


def bones_of(scene: sg.Scene) -> BoneMotion:
    body = scene.bodies["dancer"]
    assert isinstance(body, Kinematic)
    assert isinstance(body.motion, Chain)
    bones = body.motion.motions[0]
    assert isinstance(bones, BoneMotion)
    return bones


def test_the_bones_come_back_bit_by_bit(saved: Path) -> None:
    assert "NOT COMPLETE" not in saved.read_text(encoding="utf-8")
    again, first = bones_of(load_scene(saved).scene).to_arrays(), bones_of(build(resolution=12)).to_arrays()
    assert list(again) == list(first)
    for name, array in first.items():
        np.testing.assert_array_equal(again[name], array, err_msg=name)


def test_a_saved_dancer_runs_bit_by_bit_as_the_first(saved: Path) -> None:
    """Into the turn, when bones and carrier both move."""
    sims = [sg.Simulation(scene, dt=0.02) for scene in (build(resolution=12), load_scene(saved).scene)]
    for sim in sims:
        for _ in range(30):
            sim.step()
    for name in sims[0].bodies:
        np.testing.assert_array_equal(sims[0].bodies[name].positions, sims[1].bodies[name].positions, err_msg=name)
    moved = sims[0].bodies["dancer"].positions - build(resolution=12).bodies["dancer"].positions  # pyright: ignore
    assert np.abs(moved).max() > 0.1


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"times": None}, "'times' is missing"),
        ({"joints": np.array(["a", "b"])}, "bones-of-a-dancer.npz"),
        ({"names": np.array("pelvis")}, "bones-of-a-dancer.npz"),
        ({"weights": np.ones((2, 1))}, "one shape"),
    ],
)
def test_damaged_bones_are_named(saved: Path, tmp_path: Path, changes: dict, words: str) -> None:
    arrays = bones_of(load_scene(saved).scene).to_arrays() | changes
    np.savez(tmp_path / "bones-of-a-dancer.npz", **{k: v for k, v in arrays.items() if v is not None})
    text = 'mesh = { shape = "box", width = 1.0, depth = 1.0, height = 1.0 }\n'
    text += 'motion = { kind = "bones", file = "bones-of-a-dancer.npz" }\n'
    (tmp_path / "scene.toml").write_text("[[kinematic]]\n" + text, encoding="utf-8")
    with pytest.raises(InputError) as caught:
        load_scene(tmp_path / "scene.toml")
    message = str(caught.value)
    assert words in message
    assert "kinematic[0]" in message
    assert "bones-of-a-dancer.npz" in message
