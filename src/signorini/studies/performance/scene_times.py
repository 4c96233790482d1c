"""Times of steps of built-in scenes: in a stretch of each in which much happens, or in whole runs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from signorini.errors import InputError
from signorini.gallery import SCENES
from signorini.scene.scene import Scene
from signorini.simulation.simulation import Simulation
from signorini.studies.performance.measure import Row, measured_steps


class Stretch(NamedTuple):
    """Some steps of a scene."""

    scene: str
    dt: float
    """[s]"""
    before: int
    """Steps that are not measured: until there is contact, and everything is compiled."""
    steps: int
    quick: bool = False
    """Whether it takes only seconds."""


STRETCHES = (
    Stretch("box", 4e-3, 10, 60, quick=True),
    Stretch("falling-cloth", 4e-3, 80, 40, quick=True),
    Stretch("falling-cloth", 1e-2, 32, 20),
    Stretch("soft-stack", 3e-2, 10, 20, quick=True),
    Stretch("soft-stack", 1e-2, 30, 20),
    Stretch("layers", 4e-3, 60, 40),
    Stretch("ball-on-cloth", 4e-3, 60, 40),
    Stretch("letters", 3e-2, 25, 8),
    Stretch("hammock", 4e-3, 40, 8),
    Stretch("dancer", 4e-3, 10, 6),
)


def find_stretches(names: Sequence[str], *, quick: bool) -> list[Stretch]:
    """The stretches of the named scenes, or of all; only short ones if it is to be quick."""
    known = list(dict.fromkeys(s.scene for s in STRETCHES))
    for name in names:
        if name not in known:
            raise InputError(f"there is no measured scene {name!r}; there are {', '.join(known)}")
    return [s for s in STRETCHES if (s.scene in names or not names) and (s.quick or not quick)]


def time_scenes(stretches: Sequence[Stretch]) -> Iterator[Row]:
    """A row for each stretch."""
    for stretch in stretches:
        sim = Simulation(_scene(stretch.scene), dt=stretch.dt)
        for _ in range(stretch.before):
            sim.step()
        yield {"scene": stretch.scene, "dt_ms": 1e3 * stretch.dt, **measured_steps(sim, stretch.steps)}


def time_whole_runs(names: Sequence[str], *, seconds: float | None = None) -> Iterator[Row]:
    """A row for each scene of the gallery, with its own time step from its start to its end, or for some seconds."""
    for name in names:
        if name not in SCENES:
            raise InputError(f"there is no built-in scene {name!r}; there are {', '.join(SCENES)}")
    if seconds is not None and not 0.0 < seconds < float("inf"):
        raise InputError(f"the time to simulate must be above 0 s, got {seconds:g} s")
    for name in names or [s.scene for s in STRETCHES if s.quick and s.scene in SCENES]:
        entry = SCENES[name]
        sim = Simulation(entry.build(), dt=entry.dt)
        steps = max(round((entry.seconds if seconds is None else seconds) / entry.dt), 1)
        yield {"scene": name, "dt_ms": 1e3 * entry.dt, **measured_steps(sim, steps)}


def _scene(name: str) -> Scene:
    """A scene of the gallery, or one rigid box that is thrown along the ground: what a step costs without any size."""
    if name != "box":
        return SCENES[name].build()
    from signorini.geometry import shapes

    scene = Scene(friction=0.2)
    scene.add_rigid(shapes.box(0.2, 0.2, 0.2), density=500.0, position=(0, 0, 0.105), velocity=(2.0, 0, 0))
    scene.add_ground()
    return scene
