"""Door on three hinges: twelve rows of rank eight; what each hinge carries is not determined, their total is.

A uniform door of mass m = 30 kg, w = 0.9 m wide and h = 2.1 m high, hangs on three hinges at the heights 0.2, 1.05
and 1.9 m; z points up, gravity g = 9.81 m/s². It is given by the points A (bottom of the hinge side), B (top of it)
and C (bottom of the free side), nine coordinates in m: every point of a plate is A(1 − ξ − η) + Bξ + Cη, so the mass
matrix is constant,

    m E[NNᵀ] ⊗ 1,   N = (1 − ξ − η, ξ, η),   ξ and η uniform in [0, 1].

Three rows keep the distances AB, BC and CA, and each hinge holds the point of AB at its height with three more:
twelve rows of rank eight. The distance AB and one of the hinges are given more than once. A hand pushes with F = 12 N
at C, always square to the door. From rest

    φ(t) = ½ α t²,   α = 3F/(m w),

which makes all reactions closed forms: with n along the door and e = (−n_y, n_x, 0) across it, the hinges together
exert

    R = m(−½w φ̇² n + ½w α e) + m g ẑ − F e.

How R is shared is not determined: each component of each hinge force may be anything, and so may the bar AB, which
the hinges hold anyway. The distances BC and CA are given once only; the rows of C demand

    λ_BC = −m g/4h,   λ_CA = m g/4h − m φ̇²/6.
"""

import numpy as np

import gauss as g
from gauss import bodies as mb

SOURCE = "textbook problem of undetermined reactions; points as coordinates after J. García de Jalón"

MASS, WIDTH, HEIGHT, G, PUSH = 30.0, 0.9, 2.1, 9.81, 12.0  # kg, m, m, m/s², N
HINGES = (0.2, 1.05, 1.9)  # m
T_END = 2.2  # s
EPS = float(np.finfo(float).eps)
# E[NNᵀ] of a parallelogram plate: E[ξ²] = 1/3, E[ξη] = 1/4
SHARES = np.array([[2.0, -1.0, -1.0], [-1.0, 4.0, 3.0], [-1.0, 3.0, 4.0]]) / 12
WEIGHTS = np.array([0.0, 0.5, 0.5])  # E[N]
ALPHA = 3 * PUSH / (MASS * WIDTH)  # rad/s²


def _point(q, k):
    return [q[3 * k], q[3 * k + 1], q[3 * k + 2]]


def _kinetic(v):
    points = [_point(v, k) for k in range(3)]
    return (
        0.5
        * MASS
        * sum(SHARES[i, j] * points[i][c] * points[j][c] for i in range(3) for j in range(3) for c in range(3))
    )


def _push(q):
    """F square to the door at C, towards growing φ."""
    return {"xC": -PUSH * (q.yC - q.yA) / WIDTH, "yC": PUSH * (q.xC - q.xA) / WIDTH}


def _distance(i, j, length):
    return lambda q: sum((a - b) ** 2 for a, b in zip(_point(q, i), _point(q, j), strict=True)) - length**2


def _hinge(height):
    """The point of AB at this share of its length stays where it is."""
    s = height / HEIGHT
    return lambda q: [
        (1 - s) * a + s * b - c for a, b, c in zip(_point(q, 0), _point(q, 1), (0, 0, height), strict=True)
    ]


system = g.System(
    "door on three hinges",
    coordinates=[f"{axis}{point}" for point in "ABC" for axis in "xyz"],
    kinetic_energy=_kinetic,
    potential_energy=lambda q: MASS * G * sum(w * _point(q, k)[2] for k, w in enumerate(WEIGHTS)),
    force=_push,
    constraints=[
        g.Holonomic("distance AB", _distance(0, 1, HEIGHT)),
        g.Holonomic("distance BC", _distance(1, 2, float(np.hypot(WIDTH, HEIGHT)))),
        g.Holonomic("distance CA", _distance(2, 0, WIDTH)),
        *(g.Holonomic(f"hinge {k + 1}", _hinge(height)) for k, height in enumerate(HINGES)),
    ],
)
start = g.Start(q={"zB": HEIGHT, "xC": WIDTH}, t_end=T_END, rtol=1e-12)


def leaf(q):
    """Where the door is: at A, along AC and AB, for the picture."""
    A, B, C = ([q[f"{axis}{point}"] for axis in "xyz"] for point in "ABC")
    n, up = ([(b - a) / length for a, b in zip(A, end, strict=True)] for end, length in ((C, WIDTH), (B, HEIGHT)))
    return mb.Placed(tuple(A), (n, (-n[1], n[0], 0.0), up))


drawing = mb.Drawing(
    placed=[(mb.shapes.Box((WIDTH, 0.04, HEIGHT), (WIDTH / 2, 0, HEIGHT / 2)), leaf)],
    shapes={mb.GROUND: mb.shapes.Points([(0, 0, height) for height in HINGES])},
    traces=[lambda q: (q["xC"], q["yC"], q["zC"])],
    speed=0.5,
)


minimal = g.Minimal(
    lagrangian=lambda s, s_dot, t: MASS * WIDTH**2 / 6 * s_dot[0] ** 2 + PUSH * WIDTH * s[0],
    chart=lambda s, t: [0.0, 0.0, 0.0, 0.0, 0.0, HEIGHT, WIDTH * g.cos(s[0]), WIDTH * g.sin(s[0]), 0.0],
    inverse=lambda q, v, t: ([g.atan2(q[7], q[6])], [(q[6] * v[7] - q[7] * v[6]) / WIDTH**2]),
    text="the angle phi of the door",
)


def at_angle(phi, rate=0.0):
    """Position and velocity (9,) of the door at the angle φ."""
    q, v = np.zeros(9), np.zeros(9)
    q[5], q[6], q[7] = HEIGHT, WIDTH * np.cos(phi), WIDTH * np.sin(phi)
    v[6], v[7] = -q[7] * rate, q[6] * rate
    return q, v


def hinge_total(phi, rate):
    """The closed form of the total hinge force R (3,)."""
    n = np.array([np.cos(phi), np.sin(phi), 0.0])
    across = np.array([-n[1], n[0], 0.0])
    centre = MASS * WIDTH / 2 * (-(rate**2) * n + ALPHA * across)
    return centre + np.array([0.0, 0.0, MASS * G]) - PUSH * across


def hinge_forces(multipliers, rows):
    """Force (3, 3) of each hinge from the multipliers by row name."""
    return np.array([[multipliers[rows.index(f"hinge {k}[{c}]")] for c in range(3)] for k in (1, 2, 3)])


ANGLES = (0.0, 0.8, 2.1)  # rad, at which the reactions are examined


def hinge_error(choice):
    """Worst relative error of the total hinge force over some states; `choice` picks multipliers from the reactions."""
    worst = 0.0
    for phi in ANGLES:
        rate = np.sqrt(2 * ALPHA * phi)
        found = g.accelerate(system, *at_angle(phi, rate)).reactions
        total = hinge_forces(choice(found), found.rows).sum(axis=0)
        worst = max(worst, g.relative(total, hinge_total(phi, rate)))
    return worst


def bar_error():
    """Worst relative error of λ_BC and λ_CA over some states, infinite where others are determined or these are not."""
    worst = 0.0
    for phi in ANGLES:
        rate = np.sqrt(2 * ALPHA * phi)
        found = g.accelerate(system, *at_angle(phi, rate)).reactions
        if set(found.rows) - set(found.undetermined) != {"distance BC", "distance CA"}:
            return np.inf
        expected = MASS * G / (4 * HEIGHT) * np.array([-1.0, 1.0]) - np.array([0.0, MASS * rate**2 / 6])
        worst = max(worst, g.relative(found.multipliers[[1, 2]], expected))
    return worst


def claims(run):
    step = g.accelerate(system, start.q)
    found = step.reactions
    infinite = [
        name for name, a, b in zip(found.rows, found.low, found.high, strict=True) if np.isinf(a) and np.isinf(b)
    ]
    hinges = [f"hinge {k}[{c}]" for k in (1, 2, 3) for c in range(3)]
    phi = ALPHA * run.t**2 / 2
    exact = np.array([at_angle(p)[0] for p in phi])
    states = list(zip(run.q, run.v, strict=True))[:: max(1, len(run) // 10)]
    verdicts = {(c.verdict, c.regularity.rank) for c in (g.classify(system, q, v) for q, v in states)}
    return [
        g.Claim(
            "the verdict is redundant along the motion, with rank 8 of 12",
            float(verdicts != {("redundant", 8)} or len(step.regularity.rows) != 12),
            0.0,
            "yes or no, at 10 states",
        ),
        g.Claim(
            "the door turns by ½αt², α = 3F/(mw)",
            float(np.max(np.abs(run.q - exact))) / WIDTH,
            1e-9,
            "closed form; errors of the steps, 1e-12 each, add up",
        ),
        g.Claim(
            "at the start the acceleration is αw across the door",
            g.relative(step.a, np.array([0, 0, 0, 0, 0, 0, 0, ALPHA * WIDTH, 0])),
            1e4 * EPS,
            "rounding",
        ),
        g.Claim(
            "each component of each hinge force and the bar AB range over all numbers",
            float(set(infinite) != {*hinges, "distance AB"}),
            0.0,
            "yes or no",
        ),
        g.Claim(
            "only the bars BC and CA are determined, and carry −mg/4h and mg/4h − mφ̇²/6",
            bar_error(),
            1e-11,
            "rounding, at three angles",
        ),
        g.Claim(
            "the total of the hinges is R, at three angles up to 2.1 rad",
            hinge_error(lambda reactions: reactions.multipliers),
            1e-11,
            "rounding",
        ),
    ]


def figure(run, figure):
    grid = figure.add_gridspec(1, 3, width_ratios=[1.1, 1.0, 1.1])
    space = figure.add_subplot(grid[0], projection="3d", computed_zorder=False)
    for k, t in enumerate(np.linspace(0, run.t[-1], 6)):
        q = run.at(t).q[0].reshape(3, 3)
        corners = np.array([q[0], q[2], q[2] + q[1] - q[0], q[1], q[0]])
        space.plot(*corners.T, color="C0", lw=1.2, alpha=0.25 + 0.15 * k, zorder=k)
    space.plot(*at_angle(0.0)[0].reshape(3, 3)[:2].T, color="0.4", lw=2)
    for height in HINGES:
        space.plot([0], [0], [height], "o", color="C3", ms=6, zorder=9)
    arc = np.linspace(0, ALPHA * run.t[-1] ** 2 / 2, 80)
    space.plot(WIDTH * np.cos(arc), WIDTH * np.sin(arc), 0 * arc, color="C1", lw=1)
    space.set(xlim=(-WIDTH, WIDTH), ylim=(-0.2, WIDTH), zlim=(0.0, HEIGHT))
    space.set_box_aspect((2 * WIDTH, WIDTH + 0.2, HEIGHT), zoom=1.08)
    space.set_axis_off()
    space.view_init(elev=24, azim=-68)
    space.set_title("six positions")
    middle = figure.add_subplot(grid[1])
    t = np.linspace(0, run.t[-1], 200)
    dense = run.at(t)
    middle.plot(t, np.unwrap(np.arctan2(dense["yC"], dense["xC"])), label="Gauss")
    middle.plot(t[::12], ALPHA * t[::12] ** 2 / 2, ".", label="½αt²")
    middle.set(xlabel="t / s", ylabel="φ / rad", title="angle of the door")
    middle.legend()
    right = figure.add_subplot(grid[2])
    names = "across x", "across y", "upwards"
    states = [g.accelerate(system, *at_angle(p, np.sqrt(2 * ALPHA * p))) for p in ANGLES]
    forces = [hinge_forces(s.reactions.multipliers, s.reactions.rows) for s in states]
    for c in range(3):
        for j, (force, phi) in enumerate(zip(forces, ANGLES, strict=True)):
            bottom_up = bottom_down = 0.0
            for k in range(3):
                value = force[k, c]
                base = bottom_up if value >= 0 else bottom_down
                right.bar(c + 0.26 * (j - 1), value, 0.2, base, color=f"C{k}", alpha=0.7)
                if value >= 0:
                    bottom_up += value
                else:
                    bottom_down += value
            right.plot(c + 0.26 * (j - 1), hinge_total(phi, np.sqrt(2 * ALPHA * phi))[c], "k_", ms=12, mew=2)
    for k in range(3):
        right.bar(0, 0, color=f"C{k}", alpha=0.7, label=f"hinge {k + 1} (a choice)")
    right.plot([], [], "k_", ms=10, mew=2, label="R, the unique total")
    right.set_xticks(range(3), names)
    right.set(ylabel="force / N", title="hinges at φ = 0, 0.8, 2.1 rad")
    right.legend(fontsize=8)


if __name__ == "__main__":
    g.main(__file__)
