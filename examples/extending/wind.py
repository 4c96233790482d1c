"""An energy of one's own: wind on a cloth, as a set of elements outside the package.

Each triangle feels the pressure of the air that blows against it: F = c A (n·(w − v)) n, shared by its three vertices, for a
wind w, the mean velocity v of the vertices and the normal n. The force depends on the velocity, so it is taken implicitly: its
damping matrix C = −∂F/∂v makes it stable for any coefficient and any step.

    python examples/extending/wind.py
"""

from dataclasses import dataclass

import numpy as np

import signorini as sg


@dataclass(frozen=True, slots=True)
class Wind(sg.Elements):
    """Air that blows against triangles."""

    nodes: np.ndarray
    """(t, 3) vertices of each triangle."""
    velocity: tuple[float, float, float]
    """w [m/s]"""
    coefficient: float
    """c [kg/(m² s)]: pressure per speed of the air relative to the cloth."""

    def forces(self, at: sg.Linearisation, internal: np.ndarray) -> np.ndarray:
        """(t, 3, 3) [N]: a third of each triangle's force on each of its vertices."""
        area, normal = self._faces(at.positions)
        relative = np.array(self.velocity) - at.velocities[self.nodes].mean(axis=1)
        push = (self.coefficient * area * (relative * normal).sum(axis=1))[:, None] * normal
        return np.repeat(push[:, None, :] / 3.0, 3, axis=1)

    def damping(self, at: sg.Linearisation, internal: np.ndarray) -> np.ndarray:
        """C (t, 3, 3, 3, 3) [N s/m] of each pair of vertices: c A n n' / 9."""
        area, normal = self._faces(at.positions)
        block = (self.coefficient * area / 9.0)[:, None, None] * normal[:, :, None] * normal[:, None, :]
        return np.broadcast_to(block[:, None, None], (len(block), 3, 3, 3, 3))

    def _faces(self, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        a, b, c = (x[self.nodes[:, k]] for k in range(3))
        twice = np.cross(b - a, c - a)
        size = np.linalg.norm(twice, axis=1)
        return 0.5 * size, twice / np.maximum(size, 1e-300)[:, None]


def flag(wind: float = 4.0) -> sg.Scene:
    """A flag on a pole, in a wind along x [m/s]."""
    scene = sg.Scene()
    mesh = sg.shapes.grid(0.6, 0.4, cells=(12, 8))
    cloth = scene.add_cloth(mesh, material="silk", rotation=(np.pi / 2, 0, 0), position=(0.3, 0, 1), name="flag")
    cloth.pin(np.flatnonzero(mesh.vertices[:, 0] < -0.299))
    air = Wind(mesh.triangles, velocity=(wind, 0.5, 0.0), coefficient=0.6)
    scene.add_elements(air, body="flag")
    return scene


if __name__ == "__main__":
    sim = sg.Simulation(flag(), dt=4e-3)
    for frame in sim.run(seconds=1.0, fps=10):
        end = sim.bodies["flag"].positions[:, 0].max()
        print(f"{frame.time:.1f} s: the free edge is {end:.3f} m from the pole")
