"""A pendulum on a string goes slack, flies on a parabola, and is caught by the string.

A particle of mass m = 0.3 kg (coordinates x, y in m, gravity g = 9.81 m/s² along −y) hangs on an inextensible string of
length l = 0.7 m, l² − x² − y² ≥ 0, without rebound. It starts at the bottom with a speed v₀ between √(2gl) and √(5gl),
too fast to swing and too slow for the full circle. At the elevation ψ above the horizontal the tension is
S = m(v₀² − 2gl)/l − 3mg sin ψ (N; λ = S/2l). The string goes slack where S vanishes, with the speed u = √(gl sin ψ),
and is taut again 4(u/g) cos ψ later, at the elevation −3ψ.
"""

import numpy as np

import gauss as g
from gauss import bodies as mb

COVERS = ("C6",)
SOURCE = "C, equations (14)–(18); textbook problem"

M, G, L = 0.3, 9.81, 0.7  # kg, m/s², m
SHARE = 4.2  # v₀²/gl

system = g.System(
    "pendulum on a string",
    coordinates="x y",
    kinetic_energy=lambda v: 0.5 * M * (v.x**2 + v.y**2),
    potential_energy=lambda q: M * G * q.y,
    constraints=[g.Unilateral("string", lambda q: L**2 - q.x**2 - q.y**2)],
)


def begin(share):
    """Position and velocity at the bottom."""
    return [0.0, -L], [np.sqrt(share * G * L), 0.0]


start = g.Start(*begin(SHARE), t_end=3.0, rtol=1e-12)
drawing = mb.Drawing(shapes={mb.GROUND: mb.shapes.Circle(L)}, traces=[lambda q: (q["x"], q["y"])], speed=0.5)


@g.needs(start.t_end)
def claims(run):
    first = run.active[:, 0] & (run.t < run.events[0].t)
    found, expected = 2 * L * run["string"][first], M * G * (SHARE - 2 - 3 * run["y"][first] / L)
    pull = run.at(np.linspace(run.t[0], run.t[-1], 301))["string"]
    longest = np.max(np.hypot(run["x"], run["y"])) / L - 1
    reason = "closed form; the integrator keeps 1e-12 per step, and errors add up over the run"
    return [
        g.Claim("the tension on the first arc follows S(ψ)", g.relative(found, expected), 1e-9, reason),
        g.Claim("the string never pushes", max(0.0, -np.min(pull)) / np.max(pull), 1e-12, "rounding"),
        g.Claim("the string is never longer than l", longest, 1e-12, "projection; the impact is located to rounding"),
    ]


def figure(run, figure):
    left, right = figure.subplots(1, 2)
    ends = [0.0, run.events[0].t, np.nextafter(run.events[1].t, 0.0), run.t[-1]]
    for name, first, last in zip(("taut", "slack", "taut again"), ends[:-1], ends[1:], strict=True):
        part = run.at(np.linspace(first, last, 300)[1:])
        left.plot(part["x"], part["y"], label=name)
        right.plot(part.t, 2 * L * part["string"], label=name)
    left.set(xlabel="x / m", ylabel="y / m", title="path", aspect="equal")
    right.set(xlabel="t / s", ylabel="S / N", title="tension of the string")
    right.legend()


if __name__ == "__main__":
    g.main(__file__)
