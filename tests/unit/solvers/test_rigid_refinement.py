"""Rigid response refinement: the same iterates as with the assembled matrix, as the listing and as ICA; and its edges."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np
import pytest

from reference.ica import dense_jacobians, iterate_listing
from reference.measures import relative_error
from reference.problems import random_mlcp
from reference.soft_between_boxes import soft_between_boxes
from signorini.contact.mlcp import Mlcp, WarmStart
from signorini.contact.residuals import build_local_response
from signorini.errors import InputError
from signorini.linalg.block_matrix import BlockMatrix
from signorini.settings import SolverSettings
from signorini.solvers import contact_system, rigid_refinement_kernels
from signorini.solvers.contact_system import build_contact_system
from signorini.solvers.full_anticipation import solve_full_anticipation
from signorini.solvers.ica import solve_ica
from signorini.solvers.problem_arrays import problem_arrays
from signorini.solvers.rigid_refinement import (
    find_rigid_nodes,
    solve_rigid_refinement,
    solve_standard_contact,
)
from signorini.studies.problems.rigid_boxes import BoxPile, make_boxes

ica = partial(SolverSettings, name="ica")
NEVER = {"tolerance": 1e-30, "relative_tolerance": 1e-30}


def mixed(contacts: int = 30, friction: float = 0.0, seed: int = 0) -> Mlcp:
    return soft_between_boxes(np.random.default_rng(seed), contacts=contacts, friction=friction)


def boxes(friction: float = 0.5) -> Mlcp:
    return make_boxes(BoxPile(count=6, side=2, friction=friction)).problem


def sheets(friction: float = 0.3) -> Mlcp:
    return random_mlcp(np.random.default_rng(4), contacts=25, friction=friction, duplicates=3, empty=2)


PROBLEMS = {
    "mixed": mixed,
    "mixed-friction": partial(mixed, friction=0.4),
    "rigid": boxes,
    "deformable": sheets,
    "deformable-smooth": partial(sheets, friction=0.0),
}


def close(a: np.ndarray, b: np.ndarray, part: float) -> None:
    assert np.abs(b).max() > 0.0
    np.testing.assert_allclose(a, b, rtol=0.0, atol=part * np.abs(b).max())


@pytest.mark.parametrize("name", PROBLEMS)
@pytest.mark.parametrize(("outer", "sweeps"), [(1, 1), (1, 4), (7, 1)])
def test_refined_and_standard_iterates_are_those_of_the_listing_and_of_ica(name, outer, sweeps):
    problem = PROBLEMS[name]()
    settings = ica(**NEVER, friction_cone="pyramid", max_outer=outer, max_inner=sweeps)
    refined, standard = solve_rigid_refinement(problem, settings), solve_standard_contact(problem, settings)
    assert refined.outer_iterations == standard.outer_iterations == outer
    assert refined.inner_iterations == standard.inner_iterations == outer * sweeps
    dv, impulse = iterate_listing(problem, outer, sweeps)
    for response in (refined, standard, solve_ica(problem, settings)):
        close(response.dv, dv, 1e-11)
        close(response.impulse, impulse, 1e-11)
    close(refined.dv, standard.dv, 1e-12)
    close(refined.impulse, standard.impulse, 1e-12)


@pytest.mark.parametrize("cone", ["pyramid", "cone"])
@pytest.mark.parametrize("stop", ["residual", "paper"])
@pytest.mark.parametrize("friction", [0.0, 0.3])
def test_both_stop_where_ica_stops(cone, stop, friction):
    problem = mixed(60, friction)
    settings = ica(friction_cone=cone, stop=stop)
    reference = solve_ica(problem, settings)
    assert reference.converged
    for response in (solve_rigid_refinement(problem, settings), solve_standard_contact(problem, settings)):
        assert response.converged and not response.diverged
        assert response.outer_iterations == reference.outer_iterations
        assert response.inner_iterations == reference.inner_iterations
        close(response.dv, reference.dv, 1e-9)


@pytest.mark.parametrize("friction", [0.0, 0.4])
def test_any_choice_of_rigid_nodes_gives_the_same_iterates(friction):
    problem = mixed(30, friction)
    settings = ica(**NEVER, max_outer=4, max_inner=3)
    expected = solve_standard_contact(problem, settings)
    rng = np.random.default_rng(0)
    for rigid in (np.ones(problem.node_count, bool), rng.random(problem.node_count) < 0.5):
        response = solve_rigid_refinement(problem, settings, rigid_nodes=rigid)
        close(response.impulse, expected.impulse, 1e-12)


@pytest.mark.parametrize("friction", [0.0, 0.4])
def test_the_parts_of_the_matrix_against_dense_products(friction):
    problem = mixed(24, friction)
    rigid = find_rigid_nodes(problem)
    J, H = dense_jacobians(problem)
    m = problem.contact_count
    G = np.empty((m, 3, J.shape[1]))
    G[:, 0], G[:, 1:] = J, H.reshape(m, 2, -1)
    D_inv = np.zeros((J.shape[1],) * 2)
    for i, block in enumerate(problem.A.diagonal_blocks()):
        D_inv[3 * i : 3 * i + 3, 3 * i : 3 * i + 3] = np.linalg.inv(block)
    soft = np.repeat(~rigid, 3)
    for chosen, nodes in ((np.ones_like(soft), np.zeros_like(rigid)), (soft, rigid)):
        exact = np.einsum("cai,ij,ebj->ceab", G * chosen, D_inv, G * chosen)
        system = build_contact_system(problem, nodes)
        r = system.blocks.shape[1]
        assert r == (3 if friction else 1)
        B = np.zeros((m, m, r, r))
        B[np.repeat(np.arange(m), np.diff(system.indptr)), system.columns] = system.blocks
        np.testing.assert_allclose(B, exact[:, :, :r, :r], rtol=0, atol=1e-13 * np.abs(exact).max())
        assert len(set(zip(np.repeat(np.arange(m), np.diff(system.indptr)), system.columns, strict=True))) == len(
            system.columns
        )


def test_the_response_of_the_rigid_bodies_stays_up_to_date():
    """v2 = D_22^-1 G_2' p after a sweep (§5.1), although only changes were added."""
    problem = mixed(40, 0.3)
    rigid = find_rigid_nodes(problem)
    prepared = build_local_response(problem)
    system = build_contact_system(problem, rigid, prepared=prepared)
    v2, p = np.zeros((problem.node_count, 3)), np.zeros((problem.contact_count, 3))
    arrays = problem_arrays(problem, prepared)
    change = rigid_refinement_kernels.sweep_rows(arrays, system, False, 3, prepared.bias, v2, p)
    J, H = dense_jacobians(problem)
    f = (J.T @ p[:, 0] + H.T @ p[:, 1:].ravel()).reshape(-1, 3)
    expected = np.einsum("nij,nj->ni", prepared.D_inv, f)
    assert change > 0.0 and rigid.sum() == 4
    close(v2[rigid], expected[rigid], 1e-12)


def test_rigid_nodes_are_found():
    problem = mixed(30)
    rigid = find_rigid_nodes(problem)
    assert np.flatnonzero(rigid).tolist() == [problem.node_count - k for k in (4, 3, 2, 1)]
    assert find_rigid_nodes(boxes()).all() and not find_rigid_nodes(sheets()).any()


def test_a_coupled_pair_is_rigid_and_a_chain_is_not():
    """A = blocks of a pair (0, 1), of a lone node 2 and of a chain 3-4-5."""
    pairs = [(0, 0), (0, 1), (1, 0), (1, 1), (2, 2), (3, 3), (3, 4), (4, 3), (4, 4), (4, 5), (5, 4), (5, 5)]
    data = np.array([(4.0 if i == j else -1.0) * np.eye(3) for i, j in pairs])
    A = BlockMatrix(np.array([0, 2, 4, 5, 7, 10, 12], np.int32), np.array([j for _, j in pairs], np.int32), data)
    problem = replace(sheets(), A=A)
    assert find_rigid_nodes(problem).tolist() == [True, True, True, False, False, False]


@pytest.mark.parametrize("friction", [0.0, 0.3])
def test_converges_to_the_exact_solution(friction):
    problem = mixed(40, friction)
    settings = ica(tolerance=1e-11, relative_tolerance=1e-11, max_outer=50_000)
    refined, standard = solve_rigid_refinement(problem, settings), solve_standard_contact(problem, settings)
    assert refined.converged and standard.converged
    close(refined.dv, standard.dv, 1e-8)
    assert relative_error(problem, refined.dv, solve_full_anticipation(problem, settings).dv) <= 1e-7


def test_a_warm_start_is_used_and_not_changed():
    problem = mixed(40, 0.3)
    first = solve_rigid_refinement(problem, ica())
    warm = WarmStart(first.dv.copy(), first.impulse.copy())
    again = solve_rigid_refinement(problem, ica(), warm)
    assert again.converged and again.outer_iterations == 0 < first.outer_iterations
    np.testing.assert_array_equal(warm.impulse, first.impulse)
    with pytest.raises(InputError, match="warm start"):
        solve_rigid_refinement(problem, ica(), WarmStart(first.dv[1:], first.impulse))


def test_friction_of_a_warm_start_is_dropped_where_there_is_none():
    problem = mixed(20)
    warm = WarmStart(np.zeros((problem.node_count, 3)), np.full((problem.contact_count, 3), 0.1))
    response = solve_rigid_refinement(problem, ica(), warm)
    assert response.converged and not response.impulse[:, 1:].any()


def test_no_contacts_not_a_number_and_wrong_masks():
    problem = mixed(20)
    none = replace(
        problem, jacobian_indptr=np.zeros(1, np.int32), jacobian_nodes=np.zeros(0, np.int32),
        jacobian_blocks=np.zeros((0, 3, 3)), gap=np.zeros(0), free_velocity=np.zeros((0, 3)), friction=np.zeros(0),
    )  # fmt: skip
    response = solve_rigid_refinement(none, ica())
    assert response.converged and not response.dv.any() and response.impulse.shape == (0, 3)
    problem.free_velocity[3, 0] = np.nan
    for solve in (solve_rigid_refinement, solve_standard_contact):
        response = solve(problem, ica())
        assert response.diverged and not response.converged
    with pytest.raises(InputError, match="rigid_nodes must be"):
        solve_rigid_refinement(problem, ica(), rigid_nodes=np.ones(3, bool))


def test_a_matrix_that_is_too_large_is_refused_before_it_is_allocated(monkeypatch):
    problem = mixed(100, 0.3)
    monkeypatch.setattr(contact_system, "LARGEST", 20_000)
    with pytest.raises(InputError, match="use solver 'rigid-refinement'"):
        solve_standard_contact(problem, ica())
    assert solve_rigid_refinement(problem, ica()).converged
