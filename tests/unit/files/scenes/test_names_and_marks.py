"""Names that no file can have, and the mark that some editors put before a text."""

from __future__ import annotations

from pathlib import Path

import pytest

import signorini as sg

SCENE = '[[cloth]]\nname = "sheet"\nmesh = {shape = "grid", width = 0.2, depth = 0.2, cells = 2}\n'


def test_a_byte_order_mark_is_no_part_of_a_scene_file(tmp_path: Path) -> None:
    (tmp_path / "scene.toml").write_bytes(b"\xef\xbb\xbf" + SCENE.encode())
    assert list(sg.load_scene(tmp_path / "scene.toml").scene.bodies) == ["sheet"]


@pytest.mark.parametrize("name", ["x" * 10_000, "x" * 101, "ä" * 101])
def test_a_name_that_is_too_long_for_a_file_is_refused(name: str) -> None:
    with pytest.raises(sg.InputError, match="name of a body must have at most 100 characters, got"):
        sg.Scene().add_cloth(sg.shapes.grid(0.2, 0.2, cells=2), name=name)
