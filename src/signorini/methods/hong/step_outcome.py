"""The outcome of a step of Hong2004: its end, its report, and its last contact problem in the form that all methods share."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from signorini.collision.broad_phase import Candidates
from signorini.collision.detect import Proximity, detect_proximity
from signorini.contact.mlcp import Mlcp, Response
from signorini.linalg.block_matrix import BlockMatrix
from signorini.methods.hong.collision_response import Settled
from signorini.methods.hong.forces import free_accelerations
from signorini.methods.hong.runge_kutta import Trial
from signorini.methods.hong.step_data import StepData
from signorini.methods.method import CoveredStep
from signorini.methods.moment import Moment, SolvedContacts, World
from signorini.methods.report import Tally
from signorini.model.state import State


@dataclass(frozen=True, slots=True)
class LastStep:
    """The last step of Runge-Kutta 4."""

    start: Settled
    trial: Trial
    h: float
    """Its length [s]."""


def covered_step(
    world: World,
    step: StepData,
    settled: Settled,
    candidates: Candidates,
    last: LastStep,
    tally: Tally,
) -> CoveredStep:
    """The end of the step, with the least distance signed: a vertex inside another body counts as negative."""
    model, state = world.model, State(settled.motion.q, settled.motion.v, step.end_time)
    x = model.surface_positions(state.q, step.end_time)
    with tally.phase("detection"):
        near = detect_proximity(model.surface, candidates, x, distance=world.detection_distance)
    near = Proximity(near.contacts, min(near.min_distance, settled.distance))
    tally.contact_count = len(last.start.touching)
    tally.active_count = int(np.count_nonzero(last.trial.contact_force > 0.0))
    tally.penetration_residual = settled.approach
    moment = Moment(state, x, near, candidates)
    report = tally.report(moment, dt=step.end_time - step.start_time, names=model.body_names, certified=False)
    return CoveredStep(moment, _solved(step, last), report)


def _solved(step: StepData, last: LastStep) -> SolvedContacts | None:
    """The contacts of the last step and their mean forces, as a problem M dv = J' p with the accelerations of its start."""
    touching, h, model = last.start.touching, last.h, step.model
    if not len(touching):
        return None
    start, J, m = last.start.motion, touching.jacobian, len(touching)
    nodes = np.arange(model.node_count, dtype=np.int32)
    A = BlockMatrix(np.append(nodes, model.node_count).astype(np.int32), nodes, model.mass[:, None, None] * np.eye(3))
    free = np.zeros((m, 3))
    free[:, 0] = h * (touching.rates(free_accelerations(step, start.force, start.v)) + touching.bias)
    problem = Mlcp(A, J.indptr, J.nodes, J.blocks, np.zeros(m), free, np.zeros(m), h)
    impulse = np.zeros((m, 3))
    impulse[:, 0] = h * last.trial.contact_force
    dv = np.zeros_like(start.v)
    touching.push(step, impulse[:, 0], dv)
    residual = h * last.trial.residual
    response = Response(
        dv=dv, impulse=impulse, outer_iterations=last.trial.iterations, inner_iterations=0, converged=True, diverged=False,
        normal_residual=residual, friction_residual=0.0, dynamics_residual=0.0, dynamics_relative=0.0,
        penetration_velocity=0.0, infeasible=np.zeros(0, np.int32),
    )  # fmt: skip
    world_impulse = impulse[:, :1] * touching.contacts.normal
    state = State(start.q, start.v, start.time)
    return SolvedContacts(touching.contacts, problem, response, world_impulse, state, last.trial.motion.v, None, None)
