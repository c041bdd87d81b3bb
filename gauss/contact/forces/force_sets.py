"""All contact forces that give one acceleration within Coulomb's law in the plane, as non-negative combinations.

For a given acceleration a the law of friction leaves each contact a cone of forces: the zero where the gap opens, one
ray (N − σ μ_k T) where it slips with σ, two rays (N ± μ_s T) where it sticks. With the bilateral rows, whose
multipliers have either sign, the forces that give a are

    {x = Q w :  G w = M a − f,  w_i ≥ 0 but for bilateral multipliers},    the columns of G being the rays,

one polyhedron for any number of contacts; no modes are enumerated. A contact held from both sides has these rays
twice, once for each sign of its normal force, so that each pattern of these signs makes a polyhedron of its own.

Rows are of unit length in the metric of M, forces relative to the size of M a − f, and rays of unit length; all
decisions are taken on these numbers.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product

import numpy as np
import scipy

from gauss.contact.problem import ContactProblem, require_contacts
from gauss.errors import InputError
from gauss.foundation.arrays import Array, Flags, lengths_of, norms, vector
from gauss.foundation.outcomes import BACKWARDS, FORWARDS, OPEN, STICK

OFF = 1e-8  # a rate of a gap or of a slip below this share of the accelerations is zero
MISSED = 1e-9  # forces that miss M a − f by less than this share of it give a
STEEPEST = 1e8  # coefficients (times the ratio of the row lengths) above this leave no digits of the normal forces
SIDES = 8  # contacts with friction held from both sides, whose signs are all tried


@dataclass(frozen=True)
class Scaled:
    """A friction problem with unit rows in the metric; x = (λ, p, t) are forces times row length over `size`."""

    problem: ContactProblem
    B: Array  # (m + 2k, n) white unit rows: bilateral, normal, tangent
    length: Array  # (m + 2k,) of the rows in the metric
    a: Array  # (n,) the acceleration
    load: Array  # (n,) L⁻¹(M a − f) over size
    size: float  # √kg m/s²; that of M a − f, or of what was subtracted where that is rounding
    noise: float  # rounding of the load, relative to size
    gap: Array  # (k,) g̈, relative to the size of the accelerations
    slipping: Array  # (k,) −1, 0 or 1: direction of the slip, or of its change from rest

    @property
    def m(self) -> int:
        """Number of bilateral rows."""
        return len(self.problem.gamma)

    @property
    def closed(self) -> Flags:
        """Which contacts (k,) stay closed."""
        return np.asarray(self.problem.bilateral | (self.gap <= OFF))

    @property
    def modes(self) -> tuple[str, ...]:
        """What each contact (k,) does."""
        words = {0.0: STICK, 1.0: FORWARDS, -1.0: BACKWARDS}
        pairs = zip(self.closed, self.slipping, strict=True)
        return tuple(words[float(s)] if shut else OPEN for shut, s in pairs)

    @property
    def units(self) -> Array:
        """What turns relative forces x (m + 2k,) into (λ, p, t) in their own units."""
        return np.asarray(self.size / self.length)


@dataclass(frozen=True)
class Rays:
    """Forces x = offset + Q w, w_i ≥ 0 where it has a sign, with E w = right: the law of one pattern of signs."""

    Q: Array  # (m + 2k, w) the forces x of each ray
    offset: Array  # (m + 2k,) friction of constant size; zero without contacts of a constant limit
    E: Array  # (e, w) for each contact with a constant limit that sticks: t + L and L − t, both ≥ 0, make up 2L
    right: Array  # (e,)
    sign: Array  # (w,) 1, or 0 for multipliers of bilateral rows
    owner: Array  # (w,) row of x that a ray belongs to: of λ, or of p; of t where the limit is constant

    def table(self, scaled: Scaled) -> Array:
        """Return the left side (n + e, w) of the equations on w."""
        return np.vstack([scaled.B.T @ self.Q, self.E])

    def target(self, scaled: Scaled) -> Array:
        """Return their right side (n + e,)."""
        return np.concatenate([scaled.load - scaled.B.T @ self.offset, self.right])


@dataclass(frozen=True)
class ForceSet:
    """Forces x = offset + Q w with G w = target, one polyhedron of them; not empty if `start` is there."""

    scaled: Scaled
    G: Array  # (n + e, w) unit columns, the rays in the metric
    Q: Array  # (m + 2k, w) the forces x of each ray
    offset: Array  # (m + 2k,)
    sign: Array  # (w,) as of `Rays`
    owner: Array  # (w,)
    start: Array | None  # (w,) one member, None where there is none
    missed: float  # distance of M a − f from the nearest force of the cone, relative to size


def require_problem(given: object) -> ContactProblem:
    """Return a contact problem without dry pins. Raises InputError for anything else."""
    problem = require_contacts(given)
    if problem.pinned:
        names = ", ".join(repr(problem.names[i]) for i in problem.pinned)
        raise InputError(
            f"the limit of the dry pin {names} is the resultant of two rows, so the forces are no polyhedron, and this"
            " is not known for it. solve_contacts and contact_findings list the accelerations and forces; for ranges"
            " and coefficients give a Brake with a constant torque instead."
        )
    return problem


def require_plane(given: object) -> ContactProblem:
    """Return a contact problem of the plane without dry pins. Raises InputError for anything else."""
    problem = require_problem(given)
    if problem.in_space:
        raise InputError(
            "this question is decided in the plane only, with tangent rows T (k, n); of contacts in space ask"
            " solve_contacts, contact_forces, required_coefficient and contact_findings."
        )
    return problem


def scaled_at(problem: ContactProblem, a: object, *, rest: bool = False) -> Scaled:
    """Return the problem scaled for an acceleration a (n,), or, if told so, for contacts that all stay at rest.

    Raises InputError for a wrong shape, where a violates a bilateral row or closes a contact further, and for
    coefficients above 1e8.
    """
    p = require_plane(problem)
    given = vector(a, len(p.f), "the acceleration a", p.coordinates)
    metric, rows = p.metric, np.vstack([p.J, p.N, p.T])
    whitened = metric.whitened(rows)
    length = lengths_of(whitened)
    moved, force = metric.covector(p.M @ given), metric.covector(p.f)
    across = length[len(length) - p.k :]
    limits = float(np.max(p.limited * p.static * across, initial=0.0))  # constant friction
    steep = ~p.limited & (p.static * across > STEEPEST * length[len(p.gamma) : len(p.gamma) + p.k])
    if np.any(steep):
        names = ", ".join(repr(name) for name, one in zip(p.names, steep, strict=True) if one)
        raise InputError(
            f"the coefficient of friction at {names} is so large that its cone cannot be told from a half-plane. Give a"
            f" coefficient below {STEEPEST:g}, or a Pfaffian row if the contact never slips."
        )
    scale = float(norms(moved, 0) + norms(force, 0)) + limits or 1.0
    load = moved - force
    size = float(norms(load, 0))
    if size <= 1e-13 * scale:
        load, size = np.zeros_like(load), scale
    right = np.concatenate([p.gamma, p.nu, p.tau])
    rate = (rows @ given - right) / length
    tops = [metric.norm(given), metric.norm(metric.reference), float(np.max(np.abs(right / length), initial=0.0))]
    rate = rate / (max(*tops, limits) or 1.0)
    m, k = len(p.gamma), p.k
    if rest:
        rate[:] = 0.0
    _require_rates(p, rate[:m], rate[m : m + k])
    slip = np.where(p.slip != 0.0, p.slip, np.sign(rate[m + k :]) * (np.abs(rate[m + k :]) > OFF))
    noise = 1e-13 * scale / size
    return Scaled(p, whitened / length[:, None], length, given, load / size, size, noise, rate[m : m + k], slip)


def _require_rates(p: ContactProblem, rows: Array, gaps: Array) -> None:
    """Raise InputError where an acceleration violates a bilateral row or lets a closed contact penetrate."""
    wrong = [repr(name) for name, off in zip(p.rows, rows, strict=True) if abs(off) > OFF]
    inside = [
        repr(name)
        for name, off, held in zip(p.names, gaps, p.bilateral, strict=True)
        if off < -OFF or (held and off > OFF)
    ]
    if wrong or inside:
        told = ([f"violates the rows {', '.join(wrong)}"] if wrong else []) + (
            [f"moves the contacts {', '.join(inside)} into each other or off their rows"] if inside else []
        )
        raise InputError(
            f"the acceleration {' and '.join(told)}. Pass one that the constraints admit, as solve_contacts returns."
        )


def force_sets(problem: ContactProblem, a: object, static: Array | None = None) -> tuple[ForceSet, ...]:
    """Return all forces that give the acceleration a (n,): one polyhedron, or one for each pattern of signs.

    `static` (k,) replaces μ_s. Sets without a member are among them. Raises InputError as `scaled_at` does, and for
    more than 8 contacts with friction held from both sides.
    """
    scaled = scaled_at(problem, a)
    frictional = problem.static if static is None else static
    return tuple(_force_set(scaled, frictional, pattern) for pattern in patterns(problem, frictional))


def patterns(p: ContactProblem, static: Array) -> list[Array]:
    """Return the signs (k,) of the normal forces: 1, or each pattern of ±1 of contacts held from both sides."""
    held = np.flatnonzero(p.bilateral & (np.maximum(static, p.kinetic) > 0.0))
    if len(held) > SIDES:
        raise InputError(
            f"{len(held)} frictional contacts are held from both sides; the signs of at most {SIDES} are all tried."
        )
    patterns = []
    for signs in product((1.0, -1.0), repeat=len(held)):
        pattern = np.ones(p.k)
        pattern[held] = signs
        patterns.append(pattern)
    return patterns


def rays(scaled: Scaled, static: Array, side: Array) -> Rays:
    """Return the rays of one pattern of signs (k,), not yet scaled."""
    p, m, k = scaled.problem, scaled.m, scaled.problem.k
    eye = np.eye(m + 2 * k)
    share = scaled.length[m + k :] / scaled.length[m : m + k]
    columns: list[tuple[Array, float, int]] = [(eye[j], 0.0, j) for j in range(m)]
    offset, bounded = np.zeros(m + 2 * k), []
    for i in range(k):
        normal, tangent = eye[m + i] * side[i], eye[m + k + i]
        if p.limited[i]:
            sticks = scaled.slipping[i] == 0.0
            limit = (static[i] if sticks else scaled.slipping[i] * p.kinetic[i]) / scaled.units[m + k + i]
            offset[m + k + i] = -limit
            if sticks:
                bounded.append((len(columns), 2.0 * limit))
                columns += [(tangent, 1.0, m + k + i), (0.0 * tangent, 1.0, m + k + i)]
            continue
        signed = 0.0 if p.bilateral[i] and static[i] == 0.0 and p.kinetic[i] == 0.0 else 1.0
        slopes = _slopes(scaled, static[i], i)
        columns += [(normal + slope * share[i] * tangent, signed, m + i) for slope in slopes]
    E = np.zeros((len(bounded), len(columns)))
    for row, (j, _) in enumerate(bounded):
        E[row, j : j + 2] = 1.0
    return Rays(
        np.array([column for column, _, _ in columns]).reshape(len(columns), m + 2 * k).T,
        offset,
        E,
        np.array([total for _, total in bounded]),
        np.array([s for _, s, _ in columns]),
        np.array([o for _, _, o in columns], dtype=int),
    )


def _slopes(scaled: Scaled, static: float, i: int) -> tuple[float, ...]:
    """Return t/p on the rays of contact i: none where the gap opens, one where it slips, two where it sticks."""
    if not scaled.closed[i]:
        return ()
    if scaled.slipping[i] != 0.0:
        return (-scaled.slipping[i] * scaled.problem.kinetic[i],)
    return (0.0,) if static == 0.0 else (static, -static)


def _force_set(scaled: Scaled, static: Array, side: Array) -> ForceSet:
    """Return the forces of one pattern of signs, with a member if there is one."""
    found = rays(scaled, static, side)
    G = found.table(scaled)
    length = lengths_of(G.T)
    start, missed = nearest(G / length, found.sign, found.target(scaled))
    fits = missed <= max(MISSED, 10.0 * scaled.noise)
    kept = start if fits else None
    return ForceSet(scaled, G / length, found.Q / length, found.offset, found.sign, found.owner, kept, missed)


def nearest(G: Array, sign: Array, load: Array) -> tuple[Array, float]:
    """Return the w (w,), w_i ≥ 0 where it has a sign, for which G w is nearest to the load, and the distance.

    By non-negative least squares (Lawson and Hanson). A distance above rounding proves that no forces fit: the
    residual separates the load from the cone.
    """
    if not G.shape[1]:
        return np.zeros(0), float(np.linalg.norm(load))
    free = sign == 0.0
    table = np.hstack([G, -G[:, free]])
    x, missed = scipy.optimize.nnls(table, load, maxiter=50 * table.shape[1])
    w = x[: G.shape[1]].copy()
    w[free] -= x[G.shape[1] :]
    return w, float(missed)
