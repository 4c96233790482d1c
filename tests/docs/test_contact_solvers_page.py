"""The settings on docs/contact-solvers.md are those that the solvers declare, and its example runs."""

from __future__ import annotations

import ast
import re
from dataclasses import fields
from pathlib import Path

import pytest

import signorini as sg
from signorini.settings import solver_settings
from signorini.solvers.named_solvers import NAMED_SOLVERS

PAGE = (Path(__file__).parents[2] / "docs/contact-solvers.md").read_text(encoding="utf-8")


def test_the_table_of_settings_is_what_the_solvers_declare() -> None:
    text = PAGE.split("## Settings\n")[1].split("\n## ")[0]
    head, _, *rows = ([cell.strip() for cell in line[1:-1].split("|")] for line in re.findall(r"^\|.*\|$", text, re.M))
    solvers = [cell.strip("`") for cell in head[2:]]
    assert set(solvers) == set(NAMED_SOLVERS)
    reads: dict[str, set[str]] = {name: set() for name in solvers}
    defaults: dict[str, object] = {}
    for row in rows:
        name = re.findall(r"`(\w+)`", row[0])[0]
        defaults[name] = ast.literal_eval(row[1].strip("`"))
        for solver, cell in zip(solvers, row[2:], strict=True):
            assert cell in ("", "yes")
            if cell:
                reads[solver].add(name)
    assert reads == {name: set(solver_settings._SETTINGS_READ_BY[name]) for name in solvers}
    assert defaults == {f.name: f.default for f in fields(sg.SolverSettings) if f.name != "name"}


def test_the_example_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (example,) = re.findall(r"```python\n(.*?)```", PAGE, flags=re.DOTALL)
    monkeypatch.chdir(tmp_path)
    names: dict = {}
    exec(compile(example, "contact-solvers.md", "exec"), names)
    assert names["problem"].contact_count > 0
    assert sg.Mlcp.load("problem.npz").contact_count == names["problem"].contact_count
