"""Gauss-Seidel impulses and repulsions: against a naive twin, and what each impulse promises."""

from __future__ import annotations

import numpy as np
import pytest

import signorini as sg
from reference import collision_loop as reference
from signorini.contact.frames import contact_jacobian
from signorini.methods.collision_loop.impulses import apply_impulses, find_contacts, resolve_by_impulses
from signorini.methods.collision_loop.repulsions import RECOVERY, apply_repulsions
from signorini.methods.report import Tally


def dense(J, node_count):
    out = np.zeros((len(J.indptr) - 1, 3, 3 * node_count))
    for c in range(len(out)):
        for e in range(J.indptr[c], J.indptr[c + 1]):
            out[c, :, 3 * J.nodes[e] : 3 * J.nodes[e] + 3] += J.blocks[e]
    return out


def mixed():
    """A pinned sheet, a tumbling box, a soft box and a kinematic one, all near each other and above the ground."""
    scene = sg.Scene(gravity=(0, 0, 0), friction=0.4)
    cloth = scene.add_cloth(sg.shapes.grid(0.3, 0.3, cells=5), name="sheet", position=(0, 0, 0.005))
    cloth.pin([0, 5])
    box = sg.shapes.box(0.1, 0.1, 0.05, cells=2)
    scene.add_rigid(box, mass=0.3, position=(0.05, 0.0, 0.035), angular_velocity=(1, 2, 3), name="rigid")
    tets = sg.shapes.box_tets(0.1, 0.1, 0.05, cells=2)
    scene.add_soft_solid(tets, density=300.0, young=1e4, poisson=0.3, position=(-0.07, 0.0, 0.035), name="soft")
    scene.add_kinematic(box, position=(0.0, 0.0, 0.09), motion=sg.motions.Translate(velocity=(0, 0, -1)), name="lid")
    scene.add_ground()
    return sg.Simulation(scene, dt=0.01, settings=sg.Settings(method="impulses", contact_distance=0.011))


def test_a_pass_is_that_of_the_naive_twin():
    """Cloth, pins, rigid, soft and kinematic bodies and the ground: same velocities, and forces within the friction cone."""
    sim = mixed()
    motion = reference.motion_of(sim, 0.004)
    rng = np.random.default_rng(1)
    v = sim.state.v + rng.standard_normal(sim.state.v.shape)
    v[motion.movable == 0] = 0.0
    near = sim._moment.near.contacts
    pairs = {tuple(sorted(sim._world.model.body_names[b] for b in bodies)) for bodies in near.bodies}
    assert len(pairs) >= 4, pairs
    target, friction = rng.uniform(0.0, 0.1, len(near)), rng.uniform(0.0, 0.6, len(near))
    x1 = motion.place(v).surface_positions
    after, count = apply_impulses(motion, near, v, x1, target=target, friction=friction)
    J = contact_jacobian(near, motion.surface_velocity(x1), motion.surface_map, motion.movable)
    naive, impulses = reference.sweep(dense(J, len(v)), J.free_velocity, friction, target, motion.inverse_mass, v)
    np.testing.assert_allclose(after, naive, atol=1e-10)
    assert count == np.count_nonzero(impulses[:, 0]) > 20
    assert (np.linalg.norm(impulses[:, 1:], axis=1) <= friction * impulses[:, 0] * (1 + 1e-12)).all()
    assert np.array_equal(after[motion.movable == 0], v[motion.movable == 0])


def single(normal_speed, sliding, *, friction=0.3, distance=0.5):
    """A small square sheet, with one vertex above a large one, `distance` contact distances away; what 3a makes of it."""
    scene = sg.Scene(gravity=(0, 0, 0), friction=friction)
    scene.add_cloth(sg.shapes.grid(1.0, 1.0, cells=1), name="below", area_density=0.2)
    small = sg.shapes.grid(0.2, 0.2, cells=1)
    scene.add_cloth(small, name="above", position=(0.05, -0.11, 0.2), rotation=(0.9, 0.0, 0.0), area_density=0.2)
    settings = sg.Settings(method="impulses", contact_distance=0.04)
    lowest = sg.Simulation(scene, settings=settings).bodies["above"].positions[:, 2].min()
    sim = sg.Simulation(scene, settings=settings)
    sim.bodies["above"].positions = sim.bodies["above"].positions - [0, 0, lowest - distance * 0.04]
    v = np.zeros_like(sim.state.v)
    v[4:] = [sliding, 0.0, -normal_speed]
    motion = reference.motion_of(sim, 1e-3)
    return sim, motion, v, apply_repulsions(motion, v)


def relative(sim, motion, v):
    near = sim._moment.near.contacts
    return np.einsum("ck,cki->ci", near.weights, motion.surface_map.velocities(v)[near.vertices])


def test_a_repulsion_ends_the_approach_and_rubs():
    """Δv_t = μ Δv_n while sliding (Bridson2002 §7.3); the normal velocity ends at a tenth of the overlap per step, capped."""
    sim, motion, v, (after, count) = single(0.05, 1.0, distance=0.9)
    assert count == len(sim._moment.near.contacts) > 0
    last, first = relative(sim, motion, after), relative(sim, motion, v)
    d = sim._moment.near.contacts.distance
    target = np.minimum(RECOVERY * (sim.contact_distance - d) / motion.dt, sim.settings.push_out_speed)
    # One pass of Gauss-Seidel leaves the last contact exactly at its target.
    assert last[-1, 2] == pytest.approx(target[-1], rel=1e-9)
    if count == 1:
        assert first[0, 0] - last[0, 0] == pytest.approx(0.3 * (last[0, 2] - first[0, 2]), rel=1e-9)


def test_friction_stops_but_never_turns_round():
    sim, motion, _, (after, count) = single(1.0, 0.05, friction=1.0, distance=0.9)
    assert count
    u = relative(sim, motion, after)
    assert np.abs(u[-1, :2]).max() < 1e-9


def test_what_is_farther_than_the_contact_distance_is_left_alone():
    sim, _, v, (after, count) = single(1.0, 1.0, distance=1.05)
    assert len(sim._moment.near.contacts), "it is near enough to be listed"
    assert count == 0
    assert np.array_equal(after, v)


@pytest.mark.parametrize("normals", ["start", "impact"])
def test_each_pass_lowers_the_energy_and_conserves_momentum(normals):
    sim = reference.sheets("impulses", count=3, normals=normals)
    for seed in range(3):
        motion = reference.motion_of(sim, 0.01)
        v = reference.on_course(sim, 1.0, seed=seed)
        placed = motion.place(v)
        x1, contacts = placed.surface_positions, find_contacts(motion, placed)
        none = np.zeros(len(contacts))
        after, count = apply_impulses(motion, contacts, v, x1, target=none, friction=none)
        assert count > 50
        assert reference.kinetic(sim, after) < reference.kinetic(sim, v)
        momentum = sim._world.model.mass @ np.stack([v, after]).transpose(1, 0, 2).reshape(len(v), -1)
        np.testing.assert_allclose(momentum[3:], momentum[:3], atol=1e-12)


def test_connections_at_the_start_are_the_shortest():
    """Weights, normal and distance of `normals = start` against dense sampling of both primitives."""
    sim = reference.sheets("impulses", cells=3)
    motion = reference.motion_of(sim, 0.01)
    placed = motion.place(reference.on_course(sim, 2.0))
    contacts, pairs, x0 = find_contacts(motion, placed), motion.find_pairs(placed), sim._moment.surface_positions
    assert len(contacts) == len(pairs.vertices) > 10
    assert 0 < pairs.edge_first < len(contacts)
    s = np.linspace(0.0, 1.0, 41)
    for c in range(len(contacts)):
        p, a, b, d = x0[contacts.vertices[c]]
        if c < pairs.edge_first:
            grid = np.array([(u, w) for u in s for w in s if u + w <= 1.0])
            other = a + grid[:, :1] * (b - a) + grid[:, 1:] * (d - a)
            sampled = np.linalg.norm(p - other, axis=1).min()
        else:
            one, two = p + s[:, None] * (a - p), b + s[:, None] * (d - b)
            sampled = np.linalg.norm(one[:, None] - two[None], axis=2).min()
        assert contacts.distance[c] <= sampled + 1e-12
        assert contacts.distance[c] > sampled - 0.05
        apart = contacts.weights[c] @ x0[contacts.vertices[c]]
        np.testing.assert_allclose(contacts.distance[c] * contacts.normal[c], apart, atol=1e-12)
        assert np.linalg.norm(apart) == pytest.approx(contacts.distance[c])


def test_resolving_stops_when_nothing_collides():
    sim = reference.sheets("impulses")
    motion, tally = reference.motion_of(sim, 0.01), Tally()
    v, found = resolve_by_impulses(motion, np.zeros_like(sim.state.v), tally)
    assert found == 0
    assert tally.refinements == 0
    v0 = reference.on_course(sim, 1.0)
    v, found = resolve_by_impulses(motion, v0, tally)
    assert found > 0
    assert 0 < tally.refinements < 10
    assert reference.left_over(motion, v) == 0
    assert reference.left_over(motion, v0) > 0


def test_more_passes_resolve_more():
    """Four sheets in rough motion: what one pass leaves, ten resolve."""
    left = []
    for sweeps in (1, 10):
        sim = reference.sheets("impulses", count=4, cells=8, sweeps=sweeps, normals="impact")
        motion = reference.motion_of(sim, 1.0 / 60.0)
        v, found = resolve_by_impulses(motion, reference.on_course(sim, 2.0, rough=1.0), Tally())
        assert found > 1000
        left.append(reference.left_over(motion, v))
    assert left[0] > 10
    assert left[1] == 0
