"""A round tablecloth whose threads run in rings and spokes, because the texture coordinates of its mesh do.

Writes `tablecloth.obj` (quads, centimetres, y up, as a modelling program would), lets it fall on a table, and draws the same
state twice: `with-uv.png` with the texture coordinates of the file, `without-uv.png` without.

    python examples/pictures/texture_coordinates.py
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

import signorini as sg

RINGS, SPOKES = 18, 72
RADIUS, HEIGHT = 60.0, 72.0
"""[cm]"""


def tablecloth() -> str:
    """A disc of quads around a small hole, as OBJ; u goes around it and v outwards. It is cut open along one spoke: a seam."""
    lines = []
    for ring in range(1, RINGS + 1):
        angle = 2.0 * np.pi * np.arange(SPOKES) / SPOKES
        r = RADIUS * ring / RINGS
        lines += [f"v {r * np.cos(a):.5f} {HEIGHT} {-r * np.sin(a):.5f}" for a in angle]
    for ring in range(1, RINGS + 1):
        lines += [f"vt {spoke / SPOKES:.6f} {ring / RINGS:.6f}" for spoke in range(SPOKES + 1)]
    for ring in range(RINGS - 1):
        for spoke in range(SPOKES):
            ahead = (spoke + 1) % SPOKES
            corners = [
                (ring * SPOKES + spoke, ring * (SPOKES + 1) + spoke),
                ((ring + 1) * SPOKES + spoke, (ring + 1) * (SPOKES + 1) + spoke),
                ((ring + 1) * SPOKES + ahead, (ring + 1) * (SPOKES + 1) + spoke + 1),
                (ring * SPOKES + ahead, ring * (SPOKES + 1) + spoke + 1),
            ]
            lines.append("f " + " ".join(f"{vertex + 1}/{place + 1}" for vertex, place in corners))
    return "\n".join(lines) + "\n"


def draped(mesh: sg.TriangleMesh, *, seconds: float) -> sg.Simulation:
    """The cloth on its table after some time."""
    scene = sg.Scene(friction=0.4)
    scene.add_cloth(mesh, name="tablecloth", color="firebrick", finish="checks")
    scene.add_kinematic(sg.shapes.box(0.7, 0.7, 0.7), position=(0, 0, 0.355), name="table")
    scene.add_ground()
    sim = sg.Simulation(scene, dt=1 / 120)
    while sim.time < seconds:
        sim.step()
    return sim


def main(seconds: float = 0.6, size: tuple[int, int] = (960, 540)) -> None:
    """Write the mesh and both pictures."""
    file = Path("tablecloth.obj")
    file.write_text(tablecloth())
    mesh = sg.load_mesh(file, unit="cm", up="y")
    for name, shown in (("with-uv", mesh), ("without-uv", sg.TriangleMesh(mesh.vertices, mesh.triangles))):
        sim = draped(shown, seconds=seconds)
        print(sim.render(f"{name}.png", size=size, view=(0.6, -1.6, 1.3)))


if __name__ == "__main__":
    main()
