"""Curved paths of scripts: arcs where the motion confirms them, samples elsewhere, nothing for straight lines."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import signorini as sg
from signorini.dynamics.scripted_paths import MOST_SAMPLES, Curve, find_curves, follow
from signorini.scene.motions import as_motion

REST = np.random.default_rng(3).standard_normal((5, 3))
TOLERANCE = 1e-5
m = sg.motions


def followed(motion: object, start: float = 0.01, end: float = 0.02) -> Curve:
    moving = as_motion(motion)  # pyright: ignore[reportArgumentType]
    assert moving is not None
    x0, x1 = moving.positions(REST, start), moving.positions(REST, end)
    return follow(moving, REST, start, end, x0, x1, tolerance=TOLERANCE)


@pytest.mark.parametrize(
    "motion",
    [
        m.Translate(velocity=(1, 2, 3)),
        m.Rotate(rate=5.0, stop=0.005),
        m.Keyframes(times=(0, 1), translations=((0, 0, 0), (1, 2, 3))),
        m.Frames(times=(0, 1), frames=np.stack([REST, REST + 1])),
        lambda rest, time: rest * (1 + time),
    ],
)
def test_straight_motions_have_no_curve(motion: object) -> None:
    assert followed(motion).straight


@pytest.mark.parametrize(
    ("motion", "vector"),
    [
        (m.Rotate(rate=30.0, axis=(0, 0, 2), center=(1, 2, 3)), (0, 0, 0.3)),
        (m.Rotate(rate=-3000.0), (0, 0, -30.0)),
        (m.Chain((m.Rotate(rate=3000.0), m.Translate(velocity=(1, 2, 3)))), (0, 0, 30.0)),
        (
            m.Keyframes(times=(0, 1), rotations=((0, 0, 0), (3, 0, 0)), translations=((0, 0, 0), (9, 9, 9))),
            (0.03, 0, 0),
        ),
        (m.Turn(angle=4.0, duration=0.01, then="turn"), (0, 0, 16 / 3)),
    ],
)
def test_uniform_turns_are_arcs_with_their_whole_angle(motion: object, vector: tuple[float, ...]) -> None:
    curve = followed(motion)
    assert curve.turning is not None
    assert curve.offsets is None
    np.testing.assert_allclose(curve.turning.vector, vector, atol=1e-9)
    assert curve.extra <= TOLERANCE


@pytest.mark.parametrize(
    "motion",
    [
        m.Rotate(rate=30.0, start=0.013),
        m.Turn(angle=2.0, duration=0.03),
        m.Chain((m.Rotate(rate=50.0), m.Rotate(rate=30.0, axis=(1, 0, 0), center=(0, 1, 0)))),
        m.Keyframes(times=(0, 0.013, 1), rotations=((0, 0, 0), (1, 0, 0), (0, 1, 0))),
        lambda rest, time: Rotation.from_rotvec([0, 0, 400 * np.pi * time]).apply(rest),  # two turns in the step
        lambda rest, time: rest + np.array([0, 0, 50 * time * time]),
    ],
    ids=["begins", "smooth", "two-axes", "keyframe-inside", "two-turns", "falls"],
)
def test_other_motions_are_sampled_until_they_are_flat(motion: object) -> None:
    curve = followed(motion)
    assert curve.turning is None
    assert curve.offsets is not None
    pieces = len(curve.offsets) - 1
    assert pieces <= MOST_SAMPLES
    assert curve.extra <= TOLERANCE or pieces == MOST_SAMPLES
    moving = as_motion(motion)  # pyright: ignore[reportArgumentType]
    assert moving is not None
    x0, x1 = moving.positions(REST, 0.01), moving.positions(REST, 0.02)
    for t in np.linspace(0, 1, 777):
        at = min(int(t * pieces), pieces - 1)
        part = t * pieces - at
        offset = (1 - part) * curve.offsets[at] + part * curve.offsets[at + 1]
        off = moving.positions(REST, 0.01 + 0.01 * t) - (1 - t) * x0 - t * x1 - offset
        assert np.linalg.norm(off, axis=1).max() <= 1.001 * curve.extra + 1e-12


def test_a_pinned_node_moves_with_the_body_that_carries_it() -> None:
    """A cloth that hangs on a fast rotor: its pinned corners go along the arc, and not through the rotor."""
    scene = sg.Scene(gravity=(0, 0, 0))
    sheet = sg.shapes.grid(0.2, 0.2, cells=3)
    scene.add_cloth(sheet, position=(0.5, 0, 0.02), name="sheet")
    scene.add_kinematic(sg.shapes.box(0.8, 0.3, 0.02), motion=m.Rotate(rate=100.0), name="rotor", position=(0.4, 0, 0))
    scene.attach("sheet", [0, 3, 12, 15], to="rotor")
    sim = sg.Simulation(scene, dt=5e-3)
    model, corners = sim._world.model, sim.state.q[[0, 3, 12, 15]]
    x0, x1 = (model.prescribed.kinematic_positions(t).copy() for t in (0.0, 5e-3))
    curves = find_curves(model, 0.0, 5e-3, x0, x1, tolerance=1e-6)
    for node, corner in zip([0, 3, 12, 15], corners, strict=True):
        own = curves.of_node[node]
        assert own >= 0
        np.testing.assert_allclose(curves.arm[own, :2], corner[:2], atol=1e-12)
        np.testing.assert_allclose(curves.turns[curves.kind[own]], [0.0, 0.0, 0.5], atol=1e-12)
    report = sim.step()
    # Its energy may have the step taken again in parts, for half a radian is much for cloth; detection must refuse no path.
    assert report.halvings == report.failsafe_substeps == 0
