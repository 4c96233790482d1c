"""Materials of soft solids: moduli, presets, and the answers to bad values."""

from __future__ import annotations

import pytest

import signorini as sg
from signorini.errors import InputError
from signorini.scene.solid_material import PRESETS, SolidMaterial, solid_material


def make(**changes: object) -> SolidMaterial:
    values: dict[str, object] = {"young": 1e5, "poisson": 0.3, "density": 1000.0}
    return SolidMaterial(**(values | changes))  # type: ignore[arg-type]


def test_moduli_belong_together() -> None:
    m = make(young=2.6, poisson=0.3)
    assert m.lame_mu == pytest.approx(1.0)
    assert m.lame_lambda == pytest.approx(1.5)
    assert m.bulk_modulus == pytest.approx(m.lame_lambda + 2.0 / 3.0 * m.lame_mu)
    mu, lam = m.lame_mu, m.lame_lambda
    assert mu * (3.0 * lam + 2.0 * mu) / (lam + mu) == pytest.approx(m.young)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"young": 0.0}, ["young", "positive", "0 Pa"]),
        ({"young": "stiff"}, ["young", "number", "'stiff'"]),
        ({"poisson": 0.5}, ["poisson", "below 0.5", "got 0.5", "0.49"]),
        ({"poisson": -1.0}, ["poisson", "above -1", "got -1"]),
        ({"poisson": float("nan")}, ["poisson", "nan"]),
        ({"density": -3.0}, ["density", "-3 kg/m³"]),
        ({"mass_damping": -1.0}, ["mass_damping", "zero or positive", "-1.0 1/s"]),
        ({"stiffness_damping": float("inf")}, ["stiffness_damping", "finite"]),
        ({"stiffness_damping": True}, ["stiffness_damping", "number"]),
        ({"model": "hookean"}, ["model", "corotational", "neo-hookean", "'hookean'"]),
    ],
)
def test_bad_values_are_named(change: dict[str, object], words: list[str]) -> None:
    with pytest.raises(InputError) as caught:
        make(**change)
    for word in words:
        assert word in str(caught.value)


def test_presets_are_found_by_name_and_the_nearest_is_offered() -> None:
    for name, material in PRESETS.items():
        assert solid_material(name) is material
    own = make()
    assert solid_material(own) is own
    with pytest.raises(InputError, match="did you mean 'gelatine'"):
        solid_material("gelatin")
    with pytest.raises(InputError, match="SolidMaterial or one of rubber"):
        solid_material(3)  # type: ignore[arg-type]


def test_a_soft_solid_says_which_elements_it_has_and_why() -> None:
    tets = sg.shapes.box_tets(0.1, 0.1, 0.1, cells=1)
    scene = sg.Scene()
    texts = {
        (0.3, None): "plain tetrahedra, because Poisson's ratio 0.3 is not above 0.45",
        (0.49, None): "locking-free, because Poisson's ratio 0.49 is above 0.45",
        (0.3, "locking-free"): "locking-free, as asked for",
        (0.3, "tetrahedra"): "plain tetrahedra, as asked for",
        (
            0.49,
            "tetrahedra",
        ): "plain tetrahedra, as asked for, which lock at Poisson's ratio 0.49: too stiff in bending by 2 to 8 times",
    }
    for (poisson, element), text in texts.items():
        body = scene.add_soft_solid(tets, poisson=poisson, element=element)  # type: ignore[arg-type]
        assert body.element_text == text
        assert text in repr(body) and "6 tetrahedra" in repr(body) and "neo-hookean" in repr(body)
