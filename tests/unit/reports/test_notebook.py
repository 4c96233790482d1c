"""What notebooks show: tables that name everything, pictures that can be decoded, a slider over the frames."""

from __future__ import annotations

import base64
import io
import re

import numpy as np
import pytest
from PIL import Image

import signorini as sg


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
    sim.step()
    page = sim._repr_html_()
    (picture,) = pictures(page)
    assert picture.shape == (320, 480, 3) and picture.std() > 5.0
    assert "t = 0.005 s (step 1" in page and "least distance" in page


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
