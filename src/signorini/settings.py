"""Every tolerance and limit in one place, with unit, default and the source of the default."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any, Literal, get_args

import numpy as np

from signorini.errors import InputError

SolverName = Literal["augmented-lagrangian", "ica", "full-anticipation", "rigid-refinement", "standard-contact"]
StopRule = Literal["residual", "paper"]
FrictionCone = Literal["pyramid", "cone"]


@dataclass(frozen=True, slots=True, kw_only=True)
class SolverSettings:
    """How one contact problem (an `Mlcp`) is solved."""

    name: SolverName = "augmented-lagrangian"
    """`augmented-lagrangian` (decision 0004), `ica` (Otaduy2009 §5.2-5.5), `full-anticipation` (§5.1, dense: small),
    `rigid-refinement` (Otaduy2010) or its baseline `standard-contact` (dense)."""
    stop: StopRule = "residual"
    """`residual`: stop at `tolerance` m/s. `paper`: residuals change by less than 5 % (Otaduy2009 §5.5)."""
    tolerance: float = 5e-4
    """Residual at which the solve counts as converged [m/s]: natural map, friction projection and dynamics."""
    max_outer: int = 1000
    """Outer iterations; the paper gives no bound for ICA. About 10 are needed at dt^2 k/m = 1, 50 at 10, 500 at 100."""
    max_inner: int = 10
    """Projected Gauss-Seidel sweeps per outer iteration; fewer than 10 suffice in 90 % (Otaduy2009 §5.3)."""
    contact_repeats: int = 3
    """Times that normal and friction of one contact are iterated in one sweep (Otaduy2009 §5.5, 3.2.1)."""
    relative_tolerance: float = 1.5e-3
    """|A dv - G' p| / |G' p| that `stop="residual"` also requires; gave errors of dv up to 1 % at dt^2 k/m = 100."""
    friction_cone: FrictionCone = "cone"
    """`cone`: isotropic Coulomb friction, |gam| <= mu lam. `pyramid`: |gam1|, |gam2| <= mu lam (Otaduy2009 §3.4), not for
    `augmented-lagrangian`."""

    def __post_init__(self) -> None:
        for name, choices in (
            ("name", get_args(SolverName)),
            ("stop", get_args(StopRule)),
            ("friction_cone", get_args(FrictionCone)),
        ):
            if getattr(self, name) not in choices:
                raise InputError(f"solver {name} must be one of {', '.join(choices)}, got {getattr(self, name)!r}")
        check_positive("solver tolerance", self.tolerance, unit="m/s")
        check_positive("solver relative_tolerance", self.relative_tolerance)
        for name in ("max_outer", "max_inner", "contact_repeats"):
            check_count(f"solver {name}", getattr(self, name), least=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """How a step is computed. Lengths in metres, times in seconds."""

    contact_distance: float | None = None
    """δ, the separation that contacts keep [m]. None: a tenth of the mean edge, at most a quarter of any height."""
    detection_factor: float = 2.0
    """Pairs closer than this times `contact_distance` become constraints; 2 halves the refinements (decision 0003)."""
    max_refinements: int = 5
    """Constraint manifold refinements before the step is halved (Otaduy2009 §4)."""
    max_halvings: int = 2
    """How often the step may be halved before the emergency step (Otaduy2009 §4)."""
    newton_iterations: int = 1
    """Linearisations of the unconstrained step; 1 is Otaduy2009 Eq. 3."""
    push_out_speed: float = 0.1
    """Pairs that start closer than δ are separated at most at this speed [m/s]; full recovery at once would add energy."""
    linear_tolerance: float = 1e-5
    """Relative residual of the unconstrained solve A v* = b by conjugate gradients."""
    direct_solve_below: int = 400
    """Systems with fewer nodes are solved by a sparse direct factorisation."""
    solver: SolverSettings = field(default_factory=SolverSettings)

    def __post_init__(self) -> None:
        if not isinstance(self.solver, SolverSettings):
            raise InputError(f"solver must be a SolverSettings, as in SolverSettings(name='ica'), got {self.solver!r}")
        check_count("direct_solve_below", self.direct_solve_below, least=0)
        for name in ("detection_factor", "push_out_speed", "linear_tolerance"):
            check_positive(name, getattr(self, name))
        if self.contact_distance is not None:
            check_positive("contact_distance", self.contact_distance, unit="m")
        if self.detection_factor < 1.0:
            raise InputError(f"detection_factor must be at least 1, got {self.detection_factor:g}")
        for name, least in (("max_refinements", 1), ("max_halvings", 0), ("newton_iterations", 1)):
            check_count(name, getattr(self, name), least=least)


def check_positive(name: str, value: Any, *, unit: str = "") -> float:
    """Return `value` as a float, or raise an `InputError` that names it if it is not a finite number above zero."""
    number = check_number(name, value)
    if not math.isfinite(number) or number <= 0.0:
        raise InputError(f"{name} must be positive and finite, got {number:g}{' ' + unit if unit else ''}")
    return number


def check_number(name: str, value: Any) -> float:
    """Return `value` as a float, or raise an `InputError` that names it if it is not a number (a bool is none)."""
    if isinstance(value, bool | np.bool_) or not isinstance(value, int | float | np.integer | np.floating):
        raise InputError(f"{name} must be a number, got {value!r}")
    return float(value)


def check_count(name: str, value: Any, *, least: int) -> int:
    """Return `value`, or raise an `InputError` that names it if it is not an integer of at least `least`."""
    if not isinstance(value, int) or isinstance(value, bool) or value < least:
        raise InputError(f"{name} must be an integer of at least {least}, got {value!r}")
    return value
