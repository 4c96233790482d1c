"""The README's six commands, and the two OBJ files that they begin with (centimetres, y up, quads, UVs)."""

from __future__ import annotations

import re
from pathlib import Path

README = (Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8")


def commands() -> list[str]:
    """The commands under the heading, a here-document with its lines; the first one installs."""
    (block,) = re.findall(r"<!-- six commands: .*?-->\n```sh\n(.*?)```", README, flags=re.DOTALL)
    return re.findall(r"^cat (?s:.*?)^END$|^.+$", block, flags=re.MULTILINE)


def quad_grid(cells: int, size: float, height: float) -> str:
    """A square of quads with UVs, centimetres, y up."""
    rows = range(cells + 1)
    lines = [
        f"v {size * (i / cells - 0.5):.6f} {height:.6f} {size * (0.5 - j / cells):.6f}" for j in rows for i in rows
    ]
    lines += [f"vt {i / cells:.6f} {j / cells:.6f}" for j in rows for i in rows]
    for j in range(cells):
        for i in range(cells):
            corners = [
                j * (cells + 1) + i + 1,
                j * (cells + 1) + i + 2,
                (j + 1) * (cells + 1) + i + 2,
                (j + 1) * (cells + 1) + i + 1,
            ]
            lines.append("f " + " ".join(f"{corner}/{corner}" for corner in corners))
    return "\n".join(lines) + "\n"


def quad_box(width: float, low: float, high: float) -> str:
    """A box of six quads, centimetres, y up."""
    corners = [(x, y, z) for x in (-1, 1) for y in (low, high) for z in (-1, 1)]
    lines = [f"v {0.5 * width * x} {y} {0.5 * width * z}" for x, y, z in corners]
    faces = ((1, 2, 4, 3), (5, 7, 8, 6), (1, 5, 6, 2), (3, 4, 8, 7), (1, 3, 7, 5), (2, 6, 8, 4))
    return "\n".join([*lines, *(f"f {' '.join(map(str, face))}" for face in faces)]) + "\n"


def write_meshes(folder: Path) -> None:
    """A cloth of 80 cm that hovers over a table of 40 cm."""
    (folder / "cloth.obj").write_text(quad_grid(10, 80.0, 50.0))
    (folder / "table.obj").write_text(quad_box(40.0, 5.0, 48.0))
