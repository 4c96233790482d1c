"""`check` of scenes and scene files: all faults of all bodies, with place and remedy; and the command."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import signorini as sg
from signorini.cli.main import app
from support.bad_meshes import BAD_MESHES, ball


def crossing() -> tuple[sg.Scene, str, tuple[str, ...], tuple[float, ...] | None]:
    scene = sg.Scene()
    scene.add_cloth(sg.shapes.grid(1, 1, cells=5), name="sheet", position=(0, 0, 0.3))
    scene.add_kinematic(sg.shapes.sphere(0.3, edge=0.1), name="ball", position=(0, 0, 0.2))
    return scene, "intersecting", ("ball", "sheet"), (0.25, 0, 0.3)


def folded_cloth() -> tuple[sg.Scene, str, tuple[str, ...], tuple[float, ...] | None]:
    """A sheet that starts as a loop through itself."""
    scene, mesh = sg.Scene(), sg.shapes.grid(1, 0.2, cells=20)
    t, y = 2.6 * mesh.vertices[:, 0], mesh.vertices[:, 1]
    start = np.column_stack([0.3 * (t**2 - 1), y + 0.03 * t, 0.3 * (t**3 - t)])  # a loop that crosses itself at t = ±1
    scene.add_cloth(mesh, name="roll", initial_vertices=start)
    return scene, "intersecting", ("roll",), (0.0, 0.0, 0.0)


def below_ground() -> tuple[sg.Scene, str, tuple[str, ...], tuple[float, ...] | None]:
    scene = sg.Scene()
    scene.add_rigid(sg.shapes.box(0.2, 0.2, 0.2), density=1000.0, name="box", position=(1, 0, 0.05))
    scene.add_ground(name="floor")
    return scene, "below ground", ("box", "floor"), (1.1, 0.1, -0.05)


def swallowed() -> tuple[sg.Scene, str, tuple[str, ...], tuple[float, ...] | None]:
    scene = sg.Scene()
    scene.add_rigid(sg.shapes.sphere(0.1, subdivisions=2), density=1000.0, name="pill", position=(0.1, 0, 1))
    scene.add_kinematic(sg.shapes.box(1, 1, 1), name="crate", position=(0, 0, 1))
    return scene, "inside one another", ("pill", "crate"), (0.1, 0, 1)


def touching() -> tuple[sg.Scene, str, tuple[str, ...], tuple[float, ...] | None]:
    scene = sg.Scene()
    for k in range(2):
        scene.add_rigid(
            sg.shapes.box(0.2, 0.2, 0.2), density=1000.0, name=f"box {k}", position=(0.05 * k, 0.03 * k, 0.2 * k + 1)
        )
    return scene, "touching", ("box 0", "box 1"), (0, 0, 1.1)


def light_car() -> tuple[sg.Scene, str, tuple[str, ...], tuple[float, ...] | None]:
    scene = sg.Scene()
    scene.add_rigid(sg.shapes.box(4, 1.8, 1.4), mass=0.003, name="car")
    return scene, "mass", ("car",), None


def tiny() -> tuple[sg.Scene, str, tuple[str, ...], tuple[float, ...] | None]:
    scene = sg.Scene()
    scene.add_cloth(sg.shapes.grid(3e-4, 3e-4, cells=5), name="handkerchief")
    return scene, "size", ("handkerchief",), None


SCENES = [crossing, folded_cloth, below_ground, swallowed, touching, light_car, tiny]


@pytest.mark.parametrize("make", SCENES, ids=lambda make: make.__name__)
def test_faults_of_scenes_are_named(make) -> None:
    scene, kind, bodies, place = make()
    report = sg.check(scene)
    (fault,) = report.named(kind)
    assert set(fault.bodies) == set(bodies) and fault.remedy
    assert report.ok == (fault.severity != "error")
    if place is not None:
        assert np.linalg.norm(fault.places - np.array(place), axis=1).min() < 0.12, fault.places
    if not report.ok:
        with pytest.raises(sg.InputError):
            sg.Simulation(scene)


def test_a_refusal_of_the_simulation_is_a_fault() -> None:
    """Whatever else a simulation refuses is named too: a report without errors means that it starts."""
    scene = sg.Scene()
    scene.add_cloth(sg.shapes.grid(1, 1, cells=5), name="sheet")
    report = sg.check(sg.SceneFile(scene=scene, settings=sg.Settings(contact_distance=0.5)))
    assert "contact_distance" in report.named("refused")[0].what


@pytest.mark.parametrize("name", ["ball-on-cloth", "pendulum"])
def test_gallery_scenes_have_no_errors(name: str) -> None:
    report = sg.check(name)
    assert report.ok and report.contact_distance, report
    assert {size.name for size in report.sizes} and all(size.name in repr(report) for size in report.sizes)


def scene_file(folder: Path, *names: str) -> Path:
    text = "[[ground]]\n"
    for k, name in enumerate(names):
        bad = BAD_MESHES[name]()
        np.savez(folder / f"{name}.npz", vertices=bad.vertices, triangles=bad.triangles)
        text += f'[[rigid]]\nname = "{name}"\nmesh = {{ file = "{name}.npz", scale = 0.5 }}\n'
        text += f"density = 500.0\nposition = [0, 0, {1 + k}]\n"
    (folder / "scene.toml").write_text(text)
    return folder / "scene.toml"


def test_all_meshes_of_a_scene_file_are_checked(tmp_path: Path) -> None:
    """A loader stops at the first fault; the check names those of all bodies."""
    report = sg.check(scene_file(tmp_path, "soup", "inverted", "inside_out"))
    assert {fault.bodies[0] for fault in report.errors} == {"soup", "inverted", "inside_out"}
    assert not report.ok


def test_a_repaired_scene_file_simulates(tmp_path: Path) -> None:
    file = scene_file(tmp_path, "soup", "inverted", "inside_out")
    report = sg.repair(file)
    assert report.ok, report
    assert [path.name for path in report.written] == [
        "scene.repaired.toml", "soup.repaired.npz", "inverted.repaired.npz", "inside_out.repaired.npz",
    ]  # fmt: skip
    sg.Simulation(sg.load_scene(report.written[0]).scene, dt=0.01).step()
    assert file.read_text().count(".npz") == 3 and ".repaired" not in file.read_text()


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('[[cloth]]\nmesh = { file = "gone.obj" }\n', "gone.obj' does not exist"),
        ("[[cloth]]\nmesh = { shap = 1 }\n", "shape"),
        ("[[cloth\n", "not a valid TOML file"),
        ('[[cloth]]\nname = "a"\nmesh = { file = "scene.toml" }\n', "unknown format"),
    ],
)
def test_scene_files_that_cannot_be_read(tmp_path: Path, text: str, words: str) -> None:
    (tmp_path / "scene.toml").write_text(text)
    (fault,) = sg.check(tmp_path / "scene.toml").errors
    assert fault.kind == "refused" and words in str(fault)


def test_the_command(tmp_path: Path) -> None:
    runner = CliRunner()
    x, t = ball()
    np.savez(tmp_path / "good.npz", vertices=x, triangles=t)
    good = runner.invoke(app, ["check", str(tmp_path / "good.npz")])
    assert good.exit_code == 0 and "nothing is wrong with it" in good.stdout and "1 × 1 × 1 m" in good.stdout
    file = scene_file(tmp_path, "soup")
    bad = runner.invoke(app, ["check", str(file), "--json"])
    assert bad.exit_code == 1
    data = json.loads(bad.stdout)
    assert not data["ok"] and data["faults"][0]["kind"] == "duplicate vertices" and data["faults"][0]["places"]
    mended = runner.invoke(app, ["check", str(tmp_path / "soup.npz"), "--repair", "-o", str(tmp_path / "new.obj")])
    assert mended.exit_code == 0 and "repaired: merged 798 double vertices" in mended.stdout
    assert f"written: {tmp_path / 'new.obj'}" in mended.stdout
    painted = runner.invoke(app, ["check", str(file), "--ply", str(tmp_path / "c.ply")])
    assert painted.exit_code == 1 and (tmp_path / "c.ply").stat().st_size > 1000
    assert runner.invoke(app, ["check", str(tmp_path / "gone.obj")]).exit_code == 2
