"""Threads share Systems, and Systems and motions travel to other processes: the same bits everywhere."""

from __future__ import annotations

import copy
import multiprocessing
import os
import pickle
import signal
import sys
import threading
import time
import warnings
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache
from types import SimpleNamespace

import casadi as ca
import mpmath
import numpy as np
import pytest

import gauss
import gauss.bodies as mb
import gauss.nonsmooth as ns
from gauss.errors import ModelError
from gauss.foundation import Lock, filtered, warn, withheld
from gauss.principle import Workspace
from gauss.principle.solvers.osqp import _answer

G, THREADS = 9.81, 10


def pendulum(length=2.0):
    """Free coordinates on a circle; everything is a lambda or a closure."""
    return gauss.System(
        "pendulum",
        "x y",
        kinetic_energy=lambda v, p: p.m / 2 * (v.x**2 + v.y**2),
        potential_energy=lambda q, p: p.m * G * q.y,
        constraints=[gauss.Holonomic("rod", lambda q: q.x**2 + q.y**2 - length**2)],
        parameters={"m": 3.0},
    )


def acceleration(q, v):
    """Of the pendulum by hand: gravity along the circle, and towards its centre v²/l."""
    along = np.array([-q[1], q[0]]) / np.linalg.norm(q)
    return -G * along[1] * along - (v @ v) * q / (q @ q)


def states(count, seed=0):
    for angle, speed in np.random.default_rng(seed).normal(size=(count, 2)) * [2.0, 3.0]:
        towards = np.array([np.sin(angle), -np.cos(angle)])
        yield 2.0 * towards, speed * np.array([-towards[1], towards[0]])


def in_threads(work, given):
    """Return what the calls of `work` return, as many at once as there are, switching as often as Python does."""
    every = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    try:
        with ThreadPoolExecutor(len(given)) as pool:
            return list(pool.map(work, given))
    finally:
        sys.setswitchinterval(every)


def same_motion(one, two):
    names = ("t", "q", "v", "a", "multipliers", "zwang", "energy", "off_position", "sigma_min")
    return all(np.array_equal(getattr(one, name), getattr(two, name)) for name in names)


def last_of(system):
    """For process pools, which find functions by their names."""
    return gauss.simulate(system, [2.0, 0.0], t_end=0.2, progress="none")


# Threads


def test_terms_in_threads_are_those_of_their_own_states():
    system, theta = pendulum(), np.array([3.0])

    def wrong(seed):
        found = 0
        for q, v in states(100, seed):
            terms = system.model.terms(q, v, 0.0, theta)
            found += not (np.array_equal(terms.J, [2.0 * q]) and abs(terms.gamma[0] + 2.0 * v @ v) < 1e-10)
        return found

    assert sum(in_threads(wrong, range(THREADS))) == 0


@pytest.mark.long
def test_accelerations_of_ten_threads_have_the_bits_of_one():
    system, given = pendulum(), list(states(30))
    alone = [gauss.accelerate(system, q, v).a for q, v in given]
    for (q, v), a in zip(given, alone, strict=True):
        assert a == pytest.approx(acceleration(q, v), rel=1e-10, abs=1e-10)

    def found(k):
        return [gauss.accelerate(system, *given[(j + k) % 30]).a for j in range(30)]

    for k, several in enumerate(in_threads(found, range(THREADS))):
        assert np.array_equal(several, [alone[(j + k) % 30] for j in range(30)])


def test_a_memory_is_used_again_and_there_are_no_more_than_calls_at_once():
    system = pendulum()
    function = system.model._terms
    for q, v in states(5):
        function(q, v, 0.0, [3.0])
    assert len(function._free) == 1
    in_threads(lambda k: [function(q, v, 0.0, [3.0]) for q, v in states(50, k)], range(4))
    assert 1 <= len(function._free) <= 4


def test_results_of_a_compiled_function_are_not_overwritten_by_the_next_call():
    model = pendulum().model
    first = model.terms(np.array([1.0, 2.0]), np.zeros(2), 0.0, np.array([3.0]))
    model.terms(np.array([5.0, 6.0]), np.zeros(2), 0.0, np.array([4.0]))
    assert first.J.tolist() == [[2.0, 4.0]]
    assert first.M.tolist() == [[3.0, 0.0], [0.0, 3.0]]


def test_motions_in_threads_that_compile_their_systems_at_the_same_time():
    lengths = [2.0, 2.5, 3.0, 3.5]

    def motion(length):
        return gauss.simulate(pendulum(length), [length, 0.0], t_end=0.5, progress="none")

    alone = [motion(length) for length in lengths]
    assert all(same_motion(*pair) for pair in zip(in_threads(motion, lengths), alone, strict=True))


def test_motions_of_one_system_in_threads():
    system = pendulum()
    alone = gauss.simulate(system, [2.0, 0.0], t_end=0.5, progress="none")
    fresh = pendulum()  # whose steps are compiled by several threads at once
    found = in_threads(lambda _: gauss.simulate(fresh, [2.0, 0.0], t_end=0.5, progress="none"), range(4))
    assert all(same_motion(run, alone) for run in found)


def test_a_symbol_has_no_number_in_any_thread_that_traces_and_casadis_own_in_the_others():
    ended, begun = threading.Event(), threading.Event()

    def slowly(q):
        begun.set()
        assert ended.wait(10.0)
        return float(q.x)

    def build(energy):
        return gauss.System("s", "x", mass_matrix=[[1.0]], potential_energy=energy)

    with ThreadPoolExecutor(1) as pool:
        slow = pool.submit(build, slowly)
        assert begun.wait(10.0)
        assert np.isnan(float(ca.SX.sym("x")))  # a thread that traces nothing
        with pytest.raises(ModelError, match="has no number"):
            build(lambda q: float(q.x))
        ended.set()
        with pytest.raises(ModelError, match="has no number"):
            slow.result()
    assert np.isnan(float(ca.SX.sym("x")))


def test_filters_of_warnings_are_as_they_were_after_two_threads():
    before, first, second = list(warnings.filters), threading.Event(), threading.Event()

    def one():
        with filtered("ignore", UserWarning):
            first.set()
            second.wait(0.05)  # the other thread cannot come in between

    def two():
        assert first.wait(10.0)
        with filtered("error", RuntimeWarning):
            second.set()
            time.sleep(0.02)

    in_threads(lambda work: work(), [one, two])
    assert warnings.filters == before


def test_what_one_thread_withholds_another_says():
    def say():
        warn("said", UserWarning)

    with ThreadPoolExecutor(1) as pool, warnings.catch_warnings(record=True) as said, withheld():
        warnings.simplefilter("always")
        warn("withheld", UserWarning)
        pool.submit(say).result()
    assert [str(each.message) for each in said] == ["said"]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_lock_that_another_thread_holds_is_free_in_a_forked_process():
    lock, held, over = Lock(), threading.Event(), threading.Event()

    def hold():
        with lock:
            held.set()
            over.wait(10.0)

    holder = threading.Thread(target=hold)
    holder.start()
    assert held.wait(10.0)
    child = os.fork()
    if not child:
        signal.alarm(5)
        with lock:
            os._exit(7)
    over.set()
    holder.join()
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7


def test_control_c_reaches_python_after_osqp_has_solved_in_threads():
    def solve(seed):
        rng = np.random.default_rng(seed)
        A = rng.normal(size=(60, 30))
        workspace = Workspace(A, -np.ones(60), np.ones(60), np.eye(30), rng.normal(size=30))
        for _ in range(30):
            workspace.update(A, -rng.uniform(0.1, 1.0, 60), np.ones(60))
            assert workspace.solve().status == "solved"

    in_threads(solve, range(4))
    with pytest.raises(KeyboardInterrupt):
        signal.raise_signal(signal.SIGINT)


def test_control_c_that_osqp_took_is_given_back():
    solver = SimpleNamespace(solve=lambda: None, info=SimpleNamespace(iter=1, status="interrupted"), solution=None)
    with pytest.raises(KeyboardInterrupt):
        _answer(solver, 1.0)


def test_more_digits_in_one_thread_do_not_change_the_precision_of_another():
    z, seen = mpmath.mpc("1e-30", "2e-3"), set()
    with ThreadPoolExecutor(1) as pool:
        done = pool.submit(lambda: [gauss.asin(z) for _ in range(300)])
        while not done.done():
            seen.add(mpmath.mp.prec)
    assert seen <= {mpmath.mp.prec}
    with mpmath.workdps(60):
        exact = mpmath.asin(z)
    assert mpmath.almosteq(gauss.asin(z).real, exact.real, rel_eps=1e-14)


# Pickle and copies


def test_a_system_of_lambdas_pickles_bit_for_bit():
    system = pendulum()
    back = pickle.loads(pickle.dumps(system))
    for q, v in states(3):
        assert np.array_equal(gauss.accelerate(back, q, v).a, gauss.accelerate(system, q, v).a)
    ours, theirs = (gauss.simulate(s, [2.0, 0.0], t_end=0.5, progress="none") for s in (system, back))
    assert same_motion(ours, theirs)


def test_systems_that_share_a_model_share_it_after_a_journey():
    system = pendulum()
    sweep = [system.with_parameters(m=m) for m in (1.0, 2.0, 4.0)]
    back = pickle.loads(pickle.dumps(sweep))
    assert [s.parameters["m"] for s in back] == [1.0, 2.0, 4.0]
    assert len({id(s.model) for s in back}) == 1
    assert pickle.loads(pickle.dumps(sweep))[0].model is back[0].model  # compiled once though sent twice
    assert [gauss.accelerate(s, [2.0, 0.0]).multiplier("rod") for s in back] == [
        gauss.accelerate(s, [2.0, 0.0]).multiplier("rod") for s in sweep
    ]


def test_a_force_with_a_memory_is_another_one_in_each_copy_that_is_read():
    def counting():
        calls = [0]

        def force(q, v, t):
            calls[0] += 1
            return [float(calls[0])]

        return force

    data = pickle.dumps(gauss.System("s", "x", mass_matrix=[[1.0]], black_box_force=counting()))
    one, two = pickle.loads(data), pickle.loads(data)
    assert [one.black_box_force(0, 0, 0) for _ in range(2)] == [[1.0], [2.0]]
    assert two.black_box_force(0, 0, 0) == [1.0]


def test_a_system_whose_force_refers_to_the_system_itself():
    def force(q, v, t):
        return [-system.parameters["k"] * q[0]]

    system = gauss.System("s", "x", mass_matrix=[[1.0]], black_box_force=force, parameters={"k": 5.0})
    back = pickle.loads(pickle.dumps(system))
    assert gauss.accelerate(back, [2.0]).a.tolist() == [-10.0]


def test_a_system_with_a_function_that_remembers():
    @lru_cache
    def stiffness(k):
        return 2.0 * k

    system = gauss.System("s", "x", mass_matrix=[[1.0]], force=lambda q: [-stiffness(3) * q.x])
    assert gauss.accelerate(pickle.loads(pickle.dumps(system)), [1.0]).a.tolist() == [-6.0]


def test_a_trajectory_pickles_bit_for_bit_and_goes_on():
    run = gauss.simulate(
        pendulum(), [2.0, 0.0], t_end=0.5, events=[gauss.Event("down", lambda q: q.x)], progress="none"
    )
    back = pickle.loads(pickle.dumps(run))
    assert same_motion(back, run)
    assert (back.about, back.events, back.ending) == (run.about, run.events, run.ending)
    assert np.array_equal(back.at([0.1, 0.3]).a, run.at([0.1, 0.3]).a)


def test_motions_with_friction_and_with_a_control_pickle():
    rough = gauss.Coulomb(0.25, lambda v: v.x)
    block = gauss.System(
        "block",
        "x y",
        kinetic_energy=lambda v: (v.x**2 + v.y**2) / 2,
        potential_energy=lambda q: G * q.y,
        force=lambda u: [u.push, 0.0],
        constraints=gauss.Unilateral("floor", lambda q: q.y, friction=rough),
        controls="push",
    )
    assert pickle.loads(pickle.dumps(rough)).slip(SimpleNamespace(x=3.0)) == 3.0
    run = gauss.simulate(block, [0.0, 0.0], [1.0, 0.0], t_end=0.1, progress="none")
    back = pickle.loads(pickle.dumps(run))
    assert np.array_equal(back.at([0.05]).q, run.at([0.05]).q)
    assert np.array_equal(back.friction_work, run.friction_work)
    push = 2.0
    run = gauss.simulate(
        block, [0.0, 0.0], t_end=0.1, method="rk4", step=0.05, control=lambda t, q, v: [push * t], progress="none"
    )
    assert np.array_equal(pickle.loads(pickle.dumps(run)).at([0.05]).a, run.at([0.05]).a)


def test_steps_and_verdicts_pickle():
    system = gauss.System(
        "cone",
        "x y z",
        mass_matrix=np.eye(3).tolist(),
        force=[0.0, 0.0, -1.0],
        constraints=gauss.Holonomic("cone", lambda q: q.x**2 + q.y**2 - q.z**2),
    )
    verdict = gauss.classify(system, [0.0, 0.0, 0.0])
    back = pickle.loads(pickle.dumps(verdict))
    assert (back.verdict, back.sentence) == (verdict.verdict, verdict.sentence)
    (mine,), (theirs,) = verdict.accelerations.continua, back.accelerations.continua
    assert np.array_equal(mine.sample(5), theirs.sample(5))
    step = gauss.accelerate(pendulum(), [2.0, 0.0])
    assert np.array_equal(pickle.loads(pickle.dumps(step)).a, step.a)
    assert pickle.loads(pickle.dumps(step)).acceleration["y"] == step.acceleration["y"]


def test_mechanisms_pickle_with_their_systems():
    bar = mb.PlanarBody("bar", 2.0, 0.5, (0.5, 0.0))
    pin = mb.Pin("pin", mb.GROUND, (0.0, 0.0), bar, (0.0, 0.0))
    mechanism = mb.Mechanism("arm", [bar], [pin], [mb.Motor("motor", pin, lambda t: 0.3 + t)])
    before = mechanism.system
    back = pickle.loads(pickle.dumps(mechanism))
    assert back.bodies[0] is back.joints[0].body2  # one body, as before
    q = [0.0, 0.0, 1.0, 0.0]  # the bar lies along x
    assert gauss.accelerate(back.system, q).a == pytest.approx(gauss.accelerate(before, q).a, abs=0.0)
    turn = (0.3 - 2.0 * G * 0.5) / (0.5 + 2.0 * 0.25)  # torque over the moment of inertia about the pin
    assert gauss.accelerate(back.system, q).a[-1] == pytest.approx(turn, rel=1e-12)


def test_scenes_and_their_motions_pickle():
    bowl = ns.DistanceField(lambda x, y: 1.5 - np.sqrt(x**2 + y**2))  # inside of a circle
    scene = ns.Scene("bowl", [ns.SceneBody("disc", ns.Disc(0.2), position=(0.5, -1.1))], [bowl])
    back = pickle.loads(pickle.dumps(scene))
    motion, other = (ns.moreau(each, t_end=0.2, step=0.01) for each in (scene, back))
    assert np.array_equal(motion.q, other.q)
    assert np.array_equal(pickle.loads(pickle.dumps(motion)).q, motion.q)


def test_copies_are_independent_of_what_they_are_copies_of():
    system = pendulum()
    twin = copy.deepcopy(system)
    assert twin.with_parameters(m=7.0).parameters == {"m": 7.0}
    assert system.parameters == twin.parameters == {"m": 3.0}
    assert twin.model is system.model  # which does not change
    run = gauss.simulate(system, [2.0, 0.0], t_end=0.3, progress="none")
    other = copy.deepcopy(run)
    assert same_motion(run, other)
    other.q[:] = 0.0
    assert run.q[0].tolist() == [2.0, 0.0]
    assert np.array_equal(other.at([0.2]).t, [0.2])


# Processes


@pytest.mark.long
@pytest.mark.parametrize("start", multiprocessing.get_all_start_methods())
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_pool_of_processes_simulates_a_system(start, monkeypatch):
    if start == "forkserver":
        pytest.skip("as spawn")
    monkeypatch.setattr(sys, "argv", sys.argv + 20 * ["argument"])  # a spawned process is given them
    sweep = [pendulum().with_parameters(m=m) for m in (1.0, 2.0, 3.0)]
    with multiprocessing.get_context(start).Pool(1) as pool:
        found = pool.map(last_of, sweep)
    assert all(same_motion(run, last_of(system)) for run, system in zip(found, sweep, strict=True))
