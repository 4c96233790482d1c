"""Naive twin of iterative constraint anticipation: dense B matrices, the listing of Otaduy2009 §5.5 line by line."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from signorini.contact.mlcp import Mlcp

Floats = NDArray[np.float64]


def iterate_listing(problem: Mlcp, outer: int, sweeps: int, repeats: int = 3) -> tuple[Floats, Floats]:
    """dv (n, 3) and impulses (m, 3) after `outer` iterations of `sweeps` inner ones from zero, friction pyramid."""
    n, m, dt = problem.node_count, problem.contact_count, problem.dt
    A = problem.A.to_scipy().toarray()
    J, H = dense_jacobians(problem)
    D, L, U = np.zeros_like(A), np.zeros_like(A), np.zeros_like(A)  # A = D - L - U in 3x3 blocks
    for i in range(n):
        for j in range(n):
            block = np.s_[3 * i : 3 * i + 3, 3 * j : 3 * j + 3]
            if i == j:
                D[block] = A[block]
            elif j < i:
                L[block] = -A[block]
            else:
                U[block] = -A[block]
    D_inv = np.linalg.inv(D)
    B_lam, B_gam, B_lamgam = J @ D_inv @ J.T, H @ D_inv @ H.T, J @ D_inv @ H.T  # step 2
    dv, lam, gam = np.zeros(3 * n), np.zeros(m), np.zeros(2 * m)
    for _ in range(outer):
        w = D_inv @ (L + U) @ dv
        c_lam = -problem.gap / dt - problem.free_velocity[:, 0] - J @ w  # 3.1
        c_gam = -problem.free_velocity[:, 1:].ravel() - H @ w
        for _ in range(sweeps):  # 3.2
            for j in range(m):
                for _ in range(repeats):  # 3.2.1
                    if B_lam[j, j] > 0.0:
                        lam[j] -= (B_lam[j] @ lam + B_lamgam[j] @ gam - c_lam[j]) / B_lam[j, j]
                    lam[j] = max(lam[j], 0.0)
                    for g in (2 * j, 2 * j + 1):
                        if B_gam[g, g] > 0.0:
                            gam[g] -= (B_lamgam[:, g] @ lam + B_gam[g] @ gam - c_gam[g]) / B_gam[g, g]
                        bound = problem.friction[j] * lam[j]
                        gam[g] = min(max(gam[g], -bound), bound)
        dv = np.linalg.solve(D - L, U @ dv + J.T @ lam + H.T @ gam)  # 3.3
    return dv.reshape(n, 3), np.column_stack([lam, gam.reshape(m, 2)])


def dense_jacobians(problem: Mlcp) -> tuple[Floats, Floats]:
    """J (m, 3n) and H (2m, 3n)."""
    n, m = problem.node_count, problem.contact_count
    J, H = np.zeros((m, 3 * n)), np.zeros((2 * m, 3 * n))
    for c in range(m):
        for k in range(problem.jacobian_indptr[c], problem.jacobian_indptr[c + 1]):
            i = 3 * problem.jacobian_nodes[k]
            J[c, i : i + 3] += problem.jacobian_blocks[k, 0]
            H[2 * c, i : i + 3] += problem.jacobian_blocks[k, 1]
            H[2 * c + 1, i : i + 3] += problem.jacobian_blocks[k, 2]
    return J, H
