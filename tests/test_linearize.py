"""Linearisation: against complex-step derivatives of other equations of motion, closed forms, and planted errors."""

from __future__ import annotations

import sys

import numpy as np
import pytest
import scipy.signal
from test_projection import flat_parallelogram

import gauss as g
from gauss.analysis import equilibria, equilibrium, linearize, linearize_along, root_locus, steady_motion, transition
from gauss.analysis.linear.stability import spectrum_of
from gauss.scenario import load

GRAVITY = 9.81
EXACT = 1e-10  # both derivatives are exact to rounding; matrices have condition numbers of a few hundred
ROUNDING = 1e-12


def complex_step(function, x):
    """The Jacobian of a function of a real vector, exact to rounding."""
    x = np.asarray(x, dtype=float)
    return np.array([np.imag(function(x + 1e-30j * e)) / 1e-30 for e in np.eye(x.size)]).T


def off(value, expected):
    return np.max(np.abs(value - expected)) / np.max(np.abs(expected))


def pendulum(length=2.0, damping=0.0, controls=()):
    return g.System(
        "pendulum",
        "x y",
        kinetic_energy=lambda v: 0.5 * (v.x**2 + v.y**2),
        potential_energy=lambda q: GRAVITY * q.y,
        force=lambda v, u: [-damping * v.x + (u.push if controls else 0.0), -damping * v.y],
        constraints=[g.Holonomic("rod", lambda q: q.x**2 + q.y**2 - length**2)],
        controls=controls,
    )


# ------------------------------------------------------------------ holonomic rows


def double_pendulum(twice=False):
    rods = [
        g.Holonomic("first", lambda q: q.x1**2 + q.y1**2 - 1.0),
        g.Holonomic("second", lambda q: (q.x2 - q.x1) ** 2 + (q.y2 - q.y1) ** 2 - 0.25),
    ]
    again = [g.Holonomic("again", lambda q: 3.0 * (q.x1**2 + q.y1**2 - 1.0))]
    return g.System(
        "double pendulum",
        "x1 y1 x2 y2",
        kinetic_energy=lambda v: 0.5 * (v.x1**2 + v.y1**2) + (v.x2**2 + v.y2**2),
        potential_energy=lambda q: GRAVITY * (q.y1 + 2.0 * q.y2),
        constraints=rods + (again if twice else []),
    )


def double_chart(s):
    a, b = s
    return np.array(
        [np.sin(a), -np.cos(a), np.sin(a) + 0.5 * np.sin(b), -np.cos(a) - 0.5 * np.cos(b)],
    )


def double_flow(x):
    """Equations in the angles from the vertical, for masses 1 and 2 kg and rods of 1 and 0.5 m."""
    a, b, da, db = x
    c, s = np.cos(a - b), np.sin(a - b)
    M = [[3.0, c], [c, 0.5]]
    f = [-s * db**2 - 3.0 * GRAVITY * np.sin(a), s * da**2 - GRAVITY * np.sin(b)]
    determinant = M[0][0] * M[1][1] - M[0][1] * M[1][0]
    return np.array(
        [da, db, (M[1][1] * f[0] - M[0][1] * f[1]) / determinant, (M[0][0] * f[1] - M[1][0] * f[0]) / determinant]
    )


@pytest.mark.parametrize("twice", [False, True], ids=["independent rows", "redundant rows"])
@pytest.mark.parametrize("angles", [(0.0, 0.0), (np.pi, 0.0), (0.0, np.pi), (np.pi, np.pi)])
def test_cartesian_double_pendulum_agrees_with_complex_steps_in_angles(angles, twice):
    model, place = double_pendulum(twice), double_chart(np.array(angles))
    found = linearize(model, place, states="x1 x2 d_x1 d_x2")
    assert sorted(linearize(model, place).states) == ["d_x1", "d_x2", "x1", "x2"]
    chart = complex_step(double_chart, angles)[[0, 2]]
    T = np.block([[chart, np.zeros((2, 2))], [np.zeros((2, 2)), chart]])
    expected = T @ complex_step(double_flow, [*angles, 0.0, 0.0]) @ np.linalg.inv(T)
    assert off(found.A, expected) < EXACT
    assert found.stability == ("stable" if angles == (0.0, 0.0) else "unstable")


def rod_flow(x, length=2.0):
    """The horizontal motion of a pendulum below its hinge: y and the tension are eliminated."""
    y = -np.sqrt(length**2 - x[0] ** 2)
    speed = x[1] ** 2 * (1.0 + x[0] ** 2 / y**2)
    return np.array([x[1], x[0] * (GRAVITY * y - speed) / length**2])


def tension(x, length=2.0):
    y = -np.sqrt(length**2 - x[0] ** 2)
    return (GRAVITY * y - x[1] ** 2 * (1.0 + x[0] ** 2 / y**2)) / (2.0 * length**2)


def test_linearisation_along_a_motion_agrees_with_complex_steps_reaction_included():
    run = g.simulate(pendulum(), [1.2, -1.6], [0.0, 0.0], t_end=1.0, rtol=1e-12, progress="none")
    for found in linearize_along(run, [0.0, 0.31, 0.77], states="x d_x", outputs=["rod", "dd_x"]):
        point = np.array([found.state.q[0], found.state.v[0]])
        assert off(found.A, complex_step(rod_flow, point)) < EXACT
        assert off(found.C[0], complex_step(lambda x: np.array([tension(x)]), point)[0]) < EXACT
        assert off(found.C[1], complex_step(rod_flow, point)[1]) < EXACT


@pytest.mark.long
def test_transition_matrix_is_the_derivative_of_the_flow_and_its_determinant_that_of_liouville():
    system = pendulum()

    def end(x):
        y = -np.sqrt(4.0 - x[0] ** 2)
        run = g.simulate(system, [x[0], y], [x[1], -x[0] * x[1] / y], t_end=0.5, rtol=1e-13, progress="none")
        return np.array([run["x"][-1], run["d_x"][-1]])

    start, h = np.array([1.2, 0.3]), 1e-3
    steps = [h * e for e in np.eye(2)]
    by_differences = np.array(  # of order 4: errors h⁴ ≈ 1e-12 and rounding 1e-13/h ≈ 1e-10
        [(8 * (end(start + e) - end(start - e)) - end(start + 2 * e) + end(start - 2 * e)) / (12 * h) for e in steps]
    ).T
    y = -np.sqrt(4.0 - start[0] ** 2)
    run = g.simulate(system, [1.2, y], [0.3, -1.2 * 0.3 / y], t_end=0.5, rtol=1e-13, progress="none")
    Phi = transition(run, states="x d_x", rtol=1e-10)
    assert off(Phi, by_differences) < 1e-8
    momentum = [4.0 / (4.0 - run["x"][k] ** 2) for k in (0, -1)]  # p = ẋ/cos²θ, and dx dp is conserved
    assert abs(np.linalg.det(Phi) * momentum[1] / momentum[0] - 1.0) < 1e-8


# ------------------------------------------------------------------ inputs, outputs, modes


def test_inputs_and_outputs_of_a_damped_pendulum_are_those_of_the_closed_form():
    found = linearize(pendulum(damping=0.4, controls="push"), [0.0, -2.0], outputs=["x", "dd_x", "rod"])
    assert found.states == ("x", "d_x")
    assert found.inputs == ("push",)
    assert np.allclose(found.A, [[0.0, 1.0], [-GRAVITY / 2.0, -0.4]], rtol=ROUNDING)
    assert np.allclose(found.B, [[0.0], [1.0]], atol=ROUNDING)
    assert np.allclose(found.C, [[1.0, 0.0], [-GRAVITY / 2.0, -0.4], [0.0, 0.0]], atol=ROUNDING)
    assert np.allclose(found.D, [[0.0], [1.0], [0.0]], atol=ROUNDING)
    assert found.stability == "asymptotically stable"
    model = linearize(pendulum(damping=0.4, controls="push"), [0.0, -2.0], outputs="x").to_scipy()
    t, x = scipy.signal.step(model, T=np.linspace(0.0, 5.0, 40))
    stiffness, rate = GRAVITY / 2.0, np.sqrt(GRAVITY / 2.0 - 0.04)
    expected = (1.0 - np.exp(-0.2 * t) * (np.cos(rate * t) + 0.2 / rate * np.sin(rate * t))) / stiffness
    assert off(x, expected) < EXACT


def test_a_mode_shows_all_coordinates_and_solves_the_equations():
    found = linearize(double_pendulum(), double_chart(np.zeros(2)))
    for k, value in enumerate(found.eigenvalues):
        mode = found.mode(k)
        for name in ("x1", "x2"):
            assert abs(mode["d_" + name] - value * mode[name]) < 1e-12 * abs(value)
        assert abs(mode["y1"]) < 1e-12
        assert max(abs(x) for x in mode.values()) == pytest.approx(1.0, abs=1e-15)


def test_without_python_control_the_message_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "control", None)
    with pytest.raises(g.errors.GaussError, match="pip install control"):
        linearize(pendulum(controls="push"), [0.0, -2.0]).to_control()


# ------------------------------------------------------------------ nonholonomic rows and steady motions

SLEIGH = load("chaplygin_sleigh").system


@pytest.mark.parametrize(("speed", "heading"), [(0.7, 0.0), (-0.7, 0.0), (0.7, 0.4), (-0.7, 2.0)])
def test_chaplygin_sleigh_is_stable_when_its_centre_of_mass_leads(speed, heading):
    found = linearize(SLEIGH, [1.0, 2.0, heading], [speed * np.cos(heading), speed * np.sin(heading), 0.0])
    m, I, a = 1.2, 0.5, 0.3
    rate = -m * a * speed / (I + m * a**2)
    deciding = found.eigenvalues[found.spectrum.essential]
    assert deciding.size == 1
    assert abs(deciding[0] - rate) < ROUNDING
    assert found.stability == ("unstable" if speed < 0 else "decaying but for neutral states")


def sleigh_flow(x):
    """(phi, u, w) with the speed u along the edge and w across the plane's vertical: Chaplygin's equations."""
    m, I, a = 1.2, 0.5, 0.3
    return np.array([x[2], a * x[2] ** 2, -m * a * x[1] * x[2] / (I + m * a**2)])


def test_nonholonomic_linearisation_along_a_turning_motion_agrees_with_complex_steps():
    """The states (phi, ẋ, φ̇) with ẋ = u cos(phi): the rows' own change with the heading matters here."""
    run = g.simulate(SLEIGH, [0, 0, 0.3], [0.5 * np.cos(0.3), 0.5 * np.sin(0.3), 1.1], t_end=0.6, progress="none")

    def flow(x):
        phi, speed_x, w = x
        u = speed_x / np.cos(phi)
        rate = sleigh_flow(np.array([phi, u, w]))
        return np.array([w, rate[1] * np.cos(phi) - u * np.sin(phi) * w, rate[2]])

    for found in linearize_along(run, [0.0, 0.25, 0.6], states="x y phi d_x d_phi"):
        q, v = found.state.q, found.state.v
        expected = complex_step(flow, [q[2], v[0], v[2]])
        part = np.ix_([2, 3, 4], [2, 3, 4])
        assert off(found.A[part], expected) < EXACT
        assert np.max(np.abs(found.A[:, :2])) < ROUNDING


def disc():
    """A homogeneous thin disc, m = r = 1, that leans by be, heads along al and has rolled by ga."""
    I1, I3 = 0.25, 0.5

    def kinetic(q, v):
        across, along = g.sin(q.be), g.cos(q.be)
        spin = I1 * (v.al**2 * along**2 + v.be**2) + I3 * (v.al * across + v.ga) ** 2
        vx = v.x + v.al * g.cos(q.al) * across + v.be * g.sin(q.al) * along
        vy = v.y + v.al * g.sin(q.al) * across - v.be * g.cos(q.al) * along
        return 0.5 * (spin + vx**2 + vy**2 + (v.be * across) ** 2)

    return g.System(
        "disc",
        "x y al be ga",
        kinetic_energy=kinetic,
        potential_energy=lambda q: GRAVITY * g.cos(q.be),
        constraints=[
            g.Pfaffian("side", lambda q: [g.sin(q.al), -g.cos(q.al), 0, 0, 0]),
            g.Pfaffian("roll", lambda q: [g.cos(q.al), g.sin(q.al), 0, 0, -1.0]),
        ],
    )


DISC = disc()


def kane(x):
    """Kane and Levinson 1985, Ex. 11.5, in (q2, u1, u2, u3) for R = 1: q2' = −u1."""
    q2, u1, u2, u3 = x
    first = (u2**2 * np.tan(q2) - 6.0 * u2 * u3 - 4.0 * GRAVITY * np.sin(q2)) / 5.0
    return np.array([-u1, first, 2.0 * u3 * u1 - u1 * u2 * np.tan(q2), 2.0 * u1 * u2 / 3.0])


def to_kane(x):
    """(be, al', be', ga') to (q2, u1, u2, u3)."""
    be, al_dot, be_dot, ga_dot = x
    return np.array([be, -be_dot, al_dot * np.cos(be), al_dot * np.sin(be) + ga_dot])


def disc_flow(x):
    """Kane's equations in (be, al', be', ga')."""
    be, al_dot, be_dot, _ = x
    _, u1, u2, u3 = to_kane(x)
    _, d1, d2, d3 = kane(np.array([be, u1, u2, u3]))
    al_ddot = (d2 + al_dot * np.sin(be) * be_dot) / np.cos(be)
    return np.array([be_dot, al_ddot, -d1, d3 - al_ddot * np.sin(be) - al_dot * np.cos(be) * be_dot])


def test_accelerations_of_the_disc_are_kanes_closed_form():
    rng = np.random.default_rng(3)
    for _ in range(10):
        al, be = rng.uniform(-1.2, 1.2, 2)
        rates = rng.normal(size=3)
        v = [rates[2] * np.cos(al), rates[2] * np.sin(al), *rates]
        a = g.accelerate(DISC, [0.3, -0.2, al, be, 0.5], v).a
        expected = disc_flow(np.array([be, *rates]))
        assert off(a[2:], expected[1:]) < ROUNDING


def turn(q):
    """Rotation of the plane about the vertical at the origin."""
    return {"x": -q.y, "y": q.x, "al": 1.0}


@pytest.mark.parametrize("lean", [0.0, 0.2, -0.5])
def test_disc_on_its_steady_circle_agrees_with_complex_steps_of_kanes_equations(lean):
    if lean:
        sign = -np.sign(lean)
        steady = steady_motion(
            DISC, [0, -sign * 4.0, 0, lean, 0], [0.7 * sign, 2.5], symmetry=[turn, "ga"], hold="be x"
        )
        assert steady.state.q[3] == lean
        found = steady.linearize()
    else:
        found = linearize(DISC, np.zeros(5), [1.5, 0, 0, 0, 1.5])
    q, v = found.state.q, found.state.v
    part = [found.states.index(name) for name in ("be", "d_al", "d_be", "d_ga")]
    point = np.array([q[3], v[2], v[3], v[4]])
    assert np.max(np.abs(disc_flow(point))) < 1e-10
    assert off(found.A[np.ix_(part, part)], complex_step(disc_flow, point)) < EXACT
    others = [k for k in range(len(found.states)) if k not in part]
    assert np.max(np.abs(found.A[np.ix_(part, others)])) < ROUNDING
    if lean:  # a shifted circle looks like a turning shift from the disc
        assert np.min(np.abs(found.eigenvalues - 1j * found.rates["turn"])) < EXACT


def test_upright_disc_is_stable_beyond_the_classical_speed():
    """ω² > I₁mgr/(I₃(I₃ + mr²)), here g/3."""
    critical = np.sqrt(GRAVITY / 3.0)

    def rolling(rate):
        return linearize(DISC, np.zeros(5), [rate, 0, 0, 0, rate])

    locus = root_locus(rolling, critical * np.array([0.9, 0.99, 1.01, 1.1]))
    assert locus.verdicts == ("unstable", "unstable", "not decided", "not decided")
    low, high, *_ = locus.changes[0]
    assert low < critical < high
    for rate in (0.5 * critical, 1.5 * critical):
        top = np.max(np.abs(rolling(rate).eigenvalues)) ** 2  # (I₁+mr²) s² = mgr − I₃(I₃+mr²)/I₁ ω²
        assert abs(top - abs(GRAVITY - 3.0 * rate**2) / 1.25) < EXACT * GRAVITY


def top():
    """A Lagrange top in Cardan angles: a, b tilt the axis, c spins about it; A = 1, C = 0.5, mgl = 9.81."""
    return g.System(
        "top",
        "a b c",
        kinetic_energy=lambda q, v: 0.5 * (v.a**2 * g.cos(q.b) ** 2 + v.b**2) + 0.25 * (v.c + v.a * g.sin(q.b)) ** 2,
        potential_energy=lambda q: GRAVITY * g.cos(q.a) * g.cos(q.b),
    )


@pytest.mark.parametrize("factor", [0.9, 0.999, 1.001, 1.3])
def test_sleeping_top_stands_when_it_spins_fast_enough(factor):
    """C²Ω² > 4 A m g l; the eigenvalues solve A s² ± iCΩ s − mgl = 0."""
    system, spin = top(), factor * np.sqrt(4.0 * GRAVITY) / 0.5
    found = linearize(system, [0, 0, 0], [0, 0, spin])
    assert found.stability == ("unstable" if factor < 1.0 else "not decided")
    expected = np.concatenate([np.roots([1.0, sign * 0.5j * spin, -GRAVITY]) for sign in (1, -1)])
    deciding = found.eigenvalues[found.spectrum.essential]
    near = np.min(np.abs(deciding[:, None] - expected[None, :]), axis=1)
    assert np.max(near) < 1e-11  # near the double root its condition is 1/√0.002


def test_conical_pendulum_in_cartesian_coordinates_has_the_closed_frequency():
    """About the circle at the angle θ, cos θ = g/(lΩ²): ω² = Ω²(1 + 3 cos²θ)."""
    system = g.System(
        "spherical pendulum",
        "x y z",
        kinetic_energy=lambda v: 0.5 * (v.x**2 + v.y**2 + v.z**2),
        potential_energy=lambda q: GRAVITY * q.z,
        constraints=[g.Holonomic("rod", lambda q: q.x**2 + q.y**2 + q.z**2 - 1.0)],
    )

    def spin(q):
        return {"x": -q.y, "y": q.x}

    steady = steady_motion(system, [0.6, 0.0, -0.7], [4.0], symmetry=spin, hold_rates="spin")
    cosine = GRAVITY / 16.0
    assert abs(steady.state.q[2] + cosine) < ROUNDING
    assert steady.family == 1
    assert abs(steady.multiplier("rod") + 8.0) < 1e-10  # 2λ x = −Ω² x
    found = np.max(np.abs(steady.linearize().eigenvalues))
    assert abs(found - 4.0 * np.sqrt(1.0 + 3.0 * cosine**2)) < EXACT


@pytest.mark.parametrize("warp", [0.0, 0.3])
def test_circular_orbit_has_the_same_spectrum_in_all_coordinates(warp):
    """V = r²/2 + r⁴/4 at r = 1: Ω² = 2, κ² = V″ + 3Ω² = 10. With a = x + warp·y² the rotation is not linear."""

    def polynomial(r2):
        return 0.5 * r2 + 0.25 * r2**2

    polar = g.System(
        "polar",
        "r phi",
        kinetic_energy=lambda q, v: 0.5 * (v.r**2 + q.r**2 * v.phi**2),
        potential_energy=lambda q: polynomial(q.r**2),
    )
    warped = g.System(
        "warped",
        "a y",
        kinetic_energy=lambda q, v: 0.5 * ((v.a - 2.0 * warp * q.y * v.y) ** 2 + v.y**2),
        potential_energy=lambda q: polynomial((q.a - warp * q.y**2) ** 2 + q.y**2),
    )

    def rotation(q):
        x = q.a - warp * q.y**2
        return {"a": -q.y + 2.0 * warp * q.y * x, "y": x}

    angle, rate = 0.7, np.sqrt(2.0)
    x, y = np.cos(angle), np.sin(angle)
    v = [rate * (-y + 2.0 * warp * y * x), rate * x]
    for found in (
        linearize(polar, [1.0, 0.0], [0.0, rate]),
        linearize(warped, [x + warp * y**2, y], v, symmetry=rotation),
    ):
        values = found.eigenvalues
        assert np.allclose(np.sort(values.imag)[[0, -1]], [-np.sqrt(10.0), np.sqrt(10.0)], rtol=EXACT)
        rest = values[np.abs(values.imag) < 1.0]
        assert rest.size == 2
        assert np.max(np.abs(rest)) < 1e-6  # a double zero with one eigenvector: √eps


def test_furuta_pendulum_in_steady_rotation_agrees_with_complex_steps_of_hamiltons_equations():
    m, a, b = 1.0, 0.5, 0.3
    system = g.System(
        "Furuta pendulum",
        "theta phi",
        kinetic_energy=lambda q, v: 0.5 * m * ((a + b * g.sin(q.phi)) ** 2 * v.theta**2 + b**2 * v.phi**2),
        potential_energy=lambda q: -m * GRAVITY * b * g.cos(q.phi),
    )
    steady = steady_motion(system, [0.0, 0.5], [3.0], symmetry="theta", hold_rates="theta")
    found = steady.linearize()

    def flow(x):
        phi, p1, p2 = x
        radius = a + b * np.sin(phi)
        return np.array(
            [p2 / (m * b**2), 0 * p1, b * p1**2 * np.cos(phi) / (m * radius**3) - m * GRAVITY * b * np.sin(phi)]
        )

    phi = steady.state.q[1]
    radius = a + b * np.sin(phi)
    expected = complex_step(flow, [phi, m * radius**2 * 3.0, 0.0])
    values = np.linalg.eigvals(expected)
    assert abs(np.max(np.abs(found.eigenvalues)) - np.max(np.abs(values))) < EXACT
    assert found.stability == "not decided"


def test_a_steady_motion_that_follows_no_given_symmetry_is_refused():
    with pytest.raises(g.errors.InputError, match="accelerations are off"):
        linearize(pendulum(), [2.0 * np.sin(0.3), -2.0 * np.cos(0.3)])
    nearly_round = g.System(  # at (1, 0) its forces, and their first derivatives, are those of a round potential
        "nearly round",
        "x y",
        kinetic_energy=lambda v: 0.5 * (v.x**2 + v.y**2),
        potential_energy=lambda q, p: 0.5 * (q.x**2 + q.y**2) + p.off * q.y**4,
        parameters={"off": 0.1},
    )
    rotation = {"symmetry": lambda q: {"x": -q.y, "y": q.x}}
    linearize(nearly_round.with_parameters(off=0.0), [1.0, 0.0], [0.0, 1.0], **rotation)
    with pytest.raises(g.errors.InputError, match="not a symmetry"):
        linearize(nearly_round, [1.0, 0.0], [0.0, 1.0], **rotation)
    steady = steady_motion(DISC, [0, 4.0, 0, 0.2, 0], [-0.7, 2.5], symmetry=[turn, "ga"], hold="be x")
    with pytest.raises(g.errors.InputError, match="accelerations"):
        linearize(DISC, steady.state.q, steady.state.v)


# ------------------------------------------------------------------ equilibria


def test_both_equilibria_of_a_pendulum_are_found_with_their_reaction():
    found = equilibria(pendulum(), [[0.3, -1.0], [-0.2, -1.5], [0.1, 3.0]])
    assert len(found) == 2
    for steady, y in zip(found, (-2.0, 2.0), strict=True):
        assert np.max(np.abs(steady.state.q - [0.0, y])) < ROUNDING
        assert abs(steady.multiplier("rod") - GRAVITY / (2.0 * y)) < ROUNDING
        assert steady.family == 0


def test_guesses_that_lead_to_no_equilibrium_say_why():
    falling = g.System("falling", "z", kinetic_energy=lambda v: v.z**2, potential_energy=lambda q: q.z)
    found = equilibria(falling, [[0.0], [3.0]])
    assert found == []
    assert "2 of the guesses led to none" in repr(found)
    assert "the balance of forces on 'z' is off by -1" in repr(found)
    assert "balance of forces on &#x27;z&#x27;" in found._repr_html_()
    assert "no guesses" in str(equilibria(falling, []))
    both = equilibria(pendulum(), [[0.3, -1.0], [0.1, 3.0]])
    assert str(both) == "\n".join(map(str, both))


def test_an_equilibrium_under_a_constant_control_and_one_that_does_not_exist():
    pushed = equilibrium(pendulum(controls="push"), [0.5, -2.0], u={"push": 3.0})
    assert abs(np.arctan2(pushed.state.q[0], -pushed.state.q[1]) - np.arctan(3.0 / GRAVITY)) < ROUNDING
    assert pushed.linearize().stability == "not decided"  # the force may do work, so the energy says nothing
    falling = g.System("falling", "z", kinetic_energy=lambda v: v.z**2, potential_energy=lambda q: q.z)
    with pytest.raises(g.errors.SolverError, match="balance of forces on 'z' is off by -1"):
        equilibrium(falling, [0.0])


def test_a_body_on_the_floor_is_held_by_the_contact_that_is_named_closed():
    system = g.System(
        "block",
        "x z",
        kinetic_energy=lambda v: 0.5 * (v.x**2 + v.z**2),
        potential_energy=lambda q: GRAVITY * q.z + 2.0 * q.x**2,
        constraints=[g.Unilateral("floor", lambda q: q.z), g.Unilateral("ceiling", lambda q: 1.0 - q.z)],
    )
    rest = equilibrium(system, [0.4, 0.1], closed="floor")
    assert np.max(np.abs(rest.state.q)) < ROUNDING
    assert abs(rest.multiplier("floor") - GRAVITY) < ROUNDING
    found = rest.linearize()
    assert found.states == ("x", "d_x")
    assert np.allclose(found.A, [[0, 1], [-4, 0]])
    with pytest.raises(g.errors.SolverError, match="would have to pull"):
        equilibrium(system, [0.4, 0.9], closed="ceiling")


def test_upright_disc_stands_anywhere_which_is_a_family_of_four_dimensions():
    standing = equilibrium(DISC, [1.0, 2.0, 0.3, 0.1, 0.4])
    assert standing.family == 4
    assert np.max(np.abs(standing.state.q - [1.0, 2.0, 0.3, 0.0, 0.4])) < 1e-10
    assert standing.linearize().stability == "unstable"


# ------------------------------------------------------------------ verdicts and refusals


def test_a_free_particle_is_not_called_stable():
    free = g.System("free", "x", kinetic_energy=lambda v: v.x**2)
    found = linearize(free, [0.0])
    assert found.spectrum.ignored == ("x", "d_x")
    assert found.stability == "stable but for free coordinates"  # its velocity stays near, its place does not


def _cart(potential):
    """A pendulum of 1 kg on a rod of 1 m, on a cart of 1 kg."""
    return g.System(
        "pendulum on a cart",
        "x phi",
        kinetic_energy=lambda q, v: v.x**2 + v.x * v.phi * g.cos(q.phi) + 0.5 * v.phi**2,
        potential_energy=lambda q: potential(q) - 9.81 * g.cos(q.phi),
    )


def test_a_pendulum_on_a_free_cart_is_stable_but_for_the_cart():
    hanging = linearize(_cart(lambda q: 0.0), [3.0, 0.0])
    assert hanging.free == ("x",)
    assert hanging.stability == "stable but for free coordinates"
    assert "stable but for x, which nothing depends on" in str(hanging)
    assert linearize(_cart(lambda q: 0.0), [3.0, np.pi]).stability == "unstable"


@pytest.mark.parametrize("power", [-1.0, 1.0])
def test_a_coordinate_that_only_the_linear_equations_do_not_contain_is_not_free(power):
    flat = linearize(_cart(lambda q: power * q.x**4), [0.0, 0.0])  # V = x⁴ holds the cart, −x⁴ lets it go
    assert flat.free == ()
    assert flat.stability == "not decided"


def test_defective_zero_eigenvalues_are_neither_growing_nor_decaying():
    rng = np.random.default_rng(0)
    for size in (2, 3):
        block = np.diag(np.ones(size - 1), 1)
        T = rng.normal(size=(size, size))
        spectrum = spectrum_of(T @ block @ np.linalg.inv(T), [f"x{k}" for k in range(size)])
        assert spectrum.verdict == "not decided"
    assert spectrum_of(np.diag([1e-6, -1.0]), ["a", "b"]).verdict == "unstable"


@pytest.mark.parametrize("size", [4, 5, 6])
@pytest.mark.parametrize("rate", [0.0, -1e-5])
def test_a_large_jordan_block_is_not_called_unstable_for_its_rounding(size, rate):
    """Eigenvalues of the block come out on a circle of radius eps^(1/size) about its one eigenvalue."""
    Q = np.linalg.qr(np.random.default_rng(1).normal(size=(size, size)))[0]
    A = Q @ (np.diag(np.ones(size - 1), 1) + rate * np.eye(size)) @ Q.T
    spectrum = spectrum_of(A, [f"x{k}" for k in range(size)])
    assert spectrum.eigenvalues[0].real > 1e-5
    assert spectrum.verdict == "not decided"
    assert spectrum_of(A + np.eye(size), spectrum.states).verdict == "unstable"


def test_a_column_that_rounding_may_have_made_is_neither_neutral_nor_kept():
    """The growth of b is 1e-13 of the largest entry: no verdict may rest on b being neutral."""
    found = spectrum_of(np.diag([-1e12, 0.1]), ["a", "b"])
    assert found.ignored == found.doubtful == ("b",)
    assert found.verdict == "not decided"
    assert "depends on b" in found.sentence
    assert spectrum_of(np.diag([-1e12, 0.0]), ["a", "b"]).verdict == "decaying but for neutral states"


@pytest.mark.parametrize("angle", [0.1, 0.3, 0.7, 1.1, 1.3, 2.0, 2.7])
def test_rounding_is_no_minimum_of_the_energy(angle):
    """Upright rod on a spring g/l across: V = g cos θ + ½g sin²θ = g − ⅛gθ⁴ + …, a maximum in whatever axes."""
    c, s = np.cos(angle), np.sin(angle)
    system = g.System(
        "rod on its critical spring",
        "x y",
        kinetic_energy=lambda v: 0.5 * (v.x**2 + v.y**2),
        potential_energy=lambda q: GRAVITY * (c * q.y + s * q.x) + 0.5 * GRAVITY * (c * q.x - s * q.y) ** 2,
        constraints=[g.Holonomic("rod", lambda q: q.x**2 + q.y**2 - 1.0)],
    )
    assert linearize(system, [s, c]).stability == "not decided"
    assert linearize(system, [-s, -c]).stability == "stable"


def test_a_rigid_position_has_no_disturbance():
    rows = [g.Holonomic("a", lambda q: q.x), g.Holonomic("b", lambda q: q.y + 1e-3 * q.x)]
    system = g.System("rigid", "x y", kinetic_energy=lambda v: v.x**2 + v.y**2, constraints=rows)
    found = linearize(system, [0.0, 0.0])
    assert found.states == ()
    assert found.eigenvalues.size == 0
    assert "leave no disturbance" in str(found)


def test_roots_are_followed_through_a_crossing():
    """Two undamped frequencies cross as the parameter grows; each locus keeps its own slope."""

    def build(k):
        system = g.System(
            "two",
            "x y",
            kinetic_energy=lambda v: 0.5 * (v.x**2 + v.y**2),
            potential_energy=lambda q: 0.5 * (k**2 * q.x**2 + q.y**2),
        )
        return linearize(system, [0, 0])

    locus = root_locus(build, [0.7, 0.8, 0.95, 1.1])
    assert np.allclose(np.sort(np.ptp(np.abs(locus.eigenvalues), axis=0)), [0, 0, 0.4, 0.4])


def test_time_black_boxes_singular_positions_and_wrong_names_are_refused():
    driven = g.System("driven", "x", kinetic_energy=lambda v: v.x**2, force=lambda t: [g.sin(t)])
    with pytest.raises(g.errors.InputError, match="depends on time"):
        linearize(driven, [0.0])
    black = g.System("black", "x", kinetic_energy=lambda v: v.x**2, black_box_force=lambda q, v, t: -q)
    with pytest.raises(g.errors.InputError, match="black-box force"):
        linearize(black, [0.0])
    cross = g.System(
        "cross", "x y", kinetic_energy=lambda v: v.x**2 + v.y**2, constraints=[g.Holonomic("xy", lambda q: q.x * q.y)]
    )
    with pytest.raises(g.errors.SingularPositionError, match="not smooth"):
        linearize(cross, [0.0, 0.0])
    for keywords, text in (
        ({"states": "x z"}, "known: x, y"),
        ({"states": "y d_x"}, "do not describe all disturbances"),
        ({"states": "x y d_x"}, "1 independent coordinates"),
        ({"outputs": "bar"}, "known: x, y, d_x"),
        ({"symmetry": "z"}, "the coordinates are x, y"),
        ({"symmetry": [3.0]}, "names of coordinates or functions"),
    ):
        with pytest.raises(g.errors.InputError, match=text):
            linearize(pendulum(), [0.0, -2.0], **keywords)
    with pytest.raises(g.errors.InputError, match="mode 7"):
        linearize(pendulum(), [0.0, -2.0]).mode(7)
    with pytest.raises(g.errors.InputError, match="return a Linearization"):
        root_locus(lambda k: k, [1.0])


def rotation(q):
    return {"x": -q.y, "y": q.x}


def test_a_steady_motion_along_what_is_no_symmetry_is_refused():
    """At its lowest point a swinging pendulum has the velocity and acceleration of a rotation; it is not steady."""
    with pytest.raises(g.errors.InputError, match="rotation is not a symmetry"):
        steady_motion(pendulum(), [0.0, -2.0], [1.0], symmetry=rotation)


@pytest.mark.parametrize(
    "force", [lambda v: [-v.x * g.fabs(v.x) ** 0.5], lambda q: [-g.sqrt(g.fabs(q.x)) * q.x ** (1 / 3)]]
)
def test_forces_without_finite_derivatives_are_refused(force):
    system = g.System("root", "x", kinetic_energy=lambda v: v.x**2, force=force)
    with pytest.raises(g.errors.InputError, match="no finite derivatives"):
        linearize(system, [0.0])


RUN = g.simulate(pendulum(), [0.0, -2.0], [0.5, 0.0], t_end=0.2, progress="none")


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda: linearize(pendulum(), [0.0, -2.0], symmetry=3), "symmetry must be names"),
        (lambda: linearize(pendulum(), [0.0, -2.0], symmetry=lambda q: [g.sqrt(-1 - q.x**2), 0.0]), "not finite"),
        (lambda: linearize(pendulum(), [0.0, -2.0], outputs=3), "outputs must be names"),
        (lambda: linearize(pendulum(), [0.0, -2.0]).mode(True), "mode True"),
        (lambda: equilibrium(pendulum(), [0.0, -2.0], hold=3), "hold must be names"),
        (lambda: equilibria(pendulum(), None), "guesses must be a list"),
        (lambda: linearize_along(None, [0.0]), "a run of gauss.simulate is expected"),
        (lambda: linearize_along(RUN, "a"), "not a number"),
        (lambda: linearize_along(RUN, [[0.0, 0.1]]), "must be numbers that lie in the run"),
        (lambda: linearize_along(RUN, [np.nan]), "must be numbers that lie in the run"),
        (lambda: transition(None), "a run of gauss.simulate is expected"),
        (lambda: transition(RUN, [0.0, 5.0]), "times must lie in the run"),
        (lambda: transition(RUN, rtol=1e-20), "rtol must be at least"),
        (lambda: root_locus(3, [1.0]), "build must be a function"),
        (lambda: spectrum_of(np.zeros((2, 3)), ["a", "b"]), "must have the shape"),
        (lambda: spectrum_of(np.array([[np.nan]]), ["a"]), "must be finite"),
    ],
)
def test_what_does_not_fit_is_named(call, text):
    with pytest.raises(g.errors.InputError, match=text):
        call()


@pytest.mark.parametrize(
    ("A", "words"),
    [
        ([[0.0, 1.0], [-4.0, 0.0]], "not decided by the linear part alone: both eigenvalues are imaginary."),
        ([[0.0, 1.0], [0.0, 0.0]], "not decided by the linear part alone: no eigenvalue tells; neutral"),
        (np.kron(np.eye(2), [[0.0, 1.0], [-4.0, 0.0]]), "all four eigenvalues are imaginary."),
        (np.diag([-1.0, -2.0, -3.0]), "asymptotically stable: slowest decay rate 1 1/s."),
        ([[0.0, 1.0, 0.0], [-4.0, 0.0, 0.0], [1.0, 0.0, -1.0]], "of three eigenvalues two are imaginary, and none"),
    ],
)
def test_which_eigenvalues_leave_the_verdict_open_is_said_in_words(A, words):
    A = np.array(A)
    assert words in spectrum_of(A, [f"x{k}" for k in range(len(A))]).sentence


def test_where_the_energy_decides_the_words_say_so_and_parts_below_their_uncertainty_are_zero():
    system = g.System(
        "two pendulums",
        coordinates="a b",
        kinetic_energy=lambda q, v: v.a**2 + 0.5 * v.b**2 + g.cos(q.a - q.b) * v.a * v.b,
        potential_energy=lambda q: -19.62 * g.cos(q.a) - 9.81 * g.cos(q.b),
        units={"a": "rad", "b": "rad"},
    )
    still = g.equilibrium(system, [0.1, 0.1])
    linear = still.linearize()
    assert "all four eigenvalues are imaginary; the energy does" in linear.sentence
    assert linear.sentence in str(linear)
    assert linear.sentence in linear._repr_html_()
    rows = [line for line in str(linear).splitlines() if line.startswith("eigenvalue")]
    assert [row.split()[1] for row in rows] == ["+0"] * 4
    assert np.all(linear.spectrum.clear.real == 0.0)
    assert "a = 0 rad" in str(still).replace("-0", "0")
    assert "0 rad</td>" in still._repr_html_()
    damped = g.System("damped", "x", mass_matrix=[[1.0]], force=lambda q, v: [-q.x - 0.2 * v.x], units={"x": "m"})
    slow = g.equilibrium(damped, [0.0]).linearize()
    assert slow.spectrum.clear == pytest.approx(slow.eigenvalues, rel=1e-15)  # what is beyond doubt stays


def test_of_a_free_particle_no_potential_is_named():
    free = g.System("free", "x y", kinetic_energy=lambda v: 0.5 * (v.x**2 + v.y**2))
    sentence = g.linearize(free, [0, 0]).sentence
    assert "momenta are constant" in sentence
    assert "potential" not in sentence


def test_a_linkage_without_forces_rests_anywhere_on_its_path():
    """No force gives the balance a size; the family is still the one freedom of the parallelogram."""
    assert g.equilibrium(flat_parallelogram(), [0.1, 0.0, 0.1]).family == 1
