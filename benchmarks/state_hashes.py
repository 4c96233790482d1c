"""Hashes of the states that short scenes end in: whether a change of the code left the physics as it was, bit for bit.

    python benchmarks/state_hashes.py --write before.json     # with the code as it is
    python benchmarks/state_hashes.py --check before.json     # after the change

All kinds of bodies, all methods, all solvers and all fail-safes are among the scenes. Bits depend on the processor and on the
versions of NumPy and Numba, so both runs belong on one machine. `--check` prints the largest relative difference of positions
and velocities after one step and at the end where the bits differ.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np

import signorini as sg
from signorini import gallery

Case = tuple[Callable[[], sg.Scene], float, int, sg.Settings]


def _cloth_over_ball() -> sg.Scene:
    scene = sg.Scene(friction=0.3)
    scene.add_cloth(sg.shapes.grid(1.0, 1.0, cells=14), area_density=0.2, position=(0, 0, 0.3), name="sheet")
    scene.add_kinematic(sg.shapes.sphere(0.25, edge=0.1), position=(0, 0, 0.03), motion=sg.motions.Rotate(rate=1.0))
    scene.add_ground(height=-0.3)
    return scene


def _pile() -> sg.Scene:
    """Cloth, both materials of solids, an embedded surface, rigid bodies, pins and both kinds of attachments."""
    scene = sg.Scene(friction=0.4, air_drag=0.1)
    soft = sg.SolidMaterial(young=5e4, poisson=0.4, density=400.0, model="neo-hookean", stiffness_damping=1e-3)
    scene.add_soft_solid(sg.shapes.box_tets(0.2, 0.2, 0.2, cells=3), position=(0, 0, 0.105), name="cube")
    ball = sg.shapes.sphere(0.12, edge=0.06)
    scene.add_soft_solid(
        sg.shapes.lattice(ball, cell=0.09),
        surface=ball,
        material=soft,
        position=(0.02, 0, 0.335),
        angular_velocity=(0, 3, 5),
    )
    scene.add_rigid(sg.shapes.box(0.1, 0.12, 0.14), density=300, position=(0.3, 0, 0.08), angular_velocity=(1, 2, 3))
    scene.add_rigid(sg.shapes.box(0.1, 0.1, 0.1), mass=0.5, position=(0.3, 0.02, 0.22), name="top")
    sheet = scene.add_cloth(sg.shapes.grid(0.6, 0.6, cells=10), area_density=0.3, position=(0.1, 0, 0.47), name="sheet")
    sheet.pin([0], motion=sg.motions.Translate(velocity=(0, 0, 0.2)), release_time=0.05)
    scene.add_kinematic(sg.shapes.box(0.02, 0.6, 0.02), position=(0.5, 0, 0.47), name="rail")
    scene.attach("sheet", [120], to="rail")
    scene.add_cloth(sg.shapes.grid(0.1, 0.3, cells=(2, 6)), area_density=0.3, position=(0.3, 0.2, 0.28), name="tail")
    scene.attach("tail", [0], to="top")
    scene.add_ground()
    return scene


def _boxes() -> sg.Scene:
    scene = sg.Scene(friction=0.5)
    for k in range(3):
        scene.add_rigid(sg.shapes.box(0.2, 0.2, 0.2), density=500, position=(0.02 * k, 0, 0.11 + 0.21 * k))
    scene.add_soft_solid(sg.shapes.box_tets(0.2, 0.2, 0.2, cells=2), position=(0.5, 0, 0.11))
    scene.add_ground()
    return scene


def _fast_cloth() -> sg.Scene:
    """So fast that one refinement is not enough: fail-safes have to act."""
    scene = sg.Scene(friction=0.3)
    grid = sg.shapes.grid(0.6, 0.6, cells=8)
    scene.add_cloth(grid, area_density=0.2, position=(0, 0, 0.4), velocity=(0, 0, -20), name="sheet")
    scene.add_kinematic(sg.shapes.sphere(0.15, edge=0.08), position=(0.02, 0.01, 0.1))
    scene.add_rigid(sg.shapes.box(0.1, 0.1, 0.1), density=300, position=(0.25, 0.2, 0.1))
    scene.add_ground(height=-0.1)
    return scene


def _soft_pair() -> sg.Scene:
    """Two soft solids of different materials, one of them pinned: what Hong2004 can simulate."""
    scene = sg.Scene(friction=0.0)
    for k, model in enumerate(("neo-hookean", "corotational")):
        material = sg.SolidMaterial(young=2e4, poisson=0.35, density=500.0, model=model, stiffness_damping=2e-4)  # pyright: ignore[reportArgumentType]
        solid = scene.add_soft_solid(
            sg.shapes.box_tets(0.2, 0.2, 0.1, cells=(3, 3, 2)),
            material=material,
            position=(0.03 * k, 0, 0.06 + 0.12 * k),
        )
        if k == 0:
            solid.pin([0, 1, 2])
    scene.add_ground()
    return scene


def _gallery(name: str, **options: object) -> Callable[[], sg.Scene]:
    return lambda: gallery.find(name).build(**options)


def _solver(name: str, **options: object) -> sg.Settings:
    return sg.Settings(solver=sg.SolverSettings(name=name, **options))  # pyright: ignore[reportArgumentType]


CASES: dict[str, Case] = {
    "cloth-over-ball": (_cloth_over_ball, 4e-3, 60, sg.Settings()),
    "cloth-two-linearisations": (_cloth_over_ball, 8e-3, 20, sg.Settings(newton_iterations=2)),
    "pile": (_pile, 5e-3, 30, sg.Settings()),
    "boxes-augmented-lagrangian": (_boxes, 5e-3, 20, sg.Settings()),
    "boxes-ica": (_boxes, 5e-3, 20, _solver("ica")),
    "boxes-ica-pyramid-paper": (_boxes, 5e-3, 20, _solver("ica", friction_cone="pyramid", stop="paper")),
    "boxes-full-anticipation": (_boxes, 5e-3, 12, _solver("full-anticipation")),
    "boxes-rigid-refinement": (_boxes, 5e-3, 20, _solver("rigid-refinement")),
    "boxes-standard-contact": (_boxes, 5e-3, 12, _solver("standard-contact")),
    "falling-cloth": (_gallery("falling-cloth", resolution=24), 4e-3, 60, sg.Settings()),
    "curtain-ica": (_gallery("curtain", resolution=16), 4e-3, 40, _solver("ica")),
    "soft-stack": (_gallery("soft-stack", resolution=3), 1e-2, 30, sg.Settings()),
    "mixed-pile": (_gallery("mixed-pile", resolution=11), 4e-3, 12, sg.Settings()),
    "dancer": (_gallery("dancer", resolution=7), 4e-3, 3, sg.Settings()),
    "volume": (_cloth_over_ball, 8e-3, 25, sg.Settings(method="volume")),
    "impulses": (_pile, 5e-3, 12, sg.Settings(method="impulses")),
    "impulses-backward-euler": (
        _cloth_over_ball,
        8e-3,
        25,
        sg.Settings(
            method="impulses", collision_loop=sg.CollisionLoopSettings(integrator="backward-euler", normals="impact")
        ),
    ),
    "two-cylinders-hong": (_gallery("two-cylinders"), 0.02, 6, sg.Settings(method="hong")),
    "soft-pair-hong": (_soft_pair, 0.01, 12, sg.Settings(method="hong")),
    "scale-back": (_fast_cloth, 1e-2, 6, sg.Settings(max_refinements=1, max_halvings=0)),
    "impact-zones": (_fast_cloth, 1e-2, 6, sg.Settings(failsafe="impact-zones", max_refinements=1, max_halvings=0)),
    "inelastic-projection": (
        _fast_cloth, 1e-2, 6, sg.Settings(failsafe="inelastic-projection", max_refinements=1, max_halvings=0)
    ),
}  # fmt: skip


def arrays(sim: sg.Simulation) -> dict[str, list[float]]:
    """Positions, velocities and orientations, as lists of numbers."""
    return {name: getattr(sim.state, name).ravel().tolist() for name in ("q", "v", "rotations")}


def run(case: Case) -> dict[str, object]:
    """What a case ends in: a hash of the states and of the work of all steps, and numbers of the first and the last state."""
    build, dt, steps, settings = case
    sim = sg.Simulation(build(), dt=dt, settings=settings)
    digest, first, stopped = hashlib.sha256(), {}, ""
    for k in range(steps):
        try:
            report = sim.step()
        except sg.SimulationStoppedError:
            stopped = f" (stopped in step {k})"
            break
        first = first or arrays(sim)
        for value in (sim.state.q, sim.state.v, sim.state.rotations):
            digest.update(value.tobytes())
        digest.update(np.array([report.contact_count, report.outer_iterations, report.failsafe_substeps]).tobytes())
    return {"hash": digest.hexdigest() + stopped, "first": first, "last": arrays(sim)}


def difference(a: dict[str, list[float]], b: dict[str, list[float]]) -> float:
    """The largest difference of two states relative to the largest number of each array."""
    worst = 0.0
    for name, values in a.items():
        if len(values) != len(b[name]):
            return np.inf
        if values:
            scale = max(np.abs(values).max(), 1e-300)
            worst = max(worst, float(np.abs(np.array(values) - b[name]).max() / scale))
    return worst


def main() -> int:
    """Write or check the hashes."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", type=Path, help="write hashes and states to this JSON file")
    parser.add_argument("--check", type=Path, help="compare with this JSON file; exit code 1 when bits differ")
    parser.add_argument("--only", help="only the cases whose name contains this")
    given = parser.parse_args()
    known = json.loads(given.check.read_text()) if given.check else {}
    results, wrong = {}, 0
    for name, case in CASES.items():
        if given.only and given.only not in name:
            continue
        result = results[name] = run(case)
        told = str(result["hash"])[:16] + str(result["hash"])[64:]
        if name in known and known[name]["hash"] != result["hash"]:
            wrong += 1
            first, last = (difference(known[name][key], result[key]) for key in ("first", "last"))  # type: ignore[index]
            told += f"  DIFFERS: {first:.1e} after one step, {last:.1e} at the end"
        elif given.check:
            told += "  equal" if name in known else "  not in the file"
        print(f"{name:28s} {told}", flush=True)
    if given.write:
        given.write.write_text(json.dumps(results))
    if given.check:
        print(f"{len(results) - wrong} of {len(results)} equal")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
