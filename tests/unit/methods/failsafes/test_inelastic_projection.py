"""Inelastic projection: the smallest change of velocity that stops all impacts, however redundant they are."""

from __future__ import annotations

import clarabel
import numpy as np
import pytest
import scipy.sparse as sp

import signorini as sg
from reference.ipc_check import IpcCheck
from signorini.contact.frames import ContactJacobian
from signorini.geometry.tet_shapes import box_tets
from signorini.methods.failsafes import inelastic_projection
from signorini.methods.failsafes.inelastic_projection import apply_inelastic_projection, project_velocity
from signorini.methods.report import Tally
from support.crowded_scenes import pinched_in_one_step


def random_problem(seed, *, nodes=12, contacts=20, copies=0):
    """Normal rows between random nodes with random mass blocks; `copies` of them come again, some the other way round."""
    rng = np.random.default_rng(seed)
    members = np.array([rng.choice(nodes, 4, replace=False) for _ in range(contacts)])
    rows = rng.standard_normal((contacts, 4, 3))
    u = rng.standard_normal(contacts)
    again = rng.integers(0, contacts, size=copies)
    sign = rng.choice([-1.0, 1.0], size=copies)
    members = np.concatenate([members, members[again]])
    rows = np.concatenate([rows, sign[:, None, None] * rows[again]])
    u = np.concatenate([u, sign * u[again]])
    m = len(u)
    blocks = np.zeros((4 * m, 3, 3))
    blocks[:, 0] = rows.reshape(-1, 3)
    free = np.zeros((m, 3))
    free[:, 0] = u
    indptr = np.arange(0, 4 * m + 1, 4, dtype=np.int32)
    J = ContactJacobian(np.zeros((m, 3, 3)), free, indptr, members.ravel().astype(np.int32), blocks)
    root = rng.standard_normal((nodes, 3, 3)) + 2.0 * np.eye(3)
    return J, 10.0 ** rng.uniform(-2, 2, size=(nodes, 1, 1)) * (root @ root.transpose(0, 2, 1))


def dense(J, mass_inverse):
    """The normal Jacobian (m, 3n), the mass matrix (3n, 3n) and the velocities (m,)."""
    n, m = len(mass_inverse), len(J.indptr) - 1
    rows, M = np.zeros((m, 3 * n)), np.zeros((3 * n, 3 * n))
    for c in range(m):
        for k in range(J.indptr[c], J.indptr[c + 1]):
            rows[c, 3 * J.nodes[k] : 3 * J.nodes[k] + 3] += J.blocks[k, 0]
    for i in range(n):
        M[3 * i : 3 * i + 3, 3 * i : 3 * i + 3] = np.linalg.inv(mass_inverse[i])
    return rows, M, J.free_velocity[:, 0]


def solve_kkt(rows, M, u):
    """[M J'; J 0] [dv; p] = [0; -u] in least squares."""
    n, m = M.shape[0], len(u)
    scale = 1.0 / np.trace(M) * n
    K = np.block([[M * scale, rows.T], [rows, np.zeros((m, m))]])
    return np.linalg.lstsq(K, np.concatenate([np.zeros(n), -u]), rcond=1e-13)[0][:n]


@pytest.mark.parametrize("copies", [0, 15])
@pytest.mark.parametrize("seed", range(6))
def test_it_is_the_minimiser_of_the_dense_system(seed, copies):
    """Against the dense optimality system, with and without redundant impacts."""
    J, mass_inverse = random_problem(seed, copies=copies)
    projection = project_velocity(J, mass_inverse)
    rows, M, u = dense(J, mass_inverse)
    assert projection.feasible
    expected = solve_kkt(rows, M, u)
    np.testing.assert_allclose(projection.dv.ravel(), expected, atol=1e-8 * np.abs(expected).max())
    assert np.abs(rows @ projection.dv.ravel() + u).max() == pytest.approx(projection.residual, abs=1e-9)
    assert projection.residual < 1e-10


@pytest.mark.parametrize("seed", range(4))
def test_clarabel_agrees(seed):
    """An interior-point method on the same quadratic program with redundant equations."""
    J, mass_inverse = random_problem(seed, copies=10)
    rows, M, u = dense(J, mass_inverse)
    scale = 1.0 / M.diagonal().mean()
    options = clarabel.DefaultSettings()
    options.verbose = False
    options.tol_gap_abs = options.tol_gap_rel = options.tol_feas = 1e-11
    upper, A = sp.triu(sp.csc_matrix(scale * M)).tocsc(), sp.csc_matrix(rows)
    solution = clarabel.DefaultSolver(upper, np.zeros(len(M)), A, -u, [clarabel.ZeroConeT(len(u))], options).solve()
    assert str(solution.status) in ("Solved", "AlmostSolved")
    expected = np.array(solution.x)
    found = project_velocity(J, mass_inverse).dv.ravel()
    np.testing.assert_allclose(found, expected, atol=1e-6 * np.abs(expected).max())
    assert found @ M @ found <= expected @ M @ expected * (1.0 + 1e-8)


def test_contradicting_impacts_are_infeasible():
    """The same row with another velocity cannot be stopped as well; neither can an impact in which nothing may move."""
    J, mass_inverse = random_problem(1, copies=3)
    J.free_velocity[-1, 0] += 0.5
    projection = project_velocity(J, mass_inverse)
    assert not projection.feasible
    assert projection.residual > 0.1
    J, mass_inverse = random_problem(1)
    J.blocks[J.indptr[4] : J.indptr[5]] = 0.0
    assert not project_velocity(J, mass_inverse).feasible
    J.free_velocity[4] = 0.0
    assert project_velocity(J, mass_inverse).feasible


def test_a_sheet_slides_on_the_ground():
    """What flies into the ground at an angle loses its normal velocity and nothing else."""
    scene = sg.Scene(gravity=(0.0, 0.0, 0.0))
    scene.add_ground()
    mesh = sg.shapes.grid(0.2, 0.2, cells=4)
    scene.add_cloth(mesh, position=(0.0, 0.0, 0.02), velocity=(1.0, 0.5, -5.0), name="hits")
    sim = sg.Simulation(scene, dt=5e-3)
    moment, impacts = apply_inelastic_projection(sim._world, sim._moment, sim.dt, sim.state.v, Tally())
    assert len(impacts.contacts) == 25
    assert moment is not None
    np.testing.assert_allclose(moment.state.v, np.tile([1.0, 0.5, 0.0], (25, 1)), atol=1e-12)
    np.testing.assert_allclose(moment.state.q, sim.state.q + sim.dt * moment.state.v, atol=1e-15)


def test_bodies_of_all_kinds_end_free_with_the_same_momentum():
    """Sheets, a soft and a spinning rigid box fly into each other: a free chord by ipctk, P kept, energy not raised."""
    scene = sg.Scene(gravity=(0.0, 0.0, 0.0))
    scene.add_cloth(sg.shapes.grid(0.3, 0.3, cells=6), velocity=(0.0, 0.0, 8.0), name="low")
    place = {"position": (0.02, 0.01, 0.05), "rotation": (0.1, 0.2, 0.3)}
    scene.add_cloth(sg.shapes.grid(0.3, 0.3, cells=6), velocity=(0.5, 0.0, -8.0), name="high", **place)
    scene.add_soft_solid(
        box_tets(0.15, 0.1, 0.06, cells=2), material="foam", position=(0, 0, 0.17), velocity=(0, 0, -9), name="foam"
    )
    box = sg.shapes.box(0.15, 0.1, 0.06, cells=2)
    spin = {"angular_velocity": (3.0, 9.0, 2.0), "velocity": (0.0, 0.0, -12.0)}
    scene.add_rigid(box, density=300.0, position=(0.02, 0, 0.26), name="box", **spin)
    scene.add_cloth(sg.shapes.grid(0.3, 0.3, cells=6), position=(5, 0, 0), velocity=(1.0, 2.0, 3.0), name="far")
    sim = sg.Simulation(scene, dt=5e-3)
    world, start = sim._world, sim._moment
    model, v = world.model, start.state.v
    moment, impacts = apply_inelastic_projection(world, start, sim.dt, v, Tally())
    assert len(impacts.contacts) > 50
    assert moment is not None
    check = IpcCheck(sim)
    x0, x1 = (np.asfortranarray(m.surface_positions) for m in (start, moment))
    assert not check.crosses(x0, x1)
    assert not check.intersects(x1)
    np.testing.assert_allclose(model.mass @ moment.state.v, model.mass @ v, atol=1e-10)

    def kinetic(velocity, rotations):
        spins = model.rigids.spins
        L = model.rigids.momentum(rotations, velocity[spins])
        return 0.5 * (model.mass @ (velocity**2).sum(axis=1) + (velocity[spins] * L).sum())

    assert kinetic(moment.state.v, moment.state.rotations) < 0.99 * kinetic(v, start.state.rotations)
    far = model.bodies["far"].nodes
    np.testing.assert_array_equal(moment.state.v[far], v[far])


def test_a_chain_of_impacts_is_remembered():
    """One sheet flies into two at rest, of which it reaches only the first: that one is pushed into the second, and in the end
    all three move on together with the momentum of the one.
    """
    scene = sg.Scene(gravity=(0.0, 0.0, 0.0))
    mesh = sg.shapes.grid(0.2, 0.2, cells=4)
    for k in range(3):
        scene.add_cloth(mesh, position=(0.0, 0.0, 0.012 * k), velocity=(0.0, 0.0, 0.0 if k else 4.4))
    sim = sg.Simulation(scene, dt=5e-3, settings=sg.Settings(contact_distance=5e-3))
    moment, impacts = apply_inelastic_projection(sim._world, sim._moment, sim.dt, sim.state.v, Tally())
    assert {tuple(pair) for pair in np.sort(impacts.contacts.bodies, axis=1).tolist()} == {(0, 1)}
    assert moment is not None
    np.testing.assert_allclose(moment.state.v, np.tile([0.0, 0.0, 4.4 / 3.0], (75, 1)), atol=1e-9)


def test_a_scripted_body_pushes():
    """A plate that rises at 10 m/s gives what it hits its own normal velocity, and leaves it its sliding."""
    scene = sg.Scene(gravity=(0.0, 0.0, 0.0))
    sheet = sg.shapes.grid(0.2, 0.2, cells=6)
    scene.add_cloth(sheet, position=(0.0, 0.0, 0.06), velocity=(2.0, 0.0, 0.0), name="sheet")
    motion = sg.motions.Translate(velocity=(0.0, 0.0, 10.0))
    scene.add_kinematic(sg.shapes.box(0.5, 0.5, 0.1, cells=4), motion=motion, name="plate")
    sim = sg.Simulation(scene, dt=5e-3)
    moment, _ = apply_inelastic_projection(sim._world, sim._moment, sim.dt, sim.state.v, Tally())
    assert moment is not None
    np.testing.assert_allclose(moment.state.v, np.tile([2.0, 0.0, 10.0], (49, 1)), atol=1e-9)


@pytest.mark.parametrize("patience", [0, None])
def test_redundant_impacts_of_a_body_that_turns(patience, monkeypatch):
    """A box that tumbles into the edge between the ground and a wall: its impacts with both disagree by what chords deviate
    from a rotation, so that the first round has no exact solution. Later rounds do; without them it would be given up.
    """
    if patience is not None:
        monkeypatch.setattr(inelastic_projection, "MAX_CONTRADICTIONS", patience)
    scene = sg.Scene(gravity=(0.0, 0.0, 0.0))
    scene.add_ground()
    scene.add_ground(normal=(1.0, 0.0, 0.0), height=-0.11, name="wall")
    spin = {"velocity": (-9.0, 0.5, -9.0), "angular_velocity": (8.0, 15.0, 5.0)}
    scene.add_rigid(sg.shapes.box(0.2, 0.2, 0.1, cells=2), mass=1.0, position=(0.0, 0.0, 0.06), name="box", **spin)
    sim = sg.Simulation(scene, dt=5e-3)
    moment, impacts = apply_inelastic_projection(sim._world, sim._moment, sim.dt, sim.state.v, Tally())
    assert len(impacts.contacts) > 12
    assert (moment is None) == (patience == 0)
    if moment is not None:
        low = moment.surface_positions.min(axis=0)
        assert low[2] > 0.0
        assert low[0] > -0.11
        assert moment.state.v[0, 1] == pytest.approx(0.5, abs=1e-9)
        assert np.abs(moment.state.v[0, [0, 2]]).max() < 0.5


def test_contradicting_scripts_are_given_up():
    """Two plates that close on a sheet in one step: None, and the impacts that are left."""
    sim = pinched_in_one_step()
    moment, impacts = apply_inelastic_projection(sim._world, sim._moment, sim.dt, sim.state.v, Tally())
    assert moment is None
    assert len(impacts.contacts)
