"""Assembly on several threads: the same bits as on one, for meshes whose elements join the rows of all threads."""

from __future__ import annotations

import numpy as np
import pytest

from signorini import Scene, Simulation, SolidMaterial, shapes
from signorini.dynamics.assembly import assemble
from signorini.elements import hinges, membrane, springs, tetrahedra
from signorini.parallel import team


@pytest.fixture(autouse=True)
def all_threads_take_part(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also on busy cores, and for the few elements of a small scene."""
    monkeypatch.setattr(team, "_team", team.Team(patient=True))
    for module in (hinges, membrane, springs, tetrahedra):
        monkeypatch.setattr(module, "WORTH_SHARING", 1)


def scene() -> Scene:
    built = Scene()
    built.add_cloth(shapes.grid(0.6, 0.6, cells=8), area_density=0.2, model="mass-spring", position=(0, 0, 1), name="a")
    built.add_cloth(shapes.grid(0.6, 0.6, cells=8), area_density=0.2, position=(0, 0, 2), name="b")
    built.add_soft_solid(
        shapes.box_tets(0.2, 0.2, 0.2, cells=3),
        material=SolidMaterial(young=5e4, poisson=0.3, density=400.0, stiffness_damping=1e-3),
    )
    return built


def test_every_number_of_threads_assembles_the_same_system() -> None:
    sim = Simulation(scene(), dt=4e-3)
    model, state = sim._world.model, sim.state
    rng = np.random.default_rng(1)
    state.q[:] += 0.01 * rng.normal(size=state.q.shape)
    state.v[:] = rng.normal(size=state.v.shape)
    joined = {type(e).__name__: e for e in model.elements}
    assert {"Hinges", "Membrane", "Springs", "Tetrahedra"} <= set(joined)
    found = []
    for threads in (1, 2, 3, 8):
        with team.use_threads(threads):
            system = assemble(model, state, 4e-3)
        found.append((system.A.data.tobytes(), system.b.tobytes()))
    assert np.abs(system.b).max() > 0.0
    assert all(one == found[0] for one in found)
