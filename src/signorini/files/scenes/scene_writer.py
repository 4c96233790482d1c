"""Write a scene to a TOML file and its arrays to npz files beside it."""

from __future__ import annotations

from dataclasses import asdict, replace
from pathlib import Path
from typing import Any
from urllib.parse import quote

import numpy as np

from signorini.characters.articulation import BoneMotion
from signorini.files.scenes.scene_schema import BODY_KINDS
from signorini.files.scenes.scene_table import PYTHON_SOLVER
from signorini.files.scenes.toml_writer import toml_text
from signorini.geometry.triangle_mesh import TriangleMesh
from signorini.scene import motions
from signorini.scene.scene import Body, Cloth, HalfSpace, Kinematic, Rigid, Scene, SoftSolid
from signorini.settings import Settings, SolverSettings, solver_name

_RIGID_VECTORS = ("position", "rotation", "velocity", "angular_velocity")


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
    tables: dict[str, list[dict[str, Any]]] = {kind: [] for kind in BODY_KINDS}
    for body in scene.bodies.values():
        kind, table = writer.table(body)
        tables[kind].append(table)
    tables["attachment"] = [{"body": a.body, "vertices": a.vertices.tolist(), "to": a.to} for a in scene.attachments]
    document: dict[str, Any] = {
        "scene": {
            "name": scene.name,
            "gravity": scene.gravity.tolist(),
            "friction": scene.friction,
            "air_drag": scene.air_drag,
            "order": list(scene.bodies),
        },
        "simulation": {"dt": float(dt), "seconds": float(seconds), "fps": float(fps)},
        "settings": writer.settings(settings or Settings()),
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

    def settings(self, settings: Settings) -> dict[str, Any]:
        if isinstance(settings.solver, SolverSettings):
            return asdict(settings)
        solver = solver_name(settings.solver)
        note = f"the contact solver is the Python code {solver!r}"
        self.notes.append(f"{note}, which cannot be written to a file; this file cannot be run again by itself.")
        return {**asdict(replace(settings, solver=SolverSettings())), "solver": {PYTHON_SOLVER: solver}}

    def table(self, body: Body) -> tuple[str, dict[str, Any]]:
        match body:
            case Cloth():
                return "cloth", {
                    "name": body.name,
                    "mesh": {"file": self._save_body(body.name, body.mesh, body.positions, body.velocities)},
                    "area_density": body.area_density,
                    "material": asdict(body.material),
                    "friction": body.friction,
                    "pins": self._pins(body),
                }
            case SoftSolid():
                nodes = {"positions": body.node_positions, "velocities": body.node_velocities}
                volume = {"vertices": body.tets.vertices, "tetrahedra": body.tets.tetrahedra, **nodes}
                embedded = body.skin.embedding is not None
                return "soft_solid", {
                    "name": body.name,
                    "tets": {"file": self._save(body.name, volume)},
                    "surface": {"file": self._save_mesh(f"{body.name}-surface", body.mesh)} if embedded else None,
                    "material": asdict(body.material),
                    "friction": body.friction,
                    "pins": self._pins(body),
                }
            case Rigid():
                return "rigid", {
                    "name": body.name,
                    "mesh": {"file": self._save_mesh(body.name, body.mesh)},
                    **({"mass": body.mass} if body.density is None else {"density": body.density}),
                    **{name: getattr(body, name).tolist() for name in _RIGID_VECTORS},
                    "friction": body.friction,
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

    def _pins(self, body: Cloth | SoftSolid) -> list[dict[str, Any]] | None:
        pins = [
            {
                "vertices": pin.vertices.tolist(),
                "motion": self._motion(pin.motion, f"{body.name}-pin-{k}"),
                "release_time": pin.release_time if np.isfinite(pin.release_time) else None,
            }
            for k, pin in enumerate(body.pins)
        ]
        return pins or None

    def _save_mesh(self, name: str, mesh: TriangleMesh) -> str:
        return self._save(name, {"vertices": mesh.vertices, "triangles": mesh.triangles})

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
            case motions.Translate() | motions.Rotate() | motions.Turn():
                values = {key: list(v) if isinstance(v, tuple) else v for key, v in asdict(motion).items()}
                return {"kind": type(motion).__name__.lower(), **values}
            case motions.Keyframes():
                rows = {name: getattr(motion, name) for name in ("translations", "rotations")}
                return {
                    "kind": "keyframes",
                    "times": list(motion.times),
                    **{name: None if value is None else np.asarray(value).tolist() for name, value in rows.items()},
                    "center": list(motion.center),
                    "interpolation": motion.interpolation,
                }
            case motions.Frames():
                arrays = {"times": np.array(motion.times), "frames": motion.frames}
                return {"kind": "frames", "file": self._save(f"{name}-motion", arrays)}
            case BoneMotion():
                return {"kind": "bones", "file": self._save(f"{name}-motion", motion.to_arrays())}
            case motions.Chain():
                parts = [self._motion(part, f"{name}-{k}") for k, part in enumerate(motion.motions)]
                return {"kind": "chain", "motions": parts}
        what = motion.function if isinstance(motion, motions.Script) else type(motion)
        note = f"the motion of {name!r} is the Python code {getattr(what, '__qualname__', repr(what))!r}"
        self.notes.append(f"{note}, which cannot be written to a file; this file cannot be run again by itself.")
        return {"kind": "script", "note": note}
