"""Every gallery scene, small and for some steps: ipctk sees no intersection and no crossing, and no step is a fail-safe."""

from __future__ import annotations

from pathlib import Path

import pytest

import signorini as sg
from signorini.gallery import SCENES
from support.scene_runs import run

RUNS = {
    "falling-cloth": (20, 4e-3, 200),
    "drape": (18, 8e-3, 110),
    "layers": (10, 8e-3, 50),
    "curtain": (18, 8e-3, 110),
}
"""Vertices along an edge, dt [s] (longer than the scene's own: more happens per step) and steps."""


def test_every_scene_is_tested():
    files = {
        path.stem.removeprefix("test_").removeprefix("gallery_") for path in Path(__file__).parent.rglob("test_*.py")
    }
    others = {name for name in SCENES if name.replace("-", "_") in files}
    assert set(RUNS) | others == set(SCENES)


@pytest.mark.parametrize("name", RUNS)
def test_scene_is_free_of_intersection(name):
    """No edge through a triangle after any step, no crossing in any leg, no fail-safe, ≤ 3 refinements in > 90 %."""
    resolution, dt, steps = RUNS[name]
    sim = sg.Simulation(SCENES[name].build(resolution=resolution), dt=dt)
    reports = run(sim, steps)
    assert max(r.active_count for r in reports) > 5, "there must be contact"


@pytest.mark.parametrize("name", RUNS)
@pytest.mark.parametrize("resolution", [None, 15, 16, 25, 40])
def test_scene_can_be_built(name, resolution):
    """Every scene starts free of intersection, at its own resolution and at others."""
    scene = SCENES[name].build() if resolution is None else SCENES[name].build(resolution=resolution)
    assert sg.Simulation(scene, dt=SCENES[name].dt).intersections() == 0
    assert scene.name == name


@pytest.mark.parametrize("name", RUNS)
def test_friction_and_stiffness_are_taken(name):
    """`friction` and `stiffness` of `build` reach the bodies."""
    plain = SCENES[name].build(resolution=8)
    changed = SCENES[name].build(resolution=8, friction=0.77, stiffness=2.0)
    assert {b.friction for b in changed.bodies.values()} == {0.77}
    for cloth_name, cloth in changed.bodies.items():
        if hasattr(cloth, "material"):
            assert cloth.material == plain.bodies[cloth_name].material.scaled(2.0)


def test_full_falling_cloth_until_it_folds():
    """2,500 vertices for the first 150 steps: it has hit the ground and begun to fold."""
    scene = SCENES["falling-cloth"]
    reports = run(sg.Simulation(scene.build(), dt=scene.dt), 150)
    assert reports[-1].active_count > 50
