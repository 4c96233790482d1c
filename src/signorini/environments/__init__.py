"""Gymnasium environments: tasks with cloth and soft objects for reinforcement learning (extra `gym`)."""

from __future__ import annotations

from signorini.errors import MissingExtraError

ENVIRONMENTS = {
    "signorini/Fold-v0": ("signorini.environments.fold:FoldEnvironment", 150),
    "signorini/Grasp-v0": ("signorini.environments.grasp:GraspEnvironment", 100),
}
"""By name: the class, and the steps after which an episode is cut off."""


def register_environments() -> None:
    """Make the environments known to Gymnasium; importing this package does it."""
    try:
        from gymnasium.envs.registration import register, registry
    except ImportError:
        raise MissingExtraError(
            'the environments need the package gymnasium: install it with pip install "signorini[gym]"'
        ) from None
    for name, (place, steps) in ENVIRONMENTS.items():
        if name not in registry:
            register(id=name, entry_point=place, max_episode_steps=steps)


register_environments()
