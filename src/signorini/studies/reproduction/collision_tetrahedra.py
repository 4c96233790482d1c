"""Sifakis2008 Fig. 1: two spheres about to collide, and the tetrahedra of their colliding pairs."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from signorini.geometry import shapes
from signorini.methods.collision_loop.effective_motion import EffectiveMotion
from signorini.methods.collision_loop.volume_impulses import collision_volumes, resolve_by_volumes
from signorini.methods.report import Tally
from signorini.scene.cloth_material import cloth_material
from signorini.scene.scene import Scene
from signorini.settings import Settings
from signorini.simulation.simulation import Simulation
from signorini.studies.reproduction.target import Number, Outcome, Progress, Target

RADIUS, GAP, SPEED, DT = 0.1, 0.008, 1.0, 1.0 / 60.0
"""Radius and distance of the spheres [m], the speed of each [m/s], and the collision interval, a frame [s]."""


def spheres(edge: float) -> Simulation:
    """Two hollow spheres of cloth that move towards each other along x."""
    scene = Scene(gravity=(0.0, 0.0, 0.0), name="spheres")
    for side, name in ((-1.0, "left"), (1.0, "right")):
        scene.add_cloth(
            shapes.sphere(RADIUS, edge=edge),
            area_density=0.2,
            material=cloth_material("cotton", "mass-spring"),
            model="mass-spring",
            position=(side * (RADIUS + 0.5 * GAP), 0.0, 0.0),
            rotation=(0.3 * side, 0.2, 0.1),
            velocity=(-side * SPEED, 0.0, 0.0),
            name=name,
        )
    return Simulation(scene, dt=DT, settings=Settings(method="volume"), threads=1)


def _run(quick: bool, progress: Progress) -> Outcome:
    sim = spheres(0.03 if quick else 0.015)
    world, v = sim._world, sim.state.v
    motion = EffectiveMotion(world, sim._moment, DT)
    pairs = motion.find_pairs(motion.place(v))
    volumes = collision_volumes(motion, pairs)
    x0 = sim._moment.surface_positions
    start, end = volumes.volumes(x0), volumes.volumes(motion.place(v).surface_positions)
    progress(0.5, "pairs found")
    tally = Tally()
    after, _ = resolve_by_volumes(motion, v, tally)
    left = len(motion.find_impacts(motion.place(after)).contacts)
    impulse = world.model.mass[:, None] * (after - v)
    momentum = float(np.abs(impulse.sum(axis=0)).max() / np.abs(impulse).sum())
    kinetic = [0.5 * float(world.model.mass @ (u**2).sum(axis=1)) for u in (v, after)]
    points = pairs.edge_first
    numbers = [
        Number(
            "pairs on a collision course become tetrahedra",
            "drawn in red",
            f"{points} point-face and {len(pairs) - points} edge-edge "
            f"pairs, {np.mean(end < 0.0):.0%} of them inverted at the end of the frame",
            "the paper shows a picture without numbers; here spheres of 0.1 m that move 17 mm each in a frame, 8 mm apart",
            len(pairs) > 0,
        ),
        _orientation(float(start.min())),
        Number(
            "the response conserves momentum",
            "globally and locally",
            f"sum of impulses {momentum:.0e} of their size",
            "rounding",
            momentum < 1e-10,
        ),
        Number(
            "the response is inelastic",
            "kinetic energy is minimised",
            f"{kinetic[1] / kinetic[0]:.0%} of the kinetic energy is left",
            "only vertices near the contact are stopped in one collision step",
            kinetic[1] < kinetic[0],
        ),
        Number(
            "all collisions are resolved",
            "guaranteed when the constraint is satisfied",
            f"{left} pairs left",
            "three searches with five damped Newton steps each (N = 3, M = 5, γ = 0.3)",
            left == 0,
        ),
    ]

    def draw(figure: Any) -> None:
        flat = figure.add_subplot(1, 2, 1)
        deep = figure.add_subplot(1, 2, 2, projection="3d")
        edges = world.model.surface.edges
        for segment in x0[edges]:
            if np.abs(segment[:, 1]).max() < 0.02:
                flat.plot(segment[:, 0], segment[:, 2], color="tab:blue", lw=0.7)
        _draw_tetrahedra(flat, deep, x0[pairs.vertices])
        triangles = world.model.surface.triangles
        near = np.abs(x0[triangles].mean(axis=1)[:, 0]) < 0.06
        deep.plot_trisurf(*x0.T, triangles=triangles[near], color="tab:blue", alpha=0.15, edgecolor="tab:blue", lw=0.2)
        flat.set(xlabel="x [m]", ylabel="z [m]", aspect="equal", title="cut through the middle")
        deep.set(xlim=(-0.06, 0.06), ylim=(-0.06, 0.06), zlim=(-0.06, 0.06))
        deep.set(title=f"{len(pairs)} tetrahedra", xlabel="x", ylabel="y", zlabel="z")

    return Outcome(
        numbers,
        draw,
        (10.0, 4.6),
        {"volumes_before": start, "volumes_after": end},
        f"two spheres of {len(x0)} vertices, one frame of 1/60 s",
    )


def _orientation(smallest: float) -> Number:
    """Whether all volumes at the start are positive [m³]."""
    positive = "volumes at the start are positive"
    return Number(positive, "oriented so", f"smallest {smallest:.1e} m³", "the statement holds", smallest > 0.0)


def _draw_tetrahedra(flat: Any, deep: Any, tetrahedra: NDArray[np.float64]) -> None:
    """Draw the edges of tetrahedra (t, 4, 3) in space, and those near the middle in the plane."""
    for tet in tetrahedra:
        a, b, c, d = tet
        for p, q in ((a, b), (a, c), (a, d), (b, c), (b, d), (c, d)):
            deep.plot(*np.stack([p, q], axis=1), color="tab:red", lw=0.4)
            if np.abs(tet[:, 1]).max() < 0.03:
                flat.plot([p[0], q[0]], [p[2], q[2]], color="tab:red", lw=0.4)


TARGETS = (
    Target(
        "sifakis2008-fig-1",
        "Sifakis2008",
        "Fig. 1",
        "Every colliding point-face or edge-edge pair is a tetrahedron whose volume the response keeps.",
        _run,
        (0.1, 0.1),
    ),
)
