"""What is refused before the first step, and when a state is set: one sentence that names the thing, value and remedy."""

from __future__ import annotations

import math

import numpy as np
import pytest

import signorini as sg


def sheet(*, cells=4, size=0.4, **kwargs):
    scene = sg.Scene()
    scene.add_cloth(sg.shapes.grid(size, size, cells=cells), name="sheet", **kwargs)
    return scene


def simulation(**kwargs):
    return sg.Simulation(sheet(**kwargs))


def test_an_empty_scene_has_nothing_to_simulate():
    with pytest.raises(sg.InputError, match="nothing to simulate: add a cloth"):
        sg.Simulation(sg.Scene())


def test_a_scene_of_obstacles_has_nothing_to_simulate():
    scene = sg.Scene()
    scene.add_ground()
    scene.add_kinematic(sg.shapes.sphere(0.1))
    with pytest.raises(sg.InputError, match="nothing to simulate"):
        sg.Simulation(scene)


@pytest.mark.parametrize("dt", [0.0, -1e-3, math.nan, math.inf, "fast", None])
def test_dt_must_be_positive(dt):
    with pytest.raises(sg.InputError, match="dt must be"):
        sg.Simulation(sheet(), dt=dt)


def test_nan_in_the_start_is_named():
    x = sg.shapes.grid(0.4, 0.4, cells=4).vertices.copy()
    x[7, 1] = math.nan
    with pytest.raises(sg.InputError, match=r"must be finite: 1 of 25 are not, the first is number 7"):
        sheet(initial_vertices=x)


def test_initial_vertices_of_another_mesh():
    with pytest.raises(sg.InputError, match=r"one row per vertex, got 36 for 25"):
        sheet(initial_vertices=sg.shapes.grid(0.4, 0.4, cells=5).vertices)


@pytest.mark.parametrize("height", [0.0, -0.1])
def test_vertices_on_or_below_the_ground_are_counted(height):
    scene = sheet(position=(0.0, 0.0, height))
    scene.add_ground(name="floor")
    with pytest.raises(sg.InputError, match=r"25 vertices start on or below 'floor', the first is vertex 0 of 'sheet'"):
        sg.Simulation(scene)


def test_only_the_vertices_below_a_tilted_ground_are_counted():
    """The plane x = 0 with the solid at x < 0: the columns at x = -0.2, -0.1 and 0 of the sheet are on or below it."""
    scene = sheet(position=(0.0, 0.0, 1.0))
    scene.add_ground(normal=(1.0, 0.0, 0.0), name="wall")
    with pytest.raises(sg.InputError, match=r"15 vertices start on or below 'wall'"):
        sg.Simulation(scene)


def crossing(angle=math.pi / 2.0):
    """A flat sheet and one that stands in it."""
    scene = sheet()
    scene.add_cloth(
        sg.shapes.grid(0.31, 0.23, cells=3), rotation=(angle, 0.0, 0.1), position=(0.02, 0.01, 0.02), name="upright"
    )
    return scene


def test_bodies_that_intersect_are_named_with_the_first_pairs_and_the_count():
    with pytest.raises(sg.InputError) as caught:
        sg.Simulation(crossing())
    message = str(caught.value)
    assert "the scene intersects at the start in " in message
    count = int(message.split("start in ")[1].split()[0])
    assert count > 3
    assert message.count("edge ") == 3, "three pairs are shown"
    assert ", ..." in message
    assert "'sheet'" in message
    assert "'upright'" in message
    assert message.count("\n") == 0


def test_a_mesh_that_intersects_itself_is_named():
    """The corner of a sheet folded through its middle: one body, and the vertices count within it."""
    mesh = sg.shapes.grid(0.4, 0.4, cells=4)
    x = mesh.vertices.copy()
    x[24] = (-0.13, -0.15, -0.05)
    x[[18, 19, 23], 2] += 0.05
    scene = sg.Scene()
    scene.add_cloth(sg.shapes.grid(0.1, 0.1, cells=1), position=(0.0, 0.0, 2.0), name="first")
    scene.add_cloth(mesh, initial_vertices=x, name="folded")
    with pytest.raises(sg.InputError, match=r"intersects at the start in \d+ places \(edge .* of 'folded'") as caught:
        sg.Simulation(scene)
    edges = str(caught.value).split("edge ")[1:]
    numbers = [int(n) for p in edges for n in p.split(" ")[0].split("-")]
    assert max(numbers) <= 24, "vertices are numbered within their body"
    assert any(24 in [int(n) for n in p.split(" ")[0].split("-")] for p in edges)


def test_a_cloth_through_an_obstacle():
    scene = sheet()
    scene.add_kinematic(sg.shapes.sphere(0.1, edge=0.05), name="ball")
    with pytest.raises(sg.InputError, match=r"intersects at the start .*'ball'"):
        sg.Simulation(scene)


def test_obstacles_may_pass_through_each_other():
    scene = sheet(position=(0.0, 0.0, 1.0))
    scene.add_kinematic(sg.shapes.sphere(0.1), name="one")
    scene.add_kinematic(sg.shapes.sphere(0.1), position=(0.05, 0.0, 0.0), name="two")
    scene.add_ground()
    assert sg.Simulation(scene).intersections() == 0


@pytest.mark.parametrize("axis", [(1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.3, -0.5, 0.9), (1.0, 1.0, 1.0)])
@pytest.mark.parametrize("cells", [8, 15, 19, 24, 33])
def test_a_flat_sheet_may_be_turned(axis, cells):
    """A flat sheet does not intersect itself however it is turned: the volumes that tell are then all rounding."""
    unit = np.array(axis) / np.linalg.norm(axis)
    for angle in (0.3, math.pi / 2.0, 2.0):
        assert simulation(cells=cells, rotation=tuple(angle * unit), position=(0.1, 0.2, 0.7)).intersections() == 0


def test_contact_distance_too_large_for_the_mesh():
    """Cells of 0.1 m: the height of their triangles is 0.1/√2 m, half of it 35 mm."""
    with pytest.raises(sg.InputError, match=r"contact_distance 0.04 m is too large for 'sheet'.*at most 0.0354 m"):
        sg.Simulation(sheet(), settings=sg.Settings(contact_distance=0.04))
    assert sg.Simulation(sheet(), settings=sg.Settings(contact_distance=0.035)).contact_distance == 0.035


def test_the_default_contact_distance_fits_the_mesh():
    """A tenth of the mean edge, at most a quarter of the least height."""
    sim = simulation(model="mass-spring")  # whose preset has no thickness
    mesh = sim.scene.bodies["sheet"].mesh
    corners = mesh.vertices[mesh.triangles]
    mean = np.linalg.norm(corners[:, [1, 2, 0]] - corners, axis=2).mean()
    assert sim.contact_distance == pytest.approx(0.1 * mean, rel=1e-12)
    assert sim.contact_distance < 0.25 * 0.1 / math.sqrt(2.0)


def test_setting_positions_that_intersect_is_refused_and_changes_nothing():
    scene = sheet()
    scene.add_cloth(sg.shapes.grid(0.4, 0.4, cells=3), position=(0.0, 0.0, 0.3), rotation=(0.0, 0.0, 0.1), name="upper")
    sim = sg.Simulation(scene)
    before = sim.state.q.copy()
    tilted = sim.bodies["upper"].positions - (0.0, 0.0, 0.3)
    tilted[:, 2] += 0.3 * tilted[:, 0] + 0.013
    with pytest.raises(sg.InputError, match="intersects"):
        sim.bodies["upper"].positions = tilted
    assert np.array_equal(sim.state.q, before)
    lifted = np.add(tilted, (0.0, 0.0, 0.2))
    sim.bodies["upper"].positions = lifted
    assert np.array_equal(sim.bodies["upper"].positions, lifted)
    assert np.array_equal(sim.bodies["sheet"].positions, before[:25])
    sim.step()


def test_setting_positions_below_the_ground_is_refused():
    scene = sheet(position=(0.0, 0.0, 0.5))
    scene.add_ground()
    sim = sg.Simulation(scene)
    with pytest.raises(sg.InputError, match="25 vertices start on or below 'ground'"):
        sim.bodies["sheet"].positions = sim.bodies["sheet"].positions - (0.0, 0.0, 0.5)


@pytest.mark.parametrize("what", ["positions", "velocities"])
@pytest.mark.parametrize(
    ("value", "message"),
    [
        (np.zeros((24, 3)), r"must have shape \(25, 3\), got \(24, 3\)"),
        (np.zeros((25, 2)), r"must have shape \(n, 3\)"),
        (np.zeros(75), r"must have shape \(n, 3\)"),
        (0.0, r"must have shape \(n, 3\)"),
        ("nowhere", "must be numbers"),
        (np.full((25, 3), math.nan), "must be finite: 25 of 25"),
    ],
    ids=["rows", "columns", "flat", "scalar", "text", "nan"],
)
def test_setting_the_wrong_shape_is_refused(what, value, message):
    sim = simulation()
    with pytest.raises(sg.InputError, match=f"{what} of 'sheet' {message}"):
        setattr(sim.bodies["sheet"], what, value)
    assert np.array_equal(sim.bodies["sheet"].positions, sim.scene.bodies["sheet"].positions)


def test_velocities_can_be_set_between_steps():
    """v = 1 m/s along x without gravity: the sheet moves by dt in one step."""
    scene = sg.Scene(gravity=(0.0, 0.0, 0.0))
    scene.add_cloth(sg.shapes.grid(0.4, 0.4, cells=4), name="sheet")
    sim = sg.Simulation(scene)
    sim.step()
    sim.bodies["sheet"].velocities = np.tile((1.0, 0.0, 0.0), (25, 1))
    before = sim.bodies["sheet"].positions
    sim.step()
    assert sim.bodies["sheet"].positions - before == pytest.approx(np.tile((sim.dt, 0.0, 0.0), (25, 1)), abs=1e-12)


@pytest.mark.parametrize("what", ["positions", "velocities"])
def test_kinematic_bodies_cannot_be_set(what):
    scene = sheet(position=(0.0, 0.0, 1.0))
    scene.add_kinematic(sg.shapes.sphere(0.1), name="ball")
    sim = sg.Simulation(scene)
    with pytest.raises(sg.InputError, match="kinematic body 'ball' come from its motion"):
        setattr(sim.bodies["ball"], what, sim.bodies["ball"].positions)


def test_contact_force_of_an_unknown_body_names_the_known_ones():
    with pytest.raises(sg.InputError, match="no body 'table'; there are sheet"):
        simulation().contact_force("table")
