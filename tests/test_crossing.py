"""Motions pass through singular positions, start at and near them, and keep redundant rows, against other coordinates.

The witnesses are motions of one degree of freedom, integrated by SciPy, and closed forms. They share no code with the
package, and no row of theirs becomes dependent.
"""

from __future__ import annotations

import functools
import importlib.util
import itertools
import warnings
from pathlib import Path

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import gauss as g

EPS = float(np.finfo(float).eps)
G = 9.81  # m/s²
RTOL = 1e-10  # the default of simulate
SCENARIOS = Path(__file__).resolve().parent.parent / "scenarios"


@functools.cache
def scenario(name):
    spec = importlib.util.spec_from_file_location(name, SCENARIOS / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def unit_mass(v):
    """Kinetic energy of unit masses on all coordinates."""
    return 0.5 * sum(speed**2 for speed in v)


def quiet(*arguments, **options):
    """Simulate without the warning about an early end."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", g.MotionWarning)
        return g.simulate(*arguments, **options)


def integrated(rate, start, t_end, event=None, t=0.0):
    """A motion by SciPy at a thousandth of the tolerance of the runs, with short steps for its dense output."""
    options = {"rtol": 1e-13, "atol": 1e-14, "max_step": 0.02, "dense_output": True}
    return solve_ivp(rate, (t, t_end), start, "DOP853", events=event, **options)


def singular(run):
    return [e for e in run.events if e.kind == "singular"]


def times_of(run, kind="singular"):
    return np.array([e.t for e in run.events if e.kind == kind])


# --- the chain of four-bar linkages: all rockers at the angle θ, θ̈ = −c cos θ -----------------------------------


def constant(N):
    """c = force over mass along θ: half a weight for each rocker, one for each coupler; a third of a mass, and one."""
    return G * ((N + 1) / 2 + N) / ((N + 1) / 3 + N)


def chain(N, **functions):
    """The scenario's chain, or the same chain with further functions and rows."""
    plain = scenario("four_bar_chain").chain(N)
    if not functions:
        return plain
    bars = [((0.0, 0.0), i) for i in range(N + 1)] + [(i, i + 1) for i in range(N)]

    def end(v, i):
        return (v[2 * i], v[2 * i + 1]) if isinstance(i, int) else i

    def kinetic(v):
        ends = [(end(v, i), end(v, j)) for i, j in bars]
        return sum((a * a + a * c + c * c + b * b + b * d + d * d) / 6 for (a, b), (c, d) in ends)

    def potential(q):
        return G * sum(0.5 * (1 + (i > 0) + (i < N)) * q[2 * i + 1] for i in range(N + 1))

    rows = [*plain.constraints, *functions.pop("rows", [])]
    return g.System(
        "chain", plain.coordinates, kinetic_energy=kinetic, potential_energy=potential, constraints=rows, **functions
    )


def places(N, theta):
    """q (k, 2N + 2) at the angles θ (k,)."""
    theta = np.atleast_1d(theta)
    return np.stack([c for i in range(N + 1) for c in (i + np.cos(theta), np.sin(theta))], axis=1)


def rates(N, theta, speed):
    """v (k, 2N + 2)."""
    pair = np.stack([-np.sin(theta) * speed, np.cos(theta) * speed], axis=-1)
    return np.tile(np.atleast_2d(pair), N + 1)


def turning(N, theta, speed):
    """a (k, 2N + 2)."""
    rise = -constant(N) * np.cos(theta)
    pair = [-np.cos(theta) * speed**2 - np.sin(theta) * rise, -np.sin(theta) * speed**2 + np.cos(theta) * rise]
    return np.tile(np.stack(pair, axis=-1), N + 1)


def upright(N):
    """The start of the IFToMM benchmark A02: upright, B₀ with 1 m/s."""
    return places(N, np.pi / 2)[0], np.tile([1.0, 0.0], N + 1)


@functools.cache
def witness(N, t_end, theta=np.pi / 2, speed=-1.0):
    """The motion of θ, with the times at which the chain is flat."""

    def flat(t, y):
        return np.sin(y[0])

    return integrated(lambda t, y: [y[1], -constant(N) * np.cos(y[0])], [theta, speed], t_end, flat)


@functools.cache
def benchmark(N, t_end, rtol=RTOL):
    return g.simulate(chain(N), *upright(N), t_end=t_end, rtol=rtol, atol=1e-2 * rtol)


def error(run, N, **start):
    """The largest distance of a recorded coordinate from the witness (m)."""
    theta = witness(N, float(run.t[-1]), **start).sol(run.t)[0]
    return float(np.max(np.abs(run.q - places(N, theta))))


@pytest.mark.parametrize(("N", "t_end"), [(1, 20.0), (2, 20.0), (5, 20.0), (10, 20.0), (40, 4.0)])
def test_chain_stays_on_the_branch_of_parallel_rockers(N, t_end):
    """Every flat position is passed and logged. Errors per step are below rtol; passing upright multiplies them by
    some ten, so a thousand steps' worth of rtol is allowed, and as much of the energy."""
    run = benchmark(N, t_end)
    assert run.ending.kind == "finished"
    assert error(run, N) <= 1e3 * RTOL * len(run) / 100
    assert np.ptp(run.energy) <= 1e3 * RTOL * G * (3 * N + 1) / 2
    exact = witness(N, t_end).t_events[0]
    assert len(singular(run)) == len(exact) <= len(run.windows)
    assert {e.verdict for e in singular(run)} == {"crossing"}
    names = " + ".join(chain(N).row_names)
    assert {e.name for e in singular(run)} == {names}


def test_chain_gets_the_times_and_positions_of_its_crossings_right():
    """At rtol 1e-12 the positions are right to 1e-9 over 20 s, and the rockers pass with more than 4 rad/s."""
    run, exact = benchmark(2, 20.0, rtol=1e-12), witness(2, 20.0)
    assert error(run, 2) <= 1e-9
    crossings = singular(run)
    assert np.max(np.abs(times_of(run) - exact.t_events[0])) <= 1e-8
    for event, t in zip(crossings, exact.t_events[0], strict=True):
        theta = np.pi * np.round(exact.sol(t)[0] / np.pi)
        assert np.array(event.q) == pytest.approx(places(2, theta)[0], abs=1e-8)
        assert event.value <= 1e-10  # the smallest singular value: the distance from the position, in rad
        assert "singular position" in str(event)


def test_chain_is_where_another_program_finds_it():
    """IFToMM A02 with N = 2 after 10 s: B₀ and its velocity by EXUDYN with steps of 0.25 ms and 0.125 ms (values in
    jgerstmayr/EXUDYN, fourBarMechanismIftomm.py), extrapolated to zero step; its four step sizes converge with order
    2, and what remains after extrapolation is a hundredth of the last difference, 2e-6."""
    coarse = np.array([0.3284552113, 0.9445195467, 1.423045728, -0.4948619021])
    fine = np.array([0.3284573768, 0.9445187937, 1.423050003, -0.4948670827])
    limit = fine + (fine - coarse) / 3
    state = benchmark(2, 20.0).at(10.0)
    found = np.concatenate([state.q[0, :2], state.v[0, :2]])
    assert np.max(np.abs(found - limit)) <= 0.01 * np.max(np.abs(fine - coarse))


def test_the_motion_between_recorded_states_is_as_accurate_across_a_crossing(tmp_path):
    """Positions, velocities and accelerations on a fine grid through three windows; the same after save and load."""
    N, t_end = 2, 3.0
    run = benchmark(N, t_end)
    exact = witness(N, t_end)
    close = exact.t_events[0][:, None] + np.array([0.0, 1e-12, -1e-9, 1e-7, -1e-5, 1e-3])
    times = np.sort(np.concatenate([np.linspace(0.0, t_end, 601), close.ravel()]))
    dense, (theta, speed) = run.at(times), exact.sol(times)
    assert np.max(np.abs(dense.q - places(N, theta))) <= 1e-7
    assert np.max(np.abs(dense.v - rates(N, theta, speed))) <= 1e-7 * np.max(np.abs(speed))
    assert np.max(np.abs(dense.a - turning(N, theta, speed))) <= 1e-7 * np.max(np.abs(dense.a))
    assert np.ptp(dense.energy) <= 1e3 * RTOL * G * (3 * N + 1) / 2
    loaded = g.Trajectory.load(run.save(tmp_path / "chain.nc"))
    assert loaded.events == run.events
    again = loaded.with_system(chain(N)).at(times)
    for name in ("q", "v", "a"):
        assert np.array_equal(getattr(again, name), getattr(dense, name))


def test_the_certificate_in_a_window_is_that_of_the_acceleration_given():
    """|M a − f − Jᵀλ| and |J a − γ|, computed here, are the residuals that are reported. At the position itself no λ
    of the ordinary rows gives the reaction, and the residual says so: half a newton."""
    run = benchmark(2, 3.0)
    system, flat = chain(2), witness(2, 3.0).t_events[0][0]
    for t in (flat, flat + 1e-10, flat - 1e-8, flat + 1e-6, flat + 1e-3):
        state = run.at(t)
        problem = g.GaussProblem.at(system, system.state(state.q[0], state.v[0]))
        rest = problem.M @ state.a[0] - problem.f - problem.rows.J.T @ state.multipliers[0]
        size = np.sqrt(rest @ np.linalg.solve(problem.M, rest))
        scale = 1.0 + np.max(np.abs(state.multipliers[0]))  # λ grows like 1/σ: its rounding is that much
        assert state.stationarity[0] == pytest.approx(size, rel=1e-6, abs=100 * EPS * scale)
        J = problem.rows.J
        length = np.sqrt(np.einsum("ij,ji->i", J, np.linalg.solve(problem.M, J.T)))
        off = np.max(np.abs(J @ state.a[0] - problem.rows.lower) / length)
        assert state.primal[0] == pytest.approx(off, rel=1e-3, abs=1e4 * EPS * np.max(np.abs(state.a)))
    assert run.at(flat).stationarity[0] > 0.1


def test_rk4_keeps_its_grid_and_its_order_across_crossings():
    """Two crossings; the grid is that of the steps, and order 4 is measured at the end, beyond both."""
    N, steps, errors = 2, [0.02, 0.01, 0.005], []
    exact = witness(N, 1.4)
    for h in steps:
        run = g.simulate(chain(N), *upright(N), t_end=1.4, method="rk4", step=h)
        assert run.ending.kind == "finished"
        assert np.max(np.abs(run.t - h * np.arange(len(run)))) <= 100 * EPS * 1.4
        assert len(singular(run)) == 2
        errors.append(float(np.max(np.abs(run.q[-1] - places(N, exact.sol(1.4)[0])[0]))))
        assert np.max(np.abs(times_of(run) - exact.t_events[0])) <= errors[-1]  # it moves with more than 4 m/s
    assert errors[-1] > 100 * EPS * 1.4 / steps[-1]
    assert g.convergence_order(steps, errors) == pytest.approx(4.0, abs=0.1)


# --- starts at and near singular positions, ends there ----------------------------------------------------------

DISTANCES = [0.0, 1e-12, -1e-12, 1e-9, -1e-9, 1e-7, -1e-7, 1e-6, -1e-5, 1e-5, -1e-4, 1e-4, -1e-3, 1e-3, -1e-2]


@pytest.mark.parametrize("distance", DISTANCES)
@pytest.mark.parametrize("N", [1, 2, 5])
def test_chain_starts_at_any_distance_from_a_flat_position(N, distance):
    """The ordinary rows are off by δ/σ² there. All crossings are logged, that right after the start too."""
    speed, t_end = 1.3, 1.5
    q, v = places(N, distance)[0], rates(N, distance, speed)[0]
    run = g.simulate(chain(N), q, v, t_end=t_end)
    assert run.ending.kind == "finished"
    assert error(run, N, theta=distance, speed=speed) <= 1e-9
    exact = witness(N, t_end, distance, speed).t_events[0]
    found = times_of(run)
    found, exact = found[found > 1e-11], exact[exact > 1e-11]  # a start on the position itself may be logged
    assert len(found) == len(exact)
    assert np.max(np.abs(found - exact)) <= 1e-8


@pytest.mark.parametrize("ahead", [0.0, -1e-9, 1e-9, -1e-6, 1e-6, -1e-3, 1e-3, 0.02])
def test_runs_end_at_and_next_to_singular_positions(ahead):
    """At the flat position itself, beside it, and inside the window across it."""
    N = 2
    exact = witness(N, 3.0)
    t_end = float(exact.t_events[0][0]) + ahead
    run = g.simulate(chain(N), *upright(N), t_end=t_end)
    assert run.ending.kind == "finished"
    assert run.t[-1] == t_end
    theta, speed = exact.sol(t_end)
    assert np.max(np.abs(run.q[-1] - places(N, theta)[0])) <= 1e-9
    assert np.max(np.abs(run.a[-1] - turning(N, theta, speed))) <= 1e-8 * np.max(np.abs(run.a))
    if ahead != 0.0:
        assert len(singular(run)) == (ahead > 0.0)
    again = run.at(t_end)
    assert np.max(np.abs(again.a[0] - run.a[-1])) <= 1e-8 * np.max(np.abs(run.a))


# --- other mechanisms -------------------------------------------------------------------------------------------

AXIS = np.array([0.6, 0.8, 1.0])  # of a generator of the cone


@pytest.mark.parametrize(("s", "w"), [(-0.5, 3.0), (0.7, -1.0), (1e-3, -1.0), (1e-6, -1.0), (-1e-9, 2.0), (0.0, 2.0)])
def test_particle_passes_straight_through_the_apex_of_a_cone(s, w):
    """On a generator s̈ = −g/2, whatever the row is worth: it vanishes at the apex."""
    run = g.simulate(scenario("cone_apex").system, s * AXIS, w * AXIS, t_end=1.0)
    assert run.ending.kind == "finished"
    exact = s + w * run.t - G / 4 * run.t**2
    assert np.max(np.abs(run.q - exact[:, None] * AXIS)) <= 10 * RTOL
    roots = np.roots([-G / 4, w, s])
    passed = np.sort([t.real for t in roots if abs(t.imag) == 0.0 and 1e-11 < t.real < 1.0])
    found = times_of(run)
    found = found[found > 1e-11]  # a start on the apex itself may be logged
    assert len(found) == len(passed)
    assert np.max(np.abs(found - passed), initial=0.0) <= 10 * RTOL
    for event in singular(run):
        assert event.name == "cone"
        assert event.verdict == "crossing"
        assert np.max(np.abs(event.q)) <= 10 * RTOL


def slider_crank(metre=1.0, kilogram=1.0, second=1.0):
    """Crank and rod of 1 m, masses of 1 kg on the crank's end and the slider, in other units."""
    gravity = G * metre / second**2
    rows = [
        g.Holonomic("crank", lambda q: q.x**2 + q.y**2 - metre**2),
        g.Holonomic("rod", lambda q: (q.x - q.s) ** 2 + q.y**2 - metre**2),
    ]
    return g.System(
        "slider-crank with equal links",
        "x y s",
        kinetic_energy=lambda v: kilogram * unit_mass(v),
        potential_energy=lambda q: kilogram * gravity * q.y,
        constraints=rows,
    )


UNITS = [(1.0, 1.0, 1.0), (1e3, 1.0, 1.0), (1e-3, 1e3, 1.0), (1.0, 1e-3, 1e3), (1e6, 1.0, 1e-3)]


@pytest.mark.parametrize(("metre", "kilogram", "second"), UNITS)
def test_slider_crank_with_equal_links_slides_on_in_any_units(metre, kilogram, second):
    """s = 2 cos θ has (1 + 4 sin²θ) θ̈ = −g cos θ − 4 sin θ cos θ θ̇²; where θ = π/2 the branch s = 0 crosses."""
    theta, speed, t_end = 0.3, 7.0, 3.0

    def rate(t, y):
        s, c = np.sin(y[0]), np.cos(y[0])
        return [y[1], (-G * c - 4 * s * c * y[1] ** 2) / (1 + 4 * s**2)]

    exact = integrated(rate, [theta, speed], t_end, lambda t, y: np.cos(y[0]))
    q = np.array([np.cos(theta), np.sin(theta), 2 * np.cos(theta)])
    v = speed * np.array([-np.sin(theta), np.cos(theta), -2 * np.sin(theta)])
    run = g.simulate(
        slider_crank(metre, kilogram, second), metre * q, metre / second * v, t_end=t_end * second, atol=1e-12 * metre
    )
    assert run.ending.kind == "finished"
    angle = exact.sol(run.t / second)[0]
    place = np.stack([np.cos(angle), np.sin(angle), 2 * np.cos(angle)], axis=1)
    assert np.max(np.abs(run.q / metre - place)) <= 1e-8  # rtol, a hundredfold over the 200 steps
    assert len(singular(run)) == len(exact.t_events[0]) == 5
    assert np.max(np.abs(times_of(run) / second - exact.t_events[0])) <= 1e-8


def curve_motion(gap, angles, energy, t):
    """Both rocker angles (2, k) of a linkage (rockers of 0.6 m, ground 1 m, coupler 1 + gap, bars of 1 kg) at times t.

    There is one first-order equation along the curve of its positions: with the energy kept the speed never changes
    its sign here. `angles` (2, 2) are those of the start and of a moment after it, which give the direction.
    """
    b = 0.6

    def ends(y):
        return b * np.array([np.cos(y), np.sin(y)])

    def closure(y):
        d = np.array([1.0, 0.0]) + ends(y)[:, 1] - ends(y)[:, 0]
        value = d @ d - (1.0 + gap) ** 2
        turned = b * np.array([-np.sin(y), np.cos(y)])
        return value, np.array([-2 * d @ turned[:, 0], 2 * d @ turned[:, 1]])

    def along(y):
        _, slope = closure(y)
        return np.array([slope[1], -slope[0]]) / np.linalg.norm(slope)

    sign = np.sign(along(angles[0]) @ (angles[1] - angles[0]))

    def rate(_, y):
        value, slope = closure(y)
        d = sign * along(y)
        u, w = (b * d[k] * np.array([-np.sin(y[k]), np.cos(y[k])]) for k in (0, 1))
        mass = (2 * u @ u + 2 * w @ w + u @ w) / 3
        speed = np.sqrt(2 * (energy - G * b * (np.sin(y[0]) + np.sin(y[1]))) / mass)
        return d * speed - 50.0 * value * slope / (slope @ slope)  # and back to the curve

    return solve_ivp(rate, (0.0, t[-1]), angles[0], "DOP853", t, rtol=1e-12, atol=1e-14).y


@pytest.mark.parametrize("gap", [1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8, -1e-2, -1e-4, -1e-6])
def test_near_miss_turns_sharply_into_its_own_branch(gap):
    """A coupler that is too long or too short by `gap` never lets the bars lie on one line: where it nearly does, the
    motion turns within √gap from one of the former branches into the other, and nothing is singular. A state that is
    known to eps has an acceleration known to eps/σ², σ² ≈ gap there, which limits what can be asked for."""
    linkage = scenario("four_bar_chain").linkage([0.0, 1.0], 0.6, 1.0 + gap, "near miss")
    start = g.consistent(linkage, [0.0, 0.6, 1.0 + gap, 0.6], [3.0, 0.0, 3.0, 0.0])
    run = g.simulate(linkage, start.q, start.v, t_end=1.2, solver="kkt")
    assert run.ending.kind == "finished"
    assert not singular(run)
    angles = np.unwrap([np.arctan2(run["y0"], run["x0"]), np.arctan2(run["y1"], run["x1"] - 1.0)])
    assert np.max(np.abs(angles[0] - angles[1])) > np.sqrt(abs(gap))  # it has turned away from parallel rockers
    exact = curve_motion(gap, angles[:, :2].T, float(run.energy[0]), run.t)
    noise = EPS / abs(gap)
    assert np.max(np.abs(angles - exact)) <= 1e-8 + 10.0 * noise
    assert np.ptp(run.energy) <= 1e-8 + 100.0 * noise * run.energy[0]


# --- redundant rows ---------------------------------------------------------------------------------------------


def pendulum(*rows):
    return g.System(
        "pendulum", "x y", kinetic_energy=unit_mass, potential_energy=lambda q: G * q.y, constraints=list(rows)
    )


def rod(name, factor=1.0):
    return g.Holonomic(name, lambda q: factor * (q.x**2 + q.y**2 - 1.0))


@pytest.mark.parametrize("factor", [1.0, 1e6, -1e-3])
def test_duplicated_rod_moves_as_one_and_both_share_the_force(factor, tmp_path):
    """λ₁ and λ₂ of least squares of the single forces: each rod carries half, in whatever units its row is written."""
    both, one = pendulum(rod("one"), rod("two", factor)), pendulum(rod("one"))
    run, single = (g.simulate(system, [1.0, 0.0], t_end=2.0) for system in (both, one))
    assert run.ending.kind == "finished"
    assert len(run.about.redundant) == 1
    assert np.max(np.abs(run.at(single.t).q - single.q)) <= 10 * RTOL
    size = np.max(np.abs(single["one"]))
    assert np.max(np.abs(run["one"] - factor * run["two"])) <= 1e3 * EPS * size
    again = run.at(single.t)
    assert np.max(np.abs(again["one"] + factor * again["two"] - single["one"])) <= 100 * RTOL * size
    assert np.all(run.active)
    loaded = g.Trajectory.load(run.save(tmp_path / "rods.nc"))
    assert loaded.about.redundant == run.about.redundant
    assert np.array_equal(loaded.with_system(both).at([0.3, 1.1]).multipliers, run.at([0.3, 1.1]).multipliers)


def test_chain_with_repeated_rows_passes_its_flat_positions():
    """Redundant and crossing at once: a rocker again in other units, and the sum of two bars."""

    def both(q):
        return q.x0**2 + q.y0**2 - 1.0 + (q.x1 - q.x0) ** 2 + (q.y1 - q.y0) ** 2 - 1.0

    N = 2
    rows = [g.Holonomic("again", lambda q: 1e3 * (q.x0**2 + q.y0**2 - 1.0)), g.Holonomic("sum", both)]
    run = g.simulate(chain(N, rows=rows), *upright(N), t_end=3.0)
    assert run.ending.kind == "finished"
    assert len(run.about.redundant) == 2
    assert error(run, N) <= 1e-8
    assert np.max(np.abs(times_of(run) - witness(N, 3.0).t_events[0])) <= 1e-8


def test_rows_that_stop_being_redundant_end_the_run():
    """The second row is the first one above y = −½ and demands more below."""
    more = g.Holonomic("more", lambda q: q.x**2 + q.y**2 - 1.0 + g.where(g.less(q.y, -0.5), (q.y + 0.5) ** 4, 0.0))
    system = pendulum(rod("rod"), more)
    with pytest.warns(g.MotionWarning, match=r"rows 'more', redundant so far, are no longer satisfied"):
        run = g.simulate(system, [1.0, 0.0], t_end=1.0)
    assert run.ending.kind == "singular"
    assert -0.7 < run["y"][-1] < -0.5


def test_table_on_four_legs_stands():
    """Four contacts on three coordinates: at rest as long as it is loaded inside its legs, the forces non-negative."""
    table = scenario("table_on_four_legs")
    for load in ({}, {"W": 150.0, "X": 0.3, "Y": 0.2}):
        run = g.simulate(table.system.with_parameters(**load), table.start.q, t_end=0.5)
        assert run.ending.kind == "finished"
        total = table.MASS * table.G + load.get("W", 0.0)
        assert np.max(np.abs(run.q)) <= 100 * EPS
        assert np.max(np.abs(np.sum(run.multipliers, axis=1) - total)) <= 1e3 * EPS * total
        assert np.min(run.multipliers) >= -1e3 * EPS * total


def test_table_tips_over_the_edge_beyond_which_it_is_loaded():
    """About the right legs it turns with the closed form of the scenario, constant as the load keeps its moment."""
    table = scenario("table_on_four_legs")
    weight = table.MASS * table.G
    run = g.simulate(table.system.with_parameters(W=3 * weight, X=1.5 * table.A), table.start.q, t_end=0.2)
    assert run.ending.kind == "finished"
    expected = np.outer(run.t**2 / 2, table.tipping(3 * weight, 1.5 * table.A))
    assert np.max(np.abs(run.q - expected)) <= 10 * RTOL


# --- events and contacts inside a window ------------------------------------------------------------------------


def at_angle(theta, **options):
    return g.Event("angle", lambda q: g.sin(theta) * q.x0 - g.cos(theta) * q.y0, **options)


ANGLES = [0.02, -0.02, 0.05, 1e-4, -1e-4, 0.0]  # rad from flat; the window reaches from 0.15 to −0.15 or so


@pytest.mark.parametrize("theta", ANGLES)
def test_events_inside_a_window_are_located_and_the_crossing_is_logged_once(theta):
    N, t_end = 2, 1.6
    exact = witness(N, t_end)
    passing = integrated(
        lambda t, y: [y[1], -constant(N) * np.cos(y[0])], [np.pi / 2, -1.0], t_end, lambda t, y: np.sin(y[0] - theta)
    )
    run = g.simulate(chain(N), *upright(N), t_end=t_end, rtol=1e-12, events=[at_angle(theta)])
    assert run.ending.kind == "finished"
    located = times_of(run, "event")
    assert len(located) == len(passing.t_events[0]) == 2
    assert np.max(np.abs(located - passing.t_events[0])) <= 1e-10
    assert len(singular(run)) == len(exact.t_events[0]) == 2
    assert error(run, N) <= 1e-9
    times = np.linspace(0.0, t_end, 201)
    assert np.max(np.abs(run.at(times).q - places(N, exact.sol(times)[0]))) <= 1e-9


@pytest.mark.parametrize(("theta", "passed"), [(0.02, 0), (1e-3, 0), (-1e-3, 1), (-0.02, 1)])
def test_terminal_event_inside_a_window_ends_the_run_there(theta, passed):
    """A crossing that lies beyond it is not part of the motion."""
    run = g.simulate(chain(2), *upright(2), t_end=1.0, events=[at_angle(theta, terminal=True)])
    assert run.ending.kind == "event"
    assert float(np.arctan2(run["y0"][-1], run["x0"][-1])) == pytest.approx(theta, abs=1e-10)
    assert len(singular(run)) == passed


def bounced(N, height, restitution, t_end):
    """The motion of θ between impacts with y₀ = height from above: pieces (solution, from, to) and impact times."""
    pieces, impacts, t, y = [], [], 0.0, [np.pi / 2, -1.0]

    def wall(_, y):
        return np.sin(y[0]) - height

    wall.terminal, wall.direction = True, -1
    while t < t_end:
        piece = integrated(lambda t, y: [y[1], -constant(N) * np.cos(y[0])], y, t_end, wall, t)
        pieces.append((piece.sol, t, float(piece.t[-1])))
        t, y = float(piece.t[-1]), [piece.y[0, -1], -restitution * piece.y[1, -1]]
        if t < t_end:
            impacts.append(t)
    return pieces, impacts


@pytest.mark.parametrize("height", [-0.05, -0.01, -0.002, 0.002, 0.01, 0.05])
def test_wall_inside_a_window_throws_the_chain_back(height):
    """The wall is hit before (height > 0) or behind the flat position. Then the chain returns through it, or has not
    reached it. Between impacts the dense output stays above the wall."""
    N, restitution, t_end = 2, 0.6, 1.0
    wall = g.Unilateral("wall", lambda q: q.y0 - height, restitution=restitution)
    run = g.simulate(chain(N, rows=[wall]), *upright(N), t_end=t_end)
    assert run.ending.kind == "finished"
    pieces, impacts = bounced(N, height, restitution, t_end)
    assert times_of(run, "impact") == pytest.approx(np.array(impacts), abs=1e-9)
    crossed = sum(int(np.sum(np.diff(np.sign(sol(np.linspace(a, b, 2000))[0])) != 0)) for sol, a, b in pieces)
    assert len(singular(run)) == crossed
    for sol, a, b in pieces:
        times = np.linspace(a, b, 80)[1:-1]
        assert np.max(np.abs(run.at(times).q - places(N, sol(times)[0]))) <= 1e-8


# --- controls and forces that are Python code -------------------------------------------------------------------


def _pushed(N, force):
    """The motion of θ with a horizontal force F(t, ẋ) on each joint."""
    mass = (N + 1) / 3 + N

    def rate(t, y):
        s, c = np.sin(y[0]), np.cos(y[0])
        return [y[1], -constant(N) * c - (N + 1) * force(t, -s * y[1]) * s / mass]

    return integrated(rate, [np.pi / 2, -1.0], 1.6, lambda t, y: np.sin(y[0]))


def _driven(N, how):
    """A chain with such a force, its options, and the force: from a control, a feedback, or black-box code."""
    joints = [f"x{i}" for i in range(N + 1)]
    if how == "black box":

        def force(q, v, t):
            return np.array([-0.8 * x if k % 2 == 0 else 0.0 for k, x in enumerate(v)])

        return chain(N, black_box_force=force), {}, lambda t, speed: -0.8 * speed
    system = chain(N, force=lambda u: dict.fromkeys(joints, u.F), controls="F")
    if how == "feedback":
        return system, {"control": lambda t, q, v: [-0.8 * v[0]]}, lambda t, speed: -0.8 * speed
    return system, {"control": lambda t, q, v: [1.5 * np.cos(3 * t)]}, lambda t, speed: 1.5 * np.cos(3 * t)


@pytest.mark.parametrize("how", ["control", "feedback", "black box"])
def test_chain_driven_by_python_code_crosses(how):
    """Their steps are not compiled whole, and the same windows serve them."""
    N = 2
    system, options, force = _driven(N, how)
    exact = _pushed(N, force)
    run = g.simulate(system, *upright(N), t_end=1.6, **options)
    assert run.ending.kind == "finished"
    assert np.max(np.abs(run.q - places(N, exact.sol(run.t)[0]))) <= 1e-8
    assert len(singular(run)) == len(exact.t_events[0]) == 2
    assert np.max(np.abs(times_of(run) - exact.t_events[0])) <= 1e-8
    times = np.linspace(0.0, 1.6, 41)
    assert np.max(np.abs(run.at(times).q - places(N, exact.sol(times)[0]))) <= 1e-8


def test_rk4_with_a_feedback_crosses_with_order_four():
    N, steps, errors = 1, [0.02, 0.01, 0.005], []
    system, options, force = _driven(N, "feedback")
    exact = _pushed(N, force)
    for h in steps:
        run = g.simulate(system, *upright(N), t_end=1.0, method="rk4", step=h, solver="kkt", **options)
        assert len(singular(run)) == 1
        errors.append(float(np.max(np.abs(run.q[-1] - places(N, exact.sol(1.0)[0])[0]))))
    assert g.convergence_order(steps, errors) == pytest.approx(4.0, abs=0.1)


# --- starts from which no single motion leaves ------------------------------------------------------------------


def cusp():
    return g.System("cusp", "x y", kinetic_energy=unit_mass, constraints=[g.Holonomic("c", lambda q: q.y**2 - q.x**3)])


REFUSED = {
    "cone at rest": (lambda: scenario("cone_apex").system, [0, 0, 0], [0, 0, 0], "branching"),
    "off the cone": (lambda: scenario("cone_apex").system, [0, 0, 0], [1, 0, 0], "velocity not admissible"),
    "cusp": (cusp, [0, 0], [1, 0], "no smooth continuation"),
    "saddle": (lambda: scenario("touching_surfaces").touching("saddle"), [0, 0, 0], [0, 0, 0], "branching"),
    "monkey": (lambda: scenario("touching_surfaces").touching("monkey saddle"), [0, 0, 0], [0, 0, 0], "higher order"),
    "flat chain at rest": (lambda: chain(2), places(2, 0.0)[0], np.zeros(6), "branching"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_starts_without_a_single_motion_are_refused_with_their_verdict(case):
    system, q, v, verdict = REFUSED[case]
    with pytest.raises(g.SingularPositionError, match=verdict) as caught:
        g.simulate(system(), q, v, t_end=1.0)
    assert verdict in caught.value.verdict.verdicts


@pytest.mark.parametrize(("surface", "free"), [("trough", [0.0, 1.0, 0.0]), ("bowl", [0.0, 0.0, 0.0])])
def test_locked_starts_move_only_where_they_can(surface, free):
    """On the trough's line the force 1 N along y moves the particle; in the bowl it stays at the point of contact."""
    run = quiet(scenario("touching_surfaces").touching(surface), [0.0, 0.0, 0.0], t_end=0.3)
    assert run.ending.kind == "finished"
    assert np.max(np.abs(run.q - np.outer(run.t**2 / 2, free))) <= 10 * RTOL


def test_every_crossing_is_a_position_that_the_rows_themselves_call_singular():
    """The rank of J at the logged position, from NumPy alone, is lower than at the states recorded beside it."""
    for N, run in itertools.chain(((1, benchmark(1, 20.0)), (2, benchmark(2, 20.0)))):
        system = chain(N)
        for event in singular(run)[:6]:
            J = system.model.terms(np.array(event.q), np.zeros(2 * N + 2), event.t, system.theta()).J
            assert np.linalg.matrix_rank(J, 1e-8) == N + 1
