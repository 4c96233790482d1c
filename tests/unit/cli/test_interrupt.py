"""Ctrl-C at any moment after the start of the program: one line and code 130, also while modules are being loaded."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import signorini


@pytest.mark.parametrize(
    ("module", "moment"),
    [("typer", "before"), ("zarr", "within")],
)
def test_ctrl_c_during_an_import(tmp_path, module, moment):
    """The interrupt arrives when a certain module is asked for, or from within code that swallows some exceptions."""
    code = f"""
import builtins, os, signal, sys
from signorini.__main__ import main
load = builtins.__import__
def interrupted(name, *rest, **options):
    if name == {module!r} or (name == "zarr" and {moment == "within"}):
        builtins.__import__ = load
        if {moment == "within"}:
            exec("os.kill(os.getpid(), signal.SIGINT)")
        os.kill(os.getpid(), signal.SIGINT)
    return load(name, *rest, **options)
builtins.__import__ = interrupted
sys.argv = ["signorini", "run", "falling-cloth", "--resolution", "4", "--seconds", "0.01", "-o", {str(tmp_path / "out")!r}]
main()
"""
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, timeout=60)
    assert result.returncode == 130, result.stderr
    assert result.stderr.startswith("signorini: interrupted")
    assert result.stderr.count("\n") == 1


@pytest.mark.slow
@pytest.mark.parametrize("delay", [0.8, 1.1, 1.4, 1.8, 2.2, 2.6, 3.0])
def test_ctrl_c_at_some_moment(tmp_path, delay):
    command = [
        sys.executable,
        "-m",
        "signorini",
        "run",
        "falling-cloth",
        "--seconds",
        "100",
        "-o",
        str(tmp_path / "out"),
    ]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    time.sleep(delay)
    os.kill(process.pid, signal.SIGINT)
    _, errors = process.communicate(timeout=60)
    assert process.returncode == 130
    assert errors.count("\n") == 1


def test_little_is_loaded_before_ctrl_c_is_caught():
    """The package is imported before its entry point: until then Python answers Ctrl-C with a traceback."""
    home = str(Path(signorini.__file__).parent.parent)
    code = f"import sys; sys.path.insert(0, {home!r}); import signorini; print('typing' in sys.modules)"
    result = subprocess.run([sys.executable, "-S", "-c", code], capture_output=True, text=True, check=True, timeout=60)
    assert result.stdout.strip() == "False"
