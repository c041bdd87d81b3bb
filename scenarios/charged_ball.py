"""Charged ball on a spring over a charge: a centre and a saddle that meet, and beyond them no rest at all.

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

COVERS = ("T5",)
SOURCE = "TM Ex. 2.4"

MASS, STIFFNESS, GAP, ATTRACTION = 0.1, 5.0, 2.0, 2.4  # kg, N/m, m, N m²
CRITICAL = 4 * STIFFNESS * GAP**3 / 27  # K_c, N m²
RATIOS = (0.05, 0.2, 0.4, ATTRACTION / CRITICAL, 0.8, 0.95, 0.999)  # K/K_c of the equilibria that are looked for
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


def equilibria(ratio):
    """The centre and the saddle before Q, m, in closed form, for K = ratio·K_c; no numbers for ratio > 1."""
    if ratio > 1.0:
        return np.zeros(0)
    third = np.arccos(2 * ratio - 1) / 3
    return np.sort(4 * GAP / 3 * np.cos((third + 2 * np.pi * np.array([1, 2]) / 3) / 2) ** 2)


CENTRE, SADDLE = equilibria(ATTRACTION / CRITICAL)
RELEASE = 0.98 * SADDLE + 0.02 * CENTRE  # m, where the run turns, just inside the separatrix


def potential(x):
    return 0.5 * STIFFNESS * x**2 - ATTRACTION / (GAP - x)


def turning_points(E):
    """The roots x₁ ≤ x₂ ≤ x₃ of the energy, m: (E − V)(l − x) = 0."""
    cubic = [1.0, -GAP, -2 * E / STIFFNESS, 2 / STIFFNESS * (E * GAP + ATTRACTION)]
    return np.sort(np.roots(cubic).real)


guided = (g.Holonomic("guide y", lambda q: q.y), g.Holonomic("guide z", lambda q: q.z))
system = model("charged ball on a spring", guided)
free = model("charged ball without guides", ())
turning = g.Event("turning point", lambda v: v.x)
start = g.Start(q=[turning_points(potential(RELEASE))[0], 0.0, 0.0], t_end=5.0, step=0.001, events=(turning,))
minimal = g.Minimal(
    lagrangian=lambda s, s_dot, t: (
        0.5 * MASS * s_dot[0] ** 2 - 0.5 * STIFFNESS * s[0] ** 2 + ATTRACTION / g.sqrt((GAP - s[0]) ** 2)
    ),
    chart=lambda s, t: [s[0], 0.0, 0.0],
    inverse=lambda q, v, t: ([q[0]], [v[0]]),
    text="x alone",
)


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
    return sorted((e for e in g.equilibria(strength, guesses) if e.state.q[0] < GAP), key=lambda e: e.state.q[0])


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
    beyond = sum(len(found(ratio)) for ratio in (1.001, 1.2, 2.0))
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
        g.Claim("above K_c no equilibrium is found", float(beyond), 0.0, "count, of 15 guesses for 3 values of K"),
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
    energy = 0.5 * MASS * run["d_x"] ** 2 + potential(run["x"])
    beyond = SADDLE + 0.02
    hit = g.Event("near the charge", lambda q: GAP - NEAR - q.x, terminal=True)
    fall = g.simulate(system, [beyond, 0.0, 0.0], t_end=5.0, events=(hit,), progress="none")
    small = 1e-4
    ripple = g.simulate(system, [CENTRE + small, 0.0, 0.0], t_end=1.0, progress="none")
    rate = np.sqrt(STIFFNESS * (GAP - 3 * CENTRE) / (GAP - CENTRE) / MASS)
    bend = 6 * ATTRACTION / (GAP - CENTRE) ** 4 / (MASS * rate**2)  # |V'''|/V''
    gain = SADDLE / (SADDLE - RELEASE)
    return [
        g.Claim(
            "half periods are those of the quadrature",
            g.relative(turns, expected / 2 * np.arange(1, turns.size + 1)) if turns.size == count else np.inf,
            float(len(run) * run.about.rtol * gain),
            f"{count} turning points, half a period is {expected / 2:.6f} s; N steps that err by rtol, and an error of"
            f" x counts {gain:.0f} times near the saddle, relative to the distance from it",
        ),
        g.Claim(
            "½m x_dot² + ½k x² − K/(l − x) is conserved",
            float(np.max(np.abs(energy - energy[0]))),
            len(run) * run.about.rtol * float(np.max(MASS * run["d_x"] ** 2 + np.abs(potential(run["x"])))),
            "N steps that err by rtol each, times the largest 2T + |V|",
        ),
        g.Claim(
            "the ball stays within the loop of the separatrix",
            float(np.max(energy - potential(SADDLE))),
            0.0,
            "its energy is below that of the saddle",
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


def figure(run, figure):
    left, right = figure.subplots(1, 2, width_ratios=[1.25, 1])
    x, v = np.meshgrid(GAP * np.linspace(-0.75, 0.93, 400), GAP * np.linspace(-6.5, 6.5, 300))
    energy = 0.5 * MASS * v**2 + potential(x)
    inside = np.linspace(potential(CENTRE), potential(SADDLE), 5)[1:-1]
    outside = potential(SADDLE) + GAP**2 * np.array([-0.9, -0.45, 0.3, 0.8, 1.4])
    left.contour(x, v, energy, levels=np.sort([*inside, *outside]), colors="0.75", linewidths=1, linestyles="solid")
    left.contour(x, v, energy, levels=[potential(SADDLE)], colors="C3", linewidths=1.8, linestyles="solid")
    dense = run.at(np.linspace(0.0, period(RELEASE), 400))
    left.plot(dense["x"][::12], dense["d_x"][::12], "C0.", ms=6, label="run, just inside")
    left.plot([], [], color="C3", label="separatrix")
    left.plot(CENTRE, 0.0, "ko", ms=6, label="centre")
    left.plot(SADDLE, 0.0, "kx", ms=8, mew=2, label="saddle")
    left.axvline(GAP, color="k", lw=2)
    left.text(GAP - 0.03, -12.4, "charge Q", rotation=90, va="bottom", ha="right")
    left.set(xlabel="x / m", ylabel="rate of x / m s⁻¹", title=f"phase portrait, K = {ATTRACTION / CRITICAL:.2f} K_c")
    left.set(xlim=(-0.75 * GAP, 1.05 * GAP), ylim=(-6.5 * GAP, 9 * GAP))
    left.legend(loc="upper left", ncols=2)
    ratio = np.linspace(0.0, 1.0, 400)
    places = np.array([equilibria(each) for each in ratio])
    right.plot(ratio, places[:, 0], color="C0", label="centre")
    right.plot(ratio, places[:, 1], "--", color="C3", label="saddle")
    for each in RATIOS:
        right.plot([each] * 2, [e.state.q[0] for e in found(each)], "k.", ms=6)
    right.plot([], [], "k.", label="found by Newton's method")
    right.plot(1.0, GAP / 3, "s", color="0.3", ms=6, label="they meet: K = 4kl³/27, x = l/3")
    right.set(
        xlabel="K/K_c", ylabel="x / m", title="equilibria against the attraction", xlim=(0, 1.25), ylim=(0, 1.35 * GAP)
    )
    right.legend(loc="upper right")


if __name__ == "__main__":
    g.main(__file__)
