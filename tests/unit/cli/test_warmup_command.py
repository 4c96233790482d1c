"""The command `signorini warmup`: what it prints, and where."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner

from signorini.cli.main import app
from signorini.compilation import cache_place


@pytest.fixture
def compiled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Compiles nothing, says two lines, and reports the numbers in this list, one a call."""
    monkeypatch.setenv("SIGNORINI_CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(cache_place, "cache_place", cache_place.cache_place.__wrapped__)
    numbers: list[int] = []

    def compile_all(*, processes: int | None, progress: Callable[[str], None] | None) -> int:
        count = numbers.pop(0)
        for k in range(count) if progress else ():
            progress(f"compiling kernels: {k + 1} of {count}, collision.detect impacts")
        return count

    monkeypatch.setattr("signorini.compilation.warmup.warmup", compile_all)
    return numbers


def test_progress_goes_to_standard_error_and_the_result_to_standard_output(compiled: list[int], tmp_path: Path) -> None:
    compiled += [2, 0]
    first = CliRunner().invoke(app, ["warmup"])
    assert first.exit_code == 0
    assert first.stderr.splitlines() == [f"compiling kernels: {k} of 2, collision.detect impacts" for k in (1, 2)]
    assert first.stdout.startswith("compiled 2 kernels in ") and str(tmp_path) in first.stdout
    second = CliRunner().invoke(app, ["warmup"])
    assert second.stderr == ""
    assert second.stdout.startswith("nothing is left to compile; they are in ")


def test_quiet_prints_nothing(compiled: list[int]) -> None:
    compiled.append(2)
    assert CliRunner().invoke(app, ["warmup", "--quiet"]).output == ""


def test_no_process_is_refused() -> None:
    assert CliRunner().invoke(app, ["warmup", "--processes", "0"]).exit_code == 2
