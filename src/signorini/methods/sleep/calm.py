"""When bodies fall asleep: islands that have been calm for two blocks of steps, and were not getting faster.

Calm means slower than a tenth of the error in velocity that the contact solver may leave in every step, so that standing still
solves the steps as well as they were solved. What falls, swings or slides passes that speed within a step or two: a motion that
starts from rest stays below a speed s for two blocks T only if its acceleration is below s / T, 2.5e-5 g at 4 ms.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from signorini.dynamics.energy_kernels import largest_squares
from signorini.methods.islands import find_islands
from signorini.methods.moment import Moment, World
from signorini.methods.report import Tally
from signorini.methods.sleep.rest import Rest
from signorini.model.state import State
from signorini.settings import DEFAULT_TOLERANCE, SolverSettings

Flags = NDArray[np.bool_]
Floats = NDArray[np.float64]
CALM_PART = 0.1
"""Largest speed of a calm body over the tolerance of the contact solver."""
NOISE_PART = 0.1
"""Part of that speed below which it does not matter whether bodies are getting faster: it is noise of the solver."""
BLOCK_SECONDS, BLOCK_STEPS = 0.1, 10
"""Length of a block [s], and the least number of its steps."""


def calm_speed(world: World) -> float:
    """The largest speed of calm bodies [m/s]."""
    solver = world.settings.solver
    tolerance = solver.residual if isinstance(solver, SolverSettings) else DEFAULT_TOLERANCE
    return CALM_PART * min(tolerance, DEFAULT_TOLERANCE)


def body_speeds(world: World, state: State) -> Floats:
    """(bodies,) speed of the fastest node, or of the fastest vertex of a rigid body at most [m/s]; 0 for what has no nodes."""
    parts, rigids, v = world.parts, world.model.rigids, state.v
    squares = np.zeros(parts.body_count)
    largest_squares(parts.node_body, v, squares)
    speeds = np.sqrt(squares)
    if len(rigids):
        centre, turning = (np.sqrt((v[nodes] ** 2).sum(axis=1)) for nodes in (rigids.nodes, rigids.spins))
        speeds[parts.rigid_body] = centre + turning * parts.rigid_radius
    return speeds


def watched(world: World, rest: Rest, end: Moment, dt: float, *, solved: bool) -> tuple[Rest, bool]:
    """What is known of the calm after a step of dt [s], and whether a block ends with it."""
    speeds = body_speeds(world, end.state) if solved else np.full(world.parts.body_count, np.inf)
    peak, steps = np.maximum(rest.peak, speeds), rest.steps + 1
    block = steps >= max(BLOCK_STEPS, math.ceil(BLOCK_SECONDS / dt))
    return replace(rest, steps=steps, peak=peak), block


def next_block(rest: Rest) -> Rest:
    """The beginning of another block."""
    return replace(rest, steps=0, peak=np.zeros_like(rest.peak), last_peak=rest.peak)


def step_is_solved(tally: Tally) -> bool:
    """Whether all that happened in a step is a solution of its equations, and nothing is squeezed."""
    unsolved = tally.failsafe_substeps or tally.damped_substeps or tally.unsolved_substeps or tally.infeasible_contacts
    return not unsolved and tally.energy_removed == 0.0 and tally.shared_solves == 0


def calm_islands(world: World, rest: Rest, touching: set[tuple[int, int]], time: float, restless: Flags) -> list[Flags]:
    """The islands (bodies,) of awake bodies that may sleep, at the end of a block at a time [s].

    Only what is held by something fixed, scripted or pinned sleeps: the momentum of anything else is its own. No body that is
    `restless` (bodies,) does.
    """
    parts, limit = world.parts, calm_speed(world)
    pinned = parts.node_body[world.model.pinned(time)[0]]
    islands = find_islands(parts, np.array(sorted(touching), np.int32).reshape(-1, 2), pinned)
    candidates = parts.movable & ~rest.asleep
    found = []
    for island in np.flatnonzero(islands.held):
        own = islands.of_body == island
        if (own & ~candidates).any() or (own & restless).any():
            continue
        peak, last = float(rest.peak[own].max()), float(rest.last_peak[own].max())
        if max(peak, last) <= limit and peak <= max(last, NOISE_PART * limit):
            found.append(own)
    return found
