"""The other claims of scenarios/towed_wheel.py.

A trailing wheel of radius r rolls without slip on a level road. Its fork turns by psi about a king pin that is l ahead
of the wheel's centre; fork and wheel have the mass m, its centre a behind the pin, the moment of inertia J about the
vertical through it, and the wheel I about its axle. The pin sits in a carriage of mass m0 that the vehicle drags along
x at the speed V and that slides sideways (y) against a spring k and a damper b. With theta, the wheel's rotation, the
rows are (lengths in m, angles in rad, SI units)

    x = V t,   −sin(psi) ẋ + cos(psi) ẏ − l psi_dot = 0,   cos(psi) ẋ + sin(psi) ẏ − r theta_dot = 0,

one of them rheonomic. Straight rolling is steady along the drift of x and theta. Known answer: disturbances of it obey
ẏ = V psi + l psi_dot and

    (J + m(l − a)² + m0 l²) s³ + ((m(l − a) + m0 l) V + l² b) s² + (l b V + l² k) s + l k V = 0.

All roots have negative real parts (Hurwitz) where V > 0 and

    (m(l − a) + m0 l) l b V² + ((m(l − a) + m0 l) l² k + l³ b² − (J + m(l − a)² + m0 l²) l k) V + l⁴ b k > 0,

so if J > m a (l − a) and b is small, the wheel shimmies between two speeds, here 4.15 and 33.9 m/s. Pushed, V < 0, it
has a positive root at any speed. I has no part in this; the wheel's spin enters by terms of second order.

The source (its § 6) takes the linear equations from the matrix form A ω̇ = B, R q̇ = z: constant parts of A and R, and
the part of B that is linear in disturbances. That is the third way to the state matrix here, after Gauss's principle
and complex steps through the reduced equation of motion.

Two published spectra beside it: Chaplygin's sleigh has the rate −m a v/(I + m a²) at the speed v (stable when its mass
centre leads), and an upright thin disc of radius r has s² = (4/5)(g/r − 3 Ω²) at the rolling rate Ω, so it stands when
Ω² > g/(3r).
"""

import numpy as np
from scipy.linalg import expm
from scipy.optimize import brentq

import gauss as g
from gauss.formulations import boltzmann_hamel
from scenarios.towed_wheel import ASIDE, SPEED, P, critical_speeds, kinetic_energy, linear, nearest, system

GRAVITY = 9.81  # m/s²


def reduced(x, speed):
    """The rates of (y, psi, psi_dot) by the equation of motion (2), for complex numbers too."""
    y, psi, w = x
    c, s = np.cos(psi), np.sin(psi)
    m, m0, a, l, r = P["m"], P["m0"], P["a"], P["l"], P["r"]
    y_dot = (speed * s + l * w) / c
    y_rest = (speed * c * w + y_dot * s * w) / c  # ÿ = l psi_ddot/c + y_rest
    spin_rest = (-speed * s * w + y_rest * s + y_dot * c * w) / r  # theta_ddot = l (s/c) psi_ddot/r + spin_rest
    shift = l / c
    inertia = m * (a**2 * s**2 + (shift - a * c) ** 2) + m0 * shift**2 + P["J"] + P["I"] * (l * s / c / r) ** 2
    rest = m * (a**2 * w**2 * c * s + (y_rest + a * w**2 * s) * (shift - a * c))
    rest = rest + (m0 * y_rest + P["b"] * y_dot + P["k"] * y) * shift + P["I"] * spin_rest * l * s / c / r
    return np.array([y_dot, w, -rest / inertia])


def by_complex_steps(speed):
    """The state matrix (3, 3) of (y, psi, psi_dot)."""
    return np.array([reduced(1e-30j * e, speed).imag / 1e-30 for e in np.eye(3)]).T


def matrix_form(q, omega, speed):
    """The equations of Boltzmann and Hamel at q and omega = psi_dot; the other quasi-velocities vanish."""

    def alpha(q, t):
        c, s = g.cos(q[2]), g.sin(q[2])
        return [[0, 0, 1, 0], [1, 0, 0, 0], [-s, c, -P["l"], 0], [c, s, 0, -P["r"]]]

    model = system.with_parameters(V=speed)

    def energy(q, v, t):
        return kinetic_energy(_named(q), _named(v), _Values(model.parameters))

    return boltzmann_hamel(
        energy,
        alpha,
        q=q,
        omega=[omega],
        offset=lambda q, t: [0.0, -speed, 0.0, 0.0],
        potential=lambda q, t: 0.5 * P["k"] * q[1] ** 2,
        force=lambda q, v, t: [0.0, -P["b"] * v[1], 0.0, 0.0],
    )


class _Values:
    """Values by name."""

    def __init__(self, values):
        self.__dict__.update(values)


def _named(values):
    return _Values(dict(zip(system.coordinates, values, strict=True)))


def by_matrix_form(speed, h=1e-3):
    """The state matrix (3, 3) of (y, psi, psi_dot) from A, B, R and z: A₀ δω̇ = δB, δq̇ = δ(R⁻¹ z); BH §6.

    Differences of fourth order: their errors are of the order h⁴ and 1e-13/h.
    """

    def parts(x):
        found = matrix_form([0.0, x[0], x[1], 0.0], x[2], speed)
        return np.array([found.v[1], found.v[2], found.B[0]])

    def slope(e):
        return (8 * (parts(h * e) - parts(-h * e)) - parts(2 * h * e) + parts(-2 * h * e)) / (12 * h)

    found = np.array([slope(e) for e in np.eye(3)]).T
    found[2] /= matrix_form(np.zeros(4), 0.0, speed).A[0, 0]
    return found


SLEIGH = g.System(
    "Chaplygin sleigh",
    coordinates="x y phi",
    kinetic_energy=lambda q, v: (
        0.6 * ((v.x - 0.3 * v.phi * g.sin(q.phi)) ** 2 + (v.y + 0.3 * v.phi * g.cos(q.phi)) ** 2) + 0.25 * v.phi**2
    ),
    constraints=[g.Pfaffian("edge", lambda q: [-g.sin(q.phi), g.cos(q.phi), 0.0])],
)


def disc_energy(q, v):
    """A thin disc, m = r = 1, that leans by be, heads along al and has rolled by ga."""
    up, down = g.sin(q.be), g.cos(q.be)
    spin = 0.25 * (v.al**2 * down**2 + v.be**2) + 0.5 * (v.al * up + v.ga) ** 2
    x = v.x + v.al * g.cos(q.al) * up + v.be * g.sin(q.al) * down
    y = v.y + v.al * g.sin(q.al) * up - v.be * g.cos(q.al) * down
    return 0.5 * (spin + x**2 + y**2 + (v.be * up) ** 2)


DISC = g.System(
    "thin disc",
    coordinates="x y al be ga",
    kinetic_energy=disc_energy,
    potential_energy=lambda q: GRAVITY * g.cos(q.be),
    constraints=[
        g.Pfaffian("side", lambda q: [g.sin(q.al), -g.cos(q.al), 0, 0, 0]),
        g.Pfaffian("roll", lambda q: [g.cos(q.al), g.sin(q.al), 0, 0, -1.0]),
    ],
)


def disc_roots(rate):
    """The two eigenvalues of an upright disc that decide, by Gauss's linearisation."""
    values = g.linearize(DISC, np.zeros(5), [rate, 0, 0, 0, rate]).eigenvalues
    return values[np.argsort(-np.abs(values))[:2]]


def crossing(speed):
    """The speed within 1 m/s of a given one at which the largest real part changes its sign; nan if it does not."""

    def growth(V):
        return float(np.max(linear(V).eigenvalues[:2].real))

    low, high = speed - 1.0, speed + 1.0
    return brentq(growth, low, high, xtol=1e-13) if growth(low) * growth(high) < 0.0 else float("nan")


def claims(run):
    speeds = np.array([-8.0, 1.0, 5.0, SPEED, 19.0, 25.0, 40.0])
    models = [linear(speed) for speed in speeds]
    order = [models[0].states.index(name) for name in ("y", "psi", "d_psi")]
    matrices = [model.A[np.ix_(order, order)] for model in models]
    stepped = [by_complex_steps(speed) for speed in speeds]
    formed = [by_matrix_form(speed) for speed in speeds]
    window = critical_speeds()
    small = run.t[run.t <= 0.25]
    dense = run.at(small)
    first = np.array([ASIDE, 0.0, 0.0])
    predicted = np.array([expm(by_complex_steps(SPEED) * t) @ first for t in small])
    size = float(np.max(np.abs(predicted[:, 1])))
    sleigh = [(v, g.linearize(SLEIGH, [0, 0, 0], [v, 0, 0]).eigenvalues) for v in (0.7, -0.7)]
    rates = np.array([0.3, 1.5, 1.9, 4.0])
    expected = [np.array([1, -1]) * np.sqrt(complex(0.8 * (GRAVITY - 3.0 * rate**2))) for rate in rates]
    exact = "exact derivatives on both sides, matrices with conditions of 1e3 to 1e4 (100·eps·cond)"
    return [
        g.Claim(
            "the state matrix agrees with complex steps through the reduced equation of motion",
            max(g.relative(a, b) for a, b in zip(matrices, stepped, strict=True)),
            1e-10,
            exact,
        ),
        g.Claim(
            "the state matrix agrees with constant A, R and linear B of the matrix form (BH §6)",
            max(g.relative(a, b) for a, b in zip(matrices, formed, strict=True)),
            1e-9,
            "differences of fourth order, h = 1e-3: h⁴ times fifth derivatives, and rounding 1e-13/h",
        ),
        g.Claim(
            "the eigenvalues cross the axis at Hurwitz' two speeds",
            g.relative([crossing(V) for V in window], window),
            1e-9,
            "zeros of the largest real part by Brent's method, eigenvalues to 1e-12 over slopes of 1 1/m",
        ),
        g.Claim(
            "the first quarter of a second follows the linear equations",
            float(np.max(np.abs(dense["psi"] - predicted[:, 1]))) / size,
            10 * size**2,
            "terms of third order: 10·psi² of what is compared",
        ),
        g.Claim(
            "Chaplygin's sleigh has the published rate forwards and backwards",
            max(nearest(values, [-1.2 * 0.3 * v / (0.5 + 1.2 * 0.09)]) for v, values in sleigh),
            1e-12,
            "closed form, rounding",
        ),
        g.Claim(
            "an upright disc has s² = (4/5)(g/r − 3 Ω²)",
            max(nearest(disc_roots(rate), roots) for rate, roots in zip(rates, expected, strict=True)),
            1e-11,
            "closed form; rounding over the distance of the two roots",
        ),
    ]
