"""Measures the scenes of the gallery for docs/gallery.md: CPU time, and a small film of each.

`python docs/gallery_times.py [NAME ...]` writes docs/gallery-times.json and docs/films/NAME.webp. A scene that needs more than
BUDGET is timed until then, and filmed until FILM_BUDGET; `--films` makes films only, `--film-of RUN NAME` that of a run that is
there. CPU time depends on other programs on the machine only through caches and memory that they share.
"""

from __future__ import annotations

import json
import sys
import tempfile
import time
from pathlib import Path

import signorini as sg
from signorini.gallery import SCENES
from signorini.render.pictures import DEFAULT_VIEW

DOCS = Path(__file__).parent
TIMES = DOCS / "gallery-times.json"
BUDGET = 12.0
"""CPU time of a scene that is timed [s]."""
FILM_BUDGET = 60.0
"""CPU time of a scene that is filmed [s]."""
FILM = (288, 162)
"""Width and height of the films [pixels]."""
FILM_FRAMES = 48
"""Most frames of a film."""
FILM_BYTES = 100_000
"""A film that would be larger has fewer frames: the page shows all of them."""
FILM_FPS = 5.0
"""Least frames a second of a film; one of a longer time runs faster than what it shows."""
FILM_SECONDS = 2.0
"""Least length of a film; one of a shorter time runs slower than what it shows."""
VIEWS = {"letters": (0.3, -0.9, 2.4)}
"""Directions of films that are not seen as all others: from above, where walls hide what is in a box."""


def measure(name: str) -> dict[str, float | int | bool]:
    """Run a scene on one thread until it is done or over both budgets: its times until BUDGET, and a film of all."""
    entry = SCENES[name]
    sim = sg.Simulation(entry.build(), dt=entry.dt, threads=1)
    sim.step()  # compiles
    sim = sg.Simulation(entry.build(), dt=entry.dt, threads=1)
    found: dict[str, float | int | bool] = {}
    with tempfile.TemporaryDirectory() as folder:
        out, steps, contacts, start = Path(folder) / "run", 0, 0, time.process_time()
        with sg.record(sim, out, fps=entry.fps):
            while not (done := sim.time >= entry.seconds - 0.5 * entry.dt):
                spent = time.process_time() - start
                if spent >= BUDGET and not found:
                    found = _times(spent, sim.time, False, steps, contacts)
                if spent >= FILM_BUDGET:
                    break
                contacts = max(contacts, sim.step().contact_count)
                steps += 1
        found = found or _times(time.process_time() - start, sim.time, done, steps, contacts)
        return {**found, **film(name, out)}


def _times(spent: float, simulated: float, done: bool, steps: int, contacts: int) -> dict[str, float | int | bool]:
    return {
        "cpu_seconds": round(spent, 2),
        "simulated": round(simulated, 4),
        "done": done,
        "steps": steps,
        "contacts": contacts,
    }


def film(name: str, run: Path) -> dict[str, float]:
    """Write the film of a run into docs/films; the time that it shows [s], and how many times as fast."""
    trajectory = sg.Trajectory.open(run)
    seconds = float(trajectory.times[-1])
    every = -(-trajectory.frame_count // FILM_FRAMES)
    speed = _write_film(name, trajectory, every, seconds)
    while (DOCS / f"films/{name}.webp").stat().st_size > FILM_BYTES:
        every += 1
        speed = _write_film(name, trajectory, every, seconds)
    return {"film_seconds": round(seconds, 4), "film_speed": round(speed, 2)}


def _write_film(name: str, trajectory: sg.Trajectory, every: int, seconds: float) -> float:
    """A film of every n-th frame; how many times as fast it is as what it shows."""
    (DOCS / "films").mkdir(exist_ok=True)
    natural = max(trajectory.frame_count - 1, 1) / (every * seconds)  # frames a second
    speed = max(FILM_FPS / natural, 1.0) * min(seconds / FILM_SECONDS, 1.0)
    view = VIEWS.get(name, DEFAULT_VIEW)
    trajectory.render(DOCS / f"films/{name}.webp", size=FILM, view=view, every=every, fps=speed * natural)
    return speed


def main(words: list[str]) -> None:
    """Measure and film the named scenes, or all, and keep what is known of the others."""
    found = json.loads(TIMES.read_text(encoding="utf-8")) if TIMES.exists() else {}
    if words[:1] == ["--film-of"]:
        run, name = words[1:]
        found[name] |= film(name, Path(run))
        _write(found)
        return
    only_films = words[:1] == ["--films"]
    for name in words[only_films:] or SCENES:
        new = measure(name)
        shown = {key: value for key, value in new.items() if key.startswith("film")}
        found[name] = found[name] | shown if only_films else new
        print(name, new, flush=True)
        _write(found)


def _write(found: dict[str, dict[str, float | int | bool]]) -> None:
    TIMES.write_text(json.dumps(found, indent=1, sort_keys=True) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
