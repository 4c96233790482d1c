"""Recipes of the problems in the collection: name, tags, and the call that makes the problem."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

from signorini.studies.problems.cloth import ClothRun, make_cloth
from signorini.studies.problems.rigid_boxes import BoxPile, make_boxes
from signorini.studies.problems.rows import Case
from signorini.studies.problems.scenes import SceneMoment, make_scene
from signorini.studies.problems.soft_cubes import CubePile, make_cubes
from signorini.studies.problems.special import Pinch, make_heavy_boxes, make_pinched, make_redundant


@dataclass(frozen=True, slots=True)
class Recipe:
    """Recipe of one problem, and what it stands for."""

    name: str
    kind: str
    """`cloth`, `cubes`, `boxes`, `redundant`, `masses`, `scenes`, `continuum` or `pinched`."""
    friction: float
    stiffness_ratio: float
    """dt²k/m; 0 for rigid bodies, and for scenes of several materials."""
    feasible: bool
    make: Callable[[], Case]


def recipes() -> list[Recipe]:
    """All problems of the collection, in the order of its index."""
    return [*_cloth(), *_cubes(), *_boxes(), *_redundant(), *_masses(), *_scenes(), *_continuum(), *_pinched()]


def _cloth() -> list[Recipe]:
    """A coarse sheet with dt²k/m of 1000 and more stands like cardboard: the stiff problems come from stacked sheets."""
    runs: dict[str, ClothRun] = {}
    for ratio in (10, 100):
        for mu in (0.0, 0.3, 0.8, 1.5):
            runs[f"cloth-{ratio}-mu{mu:g}"] = ClothRun(
                scene="falling-cloth", stiffness_ratio=ratio, friction=mu, resolution=20, seconds=0.8 + 0.1 * mu
            )
    for ratio in (1000, 10000):
        for step, mu in enumerate((0.0, 0.3, 0.8, 1.5)):
            runs[f"layers-{ratio}-mu{mu:g}"] = ClothRun(
                scene="layers", stiffness_ratio=ratio, friction=mu, resolution=8, seconds=0.16 + 0.06 * step
            )
        runs[f"cloth-{ratio}-mu0.3"] = ClothRun(
            scene="falling-cloth", stiffness_ratio=ratio, friction=0.3, resolution=20, seconds=0.4
        )
    runs["layers-10000-plates-mu0.5"] = ClothRun(
        scene="layers", stiffness_ratio=10000, friction=0.5, resolution=8, seconds=0.2, scale_bending=True
    )
    runs["cloth-large-200-mu0.3"] = ClothRun(
        scene="falling-cloth", stiffness_ratio=200, friction=0.3, resolution=50, seconds=0.7
    )
    runs["layers-large-1000-mu0.5"] = ClothRun(
        scene="layers", stiffness_ratio=1000, friction=0.5, resolution=14, seconds=0.2
    )
    return [
        Recipe(name, "cloth", run.friction, run.stiffness_ratio, True, partial(make_cloth, run))
        for name, run in runs.items()
    ]


def _cubes() -> list[Recipe]:
    found = []
    for young, dt in ((1e5, 0.01), (1e5, 0.03), (1e6, 0.01), (1e6, 0.03)):
        for count, side, cells, mu in ((40, 3, 2, 0.5), (40, 3, 3, 0.0), (160, 5, 1, 0.8), (160, 5, 2, 0.3)):
            if (dt == 0.01 and cells * count > 300) or (cells == 3 and (young, dt) != (1e6, 0.03)):
                continue  # large files that say little more than the others
            pile = CubePile(count=count, side=side, cells=cells, young=young, dt=dt, friction=mu, seed=count + cells)
            name = f"cubes-{count}x{(cells + 1) ** 3}-E{young:.0e}-{1e3 * dt:.0f}ms-mu{mu:g}".replace("e+0", "e")
            found.append(Recipe(name, "cubes", mu, pile.stiffness_ratio, True, partial(make_cubes, pile)))
    pile = CubePile(count=40, side=3, cells=2, young=1e6, dt=0.03, friction=1.5, poisson=0.4, seed=7)
    found.append(
        Recipe("cubes-40x27-E1e6-30ms-mu1.5", "cubes", 1.5, pile.stiffness_ratio, True, partial(make_cubes, pile))
    )
    return found


def _boxes() -> list[Recipe]:
    piles = {
        "boxes-tower-10": BoxPile(count=10, side=1, friction=0.5),
        "boxes-tower-20-mu1.5": BoxPile(count=20, side=1, friction=1.5, seed=1),
        "boxes-pile-60": BoxPile(count=60, side=4, friction=0.3, seed=2),
        "boxes-pile-60-mu0": BoxPile(count=60, side=4, friction=0.0, seed=3),
        "boxes-pile-60-mu1.5": BoxPile(count=60, side=4, friction=1.5, seed=4),
        "boxes-pile-200": BoxPile(count=200, side=6, friction=0.5, seed=5),
    }
    return [Recipe(name, "boxes", p.friction, 0.0, True, partial(make_boxes, p)) for name, p in piles.items()]


def _redundant() -> list[Recipe]:
    tower = BoxPile(count=10, side=1, friction=0.5, seed=6)
    pile = BoxPile(count=60, side=4, friction=0.5, seed=2)
    cubes = CubePile(count=40, side=3, cells=1, young=1e6, dt=0.01, friction=0.5, seed=8)
    sources: dict[str, tuple[Callable[[], Case], float]] = {
        "redundant-tower": (partial(make_boxes, tower), 0.0),
        "redundant-boxes": (partial(make_boxes, pile), 0.0),
        "redundant-cubes": (partial(make_cubes, cubes), cubes.stiffness_ratio),
    }
    return [
        Recipe(name, "redundant", 0.5, ratio, True, partial(_redundant_case, source))
        for name, (source, ratio) in sources.items()
    ]


def _redundant_case(source: Callable[[], Case]) -> Case:
    return make_redundant(source())


def _masses() -> list[Recipe]:
    boxes = {
        "masses-tower-1e6": BoxPile(count=10, side=1, friction=0.5, mass_ratio=1e6, heavy_on_top=True),
        "masses-boxes-1e3": BoxPile(count=60, side=4, friction=0.5, mass_ratio=1e3),
        "masses-boxes-1e6": BoxPile(count=30, side=3, friction=0.5, mass_ratio=1e6, seed=1),
        "masses-boxes-60-1e6": BoxPile(count=60, side=4, friction=0.5, mass_ratio=1e6),
    }
    found = [Recipe(name, "masses", 0.5, 0.0, True, partial(make_boxes, pile)) for name, pile in boxes.items()]
    pile = CubePile(
        count=40, side=3, cells=2, young=1e6, dt=0.01, friction=0.5, density=10.0, density_ratio=1e4, seed=9
    )
    found.append(Recipe("masses-cubes-1e4", "masses", 0.5, pile.stiffness_ratio, True, partial(make_cubes, pile)))
    for mass in (1.0, 80.0):
        make = partial(make_heavy_boxes, mass=mass, stiffness_ratio=100.0, friction=0.5)
        found.append(Recipe(f"masses-boxes-on-sheet-{mass:g}kg", "masses", 0.5, 100.0, True, make))
    return found


def _scenes() -> list[Recipe]:
    """Rigid bodies, soft solids and cloth out of the gallery; a further problem is one more line here."""
    moments = {
        "ball-on-cloth": SceneMoment(scene="ball-on-cloth", friction=0.3, seconds=0.4, resolution=25),
        "soft-stack": SceneMoment(scene="soft-stack", friction=0.4, seconds=0.4, resolution=3),
        "soft-stack-stiff": SceneMoment(scene="soft-stack", friction=0.8, seconds=0.5, resolution=3, stiffness=10.0),
        "grasp": SceneMoment(scene="grasp", friction=0.8, seconds=1.2, resolution=7),
        "two-cylinders": SceneMoment(scene="two-cylinders", friction=0.3, seconds=0.9),
        "mixed-pile": SceneMoment(scene="mixed-pile", friction=0.4, seconds=0.5, resolution=11),
        "cloth-knocks-statue": SceneMoment(scene="cloth-knocks-statue", friction=0.5, seconds=0.13, resolution=17),
        "ball-and-board": SceneMoment(scene="ball-and-board", friction=0.3, seconds=0.25, resolution=2),
        "vertebrae": SceneMoment(scene="vertebrae", friction=0.4, seconds=0.5, resolution=13),
        "letters": SceneMoment(scene="letters", friction=0.3, seconds=1.2, resolution=2),
        "dancer": SceneMoment(scene="dancer", friction=0.3, seconds=0.6, resolution=20),
        "hammock": SceneMoment(scene="hammock", friction=0.4, seconds=0.4, resolution=4),
    }
    return [
        Recipe(f"scene-{name}", "scenes", moment.friction, 0.0, True, partial(make_scene, moment))
        for name, moment in moments.items()
    ]


def _continuum() -> list[Recipe]:
    """Cloth as a continuum: stiffer in its plane and thinner than the springs of the other problems."""
    moments = {
        "falling-cloth-mu0.3": SceneMoment(scene="falling-cloth", friction=0.3, seconds=0.6, resolution=25),
        "falling-cloth-mu0.8": SceneMoment(scene="falling-cloth", friction=0.8, seconds=0.8, resolution=25),
        "layers-mu0.5": SceneMoment(scene="layers", friction=0.5, seconds=0.25, resolution=13),
        "ball-on-cloth": SceneMoment(scene="ball-on-cloth", friction=0.3, seconds=0.4, resolution=25),
        "dancer": SceneMoment(scene="dancer", friction=0.3, seconds=0.6, resolution=16),
        "hammock": SceneMoment(scene="hammock", friction=0.4, seconds=0.4, resolution=4),
    }
    return [
        Recipe(
            f"continuum-{name}", "continuum", moment.friction, 0.0, True,
            partial(make_scene, replace(moment, model="continuum")),
        )
        for name, moment in moments.items()
    ]  # fmt: skip


def _pinched() -> list[Recipe]:
    found = []
    for speed, mu in ((0.01, 0.3), (1.0, 0.0), (1.0, 0.8)):
        pinch = Pinch(overlap_speed=speed, friction=mu)
        name = f"pinched-{speed:g}-mu{mu:g}"
        found.append(Recipe(name, "pinched", mu, pinch.stiffness_ratio, False, partial(make_pinched, pinch)))
    return found
