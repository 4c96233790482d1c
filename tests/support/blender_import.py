"""Runs inside of a Python that has Blender's module bpy: imports exports and prints where their vertices are, as JSON.

Arguments: the folder with `run.usdc`, `patch.obj`, `patch.pc2` and `patch.mdd`; the name of the body; the number of frames.
"""

from __future__ import annotations

import json
import sys

import bpy  # pyright: ignore[reportMissingImports]


def shown(thing, frame):
    """Vertices in the world, sizes of polygons and names of texture maps at a frame."""
    bpy.context.scene.frame_set(frame)
    placed = thing.evaluated_get(bpy.context.evaluated_depsgraph_get())
    mesh = placed.to_mesh()
    return {
        "points": [list(placed.matrix_world @ vertex.co) for vertex in mesh.vertices],
        "sizes": [len(polygon.vertices) for polygon in mesh.polygons],
        "uv": [layer.name for layer in mesh.uv_layers],
    }


def main(folder, name, count):
    found = {}
    bpy.ops.wm.read_factory_settings(use_empty=True)
    bpy.ops.wm.usd_import(filepath=f"{folder}/run.usdc")
    found["usdc"] = [shown(bpy.data.objects[name], 1 + k) for k in range(count)]
    for ending in ("pc2", "mdd"):
        bpy.ops.wm.read_factory_settings(use_empty=True)
        bpy.ops.wm.obj_import(filepath=f"{folder}/patch.obj")
        thing = bpy.data.objects[0]
        cache = thing.modifiers.new("cache", "MESH_CACHE")
        cache.cache_format, cache.filepath, cache.frame_start = ending.upper(), f"{folder}/patch.{ending}", 1.0
        found[ending] = [shown(thing, 1 + k) for k in range(count)]
    with open(f"{folder}/found.json", "w") as file:  # noqa: PTH123
        json.dump(found, file)


main(sys.argv[-3], sys.argv[-2], int(sys.argv[-1]))
