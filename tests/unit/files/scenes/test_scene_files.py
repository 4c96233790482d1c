"""Scene files: what is loaded, that saving loses nothing, and what is said about mistakes."""

from __future__ import annotations

import tomllib

import numpy as np
import pytest

from signorini.errors import InputError
from signorini.files.scenes.scene_changes import changed_settings, with_friction, with_stiffness
from signorini.files.scenes.scene_file import load_scene, save_scene
from signorini.files.scenes.toml_writer import toml_text
from signorini.geometry import shapes
from signorini.scene import motions
from signorini.scene.cloth_material import PRESETS
from signorini.scene.scene import Scene
from signorini.settings import Settings, SolverSettings

CLOTH = '[[cloth]]\nname = "sheet"\nmesh = { shape = "grid", width = 1, depth = 1, cells = 2 }\n'


def load_text(tmp_path, text):
    file = tmp_path / "scene.toml"
    file.write_text(text)
    return load_scene(file)


def rich_scene() -> Scene:
    """Everything that can be saved, with numbers that have no short decimal form and bodies in mixed order."""
    rng = np.random.default_rng(3)
    scene = Scene(gravity=(0.1, 0, -9.81), friction=1 / 3, air_drag=1 / 9, name='a "quoted" näme')
    frames = motions.Frames(times=[0.0, 0.1], frames=rng.random((2, 8, 3)))
    turn = motions.Rotate(rate=1 / 7, axis=(0, 1, 1), center=(0.1, 0, 0), start=0.5, stop=2.0)
    scene.add_kinematic(shapes.box(1, 1, 1), name="frames", motion=frames)
    sheet = scene.add_cloth(
        shapes.grid(1, 2, cells=(3, 2)), name="she et", position=(0.1, 0.2, 0.3), rotation=(0.1, 0.2, 0.3),
        velocity=(1 / 3, 0, 0), material=PRESETS["denim"].scaled(1 / 3), area_density=1 / 7, friction=0.0,
    )  # fmt: skip
    sheet.velocities += rng.random(sheet.velocities.shape)
    sheet.pin([0, 3]).pin([5], motion=motions.Translate(velocity=(0, 0, 1 / 3)), release_time=1 / 3)
    scene.add_ground(height=-1 / 3, normal=(1, 2, 3))
    chain = motions.Chain([turn, motions.Translate(velocity=(1, 0, 0))])
    scene.add_kinematic(shapes.sphere(0.5, subdivisions=2), name="chain", motion=chain, position=(1 / 3, 0, 0))
    scene.add_cloth(shapes.grid(1, 1, cells=1), initial_vertices=rng.random((4, 3)))
    return scene


def assert_same_scene(a: Scene, b: Scene) -> None:
    assert list(a.bodies) == list(b.bodies)
    assert (a.name, a.friction, a.air_drag) == (b.name, b.friction, b.air_drag)
    assert a.gravity.tolist() == b.gravity.tolist()
    for x, y in zip(a.bodies.values(), b.bodies.values(), strict=True):
        assert type(x) is type(y)
        assert x.friction == y.friction
        if not hasattr(x, "mesh"):
            assert x.height == y.height
            np.testing.assert_allclose(x.normal, y.normal, rtol=2e-16)
            continue
        np.testing.assert_array_equal(x.mesh.vertices, y.mesh.vertices)
        np.testing.assert_array_equal(x.mesh.triangles, y.mesh.triangles)
        np.testing.assert_array_equal(x.positions, y.positions)
        if hasattr(x, "pins"):
            np.testing.assert_array_equal(x.velocities, y.velocities)
            assert (x.area_density, x.material) == (y.area_density, y.material)
            for p, q in zip(x.pins, y.pins, strict=True):
                assert p.vertices.tolist() == q.vertices.tolist()
                assert p.release_time == q.release_time
                assert_same_motion(p.motion, q.motion, x.positions[p.vertices])
        else:
            assert_same_motion(x.motion, y.motion, x.positions)


def assert_same_motion(a, b, points) -> None:
    assert type(a) is type(b)
    for time in (0.0, 0.05, 0.7, 3.0):
        if a is not None:
            np.testing.assert_array_equal(a.positions(points, time), b.positions(points, time))


def test_save_and_load_give_exactly_the_same_scene(tmp_path):
    scene = rich_scene()
    settings = Settings(contact_distance=1 / 300, max_refinements=9, solver=SolverSettings(tolerance=1 / 7000))
    file = save_scene(tmp_path / "a/scene.toml", scene, dt=1 / 300, seconds=1 / 3, fps=24, settings=settings)
    loaded = load_scene(file)
    assert_same_scene(scene, loaded.scene)
    assert (loaded.dt, loaded.seconds, loaded.fps, loaded.settings) == (1 / 300, 1 / 3, 24.0, settings)
    again = save_scene(tmp_path / "b/scene.toml", loaded.scene, dt=1 / 300, seconds=1 / 3, fps=24, settings=settings)
    assert_same_scene(scene, load_scene(again).scene)


def test_a_file_written_by_hand_equals_the_calls(tmp_path):
    loaded = load_text(
        tmp_path,
        """
        [scene]
        friction = 0.5
        [simulation]
        dt = 0.01
        [settings.solver]
        tolerance = 1e-4
        [[cloth]]
        mesh = { shape = "grid", width = 1, depth = 2, cells = [3, 4] }
        material = "silk"
        position = [0, 0, 1]
        rotation = [0, 0.5, 0]
        velocity = [1, 0, 0]
        pins = [{ vertices = [0], motion = { kind = "translate", velocity = [0, 0, 1] }, release_time = 2 }]
        [[kinematic]]
        mesh = { shape = "torus", major_radius = 0.5, minor_radius = 0.1 }
        motion = { kind = "chain", motions = [
            { kind = "rotate", rate = 1 }, { kind = "translate", velocity = [1, 0, 0] },
        ] }
        [[ground]]
        height = -1
        """,
    )
    scene = Scene(friction=0.5)
    cloth = scene.add_cloth(
        shapes.grid(1, 2, cells=(3, 4)), material="silk", position=(0, 0, 1), rotation=(0, 0.5, 0), velocity=(1, 0, 0)
    )
    cloth.pin(0, motion=motions.Translate(velocity=(0, 0, 1)), release_time=2)
    chain = motions.Chain([motions.Rotate(rate=1), motions.Translate(velocity=(1, 0, 0))])
    scene.add_kinematic(shapes.torus(0.5, 0.1), motion=chain)
    scene.add_ground(height=-1)
    assert_same_scene(scene, loaded.scene)
    assert loaded.dt == 0.01
    assert loaded.settings == Settings(solver=SolverSettings(tolerance=1e-4))


def test_position_applies_to_the_start_in_an_npz(tmp_path):
    scene = Scene()
    scene.add_cloth(shapes.grid(1, 1, cells=1), name="sheet", position=(0, 0, 1))
    scene.add_kinematic(shapes.grid(1, 1, cells=1), name="plate", position=(0, 0, -1))
    file = save_scene(tmp_path / "scene.toml", scene)
    text = file.read_text().replace('sheet.npz" }', 'sheet.npz" }\nposition = [0, 0, 5]\nvelocity = [1, 0, 0]')
    file.write_text(text.replace('plate.npz" }', 'plate.npz" }\nposition = [0, 0, -5]'))
    bodies = load_scene(file).scene.bodies
    assert bodies["sheet"].positions[:, 2].tolist() == [6.0] * 4
    assert bodies["sheet"].velocities[:, 0].tolist() == [1.0] * 4
    assert bodies["plate"].positions[:, 2].tolist() == [-6.0] * 4


def test_mesh_files_are_relative_to_the_scene_file(tmp_path):
    (tmp_path / "m.obj").write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n")
    loaded = load_text(tmp_path, '[[cloth]]\nname = "t"\nmesh = { file = "m.obj", scale = 2 }\n')
    assert loaded.scene.bodies["t"].positions.max() == 2.0


def test_python_motions_are_noted_and_refused(tmp_path):
    scene = Scene()
    scene.add_kinematic(shapes.box(1, 1, 1), name="hand", motion=lambda rest, time: rest)
    file = save_scene(tmp_path / "scene.toml", scene)
    assert "NOT COMPLETE" in file.read_text()
    assert "hand" in file.read_text().splitlines()[1]
    with pytest.raises(InputError, match=r"kinematic\[0\].*Python function"):
        load_scene(file)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[scene]\ngravty = [0, 0, -9.81]\n", ["scene", "'gravty'", "did you mean 'gravity'"]),
        ("[secne]\n", ["'secne'", "did you mean 'scene'"]),
        ("[scene]\ngravity = [0, 0]\n", ["scene.gravity = [0, 0]", "3 items"]),
        ("[scene]\nfriction = -1\n", ["scene", "friction", "-1"]),
        ("[scene]\nfriction = \"high\"\n", ["scene.friction = 'high'", "number"]),
        ("[simulation]\ndt = 0\n", ["simulation.dt = 0", "positive"]),
        ("[simulation]\ndt = -0.1\n", ["simulation.dt = -0.1"]),
        ("[simulation]\ndt = nan\n", ["simulation.dt = nan"]),
        ("[settings]\nmax_refinement = 3\n", ["settings", "did you mean 'max_refinements'"]),
        ("[settings]\nmax_refinements = 0\n", ["settings", "max_refinements", "at least 1", "0"]),
        ("[settings.solver]\nname = \"icca\"\n", ["settings.solver.name = 'icca'", "'ica'"]),
        ("[settings.solver]\ntolerence = 1\n", ["settings.solver", "did you mean 'tolerance'"]),
        ("[[cloth]]\n", ["cloth[0].mesh", "required"]),
        ("[[cloth]]\nmesh = {}\n", ["cloth[0].mesh", "'shape'", "'file'"]),
        ('[[cloth]]\nmesh = { shape = "gird" }\n', ["cloth[0].mesh.shape", "'gird'", "did you mean 'grid'"]),
        ('[[cloth]]\nmesh = { shape = "grid", widht = 1 }\n', ["'widht'", "did you mean 'width'"]),
        ('[[cloth]]\nmesh = { shape = "grid", width = 1 }\n', ["cloth[0].mesh", "needs the key 'depth'"]),
        ('[[cloth]]\nmesh = { shape = "grid", width = -1, depth = 1 }\n', ["cloth[0]", "width of a grid", "-1"]),
        ('[[cloth]]\nmesh = { file = "none.obj" }\n', ["cloth[0]", "none.obj", "does not exist"]),
        ('[[cloth]]\nmesh = { file = "a.obj", scael = 2 }\n', ["'scael'", "did you mean 'scale'"]),
        (CLOTH + "area_density = -1\n", ["cloth[0]", "area_density", "-1"]),
        (CLOTH + 'material = "coton"\n', ["cloth[0]", "did you mean 'cotton'"]),
        (CLOTH + "material = { membrane_stifness = 3 }\n", ["cloth[0].material", "did you mean 'membrane_stiffness'"]),
        (CLOTH + "pins = [{ vertices = [99] }]\n", ["cloth[0]", "vertex 99", "0 to 8"]),
        (CLOTH + "pins = [{ vertices = [0.5] }]\n", ["cloth[0].pins[0].vertices[0] = 0.5", "integer"]),
        (CLOTH + "pins = [{ vertexes = [0] }]\n", ["cloth[0].pins[0]", "did you mean 'vertices'"]),
        (CLOTH + 'pins = [{ vertices = [0], motion = { kind = "rotat" } }]\n', ["kind", "did you mean 'rotate'"]),
        (CLOTH + "pins = [{ vertices = [0], motion = { rate = 1 } }]\n", ["'kind' is required"]),
        (CLOTH + CLOTH, ["cloth[1]", "'sheet' exists already"]),
        ('[[kinematic]]\nmesh = { shape = "box", width = 1, depth = 1, height = 1 }\n'
         'motion = { kind = "rotate", rate = "fast" }\n', ["kinematic[0].motion.rate = 'fast'"]),
        ('[[kinematic]]\nmesh = { shape = "box", width = 1, depth = 1, height = 1 }\n'
         'motion = { kind = "frames", file = "none.npz" }\n', ["kinematic[0]", "none.npz"]),
        ("[[ground]]\nnormal = [0, 0, 0]\n", ["ground[0]", "normal"]),
        ('[scene]\norder = ["x"]\n' + CLOTH, ["scene.order", "sheet"]),
        ("scene = 3\n", ["scene = 3"]),
        ("[scene\n", ["not a valid TOML file", "line 1"]),
    ],
)  # fmt: skip
def test_mistakes_are_located(tmp_path, text, words):
    with pytest.raises(InputError) as caught:
        load_text(tmp_path, text)
    message = str(caught.value)
    assert message.startswith(str(tmp_path / "scene.toml"))
    assert message.count("scene.toml") == 1
    assert "\n" not in message
    for word in words:
        assert word in message


def test_missing_scene_file(tmp_path):
    with pytest.raises(InputError, match=r"gone\.toml.*does not exist"):
        load_scene(tmp_path / "gone.toml")


def test_settings_from_the_command_line():
    changed = changed_settings(
        Settings(), {"max_refinements": "8", "solver.tolerance": "1e-4", "solver.name": "full-anticipation"}
    )
    assert changed == Settings(max_refinements=8, solver=SolverSettings(tolerance=1e-4, name="full-anticipation"))
    assert changed_settings(Settings(contact_distance=0.1), {"contact_distance": "none"}).contact_distance is None
    for key, text, word in (
        ("max_refinement", "8", "did you mean 'max_refinements'"),
        ("solver.tolerence", "1", "did you mean 'tolerance'"),
        ("sovler.tolerance", "1", "did you mean 'solver'"),
        ("max_refinements", "many", "max_refinements = 'many'"),
        ("max_refinements", "-1", "max_refinements"),
    ):
        with pytest.raises(InputError) as caught:
            changed_settings(Settings(), {key: text})
        assert word in str(caught.value)


def test_friction_and_stiffness_of_a_whole_scene():
    scene = rich_scene()
    before = scene.bodies["she et"].material
    with_stiffness(with_friction(scene, 0.9), 10.0)
    assert {body.friction for body in scene.bodies.values()} == {0.9}
    assert scene.bodies["she et"].material == before.scaled(10.0)
    with pytest.raises(InputError, match="friction"):
        with_friction(scene, -1.0)


def test_toml_text_reads_back():
    document = {
        "text": 'a"b\\c\n\x7f\u2028é',
        "numbers": [1, -2, 1e-300, float("inf"), 0.1],
        "flag": True,
        "nothing": None,
        "empty": [],
        "odd key!": np.float64(2.5),
        "table": {"inner": {"x": 1}, "y": np.int32(3)},
        "list": [{"a": {"b": [1, 2], "c": None}}, {"a": {}}],
    }
    read = tomllib.loads(toml_text(document))
    assert read.pop("list") == [{"a": {"b": [1, 2]}}, {"a": {}}]
    del document["list"], document["nothing"]
    assert read == document


def test_a_scene_is_only_saved_to_a_scene_file(tmp_path):
    other = tmp_path / "passwords"
    other.write_text("keep me")
    with pytest.raises(InputError, match=r"must end in \.toml"):
        save_scene(other, Scene())
    assert other.read_text() == "keep me"
    with pytest.raises(InputError, match="is a directory"):
        (tmp_path / "folder.toml").mkdir()
        load_scene(tmp_path / "folder.toml")
    with pytest.raises(InputError, match=r"folder\.toml' cannot be written"):
        save_scene(tmp_path / "folder.toml", Scene())


def test_scenes_in_one_folder_keep_their_own_meshes(tmp_path):
    for name, cells in (("first", 2), ("second", 5), ("scene", 3)):
        scene = Scene()
        scene.add_cloth(shapes.grid(1.0, 1.0, cells=cells), name="sheet")
        save_scene(tmp_path / f"{name}.toml", scene)
    counts = [len(load_scene(tmp_path / f"{n}.toml").scene.bodies["sheet"].mesh.vertices) for n in ("first", "second")]
    assert counts == [9, 36]
