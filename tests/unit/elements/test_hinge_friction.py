"""Friction elements of hinges: elastic up to a limit, slipping beyond, and only ever taking energy."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from reference import elements as naive
from signorini.elements.element import NO_STATE
from signorini.elements.hinge_friction import STIFFNESS_RATIO, friction_alone, with_friction
from signorini.elements.hinges import Hinges
from support.element_sets import assembled

NODES = np.array([[0, 1, 2, 3]], dtype=np.int32)
K, LIMIT = 2.0, 0.5
ELEMENT = friction_alone(NODES, np.array([K / STIFFNESS_RATIO]), LIMIT, np.ones(1))


def folded(angle: float) -> naive.Array:
    return np.array([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.4, 0.8, 0.0], [0.7, -np.cos(angle), -np.sin(angle)]])


@pytest.mark.parametrize(("angle", "moment"), [(0.1, -0.2), (-0.2, 0.4), (0.9, -LIMIT), (-2.0, LIMIT), (0.0, 0.0)])
def test_moment_is_elastic_up_to_the_limit(angle: float, moment: float) -> None:
    q, dt = folded(angle), 0.5
    gradient = -naive.force_by_differences(lambda x: naive.hinge_angle(*x), q)
    A, b = assembled(ELEMENT, q, dt=dt, internal=np.zeros(1))
    np.testing.assert_allclose(b, dt * moment * gradient, atol=1e-8)
    np.testing.assert_allclose(A, dt**2 * K * np.outer(gradient, gradient), atol=1e-7)


@pytest.mark.parametrize(("angle", "after"), [(0.1, 0.0), (-0.24, 0.0), (0.9, 0.65), (-1.0, -0.75)])
def test_element_beyond_its_limit_slips_along(angle: float, after: float) -> None:
    before = np.zeros(1)
    assert ELEMENT.next_state(folded(angle), before)[0] == pytest.approx(after)
    assert before[0] == 0.0


def test_bending_to_and_fro_loses_the_area_of_the_loop() -> None:
    # After the first quarter the loop between ±θ has the area 4 · limit · (θ − limit / k).
    amplitude, set_angle, work = 1.0, np.zeros(1), []
    path = amplitude * np.sin(np.linspace(0.0, 6.0 * np.pi, 6001))
    for before, after in pairwise(path):
        moment = np.clip(K * (0.5 * (before + after) - set_angle[0]), -LIMIT, LIMIT)
        work.append(moment * (after - before))
        set_angle = ELEMENT.next_state(folded(after), set_angle)
    last_cycle = sum(work[-2000:])
    assert last_cycle == pytest.approx(4.0 * LIMIT * (amplitude - LIMIT / K), rel=1e-2)


@pytest.mark.parametrize(("angle", "energy"), [(0.0, 0.0), (0.2, 0.04), (2.0, 0.0625)])
def test_energy_is_what_the_element_gives_back(angle: float, energy: float) -> None:
    assert ELEMENT.energy(folded(angle), np.zeros(1)) == pytest.approx(energy)


def test_limit_is_the_hysteresis_times_the_length_of_the_edge() -> None:
    hinges = Hinges(NODES, np.zeros(1), np.array([4.0]), np.zeros(1))
    rubbing = with_friction(hinges, hinges.angular_stiffness, 0.3, np.array([2.0]))
    assert rubbing.limit[0] == pytest.approx(0.6)
    assert rubbing.sticking_stiffness[0] == pytest.approx(12.0)
    both = Hinges.joined([rubbing, rubbing.shifted(4)])
    np.testing.assert_array_equal(both.nodes, [[0, 1, 2, 3], [4, 5, 6, 7]])
    assert rubbing.group() != hinges.group()


@pytest.mark.parametrize("angle", [0.1, 0.9, -2.0])
def test_a_hinge_that_rubs_is_the_sum_of_its_spring_and_its_friction(angle: float) -> None:
    q, internal = folded(angle), np.array([0.05])
    v = np.random.default_rng(0).normal(size=q.shape)
    spring = Hinges(NODES, np.array([0.3]), np.array([5.0]), np.array([0.7]))
    rubbing = with_friction(spring, np.array([K / STIFFNESS_RATIO]), LIMIT, np.ones(1))
    together, parts = (
        assembled(rubbing, q, v, 0.5, internal=internal),
        (assembled(spring, q, v, 0.5), assembled(ELEMENT, q, v, 0.5, internal=internal)),
    )
    for k in range(2):
        np.testing.assert_allclose(together[k], parts[0][k] + parts[1][k], rtol=1e-12, atol=1e-12)
    energy = spring.energy(q, NO_STATE) + ELEMENT.energy(q, internal)
    assert rubbing.energy(q, internal) == pytest.approx(energy, rel=1e-14)
    np.testing.assert_array_equal(rubbing.next_state(q, internal), ELEMENT.next_state(q, internal))


def test_hinges_without_friction_have_no_state() -> None:
    hinges = Hinges(NODES, np.zeros(1), np.array([4.0]), np.zeros(1))
    assert hinges.initial_state(folded(0.3)) is hinges.next_state(folded(0.4), NO_STATE)
