"""Which vertices of a mesh have smooth patches, and how they are curved."""

from __future__ import annotations

import numpy as np
import pytest

import signorini as sg
from signorini.model.smooth_patches import find_patches, join_patches, no_patches


@pytest.mark.parametrize("subdivisions", [2, 3, 5])
def test_every_vertex_of_a_ball_has_the_patch_of_the_sphere(subdivisions: int) -> None:
    ball = sg.shapes.sphere(0.3, subdivisions=subdivisions)
    patches = find_patches(ball.vertices, ball.triangles)
    np.testing.assert_allclose(patches.radius, 0.3, rtol=1e-5)
    np.testing.assert_allclose(patches.tube, 0.3, rtol=1e-5)
    np.testing.assert_allclose(patches.outward, ball.vertices / 0.3, atol=1e-6)
    assert (np.abs(np.einsum("vi,vi->v", patches.outward, patches.along)) < 1e-9).all()
    # The patches meet: each reaches beyond the middle of the triangles around it.
    middle = ball.vertices[ball.triangles].mean(axis=1)
    cosine = np.einsum("ti,ti->t", middle, ball.vertices[ball.triangles[:, 0]]) / np.linalg.norm(middle, axis=1) / 0.3
    assert (cosine > patches.least_cosine[ball.triangles[:, 0]]).all()


def test_sharp_bodies_have_none() -> None:
    for mesh in (sg.shapes.box(1, 2, 3, cells=3), sg.shapes.sphere(1.0, subdivisions=1)):
        assert not find_patches(mesh.vertices, mesh.triangles).any


def test_open_meshes_have_none() -> None:
    ball = sg.shapes.sphere(1.0, subdivisions=4)
    assert not find_patches(ball.vertices, ball.triangles[1:]).any


def test_cylinder_is_curved_around_its_axis_only_and_flat_at_its_ends() -> None:
    cylinder = sg.shapes.cylinder(0.2, 0.5)
    patches, x = find_patches(cylinder.vertices, cylinder.triangles), cylinder.vertices
    side = np.hypot(x[:, 0], x[:, 1]) > 0.19
    np.testing.assert_allclose(patches.radius, np.where(side, 0.2, 0.0), atol=1e-6)
    assert (patches.tube == 0.0).all()
    np.testing.assert_allclose(patches.outward[side], x[side] * [5, 5, 0], atol=1e-6)
    np.testing.assert_allclose(patches.along[side, 2], 0.0, atol=1e-6)
    assert (np.diff(patches.starts)[side] == 2).all()  # the next ones on the same ring


def test_saddles_and_hollows_have_none() -> None:
    torus = sg.shapes.torus(1.0, 0.3, edge=0.1)
    patches = find_patches(torus.vertices, torus.triangles)
    from_axis = np.hypot(torus.vertices[:, 0], torus.vertices[:, 1])
    assert (patches.radius[from_axis < 0.9] == 0.0).all()
    outermost = from_axis > 1.29
    np.testing.assert_allclose(patches.radius[outermost], 1.3, rtol=0.02)
    np.testing.assert_allclose(patches.tube[outermost], 0.3, rtol=0.02)
    ball = sg.shapes.sphere(1.0, subdivisions=4)
    assert not find_patches(ball.vertices, ball.triangles[:, ::-1].copy()).any


def rounded_box() -> sg.TriangleMesh:
    """A long prism, along z, whose cross-section is a square with rounded corners of four steps."""
    corner = 0.5 * np.pi * np.arange(5) / 4
    arc = 0.1 * np.column_stack([np.cos(corner), np.sin(corner)])
    turn = [np.array([[c, -s], [s, c]]) for c, s in ((1, 0), (0, 1), (-1, 0), (0, -1))]
    ring = np.concatenate([(arc + 0.4) @ R.T for R in turn])
    n, i = len(ring), np.arange(len(ring))
    j = (i + 1) % n
    low, high = np.column_stack([ring, np.zeros(n)]), np.column_stack([ring, np.ones(n)])
    caps = [np.column_stack([0 * i + 2 * n, j, i]), np.column_stack([0 * i + 2 * n + 1, n + i, n + j])]
    triangles = np.concatenate([np.column_stack([i, j, n + j]), np.column_stack([i, n + j, n + i]), *caps])
    return sg.TriangleMesh(np.concatenate([low, high, [[0, 0, 0], [0, 0, 1]]]), triangles.astype(np.int32))


def test_where_a_rounded_edge_ends_the_flat_stays_flat() -> None:
    box = rounded_box()
    patches = find_patches(box.vertices, box.triangles)
    on_flat = np.abs(box.vertices[:, :2]).max(axis=1) > 0.499
    assert (patches.radius[on_flat] == 0.0).all()
    np.testing.assert_allclose(patches.radius[~on_flat][:-2], 0.1, rtol=1e-6)


def test_joined_patches_count_through() -> None:
    ball = sg.shapes.sphere(1.0, subdivisions=2)
    patches = find_patches(ball.vertices, ball.triangles)
    joined = join_patches([no_patches(3), patches, patches])
    first = 3 + len(patches.radius)
    assert joined.starts[3] == 0 and joined.starts[-1] == 2 * len(patches.neighbours)
    np.testing.assert_array_equal(joined.neighbours[joined.starts[first] :], patches.neighbours + first)
    np.testing.assert_array_equal(joined.radius[:3], 0.0)
