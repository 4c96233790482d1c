"""CPU time a step of two versions of the package, measured in turns: whether a change made scenes slower.

    git worktree add /tmp/before REVISION
    python benchmarks/before_and_after.py /tmp/before/src src

Every scene runs in processes of its own, the two versions one after the other and the order reversed each time, so that a busy
moment of the machine hits both. Printed are the medians over the repeats and their ratio; `import` is the CPU time of
`import signorini`. Leave the machine alone meanwhile.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys

SCENES = {
    "falling-cloth": ("falling-cloth", "cmr", 4e-3, 120),
    "soft-stack": ("soft-stack", "cmr", 1e-2, 60),
    "mixed-pile": ("mixed-pile", "cmr", 4e-3, 25),
    "two-cylinders-hong": ("two-cylinders", "hong", 0.02, 40),
}
"""Gallery scene, method, dt [s] and measured steps; as many steps go before, so that everything is compiled and in contact."""
CHILD = """
import sys, time
begin = time.process_time()
import signorini as sg
imported = time.process_time() - begin
from signorini import gallery
name, method, dt, steps = sys.argv[1], sys.argv[2], float(sys.argv[3]), int(sys.argv[4])
if name:
    sim = sg.Simulation(gallery.find(name).build(), dt=dt, settings=sg.Settings(method=method))
    for _ in range(steps):
        sim.step()
    begin = time.process_time()
    for _ in range(steps):
        sim.step()
    print((time.process_time() - begin) / steps)
else:
    print(imported)
"""


def measure(source: str, scene: tuple[str, str, float, int]) -> float:
    """CPU time a step [s] (or of the import) in a new process."""
    environment = {**os.environ, "PYTHONPATH": source, "OMP_NUM_THREADS": "1"}
    command = [sys.executable, "-c", CHILD, *(str(part) for part in scene)]
    return float(subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout)


def main() -> None:
    """Print one line a scene."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("before", nargs="?", help="folder that has the package of the version before")
    parser.add_argument("after", nargs="?", default="src")
    parser.add_argument("--repeats", type=int, default=5)
    given = parser.parse_args()
    if given.before is None:
        print("nothing to compare with: give the source folder of another version")
        return
    print(f"{'':20s} {'before':>10s} {'after':>10s} {'ratio':>7s}   lowest ratio of minima")
    for name, scene in {"import": ("", "", 0.0, 0), **SCENES}.items():
        times: dict[str, list[float]] = {given.before: [], given.after: []}
        for repeat in range(given.repeats + 1):
            for source in list(times)[:: 1 if repeat % 2 else -1]:
                seconds = measure(source, scene)
                if repeat:  # the first fills caches
                    times[source].append(seconds)
        a, b = (statistics.median(times[source]) for source in times)
        least = min(times[given.after]) / min(times[given.before])
        print(f"{name:20s} {1e3 * a:8.2f} ms {1e3 * b:8.2f} ms {b / a:7.3f}   {least:7.3f}", flush=True)


if __name__ == "__main__":
    main()
