"""Points that follow several bones, against dual quaternions in NumPy."""

from __future__ import annotations

import numpy as np

from signorini.characters.articulation_kernels import blend


def test_points_follow_the_mean_dual_quaternion_of_their_joints() -> None:
    rng = np.random.default_rng(5)
    bound, joints, weights = rng.normal(size=(20, 3)), rng.integers(0, 6, (20, 4)), rng.dirichlet(np.ones(4), 20)
    q, shift = rng.normal(size=(6, 4)), rng.normal(size=(6, 3))
    q /= np.linalg.norm(q, axis=1, keepdims=True)
    dual = 0.5 * np.column_stack(
        [q[:, 3:] * shift + np.cross(shift, q[:, :3]), -np.sum(shift * q[:, :3], axis=1)]
    )  # fmt: skip
    chosen = q[joints]
    sign = np.where(np.sum(chosen * chosen[:, :1], axis=2) < 0.0, -1.0, 1.0)
    assert (sign < 0.0).any()
    real = np.einsum("nw,nwa->na", sign * weights, chosen)
    other = np.einsum("nw,nwa->na", sign * weights, dual[joints])
    length = np.linalg.norm(real, axis=1, keepdims=True)
    real, other = real / length, other / length
    v, w = real[:, :3], real[:, 3:]
    expected = bound + 2.0 * np.cross(v, np.cross(v, bound) + w * bound)
    expected += 2.0 * (w * other[:, :3] - other[:, 3:] * v + np.cross(v, other[:, :3]))
    out = np.empty_like(bound)
    blend(bound, joints, weights, q, dual, out)
    np.testing.assert_allclose(out, expected, atol=1e-13)
