"""Picture of what was checked: surfaces in grey, triangles of faults and their places in colour (extra `render`)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from signorini.diagnosis.coloured_mesh import PLAIN, marks, triangle_colours
from signorini.diagnosis.fault import CheckReport
from signorini.errors import InputError, MissingExtraError

SIZE = (1280, 720)
"""Width and height [pixels]."""
OPACITY = 0.45
"""Of surfaces without faults: what is inside is seen."""


def draw_faults(report: CheckReport, file: Path) -> Path:
    """Write a PNG that shows where the faults are; surfaces are transparent, so that hidden ones are seen."""
    if file.suffix.lower() != ".png":
        raise InputError(f"the picture {str(file)!r} must end in .png")
    try:
        import pyvista
    except ImportError:
        raise MissingExtraError(
            'pictures need the package pyvista: install it with pip install "signorini[check]"'
        ) from None
    from vtkmodules.vtkCommonCore import vtkLogger, vtkObject

    vtkObject.GlobalWarningDisplayOff()  # about the missing X server
    vtkLogger.SetStderrVerbosity(vtkLogger.VERBOSITY_OFF)
    plotter = pyvista.Plotter(off_screen=True, window_size=list(SIZE))
    try:
        plotter.set_background("white")  # pyright: ignore[reportArgumentType, reportCallIssue]
        for surface in report.surfaces:
            good: Any = ((surface.triangles >= 0) & (surface.triangles < len(surface.vertices))).all(axis=1)
            good[good] = np.isfinite(surface.vertices[surface.triangles[good]]).all(axis=(1, 2))
            if not good.any():
                continue
            colours = triangle_colours(report, surface.name, len(surface.triangles))
            faulty = (colours != np.array(PLAIN, np.uint8)).any(axis=1)
            x = np.where(np.isfinite(surface.vertices), surface.vertices, 0.0)
            for chosen, opacity in ((good & ~faulty, OPACITY), (good & faulty, 1.0)):
                if chosen.any():
                    mesh = pyvista.PolyData.from_regular_faces(x, surface.triangles[chosen])
                    mesh.cell_data["colour"] = colours[chosen]
                    plotter.add_mesh(
                        mesh, scalars="colour", rgb=True, opacity=opacity, show_edges=True, edge_opacity=0.3
                    )
        places, tints, radius = marks(report)
        if len(places):
            points = pyvista.PolyData(places)
            points["colour"] = tints
            spheres: Any = points.glyph(geom=pyvista.Sphere(radius=radius), scale=False, orient=False)
            plotter.add_mesh(spheres, scalars="colour", rgb=True)
        plotter.add_text(f"{report.source}: {report.verdict}", font_size=10, color="black")
        plotter.camera_position = [(1.0, -1.9, 0.85), (0.0, 0.0, 0.0), (0.0, 0.0, 1.0)]
        plotter.reset_camera()  # pyright: ignore[reportCallIssue]
        plotter.screenshot(str(file))
    finally:
        plotter.close()
    return file
