"""Contact between chosen bodies: friction and restitution of pairs, and bodies that ignore each other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from itertools import combinations, product
from typing import Any

from signorini.errors import InputError, short
from signorini.scene.body import Body, BodyList
from signorini.scene.body_options import checked_restitution
from signorini.scene.checks import check_non_negative


@dataclass(frozen=True, slots=True, kw_only=True)
class PairRule:
    """A rule for the contact of two bodies; None: as without it."""

    bodies: tuple[str, str]
    friction: float | None = None
    restitution: float | None = None
    ignore: bool | None = None

    def to_table(self) -> dict[str, Any]:
        """`[[contact]]`."""
        values = {key: value for key, value in asdict(self).items() if key != "bodies"}
        return {"bodies": [self.bodies[0]], "others": [self.bodies[1]], **values}


class SetsContacts(BodyList):
    """Scenes with rules for pairs of bodies."""

    pair_rules: list[PairRule]

    def set_contact(
        self,
        bodies: str | Sequence[str],
        others: str | Sequence[str] | None = None,
        *,
        friction: float | None = None,
        restitution: float | None = None,
        ignore: bool | None = None,
    ) -> None:
        """Choose friction and restitution of pairs of bodies, or let them ignore each other. Later calls win.

        Parameters:
            bodies: name of a body, or names of several.
            others: name or names of those that they touch; by default each of `bodies` with each other one of them.
            friction: friction coefficient of these pairs, in place of the geometric mean of both bodies.
            restitution: part of the approach speed with which these pairs rebound, from 0 to 1, in place of the larger one of
                both bodies.
            ignore: whether these pairs never touch and may pass through each other; they are not counted as intersections.
        """
        if friction is None and restitution is None and ignore is None:
            raise InputError("set_contact needs at least one of friction, restitution and ignore")
        if ignore is not None and not isinstance(ignore, bool):
            raise InputError(f"ignore of set_contact must be true or false, got {short(ignore)}")
        mu = None if friction is None else check_non_negative("friction of set_contact", friction)
        e = checked_restitution("restitution of set_contact", restitution)
        for pair in self._pairs(bodies, others):
            if pair[0] == pair[1] and ignore:
                raise InputError(
                    f"set_contact: {pair[0]!r} cannot ignore itself by this call: say self_contact=False when you add it"
                )
            self.pair_rules.append(PairRule(bodies=pair, friction=mu, restitution=e, ignore=ignore))

    def _pairs(self, bodies: str | Sequence[str], others: str | Sequence[str] | None) -> list[tuple[str, str]]:
        """The pairs of names that a call means; each body must exist."""
        first = [self._named(name).name for name in _listed(bodies)]
        if others is not None:
            second = [self._named(name).name for name in _listed(others)]
            return [(a, b) for a, b in product(first, second) if a != b or len(first) == len(second) == 1]
        if len(first) < 2:
            raise InputError(
                f"set_contact needs at least two bodies, got {short(bodies)}: name the others too, as others=..."
            )
        return list(combinations(dict.fromkeys(first), 2))


def _listed(bodies: Any) -> Sequence[str | Body]:
    return [bodies] if isinstance(bodies, str | Body) else list(bodies)
