"""Any scene that can be built survives saving and loading bit by bit, and any table survives the TOML writer."""

from __future__ import annotations

import tempfile
import tomllib
from dataclasses import replace
from pathlib import Path

import numpy as np
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from signorini.files.scenes.scene_file import load_scene, save_scene
from signorini.files.scenes.toml_writer import toml_text
from signorini.geometry import shapes
from signorini.scene import motions
from signorini.scene.cloth_material import PRESETS
from signorini.scene.scene import Scene

QUICK = settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.too_slow])
NUMBER = st.floats(-1e3, 1e3)
POSITIVE = st.floats(1e-6, 1e6)
VECTOR = st.tuples(NUMBER, NUMBER, NUMBER)
MATERIAL = st.builds(
    replace,
    st.sampled_from(list(PRESETS.values())),
    membrane_stiffness=POSITIVE,
    weft_stiffness=st.none(),
    bending_rigidity=POSITIVE,
    weft_bending_rigidity=st.none(),
)
TEXT = st.text(st.characters(codec="utf-8"), max_size=12)
SCALAR = st.one_of(TEXT, st.integers(-(2**63), 2**63 - 1), st.floats(allow_nan=False), st.booleans())
TABLE = st.recursive(
    st.dictionaries(TEXT, st.one_of(SCALAR, st.lists(SCALAR, max_size=3)), max_size=3),
    lambda inner: st.dictionaries(TEXT, st.one_of(SCALAR, inner, st.lists(inner, min_size=1, max_size=2)), max_size=3),
    max_leaves=6,
)


@settings(max_examples=100, deadline=None)
@given(TABLE)
def test_toml_writer_is_read_back_by_tomllib(table):
    assert tomllib.loads(toml_text(table)) == table


@st.composite
def scenes(draw) -> Scene:
    scene = Scene(gravity=draw(VECTOR), friction=draw(st.floats(0, 2)), name=draw(TEXT))
    for k in range(draw(st.integers(0, 3))):
        kind = draw(st.sampled_from(["cloth", "kinematic", "ground"]))
        if kind == "ground":
            scene.add_ground(height=draw(NUMBER))
            continue
        place = {"position": draw(VECTOR), "rotation": draw(VECTOR), "friction": draw(st.floats(0, 2))}
        mesh = shapes.grid(draw(st.floats(0.1, 10)), draw(st.floats(0.1, 10)), cells=draw(st.integers(1, 3)))
        start = draw(st.floats(0, 10))
        motion = draw(
            st.one_of(
                st.none(),
                st.builds(motions.Translate, velocity=VECTOR, start=st.just(start), stop=st.floats(start, 20)),
                st.builds(motions.Rotate, rate=NUMBER, center=VECTOR),
            )
        )
        if kind == "kinematic":
            scene.add_kinematic(mesh, motion=motion, name=f"k {k}", **place)
            continue
        material = draw(MATERIAL)
        cloth = scene.add_cloth(mesh, material=material, area_density=draw(POSITIVE), velocity=draw(VECTOR), **place)
        if draw(st.booleans()):
            cloth.pin([0, 2], motion=motion, release_time=draw(POSITIVE))
    return scene


@QUICK
@given(scenes(), POSITIVE, POSITIVE)
def test_saved_scene_is_loaded_bit_by_bit(scene, dt, seconds):
    with tempfile.TemporaryDirectory() as directory:
        loaded = load_scene(save_scene(Path(directory) / "scene.toml", scene, dt=dt, seconds=seconds))
    assert (loaded.dt, loaded.seconds) == (dt, seconds)
    assert list(loaded.scene.bodies) == list(scene.bodies)
    assert loaded.scene.gravity.tolist() == scene.gravity.tolist()
    for name, body in scene.bodies.items():
        other = loaded.scene.bodies[name]
        assert other.friction == body.friction
        if not hasattr(body, "mesh"):
            assert other.height == body.height
            continue
        np.testing.assert_array_equal(other.positions, body.positions)
        np.testing.assert_array_equal(other.mesh.vertices, body.mesh.vertices)
        if hasattr(body, "pins"):
            assert other.material == body.material
            np.testing.assert_array_equal(other.velocities, body.velocities)
            assert [(p.motion, p.release_time) for p in other.pins] == [(p.motion, p.release_time) for p in body.pins]
        else:
            assert other.motion == body.motion
