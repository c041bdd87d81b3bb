"""Free bodies over many turns, and the stress in bodies, against closed forms and integrals over their points."""

from __future__ import annotations

import importlib.util
import json
from itertools import product
from pathlib import Path

import numpy as np
import pytest

import gauss as g
from gauss import bodies as mb
from gauss.errors import InputError

ROOT = Path(__file__).resolve().parent.parent
GAUSS = np.array([-1.0, 0.0, 1.0]) * np.sqrt(0.6) / 2, np.array([5.0, 8.0, 5.0]) / 18  # on (−½, ½), exact to degree 5
SIDES = np.array([0.9, 0.5, 0.3])  # m
MASS = 2.5  # kg
ACROSS = np.array([0.2, -0.6, 0.4])


def campaign():
    spec = importlib.util.spec_from_file_location("free_body_campaign", ROOT / "validation" / "free_body.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def hat(w):
    return np.array([[0.0, -w[2], w[1]], [w[2], 0.0, -w[0]], [-w[1], w[0], 0.0]])


def masses(at=(0, 0, 0), sides=SIDES):
    """Points (27, 3) of a uniform box in its own axes, about `at`, and their masses."""
    points = np.array(list(product(GAUSS[0], repeat=3))) * sides + at
    return points, MASS * np.array([a * b * c for a, b, c in product(GAUSS[1], repeat=3)])


def virial(places, pulls):
    """Symmetric part of Σ F ⊗ x (3, 3)."""
    total = np.asarray(pulls).T @ np.asarray(places)
    return (total + total.T) / 2


def inertial(places, weights, omega, alpha, acceleration=(0, 0, 0), gravity=(0, 0, 0)):
    """∫(g − ẍ) ⊗ x dm of points at `places` (p, 3) from a point with the acceleration given; vectors in space."""
    motion = np.asarray(acceleration) + places @ (hat(alpha) + hat(omega) @ hat(omega)).T
    return virial(places, weights[:, None] * (np.asarray(gravity) - motion))


# ---------------------------------------------------------------- many turns


def test_ten_turns_of_the_symmetric_body_follow_the_closed_form_and_a_hundred_are_stored():
    found = campaign().symmetric(10)
    assert found["rotation_error"] < 1e-12  # 1.3e-11 over a hundred turns, growing with the square of the time
    assert found["largest_eigenvalue"] < 0.0
    stored = json.loads((ROOT / "validation" / "free_body.json").read_text(encoding="utf-8"))
    assert stored["symmetric"]["turns"] == 100
    assert stored["symmetric"]["rotation_error"] < 1e-10
    assert stored["symmetric"]["largest_eigenvalue"] < 0.0


def test_the_closed_form_of_the_campaign_is_that_of_matrix_exponentials():
    from scipy.linalg import expm

    module = campaign()
    omega, z, rate = module.OMEGA, module.AXIS, (module.C / module.B - 1.0) * (module.AXIS @ module.OMEGA)
    times = np.array([0.0, 0.3, 2.0, 7.0])
    exact = [expm(t * hat(omega + rate * z)) @ expm(-t * rate * hat(z)) for t in times]
    np.testing.assert_allclose(module.closed_form(times), exact, atol=1e-13)


@pytest.mark.long
def test_an_asymmetric_body_keeps_energy_and_momentum_while_it_turns_over():
    found = campaign().asymmetric(20.0)
    assert found["turnings_over"] >= 3
    assert max(found["energy_error"], found["momentum_error"]) < 1e-11  # some 1e3 steps of rtol 1e-14
    assert found["largest_eigenvalue"] < 0.0
    stored = json.loads((ROOT / "validation" / "free_body.json").read_text(encoding="utf-8"))["asymmetric"]
    assert stored["turnings_over"] >= 30
    assert max(stored["energy_error"], stored["momentum_error"]) < 1e-10


# ---------------------------------------------------------------- stress


@pytest.fixture(scope="module")
def box():
    return mb.Body("box", mb.box(MASS, SIDES))


def test_stress_of_a_free_box_is_that_of_its_points_by_eulers_equations(box):
    free = mb.Mechanism("free", [box], gravity=(0, 0, 0))
    run = g.simulate(free.system, *free.state(box.pose(angular_velocity=(0.5, 3.0, -1.0))), t_end=0.5)
    found = mb.stress(free, run, box)
    assert found.shape == (len(run), 3, 3)
    points, weights = masses()
    J = weights @ np.sum(points**2, axis=1) * np.eye(3) - points.T @ (weights[:, None] * points)
    for k in (0, len(run) // 2, -1):
        R = np.array([[run[f"box_R{i}{j}"][k] for j in (1, 2, 3)] for i in (1, 2, 3)])
        W = np.array([[run[f"d_box_R{i}{j}"][k] for j in (1, 2, 3)] for i in (1, 2, 3)])
        S = R.T @ W
        w = np.array([S[2, 1], S[0, 2], S[1, 0]])
        alpha = np.linalg.solve(J, np.cross(J @ w, w))
        np.testing.assert_allclose(found[k], inertial(points @ R.T, weights, R @ w, R @ alpha), atol=1e-9)
    assert np.linalg.eigvalsh(found).min() > 0.0  # rotation pulls it apart


def test_a_hanging_bar_carries_half_its_weight_times_its_length_on_average():
    bar = mb.Body("bar", mb.box(MASS, SIDES, at=(0, 0, -0.15)))
    hanging = mb.Mechanism("bar", [bar], [mb.Spherical("pivot", mb.GROUND, (0, 0, 0), bar, (0, 0, 0))])
    step = g.accelerate(hanging.system, *hanging.state(bar.pose()))
    np.testing.assert_allclose(
        mb.stress(hanging, step, bar), np.diag([0, 0, MASS * 9.81 * 0.3 / 2]), atol=1e-12
    )  # ∫ N ds, N = mgz/l
    thin = mb.Rod("thin", mb.rod(MASS, (0, 0, 0), (0, 0, -0.8)))
    chain = mb.Mechanism("thin", [thin], [mb.Spherical("pivot", mb.GROUND, (0, 0, 0), thin, (0, 0, 0))])
    step = g.accelerate(chain.system, *chain.state(thin.pose(direction=(0, 0, 1))))
    np.testing.assert_allclose(mb.stress(chain, step, thin), np.diag([0, 0, MASS * 9.81 * 0.4]), atol=1e-12)


def test_a_spinning_rod_is_pulled_by_its_points():
    rod = mb.Rod("rod", mb.rod(MASS, (-0.5, 0, 0), (0.5, 0, 0)))
    free = mb.Mechanism("rod", [rod], gravity=(0, 0, 0))
    run = g.simulate(free.system, *free.state(rod.pose(direction=(1, 0, 0), angular_velocity=(0, 0, 3.0))), t_end=0.2)
    u = np.array([run[f"rod_u{k}"] for k in (1, 2, 3)]).T
    exact = 9.0 * MASS / 12.0 * u[:, :, None] * u[:, None, :]  # ω²∫x² dm
    np.testing.assert_allclose(mb.stress(free, run, rod), exact, atol=1e-9)


def test_stress_on_an_oblique_hinge_is_that_of_weight_and_inertia_about_the_hinge():
    """From a point of the hinge its force has no virial; its couple, which the oblique axis needs, has none either."""
    at, axis = np.array([0.3, 0.2, 0.1]), np.array([0.3, 1.0, 0.2]) / np.linalg.norm([0.3, 1.0, 0.2])
    flap = mb.Body("flap", mb.box(MASS, SIDES, at=at))
    hinge = mb.Revolute("hinge", mb.GROUND, (0, 0, 0), flap, (0, 0, 0), axis)
    swing = mb.Mechanism("flap", [flap], [hinge])
    q, v = swing.state(flap.pose(angular_velocity=2.0 * axis))
    points, weights = masses(at)
    J = weights @ np.sum(points**2, axis=1) * np.eye(3) - points.T @ (weights[:, None] * points)
    down = np.array([0, 0, -9.81])
    spin = axis @ np.cross(MASS * at, down) / (axis @ J @ axis)  # of a physical pendulum
    exact = inertial(points, weights, 2.0 * axis, spin * axis, gravity=down)
    step = g.accelerate(swing.system, q, v)
    np.testing.assert_allclose(mb.stress(swing, step, flap), exact, atol=1e-9)
    bare = -swing.multiplier_matrix(step, flap)
    assert np.max(np.abs(bare - exact)) > 0.1  # N m: without the correction for the rows of the axis
    run = g.simulate(swing.system, q, v, t_end=0.1)
    np.testing.assert_allclose(mb.stress(swing, run, flap)[0], exact, atol=1e-8)


def test_stress_of_two_welded_halves_and_of_a_hinge_given_on_either_side(box):
    """The side a joint names first does not matter: minus its force at the point of the other body."""
    lower = mb.Body("lower", mb.box(1.0, (0.2, 0.2, 0.4)))
    pair = [
        mb.Weld("weld", box, (0, 0, -0.15), lower, (0, 0, 0.2)),
        mb.Revolute("top", box, (0, 0, 0.15), mb.GROUND, (0, 0, 0), (0, 1, 0)),
    ]
    hanging = mb.Mechanism("pair", [box, lower], pair)
    q, v = hanging.state(box.pose((0, 0, -0.15)), lower.pose((0, 0, -0.5)))
    step = g.accelerate(hanging.system, q, v)
    whole, weight = 3.5 * 9.81, 9.81
    np.testing.assert_allclose(mb.stress(hanging, step, lower), np.diag([0, 0, weight * 0.2]), atol=1e-10)
    np.testing.assert_allclose(mb.stress(hanging, step, box), np.diag([0, 0, (whole + weight) / 2 * 0.3]), atol=1e-10)


def test_a_rail_carries_the_weight_where_the_carriage_is(box):
    """A level rail, held at its middle: the force of the carriage acts at the point of the carriage."""
    carriage = mb.Body("carriage", mb.box(1.0, (0.1, 0.1, 0.1)))
    joints = [
        mb.Weld("wall", mb.GROUND, (0, 0, 0), box, (0, 0, 0)),
        mb.Prismatic("rail", box, (0, 0, 0), carriage, (0, 0, 0), axis1=(1, 0, 0)),
    ]
    slide = mb.Mechanism("rail", [box, carriage], joints)
    step = g.accelerate(slide.system, *slide.state(box.pose(), carriage.pose((0.4, 0, 0))))
    exact = -9.81 * 0.4 / 2 * np.array([[0, 0, 1.0], [0, 0, 0], [1.0, 0, 0]])  # sym(F ⊗ x); the wall's couple has none
    np.testing.assert_allclose(mb.stress(slide, step, box), exact, atol=1e-10)


def test_a_ball_on_the_ground_is_pressed_and_rolling_pulls_it_apart_across_its_axis():
    ball = mb.Body("ball", mb.sphere(MASS, 0.2))
    floor = mb.RollingBall("floor", ball, 0.2)
    rolling = mb.Mechanism("ball", [ball], [floor])
    for rate in (0.0, 4.0):
        q, v = rolling.state(ball.pose((0, 0, 0.2), velocity=(0.2 * rate, 0, 0), angular_velocity=(0, rate, 0)))
        pressed = np.diag([0.0, 0.0, -MASS * 9.81 * 0.2])
        turning = rate**2 * MASS * 0.2**2 / 5 * np.diag([1.0, 0.0, 1.0])
        step = g.accelerate(rolling.system, q, v)
        np.testing.assert_allclose(mb.stress(rolling, step, ball), pressed + turning, atol=1e-10)


def test_opposite_forces_pull_and_a_couple_strains_only_by_inertia(box):
    pulls = [mb.PointForce(f"pull {s}", box, (s * 0.45, 0, 0), (s * 100.0, 0, 0)) for s in (-1, 1)]
    pulled = mb.Mechanism("pulled", [box], forces=pulls, gravity=(0, 0, 0))
    step = g.accelerate(pulled.system, *pulled.state(box.pose()))
    np.testing.assert_allclose(mb.stress(pulled, step, box), np.diag([90.0, 0, 0]), atol=1e-12)
    turned = mb.Mechanism("turned", [box], forces=[mb.Torque("motor", box, ACROSS)], gravity=(0, 0, 0))
    step = g.accelerate(turned.system, *turned.state(box.pose()))
    points, weights = masses()
    J = weights @ np.sum(points**2, axis=1) * np.eye(3) - points.T @ (weights[:, None] * points)
    exact = inertial(points, weights, np.zeros(3), np.linalg.solve(J, ACROSS))
    np.testing.assert_allclose(mb.stress(turned, step, box), exact, atol=1e-12)


def test_stress_that_is_not_determined_is_refused(box):
    hinges = [
        mb.Revolute(f"hinge {k}", mb.GROUND, (-0.45, 0, z), box, (-0.45, 0, z), (0, 0, 1))
        for k, z in ((1, -0.1), (2, 0.1))
    ]
    door = mb.Mechanism("door", [box], hinges)
    q, v = door.state(box.pose())
    for answer in (g.accelerate(door.system, q, v), g.simulate(door.system, q, v, t_end=0.01)):
        with pytest.raises(InputError, match=r"not determined, as the force of 'hinge 1' on it is not \(force 1, "):
            mb.stress(door, answer, box)


def test_bad_arguments_of_stress_give_one_clear_error(box):
    free = mb.Mechanism("free", [box])
    step = g.accelerate(free.system, *free.state(box.pose()))
    with pytest.raises(InputError, match="a Body or Rod of 'free'"):
        mb.stress(free, step, mb.Particle("p", 1.0))
    with pytest.raises(InputError, match=r"a Verdict of gauss\.accelerate or a run"):
        mb.stress(free, "step", box)
