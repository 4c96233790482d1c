"""Stress of a fabric in its plane: orthotropic, and slack where it would be compressed.

Strains are Green's, e = (E11, E22, 2 E12) along warp and weft; stresses are the second of Piola and Kirchhoff, s = (S11, S22,
S12), per length of the rest shape. A taut fabric has s = Q e. A fabric that wrinkles finer than its mesh has the relaxed energy
of Pipkin (1986)

    W_r(e) = min over P ⪰ 0 of ½ (e + P)' Q (e + P) = max over s ⪰ 0 of s·e − ½ s' Q⁻¹ s,

which is convex and never in compression: its stress is taut, or zero, or a tension σ along one direction t, with
W_r = max over t of ½ ε(t)² / a(t), where ε(t) = t'Et is the strain along t and a(t) the compliance. The fabric has the part r
of its full energy and 1 − r of the relaxed one. Both are convex in e, so that the tangent D is positive semidefinite by itself.
"""

from __future__ import annotations

import math

from signorini.compiled import kernel

TAUT = 1e-9
"""Part of the trace of the stress by which rounding may make a uniaxial tension compressive."""
STEPS = 40
"""Most steps for the direction of the tension; three or four are the rule."""
SHARP, ENOUGH = 1e-9, 1e-6
"""Last change of tan θ for the stress, and for the energy, which is stationary there; the error after it is its square."""
EIGHTHS = tuple(
    (math.cos(a) ** 2, math.sin(a) ** 2, math.cos(a) * math.sin(a)) for a in (k * math.pi / 8.0 for k in range(5))
)
"""cos² θ, sin² θ and their root for θ = 0, 22.5°, … 90°."""
TANGENTS = (0.0, math.tan(math.pi / 8.0), 1.0, math.tan(3.0 * math.pi / 8.0))
"""tan θ for θ = 0, 22.5°, 45°, 67.5°."""
KNEE = 0.5
"""Strain over which a locking fabric stiffens, over its strain limit: measured curves turn about that smoothly."""


@kernel
def tension(e1, e2, g, s11, s22, s12, s66, C, S):
    """ε and its two derivatives, a and its two derivatives by ψ = 2 θ at (C, S) = (cos ψ, sin ψ)."""
    half = 0.5 * (e1 - e2)
    u, du = 0.5 * (e1 + e2) + half * C + 0.5 * g * S, 0.5 * g * C - half * S
    k = 2.0 * s12 + s66
    a = 0.25 * (s11 * (1.0 + C) ** 2 + s22 * (1.0 - C) ** 2 + k * S * S)
    da = 0.5 * S * (s22 * (1.0 - C) - s11 * (1.0 + C) + k * C)
    double = C * C - S * S
    dda = 0.5 * (s22 * (C - double) - s11 * (C + double) + k * double)
    return u, du, -half * C - 0.5 * g * S, a, da, dda


@kernel
def start_between(e1, e2, g, s11, s22, k):
    """Tangents (t, low, high) about the largest ½ ε²/a with ε > 0, and whether they are counted from the weft; g ≥ 0.

    The best of θ = 0, 22.5°, … 90° and its neighbours, or where ε is largest if it is positive in none of them.
    """
    best, u, a = -1, 0.0, 1.0
    for i in range(5):
        x, y, z = EIGHTHS[i]
        strain, soft = e1 * x + e2 * y + g * z, s11 * x * x + s22 * y * y + k * x * y
        if strain > 0.0 and (best < 0 or strain * strain * a > u * u * soft):
            best, u, a = i, strain, soft
    if best < 0:  # both strains are negative, and the shear is larger
        turned = e2 > e1
        low = e1 if turned else e2
        spread = math.sqrt(max(g * g - 4.0 * e1 * e2, 0.0))
        return 0.5 * g / -low, 0.5 * (g - spread) / -low, 0.5 * (g + spread) / -low, turned
    turned = best > 2
    i = 4 - best if turned else best
    return TANGENTS[i], TANGENTS[max(i - 1, 0)], TANGENTS[i + 1], turned


@kernel
def best_direction(e1, e2, g, s11, s22, s12, s66, accuracy):
    """(cos ψ, sin ψ) of the direction with the largest ½ ε²/a, ε > 0, ψ = 2 θ.

    With t = tan θ it is (e1 + g t + e2 t²)² / (s11 + k t² + s22 t⁴), which grows where the polynomial below is positive: Newton's
    method for its root, between two directions that have less. The problem is convex: there is no other maximum.
    """
    k, shear = 2.0 * s12 + s66, abs(g)
    t, low, high, turned = start_between(e1, e2, shear, s11, s22, k)
    if turned:
        e1, e2, s11, s22 = e2, e1, s22, s11
    p0, p1, p3, p4 = shear * s11, 2.0 * e2 * s11 - k * e1, k * e2 - 2.0 * s22 * e1, -shear * s22
    for _ in range(STEPS):
        value, slope = p0 + t * (p1 + t * t * (p3 + t * p4)), p1 + t * t * (3.0 * p3 + 4.0 * t * p4)
        if value >= 0.0:
            low = t
        else:
            high = t
        after = t - value / slope if slope < 0.0 else 0.5 * (low + high)
        if not low <= after <= high:
            after = 0.5 * (low + high)
        step, t = abs(after - t), after
        if step < accuracy:
            break
    size = 1.0 / (1.0 + t * t)
    C, S = (1.0 - t * t) * size, 2.0 * t * size
    return -C if turned else C, math.copysign(S, g)


@kernel
def relaxed(e1, e2, g, q, s):
    """Stress (3) and tangent (11, 22, 12, 13, 23, 33) of the relaxed energy; q are the stiffnesses, s the compliances."""
    q11, q22, q12, q66 = q
    t1, t2, t12 = q11 * e1 + q12 * e2, q12 * e1 + q22 * e2, q66 * g
    trace = t1 + t2
    if trace > 0.0 and t1 * t2 - t12 * t12 >= -TAUT * trace * trace:
        return (t1, t2, t12), (q11, q22, q12, 0.0, 0.0, q66)
    if e1 <= 0.0 and e2 <= 0.0 and 4.0 * e1 * e2 >= g * g:
        return (0.0, 0.0, 0.0), (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    s11, s22, s12, s66 = s
    C, S = best_direction(e1, e2, g, s11, s22, s12, s66, SHARP)
    u, du, ddu, a, da, dda = tension(e1, e2, g, s11, s22, s12, s66, C, S)
    sigma = max(u, 0.0) / a
    turning = (du - sigma * da) / a
    # −φ'' of φ = ½ ε²/a; the floor keeps a direction that is free to turn (a wrinkle of no length) finite.
    curvature = max(-sigma * (ddu - 0.5 * (turning * da + sigma * dda)), 1e-12 * sigma * sigma * a + 1e-300)
    x, y, z = 0.5 * (1.0 + C), 0.5 * (1.0 - C), 0.5 * S
    p, r, w = turning * x - 0.5 * sigma * S, turning * y + 0.5 * sigma * S, turning * z + 0.5 * sigma * C
    k, m = 1.0 / a, 1.0 / curvature
    tangent = (k * x * x + m * p * p, k * y * y + m * r * r, k * x * y + m * p * r,
               k * x * z + m * p * w, k * y * z + m * r * w, k * z * z + m * w * w)  # fmt: skip
    return (sigma * x, sigma * y, sigma * z), tangent


@kernel
def relaxed_energy(e1, e2, g, q, s, full):
    """W_r(e) [J/m²]; `full` is the energy of the fabric if it were taut."""
    q11, q22, q12, q66 = q
    t1, t2, t12 = q11 * e1 + q12 * e2, q12 * e1 + q22 * e2, q66 * g
    trace = t1 + t2
    if trace > 0.0 and t1 * t2 - t12 * t12 >= -TAUT * trace * trace:
        return full
    if e1 <= 0.0 and e2 <= 0.0 and 4.0 * e1 * e2 >= g * g:
        return 0.0
    s11, s22, s12, s66 = s
    C, S = best_direction(e1, e2, g, s11, s22, s12, s66, ENOUGH)
    u, _, _, a, _, _ = tension(e1, e2, g, s11, s22, s12, s66, C, S)
    return 0.5 * max(u, 0.0) ** 2 / a


@kernel
def locking(e, limit, stiffness):
    """Stress and tangent that a fabric has beyond its strain limit (Green's strain), 0 below it."""
    beyond, width = e - limit, KNEE * limit
    if beyond <= 0.0:
        return 0.0, 0.0
    if beyond < width:
        return 0.5 * stiffness * beyond * beyond / width, stiffness * beyond / width
    return stiffness * (beyond - 0.5 * width), stiffness


@kernel
def response(e1, e2, g, q, s, ratio, limit, locked):
    """Stress (3) and tangent (11, 22, 12, 13, 23, 33) of a fabric with compression ratio r; `locked` are (warp, weft)."""
    (t1, t2, t12), (d11, d22, d12, d13, d23, d33) = relaxed(e1, e2, g, q, s)
    if ratio > 0.0:
        q11, q22, q12, q66 = q
        rest = 1.0 - ratio
        t1, t2 = rest * t1 + ratio * (q11 * e1 + q12 * e2), rest * t2 + ratio * (q12 * e1 + q22 * e2)
        t12 = rest * t12 + ratio * q66 * g
        d11, d22, d12 = rest * d11 + ratio * q11, rest * d22 + ratio * q22, rest * d12 + ratio * q12
        d13, d23, d33 = rest * d13, rest * d23, rest * d33 + ratio * q66
    if e1 > limit or e2 > limit:
        s1, k1 = locking(e1, limit, locked[0])
        s2, k2 = locking(e2, limit, locked[1])
        t1, t2, d11, d22 = t1 + s1, t2 + s2, d11 + k1, d22 + k2
    return (t1, t2, t12), (d11, d22, d12, d13, d23, d33)


@kernel
def without_compression(t1, t2, t12):
    """The stress with its negative principal part removed."""
    mean, half = 0.5 * (t1 + t2), 0.5 * (t1 - t2)
    radius = math.sqrt(half * half + t12 * t12)
    low, high = mean - radius, mean + radius
    if low >= 0.0:
        return t1, t2, t12
    if high <= 0.0 or radius == 0.0:
        return 0.0, 0.0, 0.0
    # high · n n', n the direction of the largest stress: n n' = ½ (I + (S − mean I) / radius)
    k = 0.5 * high / radius
    return k * (radius + half), k * (radius - half), k * t12


@kernel
def energy_density(e1, e2, g, q, s, ratio, limit, locked):
    """W(e) [J/m²]."""
    q11, q22, q12, q66 = q
    full = 0.5 * (q11 * e1 * e1 + q22 * e2 * e2 + 2.0 * q12 * e1 * e2 + q66 * g * g)
    total = (1.0 - ratio) * relaxed_energy(e1, e2, g, q, s, full) + ratio * full
    width = KNEE * limit
    for axis in range(2):
        beyond = (e1 if axis == 0 else e2) - limit
        if beyond > 0.0:
            inside = min(beyond, width)
            total += locked[axis] * inside * inside * inside / (6.0 * width)
            past = beyond - inside
            total += locked[axis] * past * (0.5 * width + 0.5 * past)
    return total
