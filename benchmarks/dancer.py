"""`dancer` at full length next to Otaduy2009 Fig. 1, checked by ipctk, as a markdown table.

    python benchmarks/dancer.py                    all 10 s, 5,000 steps (about two hours)
    python benchmarks/dancer.py --keep dancer.pkl  the same; stopped and started again it goes on where it was
    python benchmarks/dancer.py --seconds 1.3      to the end of the first turn
    python benchmarks/dancer.py --resolution 32    2,688 vertices instead of 16,800

The paper: a dress of six layers and 16,800 vertices on a dancer who turns by 360° in less than a second, dt = 2 ms, about 15
hours for 10 s, which is 10.8 s a step, on one core of a PC of 2009 (3.2 GHz). Its dancer also steps and kicks; ours turns three
times. Times are CPU seconds of `Simulation.step` on this machine, without the first step (it loads the kernels) and without
the checks. Every state is looked at by ipctk, and the way there in every tenth step. A line per 50 steps goes to standard
error, and the state to the file that --keep names.
"""

from __future__ import annotations

import argparse
import pickle
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))
from reference.ipc_check import IpcCheck
from reference.step_table import Step, TimedSimulation, paper_row, table
from signorini.gallery import SCENES
from signorini.gallery.dancer import TURNS
from signorini.methods.report import StepReport

PAPER_SECONDS_PER_STEP = 10.8
SHOWN_EVERY = 50
"""[steps]"""
CROSSINGS_EVERY = 10
"""[steps]; ipctk takes a third as long as a step for its way, a twentieth for its end."""


def parts(done: list[Step]) -> dict[str, list[Step]]:
    """The steps before the first turn, in all turns, and after each of them."""
    groups: dict[str, list[Step]] = {"hanging": [], "turning": [], "swinging out": []}
    for step in done:
        middle = step[0].time - 0.5 * step[0].dt
        turning = any(start <= middle <= start + abs(time) for start, time in TURNS)
        groups["hanging" if middle < TURNS[0][0] else "turning" if turning else "swinging out"].append(step)
    return {name: steps for name, steps in groups.items() if steps}


def checked_step(check: IpcCheck, index: int) -> StepReport:
    """One step; its end is checked by ipctk, and in some steps the way there."""
    if index % CROSSINGS_EVERY == 0:
        return check.step()
    report = check.sim.step()
    check.steps += 1
    check.x = check.positions()
    if check.intersects(check.x):
        check.intersecting.append(check.steps)
    return report


def main() -> None:
    scene = SCENES["dancer"]
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=scene.seconds, help="simulated time")
    parser.add_argument("--resolution", type=int, default=80, help="vertices around each layer")
    parser.add_argument("--keep", type=Path, help="file to go on from, if it exists, and to keep the state in")
    arguments = parser.parse_args()
    sim = TimedSimulation(scene.build(resolution=arguments.resolution), dt=scene.dt)
    done: list[Step] = []
    found: list[tuple[list[int], list[int]]] = []
    if arguments.keep and arguments.keep.exists():
        state, done, found = pickle.loads(arguments.keep.read_bytes())
        sim.restore(state)
    check = IpcCheck(sim)
    for index in range(len(done), round(arguments.seconds / scene.dt)):
        done.append((checked_step(check, index), sim.step_cpu_seconds))
        if index % SHOWN_EVERY == 0:
            report, cpu = done[-1]
            print(
                f"{report.time:7.3f} s  {cpu:6.2f} CPU s  {report.contact_count:6d} contacts  {report.refinements} refinements",
                file=sys.stderr,
                flush=True,
            )
            if arguments.keep:
                kept = sim.checkpoint(), done, [*found, (check.intersecting, check.crossing)]
                arguments.keep.with_suffix(".new").write_bytes(pickle.dumps(kept))
                arguments.keep.with_suffix(".new").replace(arguments.keep)
    found.append((check.intersecting, check.crossing))
    print(table([*parts(done[1:]).items(), ("all", done[1:])]))
    print(paper_row("about 5,000", PAPER_SECONDS_PER_STEP))
    print(
        f"\nintersections / crossings found by ipctk: {sum(len(i) for i, _ in found)} / {sum(len(c) for _, c in found)}"
    )


if __name__ == "__main__":
    main()
