"""Options of gallery scenes on the command line."""

from __future__ import annotations

import pytest
from typer.testing import CliRunner

from signorini.cli.main import app


def test_an_option_of_a_gallery_scene(tmp_path):
    out = tmp_path / "run"
    arguments = ["run", "two-cylinders", "--resolution", "1", "--seconds", "0.008", "-o", str(out), "--quiet"]
    result = CliRunner().invoke(app, [*arguments, "--with", "damping=0"])
    assert result.exit_code == 0, result.output
    assert "stiffness_damping = 0.0" in (out / "scene.toml").read_text()


@pytest.mark.parametrize(
    ("option", "message"),
    [
        ("dampin=0", "two-cylinders has no option 'dampin'; it has friction"),
        ("damping", "must have the form KEY=VALUE"),
        ("damping=abc", "--with damping=abc: expected a number"),
        ("resolution=abc", "--with resolution=abc: expected an integer"),
        ("resolution=1.5", "expected an integer"),
        ("resolution=[1]", "expected an integer"),
        ("resolution=true", "expected an integer"),
        ("resolution=0", "resolution must be an integer of at least 1, got 0"),
        ("resolution=99999999999999999999", "resolution must be below 2^31"),
        ("friction=nan", "friction"),
        ("tets=3", "is a Python object"),
    ],
)
def test_a_bad_option_of_a_gallery_scene(tmp_path, option, message):
    result = CliRunner().invoke(app, ["run", "two-cylinders", "-o", str(tmp_path / "run"), "--with", option])
    assert result.exit_code == 2
    assert message in result.output
    assert not (tmp_path / "run").exists()


def test_an_option_that_a_scene_does_not_have(tmp_path):
    result = CliRunner().invoke(app, ["run", "arch", "-o", str(tmp_path / "run"), "--stiffness", "2"])
    assert result.exit_code == 2
    assert "arch has no stiffness; it has friction, stones" in result.output
