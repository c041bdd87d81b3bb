"""A block on a slope with friction, pulled by a spring: it sticks, slips and sticks, at the times of the closed form.

A block of mass m = 1 kg stands on a slope of inclination α = 0.2 rad (x up the slope, z normal to it, in m) with
static and kinetic friction coefficients μ_s = 0.5 > μ_k = 0.3. A spring of stiffness k = 40 N/m is attached to it, and
its other end is drawn up the slope with u = 0.25 m/s, being slack at the start: the pull is k(ut − x). With
w = mg sin α and N = mg cos α:

* it sticks while |k(ut − x) − w| ≤ μ_s N. So the first slip begins at t₁ = (w + μ_s N)/(k u);
* while it slips, the extension y = ut − x of the spring obeys m ÿ + k y = w + μ_k N with y(t₁) = (w + μ_s N)/k and
  ẏ(t₁) = u: a harmonic motion y = y_e + D cos ωτ + (u/ω) sin ωτ, D = (μ_s − μ_k)N/k. It stops where ẏ = u again,
  after the time τ = (2π − 2 arctan(ωD/u))/ω;
* from there on the same repeats: it sticks until the pull has grown from w + μ_k N − (μ_s − μ_k)N to w + μ_s N, for
  2D/u, and slips for τ.

Each slip moves the block by 2D + uτ up the slope. The work of friction in a slip is −μ_k N times this.
"""

import numpy as np

import gauss as g

COVERS = ("C8",)
SOURCE = "the textbook case of stick and slip; closed form derived above"

M, G, ALPHA, K, U = 1.0, 9.81, 0.2, 40.0, 0.25  # kg, m/s², rad, N/m, m/s
STATIC, KINETIC = 0.5, 0.3

system = g.System(
    "block on a slope",
    coordinates="x z",
    kinetic_energy=lambda v: 0.5 * M * (v.x**2 + v.z**2),
    potential_energy=lambda q: M * G * (q.x * np.sin(ALPHA) + q.z * np.cos(ALPHA)),
    force=lambda q, t: [K * (U * t - q.x), 0.0],
    constraints=[g.Unilateral("slope", lambda q: q.z, friction=g.Coulomb(KINETIC, lambda v: v.x, static=STATIC))],
)
start = g.Start(q=[0.0, 0.0], t_end=4.0, max_step=0.02)

W, N = M * G * np.sin(ALPHA), M * G * np.cos(ALPHA)  # N
OMEGA = np.sqrt(K / M)  # rad/s
D = (STATIC - KINETIC) * N / K  # m
FIRST = (W + STATIC * N) / (K * U)  # s, the first slip begins
SLIPS = (2 * np.pi - 2 * np.arctan(OMEGA * D / U)) / OMEGA  # s, duration of a slip
PERIOD = SLIPS + 2 * D / U  # s


def position(t):
    """Closed-form position (m)."""
    cycle = np.floor(np.maximum(t - FIRST, 0.0) / PERIOD)
    tau = np.clip(t - FIRST - cycle * PERIOD, 0.0, SLIPS)
    y = (W + KINETIC * N) / K + D * np.cos(OMEGA * tau) + U / OMEGA * np.sin(OMEGA * tau)
    moved = U * (FIRST + tau) - y
    return np.where(t < FIRST, 0.0, moved + cycle * U * PERIOD)


def claims(run):
    slips = np.array([e.t for e in run.events if e.kind == "slip"])
    sticks = np.array([e.t for e in run.events if e.kind == "stick"])
    n = np.arange(len(slips))
    t = np.linspace(run.t[0], run.t[-1], 400)
    dense = run.at(t)
    load = np.abs(run["slip of slope"]) / run["slope"]
    reason = "closed form; 10 times rtol over the run"
    way = run["x"][-1] - position(run.t[0])
    return [
        g.Claim("slips begin at", float(np.max(np.abs(slips - FIRST - n * PERIOD), initial=0.0)), 1e-9, reason),
        g.Claim(
            "the block sticks again at",
            float(np.max(np.abs(sticks - FIRST - SLIPS - np.arange(len(sticks)) * PERIOD), initial=0.0)),
            1e-9,
            reason,
        ),
        g.Claim("position", float(np.max(np.abs(dense["x"] - position(t)))), 1e-9, reason),
        g.Claim("friction is at most μ_s N", float(max(np.max(load) - STATIC, 0.0)), 1e-10, "rounding of the events"),
        g.Claim("work of friction", abs(run.friction_work[-1] + KINETIC * N * way), 1e-9, "−μ_k N times the way"),
    ]


def figure(run, figure):
    top, bottom = figure.subplots(2, 1, sharex=True)
    t = np.linspace(run.t[0], run.t[-1], 1500)
    dense = run.at(t)
    top.plot(t, dense["x"], lw=1.5, label="Gauss")
    top.plot(t, position(t), "k:", lw=1, label="closed form")
    top.set(ylabel="way up the slope / m", title="block drawn by a spring: stick and slip")
    top.legend(loc="upper left")
    bottom.plot(t, dense["slip of slope"] / dense["slope"], lw=1.2)
    for level, text in ((-STATIC, "static"), (-KINETIC, "kinetic")):
        bottom.axhline(level, color="0.5", ls="--", lw=0.8)
        bottom.text(0.02, level + 0.015, text, color="0.4", fontsize=8)
    bottom.set(xlabel="t / s", ylabel="friction over normal force")


if __name__ == "__main__":
    g.main(__file__)
