"""Hong2004 Figs. 3 to 5 and its frame rate: ball and board, two cylinders, penetration depth, frames a second."""

from __future__ import annotations

from typing import Any

import numpy as np

from signorini.gallery import ball_and_board, two_cylinders
from signorini.geometry.tet_mesh import signed_volumes
from signorini.scene.scene import Scene
from signorini.simulation.simulation import Simulation
from signorini.studies.reproduction.hong_run import (
    FPS,
    HongRun,
    contact_depths,
    cylinder_of_500,
    element_size,
    follow,
)
from signorini.studies.reproduction.measured_run import show_picture
from signorini.studies.reproduction.target import Number, Outcome, Progress, Target

LEGAL = 1e-3
"""Penetration over the size of an element that the paper allows: 0.01 for elements of 10."""
UNIT = 10.0
"""Size of an element in the units of Fig. 5."""
AREAS = 7
"""Areas of contact that Fig. 5 samples."""


def _penetration(run: HongRun) -> Number:
    worst = max(run.deepest) / run.element
    return Number(
        "deepest penetration",
        "at most 1/1000 of an element",
        f"{worst:.1e} of an element",
        "measured on the surfaces alone; contacts rest within the tolerance above the surface",
        worst <= LEGAL,
    )


def _ball(quick: bool, progress: Progress) -> Outcome:
    stiffness, seconds = (0.01, 0.6) if quick else (1.0, 1.0)
    scene = ball_and_board.build(resolution=1, damping=0.0, stiffness=stiffness)

    def look(sim: Simulation) -> tuple[float, float]:
        board = sim.bodies["board"].positions
        middle = np.abs(board[:, 0]) < 0.06
        return float(sim.bodies["ball"].positions[:, 2].min()), float(board[middle, 2].max())

    run = follow(scene, progress, dt=5e-3, seconds=seconds, look=look, pictures=(0.28, seconds))
    ball, board = np.array(run.seen).T
    sag = float(board[0] - board.min())
    softer = (
        "a hundred times softer than wood and lead, so that steps are ten times longer" if quick else "wood and lead"
    )
    numbers = [
        Number(
            "maintenance of the contact condition",
            "accurate",
            f"{max(run.deepest) / run.element:.1e} of an element at most",
            f"the paper shows pictures only; {softer}",
            max(run.deepest) <= LEGAL * run.element,
        ),
        Number(
            "realistic behaviour of two stiff bodies",
            "an animation",
            f"the board bends by {1e3 * sag:.1f} mm and throws the ball back",
            "the paper gives neither sizes nor materials: a fibreboard of 0.8 m and a lead ball of 6 kg, 0.3 m above it",
            sag > 1e-3,
        ),
        Number(
            "rendered off-line",
            "off-line, the mesh is fine",
            f"{np.median(run.cpu):.2f} s of CPU time a frame of 1/25 s",
            "the mesh here is coarse (376 tetrahedra); stiff materials need many explicit steps",
            None,
        ),
    ]

    def draw(figure: Any) -> None:
        axes = figure.subplots(1, 3, width_ratios=(1.3, 1.0, 1.0))
        axes[0].plot(run.times, ball, label="lowest point of the ball")
        axes[0].plot(run.times, board, label="board below it")
        axes[0].set(xlabel="time [s]", ylabel="height [m]")
        axes[0].legend(fontsize=8)
        for axis, picture in zip(axes[1:], run.pictures, strict=False):
            show_picture(axis, picture)

    data = {"time": run.times, "ball": ball, "board": board, "penetration": run.deepest}
    return Outcome(
        numbers,
        draw,
        (10.5, 3.4),
        data,
        f"`ball-and-board`, method `hong`, resolution 1, stiffness {stiffness:g}, {seconds:g} s",
    )


def _cylinders_scene() -> Scene:
    return two_cylinders.build(tets=cylinder_of_500(), damping=0.1)


def _cylinders(quick: bool, progress: Progress) -> Outcome:
    seconds = 1.6 if quick else 3.0
    tets = cylinder_of_500()

    def look(sim: Simulation) -> list[float]:
        return [
            float(signed_volumes(sim.bodies[n].node_positions, tets.tetrahedra).sum()) / tets.volume()
            for n in ("upper", "lower")
        ]

    run = follow(_cylinders_scene(), progress, dt=0.04, seconds=seconds, look=look, pictures=(0.52, 1.0, 1.4))
    volumes = np.array(run.seen)
    change = float(np.abs(volumes - 1.0).max())
    numbers = [
        Number(
            "volumes under large deformation",
            "preserved",
            f"change by {100 * change:.1f} % at most",
            "a nearly incompressible Neo-Hookean material on linear tetrahedra, as in the paper",
            change < 0.05,
        ),
        Number(
            "penetrated nodes",
            "none",
            f"{sum(d > 0 for d in run.deepest)} of {len(run.times)} frames with one",
            "measured on the surfaces alone, at every frame",
            not any(d > LEGAL * run.element for d in run.deepest),
        ),
        Number(
            "edges through triangles",
            "not checked (edge contacts left out)",
            f"{run.intersecting} of {len(run.times)} frames",
            "the method does not see edges between vertices, as the paper warns (§3); `cmr` has none",
            None,
        ),
    ]

    def draw(figure: Any) -> None:
        axes = figure.subplots(1, 4, width_ratios=(1.2, 1.0, 1.0, 1.0))
        axes[0].plot(run.times, 100 * volumes, label=["upper", "lower"])
        axes[0].set(xlabel="time [s]", ylabel="volume [% of the start]", ylim=(90, 110))
        axes[0].legend(fontsize=8)
        for axis, picture in zip(axes[1:], run.pictures, strict=False):
            show_picture(axis, picture)

    return Outcome(
        numbers,
        draw,
        (12.0, 3.0),
        {"time": run.times, "volumes": volumes},
        f"`two-cylinders`, 504 tetrahedra a side, method `hong`, {seconds:g} s",
    )


def _depths(quick: bool, progress: Progress) -> Outcome:
    seconds = 1.6 if quick else 3.0
    scene = _cylinders_scene()
    reach = 2.0 * LEGAL * element_size(scene)
    run = follow(scene, progress, dt=0.04, seconds=seconds, look=lambda sim: contact_depths(sim, reach))
    scale = UNIT / run.element
    found = [(y, scale * d) for frame in run.seen for y, d in frame]
    places = np.array([y for y, _ in found])
    bounds = np.quantile(places, np.linspace(0.0, 1.0, AREAS + 1))[1:-1]
    area = np.digitize(places, bounds)
    depth = np.array([d for _, d in found])
    errors = np.abs(depth)
    numbers = [
        Number(
            "constraints enforced over time",
            "about 250 in 7 areas",
            f"{len(depth)} in {AREAS} areas",
            "vertices of either cylinder within twice the tolerance of the other, at 25 frames a second",
            None,
        ),
        Number(
            "error of a contact, elements of size 10",
            "a majority at 10⁻³, at most 10⁻²",
            f"{(errors <= 1e-3).mean():.0%} at 10⁻³ or less, {(errors <= 1e-2).mean():.0%} at 10⁻² or less",
            "distance from the surface, inside or outside; those farther out are contacts that open",
            bool((depth <= 1e-2).all()),
        ),
        Number(
            "penetration",
            "up to the tolerance of 10⁻²",
            f"{max(depth.max(), 0.0):.1e}",
            "nodes that entered are moved back beyond the surface by a tenth of the tolerance, so that none is inside at a frame",
            bool(depth.max() <= 1e-2),
        ),
    ]

    def draw(figure: Any) -> None:
        axes = figure.subplots(1, 2, width_ratios=(1.0, 1.0))
        for k in range(AREAS):
            mine = depth[area == k]
            at = np.flatnonzero(area == k)
            axes[0].plot(at, np.maximum(mine, 0.0), ".", ms=3, label=f"area {k + 1}")
            axes[1].plot(at, np.abs(mine), ".", ms=3)
        axes[0].set(title="axes of the paper", ylabel="penetration depth (elements of size 10)", ylim=(-3e-4, 1.2e-2))
        axes[1].set(title="distance from the surface, inside or outside", yscale="log", ylim=(1e-8, 3e-2))
        for axis in axes:
            axis.axhline(1e-2, color="tab:red", ls="--", lw=0.8)
            axis.axhline(1e-3, color="tab:orange", ls=":", lw=0.8)
            axis.set_xlabel("non-penetration conditions over time")
        axes[0].text(0.0, 1.03e-2, "tolerance of the paper", fontsize=7, color="tab:red")
        axes[0].text(0.0, 1.1e-3, "majority in the paper", fontsize=7, color="tab:orange")
        axes[0].legend(fontsize=6, ncol=2, loc="center right")

    return Outcome(
        numbers,
        draw,
        (9.5, 3.8),
        {"depth": depth, "area": area},
        f"`two-cylinders`, 504 tetrahedra a side, method `hong`, {seconds:g} s",
    )


def _rate(quick: bool, progress: Progress) -> Outcome:
    seconds = 1.6 if quick else 3.0
    run = follow(_cylinders_scene(), progress, dt=0.04, seconds=seconds)
    rate = 1.0 / float(np.median(run.cpu))
    numbers = [
        Number(
            "frames a second with about 500 tetrahedra a side",
            "25 on average (Pentium 4, 1.7 GHz)",
            f"{rate:.0f} of CPU time (median)",
            "one core of a shared machine of 2026; one frame is 1/25 s of simulated time here, the paper does "
            "not say how much it is",
            rate >= FPS,
        ),
        _penetration(run),
    ]

    def draw(figure: Any) -> None:
        axis = figure.subplots()
        axis.plot(run.times, 1.0 / np.array(run.cpu), ".-", lw=0.8, label=f"ours, median {rate:.0f}")
        axis.axhline(FPS, color="tab:red", ls="--", label="paper: 25 on average")
        axis.set(xlabel="time of the scene [s]", ylabel="frames a CPU second", ylim=(0, None))
        axis.legend(fontsize=8)

    return Outcome(
        numbers,
        draw,
        (7.0, 3.4),
        {"cpu_seconds": run.cpu},
        f"`two-cylinders`, 504 tetrahedra a side, method `hong`, {seconds:g} s",
    )


TARGETS = (
    Target(
        "hong2004-fig-3",
        "Hong2004",
        "Fig. 3",
        "A heavy ball on a board: the contact condition is maintained accurately.",
        _ball,
        (0.1, 1.0),
    ),
    Target(
        "hong2004-fig-4",
        "Hong2004",
        "Fig. 4",
        "Two soft cylinders wrap around each other; volumes are kept and no node penetrates.",
        _cylinders,
        (0.1, 0.1),
    ),
    Target(
        "hong2004-fig-5",
        "Hong2004",
        "Fig. 5",
        "Penetration stays below 1/1000 of an element, mostly below a tenth of that.",
        _depths,
        (0.1, 0.1),
    ),
    Target(
        "hong2004-frame-rate",
        "Hong2004",
        "§5, 25 frames a second",
        "About 500 tetrahedra a side run at 25 frames a second.",
        _rate,
        (0.1, 0.1),
    ),
)
