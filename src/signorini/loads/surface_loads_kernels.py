"""Pressure and wind on triangles: forces, and the matrices that make them implicit.

Pressure p pushes each corner of a triangle with p/6 (b − a) × (c − a). Its derivative is symmetric only when it is summed over a
closed surface; the symmetric part of one triangle is K_ij = −p/12 [e_j − e_i]×, with the sides e opposite of the corners. It
couples motion in the plane of the triangle with motion along its normal n only: K = [[0, B], [B', 0]], so
that its semidefinite part is
(K + |K|)/2 with |K| = [[(B B')^½, 0], [0, (B'B)^½]] and B'B = (p/12)² (3 e·e' + Σ|e|² 1 1'), whose root is known in closed form.
"""

from __future__ import annotations

import numpy as np

from signorini.compiled import kernel

FLAT = 1e-12
"""Determinant of the products of the sides of a triangle over the square of their sum, below which it has no normal."""


@kernel
def add_force(t, nodes, weights, force, factor, b):
    """Add a third of the force (3,) of triangle t to each of its corners; the corners move by weights of m nodes each."""
    m = nodes.shape[1] // 3
    for i in range(3 * m):
        for a in range(3):
            b[nodes[t, i], a] += factor * weights[t, i] * force[a] / 3.0


@kernel
def add_blocks(t, nodes, weights, entries, blocks, factor, v, data, b):
    """Add factor · blocks (3, 3, 3, 3) of triangle t to the matrix, and their product with v (n, 3) to b (n, 3)."""
    m = nodes.shape[1] // 3
    for i in range(3 * m):
        for j in range(3 * m):
            w = factor * weights[t, i] * weights[t, j]
            if w == 0.0:
                continue
            block, place, node = blocks[i // m, j // m], entries[t, i, j], nodes[t, j]
            for a in range(3):
                product = 0.0
                for c in range(3):
                    data[place, a, c] += w * block[a, c]
                    product += block[a, c] * v[node, c]
                b[nodes[t, i], a] += w * product


@kernel
def find_corners(t, nodes, weights, q, corners):
    """Positions or velocities (3, 3) of the corners of triangle t for those of the nodes q (n, 3)."""
    m = nodes.shape[1] // 3
    for k in range(3):
        for a in range(3):
            corners[k, a] = 0.0
            for i in range(m):
                corners[k, a] += weights[t, k * m + i] * q[nodes[t, k * m + i], a]


@kernel
def twice_area(corners, n):
    """Fill n (3,) with (b − a) × (c − a)."""
    for a in range(3):
        i, j = (a + 1) % 3, (a + 2) % 3
        n[a] = (corners[1, i] - corners[0, i]) * (corners[2, j] - corners[0, j]) - (corners[1, j] - corners[0, j]) * (
            corners[2, i] - corners[0, i]
        )


@kernel
def normal_root(e, root, inverse):
    """Fill root (3, 3) with (3 e·e' + Σ|e|² 1 1')^½ and `inverse` with its inverse; False if the sides (3, 3) are parallel."""
    g = np.empty((3, 3))
    s = 0.0
    for i in range(3):
        for j in range(3):
            g[i, j] = e[i, 0] * e[j, 0] + e[i, 1] * e[j, 1] + e[i, 2] * e[j, 2]
        s += g[i, i]
    # In the basis (1, −1, 0)/√2, (1, 1, −2)/√6 of what is orthogonal to (1, 1, 1), which e·e' maps to zero.
    xx = 0.5 * (g[0, 0] - 2.0 * g[0, 1] + g[1, 1])
    xy = (g[0, 0] - 2.0 * g[0, 2] - g[1, 1] + 2.0 * g[1, 2]) / np.sqrt(12.0)
    yy = (g[0, 0] + g[1, 1] + 4.0 * g[2, 2] + 2.0 * g[0, 1] - 4.0 * g[0, 2] - 4.0 * g[1, 2]) / 6.0
    det = xx * yy - xy * xy
    if not det > FLAT * s * s:
        return False
    d = np.sqrt(det)
    t = np.sqrt(xx + yy + 2.0 * d)
    # Roots of 2 × 2 matrices, and their inverses, times √3.
    rxx, rxy, ryy = np.sqrt(3.0) * (xx + d) / t, np.sqrt(3.0) * xy / t, np.sqrt(3.0) * (yy + d) / t
    scale = 3.0 * d
    ixx, ixy, iyy = ryy / scale, -rxy / scale, rxx / scale
    x0, y0, y2 = np.sqrt(0.5), np.sqrt(1.0 / 6.0), -2.0 * np.sqrt(1.0 / 6.0)
    for i in range(3):
        xi = x0 if i == 0 else (-x0 if i == 1 else 0.0)
        yi = y2 if i == 2 else y0
        for j in range(3):
            xj = x0 if j == 0 else (-x0 if j == 1 else 0.0)
            yj = y2 if j == 2 else y0
            root[i, j] = rxx * xi * xj + rxy * (xi * yj + yi * xj) + ryy * yi * yj + np.sqrt(3.0 * s) / 3.0
            inverse[i, j] = ixx * xi * xj + ixy * (xi * yj + yi * xj) + iyy * yi * yj + 1.0 / (3.0 * np.sqrt(3.0 * s))
    return True


@kernel
def pressure_stiffness(corners, p, blocks):
    """Fill blocks (3, 3, 3, 3) with the semidefinite part of K [N/m] of a triangle with corners (3, 3) at pressure p [Pa]."""
    e, n = np.empty((3, 3)), np.empty(3)
    root, inverse = np.empty((3, 3)), np.empty((3, 3))
    side, across = np.empty((3, 3, 3)), np.empty((3, 3, 3))
    for k in range(3):
        for a in range(3):
            e[k, a] = corners[(k + 2) % 3, a] - corners[(k + 1) % 3, a]
    twice_area(corners, n)
    blocks[:] = 0.0
    if not normal_root(e, root, inverse):
        return
    length = np.sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2])
    for a in range(3):
        n[a] /= length
    for i in range(3):
        for j in range(3):
            for a in range(3):
                x, y = (a + 1) % 3, (a + 2) % 3
                side[i, j, a] = (e[j, x] - e[i, x]) * n[y] - (e[j, y] - e[i, y]) * n[x]
    # (B B')^½ = B (B'B)^-½ B', of which `across` is the right-hand side.
    for i in range(3):
        for j in range(3):
            for a in range(3):
                across[i, j, a] = 0.0
                for k in range(3):
                    across[i, j, a] += inverse[j, k] * side[i, k, a]
    size = abs(p) / 24.0
    for i in range(3):
        for j in range(3):
            for a in range(3):
                for c in range(3):
                    tangential = 0.0
                    for k in range(3):
                        tangential += side[i, k, a] * across[j, k, c]
                    blocks[i, j, a, c] = size * (tangential + root[i, j] * n[a] * n[c])
            # The half of K itself: −p/24 [e_j − e_i]×.
            for a in range(3):
                x, y = (a + 1) % 3, (a + 2) % 3
                d = p / 24.0 * (e[j, a] - e[i, a])
                blocks[i, j, x, y] += d
                blocks[i, j, y, x] -= d


@kernel
def assemble_pressure(nodes, weights, p, entries, q, v_lin, w_force, w_K, data, b):
    """Add w_K K to the matrix and w_force F + w_K K v_lin to b of the pressure p [Pa] on triangles."""
    corners, n, blocks = np.empty((3, 3)), np.empty(3), np.empty((3, 3, 3, 3))
    for t in range(len(nodes)):
        find_corners(t, nodes, weights, q, corners)
        twice_area(corners, n)
        add_force(t, nodes, weights, n, 0.5 * p * w_force, b)
        if w_K != 0.0:
            pressure_stiffness(corners, p, blocks)
            add_blocks(t, nodes, weights, entries, blocks, w_K, v_lin, data, b)


@kernel
def wind_force(corners, velocity, wind, density, drag, lift, one_sided, force, C):
    """Fill the force (3,) [N] of wind (3,) on a triangle that moves with a velocity (3,), and C = −∂F/∂v (3, 3) [N s/m].

    F = ½ ρ A |w| (w·n) [c_D w/|w| + c_L (n − (w·n) w/|w|²)] for the relative wind w, with n on the side to which it blows. C is
    its derivative along n, and that of drag across it, which are semidefinite. `one_sided`: triangles on the lee feel nothing.
    """
    n, w = np.empty(3), np.empty(3)
    twice_area(corners, n)
    size, speed, through = 0.0, 0.0, 0.0
    for a in range(3):
        w[a] = wind[a] - velocity[a]
        size += n[a] * n[a]
        speed += w[a] * w[a]
    size, speed = np.sqrt(size), np.sqrt(speed)
    force[:] = 0.0
    C[:] = 0.0
    if size == 0.0 or speed == 0.0:
        return
    for a in range(3):
        n[a] /= size
        through += n[a] * w[a]
    if one_sided and through >= 0.0:
        return
    if through < 0.0:
        through = -through
        for a in range(3):
            n[a] = -n[a]
    k = 0.25 * density * size
    cosine = through / speed
    along = drag * through + lift * speed * (1.0 - cosine * cosine) ** 2
    for a in range(3):
        force[a] = k * through * (drag * w[a] + lift * (speed * n[a] - cosine * w[a]))
        for c in range(3):
            C[a, c] = k * along * n[a] * n[c]
        C[a, a] += k * drag * through


@kernel
def assemble_wind(
    nodes, weights, wind, density, drag, lift, one_sided, entries, q, v, w_force, w_C, data, b
):  # fmt: skip
    """Add w_C C to the matrix and w_force F + w_C C v to b of the wind (3,) [m/s] on triangles."""
    corners, velocities, velocity = np.empty((3, 3)), np.empty((3, 3)), np.empty(3)
    force, C, blocks = np.empty(3), np.empty((3, 3)), np.empty((3, 3, 3, 3))
    for t in range(len(nodes)):
        find_corners(t, nodes, weights, q, corners)
        find_corners(t, nodes, weights, v, velocities)
        for a in range(3):
            velocity[a] = (velocities[0, a] + velocities[1, a] + velocities[2, a]) / 3.0
        wind_force(corners, velocity, wind, density, drag, lift, one_sided, force, C)
        add_force(t, nodes, weights, force, w_force, b)
        if w_C != 0.0:
            for i in range(3):
                for j in range(3):
                    for a in range(3):
                        for c in range(3):
                            blocks[i, j, a, c] = C[a, c] / 9.0
            add_blocks(t, nodes, weights, entries, blocks, w_C, v, data, b)


@kernel
def rigid_wind(x, v, triangles, centre, wind, density, drag, lift, one_sided, resultant, C):
    """Fill the force and the torque (2, 3) of wind on the triangles of a rigid body, and C (2, 3, 3) of both, each by itself.

    x and v (p, 3) are the places and velocities of its vertices, `centre` (3,) is its centre of mass.
    """
    corners, middle, velocity, force, one = np.empty((3, 3)), np.empty(3), np.empty(3), np.empty(3), np.empty((3, 3))
    cross, turned = np.empty((3, 3)), np.empty((3, 3))
    resultant[:] = 0.0
    C[:] = 0.0
    for t in range(len(triangles)):
        for a in range(3):
            middle[a], velocity[a] = -centre[a], 0.0
            for k in range(3):
                corners[k, a] = x[triangles[t, k], a]
                middle[a] += corners[k, a] / 3.0
                velocity[a] += v[triangles[t, k], a] / 3.0
        wind_force(corners, velocity, wind, density, drag, lift, one_sided, force, one)
        for a in range(3):
            i, j = (a + 1) % 3, (a + 2) % 3
            resultant[0, a] += force[a]
            resultant[1, a] += middle[i] * force[j] - middle[j] * force[i]
            cross[a, a], cross[a, i], cross[a, j] = 0.0, -middle[j], middle[i]
        for a in range(3):
            for c in range(3):
                turned[a, c] = cross[a, 0] * one[0, c] + cross[a, 1] * one[1, c] + cross[a, 2] * one[2, c]
        for a in range(3):
            for c in range(3):
                C[0, a, c] += one[a, c]
                C[1, a, c] += turned[a, 0] * cross[c, 0] + turned[a, 1] * cross[c, 1] + turned[a, 2] * cross[c, 2]
