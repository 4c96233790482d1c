"""CPU time a step of two versions of the package, measured in turns: whether a change made scenes slower.

    git worktree add /tmp/before REVISION
    python benchmarks/before_and_after.py /tmp/before/src src
    python benchmarks/before_and_after.py /tmp/before/src src --scene letters --turns 5

Each version runs a scene in a process of its own. The two take turns of a few steps, the same steps of the same motion, so that a
busy or throttled moment of the machine hits both. Printed are the CPU times a step, and the median over the turns of the ratio
after / before with its quartiles; `import` is the CPU time of `import signorini`. Leave the machine alone meanwhile.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys

SCENES = {
    "falling-cloth": ("falling-cloth", "cmr", 4e-3, 80, 4),
    "soft-stack": ("soft-stack", "cmr", 1e-2, 30, 4),
    "letters": ("letters", "cmr", 3e-2, 25, 2),
    "mixed-pile": ("mixed-pile", "cmr", 4e-3, 15, 1),
    "two-cylinders-hong": ("two-cylinders", "hong", 0.02, 10, 2),
}
"""Gallery scene, method, dt [s], steps before the first turn (everything is compiled and in contact), and steps of a turn."""
TURNS = 30
"""Turns of each version: the median of the ratios is then good to about a per cent on a noisy machine."""
IMPORTS = 5
CHILD = """
import sys, time
import signorini as sg
from signorini import gallery
name, method, dt, before, steps = sys.argv[1], sys.argv[2], float(sys.argv[3]), int(sys.argv[4]), int(sys.argv[5])
sim = sg.Simulation(gallery.find(name).build(), dt=dt, settings=sg.Settings(method=method))
for _ in range(before):
    sim.step()
print("ready", flush=True)
for line in sys.stdin:
    begin = time.process_time()
    for _ in range(steps):
        sim.step()
    print((time.process_time() - begin) / steps, flush=True)
"""
IMPORT = "import time; b = time.process_time(); import signorini; print(time.process_time() - b)"


def environment(source: str) -> dict[str, str]:
    """The environment in which the package of a folder is imported."""
    return {**os.environ, "PYTHONPATH": source, "OMP_NUM_THREADS": "1"}


class Version:
    """A running scene of one version."""

    def __init__(self, source: str, scene: tuple[str, str, float, int, int]) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-c", CHILD, *(str(part) for part in scene)],
            env=environment(source),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        assert self.process.stdout is not None
        assert self.process.stdout.readline().strip() == "ready", f"{source} cannot run {scene[0]}"

    def turn(self) -> float:
        """CPU time a step [s] of the next steps."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write("go\n")
        self.process.stdin.flush()
        return float(self.process.stdout.readline())

    def end(self) -> None:
        """Let the process end."""
        self.process.communicate()


def importing(source: str) -> float:
    """CPU time of the import [s]."""
    command = [sys.executable, "-c", IMPORT]
    return float(subprocess.run(command, env=environment(source), capture_output=True, text=True, check=True).stdout)


def describe(name: str, before: list[float], after: list[float]) -> str:
    """One line of the table."""
    ratios = [b / a for a, b in zip(before, after, strict=True)]
    low, middle, high = statistics.quantiles(ratios, n=4)
    a, b = 1e3 * statistics.median(before), 1e3 * statistics.median(after)
    return f"{name:20s} {a:8.2f} ms {b:8.2f} ms {middle:7.3f}   {low:.3f} to {high:.3f}"


def main() -> None:
    """Print one line a scene."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("before", nargs="?", help="folder that has the package of the version before")
    parser.add_argument("after", nargs="?", default="src")
    parser.add_argument("--turns", type=int, default=TURNS)
    parser.add_argument("--scene", action="append", choices=SCENES, help="only this scene; repeatable")
    given = parser.parse_args()
    if given.before is None:
        print("nothing to compare with: give the source folder of another version")
        return
    print(f"{'':20s} {'before':>11s} {'after':>11s} {'ratio':>7s}   quartiles")
    pairs = [(importing(given.before), importing(given.after)) for _ in range(IMPORTS)]
    print(describe("import", *map(list, zip(*pairs, strict=True))), flush=True)
    for name in given.scene or SCENES:
        versions = [Version(source, SCENES[name]) for source in (given.before, given.after)]
        times: list[list[float]] = [[], []]
        for turn in range(given.turns):
            for k in (0, 1) if turn % 2 else (1, 0):
                times[k].append(versions[k].turn())
            print(f"{name} turn {turn + 1}: {times[0][-1]:.3f} s, {times[1][-1]:.3f} s", file=sys.stderr, flush=True)
        for version in versions:
            version.end()
        print(describe(name, *times), flush=True)


if __name__ == "__main__":
    main()
