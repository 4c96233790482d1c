"""Bodies with less room than the contact distance: nothing moves that is not pushed, nothing is lost that does not touch."""

from __future__ import annotations

import numpy as np
import pytest

import signorini as sg
from signorini.studies.absurd_scenes import pinned_near_the_ground, slot


@pytest.mark.parametrize("friction", [0.0, 0.5])
@pytest.mark.parametrize("room", [1e-4, 1e-3, 5e-3, 15e-3, 25e-3])
def test_a_cube_flies_freely_between_plates_that_it_does_not_touch(room: float, friction: float) -> None:
    sim = sg.Simulation(slot(room, friction), dt=0.01)
    for _ in range(40):
        report = sim.step()
        assert report.solves == report.solves_converged
        assert report.status is sg.StepStatus.ACCEPTED
    assert report.kinetic_energy == pytest.approx(5e4, rel=1e-9)
    assert sim.bodies["cube"].center == pytest.approx([0.0, 0.1, 0.0], abs=1e-9)


@pytest.mark.parametrize("tilt", [0.0, 0.3, 1.1])
def test_the_contact_distance_of_a_card_does_not_depend_on_the_rotation_of_its_mesh(tilt: float) -> None:
    """0.4 mm was chosen for a card along the axes, 21.5 mm for the same card rotated."""
    card = sg.shapes.box(1.0, 2.0, 0.02)
    c, s = np.cos(tilt), np.sin(tilt)
    turn = np.array([[1, 0, 0], [0, c, -s], [0, s, c]]) @ np.array([[c, 0, s], [0, 1, 0], [-s, 0, c]])
    scene = sg.Scene()
    scene.add_rigid(sg.TriangleMesh(card.vertices @ turn.T, card.triangles), density=1000)
    assert sg.Simulation(scene).contact_distance == pytest.approx(4e-4, rel=1e-9)


@pytest.mark.parametrize("kind", ["rigid", "soft", "cloth"])
def test_bodies_that_start_near_each_other_stay_at_rest_without_gravity(kind: str) -> None:
    """They were pushed apart with 0.1 m/s for good."""
    scene = sg.Scene(gravity=(0, 0, 0))
    for k in range(2):
        z = 0.5 + 1.001 * k
        if kind == "rigid":
            scene.add_rigid(sg.shapes.box(1, 1, 1), density=1000, position=(0, 0, z))
        elif kind == "soft":
            scene.add_soft_solid(sg.shapes.box_tets(1, 1, 1, cells=2), young=1e5, density=1000, position=(0, 0, z))
        else:
            scene.add_cloth(sg.shapes.grid(1, 1, cells=6), name=f"sheet {k}", position=(0, 0, 0.001 * k))
    sim = sg.Simulation(scene)
    assert sim.min_distance < 0.2 * sim.contact_distance
    for _ in range(10):
        report = sim.step()
        assert report.solves == report.solves_converged
    assert report.max_speed < 1e-9


def test_pinned_nodes_near_a_plane_are_no_contacts() -> None:
    """0 of 250 solves converged although nothing can move there."""
    sim = sg.Simulation(pinned_near_the_ground())
    assert sim.contact_distance > 0.002
    for _ in range(5):
        report = sim.step()
        assert report.solves == report.solves_converged
        assert report.contact_count == 0


def test_a_body_in_a_tight_place_still_stops_where_it_touches() -> None:
    """Pushed sideways, the cube comes to a quarter of its room and no nearer."""
    sim = sg.Simulation(slot(4e-3), dt=0.01)
    sim.bodies["cube"].velocity = (0.0, 0.0, 0.5)
    for _ in range(20):
        report = sim.step()
    assert report.min_distance == pytest.approx(1e-3, rel=0.05)
    assert sim.bodies["cube"].velocity == pytest.approx([0, 0, 0], abs=1e-3)
