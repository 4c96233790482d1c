"""Procedural dancer: a skeleton of average proportions that turns on the spot with its arms out."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Literal

import numpy as np
from scipy.spatial.transform import Rotation

from signorini.characters.articulation import Articulation
from signorini.characters.skeleton import Skeleton
from signorini.checks import check_number, check_positive
from signorini.errors import InputError
from signorini.scene.motions import Turn

# Name, parent and place (x to the dancer's left, y back, z up) against the parent, as parts of the height: segment lengths after
# Drillis and Contini (1966), legs nearly closed.
_JOINTS = (
    ("pelvis", None, (0.0, 0.0, 0.530)),
    ("spine", "pelvis", (0.0, 0.0, 0.070)),
    ("chest", "spine", (0.0, 0.0, 0.100)),
    ("neck", "chest", (0.0, 0.0, 0.130)),
    ("head", "neck", (0.0, 0.0, 0.060)),
    ("left clavicle", "chest", (0.020, 0.0, 0.110)),
    ("left arm", "left clavicle", (0.090, 0.0, 0.010)),
    ("left forearm", "left arm", (0.186, 0.0, 0.0)),
    ("left hand", "left forearm", (0.146, 0.0, 0.0)),
    ("left thigh", "pelvis", (0.048, 0.0, -0.010)),
    ("left shin", "left thigh", (-0.010, 0.0, -0.240)),
    ("left foot", "left shin", (-0.006, 0.0, -0.235)),
)
_TIPS = (
    ("head", (0.0, 0.0, 0.060)),
    ("left hand", (0.080, 0.0, 0.0)),
    ("left foot", (0.006, -0.090, -0.013)),
)
_RADII = {
    "pelvis": 0.048,
    "spine": 0.042,
    "chest": 0.046,
    "thigh": 0.042,
    "shin": 0.030,
    "clavicle": 0.026,
    "head": 0.050,
}
"""Radii of the bones of joints with these words in their names, as parts of the height."""


def procedural_dancer(
    *,
    height: float = 1.7,
    turns: float = 1.0,
    turn_time: float = 0.9,
    start: float = 0.0,
    then: Literal["rest", "turn"] = "rest",
    arms: tuple[float, float] = (25.0, 5.0),
    radii: Mapping[str, float] | None = None,
) -> Skeleton:
    """A dancer of `height` [m] who stands on the origin, looks along -y, and turns to the left about z.

    It begins at `start` [s] from rest and makes `turns` full turns in `turn_time` [s], smoothly (`motions.Turn`); then it rests,
    or keeps turning with `then="turn"`. The arms are stretched out sideways, and move from `arms[0]` to `arms[1]` degrees
    below the horizontal meanwhile. `radii` [m] replaces the default of some bones.
    """
    size = check_positive("height of a dancer", height, unit="m")
    duration = check_positive("turn_time of a dancer", turn_time, unit="s")
    angle = 2.0 * math.pi * check_number("turns of a dancer", turns)
    check_number("start of a dancer", start)
    if not isinstance(arms, tuple | list) or len(arms) != 2:
        raise InputError(f"arms of a dancer must be two angles in degrees, got {arms!r}")
    for value in arms:
        if not -80.0 <= check_number("arms of a dancer", value) <= 80.0:
            raise InputError(
                f"arms of a dancer must be angles from -80 to 80 degrees below the horizontal, got {arms!r}"
            )
    names, parents, offsets = _both_sides()
    count = 1 if arms[0] == arms[1] else 21
    times = start + duration * np.linspace(0.0, 1.0, max(count, 2))
    progress = [Turn(angle=1.0, duration=duration, start=start).angle_at(t) for t in times]
    rotations = np.tile([0.0, 0.0, 0.0, 1.0], (len(times), len(names), 1))
    for side, sign in (("left", 1.0), ("right", -1.0)):
        below = np.radians(arms[0] + (arms[1] - arms[0]) * np.array(progress))
        joint = names.index(f"{side} arm")
        rotations[:, joint] = Rotation.from_rotvec(np.outer(sign * below, [0.0, 1.0, 0.0])).as_quat()
    articulation = Articulation(
        tuple(names), np.array(parents), times, np.tile(size * offsets, (len(times), 1, 1)), rotations
    )
    tips = [(names.index(name), size * np.array(offset)) for name, offset in _mirrored(_TIPS)]
    slender = {name: size * part for name in names for word, part in _RADII.items() if word in name}
    skeleton = Skeleton.from_articulation(articulation, tips=tips, radii=slender).with_radii(
        {} if radii is None else radii
    )
    turn = Turn(angle=angle, duration=duration, start=start, then=then)
    return Skeleton(skeleton.articulation, skeleton.bones, turn)


def _both_sides() -> tuple[list[str], list[int], np.ndarray]:
    """Names, parents (j,) and offsets (j, 3) of all joints; the right side mirrors the left."""
    joints = list(_JOINTS)
    joints += [(_right(name), _right(parent), (-x, y, z)) for name, parent, (x, y, z) in _JOINTS if "left" in name]
    names = [name for name, _, _ in joints]
    parents = [-1 if parent is None else names.index(parent) for _, parent, _ in joints]
    return names, parents, np.array([offset for _, _, offset in joints])


def _mirrored(
    tips: tuple[tuple[str, tuple[float, float, float]], ...],
) -> list[tuple[str, tuple[float, float, float]]]:
    return [*tips, *((_right(name), (-x, y, z)) for name, (x, y, z) in tips if "left" in name)]


def _right(name: str | None) -> str:
    return (name or "").replace("left", "right")
