"""The advice about dt: made of what steps measured, alike on the page, in the summary, on the terminal and in the report."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

import signorini as sg
from signorini.cli.summary_table import print_summary
from signorini.files.runs.step_table import read_steps, step_row
from signorini.files.runs.summary import RunStatistics
from signorini.methods.report import StepReport, StepStatus
from signorini.reports.run_report import write_report
from signorini.reports.verdict import GOOD, WARN, advice, verdict, worst_steps

PAGE = Path(__file__).parents[2] / "docs/one-time-step.md"
DT = 8e-3
HALVED = {"status": StepStatus.HALVED, "halvings": 2, "substeps": 4, "shortest_substep": 2e-3}
REPEATED = {"status": StepStatus.HALVED, "energy_retries": 1, "substeps": 2, "shortest_substep": 4e-3}
DAMPED = {"status": StepStatus.DAMPED, "energy_retries": 3, "shortest_substep": 1e-3, "energy_removed": 0.1}
FAILED = {"status": StepStatus.FAILSAFE, "halvings": 4, "failsafe_substeps": 1, "shortest_substep": 5e-4}
OVER_BUDGET = {"status": StepStatus.FAILSAFE, "failsafe_substeps": 1, "over_budget": 1}
REMOVED = {"energy_removed": 1e-3, "energy_surplus": 1e-3}
Steps = list[dict[str, Any]]
SAID: dict[str, list[tuple[Steps, float | None, str]]] = {
    "`halvings`, `energy_retries` are 0, status `ACCEPTED`": [([{}] * 10, None, "")],
    "`HALVED` now and then": [([HALVED, REPEATED] + [{}] * 8, None, ""), ([HALVED] * 5 + [{}] * 5, None, "")],
    "`HALVED` in most steps": [
        ([HALVED] * 6 + [{}] * 4, 2e-3, "dt = 2 ms would have spared 12 repeated attempts"),
        ([REPEATED] * 9 + [{}], 4e-3, "dt = 4 ms would have spared 9 repeated attempts"),
    ],
    "`DAMPED`, `FAILSAFE`, or `energy_removed` above 0": [
        ([DAMPED] + [{}] * 9, 1e-3, "spared 3 repeated attempts; compare two values of dt: .*changed in 1 step$"),
        ([FAILED, HALVED, HALVED] + [{}] * 7, 2e-3, "spared 8 repeated attempts; compare two values of dt"),
        ([OVER_BUDGET] + [{}] * 9, None, "^compare two values of dt: the motion was changed in 1 step$"),
        ([REMOVED] * 2 + [{}] * 8, None, "^compare two values of dt: the motion was changed in 2 steps$"),
    ],
    "`other_loss` is most of the energy": [([{"other_loss": 1.0}] * 10, None, "")],
}
"""For each line of the page's table: steps of which it speaks, the dt that is advised [s], and the words that say so."""


def table() -> dict[str, str]:
    """What to do, by what is reported."""
    section = PAGE.read_text(encoding="utf-8").split("## Which time step?\n")[1].split("\n## ")[0]
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in re.findall(r"^\|.*\|$", section, re.M)]
    assert rows[0] == ["what is reported", "what it means", "what to do"]
    return {row[0]: row[2] for row in rows[2:]}


def measured(steps: Steps) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """Rows of steps.csv and the summary of a run with these steps."""
    rows, statistics = [], RunStatistics()
    for k, changes in enumerate(steps):
        fields = {
            "status": StepStatus.ACCEPTED,
            "substeps": 1,
            "shortest_substep": DT,
            "solves": 1,
            "solves_converged": 1,
        }
        rows.append(step_row(StepReport(**{"index": k + 1, "time": DT * (k + 1), "dt": DT, **fields, **changes})))
        statistics.add(rows[-1])
    run = {"status": "completed", "method": "cmr", "frames": 1, "simulated_seconds": 1.0, "requested_seconds": 1.0}
    return rows, statistics.as_dict() | run


def test_the_page_and_the_words_agree() -> None:
    assert table().keys() == SAID.keys()
    for reported, action in table().items():
        for steps, dt, words in SAID[reported]:
            rows, summary = measured(steps)
            assert summary["advised_dt"] == (None if dt is None else pytest.approx(dt)), reported
            assert re.search(words, advice(summary)) if words else not advice(summary), advice(summary)
            if dt is not None:
                assert "`advised_dt`" in action
            said, _ = verdict(summary)[1], worst_steps(rows)
            if verdict(summary)[0] == GOOD:
                assert said.endswith(f"; {advice(summary)}." if words else "without any fail-safe."), said
        needs_less = any(dt is not None for _, dt, _ in SAID[reported])
        assert needs_less == ("`advised_dt`" in action)
        compares = any("compare two values of dt" in words for *_, words in SAID[reported])
        assert not compares or "compare two values of dt" in action


@pytest.mark.parametrize("steps", [[HALVED] * 3, [REPEATED] * 3, [FAILED] * 3, [DAMPED] * 3])
def test_each_worst_step_names_its_own_shortest_sub_step(steps: Steps) -> None:
    rows, summary = measured(steps)
    shortest = {0.5: "500 µs", 1: "1 ms", 2: "2 ms", 4: "4 ms"}[1e3 * steps[0]["shortest_substep"]]
    for step in worst_steps(rows):
        assert shortest in step.remedy
        assert step.remedy.startswith("a dt below") == step.bad  # what was changed, was changed at that dt
    assert verdict(summary)[0] == (WARN if summary["changed_steps"] else GOOD)


def spinning() -> sg.Scene:
    """A soft cube that turns by 1.5 rad in 10 ms, three times what a sub-step may."""
    scene = sg.Scene(gravity=(0, 0, 0), name="spinning")
    cube = sg.shapes.box_tets(0.1, 0.1, 0.1, cells=2)
    scene.add_soft_solid(cube, young=1e6, density=1000, angular_velocity=(0, 0, 150), name="cube")
    return scene


def test_a_run_whose_steps_are_all_divided_gets_a_dt_that_needs_no_division(tmp_path: Path, capsys) -> None:
    sg.run(spinning(), tmp_path / "long", dt=0.01, seconds=0.08, fps=25)
    summary = json.loads((tmp_path / "long/summary.json").read_text())
    rows = read_steps(tmp_path / "long/steps.csv")
    assert all(row["status"] == "halved" for row in rows)
    assert summary["advised_dt"] == pytest.approx(min(row["shortest_substep"] for row in rows))
    words = f"dt = {1e3 * summary['advised_dt']:.3g} ms would have spared {len(rows)} repeated attempts"
    print_summary(summary, tmp_path / "long", quiet=False, as_json=False)
    assert words in " ".join(capsys.readouterr().out.split())
    assert words in write_report(tmp_path / "long", film=False).read_text(encoding="utf-8")

    sg.run(spinning(), tmp_path / "short", dt=summary["advised_dt"], seconds=0.08, fps=25)
    again = json.loads((tmp_path / "short/summary.json").read_text())
    assert (again["step_halvings"], again["advised_dt"], advice(again)) == (0, None, "")
    print_summary(again, tmp_path / "short", quiet=False, as_json=False)
    assert "advice" not in capsys.readouterr().out
    assert "would have spared" not in write_report(tmp_path / "short", film=False).read_text(encoding="utf-8")
