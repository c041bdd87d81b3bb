"""Holonomy: Lie algebras of seven vehicles and of textbook rows, against symbolic brackets and closed forms."""

from __future__ import annotations

import numpy as np
import pytest
import sympy as sp

import gauss as g
from gauss.analysis import associated, holonomy
from gauss.analysis.integrals.holonomy import VERDICTS

HOLONOMIC, PARTLY, COMPLETELY, UNDECIDED = VERDICTS
R, L, B, D, E = 0.2, 1.3, 0.5, 2.0, 1.7  # m: wheel, wheelbase, half track, trailer's bar, rear of the fire truck


def vehicle(coordinates, *rows):
    return g.System("vehicle", coordinates, kinetic_energy=lambda v: 0.5 * sum(x**2 for x in v), constraints=rows)


def side(angle, *rest):
    """The row of an axle that does not slip sideways; `angle` and the other coefficients are functions of q."""
    return g.Pfaffian(f"axle {angle.__name__}", lambda q: [g.sin(angle(q)), -g.cos(angle(q)), *(f(q) for f in rest)])


def zero(q):
    return 0.0


def heading(q):
    return q.phi


def steered(q):
    return q.phi + q.theta


def trailer(q):
    return q.psi


def rear(q):
    return q.psi + q.eps


SKATE = vehicle("x y phi", side(heading, zero))
WHEEL = vehicle(
    "x y phi theta", side(heading, zero, zero), g.Pfaffian("roll", lambda q: [g.cos(q.phi), g.sin(q.phi), 0, -R])
)
CAR = vehicle("x y phi theta", side(heading, zero, zero), side(steered, lambda q: -L * g.cos(q.theta), zero))
BALL = vehicle(
    "x y alpha beta gamma",
    g.Pfaffian(
        "rolling",
        lambda q: [
            [1, 0, -R * g.sin(q.gamma) * g.sin(q.beta), -R * g.cos(q.gamma), 0],
            [0, 1, R * g.cos(q.gamma) * g.sin(q.beta), -R * g.sin(q.gamma), 0],
            [0, 0, g.cos(q.beta), 0, 1],
        ],
    ),
)
ROBOT = vehicle(
    "x y phi right left",
    side(heading, zero, zero, zero),
    g.Pfaffian("right wheel", lambda q: [g.cos(q.phi), g.sin(q.phi), B, -R, 0]),
    g.Pfaffian("left wheel", lambda q: [g.cos(q.phi), g.sin(q.phi), -B, 0, -R]),
)
TRAILER = vehicle(
    "x y phi theta psi",
    side(heading, zero, zero, zero),
    side(steered, lambda q: -L * g.cos(q.theta), zero, zero),
    side(trailer, zero, zero, lambda q: D),
)
FIRE_TRUCK = vehicle(
    "x y phi theta psi eps",
    side(heading, zero, zero, zero, zero),
    side(steered, lambda q: -L * g.cos(q.theta), zero, zero, zero),
    side(rear, zero, zero, lambda q: E * g.cos(q.eps), zero),
)
PLACES = np.array([0.1, 0.2, 0.3, 0.7, 0.5, 0.4])


def symbolic_growth(names, columns):
    """The growth vector by SymPy: left-normed brackets of hand-written columns of G at a point, with 40 digits."""
    symbols = sp.symbols(names)
    fields = [sp.Matrix(column(dict(zip(names.split(), symbols, strict=True)))) for column in columns]
    point = {s: sp.Rational(str(x)) for s, x in zip(symbols, PLACES, strict=False)}
    level, growth, everything = list(fields), [], list(fields)
    for _ in range(5):
        matrix = sp.Matrix.hstack(*everything).subs(point).evalf(40)
        sigma = [abs(x) for x in np.linalg.svd(np.array(matrix.tolist(), dtype=float), compute_uv=False)]
        growth.append(sum(x > 1e-10 * sigma[0] for x in sigma))
        if growth[-1] == len(symbols):
            break
        level = [w.jacobian(symbols) * f - f.jacobian(symbols) * w for w in level for f in fields]
        everything += level
    while len(growth) > 1 and growth[-1] == growth[-2]:
        growth.pop()
    return tuple(growth)


r, l, b, d, e = (sp.Rational(str(x)) for x in (R, L, B, D, E))
s, c = sp.sin, sp.cos
VEHICLES = {  # columns of G by hand: TM §8.2.1, 8.2.2, 8.2.3, 8.3.1; for the exercises 8.3 to 8.5 derived here
    "skate": (SKATE, (2, 3), "x y phi", [lambda q: [c(q["phi"]), s(q["phi"]), 0], lambda q: [0, 0, 1]]),
    "wheel": (
        WHEEL,
        (2, 3, 4),
        "x y phi theta",
        [lambda q: [r * c(q["phi"]), r * s(q["phi"]), 0, 1], lambda q: [0, 0, 1, 0]],
    ),
    "car": (
        CAR,
        (2, 3, 4),
        "x y phi theta",
        [
            lambda q: [l * c(q["phi"]) * c(q["theta"]), l * s(q["phi"]) * c(q["theta"]), s(q["theta"]), 0],
            lambda q: [0, 0, 0, 1],
        ],
    ),
    "ball": (
        BALL,
        (2, 3, 5),
        "x y alpha beta gamma",
        [
            lambda q: [r * s(q["gamma"]) * s(q["beta"]), -r * c(q["gamma"]) * s(q["beta"]), 1, 0, -c(q["beta"])],
            lambda q: [r * c(q["gamma"]), r * s(q["gamma"]), 0, 1, 0],
        ],
    ),
    "robot": (
        ROBOT,
        (2, 3, 4),
        "x y phi right left",
        [
            lambda q: [r * c(q["phi"]) / 2, r * s(q["phi"]) / 2, r / (2 * b), 1, 0],
            lambda q: [r * c(q["phi"]) / 2, r * s(q["phi"]) / 2, -r / (2 * b), 0, 1],
        ],
    ),
    "trailer": (
        TRAILER,
        (2, 3, 4, 5),
        "x y phi theta psi",
        [
            lambda q: [c(q["phi"]), s(q["phi"]), sp.tan(q["theta"]) / l, 0, s(q["phi"] - q["psi"]) / d],
            lambda q: [0, 0, 0, 1, 0],
        ],
    ),
    "fire truck": (
        FIRE_TRUCK,
        (3, 5, 6),
        "x y phi theta psi eps",
        [
            lambda q: [
                c(q["phi"]),
                s(q["phi"]),
                sp.tan(q["theta"]) / l,
                0,
                -s(q["psi"] + q["eps"] - q["phi"]) / (e * c(q["eps"])),
                0,
            ],
            lambda q: [0, 0, 0, 1, 0, 0],
            lambda q: [0, 0, 0, 0, 0, 1],
        ],
    ),
}


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", VEHICLES)
def test_growth_vectors_of_the_vehicles_are_those_of_symbolic_brackets(name):
    system, growth, names, columns = VEHICLES[name]
    assert symbolic_growth(names, columns) == growth
    found = holonomy(system, PLACES[: system.n])
    assert found.growth == growth == found.generic
    assert found.verdict == (PARTLY if name == "robot" else COMPLETELY)
    assert found.surface == growth[-1]
    assert not found.doubtful
    assert min(rank.gap for rank in found.ranks) > 1e6


@pytest.mark.parametrize("name", VEHICLES)
def test_rows_annihilate_the_columns_by_hand_and_the_columns_found(name):
    system, _, names, columns = VEHICLES[name]
    q = PLACES[: system.n]
    values = dict(zip(names.split(), q, strict=True))
    by_hand = np.array([[float(x) for x in column(values)] for column in columns]).T
    A = system.model.terms(q, np.zeros(system.n), 0.0, system.theta()).J
    G = associated(system, q).G(q)
    assert np.max(np.abs(A @ by_hand)) < 1e-15
    assert np.max(np.abs(A @ G)) < 1e-15 * max(1.0, np.max(np.abs(G)))
    assert np.linalg.matrix_rank(np.hstack([G, by_hand]), tol=1e-12) == G.shape[1] == len(columns)


def test_the_robot_keeps_one_integral_which_is_the_difference_of_its_wheels():
    """R (right − left) = 2B phi."""
    found = holonomy(ROBOT, PLACES[:5])
    assert found.closed
    row = found.integrable
    assert row.shape == (1, 5)
    expected = np.array([0.0, 0.0, -2 * B, R, -R])
    assert abs(abs(row[0] @ expected) - np.linalg.norm(expected)) < 1e-12
    drive = associated(ROBOT, np.zeros(5)).drive(lambda t: [np.sin(t), 1.0 + t], np.zeros(5), t_end=3.0)
    assert np.max(np.abs(R * (drive["right"] - drive["left"]) - 2 * B * drive["phi"])) < 1e-9


# ------------------------------------------------------------------ textbook rows


def particle(*rows, **keywords):
    return vehicle("x y z", *rows)


def test_a_row_that_is_a_rate_is_holonomic_however_it_is_disguised():
    """x ẋ + y ẏ + z ż = 0 (TM §8.4), and the same times a function that is no integrating factor by sight."""
    for factor in (lambda q: 1.0, lambda q: g.exp(q.x * q.y) + g.cos(q.z) ** 2):
        found = holonomy(particle(g.Pfaffian("sphere", lambda q, f=factor: [f(q) * x for x in q])), [1.0, 0.2, 0.3])
        assert found.verdict == HOLONOMIC
        assert (found.growth, found.surface) == ((2,), 2)
        direction = found.integrable[0] / np.linalg.norm(found.integrable[0])
        assert abs(abs(direction @ [1.0, 0.2, 0.3]) - np.linalg.norm([1.0, 0.2, 0.3])) < 1e-12


@pytest.mark.parametrize("twist", [0.0, 1e-4, 1.0])
def test_a_small_twist_makes_a_row_nonholonomic(twist):
    found = holonomy(particle(g.Pfaffian("row", lambda q: [-twist * q.y, twist * q.x, 1.0])), [0.4, 0.3, 0.0])
    assert found.verdict == (COMPLETELY if twist else HOLONOMIC)


@pytest.mark.parametrize("small", [0.0, 1e-5])
def test_nearly_parallel_brackets_are_told_apart(small):
    """ż = e^x ẏ, ẇ = (e^x + small·x²) ẏ: two brackets differ by `small` in direction, and w − z is constant at 0."""
    rows = g.Pfaffian("rows", lambda q: [[0, -g.exp(q.x), 1, 0], [0, -g.exp(q.x) - small * q.x**2, 0, 1]])
    found = holonomy(vehicle("x y z w", rows), [0.2, 0.1, 0.0, 0.3])
    assert found.verdict == (COMPLETELY if small else PARTLY)
    assert found.growth == ((2, 3, 4) if small else (2, 3))
    assert not found.doubtful


def test_at_a_singular_position_deeper_brackets_are_needed_than_elsewhere():
    """Martinet's row ż = ½x²ẏ: (2, 2, 3) on the plane x = 0, (2, 3) elsewhere."""
    martinet = particle(g.Pfaffian("row", lambda q: [0.0, -(q.x**2) / 2.0, 1.0]))
    here, there = holonomy(martinet, [0.0, 0.3, 0.1]), holonomy(martinet, [0.5, 0.3, 0.1])
    assert (here.growth, here.generic) == ((2, 2, 3), (2, 3))
    assert (there.growth, there.generic) == ((2, 3), (2, 3))
    assert "singular" in here.sentence
    assert here.verdict == there.verdict == COMPLETELY
    shallow = holonomy(martinet, [0.0, 0.3, 0.1], depth=2)
    assert shallow.verdict == UNDECIDED


def test_an_orbit_may_have_another_dimension_at_a_singular_position():
    """ż = 0, ẇ = z(y ẋ − x ẏ): on the plane z = 0 also w is constant, elsewhere every w can be reached."""
    system = vehicle("x y z w", g.Pfaffian("a", lambda q: [[0, 0, 1, 0], [-q.z * q.y, q.z * q.x, 0, 1]]))
    inside, outside = holonomy(system, [0.2, 0.3, 0.0, 0.1]), holonomy(system, [0.2, 0.3, 0.5, 0.1])
    assert outside.verdict == inside.verdict == PARTLY
    assert outside.surface == 3
    assert inside.surface == 2
    assert inside.closed
    assert "dimension 2" in inside.sentence


@pytest.mark.long
def test_holonomic_rows_count_as_integrated_already():
    sphere = g.Holonomic("sphere", lambda q: q.x**2 + q.y**2 + q.z**2 - 1.0)
    twist = g.Pfaffian("twist", lambda q: [-q.y, q.x, 1.0])
    alone = holonomy(particle(sphere), [0.6, 0.0, 0.8])
    assert (alone.verdict, alone.directions, alone.surface) == (HOLONOMIC, 2, 2)
    both = holonomy(particle(sphere, twist), [0.6, 0.0, 0.8])
    assert (both.verdict, both.directions, both.surface) == (HOLONOMIC, 2, 1)  # a row on a surface is always holonomic
    redundant = holonomy(particle(sphere, g.Pfaffian("again", lambda q: [3 * q.x, 3 * q.y, 3 * q.z])), [0.6, 0.0, 0.8])
    assert (redundant.verdict, redundant.surface) == (HOLONOMIC, 2)


def test_rows_with_time_are_judged_with_time_as_a_variable():
    moving = vehicle("x y", g.Pfaffian("belt", lambda q: [1.0, 0.0], offset=lambda t: -g.sin(t)))
    found = holonomy(moving, [0.1, 0.2], t=0.3)
    assert found.variables == ("x", "y", "t")
    assert (found.verdict, found.surface) == (HOLONOMIC, 2)  # x + cos t is constant
    pursuit = vehicle("x y", g.Pfaffian("pursuit", lambda q, t: [q.y, t - q.x]))
    assert holonomy(pursuit, [1.0, 0.5]).verdict == COMPLETELY
    path = associated(moving, [0.1, 0.2]).drive(lambda t: [1.0], [0.1, 0.2], t_end=2.0)
    assert np.max(np.abs(path["x"] - (1.1 - np.cos(path.t)))) < 1e-9


# ------------------------------------------------------------------ the associated control system


def test_the_wheel_under_constant_inputs_goes_round_a_circle():
    def fields(q):
        return [[R * g.cos(q.phi), R * g.sin(q.phi), 0, 1], [0, 0, 1, 0]]

    path = associated(WHEEL, np.zeros(4), fields=fields).drive(lambda t: [2.5, 0.8], np.zeros(4), t_end=10.0)
    radius = 2.5 * R / 0.8
    assert np.max(np.abs(path["x"] - radius * np.sin(0.8 * path.t))) < 1e-8
    assert np.max(np.abs(path["y"] - radius * (1 - np.cos(0.8 * path.t)))) < 1e-8
    assert path.slip < 1e-14


def test_a_small_loop_of_the_inputs_moves_along_the_bracket():
    """Loops of size ε in u₁, u₂ displace by ε² [g₁, g₂] + O(ε³): sideways, for the skate."""

    def fields(q):
        return [[g.cos(q.phi), g.sin(q.phi), 0], [0, 0, 1]]

    skate, errors = associated(SKATE, np.zeros(3), fields=fields), []
    for size in (0.04, 0.02):
        place = np.zeros(3)
        for u in ([1, 0], [0, 1], [-1, 0], [0, -1]):
            place = skate.drive(lambda t, u=u, size=size: np.array(u) * size, place, t_end=1.0, rtol=1e-12).q[-1]
        errors.append(np.linalg.norm(place / size**2 - [0.0, -1.0, 0.0]))
    assert errors[1] / errors[0] == pytest.approx(0.5, abs=0.02)
    assert errors[1] < 0.02


def test_inputs_that_no_longer_determine_the_motion_are_reported():
    skate = associated(SKATE, np.zeros(3))
    assert skate.inputs == ("d_x", "d_phi")
    with pytest.raises(g.errors.SolverError, match="no longer determine"):
        skate.drive(lambda t: [1.0, 1.0], np.zeros(3), t_end=2.0)


# ------------------------------------------------------------------ bad input


def test_bad_input_is_refused_with_the_reason():
    free = g.System("free", "x", kinetic_energy=lambda v: v.x**2)
    with pytest.raises(g.errors.InputError, match="no equality rows"):
        holonomy(free, [0.0])
    bent = vehicle("x y", g.Nonholonomic("speed", lambda v: v.x**2 + v.y**2 - 1.0))
    with pytest.raises(g.errors.InputError, match="nonlinear in the velocities"):
        holonomy(bent, [0.0, 0.0])
    drops = vehicle("x y z", g.Pfaffian("row", lambda q: [q.x, q.y, q.z]))
    with pytest.raises(g.errors.InputError, match="rank of the rows"):
        holonomy(drops, [0.0, 0.0, 0.0])
    clash = vehicle("x y", g.Pfaffian("a", lambda q: [1, 0]), g.Pfaffian("b", lambda q: [1, 0], offset=1.0))
    with pytest.raises(g.errors.InputError, match="no velocity satisfies"):
        holonomy(clash, [0.0, 0.0])
    with pytest.raises(g.errors.InputError, match="row 'axle heading' times field 0"):
        holonomy(SKATE, [0, 0, 0.3], fields=lambda q: [[g.sin(q.phi), g.cos(q.phi), 0], [0, 0, 1]])
    with pytest.raises(g.errors.InputError, match="1 fields of rank 1"):
        holonomy(SKATE, [0, 0, 0.3], fields=lambda q: [[0, 0, 1]])
    with pytest.raises(g.errors.InputError, match="depth must be"):
        holonomy(SKATE, [0, 0, 0.3], depth=0)
    skate = associated(SKATE, np.zeros(3), inputs="speed turn")
    with pytest.raises(g.errors.InputError, match=r"shape \(3,\)"):
        skate.drive(lambda t: [1.0, 1.0, 1.0], np.zeros(3), t_end=1.0)
    with pytest.raises(g.errors.InputError, match="2 directions"):
        associated(SKATE, np.zeros(3), inputs="speed")
    with pytest.raises(g.errors.InputError, match="has no 'z'"):
        skate.drive(lambda t: [1.0, 0.0], np.zeros(3), t_end=1.0)["z"]


def test_a_bracket_of_rounding_is_no_direction_and_makes_the_verdict_doubtful():
    for small, certain in ((1e-6, True), (1e-9, True), (1e-14, False)):
        row = g.Pfaffian("row", lambda q, small=small: [-small * q.y - q.x, 0.0, 1.0])
        found = holonomy(vehicle("x y z", row), [0.1, 0.2, 0.3])
        assert found.doubtful != certain
        assert found.verdict == (COMPLETELY if certain else HOLONOMIC)
        assert ("hangs on the tolerance" in found.sentence) != certain


def test_rows_that_admit_no_velocity_are_refused():
    stuck = g.System("s", "x", kinetic_energy=lambda v: v.x**2, constraints=[g.Pfaffian("p", lambda q: [1 + q.x**2])])
    with pytest.raises(g.errors.InputError, match="admit no velocity but zero"):
        holonomy(stuck, [0.3])


def test_inputs_that_fail_are_refused_by_name():
    system = associated(vehicle("x y z", g.Pfaffian("row", lambda q: [-q.y, 0.0, 1.0])), [0.0, 0.3, 0.0])
    for u, words in (
        (None, "u must be a function"),
        ([1.0, 0.0], "u must be a function"),
        (lambda t: 1 / 0, r"u\(0\) "),
    ):
        with pytest.raises(g.errors.InputError, match=words):
            system.drive(u, [0.0, 0.3, 0.0], t_end=1.0)
