"""A sheet that flies fast costs what it costs at rest: the work of detection, and the CPU time of a step."""

from __future__ import annotations

import time

import numpy as np
import pytest

import signorini as sg
from signorini.collision.broad_phase import BoxTree

SPEEDS = (0.0, 30.0, 300.0)


def flying(speed: float, cells: int) -> sg.Simulation:
    """A wavy sheet in free fall, far from everything."""
    grid, scene = sg.shapes.grid(1.0, 1.0, cells=cells), sg.Scene()
    waves = np.column_stack([grid.vertices[:, :2], 0.02 * np.sin(9.0 * grid.vertices[:, 0])])
    scene.add_cloth(grid, area_density=0.2, initial_vertices=waves, velocity=(speed, 0.0, 0.0), name="sheet")
    return sg.Simulation(scene, dt=16e-3, threads=1)


def test_fast_sheets_have_the_pairs_and_the_searches_of_slow_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    searches, find = [0], BoxTree.find_candidates

    def counted(*arguments, **options):
        searches[0] += 1
        return find(*arguments, **options)

    monkeypatch.setattr(BoxTree, "find_candidates", counted)
    work = []
    for speed in SPEEDS:
        sim, searches[0] = flying(speed, 16), 0
        candidates = [sim.step().candidate_count for _ in range(12)]
        work.append((searches[0], sum(candidates)))
    assert min(pairs for _, pairs in work) > 12 * 1000
    for count, pairs in work[1:]:
        assert count <= work[0][0] + 1
        assert pairs <= 1.2 * work[0][1]


@pytest.mark.slow
def test_steps_of_fast_sheets_take_the_time_of_slow_ones_within_a_fifth() -> None:
    """CPU time, the least of many steps that take turns: other programs only ever add to it."""
    sims, least = [flying(speed, 49) for speed in SPEEDS], np.full(len(SPEEDS), np.inf)
    for _ in range(40):
        for k, sim in enumerate(sims):
            begin = time.process_time()
            sim.step()
            least[k] = min(least[k], time.process_time() - begin)
    assert least.max() <= 1.2 * least.min()
