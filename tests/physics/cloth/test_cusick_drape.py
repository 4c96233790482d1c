"""Fabrics hang over a disc as published (Cusick 1968); benchmarks/cusick_drape.py has the finer meshes."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

_spec = importlib.util.spec_from_file_location(
    "cusick_drape", Path(__file__).parents[3] / "benchmarks" / "cusick_drape.py"
)
assert _spec and _spec.loader
cusick = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(cusick)


@pytest.mark.parametrize(
    ("fabric", "least", "most"), [("cotton", 60, 76), ("silk", 20, 40), ("wool", 40, 70), ("denim", 70, 90)]
)
def test_a_fabric_drapes_as_published(fabric: str, least: float, most: float) -> None:
    assert least < cusick.drape(cusick.disc_mesh("rings", 0.012), fabric) < most


def test_the_shadow_of_a_flat_disc_is_all_of_it() -> None:
    mesh = cusick.disc_mesh("grid", 0.012)
    assert cusick.drape_coefficient(mesh.triangles, mesh.vertices) == pytest.approx(100.0, abs=1.0)
