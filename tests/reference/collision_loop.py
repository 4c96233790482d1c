"""Scenes of sheets on a collision course and naive twins of the kernels of the collision loop."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

import signorini as sg
from signorini.methods.collision_loop.effective_motion import EffectiveMotion
from signorini.simulation.simulation import Simulation

Floats = NDArray[np.float64]


def sheets(
    method: str = "volume", *, count: int = 2, cells: int = 6, gap: float = 0.01, apart: float = 0.0, **loop: object
) -> Simulation:
    """A stack of `count` sheets, turned a little against each other; with `apart` [m], a second stack beside it."""
    scene = sg.Scene(gravity=(0.0, 0.0, 0.0))
    mesh = sg.shapes.grid(0.3, 0.3, cells=cells)
    for stack in range(2 if apart else 1):
        for k in range(count):
            position = (apart * stack + 0.004 * k, 0.007 * k, gap * k)
            scene.add_cloth(mesh, position=position, rotation=(0.01 * k, 0.02 * k, 0.3 * k), area_density=0.1 + 0.1 * k)
    distance = 0.3 / cells / 8  # about a tenth of the mean edge
    settings = sg.Settings(method=method, contact_distance=distance, collision_loop=sg.CollisionLoopSettings(**loop))  # type: ignore[arg-type]
    return sg.Simulation(scene, dt=1.0 / 60.0, settings=settings)


def on_course(sim: Simulation, speed: float, *, seed: int = 0, rough: float = 0.2) -> Floats:
    """Velocities (n, 3) [m/s]: sheet k of a stack moves down at k times `speed`, with smooth waves of `rough` times it."""
    rng, v = np.random.default_rng(seed), np.zeros_like(sim.state.q)
    stack: dict[float, int] = {}
    for slot in sim._world.model.bodies.values():
        q = sim.state.q[slot.nodes]
        where = round(float(q[:, 0].mean()), 1)
        k = stack.get(where, 0)
        stack[where] = k + 1
        for _ in range(4):
            wave = np.sin(q @ rng.normal(scale=10.0, size=3) + rng.uniform(0.0, 6.0))
            v[slot.nodes] += rough * speed * 0.5 * wave[:, None] * rng.normal(size=3)
        v[slot.nodes, 2] -= speed * k
    return v


def motion_of(sim: Simulation, dt: float) -> EffectiveMotion:
    """The collision step of length dt [s] from where a simulation is."""
    return EffectiveMotion(sim._world, sim._moment, sim.time + dt)


def left_over(motion: EffectiveMotion, v: Floats) -> int:
    """How many pairs a motion leaves on a collision course."""
    return len(motion.find_impacts(motion.place(v)).contacts)


def kinetic(sim: Simulation, v: Floats) -> float:
    """½ v'Mv of nodes without rotation [J]."""
    return 0.5 * float(sim._world.model.mass @ (v**2).sum(axis=1))


def sweep(
    J: Floats, free: Floats, friction: Floats, target: Floats, inverse_mass: Floats, v: Floats
) -> tuple[Floats, Floats]:
    """Naive twin of `impulses_kernels.sweep` on dense frames: J (m, 3, 3n); returns the velocities and impulses (m, 3)."""
    flat, start, impulses = v.ravel().copy(), v.ravel(), np.zeros((len(J), 3))
    W = np.zeros((v.size, v.size))
    for i, block in enumerate(inverse_mass):
        W[3 * i : 3 * i + 3, 3 * i : 3 * i + 3] = block
    for c in range(len(J)):
        u = free[c] + J[c] @ (flat - start)
        ease = J[c, 0] @ W @ J[c, 0]
        if u[0] >= target[c] or ease <= 0.0:
            continue
        impulses[c, 0] = (target[c] - u[0]) / ease
        flat = flat + W @ J[c, 0] * impulses[c, 0]
        slide = (free[c] + J[c] @ (flat - start))[1:]
        size = np.linalg.norm(slide)
        if friction[c] > 0.0 and size > 0.0:
            along = slide / size @ J[c, 1:]
            strength = min(friction[c] * impulses[c, 0], size / (along @ W @ along))
            impulses[c, 1:] = -strength * slide / size
            flat = flat - W @ along * strength
    return flat.reshape(-1, 3), impulses
