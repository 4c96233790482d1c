"""State of the installation: versions, threads, the cache of compiled kernels, extras, disk."""

from __future__ import annotations

import os
import platform
import shutil
import sys
import tempfile
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path
from typing import Literal

EXTRAS = {
    "render": {"imageio_ffmpeg": "imageio-ffmpeg"},
    "text": {"fontTools": "fonttools"},
    "usd": {"pxr": "usd-core"},
    "paraview": {"h5py": "h5py"},
    "sweep": {"distributed": "distributed", "pyarrow": "pyarrow", "xarray": "xarray"},
    "bench": {"matplotlib": "matplotlib"},
    "gym": {"gymnasium": "gymnasium"},
    "tetrahedra": {"pytetwild": "pytetwild", "pyvista": "pyvista"},
}
"""Modules that each extra needs, with the names of their packages."""
PURPOSES = {
    "render": "films",
    "text": "letters of font files",
    "usd": "USD files",
    "paraview": "VTKHDF files",
    "sweep": "sweeps on clusters, tables in Parquet, data sets",
    "bench": "plots of benchmarks",
    "gym": "Gymnasium environments",
    "tetrahedra": "tetrahedra of surfaces by fTetWild",
}
PACKAGES = ("numpy", "scipy", "numba", "pydantic", "typer", "rich", "trimesh", "zarr")
"""Packages that everything needs."""
LITTLE_DISK = 1e9
"""Free room [bytes] below which a run may not fit: 2,500 vertices in 1,000 frames are 60 MB."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One line of the report."""

    topic: str
    state: Literal["ok", "note", "problem"]
    text: str


def examine_installation(folder: Path | None = None) -> list[Finding]:
    """All findings; `folder` is where runs would be written, by default the present one."""
    return [_python(), *_packages(), _threads(), _cache(), *_extras(), _disk(folder or Path.cwd())]


def _python() -> Finding:
    ok = sys.version_info >= (3, 11)
    system = f"{platform.system()} {platform.machine()}"
    text = f"{platform.python_version()} on {system}" + ("" if ok else ": 3.11 or newer is needed")
    return Finding("python", "ok" if ok else "problem", text)


def _packages() -> list[Finding]:
    found = [Finding("signorini", "ok", _version("signorini") or "not installed, run from its source")]
    versions = {name: _version(name) for name in PACKAGES}
    missing = [name for name, number in versions.items() if number is None]
    listed = ", ".join(f"{name} {number}" for name, number in versions.items() if number is not None)
    found.append(Finding("packages", "ok", listed))
    if missing:
        found.append(Finding("packages", "problem", f"{', '.join(missing)} missing: run pip install signorini again"))
    return found


def _threads() -> Finding:
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    text = f"{cores} cores"
    for name in (
        "SIGNORINI_THREADS",
        "NUMBA_NUM_THREADS",
        "OMP_NUM_THREADS",
        "MKL_NUM_THREADS",
        "OPENBLAS_NUM_THREADS",
    ):
        if os.environ.get(name):
            text += f", {name} = {os.environ[name]}"
    return Finding("threads", "ok", text)


def _cache() -> Finding:
    """Place and size of the cache of compiled kernels, and whether it can be written."""
    from signorini.compilation.cache_place import cache_place

    place = cache_place()
    files = [file for folder in place.read if folder.is_dir() for file in folder.glob("*.kernel")]
    size = sum(file.stat().st_size for file in files)
    text = f"{len(files)} compiled kernels, {size / 1e6:.0f} MB in {place.written}"
    if place.remark:
        return Finding("cache", "problem", f"{text}; {place.remark}")
    if not files:
        return Finding("cache", "note", f"{text}: the first run compiles for about a minute (signorini warmup)")
    return Finding("cache", "ok", text)


def _extras() -> list[Finding]:
    found = []
    for extra, modules in EXTRAS.items():
        missing = [package for module, package in modules.items() if find_spec(module) is None]
        if missing:
            text = f'{", ".join(missing)} missing ({PURPOSES[extra]}): pip install "signorini[{extra}]"'
            found.append(Finding(f"extra {extra}", "note", text))
        else:
            numbers = ", ".join(f"{package} {_version(package)}" for package in modules.values())
            found.append(Finding(f"extra {extra}", "ok", numbers))
    return found


def _disk(folder: Path) -> Finding:
    try:
        with tempfile.NamedTemporaryFile(dir=folder):
            pass
    except OSError as error:
        return Finding("disk", "problem", f"{folder} cannot be written ({error.strerror}): run elsewhere, or give -o")
    free = shutil.disk_usage(folder).free
    text = f"{free / 1e9:.1f} GB free in {folder}"
    return Finding(
        "disk", "ok" if free >= LITTLE_DISK else "problem", text + ("" if free >= LITTLE_DISK else ": make room")
    )


def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None
