"""Export of a run: its frames in a file format that other programs read."""

from __future__ import annotations

import pkgutil
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path

from signorini.checks import check_path
from signorini.files.exports import formats
from signorini.files.exports.registry import exporter, find_exporter
from signorini.files.exports.selection import select_frames
from signorini.files.meshes.up_axis import UpAxis
from signorini.files.runs.trajectory import Trajectory

__all__ = ["export", "exporter"]

for _module in pkgutil.iter_modules(formats.__path__):  # each file of the folder registers its format
    import_module(f"{formats.__name__}.{_module.name}")


def export(
    source: Trajectory | str | Path,
    file: str | Path,
    *,
    bodies: Sequence[str] | None = None,
    every: int = 1,
    up: UpAxis | None = None,
    scale: float = 1.0,
) -> list[Path]:
    """Write the frames of a run to `file`, in the format that its ending chooses; returns the paths of what was written.

    `source` is the output directory of a run or its `Trajectory`. `bodies` are the names of those to write (default: all;
    half-spaces have no surface and are left out), `every` = 2 leaves out every second frame. `up` is the axis that points up in
    the file (default: z, in glTF y) and `scale` a factor of all coordinates: a body that was loaded with `up="y", unit="cm"`
    comes back as it went with `up="y", scale=100`. The folder of `file` is made if it does not exist; files of the same name are
    replaced.

    Formats: .usd, .usda and .usdc (time samples; extra `usd`), .glb and .gltf (animation), .pc2 and .mdd (point caches, one for
    each body), .obj and .ply (a sequence of files, one a frame: `frames.obj` gives `frames_0000.obj` and so on; polygons and
    texture coordinates are those of the source file), .pvd and .vtkhdf (ParaView, with fields; the latter needs the extra
    `paraview`), .npz (all positions), and those registered with `exporter`.
    """
    target = check_path("file of an export", file)
    write = find_exporter(target)
    trajectory = source if isinstance(source, Trajectory) else Trajectory.open(source)
    selection = select_frames(trajectory, bodies=bodies, every=every, up=up, scale=scale)
    target.parent.mkdir(parents=True, exist_ok=True)
    return [Path(path) for path in write(selection, target)]
