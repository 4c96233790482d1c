"""A data set of 500 short runs of a cloth on a ball: its size, how fast xarray reads it, and what a tiny network learns from it.

    python benchmarks/sweeps/dataset.py [DIRECTORY]

The directory keeps the data set, and the same command again does no run twice. The network needs PyTorch, which is no
dependency: without it that part is left out. Numbers are published in docs/sweeps.md.
"""

from __future__ import annotations

import runpy
import subprocess
import sys
import tempfile
import time
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import xarray

EXAMPLE = Path(__file__).parents[2] / "examples/sweep/learn_cloth.py"
SWEEP = [
    *("drape", "--vary", "friction=0:1", "--vary", "stiffness=0.3:3:log", "--latin", "500", "--set", "resolution=9"),
    *("--seconds", "0.6", "--dt", "0.008", "--dataset", "--no-runs"),
]
"""The command of examples/sweep/learn_cloth.py."""
READINGS = 5
"""Times that each reading is measured; the fastest counts, which the neighbours on the machine disturb least."""


def disk_use(path: Path) -> int:
    """Bytes of all files below a directory."""
    return sum(file.stat().st_size for file in path.rglob("*") if file.is_file())


def positions(path: Path) -> np.ndarray:
    """All positions, by a reader that has not yet seen them: xarray keeps what it has read."""
    return xarray.open_zarr(path, chunks=None).positions.values


def fastest(read) -> float:
    """Least CPU time of a reading [s]."""
    times = []
    for _ in range(READINGS):
        start = time.process_time()
        read()
        times.append(time.process_time() - start)
    return min(times)


def main(folder: Path) -> None:
    subprocess.run([sys.executable, "-m", "signorini", "sweep", *SWEEP, "--check", "-o", str(folder)], check=True)
    path = folder / "dataset.zarr"
    data = xarray.open_zarr(path, chunks=None)
    assert bool(data.complete.all()), "some runs are missing"
    sizes = {name: data.sizes[name] for name in ("run", "frame", "vertex")}
    raw = sum(data[name].nbytes for name in ("positions", "velocities", "contact_forces"))
    print(f"sizes {sizes}; {disk_use(path) / 1e6:.1f} MB on disk for {raw / 1e6:.1f} MB in float32")

    opening = fastest(lambda: xarray.open_zarr(path))
    lazy = xarray.open_zarr(path)
    assert lazy.positions.chunks is not None, "Dask reads it lazily"
    whole = data.positions.nbytes
    order = np.random.default_rng(0).permutation(data.sizes["run"])[:50]
    readings = {
        "opening it": (opening, 0),
        "all positions": (fastest(lambda: positions(path)), whole),
        "all positions with Dask": (fastest(lambda: lazy.positions.compute(scheduler="threads")), whole),
        "50 runs at random": (
            fastest(lambda: [data.positions[int(k)].values for k in order]),
            50 * whole // data.sizes["run"],
        ),
        "a frame of a run": (
            fastest(lambda: data.positions[7, 3].values),
            whole // data.sizes["run"] // data.sizes["frame"],
        ),
    }
    print("| reading | CPU time | |\n|---|---|---|")
    for name, (seconds, size) in readings.items():
        print(f"| {name} | {1e3 * seconds:.1f} ms | {f'{size / seconds / 1e6:.0f} MB/s' if size else ''} |")
    if find_spec("torch") is None:
        print("PyTorch is not installed: the network is left out")
        return
    runpy.run_path(str(EXAMPLE))["main"](str(path))


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(tempfile.gettempdir()) / "signorini-cloth-data")
