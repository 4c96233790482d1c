"""Least width of bodies."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from signorini.geometry.least_width import least_width
from signorini.geometry.shapes import box, sphere


@given(
    st.tuples(*[st.floats(0.01, 10.0)] * 3),
    st.tuples(*[st.floats(-3.0, 3.0)] * 3),
)
@settings(max_examples=50, deadline=None)
def test_a_box_is_as_wide_as_its_least_side_however_it_is_rotated(sides, vector) -> None:
    points = Rotation.from_rotvec(vector).apply(box(*sides).vertices.copy())
    assert least_width(points) == pytest.approx(min(sides), rel=1e-9)


def test_a_ball_is_nearly_as_wide_as_its_diameter() -> None:
    assert least_width(sphere(0.5).vertices) == pytest.approx(1.0, rel=0.03)


def test_points_in_a_plane_have_no_width() -> None:
    assert least_width(np.random.default_rng(0).normal(size=(20, 3)) * (1, 1, 0)) == 0.0
