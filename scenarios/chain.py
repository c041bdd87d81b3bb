"""Falling chain of N links: 2 and 10 links from level rest against their N angles; 100 links oscillate as a rope.

A chain of N uniform thin bars, together L = 1 m long and 1 kg heavy, hangs by a pin at the origin in the vertical
plane, g = 9.81 m/s² along −y. Each bar is a planar body with four coordinates, the place of its upper end (m) and the
cosine and sine of its angle; each pin has two rows: 4N coordinates, 3N rows. The scenario's own has N = 2 and falls
from level rest; energy is kept. About the hanging chain, as N grows, the frequencies become those of the hanging rope
(Daniel Bernoulli 1732), ωₖ = ½ j₀,ₖ √(g/L), j₀,ₖ the zeros of J₀.
"""

import numpy as np
from scipy.special import jn_zeros

import gauss as g
from gauss import bodies as mb

COVERS = ("V5",)
SOURCE = "L. Euler, D. Bernoulli: oscillations of the hanging chain; VHIF §1 for bodies in joints"

G, LENGTH, MASS, LINKS = 9.81, 1.0, 1.0, 2  # m/s², m, kg: of the whole chain


def mechanism(links):
    """The chain of so many links."""
    l, m = LENGTH / links, MASS / links
    bars = [mb.PlanarBody(f"bar{i}", m, m * l**2 / 12, (l / 2, 0.0)) for i in range(1, links + 1)]
    above = [(mb.GROUND, (0.0, 0.0)), *((bar, (l, 0.0)) for bar in bars[:-1])]
    pins = [mb.Pin(f"pin {i}", *end, bar, (0.0, 0.0)) for i, (end, bar) in enumerate(zip(above, bars, strict=True), 1)]
    return mb.Mechanism(f"chain of {links} links", bars, pins, gravity=(0.0, -G))


def state(chain, angles):
    """q and v at rest for angles (N,) from the downward vertical (rad)."""
    ends = LENGTH / len(angles) * np.cumsum([np.sin(angles), -np.cos(angles)], axis=1)
    places = np.hstack([np.zeros((2, 1)), ends[:, :-1]]).T
    bars = zip(chain.bodies, places, angles, strict=True)
    return chain.state(*(bar.pose(at, phi - np.pi / 2) for bar, at, phi in bars))


shown = mechanism(LINKS)
system = shown.system
start = g.Start(*state(shown, np.full(LINKS, np.pi / 2)), t_end=1.5, rtol=1e-12, atol=1e-13)
drawing = mb.Drawing(shown, traces=[(shown.bodies[-1], (LENGTH / LINKS, 0.0))], speed=0.2)


def claims(run):
    hanging = mechanism(100)
    modes = np.sort(np.abs(g.linearize(hanging.system, *state(hanging, np.zeros(100))).eigenvalues.imag))[::2]
    rope = jn_zeros(0, 3) / 2 * np.sqrt(G / LENGTH)  # rad/s
    drift, kept = np.max(np.abs(run.energy - run.energy[0])), len(run) * start.rtol
    return [
        g.Claim("2 links: energy is kept", drift, 10 * kept, "N steps that err by rtol each, energies of 5 J"),
        g.Claim("the lowest three are those of Bernoulli's rope", g.relative(modes[:3], rope), 1e-3, "4.5e-4, as 1/N²"),
    ]


def figure(run, figure):
    axes = figure.subplots()
    dense = run.at(np.linspace(0.0, run.t[-1], 301))
    ends = [bar.placed(dense).point((LENGTH / LINKS, 0.0)) for bar in shown.bodies]
    joints = np.array([(np.zeros(301), np.zeros(301)), *ends])  # (N + 1, 2, times)
    axes.plot(*joints[-1], color="0.75", lw=0.8, label="path of the end")
    for n in (0, 40, 80, 120, 160, 220):
        axes.plot(*joints[:, :, n].T, "-o", ms=2.5, label=f"{dense.t[n]:.1f} s")
    axes.set(xlabel="x / m", ylabel="y / m", title=f"{LINKS} links fall from level rest", aspect="equal")
    axes.legend()


if __name__ == "__main__":
    g.main(__file__)
