"""The other claims of scenarios/nortons_dome.py.

A particle of mass m = 1 kg is bound to a smooth dome of revolution (coordinates x, y horizontal, z upwards, in m;
gravity g = 9.81 m/s²) whose height falls with the arc length r from the summit like

    z = −(2/(3g)) r^{3/2}   (r in m; the factor in front of r^{3/2} is in units of m^{−1/2}),

so that the acceleration down the meridian is −g dz/dr = r^{1/2}. The slope is vertical at r = g². With
dρ = √(1 − r/g²) dr the distance from the axis is ρ = (2g²/3)(1 − (1 − r/g²)^{3/2}), which inverts to

    r(ρ) = g² u (1 + w)/(1 + w + w²),   u = 3ρ/(2g²),   w = (1 − u)^{1/3},

so the dome is one holonomic constraint z + (2/(3g)) r(√(x² + y²))^{3/2} = 0 in Cartesian coordinates. Its curvature is
infinite at the summit, where the acceleration is unique (zero) and the motion is not: from rest on the summit

    r = 0 for t ≤ T,   r = (t − T)⁴/144 for t ≥ T,   along any meridian, for any T ≥ 0.

With ṙ² = (4/3) r^{3/2} the dome presses with N = m(g² − 5r/3)/√(g² − r): a particle that merely lies on it would fly
off at r = 3g²/5.
"""

import numpy as np

import gauss as g
from gauss.motion import motions
from gauss.uniqueness import lipschitz
from gauss.uniqueness.lipschitz import OPEN
from scenarios.nortons_dome import EXTRA, T_END, G, arc_length, from_summit, system


def distance(r, gravity=G):
    """The distance ρ from the axis at the arc length r, without cancellation near the summit."""
    w = g.sqrt(1.0 - r / gravity**2)
    return 2.0 / 3.0 * r * (1.0 + w + w * w) / (1.0 + w)


def height(r, gravity=G):
    """The height z at the arc length r."""
    return -2.0 / (3.0 * gravity) * r**1.5


section = g.System(  # the same dome in a vertical plane, with the arc length as a coordinate without mass
    "section through Norton's dome",
    coordinates="r x z",
    kinetic_energy=lambda v: 0.5 * (v.x**2 + v.z**2),
    potential_energy=lambda q, p: p.g * q.z,
    constraints=[
        g.Holonomic("height", lambda q, p: q.z - g.where(g.less(0.0, q.r), height(q.r, p.g), 0.0)),
        g.Holonomic("distance", lambda q, p: q.x - distance(q.r, p.g)),
    ],
    parameters={"g": G},
)


def family_error(leaving):
    """Worst relative error of r against (t − T)⁴/144 over several T, and worst distance off the meridian."""
    worst, off = 0.0, 0.0
    d = leaving.direction[:2] / np.hypot(*leaving.direction[:2])
    for rest in EXTRA:
        t = np.linspace(rest, T_END, 101)[1:]
        q, _ = leaving.at(t, stays=rest)
        rho = np.hypot(q[:, 0], q[:, 1])
        worst = max(worst, float(np.max(np.abs(arc_length(rho) / ((t - rest) ** 4 / 144) - 1))))
        off = max(off, float(np.max(np.abs(q[:, 0] * d[1] - q[:, 1] * d[0]) / rho)))
    return worst, off


def pressing(run):
    """Normal force (N) along a run, positive where the dome presses, and r."""
    model = system.model
    _, J = model.batch(run.q, run.v, run.t, system.theta())
    return run["dome"] * np.linalg.norm(J[:, 0], axis=1), arc_length(np.hypot(run["x"], run["y"]))


def force_error(run):
    """Worst error of the normal force against N = (g² − 5r/3)/√(g² − r), relative to the weight."""
    force, r = pressing(run)
    return float(np.max(np.abs(force - (G**2 - 5 * r / 3) / np.sqrt(G**2 - r)))) / G


def section_error():
    """Worst relative error of the arc length in the plane model."""
    (leaving,) = motions(section, [0.0, 0.0, 0.0], t_end=T_END).leaves
    t = np.linspace(0.0, T_END, 101)[1:]
    return g.relative(leaving.at(t)[0][:, 0] / (t**4 / 144), np.ones(t.size))


def claims(step):
    judged = lipschitz(system, [0.0, 0.0, 0.0])
    found = from_summit()
    errors = [family_error(leaving) for leaving in found.leaves] or [(np.inf, np.inf)]
    azimuth = np.sort([np.arctan2(x.direction[1], x.direction[0]) % (2 * np.pi) for x in found.leaves])
    truncation = "closed form, relative; the integrator keeps 1e-12 per step"
    return [
        g.Claim("to stay on the summit is a motion", float(np.max(np.abs(found.stays.q))), 0.0, "exactly"),
        g.Claim(
            "around the summit the acceleration changes like r^p with p = 1/2",
            abs(judged.exponent - 0.5),
            max(judged.band, 1e-8),
            "95 % band of the fit",
        ),
        g.Claim("this alone gives 'not guaranteed'", float(judged.verdict != OPEN)),
        g.Claim(
            "they form a continuum of dimension 1, sampled at 8 azimuths, evenly",
            float(found.dimension != 1)
            + (g.relative(np.diff(azimuth), np.full(7, np.pi / 4)) if azimuth.size == 8 else np.inf),
            1e-9,
            "rounding of the azimuths",
        ),
        g.Claim(
            "each is r = (t − T)⁴/144, resting for T = 0, 2, 4 s first", max(e for e, _ in errors), 1e-9, truncation
        ),
        g.Claim("each keeps to its meridian", max(off for _, off in errors), 1e-9, "symmetry, relative to ρ"),
        g.Claim(
            "the equations hold in integral form from the summit on",
            max((leaving.residual for leaving in found.leaves), default=np.inf),
            1e-9,
            "Gauss-Legendre quadrature with accelerations certified anew, relative to the values at the end",
        ),
        g.Claim(
            "the dome presses with N = (g² − 5r/3)/√(g² − r), and pulls from r = 3g²/5 on",
            max((force_error(leaving.run) for leaving in found.leaves), default=np.inf),
            1e-8,
            "closed form, relative to the weight",
        ),
        g.Claim("the plane model with r as a coordinate has the same motion", section_error(), 1e-8, truncation),
    ]
