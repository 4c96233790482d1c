"""All targets of `signorini reproduce`, in the order of the papers and their figures."""

from __future__ import annotations

from collections.abc import Sequence

from signorini.errors import InputError, suggestion
from signorini.studies.reproduction import (
    collision_tetrahedra,
    constraint_levels,
    dancer,
    falling_cloth,
    five_curtains,
    hong_scenes,
    inner_iterations,
    layered_cloth,
    letter_costs,
    letter_meshes,
    letters,
    local_and_global,
    mixed_pile,
    refinements,
    rigid_costs,
    rigid_sparsity,
)
from signorini.studies.reproduction.target import Target

TARGETS: dict[str, Target] = {
    target.name: target
    for module in (
        dancer,
        local_and_global,
        mixed_pile,
        falling_cloth,
        letter_costs,
        letter_meshes,
        letters,
        refinements,
        inner_iterations,
        constraint_levels,
        rigid_sparsity,
        rigid_costs,
        hong_scenes,
        collision_tetrahedra,
        layered_cloth,
        five_curtains,
    )
    for target in module.TARGETS
}


def find_targets(names: Sequence[str]) -> list[Target]:
    """The targets of these names, in the order of the registry; `all`, or the name of a paper, is several."""
    chosen: set[str] = set()
    for name in names:
        found = [t.name for t in TARGETS.values() if name in ("all", t.name, t.paper.lower(), t.paper)]
        if not found:
            hint = suggestion(name, TARGETS)
            raise InputError(f"there is no target {name!r}: {hint}`signorini reproduce --list` shows all of them")
        chosen.update(found)
    return [target for name, target in TARGETS.items() if name in chosen]
