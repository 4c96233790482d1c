"""The code on docs/extending.md is that of the example files, and the rest of it runs when it is typed from top to bottom."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import numpy as np
import pytest

import signorini as sg

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs/extending.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```python\n(.*?)```", PAGE, flags=re.DOTALL)
QUOTED = [block for block in BLOCKS if re.match(r"# \S+\.py\n", block)]
TYPED = [block for block in BLOCKS if block not in QUOTED]


@pytest.mark.parametrize("block", QUOTED, ids=lambda block: block.split("\n")[0])
def test_quoted_code_occurs_in_its_file(block: str) -> None:
    head, _, code = block.partition("\n")
    assert code.strip()
    assert code in (ROOT / head.removeprefix("# ")).read_text(encoding="utf-8")


def test_every_example_is_quoted() -> None:
    quoted = {block.split("\n")[0].removeprefix("# ") for block in QUOTED}
    assert {path.relative_to(ROOT).as_posix() for path in (ROOT / "examples/extending").glob("*.py")} <= quoted


def run_quoted(example: str) -> dict:
    """The names of an example that the page quotes as a whole, from the page alone."""
    (block,) = (block for block in QUOTED if block.startswith(f"# examples/extending/{example}.py\n"))
    names: dict = {"__name__": "extending_page"}
    exec(compile(block, f"{example} on extending.md", "exec"), names)
    return names


def test_the_solver_and_the_wind_run_from_the_page_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "extending_page", sys)
    sim = sg.Simulation(run_quoted("wind")["flag"](), dt=4e-3)
    assert sim.step().max_speed > 0.0
    scene = sg.Scene(friction=0.4)
    scene.add_rigid(sg.shapes.box(0.2, 0.2, 0.2), density=500, position=(0, 0, 0.101))
    scene.add_ground()
    sim = sg.Simulation(scene, dt=5e-3, settings=sg.Settings(solver=run_quoted("projected_gradient")["solve"]))
    reports = [sim.step() for _ in range(5)]
    assert reports[-1].contact_count > 0
    assert reports[-1].solves_converged == reports[-1].solves


def test_masses_of_nodes_are_as_the_page_says() -> None:
    scene, grid = sg.Scene(), sg.shapes.grid(0.2, 0.2, cells=4)
    scene.add_cloth(grid, area_density=0.3, position=(0, 0, 1), name="sheet")
    tets = sg.shapes.box_tets(0.1, 0.1, 0.1, cells=2)
    scene.add_soft_solid(tets, density=800.0, position=(1, 0, 1), name="solid")
    scene.add_rod([(0, 0, 0), (0.1, 0, 0), (0.3, 0, 0)], linear_density=0.2, position=(2, 0, 1), name="rod")
    masses = {part.name: part.nodes.mass for part in scene.contributions()}
    np.testing.assert_allclose(masses["sheet"], 0.3 * grid.vertex_areas)
    quarters = np.repeat(800.0 * tets.volumes() / 4, 4)
    np.testing.assert_allclose(masses["solid"], np.bincount(tets.tetrahedra.ravel(), weights=quarters))
    np.testing.assert_allclose(masses["rod"], [0.01, 0.03, 0.02])


def test_the_typed_code_runs_one_after_the_other(monkeypatch: pytest.MonkeyPatch, capsys) -> None:
    monkeypatch.setitem(sys.modules, "extending_page", sys)  # dataclasses look their module up
    names: dict = {"__name__": "extending_page", "solve": run_quoted("projected_gradient")["solve"]}
    for block in TYPED:
        exec(compile(block, "extending.md", "exec"), names)
    assert "0.2 s" in capsys.readouterr().out
    assert max(names["errors"]) < 1e-7
    bonds, points = names["bonds"], names["points"]
    internal = bonds.next_state(points, bonds.initial_state(points))
    assert internal.tolist() == [1.0, 0.0]
    assert bonds.energy(points, internal) == pytest.approx(0.4**2)
    assert max(names["check"](bonds, points)) < 1e-7
    # A step of backward Euler: the momentum of the whole sheet grows by dt times the attraction at its end.
    sim, mass, dt = names["sim"], names["scene"].contributions()[0].nodes.mass, 4e-3
    before = mass @ sim.bodies["sheet"].velocities
    sim.step()
    x, still = sim.bodies["sheet"].positions, np.zeros_like(sim.bodies["sheet"].positions)
    at = sg.Linearisation(positions=x, offset_velocity=still, frame_velocity=still, velocities=still, time=0.0)
    pull = names["Attraction"](names["every"], (0, 0, 1.1), 0.05).forces(at, internal).sum(axis=(0, 1))
    np.testing.assert_allclose(mass @ sim.bodies["sheet"].velocities - before, dt * pull, atol=1e-9)
    assert abs(dt * pull[2]) > 1e-5
    assert isinstance(names["settings"], sg.Settings)
