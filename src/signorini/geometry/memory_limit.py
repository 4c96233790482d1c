"""Memory that a mesh needs in a simulation, estimated before it is made: what does not fit is refused with the number."""

from __future__ import annotations

import os
from pathlib import Path

from signorini.errors import InputError

BYTES_PER_TRIANGLE = 1000.0
"""Of a rigid or scripted surface in a simulation, measured with spheres of 200,000 triangles (docs/bodies.md)."""
BYTES_PER_TETRAHEDRON = 2000.0
"""Of a soft solid in a simulation, measured with a box of 48,000 tetrahedra."""
USABLE = 0.8
"""Part of the free memory that a scene may take."""


def check_room(what: str, count: float, each: str, bytes_each: float, remedy: str) -> None:
    """Raise an `InputError` if `count` of `each` (say, triangles) of `bytes_each` do not fit into the free memory."""
    needed, free = min(count, 1e300) * bytes_each, free_memory()
    if needed > USABLE * free:
        raise InputError(
            f"{what} would give {_readable(count)} {each} and need about {needed / 1e9:.3g} GB of memory in a simulation, but "
            f"{free / 1e9:.3g} GB are free: {remedy}"
        )


def _readable(count: float) -> str:
    return f"{count:,.0f}" if count < 1e15 else f"{float(min(count, 1e300)):.3g}"


def free_memory() -> float:
    """Bytes that this process can still get: of the machine, or of the container that it runs in; inf if nothing tells."""
    return min(_of_machine(), _of_container())


def _of_machine() -> float:
    try:
        for line in Path("/proc/meminfo").read_text(encoding="ascii").splitlines():
            if line.startswith("MemAvailable:"):
                return 1024.0 * float(line.split()[1])
    except (OSError, ValueError, IndexError):
        pass
    try:  # no Linux: all of its memory is the best that is known
        return float(os.sysconf("SC_PHYS_PAGES")) * float(os.sysconf("SC_PAGE_SIZE"))
    except (AttributeError, OSError, ValueError):
        return float("inf")


def _of_container() -> float:
    """Free memory of a control group, in version 2 or 1 of its files."""
    for limit, used in (
        ("memory.max", "memory.current"),
        ("memory/memory.limit_in_bytes", "memory/memory.usage_in_bytes"),
    ):
        try:
            root = Path("/sys/fs/cgroup")
            return max(0.0, float((root / limit).read_text()) - float((root / used).read_text()))
        except (OSError, ValueError):  # no such file, or "max"
            continue
    return float("inf")
