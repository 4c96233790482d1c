"""An arm of two bones that bends, and measures of the surface around it."""

from __future__ import annotations

import numpy as np
from scipy.spatial.transform import Rotation

from signorini.characters.articulation import Articulation
from signorini.characters.skeleton import Skeleton
from signorini.geometry.triangle_mesh import TriangleMesh


def arm(*, bend: float = np.pi / 2) -> Articulation:
    """Two bones of 0.3 m along x from (0, 0, 1); from 0 to 1 s the elbow bends about y and the shoulder moves 0.1 m up."""
    turns = Rotation.from_rotvec([[0, 0, 0], [0, -bend, 0]]).as_quat()
    still = np.tile([0.0, 0, 0, 1], (2, 1))
    places = np.tile([[0.0, 0, 1], [0.3, 0, 0]], (2, 1, 1))
    places[1, 0, 2] += 0.1
    return Articulation(
        ("shoulder", "elbow"), np.array([-1, 0]), np.array([0.0, 1.0]), places, np.stack([still, turns], axis=1)
    )


def arm_skeleton(**options: float) -> Skeleton:
    return Skeleton.from_articulation(arm(**options), tips=[(1, (0.3, 0, 0))], radii={"shoulder": 0.05, "elbow": 0.04})


def segment_distance(x: np.ndarray, head: np.ndarray, tail: np.ndarray) -> np.ndarray:
    axis = tail - head
    s = np.clip((x - head) @ axis / (axis @ axis), 0.0, 1.0)
    return np.linalg.norm(x - head - s[:, None] * axis, axis=1)


def closed(mesh: TriangleMesh) -> bool:
    """Every directed edge once, and its reverse once."""
    t = mesh.triangles
    edges = [tuple(e) for e in np.concatenate([t[:, [0, 1]], t[:, [1, 2]], t[:, [2, 0]]]).tolist()]
    return len(set(edges)) == len(edges) and all((b, a) in set_of for set_of in [set(edges)] for a, b in edges)


def volume(mesh: TriangleMesh) -> float:
    a, b, c = mesh.vertices[mesh.triangles].transpose(1, 0, 2)
    return float((a * np.cross(b, c)).sum() / 6.0)
