"""Inputs that were once taken as they came, and words about runs: scripts, nested bodies, scene files, comparisons, advice."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
from absurd_cases.judgement import MEMORY, command, counted, judged

import signorini as sg


class Bare:
    """A motion of the user's own."""

    def __init__(self, function: Callable[[np.ndarray, float], np.ndarray]) -> None:
        self.function = function

    def positions(self, rest: np.ndarray, time: float) -> np.ndarray:
        return self.function(rest, time)


def scripts() -> str:
    """Obstacles that turn NaN, infinite or too few, that leap, and that turn with a rate of 1e300, under a sheet."""

    def later(then: Callable[[np.ndarray], np.ndarray]) -> Bare:
        return Bare(lambda rest, time: then(rest) if time >= 0.01 else rest)

    motions = {
        "NaN": lambda: later(lambda x: x * np.nan),
        "infinite": lambda: later(lambda x: x + np.inf),
        "too few": lambda: later(lambda x: x[:-1]),
        "leap of 1e6 m": lambda: later(lambda x: x + 1e6),
        "rate 1e300": lambda: sg.motions.Rotate(rate=1e300),
    }

    def run(name: str) -> None:
        scene = sg.Scene()
        scene.add_cloth(sg.shapes.grid(0.4, 0.4, cells=3), position=(0, 0, 0.3))
        scene.add_kinematic(sg.shapes.box(0.5, 0.5, 0.1), motion=motions[name](), name="table")
        sim = sg.Simulation(scene, dt=4e-3)
        for _ in range(10):
            sim.step()

    return counted([judged(lambda name=name: run(name)) for name in motions])


def inside() -> str:
    """A small box, a sheet and a rod in a closed scripted box, and a small box in a rigid one."""
    case, small = sg.shapes.box(1, 1, 1, cells=2), sg.shapes.box(0.2, 0.2, 0.2)
    inner = {
        "rigid": lambda scene: scene.add_rigid(small, density=100.0),
        "cloth": lambda scene: scene.add_cloth(sg.shapes.grid(0.2, 0.2, cells=2)),
        "rod": lambda scene: scene.add_rod([(-0.1, 0, 0), (0, 0, 0), (0.1, 0, 0)]),
        "rigid in rigid": lambda scene: scene.add_rigid(small, density=100.0),
    }

    def run(name: str) -> None:
        scene = sg.Scene()
        if name == "rigid in rigid":
            scene.add_rigid(case, density=100.0)
        else:
            scene.add_kinematic(case)
        inner[name](scene)
        sg.Simulation(scene).step()

    return counted([judged(lambda name=name: run(name)) for name in inner])


def too_large() -> str:
    """box_tets with 200 cells along each side, in 3 GB: 48 million tetrahedra."""
    text = '[[soft_solid]]\ntets = { shape = "box_tets", width = 1, depth = 1, height = 1, cells = 200 }\n'
    return _scene_files([text], memory=MEMORY)


def scene_files() -> str:
    """Twelve scene files that are wrong."""
    box = '[[kinematic]]\nmesh = { shape = "box", width = 1, depth = 1, height = 1 }\n'
    sheet = '[[cloth]]\nmesh = { shape = "grid", width = 1, depth = 1, cells = 4 }\nposition = [0, 0, 1]\n'
    return _scene_files(
        [
            '[[cloth]]\nmesh = { shape = ["grid"], width = 1, depth = 1 }\n',
            sheet + "pins = [{ vertices = [99999999999999999999999] }]\n",
            sheet + "material = " + "[" * 3000 + "]" * 3000 + "\n",
            '[[rigid]]\ndensity = 100\nmesh = { shape = "text", text = "A", font = 3 }\n',
            "[scene]\ngravity = [0, 0, 1e300]\n" + sheet,
            sheet.replace("width = 1", "width = 1e-60"),
            sheet.replace("width = 1", "width = 1e300"),
            sheet.replace("cells = 4", "cells = 7000"),
            sheet + box + 'motion = { type = "rotate", rate = 1e300 }\n',
            "[simulation]\nfps = 1e300\n" + sheet,
            "[simulation]\ndt = 1e-300\n" + sheet,
            sheet.replace("[0, 0, 1]", "[0, 0, 1e80]"),
        ],
        memory=MEMORY,
    )  # fmt: skip


def _scene_files(texts: list[str], memory: int | None = None) -> str:
    found = []
    with tempfile.TemporaryDirectory() as folder:
        for number, text in enumerate(texts):
            file = Path(folder) / f"scene{number}.toml"
            file.write_text(text)
            out = str(Path(folder) / f"out{number}")
            found.append(command("run", str(file), "--seconds", "0.05", "-o", out, "-q", memory=memory))
    return counted(found)


def shared_gravity() -> str:
    """What a running simulation makes of a change of scene.gravity."""
    scene = sg.Scene()
    scene.add_cloth(sg.shapes.grid(1, 1, cells=2), position=(0, 0, 5), name="sheet")
    sim = sg.Simulation(scene, dt=0.01)
    try:
        scene.gravity[2] = +50.0
    except (ValueError, TypeError):
        return "cannot be written"
    sim.step()
    return "followed" if sim.bodies["sheet"].velocities[:, 2].max() > 0 else "ignored"


def long_message() -> str:
    """Characters of the message about a name of 100,000 characters."""
    try:
        sg.Scene().add_cloth(sg.shapes.grid(1, 1, cells=2), material="x" * 100_000)
    except Exception as error:
        return str(len(str(error)))
    return "none"


def refused_method() -> str:
    """The column of a method that refuses its scene, in the printed table of a comparison."""
    with tempfile.TemporaryDirectory() as folder:
        call = ["compare", "ball-on-cloth", "--methods", "cmr,hong", "--seconds", "0.02", "-o", str(Path(folder) / "c")]
        done = subprocess.run(
            [sys.executable, "-m", "signorini", *call], capture_output=True, text=True, check=False,
            env={**os.environ, "COLUMNS": "400"},
        )  # fmt: skip
    cells = {line[:28].strip(): line.split()[-1] for line in done.stdout.splitlines() if re.match(r"^ \S.* \S", line)}
    shown = [f"{name} {cells[name]}" for name in ("outcome", "frames", "failed") if name in cells]
    return f"{', '.join(shown)}; energy {'in the table' if 'energy at the end' in cells else 'not in the table'}"


def solver_bench() -> str:
    """`signorini bench solvers` where no checkout is near."""
    with tempfile.TemporaryDirectory() as folder:
        return command("bench", "solvers", "--quick", cwd=folder)


def pinched_sheets() -> str:
    """Three sheets with 5 mm of room between scripted boards that close: CPU time, and how far it came."""
    scene, room = sg.Scene(friction=0.3), 0.005
    for k in range(3):
        scene.add_cloth(sg.shapes.grid(0.5, 0.5, cells=20), position=(0, 0, 0.03 * (k + 1)))
    board = sg.shapes.box(0.3, 0.3, 0.05)
    scene.add_kinematic(board, position=(0, 0, -0.025))
    way, closed = 0.12 - room, 0.3
    down = sg.motions.Translate(velocity=(0, 0, -way / closed), stop=closed)
    scene.add_kinematic(board, position=(0, 0, 0.12 + 0.025), motion=down)
    sim, begin, unsolved = sg.Simulation(scene, dt=4e-3), time.process_time(), 0
    while sim.time < 0.4 and time.process_time() - begin < 60.0:
        report = sim.step()
        unsolved += report.solves - report.solves_converged
    return f"{time.process_time() - begin:.0f} CPU s, until {sim.time:.3f} s, {unsolved} unsolved"


def advice() -> str:
    """The dt that the summary of a run advises whose steps are all divided."""
    scene = sg.Scene(gravity=(0, 0, 0))
    cube = sg.shapes.box_tets(0.1, 0.1, 0.1, cells=2)
    scene.add_soft_solid(cube, young=1e6, density=1000, angular_velocity=(0, 0, 150))
    with tempfile.TemporaryDirectory() as folder:
        summary = sg.run(scene, Path(folder) / "run", dt=0.01, seconds=0.05, fps=20)
    advised = summary.get("advised_dt") if isinstance(summary, dict) else None
    return "none" if advised is None else f"{1e3 * advised:.3g} ms"


CASES = {
    "9: five obstacles that turn NaN or leap": scripts,
    "10: four bodies that start inside closed ones": inside,
    "12: 48 million tetrahedra in 3 GB": too_large,
    "12: twelve wrong scene files": scene_files,
    "12: scene.gravity changed while a simulation runs": shared_gravity,
    "12: characters of a message about a name of 100,000": long_message,
    "13: the row of a method that refuses": refused_method,
    "13: `bench solvers` away from the sources": solver_bench,
    "13: three sheets pinched with 5 mm of room": pinched_sheets,
    "14: dt advised when all steps are divided": advice,
}
