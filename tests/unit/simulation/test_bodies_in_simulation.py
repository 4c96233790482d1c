"""Soft solids, rigid bodies and attachments through the public interface: handles, views, errors, checkpoints."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import signorini as sg
from signorini.errors import InputError
from signorini.geometry import tet_shapes
from signorini.geometry.lattice import lattice
from signorini.scene import motions

BOX = sg.shapes.box(0.1, 0.08, 0.06)


def mixed_scene() -> sg.Scene:
    """All kinds of bodies, one above the other."""
    scene = sg.Scene(friction=0.4)
    scene.add_ground(name="ground")
    scene.add_soft_solid(
        tet_shapes.box_tets(0.2, 0.2, 0.1, cells=2), position=(0, 0, 0.06), material="foam", name="foam"
    )
    ball = sg.shapes.sphere(0.05, edge=0.03)
    scene.add_soft_solid(
        lattice(ball, cell=0.05), surface=ball, material="gelatine", position=(0, 0, 0.18), name="ball"
    )
    scene.add_rigid(
        BOX, density=300.0, position=(0, 0, 0.29), rotation=(0.1, 0.2, 0.3), angular_velocity=(1, 2, 3), name="box"
    )
    scene.add_cloth(sg.shapes.grid(0.4, 0.4, cells=8), position=(0, 0, 0.42), model="mass-spring", name="sheet")
    scene.add_kinematic(BOX, position=(0.3, 0, 0.1), name="block")
    return scene


def hanging_scene(*, mass: float = 0.2) -> sg.Scene:
    """A kinematic beam, a strip of cloth that is attached to it, and a rigid weight attached to the strip."""
    scene = sg.Scene(gravity=(0.0, 0.0, -10.0))
    turning = motions.Rotate(rate=0.5, center=(0.0, 0.0, 1.0))
    scene.add_kinematic(sg.shapes.box(0.3, 0.3, 0.05), position=(0, 0, 1.0), motion=turning, name="beam")
    strip = scene.add_cloth(
        sg.shapes.grid(0.1, 0.3, cells=(2, 6)), rotation=(np.pi / 2, 0, 0), position=(0, 0, 0.8), name="strip"
    )
    scene.add_rigid(BOX, mass=mass, position=(0, 0, 0.61), name="weight")
    z = strip.positions[:, 2]
    scene.attach("strip", np.flatnonzero(z > z.max() - 1e-9), to="beam")
    scene.attach(strip, np.flatnonzero(z < z.min() + 1e-9), to="weight")
    return scene


def test_views_give_surfaces_and_nodes() -> None:
    scene = mixed_scene()
    sim = sg.Simulation(scene, dt=2e-3)
    kinds = {name: body.kind for name, body in sim.bodies.items()}
    assert kinds == {
        "sheet": "cloth", "foam": "soft_solid", "ball": "soft_solid", "box": "rigid", "block": "kinematic",
    }  # fmt: skip
    for name, body in sim.bodies.items():
        handle = scene.bodies[name]
        np.testing.assert_allclose(body.positions, handle.positions, atol=1e-14)
        assert len(body.positions) == body.triangles.max() + 1
    np.testing.assert_allclose(sim.bodies["box"].velocities, scene.bodies["box"].velocities, atol=1e-14)
    assert len(sim.bodies["ball"].node_positions) == len(scene.bodies["ball"].tets.vertices)
    assert len(sim.bodies["box"].node_positions) == 0
    assert not sim.bodies["block"].velocities.any()


def test_masses_are_those_of_the_shapes() -> None:
    sim = sg.Simulation(mixed_scene(), dt=2e-3)
    model = sim._world.model
    mass = {name: model.mass[slot.nodes].sum() for name, slot in model.bodies.items()}
    assert mass["foam"] == pytest.approx(40.0 * 0.2 * 0.2 * 0.1)
    assert mass["box"] == pytest.approx(300.0 * 0.1 * 0.08 * 0.06)
    ball = sg.shapes.sphere(0.05, edge=0.03)
    volume = np.linalg.det(ball.vertices[ball.triangles]).sum() / 6.0
    assert mass["ball"] == pytest.approx(1030.0 * volume, rel=0.02)  # the cage is filled in part, by sampling


def test_all_kinds_fall_onto_each_other_without_intersection() -> None:
    sim = sg.Simulation(mixed_scene(), dt=4e-3)
    for _ in range(100):
        report = sim.step()
        assert report.failsafe_substeps == 0
    assert sim.intersections() == 0
    touching = {frozenset((c.body_a, c.body_b)) for c in sim.contacts()}
    assert {frozenset(p) for p in (("foam", "ground"), ("ball", "foam"), ("box", "ball"), ("sheet", "box"))} <= touching
    assert report.elastic_energy > 0.0


def test_a_checkpoint_continues_bit_by_bit() -> None:
    one, other = (sg.Simulation(mixed_scene(), dt=4e-3) for _ in range(2))
    for _ in range(30):
        one.step()
    other.restore(one.checkpoint())
    for _ in range(20):
        one.step()
        other.step()
    for name in ("q", "v", "rotations"):
        assert np.array_equal(getattr(one.state, name), getattr(other.state, name))


def test_the_pose_of_a_rigid_body_can_be_set() -> None:
    scene = mixed_scene()
    sim = sg.Simulation(scene, dt=2e-3)
    box = sim.bodies["box"]
    assert isinstance(box, sg.RigidView)
    pose = np.eye(4)
    pose[:3, :3] = Rotation.from_rotvec((0.5, -1.0, 0.2)).as_matrix()
    pose[:3, 3] = (1.0, 2.0, 3.0)
    box.pose = pose
    np.testing.assert_allclose(box.pose, pose, atol=1e-14)
    np.testing.assert_allclose(box.positions, BOX.vertices @ pose[:3, :3].T + pose[:3, 3], atol=1e-14)
    box.velocity, box.angular_velocity = (1.0, 0.0, 0.0), (0.0, 0.0, 2.0)
    expected = np.array([1.0, 0.0, 0.0]) + np.cross((0.0, 0.0, 2.0), box.positions - box.center)
    np.testing.assert_allclose(box.velocities, expected, atol=1e-14)
    box.rotation = (0.0, 0.0, 0.0)
    np.testing.assert_allclose(box.positions, BOX.vertices + box.center, atol=1e-14)
    box.center = (0.0, 0.0, 5.0)
    np.testing.assert_allclose(box.positions.mean(axis=0), (0.0, 0.0, 5.0), atol=1e-14)
    scaled = pose.copy()
    scaled[:3, :3] *= 2.0
    for bad in (np.eye(3), scaled, np.full((4, 4), np.nan)):
        with pytest.raises(InputError, match="pose of 'box'"):
            box.pose = bad
    for what in ("positions", "velocities"):
        with pytest.raises(InputError, match="'box' cannot be set"):
            setattr(box, what, np.zeros((8, 3)))
        with pytest.raises(InputError, match=f"set node_{what}"):
            setattr(sim.bodies["foam"], what, np.zeros((8, 3)))


def test_nodes_of_a_solid_can_be_set() -> None:
    sim = sg.Simulation(mixed_scene(), dt=2e-3)
    ball = sim.bodies["ball"]
    before = ball.positions
    ball.node_positions = ball.node_positions + np.array([0.5, 0.0, 0.0])
    ball.node_velocities = np.tile([0.0, 1.0, 0.0], (len(ball.node_positions), 1))
    np.testing.assert_allclose(ball.positions, before + np.array([0.5, 0.0, 0.0]), atol=1e-14)
    np.testing.assert_allclose(ball.velocities, np.tile([0.0, 1.0, 0.0], (len(before), 1)), atol=1e-14)


@pytest.mark.parametrize("embedded", [False, True])
def test_a_solid_starts_spinning_about_its_centre_of_mass(embedded: bool) -> None:
    scene = sg.Scene()
    surface = sg.shapes.cylinder(0.05, 0.2, edge=0.04)
    tets = lattice(surface, cell=0.06) if embedded else tet_shapes.cylinder_tets(0.05, 0.2, edge=0.04)
    scene.add_soft_solid(
        tets, surface=surface if embedded else None, position=(1, 2, 3), rotation=(0.3, 0, 0), velocity=(1, 0, 0),
        angular_velocity=(3, -4, 5), name="roll",
    )  # fmt: skip
    sim = sg.Simulation(scene, dt=1e-3)
    m, q, v = sim._world.model.mass, sim.state.q, sim.state.v
    np.testing.assert_allclose(m @ v / m.sum(), [1.0, 0.0, 0.0], atol=1e-12)
    np.testing.assert_allclose(v - [1.0, 0.0, 0.0], np.cross([3.0, -4.0, 5.0], q - m @ q / m.sum()), atol=1e-12)
    with pytest.raises(InputError, match="angular_velocity"):
        scene.add_soft_solid(tets, angular_velocity=(1, 2))  # type: ignore[arg-type]


def test_attached_vertices_follow_exactly_and_the_forces_balance() -> None:
    """At rest the beam carries strip and weight (damped by many steps), and the strip pulls at the weight with its weight."""
    sim = sg.Simulation(hanging_scene(), dt=4e-3)
    model = sim._world.model
    rest = sim.bodies["weight"]
    low = model.attachments.nodes
    for _ in range(800):
        sim.step()
    assert isinstance(rest, sg.RigidView)
    where = rest.center + Rotation.from_rotvec(rest.rotation).apply(model.attachments.rest_arms)
    np.testing.assert_allclose(sim.state.q[low], where, atol=1e-13)
    nodes, targets = model.pinned(sim.time)
    np.testing.assert_allclose(sim.state.q[nodes], targets, atol=1e-12)
    turned = Rotation.from_rotvec((0.0, 0.0, 0.5 * sim.time))
    start = hanging_scene().bodies["strip"].positions[nodes]
    centre = np.array([0.0, 0.0, 1.0])
    np.testing.assert_allclose(targets, turned.apply(start - centre) + centre, atol=1e-9)
    cloth = model.mass[model.bodies["strip"].nodes]
    free_cloth = cloth.sum() - cloth[low].sum()
    on_strip = sim.attachment_force("strip", "weight")
    assert -on_strip[2] == pytest.approx(10.0 * 0.2, rel=0.02)
    assert sim.attachment_force("strip", "beam")[2] == pytest.approx(10.0 * (0.2 + cloth.sum()), rel=0.02)
    assert sim.attachment_force("strip")[2] == pytest.approx(10.0 * cloth.sum(), abs=0.1 * 10.0 * free_cloth)


def test_a_pinned_solid_hangs_from_its_pins() -> None:
    scene = sg.Scene(gravity=(0.0, 0.0, -10.0))
    bar = scene.add_soft_solid(
        tet_shapes.box_tets(0.1, 0.1, 0.3, cells=(1, 1, 3)),
        young=1e5,
        stiffness_damping=0.05,
        density=500.0,
        name="bar",
    )
    z = bar.node_positions[:, 2]
    bar.pin(np.flatnonzero(z > z.max() - 1e-9))
    sim = sg.Simulation(scene, dt=1e-2)
    for _ in range(200):
        sim.step()
    np.testing.assert_allclose(sim.pin_force("bar"), (0.0, 0.0, 10.0 * 500.0 * 0.003), atol=0.01 * 15.0)
    with pytest.raises(InputError, match="not attached"):
        sim.attachment_force("bar")


def test_the_pull_of_cloth_turns_a_rigid_body() -> None:
    """A weight attached off its centre ends with its centre of mass below the strip, within a degree or so."""
    scene = sg.Scene(gravity=(0.0, 0.0, -10.0))
    strip = scene.add_cloth(
        sg.shapes.grid(0.02, 0.3, cells=(1, 10)),
        rotation=(np.pi / 2, 0, 0),
        position=(0, 0, 0.8),
        model="mass-spring",
        name="strip",
    )
    scene.add_rigid(BOX, mass=0.05, position=(0.04, 0, 0.61), name="weight")
    z = strip.positions[:, 2]
    strip.pin(np.flatnonzero(z > z.max() - 1e-9))
    scene.attach(strip, np.flatnonzero(z < z.min() + 1e-9), to="weight")
    sim = sg.Simulation(scene, dt=4e-3)
    highest = max(sim.step().total_energy for _ in range(10))
    for _ in range(990):
        assert sim.step().total_energy < highest + 1e-3
    weight = sim.bodies["weight"]
    assert isinstance(weight, sg.RigidView)
    assert np.linalg.norm(weight.rotation) > 0.5
    bottom = sim.state.q[sim._world.model.attachments.nodes].mean(axis=0)
    offset = weight.center - bottom
    assert np.linalg.norm(offset[:2]) < 0.35 * abs(offset[2])


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda s: s.add_rigid(BOX), "needs either its density"),
        (lambda s: s.add_rigid(BOX, density=1.0, mass=1.0), "needs either its density"),
        (lambda s: s.add_rigid(BOX, mass=-1.0), "mass of rigid body"),
        (lambda s: s.add_rigid(sg.shapes.grid(1, 1, cells=2), density=1.0), "must be closed"),
        (lambda s: s.add_soft_solid(BOX), "must be a signorini.TetMesh"),
        (lambda s: s.add_soft_solid(tet_shapes.box_tets(1, 1, 1), poisson=0.5), "poisson must be"),
        (lambda s: s.add_soft_solid(tet_shapes.box_tets(1, 1, 1), surface=sg.shapes.box(2, 2, 2)), "lie outside"),
        (lambda s: s.attach("sheet", [0], to="ground"), "must be a kinematic or rigid body"),
        (lambda s: s.attach("box", [0], to="block"), "must be a cloth, a rod or a soft solid"),
        (lambda s: s.attach("sheet", [999], to="box"), "vertex 999 does not exist"),
        (lambda s: s.attach("nobody", [0], to="box"), "there is no body 'nobody'"),
        (
            lambda s: (s.attach("sheet", [0, 1], to="box"), s.attach("sheet", [1], to="block")),
            "attached to 'box' already",
        ),
        (
            lambda s: (s.bodies["sheet"].pin([3]), s.attach("sheet", [3], to="box"), sg.Simulation(s)),
            "pinned and attached",
        ),
    ],
)
def test_bad_input_is_one_sentence(call, message) -> None:
    with pytest.raises(InputError, match=message) as caught:
        call(mixed_scene())
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("inner", ["rigid", "cloth", "soft_solid"])
@pytest.mark.parametrize("outer", ["rigid", "soft_solid"])
def test_a_body_inside_a_solid_one_is_an_overlap(outer: str, inner: str) -> None:
    scene = sg.Scene()
    if outer == "rigid":
        scene.add_rigid(sg.shapes.box(1.0, 1.0, 1.0), density=1.0, name="outer")
    else:
        scene.add_soft_solid(tet_shapes.box_tets(1.0, 1.0, 1.0), name="outer")
    if inner == "rigid":
        scene.add_rigid(BOX, density=1.0, name="inner")
    elif inner == "cloth":
        scene.add_cloth(sg.shapes.grid(0.1, 0.1, cells=2), name="inner")
    else:
        scene.add_soft_solid(tet_shapes.box_tets(0.1, 0.1, 0.1), name="inner")
    with pytest.raises(InputError, match="'inner' starts inside 'outer', which is solid"):
        sg.Simulation(scene)


def test_a_body_in_a_hollow_kinematic_container_is_fine() -> None:
    scene = sg.Scene()
    scene.add_kinematic(sg.shapes.box(1.0, 1.0, 1.0, cells=2), name="container", hollow=True)
    scene.add_rigid(BOX, density=100.0, name="inner")
    sim = sg.Simulation(scene, dt=4e-3)
    for _ in range(120):
        sim.step()
    assert sim.intersections() == 0
    assert sim.bodies["inner"].positions[:, 2].min() == pytest.approx(-0.5 + sim.contact_distance, abs=1e-3)


def test_overlapping_rigid_bodies_are_named() -> None:
    scene = sg.Scene()
    scene.add_rigid(BOX, density=1.0, name="a")
    scene.add_rigid(BOX, density=1.0, position=(0.05, 0.03, 0.03), rotation=(0.2, 0.1, 0.4), name="b")
    with pytest.raises(InputError, match="intersects at the start"):
        sg.Simulation(scene)
