"""Contacts of smooth patches: where they are, and which contacts of triangles they stand for."""

from __future__ import annotations

import numpy as np
import pytest

import signorini as sg
from signorini.collision.contact_set import ContactSet
from signorini.contact.contact_points import PointFinder
from signorini.contact.smooth_contacts import ExpectedTurn
from signorini.methods.moment import Moment, World, moment_at
from signorini.simulation.simulation import Simulation

DELTA = 2e-3


def start(scene: sg.Scene) -> tuple[World, Moment]:
    sim = Simulation(scene, dt=4e-3, settings=sg.Settings(contact_distance=DELTA))
    return sim._world, moment_at(sim._world, sim.state)


def found(scene: sg.Scene) -> tuple[ContactSet, World, Moment]:
    """The contacts at the start of the first step, in which nothing turns."""
    world, moment = start(scene)
    state = moment.state
    expected = ExpectedTurn(state.v, state.rotations, 4e-3)
    finder = PointFinder(
        world.model, state, moment.surface_positions, expected, contact_distance=DELTA, reach=world.detection_distance
    )
    return finder.near(moment.near.contacts, moment.candidates), world, moment


def ball(subdivisions: int = 3, *, height: float = 0.1 + DELTA, **options: object) -> sg.Scene:
    scene = sg.Scene()
    mesh = sg.shapes.sphere(0.1, subdivisions=subdivisions)
    scene.add_rigid(mesh, density=1000, position=(0, 0, height), name="ball", rotation=(0.3, 0.5, 0.1), **options)  # pyright: ignore[reportArgumentType]
    return scene


@pytest.mark.parametrize("ground", ["plane", "fine mesh", "coarse mesh"])
def test_ball_touches_below_its_centre(ground: str) -> None:
    scene = ball()
    if ground == "plane":
        scene.add_ground()
    else:
        scene.add_kinematic(sg.shapes.grid(1, 1, cells=40 if ground == "fine mesh" else 1), position=(0.013, 0.006, 0))
    contacts, _, moment = found(scene)
    points = contacts.points
    assert points is not None and points.smooth.all() and len(contacts) >= 1
    place = moment.surface_positions[contacts.vertices[:, 0]] + points.shift[:, 0]
    np.testing.assert_allclose(place, np.tile([0, 0, DELTA], (len(contacts), 1)), atol=1e-6)
    np.testing.assert_allclose(contacts.normal, np.tile([0, 0, 1], (len(contacts), 1)), atol=1e-12)
    np.testing.assert_allclose(contacts.distance, DELTA, rtol=1e-4)


def test_ball_that_stands_on_a_facet_is_a_polyhedron() -> None:
    """Its patch would be below the ground."""
    mesh = sg.shapes.sphere(0.1, subdivisions=2)
    a, b, c = mesh.vertices[mesh.triangles[0]]
    facet = np.cross(b - a, c - a)
    facet /= np.linalg.norm(facet)
    axis = np.cross(facet, [0, 0, -1])
    rotation = axis / np.linalg.norm(axis) * np.arccos(-facet[2])
    scene = sg.Scene()
    scene.add_rigid(mesh, density=1000, position=(0, 0, float(a @ facet) + DELTA), rotation=rotation.tolist())
    scene.add_ground()
    contacts, _, _ = found(scene)
    assert len(contacts) == 3
    assert contacts.points is not None and not contacts.points.smooth.any()


def test_option_and_deformable_partners_leave_the_triangles() -> None:
    scene = ball(smooth=False)
    scene.add_ground()
    contacts, _, moment = found(scene)
    np.testing.assert_array_equal(contacts.key, moment.near.contacts.key)
    scene = ball()
    scene.add_cloth(sg.shapes.grid(1, 1, cells=20), area_density=0.2)
    contacts, _, moment = found(scene)
    np.testing.assert_array_equal(contacts.key, moment.near.contacts.key)


def test_two_places_stay_two_contacts() -> None:
    """A ball in a corner between floor and wall of one body."""
    scene = ball()
    corner = sg.TriangleMesh(
        np.array(
            [
                [-1, -1, 0],
                [0.1 + DELTA, -1, 0],
                [0.1 + DELTA, 1, 0],
                [-1, 1, 0],
                [0.1 + DELTA, -1, 1],
                [0.1 + DELTA, 1, 1],
            ]
        ),
        np.array([[0, 1, 2], [0, 2, 3], [1, 4, 5], [1, 5, 2]]),
    )
    scene.add_kinematic(corner)
    contacts, _, _ = found(scene)
    assert contacts.points is not None and contacts.points.smooth.all()
    assert {tuple(n) for n in np.round(contacts.normal, 6).tolist()} == {(0.0, 0.0, 1.0), (-1.0, 0.0, 0.0)}


def test_cylinder_touches_along_a_line_and_stands_on_its_end() -> None:
    mesh = sg.shapes.cylinder(0.1, 0.3, edge=0.05)
    for rotation, height, smooth in (((np.pi / 2, 0, 0), 0.1, True), ((0, 0, 0), 0.15, False)):
        scene = sg.Scene()
        scene.add_rigid(mesh, density=1000, position=(0, 0, height + DELTA), rotation=rotation)
        scene.add_ground()
        contacts, _, moment = found(scene)
        assert contacts.points is not None
        assert (contacts.points.smooth == smooth).all()
        place = moment.surface_positions[contacts.vertices[:, 0]] + contacts.points.shift[:, 0]
        assert np.ptp(place[:, 1]) > 0.19  # from end to end, or from side to side
        np.testing.assert_allclose(contacts.distance, DELTA, rtol=1e-4)


def test_impulses_of_two_bodies_meet_in_one_point() -> None:
    scene = sg.Scene()
    scene.add_rigid(sg.shapes.box(0.2, 0.2, 0.2), density=1000, position=(0, 0, 0.1), name="below")
    scene.add_rigid(sg.shapes.box(0.1, 0.1, 0.1), density=1000, position=(0, 0.01, 0.25 + DELTA), rotation=(0, 0, 0.2))
    contacts, _, moment = found(scene)
    points, x = contacts.points, moment.surface_positions
    assert points is not None and (points.spins >= 0).all()
    weights = np.where(contacts.vertices >= 0, contacts.weights, 0.0)
    apart = np.einsum("ck,cki->ci", weights, x[contacts.vertices]) + points.shift[:, 0] - points.shift[:, 1]
    np.testing.assert_allclose(apart, 0.0, atol=1e-12)
