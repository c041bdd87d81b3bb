"""Numbers at the ends of what a float holds: no warning of a library, no nan, and what is nearly nothing is nothing.

Warnings are errors in these tests, as in all.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from frictional import Rub, rubbed
from rich.console import Console

import gauss as g
from gauss.contact import (
    collide,
    contact_problem,
    findings_at,
    impact_problem,
    p_matrix,
    solve_contacts,
)
from gauss.foundation import norms
from gauss.show import verdict_page

DENORMAL = (5e-324, -1e-310, 2e-308, 1e-160)  # or their squares are


def cross(mass=1.0):
    return particle(mass, g.Holonomic("xy", lambda q: q.x * q.y))


def particle(mass, *rows):
    return g.System(
        "particle",
        "x y",
        kinetic_energy=lambda v: 0.5 * mass * (v.x**2 + v.y**2),
        potential_energy=lambda q: mass * 9.81 * q.y,
        constraints=rows,
    )


def rod(length=1.0, mass=1.0):
    return particle(mass, g.Holonomic("rod", lambda q: q.x**2 + q.y**2 - length**2))


def floor(restitution=0.5):
    return particle(1.0, g.Unilateral("floor", lambda q: q.y, restitution=restitution))


MODELS = {
    "cross": (cross, [1, 0], [1, 0]),
    "cross, across": (cross, [1, 0], [0, -1]),
    "square": (lambda: particle(1.0, g.Holonomic("square", lambda q: q.y**2)), [0, 1], [1, 0]),
    "floor": (floor, [0, 1], [1, -1]),
    "free": (lambda: particle(1.0), [1, -1], [1, 1]),
    "skate": (lambda: particle(1.0, g.Pfaffian("edge", lambda q: [-g.sin(q.x), g.cos(q.x)])), [1, 0], [1, 0]),
}


@pytest.mark.parametrize("name", MODELS)
def test_a_denormal_state_is_that_of_zero(name):
    build, at, speed = MODELS[name]
    system = build()
    rest = g.classify(system, [0.0, 0.0], [0.0, 0.0])
    for x in DENORMAL:
        found = g.classify(system, x * np.array(at), x * np.array(speed))
        assert found.verdicts == rest.verdicts
        assert found.sentence == rest.sentence
        if rest.answer is not None:
            assert np.array_equal(found.solution.a, rest.solution.a)


@pytest.mark.parametrize("speed", [1e-300, 1e-200, 1e-160, 1e-150, 1e-17])
def test_a_crossing_is_passed_slowly_without_overflow(speed):
    """The product of both distances from the axes stays zero: the acceleration is zero, or several are named."""
    found = g.classify(cross(), [0.0, 0.0], [speed, 0.0])
    assert found.verdicts in (("crossing",), ("branching",))
    if found.verdicts == ("crossing",):
        assert np.max(np.abs(found.solution.a)) <= 1e-12


@pytest.mark.parametrize("mass", [1e-300, 1e-200, 1e200, 1e300])
def test_the_acceleration_does_not_know_the_unit_of_mass(mass):
    """A pendulum a quarter turn up: a = −g e_y but for the rod, which carries the centripetal force alone."""
    found = g.accelerate(rod(mass=mass), [1.0, 0.0], [0.0, 2.0])
    assert found.a == pytest.approx([-4.0, -9.81], rel=1e-12)
    assert g.accelerate(cross(mass), [0.0, 0.0], [1.0, 0.0]).a == pytest.approx([0.0, 0.0], abs=1e-12)


@pytest.mark.parametrize("mass", [1e-20, 1e12, 1e30])
def test_a_motion_does_not_know_the_unit_of_mass(mass):
    """A pendulum that just turns over: how far it is off its rod is judged beside its size, whatever it weighs."""

    def turned(unit):
        pendulum = g.System(
            "pendulum",
            "x y",
            kinetic_energy=lambda v: 0.5 * unit * (v.x**2 + v.y**2),
            potential_energy=lambda q: unit * q.y,
            constraints=[g.Holonomic("rod", lambda q: q.x**2 + q.y**2 - 1.0)],
        )
        return g.simulate(pendulum, [0.0, -1.0], [2.002, 0.0], t_end=6.0)

    run, like = turned(mass), turned(1.0)
    assert run.ending.kind == "finished"
    assert run.q[-1] == pytest.approx(like.q[-1], abs=1e-8)


@pytest.mark.parametrize("length", [1e-9, 1e12, 1e100])
def test_a_rod_of_any_length_turns_without_gravity(length):
    """a = −v²/l along the rod."""
    weightless = g.System(
        "weightless",
        "x y",
        kinetic_energy=lambda v: 0.5 * (v.x**2 + v.y**2),
        constraints=[g.Holonomic("rod", lambda q: (q.x**2 + q.y**2) / length - length)],
    )
    found = g.accelerate(weightless, [length, 0.0], [0.0, 1.0])
    assert found.a == pytest.approx([-1.0 / length, 0.0], rel=1e-12)


def test_a_mass_whose_inverse_overflows_and_numbers_whose_squares_do_are_refused():
    with pytest.raises(g.errors.MassMatrixError, match="inverse overflows"):
        g.accelerate(rod(mass=1e-310), [1.0, 0.0])
    with pytest.raises(g.errors.InputError, match=r"v is so large that squares overflow \(y = 1e\+200\)"):
        g.accelerate(rod(), [1.0, 0.0], {"y": 1e200})


@pytest.mark.sampled(3)
@pytest.mark.parametrize("tiny", [5e-324, 1e-310, 1e-200, 1e-100])
def test_friction_with_tiny_coefficients_loads_and_speeds(tiny):
    """A block of 1 kg that is pushed along by 1 N, or rests under no weight, or slips hardly at all."""

    def block(weight, push):
        return g.System(
            "block",
            "x z",
            kinetic_energy=lambda v: 0.5 * (v.x**2 + v.z**2),
            force=[push, -weight],
            constraints=[g.Unilateral("floor", lambda q: q.z)],
        )

    for weight, push, mu in ((9.81, 1.0, tiny), (tiny, tiny, 0.3), (tiny, 0.0, 0.0), (9.81, tiny, 0.3)):
        contact = Rub("floor", lambda v: v.x, mu)
        system, zero = block(weight, push), np.zeros(2)
        found = solve_contacts(contact_problem(rubbed(system, contact), zero, zero))
        sticks = push <= mu * weight
        (solution,) = found.solutions
        assert solution.a == pytest.approx([0.0 if sticks else push, 0.0], abs=1e-12)
        assert findings_at(rubbed(system, contact), zero, zero) is not None
        assert solve_contacts(contact_problem(rubbed(system, contact), zero, zero)).solutions
        speed = np.array([tiny, -tiny])
        for law in ("moreau", "newton", "poisson", "stronge"):
            struck = collide(impact_problem(rubbed(system, contact), system.state(zero, speed)), law)
            assert np.all(np.isfinite(struck.v))
            assert np.max(np.abs(struck.v)) <= 2.0 * tiny


def test_norms_overflow_only_with_the_norm_itself():
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(5, 4))
    for scale in (1e-100, 1.0, 1e160, 1e300):
        assert norms(scale * rows, 1) == pytest.approx(scale * np.linalg.norm(rows, axis=1), rel=1e-14)
    assert norms(np.zeros((2, 0)), 1).tolist() == [0.0, 0.0]
    assert norms(1e200 * np.ones((2, 3, 3)), (1, 2)) == pytest.approx([3e200, 3e200])
    assert p_matrix(1e200 * np.eye(2)).verdict == p_matrix(np.eye(2)).verdict


def test_rounding_is_printed_as_zero():
    """A Zwang of 1e-30 and an acceleration of 1e-101 beside 9.81 are rounding."""
    page = verdict_page(printed_with(classified := g.classify(particle(1.0), [0.0, 0.0]), [1e-101, -9.81], 1e-30), "")
    assert classified.accelerations.candidates
    with (shown := Console(width=120)).capture() as text:
        shown.print(page)
    assert "x'' 0, y'' -9.81" in text.get()
    assert "e-" not in text.get().partition("as a motion")[2]


def printed_with(found, a, zwang):
    answers = found.accelerations
    (candidate,) = answers.candidates
    return replace(found, accelerations=replace(answers, candidates=(replace(candidate, a=np.array(a), zwang=zwang),)))


def test_a_film_of_a_scene_is_refused_with_what_draws_it(tmp_path):
    disc = g.nonsmooth.SceneBody("disc", g.nonsmooth.Disc(0.1), position=(0.0, 0.5))
    motion = g.nonsmooth.moreau(g.nonsmooth.Scene("one disc", [disc]), step=0.01, t_end=0.02)
    with pytest.raises(
        g.errors.InputError, match=r"got a NonsmoothMotion; a Scene is drawn .* gauss\.nonsmooth\.draw_scene"
    ):
        g.animate(motion, motion, tmp_path / "film.gif")
