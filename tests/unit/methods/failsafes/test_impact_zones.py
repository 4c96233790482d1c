"""Rigid impact zones: who belongs together, and that zones move like rigid bodies with the momentum of their nodes."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import signorini as sg
from reference.ipc_check import IpcCheck
from signorini.collision.contact_set import FIRST_SHIFT, KIND_SHIFT, VERTEX_PLANE, VERTEX_TRIANGLE, ContactSet
from signorini.geometry.tet_shapes import box_tets
from signorini.methods.failsafes.impact_zones import apply_impact_zones
from signorini.methods.failsafes.impact_zones_groups import Zones, build_zones
from signorini.methods.failsafes.impact_zones_motion import LARGEST_TURN, move_zones
from signorini.methods.report import Tally
from signorini.methods.trial_motion import TrialMotion
from support.crowded_scenes import pinched_in_one_step


def everything(*, gravity=(0.0, 0.0, 0.0)):
    """Two sheets (one with a pinned corner), a solid, a solid with an embedded surface, a rigid box with a tag, a plate."""
    scene = sg.Scene(gravity=gravity)
    scene.add_cloth(sg.shapes.grid(0.3, 0.3, cells=4), position=(0, 0, 1.0), name="low").pin([0])
    scene.add_cloth(sg.shapes.grid(0.3, 0.3, cells=4), position=(0.01, 0.02, 1.1), name="high")
    scene.add_soft_solid(box_tets(0.2, 0.2, 0.1, cells=2), position=(0, 0, 1.3), name="block")
    ball = sg.shapes.sphere(0.08, subdivisions=3)
    scene.add_soft_solid(box_tets(0.2, 0.2, 0.2, cells=2), surface=ball, position=(0, 0, 1.6), name="ball")
    box = scene.add_rigid(sg.shapes.box(0.2, 0.2, 0.1), mass=0.7, position=(0, 0, 1.9), name="box")
    tag = scene.add_cloth(sg.shapes.grid(0.1, 0.1, cells=2), position=(0, 0, 1.96), name="tag")
    scene.attach(tag, [0, 1, 2], to=box)
    scene.add_kinematic(sg.shapes.box(0.3, 0.3, 0.05), position=(0, 0, 0.5), name="plate")
    scene.add_ground()
    return sg.Simulation(scene, dt=5e-3)


def random_contacts(model, rng, count):
    """Contacts of random vertices: a vertex and a triangle's corners, some of them a vertex and the plane."""
    vertices = rng.integers(0, model.surface.vertex_count, size=(count, 4)).astype(np.int32)
    weights = np.column_stack([np.ones(count), np.full((count, 3), -1.0 / 3.0)])
    key = (np.int64(VERTEX_TRIANGLE) << KIND_SHIFT) + np.arange(count)
    plane = rng.random(count) < 0.2
    key[plane] = (np.int64(VERTEX_PLANE) << KIND_SHIFT) | (vertices[plane, 0].astype(np.int64) << FIRST_SHIFT)
    vertices[plane, 1:], weights[plane, 1:] = -1, 0.0
    normal = np.tile([0.0, 0.0, 1.0], (count, 1))
    return ContactSet(key, vertices, weights, normal, np.zeros(count), np.zeros((count, 2), np.int32))


def naive_zones(model, contacts, pinned):
    """Sets of nodes, merged as long as two of them have a member in common; each with what is scripted in it."""
    m, zones = model.surface_map, []
    for c in range(len(contacts)):
        nodes, anchors, plane = set(), set(), contacts.key[c] >> KIND_SHIFT == VERTEX_PLANE
        for i in contacts.vertices[c]:
            if i >= model.kinematic_first:
                anchors.add(model.node_count + int(i))
            elif i >= 0:
                for node in m.nodes[m.indptr[i] : m.indptr[i + 1]].tolist():
                    (anchors if node in pinned else nodes).add(node)
        for body in model.rigids.nodes.tolist():
            if nodes & {body, body + 1}:
                nodes |= {body, body + 1}
        if not nodes:
            continue
        touching = [z for z in zones if z[0] & nodes]
        zones = [z for z in zones if not z[0] & nodes]
        for other in touching:
            nodes, anchors, plane = nodes | other[0], anchors | other[1], plane or other[2]
        zones.append((nodes, anchors, bool(plane)))
    return sorted(zones, key=lambda z: min(z[0]))


@pytest.mark.parametrize("seed", range(12))
def test_zones_are_those_of_a_naive_merge(seed):
    """Random contacts between all kinds of bodies, from few to many."""
    sim, rng = everything(), np.random.default_rng(seed)
    model = sim._world.model
    pinned, _ = model.pinned(0.0)
    contacts = random_contacts(model, rng, 1 + 4 * seed)
    zones = build_zones(model, contacts, pinned)
    expected = naive_zones(model, contacts, set(pinned.tolist()))
    assert zones.count == len(expected)
    for k, (nodes, anchors, plane) in enumerate(expected):
        assert set(np.flatnonzero(zones.label == k).tolist()) == nodes
        assert set(zones.anchors[zones.anchors[:, 0] == k, 1].tolist()) == anchors
        assert zones.at_rest[k] == plane


def momenta(model, q, v, rotations, spin_momentum):
    """P and L about the origin of everything; `spin_momentum` (b, 3) is that of the rigid bodies about their centres."""
    m = model.mass[:, None]
    return (m * v).sum(axis=0), np.cross(q, m * v).sum(axis=0) + spin_momentum.sum(axis=0)


def kinetic(model, v, spin_momentum):
    return 0.5 * (model.mass @ (v**2).sum(axis=1) + (v[model.rigids.spins] * spin_momentum).sum())


@pytest.mark.parametrize("speed", [0.1, 3.0, 60.0])
@pytest.mark.parametrize("seed", range(4))
def test_free_zones_keep_momentum_and_lose_energy(seed, speed):
    """Random velocities and a zone of random nodes of all bodies: P and L to 1e-10, energy not raised, distances kept."""
    sim, rng = everything(), np.random.default_rng(seed)
    world, start = sim._world, sim._moment
    model, state = world.model, start.state
    trial = TrialMotion(world, start, sim.dt)
    label = np.full(model.node_count, -1, np.int32)
    free = np.setdiff1d(np.arange(model.node_count), np.concatenate([trial.pins[0], model.attachments.nodes]))
    label[rng.choice(free, 20, replace=False)] = 0
    label[model.rigids.nodes] = label[model.rigids.spins] = 0
    label[rng.choice(free[label[free] < 0], 9, replace=False)] = 1
    zones = Zones(label, 2, np.zeros(2, dtype=bool), np.zeros((0, 2), np.int32))
    v = trial.prescribed(speed * rng.standard_normal((model.node_count, 3)))
    motion = move_zones(trial, zones, v)
    placed = trial.place(motion.path)
    end = trial.finish(placed, motion.end_velocity(model, trial.spin, placed.rotations)).state
    L0 = np.einsum("bij,bj->bi", trial.spin.inertia, v[model.rigids.spins])
    L1 = model.rigids.momentum(end.rotations, end.v[model.rigids.spins])
    before, after = momenta(model, state.q, v, None, L0), momenta(model, end.q, end.v, None, L1)
    for a, b in zip(before, after, strict=True):
        np.testing.assert_allclose(b, a, rtol=0.0, atol=1e-10 * speed)
    assert kinetic(model, end.v, L1) <= kinetic(model, v, L0) * (1.0 + 1e-12)
    assert kinetic(model, end.v, L1) < 0.999 * kinetic(model, v, L0), "a random motion is not rigid"
    particles = model.mass > 0.0
    carried = np.zeros_like(particles)
    carried[model.attachments.nodes] = True
    for k in range(2):
        members = np.flatnonzero(((label == k) | (carried & (k == 0))) & particles)
        assert len(members) >= 9
        r0, r1, w = (a[members][:, None] - a[members][None] for a in (state.q, end.q, end.v))
        np.testing.assert_allclose(np.linalg.norm(r1, axis=2), np.linalg.norm(r0, axis=2), atol=1e-12)
        np.testing.assert_allclose((r1 * w).sum(axis=2), 0.0, atol=1e-12 * speed)
    np.testing.assert_allclose(end.q[trial.pins[0]], trial.pins[1], atol=1e-15)
    others = (label < 0) & ~carried
    np.testing.assert_array_equal(end.v[others], v[others])


def test_a_zone_that_is_rigid_already_keeps_all_its_energy():
    """Bridson2002's formula with the ω of the start would change it: the rotation is followed exactly."""
    sim, rng = everything(), np.random.default_rng(3)
    world, start = sim._world, sim._moment
    model, state = world.model, start.state
    trial = TrialMotion(world, start, sim.dt)
    high = np.arange(model.node_count)[model.bodies["high"].nodes]
    label = np.full(model.node_count, -1, np.int32)
    label[high] = 0
    v, w = np.zeros((model.node_count, 3)), np.array([30.0, 90.0, 60.0])
    stretched = state.q[high] - state.q[high].mean(axis=0)
    v[high] = rng.standard_normal(3) + np.cross(w, stretched)
    motion = move_zones(trial, Zones(label, 1, np.zeros(1, dtype=bool), np.zeros((0, 2), np.int32)), v)
    energy0, energy1 = (0.5 * (model.mass @ (a**2).sum(axis=1)) for a in (v, motion.end))
    assert energy1 == pytest.approx(energy0, rel=1e-6)
    turned = Rotation.align_vectors(stretched + sim.dt * (motion.path[high] - v[high].mean(axis=0)), stretched)[0]
    assert 0.3 < turned.magnitude() < LARGEST_TURN


def test_a_zone_that_turns_too_fast_is_turned_less_but_keeps_its_momentum():
    """Two nodes 75 mm apart that spin at 1000 rad/s, on a line: no inertia about it, and 5 rad in a step."""
    sim = everything()
    world, start = sim._world, sim._moment
    model, q = world.model, start.state.q
    trial = TrialMotion(world, start, sim.dt)
    a, b = np.arange(model.node_count)[model.bodies["high"].nodes][:2]
    label = np.full(model.node_count, -1, np.int32)
    label[[a, b]] = 0
    v = np.zeros((model.node_count, 3))
    centre = (model.mass[[a, b], None] * q[[a, b]]).sum(axis=0) / model.mass[[a, b]].sum()
    v[[a, b]] = np.cross([0.0, 200.0, 1000.0], q[[a, b]] - centre)
    motion = move_zones(trial, Zones(label, 1, np.zeros(1, dtype=bool), np.zeros((0, 2), np.int32)), v)
    q1 = q + sim.dt * motion.path
    directions = [(x[b] - x[a]) / np.linalg.norm(x[b] - x[a]) for x in (q, q1)]
    assert np.arccos(directions[0] @ directions[1]) == pytest.approx(LARGEST_TURN, rel=1e-6)
    L = [np.cross(x, model.mass[:, None] * u).sum(axis=0) for x, u in ((q, v), (q1, motion.end))]
    np.testing.assert_allclose(L[1], L[0], atol=1e-12)


def crossing_sheets(speed=8.0):
    scene = sg.Scene(gravity=(0.0, 0.0, 0.0))
    mesh = sg.shapes.grid(0.3, 0.3, cells=6)
    scene.add_cloth(mesh, velocity=(0.0, 0.0, speed), name="low")
    place = {"position": (0.02, 0.01, 0.05), "rotation": (0.1, 0.2, 0.3)}
    scene.add_cloth(mesh, velocity=(0.5, 0.0, -speed), name="high", **place)
    scene.add_cloth(mesh, position=(5.0, 0.0, 0.0), velocity=(1.0, 2.0, 3.0), name="far")
    return sg.Simulation(scene, dt=10e-3)


def test_crossing_sheets_end_free_with_the_same_momenta():
    """Two sheets that would pass through each other: ipctk sees a free motion, P and L are kept, the far sheet flies on."""
    sim = crossing_sheets()
    world, start = sim._world, sim._moment
    v = start.state.v
    moment, impacts = apply_impact_zones(world, start, sim.dt, v, Tally())
    assert len(impacts.contacts) > 20
    assert moment is not None
    check = IpcCheck(sim)
    x0, x1 = (np.asfortranarray(m.surface_positions) for m in (start, moment))
    assert check.crosses(x0, np.asfortranarray(x0 + sim.dt * v))
    assert not check.crosses(x0, x1)
    assert not check.intersects(x1)
    none = np.zeros((0, 3))
    before = momenta(world.model, start.state.q, v, None, none)
    after = momenta(world.model, moment.state.q, moment.state.v, None, none)
    for a, b in zip(before, after, strict=True):
        np.testing.assert_allclose(b, a, rtol=0.0, atol=1e-10)
    assert kinetic(world.model, moment.state.v, none) < 0.99 * kinetic(world.model, v, none)
    far = world.model.bodies["far"].nodes
    np.testing.assert_array_equal(moment.state.q[far], start.state.q[far] + sim.dt * v[far])
    np.testing.assert_array_equal(moment.state.v[far], v[far])


@pytest.mark.parametrize("turn", [0.0, 20.0])
def test_a_zone_on_a_scripted_body_moves_with_it(turn):
    """A plate that rises at 10 m/s, with or without turning: what it touches goes where a point fixed to it goes."""
    scene = sg.Scene(gravity=(0.0, 0.0, 0.0))
    scene.add_cloth(sg.shapes.grid(0.2, 0.2, cells=6), position=(0.0, 0.0, 0.06), name="sheet")
    motion = sg.motions.Chain(
        (sg.motions.Rotate(rate=turn, axis=(0.2, 0.0, 1.0)), sg.motions.Translate(velocity=(0.3, 0.0, 10.0)))
    )
    scene.add_kinematic(sg.shapes.box(0.5, 0.5, 0.1, cells=4), motion=motion, name="plate")
    sim = sg.Simulation(scene, dt=5e-3)
    world, start = sim._world, sim._moment
    moment, impacts = apply_impact_zones(world, start, sim.dt, start.state.v, Tally())
    assert len(impacts.contacts)
    assert moment is not None
    expected = motion.positions(start.state.q, sim.dt)
    np.testing.assert_allclose(moment.state.q, expected, atol=1e-9)
    np.testing.assert_allclose(moment.state.v, (expected - start.state.q) / sim.dt, atol=1e-6)


@pytest.mark.parametrize("deforms", [False, True])
def test_one_touched_vertex_tells_the_rotation_of_a_rigid_body(deforms):
    """A single vertex of a turning plate is touched: the zone turns with the plate. If the plate deforms, it only shifts."""

    def motion(rest, time):
        turned = sg.motions.Rotate(rate=30.0, axis=(0.0, 1.0, 0.0)).positions(rest, time)
        return turned * (1.0 + 5.0 * time) if deforms else turned

    scene = sg.Scene(gravity=(0.0, 0.0, 0.0))
    scene.add_cloth(sg.shapes.grid(0.2, 0.2, cells=3), position=(0.1, 0.0, 0.5), name="sheet")
    scene.add_kinematic(sg.shapes.box(0.5, 0.5, 0.1), motion=motion, name="plate")
    sim = sg.Simulation(scene, dt=5e-3)
    world, start = sim._world, sim._moment
    model, q = world.model, start.state.q
    touched = model.kinematic_first + 5
    anchors = np.array([[0, model.node_count + touched]], np.int32)
    zones = Zones(np.zeros(len(q), np.int32), 1, np.zeros(1, dtype=bool), anchors)
    moved = q + sim.dt * move_zones(TrialMotion(world, start, sim.dt), zones, np.zeros_like(q)).path
    if deforms:
        vertex = start.surface_positions[touched]
        expected = q + motion(vertex[None], sim.dt)[0] - vertex
    else:
        expected = motion(q, sim.dt)
    np.testing.assert_allclose(moved, expected, atol=1e-9)


def test_a_zone_on_the_ground_stands_still():
    """A sheet that flies into the ground stops where it is; the one beside it that does not reach it flies on."""
    scene = sg.Scene(gravity=(0.0, 0.0, 0.0))
    scene.add_ground()
    mesh = sg.shapes.grid(0.2, 0.2, cells=4)
    scene.add_cloth(mesh, position=(0.0, 0.0, 0.02), velocity=(1.0, 0.0, -5.0), name="hits")
    scene.add_cloth(mesh, position=(0.5, 0.0, 0.5), velocity=(1.0, 0.0, -5.0), name="flies")
    sim = sg.Simulation(scene, dt=5e-3)
    world, start = sim._world, sim._moment
    moment, _ = apply_impact_zones(world, start, sim.dt, start.state.v, Tally())
    assert moment is not None
    hits, flies = (world.model.bodies[name].nodes for name in ("hits", "flies"))
    np.testing.assert_array_equal(moment.state.q[hits], start.state.q[hits])
    assert not moment.state.v[hits].any()
    np.testing.assert_array_equal(moment.state.v[flies], start.state.v[flies])


def test_contradicting_scripts_are_given_up(monkeypatch):
    """Two plates that close on a sheet in one step leave no rigid motion: None after few rounds, and the impacts left."""
    looks, look = [], TrialMotion.find_impacts
    monkeypatch.setattr(TrialMotion, "find_impacts", lambda self, x1: looks.append(1) or look(self, x1))
    sim = pinched_in_one_step()
    moment, impacts = apply_impact_zones(sim._world, sim._moment, sim.dt, sim.state.v, Tally())
    assert moment is None
    assert len(impacts.contacts)
    assert len(looks) < 8
