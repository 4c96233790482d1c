"""Strips and plates of cloth are those of beam and plate theory; `signorini validate` measures them on all meshes."""

from __future__ import annotations

import numpy as np
import pytest

from signorini.studies.validation.case import Case
from signorini.studies.validation.cases.sheets import cantilever, lateral_buckling, stick_slip, twist, vibration
from signorini.studies.validation.cases.sheets.strips import MESHES, clamped_strip
from signorini.studies.validation.study import run_case


@pytest.mark.parametrize(
    "case",
    [cantilever.CASE, lateral_buckling.CASE, stick_slip.CASE, twist.CASE, vibration.CASE],
    ids=lambda case: case.name,
)
def test_a_quick_run_is_inside_of_all_bounds(case: Case) -> None:
    record = run_case(case, quick=True)
    assert not record.error
    outside = [
        f"{row.quantity}: {row.measured:.4g} not {row.expected:.4g}"
        for row in record.found.rows
        if row.verdict != "inside"
    ]
    assert not outside


def test_reference_values_are_those_of_the_literature() -> None:
    loads = (1.0, 5.0, 10.0, 20.0, 50.0, 100.0, 1000.0)
    known = (0.125, 0.586, 1.067, 1.864, 3.706, 5.888, 21.34)
    assert [cantilever.elastica(load) for load in loads] == pytest.approx(known, rel=4e-3)
    assert lateral_buckling.critical_load() == pytest.approx(12.854, rel=1e-4)
    mu = stick_slip.friction_at_slip(np.array(stick_slip.STRAINS))
    assert mu == pytest.approx((0.045, 0.104, 0.153, 0.238, 0.327, 0.434, 0.585), abs=1e-3)


def test_clamped_strips_keep_the_triangles_of_their_meshes() -> None:
    """Six different ones: the rows of the two staggered meshes are as many on a narrow strip."""
    strips = [clamped_strip(name, 0.3, 0.06, 10).mesh for name in MESHES]
    assert len({strip.triangles.tobytes() for strip in strips}) >= 6
    assert all(strip.areas.sum() == pytest.approx(0.33 * 0.06) for strip in strips)
