"""Files of the collection of contact problems: `python -m signorini.studies.problems.collection problems` makes them."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from signorini.contact.mlcp import Mlcp, WarmStart
from signorini.errors import InputError
from signorini.files.meshes.surface_meshes import read_arrays
from signorini.settings import FrictionCone
from signorini.studies.problems.recipes import Recipe, recipes
from signorini.studies.problems.references import Reference, find_reference, warm_from_neighbour
from signorini.studies.problems.rows import round_to
from signorini.studies.problems.scenes import to_single

EXTRA = ".extra.npz"
"""Ending of the file beside a saved problem that holds its tags, warm start and reference solutions."""
REFERENCE_QUANTUM = 2.0**-34
"""Reference velocities are multiples of this, 6e-11 m/s."""
SMALL_PROBLEMS = (
    "boxes-tower-10", "boxes-tower-20-mu1.5", "boxes-pile-60", "redundant-tower", "redundant-cubes", "masses-tower-1e6",
    "masses-boxes-1e6", "cloth-10-mu0.3", "layers-1000-mu0.3", "pinched-1-mu0.8",
)  # fmt: skip
"""Problems of every kind that are made in about a second each, for who has no collection on disk."""
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
    arrays = read_arrays(extra)
    try:
        tags = json.loads(str(arrays["tags"]))
        dv, impulse = (problem.node_count, 3), (problem.contact_count, 3)
        warm = None
        if "warm_dv" in arrays:
            warm = WarmStart(_floats(arrays, "warm_dv", dv), _floats(arrays, "warm_impulse", impulse))
        references: dict[FrictionCone, Reference] = {
            cone: Reference(_floats(arrays, f"{cone}_dv", dv), float(_floats(arrays, f"{cone}_residual", ())))
            for cone in CONES
            if f"{cone}_dv" in arrays
        }
        friction, ratio = float(tags["friction"]), float(tags["stiffness_ratio"])
        feasible = bool(tags["feasible"])
        return StoredProblem(name, problem, str(tags["kind"]), friction, ratio, feasible, warm, references)
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise InputError(f"{str(extra)!r} does not belong to the contact problem beside it: {error}") from None


def _floats(arrays: Mapping[str, NDArray[Any]], name: str, shape: tuple[int, ...]) -> NDArray[Any]:
    array = arrays[name]
    if array.shape != shape or array.dtype.kind != "f" or not np.isfinite(array).all():
        raise ValueError(f"{name} must be finite and have shape {shape}, it has {array.shape}")
    return array


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
