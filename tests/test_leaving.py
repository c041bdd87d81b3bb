"""Motions that leave an equilibrium by themselves: found where they exist, confirmed, and claimed nowhere else."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import gauss as g
from gauss.motion import motions
from gauss.motion.several import non_lipschitz, powerlaw
from gauss.uniqueness import TWO
from gauss.uniqueness.lipschitz import OPEN, UNIQUE

KEPT = 1e-9  # relative; the integrator keeps 1e-12 per step, over a few hundred steps


def line(force=0.0, **more):
    """A particle of mass 1 on a line with the coordinate r."""
    return g.System("line", "r", mass_matrix=[[1.0]], force=force, **more)


def plane(force=0.0, **more):
    """A particle of mass 1 in the plane."""
    return g.System("plane", "x y", mass_matrix=np.eye(2), force=force, **more)


def power_law(p):
    """k and c of r = c t^k for r̈ = r^p."""
    k = 2 / (1 - p)
    return k, (k * (k - 1)) ** (-1 / (1 - p))


# --- what leaves ---------------------------------------------------------------------------------------------------


@pytest.mark.long
@pytest.mark.parametrize("p", [0.2, 1 / 3, 0.5, 0.7])
def test_a_power_of_the_distance_gives_its_power_of_the_time(p):
    found = motions(line(lambda q: [g.fabs(q.r) ** p]), [0.0], t_end=3.0)
    (moved,) = found.leaves
    k, c = power_law(p)
    assert found.verdict == TWO
    assert moved.power == pytest.approx(k, rel=1e-9)
    assert moved.coefficient == pytest.approx(c, rel=1e-7)
    t = np.linspace(0.0, 3.0, 61)[1:]
    q, v = moved.at(t)
    assert q[:, 0] == pytest.approx(c * t**k, rel=KEPT)
    assert v[:, 0] == pytest.approx(c * k * t ** (k - 1), rel=KEPT)
    assert np.all(found.stays.q == 0.0)


@pytest.mark.long
def test_each_motion_may_rest_for_any_time_first():
    (moved,) = motions(line(lambda q: [g.sqrt(q.r)]), [0.0], t_end=5.0).leaves
    for rest in (0.0, 0.7, 3.0):
        t = np.linspace(0.0, 5.0, 101)
        q, v = moved.at(t, stays=rest)
        tau = np.maximum(t - rest, 0.0)
        assert q[:, 0] == pytest.approx(tau**4 / 144, rel=KEPT, abs=1e-300)
        assert v[:, 0] == pytest.approx(tau**3 / 36, rel=KEPT, abs=1e-300)


@pytest.mark.long
def test_the_mass_and_the_start_time_are_taken_into_account():
    system = g.System("m", "r", kinetic_energy=lambda v: 1.5 * v.r**2, potential_energy=lambda q: -2 / 3 * q.r**1.5)
    (moved,) = motions(system, [0.0], t=7.0, t_end=10.0).leaves
    t = np.linspace(7.0, 10.0, 31)[1:]
    assert moved.at(t)[0][:, 0] == pytest.approx((t - 7.0) ** 4 / 144 / 9, rel=1e-8)  # time is rounded beside 7 s


def test_an_equilibrium_away_from_the_origin_is_left_in_the_same_way():
    (moved,) = motions(line(lambda q: [g.sqrt(q.r - 3.7)]), [3.7], t_end=4.0).leaves
    t = np.linspace(0.5, 4.0, 20)
    assert moved.at(t)[0][:, 0] - 3.7 == pytest.approx(t**4 / 144, rel=1e-7)  # q is rounded to 1e-16 of 3.7


@pytest.mark.long
def test_drag_bends_the_power_law_and_the_motion_follows():
    system = line(lambda q, v: [g.sqrt(q.r) - 2.0 * v.r])
    (moved,) = motions(system, [0.0], t_end=4.0).leaves
    # An independent integration in w = r^{1/4}, which is smooth: 4wẅ + 12ẇ² = 1 − 8wẇ, w = ut − ut²/7 + …, 12u² = 1.
    u = 12**-0.5

    def rates(_, y):
        w, s = y
        return [s, (1 / w - 12 * s * s / w - 8 * s) / 4]

    first = 1e-3  # s; the terms left out are 1e-6 of w there, and such errors decay
    begin = [u * first - u * first**2 / 7, u - 2 * u * first / 7]
    ode = solve_ivp(rates, (first, 4.0), begin, rtol=1e-12, atol=1e-14)
    assert moved.at([4.0])[0][0, 0] == pytest.approx(ode.y[0, -1] ** 4, rel=1e-8)


@pytest.mark.long
def test_first_moments_are_known_beyond_the_power_law():
    # Beside q = 3.7 numbers resolve the start only from 0.15 s on, where drag has bent the power law by some percent.
    shifted = line(lambda q, v: [g.sqrt(q.r - 3.7) - 2.0 * v.r])
    (plain,) = motions(line(lambda q, v: [g.sqrt(q.r) - 2.0 * v.r]), [0.0], t_end=4.0).leaves
    (moved,) = motions(shifted, [3.7], t_end=4.0).leaves
    assert moved.beginning.time > 0.1
    assert moved.at([4.0])[0][0, 0] - 3.7 == pytest.approx(plain.at([4.0])[0][0, 0], rel=1e-7)
    assert moved.at([0.1])[0][0, 0] - 3.7 == pytest.approx(plain.at([0.1])[0][0, 0], rel=1e-5)


@pytest.mark.long
def test_a_power_of_the_speed_is_left_too():
    (moved,) = motions(line(lambda v: [g.sqrt(g.fabs(v.r))]), [0.0], t_end=3.0).leaves
    t = np.linspace(0.0, 3.0, 31)[1:]
    assert moved.kind == "velocity"
    assert moved.at(t)[0][:, 0] == pytest.approx(t**3 / 12, rel=KEPT)
    assert moved.at(t)[1][:, 0] == pytest.approx(t**2 / 4, rel=KEPT)


@pytest.mark.long
def test_both_ways_are_found_where_both_are_open():
    found = motions(line(lambda q: [g.sign(q.r) * g.sqrt(g.fabs(q.r))]), [0.0], t_end=2.0)
    assert sorted(x.direction[0] for x in found.leaves) == [-1.0, 1.0]


@pytest.mark.long
def test_directions_need_not_be_coordinates():
    system = plane(lambda q: [g.sign(q.x) * g.sqrt(g.fabs(q.x)), 2 * g.sign(q.y) * g.sqrt(g.fabs(q.y))])
    found = motions(system, [0.0, 0.0], t_end=2.0)
    directions = {tuple(np.round(x.direction * np.sqrt(17), 3)) for x in found.leaves}
    assert {(1.0, 4.0), (-1.0, 4.0), (1.0, -4.0), (-1.0, -4.0)} <= directions  # x = t⁴/144, y = 4t⁴/144
    assert len(found.leaves) == 8
    assert found.dimension == 0
    for moved in found.leaves:
        q = moved.at([2.0])[0][0]
        both = np.array([16 / 144, 64 / 144])
        assert np.abs(q) == pytest.approx(np.where(q == 0.0, 0.0, both), rel=KEPT)


@pytest.mark.long
def test_an_isotropic_force_gives_a_circle_of_directions_with_the_number_asked_for():
    def force(q):
        square = q.x**2 + q.y**2
        return [g.where(g.less(0, square), x * g.fmax(square, 1e-300) ** -0.25, 0.0) for x in (q.x, q.y)]

    found = motions(plane(force), [0.0, 0.0], t_end=2.0, count=5)
    assert found.dimension == 1
    assert len(found.leaves) == 5
    for moved in found.leaves:
        assert np.linalg.norm(moved.at([2.0])[0]) == pytest.approx(16 / 144, rel=KEPT)


@pytest.mark.long
def test_a_constraint_carries_the_motion_along():
    system = g.System(
        "parabola",
        "x y",
        mass_matrix=np.eye(2),
        force=lambda q: [g.sqrt(g.fabs(q.x)) * (1 + 4 * q.x**2), 0.0],
        constraints=[g.Holonomic("parabola", lambda q: q.y - q.x**2)],
    )
    (moved,) = motions(system, [0.0, 0.0], t_end=3.0).leaves

    def rates(_, y):  # (1 + 4x²)ẍ + 4xẋ² = √x (1 + 4x²)
        x, s = y
        return [s, np.sqrt(x) - 4 * x * s * s / (1 + 4 * x * x)]

    ode = solve_ivp(rates, (0.01, 3.0), [0.01**4 / 144, 0.01**3 / 36], rtol=1e-12, atol=1e-22)
    assert moved.at([3.0])[0][0] == pytest.approx([ode.y[0, -1], ode.y[0, -1] ** 2], rel=1e-7)
    assert np.max(moved.run.off_position) < 1e-12


@pytest.mark.long
def test_a_motion_run_backward_by_another_integrator_comes_back_to_rest():
    (moved,) = motions(line(lambda q: [g.sqrt(q.r)]), [0.0], t_end=3.0).leaves
    q, v = moved.at([3.0])
    ode = solve_ivp(
        lambda _, y: [y[1], np.sqrt(max(y[0], 0.0))], (3.0, 0.3), [q[0, 0], v[0, 0]], rtol=1e-12, atol=1e-16
    )
    # Backward an error of 1e-12 grows like (3/0.3)⁶, relative to t⁴.
    assert ode.y[0, -1] == pytest.approx(0.3**4 / 144, rel=1e-5)


@pytest.mark.long
def test_a_motion_that_comes_to_rest_elsewhere_is_followed_there():
    (moved,) = motions(line(lambda q, v: [g.sqrt(q.r) - q.r - v.r]), [0.0], t_end=80.0).leaves
    q, v = moved.at([80.0])
    assert q[0, 0] == pytest.approx(1.0, abs=1e-9)  # e^{−40/2} is left, and 1e-12 per step
    assert abs(v[0, 0]) < 1e-9


def test_residuals_and_agreement_are_those_of_a_motion():
    (moved,) = motions(line(lambda q: [g.sqrt(q.r)]), [0.0], t_end=3.0).leaves
    assert moved.residual < KEPT
    assert moved.departure < KEPT
    assert moved.agreement < KEPT
    assert moved.beginning.time < 1e-3
    assert moved.end == 3.0


# --- what does not -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("p", [0.1, 0.5, 0.9])
def test_an_attracting_force_of_the_same_exponent_is_never_called_not_unique(p):
    found = motions(line(lambda q: [-g.sign(q.r) * g.fabs(q.r) ** p]), [0.0], t_end=10.0)
    assert found.verdict == OPEN
    assert found.leaves == ()


@pytest.mark.long
@pytest.mark.parametrize("t_end", [3.0, 200.0])
def test_a_logarithm_short_of_lipschitz_is_not_called_not_unique(t_end):
    # r̈ = −r log r has one motion from rest only (Osgood), though it is not Lipschitz.
    system = line(lambda q: [g.where(g.less(0, q.r), -q.r * g.log(g.fmax(q.r, 1e-300)), 0.0)])
    found = motions(system, [0.0], t_end=t_end)
    assert found.verdict == OPEN
    assert found.leaves == ()
    assert found.refused


@pytest.mark.long
@pytest.mark.parametrize(
    ("sizes", "drag"),
    [
        ((1e-6, 1e-8, 1e-10), 0.0),
        ((1e-16, 1e-18, 1e-20), 1.0),
        ((1e-54, 1e-56, 1e-58), 0.0),
        ((1e-54, 1e-56, 1e-58), 1.0),
        ((1e-16, 2e-20, 1e-20), 1.0),
    ],
)
def test_starts_that_do_not_converge_are_refused_even_if_they_come_to_the_same_end(drag, sizes, monkeypatch):
    # With drag every motion of r̈ = −r log r − ṙ that is pushed a little comes to r = 1; none leaves r = 0 by itself.
    system = line(lambda q, v: [g.where(g.less(0, q.r), -q.r * g.log(g.fmax(q.r, 1e-300)), 0.0) - drag * v.r])
    monkeypatch.setattr(non_lipschitz, "starts", lambda field, y, span: [powerlaw.Law.at(field, y, s) for s in sizes])
    found = motions(system, [0.0], t_end=200.0)
    assert found.leaves == ()
    assert "do not converge" in found.refused[0]


def test_a_jump_is_not_called_not_unique():
    found = motions(line(lambda q: [g.sign(q.r)]), [0.0], t_end=2.0)
    assert found.verdict == OPEN
    assert all("not between 0 and 1" in reason for reason in found.refused)


def test_an_unstable_equilibrium_of_a_smooth_force_has_one_motion():
    found = motions(line(lambda q: [q.r]), [0.0], t_end=2.0)
    assert found.verdict == UNIQUE
    assert found.leaves == ()
    assert "the motion is unique" in found.sentence


@pytest.mark.long
def test_unstable_smooth_directions_beside_a_root_are_refused():
    found = motions(plane(lambda q: [g.sqrt(g.fabs(q.x)), 4 * q.y]), [0.0, 0.0], t_end=2.0)
    assert [x.direction.tolist() for x in found.leaves] == [[1.0, 0.0]]
    assert len(found.refused) == 2


def test_a_root_that_is_smoothed_out_is_not_left():
    eps = 1e-10
    force = line(black_box_force=lambda q, v, t: [(q[0] ** 2 + eps**2) ** 0.25 - eps**0.5])
    found = motions(force, [0.0], t_end=3.0)
    assert found.leaves == ()


@pytest.mark.long
def test_a_state_in_motion_is_not_searched():
    found = motions(line(lambda q: [g.sqrt(g.fabs(q.r))]), [0.0], [1.0], t_end=2.0)
    assert found.verdict == OPEN
    assert "not an equilibrium" in found.sampling


@pytest.mark.long
def test_time_takes_the_family_away():
    found = motions(line(lambda q, t: [(1 + t) * g.sqrt(g.fabs(q.r))]), [0.0], t_end=2.0)
    assert len(found.leaves) == 1
    assert not found.autonomous
    assert "any time T" not in found.sentence
    hidden = motions(line(black_box_force=lambda q, v, t: [(1 + t) * abs(q[0]) ** 0.5]), [1e-300], t_end=2.0)
    assert not hidden.autonomous


@pytest.mark.long
def test_times_outside_the_motion_are_refused():
    (moved,) = motions(line(lambda q: [g.sqrt(q.r)]), [0.0], t_end=2.0).leaves
    with pytest.raises(g.errors.InputError, match="times after it"):
        moved.at([-0.1])
    with pytest.raises(g.errors.InputError, match="stays ≥ 0"):
        moved.at([1.0], stays=-1.0)
    with pytest.raises(g.errors.InputError, match="within the run"):
        moved.at([2.5])
    with pytest.raises(g.errors.InputError, match="must be positive"):
        motions(line(), [0.0], t=1.0, t_end=1.0)


# --- forces that no expression shows --------------------------------------------------------------------------------


@pytest.mark.long
def test_second_motions_under_a_black_box_force_are_sought_at_an_equilibrium():
    system = line(black_box_force=lambda q, v, t: [abs(q[0]) ** 0.5])
    with pytest.raises(g.errors.SingularPositionError, match="not unique"):
        g.simulate(system, [0.0], t_end=2.0)
    tree = g.simulate(system, [0.0], t_end=2.0, branches="all")
    assert [b.kind for b in tree] == ["rest", "leaves rest"]
    assert tree[1].run["r"][-1] == pytest.approx(2.0**4 / 144, rel=KEPT)
    assert g.simulate(system, [1.0], t_end=0.1).ending.kind == "finished"  # not from elsewhere


@pytest.mark.parametrize("force", [lambda q, v, t: [-np.sign(q[0]) * abs(q[0]) ** 0.5], lambda q, v, t: [q[0]]])
def test_black_box_forces_under_which_nothing_leaves_are_not_refused(force):
    run = g.simulate(line(black_box_force=force), [0.0], t_end=2.0)
    assert run.ending.kind == "finished"
    assert not np.any(run.q)
