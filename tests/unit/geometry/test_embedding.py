"""Embedding: weights are barycentric, reproduce affine maps, and outside points are named; volume fractions are measured."""

from __future__ import annotations

import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.spatial import ConvexHull, Delaunay

from signorini.errors import InputError
from signorini.geometry import shapes
from signorini.geometry.embedding import SMALLEST_FRACTION, embed, embedded_volume_fractions
from signorini.geometry.lattice import lattice
from signorini.geometry.mass_properties import mass_properties
from signorini.geometry.tet_mesh import TetMesh
from signorini.geometry.triangle_mesh import TriangleMesh

Array = NDArray[np.float64]

PLANE_MAX, PLANE_MEAN = 0.02, 0.006
"""Errors of the fraction of one tetrahedron; 0.018 and 0.0056 were the worst measured."""
VOLUME_ERROR = 0.004
"""Relative error of the volume of a whole solid; 0.0026 was the worst measured."""


def cloud(seed: int, count: int = 60) -> TetMesh:
    """The Delaunay tetrahedra of random points: of all sizes and shapes, and their union is convex."""
    points = np.random.default_rng(seed).normal(size=(count, 3)) * [1.0, 2.0, 0.5]
    simplices = Delaunay(points).simplices
    x = points[simplices]
    volume = np.abs(np.linalg.det(x[:, 1:] - x[:, :1]))
    return TetMesh.flipped(points, simplices[volume > 1e-6])


def naive_weights(cage: TetMesh, t: int, point: Array) -> Array:
    corners = cage.vertices[cage.tetrahedra[t]]
    return np.linalg.solve(np.vstack([corners.T, np.ones(4)]), np.append(point, 1.0))


def points_in(cage: TetMesh, seed: int, count: int) -> Array:
    rng = np.random.default_rng(seed)
    t = rng.integers(len(cage.tetrahedra), size=count)
    return np.einsum("kc,kci->ki", rng.dirichlet(np.full(4, 0.5), count), cage.vertices[cage.tetrahedra[t]])


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 10**6))
def test_weights_are_barycentric_and_reproduce_affine_maps(seed: int) -> None:
    cage = cloud(seed)
    points = points_in(cage, seed, 200)
    embedding = embed(cage, points, "dust")
    assert len(embedding) == 200
    assert embedding.tetrahedra.dtype == np.int32
    np.testing.assert_allclose(embedding.weights.sum(axis=1), 1.0, rtol=1e-14)
    assert embedding.weights.min() >= -1e-9
    np.testing.assert_array_equal(embedding.nodes, cage.tetrahedra[embedding.tetrahedra])
    np.testing.assert_allclose(embedding.positions(cage.vertices), points, atol=1e-11)
    rng = np.random.default_rng(seed + 1)
    F, shift = rng.normal(size=(3, 3)), rng.normal(size=3)
    np.testing.assert_allclose(embedding.positions(cage.vertices @ F.T + shift), points @ F.T + shift, atol=1e-10)


@pytest.mark.parametrize("seed", range(3))
def test_the_deepest_tetrahedron_is_that_of_brute_force(seed: int) -> None:
    cage = cloud(seed, 30)
    points = points_in(cage, seed, 50)
    embedding = embed(cage, points, "dust")
    for k, point in enumerate(points):
        every = np.array([naive_weights(cage, t, point) for t in range(len(cage.tetrahedra))])
        best = every.min(axis=1).max()
        assert embedding.weights[k].min() == pytest.approx(best, abs=1e-9)
        np.testing.assert_allclose(embedding.weights[k], naive_weights(cage, embedding.tetrahedra[k], point), atol=1e-9)


def test_nodes_and_points_on_faces_are_inside() -> None:
    cage = lattice(shapes.sphere(0.5), cell=0.2)
    embedding = embed(cage, cage.vertices, "nodes")
    np.testing.assert_allclose(embedding.positions(cage.vertices), cage.vertices, atol=1e-14)
    embed(cage, cage.vertices[cage.surface()[1][cage.surface()[0].triangles]].mean(axis=1), "faces")


def test_outside_points_are_counted_and_the_first_is_named_with_its_distance() -> None:
    cage = TetMesh(np.array([[0.0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]), np.array([[0, 1, 2, 3]], dtype=np.int32))
    inside = np.full((4, 3), 0.1)
    with pytest.raises(InputError) as caught:
        embed(cage, np.concatenate([inside, [[0.2, 0.2, -0.25], [0.2, -1e-6, 0.2]]]), "liver")
    for word in ("2 of 6", "'liver'", "vertex 4", "(0.2, 0.2, -0.25)", "0.25 m away", "lattice("):
        assert word in str(caught.value)
    for point, distance in (
        ([2.0, 0.0, 0.0], 1.0),  # nearest to a corner
        ([-0.3, -0.4, 0.5], 0.5),  # to an edge
        ([1.0, 1.0, 1.0], 2.0 / np.sqrt(3.0)),  # to a face
        ([0.2, -1e-6, 0.2], 1e-6),
    ):
        with pytest.raises(InputError, match=re.escape(f"{distance:.3g} m away")):
            embed(cage, np.array([point]), "liver")


def test_rounding_outside_is_tolerated() -> None:
    cage = lattice(shapes.box(1, 1, 1), cell=0.25)
    surface, _ = cage.surface()
    found = embed(cage, surface.vertices * (1.0 + 1e-12), "rounded")
    assert np.allclose(found.weights.sum(axis=1), 1.0, atol=1e-9)


@pytest.mark.parametrize("height", [0.03, 0.11, 0.27])
@pytest.mark.parametrize("tilt", [0.0, 0.4])
def test_fractions_of_tetrahedra_cut_by_a_plane(height: float, tilt: float) -> None:
    """A slab larger than the cage: the exact fraction is that of a tetrahedron cut by its top."""
    cage = lattice(shapes.sphere(0.5, subdivisions=8), cell=0.25)
    normal = np.array([np.sin(tilt), 0.0, np.cos(tilt)])
    R = np.array([[np.cos(tilt), 0, np.sin(tilt)], [0, 1, 0], [-np.sin(tilt), 0, np.cos(tilt)]])
    slab = shapes.box(20, 20, 20).moved(R, (height - 10.0) * normal)
    found = embedded_volume_fractions(cage, slab)
    exact = np.array([fraction_below(x, normal, height) for x in cage.vertices[cage.tetrahedra]])
    assert ((found > 0.0) & (found <= 1.0)).all()
    cut = (exact > 1e-9) & (exact < 1.0 - 1e-9)
    np.testing.assert_array_equal(found[~cut], np.maximum(np.round(exact[~cut]), SMALLEST_FRACTION))
    error = np.abs(found - exact)[cut]
    assert error.max() < PLANE_MAX
    assert error.mean() < PLANE_MEAN


def fraction_below(x: Array, normal: Array, height: float) -> float:
    h = x @ normal - height
    if (h >= 0).all() or (h <= 0).all():
        return float(h.max() <= 0)
    points = [x[i] for i in range(4) if h[i] <= 0]
    points += [x[i] + (x[j] - x[i]) * h[i] / (h[i] - h[j]) for i in range(4) for j in range(4) if h[i] < 0 < h[j]]
    volume = abs(np.linalg.det(x[1:] - x[0])) / 6.0
    return float(ConvexHull(points, qhull_options="QJ").volume / volume) if len(points) > 3 else 0.0


@pytest.mark.parametrize(
    ("surface", "cell"),
    [
        (shapes.sphere(0.5, subdivisions=12), 0.2),
        (shapes.box(1.0, 1.0, 1.0), 0.25),
        (shapes.torus(0.5, 0.1, edge=0.05), 0.15),
        (shapes.box(1.0, 0.1, 0.05), 0.1),
    ],
)
def test_the_fractions_give_the_volume_of_the_solid(surface: TriangleMesh, cell: float) -> None:
    cage = lattice(surface, cell=cell)
    exact = mass_properties(surface, 1.0)
    shares = embedded_volume_fractions(cage, surface) * cage.volumes()
    assert shares.sum() == pytest.approx(exact.volume, rel=VOLUME_ERROR)
    centre = shares @ cage.vertices[cage.tetrahedra].mean(axis=1) / shares.sum()
    np.testing.assert_allclose(centre, exact.centre, atol=1e-3)


def test_overlapping_cages_carry_each_their_own_solid() -> None:
    ball = shapes.sphere(0.5, subdivisions=6)
    both = TriangleMesh(
        np.concatenate([ball.vertices, ball.vertices + np.array([1.01, 0.0, 0.0])]),
        np.concatenate([ball.triangles, ball.triangles + len(ball.vertices)]).astype(np.int32),
    )
    cage = lattice(both, cell=0.3)
    shares = embedded_volume_fractions(cage, both) * cage.volumes()
    half = len(shares) // 2
    one = mass_properties(ball, 1.0).volume
    assert shares[:half].sum() == pytest.approx(one, rel=VOLUME_ERROR)
    assert shares[half:].sum() == pytest.approx(one, rel=VOLUME_ERROR)


def test_an_open_surface_has_no_fractions() -> None:
    with pytest.raises(InputError, match="embedded surface must be closed"):
        embedded_volume_fractions(lattice(shapes.box(1, 1, 1), cell=0.5), shapes.grid(1, 1))
