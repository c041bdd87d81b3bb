"""Pursuit curve: a dog that always runs towards a hare, as a nonholonomic constraint that depends on time.

A hare runs along the line x = a with the constant speed c, from (a, 0) at t = 0; a dog of mass 1 kg starts from the
origin. That its velocity points at the hare, which is at (a, ct), is one row, (ct − y) ẋ − (a − x) ẏ = 0, nonholonomic
and rheonomic. Its ideal reaction is across the velocity, so the dog keeps its speed v by itself. Lengths in m, times in
s. With k = c/v < 1 and ξ = x/a the dog follows the curve

    y = ½a((1 − ξ)^{1+k}/(1 + k) − (1 − ξ)^{1−k}/(1 − k)) + ak/(1 − k²)

and catches the hare after t = av/(v² − c²). There the row vanishes, and the position is singular; the run ends before.
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


def curve(xi, k=HARE / V):
    """y of the pursuit curve (m) at ξ = x/a."""
    return A / 2 * ((1 - xi) ** (1 + k) / (1 + k) - (1 - xi) ** (1 - k) / (1 - k)) + A * k / (1 - k**2)


@g.needs(start.t_end)
def claims(run):
    far = np.hypot(A - run["x"], HARE * run.t - run["y"])  # m, from the dog to the hare
    expected = run.t + (V * far + HARE * (HARE * run.t - run["y"])) / (V**2 - HARE**2)
    catch = g.relative(expected, np.full(len(run), CATCH))
    motion = "closed form; rtol 1e-12 a step"
    return [
        g.Claim("the dog follows the pursuit curve", g.relative(run["y"], curve(run["x"] / A)), 1e-9, motion),
        g.Claim("its speed stays v, though no row says so", g.relative(np.hypot(*run.v.T), V), 1e-9, motion),
        g.Claim("from every state the catch is expected at av/(v² − c²)", catch, 1e-9, motion),
    ]


def figure(run, figure):
    axes = figure.subplots()
    xi = np.linspace(0.0, run["x"][-1] / A, 25)
    axes.plot(run["x"], run["y"], label="dog (Gauss)")
    axes.plot(A * xi, curve(xi), "o", mfc="white", label="closed form")
    axes.axvline(A, color="0.5", ls="--", label="path of the hare")
    for t in np.linspace(0.4, 2.0, 5):
        x, y = run.at(t).q[0]
        axes.plot([x, A], [y, HARE * t], color="0.8", zorder=0)
    axes.set(xlabel="x / m", ylabel="y / m", title=f"the dog runs at {V:g} m/s, the hare at {HARE:g} m/s")
    axes.legend()


if __name__ == "__main__":
    g.main(__file__)
