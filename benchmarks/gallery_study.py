"""Every scene of the gallery at full length in its shipped settings, checked by ipctk in every sub-step, as a markdown table.

    python benchmarks/gallery_study.py                      all of them but those with a study of their own (about an hour)
    python benchmarks/gallery_study.py grasp vertebrae      only these

What the gallery promises: no intersection in any step, no fail-safe step, and every contact problem solved. Times are CPU
seconds of `Simulation.step`, first step left out (it loads the kernels). A line per scene goes to standard error when it is done.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))
from reference.ipc_check import IpcCheck
from reference.step_table import Step, TimedSimulation, simulate, table
from signorini.errors import SimulationStoppedError
from signorini.gallery import SCENES

OWN_STUDY = {"letters": "letters_study.py", "dancer": "characters/dancer.py"}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("scenes", nargs="*", help="names of the gallery", metavar="scene")
    parser.add_argument("--verbose", action="store_true", help="a line per step on standard error")
    arguments = parser.parse_args()
    unknown = [name for name in arguments.scenes if name not in SCENES]
    if unknown:
        parser.error(f"the gallery has no scene {unknown[0]!r}; it has {', '.join(SCENES)}")
    rows: list[tuple[str, list[Step]]] = []
    found = []
    for name in arguments.scenes or [name for name in SCENES if name not in OWN_STUDY]:
        scene = SCENES[name]
        sim = TimedSimulation(scene.build(), dt=scene.dt)
        check = IpcCheck(sim)
        try:
            done = simulate(sim, check, round(scene.seconds / scene.dt), verbose=arguments.verbose)
        except SimulationStoppedError as error:  # a pinch: the other scenes go on
            found.append(f"`{name}` stopped at {sim.time:.3f} s: {error}")
            print(found[-1], file=sys.stderr, flush=True)
            continue
        rows.append((f"`{name}`", done[1:]))
        found.append(f"`{name}` {len(check.intersecting)} / {len(check.crossing)}")
        cpu = sum(seconds for _, seconds in done[1:])
        print(f"{found[-1]}  {cpu:.0f} CPU s", file=sys.stderr, flush=True)
    print(table(rows))
    print(f"\nintersections / crossings found by ipctk: {', '.join(found)}")


if __name__ == "__main__":
    main()
