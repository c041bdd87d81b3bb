"""Implicit steps for stiff forces: exact Jacobians, closed forms, rigid limits, and how few steps they take."""

from __future__ import annotations

import numpy as np
import pytest

import gauss as g
from gauss import bodies as mb
from gauss.model import tableau_of
from gauss.motion import Sampled
from gauss.motion.steps import steppers


def quiet(system, q, v, t_end, **options):
    return g.simulate(system, q, v, t_end=t_end, progress="none", **options)


def stepper_at(system, q, v, weight=None):
    """The implicit stepper of all rows and y = (q, v)."""
    w = steppers.metric_weight(system, np.array(q), np.array(v), 0.0) if weight is None else weight
    n = system.n
    setting = steppers.Setting(system, tableau_of("radau"), system.theta(), w, np.full(2 * n, 1e-9), 1e-6, None)
    return steppers.stepper_of(setting, system.model.equality), np.concatenate([q, v])


def ball():
    """A rolling ball on a damped spring: Pfaffian rows."""
    body = mb.Body("ball", mb.sphere(2.0, 0.4))
    spring = mb.Spring("spring", mb.GROUND, (0.5, 1.0, 1.0), body, (0.1, 0, 0.2), 300.0, 0.4, 5.0)
    whole = mb.Mechanism("ball", [body], [mb.RollingBall("floor", body, 0.4)], [spring])
    state = whole.state(body.pose((0, 0, 0.4), mb.about((1, 0, 0), 0.3), (0.3, 0, 0), (0, 0.5, 1.0)))
    consistent = g.consistent(whole.system, *state)
    return whole.system, consistent.q, consistent.v


def turning_rod():
    """A rod with a moving support, whose mass matrix depends on the position and whose row depends on time."""
    system = g.System(
        "rod",
        "x y",
        kinetic_energy=lambda q, v: 0.5 * (1.0 + q.x**2) * v.x**2 + 0.5 * v.y**2 + 0.3 * v.x * v.y,
        potential_energy=lambda q: 40.0 * q.x**4 + q.y,
        force=lambda v, t: {"x": -3.0 * v.x * v.y - t},
        constraints=[g.Holonomic("arm", lambda q, t: q.x**2 + (q.y - 0.3 * t) ** 2 - 1.0)],
    )
    return system, np.array([0.6, 0.8]), np.array([0.4, 0.0])


@pytest.mark.parametrize("model", [ball, turning_rod])
def test_the_jacobian_of_the_acceleration_is_that_of_differences(model):
    system, q, v = model()
    stepper, y = stepper_at(system, q, v)
    found = stepper._exact(0.0, y)
    h = 1e-6
    columns = [(stepper._rate(0.0, y + h * e) - stepper._rate(0.0, y - h * e)) / (2 * h) for e in np.eye(y.size)]
    exact = np.array(columns).T
    assert np.max(np.abs(found - exact)) < 1e-7 * np.max(np.abs(exact))
    assert np.max(np.abs(exact)) > 1.0


@pytest.mark.long
def test_a_smooth_motion_agrees_with_the_explicit_method_and_its_dense_output_too():
    system, q, v = ball()
    explicit = quiet(system, q, v, 0.5)
    implicit = quiet(system, q, v, 0.5, method="radau", rtol=1e-9, atol=1e-11)
    assert np.max(np.abs(implicit.q[-1] - explicit.q[-1])) < 1e-8
    times = [0.123, 0.37]
    assert np.max(np.abs(implicit.at(times).q - explicit.at(times).q)) < 1e-8
    assert np.max(implicit.off_position) < 1e-11
    assert np.max(implicit.stationarity) < 1e-10
    assert implicit.about.method == "radau"
    coarse = quiet(system, q, v, 0.5, method="radau", rtol=1e-6, atol=1e-8)
    assert 2 * len(coarse) < len(implicit)
    assert np.max(np.abs(coarse.q[-1] - explicit.q[-1])) < 1e-5


def test_a_step_too_long_for_its_accuracy_is_reached_in_parts_and_says_so():
    system, q, v = turning_rod()
    stepper, y = stepper_at(system, q, v)
    x = np.concatenate([[0.0], y])
    exact = quiet(system, q, v, 0.4, rtol=1e-12, atol=1e-13)
    for h, parted in ((1e-4, False), (0.1, True)):
        following, record = stepper.step(x, h)
        assert (record[-1] > 1.0) == parted
        assert np.max(np.abs(following[1:3] - exact.at(h).q[0])) < 1e-5
    assert np.all(np.isnan(stepper.step(x, 1e3)[0][1:]))  # far too long: given up


def test_the_overdamped_oscillator_follows_its_closed_form():
    k, c = 1e6, 1e5  # exponents −10.001 and −99990 1/s
    system = g.System(
        "stiff",
        "x y",
        kinetic_energy=lambda v: 0.5 * (v.x**2 + v.y**2),
        potential_energy=lambda q: 0.5 * k * q.x**2,
        force=lambda v: {"x": -c * v.x},
        constraints=[g.Holonomic("rail", lambda q: q.y - 2.0 * q.x)],
    )
    run = quiet(system, [1.0, 2.0], [0.0, 0.0], 1.0, method="radau", rtol=1e-8, atol=1e-12)
    m = 5.0  # on the rail
    fast, slow = np.roots([m, c, k])
    exact = (fast * np.exp(slow * run.t) - slow * np.exp(fast * run.t)) / (fast - slow)
    assert np.max(np.abs(run["x"] - exact)) < 1e-6
    assert len(run) < 0.2 * abs(fast) / 6.1  # a fifth of what the stability of dop853 would ask for, |h λ| < 6.1
    assert np.max(np.diff(run.t)) * abs(fast) > 5 * 6.1


def hung(stiff):
    """A bob hung by a bushing of 1e9 N/m, or on a ball joint, let go at an angle of 1 rad."""
    body = mb.Body("bob", mb.box(10.0, (0.2, 0.3, 1.0)))
    ends = (mb.GROUND, (0, 0, 0), body, (0, 0, 0.5))
    bushing, ball = mb.Bushing("bushing", *ends, stiffness=1e9, damping=1e6), mb.Spherical("ball", *ends)
    whole = mb.Mechanism("hung", [body], [] if stiff else [ball], [bushing] if stiff else [])
    R = mb.about((1, 0, 0), 1.0)
    return whole, bushing if stiff else ball, whole.state(body.pose(-R @ [0, 0, 0.5], R, angular_velocity=(0, 0, 0)))


def test_a_bushing_of_1e9_takes_a_hundredth_of_the_explicit_evaluations_and_is_nearly_a_joint(monkeypatch):
    calls = []
    plain = steppers.ImplicitStepper._rate
    monkeypatch.setattr(steppers.ImplicitStepper, "_rate", lambda self, t, y: calls.append(t) or plain(self, t, y))
    soft, bushing, state = hung(stiff=True)
    implicit = quiet(soft.system, *state, 0.5, method="radau", rtol=1e-8, atol=1e-12)
    explicit = quiet(soft.system, *state, 0.005, rtol=1e-6, atol=1e-9)
    per_second = len(calls) / 0.5, 12 * len(explicit) / 0.005  # 12 stages a step
    assert per_second[0] < 0.01 * per_second[1]
    hard, ball, state = hung(stiff=False)
    rigid = quiet(hard.system, *state, 0.5)
    held = mb.reaction(rigid, ball).force[-1]  # N, on the bob
    assert np.linalg.norm(held) > 50.0
    named, rates = soft.named(implicit.q[-1]), soft.named(implicit.v[-1])
    given = -1e9 * np.array(bushing.displacement(named)) - 1e6 * np.array(bushing.rates(named, rates)[0])
    assert np.allclose(given, held, rtol=0, atol=1e-3 * np.linalg.norm(held))
    assert np.max(np.abs(implicit.q[-1] - rigid.q[-1])) < 4 * np.linalg.norm(held) / 1e9


def test_a_contact_as_a_stiff_spring_lasts_half_a_period():
    k, speed = 1e8, 2.0
    dropped = g.System(
        "ball",
        "z",
        kinetic_energy=lambda v: 0.5 * v.z**2,
        force=lambda q: [k * g.fmax(-q.z, 0.0)],
    )
    touching = g.Event("touching", lambda q: q.z)
    run = quiet(dropped, [0.2], [-speed], 0.15, method="radau", rtol=1e-7, atol=1e-11, events=[touching], max_step=0.01)
    times = [event.t for event in run.events]
    assert len(times) == 2
    assert np.isclose(times[0], 0.1, rtol=1e-9)
    assert np.isclose(times[1] - times[0], np.pi / np.sqrt(k), rtol=1e-4)
    assert np.isclose(run["d_z"][-1], speed, rtol=1e-4)
    assert np.isclose(run["z"].min(), -speed / np.sqrt(k), rtol=1e-2)  # the contact is in the records


def test_a_step_across_a_whole_contact_is_not_taken_at_once():
    k = 1e6
    force = {"force": lambda q: [k * g.fmax(-q.z, 0.0)]}
    system = g.System("ball", "z", kinetic_energy=lambda v: 0.5 * v.z**2, **force)
    setting = steppers.Setting(system, tableau_of("radau"), system.theta(), 0.0, np.full(2, 1e-6), 1e-4, None)
    following, record = steppers.stepper_of(setting, ()).step(np.array([0.0, 0.001, -2.0]), 0.02)
    assert np.isclose(following[1], 2.0 * (0.02 - np.pi / np.sqrt(k)) - 0.001, rtol=1e-3)  # it is over, in parts
    assert record[-1] > 1.0


@pytest.mark.long
def test_controls_and_black_boxes_are_differentiated_by_differences():
    def model(**force):
        return g.System("mass", "x", kinetic_energy=lambda v: 0.5 * v.x**2, controls="f", **force)

    stiff = lambda t, q, v: [-1e6 * q[0] - 1e5 * v[0] + np.sin(t)]  # noqa: E731
    options = {"method": "radau", "rtol": 1e-8, "atol": 1e-13}
    traced = model(force=lambda q, v, t: [-1e6 * q.x - 1e5 * v.x + g.sin(t)])
    exact = quiet(traced, [1e-3], None, 1.0, **options)
    boxed = quiet(model(black_box_force=lambda q, v, t: stiff(t, q, v)), [1e-3], None, 1.0, **options)
    fed = quiet(model(force=lambda u: [u.f]), [1e-3], None, 1.0, control=stiff, **options)
    held = quiet(traced.with_parameters(), [1e-3], None, 1.0, control=Sampled(lambda t, q, v: [0.0], 0.25), **options)
    for other in (boxed, fed, held):
        assert len(other) < 600  # explicit steps: 1e5/6.1
        assert np.isclose(other["x"][-1], exact["x"][-1], rtol=1e-6)


def test_a_locked_start_and_an_unknown_method_are_refused():
    squared = g.System(
        "squared",
        "x y",
        kinetic_energy=lambda v: 0.5 * (v.x**2 + v.y**2),
        constraints=[g.Holonomic("twice", lambda q: q.y**2)],
    )
    with pytest.raises(g.errors.InputError, match="locked"):
        quiet(squared, [0.0, 0.0], [1.0, 0.0], 1.0, method="radau")
    with pytest.raises(g.errors.InputError, match="radau"):
        quiet(squared, [0.0, 0.0], [1.0, 0.0], 1.0, method="bdf")
