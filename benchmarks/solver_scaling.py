"""Cost of the default solver against contacts and against nodes, from 500 to 50,000, with fitted exponents.

    python benchmarks/solver_scaling.py                           all families (about 10 min)
    python benchmarks/solver_scaling.py --largest 5000            smaller sizes only
    python benchmarks/solver_scaling.py --family cubes --plot docs/images/solver-scaling.png

Families: `layers`, four sheets on each other on the ground, finer and finer, with the same dt²k/m of a node; `patch`, a sheet of
growing size of which a patch of 484 nodes touches the ground; `contacts`, a sheet of always the same size of which a growing
patch touches; `cubes`, four layers of ever more soft cubes. Cold start, default tolerance, CPU time, the median of several
gaps and solves.
"""

from __future__ import annotations

import argparse
import math
import os
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from signorini.contact.mlcp import Mlcp
from signorini.linalg.block_matrix import BlockMatrix
from signorini.settings import SolverSettings
from signorini.solvers import solve
from signorini.studies.problems.rows import ContactRows, Floats, tilted
from signorini.studies.problems.soft_cubes import CubePile, make_cubes
from signorini.studies.problems.special import DT, SPACING, UP, sheet_matrix, sheet_positions

RATIO = 100.0
"""dt²k/m of the sheets."""
FRICTION = 0.3
VARIANTS = 5
"""Problems of one size, which differ in their gaps."""
SIZES = (500, 1080, 2320, 5000, 10800, 23200, 50000)
PATCH = 22
"""Nodes along an edge of the patch that touches."""
TARGET = 1.2


@dataclass(frozen=True, slots=True)
class Point:
    """The cost of one size."""

    nodes: int
    contacts: int
    milliseconds: float
    """Median."""
    worst: float
    """Of the variants [ms]."""
    outer: float
    """Median of the outer iterations."""
    converged: int


def sheets(side: int, layers: int, *, touching: int | None = None) -> Mlcp:
    """Square sheets of side² nodes that come to lie on each other; of the lowest, touching² nodes meet the ground."""
    rng = np.random.default_rng(side)
    x = sheet_positions(side)
    one = sheet_matrix(side, RATIO)
    shift = np.arange(layers)[:, None]
    A = BlockMatrix(
        np.concatenate([[0], (one.indptr[1:] + shift * len(one.indices)).ravel()]).astype(np.int32),
        (one.indices + shift * one.node_count).ravel().astype(np.int32),
        np.tile(one.data, (layers, 1, 1)),
    )
    v_free = rng.normal(scale=0.02, size=(layers * len(x), 3)) - 9.81 * DT * UP
    v_free[:, :2] += np.repeat(rng.normal(scale=0.1, size=(layers, 2)), len(x), axis=0)
    rows = ContactRows()
    reach = math.inf if touching is None else 0.5 * SPACING * touching
    for i in np.flatnonzero(np.abs(x[:, :2]).max(axis=1) < reach):
        rows.add_weighted([int(i)], [1.0], normal=UP, gap=1e-4)
    for layer in range(1, layers):
        _stack(rows, side, layer, rng)
    return rows.build(A, v_free, friction=FRICTION, dt=DT, contact_distance=1e-3)


def _stack(rows: ContactRows, side: int, layer: int, rng: np.random.Generator) -> None:
    """Vertices of a sheet on the triangles of the sheet below, against which it is displaced by parts of a cell."""
    p, q = rng.uniform(0.1, 0.9, size=2)
    first, second = (1, 0) if p >= q else (0, 1)
    weights = [1.0, -(1.0 - max(p, q)), -abs(p - q), -min(p, q)]
    for row in range(side - 1):
        for column in range(side - 1):
            below = (layer - 1) * side * side + row * side + column
            nodes = [below + side * side, below, below + first * side + second, below + side + 1]
            rows.add_weighted(nodes, weights, normal=tilted(UP, rng, 0.02), gap=1e-4)


def cubes(side: int) -> Mlcp:
    """Four layers of side² soft cubes."""
    pile = CubePile(count=4 * side * side, side=side, young=1e5, dt=0.01, friction=FRICTION, seed=side)
    return make_cubes(pile).problem


FAMILIES: dict[str, Callable[[int], Mlcp]] = {
    "layers": lambda size: sheets(round(math.sqrt(size / 4)), 4),
    "patch": lambda size: sheets(max(PATCH, round(math.sqrt(size))), 1, touching=PATCH),
    "contacts": lambda size: sheets(round(math.sqrt(SIZES[-1])), 1, touching=round(math.sqrt(size))),
    "cubes": lambda size: cubes(max(2, round(math.sqrt(size / 108)))),
}
"""From a wanted size to a problem of about that size: contacts for `contacts`, nodes for the others."""


def measure(problem: Mlcp, settings: SolverSettings) -> Point:
    """Solve variants of a problem that differ in their gaps."""
    rng = np.random.default_rng(0)
    times, outer, converged = [], [], 0
    for _ in range(VARIANTS):
        gap: Floats = problem.gap * rng.uniform(0.0, 2.0, size=len(problem.gap))
        variant = replace(problem, gap=gap)
        begin = time.process_time()
        response = solve(variant, settings)
        times.append(1e3 * (time.process_time() - begin))
        outer.append(response.outer_iterations)
        converged += response.converged
    return Point(
        problem.node_count,
        problem.contact_count,
        float(np.median(times)),
        max(times),
        float(np.median(outer)),
        converged,
    )


def study(family: str, sizes: list[int], settings: SolverSettings) -> Iterator[Point]:
    """Growing problems of a family."""
    for size in sizes:
        yield measure(FAMILIES[family](size), settings)


def exponent(points: list[Point], name: str) -> float:
    """Slope of log time over log size; not a number when the size hardly varies."""
    sizes = np.array([getattr(p, name) for p in points], dtype=np.float64)
    if len(points) < 2 or sizes.max() < 2.0 * sizes.min():
        return math.nan
    return float(np.polyfit(np.log(sizes), np.log([p.milliseconds for p in points]), 1)[0])


def draw(found: dict[str, list[Point]], path: Path) -> None:
    """Time over size, one line a family."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as pyplot

    figure, axes = pyplot.subplots(1, 2, figsize=(10, 4.2), sharey=True)
    for axis, name in zip(axes, ("nodes", "contacts"), strict=True):
        for family, points in found.items():
            slope = exponent(points, name)
            if not math.isnan(slope):
                sizes, times = [getattr(p, name) for p in points], [p.milliseconds for p in points]
                axis.plot(sizes, times, "o-", label=f"{family}: {slope:.2f}")
        ends = np.array([500.0, 50000.0])
        axis.plot(ends, 5.0 * ends / 500.0, "k:", lw=1, label="linear")
        axis.set(xscale="log", yscale="log", xlabel=name)
        axis.legend(fontsize="small")
    axes[0].set_ylabel("CPU time of one solve [ms]")
    figure.tight_layout()
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=120)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--family", nargs="*", choices=list(FAMILIES), default=list(FAMILIES))
    parser.add_argument("--largest", type=int, default=SIZES[-1], help="size of the largest problem")
    parser.add_argument("--tolerance", type=float, default=SolverSettings().residual, help="[m/s]")
    parser.add_argument("--plot", type=Path, help="write a picture to this file (needs matplotlib)")
    arguments = parser.parse_args()
    settings = SolverSettings(tolerance=arguments.tolerance, relative_tolerance=3.0 * arguments.tolerance)
    sizes = [size for size in SIZES if size <= arguments.largest]
    solve(sheets(6, 2), settings)  # compile
    print(f"load of the machine at the start: {os.getloadavg()[0]:.1f}\n")
    print(
        "| family | nodes | contacts | CPU ms, median (worst) | outer iterations | converged |\n|---|---|---|---|---|---|"
    )
    found: dict[str, list[Point]] = {}
    for family in arguments.family:
        found[family] = []
        for p in study(family, sizes, settings):
            found[family].append(p)
            times = f"{p.milliseconds:.1f} ({p.worst:.1f})"
            print(
                f"| {family} | {p.nodes} | {p.contacts} | {times} | {p.outer:.0f} | {p.converged} of {VARIANTS} |",
                flush=True,
            )
    print("\n| family | exponent against nodes | against contacts | target |\n|---|---|---|---|")
    for family, points in found.items():
        slopes = [exponent(points, name) for name in ("nodes", "contacts")]
        print(f"| {family} | {slopes[0]:.2f} | {slopes[1]:.2f} | {TARGET} |")
    print(f"\nload of the machine at the end: {os.getloadavg()[0]:.1f}")
    if arguments.plot is not None:
        draw(found, arguments.plot)


if __name__ == "__main__":
    main()
