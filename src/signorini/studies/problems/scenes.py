"""Contact problems of running gallery scenes, stopped in the middle of contact."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from signorini import gallery
from signorini.contact.friction_cone_kernels import limit_impulses
from signorini.contact.mlcp import Mlcp, WarmStart
from signorini.linalg.block_matrix import BlockMatrix
from signorini.methods.moment import Moment, SolvedContacts, World
from signorini.methods.step_memory import StepMemory
from signorini.methods.substeps import ConstraintManifoldRefinement
from signorini.model.build import build_model
from signorini.scene.cloth import Cloth
from signorini.scene.cloth_material import ClothModel, cloth_material
from signorini.scene.scene import Scene
from signorini.settings import Settings
from signorini.simulation.contact_distance import start_world
from signorini.studies.problems.rows import BLOCK_QUANTUM, Case, Floats, round_to

MASS_FRACTION = 2.0**-14
"""Entries of A are multiples of about this part of a nodal mass: far too little to touch definiteness."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SceneMoment:
    """Which moment of which gallery scene, run with the time step of the gallery and the default solver."""

    scene: str
    friction: float
    seconds: float
    """The problem is taken from the first undivided step with enough contacts at or after this time."""
    resolution: int | None = None
    """Of the meshes; None: as in the gallery."""
    stiffness: float = 1.0
    """Factor on the materials."""
    least: int = 20
    """Contacts at least."""
    model: ClothModel = "mass-spring"
    """Of all cloth."""


def make_scene(wanted: SceneMoment) -> Case:
    """The contact problem of the moment, in numbers of fewer digits for small files, and its warm start."""
    entry = gallery.find(wanted.scene)
    options = {} if wanted.resolution is None else {"resolution": wanted.resolution}
    scene = entry.build(friction=wanted.friction, stiffness=wanted.stiffness, **options)
    make_of_model(scene, wanted.model, wanted.stiffness)
    world, moment = start_scene(scene)
    solved, warm = run_until(world, moment, dt=entry.dt, seconds=wanted.seconds, least=wanted.least)
    return Case(compact(solved.problem, round_entries(solved.problem.A, world.model.mass)), warm)


def make_of_model(scene: Scene, model: ClothModel, stiffness: float = 1.0) -> None:
    """Give all cloth of a gallery scene one model and the numbers that its fabric, cotton or denim, has there."""
    for body in scene.bodies.values():
        if isinstance(body, Cloth):
            denim = body.material == cloth_material("denim", body.model).scaled(stiffness)
            body.material = cloth_material("denim" if denim else "cotton", model).scaled(stiffness)
            body.model = model


def start_scene(scene: Scene) -> tuple[World, Moment]:
    """A scene at its start."""
    model, state = build_model(scene)
    return start_world(model, state, Settings())


def run_until(
    world: World, moment: Moment, *, dt: float, seconds: float, least: int
) -> tuple[SolvedContacts, WarmStart]:
    """The first undivided step at or after a time with at least so many contacts, and its warm start."""
    method = ConstraintManifoldRefinement(world)
    for index in range(round((seconds + 1.0) / dt)):
        covered = method.cover(moment, (index + 1) * dt)
        solved, whole = covered.solved, covered.report.substeps == 1 and covered.report.halvings == 0
        if solved is not None and whole and (index + 1) * dt >= seconds and len(solved.contacts) >= least:
            return solved, warm_start(moment, solved)
        moment = covered.moment
    raise AssertionError(f"there is no whole step with {least} contacts within a second of {seconds:g} s")


def warm_start(before: Moment, solved: SolvedContacts) -> WarmStart:
    """What the step before knew about the contacts of a solved step, in their frames."""
    problem = solved.problem
    memory = before.memory.contacts if isinstance(before.memory, StepMemory) else None
    if memory is None:
        return WarmStart(np.zeros((problem.node_count, 3)), np.zeros((problem.contact_count, 3)))
    world_impulse, dv = memory.recall(solved.contacts, problem.dt)
    impulse = np.einsum("mij,mj->mi", contact_frames(problem, solved.contacts.normal), world_impulse)
    limit_impulses(impulse, problem.friction, False)
    return WarmStart(dv, impulse)


def contact_frames(problem: Mlcp, normals: Floats) -> Floats:
    """Frames (m, 3, 3), rows n, t1, t2, out of the Jacobian; zero where a contact moves nothing.

    The block of a node that moves points as it moves itself is weight × frame, and the weight is what its first row has along
    the normal; the block of a node that turns them has nothing there.
    """
    frames = np.zeros((problem.contact_count, 3, 3))
    indptr, blocks = problem.jacobian_indptr, problem.jacobian_blocks
    for c in np.flatnonzero(np.diff(indptr)):
        mine = blocks[indptr[c] : indptr[c + 1]]
        weights = mine[:, 0] @ normals[c]
        k = int(np.argmax(np.abs(weights)))
        frames[c] = mine[k] / weights[k]
    return frames


def round_entries(A: BlockMatrix, mass: Floats) -> Floats:
    """Blocks of A as multiples of about MASS_FRACTION of the lighter of their two nodes; mass (n,) [kg].

    A stays symmetric and definite. The blocks of nodes without a mass, which turn rigid bodies, stay as they are.
    """
    rows = np.repeat(np.arange(A.node_count), np.diff(A.indptr))
    lighter = np.minimum(mass[rows], mass[A.indices])
    quantum = MASS_FRACTION * 2.0 ** np.floor(np.log2(np.where(lighter > 0.0, lighter, 1.0)))
    rounded = np.round(A.data / quantum[:, None, None]) * quantum[:, None, None]
    return np.where(lighter[:, None, None] > 0.0, rounded, A.data)


def compact(problem: Mlcp, A_data: Floats) -> Mlcp:
    """The problem with these entries of A, and the rest in numbers of fewer digits."""
    return replace(
        problem,
        A=BlockMatrix(problem.A.indptr, problem.A.indices, A_data),
        jacobian_blocks=round_to(problem.jacobian_blocks, BLOCK_QUANTUM),
        gap=round_to(problem.gap, 2.0**-40),
        free_velocity=round_to(problem.free_velocity, 2.0**-30),
    )


def to_single(x: Floats) -> Floats:
    """To the precision of 32 bits."""
    return x.astype(np.float32).astype(np.float64)
