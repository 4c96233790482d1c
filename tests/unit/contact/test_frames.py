"""Frames, Jacobians and gaps of the contact problem against plain NumPy."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from signorini.collision.contact_set import ContactSet, empty_contacts
from signorini.contact import frames_kernels as kernels
from signorini.contact.frames import FramedProblem, build_mlcp
from signorini.linalg.block_matrix import BlockMatrix, build_pattern
from signorini.model.surface_map import SurfaceMap, join_rows, node_rows, prescribed_rows, rigid_rows, weighted_rows

VERTICES = 9
NODES = 7  # the last two vertices are kinematic


def random_contacts(seed: int, count: int = 12) -> ContactSet:
    """Contacts of all kinds between random vertices."""
    rng = np.random.default_rng(seed)
    vertices = np.full((count, 4), -1, dtype=np.int32)
    weights = np.zeros((count, 4))
    for c in range(count):
        a, b = [(1, 0), (1, 1), (1, 2), (1, 3), (2, 2)][c % 5]
        vertices[c, : a + b] = rng.choice(VERTICES, a + b, replace=False)
        weights[c, :a] = rng.dirichlet(np.ones(a))
        if b:
            weights[c, a : a + b] = -rng.dirichlet(np.ones(b))
    normal = rng.normal(size=(count, 3))
    normal /= np.linalg.norm(normal, axis=1, keepdims=True)
    return ContactSet(
        np.arange(count), vertices, weights, normal, rng.uniform(0.0, 0.02, count), np.zeros((count, 2), np.int32)
    )


def problem(contacts: ContactSet, velocity: np.ndarray, *, movable: list[int] | None = None) -> FramedProblem:
    mask = np.zeros(NODES, dtype=np.uint8)
    mask[range(NODES) if movable is None else movable] = 1
    surface_map = join_rows([node_rows(np.arange(NODES)), prescribed_rows(VERTICES - NODES)])
    A = build_pattern(NODES, np.zeros((0, 2), np.int32))
    A = BlockMatrix(A.indptr, A.indices, np.tile(np.eye(3), (NODES, 1, 1)))
    friction = np.linspace(0.0, 1.0, len(contacts))
    return build_mlcp(
        A,
        contacts,
        velocity,
        surface_map,
        mask,
        friction,
        dt=0.01,
        contact_distance=np.full(len(contacts), 0.01),
    )


def relative_velocity(contacts: ContactSet, velocity: np.ndarray) -> np.ndarray:
    """Velocity of pa minus velocity of pb, (m, 3)."""
    out = np.zeros((len(contacts), 3))
    for c in range(len(contacts)):
        for v, w in zip(contacts.vertices[c], contacts.weights[c], strict=True):
            if v >= 0:
                out[c] += w * velocity[v]
    return out


def dense_jacobian(framed: FramedProblem) -> np.ndarray:
    m = framed.mlcp.contact_count
    J = np.zeros((m, 3, NODES, 3))
    for c in range(m):
        for k in range(framed.mlcp.jacobian_indptr[c], framed.mlcp.jacobian_indptr[c + 1]):
            J[c, :, framed.mlcp.jacobian_nodes[k]] += framed.mlcp.jacobian_blocks[k]
    return J


@pytest.mark.parametrize("seed", range(4))
def test_frames_are_orthonormal_right_handed_and_follow_the_free_velocity(seed: int) -> None:
    contacts = random_contacts(seed)
    velocity = np.random.default_rng(seed).normal(size=(VERTICES, 3))
    frames = problem(contacts, velocity).frames
    np.testing.assert_allclose(frames @ frames.transpose(0, 2, 1), np.tile(np.eye(3), (12, 1, 1)), atol=1e-12)
    np.testing.assert_allclose(np.linalg.det(frames), 1.0)
    np.testing.assert_array_equal(frames[:, 0], contacts.normal)
    u = relative_velocity(contacts, velocity)
    tangential = u - (u * contacts.normal).sum(axis=1, keepdims=True) * contacts.normal
    np.testing.assert_allclose(frames[:, 1], tangential / np.linalg.norm(tangential, axis=1, keepdims=True), atol=1e-9)


@settings(max_examples=150, deadline=None)
@given(
    normal=arrays(np.float64, 3, elements=st.floats(-1.0, 1.0)).filter(lambda n: np.linalg.norm(n) > 1e-3),
    velocity=arrays(np.float64, 3, elements=st.floats(-1e3, 1e3)),
    along=st.booleans(),
)
def test_frame_is_orthonormal_for_any_velocity(normal: np.ndarray, velocity: np.ndarray, along: bool) -> None:
    n = normal / np.linalg.norm(normal)
    v = (velocity @ n) * n if along else velocity  # along the normal nothing is left but rounding
    frame = np.empty((3, 3))
    kernels.tangents(n, *v, frame)
    np.testing.assert_allclose(frame @ frame.T, np.eye(3), atol=1e-6)
    assert np.linalg.det(frame) == pytest.approx(1.0, abs=1e-6)


@pytest.mark.parametrize("normal", [*np.eye(3), *-np.eye(3), np.array([0.6, 0.8, 0.0]), np.full(3, 3**-0.5)])
def test_no_tangential_velocity_gives_some_tangent(normal: np.ndarray) -> None:
    for speed in (0.0, -4.0):
        frame = np.empty((3, 3))
        kernels.tangents(normal.copy(), *(speed * normal), frame)
        np.testing.assert_allclose(frame @ frame.T, np.eye(3), atol=1e-12)
        assert np.linalg.det(frame) == pytest.approx(1.0)


@pytest.mark.parametrize("seed", range(4))
def test_jacobian_maps_node_velocities_to_relative_velocities_in_the_frame(seed: int) -> None:
    contacts = random_contacts(seed)
    rng = np.random.default_rng(seed)
    framed = problem(contacts, rng.normal(size=(VERTICES, 3)))
    dv = rng.normal(size=(NODES, 3))
    moved = np.concatenate([dv, np.zeros((VERTICES - NODES, 3))])
    expected = np.einsum("cij,cj->ci", framed.frames, relative_velocity(contacts, moved))
    np.testing.assert_allclose(np.einsum("cinj,nj->ci", dense_jacobian(framed), dv), expected, atol=1e-12)


def test_free_velocity_counts_all_vertices_but_only_movable_ones_have_blocks() -> None:
    contacts = random_contacts(1)
    velocity = np.random.default_rng(3).normal(size=(VERTICES, 3))
    movable = [0, 2, 3, 6]
    framed = problem(contacts, velocity, movable=movable)
    expected = np.einsum("cij,cj->ci", framed.frames, relative_velocity(contacts, velocity))
    np.testing.assert_allclose(framed.mlcp.free_velocity, expected, atol=1e-12)
    assert set(framed.mlcp.jacobian_nodes.tolist()) <= set(movable)
    for c in range(len(contacts)):
        taking_part = [v for v in contacts.vertices[c].tolist() if v in movable]
        listed = framed.mlcp.jacobian_nodes[framed.mlcp.jacobian_indptr[c] : framed.mlcp.jacobian_indptr[c + 1]]
        assert listed.tolist() == taking_part
    assert len(framed.mlcp.jacobian_blocks) == len(framed.mlcp.jacobian_nodes) == framed.mlcp.jacobian_indptr[-1]


def test_vertices_of_weight_zero_have_no_block() -> None:
    contacts = random_contacts(2, count=3)
    contacts.vertices[2] = [0, 1, 2, 3]
    contacts.weights[2] = [1.0, 0.0, -0.4, -0.6]
    framed = problem(contacts, np.ones((VERTICES, 3)))
    assert framed.mlcp.jacobian_nodes[framed.mlcp.jacobian_indptr[2] :].tolist() == [0, 2, 3]


@pytest.mark.parametrize(("distance", "gap"), [(0.015, 0.005), (0.01, 0.0), (0.0095, 0.0), (0.001, 0.0)])
def test_gap_is_what_is_left_to_the_contact_distance_and_never_pushes_out(distance: float, gap: float) -> None:
    contacts = random_contacts(0, count=1)
    contacts.distance[0] = distance
    framed = problem(contacts, np.zeros((VERTICES, 3)))
    assert framed.mlcp.gap[0] == pytest.approx(gap)
    assert framed.mlcp.dt == 0.01
    assert framed.mlcp.contact_distance == 0.01


def test_impulses_go_to_the_world_and_back() -> None:
    contacts = random_contacts(4)
    framed = problem(contacts, np.random.default_rng(1).normal(size=(VERTICES, 3)))
    impulse = np.zeros((12, 3))
    impulse[:, 0] = np.linspace(0.1, 2.0, 12)
    impulse[:, 1] = 0.9 * framed.mlcp.friction * impulse[:, 0]
    impulse[:, 2] = -0.5 * framed.mlcp.friction * impulse[:, 0]
    world = framed.to_world(impulse)
    for c in range(12):
        np.testing.assert_allclose(world[c], sum(impulse[c, r] * framed.frames[c, r] for r in range(3)))
    np.testing.assert_allclose(framed.to_frames(world), impulse, atol=1e-12)


def test_recalled_impulses_do_not_pull_and_stay_within_friction() -> None:
    contacts = random_contacts(4)
    framed = problem(contacts, np.random.default_rng(1).normal(size=(VERTICES, 3)))
    local = framed.to_frames(framed.to_world(np.random.default_rng(2).normal(size=(12, 3))))
    assert (local[:, 0] >= 0.0).all()
    assert (local[:, 0] == 0.0).any()
    assert (np.abs(local[:, 1:]) <= (framed.mlcp.friction * local[:, 0])[:, None] + 1e-15).all()


def test_no_contacts_make_an_empty_problem() -> None:
    framed = problem(empty_contacts(), np.zeros((VERTICES, 3)))
    assert framed.mlcp.contact_count == 0
    assert framed.mlcp.jacobian_indptr.tolist() == [0]
    assert framed.mlcp.jacobian_blocks.shape == (0, 3, 3)


def mixed_map() -> SurfaceMap:
    """Vertices 0 to 3 in two tetrahedra of nodes 0 to 4, 4 to 7 on a rigid body of nodes 5 and 6, the last prescribed."""
    rng = np.random.default_rng(5)
    tetrahedra = np.array([[0, 1, 2, 3], [0, 1, 2, 3], [1, 2, 3, 4], [1, 2, 3, 4]])
    parts = [
        weighted_rows(tetrahedra, rng.dirichlet(np.ones(4), 4)),
        rigid_rows(rng.normal(size=(4, 3)), 5, 0),
        prescribed_rows(1),
    ]
    return join_rows(parts).turned(np.array([[0.1, 0.7, -0.5, 0.5]]))


@pytest.mark.parametrize("seed", range(6))
def test_blocks_of_vertices_that_share_nodes_are_merged(seed: int) -> None:
    """Through any map, the Jacobian is that of the vertices' velocities, and each node appears once in a contact."""
    contacts, surface_map = random_contacts(seed, count=40), mixed_map()
    rng = np.random.default_rng(seed)
    A = build_pattern(NODES, np.zeros((0, 2), np.int32))
    framed = build_mlcp(
        A, contacts, rng.normal(size=(VERTICES, 3)), surface_map, np.ones(NODES, np.uint8), np.zeros(len(contacts)),
        dt=0.01, contact_distance=np.full(len(contacts), 0.01),
    )  # fmt: skip
    v = rng.normal(size=(NODES, 3))
    expected = np.einsum("cij,cj->ci", framed.frames, relative_velocity(contacts, surface_map.velocities(v)))
    np.testing.assert_allclose(np.einsum("cinj,nj->ci", dense_jacobian(framed), v), expected, atol=1e-12)
    for c in range(len(contacts)):
        listed = framed.mlcp.jacobian_nodes[framed.mlcp.jacobian_indptr[c] : framed.mlcp.jacobian_indptr[c + 1]]
        assert len(set(listed.tolist())) == len(listed)
    assert len(framed.mlcp.jacobian_nodes) < 4 * 4 * len(contacts)
