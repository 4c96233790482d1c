"""Force, stiffness and energy of the triangles of a fabric.

With the columns F1, F2 of the deformation gradient (along warp and weft) the strain rate is a combination of F1 and F2 at every
node, hence each block of the stiffness is one of F1 F1', F1 F2', F2 F1', F2 F2' and I. The material part is positive semidefinite
because the energy is convex in the strain; of the geometric part A (g_a' S g_b) I only the tension is kept.
"""

from __future__ import annotations

from signorini.compiled import kernel
from signorini.elements.shared_rows_kernels import first_row, touches
from signorini.elements.tension_field_kernels import energy_density, response, without_compression
from signorini.parallel.crew_kernels import meet


@kernel
def columns(q, i0, i1, i2, g):
    """The columns (F1, F2) of Σ_a x_a g_a'; g = (g11, g12, g21, g22) are the gradients of the nodes 1 and 2."""
    ax, ay, az = q[i1, 0] - q[i0, 0], q[i1, 1] - q[i0, 1], q[i1, 2] - q[i0, 2]
    bx, by, bz = q[i2, 0] - q[i0, 0], q[i2, 1] - q[i0, 1], q[i2, 2] - q[i0, 2]
    first = (ax * g[0] + bx * g[2], ay * g[0] + by * g[2], az * g[0] + bz * g[2])
    return first, (ax * g[1] + bx * g[3], ay * g[1] + by * g[3], az * g[1] + bz * g[3])


@kernel
def dot(a, b):
    """a · b."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@kernel
def assemble(
    crew, rank, nodes, gradients, area, stiffness, compliance, ratio, limit, locked, damping_time, entries, q, v_lin, w_force,
    w_C, w_K, data, b,
):  # fmt: skip
    """Add w_C C + w_K K to the matrix and w_force F + w_K K v_lin to b (Otaduy2009 Eq. 3).

    C is the damping time times the material part of K: only the rate of the strain is damped.
    entries (t, 3, 3): where the block of each pair of a triangle's nodes is in `data`. Threads share the rows
    (`shared_rows_kernels`).
    """
    size = meet(crew, rank)
    if size == 0:
        return
    first, end = first_row(rank, size, len(b)), first_row(rank + 1, size, len(b))
    for e in range(len(area)):
        if not touches(nodes[e], first, end):
            continue
        i0, i1, i2 = nodes[e, 0], nodes[e, 1], nodes[e, 2]
        g = (gradients[e, 0, 0], gradients[e, 0, 1], gradients[e, 1, 0], gradients[e, 1, 1])
        F1, F2 = columns(q, i0, i1, i2, g)
        e1, e2, shear = 0.5 * (dot(F1, F1) - 1.0), 0.5 * (dot(F2, F2) - 1.0), dot(F1, F2)
        Q = (stiffness[e, 0], stiffness[e, 1], stiffness[e, 2], stiffness[e, 3])
        s = (compliance[e, 0], compliance[e, 1], compliance[e, 2], compliance[e, 3])
        lock = (locked[e, 0], locked[e, 1])
        (t1, t2, t12), (d11, d22, d12, d13, d23, d33) = response(e1, e2, shear, Q, s, ratio[e], limit[e], lock)
        p1, p2, p12 = without_compression(t1, t2, t12)
        dF1, dF2 = columns(v_lin, i0, i1, i2, g)
        r1, r2, r12 = dot(F1, dF1), dot(F2, dF2), dot(F1, dF2) + dot(F2, dF1)
        # Stress that acts on F in b: the elastic one, less what the offset changes it by; and the one that acts on dF.
        f, k = -w_force * area[e], w_K * area[e]
        n1 = f * t1 + k * (d11 * r1 + d12 * r2 + d13 * r12)
        n2 = f * t2 + k * (d12 * r1 + d22 * r2 + d23 * r12)
        n12 = f * t12 + k * (d13 * r1 + d23 * r2 + d33 * r12)
        w, wg = area[e] * (w_K + w_C * damping_time[e]), w_K * area[e]
        gx = (-g[0] - g[2], g[0], g[2])
        gy = (-g[1] - g[3], g[1], g[3])
        for a in range(3):
            i, x, y = nodes[e, a], gx[a], gy[a]
            by_F1, by_F2 = n1 * x + n12 * y, n12 * x + n2 * y
            by_dF1, by_dF2 = k * (p1 * x + p12 * y), k * (p12 * x + p2 * y)
            own = first <= i < end
            if own:
                for c in range(3):
                    b[i, c] += by_F1 * F1[c] + by_F2 * F2[c] + by_dF1 * dF1[c] + by_dF2 * dF2[c]
            # Rows of P_a' D, P_a the strain of F1 and F2 by the motion of node a.
            u1, u2, u3 = w * (x * d11 + y * d13), w * (x * d12 + y * d23), w * (x * d13 + y * d33)
            v1, v2, v3 = w * (y * d12 + x * d13), w * (y * d22 + x * d23), w * (y * d23 + x * d33)
            s1, s2 = wg * (p1 * x + p12 * y), wg * (p12 * x + p2 * y)
            for m in range(a, 3):
                X, Y, mirrored = gx[m], gy[m], m > a and first <= nodes[e, m] < end
                m11, m12 = u1 * X + u3 * Y, u2 * Y + u3 * X
                m21, m22 = v1 * X + v3 * Y, v2 * Y + v3 * X
                across = s1 * X + s2 * Y
                here, there = entries[e, a, m], entries[e, m, a]
                for c in range(3):
                    left, right = m11 * F1[c] + m21 * F2[c], m12 * F1[c] + m22 * F2[c]
                    for d in range(3):
                        block = left * F1[d] + right * F2[d]
                        if c == d:
                            block += across
                        if own:
                            data[here, c, d] += block
                        if mirrored:
                            data[there, d, c] += block
    meet(crew, rank)


@kernel
def energy(nodes, gradients, area, stiffness, compliance, ratio, limit, locked, q):
    """Σ A W(E) [J]."""
    total = 0.0
    for e in range(len(area)):
        g = (gradients[e, 0, 0], gradients[e, 0, 1], gradients[e, 1, 0], gradients[e, 1, 1])
        F1, F2 = columns(q, nodes[e, 0], nodes[e, 1], nodes[e, 2], g)
        e1, e2, shear = 0.5 * (dot(F1, F1) - 1.0), 0.5 * (dot(F2, F2) - 1.0), dot(F1, F2)
        Q = (stiffness[e, 0], stiffness[e, 1], stiffness[e, 2], stiffness[e, 3])
        s = (compliance[e, 0], compliance[e, 1], compliance[e, 2], compliance[e, 3])
        lock = (locked[e, 0], locked[e, 1])
        total += area[e] * energy_density(e1, e2, shear, Q, s, ratio[e], limit[e], lock)
    return total


@kernel
def stresses(nodes, gradients, stiffness, compliance, ratio, limit, locked, q, strain, stress):
    """Fill strain (t, 3) = (E11, E22, 2 E12) and stress (t, 3) = (S11, S22, S12) [N/m] of every triangle."""
    for e in range(len(nodes)):
        g = (gradients[e, 0, 0], gradients[e, 0, 1], gradients[e, 1, 0], gradients[e, 1, 1])
        F1, F2 = columns(q, nodes[e, 0], nodes[e, 1], nodes[e, 2], g)
        e1, e2, shear = 0.5 * (dot(F1, F1) - 1.0), 0.5 * (dot(F2, F2) - 1.0), dot(F1, F2)
        Q = (stiffness[e, 0], stiffness[e, 1], stiffness[e, 2], stiffness[e, 3])
        s = (compliance[e, 0], compliance[e, 1], compliance[e, 2], compliance[e, 3])
        lock = (locked[e, 0], locked[e, 1])
        (t1, t2, t12), _ = response(e1, e2, shear, Q, s, ratio[e], limit[e], lock)
        strain[e, 0], strain[e, 1], strain[e, 2] = e1, e2, shear
        stress[e, 0], stress[e, 1], stress[e, 2] = t1, t2, t12
