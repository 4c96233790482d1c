"""Constraint manifold refinement over a whole step: as few sub-steps as possible, by halving, and a fail-safe where that fails.

Implements: Otaduy2009 §4 (halving at most twice) and §5.6 (halving when the relaxation diverges).
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import nullcontext
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from signorini.errors import SimulationStoppedError
from signorini.linalg.blas_threads import one_blas_thread
from signorini.methods.cmr import Attempt, attempt_step
from signorini.methods.energy_account import EnergyAccount
from signorini.methods.energy_balance import IslandBalances, measure_balances, tolerated_work
from signorini.methods.energy_removal import without_surplus
from signorini.methods.failsafes.calm_motion import calm_step, free_velocity
from signorini.methods.failsafes.failsafe import failsafe_step
from signorini.methods.islands import NOBODY
from signorini.methods.method import CoveredStep, Method
from signorini.methods.moment import Moment, SolvedContacts, World
from signorini.methods.pace import GRID, Pace, course_array, pace_of
from signorini.methods.report import Tally
from signorini.methods.sleep.sleeping_steps import SleepingSteps
from signorini.methods.step_memory import StepMemory
from signorini.methods.step_orders import StepOrders
from signorini.methods.stop_messages import energy_message, pinch_message
from signorini.methods.work_budget import FIRST_ITERATIONS, NOMINAL_ITERATIONS, WorkBudget
from signorini.settings import uses_dense_matrix

ABSURD_GROWTH = 0.01
"""Unexplained growth of the energy of an island in a step, over `EnergyBalance.scale`, beyond which the step is taken again in
smaller sub-steps, and at last made calm if velocities cannot pay for it."""
ACCEPTED_GROWTH = 0.001
"""The same up to which it is left alone, unless the account of earlier growth is full (`energy_account`); what is more is removed
from the velocities of the island."""
FREE_GROWTH = 0.005
"""The same as `ABSURD_GROWTH` of an island that flies freely. Nothing is removed below while the account has room: growth there
is the error of the integrator, such as that of a solid whose spin precesses, which comes and goes."""
LEAST_GROWTH = 1e-4
"""Growth in a step that is let through in flight even where the account is full: to repeat a sub-step for less costs more than it
is worth. It is for the share of the sub-step in the step, also of an adaptive one that takes many."""
TORN = 10.0
"""Growth of the energy of a repeated sub-step, over what makes it be repeated again, from which on soft solids are computed in
frames at rest, where backward Euler only loses energy: a solid that its spin tears apart gains up to 10 % a sub-step in a frame
that rotates with it."""

NONSENSE = 1.0
"""Growth over the energy that takes part from which on velocities may not pay for it: the motion that made it is no solution, and
the next sub-step would make as much."""


class ConstraintManifoldRefinement(Method):
    """The method `cmr` (Otaduy2009 §4)."""

    name = "cmr"
    rebounds = True

    def __init__(self, world: World) -> None:
        super().__init__(world)
        self._steps = SleepingSteps(world)

    def cover(self, start: Moment, end_time: float) -> CoveredStep:
        """Advance to exactly `end_time` [s]; raise `SimulationStoppedError` when that is impossible."""
        first = not isinstance(start.memory, StepMemory)
        memory = start.memory if isinstance(start.memory, StepMemory) else StepMemory(None, np.zeros(0))
        dt, rest = end_time - start.state.time, None
        account, bodies = memory.account, self.world.parts.body_count
        if account is None or len(account.grown) != bodies:
            account = EnergyAccount(np.zeros(bodies))
        pace = pace_of(self.world.settings, dt, memory.pace)
        orders = memory.orders
        if orders is None or len(orders.left) != bodies:
            orders = StepOrders.none(bodies)

        def advance(world: World, moment: Moment) -> tuple[Moment, SolvedContacts | None, Tally]:
            nonlocal pace
            iterations = FIRST_ITERATIONS if first else NOMINAL_ITERATIONS
            dense = uses_dense_matrix(world.settings.solver)
            work = WorkBudget(world.settings.step_budget, memory.typical_work, iterations, dense)
            tally = Tally(work=work, account=account, orders=orders)
            pace = pace_of(world.settings, dt, memory.pace if moment.state.history is not None else None)
            return *cover_by_substeps(world, moment, end_time, tally, pace), tally

        with (
            nullcontext() if self.world.model.joints is None else one_blas_thread()
        ):  # their systems are small and dense
            if self.world.settings.sleep:
                moment, solved, tally, rest, contacts = self._steps.cover(
                    start, end_time, memory.rest, memory.contacts, advance
                )
            else:
                moment, solved, tally = advance(self.world, start.with_memory(memory.contacts))
                contacts = moment.memory
        report = tally.report(moment, dt=dt, names=self.world.model.body_names)
        if rest is not None and rest.asleep.any():
            report = replace(report, sleeping_bodies=int(rest.asleep.sum()))
        account = account if tally.account is None else tally.account
        memory = memory.after(
            contacts, tally.work.per_substep, rest, course_array(pace), account, solved=tally.all_solved
        )
        memory = replace(memory, orders=tally.orders or orders)
        return CoveredStep(moment.with_memory(memory), solved, report)

    def memory_arrays(self, memory: object) -> dict[str, NDArray]:
        """The contact impulses that the next step starts from, and the work of recent steps."""
        return memory.arrays() if isinstance(memory, StepMemory) else {}

    def recalled(self, arrays: Mapping[str, NDArray]) -> StepMemory | None:
        """The memory in a checkpoint; None when its last step was by another method."""
        return StepMemory.recalled(arrays)

    def sleeping(self, memory: object) -> list[int]:
        """Numbers of the bodies that sleep."""
        rest = memory.rest if isinstance(memory, StepMemory) else None
        return [] if rest is None else np.flatnonzero(rest.asleep).tolist()

    def woken(self, memory: object) -> object:
        """The memory with all bodies awake."""
        return memory.woken() if isinstance(memory, StepMemory) else memory


def cover_by_substeps(
    world: World, start: Moment, end_time: float, tally: Tally, pace: Pace
) -> tuple[Moment, SolvedContacts | None]:
    """The end of the step and the last contact problem; None if a fail-safe ended the step. The pace goes on from its end."""
    dt, moment, solved = end_time - start.state.time, start, None
    account = tally.account or EnergyAccount(np.zeros(world.parts.body_count))
    orders = tally.orders or StepOrders.none(world.parts.body_count)
    one_by_one = world.settings.integrator == "bdf2" and not pace.adaptive  # adaptive steps become shorter instead
    done = 0  # cells of the grid that are covered
    while done < GRID:
        cells = pace.cells
        t1 = end_time if done + cells == GRID else start.state.time + dt * ((done + cells) / GRID)
        attempt, impacts, pushing = None, None, NOBODY
        if not tally.work.is_spent:
            first_order = orders.first_order(world.parts)
            once = first_order is not None and first_order.all() and world.settings.newton_iterations is None
            attempt = attempt_step(
                world, moment, t1, tally, final=pace.final, careful=pace.careful, rotating_frames=not pace.torn,
                farthest_spin=pace.farthest_spin, linearisations=1 if once else pace.linearisations,
                first_order=first_order,
            )  # fmt: skip
        velocity = moment.state.v if attempt is None else attempt.tentative_velocity
        if attempt is not None and attempt.moment is not None and np.isfinite(attempt.moment.state.v).all():
            after, solved = attempt.moment, attempt.solved
            if pace.halve_for_error(pace.error(world, moment, after, solved)):
                continue
        elif attempt is not None and (pace.halve_for_spin(attempt.spin) or pace.halve_for(attempt.turn)):
            tally.halvings += 1
            continue
        else:
            if attempt is None or not np.isfinite(velocity).all():
                velocity = free_velocity(world, moment, t1, tally)
            else:
                pushing = attempt.pushing
            (after, impacts), solved = failsafe_step(world, moment, t1, velocity, tally, pushing), None
            pushing = np.concatenate([pushing, impacts.contacts.bodies])
            tally.failsafe_substeps += 1
            if after is None and attempt is None and tally.work.extend():
                continue
            if after is None:
                if not pace.halve_for_failsafe():
                    raise SimulationStoppedError(pinch_message(world, impacts, moment.state.time))
                continue
        balances = measure_balances(world, moment, after, solved, pushing)
        absurd = _absurd_growth(world, after, solved, balances, account, pace.part, cells / GRID)
        if (grown := balances.grew_beyond(absurd)).any():
            enough = False
            if one_by_one and not pace.careful:
                orders, enough = orders.grown(balances, grown)
            if enough and tally.work.may_repeat_for_energy():
                tally.energy_retries += 1
                continue
            if pace.may_halve_for_energy() and tally.work.may_repeat_for_energy():
                pace.halve_for_energy(torn=bool(balances.grew_beyond(TORN * absurd).any()))
                tally.energy_retries += 1
                continue
            after, solved, balances = _paid_or_calm(
                world, moment, after, solved, balances, velocity, tally, pace.part, absurd
            )
        if np.isnan(balances.surplus).any():
            raise SimulationStoppedError(energy_message(world.model, after.state))
        after, removed = _without_growth(world, after, solved, balances, pace.part, account)
        account = account.after(balances, removed, after.body_energies(world))
        tally.cut_short |= attempt is None
        tally.unsolved_substeps += solved is not None and attempt is not None and attempt.bounded
        tally.accept_substep(t1 - moment.state.time, balances, removed=removed)
        moment, done, orders = after, done + cells, orders.after()
        pace.accept(done, spent=tally.work.is_spent)
        if pace.adaptive and solved is not None:
            tally.work.add_substep()
    tally.account, tally.orders = account, orders
    return moment, solved


def _absurd_growth(
    world: World,
    end: Moment,
    solved: SolvedContacts | None,
    balances: IslandBalances,
    account: EnergyAccount,
    length: float,
    share: float,
) -> NDArray[np.float64]:
    """(k,) growth of islands over `EnergyBalance.scale` from which on a sub-step of a `length` is taken again.

    The length is over that without trouble (`Pace.part`), the `share` over the whole step. In flight a shorter step grows
    less. In contact velocities pay for what the account does not let through; where they cannot, it is absurd, too. What
    the tolerance of the contact solver explains is not: a shorter step has the same tolerance.
    """
    flies = _flies(balances)
    left = np.maximum(account.left(balances), np.where(flies, LEAST_GROWTH, ACCEPTED_GROWTH) * share)
    absurd = np.where(flies, np.minimum(FREE_GROWTH * length, left), ABSURD_GROWTH * length)
    owing = balances.grew_beyond(left) & ~balances.grew_beyond(absurd)
    if owing.any():
        _, removed = without_surplus(world, balances.islands, end.state, np.where(owing, balances.surplus, 0.0))
        unpaid = balances.surplus - removed > left * balances.scale + balances.noise
        absurd = np.where(owing & unpaid, left, absurd)
    if balances.grew_beyond(absurd).any():
        work = tolerated_work(world, solved, balances.islands)
        tolerated = account.tolerated(balances, work, end.body_energies(world))
        absurd = np.maximum(absurd, tolerated / np.maximum(balances.scale, np.finfo(float).tiny))
    return absurd


def _paid_or_calm(
    world: World,
    start: Moment,
    end: Moment,
    solved: SolvedContacts | None,
    balances: IslandBalances,
    velocity: NDArray[np.float64],
    tally: Tally,
    length: float,
    absurd: NDArray[np.float64],
) -> tuple[Moment, SolvedContacts | None, IslandBalances]:
    """A sub-step of a `length` with islands that grew beyond `absurd` (k,): as it is if velocities can pay, else a calm one.

    `velocity` (n, 3) [m/s] is the motion that led from `start` to `end`.
    """
    tally.damped_substeps += 1
    _, removed = without_surplus(world, balances.islands, end.state, balances.surplus)
    absurd = np.where(_flies(balances), ABSURD_GROWTH * length, absurd)
    unpaid = balances.surplus - removed > absurd * balances.scale + balances.noise
    unpaid |= balances.grew_beyond(NONSENSE)
    if not unpaid.any():
        return end, solved, balances
    grown = world.parts.movable & unpaid[balances.islands.of_body]
    part = float(absurd[unpaid].min())
    pushing, response = balances.islands.pairs, None
    if balances.islands.touched[unpaid].all() and not tally.work.is_spent:
        plain = _plain_attempt(world, start, end.state.time, tally)
        if plain.moment is not None and np.isfinite(plain.tentative_velocity).all():
            response, pushing = plain.tentative_velocity, np.concatenate([pushing, plain.pushing])
    calm, _, calm_balances = calm_step(
        world, start, end.state.time, velocity, grown, tally, pushing, part=part, response=response
    )
    if calm is None or calm_balances is None or not calm_balances.surplus.sum() < balances.surplus.sum():
        return end, solved, balances  # nothing is calmer, or only what is scripted goes on: the growth is reported
    tally.failsafe_substeps += solved is not None
    prevented = float(balances.surplus.sum() - calm_balances.surplus.sum())
    if 0.0 < prevented < np.inf:  # a state that was never taken can have any energy
        tally.energy_prevented += prevented
    return calm, None, calm_balances


def _plain_attempt(world: World, start: Moment, end_time: float, tally: Tally) -> Attempt:
    """An attempt of first order whose forces are linearised about the start, once: the energy falls along its motion."""
    everywhere = np.ones(world.model.node_count, dtype=bool)
    return attempt_step(world, start, end_time, tally, rotating_frames=False, linearisations=1, first_order=everywhere)


def _without_growth(
    world: World,
    end: Moment,
    solved: SolvedContacts | None,
    balances: IslandBalances,
    length: float,
    account: EnergyAccount,
) -> tuple[Moment, NDArray[np.float64]]:
    """The end of a sub-step of a `length` over dt without the growth of its islands, and what was removed of each [J]."""
    accepted = np.minimum(np.where(_flies(balances), FREE_GROWTH, ACCEPTED_GROWTH) * length, account.left(balances))
    if solved is not None and solved.rebounding is not None:  # a rebound never adds energy
        bodies = solved.contacts.bodies[: len(solved.rebounding)][solved.rebounding]
        accepted[balances.islands.of_body[bodies[world.parts.movable[bodies]]]] = 0.0
    grown = balances.grew_beyond(accepted)
    if not grown.any():
        return end, np.zeros(balances.islands.count)
    state, removed = without_surplus(world, balances.islands, end.state, np.where(grown, balances.surplus, 0.0))
    return (replace(end, state=state) if removed.any() else end), removed


def _flies(balances: IslandBalances) -> NDArray[np.bool_]:
    """(k,) the islands that touch nothing and are held by nothing."""
    return ~(balances.islands.touched | balances.islands.held)
