"""Merging, deduplication and the memory of contacts."""

from __future__ import annotations

from dataclasses import fields

import numpy as np
import pytest

from signorini.collision.contact_set import ContactMemory, ContactSet, empty_contacts


def contacts(*keys: int, tag: float = 0.0) -> ContactSet:
    """Contacts whose fields can be told apart: row c is filled with its key plus `tag`."""
    values = np.array(keys, dtype=np.float64) + tag
    return ContactSet(
        np.array(keys, dtype=np.int64),
        np.repeat(np.array(keys, dtype=np.int32)[:, None], 4, axis=1),
        np.repeat(values[:, None], 4, axis=1),
        np.repeat(values[:, None], 3, axis=1),
        values,
        np.repeat(np.array(keys, dtype=np.int32)[:, None], 2, axis=1),
    )


def assert_consistent(found: ContactSet) -> None:
    """Every row kept its own fields."""
    for c, key in enumerate(found.key):
        assert (found.vertices[c] == key).all()
        assert (found.bodies[c] == key).all()
        assert np.ptp([*found.weights[c], *found.normal[c], found.distance[c]]) == 0.0


def test_merging_keeps_the_first_set_in_front_and_comes_back_twice() -> None:
    merged = contacts(5, 2, tag=0.25).merged_with(contacts(2, 9, tag=0.5))
    assert merged.key.tolist() == [5, 2, 2, 9]
    assert merged.distance.tolist() == [5.25, 2.25, 2.5, 9.5]
    assert_consistent(merged)
    assert len(merged) == 4


def test_merging_with_nothing_changes_nothing() -> None:
    some = contacts(3, 1)
    for merged in (some.merged_with(empty_contacts()), empty_contacts().merged_with(some)):
        for f in fields(ContactSet):
            np.testing.assert_array_equal(getattr(merged, f.name), getattr(some, f.name))
            assert f.name == "points" or getattr(merged, f.name).dtype == getattr(some, f.name).dtype


def test_empty_set_has_all_shapes() -> None:
    empty = empty_contacts()
    assert len(empty) == 0
    assert (empty.vertices.shape, empty.normal.shape, empty.bodies.shape) == ((0, 4), (0, 3), (0, 2))


def test_memory_recalls_impulses_by_key_and_zero_for_new_contacts() -> None:
    impulse = np.arange(9.0).reshape(3, 3)
    memory = ContactMemory.of(contacts(40, 10, 20), impulse, np.ones((5, 3)), 0.01)
    recalled, dv = memory.recall(contacts(20, 15, 40, 99, 1, 10), 0.01)
    np.testing.assert_array_equal(recalled, [impulse[2], [0, 0, 0], impulse[0], [0, 0, 0], [0, 0, 0], impulse[1]])
    np.testing.assert_array_equal(dv, np.ones((5, 3)))


def test_memory_adds_the_impulses_of_a_pair_with_two_constraints() -> None:
    impulse = np.array([[1.0, 0.0, 0.0], [0.0, 5.0, 0.0], [0.0, 0.0, 2.0]])
    memory = ContactMemory.of(contacts(8, 3, 8), impulse, np.zeros((1, 3)), 0.01)
    recalled, _ = memory.recall(contacts(3, 8), 0.01)
    np.testing.assert_array_equal(recalled, [[0.0, 5.0, 0.0], [1.0, 0.0, 2.0]])


@pytest.mark.parametrize("dt", [0.002, 0.01, 0.03])
def test_memory_scales_with_the_step(dt: float) -> None:
    memory = ContactMemory.of(contacts(1), np.array([[1.0, 2.0, 3.0]]), np.full((2, 3), 4.0), 0.01)
    recalled, dv = memory.recall(contacts(1), dt)
    np.testing.assert_allclose(recalled, [[100.0 * dt, 200.0 * dt, 300.0 * dt]])
    np.testing.assert_allclose(dv, 400.0 * dt)


def test_memory_of_nothing_and_recall_for_nothing() -> None:
    nothing = ContactMemory.of(empty_contacts(), np.zeros((0, 3)), np.ones((2, 3)), 0.01)
    recalled, dv = nothing.recall(contacts(4, 5), 0.01)
    np.testing.assert_array_equal(recalled, np.zeros((2, 3)))
    np.testing.assert_array_equal(dv, np.ones((2, 3)))
    something = ContactMemory.of(contacts(4), np.ones((1, 3)), np.ones((2, 3)), 0.01)
    assert something.recall(empty_contacts(), 0.01)[0].shape == (0, 3)
