"""A moving hierarchy of joints (forward kinematics), and surfaces that follow it.

Quaternions are (x, y, z, w), the scalar last.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.spatial.transform import Rotation

from signorini.characters import articulation_kernels as kernels
from signorini.errors import InputError
from signorini.geometry.triangle_mesh import as_vector
from signorini.scene.keyframes import as_times, find_interval, slerp

Floats = NDArray[np.float64]
BIND_TOLERANCE = 1e-9
"""Rest points may differ from the bound ones by this part of the body's size: what rounding gives."""


@dataclass(frozen=True, slots=True, eq=False)
class Articulation:
    """Joints in a tree; each is placed relative to its parent at every frame. Lengths in metres, z is up."""

    names: tuple[str, ...]
    parents: NDArray[np.int64]
    """(j,) index of the parent, -1 for a root; parents come before their children."""
    times: Floats
    """(k,) [s], increasing; the pose rests before and after."""
    translations: Floats
    """(k, j, 3) of each joint in the frame of its parent."""
    rotations: Floats
    """(k, j, 4) of each joint against its parent."""

    def __post_init__(self) -> None:
        times = as_times("times of an articulation", self.times)
        k, j = len(times), len(self.names)
        parents = np.array(self.parents, dtype=np.int64)
        if parents.shape != (j,) or (parents >= np.arange(j)).any() or (parents < -1).any():
            raise InputError(f"parents of an articulation must be {j} numbers, each -1 or below its own index")
        arrays = {"times": times, "parents": parents}
        for name, width in (("translations", 3), ("rotations", 4)):
            array = np.array(getattr(self, name), dtype=np.float64)
            if array.shape != (k, j, width) or not np.isfinite(array).all():
                raise InputError(
                    f"{name} of an articulation must be finite, of shape {(k, j, width)}, got {array.shape}"
                )
            arrays[name] = array
        length = np.linalg.norm(arrays["rotations"], axis=2, keepdims=True)
        if not (length > 0.0).all():
            raise InputError("rotations of an articulation must not be zero quaternions")
        length[np.abs(length - 1.0) < 1e-14] = 1.0  # so that a saved articulation comes back bit by bit
        arrays["rotations"] = arrays["rotations"] / length
        for name, array in arrays.items():
            object.__setattr__(self, name, array)

    def poses(self, times: ArrayLike) -> tuple[Floats, Floats]:
        """World positions (t, j, 3) [m] and rotation matrices (t, j, 3, 3) of all joints at `times` (t,) [s].

        Between frames each joint turns against its parent by spherical interpolation, so that bones keep their length.
        """
        at = np.atleast_1d(np.asarray(times, dtype=np.float64))
        k, s = find_interval(self.times, at)
        part = s[:, None, None]
        local = (1.0 - part) * self.translations[k] + part * self.translations[k + 1]
        turns = slerp(self.rotations[k], self.rotations[k + 1], np.broadcast_to(s[:, None], local.shape[:2]))
        R = Rotation.from_quat(turns.reshape(-1, 4)).as_matrix().reshape(*local.shape, 3)
        x = local
        for j, parent in enumerate(self.parents.tolist()):
            if parent >= 0:
                x[:, j] = x[:, parent] + np.einsum("tab,tb->ta", R[:, parent], local[:, j])
                R[:, j] = R[:, parent] @ R[:, j]
        return x, R

    def pose(self, time: float) -> tuple[Floats, Floats]:
        """World positions (j, 3) [m] and rotation matrices (j, 3, 3) of all joints at `time` [s]."""
        x, R = self.poses([time])
        return x[0], R[0]

    def placed(
        self, *, position: Sequence[float] = (0.0, 0.0, 0.0), rotation: Sequence[float] = (0.0, 0.0, 0.0)
    ) -> Articulation:
        """The same motion turned by the rotation vector `rotation` [rad] about the origin and moved by `position` [m]."""
        turn = Rotation.from_rotvec(as_vector("rotation", rotation))
        roots = np.flatnonzero(self.parents < 0)
        translations, rotations = self.translations.copy(), self.rotations.copy()
        for j in roots:
            translations[:, j] = turn.apply(translations[:, j]) + as_vector("position", position)
            rotations[:, j] = (turn * Rotation.from_quat(rotations[:, j])).as_quat()
        return replace(self, translations=translations, rotations=rotations)


@dataclass(frozen=True, slots=True, eq=False)
class BoneMotion:
    """Moves the points of a surface with joints: rigidly with one, or with a blend of several.

    The surface is bound to the pose at time 0; to place it elsewhere, place the articulation. Blends are those of unit dual
    quaternions (Kavan et al. 2007), always rigid motions: a weighted mean of positions would collapse at a joint that turns far.
    """

    articulation: Articulation
    bound: Floats
    """(n, 3) the points at time 0 [m]."""
    joints: NDArray[np.int64]
    """(n, w) the joint of the largest weight first."""
    weights: Floats
    """(n, w) positive or zero, each row with the sum 1."""

    def __post_init__(self) -> None:
        shape = np.shape(self.joints)
        if len(shape) != 2 or np.shape(self.weights) != shape or np.shape(self.bound) != (shape[0], 3):
            raise InputError(
                f"a motion of bones needs joints and weights of one shape (n, w) and bound points (n, 3), got {shape}, "
                f"{np.shape(self.weights)} and {np.shape(self.bound)}"
            )
        count = len(self.articulation.names)
        if np.min(self.joints) < 0 or np.max(self.joints) >= count:
            raise InputError(f"joints of a motion of bones must be 0 to {count - 1}")

    def to_arrays(self) -> dict[str, NDArray[Any]]:
        """The motion as plain arrays, for a file."""
        names = ("parents", "times", "translations", "rotations")
        arrays = {name: getattr(self.articulation, name) for name in names}
        return arrays | {
            "names": np.array(self.articulation.names),
            "bound": self.bound,
            "joints": self.joints,
            "weights": self.weights,
        }

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[Any]]) -> BoneMotion:
        """The motion that `to_arrays` described, bit by bit."""
        names = ("names", "parents", "times", "translations", "rotations", "bound", "joints", "weights")
        missing = [name for name in names if name not in arrays]
        if missing:
            raise InputError(f"a motion of bones needs the arrays {', '.join(names)}: {missing[0]!r} is missing")
        a = arrays
        joint_names = tuple(str(name) for name in a["names"])
        articulation = Articulation(joint_names, a["parents"], a["times"], a["translations"], a["rotations"])
        return cls(articulation, a["bound"], a["joints"].astype(np.int64), a["weights"])

    def positions(self, rest: Floats, time: float) -> Floats:
        """Positions (n, 3) of the points at `time` [s]; `rest` (n, 3) must be the surface as it was bound."""
        if len(rest) != len(self.bound):
            raise InputError(f"a motion of bones for {len(self.bound)} points cannot move {len(rest)} points")
        if np.abs(rest - self.bound).max() > BIND_TOLERANCE * (1.0 + np.abs(self.bound).max()):
            raise InputError(
                "a surface that follows bones must not be moved by position, rotation or an earlier motion of a Chain: "
                "place its skeleton instead (placed(position=..., rotation=...))"
            )
        x, R = self.articulation.poses([0.0, time])
        turn = R[1] @ R[0].transpose(0, 2, 1)
        shift = x[1] - np.einsum("jab,jb->ja", turn, x[0])
        return self._blended(np.asarray(Rotation.from_matrix(turn).as_quat()), shift)

    def _blended(self, q: Floats, shift: Floats) -> Floats:
        """The bound points moved by rotations q (j, 4) and then translations shift (j, 3) of their joints."""
        # The dual quaternion of a motion is q + ε/2 (shift, 0) q.
        dual = 0.5 * np.column_stack(
            [q[:, 3:] * shift + np.cross(shift, q[:, :3]), -np.sum(shift * q[:, :3], axis=1)]
        )  # fmt: skip
        bound, weights = (np.ascontiguousarray(one, dtype=np.float64) for one in (self.bound, self.weights))
        out = np.empty_like(bound)
        kernels.blend(bound, np.ascontiguousarray(self.joints, dtype=np.int64), weights, q, dual, out)
        return out
