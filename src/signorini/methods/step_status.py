"""How a step ended, as one word with a sentence."""

from __future__ import annotations

from enum import Enum


class StepStatus(Enum):
    """How a step ended. The value is a sentence with the remedy."""

    ACCEPTED = "The step is free of intersection and was reached at once."
    HALVED = "The step was covered by smaller sub-steps; dt = shortest_substep would have avoided the repeated work."
    DAMPED = (
        "Energy grew that no work explains, also in the smallest sub-steps: it was taken from the velocities of the bodies that "
        "touch there (energy_surplus, energy_removed); a dt below shortest_substep may avoid it."
    )
    FAILSAFE = (
        "Smaller sub-steps were not enough, or over_budget: a fail-safe changed the motion to keep things apart, or to keep "
        "energy from growing; a dt below shortest_substep may avoid it."
    )
    PINCHED = (
        "Scripted bodies or pins leave a deformable body no room: change their motion, or make the body thinner by a smaller "
        "contact_distance."
    )
    UNCERTIFIED = (
        "The method does not check the motion between two states: a negative min_distance is a penetration, and intersecting "
        "edges are counted by Simulation.intersections()."
    )
    NOT_FINITE = "The state is no longer finite: reduce dt or the stiffness, and check forces and scripts for NaN."
