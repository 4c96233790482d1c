"""Texts that stand for the values of a parameter, and the designs that they span."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from signorini.errors import InputError
from signorini.studies.sweep.design import parameter_sets, read_rows
from signorini.studies.sweep.values import Choices, Range, axis_of, read_axis


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("0:1:5", [0.0, 0.25, 0.5, 0.75, 1.0]),
        ("0:1:21", [float(f"{0.05 * k:.3f}") for k in range(21)]),
        ("10:50:5", [10, 20, 30, 40, 50]),
        ("1:0:2", [1, 0]),
        ("0.3:0.3:1", [0.3]),
        ("1e-3:1e1:5:log", [0.001, 0.01, 0.1, 1.0, 10.0]),
        ("1:4:3:int", [1, 2, 4]),
        ("cotton,silk", ["cotton", "silk"]),
        ("cotton", ["cotton"]),
        ("1,2.5,3", [1, 2.5, 3]),
        ("true,false", [True, False]),
        ("[0, 0, -9.81], [0, 0, -1.62]", [[0, 0, -9.81], [0, 0, -1.62]]),
        ('"a,b","c"', ["a,b", "c"]),
        ("module:function,other", ["module:function", "other"]),
    ],
)
def test_values_of_a_text(text, values):
    found = read_axis("x", text).points()
    assert found == values
    assert [type(v) for v in found] == [type(v) for v in values]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "there are no values"),
        (",", "there are no values"),
        ("0:1:0", "the range is empty: the number of values must be from 1"),
        ("0:1:2.5", "the number of values must be from 1"),
        ("1:1:3", "the range is empty: both ends are 1"),
        ("1:0", "the range is empty: 1 is above 0"),
        ("0:1:5:log", "needs ends above 0"),
        ("0.1:0.9:int", "there is no integer from 0.1 to 0.9"),
        ("0:1:2:3", "is no range"),
        ("0:b:2", "is no range"),
        ("0.3,0.3", "stands there twice"),
        ("1:2:3:int", "stands there twice"),
    ],
)
def test_texts_without_values(text, message):
    with pytest.raises(InputError, match=message):
        read_axis("friction", text)


def test_values_from_python():
    assert axis_of("x", np.linspace(0, 1, 3)) == Choices((0.0, 0.5, 1.0))
    assert axis_of("x", range(3)) == Choices((0, 1, 2))
    assert axis_of("x", "0:1:3") == Range(0.0, 1.0, 3)
    with pytest.raises(InputError, match="must be a list of values"):
        axis_of("x", 3)


def test_the_grid_is_complete_and_the_last_parameter_varies_fastest():
    sets = parameter_sets({"a": Choices((1, 2)), "b": Choices(("x", "y", "z"))})
    assert [(s["a"], s["b"]) for s in sets] == [(a, b) for a in (1, 2) for b in "xyz"]


@given(samples=st.integers(1, 60), seed=st.integers(0, 2**32))
def test_a_latin_hypercube_has_one_value_in_every_stratum(samples, seed):
    axes = {"a": Range(2.0, 5.0), "b": Range(1e-3, 1e3, logarithmic=True)}
    sets = parameter_sets(axes, samples=samples, sampling="latin", seed=seed)
    linear = [(s["a"] - 2.0) / 3.0 for s in sets]
    logs = [(np.log10(s["b"]) + 3.0) / 6.0 for s in sets]
    for places in (linear, logs):
        for k, u in enumerate(sorted(places)):  # values are rounded to 12 digits
            assert k / samples - 1e-9 <= u <= (k + 1) / samples + 1e-9


def test_draws_depend_on_the_seed_and_the_name_only():
    one = parameter_sets({"a": Range(0.0, 1.0)}, samples=5, seed=3)
    both = parameter_sets({"b": Range(0.0, 1.0), "a": Range(0.0, 1.0)}, samples=5, seed=3)
    assert [s["a"] for s in one] == [s["a"] for s in both] != [s["b"] for s in both]
    assert [s["a"] for s in parameter_sets({"a": Range(0.0, 1.0)}, samples=5, seed=4)] != [s["a"] for s in one]


def test_integers_are_drawn_equally_often():
    sets = parameter_sets({"n": Range(3.0, 6.0, whole=True)}, samples=4000, sampling="latin")
    assert np.bincount([s["n"] for s in sets]).tolist() == [0, 0, 0, 1000, 1000, 1000, 1000]


def test_every_point_of_the_grid_gets_the_same_draws():
    sets = parameter_sets({"m": Choices(("a", "b")), "f": Range(0.0, 1.0)}, samples=3)
    assert [s["m"] for s in sets] == ["a"] * 3 + ["b"] * 3
    assert [s["f"] for s in sets[:3]] == [s["f"] for s in sets[3:]]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"axes": {"f": Range(0.0, 1.0)}}, r"does not say how many values: write f=0:1:20"),
        ({"axes": {"f": Range(0.0, 1.0, 3)}, "samples": 5}, "nothing to draw"),
        ({"axes": {"f": Range(0.0, 1.0)}, "samples": 0}, "number of samples must be from 1"),
        ({"axes": {"f": Choices((1,))}, "rows": [{"f": 2}]}, "is varied and also a column"),
        ({"axes": {n: Range(0.0, 1.0, 1000) for n in "abc"}}, "1e[+]09 runs"),
    ],
)
def test_designs_that_are_none(options, message):
    axes = options.pop("axes")
    with pytest.raises(InputError, match=message):
        parameter_sets(axes, **options)


def test_rows_of_a_csv_file(tmp_path):
    file = tmp_path / "rows.csv"
    file.write_text("friction, material\n0.1,cotton\n\n0.5,silk\n")
    rows = read_rows(file)
    assert rows == [{"friction": 0.1, "material": "cotton"}, {"friction": 0.5, "material": "silk"}]
    crossed = parameter_sets({"dt": Choices((1e-3, 2e-3))}, rows=rows)
    assert len(crossed) == 4 and crossed[1] == {"friction": 0.1, "material": "cotton", "dt": 2e-3}


@pytest.mark.parametrize(
    ("text", "message"),
    [("a,b\n", "is empty"), ("a,a\n1,2\n", "name every column once"), ("a,b\n1\n", "row 2 has 1 cells instead of 2")],
)
def test_damaged_rows(tmp_path, text, message):
    (tmp_path / "rows.csv").write_text(text)
    with pytest.raises(InputError, match=message):
        read_rows(tmp_path / "rows.csv")
    with pytest.raises(InputError, match="cannot be read"):
        read_rows(tmp_path / "none.csv")
