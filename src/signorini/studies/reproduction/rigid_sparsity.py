"""Otaduy2010 Fig. 1: sparsity of the contact matrix B of rigid, of deformable and of mixed balls in a box."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from signorini.contact.mlcp import Mlcp
from signorini.geometry import shapes
from signorini.geometry.tet_shapes import sphere_tets
from signorini.scene.scene import Scene
from signorini.scene.solid_material import SolidMaterial
from signorini.settings import Settings
from signorini.solvers.contact_system import build_contact_system
from signorini.solvers.rigid_refinement import find_rigid_nodes
from signorini.studies.reproduction.measured_run import part, run_scene, show_picture
from signorini.studies.reproduction.recorded_problems import Recorder
from signorini.studies.reproduction.target import Number, Outcome, Progress, Target

RADIUS, EDGE = 0.05, 0.0195
"""Radius of the balls [m], and the edge of tetrahedra that gives about 625 of them [m]."""
SOFT = SolidMaterial(young=4e3, poisson=0.3, density=600.0, stiffness_damping=5e-3, model="corotational")
CASES = {"rigid": "rrrrr", "deformable": "ddddd", "mixed": "ddddr"}
"""Kinds of the four lower balls and of the one above them; all of the mixed contacts of the large one are with soft balls."""


def balls(kinds: str) -> Scene:
    """Four balls side by side in a box, and a larger, heavier one on top of them."""
    scene = Scene(friction=0.0, name="balls")
    scene.add_ground()
    tets = sphere_tets(RADIUS, edge=EDGE)
    skin, _ = tets.surface()
    pitch = 2.0 * RADIUS + 0.004
    places = [(x * pitch / 2, y * pitch / 2, RADIUS + 0.004) for x in (-1, 1) for y in (-1, 1)]
    for k, (kind, place) in enumerate(zip(kinds, [*places, (0.004, 0.002, 3.2 * RADIUS)], strict=True)):
        if kind == "r":
            scene.add_rigid(skin, density=2500.0, position=place, name=f"ball-{k + 1}")
        else:
            scene.add_soft_solid(tets, material=SOFT, position=place, name=f"ball-{k + 1}")
    width, wall = 2.0 * pitch + 0.004, 0.02
    for name, x, y in (("left", -1, 0), ("right", 1, 0), ("front", 0, -1), ("back", 0, 1)):
        size = (wall, width + 2 * wall, 0.1) if x else (width, wall, 0.1)
        middle = 0.5 * (width + wall)
        scene.add_kinematic(shapes.box(*size), position=(x * middle, y * middle, 0.05), name=name)
    return scene


def sparsity(problem: Mlcp, *, refined: bool = False) -> NDArray[np.bool_]:
    """(m, m) where B = J D_A⁻¹ J' is not zero; `refined` leaves rigid nodes out."""
    system = build_contact_system(problem, find_rigid_nodes(problem) & refined)
    pattern = np.zeros((problem.contact_count, problem.contact_count), dtype=bool)
    pattern[np.repeat(np.arange(len(pattern)), np.diff(system.indptr)), system.columns] = True
    return pattern


def _run(quick: bool, progress: Progress) -> Outcome:
    seconds = 0.3 if quick else 1.0
    pictures, patterns = {}, {}
    tets = len(sphere_tets(RADIUS, edge=EDGE).tetrahedra)
    for k, (name, kinds) in enumerate(CASES.items()):
        recorder = Recorder()
        run = run_scene(
            balls(kinds),
            part(progress, k / 3, (k + 1) / 3),
            dt=5e-3,
            seconds=seconds,
            settings=Settings(solver=recorder, sleep=False),
            pictures=(seconds,),
            view=(0.6, -1.0, 1.0),
        )
        taken = recorder.taken()
        assert taken is not None
        pictures[name], patterns[name] = run.pictures[-1], (sparsity(taken[0]), sparsity(taken[0], refined=True))
    rows = {name: (len(p), float(p.mean()), float(r.mean())) for name, (p, r) in patterns.items()}
    numbers = [
        Number(
            f"B of {name} balls",
            paper,
            f"{rows[name][0]} contacts, {rows[name][1]:.0%} of the matrix is not zero",
            why,
            holds,
        )
        for name, paper, why, holds in (
            (
                "rigid",
                "small, few contacts",
                "the figure shows a pattern, the text gives no numbers; our balls lie in a box",
                rows["rigid"][0] < 0.5 * rows["deformable"][0],
            ),
            (
                "deformable",
                "large and sparse",
                "soft balls flatten against each other; contacts share few nodes",
                rows["deformable"][1] < 0.15,
            ),
            (
                "mixed",
                "large and dense",
                "all contacts of the rigid ball share its two nodes; those of the soft balls with the box do "
                "not, so that a part of the matrix stays empty",
                rows["mixed"][1] > 2.0 * rows["deformable"][1],
            ),
        )
    ]
    numbers.append(
        Number(
            "B_s of mixed balls, without the rigid part",
            "sparse",
            f"{rows['mixed'][2]:.1%} is not zero",
            "what is left to assemble after the low-rank part is taken out (§4)",
            rows["mixed"][2] < 0.5 * rows["mixed"][1],
        )
    )
    numbers.append(
        Number("tetrahedra of a soft ball", "625", str(tets), "our own mesh of a ball", abs(tets - 625) < 125)
    )

    def draw(figure: Any) -> None:
        axes = figure.subplots(2, 3)
        for (name, (pattern, _)), top, bottom in zip(patterns.items(), *axes, strict=True):
            show_picture(top, pictures[name], name)
            bottom.imshow(~pattern, cmap="gray", interpolation="nearest", vmin=0, vmax=1)
            bottom.set_title(f"{len(pattern)} contacts, {pattern.mean():.0%} filled", fontsize=9)

    setup = f"five balls of {RADIUS} m in a box, soft ones of {tets} tetrahedra, {seconds:g} s, dt = 5 ms, no friction"
    return Outcome(numbers, draw, (9.0, 6.0), {"contacts_and_fill": rows}, setup)


TARGETS = (
    Target(
        "otaduy2010-fig-1",
        "Otaduy2010",
        "Fig. 1",
        "The contact matrix is small for rigid bodies, large and sparse for deformable ones, large and dense for both.",
        _run,
        (0.1, 0.1),
    ),
)
