"""The bridge to SymPy: models in and out, against closed forms, SymPy's own examples and published numbers."""

from __future__ import annotations

import ast
import importlib
import math
import re
from pathlib import Path

import casadi as ca
import numpy as np
import pytest
import sympy as sp
from sympy.physics.mechanics import (
    KanesMethod,
    LagrangesMethod,
    Lagrangian,
    Particle,
    Point,
    ReferenceFrame,
    RigidBody,
    dynamicsymbols,
    find_dynamicsymbols,
    inertia,
)
from sympy.physics.mechanics.models import multi_mass_spring_damper, n_link_pendulum_on_cart

import gauss as g
from gauss import commands, scenario
from gauss.analysis.symbolic import formulas
from gauss.errors import InputError, ModelError
from gauss.sympy import (
    crosscheck_sympy,
    from_kanes_method,
    from_lagranges_method,
    from_sympy,
    sympy_answer,
    to_lagranges_method,
    to_sympy,
)
from gauss.sympy.expressions import Instructions

ROOT = Path(__file__).resolve().parent.parent
EPS = float(np.finfo(float).eps)
t = dynamicsymbols._t


def holds(claims):
    assert claims
    for claim in claims:
        assert claim.holds, f"{claim.name}: {claim.error:.2e} > {claim.bound:.2e} ({claim.reason})"


# ------------------------------------------------------------------------------------------------ functions


x_ = sp.Symbol("x", real=True)
FUNCTIONS = [
    *(f(x_) for f in (sp.sin, sp.cos, sp.tan, sp.asin, sp.acos, sp.atan, sp.sinh, sp.cosh, sp.tanh, sp.asinh)),
    *(f(x_) for f in (sp.atanh, sp.exp, sp.log, sp.sqrt, sp.Abs, sp.sign, sp.erf, sp.floor, sp.ceiling, sp.Heaviside)),
    *(f(x_) for f in (sp.sec, sp.csc, sp.cot, sp.sech, sp.csch, sp.coth, sp.acot, sp.asech, sp.acsch, sp.sinc)),
    *(f(1 + x_) for f in (sp.acosh, sp.asec, sp.acsc, sp.acoth)),
    sp.sinc(0 * x_) + sp.sinc(x_ - sp.Rational(1, 2)),
    sp.atan2(x_ - 1, -x_),
    sp.Min(x_, 1 - x_, sp.Rational(1, 2)),
    sp.Max(x_, 1 - x_, sp.Rational(1, 2)),
    x_ ** sp.Rational(-3, 2) + x_ ** sp.Rational(2, 3) + x_**-2 + x_**5 + x_**sp.pi + 2**x_,
    sp.Heaviside(x_ - sp.Rational(1, 2), sp.Rational(1, 4)),
    sp.Piecewise((x_, x_ < sp.Rational(1, 2)), (sp.sin(x_), True)),
    sp.Piecewise((x_, x_ <= sp.Rational(1, 2)), (2, x_ > sp.Rational(3, 4)), (3, True)),
    sp.Piecewise((1, sp.And(x_ > sp.Rational(1, 4), x_ < sp.Rational(3, 4))), (2, True)),
    sp.Piecewise((1, sp.Or(x_ < sp.Rational(1, 4), x_ >= sp.Rational(3, 4))), (2, True)),
    sp.Piecewise((1, sp.Eq(x_, sp.Rational(1, 2))), (2, sp.Ne(x_, sp.Rational(1, 4))), (3, True)),
    sp.Piecewise((1, sp.Not(sp.And(x_ > sp.Rational(1, 4), x_ < sp.Rational(3, 4)))), (2, True)),
]
PLACES = (0.2, 0.25, 0.5, 0.75, 0.9)


@pytest.mark.sampled(8)
@pytest.mark.parametrize("formula", FUNCTIONS, ids=str)
def test_every_function_has_sympys_value_for_floats_arrays_and_traced_symbols(formula):
    program = Instructions.of([formula], [x_], "the test")
    x, y = dynamicsymbols("x y")
    system = from_sympy(y.diff(t) ** 2 / 2 + x.diff(t) ** 2 / 2, [x, y], forces={y: formula.subs(x_, x)})
    for place in PLACES:
        exact = float(formula.subs(x_, sp.Rational(place)).evalf(30))
        traced = float(g.accelerate(system, [place, 0.0]).a[1])
        found = [program([place])[0], program([np.array([place])])[0], traced]
        for value in found:
            # a few roundings, and the argument's rounding where the function is steep
            assert abs(float(np.ravel(value)[0]) - exact) <= 20 * EPS * max(1.0, abs(exact)), (place, value, exact)


def test_sympy_numbers_pass_through_a_program_exactly():
    program = Instructions.of([x_**2 / 3 + sp.sqrt(x_)], [x_], "the test")
    assert program([sp.Rational(1, 4)]) == [sp.Rational(25, 48)]


def test_complex_steps_through_a_program_give_the_derivative():
    formula = sp.sin(x_) ** 2 / x_ + sp.Abs(x_) ** sp.Rational(3, 2)
    program, h = Instructions.of([formula], [x_], "the test"), 1e-30
    exact = float(formula.diff(x_).subs(x_, sp.Rational(3, 10)).evalf(30))
    assert abs(program([0.3 + 1j * h])[0].imag / h - exact) <= 20 * EPS


def test_a_piecewise_has_a_value_everywhere_or_is_refused():
    pieces = sp.Piecewise((1, x_ < 0), (2, sp.And(x_ >= 0, x_ < 1)), (3, x_ >= 1))
    program = Instructions.of([pieces], [x_], "the test")
    assert [float(program([x])[0]) for x in (-1.0, 0.0, 0.5, 1.0)] == [1.0, 2.0, 2.0, 3.0]
    with pytest.raises(ModelError, match=r"end it with \(value, True\)"):
        Instructions.of([sp.Piecewise((1, x_ < 0), (2, x_ > 1))], [x_], "the test")


# ------------------------------------------------------------------------------------------------ Lagrangians


def test_driven_pendulum_follows_its_closed_form():
    """Pivot at height A cos(ωt), damping, torque u: l²mθ̈ = −m l (g + ÿ) sin θ − c θ̇ + u, ÿ = −A ω² cos ωt."""
    theta, u = dynamicsymbols(r"\theta_{1} u")
    m, l, G, c, A, w = sp.symbols("m l g c A omega", positive=True)
    place = sp.Matrix([l * sp.sin(theta), A * sp.cos(w * t) - l * sp.cos(theta)])
    speed = place.diff(t)
    L = m * speed.dot(speed) / 2 - m * G * place[1]
    numbers = {m: 2.0, l: 0.7, "g": 9.81, c: 0.3, A: 0.05, w: sp.Integer(20)}
    system = from_sympy(L, [theta], forces=[u - c * theta.diff(t)], parameters=numbers, controls=[u], name="pendulum")
    assert system.coordinates == ("theta_1",)
    assert system.controls == ("u",)
    for q, v, time, torque in ((0.4, 1.0, 0.3, 0.2), (-2.0, 3.0, 1.7, -1.0)):
        lift = -0.05 * 400 * math.cos(20 * time)
        exact = (-2.0 * 0.7 * (9.81 + lift) * math.sin(q) - 0.3 * v + torque) / (2.0 * 0.49)
        assert abs(g.accelerate(system, [q], [v], time, u=[torque]).a[0] - exact) <= 100 * EPS * 60


def test_energies_are_divided_as_asked():
    """A bead on a rod turning at Ω: T = m(ẋ² + Ω²x²)/2, V = kx²/2."""
    x = dynamicsymbols("x")
    L = x.diff(t) ** 2 / 2 + 9 * x**2 / 2 - 4 * x**2 / 2
    at_rest, given = from_sympy(L, [x]), from_sympy(L, [x], potential_energy=2 * x**2)
    for system, kinetic, potential in ((at_rest, 0.5, -2.5), (given, 5.0, 2.0)):
        found = system.model.energies(np.array([[1.0]]), np.array([[1.0]]), np.zeros(1), system.theta())
        assert np.allclose(np.ravel(found), [kinetic, potential], rtol=0, atol=4 * EPS)
        assert abs(g.accelerate(system, [1.0], [1.0]).a[0] - 5.0) <= 10 * EPS


def test_rows_are_of_the_right_kinds_and_names():
    x, y, z = dynamicsymbols("x y z")
    L = (x.diff(t) ** 2 + y.diff(t) ** 2 + z.diff(t) ** 2) / 2
    system = from_sympy(
        L,
        [x, y, z],
        {"sphere": sp.Eq(x**2 + y**2 + z**2, 1)},
        [x.diff(t) * sp.cos(z) - (y.diff(t) + x.diff(t)) ** 2 + (x.diff(t) + y.diff(t)) ** 2, x.diff(t) ** 2 - 1],
        unilateral={"floor": z},
    )
    assert system.row_names == ("sphere", "nonholonomic 1", "nonholonomic 2", "floor")
    assert tuple(system.model.kinds) == ("holonomic", "pfaffian", "nonholonomic", "unilateral")


def test_the_formula_that_was_put_in_comes_out_of_the_hamiltonian():
    x = dynamicsymbols("x")
    m, p = sp.symbols("m p_x", real=True)
    system = from_sympy(sp.Rational(1, 3) * sp.Symbol("m") * x.diff(t) ** 2 - sp.sin(x), [x], parameters={"m": 2})
    assert sp.sin(sp.Symbol("x", real=True)) + 3 * p**2 / (4 * m) == g.analysis.hamiltonian(system).H


def test_particle_on_a_cone_falls_as_its_closed_form_says():
    """At rest at s (cos φ, sin φ, 1) the acceleration is −g/2 (cos φ, sin φ, 1)."""
    x, y, z = dynamicsymbols("x y z")
    L = (x.diff(t) ** 2 + y.diff(t) ** 2 + z.diff(t) ** 2) / 2 - sp.Symbol("g") * z
    system = from_sympy(L, [x, y, z], x**2 + y**2 - z**2, parameters={"g": 9.81})
    a = g.accelerate(system, [0.6, 0.8, 1.0]).a
    assert np.allclose(a, -9.81 / 2 * np.array([0.6, 0.8, 1.0]), rtol=0, atol=100 * EPS * 9.81)


def test_chaplygin_sleigh_follows_its_reduced_equations():
    """With u along the blade, ω the turn, the centre of mass a ahead: u̇ = aω², ω̇ = −m a u ω/(J + m a²)."""
    x, y, phi = dynamicsymbols("x y phi")
    m, J, a = sp.symbols("m J a", positive=True)
    cx, cy = x + a * sp.cos(phi), y + a * sp.sin(phi)
    L = m * (cx.diff(t) ** 2 + cy.diff(t) ** 2) / 2 + J * phi.diff(t) ** 2 / 2
    blade = -x.diff(t) * sp.sin(phi) + y.diff(t) * sp.cos(phi)
    system = from_sympy(L, [x, y, phi], nonholonomic=blade, parameters={"m": 2.0, "J": 0.5, "a": 0.3})
    for angle, u, w in ((0.0, 1.0, 2.0), (1.1, -0.7, 0.4)):
        c, s = math.cos(angle), math.sin(angle)
        du, dw = 0.3 * w**2, -2.0 * 0.3 * u * w / (0.5 + 2.0 * 0.09)
        found = g.accelerate(system, [0.1, 0.2, angle], [u * c, u * s, w]).a
        assert np.allclose(found, [du * c - u * w * s, du * s + u * w * c, dw], rtol=0, atol=100 * EPS * 4)
        holds(crosscheck_sympy(system, [0.1, 0.2, angle], [u * c, u * s, w], n=20))


# ------------------------------------------------------------------------------------------------ SymPy's own examples


class Captured(Exception):
    """An example has formed its equations."""


def example(module: str, function: str):
    """The first LagrangesMethod or KanesMethod whose equations an example of SymPy's own tests forms."""
    source = importlib.import_module(f"sympy.physics.mechanics.tests.{module}")
    found = []

    class Kane(KanesMethod):
        def kanes_equations(self, *arguments, **named):
            super().kanes_equations(*arguments, **named)
            found.append(self)
            raise Captured

    class Lagrange(LagrangesMethod):
        def form_lagranges_equations(self):
            super().form_lagranges_equations()
            found.append(self)
            raise Captured

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(source, "KanesMethod", Kane, raising=False)
        patch.setattr(source, "LagrangesMethod", Lagrange, raising=False)
        with pytest.raises(Captured):
            getattr(source, function)()
    return found[0]


def ingredients(method):
    """Free symbols and forces set from outside of a method."""
    kane = isinstance(method, KanesMethod)
    frame = method._inertial if kane else method.inertial
    formulas_ = [method.mass_matrix_full, method.forcing_full]
    formulas_ += [method._f_h] if kane else [method._L, method._hol_coneqs]
    free = set().union(*(A.free_symbols for A in formulas_))
    forces = [force for _, force in method.loads or []]
    for force in forces:
        free |= force.free_symbols(frame)
    for body in method.bodies or []:
        free |= sp.sympify(body.mass).free_symbols
        if isinstance(body, RigidBody):
            free |= {x for entry in body.central_inertia.args for x in sp.sympify(entry[0]).free_symbols}
    known = {*method.q, *method.u, *(method._uaux if kane else ())}
    outside = [x for force in forces for x in find_dynamicsymbols(force.to_matrix(frame), known) if not x.is_Derivative]
    return sorted(free - {t}, key=str), sorted(set(outside), key=str)


def translated(method, seed=3):
    """The System of a method with random parameters."""
    free, outside = ingredients(method)
    rng = np.random.default_rng(seed)
    numbers = {x: float(rng.uniform(0.6, 1.4)) for x in free}
    build = from_kanes_method if isinstance(method, KanesMethod) else from_lagranges_method
    return build(method, parameters=numbers, controls=outside)


EXAMPLES = [
    ("test_lagrange", "test_disc_on_an_incline_plane", 2, 1, True),
    ("test_lagrange", "test_nonminimal_pendulum", 2, 1, True),
    ("test_lagrange", "test_dub_pen", 2, 0, True),
    ("test_lagrange2", "test_lagrange_2forces", 2, 0, True),
    ("test_kane", "test_one_dof", 1, 0, True),
    ("test_kane", "test_two_dof", 2, 0, True),
    ("test_kane", "test_pend", 1, 0, True),
    ("test_kane", "test_rolling_disc", 3, 0, False),  # the speed of its centre is that of rolling
    ("test_kane", "test_aux", 5, 0, False),  # auxiliary speeds, forces from outside, two speeds without coordinates
    ("test_kane", "test_parallel_axis", 2, 0, True),
    ("test_kane2", "test_aux_dep", 6, 3, False),
    ("test_kane2", "test_non_central_inertia", 4, 2, False),
    ("test_kane2", "test_sub_qdot", 3, 1, False),
    ("test_kane4", "test_replace_qdots_in_force", 2, 0, True),
    ("test_kane5", "test_kane_rolling_disc_lu", 5, 2, False),
    ("test_linearize", "test_linearize_pendulum_kane_nonminimal", 2, 1, True),
    ("test_linearize", "test_linearize_rolling_disc_kane", 6, 3, True),
]


@pytest.mark.sampled(12)
@pytest.mark.parametrize(("module", "function", "n", "m", "energies"), EXAMPLES, ids=lambda x: str(x))
def test_sympys_examples_have_the_same_accelerations_here(module, function, n, m, energies):
    method = example(module, function)
    system = translated(method)
    assert (system.n, len(system.row_names)) == (n, m)
    assert (system.kinetic_energy is not None) == energies
    rng = np.random.default_rng(1)
    q, v, u = rng.uniform(0.2, 0.7, n), 0.5 * rng.normal(size=n), rng.normal(size=len(system.controls))
    holds(crosscheck_sympy(system, q, v, n=10, spread=0.2, method=method, u=u))


def test_n_link_pendulum_agrees_with_kane_and_with_lagrange_in_cartesian_coordinates():
    method = n_link_pendulum_on_cart(n=3, cart_force=True, joint_torques=True)
    system = translated(method)
    assert len(system.controls) == 4
    q = [0.1, 0.5, -0.4, 0.9]
    holds(crosscheck_sympy(system, q, [0.2, 1.0, -0.5, 0.3], method=method, n=20, u=[0.3, -0.2, 0.1, 0.5]))
    # the same chain as points on rods, which shares no formula with the above
    p = system.parameters
    names = "x x1 y1 x2 y2 x3 y3"
    mass, length = [p[f"m{k}"] for k in range(4)], [p[f"l{k}"] for k in range(3)]

    def rods(q):
        points = [(q[0], 0.0), *((q[2 * k - 1], q[2 * k]) for k in (1, 2, 3))]
        pairs = zip(points, points[1:], length, strict=False)
        return [(b[0] - a[0]) ** 2 + (b[1] - a[1]) ** 2 - l**2 for a, b, l in pairs]

    chain = g.System(
        "chain",
        names,
        kinetic_energy=lambda v: (
            (mass[0] * v[0] ** 2 + sum(mass[k] * (v[2 * k - 1] ** 2 + v[2 * k] ** 2) for k in (1, 2, 3))) / 2
        ),
        potential_energy=lambda q: p["g"] * sum(mass[k] * q[2 * k] for k in (1, 2, 3)),
        constraints=[g.Holonomic("rods", rods)],
    )
    x, angles = q[0], np.array(q[1:])
    dx, rates = 0.2, np.array([1.0, -0.5, 0.3])
    along = np.cumsum(np.array(length) * np.array([-np.sin(angles), np.cos(angles)]), axis=1)
    moving = np.cumsum(np.array(length) * rates * np.array([-np.cos(angles), -np.sin(angles)]), axis=1)
    place = [x, *(np.array([x + along[0], along[1]]).T.ravel())]
    speed = [dx, *(np.array([dx + moving[0], moving[1]]).T.ravel())]
    a = g.accelerate(chain, place, speed).a
    b = g.accelerate(system, q, [dx, *rates]).a
    # ẍ of the cart, and of the first bob: ẍ₁ = ẍ − l (θ̈ cos θ − θ̇² sin θ)
    first = b[0] - length[0] * (b[1] * math.cos(q[1]) - math.sin(q[1]))
    assert abs(a[0] - b[0]) <= 1e4 * EPS * np.max(np.abs(a))
    assert abs(a[1] - first) <= 1e4 * EPS * np.max(np.abs(a))


def test_loads_with_a_potential_leave_the_motion_and_conserve_energy():
    method = n_link_pendulum_on_cart(n=2, cart_force=False)
    m, l, G = sp.symbols("m0:3"), sp.symbols("l0:2"), sp.Symbol("g")
    heights = [l[0] * sp.cos(method.q[1]), l[0] * sp.cos(method.q[1]) + l[1] * sp.cos(method.q[2])]
    numbers = {**dict(zip(m, (1.0, 0.8, 1.2), strict=True)), l[0]: 0.9, l[1]: 1.1, G: 9.81}
    plain = from_kanes_method(method, parameters=numbers)
    V = G * (m[1] * heights[0] + m[2] * heights[1])
    given = from_kanes_method(method, parameters=numbers, potential_energy=V)
    assert given.model.conservative
    assert not plain.model.conservative
    q, v = [0.1, 0.5, -0.4], [0.2, 1.0, -0.5]
    holds(crosscheck_sympy(given, q, v, method=method, n=10))
    run = g.simulate(given, q, v, t_end=1.0, rtol=1e-12, atol=1e-13)
    energy = run.kinetic + run.potential
    assert np.max(np.abs(energy - energy[0])) <= 1e-9 * np.max(np.abs(run.potential))  # 1e3 steps' tolerances


def test_springs_and_dampers_of_sympys_model():
    method = multi_mass_spring_damper(3, apply_gravity=True, apply_external_forces=True)
    system = translated(method)
    holds(crosscheck_sympy(system, [0.1, 0.2, 0.3], method=method, n=20, u=[1.0, 2.0, -1.0]))


def rolling_disc_at_its_contact():
    """SymPy's example by Lagrange: the rolling speed of the centre is put into the kinetic energy."""
    q1, q2, q3 = dynamicsymbols("q1 q2 q3")
    r, m, G = sp.symbols("r m g")
    N = ReferenceFrame("N")
    Y = N.orientnew("Y", "Axis", [q1, N.z])
    L = Y.orientnew("L", "Axis", [q2, Y.x])
    R = L.orientnew("R", "Axis", [q3, L.y])
    contact = Point("C")
    contact.set_vel(N, 0)
    centre = contact.locatenew("Dmc", r * L.z)
    centre.v2pt_theory(contact, N, R)
    body = RigidBody("disc", centre, R, m, (inertia(L, m / 4 * r**2, m / 2 * r**2, m / 4 * r**2), centre))
    body.potential_energy = m * G * r * sp.cos(q2)
    return LagrangesMethod(Lagrangian(N, body), [q1, q2, q3])


def rolling_disc_with_rows():
    """The disc with the place of its centre as coordinates and rolling as two rows on the velocities."""
    x, y, q1, q2, q3 = dynamicsymbols("x y q1 q2 q3")
    r, m, G = sp.symbols("r m g")
    N = ReferenceFrame("N")
    Y = N.orientnew("Y", "Axis", [q1, N.z])
    L = Y.orientnew("L", "Axis", [q2, Y.x])
    R = L.orientnew("R", "Axis", [q3, L.y])
    origin = Point("O")
    origin.set_vel(N, 0)
    centre = origin.locatenew("Dmc", x * N.x + y * N.y + r * sp.cos(q2) * N.z)
    centre.set_vel(N, centre.pos_from(origin).dt(N))
    body = RigidBody("disc", centre, R, m, (inertia(L, m / 4 * r**2, m / 2 * r**2, m / 4 * r**2), centre))
    body.potential_energy = m * G * r * sp.cos(q2)
    contact = centre.vel(N) + R.ang_vel_in(N).cross(-r * L.z)
    rows = [contact.dot(N.x), contact.dot(N.y)]
    return LagrangesMethod(Lagrangian(N, body), [x, y, q1, q2, q3], nonhol_coneqs=rows)


def test_rolling_disc_by_kane_is_that_with_rows_and_lagrange_with_rolling_put_in_is_not():
    numbers = {"m": 2.0, "r": 0.5, "g": 9.81}
    by_kane = from_kanes_method(example("test_kane", "test_rolling_disc"), parameters=numbers)
    with_rows = from_lagranges_method(rolling_disc_with_rows(), parameters=numbers)
    put_in = from_lagranges_method(rolling_disc_at_its_contact(), parameters=numbers)
    holds(crosscheck_sympy(put_in, [0.3, 0.4, 0.2], method=rolling_disc_at_its_contact(), n=5))
    q, v = np.array([0.3, 0.4, 0.2]), np.array([1.0, 0.5, -2.0])
    J = with_rows.model.terms(np.array([0.0, 0.0, *q]), np.zeros(5), 0.0, with_rows.theta()).J
    slide = -np.linalg.solve(J[:, :2], J[:, 2:] @ v)
    a = g.accelerate(with_rows, [0.0, 0.0, *q], [*slide, *v]).a[2:]
    b = g.accelerate(by_kane, q, v).a
    c = g.accelerate(put_in, q, v).a
    assert np.allclose(a, b, rtol=0, atol=1e3 * EPS * np.max(np.abs(a)))
    assert abs(a[1] - c[1]) <= 1e3 * EPS * 8  # the lean agrees
    assert abs(a[0] - c[0]) > 3.0  # rad/s²: the turn does not


@pytest.mark.long
def test_rolling_disc_with_rows_agrees_for_a_small_heavy_disc():
    method = rolling_disc_with_rows()
    system = from_lagranges_method(method, parameters={"m": 1e3, "r": 1e-2, "g": 9.81})
    holds(crosscheck_sympy(system, [0.0, 0.0, 0.3, 0.4, 0.2], [0.0, 0.0, 1.0, 0.5, -2.0], method=method, n=20))


@pytest.mark.long
def test_body_with_quaternions_turns_as_euler_says():
    """Four coordinates, three speeds: I ω̇ = −ω × I ω, and the norm of the quaternion becomes a row."""
    e = sp.Matrix(dynamicsymbols("e0:4"))
    w = sp.Matrix(dynamicsymbols("w1:4"))
    A, B, C = sp.symbols("A B C")
    N, body = ReferenceFrame("N"), ReferenceFrame("B")
    body.orient(N, "Quaternion", list(e))
    body.set_ang_vel(N, w[0] * body.x + w[1] * body.y + w[2] * body.z)
    centre = Point("O")
    centre.set_vel(N, 0)
    solid = RigidBody("body", centre, body, sp.Symbol("m"), (inertia(body, A, B, C), centre))
    E = sp.Matrix([[-e[1], -e[2], -e[3]], [e[0], -e[3], e[2]], [e[3], e[0], -e[1]], [-e[2], e[1], e[0]]])
    method = KanesMethod(N, list(e), list(w), kd_eqs=list(e.diff(t) - E * w / 2), bodies=[solid])
    method.kanes_equations([solid])
    system = from_kanes_method(method, parameters={"A": 1.0, "B": 2.0, "C": 3.5, "m": 1.0})
    assert system.n == 4
    assert len(system.row_names) == 1
    place = np.array([0.5, -0.1, 0.7, 0.3])
    place /= np.linalg.norm(place)
    number = np.array(E.subs(dict(zip(e, place, strict=True))), dtype=float)
    omega, I = np.array([0.4, -1.1, 0.8]), np.diag([1.0, 2.0, 3.5])
    a = g.accelerate(system, place, number @ omega / 2).a
    turn = np.linalg.solve(I, -np.cross(omega, I @ omega))
    exact = number @ turn / 2 - omega @ omega / 4 * place  # ë = ½E ω̇ + ½Ė ω, and Ė ω = −½|ω|² e
    assert np.allclose(a, exact, rtol=0, atol=1e3 * EPS)


def bicycle():
    """SymPy's bicycle with the parameters of Meijaard et al. (2007), in SymPy's geometry."""
    rear, front, tilt, trail, base = 0.3, 0.35, math.pi / 2 - math.pi / 10, 0.08, 1.02
    s, c = math.sin(tilt), math.cos(tilt)
    rake = front * c - trail * s
    fork = base * c - (front - rear) * s
    up, back = 0.7 - front, base - 0.9
    far = math.hypot(up, back)
    turn = math.pi / 2 - tilt - math.acos(up / far)
    high = 0.9 - rear - 0.3 / s * c
    numbers = {"WFrad": front, "WRrad": rear, "htangle": tilt, "forkoffset": rake, "forklength": fork, "g": 9.81}
    numbers |= {"framelength": base * s - (rake - (front - rear) * c)}
    numbers |= {"forkcg1": far * math.cos(turn) - fork, "forkcg3": rake + far * math.sin(turn)}
    numbers |= {"framecg1": high * s, "framecg3": 0.3 / s + high * c}
    numbers |= {"Iwr11": 0.0603, "Iwr22": 0.12, "Iwf11": 0.1405, "Iwf22": 0.28}
    numbers |= {"Ifork11": 0.05892, "Ifork22": 0.06, "Ifork33": 0.00708, "Ifork31": 0.00756}
    numbers |= {"Iframe11": 9.2, "Iframe22": 11.0, "Iframe33": 2.8, "Iframe31": -2.4}
    numbers |= {"mframe": 85.0, "mfork": 4.0, "mwf": 3.0, "mwr": 2.0}
    return from_kanes_method(example("test_kane3", "test_bicycle"), parameters=numbers)


@pytest.mark.long
def test_bicycle_has_the_published_eigenvalues():
    """J. P. Meijaard et al., Proc. R. Soc. A 463 (2007) 1955-1982, at 5 m/s; printed to 14 digits."""
    system = bicycle()
    assert (system.n, len(system.row_names)) == (6, 3)
    found = g.linearize(system, [0.0] * 6, {"u3_angle": 5.0 / 0.3, "u6_angle": 5.0 / 0.35}).eigenvalues
    weave = -0.77534188219585 + 4.46486771378823j
    for exact in (-0.32286642900409, -14.0783896927982, weave, weave.conjugate()):
        assert np.min(np.abs(found - exact)) <= 1e-11  # 1e-12 is the uncertainty that linearize states


# ------------------------------------------------------------------------------------------------ out to SymPy


def numbers_of(e, system, entries, state):
    """SymPy matrices evaluated at a state with 30 digits' arithmetic."""
    q, v, time, controls = state
    values = dict(zip(e.velocities, v, strict=True)) | dict(zip(e.coordinates, q, strict=True))
    values |= dict(zip(e.parameters, system.parameters.values(), strict=True))
    values |= dict(zip(e.controls, controls, strict=True)) | {e.time: time}
    plain = {x: sp.Dummy() for x in values}
    given = [sp.Float(float(x), 30) for x in values.values()]
    shared = [(symbol, formula.xreplace(plain)) for symbol, formula in e.shared]
    table = dict(zip(plain.values(), given, strict=True))
    for symbol, formula in shared:
        table[symbol] = formula.subs(table).evalf(30)
    return [np.array(A.xreplace(plain).subs(table).evalf(30).tolist(), dtype=float) for A in entries]


@pytest.mark.sampled(8)
@pytest.mark.parametrize("form", ["full", "shared"])
@pytest.mark.parametrize("name", ["rolling_wheel", "lagrange_top", "leaving_the_sphere", "nortons_dome", "bricard"])
def test_equations_in_sympy_have_the_numbers_of_the_model(name, form):
    loaded = scenario.load(name)
    system = loaded.system
    e = to_sympy(system, form=form)
    rng = np.random.default_rng(2)
    base = system.state(loaded.start.q, loaded.start.v)
    q, v = base.q + 0.05 * rng.uniform(0.5, 1.0, system.n), base.v + rng.normal(size=system.n)
    controls = rng.normal(size=len(system.controls))
    terms = system.model.terms(q, v, 0.3, system.theta(controls))
    found = numbers_of(e, system, [e.M, e.f, e.J, e.gamma, e.phi, e.psi], (q, v, 0.3, controls))
    expected = [terms.M, terms.f, terms.J, terms.gamma, terms.phi, terms.psi]
    for A, B in zip(found, expected, strict=True):
        scale = max(1.0, float(np.max(np.abs(B), initial=0.0)))
        assert np.allclose(A.ravel(), np.ravel(B), rtol=0, atol=1e3 * EPS * scale)


@pytest.mark.parametrize("name", ["chaplygin_sleigh", "spherical_pendulum", "furuta_pendulum"])
def test_equations_agree_with_those_derived_by_sympy_from_the_same_functions(name):
    system = scenario.load(name).system
    e, derived = to_sympy(system), formulas(system)
    same = dict(zip(derived.velocities, e.velocities, strict=True)) | {sp.Symbol("t", real=True): e.time}
    same |= dict(zip(derived.coordinates, e.coordinates, strict=True))
    J = sp.Matrix.vstack(*(row.J for row in derived.rows)) if derived.rows else sp.zeros(0, system.n)
    gamma = sp.Matrix([row.gamma for row in derived.rows])
    for mine, theirs in ((e.M, derived.M), (e.f, derived.f), (e.J, J), (e.gamma, gamma)):
        difference = sp.Matrix(mine - theirs.xreplace(same)).applyfunc(lambda x: sp.simplify(sp.nsimplify(x)))
        assert difference.is_zero_matrix or len(difference) == 0


def test_lagranges_equations_hold_at_the_certified_acceleration():
    system = scenario.load("spherical_pendulum").system
    e = to_sympy(system)
    state = g.analysis.random_states(system, scenario.load("spherical_pendulum").start.q, count=1).states[0]
    step = g.accelerate(system, state.q, state.v)
    values = dict(zip(e.multipliers, step.solution.multipliers, strict=True))
    values |= dict(zip(e.accelerations, step.a, strict=True)) | dict(zip(e.velocities, state.v, strict=True))
    values |= dict(zip(e.coordinates, state.q, strict=True))
    values |= dict(zip(e.parameters, system.parameters.values(), strict=True))
    residual = np.array(e.equations.xreplace(values), dtype=float).ravel()
    assert np.max(np.abs(residual)) <= 1e3 * EPS * max(1.0, float(np.max(np.abs(step.a))))


def test_a_system_without_rows_has_lagranges_equations_too():
    energies = {"kinetic_energy": lambda v: 0.5 * v.phi**2, "potential_energy": lambda q: -3 * g.cos(q.phi)}
    e = to_sympy(g.System("pendulum", "phi", **energies))
    assert sp.simplify(e.equations[0] - e.accelerations[0] - 3 * sp.sin(e.coordinates[0])) == 0


LARGE = ("rover", "arm_with_gripper")  # their equations are too long for SymPy


@pytest.mark.sampled(14)
@pytest.mark.parametrize("name", sorted(scenario.names()))
def test_every_scenario_goes_round_through_lagranges_method(name):
    loaded = scenario.load(name)
    system = loaded.system.frictionless()
    if system.kinetic_energy is None or system.black_box_force is not None:
        with pytest.raises(ModelError):
            to_lagranges_method(system)
        return
    gaps = [k for k, kind in zip(system.row_names, system.model.kinds, strict=True) if kind == "unilateral"]
    controls = [sp.Function(k, real=True)(t) for k in system.controls]
    if name in LARGE:
        with pytest.raises(ModelError, match="more than the limit"):
            to_lagranges_method(system, closed=gaps)
        return
    method = to_lagranges_method(system, closed=gaps)
    back = from_lagranges_method(method, parameters=system.parameters, controls=controls)
    rng = np.random.default_rng(5)
    base = system.state(loaded.start.q, loaded.start.v)
    size = np.maximum(np.abs(base.q), 0.3)
    for _ in range(3):
        q, v, time = base.q + 0.1 * size * rng.uniform(0.5, 1.0, system.n), rng.normal(size=system.n), rng.uniform()
        u = rng.normal(size=len(controls))
        one, other = (s.model.terms(q, v, time, s.theta(u)) for s in (system, back))
        order = sorted(range(len(one.phi)), key=lambda k: system.model.kinds[k] not in ("holonomic", "unilateral"))
        order = [k for k in order if np.any(one.J[k])]  # rows that vanish are left out
        # a unilateral row stands behind the equality rows of its System, but among the holonomic ones of the method
        for mine, theirs in ((one.M, other.M), (one.f, other.f), (one.J[order], other.J)):
            scale = max(1.0, float(np.max(np.abs(mine), initial=0.0)))
            assert np.allclose(mine, theirs, rtol=0, atol=1e4 * EPS * scale)
        assert np.allclose(one.gamma[order], other.gamma, rtol=1e4 * EPS, atol=1e4 * EPS)


def test_choices_and_tables_survive_the_round_trip():
    spring = g.math.Table([-1.0, 0.0, 1.0, 2.0], [-3.0, 0.0, 1.0, 4.0], outside="extend")
    system = g.System(
        "slider",
        "x y",
        kinetic_energy=lambda v: 0.5 * (v.x**2 + v.y**2),
        potential_energy=lambda q: g.fabs(q.x) ** 3 + g.fmax(q.y, 0.5) ** 3 + g.sign(q.y) * q.x,
        force=lambda q, v: [
            -spring(q.x) - 0.3 * g.sign(v.x) + g.fmax(v.y, 0.2) - g.fmin(q.y, 0.1) * g.fabs(v.y),
            g.where(g.less(q.x, q.y), g.hypot(v.x, 1.0), g.atan2(q.y, q.x)) + g.exp(-q.x) * g.log(2.0 + q.y**2),
        ],
    )
    back = from_lagranges_method(to_lagranges_method(system))
    for q in ([-0.5, 0.2], [0.5, 0.2], [1.7, 3.0], [0.3, -0.4]):
        for v in ([1.0, -2.0], [-0.4, 0.7], [0.0, 0.0]):
            a, b = (g.accelerate(s, q, v).a for s in (system, back))
            assert np.allclose(a, b, rtol=0, atol=20 * EPS * max(1.0, float(np.max(np.abs(a)))))
    holds(crosscheck_sympy(system, [0.5, 0.7], [1.0, -2.0], n=20))


OPERATIONS = [
    *(f for f in (ca.copysign, ca.hypot, ca.atan2, ca.fmin, ca.fmax, ca.power, ca.eq, ca.ne, ca.lt, ca.le)),
    *(lambda x, y, f=f: f(x) for f in (ca.floor, ca.ceil, ca.erf, ca.expm1, ca.sign, ca.fabs, ca.exp)),
    *(lambda x, y, f=f: f(x * y / 4) for f in (ca.asin, ca.acos, ca.atanh, ca.asinh, ca.sinh, ca.cosh, ca.tanh)),
    *(lambda x, y, f=f: f(1 + x**2) for f in (ca.acosh, ca.log, ca.log1p, ca.sqrt, lambda z: 1 / z, lambda z: z**-2.5)),
    lambda x, y: ca.logic_and(x < y, y > 0) * 3.0 + ca.logic_or(x < 0, y < 0) * x + ca.logic_not(x > y),
    lambda x, y: ca.if_else(x, y, 2 * y) + ca.if_else(ca.logic_and(x, y), 1, 0),
    lambda x, y: ca.if_else(x < 0, x, 0) + ca.if_else(y < 0, 3.0, 0),
    lambda x, y: ca.if_else(x < y, 1 / (y - x), x) + ca.tan(x) - ca.atan(y) + 2 * x - (-y) * y,
]


@pytest.mark.parametrize("operation", OPERATIONS)
def test_every_operation_of_the_compiled_model_has_its_value_in_sympy(operation):
    system = g.System(
        "one", "x y", kinetic_energy=lambda v: 0.5 * (v.x**2 + v.y**2), force=lambda q: [0.0, operation(*q)]
    )
    e = to_sympy(system)
    for place in ([0.7, 1.3], [1.3, -0.4], [0.5, 0.5]) if operation is ca.power else POINTS:
        value = float(e.force[1].xreplace(dict(zip(e.coordinates, map(sp.Float, place), strict=True))).evalf(20))
        exact = system.model.terms(np.array(place), np.zeros(2), 0.0, system.theta()).f[1]
        assert abs(value - exact) <= 50 * EPS * max(1.0, abs(exact)), place


POINTS = ([0.7, 1.3], [1.3, -0.4], [-0.7, 0.9], [-1.5, -0.2], [0.5, 0.5], [0.0, -1.0])


def test_operations_that_sympy_lacks_are_refused_by_name():
    system = g.System("one", "x", kinetic_energy=lambda v: 0.5 * v.x**2, force=lambda q: [ca.fmod(q.x, 2.0)])
    with pytest.raises(ModelError, match="'fmod'"):
        to_sympy(system)


def test_latex_has_the_equations_and_the_rows():
    text = to_sympy(scenario.load("bouncing_ball").system).latex()
    assert text.startswith("\\begin{align*}")
    assert "\\ddot" in text
    assert "\\ge 0" in text
    shared = to_sympy(scenario.load("bricard").system, form="shared")
    assert "x_{0} &=" in shared.latex()


def disc_on_a_slope():
    return g.System(
        "disc and rod",
        "phi",
        parameters={"m": 2.0, "l": 1.5},
        kinetic_energy=lambda q, v, p: (
            0.5 * p.m * p.l**2 * ((g.cos(q.phi) * v.phi) ** 2 + (g.sin(q.phi) * v.phi) ** 2)
            + p.m * p.l**2 * v.phi**2 / 3
        ),
        potential_energy=lambda q, p: p.m * p.l * 9.81 * g.sin(q.phi),
    )


def test_equations_without_rows_have_no_reactions():
    (residual,) = to_sympy(disc_on_a_slope()).equations
    (phi,), (m, l) = to_sympy(disc_on_a_slope()).coordinates, sp.symbols("m l", real=True)
    expected = sp.Rational(5, 3) * m * l**2 * phi.diff("t", 2) + 9.81 * m * l * sp.cos(phi)
    at = {phi: 0.7, phi.diff("t"): 1.3, phi.diff("t", 2): -0.4, m: 2.0, l: 1.5}
    values = [float(x.subs(list(at.items())[::-1])) for x in (residual, expected)]
    assert values[0] == pytest.approx(values[1], rel=1e-12)


def test_latex_and_the_terminal_have_simplified_formulas_with_short_numbers(tmp_path, capsys):
    text = to_sympy(disc_on_a_slope()).latex()
    assert r"\sin^" not in text
    assert r"T &= \frac{5 l^{2} m \dot{\phi}^{2}}{6}" in text
    assert r"V &= 9.81 l m \sin{\left(\phi \right)}" in text
    assert r"\frac{5 l^{2} m \ddot{\phi}}{3}" in text
    assert "9.81" in text
    assert "9.8100" not in text
    file = tmp_path / "disc.py"
    file.write_text("from test_sympy import disc_on_a_slope as system\nimport gauss as g\nstart = g.Start([0.0])\n")
    commands.show(str(file), latex=False)
    page = capsys.readouterr().out
    assert not re.search(r"\d{9}", page)
    assert "sin²" not in page


def test_shared_form_writes_each_shared_part_once():
    system = translated(n_link_pendulum_on_cart(n=3))
    full, shared = to_sympy(system), to_sympy(system, form="shared")
    assert not full.shared
    entries = sum(sp.count_ops(x) for x in [*shared.M, *shared.f, *(formula for _, formula in shared.shared)])
    assert 2 * entries < sum(sp.count_ops(x) for x in [*full.M, *full.f])
    known = {symbol for symbol, _ in shared.shared}
    seen = set()
    for symbol, formula in shared.shared:  # each in terms of earlier ones
        assert formula.free_symbols & known <= seen
        seen.add(symbol)


# ------------------------------------------------------------------------------------------------ cross-check


@pytest.mark.long
@pytest.mark.parametrize("solver", ["numeric", "symbolic"])
def test_sympy_fails_at_the_apex_of_a_cone_where_gauss_has_a_verdict(solver):
    cone = scenario.load("cone_apex").system
    holds(crosscheck_sympy(cone, [0.3, 0.4, 0.5], n=20, solver=solver))
    at_rest = sympy_answer(cone, [0.0, 0.0, 0.0], solver=solver)
    moving = sympy_answer(cone, [0.0, 0.0, 0.0], [0.3, 0.4, 0.5], solver=solver)
    assert at_rest.acceleration is None
    assert moving.acceleration is None
    assert "continuum" in str(at_rest)
    assert "crossing, one acceleration" in str(moving)
    assert np.allclose(moving.verdict.a, [-2.943, -3.924, -4.905], rtol=0, atol=1e-12)
    beside = sympy_answer(cone, [0.3, 0.4, 0.5], solver=solver)
    assert beside.failure == ""
    assert np.allclose(beside.acceleration, beside.verdict.a, rtol=0, atol=100 * EPS * 10)


def test_sympy_fails_at_the_change_point_of_a_four_bar_linkage():
    loaded = scenario.load("four_bar_chain")
    flat = [k + (1.0 if j == 0 else 0.0) if j == 0 else 0.0 for k in range(3) for j in range(2)]
    answer = sympy_answer(loaded.system, flat, [0.0, 1.0] * 3)
    assert answer.acceleration is None
    assert "singular" in answer.failure.lower()
    assert answer.verdict.unique


@pytest.mark.long
def test_sympys_matrix_is_singular_at_every_state_of_a_door_on_three_hinges():
    door = scenario.load("door_on_three_hinges")
    (silent,) = crosscheck_sympy(door.system, door.start.q, door.start.v, n=10)
    assert silent.error == 10.0
    assert "singular" in silent.reason


def test_crosscheck_notices_a_wrong_term_and_counts_states_without_an_answer():
    x, y = dynamicsymbols("x y")
    L = (x.diff(t) ** 2 + y.diff(t) ** 2) / 2 - sp.Symbol("g") * y
    right = from_sympy(L, [x, y], x**2 + y**2 - 1, parameters={"g": 9.81})
    wrong = LagrangesMethod(L + x * y / 10**9, [x, y], hol_coneqs=[x**2 + y**2 - 1])
    agrees, answers = crosscheck_sympy(right, [0.0, -1.0], method=wrong, n=5)
    assert not agrees.holds
    assert answers.holds
    doubled = LagrangesMethod(L, [x, y], hol_coneqs=[x**2 + y**2 - 1, 2 * x**2 + 2 * y**2 - 2])
    (silent,) = crosscheck_sympy(right, [0.0, -1.0], method=doubled, n=5)
    assert silent.error == 5.0
    assert not silent.holds


# ------------------------------------------------------------------------------------------------ bad input


X, Y = dynamicsymbols("x y")
FREE = X.diff(t) ** 2 / 2
P1 = Point("P")
WRONG = [
    (lambda: from_sympy(FREE * sp.Symbol("m") - sp.Symbol("k") * X**2, [X], parameters={"m": 1}), InputError, "for k"),
    (lambda: from_sympy(FREE, [sp.Symbol("x")]), InputError, "function of time"),
    (lambda: from_sympy(FREE, []), InputError, "at least one coordinate"),
    (lambda: from_sympy(FREE + Y, [X]), ModelError, r"y\(t\), which is no coordinate"),
    (lambda: from_sympy(FREE + X.diff(t, 2), [X]), ModelError, "accelerations"),
    (lambda: from_sympy(FREE + sp.gamma(X), [X]), ModelError, "function gamma"),
    (lambda: from_sympy(FREE + sp.I * X, [X]), ModelError, "imaginary"),
    (lambda: from_sympy(FREE + sp.zoo * X, [X]), ModelError, "zoo; check its formula"),
    (lambda: from_sympy(FREE + sp.nan, [X]), ModelError, "nan; check its formula"),
    (
        lambda: from_sympy(FREE, [X], forces=[sp.Sum(sp.sin(sp.Symbol("k") * X), (sp.Symbol("k"), 0, sp.oo))]),
        ModelError,
        "does not carry out",
    ),
    (lambda: from_sympy(FREE, [X], forces=1), InputError, "forces must be a list"),
    (lambda: from_sympy(FREE, [X], 3), InputError, "the holonomic constraints must be a list"),
    (lambda: from_sympy(FREE, [X], [X.diff(t)]), ModelError, "contains d_x, on which it cannot depend"),
    (lambda: from_sympy(FREE + X * Y, [X], controls=[Y]), ModelError, "contains y, on which it cannot depend"),
    (lambda: from_sympy(FREE, [X], nonholonomic=[X]), ModelError, "contains no velocity"),
    (lambda: from_lagranges_method(None), ModelError, "a method of sympy.physics.mechanics is expected"),
    (lambda: from_kanes_method(None), InputError, "a KanesMethod is expected"),
    (lambda: to_sympy(None), InputError, "a gauss.System is expected"),
    (lambda: to_lagranges_method(None), InputError, "a gauss.System is expected"),
    (lambda: crosscheck_sympy(None, [0.0]), InputError, "a gauss.System is expected"),
    (lambda: to_sympy(from_sympy(FREE, [X]), limit="a"), InputError, "limit must be a whole number"),
    (lambda: from_sympy(FREE + X.diff(t) ** 4, [X]), ModelError, "not quadratic"),
    (lambda: from_sympy(FREE, [X], forces=[1, 2]), InputError, "expected 1"),
    (lambda: from_sympy(FREE, [X], forces={"z": 1}), InputError, "the coordinates are x"),
    (lambda: from_sympy(FREE - X * sp.Symbol("x"), [X], parameters={"x": 1}), InputError, "both a parameter"),
    (lambda: from_sympy(FREE, [X], parameters=[1]), InputError, "must be a dict"),
    (lambda: from_sympy(FREE, [X, dynamicsymbols("x")]), InputError, "more than once"),
    (lambda: from_sympy(FREE, [X], {"row": "x"}), ModelError, "'row' is 'x'"),
    (lambda: from_sympy(FREE, [X], ["x - 1"]), ModelError, "'holonomic 1' is 'x - 1'"),
    (lambda: from_sympy([FREE], [X]), ModelError, "a SymPy expression is expected"),
    (lambda: from_kanes_method(KanesMethod(ReferenceFrame("N"), [X], [Y], [X.diff(t) - Y])), ModelError, "no bodies"),
    (lambda: crosscheck_sympy(from_sympy(FREE, [X]), [0.0], method=3), InputError, "got int"),
    (lambda: crosscheck_sympy(from_sympy(FREE, [X]), [0.0], solver="x"), InputError, "numeric"),
    (
        lambda: crosscheck_sympy(from_sympy(FREE, [X]), [0.0], method=LagrangesMethod(Y.diff(t) ** 2, [Y])),
        InputError,
        "same order",
    ),
    (
        lambda: crosscheck_sympy(
            from_sympy(FREE - sp.Abs(X) ** 3, [X]), [0.5], method=LagrangesMethod(FREE - sp.Abs(X) ** 3, [X])
        ),
        ModelError,
        "as Piecewise",
    ),
    (lambda: to_sympy(scenario.load("bricard").system, limit=100), ModelError, "limit 100; pass"),
    (lambda: to_sympy(scenario.load("bricard").system, form="short"), InputError, "'shared'"),
    (lambda: to_lagranges_method(scenario.load("bouncing_ball").system, closed="wall"), InputError, "unilateral rows"),
    (
        lambda: to_sympy(g.System("b", "x", mass_matrix=[[1.0]], black_box_force=lambda q, v, t: q)),
        ModelError,
        "black-box",
    ),
    (lambda: to_lagranges_method(g.System("b", "x", mass_matrix=[[1.0]])), ModelError, "no Lagrangian"),
]


@pytest.mark.parametrize(("call", "error", "words"), WRONG, ids=[entry[2] for entry in WRONG])
def test_bad_input_gets_one_clear_error(call, error, words):
    with pytest.raises(error, match=words):
        call()


def test_kanes_method_without_equations_is_refused_in_a_cross_check():
    N = ReferenceFrame("N")
    place = Point("P")
    place.set_vel(N, Y * N.x)
    method = KanesMethod(N, [X], [Y], [X.diff(t) - Y], bodies=[Particle("p", place, 1)])
    system = from_kanes_method(method)
    with pytest.raises(InputError, match="kanes_equations"):
        crosscheck_sympy(system, [0.0], method=method)
    method.kanes_equations()
    holds(crosscheck_sympy(system, [0.0], method=method, n=3))


def test_loads_that_depend_on_accelerations_are_refused():
    N = ReferenceFrame("N")
    place = Point("P")
    place.set_vel(N, Y * N.x)
    method = KanesMethod(N, [X], [Y], [X.diff(t) - Y], bodies=[Particle("p", place, 1)])
    method.kanes_equations(loads=[(place, -3 * Y.diff(t) * N.x)])
    with pytest.raises(ModelError, match="accelerations"):
        from_kanes_method(method)


def test_open_contacts_are_left_out_of_lagranges_method():
    ball = scenario.load("bouncing_ball").system
    assert len(to_lagranges_method(ball).coneqs) == 0
    assert len(to_lagranges_method(ball, closed=ball.row_names).coneqs) == 1


def test_the_bridge_imports_sympy_only_inside_functions():
    for path in (ROOT / "gauss/bridge").glob("*.py"):
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            modules = (
                [a.name for a in node.names] if isinstance(node, ast.Import) else [getattr(node, "module", "") or ""]
            )
            assert not any(name.split(".")[0] == "sympy" for name in modules), path


@pytest.mark.long
def test_equations_print_as_the_answers_that_an_exercise_takes():
    """The text of the equations of a pendulum on a cart is right where it is an answer."""
    cart = g.System(
        "cart",
        coordinates="X phi",
        parameters={"M": 1.0, "m": 0.3, "l": 0.5, "g": 9.81},
        kinetic_energy=lambda q, v, p: (
            (p.M + p.m) * v.X**2 / 2 + p.m * p.l * v.X * v.phi * g.cos(q.phi) + p.m * p.l**2 * v.phi**2 / 2
        ),
        potential_energy=lambda q, p: p.m * p.g * p.l * g.cos(q.phi),
    )
    lines = str(to_sympy(cart)).splitlines()
    exercise = g.sources.exercise("pendulum_on_cart")
    for name, line in zip(("X", "phi"), lines, strict=True):
        assert exercise.check(f"equation of {name}", line).right
    assert to_sympy(scenario.load("bouncing_ball").system).text() == "z'' = lambda_1 - 9.81\nz >= 0"
