"""Rule of a second-order step: exact for parabolas with any lengths, of first order where it must begin again."""

from __future__ import annotations

import numpy as np
import pytest

import signorini as sg
from signorini.dynamics.advance import advance, state_after
from signorini.dynamics.step_rule import LARGEST_RATIO, StepRule, second_order_rule
from signorini.methods.free_motion import free_motion, starting_motion
from signorini.methods.report import Tally
from signorini.model.state import History, State

NO_PAIRS = np.zeros((0, 2), dtype=np.int32)


def state_with(length: float | None) -> State:
    """A state of one node after a step of this length; None: at the start."""
    zero = np.zeros((1, 3))
    return State(zero, zero, 0.0, history=None if length is None else History(zero, zero, length))


@pytest.mark.parametrize("ratio", [0.25, 0.5, 1.0, 2.0])
def test_a_parabola_is_exact_with_steps_of_any_ratio(ratio: float) -> None:
    """q = t²/2, acceleration 1: the velocity at the end is t, whatever the lengths of the last two steps are."""
    before, dt = 1.0, ratio
    rule = second_order_rule(state_with(before), dt)
    q, end = (lambda t: 0.5 * t * t), before + dt
    u, u0 = (q(end) - q(before)) / dt, q(before) / before
    v0 = np.array([[before]])
    assert rule.second_order
    history = History(np.array([[0.0]]), np.array([[u0]]), before)
    np.testing.assert_allclose(rule.end_velocity(np.array([[u]]), rule.carried(history), 0.0), end)
    # (1 + ε) v1 = (1 + ε) start + dt a
    np.testing.assert_allclose(rule.mass * rule.start_velocity(v0, history) + dt, rule.mass * end)


def test_a_jump_is_no_acceleration() -> None:
    """A body that an impact of the last step slowed by 1 goes on with its new velocity: the parabola jumps with it."""
    rule = second_order_rule(state_with(1.0), 1.0)
    last, u = History(np.array([[3.0]]), np.array([[3.0]]), 1.0), np.array([[2.0]])
    np.testing.assert_allclose(rule.end_velocity(u, rule.carried(last), np.array([[-1.0]])), 2.0)
    np.testing.assert_allclose(rule.end_velocity(u, rule.carried(last), 0.0), 1.5)


def three_equal_steps() -> tuple[StepRule, History]:
    """The rule after two steps of length 1 of a motion q = t³/6 that has come to t = 0, and its exact history."""
    earlier = History(np.array([[2.0]]), np.array([[7.0 / 6.0]]), 1.0)
    history = History(np.array([[0.5]]), np.array([[1.0 / 6.0]]), 1.0, earlier)
    zero = np.zeros((1, 3))
    return second_order_rule(State(zero, zero, 0.0, history=history), 1.0), history


def test_after_equal_steps_half_of_the_error_is_left() -> None:
    """A cubic: BDF2 makes the displacement of a step too long by 2/9 of its third derivative, the third difference by 1/10."""
    rule, history = three_equal_steps()
    assert rule.third == pytest.approx(1.0 / 6.0)
    start = rule.start_velocity(np.zeros((1, 1)), history)
    end = start + 1.0 / rule.mass  # acceleration t = 1
    np.testing.assert_allclose(end, 0.5)
    u = (end + rule.carried(history)) / rule.mass
    np.testing.assert_allclose(u - 1.0 / 6.0, 0.1)


def test_a_jump_is_no_acceleration_after_three_steps_either() -> None:
    rule, history = three_equal_steps()
    u, jump = np.array([[2.0]]), np.array([[-1.0]])
    with_jump, without = (rule.end_velocity(x, rule.carried(history), j) for x, j in ((u + jump, jump), (u, 0.0)))
    np.testing.assert_allclose(with_jump - without, jump)


def test_no_vibration_grows_and_slow_ones_are_hardly_damped() -> None:
    """The growth of a vibration in a step, from the zeros of the polynomial of the rule: at most 1 for any frequency."""

    def growth(third: float, angle: float) -> float:
        polynomial = np.array([1.5 + third - 1j * angle, -2.0 - 3.0 * third, 0.5 + 3.0 * third, -third])
        return float(np.abs(np.roots(polynomial)).max())

    third = three_equal_steps()[0].third
    angles = np.geomspace(1e-2, 1e4, 400)
    assert max(growth(third, angle) for angle in angles) <= 1.0 + 1e-12
    assert 1.0 - growth(third, 0.2) < 0.05 * (1.0 - growth(0.0, 0.2))
    assert max(growth(third + 0.02, angle) for angle in angles) > 1.0 + 1e-6
    assert growth(third, 1e4) < 0.1


def test_what_begins_again_is_of_first_order() -> None:
    """At the start, after a fail-safe (no history), where a step is repeated, and after one that is much shorter."""
    assert not second_order_rule(state_with(None), 1.0).second_order
    assert not second_order_rule(state_with(1.0), 1.0, restart=True).second_order
    assert not second_order_rule(state_with(1.0), 1.01 * LARGEST_RATIO).second_order
    assert second_order_rule(state_with(1.0), 2.0).second_order
    assert second_order_rule(state_with(1.0), 1.0 / 64.0).second_order
    assert second_order_rule(state_with(None), 1.0) == StepRule(1.0, remembers=True)


def spring() -> sg.Simulation:
    """A mass on a soft undamped spring that vibrates with 28 rad/s along it."""
    scene = sg.Scene(gravity=(0.0, 0.0, 0.0))
    rod = scene.add_rod(
        [(0.0, 0.0, 0.0), (0.5, 0.0, 0.0)], linear_density=0.2, stretching_stiffness=20.0, bending_rigidity=0.0,
        damping_time=0.0, name="spring",
    )  # fmt: skip
    rod.pin([0])
    sim = sg.Simulation(scene, dt=1e-3, settings=sg.Settings(integrator="bdf2"))
    sim.bodies["spring"].velocities = [(0.0, 0.0, 0.0), (0.5, 0.0, 0.0)]
    return sim


def after(sim: sg.Simulation, lengths: list[float], *, careful: int = -1) -> State:
    """The state after steps of these lengths [s], of which one is careful."""
    world, state, model = sim._world, sim.state, sim._world.model
    for k, dt in enumerate(lengths):
        rule, reference = starting_motion(world, state, dt, careful=k == careful, rotating_frames=True)
        free = free_motion(world, state, None, Tally(), rule, reference, careful=k == careful)
        assert free.rule.second_order == (k > 0 and k != careful)
        u, spin, time = free.velocity, free.system.spin, state.time + dt
        placed = advance(model, state, u, spin, model.kinematic_positions(time), dt)
        taken = free.taken(world, state, NO_PAIRS, np.zeros_like(u), np.zeros_like(u))
        state = state_after(model, state, placed, u, spin, time, taken)
    return state


@pytest.mark.parametrize("pattern", [(1.0,), (1.0, 2.0), (0.5, 0.5, 1.0, 2.0), (1.0, 0.25, 0.5, 1.0, 2.0)])
def test_variable_steps_are_of_second_order(pattern: tuple[float, ...]) -> None:
    """The error after a quarter of a second of a vibration, in steps whose lengths follow a pattern, falls by four."""
    errors = []
    for count in (8, 16):
        lengths = np.tile(pattern, count)
        lengths *= 0.25 / lengths.sum()
        if len(pattern) == 1:
            lengths = np.repeat(lengths / 4.0, 4)
        found = after(spring(), lengths.tolist())
        omega = np.sqrt(40.0 / 0.05)
        errors.append(abs(found.q[1, 0] - 0.5 - 0.5 / omega * np.sin(omega * found.time)))
    assert 1.6 < np.log2(errors[0] / errors[1]) < 2.8


def test_one_step_of_first_order_among_others_keeps_second_order() -> None:
    """A step that is repeated carefully loses accuracy once, of the square of its length."""
    omega, errors = np.sqrt(40.0 / 0.05), []
    for count in (32, 64):
        found = after(spring(), [0.25 / count] * count, careful=count // 2)
        errors.append(abs(found.q[1, 0] - 0.5 - 0.5 / omega * np.sin(omega * found.time)))
    assert 1.6 < np.log2(errors[0] / errors[1]) < 2.8
