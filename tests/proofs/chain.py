"""The other claims of scenarios/chain.py.

A chain of N uniform thin bars, together L = 1 m long and 1 kg heavy, hangs by a pin at the origin in the vertical
plane, g = 9.81 m/s² along −y. Each bar is a planar body with four coordinates, the place of its upper end (m) and the
cosine and sine of its angle; each pin has two rows: 4N coordinates, 3N rows. `mechanism(N)` and `state(chain, angles)`
make the chain of any N, 2, 10 or 100. The scenario's own has N = 2; it and that of N = 10 fall from level rest.

Known answers. With the angles φᵢ from the downward vertical, l = L/N, m = 1/N kg and k = max(i, j), i from 1 to N,

    Σⱼ aᵢⱼ cos(φᵢ − φⱼ) φ̈ⱼ + Σⱼ aᵢⱼ sin(φᵢ − φⱼ) φ̇ⱼ² + g bᵢ sin φᵢ = 0,
    aᵢⱼ = ml²(N − k + ½) for i ≠ j,   aᵢᵢ = ml²(N − i + ⅓),   bᵢ = ml(N − i + ½),

which SciPy integrates. Energy is kept. About the hanging chain the frequencies solve det(g diag(b) − ω² a) = 0, and as
N grows they become those of the hanging rope (Daniel Bernoulli 1732): ωₖ = ½ j₀,ₖ √(g/L), j₀,ₖ the zeros of J₀. The
first bar starts to turn at once: the pin carries the weight's part that Newton's law leaves.
"""

from functools import cache

import numpy as np
from scipy.integrate import solve_ivp
from scipy.linalg import eigh
from scipy.special import jn_zeros

import gauss as g
from scenarios.chain import LENGTH, LINKS, MASS, G, mechanism, start

MANY = 10
GROWTH = 1e2  # of an error in 1.5 s; the equations of ten angles make one of the start up to 18 times larger


def state(chain, angles, rates=None):
    """q and v for angles (N,) from the downward vertical (rad) and their rates."""
    angles = np.asarray(angles, dtype=float)
    rates, l = np.zeros_like(angles) if rates is None else np.asarray(rates, dtype=float), LENGTH / len(angles)
    ends = l * np.cumsum([np.sin(angles), -np.cos(angles)], axis=1)
    moves = l * np.cumsum([np.cos(angles) * rates, np.sin(angles) * rates], axis=1)
    places, speeds = (np.hstack([np.zeros((2, 1)), x[:, :-1]]).T for x in (ends, moves))
    parts = zip(chain.bodies, places, angles, speeds, rates, strict=True)
    return chain.state(*(bar.pose(at, phi - np.pi / 2, speed, rate) for bar, at, phi, speed, rate in parts))


def level(links):
    """The chain of so many links with its q and v, level and at rest."""
    chain = mechanism(links)
    return chain, *state(chain, np.full(links, np.pi / 2))


shown, Q, V = level(LINKS)


# ---------------------------------------------------------------- the N angles


def coefficients(links):
    """a (N, N) in kg m² and b (N,) in kg m."""
    l, m, i = LENGTH / links, MASS / links, np.arange(1, links + 1)
    a = m * l**2 * (links - np.maximum.outer(i, i) + 0.5)
    np.fill_diagonal(a, m * l**2 * (links - i + 1 / 3))
    return a, m * l * (links - i + 0.5)


def accelerations(phi, rate, a, b):
    """φ̈ (N,)."""
    apart = phi[:, None] - phi
    return np.linalg.solve(a * np.cos(apart), -(a * np.sin(apart)) @ rate**2 - G * b * np.sin(phi))


def by_angles(links, times):
    """φ (N, times) from level rest, by SciPy."""
    a, b = coefficients(links)

    def rates(t, w):
        return np.concatenate([w[links:], accelerations(w[:links], w[links:], a, b)])

    first = np.concatenate([np.full(links, np.pi / 2), np.zeros(links)])
    return solve_ivp(rates, (0.0, times[-1]), first, "DOP853", t_eval=times, rtol=1e-13, atol=1e-14).y[:links]


def angles_of(run, links):
    """φ (N, times) of a run, counted through whole turns."""
    return np.unwrap([np.arctan2(run[f"bar{i}_c"], -run[f"bar{i}_s"]) for i in range(1, links + 1)], axis=1)


minimal = g.Minimal(
    lagrangian=lambda s, s_dot, t: (
        sum(
            x * g.cos(s[i] - s[j]) * s_dot[i] * s_dot[j] / 2
            for i, row in enumerate(coefficients(LINKS)[0].tolist())
            for j, x in enumerate(row)
        )
        + G * sum(x * g.cos(angle) for x, angle in zip(coefficients(LINKS)[1].tolist(), s, strict=True))
    ),
    chart=lambda s, t: [
        x
        for i in range(LINKS)
        for x in (
            sum((LENGTH / LINKS * g.sin(s[j]) for j in range(i)), start=0.0),
            sum((-LENGTH / LINKS * g.cos(s[j]) for j in range(i)), start=0.0),
            g.sin(s[i]),
            -g.cos(s[i]),
        )
    ],
    inverse=lambda q, v, t: (
        [g.atan2(q[4 * i + 2], -q[4 * i + 3]) for i in range(LINKS)],
        [q[4 * i + 2] * v[4 * i + 3] - q[4 * i + 3] * v[4 * i + 2] for i in range(LINKS)],
    ),
    text="the angles of the links",
)


# ---------------------------------------------------------------- oscillations about the hanging chain


@cache
def frequencies(links):
    """All ω (rad/s), ascending, by the package's linearisation of the chain that hangs."""
    chain = mechanism(links)
    modes = g.linearize(chain.system, *state(chain, np.zeros(links))).eigenvalues
    return np.sort(np.abs(np.imag(modes)))[::2]


def frequencies_by_angles(links):
    """The same from det(g diag(b) − ω² a) = 0."""
    a, b = coefficients(links)
    return np.sqrt(eigh(G * np.diag(b), a, eigvals_only=True))


def of_rope(count):
    """The lowest ω of a hanging rope."""
    return jn_zeros(0, count) / 2 * np.sqrt(G / LENGTH)


@cache
def fallen(links, t_end):
    """The run of a chain from level rest."""
    chain, q, v = level(links)
    return chain, g.simulate(chain.system, q, v, t_end=t_end, rtol=start.rtol, atol=start.atol, progress="none")


def kept_by_pin(chain, run):
    """m(c̈ − g) of all bars (2, times)."""
    rates = {name: run[f"dd_{name}"] for name in chain.system.coordinates}
    pull = sum(bar.mass * np.array(bar.placed(rates).point(bar.centre)) for bar in chain.bodies)
    return pull + np.array([[0.0], [MASS * G]])


def falls(chain, run):
    """Claims about the fall of a chain."""
    links = len(chain.bodies)
    kept = len(run) * start.rtol
    pin = np.array([run["pin 1[0]"], run["pin 1[1]"]])
    return [
        g.Claim(
            f"{links} links: the motion is that of the angles",
            g.relative(angles_of(run, links), by_angles(links, run.t)),
            kept * GROWTH,
            f"N steps that err by rtol each, times {GROWTH:g}",
        ),
        g.Claim(
            f"{links} links: energy is kept",
            float(np.max(np.abs(run.energy - run.energy[0]))),
            10 * kept,
            "N steps that err by rtol each, energies of 5 J",
        ),
        g.Claim(
            f"{links} links: the pin at the origin carries m(c̈ − g) of all bars",
            g.relative(pin, kept_by_pin(chain, run)),
            1e-10,
            "Newton's law, at recorded states",
        ),
    ]


def claims(run):
    hundred = frequencies(100)
    rope = (4 * hundred[:3] - frequencies_by_angles(50)[:3]) / 3  # without the error of order 1/N²
    return [
        *falls(shown, run)[::2],  # its energy is claimed on the page
        *falls(*fallen(MANY, run.t[-1])),
        g.Claim(
            "frequencies of 100 hanging links, by linearisation, are those of the angles",
            g.relative(hundred, frequencies_by_angles(100)),
            1e-10,
            "rounding, times the ratio 1e5 of the largest to the least ω²",
        ),
        g.Claim(
            "with 50 links extrapolated to the rope, they are so closely",
            g.relative(rope, of_rope(3)),
            2e-5,
            "of order 1/N⁴: 9e-6 for the third",
        ),
    ]
