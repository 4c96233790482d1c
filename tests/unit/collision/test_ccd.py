"""Continuous collision detection: no false negative, few false positives, and a distance that is kept."""

from __future__ import annotations

import os
from pathlib import Path

import ipctk
import numpy as np
import pytest

from reference import ccd as naive
from signorini.collision import ccd, ccd_kernels
from signorini.errors import InputError

TOI = {"point_triangle": ccd.point_triangle, "edge_edge": ccd.edge_edge}
EXTERNAL = os.environ.get("SIGNORINI_EXTERNAL_DATA")
FALLING = ([0.2, 0.2, 1.0], [0, 0, 0], [1, 0, 0], [0, 1, 0], [0.2, 0.2, -1.0], [0, 0, 0], [1, 0, 0], [0, 1, 0])


def assert_no_late_impact(toi: naive.Array, truth: naive.Array) -> None:
    hit = np.isfinite(truth)
    missed = np.isinf(toi[hit])
    assert missed.sum() == 0
    assert np.all(toi[hit] <= truth[hit])


@pytest.mark.parametrize("pair", naive.PAIRS)
def test_external_queries_have_no_false_negative(pair: str) -> None:
    if not EXTERNAL:
        pytest.skip("SIGNORINI_EXTERNAL_DATA is not set: the exact CCD queries are not here")
    folder = "vertex-face" if pair == "point_triangle" else "edge-edge"
    files = sorted((Path(EXTERNAL) / "ccd-queries").glob(f"*/{folder}/*.csv"))
    assert len(files) == 4
    for file in files:
        x, truth = naive.read_queries(file)
        assert truth.any()
        assert np.isfinite(TOI[pair](*x)[truth]).all(), file


@pytest.mark.parametrize("chunks", [1, pytest.param(10, marks=pytest.mark.slow)])
@pytest.mark.parametrize("pair", naive.PAIRS)
def test_random_queries_have_no_false_negative(pair: str, chunks: int) -> None:
    rng = np.random.default_rng(11)
    reported = confirmed = 0
    for _ in range(chunks):
        x = rng.uniform(-1.0, 1.0, (8, 50_000, 3))
        truth = naive.certain_impacts(pair, x)
        toi = TOI[pair](*x)
        assert_no_late_impact(toi, truth)
        reported += np.isfinite(toi).sum()
        confirmed += np.isfinite(truth).sum()
    assert confirmed > 3_000 * chunks
    assert reported - confirmed <= max(3, 1e-3 * confirmed)


@pytest.mark.parametrize("count", [1_000, pytest.param(5_000, marks=pytest.mark.slow)])
@pytest.mark.parametrize("kind", naive.KINDS)
@pytest.mark.parametrize("pair", naive.PAIRS)
def test_degenerate_queries_have_no_false_negative(pair: str, kind: str, count: int) -> None:
    x, contact_time = naive.touching_queries(pair, kind, count, np.random.default_rng(12))
    assert_no_late_impact(TOI[pair](*x), contact_time)


@pytest.mark.parametrize("kind", naive.KINDS)
@pytest.mark.parametrize("pair", naive.PAIRS)
def test_motion_in_parallel_planes_is_seldom_reported(pair: str, kind: str) -> None:
    x, gap = naive.missing_queries(pair, kind, 1_000, np.random.default_rng(13))
    reported = np.isfinite(TOI[pair](*x))
    assert reported[gap > 1e-4 * np.ptp(x, axis=0).max(axis=-1)].sum() == 0
    assert kind == "huge" or reported.mean() <= 0.01


@pytest.mark.parametrize("pair", naive.PAIRS)
def test_true_hits_of_an_independent_implementation_are_found(pair: str) -> None:
    rng = np.random.default_rng(14)
    x = rng.uniform(-1.0, 1.0, (8, 2_000, 3))
    x[:, 1_800:] = naive.touching_queries(pair, "general", 200, rng)[0]  # these take Tight-Inclusion milliseconds each
    theirs = ipctk.TightInclusionCCD()
    test = theirs.point_triangle_ccd if pair == "point_triangle" else theirs.edge_edge_ccd
    their_hits = np.array([test(*x[:, i])[0] for i in range(x.shape[1])])
    true = np.isfinite(naive.certain_impacts(pair, x))
    true[1_800:] = True
    ours = np.isfinite(TOI[pair](*x))
    assert (their_hits & true).sum() > 250
    assert not (their_hits & true & ~ours).any()


@pytest.mark.parametrize("min_distance", [1e-4, 0.05, 0.3])
@pytest.mark.parametrize("pair", naive.PAIRS)
def test_minimum_distance_is_kept_until_the_impact(pair: str, min_distance: float) -> None:
    x = np.random.default_rng(15).uniform(-1.0, 1.0, (8, 4_000, 3))
    toi = TOI[pair](*x, min_distance=min_distance)
    at_start = naive.distance(pair, x[:4])
    starts_close = at_start <= min_distance
    assert np.all(toi[starts_close] == 0.0)
    fractions = np.linspace(0.0, 1.0, 65)
    distances = np.array([naive.distance(pair, naive.at_time(x, f * np.minimum(toi, 1.0))) for f in fractions])
    assert np.all(distances[:, ~starts_close] >= min_distance * (1.0 - 1e-9))
    hit = np.isfinite(toi) & ~starts_close
    assert hit.sum() > 200
    # Not needlessly early either: what is left of the gap is a millionth.
    assert np.mean(distances[-1, hit] <= min_distance + 1.1e-6 * at_start[hit]) >= 0.999


@pytest.mark.parametrize("pair", naive.PAIRS)
def test_starting_closer_than_the_minimum_distance_is_time_zero(pair: str) -> None:
    x, _ = naive.touching_queries(pair, "at start", 500, np.random.default_rng(16))
    assert np.all(TOI[pair](*x) == 0.0)
    assert np.all(TOI[pair](*x, min_distance=0.01) == 0.0)


def test_falling_point() -> None:
    toi = ccd.point_triangle(*FALLING)
    assert toi.shape == (1,)
    assert 0.5 - 1e-6 <= toi[0] <= 0.5
    assert 0.4 - 1e-6 <= ccd.point_triangle(*FALLING, min_distance=0.2)[0] <= 0.4


def test_falling_edge_that_touches_at_the_end() -> None:
    still = ([-1, 0, 0], [1, 0, 0])
    toi = ccd.edge_edge(*still, [0, -1, 1], [0, 1, 1], *still, [0, -1, 0], [0, 1, 0])
    assert 1.0 - 1e-5 <= toi[0] <= 1.0


def test_leaving_a_very_near_start_is_no_impact() -> None:
    still = [[0, 0, 0], [1, 0, 0], [0, 1, 0]]
    assert np.isinf(ccd.point_triangle([0.2, 0.2, 1e-12], *still, [0.3, 0.2, 1.0], *still)[0])


def test_common_motion_brings_nothing_closer() -> None:
    x = np.array(FALLING[:4])
    assert np.isinf(ccd.point_triangle(*x, *(x + np.array([1e3, -2e3, 5e2])))[0])


def test_running_out_of_iterations_is_a_hit() -> None:
    x, contact_time = naive.touching_queries("edge_edge", "general", 200, np.random.default_rng(17))
    x0, x1 = (np.ascontiguousarray(half.transpose(1, 0, 2).reshape(-1, 3)) for half in (x[:4], x[4:]))
    for limit in (1, 2, 5):
        toi = np.empty(200)
        ccd_kernels.edge_edge_queries(x0, x1, 0.0, limit, toi)
        assert np.all(toi <= contact_time)


def test_no_queries_give_no_times() -> None:
    assert ccd.edge_edge(*np.zeros((8, 0, 3))).shape == (0,)


@pytest.mark.parametrize(
    ("position", "value", "message"),
    [
        (0, [0.0, np.nan, 0.0], "p_t0 must hold finite coordinates"),
        (7, [np.inf, 0.0, 0.0], "c_t1 must hold finite coordinates"),
        (2, [1e150, 0.0, 0.0], "b_t0 must hold finite coordinates of at most 1e"),
        (1, [0.0, 0.0], r"a_t0 must have shape \(n, 3\) or \(3,\), got \(2,\)"),
        (4, np.zeros((2, 3)), "p_t1 has 2 points but p_t0 has 1"),
        (5, "triangle", "a_t1 must be an array of numbers"),
    ],
)
def test_wrong_points_are_named(position: int, value: object, message: str) -> None:
    points: list[object] = list(FALLING)
    points[position] = value
    with pytest.raises(InputError, match=message):
        ccd.point_triangle(*points)  # type: ignore[arg-type]


@pytest.mark.parametrize("value", [-1e-3, np.nan, np.inf, "far"])
def test_wrong_minimum_distance_is_named(value: object) -> None:
    with pytest.raises(InputError, match="min_distance must be"):
        ccd.point_triangle(*FALLING, min_distance=value)  # type: ignore[arg-type]
