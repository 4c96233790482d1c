"""Tetrahedra of all soft solids, as the loops of Hong2004 take them: elements of both laws in one set of arrays."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from signorini.elements.element import Elements
from signorini.elements.laws.corotational import COROTATIONAL
from signorini.elements.laws.neo_hookean import NEO_HOOKEAN
from signorini.elements.patches import Patches
from signorini.elements.tetrahedra import Tetrahedra
from signorini.errors import InputError

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Solids:
    """t tetrahedra of Neo-Hookean or co-rotational material; fields as those of `Tetrahedra`."""

    nodes: NDArray[np.int32]
    """(t, 4)"""
    rest_inverse: Floats
    """(t, 3, 3) [1/m]"""
    volume: Floats
    """(t,) [m³]"""
    lame_mu: Floats
    """(t,) [Pa]"""
    lame_lambda: Floats
    """(t,) [Pa]"""
    stiffness_damping: Floats
    """(t,) β of the damping matrix C = β K [s]."""
    neo_hookean: NDArray[np.uint8]
    """(t,) 1: Neo-Hookean, 0: co-rotational."""

    def __len__(self) -> int:
        return len(self.volume)


def gather_solids(elements: Sequence[Elements]) -> Solids:
    """The tetrahedra among the elements of a model; raise an `InputError` for what the method cannot simulate."""
    sets = []
    for e in elements:
        if not isinstance(e, Tetrahedra) or e.law not in (COROTATIONAL, NEO_HOOKEAN):
            what = f"tetrahedra of the law {e.law.name!r}" if isinstance(e, Tetrahedra) else type(e).__name__
            if isinstance(e, Patches):
                what = "a locking-free solid, which element='tetrahedra' makes an ordinary one"
            raise InputError(
                f"method 'hong' simulates tetrahedra of the laws {NEO_HOOKEAN.name!r} and {COROTATIONAL.name!r}, but the scene "
                f"has {what}: use method 'cmr', 'volume' or 'impulses', or leave them out"
            )
        sets.append(e)
    return join_solids(sets)


def join_solids(sets: Sequence[Tetrahedra]) -> Solids:
    """All tetrahedra of some sets, one set after the other."""
    names = ("nodes", "rest_inverse", "volume", "lame_mu", "lame_lambda", "stiffness_damping")
    arrays = {name: np.concatenate([getattr(tets, name) for tets in sets]) for name in names}
    flags = [np.full(len(tets), tets.law is NEO_HOOKEAN, np.uint8) for tets in sets]
    return Solids(**arrays, neo_hookean=np.concatenate(flags))
