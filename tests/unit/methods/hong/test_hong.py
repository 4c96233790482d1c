"""The explicit method as a whole: order, weight, momentum, scripts and pins, what it refuses, and bit-by-bit repetition."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import signorini as sg
from signorini.scene.solid_material import SolidMaterial
from signorini.settings import HongSettings, Settings

HONG = Settings(method="hong")
JELLY = SolidMaterial(young=2e4, poisson=0.4, density=1000.0, model="neo-hookean")


def block(scene: sg.Scene, name: str = "block", *, material: SolidMaterial = JELLY, cells: int = 2, **options):
    return scene.add_soft_solid(sg.shapes.box_tets(0.1, 0.1, 0.1, cells=cells), material=material, name=name, **options)


def test_a_vibrating_body_converges_with_fourth_order():
    """The error after 0.02 s falls by 16 when the steps are halved: Runge-Kutta 4, with the steps set by dt alone."""
    ends = []
    for steps in (40, 80, 160, 320):
        scene = sg.Scene(gravity=(0.0, 0.0, 0.0))
        block(scene, material=replace(JELLY, stiffness_damping=1e-4))
        sim = sg.Simulation(scene, dt=0.02 / steps, settings=replace(HONG, hong=HongSettings(step_tolerance=1.0)))
        view = sim.bodies["block"]
        view.node_velocities = view.node_velocities + 5.0 * view.node_positions * [1.0, -0.5, 0.3]
        reports = [sim.step() for _ in range(steps)]
        assert all(r.substeps == 1 for r in reports)
        ends.append(sim.state.q)
    errors = [np.abs(q - ends[-1]).max() for q in ends[:-1]]
    assert errors[0] < 1e-4
    # The reference is itself 1/16 as good as the last: 17 and 17 instead of 16 within a few per cent.
    assert np.log2(errors[0] / errors[1]) == pytest.approx(4.0, abs=0.25)
    assert np.log2(errors[1] / errors[2]) == pytest.approx(4.1, abs=0.25)


def test_the_adaptive_step_keeps_the_error():
    """The estimate of every step is below the tolerance, and a smaller tolerance makes smaller errors."""
    ends, substeps = [], []
    for tolerance in (1e-4, 1e-6, 1e-8, 1e-10):
        scene = sg.Scene(gravity=(0.0, 0.0, 0.0))
        block(scene)
        sim = sg.Simulation(scene, dt=0.01, settings=replace(HONG, hong=HongSettings(step_tolerance=tolerance)))
        view = sim.bodies["block"]
        view.node_velocities = view.node_velocities + 10.0 * view.node_positions * [1.0, -0.5, 0.3]
        reports = [sim.step() for _ in range(3)]
        ends.append(sim.state.q)
        substeps.append(sum(r.substeps for r in reports))
    errors = [np.abs(q - ends[-1]).max() for q in ends[:-1]]
    assert substeps == sorted(substeps) and substeps[-1] > 4 * substeps[0]
    assert errors[2] < errors[1] < errors[0] < 1e-4 * 0.1


@pytest.mark.parametrize("model", ["neo-hookean", "corotational"])
def test_a_resting_block_is_carried_with_its_weight(model):
    scene = sg.Scene(friction=0.0)
    block(
        scene,
        position=(0.0, 0.0, 0.0501),
        material=replace(JELLY, model=model, mass_damping=30.0, stiffness_damping=1e-3),
    )
    scene.add_ground()
    sim = sg.Simulation(scene, dt=0.01, settings=HONG)
    reports = [sim.step() for _ in range(60)]
    weight = 9.81 * 1000.0 * 0.1**3
    assert sim.contact_force("block") == pytest.approx([0.0, 0.0, weight], abs=2e-3 * weight)
    assert sim.contact_force("ground") == pytest.approx([0.0, 0.0, -weight], abs=2e-3 * weight)
    assert sum(c.normal_force for c in sim.contacts()) == pytest.approx(weight, rel=2e-3)
    last, size = reports[-1], 0.0491  # of an element: eight cells of six tetrahedra
    assert last.contact_count == last.active_count == 9
    assert -1e-3 * size <= last.min_distance <= 1e-3 * size
    assert last.status is sg.StepStatus.UNCERTIFIED
    assert last.penetration_residual < 1e-6 and last.complementarity_residual < 1e-12
    assert last.solves == last.solves_converged > 0


def test_a_surface_inside_a_lattice_rests_on_the_ground_too():
    """The vertices of the contacts are means of nodes; the resultant is still the weight."""
    scene = sg.Scene(friction=0.0)
    ball = sg.shapes.sphere(0.05, subdivisions=4)
    cage = sg.shapes.lattice(ball, cell=0.04)
    material = replace(JELLY, mass_damping=30.0, stiffness_damping=1e-3)
    scene.add_soft_solid(cage, surface=ball, material=material, position=(0.0, 0.0, 0.0501), name="ball")
    scene.add_ground()
    sim = sg.Simulation(scene, dt=0.01, settings=HONG)
    for _ in range(60):
        sim.step()
    weight = 9.81 * sim._world.model.mass.sum()
    assert sim.contact_force("ball") == pytest.approx([0.0, 0.0, weight], abs=0.02 * weight)
    assert sim.bodies["ball"].positions[:, 2].min() > -1e-3 * 0.04


def falling_pair(*, edges: bool = False) -> sg.Simulation:
    scene = sg.Scene(gravity=(0.0, 0.0, 0.0))
    block(scene, "slow", cells=2)
    block(scene, "fast", cells=3, position=(0.02, 0.03, 0.125), velocity=(0.3, 0.0, -1.0), rotation=(0.2, 0.1, 0.0))
    return sg.Simulation(scene, dt=2e-3, settings=replace(HONG, hong=HongSettings(edge_contacts=edges)))


@pytest.mark.parametrize("edges", [False, True])
def test_a_free_collision_keeps_momentum_and_takes_energy(edges):
    sim = falling_pair(edges=edges)
    mass = sim._world.model.mass
    momentum, spin = mass @ sim.state.v, (mass[:, None] * np.cross(sim.state.q, sim.state.v)).sum(axis=0)
    start = sim._world.model.mass @ (sim.state.v**2).sum(axis=1) / 2.0
    reports = [sim.step() for _ in range(100)]
    assert max(r.active_count for r in reports) >= (1 if edges else 2)
    assert reports[-1].contact_count == 0, "they have parted"
    assert mass @ sim.state.v == pytest.approx(momentum, abs=1e-10)
    turned = (mass[:, None] * np.cross(sim.state.q, sim.state.v)).sum(axis=0)
    assert turned == pytest.approx(spin, abs=0.01 * np.abs(momentum).max() * 0.1), (
        "but for moves and interpolated forces"
    )
    energies = [r.total_energy for r in reports]
    assert max(energies) < 1.001 * start
    assert sim.bodies["slow"].velocities[:, 2].mean() < -0.2, "it was pushed down"


def test_scripted_bodies_push_and_pins_hold():
    """A kinematic plate lifts the free end of a pinned beam; pinned nodes stay, the plate is not entered."""
    scene = sg.Scene(gravity=(0.0, 0.0, -9.81))
    mesh = sg.shapes.box_tets(0.3, 0.05, 0.05, cells=(6, 1, 1))
    beam = scene.add_soft_solid(
        mesh, material=replace(JELLY, young=2e5, stiffness_damping=5e-4, mass_damping=20.0), name="beam"
    )
    fixed = np.flatnonzero(mesh.vertices[:, 0] < -0.149)
    beam.pin(fixed)
    lift = sg.motions.Keyframes(times=(0.0, 0.2), translations=((0.0, 0.0, 0.0), (0.0, 0.0, 0.04)))
    scene.add_kinematic(sg.shapes.box(0.1, 0.2, 0.02, cells=2), position=(0.12, 0.0, -0.045), motion=lift, name="plate")
    sim = sg.Simulation(scene, dt=5e-3, settings=HONG)
    start = sim.bodies["beam"].node_positions
    for _ in range(100):
        sim.step()
    now = sim.bodies["beam"].node_positions
    assert now[fixed] == pytest.approx(start[fixed], abs=1e-12)
    assert sim.contact_force("beam")[2] > 0.1
    right = now[mesh.vertices[:, 0] > 0.1]
    plate_top = sim.bodies["plate"].positions[:, 2].max()
    assert right[:, 2].min() > plate_top - 1e-3 * 0.05
    assert right[:, 2].max() > start[:, 2].max() + 0.003
    weight = 9.81 * sim._world.model.mass.sum()
    assert sim.pin_force("beam")[2] + sim.contact_force("beam")[2] == pytest.approx(weight, rel=0.01), "at rest"


@pytest.mark.parametrize("edges", [False, True])
def test_the_same_run_twice_is_the_same_bit_by_bit_also_from_a_checkpoint(edges):
    first, second, third = (falling_pair(edges=edges) for _ in range(3))
    for _ in range(14):
        first.step()
    assert first.contacts(), "the checkpoint is made in contact"
    saved = first.checkpoint()
    for _ in range(10):
        first.step()
    for _ in range(24):
        second.step()
    assert (first.state.q == second.state.q).all() and (first.state.v == second.state.v).all()
    third.restore(saved)
    for _ in range(10):
        third.step()
    assert (first.state.q == third.state.q).all() and (first.state.v == third.state.v).all()


@pytest.mark.parametrize("kind", ["cloth", "rigid"])
def test_what_the_method_cannot_simulate_is_refused_by_name(kind):
    scene = sg.Scene()
    block(scene, position=(0.0, 0.0, 1.0))
    if kind == "cloth":
        scene.add_cloth(sg.shapes.grid(0.5, 0.5, cells=2), area_density=0.2, name="sheet", position=(0.0, 0.0, 2.0))
    else:
        scene.add_rigid(sg.shapes.box(0.1, 0.1, 0.1), density=1000.0, name="sheet", position=(0.0, 0.0, 2.0))
    with pytest.raises(sg.InputError, match=rf"method 'hong' cannot move 'sheet' \({kind}\): .* use another method"):
        sg.Simulation(scene, settings=HONG)


def test_open_and_hollow_scripted_bodies_are_refused():
    scene = sg.Scene()
    block(scene)
    scene.add_kinematic(sg.shapes.grid(0.5, 0.5, cells=2), position=(0.0, 0.0, -0.2), name="sheet")
    with pytest.raises(sg.InputError, match=r"surface of 'sheet' is not closed: close it"):
        sg.Simulation(scene, settings=HONG)
    scene = sg.Scene()
    block(scene)
    scene.add_kinematic(sg.shapes.box(0.101, 0.101, 0.101, cells=2), name="case")
    with pytest.raises(sg.InputError, match=r"'(block|case)' starts inside '(case|block)'"):
        sg.Simulation(scene, settings=HONG)


def test_a_material_that_needs_too_many_steps_is_told():
    scene = sg.Scene()
    block(scene, position=(0.0, 0.0, 1.0), material=replace(JELLY, young=1e9, stiffness_damping=0.1))
    sim = sg.Simulation(scene, dt=1e-2, settings=HONG)
    with pytest.raises(
        sg.SimulationStoppedError, match=r"method 'hong' needs steps of .* s, more than 100000 for dt = 0.01 s"
    ):
        sim.step()


@pytest.mark.parametrize(
    ("field", "value"),
    [("tolerance", 0.0), ("step_tolerance", -1.0), ("max_substeps", 0), ("max_substeps", 1.5), ("edge_contacts", 1)],
)
def test_bad_settings_are_named(field, value):
    with pytest.raises(sg.InputError, match=f"hong {field} must be"):
        HongSettings(**{field: value})
