"""A light block between a stiff strip and the ground stays where friction holds it."""

from __future__ import annotations

import numpy as np
import pytest

from signorini.studies.validation.cases.sheets import stick_slip


def test_a_block_of_a_tenth_of_a_gram_does_not_creep(monkeypatch: pytest.MonkeyPatch) -> None:
    """With one and a half times the friction that a strain of 0.3 needs the foot stays; it crept away at 0.016."""
    monkeypatch.setattr(stick_slip, "SHOE_MASS", 1e-4)
    monkeypatch.setattr(stick_slip, "MOST_STRAIN", 0.05)
    friction = 1.5 * float(stick_slip.friction_at_slip(np.array([0.3]))[0])
    strain = stick_slip.strain_at_slip("aligned", friction, shoe=True, edges=16, speed=0.5 * stick_slip.SPEED)
    assert strain > 0.05
