"""Impacts at all closed contacts at once: Moreau's law, and compression and restitution after Poisson.

*Moreau* (generalised Newton): with ξ = ġ⁺ + e min(ġ⁻, 0) and the slip after the impact s⁺

    ξ ≥ 0,  P ≥ 0,  ξ P = 0;    s⁺ ≠ 0: S = −μ_k P sign s⁺;    s⁺ = 0: |S| ≤ μ_s P.

A contact that is closed without approaching counts as well: it may be pushed. Without friction this is the minimum of
½|v⁺ − v⁻|²_M over J v⁺ = γ and ġ⁺ ≥ −e ġ⁻: Gauss's principle one level lower. With friction it is the friction problem
at one state with v⁺ in the place of a and M v⁻ in the place of f, all contacts at rest.

*Poisson* (Ch. Glocker, F. Pfeiffer, 1995): compression is Moreau's law with e = 0; it ends with the velocities v_c and
the impulses P_c. Restitution gives back at least e P_c at every contact, P_e = e P_c + Q:

    ġ⁺ ≥ 0,  Q ≥ 0,  ġ⁺ Q = 0;    friction as above, with P_e in the place of P, acting on s⁺ from v_c on.

The law of friction over P and S in the plane is a linear complementarity problem with the unknowns Q, S_R = μ P_e + S
and the negative part ζ_L of s⁺, whose conditions are ξ ≥ 0, ζ_R = s⁺ + ζ_L ≥ 0 and S_L = μ P_e − S ≥ 0.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import product

import numpy as np

from gauss.contact.forces.polyhedra import SAME, distinct
from gauss.contact.impacts.problem import ImpactProblem
from gauss.contact.plane.complementarity import all_solutions, lemke, violation
from gauss.contact.plane.modes import MODES, count_modes, solve_in_plane
from gauss.errors import InputError, SolverError
from gauss.foundation.arrays import Array, Indices
from gauss.foundation.outcomes import Shown
from gauss.model.rows import Rows
from gauss.principle import GaussProblem, solve

UNKNOWNS = 9  # of the complementarity problem, up to which all its solutions are looked for
STOPPED = 1e-12  # rates below this share of the row's size are rounding


@dataclass(frozen=True, repr=False)
class ImpactOutcome(Shown):
    """Velocities and impulses after an impact; `others` are velocities that satisfy the law as well."""

    v: Array  # (n,)
    normal: Array  # (k,) N s
    tangential: Array  # (k,) N s
    others: Array  # (w, n)
    decided: bool  # whether it is known that `others` are all there are
    unique_impulses: bool
    residual: float  # largest violation of the law, relative; 0 where a certificate has been passed


def moreau(p: ImpactProblem, *, without_collision: bool = False) -> ImpactOutcome:
    """Resolve an impact at all closed contacts by Moreau's law.

    Of several solutions the nearest to v⁻ in the metric of M is taken; `without_collision` leaves out the one without
    contact impulses. Raises InputError for several friction coefficients at more contacts than can be enumerated,
    SolverError where no velocities satisfy all rows or no impulses the law, ContradictoryRowsError where the bilateral
    rows contradict one another.

    >>> import gauss as g
    >>> balls = {"M": [[1, 0, 0], [0, 1, 0], [0, 0, 1]], "N": [[-1, 1, 0], [0, -1, 1]]}  # three in a row, that touch
    >>> cradle = g.contact.ImpactProblem.of(v=[3, 0, 0], restitution=1.0, **balls)
    >>> g.contact.moreau(cradle).v.round(9).tolist()  # at once, not one after another
    [-1.0, 2.0, 2.0]
    """
    zero, rebound = np.zeros(p.k), p.restitution * np.minimum(p.gap_rates(p.v), 0.0)
    if not np.any(p.frictional):
        return _smooth(p, zero, -rebound)
    rubs = p.frictional
    static, kinetic = np.where(rubs, p.static, 0.0), np.where(rubs, p.kinetic, 0.0)
    rest = replace(p, nu=p.nu - rebound, slip=np.where(rubs, 0.0, 1.0), static=static, kinetic=kinetic)
    if count_modes(rest) > MODES:
        rates = _rates(p, p.v) + np.concatenate([rebound, zero])
        return _nearest(p, _lawful(p, p.influence.W, rates, zero), zero, without_collision=without_collision)
    verdict = solve_in_plane(rest)
    found = [
        (normal, tangential, s.residual, len(s.normal) == 1 and not len(s.rays))
        for s in verdict.solutions
        for normal, tangential in zip(s.normal, s.tangential, strict=True)
    ]
    continua = any(len(s.accelerations) > 1 or len(s.directions) for s in verdict.solutions)
    return _nearest(p, (found, not (verdict.doubtful or continua)), zero, without_collision=without_collision)


def _rates(p: ImpactProblem, v: Array) -> Array:
    """Return (ġ, s) (2k,) at velocities v (n,), without rounding."""
    rates = np.concatenate([p.N @ v - p.nu, p.T @ v - p.tau])
    return np.where(np.abs(rates) > STOPPED * p.rate_sizes, rates, 0.0)


def poisson(p: ImpactProblem) -> ImpactOutcome:
    """Resolve an impact at all closed contacts by compression and restitution after Poisson.

    Raises what `moreau` raises, and InputError for contacts with friction that are held from both sides.
    """
    if np.any(p.bilateral & p.frictional):
        held = ", ".join(repr(name) for name, b in zip(p.names, p.bilateral & p.frictional, strict=True) if b)
        raise InputError(f"the contacts {held} are held from both sides; law='moreau' knows them, 'poisson' does not.")
    first = moreau(replace(p, restitution=np.zeros(p.k)))
    returned = p.restitution * first.normal
    then = replace(p, v=first.v)
    if not np.any(p.frictional):
        second = _smooth(then, returned, np.zeros(p.k))
    else:
        W = p.influence.W
        rates = _rates(p, first.v) + W[:, : p.k] @ returned
        second = _nearest(then, _lawful(p, W, rates, returned), returned, remedy=" Use law='stronge'.")
    return ImpactOutcome(
        second.v,
        first.normal + second.normal,
        first.tangential + second.tangential,
        second.others,
        first.decided and second.decided and not len(first.others),
        first.unique_impulses and second.unique_impulses,
        max(first.residual, second.residual),
    )


def _smooth(p: ImpactProblem, returned: Array, low: Array) -> ImpactOutcome:
    """Return the impact without friction: impulses `returned` (k,) and no ġ⁺ below `low` (k,), by the program."""
    lower = np.concatenate([p.gamma, p.nu + low])
    upper = np.concatenate([p.gamma, np.where(p.bilateral, p.nu, np.inf)])
    rows = Rows.of(np.vstack([p.J, p.N]), lower, upper, [*p.rows, *p.names])
    try:
        found = solve(GaussProblem(p.M, p.M @ p.v + p.N.T @ returned, rows, p.coordinates), "osqp")
    except SolverError as error:
        names = ", ".join(map(repr, (*p.rows, *p.names)))
        raise SolverError(f"no velocities after the impact satisfy all of the rows {names}: {error}") from error
    normal = returned + found.multipliers[len(p.gamma) :]
    none = np.zeros((0, len(p.v)))
    return ImpactOutcome(found.a, normal, np.zeros(p.k), none, True, found.multipliers_unique, 0.0)


Found = tuple[list[tuple[Array, Array, float, bool]], bool]  # (normal, tangential, residual, single); all of them?


def _lawful(p: ImpactProblem, W: Array, rates: Array, returned: Array) -> Found:
    """Return impulses (Q, S) that satisfy the law: rates (2k,) of (ξ, s) without them, impulses `returned` (k,).

    Where μ_s > μ_k, contacts are tried as sticking (with μ_s, accepted if s⁺ = 0) and as moving (with μ_k); those with
    the most sticking contacts come first, and alone count. Raises InputError where this is too much.
    """
    frictional = np.flatnonzero(p.frictional)
    smaller = [i for i in frictional if p.static[i] > p.kinetic[i]]
    size = p.k + 2 * len(frictional)
    if size > UNKNOWNS and smaller:
        names = ", ".join(repr(p.names[i]) for i in smaller)
        raise InputError(f"μ_s > μ_k at {names}: with {p.k} contacts this is not decided here. Give one coefficient.")
    if np.any(p.bilateral):
        raise InputError("so many contacts, with some of them held from both sides, are not decided here.")
    units = _units(p, frictional)
    acting = np.concatenate([np.arange(p.k), p.k + frictional])
    independent = bool(np.linalg.matrix_rank(W[np.ix_(acting, acting)], 1e-10, hermitian=True) == len(acting))
    found: list[tuple[int, tuple[Array, Array, float, bool]]] = []
    for sticking in product((True, False), repeat=len(smaller)):
        stuck = [i for i, holds in zip(smaller, sticking, strict=True) if holds]
        mu = p.kinetic.copy()
        mu[stuck] = p.static[stuck]
        M, q = _complementarity(W, rates, returned, mu, frictional)
        if size <= UNKNOWNS:
            points = [(z, len(s.vertices) == 1 and not len(s.rays)) for s in all_solutions(M, q) for z in s.vertices]
        else:
            points = [(_one(p, W, rates, returned, mu, frictional), independent)]
        for z, single in points:
            normal, tangential = z[: p.k], np.zeros(p.k)
            tangential[frictional] = z[p.k : p.k + len(frictional)] - mu[frictional] * (returned + normal)[frictional]
            slip = (rates + W @ np.concatenate([normal, tangential]))[p.k :]
            scale = float(np.max(np.abs(rates))) or 1.0
            if all(abs(slip[i]) <= SAME * scale for i in stuck):
                found.append((len(stuck), (normal, tangential, violation(M, q, z, *units), single)))
    most = max((count for count, _ in found), default=0)
    return [entry for count, entry in found if count == most], size <= UNKNOWNS


def _one(p: ImpactProblem, W: Array, rates: Array, returned: Array, mu: Array, frictional: Indices) -> Array:
    """Return one solution (Q, S_R, ζ_L) by Lemke's method. Raises SolverError where it finds none.

    It solves the problem of M. Anitescu and F. A. Potra (1997) in Q, the two sides of S and |s⁺|: its matrix is
    copositive, for which Lemke's method ends on a ray only if friction wedges the contacts.
    """
    k, r = len(mu), len(frictional)
    rows, signs = np.concatenate([np.arange(k), k + frictional, k + frictional]), np.repeat([1.0, 1.0, -1.0], [k, r, r])
    M = np.zeros((k + 3 * r, k + 3 * r))
    M[: k + 2 * r, : k + 2 * r] = W[np.ix_(rows, rows)] * np.outer(signs, signs)
    M[k : k + 2 * r, k + 2 * r :] = np.tile(np.eye(r), (2, 1))
    M[k + 2 * r :, k : k + 2 * r] = -np.tile(np.eye(r), 2)
    M[k + 2 * r + np.arange(r), frictional] = mu[frictional]
    base = mu[frictional] * returned[frictional]
    try:
        z = lemke(M, np.concatenate([rates[rows] * signs, base]))
    except SolverError as error:
        raise SolverError(
            f"Lemke's method has found no impulses at the {p.k} contacts that satisfy this law of impact, and not all"
            " modes of so many are tried: friction may wedge them. Use law='stronge', which takes one after another."
        ) from error
    normal, tangential = z[:k], z[k : k + r] - z[k + r : k + 2 * r]
    slip = (rates + W[:, :k] @ normal + W[:, k + frictional] @ tangential)[k + frictional]
    return np.concatenate([normal, tangential + base + mu[frictional] * normal[frictional], np.maximum(-slip, 0.0)])


def _complementarity(W: Array, rates: Array, returned: Array, mu: Array, frictional: Indices) -> tuple[Array, Array]:
    """Return M and q of the complementarity problem in (Q, S_R, ζ_L); S_R and ζ_L where there is friction."""
    k, r = len(mu), len(frictional)
    normal, tangent = np.arange(k), k + frictional
    slide = W[:, tangent] * mu[frictional]  # effect of −S where S_R = 0
    pick = np.zeros((r, k))
    pick[np.arange(r), frictional] = 1.0
    M = np.zeros((k + 2 * r, k + 2 * r))
    rows = np.concatenate([normal, tangent])
    M[: k + r, :k] = W[np.ix_(rows, normal)] - slide[rows] @ pick
    M[: k + r, k : k + r] = W[np.ix_(rows, tangent)]
    M[k : k + r, k + r :] = np.eye(r)
    M[k + r :, :k] = 2.0 * mu[frictional, None] * pick
    M[k + r :, k : k + r] = -np.eye(r)
    base = returned[frictional]
    return M, np.concatenate([rates[rows] - slide[rows] @ base, 2.0 * mu[frictional] * base])


def _units(p: ImpactProblem, frictional: Indices) -> tuple[Array, Array]:
    """Return the sizes of w (rates, and impulses for S_L) and of z (impulses, and rates for ζ_L) of that problem."""
    rates = np.concatenate([p.rate_sizes[: p.k], p.rate_sizes[p.k + frictional]])
    rates = np.where(rates > 0.0, rates, 1.0)
    length = np.max(np.abs(np.vstack([p.N, p.T[frictional]])), axis=1)
    impulses = float(np.max(np.abs(p.M) @ np.abs(p.v))) / np.where(length > 0.0, length, np.inf)
    return np.concatenate([rates, impulses[p.k :]]), np.concatenate([impulses, rates[p.k :]])


def _nearest(
    p: ImpactProblem, found: Found, returned: Array, *, without_collision: bool = False, remedy: str = ""
) -> ImpactOutcome:
    """Return the solution nearest to v⁻ in the metric, the others beside it; impulses `returned` (k,) act too."""
    entries, decided = found
    after = [p.v + p.influence.G @ np.concatenate([returned + P, S]) for P, S, *_ in entries]
    size = np.max([p.speed, *(replace(p, v=v).speed for v in after)], axis=0)  # (n,)
    if without_collision:
        moved = [bool(np.any(np.abs(v - p.v) > SAME * size)) for v in after]
        entries = [entry for entry, kept in zip(entries, moved, strict=True) if kept]
        after = [v for v, kept in zip(after, moved, strict=True) if kept]
    if not entries:
        raise _without_solution(p, without_collision, remedy)
    best = int(np.argmin([(v - p.v) @ p.M @ (v - p.v) for v in after]))
    same = [j for j, v in enumerate(after) if np.all(np.abs(v - after[best]) <= SAME * size)]
    apart = [v for j, v in enumerate(after) if j not in same]
    normal = returned + np.mean([entries[j][0] for j in same], axis=0)
    tangential = np.mean([entries[j][1] for j in same], axis=0)
    return ImpactOutcome(
        p.v + p.influence.G @ np.concatenate([normal, tangential]),
        normal,
        tangential,
        size * distinct(np.array(apart).reshape(len(apart), len(p.v)) / size, 1.0),
        decided,
        len(same) == 1 and entries[best][3],
        max(entries[j][2] for j in same),
    )


def _without_solution(p: ImpactProblem, without_collision: bool, remedy: str) -> SolverError:
    """Return the error where no impulses satisfy the law. Raises SolverError where no velocities satisfy the rows."""
    if without_collision:
        return SolverError(f"there is no impact without collision at {', '.join(map(repr, p.names))} in this state.")
    _smooth(p, np.zeros(p.k), np.zeros(p.k))
    bounces = bool(np.any(p.restitution > 0.0))
    demand = "their restitution demands" if bounces else "their moving obstacles demand"
    remedy = remedy or " Use law='poisson' or law='stronge'." if bounces else " Lower the coefficients of friction."
    return SolverError(
        f"no impulses at the contacts {', '.join(map(repr, p.names))} satisfy this law of impact: friction wedges them,"
        f" so that they cannot move apart as {demand}.{remedy}"
    )
