"""What is known about a step after it was computed: how it ended and the numbers that certify it."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum


class StepStatus(Enum):
    """How a step ended. The value is a sentence with the remedy."""

    ACCEPTED = "The step is free of intersection and was reached at once."
    HALVED = "The step was covered by smaller sub-steps; a smaller dt would avoid the repeated work."
    FAILSAFE = (
        "Smaller sub-steps were not enough: a fail-safe changed the motion to keep things apart; use a smaller dt."
    )
    PINCHED = (
        "Scripted bodies or pins leave a deformable body no room: change their motion, or make the body thinner by a smaller "
        "contact_distance."
    )
    UNCERTIFIED = (
        "The method does not look at the way between two states: a negative min_distance is a penetration, and intersecting "
        "edges are counted by Simulation.intersections()."
    )
    NOT_FINITE = "The state is no longer finite: reduce dt or the stiffness, and check forces and scripts for NaN."


@dataclass(slots=True)
class StepReport:
    """The certificate of one step. SI units; impulses of a sub-step are not mixed with those of another."""

    index: int = 0
    time: float = 0.0
    """Simulated time at the end of the step [s]."""
    dt: float = 0.0
    status: StepStatus = StepStatus.ACCEPTED
    substeps: int = 1
    halvings: int = 0
    failsafe_substeps: int = 0
    collision_interval: float = 0.0
    """The longest sub-step at whose end contact was treated [s]."""
    contact_count: int = 0
    """Constraints in the last contact problem of the step."""
    active_count: int = 0
    """Constraints with a positive normal impulse."""
    candidate_count: int = 0
    refinements: int = 0
    """Contact problems solved until no new contact was found (the largest over the sub-steps)."""
    outer_iterations: int = 0
    """Outer iterations of the contact solver, summed over the step."""
    solves: int = 0
    solves_converged: int = 0
    infeasible_contacts: int = 0
    """Contacts that contradicted each other (something is pinched between bodies that cannot yield) and gave way."""
    infeasible_bodies: str = ""
    """Their pairs of bodies, as `a | b`, joined by semicolons."""
    penetration_residual: float = 0.0
    """Largest violation of a gap constraint at the end of the step, in velocity [m/s]."""
    complementarity_residual: float = 0.0
    """Largest natural-map residual, normal and friction [m/s]."""
    momentum_residual: float = 0.0
    """Largest entry of D_A^-1 (A dv - J' lam - H' gam) [m/s]."""
    min_distance: float = float("inf")
    """Smallest distance of two primitives at the end of the step [m]; inf when none is near."""
    kinetic_energy: float = 0.0
    potential_energy: float = 0.0
    elastic_energy: float = 0.0
    max_speed: float = 0.0
    phase_seconds: dict[str, float] = field(default_factory=dict)
    """Wall time by phase: assembly, unconstrained, detection, contact, check."""

    @property
    def total_energy(self) -> float:
        """Kinetic, gravitational and elastic energy [J]."""
        return self.kinetic_energy + self.potential_energy + self.elastic_energy
