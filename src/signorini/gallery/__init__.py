"""Built-in scenes, one file each.

`SCENES[name].build()` returns a Scene, `signorini run name` runs it.
"""

from __future__ import annotations

from importlib import import_module

from signorini.errors import InputError, suggestion
from signorini.gallery.entry import GalleryScene

_MODULES = (
    "falling_cloth",
    "drape",
    "layers",
    "curtain",
    "ball_on_cloth",
    "soft_stack",
    "mixed_pile",
    "letters",
    "cloth_knocks_statue",
    "grasp",
    "gripper",
    "vertebrae",
    "ball_and_board",
    "two_cylinders",
    "dancer",
    "five_curtains",
    "hammock",
    "pinched_sheets",
    "shot_through_drapes",
    "mechanisms.pendulum",
    "mechanisms.gears",
    "mechanisms.bolt",
    "mechanisms.chain",
    "mechanisms.arch",
    "mechanisms.card_house",
    "mechanisms.rolling",
)
SCENES: dict[str, GalleryScene] = {
    scene.name: scene for scene in (import_module(f"signorini.gallery.{module}").SCENE for module in _MODULES)
}


def find(name: str) -> GalleryScene:
    """The scene of that name; an unknown name is answered with the nearest one."""
    if name in SCENES:
        return SCENES[name]
    raise InputError(f"there is no scene {name!r}: {suggestion(name, SCENES)}There are {', '.join(SCENES)}")
