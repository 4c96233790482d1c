"""Time and memory of steps against the size of a scene; each size runs in a process of its own."""

from __future__ import annotations

import json
import math
import subprocess
import sys
from collections.abc import Iterator, Sequence
from typing import Any

from signorini.errors import InputError, SimulationStoppedError
from signorini.gallery import SCENES
from signorini.simulation.simulation import Simulation
from signorini.studies.performance.measure import Row, measured_steps, resident_megabytes

SIZES = {
    "falling-cloth": (50, 100, 200),
    "layers": (23, 50, 100, 142),
    "soft-stack": (5, 7, 10),
}
"""Resolutions of built-in scenes: vertices, or nodes, along an edge. The largest have about 100,000 vertices in layers, and
100,000 tetrahedra in a pile."""
STEPS, SKIPPED = 10, 0.35
"""Steps that are measured, and the simulated time before [s]: the bodies are in contact then."""
DT = 4e-3


def time_sizes(scenes: Sequence[str], *, quick: bool) -> Iterator[Row]:
    """A row for each size, with the exponents of time and memory from the size before."""
    for scene in scenes or list(SIZES):
        if scene not in SIZES:
            raise InputError(f"there are no sizes of {scene!r}; there are {', '.join(SIZES)}")
        before: Row | None = None
        for resolution in SIZES[scene][: 2 if quick else None]:
            row = _in_child(scene, resolution)
            for name, time in (("exponent", "wall_ms"), ("cpu_exponent", "cpu_ms")):
                row[name] = None if before is None else _exponent(before, row, time)
            yield row
            before = row


def measure_size(scene: str, resolution: int) -> Row:
    """Times and memory of one size, in this process."""
    empty = resident_megabytes()
    sim = Simulation(SCENES[scene].build(resolution=resolution), dt=DT)
    built = resident_megabytes() - empty
    while sim.time < SKIPPED:
        sim.step()
    row = {"scene": scene, "resolution": resolution, "dt_ms": 1e3 * DT, **measured_steps(sim, STEPS)}
    memory = resident_megabytes() - empty
    return {
        **row,
        "built_mb": built,
        "memory_mb": memory,
        "kb_per_node": 1e3 * memory / row["nodes"],
        "kb_per_contact": 1e3 * memory / max(1, row["contacts"]),
    }


def _exponent(a: Row, b: Row, name: str) -> float:
    """p in b = a · (nodes of b / nodes of a)^p."""
    return math.log(b[name] / a[name]) / math.log(b["nodes"] / a["nodes"])


def _in_child(scene: str, resolution: int) -> Row:
    code = (
        "import json; from signorini.studies.performance.scaling import measure_size; "
        f"print(json.dumps(measure_size({scene!r}, {resolution})))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    if done.returncode:
        raise SimulationStoppedError(f"{scene} of resolution {resolution} failed: {done.stderr.strip()[-300:]}")
    row: dict[str, Any] = json.loads(done.stdout.strip().splitlines()[-1])
    return row
