"""Teams of threads: who takes part, what is waited for, and what happens after fork and in two Python threads at once."""

from __future__ import annotations

import multiprocessing
import threading
import time

import numpy as np
import pytest

from signorini.compiled import kernel
from signorini.errors import InputError
from signorini.parallel import thread_count as counts
from signorini.parallel.crew_kernels import meet
from signorini.parallel.team import LossClock, Team, lone_crew, run_together, use_threads

CHUNKS, ROUNDS = 8, 50


@kernel
def sum_in_rounds(crew, rank, values, parts, sizes):
    """In each round every chunk is multiplied by the sum of all chunks of the round before: wrong if a barrier does not hold."""
    size = meet(crew, rank)
    factor = 1.0
    for r in range(ROUNDS):
        if size == 0:
            return 0.0
        for c in range(rank, CHUNKS, size):
            total = 0.0
            for i in range(c, len(values), CHUNKS):
                total += factor * values[i]
            parts[r, c] = total
            sizes[r, c] = size
        size = meet(crew, rank)
        total = 0.0
        for c in range(CHUNKS):
            total += parts[r, c]
        factor = 1.0 + 0.5 * total
    return factor


def twin(values: np.ndarray) -> float:
    factor = 1.0
    for _ in range(ROUNDS):
        factor = 1.0 + 0.5 * sum(float((factor * values[c::CHUNKS]).sum()) for c in range(CHUNKS))
    return factor


def arrays() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    values = np.random.default_rng(0).normal(size=4000) / 4000
    return values, np.zeros((ROUNDS, CHUNKS)), np.zeros((ROUNDS, CHUNKS), np.int64)


@pytest.mark.parametrize("size", [1, 2, 3, 8])
def test_every_number_of_threads_gives_the_same_bits(size):
    values, parts, sizes = arrays()
    result = Team(patient=True).run(size, sum_in_rounds, values, parts, sizes)
    np.testing.assert_allclose(result, twin(values), rtol=1e-12)
    alone = Team().run(1, sum_in_rounds, *arrays())
    assert result == alone
    assert (sizes == size).all()


@pytest.mark.parametrize("barrier", [1, 2, 3, 20])
def test_threads_that_are_dismissed_change_no_bit(barrier):
    values, parts, sizes = arrays()
    result = Team(patient=True, last_barrier=barrier).run(3, sum_in_rounds, values, parts, sizes)
    assert result == Team().run(1, sum_in_rounds, *arrays())
    assert (sizes[: barrier - 1] == 3).all()
    assert (sizes[barrier - 1 :] == 1).all()


def test_a_thread_that_was_dismissed_is_turned_away_at_every_barrier():
    """It would work on all chunks beside thread 0 otherwise, as one did in the solves of Newton steps."""
    crew = lone_crew()
    assert meet(crew, 0) == 1
    assert meet(crew, 1) == 0


def test_a_team_that_is_late_rests_and_works_alone():
    team = Team()
    values, parts, sizes = arrays()
    team._learn(lost=1e-3, taken=1e-3)
    team.run(2, sum_in_rounds, values, parts, sizes)
    assert (sizes == 1).all()
    first = team._rest
    team._learn(lost=1e-3, taken=1e-3)
    assert team._rest == 2 * first
    for _ in range(10):
        team._learn(lost=1e-5, taken=1e-3)
    assert team._rest < first


def test_a_team_rests_twenty_times_as_long_as_a_thread_had_no_core():
    team = Team()
    begin = time.perf_counter()
    team._learn(lost=2.0, taken=7.0)
    assert 40.0 <= team._rest_until - begin < 41.0
    patient = Team(patient=True)
    patient._learn(lost=2.0, taken=7.0)
    assert patient._rest_until == 0.0


def test_a_thread_that_only_waits_has_lost_nothing():
    clock, end = LossClock(), time.perf_counter() + 0.02
    while time.perf_counter() < end:
        pass
    busy = clock.lost()
    time.sleep(0.05)
    assert clock.lost() - busy >= 0.045


def test_threads_that_do_not_come_are_not_waited_for(monkeypatch):
    monkeypatch.setattr("signorini.parallel.team._work", lambda mail: None)  # threads that end at once
    values, parts, sizes = arrays()
    start = time.perf_counter()
    result = Team().run(2, sum_in_rounds, values, parts, sizes)
    assert result == Team().run(1, sum_in_rounds, *arrays())
    assert (sizes == 1).all()
    assert time.perf_counter() - start < 30.0  # it ends at all


def test_two_python_threads_share_the_team_without_waiting_for_each_other():
    results: list[list[float]] = [[], []]

    def many(which: int) -> None:
        with use_threads(2):
            for _ in range(20):
                results[which].append(run_together(CHUNKS, sum_in_rounds, *arrays()))

    threads = [threading.Thread(target=many, args=(k,)) for k in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert set(results[0] + results[1]) == {Team().run(1, sum_in_rounds, *arrays())}
    assert len(results[0]) == len(results[1]) == 20


def in_child(queue) -> None:
    with use_threads(2):
        queue.put(run_together(CHUNKS, sum_in_rounds, *arrays()))


@pytest.mark.skipif("fork" not in multiprocessing.get_all_start_methods(), reason="no fork here")
def test_a_forked_process_hires_threads_of_its_own():
    with use_threads(2):
        here = run_together(CHUNKS, sum_in_rounds, *arrays())
    context = multiprocessing.get_context("fork")
    queue = context.Queue()
    process = context.Process(target=in_child, args=(queue,))
    process.start()
    assert queue.get(timeout=60) == here
    process.join(timeout=60)
    assert process.exitcode == 0


def test_number_of_threads(monkeypatch):
    monkeypatch.delenv(counts.VARIABLE, raising=False)
    monkeypatch.delenv("PYTEST_XDIST_WORKER", raising=False)
    assert counts.thread_count(3) == 3
    assert 1 <= counts.thread_count() <= counts.MOST
    monkeypatch.setenv("PYTEST_XDIST_WORKER", "gw0")
    assert counts.thread_count() == 1
    monkeypatch.setenv(counts.VARIABLE, "5")
    assert counts.thread_count() == 5
    assert counts.thread_count(2) == 2
    for wrong in ("0", "two", "-1", "1.5"):
        monkeypatch.setenv(counts.VARIABLE, wrong)
        with pytest.raises(InputError, match="SIGNORINI_THREADS must be an integer of at least 1"):
            counts.thread_count()
    with pytest.raises(InputError, match="threads must be an integer of at least 1, got 0"):
        counts.thread_count(0)
