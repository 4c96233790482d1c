"""Running random scenes: what happens is recorded, nothing is repaired."""

from __future__ import annotations

import time
import traceback
from collections.abc import Callable
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from signorini.errors import InputError, SimulationStoppedError
from signorini.methods.report import StepReport
from signorini.settings import DEFAULT_TOLERANCE, SolverSettings
from signorini.simulation.simulation import Simulation
from signorini.studies.random_scenes.generator import RandomScene
from signorini.studies.random_scenes.outcome import Outcome

CPU_LIMIT = 60.0
"""CPU time [s] after which a scene is left."""

Stepper = Callable[[Simulation], Callable[[], StepReport]]
"""Makes, for a simulation, the function that takes its steps: a place for checks of another program."""


def run_scene(case: RandomScene, *, cpu_limit: float = CPU_LIMIT, stepper: Stepper | None = None) -> Outcome:
    """Run a scene to its end, to an error, or until it has taken so much CPU time [s]."""
    outcome = Outcome(case, bodies=len(case.scene.bodies))
    try:
        sim = Simulation(case.scene, dt="auto" if case.auto else case.dt, settings=case.settings)
        outcome.vertices = sum(len(body.positions) for body in sim.bodies.values())
        masses = _masses(sim)
        outcome.mass, outcome.mass_ratio = float(masses.sum()), float(masses.max() / masses.min())
        outcome.jointed = outcome.mass if sim._world.model.joints is not None else 0.0
        outcome.noise = 9.81 * outcome.mass * _tolerance(sim) * case.dt
        outcome.add_energy(next(sim.run(seconds=case.dt, fps=1.0 / case.dt)).report)
        step = sim.step if stepper is None else stepper(sim)
        while outcome.steps < case.steps and sum(outcome.cpu) < cpu_limit:
            start, velocity = time.process_time(), sim.state.v
            report = step()
            cpu = time.process_time() - start
            fallen = _fallen(sim, report, velocity)
            outcome.add_step(
                report, cpu=cpu, intersections=sim.intersections(), nested=len(sim.nested()), fallen=fallen
            )
        outcome.ending = "done" if outcome.steps == case.steps else "limit"
    except SimulationStoppedError as error:
        outcome.ending, outcome.message = "stopped", str(error)
    except InputError as error:
        outcome.ending, outcome.message = "refused", str(error)
    except Exception as error:
        where = traceback.extract_tb(error.__traceback__)[-1]
        outcome.ending = "traceback"
        outcome.message = f"{type(error).__name__} in {Path(where.filename).name}:{where.lineno}: {error}"
    return outcome


def _tolerance(sim: Simulation) -> float:
    """Of the contact solver [m/s]."""
    solver = sim._world.settings.solver
    return solver.residual if isinstance(solver, SolverSettings) else DEFAULT_TOLERANCE


def _fallen(sim: Simulation, report: StepReport, before: NDArray[np.float64]) -> float:
    """By how much the energy of rigid bodies grew between the middles of two steps, beyond that between their ends [J].

    Half a sub-step, the mean one of a step that was divided, times the change of the power of gravity, with velocities `before`
    (n, 3) [m/s].
    """
    model = sim._world.model
    if sim._world.settings.integrator != "euler" or model.joints is not None:
        return 0.0  # velocities of second order are those of the end; of jointed bodies `Outcome` has a bound
    nodes = model.rigids.nodes
    change = sim.state.v[nodes] - before[nodes]
    return (
        0.5 * report.dt / report.substeps * float((model.mass[nodes, None] * model.node_gravity[nodes] * change).sum())
    )


def _masses(sim: Simulation) -> NDArray[np.float64]:
    """Masses of the movable bodies [kg]."""
    model = sim._world.model
    return np.array([model.mass[slot.nodes].sum() for slot in model.bodies.values() if not slot.scripted])
