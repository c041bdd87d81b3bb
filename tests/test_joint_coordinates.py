"""Joint coordinates against natural ones, which share no code with the recursion along the tree."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest
import robots
from scipy.spatial.transform import Rotation

import gauss as g
from gauss import bodies as mb
from gauss import scenario as pages
from gauss.errors import InputError

JOINED = (mb.Revolute, mb.Spherical, mb.Prismatic, mb.Cylindrical, mb.Universal, mb.Weld, mb.Pin, mb.Slider)
GRAVITY = 9.81  # m/s²
STEERED = ("balancing_robot", "ballbot_in_space")  # their controls take natural coordinates by number
CHAOTIC = ("slider_crank_clearance",)  # hundreds of impacts, which part after the first accumulation
TEXTS = {name: pages.find(name).read_text(encoding="utf-8") for name in pages.names()}
MECHANISMS = [name for name, text in TEXTS.items() if "mb.Mechanism(" in text and 'coordinates="joint"' not in text]


@cache
def both(name):
    """The natural and the joint system of a scenario, with a start in each."""
    page = pages.load(name)
    mechanism = replace(page.system.source, coordinates="joint")
    system = mechanism.system
    if page.system.parameters:
        system = system.with_parameters(**page.system.parameters)
    state = page.system.state(page.start.q, page.start.v)
    joint = mechanism.state(*poses(mechanism, page.system.coordinates, state.q, state.v))
    return page, mechanism, system, (state.q, state.v), joint


def poses(mechanism, names, q, v):
    """The poses of all bodies from natural coordinates."""
    place, rate = (dict(zip(names, x, strict=True)) for x in (q, v))
    bodies = ((body.name, body.coordinates) for body in mechanism.bodies)
    return [mb.Pose(body, {n: place[n] for n in own}, {n: rate[n] for n in own}) for body, own in bodies]


@pytest.mark.sampled(4)
@pytest.mark.parametrize("name", MECHANISMS)
def test_the_start_is_the_same_state(name):
    page, _, system, natural, joint = both(name)
    q, v, _ = (x[0] for x in system.twin.states(joint[0][None], joint[1][None], 0.0 * joint[1][None]))
    assert np.allclose(q, natural[0], atol=1e-13)
    assert np.allclose(v, natural[1], atol=1e-12)
    if not system.model.conservative:
        return
    energies = [
        sum(float(x[0]) for x in s.model.energies(q[None], v[None], np.zeros(1), s.theta()))
        for s, (q, v) in ((page.system, natural), (system, joint))
    ]
    assert energies[0] == pytest.approx(energies[1], rel=1e-12, abs=1e-12)


@pytest.mark.sampled(8)
@pytest.mark.parametrize("name", MECHANISMS)
def test_accelerations_and_verdicts_are_the_same(name):
    page, _, system, natural, joint = both(name)
    one, two = g.accelerate(page.system, *natural), g.accelerate(system, *joint)
    assert one.unique == two.unique
    assert one.verdict == two.verdict
    a = system.twin.states(joint[0][None], joint[1][None], two.a[None])[2][0]
    assert np.max(np.abs(a - one.a)) <= 1e-9 * max(1.0, np.max(np.abs(one.a)))
    assert len(page.system.row_names) - page.system.n == len(system.row_names) - system.n


@pytest.mark.sampled(4)
@pytest.mark.parametrize("name", MECHANISMS)
def test_motions_reactions_and_events_are_the_same(name):
    page, mechanism, system, natural, joint = both(name)
    if name in STEERED:
        pytest.skip("its control takes natural coordinates by number")
    end = 0.01 if name in CHAOTIC else min(page.start.t_end, 0.5)
    kept = {key: x for key, x in page.start.options.items() if key in ("u", "control", "allow_energy_gain")}
    one, two = (g.simulate(s, *x, t_end=end, rtol=1e-11, **kept) for s, x in ((page.system, natural), (system, joint)))
    count = 15 if name in CHAOTIC else None  # where an accumulation begins is a matter of rounding
    assert [event.kind for event in one.events[:count]] == [event.kind for event in two.events[:count]]
    times = np.linspace(0.0, end, 5)
    one, two = one.at(times), two.at(times)
    seen = two.natural
    for a, b, bound in ((one.q, seen.q, 1e-9), (one.v, seen.v, 1e-8), (one.a, seen.a, 1e-8)):
        assert np.max(np.abs(a - b)) <= bound * max(1.0, np.max(np.abs(a)))
    assert np.allclose(one.energy, two.energy, rtol=1e-10, atol=1e-9)
    for link in mechanism.joints:
        if isinstance(link, JOINED):
            given, found = mb.reaction(one, link), mb.reaction(two, link)
            size = max(1.0, float(np.max(np.abs(given.force))))
            assert np.max(np.abs(given.force - found.force)) <= 1e-8 * size
            assert np.max(np.abs(given.torque - found.torque)) <= 1e-8 * size
            assert np.allclose(two[f"{link.name}.force"], given.force, atol=1e-8 * size)


# ------------------------------------------------------------------ every joint, either way round

JOINTS = {
    "revolute": lambda a, b: mb.Revolute("j", a, (0.1, 0.2, -0.1), b, (-0.2, 0.1, 0.3), (1, 2, 0.5), (0.3, -1, 2)),
    "prismatic": lambda a, b: mb.Prismatic(
        "j", a, (0.1, 0.2, -0.1), b, (-0.2, 0.1, 0.3), mb.about((1, 1, 0), 0.7), axis1=(1, 2, 0.5)
    ),
    "cylindrical": lambda a, b: mb.Cylindrical(
        "j", a, (0.1, 0.2, -0.1), b, (-0.2, 0.1, 0.3), (1, 2, 0.5), (0.3, -1, 2)
    ),
    "universal": lambda a, b: mb.Universal("j", a, (0.1, 0.2, -0.1), b, (-0.2, 0.1, 0.3), (1, 2, 0.5), (0.3, -1, 2)),
    "planar": lambda a, b: mb.PlanarJoint("j", a, (0.1, 0.2, -0.1), b, (-0.2, 0.1, 0.3), (1, 2, 0.5), (0.3, -1, 2)),
    "spherical": lambda a, b: mb.Spherical("j", a, (0.1, 0.2, -0.1), b, (-0.2, 0.1, 0.3)),
    "weld": lambda a, b: mb.Weld("j", a, (0.1, 0.2, -0.1), b, (-0.2, 0.1, 0.3), mb.about((1, 1, 0), 0.7)),
}


def pair(kind, reverse):
    """A body on a hinge, and a second one on the joint of this kind."""
    one, two = (
        mb.Body(name, mb.box(m, (0.4, 0.2, 0.7), at=(0.1, 0.0, 0.2))) for name, m in (("one", 2.0), ("two", 0.7))
    )
    hinge = mb.Revolute("hinge", mb.GROUND, (0, 0, 0), one, (0.3, 0, 0), axis1=(0, 1, 0.3), axis2=(0.2, 1, 0))
    joint = JOINTS[kind](two, one) if reverse else JOINTS[kind](one, two)
    return mb.Mechanism("pair", [one, two], [hinge, joint], coordinates="joint")


@pytest.mark.sampled(3)
@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("kind", JOINTS)
def test_each_joint_either_way_round(kind, reverse):
    mechanism = pair(kind, reverse)
    system, twin = mechanism.system, mechanism.natural.system
    rng = np.random.default_rng(7)
    q, v = rng.normal(size=system.n), rng.normal(size=system.n)
    for _, step in mechanism.tree.balls:
        at = [system.coordinates.index(name) for name in step.names]
        q[at] /= np.linalg.norm(q[at])
        v[at] -= (v[at] @ q[at]) * q[at]
    wide_q, wide_v, _ = (x[0] for x in system.twin.states(q[None], v[None], 0.0 * v[None]))
    phi, psi = twin.model.residuals(wide_q, wide_v, 0.0, twin.theta())
    assert max(np.max(np.abs(phi)), np.max(np.abs(psi))) < 1e-14
    found, given = g.accelerate(system, q, v), g.accelerate(twin, wide_q, wide_v)
    a = system.twin.states(q[None], v[None], found.a[None])[2][0]
    assert np.max(np.abs(a - given.a)) < 1e-10 * np.max(np.abs(given.a))
    values = mechanism.state(*poses(mechanism, twin.coordinates, wide_q, wide_v))
    back = [dict(zip(system.coordinates, x, strict=True)) for x in values]
    turns = [step.names for _, step in mechanism.tree.balls]
    for name, x, y in zip(system.coordinates, q, v, strict=True):
        sign = next((np.sign(q[system.coordinates.index(four[0])]) for four in turns if name in four), 1.0)
        step = next(s for node in mechanism.tree.nodes for s in node.steps if name in s.names)
        off = sign * back[0][name] - x
        assert abs(np.sin(off / 2.0) if step.kind == "turn" else off) < 1e-13
        assert sign * back[1][name] == pytest.approx(y, abs=1e-12)
    for joint in mechanism.joints:
        one, two = mb.reaction(found, joint), mb.reaction(given, joint)
        assert np.allclose(one.force, two.force, atol=1e-10)
        assert np.allclose(one.torque, two.torque, atol=1e-10)


def test_a_free_body_turns_without_a_pole():
    body = mb.Body("top", mb.box(1.0, (0.1, 0.2, 0.4)))
    free = mb.Mechanism("free", [body], gravity=(0, 0, 0), coordinates="joint")
    assert free.system.coordinates == ("top_x", "top_y", "top_z", "top_qw", "top_qx", "top_qy", "top_qz")
    start = free.state(body.pose(angular_velocity=(0.01, 5.0, 0.01)))  # about the middle axis: it tumbles
    run = g.simulate(free, *start, t_end=10.0)
    R = np.array([run.natural[f"top_R{i}{j}"] for i in (1, 2, 3) for j in (1, 2, 3)]).reshape(3, 3, -1)
    spin = run["top.angular_velocity"]
    momentum = np.einsum("ijn,jk,lkn,nl->ni", R, body.inertia.tensor, R, spin)
    assert np.max(np.abs(momentum - momentum[0])) < 1e-9
    assert np.max(np.abs(run.energy - run.energy[0])) < 1e-9
    assert np.min(run["top_qw"]) < 0.0  # it went round


def test_a_double_pendulum_is_that_of_the_text_books():
    """M = ((m₁ + m₂) l₁², m₂ l₁ l₂ cos), for angles from the link before."""
    l1, l2, m1, m2 = 0.7, 0.4, 1.5, 0.8
    one, two = (mb.PlanarBody(n, m, inertia=0.0, centre=(x, 0.0)) for n, m, x in (("a", m1, l1), ("b", m2, l2)))
    pins = [mb.Pin("p", mb.GROUND, (0, 0), one, (0, 0)), mb.Pin("r", one, (l1, 0), two, (0, 0))]
    system = mb.Mechanism("double pendulum", [one, two], pins, coordinates="joint").system
    q, v = np.array([0.3, 0.9]), np.array([1.0, -2.0])
    terms = system.model.terms(q, v, 0.0, system.theta())
    c, s = np.cos(q[1]), np.sin(q[1])
    cross = m2 * l1 * l2
    M = [[(m1 + m2) * l1**2 + m2 * l2**2 + 2 * cross * c, m2 * l2**2 + cross * c], [m2 * l2**2 + cross * c, m2 * l2**2]]
    assert np.allclose(terms.M, M, atol=1e-14)
    weight = -GRAVITY * np.array(
        [(m1 + m2) * l1 * np.cos(q[0]) + m2 * l2 * np.cos(q[0] + q[1]), m2 * l2 * np.cos(q[0] + q[1])]
    )
    inertial = cross * s * np.array([2.0 * v[0] * v[1] + v[1] ** 2, -(v[0] ** 2)])
    assert np.allclose(terms.f, weight + inertial, atol=1e-13)


# ------------------------------------------------------------------ what a mechanism says and refuses


def test_states_from_values_of_joints():
    mechanism = pair("cylindrical", reverse=False)
    assert mechanism.tree.coordinates == ("hinge", "j_angle", "j_displacement")
    q, v = mechanism.state(values={"hinge": 0.4}, rates={"j_displacement": 2.0})
    assert q.tolist() == [0.4, 0.0, 0.0]
    assert v.tolist() == [0.0, 0.0, 2.0]
    wide = mechanism.natural.state(values={"hinge": 0.4}, rates={"j_displacement": 2.0})
    moved = mechanism.system.twin.states(q[None], v[None], 0.0 * v[None])
    assert np.allclose(wide[0], moved[0][0])
    assert np.allclose(wide[1], moved[1][0])
    with pytest.raises(InputError, match="no joint coordinate elbow"):
        mechanism.state(values={"elbow": 1.0})
    with pytest.raises(InputError, match="not both"):
        mechanism.state(mechanism.bodies[0].pose(), values={"hinge": 1.0})


def test_turns_are_counted():
    """A spring in a hinge is wound up by more than half a turn."""
    disc = mb.PlanarBody("disc", 1.0, inertia=0.5)
    pin = mb.Pin("pin", mb.GROUND, (0, 0), disc, (0, 0))
    held = mb.Mechanism("wheel", [disc], [pin], [mb.JointSpring("spring", pin, stiffness=2.0)], coordinates="joint")
    assert g.accelerate(held, [5.0]).a[0] == pytest.approx(-2.0 * 5.0 / 0.5)


def test_rows_and_units_of_a_loop():
    page, mechanism, system, _, _ = both("four_bar_motor")
    assert len(mechanism.tree.loops) == 1
    assert system.n == 3
    assert [system.unit(name) for name in system.coordinates] == ["rad"] * 3
    assert all(system.unit(name) == "N" for name in system.row_names)
    assert page.system.n == 12


def test_assembly_in_joint_coordinates():
    page, mechanism, _, natural, _ = both("four_bar_motor")
    given = poses(mechanism, page.system.coordinates, *natural)
    joint, wide = mb.assemble(mechanism, *given), mb.assemble(mechanism.natural, *given)
    assert joint.mobility == wide.mobility == 1
    assert joint.independent == wide.independent
    assert joint.verdict.verdict == wide.verdict.verdict == "regular"
    assert joint.freedoms.shape == (3, 1)


def test_drives_in_joint_coordinates():
    _, mechanism, _, natural, joint = both("four_bar_motor")
    crank = mechanism.joints[0]
    given = mb.inverse_dynamics(mechanism.natural, *natural, {crank: 3.0})
    found = mb.inverse_dynamics(mechanism, *joint, {crank: 3.0})
    assert found.force(crank) == pytest.approx(given.force(crank), rel=1e-10)


def test_a_motion_is_drawn_and_written(tmp_path):
    _, mechanism, system, _, joint = both("slider_crank")
    run = g.simulate(mechanism, *joint, t_end=0.1)
    page = run.report(tmp_path / "run.html")
    assert page.exists()
    run.save(tmp_path / "run.nc")
    again = g.Trajectory.load(tmp_path / "run.nc").with_system(mechanism)
    body = mechanism.bodies[-1].name
    assert np.array_equal(again[f"{body}.position"], run[f"{body}.position"])
    assert set(system.coordinates) < set(run.names)


def flat_loop(tilt, close, seed=1):
    """A plane loop of four bodies on a carrier that turns about a point, its plane turned by `tilt` in the carrier."""
    rng = np.random.default_rng(seed)
    carrier, one, two, three = (robots.body(name, rng) for name in ("carrier", "one", "two", "three"))
    turn = np.array(mb.rotation(tilt))
    at = lambda x, y: tuple(turn @ (x, y, 0.0))  # noqa: E731
    n = tuple(turn[:, 2])
    joints = [
        mb.Spherical("base", mb.GROUND, (0, 0, 0), carrier, (0.1, 0.2, 0.05)),
        mb.Revolute("A", carrier, at(0, 0), one, (0, 0, 0), axis1=n),
        mb.Revolute("B", one, at(0.3, 0), two, (0, 0, 0), axis1=n),
        mb.Revolute("C", carrier, at(0.4, 0), three, (0, 0, 0), axis1=n),
        close("loop", two, at(0.5, 0), three, at(0, 0.45), n),
    ]
    mechanism = mb.Mechanism("flat loop", [carrier, one, two, three], joints, coordinates="joint")
    q, v = mechanism.tree.coordinates, {"A": 1.0, "base_qx": 0.5, "base_qy": 0.3, "base_qz": -0.4}
    start = {"A": 1.2, "B": -0.9, "C": 0.1, "base_qw": 0.5, "base_qx": 0.5, "base_qy": 0.5, "base_qz": -0.5}
    return mechanism, g.consistent(mechanism, [start[x] for x in q], [v.get(x, 0.0) for x in q])


CLOSED = {
    "ball": (lambda name, a, p, b, r, n: mb.Spherical(name, a, p, b, r), 1),
    "hinge": (lambda name, a, p, b, r, n: mb.Revolute(name, a, p, b, r, axis1=n), 3),
}


@pytest.mark.sampled(4)
@pytest.mark.parametrize("tilt", [np.eye(3), ((1.0, 2.0, -1.0), 0.9)])
@pytest.mark.parametrize("close", CLOSED)
def test_a_flat_loop_on_a_tumbling_carrier_is_dependent_for_good(close, tilt):
    tilt = tilt if isinstance(tilt, np.ndarray) else mb.about(*tilt)
    joint, idle = CLOSED[close]
    mechanism, state = flat_loop(tilt, joint)
    system = mechanism.system
    rows = [k for k, name in enumerate(system.row_names) if name.startswith("loop")]
    J = np.array(system.model.terms(state.q, state.v, 0.0, system.theta()).J)[rows]
    carried = [k for k, name in enumerate(system.coordinates) if name.startswith("base")]
    assert np.all(J[:, carried] == 0.0)  # what carries the loop has no part in it
    assert np.sum(np.all(J == 0.0, axis=1)) == idle
    two = g.accelerate(mechanism, state)
    assert "redundant" in two.verdict
    assert two.unique
    wide = mechanism.natural
    q, v, a = (x[0] for x in system.twin.states(state.q[None], state.v[None], two.a[None]))
    one = g.accelerate(wide, q, v)
    assert np.max(np.abs(one.a - a)) <= 1e-9 * np.max(np.abs(a))
    for link in mechanism.joints:  # what is determined, and all of it
        mine, theirs = (mb.reaction(x, link, axes=mechanism.bodies[0]) for x in (two, one))
        assert mine.undetermined == theirs.undetermined
        assert np.allclose(mine.force, theirs.force, atol=1e-8, equal_nan=True)
        assert np.allclose(mine.torque, theirs.torque, atol=1e-8, equal_nan=True)


def test_a_flat_loop_stays_closed_on_a_tumbling_carrier_and_its_forces_are_known():
    tilt = mb.about((1.0, 2.0, -1.0), 0.9)
    mechanism, state = flat_loop(tilt, CLOSED["ball"][0])
    run = g.simulate(mechanism, state, t_end=0.5)
    assert max(float(np.max(np.abs(mechanism.system.model.residuals(q, v, 0.0, mechanism.system.theta())[0])))
               for q, v in zip(run.q, run.v, strict=True)) < 1e-13  # fmt: skip
    last, carrier, loop = g.accelerate(mechanism, run.q[-1], run.v[-1]), mechanism.bodies[0], mechanism.joints[-1]
    twin = mechanism.system.twin
    place = dict(zip(twin.system.coordinates, twin.states(run.q[-1:], run.v[-1:], run.a[-1:])[0][0], strict=True))
    plane = np.array(carrier.placed(place).columns).T @ np.array(mb.rotation(tilt))
    alone = mb.reaction(last, loop, axes=plane)
    assert alone.undetermined == ("force 3",)
    along = mb.reaction(run, loop, axes=plane)
    assert np.allclose(along.force[-1][:2], alone.force[:2], atol=1e-8)


@pytest.mark.parametrize(("count", "chosen"), [(10, "joint"), (11, "natural")])
def test_auto_takes_joint_coordinates_but_for_long_chains_in_the_plane(count, chosen):
    bars = [mb.PlanarBody(f"bar{k}", 1.0, inertia=0.1, centre=(0.5, 0)) for k in range(count)]
    ends = [(mb.GROUND, (0, 0)), *((bar, (1, 0)) for bar in bars)]
    pins = [mb.Pin(f"pin{k}", *ends[k], bar, (0, 0)) for k, bar in enumerate(bars)]
    chain = mb.Mechanism("chain", bars, pins, coordinates="auto")
    assert chain.coordinates == chosen
    assert len(chain.system.coordinates) == (count if chosen == "joint" else 4 * count)
    loose = mb.Mechanism("loose", bars, coordinates="auto")
    assert loose.coordinates == "natural"
    with pytest.raises(g.errors.InputError, match="'auto'"):
        mb.Mechanism("chain", bars, pins, coordinates="minimal")


@pytest.mark.parametrize("seed", range(4))
def test_a_rod_between_bodies_that_are_welded_holds_nothing_however_long_it_is(seed):
    """Its row is a constant that only rounding makes: squares of kilometres leave 1e-9 m² open."""
    rng = np.random.default_rng(seed)
    trunk, limb = (mb.Body(name, mb.box(1.0, (1.0, 2.0, 3.0))) for name in ("trunk", "limb"))
    R = Rotation.from_rotvec(rng.normal(size=3)).as_matrix()
    joints: list[Any] = [
        mb.Revolute("hinge", mb.GROUND, (0, 0, 0), trunk, (0, 0, 0)),
        mb.Weld("weld", trunk, 1e3 * rng.normal(size=3), limb, 1e3 * rng.normal(size=3), orientation=R),
    ]
    numbers = mb.Numbers(mb.Mechanism("welded", [trunk, limb], joints, coordinates="joint"))
    for k in range(3):
        ends = 1e3 * rng.normal(size=(2, 3))
        way = numbers.placement([0.0], trunk, ends[0])[0] - numbers.placement([0.0], limb, ends[1])[0]
        joints.append(mb.Distance(f"rod {k}", trunk, ends[0], limb, ends[1], length=float(np.linalg.norm(way))))
    held = mb.Mechanism("held", [trunk, limb], joints, coordinates="joint")
    found = g.accelerate(held, [0.3], [0.2])
    assert found.verdict == "redundant"
    free = mb.Mechanism("free", [trunk, limb], joints[:2], coordinates="joint")
    assert np.allclose(found.a, g.accelerate(free, [0.3], [0.2]).a, rtol=1e-12, atol=0.0)
