"""The number of threads changes no bit of a state: ten scenes of the gallery on 1, 2, 3 and 8 threads."""

from __future__ import annotations

import threading

import numpy as np
import pytest

from signorini import gallery
from signorini.parallel import team
from signorini.simulation.simulation import Simulation

SCENES = (
    "drape", "layers", "ball-on-cloth", "soft-stack", "mixed-pile", "letters", "grasp", "five-curtains", "hammock", "dancer",
)  # fmt: skip


def states(name: str, threads: int, steps: int, resolution: int | None = None) -> list[bytes]:
    entry = gallery.find(name)
    scene = entry.build() if resolution is None else entry.build(resolution=resolution)
    sim = Simulation(scene, dt=entry.dt, threads=threads)
    out = []
    for _ in range(steps):
        sim.step()
        out.append(b"".join(np.ascontiguousarray(a).tobytes() for a in (sim.state.q, sim.state.v, sim.state.rotations)))
    return out


@pytest.fixture(autouse=True)
def patient_team(monkeypatch: pytest.MonkeyPatch) -> None:
    """All threads take part, also on busy cores."""
    monkeypatch.setattr(team, "_team", team.Team(patient=True))


def test_a_cloth_over_a_ball_is_the_same_on_1_2_3_and_8_threads() -> None:
    runs = [states("drape", threads, 8, resolution=40) for threads in (1, 2, 3, 8)]
    assert all(run == runs[0] for run in runs)


@pytest.mark.slow
@pytest.mark.parametrize("name", SCENES)
def test_scenes_are_the_same_on_1_2_3_and_8_threads(name: str) -> None:
    runs = [states(name, threads, 12) for threads in (1, 2, 3, 8)]
    assert all(run == runs[0] for run in runs)


def test_two_simulations_at_once_are_what_each_is_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(team, "_team", team.Team())
    alone, found = states("drape", 2, 4, resolution=40), {}

    def run(which: int) -> None:
        found[which] = states("drape", 2, 4, resolution=40)

    threads = [threading.Thread(target=run, args=(which,)) for which in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == {0: alone, 1: alone}
