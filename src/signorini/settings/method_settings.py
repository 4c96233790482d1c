"""Settings of the other methods of a step: the collision loop of Sifakis2008, and the explicit method of Hong2004."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

from signorini.checks import check_choice, check_count, check_flag, check_number, check_positive, told_fields
from signorini.errors import InputError

LoopIntegratorName = Literal["newmark", "backward-euler"]
ImpulseNormals = Literal["start", "impact"]


@dataclass(frozen=True, slots=True, kw_only=True)
class CollisionLoopSettings:
    """The collision loop of Bridson et al. 2002 as Sifakis2008 §3 states it (methods `volume` and `impulses`)."""

    __repr__ = told_fields

    max_loops: int = 16
    """Largest number of steps of the integrator between two treatments of collisions (Sifakis2008 §6)."""
    cfl: float = 4.0
    """Step of the integrator over the one with ω h = 1/2, ω a bound of the highest frequency (Sifakis2008 §6); 4 is the
    proven stability limit of `newmark` without damping."""
    integrator: LoopIntegratorName = "newmark"
    """`newmark`: semi-implicit, elasticity explicit and damping implicit (Bridson2003). `backward-euler`: as in `cmr`."""
    repulsion_sweeps: int = 3
    """Gauss-Seidel sweeps of repulsions with friction over the contacts at the start of a step. One suffices for cloth; a
    rigid box that slides on its corners lost 17 % of its friction with one sweep, 1 % with three."""
    outer: int = 3
    """N: how often `volume` searches the colliding pairs (Sifakis2008 §5)."""
    inner: int = 5
    """M: Newton iterations on the volumes of these pairs."""
    damping: float = 0.3
    """γ: fraction of a Newton step that is taken (Sifakis2008 §5)."""
    solve_tolerance: float = 0.05
    """Relative residual at which MINRES stops in one Newton step. The system has more equations than unknowns: with 1e-3 half
    as many pairs were resolved as with 0.05 in a test of three sheets (docs/collision-loop.md)."""
    sweeps: int = 10
    """Gauss-Seidel sweeps of `impulses` over the colliding pairs before the step counts as failed (Bridson2002 §7.4)."""
    normals: ImpulseNormals = "start"
    """Direction of `impulses`: the shortest connection of a pair at the `start` of the step (Sifakis2008 §7 on Bridson2002), or
    the normal at the time of `impact`, which resolves more pairs."""
    impact_zones: bool = True
    """Whether rigid impact zones are the fail-safe of a step of the integrator that still collides; if not, the simulation
    stops there."""

    def __post_init__(self) -> None:
        for name, choices in (("integrator", get_args(LoopIntegratorName)), ("normals", get_args(ImpulseNormals))):
            check_choice(f"collision_loop {name}", getattr(self, name), choices)
        check_flag("collision_loop impact_zones", self.impact_zones)
        check_positive("collision_loop cfl", self.cfl)
        if check_positive("collision_loop solve_tolerance", self.solve_tolerance) >= 1.0:
            raise InputError(f"collision_loop solve_tolerance must be below 1, got {self.solve_tolerance:g}")
        if not 0.0 < check_number("collision_loop damping", self.damping) <= 1.0:
            raise InputError(f"collision_loop damping must be above 0 and at most 1, got {self.damping:g}")
        for name in ("max_loops", "repulsion_sweeps", "outer", "inner", "sweeps"):
            check_count(f"collision_loop {name}", getattr(self, name), least=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class HongSettings:
    """The explicit method of Hong2004 (method `hong`)."""

    __repr__ = told_fields

    tolerance: float = 1e-3
    """Legal penetration, relative to the size of an element (Hong2004 §5: 0.01 for elements of 10)."""
    step_tolerance: float = 1e-4
    """Error of a Runge-Kutta step, relative to the size of an element, that the adaptive step keeps."""
    max_substeps: int = 100_000
    """A step that would need more steps of Runge-Kutta 4 than this stops the simulation: the material is too stiff."""
    edge_contacts: bool = False
    """Whether edges are tested against edges, as Hong2004 §2 leaves to choice."""

    def __post_init__(self) -> None:
        check_positive("hong tolerance", self.tolerance)
        check_positive("hong step_tolerance", self.step_tolerance)
        check_count("hong max_substeps", self.max_substeps, least=1)
        if not isinstance(self.edge_contacts, bool):
            raise InputError(f"hong edge_contacts must be true or false, got {self.edge_contacts!r}")
