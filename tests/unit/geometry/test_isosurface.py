"""Surfaces of functions: closed, on the zero level, with even triangles, converging to the solid."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from signorini.geometry.isosurface import isosurface
from signorini.geometry.mass_properties import check_closed, mass_properties, surface_parts

Array = NDArray[np.float64]
CORNER = np.full(3, 0.6)


def ball(x: Array) -> Array:
    return np.linalg.norm(x, axis=1) - 0.5


def ring(x: Array) -> Array:
    return np.hypot(np.hypot(x[:, 0], x[:, 1]) - 0.35, x[:, 2]) - 0.15


def two_balls(x: Array) -> Array:
    return np.minimum(np.linalg.norm(x - [0.3, 0, 0], axis=1), np.linalg.norm(x - [-0.3, 0, 0], axis=1)) - 0.2


@pytest.mark.parametrize(("function", "euler", "parts"), [(ball, 2, 1), (ring, 0, 1), (two_balls, 4, 2)])
def test_surface_is_closed_even_and_on_the_level(function, euler: int, parts: int) -> None:
    edge = 0.06
    mesh = isosurface(function, -CORNER, CORNER, edge=edge)
    check_closed(mesh)
    assert surface_parts(mesh).max() + 1 == parts
    assert len(mesh.vertices) - len(mesh.triangles) // 2 == euler
    assert np.abs(function(mesh.vertices)).max() < 1e-9
    x = mesh.vertices[mesh.triangles]
    lengths = np.linalg.norm(x - np.roll(x, 1, axis=1), axis=2)
    assert np.median(lengths) == pytest.approx(edge, rel=0.1)
    assert lengths.min() > 0.45 * edge
    assert lengths.max() < 1.8 * edge


def test_volume_converges_with_the_square_of_the_edge() -> None:
    exact = np.pi / 6.0
    errors = [exact - mass_properties(isosurface(ball, -CORNER, CORNER, edge=e), 1.0).volume for e in (0.06, 0.03)]
    assert np.log2(errors[0] / errors[1]) == pytest.approx(2.0, abs=0.1)
    assert errors[1] < 0.002 * exact


def test_lattice_nodes_exactly_on_the_level_do_no_harm() -> None:
    """A cube whose sides contain whole planes of lattice nodes; its sharp edges are cut off."""
    mesh = isosurface(lambda x: np.abs(x).max(axis=1) - 0.3, -CORNER, CORNER, edge=0.1 / 2.3)
    check_closed(mesh)
    assert 0.95 * 0.6**3 < mass_properties(mesh, 1.0).volume < 0.6**3
