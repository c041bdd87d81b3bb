"""The other claims of scenarios/free_body.py.

Six masses of 0.5 kg sit in pairs on the axes of a body, 0.40 m, 0.30 m and 0.15 m from its centre. The coordinates are
the centre (m) and the nine entries of the rotation matrix R, kept by six rows RᵀR = 1. No force acts. With the second
moment K₀ = Σ m b ⊗ b (kg m²) the source has

    R̈K₀ = RΛ,   RᵀR = 1,   K(t) = R K₀ Rᵀ = ½ tr(J) 1 − J

for the tensor of inertia J(t) about the centre; Λ holds the multipliers (those of the diagonal rows twice), it is
negative semidefinite (lemma 2), and RΛRᵀ is minus the integral of Cauchy's stress over the body.

Known answers: Euler's equations J₀ω̇ = J₀ω × ω, conserved energy T and angular momentum h, and Jacobi's functions: for
moments A < B < C and a motion started close to the middle axis with h² < 2TB, the body turns over every 2K(k)/n,

    n² = (B − A)(2TC − h²)/(ABC),   k² = (C − B)(h² − 2TA)/((B − A)(2TC − h²))

(A and C change places where h² > 2TB). In Euler's angles ZYZ the Lagrangian is that of a free body (T14). A symmetric
body with the axis z₀ has the closed form

    R(t) = exp t[ω₀ + (C/B − 1)⟨z₀, ω₀⟩z₀] exp −t[(C/B − 1)⟨z₀, ω₀⟩z₀],

[w]x = w × x, J = B1 + (C − B) z₀ ⊗ z₀. (The source prints ω₀ in place of z₀ in the second exponential.)
"""

import numpy as np
from scipy.integrate import solve_ivp

import gauss as g
from gauss import bodies as mb
from scenarios.free_body import AT, GROWTH, J0, K0, MASS, OMEGA, POINTS, SPEED, angular_velocity, body, free, start


def hat(w):
    return np.array([[0.0, -w[2], w[1]], [w[2], 0.0, -w[0]], [-w[1], w[0], 0.0]])


def matrix(run, prefix="", of=body):
    """R, Ṙ ("d_") or R̈ ("dd_") along a run, (N, 3, 3)."""
    return np.array([[run[f"{prefix}{of.name}_R{i}{j}"] for j in (1, 2, 3)] for i in (1, 2, 3)]).transpose(2, 0, 1)


# ---------------------------------------------------------------- the same body in Euler's angles


def entries(s):
    """R of the angles ZYZ, row by row, as TM §6.3 has it."""
    f, t, p = s
    cf, sf, ct, st, cp, sp = g.cos(f), g.sin(f), g.cos(t), g.sin(t), g.cos(p), g.sin(p)
    return [
        *(cf * ct * cp - sf * sp, -cf * ct * sp - sf * cp, cf * st),
        *(sf * ct * cp + cf * sp, -sf * ct * sp + cf * cp, sf * st),
        *(-st * cp, st * sp, ct),
    ]


def lagrangian(s, s_dot, t):
    """½ωᵀJω + ½m|ẋ|² with ω by (6.3)."""
    _, _, _, _, theta, psi = s
    *speed, d_phi, d_theta, d_psi = s_dot
    omega = [
        -g.sin(theta) * g.cos(psi) * d_phi + g.sin(psi) * d_theta,
        g.sin(theta) * g.sin(psi) * d_phi + g.cos(psi) * d_theta,
        g.cos(theta) * d_phi + d_psi,
    ]
    turning = sum(J * w**2 for J, w in zip(J0, omega, strict=True)) / 2
    return turning + 3 * MASS * sum(x**2 for x in speed)


def angles(q, v, t):
    """Angles and their rates from the third column and the third row of R."""
    R, W = np.reshape(q[3:], (3, 3)), np.reshape(v[3:], (3, 3))
    sine = R[0, 2] ** 2 + R[1, 2] ** 2
    s = [g.atan2(R[1, 2], R[0, 2]), g.acos(R[2, 2]), g.atan2(R[2, 1], -R[2, 0])]
    rates = [
        (R[0, 2] * W[1, 2] - R[1, 2] * W[0, 2]) / sine,
        -W[2, 2] / g.sqrt(sine),
        (R[2, 1] * W[2, 0] - R[2, 0] * W[2, 1]) / sine,
    ]
    return [*q[:3], *s], [*v[:3], *rates]


minimal = g.Minimal(
    lagrangian=lagrangian,
    chart=lambda s, t: [*s[:3], *entries(s[3:])],
    inverse=angles,
    text="the centre and Euler's angles ZYZ",
)


# ---------------------------------------------------------------- known answers


def by_euler(times):
    """ω (N, 3) from Euler's equations, integrated by SciPy."""

    def rates(t, w):
        return np.cross(J0 * w, w) / J0

    return solve_ivp(rates, (0.0, times[-1]), OMEGA, "DOP853", t_eval=times, rtol=1e-13, atol=1e-14).y.T


def symmetric_error():
    """Largest error of R against the closed form, for a symmetric body with an inclined axis through 100 turns."""
    z, B, C, omega = np.array([2.0, -1.0, 2.0]) / 3.0, 1.2, 0.9, np.array([0.5, 0.8, -3.0])
    top = mb.Body("s", mb.Inertia.of_tensor(2.0, B * np.eye(3) + (C - B) * np.outer(z, z)))
    mechanism = mb.Mechanism("symmetric body", [top], gravity=(0, 0, 0))
    q, v = mechanism.state(top.pose(angular_velocity=omega))
    rate = (C / B - 1.0) * (z @ omega)
    turning = omega + rate * z
    end = 100 * 2 * np.pi / np.linalg.norm(turning)
    run = g.simulate(mechanism.system, q, v, t_end=end, rtol=1e-14, atol=1e-15, progress="none")
    spin = np.linalg.norm(turning)
    exact = [mb.about(turning, t * spin) @ mb.about(z, -t * rate) for t in run.t]  # expm errs by 8e-12 at the end
    return float(np.max(np.abs(matrix(run, of=top) - exact)))


def lemma_1(run):
    """R K₀ Rᵀ against ½tr(J)1 − J of the six masses where they are, relative."""
    centre = np.array([run[f"b_{x}"] for x in "xyz"]).T
    places = np.array([np.array(body.placed(run).point(at)).T - centre for at in POINTS])  # (6, N, 3)
    square = np.einsum("pni,pni->n", places, places)
    J = MASS * (square[:, None, None] * np.eye(3) - np.einsum("pni,pnj->nij", places, places))
    K = np.einsum("nij,jk,nlk->nil", matrix(run), K0, matrix(run))
    return g.relative(K, np.trace(J, axis1=1, axis2=2)[:, None, None] / 2 * np.eye(3) - J)


def property_3(run):
    """∫σ dv = −RΛRᵀ against −Σ m ẍ ⊗ x of the six masses, which bars without mass hold together, relative."""
    accelerations = {name: run[f"dd_{name}"] for name in body.coordinates}
    pulls = np.zeros((len(run), 3, 3))
    for at in POINTS:
        x, rate = np.array(body.placed(run).direction(at)), np.array(body.placed(accelerations).point(at))
        pulls -= MASS * np.einsum("in,jn->nij", rate, x)
    return g.relative(mb.stress(free, run, body), pulls)


@g.needs(start.t_end)
def claims(run):
    R, omega = matrix(run), angular_velocity(run)
    momentum = np.einsum("nij,nj->ni", R, J0 * omega)
    Lambda = free.multiplier_matrix(run, body)
    rates = np.cross(J0 * omega, omega) / J0
    exact = np.array([(hat(w) @ hat(w) + hat(r)) @ K0 for w, r in zip(omega, rates, strict=True)])
    grown = len(run) * start.rtol * GROWTH
    steps = "N steps that err by rtol each"
    return [
        g.Claim("ω follows Euler's equations", g.relative(omega, by_euler(run.t)), grown, f"{steps}, times {GROWTH:g}"),
        g.Claim(
            "angular momentum is kept, in size and direction",
            g.relative(momentum, momentum[:1]),
            len(run) * start.rtol,
            steps,
        ),
        g.Claim(
            "the centre moves on a straight line",
            g.relative(run.q[:, :3], AT + np.outer(run.t, SPEED)),
            len(run) * start.rtol,
            steps,
        ),
        g.Claim("lemma 1: R K₀ Rᵀ = ½tr(J)1 − J of the masses in space", lemma_1(run), 1e-12, "rounding"),
        g.Claim("Λ = ([ω]² + [ω̇])K₀", g.relative(Lambda, exact), 1e-11, "rounding; ω̇ by Euler's equations"),
        g.Claim("property 3: −RΛRᵀ = −Σ m ẍ ⊗ x of the masses", property_3(run), 1e-11, "rounding"),
        g.Claim("a symmetric body turns by the closed form", symmetric_error(), 1e-10, "a hundred turns; rtol 1e-14"),
    ]
