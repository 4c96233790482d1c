"""Scene: what bodies become, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest

from signorini.errors import InputError
from signorini.geometry import shapes
from signorini.scene.scene import Scene

GRID = shapes.grid(1, 1, cells=2)


def test_bodies_are_rotated_then_moved_and_keep_their_rest_shape():
    cloth = Scene().add_cloth(GRID, position=(0, 0, 3), rotation=(0, np.pi / 2, 0), velocity=(1, 2, 3))
    np.testing.assert_allclose(cloth.positions[0], [0, -0.5, 3.5], atol=1e-14)
    assert cloth.mesh is GRID
    np.testing.assert_array_equal(cloth.velocities, np.tile([1.0, 2, 3], (9, 1)))


def test_names_are_made_up_and_unique():
    scene = Scene()
    for _ in range(2):
        scene.add_cloth(GRID)
    scene.add_ground()
    assert list(scene.bodies) == ["cloth", "cloth-2", "ground"]


def test_automatic_name_avoids_a_given_one():
    scene = Scene()
    scene.add_cloth(GRID, name="cloth-2")
    assert scene.add_cloth(GRID).name not in ("cloth-2",)
    scene.add_cloth(GRID)
    assert len(scene.bodies) == 3


def test_friction_is_the_scenes_unless_given():
    scene = Scene(friction=0.7)
    assert scene.add_cloth(GRID).friction == 0.7
    assert scene.add_ground(friction=0).friction == 0.0


def test_ground_normal_is_normalised():
    ground = Scene().add_ground(normal=(0, 3, 4), height=2)
    np.testing.assert_allclose(ground.normal, [0, 0.6, 0.8])


@pytest.mark.parametrize(
    ("build", "words"),
    [
        (lambda s: s.add_cloth(GRID, area_density=-0.2), ["area_density", "-0.2 kg/m²"]),
        (lambda s: s.add_cloth(GRID, area_density=0), ["area_density", "0 kg/m²"]),
        (lambda s: s.add_cloth(GRID, area_density=float("nan")), ["area_density", "nan"]),
        (lambda s: s.add_cloth(GRID, material="coton"), ["'coton'", "did you mean 'cotton'"]),
        (lambda s: s.add_cloth(GRID, friction=-1), ["friction", "-1"]),
        (lambda s: s.add_cloth(GRID, position=(0, 0)), ["position", "three"]),
        (lambda s: s.add_cloth(np.zeros((3, 3))), ["TriangleMesh", "ndarray"]),
        (lambda s: s.add_cloth(GRID, initial_vertices=np.zeros((9, 3))), ["degenerate"]),
        (lambda s: s.add_cloth(GRID).pin([0, 9]), ["'cloth'", "vertex 9", "0 to 8"]),
        (lambda s: s.add_cloth(GRID).pin([-1]), ["vertex -1"]),
        (lambda s: s.add_cloth(GRID).pin([0.5]), ["integers"]),
        (lambda s: s.add_cloth(GRID).pin([0], release_time=0), ["release_time", "0 s"]),
        (lambda s: s.add_kinematic(GRID, motion=3), ["motion", "3"]),
        (lambda s: s.add_ground(normal=(0, 0, 0)), ["normal"]),
        (lambda s: s.add_ground(height=float("inf")), ["height"]),
        (lambda s: s.add_ground(name="a/b"), ["slashes", "'a/b'"]),
        (lambda s: s.add_ground(name=".."), ["'..'"]),
        (lambda s: [s.add_ground(name="x"), s.add_cloth(GRID, name="x")], ["'x'", "exists already"]),
    ],
)
def test_bad_bodies_are_named(build, words):
    with pytest.raises(InputError) as caught:
        build(Scene())
    for word in words:
        assert word in str(caught.value)


def test_bad_gravity_is_named():
    with pytest.raises(InputError, match="gravity"):
        Scene(gravity=(0, 0))
