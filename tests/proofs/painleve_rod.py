"""The other claims of scenarios/painleve_rod.py.

A homogeneous rod (mass m = 1 kg, half-length l = 1 m, J = ml²/3, gravity g = 9.81 m/s²) slides with one tip on the
floor. x and z are the place of its centre in m, θ is its angle with the floor in rad, μ the coefficient of friction; it
leans away from where the tip slips (σ = −1). With the normal force p the tip's height obeys

    g̈ = A p + b,   A = 1/m + (l²/J) cos θ (cos θ − μ sin θ),   b = l θ̇² sin θ − g,   p ≥ 0, g̈ ≥ 0, p g̈ = 0.

A > 0: one solution, p = −b/A or 0. A < 0 and b < 0: none, though the state is regular and all forces are finite. A < 0
and b > 0: two, p = 0 and p = −b/A. A vanishes at the critical coefficient

    μ*(θ) = (1 + 3 cos² θ)/(3 sin θ cos θ),   least at tan θ = 2, where it is 4/3.

*Przeborski's sentence*, that at a regular position the motion makes the Zwang least whatever the constraints are made
of, holds in this form: count the friction force t as applied; then the acceleration minimises ½|a − M⁻¹(f + Tᵀt)|²_M
over g̈ ≥ 0. Indeed M a = f + Tᵀt + Nᵀp with p ≥ 0, g̈ ≥ 0, p g̈ = 0 are the conditions of this minimum. But t depends on
p, and so on the minimum itself. The sentence is true of every solution; it does not say that there is one, nor that
there is only one, and regularity does not help. With the Zwang of the applied forces alone the least one is attained
without friction, so the sentence as printed is wrong wherever friction acts.
"""

from dataclasses import replace
from functools import cache

import numpy as np

import gauss as g
from gauss.contact import contact_problem, critical_coefficient, friction_matrix, least_zwang, solve_contacts
from scenarios.painleve_rod import STEEP, G, L, M, system

ANGLES = np.radians(np.linspace(3.0, 87.0, 36))
COEFFICIENTS = np.linspace(0.05, 4.0, 30)
TURNING = (0.0, 4.0)  # rad/s, of the two maps: b < 0 everywhere; b > 0 above θ = 37.8°


def rod(inertia):
    return g.System(
        "rod on a floor with friction",
        coordinates="x z theta",
        kinetic_energy=lambda v: 0.5 * (M * (v.x**2 + v.z**2) + inertia * v.theta**2),
        potential_energy=lambda q: M * G * q.z,
        parameters={"mu": 2.0},
        constraints=[
            g.Unilateral(
                "floor",
                lambda q: q.z - L * g.sin(q.theta),
                friction=g.Coulomb("mu", lambda q, v: v.x + L * g.sin(q.theta) * v.theta),
            )
        ],
    )


HOMOGENEOUS = M * L**2 / 3  # kg m²


def state(angle, turning, slip=-1.0):
    """q and v with the tip on the floor, which slips with `slip` in m/s."""
    c, s = np.cos(angle), np.sin(angle)
    return [0.0, L * s, angle], [slip - L * s * turning, L * c * turning, turning]


@cache
def frozen(angle, turning, slip=-1.0):
    return contact_problem(system, *state(angle, turning, slip))


def problem_at(angle, turning, mu, slip=-1.0):
    return replace(frozen(angle, turning, slip), static=np.array([mu]), kinetic=np.array([mu]))


def by_hand(angle, turning, mu, slip=-1.0):
    """A and b of the docstring."""
    c, s = np.cos(angle), np.sin(angle)
    return 1 / M + L**2 / HOMOGENEOUS * c * (c + slip * mu * s), L * turning**2 * s - G


def critical(angle):
    c, s = np.cos(angle), np.sin(angle)
    return (1 + 3 * c * c) / (3 * s * c)


def expected(angle, turning, mu):
    A, b = by_hand(angle, turning, mu)
    return "one" if A > 0 else "none" if b < 0 else "several"


@cache
def maps():
    """The verdicts (2, angles, coefficients) of the two maps, by enumeration of all modes."""
    return np.array(
        [
            [[solve_contacts(problem_at(angle, w, mu)).verdict for mu in COEFFICIENTS] for angle in ANGLES]
            for w in TURNING
        ]
    )


def wrong_on_the_maps():
    return sum(
        maps()[i, j, k] != expected(angle, w, mu)
        for i, w in enumerate(TURNING)
        for j, angle in enumerate(ANGLES)
        for k, mu in enumerate(COEFFICIENTS)
    )


def boundary_error():
    """Worst relative error of the critical coefficient at the angles of the map."""
    return max(abs(critical_coefficient(frozen(x, 0.0)) / critical(x) - 1.0) for x in ANGLES)


def bisection_error():
    """Worst distance between μ*(θ) and where the verdict stops being "one", found by bisection of the verdict alone."""
    worst = 0.0
    for angle in (0.5, STEEP, 1.35):
        low, high = 0.0, 2.0 * critical(angle)
        while high - low > 1e-10:
            mid = (low + high) / 2
            unique = solve_contacts(problem_at(angle, 0.0, mid)).verdict == "one"
            low, high = (mid, high) if unique else (low, mid)
        worst = max(worst, abs(low - critical(angle)))
    return worst


def other_rods():
    """Error of the least critical coefficient 2√(κ(1 + κ)) of rods with J = κ m l², at tan² θ = (1 + κ)/κ."""
    worst = 0.0
    for kappa in (0.05, 1 / 3, 1.0):
        place = float(np.arctan(np.sqrt((1 + kappa) / kappa)))
        other, found = rod(kappa * M * L**2), []
        for angle in (place - 1e-3, place, place + 1e-3):
            found.append(critical_coefficient(contact_problem(other, *state(angle, 0.0))))
        least = 2 * np.sqrt(kappa * (1 + kappa))
        worst = max(worst, abs(found[1] / least - 1.0) if found[1] < min(found[0], found[2]) else np.inf)
    return worst


def stewart():
    """The two states that Drake's rod example (after D. Stewart, 2000) calls inconsistent: J = 1 kg m², μ = 1000."""
    r, other = np.sqrt(0.5), rod(1.0)
    wrong = 0.0
    for q, v in (((r, r, np.pi / 4), (-1, 0, 0)), ((-r, r, 3 * np.pi / 4), (1, 0, 0))):
        problem = replace(contact_problem(other, q, v), static=np.array([1000.0]), kinetic=np.array([1000.0]))
        A, b = friction_matrix(problem)
        exact = abs(A[0, 0] + 498.5) < 1e-9 and abs(b[0] + 9.81) < 1e-9
        wrong += not exact or solve_contacts(problem).verdict != "none"
        wrong += solve_contacts(contact_problem(other, q)).verdict != "one"
    return wrong


@cache
def at_random():
    """200 states and coefficients: (number of solutions, regular, error of the minimum, error of p, distance)."""
    rng = np.random.default_rng(8)
    rows = []
    for _ in range(200):
        angle, mu = float(rng.uniform(0.1, 1.5)), float(rng.uniform(0.0, 4.0))
        turning, slip = float(rng.uniform(-7.0, 7.0)), float(rng.choice([-1.0, 1.0]))
        problem = problem_at(angle, turning, mu, slip)
        found = solve_contacts(problem).solutions
        A, b = by_hand(angle, turning, mu, slip)
        wanted = sorted(([-b / A] if -b / A > 0 else []) + ([0.0] if b > 0 else []))
        p = sorted(s.normal[0, 0] for s in found)
        size = G + L * turning**2
        minimum = [np.max(np.abs(least_zwang(problem, s.tangential[0]).a - s.a)) for s in found]
        load = max([size, *p])
        smooth = least_zwang(problem, [0.0]).a
        apart = [np.max(np.abs(s.a - smooth)) / size for s in found if s.tangential[0, 0] != 0.0]
        off = np.max(np.abs(np.array(p) - wanted), initial=0.0) / load if len(p) == len(wanted) else np.inf
        regular = g.uniqueness.diagnose(
            g.principle.GaussProblem.at(system, system.state(*state(angle, turning, slip)))
        ).regular
        rows.append((len(found), regular, max(minimum, default=0.0) / load, off, min(apart, default=np.inf)))
    return np.array(rows, dtype=float)


def claims(step):
    count, regular, minimum, off, apart = at_random().T
    seen = sorted(set(count.astype(int)))
    rounding = "rounding"
    return [
        g.Claim("the boundary of the map follows its closed form", boundary_error(), 1e-12, rounding),
        g.Claim(
            "bisection of the verdict alone finds it too",
            bisection_error(),
            1e-9,
            "bisection to 1e-10, rank tolerance 1e-11",
        ),
        g.Claim(
            "rods with J = κ m l²: least at tan² θ = (1 + κ)/κ, where it is 2√(κ(1 + κ))", other_rods(), 1e-12, rounding
        ),
        g.Claim(f"all {maps().size} verdicts of both maps are those of A and b", wrong_on_the_maps(), 0.0, "count"),
        g.Claim("Stewart's two rod states are inconsistent, but not at rest", stewart(), 0.0, "count"),
        g.Claim(
            "200 random states are all regular, and have 0, 1 and 2 solutions",
            float(seen != [0, 1, 2] or not np.all(regular)),
        ),
        g.Claim("their normal forces are −b/A and 0", float(np.max(off)), 1e-10, "rounding over A, at least 1e-3"),
        g.Claim(
            "every solution makes the Zwang of what friction leaves least",
            float(np.max(minimum)),
            1e-9,
            "rounding of the quadratic program, relative to the load",
        ),
        g.Claim("and none with friction makes that of the applied forces least", float(not np.min(apart) > 1e-6)),
    ]
