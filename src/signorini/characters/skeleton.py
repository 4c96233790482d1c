"""Animated characters: a body of capsules, or of one smooth surface, around the bones of a moving skeleton."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from signorini.characters.articulation import Articulation, BoneMotion
from signorini.characters.blended_body import blended_surface
from signorini.characters.bvh import load_bvh
from signorini.checks import check_choice, check_positive, named_list
from signorini.errors import InputError, short, suggestion
from signorini.files.meshes.up_axis import UpAxis
from signorini.geometry import shapes
from signorini.geometry.triangle_mesh import TriangleMesh
from signorini.scene.motions import Chain, Motion

Floats = NDArray[np.float64]
BodyKind = Literal["capsules", "blended"]
Tip = tuple[int, ArrayLike]

RADII: tuple[tuple[tuple[str, ...], float], ...] = (
    (("finger", "thumb", "index", "middle", "ring", "pinky"), 0.008),
    (("toe",), 0.014),
    (("foot", "ankle"), 0.020),
    (("hand", "wrist", "palm"), 0.018),
    (("forearm", "lowerarm", "elbow"), 0.020),
    (("shoulder", "clavicle", "collar"), 0.028),
    (("hips", "hipjoint", "pelvis", "root"), 0.060),
    (("upleg", "upperleg", "thigh", "hip"), 0.047),
    (("leg", "shin", "calf", "knee"), 0.032),
    (("arm",), 0.025),
    (("head",), 0.055),
    (("neck",), 0.030),
    (("spine", "back", "chest", "torso", "abdomen", "waist"), 0.060),
)
"""Words in the name of a joint and the radius of its bones, as a part of the body's height; the first match counts."""
OTHER_RADIUS = 0.15, 0.008, 0.060
"""Bones with other names: this part of their length, at least and at most these parts of the height."""
SHORTEST = 0.005
"""Bones shorter than this part of the height are left out."""


@dataclass(frozen=True, slots=True, eq=False)
class Bone:
    """A capsule that moves with a joint; `head` and `tail` (3,) [m] are in the frame of the joint."""

    name: str
    """That of its joint; `joint>child` where a joint has several bones."""
    joint: int
    head: Floats
    tail: Floats
    radius: float
    """[m]"""

    def __repr__(self) -> str:
        return f"Bone {self.name!r}: {self.length:.3g} m long, radius {self.radius:.3g} m"

    @property
    def length(self) -> float:
        return float(np.linalg.norm(self.tail - self.head))


@dataclass(frozen=True, slots=True, eq=False)
class Skeleton:
    """Moving joints and the bones between them; `surface()` makes an obstacle of it."""

    articulation: Articulation
    bones: tuple[Bone, ...]
    carrier: Motion | None = None
    """Moves the body as a whole, after its joints."""

    def __repr__(self) -> str:
        return f"Skeleton of {len(self.bones)} bones {named_list([bone.name for bone in self.bones])}"

    @classmethod
    def from_bvh(
        cls,
        path: str | Path,
        *,
        scale: float = 0.01,
        radii: Mapping[str, float] | None = None,
        position: Sequence[float] = (0.0, 0.0, 0.0),
        rotation: Sequence[float] = (0.0, 0.0, 0.0),
        up: UpAxis = "y",
        frames: tuple[int, int] | None = None,
        start: float = 0.0,
        speed: float = 1.0,
        position_channels: Literal["add", "replace"] = "add",
    ) -> Skeleton:
        """The skeleton and motion of a BVH file; `scale` is the length of its unit [m], 0.01 for centimetres.

        The whole is turned by the rotation vector `rotation` [rad] and moved by `position` [m]; `radii` [m] replaces the default
        of some bones. The other options are those of `Bvh.articulation`.
        """
        bvh = load_bvh(path)
        articulation = bvh.articulation(
            scale=scale, up=up, frames=frames, start=start, speed=speed, position_channels=position_channels
        ).placed(position=position, rotation=rotation)
        tips = [(joint, np.array(offset) * scale) for joint, offset in bvh.end_sites]
        return cls.from_articulation(articulation, tips=tips, radii=radii)

    @classmethod
    def from_articulation(
        cls, articulation: Articulation, *, tips: Sequence[Tip] = (), radii: Mapping[str, float] | None = None
    ) -> Skeleton:
        """A bone from every joint to each of its children and to its `tips`, pairs of a joint and an offset (3,) [m]."""
        lines = [
            (parent, articulation.names[j], articulation.translations[0, j]) for j, parent in _children(articulation)
        ]
        lines += [(joint, "tip", np.array(offset, dtype=np.float64)) for joint, offset in tips]
        height = _height(articulation, tips)
        lines = [line for line in lines if np.linalg.norm(line[2]) > SHORTEST * height]
        if not lines:
            raise InputError("a skeleton needs at least one bone: none of the joints is away from its parent")
        several = {j for j, _, _ in lines if sum(other == j for other, _, _ in lines) > 1}
        bones = []
        for joint, end, tail in lines:
            name = articulation.names[joint]
            radius = _default_radius(name, float(np.linalg.norm(tail)), height)
            bones.append(Bone(f"{name}>{end}" if joint in several else name, joint, np.zeros(3), tail, radius))
        return cls(articulation, tuple(bones)).with_radii(radii or {})

    def with_radii(self, radii: Mapping[str, float]) -> Skeleton:
        """The same with other radii [m], by name of a bone, or of a joint for all its bones."""
        names = [(bone.name, self.articulation.names[bone.joint]) for bone in self.bones]
        bones = list(self.bones)
        if not isinstance(radii, Mapping):
            raise InputError(f"radii must be a dictionary of names and radii, got {short(radii)}")
        for key, value in radii.items():
            radius = check_positive(f"radius of the bone {key!r}", value, unit="m")
            chosen = [k for k, both in enumerate(names) if key in both]
            if not chosen:
                known = [name for name, _ in names]
                hint = suggestion(key, known)
                raise InputError(f"radii: there is no bone or joint {key!r}: {hint}The bones are {', '.join(known)}")
            for k in chosen:
                bones[k] = replace(bones[k], radius=radius)
        return replace(self, bones=tuple(bones))

    def segments(self, time: float = 0.0) -> tuple[Floats, Floats]:
        """Start and end points (b, 3) [m] of the bones at `time` [s], without the carrier."""
        x, R = self.articulation.pose(time)
        joints = np.array([bone.joint for bone in self.bones])
        ends = (np.array([bone.head for bone in self.bones]), np.array([bone.tail for bone in self.bones]))
        head, tail = (x[joints] + np.einsum("bij,bj->bi", R[joints], end) for end in ends)
        return head, tail

    def surface(
        self, *, body: BodyKind = "capsules", edge: float | None = None, blend: float | None = None
    ) -> tuple[TriangleMesh, Motion]:
        """The surface in the pose of time 0 and its motion, for `scene.add_kinematic(mesh, motion=motion)`.

        `body="capsules"`: a capsule for every bone; they overlap at the joints, where cloth can be pinched.
        `body="blended"`: one closed surface around all capsules that rounds off the creases between them over about `blend`
        [m] (default 1.5 % of the body's height); its points follow the nearest bones.
        `edge` [m] is the length of the triangles' edges; 40 % of a bone's radius, or 1.2 % of the height, if not given.
        """
        check_choice("body of a skeleton", body, ("capsules", "blended"))
        if edge is not None:
            check_positive("edge of a skeleton", edge, unit="m")
        if blend is not None:
            check_positive("blend of a skeleton", blend, unit="m")
            if body == "capsules":
                raise InputError("blend of a skeleton needs body='blended': capsules are not blended")
        mesh, joints, weights = self._capsules(edge) if body == "capsules" else self._blended(edge, blend)
        motion = BoneMotion(self.articulation, mesh.vertices, joints, weights)
        return mesh, motion if self.carrier is None else Chain((motion, self.carrier))

    def _capsules(self, edge: float | None) -> tuple[TriangleMesh, NDArray[np.int64], Floats]:
        vertices, triangles, joints = [], [], []
        first = 0
        for bone, head, tail in zip(self.bones, *self.segments(), strict=True):
            part = shapes.capsule(bone.radius, bone.length, edge=0.4 * bone.radius if edge is None else edge)
            vertices.append(part.vertices @ _frame_along(tail - head).T + 0.5 * (head + tail))
            triangles.append(part.triangles + first)
            joints.append(np.full((len(part.vertices), 1), bone.joint))
            first += len(part.vertices)
        mesh = TriangleMesh(np.concatenate(vertices), np.concatenate(triangles).astype(np.int32))
        return mesh, np.concatenate(joints), np.ones((first, 1))

    def _blended(self, edge: float | None, blend: float | None) -> tuple[TriangleMesh, NDArray[np.int64], Floats]:
        head, tail = self.segments()
        radius = np.array([bone.radius for bone in self.bones])
        ends = np.concatenate([head, tail])
        height = float((ends.max(axis=0) - ends.min(axis=0)).max())
        return blended_surface(
            head,
            tail,
            radius,
            np.array([bone.joint for bone in self.bones]),
            edge=0.012 * height if edge is None else edge,
            blend=0.015 * height if blend is None else blend,
        )


def _children(articulation: Articulation) -> list[tuple[int, int]]:
    return [(j, parent) for j, parent in enumerate(articulation.parents.tolist()) if parent >= 0]


def _height(articulation: Articulation, tips: Sequence[Tip]) -> float:
    """The longest extent [m] of the skeleton with all joints straight, which for people is their height or arm span."""
    x = np.zeros((len(articulation.names), 3))
    for j, parent in _children(articulation):
        x[j] = x[parent] + articulation.translations[0, j]
    ends = np.concatenate([x, *([x[joint] + np.asarray(offset)] for joint, offset in tips)])
    return float((ends.max(axis=0) - ends.min(axis=0)).max())


def _default_radius(name: str, length: float, height: float) -> float:
    word = name.lower().replace("_", "").replace(" ", "")
    for words, part in RADII:
        if any(w in word for w in words):
            return part * height
    part, least, most = OTHER_RADIUS
    return min(max(part * length, least * height), most * height)


def _frame_along(direction: Floats) -> Floats:
    """A rotation matrix (3, 3) whose third column is along `direction`."""
    z = direction / np.linalg.norm(direction)
    x = np.cross(np.eye(3)[np.argmin(np.abs(z))], z)
    x /= np.linalg.norm(x)
    return np.column_stack([x, np.cross(z, x), z])
