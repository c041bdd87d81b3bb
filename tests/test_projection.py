"""`consistent` gives the nearest state on the constraints, keeps what is held, and says so when there is none."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.optimize import minimize

import gauss as g
from gauss.scenario import load

EPS = float(np.finfo(float).eps)


def rounding(scale, cond=1.0):
    """A hundred rounding errors of numbers of size `scale`, amplified by the condition number."""
    return 100.0 * EPS * cond * scale


def body(coordinates, masses, constraints, **options):
    """Independent masses on the coordinates."""
    return g.System(
        "body",
        coordinates,
        kinetic_energy=lambda v: 0.5 * sum(m * speed**2 for m, speed in zip(masses, v, strict=True)),
        constraints=constraints,
        **options,
    )


def unit_sphere(masses=(1.0, 1.0, 1.0)):
    return body("x y z", masses, [g.Holonomic("sphere", lambda q: q.x**2 + q.y**2 + q.z**2 - 1.0)])


def residuals(system, state):
    return system.model.residuals(state.q, state.v, state.t, system.theta())


# --- on the constraints -----------------------------------------------------------------------------------------


def test_state_on_the_constraints_stays_where_it_is():
    q, v = [0.6, 0.0, 0.8], [0.8, 0.3, -0.6]
    state = g.consistent(unit_sphere(), q, v, 2.0)
    assert state.q == pytest.approx(q, abs=rounding(1.0))
    assert state.v == pytest.approx(v, abs=rounding(1.0))
    assert state.t == 2.0


@pytest.mark.sampled(4)
@pytest.mark.parametrize("seed", range(8))
def test_projected_state_satisfies_the_constraints_to_rounding(seed):
    rng = np.random.default_rng(seed)
    system = body(
        "x y z s",
        rng.uniform(0.1, 10.0, 4),
        [
            g.Holonomic("sphere", lambda q, t: q.x**2 + q.y**2 + q.z**2 - (1 + t) ** 2),
            g.Holonomic("saddle", lambda q: q.s - q.x * q.y),
            g.Pfaffian("skate", lambda q: [g.sin(q.s), -g.cos(q.s), 0.3, 0.0], offset=lambda t: t),
        ],
    )
    q, v, t = rng.normal(size=4) * 2, rng.normal(size=4), rng.uniform(0, 1)
    state = g.consistent(system, q, v, t)
    phi, psi = residuals(system, state)
    assert np.max(np.abs(phi)) <= rounding((1 + t) ** 2)
    assert np.max(np.abs(psi)) <= rounding(np.max(np.abs(state.v)) * np.max(np.abs(state.q)), 4)
    assert g.simulate(system, state.q, state.v, t=state.t, t_end=t + 0.01).ending.kind == "finished"


def test_state_may_be_given_by_name():
    system = unit_sphere()
    state = g.consistent(system, {"x": 2.0, "y": 0.0, "z": 0.0}, {"y": 1.0, "x": 5.0})
    assert state.q == pytest.approx([1.0, 0.0, 0.0], abs=rounding(1.0))
    assert state.v == pytest.approx([0.0, 1.0, 0.0], abs=rounding(5.0))


def test_moving_constraint_gives_its_velocity():
    """A rod that grows at 1 m/s: at rest nothing is consistent, the velocity is radial."""
    system = body("x y", [1.0, 1.0], [g.Holonomic("rod", lambda q, t: g.hypot(q.x, q.y) - (1 + t))])
    state = g.consistent(system, [3.0, 4.0], None, 1.0)
    assert state.q == pytest.approx([1.2, 1.6], abs=rounding(2.0))
    assert state.v == pytest.approx([0.6, 0.8], abs=rounding(1.0))


# --- nearest ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(5))
def test_projection_onto_planes_is_orthogonal_in_the_mass_metric(seed):
    """Karush-Kuhn-Tucker: M(q − q0) and M(v − v0) lie in the row space, with a full mass matrix."""
    rng = np.random.default_rng(seed)
    root, A, b, c = rng.normal(size=(5, 5)), rng.normal(size=(2, 5)), rng.normal(size=2), rng.normal(size=2)
    M = root @ root.T + np.eye(5)
    planes = g.Holonomic(
        "planes",
        lambda q, t: [
            float(b[k]) + float(c[k]) * t + sum(float(a) * x for a, x in zip(A[k], q, strict=True)) for k in range(2)
        ],
    )
    system = g.System("planes", "a b c d e", mass_matrix=M.tolist(), force=[0.0] * 5, constraints=[planes])
    q0, v0, t = rng.normal(size=5), rng.normal(size=5), 0.7
    state = g.consistent(system, q0, v0, t)
    cond = np.linalg.cond(M) * np.linalg.cond(A)
    for found, start, right in ((state.q, q0, -b - c * t), (state.v, v0, -c)):
        X = np.linalg.solve(M, A.T)
        nearest = start + X @ np.linalg.solve(A @ X, right - A @ start)
        assert A @ found == pytest.approx(right, abs=rounding(10.0))
        assert found == pytest.approx(nearest, abs=rounding(np.max(np.abs(nearest)) + 1.0, cond))
        pull = M @ (found - start)
        off_rows = pull - A.T @ np.linalg.lstsq(A.T, pull, rcond=None)[0]
        assert np.max(np.abs(off_rows)) <= rounding(np.max(np.abs(pull)), cond)


def off_gradient(pull, point):
    """Sine of the angle between a force and the gradient of x²/4 + y² at a point."""
    normal = np.array([point[0] / 2, 2 * point[1]])
    across = pull[0] * normal[1] - pull[1] * normal[0]
    return abs(across) / (np.linalg.norm(pull) * np.linalg.norm(normal))


@pytest.mark.sampled(5)
@pytest.mark.parametrize("masses", [(1.0, 1.0), (1.0, 4.0), (4.0, 1.0), (1.0, 100.0)])
@pytest.mark.parametrize("start", [(1.5, 1.2), (2.5, 0.4), (-0.7, 1.9), (1.0, 0.5)])
def test_projection_onto_an_ellipse_is_the_nearest_point_in_the_mass_metric(masses, start):
    """The objective is that of SciPy's SLSQP, whose constraint residual may be the square root of its ftol 1e-15; the
    Karush-Kuhn-Tucker conditions hold to rounding, which the ratio of the masses and the curvature amplify."""
    system = body("x y", masses, [g.Holonomic("ellipse", lambda q: q.x**2 / 4 + q.y**2 - 1.0)])
    state = g.consistent(system, start)
    M, q0 = np.diag(masses), np.array(start)
    witness = minimize(
        lambda q: 0.5 * (q - q0) @ M @ (q - q0),
        state.q,
        jac=lambda q: M @ (q - q0),
        constraints={
            "type": "eq",
            "fun": lambda q: q[0] ** 2 / 4 + q[1] ** 2 - 1.0,
            "jac": lambda q: np.array([q[0] / 2, 2 * q[1]]),
        },
        method="SLSQP",
        options={"ftol": 1e-15, "maxiter": 1000},
    )
    assert state.q[0] ** 2 / 4 + state.q[1] ** 2 == pytest.approx(1.0, abs=rounding(1.0))
    assert 0.5 * (state.q - q0) @ M @ (state.q - q0) == pytest.approx(witness.fun, rel=1e-7)
    assert off_gradient(M @ (state.q - q0), state.q) <= rounding(1.0, 100 * max(masses) / min(masses))


@pytest.mark.parametrize("count", [1, 2, 3, 25])
@pytest.mark.parametrize("start", [(0.5, 0.01), (1.0, 0.05), (2.0, 0.02)])
def test_rows_that_say_the_same_leave_the_nearest_point_where_it_is(start, count):
    """Newton's least changes lead to the end of the long axis, which is far. The nearest point solves its condition of
    order 1, q = (a² x₀/(a² + μ), y₀/(1 + μ)) with μ > −1 on the ellipse, by bisection. SciPy's SLSQP refuses more rows
    than variables, and with far more of them it writes beyond its memory."""
    rows = [g.Holonomic(f"ellipse {k}", lambda q, k=k: (k + 1) * (q.x**2 / 16 + q.y**2 - 1.0)) for k in range(count)]
    low, high = -1.0, 1.0
    for _ in range(200):
        mu = 0.5 * (low + high)
        outside = (4 * start[0] / (16 + mu)) ** 2 + (start[1] / (1 + mu)) ** 2 > 1.0
        low, high = (mu, high) if outside else (low, mu)
    nearest = [16 * start[0] / (16 + mu), start[1] / (1 + mu)]
    assert g.consistent(body("x y", (1.0, 1.0), rows), start).q == pytest.approx(nearest, rel=1e-11)


def test_velocity_on_a_nonlinear_constraint_is_the_nearest_one():
    """Velocities on the ellipse ẋ²/4 + ẏ² = 1: M(v − v0) is along the gradient."""
    masses = np.array([1.0, 3.0])
    system = body("x y", masses, [g.Nonholonomic("speed", lambda v: v.x**2 / 4 + v.y**2 - 1.0)])
    v0 = np.array([2.5, 0.4])
    state = g.consistent(system, [0.0, 0.0], v0)
    assert state.v[0] ** 2 / 4 + state.v[1] ** 2 == pytest.approx(1.0, abs=rounding(1.0))
    assert off_gradient(masses * (state.v - v0), state.v) <= rounding(1.0, 300)


def test_nearest_point_of_a_sphere_is_radial_for_equal_masses():
    q0 = np.array([1.0, 2.0, -2.0])
    state = g.consistent(unit_sphere(), q0)
    assert state.q == pytest.approx(q0 / 3.0, abs=rounding(1.0))


def test_heavy_coordinates_move_less():
    """Sum rule x + y = 1 from 0, 0: corrections are shared in the inverse ratio of the masses."""
    system = body("x y", (1.0, 9.0), [g.Holonomic("sum", lambda q: q.x + q.y - 1.0)])
    state = g.consistent(system, [0.0, 0.0])
    assert state.q == pytest.approx([0.9, 0.1], abs=rounding(1.0))


@pytest.mark.parametrize("unit", [1e-9, 1e-3, 1e6])
def test_unit_of_length_does_not_matter(unit):
    system = body("x y", (1.0, 1.0), [g.Holonomic("circle", lambda q: q.x**2 + q.y**2 - unit**2)])
    state = g.consistent(system, [3 * unit, 4 * unit], [unit, 0.0])
    assert state.q == pytest.approx([0.6 * unit, 0.8 * unit], rel=rounding(1.0))
    assert state.v == pytest.approx([0.64 * unit, -0.48 * unit], rel=rounding(1.0, 10))


def test_massless_coordinates_follow_at_no_cost():
    """Only x has mass, and x + y = 2z: z moves, the others stay."""
    system = g.System(
        "massless",
        "x y z",
        mass_matrix=[[1.0, 0, 0], [0, 1.0, 0], [0, 0, 0]],
        force=[0.0, 0.0, 0.0],
        constraints=[g.Holonomic("middle", lambda q: q.x + q.y - 2 * q.z)],
    )
    state = g.consistent(system, [1.0, 2.0, 7.0], [1.0, 0.0, 0.0])
    assert state.q == pytest.approx([1.0, 2.0, 1.5], abs=rounding(7.0))
    assert state.v == pytest.approx([1.0, 0.0, 0.5], abs=rounding(1.0))


def test_dependent_rows_are_no_obstacle():
    """The same circle twice: the rows are dependent, the nearest point is not in doubt."""
    rows = [
        g.Holonomic("one", lambda q: q.x**2 + q.y**2 - 1.0),
        g.Holonomic("two", lambda q: 3.0 * (q.x**2 + q.y**2 - 1.0)),
    ]
    state = g.consistent(body("x y", (1.0, 1.0), rows), [3.0, 4.0], [1.0, 0.0])
    assert state.q == pytest.approx([0.6, 0.8], abs=rounding(1.0))
    assert state.v == pytest.approx([0.64, -0.48], abs=rounding(1.0))


# --- holding ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("hold", ["x y", "x, y", ["x", "y"], ("y", "x")])
def test_held_coordinates_keep_their_values_exactly(hold):
    state = g.consistent(unit_sphere(), [0.36, 0.48, 0.5], hold=hold)
    assert state.q[0] == 0.36
    assert state.q[1] == 0.48
    assert state.q[2] == pytest.approx(0.8, abs=rounding(1.0))


def test_held_velocities_keep_their_values_exactly():
    state = g.consistent(unit_sphere(), [0.6, 0.0, 0.8], [1.2, 0.7, 5.0], hold_velocities="x y")
    assert state.v[0] == 1.2
    assert state.v[1] == 0.7
    assert state.v[2] == pytest.approx(-0.9, abs=rounding(1.0))


def test_holding_positions_does_not_hold_velocities():
    state = g.consistent(unit_sphere(), [0.6, 0.0, 0.8], [1.0, 0.0, 0.0], hold="x y z")
    assert np.array_equal(state.q, [0.6, 0.0, 0.8])
    assert state.v == pytest.approx([0.64, 0.0, -0.48], abs=rounding(1.0))


def test_nearest_with_a_coordinate_held_is_nearest_in_the_others():
    """x held at 0.6: the rest is the circle of radius 0.8, reached radially."""
    state = g.consistent(unit_sphere(), [0.6, 3.0, 4.0], hold="x")
    assert state.q == pytest.approx([0.6, 0.48, 0.64], abs=rounding(1.0))


# --- impossible -------------------------------------------------------------------------------------------------


def test_held_coordinates_that_leave_no_solution_are_an_error_with_residuals():
    with pytest.raises(
        g.errors.InconsistentStateError, match="no position on the constraints was found with x held"
    ) as caught:
        g.consistent(unit_sphere(), [3.0, 0.4, 0.5], hold="x")
    assert set(caught.value.residuals) == {"sphere"}
    assert caught.value.residuals["sphere"] >= 8.0 - rounding(9.0)  # x² − 1 at best
    with pytest.raises(g.errors.InconsistentStateError, match="x, y, z held"):
        g.consistent(unit_sphere(), [0.3, 0.4, 0.5], hold="x y z")


def test_held_velocities_that_leave_no_solution_are_an_error():
    with pytest.raises(g.errors.InconsistentStateError, match="no velocity on the constraints was found with x held"):
        g.consistent(unit_sphere(), [1.0, 0.0, 0.0], [1.0, 0.0, 0.0], hold_velocities="x")


def test_contradictory_constraints_are_an_error():
    rows = [g.Holonomic("one", lambda q: q.x - 1.0), g.Holonomic("two", lambda q: q.x - 2.0)]
    with pytest.raises(g.errors.InconsistentStateError, match=r"'one' = .*'two' = "):
        g.consistent(body("x y", (1.0, 1.0), rows), [0.0, 0.0])
    empty = body("x y", (1.0, 1.0), [g.Holonomic("empty", lambda q: q.x**2 + q.y**2 + 1.0)])
    with pytest.raises(g.errors.InconsistentStateError, match="'empty'"):
        g.consistent(empty, [1.0, 0.5])


def test_start_where_no_direction_helps_is_an_error():
    with pytest.raises(g.errors.InconsistentStateError, match="Start nearer"):
        g.consistent(unit_sphere(), [0.0, 0.0, 0.0])


def test_model_that_is_not_finite_there_is_an_error_of_this_package():
    system = body("x y", (1.0, 1.0), [g.Holonomic("root", lambda q: g.sqrt(q.x) - q.y)])
    with pytest.raises(g.errors.GaussError):
        g.consistent(system, [-1.0, 0.0])


@pytest.mark.parametrize("option", ["hold", "hold_velocities"])
def test_unknown_names_are_refused(option):
    with pytest.raises(g.errors.InputError, match=rf"{option} names \['w'\]; the coordinates are x, y, z"):
        g.consistent(unit_sphere(), [1.0, 0.0, 0.0], **{option: "x w"})


def test_wrong_shapes_and_names_of_the_state_are_refused():
    with pytest.raises(g.errors.InputError, match="q has shape"):
        g.consistent(unit_sphere(), [1.0, 0.0])
    with pytest.raises(g.errors.InputError, match="v names"):
        g.consistent(unit_sphere(), [1.0, 0.0, 0.0], {"w": 1.0})
    with pytest.raises(g.errors.InputError, match="q must be finite"):
        g.consistent(unit_sphere(), [1.0, math.nan, 0.0])


# --- unilateral rows --------------------------------------------------------------------------------------------


def box():
    return body("x y", (1.0, 1.0), [g.Unilateral("floor", lambda q: q.y), g.Unilateral("wall", lambda q: 1.0 - q.x)])


def test_open_contacts_change_nothing():
    state = g.consistent(box(), [0.5, 1.0], [3.0, -2.0])
    assert np.array_equal(state.q, [0.5, 1.0])
    assert np.array_equal(state.v, [3.0, -2.0])


def test_penetration_is_pushed_out_to_the_surface():
    state = g.consistent(box(), [2.0, -0.5], [1.0, -1.0])
    assert state.q == pytest.approx([1.0, 0.0], abs=rounding(1.0))
    assert state.v == pytest.approx([0.0, 0.0], abs=rounding(1.0))  # not into the surfaces
    assert g.simulate(box(), state.q, state.v, t_end=0.1).ending.kind == "finished"


def test_leaving_contacts_keep_their_velocity():
    state = g.consistent(box(), [0.5, 0.0], [1.0, 2.0])
    assert state.v == pytest.approx([1.0, 2.0], abs=rounding(2.0))


def test_penetration_that_is_held_is_an_error():
    with pytest.raises(g.errors.InconsistentStateError, match="'wall'"):
        g.consistent(box(), [2.0, 0.5], hold="x")


def test_contact_that_the_other_constraints_open_is_left_alone():
    """The circle lifts the point out of the floor, so the floor must not hold it at y = 0."""
    system = body(
        "x y",
        (1.0, 1.0),
        [
            g.Holonomic("circle", lambda q: q.x**2 + (q.y - 2.0) ** 2 - 1.0),
            g.Unilateral("floor", lambda q: q.y - 0.5),
        ],
    )
    state = g.consistent(system, [0.6, 0.4])
    radial = np.array([0.6, -1.6]) / math.hypot(0.6, 1.6)
    assert state.q == pytest.approx(np.array([0.0, 2.0]) + radial, abs=rounding(2.0, 100))


@pytest.mark.long
def test_projection_beside_a_contact_is_admissible_and_satisfies_the_conditions_of_the_nearest_point():
    scenario = load("regular_uniqueness")  # a double pendulum above a floor, masses 0.8 and 1.5 kg
    rng, masses, on_floor = np.random.default_rng(0), np.array([0.8, 0.8, 1.5, 1.5]), 0
    for _ in range(80):
        asked = scenario.start.q + 0.5 * rng.standard_normal(4)
        x1, y1, x2, y2 = found = g.consistent(scenario.system, asked).q
        floor = y2 + 1.6
        assert floor >= -1e-10
        J = np.array(
            [[2 * x1, 2 * y1, 0, 0], [2 * (x1 - x2), 2 * (y1 - y2), 2 * (x2 - x1), 2 * (y2 - y1)], [0, 0, 0, 1]]
        )
        J = J if floor < 1e-9 else J[:2]
        change = masses * (found - asked)
        multipliers = np.linalg.lstsq(J.T, change)[0]
        # Newton stops at corrections of 1e-14; the rows have a condition below 1e4 at these states
        np.testing.assert_allclose(J.T @ multipliers, change, atol=1e-9)
        assert len(J) == 2 or multipliers[2] >= -1e-9
        on_floor += len(J) == 3
    assert 10 < on_floor < 70  # both kinds are there


def flat_parallelogram():
    """Bars 1 and 2 m; flat, b (2a + b) = 0 is what is left of its rows: b = 0 (parallel) or b = −2a (crossed)."""
    return g.System(
        "parallelogram",
        coordinates="a b c",
        kinetic_energy=lambda v: 0.5 * (v.a**2 + v.b**2 + v.c**2),
        constraints=[
            g.Holonomic("across", lambda q: g.cos(q.a) + 2 * g.cos(q.b) - g.cos(q.c) - 2),
            g.Holonomic("up", lambda q: g.sin(q.a) + 2 * g.sin(q.b) - g.sin(q.c)),
        ],
    )


@pytest.mark.parametrize(
    ("given", "nearest"),
    [([1.0, 0.5, 0.0], [0.5, 0.0, 0.5]), ([1.0, -1.5, -3.0], [13 / 14, -13 / 7, -39 / 14]), ([1, 0, 1], [1, 0, 1])],
)
def test_at_a_change_point_the_velocity_is_one_that_a_motion_can_have(given, nearest):
    """The foot on the nearer of the lines (1, 0, 1) and (1, −2, −3)."""
    system = flat_parallelogram()
    state = g.consistent(system, [0, 0, 0], given)
    assert state.v == pytest.approx(nearest, abs=1e-12)
    assert "velocity not admissible" not in g.classify(system, state.q, state.v).verdicts
    if list(given) != nearest:
        with pytest.raises(g.errors.InconsistentStateError, match="nearest admissible velocity"):
            g.simulate(system, [0, 0, 0], [given[0], given[1], 5.0], t_end=0.1)


def test_velocities_held_at_a_change_point_are_kept_or_refused():
    system = flat_parallelogram()
    assert g.consistent(system, [0, 0, 0], [1.0, 0, 0], hold_velocities="a").v == pytest.approx([1, 0, 1], abs=1e-12)
    assert g.consistent(system, [0, 0, 0], [0, 1.0, 0], hold_velocities="b").v == pytest.approx([-0.5, 1, 1.5])
    with pytest.raises(g.errors.InconsistentStateError, match=r"no such velocity was found with a, b held"):
        g.consistent(system, [0, 0, 0], [1.0, 1.0, 0], hold_velocities="a b")
