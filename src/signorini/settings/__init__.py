"""Every tolerance and limit in one place: of a simulation, of the contact solver, and of the other methods of a step."""

from signorini.settings.method_settings import CollisionLoopSettings, HongSettings
from signorini.settings.settings import (
    FailsafeName,
    IntegratorName,
    MethodName,
    Settings,
    check_settings,
    settings_table,
)
from signorini.settings.solver_settings import (
    DEFAULT_TOLERANCE,
    FrictionCone,
    SolverName,
    SolverSettings,
    StopRule,
    check_solver,
    declare_settings,
    solver_name,
    uses_dense_matrix,
)

__all__ = [
    "DEFAULT_TOLERANCE",
    "CollisionLoopSettings",
    "FailsafeName",
    "FrictionCone",
    "HongSettings",
    "IntegratorName",
    "MethodName",
    "Settings",
    "SolverName",
    "SolverSettings",
    "StopRule",
    "check_settings",
    "check_solver",
    "declare_settings",
    "settings_table",
    "solver_name",
    "uses_dense_matrix",
]
