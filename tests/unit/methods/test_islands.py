"""Islands against a naive search, and the energies of bodies against scenes that have only that body."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import signorini as sg
from signorini.dynamics.body_energies import BodyParts, body_energies, split_by_body
from signorini.dynamics.energy import energies
from signorini.methods import islands as module
from signorini.methods.islands import find_islands

BODIES = 7
PAIRS = st.lists(st.tuples(st.integers(0, BODIES - 1), st.integers(0, BODIES - 1)), max_size=8)


def reachable(body: int, pairs: list[tuple[int, int]], movable: list[bool]) -> set[int]:
    """All movable bodies that can be reached from one, by looking again and again."""
    found = {body}
    while True:
        more = {c for a, b in pairs for c in (a, b) if movable[a] and movable[b] and {a, b} & found}
        if more <= found:
            return found
        found |= more


@pytest.mark.parametrize("table", [0, 1000])
@settings(max_examples=100, deadline=None)
@given(PAIRS, PAIRS, st.lists(st.booleans(), min_size=BODIES, max_size=BODIES), st.integers(0, BODIES - 1))
def test_islands_are_what_can_be_reached(table, touching, joined, movable, pinned) -> None:
    joined = [(a, b) for a, b in joined if movable[a] and movable[b]]
    none = np.zeros(0, np.int32)
    parts = BodyParts(
        none,
        np.array(movable),
        none,
        np.zeros(0),
        (),
        np.array(joined, np.int32).reshape(-1, 2),
        none,
        np.zeros(0),
        np.zeros(0),
    )
    pins = [pinned] if movable[pinned] else []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "LARGEST_TABLE", table)
        islands = find_islands(parts, np.array(touching, np.int32).reshape(-1, 2), np.array(pins, np.int32))
    numbers = set()
    for body in range(BODIES):
        if not movable[body]:
            assert islands.of_body[body] == -1
            continue
        own = reachable(body, touching + joined, movable)
        assert own == {b for b in range(BODIES) if movable[b] and islands.of_body[b] == islands.of_body[body]}
        held = any(movable[a] != movable[b] and {a, b} & own for a, b in touching) or bool(own & set(pins))
        assert islands.held[islands.of_body[body]] == held
        numbers.add(int(islands.of_body[body]))
    assert numbers == set(range(islands.count))


def add_body(scene: sg.Scene, kind: int) -> None:
    place = {"position": (float(kind), 0, 0.5), "velocity": (0.3, 0, kind), "name": f"{kind}"}
    match kind:
        case 0 | 1:
            scene.add_cloth(sg.shapes.grid(0.3, 0.3, cells=3 + kind), **place)
        case 2:
            scene.add_soft_solid(sg.shapes.box_tets(0.2, 0.2, 0.2, cells=2), young=1e4, density=500, **place)
        case 3:
            points = np.c_[np.linspace(0, 0.3, 6), np.zeros((6, 2))]
            scene.add_rod(points, linear_density=0.1, stretching_stiffness=1e2, bending_rigidity=1e-3, **place)
        case _:
            scene.add_rigid(sg.shapes.box(0.1, 0.2, 0.3), mass=2.0, angular_velocity=(1, 2, 3), **place)


def simulation(kinds: list[int]) -> sg.Simulation:
    scene = sg.Scene()
    for kind in kinds:
        add_body(scene, kind)
    return sg.Simulation(scene)


def test_the_energies_of_each_body_are_those_of_a_scene_with_it_alone() -> None:
    """Sets of two sheets, and of all other kinds, are cut where one body ends."""
    kinds = [0, 4, 1, 2, 3]
    sim = simulation(kinds)
    model, state, rng = sim._world.model, sim.state, np.random.default_rng(1)
    spins = model.rigids.spins
    moved = rng.normal(scale=0.01, size=state.q.shape)
    moved[spins] = 0.0
    q = state.q + moved
    by_body = body_energies(model, split_by_body(model), type(state)(q, state.v, 0.0, state.internal, state.rotations))
    for kind in kinds:
        alone = simulation([kind])
        slot, own = model.bodies[f"{kind}"], alone.state
        expected = energies(alone._world.model, type(own)(q[slot.nodes], own.v, 0.0, own.internal, own.rotations))
        assert [one[slot.number] for one in by_body] == pytest.approx(list(expected), rel=1e-12)
        assert kind == 4 or expected.elastic > 0.0


def test_attachments_and_elements_join_bodies() -> None:
    scene = sg.Scene()
    cloth = scene.add_cloth(sg.shapes.grid(0.3, 0.3, cells=3), name="sheet")
    scene.add_cloth(sg.shapes.grid(0.3, 0.3, cells=3), position=(0, 0, 1), name="other")
    scene.add_rigid(sg.shapes.box(0.1, 0.1, 0.1), mass=1.0, position=(0, 0, 0.3), name="box")
    scene.attach(cloth, [0], to="box")
    parts = split_by_body(sg.Simulation(scene)._world.model)
    assert parts.joined.tolist() == [[0, 2]]
