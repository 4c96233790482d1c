"""Files of the collection of contact problems: `python -m signorini.studies.problems.collection problems` makes them."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from signorini.contact.mlcp import Mlcp, WarmStart
from signorini.errors import InputError
from signorini.settings import FrictionCone
from signorini.studies.problems.recipes import Recipe, recipes
from signorini.studies.problems.references import Reference, find_reference, warm_from_neighbour
from signorini.studies.problems.rows import round_to
from signorini.studies.problems.scenes import to_single

EXTRA = ".extra.npz"
"""Ending of the file beside a saved problem that holds its tags, warm start and reference solutions."""
REFERENCE_QUANTUM = 2.0**-34
"""Reference velocities are multiples of this, 6e-11 m/s."""
CONES: tuple[FrictionCone, ...] = ("cone", "pyramid")


@dataclass(frozen=True, slots=True)
class StoredProblem:
    """A problem of the collection with its tags, warm start and reference solutions."""

    name: str
    problem: Mlcp
    kind: str = "own"
    friction: float = 0.0
    stiffness_ratio: float = 0.0
    feasible: bool = True
    warm: WarmStart | None = None
    references: dict[FrictionCone, Reference] = field(default_factory=dict)
    """By model of friction; a model without an accurate solution is missing."""


def make_problem(recipe: Recipe) -> StoredProblem:
    """Follow the recipe, then look for a warm start and reference solutions."""
    case = recipe.make()
    warm = case.warm or warm_from_neighbour(case.problem)
    references: dict[FrictionCone, Reference] = {}
    for cone in CONES if recipe.feasible else ():
        known = references.get("cone") if recipe.friction == 0.0 else None
        found = known or find_reference(case.problem, cone)
        if found is not None:
            references[cone] = found
    return StoredProblem(
        recipe.name,
        case.problem,
        recipe.kind,
        recipe.friction,
        recipe.stiffness_ratio,
        recipe.feasible,
        WarmStart(to_single(warm.dv), to_single(warm.impulse)),  # need not be better, and files become smaller
        {cone: Reference(round_to(r.dv, REFERENCE_QUANTUM), r.residual) for cone, r in references.items()},
    )


def save_problem(directory: str | Path, stored: StoredProblem) -> None:
    """Write NAME.npz (for `Mlcp.load`) and NAME.extra.npz."""
    directory = Path(directory)
    directory.mkdir(parents=True, exist_ok=True)
    stored.problem.save(directory / f"{stored.name}.npz")
    tags = {key: getattr(stored, key) for key in ("kind", "friction", "stiffness_ratio", "feasible")}
    arrays = {"tags": np.array(json.dumps(tags))}
    if stored.warm is not None:
        arrays |= {"warm_dv": stored.warm.dv, "warm_impulse": stored.warm.impulse}
    for cone, reference in stored.references.items():
        arrays |= {f"{cone}_dv": reference.dv, f"{cone}_residual": np.array(reference.residual)}
    np.savez_compressed(directory / f"{stored.name}{EXTRA}", allow_pickle=False, **arrays)


def load_problem(directory: str | Path, name: str) -> StoredProblem:
    """One problem by its name; a saved `Mlcp` with no extra file beside it is a problem too."""
    directory = Path(directory)
    problem = Mlcp.load(directory / f"{name}.npz")
    extra = directory / f"{name}{EXTRA}"
    if not extra.exists():
        return StoredProblem(name, problem, friction=float(problem.friction.max(initial=0.0)))
    with np.load(extra, allow_pickle=False) as file:
        arrays = {key: file[key] for key in file.files}
    warm = WarmStart(arrays["warm_dv"], arrays["warm_impulse"]) if "warm_dv" in arrays else None
    references: dict[FrictionCone, Reference] = {
        cone: Reference(arrays[f"{cone}_dv"], float(arrays[f"{cone}_residual"]))
        for cone in CONES
        if f"{cone}_dv" in arrays
    }
    return StoredProblem(name, problem, **json.loads(str(arrays["tags"])), warm=warm, references=references)


def problem_names(directory: str | Path) -> list[str]:
    """The names of all saved problems in a directory: those of the recipes in their order, then any others."""
    if not Path(directory).is_dir():
        raise InputError(f"there is no directory of contact problems {directory}; `make problems` makes one")
    present = {path.name[: -len(".npz")] for path in Path(directory).glob("*.npz") if not path.name.endswith(EXTRA)}
    listed = [recipe.name for recipe in recipes() if recipe.name in present]
    return [*listed, *sorted(present.difference(listed))]


def load_collection(directory: str | Path) -> list[StoredProblem]:
    """Every problem of a directory."""
    return [load_problem(directory, name) for name in problem_names(directory)]


def make_collection(
    directory: str | Path, *, only: Iterable[str] = (), report: Callable[[str], None] | None = None
) -> None:
    """Make all problems (or those whose names contain one of `only`) and the index; takes some minutes."""
    wanted = tuple(only)
    for recipe in recipes():
        if wanted and not any(text in recipe.name for text in wanted):
            continue
        stored = make_problem(recipe)
        save_problem(directory, stored)
        if report is not None:
            report(_index_row(stored))
    (Path(directory) / "README.md").write_text(build_index(directory), encoding="utf-8")


def build_index(directory: str | Path) -> str:
    """The README.md of a collection: a table of its problems."""
    lines = [
        "# Contact problems",
        "",
        "Made by `make problems`; see [docs/contact-problems.md](../docs/contact-problems.md). A reference is the residual [m/s]",
        "of the stored accurate solution with the exact cone and with the pyramid; a dash means that there is none.",
        "",
        "| problem | kind | μ | dt²k/m | nodes | contacts | feasible | reference: cone, pyramid |",
        "|---|---|---|---|---|---|---|---|",
    ]
    lines += [_index_row(stored) for stored in load_collection(directory)]
    return "\n".join(lines) + "\n"


def _index_row(stored: StoredProblem) -> str:
    quality = [f"{stored.references[c].residual:.0e}" if c in stored.references else "–" for c in CONES]
    cells = (
        stored.name,
        stored.kind,
        f"{stored.friction:g}",
        f"{stored.stiffness_ratio:.3g}",
        stored.problem.node_count,
        stored.problem.contact_count,
        "yes" if stored.feasible else "no",
        ", ".join(quality),
    )
    return "| " + " | ".join(str(cell) for cell in cells) + " |"


def main() -> None:
    """`python -m signorini.studies.problems.collection DIRECTORY [PART OF A NAME ...]`"""
    if len(sys.argv) < 2:
        raise SystemExit(main.__doc__)

    def show(row: str) -> None:
        sys.stdout.write(row + "\n")
        sys.stdout.flush()

    make_collection(sys.argv[1], only=sys.argv[2:], report=show)


if __name__ == "__main__":
    main()
