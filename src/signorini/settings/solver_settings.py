"""Name and settings of a contact solver, with unit, default and the source of the default."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, fields, replace
from functools import lru_cache, partial
from importlib import import_module
from typing import Any, Literal, get_args

from signorini.checks import check_choice, check_count, check_flag, check_positive, told_fields
from signorini.errors import InputError

SolverName = Literal["augmented-lagrangian", "ica", "full-anticipation", "rigid-refinement", "standard-contact"]
StopRule = Literal["residual", "paper"]
FrictionCone = Literal["pyramid", "cone"]
DENSE_SOLVERS = "full-anticipation", "standard-contact"
"""Solvers that form a dense matrix of all contacts: an iteration costs the square of their number."""
DEFAULT_TOLERANCE = 5e-4
"""Residual of a contact problem that counts as solved where no scene is known to choose it from [m/s]."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SolverSettings:
    """Name and settings of a contact solver of this package. A setting that the named solver does not read is refused."""

    __repr__ = told_fields

    name: SolverName = "augmented-lagrangian"
    """`augmented-lagrangian` (decision 0004), `ica` (Otaduy2009 §5.2-5.5), `full-anticipation` (§5.1, dense: small),
    `rigid-refinement` (Otaduy2010) or its baseline `standard-contact` (dense)."""
    stop: StopRule = "residual"
    """`residual`: stop at `tolerance` m/s. `paper`: residuals change by less than 5 % (Otaduy2009 §5.5)."""
    tolerance: float | None = None
    """Residual at which the solve counts as converged [m/s]: natural map, friction projection and dynamics. None: 1.25e-4 g dt if
    all bodies are rigid, else 1.25e-2 g dt; at most 1e-4, or 1e-2, of the contact distance/dt, and 5e-4 m/s."""
    improve_start: bool = True
    """Whether `augmented-lagrangian` improves a warm start tenfold that is within the tolerance already, or nearly, so that
    bodies at rest do not creep; the other solvers return such a start as it is."""
    max_outer: int = 1000
    """Outer iterations; the paper gives no bound for ICA. About 10 are needed at dt^2 k/m = 1, 50 at 10, 500 at 100."""
    max_inner: int = 10
    """Projected Gauss-Seidel sweeps per outer iteration; fewer than 10 suffice in 90 % (Otaduy2009 §5.3)."""
    contact_repeats: int = 3
    """Times that normal and friction of one contact are iterated in one sweep (Otaduy2009 §5.5, 3.2.1)."""
    max_iterations: int | None = None
    """Inner iterations (sweeps over the contacts, conjugate gradients) after which a solve ends with what it has; None: only the
    limits of the method itself. A step gives a solve what is left of its budget (`Settings.step_budget`)."""
    compromise: bool = True
    """Whether the response to contacts that are proven to contradict each other violates them as little as possible; if not, the
    solve ends with the proof, and the response is the best iterate before it."""
    relative_tolerance: float = 1.5e-3
    """|A dv - G' p| / |G' p| that `stop="residual"` also requires; gave errors of dv up to 1 % at dt^2 k/m = 100."""
    friction_cone: FrictionCone = "cone"
    """`cone`: isotropic Coulomb friction, |gam| <= mu lam. `pyramid`: |gam1|, |gam2| <= mu lam (Otaduy2009 §3.4)."""

    def __post_init__(self) -> None:
        for name, choices in (
            ("name", get_args(SolverName)),
            ("stop", get_args(StopRule)),
            ("friction_cone", get_args(FrictionCone)),
        ):
            check_choice(f"solver {name}", getattr(self, name), choices)
        if self.tolerance is not None:
            check_positive("solver tolerance", self.tolerance, unit="m/s")
        check_positive("solver relative_tolerance", self.relative_tolerance)
        for name in ("max_outer", "max_inner", "contact_repeats"):
            check_count(f"solver {name}", getattr(self, name), least=1)
        if self.max_iterations is not None:
            check_count("solver max_iterations", self.max_iterations, least=1)
        for name in ("improve_start", "compromise"):
            check_flag(f"solver {name}", getattr(self, name))
        changed = [f.name for f in fields(self) if f.name != "name" and getattr(self, f.name) != f.default]
        unread = _unread(self.name, self.stop) if changed else {}
        for name in changed:
            if name in unread:
                raise InputError(self._refusal(name))

    @property
    def residual(self) -> float:
        """The tolerance, or its default where no scene is known [m/s]."""
        return DEFAULT_TOLERANCE if self.tolerance is None else self.tolerance

    def adapted(self, **changes: Any) -> SolverSettings:
        """A copy with these changes; what the solver of the copy does not read goes back to its default.

        For one choice of settings that several solvers are to share, each as far as it can.
        """
        name, stop = changes.get("name", self.name), changes.get("stop", self.stop)
        if "stop" in _unread(name, stop):
            stop = "residual"
        return replace(self, **{**changes, **_unread(name, stop)})

    def _refusal(self, setting: str) -> str:
        value = f"solver {setting} = {getattr(self, setting)!r}"
        able = [name for name, names in _SETTINGS_READ_BY.items() if setting in names]
        if self.name in able:
            return f"{value} has no effect with stop = {self.stop!r}: leave it out"
        return f"{value} has no effect on solver {self.name!r}: leave it out, or choose {' or '.join(map(repr, able))}"


def uses_dense_matrix(solver: SolverSettings | Callable[..., Any]) -> bool:
    """Whether a contact solver forms a dense matrix of all contacts; nothing is known of one from outside."""
    return isinstance(solver, SolverSettings) and solver.name in DENSE_SOLVERS


_SETTINGS_READ_BY: dict[str, frozenset[str]] = {}
"""The settings that each solver reads, as the modules of the solvers declare them when they are imported."""


def declare_settings(solver: SolverName, names: Iterable[str]) -> None:
    """Declare which fields of `SolverSettings` a solver reads; other values than the default of a further one are refused."""
    _SETTINGS_READ_BY[solver] = frozenset(names)


def _unread(solver: str, stop: str) -> Mapping[str, Any]:
    """The settings that a solver does not read with a stop rule, and their defaults."""
    if solver not in _SETTINGS_READ_BY:
        import_module("signorini.solvers")  # each solver declares its settings there; late, as it imports this module
    read = _SETTINGS_READ_BY.get(solver, frozenset())
    if stop == "paper" and "stop" in read:
        read = read - {"relative_tolerance"}
    return _defaults_of_others(read)


@lru_cache
def _defaults_of_others(read: frozenset[str]) -> Mapping[str, Any]:
    """The settings that are not among those that are `read`, and their defaults."""
    return {f.name: f.default for f in fields(SolverSettings) if f.name != "name" and f.name not in read}


def check_solver(name: str, value: Any) -> Callable[..., Any]:
    """Return `value`, or raise an `InputError` that names it if it cannot be called as a contact solver."""
    if isinstance(value, type):
        raise InputError(f"{name} is the class {value.__name__}: give an instance of it, as in {value.__name__}()")
    if not callable(value):
        raise InputError(
            f"{name} must be a SolverSettings, as in SolverSettings(name='ica'), or a function of a problem, settings and "
            f"a warm start, got {value!r}"
        )
    return value


def solver_name(solver: SolverSettings | Callable[..., Any]) -> str:
    """The name of a solver of this package, or `module:function` (or `module:class`) of another."""
    if isinstance(solver, SolverSettings):
        return solver.name
    while isinstance(solver, partial):
        solver = solver.func
    named: Any = solver if hasattr(solver, "__qualname__") else type(solver)
    return f"{named.__module__}:{named.__qualname__}"
