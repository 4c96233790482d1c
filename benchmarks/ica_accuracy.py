"""Iterations, time and error of iterative constraint anticipation against full anticipation, as a markdown table.

    python benchmarks/ica_accuracy.py                     random spring sheets at dt^2 k/m = 10, 100, 1000
    python benchmarks/ica_accuracy.py run/*.npz           saved contact problems (`Mlcp.save`)

Problems too large for full anticipation get ICA at a tolerance of 1e-7 as their reference.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))
from reference.measures import relative_error
from reference.problems import random_mlcp
from signorini.contact.mlcp import Mlcp, Response
from signorini.settings import SolverSettings
from signorini.solvers import solve
from signorini.solvers.full_anticipation import LARGEST


def problems(files: list[str], contacts: int) -> Iterator[tuple[str, Mlcp]]:
    """Name and problem: the saved ones, or random sheets of 1,200 nodes."""
    for name in files:
        yield Path(name).stem, Mlcp.load(name)
    if files:
        return
    for stiffness in (10.0, 100.0, 1000.0):
        rng = np.random.default_rng(1)
        yield (
            f"sheets {stiffness:g}",
            random_mlcp(rng, sheets=3, rows=20, columns=20, contacts=contacts, stiffness=stiffness),
        )


def reference(problem: Mlcp, settings: SolverSettings) -> tuple[str, Response]:
    """The most exact solution at hand and where it is from."""
    if 3 * problem.contact_count <= LARGEST:
        return "full", solve(problem, settings.adapted(name="full-anticipation"))
    return "ica 1e-7", solve(problem, replace(settings, tolerance=1e-7, relative_tolerance=1e-7, max_outer=20_000))


def timed(problem: Mlcp, settings: SolverSettings) -> tuple[Response, float]:
    """The response and the shorter of two times in ms (the first may compile)."""
    best = float("inf")
    for _ in range(2):
        begin = time.perf_counter()
        response = solve(problem, settings)
        best = min(best, time.perf_counter() - begin)
    return response, 1e3 * best


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="*", help="saved contact problems (.npz)")
    parser.add_argument("--contacts", type=int, default=600, help="contacts of the random problems")
    parser.add_argument("--friction", type=float, default=0.3, help="coefficient of the runs with friction")
    parser.add_argument("--max-outer", type=int, default=SolverSettings().max_outer)
    arguments = parser.parse_args()
    columns = (
        "problem, nodes, contacts, friction, stop, converged, outer, sweeps, ms, error (A-norm), relative residual"
    )
    print(f"| {columns.replace(', ', ' | ')} |")
    print("|---" * (columns.count(",") + 1) + "|")
    for name, base in problems(arguments.files, arguments.contacts):
        for mu, cone in ((0.0, "pyramid"), (arguments.friction, "pyramid"), (arguments.friction, "cone")):
            problem = replace(base, friction=np.full(base.contact_count, mu))
            settings = SolverSettings(name="ica", friction_cone=cone, max_outer=arguments.max_outer)
            source, exact = reference(problem, settings)
            for stop in ("residual", "paper"):
                response, ms = timed(problem, replace(settings, stop=stop))
                error = relative_error(problem, response.dv, exact.dv)
                verdict = "yes" if response.converged else "diverged" if response.diverged else "no"
                row = (
                    *(name, problem.node_count, problem.contact_count, f"{mu:g} {cone}" if mu else 0, stop, verdict),
                    *(response.outer_iterations, response.inner_iterations, f"{ms:.1f}", f"{error:.1e} ({source})"),
                    f"{response.dynamics_relative:.1e}",
                )
                print("| " + " | ".join(map(str, row)) + " |", flush=True)


if __name__ == "__main__":
    main()
