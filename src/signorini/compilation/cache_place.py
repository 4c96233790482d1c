"""The places of compiled kernels on disk: which directories are read, and which one is written.

Kernels are kept per user, outside of the package, which may be installed where nobody can write. Each combination of Numba,
NumPy, Python and processor has a directory of its own. A wheel may bring kernels for a generic processor along.
"""

# Numba's attributes are made at run time:
# pyright: reportAttributeAccessIssue=false, reportIncompatibleMethodOverride=false, reportGeneralTypeIssues=false

from __future__ import annotations

import contextlib
import functools
import hashlib
import os
import stat
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

import llvmlite.binding as llvm
import numba
import numpy as np
from numba.core import config

KEPT_DAYS = 60
"""A compiled kernel that nothing has used for so many days is removed: that of an older version, or of another machine."""
SHIPPED = Path(__file__).parent / "shipped"
"""Where a wheel keeps the kernels that it brings along."""
GENERIC_CPU = "x86-64-v3"
"""The processor for which wheels bring kernels: all of Intel since 2013 (Haswell) and of AMD since 2015 (Excavator)."""
GENERIC_FEATURES = ("avx", "avx2", "bmi", "bmi2", "f16c", "fma", "lzcnt", "movbe", "popcnt", "sse4.2", "xsave")
"""What a processor must be able to do to run code for GENERIC_CPU, in LLVM's names."""


class CachePlace(NamedTuple):
    """The directories of the compiled kernels of this process."""

    written: Path
    """Where new kernels are kept."""
    read: tuple[Path, ...]
    """Where kernels are looked for, in this order; `written` is one of them."""
    remark: str
    """One sentence if the usual place cannot be written; otherwise empty."""


@functools.cache
def cache_place() -> CachePlace:
    """The directories of this process, made if they do not exist."""
    name = machine_name()
    usual = usual_directory() / name
    shipped = (SHIPPED / shipped_name(),) if runs_generic_code() and (SHIPPED / shipped_name()).is_dir() else ()
    if _can_write(usual):
        return CachePlace(usual, (usual, *shipped), "")
    spare = _spare_directory() / name
    spare.mkdir(parents=True, exist_ok=True)
    remark = f"{usual.parent} cannot be written; compiled kernels are kept in {spare.parent} (see SIGNORINI_CACHE_DIR)"
    return CachePlace(spare, (usual, spare, *shipped), remark)


def usual_directory() -> Path:
    """$SIGNORINI_CACHE_DIR, or "signorini" in $NUMBA_CACHE_DIR or in the directory that the system has for caches."""
    own = os.environ.get("SIGNORINI_CACHE_DIR")
    if own:
        return Path(own).expanduser().absolute()
    if config.CACHE_DIR:
        return Path(config.CACHE_DIR).absolute() / "signorini"
    if sys.platform == "win32":
        local = os.environ.get("LOCALAPPDATA")
        return (Path(local) if local else _home() / "AppData" / "Local") / "signorini" / "cache"
    if sys.platform == "darwin":
        return _home() / "Library" / "Caches" / "signorini"
    given = os.environ.get("XDG_CACHE_HOME", "")
    return (Path(given) if Path(given).is_absolute() else _home() / ".cache") / "signorini"


def _home() -> Path:
    """The user's home; a directory that cannot be made if the system knows none."""
    try:
        return Path.home()
    except RuntimeError:
        return Path("/nonexistent")


def machine_name() -> str:
    """Name of the directory for this processor, and these versions of Python, Numba and NumPy."""
    cpu = config.CPU_NAME or llvm.get_host_cpu_name()
    features = config.CPU_FEATURES if config.CPU_FEATURES is not None else ",".join(sorted(_host_features()))
    return _directory_name(cpu, features)


def shipped_name() -> str:
    """Name of the directory of kernels for the generic processor."""
    return _directory_name(GENERIC_CPU, "")


def _directory_name(cpu: str, features: str) -> str:
    versions = f"py{sys.version_info[0]}{sys.version_info[1]}-numba{numba.__version__}-numpy{np.__version__}"
    target = f"{llvm.get_process_triple()} {features} {config.OPT} {config.USING_SVML}"
    return f"{versions}-{cpu}-{hashlib.sha256(target.encode()).hexdigest()[:8]}"


def _host_features() -> set[str]:
    """Features of this processor, in LLVM's names; empty if LLVM does not know them."""
    try:
        return {name for name, there in llvm.get_host_cpu_features().items() if there}
    except RuntimeError:
        return set()


def runs_generic_code() -> bool:
    """Whether this processor runs code for GENERIC_CPU."""
    return _host_features() >= set(GENERIC_FEATURES)


def _can_write(directory: Path) -> bool:
    try:
        directory.mkdir(parents=True, exist_ok=True)
        tempfile.TemporaryFile(dir=directory).close()
    except OSError:
        return False
    return True


def _spare_directory() -> Path:
    """A directory of this user below that for temporary files; a new one if another user owns the usual one."""
    user = os.getuid() if hasattr(os, "getuid") else 0
    shared = Path(tempfile.gettempdir()) / f"signorini-{user}"
    with contextlib.suppress(OSError):
        shared.mkdir(mode=0o700, exist_ok=True)
        found = shared.lstat()
        private = not hasattr(os, "getuid") or (
            found.st_uid == user and not found.st_mode & (stat.S_IWGRP | stat.S_IWOTH)
        )
        if stat.S_ISDIR(found.st_mode) and private and _can_write(shared):
            return shared
    return Path(tempfile.mkdtemp(prefix="signorini-"))


def remove_unused(directory: Path, days: float = KEPT_DAYS) -> int:
    """Remove kernels that were not used for so many days, and directories that are left empty; their number.

    Looks at most once a day, since it is called by every process that has compiled something.
    """
    stamp = directory / "last-cleaning"
    now = time.time()
    with contextlib.suppress(OSError):
        if now - stamp.stat().st_mtime < 86_400:
            return 0
    removed = 0
    with contextlib.suppress(OSError):
        stamp.touch()
        for file in directory.glob("*/*"):
            with contextlib.suppress(OSError):  # another process may remove it at the same time
                if now - file.stat().st_mtime > days * 86_400:
                    file.unlink()
                    removed += 1
        for machine in directory.iterdir():
            with contextlib.suppress(OSError):
                machine.rmdir()  # fails if something is in it
    return removed
