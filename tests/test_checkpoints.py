"""A run that is ended by whatever goes on from its file and is, to the bit, the one that was never ended."""

from __future__ import annotations

import os
import random
import signal
import time
import warnings
from itertools import pairwise
from types import SimpleNamespace

import numpy as np
import pytest
from frictional import Rub, rubbed

import gauss as g
from gauss import scenario
from gauss.errors import FileError, InputError, MotionWarning
from gauss.motion import Checkpoint, Sampled, record

G = 9.81  # m/s²


class Killed(BaseException):
    """Ends a run at once, as SIGKILL does: nothing is written any more."""


def numbers(run):
    """All that a motion holds, as bytes by name; texts as texts."""
    arrays = {name: (x.shape, x.tobytes()) for name, x in run.to_numpy().items()}
    return arrays | {"said": (run.about, run.events, run.ending), "windows": [w.plain() for w in run.windows]}


def pendulum(**options):
    return g.System(
        options.pop("name", "pendulum"),
        "x y",
        kinetic_energy=lambda v: 0.5 * (v.x**2 + v.y**2),
        parameters=options.pop("parameters", {"g": G}),
        potential_energy=options.pop("potential", lambda q, p: p.g * q.y),
        constraints=[g.Holonomic("rod", lambda q: q.x**2 + q.y**2 - 1.0)],
        **options,
    )


def lowest(q):
    return q.x


def swinging(**options):
    given = {"t_end": 6.0, "events": [g.Event("lowest", lowest)]}
    return g.simulate(pendulum(), [1.0, 0.0], **(given | options))


def of_scenario(name):
    def follow(**options):
        s = scenario.load(name)
        return g.simulate(s.system, s.start.q, s.start.v, t_end=s.start.t_end, **(s.start.options | options))

    return follow


def bouncing(q, v, **options):
    """A ball that spins on a floor and slips, strikes and rolls."""
    ball = g.System(
        "ball",
        "x y z a b c",
        kinetic_energy=lambda v: 0.5 * (v.x**2 + v.y**2 + v.z**2) + 0.002 * (v.a**2 + v.b**2 + v.c**2),
        potential_energy=lambda q: G * q.z,
        constraints=[g.Unilateral("floor", lambda q: q.z - 0.1, restitution=0.3)],
    )
    ball = rubbed(ball, Rub("floor", lambda v: [v.x - 0.1 * v.b, v.y + 0.1 * v.a], 0.25))
    return g.simulate(ball, q, v, **options)


def in_space(**options):
    return bouncing([0, 0, 0.13, 0, 0, 0], [1.0, 0.2, 0, 3.0, 0, 0], **({"t_end": 1.0} | options))


def regulated(**options):
    """A cart against a stop, under a regulator with a memory."""
    kept = {"sum": 0.0}

    def integral(t, q, v):
        kept["sum"] += 0.5 - q[0]
        return {"f": 4.0 * (0.5 - q[0]) - 2.5 * v[0] + 0.4 * kept["sum"]}

    cart = g.System(
        "cart",
        "x y",
        kinetic_energy=lambda v: v.x**2 + v.y**2,
        potential_energy=lambda q: 1.5 * q.x**2,
        force=lambda v, u: {"x": -0.4 * v.x + u.f},
        constraints=[g.Holonomic("rail", lambda q: q.y), g.Unilateral("stop", lambda q: 0.52 - q.x, restitution=0.3)],
        controls="f",
    )
    given = {"t_end": 8.0, "control": Sampled(integral, 0.1, first=1.05)}
    return g.simulate(cart, [0.0, 0.0], **(given | options))


def black_box(**options):
    force = {"black_box_force": lambda q, v, t: [0.0, -0.1 * np.sin(t)]}
    return g.simulate(pendulum(**force), [1.0, 0.0], **({"t_end": 2.0} | options))


def by_time_stepping(**options):
    balls = g.System(
        "balls",
        "x y z w",
        kinetic_energy=lambda v: 0.5 * (v.x**2 + v.y**2 + v.z**2 + v.w**2),
        potential_energy=lambda q: G * (q.y + q.w),
        constraints=[g.Unilateral("one", lambda q: q.y, restitution=0.4), g.Unilateral("two", lambda q: q.w)],
    )
    balls = rubbed(balls, Rub("one", lambda v: v.x, 0.3), Rub("two", lambda v: v.z, 0.2))
    given = {"t_end": 1.0, "method": "moreau", "step": 2e-3, "every": 3}
    return g.simulate(balls, [0.0, 1.0, 0.0, 0.0], [1.0, 0.0, 2.0, 0.0], **(given | options))


def with_fixed_steps(**options):
    return swinging(**({"method": "rk4", "step": 2e-3} | options))


def by_implicit_steps(**options):
    return swinging(**({"method": "radau", "rtol": 1e-6, "t_end": 0.5} | options))


def in_long_blocks(**options):
    return swinging(**({"events": [], "t_end": 300.0} | options))


RUNS = {
    "events": swinging,
    "long blocks": in_long_blocks,
    "fixed steps": with_fixed_steps,
    "implicit steps": by_implicit_steps,
    "contacts": of_scenario("slack_string"),
    "impacts that accumulate": of_scenario("ball_between_plates"),
    "stick and slip": of_scenario("sliding_block"),
    "impacts and friction": of_scenario("rocking_block"),
    "dry pin": of_scenario("dry_pin_pendulum"),
    "friction in space": in_space,
    "singular positions": of_scenario("four_bar_chain"),
    "sampled control": regulated,
    "control": of_scenario("pursuit"),
    "black box": black_box,
    "time stepping": by_time_stepping,
}


@pytest.fixture
def often(monkeypatch):
    """Checkpoints as often as every 50 ms."""
    monkeypatch.setattr("gauss.motion.record.checkpoint.SHORTEST", 0.05)
    monkeypatch.setattr("gauss.motion.record.checkpoint.LOOK", 0.0)
    monkeypatch.setattr("gauss.motion.record.checkpoint.PATIENT", 1.0)


def ended(follow, path, ends, how):
    """The run after it was ended as often as `ends` say: how many times it reports its progress before."""
    for count in ends:
        reports = iter(range(1, count + 1))

        def progress(fraction, reports=reports, count=count):
            if next(reports) == count:
                raise how

        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", MotionWarning)
                run = follow(checkpoint=path, progress=progress)
        except Killed:
            continue
        if run.ending.kind != "interrupted":
            return run
    return follow(checkpoint=path, progress="none")


@pytest.mark.sampled(15)
@pytest.mark.parametrize("how", [Killed, KeyboardInterrupt])
@pytest.mark.parametrize("name", list(RUNS))
def test_a_run_that_was_ended_goes_on_to_the_bit(name, how, tmp_path, often):
    rng, boundaries = random.Random(f"{name} {how.__name__}"), []
    whole = RUNS[name](progress=boundaries.append)
    ends = [rng.randint(1, max(len(boundaries) // 2, 1)) for _ in range(3)]
    run = ended(RUNS[name], tmp_path / "run.nc", ends, how)
    assert numbers(run) == numbers(whole)
    again = RUNS[name](checkpoint=tmp_path / "run.nc", progress="none")
    assert numbers(again) == numbers(whole)
    times = np.linspace(whole.t[0], whole.t[-1], 5)
    for other in (run, again):
        assert numbers(other.at(times)) == numbers(whole.at(times))


@pytest.mark.long
def test_checkpoints_change_nothing_in_a_run(tmp_path, often):
    assert numbers(swinging(checkpoint=tmp_path / "run.nc")) == numbers(swinging())


@pytest.mark.long
@pytest.mark.parametrize("name", ["events", "stick and slip", "time stepping"])
def test_the_file_of_a_killed_process_is_whole_and_the_run_goes_on(name, tmp_path, often):
    path, follow, written = tmp_path / "run.nc", RUNS[name], None
    for k in range(3):
        child = os.fork()
        if child == 0:
            try:
                follow(checkpoint=path, progress=lambda fraction: time.sleep(0.02))
            finally:
                os._exit(1)
        while (path.exists() and path.stat().st_ino == written) or not path.exists():  # until it has written once more
            time.sleep(0.005)
        time.sleep(0.03 * k)
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        written, run = path.stat().st_ino, g.Trajectory.load(path)
        assert run.ending.complete or "a checkpoint: the run was under way at t = " in run.ending.message
        assert np.all(np.isfinite(run.energy))
        if run.ending.complete:
            break
    assert numbers(follow(checkpoint=path, progress="none")) == numbers(follow(progress="none"))


def test_ctrl_c_keeps_what_was_computed(tmp_path, often):
    path, reports = tmp_path / "run.nc", []

    def progress(fraction):
        reports.append(fraction)
        if len(reports) == 10:
            raise KeyboardInterrupt

    with pytest.warns(MotionWarning, match="interrupted"):
        run = swinging(checkpoint=path, progress=progress)
    assert numbers(g.Trajectory.load(path)) == numbers(run)
    assert run.ending.kind == "interrupted"
    begun = []
    assert numbers(swinging(checkpoint=path, progress=begun.append)) == numbers(swinging())
    assert begun[0] > reports[-2]


@pytest.mark.long
def test_a_run_in_which_a_function_fails_goes_on_where_it_failed(tmp_path, often):
    broken = {"now": True}

    def follow(**options):
        def force(q, v, t):
            if broken["now"] and t > 1.0:
                raise OSError("the sensor is away")
            return [0.0, -0.1 * np.sin(t)]

        return g.simulate(pendulum(black_box_force=force), [1.0, 0.0], t_end=2.0, **options)

    with pytest.warns(MotionWarning, match="the sensor is away"):
        follow(checkpoint=tmp_path / "run.nc")
    broken["now"], begun = False, []
    run = follow(checkpoint=tmp_path / "run.nc", progress=begun.append)
    assert begun[0] > 0.3
    assert np.allclose(run.q[-1], follow().q[-1], rtol=0, atol=1e-8)  # before it failed it tried short steps


def test_a_run_that_is_complete_is_not_computed_again(tmp_path):
    asked = []

    def law(t, q, v):
        asked.append(t)
        return {"f": -q[0]}

    cart = g.System("cart", "x", kinetic_energy=lambda v: 0.5 * v.x**2, force=lambda u: [u.f], controls="f")

    def follow(**options):
        return g.simulate(cart, [1.0], t_end=2.0, control=Sampled(law, 0.1), checkpoint=tmp_path / "run.nc", **options)

    first, count, reports = follow(), len(asked), []
    again = follow(progress=reports.append)
    assert numbers(again) == numbers(first)
    assert (len(asked), reports) == (count, [])
    assert numbers(again.at([0.55, 1.234])) == numbers(first.at([0.55, 1.234]))


def test_a_run_that_ends_early_by_itself_is_complete(tmp_path):
    reports = []

    def follow(**options):
        system = g.System("blow", "x", kinetic_energy=lambda v: 0.5 * v.x**2, force=lambda v: [v.x**2])
        with pytest.warns(MotionWarning, match="escapes"):
            return g.simulate(system, [0.0], [1.0], t_end=2.0, checkpoint=tmp_path / "run.nc", **options)

    first = follow()
    assert numbers(follow(progress=reports.append)) == numbers(first)
    assert reports == []


OTHERS = {
    "start": (lambda o: swinging(**o, t=0.5), "the start and the end are {'t': 0.0} there, and {'t': 0.5} here"),
    "end": (lambda o: swinging(**(o | {"t_end": 7.0})), "{'t_end': 6.0} there, and {'t_end': 7.0} here"),
    "options": (lambda o: swinging(**o, rtol=1e-9), "the options are {'rtol': 1e-10} there, and {'rtol': 1e-09} here"),
    "method": (lambda o: with_fixed_steps(**o), "'method': 'dop853'.*'method': 'rk4'"),
    "events": (lambda o: swinging(**(o | {"events": []})), "'events'"),
    "event": (
        lambda o: swinging(**(o | {"events": [g.Event("lowest", lambda q: 2.0 * q.x)]})),
        "the event 'lowest' has been changed",
    ),
    "name": (lambda o: g.simulate(pendulum(name="other"), [1, 0], t_end=6.0, **o), "the system is pendulum there"),
    "parameters": (
        lambda o: g.simulate(
            pendulum(parameters={"g": 1.62}), [1, 0], t_end=6.0, events=[g.Event("lowest", lowest)], **o
        ),
        "the parameters are {'g': 9.81} there, and {'g': 1.62} here",
    ),
    "model": (
        lambda o: g.simulate(
            pendulum(potential=lambda q, p: 2.0 * p.g * q.y),
            [1, 0],
            t_end=6.0,
            events=[g.Event("lowest", lowest)],
            **o,
        ),
        "the force .* of 'pendulum' is another one than that of the run",
    ),
    "time stepping": (lambda o: by_time_stepping(**o), "the system is pendulum there, and balls here"),
}


@pytest.mark.parametrize("name", list(OTHERS))
def test_the_file_of_another_run_is_refused_with_the_difference(name, tmp_path):
    path = tmp_path / "run.nc"
    swinging(checkpoint=path)
    before, (other, words) = path.read_bytes(), OTHERS[name]
    with pytest.raises(FileError, match=words.replace("{", r"\{").replace("}", r"\}")) as found:
        other({"checkpoint": path})
    assert "run.nc is another run: " in str(found.value)
    assert "Choose another name, or remove the file." in str(found.value) or name == "model"
    assert path.read_bytes() == before


def test_another_control_is_refused(tmp_path):
    cart = g.System("cart", "x", kinetic_energy=lambda v: 0.5 * v.x**2, force=lambda u: [u.f], controls="f")
    path = tmp_path / "run.nc"
    g.simulate(cart, [1.0], t_end=1.0, control=lambda t, q, v: [-q[0]], checkpoint=path)
    with pytest.raises(FileError, match="the control has been changed"):
        g.simulate(cart, [1.0], t_end=1.0, control=lambda t, q, v: [-2.0 * q[0]], checkpoint=path)
    with pytest.raises(FileError, match=r"'control': 'a function'.* there, .*'f': 2.0"):
        g.simulate(cart, [1.0], t_end=1.0, control={"f": 2.0}, checkpoint=path)


@pytest.mark.parametrize("times", [1, 2])
def test_ctrl_c_while_the_last_file_is_written_does_not_lose_it(times, tmp_path, monkeypatch):
    cart = g.System("cart", "x", kinetic_energy=lambda v: 0.5 * v.x**2)
    path, write, tried = tmp_path / "run.nc", record.files.write, []

    def pressed(*arguments):
        tried.append(arguments)
        if len(tried) <= times:
            raise KeyboardInterrupt
        write(*arguments)

    monkeypatch.setattr("gauss.motion.record.files.write", pressed)
    if times == 1:
        run = g.simulate(cart, [1.0], [2.0], t_end=1.0, checkpoint=path)
        assert np.array_equal(g.Trajectory.load(path).q, run.q)
        return
    with pytest.warns(MotionWarning, match="was not written, as Ctrl-C came meanwhile"):
        run = g.simulate(cart, [1.0], [2.0], t_end=1.0, checkpoint=path)
    assert run.q[-1] == pytest.approx([3.0])
    assert not path.exists()


class Spring:
    def __init__(self, stiffness):
        self.stiffness, self.asked = stiffness, 0

    def __call__(self, t, q, v):
        self.asked += 1
        if self.asked == 100:
            raise KeyboardInterrupt
        return [-self.stiffness * q[0]]


@pytest.mark.filterwarnings("ignore:cart. interrupted")
@pytest.mark.parametrize("t_end", [0.1, 4.0], ids=["complete", "ended"])
def test_a_feedback_with_another_gain_is_refused(t_end, tmp_path, often):
    cart = g.System("cart", "x", kinetic_energy=lambda v: 0.5 * v.x**2, force=lambda u: [u.f], controls="f")

    def follow(stiffness):
        return g.simulate(cart, [1.0], t_end=t_end, control=Spring(stiffness), checkpoint=tmp_path / "run.nc")

    run = follow(1.0)
    assert np.array_equal(g.Trajectory.load(tmp_path / "run.nc")["f"], run["f"])
    with pytest.raises(FileError, match=r"is another run: the control is another one.* 'f' is -2, but was -1 there"):
        follow(2.0)
    follow(1.0)


class Regulator:
    """A proportional and integral one: two gains, and a memory."""

    def __init__(self, proportional, integral):
        self.proportional, self.integral, self.sum = proportional, integral, 0.0

    def law(self, t, q, v):
        self.sum += q[0]
        return [-self.proportional * q[0] - self.integral * self.sum]


def test_a_sampled_control_with_another_gain_is_refused(tmp_path):
    cart = g.System("cart", "x", kinetic_energy=lambda v: 0.5 * v.x**2, force=lambda u: [u.f], controls="f")

    def follow(regulator):
        given = {"control": Sampled(regulator.law, 0.1), "checkpoint": tmp_path / "run.nc"}
        return g.simulate(cart, [1.0], t_end=1.0, **given)

    used = Regulator(1.0, 0.1)
    first = follow(used)
    for same in (used, Regulator(1.0, 0.1)):  # its memory is no part of the run
        assert numbers(follow(same)) == numbers(first)
    with pytest.raises(FileError, match=r"the attribute 'integral' of the sampled control has been changed"):
        follow(Regulator(1.0, 0.2))


def test_a_controller_with_a_memory_of_its_own_is_refused(tmp_path, often):
    kept = {"calls": 0}

    def counting(t, q, v):
        kept["calls"] += 1
        return {"f": -q[0] - 0.01 * kept["calls"]}

    cart = g.System("cart", "x", kinetic_energy=lambda v: 0.5 * v.x**2, force=lambda u: [u.f], controls="f")

    def follow(**options):
        return g.simulate(cart, [1.0], t_end=4.0, control=Sampled(counting, 0.1), **options)

    with pytest.raises(InputError, match=r"t = 0 s, where it returned \[-1\.01\] before.* build the controller anew"):
        ended(follow, tmp_path / "run.nc", [30], KeyboardInterrupt)


@pytest.mark.parametrize("part", [0.0, 0.3, 0.7, 0.99])
def test_a_damaged_file_is_one_clear_error(part, tmp_path):
    path = tmp_path / "run.nc"
    swinging(checkpoint=path, t_end=1.0)
    content = path.read_bytes()
    for wrong in (content[: int(part * len(content))], content.replace(b"complete", b"c0mplete")):
        path.write_bytes(wrong)
        with pytest.raises(FileError, match="To begin this run anew, remove it, or choose another name"):
            swinging(checkpoint=path, t_end=1.0)


def test_what_is_no_checkpoint_and_what_cannot_be_one_are_refused(tmp_path):
    path = swinging(t_end=1.0).save(tmp_path / "saved.nc")
    with pytest.raises(FileError, match=r"a motion without a checkpoint\. Choose another name, or remove the file"):
        swinging(t_end=1.0, checkpoint=path)
    with pytest.raises(FileError, match=r"ends in \.nc"):
        swinging(checkpoint=tmp_path / "run.csv")
    with pytest.raises(FileError, match="there is no folder"):
        swinging(checkpoint=tmp_path / "nowhere" / "run.nc")
    with pytest.raises(InputError, match="the file of one motion"):
        swinging(checkpoint=tmp_path / "run.nc", branches="all", events=[])
    with pytest.raises(InputError, match="name the method"):
        swinging(checkpoint=tmp_path / "run.nc", method="auto")
    with pytest.raises(InputError, match="sweep cannot take 'checkpoint'"):
        g.sweep(pendulum(), [1.0, 0.0], {"g": [1.0]}, times=[0.0, 1.0], checkpoint="run.nc")


def test_the_checkpoint_of_another_version_is_refused_unless_it_is_complete(tmp_path, often, monkeypatch):
    with pytest.raises(Killed):
        swinging(checkpoint=tmp_path / "run.nc", progress=lambda f: time.sleep(0.02) or _kill_after(f, 0.5))
    swinging(checkpoint=tmp_path / "whole.nc", t_end=1.0)
    monkeypatch.setattr("gauss.motion.record.checkpoint.__version__", "9.9")
    with pytest.raises(FileError, match=r"was begun by version .* of this package, and this is 9\.9"):
        swinging(checkpoint=tmp_path / "run.nc")
    assert swinging(checkpoint=tmp_path / "whole.nc", t_end=1.0).ending.complete


def _kill_after(fraction, least):
    if fraction > least:
        raise Killed


def test_a_disk_that_is_full_does_not_end_the_run(tmp_path, often, monkeypatch):
    def full(*given):
        raise FileError("cannot write run.nc: No space left on device.")

    monkeypatch.setattr("gauss.motion.record.files.write", full)
    with pytest.warns(MotionWarning, match="could not be written: .*No space left") as told:
        run = swinging(checkpoint=tmp_path / "run.nc", progress=lambda fraction: time.sleep(0.01))
    assert numbers(run) == numbers(swinging())
    assert any("The run goes on" in str(each.message) for each in told)
    assert "save" in str(told[-1].message)


def test_files_that_take_long_to_write_are_written_seldom(tmp_path, monkeypatch):
    clock, written, run = SimpleNamespace(now=0.0), [], swinging(t_end=1.0)

    def write(*given):
        written.append(clock.now)
        clock.now += 3.0

    monkeypatch.setattr("gauss.motion.record.checkpoint.time", SimpleNamespace(monotonic=lambda: clock.now))
    monkeypatch.setattr("gauss.motion.record.files.write", write)
    checkpoint = Checkpoint(tmp_path / "run.nc")
    while clock.now < 1000.0:
        checkpoint.reached(lambda: dict, lambda: run)
        clock.now += 0.5
    assert written[0] == 10.0
    assert all(later - earlier >= 63.0 for earlier, later in pairwise(written))
    assert len(written) >= 14
