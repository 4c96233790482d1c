"""Scene files with soft solids, rigid bodies and attachments: round trips are exact, errors name the key."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import signorini as sg
from signorini.errors import InputError
from signorini.files.scenes.scene_changes import with_stiffness
from signorini.files.scenes.scene_file import load_scene, save_scene
from signorini.geometry import tet_shapes
from signorini.geometry.lattice import lattice
from signorini.scene import motions
from signorini.scene.rigid import Rigid
from signorini.scene.soft_solid import SoftSolid

TEXT = """
[scene]
name = "all kinds"

[[soft_solid]]
name = "foam"
tets = { shape = "box_tets", width = 0.2, depth = 0.2, height = 0.1, cells = 2 }
material = "foam"
young = 8e4
position = [0, 0, 0.06]
pins = [{ vertices = [0, 1], motion = { kind = "turn", angle = 0.1, duration = 1.0 } }]

[[soft_solid]]
name = "ball"
tets = { shape = "lattice", cell = 0.05 }
surface = { shape = "sphere", radius = 0.05, edge = 0.03 }
material = { young = 2e4, poisson = 0.4, density = 900.0 }
model = "neo-hookean"
position = [0, 0, 0.18]
velocity = [0, 0, 1]
angular_velocity = [0, 0, 5]

[[rigid]]
name = "box"
mesh = { shape = "box", width = 0.1, depth = 0.08, height = 0.06 }
density = 300.0
position = [0, 0, 0.3]
rotation = [0.1, 0.2, 0.3]
angular_velocity = [1, 2, 3]

[[cloth]]
name = "sheet"
mesh = { shape = "grid", width = 0.3, depth = 0.3, cells = 6 }
position = [0, 0, 0.42]

[[kinematic]]
name = "hand"
mesh = { shape = "box", width = 0.1, depth = 0.1, height = 0.02 }
position = [0.2, 0.2, 0.5]
motion = { kind = "keyframes", times = [0, 1], translations = [[0, 0, 0], [0, 0, 0.1]] }

[[ground]]
name = "floor"

[[attachment]]
body = "sheet"
vertices = [48]
to = "hand"

[[attachment]]
body = "sheet"
vertices = [0]
to = "box"
"""


def write(path: Path, text: str) -> Path:
    file = path / "scene.toml"
    file.write_text(text, encoding="utf-8")
    return file


def test_a_file_is_the_calls_that_it_stands_for(tmp_path: Path) -> None:
    scene = load_scene(write(tmp_path, TEXT)).scene
    assert list(scene.bodies) == ["sheet", "foam", "ball", "box", "hand", "floor"]
    foam, ball, box = (scene.bodies[name] for name in ("foam", "ball", "box"))
    assert isinstance(foam, SoftSolid)
    assert isinstance(ball, SoftSolid)
    assert isinstance(box, Rigid)
    assert foam.material.young == 8e4
    assert foam.material.density == 40.0
    assert np.array_equal(foam.tets.vertices, tet_shapes.box_tets(0.2, 0.2, 0.1, cells=2).vertices)
    assert foam.pins[0].vertices.tolist() == [0, 1]
    assert foam.pins[0].motion == motions.Turn(angle=0.1, duration=1.0)
    sphere = sg.shapes.sphere(0.05, edge=0.03)
    assert np.array_equal(ball.tets.vertices, lattice(sphere, cell=0.05).vertices)
    assert np.array_equal(ball.mesh.vertices, sphere.vertices)
    assert (ball.material.poisson, ball.material.model) == (0.4, "neo-hookean")
    opposite = ball.node_positions * [-1.0, -1.0, 1.0]
    np.testing.assert_allclose(
        ball.node_velocities - [0, 0, 1], np.cross([0, 0, 2.5], ball.node_positions - opposite), atol=1e-3
    )
    assert box.mass == pytest.approx(300.0 * 0.1 * 0.08 * 0.06)
    assert box.angular_velocity.tolist() == [1.0, 2.0, 3.0]
    assert [(a.body, a.vertices.tolist(), a.to) for a in scene.attachments] == [
        ("sheet", [48], "hand"),
        ("sheet", [0], "box"),
    ]


def test_a_saved_scene_runs_bit_by_bit_as_the_first(tmp_path: Path) -> None:
    first = load_scene(write(tmp_path, TEXT)).scene
    first.add_rigid(sg.shapes.box(0.1, 0.1, 0.1), mass=0.3, position=(0.5, 0, 0.2), velocity=(0.1, 0, 0), name="second")
    save_scene(tmp_path / "again" / "scene.toml", first, dt=2e-3)
    again = load_scene(tmp_path / "again" / "scene.toml")
    sims = [sg.Simulation(scene, dt=2e-3) for scene in (first, again.scene)]
    for _ in range(15):
        for sim in sims:
            sim.step()
    for name in ("q", "v", "rotations"):
        assert np.array_equal(getattr(sims[0].state, name), getattr(sims[1].state, name))
    assert [b.kind for b in sims[0].bodies.values()] == [b.kind for b in sims[1].bodies.values()]


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("density = 300.0", "densty = 300.0", r"rigid\[0\].*unknown key 'densty': did you mean 'density'"),
        ("density = 300.0", "", r"rigid\[0\]: rigid body 'box' needs either its density"),
        ('"box_tets"', '"box_tet"', r"soft_solid\[0\].tets.shape: unknown shape 'box_tet': did you mean 'box_tets'"),
        (
            'surface = { shape = "sphere", radius = 0.05, edge = 0.03 }\n',
            "",
            r"soft_solid\[1\].tets: a lattice needs the key",
        ),
        ('model = "neo-hookean"', 'model = "neohookean"', r"soft_solid\[1\].model"),
        ('to = "box"', 'to = "bax"', r"attachment\[1\]: there is no body 'bax'"),
        ("poisson = 0.4", "poison = 0.4", r"soft_solid\[1\].material.*'poison': did you mean 'poisson'"),
        ("angle = 0.1, ", "", r"soft_solid\[0\].pins\[0\].motion.angle: this key is required"),
    ],
)
def test_errors_name_the_key(tmp_path: Path, old: str, new: str, message: str) -> None:
    assert old in TEXT
    with pytest.raises(InputError, match=message):
        load_scene(write(tmp_path, TEXT.replace(old, new)))


def test_a_run_directory_holds_all_bodies(tmp_path: Path) -> None:
    from signorini.files.runs.runner import run_to_directory

    file = load_scene(write(tmp_path, TEXT))
    run_to_directory(sg.Simulation(file.scene, dt=4e-3), seconds=0.04, fps=50, out=tmp_path / "out")
    trajectory = sg.Trajectory.open(tmp_path / "out")
    assert {name: body.kind for name, body in trajectory.bodies.items()} == {
        "sheet": "cloth", "foam": "soft_solid", "ball": "soft_solid", "box": "rigid", "hand": "kinematic",
    }  # fmt: skip
    assert trajectory.positions("box", -1).shape == (8, 3)
    assert trajectory.positions("ball", 0).shape == file.scene.bodies["ball"].mesh.vertices.shape


def test_stiffness_of_a_whole_scene_reaches_solids_and_cloth(tmp_path: Path) -> None:
    scene = load_scene(write(tmp_path, TEXT)).scene
    before = {name: scene.bodies[name].material for name in ("foam", "ball", "sheet")}  # pyright: ignore
    with_stiffness(scene, 2.5)
    for name, material in before.items():
        assert scene.bodies[name].material == material.scaled(2.5)  # pyright: ignore
    assert scene.bodies["foam"].material.young == 2e5  # pyright: ignore
