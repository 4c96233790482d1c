"""Rules of contact: friction and restitution of pairs of bodies, and which bodies ignore each other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int32]


@dataclass(frozen=True, slots=True, kw_only=True)
class BodyContact:
    """Contact options of one body: friction, restitution, distance."""

    restitution: float = 0.0
    """Part of the approach speed with which it rebounds; a pair has the larger one of its two bodies."""
    distance: float | None = None
    """The contact distance that it keeps [m]; a pair keeps the larger one of its two bodies. None: that of the scene."""
    self_contact: bool = True
    """Whether it collides with itself."""
    thickness: float | None = None
    """Thickness of a fabric [m]: what it keeps unless a distance is given for it or for the scene."""


class PairRuleLike(Protocol):
    """A rule for the contact of two bodies, by name; later rules win."""

    @property
    def bodies(self) -> tuple[str, str]: ...
    @property
    def friction(self) -> float | None: ...
    @property
    def restitution(self) -> float | None: ...
    @property
    def ignore(self) -> bool | None: ...


@dataclass(frozen=True, slots=True)
class ContactRules:
    """Coefficients of all pairs of bodies, by body number, half-spaces included."""

    friction: Floats
    """(bodies,) that of each body."""
    restitution: Floats
    """(bodies,) that of each body."""
    distance: Floats
    """(bodies,) the contact distance that was given for a body [m]; NaN: none."""
    thickness: Floats
    """(bodies,) the thickness of a fabric [m]; NaN: none."""
    pair_friction: Floats | None = None
    """(bodies, bodies) coefficients of pairs, NaN where the bodies decide; None: they always do."""
    pair_restitution: Floats | None = None
    """The same for restitution."""
    ignored: NDArray[np.uint8] | None = None
    """(bodies, bodies) 1 where two bodies, or the parts of one, never touch; None: all do."""

    @property
    def bounces(self) -> bool:
        """Whether any pair has a coefficient of restitution above zero."""
        pairs = self.pair_restitution
        return bool(self.restitution.any() or (pairs is not None and np.nan_to_num(pairs).any()))

    def frictions(self, bodies: Ints) -> Floats:
        """(m,) coefficients of friction of pairs (m, 2): what was given for a pair, or the geometric mean of both bodies."""
        a, b = bodies[:, 0], bodies[:, 1]
        return _chosen(self.pair_friction, a, b, np.sqrt(self.friction[a] * self.friction[b]))

    def restitutions(self, bodies: Ints) -> Floats:
        """(m,) coefficients of restitution of pairs (m, 2): what was given for a pair, or the larger one of both bodies."""
        a, b = bodies[:, 0], bodies[:, 1]
        return _chosen(self.pair_restitution, a, b, np.maximum(self.restitution[a], self.restitution[b]))

    def ignored_pairs(self) -> list[tuple[int, int]]:
        """The pairs of body numbers that ignore each other; (a, a) for a body that does not touch itself."""
        if self.ignored is None:
            return []
        a, b = np.nonzero(np.triu(self.ignored))
        return list(zip(a.tolist(), b.tolist(), strict=True))


def _chosen(pairs: Floats | None, a: Ints, b: Ints, otherwise: Floats) -> Floats:
    if pairs is None:
        return otherwise
    given = pairs[a, b]
    return np.where(np.isnan(given), otherwise, given)


def build_rules(
    names: Sequence[str], friction: Floats, bodies: Sequence[BodyContact], rules: Sequence[PairRuleLike]
) -> ContactRules:
    """The rules of the bodies `names`, whose coefficients of friction are (n,), and of pairs of them."""
    count = len(names)
    restitution = np.array([body.restitution for body in bodies], dtype=np.float64)
    distance = np.array([np.nan if body.distance is None else body.distance for body in bodies], dtype=np.float64)
    thickness = np.array([np.nan if body.thickness is None else body.thickness for body in bodies], dtype=np.float64)
    number = {name: k for k, name in enumerate(names)}
    tables = {name: np.full((count, count), np.nan) for name in ("friction", "restitution", "ignore") if rules}
    for rule in rules:
        a, b = (number[name] for name in rule.bodies)
        for name, table in tables.items():
            value = getattr(rule, name)
            if value is not None:
                table[a, b] = table[b, a] = float(value)
    ignored = np.zeros((count, count), np.uint8)
    for k, body in enumerate(bodies):
        ignored[k, k] = not body.self_contact
    if rules:
        given = tables["ignore"]
        ignored[given == 1.0] = 1
        ignored[given == 0.0] = 0
    return ContactRules(
        friction,
        restitution,
        distance,
        thickness,
        _or_none(tables.get("friction")),
        _or_none(tables.get("restitution")),
        ignored if ignored.any() else None,
    )


def _or_none(table: Floats | None) -> Floats | None:
    return None if table is None or np.isnan(table).all() else table
