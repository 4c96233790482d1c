"""Time to build the contact matrix and to sweep over it, standard and with rigid response refinement (Otaduy2010 Fig. 4).

    python benchmarks/rigid_refinement.py                     a soft block between two rigid boxes, 100 to 10,000 contacts
    python benchmarks/rigid_refinement.py --friction 0.3      three rows a contact; the standard matrix is nine times larger
    python benchmarks/rigid_refinement.py run/*.npz           saved contact problems (`Mlcp.save`)
    python benchmarks/rigid_refinement.py --json rows.json    the rows for analysis

Prints a markdown table (milliseconds, the shortest of several) with the largest difference of the impulses after the same
number of sweeps, the exponents of the costs, and the difference of the solutions of a small problem run to convergence.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))
from reference.soft_between_boxes import soft_between_boxes
from signorini.contact.mlcp import Mlcp
from signorini.contact.residuals import build_local_response
from signorini.errors import InputError
from signorini.settings import SolverSettings
from signorini.solvers import ica_kernels, rigid_refinement_kernels
from signorini.solvers.contact_system import ContactSystem, build_contact_system
from signorini.solvers.problem_arrays import problem_arrays
from signorini.solvers.rigid_refinement import find_rigid_nodes, solve_rigid_refinement, solve_standard_contact

SIZES = (100, 200, 500, 1000, 2000, 5000, 10_000)
SWEEPS = 5
SOLVERS = ("standard", "refined", "unassembled")


def shortest(function: Callable[[], Any], times: int) -> tuple[Any, float]:
    """The result and the shortest of several times [s]."""
    best, result = float("inf"), None
    for _ in range(times):
        result = None  # frees the matrix before the next one is made
        begin = time.perf_counter()
        result = function()
        best = min(best, time.perf_counter() - begin)
    return result, best


def timed_sweeps(sweep: Callable[[np.ndarray, np.ndarray], float], problem: Mlcp) -> tuple[np.ndarray, float]:
    """The impulses after SWEEPS sweeps from zero, and the shortest time [s] of one of them."""
    velocity, p = np.zeros((problem.node_count, 3)), np.zeros((problem.contact_count, 3))
    best = float("inf")
    for _ in range(SWEEPS):
        begin = time.perf_counter()
        sweep(velocity, p)
        best = min(best, time.perf_counter() - begin)
    return p, best


def assembled_sweep(problem: Mlcp, system: ContactSystem) -> Callable[[np.ndarray, np.ndarray], float]:
    arrays = problem_arrays(problem, build_local_response(problem))
    return lambda v2, p: rigid_refinement_kernels.sweep_rows(arrays, system, False, 3, arrays.bias, v2, p)


def measure(problem: Mlcp) -> dict[str, Any]:
    """Build and sweep times [ms] of the standard and the refined solver, and of ICA, which assembles nothing."""
    row: dict[str, Any] = {"contacts": problem.contact_count, "nodes": problem.node_count}
    impulses = {}
    for name in SOLVERS:
        repeats = 20 if name != "standard" else 5 if problem.contact_count < 3000 else 2
        if name == "unassembled":
            prepared, build = shortest(lambda: build_local_response(problem), repeats)
            listed = np.empty(problem.contact_count, np.int32)

            def sweep(z: np.ndarray, p: np.ndarray, prepared: Any = prepared, listed: np.ndarray = listed) -> float:
                change, _ = ica_kernels.sweep_contacts(
                    problem.jacobian_indptr, problem.jacobian_nodes, problem.jacobian_blocks, prepared.response,
                    prepared.local, prepared.bias, problem.friction, False, 3, np.inf, listed, -1, z, p,
                )  # fmt: skip
                return change
        else:
            rigid = find_rigid_nodes(problem) & (name == "refined")
            try:
                system, build = shortest(lambda rigid=rigid: build_contact_system(problem, rigid), repeats)
            except InputError:  # the standard matrix would be too large
                continue
            row[f"{name}_blocks"] = len(system.columns) + len(system.rigid_entries)
            sweep = assembled_sweep(problem, system)
        impulses[name], iteration = timed_sweeps(sweep, problem)
        row[f"{name}_build_ms"], row[f"{name}_sweep_ms"] = 1e3 * build, 1e3 * iteration
    scale = np.abs(impulses["refined"]).max()
    row["difference"] = max(float(np.abs(p - impulses["refined"]).max() / scale) for p in impulses.values())
    return row


def exponent(rows: list[dict[str, Any]], column: str) -> float:
    """Of the cost against the number of contacts, fitted to the sizes from 500 contacts on (smaller ones are overhead)."""
    pairs = [(row["contacts"], row[column]) for row in rows if column in row and row["contacts"] >= 500]
    x, y = np.log(np.array(pairs).T)
    return float(np.polyfit(x, y, 1)[0])


def converged_difference(friction: float) -> float:
    """Largest difference of the velocity corrections of both solvers at convergence, as a part of the largest correction."""
    problem = soft_between_boxes(np.random.default_rng(0), contacts=200, friction=friction)
    settings = SolverSettings(name="ica", tolerance=1e-11, relative_tolerance=1e-11, max_outer=100_000)
    a, b = solve_rigid_refinement(problem, settings), solve_standard_contact(problem, settings)
    assert a.converged and b.converged
    return float(np.abs(a.dv - b.dv).max() / np.abs(b.dv).max())


def problems(files: list[str], friction: float) -> Iterator[Mlcp]:
    for name in files:
        yield Mlcp.load(name)
    if not files:
        for size in SIZES:
            yield soft_between_boxes(np.random.default_rng(0), contacts=size, friction=friction)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="*", help="saved contact problems (.npz)")
    parser.add_argument("--friction", type=float, default=0.0, help="coefficient of the generated problems")
    parser.add_argument("--json", help="write the rows to this file")
    arguments = parser.parse_args()
    measure(soft_between_boxes(np.random.default_rng(0), contacts=10, friction=arguments.friction))  # compiles
    columns = [f"{name}_{part}_ms" for part in ("build", "sweep") for name in SOLVERS]
    print("| contacts | " + " | ".join(c.replace("_", " ") for c in columns) + " | difference |")
    print("|---" * (len(columns) + 2) + "|")
    rows = []
    for problem in problems(arguments.files, arguments.friction):
        row = measure(replace(problem, contact_distance=0.0))
        rows.append(row)
        values = [f"{row[c]:.3g}" if c in row else "too large" for c in columns]
        print(f"| {row['contacts']} | " + " | ".join(values) + f" | {row['difference']:.1e} |", flush=True)
    if not arguments.files:
        for column in columns:
            print(f"exponent of {column}: {exponent(rows, column):.2f}")
        largest = [row for row in rows if "standard_sweep_ms" in row][-1]
        for part in ("build", "sweep"):
            factor = largest[f"standard_{part}_ms"] / largest[f"refined_{part}_ms"]
            print(f"{part}: refined is {factor:.0f} times faster at {largest['contacts']} contacts")
        print(f"difference at convergence (200 contacts): {converged_difference(arguments.friction):.1e}")
    if arguments.json:
        Path(arguments.json).write_text(json.dumps(rows, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()
