"""Separations of continuous detection."""

from __future__ import annotations

import numpy as np

import signorini as sg
from signorini.collision.separation import Separation
from signorini.collision.separation_kernels import of_edges, of_vertex_triangle


def test_two_primitives_keep_the_larger_one_of_their_least_separations() -> None:
    separation = np.array([1.0, 5.0, 2.0, 7.0])
    assert of_vertex_triangle(separation, 0, 1, 2, 3) == 2.0
    assert of_edges(separation, 0, 1, 2, 3) == 2.0
    assert of_edges(separation, 0, 2, 1, 3) == 5.0


def test_vertices_of_a_contact_keep_a_part_of_its_distance() -> None:
    scene = sg.Scene()
    scene.add_ground()
    scene.add_cloth(sg.shapes.grid(1, 1, cells=4), position=(0, 0, 0.002))
    sim = sg.Simulation(scene)
    usual = Separation.uniform(sim._world.model.surface, 1.0)
    narrow = usual.narrowed(sim._moment.near.contacts, 0.5)
    np.testing.assert_allclose(narrow.vertices, 0.001)
    np.testing.assert_allclose(narrow.planes, 1.0)
    assert usual.least == 1.0


def test_all_of_two_bodies_is_lowered() -> None:
    scene = sg.Scene()
    scene.add_ground()
    for k in range(2):
        scene.add_rigid(sg.shapes.box(1, 1, 1), density=1, position=(3 * k, 0, 1), name=f"{k}")
    surface = sg.Simulation(scene)._world.model.surface
    usual = Separation.uniform(surface, 1.0)
    pair = np.array([[surface.vertex_body[0], surface.plane_body[0]]], np.int32)
    lowered = usual.lowered(surface, pair, np.array([0.25]))
    own = surface.vertex_body == surface.vertex_body[0]
    assert (lowered.vertices[own] == 0.25).all()
    assert (lowered.vertices[~own] == 1.0).all()
    assert (lowered.planes == 0.25).all()
    assert usual.lowered(surface, pair, np.array([2.0])) is usual
