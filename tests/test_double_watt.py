"""Two linkages of Watt whose middles a bar joins: mirrored they move in a cusp, shifted on two branches that touch.

In Watt's linkage (cranks of 1 m that are level, coupler of 2 C upright) the middle of the coupler goes up and down on

    x = c y⁵ + …,   c = 1/(8 C L³).

A level bar of length D joins two such points. With w = y₂ − y₁ its row is w² + 2D(x₂ − x₁) + … = 0. If the second
linkage is the mirror image, x₂ = −c y₂⁵ and w² = 4Dc y⁵: the cusp by which R. Connelly and H. Servatius (Higher-order
rigidity: what is the proper definition?, 1994) show that a linkage can be rigid to third order and move. If it is a
copy, x₂ = c y₂⁵ and w(w + 10Dc y⁴) = 0 to this order: it moves as a parallelogram, or on a branch that touches this
motion to order 3. Positions come from the loops by mpmath, times from the energy by a quadrature.
"""

from __future__ import annotations

import mpmath as mp
import numpy as np
import pytest

import gauss as g
from gauss.functions import cos, sin

G, L, C, D = 9.81, 1.0, 0.5, 0.8  # m/s², m
MASSES, INERTIA = (1.0, 1.5), 0.1  # kg, kg m²
BEND = 1 / (8 * C * L**3)
SIDES = {"mirrored": -1.0, "shifted": 1.0}  # on which side the upper crank of the second linkage is
REST = [0.0, 0.0, 0.0, D, 0.0, 0.0]
UP = np.array([0.0, 1.0, 0.0, 0.0, 1.0, 0.0])


def cranks(x, y, angle, side, functions):
    """What the squares of the lengths of both cranks miss, from the middle of the coupler."""
    s, c = functions.sin(angle), functions.cos(angle)
    return [(x - end * side * (C * s - L)) ** 2 + (y + end * C * (c - 1)) ** 2 - L**2 for end in (1, -1)]


class functions:
    sin, cos = staticmethod(sin), staticmethod(cos)


def double(kind):
    rows = [
        g.Holonomic(
            f"{name} crank {k}",
            lambda q, k=k, place=place, side=side, at=at: cranks(
                q[f"x{k}"] - place, q[f"y{k}"], q[f"a{k}"], side, functions
            )[at],
        )
        for k, place, side in ((1, 0.0, 1.0), (2, D, SIDES[kind]))
        for at, name in enumerate(("upper", "lower"))
    ]
    bar = g.Holonomic("bar", lambda q: (q.x2 - q.x1) ** 2 + (q.y2 - q.y1) ** 2 - D**2)
    m, n = MASSES
    return g.System(
        f"double Watt, {kind}",
        "x1 y1 a1 x2 y2 a2",
        kinetic_energy=lambda v: (
            0.5 * (m * (v.x1**2 + v.y1**2) + n * (v.x2**2 + v.y2**2) + INERTIA * (v.a1**2 + v.a2**2))
        ),
        potential_energy=lambda q: G * (m * q.y1 + n * q.y2),
        constraints=[*rows, bar],
    )


def position(y, kind, start):
    """All coordinates where the first middle is at height y, near w = start."""
    d = mp.mpf(D)

    def loops(x1, a1, x2, w, a2):
        second = cranks(x2, y + w, a2, SIDES[kind], mp)
        return [*cranks(x1, y, a1, 1.0, mp), *second, (d + x2 - x1) ** 2 + w**2 - d**2]

    x1, a1, x2, w, a2 = mp.findroot(loops, (BEND * y**5, y**2, SIDES[kind] * BEND * y**5, start, y**2))
    return [x1, y, a1, d + x2, y + w, a2]


def duration(height, kind, branch, speed):
    """The time from the start, with the speed of both middles, to a height of the first on a branch w(y)."""
    weights = [MASSES[0], MASSES[0], INERTIA, MASSES[1], MASSES[1], INERTIA]
    step = height * mp.mpf("1e-8")

    def pace(y):
        q, ahead = position(y, kind, branch(y)), position(y + step, kind, branch(y + step))
        mass = sum(m * ((b - a) / step) ** 2 for m, a, b in zip(weights, q, ahead, strict=True))
        left = sum(MASSES) * speed**2 / 2 - G * (MASSES[0] * q[1] + MASSES[1] * q[4])
        return mp.sqrt(mass / (2 * left))

    nodes, shares = np.polynomial.legendre.leggauss(9)
    points = [(mp.mpf(x) + 1) / 2 * height for x in nodes]
    return height / 2 * sum(mp.mpf(w) * pace(y) for w, y in zip(shares, points, strict=True))


BRANCHES = {
    "mirrored": [lambda y, sign=sign: sign * mp.sqrt(4 * D * BEND * y**5) for sign in (1, -1)],
    "shifted": [lambda y: mp.mpf(0), lambda y: -10 * D * BEND * y**4],
}


@pytest.mark.long
@pytest.mark.parametrize("kind", SIDES)
def test_both_motions_of_a_double_watt_are_followed(kind):
    system = double(kind)
    found = g.classify(system, REST, UP)
    assert (found.verdict, found.unique, found.motion_unique) == ("branching", True, False)
    assert "2 branches" in found.sentence
    assert "proved to order" in found.sentence
    tree = g.simulate(system, REST, UP, t_end=0.05, branches="all")
    matched = []
    for b in tree:
        assert b.run.ending.kind == "finished"
        end = b.run.q[-1]
        with mp.workdps(40):
            y = mp.mpf(float(end[1]))
            ends = [position(y, kind, branch(y)) for branch in BRANCHES[kind]]
            misses = [max(abs(float(a - b)) for a, b in zip(q, end, strict=True)) for q in ends]
            matched.append(int(np.argmin(misses)))
            assert min(misses) <= 1e-10
            assert max(misses) > 1e-6
            assert abs(float(duration(y, kind, BRANCHES[kind][matched[-1]], 1)) - 0.05) <= 1e-9
    assert sorted(matched) == [0, 1]


def test_at_rest_the_mirrored_one_stays_in_its_cusp_and_the_shifted_one_falls():
    held = g.classify(double("mirrored"), REST)
    assert (held.verdict, held.motion_unique) == ("locked", True)
    assert "as at a cusp" in held.sentence
    falling = g.classify(double("shifted"), REST)
    assert (falling.verdict, falling.unique, falling.motion_unique) == ("branching", True, False)
    assert falling.solution.a == pytest.approx(-G * UP, abs=1e-12)


def test_into_the_cusp_no_motion_is_promised():
    found = g.classify(double("mirrored"), REST, -UP)
    assert found.verdict in ("no smooth continuation", "higher order")
    assert not found.unique
