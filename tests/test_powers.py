"""Rows that are powers, in general coordinates: the acceleration is that of their smooth set, by rows from SymPy."""

from __future__ import annotations

import numpy as np
import pytest
import sympy as sp

import gauss as g

NAMES = "x y z w"
X = sp.symbols(NAMES)
F = X[0] * 0.7 - X[1] * 1.3 + X[2] * 0.4 + X[3] + 0.6 * X[0] * X[2] + 0.3 * sp.sin(X[1])
H = -X[0] * 0.2 + X[1] + X[2] * 0.9 - 0.5 * X[3] + 0.4 * X[1] * X[3] - 0.2 * X[2] ** 3
MASS = np.diag([1.0, 0.5, 2.0, 1.5])
FORCE = np.array([1.0, -2.0, 0.5, 3.0])
REST = np.zeros(4)


def expression(formula):
    """A SymPy formula as a constraint function."""
    function = sp.lambdify(X, formula, modules=[{"sin": g.sin}, "numpy"])
    return lambda q: function(q.x, q.y, q.z, q.w)


def classified(formula, q, v):
    system = g.System(
        "power",
        NAMES,
        kinetic_energy=lambda v: 0.5 * sum(m * v[k] ** 2 for k, m in enumerate(np.diag(MASS).tolist())),
        force=lambda: FORCE.tolist(),
        constraints=[g.Holonomic("row", expression(formula))],
    )
    return g.classify(system, q, v)


def acceleration(rows, q, v):
    """The acceleration on independent rows, by their derivatives from SymPy and one linear system."""
    at = dict(zip(X, q, strict=True))
    J = np.array([[float(sp.diff(f, x).subs(at)) for x in X] for f in rows])
    gamma = [-float(sum(sp.diff(f, a, b).subs(at) * c * d for a, c in zip(X, v) for b, d in zip(X, v))) for f in rows]
    k = len(rows)
    K = np.block([[MASS, J.T], [J, np.zeros((k, k))]])
    return np.linalg.solve(K, np.concatenate([FORCE, gamma]))[:4]


def along(rows):
    """A velocity that rows admit at the origin."""
    J = np.array([[float(sp.diff(f, x).subs(dict.fromkeys(X, 0.0))) for x in X] for f in rows])
    v = np.array([0.4, -0.3, 0.8, 0.1])
    return v - J.T @ np.linalg.solve(J @ J.T, J @ v)


KINDS = {  # formula, the rows whose acceleration is right, the verdict
    "square": (F**2, [F], "locked"),
    "cube": (F**3, [F], "locked"),
    "fifth power times a unit": (F**5 * (2 + sp.sin(X[0])), [F], "locked"),
    "sum of squares": (F**2 + 0.7 * H**2, [F, H], "locked"),
    "square and fourth power": (F**2 + H**4, [F, H], "locked"),
    "square and sixth power": (F**2 + 2.5 * H**6, [F, H], "locked"),
    "sheets that are H⁴ apart": (F * (F - 0.8 * H**4), [F], "branching"),
}


@pytest.mark.sampled(8)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("moving", [False, True], ids=["rest", "moving"])
def test_the_acceleration_is_that_of_the_smooth_set(kind, moving):
    formula, rows, verdict = KINDS[kind]
    v = along(rows) if moving else REST
    found = classified(formula, REST, v)
    assert found.verdict == verdict
    assert found.unique
    expected = acceleration(rows, REST, v)
    assert found.candidates[0].a == pytest.approx(expected, abs=1e-11)
    assert found.motion_unique is (verdict == "locked")


def slope(row):
    return np.array([float(sp.diff(row, x).subs(dict.fromkeys(X, 0.0))) for x in X])


@pytest.mark.long
@pytest.mark.parametrize("power", [3, 5, 7])
def test_a_wedge_is_left_from_rest_where_a_force_opens_it(power):
    """F² = ±H^p has points on one side of H = 0 only, on two sheets that meet in an edge: ±Ḧ ≥ 0 at rest."""
    free = acceleration([F], REST, REST)
    open_side = 1 if slope(H) @ free > 0.0 else -1
    left = classified(F**2 - open_side * H**power, REST, REST)
    assert (left.verdict, left.unique, left.motion_unique) == ("branching", True, False)
    assert left.candidates[0].a == pytest.approx(free, abs=1e-11)
    held = classified(F**2 + open_side * H**power, REST, REST)
    assert (held.verdict, held.unique, held.motion_unique) == ("locked", True, True)
    assert held.candidates[0].a == pytest.approx(acceleration([F, H], REST, REST), abs=1e-11)
    assert "in an edge" in left.sentence
    assert "in an edge" in held.sentence


@pytest.mark.long
@pytest.mark.parametrize("power", [3, 5, 7])
def test_with_speed_a_wedge_is_left_on_two_sheets_or_not_at_all(power):
    v = along([F])
    side = 1 if slope(H) @ v > 0.0 else -1
    found = classified(F**2 - side * H**power, REST, v)
    if power == 3:  # F̈ ~ H^(−1/2) Ḣ² has no bound
        assert found.verdict == "no smooth continuation"
    else:
        assert (found.verdict, found.unique, found.motion_unique) == ("branching", True, False)
        assert found.candidates[0].a == pytest.approx(acceleration([F], REST, v), abs=1e-11)
    assert classified(F**2 + side * H**power, REST, v).verdict == "no smooth continuation"


@pytest.mark.parametrize("c", [0.8, -3.0])
def test_sheets_that_curve_apart_have_an_acceleration_each(c):
    v = along([F])
    found = classified(F * (F - c * H**2), REST, v)
    assert (found.verdict, found.unique, found.motion_unique) == ("branching", False, False)
    truth = [acceleration([row], REST, v) for row in (F, F - c * H**2)]
    errors = np.array([[np.max(np.abs(x.a - a)) for x in found.candidates] for a in truth])
    assert errors.shape == (2, 2)
    assert sorted(np.argmin(errors, axis=1)) == [0, 1]
    assert np.max(np.min(errors, axis=1)) <= 1e-10


@pytest.mark.sampled(16)
@pytest.mark.parametrize("n", [3, 7, 9])
@pytest.mark.parametrize("unit", [1e-5, 1.0, 2e6])
def test_units_do_not_make_one_sheet_of_two(n, unit):
    """The coordinates are in another unit, and the state is a rounded one, not zero."""
    place = np.array([0.3, -0.7, 0.2, 0.45])
    at = dict(zip(X, place, strict=True))
    shifted = [f - float(f.subs(at)) for f in (F, H)]
    scaled = [f.subs(dict(zip(X, [x / unit for x in X], strict=True)), simultaneous=True) for f in shifted]
    found = classified(scaled[0] * (scaled[0] - 0.8 * scaled[1] ** n), place * unit, REST)
    assert found.verdict in ("branching", "higher order")
    assert found.motion_unique is not True
    if found.verdict == "branching":
        assert found.unique
        expected = acceleration(scaled[:1], place * unit, REST)
        assert found.candidates[0].a == pytest.approx(expected, abs=1e-9)


def test_order_five_that_undoes_a_square_is_seen():
    """(F + H²)² and F² + 2FH² + H⁴ are one function; with −1.5 H⁴ more the square opens."""
    same = classified(F**2 + 2 * F * H**2 + H**4, REST, along([F]))
    assert same.verdict == "locked"
    assert same.candidates[0].a == pytest.approx(acceleration([F + H**2], REST, along([F])), abs=1e-11)
    opened = classified(F**2 + 2 * F * H**2 - 0.5 * H**4, REST, along([F]))
    assert not opened.unique
    assert "locked" not in opened.verdicts


def bead(names, row, force):
    """A bead of 1 kg with the given force on its coordinates, and its holonomic rows."""
    return g.System(
        "bead",
        names,
        kinetic_energy=lambda v: 0.5 * sum(x**2 for x in v),
        force=list(force),
        constraints=[g.Holonomic("row", row)],
    )


@pytest.mark.parametrize("n", [2, 3, 4])
def test_a_motion_along_a_bent_edge_leaves_onto_two_sheets(n):
    """(y − z)² = (x − zⁿ)³: x = zⁿ + s², y = z + s³. With ż = 1 the edge bends by 2 if n = 2, else not."""
    system = bead("x y z", lambda q: (q.y - q.z) ** 2 - (q.x - q.z**n) ** 3, (3.0, 0.5, 1.0))
    found = g.classify(system, [0, 0, 0], [0, 1, 1])
    assert (found.verdict, found.unique, found.motion_unique) == ("branching", True, False)
    assert found.a == pytest.approx([3.0, 0.75, 0.75], abs=1e-11)
    pressed = bead("x y z", lambda q: (q.y - q.z) ** 2 - (q.x - q.z**n) ** 3, (-3.0, 0.5, 1.0))
    assert g.classify(pressed, [0, 0, 0], [0, 1, 1]).accelerations.status in ("one", "undecided")


@pytest.mark.parametrize("bend", [lambda q: (0.0, q.z**2), lambda q: (q.z**2, 0.0), lambda q: (q.z**3, q.z**2)])
def test_sheets_that_the_acceleration_leads_away_from_are_not_forgotten(bend):
    """X (X² + Y³) = 0: beside X = 0 two sheets that end in X = Y = 0, where a bead driven to Y > 0 may stay."""

    def row(q):
        across, along = (x - y for x, y in zip((q.x, q.y), bend(q), strict=True))
        return across**3 + across * along**3

    found = g.classify(bead("x y z", row, (3.0, 4.0, 1.0)), [0, 0, 0], [0, 0, 1])
    assert (found.accelerations.status, found.motion_unique) == ("undecided", None)
    onto = g.classify(bead("x y z", row, (3.0, -2.0, 1.0)), [0, 0, 0], [0, 0, 1])
    assert (onto.verdict, onto.unique, onto.motion_unique) == ("branching", True, False)


@pytest.mark.parametrize("row", [F**2 - 0.7 * H**2, F * H, F**2 - H**2 + X[2] ** 12])
def test_a_difference_of_squares_is_no_power_and_is_not_expanded_to_find_one(row, monkeypatch):
    monkeypatch.setattr("gauss.uniqueness.germs.branches.power_of", None)
    bead = g.System("bead", NAMES, mass_matrix=MASS, constraints=[g.Holonomic("row", expression(row))])
    found = g.uniqueness.germ_of(bead, bead.state(REST))
    assert (found.status, found.dimension) == ("open", None)
    assert "a difference of squares" in found.why
