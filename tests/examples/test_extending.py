"""The examples of extending run from outside the package, and do what they say."""

from __future__ import annotations

import csv
import importlib.util
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

import signorini as sg
from reference.elements import force_by_differences, jacobian_by_differences
from signorini.elements.element import NO_STATE
from signorini.scene.solids.solid_elements import build_tetrahedra
from support.element_sets import assembled

FOLDER = Path(__file__).parents[2] / "examples/extending"


def load(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, FOLDER / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("name", ["wind", "csv_export", "projected_gradient", "st_venant_kirchhoff"])
def test_every_example_runs_as_a_script(name: str, tmp_path: Path) -> None:
    done = subprocess.run([sys.executable, FOLDER / f"{name}.py"], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout


def test_there_are_no_other_examples() -> None:
    assert {path.stem for path in FOLDER.glob("*.py")} == {
        "wind",
        "csv_export",
        "projected_gradient",
        "st_venant_kirchhoff",
    }


def test_wind_carries_a_free_sheet_along_with_the_speed_of_the_air() -> None:
    """m v' = c A (w − v) for a flat sheet across the wind: v = w (1 − exp(−c A t / m))."""
    wind = load("wind")
    scene, mesh = sg.Scene(gravity=(0, 0, 0)), sg.shapes.grid(1.0, 1.0, cells=4)
    scene.add_cloth(mesh, area_density=0.3, name="sheet")
    scene.add_elements(wind.Wind(mesh.triangles, (0.0, 0.0, 2.0), 0.6), body="sheet")
    sim = sg.Simulation(scene, dt=1e-3)
    for _ in range(400):
        sim.step()
    speed = sim.bodies["sheet"].velocities[:, 2].mean()
    assert speed == pytest.approx(2.0 * (1.0 - np.exp(-0.6 / 0.3 * 0.4)), rel=2e-3)


@pytest.mark.parametrize("method", ["cmr", "impulses"])
def test_wind_acts_in_every_implicit_and_semi_implicit_method(method: str) -> None:
    wind = load("wind")
    scene, mesh = sg.Scene(gravity=(0, 0, 0)), sg.shapes.grid(1.0, 1.0, cells=2)
    scene.add_cloth(mesh, area_density=0.3, name="sheet")
    scene.add_elements(wind.Wind(mesh.triangles, (0.0, 0.0, 2.0), 0.6), body="sheet")
    sim = sg.Simulation(scene, dt=5e-3, settings=sg.Settings(method=method))  # pyright: ignore[reportArgumentType]
    for _ in range(20):
        sim.step()
    assert sim.bodies["sheet"].velocities[:, 2].mean() == pytest.approx(2.0 * (1.0 - np.exp(-0.2)), rel=2e-2)


def test_the_material_has_the_forces_and_the_stiffness_of_its_energy() -> None:
    law = load("st_venant_kirchhoff").ST_VENANT_KIRCHHOFF
    mesh = sg.shapes.box_tets(1.0, 1.2, 0.9)
    tets = build_tetrahedra(mesh, sg.SolidMaterial(young=10.0, poisson=0.3, density=1.0, model=law))
    q = 1.1 * mesh.vertices + 0.05 * np.random.default_rng(1).normal(size=mesh.vertices.shape)
    expected = force_by_differences(lambda x: tets.energy(x, NO_STATE), q)
    K, b = assembled(tets, q)
    np.testing.assert_allclose(b, expected, atol=1e-7 * np.abs(expected).max())
    difference = -jacobian_by_differences(lambda x: assembled(tets, x)[1], q)
    np.testing.assert_allclose(K, difference, atol=1e-6 * np.abs(K).max())  # in tension nothing is projected
    squashed = mesh.vertices * [1.0, 1.0, 0.4]
    assert np.linalg.eigvalsh(assembled(tets, squashed)[0]).min() > -1e-9 * np.abs(K).max()


def test_uniaxial_stress_is_the_closed_form() -> None:
    """F = diag(s, 1, 1): P_11 = s (μ + λ/2)(s² − 1)."""
    module = load("st_venant_kirchhoff")
    work = np.empty((12, 3, 3))
    f, K = np.empty((3, 3)), np.empty((3, 3, 3, 3))
    for s in (0.7, 1.0, 1.4):
        module.element(np.diag([s, 1.0, 1.0]), np.eye(3), 1.0, 2.0, 3.0, np.zeros(0), work, f, K)
        assert -f[0, 0] == pytest.approx(s * (2.0 + 1.5) * (s**2 - 1.0), abs=1e-14)


def test_the_method_of_hong_refuses_a_law_that_it_does_not_know() -> None:
    scene = load("st_venant_kirchhoff").jelly()
    with pytest.raises(sg.InputError, match="st-venant-kirchhoff"):
        sg.Simulation(scene, settings=sg.Settings(method="hong")).step()


def test_the_solver_gives_the_motion_of_the_default_solver() -> None:
    solver = load("projected_gradient").solve
    heights = []
    for settings in (sg.Settings(), sg.Settings(solver=solver)):
        scene = sg.Scene(friction=0.4)
        for k in range(2):
            scene.add_rigid(
                sg.shapes.box(0.2, 0.2, 0.2), density=500, position=(0.02 * k, 0, 0.11 + 0.21 * k), name=f"{k}"
            )
        scene.add_ground()
        sim = sg.Simulation(scene, dt=5e-3, settings=settings)
        for _ in range(40):
            report = sim.step()
            assert report.solves == report.solves_converged
        heights.append([sim.bodies[name].positions[:, 2].max() for name in ("0", "1")])
    np.testing.assert_allclose(heights[0], heights[1], atol=1e-4)


def test_the_exported_table_has_all_positions(tmp_path: Path) -> None:
    load("csv_export")
    scene = sg.Scene()
    scene.add_rigid(sg.shapes.box(0.1, 0.1, 0.1), density=500, position=(0, 0, 0.3), name="box")
    sg.run(scene, tmp_path / "run", seconds=0.1, dt=5e-3)
    (file,) = sg.export(tmp_path / "run", tmp_path / "vertices.csv")
    rows = list(csv.DictReader(file.open()))
    trajectory = sg.Trajectory.open(tmp_path / "run")
    last = np.array([[float(row[c]) for c in "xyz"] for row in rows[-8:]])
    np.testing.assert_allclose(last, trajectory.positions("box", -1), rtol=1e-8)
    assert len(rows) == 8 * trajectory.frame_count


def test_a_file_of_a_scene_with_python_code_says_so_and_is_refused(tmp_path: Path) -> None:
    for scene, what in ((load("wind").flag(), "elements"), (load("st_venant_kirchhoff").jelly(), "constitutive_law")):
        file = sg.save_scene(tmp_path / what / "scene.toml", scene)
        assert "NOT COMPLETE" in file.read_text()
        with pytest.raises(sg.InputError, match=rf"python\.{what} = .*run the script that made the scene instead"):
            sg.load_scene(file)


@dataclass(frozen=True, slots=True)
class Bad(sg.Elements):
    """Elements of one node with a mistake."""

    nodes: np.ndarray
    force: np.ndarray
    matrix: np.ndarray

    def forces(self, at: sg.Linearisation, internal: np.ndarray) -> np.ndarray:
        return np.where(at.time > 0.01, self.force, 0.0 * np.nan_to_num(self.force))

    def stiffness(self, at: sg.Linearisation, internal: np.ndarray) -> np.ndarray:
        return self.matrix


ONE = np.zeros((1, 1), np.int32)
F, K = np.zeros((1, 1, 3)), np.zeros((1, 1, 1, 3, 3))


@pytest.mark.parametrize(
    ("force", "matrix", "error", "message"),
    [
        (F[0], K, sg.InputError, r"forces of the elements Bad must have shape \(1, 1, 3\), got"),
        (F, K[0, 0], sg.InputError, r"stiffness of the elements Bad must have shape \(1, 1, 1, 3, 3\)"),
        (F, K - np.eye(3), sg.InputError, "must be positive semidefinite, but the eigenvalue -1 "),
        (F, K + np.triu(np.ones((3, 3))), sg.InputError, "stiffness .* must be symmetric"),
        (F + np.nan, K, sg.SimulationStoppedError, "forces of the elements Bad are not finite"),
    ],
)  # fmt: skip
def test_mistakes_in_elements_are_named(force, matrix, error, message) -> None:
    scene = sg.Scene()
    scene.add_cloth(sg.shapes.grid(0.2, 0.2, cells=2), position=(0, 0, 1), name="sheet")
    scene.add_elements(Bad(ONE, force, matrix), body="sheet")
    with pytest.raises(error, match=message):
        sim = sg.Simulation(scene)
        before = sim.state
        for _ in range(5):
            before = sim.state
            sim.step()
    if error is sg.SimulationStoppedError:
        assert sim.state is before, "the state stays as it was"


def test_bodies_that_take_no_elements_are_refused() -> None:
    scene = sg.Scene()
    scene.add_cloth(sg.shapes.grid(0.2, 0.2, cells=2), name="sheet")
    scene.add_rigid(sg.shapes.box(0.1, 0.1, 0.1), density=1.0, position=(0, 0, 1), name="box")
    elements = Bad(ONE, F, K)
    with pytest.raises(sg.InputError, match=r"cannot act on 'box'.*kind 'rigid' has none"):
        scene.add_elements(elements, body="box")
    with pytest.raises(sg.InputError, match="elements have 1 nodes each: give one body"):
        scene.add_elements(elements, body=("sheet", "sheet"))
    with pytest.raises(sg.InputError, match="node 9 does not exist, 'sheet' has 9 nodes"):
        scene.add_elements(Bad(ONE + 9, elements.force, elements.matrix), body="sheet")


def test_elements_without_forces_are_refused() -> None:
    @dataclass(frozen=True, slots=True)
    class Nothing(sg.Elements):
        nodes: np.ndarray

    scene = sg.Scene()
    scene.add_cloth(sg.shapes.grid(0.2, 0.2, cells=2), name="sheet")
    scene.add_elements(Nothing(ONE), body="sheet")
    with pytest.raises(sg.InputError, match="the elements Nothing must define forces"):
        sg.Simulation(scene)
