"""docs/validation.md: it has every case, no miss without a reason, all plots, and its example runs."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from signorini.studies.validation.collection import CASES

DOCS = Path(__file__).parents[2] / "docs"
PAGE = (DOCS / "validation.md").read_text(encoding="utf-8")


PARTS = re.split(r"^## (.+)$", PAGE, flags=re.MULTILINE)[1:]
SECTIONS = dict(zip(PARTS[::2], PARTS[1::2], strict=True))


def test_every_case_is_on_the_page_with_measurements() -> None:
    assert [name for name in SECTIONS if name != "What is not right"] == [case.name for case in CASES]
    for case in CASES:
        assert "| quantity | expected | measured |" in SECTIONS[case.name], case.name
        assert "broke off" not in SECTIONS[case.name], case.name


def test_what_is_outside_of_its_bound_has_a_reason() -> None:
    assert "| OUTSIDE |" not in PAGE
    wrong = PAGE.split("## What is not right")[1].split("\n## ")[0]
    assert "the reason is not known" not in wrong
    for name, section in SECTIONS.items():
        if "| OUTSIDE, known |" in section:
            assert f"\n- {name}: " in wrong


def test_every_plot_is_there() -> None:
    shown = re.findall(r"!\[[^\]]*\]\(([^)]+)\)", PAGE)
    assert len(shown) > 10
    assert not [name for name in shown if not (DOCS / name).is_file()]
    stored = {f"images/validation/{path.name}" for path in (DOCS / "images" / "validation").iterdir()}
    assert stored == set(shown), "plots that no case shows any more"


def test_the_example_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(tmp_path)
    (code,) = re.findall(r"```python\n(.*?)```", PAGE, flags=re.DOTALL)
    exec(compile(code, "docs/validation.md", "exec"), {})
    assert capsys.readouterr().out.count("inside") == 8
    assert (tmp_path / "validation" / "index.html").is_file()
