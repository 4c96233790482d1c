"""Scenes and settings as the command line gives them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from signorini.errors import InputError

if TYPE_CHECKING:
    from signorini.files.scene_file import SceneFile


def load_scene_argument(
    scene: str, *, friction: float | None, stiffness: float | None, resolution: int | None
) -> SceneFile:
    """The scene file or gallery scene, with the changes of the command line."""
    from signorini.files.scene_file import SceneFile, load_scene

    if scene.endswith(".toml"):
        from signorini.files.scene_changes import with_friction, with_stiffness

        if resolution is not None:
            raise InputError("--resolution is for gallery scenes: a scene file says itself how fine its meshes are")
        file = load_scene(scene)
        if friction is not None:
            with_friction(file.scene, friction)
        if stiffness is not None:
            with_stiffness(file.scene, stiffness)
        return file
    from signorini import gallery

    entry = gallery.find(scene)
    changes = {"friction": friction, "stiffness": stiffness, "resolution": resolution}
    built = entry.build(**{key: value for key, value in changes.items() if value is not None})
    return SceneFile(scene=built, dt=entry.dt, seconds=entry.seconds, fps=entry.fps)


def read_assignments(texts: list[str]) -> dict[str, str]:
    """KEY=VALUE texts as keys and values."""
    assignments: dict[str, str] = {}
    for text in texts:
        key, equals, value = text.partition("=")
        if not equals or not key.strip() or not value.strip():
            raise InputError(f"--set {text!r} must have the form KEY=VALUE, for example solver.tolerance=1e-4")
        assignments[key.strip()] = value.strip()
    return assignments
