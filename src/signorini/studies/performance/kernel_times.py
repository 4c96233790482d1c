"""Times of single kernels in a step of a scene, beside what their arithmetic and their memory traffic cost at least."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from signorini.collision.detect import detect_continuous, detect_proximity
from signorini.compiled import kernel
from signorini.dynamics.assembly import assemble
from signorini.elements.element import Linearisation, backward_euler
from signorini.gallery import SCENES
from signorini.simulation.simulation import Simulation
from signorini.studies.performance.measure import Row, best_time

BEFORE, DT = 90, 4e-3
"""Steps of `falling-cloth` before the kernels are timed, and their length [s]."""
FLOPS = {"Springs": (90, 30), "Hinges": (345, 100)}
"""Floating-point operations of one element in assembly, and in its energy; counted in the source, a root or a division as one."""
POTENTIAL = ("Springs",)
"""Elements whose forces are the gradient of their energy; the friction of hinges dissipates at its limit."""


@dataclass(frozen=True, slots=True)
class Machine:
    """What one core of this machine can do."""

    flops: float
    """Scalar multiplications and additions a second, in independent chains."""

    def copy_seconds(self, count: float) -> float:
        """Time to read and write so many bytes in all, by a copy of that size: what fits into a cache is fast [s]."""
        source = np.ones(max(1, int(count / 16)))
        target = np.empty_like(source)
        return best_time(lambda: np.copyto(target, source), seconds=0.05)


@kernel
def _chains(count):
    """Eight independent chains of multiplications and additions: 16 operations a pass."""
    a = b = c = d = e = f = g = h = 1.0
    for k in range(count):
        w = 1e-9 * k
        a, b, c, d = a * 0.999 + w, b * 0.998 + w, c * 0.997 + w, d * 0.996 + w
        e, f, g, h = e * 0.995 + w, f * 0.994 + w, g * 0.993 + w, h * 0.992 + w
    return a + b + c + d + e + f + g + h


def measure_machine() -> Machine:
    """Measure this machine."""
    count = 1_000_000
    seconds = best_time(lambda: _chains(count))
    return Machine(17.0 * count / seconds)


def time_kernels() -> Iterator[Row]:
    """A row for each kernel, in a step of `falling-cloth`; the first row is the machine."""
    machine = measure_machine()
    yield {"kernel": f"(machine: {1e-9 * machine.flops:.2f} scalar Gflop/s)", "flops": machine.flops}
    sim = Simulation(SCENES["falling-cloth"].build(), dt=DT)
    for _ in range(BEFORE):
        sim.step()
    for name, call, flops, traffic, error in _calls(sim):
        seconds = best_time(call)
        floors = 1e6 * flops / machine.flops, 1e6 * machine.copy_seconds(traffic)
        yield {
            "kernel": name,
            "us": 1e6 * seconds,
            "arithmetic_us": floors[0],
            "memory_us": floors[1],
            "over_floor": 1e6 * seconds / max(floors),
            "error": error,
        }


def _calls(sim: Simulation) -> Iterator[tuple[str, Callable[[], object], float, float, float | None]]:
    """Name, call, operations, bytes that must move at least, and the error beside another computation; None: not measured."""
    world, moment, state = sim._world, sim._moment, sim.state
    model = world.model
    system = assemble(model, state, DT)
    A, v = system.A, state.v
    dense = A.to_scipy() @ v.ravel()
    error = float(np.abs(A.times(v).ravel() - dense).max() / np.abs(dense).max())
    blocks = len(A.indices)
    yield "A v", lambda: A.times(v), 18.0 * blocks, float(A.data.nbytes + A.indices.nbytes + 2 * v.nbytes), error
    still, internal = np.zeros_like(v), model.element_states(state)
    at, weights = Linearisation(state.q, still, still, v, state.time + DT), backward_euler(DT)
    data, b = np.zeros_like(A.data), np.zeros_like(v)
    for elements, entries, own in zip(model.elements, model.element_entries, internal, strict=True):
        name = type(elements).__name__
        if not len(elements) or name not in FLOPS:
            continue
        assembly, energy = FLOPS[name]
        wrong = _force_error(sim, elements, own) if name in POTENTIAL else None
        read = float(state.q.nbytes + elements.nodes.nbytes + len(elements) * 32)
        written = float(2 * A.data.nbytes + 2 * v.nbytes + entries.nbytes)

        def assemble_set(elements=elements, entries=entries, own=own) -> None:
            elements.assemble(at, weights, own, entries, data, b)

        def energy_of_set(elements=elements, own=own) -> float:
            return elements.energy(state.q, own)

        yield f"assemble {name}", assemble_set, float(assembly * len(elements)), read + written, wrong
        yield f"energy {name}", energy_of_set, float(energy * len(elements)), read, None
    x, surface = moment.surface_positions, model.surface
    reach, pairs = world.detection_distance, len(moment.candidates)

    def proximity() -> object:
        return detect_proximity(surface, moment.candidates, x, distance=reach)

    def continuous() -> object:
        return detect_continuous(surface, moment.candidates, x, x + DT * 1e-3, separation=world.separation)

    least = abs(detect_proximity(surface, moment.candidates, x, distance=reach).min_distance - sim.min_distance)
    # At least each pair and its bound are read, and compared with the path lengths of both sides.
    yield "proximity", proximity, 4.0 * pairs, 24.0 * pairs, least
    yield "continuous check", continuous, 4.0 * pairs, 24.0 * pairs, None


def _force_error(sim: Simulation, elements, own) -> float:
    """Relative difference of the power of elastic forces from a difference quotient of the energy along the velocity."""
    state, h = sim.state, 1e-6
    v = state.v / max(np.abs(state.v).max(), 1e-300)
    rate = (elements.energy(state.q + h * v, own) - elements.energy(state.q - h * v, own)) / (2.0 * h)
    entries = np.arange(len(elements) * elements.nodes.shape[1] ** 2, dtype=np.int32)
    k = elements.nodes.shape[1]
    data, b, still = np.zeros((len(entries), 3, 3)), np.zeros_like(v), np.zeros_like(v)
    at = Linearisation(state.q, still, still, still, state.time)
    elements.assemble(
        at, backward_euler(1.0)._replace(damping=0.0, stiffness=0.0), own, entries.reshape(-1, k, k), data, b
    )
    return float(abs((b * v).sum() + rate) / max(abs(rate), 1e-300))
