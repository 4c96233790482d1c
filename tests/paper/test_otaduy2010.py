"""Otaduy2010: the cost of rigid response refinement is linear in the contacts, and the answer is that of the standard solver.

Costs are counted here, in blocks that a build or a sweep visits; `signorini reproduce otaduy2010` measures times (Figs. 4, 6).
"""

from __future__ import annotations

import numpy as np
import pytest

from reference.measures import relative_error
from reference.soft_between_boxes import soft_between_boxes
from signorini.contact.mlcp import Mlcp
from signorini.settings import SolverSettings
from signorini.solvers.contact_system import build_contact_system
from signorini.solvers.full_anticipation import solve_full_anticipation
from signorini.solvers.rigid_refinement import (
    find_rigid_nodes,
    solve_rigid_refinement,
    solve_standard_contact,
)

SIZES = (250, 500, 1000, 2000)
TIGHT = SolverSettings(name="ica", tolerance=1e-10, relative_tolerance=1e-10, max_outer=100_000)


def pressed(contacts: int, friction: float = 0.0) -> Mlcp:
    return soft_between_boxes(np.random.default_rng(0), contacts=contacts, friction=friction)


def visited_blocks(problem: Mlcp, *, refined: bool) -> int:
    """Blocks that one sweep reads: those of the assembled part, and the Jacobian blocks of the rigid nodes."""
    rigid = find_rigid_nodes(problem) & refined
    system = build_contact_system(problem, rigid)
    return len(system.columns) + len(system.rigid_entries)


def exponent(counts: list[int]) -> float:
    return float(np.polyfit(np.log(SIZES), np.log(counts), 1)[0])


def test_fig_4_the_refined_cost_is_linear_and_the_standard_cost_quadratic():
    refined = [visited_blocks(pressed(size), refined=True) for size in SIZES]
    standard = [visited_blocks(pressed(size), refined=False) for size in SIZES]
    assert exponent(refined) <= 1.1
    assert exponent(standard) >= 1.8
    assert standard[-1] >= 14 * refined[-1]  # "by a factor of up to 14x" (§6)


def touched(problem, nodes):
    """(m,) whether a contact acts on one of the nodes, by which §4 splits the contacts into sets."""
    owner = np.repeat(np.arange(problem.contact_count), np.diff(problem.jacobian_indptr))
    return np.bincount(owner[nodes[problem.jacobian_nodes]], minlength=problem.contact_count) > 0


def test_sec_4_the_rigid_part_is_dense_but_of_low_rank():
    problem = pressed(120)
    rigid = find_rigid_nodes(problem)
    on_rigid, on_deformable = touched(problem, rigid), touched(problem, ~rigid)
    only_rigid, only_deformable = on_rigid & ~on_deformable, on_deformable & ~on_rigid
    assert (on_rigid & on_deformable).sum() == 120 and only_rigid.sum() == 4 and only_deformable.sum() == 4
    m = problem.contact_count
    dense = []
    for nodes in (np.zeros_like(rigid), rigid):
        system = build_contact_system(problem, nodes)
        B = np.zeros((m, m))
        B[np.repeat(np.arange(m), np.diff(system.indptr)), system.columns] = system.blocks[:, 0, 0]
        dense.append(B)
    B, B_s = dense
    B_d = B - B_s
    assert (
        np.linalg.matrix_rank(B_d, tol=1e-10 * np.abs(B_d).max()) <= 12
    )  # six degrees of freedom for each of two bodies
    assert np.linalg.matrix_rank(B_s) > 60
    assert (B_d != 0).mean() > 0.4 and (B_s != 0).mean() < 0.1
    assert not B_s[only_rigid].any() and not B_d[only_deformable].any()


@pytest.mark.parametrize("friction", [0.0, 0.3])
@pytest.mark.parametrize("contacts", [100, 400])
def test_both_give_the_same_answer_at_convergence(contacts, friction):
    problem = pressed(contacts, friction)
    refined, standard = solve_rigid_refinement(problem, TIGHT), solve_standard_contact(problem, TIGHT)
    assert refined.converged and standard.converged
    assert np.abs(refined.dv - standard.dv).max() <= 1e-8 * np.abs(standard.dv).max()
    assert (refined.impulse[:, 0] > 0).sum() > contacts // 4
    if contacts == 100:
        assert relative_error(problem, refined.dv, solve_full_anticipation(problem, TIGHT).dv) <= 1e-6
