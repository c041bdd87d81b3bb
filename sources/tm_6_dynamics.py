"""Printed equations of TM §6.5–6.7 for a rigid body that consists of four point masses.

The truth is the sum over the points: their velocities follow from the angles by three elementary rotations. The printed
forms use the rotation matrix (a quantity, as are its rates), the pseudo-inertia and the inertia matrix. In the second
body the origin is the centre of mass.
"""

import gauss as g
from gauss.sources import Equation, Lagrangian, Printed

N = range(3)
PLACES = ((0.5, 0.2, -0.3), (-0.4, 0.7, 0.1), (0.3, -0.6, 0.8), (-0.2, 0.4, 0.5))  # m, in the body
MASSES = {"m1": 1.3, "m2": 0.7, "m3": 0.9, "m4": 1.1}  # kg


def masses(p):
    return [p.m1, p.m2, p.m3, p.m4]


def total(p):
    return p.m1 + p.m2 + p.m3 + p.m4


def off_centre(p):
    return PLACES


def centred(p):
    """Places with the centre of mass in the origin: the fourth is where it has to be."""
    last = [-(p.m1 * PLACES[0][k] + p.m2 * PLACES[1][k] + p.m3 * PLACES[2][k]) / p.m4 for k in N]
    return [*PLACES[:3], last]


def turned(angle, rate, pair, first, second):
    """A vector and its rate after a rotation from axis `first` to axis `second`."""
    u, du = list(pair[0]), list(pair[1])
    c, s = g.cos(angle), g.sin(angle)
    for w in (u, du):
        w[first], w[second] = c * w[first] - s * w[second], s * w[first] + c * w[second]
    du[first], du[second] = du[first] - rate * u[second], du[second] + rate * u[first]
    return u, du


def seen(r, q, v):
    """Place and velocity in space of a point r of the body: R(Z, φ)R(Y, θ)R(Z, ψ) r + T."""
    pair = turned(q.psi, v.psi, (r, [0.0, 0.0, 0.0]), 0, 1)
    pair = turned(q.theta, v.theta, pair, 2, 0)
    u, du = turned(q.phi, v.phi, pair, 0, 1)
    return [u[0] + q.x, u[1] + q.y, u[2] + q.z], [du[0] + v.x, du[1] + v.y, du[2] + v.z]


def place(r, q):
    """Place in space alone."""
    return seen(r, q, q)[0]  # whatever the rates


def system_of(name, places, weight=True):
    def kinetic(q, v, p):
        moving = [seen(r, q, v)[1] for r in places(p)]
        return sum(m * (u[0] ** 2 + u[1] ** 2 + u[2] ** 2) for m, u in zip(masses(p), moving, strict=True)) / 2

    def potential(q, p):
        return p.g * sum(m * place(r, q)[2] for m, r in zip(masses(p), places(p), strict=True))

    more = {"potential_energy": potential} if weight else {}
    parameters = MASSES | ({"g": 3.3} if weight else {})
    return g.System(name, coordinates="x y z phi theta psi", kinetic_energy=kinetic, parameters=parameters, **more)


def multiply(A, B):
    return [[sum(a * B[k][j] for k, a in enumerate(row)) for j in range(len(B[0]))] for row in A]


def transposed(A):
    return [list(column) for column in zip(*A, strict=True)]


def apply(A, u):
    return [sum(a * x for a, x in zip(row, u, strict=True)) for row in A]


def trace(A):
    return sum(A[k][k] for k in N)


def dot(a, b):
    return sum(x * y for x, y in zip(a, b, strict=True))


def cross(a, b):
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]


def outer(a, b):
    return [[x * y for y in b] for x in a]


def added(a, b):
    return [x + y for x, y in zip(a, b, strict=True)]


def entries(s):
    """R or Ṙ from the quantities R00 … R22."""
    return [[getattr(s, f"R{i}{j}") for j in N] for i in N]


def matrix(q):
    """E(φ, θ, ψ) of §6.3."""
    cf, sf, ct, st, cp, sp = g.cos(q.phi), g.sin(q.phi), g.cos(q.theta), g.sin(q.theta), g.cos(q.psi), g.sin(q.psi)
    return [
        [cf * ct * cp - sf * sp, -cf * ct * sp - sf * cp, cf * st],
        [sf * ct * cp + cf * sp, -sf * ct * sp + cf * cp, sf * st],
        [-st * cp, st * sp, ct],
    ]


def omega(q, v):
    """ω_B = M_E ė."""
    return [
        -g.sin(q.theta) * g.cos(q.psi) * v.phi + g.sin(q.psi) * v.theta,
        g.sin(q.theta) * g.sin(q.psi) * v.phi + g.cos(q.psi) * v.theta,
        g.cos(q.theta) * v.phi + v.psi,
    ]


def skew(w):
    return [[0, -w[2], w[1]], [w[2], 0, -w[0]], [-w[1], w[0], 0]]


def vector(q):
    """ω_B as quantities."""
    return [q.w0, q.w1, q.w2]


def pseudo(p, places=off_centre):
    """J_B of (6.4), a sum over the points."""
    return [[sum(m * r[i] * r[j] for m, r in zip(masses(p), places(p), strict=True)) for j in N] for i in N]


def moments(p, places=off_centre):
    """I_B, as it is printed by the entries of J_B."""
    J = pseudo(p, places)
    return [
        [J[1][1] + J[2][2], -J[0][1], -J[0][2]],
        [-J[1][0], J[0][0] + J[2][2], -J[1][2]],
        [-J[2][0], -J[2][1], J[0][0] + J[1][1]],
    ]


def first_moment(p):
    """m_B r_B."""
    return [sum(m * r[k] for m, r in zip(masses(p), PLACES, strict=True)) for k in N]


def square(v):
    return v.x**2 + v.y**2 + v.z**2


def shift(v):
    return [v.x, v.y, v.z]


def coupling(q, v, p):
    """m_B Ṫᵀ R (ω_B × r_B)."""
    return dot(shift(v), apply(entries(q), cross(vector(q), first_moment(p))))


def squared(q):
    return multiply(skew(vector(q)), skew(vector(q)))


def height(q, p):
    """−m_B (g, R r_B + T)."""
    return p.g * (apply(entries(q), first_moment(p))[2] + total(p) * q.z)


def point_of(s):
    return [s.sx, s.sy, s.sz]


def element(q, v, form):
    """tr(…) for the element of mass at PLACES[1], by one of the printed expansions of dK/(½dm)."""
    moved, T = apply(entries(v), PLACES[1]), shift(v)
    full = added(moved, T)
    return {
        "product": trace(outer(full, full)),
        "four": trace(outer(moved, moved)) + trace(outer(moved, T)) + trace(outer(T, moved)) + trace(outer(T, T)),
        "three": trace(multiply(multiply(entries(v), outer(PLACES[1], PLACES[1])), transposed(entries(v))))
        + 2 * dot(T, moved)
        + square(v),
    }[form]


def turning(v, J):
    """tr(Ṙ J Ṙᵀ)."""
    return trace(multiply(multiply(entries(v), J), transposed(entries(v))))


ROTATION = {f"R{i}{j}": lambda q, i=i, j=j: matrix(q)[i][j] for i in N for j in N}
OMEGA = {f"w{k}": lambda q, v, k=k: omega(q, v)[k] for k in N}
HERE = {"q": [0.2, -0.3, 0.4, 0.4, 1.1, 0.3], "v": [0.3, -0.2, 0.5, 0.7, -0.4, 0.9]}
energies = Printed(
    "TM §6.5",
    [
        Equation(
            "place and velocity of an element",
            left=lambda q, v: [*point_of(q), *point_of(v)],
            right=lambda q, v: [
                *added(apply(entries(q), PLACES[1]), [q.x, q.y, q.z]),
                *added(apply(entries(v), PLACES[1]), shift(v)),
            ],
            number="§6.5 (1), (3), §8.3 (1)",
            text="s = Rr + T, v = ṡ = Ṙr + Ṫ",
        ),
        Equation(
            "its kinetic energy",
            left=lambda v: [dot(point_of(v), point_of(v))] * 4,
            right=lambda q, v: [
                trace(outer(point_of(v), point_of(v))),
                *(element(q, v, form) for form in ("product", "four", "three")),
            ],
            number="§6.5 (2), (4)–(6)",
            text="dK = ½dm vᵀv = ½dm tr(vvᵀ) = ½dm tr((Ṙr + Ṫ)(rᵀṘᵀ + Ṫᵀ)) = ½dm tr(ṘrrᵀṘᵀ) + ½dm tr(ṘrṪᵀ) "
            "+ ½dm tr(ṪrᵀṘᵀ) + ½dm tr(ṪṪᵀ) = ½dm tr(ṘrrᵀṘᵀ) + dm ṪᵀṘr + ½dm|Ṫ|²",
        ),
        Equation(
            "kinetic energy of the body",
            left=lambda q: q.K,
            right=lambda v, p: (
                turning(v, pseudo(p)) / 2 + dot(shift(v), apply(entries(v), first_moment(p))) + total(p) * square(v) / 2
            ),
            number="(6.4), §6.5 (7)–(9)",
            text="K = ½tr(Ṙ J_B Ṙᵀ) + m_B ṪᵀṘr_B + ½m_B|Ṫ|², J_B = ∫rrᵀdm, r_B = (1/m_B)∫r dm",
        ),
        Equation(
            "by the angular velocity in the body",
            left=lambda q, v, p: [turning(v, pseudo(p))] * 2 + [dot(shift(v), apply(entries(v), first_moment(p)))] * 2,
            right=lambda q, v, p: [
                trace(
                    multiply(
                        multiply(multiply(entries(q), skew(vector(q))), pseudo(p)),
                        transposed(multiply(entries(q), skew(vector(q)))),
                    )
                ),
                -trace(multiply(pseudo(p), squared(q))),
                dot(shift(v), apply(multiply(entries(q), skew(vector(q))), first_moment(p))),
                coupling(q, v, p),
            ],
            number="§6.5 (10), (11)",
            text="tr(ṘJ_BṘᵀ) = tr(RΩ_BJ_BΩ_BᵀRᵀ) = −tr(J_BΩ_B²), m_BṪᵀṘr_B = m_BṪᵀRΩ_Br_B = m_BṪᵀR(ω_B × r_B)",
        ),
        Equation(
            "both energies",
            left=lambda q: [q.K, q.V],
            right=lambda q, v, p: [
                -trace(multiply(pseudo(p), squared(q))) / 2 + coupling(q, v, p) + total(p) * square(v) / 2,
                height(q, p),
            ],
            number="§6.5 (12), (13)",
            text="K = −½tr(J_BΩ_B²) + m_BṪᵀR(ω_B × r_B) + ½m_B|Ṫ|², V = −m_B(g, Rr_B + T)",
        ),
        Lagrangian(
            "Lagrangian by the pseudo-inertia",
            function=lambda q, v, p: (
                -trace(multiply(pseudo(p), squared(q))) / 2
                + coupling(q, v, p)
                + total(p) * square(v) / 2
                - height(q, p)
            ),
            number="§6.5 (14)",
            text="L = −½tr(J_BΩ_B²) + m_BṪᵀR(ω_B × r_B) + ½m_B|Ṫ|² + m_B(g, Rr_B + T)",
        ),
        Lagrangian(
            "Lagrangian by the inertia matrix",
            function=lambda q, v, p: (
                dot(vector(q), apply(moments(p), vector(q))) / 2
                + coupling(q, v, p)
                + total(p) * square(v) / 2
                - height(q, p)
            ),
            number="(6.5), §6.5 (15), Ex. 6.5",
            text="L = ½ω_BᵀI_Bω_B + m_BṪᵀR(ω_B × r_B) + ½m_B|Ṫ|² + m_B(g, Rr_B + T), I_B = [J₂₂ + J₃₃, −J₁₂, …]",
        ),
    ],
    system=system_of("four points", off_centre),
    quantities=ROTATION
    | OMEGA
    | {f"s{x}": lambda q, v, k=k: seen(PLACES[1], q, v)[0][k] for k, x in enumerate("xyz")}
    | {
        "K": lambda q, v, p: (
            sum(m * dot(seen(r, q, v)[1], seen(r, q, v)[1]) for m, r in zip(masses(p), PLACES, strict=True)) / 2
        ),
        "V": lambda q, v, p: p.g * sum(m * seen(r, q, v)[0][2] for m, r in zip(masses(p), PLACES, strict=True)),
    },
    **HERE,
)


def in_body(q):
    """v_B as quantities."""
    return [q.b0, q.b1, q.b2]


def spin(q, p):
    """M_B = I_B ω_B."""
    return apply(moments(p, centred), vector(q))


def sums(q, v, p):
    """Momentum, and moment of momentum about the centre of mass, summed over the points in space."""
    pairs = [(m, *seen(r, q, v)) for m, r in zip(masses(p), centred(p), strict=True)]
    arms = [(m, cross([s[0] - q.x, s[1] - q.y, s[2] - q.z], ds)) for m, s, ds in pairs]
    return [sum(m * ds[k] for m, _, ds in pairs) for k in N] + [sum(m * arm[k] for m, arm in arms) for k in N]


def rates(q, v, p):
    """m_B Ṙv_B + m_B Rv̇_B and ṘI_Bω_B + RI_Bω̇_B."""
    linear = added(apply(entries(v), in_body(q)), apply(entries(q), in_body(v)))
    turning = added(apply(entries(v), spin(q, p)), apply(entries(q), spin(v, p)))
    return [total(p) * x for x in linear] + turning


def by_omega(q, v, p):
    """R(m_B ω_B × v_B + m_B v̇_B) and R(ω_B × I_Bω_B + I_Bω̇_B)."""
    linear = [total(p) * x for x in added(cross(vector(q), in_body(q)), in_body(v))]
    return apply(entries(q), linear) + apply(entries(q), added(cross(vector(q), spin(q, p)), spin(v, p)))


newton = Printed(
    "TM §6.7",
    [
        Equation(
            "momentum and moment of momentum in space",
            left=lambda q, v: [getattr(q, f"P{k}") for k in range(6)] + [q.b0, q.b1, q.b2],
            right=lambda q, v, p: [
                *(total(p) * x for x in apply(entries(q), in_body(q))),
                *apply(entries(q), spin(q, p)),
                *apply(transposed(entries(q)), shift(v)),
            ],
            number="§6.7 (1), (2), (8)",
            text="p_B = m_Bv_B, M_B = I_Bω_B, p_S = Rp_B = m_BRv_B, M_S = RM_B = RI_Bω_B, Ṫ = v_S = Rv_B",
        ),
        Equation(
            "their rates",
            left=lambda q, v, p: [getattr(v, f"P{k}") for k in range(6)] + rates(q, v, p) + rates(q, v, p),
            right=lambda q, v, p: [*rates(q, v, p), *by_omega(q, v, p), *[0.0] * 6],
            number="§6.7 (3), (4)",
            text="ṗ_S = m_BṘv_B + m_BRv̇_B = R(m_Bω_B × v_B + m_Bv̇_B) = 0, "
            "Ṁ_S = ṘI_Bω_B + RI_Bω̇_B = R(ω_B × (I_Bω_B) + I_Bω̇_B) = 0",
        ),
        Equation(
            "Euler-Newton equations with a full inertia matrix",
            left=lambda v, p: [*in_body(v), *spin(v, p)],
            right=lambda q, p: [*cross(in_body(q), vector(q)), *cross(spin(q, p), vector(q))],
            number="(6.7), §6.8 (2)",
            text="v̇_B = v_B × ω_B, I_Bω̇_B = (I_Bω_B) × ω_B",
        ),
    ],
    system=system_of("four free points about their centre of mass", centred, weight=False),
    quantities=ROTATION
    | OMEGA
    | {f"b{k}": lambda q, v, k=k: apply(transposed(matrix(q)), shift(v))[k] for k in N}
    | {f"P{k}": lambda q, v, p, k=k: sums(q, v, p)[k] for k in range(6)},
    spread=0.3,
    **HERE,
)
system = energies.system
start = g.Start(q=HERE["q"], v=HERE["v"])
equations = [energies, newton]
