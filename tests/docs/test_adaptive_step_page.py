"""The example of docs/adaptive-step.md runs, and its table has the defaults."""

from __future__ import annotations

import re
from pathlib import Path

from signorini.methods.pace import DEEPEST
from signorini.simulation.auto_step import DEFAULT_ERROR

PAGE = (Path(__file__).parents[2] / "docs" / "adaptive-step.md").read_text(encoding="utf-8")


def test_the_example_runs() -> None:
    for code in re.findall(r"```python\n(.*?)```", PAGE, re.S):
        exec(code, {})


def test_the_defaults_are_those_of_the_page() -> None:
    assert f"step_error={DEFAULT_ERROR:g}" in PAGE
    assert f"dt / {2**DEEPEST}" in PAGE
