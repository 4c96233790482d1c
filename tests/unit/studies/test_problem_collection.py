"""The generators of the collection of contact problems: well-posed, deterministic, with the right mechanics."""

from __future__ import annotations

from dataclasses import fields, replace

import numpy as np
import pytest

from signorini import gallery
from signorini.contact.mlcp import Mlcp
from signorini.errors import InputError
from signorini.settings import SolverSettings
from signorini.solvers import solve
from signorini.studies.problems.cloth import ClothRun, make_cloth
from signorini.studies.problems.collection import (
    StoredProblem,
    build_index,
    load_collection,
    load_problem,
    make_collection,
    make_problem,
    problem_names,
    save_problem,
)
from signorini.studies.problems.recipes import recipes
from signorini.studies.problems.rigid_boxes import BoxPile, make_boxes
from signorini.studies.problems.rows import ContactRows, cross_matrix, repeat_contacts
from signorini.studies.problems.scenes import (
    SceneMoment,
    contact_frames,
    make_scene,
    round_entries,
    run_until,
    start_scene,
)
from signorini.studies.problems.soft_cubes import CubePile, elastic_matrix, lattice, make_cubes, tetrahedra
from signorini.studies.problems.special import Pinch, make_heavy_boxes, make_pinched, sheet_matrix

CUBES = CubePile(count=6, side=2, young=1e5, dt=0.01, friction=0.3)
BOXES = BoxPile(count=6, side=2, friction=0.3)
SMALL = {
    "cubes": lambda: make_cubes(CUBES),
    "cubes of one cell": lambda: make_cubes(CubePile(count=8, side=2, cells=1, young=1e6, dt=0.03, friction=0.5)),
    "boxes": lambda: make_boxes(BOXES),
    "boxes on a sheet": lambda: make_heavy_boxes(mass=1.0, stiffness_ratio=100.0, friction=0.5, side=8),
    "pinched": lambda: make_pinched(Pinch(overlap_speed=1.0, side=8, pinched=3)),
}
SHEET = ClothRun(scene="layers", stiffness_ratio=100.0, friction=0.3, resolution=5, seconds=0.2)


BALL = SceneMoment(scene="ball-on-cloth", friction=0.3, seconds=0.35, resolution=11, least=5)


@pytest.fixture(scope="module")
def cloth():
    return make_cloth(SHEET)


@pytest.fixture(scope="module")
def ball():
    return make_scene(BALL)


def assert_same(a: Mlcp, b: Mlcp) -> None:
    for part in ("indptr", "indices", "data"):
        np.testing.assert_array_equal(getattr(a.A, part), getattr(b.A, part))
    for f in fields(Mlcp):
        if f.name != "A":
            np.testing.assert_array_equal(getattr(a, f.name), getattr(b, f.name))


def assert_well_posed(problem: Mlcp) -> None:
    A = problem.A.to_scipy().toarray()
    np.testing.assert_array_equal(A, A.T)
    assert np.linalg.eigvalsh(A).min() > 0.0
    assert problem.contact_count > 10
    assert problem.jacobian_indptr[-1] == len(problem.jacobian_nodes) == len(problem.jacobian_blocks)
    assert problem.jacobian_nodes.max() < problem.node_count
    for array in (problem.jacobian_blocks, problem.gap, problem.free_velocity):
        assert np.isfinite(array).all()


def velocities(problem: Mlcp, v: np.ndarray) -> np.ndarray:
    """The contact velocities (m, 3) that nodal velocities (n, 3) give."""
    u = np.zeros((problem.contact_count, 3))
    owner = np.repeat(np.arange(problem.contact_count), np.diff(problem.jacobian_indptr))
    np.add.at(u, owner, np.einsum("kij,kj->ki", problem.jacobian_blocks, v[problem.jacobian_nodes]))
    return u


@pytest.mark.parametrize("name", SMALL)
def test_problems_are_well_posed_and_deterministic(name):
    problem = SMALL[name]().problem
    assert_well_posed(problem)
    assert_same(problem, SMALL[name]().problem)


@pytest.mark.parametrize(("name", "grounded"), [("cubes", 4 * 9), ("boxes", 4 * 4)])
def test_contacts_do_not_see_a_common_rigid_motion(name, grounded):
    """Contacts with the ground come first; those between bodies feel neither translation nor rotation of all."""
    problem = SMALL[name]().problem
    v = np.tile([0.3, -0.2, 0.5], (problem.node_count, 1))
    if name == "boxes":
        v[1::2] = 0.0
    u = velocities(problem, v)
    np.testing.assert_allclose(u[grounded:], 0.0, atol=1e-6)
    np.testing.assert_allclose(np.linalg.norm(u[:grounded], axis=1), np.linalg.norm([0.3, -0.2, 0.5]), rtol=1e-6)
    assert problem.contact_count > grounded + 20


def test_a_rigid_contact_maps_spin_to_the_velocity_of_its_point():
    rows = ContactRows()
    arm, spin = np.array([0.1, -0.2, 0.05]), np.array([1.0, 2.0, -3.0])
    rows.add([0, 1], [np.eye(3), -cross_matrix(arm)], normal=np.array([0.0, 0.0, 1.0]), gap=0.0)
    problem = rows.build(make_boxes(BOXES).problem.A, np.zeros((12, 3)), friction=0.0, dt=0.01)
    v = np.zeros((12, 3))
    v[1] = spin
    assert velocities(problem, v)[0, 0] == pytest.approx(np.cross(spin, arm)[2], abs=1e-6)


@pytest.mark.parametrize("name", ["cubes", "boxes"])
def test_contact_impulses_between_bodies_keep_momentum(name):
    """What the contacts give to all bodies together is what the ground gives."""
    problem = SMALL[name]().problem
    grounded = 4 * 9 if name == "cubes" else 4 * 4
    response = solve(problem, SolverSettings(tolerance=1e-6, relative_tolerance=3e-6))
    linear = slice(None) if name == "cubes" else slice(0, None, 2)
    gained = problem.A.times(response.dv)[linear].sum(axis=0)
    blocks = problem.jacobian_blocks
    given = np.zeros(3)
    for c in range(grounded):
        given += blocks[problem.jacobian_indptr[c]].T @ response.impulse[c]
    assert np.linalg.norm(given) > 0.01
    np.testing.assert_allclose(gained, given, atol=1e-4 * np.linalg.norm(given))


def test_cloth_problem_comes_with_a_warm_start_that_helps(cloth):
    assert_well_posed(cloth.problem)
    assert cloth.warm.dv.shape == (cloth.problem.node_count, 3)
    assert (cloth.warm.impulse[:, 0] > 0.0).any()
    settings = SolverSettings(name="ica", tolerance=1e-3, relative_tolerance=3e-3)
    warm, cold = solve(cloth.problem, settings, cloth.warm), solve(cloth.problem, settings)
    assert warm.converged
    assert warm.outer_iterations < cold.outer_iterations


def test_cloth_problem_is_deterministic_and_has_its_stiffness(cloth):
    again = make_cloth(SHEET)
    assert_same(cloth.problem, again.problem)
    np.testing.assert_array_equal(cloth.warm.impulse, again.warm.impulse)
    # The stiffest direction of a node between two springs of k each is around 2 dt²k, in units of its mass.
    A, mass = cloth.problem.A.to_scipy().toarray(), 0.2 * 0.6**2 / 25
    assert 50.0 < np.linalg.eigvalsh(A).max() / mass < 2000.0


def test_a_scene_with_a_rigid_body_gives_a_problem_with_a_warm_start_that_helps(ball):
    A = ball.problem.A.to_scipy().toarray()
    np.testing.assert_array_equal(A, A.T)
    assert np.linalg.eigvalsh(A).min() > 0.0
    assert ball.problem.node_count == 11 * 11 + 2  # the ball: one node that moves, one that turns
    assert (ball.warm.impulse[:, 0] > 0.0).any()
    settings = SolverSettings(name="ica", tolerance=1e-3, relative_tolerance=3e-3)
    warm, cold = solve(ball.problem, settings, ball.warm), solve(ball.problem, settings)
    assert warm.converged
    assert warm.outer_iterations < cold.outer_iterations
    again = make_scene(BALL)
    assert_same(ball.problem, again.problem)
    np.testing.assert_array_equal(ball.warm.impulse, again.warm.impulse)


def test_frames_are_found_in_the_jacobian_of_rigid_and_soft_contacts():
    """The frame of a contact is orthonormal, right-handed, and its first row is the normal; the warm start depends on it."""
    scene = gallery.find("ball-on-cloth").build(friction=0.3, resolution=11)
    solved, _ = run_until(*start_scene(scene), dt=1e-2, seconds=0.25, least=5)
    normals = solved.contacts.normal
    frames = contact_frames(solved.problem, normals)
    np.testing.assert_allclose(frames @ frames.transpose(0, 2, 1), np.tile(np.eye(3), (len(frames), 1, 1)), atol=1e-9)
    np.testing.assert_allclose(np.linalg.det(frames), 1.0, atol=1e-9)
    np.testing.assert_allclose(frames[:, 0], normals, atol=1e-9)
    world = np.einsum("mij,mi->mj", frames, solved.response.impulse)
    np.testing.assert_allclose(world, solved.world_impulse, atol=1e-9 * np.abs(world).max())


def test_entries_are_rounded_by_the_lighter_node_and_left_alone_where_bodies_turn():
    problem = make_boxes(BOXES).problem
    rng = np.random.default_rng(0)
    A = replace(problem.A, data=problem.A.data * (1.0 + 1e-3 * rng.uniform(size=problem.A.data.shape)))
    mass = np.tile([3.0, 0.0], problem.node_count // 2)
    rounded = round_entries(A, mass)
    turning = np.repeat(np.arange(A.node_count), np.diff(A.indptr)) % 2 == 1
    np.testing.assert_array_equal(rounded[turning], A.data[turning])
    quantum = 2.0 ** (1 - 14)  # 3 kg lie between 2 and 4
    assert (rounded[~turning] % quantum == 0.0).all()
    np.testing.assert_allclose(rounded[~turning], A.data[~turning], atol=0.5 * quantum)
    assert not np.array_equal(rounded[~turning], A.data[~turning])


def test_elastic_cubes_have_their_mass_and_no_stiffness_against_rigid_motion():
    x = lattice(2, 0.1)
    K, volume = elastic_matrix(x, tetrahedra(2), 1e5, 0.3)
    assert volume.sum() == pytest.approx(1e-3)
    for motion in (np.tile([1.0, 2.0, 3.0], (27, 1)), np.cross([0.5, -1.0, 2.0], x)):
        np.testing.assert_allclose(K.times(motion), 0.0, atol=1e-8)
    stretch = np.zeros_like(x)
    stretch[:, 0], stretch[:, 1:] = x[:, 0], -0.3 * x[:, 1:]
    assert np.vdot(stretch, K.times(stretch)) == pytest.approx(1e5 * 1e-3)  # E ε² V


def test_mass_ratios_reach_a_million():
    problem = make_boxes(BoxPile(count=10, side=1, friction=0.5, mass_ratio=1e6)).problem
    masses = problem.A.diagonal_blocks()[0::2, 0, 0]
    assert masses.max() / masses.min() == pytest.approx(1e6)


def test_sheet_matrix_carries_its_mass():
    A = sheet_matrix(5, 1000.0)
    moved = np.ones((25, 3))
    np.testing.assert_allclose(A.times(moved), 8e-5, rtol=1e-9)


def test_repeated_contacts_do_not_change_the_motion():
    """Without friction: the friction of rigid boxes on four corners is not unique even once."""
    case = make_boxes(BoxPile(count=6, side=2, friction=0.0))
    times = np.random.default_rng(0).integers(4, 11, size=case.problem.contact_count)
    repeated = repeat_contacts(case, times)
    assert repeated.problem.contact_count == times.sum()
    assert_well_posed(repeated.problem)
    settings = SolverSettings(tolerance=1e-7, relative_tolerance=3e-7)
    once, often = solve(case.problem, settings), solve(repeated.problem, settings)
    np.testing.assert_allclose(often.dv, once.dv, atol=1e-5)


def test_pinched_sheets_demand_the_impossible():
    """Two contacts of one node with opposite normals: u1 + u2 is the overlap speed, whatever the node does."""
    problem = make_pinched(Pinch(overlap_speed=1.0, side=8, pinched=3, friction=0.0)).problem
    response = solve(problem, SolverSettings(tolerance=1e-4))
    assert not response.converged
    assert response.penetration_velocity > 0.4
    assert (np.diff(problem.jacobian_indptr) == 0).sum() == 3


def test_saved_problems_load_identically(tmp_path, cloth):
    recipe = next(r for r in recipes() if r.name == "boxes-tower-10")
    stored = make_problem(recipe)
    save_problem(tmp_path, stored)
    loaded = load_problem(tmp_path, stored.name)
    assert_same(loaded.problem, stored.problem)
    assert (loaded.kind, loaded.friction, loaded.feasible) == ("boxes", 0.5, True)
    np.testing.assert_array_equal(loaded.warm.impulse, stored.warm.impulse)
    assert set(loaded.references) == {"cone", "pyramid"}
    for cone, reference in loaded.references.items():
        np.testing.assert_array_equal(reference.dv, stored.references[cone].dv)
        assert reference.residual < 1e-6
    cloth.problem.save(tmp_path / "mine.npz")
    assert problem_names(tmp_path) == ["boxes-tower-10", "mine"]
    mine = load_collection(tmp_path)[1]
    assert (mine.kind, mine.friction, mine.warm) == ("own", 0.3, None)
    assert "| mine | own | 0.3 |" in build_index(tmp_path)


def test_make_collection_writes_an_index(tmp_path):
    seen = []
    make_collection(tmp_path, only=["masses-tower", "pinched-1-mu0.8"], report=seen.append)
    assert len(seen) == 2
    assert {p.name for p in tmp_path.glob("*.npz")} == {
        f"{name}{end}" for name in ("masses-tower-1e6", "pinched-1-mu0.8") for end in (".npz", ".extra.npz")
    }
    index = (tmp_path / "README.md").read_text(encoding="utf-8")
    assert all(row in index for row in seen)
    assert isinstance(load_collection(tmp_path)[0], StoredProblem)
    assert not load_problem(tmp_path, "pinched-1-mu0.8").feasible


def test_recipes_cover_what_the_collection_promises():
    found = recipes()
    names = [r.name for r in found]
    assert len(set(names)) == len(names)
    assert {r.kind for r in found} == {
        "cloth",
        "cubes",
        "boxes",
        "redundant",
        "masses",
        "scenes",
        "continuum",
        "pinched",
    }
    assert {10, 100, 1000, 10000} <= {r.stiffness_ratio for r in found if r.kind == "cloth"}
    assert {0.0, 0.3, 0.8, 1.5} <= {r.friction for r in found if r.kind == "cloth"}


def test_a_missing_directory_is_named(tmp_path):
    with pytest.raises(InputError, match="make problems"):
        problem_names(tmp_path / "nowhere")
