"""Minimisation of a failing random scene: parts are left out while it still fails in the same way."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from copy import deepcopy
from dataclasses import replace

from signorini.scene.scene import Scene
from signorini.settings import Settings
from signorini.studies.random_scenes.generator import RandomScene
from signorini.studies.random_scenes.outcome import Outcome
from signorini.studies.random_scenes.study import Stepper, run_scene
from signorini.studies.random_scenes.summary import failure_kinds

Fails = Callable[[RandomScene], bool]


def shrink(case: RandomScene, *, cpu_limit: float, stepper: Stepper | None = None) -> RandomScene:
    """The smallest scene found by leaving out one thing after the other; the case itself if it does not fail."""
    first = run_scene(_copied(case), cpu_limit=cpu_limit, stepper=stepper)
    kinds = failure_kinds(first.row())
    if not kinds:
        return case

    def fails(candidate: RandomScene) -> bool:
        found = run_scene(_copied(candidate), cpu_limit=cpu_limit, stepper=stepper)
        return bool(failure_kinds(found.row()) & kinds)

    best = _fewer_steps(case, first, fails)
    smaller = True
    while smaller:
        smaller = False
        for candidate in simpler(best):
            if fails(candidate):
                best, smaller = candidate, True
                break
    return best


def simpler(case: RandomScene) -> Iterator[RandomScene]:
    """Cases with one thing less: a body, a load, a joint, a rule, an attachment, a setting that is not the default."""
    scene = case.scene
    for name in scene.bodies:
        if len(scene.bodies) > 1:
            yield replace(case, scene=without_body(scene, name))
    for group in ("loads", "pair_rules", "attachments", "joints", "locks", "drives"):
        entries = getattr(scene, group)
        for key in list(entries) if isinstance(entries, dict) else range(len(entries)):
            other = deepcopy(scene)
            del getattr(other, group)[key]
            yield replace(case, scene=other)
    if case.settings != Settings():
        yield replace(case, settings=Settings())
    if scene.friction:
        other = deepcopy(scene)
        for body in other.bodies.values():
            body.friction = 0.0
        other.friction = 0.0
        yield replace(case, scene=other)


def without_body(scene: Scene, name: str) -> Scene:
    """A copy of the scene without a body, and without what names it."""
    other = deepcopy(scene)
    del other.bodies[name]
    other.loads[:] = [load for load in other.loads if load.body != name]
    other.pair_rules[:] = [rule for rule in other.pair_rules if name not in rule.bodies]
    other.attachments[:] = [a for a in other.attachments if name not in (a.body, a.to)]
    for group in (other.joints, other.locks, other.drives):
        for key, entry in list(group.items()):
            if name in (entry.body, getattr(entry, "to", None)):
                del group[key]
    return other


def _fewer_steps(case: RandomScene, first: Outcome, fails: Fails) -> RandomScene:
    """The case with as few of its steps as fail."""
    low, high = 0, max(first.steps, 1)
    while high - low > 1:
        middle = (low + high) // 2
        if fails(replace(case, steps=middle)):
            high = middle
        else:
            low = middle
    return replace(case, steps=min(high, case.steps))


def _copied(case: RandomScene) -> RandomScene:
    return replace(case, scene=deepcopy(case.scene))
