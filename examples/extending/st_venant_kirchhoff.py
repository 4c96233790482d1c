"""A material of one's own: St. Venant-Kirchhoff, as a constitutive law outside the package.

Ψ = μ |E|² + λ/2 (tr E)² with Green's strain E = (F'F − I) / 2. Its stress is P = F S with S = 2μ E + λ tr(E) I, and the
derivative of P has negative eigenvalues in compression, which are set to zero: the step needs a semidefinite stiffness.

    python examples/extending/st_venant_kirchhoff.py
"""

import numpy as np

import signorini as sg


@sg.kernel
def energy_density(F, mu, lam, shape, work):
    """Ψ(F) [J/m³]."""
    E = work[0]
    _green_strain(F, E)
    trace = E[0, 0] + E[1, 1] + E[2, 2]
    return mu * (E * E).sum() + 0.5 * lam * trace * trace


@sg.kernel
def element(F, G, volume, mu, lam, shape, work, f, K):
    """Forces f (3, 3) and stiffness K (3, 3, 3, 3) of one element (see `signorini.SolidLaw`)."""
    S, P = work[0], work[1]
    _green_strain(F, S)
    trace = S[0, 0] + S[1, 1] + S[2, 2]
    for i in range(3):
        for j in range(3):
            S[i, j] = 2.0 * mu * S[i, j] + (lam * trace if i == j else 0.0)
    for i in range(3):
        for k in range(3):
            P[i, k] = F[i, 0] * S[0, k] + F[i, 1] * S[1, k] + F[i, 2] * S[2, k]
    sg.from_stress(P, _projected(_stress_derivative(F, S, mu, lam)), G, volume, f, K)


@sg.kernel
def _green_strain(F, E):
    for i in range(3):
        for j in range(3):
            E[i, j] = 0.5 * (F[0, i] * F[0, j] + F[1, i] * F[1, j] + F[2, i] * F[2, j] - (1.0 if i == j else 0.0))


@sg.kernel
def _stress_derivative(F, S, mu, lam):
    """C (3, 3, 3, 3): ∂P_ik/∂F_jl = δ_ij S_lk + λ F_ik F_jl + μ (F_il F_jk + δ_kl Σ_m F_im F_jm)."""
    C = np.empty((3, 3, 3, 3))
    for i in range(3):
        for j in range(3):
            square = F[i, 0] * F[j, 0] + F[i, 1] * F[j, 1] + F[i, 2] * F[j, 2]
            for k in range(3):
                for m in range(3):
                    C[i, k, j, m] = lam * F[i, k] * F[j, m] + mu * F[i, m] * F[j, k]
                    C[i, k, j, m] += (S[m, k] if i == j else 0.0) + (mu * square if k == m else 0.0)
    return C


@sg.kernel
def _projected(C):
    """The tensor with its negative eigenvalues set to zero."""
    value, vector = np.linalg.eigh(C.reshape(9, 9))
    H = np.zeros((9, 9))
    for e in range(9):
        if value[e] > 0.0:
            for a in range(9):
                for b in range(9):
                    H[a, b] += value[e] * vector[a, e] * vector[b, e]
    return H.reshape(3, 3, 3, 3)


ST_VENANT_KIRCHHOFF = sg.SolidLaw("st-venant-kirchhoff", element, energy_density)


def jelly() -> sg.Scene:
    """A soft block that falls on the ground."""
    scene = sg.Scene()
    material = sg.SolidMaterial(young=2e4, poisson=0.35, density=500.0, model=ST_VENANT_KIRCHHOFF)
    scene.add_soft_solid(
        sg.shapes.box_tets(0.2, 0.2, 0.2, cells=3), material=material, position=(0, 0, 0.15), name="jelly"
    )
    scene.add_ground()
    return scene


if __name__ == "__main__":
    sim = sg.Simulation(jelly(), dt=4e-3)
    for frame in sim.run(seconds=0.6, fps=10):
        height = sim.bodies["jelly"].positions[:, 2].max()
        print(f"{frame.time:.1f} s: {height:.4f} m high, {frame.report.elastic_energy:.4f} J of strain")
