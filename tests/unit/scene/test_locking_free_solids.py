"""Locking-free solids in simulations: contact, sleeping, read-out, scene files, and who refuses them; constants of laws."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import signorini as sg
from signorini.elements.patches import Patches
from signorini.scene.solid_material import SolidMaterial
from signorini.simulation.frame_readout import frame_readout

TREE = ((6.3e5, 1.3), (1.2e3, 5.0), (-1e4, -2.0))


def two_blocks() -> sg.Scene:
    scene = sg.Scene(friction=0.5)
    block = sg.shapes.box_tets(0.1, 0.1, 0.1, cells=2)
    soft = SolidMaterial(
        poisson=0.49, density=1000.0, model="ogden", ogden=TREE, stiffness_damping=5e-3, mass_damping=5.0
    )
    scene.add_soft_solid(block, material=soft, position=(0, 0, 0.052), name="lower")
    scene.add_soft_solid(
        block, young=2e5, poisson=0.48, density=500.0, mass_damping=5.0, stiffness_damping=5e-3, position=(0.01, 0, 0.155),
        model="corotational", name="upper",
    )  # fmt: skip
    scene.add_ground()
    return scene


def test_blocks_touch_come_to_rest_sleep_and_tell_their_stress() -> None:
    sim = sg.Simulation(two_blocks(), dt=5e-3)
    assert {type(e) for e in sim._world.model.elements} >= {Patches}
    for _ in range(400):
        sim.step()
        if len(sim.sleeping) == 2:
            break
    assert set(sim.sleeping) == {"lower", "upper"}
    assert 0.15 < sim.bodies["upper"].positions[:, 2].max() < 0.205
    fields = frame_readout(sim).fields
    assert 0.0 < float(np.abs(fields["stress"]["lower"]).max()) < 1e5
    assert float(np.abs(fields["strain"]["upper"]).max()) < 0.05


def test_a_scene_file_keeps_law_constants_and_element(tmp_path: Path) -> None:
    scene = two_blocks()
    scene.bodies["upper"].material = SolidMaterial(  # type: ignore[attr-defined]
        poisson=0.3, density=500.0, model="mooney-rivlin", c10=1e5, c01=2e4, element="locking-free"
    )
    sg.save_scene(tmp_path / "scene.toml", scene, dt=2e-3)
    again = sg.load_scene(tmp_path / "scene.toml").scene
    for name in ("lower", "upper"):
        assert again.bodies[name].material == scene.bodies[name].material  # type: ignore[attr-defined]
    assert again.bodies["upper"].material.locking_free  # type: ignore[attr-defined]


def test_hong_refuses_it_and_says_what_to_do() -> None:
    scene = sg.Scene()
    scene.add_soft_solid(sg.shapes.box_tets(0.1, 0.1, 0.1), material="rubber", name="rubber")
    with pytest.raises(sg.InputError, match="locking-free solid, which element='tetrahedra' makes an ordinary one"):
        sg.Simulation(scene, settings=sg.Settings(method="hong")).step()


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"model": "ogden"}, "needs its terms"),
        ({"model": "ogden", "ogden": [[1.0, -2.0]]}, "same sign"),
        ({"model": "ogden", "ogden": [1.0]}, "pairs of numbers"),
        ({"model": "ogden", "ogden": TREE, "young": 1e5}, "young cannot be given beside ogden"),
        ({"model": "mooney-rivlin", "c10": 1e5}, "needs c10 and c01"),
        ({"model": "mooney-rivlin", "c10": -1e5, "c01": 1.0}, "c10 must be zero or positive"),
        ({"model": "neo-hookean", "c10": 1e5, "young": 1e5}, "constants of the law 'mooney-rivlin'"),
        ({"model": "neo-hookean"}, "young, Young's modulus .* is missing"),
        ({"young": 1e5, "element": "quadratic"}, "element must be one of automatic, tetrahedra, locking-free"),
    ],
)
def test_wrong_constants_are_named(values: dict[str, object], words: str) -> None:
    with pytest.raises(sg.InputError, match=words):
        SolidMaterial(poisson=0.4, density=1000.0, **values)  # type: ignore[arg-type]


def test_scaled_materials_scale_their_constants() -> None:
    rubber = SolidMaterial(poisson=0.49, density=1000.0, model="ogden", ogden=TREE)
    assert rubber.lame_mu == pytest.approx(4.225e5)
    assert rubber.scaled(2.0).lame_mu == pytest.approx(8.45e5)
    np.testing.assert_allclose(rubber.scaled(2.0).shape, rubber.shape)
