"""The example of the page on soft solids."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

PAGE = Path(__file__).parents[2] / "docs/soft-solids.md"


def test_the_example_of_rubber_and_tissue_runs(capsys: pytest.CaptureFixture[str]) -> None:
    (code,) = re.findall(r"```python\n# example: rubber\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.S)
    exec(compile(code, str(PAGE), "exec"), {})
    assert capsys.readouterr().out.splitlines()[-1] == "[True, True, False]"
