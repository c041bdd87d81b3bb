"""Steady motions in time, Floquet multipliers, linearisation along motions with all kinds of rows, and handing on.

Each is compared with closed forms or with complex-step derivatives of other equations of motion.
"""

from __future__ import annotations

import sys
import types

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import gauss as g
from gauss.analysis import equilibrium, linearize, linearize_along, steady_motion, transition
from gauss.analysis.linear.tangent import StateDerivatives
from gauss.scenario import load

GRAVITY = 9.81
EXACT = 1e-10  # both derivatives are exact to rounding; matrices have condition numbers of a few hundred


def complex_step(function, x):
    """The Jacobian of a function of a real vector, exact to rounding."""
    x = np.asarray(x, dtype=float)
    return np.array([np.imag(function(x + 1e-30j * e)) / 1e-30 for e in np.eye(x.size)]).T


def off(value, expected):
    return np.max(np.abs(value - expected)) / np.max(np.abs(expected))


def spectrum_distance(found, expected):
    """The largest distance from an expected eigenvalue to the nearest found one."""
    return np.max(np.min(np.abs(np.asarray(expected)[:, None] - np.asarray(found)[None, :]), axis=1))


# ------------------------------------------------------------------ a hoop that is made to turn

TURN = 4.5  # rad/s; Ω² > g, so a bead on a hoop of radius 1 m leaves the bottom


def spin(q):
    return {"x": -q.y, "y": q.x}


def hoop(turn=TURN, twice=False):
    """A bead on a vertical hoop that turns about its vertical diameter, in coordinates at rest."""
    plane = g.Holonomic("plane of the hoop", lambda q, t: q.x * g.sin(turn * t) - q.y * g.cos(turn * t))
    again = g.Holonomic("again", lambda q, t: 2.0 * (q.x * g.sin(turn * t) - q.y * g.cos(turn * t)))
    return g.System(
        "bead on a turning hoop",
        "x y z",
        kinetic_energy=lambda v: 0.5 * (v.x**2 + v.y**2 + v.z**2),
        potential_energy=lambda q: GRAVITY * q.z,
        constraints=[
            g.Holonomic("radius", lambda q: q.x**2 + q.y**2 + q.z**2 - 1.0),
            plane,
            *([again] if twice else []),
        ],
    )


def hoop_flow(x):
    """The distance r from the axis of a bead on the lower half, in the plane of the hoop: z and the reaction gone.

    r̈ = Ω² r − 2λ r and z̈ = −g − 2λ z with r² + z² = 1.
    """
    r, speed = x
    z = -np.sqrt(1.0 - r**2)
    fall = -r * speed / z
    tension = 0.5 * (speed**2 + fall**2 + TURN**2 * r**2 - GRAVITY * z)
    return np.array([speed, TURN**2 * r - 2.0 * tension * r])


@pytest.mark.sampled(3)
@pytest.mark.parametrize("twice", [False, True], ids=["independent rows", "redundant rows"])
@pytest.mark.parametrize("t", [0.0, 0.37])
def test_bead_on_a_turning_hoop_is_steady_where_the_closed_form_says(t, twice):
    """cos θ = g/Ω², and disturbances oscillate with Ω sin θ (radius 1)."""
    heading = TURN * t
    guess = [0.7 * np.cos(heading), 0.7 * np.sin(heading), -0.7]
    steady = steady_motion(hoop(twice=twice), guess, [4.0], symmetry=spin, t=t)
    assert abs(steady.rates["spin"] - TURN) < 1e-11
    assert abs(steady.state.q[2] + GRAVITY / TURN**2) < 1e-11
    found = steady.linearize()
    assert found.state.t == t
    expected = TURN * np.sqrt(1.0 - (GRAVITY / TURN**2) ** 2)
    assert spectrum_distance(found.eigenvalues, [1j * expected, -1j * expected]) < EXACT
    assert found.stability == "not decided"


def test_matrix_of_the_turning_hoop_agrees_with_complex_steps_in_its_plane():
    steady = steady_motion(hoop(), [0.7, 0.0, -0.7], [4.0], symmetry=spin)
    found = steady.linearize(states="x d_x")
    r = steady.state.q[0]
    assert np.max(np.abs(hoop_flow(np.array([r, 0.0])))) < 1e-10
    assert off(found.A, complex_step(hoop_flow, [r, 0.0])) < EXACT


@pytest.mark.parametrize(("turn", "verdict"), [(2.0, "not decided"), (4.5, "unstable")])
def test_the_bottom_of_the_turning_hoop_needs_the_rate_that_the_rows_tell(turn, verdict):
    """At rest on the axis the velocity does not show the rotation; the eigenvalues are ±√(Ω² − g).

    The potential energy has a strict minimum there, which decides nothing, as the rows do work.
    """
    found = linearize(hoop(turn), [0.0, 0.0, -1.0], symmetry=spin)
    assert abs(found.rates["spin"] - turn) < 1e-11
    root = np.sqrt(complex(turn**2 - GRAVITY))
    assert spectrum_distance(found.eigenvalues, [root, -root]) < EXACT
    assert found.stability == verdict


def turning_force(k, c, force, rate, warp):
    """ẍ = −kx − cẋ + F(cos Ωt, sin Ωt) in the coordinates (x + warp·y², y)."""

    def push(q, v, t):
        across = force * g.cos(rate * t) - c * (v.x - 2.0 * warp * q.y * v.y)
        return [across, force * g.sin(rate * t) - c * v.y - 2.0 * warp * q.y * across]

    return g.System(
        "turning force",
        "x y",
        kinetic_energy=lambda q, v: 0.5 * ((v.x - 2.0 * warp * q.y * v.y) ** 2 + v.y**2),
        potential_energy=lambda q: 0.5 * k * ((q.x - warp * q.y**2) ** 2 + q.y**2),
        force=push,
    )


@pytest.mark.parametrize("warp", [0.0, 0.3])
def test_a_force_that_turns_has_its_steady_response(warp):
    """The response is a circle, and disturbances seen from it have s ∓ iΩ; in warped coordinates k(q) is not linear."""
    k, c, force, rate = 3.0, 0.4, 2.0, 1.3
    system = turning_force(k, c, force, rate, warp)

    def rotation(q):
        x = q.x - warp * q.y**2
        return {"x": -q.y + 2.0 * warp * q.y * x, "y": x}

    answer = force / (k - rate**2 + 1j * c * rate)
    steady = steady_motion(system, [0.5, -0.5], [rate], symmetry=rotation, hold_rates="rotation")
    x, y = steady.state.q
    assert abs(complex(x - warp * y**2, y) - answer) < 1e-11
    found = linearize(system, steady.state.q, steady.state.v, symmetry=rotation)
    free = np.roots([1.0, c, k])
    assert spectrum_distance(found.eigenvalues, [s + sign * 1j * rate for s in free for sign in (1, -1)]) < EXACT
    assert found.stability == "asymptotically stable"
    with pytest.raises(g.errors.InputError, match="depends on time"):  # at another rate the circle is no response
        steady_motion(system, [0.5, -0.5], [1.2], symmetry=rotation, hold_rates="rotation")


def hung(place, **parameters):
    """A pendulum of length 2 m whose hinge is at place(t)."""

    def rod(q, t):
        hinge = place(t)
        return (q.x - hinge[0]) ** 2 + (q.y - hinge[1]) ** 2 - 4.0

    return g.System(
        "pendulum on a moving hinge",
        "x y",
        kinetic_energy=lambda v: 0.5 * (v.x**2 + v.y**2),
        potential_energy=lambda q: GRAVITY * q.y,
        constraints=[g.Holonomic("rod", rod)],
        **parameters,
    )


def test_a_hinge_that_moves_uniformly_changes_nothing():
    found = linearize(hung(lambda t: [1.5 * t, 0.0]), [0.6, -2.0], [1.5, 0.0], t=0.4)
    assert found.rates == {"x": pytest.approx(1.5, abs=1e-13)}
    assert spectrum_distance(found.eigenvalues, [1j * np.sqrt(GRAVITY / 2), -1j * np.sqrt(GRAVITY / 2)]) < EXACT


def test_what_is_not_steady_in_time_is_refused_with_the_way_out():
    shaken = hung(lambda t: [0.0, 0.1 * g.cos(3.0 * t)])
    with pytest.raises(g.errors.InputError, match=r"along y the rows at one time .* Floquet multipliers"):
        linearize(shaken, [0.0, -2.0], [0.0, -0.3], t=np.pi / 6.0)  # where the hinge has no acceleration
    soft = g.System(  # at t = 0 no force changes with time, and at x = 0 none ever does
        "soft", "x", kinetic_energy=lambda v: v.x**2, force=lambda q, t: [-(2.0 + g.cos(t)) * q.x]
    )
    with pytest.raises(g.errors.InputError, match="at rest the accelerations"):
        linearize(soft, [0.0])
    with pytest.raises(g.errors.InputError, match="depends on time"):
        equilibrium(soft, [0.0])
    with pytest.raises(g.errors.InputError, match="the rows at one time"):  # the hoop, not seen as turning
        linearize(hoop(), [0.0, 0.0, -1.0])


# ------------------------------------------------------------------ Floquet multipliers


@pytest.mark.long
@pytest.mark.parametrize(("rate", "stable"), [(20.0, False), (90.0, True)])
def test_inverted_pendulum_on_a_shaken_hinge_has_the_floquet_multipliers_of_mathieu(rate, stable):
    """θ̈ = (g − AΩ² cos Ωt) θ/l, integrated by SciPy; it stands if AΩ > √(2gl), here Ω > 62.6 rad/s (Kapitza)."""
    height, length = 0.1, 2.0
    system = hung(lambda t: [0.0, height * g.cos(rate * t)])
    period = 2 * np.pi / rate
    run = g.simulate(system, [0.0, length + height], [0.0, 0.0], t_end=period, rtol=1e-12, progress="none")
    assert np.max(np.abs(run["x"])) < 1e-12
    found = transition(run, states="x d_x", rtol=1e-10)

    def mathieu(t, y):
        return [y[1], (GRAVITY - height * rate**2 * np.cos(rate * t)) * y[0] / length]

    expected = np.array(
        [solve_ivp(mathieu, (0, period), e, "DOP853", rtol=1e-12, atol=1e-13).y[:, -1] for e in np.eye(2)]
    ).T
    assert off(found, expected) < 1e-8  # rtol 1e-10, over about 100 steps
    multipliers = np.abs(np.linalg.eigvals(found))
    assert bool(np.max(multipliers) < 1.0 + 1e-6) is stable


# ------------------------------------------------------------------ along motions


def driven_flow(x, t):
    """The horizontal place of a pendulum below a hinge at (0.3 sin 2t, 0): its height and tension are gone."""
    place, speed, pull = 0.3 * np.sin(2 * t), 0.6 * np.cos(2 * t), -1.2 * np.sin(2 * t)
    r, rate = x[0] - place, x[1] - speed
    y = -np.sqrt(4.0 - r**2)
    fall = -r * rate / y
    tension = (rate**2 + fall**2 - r * pull - GRAVITY * y) / 8.0  # −λ of r² + y² − 4 = 0, from ẍ = −2·tension·r
    return np.array([x[1], -2.0 * tension * r]), -tension


@pytest.mark.parametrize("twice", [False, True], ids=["independent rows", "redundant rows"])
def test_rheonomic_linearisation_along_a_motion_agrees_with_complex_steps(twice):
    system = hung(lambda t: [0.3 * g.sin(2.0 * t), 0.0])
    if twice:
        again = g.Holonomic("again", lambda q, t: 3.0 * ((q.x - 0.3 * g.sin(2.0 * t)) ** 2 + q.y**2 - 4.0))
        system = g.System(
            system.name,
            "x y",
            kinetic_energy=lambda v: 0.5 * (v.x**2 + v.y**2),
            potential_energy=lambda q: GRAVITY * q.y,
            constraints=[*system.constraints, again],
        )
    run = g.simulate(system, [1.2, -1.6], [0.6, 0.0], t_end=1.0, rtol=1e-12, progress="none")
    for found in linearize_along(run, [0.1, 0.45, 0.9], states="x d_x", outputs=["dd_x", "rod"]):
        t, point = found.state.t, np.array([found.state.q[0], found.state.v[0]])
        assert off(found.A, complex_step(lambda x, t=t: driven_flow(x, t)[0], point)) < EXACT
        assert off(found.C[0], complex_step(lambda x, t=t: driven_flow(x, t)[0], point)[1]) < EXACT
        if not twice:  # one multiplier of two that share the tension has no derivative of its own
            expected = complex_step(lambda x, t=t: np.array([driven_flow(x, t)[1]]), point)[0]
            assert off(found.C[1], expected) < EXACT


def test_reaction_of_the_sleighs_edge_agrees_with_complex_steps():
    """The edge presses with m u ω I/(I + m a²), Chaplygin's equations; states (x, y, phi, ẋ, φ̇), u = ẋ/cos(phi)."""
    m, I, a = 1.2, 0.5, 0.3
    sleigh = load("chaplygin_sleigh").system
    row = sleigh.row_names[0]
    run = g.simulate(sleigh, [0, 0, 0.3], [0.5 * np.cos(0.3), 0.5 * np.sin(0.3), 1.1], t_end=0.6, progress="none")

    def reaction(x):
        return np.array([m * x[1] / np.cos(x[0]) * x[2] * I / (I + m * a**2)])

    found = linearize_along(run, [0.0, 0.6], states="x y phi d_x d_phi", outputs=[row])
    sign = np.sign(run[row][0]) * np.sign(run["d_phi"][0])
    for k, one in zip((0, -1), found, strict=True):
        point = np.array([one.state.q[2], one.state.v[0], one.state.v[2]])
        assert abs(sign * reaction(point)[0] - run[row][k]) < 1e-9
        assert off(sign * one.C[0, 2:], complex_step(reaction, point)[0]) < EXACT


def test_a_state_is_linearised_alike_beside_others_and_alone_and_singular_ones_are_refused():
    """Later states of a list take the verdict of the first where the rows have the same rank."""
    chain = load("four_bar_chain")
    s = chain.start
    run = g.simulate(chain.system, s.q, s.v, t_end=0.4, progress="none")
    times = [0.05, 0.15, 0.4]
    together = linearize_along(run, times)
    for t, one in zip(times, together, strict=True):
        alone = linearize_along(run, t, states=one.states)[0]
        assert off(one.A, alone.A) < EXACT
    cross = g.System(
        "cross", "x y", kinetic_energy=lambda v: v.x**2 + v.y**2, constraints=[g.Holonomic("xy", lambda q: q.x * q.y)]
    )
    known = StateDerivatives.at(cross, cross.state([-1.0, 0.0], [1.0, 0.0]), None)
    assert StateDerivatives.like(known, cross.state([0.5, 0.0], [1.0, 0.0]), None).multipliers == pytest.approx(
        0.0, abs=1e-14
    )
    with pytest.raises(g.errors.SingularPositionError, match="not smooth"):
        StateDerivatives.like(known, cross.state([0.0, 0.0], [1.0, 0.0]), None)
    two = double_rows()
    known = StateDerivatives.at(two, two.state([1.0, 0.0, 0.3]), None)
    with pytest.raises(g.errors.SingularPositionError, match="not smooth"):  # the second row has become the first
        StateDerivatives.like(known, two.state([0.0, 0.0, 0.0]), None)


def double_rows():
    """Two surfaces that have parallel tangent planes at the origin only, and meet where x y = 0."""
    return g.System(
        "two surfaces",
        "x y z",
        kinetic_energy=lambda v: v.x**2 + v.y**2 + v.z**2,
        constraints=[
            g.Holonomic("plane", lambda q: q.z - 0.3 * q.x**2),
            g.Holonomic("saddle", lambda q: q.z - 0.3 * q.x**2 - q.x * q.y),
        ],
    )


# ------------------------------------------------------------------ handing on


def servo():
    """A pendulum with damping and one control."""
    return hung(lambda t: [0.0, 0.0], force=lambda v, u: [u.push - 0.4 * v.x, -0.4 * v.y], controls="push")


def test_python_control_is_given_the_matrices_with_their_names(monkeypatch):
    given = {}
    fake = types.ModuleType("control")
    fake.ss = lambda *matrices, **names: given.update(matrices=matrices, **names)
    monkeypatch.setitem(sys.modules, "control", fake)
    found = linearize(servo(), [0.0, -2.0], states="x d_x", outputs=["x", "rod"])
    found.to_control()
    A, B, C, D = given["matrices"]
    assert np.allclose(A, [[0.0, 1.0], [-GRAVITY / 2.0, -0.4]], atol=1e-13)
    assert np.allclose(B, [[0.0], [1.0]], atol=1e-13)
    assert np.allclose(C, [[1.0, 0.0], [0.0, 0.0]], atol=1e-13)
    assert np.allclose(D, 0.0, atol=1e-13)
    assert (given["states"], given["inputs"], given["outputs"]) == (["x", "d_x"], ["push"], ["x", "rod"])


def test_python_controls_model_has_the_poles_and_the_gain_of_the_closed_form():
    model = linearize(servo(), [0.0, -2.0], states="x d_x", outputs=["x"]).to_control()
    assert spectrum_distance(model.poles(), np.roots([1.0, 0.4, GRAVITY / 2.0])) < EXACT
    assert abs(model.dcgain() - 2.0 / GRAVITY) < EXACT
    assert list(model.state_labels) == ["x", "d_x"]


def test_scipys_model_needs_inputs_and_has_the_transfer_function_of_the_closed_form():
    model = linearize(servo(), [0.0, -2.0], states="x d_x", outputs=["x"]).to_scipy()
    s = 0.3 + 1.7j
    value = (model.C @ np.linalg.solve(s * np.eye(2) - model.A, model.B) + model.D)[0, 0]
    assert abs(value - 1.0 / (s**2 + 0.4 * s + GRAVITY / 2.0)) < EXACT
    with pytest.raises(g.errors.InputError, match="no controls"):
        linearize(hung(lambda t: [0.0, 0.0]), [0.0, -2.0]).to_scipy()


@pytest.mark.sampled(8)
@pytest.mark.parametrize("speed", [*np.linspace(0.5, 45.0, 13), -3.0, 0.871069182389937])
def test_towed_wheel_has_the_roots_of_its_cubic_at_any_speed(speed):
    """A rheonomic row beside two nonholonomic ones; rounding in balanced forces must not count as a force."""
    system = load("towed_wheel").system.with_parameters(V=speed)
    p = system.parameters
    found = linearize(system, [0, 0, 0, 0], [speed, 0, 0, speed / p["r"]], symmetry="x theta")
    lever = p["m"] * (p["l"] - p["a"]) + p["m0"] * p["l"]
    inertia = p["J"] + p["m"] * (p["l"] - p["a"]) ** 2 + p["m0"] * p["l"] ** 2
    damping = p["l"] * p["b"] * speed + p["l"] ** 2 * p["k"]
    roots = np.roots([inertia, lever * speed + p["l"] ** 2 * p["b"], damping, p["l"] * p["k"] * speed])
    assert spectrum_distance(found.eigenvalues, roots) < EXACT * np.max(np.abs(roots))
    assert (found.stability == "unstable") is bool(np.max(roots.real) > 0.0)
    assert found.rates == {"x": pytest.approx(speed), "theta": pytest.approx(speed / p["r"])}
