"""Pages for users import nothing but public names, and these exist."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

import signorini

ROOT = Path(__file__).parents[2]
PAGES = ("README", "docs/bodies", "docs/soft-solids", "docs/characters", "docs/scene-files", "docs/output-files")


@pytest.mark.parametrize("page", PAGES)
def test_examples_use_only_public_names(page: str) -> None:
    text = (ROOT / f"{page}.md").read_text(encoding="utf-8")
    for block in re.findall(r"```python\n(.*?)```", text, flags=re.DOTALL):
        tree = ast.parse(block)
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom):
                assert not str(node.module).startswith("signorini."), ast.unparse(node)
            if (
                isinstance(node, ast.Attribute)
                and isinstance(node.value, ast.Name)
                and node.value.id in ("sg", "signorini")
            ):
                assert node.attr in signorini.__all__, f"{page}.md: {ast.unparse(node)}"
