"""Validation as Markdown for the documentation: tables, plots as files beside it, and what is not right."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from signorini.reports.template import STYLE
from signorini.studies.validation.page import plot
from signorini.studies.validation.record import Record
from signorini.studies.validation.table import (
    HEADINGS,
    SUMMARY_HEADINGS,
    failings,
    measurement_cells,
    outcome_sentence,
    summary_cells,
)

PICTURES = Path("images") / "validation"
"""Folder of the plots, beside the page."""
INTRODUCTION = """# Validation

`signorini validate` compares simulations with closed forms and experiments: {outcome}. This page is what it wrote
(`signorini validate --markdown docs/validation.md`); the [command line](command-line.md#validate) has its options.

Settings are those shipped unless a case says otherwise. A bound is what the project promises, or what the closed form itself
leaves out. A measurement outside of its bound says so, and stands in [what is not right](#what-is-not-right) with its reason.
CPU times are of a busy machine.

From Python:

```python
from signorini.studies.validation.study import validate

for record in validate(["free-fall"], quick=True, output="validation"):
    for row in record.found.rows:
        print(record.name, row.quantity, row.measured, row.expected, row.verdict)
```

A case is one file of `studies/validation/cases` with a `Case`: a name, a title, the theory with its source, and a function that
takes whether to be quick and a function for progress, and returns `Measurements`. One line in `studies/validation/collection.py`
adds it to the list.
"""


def write_markdown(path: Path, records: Sequence[Record]) -> Path:
    """Write the page of these records, and their plots as SVG files into `images/validation` beside it."""
    pictures = path.parent / PICTURES
    pictures.mkdir(parents=True, exist_ok=True)
    parts = [INTRODUCTION.format(outcome=outcome_sentence(records))]
    links = [[f"[{record.name}](#{record.name})", *summary_cells(record)[1:]] for record in records]
    parts += [_table(SUMMARY_HEADINGS, links), "## What is not right\n"]
    wrong = failings(records)
    parts.append(
        "\n".join(f"- {_escaped(text)}" for text in wrong) if wrong else "Every measurement is inside its bound."
    )
    for record in records:
        parts += _section(record, pictures)
    path.write_text("\n\n".join(part.strip("\n") for part in parts) + "\n", encoding="utf-8")
    return path


def _section(record: Record, pictures: Path) -> list[str]:
    parts = [f"## {record.name}", f"**{record.title}.** {record.theory}", f"Source: {record.source}."]
    if record.error:
        parts.append(f"**The case broke off:** {record.error}")
    if record.found.rows:
        parts.append(_table(HEADINGS, [measurement_cells(row) for row in record.found.rows]))
    parts += record.found.remarks
    for k, curve in enumerate(record.found.curves):
        name = f"{record.name}-{k + 1}.svg"
        (pictures / name).write_text(standalone(plot(curve)), encoding="utf-8")
        parts.append(f"![{curve.title}]({(PICTURES / name).as_posix()})")
    return parts


def standalone(svg: str) -> str:
    """An <svg> element as a file of its own: with its name space, its style and a white ground."""
    head, rest = svg.split(">", 1)
    rules = "\n".join(line for line in STYLE.splitlines() if line.startswith(("svg ", ".grid", ".cross")))
    space = 'xmlns="http://www.w3.org/2000/svg"'
    return f'{head} {space}><style>{rules}</style><rect width="100%" height="100%" fill="white"/>{rest}\n'


def _table(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [headings, ["---"] * len(headings), *([_escaped(cell) for cell in row] for row in rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _escaped(text: str) -> str:
    return text.replace("|", "\\|")
