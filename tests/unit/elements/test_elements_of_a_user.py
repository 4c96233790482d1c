"""Elements that a user wrote wrongly: each mistake is one sentence that names the class."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest

import signorini as sg


@dataclass
class Load(sg.Elements):
    """A load whose answers are whatever they were made with."""

    nodes: Any = field(default_factory=lambda: np.arange(4, dtype=np.int32)[:, None])
    force: Any = field(default_factory=lambda: np.zeros((4, 1, 3)))
    stored: Any = 0.0

    def forces(self, at: sg.Linearisation, internal: np.ndarray) -> Any:
        return self.force

    def energy(self, positions: np.ndarray, internal: np.ndarray) -> Any:
        return self.stored


class Plain(Load):
    """A subclass that has no `nodes`."""

    def __init__(self) -> None:
        pass


class Undecorated(sg.Elements):
    """No dataclass, and no `shifted`."""

    nodes = np.zeros((1, 1), dtype=np.int32)


def sheet() -> sg.Scene:
    scene = sg.Scene()
    scene.add_cloth(sg.shapes.grid(0.2, 0.2, cells=2), name="sheet")
    return scene


@pytest.mark.parametrize("force", ["down", [[1.0], [2.0, 3.0]], np.zeros((4, 1, 3)) + 1j, None, np.zeros((4, 3))])
def test_forces_that_are_no_array_of_numbers_are_refused(force: Any) -> None:
    scene = sheet()
    scene.add_elements(Load(force=force), body="sheet")
    with pytest.raises(sg.InputError, match="forces of the elements Load"):
        sg.Simulation(scene)


@pytest.mark.parametrize("stored", [float("nan"), "much", None, np.zeros(2), 1j])
def test_an_energy_that_is_no_finite_number_is_refused(stored: Any) -> None:
    scene = sheet()
    scene.add_elements(Load(stored=stored), body="sheet")
    with pytest.raises(sg.InputError, match="energy of the elements Load must be a"):
        sg.Simulation(scene)


@pytest.mark.parametrize("elements", [Plain(), Load(nodes=None), Load(nodes=[[0], [1, 2]]), Load(nodes="all")])
def test_elements_without_nodes_are_refused(elements: sg.Elements) -> None:
    with pytest.raises(sg.InputError, match="nodes of elements"):
        sheet().add_elements(elements, body="sheet")


@pytest.mark.parametrize("body", [None, 3, [None]])
def test_a_body_of_elements_must_be_a_name(body: Any) -> None:
    with pytest.raises(sg.InputError, match="body"):
        sheet().add_elements(Load(), body=body)


def test_elements_that_are_no_dataclass_are_refused() -> None:
    scene = sheet()
    scene.add_elements(Undecorated(), body="sheet")
    with pytest.raises(sg.InputError, match="Undecorated must be a dataclass"):
        sg.Simulation(scene)


@dataclass
class Fading(Load):
    """A load whose energy is no number once the sheet has fallen by 1 mm."""

    def energy(self, positions: np.ndarray, internal: np.ndarray) -> Any:
        return float("nan") if positions[self.nodes, 2].min() < -1e-3 else 0.0


@pytest.mark.parametrize("method", ["cmr", "volume"])
def test_an_energy_that_turns_nan_stops_the_simulation(method: Any) -> None:
    """It was accepted in silence; what was computed before is kept, and the message names class and time."""
    scene = sheet()
    scene.add_elements(Fading(), body="sheet")
    sim = sg.Simulation(scene, dt=4e-3, settings=sg.Settings(method=method))
    with pytest.raises(
        sg.SimulationStoppedError, match=r"at t = 0\.0\d+ s the energy of the elements Fading is not a number"
    ):
        for _ in range(20):
            sim.step()
    assert 0 < sim.step_index < 20
    assert sim.time == pytest.approx(sim.step_index * sim.dt)
    assert sim.bodies["sheet"].positions[:, 2].min() > -1e-3
