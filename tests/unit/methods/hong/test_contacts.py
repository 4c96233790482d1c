"""Signed distances against a naive search, derivatives of the distance by differences, and the matrix of the contacts."""

from __future__ import annotations

import numpy as np
import pytest

import signorini as sg
from reference.penetration import distance_to_triangles, in_tetrahedra
from signorini.collision.contact_set import EDGE_EDGE, KIND_SHIFT, VERTEX_TRIANGLE
from signorini.geometry.tet_mesh import TetMesh
from signorini.methods.hong import response_kernels as kernels
from signorini.methods.hong.contacts import build_touching, detect_signed, group_pairs, move_back, select
from signorini.methods.hong.step_data import model_data, step_data
from signorini.settings import HongSettings, Settings

NEAR, REACH = 0.01, 0.04
"""How far outside and inside contacts are looked for [m]."""
FAR = np.array([0.0, 0.0, 5.0])


def two_bodies(first: TetMesh, second: TetMesh, *, edges: bool = False) -> sg.Simulation:
    """Two solids, far from each other at the start; contacts are looked for up to 4 cm."""
    scene = sg.Scene(gravity=(0.0, 0.0, 0.0))
    scene.add_soft_solid(first, young=1e4, poisson=0.3, density=1000.0, name="first")
    scene.add_soft_solid(second, young=1e4, poisson=0.3, density=500.0, position=FAR, name="second")
    hong = HongSettings(edge_contacts=edges)
    return sg.Simulation(
        scene, settings=Settings(method="hong", contact_distance=0.01, detection_factor=4.0, hong=hong)
    )


def placed(sim: sg.Simulation, rotation, shift):
    """Nodes (n, 3) with the second body turned and shifted."""
    q = sim.state.q.copy()
    nodes = sim._world.model.bodies["second"].nodes
    q[nodes] = (q[nodes] - FAR) @ rotation.T + shift
    return q


def detect(sim: sg.Simulation, q, near):
    world = sim._world
    x = world.model.surface_positions(q, 0.0)
    candidates = world.tree.find_candidates(x, x, distance=world.detection_distance, margin=0.0)
    return detect_signed(world, group_pairs(world.model.surface, candidates), x, x, near), x


def bent_bar() -> TetMesh:
    """A bar bent into a hook: concave on one side."""
    bar = sg.shapes.box_tets(0.6, 0.1, 0.1, cells=(8, 2, 2))
    x, y, z = bar.vertices.T
    radius, angle = 0.16 - z, x / 0.16
    return TetMesh(np.column_stack([radius * np.sin(angle), y, -radius * np.cos(angle)]), bar.tetrahedra)


def angle_iron() -> TetMesh:
    """An L of two bars: a quarter of a block is missing, and the edge in its hollow is sharp."""
    block = sg.shapes.box_tets(0.4, 0.3, 0.4, cells=(4, 3, 4))
    middle = block.vertices[block.tetrahedra].mean(axis=1)
    kept = block.tetrahedra[(middle[:, 0] < 0.0) | (middle[:, 2] < 0.0)]
    used, renumbered = np.unique(kept, return_inverse=True)
    return TetMesh(block.vertices[used], renumbered.reshape(kept.shape).astype(np.int32))


SHAPES = {"ball": (sg.shapes.sphere_tets(0.2, edge=0.07), 1.0), "hook": (bent_bar(), 0.9), "iron": (angle_iron(), 0.7)}
"""Bodies, and the least part of the distance that counts as depth: in a hollow, it is that from the plane beside the edge."""


@pytest.mark.parametrize("shape", list(SHAPES))
@pytest.mark.parametrize("seed", range(4))
def test_signed_distances_are_those_of_the_naive_search(shape, seed):
    """Every vertex that is inside the other body is found with its depth, and none that is outside is called inside."""
    target, part = SHAPES[shape]
    sim = two_bodies(target, sg.shapes.sphere_tets(0.1, edge=0.03))
    rng = np.random.default_rng(seed)
    turned = np.linalg.qr(rng.standard_normal((3, 3)))[0]
    turned *= np.sign(np.linalg.det(turned))
    direction = rng.standard_normal(3)
    centre = 0.28 * direction / np.linalg.norm(direction)
    if shape == "hook":
        angle = rng.uniform(-1.2, 1.2)
        centre = rng.choice([0.03, 0.27]) * np.array([np.sin(angle), 0.0, -np.cos(angle)])
    if shape == "iron":
        centre = np.array([0.04, 0.0, 0.04]) + 0.02 * rng.standard_normal(3)
    q = placed(sim, turned, centre)
    contacts, x = detect(sim, q, NEAR)
    slots = sim._world.model.bodies
    checked = 0
    for target_name, other_name in (("first", "second"), ("second", "first")):
        t, o = slots[target_name], slots[other_name]
        points = x[o.vertices]
        inside = in_tetrahedra(points, q[t.nodes], sim.scene.bodies[target_name].tets.tetrahedra)
        distance = np.array([distance_to_triangles(p, x[t.vertices][t.triangles]) for p in points])
        mine = contacts.vertices[:, 0]
        rows = np.flatnonzero((mine >= o.first) & (mine < o.first + o.count))
        found = dict(zip((mine[rows] - o.first).tolist(), contacts.distance[rows].tolist(), strict=True))
        for vertex in np.flatnonzero(inside & (distance < REACH)).tolist():
            assert part * distance[vertex] - 1e-9 <= -found[vertex] <= distance[vertex] + 1e-9, "depth"
            checked += 1
        for vertex in np.flatnonzero(~inside & (distance > 1e-9)).tolist():
            assert found.get(vertex, 0.0) >= 0.0, "outside"
            assert (vertex in found) == (distance[vertex] < NEAR)
    assert checked > 3


def sliding_pair(seed: int, *, edges: bool):
    """A blunt contact of two boxes with random velocities, as (sim, step, contacts, q, v)."""
    boxes = [sg.shapes.box_tets(0.3, 0.3, 0.3, cells=1) for _ in range(2)]
    sim = two_bodies(*boxes, edges=edges)
    rng = np.random.default_rng(seed)
    if edges:
        quarter = np.array([[np.sqrt(0.5), 0.0, np.sqrt(0.5)], [0.0, 1.0, 0.0], [-np.sqrt(0.5), 0.0, np.sqrt(0.5)]])
        about_z = np.array([[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])
        q = placed(sim, about_z @ quarter, np.array([0.04, 0.15 + 0.15 * np.sqrt(2.0) - 2e-4, 0.15]))
    else:
        q = placed(sim, np.eye(3), np.array([0.07, 0.05, 0.2999]))
    v = rng.standard_normal(sim.state.v.shape)
    step = step_data(model_data(sim._world.model), sim.state, 1.0)
    contacts, x = detect(sim, q, near=1e-3)
    return sim, step, contacts, x, q, v


def plane_distance(x, contact_vertices, kind):
    """n · (Pa − Pb) of a vertex and the plane of a triangle, or of two lines, with the normal of the moment."""
    a, b, c, d = x[contact_vertices]
    if kind == EDGE_EDGE:
        n = np.cross(b - a, d - c)
        return n @ (a - c) / np.linalg.norm(n)
    n = np.cross(c - b, d - b)
    return n @ (a - b) / np.linalg.norm(n)


@pytest.mark.parametrize("seed", range(3))
def test_speed_and_bias_are_the_derivatives_of_the_distance(seed):
    """ḋ = J v, and with constant velocities d̈ = 2 ṅ·(Ṗa − Ṗb) where Pa = Pb (Hong2004 §3): differences of the distance."""
    _, step, contacts, x, _, v = sliding_pair(seed, edges=False)
    rows = (contacts.key >> KIND_SHIFT) == VERTEX_TRIANGLE
    contacts = select(contacts, rows)
    assert len(contacts) >= 2
    touching = build_touching(step, contacts, x, v)
    assert touching.rates(v) == pytest.approx(touching.speed, abs=1e-12)
    moving, t = step.surface_velocities(v), 1e-4
    for c in range(len(contacts)):
        # Put the vertex exactly on the surface: n̈·(Pa − Pb) vanishes only there.
        x0 = x.copy()
        x0[contacts.vertices[c, 0]] -= contacts.distance[c] * contacts.normal[c]
        d = [plane_distance(x0 + s * t * moving, contacts.vertices[c], VERTEX_TRIANGLE) for s in (-1.0, 0.0, 1.0)]
        assert (d[2] - d[0]) / (2.0 * t) == pytest.approx(touching.speed[c], abs=1e-5 * np.abs(v).max())
        on_surface = build_touching(step, select(contacts, np.arange(len(contacts)) == c), x0, v)
        assert (d[2] - 2.0 * d[1] + d[0]) / t**2 == pytest.approx(on_surface.bias[0], rel=1e-4, abs=1e-3)


@pytest.mark.parametrize("seed", range(3))
def test_with_the_contact_forces_no_distance_has_a_negative_second_derivative(seed):
    """Differences of the true distance along q + t v + t²/2 a: zero where there is force, positive elsewhere (Hong2004 §4)."""
    _, step, contacts, x, _, v = sliding_pair(seed, edges=False)
    touching = build_touching(step, contacts, x, v)
    a = np.random.default_rng(seed).standard_normal(v.shape)
    solution = touching.problem.solve(touching.rates(a) + touching.bias, np.ones(len(contacts), dtype=bool))
    touching.push(step, solution.x, a)
    moving, pushed, t = step.surface_velocities(v), step.model.surface_map.velocities(a), 1e-4
    second = []
    for vertices in contacts.vertices:
        path = [x + s * t * moving + 0.5 * (s * t) ** 2 * pushed for s in (-1.0, 0.0, 1.0)]
        d = [plane_distance(place, vertices, VERTEX_TRIANGLE) for place in path]
        second.append((d[2] - 2.0 * d[1] + d[0]) / t**2)
    # Vertices are 0.1 mm from the surface: n̈·(Pa − Pb) is below 0.01 m/s².
    assert np.array(second) == pytest.approx(solution.slack, abs=0.02)
    assert min(second) > -0.02
    assert (solution.x > 0.0).any() and solution.x @ solution.slack == pytest.approx(0.0, abs=1e-12)


def test_edges_that_cross_are_contacts_with_the_right_sign_and_bias():
    sim, step, contacts, x, _, v = sliding_pair(0, edges=True)
    rows = (contacts.key >> KIND_SHIFT) == EDGE_EDGE
    assert rows.sum() == 1, "one edge of the turned box lies across an edge of the other"
    edge = select(contacts, rows)
    assert -1e-3 < edge.distance[0] < 0.0
    a, b = edge.bodies[0]
    centre = [x[sim._world.model.surface.vertex_body == k].mean(axis=0) for k in (a, b)]
    assert edge.normal[0] @ (centre[0] - centre[1]) > 0.0, "out of b, into a"
    touching, moving, t = build_touching(step, edge, x, v), step.surface_velocities(v), 1e-4
    sign = np.sign(plane_distance(x, edge.vertices[0], EDGE_EDGE) * edge.distance[0])
    d = [sign * plane_distance(x + s * t * moving, edge.vertices[0], EDGE_EDGE) for s in (-1.0, 0.0, 1.0)]
    assert d[1] == pytest.approx(edge.distance[0], rel=1e-9)
    assert (d[2] - 2.0 * d[1] + d[0]) / t**2 == pytest.approx(touching.bias[0], rel=0.05)


@pytest.mark.parametrize("seed", range(3))
def test_the_matrix_is_the_dense_product_and_the_moves_do_what_they_should(seed):
    sim, step, contacts, x, q, v = sliding_pair(seed, edges=False)
    touching = build_touching(step, contacts, x, v)
    J = np.array([touching.rates(row.reshape(-1, 3)) for row in np.eye(v.size)]).T
    W = J @ np.diag(np.repeat(step.inverse_mass, 3)) @ J.T
    assert pytest.approx(W, rel=1e-10, abs=1e-12 * W.max()) == touching.problem.W
    mass = sim._world.model.mass
    moved, stopped = q.copy(), v.copy()
    touching.push(step, move_back(touching).x, moved)
    impulse, resting = np.empty(len(touching)), touching.speed < 0.0
    kernels.bring_to_rest(touching.problem.W, touching.speed, resting, impulse)
    touching.push(step, impulse, stopped)
    assert mass @ moved == pytest.approx(mass @ q, abs=1e-12), "the centre of mass stays"
    assert mass @ stopped == pytest.approx(mass @ v, abs=1e-12), "momentum stays"
    assert (contacts.distance + touching.rates(moved - q)).min() >= -1e-12
    assert touching.rates(stopped).min() >= -1e-8
    assert touching.rates(stopped)[resting] == pytest.approx(0.0, abs=1e-8)
    assert (mass[:, None] * stopped**2).sum() <= (mass[:, None] * v**2).sum(), "kinetic energy is not raised"
    assert touching.speed.min() < 0.0 and contacts.distance.min() < 0.0
