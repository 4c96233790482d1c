"""Pictures of the architecture, drawn from the code: `python docs/draw_architecture.py` writes them to docs/images.

`architecture.svg` shows the rooms of the package in the order that `tests/unit/test_import_rules.py` enforces, with the
purpose that stands in each room's `__init__.py`. An arrow is an import; imports that follow from others are left out.
`time-step.svg` shows the functions of one step; the modules that define them are looked up in the source.
"""

from __future__ import annotations

import ast
import importlib.util
import re
import textwrap
from functools import cache
from itertools import pairwise
from pathlib import Path
from types import ModuleType

from svg_picture import Svg

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "src/signorini"
IMAGES = ROOT / "docs/images"
FOUNDATIONS = ("errors", "checks", "compiled")
"""Modules that every room may import: they are drawn as a bar without arrows."""
BOX, GAP, HEIGHT, ROW = 268, 30, 66, 112
"""Width of a box, space between boxes, height of a box, distance of rows [pixels]."""
SWEEPS = 400
"""Sweeps over the rows: the first quarter orders them, the others straighten the arrows."""
KINDS = {
    "foundation": ("settings", "linalg"),
    "input": ("geometry", "files.meshes", "scene", "characters", "gallery"),
    "contact": ("collision", "contact", "solvers"),
    "output": ("files", "render", "viewer", "diagnosis", "reports", "studies", "cli"),
}
"""Rooms by the kind of their box; all others are numerics."""


@cache
def import_rules() -> ModuleType:
    """The test that enforces the order of the rooms: it knows the modules and their imports."""
    spec = importlib.util.spec_from_file_location("import_rules", ROOT / "tests/unit/test_import_rules.py")
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def find_rooms() -> list[str]:
    """The rooms in the order in which data flows."""
    names = [name for level in import_rules().ORDER for name in level]
    return [name for name in names if (PACKAGE / name.replace(".", "/")).is_dir()]


def room_of(module: str, rooms: list[str]) -> str | None:
    inside = [room for room in rooms if import_rules().inside(module, (room,))]
    return max(inside, key=len) if inside else None


def find_imports(rooms: list[str]) -> dict[str, set[str]]:
    """Which earlier rooms each room imports, without those that follow from the others (transitive reduction)."""
    rules = import_rules()
    direct: dict[str, set[str]] = {room: set() for room in rooms}
    for module in rules.FILES:
        room = room_of(module, rooms)
        for used in rules.ours(module) if room else ():
            other = room_of(used, rooms)
            if room and other and rooms.index(other) < rooms.index(room):
                direct[room].add(other)
    reached: dict[str, set[str]] = {}
    for room in rooms:
        reached[room] = direct[room].union(*(reached[other] for other in direct[room]))
    return {room: {b for b in used if not any(b in reached[c] for c in used)} for room, used in direct.items()}


def purpose(path: Path) -> str:
    """The first sentence of a module's docstring."""
    words = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
    return words.split("\n\n")[0].replace("\n", " ").replace("`", "").rstrip(".")


class Layers:
    """Rooms in rows, each above all that it imports; an arrow over several rows has a place in each of them."""

    def __init__(self, imports: dict[str, set[str]]) -> None:
        self.level: dict[str, int] = {}
        for room in imports:
            self.level[room] = 1 + max((self.level[other] for other in imports[room]), default=-1)
        self.rows: list[list[str]] = [
            [r for r in imports if self.level[r] == k] for k in range(max(self.level.values()) + 1)
        ]
        self.routes: list[list[str]] = []
        """Each arrow: room, places in between, room."""
        for room, used in imports.items():
            for other in sorted(used, key=list(imports).index):
                places = [f"{room}>{other}@{k}" for k in range(self.level[room] - 1, self.level[other], -1)]
                for k, place in zip(range(self.level[room] - 1, self.level[other], -1), places, strict=True):
                    self.rows[k].append(place)
                self.routes.append([room, *places, other])
        self.near: dict[str, list[str]] = {name: [] for row in self.rows for name in row}
        for route in self.routes:
            for a, b in pairwise(route):
                self.near[a].append(b)
                self.near[b].append(a)
        self.x = dict.fromkeys(self.near, 0.0)
        self._place()

    def width(self, name: str) -> float:
        return 12.0 if "@" in name else BOX

    def _place(self) -> None:
        """Order the rows by the mean place of the neighbours, and then move everything towards that mean."""
        for row in self.rows:
            self._pack(row, [0.0] * len(row))
        for sweep in range(SWEEPS):
            for row in self.rows if sweep % 2 else reversed(self.rows):
                wanted = {n: sum(self.x[m] for m in self.near[n]) / max(len(self.near[n]), 1) for n in row}
                if sweep < SWEEPS // 4:
                    row.sort(key=lambda n: wanted[n])
                self._pack(row, [wanted[n] for n in row])
        left = min(self.x[n] - 0.5 * self.width(n) for n in self.x)
        self.x = {n: x - left for n, x in self.x.items()}

    def _pack(self, row: list[str], wanted: list[float]) -> None:
        """Give the members of a row their wanted places, as far apart as their widths ask (pooled neighbours)."""
        offset, total = [], 0.0
        for k, name in enumerate(row):
            total += 0.0 if not k else 0.5 * (self.width(row[k - 1]) + self.width(name)) + GAP
            offset.append(total)
        pools: list[list[float]] = []
        for w, o in zip(wanted, offset, strict=True):
            pools.append([w - o, 1.0])
            while len(pools) > 1 and pools[-2][0] > pools[-1][0]:
                (a, n), (b, m) = pools[-2:]
                pools[-2:] = [[(a * n + b * m) / (n + m), n + m]]
        shifts = [mean for mean, count in pools for _ in range(int(count))]
        for name, o, shift in zip(row, offset, shifts, strict=True):
            self.x[name] = o + shift


def draw_rooms() -> str:
    """The picture of the rooms."""
    rooms = find_rooms()
    layers = Layers(find_imports(rooms))
    kinds = {room: kind for kind, members in KINDS.items() for room in members}
    margin, top = 30.0, 64.0
    width = max(layers.x[n] + 0.5 * layers.width(n) for n in layers.x) + 2 * margin
    bottom = top + ROW * len(layers.rows)
    svg = Svg(width, bottom + 96)
    svg.text(
        margin,
        34,
        "Rooms of the package: an arrow points to what a room imports",
        size=16,
        style="bold",
        anchor="start",
    )

    def y(level: int) -> float:
        return bottom - ROW * (level + 1)

    for route in layers.routes:
        points = [(layers.x[route[0]] + margin, y(layers.level[route[0]]) + HEIGHT)]
        for place in route[1:-1]:
            at = y(int(place.split("@")[1]))
            points += [(layers.x[place] + margin, at), (layers.x[place] + margin, at + HEIGHT)]
        points.append((layers.x[route[-1]] + margin, y(layers.level[route[-1]]) - 2))
        svg.curve(points)
    for room in rooms:
        x, at = layers.x[room] + margin, y(layers.level[room])
        svg.box(x - 0.5 * BOX, at, BOX, HEIGHT, kinds.get(room, "numerics"))
        svg.text(x, at + 21, room.replace(".", "/") + "/", size=14, style="bold")
        words = purpose(PACKAGE / room.replace(".", "/") / "__init__.py")
        for k, line in enumerate(textwrap.wrap(words, 43, max_lines=2, placeholder=" …")):
            svg.text(x, at + 39 + 15 * k, line, size=11)
    svg.box(margin, bottom, width - 2 * margin, HEIGHT, "foundation")
    for k, name in enumerate(FOUNDATIONS):
        x = margin + (k + 0.5) * (width - 2 * margin) / len(FOUNDATIONS)
        svg.text(x, bottom + 25, name, size=14, style="bold")
        words = re.split("[:,;]", purpose(PACKAGE / f"{name}.py"))[0]
        svg.text(x, bottom + 45, words, size=11)
    return svg.written()


STAGES = {
    "start": (0, 0, "input", "methods.Moment", "state, near contacts, last impulses"),
    "assemble": (1, 0, "numerics", "dynamics.assemble", "linearised implicit dynamics"),
    "free": (2, 0, "numerics", "dynamics.solve_unconstrained", "velocity without contact"),
    "pairs": (3, 0, "contact", "collision.find_candidates", "broad phase: boxes that meet"),
    "problem": (0, 1, "contact", "contact.build_mlcp", "frames, Jacobians, gaps"),
    "response": (1, 1, "contact", "solvers.solve", "Signorini and Coulomb"),
    "motion": (2, 1, "numerics", "dynamics.advance", "tentative end of the step"),
    "impacts": (3, 1, "contact", "collision.detect_continuous", "times of impact, none missed"),
    "near": (3, 2, "contact", "collision.detect_proximity", "contacts of the next step"),
    "state": (2, 2, "numerics", "dynamics.state_after", "positions, velocities, rotations"),
    "end": (1, 2, "output", "methods.Moment", "start of the next step"),
    "shorter": (0, 2, "numerics", "methods.failsafe_step", "after halving dt: a fail-safe"),
}
"""Column and row of a box, its kind, `room.function` (looked up in the source) and what it stands for."""


@cache
def defining_module(room: str, name: str) -> str:
    """The module `room/module` of the room that defines a function, method or class of that name."""
    found = []
    for path in sorted((PACKAGE / room).rglob("*.py")):
        top = ast.parse(path.read_text(encoding="utf-8"))
        bodies = [top, *(node for node in top.body if isinstance(node, ast.ClassDef))]
        names = {n.name for body in bodies for n in body.body if isinstance(n, ast.FunctionDef | ast.ClassDef)}
        if name in names and not path.stem.endswith("_kernels"):
            found.append(path.relative_to(PACKAGE).with_suffix("").as_posix().removesuffix("/__init__"))
    if len(found) != 1:
        raise SystemExit(f"{name} of {room}/ is in {found or 'no module'}: correct STAGES in {Path(__file__).name}")
    return found[0]


def draw_step() -> str:
    """The picture of the data of one step of constraint manifold refinement."""
    width, height, column, row, left, top = 214, 74, 282, 176, 40, 76
    svg = Svg(left * 2 + 3 * column + width, top + 2 * row + height + 40)
    svg.text(
        left, 40, "Data flow of one time step (attempt_step of methods/cmr)", size=16, style="bold", anchor="start"
    )
    at = {name: (left + column * c, top + row * r) for name, (c, r, *_) in STAGES.items()}
    x, y = at["problem"]
    svg.parts.append(
        f'<rect x="{x - 22}" y="{y - 34}" width="{3 * column + width + 44}" height="{height + 84}" rx="10" fill="#fafafa" '
        'stroke="#d1d5db" stroke-dasharray="6 4"/>'
    )
    svg.text(x + 0.5 * width + 12, y - 16, "refinement, at most max_refinements times", size=11, anchor="start")

    def right(a: str, b: str, words: str) -> None:
        (xa, ya), (xb, _) = at[a], at[b]
        start, end = (xa + width, xb - 3) if xb > xa else (xa, xb + width + 3)
        svg.line([(start, ya + 0.5 * height), (end, ya + 0.5 * height)])
        svg.text(0.5 * (start + end), ya + 0.5 * height - 7, words, style="data", size=11)

    def down(a: str, b: str, words: str, shift: float = 0.0) -> None:
        (xa, ya), (_, yb) = at[a], at[b]
        middle = xa + 0.5 * width + shift
        svg.line([(middle, ya + height), (middle, yb - 3)])
        svg.text(middle + 8, ya + height + 22, words, style="data", size=11, anchor="start")

    right("start", "assemble", "q0, v0")
    right("assemble", "free", "A, b")
    down("start", "problem", "contacts closer than 2δ")
    down("assemble", "response", "A")
    down("free", "motion", "v*")
    down("pairs", "impacts", "candidate pairs")
    right("problem", "response", "Mlcp")
    right("response", "motion", "Δv, λ, γ")
    right("motion", "impacts", "x0 → x1")
    (xi, yi), (xp, yp) = at["impacts"], at["problem"]
    below = yp + height + 26
    svg.line([(xi + 60, yi + height), (xi + 60, below), (xp + 0.5 * width, below), (xp + 0.5 * width, yp + height + 3)])
    svg.text(xi - 120, below - 7, "impacts: add them to the contacts and solve again", style="data", size=11)
    down("impacts", "near", "", 40)
    svg.text(xi + 0.5 * width + 48, below + 48, "no impact", style="data", size=11, anchor="start")
    right("near", "state", "accept")
    right("state", "end", "q1, v1")
    xs, ys = at["shorter"]
    svg.line([(xs + 50, yp + height + 50), (xs + 50, ys - 3)], dashed=True)
    svg.text(xs + 58, ys - 22, "not resolved", style="data", size=11, anchor="start")
    for name, (_, _, kind, dotted, words) in STAGES.items():
        xa, ya = at[name]
        room, function = dotted.split(".")
        svg.box(xa, ya, width, height, kind)
        svg.text(xa + 0.5 * width, ya + 23, function, size=14, style="bold")
        svg.text(xa + 0.5 * width, ya + 42, defining_module(room, function), size=11, style="code")
        svg.text(xa + 0.5 * width, ya + 60, words, size=11)
    return svg.written()


PICTURES = {"architecture.svg": draw_rooms, "time-step.svg": draw_step}

if __name__ == "__main__":
    for name, draw in PICTURES.items():
        (IMAGES / name).write_text(draw(), encoding="utf-8")
