"""Bodies at rest sleep: nothing about them changes, everything that could move them wakes them."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import signorini as sg

DT = 1e-2


def box(scene: sg.Scene, at: tuple[float, float, float], name: str, **options: object) -> None:
    """A cube of 0.2 m and 4 kg."""
    scene.add_rigid(sg.shapes.box(0.2, 0.2, 0.2), density=500, position=at, name=name, **options)  # pyright: ignore[reportArgumentType]


def tower(count: int = 3, **options: object) -> sg.Scene:
    """Cubes on each other, just above each other at the start."""
    scene = sg.Scene(friction=0.5)
    for k in range(count):
        box(scene, (0, 0, 0.105 + 0.205 * k), f"box{k}")
    scene.add_ground()
    return scene


def run_until(sim: sg.Simulation, done: Callable[[], bool], seconds: float) -> list[sg.StepReport]:
    """Steps until something is so; fails if that takes longer."""
    reports = []
    while not done():
        assert sim.time < seconds, f"not so after {seconds} s; sleeping: {sim.sleeping}"
        reports.append(sim.step())
    return reports


def asleep(scene: sg.Scene, names: set[str], seconds: float = 3.0) -> sg.Simulation:
    """A simulation in which these bodies, and no others, sleep."""
    sim = sg.Simulation(scene, dt=DT)
    run_until(sim, lambda: set(sim.sleeping) == names, seconds)
    return sim


def cloth_on_ball(*, motion: object = None, pin: dict[str, object] | None = None) -> sg.Scene:
    """A small cloth that lies on a scripted box and may have a pinned corner."""
    scene = sg.Scene(friction=0.5)
    sheet = scene.add_cloth(sg.shapes.grid(0.2, 0.2, cells=4), area_density=0.2, position=(0, 0, 0.052), name="sheet")
    if pin is not None:
        sheet.pin([0], **pin)  # pyright: ignore[reportArgumentType]
    scene.add_kinematic(sg.shapes.box(0.4, 0.4, 0.1), motion=motion, name="table")  # pyright: ignore[reportArgumentType]
    return scene


def test_a_tower_at_rest_sleeps_and_its_forces_can_still_be_read() -> None:
    sim = asleep(tower(), {"box0", "box1", "box2"})
    q, distance = sim.state.q.copy(), sim.min_distance
    assert not sim.state.v.any()
    reports = [sim.step() for _ in range(20)]
    assert np.array_equal(sim.state.q, q)
    assert sim.min_distance == distance
    assert 0.0 < distance < np.inf
    assert all(r.sleeping_bodies == 3 and r.solves == 0 and r.contact_count > 0 for r in reports)
    weight = 500 * 0.2**3 * 9.81
    assert sim.contact_force("ground") == pytest.approx([0, 0, -3 * weight], abs=1e-3 * weight)
    assert sim.contact_force("box2") == pytest.approx([0, 0, weight], abs=1e-3 * weight)
    assert sum(c.normal_force for c in sim.contacts() if "ground" in (c.body_a, c.body_b)) == pytest.approx(
        3 * weight, rel=1e-3
    )
    assert sim.contact_torque("box0") == pytest.approx([0, 0, 0], abs=1e-3 * weight)


def test_a_sleeping_tower_that_is_hit_wakes_and_moves_as_if_it_had_never_slept() -> None:
    ends = []
    for sleep in (True, False):
        scene = tower()
        box(scene, (1.45, 0.03, 0.5), "missile", velocity=(-2.5, 0, 2.55))
        sim = sg.Simulation(scene, dt=DT, settings=sg.Settings(sleep=sleep))
        seen = set()
        for _ in range(75):
            sim.step()
            seen.add(tuple(sorted(sim.sleeping)))
        ends.append(sim.state.q.copy())
        if sleep:
            assert ("box0", "box1", "box2") in seen, "the tower must sleep while the missile flies"
    assert np.linalg.norm(ends[0][4] - (0, 0, 0.52)) > 0.05, "the missile must have moved the top box"
    assert ends[0] == pytest.approx(ends[1], abs=2e-3)


def test_what_flies_past_a_sleeper_moves_bit_by_bit_as_it_would_without_sleep() -> None:
    ends = []
    for sleep in (True, False):
        scene = tower(1)
        box(scene, (5, 0, 20.0), "flier", velocity=(0.1, 0, 0), angular_velocity=(1.0, 2.0, 3.0))
        sim = sg.Simulation(scene, dt=DT, settings=sg.Settings(sleep=sleep))
        for _ in range(80):
            sim.step()
        assert sim.sleeping == (["box0"] if sleep else [])
        ends.append((sim.bodies["flier"].positions, sim.bodies["flier"].velocities, sim.step().min_distance))
    assert np.array_equal(ends[0][0], ends[1][0])
    assert np.array_equal(ends[0][1], ends[1][1])
    assert ends[0][2] == pytest.approx(ends[1][2], rel=1e-6)


@pytest.mark.parametrize("what", ["velocity", "center", "wake"])
def test_a_user_wakes_sleepers(what: str) -> None:
    sim = asleep(tower(2), {"box0", "box1"})
    if what == "velocity":
        sim.bodies["box1"].velocity = (0, 0, 1.0)  # pyright: ignore[reportAttributeAccessIssue]
    elif what == "center":
        sim.bodies["box1"].center = (0, 0, 1.0)  # pyright: ignore[reportAttributeAccessIssue]
    else:
        sim.wake()
    sim.step()
    assert sim.sleeping == []
    if what != "wake":
        assert np.abs(sim.state.v[2]).max() > 0.05
    run_until(sim, lambda: len(sim.sleeping) == 2, sim.time + 3.0)


def test_only_the_island_that_a_user_moves_wakes() -> None:
    scene = tower(1)
    box(scene, (2, 0, 0.105), "far")
    sim = asleep(scene, {"box0", "far"})
    sim.bodies["far"].velocity = (0, 0, 0.5)  # pyright: ignore[reportAttributeAccessIssue]
    sim.step()
    assert sim.sleeping == ["box0"]


def test_a_support_that_is_pulled_away_wakes_what_lies_on_it() -> None:
    motion = sg.motions.Keyframes(times=[0.0, 1.5, 1.6], translations=[(0, 0, 0), (0, 0, 0), (0, 0, -0.5)])
    sim = asleep(cloth_on_ball(motion=motion), {"sheet"}, seconds=1.4)
    run_until(sim, lambda: not sim.sleeping, 1.53)
    for _ in range(5):
        sim.step()
    assert sim.state.v[:, 2].max() < -0.3, "the sheet must fall"


def test_a_script_that_moves_far_away_wakes_nobody() -> None:
    scene = tower(1)
    scene.add_kinematic(
        sg.shapes.box(0.1, 0.1, 0.1), position=(3, 0, 1), motion=sg.motions.Rotate(rate=3.0), name="fan"
    )
    sim = asleep(scene, {"box0"})
    before = sim.bodies["fan"].positions
    for _ in range(10):
        sim.step()
    assert sim.sleeping == ["box0"]
    assert np.abs(sim.bodies["fan"].positions - before).max() > 1e-3


@pytest.mark.parametrize(
    "pin",
    [
        {"release_time": 1.5},
        {"motion": sg.motions.Keyframes(times=[0.0, 1.5, 1.6], translations=[(0, 0, 0), (0, 0, 0), (0, 0, 0.2)])},
    ],
    ids=["released", "moved"],
)
def test_pins_wake_what_they_hold(pin: dict[str, object]) -> None:
    sim = asleep(cloth_on_ball(pin=pin), {"sheet"}, seconds=1.45)
    force = sim.pin_force("sheet")
    assert np.isfinite(force).all()
    run_until(sim, lambda: not sim.sleeping, 1.53)


class Gust(sg.Elements):
    """A force on single nodes from a time on."""

    def __init__(self, nodes: object, begin: float) -> None:
        self.nodes, self.begin = np.array(nodes, np.int32).reshape(-1, 1), begin

    def forces(self, at: sg.Linearisation, internal: object) -> np.ndarray:
        """Upwards, from `begin` on."""
        return np.full((len(self.nodes), 1, 3), (0.0, 0.0, 0.5 if at.time > self.begin else 0.0))

    def shifted(self, first: int | np.ndarray) -> Gust:
        """With nodes that count from another one."""
        return Gust(self.nodes + first, self.begin)


def test_a_body_under_forces_of_a_user_never_sleeps_and_others_do() -> None:
    scene = cloth_on_ball()
    box(scene, (1, 0, 0.155), "box")
    scene.add_kinematic(sg.shapes.box(0.4, 0.4, 0.1), position=(1, 0, 0), name="other table")
    scene.add_elements(Gust([12], 1.0), body="sheet")
    sim = asleep(scene, {"box"})
    run_until(sim, lambda: sim.time > 1.1, 3.0)
    assert sim.sleeping == ["box"]
    assert sim.state.v[12, 2] > 0.01, "the gust must lift the sheet"


def test_a_slow_free_body_keeps_its_momentum() -> None:
    scene = sg.Scene(gravity=(0, 0, 0))
    box(scene, (0, 0, 1), "drifter", velocity=(1e-9, 0, 0))
    sim = sg.Simulation(scene, dt=DT)
    for _ in range(60):
        sim.step()
    assert sim.sleeping == []
    assert sim.state.v[0, 0] == pytest.approx(1e-9)


@pytest.mark.parametrize("at", [0.15, 0.62, 0.9])
def test_a_checkpoint_of_a_sleeping_scene_continues_bit_by_bit(at: float) -> None:
    """Before the tower sleeps, while it sleeps below a flying box, and after it was hit."""

    def scene() -> sg.Scene:
        made = tower(2)
        box(made, (0.02, 0.01, 2.6), "bomb", angular_velocity=(0.5, 0, 0))
        return made

    whole = sg.Simulation(scene(), dt=DT)
    saved, seen = None, []
    for k in range(100):
        if k == round(at / DT):
            saved = whole.checkpoint()
        whole.step()
        seen.append(len(whole.sleeping))
    assert saved is not None
    assert seen[round(at / DT)] == (2 if at == 0.62 else 0), seen
    assert 2 in seen
    resumed = sg.Simulation(scene(), dt=DT)
    resumed.restore(saved)
    while resumed.step_index < 100:
        resumed.step()
        if resumed.sleeping:
            assert resumed.contact_force("ground")[2] == pytest.approx(-2 * 500 * 0.2**3 * 9.81, rel=1e-3)
    for name in ("q", "v", "rotations"):
        assert np.array_equal(getattr(resumed.state, name), getattr(whole.state, name)), name


def test_the_energy_balance_stays_closed_when_bodies_fall_asleep_and_wake() -> None:
    scene = tower(2)
    box(scene, (0.02, 0.01, 2.6), "bomb")
    sim = sg.Simulation(scene, dt=DT)
    before, counts = next(sim.run(seconds=1.0)).report.total_energy, set()
    for _ in range(120):
        report = sim.step()
        counts.add(report.sleeping_bodies)
        change = report.total_energy - before
        explained = report.script_work + report.pin_work + report.load_work - report.friction_loss - report.other_loss
        assert change == pytest.approx(explained, abs=1e-11 * abs(before))
        before = report.total_energy
    assert counts >= {0, 2}


def test_a_cloth_that_sleeps_ends_where_one_that_may_not_does() -> None:
    ends, tolerance = [], 0.0
    for sleep in (True, False):
        scene = sg.Scene(friction=0.3)
        scene.add_cloth(sg.shapes.grid(0.4, 0.4, cells=8), area_density=0.2, position=(0, 0, 0.16), name="sheet")
        scene.add_kinematic(sg.shapes.sphere(0.1, edge=0.05), position=(0, 0, 0.05))
        scene.add_ground()
        sim = sg.Simulation(scene, dt=DT, settings=sg.Settings(sleep=sleep))
        while sim.time < 4.0:
            sim.step()
        assert sim.sleeping == (["sheet"] if sleep else [])
        ends.append(sim.state.q)
        tolerance = sim.contact_tolerance
    assert np.abs(ends[0] - ends[1]).max() < 0.1 * tolerance * 4.0


def test_sleep_must_be_true_or_false() -> None:
    with pytest.raises(sg.InputError, match="sleep must be true or false"):
        sg.Settings(sleep=1)  # pyright: ignore[reportArgumentType]
