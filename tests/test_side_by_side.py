"""Members side by side: the numbers of single runs to the last bit, and whatever leaves a doubt left to these."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gauss as g
from gauss.motion import ensemble, side_by_side, simulate_many

TIMES = np.linspace(0.0, 1.0, 6)


def four_bar(ground=2.5, unit=1.0, mass=1.0):
    """Bars 1, 2 and 2.2 from (0, 0) to (ground, 0), particles at the two pins; the first bar's length is a parameter.

    `unit` is how many metres the unit of length has, `mass` that of each particle.
    """
    return g.System(
        "four-bar",
        "x y u w",
        kinetic_energy=lambda v: 0.5 * mass * (v.x**2 + v.y**2 + v.u**2 + v.w**2),
        potential_energy=lambda q: 9.81 * mass * (q.y + q.w),
        force=lambda u: [u.push * mass, 0.0, 0.0, 0.0],
        controls="push",
        parameters={"l": unit},
        constraints=[
            g.Holonomic("crank", lambda q, p: q.x**2 + q.y**2 - p.l**2),
            g.Holonomic("coupler", lambda q: (q.u - q.x) ** 2 + (q.w - q.y) ** 2 - (2.0 * unit) ** 2),
            g.Holonomic("rocker", lambda q: (q.u - ground * unit) ** 2 + q.w**2 - (2.2 * unit) ** 2),
        ],
    )


def closed(angle, length=1.0, ground=2.5):
    """Return the position of the linkage with a crank of this length at an angle, the rocker above."""
    x, y = length * np.cos(angle), length * np.sin(angle)
    across = np.array([ground - x, -y])
    d = np.hypot(*across)
    along = (4.0 - 2.2**2 + d**2) / (2.0 * d)
    e = across / d
    return np.array([x, y, *(np.array([x, y]) + along * e + np.sqrt(4.0 - along**2) * np.array([-e[1], e[0]]))])


def moving(system, q, rate, theta=None):
    """Return a velocity on the rows at q."""
    terms = system.model.terms(q, np.zeros(4), 0.0, system.theta() if theta is None else theta)
    return rate * np.linalg.svd(terms.J)[2][3]


def alone(monkeypatch, *args, **options):
    """Return what `simulate_many` finds with every member followed by itself."""
    with monkeypatch.context() as patch:
        patch.setattr(ensemble, "follow_together", lambda *_: None)
        return simulate_many(*args, **options)


def same(one, other):
    """Whether tables hold the same numbers, to the last bit; residuals are also taken at the times of the table."""
    names = [name for name in one.data_vars if name not in ("residual", "distance")]
    return all(one[name].identical(other[name]) for name in names)


def members(count=12):
    """Return starts, velocities and lengths of cranks."""
    rng = np.random.default_rng(3)
    lengths = rng.uniform(0.8, 1.2, count)
    q = np.array([closed(angle, length) for angle, length in zip(rng.uniform(0.5, 2.5, count), lengths, strict=True)])
    system = four_bar()
    v = np.array([
        moving(system, x, rate, np.array([length, 0.0]))
        for x, rate, length in zip(q, rng.normal(size=count), lengths, strict=True)
    ])  # fmt: skip
    return q, v, lengths


@pytest.mark.parametrize(
    "options",
    [
        {"rtol": 1e-9},
        {"rtol": 1e-7, "control": {"push": 2.0}, "max_step": 0.05},
        {"solver": "kkt"},
        {"solve_at": "times"},
    ],
)
def test_members_are_single_runs_to_the_last_bit(monkeypatch, options):
    system, (q, v, lengths) = four_bar(), members()
    given = {"times": TIMES, "parameters": {"l": lengths}, **options}
    theta = np.column_stack([lengths, np.full(len(q), 2.0 if "control" in options else 0.0)])
    rest = {name: value for name, value in options.items() if name != "control"}
    followed = side_by_side.follow_together(system, q, v, theta, TIMES, rest)
    assert followed is not None
    assert followed.some.tolist() == list(range(len(q)))
    found, single = simulate_many(system, q, v, **given), alone(monkeypatch, system, q, v, **given)
    assert same(found, single)
    assert float(found["residual"].max()) < 1e-11
    assert float(found["distance"].max()) < 1e-11
    if "solver" not in options:
        assert np.all(found["distance"] > 0.0)  # the solver has solved them


def test_a_member_on_its_way_to_a_change_point_is_followed_by_itself(monkeypatch):
    ground = 2.2 + 2.0 - 1.0  # a crank that turns comes to where all bars lie on one line
    system = four_bar(ground)
    angles = np.array([0.8, 1.0, 1.2])
    q = np.array([closed(angle, ground=ground) for angle in angles])
    v = np.array([moving(system, x, 4.0 * side) for x, side in zip(q, (1.0, -1.0, 0.01), strict=True)])
    times = np.linspace(0.0, 0.6, 4)
    found, single = (
        each(system, q, v, times=times) for each in (simulate_many, lambda *a, **k: alone(monkeypatch, *a, **k))
    )
    assert same(found, single)
    followed = side_by_side.follow_together(system, q, v, np.tile(system.theta(), (3, 1)), times, {})
    runs = [g.simulate(system, x, y, t_end=0.6, progress="none") for x, y in zip(q, v, strict=True)]
    eventful = [k for k, run in enumerate(runs) if run.events or run.windows or not run.ending.complete]
    assert eventful
    assert not {*eventful} & {*([] if followed is None else followed.some.tolist())}


def free():
    """A particle without rows, on a spring."""
    return g.System("free", "x y", kinetic_energy=lambda v: v.x**2 + v.y**2, force=lambda q: [-q.x, -4.0 * q.y])


def guided():
    """A particle on a line, whose rows do not turn, and which a rheonomic row pushes."""
    rows = [g.Holonomic("line", lambda q: q.x - 2.0 * q.y), g.Holonomic("push", lambda q, t: q.z - g.sin(t))]
    return g.System("guided", "x y z", kinetic_energy=lambda v: v.x**2 + v.y**2 + v.z**2, force=[1.0, 2.0, 0.0],
                    constraints=rows)  # fmt: skip


@pytest.mark.parametrize("case", ["no rows", "rows that do not turn"])
def test_systems_with_less_to_look_at_are_followed_too(monkeypatch, case):
    system = free() if case == "no rows" else guided()
    scale = np.linspace(0.0, 3.0, 5)[:, None]
    q, v = (scale * [1.0, 2.0], -scale * [1.0, 0.5]) if case == "no rows" else (
        scale * [2.0, 1.0, 0.0], scale * [1.0, 0.5, 0.0] + [0.0, 0.0, 1.0])  # fmt: skip
    followed = side_by_side.follow_together(system, q, v, np.zeros((5, 0)), TIMES, {})
    assert followed is not None
    assert len(followed.some) >= 4
    assert same(simulate_many(system, q, v, times=TIMES), alone(monkeypatch, system, q, v, times=TIMES))


@pytest.mark.parametrize("what", [
    {"control": lambda t, q, v: [0.0]}, {"method": "radau"}, {"rtol": -1.0}, {"impacts": "moreau"}, {"solver": "cvxpy"}
])  # fmt: skip
def test_what_is_not_followed_side_by_side_is_left_alone(what):
    system, (q, v, lengths) = four_bar(), members(2)
    assert side_by_side.follow_together(system, q, v, np.column_stack([lengths, 0.0 * lengths]), TIMES, what) is None


def test_a_massless_member_leaves_the_others_together():
    system = g.System(
        "rod",
        "x y",
        kinetic_energy=lambda v, p: 0.5 * p.m * (v.x**2 + v.y**2),
        force=[0.0, -1.0],
        parameters={"m": 1.0},
        constraints=[g.Holonomic("rod", lambda q: q.x**2 + q.y**2 - 1.0)],
    )
    q, masses = np.array([[1.0, 0.0]] * 3), np.array([1.0, 0.0, 2.0])
    found = side_by_side.follow_together(system, q, 0.0 * q, masses[:, None], TIMES, {})
    assert found.some.tolist() == [0, 2]
    runs = simulate_many(system, q, times=TIMES, parameters={"m": masses})
    assert runs["ending"].values.tolist() == ["finished", "refused", "finished"]


@pytest.mark.long
def test_another_branch_is_at_least_so_far_from_a_clear_state():
    """Linkages of random lengths, grounds and units: where one is clear, its distance is bounded as it is found."""
    rng, found = np.random.default_rng(5), []
    for ground in np.concatenate([rng.uniform(1.5, 3.4, 30), 3.2 + 10.0 ** rng.uniform(-12.0, -1.0, 30)]).tolist():
        unit = float(10.0 ** rng.uniform(-9.0, 6.0))
        system, q = four_bar(ground, unit), closed(rng.uniform(0.3, 2.0), ground=ground) * unit
        theta = system.theta()
        system.model.pieces.independence(99)
        if not np.all(np.isfinite(q)) or not side_by_side.clear_at(system, system.state(q), theta):
            continue
        setting = side_by_side.Setting(system, side_by_side.tableau_of("dop853"), theta, 0.0, np.ones(8), 1e-9, None)
        stepper, look = side_by_side.FusedStepper(setting, system.model.equality), side_by_side.LookAhead()
        x = np.concatenate([[0.0], q, np.zeros(4)])
        assert look.unresolved(stepper, x) is None
        found.append(look._apart * look.indicator(stepper, x))
    assert len(found) > 20
    assert min(found) >= side_by_side.apart_at_least(3)


def test_several_paths_are_looked_along_as_each_by_itself():
    system, (q, v, lengths) = four_bar(), members(3)
    runs = [
        g.simulate(system.with_parameters(l=length), x, y, t_end=1.0, rtol=1e-8, progress="none")
        for x, y, length in zip(q, v, lengths.tolist(), strict=True)
    ]
    theta = np.column_stack([lengths, 0.0 * lengths])
    setting = side_by_side.Setting(
        system, side_by_side.tableau_of("dop853"), theta[0], 0.0, np.full(8, 1e-12), 1e-8, None
    )
    stepper, parts = side_by_side.FusedStepper(setting, system.model.equality), []
    for run, own in zip(runs, theta, strict=True):
        states, many = np.column_stack([run.t, run.q, run.v]), np.tile(own, (len(run) - 1, 1))
        parts.append((states[:-1], states[1:], np.diff(run.t), run.a[:-1], many))
    starts = np.cumsum([0, *(len(part[0]) for part in parts[:-1])])
    joined = [np.concatenate(each) for each in zip(*parts, strict=True)]

    def looked(states, following, tried, a, theta, starts):
        path = side_by_side.Path.of(states, following, tried, a, theta, 1.0, starts)
        longest = side_by_side.largest_so_far(tried, starts)
        return side_by_side.doubts(side_by_side.LookAhead(), stepper, path, longest)

    together = looked(*joined, starts)
    for part, first in zip(parts, starts.tolist(), strict=True):
        one, some = looked(*part, np.zeros(1, dtype=int)), slice(first, first + len(part[0]))
        for mine, theirs in zip((*one.seen[:5], *one[1:]), (*together.seen[:5], *together[1:]), strict=True):
            assert np.array_equal(mine, theirs[some])


@pytest.mark.long
@given(st.lists(st.lists(st.floats(-5, 5), min_size=1, max_size=6), min_size=1, max_size=4), st.floats(-5, 5))
def test_the_largest_so_far(sequences, before):
    starts = np.cumsum([0, *(len(each) for each in sequences[:-1])])
    wanted = [max(each[: k + 1]) for each in sequences for k in range(len(each))]
    count = len(sequences[0])
    wanted[:count] = [max(value, before) for value in wanted[:count]]
    assert side_by_side.largest_so_far(np.concatenate(sequences), starts, before).tolist() == wanted
