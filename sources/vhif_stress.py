"""Printed equations of VHIF §1 on Λ: eigenvalues (lemma 2) and the stress in the body (property 3).

Property 3 is tested on a body whose stress is known: four unequal masses in Cartesian coordinates, joined by six bars.
The integral of Cauchy's stress over a bar is its tension times its length, along its direction; the tensions are
multipliers. R is that of the tetrahedron of the masses, O their mass centre, and no force acts from outside. Signs and
eigenvalues of lemma 2 are identities in ω and the principal values k of K₀, with Λ by Euler's equations.
"""

import itertools

import numpy as np

import gauss as g
from gauss.sources import Equation, Printed

AXES = (1, 2, 3)
NODES = (0, 1, 2, 3)
BARS = tuple(itertools.combinations(NODES, 2))
PLACES = np.array([[0.6, -0.3, 0.2], [-0.4, 0.7, 0.1], [0.3, 0.2, -0.8], [-0.5, -0.6, 0.4]])  # m, at the start
MASSES = np.array([0.7, 0.4, 0.9, 0.5])  # kg
START = PLACES - MASSES @ PLACES / np.sum(MASSES)  # b₀ (4, 3), from the mass centre
EDGES = np.linalg.inv((START[1:] - START[0]).T)  # R = (edges now) EDGES
K0 = sum(m * np.outer(b, b) for m, b in zip(MASSES, START))
OMEGA = np.array([0.7, -0.4, 0.9])  # rad/s


def point(q, i):
    return [q[f"{x}{i}"] for x in "xyz"]


def squared(a):
    return sum(x**2 for x in a)


def bar(q, i, j):
    return [x - y for x, y in zip(point(q, i), point(q, j))]


system = g.System(
    "four masses joined by six bars",
    coordinates=" ".join(f"{x}{i}" for i in NODES for x in "xyz"),
    kinetic_energy=lambda v: sum(m * squared(point(v, i)) / 2 for m, i in zip(MASSES, NODES)),
    constraints=[
        g.Holonomic("bars", lambda q: [squared(bar(q, i, j)) - squared(START[i] - START[j]) for i, j in BARS])
    ],
)
start = g.Start(q=START.ravel(), v=np.cross(OMEGA, START).ravel())


def entry(i, j):
    """R_ij as a function of the coordinates."""
    return lambda q: sum(bar(q, k, 0)[i] * EDGES[k - 1, j] for k in NODES[1:])


def matrix(q):
    """R, Ṙ or R̈ (3, 3)."""
    return np.array([[q[f"R{i}{j}"] for j in AXES] for i in AXES])


def variation(p):
    """δR (3, 3)."""
    return np.array([[p[f"D{i}{j}"] for j in AXES] for i in AXES])


def pull(q, l, k):
    """Tension of bar k over its length."""
    return -2 * l[k]


def stress(q, l):
    """∫σ dv (3, 3)."""
    arrows = [np.array(bar(q, i, j)) for i, j in BARS]
    return sum(pull(q, l, k) * np.outer(e, e) for k, e in enumerate(arrows))


def multipliers(q, a):
    """Λ (3, 3) of R̈K₀ = RΛ."""
    return matrix(q).T @ matrix(a) @ K0


def flat(array):
    return list(np.ravel(array))


def inner_work(q, l, p):
    """Virtual work of the tensions for δr = δRb₀: tension times change of length."""
    changes = [variation(p) @ (START[i] - START[j]) for i, j in BARS]
    return sum(pull(q, l, k) * (np.array(bar(q, i, j)) @ changes[k]) for k, (i, j) in enumerate(BARS))


def inertia_work(a, p):
    """Σ m⟨r̈, δr⟩ for δr = δRb₀."""
    moved = [variation(p) @ b for b in START]
    return sum(m * (np.array(point(a, i)) @ d) for m, i, d in zip(MASSES, NODES, moved))


inside = Printed(
    "VHIF",
    [
        Equation(
            "Λ is symmetric",
            left=lambda q, a: [multipliers(q, a)[i][j] for i, j in ((0, 1), (0, 2), (1, 2))],
            right=lambda q, a: [multipliers(q, a)[j][i] for i, j in ((0, 1), (0, 2), (1, 2))],
            number="§1, lemma 2 (1)",
            text="R̈K₀ = RΛ, RᵀR = I, Λ symmetric",
        ),
        Equation(
            "Λ and the stress",
            left=lambda q, a: flat(multipliers(q, a)),
            right=lambda q, l: flat(-matrix(q).T @ stress(q, l) @ matrix(q)),
            number="§1, property 3",
            text="Λ = −Rᵀ(∫σ dv)R",
        ),
        Equation(
            "virtual work of the stress by the displacement",
            left=inner_work,
            right=lambda q, l, p: np.trace(stress(q, l) @ (variation(p) @ matrix(q).T)),
            number="§1, property 3 (2)",
            text="T_iᵛ = ∫tr(σ ∂δr/∂r) dv, with ∂δr/∂r = δRRᵀ",
        ),
        Equation(
            "virtual work of the stress",
            left=inner_work,
            right=lambda q, l, p: np.trace(stress(q, l) @ matrix(q) @ variation(p).T),
            number="§1, property 3 (3)",
            text="T_iᵛ = ∫tr(σRδRᵀ) dv",
        ),
        Equation(
            "virtual work of inertia",
            left=inertia_work,
            right=lambda q, l, p: -inner_work(q, l, p),
            number="§1, property 3 (1)",
            text="T_aᵛ = −T_iᵛ",
            remark="T_a is the work of mr̈ on δr; that of the inertia forces −mr̈ has the other sign",
        ),
        Equation(
            "virtual work of inertia by Λ",
            left=inertia_work,
            right=lambda q, a, p: np.trace(matrix(q) @ multipliers(q, a) @ variation(p).T),
            number="§1, property 3 (4)",
            text="T_aᵛ = tr(PδRᵀ), P = RΛ",
        ),
    ],
    system=system,
    q=start.q,
    v=start.v,
    quantities={f"R{i}{j}": entry(i - 1, j - 1) for i in AXES for j in AXES},
    parameters=dict(zip([f"D{i}{j}" for i in AXES for j in AXES], (0.4, -0.7, 0.3, 0.9, 0.2, -0.5, -0.3, 0.8, 0.6))),
    spread=0.2,
)

# --- lemma 2 ---------------------------------------------------------------------------------------------------------


def euler(q):
    """ω and ω̇ of (2.3)."""
    J = (q.k2 + q.k3, q.k1 + q.k3, q.k1 + q.k2)
    rates = [(J[1] - J[2]) * q.w2 * q.w3 / J[0], (J[2] - J[0]) * q.w3 * q.w1 / J[1], (J[0] - J[1]) * q.w1 * q.w2 / J[2]]
    return np.array([q.w1, q.w2, q.w3]), np.array(rates)


def j(w):
    return np.array([[0.0, -w[2], w[1]], [w[2], 0.0, -w[0]], [-w[1], w[0], 0.0]])


def tension(q):
    """Λ (3, 3) by the angular velocity."""
    w, w_dot = euler(q)
    return (j(w) @ j(w) + j(w_dot)) @ np.diag([q.k1, q.k2, q.k3])


def shifted(q, k):
    """An eigenvalue λ of Λ in trigonometric form, and Λ − λI (3, 3)."""
    A = tension(q)
    mean = np.trace(A) / 3
    B = A - mean * np.eye(3)
    size = g.sqrt(np.trace(B @ B) / 6)
    det = B[0] @ np.cross(B[1], B[2]) / size**3
    value = mean + 2 * size * g.cos((g.acos(det / 2) + 2 * np.pi * k) / 3)
    return value, A - value * np.eye(3)


def eigenvalue(k):
    return lambda q: shifted(q, k)[0]


def eigenvector(k, i):
    """Component i of the eigenvector, which is orthogonal to two rows of Λ − λI."""
    return lambda q: np.cross(*shifted(q, k)[1][:2])[i]


QUANTITIES = {
    **{f"lam{k}": eigenvalue(k) for k in range(3)},
    **{f"u{k}{i}": eigenvector(k, i) for k in (1, 2) for i in range(3)},
}


def vector(q, k):
    return np.array([q[f"u{k}{i}"] for i in range(3)])


def compliance(q):
    """K₀⁻¹ (3, 3)."""
    return np.diag([1 / q.k1, 1 / q.k2, 1 / q.k3])


def speed(q):
    """ṘᵀṘ (3, 3)."""
    w = j([q.w1, q.w2, q.w3])
    return w.T @ w


negative = Printed(
    "VHIF",
    [
        Equation(
            "eigenvalue by the forms",
            left=lambda q: [q[f"lam{k}"] * (vector(q, k) @ compliance(q) @ vector(q, k)) for k in (1, 2)],
            right=lambda q: [-(vector(q, k) @ speed(q) @ vector(q, k)) for k in (1, 2)],
            number="§1, lemma 2 (2)",
            text="λ⟨K₀⁻¹u, u⟩ = −⟨ṘᵀṘu, u⟩",
        ),
        Equation(
            "the two forms",
            left=lambda q: [
                (compliance(q) @ tension(q) @ vector(q, k) + tension(q) @ compliance(q) @ vector(q, k)) @ vector(q, k)
                for k in (1, 2)
            ],
            right=lambda q: [-2 * (vector(q, k) @ speed(q) @ vector(q, k)) for k in (1, 2)],
            number="§1, lemma 2 (3)",
            text="⟨K₀⁻¹Λu, u⟩ + ⟨ΛK₀⁻¹u, u⟩ = −2⟨ṘᵀṘu, u⟩",
        ),
        Equation(
            "Λ is negative",
            left=lambda q: [g.fabs(q[f"lam{k}"]) for k in range(3)],
            right=lambda q: [-q[f"lam{k}"] for k in range(3)],
            number="§1, lemma 2",
            text="Λ is negative: all its eigenvalues are",
        ),
    ],
    ranges={**dict.fromkeys(("w1", "w2", "w3"), (0.4, 1.6)), **dict.fromkeys(("k1", "k2", "k3"), (0.3, 1.5))},
    quantities=QUANTITIES,
)
equations = [inside, negative]
