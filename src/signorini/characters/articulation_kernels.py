"""Kernels of surfaces that follow bones."""

from __future__ import annotations

import math

from signorini.compiled import kernel


@kernel
def blend(bound, joints, weights, real, dual, out):
    """Move points (n, 3) by the weighted means of the dual quaternions (j, 4) of their joints (n, w); x, y, z come before w.

    A quaternion and its negative are the same rotation: each takes the sign that it shares with the first one of its point.
    """
    for i in range(len(bound)):
        ax = ay = az = aw = bx = by = bz = bw = 0.0
        first = joints[i, 0]
        for k in range(joints.shape[1]):
            j = joints[i, k]
            along = (
                real[j, 0] * real[first, 0] + real[j, 1] * real[first, 1] + real[j, 2] * real[first, 2]
                + real[j, 3] * real[first, 3]
            )  # fmt: skip
            weight = -weights[i, k] if along < 0.0 else weights[i, k]
            ax, ay, az, aw = (
                ax + weight * real[j, 0], ay + weight * real[j, 1], az + weight * real[j, 2], aw + weight * real[j, 3]
            )  # fmt: skip
            bx, by, bz, bw = (
                bx + weight * dual[j, 0], by + weight * dual[j, 1], bz + weight * dual[j, 2], bw + weight * dual[j, 3]
            )  # fmt: skip
        length = math.sqrt(ax * ax + ay * ay + az * az + aw * aw)
        ax, ay, az, aw = ax / length, ay / length, az / length, aw / length
        bx, by, bz, bw = bx / length, by / length, bz / length, bw / length
        x, y, z = bound[i, 0], bound[i, 1], bound[i, 2]
        # v × p + w p, with the vector v and the number w of the real part.
        cx, cy, cz = ay * z - az * y + aw * x, az * x - ax * z + aw * y, ax * y - ay * x + aw * z
        out[i, 0] = x + 2.0 * (ay * cz - az * cy) + 2.0 * (aw * bx - bw * ax + (ay * bz - az * by))
        out[i, 1] = y + 2.0 * (az * cx - ax * cz) + 2.0 * (aw * by - bw * ay + (az * bx - ax * bz))
        out[i, 2] = z + 2.0 * (ax * cy - ay * cx) + 2.0 * (aw * bz - bw * az + (ax * by - ay * bx))
