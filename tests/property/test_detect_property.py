"""Contacts of random triangles and lone edges are the nearest of all pairs, whatever is near."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from reference import detection as naive
from reference.soups import random_soup
from support.contacts import check_invariants, proximity, sides


@settings(max_examples=40, deadline=None)
@given(
    seed=st.integers(0, 100_000),
    bodies=st.integers(1, 3),
    triangles=st.integers(0, 3),
    whiskers=st.integers(1, 3),
    rigid=st.integers(0, 2),
    distance=st.sampled_from([0.02, 0.1, 0.4]),
)
def test_contacts_are_the_nearest_of_all_pairs(
    seed: int, bodies: int, triangles: int, whiskers: int, rigid: int, distance: float
) -> None:
    surface, x = random_soup(seed, bodies=bodies, triangles=triangles, whiskers=whiskers, rigid=min(rigid, bodies))
    contacts = proximity(surface, x, distance).contacts
    check_invariants(surface, contacts, x)
    found = {frozenset(frozenset(side) for side in sides(contacts, c)) for c in range(len(contacts))}
    assert found == {pair.features for pair in naive.nearest_pairs(surface, x, distance)}
