"""The Gauss problem completed at a singular position: rows made exactly dependent, rows of higher order added."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import scipy.linalg as sla

from gauss.foundation.arrays import Array, lengths_of, norms
from gauss.foundation.zero import UNIT, is_zero
from gauss.model.rows import Kind, Rows
from gauss.principle import GaussProblem
from gauss.uniqueness.orders.jets import Conditions
from gauss.uniqueness.orders.near import NearRows, oblique
from gauss.uniqueness.rows.combinations import expansions
from gauss.uniqueness.rows.frame import Frame


def completed(frame: Frame, c: Conditions) -> GaussProblem:
    """Return the problem with its dependent rows made exactly dependent, and the order 3 rows added."""
    if c.quadrics:
        return _completed(frame, frame.rank, c.rows, c.right, c.crossing)
    z = oblique(frame, frame.particular, frame.kernel, c.rows, c.right, c.normals)
    return _completed(frame, frame.rank, c.normals, c.normals @ z, c.crossing)


def completed_near(frame: Frame, near: NearRows) -> GaussProblem:
    """Return the problem with order 3 rows in place of the nearly dependent ones."""
    return _completed(frame, near.keep, near.normals, near.normals @ near.z, near.combinations)


def _completed(frame: Frame, keep: int, new: Array, right: Array, combinations: Array) -> GaussProblem:
    rows = frame.problem.rows
    J, low, high = rows.J.copy(), rows.lower.copy(), rows.upper.copy()
    J[frame.index], bound, noise = _dependent(frame, keep)
    low[frame.index] = bound
    high[frame.index] = np.where(rows.equal[frame.index], bound, high[frame.index])
    names = [f"order 3 of {' + '.join(group)}" for group in frame.sets_of(combinations)]
    problem = replace(frame.problem, rows=replace(rows, J=J, lower=low, upper=high))
    found = _with_rows(problem, *_of_unit_length(frame, new, right), names)
    known = UNIT * np.linalg.norm(frame.metric.L, axis=1) * np.ones((len(found.rows), 1))
    known[frame.index] = noise
    return replace(found, rows=replace(found.rows, noise=known))


def _dependent(frame: Frame, keep: int) -> tuple[Array, Array, Array]:
    """Return the rows of the frame (m, n) with the combinations beyond `keep` left out, right-hand sides and noise.

    As many rows as are kept determine the others, which are sums of them without any rounding but their own: an entry
    that is noise is set to zero in the former only. Where the combinations are those that are zero by their noise, the
    former stay as they are: in the metric, rounding of light coordinates is as large as entries of heavy ones.
    """
    if keep == frame.rank and keep:
        found, right, noise = frame.problem.rows.J[frame.index], frame.gamma * frame.scale, frame.J_noise.copy()
        basis, others, shares = _by_combinations(frame)
    else:
        U, sigma, V = frame.U[:, :keep], frame.sigma, frame.V
        clean, bound = U @ (sigma[:keep, None] * V[:keep]), U @ (U.T @ frame.gamma)
        left_out = frame.U[:, keep : sigma.size] @ (sigma[keep:, None] * V[keep:])
        found = frame.problem.rows.J[frame.index] - (left_out * frame.scale[:, None]) @ frame.metric.L.T
        rounded = UNIT * float(np.max(sigma[keep:], initial=0.0)) * frame.scale
        noise = frame.J_noise + np.outer(rounded, np.linalg.norm(frame.metric.L, axis=1))
        right = bound * frame.scale
        basis = sorted(int(k) for k in sla.qr(clean.T, mode="r", pivoting=True)[1][:keep]) if keep else []
        others = [k for k in range(len(found)) if k not in set(basis)]
        parts = expansions(clean, basis) / frame.scale[:, None]
        shares = -(parts[basis] / parts[others, range(len(others))]).T
    found = np.where(is_zero(found, noise), 0.0, found)
    found[others], right[others] = shares @ found[basis], shares @ right[basis]
    noise[others] = np.abs(shares) @ noise[basis]
    return found, right, noise


def _by_combinations(frame: Frame) -> tuple[list[int], list[int], Array]:
    """Return as many rows as the rank, the others, and what these are of them, as combinations of rows vanish.

    The others are those known worst of each combination: what noise has made of its other shares then says nothing.
    """
    null, d = frame.left_null / frame.scale[:, None], frame.decided
    weight = (d.level / d.rows)[:, None]
    null = null / norms(null * weight, 0)
    others = sorted(int(k) for k in sla.qr((null * weight).T, mode="r", pivoting=True)[1][: null.shape[1]])
    basis = [k for k in range(len(null)) if k not in set(others)]
    return basis, others, np.asarray(-np.linalg.solve(null[others].T, null[basis].T), dtype=float)


def added(frame: Frame, problem: GaussProblem, combinations: Array) -> GaussProblem:
    """Return the problem with combinations (m, k) of its rows added as rows of their own."""
    names = [f"combination of {' + '.join(group)}" for group in frame.sets_of(combinations)]
    new = _of_unit_length(frame, combinations.T @ frame.W, combinations.T @ frame.gamma)
    return _with_rows(problem, *new, names)


def _of_unit_length(frame: Frame, rows: Array, right: Array) -> tuple[Array, Array]:
    """Return rows (k, n) in z of unit length, as rows in a, and their right-hand sides (k,)."""
    size = lengths_of(rows)
    return (rows / size[:, None]) @ frame.metric.L.T, right / size


def pushed(frame: Frame, c: Conditions, problem: GaussProblem) -> GaussProblem:
    """Return the problem with the order 3 inequalities of contacts added."""
    names = [f"order 3 of contacts {k}" for k in range(len(c.pushed))]
    return _with_rows(problem, c.pushing @ frame.metric.L.T, c.pushed, names, np.full(len(names), np.inf))


def locked(frame: Frame, c: Conditions, problem: GaussProblem, offset: Array, basis: Array) -> GaussProblem:
    """Return the problem with rows that keep the acceleration on the subspace that order 4 leaves."""
    d = c.kernel.shape[1]
    Q = np.linalg.qr(np.hstack([basis, np.eye(d)]))[0][:, basis.shape[1] : d]
    rows = Q.T @ c.kernel.T
    right = Q.T @ offset
    word = " + ".join(name for group in frame.sets_of(c.active)[:1] for name in group)
    names = [f"order 4 of {word}" + (f" [{k}]" if len(rows) > 1 else "") for k in range(len(rows))]
    return _with_rows(problem, rows @ frame.metric.L.T, right, names)


def _with_rows(
    problem: GaussProblem, extra: Array, low: Array, names: list[str], high: Array | None = None
) -> GaussProblem:
    """Return the problem with rows (k, n) added, equalities where no upper bounds are given."""
    old = problem.rows
    noise = old.noise
    if noise is not None:
        noise = np.vstack([noise, np.max(noise, axis=0, initial=0.0) + UNIT * np.abs(extra.reshape(-1, problem.n))])
    unique = [name if names.count(name) == 1 else f"{name} ({k})" for k, name in enumerate(names)]
    jet: Kind = "jet"
    rows = Rows(
        np.vstack([old.J, extra.reshape(-1, problem.n)]),
        np.concatenate([old.lower, low]),
        np.concatenate([old.upper, low if high is None else high]),
        (*old.names, *unique),
        (*old.kinds, *([jet] * len(unique))),
        noise,
    )
    return replace(problem, rows=rows)
