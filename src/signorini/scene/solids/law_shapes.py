"""Constants of the laws mooney-rivlin and ogden as they are published, and the numbers that their kernels take."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from signorini.checks import check_number
from signorini.elements.laws.mooney_rivlin import MOONEY_RIVLIN
from signorini.elements.laws.ogden import OGDEN
from signorini.elements.laws.ogden_kernels import TERMS
from signorini.elements.solid_law import SolidLaw
from signorini.errors import InputError, short

Ogden = tuple[tuple[float, float], ...]


def check_ogden(terms: Any) -> Ogden:
    """The terms of an Ogden material as pairs of numbers, or an `InputError`."""
    try:
        found = tuple((check_number("ogden", mu), check_number("ogden", alpha)) for mu, alpha in terms)
    except (TypeError, ValueError):
        found = ()
    if not 1 <= len(found) <= TERMS or not np.isfinite(found).all():
        raise InputError(
            f"ogden must be one to {TERMS} pairs of numbers (modulus [Pa], exponent), such as [[6.3e5, 1.3]], got {short(terms)}"
        )
    for mu, alpha in found:
        if not mu * alpha > 0.0:
            raise InputError(
                f"a term of ogden must have a modulus and an exponent of the same sign, or the material would not be stable, got "
                f"{mu:g} Pa and {alpha:g}"
            )
    return found


def check_law_constants(
    law: str, young: float | None, c10: float | None, c01: float | None, ogden: Ogden | None
) -> None:
    """Raise an `InputError` unless exactly one source tells how stiff the material is, and it belongs to the law."""
    mooney = c10 is not None or c01 is not None
    if mooney and law != MOONEY_RIVLIN.name:
        raise InputError(f"c10 and c01 are constants of the law {MOONEY_RIVLIN.name!r}, but model is {law!r}")
    if ogden is not None and law != OGDEN.name:
        raise InputError(f"ogden has the constants of the law {OGDEN.name!r}, but model is {law!r}")
    if law == OGDEN.name and ogden is None:
        raise InputError("model 'ogden' needs its terms: ogden = [[modulus in Pa, exponent], ...]")
    if law == MOONEY_RIVLIN.name and (c10 is None or c01 is None):
        raise InputError("model 'mooney-rivlin' needs c10 and c01 [Pa]")
    if mooney:
        for name, value in (("c10", c10), ("c01", c01)):
            if not 0.0 <= check_number(name, value) < np.inf:
                raise InputError(f"{name} must be zero or positive and finite, got {value} Pa")
        if not shear_modulus(c10, c01, None) > 0.0:
            raise InputError("c10 and c01 cannot both be zero: the material would resist nothing")
    if young is None and not mooney and ogden is None:
        raise InputError("young, Young's modulus [Pa], is missing")
    if young is not None and (mooney or ogden is not None):
        raise InputError(
            f"young cannot be given beside {'c10 and c01' if mooney else 'ogden'}, which tell the stiffness already: leave it out"
        )


def shear_modulus(c10: float | None, c01: float | None, ogden: Ogden | None) -> float:
    """μ [Pa] of the constants of a law."""
    if ogden is not None:
        return 0.5 * sum(mu * alpha for mu, alpha in ogden)
    return 2.0 * ((c10 or 0.0) + (c01 or 0.0))


def law_shape(law: SolidLaw, c10: float | None, c01: float | None, ogden: Ogden | None) -> NDArray[np.float64]:
    """(p,) the numbers that the kernels of a law take beyond μ and λ."""
    shape = np.zeros(len(law.shape))
    if ogden is not None:
        mu = shear_modulus(c10, c01, ogden)
        for p, (modulus, exponent) in enumerate(ogden):
            shape[2 * p : 2 * p + 2] = modulus / mu, exponent
    elif c10 is not None and c01 is not None:
        shape[0] = c01 / (c10 + c01)
    return shape
