"""Sampled controls against the exact discrete-time system, and switched constraints against balances of momentum."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.linalg import expm

import gauss as g
from gauss import bodies as mb
from gauss.motion import Mode, Overload, Sampled, Switch, hybrid


def cart(**options):
    """A cart of mass m on a spring and damper, as two coordinates with one row, so that steps are those of rows."""
    return g.System(
        "cart",
        "x y",
        kinetic_energy=lambda v: 0.5 * 2.0 * (v.x**2 + v.y**2),
        potential_energy=lambda q: 0.5 * 3.0 * q.x**2,
        force=lambda v, u: {"x": -0.4 * v.x + u.f},
        constraints=[g.Holonomic("rail", lambda q: q.y), *options.pop("rows", [])],
        controls="f",
        **options,
    )


def discrete(start, period, count, gains):
    """The exact states at the instants: x⁺ = Φx + Γu, from one matrix exponential."""
    A = np.array([[0.0, 1.0, 0.0], [-1.5, -0.2, 0.5], [0.0, 0.0, 0.0]])
    step = expm(A * period)
    states = [np.array(start)]
    for _ in range(count):
        states.append(step[:2, :2] @ states[-1] + step[:2, 2] * -(gains @ states[-1]))
    return np.array(states)


@pytest.mark.parametrize("options", [{}, {"method": "rk4", "step": 5e-3}], ids=["dop853", "rk4"])
def test_a_sampled_regulator_gives_the_states_of_the_exact_discrete_system(options):
    period, gains, calls = 0.23, np.array([8.0, 3.0]), []

    def regulator(t, q, v):
        calls.append(t)
        return [-(gains @ [q[0], v[0]])]

    run = g.simulate(
        cart(),
        [1.0, 0.0],
        [0.5, 0.0],
        t_end=20 * period,
        control=Sampled(regulator, period),
        progress="none",
        **options,
    )
    exact = discrete([1.0, 0.5], period, 20, gains)
    assert np.allclose(calls, period * np.arange(20), rtol=0, atol=1e-12)  # once at each instant, not at the end
    for k in range(21):
        (at,) = np.flatnonzero(np.abs(run.t - k * period) < 1e-12)
        assert np.allclose(run["x"][at], exact[k, 0], rtol=0, atol=1e-8 if options else 1e-10)
    k = 7  # the control jumps at an instant and is held between
    (at,) = np.flatnonzero(np.abs(run.t - k * period) < 1e-12)
    force = 2.0 * run["dd_x"] + 3.0 * run["x"] + 0.4 * run["d_x"]
    assert np.allclose(force[[at - 1, at]], [-gains @ exact[k - 1], -gains @ exact[k]], rtol=0, atol=1e-7)
    dense = run.at((k + 0.37) * period)
    part = expm(np.array([[0.0, 1.0, 0.0], [-1.5, -0.2, 0.5], [0, 0, 0]]) * 0.37 * period)
    assert np.allclose(dense["x"], (part @ [*exact[k], -gains @ exact[k]])[0], rtol=0, atol=1e-8 if options else 1e-10)
    assert run.about.feedback
    assert run.ending.complete
    assert all(claim.holds for claim in g.crosscheck(run, samples=3))


def test_a_regulator_with_a_memory_and_a_later_first_instant_holds_the_load():
    period, kept = 0.1, {"sum": 0.0}

    def integral(t, q, v):
        kept["sum"] += 0.5 - q[0]
        return {"f": 4.0 * (0.5 - q[0]) - 2.5 * v[0] + 0.4 * kept["sum"]}

    run = g.simulate(
        cart(), [0.0, 0.0], [0.0, 0.0], t_end=40.0, control=Sampled(integral, period, first=1.05), progress="none"
    )
    assert np.all(run["x"][run.t < 1.05] == 0.0)  # no control before the first instant
    assert abs(run["x"][-1] - 0.5) < 1e-6  # no remaining error, against the spring
    assert np.isclose(run.t[np.flatnonzero(run["x"] != 0.0)[0] - 1], 1.05, atol=1e-12)


class Integral:
    """A regulator that keeps a sum."""

    def __init__(self):
        self.sum = np.zeros(1)

    def __call__(self, t, q, v):
        self.sum += 0.5 - q[0]
        return 2.0 * (0.5 - q[0]) - v[0] + 0.4 * self.sum


total = 0.0


def in_its_module(t, q, v):
    global total
    total += 0.5 - q[0]
    return [2.0 * (0.5 - q[0]) - v[0] + 0.4 * total]


def calling_another(t, q, v):
    return in_its_module(t, q, v)


def in_an_attribute(t, q, v):
    in_an_attribute.sum += 0.5 - q[0]
    return [2.0 * (0.5 - q[0]) - v[0] + 0.4 * in_an_attribute.sum]


in_an_attribute.sum = 0.0


def in_a_closure():
    kept = {"sum": 0.0}

    def regulator(t, q, v):
        kept["sum"] += 0.5 - q[0]
        return [2.0 * (0.5 - q[0]) - v[0] + 0.4 * kept["sum"]]

    return regulator


REGULATORS = {
    "object": Integral(),
    "method": Integral().__call__,
    "module": in_its_module,
    "another": calling_another,
    "attribute": in_an_attribute,
    "closure": in_a_closure(),
}


@pytest.mark.parametrize("kind", REGULATORS)
@pytest.mark.parametrize("jobs", [1, pytest.param(2, marks=pytest.mark.long)])
def test_no_motion_of_many_remembers_another_one(kind, jobs):
    control, start, times = Sampled(REGULATORS[kind], 0.1), [0.0, 0.0], [0.0, 1.0]
    kept, x = 0.0, np.zeros(2)
    A = np.array([[0.0, 1.0, 0.0], [-1.5, -0.2, 0.5], [0.0, 0.0, 0.0]])
    step = expm(A * 0.1)
    for _ in range(10):  # the exact discrete system with its sum
        kept += 0.5 - x[0]
        x = step[:2, :2] @ x + step[:2, 2] * (2.0 * (0.5 - x[0]) - x[1] + 0.4 * kept)
    grid = {"d_x": [0.0, 0.0, 0.0]}
    study = g.sweep(
        cart(), g.Start(start, t_end=1.0, control=control), grid, measure={"last": lambda run: run["x"][-1]}, jobs=jobs
    )
    assert len(set(study["last"].values.tolist())) == 1
    assert np.allclose(study["last"], x[0], rtol=0, atol=1e-10)
    many = g.motion.simulate_many(cart(), [start] * 3, times=times, control=control, jobs=jobs, progress="none")
    assert np.allclose(many["x"][:, -1], x[0], rtol=0, atol=1e-10)
    assert len(set(many["x"].values[:, -1].tolist())) == 1


def test_a_single_motion_calls_the_function_that_it_gets():
    log = []
    g.simulate(cart(), [0.0, 0.0], t_end=0.3, control=Sampled(lambda t, q, v: log.append(t) or [0.0], 0.1))
    assert np.allclose(log, [0.0, 0.1, 0.2], rtol=0, atol=1e-12)


@pytest.mark.parametrize("form", [lambda u: u, lambda u: {"f": u}, lambda u: (u[0],)], ids=["array", "dict", "tuple"])
def test_a_controller_may_fill_the_same_array_each_time(form):
    kept = np.zeros(1 if form([1.0]) != {"f": [1.0]} else ())

    def control(t, q, v):
        kept[...] = np.sin(20.0 * t) - q[0]
        return form(kept)

    mine = g.simulate(cart(), [0.1, 0.0], t_end=0.3, control=Sampled(control, 0.05))
    theirs = g.simulate(cart(), [0.1, 0.0], t_end=0.3, control=Sampled(lambda t, q, v: [np.sin(20 * t) - q[0]], 0.05))
    assert np.array_equal(mine["f"], theirs["f"])
    assert mine.at(0.12)["f"] == theirs.at(0.12)["f"]
    assert all(claim.holds for claim in g.crosscheck(mine, samples=3))


def test_a_controller_that_cannot_be_copied_is_refused_to_many_motions():
    numbers = (float(k) for k in range(1000))
    control = Sampled(lambda t, q, v: [next(numbers)], 0.1)
    start = g.Start([0.0, 0.0], t_end=1.0, control=control)
    for call in (
        lambda: g.sweep(cart(), start, {"x": [0.0]}, measure={"last": lambda run: run["x"][-1]}),
        lambda: g.motion.simulate_many(cart(), [0.0, 0.0], times=[0.0, 1.0], control=control),
    ):
        with pytest.raises(g.errors.InputError, match=r"control cannot be copied.*generator"):
            call()


def test_a_phase_that_is_followed_once_more_has_the_controller_of_its_beginning():
    """The stop is overloaded at t = 1.5, which is found behind the motion up to the end."""
    kept = {"count": 0}

    def push(t, q, v):
        kept["count"] += 1
        return [0.1 * kept["count"]]

    system = g.System(
        "stop",
        "x",
        kinetic_energy=lambda v: 0.5 * v.x**2,
        force=lambda u: [u.f],
        constraints=g.Holonomic("stop", lambda q: q.x),
        controls="f",
    )
    free = g.System("free", "x", kinetic_energy=lambda v: 0.5 * v.x**2, force=lambda u: [u.f], controls="f")
    modes = {"held": Mode(system, Switch(Overload("stop", 0.35), "free")), "free": Mode(free)}
    run = hybrid(modes, "held", [0.0], t_end=2.0, control=Sampled(push, 0.5), progress="none")
    assert run.modes == ("held", "free")
    assert np.isclose(run.phases[0].run.t[-1], 1.5, atol=1e-9)
    assert np.allclose(run.phases[0].run.at([0.25, 0.75, 1.25])["stop"], [-0.1, -0.2, -0.3], atol=1e-9)


def test_events_and_contacts_go_on_under_a_sampled_control():
    stop = g.Unilateral("stop", lambda q: 0.3 - q.x, restitution=0.0)
    pushes = [1.0, 4.0, 4.0, 0.5, 0.5, 0.5]
    run = g.simulate(
        cart(rows=[stop]),
        [0.0, 0.0],
        [0.0, 0.0],
        t_end=3.0,
        control=Sampled(lambda t, q, v: [pushes[round(t / 0.5)]], 0.5),
        events=[g.Event("middle", lambda q: q.x - 0.2)],
        progress="none",
    )
    kinds = [event.kind for event in run.events]
    assert kinds[:2] == ["event", "impact"]
    release = next(event for event in run.events if event.kind == "release")
    assert np.isclose(release.t, 1.5, atol=1e-12)  # at the instant when the push no longer holds it: 0.5 < 3·0.3
    assert np.max(run["x"]) < 0.3 + 1e-10
    pressing = (run.t > release.t - 0.3) & (run.t < release.t - 1e-9)
    assert np.allclose(run["stop"][pressing], 4.0 - 0.9, atol=1e-9)


@pytest.mark.parametrize("gain", [600.0, 2000.0, pytest.param(1e6, marks=pytest.mark.long)])
def test_a_sampled_loop_that_diverges_ends_and_says_so(gain):
    """Two links at 100 Hz: with the factor 1 − (gain/2)·T/inertia per period below −1 the speed grows."""
    arm = g.System(
        "arm",
        "a b",
        kinetic_energy=lambda q, v: 0.5 * (2 * v.a**2 + v.b**2 + g.cos(q.b) * v.a * (v.a + v.b) + (v.a + v.b) ** 2 / 2),
        force=lambda u: [u.ts, u.te],
        controls="ts te",
    )

    def law(t, q, v):
        return [gain * (1.0 - q[0]) - gain / 2 * v[0], gain * (0.5 - q[1]) - gain / 2 * v[1]]

    with pytest.warns(
        g.errors.MotionWarning, match=r"sampled control 't[se]' diverges.*Sample faster, lower the gains"
    ):
        run = g.simulate(arm, [0.0, 0.0], t_end=5.0, control=Sampled(law, 0.01), progress="none")
    assert run.ending.kind == "failed"
    assert len(run) < 10_000
    assert np.max(np.abs(run["ts"])) > 1e3 * gain
    limited = Sampled(lambda t, q, v: np.clip(law(t, q, v), -50.0, 50.0), 0.01)
    assert g.simulate(arm, [0.0, 0.0], t_end=0.3, control=limited, progress="none").ending.complete


def test_an_unstable_sampled_loop_whose_steps_do_not_shrink_goes_on():
    run = g.simulate(cart(), [1.0, 0.0], t_end=5.0, control=Sampled(lambda t, q, v: [-90.0 * v[0]], 0.05))
    assert run.ending.complete
    assert abs(run["x"][-1]) > 1e5


def feedback(t, q, v):
    return {"f": -3.0 * q[0] - v[0]}


@pytest.mark.sampled(4)
@pytest.mark.parametrize(
    ("control", "expected"),
    [
        ({"f": 0.7}, lambda run: np.full(len(run), 0.7)),
        (feedback, lambda run: -3.0 * run["x"] - run["d_x"]),
        (Sampled(feedback, 0.23), lambda run: 2.0 * run["dd_x"] + 3.0 * run["x"] + 0.4 * run["d_x"]),
    ],
    ids=["constant", "feedback", "sampled"],
)
def test_controls_are_columns_of_a_motion_and_of_its_file(control, expected, tmp_path):
    system = cart(units={"f": "N"})
    run = g.simulate(system, [1.0, 0.0], t_end=1.0, control=control, progress="none")
    assert np.allclose(run["f"], expected(run), rtol=0, atol=1e-9)  # of what was held, by the equation of motion
    assert (run.unit("f"), run.data["f"].attrs["units"], "f" in run.names) == ("N", "N", True)
    head = run.to_csv(tmp_path / "run.csv").read_text().partition("\n")[0]
    assert "f [N]" in head.split(",")
    assert g.plot(run, "f").axes[0].get_ylabel() == "$f$ / N"
    loaded = g.Trajectory.load(run.save(tmp_path / "run.nc"))
    assert loaded["f"].tobytes() == run["f"].tobytes()
    assert loaded.data["f"].attrs == run.data["f"].attrs
    again = loaded.with_system(system, *([feedback] if control is feedback else []))
    times = np.linspace(0.0, 1.0, 23)
    for name in ("x", "d_x", "dd_x", "f"):
        assert np.allclose(again.at(times)[name], run.at(times)[name], rtol=0, atol=1e-14), name


def test_another_feedback_than_that_of_the_motion_is_refused(tmp_path):
    run = g.simulate(cart(), [1.0, 0.0], t_end=1.0, control=feedback, progress="none")
    loaded = g.Trajectory.load(run.save(tmp_path / "run.nc"))
    with pytest.raises(g.errors.InputError, match=r"'f' is .* but was"):
        loaded.with_system(cart(), lambda t, q, v: [-3.0 * q[0] - 1.1 * v[0]])


def test_a_file_from_before_controls_were_columns_is_read(tmp_path, monkeypatch):
    import gauss.motion.record.files as files

    runs = [g.simulate(cart(), [1.0, 0.0], t_end=1.0, control=c, progress="none") for c in ([0.7], feedback)]
    monkeypatch.setattr(files, "ARRAYS", {name: x for name, x in files.ARRAYS.items() if name != "controls"})
    paths = [run.save(tmp_path / f"{k}.nc") for k, run in enumerate(runs)]
    monkeypatch.undo()
    constant, fed = map(g.Trajectory.load, paths)
    assert np.all(constant["f"] == 0.7)
    with pytest.raises(g.errors.InputError, match="has no 'f'"):
        fed["f"]
    assert np.array_equal(fed.with_system(cart(), feedback)["f"], runs[1]["f"])


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"controls": "f", "parameters": {"f": 1.0}}, "'f' twice, as a parameter and as a control"),
        ({"parameters": {"rail": 1.0}}, "'rail' twice, as a parameter and as a constraint"),
        ({"parameters": {"d_x": 1.0}}, "'d_x' twice, as a parameter and as a coordinate"),
        ({"controls": "rail"}, "the name 'rail' twice"),
        ({"controls": "kinetic"}, "needs another name for 'kinetic'"),
    ],
)
def test_a_name_means_one_thing(options, words):
    with pytest.raises(g.errors.InputError, match=words):
        g.System(
            "cart",
            "x",
            kinetic_energy=lambda v: 0.5 * v.x**2,
            constraints=[g.Holonomic("rail", lambda q: q.x)],
            **options,
        )


def test_a_period_longer_than_the_run_is_told():
    with pytest.warns(g.errors.MotionWarning, match=r"1000 s, is longer than the run.*1/rate"):
        g.simulate(cart(), [1.0, 0.0], t_end=0.1, control=Sampled(lambda t, q, v: [0.0], 1000), progress="none")


def test_wrong_sampled_controls_are_refused(tmp_path):
    system, start = cart(), ([1.0, 0.0], None)
    for control, words in (
        (lambda: Sampled("f", 0.1), "needs a function"),
        (lambda: Sampled(lambda t, q, v: [0.0], 0.0), "period"),
        (lambda: Sampled(lambda t, q, v: None, 0.1), "returned None"),
        (lambda: Sampled(lambda t, q, v: q[7], 0.1), "failed at t = 0"),
        (lambda: Sampled(lambda t, q, v: [0.0, 0.0], 0.1), r"returned at t = 0 s does not fit: u has shape \(2,\)"),
        (
            lambda: Sampled(lambda q, v: [0.0], 0.1),
            r"called with \(t, q, v\), by place, but its arguments are \(q, v\)",
        ),
        (lambda: lambda t, q: [0.0], r"called with \(t, q, v\), by place, but its arguments are \(t, q\)"),
        (lambda: lambda q, v, t: [0.0], r"another order, \(q, v, t\)"),
    ):
        with pytest.raises(g.errors.GaussError, match=words):
            g.simulate(system, *start, t_end=1.0, control=control(), progress="none")
    late = Sampled(lambda t, q, v: [np.nan if t > 0.15 else 0.0], 0.1)
    with pytest.warns(
        g.errors.MotionWarning, match=r"returned at t = 0\.2 s does not fit: u must be finite, but f = nan"
    ):
        g.simulate(system, *start, t_end=1.0, control=late, progress="none")
    run = g.simulate(system, *start, t_end=0.3, control=Sampled(lambda t, q, v: [0.0], 0.1), progress="none")
    loaded = g.Trajectory.load(run.save(tmp_path / "run.nc"))
    for other in (lambda t, q, v: [0.0], Sampled(lambda t, q, v: [0.0], 0.1)):
        with pytest.raises(g.errors.InputError, match="leave out control"):
            loaded.with_system(system, control=other)
    with pytest.raises(g.errors.InputError, match="branches"):
        g.simulate(system, *start, t_end=1.0, control=Sampled(lambda t, q, v: [0.0], 0.1), branches="all")


# ------------------------------------------------------------------ switched constraints


def sliders(*rows):
    """Two masses on one line; a spring holds the second one."""
    return g.System(
        "sliders",
        "x y",
        kinetic_energy=lambda v: 0.5 * (1.5 * v.x**2 + 0.5 * v.y**2),
        potential_energy=lambda q: 0.5 * 8.0 * (q.y - 1.0) ** 2,
        constraints=rows,
    )


def test_a_latched_slider_keeps_momentum_loses_the_energy_of_the_relative_motion_and_lets_go():
    speed, (m1, m2), k = 2.0, (1.5, 0.5), 8.0
    modes = {
        "apart": Mode(sliders(), [Switch(g.Event("meet", lambda q: q.x - q.y), "latched", impact=True)]),
        "latched": Mode(
            sliders(g.Holonomic("latch", lambda q: q.x - q.y)),
            [Switch(g.Event("turn", lambda v: v.y, direction=-1), "free")],
        ),
        "free": Mode(sliders()),
    }
    run = hybrid(modes, "apart", [0.0, 1.0], [speed, 0.0], t_end=2.0, progress="none")
    assert run.modes == ("apart", "latched", "free")
    latched, free = run.phases[1], run.phases[2]
    assert [run.data[str(k)].attrs["mode"] for k in range(3)] == list(run.modes)
    assert np.array_equal(run.data["1"]["x"], latched.run["x"])
    omega, common = np.sqrt(k / (m1 + m2)), m1 * speed / (m1 + m2)
    assert np.isclose(latched.run.t[0], 1.0 / speed, rtol=1e-12)
    assert np.allclose(latched.run.v[0], common, rtol=1e-12)
    assert np.isclose(latched.impulses["latch"], -m1 * m2 / (m1 + m2) * speed, rtol=1e-12)
    assert np.isclose(latched.energy_loss, 0.5 * m1 * m2 / (m1 + m2) * speed**2, rtol=1e-12)
    assert np.isclose(free.run.t[0], 1.0 / speed + np.pi / 2 / omega, rtol=1e-10)  # a quarter of the period
    end, far = run.t[-1], common / omega
    assert np.allclose(run["x"][-1], 1.0 + far, atol=1e-9)  # left at rest, no force
    assert np.allclose(run["y"][-1], 1.0 + far * np.cos(np.sqrt(k / m2) * (end - free.run.t[0])), atol=1e-9)
    assert free.impulses == {}
    assert free.energy_loss == 0.0
    assert np.all(run["latch"][run.t < 0.49] == 0.0)
    assert run.ending.complete


def test_a_thrown_bar_that_catches_a_pin_keeps_its_angular_momentum_about_it():
    bar = mb.Body("bar", mb.box(2.0, (0.1, 0.1, 1.2)))
    thrown = mb.Mechanism("thrown", [bar], gravity=(0, 0, 0))
    caught = mb.Mechanism(
        "caught", [bar], [mb.Spherical("pin", mb.GROUND, (0, 0, 0), bar, (0, 0, 0.6))], gravity=(0, 0, 0)
    )
    q, v = thrown.state(bar.pose((-1.0, 0, -0.6), velocity=(2.0, 0, 0)))
    modes = {
        "thrown": Mode(thrown.system, Switch(g.Event("at the pin", lambda q: q.bar_x), "caught", impact=True)),
        "caught": Mode(caught.system),
    }
    run = hybrid(modes, "thrown", q, v, t_end=1.0, progress="none")
    J = bar.inertia.central_tensor[1, 1]
    rate = -2.0 * 2.0 * 0.6 / (J + 2.0 * 0.6**2)  # −m u h = (J + m h²) ω about y: the centre moves below the pin
    after = run.phases[1]
    omega = bar.angular_velocity(*(thrown.named(x) for x in (after.run.q[0], after.run.v[0])), "space")
    assert np.allclose(omega, [0.0, rate, 0.0], rtol=0, atol=1e-11)
    assert np.isclose(after.energy_loss, 0.5 * 2.0 * 4.0 - 0.5 * (J + 2.0 * 0.36) * rate**2, rtol=1e-11)
    assert np.isclose(after.impulses["pin[0]"], 2.0 * (-0.6 * rate - 2.0), rtol=1e-11)


def clutch(slip):
    """Two discs; slipping, the clutch gives the torque 3; disc 2 has a load that grows, disc 1 none."""
    torque = 3.0 if slip else 0.0
    return g.System(
        "slipping" if slip else "sticking",
        "a b",
        kinetic_energy=lambda v: 0.5 * (2.0 * v.a**2 + 1.0 * v.b**2),
        force=lambda t: {"a": -torque, "b": torque - 1.5 * t},
        constraints=[] if slip else [g.Pfaffian("clutch", lambda: {"a": -1.0, "b": 1.0})],
    )


def test_a_clutch_sticks_where_the_slip_ends_and_slips_again_at_its_limit():
    alike = Switch(g.Event("no slip", lambda v: v.a - v.b, direction=-1), "stick")
    modes = {
        "slip": Mode(clutch(True), [alike]),
        "stick": Mode(clutch(False), [Switch(Overload("clutch", 3.0), "slip")]),
    }
    run = hybrid(modes, "slip", [0.0, 0.0], [6.0, 1.5], t_end=4.0, progress="none")
    assert run.modes == ("slip", "stick", "slip")
    # slipping: v_a − v_b = 4.5 − 4.5 t + 0.75 t², zero first at 3 − √3
    assert np.isclose(run.phases[1].run.t[0], 3.0 - np.sqrt(3.0), rtol=1e-11)
    # sticking: 3 dv/dt = −1.5 t, so the clutch gives −2 dv/dt = t to disc 2: 3 at t = 3
    assert np.isclose(run.phases[2].run.t[0], 3.0, rtol=1e-11)
    assert np.allclose(run.phases[1].run["clutch"], run.phases[1].run.t, rtol=1e-10)
    momentum = 2.0 * run["d_a"] + run["d_b"]
    assert np.allclose(momentum, 13.5 - 0.75 * run.t**2, rtol=0, atol=1e-9)
    assert run["d_a"][-1] - run["d_b"][-1] > 0.1


def test_modes_that_follow_each_other_at_one_instant_end_the_motion():
    """A row loaded with 5 N from the start that bears 1 N in both modes: the motion would change for ever."""
    system = g.System(
        "stop",
        "x",
        kinetic_energy=lambda v: 0.5 * v.x**2,
        force=lambda: [5.0],
        constraints=g.Holonomic("stop", lambda q: q.x),
    )
    modes = {here: Mode(system, Switch(Overload("stop", 1.0), there)) for here, there in (("a", "b"), ("b", "a"))}
    with pytest.warns(g.errors.MotionWarning, match="for ever: 'a', 'b', 'a'"):
        run = hybrid(modes, "a", [0.0], t_end=1.0)
    assert run.ending.kind == "chattering"
    assert run.modes == ("a", "b")


def test_a_mode_that_leads_to_itself_goes_on():
    half = g.Event("half", lambda q: q.x - 0.5)
    run = hybrid({"a": Mode(sliders(), Switch(half, "a"))}, "a", [0.0, 1.0], [1.0, 0.0], t_end=1.0)
    assert run.ending.kind == "finished"
    assert run.modes == ("a", "a")
    assert np.isclose(run["x"][-1], 1.0, atol=1e-12)


def test_switches_that_cannot_be_are_refused():
    meet = g.Event("meet", lambda q: q.x - q.y)
    locked = Mode(sliders(g.Holonomic("latch", lambda q: q.x - q.y)))
    for switch, reached, words in (
        (Switch(meet, "b"), 0.5, r"velocities do not satisfy 'latch'.*impact=True"),
        (Switch(g.Event("early", lambda q: q.x - 0.5), "b", impact=True), 0.25, "positions do not satisfy 'latch'"),
    ):
        with pytest.warns(g.errors.MotionWarning, match=words):
            run = hybrid({"a": Mode(sliders(), [switch]), "b": locked}, "a", [0.0, 1.0], [2.0, 0.0], t_end=2.0)
        assert (run.modes, run.ending.kind) == (("a",), "failed")
        assert run.t[-1] == pytest.approx(reached, abs=1e-12)  # the motion up to the switch is kept
    for call, words in (
        (lambda: hybrid({"a": Mode(sliders(), [Switch(meet, "c")])}, "a", [0, 1], t_end=1.0), "no mode c"),
        (lambda: hybrid({"a": locked, "b": Mode(cart_of_three())}, "a", [0, 0], t_end=1.0), "different coordinates"),
        (lambda: hybrid({}, "a", [0, 0], t_end=1.0), "dict from names"),
        (lambda: Mode(sliders(), [Switch(Overload("latch", 1.0), "a")]), "no row 'latch'"),
        (lambda: Switch("meet", "b"), "needs a gauss.Event"),
        (lambda: Overload("latch", -1.0), "limit"),
        (lambda: Switch(meet, ["b"]), "name of the mode that follows"),
        (lambda: Switch(meet, "b", impact="no"), "True or False"),
        (lambda: Mode(sliders(), [Switch(meet, "a"), Switch(g.Event("meet", lambda q: q.x), "b")]), "called 'meet'"),
        (lambda: hybrid({"a": locked}, ["a"], [0, 0], t_end=1.0), "must be a name"),
        (lambda: hybrid({"a": locked}, "a", [0, 0], t_end=1.0, events=meet), "list of gauss.Event"),
        (lambda: hybrid({"a": locked}, "a", [0, 0], t_end=1.0, branches="all"), "follows one motion"),
        (
            lambda: hybrid({"a": Mode(sliders(), Switch(meet, "a"))}, "a", [0, 1], t_end=1.0, events=[meet]),
            "'meet' have the names",
        ),
    ):
        with pytest.raises(g.errors.InputError, match=words):
            call()


def cart_of_three():
    return g.System("three", "x y z", kinetic_energy=lambda v: 0.5 * (v.x**2 + v.y**2 + v.z**2))
