"""Settings of a simulation: every tolerance and limit of a step, with unit, default and the source of the default."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Literal, get_args

from signorini.checks import check_choice, check_count, check_flag, check_positive, told_fields
from signorini.errors import InputError, short
from signorini.settings.method_settings import CollisionLoopSettings, HongSettings
from signorini.settings.solver_settings import SolverSettings, check_solver, solver_name

MethodName = Literal["cmr", "volume", "impulses", "hong"]
FailsafeName = Literal["scale-back", "impact-zones", "inelastic-projection"]
IntegratorName = Literal["euler", "bdf2"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """Settings of a simulation: method, tolerances and limits of a step. Lengths in metres, times in seconds."""

    __repr__ = told_fields

    method: MethodName = "cmr"
    """`cmr`: constraint manifold refinement (Otaduy2009 §4). `volume`, `impulses`: the collision loop of Bridson2002 with
    the impulses of Sifakis2008 §5 or with Gauss-Seidel impulses. `hong`: Hong2004, for soft solids."""
    failsafe: FailsafeName = "scale-back"
    """Fail-safe when refinement and halving fail: `scale-back` to before the first impact, rigid `impact-zones` (Bridson2002),
    or `inelastic-projection` (Harmon2008). If one of the latter two fails as well, the motion is scaled back."""
    contact_distance: float | None = None
    """δ, the separation that contacts keep [m]. None: the thickness of the thinnest fabric, within bounds
    of its mesh (docs/cloth.md); without fabrics a tenth of the mean edge, at most a quarter of any height."""
    detection_factor: float = 2.0
    """Pairs closer than this times `contact_distance` become constraints; 2 halves the refinements (decision 0003)."""
    max_refinements: int = 5
    """Constraint manifold refinements before the step is halved (Otaduy2009 §4)."""
    max_halvings: int = 2
    """How often the step may be halved before the fail-safe (Otaduy2009 §4)."""
    integrator: IntegratorName = "euler"
    """Rule of the steps of `cmr` in time: `euler`, backward Euler, of first order (Otaduy2009 Eq. 3); `bdf2`, of second order
    (decision 0019)."""
    newton_iterations: int | None = None
    """Linearisations of the unconstrained step. None: 2 for `bdf2`, with an adaptive step 1 where a second one changes little;
    else 1, as in Otaduy2009 Eq. 3."""
    step_error: float | None = None
    """Makes steps of `bdf2` adaptive: the local error of positions per second, over the size of a body, which the length of
    sub-steps keeps; dt is the longest (docs/adaptive-step.md). None: all steps are dt."""
    shortest_step: float | None = None
    """Sub-step below which the error does not count any more [s]; None: dt / 16."""
    step_budget: float = 30.0
    """Work of a step over that of a typical one (the median of the last 50 steps), after which the fail-safe ends it. Work is
    estimated from counts, not timed: a run gives the same result on any machine."""
    sleep: bool = True
    """Whether bodies that have come to rest sleep until something moves them (method `cmr`): what sleeps stands still, and costs
    next to nothing. Slower than a tenth of the solver's tolerance for 0.2 s counts as rest (docs/sleeping.md)."""
    push_out_speed: float = 0.1
    """Largest speed [m/s] at which `volume` and `impulses` separate pairs that are closer than δ; `cmr` leaves them where they
    are."""
    linear_tolerance: float = 1e-5
    """Relative residual of the unconstrained solve A v* = b by conjugate gradients."""
    direct_solve_below: int = 400
    """Systems with fewer nodes are solved by a sparse direct factorisation."""
    solver: SolverSettings | Callable[..., Any] = field(default_factory=SolverSettings)
    """A solver of this package by its settings, or any other as a callable `(problem, settings, warm_start) -> Response`
    (`ContactSolver`)."""
    collision_loop: CollisionLoopSettings = field(default_factory=CollisionLoopSettings)
    """Settings of the methods `volume` and `impulses`."""
    hong: HongSettings = field(default_factory=HongSettings)
    """Settings of the method `hong`."""

    def __post_init__(self) -> None:
        if not isinstance(self.solver, SolverSettings):
            check_solver("solver", self.solver)
        for name, kind in (("collision_loop", CollisionLoopSettings), ("hong", HongSettings)):
            if not isinstance(getattr(self, name), kind):
                raise InputError(f"{name} must be a {kind.__name__}, got {short(getattr(self, name))}")
        choices_of = {"method": MethodName, "failsafe": FailsafeName, "integrator": IntegratorName}
        for name, choices in ((name, get_args(kind)) for name, kind in choices_of.items()):
            check_choice(name, getattr(self, name), choices)
        check_flag("sleep", self.sleep)
        check_count("direct_solve_below", self.direct_solve_below, least=0)
        for name in ("detection_factor", "step_budget", "push_out_speed", "linear_tolerance"):
            check_positive(name, getattr(self, name))
        if self.contact_distance is not None:
            check_positive("contact_distance", self.contact_distance, unit="m")
        if self.detection_factor < 1.0:
            raise InputError(f"detection_factor must be at least 1, got {self.detection_factor:g}")
        for name, least in (("max_refinements", 1), ("max_halvings", 0)):
            check_count(name, getattr(self, name), least=least)
        for name, unit in (("step_error", "1/s"), ("shortest_step", "s")):
            if getattr(self, name) is not None:
                check_positive(name, getattr(self, name), unit=unit)
        if self.step_error is not None and self.integrator != "bdf2":
            raise InputError("step_error is that of second-order steps: use integrator='bdf2' with it, or dt='auto'")
        if self.newton_iterations is not None:
            check_count("newton_iterations", self.newton_iterations, least=1)

    @property
    def linearisations(self) -> int:
        """Linearisations of the unconstrained step, at most."""
        return self.newton_iterations or (2 if self.integrator == "bdf2" else 1)


def check_settings(settings: Any) -> None:
    """Raise an `InputError` unless these are settings of a simulation, or None for the defaults."""
    if settings is not None and not isinstance(settings, Settings):
        raise InputError(f"settings must be a signorini.Settings, got {type(settings).__name__}")


def settings_table(settings: Settings) -> dict[str, Any]:
    """All settings as plain values, nested as in scene files; a solver that is Python code is only named."""
    if isinstance(settings.solver, SolverSettings):
        return asdict(settings)
    return {**asdict(replace(settings, solver=SolverSettings())), "solver": {"name": solver_name(settings.solver)}}
