"""`letters` at full length next to Otaduy2009 Fig. 7, checked by ipctk in every step, as a markdown table.

    python benchmarks/letters_study.py                    all 40 s (about a quarter of an hour)
    python benchmarks/letters_study.py --seconds 3        only the beginning
    python benchmarks/letters_study.py --resolution 3     35 letters instead of 164

The paper: 164 letters, 23,000 tetrahedra, dt = 30 ms, about 40 s of animation in just over 90 minutes, which is 4 s a step,
on one core of a PC of 2009 (3.2 GHz). Times are CPU seconds of `Simulation.step` on this machine, first step left out
(it loads the kernels).
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))
from reference.ipc_check import IpcCheck
from reference.step_table import Step, TimedSimulation, paper_row, simulate, table
from signorini.gallery import SCENES
from signorini.gallery.letters import PUSH_START, PUSH_STOP

PAPER_SECONDS_PER_STEP = 4.0
PARTS = (
    ("dropped", 0.0, 3.0),
    ("at rest", 3.0, PUSH_START),
    ("pushed", PUSH_START, PUSH_STOP),
    ("held", PUSH_STOP, 1e9),
)
"""Name, start and end [s] of the parts of the scene."""


def print_table(done: list[Step]) -> None:
    """One row for each part of the scene that was reached, one for all of it, and the paper's."""
    parts = [(name, [s for s in done if start < s[0].time - 1e-9 <= stop]) for name, start, stop in PARTS]
    print(table([*((name, steps) for name, steps in parts if steps), ("all", done)]))
    print(paper_row("about 1,333", PAPER_SECONDS_PER_STEP))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=SCENES["letters"].seconds, help="simulated time")
    parser.add_argument("--resolution", type=int, default=5, help="letters along a side of a layer")
    parser.add_argument("--verbose", action="store_true", help="a line per step on standard error")
    arguments = parser.parse_args()
    scene = SCENES["letters"]
    sim = TimedSimulation(scene.build(resolution=arguments.resolution), dt=scene.dt)
    check = IpcCheck(sim)
    done = simulate(sim, check, round(arguments.seconds / scene.dt), verbose=arguments.verbose)
    print_table(done[1:])
    print(f"\nintersections / crossings found by ipctk: {len(check.intersecting)} / {len(check.crossing)}")


if __name__ == "__main__":
    main()
