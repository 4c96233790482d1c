"""Contact control: bodies that ignore each other, friction of pairs, self-contact, contact distances of bodies."""

from __future__ import annotations

import numpy as np
import pytest

import signorini as sg


def box(scene: sg.Scene, name: str, position: tuple[float, float, float], **options: object) -> None:
    scene.add_rigid(sg.shapes.box(0.1, 0.1, 0.1), mass=1.0, name=name, position=position, **options)  # pyright: ignore


def test_bodies_that_ignore_each_other_overlap_and_nothing_counts_as_an_intersection() -> None:
    scene = sg.Scene()
    scene.add_ground()
    box(scene, "a", (0, 0, 0.06))
    box(scene, "b", (0.03, 0.02, 0.09))
    box(scene, "ghost", (0, 0, 0.0))
    with pytest.raises(sg.InputError, match="start on or below"):
        sg.Simulation(scene)
    scene.set_contact(["a", "b", "ghost"], ignore=True)
    scene.set_contact("ghost", "ground", ignore=True)
    sim = sg.Simulation(scene)
    for _ in range(40):
        sim.step()
    assert sim.intersections() == 0 and sim.nested() == []
    assert sim.bodies["ghost"].center[2] < -0.1
    assert sim.bodies["a"].center[2] == pytest.approx(0.05 + sim.contact_distance, abs=1e-4)
    assert sim.bodies["b"].center[2] == pytest.approx(0.05 + sim.contact_distance, abs=1e-4)
    assert ("a", "b") in sim.ignored_contacts and ("ground", "ghost") in sim.ignored_contacts


def test_friction_of_a_pair() -> None:
    scene = sg.Scene(friction=0.5)
    scene.add_ground()
    box(scene, "rough", (0, 0, 0.052), velocity=(1, 0, 0))
    box(scene, "smooth", (0, 1, 0.052), velocity=(1, 0, 0))
    scene.set_contact("smooth", "ground", friction=0.1)
    sim = sg.Simulation(scene, dt=2e-3)
    for _ in range(40):
        sim.step()
    for name, mu in (("rough", 0.5), ("smooth", 0.1)):
        assert sim.bodies[name].velocity[0] == pytest.approx(1 - mu * 9.81 * sim.time, abs=0.02)


def test_a_cloth_without_self_contact_passes_through_itself() -> None:
    def sheet(self_contact: bool) -> sg.Simulation:
        scene = sg.Scene(gravity=(0, 0, 0))
        mesh = sg.shapes.grid(0.4, 0.1, cells=(8, 2))
        x = mesh.vertices.copy()
        x[:, 2] = 0.0
        cloth = scene.add_cloth(mesh, name="sheet", self_contact=self_contact)
        ends = np.abs(mesh.vertices[:, 0]) > 0.19
        v = np.zeros_like(x)
        v[:, 0] = -np.sign(mesh.vertices[:, 0]) * ends * 1.0
        cloth.velocities = v
        return sg.Simulation(scene, dt=4e-3)

    assert sheet(True).ignored_contacts == []
    sim = sheet(False)
    assert sim.ignored_contacts == [("sheet", "sheet")]
    for _ in range(5):
        assert sim.step().contact_count == 0
    assert sim.intersections() == 0


def test_contact_distance_of_a_body() -> None:
    scene = sg.Scene()
    scene.add_ground()
    box(scene, "thick", (0, 0, 0.07), contact_distance=0.01)
    box(scene, "plain", (1, 0, 0.06))
    sim = sg.Simulation(scene)
    for _ in range(60):
        sim.step()
    assert sim.bodies["thick"].center[2] == pytest.approx(0.06, abs=2e-4)
    assert sim.bodies["plain"].center[2] < 0.053
