"""Closed contacts where branches of the constraint set meet: what they leave, by branches and gaps that are known.

The set is a product of curves y = p(x), or a cusp x = s², y = m s² + k s⁴ + sⁿ, in the plane or on a surface z(x, y).
The truth is exact arithmetic alone: on each half of each curve the sign of the gap at two small rational s.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest

import gauss as g

SMALL = Fraction(1, 10**7), Fraction(1, 10**10)


def bead(row, wall, force=(1.0, 0.9)):
    return g.System(
        "bead",
        "x y",
        kinetic_energy=lambda v: 0.5 * (v.x**2 + v.y**2),
        force=list(force),
        constraints=[g.Holonomic("set", row), g.Unilateral("wall", wall)],
    )


def lines(q):
    return q.y**2 - q.x**2


def cusp(q):
    return q.y**2 - q.x**3


@pytest.mark.parametrize(
    ("wall", "force", "velocity", "verdict", "accelerations"),
    [
        # the wall lies under y = x on both sides: y = −x is left, for x ≤ 0
        (lambda q: q.y - q.x - q.x**2, (1.0, 0.9), (0, 0), "locked", [(0, 0)]),
        (lambda q: q.y - q.x - q.x**2, (-1.0, -0.9), (0, 0), "locked", [(-0.05, 0.05)]),
        (lambda q: q.y - q.x - q.x**2, (1.0, 0.9), (1, 1), "no smooth continuation", []),
        # it lies above: both are left
        (lambda q: q.y - q.x + q.x**2, (-1.0, -0.9), (0, 0), "branching", [(-0.95, -0.95), (-0.05, 0.05)]),
        (lambda q: q.y - q.x + q.x**2, (1.0, 0.9), (1, 1), "crossing", [(0.95, 0.95)]),
        # it crosses: half of y = x is left
        (lambda q: q.y - q.x - q.x**3, (1.0, 0.9), (0, 0), "locked", [(0, 0)]),
        (lambda q: q.y - q.x - q.x**3, (-1.0, -0.9), (0, 0), "branching", [(-0.95, -0.95), (-0.05, 0.05)]),
        (lambda q: q.y - q.x - q.x**3, (1.0, 0.9), (1, 1), "no smooth continuation", []),
        (lambda q: q.y - q.x - q.x**3, (1.0, 0.9), (-1, -1), "crossing", [(0.95, 0.95)]),
        # it is transversal to both
        (lambda q: q.y - 2 * q.x, (1.0, 0.9), (0, 0), "branching", [(0, 0)]),
        (lambda q: q.y - 2 * q.x, (1.0, 0.9), (-1, -1), "crossing", [(0.95, 0.95)]),
    ],
)
def test_contacts_where_two_lines_meet(wall, force, velocity, verdict, accelerations):
    found = g.classify(bead(lines, wall, force), [0, 0], velocity)
    assert found.verdicts == (verdict,)
    candidates = [x.a for x in found.accelerations.candidates if not x.confirmed.startswith("no")]
    agree(candidates, [np.array(a, dtype=float) for a in accelerations], len(accelerations) < 2)


@pytest.mark.parametrize(
    ("wall", "force", "verdict", "acceleration", "unique"),
    [
        (lambda q: q.y, (1.0, 0.0), "locked", (1.0, 0.0), True),  # the upper half is left
        (lambda q: q.y, (-1.0, 0.0), "locked", (0.0, 0.0), True),
        (lambda q: -q.x, (1.0, 0.0), "locked", (0.0, 0.0), True),  # none
        (lambda q: q.x, (1.0, 0.0), "branching", (1.0, 0.0), False),  # both
        (lambda q: q.y - 2 * q.x, (1.0, 0.0), "locked", (0.0, 0.0), True),
    ],
)
def test_contacts_at_a_cusp(wall, force, verdict, acceleration, unique):
    found = g.classify(bead(cusp, wall, force), [0, 0])
    assert found.verdicts == (verdict,)
    assert found.motion_unique is unique
    assert found.accelerations.status == "one"
    assert found.accelerations.candidates[0].a == pytest.approx(acceleration, abs=1e-12)
    assert "'wall'" in found.sentence or unique is False


def test_a_contact_that_open_conditions_decide_is_said_to_be_undecided():
    """A wall along one of the lines to a high order: no series tells on which side it is."""
    found = g.classify(bead(lines, lambda q: q.y - q.x - q.x**40), [0, 0])
    assert found.accelerations.status == "undecided"
    assert "'wall'" in found.sentence


@dataclass(frozen=True)
class Known:
    """A system at the origin whose branches and contact are known."""

    system: object
    masses: np.ndarray
    force: np.ndarray
    tangents: list
    seconds: list  # d²(x, y, …)/dx² along each branch; None on a cusp
    signs: list  # of the gap ahead and behind on each


def value(c, x):
    total = 0
    for a in reversed(c):
        total = total * x + a
    return total


def sign_of(gap, curve, half):
    found = [int(gap(*curve(half * s)) > 0) - int(gap(*curve(half * s)) < 0) for s in SMALL]
    return found[0] if all(a == b for a, b in pairwise(found)) else None


def known(seed):
    rng = np.random.default_rng(seed)

    def number(low, high):
        return Fraction(int(rng.integers(low, high + 1)))

    kind = str(rng.choice(["node", "tacnode", "triple", "cusp", "ramphoid"]))
    if kind in ("node", "tacnode", "triple"):
        slopes = [Fraction(int(k)) for k in rng.permutation([-2, -1, 0, 1, 2])[: 3 if kind == "triple" else 2]]
        series = [[Fraction(0), slope, number(-3, 3) / 2, number(-3, 3) / 2] for slope in slopes]
        if kind == "tacnode":
            series[1][1] = series[0][1]
            series[1][2] += int(series[1][2] == series[0][2])
        curves = [lambda s, p=p: (s, value(p, s)) for p in series]
        slopes, seconds = [p[1] for p in series], [2.0 * float(p[2]) for p in series]
        follow = [(0, 1, Fraction(1)), *((k, 0, -c) for k, c in enumerate(series[0]))]

        def row(q):
            return np.prod([q.y - value([float(c) for c in p], q.x) for p in series])
    else:
        n, m, k = 3 if kind == "cusp" else 5, number(-2, 2), number(-2, 2) / 2
        curves = [lambda s: (s * s, m * s**2 + k * s**4 + s**n)]
        slopes, seconds, follow = [m], [None], [(0, 1, Fraction(1)), (1, 0, -m), (2, 0, -k)]

        def row(q):
            return (q.y - float(m) * q.x - float(k) * q.x**2) ** 2 - q.x**n

    on = [number(-2, 2), number(-2, 2), number(-2, 2)]  # z = on₀ x + on₁ y + on₂ x y
    style = str(rng.choice(["generic", "tangent", "follow"]))
    if style == "generic":
        terms = [(a, b, number(-2, 2)) for a, b in ((1, 0), (0, 1), (2, 0), (0, 2))]
    elif style == "tangent":
        terms = [(0, 1, Fraction(1)), (1, 0, -slopes[0]), (2, 0, number(-2, 2) / 2), (3, 0, number(-2, 2))]
    else:
        terms = [*follow, (3, 0, number(-1, 1)), (4, 0, number(-1, 1))]
    side, high, spatial = int(rng.choice([-1, 1])), number(-1, 1), bool(rng.integers(2))

    def gap(x, y, z, of=Fraction):
        return side * sum(of(c) * x**a * y**b for a, b, c in terms) + of(high) * z

    def wall(q):
        return gap(q.x, q.y, q.z if spatial else 0.0, float)

    def lifted(s, curve):
        x, y = curve(s)
        return x, y, (on[0] * x + on[1] * y + on[2] * x * y) * int(spatial)

    count = 2 + spatial
    masses = np.array([1.0, *10.0 ** rng.integers(-2, 3, 2)])[:count]
    force = (rng.integers(-3, 4, 3) + 0.37 * rng.integers(0, 2, 3))[:count]
    rows = [g.Holonomic("set", row)]
    if spatial:
        a, b, c = map(float, on)
        rows.append(g.Holonomic("surface", lambda q: q.z - a * q.x - b * q.y - c * q.x * q.y))
    system = g.System(
        f"{kind} {seed}",
        "x y z" if spatial else "x y",
        kinetic_energy=lambda v: 0.5 * sum(m * x**2 for m, x in zip(masses, v, strict=True)),
        force=force.tolist(),
        constraints=[*rows, g.Unilateral("wall", wall)],
    )
    a, b, c = map(float, on)
    tangents = [np.array([1.0, float(m), a + b * float(m)])[:count] for m in slopes]
    seconds = [
        None if k is None else np.array([0.0, k, b * k + 2.0 * c * float(m)])[:count]
        for k, m in zip(seconds, slopes, strict=True)
    ]
    signs = [tuple(sign_of(gap, lambda s, e=e: lifted(s, e), half) for half in (1, -1)) for e in curves]
    return Known(system, masses, force, tangents, seconds, signs)


def at_rest(k):
    """Accelerations from rest; rest against the end of a branch is none where another branch lets the body go."""
    found = []
    for t, bend, (ahead, behind) in zip(k.tangents, k.seconds, k.signs, strict=True):
        push = float(t @ k.force) / float(t @ (k.masses * t))
        if bend is None:  # both halves of a cusp leave the same way
            found += [max(push, 0.0) * t] if max(ahead, behind) > 0 else []
        elif max(ahead, behind) > 0:
            found.append((push if (ahead if push > 0.0 else behind) > 0 else 0.0) * t)
    leaving = [a for a in found if np.any(a)]
    return leaving or found[:1] or [np.zeros(len(k.force))]


def moving(k, branch, speed):
    """Accelerations at a speed along a branch, on all branches with this tangent that the contact leaves."""
    found = []
    for t, bend, sides in zip(k.tangents, k.seconds, k.signs, strict=True):
        if np.array_equal(t, k.tangents[branch]) and sides[speed < 0.0] > 0:
            offset = bend * speed**2
            found.append(offset + float(t @ (k.force - k.masses * offset)) / float(t @ (k.masses * t)) * t)
    return found


def agree(found, wanted, zeros=True):
    """Both sets are the same; rest beside other accelerations need not be among them unless `zeros` count."""
    sets = [[a for a in given if zeros or np.any(np.abs(a) > 1e-9)] for given in (found, wanted)]
    for one, other in (sets, sets[::-1]):
        assert all(any(np.allclose(a, b, rtol=1e-6, atol=1e-7) for b in other) for a in one), (found, wanted)


@pytest.mark.sampled(10)
@pytest.mark.parametrize("seed", range(300))
def test_what_contacts_leave_of_known_branches(seed):
    k = known(seed)
    if any(sign in (0, None) for sides in k.signs for sign in sides):
        return  # the gap vanishes along a branch
    rng = np.random.default_rng(seed)
    smooth = [i for i, bend in enumerate(k.seconds) if bend is not None]
    branch, speed = (int(rng.choice(smooth)), float(rng.choice([-1.5, 1.5]))) if smooth and seed % 2 else (0, 0.0)
    try:
        found = g.classify(k.system, np.zeros(len(k.force)), speed * k.tangents[branch])
    except g.errors.InconsistentStateError:  # the contact closes: an impact
        assert speed
        assert k.signs[branch][speed < 0.0] < 0
        return
    if found.accelerations.status == "undecided":
        return
    wanted = moving(k, branch, speed) if speed else at_rest(k)
    candidates = [x.a for x in found.accelerations.candidates if not x.confirmed.startswith("no")]
    assert bool(candidates) == bool(wanted)
    agree(candidates, wanted, found.accelerations.status == "one")


@pytest.mark.parametrize(
    ("share", "power", "open_"), [(1.0, 8, False), (-1.0, 40, False), (-1.0, 4, True), (-1.0, 8, True)]
)
def test_what_closes_with_a_high_power_is_not_redundant(share, power, open_):
    """On y = (x − ½)² − 5/4 the gap is −share (x − ½)^power: that it never closes has to be seen."""

    def row(q):
        return q.y + 1.25 - (q.x - 0.5) ** 2

    found = g.classify(bead(row, lambda q: -row(q) - share * (q.x - 0.5) ** power, (1.0, 0.3)), [0.5, -1.25])
    assert found.verdicts == (("redundant",) if open_ else ("higher order",))
    assert found.accelerations.candidates[0].a == pytest.approx([1.0, 0.0])


@pytest.mark.parametrize("speed", [0.0, 1.0])
@pytest.mark.parametrize("side", [1.0, -1.0])
@pytest.mark.parametrize("factor", [lambda q: 2.0, lambda q: 2.0 + g.sin(q.x)])
def test_a_contact_that_rows_imply_leaves_a_doubled_guide_as_it_is(factor, side, speed):
    """The gap is ± that of a row that is given twice: it stays closed along y = x², and no force is needed."""

    def guide(q):
        return q.y - q.x**2

    rows = [g.Holonomic("guide", guide), g.Holonomic("again", lambda q: factor(q) * guide(q))]
    contacts = [g.Unilateral("wall", lambda q: side * guide(q)), g.Unilateral("table", lambda q: q.z)]
    system = g.System(
        "bead",
        "x y z",
        kinetic_energy=lambda v: 0.5 * (v.x**2 + v.y**2 + v.z**2),
        force=[1.0, 0.3, -1.0],
        constraints=[*rows, *contacts],
    )
    found = g.classify(system, [0, 0, 0], [speed, 0, 0])
    assert found.verdicts == ("redundant",)
    assert found.accelerations.status == "one"
    assert found.a == pytest.approx([1.0, 2.0 * speed**2, 0.0], abs=1e-9)


def test_a_contact_that_opens_by_rows_that_hold_it_binds_no_quadric():
    """On y = 2x and y = 2x − x² with z = −x − y − xy the gap x + y + z + … is 2(x² + y²) − xy: it opens on both."""
    system = g.System(
        "bead",
        "x y z",
        kinetic_energy=lambda v: 0.5 * (v.x**2 + 10.0 * v.y**2 + 100.0 * v.z**2),
        force=[1.0, 1.0, 0.0],
        constraints=[
            g.Holonomic("set", lambda q: (q.y - 2.0 * q.x) * (q.y - 2.0 * q.x + q.x**2)),
            g.Holonomic("surface", lambda q: q.z + q.x + q.y + q.x * q.y),
            g.Unilateral("wall", lambda q: q.x + q.y + q.z + 2.0 * (q.x**2 + q.y**2)),
        ],
    )
    tangent, masses, force = np.array([1.0, 2.0, -3.0]), np.array([1.0, 10.0, 100.0]), np.array([1.0, 1.0, 0.0])
    wanted = []
    for bend in (np.array([0.0, 0.0, -4.0]), np.array([0.0, -2.0, -2.0])):  # second derivatives by x on both
        offset = 1.5**2 * bend
        wanted.append(
            offset + tangent * float(tangent @ (force - masses * offset)) / float(tangent @ (masses * tangent))
        )
    found = g.classify(system, [0, 0, 0], -1.5 * tangent)
    assert found.accelerations.status == "several"
    agree([x.a for x in found.accelerations.candidates if not x.confirmed.startswith("no")], wanted)


def node(wall) -> g.System:
    """A bead of 1 kg on the lines y = x and y = -x, that falls, and a wall that touches them where they cross."""
    return g.System(
        "bead",
        "x y",
        kinetic_energy=lambda v: 0.5 * (v.x**2 + v.y**2),
        potential_energy=lambda q: 9.81 * q.y,
        constraints=[g.Holonomic("lines", lambda q: (q.y - q.x) * (q.y + q.x)), g.Unilateral("wall", wall)],
    )


@pytest.mark.parametrize(
    ("bend", "way"),
    [
        (lambda q: -(q.x**3), (-1.0, -1.0)),
        (lambda q: q.x**2, (1.0, 1.0)),
        (lambda q: q.x**2, (-1.0, -1.0)),
        (lambda q: q.x**4, (1.0, 1.0)),
        (lambda q: q.x**3, (-1.0, 1.0)),
    ],
)
def test_a_motion_through_a_node_leaves_a_wall_that_touches_its_line(bend, way):
    run = g.simulate(node(lambda q: q.y - q.x + bend(q)), [0, 0], way, t_end=0.3)
    assert run.ending.complete
    assert run.q[-1] == pytest.approx(0.3 * np.array(way) - np.array([way[0] * way[1], 1.0]) * 9.81 / 4.0 * 0.3**2)


@pytest.mark.parametrize(
    ("bend", "falls"),
    [(lambda q: q.x**2, True), (lambda q: -(q.x**3), True), (lambda q: q.x**4, True), (lambda q: q.x**3, False)],
)
def test_each_motion_that_a_wall_leaves_from_rest_at_a_node_is_followed(bend, falls):
    """Down along y = x, where the gap opens with a power of x; else the bead stays."""
    tree = g.simulate(node(lambda q: q.y - q.x + bend(q)), [0, 0], [0, 0], t_end=0.3, branches="all")
    ends = [branch.run.q[-1] for branch in tree.branches if branch.run.ending.complete]
    fallen = [end for end in ends if np.any(end)]
    assert len(fallen) == int(falls)
    assert all(end == pytest.approx([-9.81 / 4.0 * 0.3**2] * 2) for end in fallen)
    assert not any("broken off" in text for text in tree.left_out)


FOLLOWED = {  # two curves y = Σ c_k x^k, a wall y - Σ w_k x^k and its sign, force, masses, and the curves that are left
    "tacnode, both left": ((-1, 0, 1), (-1, 1, 0), (-1, 0, 1, -1), 1, (-1.0, -1.63), (1.0, 1.0), (0, 1)),
    "tacnode, one left": ((0, 0, -1), (0, 1, 1), (0, 0.25, 0.5), 1, (3.0, 0.0), (1.0, 0.1), (1,)),
    "tacnode, one left beside a wall": (
        (0, 1.5, -1),
        (0, 0.5, 0.5),
        (0, 0.5, 0.5, 1),
        -1,
        (0.37, -1.63),
        (1.0, 0.01),
        (1,),
    ),
    "node": ((0, 1.5, 1), (-1, 1.5, 0.5), (-1, 1.5, 1.5, 1), 1, (0.37, 3.37), (1.0, 100.0), (0, 1)),
}


@pytest.mark.parametrize("name", FOLLOWED)
def test_motions_from_rest_stay_on_the_branches_that_a_wall_leaves_and_keep_their_energy(name):
    *curves, wall, sign, force, masses, left = FOLLOWED[name]

    def height(c, x):
        return sum(a * x ** (k + 1) for k, a in enumerate(c))

    system = g.System(
        "bead",
        "x y",
        kinetic_energy=lambda v: 0.5 * (masses[0] * v.x**2 + masses[1] * v.y**2),
        force=list(force),
        constraints=[
            g.Holonomic("set", lambda q: (q.y - height(curves[0], q.x)) * (q.y - height(curves[1], q.x))),
            g.Unilateral("wall", lambda q: sign * (q.y - height(wall, q.x))),
        ],
    )
    tree = g.simulate(system, [0, 0], [0, 0], t_end=0.04, branches="all")
    moved = [branch.run for branch in tree.branches if np.any(branch.run.q[-1])]
    assert all(run.ending.complete for run in moved)
    on = [int(np.argmin([abs(run.q[-1, 1] - height(c, run.q[-1, 0])) for c in curves])) for run in moved]
    assert sorted(on) == list(left), str(tree)
    for run, k in zip(moved, on, strict=True):
        (x, y), v = run.q[-1], run.v[-1]
        assert y == pytest.approx(height(curves[k], x), rel=1e-9, abs=1e-12)
        assert sign * (y - height(wall, x)) > 0.0
        assert 0.5 * (np.array(masses) @ v**2) == pytest.approx(np.array(force) @ run.q[-1], rel=1e-6)
