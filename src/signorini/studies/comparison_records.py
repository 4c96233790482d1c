"""Records of a comparison: one for every frame of a method, and its run in numbers."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np


@dataclass(frozen=True, slots=True)
class FrameRecord:
    """One frame of one method. SI units; sums and extremes over the steps of the frame."""

    frame: int
    time: float
    """Simulated time at its end [s]."""
    cpu_seconds: float
    failed: bool
    """The method could not reach the end of the frame."""
    steps: int = 0
    failsafe_steps: int = 0
    halvings: int = 0
    collision_interval: float = 0.0
    """The longest sub-step at whose end contact was treated [s]."""
    contacts: int = 0
    intersections: int = 0
    penetration: float = 0.0
    """Depth of the deepest vertex inside another body [m]."""
    min_distance: float = math.inf
    total_energy: float = 0.0
    residual: float = 0.0
    """Largest residual of a contact solve [m/s]; 0 for methods that solve no contact problem."""
    solves: int = 0
    solves_converged: int = 0


@dataclass(slots=True)
class MethodRun:
    """Run of one method."""

    method: str
    interval: float
    """Between frames [s]."""
    dt: float | None = None
    """Its time step [s]; None: it never began."""
    frame_count: int = 0
    """Frames that were asked for."""
    energy_at_start: float | None = None
    """[J]; None: it never began."""
    records: list[FrameRecord] = field(default_factory=list)
    reason: str = ""
    """Why it ended early, or never began."""
    directory: Path | None = None
    """Of its frames, when they were stored."""

    @property
    def outcome(self) -> str:
        """`refused` the scene, `stopped` before the end, `completed`, or `interrupted` by the user."""
        if self.energy_at_start is None:
            return "refused"
        if self.reason:
            return "stopped"
        return "completed" if len(self.records) >= self.frame_count else "interrupted"

    def row(self) -> dict[str, Any]:
        """The run in numbers. Frames that a method did not reach have failed, all of them if it refused the scene."""
        done = [r for r in self.records if not r.failed]
        refused = self.outcome == "refused"
        whole = [r for r in done if r.collision_interval >= (1.0 - 1e-9) * self.interval]
        return {
            "method": self.method,
            "outcome": self.outcome,
            "dt": self.dt,
            "frames": self.frame_count if refused else len(self.records),
            "steps": sum(r.steps for r in self.records),
            "intersecting_frames": sum(r.intersections > 0 for r in done),
            "failsafe_steps": sum(r.failsafe_steps for r in self.records),
            "failed_frames": self.frame_count if refused else sum(r.failed for r in self.records),
            "cpu_seconds": sum(r.cpu_seconds for r in self.records),
            "max_penetration": max((r.penetration for r in done), default=None),
            "cpu_seconds_per_frame": float(np.median([r.cpu_seconds for r in done])) if done else None,
            "halvings": sum(r.halvings for r in self.records),
            "frames_at_full_interval": len(whole),
            "mean_collision_interval": float(np.mean([r.collision_interval for r in done])) if done else None,
            "max_contacts": max((r.contacts for r in done), default=None),
            "min_distance": finite_min([r.min_distance for r in done]),
            "max_residual": max((r.residual for r in self.records if r.steps), default=None),
            "solves": sum(r.solves for r in self.records),
            "solves_converged": sum(r.solves_converged for r in self.records),
            "energy_at_start": self.energy_at_start,
            "energy_at_end": self._energies()[-1] if self._energies() else None,
            "max_energy": max(self._energies(), default=None),
            "reason": self.reason,
        }

    def _energies(self) -> list[float]:
        """Of the frames in which it did a step, also of the one in which it stopped [J]."""
        return [r.total_energy for r in self.records if r.steps]


def finite_min(values: list[float]) -> float | None:
    """The least of the values; None when none is finite."""
    return min((v for v in values if math.isfinite(v)), default=None)
