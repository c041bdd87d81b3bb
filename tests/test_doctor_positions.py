"""Positions that the doctor names, against closed forms: assembly modes, ends of reach, singular positions."""

from __future__ import annotations

import numpy as np
import pytest

import gauss as g
from gauss import bodies as mb


def link(name, length):
    return mb.PlanarBody(name, length, length**3 / 12, (length / 2, 0.0))


def four_bar(a, b, c, d, motor="A"):
    """Crank a, coupler b, rocker c, ground d, driven at A or at D."""
    crank, coupler, rocker = link("crank", a), link("coupler", b), link("rocker", c)
    A = mb.Pin("A", mb.GROUND, (0, 0), crank, (0, 0))
    B = mb.Pin("B", crank, (a, 0), coupler, (0, 0))
    D = mb.Pin("D", mb.GROUND, (d, 0), rocker, (0, 0))
    C = mb.Pin("C", coupler, (b, 0), rocker, (c, 0))
    drive = mb.Motor("motor", {"A": A, "D": D}[motor], 0.0)
    return mb.Mechanism("four-bar", [crank, coupler, rocker], [A, B, D, C], [drive])


def met(X, r, Y, s):
    """The points of two circles."""
    d = np.linalg.norm(Y - X)
    x = (d**2 + r**2 - s**2) / (2 * d)
    e = (Y - X) / d
    h = np.sqrt(r**2 - x**2) * np.array([-e[1], e[0]])
    return [X + x * e + h, X + x * e - h]


def same(one, two):
    return abs((one - two + np.pi) % (2 * np.pi) - np.pi) < 1e-9


@pytest.mark.parametrize("scale", [1e-3, 1.0, 1e3])
def test_a_four_bar_has_the_two_modes_of_its_circles(scale):
    a, b, c, d = (scale * x for x in (1.0, 2.0, 2.2, 2.5))
    found = g.doctor(four_bar(a, b, c, d), {"A": 0.9, "B": 0.3, "D": 1.7}, sweep=False)
    assert (len(found.modes), found.complete) == (2, True)
    turn = found.modes[0].values["A"]
    P = a * np.array([np.cos(turn), np.sin(turn)])
    for C in met(P, b, np.array([d, 0.0]), c):
        rocker = np.arctan2(C[1], C[0] - d)
        coupler = np.arctan2(*(C - P)[::-1]) - turn
        assert any(same(m.values["D"], rocker) and same(m.values["B"], coupler) for m in found.modes)


def test_modes_of_a_six_bar_are_those_of_assemble():
    """A second dyad stands on the rocker of a four-bar: four modes, found by other code too."""
    given = four_bar(1.0, 2.0, 2.2, 2.5)
    rod, slide = link("rod", 2.0), link("arm", 1.5)
    rocker = given.bodies[2]
    more = [
        mb.Pin("E", rocker, (1.4, 0.3), rod, (0, 0)),
        mb.Pin("F", mb.GROUND, (4.0, 0.5), slide, (0, 0)),
        mb.Pin("G", rod, (2.0, 0), slide, (1.5, 0)),
    ]
    six = mb.Mechanism("six-bar", [*given.bodies, rod, slide], [*given.joints, *more], given.forces)
    found = g.doctor(six, {"A": 0.9, "B": 0.3, "D": 1.7, "E": -1.5, "F": 1.6}, sweep=False)
    values = found.modes[0].values
    known = mb.assemble(six, values=values, hold="A")
    assert found.complete
    assert known.complete
    assert len(found.modes) == len(known.modes)
    for mode in known.modes:
        assert any(all(same(mode.values[x], y) for x, y in other.values.items()) for other in found.modes)


def test_what_is_no_chain_of_dyads_says_that_other_modes_were_not_searched():
    arm, rod, other = (
        mb.Body(name, mb.box(1.0, (x, 0.1, 0.1), at=(x / 2, 0, 0))) for name, x in (("a", 1), ("r", 1.5), ("o", 1))
    )
    joints = [
        mb.Revolute("A", mb.GROUND, (0, 0, 0), arm, (0, 0, 0)),
        mb.Spherical("S1", arm, (1, 0, 0), rod, (0, 0, 0)),
        mb.Revolute("B", mb.GROUND, (1.5, 0, 0.2), other, (0, 0, 0), axis1=(0, 1, 1), axis2=(0, 1, 1)),
        mb.Spherical("S2", rod, (1.5, 0, 0), other, (1, 0, 0)),
    ]
    found = g.doctor(mb.Mechanism("RSSR", [arm, rod, other], joints), {"A": 1.2, "B": 1.2}, sweep=False)
    assert (len(found.modes), found.complete) == (1, False)
    assert "others were not searched" in str(found)


@pytest.mark.parametrize("scale", [1e-3, 1.0, 1e3])
def test_a_rocker_reaches_as_far_as_crank_and_coupler_in_line_allow(scale):
    """(b ± a)² = c² + d² + 2 c d cos θ."""
    a, b, c, d = 1.0, 2.0, 2.2, 2.5
    given = four_bar(*(scale * x for x in (a, b, c, d)), motor="D")
    found = g.doctor(given, {"A": 0.9, "B": 0.3, "D": 1.7})
    (sweep,) = found.sweeps
    assert sweep.ends == ("dead point", "dead point")
    cosines = [((b + sign * a) ** 2 - c**2 - d**2) / (2 * c * d) for sign in (1, -1)]
    assert [sweep.values[0], sweep.values[-1]] == pytest.approx(np.arccos(cosines), abs=1e-8)
    assert not sweep.singular  # the rows keep their rank


def five_bar(stretched=False):
    """Two cranks of 1 m on the ground, 1.6 m apart, two rods of 1.3 m that meet."""
    cranks, rods = [link(f"crank{k}", 1.0) for k in (1, 2)], [link(f"rod{k}", 1.3) for k in (1, 2)]
    feet = ((0.0, 0.0), (1.6, 0.0))
    pins = [mb.Pin(f"O{k + 1}", mb.GROUND, feet[k], cranks[k], (0, 0)) for k in range(2)]
    elbows = [mb.Pin(f"E{k + 1}", cranks[k], (1.0, 0), rods[k], (0, 0)) for k in range(2)]
    tip = mb.Pin("P", rods[0], (1.3, 0), rods[1], (1.3, 0))
    motors = [mb.Motor(f"m{k + 1}", pins[k], 0.0) for k in range(2)]
    return mb.Mechanism("five-bar", [*cranks, *rods], [*pins, *elbows, tip], motors), np.array(feet)


def test_a_five_bar_turns_back_where_its_rods_are_in_line():
    """A singular position of the second type: |E₁E₂| = 2.6 m, the other crank being held."""
    mechanism, feet = five_bar()
    found = g.doctor(mechanism, {"O1": 2.0, "O2": 1.0, "E1": -1.2, "E2": 1.2})
    here = dict(zip(found.coordinates, found.closed, strict=True))
    assert (found.mobility, found.driven, len(found.modes)) == (2, 2, 2)
    sweep = next(sweep for sweep in found.sweeps if sweep.joint == "O1")
    E2 = feet[1] + [np.cos(here["O2"]), np.sin(here["O2"])]
    expected = [np.arctan2(*(E - feet[0])[::-1]) for E in met(feet[0], 1.0, E2, 2.6)]
    ends = [x for x, why in zip((sweep.values[0], sweep.values[-1]), sweep.ends, strict=True) if why == "dead point"]
    assert ends
    for x in ends:
        assert min(abs(np.sin((x - y) / 2)) for y in expected) < 1e-8


def test_a_five_bar_with_a_stretched_leg_is_regular_and_driven():
    """A singular position of the first type is one of the tip, not of the rows nor of the motors."""
    mechanism, feet = five_bar()
    P = 2.3 * np.array([np.cos(1.0), np.sin(1.0)])
    E2 = met(feet[1], 1.0, P, 1.3)[1]
    crank = np.arctan2(*(E2 - feet[1])[::-1])
    values = {"O1": 1.0, "E1": 0.0, "O2": crank, "E2": np.arctan2(*(P - E2)[::-1]) - crank}
    found = g.doctor(mechanism, values, sweep=False)
    assert (found.verdict.verdict, found.driven) == ("regular", 2)
