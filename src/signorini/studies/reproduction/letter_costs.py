"""Otaduy2009 Fig. 6 left: time of a step of the letters against contacts, by full and by iterative anticipation."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
import scipy.sparse.linalg as spla
from numpy.typing import NDArray

from signorini.contact.mlcp import Mlcp, WarmStart
from signorini.gallery import SCENES
from signorini.methods.report import StepReport
from signorini.settings import Settings, SolverSettings
from signorini.simulation.simulation import Simulation
from signorini.solvers import full_anticipation_kernels, solve
from signorini.solvers.full_anticipation import MAX_SWEEPS, build_delassus
from signorini.studies.reproduction.measured_run import exponent, part, run_scene
from signorini.studies.reproduction.recorded_problems import Recorder
from signorini.studies.reproduction.target import Number, Outcome, Progress, Target

Floats = NDArray[np.float64]
TOLERANCE = 5e-4
"""Residual at which all solvers stop [m/s]."""
LABELS = {
    "CA": "full anticipation (CA)",
    "ICA": "ICA, to the same residual",
    "ICA 5 %": "ICA, stop rule of the paper",
    "default": "our default solver",
}
ICA = SolverSettings(name="ica", tolerance=TOLERANCE, max_outer=3000)
SOLVERS = {
    "ICA": ICA,
    "ICA 5 %": SolverSettings(name="ica", stop="paper", max_outer=3000),
    "default": SolverSettings(tolerance=TOLERANCE),
}
COLD = 3
"""Steps at the start of a run that are left out: they load kernels."""


def solve_anticipated(problem: Mlcp, tolerance: float) -> tuple[Floats, int]:
    """Otaduy2009 §5.1 without friction: B = J A⁻¹ J' formed, projected Gauss-Seidel; impulses (m,) and the sweeps.

    Unlike the solver `full-anticipation`, an oracle, it stops at a tolerance [m/s], as the others do.
    """
    factor = spla.splu(problem.A.to_scipy().tocsc(), options={"SymmetricMode": True}, permc_spec="MMD_AT_PLUS_A")
    B = build_delassus(factor, sp.csr_matrix(problem.jacobian()[0::3]))
    lam = np.zeros(problem.contact_count)
    u = problem.bias()[:, 0].copy()
    sweeps = full_anticipation_kernels.sweep_normals(B, 0.1 * tolerance, MAX_SWEEPS, u, lam)
    return lam, sweeps


@dataclass(slots=True)
class Costs:
    """Times [s] of the solvers on one contact problem of a step, and of the rest of that step."""

    index: int
    """Of the step."""
    contacts: int
    solves: int
    seconds: dict[str, float]
    rest: float = 0.0

    def step(self, name: str) -> float:
        """Time of a whole step in which this solver solves all contact problems [s]."""
        return self.rest + self.solves * self.seconds[name]


def timed_solvers(problem: Mlcp, start: WarmStart | None) -> dict[str, float]:
    """CPU seconds of each solver on a problem without friction."""
    found = {}
    for name, settings in SOLVERS.items():
        begin = time.process_time()
        solve(problem, settings, start)
        found[name] = time.process_time() - begin
    begin = time.process_time()
    solve_anticipated(problem, TOLERANCE)
    return {"CA": time.process_time() - begin, **found}


def _left(quick: bool, progress: Progress) -> Outcome:
    sizes = (2, 3) if quick else (2, 3, 4)
    seconds, every = (1.8, 10) if quick else (3.0, 7)
    costs: list[Costs] = []
    for k, resolution in enumerate(sizes):
        share = part(progress, (resolution**3 - 8) / (sizes[-1] ** 3 + 8), (resolution**3 + 8) / (sizes[-1] ** 3 + 8))
        costs += _course(resolution, seconds, every + 2 * k, share)
    costs.sort(key=lambda c: c.contacts)
    contacts = np.array([c.contacts for c in costs], dtype=float)
    large = contacts >= 0.1 * contacts.max()
    steps = {name: np.array([c.step(name) for c in costs]) for name in LABELS}
    solves = {name: np.array([c.seconds[name] for c in costs]) for name in LABELS}
    slope = {name: exponent(contacts[large], solves[name][large]) for name in LABELS}
    worst = int(np.argmax(contacts))
    factor = steps["CA"][worst] / steps["ICA"][worst]
    numbers = [
        Number(
            "cost of full anticipation against contacts",
            "quadratic (at best)",
            f"exponent {slope['CA']:.2f} of a solve",
            "fitted to problems of one frictionless run; the dense matrix is built from "
            "one solve for each contact and swept",
            slope["CA"] > 1.6,
        ),
        Number(
            "cost of ICA against contacts",
            "quasi-linear",
            f"exponent {slope['ICA']:.2f} to a residual, {slope['ICA 5 %']:.2f} with the stop rule of the paper",
            "the iterations grow with the height of the pile when the residual is to be the same; by the rule of 5 % they do not",
            slope["ICA 5 %"] < 1.4,
        ),
        Number(
            "the gain grows with the size",
            "clearly outperforms, and the gain grows",
            f"ICA {factor:.0f} times faster at {contacts[worst]:.0f} contacts",
            "whole steps are compared; the paper gives no factor in its text",
            factor > 2.0,
        ),
        Number(
            "our default solver",
            "not in the paper",
            f"exponent {slope['default']:.2f}, "
            f"{steps['CA'][worst] / steps['default'][worst]:.0f} times faster than CA there",
            "relaxation as in ICA, then an augmented Lagrangian method (decision 0004)",
            None,
        ),
    ]

    def draw(figure: Any) -> None:
        axes = figure.subplots(1, 2)
        for name, label in LABELS.items():
            x, y = _means(contacts, steps[name])
            axes[0].plot(x, y, ".-", lw=1, label=label)
            axes[1].loglog(contacts, solves[name], ".", ms=4, label=f"{label}: exponent {slope[name]:.2f}")
        ends = np.array([0.1, 1.0]) * contacts.max()
        for power, style in ((1, ":"), (2, "--")):
            top = solves["CA" if power == 2 else "ICA"][worst]
            axes[1].loglog(ends, top * (ends / ends[1]) ** power, style, color="gray", lw=1)
        axes[1].text(
            0.02, 0.02, "dashed: quadratic, dotted: linear", fontsize=7, color="gray", transform=axes[1].transAxes
        )
        axes[0].set(xlabel="contacts", ylabel="CPU time of a step [s]", title="axes of the paper")
        axes[1].set(xlabel="contacts", ylabel="CPU time of one solve [s]", title="the solves alone")
        for axis in axes:
            axis.legend(fontsize=7)

    data = {
        "contacts": contacts,
        **{f"step_{k}": v for k, v in steps.items()},
        **{f"solve_{k}": v for k, v in solves.items()},
    }
    setup = (
        f"`letters` without friction, {', '.join(str(round(164 * (r / 5) ** 3)) for r in sizes)} letters, "
        f"{seconds:g} s each, dt = 30 ms"
    )
    return Outcome(numbers, draw, (10.0, 4.2), data, setup)


def _course(resolution: int, seconds: float, every: int, progress: Progress) -> list[Costs]:
    """Costs of problems of a frictionless run, one in so many steps."""
    recorder, costs = Recorder(SolverSettings(tolerance=TOLERANCE)), []
    spent: list[float] = []

    def each(sim: Simulation, report: StepReport) -> None:
        spent.append(recorder.cpu_seconds - sum(spent))
        taken = recorder.taken()
        if taken is None or sim.step_index <= COLD or sim.step_index % every:
            return
        problem, start = taken
        if problem.contact_count >= 20:
            if not costs:
                timed_solvers(problem, start)  # loads kernels
            costs.append(Costs(len(spent) - 1, problem.contact_count, report.solves, timed_solvers(problem, start)))

    scene = SCENES["letters"].build(resolution=resolution, friction=0.0)
    settings = Settings(solver=recorder, sleep=False)
    run = run_scene(scene, progress, dt=0.03, seconds=seconds, settings=settings, each=each)
    for cost in costs:
        cost.rest = max(run.cpu[cost.index] - spent[cost.index], 0.0)
    return costs


def _means(x: Floats, y: Floats, parts: int = 10) -> tuple[Floats, Floats]:
    """Means of points in order of x, in equal parts."""
    order = np.argsort(x)
    groups = [g for g in np.array_split(order, min(parts, len(x))) if len(g)]
    return np.array([x[g].mean() for g in groups]), np.array([y[g].mean() for g in groups])


TARGETS = (
    Target(
        "otaduy2009-fig-6-left",
        "Otaduy2009",
        "Fig. 6 left",
        "Without friction, the time of a step grows quadratically with the contacts by full anticipation, linearly by ICA.",
        _left,
        (0.9, 15.0),
    ),
)
