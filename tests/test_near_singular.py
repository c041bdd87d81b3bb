"""States near singular positions, against the exact motion on the branch in 50 digits.

A sample of what `validation/singular_states.py` computes at length: distances from 1e-1 to 1e-14, states exact but for
rounding, off their branch by up to 1e-12, projected after a displacement that the constraints do not see, and
integrated towards the singular position.
"""

from __future__ import annotations

import mpmath as mp
import numpy as np
import pytest
from near_states import INHERENT, exact_trial, integrated_trials, judge, perturbed_trial, projected_trial
from singular_branches import BRANCHES, DIGITS, Series

import gauss as g

EPS = float(np.finfo(float).eps)
INTEGRATED = 3  # kind of states
EACH = 5  # states of one branch and one kind
ATTEMPTS = 20  # integrated motions tried until one does not turn round
APPROACHED = [b for b in BRANCHES if b.approached]


def named(branch):
    return branch.name


def seed(branch, kind):
    return [sum(branch.name.encode()), kind]


def judged(branch, kind):
    """Trials of one kind with their judgements."""
    rng = np.random.default_rng(seed(branch, kind))
    if kind == INTEGRATED:
        found = []
        for _ in range(ATTEMPTS):
            found = integrated_trials(branch, rng, EACH)
            if len(found) == EACH:
                break
    else:
        found = [(exact_trial, perturbed_trial, projected_trial)[kind](branch, rng) for _ in range(EACH)]
    return [(trial, judge(trial)) for trial in found]


def require_sound(pairs):
    """Fail with all numbers of the first state whose verdict or acceleration is unsound."""
    assert pairs
    for trial, j in pairs:
        state = f"distance {j.distance:.2g}, q {trial.q!r}, v {trial.v!r}, t {trial.t!r}, {trial.setting}: {j}"
        alone = np.max(np.abs(trial.q)) <= 2.0 * j.distance  # from an apex at the origin: the only length there is
        if j.failure == "InconsistentStateError" and alone and j.off > 1e-8 * j.distance:
            continue
        assert not j.failure, state
        assert not j.wrong, state
        assert not j.falsely_regular, state
        assert not j.falsely_singular, state


@pytest.mark.sampled(8)
@pytest.mark.parametrize("branch", BRANCHES, ids=named)
def test_rounded_states_have_errors_within_their_bounds_and_verdicts_of_their_distance(branch):
    require_sound(judged(branch, 0))


@pytest.mark.sampled(8)
@pytest.mark.parametrize("branch", BRANCHES, ids=named)
def test_states_off_their_branch_have_errors_within_their_bounds_and_verdicts_of_their_distance(branch):
    require_sound(judged(branch, 1))


@pytest.mark.sampled(8)
@pytest.mark.parametrize("branch", APPROACHED, ids=named)
def test_integrated_states_have_errors_within_their_bounds_and_verdicts_of_their_distance(branch):
    require_sound(judged(branch, INTEGRATED))


@pytest.mark.sampled(8)
@pytest.mark.parametrize("branch", APPROACHED, ids=named)
def test_projected_states_have_errors_within_their_bounds_and_verdicts_of_their_distance(branch):
    require_sound(judged(branch, 2))


@pytest.mark.sampled(4)
@pytest.mark.parametrize("branch", BRANCHES, ids=named)
def test_the_verdict_at_the_smallest_distance_is_that_of_the_singular_position(branch):
    rng = np.random.default_rng(seed(branch, 10))
    eta, rates, t = branch.draw(rng, 1e-17)
    x, v, _ = branch.exact(eta, rates, t, np.ones(branch.n), np.ones(branch.n))
    forces = {f"f_{i}": float(y) for i, y in enumerate(rng.normal(size=branch.n))}
    system = branch.system.with_parameters(**forces, **{f"c_{i}": 0.5 for i in range(branch.n)})
    found = g.classify(system, [float(y) + 0.5 for y in x], [float(y) for y in v], t)
    assert found.verdicts == branch.limit, str(found)


# --- near misses ----------------------------------------------------------------------------------------------------


@pytest.mark.sampled(8)
@pytest.mark.parametrize("origin", [0.0, 1.0])
@pytest.mark.parametrize("missed", [1e-3, 1e-6, 1e-9, 1e-12])
def test_a_motion_that_misses_the_singular_position_has_the_acceleration_of_its_own_rows(missed, origin):
    """xy = ε in minimal coordinate x: (1 + y'²) ẍ = f_x + y' (f_y − y'' ẋ²), with y = ε/x, from x = 0.1 to x = √ε."""
    force = np.array([0.3, -0.7])
    system = g.System(
        "hyperbola",
        "x y",
        kinetic_energy=lambda v: 0.5 * (v.x**2 + v.y**2),
        force=list(force),
        constraints=[g.Holonomic("hyperbola", lambda q: (q.x - origin) * (q.y - origin) - missed)],
    )
    for x in np.geomspace(0.1, np.sqrt(missed), 12):
        slope, bend = -missed / x**2, 2.0 * missed / x**3
        rise = (force[0] + slope * (force[1] - bend)) / (1.0 + slope**2)
        exact = np.array([rise, slope * rise + bend])
        found = g.classify(system, [x + origin, missed / x + origin], [-1.0, -slope])
        assert found.verdicts == ("regular",)
        off = INHERENT * EPS / x * np.linalg.norm(exact)  # what rounding of the position explains by itself
        assert np.linalg.norm(found.solution.a - exact) <= found.error + found.solution.error_bound + off


# --- the truth itself -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("branch", BRANCHES, ids=named)
def test_the_exact_motion_stays_on_the_constraints_and_its_reaction_is_normal_to_the_branch(branch):
    rng = np.random.default_rng(seed(branch, 11))
    eta, rates, t = branch.draw(rng, 0.03)
    mass, force = 10.0 ** rng.uniform(-1, 1, branch.n), rng.normal(size=branch.n)
    x, v, a = branch.exact(eta, rates, t, mass, force)
    with mp.workdps(DIGITS):
        line = [Series(*c) for c in zip(x, v, [y / 2 for y in a], strict=True)]
        entries = branch.rows(line, Series(mp.mpf(t), 1))
        if branch.pfaffian:  # A v = 0 and its derivative
            drawn = sum((Series.of(e) * Series(s, r) for e, s, r in zip(entries, v, a, strict=True)), Series(0))
            residuals = drawn.c[:2]
        else:
            residuals = [y for e in entries for y in Series.of(e).c]
        size = max(abs(y) for y in (*x, *v, *a))
        assert max(abs(y) for y in residuals) < 1e-40 * max(size, 1) ** 2
        for tangent in branch.tangents([mp.mpf(y) for y in eta], len(rates), mp.mpf(t)):
            work = sum(
                u * (m * y - f) for u, m, y, f in zip(tangent, map(mp.mpf, mass), a, map(mp.mpf, force), strict=True)
            )
            assert abs(work) < 1e-40 * max(size, 1) ** 2


@pytest.mark.parametrize("branch", APPROACHED, ids=named)
def test_far_from_the_singular_position_the_acceleration_is_exact_to_rounding(branch):
    rng = np.random.default_rng(seed(branch, 12))
    eta, rates, t = branch.draw(rng, 0.5)
    x, v, a = branch.exact(eta, rates, t, np.ones(branch.n), np.ones(branch.n))
    system = branch.system.with_parameters(**{f"f_{i}": 1.0 for i in range(branch.n)})
    found = g.classify(system, [float(y) for y in x], [float(y) for y in v], t).solution
    exact = np.array([float(y) for y in a])
    assert found.a == pytest.approx(exact, rel=1e-9, abs=1e-9 * np.max(np.abs(exact)))  # sines of about 0.01 and more


@pytest.mark.parametrize("phi", [1e-4, 1e-8, 1e-12])
def test_a_number_that_the_digits_of_the_state_do_not_decide_is_no_green_light(phi):
    """A rhombus next to its change point: a mismatch of one unit in the last place turns the acceleration over."""
    rhombus = g.System(
        "rhombus",
        "x1 y1 x2 y2",
        kinetic_energy=lambda v: 0.5 * (v.x1**2 + v.y1**2 + v.x2**2 + v.y2**2),
        potential_energy=lambda q: 9.81 * (q.y1 + q.y2),
        constraints=[
            g.Holonomic("A", lambda q: q.x1**2 + q.y1**2 - 1),
            g.Holonomic("B", lambda q: (q.x2 - q.x1) ** 2 + (q.y2 - q.y1) ** 2 - 4),
            g.Holonomic("C", lambda q: (q.x2 - 2) ** 2 + q.y2**2 - 1),
        ],
    )
    found = g.classify(rhombus, [np.cos(phi), np.sin(phi), 2 + np.cos(phi), np.sin(phi)])
    known = phi > 1e-6  # σ is of size φ, and the state's rounding of 1e-16 gives 1e-16/φ² of the acceleration
    assert found.blurred != known
    for text in (repr(found), str(found).splitlines()[0]):
        assert ("the digits of the state do not decide" in text) != known
    card = found._repr_html_()
    assert ("which the digits of the state do not decide" in card) != known
