"""Escape in finite time: told from a singular force, from the end of the domain and from a force that is not smooth."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import gauss as g
from gauss.motion import Trajectory
from gauss.motion.events.escape import blowup

TIME = 1e-9  # relative error of the time of an escape; the integrator keeps 1e-10 per step, errors partly cancel


def line(force=0.0, **more):
    """A particle of mass 1 on a line with the coordinate r."""
    return g.System("line", "r", mass_matrix=[[1.0]], force=force, **more)


def run(system, q, v=None, t_end=3.0, **more):
    """A run that may end early."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", g.errors.MotionWarning)
        return g.simulate(system, q, v, t_end=t_end, progress="none", **more)


# --- the fit -------------------------------------------------------------------------------------------------------


def samples(k, end=2.0, ratio=0.8, last=1e-12):
    """Times ever closer to `end`, with velocity (t* − t)^{−k} and its derivative in two coordinates."""
    left = end * ratio ** np.arange(int(np.log(last) / np.log(ratio)))
    v = np.stack([left**-k, 0.1 * np.cos(left)], axis=1)
    a = np.stack([k * left ** (-k - 1), 0.1 * np.sin(left)], axis=1)
    return end - left, v, a


@pytest.mark.parametrize("k", [1 / 3, 0.5, 0.9, 1.0, 1.1, 2.0, 5.0])
def test_exponent_and_time_of_a_blow_up_are_found(k):
    found = blowup(*samples(k), 1e-13)
    assert found.time == pytest.approx(2.0, rel=1e-10)
    assert found.exponent == pytest.approx(k, abs=max(found.band, 1e-3 * k))
    assert found.escapes == (k >= 1.0)


@pytest.mark.parametrize(
    ("speed", "rate"),
    [
        (lambda s: 1.0 + 0.0 * s, lambda s: 0.0 * s),
        (lambda s: 2.0 - np.sqrt(s), lambda s: 0.5 / np.sqrt(s)),  # finite speed, infinite acceleration
        (lambda s: np.exp(-s), lambda s: np.exp(-s)),
        (lambda s: -np.log(s) + 3.0, lambda s: 1.0 / s),  # slower than every power
        (lambda s: 2.0 + np.sin(1.0 / s), lambda s: np.cos(1.0 / s) / s**2),
    ],
)
def test_no_other_growth_passes_for_a_power_law(speed, rate):
    left = 2.0 * 0.8 ** np.arange(120)
    assert blowup(2.0 - left, speed(left)[:, None], rate(left)[:, None], 1e-13) is None


def test_a_run_that_stops_far_from_the_blow_up_is_not_diagnosed():
    t, v, a = samples(2.0)
    assert blowup(t[:20], v[:20], a[:20], 1e-13) is None
    assert blowup(t[:0], v[:0], a[:0], 1e-13) is None


def test_an_earlier_close_passage_does_not_count():
    t, v, a = samples(1 / 3)
    later = t[-1] + np.linspace(0.1, 1.0, 50)
    calm = np.ones((50, 2)), np.zeros((50, 2))
    assert blowup(np.append(t, later), np.vstack([v, calm[0]]), np.vstack([a, calm[1]]), 1e-13) is None


# --- runs ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("t_end", [1.58, 3.0, 1000.0])
@pytest.mark.parametrize("solver", ["osqp", "kkt"])
def test_the_tangent_escapes_at_half_pi(t_end, solver):
    ending = run(line(lambda q: [2 * q.r + 2 * q.r**3]), [0.0], [1.0], t_end, solver=solver).ending
    assert ending.kind == "escape"
    assert not ending.complete
    assert ending.limit == pytest.approx(np.pi / 2, rel=TIME)
    assert "(t* − t)^−2 " in ending.message
    assert "escapes to infinity" in ending.message


def test_a_logarithmic_escape_is_one_too():
    ending = run(line(lambda q: [g.exp(2 * q.r)]), [0.0]).ending  # r = −log cos t
    assert ending.kind == "escape"
    assert ending.limit == pytest.approx(np.pi / 2, rel=TIME)


def test_a_late_escape_is_found_as_well_as_the_clock_allows():
    system = line(lambda q: [2 * q.r + 2 * q.r**3])
    ending = run(system, [0.0], [1.0], t=1000.0, t_end=1003.0).ending
    assert ending.kind == "escape"
    assert ending.limit == pytest.approx(1000.0 + np.pi / 2, abs=1e-8)


def test_other_coordinates_feedback_and_black_boxes_do_not_hide_an_escape():
    two = g.System("two", "r s", mass_matrix=np.eye(2), force=lambda q: [2 * q.r + 2 * q.r**3, -100 * q.s])
    assert run(two, [0.0, 1.0], [1.0, 0.0]).ending.limit == pytest.approx(np.pi / 2, rel=1e-8)
    box = line(black_box_force=lambda q, v, t: [2 * q[0] + 2 * q[0] ** 3])
    assert run(box, [0.0], [1.0]).ending.limit == pytest.approx(np.pi / 2, rel=TIME)
    driven = line(lambda u: [u.push], controls="push")
    feedback = run(driven, [0.0], [1.0], control=lambda t, q, v: {"push": 2 * q[0] + 2 * q[0] ** 3})
    assert feedback.ending.limit == pytest.approx(np.pi / 2, rel=TIME)


def test_a_constrained_motion_escapes_along_its_constraint():
    system = g.System(
        "rail",
        "r s",
        mass_matrix=np.eye(2),
        force=lambda q: [4 * q.r + 4 * q.r**3, 0.0],
        constraints=[g.Holonomic("rail", lambda q: q.s - q.r)],
    )
    ending = run(system, [0.0, 0.0], [1.0, 1.0], solver="kkt").ending
    assert ending.kind == "escape"
    assert ending.limit == pytest.approx(np.pi / 2, rel=TIME)


def test_a_collision_has_its_time_but_is_no_escape():
    ending = run(line(lambda q: [-1 / q.r**2]), [1.0]).ending  # falls for π/√8
    assert ending.kind == "failed"
    assert ending.limit == pytest.approx(np.pi / np.sqrt(8), rel=TIME)
    assert "finite position" in ending.message
    assert "^−0.3333 " in ending.message


@pytest.mark.parametrize(
    ("force", "q", "v"),
    [
        (lambda q: [-g.sqrt(q.r)], [1.0], [0.0]),
        (lambda q: [1 / g.sqrt(1 - q.r)], [0.0], [1.0]),
        (lambda q: [g.log(2 - q.r)], [0.0], [5.0]),
    ],
)
def test_the_end_of_the_domain_is_not_an_escape(force, q, v):
    ending = run(line(force), q, v, 9.0).ending
    assert ending.kind == "failed"
    assert ending.limit is None
    assert "step size went to zero" in ending.message
    assert "leaves the model's domain" in ending.message


def test_a_blow_up_too_flat_for_numbers_is_said_to_overflow():
    ending = run(line(lambda q: [1.01 * q.r**1.01]), [1.0], [1.0], 3000.0).ending
    assert ending.kind == "failed"
    assert "overflow" in ending.message


def test_dry_friction_is_not_an_escape():
    ending = run(line(lambda v: [-g.sign(v.r)]), [1.0], [1.0], 5.0).ending
    assert ending.kind == "failed"
    assert "not smooth" in ending.message


@pytest.mark.long
@pytest.mark.parametrize("force", [lambda q: [q.r], lambda q: [-q.r - q.r**3], lambda q: [1e4 * g.sin(q.r)]])
def test_growth_without_a_blow_up_reaches_the_end(force):
    assert run(line(force), [0.1], [1.0], 20.0).ending.kind == "finished"


def test_a_run_ends_when_its_steps_no_longer_advance_the_clock():
    trajectory = run(line(lambda q: [2 * q.r + 2 * q.r**3]), [0.0], [1.0])
    assert np.all(np.diff(trajectory.t[:-1]) > 0.0)
    assert np.max(trajectory["d_r"]) < 1e30


def test_an_escape_is_kept_in_files(tmp_path):
    trajectory = run(line(lambda q: [2 * q.r + 2 * q.r**3]), [0.0], [1.0])
    loaded = Trajectory.load(trajectory.save(tmp_path / "escape.nc"))
    assert loaded.ending == trajectory.ending
