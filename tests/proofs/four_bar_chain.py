"""The other claims of scenarios/four_bar_chain.py.

N + 1 rockers AᵢBᵢ stand on the line y = 0 at Aᵢ = (i, 0), and N couplers BᵢBᵢ₊₁ join their ends: uniform bars of 1 m
and 1 kg in the vertical plane, gravity g = 9.81 m/s² along −y. Coordinates are those of the points Bᵢ (m); the rows
are the 2N + 1 squared bar lengths. A uniform bar between two points has the kinetic energy m(ẋₐ² + ẋₐẋᵦ + ẋᵦ²)/6 +
the same in y.

At the flat positions, all rockers along +x or all along −x, rocker i, coupler i and rocker i + 1 lie in one line and
their rows are dependent: N of the 2N + 1 rows are lost. With ηᵢ the height of Bᵢ the loops demand, to second order,

    ηᵢ(ηᵢ − ηᵢ₊₁) = 0,   i = 0 … N − 1,

so N + 1 lines of velocities are possible: all heights before the p-th are zero, and those from the p-th on are equal.

*At speed* ω on the line p = 0, all rockers parallel, the order 3 rows η̈ᵢ = η̈ᵢ₊₁ complete the rank. The motion has
one degree of freedom, θ (rad) from the x axis,

    θ̈ = −c cos θ,   c = g (3N + 1)/2 / ((4N + 1)/3),   so B̈ᵢ = (−ω², −c) at θ = 0.

Dropping the dependent rows, as least squares and pseudo-inverses do, is wrong there for N ≥ 2.

*At rest* each line holds one stationary point of the Zwang: with d the direction of the line and the reduced force Q
and mass m along it, η̈ = (Q/m) d; the Zwang falls by Q²/2m, most for p = 0. Each
starts a motion: the rockers from p on swing in parallel, and the loops before the (p − 1)-th stay flat, locked.

The motion shown has N = 2 and starts upright with the speed 1 m/s: in χ = π/2 − θ it is the pendulum χ̈ = c sin χ,

    χ(t) = π + 2 am(√(1 + 4c)(t − t_½)/2, k),   k = 4c/(1 + 4c),   t_½ = 2 K(k)/√(1 + 4c),

with Jacobi's amplitude am and K of the parameter k. It passes a flat position every half turn.
"""

from functools import cache

import numpy as np
from scipy.special import ellipj

import gauss as g
from scenarios.four_bar_chain import G, chain, linkage, start


def flat(N, speed=0.0):
    """Return q and v at the flat position θ = 0; `speed` (m/s) is that of every ẏᵢ, on the line p = 0."""
    return positions(N, 0.0), np.tile([0.0, speed], N + 1)


def positions(N, theta):
    """Return q (2N + 2) with all rockers at the angle θ, or (2N + 2, k) for k angles."""
    theta = np.asarray(theta, dtype=float)
    return np.array([c for i in range(N + 1) for c in (i + np.cos(theta), np.sin(theta))])


def parallelogram(a, b):
    """Return the single four-bar linkage with ground and coupler of a, rockers of b (m); a rhombus if a = b."""
    return linkage([0.0, a], b, a, f"parallelogram, ground {a:g} m, rockers {b:g} m")


def constant(N):
    """c in θ̈ = −c cos θ (1/s²): half a weight per rocker and one per coupler over a third of a mass and one."""
    return G * ((N + 1) / 2 + N) / ((N + 1) / 3 + N)


minimal = g.Minimal(
    lagrangian=lambda s, s_dot, t: (3 / 3 + 2) / 2 * s_dot[0] ** 2 - G * (3 / 2 + 2) * g.sin(s[0]),
    chart=lambda s, t: [c for i in range(3) for c in (i + g.cos(s[0]), g.sin(s[0]))],
    inverse=lambda q, v, t: ([g.atan2(q[1], q[0])], [q[0] * v[1] - q[1] * v[0]]),
    text="the angle theta of the rockers",
)


def least_squares(model, q, v):
    """Return what dropping the dependent rows gives: Gauss's principle with J a = γ solved by numpy's lstsq."""
    problem = g.principle.GaussProblem.at(model, model.state(q, v))
    L = np.linalg.cholesky(problem.M)
    free = np.linalg.solve(problem.M, problem.f)
    whitened = np.linalg.solve(L, problem.rows.J.T).T
    shift = np.linalg.lstsq(whitened, problem.rows.lower - problem.rows.J @ free, rcond=1e-10)[0]
    return free + np.linalg.solve(L.T, shift)


def branches_at_rest(N):
    """Accelerations (N + 1, 2N + 2) at rest at θ = 0 on the lines p = 0 … N, and by how much the Zwang falls there."""
    found, falls = [], []
    for p in range(N + 1):
        moving, swung = N + 1 - p, p > 0  # rockers that move; the coupler before them, which swings about a fixed end
        force = -G * (moving / 2 + (moving - 1) + swung / 2)
        mass = moving / 3 + (moving - 1) + swung / 3
        heights = np.where(np.arange(N + 1) >= p, force / mass, 0.0)
        found.append(np.ravel(np.column_stack([np.zeros(N + 1), heights])))
        falls.append(force**2 / (2 * mass))
    return np.array(found), np.array(falls)


def parallelogram_lines(a, b):
    """Directions (2, 2) of the heights at the flat position: (η₁ − η₀)[(η₁ − η₀) − (a/b)(η₀ + η₁)] = 0."""
    return np.array([[1.0, 1.0], [b - a, a + b]])


def parallelogram_accelerations(a, b, speed=0.0):
    """Accelerations (2, 4) on both lines, moving with η̇ = speed · (line), largest entry 1; at rest for speed 0.

    On the second line tan(θ₁/2) = (a + b)/(b − a) tan(θ₀/2) holds exactly (a rhombus: θ₀ = 0), which is odd: at the
    flat position the angular accelerations have the direction of the angular velocities, and the Lagrangian of the one
    angle left has no term in θ̇² there. So η̈ is as at rest, and ẍ = −η̇²/b.
    """
    mass = np.array([[2 / 3, 1 / 6], [1 / 6, 2 / 3]])  # kg, for both heights: two thirds and the coupler's cross term
    force = np.array([-G, -G])  # N: half a rocker and half the coupler on each
    found = []
    for line in parallelogram_lines(a, b):
        d = line / np.max(np.abs(line))
        heights = d * (force @ d) / (d @ mass @ d)
        found.append(np.ravel(np.column_stack([-((speed * d) ** 2) / b, heights])))
    return np.array(found)


def singles(found):
    """The candidates but the vertex, which is rest: the common point of all lines."""
    return [c for c in found.candidates if c.kind != "vertex"]


def _matched(candidates, expected):
    """Worst distance of the expected accelerations from the nearest candidate, or infinity if their numbers differ."""
    if len(candidates) != len(expected):
        return np.inf
    have = np.array([c.a for c in candidates])
    return max(float(np.min(np.max(np.abs(have - a), axis=1))) for a in expected)


@cache
def at_speed(N, speed=1.0):
    """Errors at the flat position at speed: of the acceleration found, and of least squares (m/s²)."""
    model, (q, v) = chain(N), flat(N, speed)
    exact = np.tile([-(speed**2), -constant(N)], N + 1)
    found = g.classify(model, q, v)
    error = g.relative(found.solution.a, exact) if found.verdicts == ("crossing",) else np.inf
    return error, float(np.max(np.abs(least_squares(model, q, v) - exact)))


def at_rest(N):
    """Errors at rest at the flat position: of the N + 1 accelerations, and of their Zwang (both relative)."""
    expected, falls = branches_at_rest(N)
    found = g.classify(chain(N), flat(N)[0])
    if found.verdicts != ("branching",):
        return np.inf, np.inf
    lines = singles(found)
    error = _matched(lines, expected) / G
    if not np.isfinite(error):
        return np.inf, np.inf
    zwang = np.array([c.zwang for c in lines])
    # the Zwang itself depends on the free acceleration; only its differences are those of the falls
    return error, g.relative(zwang - zwang[0], np.sort(-falls) - np.min(-falls))


def at_rest_followed(N, t_end=0.9):
    """How far the N + 1 motions from rest at θ = 0 are off (m); infinite unless all of them are followed.

    On the line p the rockers before p and the loops between them stay flat, and the others are a pendulum released at
    the height of its pivot: θ̈ = −c cos θ with c = −Q/m, sin(ψ/2) = √½ cd(√c t, ½) for ψ = θ + π/2.
    """
    tree = g.simulate(chain(N), flat(N)[0], t_end=t_end, branches="all", progress="none")
    worst = 0.0 if len(tree) == N + 1 else np.inf
    for branch in tree:
        p = int(np.argmax(np.abs(branch.a[1::2]) > 1e-6 * G))
        c = -branches_at_rest(N)[0][p, -1]
        _, cn, dn, _ = ellipj(np.sqrt(c) * branch.run.t, 0.5)
        theta = 2 * np.arcsin(np.sqrt(0.5) * cn / dn) - np.pi / 2
        exact = [x for i in range(N + 1) for x in (i + np.cos(theta * (i >= p)), np.sin(theta * (i >= p)))]
        worst = max(worst, float(np.max(np.abs(branch.run.q - np.transpose(exact)))))
    return worst


def at_parallelogram(a, b):
    """Worst relative errors at the flat parallelogram: at rest, and moving on each of its two lines."""
    model, q = parallelogram(a, b), [b, 0.0, a + b, 0.0]
    found = g.classify(model, q)
    rest = _matched(singles(found), parallelogram_accelerations(a, b)) / G
    moving = 0.0
    for k, line in enumerate(parallelogram_lines(a, b)):
        d = line / np.max(np.abs(line))
        step = g.accelerate(model, q, np.ravel(np.column_stack([np.zeros(2), 0.8 * d])))
        moving = max(moving, g.relative(step.a, parallelogram_accelerations(a, b, 0.8)[k]))
    return rest, moving


def crossed_motion(a=1.0, b=0.6):
    """How far a crossed parallelogram is off tan(θ₁/2) = (a + b)/(b − a) tan(θ₀/2) after its flat position.

    Infinite unless it passes exactly one. It starts at θ₀ = −0.4 rad with 3 rad/s and moves for 0.25 s.
    """
    first, rate, ratio = -0.4, 3.0, (a + b) / (b - a)
    second = 2 * np.arctan(ratio * np.tan(first / 2))
    turn = ratio * (1 + np.tan(first / 2) ** 2) / (1 + np.tan(second / 2) ** 2)
    angles, rates = np.array([first, second]), rate * np.array([1.0, turn])
    q = np.ravel([(i * a + b * np.cos(x), b * np.sin(x)) for i, x in enumerate(angles)])
    v = np.ravel([(-b * w * np.sin(x), b * w * np.cos(x)) for x, w in zip(angles, rates, strict=True)])
    run = g.simulate(parallelogram(a, b), q, v, t_end=0.25, rtol=1e-9, progress="none")
    theta = np.arctan2(run["y0"], run["x0"]), np.arctan2(run["y1"], run["x1"] - a)
    off = np.max(np.abs(np.tan(theta[1] / 2) - ratio * np.tan(theta[0] / 2)))
    return float(off) if len(run.events) == 1 and theta[0][-1] > 0.1 else np.inf


SIZES = (1, 2, 5, 40)
SHAPES = ((1.0, 0.6), (0.7, 1.3), (2.0, 0.25), (1.0, 1.0))  # m, the last one a rhombus


@g.needs(start.t_end)
def claims(run):
    return [*through_flat_positions(run), *at_flat_positions()]


def through_flat_positions(run):
    return [
        g.Claim(
            "a crossed parallelogram stays crossed through its flat position",
            crossed_motion(),
            1e-10,
            "projection onto the constraints, which hold it on its branch away from there",
        ),
    ]


def at_flat_positions():
    moving = [at_speed(N) for N in SIZES]
    resting = [at_rest(N) for N in SIZES]
    shapes = np.array([at_parallelogram(*shape) for shape in SHAPES])
    rounding = "rounding: condition of the completed rows times the number of bars"
    return [
        g.Claim(
            "at speed the acceleration is (−ω², −c) at every point, for N = 1, 2, 5, 40",
            max(error for error, _ in moving),
            1e-12,
            rounding,
        ),
        g.Claim(
            "warning: from N = 2 on least squares is wrong by at least 0.7 m/s²",
            0.7 - min(wrong for N, (_, wrong) in zip(SIZES, moving, strict=True) if N >= 2),
            0.0,
            "what dropping the dependent rows gives; yes or no",
        ),
        g.Claim(
            "at rest all N + 1 lines of the tangent cone have their acceleration, for N = 1, 2, 5, 40",
            max(error for error, _ in resting),
            1e-11,
            rounding,
        ),
        g.Claim(
            "the Zwang of these falls by Q²/2m, so that parallel rockers have the least",
            max(error for _, error in resting),
            1e-11,
            rounding,
        ),
        g.Claim(
            "from rest every line is followed by its own motion, for N = 1, 2, 3",
            max(at_rest_followed(N) for N in (1, 2, 3)),
            1e-8,
            "the windows that leave the flat position: accelerations to 1e-9, relative",
        ),
        g.Claim(
            "flat parallelograms and the rhombus: at rest both accelerations",
            float(np.max(shapes[:, 0])),
            1e-12,
            rounding,
        ),
        g.Claim(
            "moving on either line, as a parallelogram or crossed, theirs is unique",
            float(np.max(shapes[:, 1])),
            1e-12,
            rounding,
        ),
    ]
