"""Ways to damage the output directory of a run: each file missing, cut short, replaced, or with wrong contents."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

Damage = Callable[[Path], None]
_NUMBERS: tuple[Any, ...] = (-1, -(10**15), 10**15, 0, 2.5, float("nan"), float("inf"), 1e300, -1e300)


def damages(out: Path) -> Iterator[tuple[str, Damage]]:
    """Each damage of the run in `out`, with a name; it is done to the path of a copy."""
    for file in sorted(p.relative_to(out) for p in out.rglob("*") if p.is_file()):
        yield from _of_any_file(file)
        if file.suffix == ".json":
            yield from _of_json(out / file, file)
        if file.suffix == ".npz":
            yield from _of_npz(out / file, file)
        if file.suffix == ".csv":
            yield from _of_csv(out / file, file)
        if file.suffix == ".toml":
            yield from _of_toml(out / file, file)


def _of_any_file(file: Path) -> Iterator[tuple[str, Damage]]:
    noise = random.Random(str(file)).randbytes(300)

    def changed(data: bytes) -> bytes:
        middle = len(data) // 2
        return data[:middle] + bytes([data[middle] ^ 0x55]) + data[middle + 1 :] if data else b"x"

    yield f"{file}: missing", lambda out: (out / file).unlink()
    for name, change in (
        ("empty", lambda data: b""),
        ("half", lambda data: data[: len(data) // 2]),
        ("noise", lambda data: noise),
        ("one byte", changed),
        ("text", lambda data: b"hello\n"),
        ("JSON", lambda data: b"[1, 2, null]"),
        ("nested", lambda data: b"[" * 100_000),
    ):
        yield f"{file}: {name}", lambda out, change=change: _rewrite(out / file, change)
    yield f"{file}: directory", lambda out: ((out / file).unlink(), (out / file).mkdir())[0]


def _rewrite(file: Path, change: Callable[[bytes], bytes]) -> None:
    file.write_bytes(change(file.read_bytes()))


def _of_json(source: Path, file: Path) -> Iterator[tuple[str, Damage]]:
    """Every value of the document replaced by each of some wrong ones."""

    def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
        yield path
        items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
        for key, entry in items:
            yield from places(entry, (*path, key))

    document = json.loads(source.read_text())
    wrong: tuple[Any, ...] = (None, -1, 10**12, 10**30, "x", [], {}, [1], True)
    for path in places(document):
        for value in wrong:

            def put(out: Path, path: tuple[Any, ...] = path, value: Any = value) -> None:
                tree = json.loads((out / file).read_text())
                at: Any = {"": tree}
                for key in ("", *path[:-1]) if path else ():
                    at = at[key]
                if path:
                    at[path[-1]] = value
                (out / file).write_text(json.dumps(tree if path else value))

            yield f"{file}: {'.'.join(map(str, path))} = {value!r}", put


def _of_npz(source: Path, file: Path) -> Iterator[tuple[str, Damage]]:
    """Every array missing, of another type or shape, or with wrong numbers in it."""
    with np.load(source) as data:
        arrays = {name: data[name] for name in data.files}
    for name, array in arrays.items():
        changes: dict[str, Any] = {
            "missing": None,
            "text": np.array(["a", "b"]),
            "longer": np.concatenate([np.atleast_1d(array)] * 2),
            "shorter": np.atleast_1d(array)[:-1],
            "flat": array.ravel(),
            "a dimension more": array[None],
            "complex": array.astype(np.complex128) if array.dtype.kind in "iufb" else np.array(1j),
        }
        for number in _NUMBERS if array.dtype.kind in "iufb" else ():
            kept = array.astype(np.int64 if isinstance(number, int) and array.dtype.kind in "iu" else np.float64)
            with np.errstate(all="ignore"):
                if kept.size:
                    kept.reshape(-1)[0] = number
            changes[repr(number)] = kept
        for what, value in changes.items():

            def put(out: Path, name: str = name, value: Any = value) -> None:
                rest = {key: entry for key, entry in arrays.items() if key != name}
                np.savez(out / file, **rest, **({} if value is None else {name: value}))

            yield f"{file}: {name} {what}", put


def _of_csv(source: Path, file: Path) -> Iterator[tuple[str, Damage]]:
    """Cells, rows and the header wrong."""
    lines = source.read_text().splitlines()
    cells = lines[2].split(",")
    for column in range(len(cells)):
        for text in ("", "-1", "x", "nan", "1e400", "9" * 5000):
            row = ",".join([*cells[:column], text, *cells[column + 1 :]])
            changed = "\n".join([*lines[:2], row, *lines[3:]]) + "\n"
            yield (
                f"{file}: column {column} = {text[:9]!r}",
                lambda out, changed=changed: _rewrite(out / file, lambda _: changed.encode()),
            )
    for what, kept in (
        ("no header", lines[1:]),
        ("other header", ["a,b,c", *lines[1:]]),
        ("a row less", [*lines[:3], *lines[4:]]),
        ("a row twice", [*lines[:3], *lines[2:]]),
        ("a short row", [*lines[:3], lines[3][: len(lines[3]) // 2], *lines[4:]]),
        ("a long row", [*lines[:3], lines[3] + ",7,8", *lines[4:]]),
    ):
        text = "\n".join(kept) + "\n"
        yield f"{file}: {what}", lambda out, text=text: _rewrite(out / file, lambda _: text.encode())


def _of_toml(source: Path, file: Path) -> Iterator[tuple[str, Damage]]:
    """Every value replaced by each of some wrong ones, line by line."""
    lines = source.read_text().splitlines()
    for number, line in enumerate(lines):
        key, equals, _ = line.partition(" = ")
        if not equals:
            continue
        for value in ("-1", "1e300", "nan", '"x"', "[]", "true", "{}", "9" * 30):
            text = "\n".join([*lines[:number], f"{key} = {value}", *lines[number + 1 :]]) + "\n"
            yield f"{file}: {key} = {value[:9]}", lambda out, text=text: _rewrite(out / file, lambda _: text.encode())
