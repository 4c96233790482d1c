"""The page over all targets in Markdown: one table of numbers for each, with its plot (docs/reproduction.md)."""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping
from pathlib import Path

from signorini.studies.reproduction.results import HEADINGS, Result, table_rows
from signorini.studies.reproduction.target import PAPERS, Target

INTRODUCTION = """\
# The papers remade

Every figure and number of the four papers that this library follows, measured again: what the paper says, what came out here, and
why the two differ. This page is written by

```
signorini reproduce all --out reproduction                             # the full sizes: hours
signorini reproduce all --quick --out reproduction                     # small sizes: minutes
signorini reproduce --markdown docs/reproduction.md --out reproduction # this page, from what is in `reproduction`
```

`signorini reproduce --list` names all targets with the time that they take; `signorini reproduce NAME` runs one, and
`signorini reproduce hong2004` all of a paper. Each leaves a directory `OUT/NAME` with `plot.png`, `plot.svg`, `numbers.json` (the
table and what was drawn) and `report.html`. Ctrl-C keeps the targets that are done; `--missing` goes on with the others. Plots
need `pip install "signorini[bench]"`.

The papers give few numbers, and their figures are known here as text only: curves are compared by what the text says of them
(exponents, factors, shares). Where the text has no number, the table says so. "Holds" means that the statement of the paper was
seen here; "not comparable" that a number depends on the machine or on data that the paper does not publish. Times are CPU times
on one thread of a shared virtual machine with other programs running, so that they vary by tens of percent; ratios and exponents,
measured in turns, vary less.
"""


def write_page(path: Path, targets: Mapping[str, Target], results: Mapping[str, Result], out: Path) -> Path:
    """Write the page with all results; the plots are copied into the folder `images/reproduction` beside it."""
    lines = [INTRODUCTION, *_summary(targets, results)]
    images = path.parent / "images" / "reproduction"
    images.mkdir(parents=True, exist_ok=True)
    for paper, title in PAPERS.items():
        mine = [(targets[name], result) for name, result in results.items() if targets[name].paper == paper]
        if mine:
            lines += ["", f"## {paper}", "", f"*{title}.*"]
        for target, result in mine:
            shutil.copyfile(out / target.name / "plot.png", images / f"{target.name}.png")
            lines += _section(target, result)
    partial = path.with_name(f".{path.name}.{os.getpid()}.partial")
    partial.write_text("\n".join(lines) + "\n", encoding="utf-8")
    partial.replace(path)
    return path


def _summary(targets: Mapping[str, Target], results: Mapping[str, Result]) -> list[str]:
    lines = [
        "| target | figure | size | CPU [s] | statements that hold | that do not | not comparable |",
        "|---|---|---|---|---|---|---|",
    ]
    total = [0, 0, 0]
    for name, result in results.items():
        counts = [sum(n.agrees is wanted for n in result.numbers) for wanted in (True, False, None)]
        total = [a + b for a, b in zip(total, counts, strict=True)]
        target, place = targets[name], f"{targets[name].paper} {targets[name].figure}"
        link = f"[`{target.name}`](#{target.name})"
        lines.append(
            f"| {link} | {place} | {result.size} | {result.cpu_seconds:.0f} | {' | '.join(map(str, counts))} |"
        )
    seconds = sum(result.cpu_seconds for result in results.values())
    lines.append(f"| **all** | | | {seconds:.0f} | {' | '.join(f'**{n}**' for n in total)} |")
    return lines


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
