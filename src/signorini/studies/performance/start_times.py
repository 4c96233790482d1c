"""Times until something happens: import, help, and the first contact in a new process."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator

from signorini.errors import SimulationStoppedError
from signorini.studies.performance.measure import Row

FIRST_CONTACT = """
import signorini as sg
scene = sg.Scene()
scene.add_cloth(sg.shapes.grid(0.5, 0.5, cells=10), area_density=0.2, position=(0, 0, 0.02))
scene.add_ground()
sim = sg.Simulation(scene, dt=4e-3)
while not sim.step().active_count:
    assert sim.time < 1.0
print(sim.time, sim.intersections())
"""
STARTS = {
    "import signorini": ["-c", "import signorini"],
    "signorini --help": ["-m", "signorini", "--help"],
    "first contact": ["-c", FIRST_CONTACT],
}
RUNS = 3


def time_starts(*, fresh: bool) -> Iterator[Row]:
    """A row for each way to start; `fresh` adds the first contact with an empty cache of kernels, which takes a minute."""
    for name, arguments in STARTS.items():
        rows = [_run(arguments, dict(os.environ)) for _ in range(RUNS)]
        best = min(rows, key=lambda row: row["cpu_s"])
        yield {"start": name, "cache": "as it is", **best}
    if fresh:
        with tempfile.TemporaryDirectory() as directory:
            environment = {**os.environ, "NUMBA_CACHE_DIR": directory}
            yield {"start": "first contact", "cache": "empty", **_run(STARTS["first contact"], environment)}


def _run(arguments: list[str], environment: dict[str, str]) -> Row:
    """Wall and CPU time of a new Python process [s], and what it printed last."""
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    done = subprocess.run([sys.executable, *arguments], env=environment, capture_output=True, text=True, check=False)
    wall, after = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode:
        raise SimulationStoppedError(f"a measured process failed: {done.stderr.strip()[-300:]}")
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return {"wall_s": wall, "cpu_s": cpu, "printed": (done.stdout.strip().splitlines() or [""])[-1][:60]}
