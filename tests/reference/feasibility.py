"""Contact problems that are feasible or infeasible by construction, and the least violation by a linear program (HiGHS)."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.optimize import linprog

from reference.problems import random_frames
from signorini.contact.mlcp import Mlcp
from signorini.linalg.block_matrix import BlockMatrix, build_pattern, find_entries

Floats = NDArray[np.float64]
DT = 0.01


def node_problem(normals: Floats, closing: Floats, A: Floats, *, friction: float = 0.0) -> Mlcp:
    """Contacts of one node with the matrix A (3, 3): normals (m, 3), closing speeds (m,) [m/s]."""
    matrix = BlockMatrix(np.array([0, 1], np.int32), np.array([0], np.int32), np.array([A], dtype=np.float64))
    frames = np.array([_frame(n) for n in normals])
    m = len(frames)
    free = np.zeros((m, 3))
    free[:, 0] = -closing
    indptr = np.arange(m + 1, dtype=np.int32)
    return Mlcp(matrix, indptr, np.zeros(m, np.int32), frames, np.zeros(m), free, np.full(m, friction), DT)


def wedge(angle: float = 0.05, closing: float = 0.1) -> Mlcp:
    """A node between two nearly opposite walls: it can only leave sideways, where it is 100 times heavier."""
    normals = np.array([[0.0, 0.0, 1.0], [np.sin(angle), 0.0, -np.cos(angle)]])
    return node_problem(normals, np.full(2, closing), np.diag([100.0, 1.0, 1.0]))


def random_feasible(rng: np.random.Generator, *, margin: float = 0.01) -> Mlcp:
    """Frictionless contacts that a known velocity of about 1 m/s satisfies with `margin` [m/s]."""
    problem, J = _random_rows(rng)
    bias = -(J @ rng.normal(size=J.shape[1])) + margin
    loose = rng.random(len(bias)) < 0.3
    bias[loose] += rng.exponential(0.5, size=int(loose.sum()))
    return _with_bias(problem, bias)


def random_wedge(rng: np.random.Generator, *, margin: float = 0.01) -> Mlcp:
    """A node between two to four nearly opposite walls that close on it; a known velocity sideways satisfies all of them."""
    angles = rng.uniform(0.02, 0.3, size=int(rng.integers(1, 4)))
    normals = np.array([[0.0, 0.0, 1.0], *([np.sin(a), 0.1 * rng.normal() * np.sin(a), -np.cos(a)] for a in angles)])
    normals /= np.linalg.norm(normals, axis=1, keepdims=True)
    closing = rng.uniform(0.02, 0.5)
    way_out = np.array([2.5 * closing / np.sin(angles.min()), 0.0, closing])
    speeds = np.minimum(normals @ way_out - margin, closing * rng.uniform(0.5, 1.0, size=len(normals)))
    return node_problem(normals, speeds, np.diag(10.0 ** rng.uniform(0.0, [3.0, 1.0, 1.0])))


def random_infeasible(rng: np.random.Generator) -> Mlcp:
    """Frictionless contacts of which some contradict one another, among others that need not."""
    problem, J = _random_rows(rng, opposed=int(rng.integers(1, 4)))
    bias = -(J @ rng.normal(size=J.shape[1])) + rng.exponential(0.3, size=problem.contact_count)
    return _with_bias(problem, bias - rng.uniform(0.05, 1.0))


def least_violation(problem: Mlcp) -> float:
    """The least possible largest violation of a normal row over all velocities [m/s], by a linear program."""
    J = sp.csr_matrix(problem.jacobian()[0::3])
    m, n = J.shape
    rows = sp.hstack([-J, -np.ones((m, 1))]).tocsr()
    cost = np.zeros(n + 1)
    cost[-1] = 1.0
    bounds = [(None, None)] * n + [(0.0, None)]
    found = linprog(cost, A_ub=rows, b_ub=problem.bias()[:, 0], bounds=bounds, method="highs")
    assert found.status == 0, found.message
    return float(found.x[-1])


def violations(problem: Mlcp, dv: Floats) -> Floats:
    """(m,) how far every normal row is violated by a velocity correction [m/s]."""
    u = problem.jacobian()[0::3] @ dv.ravel() + problem.bias()[:, 0]
    return np.maximum(-u, 0.0)


def _random_rows(rng: np.random.Generator, *, opposed: int = 0) -> tuple[Mlcp, Floats]:
    n = int(rng.integers(1, 9))
    A = _random_matrix(rng, n)
    m = int(rng.integers(2, 4 * n + 3))
    frames = random_frames(m, rng)
    indptr, nodes, blocks = [0], [], []
    for c in range(m):
        count = int(rng.integers(1, min(n, 4) + 1))
        nodes += rng.choice(n, size=count, replace=False).tolist()
        weights = rng.uniform(0.1, 1.0, size=count) * np.where(rng.random(count) < 0.5, 1.0, -1.0)
        blocks += [w * frames[c] for w in weights]
        indptr.append(len(nodes))
    for _ in range(opposed):
        _add_opposed(rng, indptr, nodes, blocks)
    for _ in range(int(rng.integers(0, 3))):  # nearly opposite to another: a narrow wedge
        _add_turned(rng, indptr, nodes, blocks, float(10.0 ** rng.uniform(-2.0, -0.5)))
    m = len(indptr) - 1
    problem = Mlcp(
        A, np.array(indptr, np.int32), np.array(nodes, np.int32), np.array(blocks), np.zeros(m), np.zeros((m, 3)),
        np.zeros(m), DT,
    )  # fmt: skip
    return problem, problem.jacobian()[0::3].toarray()


def _add_opposed(rng: np.random.Generator, indptr: list[int], nodes: list[int], blocks: list[Floats]) -> None:
    """A contact whose normal row is a negative combination of one to three others: together they cancel."""
    others = rng.choice(len(indptr) - 1, size=min(len(indptr) - 1, int(rng.integers(1, 4))), replace=False)
    total: dict[int, Floats] = {}
    for c in others:
        weight = rng.uniform(0.3, 2.0)
        for k in range(indptr[c], indptr[c + 1]):
            total[nodes[k]] = total.get(nodes[k], np.zeros((3, 3))) - weight * blocks[k]
    nodes += list(total)
    blocks += list(total.values())
    indptr.append(len(nodes))


def _add_turned(
    rng: np.random.Generator, indptr: list[int], nodes: list[int], blocks: list[Floats], angle: float
) -> None:
    c = int(rng.integers(len(indptr) - 1))
    axis = rng.normal(size=3)
    axis *= angle / np.linalg.norm(axis)
    turn = np.array([[1.0, -axis[2], axis[1]], [axis[2], 1.0, -axis[0]], [-axis[1], axis[0], 1.0]])
    for k in range(indptr[c], indptr[c + 1]):
        nodes.append(nodes[k])
        blocks.append(-blocks[k] @ turn)
    indptr.append(len(nodes))


def _random_matrix(rng: np.random.Generator, n: int) -> BlockMatrix:
    """A chain of springs between nodes whose masses in their main directions span up to four decades."""
    springs = np.array([(i, i + 1) for i in range(n - 1)], np.int32).reshape(-1, 2)
    A = build_pattern(n, springs)
    spread = rng.uniform(0.0, 4.0)
    for i, frame in enumerate(random_frames(n, rng)):
        A.data[find_entries(A, np.array([i]), np.array([i]))] += (
            frame.T @ np.diag(10.0 ** rng.uniform(0.0, spread, 3)) @ frame
        )
    stiffness = 0.0 if rng.random() < 0.5 else 10.0 ** rng.uniform(-1.0, 3.0)
    for i, j in springs:
        for a, b, sign in ((i, i, 1.0), (j, j, 1.0), (i, j, -1.0), (j, i, -1.0)):
            A.data[find_entries(A, np.array([a]), np.array([b]))] += sign * stiffness * np.eye(3)
    return A


def _with_bias(problem: Mlcp, bias: Floats) -> Mlcp:
    free = problem.free_velocity.copy()
    free[:, 0] = bias
    return replace(problem, free_velocity=free)


def _frame(normal: Floats) -> Floats:
    other = np.eye(3)[np.argmin(np.abs(normal))]
    t = np.cross(normal, other)
    t /= np.linalg.norm(t)
    return np.stack([normal, t, np.cross(normal, t)])
