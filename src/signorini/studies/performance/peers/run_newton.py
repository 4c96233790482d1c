"""Run a scene of the comparison in Newton: python run_newton.py SCENE.npz OUT LIMIT, in an environment with newton.

Its solver VBD on the CPU, with the sub-steps, iterations and contact margins of the examples that Newton ships for such scenes
(`cloth_twist`, `softbody_gift`), and a frame of 1/60 s as one graph of launches, as they do. Gaps are wider than there: VBD cuts
the motion of a sub-step at 0.425 (margin + gap), and the 1.5 mm of `cloth_twist` would hold a falling sheet at 0.9 m/s.
"""

# pyright: reportMissingImports=false, reportAttributeAccessIssue=false
from __future__ import annotations

import sys
from pathlib import Path

import newton
import numpy as np
import warp as wp
from stepping_loop import run_steps

FRAME = 1.0 / 60.0
"""[s]"""
SUBSTEPS = 10
"""Of a frame; an even number, after which the two states have their places again."""
ITERATIONS = {"S1": 4, "S2": 15, "S3": 4}
CONTACT = {
    "S1": (0.002, 0.018, 0.002, 1e3, 1e-1),
    "S2": (0.004, 0.006, 0.002, 5e4, 5e-1),
    "S3": (0.002, 0.018, 6e-3, 2e4, 1e-4),
}
"""Margin and gap of self-contact, radius of particles [m], stiffness [N/m] and damping of contacts."""


def add_sheet(builder, a: dict[str, np.ndarray], radius: float) -> None:
    """A cloth with the membrane and bending stiffness of the comparison."""
    stiffness, nu, h = float(a["membrane"]), float(a["poisson"]), float(a["thickness"])
    mu, lam = stiffness / (2 * (1 + nu)), stiffness * nu / (1 - nu * nu)
    rigidity = stiffness * h * h / 12 / (1 - nu * nu)
    edge = np.sqrt(2.0 / len(a["triangles"]))
    builder.add_cloth_mesh(
        pos=wp.vec3(0, 0, 0), rot=wp.quat_identity(), scale=1.0, vel=wp.vec3(0, 0, 0),
        vertices=[wp.vec3(*p) for p in a["x"]], indices=a["triangles"].ravel().tolist(), density=float(a["area_density"]),
        tri_ke=mu, tri_ka=lam, tri_kd=2e-4, edge_ke=3 * rigidity / edge, edge_kd=0.0, particle_radius=radius,
    )  # fmt: skip


def add_solids(builder, a: dict[str, np.ndarray], radius: float) -> None:
    """The cubes and the walls."""
    young, nu, n = float(a["young"]), float(a["poisson"]), len(a["rest"])
    for k in range(int(a["bodies"])):
        builder.add_soft_mesh(
            pos=wp.vec3(0, 0, 0), rot=wp.quat_identity(), scale=1.0, vel=wp.vec3(0, 0, 0),
            vertices=[wp.vec3(*p) for p in a["x"][k * n : (k + 1) * n]], indices=a["tets"].ravel().tolist(),
            density=float(a["density"]), k_mu=young / (2 * (1 + nu)), k_lambda=young * nu / ((1 + nu) * (1 - 2 * nu)),
            k_damp=1.0, particle_radius=radius,
        )  # fmt: skip
    for normal in ((1.0, 0, 0), (-1.0, 0, 0), (0, 1.0, 0), (0, -1.0, 0)):
        builder.add_shape_plane(plane=(*normal, float(a["half_width"])), width=0.0, length=0.0)


def main(path: str, out: str, limit: float) -> None:
    """Run it."""
    wp.config.quiet = True
    wp.init()
    wp.set_device("cpu")
    name, a = Path(path).stem, dict(np.load(path))
    margin, gap, radius, ke, kd = CONTACT[name]
    builder = newton.ModelBuilder(gravity=(0.0, 0.0, -9.81))
    if name == "S2":
        add_solids(builder, a, radius)
    else:
        add_sheet(builder, a, radius)
    if name == "S3":
        m, r = float(a["ball_mass"]), float(a["ball_radius"])
        i = 0.4 * m * r * r
        place = wp.transform(wp.vec3(0, 0, float(a["ball_height"])), wp.quat_identity())
        body = builder.add_body(xform=place, mass=m, inertia=wp.mat33(i, 0, 0, 0, i, 0, 0, 0, i), lock_inertia=True)
        builder.add_shape_sphere(body=body, radius=r)
    else:
        builder.add_ground_plane()
    builder.color(include_bending=name != "S2")
    model = builder.finalize()
    model.soft_contact_ke, model.soft_contact_kd, model.soft_contact_mu = ke, kd, float(a["friction"])
    if name == "S3":
        flags = model.particle_flags.numpy()
        flags[a["pins"]] &= ~int(newton.ParticleFlags.ACTIVE)
        model.particle_flags = wp.array(flags)
    options = {
        "iterations": ITERATIONS[name], "particle_enable_self_contact": True, "particle_self_contact_margin": margin,
        "particle_self_contact_gap": gap, "particle_vertex_contact_buffer_size": 64,
        "particle_edge_contact_buffer_size": 128,
    }  # fmt: skip
    if name == "S2":
        options["particle_topological_contact_filter_threshold"] = 1
    solver = newton.solvers.SolverVBD(model, **options)
    pipeline = newton.CollisionPipeline(model)
    states, control, contacts = [model.state(), model.state()], model.control(), pipeline.contacts()
    first = [array.numpy().copy() for array in (states[0].particle_q, states[0].particle_qd)]

    def frame() -> None:
        pipeline.collide(states[0], contacts)
        solver.rebuild_bvh(states[0])
        for _ in range(SUBSTEPS):
            states[0].clear_forces()
            solver.step(states[0], states[1], control, contacts, FRAME / SUBSTEPS)
            states.reverse()

    frame()  # compiles the kernels
    with wp.ScopedCapture() as capture:
        frame()

    def step() -> None:
        wp.capture_launch(capture.graph)
        wp.synchronize()

    for state in states:
        state.particle_q.assign(first[0])
        state.particle_qd.assign(first[1])
        if name == "S3":
            state.body_q.assign(model.body_q)
            state.body_qd.zero_()
    about = {"scene": name, "simulator": f"Newton {newton.__version__}, VBD", "settings": "see file"}
    run_steps(
        out,
        step,
        lambda: states[0].particle_q.numpy()[: len(a["x"])],
        dt=FRAME,
        substeps=SUBSTEPS,
        seconds=float(a["seconds"]),
        cpu_limit=limit,
        about=about,
    )


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], float(sys.argv[3]))
