"""The methods that `signorini compare` knows by name, and the settings that select them."""

from __future__ import annotations

import math
from dataclasses import replace

from signorini.errors import InputError
from signorini.methods.method import find_method
from signorini.settings import Settings, SolverName, SolverSettings

METHODS = {
    "cmr": "constraint manifold refinement with the default solver",
    "cmr-ica": "constraint manifold refinement with ICA (Otaduy2009)",
    "volume": "collision loop with volume-preserving impulses (Sifakis2008)",
    "impulses": "collision loop with Gauss-Seidel impulses (Bridson2002)",
    "hong": "explicit, with contact accelerations by a quadratic program (Hong2004)",
}


def check_methods(names: list[str]) -> list[str]:
    """The names themselves, or an `InputError` that names the first unknown or repeated one."""
    for k, name in enumerate(names):
        if name not in METHODS:
            raise InputError(f"there is no method {name!r}; there are {', '.join(METHODS)}")
        if name in names[:k]:
            raise InputError(f"method {name!r} is given twice")
    if not names:
        raise InputError(f"give at least one method of {', '.join(METHODS)}")
    return names


def method_settings(name: str, base: Settings) -> Settings:
    """The settings of a scene, for a method."""
    match name:
        case "cmr":
            return replace(base, method="cmr", solver=_named_solver(base, "augmented-lagrangian"))
        case "cmr-ica":
            return replace(base, method="cmr", solver=_named_solver(base, "ica"))
        case "volume" | "impulses" | "hong":
            return replace(base, method=name)
    raise InputError(f"there is no method {name!r}; there are {', '.join(METHODS)}")


def _named_solver(base: Settings, name: SolverName) -> SolverSettings:
    """A solver with the tolerances of the scene's, as far as it reads them."""
    solver = base.solver if isinstance(base.solver, SolverSettings) else SolverSettings()
    return solver.adapted(name=name)


def method_dt(name: str, dt: float, interval: float) -> float:
    """The step [s] of a method: the scene's, made to fit into a frame; the whole frame if the method chooses its own inside."""
    if find_method(method_settings(name, Settings()).method).chooses_steps:
        return interval
    return interval / math.ceil(interval / dt - 1e-9)
