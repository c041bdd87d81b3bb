"""The other claims of scenarios/jammed_wedge.py.

A wedge of half angle β sits point down between two fixed faces; F presses it in (F < 0 pulls it out). x, z are the
place of its middle (m), theta its turn; each face touches at one point at half height (half width 0.1 m), coefficient
of friction μ, angle of friction φ = arctan μ. At rest both faces carry the same normal force p and, along the face
outwards, the friction t:

    2p sin β + 2t cos β = F,   |t| ≤ μp.

* β < φ: p ≥ F cos φ/(2 sin(β + φ)) for F ≥ 0, p ≥ −F cos φ/(2 sin(φ − β)) for F < 0, without an upper bound: wedged.
  Squeezing forces balance without any load; how large they are depends on how the wedge was driven in.
* β > φ: F cos φ/(2 sin(β + φ)) ≤ p ≤ F cos φ/(2 sin(β − φ)): free within bounds, and no rest against a pull.
* Wedging sets in at μ = tan β. Against a pull that coefficient is not enough, but any larger one is.
* A pull on a wedged wedge has two answers within the law: it stays, squeezed, or leaves with p = 0 and the acceleration
  |F|/m. A rigid wedge cannot tell which.
"""

from dataclasses import replace
from functools import cache

import numpy as np

import gauss as g
from gauss.contact import (
    contact_findings,
    contact_forces,
    contact_problem,
    jamming_coefficient,
    required_coefficient,
)
from proofs import yes
from scenarios.jammed_wedge import FORCE, INERTIA, MASS, MU, SLIM, WIDTH


def faces(beta):
    """For the left and the right face: the touching point, the unit normal towards the wedge, the tangent outwards."""
    c, s = np.cos(beta), np.sin(beta)
    return (((-WIDTH, 0.0), (c, s), (-s, c)), ((WIDTH, 0.0), (-c, s), (s, c)))


def _moved(q, point):
    """How far a point of the wedge has moved."""
    c, s = g.cos(q.theta), g.sin(q.theta)
    return q.x + c * point[0] - s * point[1] - point[0], q.z + s * point[0] + c * point[1] - point[1]


def _gap(face):
    point, normal, _ = face
    return lambda q: sum(n * x for n, x in zip(normal, _moved(q, point), strict=True))


def _slip(face):
    (x, z), _, (tx, tz) = face

    def slip(q, v):
        c, s = g.cos(q.theta), g.sin(q.theta)
        return tx * (v.x - (s * x + c * z) * v.theta) + tz * (v.z + (c * x - s * z) * v.theta)

    return slip


@cache
def model(beta):
    left, right = faces(beta)
    return g.System(
        "wedge",
        coordinates="x z theta",
        parameters={"F": FORCE},
        kinetic_energy=lambda v: 0.5 * MASS * (v.x**2 + v.z**2) + 0.5 * INERTIA * v.theta**2,
        force=lambda p: {"z": -p.F},
        constraints=[
            g.Unilateral("left face", _gap(left), friction=g.Coulomb(MU, _slip(left))),
            g.Unilateral("right face", _gap(right), friction=g.Coulomb(MU, _slip(right))),
        ],
    )


def problem(beta, force=FORCE, mu=MU):
    """The wedge at rest in its place, pressed in with `force` (N)."""
    return replace(_frozen(beta), f=np.array([0.0, -force, 0.0]), static=np.full(2, mu), kinetic=np.full(2, mu))


@cache
def _frozen(beta):
    return contact_problem(model(beta), [0.0, 0.0, 0.0])


def expected(beta, force, mu):
    """Range of the normal force at rest, by the docstring; nan where there is no rest."""
    phi = np.arctan(mu)
    with_load = abs(force) * np.cos(phi) / 2
    if beta < phi:
        return with_load / (np.sin(beta + phi) if force >= 0 else np.sin(phi - beta)), np.inf
    return (with_load / np.sin(beta + phi), with_load / np.sin(beta - phi)) if force >= 0 else (np.nan, np.nan)


REST = np.zeros(3)
CASES = [(np.radians(deg), force, mu) for deg in (4.0, 8.0, 14.0) for force in (50.0, 0.0, -20.0) for mu in (0.1, 0.3)]


def range_error():
    """Worst distance of the ranges from the closed form, N; infinite where only one of the two is unbounded."""
    worst = 0.0
    for beta, force, mu in CASES:
        want = np.array(expected(beta, force, mu))
        if np.isnan(want[0]):
            continue
        found = contact_forces(problem(beta, force, mu), REST).normal
        if np.any(np.isfinite(found) != np.isfinite(want)):
            return np.inf
        ends = np.isfinite(want)
        worst = max(worst, float(np.max(np.abs(found[:, ends] - want[ends]))))
    return worst


def claims(step):
    unloaded = contact_forces(problem(SLIM, 0.0), REST)
    loose = contact_findings(problem(np.radians(20.0), -20.0))
    free = contact_forces(problem(np.radians(20.0)), REST)
    dropped = contact_forces(problem(np.radians(20.0), 0.0), REST)
    angles = np.radians((3.0, 8.0, 20.0, 40.0))
    jam = max(abs(jamming_coefficient(problem(beta)).value - np.tan(beta)) for beta in angles)
    against = [required_coefficient(problem(beta, -20.0)) for beta in angles]
    return [
        yes("without friction the wedge rests while it is pressed in", step.unique and np.max(np.abs(step.a)) < 1e-9),
        yes("even without any load", unloaded.wedged and unloaded.load == 0.0),
        yes("above it the forces are free within bounds", not free.wedged and free.freedom == 1),
        yes("and vanish with the load", dropped.unique and not np.any(dropped.normal)),
        g.Claim(
            "the ranges are those of the closed form", range_error(), 1e-9 * FORCE, "rounding of the linear programs"
        ),
        g.Claim("wedging sets in at μ = tan β", jam, 1e-12, "rounding"),
        g.Claim(
            "which is what a pull needs, but does not attain",
            max(abs(found.value - np.tan(beta)) for found, beta in zip(against, angles, strict=True))
            if not any(found.attained for found in against)
            else np.inf,
            1e-12,
            "rounding",
        ),
        yes("and one, leave, where it is not", loose.verdict == "one" and abs(loose.forces[0].a[1] - 10.0) < 1e-9),
    ]
