"""Removal of energy from islands: it takes what it says, keeps momentum, and touches nothing else."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import signorini as sg
from signorini.methods.energy_removal import without_surplus
from signorini.methods.islands import Islands, find_islands


@cache
def simulation() -> sg.Simulation:
    """A soft solid (0), two rigid boxes (1, 2), a sheet that is attached to a third one (3, 4), and a sheet with a pin (5)."""
    scene = sg.Scene(gravity=(0, 0, 0))
    scene.add_soft_solid(sg.shapes.box_tets(0.2, 0.2, 0.2, cells=1), young=1e5, density=1000)
    box = sg.shapes.box(0.1, 0.2, 0.3)
    for k in range(2):
        scene.add_rigid(box, mass=1.0 + k, position=(1 + k, 0, 0), name=f"box {k}")
    sheet = scene.add_cloth(sg.shapes.grid(0.2, 0.2, cells=2), position=(3, 0, 0.4))
    scene.add_rigid(box, mass=3.0, position=(3, 0, 0), name="box 2")
    scene.attach(sheet, [0, 1], to="box 2")
    scene.add_cloth(sg.shapes.grid(0.2, 0.2, cells=2), position=(5, 0, 0)).pin([0])
    return sg.Simulation(scene)


def shaken(seed: int):
    sim = simulation()
    v = np.random.default_rng(seed).normal(size=sim.state.v.shape) + 1.0
    sim._world.model.attachments.carry(v, sim.state.rotations)
    return sim._world, replace(sim.state, v=v)


def kinetic(world, state, bodies) -> float:
    """By loops over nodes and rigid bodies."""
    model, total = world.model, 0.0
    for slot in model.bodies.values():
        if slot.number in bodies:
            for i in range(slot.first_node, slot.first_node + slot.node_count):
                total += 0.5 * model.mass[i] * state.v[i] @ state.v[i]
            if slot.rigid >= 0:
                w = state.v[slot.first_node + 1]
                total += 0.5 * w @ model.rigids.world_inertia(state.rotations)[slot.rigid] @ w
    return total


def momenta(world, state, bodies) -> np.ndarray:
    model, P, L = world.model, np.zeros(3), np.zeros(3)
    for slot in model.bodies.values():
        if slot.number in bodies:
            for i in range(slot.first_node, slot.first_node + slot.node_count):
                P += model.mass[i] * state.v[i]
                L += model.mass[i] * np.cross(state.q[i], state.v[i])
            if slot.rigid >= 0:
                inertia = model.rigids.world_inertia(state.rotations)[slot.rigid]
                L += inertia @ state.v[slot.first_node + 1]
    return np.concatenate([P, L])


def islands_of(world, pairs) -> Islands:
    pinned = world.parts.node_body[world.model.pinned(0.0)[0]]
    return find_islands(world.parts, np.array(pairs, np.int32).reshape(-1, 2), pinned)


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 1000), st.floats(0.0, 3.0), st.sampled_from([[], [(0, 1)], [(0, 1), (1, 2)], [(2, 3), (0, 1)]]))
def test_a_free_island_pays_with_its_momentum_kept(seed: int, part: float, pairs: list) -> None:
    world, state = shaken(seed)
    islands = islands_of(world, pairs)
    k = islands.of_body[0]
    own = {b for b in range(6) if islands.of_body[b] == k}
    asked = np.zeros(islands.count)
    asked[k] = part * kinetic(world, state, own)
    calmer, removed = without_surplus(world, islands, state, asked)
    assert removed[k] <= asked[k] * (1.0 + 1e-12)
    taken = kinetic(world, state, own) - kinetic(world, calmer, own)
    assert taken == pytest.approx(removed[k], abs=1e-10)
    if part < 0.05:
        assert removed[k] == pytest.approx(asked[k], abs=1e-12)
    np.testing.assert_allclose(momenta(world, calmer, own), momenta(world, state, own), atol=1e-10)
    others = islands.of_body[world.parts.node_body] != k
    np.testing.assert_array_equal(calmer.v[others], state.v[others])


def test_attached_bodies_pay_together() -> None:
    world, state = shaken(3)
    islands = islands_of(world, [])
    k = islands.of_body[3]
    assert k == islands.of_body[4]
    asked = np.where(np.arange(islands.count) == k, 1e9, 0.0)
    calmer, removed = without_surplus(world, islands, state, asked)
    taken = kinetic(world, state, {3, 4}) - kinetic(world, calmer, {3, 4})
    assert taken == pytest.approx(removed[k]) and removed[k] > 0.0
    np.testing.assert_allclose(momenta(world, calmer, {3, 4}), momenta(world, state, {3, 4}), atol=1e-10)


def test_a_rigid_body_in_free_flight_pays_nothing() -> None:
    world, state = shaken(0)
    islands = islands_of(world, [])
    calmer, removed = without_surplus(
        world, islands, state, np.where(np.arange(islands.count) == islands.of_body[1], 1e9, 0.0)
    )
    assert removed.sum() == 0.0
    np.testing.assert_array_equal(calmer.v, state.v)


def test_a_held_island_pays_with_all_it_has_but_its_pins() -> None:
    world, state = shaken(1)
    islands = islands_of(world, [])
    k, pin = islands.of_body[5], world.model.pinned(0.0)[0]
    assert islands.held[k]
    calmer, removed = without_surplus(world, islands, state, np.where(np.arange(islands.count) == k, 1e9, 0.0))
    taken = kinetic(world, state, {5}) - kinetic(world, calmer, {5})
    assert taken == pytest.approx(removed[k])
    np.testing.assert_array_equal(calmer.v[pin], state.v[pin])
    rest = np.setdiff1d(np.flatnonzero(world.parts.node_body == 5), pin)
    np.testing.assert_allclose(calmer.v[rest], 0.0, atol=1e-12)
