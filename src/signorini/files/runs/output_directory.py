"""Output directories: what may be written where, what `force` removes, and files that are complete at any moment."""

from __future__ import annotations

import contextlib
import errno
import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from signorini.errors import DiskFullError, InputError
from signorini.files.runs.run_lock import LOCK_FILE, RunLock, check_unlocked

RUN_FILES = ("checkpoint", "summary.json", "steps.csv", "trajectory.zarr", "contacts", "meshes", "scene.toml")
"""What a run writes, in the order in which `force` removes it: what is left after a kill is never resumed."""
PRODUCTS = ("picture.png", "film.mp4", "report.html")
"""What `signorini render` and `signorini report` write to the directory of a run."""
PARTIAL = ".partial"
"""Ending of a file that is being written, or was when its process was killed."""
_SIGNS = ("checkpoint", "summary.json", "steps.csv", "trajectory.zarr", LOCK_FILE)
"""One of these is in every directory of a run, but not in that of a scene file with its meshes."""
_NOBODYS = {LOCK_FILE, "lost+found"}
"""What may be in a directory that counts as empty: the lock of a killed run, and what a new disk comes with."""
_DISK_FULL = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}
"""Numbers of the errors of the operating system that mean that there is no room for a file."""


class NoRoomError(InputError):
    """There is not enough room on the disk for what is about to be written."""


def check_directory(out: Path, *, force: bool) -> None:
    """Refuse a directory that is being written, or is not empty unless `force` is given and it is a run. Changes nothing."""
    if out.exists() and not out.is_dir():
        raise InputError(f"output directory {str(out)!r} is a file: choose another with -o")
    if not out.is_dir():
        return
    check_unlocked(out)
    _check_contents(out, force=force)
    if _contents(out) and not any((out / name).exists() for name in _SIGNS):
        raise InputError(
            f"output directory {str(out)!r} is not overwritten, because it contains {_contents(out)[0]!r} but no run: choose "
            "another with -o, or empty it yourself"
        )


def claim_directory(out: Path, *, force: bool, needed: int, needed_for: str) -> RunLock:
    """Make and lock the directory, and remove the earlier run that `force` allows to replace.

    `needed` is the room on its disk [bytes] that the run may take, `needed_for` what it is for. The directory itself is never
    removed: it may be a mount point, a link, or where the shell is.
    """
    check_directory(out, force=force)
    made = not out.is_dir()
    try:
        Path(os.path.realpath(out)).mkdir(parents=True, exist_ok=True)  # where a link leads to
        lock = RunLock.acquire(out)
    except (PermissionError, FileExistsError, NotADirectoryError) as error:
        raise InputError(f"output directory {str(out)!r} cannot be written: {error.strerror}") from None
    try:
        _check_contents(out, force=force)  # again: another process may have been faster
        _check_space(out, needed, needed_for)
        for name in (*RUN_FILES, *PRODUCTS):
            remove_entry(out / name)
        remove_partial_files(out)
    except BaseException:
        lock.release()
        if made:
            with contextlib.suppress(OSError):
                out.rmdir()
        raise
    return lock


def remove_entry(entry: Path) -> None:
    """Remove a file, a directory with all that is in it, or a link without what it leads to."""
    if entry.is_dir() and not entry.is_symlink():
        shutil.rmtree(entry)
    else:
        entry.unlink(missing_ok=True)


def remove_partial_files(out: Path) -> None:
    """Remove what a process was writing when it was killed; only for who has the lock."""
    for folder in (out, out / "checkpoint", out / "contacts"):
        for entry in folder.glob(f".*{PARTIAL}"):
            entry.unlink(missing_ok=True)


@contextlib.contextmanager
def disk_errors(path: Path) -> Iterator[None]:
    """Turn a full disk into a `DiskFullError` with one sentence."""
    try:
        yield
    except OSError as error:
        if error.errno in _DISK_FULL:
            raise DiskFullError(
                f"the disk is full ({error.strerror}): what was written to {str(path)!r} stays readable; make room and "
                f"continue with `signorini resume {path}`"
            ) from error
        raise


def replace_file(file: Path, write: Callable[[Any], Any]) -> None:
    """Write a file beside `file` and rename it, so that `file` is always complete."""
    temporary = file.with_name(f".{file.name}.{os.getpid()}{PARTIAL}")
    try:
        with temporary.open("wb") as stream:
            write(stream)
        temporary.replace(file)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def _contents(out: Path) -> list[str]:
    return sorted(entry.name for entry in out.iterdir() if entry.name not in _NOBODYS)


def _check_contents(out: Path, *, force: bool) -> None:
    """Refuse a directory that is not empty, or with `force` one with a file that no run writes."""
    if not _contents(out):
        return
    if not force:
        raise InputError(
            f"output directory {str(out)!r} exists already: choose another with -o, overwrite it with --force, "
            f"or continue it with `signorini resume {out}`"
        )
    foreign = _foreign(out)
    if foreign:
        raise InputError(
            f"output directory {str(out)!r} is not overwritten, because it contains {foreign!r}, which no run writes: choose "
            "another with -o, or empty it yourself"
        )


def _foreign(out: Path) -> str | None:
    """An entry that no run writes, also within the directories that a run fills."""
    for name in _contents(out):
        if name not in (*RUN_FILES, *PRODUCTS) and not name.endswith(PARTIAL):
            return name
    known = (("meshes", (".npz",)), ("contacts", (".npz", PARTIAL)), ("checkpoint", ("state.npz", PARTIAL)))
    for folder, endings in known:
        inside = (out / folder).iterdir() if (out / folder).is_dir() else ()
        for entry in sorted(inside):
            if not entry.name.endswith(endings):
                return f"{folder}/{entry.name}"
    return None


def _check_space(out: Path, needed: int, needed_for: str) -> None:
    """Refuse what has no room on the disk, even after the earlier run was removed."""
    free = shutil.disk_usage(out).free
    if free >= needed:
        return
    free += sum(file.stat().st_size for name in RUN_FILES for file in _files(out / name))
    if free < needed:
        raise NoRoomError(
            f"the disk of output directory {str(out)!r} is full: {needed_for} need up to {needed / 1e6:.0f} MB and "
            f"{free / 1e6:.0f} MB are free; choose another disk with -o, or fewer frames with --fps or --seconds"
        )


def _files(entry: Path) -> Iterator[Path]:
    found = entry.rglob("*") if entry.is_dir() else [entry]
    return (file for file in found if file.is_file() and not file.is_symlink())
