"""Uniqueness of the motion: operations without a bounded derivative, exponents of the acceleration, verdicts."""

from __future__ import annotations

import numpy as np
import pytest

import gauss as g
from gauss.model import smoothness_at
from gauss.uniqueness import Neighbourhood, lipschitz
from gauss.uniqueness.lipschitz import OPEN, UNIQUE, fitted_exponent

ROUNDING = 1e-6  # of exponents fitted at steps that are exact to 1e-7 of themselves or better


def line(force=0.0, **more):
    """A particle of mass 1 on a line with the coordinate r."""
    return g.System("line", "r", mass_matrix=[[1.0]], force=force, **more)


def plane(force=0.0, **more):
    """A particle of mass 1 in the plane."""
    return g.System("plane", "x y", mass_matrix=np.eye(2), force=force, **more)


def symbolic(system, q, v=None):
    """What the expressions show at a state."""
    state = system.state(q, v)
    return smoothness_at(system.model, state.q, state.v, state.t, system.theta())


def only(system, q, v=None):
    """The one irregular operation at a state."""
    (item,) = symbolic(system, q, v).irregular
    return item


# --- exponents ---------------------------------------------------------------------------------------------------


@pytest.mark.sampled(8)
@pytest.mark.parametrize("power", [0.1, 1 / 3, 0.5, 0.9, 0.99])
@pytest.mark.parametrize("seen", [True, False])
def test_the_exponent_of_a_power_is_found_with_and_without_its_expression(power, seen):
    if seen:
        system = line(lambda q: [g.fabs(q.r) ** power])
    else:
        system = line(black_box_force=lambda q, v, t: [abs(q[0]) ** power])
    judged = lipschitz(system, [0.0])
    assert judged.exponent == pytest.approx(power, abs=judged.band + ROUNDING)
    assert judged.band < ROUNDING
    assert judged.verdict == OPEN
    assert judged.worst.kind == "unbounded derivative"
    assert judged.worst.name == "+r"


@pytest.mark.parametrize("mass", [1e-6, 1.0, 1e6])
def test_the_exponent_does_not_depend_on_the_mass(mass):
    system = g.System("m", "r", mass_matrix=[[mass]], force=lambda q: [g.sqrt(q.r)])
    assert lipschitz(system, [0.0]).exponent == pytest.approx(0.5, abs=ROUNDING)


def test_the_exponent_is_found_where_the_singular_place_is_not_the_origin():
    judged = lipschitz(line(lambda q: [g.sqrt(q.r - 3.7)]), [3.7])
    assert judged.exponent == pytest.approx(0.5, abs=max(judged.band, 1e-5))
    assert judged.outside == ("−r",)


def test_an_exponent_in_the_velocity_is_found():
    judged = lipschitz(line(lambda v: [g.sqrt(g.fabs(v.r))]), [0.0])
    assert judged.worst.name == "+velocity of r"
    assert judged.exponent == pytest.approx(0.5, abs=ROUNDING)


def test_lower_order_terms_are_inside_the_band():
    system = line(black_box_force=lambda q, v, t: [abs(q[0]) ** 0.5 + 3.0 * q[0]])
    judged = lipschitz(system, [0.0])
    assert abs(judged.exponent - 0.5) > 1e-6  # they do matter
    assert abs(judged.exponent - 0.5) <= judged.band < 0.01


def test_a_logarithm_is_just_not_lipschitz():
    system = line(lambda q: [g.where(g.less(0, q.r), q.r * g.log(g.fmax(q.r, 1e-300)), 0.0)])
    judged = lipschitz(system, [0.0])
    assert judged.verdict == OPEN
    assert 0.9 < judged.exponent < 1.0 - judged.band


def test_the_fit_keeps_its_95_percent():
    rng, inside, count = np.random.default_rng(1), 0, 400
    h = 10.0 ** -np.arange(2.0, 9.25, 0.5)
    for _ in range(count):
        p = rng.uniform(0.1, 2.0)
        exponent, band = fitted_exponent(h, h**p * np.exp(0.05 * rng.normal(size=h.size)))
        inside += abs(exponent - p) <= band
    assert inside / count > 0.95 - 3.0 * np.sqrt(0.95 * 0.05 / count)


def test_the_fit_says_when_nothing_changes_and_when_it_does_not_know():
    h = 10.0 ** -np.arange(2.0, 9.25, 0.5)
    assert fitted_exponent(h, 0.0 * h) == (np.inf, 0.0)
    assert fitted_exponent(h, np.where(h > 1e-3, h**4, 0.0)) == (np.inf, 0.0)
    exponent, band = fitted_exponent(h, np.where(h > 1e-3, h, np.nan))
    assert np.isnan(exponent)
    assert band == np.inf


# --- operations in the expressions ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("force", "place", "operation", "argument", "kind", "order"),
    [
        (lambda q: [g.sqrt(q.r)], 0.0, "sqrt", "r", "unbounded derivative", 0.5),
        (lambda q: [g.fabs(q.r) ** 0.3], None, "pow", None, "unbounded derivative", 0.3),
        (lambda q: [g.sqrt(2 - q.r)], 2.0, "sqrt", "2-r", "unbounded derivative", 0.5),
        (lambda q: [g.asin(q.r)], 1.0, "asin", "r", "unbounded derivative", 0.5),
        (lambda q: [g.acos(q.r)], -1.0, "acos", "r", "unbounded derivative", 0.5),
        (lambda q: [g.acosh(q.r)], 1.0, "acosh", "r", "unbounded derivative", 0.5),
        (lambda q: [g.fabs(q.r)], 0.0, "fabs", "r", "kink", 1.0),
        (lambda q: [g.fmax(q.r, 0.0)], 0.0, "fmax", "r, 0", "kink", 1.0),
        (lambda q: [g.fmin(q.r, 1.0)], 1.0, "fmin", "r, 1", "kink", 1.0),
        (lambda q: [g.hypot(q.r, 2 * q.r)], 0.0, "hypot", None, "kink", 1.0),
        (lambda q: [g.sqrt(q.r**2)], None, "fabs", "r", "kink", 1.0),
        (lambda q: [g.sqrt(q.r**2 + q.r**4)], 0.0, "sqrt", None, "kink", 1.0),
        (lambda q: [g.sqrt(1 - g.cos(q.r) ** 2)], 0.0, "sqrt", None, "kink", 1.0),
        (lambda q: [g.sign(q.r)], 0.0, "sign", "r", "jump", 0.0),
        (lambda q: [g.where(q.r > 1, 2.0, 1.0)], 1.0, "where", None, "jump", 0.0),
        (lambda q: [g.atan2(q.r, -1.0)], 0.0, "atan2", "r, -1", "jump", 0.0),
    ],
)
def test_an_operation_is_named_with_its_argument_its_kind_and_its_order(force, place, operation, argument, kind, order):
    seen = symbolic(line(force), [0.0 if place is None else place])
    item = next(i for i in seen.irregular if i.operation == operation)
    assert item.where == "force of coordinate 'r'"
    assert argument is None or item.argument == argument
    assert item.kind == kind
    assert seen.order == pytest.approx(order)


@pytest.mark.parametrize(
    ("force", "place"),
    [
        (lambda q: [g.sqrt(q.r)], 1e-6),
        (lambda q: [g.sign(q.r) + g.fabs(q.r)], -0.1),
        (lambda q: [g.asin(q.r)], 0.999),
        (lambda q: [g.log(q.r) + 1 / q.r], 0.01),
        (lambda q: [g.where(q.r > 1, g.sqrt(q.r), q.r**2)], 0.0),
        (lambda q: [g.where(q.r > 1, q.r**2, g.sqrt(q.r))], 2.0),
        (lambda q: [g.fmax(q.r, g.sqrt(g.fabs(q.r)))], 2.0),
        (lambda q: [q.r**3 * g.exp(q.r) / (2 + g.sin(q.r))], 0.0),
    ],
)
def test_away_from_the_critical_place_nothing_is_found_and_the_motion_is_unique(force, place):
    judged = lipschitz(line(force), [place], [0.3])
    assert judged.irregular == ()
    assert judged.proved
    assert judged.verdict == UNIQUE


def test_a_state_that_is_critical_but_for_rounding_is_critical():
    system = plane(lambda q: [g.sqrt(g.fabs(q.x)), 0.0])
    assert only_steep(system, [np.cos(np.pi / 2), 1.0])
    assert not only_steep(system, [1e-13, 1.0])


def only_steep(system, q):
    """Whether an operation with an unbounded derivative is found."""
    return symbolic(system, q).steep


@pytest.mark.sampled(8)
@pytest.mark.parametrize(
    ("force", "order"),
    [
        (lambda q: [g.fabs(q.x) * q.x, 0.0], 2.0),
        (lambda q: [g.sqrt(g.fabs(q.x)) * q.y, 0.0], 1.5),
        (lambda q: [g.sign(q.x) * g.sqrt(g.fabs(q.x)), 0.0], 0.5),
        (lambda q: [g.sign(q.x) * q.x * g.cos(q.y), 0.0], 1.0),
        (lambda q: [g.sqrt(g.fabs(q.x)) + q.y**2, 0.0], 0.5),
        (lambda q: [g.fabs(q.x) ** 1.5, g.fabs(q.x * q.y) ** 0.75], 1.5),
        (lambda q: [g.sqrt(g.sqrt(g.fabs(q.x))), 0.0], 0.25),
        (lambda q: [(1 + g.sqrt(g.fabs(q.x))) * (2 + q.y), 0.0], 0.5),
        (lambda q: [0.0 * g.sqrt(g.fabs(q.x)), q.y], 1.0),
    ],
)
def test_orders_of_products_and_sums_are_those_of_difference_quotients(force, order):
    system = plane(force)
    assert symbolic(system, [0.0, 0.0]).order == pytest.approx(order)
    if order < 1.0:
        assert lipschitz(system, [0.0, 0.0]).exponent == pytest.approx(order, abs=2e-3)


@pytest.mark.long
def test_the_mass_matrix_and_the_rows_are_searched_too():
    heavy = g.System("m", "x y", mass_matrix=lambda q: [[1 + g.sqrt(q.y), 0.0], [0.0, 1.0]], force=[1.0, 0.0])
    item = only(heavy, [0.0, 0.0])
    assert (item.where, item.operation, item.argument) == ("mass matrix entry [x, x]", "sqrt", "y")
    rolling = plane(constraints=[g.Pfaffian("wheel", lambda q: [1.0, g.sqrt(q.x)])])
    assert {i.where for i in symbolic(rolling, [0.0, 0.0], [0.0, 0.0]).irregular} == {"constraint 'wheel'"}
    assert lipschitz(heavy, [0.0, 0.0]).exponent == pytest.approx(0.5, abs=1e-3)


def test_time_parameters_and_controls_need_not_be_smooth():
    system = g.System(
        "m",
        "r",
        mass_matrix=[[1.0]],
        force=lambda q, t, p, u: [g.sqrt(t) + g.fabs(p.a) + g.sign(u.push) - q.r],
        parameters={"a": 0.0},
        controls="push",
    )
    judged = lipschitz(system, [0.0], [1.0])
    assert judged.irregular == ()
    assert judged.proved


def test_what_has_no_value_is_an_error_that_names_the_operation():
    with pytest.raises(g.errors.InputError, match=r"log\(r\), not finite.*gauss.where"):
        lipschitz(line(lambda q: [g.log(q.r)]), [0.0])
    with pytest.raises(g.errors.InputError, match=r"x / y"):
        lipschitz(plane(lambda q: [q.x / q.y, 0.0]), [0.0, 0.0])
    with pytest.raises(g.errors.InputError, match="not finite"):
        lipschitz(line(lambda q: [g.exp(q.r) - g.exp(q.r + 1e-9)]), [800.0])


def test_shared_parts_of_an_expression_are_written_out():
    def force(q):
        inner = 1 + g.sin(q.r)
        return [g.sqrt(inner * inner - inner)]

    assert "@" not in only(line(force), [0.0]).argument


# --- verdicts ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("sign", [-1.0, 1.0])
def test_a_force_that_is_not_lipschitz_is_not_guaranteed_whichever_way_it_points(sign):
    system = line(lambda q: [sign * g.sign(q.r) * g.sqrt(g.fabs(q.r))])
    judged = lipschitz(system, [0.0])
    assert judged.equilibrium
    assert judged.verdict == OPEN
    assert not judged.unique
    assert "does not show that there is a second motion" in judged.sentence


def test_kinks_leave_the_motion_unique():
    judged = lipschitz(plane(lambda q: [g.fabs(q.x), g.fmax(q.x, q.y)]), [0.0, 0.0], [1.0, 1.0])
    assert judged.verdict == UNIQUE
    assert judged.proved
    assert {item.kind for item in judged.irregular} == {"kink"}


def test_a_jump_is_told_from_an_unbounded_derivative():
    judged = lipschitz(line(lambda v: [-g.sign(v.r)]), [0.0])
    assert judged.verdict == OPEN
    assert judged.worst.kind == "jump"
    assert "jump" in judged.sentence


@pytest.mark.long
@pytest.mark.parametrize(
    "force", [lambda q, v, t: [np.sin(q[0]) + 3.0], lambda q, v, t: [abs(v[0])], lambda q, v, t: [7.0]]
)
def test_a_lipschitz_black_box_force_is_unique_as_far_as_directions_show(force):
    judged = lipschitz(line(black_box_force=force), [0.0])
    assert judged.verdict == UNIQUE
    assert not judged.proved
    assert "directions show" in judged.sentence


def test_pieces_that_fit_are_lipschitz_though_each_comparison_jumps():
    judged = lipschitz(line(lambda q: [g.where(q.r > 0, 1 + q.r, 1 - 2 * q.r)]), [0.0])
    assert judged.order == 0.0
    assert judged.exponent == pytest.approx(1.0, abs=1e-5)
    assert judged.verdict == UNIQUE


def test_a_weak_root_under_a_strong_smooth_force_is_not_called_unique():
    system = line(lambda q: [q.r + 1e-9 * g.sqrt(q.r)])  # r = c t⁴ leaves, but no difference quotient shows it
    judged = lipschitz(system, [0.0])
    assert judged.worst.lipschitz
    assert judged.verdict == OPEN


@pytest.mark.long
def test_at_rest_the_quotient_from_the_state_decides_and_in_motion_its_neighbours_do():
    system = plane(lambda q: [g.sqrt(g.fabs(q.x)) * q.y, 0.0])
    resting = lipschitz(system, [0.0, 0.0])
    assert resting.proved
    assert resting.verdict == UNIQUE
    moving = lipschitz(system, [0.0, 0.0], [0.0, 1.0])
    assert moving.verdict == OPEN
    assert moving.exponent == pytest.approx(0.5, abs=0.01)


@pytest.mark.long
def test_only_directions_that_the_constraints_leave_count():
    free = {"black_box_force": lambda q, v, t: [abs(q[1]) ** 0.5, 0.0]}
    held = plane(**free, constraints=[g.Holonomic("rail", lambda q: q.y)])
    assert lipschitz(plane(**free), [0.0, 0.0]).verdict == OPEN
    assert lipschitz(held, [0.0, 0.0]).verdict == UNIQUE


def test_displaced_states_lie_on_the_constraints_in_position_and_velocity():
    system = g.System(
        "bead on a circle that drags a skate",
        "x y s",
        mass_matrix=np.diag([1.0, 2.0, 3.0]),
        constraints=[
            g.Holonomic("circle", lambda q: q.x**2 + q.y**2 - 1),
            g.Nonholonomic("skate", lambda q, v: v.s - q.x * v.x**2 - v.y),
        ],
    )
    near = Neighbourhood(system, system.state([0.6, 0.8, 0.0], [0.8, -0.6, 0.6 * 0.64 - 0.6]))
    for h in (1e-1, 1e-3):
        state = near.moved(h * np.array([1.0, 1.0, 2.0]), h * np.array([-1.0, 2.0, 1.0]))
        phi, psi = system.model.residuals(state.q, state.v, state.t, system.theta())
        assert np.max(np.abs(np.concatenate([phi, psi]))) < 1e-14
        assert np.linalg.norm(state.q - near.state.q) > h


@pytest.mark.long
def test_a_contact_that_presses_is_kept_closed():
    table = plane(
        black_box_force=lambda q, v, t: [np.nan if abs(q[1]) > 1e-15 else abs(q[0]) ** 0.5, -9.81],
        constraints=[g.Unilateral("table", lambda q: q.y)],
    )
    assert lipschitz(table, [0.0, 0.0]).exponent == pytest.approx(0.5, abs=1e-3)


def test_a_rank_deficient_position_is_refused():
    with pytest.raises(g.errors.SingularPositionError, match="at regular positions only"):
        lipschitz(plane(constraints=[g.Holonomic("cross", lambda q: q.x * q.y)]), [0.0, 0.0])
