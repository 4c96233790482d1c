"""The full study of `falling-cloth`, run by `make bench`: no intersection in any row, and all of it for the default."""

from __future__ import annotations

import pytest

from reference.cloth_study import ROWS, run_row
from signorini.settings import SolverSettings

pytestmark = pytest.mark.slow


def certified(row):
    """Run a row; nothing intersects or crosses, every step covers its dt."""
    result = run_row(row)
    assert result.steps == round(row.seconds / row.dt)
    assert not result.intersecting, f"intersections after steps {result.intersecting[:10]}"
    assert not result.crossing, f"crossings in steps {result.crossing[:10]}"
    assert result.min_distance > 0.0
    return result


def test_falling_cloth_for_four_seconds():
    """4 s at 4 ms with friction 0.3, all that the paper and we promise.

    Energy: nothing does work after the start, so that it never rises above an earlier value by more than a velocity
    error of the solver's tolerance can lift the sheet in one step, m g dt · 5e-4 m/s. Rest: every vertex is slower than
    10 times that tolerance during the last quarter of a second (1.25 mm of way).
    """
    row = ROWS["default"]
    result = certified(row)
    assert not result.failsafe_steps, f"fail-safe in steps {result.failsafe_steps[:10]}"
    share = result.share_of_few_refinements
    assert share > 0.9, f"three or fewer refinements in only {share:.1%}: {dict(result.refinements)}"
    tolerance = SolverSettings().residual
    allowed = 0.2 * 9.81 * row.dt * tolerance
    assert result.energy_growth <= allowed, f"energy grew by {result.energy_growth:.1e} J ({allowed:.1e} J allowed)"
    assert result.rest_speed < 10.0 * tolerance, f"{result.rest_speed:.1e} m/s at the end"
    assert result.energy_drop > 0.8, "it must have come down"


@pytest.mark.parametrize("name", [name for name in ROWS if name != "default"])
def test_no_intersection_in_any_variant(name):
    """Friction 0 and 0.8, dt = 2, 10 and 20 ms, ten times softer and stiffer: no intersection, converged or not."""
    certified(ROWS[name])
