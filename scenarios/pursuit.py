"""Pursuit curve: a dog that always runs towards a hare, as a nonholonomic constraint that depends on time.

A hare runs along the line x = a with the constant speed c, from (a, 0) at t = 0; a dog of mass 1 kg starts from the
origin. That its velocity points at the hare, which is at (a, ct), is one row,

    (ct − y) ẋ − (a − x) ẏ = 0,

nonholonomic and rheonomic. Its ideal reaction is across the velocity, so the dog keeps its speed v by itself. Lengths
in m, times in s; with k = c/v and ξ = x/a known answers are

* the slope y' = ½((1 − ξ)^−k − (1 − ξ)^k) and the curve y = ½a((1 − ξ)^{1+k}/(1 + k) − (1 − ξ)^{1−k}/(1 − k)) +
  ak/(1 − k²), for k = 1 y = ½a(½(1 − ξ)² − ½ − ln(1 − ξ));
* the distance from the hare, ρ = ½a((1 − ξ)^{1−k} + (1 − ξ)^{1+k});
* for k < 1 the dog catches the hare, after t = av/(v² − c²) at y = ak/(1 − k²); for k = 1 the distance tends to
  a/2; for k > 1 it grows again. vρ + c(ct − y) + (v² − c²)t = av all along.

At the catch the row vanishes, and the position is singular; the run ends before.
"""

from functools import cache

import numpy as np

import gauss as g

COVERS = ("T8",)
SOURCE = "TM Ex. 3.1"

A, V, HARE = 10.0, 5.0, 2.0  # m, m/s, m/s
CATCH = A * V / (V**2 - HARE**2)  # s
SPEEDS = (2.0, 5.0, 6.25)  # m/s, of the hare: slower, as fast, faster

system = g.System(
    "dog after a hare",
    coordinates="x y",
    kinetic_energy=lambda v: 0.5 * (v.x**2 + v.y**2),
    constraints=[g.Pfaffian("towards the hare", lambda q, t, p: [p.c * t - q.y, q.x - p.a])],
    parameters={"a": A, "c": HARE},
)
start = g.Start(q=[0.0, 0.0], v=[V, 0.0], t_end=0.99 * CATCH, rtol=1e-12)


def slope(xi, k):
    """y' of the pursuit curve."""
    return ((1 - xi) ** -k - (1 - xi) ** k) / 2


def curve(xi, k):
    """y of the pursuit curve, m."""
    rest = 1 - xi
    if k == 1.0:
        return A / 2 * (rest**2 / 2 - 0.5 - np.log(rest))
    return A / 2 * (rest ** (1 + k) / (1 + k) - rest ** (1 - k) / (1 - k)) + A * k / (1 - k**2)


def distance(xi, k):
    """The distance from the hare, m."""
    return A / 2 * ((1 - xi) ** (1 - k) + (1 - xi) ** (1 + k))


@cache
def chase(c):
    """The motion after a hare of speed c, until near the catch, or for 6 s."""
    t_end = 0.99 * CATCH if c < V else 6.0
    return g.simulate(system.with_parameters(c=c), start.q, start.v, t_end=t_end, rtol=1e-12, progress="none")


def measured(run, c):
    """The distances from the hare along a motion (N,)."""
    return np.hypot(A - run["x"], c * run.t - run["y"])


def off_curve(run, c):
    """Largest errors of y and of the distance, relative to their largest values."""
    xi, k = run["x"] / A, c / V
    return max(g.relative(run["y"], curve(xi, k)), g.relative(measured(run, c), distance(xi, k)))


@g.needs(start.t_end)
def claims(run):
    equal, faster = chase(SPEEDS[1]), chase(SPEEDS[2])
    rho, k = measured(run, HARE), HARE / V
    closing = (V * rho + HARE * (HARE * run.t - run["y"])) / (V**2 - HARE**2) + run.t
    nearest = distance(1 - ((SPEEDS[2] / V - 1) / (SPEEDS[2] / V + 1)) ** (V / (2 * SPEEDS[2])), SPEEDS[2] / V)
    dense = measured(faster.at(np.linspace(0.0, 6.0, 60001)), SPEEDS[2])
    turning = np.hypot(*run.a.T)
    xi = run["x"] / A
    motion = "closed form; the integrator keeps 1e-12 per step, and errors add up over the run"
    return [
        g.Claim("the dog follows the pursuit curve", off_curve(run, HARE), 1e-9, motion),
        g.Claim("its speed stays v, though no row says so", g.relative(np.hypot(*run.v.T), V), 1e-9, motion),
        g.Claim(
            "from every state the catch is expected at av/(v² − c²)",
            g.relative(closing, np.full(len(run), CATCH)),
            1e-9,
            motion,
        ),
        g.Claim(
            "near the catch the dog is near the point y = ak/(1 − k²)",
            float(np.hypot(run["x"][-1] - A, run["y"][-1] - A * k / (1 - k**2))),
            V * 0.01 * CATCH,
            "what is left of the path: v times the last hundredth of the time",
        ),
        g.Claim(
            "the acceleration is that of the curve: c v (1 − ξ)/(a (ρ/a)²)",
            g.relative(turning, HARE * V * (A - run["x"]) / distance(xi, k) ** 2),
            1e-9,
            "closed form: the speed times the rate of turning c(a − x)/ρ²",
        ),
        g.Claim("a hare as fast as the dog is followed on its curve", off_curve(equal, V), 1e-9, motion),
        g.Claim(
            "its lead tends to a/2 and is never less",
            abs(measured(equal, V)[-1] - A / 2 * (1 + (1 - equal["x"][-1] / A) ** 2))
            + max(A / 2 - np.min(measured(equal, V)), 0.0),
            1e-8,
            "closed form ρ = ½a(1 + (1 − ξ)²), over 10 m",
        ),
        g.Claim("a faster hare is followed on its curve", off_curve(faster, SPEEDS[2]), 1e-9, motion),
        g.Claim(
            "the dog comes nearest where (1 − ξ)^{2k} = (k − 1)/(k + 1), and falls back",
            g.relative(np.min(dense), nearest) + float(dense[-1] <= 1.2 * nearest),
            1e-8,
            "closed form; the smallest of 60001 distances errs by the square of their step, 1e-4 s",
        ),
    ]


def figure(run, figure):
    left, right = figure.subplots(1, 2)
    for k, c in enumerate(SPEEDS):
        one = chase(c)
        dense = one.at(np.linspace(0.0, one.t[-1], 500))
        xi = np.linspace(0.0, dense["x"][-1] / A, 25)
        left.plot(dense["x"], dense["y"], color=f"C{k}", label=f"dog (Gauss), c = {c:g} m/s")
        left.plot(A * xi, curve(xi, c / V), "o", color=f"C{k}", ms=3.5, mfc="white")
        label = ("caught", "distance tends to a/2", "lost")[k]
        right.plot(dense.t, measured(dense, c), color=f"C{k}", label=f"c = {c:g} m/s: {label}")
    left.axvline(A, color="0.5", lw=0.9, ls="--")
    left.plot([], [], "o", color="0.4", ms=3.5, mfc="white", label="closed form")
    left.plot([], [], color="0.5", lw=0.9, ls="--", label="path of the hare")
    for t in np.linspace(0.4, 2.0, 5):
        here = run.at(t).q[0]
        left.plot([here[0], A], [here[1], HARE * t], color="0.8", lw=0.8, zorder=0)
    left.set(xlabel="x / m", ylabel="y / m", title=f"pursuit at v = {V:g} m/s", ylim=(-1, 32))
    left.legend(loc="upper left")
    right.axhline(A / 2, color="0.7", lw=0.8, ls=":")
    right.set(xlabel="t / s", ylabel="distance from the hare / m", title="distance", ylim=(0, 14.5))
    right.legend(loc="upper right")


if __name__ == "__main__":
    g.main(__file__)
