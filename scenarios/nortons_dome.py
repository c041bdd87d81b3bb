"""Norton's dome: a particle at rest on the summit may leave at any time, in any direction.

A particle of mass m = 1 kg is bound to a smooth dome of revolution (coordinates x, y horizontal, z upwards, in m;
gravity g = 9.81 m/s²) whose height falls with the arc length r from the summit like z = −(2/(3g)) r^{3/2}, so that the
acceleration down the meridian is −g dz/dr = r^{1/2}. The distance from the axis is ρ with dρ = √(1 − r/g²) dr, which
inverts to r(ρ) = g² u (1 + w)/(1 + w + w²), u = 3ρ/(2g²), w = (1 − u)^{1/3}. The curvature is infinite at the summit,
where the acceleration is unique (zero) and the motion is not: from rest on the summit

    r = 0 for t ≤ T,   r = (t − T)⁴/144 for t ≥ T,   along any meridian, for any T ≥ 0.
"""

from functools import cache

import numpy as np

import gauss as g
from gauss.motion.several.non_lipschitz import motions
from gauss.uniqueness.lipschitz import TWO

COVERS = ("T2",)
SOURCE = "J. D. Norton, Philosophers' Imprint 3, no. 4 (2003), for r̈ = r^{1/2} of TM §2.4.1"

G = 9.81  # m/s²
T_END = 10.0  # s; r = 69.4 m, the slope is vertical at g² = 96.2 m
EXTRA = (0.0, 2.0, 4.0)  # s, values of T


def arc_length(rho, gravity=G):
    """The arc length r from the summit at the distance ρ from the axis."""
    u = 1.5 * rho / gravity**2
    w = (1.0 - u) ** (1 / 3)
    return gravity**2 * u * (1.0 + w) / (1.0 + w + w * w)


def surface(q, p):
    """Height above the dome; the summit, where ρ has no derivative, is taken apart."""
    square = q.x**2 + q.y**2
    height = -2.0 / (3.0 * p.g) * arc_length(g.sqrt(square), p.g) ** 1.5
    return q.z - g.where(g.less(0.0, square), height, 0.0)


system = g.System(
    "particle on Norton's dome",
    coordinates="x y z",
    kinetic_energy=lambda v: 0.5 * (v.x**2 + v.y**2 + v.z**2),
    potential_energy=lambda q, p: p.g * q.z,
    constraints=[g.Holonomic("dome", surface)],
    parameters={"g": G},
)
start = g.Start(q=[0.0, 0.0, 0.0])


@cache
def from_summit():
    """The motions from rest on the summit, at 8 azimuths."""
    return motions(system, [0.0, 0.0, 0.0], t_end=T_END, count=8)


def claims(step):
    found = from_summit()
    t = np.linspace(0.0, T_END - max(EXTRA), 101)[1:]
    off = [
        arc_length(np.hypot(*leaving.at(rest + t, stays=rest)[0][:, :2].T)) / (t**4 / 144) - 1
        for leaving in found.leaves
        for rest in EXTRA
    ]
    return [
        g.Claim("the acceleration at rest is unique: 0", np.max(np.abs(step.a)), 0.0, "exactly"),
        g.Claim("motions leave: the motion is not unique", found.verdict != TWO),
        g.Claim(
            "each is r = (t − T)⁴/144, resting for T = 0, 2, 4 s first",
            np.max(np.abs(off)),
            1e-9,
            "closed form, relative",
        ),
    ]


def figure(step, figure):
    axes = figure.subplots()
    t = np.linspace(0.0, T_END, 101)
    axes.plot([0.0, T_END], [0.0, 0.0], "k", lw=2.5, label="rests for ever")
    for rest in EXTRA:
        q, _ = from_summit().leaves[0].at(t, stays=rest)
        axes.plot(t, arc_length(np.hypot(q[:, 0], q[:, 1])), label=f"T = {rest:g} s")
        axes.plot(t[::8], np.maximum(t[::8] - rest, 0.0) ** 4 / 144, "k.")
    axes.set(xlabel="t / s", ylabel="arc length r / m", title="along any meridian; dots: (t − T)⁴/144")
    axes.legend(loc="upper left")


if __name__ == "__main__":
    g.main(__file__)
