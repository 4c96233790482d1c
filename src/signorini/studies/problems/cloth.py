"""Contact problems of running mass-spring cloth: gallery scenes with a chosen dt²k/m, stopped while the cloth folds."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from signorini import gallery
from signorini.methods.moment import Moment, World
from signorini.model.build import build_model
from signorini.scene.cloth import Cloth
from signorini.studies.problems.rows import Case, round_to
from signorini.studies.problems.scenes import MASS_FRACTION, compact, make_of_model, run_until, start_scene

DT = 4e-3
"""Time step of the runs [s]."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ClothRun:
    """A moment of a run of a gallery scene with cloth."""

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
    """The contact problem and its warm start at the chosen time of a run with the default solver."""
    world, moment = _start(run)
    solved, warm = run_until(world, moment, dt=DT, seconds=run.seconds, least=run.resolution)
    quantum = MASS_FRACTION * 2.0 ** np.floor(np.log2(world.model.mass.min()))
    return Case(compact(solved.problem, round_to(solved.problem.A.data, quantum)), warm)


def _start(run: ClothRun) -> tuple[World, Moment]:
    """The scene at its start, with the material scaled so that dt²k/m is what was asked for."""
    scene = gallery.find(run.scene).build(friction=run.friction, resolution=run.resolution)
    make_of_model(scene, "mass-spring")
    mean_mass = float(np.mean(build_model(scene)[0].mass))
    for body in scene.bodies.values():
        if isinstance(body, Cloth):
            factor = run.stiffness_ratio * mean_mass / DT**2 / body.material.membrane_stiffness
            material = body.material.scaled(factor)
            if not run.scale_bending:
                bending = {name: getattr(body.material, name) for name in ("bending_rigidity", "bending_hysteresis")}
                material = replace(material, **bending)
            body.material = material
    return start_scene(scene)
