"""Measure how many steps a second eight environments in processes make on one core and on two.

    python benchmarks/environments.py [--environment signorini/Fold-v0] [--steps 50] [--repeats 3]

One core and two are measured in turn, and the best of each counts. Wall time tells nothing while other programs compute: the
second line is what two cores of their own would give by the processor time of every environment and of the parent process, if
each step of the vector waits for its slowest environment. docs/environments.md has the results.
"""

from __future__ import annotations

import argparse
import os
import time
from functools import partial
from typing import Any

import gymnasium
import numpy as np

import signorini.environments  # registers them

COUNT = 8


class Timed(gymnasium.Wrapper):
    """An environment that tells the processor time of each step [s]."""

    def step(self, action: Any) -> Any:
        """The step, with `processor_seconds` in its info."""
        start = time.process_time()
        seen, reward, done, cut_off, info = self.env.step(action)
        return seen, reward, done, cut_off, info | {"processor_seconds": time.process_time() - start}


def made(name: str) -> gymnasium.Env:
    return Timed(gymnasium.make(f"signorini.environments:{name}"))


def measure(name: str, steps: int, cores: set[int]) -> tuple[float, np.ndarray, float]:
    """Steps of all environments together per second on these cores, processor times (steps, COUNT) and of the parent [s]."""
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, cores)  # processes that are started from here on inherit it
    try:
        envs = gymnasium.vector.AsyncVectorEnv([partial(made, name)] * COUNT, context="spawn")
        try:
            envs.reset(seed=0)
            rng = np.random.default_rng(0)
            shape = envs.action_space.shape
            envs.step(np.zeros(shape, np.float32))  # kernels are loaded
            start, own, spent = time.perf_counter(), time.process_time(), []
            for _ in range(steps):
                *_, info = envs.step(rng.uniform(-1.0, 1.0, shape).astype(np.float32))
                spent.append(info["processor_seconds"])
            rate = COUNT * steps / (time.perf_counter() - start)
            return rate, np.array(spent), time.process_time() - own
        finally:
            envs.close()
    finally:
        os.sched_setaffinity(0, before)


def gain_by_processor_time(spent: np.ndarray, parent: float) -> float:
    """How much faster two cores are than one, if nothing else computes."""
    alone = spent.sum() + parent
    shared = np.maximum(spent.sum(axis=1) / 2.0, spent.max(axis=1)).sum() + parent
    return float(alone / shared)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--environment", default="signorini/Fold-v0", choices=list(signorini.environments.ENVIRONMENTS))
    parser.add_argument("--steps", type=int, default=50)
    parser.add_argument("--repeats", type=int, default=3)
    given = parser.parse_args()
    cores = sorted(os.sched_getaffinity(0))[:2]
    best, gains = {1: 0.0, 2: 0.0}, []
    for _ in range(given.repeats):
        for count in best:
            rate, spent, parent = measure(given.environment, given.steps, set(cores[:count]))
            best[count] = max(best[count], rate)
            gains.append(gain_by_processor_time(spent, parent))
    one, two = best.values()
    print(f"{given.environment}: {one:.1f} steps/s on one core, {two:.1f} on two: {two / one:.2f} times as fast")
    print(f"by processor time: {min(gains):.2f} to {max(gains):.2f} times as fast")


if __name__ == "__main__":
    main()
