"""Run a scene of the comparison in this package: `python -m` this module, with SCENE.npz OUT LIMIT [DT]."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

from signorini.geometry import shapes
from signorini.geometry.tet_mesh import TetMesh
from signorini.geometry.triangle_mesh import TriangleMesh
from signorini.scene.scene import Scene
from signorini.scene.solid_material import SolidMaterial
from signorini.simulation.simulation import Simulation
from signorini.studies.performance.peers.scenes import scene_arrays
from signorini.studies.performance.peers.stepping_loop import run_steps

DT = {"S1": 4e-3, "S2": 1e-2, "S3": 1e-2}
"""Steps of this package [s]."""


def build(name: str) -> Scene:
    """The scene."""
    a = scene_arrays(name)
    scene = Scene(friction=float(a["friction"]), name=name)
    if name == "S2":
        material = SolidMaterial(young=float(a["young"]), poisson=float(a["poisson"]), density=float(a["density"]))
        for k in range(int(a["bodies"])):
            nodes = a["x"][k * len(a["rest"]) : (k + 1) * len(a["rest"])]
            scene.add_soft_solid(TetMesh(nodes, a["tets"]), material=material, name=f"cube-{k}")
        for axis in range(2):
            for sign in (-1.0, 1.0):
                normal = (sign, 0.0, 0.0) if axis == 0 else (0.0, sign, 0.0)
                scene.add_ground(height=-float(a["half_width"]), normal=normal, name=f"wall-{axis}{sign:+.0f}")
    else:
        sheet = scene.add_cloth(
            TriangleMesh(a["x"], a["triangles"]), area_density=float(a["area_density"]), name="sheet"
        )
        if name == "S3":
            sheet.pin(a["pins"].tolist())
            ball = shapes.sphere(float(a["ball_radius"]), edge=0.03)
            scene.add_rigid(ball, mass=float(a["ball_mass"]), position=(0, 0, float(a["ball_height"])), name="ball")
    if name != "S3":
        scene.add_ground()
    return scene


def main(path: str, out: str, limit: float, dt: float | None = None) -> None:
    """Run it."""
    name = Path(path).stem
    dt, seconds = dt or DT[name], float(np.load(path)["seconds"])
    sim = Simulation(build(name), dt=dt)
    bodies = [body for body in sim.bodies.values() if body.name != "ball"]

    def positions() -> np.ndarray:
        if name == "S2":
            return np.concatenate([body.node_positions for body in bodies])
        return bodies[0].positions

    Simulation(build(name), dt=dt).step()  # loads the kernels
    about = {"scene": name, "simulator": "signorini", "settings": "default"}
    run_steps(out, sim.step, positions, dt=dt, seconds=seconds, cpu_limit=limit, about=about)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], *map(float, sys.argv[3:5]))
