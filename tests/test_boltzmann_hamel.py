"""The equations of Boltzmann and Hamel: every nonholonomic scenario, any quasi-velocities, Lagrange and Voronets."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from formulation_systems import equal, rounding

import gauss as g
from gauss import scenario as scenarios
from gauss.errors import InputError, MassMatrixError
from gauss.formulations import (
    RigidBody,
    boltzmann_hamel,
    boltzmann_hamel_form,
    chart_acceleration,
    euler_lagrange,
    maggi,
    minimal_acceleration,
    voronets,
)
from gauss.formulations.boltzmann.frame import frame_at
from gauss.model import ModelFunction, Named, as_list, as_rows, as_scalar, as_vector

# --- H1: the accelerations of every nonholonomic scenario -----------------------------------------------------


class Model:
    """A system with linear velocity rows only, as plain functions of (q, v, t) for the witness."""

    def __init__(self, system):
        self.system, self.names = system, system.coordinates
        self.parameters = Named(tuple(system.parameters), list(system.parameters.values()), "parameter")
        self.controls = Named(system.controls, [0.0] * len(system.controls), "control")
        self.blocks = [
            (ModelFunction.of(c.matrix, "qtp", c.name), ModelFunction.of(c.offset, "qtp", c.name), c.name)
            for c in system.constraints
        ]

    def place(self, q, v, t):
        velocities = Named(self.names, list(v), "velocity")
        coordinates = Named(self.names, list(q))
        return {"q": coordinates, "v": velocities, "t": t, "p": self.parameters, "u": self.controls}

    def kinetic(self, q, v, t):
        return as_scalar(self.system.kinetic_energy(self.place(q, v, t)), "T")

    def potential(self, q, t):
        return as_scalar(self.system.potential_energy(self.place(q, q, t)), "V")

    def force(self, q, v, t):
        return np.array(as_vector(self.system.force(self.place(q, v, t)), self.names, "force"), dtype=float)

    def rows(self, q, t):
        place = self.place(q, q, t)
        return np.array([row for matrix, _, name in self.blocks for row in as_rows(matrix(place), self.names, name)])

    def offset(self, q, t):
        place, found = self.place(q, q, t), []
        for matrix, offset, name in self.blocks:
            given = as_list(offset(place), name)
            count = len(as_rows(matrix(place), self.names, name))
            found += given if len(given) == count else given * count
        return np.array(found)

    def admissible(self, q, v, t):
        """The nearest velocity that the rows admit."""
        J = self.rows(q, t)
        return v - np.linalg.pinv(J) @ (J @ v + self.offset(q, t))

    def tolerance(self, q, v, a, t):
        """100·eps·cond·scale, with the largest terms of the equations as scale.

        The free acceleration belongs to them, as the rows take it back, and so do the rows' rates times the largest
        velocity: quasi-velocities mix the velocities, so each is known to eps times the largest.
        """
        turning = np.max(np.abs(self.rows(q + 1e-30j * v, t + 1e-30j).imag / 1e-30)) * np.max(np.abs(v))
        M, f = euler_lagrange(lambda q, v, t: self.kinetic(q, v, t) - self.potential(q, t), q, v, t, self.force)
        inertia = np.diag(M)
        scales = 1.0 / np.sqrt(np.where(inertia > 0.0, inertia, np.max(inertia)))  # some may have none of their own
        unit = scales[:, None] * M * scales
        free = scales * np.linalg.lstsq(unit, scales * f, rcond=1e-12)[0]
        scale = max(np.max(np.abs(a)), np.max(np.abs(free)), turning)
        sigma = np.linalg.svd(M, compute_uv=False)
        sigma = sigma[sigma > 1e-12 * sigma[0]]
        return rounding(scale, sigma[0] / sigma[-1] * np.linalg.cond(self.rows(q, t)))

    def common(self):
        return {"offset": self.offset, "force": self.force, "potential": self.potential}


def velocity_constrained(name):
    system = scenarios.load(name).system
    pfaffian = bool(system.constraints) and all(isinstance(c, g.Pfaffian) for c in system.constraints)
    return pfaffian and system.kinetic_energy is not None and system.black_box_force is None


SCENARIOS = Path(__file__).resolve().parent.parent / "scenarios"
WRITTEN = [name for name in scenarios.names() if "Pfaffian" in (SCENARIOS / f"{name}.py").read_text(encoding="utf-8")]
NONHOLONOMIC = [name for name in WRITTEN if velocity_constrained(name)]


def test_the_nonholonomic_scenarios_are_found():
    known = {"chaplygin_skater", "chaplygin_sleigh", "rolling_wheel", "rolling_ball", "ball_on_turntable"}
    assert known | {"boltzmann_hamel_cart"} <= set(NONHOLONOMIC)


@pytest.mark.sampled(14)
@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("name", NONHOLONOMIC)
def test_boltzmann_hamel_agrees_with_gauss_in_every_nonholonomic_scenario(name, seed):
    scenario = scenarios.load(name)
    model, t = Model(scenario.system), scenario.start.t + 0.1 * seed
    rng = np.random.default_rng(seed)
    start = scenario.system.state(scenario.start.q, scenario.start.v, t)
    q = start.q + 0.3 * rng.uniform(-1.0, 1.0, start.q.size)
    v = model.admissible(q, start.v + (1.0 + np.max(np.abs(start.v))) * rng.normal(size=q.size), t)
    if seed == 0:
        q, v = start.q, start.v  # with the zeros that a start has
    a = g.accelerate(scenario.system, list(q), list(v), t).a
    found = boltzmann_hamel_form(model.kinetic, model.rows, q, v, t, **model.common())
    assert np.max(np.abs(found - a)) <= model.tolerance(q, v, a, t)


def chosen(rows, free, mix):
    """α with free quasi-velocities free(q), mixed by a matrix that turns with the coordinates."""

    def alpha(q, t):
        turned = np.array(mix, dtype=complex) * np.cos(0.5 * q[0] + 0.2 * t) + np.eye(len(mix)) * 3.0
        return np.vstack([turned @ np.array(free(q)), rows(q, t)])

    return alpha


FREE = {  # free quasi-velocities as a textbook chooses them
    "chaplygin_skater": lambda q: [[np.cos(q[2]), np.sin(q[2]), 0.0], [0.0, 0.0, 1.0]],
    "chaplygin_sleigh": lambda q: [[np.cos(q[2]), np.sin(q[2]), 0.0], [0.0, 0.0, 1.0]],
    "rolling_wheel": lambda q: [[0.0, 0.0, 1.0, 0.0], [0.0, 0.0, 0.0, 1.0]],
    "rolling_ball": lambda q: [[0.0, 0.0, np.sin(q[3]), 0.0, 0.0], [0.0, 0.0, 0.0, 1.0, 0.0]],
    "ball_on_turntable": lambda q: np.eye(5)[[2, 3, 4]],
    "boltzmann_hamel_cart": lambda q: [[0.0, 0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 0.0, 0.0, 1.0]],
}


@pytest.mark.sampled(8)
@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("name", FREE)
def test_the_choice_of_quasi_velocities_does_not_matter(name, seed):
    scenario, rng = scenarios.load(name), np.random.default_rng([seed, 7])
    model, t, free = Model(scenario.system), 0.3, FREE[name]
    q = np.array(scenario.system.state(scenario.start.q).q) + 0.3 * rng.uniform(-1.0, 1.0, len(model.names))
    v = model.admissible(q, 2.0 * rng.normal(size=q.size), t)
    a = g.accelerate(scenario.system, list(q), list(v), t).a
    l = q.size - model.rows(q, t).shape[0]
    simple, turned = chosen(model.rows, free, np.zeros((l, l))), chosen(model.rows, free, rng.normal(size=(l, l)))

    def offset(q, t):
        return np.concatenate([np.zeros(l), model.offset(q, t)])

    for alpha in (simple, turned):
        R = np.real(alpha(q, t))
        common = model.common() | {"offset": offset}
        tolerance = model.tolerance(q, v, a, t) * np.linalg.cond(R)
        equations = boltzmann_hamel(model.kinetic, alpha, q, (R @ v)[:l], t, **common)
        assert np.max(np.abs(equations.v - v)) <= rounding(np.max(np.abs(v)), np.linalg.cond(R))
        assert np.max(np.abs(equations.a - a)) <= tolerance
        assert np.max(np.abs(maggi(model.kinetic, alpha, q, (R @ v)[:l], t, **common) - a)) <= tolerance


@pytest.mark.parametrize("seed", range(6))
def test_rheonomic_rows_with_offset_agree_with_gauss(seed):
    def T(q, v, t):
        mixed = (1.5 + g.sin(q[0]) ** 2) * v[0] ** 2 + 2.0 * v[1] ** 2 + (1.0 + q[2] ** 2) * v[2] ** 2 + v[3] ** 2
        return 0.5 * mixed + 0.3 * g.cos(q[1]) * v[0] * v[2] + 0.4 * g.sin(t) * q[0] * v[1] + 0.2 * q[3] * v[0]

    def rows(q, t):
        return [[g.sin(q[2] + t), -g.cos(q[2] + t), 0.0, 0.1 * q[0]], [q[1], 0.2 * g.exp(0.1 * t), 1.0, g.cos(q[3])]]

    def offset(q, t):
        return [0.5 * q[3] * g.cos(t), -0.3 * q[0] * q[1] + g.sin(2.0 * t)]

    system = g.System(
        "driven",
        coordinates="x y z w",
        kinetic_energy=lambda q, v, t: T(q, v, t),
        potential_energy=lambda q, t: g.sin(q[0]) * q[1] + t * q[3],
        force=lambda v, t: [-0.2 * v[0], t, 0.0, -v[3]],
        constraints=[g.Pfaffian("driven", lambda q, t: rows(q, t), offset=lambda q, t: offset(q, t))],
    )
    model, rng = Model(system), np.random.default_rng(seed)
    q, t = rng.uniform(-1.0, 1.0, 4), float(rng.uniform(-1.0, 1.0))
    v = model.admissible(q, rng.normal(size=4), t)
    a = g.accelerate(system, list(q), list(v), t).a
    found = boltzmann_hamel_form(model.kinetic, model.rows, q, v, t, **model.common())
    assert np.max(np.abs(found - a)) <= model.tolerance(q, v, a, t)


@pytest.mark.parametrize("seed", range(4))
def test_gradients_of_holonomic_constraints_are_rows_like_others(seed):
    """A skate on a moving paraboloid z = x² + y²/2 + sin t, in Cartesian coordinates and its heading."""

    def T(q, v, t):
        return 0.5 * (v[0] ** 2 + v[1] ** 2 + v[2] ** 2 + 0.3 * v[3] ** 2)

    def rows(q, t):
        return np.array([[-2.0 * q[0], -q[1], 1.0, 0.0], [np.sin(q[3]), -np.cos(q[3]), 0.0, 0.0]])

    def offset(q, t):
        return np.array([-np.cos(t), 0.0])

    system = g.System(
        "skate in a bowl",
        coordinates="x y z phi",
        kinetic_energy=lambda q, v, t: T(q, v, t),
        potential_energy=lambda q: 9.81 * q.z,
        constraints=[
            g.Holonomic("bowl", lambda q, t: q.z - q.x**2 - 0.5 * q.y**2 - g.sin(t)),
            g.Pfaffian("no side slip", lambda q: [g.sin(q.phi), -g.cos(q.phi), 0.0, 0.0]),
        ],
    )
    rng = np.random.default_rng(seed)
    x, y, phi, t = rng.uniform(-1.0, 1.0, 4)
    q = np.array([x, y, x**2 + 0.5 * y**2 + np.sin(t), phi])
    J = rows(q, t)
    v = rng.normal(size=4)
    v = v - np.linalg.pinv(J) @ (J @ v + offset(q, t))
    a = g.accelerate(system, list(q), list(v), t).a
    found = boltzmann_hamel_form(T, rows, q, v, t, offset=offset, potential=lambda q, t: 9.81 * q[2])
    assert np.max(np.abs(found - a)) <= rounding(max(9.81, np.max(np.abs(a))), np.linalg.cond(J) / 0.3)


# --- closed forms ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(5))
def test_the_sleigh_of_the_references_in_speed_and_turning(seed):
    m, inertia, ahead = 1.2, 0.5, 0.3
    body = RigidBody(
        m,
        (inertia, inertia, inertia),
        lambda q, v, t: [
            np.cos(q[2]) * v[0] + np.sin(q[2]) * v[1],
            -np.sin(q[2]) * v[0] + np.cos(q[2]) * v[1] + ahead * v[2],
            0.0,
        ],
        lambda q, v, t: [0.0, 0.0, v[2]],
    )

    def alpha(q, t):
        return [[np.cos(q[2]), np.sin(q[2]), 0.0], [0.0, 0.0, 1.0], [-np.sin(q[2]), np.cos(q[2]), 0.0]]

    rng = np.random.default_rng(seed)
    q, (speed, turning) = rng.uniform(-3.0, 3.0, 3), rng.normal(size=2)
    equations = boltzmann_hamel(body, alpha, q, [speed, turning])
    exact = [ahead * turning**2, -m * ahead * speed * turning / (inertia + m * ahead**2)]
    assert equal(equations.omega_dot, np.array(exact))
    # the only symbols that do not vanish couple speed and slip by turning
    Gamma = np.zeros((3, 3, 3))
    Gamma[0, 1, 2], Gamma[0, 2, 1], Gamma[2, 0, 1], Gamma[2, 1, 0] = -1.0, 1.0, -1.0, 1.0
    assert equal(equations.frame.Gamma, Gamma)
    # the whole right-hand side is the momentum of the vanishing quasi-velocity: were the constraint put into T* before
    # the differentiation, the sleigh would go straight on
    momentum = m * ahead * turning
    assert equal(equations.T_Q[2], momentum)
    assert equal(equations.B, momentum * np.array([turning, -speed]))


def euler_angles_rotation(q, v):
    """Angular velocity in body axes for the Euler angles Z(q0) X(q1) Z(q2)."""
    return [
        v[0] * np.sin(q[1]) * np.sin(q[2]) + v[1] * np.cos(q[2]),
        v[0] * np.sin(q[1]) * np.cos(q[2]) - v[1] * np.sin(q[2]),
        v[0] * np.cos(q[1]) + v[2],
    ]


def body_rates(q, t):
    return np.array([euler_angles_rotation(q, e) for e in np.eye(3)]).T


@pytest.mark.parametrize("seed", range(5))
def test_a_free_body_obeys_eulers_equations(seed):
    rng = np.random.default_rng(seed)
    J, q, Omega = (0.4, 0.7, 0.9), [0.3, 1.1, -0.6] + 0.3 * rng.normal(size=3), rng.normal(size=3)
    body = RigidBody(1.0, J, lambda q, v, t: 0 * v, lambda q, v, t: euler_angles_rotation(q, v))
    equations = boltzmann_hamel(body, body_rates, q, Omega)
    cond = np.linalg.cond(body_rates(q, 0.0))
    levi_civita = np.array([[[(i - j) * (j - k) * (k - i) / 2 for k in range(3)] for j in range(3)] for i in range(3)])
    assert equal(np.abs(equations.frame.Gamma), np.abs(levi_civita), cond**2)
    euler = -np.cross(Omega, np.multiply(J, Omega)) / J
    assert equal(equations.omega_dot, euler, cond**2 * max(J) / min(J), np.max(np.abs(Omega)) ** 2)
    gyroscopic = np.einsum("r,rka,a->k", equations.T_Q, equations.frame.Gamma, Omega)
    assert equal(gyroscopic, np.cross(Omega, np.multiply(J, Omega)), cond**2, np.max(np.abs(Omega)) ** 2)


@pytest.mark.parametrize("seed", range(5))
def test_the_ball_on_a_turntable_in_true_angles_agrees_with_gauss_in_quasi_coordinates(seed):
    """The scenario takes the angular velocity for velocities of coordinates; here the orientation has Euler angles."""
    scenario = scenarios.load("ball_on_turntable")
    m, r, inertia, table = (scenario.system.parameters[name] for name in ("m", "r", "I", "Omega"))

    def space_rates(q, v):
        """Angular velocity in fixed axes for the Euler angles Z(q2) X(q3) Z(q4)."""
        node, axis = (np.cos(q[2]), np.sin(q[2])), (np.sin(q[3]) * np.sin(q[2]), -np.sin(q[3]) * np.cos(q[2]))
        return [v[3] * node[0] + v[4] * axis[0], v[3] * node[1] + v[4] * axis[1], v[2] + v[4] * np.cos(q[3])]

    ball = RigidBody(m, (inertia,) * 3, lambda q, v, t: [v[0], v[1], 0.0], lambda q, v, t: space_rates(q, v))

    def alpha(q, t):
        spin = np.array([space_rates(q, e) for e in np.eye(5)]).T
        return np.vstack([spin, np.eye(5)[0] - r * spin[1], np.eye(5)[1] + r * spin[0]])

    def offset(q, t):
        return [0.0, 0.0, 0.0, table * q[1], -table * q[0]]

    rng = np.random.default_rng(seed)
    q = np.concatenate([rng.normal(size=2), rng.uniform(0.5, 2.5, 3)])
    spin = rng.normal(size=3) * 5.0
    v = [r * spin[1] - table * q[1], -r * spin[0] + table * q[0], *spin]
    a = g.accelerate(scenario.system, [*q[:2], 0.0, 0.0, 0.0], v).a
    equations = boltzmann_hamel(ball, alpha, q, spin, offset=offset)
    cond = np.linalg.cond(np.array(alpha(q, 0.0))) ** 2
    assert np.max(np.abs(equations.frame.Gamma)) > 0.5  # the symbols are those of rotations,
    assert equal(equations.omega_dot, a[2:], cond, np.max(np.abs(spin)) ** 2)
    assert equal(equations.a[:2], a[:2], cond, r * np.max(np.abs(spin)) ** 2)
    # but they drop out, as moment of momentum and angular velocity of a homogeneous ball are parallel
    gyroscopic = np.einsum("r,rka,a->k", equations.T_Q, equations.frame.Gamma, equations.frame.omega)
    assert equal(gyroscopic, np.zeros(5), cond, inertia * np.max(np.abs(spin)) ** 2)


# --- H2: without constraints, and without symbols -------------------------------------------------------------


def double_pendulum(q, v, t):
    mixed = 0.8 * v[0] * v[1] * np.cos(q[0] - q[1])
    return 0.9 * v[0] ** 2 + 0.6 * v[1] ** 2 + mixed + 0.1 * np.sin(t) * v[1] + 0.4 * v[2] ** 2 * (1.0 + q[0] ** 2)


def height(q, t):
    return -12.0 * np.cos(q[0]) - 5.0 * np.cos(q[1]) + 2.0 * q[2] ** 2


def lagrangian(q, v, t):
    return double_pendulum(q, v, t) - height(q, t)


def pushed(q, v, t):
    return np.array([0.3, -v[1], t * v[0]])


def coordinates(q, t):
    """Other coordinates s of the same system."""
    return [q[0] + 0.3 * np.sin(q[1]), q[1] - 0.2 * q[2] ** 2, np.sinh(q[2]) + 0.1 * q[0] * q[1]]


def differentials(q, t):
    return [
        [1.0, 0.3 * np.cos(q[1]), 0.0],
        [0.0, 1.0, -0.4 * q[2]],
        [0.1 * q[1], 0.1 * q[0], np.cosh(q[2])],
    ]


def anholonomic(q, t):
    return [
        [np.cos(q[1]), np.sin(q[1]), t],
        [-np.sin(q[1]), np.cos(q[1]), q[0]],
        [0.0, 0.2 * q[2] * q[0], 1.5 + np.sin(q[0]) ** 2],
    ]


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("alpha", [lambda q, t: np.eye(3), differentials, anholonomic], ids=["q", "s(q)", "neither"])
def test_without_constraints_the_equations_are_lagranges_in_any_quasi_velocities(alpha, seed):
    rng = np.random.default_rng(seed)
    q, omega, t = rng.uniform(-1.0, 1.0, 3), 2.0 * rng.normal(size=3), 0.6
    equations = boltzmann_hamel(double_pendulum, alpha, q, omega, t, potential=height, force=pushed)
    v = np.linalg.solve(np.array(alpha(q, t)), omega)
    a = minimal_acceleration(lagrangian, q, v, t, pushed)
    R = np.linalg.cond(np.array(alpha(q, t)))
    cond = R**2 * np.linalg.cond(equations.A)
    assert equal(equations.v, v, R)
    assert equal(equations.a, a, cond, float(v @ v) + 12.0)
    whole = boltzmann_hamel(lagrangian, alpha, q, omega, t, force=pushed)
    assert equal(whole.a, a, cond, float(v @ v) + 12.0)
    symbols = np.max(np.abs(equations.frame.Gamma))
    assert symbols <= rounding(1.0, R**2) if alpha is not anholonomic else symbols > 0.1


@pytest.mark.parametrize("seed", range(5))
def test_with_gamma_zero_the_rates_are_second_derivatives_of_other_coordinates(seed):
    rng = np.random.default_rng(seed)
    q, omega, t = rng.uniform(-1.0, 1.0, 3), 2.0 * rng.normal(size=3), 0.6
    equations = boltzmann_hamel(double_pendulum, differentials, q, omega, t, potential=height, force=pushed)
    _, s_dot, s_ddot = chart_acceleration(coordinates, q, equations.v, equations.a, t)
    cond = np.linalg.cond(np.array(differentials(q, t))) ** 2 * np.linalg.cond(equations.A)
    scale = (float(omega @ omega) + 12.0) * 16.0  # Cauchy's formula on a circle of radius 1/4 divides by its square
    assert equal(s_dot, omega, cond, scale)
    assert equal(equations.omega_dot, s_ddot, cond, scale)


# --- H3: the forms of Maggi and of Voronets -------------------------------------------------------------------


def solved_rows(q, t):
    """B with ẋ_dep = B ẋ_ind + B₀ for the coordinates (z, w) in terms of (x, y)."""
    return [
        [np.sin(q[1]) + q[3], 0.3 * q[0] * q[2], 0.2 * np.cos(t) * q[0]],
        [np.cos(q[0] + t), 0.5 - q[2], 0.4 * q[3] * t],
    ]


def four(q, v, t):
    mixed = (1.5 + np.sin(q[0]) ** 2) * v[0] ** 2 + 2.0 * v[1] ** 2 + (1.0 + q[2] ** 2) * v[2] ** 2 + v[3] ** 2
    return 0.5 * mixed + 0.3 * np.cos(q[1]) * v[0] * v[2] + 0.4 * np.sin(t) * q[0] * v[1]


@pytest.mark.parametrize("seed", range(6))
def test_velocities_as_quasi_velocities_give_voronets_equations(seed):
    rng = np.random.default_rng(seed)
    q, u, t = rng.uniform(-1.0, 1.0, 4), rng.normal(size=2), 0.8

    def alpha(q, t):
        B = np.array(solved_rows(q, t))
        return np.block([[np.eye(2), np.zeros((2, 2))], [-B[:, :2], np.eye(2)]])

    def offset(q, t):
        return np.concatenate([np.zeros(2), -np.array(solved_rows(q, t))[:, 2]])

    def potential(q, t):
        return np.sin(q[0]) * q[3] + q[2] * t

    push = {"force": lambda q, v, t: -0.1 * v, "potential": potential}
    equations = boltzmann_hamel(four, alpha, q, u, t, offset=offset, **push)
    expected = voronets(
        lambda q, v, t: four(q, v, t) - potential(q, t), solved_rows, (0, 1), q, equations.v, t, push["force"]
    )
    cond = np.linalg.cond(np.array(alpha(q, t))) ** 2 * np.linalg.cond(equations.A)
    scale = float(equations.v @ equations.v) + 1.0
    assert equal(equations.a, expected, cond, scale)
    assert equal(maggi(four, alpha, q, u, t, offset=offset, **push), expected, cond, scale)
    # Voronets' coefficients are the symbols with the upper index of a constraint; all others vanish
    assert np.max(np.abs(equations.frame.Gamma[:2])) <= rounding(1.0, cond)
    assert np.max(np.abs(equations.frame.Gamma[2:, :2, :2])) > 0.1


@pytest.mark.parametrize("name", ["rolling_wheel", "rolling_ball"])
def test_chaplygins_systems_in_voronets_form(name):
    """Rows solved for the dependent velocities of a scenario, against Gauss."""
    scenario = scenarios.load(name)
    model = Model(scenario.system)
    independent = {"rolling_wheel": (2, 3), "rolling_ball": (2, 3)}[name]
    rest = [i for i in range(scenario.system.n) if i not in independent]

    def slopes(q, t):
        J = model.rows(q, t)
        return -np.linalg.solve(J[:, rest], J[:, list(independent)])

    rng = np.random.default_rng(5)
    q = np.array(scenario.system.state(scenario.start.q).q) + 0.3 * rng.uniform(-1.0, 1.0, scenario.system.n)
    v = model.admissible(q, rng.normal(size=q.size), 0.0)
    a = g.accelerate(scenario.system, list(q), list(v)).a

    def energy(q, v, t):
        return model.kinetic(q, v, t) - model.potential(q, t)

    assert np.max(np.abs(voronets(energy, slopes, independent, q, v, 0.0) - a)) <= model.tolerance(q, v, a, 0.0)


# --- what is refused ------------------------------------------------------------------------------------------


def plain(q, v, t):
    return 0.5 * (v[0] ** 2 + v[1] ** 2)


def unit(q, t):
    return np.eye(2)


def test_dependent_quasi_velocities_are_refused():
    with pytest.raises(InputError, match="singular"):
        boltzmann_hamel(plain, lambda q, t: [[1.0, q[0]], [2.0, 2.0 * q[0]]], [0.3, 0.2], [1.0])
    with pytest.raises(InputError, match="singular"):
        boltzmann_hamel(plain, lambda q, t: [[1.0, 1.0], [q[0], q[1]]], [0.0, 0.0], [1.0])
    with pytest.raises(InputError, match="dependent"):
        boltzmann_hamel_form(plain, lambda q, t: [[q[0], q[1]]], [0.0, 0.0], [1.0, 0.0])
    with pytest.raises(InputError, match="dependent"):
        boltzmann_hamel_form(plain, lambda q, t: [[1.0, q[1]], [2.0, 2.0 * q[1]]], [0.0, 0.3], [1.0, 0.0])


def test_functions_of_the_wrong_kind_are_refused():
    still = RigidBody(1.0, (1.0, 1.0, 1.0), lambda q, v, t: [v[0], v[1], 0.0], lambda q, v, t: [0.0, 0.0, 0.0])
    crooked = RigidBody(1.0, (1.0, 1.0, 1.0), lambda q, v, t: [v[0] ** 2, v[1], 0.0], still.rotation)
    with pytest.raises(InputError, match="not linear"):
        boltzmann_hamel(crooked, unit, [0.1, 0.2], [1.0, 2.0])
    with pytest.raises(InputError, match="quadratic"):
        boltzmann_hamel(lambda q, v, t: v[0] ** 4 + v[1] ** 2, unit, [0.1, 0.2], [1.0, 2.0])
    with pytest.raises(InputError, match="alpha"):
        boltzmann_hamel(plain, lambda q, t: np.diag([1.0 + np.abs(q[0]), 1.0]), [0.1, 0.2], [1.0, 2.0])
    with pytest.raises(InputError, match="alpha returns 3"):
        boltzmann_hamel(plain, lambda q, t: [1.0, 2.0, 3.0], [0.1, 0.2], [1.0, 2.0])
    with pytest.raises(InputError, match="offset returns 1"):
        boltzmann_hamel(plain, unit, [0.1, 0.2], [1.0, 2.0], offset=lambda q, t: [0.0])
    flat = RigidBody(1.0, (1.0, 1.0, 1.0), lambda q, v, t: [v[0], v[1]], still.rotation)
    with pytest.raises(InputError, match="returns 2"):
        boltzmann_hamel(flat, unit, [0.1, 0.2], [1.0, 2.0])


def test_bad_numbers_are_refused():
    still = RigidBody(1.0, (1.0, 1.0, 1.0), lambda q, v, t: [v[0], v[1], 0.0], lambda q, v, t: [0.0, 0.0, 0.0])
    with pytest.raises(InputError, match="3 quasi-velocities"):
        boltzmann_hamel(plain, unit, [0.1, 0.2], [1.0, 2.0, 3.0])
    with pytest.raises(InputError, match="rows returns 3"):
        boltzmann_hamel_form(plain, lambda q, t: [1.0, 2.0, 3.0], [0.1, 0.2], [1.0, 0.0])
    with pytest.raises(InputError, match="names must differ"):
        boltzmann_hamel([still, still], unit, [0.1, 0.2], [1.0, 2.0])
    with pytest.raises(InputError, match="mass"):
        boltzmann_hamel(RigidBody(0.0, (1.0, 1.0, 1.0), *([still.velocity] * 2)), unit, [0.1, 0.2], [1.0, 2.0])
    with pytest.raises(InputError, match="moments of inertia"):
        boltzmann_hamel(RigidBody(1.0, (1.0, -1.0, 1.0), *([still.velocity] * 2)), unit, [0.1, 0.2], [1.0, 2.0])
    with pytest.raises(MassMatrixError, match="positive definite"):
        boltzmann_hamel(lambda q, v, t: v[0] ** 2, unit, [0.1, 0.2], [1.0, 2.0])


def test_as_many_rows_as_coordinates_decide_alone():
    def rows(q, t):
        return np.array([[1.0, q[0]], [0.0, 2.0]])

    def offset(q, t):
        return np.array([-np.sin(t), -(t**2)])

    q, t = [0.3, -0.2], 0.7
    v = np.linalg.solve(rows(q, t), [np.sin(t), t**2])
    a = np.linalg.solve(rows(q, t), [np.cos(t) - v[0] * v[1], 2.0 * t])
    assert equal(boltzmann_hamel_form(plain, rows, q, v, t, offset=offset), a)
    assert boltzmann_hamel(plain, rows, q, [], t, offset=offset).omega_dot.shape == (0,)


def test_quasi_velocities_may_have_any_units():
    model = Model(scenarios.load("boltzmann_hamel_cart").system)
    q, u = np.array([0.3, -0.2, 0.7, 0.1, 0.5]), np.array([1.3, -0.4])
    free = FREE["boltzmann_hamel_cart"]

    def alpha(units):
        return lambda q, t: np.vstack([np.diag(units) @ np.array(free(q)), model.rows(q, t)])

    a = boltzmann_hamel(model.kinetic, alpha([1.0, 1.0]), q, u).a
    other = boltzmann_hamel(model.kinetic, alpha([1e6, 1e-5]), q, u * [1e6, 1e-5]).a
    assert equal(other, a, 1e3)  # the condition of M, 400, and of the rows; not that of the units, 1e11
    assert math.isclose(frame_at(alpha([1e6, 1e-5]), q, u * [1e6, 1e-5]).v[2], u[0], rel_tol=1e-14)
