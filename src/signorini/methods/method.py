"""One step by the method that the settings name."""

from __future__ import annotations

from signorini.methods.moment import Moment, World
from signorini.methods.substeps import CoveredStep
from signorini.methods.substeps import cover_step as cover_by_refinement


def cover_step(world: World, start: Moment, end_time: float) -> CoveredStep:
    """Advance to exactly `end_time` [s]; raise `SimulationStoppedError` when that is impossible."""
    # Imported here: a simulation compiles and loads only the method that it uses.
    match world.settings.method:
        case "cmr":
            return cover_by_refinement(world, start, end_time)
        case "volume" | "impulses":
            from signorini.methods.collision_loop.collision_loop import cover_by_collision_loop

            return cover_by_collision_loop(world, start, end_time)
        case "hong":
            from signorini.methods.hong.hong import cover_by_hong

            return cover_by_hong(world, start, end_time)
