"""Mechanisms whose lengths and masses are parameters: against the same mechanisms built with the numbers."""

from __future__ import annotations

import pickle
from types import SimpleNamespace

import numpy as np
import pytest

import gauss as g
from gauss import bodies as mb
from gauss.errors import FileError, InputError, ModelError

KINDS = ("natural", "joint")


class Values:
    def __init__(self, **values):
        self.__dict__.update(values)


def crank_slider(kind):
    """A crank of length l with its mass m, a rod, a slider, a spring from the crank's end and a damper in the pin."""

    def build(p):
        crank = mb.PlanarBody("crank", p.m, p.m * p.l**2 / 12.0, centre=(p.l / 2.0, 0.0))
        rod = mb.PlanarBody("rod", 0.4, 0.02, centre=(0.4, 0.0))
        block = mb.PlanarBody("block", 1.5, 0.01)
        pin = mb.Pin("pin", mb.GROUND, (0, 0), crank, (0, 0))
        joints = [
            pin,
            mb.Pin("knee", crank, (p.l, 0), rod, (0, 0)),
            mb.Pin("wrist", rod, (0.8, 0), block, (0, 0)),
            mb.Slider("guide", mb.GROUND, (0, 0), block, (0, 0)),
        ]
        forces = [
            mb.Spring("spring", mb.GROUND, (0.1, 0.9), crank, (p.l, 0), stiffness=p.k, length=p.l / 3.0, damping=0.3),
            mb.JointSpring("friction", pin, 0.0, damping=0.05 * p.k),
            mb.PointForce("push", block, (0.0, 0.1 * p.l), lambda t: (g.sin(t), 0.0)),
        ]
        return mb.Mechanism("crank", [crank, rod, block], joints, forces, coordinates=kind)

    return build, {"l": 0.3, "m": 0.7, "k": 20.0}


def start_of(held, l, angle=0.7, rate=2.0):
    crank, rod, block = held.bodies
    knee = l * np.array([np.cos(angle), np.sin(angle)])
    lean = -np.arcsin(knee[1] / 0.8)
    turn = -rate * knee[0] / (0.8 * np.cos(lean))
    moved = rate * np.array([-knee[1], knee[0]])
    x, speed = knee[0] + 0.8 * np.cos(lean), moved[0] - turn * 0.8 * np.sin(lean)
    poses = (
        crank.pose((0, 0), angle, (0, 0), rate),
        rod.pose(knee, lean, moved, turn),
        block.pose((x, 0), 0, (speed, 0)),
    )
    return held.state(*poses)


def tripod(kind):
    """A bar in space on a hinge, with a second body on a ball and a rod without mass of length r."""

    def build(p):
        bar = mb.Body("bar", mb.box(1.0, (0.8, 0.1, 0.1), at=(0.4, 0, 0)))
        lopsided = mb.Inertia.of_tensor(1.3, [0.1, 0.2, 0.25], (0.0, 0.05, -0.1), mb.euler("zyx", 0.3, -0.5, 0.8))
        bob = mb.Body("bob", lopsided.scaled(p.l + p.h))
        hinge = mb.Revolute("hinge", mb.GROUND, (0, 0, p.h), bar, (0, 0, 0), axis1=(0, 1, 0))
        ball = mb.Spherical("ball", bar, (p.l, 0.1, 0), bob, (0, 0, 0.2 * p.l))
        stay = mb.Distance("stay", mb.GROUND, (0, 1, 0), bob, (0, 0, -p.l), length=p.r)
        return mb.Mechanism("tripod", [bar, bob], [hinge, ball, stay], coordinates=kind)

    return build, {"h": 0.2, "l": 0.6, "r": 1.1}


def counted(monkeypatch, compiled):
    """A list of the models that are compiled from now on."""
    made = []
    first = compiled.__init__

    def init(self, *given, **more):
        made.append(self)
        first(self, *given, **more)

    monkeypatch.setattr(compiled, "__init__", init)
    return made


@pytest.mark.parametrize("kind", KINDS)
def test_a_sweep_over_lengths_and_masses_compiles_once_and_agrees_with_mechanisms_built_anew(kind, monkeypatch):
    build, values = crank_slider(kind)
    held = mb.parametric(build, **values)
    held.system.model.terms(*(np.zeros(held.system.n),) * 2, 0.0, held.system.theta())
    made = counted(monkeypatch, type(held.system.model))
    grid = {"l": [0.2, 0.3, 0.45], "m": [0.5, 2.0]}
    times = np.linspace(0.0, 0.6, 4)
    words = ("block.position", "block.acceleration", "knee.force", "knee.torque", "pin.angle")
    measure = {word.replace(".", "_"): lambda run, word=word: run.at(times)[word] for word in words}

    def start(l):
        return g.Start(*start_of(held.with_parameters(l=l), l), t_end=0.6)

    options = {"rtol": 1e-11, "atol": 1e-12}
    study = g.sweep(held, start, grid, measure=measure, progress="none", **options)
    twin = 1 if kind == "joint" else 0  # results in natural coordinates, compiled once for all as well
    assert len(made) == twin
    for l in grid["l"]:
        for m in grid["m"]:
            other = build(Values(**values | {"l": l, "m": m}))
            run = g.simulate(other, *start_of(other, l), t_end=0.6, progress="none", **options).at(times)
            for word in words:
                found = study[word.replace(".", "_")].sel(l=l, m=m).values
                size = max(1.0, float(np.max(np.abs(run[word]))))
                np.testing.assert_allclose(found, run[word], rtol=0.0, atol=1e-8 * size)


@pytest.mark.parametrize("kind", KINDS)
def test_terms_are_those_of_the_mechanism_with_the_numbers(kind):
    for build, values, start in (
        (*crank_slider(kind), start_of),
        (*tripod(kind), lambda held, l: held.state(values={"hinge": 0.3, "ball_qw": 0.8, "ball_qx": 0.6})),
    ):
        held = mb.parametric(build, **values)
        for l in (0.25, 0.5):
            given = values | {"l": l}
            one, two = held.with_parameters(l=l), build(Values(**given))
            q, v = start(two, l)
            v = v if build is not tripod else v + 0.1
            a, b = (x.system.model.terms(q, v, 0.3, x.system.theta()) for x in (one, two))
            for word in ("M", "f", "J", "gamma", "phi"):
                size = max(1.0, float(np.max(np.abs(getattr(b, word)), initial=0.0)))
                np.testing.assert_allclose(getattr(a, word), getattr(b, word), rtol=0.0, atol=1e-12 * size)
            assert one.system.units == two.system.units
            assert [str(x) for x in one.bodies[0].coordinates] == [str(x) for x in two.bodies[0].coordinates]
            assert one.system.row_names == two.system.row_names


@pytest.mark.parametrize("kind", KINDS)
def test_results_have_the_numbers_of_their_run(kind):
    build, values = crank_slider(kind)
    held = mb.parametric(build, **values)
    other = held.with_parameters(l=0.45)
    assert other.joints[1].point1 == (0.45, 0.0)
    assert held.joints[1].point1 == (0.3, 0.0)
    run = g.simulate(other, *start_of(other, 0.45), t_end=0.2, progress="none")
    assert run.setting.system.source is other
    known = mb.reaction(run, "guide")
    np.testing.assert_allclose(mb.reaction(run, held.joints[3]).torque, known.torque)  # taken from the other one
    tip = mb.Drawing(run.setting.system.source).mechanism.joints[1].point1
    assert tip == (0.45, 0.0)
    again = pickle.loads(pickle.dumps(other.system))
    q, v = start_of(other, 0.45)
    np.testing.assert_allclose(
        list(g.accelerate(again, q, v).acceleration), list(g.accelerate(other, q, v).acceleration)
    )


@pytest.mark.long
def test_processes_and_files_know_what_builds_a_mechanism(tmp_path):
    build, values = crank_slider("natural")
    held = mb.parametric(build, **values)
    options = {"measure": {"x": lambda run: run["block_x"][-1]}, "t_end": 0.2, "progress": "none"}

    def start(l):
        return start_of(held.with_parameters(l=l), l)

    grid = {"l": [0.2, 0.3]}
    alone, shared = (g.sweep(held, start, grid, jobs=jobs, **options) for jobs in (1, 2))
    np.testing.assert_array_equal(alone["x"], shared["x"])
    out = tmp_path / "study.zarr"
    g.sweep(held, start, grid, out=out, **options)

    def heavier(p):
        return build(Values(l=p.l, m=2.0 * p.m, k=p.k))

    with pytest.raises(FileError, match="another"):
        g.sweep(mb.parametric(heavier, **values), start, grid, out=out, **options)


def test_what_is_no_family_is_refused():
    build, values = crank_slider("natural")
    held = mb.parametric(build, **values)
    with pytest.raises(InputError, match="positive"):
        held.with_parameters(m=-1.0)
    with pytest.raises(InputError, match="no parameter"):
        held.with_parameters(mass=1.0)
    with pytest.raises(InputError, match="returns a Mechanism"):
        mb.parametric(lambda p: p.l, l=1.0)
    with pytest.raises(InputError, match="by name"):
        mb.parametric(build)

    def branching(p):
        disc = mb.PlanarBody("disc", 1.0 if p.l > 1.0 else 2.0, 1.0)
        return mb.Mechanism("disc", [disc])

    with pytest.raises(ModelError, match="branches"):
        _ = mb.parametric(branching, l=2.0).system


def test_a_scaled_inertia_is_that_of_the_mass():
    one, two = (mb.box(m, (0.3, 0.2, 0.1), at=(0.1, 0.2, 0.3)) for m in (1.0, 2.5))
    one = one.scaled(2.5)
    np.testing.assert_allclose(one.second, two.second, rtol=1e-14)
    np.testing.assert_allclose([one.mass, *one.centre], [two.mass, *two.centre])
    with pytest.raises(InputError, match="positive"):
        two.scaled(0.0)


def test_inertias_in_space_are_numbers():
    def build(p):
        return mb.Mechanism("box", [mb.Body("box", mb.box(p.m, (1, 1, 1)))])

    with pytest.raises(ModelError, match="builds the mechanism"):
        _ = mb.parametric(build, m=2.0).system


def test_rows_that_a_tree_keeps_for_some_parameters_alone_are_refused():
    def build(p):
        one, two = (mb.Body(name, mb.box(1.0, (0.5, 0.1, 0.1), at=(0.25, 0, 0))) for name in ("one", "two"))
        shoulder = mb.Revolute("a", mb.GROUND, (0, 0, 0), one, (0, 0, 0))
        elbow = mb.Revolute("b", one, (0.5, 0, 0), two, (0, 0, 0))
        loop = mb.PlanarJoint("loop", mb.GROUND, (0, 0, p.z), two, (0.5, 0, 0))
        return mb.Mechanism("flat", [one, two], [shoulder, elbow, loop], coordinates="joint")

    with pytest.raises(InputError, match="kept by the spanning tree"):
        _ = mb.parametric(build, z=0.0).system


@pytest.mark.parametrize("coordinates", ["natural", "joint"])
def test_axes_and_inertias_in_space_as_parameters_are_those_of_rebuilt_models(coordinates):
    def build(p):
        bar = mb.Body("bar", mb.Inertia.of_tensor(p.m, (p.J, 2 * p.J, 2.5 * p.J), (p.a, 0.0, 0.05)))
        axis = (g.sin(p.tilt), 0, g.cos(p.tilt))
        hinge = mb.Revolute("hinge", mb.GROUND, (0, 0, 0), bar, (0, 0, 0), axis1=axis, axis2=(0, 0, 1))
        return mb.Mechanism("door", [bar], [hinge], coordinates=coordinates)

    held = mb.parametric(build, m=1.3, a=0.4, J=0.1, tilt=0.3)
    for values in ({"m": 1.3, "a": 0.4, "J": 0.1, "tilt": 0.3}, {"m": 2.0, "a": -0.2, "J": 0.3, "tilt": 1.4}):
        swept, rebuilt = held.with_parameters(**values), build(SimpleNamespace(**values))
        q, v = rebuilt.state(values={"hinge": 0.5}, rates={"hinge": 1.5})
        found, exact = g.accelerate(swept, q, v), g.accelerate(rebuilt, q, v)
        np.testing.assert_allclose(found.a, exact.a, rtol=1e-12, atol=1e-12)
        assert swept.system.model is held.system.model  # nothing is compiled again
    with pytest.raises(InputError):
        held.with_parameters(J=-1.0)


def test_a_function_of_the_number_itself_is_told_how_to_take_it():
    def pendulum(l):
        bar = mb.PlanarBody("bar", 1.0, 0.1, centre=(l, 0.0))
        return mb.Mechanism("pendulum", [bar], [mb.Pin("pin", mb.GROUND, (0, 0), bar, (0, 0))])

    with pytest.raises(InputError, match=r"write parametric\(lambda p: pendulum\(p\.l\), l=…\)"):
        mb.parametric(pendulum, l=0.3)
    assert mb.parametric(lambda p: pendulum(p.l), l=0.3).parameters == {"l": 0.3}
