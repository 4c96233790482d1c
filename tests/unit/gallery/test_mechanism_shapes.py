"""Shapes of the mechanisms: closed, outward, of the right volume, and free of each other where they run together."""

from __future__ import annotations

import math

import numpy as np
import pytest

import signorini as sg
from signorini.gallery.mechanisms.bolt import LEAD, PLAY, bolt
from signorini.gallery.mechanisms.chain_shapes import link
from signorini.gallery.mechanisms.gear_shapes import Gear
from signorini.gallery.mechanisms.gears import gear_pair
from signorini.gallery.mechanisms.swept_shapes import circle, circle_around, prism, revolved, spool, upright
from signorini.gallery.mechanisms.thread_shapes import Thread
from signorini.geometry.mass_properties import check_closed, mass_properties

THREAD = Thread(radius=0.01, depth=0.0015, lead=0.012)


def volume(mesh):
    check_closed(mesh)
    return mass_properties(mesh, 1.0).volume


def area(polygon):
    x, y = polygon.T
    return 0.5 * abs(float(np.dot(x, np.roll(y, -1)) - np.dot(y, np.roll(x, -1))))


def test_a_prism_has_the_volume_of_its_figure():
    outer, inner = circle(1.0, 12), circle_around(0.4, 7)
    assert volume(prism([outer, inner], 0.5)) == pytest.approx(0.5 * (area(outer) - area(inner)))


def test_a_bore_leaves_room_for_its_circle():
    corners = circle_around(0.4, 7)
    middles = 0.5 * (corners + np.roll(corners, -1, axis=0))
    assert np.linalg.norm(middles, axis=1) == pytest.approx(0.4)


def test_a_ring_and_a_spool_are_closed():
    ring = revolved([(2.0, -1.0), (2.0, 1.0), (1.0, 1.0), (1.0, -1.0)], 40, joined=True)
    assert volume(ring) == pytest.approx(6.0 * math.pi, rel=0.01)
    axle = spool(1.0, 4.0, collar=2.0, collar_width=0.5, count=40)
    assert volume(axle) == pytest.approx(8.0 * math.pi, rel=0.01)


def test_upright_keeps_the_volume_and_raises_y():
    mesh = prism([circle(1.0, 5) + np.array([0.0, 3.0])], 0.5)
    raised = upright(mesh)
    assert volume(raised) == pytest.approx(volume(mesh))
    assert mass_properties(raised, 1.0).centre == pytest.approx((0.0, 0.0, 3.0))


@pytest.mark.parametrize("teeth", [8, 12, 24, 60])
def test_a_gear_is_closed_and_balanced(teeth):
    gear = Gear(teeth=teeth, module=0.004, width=0.01, bore=0.003, backlash=2e-4)
    properties = mass_properties(gear.mesh(), 1.0)
    assert volume(gear.mesh()) > 0.0
    assert properties.centre == pytest.approx(np.zeros(3), abs=1e-9)
    radii = np.linalg.norm(gear.outline(), axis=1)
    assert radii.max() == pytest.approx(gear.pitch_radius + gear.module)
    assert radii.min() == pytest.approx(gear.pitch_radius - 1.25 * gear.module)


def test_a_tooth_fills_half_a_pitch_less_the_backlash():
    gear = Gear(teeth=20, module=0.004, width=0.01, bore=0.0, backlash=2e-4)
    half = gear._half_angle(np.array([gear.pitch_radius]))[0]
    assert 2.0 * half * gear.pitch_radius == pytest.approx(0.5 * math.pi * gear.module - gear.backlash)


@pytest.mark.parametrize("share", [0.0, 0.13, 0.37, 0.5, 0.81])
def test_gears_mesh_at_every_angle(share):
    """Turned by a share of a pitch and by the same along the pitch circle, the teeth do not meet."""
    driving, driven = gear_pair()
    turn = share * 2.0 * math.pi / driving.teeth
    scene = sg.Scene()
    distance = driving.pitch_radius + driven.pitch_radius
    scene.add_kinematic(driving.mesh(), rotation=(0.0, 0.0, turn))
    other = -turn * driving.teeth / driven.teeth
    scene.add_rigid(driven.mesh(), density=1.0, position=(distance, 0.0, 0.0), rotation=(0.0, 0.0, other))
    assert sg.Simulation(scene).intersections() == 0


@pytest.mark.parametrize("points", [24, 36, 50])
def test_bolt_and_nut_are_closed(points):
    thread = Thread(radius=0.01, depth=0.0015, lead=0.012, points=points)
    shaft = volume(thread.bolt(turns=3, head_radius=0.013, head_height=0.004))
    core, crest = math.pi * 0.0085**2 * 0.036, math.pi * 0.01**2 * 0.036
    assert core < shaft - math.pi * 0.013**2 * 0.004 < 1.1 * crest
    assert volume(thread.nut(turns=1, outer_radius=0.02, play=3e-4)) > 0.0


@pytest.mark.parametrize("share", [0.0, 0.21, 0.5, 0.77])
def test_the_bolt_fits_at_every_angle(share):
    """Turned by a share of a turn and sunk by the same share of a lead, and up or down by most of the play."""
    for shift in (-0.9 * PLAY, 0.9 * PLAY):
        scene = sg.Scene()
        scene.add_kinematic(THREAD.nut(turns=2, outer_radius=0.02, play=PLAY))
        position = (0.0, 0.0, -LEAD - share * LEAD + shift)
        scene.add_rigid(bolt(), density=1.0, position=position, rotation=(0.0, 0.0, -2.0 * math.pi * share))
        assert sg.Simulation(scene).intersections() == 0


def test_a_link_is_a_bent_wire():
    mesh = link(straight=0.016, bend=0.009, wire=0.003, bend_points=12, wire_points=16)
    wire = math.pi * 0.003**2 * (2.0 * 0.016 + 2.0 * math.pi * 0.009)
    assert volume(mesh) == pytest.approx(wire, rel=0.05)
    assert np.ptp(mesh.vertices, axis=0) == pytest.approx((0.04, 0.024, 0.006), rel=0.02)
