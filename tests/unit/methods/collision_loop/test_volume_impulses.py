"""Collision tetrahedra: volumes, gradients, the coupled system and its solver, each against an independent computation."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse.linalg as spla

import signorini as sg
from reference import collision_loop as reference
from signorini.methods.collision_loop import volume_impulses_kernels as kernels
from signorini.methods.collision_loop.volume_impulses import (
    CollisionVolumes,
    collision_volumes,
    goal_volumes,
    newton_step,
    resolve_by_volumes,
)
from signorini.methods.report import Tally


def random_volumes(rng, count=40, planes=5):
    vertices = np.array([rng.choice(60, 4, replace=False) for _ in range(count)], dtype=np.int32)
    column = np.full((planes, 4), -1, np.int32)
    column[:, 0] = rng.choice(60, planes, replace=False)
    sign = rng.choice([-1.0, 1.0], count)
    return CollisionVolumes(
        np.concatenate([vertices, column]), sign, rng.normal(size=(planes, 3)), rng.normal(size=planes)
    )


def test_volumes_are_determinants():
    rng = np.random.default_rng(0)
    pairs, x = random_volumes(rng), rng.normal(size=(60, 3))
    V, t = pairs.volumes(x), len(pairs.sign)
    corners = x[pairs.vertices[:t]]
    exact = pairs.sign * np.linalg.det(corners[:, 1:] - corners[:, :1]) / 6.0
    np.testing.assert_allclose(V[:t], exact, atol=1e-14)
    np.testing.assert_allclose(V[t:], (pairs.column * x[pairs.vertices[t:, 0]]).sum(axis=1) - pairs.column_floor)


def test_gradients_are_those_of_the_volumes():
    """F = (∂V/∂x)' by central differences: V is cubic, so that they are exact up to h² and rounding."""
    rng = np.random.default_rng(1)
    pairs, x, h = random_volumes(rng), rng.normal(size=(60, 3)), 1e-4
    F, dense = pairs.gradients(x), np.zeros((len(pairs), 60, 3))
    for c, row in enumerate(pairs.vertices):
        for k, i in enumerate(row):
            if i >= 0:
                dense[c, i] += F[c, k]
    for i in range(60):
        for a in range(3):
            moved = np.zeros_like(x)
            moved[i, a] = h
            slope = (pairs.volumes(x + moved) - pairs.volumes(x - moved)) / (2 * h)
            np.testing.assert_allclose(dense[:, i, a], slope, atol=1e-9)


def test_gradients_are_area_vectors():
    """Sifakis2008 Eq. 3: minus a third of area times the outward normal of the face opposite to the vertex."""
    rng = np.random.default_rng(2)
    pairs, x = random_volumes(rng), rng.normal(size=(60, 3))
    t, F = len(pairs.sign), pairs.gradients(x)
    V = pairs.volumes(x)[:t]
    corners = x[pairs.vertices[:t]]
    for k in range(4):
        a, b, c = (corners[:, j] for j in range(4) if j != k)
        area = 0.5 * np.cross(b - a, c - a)
        outward = np.where(((a - corners[:, k]) * area).sum(axis=1) > 0.0, 1.0, -1.0)[:, None] * area
        np.testing.assert_allclose(F[:t, k], -outward / 3.0 * np.sign(V)[:, None], atol=1e-14)
    np.testing.assert_allclose(F[:t].sum(axis=1), 0.0, atol=1e-14)


def test_degenerate_tetrahedra_need_no_care():
    """Coincident vertices, collinear and flat tetrahedra: finite volumes and gradients, no division anywhere."""
    x = np.array([[0, 0, 0], [1, 0, 0], [2, 0, 0], [0, 0, 0], [0, 1, 0], [1e-200, 0, 0]], dtype=np.float64)
    vertices = np.array([[0, 1, 2, 4], [0, 3, 1, 4], [0, 5, 1, 4], [0, 3, 5, 1]], np.int32)
    none = np.zeros((0, 3))
    pairs = CollisionVolumes(vertices, np.ones(4), none, np.zeros(0))
    assert np.array_equal(pairs.volumes(x), np.zeros(4))
    assert np.isfinite(pairs.gradients(x)).all()
    assert np.abs(pairs.gradients(x)[0]).max() == pytest.approx(1.0 / 3.0)


def system(motion, pairs, x1):
    """Rows G over nodes as the kernels make them, and the same as a dense matrix."""
    F, S = pairs.gradients(x1), motion.surface_map
    indptr = np.zeros(len(pairs) + 1, np.int32)
    kernels.count_entries(pairs.vertices, S.indptr, S.nodes, motion.movable, indptr)
    nodes, G, WG = np.empty(indptr[-1], np.int32), np.empty((indptr[-1], 3)), np.empty((indptr[-1], 3))
    kernels.fill_rows(
        pairs.vertices, F, S.indptr, S.nodes, S.weights, S.arms, motion.movable, motion.inverse_mass, nodes, G, WG
    )
    dense = np.zeros((len(pairs), 3 * len(motion.inverse_mass)))
    for c in range(len(pairs)):
        for e in range(indptr[c], indptr[c + 1]):
            dense[c, 3 * nodes[e] : 3 * nodes[e] + 3] += G[e]
    return indptr, nodes, G, WG, F, dense


def mixed():
    """A tumbling box that falls on a pinned sheet above the ground."""
    scene = sg.Scene(gravity=(0, 0, 0))
    cloth = scene.add_cloth(sg.shapes.grid(0.3, 0.3, cells=5), position=(0, 0, 0.02), velocity=(0, 0, -3), name="sheet")
    cloth.pin([0, 5])
    box = sg.shapes.box(0.1, 0.1, 0.05, cells=2)
    scene.add_rigid(box, mass=0.3, position=(0, 0, 0.07), velocity=(0, 0, -6), angular_velocity=(3, 1, 2), name="box")
    scene.add_ground()
    return sg.Simulation(scene, dt=0.01, settings=sg.Settings(method="volume"))


def test_rows_are_the_rates_of_the_volumes():
    """G v is the rate of every volume for velocities v of the nodes, rigid ones through their arms; pinned nodes have none."""
    sim = mixed()
    motion = reference.motion_of(sim, 0.01)
    v = sim.state.v.copy()
    v[motion.movable == 0] = 0.0
    placed = motion.place(v)
    x1, pairs = placed.surface_positions, collision_volumes(motion, motion.find_pairs(placed))
    assert len(pairs.sign) > 5
    assert len(pairs.column) > 5
    *_, dense = system(motion, pairs, x1)
    rng, h = np.random.default_rng(3), 1e-6
    w = rng.standard_normal(v.shape)
    w[motion.movable == 0] = 0.0
    drift = h * motion.surface_map.velocities(w)
    rates = (pairs.volumes(x1 + drift) - pairs.volumes(x1 - drift)) / (2 * h)
    np.testing.assert_allclose(dense @ w.ravel(), rates, atol=1e-9 * np.abs(rates).max())


def test_minres_is_that_of_scipy():
    """The same iterates as scipy's MINRES for a fixed number of iterations, and the least-squares solution in the end."""
    sim = reference.sheets(cells=4)
    motion = reference.motion_of(sim, 0.01)
    placed = motion.place(reference.on_course(sim, 2.0))
    x1, pairs = placed.surface_positions, collision_volumes(motion, motion.find_pairs(placed))
    indptr, nodes, G, WG, _, dense = system(motion, pairs, x1)
    W = np.repeat(motion.inverse_mass[:, 0, 0], 3)
    B = dense @ (W[:, None] * dense.T)
    b = pairs.volumes(sim._moment.surface_positions) - pairs.volumes(x1)
    dv, p = np.empty_like(sim.state.v), np.empty(len(pairs))
    for iterations in (1, 2, 5, 12):
        assert kernels.minres(indptr, nodes, G, WG, b, 1e-14, iterations, dv, p) == iterations
        expected, _ = spla.minres(B, b, rtol=1e-300, maxiter=iterations)
        np.testing.assert_allclose(p, expected, rtol=1e-6, atol=1e-8 * np.abs(expected).max())
    kernels.minres(indptr, nodes, G, WG, b, 0.05, 200, dv, p)
    assert np.linalg.norm(b - B @ p) <= 0.05 * np.linalg.norm(b) * (1 + 1e-9)


def test_minres_on_a_singular_system_ends_at_the_least_squares_residual():
    """Two constraints on one direction that contradict each other, and one on a node that cannot move."""
    indptr, nodes = np.array([0, 1, 2, 3], np.int32), np.array([0, 0, 1], np.int32)
    G = np.array([[1.0, 0, 0], [1.0, 0, 0], [0, 1.0, 0]])
    WG = G * np.array([[2.0], [2.0], [0.0]])
    b, dv, p = np.array([1.0, 0.0, 1.0]), np.empty((2, 3)), np.empty(3)
    assert kernels.minres(indptr, nodes, G, WG, b, 1e-10, 50, dv, p) < 10
    kernels.spread(indptr, nodes, WG, p, dv)
    np.testing.assert_allclose(dv, [[0.5, 0, 0], [0, 0, 0]], atol=1e-12)
    assert kernels.minres(indptr, nodes, G, WG, np.zeros(3), 1e-10, 50, dv, p) == 0
    assert not p.any()


def test_full_newton_steps_reach_the_goal():
    """With γ = 1 and an accurate solve, few Newton steps bring every volume of a mild collision back to that of the start."""
    sim = reference.sheets(cells=3, damping=1.0, solve_tolerance=1e-10)
    motion = reference.motion_of(sim, 0.01)
    v, lost = reference.on_course(sim, 1.2, rough=0.02), 0.0
    pairs = collision_volumes(motion, motion.find_pairs(motion.place(v)))
    goal = pairs.volumes(sim._moment.surface_positions)
    assert (goal > 0.0).all()
    assert len(pairs) > 3
    before = np.abs(goal - pairs.volumes(motion.place(v).surface_positions)).max()
    for _ in range(6):
        v, lost = newton_step(motion, pairs, goal, v, lost, Tally())
        assert lost >= 0.0
    after = np.abs(goal - pairs.volumes(motion.place(v).surface_positions)).max()
    assert after < 1e-3 * before


def test_pairs_are_those_of_the_detection():
    """`find_pairs` sees a collision exactly when `find_impacts` does, and its pairs contain the features of all impacts."""
    sim = reference.sheets(cells=5, count=3)
    for seed in range(4):
        motion = reference.motion_of(sim, 0.01)
        placed = motion.place(reference.on_course(sim, 1.0, seed=seed))
        pairs, impacts = motion.find_pairs(placed), motion.find_impacts(placed).contacts
        assert len(pairs) >= len(impacts) > 0
        of_pairs = [set(row.tolist()) for row in pairs.vertices]
        for vertices in impacts.vertices:
            assert any(set(vertices[vertices >= 0].tolist()) <= pair for pair in of_pairs)
        assert len(motion.find_pairs(motion.place(np.zeros_like(sim.state.v)))) == 0


def test_a_pair_that_nearly_touches_gets_room():
    """The goal is the volume at the start, or that of a gap of δ/10: a pair at 0.01 mm is resolved in one go and ends apart."""
    for offset, floor in ((0.05, False), (1e-5, True)):
        scene = sg.Scene(gravity=(0, 0, 0))
        low = sg.TriangleMesh(np.array([[-1.0, -1, 0], [1, -1, 0], [0, 1.5, 0]]), np.array([[0, 1, 2]]))
        high = sg.TriangleMesh(np.array([[0.0, 0, offset], [0.5, 0.2, 1], [-0.4, 0.3, 1]]), np.array([[0, 1, 2]]))
        scene.add_cloth(low)
        scene.add_cloth(high, velocity=(0, 0, -8.0))
        sim = sg.Simulation(scene, settings=sg.Settings(method="volume", contact_distance=0.02 if floor else 1e-3))
        motion = reference.motion_of(sim, 0.01)
        colliding = motion.find_pairs(motion.place(sim.state.v))
        pairs = collision_volumes(motion, colliding)
        start, goal = pairs.volumes(sim._moment.surface_positions), goal_volumes(motion, colliding, pairs)
        assert len(goal) == 1
        area = 2.5
        np.testing.assert_allclose(goal, area / 3.0 * (0.1 * 0.02 if floor else offset), rtol=1e-9)
        assert (goal > start * 2.0).all() == floor
        v, _ = resolve_by_volumes(motion, sim.state.v, Tally())
        assert reference.left_over(motion, v) == 0
