"""What a run of a sweep leaves on the disk: its directory and the picture of its end."""

from __future__ import annotations

import pytest

import signorini as sg
from signorini.studies.sweep import one_run, sweep_runs, thumbnails
from support.sweeps import InlineEngine, slope_file

SHORT = {"seconds": 0.02, "fps": 100.0}


@pytest.fixture(autouse=True)
def inline(monkeypatch):
    """Runs are done in this process."""
    monkeypatch.setattr(sweep_runs, "_engine", InlineEngine)


def test_a_run_of_a_sweep_writes_one_checkpoint(tmp_path, monkeypatch):
    """At its end: a run that is killed is done again, so that others would be of no use."""
    written, write = [], one_run.RunDirectory.write_checkpoint

    def noted(self, **options):
        written.append(options["status"])
        return write(self, **options)

    monkeypatch.setattr(one_run.RunDirectory, "write_checkpoint", noted)
    table = sg.sweep(slope_file(tmp_path), {"friction": [0.5]}, out=tmp_path / "sweep", **SHORT)
    assert written == ["completed"]
    run = tmp_path / "sweep/runs" / table.rows[0]["id"]
    assert (run / "checkpoint/state.npz").exists() and (run / "summary.json").exists()


def test_end_states_show_a_ground_that_slopes(tmp_path):
    """Its chequer and the shadow of the block are in the picture, and the background beside it."""
    from PIL import Image

    table = sg.sweep(slope_file(tmp_path), {"friction": [0.5]}, out=tmp_path / "sweep", **SHORT)
    with Image.open(tmp_path / "sweep/pictures" / f"{table.rows[0]['id']}.png") as picture:
        colors = {color for _, color in picture.convert("RGB").getcolors(1 << 16) or []}
    assert {rgb_of("#eeebe5"), rgb_of("#dfdbd3"), thumbnails.SHADE} <= colors


def rgb_of(text):
    return tuple(int(text[k : k + 2], 16) for k in (1, 3, 5))
