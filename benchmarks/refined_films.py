"""Refined surfaces of a run, as films show them, looked at by ipctk frame by frame.

    signorini run dancer -o runs/dancer && python benchmarks/refined_films.py runs/dancer
    python benchmarks/refined_films.py runs/dancer --first 60     # those before are known

Cloth is subdivided once (`render/refined_surfaces`); a frame is named if an edge of any body passes through a triangle of any
other, or of its own body, or if refined cloth is on or below a plane.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))
from reference.refined_check import RefinedCheck
from signorini.files.runs.trajectory import Trajectory


def main() -> None:
    """Look at the frames and print what was found."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("run", type=Path, help="output directory of a run")
    parser.add_argument("--first", type=int, default=0, help="the first frame to look at")
    arguments = parser.parse_args()
    trajectory, start = Trajectory.open(arguments.run), time.process_time()
    check, last = RefinedCheck(trajectory), trajectory.frame_count - 1
    bad = [k for k in range(arguments.first, last + 1) if check.intersects(k)]
    seconds = time.process_time() - start
    print(
        f"frames {arguments.first} to {last} of {str(arguments.run)!r} (to {trajectory.times[-1]:.2f} s): "
        f"{len(bad)} intersect {bad or ''} ({seconds:.0f} CPU s)"
    )


if __name__ == "__main__":
    main()
