"""Measures the scenes of the gallery for docs/gallery.md: CPU time, and a small film of each scene that is done in its budget.

`python docs/gallery_times.py [NAME ...]` writes docs/gallery-times.json and docs/films/NAME.webp. A scene that needs more than
BUDGET is measured until then. CPU time depends on other programs on the machine only through caches and memory that they share.
"""

from __future__ import annotations

import json
import sys
import tempfile
import time
from pathlib import Path

import signorini as sg
from signorini.gallery import SCENES

DOCS = Path(__file__).parent
TIMES = DOCS / "gallery-times.json"
BUDGET = 12.0
"""CPU time of a scene [s]."""
FILM = (288, 162)
"""Width and height of the films [pixels]."""
FILM_FRAMES = 48
"""Most frames of a film."""


def measure(name: str) -> dict[str, float | int | bool]:
    """Run a scene on one thread until it is done or over its budget."""
    entry = SCENES[name]
    sim = sg.Simulation(entry.build(), dt=entry.dt, threads=1)
    sim.step()  # compiles
    sim = sg.Simulation(entry.build(), dt=entry.dt, threads=1)
    with tempfile.TemporaryDirectory() as folder:
        out, steps, contacts, start = Path(folder) / "run", 0, 0, time.process_time()
        with sg.record(sim, out, fps=entry.fps):
            while sim.time < entry.seconds - 0.5 * entry.dt and time.process_time() - start < BUDGET:
                contacts = max(contacts, sim.step().contact_count)
                steps += 1
        spent = time.process_time() - start
        done = sim.time >= entry.seconds - 0.5 * entry.dt
        if done:
            trajectory = sg.Trajectory.open(out)
            every = -(-trajectory.frame_count // FILM_FRAMES)
            (DOCS / "films").mkdir(exist_ok=True)
            trajectory.render(DOCS / f"films/{name}.webp", size=FILM, every=every)
    return {
        "cpu_seconds": round(spent, 2),
        "simulated": round(sim.time, 4),
        "done": done,
        "steps": steps,
        "contacts": contacts,
    }


def main(names: list[str]) -> None:
    """Measure the named scenes, or all, and keep what is known of the others."""
    found = json.loads(TIMES.read_text(encoding="utf-8")) if TIMES.exists() else {}
    for name in names or SCENES:
        found[name] = measure(name)
        print(name, found[name], flush=True)
        TIMES.write_text(json.dumps(found, indent=1, sort_keys=True) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
