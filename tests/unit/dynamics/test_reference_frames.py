"""Rotating reference frames of soft solids, body by body with matrices, and what a rigid motion must give."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.linalg import expm, polar
from scipy.spatial.transform import Rotation

import signorini as sg
from signorini.dynamics.assembly import assemble_unconstrained
from signorini.dynamics.reference_frames import reference_motion
from signorini.geometry.tet_shapes import box_tets, sphere_tets
from signorini.model.build import build_model
from signorini.model.state import State

DT = 0.01


def zoo(**solid):
    """A cloth, two solids, a rigid body and a script: only the solids turn."""
    scene = sg.Scene(gravity=(0.0, 0.0, 0.0))
    scene.add_rigid(sg.shapes.box(0.1, 0.1, 0.1), density=500.0, position=(1.0, 0.0, 0.0))
    scene.add_soft_solid(box_tets(0.1, 0.2, 0.3, cells=2), name="box", **solid)
    scene.add_cloth(sg.shapes.grid(0.3, 0.3, cells=2), area_density=0.2, position=(0.0, 2.0, 0.0))
    scene.add_kinematic(sg.shapes.sphere(0.1, subdivisions=1), position=(0.0, 0.0, 2.0))
    scene.add_soft_solid(sphere_tets(0.1, edge=0.06), name="ball", position=(0.0, 0.0, 1.0), **solid)
    return build_model(scene)


def moving(start, q, v, interval=DT):
    """The state with other positions and velocities, which are displacements over an `interval` [s]."""
    return State(q, v, 0.0, start.internal, start.rotations, interval)


def cross_matrix(w):
    return np.array([[0.0, -w[2], w[1]], [w[2], 0.0, -w[0]], [-w[1], w[0], 0.0]])


def naive_turn(m, r, v):
    """R of one body: its last rotation by a polar decomposition, its momentum in the middle of that, and the next rotation
    as the root of the midpoint rule, found by following it from no turn at all with a damped iteration."""
    C = sum(mi * np.outer(ri, ri - DT * vi) for mi, ri, vi in zip(m, r, v, strict=True))
    J = sum(mi * (ri @ ri * np.eye(3) - np.outer(ri, ri)) for mi, ri in zip(m, r, strict=True))
    P = polar(C)[0]
    w = Rotation.from_matrix(P).as_rotvec() / DT
    L = expm(-0.5 * DT * cross_matrix(w)) @ J @ w
    for _ in range(400):
        half = expm(0.5 * DT * cross_matrix(w))
        w = 0.5 * (w + half @ np.linalg.solve(J, half.T @ L))
    return P, expm(DT * cross_matrix(w)), J


@settings(max_examples=15, deadline=None)
@given(seed=st.integers(0, 1000), speed=st.sampled_from([0.0, 1e-6, 0.3, 3.0]))
def test_each_solid_goes_on_turning_with_its_momentum(seed: int, speed: float) -> None:
    model, start = zoo()
    rng = np.random.default_rng(seed)
    q, v = start.q + 0.01 * rng.normal(size=start.q.shape), speed * rng.normal(size=start.v.shape)
    for slot in model.bodies.values():
        v[slot.nodes] += speed * np.cross(10.0 * rng.normal(size=3), q[slot.nodes])
    reference = reference_motion(model, moving(start, q, v), DT)
    velocities, expected = v.copy(), np.zeros_like(v)
    for slot in model.bodies.values():
        if slot.kind == "soft_solid":
            m = model.mass[slot.nodes]
            r, u = q[slot.nodes] - m @ q[slot.nodes] / m.sum(), v[slot.nodes] - m @ v[slot.nodes] / m.sum()
            P, R, J = naive_turn(m, r, u)
            way = (r @ R.T - r) / DT
            pull = (r - r @ P) / DT - way
            torque = (m[:, None] * np.cross(r, pull)).sum(axis=0)
            expected[slot.nodes] = way
            outwards = pull - np.cross(np.linalg.solve(J, torque), r)
            velocities[slot.nodes] += way + outwards @ R.T - (r - r @ P) / DT
    np.testing.assert_allclose(reference.velocity, expected, atol=1e-10, rtol=1e-9)  # (R r - r) / dt cancels
    np.testing.assert_allclose(reference.start_velocity, velocities, atol=1e-10, rtol=1e-9)
    assert speed == 0.0 or np.abs(reference.velocity).max() > 0.0


@settings(max_examples=25, deadline=None)
@given(spin=st.lists(st.floats(-60.0, 60.0), min_size=3, max_size=3), fall=st.floats(-20.0, 20.0))
def test_a_rigid_body_keeps_its_momentum_and_is_pulled_outwards(spin: list[float], fall: float) -> None:
    """Linear momentum to rounding; angular momentum is the same in the middle of both steps; the rest has no torque."""
    model, start = zoo()
    slot = model.bodies["box"]
    m, q, v = model.mass[slot.nodes], start.q, start.v.copy()
    r = q[slot.nodes] - m @ q[slot.nodes] / m.sum()
    last = Rotation.from_rotvec(DT * np.array(spin))
    v[slot.nodes] = (r - last.inv().apply(r)) / DT + [0.0, 0.0, fall]
    reference = reference_motion(model, moving(start, q, v), DT)
    velocities, way = reference.start_velocity[slot.nodes], reference.velocity[slot.nodes]
    np.testing.assert_allclose(m @ velocities, m @ v[slot.nodes], atol=1e-9 * m.sum())
    turned = r + DT * way
    R, _ = Rotation.align_vectors(turned, r)
    np.testing.assert_allclose(R.apply(r), turned, atol=1e-9)
    J = sum(mi * (ri @ ri * np.eye(3) - np.outer(ri, ri)) for mi, ri in zip(m, r, strict=True))
    before = (last**-0.5).apply(J @ last.as_rotvec())
    after = (R**0.5).apply(J @ (R**-0.5).apply(R.as_rotvec()))
    np.testing.assert_allclose(after, before, atol=1e-9 * np.linalg.norm(J))
    beyond = velocities - way - [0.0, 0.0, fall]
    np.testing.assert_allclose(m @ np.cross(turned, beyond), 0.0, atol=1e-9 * m.sum())
    outwards = m @ (turned * beyond).sum(axis=1)
    assert outwards >= -1e-12
    w2 = np.dot(spin, spin)
    if 1e-2 < w2 < 900.0:
        # Σ m r·(ω² r_perp) dt = ω·J ω dt
        assert outwards == pytest.approx(DT * np.dot(spin, J @ np.array(spin)), rel=0.05)


@pytest.mark.parametrize("kind", ["corotational", "neo-hookean"])
def test_forces_of_a_turned_body_are_turned(kind: str) -> None:
    """b without the part of the linearisation is M v + dt F: about the turned body F is the turned force."""
    model, start = zoo(model=kind, mass_damping=0.0, stiffness_damping=0.0)
    rng = np.random.default_rng(3)
    box = model.bodies["box"].nodes
    q, v = start.q.copy(), np.zeros_like(start.v)
    q[box] *= rng.uniform(0.98, 1.02, (box.stop - box.start, 3))
    v[box] = np.cross([3.0, -8.0, 20.0], q[box])
    rest = moving(start, q, np.zeros_like(v))
    places = reference_motion(model, moving(start, q, v), DT).velocity
    _, b0, _ = assemble_unconstrained(model, rest, DT)
    A, b1, _ = assemble_unconstrained(model, rest, DT, linearised_at=places)
    force = b1 - A.times(places) + model.mass[:, None] * places
    m = model.mass[box]
    r = q[box] - m @ q[box] / m.sum()
    R, *_ = np.linalg.lstsq(r, r + DT * places[box], rcond=None)
    assert np.linalg.norm(R - np.eye(3)) > 0.1
    np.testing.assert_allclose(force[box], b0[box] @ R, atol=1e-9 * np.abs(b0[box]).max())


def test_without_solids_nothing_turns() -> None:
    scene = sg.Scene()
    scene.add_cloth(sg.shapes.grid(0.3, 0.3, cells=2), area_density=0.2)
    model, state = build_model(scene)
    reference = reference_motion(model, state, DT)
    np.testing.assert_array_equal(reference.start_velocity, state.v)
    assert not reference.velocity.any()


@pytest.mark.parametrize("bad", [np.nan, np.inf, 1e200])
def test_an_exploded_body_does_not_turn_and_does_no_harm_to_others(bad: float) -> None:
    model, start = zoo()
    box, ball = model.bodies["box"].nodes, model.bodies["ball"].nodes
    v = start.v.copy()
    v[ball] = np.cross([0.0, 0.0, 5.0], start.q[ball])
    alone = reference_motion(model, moving(start, start.q, v), DT)
    v[box.start, 1] = bad
    with np.errstate(all="ignore"):
        reference = reference_motion(model, moving(start, start.q, v), DT)
    np.testing.assert_allclose(reference.velocity[ball], alone.velocity[ball], atol=1e-11)
    assert np.isfinite(reference.velocity).all()


@settings(max_examples=25, deadline=None)
@given(spin=st.lists(st.floats(-2000.0, 2000.0), min_size=3, max_size=3))
def test_whatever_the_spin_the_way_is_a_rotation(spin: list[float]) -> None:
    """Up to 35 rad in a step, where the midpoint rule has no answer."""
    model, start = zoo()
    slot = model.bodies["box"]
    m, q, v = model.mass[slot.nodes], start.q, start.v.copy()
    r = q[slot.nodes] - m @ q[slot.nodes] / m.sum()
    v[slot.nodes] = np.cross(spin, r)
    way = reference_motion(model, moving(start, q, v), DT).velocity[slot.nodes]
    np.testing.assert_allclose(np.linalg.norm(r + DT * way, axis=1), np.linalg.norm(r, axis=1), atol=1e-12)


@pytest.mark.parametrize("interval", [0.0, 0.25 * DT, DT, 4.0 * DT])
def test_a_rigid_rotation_keeps_its_energy_when_the_length_of_steps_changes(interval: float) -> None:
    """Chords of another interval, and tangents, are no deformation: the chords of the step have the same speed."""
    model, start = zoo()
    slot = model.bodies["box"]
    m, q, v = model.mass[slot.nodes], start.q, start.v.copy()
    r = q[slot.nodes] - m @ q[slot.nodes] / m.sum()
    spin = np.array([0.0, 0.0, 12.0])
    v[slot.nodes] = (r - Rotation.from_rotvec(-interval * spin).apply(r)) / interval if interval else np.cross(spin, r)
    reference = reference_motion(model, moving(start, q, v, interval), DT)
    begins, way = reference.start_velocity[slot.nodes], reference.velocity[slot.nodes]
    energy, before = (m @ (u * u).sum(axis=1) for u in (way, v[slot.nodes]))
    assert energy == pytest.approx(before, rel=1e-9)
    # All that is left is radial about the rotated body.
    np.testing.assert_allclose(m @ np.cross(r + DT * way, begins - way), 0.0, atol=1e-12)
    solids = reference.solids
    assert solids is not None
    rate = 2.0 * np.sin(0.5 * 12.0 * interval) / interval if interval else 12.0
    assert solids.farthest_turn == pytest.approx(DT * rate, rel=1e-9)


@pytest.mark.parametrize("seed", range(5))
def test_missing_spin_closes_the_angular_momentum_of_each_body(seed: int) -> None:
    """Of displacements, about the start: that of the start, as rotation and deformation have it, and the torque of forces about
    the rotated body."""
    model, start = zoo()
    rng = np.random.default_rng(seed)
    q, v = start.q + 0.01 * rng.normal(size=start.q.shape), 0.3 * rng.normal(size=start.v.shape)
    gained, held = 0.2 * rng.normal(size=v.shape), np.zeros(len(v), dtype=bool)
    for slot in model.bodies.values():
        v[slot.nodes] += np.cross(5.0 * rng.normal(size=3), q[slot.nodes])
    reference = reference_motion(model, moving(start, q, v), DT)
    solids = reference.solids
    assert solids is not None
    change = np.zeros_like(v)
    change[solids.nodes] = solids.missing_spin(gained[solids.nodes], held[solids.nodes])
    for slot in model.bodies.values():
        if slot.kind != "soft_solid":
            continue
        m, n = model.mass[slot.nodes], slot.nodes
        r, u = q[n] - m @ q[n] / m.sum(), v[n] - m @ v[n] / m.sum()
        P, R, _ = naive_turn(m, r, u)
        way, shape = (r @ R.T - r) / DT, u - (r - r @ P) / DT
        end = reference.start_velocity[n] + gained[n] + change[n]
        wanted = m @ np.cross(r, way + shape) + m @ np.cross(r @ R.T, gained[n])
        np.testing.assert_allclose(m @ np.cross(r, end), wanted, atol=1e-9)
    held[model.bodies["box"].nodes.start] = True
    kept = solids.missing_spin(gained[solids.nodes], held[solids.nodes])
    change[model.bodies["box"].nodes] = 0.0
    np.testing.assert_array_equal(kept, change[solids.nodes])


def test_deformation_stays_as_it_is_in_space() -> None:
    """A body that grows and spins slowly: no velocity is changed but by the centrifugal impulse."""
    model, start = zoo()
    slot = model.bodies["box"]
    m, q, v = model.mass[slot.nodes], start.q, start.v.copy()
    r = q[slot.nodes] - m @ q[slot.nodes] / m.sum()
    v[slot.nodes] = 5.0 * r + np.cross([0.0, 0.0, 3.0], r)
    before = m @ np.cross(r, v[slot.nodes])
    begins = reference_motion(model, moving(start, q, v), DT).start_velocity[slot.nodes]
    assert np.linalg.norm(begins - v[slot.nodes]) < 3.0 * DT * 3.0**2 * np.linalg.norm(r)
    np.testing.assert_allclose(m @ np.cross(r + DT * v[slot.nodes], begins), before, atol=0.01 * np.linalg.norm(before))
