"""The report of a run: verdict, balance, worst steps, and a page that holds everything."""

from __future__ import annotations

import json
import re

import numpy as np
import pytest

import signorini as sg
from signorini.errors import InputError
from signorini.files.runs.step_table import read_steps
from signorini.render import pictures
from signorini.reports import run_report
from signorini.reports.line_plot import Line, axis_end, bar_plot, line_plot
from signorini.reports.numbers import plain, power_of_ten, quantity, share
from signorini.reports.run_report import read_run, write_report
from signorini.reports.verdict import FAIL, GOOD, WARN, verdict, worst_steps
from support.runs import run


@pytest.mark.parametrize(
    ("value", "unit", "text"),
    [
        (1.11, "s", "1.11 s"),
        (1110.0, "s", "1,110 s"),
        (4.7e-3, "s", "4.7 ms"),
        (0.9996, "s", "1 s"),
        (2.2e-5, "m/s", "22 µm/s"),
        (-15_600.0, "J", "-15.6 kJ"),
        (0.0, "J", "0 J"),
        (1e-15, "J", "below 1 nJ"),
        (None, "J", "–"),
        (float("inf"), "m", "–"),
    ],
)
def test_quantities_have_prefixes_and_no_exponents(value, unit, text) -> None:
    assert quantity(value, unit) == text


def test_plain_numbers() -> None:
    assert [plain(x) for x in (0.01234, 12.34, 999.4, 1234567.0)] == ["0.0123", "12.3", "999", "1,234,567"]
    assert [power_of_ten(x) for x in (-5, -2, 0, 2, 3, 12)] == ["10⁻⁵", "0.01", "1", "100", "1000", "10¹²"]
    assert power_of_ten(np.log10(2e-5)) == "2·10⁻⁵"
    few = line_plot("", [Line("a", "#000", [0.0, 1.0], [3e-5, 8e-5])], x_label="", y_label="", logarithmic=True)
    assert few.count("·10⁻⁵") == 3, "an axis has numbers also within a decade"
    assert (share(1.0, 4.0), share(1.0, 0.0)) == ("25 %", "–")


SUMMARY = {
    "status": "completed", "end_reason": "reached the requested time", "method": "cmr", "simulated_seconds": 1.0,
    "requested_seconds": 2.0, "steps": 250, "frames": 31, "intersecting_frames": 0, "nested_frames": 0, "failsafe_steps": 0,
    "unsolved_steps": 0, "energy_removed": 0.0, "advised_dt": None, "solves": 300,
}  # fmt: skip


@pytest.mark.parametrize(
    ("changes", "level", "words"),
    [
        ({}, GOOD, "all 300 contact problems were solved"),
        ({"solves": 0}, GOOD, "nothing touched"),
        ({"failsafe_steps": 1, "advised_dt": 2e-3}, WARN, r"but 1 step needed a fail-safe \(dt = 2 ms may avoid it\)"),
        ({"failsafe_steps": 3, "unsolved_steps": 2}, WARN, "3 steps needed a fail-safe, and 2 steps ended with"),
        ({"method": "collision-loop"}, GOOD, "free of intersection in every stored frame"),
        ({"energy_removed": 0.02}, WARN, "20 mJ of unexplained energy were removed"),
        ({"status": "interrupted"}, WARN, "Interrupted by the user after 1 s of 2 s, in 250 steps, free"),
        ({"status": "running"}, WARN, "Not finished"),
        ({"status": "stopped", "end_reason": "no room left. Move it."}, FAIL, r"Stopped .*: no room left\. Move it\.$"),
        ({"intersecting_frames": 2, "nested_frames": 1}, FAIL, "NOT free of intersection: 3 of 31 frames"),
    ],
)
def test_the_verdict_is_one_sentence(changes, level, words) -> None:
    found = verdict(SUMMARY | changes)
    assert found[0] == level
    assert re.search(words, found[1])


def test_the_worst_steps_have_reason_and_remedy(tmp_path) -> None:
    run(tmp_path / "run")
    rows = read_steps(tmp_path / "run/steps.csv")
    (first, *others) = worst_steps(rows)
    assert first.row["index"] == 7 and first.bad and "fail-safe changed the motion in 1 of 1" in first.reason
    assert len(others) == 5 and not any(step.bad for step in others)
    assert "57 % of it contact" in others[0].reason and others[0].remedy == "none needed"
    rows[3] |= {"infeasible_contacts": 4, "infeasible_bodies": "plate | sheet"}
    rows[4] |= {"unsolved_substeps": 1, "unsolved_bodies": "a | b", "momentum_residual": 0.02}
    rows[5] |= {"energy_surplus": 0.5, "energy_removed": 0.25, "status": "damped"}
    rows[8] |= {"over_budget": 1, "failsafe_substeps": 1}
    slowest = others[0].row["index"] - 1
    rows[slowest] |= {"energy_retries": 2, "shortest_substep": 1e-3, "status": "halved"}
    found = worst_steps(rows)
    (slow,) = (step for step in found if step.row["index"] == slowest + 1)
    assert (
        "2 attempts repeated with smaller sub-steps: energy had grown" in slow.reason and "a dt of 1 ms" in slow.remedy
    )
    assert [step.row["index"] for step in found[:5]] == [4, 9, 7, 5, 6]
    assert "plate and sheet is squeezed" in found[0].reason and "more room" in found[0].remedy
    assert "a and b was not solved: residual 20 mm/s" in found[3].reason
    assert "500 mJ of energy grew unexplained, 250 mJ of it removed" in found[4].reason


def pinched() -> sg.Scene:
    """A plate comes down on a sheet that lies on the ground and cannot yield."""
    scene = sg.Scene(friction=0.3, name="a <pinch>")
    scene.add_cloth(sg.shapes.grid(0.3, 0.3, cells=4), position=(0, 0, 0.01), name="sheet")
    down = sg.motions.Translate(velocity=(0, 0, -0.5))
    scene.add_kinematic(sg.shapes.box(0.5, 0.5, 0.1), motion=down, position=(0, 0, 0.1), name="plate")
    scene.add_ground(name="floor")
    return scene


@pytest.fixture(scope="module")
def stopped(tmp_path_factory):
    out = tmp_path_factory.mktemp("report") / "run"
    with pytest.raises(sg.SimulationStoppedError):
        sg.run(pinched(), out, dt=4e-3, seconds=0.3, fps=50, settings=sg.Settings(contact_distance=8e-3))
    return out


def test_the_page_of_a_run_that_a_pinch_stopped(stopped) -> None:
    page = write_report(stopped).read_text()
    assert page.count('<video src="data:video/mp4;base64,') == 1
    assert "slowed down" in page, "a film of a tenth of a second is not seen"
    assert "The last frame, without &#x27;plate&#x27;." in page and page.count('<img src="data:image/png') == 1
    assert page.count("<svg") == 7
    assert "<title>a &lt;pinch&gt;: report of a run</title>" in page
    assert re.search(r'class="verdict fail">Stopped after .*there is no room left between .*plate.* and .*sheet', page)
    wanted = ("Worst steps", "work of gravity", "work of scripted bodies", "lost to friction", "contact distance")
    for words in (*wanted, "half-space"):
        assert words in page
    page = re.sub(r"base64,[^\"]*", "", page)
    assert "http:" not in page and "https:" not in page and ".mp4" not in page, "one file"
    assert "e+0" not in page and "e-0" not in page


def test_the_balance_of_energy_closes(stopped) -> None:
    page = write_report(stopped, film=False).read_text()
    left = re.search(r"what the balance leaves open</td><td>([^<]*)<", page)
    data = read_run(stopped)
    assert left and (left[1] in ("0 J", "below 1 nJ") or left[1].endswith(" nJ"))
    assert data.summary["script_work"] > 1e-4, "the plate did work"


def test_a_missing_extra_is_said_on_the_page(stopped, monkeypatch) -> None:
    def missing(name: str) -> None:
        raise sg.MissingExtraError(f"pictures and films need the package {name}")

    monkeypatch.setattr(pictures, "_need", missing)
    page = write_report(stopped).read_text()
    assert "No film: pictures and films need the package" in page and "<video" not in page


def test_mistakes_are_named(stopped, tmp_path) -> None:
    with pytest.raises(InputError, match=r"must end in \.html"):
        write_report(stopped, tmp_path / "page.pdf")
    with pytest.raises(InputError, match="does not exist"):
        write_report(tmp_path / "nothing")
    run(tmp_path / "run")
    summary = tmp_path / "run/summary.json"
    kept = json.loads(summary.read_text())
    for damage in ("{", "[]", json.dumps({"frames": kept["frames"]})):
        summary.write_text(damage)
        with pytest.raises(InputError, match=r"summary of the run in .* cannot be read"):
            write_report(tmp_path / "run")


def test_long_lines_keep_their_extremes() -> None:
    x = [float(k) for k in range(20_000)]
    y = [0.0] * 20_000
    y[12_345] = 7.0
    svg = line_plot("peak", [Line("a", "#000", x, y)], x_label="", y_label="")
    assert len(svg) < 60_000
    highest = min(float(point.split(",")[1]) for point in re.findall(r'points="([^"]*)"', svg)[0].split())
    assert highest == pytest.approx(42.0)


def test_an_axis_ends_where_nearly_all_values_are_seen() -> None:
    usual = [1.0 + 0.01 * k for k in range(100)]
    assert axis_end(usual) == usual[-1]
    assert axis_end([*usual, 9.0]) == 9.0, "not far above"
    assert axis_end([*usual, 13_500.0]) == pytest.approx(2.0 * usual[-2], rel=0.02)
    assert (axis_end([]), axis_end([3.0]), axis_end([0.0, 0.0])) == (0.0, 3.0, 0.0)


def test_a_long_run_has_a_film_of_some_frames(stopped, monkeypatch) -> None:
    asked = {}
    monkeypatch.setattr(pictures, "PAGE_FRAMES", 2)
    monkeypatch.setattr(run_report, "render_film", lambda _, file, **options: asked.update(options) or file.touch())
    page = write_report(stopped).read_text()
    assert asked["every"] == 3 and "every 3 frames, slowed down" in page
    assert asked["fps"] == pytest.approx(1.0), "a frame a second"


def test_bars_have_heights_in_proportion() -> None:
    svg = bar_plot("b", [("1", 10.0), ("2", 5.0)], x_label="", y_label="")
    heights = [float(h) for h in re.findall(r'height="([\d.]+)" fill', svg)]
    assert heights[0] == pytest.approx(2.0 * heights[1], rel=1e-3)
    (alone,) = re.findall(r'width="([\d.]+)" height', bar_plot("b", [("1", 10.0)], x_label="", y_label=""))
    assert float(alone) < 100.0
    assert "no values" in bar_plot("b", [], x_label="", y_label="")
