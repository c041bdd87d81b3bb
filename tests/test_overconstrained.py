"""Mechanisms with too many rows, or at change points: doors, rails, loops of hinges, chains of four-bars."""

from __future__ import annotations

import hinged_loops
import numpy as np
import pytest
from proofs import together

import gauss as g
from gauss import bodies as mb

EPS = float(np.finfo(float).eps)
X, Y, Z = np.eye(3)
G = 9.81


@pytest.fixture(scope="module")
def points():
    return together("four_bar_chain")


@pytest.fixture(scope="module")
def natural():
    return together("bricard")


# ------------------------------------------------------------------ doors and rails

MASS, WIDTH, SPAN = 30.0, 0.9, 1.6  # kg, m, m between the hinges


def door(kind, **options):
    plate = mb.Body("plate", mb.box(MASS, (WIDTH, 0.04, 2.1)))
    hinges = [
        kind(name, mb.GROUND, (0, 0, z), plate, (-WIDTH / 2, 0, z), **options)
        for name, z in (("low", -SPAN / 2), ("high", SPAN / 2))
    ]
    return mb.Mechanism("door", [plate], hinges), plate


def test_a_door_on_two_hinges_has_five_rows_too_many():
    frame, plate = door(mb.Revolute, axis1=Z)
    built = mb.assemble(frame, plate.pose((0.4, 0.1, 0.05), mb.about((1, 2, 3), 0.3), angular_velocity=2.0 * Z))
    assert (built.mobility, built.regularity.rank, len(built.regularity.rows)) == (1, 11, 16)
    assert built.redundant == tuple(f"high[{k}]" for k in range(5))
    assert all(group[-1] == row for group, row in zip(built.dependent, built.redundant, strict=True))
    assert built.rates["low"] == pytest.approx(built.rates["high"], rel=1e-12)
    assert built.verdict.verdict == "redundant"
    open_rows = set(built.verdict.reactions.undetermined)
    assert {f"{name}[{k}]" for name in ("low", "high") for k in range(5)} <= open_rows


def test_on_two_ball_joints_only_the_weight_is_shared_in_an_open_way():
    frame, plate = door(mb.Spherical)
    turning = 1.7  # rad/s
    built = mb.assemble(
        frame,
        plate.pose((0.4, 0.1, 0.05), mb.about(Z, 0.6), velocity=(0, 0, 0), angular_velocity=(0, 0, turning)),
    )
    assert (built.mobility, built.regularity.rank, len(built.regularity.rows)) == (1, 11, 12)
    assert built.redundant == ("high[2]",)
    assert set(built.dependent[0]) == {"plate rigid[2]", "low[2]", "high[2]"}
    found = built.verdict.reactions
    assert set(found.undetermined) == set(built.dependent[0])
    along = np.array(plate.placed(frame.named(built.state.q)).direction(X))
    spin = float(frame.named(built.state.v).plate_R21) / float(frame.named(built.state.q).plate_R11)
    pull = MASS * spin**2 * WIDTH / 4 * along  # half of what keeps the centre on its circle
    lever = MASS * G * WIDTH / (2 * SPAN) * along  # moment of the weight
    for name, expected in (("low", lever - pull), ("high", -lever - pull)):
        for k in range(2):
            low, high = found.range_of(f"{name}[{k}]")
            assert low == high == pytest.approx(expected[k], abs=1e-11 * MASS * G)
        assert found.range_of(f"{name}[2]") == (-np.inf, np.inf)
    total = sum(found.multipliers[found.rows.index(f"{name}[2]")] for name in ("low", "high"))
    assert total == pytest.approx(MASS * G, rel=1e-12)


def cart(kind, eccentric=0.0, **options):
    """A cart of 5 kg on two rails along x at y = ±0.2 m; its centre of mass is `eccentric` (m) beside the middle."""
    frame = mb.Body("cart", mb.Inertia.of_tensor(5.0, [0.05, 0.07, 0.1], centre=(0, eccentric, 0.1)))
    rails = [
        kind(name, mb.GROUND, (0, y, 0), frame, (0, y, 0), X, **options) for name, y in (("left", 0.2), ("right", -0.2))
    ]
    return mb.Mechanism("cart", [frame], rails), frame


def test_a_cart_in_two_bearings_on_parallel_rails_has_three_rows_too_many_and_known_loads():
    eccentric, push = 0.05, 7.0
    machine, frame = cart(mb.Cylindrical, eccentric)
    machine = mb.Mechanism("cart", [frame], machine.joints, [mb.PointForce("push", frame, (0, 0, 0), (0, push, 0))])
    built = mb.assemble(machine, frame.pose((0.3, 0.02, 0.01), mb.about((1, 1, 2), 0.1)))
    assert (built.mobility, built.regularity.rank, len(built.regularity.rows)) == (1, 11, 14)
    assert len(built.redundant) == 3
    assert all(row.startswith("right") for row in built.redundant)
    assert built.moving == ("left[1]", "right[1]")  # the bearings could turn, the cart cannot
    found = built.verdict.reactions
    # rows 0 and 1 of a rail are forces along u and w, `across` the rail; X has u = Y and w = Z
    loads = [found.range_of(f"{name}[1]") for name in ("left", "right")]
    expected = [5.0 * G * (0.5 + sign * eccentric / 0.4) for sign in (1, -1)]
    assert [low for low, _ in loads] == pytest.approx(expected, rel=1e-11)
    assert [high for _, high in loads] == pytest.approx(expected, rel=1e-11)
    assert {"left[0]", "right[0]"} <= set(found.undetermined)
    total = sum(found.multipliers[found.rows.index(f"{name}[0]")] for name in ("left", "right"))
    assert total == pytest.approx(-push, rel=1e-11)


def test_a_cart_that_slides_without_turning_on_both_rails_has_five_rows_too_many():
    frame = mb.Body("cart", mb.box(5.0, (0.4, 0.3, 0.1)))
    rails = [
        mb.Prismatic(f"rail {k}", mb.GROUND, (0, y, 0), frame, (0, y, 0), axis1=X) for k, y in ((1, 0.2), (2, -0.2))
    ]
    built = mb.assemble(mb.Mechanism("cart", [frame], rails), frame.pose((0.3, 0, 0)))
    assert (built.mobility, built.regularity.rank) == (1, 11)
    assert built.redundant == tuple(f"rail 2[{k}]" for k in range(5))
    flat = mb.PlanarBody("block", 2.0, 0.1)
    guides = [mb.Slider(f"rail {k}", mb.GROUND, (0, y), flat, (0, y)) for k, y in ((1, 0.2), (2, -0.2))]
    plane = mb.assemble(mb.Mechanism("block", [flat], guides), flat.pose((0.3, 0.1), 0.2))
    assert (plane.mobility, plane.redundant) == (1, ("rail 2[0]", "rail 2[1]"))


def test_rails_that_are_not_parallel_lock_the_cart():
    frame = mb.Body("cart", mb.box(5.0, (0.4, 0.3, 0.1)))
    askew = mb.about(Z, 0.01) @ X
    rails = [
        mb.Cylindrical("left", mb.GROUND, (0, 0.2, 0), frame, (0, 0.2, 0), X),
        mb.Cylindrical("right", mb.GROUND, (0, -0.2, 0), frame, (0, -0.2, 0), askew, askew),
    ]
    built = mb.assemble(mb.Mechanism("cart", [frame], rails), frame.pose((0.01, 0, 0)), modes="nearest")
    assert (built.mobility, built.regularity.rank, len(built.regularity.rows)) == (0, 12, 14)
    assert built.values["left[1]"] == pytest.approx(0.0, abs=1e-12)


# ------------------------------------------------------------------ Bricard's rectangular loop


def distance_from_curve(natural, q):
    """How far the joints of the bodies are from Bricard's closed curve, and σ there."""
    values = natural.hinged.named(q)
    axes = [natural.bars[i].placed(values).direction(natural.AXES[i]) for i in range(1, 5)]
    joints = np.concatenate([natural.ends_of_bodies(values), np.ravel(axes)])
    sigma = float(natural.sigma_of(joints))
    return float(np.max(np.abs(joints - natural.on_curve(sigma)))), sigma


def test_bricards_loop_closes_from_rough_poses_with_one_row_too_many(natural):
    rng = np.random.default_rng(3)
    poses = [
        bar.pose(middle + 0.1 * rng.normal(size=3), mb.about(rng.normal(size=3), 0.2))
        for bar, middle in zip(natural.bars, natural.MIDDLES, strict=True)
    ]
    q, _ = natural.hinged.state(*poses)
    off = natural.hinged.system.model.terms(q, 0 * q, 0.0, natural.hinged.system.theta()).J
    assert np.linalg.matrix_rank(off) == 60
    built = mb.assemble(natural.hinged, *poses)
    assert (built.mobility, built.regularity.rank, len(built.regularity.rows)) == (1, 59, 60)
    assert built.redundant == ("hinge 5[4]",)
    assert built.regularity.sigma[-1] < 1e-14  # the loops are closed to rounding, or it would be as large as the gap
    assert distance_from_curve(natural, built.state.q)[0] < 100 * EPS


@pytest.mark.long
def test_with_one_hinge_held_bricards_loop_has_the_two_modes_of_its_curve(natural):
    turn = 0.3
    bars = [bar.pose(middle) for bar, middle in zip(natural.bars, natural.MIDDLES, strict=True)]
    bars[0] = natural.bars[0].pose(natural.POINTS[0] + mb.about(Y, turn) @ natural.MIDDLES[0], mb.about(Y, turn))
    built = mb.assemble(natural.hinged, *bars, hold="hinge 0", starts=30)
    assert len(built.modes) == 2
    assert not built.complete
    assert [mode.values["hinge 0"] for mode in built.modes] == pytest.approx([turn, turn], abs=10 * EPS)
    off, sigma = np.transpose([distance_from_curve(natural, mode.state.q) for mode in built.modes])
    assert np.max(off) < 100 * EPS
    assert sigma[0] == pytest.approx(-sigma[1], abs=100 * EPS)  # θ is even in σ and φ odd, on the whole curve


@pytest.mark.long
def test_bricards_loop_of_bodies_falls_as_its_one_equation(natural):
    q, v = natural.as_bodies(np.array(natural.start.q), np.zeros(24))
    run = g.simulate(natural.hinged.system, q, v, t_end=10.0, rtol=1e-11, progress="none")
    exact = np.array([natural.on_curve(s)[:12] for s in natural.one_equation(run.t)])
    assert (
        np.max(np.abs(natural.ends_of_bodies(run).reshape(12, -1).T - exact)) < 1e-9
    )  # 157 steps that err by 1e-11 each
    assert np.ptp(run.energy) < 1e-9
    last = g.classify(natural.hinged.system, run.q[-1], run.v[-1])
    assert (last.verdict, last.regularity.rank) == ("redundant", 59)


# ------------------------------------------------------------------ four-bars at their change points


def linkage(grounds, rocker, coupler):
    """The chain of four_bar_chain from bodies: uniform bars of 1 kg, rockers at (grounds[i], 0)."""

    def bar(name, length):
        return mb.PlanarBody(name, 1.0, length**2 / 12, (length / 2, 0.0))

    rockers = [bar(f"rocker{i}", rocker) for i in range(len(grounds))]
    couplers = [bar(f"coupler{i}", coupler) for i in range(len(grounds) - 1)]
    pins = [mb.Pin(f"A{i}", mb.GROUND, (x, 0), body, (0, 0)) for i, (x, body) in enumerate(zip(grounds, rockers))]
    for i, body in enumerate(couplers):
        pins.append(mb.Pin(f"B{i}", rockers[i], (rocker, 0), body, (0, 0)))
        pins.append(mb.Pin(f"C{i}", body, (coupler, 0), rockers[i + 1], (rocker, 0)))
    return mb.Mechanism("linkage of bodies", [*rockers, *couplers], pins)


def flat(machine, grounds, rocker, coupler, heights):
    """The flat position θ = 0 with given velocities (m/s) of the rockers' ends."""
    count = len(grounds)
    rockers, couplers = machine.bodies[:count], machine.bodies[count:]
    poses = [body.pose((x, 0), rate=h / rocker) for body, x, h in zip(rockers, grounds, heights, strict=True)]
    for i, body in enumerate(couplers):
        rate = (heights[i + 1] - heights[i]) / coupler
        poses.append(body.pose((grounds[i] + rocker, 0), velocity=(0, heights[i]), rate=rate))
    return machine.state(*poses)


def ends(machine, a, count, rocker):
    """Accelerations (2 count,) of the rockers' ends, from those of the cosines and sines."""
    values = machine.named(a)
    return np.ravel([[rocker * values[f"rocker{i}_{x}"] for x in "cs"] for i in range(count)])


@pytest.mark.sampled(8)
@pytest.mark.parametrize(("a", "b"), [(1.0, 0.6), (1.0, 1.0), (0.7, 1.2)])
@pytest.mark.parametrize("line", [None, 0, 1])
def test_a_flat_parallelogram_of_bodies_is_judged_as_its_twin_of_points(points, a, b, line):
    heights = np.zeros(2)
    if line is not None:
        heights = points.parallelogram_lines(a, b)[line]
        heights = 0.9 * heights / np.max(np.abs(heights))
    machine = linkage([0.0, a], b, a)
    found = g.classify(machine.system, *flat(machine, [0.0, a], b, a, heights))
    twin = g.classify(points.parallelogram(a, b), [b, 0, a + b, 0], [0, heights[0], 0, heights[1]])
    assert found.verdicts == twin.verdicts == (("branching",) if line is None else ("crossing",))
    assert len(found.candidates) == len(twin.candidates)
    mine = np.array([ends(machine, c.a, 2, b) for c in points.singles(found)])
    theirs = np.array([c.a for c in points.singles(twin)])
    closed = points.parallelogram_accelerations(a, b, 0.0 if line is None else 0.9)
    closed = closed if line is None else closed[[line]]
    assert len(mine) == len(theirs) == len(closed)
    for expected in (theirs, closed):
        worst = max(float(np.min(np.max(np.abs(mine - one), axis=1))) for one in expected)
        assert worst < 1e-12 * G / b  # m/s²: rounding of the completed rows
    # the crank's angular acceleration: its end has ÿ = b φ̈ at the angle 0
    assert np.sort(mine[:, 1] / b) == pytest.approx(np.sort(closed[:, 1] / b), abs=1e-12 * G / b)


def test_three_parallelograms_of_bodies_at_rest_have_the_four_accelerations_of_their_lines(points):
    grounds = [0.0, 1.0, 2.0, 3.0]
    machine = linkage(grounds, 1.0, 1.0)
    found = g.classify(machine.system, *flat(machine, grounds, 1.0, 1.0, np.zeros(4)))
    expected, falls = points.branches_at_rest(3)
    assert found.verdicts == ("branching",)
    lines = points.singles(found)
    assert len(lines) == 4
    mine = np.array([ends(machine, c.a, 4, 1.0) for c in lines])
    assert max(float(np.min(np.max(np.abs(mine - one), axis=1))) for one in expected) < 1e-11 * G
    zwang = np.array([c.zwang for c in lines])
    assert zwang - zwang[0] == pytest.approx(np.sort(-falls) - np.min(-falls), rel=1e-10)


EXUDYN = {  # IFToMM A02 with N = 2, place and velocity of B₀ at 10 s, for steps of 0.25 and 0.125 ms
    0.25e-3: [0.3284552113, 0.9445195467, 1.423045728, -0.4948619021],
    0.125e-3: [0.3284573768, 0.9445187937, 1.423050003, -0.4948670827],
}


@pytest.mark.long
@pytest.mark.parametrize("loops", [1, 2])
def test_a_chain_of_bodies_swings_through_its_flat_positions_as_published(points, loops):
    machine = linkage([float(i) for i in range(loops + 1)], 1.0, 1.0)
    rockers, couplers = machine.bodies[: loops + 1], machine.bodies[loops + 1 :]
    poses = [body.pose((i, 0), np.pi / 2, rate=-1.0) for i, body in enumerate(rockers)]
    poses += [body.pose((i, 1), velocity=(1, 0)) for i, body in enumerate(couplers)]
    run = g.simulate(machine.system, *machine.state(*poses), t_end=10.0, rtol=1e-12, progress="none")
    theta = points.angle(run.t, loops)
    for i in range(loops + 1):
        assert np.max(np.abs(run[f"rocker{i}_c"] - np.cos(theta))) < 1e-8  # steps of 1e-12 that grow when upright
        assert np.max(np.abs(run[f"rocker{i}_s"] - np.sin(theta))) < 1e-8
    passed = [event.t for event in run.events if event.kind == "singular"]
    assert np.max(np.abs(np.sin(points.angle(np.array(passed), loops)))) < 1e-8
    assert len(passed) == np.sum(np.diff(np.sign(np.sin(points.angle(np.linspace(1e-9, 10.0, 4000), loops)))) != 0)
    if loops == 2:
        coarse, fine = (np.array(EXUDYN[h]) for h in (0.25e-3, 0.125e-3))
        limit = fine + (fine - coarse) / 3  # Richardson: the printed values converge with the square of the step
        found = [run[name][-1] for name in ("rocker0_c", "rocker0_s", "d_rocker0_c", "d_rocker0_s")]
        assert found == pytest.approx(limit, abs=1e-7)  # what is left after the extrapolation, 1e-8, and printed digits


# ------------------------------------------------------------------ single loops that move against the count

LOOPS = {
    "Bennett": lambda: hinged_loops.bennett(2.2, 0.3, 2.4, seed=1),
    "Bricard, plane-symmetric": lambda: hinged_loops.plane_symmetric(0),
    "Sarrus": lambda: hinged_loops.sarrus(15),
}


@pytest.mark.parametrize("kind", LOOPS)
def test_a_loop_that_moves_is_no_isolated_point_though_its_lengths_are_rounded(kind):
    """Noise of the solved coordinates grows with the order as their series does; it hides what rounding makes."""
    loop = LOOPS[kind]()
    angles, rates, _ = loop.truth(0.0)
    machine = loop.mechanism("joint")
    found = g.uniqueness.germ_of(machine.system, machine.system.state(*loop.state(machine, angles, rates)))
    assert (found.status, found.dimension) == ("smooth", 1)


@pytest.mark.parametrize("rate", [0.0, 2.0])
def test_bennetts_loop_has_the_accelerations_of_its_one_equation_in_both_coordinates(rate):
    loop = hinged_loops.bennett(2.2, 0.3, 2.4, seed=1)
    angles, rates, a = loop.truth(rate)
    for coordinates in ("natural", "joint"):
        machine = loop.mechanism(coordinates)
        found = g.classify(machine, *loop.state(machine, angles, rates))
        assert (found.verdict, found.unique) == ("redundant", True)
        assert found.regularity.rank == machine.system.n - 1
        assert {row for row in found.open_forces if row.startswith("hinge")}
        if coordinates == "joint":
            mine = loop.accelerations(machine, found)
            assert np.nanmax(np.abs(mine - a)) < 1e-12 * np.max(np.abs(a))
            assert np.nanmax(np.abs(mine - a)) < found.error < 1e-9


@pytest.mark.long
def test_collapsed_sarrus_loop_lifts_its_platform_or_swings_its_folded_legs():
    """Two legs of 1.1 and 1, in twos: each swings about its own two hinges, or all are erected, 1.1 θ = φ."""
    loop = hinged_loops.collapsed(15)
    with hinged_loops.mp.workdps(hinged_loops.DIGITS):
        one, other = [1, 0, -1, 0, 0, 0], [0, 0, 0, 1, 0, -1]
        ratio = hinged_loops.mp.mpf("1.1")
        swung, lifted = loop.pulled([one, other]), loop.pulled([[1, -2, 1, ratio, -2 * ratio, ratio]])
    machine = loop.mechanism("joint")
    q, v = loop.state(machine, [hinged_loops.mp.mpf(0)] * 6, [hinged_loops.mp.mpf(0)] * 6)
    found = g.classify(machine, q, v)
    assert (found.verdicts, found.unique) == (("branching", "redundant"), False)
    names = machine.system.coordinates
    expected = [np.array([a[int(name.removeprefix("hinge"))] for name in names]) for a in (swung, lifted)]
    accelerations = [x.a for x in found.accelerations.candidates]
    for a in expected:
        assert min(np.max(np.abs(a - x)) for x in accelerations) < 1e-9 * np.max(np.abs(a))
    others = [x for x in accelerations if all(np.max(np.abs(a - x)) > 1e-3 for a in expected)]
    assert all(np.max(np.abs(x)) < 1e-6 for x in others)  # rest


def nearly_one(ratio, third=False):
    """y = 0 beside y = ε (x + x²): only x = 0 is on both, however small ε is."""
    rows = [g.Holonomic("line", lambda q: q.y), g.Holonomic("curve", lambda q: q.y - ratio * (q.x + q.x**2))]
    rows += [g.Holonomic("copy", lambda q: 3.0 * q.y)] * third
    return g.System(
        "bead",
        "x y",
        kinetic_energy=lambda v: 0.5 * (v.x**2 + v.y**2),
        potential_energy=lambda q: 3.0 * q.x + G * q.y,
        constraints=rows,
    )


@pytest.mark.parametrize("third", [False, True])
@pytest.mark.parametrize("ratio", [1e-8, 1e-10, 1e-12])
def test_a_velocity_that_nearly_dependent_rows_forbid_leaves_no_digit_of_the_acceleration(ratio, third):
    found = g.classify(nearly_one(ratio, third), [0.0, 0.0], [1.0, 0.0])
    assert found.blurred  # by ψ = ε the velocity is off by all of itself
    assert found.error > np.linalg.norm(found.a)


def test_a_hinge_that_is_tilted_leaves_no_digit_to_a_bennett_loop_that_moves_all_the_same():
    loop = hinged_loops.bennett(1.1, 0.7, 1.3)
    angles, rates, _ = loop.truth(2.0)
    with hinged_loops.mp.workdps(hinged_loops.DIGITS):
        tilted = hinged_loops.unit(loop.axes[1] + hinged_loops.mp.matrix([3e-10, -2e-10, 4e-10]))
    rigid = hinged_loops.Loop(loop.points, (loop.axes[0], tilted, *loop.axes[2:]))
    for coordinates in ("natural", "joint"):
        machine = rigid.mechanism(coordinates)
        q, v = rigid.state(machine, angles, rates)
        at_rest, moving = g.classify(machine, q), g.classify(machine, q, v)
        assert at_rest.regularity.rank == machine.system.n
        assert at_rest.a == pytest.approx(0.0, abs=at_rest.error)
        assert moving.blurred


def skew(q, base):
    """Coordinates (5,) in axes that no row is along."""
    x = [q.a, q.b, q.c, q.d, q.e]
    return [sum(float(base[i, j]) * x[j] for j in range(5)) for i in range(5)]


def two_rows_beside_a_crossing(base, ratio, force, masses):
    """x₀x₁ = 0, x₂ = 0 and a row that differs from it by little; x are skew coordinates."""
    rows = [
        g.Holonomic("crossing", lambda q: skew(q, base)[0] * skew(q, base)[1]),
        g.Holonomic("one", lambda q: skew(q, base)[2]),
        g.Holonomic("other", lambda q: (u := skew(q, base))[2] - ratio * (u[3] + u[3] ** 2 + u[4])),
    ]
    return g.System(
        "two beside a crossing",
        "a b c d e",
        kinetic_energy=lambda v: 0.5 * sum(m * x**2 for m, x in zip(masses, v, strict=True)),
        force=[float(x) for x in force],
        constraints=rows,
    )


@pytest.mark.parametrize("speed", [1.3, 0.0])
@pytest.mark.parametrize(
    ("off", "ratio"),
    [(0.0, 1e-9), (0.0, 1e-11), (1e-13, 1e-11), (1e-9, 1e-9), (6.6e-13, 5.6e-8), (3.6e-15, 1.2e-9), (4e-15, 7e-8)],
)
def test_two_rows_that_differ_by_little_stay_two_beside_a_crossing(off, ratio, speed):
    rng = np.random.default_rng(3)
    base, x = np.linalg.qr(rng.normal(size=(5, 5)))[0], 0.37
    for masses in (np.ones(5), 10.0 ** rng.uniform(-1, 1, 5), 10.0 ** rng.uniform(-1, 1, 5)):
        force, aside = 5.0 * rng.normal(size=5), off * rng.normal(size=5)
        system = two_rows_beside_a_crossing(base, ratio, base.T @ force, masses)
        M, along = base @ np.diag(masses) @ base.T, np.array([speed, 0, 0, 1, -1 - 2 * x])
        v = along if speed else 0.0 * along
        found = g.classify(system, base.T @ (np.array([0, 0, 0, x, -x - x**2]) + aside), base.T @ v)
        exact = []
        for k in (1, 0):  # the branches x₁ = 0 and x₀ = 0; the motion is along the former
            G = np.array([np.eye(5)[k], [0, 0, 1, 0, 0], [0, 0, 0, 1 + 2 * x, 1]])
            saddle = np.block([[M, G.T], [G, np.zeros((3, 3))]])
            exact.append(np.linalg.solve(saddle, np.concatenate([force, [0, 0, -2.0 * v[3] ** 2]]))[:5])
        if speed:
            assert (found.verdict, found.regularity.rank) == ("crossing", 2)
        else:
            assert found.verdict == "branching"
        listed = [base @ c.a for c in found.candidates if c.confirmed.startswith("confirmed")] or [base @ found.a]
        off_by = [min(np.sqrt((a - c) @ M @ (a - c)) for c in listed) for a in exact[: len(listed)]]
        assert len(listed) == (1 if speed else 2)
        assert max(off_by) < found.error < 0.1


@pytest.mark.parametrize(
    ("share", "words"), [(1e-3, {"locked"}), (1e-8, {"locked"}), (1e-10, None), (1e-14, {"redundant"})]
)
def test_a_loop_that_moves_to_first_order_only_is_locked_as_far_as_rounding_tells(share, words):
    loop = hinged_loops.bent_hyperboloid(hinged_loops.bennett(1.1, 0.7, 1.3), share)
    machine = loop.mechanism("joint")
    found = g.classify(machine, *loop.state(machine, [0.0] * 4, [0.0] * 4))
    assert found.regularity.rank == 2
    if words is None:
        assert not found.unique
    else:
        assert (set(found.verdicts), found.unique) == (words, True)
        assert (np.linalg.norm(found.a) > 1.0) == (words == {"redundant"})


def doubled(excess):
    """y = 0 beside y + excess (eˣ − 1 − x) = 0, which is the difference of two large terms."""

    def bow(x):
        return g.exp(x) - 1.0 - x

    return g.System(
        "bead",
        "x y",
        kinetic_energy=lambda v: 0.5 * (v.x**2 + v.y**2),
        potential_energy=lambda q: 3.0 * q.x + G * q.y,
        constraints=[
            g.Holonomic("line", lambda q: q.y),
            g.Holonomic("bow", lambda q: q.y + (1.0 + excess) * bow(q.x) - bow(q.x)),
        ],
    )


@pytest.mark.parametrize("excess", [1e-16, 1e-14, 1e-12, 1e-9, 1e-4])
def test_a_copy_of_a_row_that_bends_off_it_is_none_as_far_as_rounding_tells(excess):
    """Only x = 0 is on both rows; where rounding hides that, no single acceleration is promised."""
    found = g.classify(doubled(excess), [0.0, 0.0])
    if excess < 1e-15:
        assert (found.verdict, found.unique) == ("redundant", True)
    elif excess < 1e-10:
        assert (found.verdict, found.unique) == ("undecided", False)
    else:
        assert (found.verdict, found.unique) == ("locked", True)
        assert found.a == pytest.approx(0.0, abs=found.error)
