"""Sentences with which a step stops: which bodies are to blame, and the remedy."""

from __future__ import annotations

from signorini.collision.detect import Impacts
from signorini.methods.moment import World
from signorini.methods.report import StepStatus, body_pairs


def pinch_message(world: World, impacts: Impacts, time: float) -> str:
    """Scripted bodies leave no room at a time [s]."""
    return f"at t = {time:.6g} s there is no room left between {_named(world, impacts)}. {StepStatus.PINCHED.value}"


def collision_message(world: World, impacts: Impacts, time: float) -> str:
    """The collision loop could not resolve all pairs of one step of its integrator at a time [s]."""
    return (
        f"at t = {time:.6g} s one step of the integrator left {len(impacts.contacts)} pairs on a collision course, between "
        f"{_named(world, impacts)}: allow impact_zones, or lower cfl in collision_loop"
    )


def _named(world: World, impacts: Impacts) -> str:
    pairs = body_pairs(world.model.body_names, impacts.contacts.bodies.tolist())
    return ", ".join(f"{a!r} and {b!r}" for a, b in pairs) or "unknown bodies"
