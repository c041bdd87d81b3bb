"""The other claims of scenarios/dido.py.

Make ∫ x₂ẋ₁ dt, the area under a curve, as large as possible while ∫√(ẋ₁² + ẋ₂²) dt = ℓ. With 𝓛 = x₂ẋ₁ + λ√(ẋ₁² + ẋ₂²)
the extremals are circles (x₁ + D)² + (x₂ − C)² = R², R = |λ|; λ < 0 for the largest area, > 0 for the smallest. Lengths
in m. Known answers:

* ends (−1, 0) and (1, 0), ℓ = 5: an arc of more than a half circle, which no function x₂(x₁) describes, with
  R sin(ℓ/2R) = 1 and the area ½ℓR − R cos(ℓ/2R);
* one end fixed, the other free on the shore x₂ = 0, ℓ = π: half a circle, which meets the shore at a right angle;
* both ends in one point: the whole circle, of area ℓ²/4π. Turned about the point it remains one, so its second
  variation has a zero.

A particle of mass 1 kg and charge 1 C in a uniform magnetic field ω (T, across the plane) feels the gyroscopic force
ω(ẋ₂, −ẋ₁), which does no work. Its action ∫ (speed) ds − ω ∫ x₂ dx₁ is −ω times that of 𝓛 with λ = −speed/ω: it
moves on the same circles, with R = speed/ω and the period 2π/ω whatever its speed.
"""

from functools import cache

import numpy as np

import gauss as g
from gauss.variational import Isoperimetric, VariationalProblem, extremal
from scenarios.dido import HALF, LENGTH, SPEED, R, arc, area, length, start, system

AREA = R**2 * (HALF - np.sin(HALF) * np.cos(HALF))


def problem(start, end, line):
    """Dido's problem between two ends for a line of given length."""
    return VariationalProblem(area, "x_1 x_2", start, end, integrals=[Isoperimetric("length", length, line)])


@cache
def below():
    """The arc under the chord, of smallest area."""
    one = problem({"x_1": -1.0, "x_2": 0.0}, {"x_1": 1.0, "x_2": 0.0}, LENGTH)
    return extremal(one, lambda t: [-1.0 + 2.0 * t, -np.sin(np.pi * t)])


@cache
def shore():
    """The extremal from (0, 0) to the shore x₂ = 0."""
    one = problem({"x_1": 0.0, "x_2": 0.0}, {"x_2": 0.0}, np.pi)
    return extremal(one, lambda t: [t, 0.5 * np.sin(np.pi * t)])


@cache
def ring():
    """The closed extremal through (0, 0)."""
    here = {"x_1": 0.0, "x_2": 0.0}
    guess = lambda t: [-0.5 * np.sin(2 * np.pi * t), 0.5 - 0.5 * np.cos(2 * np.pi * t)]  # noqa: E731
    return extremal(problem(here, here, LENGTH), guess)


def off_circle(q, centre, radius):
    """Largest distance of points (N, 2) from a circle."""
    return float(np.max(np.abs(np.hypot(*(q - centre).T) - radius)))


@g.needs(start.t_end)
def claims(run):
    over, under, half, closed = arc(), below(), shore(), ring()
    fast = g.simulate(system, start.q, 3.0 * np.array(start.v), t_end=start.t_end, rtol=1e-12, progress="none")
    middle = closed.at(0.5)[0] / 2
    bvp = "ten times the tolerance 1e-9 of the collocation, for lengths of order 1 m"
    motion = "closed form; the integrator keeps 1e-12 per step, and errors add up over the run"
    return [
        g.Claim(
            "its multiplier is −R, its area the segment's",
            g.relative([over.multipliers["length"], over.value], [-R, AREA]),
            1e-8,
            bvp,
        ),
        g.Claim(
            "it is a maximum; the arc below the chord, λ = R, is a minimum",
            float((over.kind != "maximum") + (under.kind != "minimum")) + abs(under.multipliers["length"] - R),
            1e-8,
            bvp,
        ),
        g.Claim(
            "to the shore it is half a circle",
            off_circle(half.q, [1.0, 0.0], 1.0) + abs(half.value - np.pi / 2) + float(half.kind != "maximum"),
            1e-8,
            bvp,
        ),
        g.Claim("which meets the shore at a right angle", abs(half.v[-1, 0]) / np.pi, 1e-8, bvp),
        g.Claim(
            "the closed line is a circle of area ℓ²/4π",
            off_circle(closed.q, middle, LENGTH / (2 * np.pi)) + abs(abs(closed.value) - LENGTH**2 / (4 * np.pi)),
            1e-8,
            bvp,
        ),
        g.Claim(
            "its second variation has the zero of the rotations about the point, and no other",
            float(abs(closed.second.vanishing - 1) + min(closed.second.negative, closed.second.positive)),
            0.0,
            "count",
        ),
        g.Claim(
            "after the path ℓ it is at the other end",
            float(np.linalg.norm(run.at(LENGTH / SPEED).q - [1.0, 0.0])),
            1e-9,
            motion,
        ),
        g.Claim(
            "after 2π/ω it is back, at any speed",
            max(float(np.linalg.norm(x.q[-1] - start.q)) for x in (run, fast)),
            1e-9,
            motion,
        ),
        g.Claim(
            "its speed is constant",
            g.relative(np.linalg.norm(run.v, axis=1), SPEED),
            len(run) * run.about.rtol,
            "N steps that err by rtol each; the force does no work",
        ),
    ]
