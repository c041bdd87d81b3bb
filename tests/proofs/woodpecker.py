"""The other claims of scenarios/woodpecker.py.

A sleeve of inner radius r_M > r₀ slides on a pole of radius r₀; a bird hangs on it by a torsion spring. While the
sleeve is tilted it jams: its edge touches the pole at its lower end (φ_M < 0) or its upper one (φ_M > 0). The bird
swings, tilts the sleeve back, the toy falls a little, the beak hits the pole and throws the bird back. Coordinates are
the height y (m) and the small angles φ_M of the sleeve and φ_S of the bird (rad); friction μ = 0.3 at all contacts,
restitution 0.5 at the beak and 0 at the sleeve. Gaps and slips of Glocker's model:

    g₁ = l_M + l_G − l_S − r₀ − h_S φ_S (beak),   g₂, g₃ = r_M − r₀ ± h_M φ_M,
    s₁ = ẏ + l_M φ̇_M + (l_G − l_S) φ̇_S,           s₂ = s₃ = ẏ + r_M φ̇_M.

Known answers: in each mode of contact the equations are linear with constant coefficients, so that their solution is a
matrix exponential; modes at events, and impacts by Moreau's law, follow from the cases of the complementarity
conditions, tried one by one. This shares no code with the package. By it the limit cycle has the period 0.145976 s and
goes down by 19.445 mm; a rate of the bird that differs at the release comes back with −0.84 of the difference, so the
cycle attracts. The published start lies close to it. Over a period the impacts and friction take what the weight gives.
"""

from functools import lru_cache
from itertools import product

import numpy as np
from scipy.linalg import expm
from scipy.optimize import brentq

import gauss as g
from scenarios.woodpecker import (
    BOUNCE,
    HM,
    HS,
    JM,
    JS,
    LG,
    LM,
    LS,
    MM,
    MS,
    MU,
    Q0,
    R0,
    RM,
    SPRING,
    V0,
    G,
    start,
    system,
)

NAMES = ("beak", "lower edge", "upper edge")

# ------------------------------------------------------------------ by hand

MASS = np.array(
    [[MS + MM, MS * LM, MS * LG], [MS * LM, JM + MS * LM**2, MS * LM * LG], [MS * LG, MS * LM * LG, JS + MS * LG**2]]
)
NORMAL = np.array([[0.0, 0.0, -HS], [0.0, HM, 0.0], [0.0, -HM, 0.0]])
TANGENT = np.array([[1.0, LM, LG - LS], [1.0, RM, 0.0], [1.0, RM, 0.0]])
GAP = np.array([LM + LG - LS - R0, RM - R0, RM - R0])
SPRINGS = SPRING * np.array([[0, 0, 0], [0, -1, 1], [0, 1, -1]])
WEIGHT = -G * np.array([MS + MM, MS * LM, MS * LG])
OPEN, STICK = "open", 0  # a closed contact sticks (0) or slips with the sign ±1


def mode_matrix(mode):
    """For a mode, (A, b) with ż = A z + b, and (P, p), (T, t): normal and friction forces, affine in z = (q, v)."""
    rows = [(k, "n") for k in range(3) if mode[k] != OPEN] + [(k, "t") for k in range(3) if mode[k] == STICK]
    J = np.array([(NORMAL if kind == "n" else TANGENT)[k] for k, kind in rows]).reshape(-1, 3)
    W = np.array(
        [
            NORMAL[k] - (mode[k] * MU * TANGENT[k] if mode[k] != STICK else 0.0) if kind == "n" else TANGENT[k]
            for k, kind in rows
        ]
    ).reshape(-1, 3)
    system = np.block([[MASS, -W.T], [J, np.zeros((len(rows), len(rows)))]])
    right = np.zeros((3 + len(rows), 7))
    right[:3, :3], right[:3, 6] = SPRINGS, WEIGHT
    found = np.linalg.solve(system, right)
    A = np.vstack([np.hstack([np.zeros((3, 3)), np.eye(3), np.zeros((3, 1))]), found[:3], np.zeros((1, 7))])
    forces = {}
    for row, (k, kind) in enumerate(rows):
        forces[k, kind] = found[3 + row]
        if kind == "n" and mode[k] != STICK:
            forces[k, "t"] = -mode[k] * MU * found[3 + row]
    return A, forces


def all_modes():
    """The matrices of all modes but those whose forces are not determined (the beak and an edge both stick)."""
    modes = [mode for mode in product((OPEN, 0, 1, -1), repeat=3) if OPEN in mode[1:]]
    return {mode: mode_matrix(mode) for mode in modes if mode.count(STICK) < 2}


MATRICES = all_modes()


def lawful(z, closed, slipping=()):
    """The mode at the state z (7,), its last entry 1, whose accelerations and forces obey the law.

    `slipping` has the sign with which a contact begins to slip, as its friction has just reached the limit.
    """
    slip = TANGENT @ z[3:6]
    choices = []
    for k in range(3):
        if k not in closed:
            choices.append((OPEN,))
        elif k in slipping:
            choices.append((slipping[k],))
        elif abs(slip[k]) > 1e-9:
            choices.append((int(np.sign(slip[k])), OPEN))
        else:
            choices.append((STICK, OPEN, 1, -1))
    for mode in product(*choices):
        if mode not in MATRICES:
            continue
        A, forces = MATRICES[mode]
        a = (A @ z)[3:6]
        if all(_obeys(k, mode[k], closed, slip, a, forces, z) for k in range(3)):
            return mode
    raise AssertionError("no mode obeys the law")


def _obeys(k, kind, closed, slip, a, forces, z):
    if kind == OPEN:
        return k not in closed or NORMAL[k] @ a >= 0.0
    p = forces[k, "n"] @ z
    if p < 0.0:
        return False
    if kind == STICK:
        return abs(forces[k, "t"] @ z) <= MU * p
    return abs(slip[k]) > 1e-9 or kind * (TANGENT[k] @ a) >= -1e-9


def struck(z, closed):
    """The state after the impact of the closed contacts, Moreau's law: ġ⁺ + e ġ⁻ ≥ 0, Coulomb's cone for impulses."""
    v = z[3:6]
    for mode in product((OPEN, 0, 1, -1), repeat=len(closed)):
        on = [(k, m) for k, m in zip(closed, mode, strict=True) if m != OPEN]
        rows = [NORMAL[k] for k, _ in on] + [TANGENT[k] for k, m in on if m == STICK]
        ways = [NORMAL[k] - (m * MU * TANGENT[k] if m != STICK else 0.0) for k, m in on]
        ways += [TANGENT[k] for k, m in on if m == STICK]
        right = [-BOUNCE[k] * (NORMAL[k] @ v) - NORMAL[k] @ v for k, _ in on]
        right += [-TANGENT[k] @ v for k, m in on if m == STICK]
        J, W = np.array(rows).reshape(-1, 3), np.array(ways).reshape(-1, 3)
        try:
            x = np.linalg.solve(J @ np.linalg.solve(MASS, W.T), np.array(right)) if rows else np.zeros(0)
        except np.linalg.LinAlgError:
            continue
        after = v + np.linalg.solve(MASS, W.T @ x) if rows else v
        p, t = x[: len(on)], iter(x[len(on) :])
        fine = all(NORMAL[k] @ after >= -BOUNCE[k] * (NORMAL[k] @ v) - 1e-12 for k in closed)
        fine = fine and np.all(p >= -1e-15)
        for (k, m), push in zip(on, p, strict=True):
            fine = fine and (abs(next(t)) <= MU * push if m == STICK else m * (TANGENT[k] @ after) >= -1e-12)
        if fine:
            return np.concatenate([z[:3], after, [1.0]])
    raise AssertionError("no impact obeys the law")


def motion(z, end, slipping=()):
    """Events (t, what, contact), legs (t, mode, state) and the final state, from z with the lower edge closed."""
    t, closed = 0.0, {1}
    mode = lawful(z, closed, slipping)
    log, legs = [], []
    while True:
        A, forces = MATRICES[mode]
        watched = []
        for k in range(3):
            if mode[k] == OPEN:
                watched.append(("closes", k, np.array([*NORMAL[k], 0, 0, 0, GAP[k]])))
                continue
            watched.append(("opens", k, forces[k, "n"]))
            if mode[k] == STICK:
                watched += [(f"slips {-s:+d}", k, MU * forces[k, "n"] - s * forces[k, "t"]) for s in (1, -1)]
            else:
                watched.append(("stops", k, mode[k] * np.array([0, 0, 0, *TANGENT[k], 0])))
        first = _first(A, z, watched, end - t)
        legs.append((t, mode, z))
        if first is None:
            return log, legs, expm(A * (end - t)) @ z
        tau, what, k = first
        t, z = t + tau, expm(A * tau) @ z
        log.append((t, what, NAMES[k]))
        if what == "closes":
            closed.add(k)
            z = struck(z, sorted(closed))
        elif what == "stops":
            z[3:6] -= (
                np.linalg.solve(MASS, TANGENT[k])
                * (TANGENT[k] @ z[3:6])
                / (TANGENT[k] @ np.linalg.solve(MASS, TANGENT[k]))
            )
        closed = {j for j in closed if NORMAL[j] @ z[3:6] < 1e-9 and not (what == "opens" and j == k)}
        mode = lawful(z, closed, {k: int(what[-2:])} if what.startswith("slips") else {})
        closed = {j for j in range(3) if mode[j] != OPEN}


def _first(A, z, watched, span, step=2e-5):
    """The first event (time, what, contact) within the span."""
    hop, now, tau = expm(A * step), z, 0.0
    for _ in range(int(span / step) + 1):
        later = hop @ now
        found = []
        for what, k, row in watched:
            if row @ later < 0.0 and (tau > 0.0 or row @ expm(A * 1e-9) @ z > 0.0):
                low = 0.0 if tau > 0.0 else 1e-9
                end = brentq(lambda x, row=row, now=now: row @ expm(A * x) @ now, low, step, xtol=1e-17, rtol=1e-15)
                found.append((tau + end, what, k))
        if found:
            return min(found)
        now, tau = later, tau + step
    return None


@lru_cache(maxsize=1)
def witness():
    """The motion of the scenario by matrix exponentials."""
    return motion(np.array([*Q0, *V0, 1.0]), start.t_end)


def by_hand(t):
    """The state (6, N) at given times."""
    _, legs, _ = witness()
    begins = np.array([leg[0] for leg in legs])
    found = []
    for time in t:
        begin, mode, z = legs[int(np.searchsorted(begins, time, side="right")) - 1]
        found.append((expm(MATRICES[mode][0] * (time - begin)) @ z)[:6])
    return np.array(found).T


def released(rate):
    """The state in which the sleeve begins to slip on its lower edge as the bird swings up with a rate (rad/s)."""
    stuck = (OPEN, STICK, OPEN)
    _, forces = MATRICES[stuck]
    row = MU * forces[1, "n"] - forces[1, "t"]  # friction reaches its limit upwards

    def excess(angle):
        return row @ np.array([0, Q0[1], angle, 0, 0, rate, 1.0])

    return np.array([0, Q0[1], brentq(excess, -0.6, 0.0), 0, 0, rate, 1.0])


def once_round(rate):
    """The rate with which the sleeve is released the next time, the time between and the way down."""
    log, legs, _ = motion(released(rate), 0.2, {1: -1})
    again = next(k for k, event in enumerate(log) if event[1].startswith("slips") and event[0] > 0.05)
    t, _, z = legs[again + 1]
    return z[5], t, z[0]


@lru_cache(maxsize=1)
def cycle():
    """The limit cycle: rate at the release, period, way down, and the slope of the map of rates."""
    rate = brentq(lambda x: once_round(x)[0] - x, 17.3, 17.8, xtol=1e-13)
    slope = (once_round(rate + 1e-4)[0] - once_round(rate - 1e-4)[0]) / 2e-4
    _, period, way = once_round(rate)
    return rate, period, way, slope


# ------------------------------------------------------------------ claims and figure

SICONOS = (0.192, np.array([-2.38834504e-02, -1.03454261e-01, -4.46854509e-01, 0.0, 0.0, 12.0087483]))  # step 2e-5 s

WORDS = {"close": "impact", "opens": "release", "stops": "stick", "slips": "slip"}


def states(run):
    return np.array([*(run[x] for x in ("y", "phiM", "phiS")), *(run[f"d_{x}"] for x in ("y", "phiM", "phiS"))])


@g.needs(start.t_end)
def claims(run):
    log, _, _ = witness()
    known = [(t, WORDS[what[:5]], name) for t, what, name in log]
    struck_at = {event.t for event in run.events if event.kind == "impact"}  # what slips then is part of the impact
    found = [(e.t, e.kind, e.name) for e in run.events if e.kind != "slip" or e.t not in struck_at]
    same = [event[1:] for event in found] == [event[1:] for event in known]
    t = np.linspace(0.0, run.t[-1], 500)
    apart = np.array([abs(t - time) > 1e-6 for time, _, _ in log]).all(axis=0)
    dense, hand = run.at(t[apart]), by_hand(t[apart])
    rate, period, way, _ = cycle()
    z = released(rate)
    lap = g.simulate(system, z[:3], z[3:6], t_end=period, rtol=1e-12, progress="none")
    back = states(lap)[:, -1] - [way, *z[1:6]]
    spent = sum(event.energy_loss for event in lap.events) - lap.friction_work[-1]
    given = -(MM + MS) * G * way
    when, published = SICONOS
    off = (states(run.at([when]))[:, 0] - published) / [0.024, 0.1, 0.45, 1.0, 1.0, 12.0]
    amplified = "tolerance of the steps; an impact amplifies what differs before it"
    return [
        g.Claim(
            f"{len(known)} impacts, releases, sticks and slips in this order",
            float(not same),
            0.0,
            "the cases tried one by one",
        ),
        g.Claim(
            "their times",
            g.relative(np.array([x[0] for x in found]), np.array([x[0] for x in known])) if same else 1.0,
            1e-9,
            amplified,
        ),
        g.Claim("y and both angles between events", g.relative(states(dense)[:3], hand[:3]), 1e-9, amplified),
        g.Claim("the rates of these", g.relative(states(dense)[3:], hand[3:]), 1e-8, amplified),
        g.Claim("the limit cycle closes after its period", float(np.max(np.abs(back))), 1e-9, amplified),
        g.Claim("the weight gives what impacts and friction take", abs(spent / given - 1.0), 1e-9, amplified),
        g.Claim(
            "Siconos has the same state after a lap", float(np.max(np.abs(off))), 0.02, "first-order steps of 2e-5 s"
        ),
    ]
