"""The page of peers: every cited claim has its source, every source is used, and no cell is empty."""

from __future__ import annotations

import re
from pathlib import Path

PAGE = (Path(__file__).parents[2] / "docs" / "peers.md").read_text(encoding="utf-8")
TABLES, SOURCES = PAGE.split("## Sources")
LABEL = r"[A-Z]\d"


def test_every_label_has_its_source_and_every_source_is_used() -> None:
    used = set(re.findall(LABEL, " ".join(re.findall(rf"\[({LABEL}(?:, {LABEL})*)\]", TABLES))))
    listed = re.findall(rf"^\| ({LABEL}) \|", SOURCES, flags=re.MULTILINE)
    assert len(listed) == len(set(listed)) > 30
    assert used == set(listed)


def test_every_source_names_repository_file_and_commit() -> None:
    rows = [line for line in SOURCES.splitlines() if re.match(rf"\| {LABEL} \|", line)]
    for row in rows:
        assert re.fullmatch(r"\| \S+ \| [\w.-]+/[\w.-]+ \| .+ \| `[0-9a-f]{12}` \|", row), row


def test_a_cell_of_another_simulator_is_cited_or_says_that_it_was_not_checked() -> None:
    features = TABLES.split("## Features that decide")[1].split("\n\n")[1].splitlines()[2:]
    for line in features:
        name, ours, *others = (cell.strip() for cell in line.strip("|").split("|"))
        assert ours and len(others) == 10, line
        assert all(re.search(rf"\[{LABEL}", cell) or cell == "not checked" for cell in others), name
