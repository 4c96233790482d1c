"""Tension that is read from a continuum cloth, against the closed forms of a taut and of a wrinkled sheet."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import signorini as sg

E1, E2, NU, SHEAR = 1000.0, 600.0, 0.3, 100.0


def read(stretch: float, across: float, ratio: float, warp: tuple[float, float, float]) -> sg.ClothState:
    """State of a sheet that is stretched along x and y, then turned in space."""
    fabric = sg.ClothMaterial(
        membrane_stiffness=E1, weft_stiffness=E2, poisson_ratio=NU, shear_stiffness=SHEAR, bending_rigidity=1e-5,
        compression_ratio=ratio, damping_time=1e-3, bending_damping_time=0.0,
    )  # fmt: skip
    scene, sheet = sg.Scene(gravity=(0, 0, 0)), sg.shapes.grid(0.3, 0.2, cells=(4, 3), diagonals="alternate")
    scene.add_cloth(sheet, material=fabric, warp=warp, name="sheet")
    sim = sg.Simulation(scene, dt=1e-3)
    stretched = sheet.vertices * [stretch, across, 1.0]
    sim.bodies["sheet"].positions = Rotation.from_rotvec([0.7, -0.4, 1.1]).apply(stretched)
    return sim.cloth_state("sheet")


@pytest.mark.parametrize("ratio", [0.05, 0.3, 1.0])
@pytest.mark.parametrize(
    ("stretch", "across", "wrinkled"), [(1.1, 1.05, False), (1.1, 0.99, False), (1.1, 0.8, True), (0.9, 0.8, None)]
)
def test_tension_of_taut_wrinkled_and_slack_sheets(
    stretch: float, across: float, wrinkled: bool | None, ratio: float
) -> None:
    """Wrinkled along the weft: the tension of a thread, E1 times Green's strain, and r of the rest, by present lengths."""
    e1, e2 = 0.5 * (stretch**2 - 1.0), 0.5 * (across**2 - 1.0)
    q = E1 / (1.0 - NU**2 * E2 / E1)
    full = np.array([q * (e1 + NU * E2 / E1 * e2), q * E2 / E1 * (e2 + NU * e1)])
    relaxed = {False: full, True: np.array([E1 * e1, 0.0]), None: np.zeros(2)}[wrinkled]
    S1, S2 = (1.0 - ratio) * relaxed + ratio * full
    expected = sorted((S1 * stretch / across, S2 * across / stretch), reverse=True)
    for warp, sizes in (((1.0, 0.0, 0.0), (stretch, across)), ((0.0, 1.0, 0.0), (across, stretch))):
        found = read(*sizes, ratio, warp)
        np.testing.assert_allclose(found.principal_tensions, np.tile(expected, (len(found), 1)), rtol=1e-9, atol=1e-9)
        out = np.einsum("tij,tj->ti", found.tension, found.normal)
        np.testing.assert_allclose(out, 0.0, atol=1e-9)


def test_a_sheet_in_pure_shear_carries_tension_along_one_diagonal_only() -> None:
    """Isotropic, compression ratio next to none: the extended diagonal is a thread with E·h, whatever the mesh."""
    rubber = sg.ClothMaterial(
        membrane_stiffness=500.0, poisson_ratio=0.4, bending_rigidity=0.0, compression_ratio=1e-12, damping_time=0.0,
        bending_damping_time=0.0,
    )  # fmt: skip
    scene, sheet = sg.Scene(gravity=(0, 0, 0)), sg.shapes.grid(0.3, 0.3, cells=3)
    scene.add_cloth(sheet, material=rubber, name="sheet")
    sim, long, short = sg.Simulation(scene, dt=1e-3), 1.02, 0.9
    turn = Rotation.from_rotvec([0.0, 0.0, np.pi / 4]).as_matrix()
    sim.bodies["sheet"].positions = sheet.vertices @ (turn @ np.diag([long, short, 1.0]) @ turn.T).T
    found = sim.cloth_state("sheet")
    tension = 500.0 * 0.5 * (long**2 - 1.0) * long / short
    np.testing.assert_allclose(found.principal_tensions, np.tile([tension, 0.0], (len(found), 1)), atol=1e-8)
    along = turn @ [1.0, 0.0, 0.0]
    np.testing.assert_allclose(found.tension @ along, np.tile(tension * along, (len(found), 1)), atol=1e-8)
