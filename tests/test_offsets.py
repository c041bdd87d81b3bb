"""How far a state is off, relative to its own sizes: the same verdict for every length from 1e-9 to 1e12."""

import numpy as np
import pytest

import gauss as g
from gauss.principle import closed_rows, offsets

SIZES = [1e-9, 1e-6, 1e-3, 1.0, 1e4, 1e8, 1e12]


def bead(*rows, mass=1.0, gravity=9.81):
    return g.System(
        "bead",
        coordinates="x y",
        kinetic_energy=lambda v: 0.5 * mass * (v.x**2 + v.y**2),
        potential_energy=lambda q: mass * gravity * q.y,
        constraints=rows,
    )


def rod(L):
    return bead(g.Holonomic("rod", lambda q: q.x**2 + q.y**2 - L**2))


def four_bar(L):
    """Three bars as bodies with angles, pinned to each other and to the ground: positions in L, angles of order 1."""
    names = "x1 y1 a1 x2 y2 a2 x3 y3 a3"
    half = {1: 0.5 * L, 2: 1.5 * L, 3: 1.0 * L}

    def kinetic(v):
        bodies = ((v[f"x{k}"], v[f"y{k}"], v[f"a{k}"], half[k]) for k in (1, 2, 3))
        return sum(0.5 * (x**2 + y**2 + h**2 * a**2 / 3.0) for x, y, a, h in bodies)

    def end(q, k, side):
        return (
            q[f"x{k}"] + side * half[k] * g.cos(q[f"a{k}"]),
            q[f"y{k}"] + side * half[k] * g.sin(q[f"a{k}"]),
        )

    def pin(one, other):
        return lambda axis: lambda q: one(q)[axis] - other(q)[axis]

    joints = {
        "A": pin(lambda q: end(q, 1, -1), lambda q: (0.0, 0.0)),
        "B": pin(lambda q: end(q, 1, 1), lambda q: end(q, 2, -1)),
        "C": pin(lambda q: end(q, 2, 1), lambda q: end(q, 3, 1)),
        "D": pin(lambda q: end(q, 3, -1), lambda q: (3.0 * L, 0.0)),
    }
    rows = [g.Holonomic(f"{name}.{'xy'[axis]}", row(axis)) for name, row in joints.items() for axis in (0, 1)]
    return g.System("four-bar", coordinates=names, kinetic_energy=kinetic, constraints=rows)


def assembled(L):
    """The bar of L upright, the coupler of 3 L and the rocker of 2 L by the law of cosines."""
    B, D = np.array([0.0, L]), np.array([3.0 * L, 0.0])
    far = np.linalg.norm(D - B)
    along = (far**2 + 9.0 * L**2 - 4.0 * L**2) / (2.0 * far)
    up = np.sqrt(9.0 * L**2 - along**2)
    C = B + (D - B) / far * along + np.array([[0.0, -1.0], [1.0, 0.0]]) @ (D - B) / far * up
    bars = [(np.zeros(2), B), (B, C), (D, C)]
    return np.concatenate([[*(a + b) / 2.0, np.arctan2(*(b - a)[::-1])] for a, b in bars])


def off(system, q, v=None, t=0.0):
    position, velocity = offsets(system, system.state(q, v, t))
    return float(np.max(position)), float(np.max(velocity))


@pytest.mark.sampled(8)
@pytest.mark.parametrize("L", SIZES)
@pytest.mark.parametrize("angle", [0.0, 0.6, np.pi / 2, 3.0])
def test_a_bead_five_percent_off_its_rod_is_refused_and_one_exact_to_rounding_accepted(L, angle):
    place = L * np.array([np.cos(angle), np.sin(angle)])
    g.accelerate(rod(L), place)
    assert off(rod(L), place)[0] <= 1e-9
    assert off(rod(L), place * (1.0 + 1e-9))[0] <= 1e-8  # nine digits
    for wrong in (1.05, 0.95, 1.0 + 1e-6):
        # φ/(Σ|J q| + |J|²/|∂J/∂q|) = ε between 1/2 and 1 of the relative distance
        assert 0.3 * abs(wrong - 1.0) <= off(rod(L), place * wrong)[0] <= 1.1 * abs(wrong - 1.0)
        with pytest.raises(g.errors.InconsistentStateError, match="'rod' has position residual"):
            g.accelerate(rod(L), place * wrong)


@pytest.mark.sampled(5)
@pytest.mark.parametrize("L", SIZES)
@pytest.mark.parametrize("foot", [0.0, 1.0])
def test_a_contact_that_is_penetrated_or_open_by_a_share_of_the_system_is_seen_so(L, foot):
    system = bead(g.Unilateral("floor", lambda q: q.y - foot * L))
    for gap, closed in ((0.0, True), (1e-17 * L, True), (0.05 * L, False), (-1e-15 * L, True)):
        state = system.state([L, foot * L + gap], [0.0, 0.0], 0.0)
        terms = system.model.terms(state.q, state.v, state.t, system.theta())
        assert (0 in closed_rows(system, state, terms)) is closed
        g.accelerate(system, state.q)
    with pytest.raises(g.errors.InconsistentStateError, match="'floor' has position gap"):
        g.accelerate(system, [L, foot * L - 0.05 * L])


@pytest.mark.parametrize("L", SIZES)
def test_a_pin_of_a_four_bar_that_is_open_by_a_share_of_the_bars_is_refused(L):
    system, q = four_bar(L), assembled(L)
    assert off(system, q)[0] <= 1e-10
    for k in range(9):
        wrong = q.copy()
        wrong[k] += 0.05 if k % 3 == 2 else 0.05 * L
        assert off(system, wrong)[0] >= 1e-3
    rounded = np.array([float(f"{x:.8e}") for x in q])
    assert off(system, rounded)[0] <= 1e-8


@pytest.mark.sampled(3)
@pytest.mark.parametrize("L", SIZES)
def test_a_driver_is_judged_by_its_own_place_and_rate(L):
    system = bead(g.Holonomic("driver", lambda q, t: q.x - L * g.sin(2.0 * t)))
    t = 0.4
    place, rate = L * np.sin(2.0 * t), 2.0 * L * np.cos(2.0 * t)
    g.accelerate(system, [place, 0.0], [rate, 0.0], t)
    for q, v, word in (([1.05 * place, 0.0], [rate, 0.0], "position"), ([place, 0.0], [0.95 * rate, 0.0], "velocity")):
        with pytest.raises(g.errors.InconsistentStateError, match=f"'driver' has {word} residual"):
            g.accelerate(system, q, v, t)
    with pytest.raises(g.errors.InconsistentStateError, match="'driver' has velocity residual"):
        g.accelerate(system, [place, 0.0], None, t)  # at rest although the driver moves


@pytest.mark.sampled(4)
@pytest.mark.parametrize("L", SIZES)
@pytest.mark.parametrize("rate", [1e-2, 1.0, 1e2])
def test_a_velocity_off_by_a_share_of_itself_is_refused(L, rate):
    along, across = np.array([-0.8, 0.6]), np.array([0.6, 0.8])
    speed = rate * np.sqrt(9.81 * L)
    assert off(rod(L), L * across, speed * along)[1] <= 1e-10
    with pytest.raises(g.errors.InconsistentStateError, match="'rod' has velocity residual"):
        g.accelerate(rod(L), L * across, speed * (along + 0.05 * across))


@pytest.mark.sampled(4)
@pytest.mark.parametrize("L", [1e-9, 1.0, 1e12])
@pytest.mark.parametrize("gravity", [9.81, 0.0])
@pytest.mark.parametrize("speed", [0.0, 1e-17, 1e-33, 1e-160, 1e-320])
def test_crumbs_of_velocity_are_rest(L, gravity, speed):
    system = bead(g.Holonomic("rod", lambda q: q.x**2 + q.y**2 - L**2), gravity=gravity)
    for v in ([speed, 0.0], [speed, speed], [-speed, 2.0 * speed]):
        assert off(system, [L, 0.0], v) == pytest.approx((0.0, 0.0), abs=1e-9)


@pytest.mark.parametrize("mass", [1e-8, 1.0, 1e8])
def test_states_at_the_origin_and_rows_that_vanish_there_pass_with_their_crumbs(mass):
    line = bead(g.Holonomic("line", lambda q: q.y), mass=mass)
    cone = bead(g.Holonomic("cone", lambda q: q.x**2 - q.y**2), mass=mass)
    for system in (line, cone):
        for q in ([0.0, 0.0], [0.0, 1e-17], [3e-17, -1e-17], [1e-15, 2e-16]):
            assert off(system, q)[0] <= 1e-9
        assert off(system, [1.0, 1.0 if system is cone else 1e-17])[0] <= 1e-9
        assert off(system, [1.0, 0.9])[0] >= 0.03


def test_a_row_with_a_large_constant_is_judged_by_the_digits_of_its_coordinates():
    system = bead(g.Holonomic("far", lambda q: q.x - 1e6))
    assert off(system, [1e6 * (1.0 + 1e-9), 0.0])[0] <= 1e-8
    assert off(system, [1e6 + 1.0, 0.0])[0] >= 1e-7


@pytest.mark.parametrize("factor", [1e-12, 1.0, 1e12])
def test_factors_of_rows_and_of_masses_do_not_move_the_measure(factor):
    plain = bead(g.Holonomic("rod", lambda q: q.x**2 + q.y**2 - 1.0))
    row = bead(g.Holonomic("rod", lambda q: factor * (q.x**2 + q.y**2 - 1.0)), mass=factor)
    for q, v in (([0.6, 0.81], [0.8, -0.5]), ([1.0, 1e-3], [1e-3, 1.0])):
        assert off(row, q, v) == pytest.approx(off(plain, q, v), rel=1e-6)
    assert off(row, [1.0, 1e-3])[0] > 1e-8
