"""Dry friction in bending: what lets a crumpled fabric come to rest instead of creeping for ever.

Threads rub against each other when fabric bends, so its moment-curvature curve is a loop; fabric testing (KES-F) reports half
the height of that loop as HB. Each hinge gets a friction element in parallel to its spring: elastic until the moment HB · L is
reached, slipping beyond (a Prandtl element). Its moment is −clamp(k (θ − θ_s), ±limit).
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from signorini.elements.element import Floats, Ints
from signorini.elements.hinges import Hinges

STIFFNESS_RATIO = 3.0
"""Stiffness of a sticking element over that of the hinge's spring: loops of fabric begin about that much steeper."""


def with_friction(hinges: Hinges, stiffness: Floats, hysteresis: float, length: Floats) -> Hinges:
    """Hinges about edges of given length (h,) [m] that rub, for a bending stiffness (h,) [N m] and HB = `hysteresis` [N]."""
    return replace(hinges, sticking_stiffness=STIFFNESS_RATIO * stiffness, limit=hysteresis * length)


def friction_alone(nodes: Ints, stiffness: Floats, hysteresis: float, length: Floats) -> Hinges:
    """The friction of hinges (h, 4) whose springs are other elements."""
    nothing = np.zeros(len(nodes))
    return with_friction(Hinges(nodes, nothing, nothing, nothing), stiffness, hysteresis, length)
