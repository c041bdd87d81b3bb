"""Limits of joints, inertia of rotors, followers and carried bodies: against closed forms."""

from __future__ import annotations

import numpy as np
import pytest

import gauss as g
from gauss import bodies as mb

G = 9.81
MASS, LEVER, MOMENT = 1.4, 0.6, 0.05


def quiet(mechanism, q, v, t_end, **options):
    return g.simulate(mechanism, q, v, t_end=t_end, progress="none", **{"rtol": 1e-11, "atol": 1e-12} | options)


def bob(name="bob"):
    return mb.Body(name, mb.Inertia.of_tensor(MASS, [MOMENT] * 3, centre=(0, 0, -LEVER)))


def hung(body, angle, rate, axis=(0.0, 1.0, 0.0)):
    return body.pose(rotation=mb.about(axis, angle), angular_velocity=rate * np.array(axis))


def kinetic(mechanism, q, v):
    system = mechanism.system
    return 0.5 * v @ system.model.terms(q, v, 0.0, system.theta()).M @ v


def hinged(lower, upper, **options):
    body = bob()
    hinge = mb.Revolute("hinge", mb.GROUND, (0, 0, 0), body, (0, 0, 0), axis1=(0, 1, 0))
    return mb.Mechanism("pendulum", [body], [hinge, mb.Limit("stop", hinge, lower, upper, **options)]), body


@pytest.mark.parametrize(("lower", "upper", "at"), [
    (-0.5, 1.0, -0.5), (-0.5, 1.0, 1.0), (2.5, 4.5, 2.5), (2.5, 4.5, 4.5), (-3.1, 3.1, 3.1), (-6.0, -4.0, -4.0),
])  # fmt: skip
def test_a_stop_carries_the_weight_at_either_end_of_a_range_anywhere(lower, upper, at):
    held, body = hinged(lower, upper)
    found = g.accelerate(held, *held.state(hung(body, at, 0.0)))
    side = "upper" if at == upper else "lower"
    other = "lower" if side == "upper" else "upper"
    torque = -MASS * G * LEVER * np.sin(at)  # about +y: drives the angle towards 0
    wanted = max(torque if side == "upper" else -torque, 0.0)
    assert found.multiplier(f"stop {side}") == pytest.approx(wanted, abs=1e-9)
    assert found.multiplier(f"stop {other}") == 0.0


@pytest.mark.parametrize("e", [0.0, 0.6])
def test_a_pendulum_bounces_off_its_stop_as_newton_says(e):
    held, body = hinged(-0.3, 2.0, restitution=e)
    run = quiet(held, *held.state(hung(body, 0.4, 0.0)), 1.2)
    strike = next(event for event in run.events if event.kind == "impact")
    J = MOMENT + MASS * LEVER**2
    before = -np.sqrt(2.0 * MASS * G * LEVER * (np.cos(0.3) - np.cos(0.4)) / J)
    there = run.at(strike.t + 1e-9)
    after = held.joints[0].rate(held.named(there.q[0]), held.named(there.v[0]))
    assert float(after) == pytest.approx(-e * before, abs=1e-6)
    angles = held.joints[0].value(run)
    assert float(np.min(angles)) >= -0.3 - 1e-8


def test_a_displacement_has_limits_too_and_one_may_be_infinite():
    body = mb.Body("block", mb.box(2.0, (0.1, 0.1, 0.1)))
    rail = mb.Prismatic("rail", mb.GROUND, (0, 0, 0), body, (0, 0, 0), axis1=(0, 0, 1))
    held = mb.Mechanism("block", [body], [rail, mb.Limit("floor", rail, -0.2, np.inf)])
    found = g.accelerate(held, *held.state(body.pose((0, 0, -0.2))))
    assert found.multiplier("floor lower") == pytest.approx(2.0 * G)
    assert "floor upper" not in held.system.row_names


@pytest.mark.parametrize(("limits", "words"), [
    ((1.0, 1.0), "has no range"), ((np.inf, 2.0), "has no range"), ((-np.inf, np.inf), "has no end"),
])  # fmt: skip
def test_a_limit_without_a_range_is_refused(limits, words):
    with pytest.raises(g.errors.InputError, match=words):
        hinged(*limits)


@pytest.mark.parametrize("limits", [(-np.pi, np.pi), (-6.5, 6.5), (0.0, np.inf)])
def test_a_range_of_a_turn_is_refused_where_turns_are_not_counted(limits):
    held, _ = hinged(*limits)
    with pytest.raises(g.errors.ModelError, match="does not count turns"):
        _ = held.system.model


def test_a_geared_rotor_slows_a_pendulum_in_space():
    """θ̈ = −mgl sin θ/(J + ml² + I), and the energy ½ (J + ml² + I) θ̇²."""
    body, I, angle, rate = bob(), 0.7, 0.8, -1.3
    hinge = mb.Revolute("hinge", mb.GROUND, (0, 0, 0), body, (0, 0, 0), axis1=(0, 1, 0))
    held = mb.Mechanism("geared", [body], [hinge], [mb.Armature("rotor", hinge, I)])
    q, v = held.state(hung(body, angle, rate))
    found = g.accelerate(held, q, v)
    J = MOMENT + MASS * LEVER**2 + I
    assert kinetic(held, q, v) == pytest.approx(0.5 * J * rate**2, rel=1e-13)
    a = dict(zip(held.system.coordinates, found.a, strict=True))
    wanted = -MASS * G * LEVER * np.sin(angle) / J
    assert a["bob_R31"] == pytest.approx(-np.cos(angle) * wanted + np.sin(angle) * rate**2, abs=1e-10)
    run = quiet(held, q, v, 1.0)
    assert float(np.ptp(run.energy)) < 1e-8


def test_a_rotor_of_a_joint_between_moving_bodies_has_the_relative_rate():
    one, two = bob("one"), bob("two")
    joints = [
        mb.Revolute("shoulder", mb.GROUND, (0, 0, 0), one, (0, 0, 0), axis1=(0, 1, 0)),
        mb.Revolute("elbow", one, (0, 0, -1), two, (0, 0, 0), axis1=(0, 1, 0)),
    ]
    bare = mb.Mechanism("arm", [one, two], joints)
    geared = mb.Mechanism("arm", [one, two], joints, [mb.Armature("rotor", joints[1], 0.3)])
    at = mb.about((0, 1, 0), 0.4) @ np.array([0, 0, -1.0])
    move = np.cross([0, 1.2, 0], at)
    second = two.pose(at, mb.about((0, 1, 0), 0.9), move, (0, -0.5, 0))
    q, v = bare.state(hung(one, 0.4, 1.2), second)
    more = kinetic(geared, q, v) - kinetic(bare, q, v)
    assert more == pytest.approx(0.5 * 0.3 * (-0.5 - 1.2) ** 2, rel=1e-12)


def test_a_follower_keeps_a_cubic_of_its_leader():
    one, two = (mb.PlanarBody(name, 1.0, inertia=0.5) for name in ("one", "two"))
    pins = [mb.Pin(f"pin {k}", mb.GROUND, (k, 0), each, (0, 0)) for k, each in enumerate((one, two))]
    rule = (0.1, 0.5, 0.3, -0.2)
    held = mb.Mechanism("cam", [one, two], [*pins, mb.Follower("cam", pins[1], pins[0], rule)])
    p = np.polynomial.Polynomial(rule)
    q, v = held.state(one.pose((0, 0), 0.7, (0, 0), 0.9), two.pose((1, 0), p(0.7), (0, 0), p.deriv()(0.7) * 0.9))
    run = quiet(held, q, v, 1.0)
    lead, follow = (pin.value(run) for pin in pins)
    assert float(np.max(np.abs(follow - p(lead)))) < 1e-9
    speed = (0.5 * (1.0 + p.deriv()(lead) ** 2)) * pins[0].rate(run, mb.rates_of(run)) ** 2
    assert float(np.ptp(speed)) < 1e-9  # no force does work


def test_a_follower_of_two_leaders_is_a_rope_over_pulleys():
    blocks = [mb.PlanarBody(name, m, inertia=0.1) for name, m in (("a", 1.0), ("b", 2.0), ("c", 3.0))]
    rails = [mb.Slider(f"rail {k}", mb.GROUND, (k, 0), each, (0, 0), (0, 1)) for k, each in enumerate(blocks)]
    rope = mb.Follower("rope", [(rails[0], 1.0)], [(rails[1], 1.0), (rails[2], 0.5)], (0.0, -1.0))
    held = mb.Mechanism("rope", blocks, [*rails, rope])
    found = g.accelerate(held, *held.state(*(each.pose((k, 0)) for k, each in enumerate(blocks))))
    a = found.acceleration
    assert a.a_y + a.b_y + 0.5 * a.c_y == pytest.approx(0.0, abs=1e-12)
    tension = found.multiplier("rope")
    assert 1.0 * (a.a_y + G) == pytest.approx(tension)
    assert 3.0 * (a.c_y + G) == pytest.approx(0.5 * tension)


@pytest.mark.parametrize(("joints", "leaders", "words"), [
    ([], "one", "takes a list of pairs"), ("one", [("one", 0.0)], "is zero"), ("ball", "one", "needs a joint with"),
])  # fmt: skip
def test_a_follower_says_what_it_needs(joints, leaders, words):
    body = bob()
    known = {
        "one": mb.Revolute("one", mb.GROUND, (0, 0, 0), body, (0, 0, 0)),
        "ball": mb.Spherical("ball", mb.GROUND, (0, 0, 0), body, (0, 0, 0)),
    }

    def of(given):
        return known[given] if isinstance(given, str) else [(known[name], c) for name, c in given]

    with pytest.raises(g.errors.InputError, match=words):
        mb.Follower("follower", of(joints), of(leaders))


def test_a_pendulum_on_a_massless_cross_moves_as_one_on_a_universal_joint():
    body = bob()
    cross = mb.Carried("cross")
    one = mb.Revolute("one", mb.GROUND, (0, 0, 0), cross, (0, 0, 0), (1, 0, 0))
    two = mb.Revolute("two", cross, (0, 0, 0), body, (0, 0, 0), (0, 1, 0))
    through = mb.Mechanism("crossed", [cross, body], [one, two])
    whole = mb.Universal("both", mb.GROUND, (0, 0, 0), body, (0, 0, 0), (1, 0, 0), (0, 1, 0))
    direct = mb.Mechanism("universal", [body], [whole])
    first = mb.about((1, 0, 0), 0.5)
    R = first @ mb.about((0, 1, 0), -0.7)
    omega = R.T @ np.array([0.8, 0, 0]) + np.array([0, -0.4, 0])
    pose = body.pose(rotation=R, angular_velocity=omega)
    found = g.accelerate(through, *through.state(cross.pose(rotation=first, angular_velocity=(0.8, 0, 0)), pose))
    wanted = g.accelerate(direct, *direct.state(pose))
    assert found.unique
    assert np.allclose(found.a[12:], wanted.a, atol=1e-10)


def test_what_turns_no_inertia_has_no_determined_acceleration():
    idle = mb.Carried("idle")
    body = bob()
    joints = [
        mb.Revolute("hinge", mb.GROUND, (0, 0, 0), body, (0, 0, 0), (0, 1, 0)),
        mb.Revolute("spinner", body, (0, 0, -1), idle, (0, 0, 0)),
    ]
    held = mb.Mechanism("idle", [body, idle], joints)
    with pytest.raises(g.errors.NonUniqueAccelerationError, match="no inertia along idle_R12"):
        g.classify(held, *held.state(body.pose(), idle.pose((0, 0, -1))))


def test_a_point_mass_may_be_carried_but_not_be_a_free_body():
    point = mb.Inertia.of_second(1.0, np.zeros(3), (0, 0, -0.5))
    with pytest.raises(g.errors.InputError, match="use Particle"):
        mb.Body("point", point)
    body = mb.Carried("point", point)
    hinge = mb.Revolute("hinge", mb.GROUND, (0, 0, 0), body, (0, 0, 0), (0, 1, 0))
    held = mb.Mechanism("simple pendulum", [body], [hinge])
    q, v = held.state(hung(body, 0.3, 0.0))
    a = dict(zip(held.system.coordinates, g.accelerate(held, q, v).a, strict=True))
    assert a["point_R31"] == pytest.approx(G / 0.5 * np.sin(0.3) * np.cos(0.3), rel=1e-10)


@pytest.mark.parametrize("seed", range(4))
def test_stops_of_coupled_joints_open_at_once(seed):
    """x = r y with a floor for each: forces add up, and (m_x r² + m_y) ÿ = (w_x r + w_y)(exp t − 2) from ln 2 on."""
    rng = np.random.default_rng(seed)
    (one, two), ratio = rng.uniform(0.1, 2.0, 2), rng.uniform(0.3, 3.0)
    system = g.System(
        "coupled",
        coordinates="x y",
        kinetic_energy=lambda v: v.x**2 + 1.5 * v.y**2,
        force=lambda t: [one * (g.exp(t) - 2.0), two * (g.exp(t) - 2.0)],
        constraints=[
            g.Holonomic("coupling", lambda q: q.x - ratio * q.y),
            g.Unilateral("floor of x", lambda q: q.x),
            g.Unilateral("floor of y", lambda q: 3.0 * q.y),
        ],
    )
    run = quiet(system, [0.0, 0.0], [0.0, 0.0], 2.0)
    assert run.ending.kind == "finished"
    assert sorted(event.name for event in run.events if event.kind == "release") == ["floor of x", "floor of y"]
    start = np.log(2.0)
    assert all(event.t == pytest.approx(start, abs=1e-9) for event in run.events)
    shape = (np.exp(2.0) - 2.0) - 2.0 * (2.0 - start) - (2.0 - start) ** 2  # ∫∫ (exp t − 2) from ln 2 to 2
    y = (one * ratio + two) / (2.0 * ratio**2 + 3.0) * shape
    assert run["y"][-1] == pytest.approx(y, rel=1e-8)
    assert run["x"][-1] == pytest.approx(ratio * y, rel=1e-8)


def test_stops_that_push_against_each_other_through_a_coupling_are_equations():
    """x = −2y with x ≥ 0 and y ≥ 0 leaves x = y = 0 alone, and z falls with m̈z = f as if x were welded."""
    system = g.System(
        "locked",
        coordinates="x y z",
        kinetic_energy=lambda v: v.x**2 + 1.5 * v.y**2 + 0.5 * v.z**2 + 0.4 * v.x * v.z,
        force=[3.0, -1.0, 2.0],
        constraints=[
            g.Holonomic("coupling", lambda q: q.x + 2.0 * q.y),
            g.Unilateral("floor of x", lambda q: q.x),
            g.Unilateral("floor of y", lambda q: q.y),
        ],
    )
    found = g.accelerate(system, [0.0, 0.0, 0.3])
    assert found.verdict == "redundant"
    assert found.unique
    assert np.allclose(found.a, [0.0, 0.0, 2.0], atol=1e-12)
    ranges = [found.range_of(name) for name in ("coupling", "floor of x", "floor of y")]
    for mine, true in zip(ranges, [(-np.inf, -2.2), (0.0, np.inf), (5.4, np.inf)], strict=True):  # both floors press
        assert mine == pytest.approx(true, abs=1e-9)  # 3 + μ + λ_x = 0.4·2, 2μ − 1 + λ_y = 0
    run = quiet(system, [0.0, 0.0, 0.3], [0.0, 0.0, 0.1], 1.0)
    assert run.ending.kind == "finished"
    assert np.allclose([run["x"][-1], run["y"][-1], run["z"][-1]], [0.0, 0.0, 1.4], atol=1e-9)
