"""Gymnasium environments: its own checker, seeds, processes, and that both tasks can be done."""

from __future__ import annotations

import multiprocessing
import subprocess
import sys
import warnings
from functools import partial
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

import signorini as sg
from signorini.environments import ENVIRONMENTS

PROJECT = Path(__file__).parents[3]


@pytest.mark.parametrize("name", ENVIRONMENTS)
def test_gymnasium_s_checker_has_nothing_to_say(name: str) -> None:
    env = gymnasium.make(name, render_mode="rgb_array", size=(64, 48))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_env(env.unwrapped)
    env.close()


def played(env: gymnasium.Env, seed: int, steps: int) -> bytes:
    """Everything an agent sees in some random steps, as bytes."""
    seen, _ = env.reset(seed=seed)
    rng, found = np.random.default_rng(seed), [*seen.values()]
    for _ in range(steps):
        seen, reward, *_ = env.step(rng.uniform(-1.0, 1.0, env.action_space.shape).astype(np.float32))
        found += [*seen.values(), np.float64(reward)]
    return b"".join(np.asarray(value).tobytes() for value in found)


@pytest.mark.parametrize("name", ENVIRONMENTS)
def test_the_same_seed_gives_the_same_bytes(name: str) -> None:
    env = gymnasium.make(name)
    first = played(env, 3, 4)
    assert played(env, 3, 4) == first and played(gymnasium.make(name), 3, 4) == first
    assert played(env, 4, 4) != first


def test_eight_environments_in_processes_give_the_bytes_of_one() -> None:
    """Each environment of a vector sees what it would see alone, in another process."""
    name, shape = "signorini.environments:signorini/Fold-v0", (8, 8)
    actions = np.random.default_rng(0).uniform(-1.0, 1.0, (2, *shape)).astype(np.float32)
    multiprocessing.set_forkserver_preload(["signorini.environments.fold"])  # imported once, not in every process
    envs = gymnasium.vector.AsyncVectorEnv([partial(gymnasium.make, name)] * 8, context="forkserver")
    try:
        seen, info = envs.reset(seed=10)
        for step in actions:
            seen, rewards, *_ = envs.step(step)
    finally:
        envs.close()
    assert len(set(info["friction"])) == 8 and seen["keypoints"].shape == (8, 9, 3) and np.isfinite(rewards).all()
    for k in (0, 5):
        alone = gymnasium.make(name)
        mine, _ = alone.reset(seed=10 + k)
        for step in actions:
            mine, *_ = alone.step(step[k])
        for key, value in mine.items():
            assert seen[key][k].tobytes() == value.tobytes(), key


def folded(seen: dict[str, np.ndarray], step: int) -> np.ndarray:
    """Take both corners of the left edge, carry them over, lower them and let go."""
    action = np.zeros((2, 4), np.float32)
    action[:, 3] = 1.0
    if step < 3:
        action[:, 2] = -1.0
    elif step < 13:
        action[:, [0, 2]] = 0.5, 0.9
    elif step < 26:
        action[:, 0] = 1.0
    elif step < 38:
        action[:, 0] = 0.3 if seen["pickers"][0, 0] < 0.15 else 0.0
        action[:, 2] = -1.0
    else:
        action[:, 3] = -1.0
    return action.ravel()


def grasped(seen: dict[str, np.ndarray], step: int) -> np.ndarray:
    """Go down over the ball, shut the fingers, and lift."""
    action = np.array([0.0, 0.0, 0.0, 1.0], np.float32)
    if step < 8:
        action[:2] = np.clip(10.0 * (seen["ball"] - seen["palm"])[:2], -1.0, 1.0)
        action[2:] = -1.0
    elif step >= 18:
        action[2] = 0.7
    return action


@pytest.mark.parametrize(("name", "policy"), [("signorini/Fold-v0", folded), ("signorini/Grasp-v0", grasped)])
def test_a_simple_policy_does_the_task(name: str, policy: Any, tmp_path: Path) -> None:
    env: Any = gymnasium.make(name, render_mode="rgb_array", size=(64, 48))
    seen, info = env.reset(seed=1)
    total, done, step = 0.0, False, 0
    with sg.record(env.unwrapped.simulation, tmp_path / "episode"):
        while not done:
            seen, reward, done, cut_off, info = env.step(policy(seen, step))
            total, step = total + reward, step + 1
            assert not cut_off
    assert env.unwrapped.simulation.intersections() == 0 and "stopped" not in info
    assert total > 1.0 and step < 60
    if name == "signorini/Fold-v0":
        assert info["edge_distance"] < 0.05
    else:
        assert info["height"] > 0.08
        np.testing.assert_allclose(seen["drive_forces"], 6.0, rtol=1e-3)  # the limit of the fingers
        assert np.linalg.norm(seen["contact_forces"], axis=1).min() > 3.0
    assert sg.Trajectory.open(tmp_path / "episode").times[-1] == pytest.approx(0.04 * step)
    assert env.render().shape == (48, 64, 3)


def test_what_is_wrong_is_named() -> None:
    env: Any = gymnasium.make("signorini/Fold-v0").unwrapped
    with pytest.raises(gymnasium.error.ResetNeeded):
        env.step(np.zeros(8, np.float32))
    with pytest.raises(sg.InputError, match="options has no 'mass'; there are friction, area_density, stiffness"):
        env.reset(options={"mass": 1.0})
    _, info = env.reset(seed=0, options={"friction": 0.33})
    assert info["friction"] == 0.33
    with pytest.raises(sg.InputError, match=r"action must be finite numbers of shape \(8,\)"):
        env.step(np.zeros(3, np.float32))
    with pytest.raises(sg.InputError, match="render_mode must be None or 'rgb_array'"):
        type(env)(render_mode="human")


def test_gymnasium_finds_them_by_module_and_name() -> None:
    """In a new process, which has not imported the package: Gymnasium 1 looks for no entry points."""
    code = "import gymnasium; print(gymnasium.make('signorini.environments:signorini/Fold-v0').spec.id)"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert result.stdout.strip() == "signorini/Fold-v0"


def test_a_missing_package_is_named() -> None:
    code = "import sys; sys.modules['gymnasium'] = None; import signorini.environments"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert 'pip install "signorini[gym]"' in result.stderr
