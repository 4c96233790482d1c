"""Spur gears with involute teeth."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from signorini.gallery.mechanisms.swept_shapes import circle_around, prism
from signorini.geometry.triangle_mesh import TriangleMesh

PRESSURE_ANGLE = math.radians(20.0)
"""Angle between the line along which teeth push each other and the common tangent of the pitch circles, as in most gears."""
DEDENDUM = 1.25
"""Depth of the teeth below the pitch circle over the module, as in most gears; they are 1 module high above it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Gear:
    """The numbers of a spur gear. Gears of one module run together."""

    teeth: int
    module: float
    """Pitch diameter over the number of teeth [m]."""
    width: float
    """Thickness along the axis, z [m]."""
    bore: float
    """Radius of the hole for the axle [m]; 0 for none."""
    backlash: float
    """By how much each tooth is thinner than half a pitch, along the pitch circle [m]."""
    first_tooth: float = 0.0
    """Angle of the middle of a tooth from x [rad]."""
    flank_points: int = 4
    """Points on a flank."""

    @property
    def pitch_radius(self) -> float:
        """Radius at which it rolls on other gears [m]."""
        return 0.5 * self.module * self.teeth

    @property
    def base_radius(self) -> float:
        """Radius of the circle from which the involutes start [m]."""
        return self.pitch_radius * math.cos(PRESSURE_ANGLE)

    def mesh(self, *, bore_points: int = 24) -> TriangleMesh:
        """Its closed surface, the axis along z through the origin."""
        contours = [self.outline()]
        if self.bore > 0.0:
            contours.append(circle_around(self.bore, bore_points))
        return prism(contours, self.width)

    def outline(self) -> NDArray[np.float64]:
        """(n, 2) the contour of the teeth [m], counter-clockwise."""
        root = self.pitch_radius - DEDENDUM * self.module
        tip = self.pitch_radius + self.module
        start = max(self.base_radius, root)
        radii = np.linspace(start, tip, self.flank_points)
        half = self._half_angle(radii)
        flank = radii[:, None] * np.column_stack([np.cos(half), -np.sin(half)])
        foot = self._half_angle(np.array([start]))[0]
        if root < start - 1e-3 * self.module:  # below the base circle the tooth goes radially down
            flank = np.concatenate([[root * np.array([math.cos(foot), -math.sin(foot)])], flank])
        tooth = np.concatenate([flank, flank[::-1] * (1.0, -1.0)])
        angles = self.first_tooth + 2.0 * np.pi * np.arange(self.teeth) / self.teeth
        c, s = np.cos(angles)[:, None], np.sin(angles)[:, None]
        turned = np.stack([c * tooth[:, 0] - s * tooth[:, 1], s * tooth[:, 0] + c * tooth[:, 1]], axis=2)
        return np.asarray(turned.reshape(-1, 2), dtype=np.float64)

    def _half_angle(self, radius: NDArray[np.float64]) -> NDArray[np.float64]:
        """Half the angle [rad] that a tooth fills at a radius, from the involute of the base circle."""
        at_pitch = 0.5 * (0.5 * math.pi * self.module - self.backlash) / self.pitch_radius
        pressure = np.arccos(np.minimum(self.base_radius / radius, 1.0))
        return at_pitch + _involute(PRESSURE_ANGLE) - _involute(pressure)


def _involute(angle: float | NDArray[np.float64]) -> NDArray[np.float64]:
    """Polar angle of the involute where its pressure angle is `angle` [rad]."""
    return np.asarray(np.tan(angle) - angle, dtype=np.float64)
