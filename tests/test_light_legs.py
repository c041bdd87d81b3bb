"""Light legs under a heavy platform: masses change neither the steps of a motion nor what it comes to."""

from __future__ import annotations

import mpmath as mp
import numpy as np
import pytest

import gauss as g
from gauss import multibody as mb
from gauss.model.tableaus import DOP853
from gauss.motion.redundant import independence
from gauss.motion.steppers import Setting, stepper_of

G, MASS, RADIUS = 9.81, 30.0, 0.3  # m/s², kg, m
BASES = [2.0 * np.array([np.cos(a), np.sin(a)]) for a in np.pi / 2 + 2 * np.pi / 3 * np.arange(3)]
TIPS = [0.4 * np.array([np.cos(a), np.sin(a)]) for a in np.pi / 2 + 0.6 + 2 * np.pi / 3 * np.arange(3)]
PLACE, ANGLE = np.array([0.1, -0.05]), 0.1


def turned(angle):
    return np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])


def lengths(t):
    return np.array([0.1 * (1.0 + 0.5 * i) * (1.0 - np.cos(t)) for i in range(3)])


def legs(share, driven=True, shuffled=None):
    """A planar platform on three legs, each a cylinder and a rod of `share` of its mass: mechanism, state."""
    m = share * MASS
    platform = mb.PlanarBody("platform", MASS, MASS * RADIUS**2 / 2)
    bodies, poses, joints = [platform], [platform.pose(PLACE, ANGLE)], []
    for i, (base, tip) in enumerate(zip(BASES, TIPS, strict=True)):
        end = PLACE + turned(ANGLE) @ tip
        length, angle = float(np.hypot(*(end - base))), float(np.arctan2(*(end - base)[::-1]))
        cylinder = mb.PlanarBody(f"cylinder_{i}", m, m / 12, centre=(0.5, 0))
        rod = mb.PlanarBody(f"rod_{i}", m, m / 12, centre=(-0.5, 0))
        bodies += [cylinder, rod]
        poses += [cylinder.pose(base, angle), rod.pose(end, angle)]
        slider = mb.Slider(f"slider {i}", cylinder, (0, 0), rod, (0, 0), (1, 0))
        joints += [mb.Pin(f"base {i}", mb.GROUND, base, cylinder, (0, 0)), slider]
        joints.append(mb.Pin(f"tip {i}", rod, (0, 0), platform, tip))
        if driven:
            size = 0.1 * (1.0 + 0.5 * i)
            motion = lambda t, length=length, size=size: length + size * (1.0 - g.cos(t))  # noqa: E731
            joints.append(mb.Driver(f"drive {i}", slider, motion))
    if shuffled is not None:
        rng = np.random.default_rng(shuffled)
        bodies = [bodies[k] for k in rng.permutation(len(bodies))]
        joints = [joints[k] for k in rng.permutation(len(joints))]
    machine = mb.Mechanism("3-RPR", bodies, joints)
    return machine, g.State(*machine.state(*poses), 0.0)


def moved(machine, state, t_end, **options):
    return g.simulate(machine.system, state.q, state.v, t_end=t_end, progress="none", **options)


def drive_forces(run):
    """The forces of the drives at the end that move the platform alone, by its own equations of motion."""
    x, y, c, s = (run[f"platform_{k}"][-1] for k in "xycs")
    _, ss, cc = (run[f"d_platform_{k}"][-1] for k in "xsc")
    ddx, ddy, ddc, dds = (run[f"dd_platform_{k}"][-1] for k in "xycs")
    spin = c * dds - s * ddc  # ω̇, as c² + s² = 1
    assert abs(c * cc + s * ss) < 1e-12
    wrenches = []
    for base, tip in zip(BASES, TIPS, strict=True):
        arm = np.array([[c, -s], [s, c]]) @ tip
        along = np.array([x, y]) + arm - base
        along /= np.linalg.norm(along)
        wrenches.append([*along, arm[0] * along[1] - arm[1] * along[0]])
    demand = [MASS * ddx, MASS * (ddy + G), MASS * RADIUS**2 / 2 * spin]
    return np.linalg.solve(np.transpose(wrenches), demand)


@pytest.fixture(scope="module")
def heavy():
    machine, state = legs(1.0)
    return moved(machine, state, 2.0)


@pytest.mark.parametrize(("share", "shuffled"), [(1e-4, None), (1e-8, None), (1e-8, 3)])
def test_driven_legs_of_any_mass_take_the_same_steps(heavy, share, shuffled):
    machine, state = legs(share, shuffled=shuffled)
    assert g.classify(machine.system, state.q, state.v).verdict == "regular"
    run = moved(machine, state, 2.0)
    assert run.ending.complete
    assert abs(len(run) - len(heavy)) <= 0.2 * len(heavy)
    for k in "xycs":  # the motion is that of the drives, whatever the masses
        assert abs(run[f"platform_{k}"][-1] - heavy[f"platform_{k}"][-1]) < 1e-13
        assert abs(run[f"dd_platform_{k}"][-1] - heavy[f"dd_platform_{k}"][-1]) < 1e-11
    if share < 1e-7:
        forces = [run[f"drive {i}"][-1] for i in range(3)]
        assert np.max(np.abs(forces - drive_forces(run))) < 50.0 * share * np.max(np.abs(forces))


@pytest.mark.parametrize("shuffled", [None, 2])
def test_a_platform_on_free_legs_of_no_mass_falls_as_if_there_were_none(shuffled):
    machine, state = legs(1e-8, driven=False, shuffled=shuffled)
    run = moved(machine, state, 0.4)
    fallen = PLACE[1] - G * run.t**2 / 2
    assert run.ending.complete
    assert len(run) < 30
    assert np.max(np.abs(run["platform_y"] - fallen)) < 1e-7
    assert np.max(np.abs(run.energy - run.energy[0])) < 1e-9 * MASS * G


def exact_acceleration(terms):
    """The acceleration by Gauss elimination of the saddle matrix with 50 digits."""
    n, m = terms.M.shape[0], terms.J.shape[0]
    with mp.workdps(50):
        saddle = mp.zeros(n + m, n + m)
        for (i, j), value in np.ndenumerate(terms.M):
            saddle[i, j] = mp.mpf(float(value))
        for (i, j), value in np.ndenumerate(terms.J):
            saddle[n + i, j] = saddle[j, n + i] = mp.mpf(float(value))
        right = mp.matrix([mp.mpf(float(x)) for x in [*terms.f, *terms.gamma]])
        return np.array([float(x) for x in mp.lu_solve(saddle, right)])[:n]


@pytest.mark.parametrize("staged", [False, True], ids=["compiled", "in stages"])
def test_refined_accelerations_are_right_to_rounding(staged):
    machine, state = legs(1e-8)
    system = machine.system
    exact = exact_acceleration(system.model.terms(state.q, state.v, 0.0, system.theta()))
    control = (lambda t, q, v: []) if staged else None
    setting = Setting(system, DOP853, system.theta(), 0.0, np.full(2 * system.n, 1e-12), 1e-10, control)
    stepper = stepper_of(setting, system.model.equality)
    x = np.concatenate([[0.0], state.q, state.v])
    plain = stepper.accelerate(x)[0]
    _, record = stepper.step(x, 0.05)
    assert np.max(np.abs(plain - exact)) > 1e-9  # what the Schur complement loses
    assert np.max(np.abs(record[: system.n] - exact)) < 1.6e-14
    assert np.array_equal(stepper.accelerate(x)[0], record[: system.n])


def test_independence_of_rows_is_the_sine_of_their_angle_whatever_their_factors():
    angle = 1e-6
    J = np.array([[1.0, 0.0, 0.0], [np.cos(angle), np.sin(angle), 0.0]])
    for factors in ([1.0, 1.0], [1e6, 1e-6]):
        found = independence(np.array(factors)[:, None] * J)
        assert abs(found - np.sqrt(2.0) * np.sin(angle / 2.0)) < 1e-14
    rows = np.random.default_rng(1).normal(size=(6, 9))
    assert independence(np.vstack([rows, 3.3 * rows[0] - 0.7 * rows[3]])) < 1e-13
    assert independence(rows[:, :4]) == 0.0
    assert independence(rows[:0]) == 1.0
