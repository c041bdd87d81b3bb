"""The other claims of scenarios/locked_bars.py.

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

import numpy as np

import gauss as g
from proofs import yes
from scenarios.locked_bars import JOINTS, LENGTH, M1, M2, PIVOT, G, L, start, system

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


def hanging(theta, rate=0.0):
    """Position and velocity (2,) of the pendulum at an angle."""
    along = LENGTH * np.array([np.sin(theta), -np.cos(theta)])
    return np.array(PIVOT) + along, rate * np.array([-along[1], along[0]])


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
    problem = g.principle.GaussProblem.at(alone, alone.state(JOINTS))
    needed = -problem.f  # M(0 − a_free)
    multipliers = np.linalg.lstsq(problem.rows.J.T, needed, rcond=1e-10)[0]
    return float(np.linalg.norm(needed - problem.rows.J.T @ multipliers))


def claims(step):
    found = g.classify(alone, JOINTS)
    forms = [text for text in found.conditions if text.startswith("order 4")]
    weights = float(np.hypot(M1, M2)) * G
    states = [(0.0, 2.0), (1.2, 0.0), (-2.0, 0.7), (np.pi, 0.0)]
    moving = g.classify(system, start.q, [0.0, 0.3, 0.0, -0.1, 0.0, 0.0]).verdicts
    return [
        yes("a vertical velocity of the joints is not admissible", moving == ("velocity not admissible",)),
        yes(
            "the bars alone are locked: the three of them together",
            found.verdicts == ("locked",) and found.dependent == (("left bar", "middle bar", "right bar"),),
        ),
        yes(
            "the one condition of order 4 is ÿ₁² − ÿ₁ÿ₂ + ÿ₂² = 0, as the rows give ẍ₁ = ẍ₂ = 0",
            forms == ["order 4: y1''² − y1'' y2'' + y2''² = 0"],
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
        g.Claim(
            "beside a pendulum the verdict is the same, and its acceleration that of the pendulum alone",
            max(beside(*state) for state in states),
            1e4 * EPS,
            "rounding, at rest and swinging",
        ),
    ]
