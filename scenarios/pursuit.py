"""Pursuit curve: a dog that always runs towards a hare, as a nonholonomic constraint that depends on time.

A hare runs along the line x = a with the constant speed c, from (a, 0) at t = 0; a dog of mass 1 kg starts from the
origin. That its velocity points at the hare, which is at (a, ct), is one row, (ct − y) ẋ − (a − x) ẏ = 0, nonholonomic
and rheonomic. Its ideal reaction is across the velocity, so the dog keeps its speed v by itself. Lengths in m, times in
s; with k = c/v < 1 and ξ = x/a known answers are

* the curve y = ½a((1 − ξ)^{1+k}/(1 + k) − (1 − ξ)^{1−k}/(1 − k)) + ak/(1 − k²);
* the distance from the hare, ρ = ½a((1 − ξ)^{1−k} + (1 − ξ)^{1+k});
* the dog catches the hare after t = av/(v² − c²) at y = ak/(1 − k²), and vρ + c(ct − y) + (v² − c²)t = av all along.

At the catch the row vanishes, and the position is singular; the run ends before.
"""

import numpy as np

import gauss as g

COVERS = ("T8",)
SOURCE = "TM Ex. 3.1"

A, V, HARE = 10.0, 5.0, 2.0  # m, m/s, m/s
CATCH = A * V / (V**2 - HARE**2)  # s

system = g.System(
    "dog after a hare",
    coordinates="x y",
    kinetic_energy=lambda v: 0.5 * (v.x**2 + v.y**2),
    constraints=[g.Pfaffian("towards the hare", lambda q, t, p: [p.c * t - q.y, q.x - p.a])],
    parameters={"a": A, "c": HARE},
)
start = g.Start(q=[0.0, 0.0], v=[V, 0.0], t_end=0.99 * CATCH, rtol=1e-12)


def curve(xi, k):
    """y of the pursuit curve, m."""
    rest = 1 - xi
    if k == 1.0:
        return A / 2 * (rest**2 / 2 - 0.5 - np.log(rest))
    return A / 2 * (rest ** (1 + k) / (1 + k) - rest ** (1 - k) / (1 - k)) + A * k / (1 - k**2)


def distance(xi, k):
    """The distance from the hare, m."""
    return A / 2 * ((1 - xi) ** (1 - k) + (1 - xi) ** (1 + k))


def measured(run, c):
    """The distances from the hare along a motion (N,)."""
    return np.hypot(A - run["x"], c * run.t - run["y"])


def off_curve(run, c):
    """Largest errors of y and of the distance, relative to their largest values."""
    xi, k = run["x"] / A, c / V
    return max(g.relative(run["y"], curve(xi, k)), g.relative(measured(run, c), distance(xi, k)))


@g.needs(start.t_end)
def claims(run):
    expected = run.t + (V * measured(run, HARE) + HARE * (HARE * run.t - run["y"])) / (V**2 - HARE**2)
    catch = g.relative(expected, np.full(len(run), CATCH))
    motion = "closed form; the integrator keeps 1e-12 per step, and errors add up over the run"
    return [
        g.Claim("the dog follows the pursuit curve", off_curve(run, HARE), 1e-9, motion),
        g.Claim("its speed stays v, though no row says so", g.relative(np.hypot(*run.v.T), V), 1e-9, motion),
        g.Claim("from every state the catch is expected at av/(v² − c²)", catch, 1e-9, motion),
    ]


def figure(run, figure):
    axes = figure.subplots()
    xi = np.linspace(0.0, run["x"][-1] / A, 25)
    axes.plot(run["x"], run["y"], label="dog (Gauss)")
    axes.plot(A * xi, curve(xi, HARE / V), "o", mfc="white", label="closed form")
    axes.axvline(A, color="0.5", ls="--", label="path of the hare")
    for t in np.linspace(0.4, 2.0, 5):
        x, y = run.at(t).q[0]
        axes.plot([x, A], [y, HARE * t], color="0.8", zorder=0)
    axes.set(xlabel="x / m", ylabel="y / m", title=f"the dog runs at {V:g} m/s, the hare at {HARE:g} m/s")
    axes.legend()


if __name__ == "__main__":
    g.main(__file__)
