"""The other claims of scenarios/whitney_umbrella.py.

A particle of mass 1 kg (coordinates x, y, z in m) is bound to x² = y² z under the force F = (X, Y, Z) in N,
parameters of the model. The row (2x, −2yz, −y²) vanishes on the whole z axis:

* z > 0: two sheets x = ±y√z cross there. Every motion has ẍ² − z ÿ² = 0, at rest and moving along the axis alike, so
  the Zwang is stationary at the feet of F on both planes: *branching*, with

      a± = F − (F·n±) n±,   n± = (1, ∓√z, 0)/√(1 + z),   Zwang ½(F·n±)².

  Moving across the axis in one of the sheets, v = w (±√z, 1, 0), the order 3 row picks that sheet: *crossing*.
* z < 0: the handle, nothing else. Every motion has ẍ² + |z| ÿ² = 0: *locked* onto the axis, a = (0, 0, Z), unique,
  though no multiplier balances X and Y.
* z = 0: the pinch point. Order 4 leaves ẍ² = 0, but the rank changes nearby: *higher order*. The motions that exist
  have ẍ = 0 and, into the sheets, z̈ ≥ 0 where ÿ ≠ 0.
"""

import numpy as np

import gauss as g
from scenarios.whitney_umbrella import FORCE, system

HEIGHTS = (1e-3, 0.3, 1.0, 4.0)  # m, on the axis
FORCES = np.array([[2.0, 1.0, -1.5], [0.0, 3.0, 1.0], [-1.0, 0.2, 0.0]])


def with_force(force):
    return system.with_parameters(**dict(zip("XYZ", map(float, force), strict=True)))


def feet(force, z):
    """The feet (2, 3) of a force on both sheets at the height z, that of least Zwang first, and their Zwang (2,)."""
    normals = np.array([[1.0, -s * np.sqrt(z), 0.0] for s in (1, -1)]) / np.sqrt(1 + z)
    across = normals @ force
    order = np.argsort(across**2)
    return (force - across[:, None] * normals)[order], (across**2 / 2)[order]


def branching_error(velocity):
    """Worst distance of the two best candidates from the feet, over |F|; infinite for another verdict."""
    worst = 0.0
    for z in HEIGHTS:
        for force in FORCES:
            found = g.classify(with_force(force), [0.0, 0.0, z], [0.0, 0.0, velocity])
            single = [c for c in found.candidates if c.kind != "vertex"]
            if found.verdicts != ("branching",) or len(single) != 2:
                return np.inf
            expected, zwang = feet(force, z)
            have = np.array([c.a for c in single])
            if np.linalg.norm(have[0] - expected[0]) > np.linalg.norm(have[1] - expected[0]):
                have = have[::-1]  # equal Zwang: either order
            size = np.linalg.norm(force)
            worst = max(worst, float(np.max(np.abs(have - expected))) / size)
            worst = max(worst, float(np.max(np.abs([c.zwang for c in single] - zwang))) / size**2)
    return worst


def crossing_error():
    """Worst error in motion across the axis within one sheet: the foot on that sheet, with its curvature."""
    worst = 0.0
    for z in HEIGHTS:
        for side in (1.0, -1.0):
            for force in FORCES:
                direction = np.array([side * np.sqrt(z), 1.0, 0.0])
                step = g.accelerate(with_force(force), [0.0, 0.0, z], 0.7 * direction)
                # the sheet x = ±y√z has x'' = ±(y''√z + 2 y' (√z)'), and (√z)' = 0 where z' = 0
                normal = np.array([1.0, -side * np.sqrt(z), 0.0]) / np.sqrt(1 + z)
                expected = force - (force @ normal) * normal
                error = float(np.max(np.abs(step.a - expected))) / np.linalg.norm(force)
                worst = max(worst, error if step.verdicts == ("crossing",) else np.inf)
    return worst


def rising_error():
    """The same with ż ≠ 0: x = ±y√z gives ẍ = ±(ÿ√z + ẏ ż/√z)."""
    worst = 0.0
    for z in HEIGHTS[1:]:
        for side in (1.0, -1.0):
            root, v_y, v_z = np.sqrt(z), 0.5, 0.8
            step = g.accelerate(system, [0.0, 0.0, z], [side * root * v_y, v_y, v_z])
            normal, bend = np.array([1.0, -side * root, 0.0]), side * v_y * v_z / root
            expected = FORCE - (FORCE @ normal - bend) / (1 + z) * normal
            worst = max(worst, float(np.max(np.abs(step.a - expected))) / np.linalg.norm(FORCE))
    return worst


def locked_error():
    """Worst distance of the acceleration on the handle from (0, 0, Z), over |F|, at rest and moving along it."""
    worst = 0.0
    for z in HEIGHTS:
        for speed in (0.0, 0.6):
            for force in FORCES:
                found = g.classify(with_force(force), [0.0, 0.0, -z], [0.0, 0.0, speed])
                if found.verdicts != ("locked",):
                    return np.inf
                error = float(np.max(np.abs(found.solution.a - [0.0, 0.0, force[2]])))
                worst = max(worst, error / np.linalg.norm(force))
    return worst


def claims(step):
    aside = g.classify(system, [0.0, 0.0, 1.0], [1.0, 0.3, 0.0])
    return [
        g.Claim("at rest both feet, at four heights under three forces", branching_error(0.0), 1e-12, "rounding"),
        g.Claim("moving along the axis both feet, as at rest", branching_error(0.4), 1e-12, "rounding"),
        g.Claim(
            "moving across the axis in one sheet: the foot on it, unique", crossing_error(), 1e-10, "rounding over z"
        ),
        g.Claim("rising at the same time: with the twist of the sheet", rising_error(), 1e-12, "rounding"),
        g.Claim("on the handle: locked, a = (0, 0, Z)", locked_error(), 1e-12, "rounding"),
        g.Claim("a velocity in neither sheet is not admissible", float(aside.verdicts != ("velocity not admissible",))),
    ]
