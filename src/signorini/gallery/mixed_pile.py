"""Rigid bodies, soft solids and sheets of cloth fall on each other (Otaduy2009 Fig. 4)."""

from __future__ import annotations

from signorini.gallery.entry import GalleryScene
from signorini.geometry import shapes
from signorini.geometry.tet_shapes import box_tets, cylinder_tets, sphere_tets
from signorini.scene.cloth_material import cloth_material
from signorini.scene.scene import Scene
from signorini.scene.solid_material import SolidMaterial

SIDE = 0.5
"""Side of a sheet [m]."""
SOFT = SolidMaterial(
    young=6e4, poisson=0.4, density=500.0, mass_damping=0.1, stiffness_damping=2e-3, model="corotational"
)
RIGID_DENSITY = 700.0
"""Density of the rigid bodies, that of wood [kg/m³]."""


def build(*, friction: float = 0.4, stiffness: float = 1.0, resolution: int = 31) -> Scene:
    """A cushion and two blocks on the ground, and above them by turns a sheet, rigid bodies, a sheet, soft bodies, a
    sheet, and a rigid ball. The sheets have resolution² vertices and end up squeezed between the bodies.
    """
    scene = Scene(friction=friction, air_drag=0.5, name="mixed-pile")
    soft = SOFT.scaled(stiffness)
    cloth = cloth_material("cotton", "mass-spring").scaled(stiffness)
    edge = max(SIDE / (resolution - 1), 0.02)

    def drop_sheet(name: str, height: float, turn: float) -> None:
        scene.add_cloth(
            shapes.grid(SIDE, SIDE, cells=resolution - 1),
            area_density=0.2,
            material=cloth,
            model="mass-spring",
            position=(0.0, 0.0, height),
            rotation=(0.0, 0.0, turn),
            name=name,
        )

    scene.add_ground()
    scene.add_soft_solid(
        box_tets(0.36, 0.24, 0.1, cells=(8, 6, 2)), material=soft, position=(0.0, 0.02, 0.06), name="cushion"
    )
    drop_sheet("sheet-1", 0.15, 0.2)
    scene.add_rigid(
        shapes.box(0.16, 0.12, 0.1, cells=(4, 3, 3)),
        density=RIGID_DENSITY,
        position=(-0.09, 0.02, 0.24),
        rotation=(0.1, 0.05, 0.3),
        name="block",
    )
    scene.add_rigid(
        shapes.torus(0.07, 0.025, edge=edge),
        density=RIGID_DENSITY,
        position=(0.1, 0.02, 0.22),
        rotation=(0.2, 0.1, 0.0),
        name="ring",
    )
    drop_sheet("sheet-2", 0.33, 0.9)
    scene.add_soft_solid(sphere_tets(0.07, edge=0.03), material=soft, position=(0.08, 0.03, 0.43), name="soft-ball")
    scene.add_soft_solid(
        cylinder_tets(0.05, 0.14, edge=0.028),
        material=soft,
        position=(-0.08, 0.0, 0.42),
        rotation=(1.3, 0.2, 0.0),
        name="roll",
    )
    drop_sheet("sheet-3", 0.53, -0.3)
    scene.add_rigid(shapes.sphere(0.06, edge=edge), density=RIGID_DENSITY, position=(-0.02, 0.02, 0.62), name="ball")
    scene.add_rigid(
        shapes.box(0.22, 0.08, 0.04, cells=(5, 2, 1)),
        density=RIGID_DENSITY,
        position=(0.03, 0.0, 0.74),
        rotation=(0.1, 0.1, 0.6),
        name="board",
    )
    return scene


SCENE = GalleryScene(
    name="mixed-pile",
    title="Rigid bodies, soft solids and sheets of cloth fall on each other",
    build=build,
    dt=5e-3,
    seconds=3.0,
    figure="Otaduy2009 Fig. 4",
)
