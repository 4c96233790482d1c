"""Meshes that are wrong in one way each, with the place of the fault."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from signorini.geometry import shapes


@dataclass(frozen=True)
class BadMesh:
    """Arrays, the fault that must be named, one of its places, and what a repair must achieve."""

    vertices: np.ndarray
    triangles: np.ndarray
    fault: str
    place: tuple[float, float, float] | None
    repaired: bool
    """Whether the repaired mesh has no errors and simulates."""


def ball() -> tuple[np.ndarray, np.ndarray]:
    mesh = shapes.sphere(0.5, subdivisions=4)
    return mesh.vertices.copy(), mesh.triangles.astype(np.int64)


def _joined(*parts: tuple[np.ndarray, np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    starts = np.cumsum([0, *(len(x) for x, _ in parts)])
    return np.concatenate([x for x, _ in parts]), np.concatenate(
        [t + s for (_, t), s in zip(parts, starts, strict=False)]
    )


def _of(mesh, shift=(0.0, 0.0, 0.0)) -> tuple[np.ndarray, np.ndarray]:
    return mesh.vertices + np.asarray(shift), mesh.triangles.astype(np.int64)


def _near(x, point) -> int:
    return int(np.argmin(np.linalg.norm(x - np.asarray(point), axis=1)))


def unused_nan() -> BadMesh:
    x, t = ball()
    return BadMesh(np.vstack([x, [[np.nan, 0, 0]]]), t, "not finite", None, True)


def used_nan() -> BadMesh:
    x, t = ball()
    place = tuple(x[7] * 1.0)
    x[7, 1] = np.inf
    return BadMesh(x, t, "not finite", place, False)


def missing_vertex() -> BadMesh:
    x, t = ball()
    t[5, 2] = 9999
    return BadMesh(x, t, "missing vertices", None, False)


def repeated_corner() -> BadMesh:
    x, t = ball()
    return BadMesh(x, np.vstack([t, [[3, 4, 4]]]), "degenerate", tuple((x[3] + 2 * x[4]) / 3), True)


def sliver() -> BadMesh:
    """A vertex in the middle of an edge: three corners on a line on one side of it."""
    x, t = ball()
    a, b, c = t[0]
    middle = len(x)
    x = np.vstack([x, [0.5 * (x[a] + x[b])]])
    t = np.vstack([[[a, b, middle]], t[1:], [[a, middle, c]], [[middle, b, c]]])
    return BadMesh(x, t, "degenerate", tuple(x[middle]), True)


def collapsed() -> BadMesh:
    """Two vertices of a ball at one place: two triangles are lines."""
    x, t = ball()
    a, b = t[10, :2]
    x[a] = x[b]
    return BadMesh(x, t, "degenerate", tuple(x[b]), True)


def repeated_triangle() -> BadMesh:
    x, t = ball()
    return BadMesh(x, np.vstack([t, t[20:23]]), "duplicate triangles", tuple(x[t[20]].mean(axis=0)), True)


def flat_fin() -> BadMesh:
    """Two triangles back to back on an edge."""
    x, t = ball()
    a, b = t[0, :2]
    x = np.vstack([x, [x[a] * 1.3]])
    fin = [[a, b, len(x) - 1], [b, a, len(x) - 1]]
    return BadMesh(x, np.vstack([t, fin]), "duplicate triangles", tuple(x[[a, b, -1]].mean(axis=0)), True)


def soup() -> BadMesh:
    x, t = ball()
    return BadMesh(x[t].reshape(-1, 3), np.arange(3 * len(t)).reshape(-1, 3), "duplicate vertices", tuple(x[0]), True)


def rounded_seam() -> BadMesh:
    """Half of the ball has vertices of its own, moved by the rounding of single precision."""
    x, t = ball()
    upper = x[t].mean(axis=1)[:, 2] > 0.0
    t = np.where(upper[:, None], t + len(x), t)
    seam = x[np.argmin(np.abs(x[:, 2]))]
    return BadMesh(np.vstack([x, x + 1e-9]), t, "duplicate vertices", tuple(seam), True)


def unused_vertex() -> BadMesh:
    x, t = ball()
    return BadMesh(np.vstack([x, [[2.0, 3.0, 4.0]]]), t, "unreferenced", (2.0, 3.0, 4.0), True)


def fin() -> BadMesh:
    x, t = ball()
    a, b = t[0, :2]
    x = np.vstack([x, [1.3 * x[a]]])
    return BadMesh(x, np.vstack([t, [[a, b, len(x) - 1]]]), "non-manifold edges", tuple(0.5 * (x[a] + x[b])), False)


def bow_tie() -> BadMesh:
    """Two balls with one vertex in common."""
    x, t = ball()
    top, bottom = _near(x, (0, 0, 1)), _near(x, (0, 0, -1))
    both, triangles = _joined((x, t), (x - x[bottom] + x[top], t))
    triangles[triangles == bottom + len(x)] = top
    return BadMesh(both, triangles, "non-manifold vertices", tuple(x[top]), False)


def inverted() -> BadMesh:
    x, t = ball()
    t[30:33] = t[30:33, ::-1]
    return BadMesh(x, t, "inverted", tuple(x[t[30]].mean(axis=0)), True)


def inside_out() -> BadMesh:
    x, t = ball()
    return BadMesh(x, t[:, ::-1], "inside-out", (0.0, 0.0, 0.0), True)


def moebius() -> BadMesh:
    n = 40
    angle = 2 * np.pi * np.arange(n) / n
    x = []
    for side in (-1, 1):
        r = 0.5 + 0.1 * side * np.cos(angle / 2)
        x.append(np.column_stack([r * np.cos(angle), r * np.sin(angle), 0.1 * side * np.sin(angle / 2)]))
    t = []
    for k in range(n):
        a, b, c, d = k, n + k, (k + 1) % n, n + (k + 1) % n
        if k == n - 1:
            c, d = d, c
        t += [[a, b, c], [c, b, d]]
    return BadMesh(np.concatenate(x), np.array(t), "one-sided", None, False)


def small_hole() -> BadMesh:
    x, t = ball()
    return BadMesh(x, np.delete(t, 40, axis=0), "open", tuple(x[t[40]].mean(axis=0)), True)


def larger_hole() -> BadMesh:
    """All triangles at a vertex are missing, and the vertex is left."""
    x, t = ball()
    top = _near(x, (0, 0, 1))
    rim = np.setdiff1d(t[(t == top).any(axis=1)], [top])
    return BadMesh(x, t[(t != top).all(axis=1)], "open", tuple(x[rim].mean(axis=0)), True)


def half_ball() -> BadMesh:
    """An opening that is no hole: nothing fills it."""
    x, t = ball()
    return BadMesh(x, t[x[t].mean(axis=1)[:, 2] < 0.36], "open", None, False)


def fold() -> BadMesh:
    """A vertex pushed over its neighbours, through their triangles."""
    x, t = ball()
    a = _near(x, (0, 0, 1))
    x[a] = 0.52 * np.array([np.sin(0.55), 0.0, np.cos(0.55)])
    return BadMesh(x, t, "intersecting", tuple(x[a]), True)


def two_cubes() -> BadMesh:
    cube = shapes.box(1.0, 1.0, 1.0, cells=4)
    x, t = _joined(_of(cube), _of(cube, (0.85, 0.13, 0.07)))
    return BadMesh(x, t, "intersecting", (0.45, 0.1, 0.5), False)


def two_layers() -> BadMesh:
    sheet = shapes.grid(1.0, 1.0, cells=4)
    x, t = _joined(_of(sheet), _of(sheet, (0.4, 0.1, 0.0)))
    return BadMesh(x, t, "overlapping", (0.2, 0.05, 0.0), False)


def ball_in_ball() -> BadMesh:
    x, t = _joined(_of(shapes.sphere(0.5, subdivisions=4)), _of(shapes.sphere(0.2, subdivisions=2), (0.1, 0, 0)))
    return BadMesh(x, t, "inside one another", (0.1, 0.0, 0.0), False)


def thin_gap() -> BadMesh:
    sheet = shapes.grid(1.0, 1.0, cells=10)
    x, t = _joined(_of(sheet), _of(sheet, (0.03, 0.02, 0.001)))
    return BadMesh(x, t, "thin", (0.0, 0.0, 0.0), False)


def giant() -> BadMesh:
    mesh = shapes.capsule(0.25, 1.3, edge=0.1)
    return BadMesh(100.0 * mesh.vertices, mesh.triangles.astype(np.int64), "size", None, False)


def lying() -> BadMesh:
    mesh = shapes.capsule(0.25, 1.3, edge=0.1)
    x = mesh.vertices - [0.0, 0.0, mesh.vertices[:, 2].min()]
    x = np.column_stack([x[:, 0], x[:, 2], -x[:, 1]])
    return BadMesh(x, mesh.triangles.astype(np.int64), "up axis", None, False)


BAD_MESHES = {
    make.__name__: make
    for make in (
        unused_nan, used_nan, missing_vertex, repeated_corner, sliver, collapsed, repeated_triangle, flat_fin, soup,
        rounded_seam, unused_vertex, fin, bow_tie, inverted, inside_out, moebius, small_hole, larger_hole, half_ball, fold,
        two_cubes, two_layers, ball_in_ball, thin_gap, giant, lying,
    )
}  # fmt: skip
