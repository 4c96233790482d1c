"""The page over all targets in Markdown: one table of numbers for each, with its plot (docs/reproduction.md)."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from signorini.studies.reproduction.results import HEADINGS, Result, table_rows
from signorini.studies.reproduction.target import PAPERS, Target

INTRODUCTION = """\
# The papers remade

Every figure and number of the four papers that this library follows, measured again: what the paper says, what came out here, and
why the two differ. This page is written by

```
signorini reproduce all                               # the full sizes: hours
signorini reproduce all --quick                       # small sizes: minutes
signorini reproduce --markdown docs/reproduction.md   # this page
```

`signorini reproduce --list` names all targets with the time that they take; `signorini reproduce NAME` runs one, and
`signorini reproduce hong2004` all of a paper. Each leaves a directory `NAME` in `reproduction` (or in `--out`) with `plot.png`,
`plot.svg`, `numbers.json` (the table and what was drawn) and `report.html`. Ctrl-C keeps the targets that are done; `--missing`
goes on with the others. The page is made of what is in `reproduction`, and keeps what it says already of other targets. Plots
need `pip install "signorini[bench]"`.

The papers give few numbers, and their figures are known here as text only: curves are compared by what the text says of them
(exponents, factors, shares). Where the text has no number, the table says so. "Holds" means that the statement of the paper was
seen here; "not comparable" that a number depends on the machine or on data that the paper does not publish. Times are CPU times
on one thread of a shared virtual machine with other programs running, so that they vary by tens of percent; ratios and exponents,
measured in turns, vary less.
"""
ROW = re.compile(r"\| \[`([^`]+)`\]\(#")
"""The start of a target's row in the table at the top of the page, with its name."""


class Entry(NamedTuple):
    """Entry of one target on the page."""

    row: str
    """Of the table at its top."""
    section: list[str]
    """Lines, from the blank one above its heading."""


def write_page(path: Path, targets: Mapping[str, Target], results: Mapping[str, Result], out: Path) -> Path:
    """Write the page with these results; of other targets it keeps what it says, if it is there already.

    The plots are copied into the folder `images/reproduction` beside the page.
    """
    images = path.parent / "images" / "reproduction"
    images.mkdir(parents=True, exist_ok=True)
    entries = _kept(path)
    for name, result in results.items():
        shutil.copyfile(out / name / "plot.png", images / f"{name}.png")
        entries[name] = Entry(_row(targets[name], result), _section(targets[name], result))
    lines = [INTRODUCTION, *_summary([entries[name].row for name in targets if name in entries])]
    for paper, title in PAPERS.items():
        mine = [entries[name] for name, target in targets.items() if target.paper == paper and name in entries]
        if mine:
            lines += ["", f"## {paper}", "", f"*{title}.*"]
        for entry in mine:
            lines += entry.section
    partial = path.with_name(f".{path.name}.{os.getpid()}.partial")
    partial.write_text("\n".join(lines) + "\n", encoding="utf-8")
    partial.replace(path)
    return path


def _kept(path: Path) -> dict[str, Entry]:
    """Entries of an earlier page, by target."""
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    rows = {match[1]: line for line in lines if (match := ROW.match(line))}
    sections: dict[str, list[str]] = {}
    name = ""
    for line in lines:
        if line.startswith(("## ", "### ")):
            name = line.removeprefix("### ")
        if name in rows:
            sections.setdefault(name, [""]).append(line)
    return {name: Entry(rows[name], _without_blank_end(section)) for name, section in sections.items()}


def _without_blank_end(lines: list[str]) -> list[str]:
    while not lines[-1].strip():
        lines = lines[:-1]
    return lines


def _summary(rows: list[str]) -> list[str]:
    """The table at the top, with the sums of its last four columns: CPU time and counts of verdicts."""
    columns = zip(*([int(cell) for cell in row.strip("| ").split("|")[-4:]] for row in rows), strict=True)
    seconds, *counts = (sum(column) for column in columns)
    return [
        "| target | figure | size | CPU [s] | hold | do not hold | not comparable |",
        "|---|---|---|---|---|---|---|",
        *rows,
        f"| **all** | | | {seconds} | {' | '.join(f'**{n}**' for n in counts)} |",
    ]


def _row(target: Target, result: Result) -> str:
    counts = [sum(n.agrees is wanted for n in result.numbers) for wanted in (True, False, None)]
    link, place = f"[`{target.name}`](#{target.name})", f"{target.paper} {target.figure}"
    return f"| {link} | {place} | {result.size} | {result.cpu_seconds:.0f} | {' | '.join(map(str, counts))} |"


def _section(target: Target, result: Result) -> list[str]:
    rows = [f"| {' | '.join(cell.replace('|', '/') for cell in row)} |" for row in table_rows(result.numbers)]
    return [
        "",
        f"### {target.name}",
        "",
        f"**{target.figure}.** {target.claim}",
        "",
        f"{result.size.capitalize()} size: {result.setup}.",
        "",
        f"![{target.paper} {target.figure}, remade](images/reproduction/{target.name}.png)",
        "",
        f"| {' | '.join(HEADINGS)} |",
        "|---" * len(HEADINGS) + "|",
        *rows,
    ]
