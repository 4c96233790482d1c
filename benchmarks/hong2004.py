"""Hong2004 measured: penetration over time as in Fig. 5, and frames per second with 500 tetrahedra a side.

    python benchmarks/hong2004.py                       all scenes, with a table and docs/pictures/hong2004-penetration.png
    python benchmarks/hong2004.py --scene two-cylinders --seconds 1.0 --no-plot

Penetration is measured by a point-in-tetrahedron test that shares no code with the method, at every frame; times are CPU
seconds of the steps alone, without the measurement, of the median frame.
"""

from __future__ import annotations

import argparse
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))
from reference.penetration import penetration_depths
from signorini import Simulation
from signorini.gallery import ball_and_board, two_cylinders
from signorini.geometry import shapes
from signorini.geometry.tet_mesh import TetMesh
from signorini.scene.scene import Scene
from signorini.scene.soft_solid import SoftSolid
from signorini.settings import HongSettings, Settings

ROOT = Path(__file__).resolve().parents[1]
FPS = 25.0


def cylinder_of_500() -> TetMesh:
    """504 tetrahedra: seven layers of elements that are longer along the axis than across."""
    short = shapes.cylinder_tets(two_cylinders.RADIUS, 0.55 * two_cylinders.LENGTH, edge=two_cylinders.RADIUS / 1.5)
    return TetMesh(short.vertices * [1.0, 1.0, 1.0 / 0.55], short.tetrahedra)


def scenes() -> dict[str, tuple[Scene, float, float]]:
    """Scene, step of the user [s] and length [s]."""
    return {
        "two-cylinders": (two_cylinders.build(tets=cylinder_of_500(), damping=0.1), 0.04, 3.0),
        "ball-and-board": (ball_and_board.build(resolution=1, damping=0.0), 0.005, 1.0),
        "ball-and-board, 100 times softer": (
            ball_and_board.build(resolution=1, damping=0.0, stiffness=0.01),
            0.005,
            1.5,
        ),
    }


@dataclass(slots=True)
class Course:
    """What one run showed, frame by frame."""

    element: float = 0.0
    times: list[float] = field(default_factory=list)
    worst: list[float] = field(default_factory=list)
    nearest: list[float] = field(default_factory=list)
    """Signed distance of the nearest pair that the method reports [m]."""
    contacts: list[int] = field(default_factory=list)
    intersections: list[int] = field(default_factory=list)
    energy: list[float] = field(default_factory=list)
    cpu: list[float] = field(default_factory=list)
    substeps: list[int] = field(default_factory=list)


def run(scene: Scene, dt: float, seconds: float, settings: Settings) -> Course:
    """Simulate and measure at `FPS` frames per simulated second; the first step, which compiles, is not timed."""
    sim = Simulation(scene, dt=dt, settings=settings)
    sim.step()
    sim = Simulation(scene, dt=dt, settings=settings)
    course, each = Course(), max(1, round(1.0 / (FPS * dt)))
    volumes = np.concatenate([b.tets.volumes() for b in scene.bodies.values() if isinstance(b, SoftSolid)])
    course.element = float(np.cbrt(6.0 * np.sqrt(2.0) * volumes).mean())
    for _ in range(round(seconds / (dt * each))):
        begin = time.process_time()
        reports = [sim.step() for _ in range(each)]
        course.cpu.append(time.process_time() - begin)
        course.times.append(sim.time)
        course.worst.append(max(penetration_depths(sim), default=0.0))
        course.nearest.append(reports[-1].min_distance)
        course.contacts.append(reports[-1].contact_count)
        course.intersections.append(sim.intersections())
        course.energy.append(reports[-1].total_energy)
        course.substeps.append(sum(r.substeps for r in reports))
    return course


def print_row(name: str, tets: int, c: Course, dt: float) -> None:
    frame = 1.0 / FPS
    print(
        f"| {name} | {tets} | {len(c.times)} | {max(c.contacts)} | {max(c.worst):.2e} | {max(c.worst) / c.element:.2e} "
        f"| {np.quantile(c.worst, 0.9) / c.element:.2e} | {sum(n > 0 for n in c.intersections)} | {np.mean(c.substeps):.0f} "
        f"| {1e3 * np.median(c.cpu):.0f} ms | {1.0 / np.median(c.cpu):.1f} | {frame / np.median(c.cpu):.2f} |"
    )


def plot(courses: dict[str, Course], path: Path) -> None:
    """Worst penetration over time in element sizes, with the legal 1/1000 (Hong2004 Fig. 5); none is drawn as 1e-9."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(1, len(courses), figsize=(5.0 * len(courses), 3.2), squeeze=False)
    for axis, (name, c) in zip(axes[0], courses.items(), strict=True):
        depth = np.maximum(np.array(c.worst) / c.element, 1e-9)
        axis.semilogy(c.times, np.abs(c.nearest) / c.element, "+", color="grey", label="|distance| of the nearest pair")
        axis.semilogy(c.times, depth, ".", label="deepest vertex inside")
        axis.axhline(1e-3, color="red", linestyle="--", label="1/1000 of an element")
        axis.set(title=name, xlabel="time [s]", ylabel="penetration / element size", ylim=(5e-10, 3e-2))
        axis.legend(loc="lower right", bbox_to_anchor=(1.0, 0.08), fontsize=7)
    figure.tight_layout()
    figure.savefig(path, dpi=110)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--scene", choices=list(scenes()))
    parser.add_argument("--seconds", type=float)
    parser.add_argument("--edges", action="store_true", help="with edge-edge contacts")
    parser.add_argument("--no-plot", action="store_true")
    arguments = parser.parse_args()
    settings = Settings(method="hong", hong=HongSettings(edge_contacts=arguments.edges))
    courses = {}
    print("| scene | tetrahedra | frames | most contacts | worst penetration [m] | in elements | 90 % below | frames with "
          "intersecting edges | substeps a frame | CPU a frame | frames a CPU second | real time |")  # fmt: skip
    print("|---|---|---|---|---|---|---|---|---|---|---|---|")
    for name, (scene, dt, seconds) in scenes().items():
        if arguments.scene in (None, name):
            courses[name] = run(scene, dt, arguments.seconds or seconds, settings)
            tets = sum(len(b.tets.tetrahedra) for b in scene.bodies.values() if isinstance(b, SoftSolid))
            print_row(name, tets, courses[name], dt)
    if not arguments.no_plot:
        plot(courses, ROOT / "docs" / "pictures" / "hong2004-penetration.png")


if __name__ == "__main__":
    main()
