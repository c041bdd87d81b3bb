"""A second opinion on recorded accelerations and forces: planted answers are found, in all units, and nothing else."""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from test_closing import bars

import gauss as g

ROBOTS = os.environ.get("GAUSS_ROBOTS", "")  # folder with 2f85.xml of mujoco_menagerie, without its meshes


def rational_rank(J):
    """The rank of rows of integers, by fractions."""
    rows, rank = [[Fraction(int(x)) for x in row] for row in J], 0
    for column in range(len(rows[0]) if rows else 0):
        pivot = next((k for k in range(rank, len(rows)) if rows[k][column]), None)
        if pivot is None:
            continue
        rows[rank], rows[pivot] = rows[pivot], rows[rank]
        for k in range(rank + 1, len(rows)):
            share = rows[k][column] / rows[rank][column]
            rows[k] = [x - share * y for x, y in zip(rows[k], rows[rank], strict=True)]
        rank += 1
    return rank


def planted(seed, n=6, m=5, dependent=0):
    """M, f, J, a, λ, γ of a state whose answer is known, and which multipliers are determined: by rational ranks."""
    rng = np.random.default_rng(seed)
    J = rng.integers(-4, 5, (m, n)).astype(float)
    for k in range(m - dependent, m):
        J[k] = J[: m - dependent].T @ rng.integers(-1, 2, m - dependent)
    L = np.tril(rng.normal(size=(n, n)), -1) + np.diag(rng.uniform(0.5, 2.0, n))
    M, a, lam = L @ L.T, rng.normal(size=n), rng.normal(size=m)
    whole = rational_rank(J)
    known = [rational_rank(np.delete(J, k, 0)) < whole for k in range(m)]
    return {"M": M, "f": M @ a - J.T @ lam, "J": J, "a": a, "forces": lam, "gamma": J @ a}, np.array(known)


def size(M, a):
    return math.sqrt(a @ M @ a)


@pytest.mark.sampled(4)
@pytest.mark.parametrize("seed", range(40))
def test_a_planted_minimiser_agrees_and_what_is_determined_is_known_by_rational_ranks(seed):
    given, known = planted(seed, dependent=seed % 3)
    found = g.check(**given)
    assert found.words == ("agrees",)
    assert found.passed
    assert found.determined.tolist() == [known.tolist()]
    assert not np.any(found.open)
    assert found.rank.tolist() == [rational_rank(given["J"])]
    assert found.multipliers[0][known] == pytest.approx(given["forces"][known], rel=1e-8, abs=1e-8)
    assert np.all(np.isinf(found.low[0][~known]))
    assert np.all(np.isinf(found.high[0][~known]))


@pytest.mark.sampled(7)
@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("wrong", [1e-4, 1e-2, 1.0])
def test_the_distance_from_the_minimiser_is_the_planted_one(seed, wrong):
    given, _ = planted(seed)
    direction = np.random.default_rng(seed + 1).normal(size=6)
    moved = wrong * direction / size(given["M"], direction)
    given["a"] = given["a"] + moved
    found = g.check(**given)
    assert found.distance[0] == pytest.approx(wrong, rel=1e-6, abs=3.0 * found.accuracy[0])
    assert found.words == ("differs",)
    assert not found.passed
    assert found.balance[0] == pytest.approx(given["M"] @ moved, abs=1e-11)
    assert found.off[0] == pytest.approx(given["J"] @ moved, abs=1e-11)
    assert np.all(found.violated[0] | (np.abs(given["J"] @ moved) < 1e-5 * found.size[0] * np.abs(given["J"]).sum()))


@pytest.mark.sampled(4)
@pytest.mark.parametrize("exponent", range(-8, 9))
def test_words_do_not_depend_on_units_of_mass_time_coordinates_rows_nor_on_the_order_of_rows(exponent):
    """Sixteen decades; factors of single rows over twelve."""
    factor = 10.0**exponent
    for seed in range(6):
        given, known = planted(seed, dependent=seed % 3)
        rng = np.random.default_rng(seed)
        by_row = 10.0 ** rng.uniform(-abs(exponent) * 0.75, abs(exponent) * 0.75, 5) if exponent else np.ones(5)
        order, unit = rng.permutation(5), 10.0 ** (exponent * rng.uniform(0.0, 0.5, 6))
        mass, time = factor, factor**0.5
        for right in (True, False):
            a = given["a"] if right else given["a"] + 1e-3
            J = (by_row[:, None] * given["J"] / unit)[order]
            scaled = {
                "M": mass * given["M"] / np.outer(unit, unit),
                "f": mass * given["f"] / unit / time**2,
                "J": J,
                "a": a * unit / time**2,
                "forces": (mass / time**2 * given["forces"] / by_row)[order],
                "gamma": (by_row * given["gamma"])[order] / time**2,
            }
            found = g.check(**scaled)
            assert found.words == (("agrees",) if right else ("differs",))
            assert found.passed == right
            assert found.determined[0].tolist() == known[order].tolist()


@pytest.mark.sampled(7)
@pytest.mark.parametrize("exponent", range(-16, 1))
@pytest.mark.parametrize("extra", ["second", "length", "one number"])
def test_parallel_bars_with_an_open_loop_are_never_called_determined(exponent, extra):
    """Closed, three bars hold two freedoms. Opened by 1e-16 … 1 the rows look independent, and are not."""
    for scale in (1e-8, 1.0, 1e8):
        gap = 10.0**exponent
        J, phi, H = bars(1.1, gap, 0.0)
        more = {"second": scale * H} if extra == "second" else {"length": 1.0}
        off = float(np.max(np.abs(phi))) if extra == "one number" else phi
        M, f = np.diag([1.0, 1.0, 0.3]), np.array([0.0, -9.81, -2.0])
        order = [2, 0, 1]
        given = {"M": M, "f": f, "J": scale * J[order], "a": np.zeros(3), "gamma": np.zeros(3)}
        if extra == "second":
            more = {"second": scale * H[order]}
        off = scale * off if np.ndim(off) == 0 else scale * off[order]
        found = g.check(**given, gap=off, **more)
        assert not np.any(found.determined)
        assert found.verdicts[0] in ("rank-deficient", "undecided")
        if exponent >= -11:
            assert np.all(found.open)
            assert found.rank[0] <= 2
            assert "until the loops are closed" in str(found)
        if exponent <= -14:
            assert not np.any(found.open)
            assert found.rank[0] == 2


@pytest.mark.sampled(4)
@pytest.mark.parametrize("seed", range(40))
def test_parallel_bars_beside_a_row_that_is_known_are_never_called_determined_in_any_units(seed):
    """Three to five bars, opened by 1e-16 … 0.3, coordinates and rows in units over eight decades, in any order."""
    rng = np.random.default_rng(seed)
    found_open = 0
    for _ in range(8):
        gap = 10.0 ** rng.uniform(-16.0, -0.5) * rng.choice([-1.0, 1.0])
        J, phi, H = bars(rng.uniform(0.2, 2.9), gap, 0.0, tuple(np.cumsum(rng.uniform(0.3, 2.0, rng.integers(3, 6)))))
        m = len(J) + 1
        rows, second = np.zeros((m, 5)), np.zeros((m, 5, 5))
        rows[:-1, :3], rows[-1, 3:], second[:-1, :3, :3] = J, rng.normal(size=2), H
        c, r, order = 10.0 ** rng.uniform(-4, 4, 5), 10.0 ** rng.uniform(-4, 4, m), rng.permutation(m)
        L = np.tril(rng.normal(size=(5, 5)), -1) + np.diag(rng.uniform(0.5, 2.0, 5))
        found = g.check(
            M=L @ L.T * np.outer(c, c),
            f=c * rng.normal(size=5),
            J=(r[:, None] * rows * c)[order],
            a=rng.normal(size=5) / c,
            gamma=np.zeros(m),
            gap=(r * np.append(phi, 0.0))[order],
            second=(r[:, None, None] * second * np.outer(c, c))[order],
        )
        assert found.determined[0].tolist() == (order == m - 1).tolist()
        found_open += int(np.sum(found.open))
    assert found_open > 0


def test_an_acceleration_that_hangs_on_an_open_loop_is_undecided():
    J, phi, H = bars(1.1, 1e-3, 0.0)
    given = {"M": np.diag([1.0, 1.0, 0.3]), "f": [0.0, -9.81, -2.0], "J": J, "gamma": [0.0, 0.1, 0.3]}
    exact = g.check(**given, a=np.linalg.solve(J, [0.0, 0.1, 0.3]))
    assert exact.words == ("agrees",)
    assert "taken to satisfy the constraints exactly" in str(exact)
    for a in (np.linalg.solve(J, [0.0, 0.1, 0.3]), np.zeros(3)):
        found = g.check(**given, a=a, gap=phi, second=H)
        assert found.words == ("undecided",)
        assert "not decided until the loops are closed" in found.reasons[0]
        assert found.passed == (not np.any(found.violated))
        assert "not judged" in found.claims.left_out
        assert not found.decided.any()
        assert (
            found.outcome
            == f"{'passed as far as it is decided' if found.passed else 'not passed'}; undecided at 1 state"
        )


def hanging(*given):
    """Two bars whose loop is open by 1 mm, the acceleration right as far as its rows tell; and beside it closed."""
    J, phi, H = bars(1.1, 1e-3, 0.0)
    gamma = [0.0, 0.1, 0.3]
    a = np.linalg.solve(J, gamma)
    gap = np.array([phi if is_open else np.zeros(3) for is_open in given])
    many = {"a": np.tile(a, (len(given), 1)), "gap": gap}
    return {"M": np.diag([1.0, 1.0, 0.3]), "f": [0.0, -9.81, -2.0], "J": J, "gamma": gamma, "second": H, **many}


@pytest.mark.parametrize("given", [(True,), (False, True), (False, True, True), (False,)])
def test_what_is_not_decided_is_counted_beside_what_passes(given):
    found, undecided = g.check(**hanging(*given)), sum(given)
    assert found.passed
    assert found.decided.tolist() == [not is_open for is_open in given]
    data = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert (data["passed"], data["decided"]) == (True, found.decided.tolist())
    states = f"undecided at {undecided} state{'s' * (undecided > 1)}"
    assert data["outcome"] == found.outcome == (f"passed as far as it is decided; {states}" if undecided else "passed")
    assert str(found).splitlines()[0].endswith(f": {found.outcome}")
    assert f"second opinion: {found.outcome}" in found._repr_html_()


def test_a_state_that_fails_is_not_hidden_by_one_that_is_not_decided():
    many = hanging(False, True)
    found = g.check(**{**many, "a": many["a"] + np.array([[1.0], [0.0]])})
    assert found.words == ("differs", "undecided")
    assert found.outcome == "not passed; undecided at 1 state"


@pytest.mark.parametrize("strict", [False, True])
@pytest.mark.parametrize(("given", "status"), [((False,), (0, 0)), ((False, True), (0, 1))])
def test_the_exit_status_counts_what_is_not_decided_if_it_is_told_to(
    given, status, strict, tmp_path, monkeypatch, capsys
):
    path = tmp_path / "states.npz"
    np.savez(path, **hanging(*given))
    monkeypatch.setattr(sys, "argv", ["gauss", "check", str(path), "--json", *["--strict"] * strict])
    with pytest.raises(SystemExit) as ended:
        g.main()
    assert ended.value.code == status[strict]
    data = json.loads(capsys.readouterr().out)
    assert (data["passed"], all(data["decided"])) == (True, not any(given))


@pytest.mark.parametrize("exponent", range(-16, 1))
def test_a_near_copy_of_a_row_is_determined_not_determined_or_undecided_but_never_a_copy_that_is_none(exponent):
    e = 10.0**exponent
    J = np.array([[1.0, 0.0, 0.0], [1.0, e, 0.0], [0.0, 0.0, 1.0]])
    a = np.array([0.3, -0.7, 0.0])
    f = a - J.T @ [1.0, 2.0, 3.0]
    found = g.check(M=np.eye(3), f=f, J=J, a=a, forces=[1.0, 2.0, 3.0], gamma=J @ a)
    assert found.determined[0, 2]
    assert found.words[0] in ("agrees", "undecided")
    if exponent >= -13:
        assert np.all(found.determined)
    assert np.all(found.determined[0, :2]) or not np.any(found.determined[0, :2])
    copy = g.check(M=np.eye(3), f=f, J=J[[0, 0, 2]], a=a, forces=[1.0, 2.0, 3.0], gamma=(J @ a)[[0, 0, 2]], noise=e)
    assert not np.any(copy.determined[0, :2])


def table_on_four_legs(forces):
    J = np.array([[1.0, x, y] for x in (-1.0, 1.0) for y in (-1.0, 1.0)])
    return {"M": np.diag([4.0, 1.0, 1.0]), "f": [-40.0, 0.0, 0.0], "J": J, "a": np.zeros(3), "forces": forces}


@pytest.mark.parametrize("forces", [[10.0] * 4, [20.0, 0.0, 0.0, 20.0]])
def test_legs_of_a_table_have_ranges(forces):
    found = g.check(
        **table_on_four_legs(forces), gamma=np.zeros(4), unilateral=np.ones(4, dtype=bool), names=list("abcd")
    )
    assert found.words == ("agrees",)
    assert found.passed
    assert found.low[0] == pytest.approx(np.zeros(4), abs=1e-9)
    assert found.high[0] == pytest.approx(20.0 * np.ones(4))
    assert found.word_of("a", 0) == "not determined"
    by_bounds = g.check(**table_on_four_legs(forces), lower=np.zeros(4), upper=np.full(4, np.inf))
    assert by_bounds.words == found.words
    assert np.array_equal(by_bounds.high, found.high)


def test_a_leg_that_pulls_is_told_though_the_forces_balance():
    found = g.check(**table_on_four_legs([-5.0, 25.0, 25.0, -5.0]), gamma=np.zeros(4), unilateral=["row 0", "row 3"])
    assert found.words == ("agrees",)
    assert [c.name for c in found.claims if not c.holds] == ["one-sided rows push, and closed ones only"]
    assert found.wrong[0].tolist()[1:3] == [0.0, 0.0]
    assert not found.passed


def test_an_open_limit_given_as_an_equation_is_hinted_at():
    """A bead of 1 kg falls beside a guide; a limit above which it moves is no row that holds."""
    given = {"M": np.eye(2), "f": [3.0, -10.0], "J": [[0.0, 1.0], [1.0, 0.0]], "a": [3.0, 0.0]}
    given |= {"forces": [10.0, 0.0], "gamma": [0.0, -5.0], "names": ["rail", "limit"]}
    text = str(g.check(**given))
    assert "As J a ≥ γ would hold: limit." in text
    assert "unilateral" not in str(g.check(**given, unilateral=["limit"]))
    wrong = given | {"gamma": [0.0, 5.0]}
    assert "would hold" not in str(g.check(**wrong))


def test_a_limit_that_is_passed_leaves_nothing_of_loops_open():
    """Two rods hold one bead along the same line; a stop beside them is passed by 0.05."""
    rows = {"J": [[0.0, 1.0], [0.0, 2.0], [1.0, 0.0]], "gamma": [0.0, 0.0, -5.0], "unilateral": [False, False, True]}
    given = {"M": np.eye(2), "f": [3.0, -10.0], "a": [3.0, 0.0], "forces": [10.0, 0.0, 0.0], **rows}
    found = g.check(**given, gap=[0.0, 0.0, -0.05])
    assert [found.word_of(k, 0) for k in range(3)] == ["not determined", "not determined", "determined"]
    opened = g.check(**given, gap=[0.0, 0.05, 0.0])
    assert opened.word_of(0, 0) == "not decided"


def test_a_contact_that_acts_at_a_distance_and_one_that_is_entered_are_told():
    bead = {"M": [[1.0]], "f": [-10.0], "J": [[1.0]], "gamma": [0.0], "unilateral": [True]}
    leaving = g.check(**bead, a=[2.0], forces=[12.0])
    assert leaving.words == ("differs",)
    assert leaving.wrong[0, 0] > 0.1
    entered = g.check(**bead, a=[-10.0], forces=[0.0])
    assert entered.violated.tolist() == [[True]]
    assert entered.off.tolist() == [[-10.0]]
    assert entered.distance[0] == pytest.approx(10.0)
    assert g.check(**bead, a=[0.0], forces=[10.0]).passed


@pytest.mark.sampled(5)
@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("exponent", [-12, -6, -3, 0])
def test_a_soft_program_is_right_by_its_own_rows_and_its_softness_is_told_apart(seed, exponent):
    given, _ = planted(seed, dependent=seed % 3)
    rng = np.random.default_rng(seed)
    R = 10.0**exponent * rng.uniform(0.5, 2.0, 5)
    free = np.linalg.solve(given["M"], given["f"])
    J = given["J"]
    lam = np.linalg.solve(J @ np.linalg.solve(given["M"], J.T) + np.diag(R), given["gamma"] - J @ free)
    a = free + np.linalg.solve(given["M"], J.T @ lam)
    soft = {**given, "a": a, "forces": lam, "regularization": R}
    found = g.check(**soft)
    apart = size(given["M"], a - given["a"])
    assert found.passed
    assert found.words == (("agrees",) if apart <= 1e-6 * found.size[0] else ("softened",))
    assert found.softness[0] == pytest.approx(apart, rel=1e-6, abs=1e-8)
    assert found.distance[0] == pytest.approx(apart, rel=1e-6, abs=1e-8)
    wrong = g.check(**{**soft, "a": a + 1e-2})
    assert wrong.words == ("differs",)
    assert not wrong.passed
    hard = g.check(**{**given, "a": a, "forces": lam})
    assert hard.words == (("agrees",) if apart <= 1e-6 * found.size[0] else ("differs",))


def test_a_soft_contact_keeps_its_sign():
    given = {"M": [[2.0]], "f": [-20.0], "J": [[1.0]], "gamma": [1.0], "unilateral": [True], "regularization": [0.5]}
    lam = (1.0 + 10.0) / (0.5 + 0.5)
    found = g.check(**given, a=[-10.0 + lam / 2.0], forces=[lam])
    assert found.words == ("softened",)
    assert found.passed
    assert found.off[0, 0] == pytest.approx(-0.5 * lam)
    assert found.off_soft[0, 0] == pytest.approx(0.0, abs=1e-12)


def test_forces_of_friction_are_taken_as_given():
    block = {
        "M": [[2.0, 0.0], [0.0, 2.0]],
        "f": [0.0, -20.0],
        "J": [[0.0, 1.0], [1.0, 0.0]],
        "names": ["floor", "slip"],
    }
    found = g.check(
        **block, a=[-3.0, 0.0], forces=[20.0, -6.0], gamma=[0.0, 0.0], unilateral="floor", friction=["slip"]
    )
    assert found.words == ("agrees",)
    assert found.passed
    assert found.present.tolist() == [[True, False]]
    assert found.determined.tolist() == [[True, False]]
    assert found.word_of("slip", 0) == ""


def test_contradictory_rows_have_no_minimiser_and_a_soft_program_is_judged_all_the_same():
    given = {"M": [[1.0]], "f": [0.0], "J": [[1.0], [1.0]], "gamma": [0.0, 1.0]}
    found = g.check(**given, a=[0.5], forces=[0.25, 0.25])
    assert found.words == found.verdicts == ("contradictory",)
    assert "demand different accelerations" in found.reasons[0]
    assert not found.passed
    assert not np.any(found.determined)
    soft = g.check(**given, a=[1.0 / 3.0], forces=[-1.0 / 3.0, 2.0 / 3.0], regularization=[1.0, 1.0])
    assert soft.words == ("softened",)
    assert soft.passed


def test_states_are_judged_one_by_one_and_absent_rows_are_left_out():
    states = [planted(seed)[0] for seed in range(4)]
    stacked = {key: np.array([state[key] for state in states]) for key in states[0]}
    stacked["a"][2] += 0.1
    found = g.check(**stacked)
    assert found.words == ("agrees", "agrees", "differs", "agrees")
    assert found.worst == 2
    assert len(found) == 4
    single = [g.check(**{key: value[k] for key, value in stacked.items()}) for k in range(4)]
    assert found.distance == pytest.approx([x.distance[0] for x in single])
    assert np.array_equal(found.low, np.array([x.low[0] for x in single]))
    for key in ("J", "forces", "gamma"):
        stacked[key][1, 3:] = np.nan
    stacked["f"][1] = stacked["M"][1] @ stacked["a"][1] - stacked["J"][1, :3].T @ stacked["forces"][1, :3]
    fewer = g.check(**stacked)
    assert fewer.words == found.words
    assert fewer.present.sum(axis=1).tolist() == [5, 3, 5, 5]
    assert np.all(np.isnan(fewer.low[1, 3:]))
    shared = g.check(M=np.eye(2), f=[[1.0, 0.0], [0.0, 2.0]], a=[[1.0, 0.0], [0.0, 2.5]], J=[[0.0, 0.0]], gamma=[0.0])
    assert shared.words == ("agrees", "differs")
    assert not np.any(shared.determined)  # the row vanishes


def test_without_right_hand_sides_the_forces_are_judged_and_the_rows_are_not():
    given, known = planted(3, dependent=1)
    del given["gamma"]
    found = g.check(**given)
    assert found.words == ("agrees",)
    assert "J a is taken for right" in str(found)
    assert found.determined[0].tolist() == known.tolist()
    aside = np.linalg.svd(given["J"])[2][-1]
    found = g.check(**{**given, "a": given["a"] + 0.1 * aside})
    assert found.words == ("differs",)


def test_without_forces_the_acceleration_is_judged_alone():
    given, _ = planted(5)
    del given["forces"]
    found = g.check(**given)
    assert found.words == ("agrees",)
    assert np.all(np.isnan(found.imbalance))
    assert [c.name for c in found.claims] == ["the rows hold: J a", "a minimises the Zwang"]
    assert g.check(M=[[2.0]], f=[6.0], a=[3.0]).passed
    assert not g.check(M=[[2.0]], f=[6.0], a=[3.1]).passed


def test_rows_of_single_precision_are_known_to_its_rounding():
    for seed in range(10):
        given, known = planted(seed, dependent=2)
        turn = np.linalg.qr(np.random.default_rng(seed).normal(size=(6, 6)))[0]
        turned = {**given, "M": turn @ given["M"] @ turn.T, "f": turn @ given["f"], "a": turn @ given["a"]}
        turned["J"] = given["J"] @ turn.T
        coarse = {key: np.asarray(value, dtype=np.float32) for key, value in turned.items()}
        found = g.check(**coarse)
        assert found.words == ("agrees",)
        assert found.tolerance == pytest.approx(1.2e-3, rel=0.1)
        assert not np.any(found.determined[0] & ~known)
        double = g.check(
            **{key: np.asarray(value, dtype=float) for key, value in coarse.items()}, tolerance=1e-3, noise=1e-6
        )
        assert not np.any(double.determined[0] & ~known)


def test_a_row_of_crumbs_is_not_decided_unless_the_noise_is_known():
    given = {"M": np.eye(2), "f": [1.0, 2.0], "J": [[1.0, 0.0], [3e-17, 2e-17]], "a": [0.0, 2.0], "forces": [-1.0, 0.0]}
    found = g.check(**given, gamma=[0.0, 0.0])
    assert found.determined.tolist() == [[True, False]]
    assert found.open.tolist() == [[False, True]]
    assert g.check(**given, gamma=[0.0, 0.0], noise=1e-16).word_of(1, 0) == "not determined"
    exact = g.check(**{**given, "a": [0.0, 0.0], "forces": [2.0, 1e17]}, gamma=[0.0, 0.0], noise=0.0)
    assert exact.word_of(1, 0) == "determined"


def test_nearly_dependent_rows_are_told_by_how_much_they_amplify():
    J = np.array([[1.0, 0.0], [1.0, 1e-9]])
    found = g.check(M=np.eye(2), f=-J.T @ [1.0, 2.0], J=J, a=[0.0, 0.0], forces=[1.0, 2.0], gamma=[0.0, 0.0])
    assert "amplify errors of the data by 1e+09" in str(found)


def test_the_record_reads_and_writes_itself():
    given, _ = planted(2, dependent=1)
    found = g.check(**given, names=list("abcde"), coordinates="x y z u v w")
    assert isinstance(found, g.analysis.SecondOpinion)
    data = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert data["words"] == ["agrees"]
    assert data["rows"] == list("abcde")
    assert data["coordinates"] == list("xyzuvw")
    assert data["passed"] is True
    text = str(found)
    assert text.startswith("second opinion on 1 state: passed\nThe acceleration agrees at 1 state.\n")
    assert "not determined" in text
    assert repr(found) == "SecondOpinion(second opinion on 1 state: passed)"
    card = found._repr_html_()
    assert "second opinion: passed" in card
    assert "not determined" in card
    assert "not passed" in g.check(**{**given, "a": given["a"] + 1.0})._repr_html_()


WHOLE = planted(0)[0]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"M": np.eye(5)}, r"M has shape \(5, 5\), expected \(6, 6\)"),
        ({"f": np.zeros(5)}, "f has shape"),
        ({"J": np.zeros((5, 7))}, "J has shape"),
        ({"a": np.zeros((2, 3, 6))}, "a has shape"),
        ({"a": []}, "a has shape"),
        ({"a": np.full(6, np.nan)}, "a must be finite, but is nan at state 0, entry 0"),
        ({"forces": np.zeros(4)}, "forces has shape"),
        ({"forces": [0, 0, 0, 0, np.nan]}, "forces must be finite"),
        ({"gamma": [0, 0, np.nan, 0, 0]}, "gamma is nan at state 0, entry 2"),
        ({"gamma": [0, 0, np.inf, 0, 0]}, "gamma must be finite"),
        ({"J": np.where(np.eye(5, 6) > 0, np.nan, 1.0)}, "J must be finite"),
        ({"lower": np.zeros(5), "upper": np.zeros(5)}, "not both"),
        ({"gamma": None, "lower": np.zeros(5)}, "lower alone"),
        ({"gamma": None, "lower": np.zeros(5), "upper": np.ones(5), "unilateral": [0]}, "goes with gamma"),
        ({"gamma": None, "lower": np.ones(5), "upper": np.zeros(5)}, "swap the bounds"),
        ({"unilateral": "row 9"}, "which is no row"),
        ({"unilateral": [1.0] * 5}, "booleans"),
        ({"friction": ["row 0"], "forces": None}, "give forces"),
        ({"gap": np.zeros(4)}, "gap has shape"),
        ({"gap": -1.0}, "gap must be a size"),
        ({"second": np.zeros((5, 6, 5)), "gap": 0.0}, "second has shape"),
        ({"gap": 0.1, "length": -1.0}, "length must be positive"),
        ({"noise": -1.0}, "noise is by how much"),
        ({"noise": np.zeros(3)}, "noise has shape"),
        ({"regularization": -np.ones(5)}, "regularization must not be negative"),
        ({"regularization": np.ones(5), "gamma": None}, "give gamma"),
        ({"names": list("abcd")}, "names must be 5 distinct"),
        ({"coordinates": "x y"}, "coordinates names 2"),
        ({"tolerance": 0.0}, "tolerance must be positive"),
        ({"M": np.arange(36.0).reshape(6, 6)}, "not symmetric"),
        ({"M": -np.eye(6)}, "indefinite"),
        ({"M": np.zeros((6, 6))}, "no inertia"),
        ({"mass": np.eye(6)}, "check has no argument 'mass'"),
    ],
)
def test_what_does_not_fit_is_refused(change, words):
    with pytest.raises(g.errors.GaussError, match=words):
        g.check(**{**WHOLE, **change})


def test_an_error_names_its_state():
    with pytest.raises(g.errors.NonUniqueAccelerationError, match=r"^state 1: the mass matrix"):
        g.check(M=[[[1.0]], [[0.0]]], f=[[1.0], [1.0]], a=[[1.0], [1.0]])


# ------------------------------------------------------------------ the command


def command(*arguments, cwd):
    line = [sys.executable, "-m", "gauss", "check", *map(str, arguments)]
    return subprocess.run(line, capture_output=True, text=True, cwd=cwd, timeout=120)


@pytest.mark.long
def test_the_command_prints_a_page_or_json_and_its_exit_status_says_what_holds(tmp_path):
    given, _ = planted(1, dependent=1)
    np.savez(tmp_path / "right.npz", **given, names=np.array(list("abcde")), tolerance=1e-5)
    done = command("right.npz", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("second opinion on 1 state: passed")
    np.savez(tmp_path / "wrong.npz", **{**given, "a": given["a"] + 1.0})
    done = command("wrong.npz", "--json", cwd=tmp_path)
    assert done.returncode == 1
    assert json.loads(done.stdout)["words"] == ["differs"]


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (None, "there is no file"),
        (b"nonsense", "is no file of arrays"),
        ({"x": 1.0}, "has an array 'x', which is none of"),
        ({"M": np.eye(1)}, "has no array 'f'"),
        ({"M": np.eye(1), "f": np.zeros(1), "a": np.array([None])}, "cannot read"),
    ],
)
def test_a_file_that_is_no_recording_is_refused(content, words, tmp_path, monkeypatch, capsys):
    path = tmp_path / "states.npz"
    if isinstance(content, bytes):
        path.write_bytes(content)
    elif content is not None:
        np.savez(path, **content, allow_pickle=True)
    monkeypatch.setattr(sys, "argv", ["gauss", "check", str(path)])
    with pytest.raises(SystemExit) as ended:
        g.main()
    assert ended.value.code == 2
    assert words in " ".join(capsys.readouterr().err.split())


def test_one_array_and_a_folder_are_no_recordings(tmp_path, monkeypatch, capsys):
    np.save(tmp_path / "one.npy", np.eye(2))
    for path, words in ((tmp_path / "one.npy", "holds one array"), (tmp_path, "is a folder")):
        monkeypatch.setattr(sys, "argv", ["gauss", "check", str(path)])
        with pytest.raises(SystemExit) as ended:
            g.main()
        assert ended.value.code == 2
        assert words in " ".join(capsys.readouterr().err.split())


@pytest.mark.filterwarnings("ignore:overflow", "ignore:invalid value", "ignore:divide by zero")
def test_numbers_that_overflow_are_refused_in_words():
    given = {"M": np.eye(2), "f": [1.0, 2.0], "J": [[0.0, 1.0]], "a": [1.0, 0.0], "forces": [-2.0]}
    with pytest.raises(g.errors.InputError, match="beyond the range of floating point"):
        g.check(**{name: 1e200 * np.asarray(value) for name, value in given.items()}, gamma=[0.0])
    assert g.check(**given | {"M": 1e308 * np.eye(2)}, gamma=[0.0]).words == ("differs",)


# ------------------------------------------------------------------ MuJoCo


@pytest.fixture
def gripper():
    mujoco = pytest.importorskip("mujoco", reason="MuJoCo is not installed")
    path = Path(ROBOTS) / "2f85.xml"
    if not ROBOTS or not path.exists():
        pytest.skip("GAUSS_ROBOTS names no folder with 2f85.xml")
    model = mujoco.MjModel.from_xml_path(str(path))
    data = mujoco.MjData(model)
    across = [0, 3]  # rows of the two `connect` constraints along x, the axis of all hinges

    def state(q=None, v=None):
        data.qpos[:], data.qvel[:] = (np.zeros(model.nv) if x is None else x for x in (q, v))
        mujoco.mj_forward(model, data)
        M, equality = np.zeros((model.nv, model.nv)), data.efc_type == mujoco.mjtConstraint.mjCNSTR_EQUALITY
        mujoco.mj_fullM(model, data, M)
        return {
            "M": M,
            "f": data.qfrc_smooth.copy(),
            "J": data.efc_J.reshape(-1, model.nv).copy(),
            "a": data.qacc.copy(),
            "forces": data.efc_force.copy(),
            "gamma": data.efc_aref.copy(),
            "unilateral": ~equality,
            "regularization": data.efc_R.copy(),
            "gap": np.where(equality, data.efc_pos, 0.0),
        }

    return state, across


def test_mujocos_reactions_across_the_fingers_are_not_determined(gripper):
    state, across = gripper
    closed = state()
    assert np.max(np.abs(closed["gap"])) < 1e-15
    for given in (closed, {key: value for key, value in closed.items() if key != "gap"}):
        found = g.check(**given)
        assert closed["forces"][across].tolist() == [0.0, 0.0]  # what is printed
        assert [found.word_of(k, 0) for k in range(7)] == [
            "not determined" if k in across else "determined" for k in range(7)
        ]
        assert np.all(np.isinf(found.high[0, across]))
        assert found.words == ("softened",)
        assert found.rank.tolist() == [5]
        assert found.passed
        assert found.softness[0] > 1e-3


@pytest.mark.parametrize("exponent", [-6, -5, -4, -3, -2])
def test_mujocos_reactions_across_opened_fingers_are_never_called_independent(gripper, exponent):
    state, across = gripper
    rng = np.random.default_rng(exponent + 6)
    for _ in range(20):
        given = state(10.0**exponent * rng.normal(size=8) / 0.05, rng.normal(size=8))
        found = g.check(**given)
        assert found.verdicts == ("undecided",)
        assert [found.word_of(k, 0) for k in across] == ["not decided"] * 2
        assert found.words == ("softened",)
        assert found.passed
        wrong = g.check(**{**given, "a": given["a"] + 1e-3 * np.linalg.norm(given["a"])})
        assert wrong.words == ("differs",)


def mujoco_model(text, jacobian):
    mujoco = pytest.importorskip("mujoco", reason="MuJoCo is not installed")
    model = mujoco.MjModel.from_xml_string(
        text.replace("<worldbody>", f'<option jacobian="{jacobian}"/><worldbody>', 1)
    )
    return mujoco, model, mujoco.MjData(model)


PRESSED = """<mujoco><option cone="pyramidal"/><worldbody>
 <geom name="wall" type="plane" pos="1.2 0 0" euler="0 -90 0" size="2 2 .1"/>
 <body><joint name="shoulder" axis="0 1 0" range="-90 -10" limited="true" frictionloss=".1"/>
  <geom type="capsule" fromto="0 0 0 .7 0 0" size=".03" contype="0" conaffinity="0"/>
  <body pos=".7 0 0"><joint name="elbow" axis="0 1 0"/>
   <geom type="capsule" fromto="0 0 0 .5 0 0" size=".03" contype="0" conaffinity="0"/>
   <geom name="tip" type="sphere" pos=".6 0 0" size=".04"/></body></body>
 <body name="ball" pos="0 3 0"><freejoint name="free"/><geom size=".1"/></body>
 <body name="post" pos="0 3.3 0"><joint name="post" type="ball"/><geom size=".1" contype="0" conaffinity="0"/></body>
</worldbody><equality><connect body1="ball" body2="post" anchor="0 .15 0"/></equality></mujoco>"""


@pytest.mark.parametrize("jacobian", ["dense", "sparse"])
def test_states_of_mujoco_have_rows_by_name(jacobian):
    mujoco, model, data = mujoco_model(PRESSED, jacobian)
    data.qpos[:2] = [-0.1, 0.75]
    for _ in range(60):
        mujoco.mj_step(model, data)
    data.qpos[:2] = [-0.1, 0.75]  # beyond the upper limit, and in the wall
    mujoco.mj_forward(model, data)
    given = g.analysis.mujoco_state(model, data)
    names = given["names"]
    assert names[:4] == [*(f"connect of ball and post[{k}]" for k in range(3)), "friction of shoulder"]
    assert names[4] == "shoulder limit upper"
    assert names[5:] == [f"contact of wall and tip[{k}]" for k in range(4)]
    assert given["coordinates"][:3] == ["shoulder", "elbow", "free_x"]
    assert given["coordinates"][-1] == "post_wz"
    assert given["unilateral"].tolist() == [False] * 4 + [True] * 5
    assert given["friction"].tolist() == [name.startswith("friction") for name in names]
    product = np.zeros(data.nefc)  # J v, by MuJoCo's own product
    mujoco.mj_mulJacVec(model, data, product, np.arange(1.0, model.nv + 1.0))
    np.testing.assert_allclose(given["J"] @ np.arange(1.0, model.nv + 1.0), product, atol=1e-12)
    found = g.check(**given)
    assert found.passed
    assert found.words == ("softened",)
    assert "agrees where rows give way by R λ only (softened) at 1 state" in str(found)
    assert "J a − bound: in the unit of the row's γ" in str(found)
    given["M"][:] = 0.0  # the arrays are their own
    assert g.check(**g.analysis.mujoco_state(model, data)).passed


def test_elliptic_cones_are_refused():
    mujoco, model, data = mujoco_model(PRESSED.replace("pyramidal", "elliptic"), "dense")
    data.qpos[:2] = [-0.1, 0.75]
    mujoco.mj_forward(model, data)
    assert data.ncon
    with pytest.raises(g.errors.InputError, match='cone="pyramidal"'):
        g.analysis.mujoco_state(model, data)


def test_states_whose_contacts_come_and_go_are_judged_as_each_alone():
    given = {"M": 2.0 * np.eye(2), "f": np.array([1.0, -19.62])}
    floor, wall = np.array([[0.0, 1.0]]), np.array([[-1.0, 0.0]])
    met = [(floor, ["floor"], [0.5, 0.0]), (np.zeros((0, 2)), [], [0.5, -9.81]), (wall, ["wall"], [0.0, -9.81])]
    met.append((np.vstack([wall, floor]), ["wall", "floor"], [0.0, 0.3]))  # the last is wrong
    states = [
        given
        | {"J": J, "a": np.array(a), "names": names, "gamma": np.zeros(len(J)), "unilateral": np.ones(len(J), bool)}
        | {"forces": J @ (given["M"] @ a - given["f"])}
        for J, names, a in met
    ]
    found = g.check(**g.analysis.recording(states))
    assert found.rows == ("floor", "wall")
    alone = [g.check(**state) for state in states]
    assert found.words == tuple(each.words[0] for each in alone)
    assert [each.passed for each in alone] == [True, True, True, False]
    for k, (each, (_, names, _)) in enumerate(zip(alone, met, strict=True)):
        for name in names:
            assert found.word_of(name, k) == each.word_of(name, 0)
    with pytest.raises(g.errors.InputError, match="state 1 of the recording needs names"):
        g.analysis.recording([states[0], given])
    with pytest.raises(g.errors.InputError, match="at least"):
        g.analysis.recording([])
    for key, wrong, words in (
        ("gap", 1e-3, "gap of state 1 of the recording must be that of the first"),
        ("forces", [1.0, 2.0], "forces of state 1 of the recording must have a number for each of its 0 rows"),
        ("unilateral", ["floor"], "unilateral of state 1 of the recording must have a number"),
    ):
        with pytest.raises(g.errors.InputError, match=words):
            g.analysis.recording([states[0] | {"gap": 0.0}, states[1] | {"gap": 0.0, key: wrong}])
