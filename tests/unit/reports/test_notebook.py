"""What notebooks show: tables that name everything, pictures that can be decoded, and, in a browser, played and scrubbed."""

from __future__ import annotations

import base64
import io
import re

import numpy as np
import pytest
from PIL import Image

import signorini as sg
from signorini.render.frame_source import PastStates
from signorini.simulation.past import MOST_BYTES, MOST_STATES, Past
from support.chromium import Browser, needs_chromium


def scene() -> sg.Scene:
    made = sg.Scene(name="<demo>")
    sheet = made.add_cloth(sg.shapes.grid(0.2, 0.2, cells=4), area_density=0.2, position=(0, 0, 0.05), name="a & b")
    sheet.pin([0, 1, 2])
    made.add_rigid(sg.shapes.box(0.1, 0.1, 0.02), mass=2.0, position=(0, 0, 0.012), name="box")
    made.add_ground(name="floor")
    return made


def pictures(page: str) -> list[np.ndarray]:
    """The pictures of a page, decoded."""
    found = re.findall(r'src="data:image/(?:png|jpeg);base64,([^"]+)"', page)
    return [np.asarray(Image.open(io.BytesIO(base64.b64decode(data)))) for data in found]


def test_a_scene_is_a_table_of_its_bodies() -> None:
    page = scene()._repr_html_()
    rows = [re.findall(r"<td>(.*?)</td>", row) for row in re.findall(r"<tr>(.*?)</tr>", page)][1:]
    assert rows[0] == ["a &amp; b", "cloth", "25", "32", "0.2 × 0.2 × 0 m", "8 g", "0.3", "3 vertices pinned"]
    assert rows[1][:2] == ["box", "rigid"] and rows[1][5] == "2 kg"
    assert rows[2][:3] == ["floor", "ground", ""]
    assert "&lt;demo&gt;" in page and "<demo>" not in page


def test_a_simulation_is_a_picture_and_its_numbers() -> None:
    sim = sg.Simulation(scene(), dt=5e-3)
    (picture,) = pictures(sim._repr_html_())
    assert picture.shape == (320, 480, 3) and picture.std() > 5.0
    sim.step()
    page = sim._repr_html_()
    before, now = pictures(page)
    assert before.shape == now.shape == (320, 480, 3) and page.count("display:block") == 1
    assert re.findall(r'alt="([^"]*)"', page) == ["t = 0 s", "t = 0.005 s"]
    assert "t = 0.005 s (step 1" in page and "least distance" in page


def test_a_simulation_knows_few_states_of_its_past() -> None:
    """Evenly spread over all of its time however long it runs, and without those that it was set back from."""
    x = np.zeros((4, 3))
    past = Past(x)
    for k in range(1, 1001):
        past.add(0.1 * k, x + k)
    assert MOST_STATES // 2 <= len(past.times) <= MOST_STATES
    assert np.ptp(np.diff(past.times)) < 1e-9 and past.times[0] == 0.0 and past.times[-1] > 95.0
    np.testing.assert_allclose([p[0, 0] for p in past.positions], np.array(past.times) / 0.1, rtol=1e-6)
    past.add(50.0, x)
    assert max(past.times) <= 50.0
    large = Past(np.zeros((MOST_BYTES // 24, 3)))
    for k in range(1, 9):
        large.add(k, np.zeros((MOST_BYTES // 24, 3)))
    assert sum(p.nbytes for p in large.positions) <= MOST_BYTES
    sim = sg.Simulation(scene(), dt=5e-3)
    start = sim.checkpoint()
    for _ in range(3):
        sim.step()
    sim.restore(start)
    assert len(pictures(sim._repr_html_())) == 1, "what was undone is not shown"
    sim.step()
    assert PastStates(sim).times == [0.0, 0.005]


@needs_chromium
def test_pictures_are_played_and_scrubbed(tmp_path) -> None:
    sim = sg.Simulation(scene(), dt=5e-3)
    for _ in range(12):
        sim.step()
    (tmp_path / "page.html").write_text(f"<!doctype html><meta charset=utf-8>{sim._repr_html_()}", encoding="utf-8")
    shown = "[...document.querySelectorAll('img')].map((e) => e.style.display).indexOf('block')"
    browser = Browser(640, 520)
    try:
        browser.open((tmp_path / "page.html").as_uri(), until="document.querySelector('button')")
        last = browser.evaluate("document.querySelectorAll('img').length") - 1
        assert last == 12 and browser.evaluate(shown) == last
        browser.click("input")
        assert browser.evaluate(shown) == 6
        assert browser.evaluate("document.querySelector('output').textContent") == "t = 0.03 s"
        browser.click("button")
        browser.wait(f"{shown} > 6")
        browser.click("button")
        stopped = browser.evaluate(shown)
        assert browser.evaluate("document.querySelector('button').timer") == 0 and browser.evaluate(shown) == stopped
        browser.click("button")
        browser.wait(f"{shown} === {last} && document.querySelector('button').timer === 0")
        browser.click("button")
        browser.wait(f"{shown} < 6")
        assert not browser.errors
    finally:
        browser.close()


def test_a_trajectory_is_pictures_with_a_slider(tmp_path) -> None:
    sg.run(scene(), tmp_path / "run", dt=5e-3, seconds=0.1, fps=30)
    trajectory = sg.Trajectory.open(tmp_path / "run")
    page = trajectory._repr_html_()
    found = pictures(page)
    assert len(found) == trajectory.frame_count == 4
    assert page.count("display:block") == 1 and 'type="range" min="0" max="3" value="3"' in page
    assert re.findall(r'alt="([^"]*)"', page)[-1] == "frame 3, t = 0.1 s"
    assert np.abs(found[0].astype(float) - found[-1]).mean() > 0.5
    assert trajectory.render(tmp_path / "a.png", size=(64, 48)).is_file()
    with pytest.raises(sg.InputError, match=r"must end in \.png for a picture"):
        trajectory.render(tmp_path / "a.tiff")
