"""Short examples of pages that have no test of their own run as they stand; no page with Python is without one."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

import signorini as sg

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
TESTS = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "tests").rglob("test_*.py"))
LEG = """HIERARCHY
ROOT Hips
{
  OFFSET 0 90 0
  CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation
  JOINT LeftUpLeg
  {
    OFFSET 10 0 0
    CHANNELS 3 Zrotation Xrotation Yrotation
    End Site
    {
      OFFSET 0 -40 0
    }
  }
}
MOTION
Frames: 501
Frame Time: 0.01
"""


def blocks(page: str, language: str = "python") -> list[str]:
    text = (DOCS / page).read_text(encoding="utf-8")
    return re.findall(rf"```{language}\n(.*?)```", text, flags=re.DOTALL)


def run(page: str, **names: Any) -> dict[str, Any]:
    """Run the blocks of a page one after the other, with these names beside its own."""
    for block in blocks(page):
        exec(compile(block, page, "exec"), names)
    return names


def test_every_page_with_python_has_a_test() -> None:
    pages = [path.relative_to(DOCS).as_posix() for path in DOCS.rglob("*.md") if "```python" in path.read_text("utf-8")]
    assert len(pages) > 20
    assert not [page for page in pages if page not in TESTS]


def test_cloth(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("cloth.md")["sim"].step_index == 100
    flat, creased = (float(width) for width in re.findall(r": ([0-9.]+) m wide", capsys.readouterr().out))
    assert flat == pytest.approx(0.2, abs=2e-3)
    assert creased == pytest.approx(0.138, abs=5e-3)


def test_ccd() -> None:
    assert run("ccd.md")["toi"] < 0.5


def test_characters(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("dance.bvh").write_text(LEG + "0 0 0 0 0 0 0 0 0\n" * 501)
    names = run("characters.md")
    assert names["scene"].body_names == ["dancer", "sheet"]
    assert names["bvh"].frame_count == 501 and len(names["mesh"].vertices) > 100


def test_contact_problems(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    assert run("contact-problems.md")["stored"].problem.contact_count > 100


def test_sleeping_and_seeing_results() -> None:
    sim = run("seeing-results.md")["sim"]
    assert sim.step_index == 10
    run("sleeping.md", sim=sim, report=sim.step())


def test_scene_files_of_other_pages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    sheet = sg.shapes.grid(0.2, 0.2, cells=2)
    lines = [f"v {x} {z} {-y}" for x, y, z in sheet.vertices] + [
        f"f {a + 1} {b + 1} {c + 1}" for a, b, c in sheet.triangles
    ]
    Path("cloth.obj").write_text("\n".join(lines) + "\n")
    for page in ("seeing-results.md", "blender.md"):
        (table,) = blocks(page, "toml")
        Path("scene.toml").write_text(table)
        assert len(sg.load_scene("scene.toml").scene.bodies) == 1, page
