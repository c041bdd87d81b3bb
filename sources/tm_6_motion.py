"""Printed equations of TM §6.1–6.4 and exercise 6.4: displacements, elementary rotations, Euler angles, velocity.

Rotations are compared with Rodrigues's formula, rates of the rotation matrix with those that the angles have along
arbitrary motions. The system only supplies states; what is stated is kinematics.
"""

import gauss as g
from gauss.sources import Equation, Printed

N = range(3)


def multiply(A, B):
    return [[sum(a * B[k][j] for k, a in enumerate(row)) for j in range(len(B[0]))] for row in A]


def transposed(A):
    return [list(column) for column in zip(*A, strict=True)]


def apply(A, u):
    return [sum(a * x for a, x in zip(row, u, strict=True)) for row in A]


def flat(*matrices):
    return [x for A in matrices for row in A for x in row]


def added(A, B):
    return [[a + b for a, b in zip(r, s, strict=True)] for r, s in zip(A, B, strict=True)]


def cross(a, b):
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]


def unit(n=3):
    return [[float(i == j) for j in range(n)] for i in range(n)]


def about_x(a):
    return [[1, 0, 0], [0, g.cos(a), -g.sin(a)], [0, g.sin(a), g.cos(a)]]


def about_y(b):
    return [[g.cos(b), 0, g.sin(b)], [0, 1, 0], [-g.sin(b), 0, g.cos(b)]]


def about_z(c):
    return [[g.cos(c), -g.sin(c), 0], [g.sin(c), g.cos(c), 0], [0, 0, 1]]


def rodrigues(axis, angle, u):
    """u turned by an angle about a unit vector."""
    e = unit()[axis]
    along = sum(x * y for x, y in zip(e, u, strict=True))
    return [u[k] * g.cos(angle) + cross(e, u)[k] * g.sin(angle) + e[k] * along * (1 - g.cos(angle)) for k in N]


def euler(phi, theta, psi):
    """E(φ, θ, ψ), as it is printed."""
    cf, sf, ct, st, cp, sp = g.cos(phi), g.sin(phi), g.cos(theta), g.sin(theta), g.cos(psi), g.sin(psi)
    return [
        [cf * ct * cp - sf * sp, -cf * ct * sp - sf * cp, cf * st],
        [sf * ct * cp + cf * sp, -sf * ct * sp + cf * cp, sf * st],
        [-st * cp, st * sp, ct],
    ]


def displacement(R, T):
    """A of (6.1)."""
    return [*([*row, t] for row, t in zip(R, T, strict=True)), [0, 0, 0, 1]]


def numbers(q, names):
    return [getattr(q, name) for name in names.split()]


def one(q):
    return euler(*numbers(q, "a1 a2 a3")), numbers(q, "t1 t2 t3")


def other(q):
    return euler(*numbers(q, "b1 b2 b3")), numbers(q, "s1 s2 s3")


def square(u):
    return sum(x * x for x in u)


def ends(q):
    """Two points of the body, w and u, in the body and in space."""
    R, T = one(q)
    inside = numbers(q, "s1 s2 s3"), numbers(q, "b1 b2 b3")
    return inside, [[x + t for x, t in zip(apply(R, r), T, strict=True)] for r in inside]


displacements = Printed(
    "TM §6.1–6.3",
    [
        Equation(
            "distances in the body",
            left=lambda q: square([x - y for x, y in zip(*ends(q)[1], strict=True)]),
            right=lambda q: square([x - y for x, y in zip(*ends(q)[0], strict=True)]),
            number="§6.1, text",
            text="|u − w| is kept by a displacement",
        ),
        Equation(
            "homogeneous coordinates",
            left=lambda q: apply(displacement(*one(q)), [*numbers(q, "s1 s2 s3"), 1]),
            right=lambda q: [
                *(x + t for x, t in zip(apply(one(q)[0], numbers(q, "s1 s2 s3")), one(q)[1], strict=True)),
                1,
            ],
            number="(6.1), §6.1 (1)",
            text="(s, 1) = [R, T; 0ᵀ, 1](r, 1) = (Rr + T, 1)",
        ),
        Equation(
            "product of displacements",
            left=lambda q: flat(multiply(displacement(*one(q)), displacement(*other(q)))),
            right=lambda q: flat(
                displacement(
                    multiply(one(q)[0], other(q)[0]),
                    [x + t for x, t in zip(apply(one(q)[0], other(q)[1]), one(q)[1], strict=True)],
                )
            ),
            number="§6.1 (2), (3)",
            text="A₁A₂ = [R₁R₂, R₁T₂ + T₁; 0ᵀ, 1]",
        ),
        Equation(
            "inverse displacement",
            left=lambda q: flat(
                multiply(
                    displacement(*one(q)),
                    displacement(transposed(one(q)[0]), [-x for x in apply(transposed(one(q)[0]), one(q)[1])]),
                )
            ),
            right=lambda: flat(unit(4)),
            number="§6.1 (4)",
            text="A⁻¹ = [Rᵀ, −RᵀT; 0ᵀ, 1]",
        ),
        Equation(
            "elementary rotations, by Rodrigues's formula",
            left=lambda q: [
                x for turn in (about_x(q.a1), about_y(q.a1), about_z(q.a1)) for x in apply(turn, numbers(q, "s1 s2 s3"))
            ],
            right=lambda q: [x for k in N for x in rodrigues(k, q.a1, numbers(q, "s1 s2 s3"))],
            number="§6.2 (1), (2), Ex. 6.2",
            text="R(X, α) = [1, 0, 0; 0, cos α, −sin α; 0, sin α, cos α], R(Y, β) = [cos β, 0, sin β; 0, 1, 0; "
            "−sin β, 0, cos β], R(Z, γ) = [cos γ, −sin γ, 0; sin γ, cos γ, 0; 0, 0, 1]",
        ),
        Equation(
            "Euler angles ZYZ",
            left=lambda q: flat(multiply(multiply(about_z(q.a1), about_y(q.a2)), about_z(q.a3))),
            right=lambda q: flat(one(q)[0]),
            number="§6.3 (2)",
            text="R = R(Z, φ)R(Y, θ)R(Z, ψ) = E(φ, θ, ψ) = [cos φ cos θ cos ψ − sin φ sin ψ, …]",
        ),
    ],
    ranges=dict.fromkeys(("a1", "a2", "a3", "b1", "b2", "b3"), (0.3, 1.2))
    | dict.fromkeys(("t1", "t2", "t3", "s1", "s2", "s3"), (-2.0, 2.0)),
)


def entries(s):
    """R or Ṙ from the quantities R00 … R22."""
    return [[getattr(s, f"R{i}{j}") for j in N] for i in N]


def in_space(q, v):
    """Ω_S = ṘRᵀ."""
    return multiply(entries(v), transposed(entries(q)))


def in_body(q, v):
    """Ω_B = RᵀṘ."""
    return multiply(transposed(entries(q)), entries(v))


def hat(w):
    """[ω], as it is printed."""
    return [[0, -w[2], w[1]], [w[2], 0, -w[0]], [-w[1], w[0], 0]]


def vector(skew):
    return [skew[2][1], skew[0][2], skew[1][0]]


def velocity(q, v):
    """ω_B = M_E ė, as it is printed."""
    return [
        -g.sin(q.theta) * g.cos(q.psi) * v.phi + g.sin(q.psi) * v.theta,
        g.sin(q.theta) * g.sin(q.psi) * v.phi + g.cos(q.psi) * v.theta,
        g.cos(q.theta) * v.phi + v.psi,
    ]


def free(v):
    """An arbitrary vector: the velocity of the body's origin."""
    return [v.x, v.y, v.z]


motion = Printed(
    "TM §6.4",
    [
        Equation(
            "orthogonality",
            left=lambda q: flat(
                multiply(entries(q), transposed(entries(q))), multiply(transposed(entries(q)), entries(q))
            ),
            right=lambda: flat(unit(), unit()),
            number="§6.4 (2)",
            text="RRᵀ = RᵀR = I₃",
        ),
        Equation(
            "differentiated",
            left=lambda q, v: flat(
                added(in_space(q, v), multiply(entries(q), transposed(entries(v)))),
                added(multiply(transposed(entries(v)), entries(q)), in_body(q, v)),
            ),
            number="(6.2), §6.4 (5)",
            text="ṘRᵀ + RṘᵀ = ṘᵀR + RᵀṘ = 0, Ω + Ωᵀ = 0",
        ),
        Equation(
            "rate of the rotation",
            left=lambda v: flat(entries(v), entries(v)),
            right=lambda q, v: flat(multiply(in_space(q, v), entries(q)), multiply(entries(q), in_body(q, v))),
            number="§6.4 (3)",
            text="Ṙ = Ω_S R = RΩ_B, Ω_S = ṘRᵀ, Ω_B = RᵀṘ",
        ),
        Equation(
            "matrices of the angular velocity",
            left=lambda q, v: flat(in_space(q, v)),
            right=lambda q, v: flat(multiply(multiply(entries(q), in_body(q, v)), transposed(entries(q)))),
            number="§6.4 (4)",
            text="Ω_S = RΩ_BRᵀ",
        ),
        Equation(
            "skew matrix of a vector",
            left=lambda q, v: apply(hat([q.x, q.y, q.z]), free(v)),
            right=lambda q, v: cross([q.x, q.y, q.z], free(v)),
            number="§6.4 (6), (7)",
            text="Ω = [ω] = [0, −ω₃, ω₂; ω₃, 0, −ω₁; −ω₂, ω₁, 0], Ωv = ω × v",
        ),
        Equation(
            "vectors of the angular velocity",
            left=lambda q, v: [
                *flat(in_space(q, v), in_body(q, v)),
                *vector(in_space(q, v)),
            ],
            right=lambda q, v: [
                *flat(hat(vector(in_space(q, v))), hat(vector(in_body(q, v)))),
                *apply(entries(q), vector(in_body(q, v))),
            ],
            number="§6.4 (8), (9)",
            text="Ω_S = [ω_S], Ω_B = [ω_B], ω_S = Rω_B",
        ),
        Equation(
            "angular velocity in the body by the rates of the Euler angles",
            left=lambda q, v: flat(in_body(q, v)),
            right=lambda q, v: flat(hat(velocity(q, v))),
            number="(6.3), matrices",
            text="EᵀĖ = [ω_B], ω_B = M_E ė",
        ),
        Equation(
            "skew matrix of a turned vector",
            left=lambda q, v: flat(multiply(multiply(entries(q), hat(free(v))), transposed(entries(q)))),
            right=lambda q, v: flat(hat(apply(entries(q), free(v)))),
            number="Ex. 6.3",
            text="R[ω]Rᵀ = [Rω]",
        ),
    ],
    system=g.System(
        "body",
        coordinates="x y z phi theta psi",
        kinetic_energy=lambda v: (v.x**2 + v.y**2 + v.z**2 + v.phi**2 + v.theta**2 + v.psi**2) / 2,
    ),
    q=[0.3, -0.5, 0.7, 0.4, 1.1, 0.3],
    v=[0.3, -0.2, 0.1, 0.7, -0.4, 0.9],
    quantities={f"R{i}{j}": lambda q, i=i, j=j: euler(q.phi, q.theta, q.psi)[i][j] for i in N for j in N},
)
POINTS = ((1.3, (0.5, 0.2, -0.3)), (0.7, (-0.4, 0.7, 0.1)), (2.0, (0.3, -0.6, 0.8)))  # kg, m in the body
SHOWN = ((0, 0), (0, 1), (1, 2))  # entries of J_S that are compared


def steiner(q, last):
    """The generalized formula of Steiner for entries of J_S, with its last term m_B·last."""
    R, T = entries(q), [q.x, q.y, q.z]
    J = [[sum(m * r[i] * r[j] for m, r in POINTS) for j in N] for i in N]
    turned = multiply(multiply(R, J), transposed(R))
    centre = apply(R, [sum(m * r[k] for m, r in POINTS) for k in N])
    mass = sum(m for m, _ in POINTS)
    return [turned[i][j] + centre[i] * T[j] + T[i] * centre[j] + mass * last[i][j] for i, j in SHOWN]


def summed(q):
    """The same entries of Σ m s sᵀ over the points in space."""
    R = euler(q.phi, q.theta, q.psi)
    seen = [(m, [x + t for x, t in zip(apply(R, r), (q.x, q.y, q.z), strict=True)]) for m, r in POINTS]
    return [sum(m * s[i] * s[j] for m, s in seen) for i, j in SHOWN]


pseudo_inertia = Printed(
    "TM Ex. 6.4",
    [
        Equation(
            "pseudo-inertia in space",
            left=summed,
            right=lambda q: steiner(q, [[square([q.x, q.y, q.z]) * float(i == j) for j in N] for i in N]),
            correct=(summed, lambda q: steiner(q, [[a * b for b in (q.x, q.y, q.z)] for a in (q.x, q.y, q.z)])),
            number="Ex. 6.4",
            text="J_S = RJ_BRᵀ + m_B(Rr_BTᵀ + Tr_BᵀRᵀ) + m_B|T|²",
            remark="the last term must be the matrix m_BTTᵀ (the printed number is read as m_B|T|²I₃)",
        )
    ],
    ranges=dict.fromkeys(("x", "y", "z", "phi", "theta", "psi"), (0.3, 1.2)),
    quantities=motion.quantities,
)
system = motion.system
start = g.Start(q=motion.q, v=motion.v)
equations = [displacements, motion, pseudo_inertia]
