"""Calm motions: what moves only a part of the way gains nothing by that."""

from __future__ import annotations

import numpy as np
import pytest

import signorini as sg
from signorini.geometry.tet_shapes import box_tets
from signorini.methods.failsafes import calm_motion
from signorini.methods.report import Tally


@pytest.mark.parametrize("part", [0.0, 2.0**-8])
def test_a_stretched_body_that_hardly_moves_keeps_its_energy(part: float, monkeypatch: pytest.MonkeyPatch) -> None:
    """The velocity of the whole step was added to a body that did not move: its strain was paid twice (random scene 76)."""
    scene = sg.Scene(gravity=(0.0, 0.0, -9.81))
    scene.add_soft_solid(
        box_tets(0.1, 0.1, 0.1, cells=2), density=1000.0, young=1e4, angular_velocity=(0, 0, 9.0), name="a"
    )
    sim = sg.Simulation(scene, dt=0.02)
    saved = sim.checkpoint()
    saved["q"] = saved["q"] * np.array([1.3, 1.0, 1.0])
    sim.restore(saved)
    world, start = sim._world, sim._moment
    monkeypatch.setattr(calm_motion, "PARTS", (part,))
    grown = world.parts.movable.copy()
    end, _, balances = calm_motion.calm_step(world, start, 0.02, start.state.v, grown, Tally(), part=0.0)
    assert end is not None
    assert balances is not None
    before = start.body_energies(world)
    strain = float(before.elastic.sum())
    assert strain > 0.1
    assert float(balances.surplus.sum()) < 2.0 * part * strain + 1e-12


def test_the_largest_part_of_a_response_whose_energy_does_not_grow_is_taken() -> None:
    """A stretched body is taken past its rest shape, to a larger stretch the other way: half of that leads near rest."""
    scene = sg.Scene(gravity=(0.0, 0.0, 0.0))
    cube = box_tets(0.1, 0.1, 0.1, cells=2)
    scene.add_soft_solid(cube, density=1000.0, young=1e4, poisson=0.0, name="a")
    sim = sg.Simulation(scene, dt=0.02)
    saved, rest = sim.checkpoint(), sim.state.q.copy()
    stretched = rest * np.array([1.1, 1.0, 1.0])
    saved["q"] = stretched
    sim.restore(saved)
    world, start = sim._world, sim._moment
    velocity = 2.2 * (rest - stretched) / 0.02
    grown = world.parts.movable.copy()
    ends = [
        calm_motion.calm_step(world, start, 0.02, velocity, grown, Tally(), part=0.0, response=response)[0]
        for response in (velocity, None)
    ]
    assert ends[0] is not None
    np.testing.assert_allclose(ends[0].state.q, stretched + 0.5 * 0.02 * velocity, atol=1e-12)
    np.testing.assert_allclose(ends[0].state.v, 0.5 * velocity, atol=1e-9)
    energies = [float(sum(one.sum() for one in moment.body_energies(world))) for moment in (start, ends[0])]
    assert energies[1] < energies[0]
    assert ends[1] is not None
    assert not np.allclose(ends[1].state.q, ends[0].state.q, atol=1e-5)


@pytest.mark.parametrize("part", [0.0, 0.25])
def test_a_part_of_the_motion_of_a_spinning_rigid_body_has_its_energy(
    part: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Angular velocities between those of two directions of its axes: 53 J became 1.5e8 in four sub-steps (random scene 35)."""
    scene = sg.Scene(gravity=(0.0, 0.0, 0.0))
    scene.add_rigid(sg.shapes.box(0.3, 0.1, 0.02), mass=1e-3, angular_velocity=(300, 200, 100), name="plate")
    sim = sg.Simulation(scene, dt=5e-3)
    world, start = sim._world, sim._moment
    monkeypatch.setattr(calm_motion, "PARTS", (part,))
    grown = world.parts.movable.copy()
    end, _, _ = calm_motion.calm_step(world, start, 5e-3, start.state.v, grown, Tally(), part=0.0)
    assert end is not None
    before, after = (float(moment.body_energies(world).kinetic.sum()) for moment in (start, end))
    assert after < 1.001 * before
