"""Time to build the contact matrix and to sweep over it, standard and with rigid response refinement, on generated problems.

    python benchmarks/rigid_refinement.py                     a soft block between two rigid boxes, 100 to 10,000 contacts
    python benchmarks/rigid_refinement.py run/*.npz           saved contact problems (`Mlcp.save`)

`signorini reproduce otaduy2010-fig-4` measures the same on the vertebrae, with a plot. Times are CPU milliseconds, the shortest
of several; `difference` is that of the impulses after the same number of sweeps.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))
from reference.soft_between_boxes import soft_between_boxes
from signorini.contact.mlcp import Mlcp
from signorini.studies.reproduction.measured_run import exponent
from signorini.studies.reproduction.rigid_costs import measure

SIZES = (100, 200, 500, 1000, 2000, 5000, 10_000)
COLUMNS = ("contacts", "standard_build", "refined_build", "standard_sweep", "refined_sweep", "difference")


def main() -> None:
    measure(soft_between_boxes(np.random.default_rng(0), contacts=10))  # loads kernels
    problems = [Mlcp.load(name) for name in sys.argv[1:]] or [
        soft_between_boxes(np.random.default_rng(0), contacts=size) for size in SIZES
    ]
    print("| " + " | ".join(c.replace("_", " ") for c in COLUMNS) + " |\n" + "|---" * len(COLUMNS) + "|")
    rows = [row for row in map(measure, problems) if row is not None]
    for row in rows:
        print("| " + " | ".join(f"{row[c]:.3g}" for c in COLUMNS) + " |", flush=True)
    large = [row for row in rows if row["contacts"] >= 500]
    for column in COLUMNS[1:-1]:
        print(f"exponent of {column}: {exponent([r['contacts'] for r in large], [r[column] for r in large]):.2f}")


if __name__ == "__main__":
    main()
