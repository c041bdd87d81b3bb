"""The other claims of scenarios/charged_ball.py.

A ball of mass m = 0.1 kg with the charge q hangs on a spring of stiffness k = 5 N/m above a point charge Q of the
opposite sign, at the distance l = 2 m from the spring's point of suspension; there is no gravity. The attraction is
K/ρ² at the distance ρ, with K = |qQ|/(4πε₀) in N m². The exercise names no natural length of the spring; x (m) is its
extension, and l is measured from where the ball is with the spring relaxed. The model has the position (x, y, z) of the
ball and two guides, y = 0 and z = 0, so that it moves on the line through both points:

    m x_ddot = −k x + K/(l − x)²,   L = ½ m x_dot² − ½ k x² + K/(l − x).

Known answers: equilibria obey k x (l − x)² = K. With K_c = 4kl³/27 and cos 3θ = 2K/K_c − 1 they are
x = (4l/3) cos²(θ/2): two of them lie before Q for K < K_c, one for K = K_c (x = l/3), none for K > K_c. The linear
equation has the stiffness k(l − 3x)/(l − x), so that the one with x < l/3 is a centre and the other a saddle; the loop
of the saddle's separatrix bounds the oscillations. Outside of it the ball falls on Q in finite time. At an energy E

    m x_dot² = k(x − x₁)(x − x₂)(x − x₃)/(l − x),

which gives periods and times of fall by quadrature. Without the guides the ball stays on the line all the same: across
it the stiffness is k l/(l − x), never negative.
"""

from functools import cache

import numpy as np
from scipy.integrate import quad

import gauss as g
from scenarios.charged_ball import (
    ATTRACTION,
    CENTRE,
    CRITICAL,
    GAP,
    MASS,
    SADDLE,
    STIFFNESS,
    potential,
    start,
    system,
    turning,
)

RATIOS = (0.05, 0.2, 0.4, ATTRACTION / CRITICAL, 0.8, 0.95, 0.999)  # K/K_c of the equilibria that are looked for
RELEASE = 0.98 * SADDLE + 0.02 * CENTRE  # m, where the run turns, just inside the separatrix
NEAR = 0.02  # m, how near to Q a fall is followed


def potential_energy(q, p):
    return 0.5 * p.k * (q.x**2 + q.y**2 + q.z**2) - p.K / g.sqrt((p.l - q.x) ** 2 + q.y**2 + q.z**2)


def model(name, constraints):
    return g.System(
        name,
        coordinates="x y z",
        kinetic_energy=lambda v, p: 0.5 * p.m * (v.x**2 + v.y**2 + v.z**2),
        potential_energy=potential_energy,
        constraints=constraints,
        parameters={"m": MASS, "k": STIFFNESS, "l": GAP, "K": ATTRACTION},
    )


free = model("charged ball without guides", ())

minimal = g.Minimal(
    lagrangian=lambda s, s_dot, t: (
        0.5 * MASS * s_dot[0] ** 2 - 0.5 * STIFFNESS * s[0] ** 2 + ATTRACTION / g.sqrt((GAP - s[0]) ** 2)
    ),
    chart=lambda s, t: [s[0], 0.0, 0.0],
    inverse=lambda q, v, t: ([q[0]], [v[0]]),
    text="x alone",
)


def equilibria(ratio):
    """The centre and the saddle before Q, m, in closed form, for K = ratio·K_c."""
    theta = (np.arccos(2 * ratio - 1) + 2 * np.pi * np.array([1, 2])) / 3
    return np.sort(4 * GAP / 3 * np.cos(theta / 2) ** 2)


def turning_points(E):
    """The roots x₁ ≤ x₂ ≤ x₃ of the energy, m: (E − V)(l − x) = 0."""
    return np.sort(np.roots([1.0, -GAP, -2 * E / STIFFNESS, 2 / STIFFNESS * (E * GAP + ATTRACTION)]).real)


def period(release):
    """The period of the oscillation from rest at `release`, between the centre and the saddle, s."""
    x1, x2, x3 = turning_points(potential(release))
    middle, half = (x1 + x2) / 2, (x2 - x1) / 2

    def integrand(u):
        x = middle + half * np.sin(u)
        return np.sqrt((GAP - x) / (x3 - x))

    return (
        2 * np.sqrt(MASS / STIFFNESS) * quad(integrand, -np.pi / 2, np.pi / 2, epsabs=0.0, epsrel=1e-12, limit=200)[0]
    )


def fall_time(release):
    """The time from rest at `release`, beyond the saddle, to the distance NEAR of Q, s, with x = release + w²."""
    # E − V vanishes at the release; divided by x − release it is a quadratic over l − x
    others = np.roots([1.0, release - GAP, release**2 - GAP * release - 2 * potential(release) / STIFFNESS])

    def integrand(w):
        x = release + w**2
        return 2 * np.sqrt(MASS / STIFFNESS * (GAP - x) / np.prod(x - others).real)

    return quad(integrand, 0.0, np.sqrt(GAP - NEAR - release), epsabs=0.0, epsrel=1e-12)[0]


@cache
def found(ratio):
    """The equilibria before Q that Newton's method finds for K = ratio·K_c, from guesses along the line."""
    strength = system.with_parameters(K=ratio * CRITICAL)
    guesses = [[x, 0.0, 0.0] for x in GAP * np.linspace(0.02, 0.9, 15)]
    return sorted(
        (e for e in g.analysis.equilibria(strength, guesses) if e.state.q[0] < GAP), key=lambda e: e.state.q[0]
    )


def sweep_claims():
    """Claims about all equilibria as K grows through K_c."""
    places, stiffness, verdicts = [], [], []
    for ratio in RATIOS:
        here = found(ratio)
        places.append([e.state.q[0] for e in here])
        linear = [e.linearize("x d_x") for e in here]
        stiffness.append([-float(each.A[1, 0]) * MASS for each in linear])
        verdicts.append([each.stability for each in linear])
    expected = np.array([equilibria(ratio) for ratio in RATIOS])
    two = all(len(each) == 2 for each in places)
    law = STIFFNESS * (GAP - 3 * expected) / (GAP - expected)
    return [
        g.Claim(
            f"for {len(RATIOS)} values of K below K_c there are two equilibria, x = (4l/3) cos²(θ/2)",
            g.relative(places, expected) if two else np.inf,
            1e-9,
            "closed form; forces balance to 1e-15, and near K_c, where x ~ √(K_c − K), an error grows by 1e3",
        ),
        g.Claim(
            "the linear stiffness there is k(l − 3x)/(l − x)",
            g.relative(stiffness, law) if two else np.inf,
            1e-9,
            "closed form at the equilibria of the closed form",
        ),
        g.Claim(
            "the nearer one to the suspension is stable, the other is not",
            float(sum(pair != ["stable", "unstable"] for pair in verdicts)),
            0.0,
            "count; strict minimum of the energy (Lagrange, Dirichlet), and a positive eigenvalue",
        ),
    ]


def free_claims():
    """Claims about the ball without guides."""
    up = g.linearize(free, [CENTRE, 0.0, 0.0], states="x y z d_x d_y d_z")
    over = g.linearize(free, [SADDLE, 0.0, 0.0], states="x y z d_x d_y d_z")
    squares = [-np.diag(each.A[3:, :3]) for each in (up, over)]
    x = np.array([CENTRE, SADDLE])
    along, across = STIFFNESS * (GAP - 3 * x) / (GAP - x) / MASS, STIFFNESS * GAP / (GAP - x) / MASS
    return [
        g.Claim(
            "without guides the squares of the frequencies are k(l − 3x)/(m(l − x)) along, kl/(m(l − x)) across",
            g.relative(squares, np.column_stack([along, across, across])),
            1e-12,
            "closed form, to rounding",
        )
    ]


@g.needs(start.t_end)
def claims(run):
    expected = period(RELEASE)
    turns = np.array([event.t for event in run.events if event.name == turning.name and event.t > 0.0])
    count = int(start.t_end / (expected / 2))
    beyond = SADDLE + 0.02
    hit = g.Event("near the charge", lambda q: GAP - NEAR - q.x, terminal=True)
    fall = g.simulate(system, [beyond, 0.0, 0.0], t_end=5.0, events=(hit,), progress="none")
    small = 1e-4
    ripple = g.simulate(system, [CENTRE + small, 0.0, 0.0], t_end=1.0, progress="none")
    rate = np.sqrt(STIFFNESS * (GAP - 3 * CENTRE) / (GAP - CENTRE) / MASS)
    bend = 6 * ATTRACTION / (GAP - CENTRE) ** 4 / (MASS * rate**2)  # |V'''|/V''
    gain = SADDLE / (SADDLE - RELEASE)
    energy = 0.5 * MASS * run["d_x"] ** 2 + potential(run["x"])
    size = len(run) * run.about.rtol * np.max(MASS * run["d_x"] ** 2 + np.abs(potential(run["x"])))
    return [
        g.Claim(
            "½m x_dot² + ½k x² − K/(l − x) is conserved",
            float(np.max(np.abs(energy - energy[0]))),
            float(size),
            "N steps that err by rtol each",
        ),
        g.Claim(
            "half periods are those of the quadrature",
            g.relative(turns, expected / 2 * np.arange(1, turns.size + 1)) if turns.size == count else np.inf,
            float(len(run) * run.about.rtol * gain),
            f"{count} turning points, half a period is {expected / 2:.6f} s; N steps that err by rtol, and an error of"
            f" x counts {gain:.0f} times near the saddle, relative to the distance from it",
        ),
        g.Claim(
            "small oscillations are x = x_c + ε cos ωt",
            float(np.max(np.abs(ripple["x"] - CENTRE - small * np.cos(rate * ripple.t)))) / small,
            small * bend,
            "closed form; the term left out is of the order ε² V'''/V''",
        ),
        g.Claim(
            "from rest beyond the saddle the ball reaches the charge in the time of the quadrature",
            g.relative(fall.t[-1], fall_time(beyond)) if fall.ending.kind == "event" else np.inf,
            1e-8,
            f"quadrature: {fall_time(beyond):.6f} s to the distance {NEAR:g} m; errors grow at the saddle",
        ),
        *sweep_claims(),
        *free_claims(),
    ]
