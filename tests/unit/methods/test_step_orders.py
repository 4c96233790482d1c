"""Which bodies step at first order after their energy grew: who, how long, and in checkpoints."""

from __future__ import annotations

import numpy as np
import pytest

import signorini as sg
from signorini import gallery
from signorini.errors import InputError
from signorini.methods.energy_balance import IslandBalances
from signorini.methods.islands import Islands
from signorini.methods.step_memory import StepMemory
from signorini.methods.step_orders import FIRST_WATCH, LONGEST_WATCH, StepOrders


def balances(of_body: list[int]) -> IslandBalances:
    k = max(of_body) + 1
    nothing, never = np.zeros(k), np.zeros(k, bool)
    islands = Islands(np.array(of_body, np.int32), k, never, never, np.zeros((0, 2), np.int32))
    return IslandBalances(islands, *([nothing] * 8))


def test_what_grows_again_is_of_first_order_and_nothing_else() -> None:
    """Bodies 0 and 1 are an island that grew, 2 another that did not, 3 is scripted."""
    one, grown = balances([0, 0, 1, -1]), np.array([True, False])
    orders, enough = StepOrders.none(4).grown(one, grown)
    assert not enough  # once: the step is halved
    assert not orders.left.any()
    orders, enough = orders.after().grown(one, grown)
    assert enough
    assert orders.left.tolist() == [2, 2, 0, 0]
    assert not orders.grown(one, grown)[1]  # first order did not help
    joined, enough = orders.grown(balances([0, 0, 0, -1]), np.array([True]))
    assert not enough  # body 2 has come in touch, and has not grown before
    joined, enough = joined.grown(balances([0, 0, 0, -1]), np.array([True]))
    assert enough
    assert joined.left.tolist() == [2, 2, 2, 0]


def test_growth_long_after_is_the_first_again() -> None:
    orders, one, grown = StepOrders.none(1), balances([0]), np.array([True])
    orders, _ = orders.grown(one, grown)
    for _ in range(FIRST_WATCH):
        orders = orders.after()
    assert orders.plain
    assert not orders.grown(one, grown)[1]


def test_pauses_double_while_energy_grows_and_shrink_while_it_does_not() -> None:
    orders, pauses, one = StepOrders.none(1), [], balances([0])
    orders, _ = orders.grown(one, np.array([True]))
    for _ in range(7):
        orders, enough = orders.grown(one, np.array([True]))
        assert enough
        pauses.append(int(orders.left[0]))
        while orders.left[0]:
            orders = orders.after()
    assert pauses == [2, 4, 8, 16, 32, 64, 64]
    for _ in range(LONGEST_WATCH):
        orders = orders.after()
    assert orders.plain


def test_a_checkpoint_has_the_orders() -> None:
    orders = StepOrders(np.array([3, 0]), np.array([16, 8]))
    arrays = StepMemory(None, np.zeros(0), orders=orders).arrays()
    recalled = StepMemory.recalled(arrays)
    assert recalled is not None
    assert recalled.orders is not None
    assert np.array_equal(recalled.orders.left, orders.left)
    assert np.array_equal(recalled.orders.watch, orders.watch)
    for wrong in (np.zeros(3, int), np.full((2, 2), -1), np.full((2, 2), 0.5), np.full((2, 2), LONGEST_WATCH + 1)):
        with pytest.raises(InputError, match="memory_orders"):
            StepMemory.recalled(arrays | {"memory_orders": wrong})


def test_lasting_contact_is_not_repeated_again_and_again() -> None:
    """A ball that comes to rest in a sheet at 10 ms: 5 sub-steps of 120 are taken again; 27 when each growth was by itself."""
    sim = sg.Simulation(
        gallery.SCENES["ball-on-cloth"].build(resolution=11), dt=1e-2, settings=sg.Settings(integrator="bdf2")
    )
    reports = [sim.step() for _ in range(120)]
    assert sum(r.energy_retries for r in reports) <= 10
    saved = sim.checkpoint()
    other = sg.Simulation(
        gallery.SCENES["ball-on-cloth"].build(resolution=11), dt=1e-2, settings=sg.Settings(integrator="bdf2")
    )
    other.restore(saved)
    for _ in range(10):
        sim.step()
        other.step()
    assert np.array_equal(sim.state.q, other.state.q)
