"""The directory of a comparison: never removed itself, never taken from a run that goes on."""

from __future__ import annotations

import pytest

from signorini.errors import InputError
from signorini.files.runs.run_lock import RunLock
from signorini.studies.comparison_directory import claim_comparison_directory


def test_a_link_stays_a_link(tmp_path):
    real, out = tmp_path / "real", tmp_path / "out"
    out.symlink_to(real)
    claim_comparison_directory(out, force=False)
    (out / "cmr").mkdir()
    (out / "comparison.html").touch()
    with pytest.raises(InputError, match="exists already"):
        claim_comparison_directory(out, force=False)
    claim_comparison_directory(out, force=True)
    assert out.is_symlink()
    assert list(real.iterdir()) == []


def test_a_running_comparison_is_not_replaced(tmp_path):
    (tmp_path / "cmr").mkdir()
    lock = RunLock.acquire(tmp_path / "cmr")
    with pytest.raises(InputError, match="is being written by process"):
        claim_comparison_directory(tmp_path, force=True)
    lock.release()
    claim_comparison_directory(tmp_path, force=True)
    assert list(tmp_path.iterdir()) == []
