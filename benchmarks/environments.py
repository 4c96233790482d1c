"""Measure how many steps a second eight environments in processes make on one core and on two.

    python benchmarks/environments.py [--environment signorini/Fold-v0] [--steps 50] [--repeats 3]

One core and two are measured in turn, and the best of each counts; docs/environments.md has the result.
"""

from __future__ import annotations

import argparse
import os
import time
from functools import partial

import gymnasium
import numpy as np

import signorini.environments  # registers them

COUNT = 8


def steps_per_second(name: str, steps: int, cores: set[int]) -> float:
    """Steps of all environments together, per second of wall time, with all processes on these cores."""
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, cores)  # processes that are started from here on inherit it
    try:
        envs = gymnasium.vector.AsyncVectorEnv([partial(gymnasium.make, name)] * COUNT, context="spawn")
        try:
            envs.reset(seed=0)
            rng = np.random.default_rng(0)
            shape = envs.action_space.shape
            envs.step(np.zeros(shape, np.float32))  # kernels are loaded
            start = time.perf_counter()
            for _ in range(steps):
                envs.step(rng.uniform(-1.0, 1.0, shape).astype(np.float32))
            return COUNT * steps / (time.perf_counter() - start)
        finally:
            envs.close()
    finally:
        os.sched_setaffinity(0, before)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--environment", default="signorini/Fold-v0", choices=list(signorini.environments.ENVIRONMENTS))
    parser.add_argument("--steps", type=int, default=50)
    parser.add_argument("--repeats", type=int, default=3)
    given = parser.parse_args()
    cores = sorted(os.sched_getaffinity(0))[:2]
    best = {1: 0.0, 2: 0.0}
    for _ in range(given.repeats):
        for count in best:
            best[count] = max(best[count], steps_per_second(given.environment, given.steps, set(cores[:count])))
    print(
        f"{given.environment}: {best[1]:.1f} steps/s on one core, {best[2]:.1f} on two: {best[2] / best[1]:.2f} times as fast"
    )


if __name__ == "__main__":
    main()
