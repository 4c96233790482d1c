"""Prescribed motions of a model: where scripted bodies and pins are at a time, and that they do not leap.

Each time is asked once and remembered, because the attempts at one step end at the same time.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from signorini.errors import SimulationStoppedError
from signorini.model.commands import Command
from signorini.model.contribution import Pinned, Script
from signorini.model.motion_check import CheckedMotion

Floats = NDArray[np.float64]
Ints = NDArray[np.int32]
FEW = 64
"""Vertices from which the size of the scene is estimated."""
NOTHING: tuple[float, Any] = (float("nan"), None)
"""What is remembered before anything was asked: no time equals NaN."""


@dataclass(slots=True)
class Prescribed:
    """The scripted bodies and pins of a model."""

    scripts: Sequence[Script]
    """Of the scripted bodies, in the order of their vertices."""
    pins: Sequence[Pinned]
    """Pins proper, then the attachments to scripted bodies."""
    _kinematic: tuple[float, Any] = field(default=NOTHING, init=False, repr=False)
    _pinned: tuple[float, Any] = field(default=NOTHING, init=False, repr=False)

    def forget(self) -> None:
        """Ask all scripts again: a user may change what they depend on between two steps."""
        self._kinematic = self._pinned = NOTHING

    def command(self, body: str, command: Command) -> None:
        """Let a scripted body follow a command from now on."""
        next(script for script in self.scripts if script.body == body).follow(command)
        self.forget()

    def command_arrays(self) -> dict[str, Floats]:
        """The commands that bodies follow, for a checkpoint."""
        motions = {s.body: s.motion.motion for s in self.scripts if isinstance(s.motion, CheckedMotion)}
        return {f"command_{b}": motion.to_array() for b, motion in motions.items() if isinstance(motion, Command)}

    def recall_commands(self, arrays: Mapping[str, Any]) -> None:
        """Follow the commands in a checkpoint."""
        for script in self.scripts:
            array = arrays.get(f"command_{script.body}")
            if array is not None:
                script.follow(Command.from_array(np.asarray(array, dtype=np.float64), len(script.rest)))
        self.forget()

    def kinematic_positions(self, time: float) -> Floats:
        """Where the scripted vertices are at a time, (k, 3) [m]; not to be written to."""
        if self._kinematic[0] != time:
            parts = [script.positions(time) for script in self.scripts]
            self._kinematic = (time, np.concatenate([*parts, np.zeros((0, 3))]))
        return self._kinematic[1]

    def pinned(self, time: float) -> tuple[Ints, Floats]:
        """Nodes that are pinned at a time, and where; a later pin of the same node wins. Not to be written to."""
        if self._pinned[0] != time:
            where: dict[int, Floats] = {}
            for pin in self.pins:
                # The relative tolerance keeps a release from depending on how the time was summed up.
                if time <= pin.release_time * (1.0 + 1e-12):
                    where.update(zip(pin.nodes.tolist(), pin.positions(time), strict=True))
            nodes = np.array(sorted(where), dtype=np.int32)
            self._pinned = (time, (nodes, np.array([where[i] for i in nodes.tolist()]).reshape(-1, 3)))
        return self._pinned[1]

    def check_jumps(self, kinematic: Floats, q: Floats, surface: Floats, time: float) -> None:
        """Raise a `SimulationStoppedError` if a script leaps until `time` [s] farther than the scene is large.

        `kinematic` (k, 3), `q` (n, 3) and `surface` (v, 3) are where scripted vertices, nodes and all vertices are now [m].
        """
        if not self.scripts and not self.pins:
            return
        # A few vertices bound the size of the scene from below, which spares the whole of it in nearly every step.
        least = float(np.linalg.norm(np.ptp(surface[:: max(1, len(surface) // FEW)], axis=0)))
        nodes, targets = self.pinned(time)
        for now, then in ((kinematic, self.kinematic_positions(time)), (q[nodes], targets)):
            if len(now) and np.abs(then - now).max() * np.sqrt(3.0) > least:
                distance = np.hypot.reduce(then - now, axis=1)  # no square overflows
                size = float(np.linalg.norm(np.ptp(surface, axis=0)))
                if distance.max() > size:
                    who = self._owner(int(distance.argmax()), None if then is not targets else nodes)
                    raise SimulationStoppedError(
                        f"{who} moves by {distance.max():.3g} m in the step to t = {time:.6g} s, farther than the scene is "
                        f"large ({size:.3g} m): correct its motion, or take shorter steps so that it moves less in each"
                    )

    def _owner(self, row: int, nodes: Ints | None) -> str:
        """Name of the body to which a row of the scripted vertices, or of the pinned nodes, belongs."""
        if nodes is not None:
            return f"a pin of {next((p.body for p in reversed(self.pins) if nodes[row] in p.nodes), '')!r}"
        ends = np.cumsum([len(script.rest) for script in self.scripts])
        return f"{self.scripts[int(np.searchsorted(ends, row, side='right'))].body!r}"
