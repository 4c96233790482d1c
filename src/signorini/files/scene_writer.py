"""Write a scene to a TOML file and its arrays to npz files beside it."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Any
from urllib.parse import quote

import numpy as np

from signorini import motions
from signorini.files.toml_writer import toml_text
from signorini.mesh import TriangleMesh
from signorini.scene import Body, Cloth, HalfSpace, Kinematic, Scene
from signorini.settings import Settings


def save_scene(
    path: str | Path,
    scene: Scene,
    *,
    dt: float = 4e-3,
    seconds: float = 4.0,
    fps: float = 30.0,
    settings: Settings | None = None,
) -> Path:
    """Write the scene to `path` and its meshes to `meshes/` beside it; `load_scene` gives exactly the same scene."""
    file = Path(path)
    writer = _Writer(file.parent)
    tables: dict[str, list[dict[str, Any]]] = {"cloth": [], "kinematic": [], "ground": []}
    for body in scene.bodies.values():
        kind, table = writer.table(body)
        tables[kind].append(table)
    document: dict[str, Any] = {
        "scene": {
            "name": scene.name,
            "gravity": scene.gravity.tolist(),
            "friction": scene.friction,
            "air_drag": scene.air_drag,
            "order": list(scene.bodies),
        },
        "simulation": {"dt": float(dt), "seconds": float(seconds), "fps": float(fps)},
        "settings": asdict(settings or Settings()),
        **{kind: entries for kind, entries in tables.items() if entries},
    }
    header = ["# A Signorini scene: everything that is needed to run it again. SI units, z is up."]
    header += [f"# NOT COMPLETE: {note}" for note in writer.notes]
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("\n".join(header) + "\n\n" + toml_text(document), encoding="utf-8")
    return file


class _Writer:
    """Turns bodies into tables and writes their arrays."""

    def __init__(self, directory: Path):
        self.directory = directory
        self.notes: list[str] = []

    def table(self, body: Body) -> tuple[str, dict[str, Any]]:
        match body:
            case Cloth():
                return "cloth", {
                    "name": body.name,
                    "mesh": {"file": self._save_body(body.name, body.mesh, body.positions, body.velocities)},
                    "area_density": body.area_density,
                    "material": asdict(body.material),
                    "friction": body.friction,
                    "pins": [
                        {
                            "vertices": pin.vertices.tolist(),
                            "motion": self._motion(pin.motion, f"{body.name}-pin-{k}"),
                            "release_time": pin.release_time if np.isfinite(pin.release_time) else None,
                        }
                        for k, pin in enumerate(body.pins)
                    ]
                    or None,
                }
            case Kinematic():
                return "kinematic", {
                    "name": body.name,
                    "mesh": {"file": self._save_body(body.name, body.mesh, body.positions, None)},
                    "motion": self._motion(body.motion, body.name),
                    "friction": body.friction,
                }
            case HalfSpace():
                normal = [float(c) for c in body.normal]
                return "ground", {"name": body.name, "height": body.height, "normal": normal, "friction": body.friction}
        raise TypeError(f"cannot save a {type(body).__name__}")

    def _save_body(self, name: str, mesh: TriangleMesh, positions: Any, velocities: Any) -> str:
        arrays = {"vertices": mesh.vertices, "triangles": mesh.triangles, "positions": positions}
        if velocities is not None:
            arrays["velocities"] = velocities
        return self._save(name, arrays)

    def _save(self, name: str, arrays: dict[str, Any]) -> str:
        file = f"meshes/{quote(name, safe=' ')}.npz"
        (self.directory / "meshes").mkdir(parents=True, exist_ok=True)
        np.savez_compressed(self.directory / file, **arrays)
        return file

    def _motion(self, motion: motions.Motion | None, name: str) -> dict[str, Any] | None:
        match motion:
            case None:
                return None
            case motions.Translate() | motions.Rotate():
                values = {key: list(v) if isinstance(v, tuple) else v for key, v in asdict(motion).items()}
                return {"kind": type(motion).__name__.lower(), **values}
            case motions.Frames():
                arrays = {"times": np.array(motion.times), "frames": motion.frames}
                return {"kind": "frames", "file": self._save(f"{name}-motion", arrays)}
            case motions.Chain():
                parts = [self._motion(part, f"{name}-{k}") for k, part in enumerate(motion.motions)]
                return {"kind": "chain", "motions": parts}
        what = motion.function if isinstance(motion, motions.Script) else type(motion)
        note = f"the motion of {name!r} is the Python code {getattr(what, '__qualname__', repr(what))!r}"
        self.notes.append(f"{note}, which cannot be written to a file; this file cannot be run again by itself.")
        return {"kind": "script", "note": note}
