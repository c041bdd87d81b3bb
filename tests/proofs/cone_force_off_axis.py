"""The other claims of scenarios/cone_force_off_axis.py.

A particle of mass 1 kg (coordinates x, y, z in m) is at rest at the apex of the cone x² + y² − z² = 0 under the force
F = (X, Y, Z) in N, parameters of the model. Let ρ = √(X² + Y²) > 0. The plane through the axis and the force cuts the
cone in two lines, and the feet of the perpendiculars from F on them are the accelerations at which the Zwang is
stationary,

    a± = ½(ρ ± Z)(X/ρ, Y/ρ, ±1),   with the Zwang (ρ ∓ Z)²/4.

The one on the side of Z has the least Zwang. The other is a local minimum if |Z| < ρ and a saddle if |Z| > ρ; at |Z|
= ρ it is the apex. For Z = 0 both have the same Zwang: Gauss's principle does not choose. Towards the axis, ρ → 0,
the azimuth of the feet is known no better than ε|F|/ρ, and on the axis the construction fails: see the scenario
cone_apex.

The answers move with the cone: turned, with a row of any scale, and with different masses along the axes, where the
cone m₁x² + m₂y² − m₃z² = 0 has the feet of the force (X/√m₁, …) divided by √mᵢ.
On an elliptic cone a force near the axis has four stationary accelerations instead of two.
"""

import numpy as np
from scipy.optimize import brentq

import gauss as g
from scenarios.cone_force_off_axis import FORCE, feet, start, system

COUNT = 100  # `validation/cone_forces.py` takes 1,000


def cone(name, shape, masses=(1.0, 1.0, 1.0)):
    """Return a particle with masses along the axes (kg) bound to xᵀ shape x = 0, its force the parameters X, Y, Z."""
    S = np.asarray(shape, dtype=float)
    return g.System(
        name,
        coordinates="x y z",
        kinetic_energy=lambda v: 0.5 * sum(m * w**2 for m, w in zip(masses, v, strict=True)),
        force=lambda p: {"x": p.X, "y": p.Y, "z": p.Z},
        constraints=[g.Holonomic("cone", lambda q: sum(S[i, j] * q[i] * q[j] for i in range(3) for j in range(3)))],
        parameters=dict(zip("XYZ", FORCE.tolist(), strict=True)),
    )


CIRCULAR = np.diag([1.0, 1.0, -1.0])


def at_apex(model, force):
    return g.accelerate(model.with_parameters(**dict(zip("XYZ", map(float, force), strict=True))), start.q)


def singles(step):
    """The candidates but the apex itself, where they are two; else an empty list."""
    found = [c for c in step.candidates if c.kind != "vertex"]
    return found if len(found) == 2 and not step.accelerations.continua else []


def error(step, force, transform=lambda a: a):
    """Distance of both candidates from the feet over |F|, of their Zwang over |F|²; infinite if they are not two."""
    found = singles(step)
    if not found:
        return np.inf, np.inf
    expected, zwang = feet(force)
    size = float(np.linalg.norm(force))
    have = np.array([transform(c.a) for c in found])
    if np.linalg.norm(have[0] - expected[0]) > np.linalg.norm(have[1] - expected[0]):
        have = have[::-1]  # equal Zwang: either order
    return (
        float(np.max(np.abs(have - expected))) / size,
        float(np.max(np.abs(np.sort([c.zwang for c in found]) - zwang))) / size**2,
    )


def kinds(step):
    """What the candidates are, by increasing Zwang."""
    return tuple(c.kind for c in singles(step))


def random_forces(count, rng):
    """Forces (count, 3) of lengths 1e-3 … 1e3 N, half of them turned towards the axis, to 1e-8 of it."""
    azimuth, size = rng.uniform(0, 2 * np.pi, count), 10.0 ** rng.uniform(-3, 3, count)
    angle = np.arccos(rng.uniform(-1, 1, count))
    near = np.arange(count) % 2 == 0
    angle[near] = 10.0 ** rng.uniform(-8, 0, count)[near]
    angle[::4] = np.pi - angle[::4]
    return size[:, None] * np.column_stack(
        [np.sin(angle) * np.cos(azimuth), np.sin(angle) * np.sin(azimuth), np.cos(angle)]
    )


def at_force(force):
    """Errors: relative to 1e-12 |F|/ρ, of the feet if ρ > 1e-3 |F|, of the Zwang; and whether the kinds are wrong."""
    step = at_apex(system, force)
    size, rho = np.linalg.norm(force), np.hypot(*force[:2])
    apart, zwang = error(step, force)
    second = "local minimum" if abs(force[2]) < rho else "saddle"
    wrong = kinds(step) != ("global minimum", second)
    return apart / (1e-12 * size / rho), apart if rho > 1e-3 * size else 0.0, zwang, float(wrong)


def rotation(seed):
    """A random rotation matrix."""
    Q, R = np.linalg.qr(np.random.default_rng(seed).normal(size=(3, 3)))
    Q = Q * np.sign(np.diag(R))
    return Q if np.linalg.det(Q) > 0 else Q[:, ::-1]


TRIALS = np.array([[3.0, 4.0, -8.0], [3.0, 4.0, -2.0], [0.5, -0.2, 0.3], [1e-4, 2e-4, 7.0]])


def transformed():
    """Worst relative errors for turned cones, for rows of other scales, and for unequal masses."""
    turned = scaled = weighted = 0.0
    for seed in range(3):
        R = rotation(seed)
        model = cone("turned cone", R @ CIRCULAR @ R.T)
        turned = max(turned, max(error(at_apex(model, R @ F), F, lambda a, R=R: R.T @ a)[0] for F in TRIALS))
    for factor in (1e-8, -3.0, 1e8):
        model = cone("scaled cone", factor * CIRCULAR)
        scaled = max(scaled, max(error(at_apex(model, F), F)[0] for F in TRIALS))
    for masses in ((4.0, 0.25, 9.0), (1.0, 1.0, 100.0)):
        half = np.sqrt(masses)
        model = cone("weighted cone", np.diag(masses) @ CIRCULAR, masses)
        weighted = max(weighted, max(error(at_apex(model, half * F), F, lambda a, h=half: h * a)[0] for F in TRIALS))
    return turned, scaled, weighted


def on_generators(force, width):
    """Stationary accelerations (k, 3) on the cone x² + (y/width)² = z² by its generators d = (cos φ, width sin φ, 1).

    The foot on a generator has the Zwang ½|F|² − (F·d)²/2|d|²; its stationary azimuths are the sign changes of the
    derivative between 2000 samples, refined by SciPy.
    """

    def generator(phi):
        return np.array([np.cos(phi), width * np.sin(phi), 1.0]), np.array([-np.sin(phi), width * np.cos(phi), 0.0])

    def slope(phi):
        d, turned = generator(phi)
        return (force @ turned) * (d @ d) - (force @ d) * (d @ turned)

    grid = np.linspace(0.0123, 0.0123 + 2 * np.pi, 2001)
    values = np.array([slope(phi) for phi in grid])
    found = []
    for k in np.flatnonzero(values[:-1] * values[1:] < 0.0):
        d, _ = generator(brentq(slope, grid[k], grid[k + 1], xtol=1e-15, rtol=1e-15))
        found.append((force @ d) / (d @ d) * d)
    return np.array(found)


def on_elliptic_cones():
    """Worst distance over |F| between the candidates on elliptic cones and those on their generators; inf if fewer."""
    worst, rng = 0.0, np.random.default_rng(11)
    for width in (0.3, 0.8, 2.5):
        model = cone("elliptic cone", np.diag([1.0, width**-2, -1.0]))
        for force in rng.normal(size=(12, 3)) * np.repeat([[1.0, 1.0, 1.0], [0.1, 0.1, 1.0]], 6, axis=0):
            have = np.array([c.a for c in at_apex(model, force).candidates if c.kind != "vertex"])
            expected = on_generators(force, width)
            if len(have) != len(expected):
                return np.inf
            apart = np.linalg.norm(expected[:, None] - have[None], axis=2)
            worst = max(worst, float(np.max(np.min(apart, axis=1)) / np.linalg.norm(force)))
    return worst


def claims(step):
    inside = at_apex(system, [3.0, 4.0, -2.0])
    level = at_apex(system, [3.0, 4.0, 0.0])
    found = np.array([at_force(force) for force in random_forces(COUNT, np.random.default_rng(3))])
    (steep, moderate, worst_zwang, _), wrong = np.max(found, axis=0), np.sum(found[:, 3])
    turned, scaled, weighted = transformed()
    equal = [c.zwang for c in singles(level)]
    near = "the azimuth of the feet is known to ε|F|/ρ; 1e-4·|F|/ρ of that, TRIALS go to ρ = 3e-5 |F|"
    return [
        g.Claim(
            "for |Z| > ρ the second is a saddle, for |Z| < ρ a local minimum",
            float(kinds(step) != ("global minimum", "saddle") or kinds(inside) != ("global minimum", "local minimum")),
        ),
        g.Claim(
            "for Z = 0 both are global minima, of equal Zwang",
            abs(equal[0] - equal[1]) / 12.5 if kinds(level) == ("global minimum",) * 2 else np.inf,
            1e-13,
            "rounding, relative to ½|F|²",
        ),
        g.Claim(
            f"{COUNT} random forces, half of them near the axis: errors of the feet up to 1e-12 |F|/ρ of |F|",
            steep,
            1.0,
            "the azimuth is known to ε|F|/ρ",
        ),
        g.Claim(
            "those with ρ > |F|/1000: feet",
            moderate,
            1e-9,
            "what is asked; 1e-12 |F|/ρ",
        ),
        g.Claim("all of them: Zwang", worst_zwang, 1e-12, "rounding: the Zwang does not depend on the azimuth"),
        g.Claim("all of them: global minimum, and local minimum or saddle as |Z| < ρ or not", wrong, 0.0, "count"),
        g.Claim("turned cones have the feet turned", turned, 1e-8, near),
        g.Claim("rows of other scales have the same feet", scaled, 1e-8, near),
        g.Claim(
            "elliptic cones: the two to four stationary accelerations that a search over all generators finds",
            on_elliptic_cones(),
            1e-10,
            "36 random forces; the search is accurate to 1e-15 rad, divided by the curvature of the Zwang",
        ),
        g.Claim("unequal masses have the feet of the weighted cone", weighted, 1e-8, near),
    ]


def turned(angle):
    """For the force turned to this angle from the axis towards x: angle, force, candidates, kinds, families."""
    force = np.linalg.norm(FORCE) * np.array([np.sin(angle), 0.0, np.cos(angle)])
    step = at_apex(system, force)
    found = singles(step)
    families = tuple(f.sample(120) for f in step.accelerations.continua)
    points = np.array([c.a for c in found]).reshape(-1, 3)
    return angle, force, points, tuple(c.kind for c in found), families
