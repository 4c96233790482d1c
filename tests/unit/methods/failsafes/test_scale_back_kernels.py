"""Inelastic impulses: the kernel against sweeps written with NumPy, and momentum."""

from __future__ import annotations

import numpy as np
import pytest

from signorini.methods.failsafes.scale_back_kernels import stop_approach


def naive(indptr, nodes, normals, inverse_mass, approach, sweeps, v):
    """The same sweeps, one contact after the other."""
    start, v = v, v.copy()
    for _ in range(sweeps):
        for c in range(len(approach)):
            members = slice(indptr[c], indptr[c + 1])
            touched, rows = nodes[members], normals[members]
            velocity = approach[c] + (rows * (v[touched] - start[touched])).sum()
            response = np.einsum("kij,kj->ki", inverse_mass[touched], rows)
            mobility = (rows * response).sum()
            if velocity < 0.0 and mobility > 0.0:
                v[touched] -= velocity / mobility * response
    return v


@pytest.mark.parametrize("seed", range(5))
def test_the_kernel_does_what_the_sweeps_say(seed):
    random = np.random.default_rng(seed)
    n, m = 12, 20
    nodes = np.concatenate([random.choice(n, 2, replace=False) for _ in range(m)]).astype(np.int32)
    normal = random.normal(size=(m, 3))
    normals = np.stack([normal, -normal], axis=1).reshape(-1, 3)
    B = random.normal(size=(n, 3, 3))
    inverse_mass = B @ B.transpose(0, 2, 1) + 0.1 * np.eye(3)
    v, indptr = random.normal(size=(n, 3)), 2 * np.arange(m + 1, dtype=np.int32)
    approach = (normals.reshape(m, 2, 3) * v[nodes].reshape(m, 2, 3)).sum(axis=(1, 2))
    expected = naive(indptr, nodes, normals, inverse_mass, approach, 20, v)
    momentum = np.linalg.solve(inverse_mass, v[:, :, None]).sum(axis=0)
    stop_approach(indptr, nodes, normals, inverse_mass, approach, 20, v, np.zeros_like(v))
    np.testing.assert_allclose(v, expected, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(np.linalg.solve(inverse_mass, v[:, :, None]).sum(axis=0), momentum, atol=1e-9)
    after = (normals.reshape(m, 2, 3) * v[nodes].reshape(m, 2, 3)).sum(axis=(1, 2))
    assert after[approach < 0.0].min() > 0.5 * approach.min()
