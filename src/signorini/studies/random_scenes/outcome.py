"""Outcome of a random scene, and the verdict on it."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np

from signorini.methods.report import StepReport
from signorini.scene.cloth import Cloth
from signorini.scene.kinematic import Kinematic
from signorini.scene.pins import PinnableBody
from signorini.scene.scene import Scene
from signorini.scene.soft_solid import SoftSolid
from signorini.studies.random_scenes.generator import RandomScene

ENERGY_SHARE = 0.01
"""Growth of energy that nothing explains, over the energy at hand, from which a scene is absurd."""
STEP_LIMIT = 30.0
"""CPU time of a step that counts as a hang [s]: these scenes take milliseconds a step."""
OVER_BUDGET = 1.0
"""Work of a step over its budget from which it is absurd."""
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
    jointed: float = 0.0
    """Mass of the bodies with joints, locks or drives [kg]."""
    steps: int = 0
    """Steps that were taken."""
    ending: str = "done"
    """`done`, `limit` (of CPU time), `refused` at the start, `stopped` with a sentence, `traceback`, `hang` or `crash`."""
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
    contacts: int = 0
    """Contacts of all steps."""
    most_contacts: int = 0
    """Largest number in a step."""
    halvings: int = 0
    failsafes: int = 0
    """Steps in which a fail-safe was called."""
    damped: int = 0
    """Steps from which energy was removed."""
    slept: int = 0
    """Steps at whose end some body slept."""
    nested: int = 0
    """Largest number of bodies inside each other that were not at the start: something has passed through a surface."""
    over_budget: int = 0
    """Steps that a fail-safe ended because they had used up their budget."""
    budget_used: float = 0.0
    """Largest work of a step over its budget."""
    surplus: float = 0.0
    """Largest energy that nothing explains, over the energy at hand."""
    unexplained: list[float] = field(default_factory=list)
    """Energy less the work that was done until then, at the start and after each step [J]."""
    falls: list[float] = field(default_factory=list)
    """`fallen` at the start and after each step [J]."""
    fallen: float = 0.0
    """Energy of rigid bodies in the middles of steps, beyond that at their ends [J]."""
    done_work: float = 0.0
    """Work of scripts, pins, drives and loads so far [J]."""
    declared: float = 0.0
    """Growth in fail-safe steps of a squeeze that their reports declare [J]: the work of scripts is only bounded there."""
    work: float = 0.0
    """Sum of the work of scripts, pins and loads, without sign [J]."""
    fastest: float = 0.0
    """Largest speed of a node [m/s]."""
    cpu: list[float] = field(default_factory=list)
    """CPU time of each step [s]."""
    energies: list[tuple[float, float]] = field(default_factory=list)
    """Moving (kinetic and elastic) and gravitational energy at the start and after each step [J]."""

    def add_step(
        self, report: StepReport, *, cpu: float, intersections: int, nested: int = 0, fallen: float = 0.0
    ) -> None:
        """Count a step; `fallen` is as in `add_energy`."""
        self.steps += 1
        self.cpu.append(cpu)
        self.intersections = max(self.intersections, intersections)
        self.solves += report.solves
        self.converged += report.solves_converged
        self.infeasible = max(self.infeasible, report.infeasible_contacts)
        if not report.infeasible_contacts and not report.unsolved_bodies:
            self.unnamed += report.solves - report.solves_converged
        self.halvings += report.halvings
        self.failsafes += report.failsafe_substeps > 0
        self.damped += report.energy_removed > 0.0
        self.slept += report.sleeping_bodies > 0
        self.nested = max(self.nested, nested)
        self.contacts += report.contact_count
        self.most_contacts = max(self.most_contacts, report.contact_count)
        self.over_budget += report.over_budget
        self.budget_used = max(self.budget_used, report.budget_used)
        self.fastest = max(self.fastest, report.max_speed)
        self.finite = self.finite and math.isfinite(report.total_energy)
        self.add_energy(report, fallen)

    def add_energy(self, report: StepReport, fallen: float = 0.0) -> None:
        """Compare the energy, less the work of scripts, pins, drives and loads, with the least so far.

        Velocities of backward Euler belong to the middle of a sub-step. `fallen` [J] is what gravity has given to rigid bodies
        between the middles of two steps, beyond what it has given between their ends.
        Where bodies rebound it is compared with the start: a rebound gives back what backward Euler took in the fall.
        """
        self.energies.append((report.kinetic_energy + report.elastic_energy, report.potential_energy))
        moving, falling = np.array(self.energies).T
        self.done_work += report.script_work + report.pin_work + report.load_work
        if self.case.expected.squeezes and report.failsafe_substeps:
            self.declared += max(report.energy_surplus - report.energy_removed, 0.0)
        self.work += abs(report.script_work) + abs(report.pin_work) + abs(report.load_work)
        self.fallen += fallen
        self.unexplained.append(report.total_energy - self.done_work - self.declared)
        self.falls.append(self.fallen)
        grown, lowest = self._growth()
        # At hand: what moved until then, what gravity has given since, and the work of scripts.
        at_hand = float(moving[: lowest + 1].max() + max(falling[: lowest + 1].max() - falling.min(), 0.0)) + self.work
        # Where there are joints, only a bound of the same is known (decision 0020).
        midstep = 0.5 * 9.81 * self.jointed * report.max_speed * self.case.dt
        grown = max(grown - self.noise - midstep, 0.0)
        self.surplus = max(self.surplus, grown / max(at_hand, self.mass * (0.5 * STILL**2 + 9.81 * LIFTED)))

    def _growth(self) -> tuple[float, int]:
        """Growth of the energy since it was least [J], and the step after which it was.

        Of bodies that guide each other the energy between the middles of steps is kept, of rigid bodies on soft ones that between
        their ends: the growth is the smaller of both.
        """
        ends = np.array(self.unexplained)
        found = []
        for series in (ends, ends + np.array(self.falls)):
            lowest = 0 if self.case.rebounds else int(np.argmin(series))
            found.append((float(series[-1] - series[lowest]), lowest))
        return min(found)

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
    def failures(self) -> list[str]:
        """What must never happen, one phrase each: a crash, a hang, a state that is no number, an intersection, energy from
        nothing."""
        found = []
        if self.ending in ("traceback", "hang", "crash"):
            found.append(f"{self.ending}: {self.message}")
        if self.ending == "stopped" and not self.case.expected.squeezes:
            found.append(f"stopped without a squeeze: {self.message}")
        if max(self.cpu, default=0.0) > STEP_LIMIT:
            found.append(f"hang: a step took {max(self.cpu):.0f} CPU s")
        if self.intersections:
            found.append(f"{self.intersections} intersections")
        if self.nested:
            found.append(f"{self.nested} bodies have passed through a surface")
        if not self.finite:
            found.append("not finite")
        if self.surplus > ENERGY_SHARE:
            found.append(f"energy + {100.0 * self.surplus:.3g} %")
        return found

    @property
    def remarks(self) -> list[str]:
        """What should not happen, and breaks no promise."""
        found = []
        if self.ending == "refused":
            found.append(f"refused: {self.message}")
        if self.ending == "limit":
            found.append(f"left: {sum(self.cpu):.0f} CPU s for {self.steps} of {self.case.steps} steps")
        if self.declared > ENERGY_SHARE * max(self.work, self.mass * STILL**2):
            found.append(
                f"energy of {self.declared:.3g} J that no work explains, declared in fail-safe steps of a squeeze"
            )
        if self.lost > ENERGY_SHARE and self.case.expected.conserves:
            found.append(f"energy - {100.0 * self.lost:.3g} %, although nothing touches")
        if self.infeasible and not self.case.expected.squeezes:
            found.append(f"{self.infeasible} contacts called infeasible without a squeeze")
        if self.unnamed:
            found.append(f"{self.unnamed} of {self.solves} solves failed and nothing is named")
        if self.budget_used > OVER_BUDGET:
            found.append(f"a step did {self.budget_used:.2g} times the work of its budget")
        return found

    @property
    def absurd(self) -> list[str]:
        """Failures and remarks."""
        return self.failures + self.remarks

    def row(self) -> dict[str, object]:
        """A line of the CSV."""
        case = self.case
        return {
            "index": case.index, "recipe": case.recipe, "integrator": case.integrator, "solver": case.solver,
            "failsafe": case.settings.failsafe, "dt": f"{case.dt:.3g}", "friction": f"{case.scene.friction:.3g}",
            "traits": " ".join(traits(case.scene)), "steps": self.steps, "of": case.steps,
            "bodies": self.bodies, "vertices": self.vertices, "mass_ratio": f"{self.mass_ratio:.3g}",
            "ending": self.ending, "intersections": self.intersections, "nested": self.nested, "finite": int(self.finite),
            "solves": self.solves, "converged": self.converged, "unnamed": self.unnamed, "infeasible": self.infeasible,
            "contacts": self.contacts, "most_contacts": self.most_contacts, "halvings": self.halvings,
            "failsafes": self.failsafes, "damped": self.damped, "slept": self.slept, "surplus": f"{self.surplus:.3g}",
            "fastest": f"{self.fastest:.3g}", "cpu": f"{sum(self.cpu):.3g}", "slowest": f"{self.slowest:.3g}",
            "slowest_s": f"{max(self.cpu[1:], default=0.0):.3g}", "over_budget": self.over_budget,
            "budget_used": f"{self.budget_used:.3g}",
            "failures": "; ".join(self.failures), "remarks": "; ".join(self.remarks), "message": self.message,
        }  # fmt: skip


def traits(scene: Scene) -> list[str]:
    """Words for what a scene has: kinds of bodies, models and laws, joints, loads, rebound."""
    found = {body.kind for body in scene.bodies.values()}
    for body in scene.bodies.values():
        if isinstance(body, Cloth):
            found.add(f"cloth:{body.model}")
        elif isinstance(body, SoftSolid):
            found.add(f"solid:{body.material.law.name}")
            if body.material.locking_free:
                found.add("solid:locking-free")
        elif isinstance(body, Kinematic) and body.motion is not None:
            found.add(f"script:{type(body.motion).__name__}")
        if isinstance(body, PinnableBody) and body.pins:
            found.add("pins")
    found |= {f"joint:{joint.kind}" for joint in scene.joints.values()} | {f"load:{load.kind}" for load in scene.loads}
    for word, entries in (("lock", scene.locks), ("drive", scene.drives), ("attachment", scene.attachments)):
        if entries:
            found.add(word)
    if any(joint.driven for joint in scene.joints.values()):
        found.add("joint:driven")
    if any(rule.restitution for rule in scene.pair_rules):
        found.add("restitution")
    return sorted(found)
