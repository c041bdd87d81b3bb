"""Printed equations of BH §3–7: the equations of Boltzmann and Hamel in matrix form, for two bodies of point masses.

A platform on a skate (x, y, phi) carries a body that pitches by theta = beta + 0.3 sin t: beta is a coordinate, and the
rest is driven, so that the matrices V_R, Ω_R of "rests" do not vanish. The kinetic energy of the model is that of nine
point masses; the matrices are those of the two rigid bodies that they form. The quasi-velocities w1, w2, w3 are free
and w4 vanishes; `sliding` is the same without the skate, where all four are free, and `curved` has quasi-velocities
that are the rates of other coordinates. Minus signs are lost in the transcription and entered as they must have been.
"""

from functools import cache, cached_property

import numpy as np
import sympy as sp

import gauss as g
from gauss.sources import Equation, Printed

COORDINATES = ("x", "y", "phi", "beta")
FLOOR = ((0.7, 0.5, 0.2), (0.4, -0.3, 0.6), (0.6, 0.2, -0.5))  # mass, place ahead and to the left: the platform
SPOKES = (0.30, 0.45, 0.25)  # m: two masses at ± this on each principal axis of the pitching body
WEIGHTS = (0.35, 0.2, 0.5)  # kg each
AHEAD, ARM = 0.4, 0.7  # m, of the pitching axis from the skate; of the mass centre from that axis
SKATE, MIX, BEND, GROW = 0.3, 0.25, 0.4, 0.35  # constants of the quasi-velocities
HEAVY = sum(2 * m for m in WEIGHTS)
INERTIA = [sum(2 * m * s**2 for k, (m, s) in enumerate(zip(WEIGHTS, SPOKES)) if k != i) for i in range(3)]
LIGHT = sum(m for m, _, _ in FLOOR)
MIDDLE = [sum(m * place[k] for m, *place in FLOOR) / LIGHT for k in range(2)]
TURNING = sum(m * sum((x - c) ** 2 for x, c in zip(place, MIDDLE)) for m, *place in FLOOR)


def pitch(q, v, t):
    return q.beta + 0.3 * g.sin(t), v.beta + 0.3 * g.cos(t)


def plane(q, v, ahead, left):
    """Velocity of a point of the platform in its axes."""
    c, s = g.cos(q.phi), g.sin(q.phi)
    return [c * v.x + s * v.y - left * v.phi, -s * v.x + c * v.y + ahead * v.phi]


def pitching(q, v, t):
    """Velocity (3,) of the pitching body's mass centre in the platform's axes, its rotation (3,) in its own."""
    theta, rate = pitch(q, v, t)
    sin, cos = g.sin(theta), g.cos(theta)
    along, across = plane(q, v, AHEAD + ARM * sin, 0.0)
    return [along + ARM * cos * rate, across, -ARM * sin * rate], [-v.phi * sin, rate, v.phi * cos]


def kinetic(q, v, t):
    """Energy of the nine points."""
    energy = sum(m * sum(x**2 for x in plane(q, v, *place)) / 2 for m, *place in FLOOR)
    V, W = pitching(q, v, t)
    theta, _ = pitch(q, v, t)
    sin, cos = g.sin(theta), g.cos(theta)
    for k, (m, s) in enumerate(zip(WEIGHTS, SPOKES)):
        for r in (s, -s):
            a = [r if i == k else 0.0 for i in range(3)]
            u = [W[1] * a[2] - W[2] * a[1], W[2] * a[0] - W[0] * a[2], W[0] * a[1] - W[1] * a[0]]
            u = [cos * u[0] + sin * u[2], u[1], -sin * u[0] + cos * u[2]]  # in the platform's axes
            energy += m * sum((x + y) ** 2 for x, y in zip(V, u)) / 2
    return energy


def force(q, v, t):
    return {"x": 0.6 - 0.3 * v.x, "y": 0.4 * q.x, "phi": 0.5 * g.cos(t), "beta": 1.1 * g.sin(q.beta) - 0.2 * v.beta}


def skate(q):
    return [-g.sin(q.phi), g.cos(q.phi), SKATE, 0.0]


def model(name, rows):
    return g.System(name, coordinates=" ".join(COORDINATES), kinetic_energy=kinetic, force=force, constraints=rows)


rolling = model("two bodies on a skate", [g.Pfaffian("skate", skate)])
sliding = model("two bodies on ice", [])


def mixed(q):
    """a (4, 4)."""
    rows = [
        [g.cos(q.phi), g.sin(q.phi), 0.0, MIX],
        [0.0, 0.0, 1.0, BEND * g.sin(q.beta)],
        [0.0, 0.0, 0.0, 1 + GROW * q.x**2],
        skate(q),
    ]
    return np.array([[sp.sympify(x) for x in row] for row in rows])


def mixed_inverse(q):
    """b (4, 4): its columns are the velocities of the quasi-velocities one by one."""
    c, s, grown = g.cos(q.phi), g.sin(q.phi), 1 / (1 + GROW * q.x**2)
    turn = BEND * g.sin(q.beta) * grown
    columns = [
        [c, s, 0, 0],
        [SKATE * s, -SKATE * c, 1, 0],
        [-MIX * grown * c - SKATE * turn * s, -MIX * grown * s + SKATE * turn * c, -turn, grown],
        [-s, c, 0, 0],
    ]
    return np.array([[sp.sympify(x) for x in column] for column in columns]).T


def other_places(q):
    """Other coordinates (4,): the place in axes that turn with phi, phi and beta."""
    c, s = g.cos(q.phi), g.sin(q.phi)
    return [q.x * c + q.y * s, -q.x * s + q.y * c, q.phi, q.beta]


def differentials(q):
    """a (4, 4) of the rates of those coordinates."""
    return np.array([[sp.diff(x, q[name]) for name in COORDINATES] for x in other_places(q)])


def differentials_inverse(q):
    c, s = g.cos(q.phi), g.sin(q.phi)
    return np.array([[sp.sympify(x) for x in row] for row in ([c, -s, -q.y, 0], [s, c, q.x, 0], UNIT[2], UNIT[3])])


UNIT = np.eye(4, dtype=int).tolist()
CHOICES = {
    "skate": (mixed, mixed_inverse, 3),
    "ice": (mixed, mixed_inverse, 4),
    "curved": (differentials, differentials_inverse, 4),
}


class Frame:
    """What is differentiated: symbols of q, q̇, w and its rate, with a, b and the number of free quasi-velocities."""

    def __init__(self, q, v, t, kind):
        self.q, self.t = q, t
        a, b, self.l = CHOICES[kind]
        self.a, self.b = a(q), b(q)
        self.places = [q[x] for x in COORDINATES]
        self.rates = [v[x] for x in COORDINATES]
        self.w = np.array([q[f"w{k}"] for k in range(1, 5)])
        self.w_dot = np.array([v[f"w{k}"] for k in range(1, 5)])

    def velocities(self):
        """q̇ = b w, by name."""
        found = self.b @ self.w
        return type("Rates", (), dict(zip(COORDINATES, found)))

    def along(self, f):
        """Time derivative of f(q, w, t)."""
        parts = [sp.diff(f, self.t), *(sp.diff(f, x) * y for x, y in zip(self.places, self.rates))]
        return sum(parts) + sum(sp.diff(f, x) * y for x, y in zip(self.w, self.w_dot))

    def rate(self, array):
        """Time derivatives of the entries of an array."""
        return np.vectorize(self.along, otypes=[object])(array)

    def by_w(self, f):
        """∂f/∂ω (4,)."""
        return np.array([sp.diff(f, x) for x in self.w])

    def by_pi(self, f):
        """∂f/∂π (4,) = Σ b_λk ∂f/∂q_λ at fixed w."""
        return self.b.T @ np.array([sp.diff(f, x) for x in self.places])

    @cached_property
    def energy(self):
        """T* of the points."""
        return kinetic(self.q, self.velocities(), self.t)

    def bodies(self):
        """Masses or moments of inertia with the velocities V or Ω that they belong to, in w."""
        v = self.velocities()
        V, W = pitching(self.q, v, self.t)
        return [
            ([LIGHT, LIGHT], plane(self.q, v, *MIDDLE)),
            ([TURNING], [v.phi]),
            ([HEAVY] * 3, V),
            (INERTIA, W),
        ]

    def symbols(self):
        """γ (4, 4, 4) at [r, k, α]."""
        slopes = np.array([[[sp.diff(x, y) for y in self.places] for x in row] for row in self.a])  # [r, λ, μ]
        curl = slopes - np.swapaxes(slopes, 1, 2)
        return np.einsum("rlm,lk,ma->rka", curl, self.b, self.b, optimize=False)

    def applied(self):
        """Q (l,)."""
        F = force(self.q, self.velocities(), self.t)
        return (self.b.T @ np.array([F[x] for x in COORDINATES]))[: self.l]


class Matrices:
    """V_Q, V_P, V_R and V_Π of (9), (12), (13) for a velocity V (or Ω) with its masses (or moments of inertia)."""

    def __init__(self, frame, mass, V):
        l, rest = frame.l, dict.fromkeys(frame.w, 0)
        self.V = np.array(V)
        self.Q = np.array([[m * sp.diff(x, w) for m, x in zip(mass, V)] for w in frame.w])
        self.Pi = np.array([m * frame.by_pi(x) for m, x in zip(mass, V)]).T
        self.P = np.array([[sp.diff(x, w) for w in frame.w[:l]] for x in V])
        self.R = np.array([sp.sympify(x).xreplace(rest) for x in V])
        self.QP, self.PP, self.RP = frame.rate(self.Q), frame.rate(self.P), frame.rate(self.R)


@cache
def built(frame):
    """(T_Q (4,), T_Π (4,), A (l, l), C (l,)) of (10), (11), (15), (16), sums over the bodies."""
    l, w = frame.l, frame.w[: frame.l]
    parts = [Matrices(frame, *part) for part in frame.bodies()]
    return (
        sum(m.Q @ m.V for m in parts),
        sum(m.Pi @ m.V for m in parts),
        sum(m.Q[:l] @ m.P for m in parts),
        sum(m.QP[:l] @ m.V + m.Q[:l] @ (m.PP @ w + m.RP) for m in parts),
    )


def right(frame, symbols=True):
    """B (l,) of (20), or with Γ = 0."""
    T_Q, T_Pi, _, C = built(frame)
    found = -C + T_Pi[: frame.l] + frame.applied()
    return found - gyroscopic(frame, T_Q) if symbols else found


def quasi(kind):
    """w1 … w4 as quantities."""

    def component(k):
        return lambda q, v: sum(x * v[name] for x, name in zip(CHOICES[kind][0](q)[k], COORDINATES))

    return {f"w{k + 1}": component(k) for k in range(4)}


def framed(function, kind):
    """A function of the frame as one of q, v, t."""
    return lambda q, v, t: list(np.ravel(function(frame_at(q, v, t, kind))))


FRAMES = {}


def frame_at(q, v, t, kind):
    """The frame with these symbols, the same for all equations."""
    symbols = (kind, t, *q, *v)
    if symbols not in FRAMES:
        FRAMES[symbols] = Frame(q, v, t, kind)
    return FRAMES[symbols]


def table(cases, kind):
    """Equations from rows (name, number, left, right, text)."""
    return [
        Equation(name, left=framed(left, kind), right=framed(other, kind), number=number, text=text)
        for name, number, left, other, text in cases
    ]


def lagrange_side(f):
    """d/dt ∂T*/∂ω_k − ∂T*/∂π_k (l,)."""
    T = f.energy
    return f.rate(f.by_w(T))[: f.l] - f.by_pi(T)[: f.l]


def gyroscopic(f, momenta):
    """Σ γ^r_kα ω_α p_r (l,)."""
    return np.einsum("r,rka,a->k", momenta, f.symbols(), f.w, optimize=False)[: f.l]


def konig(f):
    return sum(m * x**2 for mass, V in f.bodies() for m, x in zip(mass, V)) / 2


def slopes(f, derivative):
    """Σ M V_j ∂V_j/∂… + Σ J Ω_j ∂Ω_j/∂… (4,)."""
    return sum(m * x * derivative(x) for mass, V in f.bodies() for m, x in zip(mass, V))


def decomposed(f):
    """V_P ω + V_R of all velocities."""
    w = f.w[: f.l]
    return [x for part in f.bodies() for m in (Matrices(f, *part),) for x in m.P @ w + m.R]


def velocities(f):
    return [x for _, V in f.bodies() for x in V]


def products(f):
    """V̇_Q V + V_Q V̇ + … (l,)."""
    parts = [Matrices(f, *part) for part in f.bodies()]
    return sum(m.QP[: f.l] @ m.V + m.Q[: f.l] @ f.rate(m.V) for m in parts)


def given(p):
    return np.array([p[f"s{k}"] for k in range(4)])


def transposed(q, v, t, p):
    """d(δπ_r) − δ(dπ_r) over dt for δq = s, whose rates cancel."""
    f = frame_at(q, v, t, "skate")
    changes = np.vectorize(lambda x: sum(sp.diff(x, y) * z for y, z in zip(f.places, given(p))), otypes=[object])
    return list(f.rate(f.a) @ given(p) - changes(f.a) @ np.array(f.rates))


def by_symbols(q, v, t, p):
    f = frame_at(q, v, t, "skate")
    return list(np.einsum("rka,k,a->r", f.symbols(), f.a @ given(p), f.w, optimize=False))


def general(kind):
    """(1), (6)–(21): what is the same with and without vanishing quasi-velocities."""
    cases = [
        ("equations of Boltzmann and Hamel", "(1)", lambda f: lagrange_side(f) + gyroscopic(f, f.by_w(f.energy)),
         Frame.applied, "d/dt(∂T*/∂ω_k) − ∂T*/∂π_k + ΣΣγ^r_kα ω_α ∂T*/∂ω_r = Q*_k"),
        ("kinetic energy of the bodies (König)", "(6)", konig, lambda f: f.energy,
         "T* = ½MΣV_cj² + ½ΣJ_j'Ω_j'²"),
        ("derivatives by quasi-velocities", "(7)", lambda f: slopes(f, f.by_w), lambda f: f.by_w(f.energy),
         "∂T*/∂ω_k = ΣMV_cj ∂V_cj/∂ω_k + ΣJ_j'Ω_j' ∂Ω_j'/∂ω_k"),
        ("derivatives by quasi-coordinates", "(8)", lambda f: slopes(f, f.by_pi), lambda f: f.by_pi(f.energy),
         "∂T*/∂π_k = ΣMV_cj ∂V_cj/∂π_k + ΣJ_j'Ω_j' ∂Ω_j'/∂π_k"),
        ("momenta by matrices", "(9), (10)", lambda f: built(f)[0], lambda f: f.by_w(f.energy),
         "T_Q(k) = [∂T*/∂ω_k] = V_Q(k, j)V(j) + Ω_Q(k, j')Ω(j')"),
        ("slopes by matrices", "(9), (11)", lambda f: built(f)[1], lambda f: f.by_pi(f.energy),
         "T_Π(k) = [∂T*/∂π_k] = V_Π(k, j)V(j) + Ω_Π(k, j')Ω(j')"),
        ("velocities by their matrices", "(12), (13)", decomposed, velocities,
         "V(j) = V_P(j, i)ω(i) + V_R(j), Ω(j') = Ω_P(j', i)ω(i) + Ω_R(j')"),
        ("rate of the momenta", "(14)", products, lambda f: f.rate(f.by_w(f.energy))[: f.l],
         "d/dt[∂T*/∂ω_k] = V̇_QV + V_Q(V̇_Pω + V_Pω̇ + V̇_R) + Ω̇_QΩ + Ω_Q(Ω̇_Pω + Ω_Pω̇ + Ω̇_R)"),
        ("rate of the momenta by A and C", "(14)–(16)", lambda f: built(f)[2] @ f.w_dot[: f.l] + built(f)[3],
         lambda f: f.rate(f.by_w(f.energy))[: f.l],
         "= Aω̇ + C, A = V_QV_P + Ω_QΩ_P, C = V_QPV + Ω_QPΩ + V_Q[V_PPω + V_RP] + Ω_Q[Ω_PPω + Ω_RP]"),
        ("matrix equation", "(17)–(19)", matrix_form, Frame.applied, "Aω̇ + C − T_Π + T_QᵀΓω = Q"),
        ("A ω̇ = B", "(20), (21), §6", lambda f: built(f)[2] @ f.w_dot[: f.l], right, SOLVED),
    ]  # fmt: skip
    return table(cases, kind)


SOLVED = "Aω̇ = B, B = −V_QPV − Ω_QPΩ − V_Q[V_PPω + V_RP] − Ω_Q[Ω_PPω + Ω_RP] + V_ΠV + Ω_ΠΩ − [V_QV + Ω_QΩ]ᵀΓω + Q"


def matrix_form(f):
    T_Q, T_Pi, A, C = built(f)
    return A @ f.w_dot[: f.l] + C - T_Pi[: f.l] + gyroscopic(f, T_Q)


def split(f):
    """(35) with T_Qω and T_R from the energy (l,)."""
    T_Qw = np.array([f.by_w(x) for x in f.by_w(f.energy)])
    rates = f.rate(T_Qw) @ f.w + f.rate(momenta_at_rest(f))
    return (T_Qw @ f.w_dot + rates - f.by_pi(f.energy))[: f.l]


def momenta_at_rest(f):
    """T_R (4,), what ∂T*/∂ω is at ω = 0."""
    rest = dict.fromkeys(f.w, 0)
    return np.array([sp.sympify(x).xreplace(rest) for x in f.by_w(f.energy)])


PLACE = {"q": [0.3, -0.2, 0.6, 0.5], "v": [0.5, 0.3, 0.7, -0.4], "t": 0.3, "spread": 0.3}
NUMBERS = {f"s{k}": x for k, x in enumerate((0.4, -0.7, 0.6, 0.9))}
ON_SKATE = [
    ("vanishing quasi-velocity", "(2)", lambda f: f.a[3] @ np.array(f.rates), lambda f: 0,
     "π̇_{l+β} = Σa_{l+β,λ}q̇_λ = 0"),
    ("quasi-velocities", "(3)", lambda f: f.w, lambda f: f.a @ np.array(f.rates), "ω_k = Σa_kλ q̇_λ"),
    ("rows and transformation as one equation", "(22)–(24)", lambda f: [*f.w[:3], 0],
     lambda f: f.a @ np.array(f.rates), "z = Rq̇, z = [ω; 0], R = [a_kλ; a_{l+β,λ}]"),
    ("velocities solved for", "(25)", lambda f: np.array(f.rates), lambda f: f.b @ np.array([*f.w[:3], 0]),
     "q̇ = R⁻¹z"),
    ("operator of a body of simpler motion", "(35)", split, lagrange_side,
     "L = Ṫ_Q − T_Π = d/dt(T_Qω ω + T_R) − T_Π = T_Qω ω̇ + T_QωP ω + T_RP − T_Π"),
]  # fmt: skip
ON_ICE = [
    ("quasi-velocities without rows", "(26), (28)", lambda f: f.w, lambda f: f.a @ np.array(f.rates),
     "ω_k = Σa_kλ q̇_λ, z = ω, R = [a_kλ]"),
    ("the inverse", "(27)", lambda f: f.a @ f.b, lambda f: np.eye(4), "[b_λk] = [a_kλ]⁻¹"),
    ("Rq̇ = ω", "(29)", lambda f: f.b @ f.w, lambda f: np.array(f.rates), "Aω̇ = B, Rq̇ = ω"),
]  # fmt: skip
CURVED = [
    ("symbols", "§5 (1)", lambda f: f.symbols(), lambda f: np.zeros(64), "Γ(r, k, α) = 0"),
    ("Lagrange's equations", "(32)", lambda f: built(f)[2] @ f.w_dot, lambda f: right(f, symbols=False),
     "A(q, ω)ω̇ = B(q, ω), q̇ = ω"),
]  # fmt: skip
TRANSPOSITION = Equation(
    "three-index symbols and transposition",
    left=transposed,
    right=by_symbols,
    number="(4), (5)",
    text="dδπ_r − δdπ_r = ΣΣγ^r_kα δπ_k dπ_α, γ^r_kα = ΣΣ(∂a_rλ/∂q_μ − ∂a_rμ/∂q_λ)b_λk b_μα",
    remark="(4) and the indices of (5) are illegible; with these the equations (1) hold",
)
RENAMED = Equation(
    "other coordinates as quasi-coordinates",
    left=lambda v: [v.n1, v.n2, v.phi, v.beta],
    right=lambda q: [q.w1, q.w2, q.w3, q.w4],
    number="(30), (31)",
    text="q_k = π_k, q̇_k = π̇_k = ω_k, ω = q̇",
)
OTHER = {"n1": lambda q: other_places(q)[0], "n2": lambda q: other_places(q)[1]}
nonholonomic = Printed(
    "BH",
    [*general("skate"), TRANSPOSITION, *table(ON_SKATE, "skate")],
    system=rolling,
    quantities=quasi("skate"),
    parameters=NUMBERS,
    **PLACE,
)
holonomic = Printed(
    "BH", [*general("ice")[-2:], *table(ON_ICE, "ice")], system=sliding, quantities=quasi("ice"), **PLACE
)
curved = Printed(
    "BH", [RENAMED, *table(CURVED, "curved")], system=sliding, quantities={**quasi("curved"), **OTHER}, **PLACE
)
system = rolling
start = g.Start(q=PLACE["q"], v=PLACE["v"], t=PLACE["t"])
equations = [nonholonomic, holonomic, curved]
