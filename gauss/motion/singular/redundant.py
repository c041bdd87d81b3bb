"""Redundant rows in a motion: an independent subset for the steps, multipliers of least norm for all of them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import scipy
import scipy.linalg as sla

from gauss.foundation.arrays import Array, lengths_of, norms, unit_rows
from gauss.foundation.tolerances import DEPENDENT, PRESSES
from gauss.foundation.zero import CLEAR
from gauss.model import System
from gauss.model.state import State
from gauss.principle import GaussProblem
from gauss.principle.metric import Metric

FIRM = 1e-6  # pivots of rows to be kept below this, relative, are those of rows that depend on one another
EVEN = 1.1  # gain in volume for which rows are exchanged at the start
WORTH = 2.0  # gain for which they are on the way, where it costs another compiled step


def independence(J: Array) -> float:
    """Return the smallest singular value of rows (k, n) scaled to unit length, without masses; 1 without rows."""
    if not J.size:
        return 1.0
    return float(np.linalg.svd(unit_rows(J), compute_uv=False)[-1]) if len(J) <= J.shape[1] else 0.0


def independent_rows(system: System, state: State, rows: Sequence[int], rank: int) -> tuple[int, ...]:
    """Return `rank` of the rows (indices) that determine the motion best: of largest volume, with those to be kept.

    A row that vanishes here, as a square does, has a direction that rounding has made: it comes last.
    """
    place = (state.q, state.v, state.t, system.theta())
    J, noise = system.model.terms(*place).J[list(rows)], system.model.noise(*place).J[list(rows)]
    A = unit_rows(J) * np.any(np.abs(J) >= CLEAR * noise, axis=1)[:, None]
    firm = [i for i, k in enumerate(rows) if k in system.model.trace.kept]
    _, R, order = sla.qr(A[firm].T, mode="economic", pivoting=True)
    sizes = np.abs(np.diag(R))
    firm = [firm[i] for i in order[: min(rank, int(np.sum(sizes > FIRM * np.max(sizes, initial=0.0))))]]
    Q = np.linalg.qr(A[firm].T)[0]
    rest = [i for i in range(len(rows)) if i not in firm]
    across = A[rest] - (A[rest] @ Q) @ Q.T
    order = sla.qr(across.T, mode="economic", pivoting=True)[2]
    chosen = exchanged(A, [*firm, *(rest[i] for i in order[: rank - len(firm)])], firm, EVEN)
    return tuple(sorted(int(rows[i]) for i in chosen))


def better_rows(
    system: System, J: Array, base: Sequence[int], gain: float, ahead: Array | None = None
) -> tuple[int, ...]:
    """Return the equality rows (indices) of J (m, n) to go on with: `base`, or others of so much more volume.

    With the rows `ahead` (m, n) it is their volume there, in units of their lengths here: one may vanish on the way.
    """
    rows, kept = system.model.equality, set(system.model.trace.kept)
    place = {k: i for i, k in enumerate(rows)}
    firm = [place[k] for k in base if k in kept]
    A = unit_rows(J[list(rows)]) if ahead is None else ahead[list(rows)] / lengths_of(J[list(rows)])[:, None]
    chosen = exchanged(A, [place[k] for k in base], firm, gain)
    return tuple(sorted(rows[i] for i in chosen))


def exchanged(A: Array, chosen: list[int], firm: Sequence[int], gain: float) -> list[int]:
    """Return the chosen rows of A (m, n), with others in place of those that are not `firm` where that is worth it.

    A row that is left out is Σ cᵢ Aᵢ of the chosen ones, and in the place of row i it makes their volume |cᵢ| times
    as large (Gu and Eisenstat, SIAM J. Sci. Comput. 17, 1996): rows are exchanged while |cᵢ| is above `gain` > 1.
    """
    chosen = list(chosen)
    out = [i for i in range(len(A)) if i not in chosen]
    free = np.array([i not in firm for i in chosen], dtype=bool)
    for _ in range(len(A)):
        if not out or not np.any(free):
            break
        shares = np.abs(least_squares(A[chosen].T, A[out].T)) * free[:, None]  # (k, out)
        i, j = np.unravel_index(int(np.argmax(shares)), shares.shape)
        if not shares[i, j] > gain:
            break
        chosen[i], out[j] = out[j], chosen[i]
    return chosen


def bearing_contacts(
    program: GaussProblem, base: Sequence[int], pressing: Sequence[int], multipliers: Array
) -> tuple[int, ...]:
    """Return contacts (indices) among the pressing ones that carry the whole reaction and are independent.

    `base` are the independent equality rows, `multipliers` (m,) any multipliers that fit. The contacts are a basic
    solution of the non-negative least squares problem for the part of the reaction that the equality rows do not carry.
    """
    J = program.whitened
    everything = [*base, *pressing]
    whitened = unit_rows(J[everything])
    if not pressing or np.linalg.matrix_rank(whitened, PRESSES) == len(everything):
        return tuple(pressing)
    reaction = J.T @ multipliers
    Q = np.linalg.qr(J[list(base)].T)[0] if base else np.zeros((J.shape[1], 0))
    across = unit_rows(J[list(pressing)])
    across = across - (across @ Q) @ Q.T
    forces, _ = scipy.optimize.nnls(across.T, reaction - Q @ (Q.T @ reaction))
    size = float(np.max(forces, initial=0.0))
    return tuple(k for k, force in zip(pressing, forces, strict=True) if force > PRESSES * size)


def alike(J: Array, base: Sequence[int], released: Sequence[int], closed: Sequence[int]) -> list[int]:
    """Return closed contacts (indices) that say what released ones do, where the equality rows hold; J (m, n) whitened.

    They are positive multiples of these, up to combinations of the rows `base`, as two stops of coupled joints are.
    What all of them bear together is what has become zero.
    """
    others = [k for k in closed if k not in released]
    if not released or not others:
        return []
    Q = np.linalg.qr(J[list(base)].T)[0] if base else np.zeros((J.shape[1], 0))

    def across(rows: Sequence[int]) -> Array:
        found = unit_rows(J[list(rows)])
        found = found - (found @ Q) @ Q.T
        return np.where(norms(found, 1)[:, None] > DEPENDENT, unit_rows(found), np.inf)  # of what base keeps

    with np.errstate(invalid="ignore"):
        apart = norms(across(others)[:, None] - across(released)[None], 2)
    return [k for k, near in zip(others, apart <= DEPENDENT, strict=True) if np.any(near)]


def least_multipliers(metric: Metric, J: Array, reaction: Array) -> Array:
    """Return the multipliers (k,) of rows J (k, n) with Jᵀλ = reaction (n,) and single forces of least squares."""
    whitened = metric.whitened(J)
    length = lengths_of(whitened)
    return np.asarray(least_squares((whitened / length[:, None]).T, metric.covector(reaction), 1e-9) / length)


def least_squares(A: Array, b: Array, cond: float | None = None) -> Array:
    """Return the solution of least squares and least norm of A x = b, of the rank that A (m, n) has to 1/cond."""
    return np.asarray(sla.lstsq(A, b, cond, check_finite=False, lapack_driver="gelsy")[0])
