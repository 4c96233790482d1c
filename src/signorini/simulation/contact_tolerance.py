"""Default tolerance of the contact solver, chosen from the scene so that what should rest rests."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from signorini.model.model import Model
from signorini.settings import DEFAULT_TOLERANCE, Settings, SolverSettings

RIGID_FALL, RIGID_DISTANCE = 1.25e-4, 1e-4
"""Tolerance of rigid bodies over the velocity that gravity gives in a step, and over contact distance/dt. Errors of the impulses
tilt the boxes of a tower a little further in every step: 20 of them move with up to 32 mm/s at a hundred times this tolerance,
and with 0.4 mm/s at this."""
DEFORMABLE_FALL, DEFORMABLE_DISTANCE = 1.25e-2, 1e-2
"""The same as soon as a body deforms: elasticity and damping bring it to rest, and the tolerance of rigid bodies would cost 1.4
times the time on cloth, and a tenth of this one 3 times on soft solids."""
TIGHT_DISTANCE = 1e-2
"""The same over the contact distance/dt of bodies in a tight place: nothing uses up its play in fewer than a hundred steps. The
part of rigid bodies would ask for 1e-7 m/s in the joints of an arch, which takes a hundred times the iterations."""
LONG = 4e-3
"""Time step beyond which the parts of contact distance/dt do not shrink any more [s]: what a contact loses in a second is the
tolerance times a second, however long a step is."""
LEAST = 1e-8
"""Above rounding at any speed [m/s]."""


def choose_contact_tolerance(
    model: Model, settings: Settings, *, dt: float, contact_distance: float, tightest: float
) -> float:
    """The user's tolerance, or the least of a part of g dt, a part of the contact distance/dt (dt up to LONG), and 5e-4 m/s.

    `contact_distance` is that of bodies with room for it, `tightest` the least of any body [m].
    """
    if not isinstance(settings.solver, SolverSettings):
        return DEFAULT_TOLERANCE
    if settings.solver.tolerance is not None:
        return settings.solver.tolerance
    rigid = not any(slot.deformable for slot in model.bodies.values() if not slot.scripted)
    fall, distance = (RIGID_FALL, RIGID_DISTANCE) if rigid else (DEFORMABLE_FALL, DEFORMABLE_DISTANCE)
    chosen = min(
        DEFAULT_TOLERANCE, distance * contact_distance / min(dt, LONG), TIGHT_DISTANCE * tightest / min(dt, LONG)
    )
    speed = float(np.linalg.norm(model.gravity)) * dt
    return max(LEAST, min(chosen, fall * speed) if speed > 0.0 else chosen)


def with_tolerance(settings: Settings, tolerance: float) -> Settings:
    """The settings with this tolerance of the contact solver; a solver that is Python code keeps its own."""
    if not isinstance(settings.solver, SolverSettings) or settings.solver.tolerance is not None:
        return settings
    return replace(settings, solver=replace(settings.solver, tolerance=tolerance))
