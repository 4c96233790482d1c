"""Files and processes of runs: damaged directories, two writers, odd places, saved problems that are no problems."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from absurd_cases.judgement import command, counted, judged

import signorini as sg

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tests"))
from support.damage import damages

EVERY = 23
"""Every so many of the damages of a run directory are tried: all would take an hour."""


def small_run(out: Path, seconds: float = 0.12) -> None:
    """A run of a sheet that falls on a box that turns."""
    scene = sg.Scene(name="small")
    box = sg.shapes.box(0.1, 0.1, 0.1)
    scene.add_kinematic(box, name="block", position=(0, 0, 0.2), motion=sg.motions.Rotate(rate=1.0))
    scene.add_cloth(sg.shapes.grid(0.4, 0.4, cells=2), name="sheet", position=(0, 0, 0.5))
    scene.add_ground(name="floor")
    sg.run(scene, out, dt=0.01, seconds=seconds, fps=30)


def damaged_runs() -> str:
    """Damages of a run directory, each then resumed and exported."""
    from signorini.files.exports.export import export
    from signorini.files.runs.runner import resume_directory

    with tempfile.TemporaryDirectory() as folder:
        whole, copy = Path(folder) / "whole", Path(folder) / "copy"
        small_run(whole)
        found = []
        for _, damage in list(damages(whole))[::EVERY]:
            for use in (lambda: resume_directory(copy, seconds=0.15), lambda: export(copy, Path(folder) / "x.obj")):
                shutil.rmtree(copy, ignore_errors=True)
                shutil.copytree(whole, copy)
                damage(copy)
                found.append(judged(use))
    return counted(found)


def missing_chunk() -> str:
    """The positions of a frame whose chunk is missing."""
    from signorini.files.runs.trajectory import Trajectory

    with tempfile.TemporaryDirectory() as folder:
        small_run(Path(folder) / "run")
        for file in (Path(folder) / "run/trajectory.zarr/bodies/sheet/positions").rglob("*"):
            if file.is_file() and re.search(r"\b2[./]0[./]0$", str(file)):
                file.unlink()
        read: list[np.ndarray] = []
        what = judged(lambda: read.append(Trajectory.open(Path(folder) / "run").positions("sheet", 2)))
        return what if not read else ("zeros" if not read[0].any() else "read")


def two_writers() -> str:
    """Two processes that resume one run at the same time: rows of steps.csv for 400 steps, or who was refused."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "run"
        small_run(out, seconds=0.05)
        call = [sys.executable, "-m", "signorini", "resume", str(out), "--seconds", "4.0", "-q"]
        writers = [subprocess.Popen(call, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) for _ in range(2)]
        codes = [writer.wait() for writer in writers]
        rows = len((out / "steps.csv").read_text().splitlines()) - 1
        return f"{rows} rows, exit codes {sorted(codes)}"


def forced() -> str:
    """`run --force` over a run that is running: how both end."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "run"
        call = [sys.executable, "-m", "signorini", "run", "ball-on-cloth", "--seconds", "0.6", "-q", "-o", str(out)]
        first = subprocess.Popen(call, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        while not (out / "steps.csv").exists() or len((out / "steps.csv").read_text().splitlines()) < 6:
            time.sleep(0.05)
            if first.poll() is not None:
                return "the first run was too short"
        second = subprocess.run([*call, "--force"], capture_output=True, text=True, check=False)
        _, said = first.communicate()
        ends = [
            "ends well" if code == 0 else "ends in a traceback" if "Traceback" in words else "is refused"
            for code, words in ((first.returncode, said), (second.returncode, second.stderr))
        ]
        rows = len((out / "steps.csv").read_text().splitlines()) - 1 if (out / "steps.csv").exists() else "no"
        return f"first {ends[0]}, second {ends[1]}, {rows} rows"


def places() -> str:
    """An output directory that is a symbolic link, or `.`."""
    found = []
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        Path("real").mkdir()
        Path("link").symlink_to("real")
        found.append(judged(lambda: small_run(Path("link"))))
        Path("here").mkdir()
        os.chdir("here")
        found.append(judged(lambda: small_run(Path())))
        os.chdir("/")
    return counted(found)


def inconsistent_problem() -> str:
    """A saved contact problem with a node number that does not exist, loaded and solved."""
    code = """
import numpy as np, signorini as sg, sys, tempfile
from signorini.contact.mlcp import Mlcp
from signorini.settings import SolverSettings
from signorini.solvers import solve
scene = sg.Scene(); scene.add_ground(); scene.add_cloth(sg.shapes.grid(1, 1, cells=8), position=(0, 0, 1e-3))
sim = sg.Simulation(scene); [sim.step() for _ in range(3)]
file = tempfile.mktemp(suffix=".npz"); sim.contact_problem().save(file)
arrays = dict(np.load(file)); name = [n for n in arrays if "nodes" in n or "columns" in n][0]
arrays[name] = arrays[name] + 10**8
np.savez(file, **arrays)
try:
    solve(Mlcp.load(file), SolverSettings(), None)
except sg.InputError:
    sys.exit(2)
"""
    return command(stdin=code)


CASES = {
    "12: damaged run directories, resumed and exported": damaged_runs,
    "12: the frame of a missing chunk of positions": missing_chunk,
    "12: two processes resume one run of 400 steps": two_writers,
    "12: `run --force` over a running run": forced,
    "12: output to a symbolic link and to `.`": places,
    "12: a saved contact problem with wrong node numbers, solved": inconsistent_problem,
}
