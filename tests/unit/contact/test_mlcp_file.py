"""A contact problem that was saved and loaded is the same problem."""

from __future__ import annotations

from dataclasses import fields, replace

import numpy as np
import pytest

from reference.problems import random_mlcp
from signorini.contact.mlcp import Mlcp
from signorini.errors import InputError


def test_a_loaded_problem_is_identical(tmp_path):
    problem = random_mlcp(np.random.default_rng(0), contacts=10, friction=0.3, duplicates=1, empty=2)
    problem = replace(problem, contact_distance=2e-3)
    problem.save(tmp_path / "problem.npz")
    loaded = Mlcp.load(tmp_path / "problem.npz")
    for part in ("indptr", "indices", "data"):
        assert_identical(getattr(loaded.A, part), getattr(problem.A, part))
    for field in fields(Mlcp):
        if field.name != "A":
            assert_identical(np.asarray(getattr(loaded, field.name)), np.asarray(getattr(problem, field.name)))


def assert_identical(a: np.ndarray, b: np.ndarray) -> None:
    assert a.dtype == b.dtype and a.shape == b.shape and (a == b).all()


def test_other_files_are_refused(tmp_path):
    np.savez(tmp_path / "other.npz", x=np.zeros(3))
    with pytest.raises(InputError, match="is not a saved contact problem"):
        Mlcp.load(tmp_path / "other.npz")
    with pytest.raises(InputError, match="does not exist"):
        Mlcp.load(tmp_path / "missing.npz")
    (tmp_path / "text.npz").write_text("hello")
    with pytest.raises(InputError, match="is not a saved contact problem"):
        Mlcp.load(tmp_path / "text.npz")
