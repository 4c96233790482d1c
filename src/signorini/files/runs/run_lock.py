"""Lock of a run directory: one process writes, the others are told which.

The lock is that of the operating system on the open file `run.lock`: it ends with the process, however that ends, so that
the file which a killed run leaves behind holds nobody up. What stands in the file is only for the message.
"""

from __future__ import annotations

import errno
import json
import os
import socket
import sys
import time
import weakref
from pathlib import Path
from typing import BinaryIO

from signorini.errors import InputError

LOCK_FILE = "run.lock"
_LOCKED_BYTE = 1 << 20
"""Windows locks bytes and forbids others to read them: this one lies beyond the text."""
_PATIENCE = 0.3
"""For how long a held lock is tried again [s]: somebody who only asks whether it is held holds it for an instant."""
_NO_LOCKS = {errno.ENOLCK, errno.ENOSYS, errno.ENOTSUP, errno.EOPNOTSUPP}
"""Numbers of the errors of a file system that has no locks: runs there are not protected from one another."""


class RunLock:
    """The right to write a run directory; `acquire` it, and `release` it when everything is written."""

    def __init__(self, file: Path, stream: BinaryIO):
        self._release = weakref.finalize(self, _remove, file, stream)

    @classmethod
    def acquire(cls, directory: Path) -> RunLock:
        """Lock a directory, or raise an `InputError` that names the process which holds it."""
        file, deadline = directory / LOCK_FILE, time.monotonic() + _PATIENCE
        while True:
            stream = file.open("a+b")
            locked = _try_lock(stream)
            if locked and _is_open_file(file, stream):
                _write_owner(stream)
                return cls(file, stream)
            owner = _owner(stream)
            stream.close()
            if not locked and time.monotonic() > deadline:
                raise InputError(_held(directory, owner))
            time.sleep(0.0 if locked else 0.02)  # locked: the last owner removed the file in between

    def release(self) -> None:
        """Let others write; a second call does nothing."""
        self._release()


def check_unlocked(directory: Path) -> None:
    """Raise an `InputError` if a process is writing to the directory. Changes nothing."""
    try:
        stream = (directory / LOCK_FILE).open("r+b")
    except OSError:
        return  # no lock, or one that this user may not touch: writing will tell
    with stream:
        if not _try_lock(stream):
            raise InputError(_held(directory, _owner(stream)))


def _held(directory: Path, owner: str) -> str:
    return f"the run in {str(directory)!r} is being written by {owner}: wait until it has ended, or stop it first"


def _try_lock(stream: BinaryIO) -> bool:
    """Whether the lock was taken; True as well where there are no locks."""
    try:
        if sys.platform == "win32":
            import msvcrt

            stream.seek(_LOCKED_BYTE)
            msvcrt.locking(stream.fileno(), msvcrt.LK_NBLCK, 1)
        else:
            import fcntl

            fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        if error.errno in _NO_LOCKS:
            return True
        if error.errno in (errno.EWOULDBLOCK, errno.EAGAIN, errno.EACCES, errno.EDEADLK):
            return False
        raise
    return True


def _is_open_file(file: Path, stream: BinaryIO) -> bool:
    """Whether the name still stands for the file that is open, which its last owner may have removed."""
    try:
        return os.path.samestat(file.stat(), os.fstat(stream.fileno()))
    except FileNotFoundError:
        return False


def _write_owner(stream: BinaryIO) -> None:
    started = time.strftime("%Y-%m-%d %H:%M:%S")
    stream.truncate(0)
    stream.seek(0)
    stream.write(json.dumps({"process": os.getpid(), "host": socket.gethostname(), "since": started}).encode() + b"\n")
    stream.flush()


def _owner(stream: BinaryIO) -> str:
    """Process that holds the lock, as far as the file tells."""
    try:
        stream.seek(0)
        told = json.loads(stream.read(1000))
        return f"process {int(told['process'])} on {str(told['host'])[:80]} since {str(told['since'])[:40]}"
    except (OSError, ValueError, TypeError, KeyError, RecursionError):
        return "another process"


def _remove(file: Path, stream: BinaryIO) -> None:
    """Remove the file while it is still locked, so that nobody locks a file without a name."""
    try:
        if _is_open_file(file, stream):
            file.unlink()
        stream.close()
    except OSError:  # Windows removes no open file
        stream.close()
