"""Compiled kernels on disk: found again, and compiled anew when a file is damaged or of an older version."""

from __future__ import annotations

import hashlib
import os
import pickle
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from signorini.compilation import cache_place, kernel_cache
from signorini.compilation.announcement import watch_compilation
from signorini.compiled import Kernel, kernel


@pytest.fixture
def directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """An empty cache for one test."""
    monkeypatch.setenv("SIGNORINI_CACHE_DIR", str(tmp_path / "cache"))
    cache_place.cache_place.cache_clear()
    kernel_cache.locks.cache_clear()
    yield tmp_path / "cache"
    cache_place.cache_place.cache_clear()
    kernel_cache.locks.cache_clear()


def sum_of(x):
    total = 0.0
    for k in range(x.shape[0]):
        total += x[k]
    return total


def fresh() -> Kernel:
    """The kernel as a new process has it: nothing compiled."""
    return kernel(sum_of)


def compilations(made: Kernel, x: Any) -> int:
    """How many kernels a call compiles; its result must be right."""
    before = watch_compilation().count
    assert made(x) == float(np.sum(x))
    return watch_compilation().count - before


NUMBERS = np.array([1.0, 2.0, 4.0])


def files(directory: Path) -> list[Path]:
    return list(directory.glob("*/*.kernel"))


def test_a_kernel_is_compiled_once_for_each_kind_of_argument(directory: Path) -> None:
    assert compilations(fresh(), NUMBERS) == 1
    assert compilations(fresh(), NUMBERS) == 0
    assert compilations(fresh(), NUMBERS.astype(np.float32)) == 1
    assert compilations(fresh(), NUMBERS[::2]) == 1
    assert len(files(directory)) == 3


def reference_to(module: str, name: str) -> bytes:
    """A pickle that names a class; it may have moved since."""
    return b"c" + f"{module}\n{name}\n".encode() + b"."


def sealed(content: bytes) -> bytes:
    return kernel_cache.HEADER + hashlib.sha256(content).digest() + content


DAMAGES = {
    "empty": lambda data: b"",
    "cut": lambda data: data[: len(data) // 2],
    "bit": lambda data: data[:-100] + bytes([data[-100] ^ 1]) + data[-99:],
    "other-format": lambda data: b"signorini kernel 0\n" + data,
    "moved-class": lambda data: sealed(reference_to("signorini.settings", "NoSuchClass")),
    "moved-module": lambda data: sealed(reference_to("signorini.no_such_module", "Settings")),
    "other-content": lambda data: sealed(pickle.dumps(("a", "tuple", "of", "another", "version"))),
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_or_old_file_is_compiled_anew(directory: Path, damage: str) -> None:
    compilations(fresh(), NUMBERS)
    (file,) = files(directory)
    file.write_bytes(DAMAGES[damage](file.read_bytes()))
    assert compilations(fresh(), NUMBERS) == 1
    assert compilations(fresh(), NUMBERS) == 0, "the file must have been replaced"


def test_a_place_that_cannot_be_written_is_replaced_by_a_temporary_one(
    directory: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").write_text("not a directory")
    monkeypatch.setenv("SIGNORINI_CACHE_DIR", str(tmp_path / "file" / "cache"))
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    kernel_cache._say_once.cache_clear()
    assert compilations(fresh(), NUMBERS) == 1
    assert compilations(fresh(), NUMBERS) == 0
    assert compilations(fresh(), NUMBERS[::2]) == 1
    # A slow machine is told about the compilation, too; that is another line.
    lines = [line for line in capsys.readouterr().err.splitlines() if "compiling kernels" not in line]
    assert len(lines) == 1 and "cannot be written" in lines[0] and str(tmp_path) in lines[0]


def test_a_temporary_place_that_others_may_write_is_not_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever can write there could make us run their code."""
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    own = cache_place._spare_directory()
    assert own == cache_place._spare_directory()
    own.chmod(0o777)
    other = cache_place._spare_directory()
    assert other != own and other.parent == tmp_path and other.stat().st_mode & 0o077 == 0


def test_kernels_that_nobody_uses_are_removed(directory: Path) -> None:
    compilations(fresh(), NUMBERS)
    compilations(fresh(), NUMBERS[::2])
    first, second = files(directory)
    long_ago = time.time() - (cache_place.KEPT_DAYS + 1) * 86_400
    older = directory / "py39-numba0.1-other"
    older.mkdir()
    (older / "old.kernel").touch()
    for path in (first, older / "old.kernel", directory / "last-cleaning"):
        os.utime(path, (long_ago, long_ago))
    assert cache_place.remove_unused(directory) == 2
    assert files(directory) == [second]
    assert not older.exists()
    os.utime(second, (long_ago, long_ago))
    assert cache_place.remove_unused(directory) == 0, "once a day"


def test_a_kernel_in_use_is_not_removed(directory: Path) -> None:
    compilations(fresh(), NUMBERS)
    (file,) = files(directory)
    long_ago = time.time() - 1e8
    os.utime(file, (long_ago, long_ago))
    assert compilations(fresh(), NUMBERS) == 0
    assert time.time() - file.stat().st_mtime < 3600


def test_a_failed_compilation_leaves_no_lock(directory: Path) -> None:
    @kernel
    def wrong(x):
        return x.no_such_attribute

    with pytest.raises(Exception, match="no_such_attribute"):
        wrong(NUMBERS)
    assert not kernel_cache.locks()._held


def test_integers_of_all_widths_and_constants_share_one_inner_kernel(directory: Path) -> None:
    @kernel
    def inner(k, m):
        return 2 * k + m

    @kernel
    def outer(x, k):
        return inner(k, 1) + inner(3, k) + inner(x[0], 7) + inner(np.int32(2), np.int64(3))

    x = np.array([5], np.int32)
    assert outer(x, 4) == 9 + 10 + 17 + 7
    assert len(inner.overloads) == 1


@pytest.mark.parametrize("able", [True, False])
def test_kernels_of_a_wheel_are_used_where_the_processor_can_run_them(
    able: bool, directory: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    compilations(fresh(), NUMBERS)
    (file,) = files(directory)
    brought = tmp_path / "shipped" / cache_place.shipped_name()
    brought.mkdir(parents=True)
    file.rename(brought / file.name)
    monkeypatch.setattr(cache_place, "SHIPPED", tmp_path / "shipped")
    known = set(cache_place.GENERIC_FEATURES) - (set() if able else {"avx2"})
    monkeypatch.setattr(cache_place, "_host_features", lambda: known)
    cache_place.cache_place.cache_clear()
    assert compilations(fresh(), NUMBERS) == (0 if able else 1)
