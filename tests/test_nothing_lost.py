"""Whatever fails in the middle of a motion, of its examination or of its figure: what was computed is returned."""

from __future__ import annotations

import errno
import functools
import importlib
import json
import os
import signal
import subprocess
import sys
import warnings
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

import gauss as g
from gauss import scenario as scenarios
from gauss.motion import Mode, Overload, Switch, hybrid
from gauss.motion.steps.quadratic import StepSolver
from gauss.nonsmooth import Disc, DistanceField, Scene, SceneBody, moreau
from gauss.outcome import run_scenario
from gauss.principle.solvers import osqp
from gauss.show import JsonArray, complain, run_all

G = 9.81
interrupt = functools.partial(os.kill, os.getpid(), signal.SIGINT)


FLOOR = g.Unilateral("floor", lambda q: q.y, restitution=0.5, friction=g.Coulomb(0.3, lambda v: v.x))


def plain(name="mass", coordinates="x", **options):
    return g.System(name, coordinates, kinetic_energy=lambda v: 0.5 * sum(v[k] ** 2 for k in range(len(v))), **options)


@functools.cache
def system(which):
    xy = {"kinetic_energy": lambda v: 0.5 * (v.x**2 + v.y**2), "potential_energy": lambda q: G * q.y}
    rod = g.Holonomic("rod", lambda q: q.x**2 + q.y**2 - 1)
    if which == "pendulum":
        return g.System(which, "x y", **xy, constraints=[rod])
    if which == "redundant":
        return g.System(
            which, "x y", **xy, constraints=[rod, g.Holonomic("again", lambda q: 2 * (q.x**2 + q.y**2 - 1))]
        )
    if which == "ball":
        return g.System(which, "x y", **xy, constraints=[FLOOR])
    if which == "cross":
        return g.System(
            which, "x y", kinetic_energy=xy["kinetic_energy"], constraints=[g.Holonomic("xy", lambda q: q.x * q.y)]
        )
    return g.System(which, "x y", **xy, constraints=[rod], black_box_force=lambda q, v, t: -0.1 * np.asarray(v))


def motion(which, **options):
    """A motion of each kind: adaptive, fixed, implicit, with contact and friction, through a singular position."""
    q, v, t_end = [1.0, 0.0], [0.0, 0.0], 0.4
    if which == "ball":
        q, v, t_end = [0.0, 0.1], [1.0, 0.0], 0.6
    elif which == "cross":
        q, v, t_end = [-1.0, 0.0], [1.0, 0.0], 2.0
    elif which == "pendulum":
        t_end = 16.0  # more steps than are taken in one call
    elif which == "fixed":
        options |= {"method": "rk4", "step": 1e-3}
    elif which == "implicit":
        options |= {"method": "radau", "rtol": 1e-5}
    model = system("pendulum" if which in ("fixed", "implicit") else which)
    return g.simulate(model, q, v, t_end=t_end, progress="none", **options)


@functools.cache
def undisturbed(which):
    return motion(which)


class Failing:
    """Stands for a function that fails at its k-th call, once or from then on."""

    def __init__(self, function, call, error, once=False):
        self.function, self.call, self.error, self.once, self.calls, self.failed = function, call, error, once, 0, 0

    def __call__(self, *arguments, **options):
        self.calls += 1
        if self.calls == self.call or (self.calls > self.call and not self.once):
            self.failed += 1
            raise self.error
        return self.function(*arguments, **options)


def inject(monkeypatch, place, call, error, once=False):
    """Let a function of the package, "module:name" or "module:Class.method", fail."""
    module, _, path = place.partition(":")
    owner = importlib.import_module(f"gauss.{module}")
    *outer, name = path.split(".")
    for each in outer:
        owner = getattr(owner, each)
    failing = Failing(getattr(owner, name), call, error, once)
    monkeypatch.setattr(owner, name, lambda *a, **k: failing(*a, **k))
    return failing


SINGULAR, NO_ANSWER, MEMORY = np.linalg.LinAlgError("Singular matrix"), g.errors.SolverError("no answer"), MemoryError()
DIVISION, INDEX, FLOATING = (
    ZeroDivisionError("division by zero"),
    IndexError("out of bounds"),
    FloatingPointError("nan"),
)
INJECTED = [
    ("pendulum", "motion.many_steps:objections", 2, INDEX),
    ("implicit", "motion.steps.quadratic:StepSolver.distances", 2, NO_ANSWER),
    ("pendulum", "motion.steps.steppers:FusedStepper.trials", 2, SINGULAR),
    ("pendulum", "motion.integrator:Integrator.record", 2, MEMORY),
    ("fixed", "motion.steps.quadratic:StepSolver.distances", 2, SINGULAR),
    ("fixed", "motion.steps.steppers:FusedStepper.march", 2, MEMORY),
    ("implicit", "motion.steps.steppers:radau_step", 3, FLOATING),
    ("redundant", "motion.integrator:with_all_rows", 4, SINGULAR),
    ("redundant", "motion.single_steps:mind_redundant", 3, DIVISION),
    ("staged", "motion.steps.kkt:NumpyKKT.solve", 40, DIVISION),
    ("ball", "motion.events.monitors:Monitors.find", 4, SINGULAR),
    ("ball", "motion.segments:after_impacts", 2, DIVISION),
    ("ball", "motion.segments:decide_modes", 2, SINGULAR),
    ("ball", "motion.contacts.striking:impact_at", 1, INDEX),
    ("cross", "motion.singular.passage:crossings_in", 1, SINGULAR),
    ("cross", "motion.singular.passage:projected", 3, FLOATING),
]


def kept_of(run, whole):
    """Require that a run is the beginning of the whole one: states, accelerations and events; return its length."""
    assert "\n" not in run.ending.message
    last = len(run) - 1  # the last state may have been recorded within a step of the whole run
    for name in ("t", "q", "v", "a", "multipliers"):
        assert np.array_equal(getattr(run, name)[:last], getattr(whole, name)[:last]), name
    if len(run):
        there = whole.at(run.t[-1])
        for name in ("q", "a"):
            assert np.allclose(getattr(run, name)[-1], getattr(there, name)[0], rtol=0, atol=1e-6), name
    times = [event.t for event in run.events]
    assert run.events == whole.events[: len(times)]
    assert all(t <= run.t[-1] for t in times)
    return len(run)


@pytest.mark.sampled(8)
@pytest.mark.parametrize("once", [True, False], ids=["once", "ever"])
@pytest.mark.parametrize(("which", "place", "call", "error"), INJECTED)
def test_a_function_that_fails_in_the_middle_ends_the_run_with_what_was_computed(
    which, place, call, error, once, monkeypatch
):
    whole = undisturbed(which)
    with monkeypatch.context() as patch, warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        failing = inject(patch, place, call, error, once)
        run = motion(which)
    assert failing.failed
    assert [w.category for w in caught] == [g.errors.MotionWarning] * (not run.ending.complete)
    if run.ending.complete:  # the step was tried again
        assert run.t[-1] == whole.t[-1]
        return
    assert run.ending.kind == "failed"
    assert type(error).__name__ in run.ending.message
    assert kept_of(run, whole) >= 1


@pytest.mark.parametrize(("which", "place", "call"), [
    ("pendulum", "motion.many_steps:objections", 2),
    ("pendulum", "motion.integrator:Integrator.record", 2),
    ("fixed", "motion.steps.quadratic:StepSolver.distances", 2),
    ("ball", "motion.segments:after_impacts", 2),
    ("ball", "motion.segments:decide_modes", 2),
    ("cross", "motion.singular.passage:crossings_in", 1),
    ("pendulum", "motion.integrator:assemble", 1),
])  # fmt: skip
def test_ctrl_c_anywhere_returns_what_was_computed(which, place, call, monkeypatch):
    whole = undisturbed(which)
    inject(monkeypatch, place, call, KeyboardInterrupt(), once=True)
    with pytest.warns(g.errors.MotionWarning, match="interrupted"):
        run = motion(which)
    monkeypatch.undo()
    assert run.ending.kind == "interrupted"
    assert kept_of(run, whole) >= (128 if which == "fixed" else 1)


def test_states_before_the_one_that_could_not_be_recorded_are_kept_of_many_in_one_call(monkeypatch):
    monkeypatch.setattr(StepSolver, "distances", lambda *_: None)  # as where the answer of a state is not the step's
    inject(monkeypatch, "motion.steps.quadratic:StepSolver.distance", 150, NO_ANSWER)
    with pytest.warns(g.errors.MotionWarning, match="no answer"):
        run = motion("fixed")
    assert len(run) == 149
    assert run.t[-1] == pytest.approx(0.148, abs=1e-12)


def test_a_last_state_that_cannot_be_recorded_is_said_and_not_claimed(monkeypatch):
    whole = undisturbed("fixed")
    inject(monkeypatch, "motion.integrator:Integrator.record_here", 1, SINGULAR)
    with pytest.warns(g.errors.MotionWarning, match=r"could not be recorded: .*Singular"):
        run = motion("fixed")
    assert run.ending.kind == "failed"
    assert len(run) == len(whole) - 1


def test_an_impact_whose_outcome_is_not_recorded_is_not_told(monkeypatch):
    inject(monkeypatch, "motion.segments:decide_modes", 2, SINGULAR)
    with pytest.warns(g.errors.MotionWarning, match="Singular matrix"):
        run = motion("ball")
    assert run.t[-1] == pytest.approx(np.sqrt(0.2 / G), abs=1e-12)
    assert run["d_y"][-1] == pytest.approx(-np.sqrt(0.2 * G), rel=1e-9)  # before the impact
    assert not run.events


def test_an_error_about_the_start_is_raised():
    with pytest.raises(g.errors.InputError, match="not finite"):
        g.simulate(plain(), [0.0], t_end=1.0, events=[g.Event("e", lambda q: g.log(q.x))])
    with pytest.raises(g.errors.InputError, match="the control failed"):
        g.simulate(plain(controls="u", force=lambda u: [u.u]), [0.0], t_end=1.0, control=lambda t, q, v: 1 / t)


@pytest.mark.sampled(8)
@pytest.mark.parametrize("method", ["dop853", "radau"])
@pytest.mark.parametrize(("answer", "words"), [
    (lambda: 1 / 0, "ZeroDivisionError"), (lambda: [np.nan], "nan|finite"), (lambda: [1.0, 2.0], "shape|entries|2"),
    (lambda: None, "None"), (lambda: "one", "number|str|one"), (lambda: [{}["key"]], "KeyError"),
], ids=["raises", "nan", "two numbers", "nothing", "text", "key"])  # fmt: skip
def test_a_control_that_goes_wrong_ends_the_run_just_before(answer, words, method):
    model = plain(controls="u", force=lambda u: [u.u])
    options = {"method": method, "rtol": 1e-6, "atol": 1e-9, "progress": "none"}
    with pytest.warns(g.errors.MotionWarning, match=words):
        run = g.simulate(model, [0.0], t_end=1.0, control=lambda t, q, v: [2.0] if t < 0.5 else answer(), **options)
    assert run.ending.kind == "failed"
    assert run.t[-1] == pytest.approx(0.5, abs=1e-6)
    assert run["x"][-1] == pytest.approx(run.t[-1] ** 2, abs=1e-9)


@pytest.mark.long
@pytest.mark.parametrize(
    "force", [lambda q, v, t: [1.0] if t < 0.5 else [np.nan], lambda q, v, t: [1.0] * (1 + (t > 0.5))]
)
def test_a_black_box_force_that_goes_wrong_ends_the_run_just_before(force):
    with pytest.warns(g.errors.MotionWarning):
        run = g.simulate(plain(black_box_force=force), [0.0], t_end=1.0, progress="none")
    assert run.ending.kind == "failed"
    assert run.t[-1] == pytest.approx(0.5, abs=1e-6)


def test_a_model_that_has_no_value_further_on_ends_there():
    with pytest.warns(g.errors.MotionWarning, match="domain"):
        run = g.simulate(plain(force=lambda q: [1.0 + g.sqrt(0.5 - q.x)]), [0.0], t_end=5.0, progress="none")
    assert run["x"][-1] == pytest.approx(0.5, abs=1e-4)


def test_a_progress_function_that_fails_ends_the_run_and_its_line_is_named():
    def report(share):
        if share > 0.5:
            raise RuntimeError("no more paper")

    with pytest.warns(
        g.errors.MotionWarning, match=r"RuntimeError: no more paper \(.*test_nothing_lost\.py, line \d+\)"
    ):
        run = g.simulate(system("pendulum"), [1.0, 0.0], t_end=0.4, progress=report)
    assert kept_of(run, undisturbed("pendulum")) > 3


def test_ctrl_c_that_osqp_has_taken_for_itself_is_passed_on():
    answer, info = SimpleNamespace(x=[0.0], y=[0.0]), SimpleNamespace(status="interrupted", iter=3)
    with pytest.raises(KeyboardInterrupt):
        osqp._answer(SimpleNamespace(solve=lambda: None, solution=answer, info=info), 1.0)


# ------------------------------------------------------------------ several motions


def slider(name, constraints=()):
    return g.System(name, "x", kinetic_energy=lambda v: 0.5 * v.x**2, constraints=list(constraints))


def test_ctrl_c_in_a_mode_ends_the_motion_through_modes():
    calls = []

    def report(share):
        calls.append(share)
        if calls[-1] < max(calls):  # of the second mode
            interrupt()

    modes = {"a": Mode(slider("a"), Switch(g.Event("half", lambda q: q.x - 0.5), "b")), "b": Mode(slider("b"))}
    with pytest.warns(g.errors.MotionWarning, match="interrupted"):
        run = hybrid(modes, "a", [0.0], [1.0], t_end=5.0, progress=report, max_step=0.005)
    assert run.ending.kind == "interrupted"
    assert run.modes == ("a", "b")
    assert np.allclose(run["x"], run.t, rtol=0, atol=1e-12)
    assert "interrupted" in str(run)


def test_ctrl_c_in_a_mode_with_an_overload_ahead_does_not_go_on():
    """A row bears 5 t: the mode would end at t = 0.2 s; Ctrl-C comes later in its motion."""
    stop = g.Holonomic("stop", lambda q: q.x)
    held = g.System("held", "x", kinetic_energy=lambda v: 0.5 * v.x**2, force=lambda t: [5.0 * t], constraints=[stop])
    modes = {"a": Mode(held, Switch(Overload("stop", 1.0), "b")), "b": Mode(slider("b"))}

    def report(share, pressed=[]):  # noqa: B006
        if share > 0.5 and not pressed:
            pressed.append(share)
            interrupt()

    with pytest.warns(g.errors.MotionWarning, match="interrupted"):
        run = hybrid(modes, "a", [0.0], t_end=1.0, progress=report, max_step=0.05)
    assert (run.modes, run.ending.kind) == (("a",), "interrupted")
    assert run.t[-1] == pytest.approx(0.2, abs=1e-9)  # beyond it the row would have been overloaded


def test_a_mode_that_cannot_begin_keeps_the_phases_before(monkeypatch):
    modes = {"a": Mode(slider("a"), Switch(g.Event("half", lambda q: q.x - 0.5), "b")), "b": Mode(slider("b"))}
    inject(monkeypatch, "motion.hybrid:simulate", 2, SINGULAR)
    with pytest.warns(
        g.errors.MotionWarning, match="after the mode 'a' at t = 0.5 s the motion cannot go on: .*Singular"
    ):
        run = hybrid(modes, "a", [0.0], [1.0], t_end=5.0, progress="none")
    assert (run.modes, run.ending.kind, run.t[-1]) == (("a",), "failed", pytest.approx(0.5, abs=1e-12))


@pytest.mark.parametrize("error", [KeyboardInterrupt(), SINGULAR], ids=["Ctrl-C", "error"])
def test_one_motion_of_several_that_fails_is_left_out(error, monkeypatch):
    inject(monkeypatch, "motion.several.branches:follow", 2, error, once=True)
    fork = g.System(  # y = 0 and y = x² touch where the motion starts
        "fork",
        "x y",
        kinetic_energy=lambda v: 0.5 * (v.x**2 + v.y**2),
        constraints=[g.Holonomic("touching", lambda q: q.y * (q.y - q.x**2))],
    )
    tree = g.simulate(fork, [0.0, 0.0], [1.0, 0.0], t_end=0.2, branches="all", progress="none")
    assert len(tree) == 1
    word = "interrupted" if isinstance(error, KeyboardInterrupt) else "Singular matrix"
    assert any(word in text for text in tree.left_out)


@pytest.mark.parametrize("every", [1, 4])
def test_time_stepping_keeps_the_steps_before_a_function_that_fails(every):
    def height(x, z):
        return z if np.min(z) > 0.15 else 1 / 0

    ball = SceneBody("ball", Disc(0.1), position=(0, 0.3))
    with pytest.warns(g.errors.MotionWarning, match="division by zero"):
        run = moreau(Scene("ball", [ball], [DistanceField(height)]), step=1e-2, t_end=1.0, every=every, progress="none")
    assert run.ending.kind == "failed"
    assert len(run.t) > 2
    assert run.balance < 1e-14
    assert run.body("ball").position[-1, 1] == pytest.approx(0.3 - G * run.t[-1] ** 2 / 2, abs=1e-9)


def test_time_stepping_keeps_the_steps_before_a_library_that_fails(monkeypatch):
    inject(monkeypatch, "nonsmooth.moreau:step", 20, SINGULAR)
    with pytest.warns(g.errors.MotionWarning, match=r"stopped at t = 0\.19 s: .*Singular"):
        run = g.simulate(system("ball"), [0.0, 1.0], method="moreau", step=1e-2, t_end=1.0, progress="none")
    assert run.t == pytest.approx(np.arange(20) * 1e-2)


# ------------------------------------------------------------------ the command

PRESSED = """import os, signal, time
try:
    os.kill(os.getpid(), signal.SIGINT)
    time.sleep(9)
except:
    pass
"""
COMMAND = "import signal\ndef main():\n    print(signal.getsignal(signal.SIGINT) is signal.default_int_handler)\n"


@pytest.mark.parametrize(("package", "status", "said"), [(PRESSED, 130, ""), ("", 0, "True\n")])
def test_ctrl_c_during_imports_ends_the_command_without_a_word(package, status, said, tmp_path):
    """Another package of this name, whose import presses Ctrl-C and swallows it, takes the place of this one."""
    (tmp_path / "gauss").mkdir()
    (tmp_path / "gauss" / "__init__.py").write_text(package, encoding="utf-8")
    (tmp_path / "gauss" / "cli.py").write_text(COMMAND, encoding="utf-8")
    root = Path(__file__).resolve().parent.parent
    path = os.pathsep.join([str(tmp_path), str(root)])
    command = [sys.executable, "-c", "from gauss_command import main; main()"]
    done = subprocess.run(
        command, capture_output=True, text=True, cwd=tmp_path, timeout=60, env={**os.environ, "PYTHONPATH": path}
    )
    assert (done.returncode, done.stdout, done.stderr) == (status, said, "")


def test_ctrl_c_before_the_package_is_imported_ends_the_command_without_a_word(tmp_path):
    """Another module `signal`, whose import presses Ctrl-C, takes the place of what the command imports first."""
    (tmp_path / "signal.py").write_text("import os\nos.kill(os.getpid(), 2)\n" + "x = 1\n" * 999, encoding="utf-8")
    code = f"import sys; sys.modules.pop('signal', None); sys.path.insert(0, {str(tmp_path)!r}); import gauss_command"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, cwd=Path(__file__).parent.parent, timeout=60
    )
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "")


def test_the_command_is_imported_before_what_else_the_package_imports():
    """Python itself, as it starts, imports what `python -m gauss` has then; all else comes behind the command."""
    code = (
        "import sys\nsys.modules['gauss_command'] = None\nseen = {*sys.modules}\n"
        "try:\n    import gauss\nexcept ImportError:\n    print(*({*sys.modules} - seen))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, cwd=Path(__file__).parent.parent, timeout=60
    )
    assert (done.stdout.split(), done.stderr) == ([], "")


@pytest.mark.long
def test_ctrl_c_during_imports_ends_the_module_without_a_word(tmp_path):
    """Another CasADi, whose import presses Ctrl-C and swallows it; what shows a model imports it."""
    (tmp_path / "casadi.py").write_text(PRESSED, encoding="utf-8")
    path = os.pathsep.join([str(tmp_path), str(Path(__file__).resolve().parent.parent)])
    for command, status in (["-m", "gauss", "show", "cone_apex"], 130), (["-c", "import gauss; gauss.System"], 1):
        done = subprocess.run(
            [sys.executable, *command],
            capture_output=True,
            text=True,
            cwd=tmp_path,
            timeout=60,
            env={**os.environ, "PYTHONPATH": path},
        )
        assert done.returncode == status, done.stderr
        assert (done.stdout, done.stderr == "") == ("", status == 130)


# ------------------------------------------------------------------ scenarios

MODEL = '''"""A mass that falls."""
import os, signal
import gauss as g

system = g.System(
    "falling [/b] $mass", "x y",
    kinetic_energy=lambda v: 0.5 * (v.x**2 + v.y**2), potential_energy=lambda q: 9.81 * q.y,
    constraints=[g.Holonomic("row [/red] $\\\\x$ :smile:", lambda q: q.x)], controls="u",
)
start = g.Start(q=[0.0, 0.0], t_end=1.0, max_step=0.1)
'''
ENDS = {
    "good": "",
    "raises": "\ndef claims(run):\n    yield g.Claim('before', 0.0, 1.0, 'kept')\n    raise IndexError('no such')\n",
    "number": "\ndef claims(run):\n    return [g.Claim('three', [1, 2, 3], 1.0, 'a list')]\n",
    "nothing": "\ndef claims(run):\n    pass\n",
    "leaves": "\ndef claims(run):\n    raise SystemExit(0)\n",
    "own": "\nclass Own(BaseException):\n    pass\n\ndef claims(run):\n    raise Own('mine')\n",
    "imports": "\nclass Own(BaseException):\n    pass\n\nraise Own('mine')\n",
    "figure": "\ndef figure(run, figure):\n    figure.subplots().set_title('$\\\\nonsense{$')\n",
    "control": "\nstart = g.Start(q=[0.0, 0.0], t_end=1.0, control=lambda t, q, v: [{}[t]] if t > 0.5 else [0.0])\n",
    "begins": "\nstart = g.Start(q=[0.0, 0.0], t_end=1.0, control=lambda t, q, v: 1 / 0)\n",
    "pressed": (
        "\ndef press(t, q, v):\n    if t > 0.5:\n        os.kill(os.getpid(), signal.SIGINT)\n    return [0.0]\n"
        "start = g.Start(q=[0.0, 0.0], t_end=1.0, max_step=0.1, control=press)\n"
    ),
    "late": "\ndef claims(run):\n    os.kill(os.getpid(), signal.SIGINT)\n    return []\n",
}


def model(folder, which):
    path = folder / f"{which}.py"
    path.write_text(MODEL + ENDS[which], encoding="utf-8")
    return str(path)


BAD = {
    "raises": (1, "the scenario's own claims failed: IndexError: no such (", "line 1"),
    "number": (
        1,
        "the error of the claim 'three' must be a number",
    ),
    "nothing": (
        1,
        "a list of gauss.Claim is expected",
    ),
    "leaves": (
        1,
        "SystemExit",
    ),
    "own": (1, "the scenario's own claims failed", "Own: mine"),
    "imports": (2, "cannot be run: Own: mine"),
    "figure": (1, "the figure of figure failed", "--no-plot"),
    "control": (1, "the control failed", "KeyError"),
    "begins": (1, "ZeroDivisionError", "begins.py, line"),
}


@pytest.mark.sampled(8)
@pytest.mark.parametrize("which", list(BAD))
def test_what_fails_in_one_scenario_is_said_and_the_others_go_on(which, tmp_path, capsys):
    status, *words = BAD[which]
    plot = tmp_path if which == "figure" else None
    assert run_all([model(tmp_path, which), model(tmp_path, "good")], plot, as_json=True) == status
    printed = capsys.readouterr()
    first, second = json.loads(printed.out)
    assert (first["passed"], second["passed"]) == (False, True)
    said = first.get("error") or " ".join([*first["troubles"], first["motion"]["ending"]["message"]])
    for word in words:
        assert word in said
    assert "Traceback" not in printed.err
    if which not in ("begins", "imports"):
        assert first["motion"]["states"] > 4
        assert first["claims"][0]["holds"]
    assert which != "raises" or first["claims"][-1]["name"] == "before"


@pytest.mark.long
def test_several_processes_tell_of_scenarios_in_their_order(tmp_path, capsys):
    names = [model(tmp_path, which) for which in ("good", "imports", "raises", "good")]
    statuses, printed = [], []
    for jobs in (1, 2):
        statuses.append(run_all(names, None, as_json=True, jobs=jobs))
        printed.append(json.loads(capsys.readouterr().out))
        for data in printed[-1]:
            for clock in ("seconds", "drawing_seconds"):
                data.pop(clock, None)
    assert statuses == [2, 2]
    assert printed[0] == printed[1]


@pytest.mark.long
def test_tables_and_figures_show_any_name(tmp_path, capsys):
    assert run_all([model(tmp_path, "good")], tmp_path, as_json=False) == 0
    assert "claims hold" in capsys.readouterr().out
    assert run_all([model(tmp_path, "raises")], None, as_json=False) == 1
    out = " ".join(capsys.readouterr().out.split())
    assert "✗ the scenario's own claims failed: IndexError: no such" in out
    assert "not everything could be examined" in out
    complain("row [/red] $\\x$ :smile:", "printed as it is")
    assert capsys.readouterr().err == "row [/red] $\\x$ :smile:: printed as it is\n"


@pytest.mark.long
@pytest.mark.parametrize("which", ["pressed", "late"])
def test_ctrl_c_ends_all_scenarios_with_what_was_computed(which, tmp_path):
    names = [model(tmp_path, name) for name in ("good", which, "raises")]
    command = [sys.executable, "-m", "gauss", "run", *names, "--json", "--no-plot"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, timeout=110)
    assert done.returncode == 130, done.stderr
    assert "Traceback" not in done.stderr
    first, second = json.loads(done.stdout)
    assert first["passed"]
    assert not second["passed"]
    assert second["motion"]["ending"]["kind"] == ("interrupted" if which == "pressed" else "finished")
    assert second["motion"]["t"][1] == pytest.approx(0.5 if which == "pressed" else 1.0, abs=0.11)
    assert [each["why"] for each in second["not_examined"]][-1] == "interrupted"


def test_ctrl_c_before_there_is_a_motion_ends_all_scenarios(tmp_path, capsys, monkeypatch):
    inject(monkeypatch, "show.batch:run_scenario", 2, KeyboardInterrupt())
    names = [model(tmp_path, "good")] * 3
    assert run_all(names, None, as_json=True) == 130
    first, second = json.loads(capsys.readouterr().out)
    assert first["passed"]
    assert second == {"name": names[1], "error": "interrupted before there was a result", "passed": False}


def test_the_stream_of_json_has_the_layout_of_one_array(capsys):
    data = [{"a": [1.0, {"b": "one\ntwo"}], "c": {}}, {"d": None}]
    array = JsonArray()
    written = []
    for element in data:
        array.add(element)
        written.append(capsys.readouterr().out)  # each is there as soon as it is ready
    array.close()
    assert json.loads(written[0] + "]") == data[:1]
    assert "".join(written) + capsys.readouterr().out == json.dumps(data, indent=2) + "\n"
    array = JsonArray()
    array.add({"x": float("nan"), "y": (1.0, float("inf"))})
    array.close()
    assert json.loads(capsys.readouterr().out) == [{"x": None, "y": [1.0, None]}]
    JsonArray().close()
    assert capsys.readouterr().out == "[]\n"


@pytest.mark.long
def test_a_full_disk_leaves_the_older_figure_and_the_other_scenarios(tmp_path, capsys, monkeypatch):
    from matplotlib.figure import Figure

    names = [model(tmp_path, "good"), model(tmp_path, "raises")]
    (tmp_path / "good.png").write_bytes(b"older")

    def full(self, path, **options):
        Path(path).write_bytes(b"half")
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(Figure, "savefig", full)
    assert run_all(names, tmp_path, as_json=True) == 1
    first, second = json.loads(capsys.readouterr().out)
    assert "cannot write" in first["troubles"][0]
    assert "No space left" in first["troubles"][0]
    assert first["motion"]["t"] == second["motion"]["t"] == [0.0, 1.0]
    assert (tmp_path / "good.png").read_bytes() == b"older"
    assert not list(tmp_path.glob("*.part"))


@pytest.mark.long
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full")
def test_a_full_standard_output_is_one_line_and_exit_status_one(tmp_path):
    command = [sys.executable, "-m", "gauss", "run", model(tmp_path, "good"), "--json", "--no-plot"]
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, timeout=110)
    assert "No space left" in done.stderr
    assert "Traceback" not in done.stderr
    assert done.returncode == 1


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full")
@pytest.mark.parametrize("arguments", [["list"], ["--help"], ["--version"], ["show", "{model}"]])
def test_a_full_standard_output_is_said_of_every_command(arguments, tmp_path, monkeypatch, capsys):
    asked = [each.format(model=model(tmp_path, "good")) for each in arguments]
    monkeypatch.setattr(sys, "argv", ["gauss", *asked])
    with Path("/dev/full").open("w") as full, monkeypatch.context() as patch:
        patch.setattr(sys, "stdout", full)
        with pytest.raises(SystemExit) as ended:
            g.main()
    assert ended.value.code == 1
    assert capsys.readouterr().err == "standard output: No space left on device.\n"


def test_a_folder_and_an_empty_name_are_no_models(tmp_path, monkeypatch, capsys):
    (tmp_path / "folder.py").mkdir()
    for name, words in (
        (str(tmp_path / "folder.py"), "is a folder; give a file in it."),
        ("", "`gauss list` shows all"),
    ):
        monkeypatch.setattr(sys, "argv", ["gauss", "run", name])
        with pytest.raises(SystemExit) as ended:
            g.main()
        assert ended.value.code == 2
        assert words in " ".join(capsys.readouterr().err.split())


def test_a_closed_standard_output_ends_nothing_with_a_traceback(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(sys, "stdout", None)  # as Python has it where a shell says >&-
    assert run_all([model(tmp_path, "good")], None, as_json=True) == 1
    monkeypatch.undo()
    said = capsys.readouterr().err.splitlines()
    assert [line for line in said if "standard output: the JSON is not complete: it is closed" in line]
    assert len(said) == 2


@pytest.mark.long
@pytest.mark.parametrize("name", ["slip_to_roll", "sliding_block", "bouncing_ball"])
@pytest.mark.parametrize("share", [0.01, 0.3])
def test_claims_that_need_a_longer_motion_say_so(name, share):
    scenario = scenarios.load(name)
    outcome = run_scenario(scenario, t_end=share * scenario.start.t_end, progress="none")
    assert outcome.passed, (outcome.troubles, [c.name for c in outcome.claims if not c.holds])
    assert outcome.unexamined or name == "sliding_block"
    assert all("needs t ≥ " in each.why for each in outcome.unexamined)


def test_needs_asks_from_its_time_on():
    asked = g.needs(0.3, "the end")(lambda run: [g.Claim("asked", 0.0, 1.0, "yes")])
    (short,) = asked(Times(0.29))
    assert short == g.analysis.Unexamined("the end", "needs t ≥ 0.3 s; the motion ends at 0.29 s")
    assert [c.name for c in asked(Times(0.1 + 0.2))] == ["asked"]
    assert [c.name for c in asked(Times(0.3))] == ["asked"]


class Times:
    def __init__(self, end):
        self.t = np.array([0.0, end])

    def __len__(self):
        return 2


@pytest.mark.parametrize("error", [None, "1", [1.0, 2.0], 1j])
def test_a_claim_is_about_a_number(error):
    with pytest.raises(g.errors.InputError, match="the error of the claim 'x' must be a number"):
        g.Claim("x", error, 1.0, "no")
