"""The cache of compiled kernels: one file for each kernel and each combination of argument types.

Numba's own cache compares the source file of a kernel only, and so misses a change in a kernel that is called; it writes beside
the source, which may be read-only; and it fails if an old file names a class that has moved. Here a file is found by a digest
of all that the machine code depends on, has a check sum, and is compiled anew if anything about it is wrong.
"""

# Numba's attributes are made at run time:
# pyright: reportAttributeAccessIssue=false, reportIncompatibleMethodOverride=false, reportGeneralTypeIssues=false

from __future__ import annotations

import contextlib
import functools
import hashlib
import os
import pickle
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from numba.core import types
from numba.core.caching import _Cache
from numba.core.compiler import CompileResult
from numba.core.serialize import dumps

from signorini.compilation.cache_place import cache_place, remove_unused
from signorini.compilation.code_digest import DIGEST_LENGTH, kernel_digest
from signorini.compilation.compile_locks import CompileLocks

HEADER = b"signorini kernel 1\n"
"""Begins every file; the number changes with the layout of what follows."""
CHECKSUM = hashlib.sha256(b"").digest_size
"""Bytes of the check sum, which stands between the header and the content."""


class KernelCache(_Cache):
    """The cache of one kernel, in the form in which Numba's dispatchers use it."""

    def __init__(self, kernel: Any) -> None:
        self._kernel = kernel

    @property
    def cache_path(self) -> str:
        """The directory to which this kernel is written."""
        return str(cache_place().written)

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """The compiled kernel for a signature, or None: then it is to be compiled, and this process holds its lock."""
        target_context.refresh()
        name = self.file_name(sig)
        found = _load(name, target_context)
        if found is None and locks().acquire(_digest_of(name)):
            found = _load(name, target_context)  # another process may have compiled it while this one waited
            if found is not None:
                locks().release(_digest_of(name))
        return found

    def save_overload(self, sig: Any, data: Any) -> None:
        """Keep a kernel that has been compiled."""
        name = self.file_name(sig)
        try:
            if not data.library.has_dynamic_globals and not data.lifted:
                _save(name, data)
        finally:
            locks().release(_digest_of(name))

    def give_up(self, sig: Any) -> None:
        """Release the lock of a kernel whose compilation has failed."""
        locks().release(_digest_of(self.file_name(sig)))

    def is_kept(self, sig: Any) -> bool:
        """Whether there is a file for a signature."""
        name = self.file_name(sig)
        return any((directory / name).is_file() for directory in cache_place().read)

    def file_name(self, sig: Any) -> str:
        """Name of the file for a signature: name of the kernel and digest."""
        arguments = getattr(sig, "args", sig)
        text = kernel_digest(self._kernel) + ",".join(described_type(kind) for kind in arguments)
        label = self._kernel.py_func.__name__[:60].strip("<>")
        return f"{label}-{hashlib.sha256(text.encode()).hexdigest()[:DIGEST_LENGTH]}.kernel"

    def enable(self) -> None:
        """Part of Numba's protocol: the cache is always on."""

    def disable(self) -> None:
        """Part of Numba's protocol: the cache is always on."""

    def flush(self) -> None:
        """Part of Numba's protocol: kernels that are compiled again replace their files."""


@functools.cache
def locks() -> CompileLocks:
    """The locks of this process."""
    return CompileLocks(cache_place().written / "locks")


def described_type(kind: Any) -> str:
    """A Numba type as text that is the same in every process, with the fields of named tuples."""
    if isinstance(kind, types.BaseNamedTuple):
        made = kind.instance_class
        parts = ",".join(described_type(part) for part in kind)
        return f"{made.__module__}.{made.__qualname__}({made._fields}:{parts})"
    if isinstance(kind, types.BaseTuple):
        return f"({','.join(described_type(part) for part in kind)})"
    if isinstance(kind, types.Dispatcher):
        return f"kernel {kernel_digest(kind.dispatcher)}"
    return str(kind)


def _digest_of(file_name: str) -> str:
    return file_name.removesuffix(".kernel").rsplit("-", 1)[1]


def _load(name: str, target_context: Any) -> Any:
    """The kernel in the first sound file of this name, or None. Files that cannot be used are removed."""
    for directory in cache_place().read:
        path = directory / name
        try:
            data = path.read_bytes()
        except OSError:
            continue
        try:
            content = data[len(HEADER) + CHECKSUM :]
            if data[: len(HEADER) + CHECKSUM] == HEADER + hashlib.sha256(content).digest():
                found = CompileResult._rebuild(target_context, *pickle.loads(content))
                _mark_as_used(path)
                return found
        except Exception:  # whatever an old or damaged file raises: it is compiled anew
            pass
        with contextlib.suppress(OSError):
            path.unlink()
    return None


def _mark_as_used(path: Path) -> None:
    """Set the time of a file, at most once a day, so that it is not removed as unused."""
    with contextlib.suppress(OSError):
        if time.time() - path.stat().st_mtime > 86_400:
            os.utime(path)


def _save(name: str, result: Any) -> None:
    """Write a file under another name and rename it: whoever reads sees all of it or nothing."""
    content = dumps(result._replace(type_annotation="")._reduce())  # the annotation is text for people, and long
    directory = cache_place().written
    try:
        handle, spare = tempfile.mkstemp(prefix=".new-", dir=directory)
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(HEADER + hashlib.sha256(content).digest() + content)
            Path(spare).replace(directory / name)
        except BaseException:
            Path(spare).unlink(missing_ok=True)
            raise
    except OSError as problem:
        _say_once(f"compiled kernels cannot be kept in {directory}: {problem.strerror}")
    else:
        if cache_place().remark:
            _say_once(cache_place().remark)
        remove_unused(directory.parent)


@functools.cache
def _say_once(text: str) -> None:
    print(f"signorini: {text}", file=sys.stderr)  # noqa: T201 (the one way to say it)
