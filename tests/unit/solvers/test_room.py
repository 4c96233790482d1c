"""Rooms of solves: nobody gets one that is in use, and arrays in it have the shape that was asked for."""

from __future__ import annotations

import numpy as np

from signorini.solvers.room import Room, give_back, lease_room


def test_a_room_is_used_again_after_it_was_given_back():
    first, second = lease_room(), lease_room()
    assert first is not second
    give_back(first)
    third = lease_room()
    assert third is first
    give_back(second)
    give_back(third)


def test_arrays_share_memory_with_those_of_the_same_name_only():
    room = Room()
    a, b = room.take("a", 30, 40), room.take("b", 50)
    again = room.take("a", 1000)
    assert a.shape == (30, 40) and b.shape == (50,) and again.shape == (1000,)
    assert np.shares_memory(a, again) and not np.shares_memory(a, b)
    larger = room.take("a", 5000)
    assert larger.shape == (5000,) and not np.shares_memory(a, larger)
