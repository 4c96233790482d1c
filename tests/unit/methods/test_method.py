"""The protocol of methods: the registry, what is loaded, the order of calls, and what a checkpoint keeps."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import replace
from typing import get_args

import numpy as np
import pytest

import signorini as sg
from signorini.methods.method import METHODS, CoveredStep, Method, find_method
from signorini.methods.moment import moment_at
from signorini.methods.report import Tally
from signorini.settings import MethodName


def test_every_name_in_the_settings_has_a_class_of_that_name() -> None:
    assert set(METHODS) == set(get_args(MethodName))
    for name in METHODS:
        method = find_method(name)
        assert issubclass(method, Method)
        assert method.name == name


@pytest.mark.parametrize(
    ("method", "own", "others"),
    [("cmr", "substeps", ("hong", "collision_loop")), ("hong", "hong.hong", ("cmr", "failsafes"))],
)
def test_only_the_method_in_use_is_loaded(method: str, own: str, others: tuple[str, ...]) -> None:
    script = (
        "import sys, signorini as sg\n"
        "scene = sg.Scene()\n"
        "scene.add_soft_solid(sg.shapes.box_tets(0.1, 0.1, 0.1, cells=1), element='tetrahedra')\n"
        f"sg.Simulation(scene, settings=sg.Settings(method={method!r}))\n"
        "print(*(m for m in sys.modules if m.startswith('signorini.methods.')))\n"
    )
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(p for p in sys.path if p)}
    result = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, env=environment)
    loaded = {name.removeprefix("signorini.methods.") for name in result.stdout.split()}
    assert own in loaded, result.stderr
    assert not {name for name in loaded if name.split(".")[0] in others}


class Ballistic(Method):
    """A method from outside the package: free fall without contact, which remembers how many steps it took."""

    name = "cmr"
    calls: list[str] = []  # noqa: RUF012

    def check(self, start):
        self.calls.append("check")
        if len(self.world.model.rigids):
            raise sg.InputError("ballistic moves particles only")

    def prepare(self):
        self.calls.append("prepare")

    def cover(self, start, end_time):
        self.calls.append("cover")
        state, dt = start.state, end_time - start.state.time
        v = state.v + dt * self.world.model.gravity
        steps = (start.memory if isinstance(start.memory, int) else 0) + 1
        end = moment_at(self.world, replace(state, q=state.q + dt * v, v=v, time=end_time), steps)
        return CoveredStep(end, None, Tally(substeps=1).report(end, dt=dt, names=self.world.model.body_names))

    def memory_arrays(self, memory):
        return {"ballistic_steps": np.array(memory or 0)}

    def recalled(self, arrays):
        return int(arrays["ballistic_steps"])


@pytest.fixture
def ballistic(monkeypatch):
    monkeypatch.setitem(METHODS, "cmr", f"{__name__}:Ballistic")
    monkeypatch.setattr(Ballistic, "calls", [])


def sheet() -> sg.Scene:
    scene = sg.Scene()
    scene.add_cloth(sg.shapes.grid(0.2, 0.2, cells=2), name="sheet")
    return scene


def test_a_method_is_checked_and_prepared_once_before_its_first_step(ballistic) -> None:
    sim = sg.Simulation(sheet(), dt=0.01)
    assert Ballistic.calls == ["check", "prepare"]
    report = sim.step()
    assert Ballistic.calls == ["check", "prepare", "cover"]
    assert sim.state.v == pytest.approx(np.tile([0.0, 0.0, -0.0981], (9, 1)))
    assert (report.index, report.time, report.dt, report.substeps) == (1, 0.01, 0.01, 1)
    assert report.kinetic_energy > 0.0


def test_what_a_method_remembers_goes_through_a_checkpoint(ballistic) -> None:
    sim = sg.Simulation(sheet(), dt=0.01)
    sim.step()
    sim.step()
    saved = sim.checkpoint()
    assert saved["ballistic_steps"] == 2
    fresh = sg.Simulation(sheet(), dt=0.01)
    fresh.restore(saved)
    fresh.step()
    assert fresh.checkpoint()["ballistic_steps"] == 3


def test_a_method_refuses_a_scene_when_the_simulation_is_made(ballistic) -> None:
    scene = sheet()
    scene.add_rigid(sg.shapes.box(0.1, 0.1, 0.1), mass=1.0, position=(0, 0, 1), name="cube")
    with pytest.raises(sg.InputError, match="particles only"):
        sg.Simulation(scene)
    assert Ballistic.calls == ["check"], "nothing is prepared"
