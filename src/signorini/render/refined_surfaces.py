"""Smooth surfaces of cloth that stay apart: subdivision that yields near contacts, and wherever it would intersect.

Near another surface the smooth one moves away from the flat one by at most a quarter of the distance there, so that two layers
keep at least half of it. What intersects nevertheless (folds that are sharper than the mesh) is brought back half of the way,
again and again: the flat subdivision lies on the surface of the simulation, which does not intersect.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from signorini.collision.broad_phase import BoxTree, refined_nodes
from signorini.collision.detect import detect_proximity
from signorini.collision.intersections import find_intersections
from signorini.collision.surface import FREE, PRESCRIBED, Surface, build_surface
from signorini.geometry.triangles import side_lengths
from signorini.render.frame_source import FrameSource
from signorini.render.subdivision import Subdivision, loop_subdivision

Floats = NDArray[np.float64]
NEAR = 0.2
"""Distance over the mean edge of cloth within which surfaces are near: twice the default contact distance."""
PART = 0.25
"""Part of the distance by which a surface may move towards a near one."""
ROUNDS = 12
"""Halvings of what intersects before it becomes flat."""


class RefinedSurfaces:
    """The cloth of a trajectory, subdivided once; all other bodies as they are."""

    def __init__(self, trajectory: FrameSource, *, kinds: tuple[str, ...] = ("cloth",)):
        self._trajectory = trajectory
        first = {name: trajectory.positions(name, 0) for name in trajectory.bodies}
        self.parts: dict[str, Subdivision] = {
            name: loop_subdivision(first[name], body.triangles)
            for name, body in trajectory.bodies.items()
            if body.kind in kinds and len(body.triangles)
        }
        """Subdivisions by name of body."""
        if not self.parts:
            return
        coarse = {name: body.triangles for name, body in trajectory.bodies.items()}
        fine = coarse | {name: part.triangles for name, part in self.parts.items()}
        self._coarse = BoxTree(self._surface(coarse, first), self._joined(first))
        flat = {name: part.flat @ first[name] for name, part in self.parts.items()}
        surface, start = self._surface(fine, first | flat), self._joined(first | flat)
        self._fine = BoxTree(surface, start, nodes=refined_nodes(self._coarse, self._children()))
        edges = [side_lengths(first[name], trajectory.bodies[name].triangles).ravel() for name in self.parts]
        self._near = NEAR * float(np.concatenate(edges).mean())

    def place(self, positions: Mapping[str, Floats]) -> dict[str, Floats]:
        """The vertices of the refined cloth (m, 3) [m], by body, for the positions (n, 3) of all bodies."""
        if not self.parts:
            return {}
        limits = self._limits(positions)
        flat = {name: part.flat @ positions[name] for name, part in self.parts.items()}
        bend: dict[str, Floats] = {}
        for name, part in self.parts.items():
            own = part.bend @ positions[name]
            length = np.linalg.norm(own, axis=1)
            # A new vertex is as near as the nearer one of the ends of its edge.
            limit = np.concatenate([limits[name], limits[name][part.ends].min(axis=1)])
            own *= np.minimum(1.0, limit / np.maximum(length, 1e-300))[:, None]
            bend[name] = own
        self._yield(positions, flat, bend)
        return {name: flat[name] + bend[name] for name in self.parts}

    def intersections(self, placed: Mapping[str, Floats], positions: Mapping[str, Floats]) -> int:
        """Number of edges that pass through triangles, and of vertices below planes."""
        if not self.parts:
            return 0
        return len(find_intersections(self._fine, self._joined({**positions, **placed})))

    def _limits(self, positions: Mapping[str, Floats]) -> dict[str, Floats]:
        """Bounds (n,) on the motion of each vertex of the cloth [m]: a part of the distance to what is near."""
        x, surface = self._joined(positions), self._coarse.surface
        candidates = self._coarse.find_candidates(x, x, distance=self._near, margin=0.0)
        near = detect_proximity(surface, candidates, x, distance=self._near).contacts
        limit = np.full(len(x), np.inf)
        used = near.vertices >= 0
        distance = np.broadcast_to(np.maximum(near.distance, 0.0)[:, None], used.shape)
        np.minimum.at(limit, near.vertices[used], PART * distance[used])
        return {name: limit[rows] for name, rows in self._rows(positions).items() if name in self.parts}

    def _yield(self, positions: Mapping[str, Floats], flat: Mapping[str, Floats], bend: Mapping[str, Floats]) -> None:
        """Halve `bend` around everything that intersects until nothing does; after `ROUNDS` it is made flat there.

        Each round after that flattens further vertices. If all that intersects is flat already, the simulated surface
        intersects, and it is drawn as it is.
        """
        fine = dict(positions) | dict(flat)
        rows, surface = self._rows(fine), self._fine.surface
        for number in itertools.count():
            x = self._joined(fine | {name: flat[name] + bend[name] for name in self.parts})
            found = find_intersections(self._fine, x)
            if not len(found):
                return
            wrong = np.zeros(len(x), np.bool_)
            wrong[surface.edges[found.edge_triangle[:, 0]]] = True
            wrong[surface.triangles[found.edge_triangle[:, 1]]] = True
            wrong[found.vertex_plane[:, 0]] = True
            # With their neighbours, so that a kink does not take the place of an intersection.
            touched = surface.triangles[wrong[surface.triangles].any(axis=1)]
            wrong[touched] = True
            if number >= ROUNDS and not any(bend[name][wrong[rows[name]]].any() for name in self.parts):
                return
            factor = np.where(wrong, 0.5 if number < ROUNDS else 0.0, 1.0)
            for name in self.parts:
                bend[name][:] *= factor[rows[name], None]

    def _children(self) -> list[NDArray[np.int32]]:
        """The leaves of the fine surface that each leaf of the coarse one becomes."""
        children, first = [], 0
        for name, body in self._trajectory.bodies.items():
            parts, count = (4 if name in self.parts else 1), len(body.triangles)
            children += list(np.arange(first, first + parts * count, dtype=np.int32).reshape(count, parts))
            first += parts * count
        lone = len(self._coarse.surface.leaves) - len(children)
        return children + list(np.arange(first, first + lone, dtype=np.int32).reshape(lone, 1))

    def _surface(self, triangles: Mapping[str, NDArray[np.int32]], positions: Mapping[str, Floats]) -> Surface:
        """The collision surface of all bodies with these triangles; those that are no cloth move as wholes."""
        meshes, group, edges, first = [], [], [], 0
        for number, (name, body) in enumerate(self._trajectory.bodies.items()):
            count = len(positions[name])
            meshes.append((triangles[name], first, count, number))
            edges.append((body.edges, first))
            group.append(np.full(count, FREE if name in self.parts else PRESCRIBED))
            first += count
        bodies = len(meshes)
        planes = [
            (np.asarray(p.normal, dtype=np.float64), p.height, bodies + k)
            for k, p in enumerate(self._trajectory.half_spaces)
        ]
        return build_surface(meshes, np.concatenate(group), planes, edges=edges)

    def _joined(self, positions: Mapping[str, Floats]) -> Floats:
        return np.concatenate([positions[name] for name in self._trajectory.bodies])

    def _rows(self, positions: Mapping[str, Floats]) -> dict[str, slice]:
        """Ranges of the vertices of each body."""
        starts = np.cumsum([0, *(len(positions[name]) for name in self._trajectory.bodies)])
        return {name: slice(starts[k], starts[k + 1]) for k, name in enumerate(self._trajectory.bodies)}
