"""`signorini doctor`: what it says of this installation, and of broken ones."""

from __future__ import annotations

import json
import shutil
from collections import namedtuple
from pathlib import Path

import pytest
from typer.testing import CliRunner

from signorini.cli.main import app
from signorini.compilation.cache_place import CachePlace
from signorini.diagnosis import doctor

Usage = namedtuple("Usage", "total used free")


def use_cache(monkeypatch, folder: str, remark: str) -> None:
    place = CachePlace(Path(folder), (Path(folder),), remark)
    monkeypatch.setattr("signorini.compilation.cache_place.cache_place", lambda: place)


def test_this_installation_is_in_order(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    result = CliRunner().invoke(app, ["doctor", "--json"])
    found = {finding["topic"]: finding for finding in json.loads(result.stdout)}
    assert {
        "python",
        "signorini",
        "packages",
        "threads",
        "cache",
        "extra render",
        "extra usd",
        "disk",
    } <= set(found)
    assert "numba" in found["packages"]["text"] and str(tmp_path) in found["disk"]["text"]
    assert result.exit_code == 0, result.stdout


@pytest.mark.parametrize(
    ("break_it", "topic", "words"),
    [
        (
            lambda m: m.setattr(doctor, "find_spec", lambda name: None if name == "pxr" else name),
            "extra usd",
            "signorini[usd]",
        ),
        (lambda m: m.setattr(doctor, "PACKAGES", ("numpy", "no-such-package")), "packages", "no-such-package missing"),
        (lambda m: m.setattr(shutil, "disk_usage", lambda folder: Usage(1e9, 1e9, 1e6)), "disk", "make room"),
        (lambda m: use_cache(m, "/nowhere", ""), "cache", "signorini warmup"),
        (lambda m: use_cache(m, "/nowhere", "it cannot be written"), "cache", "cannot be written"),
    ],
)
def test_what_is_wrong_is_said_with_its_remedy(monkeypatch, tmp_path, break_it, topic, words):
    break_it(monkeypatch)
    found = [
        finding for finding in doctor.examine_installation(tmp_path) if finding.topic == topic and finding.state != "ok"
    ]
    assert len(found) == 1 and words in found[0].text


def test_a_folder_that_cannot_be_written(tmp_path):
    finding = doctor._disk(tmp_path / "gone")
    assert finding.state == "problem" and "cannot be written" in finding.text
