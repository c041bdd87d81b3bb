"""One solution of a planar friction problem with many contacts, by Lemke's complementary pivoting.

With the bilateral rows eliminated the scaled rates of the contacts are y = W x + b. A contact at rest has, with
t = t₊ − t₋ and an unknown λ ≥ 0 (D. E. Stewart and J. C. Trinkle, Int. J. Numer. Methods Eng. 39, 1996),

    0 ≤ p ⟂ y_n ≥ 0,    0 ≤ t₊ ⟂ λ + y_t ≥ 0,    0 ≤ t₋ ⟂ λ − y_t ≥ 0,    0 ≤ λ ⟂ μ p − t₊ − t₋ ≥ 0,

with a constant limit in place of μ p where it has one; a contact that slides has t = −σ μ_k p and its p alone. Contacts
at rest have μ_s first. Those that slip then are given μ_k and their direction one after the other.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gauss.contact.plane.complementarity import lemke
from gauss.contact.problem import ContactProblem
from gauss.errors import SolverError
from gauss.foundation.arrays import Array, Flags
from gauss.foundation.outcomes import BACKWARDS, FORWARDS, OPEN, STICK

ZERO = 1e-10  # scaled rates below this are zero
DEPENDENT = 1e-10  # singular values of unit rows below this share of the largest
ENDLESS = 1e8  # forces over loads that only rounding makes


@dataclass(frozen=True)
class Pivoted:
    """One solution in scaled forces."""

    modes: tuple[str, ...]  # (k,) as in `ContactSolution`
    forces: Array  # (m + 2k,) bilateral ones of least norm, normal, tangential
    others: bool  # whether other forces may give the same acceleration


@dataclass(frozen=True)
class _Rates:
    """Scaled rates y = W x + b, normal and tangential (2k,), under the contact forces x (2k,)."""

    W: Array  # (2k, 2k)
    b: Array  # (2k,)
    static: Array  # (k,) μ_s in scaled forces; limits at rest, where they are constant
    kinetic: Array  # (k,) the same while a contact slips


def pivoted(problem: ContactProblem, B: Array, right: Array, length: Array, size: float) -> Pivoted:
    """Return one solution of the law for contacts that only push, or have a constant limit of friction.

    B (m + 2k, n) has white unit rows, bilateral, normal and tangential ones; `right` and `length` (m + 2k,) belong to
    them, and `size` is the unit of forces. Raises SolverError where no solution is found.
    """
    p, m, k = problem, len(problem.gamma), problem.k
    held = np.linalg.pinv(B[:m], rcond=DEPENDENT) if m else np.zeros((B.shape[1], 0))
    still, contact = held @ right[:m], B[m:] - (B[m:] @ held) @ B[:m]
    unit = np.where(p.limited, size, length[m : m + k])
    static, kinetic = (mu * length[m + k :] / unit for mu in (p.static, p.kinetic))
    rates = _Rates(contact @ contact.T, B[m:] @ still - right[m:], static, kinetic)
    found = _sticking(p, rates, _begun(p, rates))
    if np.max(np.abs(found.x), initial=0.0) > ENDLESS:
        raise SolverError("only forces without end would satisfy the law.")
    forces = np.concatenate([held.T @ (still + contact.T @ found.x - B[m:].T @ found.x), found.x])
    carrying = np.concatenate([np.ones(m, dtype=bool), found.closed & ~p.limited, found.closed])
    sigma = np.linalg.svd(B[carrying], compute_uv=False)
    rank = int(np.sum(sigma > DEPENDENT * np.max(sigma, initial=0.0)))
    return Pivoted(found.modes, forces, bool(rank < np.sum(carrying)))


@dataclass(frozen=True)
class _Found:
    """The solution in which contacts slip these ways."""

    ways: Array  # (k,) of contacts that slip with μ_k, 0 of others
    x: Array  # (2k,) scaled contact forces
    slip: Array  # (k,) scaled rates of the slips
    closed: Flags  # (k,)

    @staticmethod
    def of(p: ContactProblem, rates: _Rates, ways: Array) -> _Found:
        """Solve for given ways. Raises SolverError."""
        x = _forces(p, rates, ways)
        y = rates.W @ x + rates.b
        return _Found(ways, x, y[p.k :], np.asarray(p.limited | (x[: p.k] > 0.0) | (y[: p.k] <= ZERO)))

    @property
    def modes(self) -> tuple[str, ...]:
        """The modes (k,)."""
        ways = np.where(self.ways != 0.0, self.ways, np.sign(self.slip) * (np.abs(self.slip) > ZERO))
        words = np.where(ways > 0.0, FORWARDS, np.where(ways < 0.0, BACKWARDS, STICK))
        return tuple(np.where(self.closed, words, OPEN).tolist())


def _begun(p: ContactProblem, rates: _Rates) -> _Found:
    """Return the solution in which no more contacts begin to slip. Raises SolverError.

    Of those that begin to slip under μ_s the fastest is first, as it may relieve the others; one that would turn round
    at once goes back to rest.
    """
    ways, back = np.array(p.slip, dtype=float), np.zeros(p.k, dtype=bool)
    for _ in range(3 * p.k + 1):
        found = _Found.of(p, rates, ways.copy())
        slip = found.slip
        turned = found.closed & (p.slip == 0.0) & (ways * slip < -ZERO)
        begins = found.closed & (ways == 0.0) & (p.static > p.kinetic) & (np.abs(slip) > ZERO)
        if not np.any(turned | begins):
            return found
        first = int(np.argmax(np.abs(slip) * (turned if np.any(turned) else begins)))
        if back[first]:
            break
        back[first] = turned[first]
        ways[first] = 0.0 if turned[first] else np.sign(slip[first])
    raise SolverError("contacts that begin to slip would turn round at once.")


def _sticking(p: ContactProblem, rates: _Rates, found: _Found) -> _Found:
    """Return the solution in which contacts stick that can, all others unchanged (the rule for μ_s > μ_k)."""
    modes = found.modes
    for i in np.flatnonzero((found.ways != 0.0) & (p.slip == 0.0)):
        ways = found.ways.copy()
        ways[i] = 0.0
        try:
            other = _Found.of(p, rates, ways)
        except SolverError:
            continue
        if other.modes == (*modes[:i], STICK, *modes[i + 1 :]):
            return _sticking(p, rates, other)
    return found


def _forces(p: ContactProblem, rates: _Rates, ways: Array) -> Array:
    """Return the contact forces x (2k,) where contacts slip these ways (k,), 0 for those at rest. Raises SolverError.

    The unknowns are p of contacts with a load, then t₊, t₋ and λ of those at rest.
    """
    k, loaded, resting = p.k, np.flatnonzero(~p.limited), np.flatnonzero(ways == 0.0)
    u, r = len(loaded), len(resting)
    if not u + r:
        return np.concatenate([np.zeros(k), -ways * rates.kinetic])
    of_load, of_rest = np.arange(u), np.arange(r)
    C, fixed = np.zeros((2 * k, u + 3 * r)), np.zeros(2 * k)  # x = C z + fixed
    C[loaded, of_load] = 1.0
    C[k + loaded, of_load] = (-ways * rates.kinetic)[loaded]
    C[k + resting, u + of_rest], C[k + resting, u + r + of_rest] = 1.0, -1.0
    fixed[k:] = np.where(p.limited, -ways * rates.kinetic, 0.0)
    Y, y = rates.W @ C, rates.W @ fixed + rates.b
    add = np.hstack([np.zeros((r, u + 2 * r)), np.eye(r)])
    room = np.hstack([np.zeros((r, u)), -np.eye(r), -np.eye(r), np.zeros((r, r))])
    own = resting[:, None] == loaded
    room[:, :u] = np.where(own, rates.static[resting][:, None], 0.0)
    limit = np.where(p.limited[resting], rates.static[resting], 0.0)
    M = np.vstack([Y[loaded], Y[k + resting] + add, add - Y[k + resting], room])
    q = np.concatenate([y[loaded], y[k + resting], -y[k + resting], limit])
    return np.asarray(C @ lemke(M, q) + fixed)
