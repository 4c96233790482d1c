"""Sentences with which a step stops: which bodies are to blame, and the remedy."""

from __future__ import annotations

import numpy as np

from signorini.collision.detect import Impacts
from signorini.methods.moment import World
from signorini.methods.report import StepStatus, body_pairs
from signorini.model.model import Model
from signorini.model.state import State


def pinch_message(world: World, impacts: Impacts, time: float) -> str:
    """Scripted bodies leave no room at a time [s]."""
    return f"at t = {time:.6g} s there is no room left between {_named(world, impacts)}. {StepStatus.PINCHED.value}"


def collision_message(world: World, impacts: Impacts, time: float) -> str:
    """The collision loop could not resolve all pairs of one step of its integrator at a time [s]."""
    return (
        f"at t = {time:.6g} s one step of the integrator left {len(impacts.contacts)} pairs on a collision course, between "
        f"{_named(world, impacts)}: allow impact_zones, or lower cfl in collision_loop"
    )


def energy_message(model: Model, state: State) -> str:
    """The energy of a state is not a number."""
    values = [
        (type(e).__name__, e.energy(state.q, own))
        for e, own in zip(model.elements, model.element_states(state), strict=True)
    ]
    wrong = ", ".join(name for name, value in values if np.isnan(value))
    return (
        f"at t = {state.time:.6g} s the energy of the {f'elements {wrong}' if wrong else 'bodies'} is not a number: correct "
        "`energy` if the class is yours, or lower dt; everything before this step is kept"
    )


def _named(world: World, impacts: Impacts) -> str:
    pairs = body_pairs(world.model.body_names, impacts.contacts.bodies.tolist())
    return ", ".join(f"{a!r} and {b!r}" for a, b in pairs) or "unknown bodies"
