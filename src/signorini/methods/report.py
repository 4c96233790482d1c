"""The report of a step, and the tally of the attempts from which it is made."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from time import perf_counter
from typing import TYPE_CHECKING

import numpy as np

from signorini.methods.energy_account import EnergyAccount
from signorini.methods.energy_balance import EnergyBalance, IslandBalances
from signorini.methods.step_orders import StepOrders
from signorini.methods.step_status import StepStatus
from signorini.methods.work_budget import WorkBudget

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from signorini.collision.contact_set import ContactSet
    from signorini.contact.mlcp import Response
    from signorini.methods.moment import Moment


@dataclass(frozen=True, slots=True)
class StepReport:
    """The certificate of one step, in SI units."""

    index: int = 0
    """Number of the step, from 1; 0 for the start."""
    time: float = 0.0
    """Simulated time at the end of the step [s]."""
    dt: float = 0.0
    """Length of the step [s]."""
    status: StepStatus = StepStatus.ACCEPTED
    substeps: int = 1
    """Accepted sub-steps that cover the step."""
    halvings: int = 0
    """Attempts that failed and were repeated with a smaller sub-step."""
    failsafe_substeps: int = 0
    """Sub-steps in which a fail-safe was called."""
    collision_interval: float = 0.0
    """The longest sub-step at whose end contact was treated [s]."""
    shortest_substep: float = 0.0
    """The shortest sub-step that was accepted [s]: a dt that would have done without repeated attempts."""
    contact_count: int = 0
    """Constraints in the last contact problem of the step."""
    active_count: int = 0
    """Constraints with a positive normal impulse."""
    candidate_count: int = 0
    """Pairs of primitives that the broad phase gave to the last continuous detection."""
    refinements: int = 0
    """Contact problems solved until no new contact was found (the largest over the sub-steps)."""
    outer_iterations: int = 0
    """Outer iterations of the contact solver, summed over the step."""
    solves: int = 0
    """Contact problems solved."""
    solves_converged: int = 0
    """Contact problems solved to the tolerance."""
    shared_solves: int = 0
    """Contact problems in which the layers of a squeeze could not all keep their distance and gave up a part of it, all the same
    part; not counted in `solves`, which has the problem that came of it."""
    infeasible_contacts: int = 0
    """Contacts that contradict each other, because something is pinched between bodies that cannot yield: they are violated."""
    infeasible_bodies: str = ""
    """Pairs of bodies of the infeasible contacts, as `a | b`, joined by semicolons."""
    unsolved_substeps: int = 0
    """Sub-steps whose contact problem was not solved to the tolerance, even from a cold start and in a shorter sub-step: their
    impulses are bounded so that they add no energy."""
    unsolved_bodies: str = ""
    """Pairs of bodies with the largest error in contact problems that were not solved, as `a | b`, joined by semicolons; also in
    attempts that were then repeated with a shorter sub-step."""
    over_budget: int = 0
    """1 if the step used up its budget of work (`Settings.step_budget`) and was therefore ended by the fail-safe."""
    budget_used: float = 0.0
    """Work of the step over its budget, which is extended where not even standing still is safe. A step makes attempts until 0.8
    of it are used, and ends by fail-safes before 1."""
    penetration_residual: float = 0.0
    """Largest violation of a gap constraint at the end of the step, in velocity [m/s]."""
    complementarity_residual: float = 0.0
    """Largest natural-map residual, normal and friction [m/s]."""
    momentum_residual: float = 0.0
    """Largest entry of D_A^-1 (A dv - J' lam - H' gam) [m/s]."""
    min_distance: float = float("inf")
    """Smallest distance of two primitives at the end of the step [m]; inf when none is near."""
    kinetic_energy: float = 0.0
    """[J]"""
    potential_energy: float = 0.0
    """Of gravity, zero at the origin [J]."""
    elastic_energy: float = 0.0
    """[J]"""
    script_work: float = 0.0
    """Work of scripted bodies and pinned vertices through contact [J]; a bound of it in sub-steps of a fail-safe."""
    pin_work: float = 0.0
    """Work of pins that move [J]."""
    load_work: float = 0.0
    """Work of elements that store no energy, such as wind [J]."""
    friction_loss: float = 0.0
    """Energy that sliding friction turned into heat [J]."""
    other_loss: float = 0.0
    """Energy that impact, damping and the integrator took [J]: what closes the balance; negative if energy grew unexplained."""
    energy_surplus: float = 0.0
    """Growth of the energy that no work explains, before any of it was removed, summed over the islands (bodies that touch) and
    sub-steps that grew [J]."""
    energy_retries: int = 0
    """Attempts that were repeated with a smaller sub-step because energy grew unexplained."""
    energy_removed: float = 0.0
    """What of it was taken from the velocities of these islands [J]."""
    energy_prevented: float = 0.0
    """Unexplained growth of motions that were not taken in the end, but replaced by calm ones (a fail-safe) without it [J]."""
    max_speed: float = 0.0
    """Of the fastest node [m/s]."""
    sleeping_bodies: int = 0
    """Bodies that sleep at the end of the step (`Settings.sleep`)."""
    phase_seconds: dict[str, float] = field(default_factory=dict)
    """Wall time by phase: assembly, unconstrained, detection, contact, check."""

    def __repr__(self) -> str:
        residual = max(self.penetration_residual, self.complementarity_residual, self.momentum_residual)
        near = f"{self.min_distance:.3g} m apart" if self.min_distance < float("inf") else "nothing is near"
        return (
            f"StepReport of step {self.index} at {self.time:.6g} s: {self.status.name.lower().replace('_', ' ')}, "
            f"{self.substeps} sub-steps, {self.active_count} of {self.contact_count} contacts active, {near}, "
            f"residual {residual:.3g} m/s, energy {self.total_energy:.6g} J"
        )

    @property
    def total_energy(self) -> float:
        """Kinetic, gravitational and elastic energy [J]."""
        return self.kinetic_energy + self.potential_energy + self.elastic_energy


@dataclass(slots=True)
class Tally:
    """Counts and residuals of the attempts of one step, from which its report is made."""

    substeps: int = 0
    halvings: int = 0
    failsafe_substeps: int = 0
    refinements: int = 0
    outer_iterations: int = 0
    solves: int = 0
    solves_converged: int = 0
    shared_solves: int = 0
    shared_in_vain: bool = False
    """Whether sharing room was tried and is no remedy: it is then tried again only after a proof of infeasibility."""
    contact_count: int = 0
    active_count: int = 0
    candidate_count: int = 0
    infeasible_contacts: int = 0
    infeasible_bodies: set[tuple[int, int]] = field(default_factory=set)
    """Pairs of body numbers."""
    penetration_residual: float = 0.0
    complementarity_residual: float = 0.0
    momentum_residual: float = 0.0
    collision_interval: float = 0.0
    shortest_substep: float = float("inf")
    work: WorkBudget = field(default_factory=WorkBudget)
    unsolved_substeps: int = 0
    unsolved_bodies: set[tuple[int, int]] = field(default_factory=set)
    """Pairs of body numbers."""
    energy: EnergyBalance = field(default_factory=EnergyBalance)
    """Sum over the accepted sub-steps."""
    energy_surplus: float = 0.0
    energy_retries: int = 0
    energy_removed: float = 0.0
    energy_prevented: float = 0.0
    account: EnergyAccount | None = None
    """Energy from nothing until the last accepted sub-step; None: nothing was accounted for."""
    orders: StepOrders | None = None
    """Which bodies step at first order since their energy grew; None: all are at second order, or none is."""
    touching: set[tuple[int, int]] = field(default_factory=set)
    """Pairs of body numbers that pushed each other in an accepted sub-step."""
    damped_substeps: int = 0
    """Accepted sub-steps in which energy grew absurdly, and was removed or kept from growing."""
    cut_short: bool = False
    """Whether the budget ended the step: the fail-safe made a sub-step that was not attempted any more."""
    phase_seconds: dict[str, float] = field(default_factory=dict)

    @property
    def all_solved(self) -> bool:
        """Whether every contact problem was solved, and no fail-safe was needed."""
        return self.solves == self.solves_converged and not self.failsafe_substeps

    @contextmanager
    def phase(self, name: str) -> Iterator[None]:
        """Add the wall time of a block to the phase."""
        start = perf_counter()
        try:
            yield
        finally:
            self.phase_seconds[name] = self.phase_seconds.get(name, 0.0) + perf_counter() - start

    def count_solve(self, response: Response) -> None:
        """Count a contact problem and whether it was solved."""
        self.solves += 1
        self.solves_converged += response.converged

    def count_iterations(self, response: Response) -> None:
        """Add the iterations of a contact solve."""
        self.outer_iterations += response.outer_iterations
        self.work.count_solve(response)

    def count_check(self, candidates: int) -> None:
        """Add a continuous detection."""
        self.candidate_count = candidates
        self.work.count_check(candidates)

    def take_response(self, response: Response, contacts: ContactSet) -> None:
        """Keep the residuals of an accepted response (the largest over the sub-steps), and contacts that contradict others."""
        self.infeasible_contacts = max(self.infeasible_contacts, len(response.infeasible))
        self.infeasible_bodies |= {(int(a), int(b)) for a, b in contacts.bodies[response.infeasible]}
        self.contact_count = len(response.impulse)
        self.active_count = int(np.count_nonzero(response.impulse[:, 0] > 0.0))
        self.penetration_residual = max(self.penetration_residual, response.penetration_velocity)
        self.complementarity_residual = max(
            self.complementarity_residual, response.normal_residual, response.friction_residual
        )
        self.momentum_residual = max(self.momentum_residual, response.dynamics_residual)

    def accept_substep(
        self, interval: float, balances: IslandBalances | None = None, *, removed: NDArray[np.float64] | None = None
    ) -> None:
        """Count a sub-step of `interval` [s] at whose end contact was treated, its balances before energy was removed, and what
        was removed of each island (k,) [J].
        """
        self.substeps += 1
        self.collision_interval = max(self.collision_interval, interval)
        self.shortest_substep = min(self.shortest_substep, interval)
        if balances is not None:
            self.energy = self.energy.plus(balances.total())
            self.energy_surplus += float(balances.surplus.sum())
            self.touching |= {(int(a), int(b)) for a, b in balances.islands.pairs}
        if removed is not None:
            self.energy_removed += float(removed.sum())

    def report(self, end: Moment, *, dt: float, names: list[str], certified: bool = True) -> StepReport:
        """The report of a step of dt [s] that ended in a moment, without its index and energies; `names` are the bodies'."""
        return StepReport(
            time=end.state.time,
            dt=dt,
            status=self._status() if certified else StepStatus.UNCERTIFIED,
            substeps=self.substeps,
            halvings=self.halvings,
            failsafe_substeps=self.failsafe_substeps,
            collision_interval=self.collision_interval,
            shortest_substep=min(self.shortest_substep, dt),
            contact_count=self.contact_count,
            active_count=self.active_count,
            candidate_count=self.candidate_count,
            refinements=self.refinements,
            outer_iterations=self.outer_iterations,
            solves=self.solves,
            solves_converged=self.solves_converged,
            shared_solves=self.shared_solves,
            infeasible_contacts=self.infeasible_contacts,
            infeasible_bodies="; ".join(" | ".join(pair) for pair in body_pairs(names, self.infeasible_bodies)),
            unsolved_substeps=self.unsolved_substeps,
            unsolved_bodies="; ".join(" | ".join(pair) for pair in body_pairs(names, self.unsolved_bodies)),
            over_budget=int(self.cut_short),
            budget_used=self.work.used,
            script_work=self.energy.script_work,
            pin_work=self.energy.pin_work,
            load_work=self.energy.load_work,
            friction_loss=self.energy.friction_loss,
            other_loss=self.energy.work - self.energy.friction_loss - self.energy.change,
            energy_surplus=self.energy_surplus,
            energy_retries=self.energy_retries,
            energy_removed=self.energy_removed,
            energy_prevented=self.energy_prevented,
            penetration_residual=self.penetration_residual,
            complementarity_residual=self.complementarity_residual,
            momentum_residual=self.momentum_residual,
            min_distance=end.near.min_distance,
            phase_seconds=self.phase_seconds,
        )

    def _status(self) -> StepStatus:
        if self.failsafe_substeps:
            return StepStatus.FAILSAFE
        if self.damped_substeps:
            return StepStatus.DAMPED
        return StepStatus.HALVED if self.halvings or self.energy_retries else StepStatus.ACCEPTED


def body_pairs(names: list[str], numbers: Iterable[Iterable[int]]) -> list[tuple[str, str]]:
    """The pairs of body numbers as sorted pairs of names, each pair once, in alphabetical order."""
    return sorted({(min(names[a], names[b]), max(names[a], names[b])) for a, b in numbers})
