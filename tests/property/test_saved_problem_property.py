"""Saved contact problems with anything changed in them: a sentence or a problem that can be solved, never a crash."""

from __future__ import annotations

import multiprocessing
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from reference.problems import random_mlcp
from signorini.contact.mlcp import Mlcp
from signorini.errors import InputError
from signorini.settings import SolverSettings
from signorini.solvers import solve

NUMBERS = st.sampled_from(
    [-1, 0, 1, 2, 7, 2**31 - 1, 2**31, 2**40, -(2**40), 0.5, -0.5, 1e300, -1e300, 1e-300, np.nan, np.inf]
)
SOLVERS = st.sampled_from([SolverSettings(), SolverSettings(name="ica", max_outer=20)])
CHANGES = (
    "number",
    "longer",
    "shorter",
    "flat",
    "column",
    "transposed",
    "type",
    "missing",
    "sorted",
    "reversed",
    "more",
)


def changed(arrays: dict[str, np.ndarray], draw) -> dict[str, np.ndarray]:
    name = draw(st.sampled_from(sorted(arrays)))
    array, how = arrays[name], draw(st.sampled_from(CHANGES))
    out = dict(arrays)
    if how == "number" and array.size and array.dtype.kind in "if":
        number = draw(NUMBERS)
        whole = array.dtype.kind == "i" and isinstance(number, int)
        out[name] = array.astype(np.int64 if whole else np.float64)
        out[name].reshape(-1)[draw(st.integers(0, array.size - 1))] = number
    elif how == "longer":
        out[name] = np.concatenate([np.atleast_1d(array), np.atleast_1d(array)[:1]])
    elif how == "shorter":
        out[name] = np.atleast_1d(array)[:-1]
    elif how == "flat":
        out[name] = array.ravel()
    elif how == "column":
        out[name] = array[..., None]
    elif how == "transposed":
        out[name] = np.asfortranarray(array) if draw(st.booleans()) else array.T
    elif how == "type":
        kinds = st.sampled_from(["float32", "int64", "uint8", "complex128", "U3", "bool", ">f8", ">i4"])
        with np.errstate(invalid="ignore"):
            out[name] = array.astype(draw(kinds)) if array.dtype.kind in "if" else np.array(3)
    elif how == "missing":
        del out[name]
    elif how in ("sorted", "reversed"):
        ordered = np.sort(array, axis=None).reshape(array.shape)
        out[name] = ordered if how == "sorted" else np.flip(ordered)
    elif how == "more":
        out[draw(st.sampled_from(["x", "A", "path", "self"]))] = array
    return out


def _all_outcomes_are_good(directory: Path) -> None:
    """In a process of its own: compiled code that is given a wrong index ends the process."""
    random = np.random.default_rng(3)
    problems = [random_mlcp(random, contacts=m, friction=0.4, duplicates=1, empty=1) for m in (1, 6)]
    stored = []
    for k, problem in enumerate(problems):
        problem.save(directory / f"{k}.npz")
        with np.load(directory / f"{k}.npz") as file:
            stored.append({name: file[name] for name in file.files})
    outcomes = {"refused": 0, "solved": 0}

    @settings(max_examples=80, deadline=None, database=None, derandomize=True, suppress_health_check=list(HealthCheck))
    @given(st.data())
    def examples(data: st.DataObject) -> None:
        arrays = data.draw(st.sampled_from(stored))
        for _ in range(data.draw(st.integers(1, 2))):
            arrays = changed(arrays, data.draw)
        np.savez(directory / "changed.npz", **arrays)
        try:
            problem = Mlcp.load(directory / "changed.npz")
        except InputError as error:
            assert len(str(error)) < 900
            outcomes["refused"] += 1
            return
        with np.errstate(all="ignore"):
            response = solve(problem, data.draw(SOLVERS))
        assert response.impulse.shape == (problem.contact_count, 3)
        outcomes["solved"] += 1

    examples()
    assert min(outcomes.values()) > 5, outcomes


@pytest.mark.filterwarnings("ignore")
def test_changed_problems_are_refused_or_solved(tmp_path):
    process = multiprocessing.get_context("fork").Process(target=_all_outcomes_are_good, args=(tmp_path,))
    process.start()
    process.join(60)
    process.kill()
    process.join()
    assert process.exitcode == 0
