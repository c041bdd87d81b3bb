"""Contacts and impacts at every scale: lengths, times, masses and units of coordinates change no event and no verdict.

Each family is a motion in lengths L, times T and masses m, with coordinates x and z in units of their own; gravity is
G L/T². Scaled so it is the same motion, and the one at L = T = m = 1 is what it must be: the same events at the same
times over T, the same state at the end.
"""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass

import numpy as np
import pytest
from frictional import Rub, rubbed

import gauss as g
from gauss.contact import contact_problem, solve_contacts

G = 9.81  # m/s²
TIME = 1e-9  # of the time T
PLACE = 1e-8  # of the length L and the speed L/T: after bounces rounding has grown


@dataclass(frozen=True)
class Scale:
    """Units of a motion."""

    L: float = 1.0  # m
    T: float = 1.0  # s
    m: float = 1.0  # kg
    x: float = 1.0  # m, unit of the coordinates along the floor
    z: float = 1.0  # m, unit of the height

    @property
    def gravity(self):
        return G * self.L / self.T**2

    def start(self, system, q, v):
        """Positions in L and velocities in L/T (angles: 1 and 1/T) in the units of the coordinates."""
        unit = self.units(system)
        return np.array(q) * unit, np.array(v) * unit / self.T

    def units(self, system):
        of = {"x": self.L / self.x, "y": self.L / self.x, "z": self.L / self.z}
        return np.array([of.get(name, 1.0) for name in system.coordinates])


ONE = Scale()
SCALES = {
    "lengths 2^-30": Scale(2.0**-30, 2.0**-15),
    "lengths 2^30": Scale(2.0**30, 2.0**15),
    "lengths 1e-9": Scale(1e-9, 10**-4.5),
    "lengths 1e-3": Scale(1e-3, 10**-1.5),
    "lengths 1e9": Scale(1e9, 10**4.5),
    "lengths and gravity 1e-9": Scale(1e-9),
    "times 2^20": Scale(T=2.0**20),
    "masses 1e-6": Scale(m=1e-6),
    "masses 1e6": Scale(m=1e6),
    "x in mm": Scale(x=1e-3),
    "z in km": Scale(z=1e3),
}


@dataclass(frozen=True)
class Case:
    """A system with contacts in a state, and how long it moves."""

    system: g.System
    q: object
    v: object
    t_end: float
    options: dict[str, object]


def particle(s, q, v, *, foot=0.0, e=0.0, mu=None, tilt=0.0, t_end=1.2, space=False):
    """A particle over an inclined floor at the height `foot`."""
    system = g.System(
        "particle",
        "x y z" if space else "x z",
        kinetic_energy=lambda v: 0.5 * s.m * ((s.x * v.x) ** 2 + (s.z * v.z) ** 2 + ((s.x * v.y) ** 2 if space else 0)),
        potential_energy=lambda q: s.m * s.gravity * (s.z * q.z * math.cos(tilt) - s.x * q.x * math.sin(tilt)),
        constraints=[g.Unilateral("floor", lambda q: s.z * q.z - foot * s.L, restitution=e)],
    )
    slip = (lambda v: [s.x * v.x, s.x * v.y]) if space else (lambda v: s.x * v.x)
    contacts = () if mu is None else (Rub("floor", slip, mu),)
    return Case(rubbed(system, contacts), *s.start(system, q, v), t_end * s.T, {"rtol": 1e-11} if space else {})


def body(s, name, corners, inertia, q, v, *, mu, e=0.0, tilt=0.0, t_end=1.0, **options):
    """A plane body that touches the floor with rough corners, given by name in its own axes, in L."""

    def gap(a, b):
        return lambda q: s.z * q.z + s.L * (a * g.sin(q.th) + b * g.cos(q.th))

    def slip(a, b):
        return lambda q, v: s.x * v.x - s.L * v.th * (a * g.sin(q.th) + b * g.cos(q.th))

    system = g.System(
        name,
        "x z th",
        kinetic_energy=lambda v: 0.5 * s.m * ((s.x * v.x) ** 2 + (s.z * v.z) ** 2 + inertia * (s.L * v.th) ** 2),
        potential_energy=lambda q: s.m * s.gravity * (s.z * q.z * math.cos(tilt) - s.x * q.x * math.sin(tilt)),
        constraints=[g.Unilateral(each, gap(*at), restitution=e) for each, at in corners.items()],
    )
    contacts = tuple(Rub(each, slip(*at), mu) for each, at in corners.items())
    return Case(rubbed(system, contacts), *s.start(system, q, v), t_end * s.T, options)


def box(s, half, height, *rest, **options):
    """A box on two corners."""
    corners = {"left": (-half, -height), "right": (half, -height)}
    return body(s, "box", corners, (half**2 + height**2) / 3.0, *rest, **options)


def rod(s, *rest, **options):
    """Painlevé's rod, of the half length L, on its tip."""
    return body(s, "rod", {"floor": (-1.0, 0.0)}, 1.0 / 3.0, *rest, **options)


def two_balls(s):
    """A ball on another one, both of which bounce."""
    system = g.System(
        "balls",
        "x z",
        kinetic_energy=lambda v: 0.5 * s.m * (3.0 * (s.x * v.x) ** 2 + (s.z * v.z) ** 2),
        potential_energy=lambda q: s.m * s.gravity * (3.0 * s.x * q.x + s.z * q.z),
        constraints=[
            g.Unilateral("floor", lambda q: s.x * q.x, restitution=0.5),
            g.Unilateral("between", lambda q: s.z * q.z - s.x * q.x - 0.1 * s.L, restitution=0.6),
        ],
    )
    return Case(system, *s.start(system, [0.3, 0.45], [0.0, 0.0]), 1.2 * s.T, {})


def ball(s, q, v, e=0.5, radius=0.1, mu=0.25):
    """A rough ball in space with the angular velocity v[3:]."""
    r = radius * s.L
    system = g.System(
        "ball",
        "x y z a b c",
        kinetic_energy=lambda v: (
            0.5
            * s.m
            * ((s.x * v.x) ** 2 + (s.x * v.y) ** 2 + (s.z * v.z) ** 2 + 0.4 * r**2 * (v.a**2 + v.b**2 + v.c**2))
        ),
        potential_energy=lambda q: s.m * s.gravity * s.z * q.z,
        constraints=[g.Unilateral("floor", lambda q: s.z * q.z - r, restitution=e)],
    )
    contact = Rub("floor", lambda v: [s.x * v.x - r * v.b, s.x * v.y + r * v.a], mu)
    return Case(rubbed(system, contact), *s.start(system, q, v), 1.2 * s.T, {})


STEEP = math.atan(2.0)
MOTIONS = {
    "ball that bounces": lambda s: particle(s, [0.0, 0.3], [0.7, 0.0], e=0.5),
    "ball that does not": lambda s: particle(s, [0.0, 0.3], [0.7, 0.0]),
    "ball over a floor at 1": lambda s: particle(s, [0.0, 1.3], [0.7, 0.0], foot=1.0, e=0.5),
    "block that stops": lambda s: particle(s, [0.0, 0.0], [2.0, 0.0], mu=0.5, tilt=0.2),
    "block that turns round": lambda s: particle(s, [0.0, 0.0], [-0.5, 0.0], mu=0.2, tilt=0.4),
    "block in space": lambda s: particle(s, [0.0] * 3, [0.0, 2.0, 0.0], mu=0.5, tilt=0.2, space=True),
    "ball in space": lambda s: ball(s, [0, 0, 0.6, 0, 0, 0], [0.3, 0, 0, 30.0, 60.0, 5.0]),
    "two balls": two_balls,
    "box that tips": lambda s: box(s, 0.2, 1.0, [0.0, 1.0, 0.0], [0.0] * 3, mu=0.9, tilt=0.5, t_end=0.6),
    "plank that rocks to rest": lambda s: box(
        s, 0.5, 0.5, [0.0, 0.5 * (math.cos(0.1) + math.sin(0.1)), 0.1], [0.0] * 3, mu=5.0, t_end=0.5
    ),
    "box on its corner": lambda s: box(
        s, 0.5, 0.3, [0.0, 1.0, 0.3], [0.4, 0.0, 0.3], mu=0.2, e=0.2, t_end=0.7, impacts="stronge"
    ),
    "rod in Painlevé's paradox": lambda s: rod(
        s, [0.0, math.sin(STEEP), STEEP], [-1.0, 0.0, 0.0], mu=2.0, t_end=0.3, paradox="impact"
    ),
    "rod that jams": lambda s: rod(
        s,
        [0.0, math.sin(0.5), 0.5],
        [-8.0 - 2.0 * math.sin(0.5), 2.0 * math.cos(0.5), 2.0],
        mu=1.9,
        t_end=0.2,
        paradox="impact",
    ),
}
EVENTS = {  # what the reference must have, so that no family passes for having none
    "ball that bounces": {"impact", "accumulation"},
    "ball that does not": {"impact"},
    "ball over a floor at 1": {"impact", "accumulation"},
    "block that stops": {"stick"},
    "block that turns round": {"slip"},
    "block in space": {"stick"},
    "ball in space": {"impact", "stick", "accumulation"},
    "two balls": {"impact", "accumulation"},
    "box that tips": set(),
    "plank that rocks to rest": {"impact", "stick", "contact"},
    "box on its corner": {"impact", "slip", "stick", "accumulation"},
    "rod in Painlevé's paradox": {"impact", "stick"},
    "rod that jams": {"impact"},
}


def motion(case, s):
    """The events with their times, the modes and the last state, in L, T and m."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", g.errors.MotionWarning)
        run = g.simulate(case.system, case.q, case.v, t_end=case.t_end, **case.options)
    unit = s.units(case.system)
    return (
        run.ending.kind,
        [(event.kind, event.name) for event in run.events],
        np.array([event.t / s.T for event in run.events]),
        np.concatenate([run.q[-1] / unit, run.v[-1] / unit * s.T]),
    )


REFERENCES: dict[str, object] = {}


def reference(name):
    if name not in REFERENCES:
        REFERENCES[name] = motion(MOTIONS[name](ONE), ONE)
    return REFERENCES[name]


FAST = ("ball that does not", "block that stops", "block that turns round", "rod in Painlevé's paradox")
FEW = ("lengths 1e-9", "times 2^20")
SOME = ("lengths 1e-9", "lengths 1e9", "lengths and gravity 1e-9", "masses 1e-6")


@pytest.mark.sampled(14)
@pytest.mark.parametrize(
    ("name", "scale"), [(name, scale) for name in MOTIONS for scale in (SCALES if name in FAST else FEW)]
)
def test_a_scaled_motion_has_the_same_events_at_the_same_times(name, scale):
    ending, kinds, times, last = reference(name)
    assert EVENTS[name] <= {kind for kind, _ in kinds}
    s = SCALES[scale]
    found = motion(MOTIONS[name](s), s)
    assert found[:2] == (ending, kinds)
    np.testing.assert_allclose(found[2], times, rtol=0, atol=TIME)
    np.testing.assert_allclose(found[3], last, rtol=0, atol=PLACE)


def states(s):
    """Systems in states at and near contact, with what the law of contact says of them."""
    flat = {
        "at rest": ([0.0, 0.0], [0.0, 0.0]),
        "sliding": ([1.0, 0.0], [1.0, 0.0]),
        "falling on": ([1.0, 0.0], [1.0, -1.0]),
        "leaving": ([1.0, 0.0], [0.0, 1.0]),
        "a thousandth above": ([1.0, 1e-3], [0.0, 0.0]),
        "a thousandth above, alone": ([0.0, 1e-3], [0.0, 0.0]),
        "a thousandth inside": ([1.0, -1e-3], [1.0, 0.0]),
        "hitting slowly": ([1.0, 0.0], [1.0, -1e-6]),
    }
    for name, (q, v) in flat.items():
        yield name, particle(s, q, v, mu=0.5, tilt=0.2)
    edge = 0.5 * math.sin(0.3) + 0.3 * math.cos(0.3)
    boxes = {
        "box flat": ([0.0, 0.3, 0.0], [0.0, 0.0, 0.0]),
        "box flat, sliding": ([0.0, 0.3, 0.0], [1.0, 0.0, 0.0]),
        "box falls flat": ([0.0, 0.3, 0.0], [0.2, -1.0, 0.0]),
        "box on its edge": ([0.0, edge, 0.3], [0.0, 0.0, 0.0]),
        "box falls on its edge": ([0.0, edge, 0.3], [0.1, -1.0, 0.2]),
        "box rocks": ([0.0, 0.3, 0.0], [0.0, 0.5, -1.0]),
    }
    for name, (q, v) in boxes.items():
        yield name, box(s, 0.5, 0.3, q, v, mu=0.4, e=0.3)
    balls = {
        "ball rolls": [1.0, 0, 0, 0, 10.0, 0],
        "ball slides": [1.0, 0, 0, 0, 0, 0],
        "hits": [1.0, 0, -2.0, 0, 0, 3],
    }
    for name, v in balls.items():
        yield name, ball(s, [0, 0, 0.1, 0, 0, 0], v)


REFERENCE_STATES: list[object] = []


def reference_states():
    if not REFERENCE_STATES:
        REFERENCE_STATES.extend((name, said(case, ONE)) for name, case in states(ONE))
    return REFERENCE_STATES


def said(case, s):
    """Verdicts and outcomes at a state, in L, T and m; of errors their type."""
    unit = s.units(case.system)

    def accelerate():
        step = g.accelerate(case.system, case.q, case.v)
        return step.verdicts, step.unique, step.a / unit * s.T**2

    def friction():
        found = solve_contacts(contact_problem(case.system, case.q, case.v))
        return found.verdict, tuple(each.modes for each in found.solutions)

    def impact(law):
        found = g.impact(case.system, case.q, case.v, law=law)
        return found.problem.names, found.unique, found.order_matters, found.v / unit * s.T

    questions = [accelerate, friction, *(lambda law=law: impact(law) for law in ("moreau", "poisson", "stronge"))]
    return [_answer(question) for question in questions]


def _answer(question):
    try:
        return question()
    except g.errors.GaussError as error:
        return (type(error).__name__,)


@pytest.mark.long
@pytest.mark.parametrize("scale", SOME)
def test_a_scaled_state_has_the_same_verdicts_forces_and_outcomes_of_impacts(scale):
    s = SCALES[scale]
    for (name, one), (_, other) in zip(reference_states(), states(s), strict=True):
        for wanted, found in zip(one, said(other, s), strict=True):
            if isinstance(wanted[-1], np.ndarray):
                assert found[:-1] == wanted[:-1], name
                np.testing.assert_allclose(found[-1], wanted[-1], rtol=1e-9, atol=1e-9, err_msg=name)
            else:
                assert found == wanted, name


def test_the_states_of_that_sample_differ():
    """Open, closed, refused; sticking, sliding: else equal verdicts would say nothing."""
    found = dict(reference_states())
    assert found["a thousandth above, alone"][0][2] == pytest.approx([G * math.sin(0.2), -G * math.cos(0.2)])
    assert found["at rest"][0][2] == pytest.approx([0.0, 0.0])  # it sticks
    assert found["hitting slowly"][0] == ("InconsistentStateError",)
    assert found["a thousandth inside"][2] == ("InconsistentStateError",)
    assert found["at rest"][1] == ("one", (("stick",),))
    assert found["sliding"][1] == ("one", (("slip+",),))
    assert found["box falls flat"][2][0] == ("left", "right")
    assert found["box falls on its edge"][2][0] == ("left",)
    assert found["ball rolls"][1] == ("one", (("stick",),))


def test_a_distant_or_fast_body_closes_no_other_contact():
    """A coordinate of 1e8 m leaves a gap of 1 µm open, and a speed of 1e4 m/s a rate of 1 µm/s."""
    system = g.System(
        "two",
        "x z",
        kinetic_energy=lambda v: 0.5 * (v.x**2 + v.z**2),
        potential_energy=lambda q: G * q.z,
        constraints=[g.Unilateral("floor", lambda q: q.z)],
    )
    assert g.accelerate(system, [1e8, 1e-6]).a == pytest.approx([0.0, -G])
    assert g.accelerate(system, [0.0, 0.0], [1e4, 1e-6]).a == pytest.approx([0.0, -G])
    with pytest.raises(g.errors.InconsistentStateError, match="closes further"):
        g.accelerate(system, [0.0, 0.0], [1e4, -1e-6])
