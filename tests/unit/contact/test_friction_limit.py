"""Limits of impulses: the nearest admissible friction in its direction (cone) or by components (pyramid)."""

from __future__ import annotations

import numpy as np
import pytest

from signorini.contact.friction_cone_kernels import limit_impulses


@pytest.mark.parametrize("cone", [True, False])
def test_limits_against_numpy(cone):
    rng = np.random.default_rng(0)
    p, mu = rng.normal(size=(200, 3)), rng.uniform(0.0, 1.0, 200)
    mu[:20] = 0.0
    limited = p.copy()
    limit_impulses(limited, mu, cone)
    lam = np.maximum(p[:, 0], 0.0)
    bound = (mu * lam)[:, None]
    if cone:
        expected = p[:, 1:] * np.minimum(1.0, bound / np.linalg.norm(p[:, 1:], axis=1, keepdims=True))
    else:
        expected = np.clip(p[:, 1:], -bound, bound)
    np.testing.assert_array_equal(limited[:, 0], lam)
    np.testing.assert_array_equal(limited[:, 1:], expected)


def test_what_is_not_a_number_stays_visible():
    p = np.array([[np.nan, 1.0, 1.0], [1.0, np.nan, 0.0]])
    limit_impulses(p, np.array([0.5, 0.5]), True)
    assert np.isnan(p[0, 0]) and np.isnan(p[1, 1])
