"""Linear complementarity problems w = M z + q ≥ 0, z ≥ 0, zᵀw = 0: all solutions, P-matrices, and one solution.

The terms are those of R. W. Cottle, J.-S. Pang and R. E. Stone, *The Linear Complementarity Problem* (1992). Every
solution has a support α = {i : w_i = 0 is demanded}; the solutions with support α form the polyhedron

    M_αα z_α = −q_α,   z_α ≥ 0,   M_βα z_α + q_β ≥ 0,   z_β = 0,   β the other indices.

It is a point where M_αα is regular, and may have edges and rays where it is not. The union over all 2ⁿ supports is the
solution set. A problem has exactly one solution for every q if and only if M is a P-matrix: all its principal minors
are positive (theorem 3.3.7 there).
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

import numpy as np

from gauss.contact.forces.polyhedra import Polyhedron, merged, polyhedron
from gauss.errors import InputError, SolverError
from gauss.foundation.arrays import Array, as_array, matrix, norms, vector
from gauss.foundation.outcomes import Shown
from gauss.foundation.tolerances import EPS

LARGEST = 14  # unknowns up to which all 2ⁿ supports or principal minors are looked at
LARGEST_ANEW = 120  # Lemke: unknowns up to which tableaux are computed anew where rounding has spoilt them
PIVOTS = 50  # Lemke: pivots allowed for each unknown
RESIDUAL = 1e-9  # Lemke: violation of the conditions, relative to the problem, that is accepted


@dataclass(frozen=True, repr=False)
class ConvexPiece(Shown):
    """A maximal convex piece of the solution set: conv(vertices) + cone(rays). It is one point if it has one vertex."""

    support: tuple[int, ...]  # the indices that may be positive in it
    vertices: Array  # (v, n)
    rays: Array  # (r, n), each with largest entry 1
    doubtful: bool  # the rank of some M_αα, and with it the solution set, hangs on the tolerance


@dataclass(frozen=True)
class Minors:
    """Whether a matrix is a P-matrix, with the evidence: its least principal minor, relative to Hadamard's bound."""

    verdict: str  # "P", "not P" or "undecided" (a minor is zero up to rounding, none is clearly not positive)
    indices: tuple[int, ...]  # of the least minor
    value: float  # det M_αα / Π|rows of M_αα|, in [−1, 1]
    margin: float  # what rounding may have changed in it


def _checked(M: object, q: object | None = None) -> tuple[Array, Array]:
    """Return M (n, n) and q (n,). Raises InputError."""
    table = as_array(M, "M")
    if table.ndim != 2 or table.shape[0] != table.shape[1] or not table.size:
        raise InputError(f"M has shape {table.shape}, expected (n, n) with n ≥ 1.")
    n = len(table)
    return matrix(table, (n, n), "M"), np.zeros(n) if q is None else vector(q, n, "q")


def _refuse_large(n: int, remedy: str) -> None:
    if n > LARGEST:
        raise InputError(f"M has {n} rows; all 2ⁿ index sets are looked at up to n = {LARGEST}. {remedy}")


def all_solutions(M: object, q: object) -> tuple[ConvexPiece, ...]:
    """Return the whole solution set as maximal convex pieces, none inside another; empty if there is no solution.

    M is (n, n), q is (n,). The unknowns are scaled by the largest entry of each column of M and of q, so units do not
    matter. Raises InputError for wrong shapes, nan, and n > 14.

    >>> import gauss as g
    >>> pieces = g.contact.all_solutions([[-1.0]], [1.0])  # z ≥ 0, 1 − z ≥ 0, z(1 − z) = 0
    >>> [piece.vertices.round(9).tolist() for piece in pieces]
    [[[0.0]], [[1.0]]]
    """
    table, right = _checked(M, q)
    n = len(right)
    _refuse_large(n, "Use gauss.contact.lemke, which finds one solution.")
    column = np.max(np.abs(table), axis=0)
    load = float(np.max(np.abs(right))) or 1.0
    unit = load / np.where(column > 0.0, column, 1.0)  # (n,) of z
    T, s, eye = table * unit / load, right / load, np.eye(n)
    pieces: list[Polyhedron] = []
    supports: list[tuple[int, ...]] = []
    doubtful = False
    for size in range(n + 1):
        for alpha in combinations(range(n), size):
            inside = np.isin(np.arange(n), alpha)
            A = np.vstack([T[inside], eye[~inside]])
            G = np.vstack([eye[inside], T[~inside]])
            b = np.concatenate([-s[inside], np.zeros(n - size)])
            h = np.concatenate([np.zeros(size), -s[~inside]])
            found, unsure = polyhedron(A, b, G, h)
            doubtful = doubtful or unsure
            if found is not None:
                pieces.append(found)
                supports.append(alpha)
    return tuple(_piece(pieces[k], supports[k], unit, doubtful) for k in merged(pieces))


def _piece(found: Polyhedron, support: tuple[int, ...], unit: Array, doubtful: bool) -> ConvexPiece:
    """Return a piece in the user's units, without rounding where entries are zero."""
    vertices = np.where(np.abs(found.vertices) > EPS * 100.0, found.vertices, 0.0) * unit
    rays = np.where(np.abs(found.rays) > EPS * 100.0, found.rays, 0.0) * unit
    top = np.max(np.abs(rays), axis=1, initial=0.0)
    return ConvexPiece(support, vertices, rays / np.where(top > 0.0, top, 1.0)[:, None], doubtful)


def p_matrix(M: object) -> Minors:
    """Decide by all 2ⁿ − 1 principal minors whether M (n, n) is a P-matrix; n ≤ 14.

    Rows of M_αα are scaled to unit length, which keeps the sign of its determinant; a determinant of k unit rows
    computed by elimination errs by at most about 8 k² eps, and a minor within this margin of zero is not decided.
    Raises InputError for wrong shapes, nan, and n > 14.

    >>> import gauss as g
    >>> g.contact.p_matrix([[2.0, 1.0], [0.0, 1.0]]).verdict, g.contact.p_matrix([[1.0, 2.0], [3.0, 1.0]]).indices
    ('P', (0, 1))
    """
    table, _ = _checked(M)
    n = len(table)
    _refuse_large(n, "Look at the contacts in smaller groups.")
    worst = Minors("P", (), np.inf, 0.0)
    for size in range(1, n + 1):
        sets = np.array(list(combinations(range(n), size)))
        blocks = table[sets[:, :, None], sets[:, None, :]]
        length = norms(blocks, 2)[:, :, None]
        values = np.linalg.det(blocks / np.where(length > 0.0, length, 1.0))
        margin = 8.0 * size**2 * EPS
        least = int(np.argmin(values - margin))
        value = float(values[least])
        word = "P" if value > margin else "not P" if value < -margin or size == 1 else "undecided"
        lower = value - margin < worst.value - worst.margin
        if lower if (word == "not P") == (worst.verdict == "not P") else word == "not P":
            worst = Minors(word, tuple(int(k) for k in sets[least]), value, margin)
    return worst


def lemke(M: object, q: object) -> Array:
    """Return one solution z (n,) by Lemke's complementary pivoting, of any size; the answer is checked.

    The lexicographic ratio test keeps it from cycling. It finds a solution for P-matrices and, if there is one, for
    copositive-plus matrices (so for positive semidefinite ones); for others it may end on a ray although there is a
    solution. Raises InputError for wrong shapes and nan, SolverError for a ray or an answer that fails the check.
    """
    table, right = _checked(M, q)
    n = len(right)
    if np.all(right >= 0.0):
        return np.zeros(n)
    try:
        return _pivoted(table, right)
    except SolverError:
        if n > LARGEST_ANEW:
            raise
        return _pivoted(table, right, anew=True)


def _pivoted(table: Array, right: Array, *, anew: bool = False) -> Array:
    """Return the solution (n,) that Lemke's pivots lead to; `anew` computes each tableau from the problem itself.

    Raises SolverError as `lemke` does.
    """
    n = len(right)
    scale = np.maximum(np.max(np.abs(table), axis=1), EPS)
    first = np.hstack([np.diag(1.0 / scale), -table / scale[:, None], -np.ones((n, 1)), (right / scale)[:, None]])
    T = first.copy()
    basis = list(range(n))  # w_i is i, z_i is n + i, the artificial unknown is 2n
    row = _lexicographic(T, np.ones(n), n, first=True)
    entering, top = 2 * n, float(np.max(-right / scale))
    for _ in range(PIVOTS * n):
        leaving, basis[row] = basis[row], entering
        if anew:
            T = _solved(first, basis)
        else:
            _pivot(T, row, entering)
        if leaving == 2 * n:
            break
        entering = leaving + n if leaving < n else leaving - n
        if np.max(T[:, entering]) <= 1e-11:
            if T[basis.index(2 * n), -1] <= 1e-11 * top:  # the artificial unknown is zero up to rounding: done
                leaving = 2 * n
                break
            raise SolverError(
                "Lemke's method ended on a ray: the problem has no solution, or its matrix is of no class for which"
                " the method finds one. Up to n = 14 all_solutions decides."
            )
        row = _lexicographic(T, T[:, entering], n, artificial=basis.index(2 * n))
    else:
        raise SolverError(f"Lemke's method did not end within {PIVOTS * n} pivots.")
    z = np.zeros(2 * n + 1)
    z[basis] = T[:, -1]
    return _accepted(table, right, np.maximum(z[n : 2 * n], 0.0))


def _lexicographic(T: Array, column: Array, n: int, *, first: bool = False, artificial: int = -1) -> int:
    """Return the row whose (right side, inverse basis)/column is least in lexicographic order; rows of w₀ go first."""
    table = np.column_stack([T[:, -1], T[:, :n]])
    if first:
        ratio, rows = table, np.arange(n)
    else:
        rows = np.flatnonzero(column > 1e-11)
        ratio = table[rows] / column[rows, None]
    for k in range(n + 1):
        least = float(np.min(ratio[:, k]))
        tied = ratio[:, k] <= least + 1e-13 * max(1.0, abs(least))
        rows, ratio = rows[tied], ratio[tied]
        if artificial in rows and k == 0:
            return artificial  # the artificial unknown reaches zero: done
        if len(rows) == 1:
            break
    return int(rows[0])


def _pivot(T: Array, row: int, column: int) -> None:
    """Make the column of a tableau (n, 2n + 2) a unit vector, in place."""
    T[row] /= T[row, column]
    others = np.arange(len(T)) != row
    T[others] -= np.outer(T[others, column], T[row])


def _solved(first: Array, basis: list[int]) -> Array:
    """Return the tableau (n, 2n + 2) of a basis from the first one. Raises SolverError where it is singular."""
    try:
        return np.asarray(np.linalg.solve(first[:, basis], first))
    except np.linalg.LinAlgError as error:
        raise SolverError("Lemke's method came to a basis that is singular up to rounding.") from error


def _accepted(M: Array, q: Array, z: Array) -> Array:
    """Return z, or z solved again on its support if that is better. Raises SolverError if both violate the problem."""
    support = z > 1e-12 * np.max(z, initial=0.0)
    again = np.zeros(len(z))
    again[support] = np.linalg.lstsq(M[np.ix_(support, support)], -q[support], rcond=None)[0]
    errors = [_violation(M, q, x) for x in (z, again)]
    if min(errors) > RESIDUAL:
        raise SolverError(f"the pivoting ended at a point that violates the conditions by the share {min(errors):.2g}.")
    return again if errors[1] <= errors[0] else z


def _violation(M: Array, q: Array, z: Array) -> float:
    """Return the largest violation of z ≥ 0, w ≥ 0, z_i w_i = 0, each relative to the terms of its row.

    Terms below 1e-5 of those of q, in rows scaled by their largest entry, are not looked at more closely than that.
    """
    row = np.max(np.abs(M), axis=1) + np.finfo(float).tiny
    least = 1e-5 * row * float(np.max(np.abs(q) / np.maximum(row, EPS * np.max(row))))
    return violation(M, q, z, least, np.full(len(z), np.max(np.abs(z))))


def violation(M: Array, q: Array, z: Array, of_w: Array, of_z: Array) -> float:
    """Return the largest violation of z ≥ 0, w ≥ 0, z_i w_i = 0, relative to the terms of w and z or to these sizes."""
    tiny = float(np.finfo(float).tiny)
    w, size = M @ z + q, np.maximum(np.abs(M) @ np.abs(z) + np.abs(q), of_w) + tiny
    top = np.maximum(np.abs(z), of_z) + tiny
    return float(max(np.max(-w / size), np.max(-z / top), np.max(np.minimum(np.abs(w) / size, np.abs(z) / top))))
