"""The bicycle and the tilted disc of bodies and joints, against published numbers, closed forms and Newton's laws."""

from __future__ import annotations

import numpy as np
import pytest
from proofs import together
from scipy.linalg import expm
from scipy.optimize import brentq, fsolve

import gauss as g
from gauss import bodies as mb
from gauss.geometry import across

BIKE, DISC = together("bicycle"), together("tilted_disc")
PUBLISHED = {name: np.array(entries) for name, entries in BIKE.PUBLISHED.items()}
WEAVE, CAPSIZE = BIKE.SELF_STABLE
EXACT = 1e-9  # of the largest entry; found are 1e-13 to 5e-12, and linearize states 1e-11 for its eigenvalues


def lean_of(run):
    """The angle (rad) by which the bicycle's frame leans to the right."""
    return np.arcsin(run["frame_R32"])


def rotation_rate(lean, turning):
    """γ̇ (rad/s) of the steady circle of the disc."""
    sine, cosine, inertia = np.sin(lean), np.cos(lean), DISC.MR2 + DISC.I3
    known = (inertia - DISC.I1) * turning**2 * sine * cosine + DISC.M * DISC.GRAVITY * DISC.R * sine
    return -known / (inertia * turning * cosine)


def state_matrix(speed, gravity=9.81):
    """A (4, 4) of (lean, steer) and rates, from the published matrices."""
    stiffness = gravity * PUBLISHED["K0"] + speed**2 * PUBLISHED["K2"]
    lower = -np.linalg.solve(PUBLISHED["M"], np.hstack([stiffness, speed * PUBLISHED["C1"]]))
    return np.vstack([np.eye(4)[2:], lower])


# ------------------------------------------------------------------ bicycle: linear


@pytest.fixture(scope="module")
def lighter():
    """The bicycle where things weigh less."""
    return BIKE.bicycle(gravity=3.7)


@pytest.mark.long
@pytest.mark.parametrize(("speed", "gravity"), [(1.0, 9.81), (8.0, 9.81), (4.0, 3.7)])
def test_the_linear_equations_of_the_bicycle_are_the_published_ones(speed, gravity, lighter):
    found = BIKE.matrices(BIKE.machine if gravity == 9.81 else lighter, speed)
    for name, expected in PUBLISHED.items():
        allowed = EXACT * np.where(expected == 0.0, 1.0, np.abs(expected))  # each entry by itself
        assert np.all(np.abs(found[name] - expected) <= allowed), name


@pytest.mark.long
@pytest.mark.parametrize("speed", [0.5, 3.0, 5.0, 10.0])
def test_the_bicycle_has_the_eigenvalues_of_the_published_matrices(speed):
    about = BIKE.linear(BIKE.machine, speed)[0]
    found = about.eigenvalues[about.spectrum.essential]
    expected = np.linalg.eigvals(state_matrix(speed))
    assert found.size == 4
    for one, other in ((found, expected), (expected, found)):
        assert np.max(np.min(np.abs(one[:, None] - other[None, :]), axis=1)) < EXACT
    if speed == 5.0:
        assert all(np.min(np.abs(found - x)) < EXACT for x in BIKE.AT_FIVE)


@pytest.mark.long
def test_the_bicycle_balances_itself_between_the_published_speeds():
    for speed, word in ((4.29, "unstable"), (4.295, "decaying"), (6.02, "decaying"), (6.03, "unstable")):
        assert BIKE.linear(BIKE.machine, speed)[0].stability.startswith(word), speed
    at_weave, at_capsize = (
        x.eigenvalues[x.spectrum.essential] for x in (BIKE.linear(BIKE.machine, v)[0] for v in (WEAVE, CAPSIZE))
    )
    assert np.abs(at_weave[np.abs(at_weave.imag) > 1.0].real).max() < 1e-10  # the uncertainty is 1e-11
    assert np.min(np.abs(at_capsize)) < 1e-10


# ------------------------------------------------------------------ bicycle: not linear


@pytest.fixture(scope="module")
def leaning():
    """q, v, printed accelerations and the answer at the state of large lean."""
    q, v, a = BIKE.printed()
    state = g.consistent(BIKE.system, q, v)
    assert max(np.max(np.abs(state.q - q)), np.max(np.abs(state.v - v))) < 1e-11  # it rolls as it is printed
    return state, a, g.accelerate(BIKE.system, state.q, state.v)


def test_accelerations_at_the_printed_state(leaning):
    _, expected, step = leaning
    assert np.max(np.abs(step.a - expected)) < 1e-11 * np.max(np.abs(expected))
    assert step.verdict == "regular"


def test_the_road_carries_the_weight_and_what_accelerates_the_bicycle(leaning):
    state, _, step = leaning
    moved, named = step.acceleration, BIKE.machine.named(state.q)
    needed, moment = np.zeros(3), np.zeros(3)
    for body in BIKE.machine.bodies:
        mass = body.inertia.mass
        force = mass * (np.array([moved[f"{body.name}_{x}"] for x in "xyz"]) - [0.0, 0.0, 9.81])
        R, R_ddot = (
            np.array([[x[f"{body.name}_R{i}{j}"] for j in (1, 2, 3)] for i in (1, 2, 3)]) for x in (named, moved)
        )
        turned = R_ddot @ body.inertia.second @ R.T  # the rate of the angular momentum is its skew part
        spin = np.array([turned[2, 1] - turned[1, 2], turned[0, 2] - turned[2, 0], turned[1, 0] - turned[0, 1]])
        place = np.array(body.placed(named).origin)
        needed, moment = needed + force, moment + np.cross(place, force) + spin
    pushed, turning = np.zeros(3), np.zeros(3)
    directions = [(0.0, 0.0, -1.0), *across((0.0, 0.0, -1.0))]
    for tyre in BIKE.TYRES:
        rows = [f"{tyre.name} touches", f"{tyre.name} rolls[0]", f"{tyre.name} rolls[1]"]
        force = sum(step.multiplier(row) * np.array(e) for row, e in zip(rows, directions, strict=True))
        pushed, turning = pushed + force, turning + np.cross(tyre.contact(named), force)
    assert np.max(np.abs(pushed - needed)) < 1e-10 * np.max(np.abs(needed))
    assert np.max(np.abs(turning - moment)) < 1e-10 * np.max(np.abs(moment))


@pytest.mark.long
def test_small_pushes_are_answered_as_the_published_matrices_tell():
    """Left and right are alike, so what is not linear is of the third order: an eighth for half the push."""
    times, off = np.linspace(0.0, 1.5, 16), []
    for push in (0.1, 0.05):
        q, v = BIKE.running(BIKE.machine, 4.6, push)
        run = g.simulate(BIKE.system, q, v, t_end=1.5, rtol=1e-11, atol=1e-13, progress="none").at(times)
        found = np.array([lean_of(run), BIKE.machine.joints[2].value(run)])
        expected = np.array([expm(t * state_matrix(4.6)) @ [0.0, 0.0, push, 0.0] for t in times])[:, :2].T
        off.append(np.max(np.abs(found - expected)))
    assert off[1] < 2e-3 * np.max(np.abs(expected))
    assert 7.9 < off[0] / off[1] < 8.1


def test_a_push_to_the_other_side_is_answered_by_the_mirror_image():
    q, v = (x.copy() for x in (BIKE.start.q, BIKE.start.v))
    mirrored = BIKE.running(BIKE.machine, BIKE.SPEED, -BIKE.PUSH)
    one, other = (
        g.simulate(BIKE.system, *x, t_end=0.3, rtol=1e-11, atol=1e-13, progress="none").at(0.3)
        for x in ((q, v), mirrored)
    )
    assert abs(lean_of(one)[0]) > 0.1
    assert abs(lean_of(one)[0] + lean_of(other)[0]) < 1e-10
    assert abs(one["front_x"][0] - other["front_x"][0]) < 1e-10


# ------------------------------------------------------------------ bicycle: turns without hands


def turning(lean, steer, rate):
    """q, v of a turn at a rate (rad/s) with fixed lean and steer, and the speed of the rear hub (m/s)."""

    def at(pitch, hub=(0.0, 0.0), wheels=(0.0, 0.0), rate=0.0, centre=(0.0, 0.0)):
        place = BIKE.Series([*centre, -BIKE.REAR * np.cos(lean)], np.array([*hub, 0.0]))
        angles = [(0.0, rate, 0.0), *((x, 0.0, 0.0) for x in (lean, pitch, steer)), *((0.0, w, 0.0) for w in wheels)]
        return BIKE.built(place, *angles)[:2]

    def gap(pitch):
        return BIKE.TYRES[1].height(BIKE.machine.named(at(pitch)[0]))

    pitch = brentq(gap, -0.2, 0.3, xtol=1e-15)
    q, carried = at(pitch, rate=rate)
    moving = np.array([at(pitch, e[:2], e[2:])[1] for e in np.eye(4)]).T
    J = BIKE.system.model.terms(q, carried, 0.0, BIKE.system.theta()).J
    found = np.linalg.lstsq(J @ moving, -J @ carried, rcond=None)[0]  # both wheels roll
    centre = np.array([found[1], -found[0]]) / rate  # puts the origin into the middle of the circle
    q, v = at(pitch, found[:2], found[2:], rate, centre)
    return g.consistent(BIKE.system, q, v), float(np.hypot(*found[:2]))


def hands_free(lean):
    """The turn with a given lean in which neither lean nor steer is accelerated: its state, speed and rate."""

    def off(x):
        state, _ = turning(lean, *x)
        step = g.accelerate(BIKE.system, state.q, state.v).acceleration
        return [step[name] for name in BIKE.LEANS]

    stiffness = 9.81 * PUBLISHED["K0"] + CAPSIZE**2 * PUBLISHED["K2"]  # its null vector is the turn of small lean
    steer = -stiffness[0, 0] / stiffness[0, 1] * lean
    steer, rate = fsolve(off, [steer, CAPSIZE * steer * np.cos(BIKE.TILT) / BIKE.BASE], xtol=1e-12)
    return *turning(lean, steer, rate), rate


def round_the_vertical(q):
    """Rotation of all bodies about the vertical at the origin."""
    found = {}
    for name in BIKE.MASSES:
        for x, y in (("x", "y"), *((f"R1{j}", f"R2{j}") for j in (1, 2, 3))):
            found |= {f"{name}_{x}": -q[f"{name}_{y}"], f"{name}_{y}": q[f"{name}_{x}"]}
    return found


@pytest.mark.long
def test_turns_without_hands_begin_at_the_capsize_speed_and_are_steady():
    (_, fast, _), (state, slow, rate) = (hands_free(lean) for lean in (0.025, 0.05))
    # left and right are alike, so the speed changes with the square of the lean; the fourth power is left
    assert 1e-3 < CAPSIZE - fast < 3e-3
    assert abs((4 * fast - slow) / 3 - CAPSIZE) < 1e-2 * (CAPSIZE - fast)
    about = g.linearize(BIKE.system, state.q, state.v, symmetry=[round_the_vertical, *BIKE.SYMMETRIES[1:]])
    assert np.isclose(about.rates["round_the_vertical"], rate, rtol=1e-9)
    assert np.min(np.abs(about.eigenvalues - 1j * rate)) < 1e-7  # the same circle elsewhere
    assert about.stability == "unstable"
    run = g.simulate(BIKE.system, state.q, state.v, t_end=1.0, rtol=1e-11, atol=1e-13, progress="none")
    assert np.ptp(lean_of(run)) < 1e-9  # N steps of rtol 1e-11; what grows, as exp(0.004 t), is small
    assert np.ptp(np.hypot(run["rear_x"], run["rear_y"])) < 1e-8


# ------------------------------------------------------------------ the tilted disc


@pytest.mark.parametrize(("lean", "turning"), [(0.2, -1.5), (0.9, 3.0), (-0.6, 0.8), (1.3, -6.0)])
def test_the_disc_on_a_steady_circle_has_closed_frequencies_and_forces(lean, turning):
    spin = rotation_rate(lean, turning)
    about = DISC.linear(lean, turning, spin)
    kappa = DISC.frequency_squared(lean, turning, spin)
    # what the double zeros of the angles leave of the others is 1e-12 of the largest entry of A
    for square in (-kappa, -(turning**2)):
        assert abs(DISC.square_nearest(about, square) - square) < 1e-9 * max(abs(square), turning**2)
    assert (about.stability == "unstable") == (kappa < 0.0)
    q = DISC.on_circle(lean, turning, spin)
    at, v, _ = DISC.placed(q, DISC.velocity(q, spin, turning))
    step = g.accelerate(DISC.system, at, v)
    centre = np.hypot(*at[:2])  # of the path of the centre
    friction = np.hypot(*(step.multiplier(f"road rolls[{k}]") for k in (0, 1)))
    assert np.isclose(step.multiplier("road touches"), DISC.M * DISC.GRAVITY, rtol=1e-11)
    assert np.isclose(friction, DISC.M * turning**2 * centre, rtol=1e-10)


def hoop():
    """The mechanism of a thin hoop of the disc's mass and radius: I₁ = ½mr², I₃ = mr²."""
    ring = mb.Body("disc", mb.ring(DISC.M, DISC.R))
    return mb.Mechanism("hoop", [ring], [mb.RollingDisc("road", ring, DISC.R)], gravity=(0, 0, -DISC.GRAVITY)).system


@pytest.mark.parametrize(("shape", "rolls", "stands"), [("disc", 1.0 / 3.0, 4.0 / 5.0), ("hoop", 1.0 / 4.0, 2.0 / 3.0)])
def test_upright_the_disc_and_the_hoop_are_stable_above_their_critical_rates(shape, rolls, stands, monkeypatch):
    """Published for the disc: γ̇² > g/(3r); I₁mgr/(I₃(I₃ + mr²)) and mgr/(I₁ + mr²) for any I₁, I₃."""
    if shape == "hoop":
        monkeypatch.setitem(DISC.linear.__globals__, "system", hoop())
    for share, of in ((rolls, lambda w: (0.0, 0.0, w)), (stands, lambda w: (0.0, w, 0.0))):
        limit = np.sqrt(share * DISC.GRAVITY / DISC.R)
        assert DISC.linear(*of(0.999 * limit)).stability == "unstable"
        above = DISC.linear(*of(1.001 * limit))
        assert above.stability == "not decided"  # imaginary
        assert not above.spectrum.growing.size


@pytest.mark.parametrize("share", [0.8, 1.2])
def test_a_disc_that_turns_on_the_spot_falls_below_the_critical_rate_only(share):
    rate, lean = share * DISC.ON_THE_SPOT, 1e-4
    q = np.array([0.0, 0.0, 0.0, lean, 0.0])
    spin = -(2 * DISC.MR2 + DISC.I3) / (DISC.MR2 + DISC.I3) * rate * lean  # as γ̇ changes with the lean
    at, v, _ = DISC.placed(q, DISC.velocity(q, spin, rate))
    kappa = DISC.frequency_squared(0.0, rate, 0.0)
    run = g.simulate(DISC.system, at, v, t_end=1.0, rtol=1e-11, atol=1e-14, progress="none")
    growth = np.cos(np.sqrt(complex(kappa)) * run.t).real  # cosh where κ² < 0
    assert (kappa < 0.0) == (share < 1.0)
    # what is not linear is of the order of the lean's square, 1e-6 where it has grown, and of rtol
    assert np.max(np.abs(DISC.angles(run)[3] / lean - growth)) < 1e-4
