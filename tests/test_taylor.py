"""Steps by Taylor series: against closed forms and the embedded pair; every operation; what hinders them."""

from __future__ import annotations

import sys
from concurrent.futures import ThreadPoolExecutor

import casadi as ca
import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.special import ellipj, ellipk, erf, factorial

import gauss as g
from gauss.model.compiled import walked as walks
from gauss.model.compiled.steps import taylor
from gauss.motion import Sampled, side_by_side, simulate_many, steps

G = 9.81  # m/s²


@pytest.fixture
def hy():
    return pytest.importorskip("heyoka")


def quiet(system, q, v=None, *, t_end, **options):
    return g.simulate(system, q, v, t_end=t_end, **{"progress": "none", "method": "taylor"} | options)


def unit_mass(v):
    return 0.5 * sum(speed**2 for speed in v)


def oscillator(**more):
    return g.System(
        "oscillator", "x", parameters={"k": 4.0}, kinetic_energy=unit_mass, force=lambda q, p: [-p.k * q.x], **more
    )


def pendulum(size=1.0):
    return g.System(
        "pendulum",
        "x y",
        kinetic_energy=unit_mass,
        potential_energy=lambda q: G * size * q.y,
        constraints=[g.Holonomic("rod", lambda q: q.x**2 + q.y**2 - size**2)],
    )


def skate():
    return g.System(
        "skate on a slope",
        "x y phi",
        kinetic_energy=unit_mass,
        potential_energy=lambda q: -q.x,
        constraints=[g.Pfaffian("blade", lambda q: [g.sin(q.phi), -g.cos(q.phi), 0.0])],
    )


def swinging_support():
    return g.System(
        "pendulum on a moving support",
        "x y",
        parameters={"a": 0.2, "w": 3.0},
        kinetic_energy=unit_mass,
        potential_energy=lambda q: G * q.y,
        constraints=[g.Holonomic("rod", lambda q, t, p: (q.x - p.a * g.sin(p.w * t)) ** 2 + q.y**2 - 1.0)],
    )


def massless_middle():
    """A semidefinite mass matrix: the middle of a rod has none."""
    return g.System(
        "rod",
        "x y mx my",
        kinetic_energy=lambda v: 0.5 * (v.x**2 + v.y**2),
        potential_energy=lambda q: G * (q.y + 0.5 * q.my),
        constraints=[
            g.Holonomic("rod", lambda q: q.x**2 + q.y**2 - 1.0),
            g.Holonomic("middle x", lambda q: q.mx - q.x / 2.0),
            g.Holonomic("middle y", lambda q: q.my - q.y / 2.0),
        ],
    )


def twice_given():
    twice = [g.Holonomic(name, lambda q: q.x**2 + q.y**2 - 1.0) for name in ("rod", "again")]
    return g.System("pendulum", "x y", kinetic_energy=unit_mass, force=lambda: [0.0, -G], constraints=twice)


def slider_crank():
    return g.System(
        "slider crank",
        "x y s",
        kinetic_energy=unit_mass,
        constraints=[
            g.Holonomic("crank", lambda q: q.x**2 + q.y**2 - 1.0),
            g.Holonomic("rod", lambda q: (q.s - q.x) ** 2 + q.y**2 - 1.0),
        ],
    )


UNARY = (
    *("NEG", "TWICE", "SQ", "INV", "SQRT", "EXP", "EXPM1", "LOG", "LOG1P", "SIN", "COS", "TAN", "ASIN", "ACOS", "ATAN"),
    *("SINH", "COSH", "TANH", "ASINH", "ACOSH", "ATANH", "ERF", "ASSIGN"),
)
BINARY = ("ADD", "SUB", "MUL", "DIV", "POW", "CONSTPOW", "HYPOT", "ATAN2", "LIFT")
SHIFTED = {"ACOSH": 1.5}  # what brings the argument into the domain


def applied(name, x, y):
    """An operation of CasADi on x, and on y where it takes two."""
    code = getattr(ca, f"OP_{name}")
    if name in UNARY:
        return ca.SX.unary(code, x + SHIFTED.get(name, 0.0))
    return ca.SX.binary(code, x, ca.SX(2.5) if name == "CONSTPOW" else y)


def test_every_operation_is_tested():
    assert {getattr(ca, f"OP_{name}") for name in (*UNARY, *BINARY)} == set(walks.OPERATIONS)


@pytest.mark.parametrize("name", [*UNARY, *BINARY])
def test_an_operation_is_that_of_casadi(hy, name):
    """Its value at random points, and a motion along it, whose series are derivatives of all orders."""
    x, y = ca.SX.sym("x"), ca.SX.sym("y")
    function = ca.Function("one", [x, y], [applied(name, x, y)])
    names = hy.make_vars("x", "y")
    (walked,) = walks.walked(function, [[names[0]], [names[1]]])
    compiled = hy.cfunc([walked], list(names))
    points = np.random.default_rng(3).uniform(0.05, 0.95, (20, 2))
    for point in [*points, np.array([1e-9, 0.5])]:
        if name != "ACOSH" or point[0] > 1e-3:
            expected = float(function(*point))
            assert compiled(point)[0] == pytest.approx(expected, rel=4e-15 if point[0] > 1e-3 else 1e-14)
    rate = [(names[0], 0.1 * walked), (names[1], 0.2 * hy.sin(names[0]))]
    integrator = hy.taylor_adaptive(rate, [0.5, 0.4])
    integrator.propagate_until(0.5)
    rates = lambda t, z: [0.1 * float(function(*z)), 0.2 * np.sin(z[0])]  # noqa: E731
    assert integrator.state == pytest.approx(solve_ivp(rates, (0, 0.5), [0.5, 0.4], rtol=1e-12, atol=1e-13).y[:, -1])


@pytest.mark.parametrize("name", ["FABS", "FMIN", "FMAX"])
def test_what_has_no_series_everywhere_is_that_of_casadi_too(hy, name):
    """Of a number and nan the number is smaller, and larger."""
    x, y = ca.SX.sym("x"), ca.SX.sym("y")
    code = getattr(ca, f"OP_{name}")
    one = ca.Function("one", [x, y], [ca.SX.unary(code, x) if name == "FABS" else ca.SX.binary(code, x, y)])
    x, y = np.meshgrid([-2.0, 0.0, 1.0, np.inf, np.nan], [-3.0, 0.0, 1.0, np.nan])
    (found,) = walks.Walked(one)([x.ravel(), y.ravel()])
    assert np.array_equal(found.ravel(), np.array(one(x.ravel(), y.ravel())).ravel(), equal_nan=True)


@pytest.mark.parametrize("count", [1, 7, 40, 300])
def test_many_points_are_evaluated_as_by_casadi(hy, count):
    """To roundings, whether they fill the lanes of the processor or not; what is not walked stays as it is."""
    system, rng = swinging_support(), np.random.default_rng(2)
    pieces = system.model.pieces.step(side_by_side.tableau_of("dop853"), system.model.equality, False).pieces
    program = system.model.pieces.gauss_data(system.model.equality, False).many
    several = (pieces.look, pieces.acceleration, pieces.place, pieces.slow, pieces.certificate)
    for mapped in (program, *map(type(program), several)):
        sizes = [mapped.function.numel_in(k) for k in range(mapped.function.n_in())]
        points = [rng.uniform(0.2, 1.0, (count, size)) for size in sizes]
        varying, held = (points, []) if len(sizes) > 5 else (points[:4], [points[4][0]])
        assert isinstance(mapped.walked, walks.Walked)
        for one, other in zip(mapped.walked(varying, held), mapped(varying, held), strict=True):
            assert one == pytest.approx(other, rel=1e-13, abs=1e-13)
    x = ca.SX.sym("x")
    stepped = type(program)(ca.Function("stepped", [x], [ca.floor(x)]))
    assert stepped.walked is stepped


@pytest.mark.parametrize("rtol", [1e-6, 1e-9, 1e-12])
def test_an_oscillator_moves_as_in_closed_form(hy, rtol):
    """Between the recorded states too."""
    run = quiet(oscillator(), [1.0], [0.5], t_end=20.0, rtol=rtol)
    assert run.ending.kind == "finished"
    assert run.about.method == "taylor"
    for states in (run, run.at(np.linspace(0.0, 20.0, 101))):
        exact = np.cos(2 * states.t) + 0.25 * np.sin(2 * states.t)
        assert np.max(np.abs(states["x"] - exact)) < 40.0 * rtol
        assert states["dd_x"] == pytest.approx(-4.0 * states["x"], abs=1e-12)
    assert len(run) < len(quiet(oscillator(), [1.0], [0.5], t_end=20.0, rtol=rtol, method="dop853"))


@pytest.mark.parametrize("rtol", [1e-6, 1e-11])
def test_steps_are_as_long_as_the_last_terms_of_their_series_let_them(hy, rtol):
    """Of x = cos 2t and its velocity the terms of order p are (2h)^p/p! times cos 2t and 2 sin 2t, or these changed."""
    h = np.diff(quiet(oscillator(), [1.0], t_end=100.0, rtol=rtol).t)[:-1]
    p, tolerance = 20, steps.taylor.TOLERANCES[0] * rtol
    least, most = (0.5 * (tolerance * float(factorial(p)) / size) ** (1.0 / p) for size in (2.0, np.sqrt(0.8)))
    assert np.all(h > 0.95 * least)  # where the term before the last is the larger one, it decides
    assert np.all(h < 1.001 * most)


@pytest.mark.parametrize("solver", ["kkt", "osqp"])
@pytest.mark.parametrize("size", [1.0, 1e-6], ids=["metre", "micrometre"])
def test_a_pendulum_moves_by_elliptic_functions(hy, size, solver):
    """Released level: sin(θ/2) = k sn(K − ω t), k² = 1/2; the period does not depend on the size."""
    run = quiet(pendulum(size), [size, 0.0], t_end=5.0, rtol=1e-11, solver=solver)
    assert run.ending.kind == "finished"
    for states in (run, run.at(np.linspace(0.0, 5.0, 51))):
        sn, _, _, _ = ellipj(ellipk(0.5) - np.sqrt(G) * states.t, 0.5)
        theta = 2.0 * np.arcsin(np.sqrt(0.5) * sn)
        assert states["x"] / size == pytest.approx(np.sin(theta), abs=2e-10)
        assert states["y"] / size == pytest.approx(-np.cos(theta), abs=2e-10)
        assert np.max(states.off_position) < 1e-15 * size
    assert run["rod"].shape == run.t.shape
    assert len(run) < 90


CASES = {
    "skate": (skate, [0, 0, 0], [0, 0, 2.0], {}),
    "moving support": (swinging_support, [0, -1], [0.6, 0], {}),
    "semidefinite": (massless_middle, [1, 0, 0.5, 0], [0, 0, 0, 0], {}),
    "redundant": (twice_given, [1, 0], [0, 0], {}),
    "short steps": (skate, [0, 0, 0], [0, 0, 2.0], {"max_step": 0.05}),
}


@pytest.mark.parametrize("case", CASES)
def test_the_motion_is_that_of_the_embedded_pair(hy, case):
    model, q, v, options = CASES[case]
    system = model()
    run = quiet(system, q, v, t_end=4.0, rtol=1e-11, **options)
    other = quiet(system, q, v, t_end=4.0, rtol=1e-13, method="dop853")
    assert run.ending.kind == other.ending.kind == "finished"
    assert run.t[-1] == 4.0
    assert np.max(np.diff(run.t)) < options.get("max_step", np.inf) * (1.0 + 1e-9)
    times = np.linspace(0.0, 4.0, 33)
    one, two = run.at(times), other.at(times)
    for name in ("q", "v", "a", "multipliers"):
        assert getattr(one, name) == pytest.approx(getattr(two, name), abs=3e-9)
    assert np.max(run.primal) < 1e-12
    assert np.max(run.stationarity) < 1e-12
    assert np.max(run.solver_distance) < 1e-6


def test_values_of_parameters_and_controls_need_no_new_compilation(hy):
    system = g.System(
        "driven",
        "x",
        parameters={"k": 4.0},
        controls="u",
        kinetic_energy=unit_mass,
        force=lambda q, p, u: [-p.k * q.x + u.u],
    )
    for k, u in ((4.0, 0.0), (9.0, 3.0), (2.25, -1.0)):
        run = quiet(system.with_parameters(k=k), [1.0], t_end=3.0, control={"u": u})
        assert run["x"] == pytest.approx(u / k + (1.0 - u / k) * np.cos(np.sqrt(k) * run.t), abs=1e-9)


def test_a_singular_position_is_passed_as_by_the_embedded_pair(hy):
    """The crank and the rod are one line at s = 0, where all rows but one direction are lost."""
    angle, speed = 1.2, 0.9
    start = [np.cos(angle), np.sin(angle), 2.0 * np.cos(angle)]
    rate = [-np.sin(angle) * speed, np.cos(angle) * speed, -2.0 * np.sin(angle) * speed]
    run, other = (quiet(slider_crank(), start, rate, t_end=3.0, method=each) for each in ("taylor", "dop853"))
    assert [event.kind for event in run.events] == [event.kind for event in other.events]
    assert "singular" in {event.kind for event in run.events}
    assert [event.t for event in run.events] == pytest.approx([event.t for event in other.events], abs=1e-9)
    times = np.linspace(0.0, 3.0, 31)
    assert run.at(times).q == pytest.approx(other.at(times).q, abs=1e-8)


def test_steps_that_are_too_long_to_be_looked_at_become_shorter(hy):
    """On a great circle rows turn by a right angle within one long step, which looks like a row that vanishes."""
    sphere = g.System(
        "sphere",
        "x y z",
        kinetic_energy=unit_mass,
        constraints=[g.Holonomic("sphere", lambda q: q.x**2 + q.y**2 + q.z**2 - 1.0)],
    )
    run = quiet(sphere, [1, 0, 0], [0, 0.6, 0.8], t_end=20.0)
    assert run.ending.kind == "finished"
    assert run.q == pytest.approx(np.outer(np.cos(run.t), [1, 0, 0]) + np.outer(np.sin(run.t), [0, 0.6, 0.8]), abs=1e-9)
    assert len(run) < 80


@pytest.mark.parametrize("late", [2.0, 4.31])
def test_a_pulse_that_is_flat_at_the_start_of_a_step_is_seen(hy, late):
    """A slow oscillator, whose steps are long, is struck; the force is entire and far below rounding before."""

    def struck():
        return g.System(
            "struck",
            "x",
            kinetic_energy=unit_mass,
            force=lambda q, t: [-0.1 * q.x + g.exp(-(((t - late) / 0.1) ** 2))],
        )

    run, other = (quiet(struck(), [1.0], t_end=10.0, method=each) for each in ("taylor", "dop853"))
    assert run.q[-1] == pytest.approx(other.q[-1], abs=1e-8)
    still = g.System("free", "x", kinetic_energy=unit_mass, force=lambda q: [-0.1 * q.x])
    assert abs(run.q[-1, 0] - quiet(still, [1.0], t_end=10.0).q[-1, 0]) > 0.01


def test_two_threads_share_a_system(hy):
    system = pendulum()
    starts = [np.array([np.cos(angle), np.sin(angle)]) for angle in np.linspace(-1.4, 1.4, 8)]
    alone = [quiet(system, start, t_end=2.0).q[-1] for start in starts]
    with ThreadPoolExecutor(2) as pool:
        together = list(pool.map(lambda start: quiet(system, start, t_end=2.0).q[-1], starts))
    assert np.array_equal(alone, together)


def test_a_file_needs_no_heyoka(hy, tmp_path, monkeypatch):
    """Attached to its model again, states between the recorded ones come from the embedded pair."""
    run = quiet(pendulum(), [1, 0], t_end=2.0)
    loaded = g.Trajectory.load(run.save(tmp_path / "run.nc"))
    monkeypatch.setitem(sys.modules, "heyoka", None)
    walks.library.cache_clear()
    times = np.linspace(0.0, 2.0, 11)
    assert np.array_equal(loaded.with_system(pendulum()).at(times).q, run.at(times).q)
    walks.library.cache_clear()


def test_the_package_is_named_where_it_is_missing(monkeypatch):
    monkeypatch.setitem(sys.modules, "heyoka", None)
    walks.library.cache_clear()
    with pytest.raises(g.errors.InputError, match=r"pip install 'gauss-dynamics\[taylor\]'"):
        quiet(pendulum(), [1, 0], t_end=1.0)
    walks.library.cache_clear()


def forced(force):
    return g.System("body", "x", kinetic_energy=unit_mass, force=force)


REFUSED = {
    "events": (pendulum, {"events": [g.Event("level", lambda q: q.y)]}, "events are located"),
    "control": (
        lambda: g.System("b", "x y", kinetic_energy=unit_mass, force=lambda u: [u.u, 0.0], controls="u"),
        {"control": lambda t, q, v: [0.0]},
        "control is a function",
    ),
    "sampled": (
        lambda: g.System("b", "x y", kinetic_energy=unit_mass, force=lambda u: [u.u, 0.0], controls="u"),
        {"control": Sampled(lambda t, q, v: [0.0], 0.1)},
        "control is a function",
    ),
    "unilateral": (
        lambda: g.System(
            "b", "x y", kinetic_energy=unit_mass, constraints=[g.Unilateral("floor", lambda q: q.x + 5.0)]
        ),
        {},
        "contacts close",
    ),
    "black box": (
        lambda: g.System("b", "x y", kinetic_energy=unit_mass, black_box_force=lambda q, v, t: [0.0, 0.0]),
        {},
        "force is a function",
    ),
    "kink": (
        lambda: g.System("b", "x y", kinetic_energy=unit_mass, force=lambda q: [-g.fabs(q.x - 3.0), 0.0]),
        {},
        "the force of coordinate x is not analytic",
    ),
    "row": (
        lambda: g.System(
            "b",
            "x y",
            kinetic_energy=unit_mass,
            constraints=[g.Holonomic("wall", lambda q: q.y + g.fmax(q.x, 0.5) ** 3 - 1.0)],
        ),
        {},
        "the constraint 'wall' is not analytic",
    ),
    "mass": (
        lambda: g.System("b", "x y", mass_matrix=lambda q: [[2.0 + g.fabs(q.y + 1.0), 0.0], [0.0, 1.0]]),
        {},
        "the mass matrix is not analytic",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_hinders_series_is_named(case):
    model, options, words = REFUSED[case]
    with pytest.raises(g.errors.InputError, match=words) as found:
        quiet(model(), [1.0, 0.0], t_end=1.0, **options)
    assert "dop853" in str(found.value)


@pytest.mark.parametrize("rtol", [1e-9, 1e-6])
def test_series_take_over_once_they_pay(hy, monkeypatch, rtol):
    """Steps are counted over all runs of a system; loose tolerances never turn."""
    monkeypatch.setattr(steps.taylor, "LOAD", 500 * steps.taylor.SAVED)
    monkeypatch.setattr(steps.taylor, "COMPILE", 0.0)
    system, methods, lengths = oscillator(), [], []
    for _ in range(3):
        run = quiet(system, [1.0], t_end=100.0, method="auto", rtol=rtol)
        assert run["x"] == pytest.approx(np.cos(2 * run.t), abs=400.0 * rtol)
        assert run.at([77.7])["x"] == pytest.approx(np.cos(2 * 77.7), abs=400.0 * rtol)
        methods.append(run.about.method)
        lengths.append(len(run))
    if rtol < 1e-8:
        assert methods[-1] == "taylor"
        assert lengths[-1] < 0.7 * lengths[0]
    else:
        assert methods == ["dop853"] * 3


@pytest.mark.parametrize("case", ["events", "control", "unilateral", "kink"])
def test_the_pair_goes_on_where_series_are_not_possible(monkeypatch, case):
    monkeypatch.setattr(steps.taylor, "LOAD", 0.0)
    monkeypatch.setattr(steps.taylor, "COMPILE", 0.0)
    model, options, _ = REFUSED[case]
    assert quiet(model(), [1.0, 0.0], t_end=0.5, **{"method": "auto"} | options).about.method == "dop853"


def test_the_pair_goes_on_without_heyoka(monkeypatch):
    monkeypatch.setattr(steps.taylor, "LOAD", 0.0)
    monkeypatch.setattr(steps.taylor, "COMPILE", 0.0)
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    assert quiet(oscillator(), [1.0], t_end=0.5, method="auto").about.method == "dop853"


def test_erf_is_that_of_scipy(hy):
    """CasADi's own is tested above; a motion with it, ẍ = erf(t) from rest."""
    x, t = ca.SX.sym("x"), ca.SX.sym("t")
    (walked,) = walks.walked(ca.Function("one", [x, t], [ca.erf(t)]), [[hy.make_vars("x")], [hy.time]])
    integrator = hy.taylor_adaptive([(hy.make_vars("x"), walked)], [0.0])
    integrator.propagate_until(1.5)
    assert integrator.state[0] == pytest.approx(1.5 * erf(1.5) + (np.exp(-(1.5**2)) - 1.0) / np.sqrt(np.pi), rel=1e-13)


@pytest.mark.parametrize("size", [1.0, 1e-6], ids=["metre", "micrometre"])
def test_members_side_by_side_move_by_elliptic_functions(hy, size):
    """More members than lanes, let go from different angles; each has about as many steps as it needs."""
    angles, times = np.linspace(0.2, 2.9, 19), np.linspace(0.0, 6.0, 7)
    q = size * np.column_stack([np.sin(angles), -np.cos(angles)])
    theta = np.zeros((19, 0))
    found = side_by_side.follow_together(pendulum(size), q, 0.0 * q, theta, times, {"method": "taylor", "rtol": 1e-10})
    assert found is not None
    assert found.some.tolist() == list(range(19))
    k = np.sin(angles / 2.0)[:, None]
    u = ellipk(k**2) - np.sqrt(G) * times
    phi = 2.0 * np.arcsin(k * ellipj(u, k**2)[0])
    wanted = np.stack([np.sin(phi), -np.cos(phi)], axis=2)
    assert np.max(np.abs(found.states[..., 1:3] / size - wanted)) < 2e-8
    assert np.max(found.residual) < 1e-11
    assert np.all(found.distance > 0.0)


def test_members_side_by_side_are_those_of_the_embedded_pair(hy):
    rng, times, strength = np.random.default_rng(0), np.linspace(0.0, 1.0, 5), np.linspace(1.0, 9.0, 11)
    cases = {"x": rng.normal(size=(11, 1)), "v": rng.normal(size=(11, 1))}
    given = {"times": times, "parameters": {"k": strength}, "rtol": 1e-10}
    runs = simulate_many(oscillator(), cases["x"], cases["v"], **given, method="taylor")
    w = np.sqrt(strength)[:, None]
    wanted = cases["x"] * np.cos(w * times) + cases["v"] / w * np.sin(w * times)
    assert np.allclose(runs["x"], wanted, rtol=0, atol=1e-9)
    skates = simulate_many(skate(), [0.0, 0.0, 0.3], np.outer(strength, [0.0, 0.0, 1.0]), times=times, method="taylor")
    pair = simulate_many(skate(), [0.0, 0.0, 0.3], np.outer(strength, [0.0, 0.0, 1.0]), times=times)
    for name in ("x", "y", "phi", "d_x", "blade"):
        assert np.allclose(skates[name], pair[name], rtol=1e-7, atol=1e-8)


def test_an_ensemble_turns_to_series_once_they_pay(hy, monkeypatch):
    taken = []
    monkeypatch.setattr(side_by_side, "series_pay", lambda *given: bool(taken))
    series = side_by_side.series_of_many
    monkeypatch.setattr(side_by_side, "series_of_many", lambda *given: taken.append("series") or series(*given))
    pair = side_by_side._by_pair
    monkeypatch.setattr(side_by_side, "_by_pair", lambda *given: taken.append("pair") or pair(*given))
    runs = simulate_many(oscillator(), np.linspace(0.0, 1.0, 32)[:, None], times=[0.0, 1.0], method="auto")
    assert taken[0] == "pair"
    assert set(taken[1:]) == {"series"}
    assert np.allclose(runs["x"][:, 1], np.linspace(0.0, 1.0, 32) * np.cos(2.0), rtol=0, atol=1e-9)


def test_steps_that_are_too_long_at_first_become_shorter_for_their_member_alone(hy):
    pulse = g.System(
        "pulse",
        "x",
        parameters={"at": 1.0},
        kinetic_energy=unit_mass,
        force=lambda q, t, p: [-q.x + 50.0 * g.exp(-(((t - p.at) / 0.02) ** 2))],
    )
    at, times = np.array([0.6, 5.0, 1.1]), np.array([0.0, 2.0])
    runs = simulate_many(pulse, [1.0], times=times, parameters={"at": at}, method="taylor", rtol=1e-9)
    for k, late in enumerate(at.tolist()):
        one = solve_ivp(
            lambda t, y, late=late: [y[1], -y[0] + 50.0 * np.exp(-(((t - late) / 0.02) ** 2))],
            (0.0, 2.0), [1.0, 0.0], method="DOP853", rtol=1e-12, atol=1e-13, max_step=0.01,
        )  # fmt: skip
        assert runs["x"].values[k, 1] == pytest.approx(one.y[0, -1], abs=1e-7)


@pytest.mark.sampled(14)
@pytest.mark.parametrize("name", g.scenario.names())
def test_a_scenario_goes_by_series_as_by_the_pair(hy, name, monkeypatch):
    """Where a scenario has series: the same events, the same ending, nearly the same state there, and its claims."""
    monkeypatch.setattr(taylor, "UNROLLED", (80, 80))  # seconds of compilation; see the next test
    loaded = g.scenario.load(name)
    start = loaded.start
    if start.t_end is None:
        return
    more = {key: getattr(start, key) for key in ("t", "rtol", "atol", "max_step", "control", "events", "impacts")}

    def run(method):
        return quiet(loaded.system, start.q, start.v, t_end=start.t_end, method=method, **more)

    refused = ""
    try:
        series = run("taylor")
    except g.errors.InputError as error:
        refused = str(error)
    if refused:
        assert f"method 'taylor' cannot follow {loaded.system.name!r}" in refused
        return
    pair = run("dop853")
    assert series.ending.kind == pair.ending.kind
    assert [(event.kind, event.name) for event in series.events] == [(event.kind, event.name) for event in pair.events]
    assert np.allclose([e.t for e in series.events], [e.t for e in pair.events], rtol=0, atol=1e-6)
    end = min(series.t[-1], pair.t[-1])
    assert np.allclose(series.at([end]).q, pair.at([end]).q, rtol=0, atol=1e-5)
    assert all(claim.holds for claim in loaded.claims(series))


@pytest.mark.parametrize(("patient", "lanes", "loops"), [(True, 1, False), (False, 1, True), (True, 8, True)])
def test_recurrences_are_without_loops_for_a_motion_alone_that_asks_for_series(hy, monkeypatch, patient, lanes, loops):
    made = []
    monkeypatch.setattr(taylor, "UNROLLED", (0, 400))
    for name in ("taylor_adaptive", "taylor_adaptive_batch"):
        make = getattr(hy, name)
        monkeypatch.setattr(hy, name, lambda *given, make=make, **more: made.append(more) or make(*given, **more))
    monkeypatch.setattr("gauss.motion.many_steps.series_pay", lambda *given: True)
    method = "taylor" if patient else "auto"
    if lanes == 1:
        found = quiet(pendulum(), [1.0, 0.0], t_end=2.0, method=method)["x"][-1]
    else:
        runs = simulate_many(pendulum(), np.tile([1.0, 0.0], (40, 1)), times=[0.0, 2.0], method=method)
        found = runs["x"].values[7, -1]
    assert [each["compact_mode"] for each in made] == [loops]
    assert found == pytest.approx(quiet(pendulum(), [1.0, 0.0], t_end=2.0, method="dop853")["x"][-1], abs=1e-8)
