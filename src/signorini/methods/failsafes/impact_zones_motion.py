"""Motion of rigid impact zones: free, with the momentum of their nodes, or with the scripted bodies that they touch.

Implements: Bridson2002 §7.5. Deviates from it in that the rotation is followed exactly instead of with the ω of the start, so
that both angular momentum and energy are those of a rigid body also after large turns.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from signorini.linalg.nearest_rotation import nearest_rotation
from signorini.methods.failsafes.impact_zones_groups import Zones
from signorini.methods.trial_motion import TrialMotion
from signorini.model import rigid_bodies_kernels as rigid_kernels
from signorini.model.model import Model
from signorini.model.rigid_bodies import FreeSpin, RigidBodies, turned_vectors

Floats = NDArray[np.float64]
LARGEST_TURN = 1.0
"""A zone turns by at most this angle in one step [rad]: straight lines of a larger turn come too close to its axis. What turns
faster keeps its angular momentum but is turned less."""
RIGID_MISFIT = 3e-4
"""Deviation from a rigid motion, over the contact distance, up to which a scripted body counts as rigid."""
LOOSE = 1e-9
"""Weight of no rotation at all where scripted points leave the rotation open, relative to the points."""
FLAT = 1e-12
"""Moments of inertia below this part of the largest count as zero: the zone's nodes are on a line."""


@dataclass(slots=True)
class ZoneVelocities:
    """Velocities of all nodes when zones move rigidly: along the straight line of the step, and at its end."""

    path: Floats
    """(n, 3) dt times this leads to the end of the step [m/s]; with `FreeSpin.drift`, as `advance` wants it."""
    end: Floats
    """(n, 3) velocities after the step [m/s]; ω in the orientation at the end for rigid bodies in a zone."""
    turned: NDArray[np.intp] = field(default_factory=lambda: np.zeros(0, np.intp))
    """(k,) the rigid bodies that are in a zone."""

    def end_velocity(self, model: Model, spin: FreeSpin, rotations: Floats) -> Floats:
        """(n, 3) as `state_after` wants it: ω as if the body had the inertia of its free rotation."""
        v = self.end.copy()
        if len(self.turned):
            nodes = model.rigids.spins[self.turned]
            L = model.rigids.momentum(rotations, v[model.rigids.spins])[self.turned]
            v[nodes] = np.linalg.solve(spin.inertia[self.turned], L[:, :, None])[:, :, 0]
        return v


def move_zones(motion: TrialMotion, zones: Zones, v: Floats) -> ZoneVelocities:
    """The motion in which each zone moves rigidly and everything else with v (n, 3) [m/s]."""
    model = motion.world.model
    label = zones.label.copy()
    label[model.attachments.nodes] = label[model.attachments.linear]
    velocities = ZoneVelocities(v.copy(), v.copy(), np.flatnonzero(label[model.rigids.nodes] >= 0))
    scripted = np.union1d(np.flatnonzero(zones.at_rest), zones.anchors[:, 0])
    free = np.setdiff1d(np.arange(zones.count), scripted)
    if len(free):
        number = np.full(zones.count + 1, -1, np.int32)  # the last is for nodes in no zone
        number[free] = np.arange(len(free))
        _move_freely(motion, number[label], len(free), v, velocities)
    for zone in scripted:
        R, centre, shift = _scripted_motion(motion, zones, int(zone))
        _carry(motion, np.flatnonzero(label == zone), R, centre, shift, velocities)
    return velocities


def _move_freely(
    motion: TrialMotion, label: NDArray[np.int32], count: int, v: Floats, velocities: ZoneVelocities
) -> None:
    """Give every zone the linear and angular momentum of its nodes, which are those of v (n, 3)."""
    model, state, dt = motion.world.model, motion.start.state, motion.dt
    nodes = np.flatnonzero(label >= 0)
    zone, m = label[nodes], model.mass[nodes, None]

    def gather(values: Floats) -> Floats:
        total = np.zeros((count, *values.shape[1:]))
        np.add.at(total, zone, values)
        return total

    mass = gather(m)
    centre, drift = gather(m * state.q[nodes]) / mass, gather(m * v[nodes]) / mass
    r = state.q[nodes] - centre[zone]
    L = gather(m * np.cross(r, v[nodes] - drift[zone]))
    inertia = gather(m[:, :, None] * ((r**2).sum(axis=1)[:, None, None] * np.eye(3) - r[:, :, None] * r[:, None, :]))
    rigid = np.flatnonzero(label[model.rigids.nodes] >= 0)
    of_rigid, spins = label[model.rigids.nodes[rigid]], model.rigids.spins[rigid]
    np.add.at(L, of_rigid, np.einsum("bij,bj->bi", motion.spin.inertia[rigid], v[spins]))
    np.add.at(inertia, of_rigid, model.rigids.world_inertia(state.rotations)[rigid])
    end, turn, w = _turn_freely(inertia, L, dt)
    arm = turned_vectors(end[zone], r)
    velocities.path[nodes] = drift[zone] + (arm - r) / dt
    velocities.end[nodes] = drift[zone] + np.cross(w[zone], arm)
    velocities.path[spins] = turn[of_rigid] / dt - motion.spin.drift[rigid]
    velocities.end[spins] = w[of_rigid]


def _turn_freely(inertia: Floats, L: Floats, dt: float) -> tuple[Floats, Floats, Floats]:
    """Orientations (z, 4), rotation vectors (z, 3) [rad] and ω (z, 3) [rad/s] after dt without torque."""
    inverse = np.ascontiguousarray(np.linalg.pinv(inertia, rcond=FLAT, hermitian=True), dtype=np.float64)
    bodies = RigidBodies(np.arange(len(L), dtype=np.int32), np.zeros(0), inertia, inverse)
    start = np.tile([0.0, 0.0, 0.0, 1.0], (len(L), 1))
    angle = dt * np.linalg.norm(np.einsum("zij,zj->zi", inverse, L), axis=1)
    slower = np.minimum(1.0, LARGEST_TURN / np.maximum(angle, LARGEST_TURN))[:, None]
    end, turn = np.empty_like(start), np.empty_like(L)
    rigid_kernels.spin_freely(start, slower * L, inverse, dt, end)
    rigid_kernels.turns_between(start, end, turn)
    return end, turn, bodies.angular_velocity(end, L)


def _scripted_motion(motion: TrialMotion, zones: Zones, zone: int) -> tuple[Floats, Floats, Floats]:
    """The rigid motion x → R (x − centre) + centre + shift that follows the scripted vertices and pins in a zone."""
    if zones.at_rest[zone]:
        return np.eye(3), np.zeros(3), np.zeros(3)
    model, state = motion.world.model, motion.start.state
    anchors = zones.anchors[zones.anchors[:, 0] == zone, 1]
    targets = np.zeros_like(state.q)
    pinned, arrival = motion.pins
    targets[pinned] = arrival
    pins = anchors[anchors < model.node_count]
    before, after = [state.q[pins]], [targets[pins]]
    x0 = motion.start.surface_positions
    vertices = anchors[anchors >= model.node_count] - model.node_count
    bodies = model.surface.vertex_body[vertices]
    for slot in model.bodies.values():
        touched = vertices[bodies == slot.number]
        if not len(touched):
            continue
        # A body that moves as a whole tells its rotation even where a single vertex touches.
        whole0 = x0[slot.vertices]
        whole1 = motion.kinematic[slot.first - model.kinematic_first :][: slot.count]
        R, centre, shift = fit_rigid_motion(whole0, whole1)
        misfit = np.abs((whole0 - centre) @ R.T + centre + shift - whole1).max()
        rigid = misfit <= RIGID_MISFIT * motion.world.contact_distance
        before.append(whole0 if rigid else x0[touched])
        after.append(whole1 if rigid else motion.kinematic[touched - model.kinematic_first])
    return fit_rigid_motion(np.concatenate(before), np.concatenate(after))


def fit_rigid_motion(before: Floats, after: Floats) -> tuple[Floats, Floats, Floats]:
    """The rigid motion x → R (x − centre) + centre + shift that takes points (k, 3) nearest to others, in least squares.

    Where the points leave the rotation open (one point, points on a line) it is the smallest one.
    """
    centre, arrived = before.mean(axis=0), after.mean(axis=0)
    H = (after - arrived).T @ (before - centre)
    R = nearest_rotation(H + (LOOSE * np.linalg.norm(H) + 1e-300) * np.eye(3))
    return R, centre, arrived - centre


def _carry(
    motion: TrialMotion, nodes: NDArray[np.intp], R: Floats, centre: Floats, shift: Floats, velocities: ZoneVelocities
) -> None:
    """Move nodes with a given rigid motion; their velocity afterwards is that of the straight line, as for pins."""
    model, q = motion.world.model, motion.start.state.q
    velocities.path[nodes] = ((q[nodes] - centre) @ (R - np.eye(3)).T + shift) / motion.dt
    velocities.end[nodes] = velocities.path[nodes]
    rigid = np.flatnonzero(np.isin(model.rigids.nodes, nodes))
    w = Rotation.from_matrix(R).as_rotvec() / motion.dt
    velocities.path[model.rigids.spins[rigid]] = w - motion.spin.drift[rigid]
    velocities.end[model.rigids.spins[rigid]] = w
