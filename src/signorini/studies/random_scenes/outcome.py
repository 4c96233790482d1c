"""What happened in a random scene, and what of it is absurd."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np

from signorini.methods.report import StepReport
from signorini.studies.random_scenes.generator import RandomScene

ENERGY_SHARE = 0.01
"""Growth of energy that nothing explains, over the energy at hand, from which a scene is absurd."""
OVER_BUDGET = 2.0
"""Work of a step over its budget from which it is absurd: it ends after 1, or 1.25 where energy grew, and completes what it is
doing then, at most a proof of infeasibility and a sharing of room."""
STILL, LIFTED = 1e-3, 1e-5
"""Speed [m/s] and height [m] of all bodies together whose energy is always at hand: where nothing moves, the tolerance of the
solver and rounding are not absurd."""


@dataclass(slots=True)
class Outcome:
    """The record of one scene, filled step by step."""

    case: RandomScene
    bodies: int = 0
    vertices: int = 0
    mass: float = 0.0
    """Of all movable bodies [kg]."""
    noise: float = 0.0
    """Energy that the tolerance of the contact solver may add in a step [J]: weight times tolerance times dt."""
    mass_ratio: float = 1.0
    """Largest over smallest mass of a movable body."""
    scripted: bool = False
    """Whether scripts do work, so that the energy may grow."""
    steps: int = 0
    """Steps that were taken."""
    ending: str = "done"
    """`done`, `limit` (of CPU time), `refused` at the start, `stopped` with a sentence, or `traceback`."""
    message: str = ""
    intersections: int = 0
    """Largest number at the end of a step."""
    finite: bool = True
    solves: int = 0
    converged: int = 0
    unnamed: int = 0
    """Contact problems that were not solved, in steps that name no bodies."""
    infeasible: int = 0
    """Largest number of infeasible contacts in a step."""
    halvings: int = 0
    failsafes: int = 0
    over_budget: int = 0
    """Steps that a fail-safe ended because they had used up their budget."""
    budget_used: float = 0.0
    """Largest work of a step over its budget."""
    surplus: float = 0.0
    """Largest energy that nothing explains, over the energy at hand."""
    gained: list[float] = field(default_factory=lambda: [0.0])
    """Energy that nothing explains, gained less lost until the start and each step [J]."""
    work: float = 0.0
    """Sum of the work of scripts, pins and loads, without sign [J]."""
    fastest: float = 0.0
    """Largest speed of a node [m/s]."""
    cpu: list[float] = field(default_factory=list)
    """CPU time of each step [s]."""
    energies: list[tuple[float, float]] = field(default_factory=list)
    """Moving (kinetic and elastic) and gravitational energy at the start and after each step [J]."""

    def add_step(self, report: StepReport, *, cpu: float, intersections: int) -> None:
        """Count a step."""
        self.steps += 1
        self.cpu.append(cpu)
        self.intersections = max(self.intersections, intersections)
        self.solves += report.solves
        self.converged += report.solves_converged
        self.infeasible = max(self.infeasible, report.infeasible_contacts)
        if not report.infeasible_contacts and not report.unsolved_bodies:
            self.unnamed += report.solves - report.solves_converged
        self.halvings += report.halvings
        self.failsafes += report.failsafe_substeps
        self.over_budget += report.over_budget
        self.budget_used = max(self.budget_used, report.budget_used)
        self.fastest = max(self.fastest, report.max_speed)
        self.finite = self.finite and math.isfinite(report.total_energy)
        self.add_energy(report)

    def add_energy(self, report: StepReport) -> None:
        """Compare the energy with the least so far; where scripts do work, the report's own balance counts."""
        self.energies.append((report.kinetic_energy + report.elastic_energy, report.potential_energy))
        moving, falling = np.array(self.energies).T
        self.gained.append(self.gained[-1] - report.friction_loss - report.other_loss - report.energy_removed)
        self.work += abs(report.script_work) + abs(report.pin_work) + abs(report.load_work)
        total = moving + falling
        lowest = int(np.argmin(total))
        grown = self.gained[-1] - min(self.gained) if self.scripted else float(total[-1] - total[lowest])
        # At hand: what moved until then, what gravity has given since, and the work of scripts.
        at_hand = float(moving[: lowest + 1].max() + max(falling[: lowest + 1].max() - falling.min(), 0.0)) + self.work
        grown = max(grown - self.noise, 0.0)
        self.surplus = max(self.surplus, grown / max(at_hand, self.mass * (0.5 * STILL**2 + 9.81 * LIFTED)))

    @property
    def lost(self) -> float:
        """Share of the energy at the start that is gone."""
        totals = [sum(pair) for pair in self.energies] or [0.0]
        return 1.0 - totals[-1] / totals[0] if totals[0] > 0.0 else 0.0

    @property
    def slowest(self) -> float:
        """CPU time of the slowest step over the median; the first step, which loads kernels, is left out."""
        if len(self.cpu) < 3:
            return 1.0
        return max(self.cpu[1:]) / max(float(np.median(self.cpu[1:])), 1e-6)

    @property
    def absurd(self) -> list[str]:
        """What must not happen, one phrase each."""
        found = []
        if self.ending == "traceback" or self.ending == "refused":
            found.append(f"{self.ending}: {self.message}")
        if self.ending == "stopped" and not self.case.expected.squeezes:
            found.append(f"stopped without a squeeze: {self.message}")
        if self.ending == "limit":
            found.append(f"{sum(self.cpu):.0f} CPU s for {self.steps} of {self.case.steps} steps")
        if self.intersections:
            found.append(f"{self.intersections} intersections")
        if not self.finite:
            found.append("not finite")
        if self.surplus > ENERGY_SHARE:
            found.append(f"energy + {100.0 * self.surplus:.3g} %")
        if self.lost > ENERGY_SHARE and self.case.expected.conserves:
            found.append(f"energy - {100.0 * self.lost:.3g} %, although nothing touches")
        if self.infeasible and not self.case.expected.squeezes:
            found.append(f"{self.infeasible} contacts called infeasible without a squeeze")
        if self.unnamed:
            found.append(f"{self.unnamed} of {self.solves} solves failed and nothing is named")
        if self.budget_used > OVER_BUDGET:
            found.append(f"a step did {self.budget_used:.2g} times the work of its budget")
        return found

    def row(self) -> dict[str, object]:
        """A line of the CSV."""
        case = self.case
        return {
            "index": case.index, "recipe": case.recipe, "dt": f"{case.dt:.3g}", "steps": self.steps, "of": case.steps,
            "bodies": self.bodies, "vertices": self.vertices, "mass_ratio": f"{self.mass_ratio:.3g}",
            "ending": self.ending, "intersections": self.intersections, "finite": self.finite, "solves": self.solves,
            "converged": self.converged, "unnamed": self.unnamed, "infeasible": self.infeasible,
            "halvings": self.halvings, "failsafes": self.failsafes, "surplus": f"{self.surplus:.3g}",
            "fastest": f"{self.fastest:.3g}", "cpu": f"{sum(self.cpu):.3g}", "slowest": f"{self.slowest:.3g}",
            "slowest_s": f"{max(self.cpu[1:], default=0.0):.3g}", "over_budget": self.over_budget,
            "budget_used": f"{self.budget_used:.3g}",
            "absurd": "; ".join(self.absurd), "message": self.message,
        }  # fmt: skip
