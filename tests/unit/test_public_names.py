"""The public names of the package: all there, documented, and late only where that saves time."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import signorini

TREE = ast.parse(Path(signorini.__file__).read_text(encoding="utf-8"))


@pytest.mark.parametrize("name", signorini.__all__)
def test_the_first_line_of_every_docstring_is_a_sentence(name: str) -> None:
    lines = (getattr(signorini, name).__doc__ or "").strip().splitlines()
    assert lines, f"{name} has no docstring"
    assert lines[0][0].isupper() and lines[0].endswith("."), f"{name}: {lines[0]!r}"
    assert not lines[0].startswith(f"{name}("), f"{name} has the docstring that dataclass makes"


def test_no_name_stands_twice() -> None:
    assert len(set(signorini.__all__)) == len(signorini.__all__)


def test_names_for_type_checkers_are_those_imported_late() -> None:
    """The imports under TYPE_CHECKING and the table of late imports say the same."""
    (block,) = (node for node in TREE.body if isinstance(node, ast.If))
    imports = {
        alias.name: node.module for node in block.body if isinstance(node, ast.ImportFrom) for alias in node.names
    }
    assert imports == signorini._LATE
    assert set(imports) <= set(signorini.__all__)


def test_importing_the_package_loads_no_schema_and_no_file_libraries() -> None:
    heavy = ("numpy", "numba", "pydantic", "trimesh", "zarr", "pyvista", "typer", "rich", "fontTools")
    code = f"import sys, signorini; print([m for m in {heavy} if m in sys.modules])"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert result.stdout.strip() == "[]"


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'Scenery'"):
        _ = signorini.Scenery  # pyright: ignore[reportAttributeAccessIssue]
