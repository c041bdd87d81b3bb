"""Cross-checks: all formulations agree at random states of the scenarios, and a wrong model or answer is found."""

import re
import sys
from dataclasses import replace

import numpy as np
import pytest
from proofs import whole
from test_branches import chain, flat
from test_branches_touch import FAMILIES, particle

import gauss as g
from gauss.analysis import SAME_NUMBERS, certificate_claims, crosscheck_at, crosscheck_states
from gauss.analysis import crosscheck_formulations as compared

FIRST_KIND = "Lagrange, first kind"
FORMS = {  # scenario → what must have answered beside the forms that share M, f, J, γ
    "spherical_pendulum": {"complex-step", "Hamilton", "Gibbs-Appell"},
    "ball_on_turntable": {"complex-step", "Hamilton", "Gibbs-Appell", "Voronets"},
    "chaplygin_skater": {"complex-step", "Hamilton", "Gibbs-Appell", "Voronets"},
    "rolling_ball": {"complex-step", "Hamilton", "Gibbs-Appell", "Voronets"},
    "ball_and_beam": {"complex-step", "Hamilton", "Gibbs-Appell"},
    "furuta_pendulum": {"complex-step", "Hamilton", "Gibbs-Appell"},
    "duplicated_joint": {"Gibbs-Appell"},
    "four_bar_chain": {"complex-step", "Hamilton", "Gibbs-Appell"},
    "three_cases": {"complex-step", "Hamilton", "Gibbs-Appell"},
    "touching_surfaces": {"complex-step", "Hamilton", "Gibbs-Appell"},
}


@pytest.mark.sampled(8)
@pytest.mark.parametrize("name", FORMS)
def test_all_formulations_that_apply_agree_at_random_states(name):
    scenario = whole(name)
    s = scenario.start
    claims = crosscheck_states(scenario.system, s.q, s.v, s.t, count=15, seed=7, minimal=scenario.minimal)
    assert all(claim.holds for claim in claims), [c.name for c in claims if not c.holds]
    text = " ".join(claim.name for claim in claims)
    assert all(form in text for form in FORMS[name])
    assert (scenario.minimal is not None) == any(compared.OTHER_COORDINATES in c.reason for c in claims)
    assert sum(FIRST_KIND not in c.name for c in claims) >= 2


def test_formulations_are_not_asked_beyond_their_limits():
    scenario = whole("duplicated_joint")
    s = scenario.start
    text = " ".join(c.name for c in crosscheck_states(scenario.system, s.q, s.v, s.t, count=5))
    assert "Hamilton" not in text
    assert "derivatives from the model" not in text
    massless = g.System(
        "massless pulley",
        coordinates="x y",
        kinetic_energy=lambda v: 0.5 * v.x**2,
        potential_energy=lambda q: 9.81 * q.x,
        constraints=[g.Holonomic("rope", lambda q: q.x + g.sin(q.y))],
    )
    claims = crosscheck_states(massless, [0.0, 0.0], count=10)
    text = " ".join(c.name for c in claims)
    assert "Udwadia" not in text
    assert "Hamilton" not in text
    assert "Gibbs-Appell" in text
    assert all(c.holds for c in claims)
    kinds = {w.kind for w in compared.witnesses_of(massless, definite=True, redundant=False, black_box=True)}
    assert kinds == {SAME_NUMBERS}
    rolling = whole("rolling_wheel").system
    all_of_them = {w.name for w in compared.witnesses_of(rolling, definite=True, redundant=False)}
    independent = {w.name for w in compared.witnesses_of(rolling, definite=True, redundant=True)}
    inertial = {w.name for w in compared.witnesses_of(rolling, definite=False, redundant=False)}
    hamilton, complex_step = "Hamilton's canonical equations", "complex-step Lagrange, derivatives from the model's"
    assert all_of_them - inertial == {hamilton, "Udwadia-Kalaba"}
    assert {name.removesuffix(" functions") for name in all_of_them - independent} == {
        hamilton,
        complex_step,
        "Voronets",
        "Boltzmann-Hamel",
    }


def test_a_wrong_acceleration_is_found_by_every_formulation(monkeypatch):
    scenario = whole("rolling_wheel")
    s = scenario.start
    module = sys.modules["gauss.analysis.crosscheck"]  # its name in the package is that of the function
    answered = module.answered_at
    monkeypatch.setattr(module, "answered_at", lambda *x: replace(p := answered(*x), a=p.a * (1.0 + 1e-9)))
    claims = crosscheck_states(scenario.system, s.q, s.v, s.t, count=5)
    assert len(claims) >= 7
    assert not any(claim.holds for claim in claims)


def test_states_without_a_certified_acceleration_are_counted_in_a_claim_that_fails(monkeypatch):
    scenario = whole("rolling_wheel")
    s = scenario.start
    module = sys.modules["gauss.analysis.crosscheck"]
    answered, calls = module.answered_at, []

    def refusing(*arguments):
        calls.append(arguments)
        if len(calls) <= 2:
            raise g.errors.SolverError("no certificate")
        return answered(*arguments)

    monkeypatch.setattr(module, "answered_at", refusing)
    claims = crosscheck_states(scenario.system, s.q, s.v, s.t, count=5)
    assert [c.error for c in claims if not c.holds] == [2.0]
    assert "3 states" in claims[0].reason


def test_wrong_derivatives_are_found_by_the_formulations_that_differentiate_again(monkeypatch):
    scenario = whole("ball_and_beam")
    s = scenario.start
    real = compared.WitnessedState.lagrangian
    # the model's own functions against compiled numbers: a potential that grew by a billionth
    monkeypatch.setattr(
        compared.WitnessedState,
        "lagrangian",
        lambda self, q, v, t: real(self, q, v, t) - 1e-8 * q[1] ** 2,
    )
    claims = crosscheck_states(scenario.system, s.q, s.v, s.t, count=5)
    for claim in claims:
        assert claim.holds == (SAME_NUMBERS in claim.reason), claim.name


def test_a_wrong_minimal_witness_is_found_and_one_of_another_branch_is_not_asked():
    scenario = whole("spherical_pendulum")
    s = scenario.start
    right = scenario.minimal
    wrong = replace(right, lagrangian=lambda x, x_dot, t: 1.001 * right.lagrangian(x, x_dot, t) + 1e-6 * x_dot[1] ** 2)
    claims = crosscheck_states(scenario.system, s.q, s.v, s.t, count=5, minimal=wrong)
    assert [c.holds for c in claims if compared.OTHER_COORDINATES in c.reason] == [False]
    elsewhere = replace(right, chart=lambda x, t: [-y for y in right.chart(x, t)])
    state = g.consistent(scenario.system, s.q, s.v)
    assert compared.within_chart(right, state)
    assert not compared.within_chart(elsewhere, state)
    claims = crosscheck_states(scenario.system, s.q, s.v, s.t, count=5, minimal=elsewhere)
    assert not any(compared.OTHER_COORDINATES in c.reason for c in claims)


def test_explicit_time_controls_and_forces_reach_every_formulation():
    system = g.System(
        "driven",
        coordinates="x y z",
        kinetic_energy=lambda q, v, t: 0.5 * (1 + q.x**2) * v.x**2 + (1 + 0.1 * g.sin(t)) * v.y**2 + v.z**2 + t * v.x,
        potential_energy=lambda q, t: q.x * q.y * t,
        force=lambda q, v, u: [u.push - 0.3 * v.x, v.z, -v.y],
        constraints=[g.Pfaffian("drive", lambda q, t: [q.y, -1.0 - t, q.z], offset=lambda q, t: t * g.cos(q.x))],
        controls="push",
    )
    claims = crosscheck_states(system, [0.1, 0.2, 0.3], t=0.7, u=[2.5], count=20)
    assert len(claims) == 8
    with pytest.raises(g.errors.InputError, match="pull"):
        crosscheck_states(system, [0.1, 0.2, 0.3], t=0.7, u={"pull": 1.0}, count=1)
    assert all(claim.holds for claim in claims), [c.name for c in claims if not c.holds]


@pytest.mark.long
def test_a_run_is_compared_with_all_of_them():
    scenario = whole("chaplygin_skater")
    s = scenario.start
    run = g.simulate(scenario.system, s.q, s.v, t_end=1.0, progress="none")
    claims = g.crosscheck(run, scenario.minimal)
    text = " ".join(c.name for c in claims)
    assert all(form in text for form in ("Hamilton", "Gibbs-Appell", "Voronets", "complex-step"))
    assert all(claim.holds for claim in claims)
    spoiled = replace(run, a=run.a + 1e-9 * np.max(np.abs(run.a)))
    assert not any(claim.holds for claim in g.crosscheck(spoiled, scenario.minimal))


def crossed_parallelogram(_=""):
    """Ground and coupler 1 m, cranks 0.6 m, flattened: both cranks point to the right."""
    system = g.System(
        "flattened parallelogram",
        "x1 y1 x2 y2",
        kinetic_energy=lambda v: 0.5 * sum(speed**2 for speed in v),
        potential_energy=lambda q: 9.81 * (q.y1 + q.y2),
        constraints=[
            g.Holonomic("crank", lambda q: q.x1**2 + q.y1**2 - 0.36),
            g.Holonomic("coupler", lambda q: (q.x2 - q.x1) ** 2 + (q.y2 - q.y1) ** 2 - 1.0),
            g.Holonomic("rocker", lambda q: (q.x2 - 1.0) ** 2 + q.y2**2 - 0.36),
        ],
    )
    return system, [0.6, 0.0, 1.6, 0.0], None


def at_the_start_of(name):
    scenario = whole(name)
    return scenario.system, scenario.start.q, scenario.start.v


def touching(name):
    return particle(FAMILIES[name][0]), [0.0, 0.0], [1.0, 0.0]


SINGULAR = {
    "parallelogram": (crossed_parallelogram, 0.5),
    "chain that comes to rest again": (lambda _: (chain(1), flat(1), None), 2.9),
    "chain of two": (lambda _: (chain(2), flat(2), None), 0.05),
    **{f"touching, {name}": (touching, 0.4) for name in ("y(y - x^3)", "cusp-like", "xy(y - x^2)", "three")},
    **dict.fromkeys(
        ("cone_apex", "cone_force_off_axis", "touching_surfaces", "whitney_umbrella"), (at_the_start_of, 0.3)
    ),
}


@pytest.mark.sampled(8)
@pytest.mark.filterwarnings("ignore::gauss.errors.MotionWarning")
@pytest.mark.parametrize("name", SINGULAR)
def test_every_branch_out_of_a_singular_position_is_right_and_its_start_is_not_asked(name):
    make, t_end = SINGULAR[name]
    system, q, v = make(name.removeprefix("touching, "))
    tree = g.simulate(system, q, v, t_end=t_end, branches="all", progress="none")
    branches = [branch for _, branch in tree.walk()]
    assert len(branches) > 1
    for branch in branches:
        claims = g.crosscheck(branch.run)
        assert all(claim.holds for claim in claims), [str(claim) for claim in claims if not claim.holds]
        asked = min(25, len(branch.run))
        assert re.fullmatch(
            rf"not asked at \d+ of {asked} states, at or next to a singular position.*", claims.left_out
        )
        assert claims.left_out in str(claims)
        assert claims.left_out in claims._repr_html_()


def test_a_wrong_branch_is_still_found():
    system, q, v = crossed_parallelogram()
    run = g.simulate(system, q, v, t_end=0.3, branches="all", progress="none")[1].run
    assert not any(claim.holds for claim in g.crosscheck(replace(run, a=run.a * (1.0 + 1e-8))))


def test_a_run_is_compared_with_other_coordinates_where_they_are_given():
    scenario = whole("spherical_pendulum")
    s = scenario.start
    run = g.simulate(scenario.system, s.q, s.v, t_end=0.5, progress="none")
    claims = g.crosscheck(run, scenario.minimal)
    assert [c.holds for c in claims if compared.OTHER_COORDINATES in c.reason] == [True]
    assert not any(compared.OTHER_COORDINATES in c.reason for c in g.crosscheck(run))


def test_rounding_crumbs_among_the_coordinates_are_no_scale():
    scenario = whole("spherical_pendulum")
    state = g.consistent(scenario.system, [0.0, 1e-18, -1.0], [0.4, 0.1, 0.0])
    crumbs = replace(state, q=np.array([3e-17, 0.0, state.q[2]]))
    place = compared.WitnessedState(scenario.system, crumbs, np.zeros(0), np.ones(1, dtype=bool), np.zeros(3), 0.0)
    assert np.array_equal(place.clean.q, [0.0, 0.0, state.q[2]])
    assert np.array_equal(place.clean.v, [0.4, 0.1, 0.0])


def test_a_check_of_nothing_is_refused():
    line = g.System("line", "x", kinetic_energy=lambda v: 0.5 * v.x**2)
    run = g.simulate(line, [0.0], [1.0], t_end=0.1, progress="none")
    for act in (
        lambda: crosscheck_at(line, []),
        lambda: crosscheck_at(line, [3]),
        lambda: g.crosscheck(run, samples=0),
        lambda: g.crosscheck(run, samples="a"),
        lambda: g.crosscheck(run, minimal=3),
        lambda: g.crosscheck(None),
        lambda: crosscheck_states(line, [0.0], count=2, seed=-1),
        lambda: g.relative([1.0, 2.0], [1.0, 2.0, 3.0]),
    ):
        with pytest.raises(g.errors.InputError):
            act()


@pytest.mark.long
def test_terms_that_cancel_belong_to_the_scale():
    integrator = g.System(
        "Brockett",
        "x1 x2 x3",
        kinetic_energy=lambda v: 0.5 * (v.x1**2 + v.x2**2 + v.x3**2),
        constraints=[g.Pfaffian("row", lambda q: [q.x2, -q.x1, 1.0])],
    )  # a, f and γ all vanish, but each formulation has terms of the size of |v|²
    claims = crosscheck_states(integrator, [0.0, 0.0, 0.0], [1.0, 0.0, 0.0], count=100)
    assert all(claim.holds for claim in claims), [c.name for c in claims if not c.holds]
    assert all(claim.bound < 1e-12 for claim in claims)
    stiff = g.System(  # two springs that hold each other: f is a thousandth of either force
        "between springs",
        "x",
        kinetic_energy=lambda v: 0.5 * v.x**2,
        potential_energy=lambda q: 0.5e6 * (q.x - 2.0) ** 2 + 1e6 * q.x,
    )
    assert all(c.holds for c in crosscheck_states(stiff, [1.000001], count=50, spread=1e-9))


@pytest.mark.long
def test_states_beside_a_cusp_are_judged_by_the_rounding_of_what_cancels_there():
    bead = g.System(
        "bead on a cycloid",
        "x y phi",
        kinetic_energy=lambda v: 0.5 * (v.x**2 + v.y**2),
        potential_energy=lambda q: 9.81 * q.y,
        constraints=[
            g.Holonomic("wire", lambda q: [q.x - 0.5 * (q.phi - g.sin(q.phi)), q.y - 0.5 * (1.0 - g.cos(q.phi))])
        ],
    )
    start = [0.5 * (1.0 - np.sin(1.0)), 0.5 * (1.0 - np.cos(1.0)), 1.0]
    claims = crosscheck_states(bead, start, count=400, seed=1)  # many draws land on a cusp, and are drawn again
    assert len(claims) >= 4
    assert all(claim.holds for claim in claims), [(c.name, c.error / c.bound) for c in claims]


def test_a_witness_that_fails_beside_a_pole_is_asked_elsewhere():
    pole = g.System("pole", "x", kinetic_energy=lambda v: 0.5 * v.x**2, potential_energy=lambda q: g.sqrt(q.x**2 + 1.0))
    states = [g.State(np.array([x]), np.array([0.3]), 0.0) for x in (-0.5, 0.5, 1.0)]

    def undefined_for_small(s, s_dot, t):
        return 0.5 * s_dot[0] ** 2 - (float("nan") if s[0].real < 0.0 else 1.0) * g.sqrt(s[0] ** 2 + 1.0)

    minimal = g.Minimal(undefined_for_small, lambda s, t: [s[0]], lambda q, v, t: (q, v), "the same")
    (claim,) = [c for c in crosscheck_at(pole, states, minimal=minimal) if compared.OTHER_COORDINATES in c.reason]
    assert claim.holds
    assert "2 states (of 3, where it applies)" in claim.reason
    with pytest.raises(g.errors.InputError):
        crosscheck_at(pole, states[:1], minimal=minimal)


@pytest.mark.long
def test_holonomic_rows_beside_pfaffian_ones_reach_voronets_and_boltzmann_hamel():
    towed = whole("towed_wheel")  # a towing row with time, and two of rolling
    claims = crosscheck_states(towed.system, towed.start.q, towed.start.v, count=20)
    forms = [c for c in claims if "Voronets" in c.name or "Boltzmann" in c.name]
    assert len(forms) == 2
    assert all(c.holds and c.bound < 1e-7 for c in forms)
    table = g.math.Table([0.0, 1.0, 2.0], [0.0, 1.0, 4.0])
    system = g.System(
        "on a tabulated curve",
        "x y phi",
        kinetic_energy=lambda v: 0.5 * (v.x**2 + v.y**2 + v.phi**2),
        constraints=[
            g.Holonomic("curve", lambda q: q.y - table(q.x)),
            g.Pfaffian("skate", lambda q: [g.sin(q.phi), -g.cos(q.phi), 0.0]),
        ],
    )
    claims = crosscheck_states(system, [0.5, 0.5, 0.3], count=3, spread=0.05)
    assert any("Boltzmann" in c.name for c in claims)
    assert all(c.holds for c in claims)


@pytest.mark.parametrize(
    ("row", "force", "v"),
    [
        (lambda q: q.x**2 + q.y**2 - q.z**2, [0.0, 0.0, -9.81], [0, 0, 0]),  # a circle of accelerations
        (lambda q: q.x**2 + q.y**2 - q.z**2, [3.0, 0.0, 1.0], [0, 0, 0]),
        (lambda q: q.x**2 + q.y**2 - q.z**2, [0.0, 0.0, -9.81], [1, 0, 1]),  # through the apex
        (lambda q: q.x * q.y, [1.0, 2.0, 0.0], [0, 0, 0]),
    ],
)
def test_the_certificate_of_a_singular_start_is_the_verdict_on_it(row, force, v):
    """The rows vanish there, so that their residuals are no certificate; another acceleration is refused."""
    system = g.System("bead", "x y z", mass_matrix=np.eye(3), force=force, constraints=[g.Holonomic("row", row)])
    for branch in g.simulate(system, [0, 0, 0], v, t_end=0.2, branches="all", samples=3, progress="none"):
        run = branch.run
        claims = certificate_claims(run)
        assert all(claim.holds for claim in claims)
        assert "next to singular positions" in claims[1].name
        assert np.max(np.maximum(run.primal, run.stationarity)) > 1e6 * claims[0].bound
        for i in (0, -1):
            other, left = run.a.copy(), run.stationarity.copy()
            other[i] += 1e-6 * np.linalg.norm(force) * np.ones(3)
            left[i] += 1e-6 * np.linalg.norm(force)
            (refused,) = [c for c in certificate_claims(replace(run, a=other, stationarity=left)) if not c.holds]
            assert refused.name in (claims[0].name, claims[1].name)
