"""Steps that were certified and absurd: tight places, rotation, rolling, energy, squeezes, inputs; one number each.

    python benchmarks/absurd_steps.py                                  this version
    git worktree add /tmp/before REVISION
    python benchmarks/absurd_steps.py /tmp/before/src src              two versions, side by side, as a markdown table
    python benchmarks/absurd_steps.py --only 12: /tmp/before/src src   only the cases in whose names this stands

Each case runs in a process of its own, for at most LIMIT seconds of CPU time. Cases with the number of a finding in their names
are those of `absurd_cases/`.
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import resource
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
from absurd_cases import files, inputs

import signorini as sg

# The scenes of this version, also for an earlier one, which does not have them.
_FILE = Path(__file__).resolve().parents[1] / "src/signorini/studies/absurd_scenes.py"
_SPEC = importlib.util.spec_from_file_location("absurd_scenes", _FILE)
assert _SPEC is not None and _SPEC.loader is not None
scenes = importlib.util.module_from_spec(_SPEC)
_SPEC.loader.exec_module(scenes)

LIMIT = 150
"""CPU time of a case [s]."""


def slot(room: float) -> str:
    sim = sg.Simulation(scenes.slot(room), dt=0.01)
    reports = [sim.step() for _ in range(80)]
    return f"{reports[-1].kinetic_energy / 5e4:.4g}"


def near_start() -> str:
    scene = sg.Scene(gravity=(0, 0, 0))
    for k in range(2):
        scene.add_rigid(sg.shapes.box(1, 1, 1), density=1000, position=(0, 0, 0.5 + 1.001 * k))
    sim = sg.Simulation(scene)
    return f"{[sim.step() for _ in range(50)][-1].max_speed:.2g} m/s"


def rod() -> str:
    sim = sg.Simulation(scenes.rod_and_plate(100.0), dt=0.012)
    report = sim.step()
    axis = sim.bodies["rod"].positions.max(axis=0)
    passed = sim.bodies["rod"].angular_velocity[2] > 90.0
    return f"{'passed' if passed else 'stopped'}, {report.contact_count} contacts, tip at {axis[1]:.3f} m"


def roll(radius: float) -> str:
    scene = sg.Scene(friction=0.8)
    scene.add_ground()
    scene.add_rigid(
        sg.shapes.sphere(radius, subdivisions=3), density=1000, position=(0, 0, 1.02 * radius), velocity=(1, 0, 0),
        angular_velocity=(0, 1 / radius, 0), name="ball",
    )  # fmt: skip
    sim = sg.Simulation(scene, dt=4e-3)
    for _ in range(125):
        sim.step()
    return f"{100 * (sim.bodies['ball'].velocity[0] - 1):+.2f} %"


def growth(scene: sg.Scene, dt: float, steps: int) -> str:
    sim = sg.Simulation(scene, dt=dt)
    start = next(sim.run(seconds=dt)).report
    reports = [sim.step() for _ in range(steps)]
    energy = np.array([start.total_energy, *(r.total_energy for r in reports)])
    scale = start.kinetic_energy + np.ptp([start.potential_energy, *(r.potential_energy for r in reports)])
    return f"{100 * (energy - np.minimum.accumulate(energy)).max() / scale:.2g} %"


def ten_sheets() -> str:
    scene = sg.Scene(friction=0.3)
    scene.add_ground()
    for k in range(10):
        scene.add_cloth(sg.shapes.grid(0.4, 0.4, cells=10), position=(0, 0, 0.1 + 0.03 * k), rotation=(0, 0, 0.2 * k))
    return growth(scene, 0.02, 30)


def momentum() -> str:
    sim = sg.Simulation(scenes.ball_on_a_stiff_cube(), dt=4e-3)
    start = scenes.momentum(sim)[0]
    for _ in range(3):
        sim.step()
    return f"{100 * (scenes.momentum(sim)[0] / start - 1):+.2g} %"


def pinned() -> str:
    sim = sg.Simulation(scenes.pinned_near_the_ground())
    reports = [sim.step() for _ in range(25)]
    return f"{sum(r.solves_converged for r in reports)} of {sum(r.solves for r in reports)}"


def squeeze(friction: float) -> str:
    scene = scenes.squeezed_sheets(friction, cells=6)
    sim, slowest, speed, unsolved = sg.Simulation(scene, dt=4e-3), 0.0, 0.0, 0
    start = time.perf_counter()
    while sim.time < 0.44 and time.perf_counter() - start < LIMIT - 50:
        begin = time.process_time()
        report = sim.step()
        slowest = max(slowest, time.process_time() - begin)
        speed, unsolved = max(speed, report.max_speed), unsolved + report.solves - report.solves_converged
    return f"{slowest:.1f} s, {speed:.1f} m/s, {unsolved} unsolved, until {sim.time:.3f} s"


def wedge() -> str:
    sim, fastest = sg.Simulation(scenes.wedge_on_a_cube(0.17), dt=0.02), 0.0
    try:
        for _ in range(15):
            fastest = max(fastest, sim.step().max_speed)
    except sg.SimulationStoppedError:
        return f"{fastest:.3g} m/s, pinched after {sim.time:.2f} s"
    return f"{fastest:.3g} m/s"


def kick() -> str:
    sim, slowest = sg.Simulation(scenes.kicking_dancer(), dt=10e-3), 0.0
    for step in range(33):
        start = time.process_time()
        try:
            sim.step()
        except sg.SimulationStoppedError:
            return f"{slowest:.1f} s, stopped at {sim.time:.2f} s"
        slowest = max(slowest, time.process_time() - start) if step else 0.0
    return f"{slowest:.1f} s"


def tower() -> str:
    scene = sg.Scene(friction=0.5)
    scene.add_ground()
    for k in range(20):
        scene.add_rigid(sg.shapes.box(0.1, 0.1, 0.1), density=500, position=(0, 0, 0.051 + 0.101 * k))
    sim = sg.Simulation(scene, dt=4e-3)
    reports = [sim.step() for _ in range(250)]
    return f"{1e3 * max(r.max_speed for r in reports[-50:]):.2g} mm/s"


def cards(storeys: int) -> str:
    scene = scenes.leaning_cards(storeys)
    sim, heights = sg.Simulation(scene, dt=4e-3), []
    for _ in range(500):
        sim.step()
        heights.append(max(float(body.positions[:, 2].max()) for body in sim.bodies.values()))
    return f"{1e3 * (1.0 - heights[499] / heights[249]):.2g} ‰"


CASES = {
    "cube between plates, room 15 mm: energy after 0.8 s over that of the start": lambda: slot(0.015),
    "the same, room 1 mm": lambda: slot(0.001),
    "two boxes that start 1 mm apart, no gravity: speed": near_start,
    "rod of 100 rad/s and a plate, dt = 12 ms": rod,
    "ball of 5 cm rolling for 0.5 s: change of speed": lambda: roll(0.05),
    "ball of 1 cm": lambda: roll(0.01),
    "ball of 20 m/s in a sheet, dt = 4 ms: growth of energy": lambda: growth(scenes.ball_in_a_sheet(), 0.004, 25),
    "the same, dt = 33 ms": lambda: growth(scenes.ball_in_a_sheet(), 0.033, 8),
    "cloth on a box, dt = 100 ms": lambda: growth(scenes.cloth_on_a_box(), 0.1, 12),
    "ten sheets, dt = 20 ms": ten_sheets,
    "spinning needle, dt = 10 ms": lambda: growth(scenes.needle(), 0.01, 30),
    "ball against a stiff soft cube: change of momentum": momentum,
    "pinned nodes near a plane: solves converged": pinned,
    "three sheets between closing plates: slowest step, fastest vertex": lambda: squeeze(0.3),
    "the same without friction": lambda: squeeze(0.0),
    "8: skirt of 864 vertices on a dancer who kicks: slowest step until 0.33 s": kick,
    "wedge of 0.17 m/s on a cube, dt = 20 ms: fastest node": wedge,
    "tower of 20 boxes after 1 s: fastest node": tower,
    "an A-frame of two cards: sinks between 1 and 2 s by": lambda: cards(1),
    "a house of cards of three storeys: sinks between 1 and 2 s by": lambda: cards(3),
    **inputs.CASES,
    **files.CASES,
}


def run_case(source: str, name: str) -> str:
    """The result of a case with the package of a folder."""
    environment = {**os.environ, "PYTHONPATH": source, "OMP_NUM_THREADS": "1"}
    call = [sys.executable, __file__, "--case", name]
    limit = (LIMIT, LIMIT + 5)
    done = subprocess.run(
        call, env=environment, capture_output=True, text=True, check=False,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, limit),
    )  # fmt: skip
    if done.returncode == -signal.SIGXCPU:
        return f"> {LIMIT} CPU s"
    lines = (done.stdout.strip() or done.stderr.strip() or "nothing").splitlines()
    return lines[-1]


def main() -> None:
    if sys.argv[1:2] == ["--case"]:
        print(CASES[sys.argv[2]]())
        return
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("versions", nargs="*", default=["src"], help="folders that have the package")
    parser.add_argument("--only", default="", help="only cases whose names contain this")
    given = parser.parse_args()
    print(f"| | {' | '.join(given.versions)} |\n|---|{'---|' * len(given.versions)}", flush=True)
    for name in CASES:
        if given.only in name:
            cells = [run_case(str(Path(version).resolve()), name) for version in given.versions]
            print(f"| {name} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
