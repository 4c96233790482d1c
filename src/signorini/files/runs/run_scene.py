"""Run a scene into an output directory, or continue such a run: the two calls `signorini.run` and `signorini.resume`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from signorini.checks import check_path
from signorini.errors import InputError
from signorini.files.runs.output_directory import check_directory
from signorini.files.runs.runner import resume_directory, run_to_directory
from signorini.files.scenes.scene_file import SceneFile
from signorini.scene.scene import Scene
from signorini.settings import Settings, check_settings
from signorini.simulation.auto_step import chosen_step
from signorini.simulation.simulation import Simulation


def run(
    scene: Scene | SceneFile | Simulation,
    out: str | Path,
    *,
    dt: float | str | None = None,
    seconds: float | None = None,
    fps: float | None = None,
    settings: Settings | None = None,
    force: bool = False,
    progress: bool = False,
    contacts: bool = False,
    fields: bool = False,
) -> dict[str, Any]:
    """Simulate a scene, write everything to the directory `out`, and return the contents of its summary.json.

    `scene` is a `Scene`, what `load_scene` returned, or a `Simulation`, which is continued from its present state and has
    its own `dt` and `settings`. `dt` is the time step [s] or "auto", `seconds` the simulated time to reach [s], `fps` the frames
    stored per simulated second; what is not given comes from the scene file, or is 4 ms, 4 s and 30.

    `force` replaces an earlier run in `out` (a directory with anything else in it is refused); `progress` draws a bar on
    standard error; `contacts` stores the contacts of every frame with their forces, and pressure, strain and stress at the
    vertices, for `Trajectory.contacts`; `fields` stores stress, stretches, energy and volume of all elements, and the fields and
    contact forces of vertices, for `Trajectory.field`.

    Ctrl-C completes the step, writes everything and raises `KeyboardInterrupt`; a simulation that cannot go on raises
    `SimulationStoppedError`, also with everything written. `resume` continues after both.
    """
    directory = check_path("output directory", out)
    check_directory(directory, force=force)  # before the simulation is made, which may take long
    if isinstance(scene, Simulation):
        if dt is not None or settings is not None:
            name = "dt" if dt is not None else "settings"
            raise InputError(f"{name} was given with a Simulation, which has its own: give {name} to Simulation(...)")
        sim, file = scene, SceneFile(scene=scene.scene)
    else:
        file = scene if isinstance(scene, SceneFile) else SceneFile(scene=scene)
        if not isinstance(file.scene, Scene):
            kind = type(file.scene).__name__
            raise InputError(f"scene must be a Scene, a Simulation or what load_scene returns, got a {kind}")
        check_settings(settings)
        step, settings = chosen_step(
            file.dt if dt is None else dt,
            file.settings if settings is None else settings,
            fps=file.fps if fps is None else fps,
        )
        sim = Simulation(file.scene, dt=step, settings=settings)
    return run_to_directory(
        sim,
        seconds=file.seconds if seconds is None else seconds,
        fps=file.fps if fps is None else fps,
        out=directory,
        force=force,
        progress=progress,
        contacts=contacts,
        fields=fields,
        options=file.options,
    )


def resume(out: str | Path, *, seconds: float | None = None, progress: bool = False) -> dict[str, Any]:
    """Continue the run in the directory `out` from its last checkpoint, and return the contents of its summary.json.

    `seconds` is the simulated time to reach [s] (default: what the run was asked for). The result is the same, bit by bit,
    as that of a run that was never interrupted.
    """
    return resume_directory(out, seconds=seconds, progress=progress)
