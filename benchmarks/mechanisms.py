"""The mechanisms of the gallery at full length with default settings: solved, free of intersection, energy balance closed.

    python benchmarks/mechanisms.py                      all of them, arches of 25 and of 101 stones
    python benchmarks/mechanisms.py pendulum arch-101    only these

Every state and the motion of every sub-step is checked by ipctk. The energy balance is that of `reference/energy_audit`, which
takes energies from masses and poses and work and losses from contact forces, so that it can be open. Two markdown tables, and the
rows on standard error when a mechanism is done.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))
from reference.energy_audit import EnergyAudit
from reference.ipc_check import IpcCheck
from reference.step_table import TimedSimulation
from signorini.errors import SimulationStoppedError
from signorini.gallery import SCENES
from signorini.methods.report import StepReport

OPTIONS: dict[str, tuple[str, dict[str, float]]] = {
    "pendulum": ("pendulum", {}),
    "gears": ("gears", {}),
    "bolt": ("bolt", {}),
    "chain": ("chain", {}),
    "arch-25": ("arch", {"stones": 25}),
    "arch-101": ("arch", {"stones": 101}),
    "card-house": ("card-house", {}),
    "rolling": ("rolling", {}),
}
"""Scenes of the gallery with their options."""
CLOSED = 0.01
"""Part of the energy that took part up to which a balance counts as closed (issue 13)."""


@dataclass
class Outcome:
    """What a mechanism did in its full length."""

    name: str
    reports: list[StepReport]
    cpu: float
    """CPU seconds of all steps but the first, which loads the kernels."""
    check: IpcCheck
    audit: EnergyAudit
    stopped: str = ""

    def total(self, field: str) -> float:
        """Sum of a field of the reports."""
        return sum(getattr(report, field) for report in self.reports)

    @property
    def reported_growth(self) -> float:
        """Growth that nothing explains and that was left, by the reports, over the energy that took part.

        Reports compare the velocities of the middle of a step with the heights of its end: m g v dt / 2 comes and goes.
        """
        return (self.total("energy_surplus") - self.total("energy_removed")) / self.audit.scale

    @property
    def growth(self) -> float:
        """The same, measured in the middles of the steps."""
        return self.audit.growth / self.audit.scale

    @property
    def open_at_end(self) -> float:
        """Energy that the balance misses at the end, over the energy that took part."""
        return self.audit.errors[-1] / self.audit.scale

    @property
    def open_at_worst(self) -> float:
        """The largest such part at any step."""
        return max(map(abs, self.audit.errors)) / self.audit.scale

    @property
    def missed(self) -> str:
        """What of the issue's demands is not met, in words."""
        demands = {
            "stopped": not self.stopped,
            "unsolved problems": self.total("solves") == self.total("solves_converged"),
            "intersection": not self.check.intersecting and not self.check.crossing,
            "divided steps, whose forces cannot be read": all(r.substeps == 1 for r in self.reports),
            "balance open": self.open_at_worst <= CLOSED,
            "unexplained growth": self.growth <= CLOSED,
        }
        return ", ".join(what for what, met in demands.items() if not met) or "met"


Column = tuple[str, Callable[[Outcome], str]]
SOLVED: tuple[Column, ...] = (
    ("steps", lambda o: str(len(o.reports))),
    ("CPU ms a step", lambda o: f"{1e3 * o.cpu / max(len(o.reports) - 1, 1):.0f}"),
    ("problems solved", lambda o: f"{o.total('solves_converged')} of {o.total('solves')}"),
    ("halvings", lambda o: str(o.total("halvings") + o.total("energy_retries"))),
    ("fail-safes", lambda o: str(o.total("failsafe_substeps"))),
    ("over budget", lambda o: str(o.total("over_budget"))),
    ("ipctk states / motions", lambda o: f"{len(o.check.intersecting)} / {len(o.check.crossing)}"),
    ("demands", lambda o: o.missed),
)
ENERGY: tuple[Column, ...] = (
    ("took part [J]", lambda o: f"{o.audit.scale:.3g}"),
    ("work of scripts, reported / from forces [J]", lambda o: _pair(o.total("script_work"), o.audit.script_work)),
    ("friction, reported / from forces [J]", lambda o: _pair(o.total("friction_loss"), o.audit.friction_loss)),
    ("other loss, reported / of normal forces [J]", lambda o: _pair(o.total("other_loss"), o.audit.impact_loss)),
    ("given by normal forces [J]", lambda o: f"{o.audit.impact_gain:.2g}"),
    ("surplus / removed [J]", lambda o: _pair(o.total("energy_surplus"), o.total("energy_removed"))),
    ("growth left, reported / in the middles", lambda o: f"{100 * o.reported_growth:.2g} / {100 * o.growth:.2g} %"),
    ("balance open at the end / at worst", lambda o: f"{100 * o.open_at_end:.2g} / {100 * o.open_at_worst:.2g} %"),
)


def _pair(a: float, b: float) -> str:
    return f"{a:.3g} / {b:.3g}"


def study(name: str) -> Outcome:
    """A mechanism from its start to its end."""
    scene, options = OPTIONS[name]
    entry = SCENES[scene]
    sim = TimedSimulation(entry.build(**options), dt=entry.dt)
    outcome = Outcome(name, [], 0.0, IpcCheck(sim), EnergyAudit(sim))
    for step in range(round(entry.seconds / entry.dt)):
        try:
            outcome.reports.append(outcome.check.step())
        except SimulationStoppedError as error:  # the other mechanisms go on
            outcome.stopped = str(error)
            break
        outcome.cpu += sim.step_cpu_seconds if step else 0.0
        outcome.audit.after_step()
    return outcome


def table(outcomes: list[Outcome], columns: tuple[Column, ...]) -> str:
    """The heading, and a row for each mechanism."""
    lines = ["| | " + " | ".join(heading for heading, _ in columns) + " |", "|---" * (len(columns) + 1) + "|"]
    lines += [f"| `{o.name}` | " + " | ".join(cell(o) for _, cell in columns) + " |" for o in outcomes]
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="name", help=", ".join(OPTIONS))
    names = parser.parse_args().names or list(OPTIONS)
    unknown = [name for name in names if name not in OPTIONS]
    if unknown:
        parser.error(f"there is no mechanism {unknown[0]!r}; there are {', '.join(OPTIONS)}")
    outcomes = []
    for name in names:
        outcomes.append(study(name))
        print(table(outcomes[-1:], SOLVED + ENERGY), outcomes[-1].stopped, file=sys.stderr, flush=True)
    print(table(outcomes, SOLVED), table(outcomes, ENERGY), sep="\n\n")


if __name__ == "__main__":
    main()
