"""Compilation ahead of use: the list of kernels, the processes that compile it, and the lines that say so."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest
from numba import typeof, types

from signorini.collision.point_triangle_kernels import cross, dot
from signorini.compilation import cache_place, kernel_cache, warmup
from signorini.compilation.announcement import watch_compilation
from signorini.compilation.kernel_list import Entry, decoded, encoded, kernel_list, write_kernel_list
from signorini.compiled import KERNELS, kernel
from signorini.errors import InputError

VECTOR = ["tuple", "float64", "float64", "float64"]
SMALL = tuple(
    Entry(f"signorini.collision.point_triangle_kernels:{name}", 1, [VECTOR, VECTOR]) for name in ("dot", "cross")
)


class Pair(NamedTuple):
    """A named tuple, as kernels take them."""

    first: float
    second: np.ndarray


class Twins(NamedTuple):
    """One whose items are of one type."""

    first: float
    second: float


@pytest.fixture
def empty_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.setenv("SIGNORINI_CACHE_DIR", str(tmp_path))
    cache_place.cache_place.cache_clear()
    kernel_cache.locks.cache_clear()
    yield tmp_path
    cache_place.cache_place.cache_clear()
    kernel_cache.locks.cache_clear()


def read_only(x: np.ndarray) -> np.ndarray:
    x.flags.writeable = False
    return x


@pytest.mark.parametrize(
    "value",
    [
        1,
        2.5,
        True,
        None,
        np.int32(3),
        np.zeros(3),
        np.zeros((3, 4), np.int32)[:, ::2],
        np.zeros((2, 3), order="F"),
        read_only(np.zeros((2, 2, 2), np.uint8)),
        np.zeros(2, bool),
        (1, 2.0, np.zeros(2)),
        (1.0, 2.0),
        Pair(1.0, np.zeros((2, 3))),
        Twins(1.0, 2.0),
    ],
    ids=str,
)
def test_types_survive_the_list(value: object) -> None:
    kind = typeof(value)
    assert decoded(json.loads(json.dumps(encoded(kind)))) == kind


def test_types_without_a_name_are_not_listed() -> None:
    assert encoded(types.Dispatcher(dot)) is None
    assert encoded(types.literal(3)) is None
    assert encoded(typeof((1, "text"))) is None


def test_the_list_is_written_and_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_kernel_list({"contact": list(SMALL), "others": []}, tmp_path / "list.json")
    monkeypatch.setattr("signorini.compilation.kernel_list.FILE", tmp_path / "list.json")
    read = kernel_list.__wrapped__()
    assert {group: set(map(repr, entries)) for group, entries in read.items()} == {
        "contact": set(map(repr, SMALL)),
        "others": set(),
    }


def test_every_kernel_of_the_list_exists() -> None:
    entries = [entry for group in kernel_list().values() for entry in group]
    warmup.load_kernels(entries)
    gone = {entry.kernel for entry in entries} - set(KERNELS)
    assert not gone, f"{sorted(gone)} are no kernels any more: run `make kernels`"
    for entry in entries:
        assert len(entry.signature) <= len(KERNELS[entry.kernel].py_func.__code__.co_varnames)


def test_warmup_compiles_what_is_missing(empty_cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    gone = Entry("signorini.collision.point_triangle_kernels:gone", 1, ["float64"])
    monkeypatch.setattr(warmup, "kernel_list", lambda: {"contact": (*SMALL, gone)})
    lines: list[str] = []
    assert warmup.warmup(processes=2, progress=lines.append) == 2
    assert sorted(line.split(", ")[1] for line in lines) == [
        "collision.point_triangle cross",
        "collision.point_triangle dot",
    ]
    assert all(k.cache.is_kept(SMALL[0].signature) for k in (dot, cross))
    assert warmup.warmup(progress=lines.append) == 0
    assert len(lines) == 2


def test_processes_must_be_positive() -> None:
    with pytest.raises(InputError, match="processes must be at least 1, got 0"):
        warmup.warmup(processes=0)


@pytest.mark.parametrize(("given", "expected"), [("3", 3), ("0", 1), ("many", 1)])
def test_the_number_of_processes_is_read(given: str, expected: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SIGNORINI_COMPILE_PROCESSES", given)
    assert warmup.cores() == expected


@pytest.mark.parametrize("enabled", [True, False, None])
def test_compilation_is_announced_to_who_looks(
    enabled: bool | None, empty_cache: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    watch = watch_compilation()
    monkeypatch.setattr(watch, "enabled", enabled)
    monkeypatch.setattr(watch, "_next", 0.0)

    @kernel
    def twice(x):
        return 2 * x

    assert twice(2) == 4
    out, err = capsys.readouterr()
    assert out == ""
    if enabled:
        assert err.startswith("signorini: compiling kernels, once per machine: ") and err.endswith("twice\n")
    else:
        assert err == "", "standard error is no terminal here"
