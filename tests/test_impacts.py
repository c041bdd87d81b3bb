"""Impacts against closed forms, exact arithmetic, brute-force enumeration and the differential equation of the path."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from frictional import Rub, rubbed
from rational_friction import as_arrays, pieces_of
from scipy.integrate import solve_ivp

import gauss as g
from gauss.contact import LAWS, ImpactProblem, collide, impact, moreau, orders, resolve_impact, routh
from gauss.contact.impacts.restitution import at_once
from gauss.contact.impacts.simultaneous import poisson
from gauss.errors import EnergyGainError

EPS = float(np.finfo(float).eps)


def rod(theta, v, e=0.5, mu=0.3, static=None):
    """A homogeneous rod (m = 1 kg, half-length 1 m) whose tip is on the floor at the angle theta."""
    c, s = np.cos(theta), np.sin(theta)
    return ImpactProblem.of(
        np.diag([1, 1, 1 / 3]), v, [[0, 1, -c]], T=[[1, 0, s]], restitution=e, coefficient=mu, static=static,
        names=["tip"], coordinates=["x", "z", "theta"],
    )  # fmt: skip


def random_problem(rng, k, n=4):
    A = rng.normal(size=(n, n))
    return ImpactProblem.of(
        A @ A.T + 0.2 * np.eye(n),
        rng.normal(size=n),
        rng.normal(size=(k, n)),
        nu=rng.normal(size=k) * 0.3,
        T=rng.normal(size=(k, n)),
        tau=rng.normal(size=k) * 0.3,
        restitution=rng.uniform(0, 1, k),
        coefficient=rng.uniform(0, 1, k),
    )


# --- one contact: Routh's path ----------------------------------------------------------------------------------------


def by_integration(W, gap, slip, static, kinetic, e, law):
    """P, S, and the modes in which the path is at the end of compression and at its end, by an ODE solver.

    States (ġ, s, S, work of P); each smooth piece is integrated over P with the events s = 0 and the end of the phase.
    """
    state, P, compressed, modes = np.array([gap, slip, 0.0, 0.0]), 0.0, None, []
    for _ in range(6):
        if abs(state[1]) < 1e-13:
            state[1] = 0.0
        side = np.sign(state[1])
        holds = side == 0 and abs(W[1, 0]) <= static * W[1, 1]
        if side == 0 and not holds:
            side = np.sign(W[1, 0])
        slope = -W[1, 0] / W[1, 1] if holds else -side * kinetic
        modes.append(0 if holds else int(side))

        def rates(_, y, slope=slope):
            return [W[0, 0] + W[0, 1] * slope, W[1, 0] + W[1, 1] * slope, slope, y[0]]

        def ending(at, y, fixed=compressed):
            if fixed is None:
                return y[0]
            return {
                "newton": y[0] + e * gap,
                "poisson": at - (1 + e) * fixed[0],
                "stronge": y[3] - (1 - e * e) * fixed[1],
            }[law]

        def stopping(_, y, holds=holds, moves=state[1] != 0):
            return y[1] if moves and not holds else 1.0

        ending.terminal = stopping.terminal = True
        ending.direction = 1.0
        found = solve_ivp(rates, (P, P + 100), state, events=[ending, stopping], rtol=1e-11, atol=1e-13, max_step=0.2)
        P, state = float(found.t[-1]), found.y[:, -1].copy()
        if found.t_events[0].size:
            if compressed is not None:
                return P, state[2], modes
            compressed, modes = (P, state[3]), [*modes, "restitution"]
            state[0] = 0.0
            if e == 0.0:
                return P, state[2], modes
        else:
            state[1] = 0.0
    raise AssertionError("no end")


@pytest.mark.parametrize("law", ["newton", "poisson", "stronge"])
def test_routh_path_is_the_solution_of_its_differential_equation(law):
    rng, seen = np.random.default_rng(5), set()
    for _ in range(120):
        A = rng.normal(size=(2, 3))
        W = A @ A.T + 0.02 * np.eye(2)
        kinetic = float(rng.uniform(0, 1.5))
        static = kinetic * float(rng.choice([1.0, 1.4]))
        gap, slip, e = -float(rng.uniform(0.2, 2)), float(rng.normal()), float(rng.uniform(0.05, 1))
        path = routh(W, gap, slip, static, kinetic, e, law)
        P, S, modes = by_integration(W, gap, slip, static, kinetic, e, law)
        assert path.normal == pytest.approx(P, rel=1e-8)  # the solver's tolerance and the roots of its events
        assert path.tangential == pytest.approx(S, rel=1e-8, abs=1e-8)
        turn, start = modes.index("restitution"), int(np.sign(slip))
        early, late = modes[:turn], modes[turn + 1 :]
        if 0 in early or -start in early:
            seen.add("sticks in compression" if 0 in early else "reverses in compression")
        elif 0 in late or -start in late:
            seen.add("sticks in restitution" if 0 in late else "reverses in restitution")
        else:
            seen.add("slides throughout")
    assert len(seen) == 5  # Routh's five cases


def test_closed_forms_of_a_rod_with_whole_numbers():
    """cos θ = 3/5: W = (52, −36; −36, 73)/25. μ = 1, s⁻ = 1: dġ/dP = 88/25, ds/dP = −109/25, stop at P = 25/109.

    Then |W_tn|/W_tt = 36/73 < μ: it sticks with dġ/dP = 52/25 − 36²/(25·73) = 100/73.
    """
    F = Fraction
    stop, slope, stuck = F(25, 109), F(88, 25), F(100, 73)
    gap, e = F(-2), F(1, 2)
    at_stop = gap + slope * stop
    compression = stop - at_stop / stuck
    energy = (gap * stop + slope * stop**2 / 2) + (at_stop * (-at_stop / stuck) / 2)  # work in compression
    ends = {
        "newton": stop + (-e * gap - at_stop) / stuck,
        "poisson": (1 + e) * compression,
        "stronge": compression + np.sqrt(float(2 * (-e * e * energy) / stuck)),
    }
    for law, P in ends.items():
        c = collide(rod(np.arccos(0.6), [1.0, -2.0, 0.0], mu=1.0), law)
        S = -stop + F(36, 73) * (F(P) - stop)
        assert c.normal[0] == pytest.approx(float(P), rel=20 * EPS)
        assert c.tangential[0] == pytest.approx(float(S), rel=50 * EPS)
        assert [phase.mode for _, phase in c.path][:2] == ["slip+", "stick"]
    assert len({round(float(P), 6) for P in ends.values()}) == 3


def test_jam_ends_with_sticking():
    """Sliding drives the tip in (μ beyond the critical one): ġ falls first, then it sticks and turns."""
    p = rod(np.arctan(2.0), [-3.0, -0.5, 0.0], e=0.3, mu=2.0)
    path = collide(p, "stronge").path
    assert path[0][1].mode == "slip−"
    assert path[0][1].normal_slope < 0.0
    assert path[-1][1].mode == "stick"
    assert path[-1][1].normal_slope > 0.0


def test_a_wedge_without_freedom_to_slip():
    """A bead on a wire at 53° to the floor: ġ = (4/3) s. Below μ = 4/3 it bounces; above, it sticks and cannot."""

    def bead(mu):
        return ImpactProblem.of(
            np.eye(2), [-0.6, -0.8], [[0, 1]], T=[[1, 0]], restitution=0.5, coefficient=mu, J=[[0.8, -0.6]], gamma=[0]
        )  # fmt: skip

    squeezed = 0.8 / (0.64 + 0.48)  # P_c, while it slides down
    rebound = {  # dġ/dP = 0.64 − 0.48 while it slides up
        "moreau": 0.4,
        "newton": 0.4,
        "poisson": 0.16 * 0.5 * squeezed,
        "stronge": np.sqrt(0.16 * 0.25 * 0.8 * squeezed),
    }
    for law in LAWS:
        np.testing.assert_allclose(collide(bead(1.0), law).v, rebound[law] * np.array([0.75, 1.0]), atol=1e-14)
    for law in ("poisson", "stronge"):
        np.testing.assert_allclose(collide(bead(2.0), law).v, 0.0, atol=1e-15)
    with pytest.raises(g.errors.SolverError, match="poisson"):
        collide(bead(2.0), "newton")


def test_static_coefficient_decides_sticking_only():
    """|W_tn|/W_tt = 0.493 lies between μ_k = 0.4 and μ_s = 0.6: what has stopped sticks; with one μ = 0.4 it slips."""
    start = [0.2, -2.0, 0.0]
    for law in LAWS:
        sticks = collide(rod(np.arccos(0.6), start, mu=0.4, static=0.6), law)
        slips = collide(rod(np.arccos(0.6), start, mu=0.4), law)
        assert abs(sticks.problem.T[0] @ sticks.v) < 10 * EPS
        assert sticks.tangential[0] > 0.4 * sticks.normal[0] - 0.4  # pushed by more than sliding friction at the end
        assert slips.problem.T[0] @ slips.v < -1e-3


# --- energy -----------------------------------------------------------------------------------------------------------


def double_pendulum(e, mu):
    """Kane's double pendulum: two equal rods (1 kg, 1 m) hang from a hinge, the tip of the second strikes a floor."""
    q1, q2 = np.radians(20.0), np.radians(30.0)
    half = 0.5 * np.cos(q1 - q2)
    M = [[4 / 3, half], [half, 1 / 3]]
    # height of the tip −cos q1 − cos q2, its place sin q1 + sin q2
    N, T = [[np.sin(q1), np.sin(q2)]], [[np.cos(q1), np.cos(q2)]]
    return ImpactProblem.of(M, [-0.1, -0.2], N, T=T, restitution=e, coefficient=mu, names=["floor"])


@pytest.mark.parametrize(("law", "e", "mu"), [("moreau", 0.5, 0.5), ("newton", 1.0, 0.5), ("newton", 0.9, 0.7)])
def test_kanes_double_pendulum_gains_energy_and_is_refused(law, e, mu):
    """Newton's coefficient with friction after the final slip (Kane: it sticks), or along Routh's path.

    By hand: at once ġ⁺ = −e ġ⁻ and s⁺ = 0, inside the cone. Along the path sliding backwards comes first, up to
    P₁ = −s⁻/(W_tn + μ W_tt), with S = +μ P₁; then S falls by the smaller of μ and W_tn/W_tt per P, until ġ = −e ġ⁻.
    """
    p = double_pendulum(e, mu)
    W, gap, slip = p.influence.W, float((p.N @ p.v)[0]), float((p.T @ p.v)[0])
    np.testing.assert_allclose(p.N @ p.v, -0.1 * np.sin(np.radians(20)) - 0.1, rtol=1e-14)
    with pytest.raises(EnergyGainError, match=r"'floor'.*stronge") as caught:
        collide(p, law)
    first = -slip / (W[1, 0] + mu * W[1, 1])
    share = -min(mu, W[1, 0] / W[1, 1])  # S per P after sliding has stopped
    P = (-(1 + e) * gap - first * W[0, 1] * (mu - share)) / (W[0, 0] + W[0, 1] * share)
    x = np.array([P, mu * first + share * (P - first)])
    if law == "moreau":
        x = np.linalg.solve(W, [-(1 + e) * gap, -slip])
        assert abs(x[1]) < mu * x[0]
    gained = 0.5 * x @ W @ x + x @ [gap, slip]
    assert caught.value.energy == pytest.approx(gained, rel=1e-9)
    assert caught.value.energy > 0.2 * 0.5 * p.v @ p.M @ p.v
    assert (caught.value.contact, caught.value.law) == ("floor", law)
    allowed = collide(p, law, allow_energy_gain=True)
    np.testing.assert_allclose([*allowed.normal, *allowed.tangential], x, rtol=1e-9)
    np.testing.assert_allclose([allowed.created, -allowed.energy_loss], gained, rtol=1e-9)
    assert f"creates {gained:.6g} J" in allowed.sentence
    for other in ("stronge", "poisson"):
        assert collide(p, other).energy_loss > 0.0


def test_stronges_coefficient_is_the_ratio_of_the_works():
    rng = np.random.default_rng(2)
    for _ in range(40):
        A = rng.normal(size=(2, 3))
        e = float(rng.uniform(0, 1))
        path = routh(A @ A.T, -1.0, float(rng.normal()), 0.9, 0.9, e, "stronge")
        assert path.work_restitution == pytest.approx(-e * e * path.work_compression, abs=1e-13)
        assert path.work_friction <= 1e-15
        kinetic = 0.5 * np.array([path.normal, path.tangential]) @ A @ A.T @ [path.normal, path.tangential]
        first = path.phases[0]
        total = kinetic + path.normal * first.gap_rate + path.tangential * first.slip  # T⁺ − T⁻
        works = path.work_compression + path.work_restitution + path.work_friction
        assert total == pytest.approx(works, abs=1e-12)


@pytest.mark.long
def test_energy_momentum_and_cones_of_random_impacts():
    rng = np.random.default_rng(3)
    refused = 0
    for k in (1, 2, 3):
        for _ in range(15):
            p = random_problem(rng, k)
            for law in LAWS:
                try:
                    c = collide(p, law)
                except EnergyGainError:
                    refused += 1
                    assert law != "stronge"
                    continue
                except g.errors.SolverError:
                    assert law == "moreau"  # friction wedges the contacts, exactly checked below
                    continue
                size = c.energy_before + c.energy_after
                works = c.normal_work.sum() + c.tangential_work.sum()
                assert works <= 1e-9 * size
                assert c.energy_loss == pytest.approx(-works - c.drive_work, abs=1e-12 * size)
                assert np.all(c.normal >= 0.0)
                assert np.all(p.N @ c.v - p.nu >= -1e-9)
                assert np.all(np.abs(c.tangential) <= p.static * c.normal + 1e-9)
                change = p.N.T @ c.normal + p.T.T @ c.tangential
                np.testing.assert_allclose(p.M @ (c.v - p.v), change, atol=1e-10)
                assert c.residual < 1e-9
    assert refused > 0


def test_a_moving_obstacle_may_give_energy():
    """A racket (3 m/s) hits a ball at rest, e = 0.5: it leaves with 4.5 m/s; the energy is the racket's work."""
    p = ImpactProblem.of([[2.0]], [0.0], [[1.0]], nu=[3.0], restitution=0.5)
    for law in LAWS:
        c = collide(p, law)
        assert c.v[0] == pytest.approx(4.5)
        assert c.energy_loss == pytest.approx(-20.25)
        assert c.drive_work == pytest.approx(27.0)
        assert c.normal_work[0] == pytest.approx(-6.75)  # (1 − e²) ½ m 3²


# --- several contacts at once ----------------------------------------------------------------------------------------


def whole(rng, k, n=3):
    """A Moreau problem of whole numbers (velocities even, e in {0, ½, 1}), and its exact friction problem."""
    A = rng.integers(-1, 2, (n, n))
    M = A @ A.T + np.eye(n, dtype=int)
    N, T = rng.integers(-2, 3, (2, k, n))
    v, nu, tau = 2 * rng.integers(-3, 4, n), 2 * rng.integers(-1, 2, k), 2 * rng.integers(-1, 2, k)
    e = rng.integers(0, 3, k)
    mu = [Fraction(int(a), 4) for a in rng.integers(1, 9, k)]
    low = [int(nu[i]) - int(e[i]) * min(int(N[i] @ v - nu[i]), 0) // 2 for i in range(k)]
    exact = {
        "M": M.tolist(), "f": (M @ v).tolist(), "J": [], "gamma": [], "N": N.tolist(), "nu": low, "T": T.tolist(),
        "tau": tau.tolist(), "mu_s": mu, "mu_k": mu, "slip": [0] * k, "bilateral": [False] * k,
    }  # fmt: skip
    p = ImpactProblem.of(M, v, N, nu, T, tau, restitution=e / 2, coefficient=[float(x) for x in mu])
    return p, exact


def test_moreau_with_friction_is_the_exact_solution():
    rng, kinds = np.random.default_rng(11), set()
    for _ in range(120):
        p, exact = whole(rng, int(rng.integers(1, 3)))
        pieces = [as_arrays(piece, 3) for piece in pieces_of(exact)]
        wanted = [a for points, *_ in pieces for a in points]
        if not pieces:
            kinds.add("none")
            with pytest.raises((g.errors.SolverError, g.errors.ContradictoryRowsError)):
                moreau(p)
            continue
        found = moreau(p)
        kinds.add("one" if not len(found.others) else "several")
        near = min((a - p.v) @ p.M @ (a - p.v) for a in wanted)
        assert (found.v - p.v) @ p.M @ (found.v - p.v) == pytest.approx(near, abs=1e-9)
        every = [found.v, *found.others]
        assert all(min(np.max(np.abs(a - x)) for x in every) < 1e-9 for a in wanted)
        assert all(min(np.max(np.abs(a - x)) for a in wanted) < 1e-9 for x in every)
    assert kinds == {"none", "one", "several"}


def test_one_contact_at_once_in_closed_form():
    """The closed form that sequences use is the solution of the enumeration, with one and with two coefficients."""
    rng = np.random.default_rng(8)
    for k in range(80):
        p = random_problem(rng, 1, 2)
        extra = float(rng.choice([1.0, 1.0, 2.0]))
        p = ImpactProblem.of(
            p.M, p.v, p.N, T=p.T, restitution=p.restitution, coefficient=p.kinetic, static=extra * p.kinetic
        )
        found = moreau(p)
        state = float((p.N @ p.v)[0]), float((p.T @ p.v)[0])
        own = at_once(p.influence.W, *state, float(p.static[0]), float(p.kinetic[0]), float(p.restitution[0]))
        np.testing.assert_allclose(own, [found.normal[0], found.tangential[0]], atol=1e-9, err_msg=str(k))


def by_modes(p, rates, returned):
    """All (Q, S) of the restitution phase, mode by mode: (touching or leaving) × (stick, slip+, slip−)."""
    k, W, mu, found = p.k, p.influence.W, p.kinetic, []
    for modes in product(product((True, False), (0, 1, -1)), repeat=k):
        A, b = np.zeros((2 * k, 2 * k)), np.zeros(2 * k)
        for i, (touching, side) in enumerate(modes):
            A[i], b[i] = (W[i], -rates[i]) if touching else (np.eye(2 * k)[i], 0.0)
            if side == 0:
                A[k + i], b[k + i] = W[k + i], -rates[k + i]
            else:
                A[k + i, k + i], A[k + i, i], b[k + i] = 1.0, side * mu[i], -side * mu[i] * returned[i]
        if abs(np.linalg.det(A)) < 1e-9:
            continue
        x = np.linalg.solve(A, b)
        gap, slip = np.split(rates + W @ x, 2)
        Q, S = x[:k], x[k:]
        good = np.all(Q >= -1e-10) and np.all(gap >= -1e-10)
        good = good and np.all(np.abs(S) <= mu * (Q + returned) + 1e-10)
        if good and all(side * slip[i] >= -1e-10 for i, (_, side) in enumerate(modes)):
            found.append(x)
    return found


def test_poissons_phases_against_enumeration():
    rng, several = np.random.default_rng(4), 0
    for _ in range(25):
        p = random_problem(rng, 2)
        first = moreau(ImpactProblem.of(p.M, p.v, p.N, p.nu, p.T, p.tau, 0.0, p.kinetic))
        if len(first.others):
            continue
        returned = p.restitution * first.normal
        rates = np.concatenate([p.N @ first.v - p.nu, p.T @ first.v - p.tau]) + p.influence.W[:, :2] @ returned
        found_by_modes = by_modes(p, rates, np.array(returned))
        shift = np.array([*returned, 0.0, 0.0])
        wanted = [first.v + p.influence.G @ (x + shift) for x in found_by_modes]
        found = poisson(p)
        every = [found.v, *found.others]
        several += len(every) > 1
        assert wanted
        assert all(min(np.max(np.abs(a - x)) for x in every) < 1e-8 for a in wanted)
        assert all(min(np.max(np.abs(a - x)) for a in wanted) < 1e-8 for x in every)
        np.testing.assert_allclose(p.M @ (found.v - p.v), p.N.T @ found.normal + p.T.T @ found.tangential, atol=1e-9)


def test_many_rough_contacts_are_those_of_the_small_problems():
    """Ten separate rods at once are beyond the enumeration of modes; each moves as it does alone."""
    rng = np.random.default_rng(6)
    parts = [rod(float(t), rng.normal(size=3) - np.array([0, 2, 0]), mu=0.5) for t in rng.uniform(0.3, 1.2, 10)]

    def blocks(tables):
        high, wide = tables[0].shape
        out = np.zeros((10 * high, 10 * wide))
        for i, table in enumerate(tables):
            out[i * high : (i + 1) * high, i * wide : (i + 1) * wide] = table
        return out

    v = np.concatenate([p.v for p in parts])
    N, T = blocks([p.N for p in parts]), blocks([p.T for p in parts])
    together = ImpactProblem.of(blocks([p.M for p in parts]), v, N, T=T, restitution=0.5, coefficient=0.5)
    for law in ("moreau", "poisson", "stronge"):
        alone = np.concatenate([collide(p, law).v for p in parts])
        c = collide(together, law)
        np.testing.assert_allclose(c.v, alone, atol=1e-9)
        assert c.decided == (law != "moreau")


def test_different_restitutions_create_energy_in_moreaus_law():
    """Two coupled contacts, e = 1 and 0: found by a search over one angle, and refused with the energy."""
    created = []
    for angle in np.radians(np.arange(5, 180, 5.0)):
        N = [[1.0, 0.0], [np.cos(angle), np.sin(angle)]]
        p = ImpactProblem.of(np.eye(2), [-1.0, -0.2], N, restitution=[1.0, 0.0], names=["hard", "soft"])
        try:
            assert collide(p).energy_loss >= -1e-12
        except EnergyGainError as error:
            created.append(error.energy)
            assert collide(p, "stronge").energy_loss >= -1e-12
    assert created
    assert min(created) > 0.0


# --- orders -----------------------------------------------------------------------------------------------------------


def cradle(count, e=1.0, speed=(1.0,)):
    N = np.zeros((count - 1, count))
    for i in range(count - 1):
        N[i, i : i + 2] = -1.0, 1.0
    v = np.zeros(count)
    v[: len(speed)] = speed
    return ImpactProblem.of(np.eye(count), v, N, restitution=e)


@pytest.mark.parametrize("count", [3, 5])
def test_newtons_cradle(count):
    """At once: a reflection at v = 1/n for all, 2/n − 1 and 2/n. One after another: the last ball takes it all."""
    c = collide(cradle(count))
    np.testing.assert_allclose(c.v, [2 / count - 1, *[2 / count] * (count - 1)], atol=1e-14)
    assert c.order_matters
    assert "order matters" in c.sentence
    np.testing.assert_array_equal(c.orders.outcomes, [np.eye(count)[-1]])
    assert abs(c.energy_loss) < 1e-14
    assert c.v.sum() == pytest.approx(1.0)
    struck = collide(cradle(count), "newton")
    np.testing.assert_array_equal(struck.v, np.eye(count)[-1])
    assert not struck.order_matters


def test_plastic_cradle_has_one_outcome():
    """Infinitely many impacts one after another tend to the common velocity, which is that of all at once."""
    c = collide(cradle(3, e=0.0))
    np.testing.assert_allclose(c.v, 1 / 3, atol=1e-14)
    assert not c.order_matters
    assert len(c.orders.sequences[0]) > 10


@pytest.mark.parametrize(
    ("degrees", "matters"), [(90, False), (60, False), (45, False), (36, False), (50, True), (100, True)]
)
def test_ball_in_a_corner(degrees, matters):
    """With e = 1 the order matters unless the angle is π/k; then k reflections make one rotation or reflection."""
    a = np.radians(degrees) / 2
    p = ImpactProblem.of(np.eye(2), [0.3, -1.0], [[np.cos(a), np.sin(a)], [-np.cos(a), np.sin(a)]], restitution=1.0)
    found = orders(p)
    assert found.order_matters == matters
    assert not found.unfinished
    if not matters:
        k = round(180 / degrees)
        assert len(found.sequences[0]) == k
        mirrored = [-0.3, 1.0] if k % 2 == 0 else [0.3, 1.0]  # the whole group: −1, or the mirror of the bisector
        np.testing.assert_allclose(found.outcomes[0], mirrored, atol=1e-14)


def block(alpha, e=0.0, mu=5.0, omega=1.0):
    """Housner's block (half-diagonal 1 m, 1 kg) as it rocks from its left to its right corner."""
    b, h = np.sin(alpha), np.cos(alpha)
    N, T = [[0, 1, -b], [0, 1, b]], [[1, 0, h], [1, 0, h]]  # corners at (∓b, −h), rotation anticlockwise
    v = [-h * -omega, b * -omega, -omega]  # about the left corner, clockwise
    return ImpactProblem.of(
        np.diag([1, 1, 1 / 3]), v, N, T=T, restitution=e, coefficient=mu, names=["left", "right"],
        coordinates=["x", "z", "theta"],
    )  # fmt: skip


@pytest.mark.parametrize("alpha", [0.1, 0.2, 0.5])
def test_housners_ratio(alpha):
    """Angular momentum about the new corner: ω⁺/ω⁻ = 1 − 1.5 sin²α, for slender and other blocks alike."""
    p = block(alpha)
    np.testing.assert_allclose(p.N @ p.v, [0.0, -2 * np.sin(alpha)], atol=1e-15)
    np.testing.assert_allclose(p.T @ p.v, 0.0, atol=1e-15)
    for law in LAWS:
        c = collide(p, law)
        assert c.v[2] == pytest.approx(-(1 - 1.5 * np.sin(alpha) ** 2), rel=1e-12)
        assert c.normal[0] == 0.0
    if alpha == 0.2:
        assert -collide(p).v[2] == pytest.approx(0.9407957455021638, rel=1e-12)  # printed
    assert not collide(p).order_matters


def test_a_block_that_falls_flat_depends_on_the_order():
    """e = 1 without friction, on both corners at once: it rises without turning; one corner first, it turns."""
    p = block(0.8, e=1.0, mu=0.0)
    flat = ImpactProblem.of(p.M, [0, -1.0, 0], p.N, restitution=1.0, names=["left", "right"])
    c = collide(flat)
    np.testing.assert_allclose(c.v, [0, 1.0, 0], atol=1e-14)
    assert c.order_matters
    left, right = c.orders.outcomes
    assert left[2] == pytest.approx(-right[2])
    assert abs(left[2]) > 0.1


# --- systems ----------------------------------------------------------------------------------------------------------


def sliding_rod(e=0.5):
    return g.System(
        "rod",
        coordinates="x z theta",
        parameters={"l": 1.0},
        kinetic_energy=lambda v: 0.5 * (v.x**2 + v.z**2 + v.theta**2 / 3),
        potential_energy=lambda q: 9.81 * q.z,
        constraints=[g.Unilateral("floor", lambda q, p: q.z - p.l * g.sin(q.theta), restitution=e)],
    )


TIP = Rub("floor", lambda q, v, p: v.x + p.l * g.sin(q.theta) * v.theta, 0.3)


def test_impact_of_a_system():
    theta = 0.7
    q, v = [0.0, np.sin(theta), theta], [2.0, -1.0, 0.3]
    for law in LAWS:
        c = impact(rubbed(sliding_rod(), TIP), q, v, law=law)
        np.testing.assert_allclose(c.v, collide(rod(theta, v), law).v, rtol=1e-14)
        assert "floor" in str(c)
    half = impact(rubbed(sliding_rod().with_parameters(l=2.0), TIP), [0.0, 2 * np.sin(theta), theta], v)
    c2 = np.array([[0, 1, -2 * np.cos(theta)], [1, 0, 2 * np.sin(theta)]])
    p = ImpactProblem.of(np.diag([1, 1, 1 / 3]), v, c2[:1], T=c2[1:], restitution=0.5, coefficient=0.3)
    np.testing.assert_allclose(half.v, collide(p).v, rtol=1e-14)
    smooth = impact(sliding_rod(), q, v)
    ideal = resolve_impact(sliding_rod(), sliding_rod().state(q, v), 0, [])
    np.testing.assert_allclose(smooth.v, ideal.v, atol=1e-14)
    assert smooth.normal[0] == pytest.approx(ideal.impulses[0])
    nothing = impact(sliding_rod(), [0.0, 3.0, theta], v)
    np.testing.assert_array_equal(nothing.v, v)
    assert "no contact" in nothing.sentence


@pytest.mark.parametrize("law", LAWS)
def test_bilateral_rows_are_those_of_minimal_coordinates(law):
    """The double pendulum as two free rods with pins, one row of which is given twice."""
    a, b = np.radians([20.0, 30.0])
    low = double_pendulum(0.5, 0.2)
    p1, p2 = (np.array([np.cos(x), np.sin(x)]) for x in (a, b))  # d/dθ of the direction of each rod, which hangs down
    velocity = np.zeros((6, 2))  # of (x1, y1, θ1, x2, y2, θ2) by (θ1', θ2')
    velocity[:2, 0], velocity[2, 0] = p1 / 2, 1.0
    velocity[3:5, 0], velocity[3:5, 1], velocity[5, 1] = p1, p2 / 2, 1.0
    J = np.zeros((5, 6))
    J[:2, :2], J[:2, 2] = np.eye(2), -p1 / 2
    J[2:4, :2], J[2:4, 2], J[2:4, 3:5], J[2:4, 5] = -np.eye(2), -p1 / 2, np.eye(2), -p2 / 2
    J[4] = J[3]
    T, N = np.zeros((2, 1, 6))
    (T[0, 3], N[0, 4]), (T[0, 5], N[0, 5]) = (1, 1), p2 / 2
    M = np.diag([1, 1, 1 / 12, 1, 1, 1 / 12])
    np.testing.assert_allclose(velocity.T @ M @ velocity, low.M, atol=1e-15)
    np.testing.assert_allclose(N @ velocity, low.N, atol=1e-15)
    full = ImpactProblem.of(
        M, velocity @ low.v, N, T=T, restitution=0.5, coefficient=0.2, J=J, gamma=np.zeros(5), names=["floor"]
    )  # fmt: skip
    one, other = collide(low, law), collide(full, law)
    np.testing.assert_allclose(other.v, velocity @ one.v, atol=1e-14)
    np.testing.assert_allclose([*other.normal, *other.tangential], [*one.normal, *one.tangential], rtol=1e-12)
    change = J.T @ other.bilateral + N.T @ other.normal + T.T @ other.tangential
    np.testing.assert_allclose(M @ (other.v - full.v), change, atol=1e-14)
    assert other.energy_loss == pytest.approx(one.energy_loss, rel=1e-10)


def test_impact_keeps_nonlinear_velocity_constraints():
    speed = g.Nonholonomic("constant speed", lambda v: v.x**2 + v.z**2 - 25.0)
    ball = g.System(
        "ball",
        coordinates="x z",
        kinetic_energy=lambda v: 0.5 * (v.x**2 + v.z**2),
        constraints=[speed, g.Unilateral("floor", lambda q: q.z, restitution=0.5)],
    )
    c = impact(ball, [0, 0], [3.0, -4.0])
    np.testing.assert_allclose(c.v, [np.sqrt(21.0), 2.0], rtol=1e-12)
    np.testing.assert_allclose(c.v, resolve_impact(ball, ball.state([0, 0], [3.0, -4.0]), 1, []).v, rtol=1e-12)


def test_impact_without_collision():
    """Painlevé's rod slides in with ġ = 0: e = 0 leaves the tip at rest, by both laws; a rod that may slide stays."""
    theta = np.arctan(2.0)
    p = rod(theta, [-1.0, 0.0, 0.0], e=0.0, mu=2.0)
    at_rest = np.linalg.lstsq(np.vstack([p.N, p.T]) @ np.linalg.inv(p.M) @ np.vstack([p.N, p.T]).T, [0, 1.0])[0]
    for law in LAWS:
        np.testing.assert_array_equal(collide(p, law).v, p.v)
        c = collide(p, law, without_collision=True)
        np.testing.assert_allclose([c.normal[0], c.tangential[0]], at_rest, rtol=1e-12)
        assert c.energy_loss > 0.0
    free = rod(theta, [-1.0, 0.0, 0.0], mu=0.5)
    np.testing.assert_array_equal(collide(free, "stronge", without_collision=True).v, free.v)
    with pytest.raises(g.errors.SolverError, match="without collision"):
        collide(free, "moreau", without_collision=True)


def test_friction_on_a_row_held_from_both_sides():
    """A bead on a wire y = 0 is struck in both directions: |P| bounds the friction, S = −μ |P| sign s."""
    p = ImpactProblem.of(
        np.eye(2), [1.0, 0.0], [[0, 1], [0.6, 0.8]], nu=[0.0, 1.6], T=[[1, 0], [0, 0]], coefficient=[0.25, 0.0],
        bilateral=[True, False], names=["wire", "stop"],
    )  # fmt: skip
    c = collide(p)
    assert c.v[1] == pytest.approx(0.0, abs=1e-14)
    assert c.normal[0] < 0.0
    assert c.tangential[0] == pytest.approx(0.25 * c.normal[0])
    with pytest.raises(g.errors.InputError, match="wire"):
        collide(p, "stronge")


def test_several_outcomes_are_said():
    """Painlevé's rod, ġ⁻ = 1 mm/s, μ > μ*: nothing, an impulse P = ġ⁻/|A| that leaves it sliding, or it sticks."""
    p = rod(np.arctan(2.0), [-1.0, 1e-3, 0.0], e=0.0, mu=2.0)
    c = collide(p)
    assert c.decided
    assert not c.unique
    assert "2 other outcome(s)" in c.sentence
    np.testing.assert_array_equal(c.v, p.v)
    stuck, sliding = sorted(c.others, key=lambda v: abs(v[0]))
    np.testing.assert_allclose(p.T @ stuck, 0.0, atol=1e-15)
    A = 1 + 3 * 0.2 - 2.0 * 3 * 0.4  # W_nn − σ μ W_nt with cos² = 1/5, sin cos = 2/5
    assert sliding[1] - 1e-3 == pytest.approx(1e-3 / -A, rel=1e-9)


@pytest.mark.parametrize("slip", [lambda q, v: v.x, "rail"])
def test_friction_with_a_constant_limit_has_no_impulse(slip):
    """A finite force does nothing in an impact; a velocity row that it replaces does not hold either."""
    ball = g.System(
        "ball",
        coordinates="x z",
        kinetic_energy=lambda v: 0.5 * (v.x**2 + v.z**2),
        constraints=[
            g.Unilateral("slope", lambda q: 0.6 * q.x + 0.8 * q.z, restitution=1.0),
            *([g.Pfaffian("rail", lambda q: [1.0, 0.0])] if slip == "rail" else []),
        ],
    )
    c = impact(rubbed(ball, Rub(None, slip, limit=5.0)), [0, 0], [0.0, -1.0])
    np.testing.assert_allclose(c.v, [0.96, 0.28], atol=1e-14)
    assert c.problem.names == ("slope",)
    rough = Rub("slope", lambda q, v: 0.8 * v.x - 0.6 * v.z, 0.25)
    both = impact(rubbed(ball, [Rub(None, slip, limit=5.0), rough]), [0, 0], [0.0, -1.0])
    np.testing.assert_allclose([both.normal[0], both.tangential[0]], [1.6, -0.4], atol=1e-14)


def test_wedged_contacts_are_named():
    p = ImpactProblem.of(
        np.eye(2), [0, -1.0], [[1, 0.1], [-1, 0.1]], T=[[-0.1, 1], [0.1, 1]], coefficient=2.0, restitution=0.5
    )
    with pytest.raises(g.errors.SolverError, match=r"'contact 0', 'contact 1'.*wedges"):
        collide(p)
    for law in ("poisson", "stronge"):
        assert collide(p, law).energy_loss >= 0.0


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"restitution": 1.5}, r"\[0, 1\]"),
        ({"restitution": [0.1, 0.2]}, "shape"),
        ({"coefficient": -0.1}, "μ_k"),
        ({"static": 0.1}, "μ_s"),
        ({"v": [1, np.nan, 0]}, "finite"),
        ({"T": [[1, 0]]}, "shape"),
        ({"T": None}, "tangent rows"),
        ({"J": [[1, 0, 0]]}, "gamma"),
        ({"names": ["a", "b"]}, "entry"),
    ],
)
def test_bad_input(change, words):
    good = {"M": np.eye(3), "v": [1, -1, 0], "N": [[0, 1, 0]], "T": [[1, 0, 0]], "coefficient": 0.3}
    ImpactProblem.of(**good)
    with pytest.raises(g.errors.InputError, match=words):
        ImpactProblem.of(**{**good, **change})


def test_unknown_laws_and_bad_states():
    p = rod(0.7, [1, -1, 0])
    with pytest.raises(g.errors.InputError, match="moreau, newton, poisson, stronge"):
        collide(p, "hertz")
    with pytest.raises(g.errors.InputError, match="ImpactProblem"):
        collide(np.eye(3))
    with pytest.raises(g.errors.InputError, match="one contact"):
        routh(np.eye(2), -1, 0, 0, 0, 0, "moreau")
    with pytest.raises(g.errors.MassMatrixError, match="inertia"):
        collide(ImpactProblem.of(np.diag([1.0, 0.0]), [-1, 0], [[1.0, 1.0]], T=[[0, 1]], coefficient=1.0), "newton")
    stuck = ImpactProblem.of(np.eye(2), [0, -1.0], [[0, 1.0]], J=[[0, 1.0]], gamma=[-1.0])
    with pytest.raises(g.errors.SolverError, match="no freedom"):
        collide(stuck, "newton")
    with pytest.raises(g.errors.SolverError, match=r"'row 0', 'contact 0'"):
        collide(stuck)
    pendulum = g.System(
        "pendulum",
        coordinates="x y",
        kinetic_energy=lambda v: 0.5 * (v.x**2 + v.y**2),
        constraints=[g.Holonomic("bar", lambda q: q.x**2 + q.y**2 - 1), g.Unilateral("wall", lambda q: q.x)],
    )
    with pytest.raises(g.errors.InconsistentStateError, match="bar"):
        impact(pendulum, [0, -1], [-1, 0.5])
    with pytest.raises(g.errors.InconsistentStateError, match=r"wall.*inside"):
        impact(pendulum, [-0.6, -0.8], [0, 0])
    c = impact(pendulum, [0, -1], [-1, 0])
    np.testing.assert_allclose(c.v, 0.0, atol=1e-15)


# --- ends of the range: ties, dependent rows, bodies at rest, many contacts --------------------------------------


def test_the_fastest_approach_is_struck_first():
    """Approach speeds of 1 and 10 m/s: in the second order the first strike would be another one."""
    for swap in (slice(None), slice(None, None, -1)):
        N, T = np.array([[0, 1.0], [1.0, 0]])[swap], np.array([[1.0, 0], [0, 1.0]])[swap]
        p = ImpactProblem.of(np.eye(2), [-10, -1], N, T=T, coefficient=0.05, names=["slow", "fast"][swap])
        assert collide(p, "newton").path[0][0] == "fast"


def test_bodies_at_rest_that_a_moving_plate_strikes():
    """A plate with 1 m/s drives two balls of 1 kg at rest to 2 m/s, in one order: 1, 2, 1."""
    p = ImpactProblem.of(np.eye(2), [0, 0], [[1, 0], [-1, 1]], nu=[1, 0], restitution=1.0, names=["plate", "balls"])
    found = orders(p)
    np.testing.assert_allclose(found.outcomes, [[2, 2]], rtol=4 * EPS)
    assert found.sequences == (("plate", "balls", "plate"),)
    assert found.refused == 0
    for law in LAWS:
        c = collide(p, law)
        np.testing.assert_allclose(c.v, [2, 2], rtol=100 * EPS)
        assert not c.order_matters


def test_one_degree_of_freedom_stops_without_slip():
    """With one degree of freedom ġ and s are proportional; without rebound both end at zero for any friction."""
    rng = np.random.default_rng(3)
    for _ in range(300):
        n, t, v = rng.normal(size=3)
        gap, slip = -abs(n * v), -abs(n * v) * t / n
        P, S = at_once(np.outer([n, t], [n, t]), gap, slip, 0.5, 0.5, 0.0)
        assert P > 0.0
        assert abs(gap + n * (n * P + t * S)) <= 100 * EPS * abs(n) * (abs(n * P) + abs(t * S))


def test_a_sequence_of_impacts_ends_where_dependent_rows_leave_rounding():
    """Slip and gap of the first contact are the same row: what is left of them together is rounding, not a jam."""
    rng = np.random.default_rng(2)
    for _ in range(3):
        N, T = rng.normal(size=(2, 3, 3))
        T[0] = N[0]
        p = ImpactProblem.of(np.eye(3), rng.normal(size=3), N, T=T, coefficient=[3.0, 1.0, 9.0], static=9.0)
        assert collide(p, "stronge").residual <= 2e-10  # approach speeds below 1e-10 of the rows have died out


def test_contacts_that_no_impulse_reaches_have_no_residual():
    p = ImpactProblem.of(
        np.diag([20, 30, 20]), [1, 2, -1], [[-1, 2, 2], [1, -1, 2]], [0, 1], [[-1, 2, 2], [1, 1, 0]],
        coefficient=[0, 0.25],
    )  # fmt: skip
    assert collide(p, "poisson").residual <= 100 * EPS
    rest = ImpactProblem.of(np.diag([3, 1]), [-2, -2], [[1, -1], [-1, -2]], T=[[-1, -2], [2, 0]], coefficient=[100, 3])
    assert collide(rest).residual <= 100 * EPS


def test_many_rough_contacts_stop_and_rebound():
    """Moreau's law with e = 0, and Poisson's, have impulses where nothing moves but the bodies; up to 12 contacts here.

    Whole numbers, the more contacts than coordinates, are degenerate: several rows depend on each other.
    """
    rng = np.random.default_rng(11)
    for k in (8, 9, 10, 12):
        N, T = rng.integers(-2, 3, size=(2, k, 4)).astype(float)
        mu = rng.choice([0.2, 1.0, 50.0], size=k)
        p = ImpactProblem.of(np.diag([1, 2, 3, 1]), rng.integers(-2, 3, size=4), N, T=T, coefficient=mu)
        for c in (collide(p), collide(p, "poisson")):
            assert c.residual <= 1e-10
            assert np.max(np.abs(c.tangential) - mu * c.normal) <= 1e-10 * (1 + np.max(mu * c.normal))
            assert not c.unique_impulses
            assert not c.decided


def test_poisson_does_not_advise_itself():
    """A belt that moves along a wedged contact may leave Poisson's restitution without a solution, Stronge's never."""
    p = ImpactProblem.of(
        [[4.5, -1, 3.5], [-1, 2, -2.4], [3.5, -2.4, 4.7]], [0.96, -0.015, 1.78],
        [[1.2, 0.87, 0.69], [-0.8, -0.6, -0.29]], T=[[1.2, 0.87, 0.69], [0.36, -0.32, -0.49]], tau=[-0.88, 0.18],
        restitution=[1, 0], coefficient=100.0,
    )  # fmt: skip
    with pytest.raises(g.errors.SolverError, match=r"wedges.*Use law='stronge'\.$"):
        collide(p, "poisson")
    assert collide(p, "stronge").residual <= 1e-9
