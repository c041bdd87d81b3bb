"""Three bars stretched into a line beside a pendulum: the bars are locked, and the pendulum swings as if alone.

Three bars of L = 0.5 m in the vertical plane join the fixed points (0, 0) and (1.5, 0): their inner joints are
particles of m₁ = 1 kg and m₂ = 2 kg at (L, 0) and (2L, 0). A pendulum of 0.3 kg and l = 0.6 m hangs at (0.75, −0.2).
Gravity g = 9.81 m/s² acts along −y on all of them; coordinates in m.

Stretched like that, the three bar rows act on x alone: their sum vanishes, and to first order both joints may move up
and down. With the heights η₁, η₂ the bars demand, to second order,

    η₁² + (η₂ − η₁)² + η₂² = 0,

which nothing but η₁ = η₂ = 0 satisfies: movable to first order, rigid all the same (infinitesimally mobile,
*locked*). So

* the acceleration of the joints is 0: it is the only one left, and so the one of least Zwang, ½(m₁ + m₂)g²;
* no multipliers give it: a bar along x carries no weight, so M(a − a_free) = Jᵀλ misses by the weights whatever λ;
* a vertical velocity of a joint satisfies all rows and is not admissible;
* the pendulum does not notice: from rest at θ₀ = 1.2 rad, sin(θ/2) = sin(θ₀/2) cd(√(g/l) t, sin²(θ₀/2)).
"""

from functools import lru_cache

import numpy as np
from scipy.special import ellipj, ellipk

import gauss as g

SOURCE = "an infinitesimal mechanism, as in S. Pellegrino, C. R. Calladine, Int. J. Solids Struct. 22 (1986) 409"

L, M1, M2, M3, LENGTH, G = 0.5, 1.0, 2.0, 0.3, 0.6, 9.81  # m, kg, kg, kg, m, m/s²
PIVOT = (0.75, -0.2)  # m
THETA = 1.2  # rad from the lowest point, at rest
K, OMEGA = np.sin(THETA / 2) ** 2, np.sqrt(G / LENGTH)
PERIOD = 4 / OMEGA * ellipk(K)
EPS = float(np.finfo(float).eps)


def _bars():
    return [
        g.Holonomic("left bar", lambda q: q.x1**2 + q.y1**2 - L**2),
        g.Holonomic("middle bar", lambda q: (q.x2 - q.x1) ** 2 + (q.y2 - q.y1) ** 2 - L**2),
        g.Holonomic("right bar", lambda q: (3 * L - q.x2) ** 2 + q.y2**2 - L**2),
    ]


alone = g.System(
    "three bars in a line",
    coordinates="x1 y1 x2 y2",
    kinetic_energy=lambda v: 0.5 * (M1 * (v.x1**2 + v.y1**2) + M2 * (v.x2**2 + v.y2**2)),
    potential_energy=lambda q: G * (M1 * q.y1 + M2 * q.y2),
    constraints=_bars(),
)
system = g.System(
    "three bars in a line beside a pendulum",
    coordinates="x1 y1 x2 y2 x y",
    kinetic_energy=lambda v: 0.5 * (M1 * (v.x1**2 + v.y1**2) + M2 * (v.x2**2 + v.y2**2) + M3 * (v.x**2 + v.y**2)),
    potential_energy=lambda q: G * (M1 * q.y1 + M2 * q.y2 + M3 * q.y),
    constraints=[
        *_bars(),
        g.Holonomic("thread", lambda q: (q.x - PIVOT[0]) ** 2 + (q.y - PIVOT[1]) ** 2 - LENGTH**2),
    ],
)
JOINTS = np.array([L, 0.0, 2 * L, 0.0])


def hanging(theta, rate=0.0):
    """Position and velocity (2,) of the pendulum at an angle."""
    along = LENGTH * np.array([np.sin(theta), -np.cos(theta)])
    return np.array(PIVOT) + along, rate * np.array([-along[1], along[0]])


start = g.Start(q=[*JOINTS, *hanging(THETA)[0]])


@lru_cache(maxsize=1)
def swing():
    """The motion over half a period of the pendulum."""
    return g.simulate(system, start.q, t_end=PERIOD / 2, rtol=1e-9, progress="none")


def exact(t):
    """θ of the pendulum by Jacobi's functions."""
    _, cn, dn, _ = ellipj(OMEGA * np.asarray(t), K)
    return 2 * np.arcsin(np.sin(THETA / 2) * cn / dn)


def beside(theta, rate):
    """Error of the acceleration beside a swinging pendulum, relative to g; infinite unless the verdict is locked."""
    place, velocity = hanging(theta, rate)
    found = g.classify(system, [*JOINTS, *place], [0, 0, 0, 0, *velocity])
    if found.verdicts != ("locked",):
        return np.inf
    radial, around = hanging(theta)[0] - PIVOT, hanging(theta, 1.0)[1]
    expected = np.concatenate([np.zeros(4), -G / LENGTH * np.sin(theta) * around - rate**2 * radial])
    return float(np.max(np.abs(found.solution.a - expected))) / G


def without_multipliers():
    """Size of the part of M(a − a_free) that no Jᵀλ gives, for a = 0 (N)."""
    problem = g.GaussProblem.at(alone, alone.state(JOINTS))
    needed = -problem.f  # M(0 − a_free)
    multipliers = np.linalg.lstsq(problem.rows.J.T, needed, rcond=1e-10)[0]
    return float(np.linalg.norm(needed - problem.rows.J.T @ multipliers))


def yes(text, truth, reason="yes or no"):
    """A claim that something is so."""
    return g.Claim(text, float(not truth), 0.0, reason)


def claims(step):
    run = swing()
    found = g.classify(alone, JOINTS)
    moving = g.classify(alone, JOINTS, [0.0, 0.3, 0.0, -0.1])
    forms = [text for text in found.conditions if text.startswith("order 4")]
    weights = float(np.hypot(M1, M2)) * G
    states = [(0.0, 2.0), (1.2, 0.0), (-2.0, 0.7), (np.pi, 0.0)]
    joints, bob = run.q[:, :4], run.q[:, 4:].T - np.array(PIVOT)[:, None]
    return [
        yes(
            "the bars alone are locked: the three of them together",
            found.verdicts == ("locked",) and found.dependent == (("left bar", "middle bar", "right bar"),),
        ),
        yes(
            "the one condition of order 4 is ÿ₁² − ÿ₁ÿ₂ + ÿ₂² = 0 and the same in x, where the rows hold it anyway",
            forms == ["order 4: x1''² − x1'' x2'' + y1''² − y1'' y2'' + x2''² + y2''² = 0"],
            "yes or no, as printed",
        ),
        g.Claim(
            "their acceleration is 0 although both joints are heavy",
            float(np.max(np.abs(found.solution.a))) / G,
            1e4 * EPS,
            "rounding",
        ),
        g.Claim(
            "with the Zwang ½(m₁ + m₂)g²",
            g.relative(found.solution.zwang, 0.5 * (M1 + M2) * G**2),
            1e3 * EPS,
            "rounding",
        ),
        g.Claim(
            "no multipliers of the bars give it: the weights are left over",
            g.relative(without_multipliers(), weights),
            1e4 * EPS,
            "rounding",
        ),
        yes("a vertical velocity of the joints is not admissible", moving.verdicts == ("velocity not admissible",)),
        g.Claim(
            "beside a pendulum the verdict is the same, and its acceleration that of the pendulum alone",
            max(beside(*state) for state in states),
            1e4 * EPS,
            "rounding, at rest and swinging",
        ),
        g.Claim(
            "along the motion the joints stay where they are",
            float(np.max(np.abs(joints - JOINTS))) / L,
            1e-7,
            "an error of 1e-14 in the length of a bar lets a joint move by its root",
        ),
        g.Claim(
            "and the pendulum swings by Jacobi's functions",
            float(np.max(np.abs(np.arctan2(bob[0], -bob[1]) - exact(run.t)))),
            1e-8,
            "closed form; errors of the steps, 1e-9 each, add up",
        ),
    ]


def _triangle(size):
    """η₁, η₂ of the unit level of the form, times `size`."""
    s = np.linspace(0, 2 * np.pi, 200)
    form = np.array([[2.0, -1.0], [-1.0, 2.0]])
    return size * np.linalg.solve(np.linalg.cholesky(form).T, np.array([np.cos(s), np.sin(s)]))


def figure(step, figure):
    run = swing()
    left, middle, right = figure.subplots(1, 3, width_ratios=[1.35, 1.0, 1.1])
    for k, t in enumerate(np.linspace(0, PERIOD / 2, 11)):
        x, y = run.at(t).q[0][4:]
        left.plot([PIVOT[0], x], [PIVOT[1], y], color="C1", lw=1, alpha=0.3 + 0.06 * k)
        left.plot([x], [y], "o", color="C1", ms=6, alpha=0.3 + 0.06 * k)
    left.plot(*PIVOT, "k^", ms=6)
    left.plot([0, L, 2 * L, 3 * L], np.zeros(4), color="0.35", lw=3, solid_capstyle="round")
    left.plot([L, 2 * L], [0, 0], "o", color="C0", ms=11)
    left.plot([0, 3 * L], [0, 0], "k^", ms=8)
    left.quiver(
        [L, 2 * L], [0, 0], [0, 0], [-0.16, -0.16], color="C3", angles="xy", scale_units="xy", scale=1, width=0.008
    )
    left.text(0.03, 0.07, "bars: locked, a = 0", color="C0")
    left.text(PIVOT[0], -0.86, "pendulum: free", color="C1", ha="center", va="top")
    left.set(aspect="equal", xlabel="x / m", ylabel="y / m", title="bars and pendulum", ylim=(-1.0, 0.25))
    for size in (1.0, 0.7, 0.4, 0.15):
        middle.plot(*_triangle(size), color="C0", lw=1, alpha=0.8)
    middle.plot([0], [0], "o", color="C3")
    middle.annotate(
        "the only zero", (0.0, 0.0), (0.2, -0.65), color="C3", arrowprops={"arrowstyle": "-", "color": "C3"}
    )
    middle.set(aspect="equal", xlabel="η₁", ylabel="η₂", title="levels of η₁² + (η₂ − η₁)² + η₂²")
    t = np.linspace(0, run.t[-1], 100)
    dense = run.at(t)
    right.plot(t, np.arctan2(dense["x"] - PIVOT[0], PIVOT[1] - dense["y"]), color="C1", label="Gauss")
    right.plot(t[::6], exact(t[::6]), "k.", ms=4, label="Jacobi's functions")
    right.plot(t, dense["y1"], color="C0", label="y₁ / m")
    right.set(xlabel="t / s", ylabel="θ / rad", title="half a period")
    right.margins(y=0.3)
    right.legend(ncols=2, loc="upper center", fontsize=8, handlelength=1.2)


if __name__ == "__main__":
    g.main(__file__)
