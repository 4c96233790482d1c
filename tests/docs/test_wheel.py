"""A wheel in an empty environment, without a compiler: the example of the README runs, and missing extras are named."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from support.six_commands import commands, write_meshes

ROOT = Path(__file__).parents[2]
RUN = """
scene = sg.Scene()
scene.add_cloth(sg.shapes.grid(0.1, 0.1, cells=2), name="sheet")
run = sg.run(scene, "run", dt=0.01, seconds=0.02, force=True)
"""
CALLS = {
    "usd": 'sg.load_mesh("mesh.usda")',
    "text": 'sg.shapes.text("A", height=1.0, depth=0.1, font="font.ttf")',
    "gym": "import signorini.environments",
    "tetrahedra": "sg.shapes.from_tetwild(sg.shapes.box(1.0, 1.0, 1.0), edge_length=0.5)",
    "render": RUN + 'sg.Trajectory.open("run").render("film.mp4")',
    "paraview": RUN + 'sg.export("run", "run.vtkhdf")',
}
"""What a user may try without the extra, in Python."""
COMMANDS = {
    "bench": "reproduce sifakis2008-fig-1 --quick",
    "sweep": "sweep drape --vary friction=0:1:2 --scheduler tcp://127.0.0.1:1",
    "render": "render run --film",
}
"""The same on the command line."""


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel that was built for a release, or one that is built now."""
    dist = Path(os.environ.get("SIGNORINI_DIST", tmp_path_factory.mktemp("built") / "dist"))
    if not dist.exists():
        subprocess.run([sys.executable, "-m", "build", "-o", str(dist), str(ROOT)], check=True, capture_output=True)
    (found,) = dist.glob("*.whl")
    return found


def install(wheel: Path, extras: str, folder: Path) -> Path:
    """A folder with an environment that has the wheel with some extras, and what they need."""
    subprocess.run([sys.executable, "-m", "venv", str(folder / "venv")], check=True)
    subprocess.run([folder / "venv/bin/python", "-m", "pip", "install", "-q", f"{wheel}{extras}"], check=True)
    return folder


@pytest.fixture(scope="module")
def empty(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An environment with the wheel and what it needs, and nothing else."""
    return install(wheel, "", tmp_path_factory.mktemp("empty"))


def run(empty: Path, code: str) -> subprocess.CompletedProcess[str]:
    """Run Python code there; the path has no compiler."""
    surroundings = {"PATH": str(empty / "venv/bin"), "HOME": str(empty), "SIGNORINI_CACHE_DIR": str(empty / "cache")}
    command = [str(empty / "venv/bin/python"), "-c", code]
    return subprocess.run(command, cwd=empty, env=surroundings, capture_output=True, text=True)


@pytest.mark.slow
def test_the_example_of_the_readme_runs(empty: Path) -> None:
    (example,) = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(encoding="utf-8"), flags=re.DOTALL)
    result = run(empty, "import shutil; assert not shutil.which('cc') and not shutil.which('gcc')\n" + example)
    assert result.returncode == 0 and "1.00 s: " in result.stdout and "(2500, 3)" in result.stdout, result.stderr[
        -2000:
    ]


@pytest.mark.slow
def test_the_six_commands_of_the_readme_run(wheel: Path, tmp_path: Path) -> None:
    """With the extras that the first of them names, in an empty directory."""
    first, *others = commands()
    (extras,) = re.findall(r"\[[a-z,]+\]", first)
    install(wheel, extras, tmp_path)
    write_meshes(tmp_path)
    home = {"PATH": f"{tmp_path}/venv/bin:/usr/bin:/bin", "HOME": str(tmp_path)}
    for command in others:
        done = subprocess.run(command, shell=True, cwd=tmp_path, env=home, capture_output=True, text=True)
        assert done.returncode == 0, f"{command}\n{done.stderr}"
    for made in ("runs/mine/film.mp4", "page.html", "mine.usdc"):
        assert (tmp_path / made).stat().st_size > 5_000, made


@pytest.mark.slow
@pytest.mark.parametrize("extra", CALLS)
def test_a_missing_extra_is_one_sentence(empty: Path, extra: str) -> None:
    (empty / "mesh.usda").write_text("#usda 1.0\n")
    result = run(empty, f"import signorini as sg\n{CALLS[extra]}")
    last = result.stderr.strip().splitlines()[-1]
    assert last.startswith("signorini.errors.MissingExtraError: ") and f'pip install "signorini[{extra}]"' in last


@pytest.mark.slow
@pytest.mark.parametrize("extra", COMMANDS)
def test_a_missing_extra_is_one_sentence_on_the_command_line(empty: Path, extra: str) -> None:
    (empty / "mesh.obj").write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n")
    run(empty, f"import signorini as sg\n{RUN}")
    words = ["signorini", *COMMANDS[extra].split()]
    result = run(empty, f"import sys; sys.argv = {words!r}; from signorini.__main__ import main; main()")
    (line,) = result.stderr.strip().splitlines()
    assert result.returncode and line.startswith("signorini: ") and f'pip install "signorini[{extra}]"' in line


def test_every_extra_for_users_is_tried() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert set(project["optional-dependencies"]) - {"docs", "dev"} == {*CALLS, *COMMANDS}
