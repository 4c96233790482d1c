"""Record of a case that was run: its measurements, what it cost, and its file."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from signorini.errors import InputError
from signorini.studies.validation.case import Case, Curve, Measurement, Measurements, Series, Verdict


@dataclass(frozen=True, slots=True)
class Record:
    """Record of a case: measurements, or the error that ended it."""

    name: str
    title: str
    theory: str
    source: str
    quick: bool
    cpu_seconds: float
    found: Measurements
    error: str = ""
    """The sentence with which the case broke off, if it did."""

    @classmethod
    def of(
        cls, case: Case, *, quick: bool, cpu_seconds: float, found: Measurements | None = None, error: str = ""
    ) -> Record:
        """The record of a case that ended, with what it found or with an error."""
        return cls(
            case.name, case.title, case.theory, case.source, quick, cpu_seconds, found or Measurements(()), error
        )

    @property
    def verdict(self) -> Verdict:
        """The worst verdict of its measurements; an error, and a case that measured nothing, are outside."""
        verdicts = {row.verdict for row in self.found.rows}
        if self.error or not verdicts or "outside" in verdicts:
            return "outside"
        return "known" if "known" in verdicts else "inside"

    def rows(self) -> list[dict[str, Any]]:
        """One flat row a measurement, for JSON."""
        head = {"case": self.name, "quick": self.quick}
        return [{**head, **asdict(row), "deviation": row.deviation, "verdict": row.verdict} for row in self.found.rows]


def write_record(directory: Path, record: Record) -> Path:
    """Store a record as NAME.json, all at once."""
    directory.mkdir(parents=True, exist_ok=True)
    path = directory / f"{record.name}.json"
    partial = path.with_suffix(".partial")
    partial.write_text(json.dumps(asdict(record), indent=1), encoding="utf-8")
    partial.replace(path)
    return path


def read_records(directory: Path, names: Sequence[str]) -> list[Record]:
    """The stored records of these names, in this order; cases that were never finished are left out."""
    found = []
    for name in names:
        path = directory / f"{name}.json"
        if path.is_file():
            try:
                found.append(_record(json.loads(path.read_text(encoding="utf-8"))))
            except (ValueError, TypeError, KeyError) as error:
                raise InputError(f"{str(path)!r} is not the record of a validation case ({error}): remove it") from None
    return found


def _record(data: Mapping[str, Any]) -> Record:
    stored = data["found"]
    curves = [Curve(**{**curve, "series": [Series(**line) for line in curve["series"]]}) for curve in stored["curves"]]
    found = Measurements([Measurement(**row) for row in stored["rows"]], curves, stored["remarks"])
    return Record(**{**data, "found": found})
