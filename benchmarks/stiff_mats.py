"""CPU time of steps with stiff mats, with and without the coarse space of rigid motions (decision 0022).

Usage: python benchmarks/stiff_mats.py [--steps 20] [--only NAME]

Each pair of simulations is stepped in turns, so that whatever else the machine does slows down both. Steps are counted from
the first one with contacts. The last columns compare the accuracy: the largest residuals [m/s] that the steps report, and how
far apart the two mats are at the end [m].
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable

import numpy as np

import signorini as sg
from signorini.dynamics import assembly
from signorini.linalg.block_matrix import BlockMatrix

STIFF = sg.SolidMaterial(young=1e8, poisson=0.3, density=1000.0)
DT = 1e-2


def mat(scene: sg.Scene, thickness: float, height: float, material: sg.SolidMaterial = STIFF) -> None:
    """A mat of 1 m x 1 m with 6,050 nodes."""
    mesh = sg.shapes.box_tets(1.0, 1.0, thickness, cells=(54, 54, 1))
    scene.add_soft_solid(mesh, material=material, position=(0.0, 0.0, height), name="mat")


def ball(scene: sg.Scene, height: float) -> None:
    """A heavy ball of 20 cm."""
    scene.add_rigid(sg.shapes.sphere(0.1), density=1000.0, position=(0.0, 0.0, height), name="ball")


def bridge() -> sg.Scene:
    """A mat of 5 mm on two beams; a ball falls onto it."""
    scene = sg.Scene(friction=0.4)
    mat(scene, 0.005, 0.23)
    for x in (-0.4, 0.4):
        scene.add_kinematic(sg.shapes.box(0.05, 1.2, 0.2), position=(x, 0.0, 0.1))
    ball(scene, 0.4)
    return scene


def ground() -> sg.Scene:
    """A mat of 20 mm on the ground; a ball falls onto it."""
    scene = sg.Scene(friction=0.4)
    mat(scene, 0.02, 0.05)
    ball(scene, 0.2)
    scene.add_ground()
    return scene


def sphere() -> sg.Scene:
    """A mat of 5 mm on a sphere."""
    scene = sg.Scene(friction=0.4)
    mat(scene, 0.005, 0.23)
    scene.add_kinematic(sg.shapes.sphere(0.2))
    return scene


def rubber() -> sg.Scene:
    """A mat of 20 mm of locking-free elements (ν = 0.47) on the ground; a ball falls onto it."""
    scene = sg.Scene(friction=0.4)
    mat(scene, 0.02, 0.03, sg.SolidMaterial(young=1e8, poisson=0.47, density=1000.0))
    ball(scene, 0.16)
    scene.add_ground()
    return scene


def pile() -> sg.Scene:
    """Three mats of 20 mm and 2,178 nodes each, turned against one another, fall onto the ground."""
    scene = sg.Scene(friction=0.4)
    for k in range(3):
        scene.add_soft_solid(
            sg.shapes.box_tets(1.0, 1.0, 0.02, cells=(32, 32, 1)), material=STIFF, position=(0, 0, 0.02 + 0.025 * k),
            rotation=(0, 0, 0.3 * k), name="mat" if k == 0 else f"mat-{k}",
        )  # fmt: skip
    scene.add_ground()
    return scene


SCENES: dict[str, Callable[[], sg.Scene]] = {scene.__name__: scene for scene in (bridge, ground, sphere, rubber, pile)}


def without_points(indptr: np.ndarray, indices: np.ndarray, data: np.ndarray, _: np.ndarray) -> BlockMatrix:
    """A matrix that does not know where its nodes are, and has no coarse space therefore."""
    return BlockMatrix(indptr, indices, data)


def compare(name: str, steps: int) -> None:
    """Step both in turns and print one row."""
    sims = [sg.Simulation(SCENES[name](), dt=DT, threads=1) for _ in range(2)]
    kinds = (without_points, BlockMatrix)
    spent, worst, unsolved, free = np.zeros(2), np.zeros(2), [0, 0], np.zeros(2)
    counted = started = 0
    while counted < steps:
        contacts = 0
        for which, (sim, kind) in enumerate(zip(sims, kinds, strict=True)):
            assembly.BlockMatrix = kind  # type: ignore[misc, assignment]
            begin = time.process_time()
            report = sim.step()
            cost = time.process_time() - begin
            contacts = report.contact_count
            worst[which] = max(worst[which], report.penetration_residual, report.complementarity_residual)
            unsolved[which] += report.solves - report.solves_converged
            if counted or contacts:
                spent[which] += cost if counted else 0.0  # the first step with contacts may compile
            elif started > 1:
                free[which] += cost
        counted += bool(contacts) or counted > 0
        started += 1
    free /= max(started - counted - 2, 1)
    spent /= max(steps - 1, 1)
    apart = np.abs(sims[0].bodies["mat"].positions - sims[1].bodies["mat"].positions).max()
    print(
        f"{name:8s} free {free[0]:.3f} -> {free[1]:.3f} s   "
        f"contact {spent[0]:.2f} -> {spent[1]:.2f} s ({spent[0] / spent[1]:.1f} x)"
        f"   residual {worst[0]:.1e} -> {worst[1]:.1e}   unsolved {unsolved[0]} -> {unsolved[1]}   apart {apart:.1e} m",
        flush=True,
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--steps", type=int, default=20, help="steps from the first contact on")
    parser.add_argument("--only", choices=SCENES, help="one scene")
    options = parser.parse_args()
    for name in [options.only] if options.only else SCENES:
        compare(name, options.steps)


if __name__ == "__main__":
    main()
