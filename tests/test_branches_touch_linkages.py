"""Linkages whose branches touch: a stretched dyad between a coupler point and the centre of its curvature.

In a symmetric four-bar (cranks of 1 m on pivots 3.2 m apart, coupler of 2 m) a coupler point on the axis of symmetry
has a path whose odd derivatives vanish. With the coupler turned by s its distance from the centre of curvature is

    d² = R² + c s⁴ + …,   two bars of lengths that add up to |R| between them allow |d| ≤ |R|,

so for c < 0 the joint of the two bars bends to either side like s², on two branches that touch, and for c > 0 the
linkage is rigid. R and c come from the loop equations with 40 digits; the joint is where two circles meet.
"""

from __future__ import annotations

from functools import cache

import mpmath as mp
import numpy as np
import pytest

import gauss as g
from gauss.functions import cos, sin

G, RATE = 9.81, 0.5  # m/s², rad/s
SHARES = 0.4, 0.6  # of the two bars


def pose(turn):
    """The middle of the coupler when it is turned by an angle."""

    def loops(x, y):
        ends = [(x + side * mp.cos(turn), y + side * mp.sin(turn)) for side in (-1, 1)]
        return [(u - side * mp.mpf("1.6")) ** 2 + w**2 - 1 for (u, w), side in zip(ends, (-1, 1), strict=True)]

    found = mp.findroot(loops, (mp.mpf(0), mp.mpf("0.8")))
    return found[0], found[1]


def path(turn, height):
    x, y = pose(turn)
    return x - height * mp.sin(turn), y + height * mp.cos(turn)


def curvature(height):
    """dx/ds of the coupler point, its signed radius of curvature, the height of its centre, c."""
    with mp.workdps(40):
        p, e = mp.mpf(height), mp.mpf("1e-8")
        slope = path(e, p)[0] / e
        bend = 2 * (path(e, p)[1] - path(0, p)[1]) / e**2
        R = slope**2 / bend
        centre = path(0, p)[1] + R
        s = mp.mpf("1e-2")
        c = [(path(x, p)[0] ** 2 + (path(x, p)[1] - centre) ** 2 - R**2) / x**4 for x in (s, s / 2)]
        assert abs(c[0] / c[1] - 1) < 1e-2  # the fourth power
        return float(slope), float(R), float(centre), float(c[1])


def linkage(height):
    _, R, centre, _ = curvature(height)
    return dyad(float(height), R, centre)


def dyad(p, R, centre):
    """The four-bar with the two bars from the coupler point at height p to the centre, and the start."""
    first, second = (share * abs(R) for share in SHARES)
    system = g.System(
        "stretched dyad",
        "x y a u w",
        kinetic_energy=lambda v: 0.5 * (v.x**2 + v.y**2 + 0.3 * v.a**2 + 0.1 * (v.u**2 + v.w**2)),
        potential_energy=lambda q: G * (q.y + 0.1 * q.w),
        constraints=[
            g.Holonomic("left crank", lambda q: (q.x - cos(q.a) + 1.6) ** 2 + (q.y - sin(q.a)) ** 2 - 1),
            g.Holonomic("right crank", lambda q: (q.x + cos(q.a) - 1.6) ** 2 + (q.y + sin(q.a)) ** 2 - 1),
            g.Holonomic("first bar", lambda q: q.u**2 + (q.w - centre) ** 2 - first**2),
            g.Holonomic(
                "second bar", lambda q: (q.x - p * sin(q.a) - q.u) ** 2 + (q.y + p * cos(q.a) - q.w) ** 2 - second**2
            ),
        ],
    )
    return system, [0.0, 0.8, 0.0, 0.0, centre - SHARES[0] * R]


def moving(height):
    with mp.workdps(40):
        sideways = float(pose(mp.mpf("1e-10"))[0] / mp.mpf("1e-10"))
    return [sideways * RATE, 0.0, RATE, SHARES[0] * curvature(height)[0] * RATE, 0.0]


@pytest.mark.long
@pytest.mark.parametrize("height", ["-1.5", "-0.5", "0.3", "1", "2.5"])
def test_a_stretched_dyad_at_the_centre_of_curvature_bends_or_locks(height):
    system, q = linkage(height)
    found = g.classify(system, q)
    if curvature(height)[3] > 0.0:
        assert (found.verdict, found.motion_unique) == ("locked", True)
        assert g.classify(system, q, moving(height)).verdict == "no smooth continuation"
        return
    assert (found.verdict, found.unique) == ("branching", True)
    assert found.sentence.startswith("branching: 2 branches")
    assert len(g.classify(system, q, moving(height)).candidates) == 2


def joint(turn, height, side):
    """Where the joint of the bars is: the two circles meet on either side of the line between their centres."""
    _, R, centre, _ = curvature(height)
    tip = np.array([float(value) for value in path(mp.mpf(turn), mp.mpf(height))])
    base = np.array([0.0, centre])
    along = tip - base
    d = np.linalg.norm(along)
    first, second = (share * abs(R) for share in SHARES)
    reach = (d**2 + first**2 - second**2) / (2 * d)
    across = np.sqrt(max(first**2 - reach**2, 0.0))
    return base + reach * along / d + side * across * np.array([-along[1], along[0]]) / d


@pytest.mark.long
def test_the_dyad_bends_to_either_side_from_the_touching_position():
    height = "-0.5"
    system, q = linkage(height)
    tree = g.simulate(system, q, moving(height), t_end=0.2, branches="all")
    sides = []
    for b in tree:
        assert b.run.ending.kind == "finished"
        assert np.ptp(b.run.energy) <= 1e-9
        end = b.run.q[-1]
        ends = [joint(float(end[2]), height, side) for side in (1, -1)]
        misses = [float(np.max(np.abs(end[3:] - place))) for place in ends]
        sides.append(int(np.argmin(misses)))
        assert min(misses) <= 1e-9
        assert max(misses) > 1e-3
        with mp.workdps(40):
            assert np.max(np.abs(end[:2] - np.array([float(x) for x in pose(mp.mpf(float(end[2])))]))) <= 1e-11
    assert sorted(sides) == [0, 1]
    assert sorted(b.name.count("Δu") for b in tree) == [1, 1]


def limit(even):
    """The value at 0 of an even function of the turn, from the polynomial in its square through ten places."""
    places = [mp.mpf(k) / 400 for k in range(1, 11)]
    shares = [mp.fprod(b**2 / (b**2 - a**2) for b in places if b != a) for a in places]
    return mp.fsum(share * even(a) for share, a in zip(shares, places, strict=True))


def hyperosculating(near):
    """Height of the coupler point, near one, whose circle of curvature touches its path to order 5; R, centre, dx/ds,
    and c in d² = R² + c s⁶: a point of Burmester for this position and five that are infinitely near."""

    middle = cache(pose)

    def moved(p, turn):
        x, y = middle(turn)
        return x - p * mp.sin(turn), y - middle(mp.mpf(0))[1] + p * (mp.cos(turn) - 1)

    def radius(p, turn):
        x, y = moved(p, turn)
        return (x**2 + y**2) / (2 * y)

    def excess(p, power):  # d² − R² over a power of the turn
        R = limit(lambda turn: radius(p, turn))
        return limit(lambda turn: 2 * moved(p, turn)[1] * (radius(p, turn) - R) / turn**power)

    with mp.workdps(50):
        p = mp.findroot(lambda p: excess(p, 4), (near, near + 0.01), tol=1e-25)
        R = limit(lambda turn: radius(p, turn))
        slope = limit(lambda turn: moved(p, turn)[0] / turn)
        return float(p), float(R), float(path(mp.mpf(0), p)[1] + R), float(slope), float(excess(p, 6))


@pytest.mark.long
@pytest.mark.parametrize(("near", "moves"), [(-1.25, True), (0.6, False)])
def test_a_dyad_at_a_point_of_burmester_leaves_one_acceleration_and_two_motions(near, moves):
    """For c < 0 the joint bends like s³ to either side: the branches share position, tangent and curvature."""
    p, R, centre, slope, c = hyperosculating(near)
    assert (c < 0.0) is moves
    system, q = dyad(p, R, centre)
    found = g.classify(system, q)
    if not moves:
        assert (found.verdict, found.motion_unique) == ("locked", True)
        return
    assert (found.verdict, found.unique) == ("branching", True)
    assert "nothing drives a body at rest along any of them" in found.sentence
    with mp.workdps(40):
        sideways = float(pose(mp.mpf("1e-10"))[0] / mp.mpf("1e-10"))
    v = [sideways * RATE, 0.0, RATE, SHARES[0] * slope * RATE, 0.0]
    found = g.classify(system, q, v)
    assert (found.verdict, found.unique, found.motion_unique) == ("branching", True, False)
    assert found.sentence.startswith("branching: 2 branches")
    tree = g.simulate(system, q, v, t_end=0.2, branches="all")
    bends = []
    for b in tree:
        assert b.run.ending.kind == "finished"
        x, y, turn, u, w = b.run.q[-1]
        tip = np.array([x - p * np.sin(turn), y + p * np.cos(turn) - centre])
        bends.append((tip[0] * (w - centre) - tip[1] * u) / np.linalg.norm(tip))
        first, second = (share * abs(R) for share in SHARES)
        assert np.hypot(u, w - centre) == pytest.approx(first, abs=1e-10)
        assert np.hypot(u - tip[0], w - centre - tip[1]) == pytest.approx(second, abs=1e-10)
        height = np.sqrt(-c * SHARES[0] * SHARES[1]) * abs(turn) ** 3  # h² = first second (1 − d²/R²)
        assert abs(bends[-1]) == pytest.approx(height, rel=0.1)
    assert sorted(np.sign(bends)) == [-1.0, 1.0]


@pytest.mark.parametrize("gap", [0.0, 1e-6, 1e-2])
def test_a_third_bar_leaves_the_parallel_motion_alone_or_locks_it(gap):
    """Three equal bars move on a circle; one that is off by more than rounding leaves no motion at all."""
    bars = [(0.0, 0.0, 0.3), (1.1, 1.1, 0.3), (0.7, 0.7 + gap, 0.3 + gap)]
    system = g.System(
        "platform",
        "x y a",
        kinetic_energy=lambda v: 0.5 * (v.x**2 + v.y**2 + 0.2 * v.a**2),
        potential_energy=lambda q: G * q.y,
        constraints=[
            g.Holonomic(
                f"bar {k}",
                lambda q, s=s, c=c, b=b: (q.x + c * cos(q.a) - s) ** 2 + (q.y + c * sin(q.a)) ** 2 - b**2,
            )
            for k, (s, c, b) in enumerate(bars)
        ],
    )
    found = g.classify(system, [0.3, 0.0, 0.0])
    if gap:
        assert (found.verdict, found.motion_unique) == ("locked", True)
        assert not np.any(g.simulate(system, [0.3, 0.0, 0.0], t_end=0.1).v)
        return
    assert found.solution.a == pytest.approx([0.0, -G, 0.0], abs=1e-9)
