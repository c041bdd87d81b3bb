"""Motions on locked positions: rigid across some directions, free along others, and known in closed form."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import ellipj

import gauss as g
from gauss.motion import singular
from gauss.motion.singular import locked
from gauss.principle import GaussProblem

G = 9.81  # m/s²
EPS = float(np.finfo(float).eps)
RTOL = 1e-10  # the default of simulate


def unit_mass(v):
    """Kinetic energy of unit masses on all coordinates."""
    return 0.5 * sum(speed**2 for speed in v)


def pendulum_angle(t, start, rate):
    """θ of θ̈ = −rate² sin θ from rest at `start`, by Jacobi's functions."""
    k = np.sin(start / 2) ** 2
    _, cn, dn, _ = ellipj(rate * np.asarray(t), k)
    return 2 * np.arcsin(np.sin(start / 2) * cn / dn)


def bars_beside_a_pendulum():
    """Three bars of 0.5 m stretched between (0, 0) and (1.5, 0), and a pendulum of 1 m that hangs from the origin."""
    return g.System(
        "bars beside a pendulum",
        "x1 y1 x2 y2 x y",
        kinetic_energy=unit_mass,
        potential_energy=lambda q: G * (q.y1 + q.y2 + q.y),
        constraints=[
            g.Holonomic("left", lambda q: q.x1**2 + q.y1**2 - 0.25),
            g.Holonomic("middle", lambda q: (q.x2 - q.x1) ** 2 + (q.y2 - q.y1) ** 2 - 0.25),
            g.Holonomic("right", lambda q: (1.5 - q.x2) ** 2 + q.y2**2 - 0.25),
            g.Holonomic("thread", lambda q: q.x**2 + q.y**2 - 1.0),
        ],
    )


STRETCHED = [0.5, 0.0, 1.0, 0.0]


def beside(angle):
    """The stretched bars with the pendulum at an angle from the lowest point."""
    return [*STRETCHED, np.sin(angle), -np.cos(angle)]


def swinging_line():
    """Unit masses at 1, 2 and 3 m on three bars in a line that turns about the origin, and a bar from end to end.

    The bars alone would let the two inner masses move across the line to first order; the long bar locks them there.
    The line is a rigid pendulum: θ̈ = −g Σr/Σr² sin θ.
    """
    return g.System(
        "swinging line",
        "x1 y1 x2 y2 x3 y3",
        kinetic_energy=unit_mass,
        potential_energy=lambda q: G * (q.y1 + q.y2 + q.y3),
        constraints=[
            g.Holonomic("first", lambda q: q.x1**2 + q.y1**2 - 1.0),
            g.Holonomic("second", lambda q: (q.x2 - q.x1) ** 2 + (q.y2 - q.y1) ** 2 - 1.0),
            g.Holonomic("third", lambda q: (q.x3 - q.x2) ** 2 + (q.y3 - q.y2) ** 2 - 1.0),
            g.Holonomic("long", lambda q: q.x3**2 + q.y3**2 - 9.0),
        ],
    )


def in_line(angle):
    """Positions (6, ·) of the masses of the swinging line."""
    along = np.array([np.sin(angle), -np.cos(angle)])
    return np.concatenate([r * along for r in (1.0, 2.0, 3.0)])


def bowl():
    """x² + y² + z² = 0: a point held in all directions by one row."""
    return g.System(
        "bowl",
        "x y z",
        kinetic_energy=unit_mass,
        potential_energy=lambda q: G * q.z,
        constraints=[g.Holonomic("bowl", lambda q: q.x**2 + q.y**2 + q.z**2)],
    )


def test_pendulum_beside_locked_bars_swings_as_if_alone():
    run = g.simulate(bars_beside_a_pendulum(), beside(1.2), t_end=3.0)
    exact = pendulum_angle(run.t, 1.2, np.sqrt(G))
    assert run.ending.kind == "finished"
    assert run.about.locked == 3  # two of the three bar rows, and the thread
    assert np.max(np.abs(np.arctan2(run["x"], -run["y"]) - exact)) <= 10 * RTOL
    assert np.max(np.abs(run.q[:, :4] - STRETCHED)) <= 100 * EPS
    assert np.max(np.abs(run.a[:, :4])) <= 100 * EPS * G
    assert np.ptp(run.energy) <= 10 * RTOL * G


@pytest.mark.long
def test_fixed_steps_have_the_order_of_their_method_beside_locked_bars():
    errors = []
    for step in (0.02, 0.01, 0.005):
        run = g.simulate(bars_beside_a_pendulum(), beside(1.2), t_end=0.4, method="rk4", step=step)
        errors.append(abs(np.arctan2(run["x"][-1], -run["y"][-1]) - pendulum_angle(0.4, 1.2, np.sqrt(G))))
    assert np.log2(errors[1] / errors[2]) == pytest.approx(4.0, abs=0.1)


@pytest.mark.long
@pytest.mark.parametrize("start", [0.4, 1.5, 2.8])
def test_locked_directions_turn_with_the_line_that_they_are_across(start):
    """The centripetal accelerations lie along the line, and the offset of the conditions of order 4 is not zero."""
    run = g.simulate(swinging_line(), in_line(start), t_end=3.0)
    exact = in_line(pendulum_angle(run.t, start, np.sqrt(G * 6.0 / 14.0))).T
    assert run.ending.kind == "finished"
    assert run.about.locked == 3
    assert np.max(np.abs(run.q - exact)) <= 3 * 10 * RTOL  # the outer mass is 3 m from the pivot
    aside = run["x1"] * run["y3"] - run["y1"] * run["x3"]  # of a drift across the line the rows see the square only
    assert np.max(np.abs(aside)) <= 1e-12


def test_projection_takes_a_locked_state_back_to_the_line():
    """The rows see a displacement of 1e-5 across the line as 1e-10 only; deflation sees it whole."""
    system = swinging_line()
    run = g.simulate(system, in_line(1.0), t_end=0.1)
    stepper = locked.LockedStepper(run.setting, system.model.equality, 3)
    off = in_line(1.0) + 1e-5 * np.array([np.cos(1.0), np.sin(1.0), 0.0, 0.0, 0.0, 0.0])
    x, _ = stepper.step(np.concatenate([[0.0], off, np.zeros(6)]), 0.0)
    points = x[1:7].reshape(3, 2)
    assert abs(points[0, 0] * points[2, 1] - points[0, 1] * points[2, 0]) <= 100 * EPS
    assert np.linalg.norm(points, axis=1) == pytest.approx([1.0, 2.0, 3.0], rel=100 * EPS)


def test_projection_takes_a_velocity_across_the_line_away():
    """At first order the rows allow it; the line does not turn with it, and so keeps its own angular velocity only."""
    system = swinging_line()
    run = g.simulate(system, in_line(1.0), t_end=0.1)
    stepper = locked.LockedStepper(run.setting, system.model.equality, 3)
    across = np.array([np.cos(1.0), np.sin(1.0)])
    turning = np.concatenate([r * 0.7 * across for r in (1.0, 2.0, 3.0)])
    aside = np.concatenate([1e-5 * share * across for share in (3.0, 0.0, -1.0)])  # without angular momentum
    x, _ = stepper.step(np.concatenate([[0.0], in_line(1.0), turning + aside]), 0.0)
    assert x[7:] == pytest.approx(turning, abs=100 * EPS)


def test_deflation_finds_as_many_locked_directions_as_order_four():
    for system, q, rank, count in (
        (bars_beside_a_pendulum(), beside(0.7), 3, 2),
        (swinging_line(), in_line(0.7), 3, 2),
        (bowl(), [0.0, 0.0, 0.0], 0, 3),
    ):
        state = system.state(q)
        found = singular.deflation(system, state, GaussProblem.at(system, state), system.theta(), rank)
        verdict = g.classify(system, q)
        assert verdict.verdicts == ("locked",)
        assert verdict.problem.rows.kinds.count("jet") == count
        assert (found.locked, found.definite) == (count, True)


def test_steps_on_a_locked_position_need_no_analysis_of_each_stage(monkeypatch):
    calls = []
    analysed = locked.classification
    monkeypatch.setattr(locked, "classification", lambda *a, **k: calls.append(1) or analysed(*a, **k))
    run = g.simulate(bars_beside_a_pendulum(), beside(1.2), t_end=1.0)
    assert len(run) > 10
    assert not calls


@pytest.mark.long
def test_loaded_locked_motion_is_dense_again(tmp_path):
    run = g.simulate(swinging_line(), in_line(1.5), t_end=1.0)
    loaded = g.Trajectory.load(run.save(tmp_path / "run.nc")).with_system(swinging_line())
    times = np.linspace(0.0, 1.0, 17)
    exact = in_line(pendulum_angle(times, 1.5, np.sqrt(G * 6.0 / 14.0))).T
    assert np.max(np.abs(loaded.at(times).q - exact)) <= 3 * 10 * RTOL


@pytest.mark.parametrize("t_end", [1e-3, 10.0, 1e6])
def test_a_point_locked_in_all_directions_rests_for_ever(t_end):
    run = g.simulate(bowl(), [0.0, 0.0, 0.0], t_end=t_end)
    assert len(run) < 100
    assert run.ending.kind == "finished"
    assert run.t[-1] == t_end
    assert not np.any(run.q)
    assert not np.any(run.v)
    assert not np.any(run.a)


def test_stretched_bars_alone_rest_for_ever():
    system = g.System(
        "three bars",
        "x1 y1 x2 y2",
        kinetic_energy=unit_mass,
        potential_energy=lambda q: G * (q.y1 + q.y2),
        constraints=[
            g.Holonomic("left", lambda q: q.x1**2 + q.y1**2 - 0.25),
            g.Holonomic("middle", lambda q: (q.x2 - q.x1) ** 2 + (q.y2 - q.y1) ** 2 - 0.25),
            g.Holonomic("right", lambda q: (1.5 - q.x2) ** 2 + q.y2**2 - 0.25),
        ],
    )
    run = g.simulate(system, STRETCHED, t_end=10.0)
    assert run.ending.kind == "finished"
    assert np.max(np.abs(run.q - STRETCHED)) <= 100 * EPS
    assert np.max(np.abs(run.zwang - G**2)) <= 100 * EPS * G**2  # ½ m g² of two unit masses


def driven_bars():
    """Three stretched bars whose lengths change by themselves, on an arm that turns by itself and keeps them stretched.

    The joints stay on the arm. The vanishing combination of the rows, Σ rows/length, changes with the time, and the
    joints are accelerated across the arm, where the rows leave them free.
    """

    def lengths(t):
        return 0.5 + 0.1 * g.sin(t), 0.5 + 0.2 * g.sin(2 * t), 0.5 - 0.1 * g.sin(3 * t)

    def tip(t):
        reach, angle = sum(lengths(t)), g.sin(t)
        return reach * g.cos(angle), reach * g.sin(angle)

    return g.System(
        "driven bars",
        "x1 y1 x2 y2",
        kinetic_energy=unit_mass,
        potential_energy=lambda q: G * (q.y1 + q.y2),
        constraints=[
            g.Holonomic("left", lambda q, t: q.x1**2 + q.y1**2 - lengths(t)[0] ** 2),
            g.Holonomic("middle", lambda q, t: (q.x2 - q.x1) ** 2 + (q.y2 - q.y1) ** 2 - lengths(t)[1] ** 2),
            g.Holonomic("right", lambda q, t: (tip(t)[0] - q.x2) ** 2 + (tip(t)[1] - q.y2) ** 2 - lengths(t)[2] ** 2),
        ],
    )


def on_the_arm(t):
    """Positions, velocities and accelerations (len(t), 4) of the joints of the driven bars, in polar coordinates."""
    angle, spin, turn = np.sin(t), np.cos(t), -np.sin(t)
    first = (0.5 + 0.1 * np.sin(t), 0.1 * np.cos(t), -0.1 * np.sin(t))
    second = (0.5 + 0.2 * np.sin(2 * t), 0.4 * np.cos(2 * t), -0.8 * np.sin(2 * t))
    q, v, a = [], [], []
    for r, dr, ddr in (first, tuple(x + y for x, y in zip(first, second, strict=True))):
        along, around = np.array([np.cos(angle), np.sin(angle)]), np.array([-np.sin(angle), np.cos(angle)])
        q.append(r * along)
        v.append(dr * along + r * spin * around)
        a.append((ddr - r * spin**2) * along + (2 * dr * spin + r * turn) * around)
    return tuple(np.concatenate(x).T for x in (q, v, a))


def test_locked_joints_follow_the_arm_that_drives_them(monkeypatch):
    calls = []
    analysed = locked.classification
    monkeypatch.setattr(locked, "classification", lambda *a, **k: calls.append(1) or analysed(*a, **k))
    q, v, _ = on_the_arm(np.array([0.0]))
    run = g.simulate(driven_bars(), q[0], v[0], t_end=2.0)
    q, v, a = on_the_arm(run.t)
    assert run.ending.kind == "finished"
    assert np.max(np.abs(run.q - q)) <= 10 * RTOL
    assert np.max(np.abs(run.v - v)) <= 10 * RTOL
    assert np.max(np.abs(run.a - a)) <= 1e-8  # errors of position and velocity times slopes of 10 to 100
    assert not calls


def test_particle_slides_without_forces_along_a_line_that_a_degenerate_row_locks():
    """y² z = 0 at y = 0: there is neither a force nor a length in the problem but those of the state."""
    system = g.System(
        "line", "y z", kinetic_energy=unit_mass, constraints=[g.Holonomic("lock", lambda q: q.y**2 * q.z)]
    )
    run = g.simulate(system, [0.0, 1.0], [0.0, 1.0], t_end=5.0)
    assert run.ending.kind == "finished"
    assert np.max(np.abs(run["z"] - 1.0 - run.t)) <= 10 * RTOL * 6.0
    assert not np.any(run["y"])


@pytest.mark.long
def test_a_lock_that_opens_on_the_way_ends_the_run_there():
    """y² = (z − 2) x², Whitney's umbrella: up to z = 2 its z-axis is isolated, behind that two sheets cross in it."""
    row = g.Holonomic("umbrella", lambda q: q.y**2 - (q.z - 2.0) * q.x**2)
    system = g.System("umbrella", "x y z", kinetic_energy=unit_mass, force=[0.3, -1.0, 0.0], constraints=[row])
    with pytest.warns(g.errors.MotionWarning):
        run = g.simulate(system, [0, 0, 1.5], [0, 0, 1], t_end=0.7, rtol=1e-12, solver="kkt", progress="none")
    assert run.ending.kind == "singular"
    assert "does not lock it" in run.ending.message
    assert run.t[-1] == pytest.approx(0.5, abs=2e-6)
    assert run["z"] == pytest.approx(1.5 + run.t, abs=1e-12)


BESIDE = {  # rows that vanish as powers on F = G = 0, with F = x − z²/2 and G = y − sin z
    "F² + G⁴": [lambda F, G: F**2 + G**4],
    "F² + G⁶": [lambda F, G: F**2 + G**6],
    "F, F + 10⁻³ G³": [lambda F, G: F, lambda F, G: F + 1e-3 * G**3],
    "F⁵, G": [lambda F, G: F**5, lambda F, G: G],
}


@pytest.mark.long
@pytest.mark.parametrize("rows", BESIDE.values(), ids=BESIDE)
def test_a_motion_on_powers_is_that_on_their_roots(rows, tmp_path):
    """The curve turns by more than a right angle on the way, and cos z changes its sign."""

    def bead(*rows):
        return g.System(
            "bead",
            coordinates="x y z",
            kinetic_energy=lambda q, v: v.x**2 + 0.5 * v.y**2 + 1.5 * v.z**2,
            potential_energy=lambda q: 9.81 * q.y + 2.0 * q.x,
            constraints=[
                g.Holonomic(f"row {k}", lambda q, row=row: row(q.x - q.z**2 / 2.0, q.y - g.sin(q.z)))
                for k, row in enumerate(rows)
            ],
        )

    q, v = [0.125, np.sin(0.5), 0.5], [2.0, 4.0 * np.cos(0.5), 4.0]
    run = g.simulate(bead(*rows), q, v, t_end=2.0, progress="none")
    plain = g.simulate(bead(lambda F, G: F, lambda F, G: G), q, v, t_end=2.0, progress="none")
    times = np.linspace(0.0, 2.0, 9)
    there, right = run.at(times), plain.at(times)
    assert run.ending.complete
    assert run.q[:, 2].max() > 2.0
    np.testing.assert_allclose(there.q, right.q, atol=1e-9)
    np.testing.assert_allclose(there.a, right.a, atol=1e-8)
    again = g.Trajectory.load(run.save(tmp_path / "bead.nc")).with_system(bead(*rows))
    np.testing.assert_array_equal(again.at(times).q, there.q)
