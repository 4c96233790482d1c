"""The awake part of a model has the equations of the whole, without the rows of sleepers."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import signorini as sg
from signorini.collision.broad_phase import BoxTree
from signorini.collision.contact_set import ContactMemory
from signorini.dynamics.assembly import assemble
from signorini.dynamics.energy import elastic_energy
from signorini.elements.element import Linearisation
from signorini.elements.plate_bending_kernels import MOMENT_TOLERANCE
from signorini.model.awake_part import AwakePart, awake_part
from signorini.model.build import build_model
from signorini.model.model import Model
from signorini.model.state import State

DT = 4e-3
SLEEPERS = ({"cube", "die"}, {"sheet", "top", "tail"}, {"sheet", "cube", "die"})
Case = tuple[Model, State, AwakePart, np.ndarray]


def scene() -> sg.Scene:
    """All kinds of bodies, with a pin, an attachment to a rigid body and a scripted body between them."""
    made = sg.Scene(friction=0.4, air_drag=0.1)
    made.add_cloth(sg.shapes.grid(0.3, 0.3, cells=3), area_density=0.3, position=(0, 1, 0.5), name="sheet").pin([0, 2])
    made.add_kinematic(sg.shapes.box(0.1, 0.1, 0.1), position=(0, 3, 0.4), name="block")
    made.add_rigid(sg.shapes.box(0.1, 0.1, 0.1), mass=0.5, position=(1, 0, 0.2), name="die")
    made.add_soft_solid(sg.shapes.box_tets(0.2, 0.2, 0.2, cells=2), position=(0, 0, 0.2), name="cube")
    made.add_rigid(sg.shapes.sphere(0.1, edge=0.05), mass=0.5, position=(2, 0, 0.3), name="top")
    made.add_cloth(
        sg.shapes.grid(0.1, 0.3, cells=(2, 6)),
        area_density=0.3,
        position=(2, 0.3, 0.3),
        name="tail",
    )
    made.attach("tail", [0], to="top")
    made.add_ground()
    return made


@pytest.fixture(params=SLEEPERS, ids=lambda names: "+".join(sorted(names)))
def case(request: pytest.FixtureRequest) -> Case:
    """A model, a state in which sleepers stand still and all others are bent and move, its awake part, and the surface."""
    model, state = build_model(scene())
    random = np.random.default_rng(3)
    awake = np.array([name not in request.param for name in model.body_names])
    moving = np.zeros(model.node_count, dtype=bool)
    for slot in model.bodies.values():
        moving[slot.nodes] = awake[slot.number]
    q = state.q + 0.003 * random.normal(size=state.q.shape) * (model.mass > 0.0)[:, None]
    q[model.pinned(DT)[0]] = model.pinned(DT)[1]
    v = np.where(moving[:, None], random.normal(size=state.v.shape), 0.0)
    model.attachments.place(q, state.rotations)
    model.attachments.carry(v, state.rotations)
    state = replace(state, q=q, v=v)
    x = model.surface_positions(q, 0.0, state.rotations)
    return model, state, awake_part(model, awake, x), x


def test_the_system_is_that_of_the_whole_without_the_rows_of_sleepers(case: Case) -> None:
    model, state, part, _ = case
    whole, own = assemble(model, state, DT), assemble(part.model, part.part_of(state), DT)
    rows = (3 * part.nodes[:, None] + np.arange(3)).ravel()
    expected = whole.A.to_scipy().toarray()[np.ix_(rows, rows)]
    assert 0 < len(part.nodes) < model.node_count
    assert own.A.to_scipy().toarray() == pytest.approx(expected, rel=1e-13, abs=1e-13 * np.abs(expected).max())
    # Moments of plates are solved to a part of all of them, and sleepers are not among these.
    assert own.b == pytest.approx(whole.b[part.nodes], rel=1e-12, abs=MOMENT_TOLERANCE * np.abs(whole.b).max())
    assert np.array_equal(own.free, whole.free[part.nodes])


def test_surface_velocities_and_pins_are_those_of_the_whole(case: Case) -> None:
    model, state, part, x = case
    own = part.part_of(state)
    assert np.array_equal(part.model.surface_positions(own.q, 0.0, own.rotations), x)
    whole_v = model.surface_map.turned(state.rotations).velocities(state.v)
    assert np.array_equal(part.model.surface_map.turned(own.rotations).velocities(own.v), whole_v)
    nodes, where = part.model.pinned(DT)
    whole_nodes, whole_where = model.pinned(DT)
    kept = np.isin(whole_nodes, part.nodes)
    assert np.array_equal(part.nodes[nodes], whole_nodes[kept])
    assert np.array_equal(where, whole_where[kept])


def test_a_part_of_a_state_goes_back_into_the_whole(case: Case) -> None:
    _, state, part, _ = case
    own = part.part_of(state)
    moved = replace(own, q=own.q + 1.0, internal=tuple(array + 0.5 for array in own.internal), time=2.0)
    back = part.whole_of(moved, state)
    sleepers = np.setdiff1d(np.arange(len(state.q)), part.nodes)
    assert np.array_equal(back.q[part.nodes], state.q[part.nodes] + 1.0)
    assert np.array_equal(back.q[sleepers], state.q[sleepers])
    assert not back.v[sleepers].any()
    assert np.array_equal(part.part_of(back).v, own.v)
    for again, given in zip(part.part_of(back).internal, moved.internal, strict=True):
        assert np.array_equal(again, given)
    assert back.time == 2.0


def test_energies_of_sleepers_are_left_out(case: Case) -> None:
    model, state, part, _ = case
    alone = np.setdiff1d(np.arange(model.node_count), part.nodes)
    total = elastic_energy(model, state)
    own = elastic_energy(part.model, part.part_of(state))
    other = 0.0
    for elements, internal in zip(model.elements, state.internal, strict=True):
        rows = np.isin(elements.nodes, alone).all(axis=1)
        sleepers = replace(elements, **{
            name: getattr(elements, name)[rows]  # whole bodies, one after the other: hinges of a plate know each other
            for name in elements.__dataclass_fields__  # pyright: ignore[reportAttributeAccessIssue]
            if isinstance(getattr(elements, name), np.ndarray)
        })  # fmt: skip  # pyright: ignore[reportArgumentType]
        other += sleepers.energy(state.q, internal[rows] if len(internal) else internal)
    assert total > own > 0.0
    assert own + other == pytest.approx(total, rel=1e-10)


def test_pairs_of_two_sleepers_are_not_candidates(case: Case) -> None:
    model, _, part, x = case
    tree = BoxTree(model.surface, x)
    whole = tree.find_candidates(x, x, distance=5.0, margin=0.0)
    own = tree.with_groups(part.model.surface).find_candidates(x, x, distance=5.0, margin=0.0)
    body, triangles = model.surface.vertex_body, model.surface.triangles
    still = np.isin(np.arange(len(x)), part.model.still.vertices if part.model.still else []) | (
        np.arange(len(x)) >= model.kinematic_first
    )
    assert body.max() > 0
    pairs = whole.vertex_triangle
    expected = pairs[~(still[pairs[:, 0]] & still[triangles[pairs[:, 1]]].all(axis=1))]
    assert np.array_equal(own.vertex_triangle, expected)
    assert len(expected) < len(pairs)
    planes = whole.vertex_plane
    assert np.array_equal(own.vertex_plane, planes[~still[planes[:, 0]]])


def test_a_memory_takes_further_impulses_and_keeps_its_own() -> None:
    memory = ContactMemory(np.array([2, 5]), np.array([[1.0, 0, 0], [2.0, 0, 0]]), np.zeros((1, 3)), DT)
    more = memory.plus(np.array([5, 3, 3]), np.array([[9.0, 0, 0], [4.0, 0, 0], [0.5, 0, 0]]))
    assert more.key.tolist() == [2, 3, 5]
    assert more.impulse[:, 0].tolist() == [1.0, 4.5, 2.0]


def test_a_load_on_sleepers_alone_is_no_force() -> None:
    """A pressure on a sheet that sleeps while something else moves: the step ended with an error about its elements."""
    made = scene()
    made.add_pressure("sheet", 20.0)
    model, state = build_model(made)
    awake = np.array([name != "sheet" for name in model.body_names])
    part = awake_part(model, awake, model.surface_positions(state.q, 0.0, state.rotations))
    empty = [elements for elements in part.model.elements if not len(elements)]
    assert empty
    at = Linearisation(state.q, state.v, np.zeros_like(state.v), state.v, 0.0)
    for elements in empty:
        assert elements.forces(at, np.zeros(0)).shape == (0, 1, 3)
