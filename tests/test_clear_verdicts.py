"""Verdicts that are clear beforehand: those of the full analysis to the bit, whatever is asked of them, and when.

A fresh system gives its first verdicts by the full analysis, before the bounds are compiled.
"""

from __future__ import annotations

import copy
import pickle
from concurrent.futures import ThreadPoolExecutor
from dataclasses import fields, replace

import numpy as np
import pytest

import gauss as g
from gauss.motion import start


def pendulum(l=1.0):
    """A double pendulum of two particles, with a parameter."""
    return g.System(
        "double pendulum",
        "x1 y1 x2 y2",
        parameters={"l": l},
        kinetic_energy=lambda v: 0.5 * (v.x1**2 + v.y1**2 + v.x2**2 + v.y2**2),
        potential_energy=lambda q: 9.81 * (q.y1 + q.y2),
        constraints=[
            g.Holonomic("upper", lambda q, p: q.x1**2 + q.y1**2 - p.l**2),
            g.Holonomic("lower", lambda q: (q.x2 - q.x1) ** 2 + (q.y2 - q.y1) ** 2 - 1.0),
        ],
    )


def cart():
    """A pushed cart with a pole, in minimal coordinates: no rows."""
    return g.System(
        "cart and pole",
        "x phi",
        controls="push",
        kinetic_energy=lambda q, v: v.x**2 + 0.5 * v.phi**2 + v.x * v.phi * g.cos(q.phi),
        potential_energy=lambda q: 9.81 * g.cos(q.phi),
        force=lambda u: [u.push, 0.0],
    )


def crank():
    """A driven crank with a rod on a guide, above a floor."""
    return g.System(
        "driven crank",
        "x y s",
        kinetic_energy=lambda v: 0.5 * (v.x**2 + v.y**2 + 2.0 * v.s**2),
        potential_energy=lambda q: 9.81 * q.y,
        constraints=[
            g.Holonomic("motor", lambda q, t: q.y * g.cos(2.0 * t + 1.0) - q.x * g.sin(2.0 * t + 1.0)),
            g.Holonomic("crank", lambda q: q.x**2 + q.y**2 - 1.0),
            g.Holonomic("rod", lambda q: (q.s - q.x) ** 2 + q.y**2 - 9.0),
            g.Unilateral("floor", lambda q: q.y + 2.0, friction=g.Coulomb(0.3, lambda v: v.x)),
        ],
    )


def chased():
    """Two particles in the plane, one of them of constant speed."""
    return g.System(
        "two particles",
        "x y z w",
        kinetic_energy=lambda v: 0.5 * (v.x**2 + v.y**2) + v.z**2 + v.w**2 + 0.5 * v.x * v.z,
        force=lambda q: [-q.x, 1.0, q.x, 0.2],
        constraints=[
            g.Nonholonomic("speed", lambda v: v.x**2 + v.y**2 - 4.0),
            g.Pfaffian("chase", lambda q: [0.0, 0.0, q.y - q.w, q.z - q.x]),
        ],
    )


def pendulum_state(rng):
    a, b = rng.uniform(-3.0, 3.0, 2)
    c, d = rng.normal(size=2)
    q = [np.cos(a), np.sin(a), np.cos(a) + np.cos(b), np.sin(a) + np.sin(b)]
    return q, [-c * q[1], c * q[0], -c * q[1] - d * np.sin(b), c * q[0] + d * np.cos(b)], 0.0


def crank_state(rng):
    t = float(rng.uniform(0.0, 3.0))
    x, y = np.cos(2.0 * t + 1.0), np.sin(2.0 * t + 1.0)
    s = x + np.sqrt(9.0 - y**2)
    dx, dy = -2.0 * y, 2.0 * x
    return [x, y, s], [dx, dy, dx - y * dy / (s - x)], t


def chased_state(rng):
    q, a = rng.normal(size=4), rng.uniform(-3.0, 3.0)
    along = rng.normal() * np.array([q[0] - q[2], q[1] - q[3]])
    return q, [2.0 * np.cos(a), 2.0 * np.sin(a), *along], 0.0


CASES = {
    "pendulum": (pendulum, pendulum_state, None),
    "cart": (cart, lambda rng: (rng.normal(size=2), rng.normal(size=2), 0.0), {"push": 3.0}),
    "crank": (crank, crank_state, None),
    "chased": (chased, chased_state, None),
}


def bits(x):
    if isinstance(x, np.ndarray):
        return x.shape, x.tobytes()
    if isinstance(x, (tuple, list)):
        return tuple(bits(each) for each in x)
    if isinstance(x, float):
        return x.hex()
    if hasattr(x, "__dataclass_fields__"):
        return tuple((each.name, bits(getattr(x, each.name))) for each in fields(x))
    return repr(x)


def awake(system, *state, **options):
    """The system after so many questions that its bounds are compiled."""
    for _ in range(4):
        g.classify(system, *state, **options)
    return system


def is_late(verdict):
    """Whether part of a verdict is left until it is asked for."""
    return "regularity" not in vars(verdict)


@pytest.mark.parametrize("name", CASES)
def test_a_clear_verdict_is_that_of_the_full_analysis_to_the_bit(name):
    make, draw, u = CASES[name]
    rng = np.random.default_rng(1)
    system = awake(make(), *draw(rng), u=u)
    late = 0
    for _ in range(6):
        state = draw(rng)
        full, clear, step = (
            g.classify(make(), *state, u=u),
            g.classify(system, *state, u=u),
            g.accelerate(system, *state, u=u),
        )
        late += is_late(clear)
        assert not is_late(full)
        assert bits(full) == bits(clear) == bits(step)
        assert str(full) == str(clear)
        assert full.forces == clear.forces
    assert late


@pytest.mark.parametrize("ask", ["accelerations", "regularity", "warnings", "problem"])
def test_what_is_asked_first_does_not_matter(ask):
    rng = np.random.default_rng(2)
    state = pendulum_state(rng)
    found = g.classify(awake(pendulum(), *state), *state)
    assert is_late(found)
    getattr(found, ask)
    assert bits(found) == bits(g.classify(pendulum(), *state))


def test_what_is_left_does_not_see_what_is_changed_later():
    q, v, t = pendulum_state(np.random.default_rng(3))
    q, v = np.array(q), np.array(v)
    system = awake(pendulum(), q, v, t)
    found, expected = g.classify(system, q, v, t), g.classify(pendulum(), q, v, t)
    q += 1.0
    v += 1.0
    found.state.q[:] = 0.0
    assert found.a.tobytes() == expected.a.tobytes()
    found.problem.M[:] = 0.0
    found.a[:] = 0.0
    assert bits(found.regularity) == bits(expected.regularity)
    assert found.error == expected.error


def test_clear_verdicts_are_written_copied_and_printed_whole():
    state = pendulum_state(np.random.default_rng(4))
    system, expected = awake(pendulum(), *state), g.classify(pendulum(), *state)
    for again in (
        lambda found: pickle.loads(pickle.dumps(found)),
        copy.copy,
        copy.deepcopy,
        lambda found: replace(found, warnings=()),
    ):
        found = g.classify(system, *state)
        assert is_late(found)
        assert bits(again(found)) == bits(expected)
    found = g.classify(system, *state)
    assert repr(found) == repr(expected)
    assert found == found
    with pytest.raises(AttributeError, match="speed"):
        _ = found.speed


def test_threads_that_ask_at_once_are_told_the_same():
    state = pendulum_state(np.random.default_rng(5))
    system, expected = awake(pendulum(), *state), bits(g.classify(pendulum(), *state))
    found = g.classify(system, *state)
    with ThreadPoolExecutor(8) as pool:
        assert set(pool.map(lambda _: bits(found), range(16))) == {expected}


def test_parameters_of_a_clear_verdict_are_its_own():
    state = pendulum_state(np.random.default_rng(6))
    system = awake(pendulum(), *state)
    q = [2.0 * x for x in state[0][:2]]
    q += [q[0] + 1.0, q[1]]
    other = g.classify(system.with_parameters(l=2.0), q)
    assert bits(other) == bits(g.classify(pendulum(2.0), q))
    with pytest.raises(g.errors.InconsistentStateError):
        g.classify(system, q)


@pytest.mark.sampled(5)
@pytest.mark.parametrize("exponent", range(18))
def test_rows_however_nearly_dependent_have_the_verdict_of_the_full_analysis(exponent):
    e = 10.0**-exponent

    def system():
        return g.System(
            "two guides",
            "x y z",
            kinetic_energy=lambda v: 0.5 * (v.x**2 + v.y**2 + v.z**2),
            force=[1.0, 2.0, 3.0],
            constraints=[
                g.Holonomic("one", lambda q: q.y - q.x**2),
                g.Holonomic("other", lambda q: q.y - q.x**2 + e * (q.z - q.x * q.y)),
            ],
        )

    for speed in (0.0, 1.0):
        state = ([0.5, 0.25, 0.125], [speed, speed, 0.75 * speed])
        full = g.classify(system(), *state)
        found = [g.classify(known, *state) for known in [system()] for _ in range(4)][-1]
        assert bits(found.findings) == bits(full.findings)
        assert bits(found.accelerations.candidates) == bits(full.accelerations.candidates)
        assert str(found) == str(full)


@pytest.mark.sampled(5)
@pytest.mark.parametrize("exponent", range(16))
def test_however_near_a_singular_position_the_verdict_is_that_of_the_full_analysis(exponent):
    def parallelogram():
        return g.System(
            "parallelogram",
            "x y z w",
            kinetic_energy=lambda v: 0.5 * (v.x**2 + v.y**2 + v.z**2 + v.w**2),
            potential_energy=lambda q: 9.81 * (q.y + q.w),
            constraints=[
                g.Holonomic("crank", lambda q: q.x**2 + q.y**2 - 1.0),
                g.Holonomic("coupler", lambda q: (q.z - q.x) ** 2 + (q.w - q.y) ** 2 - 4.0),
                g.Holonomic("rocker", lambda q: (q.z - 2.0) ** 2 + q.w**2 - 1.0),
            ],
        )

    x, y = np.cos(10.0**-exponent), np.sin(10.0**-exponent)
    for speed in (0.0, 1e-3, 1.0):
        state = ([x, y, 2.0 + x, y], [-speed * y, speed * x, -speed * y, speed * x])
        full = g.classify(parallelogram(), *state)
        found = [g.classify(known, *state) for known in [parallelogram()] for _ in range(4)][-1]
        assert bits(found.findings) == bits(full.findings)
        assert bits(found.accelerations.candidates) == bits(full.accelerations.candidates)
        assert str(found) == str(full)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("share", [0.0, 1e-15, 1e-12, 1e-10, 1e-9, 1e-8, 1e-7, 1e-6])
def test_states_off_their_rows_are_judged_as_by_the_full_analysis(share):
    q, v, t = pendulum_state(np.random.default_rng(7))
    state = (np.array(q) * (1.0 + share), v, t)
    system = awake(pendulum(), q, v, t)

    def said(judged):
        try:
            return bits(g.classify(judged, *state))
        except g.errors.InconsistentStateError as error:
            return str(error)

    assert said(system) == said(pendulum())


def test_a_closed_contact_and_a_number_that_is_not_finite_are_seen():
    block = g.System(
        "block above a floor",
        "x z",
        kinetic_energy=lambda v: 0.5 * (v.x**2 + v.z**2),
        potential_energy=lambda q: 9.81 * q.z + 1e-9 * g.sqrt(q.x),
        constraints=[g.Unilateral("floor", lambda q: q.z)],
    )
    awake(block, [1.0, 1.0])
    assert is_late(g.classify(block, [1.0, 1.0]))
    resting = g.classify(block, [1.0, 0.0])
    assert not is_late(resting)
    assert resting.forces["floor"] == pytest.approx((9.81, 9.81))
    with pytest.raises(g.errors.InconsistentStateError, match="impact"):
        g.classify(block, [1.0, 0.0], [0.0, -1.0])
    with pytest.raises(g.errors.InputError, match="not finite"):
        g.classify(block, [-1.0, 1.0])


def test_the_compiled_bounds_are_those_of_numpy():
    """Least singular values of two rows, and rows before and at a rest in the metric before it, against NumPy's."""
    system, rng, count, theta = pendulum(), np.random.default_rng(4), 40, np.array([1.0])
    bounds = system.model.pieces.independence(1000)
    for q, v in rng.normal(size=(count, 2, 4)):
        found = bounds.at(q, v, 0.0, theta)
        for sigma, rows in zip(found.sigma, (found.rows, found.balanced), strict=True):
            assert sigma == pytest.approx(np.linalg.svd(rows, compute_uv=False)[-1], rel=1e-9, abs=1e-8)
    cart_pole = cart()
    q, v, t, times = rng.normal(size=(count, 2)), rng.normal(size=(count, 2)), np.zeros(count), rng.uniform(size=count)
    pivots, _ = cart_pole.model.pieces.independence(1000).approach([q, v, t, np.zeros((1, 1)), times])
    M, _ = cart_pole.model.batch(q, v, t, np.zeros(1))
    scaled = M / np.sqrt(M.diagonal(0, 1, 2)[:, :, None] * M.diagonal(0, 1, 2)[:, None, :])
    assert pivots[:, 0] == pytest.approx(np.min(np.linalg.cholesky(scaled).diagonal(0, 1, 2) ** 2, axis=1))
    q, v = rng.normal(size=(2, count, 4))
    _, both = bounds.approach([q, v, t, theta[None], times])
    for place, rows in zip((q, q + v * times[:, None] / 2.0), np.split(both, 2, axis=1), strict=True):
        M, J = system.model.batch(place, v, t, theta)
        assert rows.reshape(count, 4, 2).swapaxes(1, 2) == pytest.approx(J)  # masses of 1 kg


def test_a_start_that_is_not_clear_is_judged_once_for_runs_from_the_same_state(monkeypatch):
    def of_radius(q, p):
        return q.x**2 + q.y**2 - p.r**2

    doubled = [g.Holonomic(name, of_radius) for name in ("rod", "rod again")]
    pendulum = g.System(
        "doubled",
        "x y",
        kinetic_energy=lambda v: (v.x**2 + v.y**2) / 2,
        potential_energy=lambda q: 9.81 * q.y,
        constraints=doubled,
        parameters={"r": 1.0},
    )
    judged, real = [], start.judged
    monkeypatch.setattr(start, "judged", lambda *given: judged.append(given) or real(*given))
    first, again = (g.simulate(pendulum, [1.0, 0.0], t_end=0.3, progress="none") for _ in range(2))
    assert len(judged) == 1
    assert np.array_equal(first.q, again.q)
    g.simulate(pendulum, [0.0, 1.0], [1.0, 0.0], t_end=0.3, progress="none")
    g.simulate(pendulum.with_parameters(r=2.0), [2.0, 0.0], t_end=0.3, progress="none")
    assert len(judged) == 3
    with pytest.raises(g.errors.InconsistentStateError):
        g.simulate(pendulum.with_parameters(r=2.0), [1.0, 0.0], t_end=0.3, progress="none")
