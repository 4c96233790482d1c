"""Fabrics hang over a disc as published (Cusick 1968); `signorini validate cloth-drape` has the finer meshes."""

from __future__ import annotations

import pytest

from signorini.studies.validation.cases.sheets.drape import PUBLISHED, disc_mesh, drape, drape_coefficient


@pytest.mark.parametrize("fabric", ["silk", "denim"])
def test_fabrics_drape_as_published(fabric: str) -> None:
    least, most = PUBLISHED[fabric]
    assert least < drape(disc_mesh("rings", 0.012), fabric) < most


def test_the_shadow_of_a_flat_disc_is_whole() -> None:
    mesh = disc_mesh("grid", 0.012)
    assert drape_coefficient(mesh.triangles, mesh.vertices) == pytest.approx(100.0, abs=1.0)
