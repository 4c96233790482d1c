"""The quick start, the concepts and the tutorials run as they stand: Python, scene files and commands."""

from __future__ import annotations

import re
import shlex
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

import signorini as sg
from signorini.cli.main import app

DOCS = Path(__file__).parents[2] / "docs"
FILES = {"quick-start.md": "scarf.toml", "tutorials/artist.md": "napkin.toml"}
"""Pages with a scene file, and the name that the page gives to it."""


def run_page(page: str) -> tuple[dict[str, Any], str]:
    """Run all blocks of a page in their order, in the current directory; return its names and what commands printed."""
    names: dict[str, Any] = {"__name__": "__main__"}  # as a script; dataclasses look up their module
    printed = ""
    text = (DOCS / page).read_text(encoding="utf-8")
    for language, block in re.findall(r"```(python|toml|sh)\n(.*?)```", text, flags=re.DOTALL):
        if language == "python":
            exec(compile(block, page, "exec"), names)
        elif language == "toml":
            Path(FILES[page]).write_text(block, encoding="utf-8")
            sg.load_scene(FILES[page])
        else:
            for command in block.splitlines():
                result = CliRunner().invoke(app, shlex.split(command)[1:])
                assert result.exit_code == 0, f"{command}\n{result.output}"
                printed += result.output
    return names, printed


@pytest.fixture
def numbers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Any:
    """A function that runs a page and returns its names and the text that it printed."""
    monkeypatch.chdir(tmp_path)

    def run(page: str) -> tuple[dict[str, Any], str]:
        names, commands = run_page(page)
        return names, capsys.readouterr().out + commands

    return run


def test_quick_start(numbers: Any) -> None:
    names, printed = numbers("quick-start.md")
    assert names["sim"].intersections() == 0 and "0.30 s: " in printed
    from_file = sg.load_scene("scarf.toml")
    assert from_file.scene.body_names == names["scene"].body_names and from_file.scene.friction == 0.4


def test_concepts(numbers: Any) -> None:
    names, _ = numbers("concepts.md")
    assert names["on_floor"] == pytest.approx(2002 * 9.81, rel=1e-3)
    assert names["thin"].contact_distance == 2e-4 and names["report"].min_distance > 0


def test_artist(numbers: Any) -> None:
    numbers("tutorials/artist.md")
    assert Path("napkin.html").stat().st_size > 10_000 and Path("napkin.webp").stat().st_size > 1_000
    assert Path("napkin.usdc").stat().st_size > 1_000
    assert sg.Trajectory.open("runs/napkin").positions("napkin", 0)[:, 2].max() == pytest.approx(0.14)


def test_robotics(numbers: Any) -> None:
    names, _ = numbers("tutorials/robotics.md")
    assert names["grip"].friction[2] == pytest.approx(0.5 * names["weight"], rel=0.1)
    assert abs(names["grip"].normal[0]) == pytest.approx(4.0, rel=0.05)
    held, slipped = names["heights"]
    assert held > 0.095 and slipped < held - 0.01


def test_biomechanics(numbers: Any) -> None:
    names, _ = numbers("tutorials/biomechanics.md")
    force = names["force"]
    assert force[0] == 0.0 and force[-1] > 0.5 and (force[25:] > force[24:-1]).all()
    assert abs(names["state"].volume_ratio.mean() - 1) < 0.03 and names["pressure"].max() > 1e3
    assert Path("indentation.pvd").is_file()


def test_researcher(numbers: Any) -> None:
    names, printed = numbers("tutorials/researcher.md")
    assert printed.count("0 intersections") == 3
    assert float(re.search(r"order of convergence about ([\d.]+)", printed)[1]) > 1.5
    assert names["energies"][0] == pytest.approx(25 * 0.5 * 0.05 * 0.1**2, rel=0.01)  # of springs that are 0.1 m long
    assert 0.7 * names["energies"][0] < names["energies"][-1] <= names["energies"][0]
    scene = sg.Scene(friction=0.0)
    scene.add_rigid(sg.shapes.box(0.1, 0.1, 0.1), mass=2.0, position=(0, 0, 0.052), name="box")
    scene.add_ground()
    sim = sg.Simulation(scene, dt=5e-3, settings=sg.Settings(solver=names["jacobi"]))
    for _ in range(20):
        sim.step()
    assert sim.contact_force("box")[2] == pytest.approx(2 * 9.81, rel=0.02)


def test_teacher(numbers: Any) -> None:
    names, printed = numbers("tutorials/teacher.md")
    assert names["moving"][0] == 30
    assert names["v_a"] + 3 * names["v_b"] == pytest.approx(2.0, rel=1e-6)
    assert (names["v_b"] - names["v_a"]) / 2 == pytest.approx(0.5, rel=0.02)
    misses = {
        line.split(":")[0]: re.findall(r"([\d.]+) mm (?:of 500|at 4)", line)
        for line in printed.splitlines()
        if "misses" in line
    }
    (first, half), (second, quarter) = ([float(mm) for mm in misses[rule]] for rule in ("euler", "bdf2"))
    assert first / half == pytest.approx(2.0, rel=0.2) and second / quarter > 3.0 and second < 0.01 * first
