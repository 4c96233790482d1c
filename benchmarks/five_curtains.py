"""The comparison of Sifakis2008 Fig. 4 remade: `five-curtains`, volume-preserving against Gauss-Seidel impulses.

    python benchmarks/five_curtains.py                            all 280 frames (about an hour)
    python benchmarks/five_curtains.py --frames 60 --resolution 15
    python benchmarks/five_curtains.py --plot docs/images/five-curtains-figure-4.png --json rows.json

The volume method (ICR in the paper) runs through, with 16 integration loops per collision step and CFL 4 at most. Every frame is
then done again from the state in which it began, by Gauss-Seidel impulses: GSx.y has x loops per collision step and CFL y. As in
the paper no one may use impact zones: what one loop leaves colliding is a failed frame. `GS…i` takes normals at the time of
impact instead of at the start of the step. All frames of the volume method are checked by ipctk.

Cotton at this resolution needs 60 steps of the integrator for a frame at CFL 4; the cloth is made softer (`--stiffness`), so that
16 loops cover one, as in the paper.
"""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import replace
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

import signorini as sg
from reference.ipc_check import IpcCheck
from signorini.gallery.five_curtains import FPS, FRAMES, build
from signorini.studies.comparison import advance_frame, handed_over, load_kernels
from signorini.studies.comparison_records import FrameRecord, MethodRun

COLUMNS = (
    "frames",
    "failed",
    "at the full frame interval",
    "mean interval [ms]",
    "retries",
    "CPU per frame, median [s]",
)


def variants() -> dict[str, sg.CollisionLoopSettings]:
    """The methods of the figure."""
    base = sg.CollisionLoopSettings(impact_zones=False)
    gauss_seidel = {
        f"GS{loops}.{cfl}": replace(base, max_loops=loops, cfl=float(cfl)) for loops in (16, 64) for cfl in (1, 4)
    }
    return {"ICR": base, **gauss_seidel, "GS16.4i": replace(base, normals="impact")}


def run(resolution: int, stiffness: float, frames: int, every: int) -> tuple[dict[str, MethodRun], int]:
    """All methods on all frames, and how many frames of the first ipctk finds intersections in."""
    interval = 1.0 / FPS
    for method in ("volume", "impulses"):
        load_kernels(method)
    sims = {
        name: sg.Simulation(
            build(resolution=resolution, stiffness=stiffness),
            dt=interval,
            settings=sg.Settings(method="volume" if name == "ICR" else "impulses", collision_loop=loop),
        )
        for name, loop in variants().items()
    }
    runs = {name: MethodRun(name, interval, energy_at_start=0.0) for name in sims}
    check, intersecting = IpcCheck(sims["ICR"]), 0
    for frame in range(frames):
        start = sims["ICR"].checkpoint()
        for name, sim in sims.items():
            if name != "ICR":
                if frame % every:
                    continue
                sim.restore(handed_over(start, sim))
            record, _, reason = advance_frame(sim, frame, interval)
            runs[name].records.append(record)
            runs[name].reason = runs[name].reason or reason
        intersecting += check.intersects(check.positions())
        if frame % 10 == 9:
            shown = "  ".join(f"{name} {r.records[-1].collision_interval * 1e3:.1f}" for name, r in runs.items())
            print(f"frame {frame + 1}: intervals [ms] {shown}", file=sys.stderr, flush=True)
        if runs["ICR"].records[-1].failed:
            break
    return runs, intersecting


def cells(run: MethodRun) -> list[str]:
    """The row of a method."""
    row, count = run.row(), len(run.records)
    share = 100.0 * row["frames_at_full_interval"] / count
    mean = "–" if row["mean_collision_interval"] is None else f"{1e3 * row['mean_collision_interval']:.1f}"
    median = "–" if row["cpu_seconds_per_frame"] is None else f"{row['cpu_seconds_per_frame']:.2f}"
    return [str(count), str(row["failed_frames"]), f"{share:.0f} %", mean, str(row["halvings"]), median]


def draw(runs: dict[str, MethodRun], path: Path) -> None:
    """Collision interval and time of every frame; failures are crosses below zero."""
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(2, 1, figsize=(9, 7), sharex=True)
    wanted = (("collision interval [ms]", lambda r: 1e3 * r.collision_interval), ("CPU time of the frame [s]", cpu))
    for axis, (label, value) in zip(axes, wanted, strict=True):
        for k, (name, run) in enumerate(runs.items()):
            good = [r for r in run.records if not r.failed]
            axis.plot([r.frame for r in good], [value(r) for r in good], lw=1.0, label=name, color=f"C{k}")
            bad = [r.frame for r in run.records if r.failed]
            low = -0.04 * (k + 1) * axis.get_ylim()[1]
            axis.plot(bad, [low] * len(bad), "x", ms=4, color=f"C{k}")
        axis.set_ylabel(label)
    axes[0].legend(ncol=6, fontsize="small")
    axes[1].set_xlabel("frame (crosses: failed)")
    figure.tight_layout()
    figure.savefig(path, dpi=110)


def cpu(record: FrameRecord) -> float:
    """[s]"""
    return record.cpu_seconds


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--resolution", type=int, default=31, help="vertices along an edge of a curtain")
    parser.add_argument("--stiffness", type=float, default=0.06, help="of the cloth, in multiples of cotton")
    parser.add_argument("--frames", type=int, default=FRAMES)
    parser.add_argument("--every", type=int, default=1, help="Gauss-Seidel does only every n-th frame")
    parser.add_argument("--plot", type=Path, help="write a picture to this file (needs matplotlib)")
    parser.add_argument("--json", type=Path, help="write a row for each method to this file")
    arguments = parser.parse_args()
    runs, intersecting = run(arguments.resolution, arguments.stiffness, arguments.frames, arguments.every)
    print("| | " + " | ".join(COLUMNS) + " |\n" + "|---" * (len(COLUMNS) + 1) + "|")
    for name, done in runs.items():
        print(f"| {name} | " + " | ".join(cells(done)) + " |")
    print(f"\nICR, frames with intersections by ipctk: {intersecting}")
    if arguments.json:
        arguments.json.write_text(json.dumps([done.row() for done in runs.values()], indent=1), encoding="utf-8")
    if arguments.plot:
        draw(runs, arguments.plot)


if __name__ == "__main__":
    main()
