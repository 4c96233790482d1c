"""Contact problems out of running cloth: gallery scenes at a chosen dt²k/m, stopped in the middle of their folds."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from signorini import gallery
from signorini.collision.broad_phase import BoxTree
from signorini.contact.mlcp import Mlcp, WarmStart
from signorini.dynamics.block_matrix import BlockMatrix
from signorini.model import build_model
from signorini.problems.rows import BLOCK_QUANTUM, Case, round_to
from signorini.scene import Cloth
from signorini.settings import Settings
from signorini.start_check import choose_contact_distance
from signorini.stepping.moment import Moment, SolvedContacts, World, look_around
from signorini.stepping.substeps import cover_step

DT = 4e-3
"""[s]"""
MASS_FRACTION = 2.0**-14
"""Entries of A are multiples of about this part of the smallest nodal mass: far too little to touch definiteness."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ClothRun:
    """Which moment of which run."""

    scene: str
    stiffness_ratio: float
    """dt²k/m with the membrane stiffness k [N/m] and the mean nodal mass m [kg]."""
    friction: float
    resolution: int
    seconds: float
    """The problem is taken from the first undivided step with contacts at or after this time."""
    scale_bending: bool = False
    """Bending as stiff as the membrane asks for, or (default) that of cotton, so that stiff sheets still fold."""


def make_cloth(run: ClothRun) -> Case:
    """Run the scene with the default solver until the chosen time; its contact problem and the warm start of it."""
    world, moment = _start(run)
    least = run.resolution
    for index in range(round((run.seconds + 1.0) / DT)):
        covered = cover_step(world, moment, (index + 1) * DT)
        solved, whole = covered.solved, covered.report.substeps == 1 and covered.report.halvings == 0
        if solved is not None and whole and (index + 1) * DT >= run.seconds and len(solved.contacts) >= least:
            return _compact(world, solved, warm_start(moment, solved))
        moment = covered.moment
    raise AssertionError(f"{run} has no whole step with {least} contacts")


def warm_start(before: Moment, solved: SolvedContacts) -> WarmStart:
    """What the step before knew about the contacts of a solved step, in their frames."""
    problem = solved.problem
    if before.memory is None:
        return WarmStart(np.zeros((problem.node_count, 3)), np.zeros((problem.contact_count, 3)))
    world_impulse, dv = before.memory.recall(solved.contacts, problem.dt)
    impulse = np.zeros_like(world_impulse)
    movable = np.flatnonzero(np.diff(problem.jacobian_indptr))
    # A block is weight × frame, and the weight is what its first row has along the normal.
    blocks = problem.jacobian_blocks[problem.jacobian_indptr[movable]]
    weights = np.einsum("mi,mi->m", blocks[:, 0], solved.contacts.normal[movable])
    impulse[movable] = np.einsum("mij,mj->mi", blocks / weights[:, None, None], world_impulse[movable])
    impulse[:, 0] = np.maximum(impulse[:, 0], 0.0)
    limit = (problem.friction * impulse[:, 0])[:, None]
    impulse[:, 1:] = np.clip(impulse[:, 1:], -limit, limit)
    return WarmStart(dv, impulse)


def _start(run: ClothRun) -> tuple[World, Moment]:
    """The scene at its start, with the material scaled so that dt²k/m is what was asked for."""
    scene = gallery.find(run.scene).build(friction=run.friction, resolution=run.resolution)
    mean_mass = float(np.mean(build_model(scene)[0].mass))
    for body in scene.bodies.values():
        if isinstance(body, Cloth):
            factor = run.stiffness_ratio * mean_mass / DT**2 / body.material.membrane_stiffness
            material = body.material.scaled(factor)
            if not run.scale_bending:
                bending = {name: getattr(body.material, name) for name in ("bending_rigidity", "bending_hysteresis")}
                material = replace(material, **bending)
            body.material = material
    model, state = build_model(scene)
    settings = Settings()
    tree = BoxTree(model.surface, model.surface_positions(state.q, 0.0))
    world = World(model, tree, settings, choose_contact_distance(scene, settings))
    return world, look_around(world, state)


def _compact(world: World, solved: SolvedContacts, warm: WarmStart) -> Case:
    """The same problem in numbers of fewer digits, for small files."""
    quantum = MASS_FRACTION * 2.0 ** np.floor(np.log2(world.model.mass.min()))
    problem = solved.problem
    A = BlockMatrix(problem.A.indptr, problem.A.indices, round_to(problem.A.data, quantum))
    rounded: Mlcp = replace(
        problem,
        A=A,
        jacobian_blocks=round_to(problem.jacobian_blocks, BLOCK_QUANTUM),
        gap=round_to(problem.gap, 2.0**-40),
        free_velocity=round_to(problem.free_velocity, 2.0**-30),
    )
    return Case(rounded, warm)
