"""A contact solver of one's own, in about 50 lines: projected gradients with Nesterov's acceleration (Mazhar et al. 2015).

The impulses p of all contacts minimise ½ p'(G A⁻¹ G')p + p'b over the friction cones, b the velocities without contact, up to
the usual relaxation of friction. One step goes against the gradient, which is the contact velocity G dv + b, and then back into
the cones. A is factorised once. This solver is simple, not fast.

    python examples/extending/projected_gradient.py
    signorini bench solvers --solver examples.extending.projected_gradient:solve --quick
"""

import numpy as np
from scipy.sparse.linalg import splu

import signorini as sg


def solve(problem: sg.Mlcp, settings: sg.SolverSettings, warm_start: sg.WarmStart | None) -> sg.Response:
    """Solve the contact problem to `settings.tolerance` [m/s], or stop after `settings.max_outer` iterations."""
    if problem.contact_count == 0:
        return sg.measured_response(
            problem, np.zeros((problem.node_count, 3)), np.zeros((0, 3)), tolerance=settings.tolerance
        )
    G, factor = problem.jacobian(), splu(problem.A.to_scipy().tocsc())
    p = np.zeros((problem.contact_count, 3)) if warm_start is None else warm_start.impulse.copy()
    p = project(p, problem.friction)
    step = 1.0 / largest_eigenvalue(lambda x: G @ factor.solve(G.T @ x), p.size)
    ahead, momentum = p.copy(), 1.0
    for iteration in range(1, settings.max_outer + 1):
        velocity = (G @ factor.solve(G.T @ ahead.ravel())).reshape(-1, 3) + problem.bias()
        # De Saxcé: sliding lifts the normal velocity by mu |u_t|, so that friction opposes sliding without separation.
        velocity[:, 0] += problem.friction * np.linalg.norm(velocity[:, 1:], axis=1)
        new = project(ahead - step * velocity, problem.friction)
        if (velocity * (new - p)).sum() > 0.0:  # uphill: forget the momentum
            momentum = 1.0
        grown = 0.5 * (1.0 + np.sqrt(1.0 + 4.0 * momentum**2))
        ahead, p, momentum = new + (momentum - 1.0) / grown * (new - p), new, grown
        if iteration % 20 == 0 or iteration == settings.max_outer:
            dv = factor.solve(G.T @ p.ravel()).reshape(-1, 3)
            response = sg.measured_response(problem, dv, p, tolerance=settings.tolerance, outer_iterations=iteration)
            if response.converged or response.diverged:
                break
    return response


def project(p: np.ndarray, friction: np.ndarray) -> np.ndarray:
    """The nearest impulses (m, 3) inside the cones |p_t| <= mu p_n."""
    normal, size = p[:, 0], np.linalg.norm(p[:, 1:], axis=1)
    inside, gone = size <= friction * normal, friction * size <= -normal
    onto = np.where(inside, normal, np.where(gone, 0.0, (normal + friction * size) / (1.0 + friction**2)))
    onto = np.maximum(onto, 0.0)
    shrink = np.where(inside, 1.0, friction * onto / np.maximum(size, 1e-300))
    return np.column_stack([onto, shrink[:, None] * p[:, 1:]])


def largest_eigenvalue(times, size: int) -> float:
    """An upper estimate by twenty power iterations, with a margin."""
    x = np.random.default_rng(0).standard_normal(size)
    for _ in range(20):
        x /= np.linalg.norm(x)
        x = times(x)
    return 1.1 * float(np.linalg.norm(x))


if __name__ == "__main__":
    scene = sg.Scene(friction=0.4)
    for k in range(3):
        scene.add_rigid(sg.shapes.box(0.2, 0.2, 0.2), density=500, position=(0.02 * k, 0, 0.11 + 0.21 * k))
    scene.add_ground()
    sim = sg.Simulation(scene, dt=5e-3, settings=sg.Settings(solver=solve))
    for frame in sim.run(seconds=0.5, fps=10):
        report = frame.report
        print(
            f"{frame.time:.1f} s: {report.contact_count} contacts, {report.solves_converged} of {report.solves} solved"
        )
