"""Sizes that a reader can take in: files, functions and folders."""

from __future__ import annotations

import ast
from collections import Counter
from pathlib import Path

import signorini

PACKAGE = Path(signorini.__file__).parent
PROJECT = Path(__file__).parents[2]
SOURCES = sorted(PACKAGE.rglob("*.py"))
EVERYTHING = SOURCES + [
    path for folder in ("tests", "benchmarks", "examples", "docs") for path in sorted((PROJECT / folder).rglob("*.py"))
]


def test_no_file_is_longer_than_300_lines() -> None:
    lengths = {path: len(path.read_text(encoding="utf-8").splitlines()) for path in EVERYTHING}
    assert len(lengths) > 400
    assert not {str(path): length for path, length in lengths.items() if length > 300}


def test_no_function_is_longer_than_80_lines() -> None:
    long = {}
    for path in SOURCES:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if (
                isinstance(node, ast.FunctionDef)
                and node.end_lineno is not None
                and node.end_lineno - node.lineno >= 80
            ):
                long[f"{path.relative_to(PACKAGE)}:{node.name}"] = node.end_lineno - node.lineno + 1
    assert not long


def test_no_folder_has_more_than_25_files() -> None:
    counts = Counter(str(path.parent.relative_to(PROJECT)) for path in EVERYTHING if PROJECT in path.parents)
    assert not {folder: count for folder, count in counts.items() if count > 25}


def test_test_files_have_names_of_their_own() -> None:
    """pytest imports tests by their file names; two of one name cannot be collected together."""
    names = Counter(path.name for path in (PROJECT / "tests").rglob("test_*.py"))
    assert not {name: count for name, count in names.items() if count > 1}


def test_every_module_begins_with_a_sentence_about_itself() -> None:
    for path in SOURCES:
        text = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8")))
        assert text, f"{path.relative_to(PACKAGE)} has no docstring"
        assert len(text.splitlines()[0]) > 10, path
