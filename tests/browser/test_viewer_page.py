"""The viewer in a real browser: playing, scrubbing, orbiting, bodies, contacts and colours change the picture as they should."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
import pytest

import signorini as sg
from signorini.viewer.page import write_page
from signorini.viewer.recording import RunRecording
from signorini.viewer.server import ViewerServer
from support.chromium import Browser, needs_chromium

pytestmark = needs_chromium
READY = "viewer && viewer.drawn > 0 && viewer.frame"


def scene() -> sg.Scene:
    scene = sg.Scene(friction=0.3, name="a sheet & a <ball>")
    scene.add_cloth(sg.shapes.grid(0.5, 0.5, cells=10), position=(0, 0, 0.22), name="sheet")
    scene.add_kinematic(sg.shapes.sphere(0.1, edge=0.04), position=(0, 0, 0.1), name="ball")
    scene.add_ground(name="floor")
    return scene


@pytest.fixture(scope="module")
def out(tmp_path_factory) -> Path:
    path = tmp_path_factory.mktemp("viewer") / "run"
    sg.run(scene(), path, dt=8e-3, seconds=0.4, fps=20, contacts=True)
    return path


@pytest.fixture(scope="module")
def browser():
    browser = Browser(1000, 700)
    yield browser
    browser.close()


@pytest.fixture
def page(browser: Browser, out: Path):
    browser.errors.clear()
    with ViewerServer(RunRecording(out)) as server:
        browser.open(server.url, until=READY)
        yield browser
    assert not browser.errors
    assert browser.evaluate("document.getElementById('message').hidden")


def picture(browser: Browser) -> np.ndarray:
    """The stage after what was last asked for has been drawn, at its best."""
    browser.evaluate("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done(1))))")
    browser.wait("viewer.settled")
    return browser.screenshot(selector="#view")


def changed(before: np.ndarray, after: np.ndarray) -> float:
    """The share of pixels that differ visibly."""
    return float((np.abs(before - after).max(axis=2) > 12).mean())


def near(shown: np.ndarray, color: tuple[int, int, int]) -> float:
    """The share of pixels with about the hue of a colour."""
    wanted = np.array(color) / sum(color)
    hue = shown / np.maximum(shown.sum(axis=2, keepdims=True), 1.0)
    return float((np.abs(hue - wanted).max(axis=2) < 0.06).mean())


FEW = 10
"""Contacts of fewer may all be hidden, or carry next to no force."""
BLUE, GREEN, ORANGE = (47, 127, 184), (11, 122, 75), (224, 123, 0)


def test_the_page_shows_scene_plots_and_report(page: Browser) -> None:
    shown = picture(page)
    assert near(shown, BLUE) > 0.02, "the sheet is blue"
    assert page.evaluate("document.title") == "a sheet & a <ball>"
    assert page.evaluate("viewer.times.length") == 9
    page.evaluate("viewer.show(8)")
    page.wait("viewer.now === 8")
    picture(page)
    text = page.evaluate("document.getElementById('report').innerText")
    contacts = int(page.evaluate("viewer.steps.columns.contact_count.at(-1)"))
    assert contacts > 0 and str(contacts) in text and "least distance" in text
    for k in range(4):
        curves = page.screenshot(selector=f"#plots figure:nth-child({k + 1})")
        assert (curves.min(axis=2) < 200).mean() > 0.005, "a plot has curves"
    assert all("127.0.0.1" in url for url in page.requests), "nothing is asked of the network"


def test_play_moves_through_time_and_stops(page: Browser) -> None:
    before = picture(page)
    speed = "(e => {{ e.value = '{}'; e.onchange(); return e.value }})(document.getElementById('speed'))"
    assert page.evaluate(speed.format("0.1")) == "0.1", "a busy machine must not miss the end and begin again"
    page.click("#play")
    page.wait("viewer.now >= 4")
    page.click("#play")
    assert not page.evaluate("viewer.playing")
    frame = page.evaluate("viewer.now")
    assert changed(before, picture(page)) > 0.005
    assert page.evaluate("viewer.now") == frame, "it stays where it was stopped"
    page.evaluate("document.getElementById('loop').checked = false")
    page.evaluate(speed.format("1"))
    page.click("#play")
    page.wait("!viewer.playing && viewer.now === 8")


def test_scrubbing_seeks_and_comes_back(page: Browser) -> None:
    first = picture(page)
    x, y = page.center("#scrub")
    page.mouse("mousePressed", x, y, button="left", buttons=1, clickCount=1)
    page.mouse("mouseReleased", x, y, button="left")
    page.wait("viewer.now === 4")
    middle = picture(page)
    assert changed(first, middle) > 0.005
    page.call("Input.dispatchKeyEvent", type="keyDown", key="Home")
    page.wait("viewer.now === 0")
    assert changed(first, picture(page)) == 0.0, "the same frame is the same picture"
    x, y = page.center("#plots figure:nth-child(1) canvas")
    page.mouse("mousePressed", x, y, button="left", buttons=1, clickCount=1)
    page.mouse("mouseReleased", x, y, button="left")
    page.wait("viewer.now >= 3 && viewer.now <= 5")


def test_contacts_are_arrows_in_two_colours(page: Browser, out: Path) -> None:
    page.evaluate("viewer.show(8)")
    page.wait("viewer.now === 8")
    without = picture(page)
    page.click("#contacts")
    arrows = picture(page)
    assert changed(without, arrows) > 0.001
    sticking, slipping = (
        int(page.evaluate(f"document.getElementById('{k}-count').innerText")) for k in ("stick", "slip")
    )
    stored = sg.Trajectory.open(out).contacts(8)
    assert sticking + slipping > 0
    assert (sticking, slipping) == (int(stored.sticks.sum()), int((~stored.sticks).sum()))
    assert max(sticking, slipping) >= FEW
    for count, color in ((sticking, GREEN), (slipping, ORANGE)):
        assert count < FEW or near(arrows, color) > near(without, color)
    page.click("#contacts")
    assert changed(without, picture(page)) == 0.0


def test_bodies_are_switched_off_and_on_and_coloured(page: Browser) -> None:
    before = picture(page)
    page.click("[data-body=sheet] input[type=checkbox]")
    assert near(picture(page), BLUE) < 0.2 * near(before, BLUE)
    page.click("[data-body=sheet] input[type=checkbox]")
    assert changed(before, picture(page)) == 0.0
    page.click("#all")
    assert near(picture(page), BLUE) < 0.2 * near(before, BLUE)
    page.click("#all")
    assert changed(before, picture(page)) == 0.0
    page.evaluate(
        "(e => { e.value = '#c02020'; e.oninput() })(document.querySelector('[data-body=sheet] input[type=color]'))"
    )
    assert near(picture(page), BLUE) < 0.2 * near(before, BLUE)


def test_orbit_pan_and_zoom_move_the_camera(page: Browser) -> None:
    before = picture(page)
    page.drag("#view", 120, 20)
    orbited = picture(page)
    assert changed(before, orbited) > 0.05
    x, y = page.center("#view")
    page.mouse("mouseWheel", x, y, deltaX=0, deltaY=-300)
    page.wait("viewer.orbit.distance < 2.6 * viewer.radius * 0.9")
    assert near(picture(page), BLUE) > 1.3 * near(orbited, BLUE), "nearer bodies are larger"
    page.evaluate("viewer.aim()")
    assert changed(before, picture(page)) == 0.0


def test_a_slow_machine_draws_less_while_something_moves_and_all_when_it_rests(page: Browser) -> None:
    before = picture(page)
    sizes = {}
    for level in (1, 2, 3):
        page.evaluate(
            f"viewer.level = {level}; viewer.touched = Infinity; viewer.dirty = true"
        )  # as if it moved for ever
        page.wait(f"viewer.drawnLevel === {level}")
        sizes[level] = page.evaluate("viewer.renderer.canvas.width")
        coarse = page.screenshot(selector="#view")
        assert 0.0 < changed(before, coarse) < (0.1 if level < 3 else 0.2), "no shadows at level 3"
        assert near(coarse, BLUE) == pytest.approx(near(before, BLUE), rel=0.1)
        page.evaluate("viewer.touched = -Infinity")
        assert changed(before, picture(page)) == 0.0
    assert sizes[2] == pytest.approx(sizes[1] / 2, abs=1)


def test_other_pages_get_nothing(browser: Browser, out: Path, tmp_path: Path) -> None:
    """Neither by a WebSocket nor by a request, from a page of another origin; nor by a WebSocket from the viewer's own."""
    ask = """new Promise(done => {{ const s = new WebSocket("ws://127.0.0.1:{port}/news");
      s.onopen = () => done("open"); s.onerror = () => done("refused") }})"""
    fetched = (
        """fetch("http://127.0.0.1:{port}/scene").then((r) => r.arrayBuffer()).then(() => "read", () => "refused")"""
    )
    (tmp_path / "foreign.html").write_text("<p>another origin")
    with ViewerServer(RunRecording(out)) as server:
        for url, until in ((server.url, READY), ((tmp_path / "foreign.html").as_uri(), "document.body.innerText")):
            browser.open(url, until=until)
            assert browser.evaluate(ask.format(port=server.port)) == "refused"
        assert browser.evaluate(fetched.format(port=server.port)) == "refused"


@pytest.mark.parametrize("field", ["pressure", "strain"])
def test_fields_are_colour_maps_with_a_legend(page: Browser, field: str) -> None:
    page.evaluate("viewer.show(8)")
    page.wait("viewer.now === 8")
    before = picture(page)
    page.evaluate(f"(e => {{ e.value = '{field}'; e.onchange() }})(document.getElementById('field'))")
    assert changed(before, picture(page)) > 0.03
    assert field in page.evaluate("document.getElementById('legend').innerText")
    span = page.evaluate("viewer.spans[viewer.field]")
    assert span["high"] > 0.0 and span["low"] == (0.0 if field == "pressure" else -span["high"])


def test_the_report_follows_the_pointer(page: Browser) -> None:
    x, y = page.center("#plots figure:nth-child(3) canvas")
    page.mouse("mouseMoved", x, y)
    page.wait("/^1[0-9] at 0\\.1/.test(document.getElementById('step-number').textContent)")
    assert page.evaluate("viewer.now") == 0, "only the report changes"


def test_one_file_shows_the_same_without_a_server(browser: Browser, out: Path, tmp_path: Path) -> None:
    file = write_page(RunRecording(out), tmp_path / "page.html")
    assert file.stat().st_size < 1_500_000
    with ViewerServer(RunRecording(out)) as server:
        browser.open(server.url, until=READY)
        served = picture(browser)
    browser.requests.clear()
    browser.open(file.as_uri(), until=READY)
    assert changed(served, picture(browser)) < 0.002, "but for the rounding of positions"
    browser.evaluate("viewer.show(8)")
    browser.wait("viewer.now === 8")
    assert changed(served, picture(browser)) > 0.005
    assert [url for url in browser.requests if not url.startswith(("file:", "data:", "blob:"))] == []
    assert not browser.errors


def test_a_page_follows_a_simulation_that_runs(browser: Browser) -> None:
    sim = sg.Simulation(scene(), dt=8e-3)
    with sim.view(browser=False) as live:
        browser.open(live.url, until=READY)
        first = picture(browser)
        for _ in range(25):
            sim.step()
        browser.wait("viewer.times.length >= 5 && viewer.now === viewer.times.length - 1", timeout=10)
        assert changed(first, picture(browser)) > 0.005
        browser.wait("viewer.steps.count === 25", timeout=10)
    assert sim.watchers == []


def test_a_page_follows_a_run_that_is_written(browser: Browser, out: Path, tmp_path: Path) -> None:
    copy = tmp_path / "run"
    shutil.copytree(out, copy)
    summary = json.loads((copy / "summary.json").read_text())
    (copy / "summary.json").write_text(json.dumps(summary | {"status": "running", "frames": 3}))
    whole = (copy / "steps.csv").read_text().splitlines(keepends=True)
    (copy / "steps.csv").write_text("".join(whole[:10]))
    with ViewerServer(RunRecording(copy)) as server:
        browser.open(server.url, until=READY)
        assert browser.evaluate("viewer.steps.count") == 9
        (copy / "steps.csv").write_text("".join(whole))
        browser.wait("viewer.steps.count === 50", timeout=10)


def test_a_frame_that_is_damaged_is_named(browser: Browser, out: Path, tmp_path: Path) -> None:
    copy = tmp_path / "run"
    shutil.copytree(out, copy)
    (copy / "contacts/000003.npz").unlink()
    with ViewerServer(RunRecording(copy)) as server:
        browser.open(server.url, until=READY)
        browser.evaluate("viewer.show(3)")
        browser.wait("document.getElementById('message').textContent.includes('contacts of frame 3 are missing')")
