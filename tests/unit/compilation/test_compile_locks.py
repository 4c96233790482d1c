"""Locks between processes: one holds, the others wait, and nothing stays locked."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from signorini.compilation import compile_locks
from signorini.compilation.compile_locks import CompileLocks

HOLDER = """
import sys
from pathlib import Path
from signorini.compilation.compile_locks import CompileLocks
locks = CompileLocks(Path(sys.argv[1]))
print(locks.acquire("abc0" * 8), flush=True)
sys.stdin.readline()
locks.release("abc0" * 8)
print("released", flush=True)
sys.stdin.readline()
"""
DIGEST, OTHER = "abc0" * 8, "abc1" * 8


@pytest.mark.skipif(compile_locks.fcntl is None, reason="there are no such locks here")
def test_a_lock_is_held_by_one_process(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compile_locks, "LONGEST_WAIT", 0.1)
    file = tmp_path / "locks"
    locks = CompileLocks(file)
    with subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(file)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as holder:
        assert holder.stdin is not None and holder.stdout is not None
        assert holder.stdout.readline() == "True\n"
        assert not locks.acquire(DIGEST, wait=False)
        assert not locks.acquire(DIGEST), "a process that hangs is not awaited for ever"
        assert locks.acquire(OTHER)
        holder.stdin.write("\n")
        holder.stdin.flush()
        assert holder.stdout.readline() == "released\n"
        assert locks.acquire(DIGEST)
        locks.release(DIGEST)
        locks.release(OTHER)
        holder.kill()


def test_a_process_that_is_killed_holds_nothing(tmp_path: Path) -> None:
    file = tmp_path / "locks"
    with subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(file)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as holder:
        assert holder.stdout is not None
        holder.stdout.readline()
        holder.kill()
        holder.wait()
        assert CompileLocks(file).acquire(DIGEST, wait=False)


def test_where_there_are_no_locks_everybody_compiles(tmp_path: Path) -> None:
    locks = CompileLocks(tmp_path / "missing" / "locks")
    assert locks.acquire(DIGEST)
    locks.release(DIGEST)
