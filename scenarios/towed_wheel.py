"""A towed wheel shimmies between two speeds: its linear equations, and their roots over the speed.

A trailing wheel of radius r rolls without slip on a level road. Its fork turns by psi about a king pin that is l ahead
of the wheel's centre; fork and wheel have the mass m, its centre a behind the pin, the moment of inertia J about the
vertical through it, and the wheel I about its axle. The pin sits in a carriage of mass m0 that the vehicle drags along
x at the speed V and that slides sideways (y) against a spring k and a damper b. With theta, the wheel's rotation, the
rows are x = V t and no slip, sideways and lengthwise (lengths in m, angles in rad, SI units).

Known answer: disturbances of straight rolling grow by the roots of

    (J + m(l − a)² + m0 l²) s³ + ((m(l − a) + m0 l) V + l² b) s² + (l b V + l² k) s + l k V = 0:

between two speeds (Hurwitz), here 4.15 and 33.9 m/s, the wheel shimmies; pushed, V < 0, it is unstable at any speed.
"""

import numpy as np

import gauss as g

COVERS = ("H4",)
SOURCE = "BH §6; Ju. I. Neimark, N. A. Fufaev, Dynamics of Nonholonomic Systems (1972)"

SPEED, ASIDE = 12.0, 2e-4  # m/s and, at the start, m: of the motion


def kinetic_energy(q, v, p):
    """Carriage, fork with wheel, and the wheel's spin."""
    across, ahead = p.a * v.psi * g.cos(q.psi), p.a * v.psi * g.sin(q.psi)
    fork = 0.5 * p.m * ((v.x + ahead) ** 2 + (v.y - across) ** 2) + 0.5 * p.J * v.psi**2
    return 0.5 * p.m0 * (v.x**2 + v.y**2) + fork + 0.5 * p.I * v.theta**2


P = {"m0": 2.0, "m": 6.0, "J": 0.05, "I": 0.04, "a": 0.12, "l": 0.15, "r": 0.2, "k": 20000.0, "b": 30.0, "V": SPEED}
system = g.System(
    "towed wheel",
    coordinates="x y psi theta",
    kinetic_energy=kinetic_energy,
    potential_energy=lambda q, p: 0.5 * p.k * q.y**2,
    force=lambda v, p: {"y": -p.b * v.y},
    constraints=[
        g.Holonomic("towing", lambda q, p, t: q.x - p.V * t),
        g.Pfaffian("no side slip", lambda q, p: [-g.sin(q.psi), g.cos(q.psi), -p.l, 0.0]),
        g.Pfaffian("no lengthwise slip", lambda q, p: [g.cos(q.psi), g.sin(q.psi), 0.0, -p.r]),
    ],
    parameters=P,
)
start = g.Start(q=[0.0, ASIDE, 0.0, 0.0], v=[SPEED, 0.0, 0.0, SPEED / P["r"]], t_end=3.3, step=0.001, rtol=1e-12)


def linear(speed):
    """Gauss's linearisation about straight rolling."""
    at, rates = [0, 0, 0, 0], [speed, 0, 0, speed / P["r"]]
    return g.linearize(system.with_parameters(V=speed), at, rates, states="y psi theta d_psi", symmetry="x theta")


def cubic(speed):
    """The coefficients of the characteristic equation."""
    lever = P["m"] * (P["l"] - P["a"]) + P["m0"] * P["l"]
    inertia = P["J"] + P["m"] * (P["l"] - P["a"]) ** 2 + P["m0"] * P["l"] ** 2
    damping = P["l"] * P["b"] * speed + P["l"] ** 2 * P["k"]
    return np.array([inertia, lever * speed + P["l"] ** 2 * P["b"], damping, P["l"] * P["k"] * speed])


def critical_speeds():
    """The two speeds where Hurwitz' condition is an equality."""
    inertia, shift, _, _ = cubic(0.0)
    lever, l, k, b = cubic(1.0)[1] - shift, P["l"], P["k"], P["b"]
    return np.sort(np.roots([lever * l * b, lever * l**2 * k + l**3 * b**2 - inertia * l * k, l**4 * b * k]))


def nearest(found, expected):
    """The largest distance from expected eigenvalues to the nearest found ones, relative to the largest."""
    return np.max(np.min(np.abs(np.subtract.outer(expected, found)), axis=1)) / np.max(np.abs(expected))


def claims(run):
    speeds, decays = (-8.0, 1.0, 5.0, SPEED, 19.0, 25.0, 40.0), "decaying but for neutral states"
    off = max(nearest(linear(V).eigenvalues, np.roots(cubic(V))) for V in speeds)
    low, high = critical_speeds()
    verdicts = [linear(V).stability for V in (-3.0, low - 0.01, low + 0.01, high - 0.01, high + 0.01)]
    wrong = float(verdicts != ["unstable", decays, "unstable", "unstable", decays])
    named = "pushed it is unstable, towed between the two speeds too, and stable below and above"
    return [
        g.Claim("the eigenvalues are the roots of the cubic, towed and pushed", off, 1e-10, "100·eps·cond"),
        g.Claim(named, wrong, 0.0, "0 if all five verdicts are these, else 1"),
    ]


def figure(run, figure):
    line = figure.subplots()
    speeds = np.linspace(0.5, 45.0, 45)
    line.axvspan(*critical_speeds(), color="0.9")
    line.plot(speeds, [np.max(linear(V).eigenvalues[:2].real) for V in speeds], label="Gauss")
    line.plot(speeds[::3], [np.max(np.roots(cubic(V)).real) for V in speeds[::3]], "k.", label="cubic")
    line.set(xlabel="V / (m/s)", ylabel="largest Re s / (1/s)", title="shimmy between the two speeds (grey)")
    line.legend()


if __name__ == "__main__":
    g.main(__file__)
