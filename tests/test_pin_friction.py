"""Dry friction of pins, whose load is the resultant of two rows, against equations written by hand."""

import numpy as np
import pytest
from frictional import Rub, rubbed
from scipy.integrate import solve_ivp

import gauss as g
from gauss import bodies as mb
from gauss.analysis import friction_claims
from gauss.contact import (
    ContactProblem,
    admits,
    contact_findings,
    contact_forces,
    contact_problem,
    critical_coefficient,
    findings_at,
    friction_bound,
    required_coefficient,
    solve_contacts,
)
from gauss.show import friction_data

M, J, L, G = 2.0, 0.5, 0.4, 9.81  # kg, kg m² about the centre of mass, m, m/s²
ABOUT = J + M * L**2  # about the pin


def rate(q, v):
    return v["th"]


pendulum = g.System(
    "pendulum",
    "x y th",
    kinetic_energy=lambda v: 0.5 * M * (v.x**2 + v.y**2) + 0.5 * J * v.th**2,
    potential_energy=lambda q: M * G * q.y,
    constraints=[
        g.Holonomic("pin x", lambda q: q.x - L * g.sin(q.th)),
        g.Holonomic("pin y", lambda q: q.y + L * g.cos(q.th)),
    ],
)


def pin(c, static=None):
    return Rub(("pin x", "pin y"), rate, coefficient=c, static=static, name="dry pin")


def at(th, w=0.0):
    return [L * np.sin(th), -L * np.cos(th), th], [L * np.cos(th) * w, L * np.sin(th) * w, w]


def load(th, w):
    """The force in the pin: of the acceleration zero, and its derivative by the acceleration."""
    along, across = np.array([np.cos(th), np.sin(th)]), np.array([-np.sin(th), np.cos(th)])
    return M * L * w**2 * across + np.array([0.0, M * G]), M * L * along


def roots(th, w, c, sign):
    """All accelerations with ABOUT a + M G L sin θ = −sign c |load|: a quadratic equation."""
    u, k = load(th, w)
    weight = M * G * L * np.sin(th)
    found = np.roots([ABOUT**2 - c**2 * k @ k, 2 * (ABOUT * weight - c**2 * u @ k), weight**2 - c**2 * u @ u])
    real = [x.real for x in found if abs(x.imag) <= 1e-9 * abs(x)]
    return sorted(x for x in real if sign * (ABOUT * x + weight) <= 0.0)


# ------------------------------------------------------------------ one pin at one state


@pytest.mark.parametrize("c", [0.02, 0.5, 1.0, 1.3, 3.0])
def test_a_turning_pin_has_as_many_accelerations_as_its_quadratic_and_as_a_scan_of_torques(c):
    rng, model = np.random.default_rng(3), rubbed(pendulum, pin(c))
    grid = np.logspace(-9, 9, 40_001)
    counts = set()
    for _ in range(25):
        th, w = rng.uniform(-3.0, 3.0), rng.uniform(0.5, 6.0) * rng.choice([-1.0, 1.0])
        sign = np.sign(w)
        found = solve_contacts(contact_problem(model, *at(th, w)))
        wanted = roots(th, w, c, sign)
        mine = sorted(s.a[2] for s in found.solutions)
        assert mine == pytest.approx(wanted, rel=1e-9, abs=1e-9)
        u, k = load(th, w)
        a = (-sign * grid - M * G * L * np.sin(th)) / ABOUT
        missing = grid - c * np.linalg.norm(u[:, None] + k[:, None] * a, axis=0)
        assert len(mine) == np.count_nonzero(np.diff(np.sign(missing)))
        assert found.verdict == ("none", "one", "several")[len(mine)]
        assert max((s.residual for s in found.solutions), default=0.0) < 1e-13
        counts.add(len(mine))
    assert counts == ({1} if c < ABOUT / (M * L) else {0, 2})  # the pin against the reduced length of the pendulum


def test_rest_holds_up_to_the_angle_of_the_closed_form():
    model, limit = rubbed(pendulum, pin(0.1, 0.15)), np.arcsin(0.15 / L)
    for share, mode in ((0.5, "stick"), (1.0 - 1e-7, "stick"), (1.0 + 1e-7, "slip−"), (2.0, "slip−")):
        found = solve_contacts(contact_problem(model, *at(limit * share)))
        assert [s.modes for s in found.solutions] == [(mode,)]
        assert found.verdict == "one"
        if mode != "stick":
            assert found.accelerations[0, 2] == pytest.approx(roots(limit * share, 0.0, 0.1, -1.0)[0], rel=1e-12)


def test_a_disc_that_touches_its_hole_where_the_force_of_the_pin_says_turns_like_the_pin():
    mu, radius, th, w = 0.3, 0.05, 0.7, 2.0
    a = roots(th, w, radius * mu / np.hypot(1.0, mu), 1.0)[0]
    u, k = load(th, w)
    force = u + k * a
    # p (n + μ t), t against the slip of a hole that turns anticlockwise about the journal, which is n turned clockwise
    p = np.linalg.norm(force) / np.hypot(1.0, mu)
    n = np.linalg.solve(p * np.array([[1.0, mu], [-mu, 1.0]]), force)
    body = mb.PlanarBody("bob", M, J, centre=(0.0, -L))
    for clearance in (1e-3, 1e-6):
        touch = mb.Touching("journal", body, mb.Hole(radius), mb.GROUND, mb.Disc(radius - clearance), friction=mu)
        swing = mb.Mechanism("disc in a hole", [body], [touch])
        q, v = swing.state(body.pose(tuple(-clearance * n), th, rate=w))
        found = solve_contacts(contact_problem(swing.system, q, v))
        x, y, c, s = found.accelerations[0]
        assert found.verdict == "one"
        assert found.solutions[0].normal[0] == pytest.approx(p, rel=1e-9)
        assert [x, y] == pytest.approx([0.0, 0.0], abs=1e-8)  # its centre stays where it is
        assert np.cos(th) * s - np.sin(th) * c == pytest.approx(a, rel=1e-9)


# ------------------------------------------------------------------ several pins at one state

SIZES = ((1.5, 0.08, 0.5, 0.3), (0.9, 0.03, 0.4, 0.2))  # mass, about the centre, length, centre from the upper pin


def double(c1, c2):
    """Two bodies in a chain with dry pins, in absolute coordinates."""
    (m1, j1, l1, r1), (m2, j2, _, r2) = SIZES

    def elbow(q):
        return q.x1 + (l1 - r1) * g.sin(q.a), q.y1 - (l1 - r1) * g.cos(q.a)

    system = g.System(
        "double pendulum",
        "x1 y1 a x2 y2 b",
        mass_matrix=np.diag([m1, m1, j1, m2, m2, j2]),
        force=[0, -m1 * G, 0, 0, -m2 * G, 0],
        constraints=[
            g.Holonomic("shoulder", lambda q: [q.x1 - r1 * g.sin(q.a), q.y1 + r1 * g.cos(q.a)]),
            g.Holonomic(
                "elbow", lambda q: [q.x2 - r2 * g.sin(q.b) - elbow(q)[0], q.y2 + r2 * g.cos(q.b) - elbow(q)[1]]
            ),
        ],
    )
    contacts = [
        Rub(("shoulder[0]", "shoulder[1]"), lambda q, v: v.a, c1),
        Rub(("elbow[0]", "elbow[1]"), lambda q, v: v.b - v.a, c2),
    ]
    return system, contacts


def newton_euler(a, b, va, vb, t1, t2):
    """Angular accelerations and both pin forces of given torques on the upper body and, at the elbow, on the lower."""
    (m1, j1, l1, r1), (m2, j2, _, r2) = SIZES

    def along(x):
        return np.array([np.cos(x), np.sin(x)])

    def across(x):
        return np.array([-np.sin(x), np.cos(x)])

    g0 = np.array([0.0, G])
    # F2 = m2 (acc2 + g), F1 = F2 + m1 (acc1 + g); moments about the centres of mass
    known2 = l1 * va**2 * across(a) + r2 * vb**2 * across(b)
    known1 = r1 * va**2 * across(a)
    table = np.zeros((2, 2))
    right = np.zeros(2)

    def forces(ea, eb):
        f2 = m2 * (l1 * ea * along(a) + r2 * eb * along(b) + known2 + g0)
        return f2 + m1 * (r1 * ea * along(a) + known1 + g0), f2

    def moments(ea, eb):
        f1, f2 = forces(ea, eb)
        up1, down1 = -r1 * np.array([np.sin(a), -np.cos(a)]), (l1 - r1) * np.array([np.sin(a), -np.cos(a)])
        up2 = -r2 * np.array([np.sin(b), -np.cos(b)])

        def cross(x, y):
            return x[0] * y[1] - x[1] * y[0]

        one = cross(up1, f1) - cross(down1, f2) + t1 - t2 - j1 * ea
        two = cross(up2, f2) + t2 - j2 * eb
        return np.array([one, two])

    right = -moments(0.0, 0.0)
    table[:, 0], table[:, 1] = moments(1.0, 0.0) + right, moments(0.0, 1.0) + right
    acceleration = np.linalg.solve(table, right)
    return acceleration, forces(*acceleration)


@pytest.mark.long
def test_two_dry_pins_agree_with_a_fixed_point_of_newton_and_euler():
    rng = np.random.default_rng(5)
    c1, c2 = 0.03, 0.02
    system, contacts = double(c1, c2)
    model = rubbed(system, contacts)
    (_, _, l1, r1), (_, _, _, r2) = SIZES
    for _ in range(20):
        a, b = rng.uniform(-3, 3, 2)
        va, vb = rng.uniform(-5, 5, 2)
        t1 = t2 = 0.0
        for _ in range(200):
            wanted, (f1, f2) = newton_euler(a, b, va, vb, t1, t2)
            t1, t2 = (
                -np.sign(va) * c1 * np.linalg.norm(f1),
                -np.sign(vb - va) * c2 * np.linalg.norm(f2),
            )
        x = np.array([np.sin(a), -np.cos(a)]), np.array([np.sin(b), -np.cos(b)])
        turn = np.array([np.cos(a), np.sin(a)]) * va, np.array([np.cos(b), np.sin(b)]) * vb
        q = [*(r1 * x[0]), a, *(l1 * x[0] + r2 * x[1]), b]
        v = [*(r1 * turn[0]), va, *(l1 * turn[0] + r2 * turn[1]), vb]
        found = solve_contacts(contact_problem(model, q, v))
        assert found.verdict == "one"
        assert found.unproved == ""
        assert found.accelerations[0, [2, 5]] == pytest.approx(wanted, rel=1e-12, abs=1e-12)
        assert found.solutions[0].tangential[0] == pytest.approx([t1, t2], rel=1e-12)
    grown = [solve_contacts(contact_problem(rubbed(*double(c, c)), q, v)) for c in (0.05, 0.15, 0.25, 0.3, 0.4, 1.0)]
    assert (grown[0].verdict, grown[-1].verdict, grown[-1].unproved) == ("one", "none", "")
    between = [found for found in grown if found.unproved]
    assert between
    for found in between:
        assert found.verdict in ("undecided", "several")
        assert "Not proved complete: the friction of 'shoulder[0] & shoulder[1]'" in found.sentence
        assert not contact_findings(found.problem).complete


@pytest.mark.long
def test_accelerations_are_those_of_constant_limits_that_are_the_loads_they_lead_to():
    rng, at_rest = np.random.default_rng(11), 0
    for _ in range(30):
        n, count = 6, int(rng.integers(1, 3))
        A, arms = rng.normal(size=(n, n)), 0.08 * rng.uniform(0.2, 1.0, count + 1)
        J = rng.normal(size=(2 * count, n))
        data = {
            "M": A @ A.T + np.eye(n),
            "f": rng.normal(size=n) + 10.0 * J.T @ rng.normal(size=2 * count),  # the pins are loaded
            "N": np.vstack([np.zeros((count, n)), rng.normal(size=n)]),
            "nu": np.zeros(count + 1),
            "T": rng.normal(size=(count + 1, n)),
            "tau": 0.1 * rng.normal(size=count + 1),
            "slip": rng.choice([-1.0, 0.0, 0.0, 0.0, 1.0], count + 1),
            "J": J,
            "gamma": 0.1 * rng.normal(size=2 * count),
        }
        pins = [*((2 * i, 2 * i + 1) for i in range(count)), None]
        wanted = solve_contacts(ContactProblem.of(coefficient=arms, pins=pins, **data))
        assert (wanted.verdict, wanted.unproved) == ("one", "")
        loads = 10.0 ** rng.uniform(-2.0, 2.0, count)
        for _ in range(200):
            limits = np.append(arms[:-1] * loads, arms[-1])
            limited = [True] * count + [False]
            (s,) = solve_contacts(ContactProblem.of(coefficient=limits, limited=limited, **data)).solutions
            loads, last = np.linalg.norm(s.bilateral[0].reshape(count, 2), axis=1), loads
            if np.max(np.abs(loads - last)) <= 1e-13 * np.max(loads):
                break
        assert s.a == pytest.approx(wanted.accelerations[0], abs=1e-9)
        at_rest += "stick" in s.modes[:-1]
    assert at_rest > 3  # some of the pins stay at rest


def four_bar(mu=0.2, radius=0.02, static=None, forces=(), controls="", dry=4):
    """A four-bar linkage under gravity with dry pins, and its state at rest or with a crank that turns."""
    a, b, c, d = 0.1, 0.3, 0.25, 0.3
    crank, rod, arm = (
        mb.PlanarBody(n, m, i) for n, m, i in (("crank", 0.5, 5e-3), ("rod", 0.6, 5e-3), ("arm", 0.5, 4e-3))
    )
    pins = [
        mb.Pin("A", mb.GROUND, (0, 0), crank, (0, 0)),
        mb.Pin("B", crank, (a, 0), rod, (-b / 2, 0)),
        mb.Pin("C", rod, (b / 2, 0), arm, (c, 0)),
        mb.Pin("D", mb.GROUND, (d, 0), arm, (0, 0)),
    ]
    frictions = [mb.PinFriction(f"dry {p.name}", p, mu, radius, static) for p in pins[:dry]]
    made = mb.Mechanism(
        "four-bar",
        [crank, rod, arm],
        [*pins, *frictions],
        [mb.Motor("motor", pins[0], f) for f in forces],
        (0, -G),
        controls=controls,
    )

    def state(speed=0.0, th=0.7):
        P, D = a * np.array([np.cos(th), np.sin(th)]), np.array([d, 0.0])
        reach = np.linalg.norm(D - P)
        x = (reach**2 + b**2 - c**2) / (2 * reach)
        e = (D - P) / reach
        Q = P + x * e + np.sqrt(b**2 - x**2) * np.array([-e[1], e[0]])

        def turned(x):
            return np.array([-x[1], x[0]])

        w2, w3 = np.linalg.solve(np.column_stack([turned(Q - P), -turned(Q - D)]), -speed * turned(P))
        middle = speed * turned(P) + w2 * turned(Q - P) / 2
        return made.state(
            crank.pose((0, 0), th, rate=speed),
            rod.pose(tuple((P + Q) / 2), np.arctan2(*(Q - P)[::-1]), tuple(middle), w2),
            arm.pose((d, 0), np.arctan2(*(Q - D)[::-1]), (0, 0), w3),
        )

    return made, state


# ------------------------------------------------------------------ motions


def test_a_pendulum_on_a_dry_pin_turns_and_comes_to_rest_at_the_times_of_scipy():
    c, static = 0.02, 0.03
    run = g.simulate(rubbed(pendulum, pin(c, static)), *at(1.2), t_end=12.0)
    t, y, turns = 0.0, np.array([1.2, 0.0]), []
    while abs(np.sin(y[0])) * L > static:
        sign = -np.sign(y[0])

        def right(_, y, sign=sign):
            return [y[1], min(roots(y[0], y[1], c, sign), key=abs)]

        def stop(_, y, sign=sign):
            return sign * y[1] + 1e-300

        stop.terminal, stop.direction = True, -1
        first = solve_ivp(right, (t, t + 0.05), y, method="DOP853", rtol=1e-12, atol=1e-13)
        part = solve_ivp(
            right, (t + 0.05, t + 3.0), first.y[:, -1], method="DOP853", rtol=1e-12, atol=1e-13, events=stop
        )
        t, y = part.t[-1], np.array([part.y[0, -1], 0.0])
        turns.append(t)
    assert [e.kind for e in run.events] == ["slip"] * (len(turns) - 1) + ["stick"]
    assert [e.t for e in run.events] == pytest.approx(turns, abs=1e-9)
    assert run["th"][-1] == pytest.approx(y[0], abs=1e-9)
    assert np.max(np.abs(run.energy - run.energy[0] - run.friction_work)) < 1e-9
    assert run["dry pin"][-1] == pytest.approx(M * G * L * np.sin(y[0]), rel=1e-9)
    assert all(claim.error <= claim.bound for claim in friction_claims(run))
    between = run.at(0.5 * (run.t[:-1] + run.t[1:]))
    torque = c * np.hypot(between["pin x"], between["pin y"])
    slides = between.t < turns[-1]
    assert np.abs(between["dry pin"])[slides] == pytest.approx(torque[slides], rel=1e-12)


def on_one_pin(count, listed=True):
    """A rotor on one pin with several dry frictions."""
    rotor = mb.PlanarBody("rotor", 2.0, 0.1)
    axle = mb.Pin("axle", mb.GROUND, (0, 0), rotor, (0, 0))
    dry = [mb.PinFriction(f"dry {k}", axle, 0.2, 0.05) for k in range(count)]
    return mb.Mechanism("rotor", [rotor], [*([axle] if listed else []), *dry])


def test_a_rotor_stops_and_starts_at_the_times_of_the_closed_form():
    rotor = mb.PlanarBody("rotor", 2.0, 0.1)
    axle = mb.Pin("axle", mb.GROUND, (0, 0), rotor, (0, 0))
    dry = mb.PinFriction("bearing", axle, 0.2, 0.05, static=0.3)
    c, static = dry.arms
    assert (c, static) == pytest.approx((0.05 * np.sin(np.arctan(0.2)), 0.05 * np.sin(np.arctan(0.3))), rel=1e-15)
    motor = mb.Motor("motor", axle, lambda t: 0.1 * t)
    made = mb.Mechanism("rotor", [rotor], [axle, dry], [motor])
    q, v = made.state(rotor.pose(rate=1.0))
    stop, start = (g.simulate(made.system, q, v, t_end=5.0 * 2)).events[:2]
    # 0.1 dω/dt = 0.1 t − c m g
    friction = 10 * c * 2.0 * 9.81
    assert (stop.kind, start.kind) == ("stick", "slip")
    assert stop.t == pytest.approx(friction - np.sqrt(friction**2 - 2.0), abs=1e-9)
    assert start.t == pytest.approx(static * 2.0 * 9.81 / 0.1, abs=1e-10)


def test_a_disc_in_a_hole_moves_like_the_pin_but_for_shares_of_its_clearance():
    mu, radius, th, w = 0.3, 0.05, 0.7, 2.0
    c = radius * mu / np.hypot(1.0, mu)
    wanted = g.simulate(rubbed(pendulum, pin(c)), *at(th, w), t_end=0.2)["th"][-1]
    u, k = load(th, w)
    force = u + k * roots(th, w, c, 1.0)[0]
    n = np.linalg.solve(np.array([[1.0, mu], [-mu, 1.0]]), force / np.linalg.norm(force) * np.hypot(1.0, mu))
    body, errors = mb.PlanarBody("bob", M, J, centre=(0.0, -L)), []
    for clearance in (1e-3, 1e-4):
        touch = mb.Touching("journal", body, mb.Hole(radius), mb.GROUND, mb.Disc(radius - clearance), friction=mu)
        swing = mb.Mechanism("disc in a hole", [body], [touch])
        start = swing.state(body.pose(tuple(-clearance * n), th, rate=w))
        run = g.simulate(swing.system, *start, t_end=0.2)
        errors.append(abs(np.arctan2(run["bob_s"][-1], run["bob_c"][-1]) - wanted))
    assert errors[0] < 1e-4
    assert errors[1] / errors[0] == pytest.approx(0.1, rel=0.05)


@pytest.mark.long
def test_a_four_bar_with_four_dry_pins_loses_what_friction_takes_and_stays_where_it_stops():
    made, state = four_bar()
    run = g.simulate(made.system, *state(8.0), t_end=4.0)
    assert run.ending.kind == "finished"
    assert [e.kind for e in run.events[-4:]] == ["stick"] * 4
    assert not any(e.verdict for e in run.events)  # each time one acceleration, proved to be the only one
    assert np.max(np.abs(run.energy - run.energy[0] - run.friction_work)) < 1e-9 * abs(run.energy[0])
    assert all(claim.error <= claim.bound for claim in friction_claims(run))
    called = g.simulate(  # a control that is a Python function has its steps in NumPy
        made.system, *state(8.0), t_end=0.6, control=lambda t, q, v: []
    )
    assert called.about.feedback
    assert called.q[-1] == pytest.approx(run.at(0.6).q[-1], abs=1e-10)


def test_a_four_bar_breaks_loose_where_all_its_pins_are_at_their_limits():
    made, state = four_bar(0.3, 0.03, 0.4, [lambda t: 1.2 * t])
    run = g.simulate(made.system, *state(), t_end=0.4)
    resting = max(e.t for e in run.events if e.kind == "stick")
    loose = [e for e in run.events if e.kind == "slip" and e.t > resting]
    assert [e.name for e in loose] == ["dry A", "dry B", "dry C", "dry D"]
    place = run.at(0.5 * (resting + loose[0].t)).q[0]
    # statics: Jᵀλ + Tᵀt + weight + motor = 0, with all torques at their limits, gives the torque of the motor
    problem = contact_problem(made.system, place, np.zeros(12), loose[0].t)
    weight = contact_problem(made.system, place, np.zeros(12), 0.0).f
    motor = (problem.f - weight) / (1.2 * loose[0].t)
    pairs = [[problem.rows.index(f"{p}[{k}]") for k in (0, 1)] for p in "ABCD"]
    torque, sign, c = np.zeros(4), np.array([e.value for e in loose]), made.joints[4].arms[1]
    for _ in range(200):
        found = np.linalg.solve(np.column_stack([problem.J.T, motor]), -weight - problem.T.T @ torque)
        torque = -sign * c * np.linalg.norm(found[np.array(pairs)], axis=1)
    assert [e.t for e in loose] == pytest.approx([found[-1] / 1.2] * 4, abs=1e-9)


@pytest.mark.long
def test_dry_pins_hold_together_with_a_brake_and_contacts_on_both_sides():
    crank, rod, block = (
        mb.PlanarBody(n, m, i) for n, m, i in (("crank", 1, 4e-3), ("rod", 0.5, 2e-3), ("block", 1, 1e-3))
    )
    pins = [
        mb.Pin("shaft", mb.GROUND, (0, 0), crank, (0, 0)),
        mb.Pin("crank pin", crank, (0.1, 0), rod, (-0.15, 0)),
        mb.Pin("wrist", rod, (0.15, 0), block, (0, 0)),
    ]
    guide = mb.RoughSlider("guide", mb.GROUND, (0, 0), block, (0, 0), length=0.1, friction=0.1)
    rough = [mb.PinFriction("dry", pins[1], 0.15, 0.015), mb.Brake("seal", pins[0], 0.02)]
    engine = mb.Mechanism("engine", [crank, rod, block], [*pins, guide, *rough])
    start = engine.state(
        crank.pose((0, 0), 0.0, rate=12.0), rod.pose((0.25, 0), 0.0, (0, 0.6), -4.0), block.pose((0.4, 0))
    )
    run = g.simulate(engine.system, *start, t_end=0.5)
    assert run.ending.kind == "finished"
    assert {e.name for e in run.events} >= {"dry", "guide[0]"}
    assert np.max(np.abs(run.energy - run.energy[0] - run.friction_work)) < 1e-8 * run.energy[0]
    assert all(claim.error <= claim.bound for claim in friction_claims(run))


def test_a_pendulum_with_a_dry_pin_on_a_trolley_drags_it_over_a_rough_floor():
    trolley = g.System(
        "trolley",
        "x z px pz th",
        kinetic_energy=lambda v: 0.5 * (v.x**2 + v.z**2) + 0.5 * M * (v.px**2 + v.pz**2) + 0.5 * J * v.th**2,
        potential_energy=lambda q: G * q.z + M * G * q.pz,
        constraints=[
            g.Holonomic("pin", lambda q: [q.px - q.x - L * g.sin(q.th), q.pz - q.z + L * g.cos(q.th)]),
            g.Unilateral("floor", lambda q: q.z),
        ],
    )
    contacts = [
        Rub(("pin[0]", "pin[1]"), lambda q, v: v.th, 0.05, name="dry"),
        Rub("floor", lambda q, v: v.x, 0.12, static=0.15),
    ]
    q = [0.0, 0.0, L * np.sin(1.5), -L * np.cos(1.5), 1.5]
    run = g.simulate(rubbed(trolley, contacts), q, t_end=8.0)
    names = [(e.name, e.kind) for e in run.events]
    assert run.ending.kind == "finished"
    assert {("floor", "slip"), ("floor", "stick"), ("dry", "slip"), ("dry", "stick")} <= set(names)
    assert np.max(np.abs(run.energy - run.energy[0] - run.friction_work)) < 1e-8
    assert all(claim.error <= claim.bound for claim in friction_claims(run))
    assert np.max(np.abs(run.v[-1])) < 1e-12
    assert M * G * L * np.sin(abs(run["th"][-1])) < 0.05 * M * G


# ------------------------------------------------------------------ what is refused, and what is said


def test_the_page_on_friction_says_why_the_list_is_complete():
    q, v = at(0.5)
    found = findings_at(rubbed(pendulum, pin(0.02)), q, v)
    assert (found.verdict, found.complete) == ("one", True)
    assert "all loads of the pins" in found.evidence
    low, high = found.forces[0].range_of("dry pin")
    u, k = load(0.5, 0.0)
    assert low == high == pytest.approx(np.linalg.norm(u + k * roots(0.5, 0.0, 0.02, -1.0)[0]), rel=1e-12)
    data = friction_data(found)["friction"]
    assert data["accelerations"][0]["modes"] == {"dry pin": "slip−"}
    assert solve_contacts(contact_problem(rubbed(pendulum, pin(0.02)), q, v)).accelerations == pytest.approx(
        found.solved.accelerations
    )


def test_arrays_give_the_same_problem_as_a_system():
    p = contact_problem(rubbed(pendulum, pin(0.02, 0.03)), *at(0.5, 1.0))
    made = ContactProblem.of(
        p.M, p.f, np.zeros((1, 3)), [0.0], p.T, p.tau, [0.02], [1.0], static=[0.03], J=p.J, gamma=p.gamma, pins=[(0, 1)]
    )
    assert solve_contacts(made).accelerations == pytest.approx(solve_contacts(p).accelerations, rel=1e-14)
    for pins in ([(0, 0)], [(0, 2)], [(0,)], []):
        with pytest.raises(g.errors.InputError, match="pin"):
            ContactProblem.of(p.M, p.f, [[0, 0, 0]], [0], p.T, p.tau, [0.1], [1], J=p.J, gamma=p.gamma, pins=pins)


def test_a_motion_ends_where_the_friction_of_a_pin_is_too_strong():
    with pytest.warns(g.errors.MotionWarning, match="no acceleration and no finite contact forces"):
        run = g.simulate(rubbed(pendulum, pin(3.0)), *at(1.0, 1.0), t_end=1.0)
    assert run.ending.kind == "inconsistent"
    twofold = next((th, 0.5) for th in np.linspace(-3.0, 3.0, 61) if len(roots(th, 0.5, 1.3, 1.0)) == 2)
    with pytest.warns(g.errors.MotionWarning, match="2 different accelerations"):
        run = g.simulate(rubbed(pendulum, pin(1.3)), *at(*twofold), t_end=1.0)
    assert run.ending.kind == "undecided"


def test_a_motion_ends_where_several_pins_leave_no_single_torque():
    (_, _, l1, r1), (_, _, _, r2) = SIZES
    for c1, c2, a, b, va, vb, kind, words in (
        (0.4, 0.3, 0.0, 0.0, 2.0, -5.0, "inconsistent", "depends too much on its torque"),
        (0.7, 0.49, 1.4, -2.1, 3.1, 8.7, "undecided", "depends more on the torque than the torque on the load"),
    ):
        x, y = np.array([[np.sin(a), -np.cos(a)], [np.sin(b), -np.cos(b)]])
        dx, dy = np.array([[np.cos(a) * va, np.sin(a) * va], [np.cos(b) * vb, np.sin(b) * vb]])
        q, v = [*(r1 * x), a, *(l1 * x + r2 * y), b], [*(r1 * dx), va, *(l1 * dx + r2 * dy), vb]
        system, contacts = double(c1, c2)
        with pytest.warns(g.errors.MotionWarning, match=words):
            run = g.simulate(rubbed(system, contacts), q, v, t_end=1.0)
        assert run.ending.kind == kind


def test_rest_and_motion_of_a_four_bar_may_both_be_admitted_where_one_of_its_pins_hardly_turns():
    made, state = four_bar(0.774, 0.02265)
    with pytest.warns(g.errors.MotionWarning, match="2 different accelerations"):
        run = g.simulate(made.system, *state(2.1413, 0.45487), t_end=2.0)
    assert run.ending.kind == "undecided"
    assert "searched for and not found" in next(e.verdict for e in run.events if e.verdict)
    p = contact_problem(made.system, run.q[-1], np.zeros(12), run.t[-1])
    c, pairs = made.joints[4].arms[1], [[p.rows.index(f"{name}[{k}]") for k in (0, 1)] for name in "ABCD"]
    rest, motion = solve_contacts(p).solutions
    assert rest.modes == ("stick",) * 4
    for s in (rest, motion):  # the law, and M a = f + forces, by hand
        a, loads, t = s.a, np.linalg.norm(s.bilateral[0][np.array(pairs)], axis=1), s.tangential[0]
        assert p.M @ a == pytest.approx(p.f + p.J.T @ s.bilateral[0] + p.T.T @ t, abs=1e-11)
        assert np.max(np.abs(p.J @ a - p.gamma)) < 1e-10
        spin = p.T @ a - p.tau
        if s is rest:
            assert np.max(np.abs(spin)) < 1e-10
            assert np.all(np.abs(t) <= c * loads * (1.0 + 1e-9))
        else:
            assert t == pytest.approx(-c * loads * np.sign(spin), rel=1e-9)


def test_a_pin_whose_load_is_not_determined_is_refused():
    rows = [*pendulum.constraints, g.Holonomic("again", lambda q: q.x - L * g.sin(q.th))]
    twice = pendulum.with_constraints(rows)
    with pytest.raises(g.errors.InputError, match="the load of the dry pin 'dry pin' is not determined"):
        findings_at(rubbed(twice, pin(0.02)), *at(0.5, 1.0))
    with pytest.raises(g.errors.InputError, match="the load of the dry pin 'dry pin' is not determined"):
        g.simulate(rubbed(twice, pin(0.02)), *at(0.5, 1.0), t_end=1.0)


def test_an_impact_with_a_dry_pin_is_refused():
    rows = [*pendulum.constraints, g.Unilateral("wall", lambda q: q.th + 0.3)]
    struck = pendulum.with_constraints(rows)
    with pytest.raises(g.errors.InputError, match=r"the dry pin 'dry pin' .* gets impulses"):
        g.impact(rubbed(struck, pin(0.02)), *at(-0.3, -1.0))
    with pytest.warns(g.errors.MotionWarning, match="gets impulses in an impact"):
        run = g.simulate(rubbed(struck, pin(0.02)), *at(0.5), t_end=3.0)
    assert run.ending.kind == "failed"
    assert run["th"][-1] == pytest.approx(-0.3, abs=1e-9)


@pytest.mark.parametrize(
    ("ask", "words"),
    [
        (lambda p: contact_forces(p, np.zeros(3)), "resultant of two rows"),
        (lambda p: required_coefficient(p), "resultant of two rows"),
        (friction_bound, "resultant of two rows"),
        (critical_coefficient, "resultant of two rows"),
        (lambda p: admits(p, np.zeros(3)), "resultant of two rows"),
        (lambda p: contact_findings(p, groups={"all": ["dry pin"]}), "resultant of two rows"),
        (
            lambda p: g.simulate(rubbed(pendulum, pin(0.1)), *at(0.5), method="moreau", t_end=1.0, step=0.01),
            "no Unilateral row",
        ),
        (lambda p: g.Friction("dry", rate, 0.1, load=("pin x", "pin x")), "rows of a pin"),
        (lambda p: g.Friction("dry", rate, 0.1, load=("pin x", "pin y"), limit=2.0), "either load"),
        (lambda p: g.Friction("dry", rate, 0.1, 0.05, ("pin x", "pin y")), "μ_k ≤ μ_s"),
        (lambda p: rubbed(pendulum, Rub(("pin x", "pin z"), rate, 0.1)), "no row 'pin z'"),
        (lambda p: mb.PinFriction("dry", mb.GROUND, 0.1, 0.01), "needs a Pin"),
        (lambda p: on_one_pin(2), "the pin 'axle' of 'rotor' has two dry frictions, 'dry 0' and 'dry 1'"),
        (lambda p: on_one_pin(1, listed=False), "the friction 'dry 0' needs its pin 'axle' among the joints"),
        (lambda p: mb.PinFriction("dry", four_bar()[0].joints[0], 0.1, 0.0), "radius"),
        (lambda p: mb.PinFriction("dry", four_bar()[0].joints[0], 0.2, 0.01, 0.1), "μ_k ≤ μ_s"),
        (lambda p: mb.PinFriction("dry", four_bar()[0].joints[0], -0.2, 0.01), "friction coefficient"),
    ],
)
def test_what_a_dry_pin_does_not_go_with_is_refused_with_one_clear_error(ask, words):
    problem = contact_problem(rubbed(pendulum, pin(0.1)), *at(0.5))
    with pytest.raises(g.errors.InputError, match=words):
        ask(problem)


def test_a_motion_with_strong_pins_is_followed_where_one_acceleration_is_proved():
    """Sums of rows and columns of |U_jk| are above 1 here, its spectral radius is 0.75."""
    (_, _, l1, r1), (_, _, _, r2) = SIZES
    system, contacts = double(0.1, 0.25)
    a, b, va, vb = 1.42366, 0.71938, 1.88923, -3.95993
    one, two = np.array([np.sin(a), -np.cos(a)]), np.array([np.sin(b), -np.cos(b)])
    turn, bend = np.array([np.cos(a), np.sin(a)]) * va, np.array([np.cos(b), np.sin(b)]) * vb
    q, v = [*(r1 * one), a, *(l1 * one + r2 * two), b], [*(r1 * turn), va, *(l1 * turn + r2 * bend), vb]
    verdict = solve_contacts(contact_problem(rubbed(system, contacts), q, v))
    assert verdict.verdict == "one"
    run = g.simulate(rubbed(system, contacts), q, v, t_end=1e-3)
    assert run.ending.kind == "finished", run.ending.message
    # two ways to solve the same equations, each to rounding times the condition of the torques, about 10
    assert run.a[0] == pytest.approx(verdict.solutions[0].a, rel=1e-10)
