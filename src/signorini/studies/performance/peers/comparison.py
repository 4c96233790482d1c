"""The comparison: environments are made, every simulator runs every scene, one after the other, and all frames are checked."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import venv
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from signorini.errors import InputError
from signorini.geometry.triangles import find_edges
from signorini.studies.performance.measure import Row
from signorini.studies.performance.peers.scenes import SECONDS, scene_arrays, write_scene
from signorini.studies.performance.peers.stepping_loop import FPS

HERE = Path(__file__).parent
PACKAGES = {"mujoco": "mujoco", "newton": "newton"}
"""What is installed into the environment of each simulator."""


def compare_peers(
    directory: Path,
    *,
    scenes: Sequence[str],
    peers: Sequence[str],
    cpu_limit: float,
    seconds: float = np.inf,
    threads: int = 1,
) -> Iterator[Row]:
    """A row for each scene and simulator, ours first; each run ends after `cpu_limit` [s], or simulated `seconds`."""
    for name in scenes:
        if name not in SECONDS:
            raise InputError(f"there is no scene {name!r} in the comparison; there are {', '.join(SECONDS)}")
    for name in peers:
        if name not in PACKAGES:
            raise InputError(f"{name!r} cannot be compared; there are {', '.join(PACKAGES)}")
    directory.mkdir(parents=True, exist_ok=True)
    pythons = {name: environment(name, directory) for name in peers}
    for scene in scenes:
        path, ours = write_scene(scene, directory, seconds), directory / f"signorini-{scene}"
        for peer in ("signorini", *peers):
            out = directory / f"{peer}-{scene}"
            command = _command(peer, pythons, path, out, cpu_limit, threads)
            done = subprocess.run(command, capture_output=True, text=True, check=False, env=_variables(peer))
            if done.returncode:
                told = (done.stderr.strip().splitlines() or ["no message"])[-1]
                yield {"scene": scene, "simulator": peer, "status": f"failed: {told[:120]}"}
                continue
            row: Row = {**json.loads(Path(f"{out}.json").read_text(encoding="utf-8")), **check_frames(scene, out)}
            yield {**row, **over(out, ours)}


def environment(peer: str, directory: Path) -> Path:
    """The Python of a simulator's environment, which is made if it is not there."""
    home = directory / f"environment-{peer}"
    python = home / "bin" / "python"
    if not python.exists():
        venv.create(home, with_pip=True)
        subprocess.run([str(python), "-m", "pip", "install", "-q", PACKAGES[peer]], check=True)
    return python


def over(out: Path, ours: Path) -> Row:
    """Times of a run over those of ours, up to the last frame that both have: one of them may have ended before."""
    theirs, mine = (np.load(f"{path}.npz")["spent"] for path in (out, ours))
    last = min(len(theirs), len(mine)) - 1
    if last == 0:
        return {"compared_s": 0.0}
    wall, cpu = theirs[last] / mine[last]
    return {"compared_s": last / FPS, "ratio": float(wall), "cpu_ratio": float(cpu)}


def check_frames(scene: str, out: Path) -> Row:
    """Frames with intersections by ipctk, if it is installed, the depth below the ground, and the largest stretch of an edge."""
    a, frames = scene_arrays(scene), np.load(f"{out}.npz")["frames"]
    triangles = a["triangles"].astype(np.int32)
    ends = find_edges(triangles).ends
    lengths = [np.linalg.norm(x[ends[:, 0]] - x[ends[:, 1]], axis=1) for x in frames]
    row: Row = {
        "frames": len(frames),
        "stretch": float(np.nanmax(np.array(lengths) / lengths[0])),
        "below_ground_mm": None if scene == "S3" else 1e3 * max(0.0, -float(np.nanmin(frames[..., 2]))),
    }
    try:
        import ipctk
    except ImportError:
        return row
    mesh = ipctk.CollisionMesh(frames[0], ipctk.edges(triangles), triangles)
    wrong = [not np.isfinite(x).all() or ipctk.has_intersections(mesh, np.asfortranarray(x)) for x in frames]
    return {**row, "intersecting": int(sum(wrong))}


def _command(peer: str, pythons: dict[str, Path], path: Path, out: Path, limit: float, threads: int) -> list[str]:
    if peer == "signorini":
        module = "signorini.studies.performance.peers.run_signorini"
        return [sys.executable, "-m", module, str(path), str(out), str(limit)]
    command = [str(pythons[peer]), str(HERE / f"run_{peer}.py"), str(path), str(out), str(limit)]
    return [*command, str(threads)] if peer == "mujoco" else command


def _variables(peer: str) -> dict[str, Any]:
    """The environment variables of a run: those of others must not see this package's path."""
    kept = dict(os.environ)
    if peer != "signorini":
        kept.pop("PYTHONPATH", None)
    return kept
