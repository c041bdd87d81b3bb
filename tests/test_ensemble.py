"""Many motions in one call: each is the motion that `simulate` gives by itself, whatever becomes of the others."""

from __future__ import annotations

import doctest
import os
import signal
import threading

import numpy as np
import pytest
from scipy.special import ellipj, ellipk

import gauss as g
from gauss.motion import simulate_many

G = 9.81
TIMES = np.linspace(0.0, 2.0, 6)


def pendulum():
    """A pendulum of the length l (m) in its angle."""
    return g.System(
        "pendulum",
        "phi",
        kinetic_energy=lambda v, p: 0.5 * p.l**2 * v.phi**2,
        potential_energy=lambda q, p: -G * p.l * g.cos(q.phi),
        parameters={"l": 1.0},
    )


def ball():
    """A particle on a rod that is a floor too: y ≥ 0."""
    return g.System(
        "ball",
        "x y",
        kinetic_energy=lambda v: 0.5 * (v.x**2 + v.y**2),
        potential_energy=lambda q: G * q.y,
        constraints=[g.Unilateral("floor", lambda q: q.y, restitution=0.5)],
    )


def test_lengths_and_starts_give_jacobis_functions():
    angles, lengths = np.array([0.3, 1.0, 2.5]), np.array([0.5, 1.0, 2.0])
    runs = simulate_many(pendulum(), {"phi": angles}, times=TIMES, parameters={"l": lengths}, rtol=1e-11)
    k = np.sin(angles / 2.0)[:, None]
    u = ellipk(k**2) - np.sqrt(G / lengths)[:, None] * TIMES
    assert np.allclose(runs["phi"], 2.0 * np.arcsin(k * ellipj(u, k**2)[0]), rtol=0, atol=1e-9)
    assert np.array_equal(runs["l"], lengths)
    assert list(runs["ending"].values) == ["finished"] * 3
    assert np.array_equal(runs["until"], [2.0] * 3)


@pytest.mark.parametrize("jobs", [1, pytest.param(2, marks=pytest.mark.long)])
def test_members_are_the_motions_of_simulate_contacts_included(jobs):
    heights = np.array([0.1, 0.5, 1.0, -1.0, 2.0])
    runs = simulate_many(ball(), np.column_stack([0.0 * heights, heights]), [1.0, 0.0], times=TIMES, jobs=jobs)
    assert runs.sizes == {"member": 5, "t": 6}
    for k, height in enumerate(heights):
        if height < 0.0:
            assert runs["ending"].values[k] == "refused"
            assert "'floor' has position gap -1" in runs["message"].values[k]
            assert np.all(np.isnan(runs["y"][k]))
            continue
        alone = g.simulate(ball(), [0.0, height], [1.0, 0.0], t_end=2.0, progress="none").at(TIMES)
        for name in ("x", "y", "d_x", "d_y", "floor"):
            assert np.array_equal(runs[name][k], alone[name]), name


def test_a_member_that_ends_early_is_nan_from_there():
    escaping = g.System("escape", "x", kinetic_energy=lambda v: 0.5 * v.x**2, force=lambda q: [6.0 * q.x**2])
    runs = simulate_many(escaping, [[1.0], [0.01]], [[2.0], [0.0]], times=[0.0, 0.5, 0.9, 1.5])  # x = 1/(1 − t)²
    assert runs["ending"].values[0] != "finished"
    assert runs["until"].values[0] == pytest.approx(1.0, abs=1e-6)
    assert np.allclose(runs["x"].values[0, :3], [1.0, 4.0, 100.0], rtol=1e-7)
    assert np.isnan(runs["x"].values[0, 3])
    assert np.all(np.isfinite(runs["x"].values[1]))


def test_ctrl_c_returns_the_members_that_were_computed():
    def report(share):
        if share >= 0.5:
            threading.Timer(0.0, lambda: os.kill(os.getpid(), signal.SIGINT)).run()

    with pytest.warns(g.errors.MotionWarning, match="interrupted"):
        runs = simulate_many(pendulum(), {"phi": np.linspace(0.1, 1.0, 32)}, times=TIMES, progress=report)
    kinds = list(runs["ending"].values)
    assert kinds[:16] == ["finished"] * 16
    assert kinds[-1] == "missing"
    assert np.all(np.isfinite(runs["phi"][:16]))
    assert np.all(np.isnan(runs["phi"][-1]))


@pytest.mark.parametrize(("given", "words"), [
    ({"q": [[0.1], [0.2]], "parameters": {"l": [1.0, 2.0, 3.0]}}, "all members need a value of each"),
    ({"q": [0.1, 0.2]}, r"q has shape \(2,\), expected \(1,\) or \(N, 1\)"),
    ({"q": {"psi": [0.1]}}, "q names"),
    ({"q": [0.1], "parameters": {"m": [1.0]}}, "has no parameter 'm'; it has l"),
    ({"q": [0.1], "times": [0.0, 0.0]}, "increasing"),
    ({"q": np.zeros((0, 1))}, "no members"),
    ({"q": [0.1], "jobs": 0}, "jobs must be"),
    ({"q": [0.1], "t_end": 2.0}, "leave out"),
    ({"q": [0.1], "rtl": 1e-3}, "rtl"),
    ({"q": [0.1], "solve_at": "never"}, "solve_at must be"),
])  # fmt: skip
def test_what_does_not_fit_is_named(given, words):
    with pytest.raises((g.errors.InputError, TypeError), match=words):
        simulate_many(pendulum(), given.pop("q"), **{"times": TIMES, **given})


def test_the_example_runs():
    examples = doctest.DocTestParser().get_examples(simulate_many.__doc__)
    found = doctest.DocTest(examples, {}, "simulate_many", None, None, None)
    assert len(examples) == 4
    assert doctest.DocTestRunner(verbose=False).run(found, out=print).failed == 0
