"""The account of energy from nothing: sums over steps, islands that join and part, and checkpoints."""

from __future__ import annotations

import numpy as np
import pytest

import signorini as sg
from signorini.dynamics.body_energies import BodyEnergies
from signorini.errors import InputError
from signorini.methods.energy_account import MOST_GROWN, EnergyAccount
from signorini.methods.energy_balance import IslandBalances
from signorini.methods.islands import Islands
from signorini.methods.step_memory import StepMemory


def balances(of_body, change, scale=1.0, noise=0.0) -> IslandBalances:
    """Of islands whose energies change without work."""
    change = np.asarray(change, dtype=float)
    k, nothing = len(change), np.zeros(len(change))
    islands = Islands(np.array(of_body, np.int32), k, np.zeros(k, bool), np.zeros(k, bool), np.zeros((0, 2), np.int32))
    return IslandBalances(
        islands, change, nothing, nothing, nothing, nothing, np.full(k, scale), nothing, np.full(k, noise)
    )


def energies(*kinetic: float) -> BodyEnergies:
    return BodyEnergies(np.array(kinetic), np.zeros(len(kinetic)), np.zeros(len(kinetic)))


def test_small_growth_adds_up_until_nothing_is_left_and_losses_pay_it_back() -> None:
    account, step = EnergyAccount(np.zeros(1)), balances([0], [0.3 * MOST_GROWN])
    left = []
    for _ in range(5):
        left.append(float(account.left(step)[0]))
        account = account.after(step, np.zeros(1), energies(1.0))
    np.testing.assert_allclose(left, MOST_GROWN * np.array([1.0, 0.7, 0.4, 0.1, 0.0]), atol=1e-15)
    account = account.after(balances([0], [-1.2 * MOST_GROWN]), np.zeros(1), energies(1.0))
    np.testing.assert_allclose(account.grown, 0.3 * MOST_GROWN)
    account = account.after(balances([0], [-1.0]), np.zeros(1), energies(1.0))
    assert not account.grown.any()  # what is lost more is no credit


def test_what_was_removed_and_noise_do_not_count() -> None:
    account = EnergyAccount(np.zeros(1))
    assert not account.after(balances([0], [0.2]), np.array([0.2]), energies(1.0)).grown.any()
    assert not account.after(balances([0], [0.2], noise=0.3), np.zeros(1), energies(1.0)).grown.any()


def test_islands_that_join_share_their_accounts_and_part_with_their_energies() -> None:
    apart = balances([0, 1, -1], [0.1, 0.3])
    account = EnergyAccount(np.array([0.0, 0.0, 0.7])).after(apart, np.zeros(2), energies(1.0, 2.0, 0.0))
    np.testing.assert_allclose(account.grown, [0.1, 0.3, 0.7])  # the last one takes no part
    account = account.after(balances([0, 0, -1], [0.2]), np.zeros(1), energies(1.0, 2.0, 0.0))
    np.testing.assert_allclose(account.grown, [0.2, 0.4, 0.7])


def test_the_account_is_part_of_a_checkpoint() -> None:
    scene = sg.Scene(gravity=(0, 0, 0))
    box = sg.shapes.box_tets(0.1, 0.2, 0.3, cells=1)
    scene.add_soft_solid(box, young=1e9, angular_velocity=(15, 30, 45), mass_damping=0, stiffness_damping=0)
    sim = sg.Simulation(scene, dt=0.01)
    for _ in range(20):
        sim.step()
        if "memory_grown" in sim.checkpoint():
            break
    saved = sim.checkpoint()
    assert saved["memory_grown"].shape == (1,)
    assert saved["memory_grown"][0] > 0.0
    after = [sim.step().total_energy for _ in range(5)]
    sim.restore(saved)
    assert [sim.step().total_energy for _ in range(5)] == after
    for bad in (np.array([-1.0]), np.array([np.nan]), np.array(1.0), np.array([1])):
        with pytest.raises(InputError, match="memory_grown"):
            StepMemory.recalled(saved | {"memory_grown": bad})
