"""A call that does not fit is answered in one sentence that names what is meant perhaps, never by a bare TypeError."""

import inspect

import numpy as np
import pytest

import gauss as g

BUILT = [  # what users call with arguments: functions, and classes that are no results
    *(getattr(g, name) for name in g.__all__ if name not in ("Trajectory", "Verdict", "__version__", "main")),
    *(getattr(g.bodies, name) for name in g.bodies.__all__ if inspect.isclass(getattr(g.bodies, name))),
    *(getattr(g.analysis, name) for name in g.analysis.__all__ if inspect.isfunction(getattr(g.analysis, name))),
    *(g.motion.simulate_many, g.motion.hybrid, g.bodies.assemble, g.bodies.reaction, g.nonsmooth.moreau),
]
BUILT = [each for each in BUILT if inspect.isclass(each) or inspect.isfunction(each)]


def cart():
    return g.System("cart", "x phi", kinetic_energy=lambda v: 0.5 * (v.x**2 + v.phi**2))


@pytest.mark.parametrize("call", BUILT, ids=lambda call: call.__name__)
def test_an_argument_that_there_is_not_is_named(call):
    if any(p.kind is p.VAR_KEYWORD for p in inspect.signature(call).parameters.values()):
        pytest.skip("takes any name")
    with pytest.raises(g.errors.CallError, match="has no argument 'no_such'"):
        call(no_such=1)


@pytest.mark.parametrize(("call", "words"), [
    (lambda: g.System("a", "x", potential=0.0), "'potential'; did you mean potential_energy?"),
    (lambda: g.System("a", "x", lagrangian=0.0), "did you mean kinetic_energy and potential_energy?"),
    (lambda: g.System("a", coords="x"), "'coords'; did you mean coordinates?"),
    (lambda: g.System("a", kinetic_energy=lambda v: v.x**2), "System needs coordinates"),
    (lambda: g.simulate(cart(), [0, 0], dt=0.1, t_end=1.0), "'dt'; did you mean step or max_step?"),
    (lambda: g.simulate(cart(), [0, 0], t_span=(0, 1)), "'t_span'; did you mean t_end?"),
    (lambda: g.simulate(cart(), [0, 0]), "simulate needs t_end: simulate\\(system, q, v=None"),
    (lambda: g.simulate(cart(), [0, 0], [0, 0], 5.0), "takes 3 arguments \\(system, q, v\\) by place, got 4"),
    (lambda: g.simulate(cart(), [0, 0], q=[0, 0], t_end=1.0), "got 'q' twice"),
    (lambda: g.classify(cart(), [0, 0], velocity=[0, 0]), "did you mean v?"),
    (lambda: g.Unilateral("floor", lambda q: q.x, e=0.5), "did you mean restitution?"),
    (lambda: g.motion.simulate_many(cart(), [0, 0], times=[0, 1], rtl=1e-6), "no option 'rtl'"),
    (lambda: g.simulate(cart(), {"x": 0}, t_end=1.0), "q lacks phi"),
    (lambda: g.animate(None, fps=30), "'fps'; did you mean rate?"),
    (lambda: cart().with_parameters({"m": 1.0}), "takes no argument by place, got 1; others go by name: NAME=…"),
    (lambda: g.simulate(cart(), [0, 0], t_end=0.1).to_csv(), "to_csv needs path: to_csv\\(path"),
    (lambda: g.sources.exercise("pendulum").check("T"), "check needs answer: check\\(asks, answer\\)"),
])  # fmt: skip
def test_a_near_name_is_told(call, words):
    with pytest.raises(g.errors.InputError, match=words):
        call()


def test_a_parameter_is_had_in_brackets_outside_of_a_model():
    with pytest.raises(AttributeError, match=r"parameters have no attribute 'm'; write …\['m'\]"):
        _ = g.System("cart", "x", kinetic_energy=lambda v, p: p.m * v.x**2, parameters={"m": 1.0}).parameters.m


def test_a_run_in_place_of_its_system_is_told():
    run = g.simulate(cart(), [0, 0], t_end=0.1)
    with pytest.raises(g.errors.InputError, match=r"got Trajectory; that of a run is run\.setting\.system"):
        g.analysis.equilibria(run, [[0, 0]])


OF_RUNS = (g.analysis.energy_residual, g.analysis.friction_claims, g.analysis.certificate_claims, g.show.mode_times)


@pytest.mark.parametrize("call", OF_RUNS, ids=lambda call: call.__name__)
def test_what_is_no_run_is_told(call):
    with pytest.raises(g.errors.InputError, match=r"a run of gauss\.simulate is expected, got int"):
        call(3)


def test_a_tree_of_motions_in_place_of_a_run_is_told():
    tree = g.simulate(cart(), [0, 0], t_end=0.1, branches="all")
    with pytest.raises(g.errors.InputError, match=r"got MotionTree; take one of its motions, tree\[k\]\.run"):
        g.analysis.energy_residual(tree)
    assert np.all(g.analysis.energy_residual(tree[0].run) == 0.0)


def test_an_error_inside_a_function_stays_as_it_is():
    def wrong(v):
        return None + v.x

    with pytest.raises(Exception) as caught:
        g.System("a", "x", kinetic_energy=wrong)
    assert not isinstance(caught.value, g.errors.CallError)


def test_a_warning_points_at_the_line_that_called_the_package():
    runs_away = g.System("x'' = x³", "x", kinetic_energy=lambda v: 0.5 * v.x**2, force=lambda q: [q.x**3])
    with pytest.warns(g.errors.MotionWarning) as said:
        g.simulate(runs_away, [1.0], [1.0], t_end=10.0)
    assert said[0].filename == __file__
