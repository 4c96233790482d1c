"""`mixed-pile`: rigid bodies, soft solids and cloth in one pile, with cloth squeezed between them."""

from __future__ import annotations

import pytest

import signorini as sg
from signorini.gallery import SCENES
from signorini.scene.cloth import Cloth
from signorini.scene.half_space import HalfSpace
from signorini.scene.rigid import Rigid
from signorini.scene.soft_solid import SoftSolid
from support.scene_runs import run

SCENE = SCENES["mixed-pile"]


@pytest.mark.parametrize("resolution", [None, 9, 16, 25])
def test_starts_free_of_intersection(resolution):
    """At its own resolution and at others; all three kinds of bodies are there."""
    scene = SCENE.build() if resolution is None else SCENE.build(resolution=resolution)
    assert sg.Simulation(scene, dt=SCENE.dt).intersections() == 0
    assert {type(b) for b in scene.bodies.values()} == {Cloth, SoftSolid, Rigid, HalfSpace}


def test_cloth_is_squeezed_between_all_kinds_of_bodies():
    """Coarse sheets at 10 ms: nothing intersects, all problems are solved, both kinds of solids press from both sides."""
    sim = sg.Simulation(SCENE.build(resolution=8), dt=0.01)
    reports = run(sim, 30)
    assert all(r.solves_converged == r.solves for r in reports)
    assert all(r.halvings == 0 for r in reports)
    assert {(side, kind) for side in ("above", "below") for kind in ("rigid", "soft_solid")} <= _on_sheets(sim)


def _on_sheets(sim: sg.Simulation) -> set[tuple[str, str]]:
    """On which side of a sheet something lies, and of which kind it is."""
    found = set()
    for c in sim.contacts():
        for sheet, other, up in ((c.body_a, c.body_b, c.normal[2]), (c.body_b, c.body_a, -c.normal[2])):
            if sheet.startswith("sheet") and other in sim.bodies and abs(up) > 0.5:
                found.add(("below" if up > 0.0 else "above", sim.bodies[other].kind))
    return found


def test_options_reach_the_bodies():
    plain, changed = SCENE.build(resolution=8), SCENE.build(friction=0.77, stiffness=2.0, resolution=8)
    assert {b.friction for b in changed.bodies.values()} == {0.77}
    for name in ("sheet-1", "cushion", "roll"):
        assert changed.bodies[name].material == plain.bodies[name].material.scaled(2.0)
