"""Vertebrae and disc: closed, free of intersections, nearly in touch, with the proportions of real ones."""

from __future__ import annotations

import os
from pathlib import Path

import ipctk
import numpy as np
import pytest
from numpy.typing import NDArray

from signorini.errors import InputError
from signorini.files.meshes.surface_meshes import load_mesh
from signorini.gallery.vertebra_shapes import BODY_HEIGHT, DISC_THICKNESS, SpineSegment, disc, spine_segment, vertebra
from signorini.geometry.embedding import embed
from signorini.geometry.lattice import lattice
from signorini.geometry.mass_properties import check_closed, mass_properties, surface_parts, welded
from signorini.geometry.triangle_mesh import TriangleMesh

EXTERNAL = os.environ.get("SIGNORINI_EXTERNAL_DATA")


@pytest.fixture(scope="module")
def segment() -> SpineSegment:
    return spine_segment()


def intersects(*meshes: TriangleMesh) -> bool:
    """Whether an edge of any mesh passes through a triangle of any mesh."""
    first = np.cumsum([0] + [len(m.vertices) for m in meshes])
    x = np.asfortranarray(np.concatenate([m.vertices for m in meshes]))
    faces = np.concatenate([m.triangles + f for m, f in zip(meshes, first, strict=False)]).astype(np.int32)
    faces = np.asfortranarray(faces)
    return ipctk.has_intersections(ipctk.CollisionMesh(x, ipctk.edges(faces), faces), x)


def distance(one: TriangleMesh, other: TriangleMesh, reach: float = 0.003) -> float:
    """The smallest distance from a vertex of one mesh to a triangle of the other, up to `reach` [m]."""
    smallest = reach
    for points, mesh in ((one.vertices, other), (other.vertices, one)):
        corners = mesh.vertices[mesh.triangles]
        low, high = corners.min(axis=1) - reach, corners.max(axis=1) + reach
        for p in points:
            near = corners[((low <= p) & (p <= high)).all(axis=1)]
            if len(near):
                smallest = min(smallest, to_triangles(p, near))
    return smallest


def to_triangles(p: NDArray[np.float64], corners: NDArray[np.float64]) -> float:
    a = corners[:, 0]
    normal = np.cross(corners[:, 1] - a, corners[:, 2] - a)
    normal /= np.linalg.norm(normal, axis=1, keepdims=True)
    over, nearest = np.ones(len(a), dtype=bool), np.full(len(a), np.inf)
    for k in range(3):
        q, along = corners[:, k], corners[:, (k + 1) % 3] - corners[:, k]
        s = np.clip(((p - q) * along).sum(axis=1) / (along * along).sum(axis=1), 0.0, 1.0)
        nearest = np.minimum(nearest, np.linalg.norm(p - q - s[:, None] * along, axis=1))
        over &= (np.cross(along, p - q) * normal).sum(axis=1) >= 0.0
    return float(np.where(over, np.abs(((p - a) * normal).sum(axis=1)), nearest).min())


@pytest.mark.parametrize("edge", [0.0018, 0.0026, 0.0032])
def test_vertebra_is_one_closed_surface_with_one_canal(edge: float) -> None:
    mesh = vertebra(edge=edge)
    check_closed(mesh, "vertebra")
    assert surface_parts(mesh).max() == 0
    assert len(mesh.vertices) - len(mesh.triangles) // 2 == 0  # a ring: body and arch around the canal
    assert not intersects(mesh)
    x = mesh.vertices[mesh.triangles]
    u, v = np.roll(x, -1, axis=1) - x, np.roll(x, 1, axis=1) - x
    cosine = (u * v).sum(axis=2) / (np.linalg.norm(u, axis=2) * np.linalg.norm(v, axis=2))
    assert np.degrees(np.arccos(cosine.max())) > 15.0
    assert np.median(np.linalg.norm(u, axis=2)) == pytest.approx(edge, rel=0.1)


def test_vertebra_has_some_thousand_triangles_and_is_symmetric() -> None:
    mesh = vertebra()
    assert 2000 < len(mesh.triangles) < 4000
    found = mass_properties(mesh, 1900.0)
    assert abs(found.centre[0]) < 2e-4
    assert found.centre[1] > 0.005  # the processes are at the back


def test_end_plates_are_hollow() -> None:
    mesh = vertebra()
    r = np.hypot(mesh.vertices[:, 0], mesh.vertices[:, 1])
    middle = mesh.vertices[(r < 0.003) & (mesh.vertices[:, 2] > 0), 2]
    ring = mesh.vertices[(r > 0.011) & (r < 0.0125) & (mesh.vertices[:, 2] > 0.01), 2]
    assert len(middle) > 0
    assert ring.min() - middle.max() > 0.0003
    assert 0.001 < 0.5 * BODY_HEIGHT - middle.min() < 0.003


def test_nothing_overlaps_and_the_disc_nearly_touches(segment: SpineSegment) -> None:
    surface, _ = segment.disc.surface()
    check_closed(surface, "disc")
    assert not intersects(segment.lower, surface, segment.upper)
    for bone in (segment.lower, segment.upper):
        assert 1.5e-4 < distance(bone, surface) <= 2.05e-4
    assert distance(segment.lower, segment.upper) > 0.001


@pytest.mark.parametrize("gap", [5e-5, 1e-3])
def test_the_gap_is_what_was_asked_for(segment: SpineSegment, gap: float) -> None:
    surface, _ = disc(gap=gap).surface()
    assert 0.5 * gap < distance(segment.lower, surface) <= 1.03 * gap
    assert not intersects(segment.lower, surface, segment.upper)


@pytest.mark.parametrize("wanted", [1000, 6000, 20_000])
def test_the_disc_has_about_as_many_tetrahedra_as_wanted(wanted: int) -> None:
    mesh = disc(tetrahedra=wanted)
    assert len(mesh.tetrahedra) == pytest.approx(wanted, rel=0.2)
    x = mesh.vertices[mesh.tetrahedra]
    longest = np.max([np.linalg.norm(x[:, i] - x[:, j], axis=1) for i in range(4) for j in range(i)], axis=0)
    assert (6.0 * np.sqrt(2.0) * mesh.volumes() / longest**3).min() > 0.05  # 1 for a regular one
    assert mesh.volume() == pytest.approx(disc(tetrahedra=6000).volume(), rel=0.05)


def test_scale_multiplies_everything_but_gap_and_edge() -> None:
    large = spine_segment(scale=10.0, edge=0.028, tetrahedra=2000, gap=6e-4)
    assert np.ptp(large.lower.vertices[:, 0]) == pytest.approx(10.0 * np.ptp(vertebra().vertices[:, 0]), rel=0.02)
    surface, _ = large.disc.surface()
    assert np.ptp(surface.vertices[:, 2]) > 10.0 * DISC_THICKNESS
    assert not intersects(large.lower, surface, large.upper)
    assert 1e-4 < distance(large.lower, surface) <= 6.2e-4


@pytest.mark.parametrize(
    ("build", "words"),
    [
        (lambda: vertebra(edge=0.1), ["edge of a vertebra", "0.1 m", "0.0032 m"]),
        (lambda: vertebra(edge=1e-5), ["edge of a vertebra", "1e-05 m"]),
        (lambda: vertebra(scale=0), ["scale of a vertebra"]),
        (lambda: disc(gap=-1e-4), ["gap of a disc", "-0.0001 m"]),
        (lambda: disc(gap=0.004), ["gap of a disc", "quarter", "0.004 m"]),
        (lambda: spine_segment(gap=1e-6), ["gap of a spine segment", "4.1e-05 m", "1e-06 m"]),
        (lambda: disc(tetrahedra=3), ["tetrahedra of a disc", "200", "3"]),
    ],
)
def test_bad_parameters_are_named(build, words: list[str]) -> None:
    with pytest.raises(InputError) as caught:
        build()
    for word in words:
        assert word in str(caught.value)


@pytest.mark.skipif(EXTERNAL is None, reason="SIGNORINI_EXTERNAL_DATA is not set: no scanned spine")
def test_proportions_are_those_of_a_scanned_spine(segment: SpineSegment) -> None:
    folder = Path(str(EXTERNAL)) / "spine"
    bone = welded(load_mesh(folder / "FMA13074.stl", scale=1e-3))
    between = welded(load_mesh(folder / "FMA16035.stl", scale=1e-3))
    ours, theirs = np.ptp(segment.lower.vertices, axis=0), np.ptp(bone.vertices, axis=0)
    np.testing.assert_allclose(ours, theirs, rtol=0.2)
    assert mass_properties(segment.lower, 1.0).volume == pytest.approx(mass_properties(bone, 1.0).volume, rel=0.2)
    np.testing.assert_allclose(
        np.ptp(segment.disc.vertices, axis=0)[:2], np.ptp(between.vertices, axis=0)[:2], rtol=0.2
    )
    for mesh in (bone, between):
        embed(lattice(mesh, tetrahedra=3000), mesh.vertices, "scan")
