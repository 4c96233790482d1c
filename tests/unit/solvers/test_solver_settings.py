"""Settings of the contact solvers: each declares what it reads, and what it would ignore is refused."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import fields, replace
from typing import get_args

import numpy as np
import pytest

from reference.feasibility import random_infeasible
from reference.problems import random_mlcp
from signorini.contact.mlcp import WarmStart
from signorini.errors import InputError
from signorini.settings import SolverName, SolverSettings
from signorini.solvers import solve
from signorini.solvers.named_solvers import NAMED_SOLVERS

OTHER = {
    "stop": "paper", "tolerance": 1e-20, "improve_start": False, "max_outer": 1, "max_inner": 1, "contact_repeats": 1,
    "relative_tolerance": 1e-9, "friction_cone": "pyramid", "max_iterations": 1, "compromise": False,
}  # fmt: skip
"""For each setting a value other than its default that changes the answer of a solver which reads it."""
NAMES = get_args(SolverName)


def test_every_name_has_a_solver():
    assert set(NAMED_SOLVERS) == set(NAMES)
    assert set(OTHER) == {f.name for f in fields(SolverSettings)} - {"name"}


@pytest.mark.parametrize("setting", OTHER)
@pytest.mark.parametrize("name", NAMES)
def test_a_setting_is_read_or_refused(name, setting):
    """What is accepted has an effect on some problem, and what is refused names the setting and the solver."""
    try:
        changed = SolverSettings(name=name, **{setting: OTHER[setting]})
    except InputError as error:
        assert f"{setting} = {OTHER[setting]!r} has no effect on solver {name!r}" in str(error)
        assert str(error).count(".") == str(OTHER[setting]).count(".")
        return
    assert any(differ(problem, SolverSettings(name=name), changed) for problem in problems())


def problems():
    for stiffness in (1.0, 50.0):
        yield random_mlcp(np.random.default_rng(5), contacts=20, stiffness=stiffness, friction=0.3)
    for seed in range(10_000, 10_004):
        yield random_infeasible(np.random.default_rng(seed))


def differ(problem, a: SolverSettings, b: SolverSettings) -> bool:
    """Whether two settings give different answers, also from a start that is solved already but for a little."""
    exact = solve(problem, SolverSettings(tolerance=1e-9, relative_tolerance=1e-9))
    for start in (None, WarmStart(exact.dv * (1.0 + 1e-5), exact.impulse)):
        x, y = solve(problem, a, start), solve(problem, b, start)
        if not np.array_equal(x.dv, y.dv) or x.converged != y.converged:
            return True
    return False


def test_the_refusal_names_solvers_that_read_the_setting():
    with pytest.raises(
        InputError, match=r"choose .*'ica' or .*'full-anticipation'|choose .*'full-anticipation' or .*'ica'"
    ):
        SolverSettings(friction_cone="pyramid")
    with pytest.raises(InputError, match=r"relative_tolerance = 0\.1 has no effect with stop = 'paper': leave it out"):
        SolverSettings(name="ica", stop="paper", relative_tolerance=0.1)


def test_settings_are_checked_whatever_was_imported_before():
    code = "from signorini.settings import SolverSettings; SolverSettings(friction_cone='pyramid')"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert "has no effect on solver 'augmented-lagrangian'" in run.stderr


def test_settings_are_adapted_to_another_solver():
    ica = SolverSettings(name="ica", stop="paper", tolerance=1e-4, max_outer=50, contact_repeats=2)
    assert ica.adapted(name="augmented-lagrangian") == SolverSettings(tolerance=1e-4, contact_repeats=2)
    assert ica.adapted(relative_tolerance=0.1) == ica
    assert ica.adapted(stop="residual", relative_tolerance=0.1).relative_tolerance == 0.1
    mine = SolverSettings(improve_start=False, relative_tolerance=0.1)
    assert mine.adapted(name="ica") == SolverSettings(name="ica", relative_tolerance=0.1)
    assert mine.adapted(name="ica", stop="paper") == SolverSettings(name="ica", stop="paper")
    with pytest.raises(InputError, match="improve_start"):
        replace(mine, name="ica")
