"""Run a scene of the comparison in MuJoCo: python run_mujoco.py SCENE.npz OUT LIMIT [THREADS], in an environment with mujoco.

Settings follow MuJoCo's own pages on deformables: integrator `discrete`, Newton solver with tolerance 1e-6 and 150 iterations,
steps of 2 ms (1 ms for solids), contacts of flexes in the constraint solver with friction.
"""

# pyright: reportMissingImports=false, reportAttributeAccessIssue=false
from __future__ import annotations

import sys
from pathlib import Path

import mujoco
import numpy as np
from stepping_loop import run_steps


def numbers(values: np.ndarray) -> str:
    """An array as the text of an XML attribute."""
    return " ".join(f"{value:.9g}" for value in np.asarray(values).ravel())


def flex(name: str, x: np.ndarray, elements: np.ndarray, a: dict[str, np.ndarray], *, pins: str = "") -> str:
    """The XML of a deformable body: a sheet if its elements are triangles, else a solid."""
    mu = float(a["friction"])
    if elements.shape[1] == 3:
        mass, young = float(a["area_density"]), float(a["membrane"] / a["thickness"])
        material = f'damping="0.01" thickness="{float(a["thickness"]):g}" elastic2d="both"'
        radius, selfcollide = 0.004, "auto"
    else:
        mass, young = float(a["density"]) * 1e-3, float(a["young"])
        material, radius, selfcollide = 'damping="0.002"', 0.002, "none"
    return (
        f'<flexcomp name="{name}" type="direct" dim="{elements.shape[1] - 1}" radius="{radius}" mass="{mass}" '
        f'point="{numbers(x)}" element="{numbers(elements)}">'
        f'<contact selfcollide="{selfcollide}" condim="3" friction="{mu} 0.005 0.0001" solref="0.01 1" '
        f'solimp=".95 .99 .0001"/>'
        f'<elasticity young="{young:g}" poisson="{float(a["poisson"])}" {material}/>{pins}</flexcomp>'
    )


def document(name: str, a: dict[str, np.ndarray], dt: float) -> str:
    """The XML of a scene."""
    mu, parts = f'friction="{float(a["friction"])} .005 .0001"', []
    if name == "S2":
        n = len(a["rest"])
        parts += [flex(f"c{k}", a["x"][k * n : (k + 1) * n], a["tets"], a) for k in range(int(a["bodies"]))]
        w = float(a["half_width"])
        for axis, pos in (
            ("1 0 0", f"{-w} 0 0.5"),
            ("-1 0 0", f"{w} 0 0.5"),
            ("0 1 0", f"0 {-w} 0.5"),
            ("0 -1 0", f"0 {w} 0.5"),
        ):
            parts.append(f'<geom type="plane" size="1 1 .1" zaxis="{axis}" pos="{pos}" {mu}/>')
    else:
        pins = f'<pin id="{" ".join(str(int(p)) for p in a["pins"])}"/>' if name == "S3" else ""
        parts.append(flex("sheet", a["x"], a["triangles"], a, pins=pins))
    if name == "S3":
        ball = f'size="{float(a["ball_radius"])}" mass="{float(a["ball_mass"])}"'
        parts.append(f'<body pos="0 0 {float(a["ball_height"])}"><freejoint/><geom type="sphere" {ball} {mu}/></body>')
    else:
        parts.append(f'<geom type="plane" size="0 0 1" {mu}/>')
    option = (
        f'timestep="{dt}" solver="Newton" tolerance="1e-6" iterations="150" integrator="discrete" gravity="0 0 -9.81"'
    )
    return f'<mujoco><option {option}/><size memory="4G"/><worldbody>{"".join(parts)}</worldbody></mujoco>'


def main(path: str, out: str, limit: float, threads: int) -> None:
    """Run it."""
    name, a = Path(path).stem, dict(np.load(path))
    dt = 1e-3 if name == "S2" else 2e-3
    model = mujoco.MjModel.from_xml_string(document(name, a, dt))
    data = mujoco.MjData(model)
    if threads > 1:
        mujoco.mju_threadpool(data, threads)
    mujoco.mj_forward(model, data)
    count = len(a["x"])
    about = {"scene": name, "simulator": f"MuJoCo {mujoco.__version__}, {threads} threads", "settings": "see file"}
    run_steps(
        out,
        lambda: mujoco.mj_step(model, data),
        lambda: data.flexvert_xpos.reshape(-1, 3)[:count],
        dt=dt,
        seconds=float(a["seconds"]),
        cpu_limit=limit,
        about=about,
    )


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], float(sys.argv[3]), int(sys.argv[4]) if len(sys.argv) > 4 else 1)
