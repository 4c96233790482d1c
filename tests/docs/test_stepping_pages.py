"""The page "Step it yourself", that of the environments and the tutorial notebook run."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbclient import NotebookClient

DOCS = Path(__file__).parents[2] / "docs"


@pytest.mark.parametrize("page", ["step-it-yourself.md", "environments.md"])
def test_the_code_of_the_page_runs(page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {"__name__": "page"}
    for block in re.findall(r"```python\n(.*?)```", (DOCS / page).read_text(encoding="utf-8"), flags=re.DOTALL):
        exec(compile(block, page, "exec"), names)
    if page == "step-it-yourself.md":
        assert names["sim"].contact_force("plate")[2] > 15.0
        assert (tmp_path / "press.png").is_file() and len(names["stress"]) == len(names["state"])
    else:
        assert names["picture"].shape == (240, 320, 3) and names["info"]["friction"] == 0.8


def test_the_tutorial_notebook_runs(tmp_path: Path) -> None:
    notebook = nbformat.read(DOCS / "tutorial.ipynb", as_version=4)
    NotebookClient(
        notebook, timeout=300, kernel_name="python3", resources={"metadata": {"path": str(tmp_path)}}
    ).execute()
    cells = [cell for cell in notebook.cells if cell.cell_type == "code"]
    pages = [o["data"]["text/html"] for cell in cells for o in cell.outputs if "text/html" in o.get("data", {})]
    # The scene, the simulation with the states that it has kept, the frames of the trajectory.
    assert [page.count("<img") for page in pages] == [0, 11, 12]
    texts = "".join(o.get("text", "") for cell in cells for o in cell.outputs)
    assert "PairForce on 'block' by 'ball'" in texts or "PairForce on 'sheet' by 'ball'" in texts
    weight, held = (float(number) for number in re.findall(r"([\d.]+) N", texts[texts.index("the bodies weigh") :])[:2])
    assert held == pytest.approx(weight, rel=0.5)  # the ball still rolls and the sheet still swings
