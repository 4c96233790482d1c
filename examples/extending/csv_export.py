"""A file format of one's own: the vertices of every frame as rows of a CSV table, for spreadsheets and pandas.

python examples/extending/csv_export.py
"""

import csv
from pathlib import Path

import signorini as sg


@sg.exporter("csv")
def write_csv(selection: sg.FrameSelection, file: Path) -> list[Path]:
    """Write one row a vertex and frame: time [s], body, vertex, x, y, z [m]."""
    with file.open("w", newline="", encoding="utf-8") as stream:
        table = csv.writer(stream)
        table.writerow(["time", "body", "vertex", "x", "y", "z"])
        for frame, time in zip(selection.frames, selection.times, strict=True):
            for name in selection.bodies:
                for vertex, point in enumerate(selection.positions(name, frame)):
                    table.writerow([f"{time:.6g}", name, vertex, *(f"{c:.9g}" for c in point)])
    return [file]


if __name__ == "__main__":
    scene = sg.Scene()
    scene.add_rigid(sg.shapes.box(0.1, 0.1, 0.1), density=500, position=(0, 0, 0.3), name="box")
    scene.add_ground()
    sg.run(scene, "runs/box", seconds=0.2, dt=5e-3, force=True)
    print("written:", *sg.export("runs/box", "runs/box/vertices.csv"))
