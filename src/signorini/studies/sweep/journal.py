"""The journal of a sweep: one line for each finished run, appended and on the disk before the sweep goes on."""

from __future__ import annotations

import contextlib
import json
import os
from dataclasses import asdict
from pathlib import Path

from signorini.errors import InputError
from signorini.studies.sweep.one_run import Outcome

JOURNAL = "journal.jsonl"


class Journal:
    """Appends outcomes to a file of JSON lines. A line that a kill cut off is dropped when the file is opened again."""

    def __init__(self, path: Path):
        self._path = path
        self.outcomes = read_journal(path)
        """The last outcome of each run by its id."""
        self._file = path.open("ab")
        self._file.truncate(_whole(path))
        self._file.seek(0, os.SEEK_END)

    def add(self, outcome: Outcome) -> None:
        """Write down an outcome; when this returns, a power cut does not lose it. A full disk leaves the file as it was."""
        line = json.dumps(asdict(outcome), ensure_ascii=False, sort_keys=False).encode() + b"\n"
        size = self._file.tell()
        try:
            self._file.write(line)
            self._file.flush()
            os.fsync(self._file.fileno())
        except OSError:
            os.truncate(self._path, size)
            raise
        self.outcomes[outcome.id] = outcome

    def reread(self) -> dict[str, Outcome]:
        """The outcomes as they are on the disk: Ctrl-C may have come when a line was written but not yet taken down here."""
        with contextlib.suppress(OSError):  # of a full disk, which was reported when it was met
            self._file.flush()
        self.outcomes = read_journal(self._path)
        return self.outcomes

    def close(self) -> None:
        self._file.close()


def read_journal(path: Path) -> dict[str, Outcome]:
    """The last outcome of each run; a last line that was cut off is left out, other damage is an `InputError`."""
    if not path.exists():
        return {}
    found: dict[str, Outcome] = {}
    for number, line in enumerate(path.read_bytes()[: _whole(path)].splitlines(), start=1):
        try:
            outcome = Outcome(**json.loads(line))
        except (ValueError, TypeError):
            raise InputError(
                f"the journal {str(path)!r} is damaged in line {number}: put it back from a copy, or remove that line, whose run "
                "is then done again"
            ) from None
        found[outcome.id] = outcome
    return found


def _whole(path: Path) -> int:
    """Size of the file up to the end of its last whole line [bytes]."""
    return path.read_bytes().rfind(b"\n") + 1
