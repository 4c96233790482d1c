"""Scenes whose steps were once certified and absurd: tests hold them, and `benchmarks/absurd_steps.py` measures them.

They use only the public names of the package, so that an earlier version can be measured with the same file.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

import signorini as sg


def slot(room: float, friction: float = 0.0) -> sg.Scene:
    """A cube of 1 m that flies at 10 m/s between two plates with `room` [m] above and below."""
    scene, cube = sg.Scene(gravity=(0, 0, 0), friction=friction), sg.shapes.box(1, 1, 1)
    scene.add_rigid(cube, density=1000, position=(-4, 0.1, 0), velocity=(10, 0, 0), name="cube")
    for z in (-0.5 - room, 0.5 + room):
        corners = np.array([[-5, -5, z], [5, -5, z], [-5, 5, z], [5, 5, z]], float)
        scene.add_kinematic(sg.TriangleMesh(corners, np.array([[0, 1, 2], [1, 3, 2]])))
    return scene


def rod_and_plate(rate: float) -> sg.Scene:
    """A rod of 0.6 m that turns about z at a `rate` [rad/s]; a plate at x = 0, from y = 0.26 to 0.4, is in the way of its end."""
    scene = sg.Scene(gravity=(0, 0, 0))
    grid = sg.shapes.grid(0.14, 0.2, cells=6)
    across, along = grid.vertices[:, 0], grid.vertices[:, 1]
    scene.add_kinematic(sg.TriangleMesh(np.c_[0 * across, across + 0.33, along], grid.triangles))
    rod = sg.shapes.box(0.6, 0.01, 0.01, cells=(12, 1, 1))
    scene.add_rigid(rod, density=2700, rotation=(0, 0, np.pi / 2 - 0.6), angular_velocity=(0, 0, rate), name="rod")
    return scene


def ball_in_a_sheet() -> sg.Scene:
    """A ball of 20 m/s that hits a sheet pinned at its corners: 4.6 and 13 times its energy at 33 ms."""
    scene = sg.Scene(gravity=(0, 0, 0))
    scene.add_cloth(sg.shapes.grid(1, 1, cells=14)).pin([0, 14, 210, 224])
    scene.add_rigid(sg.shapes.sphere(0.08), density=1000, position=(0, 0, 0.3), velocity=(0, 0, -20))
    return scene


def cloth_on_a_box() -> sg.Scene:
    """A sheet that falls on a box, for time steps of 100 ms."""
    scene = sg.Scene()
    scene.add_ground()
    scene.add_cloth(sg.shapes.grid(1, 1, cells=14), position=(0, 0, 0.15))
    scene.add_rigid(sg.shapes.box(0.2, 0.2, 0.1), density=500, position=(0, 0, 0.06))
    return scene


def needle() -> sg.Scene:
    """A thin needle that spins and falls: its fast precession was followed by an iteration that diverged, 3.3 J became 757 J in a
    step of free flight.
    """
    scene = sg.Scene()
    scene.add_ground()
    scene.add_rigid(
        sg.shapes.box(0.4, 0.004, 0.004), density=7800, position=(0, 0, 0.3), rotation=(0.2, 0.3, 0),
        velocity=(0, 0, -10), angular_velocity=(0, 50, 0),
    )  # fmt: skip
    return scene


def ball_on_a_stiff_cube(size: float = 0.01, mass: float = 1e-3) -> sg.Scene:
    """A rigid ball of 1 m/s and a soft cube of 10 GPa at rest, both of one `size` [m] and `mass` [kg]."""
    scene = sg.Scene(gravity=(0, 0, 0), friction=0.3)
    scene.add_rigid(sg.shapes.sphere(size / 2, subdivisions=2), mass=mass, velocity=(1, 0, 0), name="ball")
    scene.add_soft_solid(
        sg.shapes.box_tets(size, size, size, cells=1), density=mass / size**3, young=1e10, mass_damping=0.0,
        position=(1.1 * size, 0.2 * size, 0), name="cube",
    )  # fmt: skip
    return scene


def momentum(sim: sg.Simulation) -> np.ndarray:
    """Momentum (3,) of all bodies [N s]; the nodes that hold an angular velocity have no mass."""
    return sim._world.model.mass @ sim.state.v


def pinned_near_the_ground() -> sg.Scene:
    """A sheet with all its vertices pinned 2 mm above the ground."""
    scene = sg.Scene()
    scene.add_ground()
    scene.add_cloth(sg.shapes.grid(1, 1, cells=8), position=(0, 0, 0.002)).pin(range(81))
    return scene


def squeezed_sheets(friction: float, *, cells: int) -> sg.Scene:
    """Three sheets between plates 24 cm apart that close at 0.5 m/s."""
    scene, gap = sg.Scene(friction=friction), 0.06
    for k in range(3):
        scene.add_cloth(sg.shapes.grid(1, 1, cells=cells), position=(0, 0, gap * (k + 1)), name=f"sheet {k}")
    board = sg.shapes.box(1.4, 1.4, 0.05)
    scene.add_kinematic(board, position=(0, 0, -0.025), name="lower")
    down = sg.motions.Translate(velocity=(0, 0, -0.5))
    scene.add_kinematic(board, position=(0, 0, 4 * gap + 0.025), motion=down, name="upper")
    return scene


def wedge_on_a_cube(speed: float) -> sg.Scene:
    """The edge of a wedge that presses a cube of 5 cm on the ground at a `speed` [m/s], off its middle and without friction.

    The linearised contacts have a way out: the cube tips under the edge and leaves, at 680 m/s in a step of 20 ms.
    """
    scene, side, height = sg.Scene(friction=0.0), 0.05, 0.1
    scene.add_ground()
    scene.add_rigid(sg.shapes.box(side, side, side), density=1000, position=(0, 0, side / 2 + 1e-3), name="cube")
    half = height * np.tan(0.3)
    corners = [[x, y, z] for x, z in ((0, 0), (-half, height), (half, height)) for y in (-0.1, 0.1)]
    sides = [[0, 2, 1], [1, 2, 3], [0, 1, 4], [1, 5, 4], [2, 4, 3], [3, 4, 5], [0, 4, 2], [1, 3, 5]]
    wedge, down = sg.TriangleMesh(np.array(corners, float), np.array(sides)), (0, 0, -speed)
    above = (0.3 * side, 0, side + 4e-3)
    scene.add_kinematic(wedge, position=above, motion=sg.motions.Translate(velocity=down), name="wedge")
    return scene


def leaning_cards(storeys: int, friction: float = 0.25) -> sg.Scene:
    """A-frames of cards of 88 mm that lean by 20 degrees, a row fewer in each storey, with a flat card across each two.

    They slide apart below a friction of 0.18.
    """
    scene, lean, gap, thickness = sg.Scene(friction=friction), np.radians(20.0), 2e-5, 1e-3
    scene.add_ground()
    s, c, floor = np.sin(lean), np.cos(lean), gap
    rise, reach = 0.088 * c + thickness * s, 0.5 * (0.088 * s + thickness * c)
    pitch = 4.0 * (reach + gap)
    for storey in range(storeys):
        middles = pitch * (np.arange(storeys - storey) - 0.5 * (storeys - storey - 1))
        for side in (-1.0, 1.0):
            for middle in middles.tolist():
                scene.add_rigid(
                    sg.shapes.box(thickness, 0.063, 0.088), density=700.0, rotation=(0, -side * lean, 0),
                    position=(middle + side * (reach + 0.5 * gap), 0, floor + 0.5 * rise),
                )  # fmt: skip
        floor += rise + gap
        for middle in (0.5 * (middles[1:] + middles[:-1])).tolist():
            card = sg.shapes.box(pitch - 2.0 * gap, 0.063, thickness)
            scene.add_rigid(card, density=700.0, position=(middle, 0, floor + 0.5 * thickness))
        floor += thickness + gap
    return scene


def kicking_dancer(resolution: int = 18) -> sg.Scene:
    """A dancer in a skirt of six layers, `resolution` vertices around each, who kicks her right leg up to 115° and puts it down.

    The skirt of 864 vertices is pinched between leg and body from 0.28 s on.
    """
    from signorini.characters.dancer import procedural_dancer
    from signorini.gallery.dancer import build

    dancer = procedural_dancer(turns=0.0)
    begin, kick = 0.1, 0.25
    rest, part = dancer.articulation, 0.5 - 0.5 * np.cos(2.0 * np.pi * np.linspace(0.0, 1.0, 41))
    times = np.concatenate([[0.0], begin + 2.0 * kick * np.linspace(0.0, 1.0, 41)])
    rotations = np.tile(rest.rotations[:1], (len(times), 1, 1))
    up = -2.0 * np.concatenate([[0.0], part])
    thigh = rest.names.index("right thigh")
    rotations[:, thigh] = np.column_stack([np.sin(0.5 * up), 0.0 * up, 0.0 * up, np.cos(0.5 * up)])
    translations = np.tile(rest.translations[:1], (len(times), 1, 1))
    moving = replace(rest, times=times, rotations=rotations, translations=translations)
    return build(resolution=resolution, skeleton=replace(dancer, articulation=moving))
