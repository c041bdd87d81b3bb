"""Rows as numbers at a state that is off them: the rank is that of the closed state, or not decided."""

import math

import numpy as np
import pytest

import gauss as g
from gauss.uniqueness import reactions

PLACES = (0.0, 1.0, 2.5)


def bars(angle, gap, turned, places=PLACES):
    """Return the rows of bars of length 1 between a frame and a turned platform, their residuals and ∂J/∂q.

    Coordinates: the platform's place (cos angle, sin angle) and its rotation; φ = (|p|² − 1)/2 with p from end to end.
    """
    J, phi, H = [], [], []
    c, s = math.cos(gap), math.sin(gap)
    for k, d in enumerate(places):
        foot = np.array([d + (turned if k == 2 else 0.0), 0.0])
        p = np.array([math.cos(angle) + d * c, math.sin(angle) + d * s]) - foot
        turn, twice = d * np.array([-s, c]), -d * np.array([c, s])
        by_q = np.array([[1.0, 0.0, turn[0]], [0.0, 1.0, turn[1]]])
        J.append(p @ by_q)
        phi.append((p @ p - 1.0) / 2.0)
        second = by_q.T @ by_q
        second[2, 2] += p @ twice
        H.append(second)
    return np.array(J), np.array(phi), np.array(H)


def problem(J, **extra):
    return g.principle.GaussProblem.of(np.diag([1.0, 1.0, 0.3]), [0.0, -9.81, -2.0], J, np.zeros(len(J)), **extra)


@pytest.mark.parametrize("gap", [1e-6, 1e-4, 1e-3, 1e-2])
@pytest.mark.parametrize("with_second", [True, False])
def test_three_parallel_bars_with_an_open_loop_are_not_decided_until_it_is_closed(gap, with_second):
    J, phi, H = bars(1.1, gap, 0.0)
    exact = g.uniqueness.diagnose(problem(J))
    assert exact.rank == 3  # the open loop hides that the bars are parallel
    assert "taken to satisfy the rows exactly" in exact.sentence
    open_ = problem(J, residuals=phi, **({"second": H} if with_second else {"length": 1.0}))
    found = g.uniqueness.diagnose(open_)
    assert (found.verdict, found.rank, found.regular, found.doubtful) == ("undecided", 2, False, True)
    assert found.open == ("row 0", "row 1", "row 2")
    assert "not decided until the loops are closed" in found.sentence
    loads = reactions(g.principle.solve(open_))
    assert loads.open == loads.undetermined == found.open
    assert np.all(np.isnan(loads.multipliers))
    assert np.all(np.isinf(loads.low))
    assert np.all(np.isinf(loads.high))
    assert "until the loops are closed" in loads.sentence
    assert "not decided" in str(loads)


@pytest.mark.parametrize("off", [0.0, 1e-6, 1e-3])
def test_bars_that_are_clearly_independent_stay_so_although_the_loop_is_open(off):
    """The third bar leans by 0.8: closed or not, the three rows are independent."""
    J, _, H = bars(1.1, 0.0, 0.8)
    phi = np.array([0.0, -off, off])
    for extra in ({"second": H}, {"length": 1.0}, {}):
        given = problem(J, residuals=phi, **extra)
        found = g.uniqueness.diagnose(given)
        assert (found.verdict, found.rank, found.open) == ("regular", 3, ())
        loads = reactions(g.principle.solve(given))
        assert loads.unique
        assert "exactly" not in loads.sentence
        assert loads.multipliers == pytest.approx(np.linalg.solve(J.T, [0.0, 9.81, 2.0]), rel=1e-10)


def test_only_the_rows_of_the_combination_that_hangs_on_the_residuals_are_left_open():
    J, phi, H = bars(1.1, 1e-3, 0.0)
    wide = np.zeros((4, 4))
    wide[:3, :3], wide[3, 3] = J, 1.0
    second = np.zeros((4, 4, 4))
    second[:3, :3, :3] = H
    given = g.principle.GaussProblem.of(
        np.eye(4), [0.0, -9.81, -2.0, 7.0], wide, np.zeros(4), residuals=[*phi, 0.0], second=second
    )
    assert g.uniqueness.diagnose(given).open == ("row 0", "row 1", "row 2")
    loads = reactions(g.principle.solve(given))
    assert loads.determined.tolist() == [False, False, False, True]
    assert loads.multipliers[3] == pytest.approx(-7.0)


def test_closed_loops_are_decided_by_their_rows_alone():
    J, phi, H = bars(1.1, 0.0, 0.0)
    found = g.uniqueness.diagnose(problem(J, residuals=0.0 * phi, second=H))
    assert (found.verdict, found.rank) == ("rank-deficient", 2)


@pytest.mark.parametrize("factor", [1e-9, 1e9])
def test_factors_of_rows_do_not_move_the_verdict(factor):
    J, phi, H = bars(1.1, 1e-3, 0.0)
    scale = np.array([1.0, factor, 1.0])
    given = problem(J * scale[:, None], residuals=phi * scale, second=H * scale[:, None, None])
    assert g.uniqueness.diagnose(given).open == ("row 0", "row 1", "row 2")


@pytest.mark.parametrize(
    ("extra", "words"),
    [
        ({"residuals": [0.0]}, "residuals"),
        ({"residuals": [0.0, math.nan, 0.0]}, "residuals"),
        ({"second": np.zeros((3, 3, 3))}, "give residuals too"),
        ({"length": 1.0}, "give residuals too"),
        ({"residuals": np.zeros(3), "length": -1.0}, "length"),
        ({"residuals": np.zeros(3), "second": np.zeros((3, 3))}, "second has shape"),
        ({"residuals": np.zeros(3), "second": np.zeros((3, 3, 3)), "length": 1.0}, "not both"),
    ],
)
def test_what_does_not_fit_is_refused(extra, words):
    with pytest.raises(g.errors.InputError, match=words):
        problem(bars(1.1, 0.0, 0.0)[0], **extra)
