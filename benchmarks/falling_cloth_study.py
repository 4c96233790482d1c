"""`falling-cloth` for several frictions, time steps and stiffnesses, checked by ipctk in every step, as a markdown table.

    python benchmarks/falling_cloth_study.py                          all rows, 4 s each (about an hour)
    python benchmarks/falling_cloth_study.py default dt-20ms          these rows
    python benchmarks/falling_cloth_study.py stiffer --steps 100      only the first 100 steps
    python benchmarks/falling_cloth_study.py --list                   the names of the rows

Times are milliseconds per step on this machine: CPU of the whole step, wall clock by phase.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))
from reference.cloth_study import ROWS, Result, run_row
from signorini.files.runs.step_table import PHASES
from signorini.methods.report import StepReport

HEADINGS = (
    "row",
    "steps",
    "CPU ms/step",
    " / ".join(PHASES),
    "contacts mean / max",
    "refinements",
    "≤ 3",
    "halvings",
    "fail-safe steps",
    "solves converged",
    "penetration / complementarity / momentum [m/s]",
    "least distance [mm]",
    "energy growth / drop [J]",
    "speed at rest [m/s]",
    "intersections / crossings",
)


def cells(result: Result) -> list[str]:
    """One row of the table."""
    phases = " / ".join(f"{1e3 * result.phase_seconds[p] / result.steps:.1f}" for p in PHASES)
    histogram = ", ".join(f"{k}: {result.refinements[k]}" for k in sorted(result.refinements))
    residuals = (result.penetration_residual, result.complementarity_residual, result.momentum_residual)
    return [
        result.row.name,
        str(result.steps),
        f"{1e3 * result.cpu_seconds / result.steps:.1f}",
        phases,
        f"{sum(result.contacts) / result.steps:.0f} / {max(result.contacts)}",
        histogram,
        f"{100.0 * result.share_of_few_refinements:.1f} %",
        str(result.halvings),
        str(len(result.failsafe_steps)),
        f"{result.solves_converged} of {result.solves} ({100.0 * result.solves_converged / result.solves:.0f} %)",
        " / ".join(f"{r:.1e}" for r in residuals),
        f"{1e3 * result.min_distance:.3f}",
        f"{result.energy_growth:.1e} / {result.energy_drop:.2f}",
        f"{result.rest_speed:.1e}",
        f"{len(result.intersecting)} / {len(result.crossing)}",
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("rows", nargs="*", metavar="ROW", help=f"of {', '.join(ROWS)}; all if none is given")
    parser.add_argument("--steps", type=int, help="only so many steps")
    parser.add_argument("--resolution", type=int, default=50, help="vertices along an edge")
    parser.add_argument("--list", action="store_true", help="print the names of the rows")
    parser.add_argument("--verbose", action="store_true", help="a line per step on standard error")
    arguments = parser.parse_args()
    if arguments.list:
        print("\n".join(ROWS))
        return
    unknown = [name for name in arguments.rows if name not in ROWS]
    if unknown:
        parser.error(f"there is no row {unknown[0]!r}; there are {', '.join(ROWS)}")

    def show(report: StepReport) -> None:
        print(
            f"{report.index} t={report.time:.4f} {report.status.name} contacts={report.contact_count} "
            f"refinements={report.refinements} halvings={report.halvings} outer={report.outer_iterations} "
            f"converged={report.solves_converged}/{report.solves} energy={report.total_energy:.9f}",
            file=sys.stderr,
            flush=True,
        )

    print(f"| {' | '.join(HEADINGS)} |\n|{'---|' * len(HEADINGS)}", flush=True)
    for name in arguments.rows or ROWS:
        result = run_row(
            ROWS[name],
            steps=arguments.steps,
            resolution=arguments.resolution,
            on_step=show if arguments.verbose else None,
        )
        print(f"| {' | '.join(cells(result))} |", flush=True)


if __name__ == "__main__":
    main()
