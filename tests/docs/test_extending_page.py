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


def test_the_typed_code_runs_one_after_the_other(monkeypatch: pytest.MonkeyPatch, capsys) -> None:
    monkeypatch.syspath_prepend(str(ROOT / "examples/extending"))
    from projected_gradient import solve  # pyright: ignore[reportMissingImports]

    names: dict = {"__name__": "extending_page", "solve": solve}
    monkeypatch.setitem(sys.modules, "extending_page", sys)  # dataclasses look their module up
    for block in TYPED:
        exec(compile(block, "extending.md", "exec"), names)
    assert "0.2 s" in capsys.readouterr().out
    assert max(names["errors"]) < 1e-7
    bonds, points = names["bonds"], names["points"]
    internal = bonds.next_state(points, bonds.initial_state(points))
    assert internal.tolist() == [1.0, 0.0]
    assert bonds.energy(points, internal) == pytest.approx(0.4**2)
    assert max(names["check"](bonds, points)) < 1e-7
    # The mean height is that of an oscillator of ω² = κ/m per node, drawn from 1.0 to 1.1 m, less what backward Euler damps.
    height = names["sim"].bodies["sheet"].positions[:, 2].mean()
    assert height == pytest.approx(1.1 - 0.1 * np.cos(np.sqrt(25 * 0.05 / (0.2 * 0.04)) * 0.2), abs=0.01)
    assert isinstance(names["settings"], sg.Settings)
