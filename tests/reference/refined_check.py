"""Intersections of refined surfaces by ipctk, independent of the product's own test."""

from __future__ import annotations

import ipctk
import numpy as np

from signorini.files.runs.trajectory import Trajectory
from signorini.render.refined_surfaces import RefinedSurfaces


class RefinedCheck:
    """Looks at the refined surfaces of a trajectory, frame by frame."""

    def __init__(self, trajectory: Trajectory) -> None:
        self.trajectory = trajectory
        self.refined = RefinedSurfaces(trajectory)
        triangles, first = [], 0
        start = self.placed(0)
        for name, body in trajectory.bodies.items():
            own = self.refined.parts[name].triangles if name in self.refined.parts else body.triangles
            triangles.append(own + first)
            first += len(start[name])
        faces = np.asfortranarray(np.concatenate(triangles), dtype=np.int32)
        edges = np.asfortranarray(ipctk.edges(faces), dtype=np.int32)
        self.mesh = ipctk.CollisionMesh(self.joined(start), edges, faces)

    def placed(self, frame: int) -> dict[str, np.ndarray]:
        """Vertices of all bodies, those of cloth refined."""
        positions = {name: self.trajectory.positions(name, frame) for name in self.trajectory.bodies}
        return positions | self.refined.place(positions)

    def joined(self, placed: dict[str, np.ndarray]) -> np.ndarray:
        return np.asfortranarray(np.concatenate([placed[name] for name in self.trajectory.bodies]))

    def intersects(self, frame: int) -> bool:
        """Whether an edge passes through a triangle, or refined cloth is on or below a plane."""
        placed = self.placed(frame)
        for plane in self.trajectory.half_spaces:
            if any((placed[name] @ np.array(plane.normal) <= plane.height).any() for name in self.refined.parts):
                return True
        return bool(ipctk.has_intersections(self.mesh, self.joined(placed)))
