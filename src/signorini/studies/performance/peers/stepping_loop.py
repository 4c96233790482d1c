"""The loop that times a simulator and stores its frames. It imports nothing but NumPy: it runs in the environments of others.

The times are those of the steps alone, without the copies of frames; those at each frame are stored beside it.
"""

from __future__ import annotations

import json
import resource
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

FPS = 30
FAR = 50.0
"""Distance from the origin at which a simulation counts as exploded [m]."""


def run_steps(
    out: str,
    step: Callable[[], Any],
    positions: Callable[[], Any],
    *,
    dt: float,
    substeps: int = 1,
    seconds: float,
    cpu_limit: float,
    about: dict[str, Any],
) -> None:
    """Step until a time [s], or until the CPU time is used up; write frames to out.npz and times to out.json."""
    frames, wall, cpu, t, status = [np.array(positions(), np.float64)], 0.0, 0.0, 0.0, "ok"
    spent = [(0.0, 0.0)]
    for k in range(1, round(seconds / dt) + 1):
        w, c = time.perf_counter(), _cpu()
        step()
        wall, cpu, t = wall + time.perf_counter() - w, cpu + _cpu() - c, k * dt
        if t >= len(frames) / FPS - 0.5 * dt:
            frames.append(np.array(positions(), np.float64))
            spent.append((wall, cpu))
            if not np.isfinite(frames[-1]).all() or np.abs(frames[-1]).max() > FAR:
                status = f"exploded at {t:.2f} s"
                break
        if cpu > cpu_limit:
            status = f"ended at {t:.2f} s: {cpu_limit:g} s of CPU time"
            break
    np.savez(out + ".npz", frames=np.array(frames), spent=np.array(spent))
    times = {
        "dt_ms": 1e3 * dt / substeps,
        "simulated_s": t,
        "wall_per_s": wall / t,
        "cpu_per_s": cpu / t,
        "status": status,
    }
    Path(out + ".json").write_text(json.dumps({**about, **times}), encoding="utf-8")


def _cpu() -> float:
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime
