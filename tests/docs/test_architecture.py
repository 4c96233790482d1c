"""The pictures of the architecture are those that the script draws from the present code."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

ROOT = Path(__file__).parents[2]
DRAW = """
import sys
sys.path.insert(0, "docs")
import draw_architecture
sys.stdout.reconfigure(encoding="utf-8")
print(draw_architecture.PICTURES[sys.argv[1]](), end="")
"""


@pytest.mark.parametrize("name", ["architecture.svg", "time-step.svg"])
def test_the_committed_picture_is_up_to_date(name: str) -> None:
    drawn = subprocess.run([sys.executable, "-c", DRAW, name], cwd=ROOT, capture_output=True, text=True, check=False)
    assert drawn.returncode == 0, drawn.stderr
    ElementTree.fromstring(drawn.stdout)
    committed = (ROOT / "docs/images" / name).read_text(encoding="utf-8")
    assert drawn.stdout == committed, f"{name} is out of date: run `python docs/draw_architecture.py`"


def test_every_room_is_in_the_picture() -> None:
    picture = (ROOT / "docs/images/architecture.svg").read_text(encoding="utf-8")
    rooms = [p.parent.name for p in (ROOT / "src/signorini").glob("*/__init__.py")]
    assert len(rooms) > 10
    for room in rooms:
        assert f">{room}/<" in picture, f"{room} is missing: run `python docs/draw_architecture.py`"
