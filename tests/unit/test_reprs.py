"""What objects show at the prompt: one short line that says what they are."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import signorini as sg

LONGEST = 320
"""Characters of the longest line."""


@pytest.fixture(scope="module")
def shown(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """An object of each kind that a user gets to see, by a word that its line must have."""
    scene = sg.Scene(friction=0.3, name="demo")
    tets, ball = sg.shapes.box_tets(0.1, 0.1, 0.1, cells=2), sg.shapes.sphere(0.1, subdivisions=3)
    cloth = scene.add_cloth(sg.shapes.grid(0.5, 0.5, cells=5), position=(0, 0, 0.4), name="sheet")
    cloth.pin([0, 1])
    solid = scene.add_soft_solid(tets, position=(0, 0, 0.051), name="block")
    rigid = scene.add_rigid(sg.shapes.box(0.05, 0.05, 0.05), density=500, position=(0, 0, 0.3), name="box")
    kinematic = scene.add_kinematic(ball, position=(1, 0, 0.3), name="ball")
    rod = scene.add_rod([(0, 1, 0.6), (0, 1.1, 0.6), (0, 1.2, 0.6)], name="rope")
    ground = scene.add_ground(name="floor")
    joint = scene.add_joint("hinge", rigid, axis=(1, 0, 0), name="pivot")
    load = scene.add_force(cloth, (0, 0, 0.1))
    out = tmp_path_factory.mktemp("reprs") / "run"
    sg.run(scene, out, dt=5e-3, seconds=0.01, contacts=True, fields=True)
    sim, trajectory = sg.Simulation(scene, dt=5e-3), sg.Trajectory.open(out)
    frame = list(sim.run(seconds=0.02, fps=100))[-1]
    problem = sim.contact_problem()
    assert problem is not None
    still = np.zeros((3, 3))
    return {
        "Scene 'demo' of 6 bodies (sheet": scene, "Cloth 'sheet': 36 vertices": cloth, "SoftSolid 'block'": solid,
        "Rigid 'box'": rigid, "Kinematic 'ball'": kinematic, "Rod 'rope'": rod, "HalfSpace 'floor'": ground,
        "kind='hinge'": joint, "force on 'sheet'": load, "Pin(vertices=array (2)": cloth.pins[0],
        "membrane_stiffness=": cloth.material, "poisson=": solid.material, "SolidLaw 'neo-hookean'": solid.material.law,
        "of 27 vertices and 48 tetrahedra, 0.1 × 0.1 × 0.1 m, 0.001 m³": tets, "triangles, 0.196 × 0.196 × 0.2 m, closed": ball,
        "Settings()": sg.Settings(), "Settings(sleep=False)": sg.Settings(sleep=False),
        "SolverSettings(name='ica')": sg.SolverSettings(name="ica"), "CollisionLoopSettings()": sg.CollisionLoopSettings(),
        "HongSettings()": sg.HongSettings(), "Simulation of 'demo' at t = 0.02 s (step 4, dt = 0.005 s): 5 bodies": sim,
        "StepReport of step 4 at 0.02 s: accepted": frame.report, "Frame 2 at 0.02 s": frame,
        "<cloth 'sheet': 36 vertices": sim.bodies["sheet"], "<rigid body 'box': 0.0625 kg": sim.bodies["box"],
        "moves by its script": sim.bodies["ball"], "hinge joint 'pivot'": sim.joints["pivot"],
        "normal force": sim.contacts()[0], "PairForce on 'block' by 'floor'": sim.pair_force("block", "floor"),
        "SolidState of 48 tetrahedra": sim.solid_state("block"), "ClothState of": sim.cloth_state("sheet"),
        "Mlcp of": problem, "BlockMatrix of": problem.A, "WarmStart(dv=array (3, 3)": sg.WarmStart(still, still),
        "with contacts and fields": trajectory, "'sheet': cloth, 36 vertices": trajectory.bodies["sheet"],
        "FrameReadout of": trajectory.contacts(-1), "SceneFile(scene=": sg.load_scene(out / "scene.toml"),
        "Linearisation(positions=array (3, 3)": sg.Linearisation(still, still, still, still, 0.0),
        "Skeleton of": sg.procedural_dancer(), "RunRecord of 'demo'": sg.RunRecord(sim, {"a": 1}, [frame.report], [0.0]),
        "SweepTable of 1 runs": sg.SweepTable(Path("sweep"), ["run", "height"], [{"run": 0, "height": 1.0}]),
        "Recording of 'demo'": sg.record(sim, out.with_name("mine")),
        "Fault 'degenerate' (error)": sg.Fault("degenerate", "error", ("box",), 1, "1 triangle is flat", "remove it"),
    }  # fmt: skip


def test_objects_say_what_they_are_in_a_short_line(shown: dict[str, Any]) -> None:
    for word, thing in shown.items():
        text = repr(thing)
        assert word in text, text
        assert len(text) <= LONGEST and "\n" not in text and " at 0x" not in text, text


def test_no_public_class_shows_an_address(shown: dict[str, Any]) -> None:
    """Every public class is among the objects above, or is listed here with the reason why not."""
    elsewhere = {
        "BodyView", "RigidView",  # the views above are subclasses
        "TriangleMesh", "StepStatus", "Weights", "ContactSolver", "Elements",  # plain, or made by users
        "Response", "FrameSelection", "CheckReport",  # tested where they are made
        "DiskFullError", "InputError", "MissingExtraError", "SimulationStoppedError",
    }  # fmt: skip
    seen = {type(thing).__name__ for thing in shown.values()}
    for name in sg.__all__:
        public = getattr(sg, name)
        if isinstance(public, type) and not isinstance(public, ModuleType):
            assert name in seen | elsewhere, f"{name} has no example"
            assert public.__repr__ is not object.__repr__ or name in {"ContactSolver", "Elements"}, name
