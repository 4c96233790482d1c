"""The contact distance is explained, and noted where it is large beside the smallest body."""

from __future__ import annotations

import pytest

import signorini as sg


def simulation(cells: int = 40, *, settings: sg.Settings | None = None, ball: float = 0.25) -> sg.Simulation:
    scene = sg.Scene()
    # The preset of mass-spring cloth has no thickness.
    scene.add_cloth(sg.shapes.grid(0.5, 0.5, cells=cells), position=(0, 0, 0.9), model="mass-spring", name="sheet")
    scene.add_kinematic(sg.shapes.sphere(ball, edge=0.3 * ball), position=(0, 0, 0.5), name="ball")
    return sg.Simulation(scene, settings=settings)


def test_a_fine_sheet_needs_no_note() -> None:
    sim = simulation()
    assert sim.contact_distance_reason == "a tenth of the mean edge of cloth, which is 14.2 mm"
    assert sim.contact_distance == pytest.approx(1.42e-3, rel=0.01)
    assert sim.contact_distance_note == ""


@pytest.mark.parametrize(
    ("fabric", "cells", "distance"),
    [("denim", 40, 8e-4), ("silk", 40, 1.5e-4), ("silk", 5, 0.01 * 0.1138), ("denim", 80, 0.1 * 7.11e-3)],
    ids=["denim", "silk", "a coarse mesh keeps a hundredth of its edge", "a fine mesh keeps a tenth of it"],
)
def test_a_fabric_keeps_its_thickness(fabric: str, cells: int, distance: float) -> None:
    scene = sg.Scene()
    scene.add_cloth(sg.shapes.grid(0.5, 0.5, cells=cells), material=fabric, position=(0, 0, 0.9), name="sheet")
    scene.add_ground()
    sim = sg.Simulation(scene)
    assert sim.contact_distance == pytest.approx(distance, rel=0.01)
    assert sim.contact_distance_reason.startswith("a tenth" if cells == 80 else "the thickness of 'sheet'")
    assert sg.Simulation(scene, settings=sg.Settings(contact_distance=2e-4)).contact_distance == 2e-4


def test_two_fabrics_keep_the_larger_thickness() -> None:
    scene = sg.Scene()
    for name, height in (("silk", 0.0), ("denim", 0.1)):
        scene.add_cloth(sg.shapes.grid(0.2, 0.2, cells=20), material=name, position=(0, 0, height), name=name)
    sim = sg.Simulation(scene)
    assert sim._world.body_distances.tolist() == pytest.approx([1.5e-4, 8e-4])
    assert sim.contact_distance == pytest.approx(8e-4)


def test_a_coarse_sheet_is_noted() -> None:
    """The sheet of 2 cells of the issue, which floats 28 mm above a ball."""
    sim = simulation(2)
    assert sim.contact_distance == pytest.approx(0.028, rel=0.02)
    assert sim.contact_distance_note.startswith("bodies keep 28.")
    assert "'ball'" in sim.contact_distance_note or "'sheet'" in sim.contact_distance_note
    assert "contact_distance" in sim.contact_distance_note


def test_a_small_obstacle_is_noted() -> None:
    assert "'ball'" in simulation(ball=0.02).contact_distance_note


def test_a_given_distance_is_called_so() -> None:
    assert simulation(settings=sg.Settings(contact_distance=1e-3)).contact_distance_reason == "given by the settings"


def test_a_thin_plate_limits_the_distance() -> None:
    scene = sg.Scene()
    scene.add_rigid(sg.shapes.box(0.4, 0.4, 0.01), density=500.0, position=(0, 0, 0.1), name="plate")
    sim = sg.Simulation(scene)
    assert sim.contact_distance == pytest.approx(0.01 / 50)
    assert sim.contact_distance_reason == "1/50 of the least width of 'plate'"
    assert sim.contact_distance_note == ""
