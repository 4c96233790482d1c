"""Every extra that is missing is named in one sentence, and `signorini doctor` knows all of them."""

from __future__ import annotations

import importlib
import re
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest

import signorini as sg
from signorini.diagnosis.doctor import EXTRAS, PURPOSES, examine_installation
from signorini.render.pictures import render_film
from signorini.studies.solver_bench_plots import load_pyplot
from signorini.studies.sweep.dask_engine import connect

PROJECT = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text(encoding="utf-8"))["project"]
DECLARED = PROJECT["optional-dependencies"]
FOR_DEVELOPERS = {"dev", "docs"}
"""Extras that no function of the package needs."""


@pytest.fixture(scope="module")
def trajectory(tmp_path_factory: pytest.TempPathFactory) -> sg.Trajectory:
    """A run of two frames of one triangle."""
    scene = sg.Scene()
    scene.add_cloth(sg.TriangleMesh([[0, 0, 1], [1, 0, 1], [0, 1, 1]], [[0, 1, 2]]), area_density=1.0)
    out = tmp_path_factory.mktemp("runs") / "triangle"
    sg.run(scene, out, seconds=0.008, fps=125.0, progress=False)
    return sg.Trajectory.open(out)


def environments() -> None:
    for name in [name for name in sys.modules if name.startswith("signorini.environments")]:
        del sys.modules[name]
    importlib.import_module("signorini.environments")


USES: dict[str, Callable[[sg.Trajectory, Path], object]] = {
    "render": lambda trajectory, folder: render_film(trajectory, folder / "film.mp4"),
    "bench": lambda trajectory, folder: load_pyplot(),
    "text": lambda trajectory, folder: sg.shapes.text("A", height=1.0, depth=0.1, font=folder / "font.ttf"),
    "sweep": lambda trajectory, folder: connect("tcp://127.0.0.1:1"),
    "usd": lambda trajectory, folder: sg.export(trajectory, folder / "film.usdc"),
    "paraview": lambda trajectory, folder: sg.export(trajectory, folder / "film.vtkhdf"),
    "gym": lambda trajectory, folder: environments(),
    "tetrahedra": lambda trajectory, folder: sg.shapes.from_tetwild(sg.shapes.box(1.0, 1.0, 1.0), edge_length=0.5),
}
"""What a user does that needs the extra."""


def test_every_extra_is_tried() -> None:
    assert set(USES) == set(DECLARED) - FOR_DEVELOPERS


@pytest.mark.parametrize("extra", USES)
def test_a_missing_extra_is_named_in_one_sentence(
    extra: str, trajectory: sg.Trajectory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in [name for name in sys.modules if name.startswith("signorini.environments")]:
        monkeypatch.setitem(sys.modules, name, sys.modules[name])  # put back afterwards
    for module in EXTRAS[extra]:
        for name in [name for name in sys.modules if name.partition(".")[0] == module] or [module]:
            monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(sg.MissingExtraError) as caught:
        USES[extra](trajectory, tmp_path)
    message = str(caught.value)
    assert f'pip install "signorini[{extra}]"' in message and len(message) < 200 and "\n" not in message
    assert not re.search(r"\. [A-Z]", message)
    assert not [file for file in tmp_path.iterdir() if file.stat().st_size], "a file that is not complete was left"


def test_the_doctor_knows_every_extra_and_its_packages() -> None:
    assert set(EXTRAS) == set(PURPOSES) == set(DECLARED) - FOR_DEVELOPERS
    for extra, modules in EXTRAS.items():
        assert set(modules.values()) == {re.split(r"[<>=]", need)[0] for need in DECLARED[extra]}, extra


def test_the_doctor_names_what_is_missing(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setitem(sys.modules, "gymnasium", None)
    (found,) = [finding for finding in examine_installation(tmp_path) if finding.topic == "extra gym"]
    assert found.state == "note" and 'pip install "signorini[gym]"' in found.text
