"""Validation case: a strip that is pressed on the ground buckles, and its foot slips when friction is not enough."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.integrate import solve_ivp
from scipy.optimize import root

from signorini.geometry import shapes
from signorini.scene.motions import Translate
from signorini.scene.scene import Scene
from signorini.settings import Settings
from signorini.simulation.simulation import Simulation
from signorini.studies.validation.case import Case, Curve, Measurement, Measurements, Progress, Series
from signorini.studies.validation.cases.sheets.strips import FEW_MESHES, add_strip, clamped_strip, plate_material

Floats = NDArray[np.float64]
LENGTH, WIDTH = 0.3, 0.03
"""Of the strip [m]."""
RIGIDITY, STRETCHING, AREA_DENSITY = 1e-3, 5000.0, 0.1
"""B [N·m], E·h [N/m] and mass per area [kg/m²] without weight: buckling squeezes the strip by 0.004 %."""
DRAG = 5.0
CONTACT_DISTANCE = 1e-3
START = 2e-3
"""Strain with which the strip starts buckled: a straight one would not know to which side."""
SPEED = 0.13
"""Strain per second: slow beside the lowest frequency of the strip."""
SHOE, SHOE_MASS = (0.02, 0.04, 0.004), 5e-3
"""Of the block that the foot of the strip may be hinged to: edges [m] and mass [kg]."""
SLIPPED = 1e-4
"""Way of the foot over the length that counts as slip; before it the foot creeps by less than a twentieth of that."""
SETTLING = 10
"""Steps in which the foot comes to stand on the ground."""
STRAINS = (0.01, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5)
BARE = 5
"""So many of them can be reached with a bare foot."""
SMALL_STRAIN = 0.03
"""Below it the strip is pressed ten times more slowly; with a shoe, which has a mass, half as fast."""
MOST_STRAIN = 0.6


def friction_at_slip(strains: Floats) -> Floats:
    """Ratio of the forces at the foot, horizontal over vertical, for increasing strains (k,) of a strip that sticks.

    The elastica is clamped upright at the top and free to turn at the foot, right below: θ″ = −P sin θ + R cos θ.
    """

    def end(unknown: Floats) -> Floats:
        angle, P, R = unknown

        def rate(_: float, y: Floats) -> list[float]:
            return [y[1], -P * np.sin(y[0]) + R * np.cos(y[0]), np.sin(y[0]), np.cos(y[0])]

        return solve_ivp(rate, (0.0, 1.0), [angle, 0.0, 0.0, 0.0], rtol=1e-10, atol=1e-12).y[:, -1]

    k = 4.493409457909064  # tan k = k: the strip buckles at P = k²
    strain = 0.5 * float(strains[0])
    size = np.sqrt(2.0 * strain / np.mean((k * np.cos(k * np.linspace(0, 1, 2001)) - np.sin(k)) ** 2))
    guess, found = np.array([size * (k - np.sin(k)), k * k, -size * np.sin(k) * k * k]), []
    for target in strains:
        for step in np.linspace(strain, target, 2 + int((target - strain) / 0.02))[1:]:
            guess = root(lambda u, e=step: end(u)[[0, 2, 3]] - [0.0, 0.0, 1.0 - e], guess, tol=1e-10).x
        strain = float(target)
        found.append(abs(guess[2] / guess[1]))
    return np.array(found)


def strain_at_slip(
    mesh: str, friction: float, *, shoe: bool = False, edges: int = 32, dt: float = 0.01, speed: float = SPEED
) -> float:
    """Strain 1 − height / length at which the foot of a strip that is pressed down slips on ground with this friction.

    With a shoe the foot is hinged to the sole of a light rigid block, and only that touches the ground.
    """
    strip = clamped_strip(mesh, LENGTH, WIDTH, edges)
    scene = Scene(gravity=(0.0, 0.0, 0.0), friction=friction, air_drag=DRAG)
    scene.add_ground()
    turned = strip.mesh.vertices.copy()
    turned[:, 0] = LENGTH - turned[:, 0]  # the clamp is at the top
    upright = np.column_stack([np.zeros(len(turned)), turned[:, 1], turned[:, 0]])
    cloth = add_strip(
        scene, strip, (2, 1), plate_material(RIGIDITY, stretching=STRETCHING), area_density=AREA_DENSITY,
        initial_vertices=_buckled(upright), position=(0.0, 0.0, (1.0 + 1e-4) * CONTACT_DISTANCE), self_contact=False,
    )  # fmt: skip
    cloth.pin(strip.clamp, motion=Translate(velocity=(0.0, 0.0, -speed * LENGTH)))
    if shoe:
        sole = (1.0 + 1e-4) * CONTACT_DISTANCE + 0.5 * SHOE[2]
        scene.add_rigid(shapes.box(*SHOE), mass=SHOE_MASS, position=(0.0, 0.5 * WIDTH, sole), name="shoe")
        scene.attach("strip", strip.tip, to="shoe")
        scene.set_contact("strip", ["ground", "shoe"], ignore=True)
    sim = Simulation(scene, dt=dt, settings=Settings(contact_distance=CONTACT_DISTANCE, sleep=False))
    for _ in range(SETTLING):
        sim.step()
    foot = sim.bodies["strip"].positions[strip.tip, 0].mean()
    while True:
        sim.step()
        strain = START + speed * sim.time
        slipped = abs(sim.bodies["strip"].positions[strip.tip, 0].mean() - foot) > SLIPPED * LENGTH
        if slipped or strain > MOST_STRAIN:
            return strain


def _buckled(upright: Floats) -> Floats:
    """An upright strip with the shape in which it begins to buckle, shorter by the strain `START`."""
    k, s = 4.493409457909064, np.linspace(0.0, 1.0, 2001)
    slope = k * np.cos(k * s) - np.sin(k)
    slope *= np.sqrt(2.0 * START / np.mean(slope**2))
    out = np.concatenate([[0.0], np.cumsum(0.5 * (slope[1:] + slope[:-1]) * np.diff(s))])
    down = np.concatenate([[0.0], np.cumsum(0.25 * (slope[1:] ** 2 + slope[:-1] ** 2) * np.diff(s))])
    at = np.clip(upright[:, 2] / LENGTH, 0.0, 1.0)
    start = upright.copy()
    start[:, 0] = LENGTH * np.interp(at, s, out)
    start[:, 2] -= LENGTH * np.interp(at, s, down)
    return start


def run(quick: bool, progress: Progress) -> Measurements:
    """Press with the friction that theory asks for at each strain, see where it slips, and what theory says of that strain."""
    wanted = np.array(STRAINS)
    theory = friction_at_slip(wanted)
    grid = np.concatenate([[2e-3, 5e-3], np.linspace(0.01, MOST_STRAIN, 60)])
    curve = friction_at_slip(grid)
    meshes = FEW_MESHES[:1] if quick else ("aligned", "turned by 20°", "random", "staggered 0.99")
    bare = [(mesh, i, False) for mesh in meshes for i in ((1, 4) if quick else range(BARE))]
    jobs = bare + [(mesh, i, True) for mesh in meshes for i in ((5,) if quick else range(BARE - 1, len(wanted)))]
    rows, series = [], {f"{mesh}{', shoe' * shoe}": [] for mesh, _, shoe in jobs}
    for k, (mesh, i, shoe) in enumerate(jobs):
        slowness = 0.1 if wanted[i] < SMALL_STRAIN else 0.5 if shoe else 1.0
        strain = strain_at_slip(mesh, float(theory[i]), shoe=shoe, speed=slowness * SPEED)
        known, name = float(np.interp(strain, grid, curve)), f"{mesh}{', shoe' * shoe}"
        rows.append(Measurement(f"μ at slip, ε = {wanted[i]:g}, {name}", float(theory[i]), known, "", 0.05))
        series[name].append((strain, float(theory[i])))
        progress((k + 1) / len(jobs))
    lines = [Series("elastica", list(grid), list(curve), theory=True)]
    lines += [Series(mesh, [p[0] for p in points], [p[1] for p in points]) for mesh, points in series.items()]
    return Measurements(
        rows,
        [Curve("Friction at which the foot slips", "strain ε", "μ", lines)],
        [
            "Each strip is pressed with the friction μ of the theory at ε; the expected value is the theory at the strain "
            "at which it slipped.",
            "From ε = 0.33 on the strip leaves its foot downwards: it would have to pass through the ground, and a bare foot "
            "rolls onto its side and does not slip. There the foot is hinged to a light block, the shoe, which alone touches the "
            "ground.",
        ],
    )


CASE = Case(
    name="cloth-stick-slip",
    title="A strip of cloth, pressed on the ground, buckles until its foot slips",
    theory="A strip is held upright at the top and pressed down by the strain ε = 1 − h/L. As long as its foot sticks it is the "
    "elastica θ″ = −P sin θ + R cos θ, θ′(0) = θ(1) = 0, with its ends above one another; it slips as soon as R/P exceeds μ. "
    "ε = 0.01, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5 need μ = 0.045, 0.104, 0.153, 0.238, 0.326, 0.434, 0.584.",
    source="Sano, Yamaguchi and Wada 2017, Slip morphology of elastic strips on frictional rigid substrates, Physical Review "
    "Letters 118, 178001; the experiment of Romero et al. 2021; recomputed",
    run=run,
)
