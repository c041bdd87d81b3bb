"""The state on the constraints nearest to a given one: a point on the rows in force first, then along these.

The metric is that of the masses at the given state; `level` says whether positions or velocities are sought.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np
import scipy

from gauss.errors import InconsistentStateError
from gauss.foundation.arrays import Array, Indices, lengths_of, shortened, unit_rows
from gauss.model import System
from gauss.model.state import State
from gauss.principle.metric import augmentation_weight

SWEEPS, TRIES = 50, 3  # of Newton's method; of it and a method with a line search in turns
AWAY = 0.1  # share of the distance by which a stationary point is left that is no minimum
CLOSED = 1e-10  # a gap up to this (in the row's unit) is closed: its rate may not be negative
DEPENDENT = 1e-6  # singular values and pivots of rows of length 1 below which these may be dependent
SLID = 1e-6  # share of the distance by which a nearest point may move where its residuals are halved further
DOWNHILL = 1e-6  # curvature, relative to the masses, by which the distance must fall along the rows for a way down
SAME = 1e-9  # relative difference of positions or velocities that counts as none
FINE, COARSE = 1e-11, 1e-3  # singular values, relative, that count as zero on the way to the constraints
CONVERGED = 1e-14  # Newton stops when a correction is below this, relative to the size of the state (at least 1)


def project(system: System, state: State, free: Indices, level: str) -> Array:
    """Return the projected positions or velocities: a point on the constraints first, then the nearest one.

    `_nearest` slides from there along the rows in force: a unilateral row joins them where it would be violated and
    leaves them where it would pull.
    """
    problem = _Nearest.of(system, state, free, level)
    x = _reached(problem)
    _require_solved(system, problem.state_of(x), level, free)
    if level == "velocity" and system.model.linear_velocity and not problem.watched:
        return x  # linear equality rows: the first correction is the nearest point
    if not problem.equality and np.all(problem.rows_at(problem.start)[1][problem.watched] >= 0.0):
        return x  # no row in force
    best, begin, way = x, x, None
    far = np.max(np.abs(x - problem.start)) > SAME * max(1.0, float(np.max(np.abs(x))))
    for attempt in range(TRIES if far else 1):
        if attempt:  # from where a method with a line search leads
            descended = _descended(problem, best if way is None else best + way)
            if descended is None:
                break
            begin = descended
        near, way = _nearest_in_force(problem, begin)
        nearer = near is not None and problem.distance(near) <= problem.distance(best) * (1.0 + 1e-12)
        if near is not None and nearer and not problem.unsolved(near):
            if way is None:
                return near
            best = near
    return best


def _reached(problem: _Nearest) -> Array:
    """Return a point on the constraints by Newton's method with least changes, or the first one tried.

    Unilateral rows take part where they are violated. Where two of them meet at a sharp angle, each step that leaves
    one violates the other, and those that were violated once have to stay. Rows that say the same in other words have
    gradients that differ beside the constraints, which is no condition of its own. Where light coordinates alone do not
    lead back to the constraints, all count alike.
    """
    unit = np.diag(np.diag(problem.M) > 0.0).astype(float)
    tried = []
    for metric, cut, kept in product((problem.M, unit), (FINE, COARSE), (False, True)):
        if kept and not problem.watched:
            continue
        tried.append(_polished(problem, _closed(problem, metric, cut, kept)))
        if not problem.unsolved(tried[-1]):
            return tried[-1]
    return tried[0]


def _closed(problem: _Nearest, metric: Array, cut: float, kept: bool) -> Array:
    """Return where Newton's method with least changes in a metric ends; rows violated on the way stay if `kept`."""
    x, free, violated = problem.start.copy(), problem.free, set[int]()
    for _ in range(SWEEPS):
        J, residual = problem.rows_at(x)
        now = {k for k in problem.watched if residual[k] < 0.0}
        violated = violated | now if kept else now
        rows = [*problem.equality, *sorted(violated)]
        if not rows or not _finite(residual, J):
            break
        correction = _least_change(metric, J[rows], residual[rows], free, cut)
        x[free] += correction
        if np.max(np.abs(correction), initial=0.0) <= CONVERGED * max(1.0, float(np.max(np.abs(x)))):
            break
    return x


def _polished(problem: _Nearest, x: Array) -> Array:
    """Return a point with least residuals, by further steps of Newton's method while these halve them.

    A correction that is small beside a long coordinate need not be so for an angle.
    """
    J, residual = problem.rows_at(x)
    rows = [*problem.equality, *(k for k in problem.watched if residual[k] < 0.0)]
    if not rows or not _finite(residual, J):
        return x
    length = lengths_of(J[rows])
    size = float(np.max(np.abs(residual[rows]) / length))
    for _ in range(SWEEPS):
        if size == 0.0:  # nothing is left to halve
            return x
        there = x.copy()
        there[problem.free] += _least_change(problem.M, J[rows], residual[rows], problem.free)
        J, residual = problem.rows_at(there)
        left = float(np.max(np.abs(residual[rows]) / length))
        if not left <= 0.5 * size or not np.all(np.isfinite(J)):
            return x
        x, size = there, left
    return x


def _nearest_in_force(problem: _Nearest, begin: Array) -> tuple[Array | None, Array | None]:
    """Return the nearest point with the rows that turn out to be in force, or None; a way (n,) to nearer ones, or None.

    Of equality rows that depend on one another some stand for all.
    """
    J, values = problem.rows_at(begin)
    if not _finite(J, values):
        return None, None
    rows = [*_independent(problem, J), *(k for k in problem.watched if values[k] <= CLOSED)]
    for _ in range(2 * len(problem.watched) + 1):
        found = _nearest(problem, begin, rows)
        if found is None:
            break
        near, multipliers = found
        gaps = problem.rows_at(near)[1]
        violated = [k for k in problem.watched if k not in rows and gaps[k] < -CLOSED]
        pull = -1e-12 * float(np.max(np.abs(multipliers)))
        pulling = [k for k in problem.watched if k in rows and multipliers[k] < pull]
        if violated:
            rows.append(min(violated, key=lambda k: gaps[k]))
        elif pulling:
            rows.remove(min(pulling, key=lambda k: multipliers[k]))
        else:
            polished = _polished(problem, near)
            moved = problem.distance(near, polished) > SLID**2 * problem.distance(near)
            return (None, None) if moved else (polished, _way_down(problem, near, multipliers, rows))
    return None, None


def _way_down(problem: _Nearest, x: Array, multipliers: Array, rows: Sequence[int]) -> Array | None:
    """Return a change (n,) of a stationary point along the rows that leads to nearer ones, or None at a minimum."""
    free, roots = problem.free, _roots(problem.M, problem.free)
    J = problem.rows_at(x)[0][np.array(rows, dtype=int)][:, free]
    along = scipy.linalg.null_space(unit_rows(J / roots), rcond=DEPENDENT) if J.size else np.eye(free.size)
    curved = (problem.M - problem.curvature(x, multipliers))[np.ix_(free, free)]
    values, ways = np.linalg.eigh(along.T @ (curved / np.outer(roots, roots)) @ along)
    if not values.size or values[0] >= -DOWNHILL:
        return None
    way = np.zeros_like(x)
    way[free] = AWAY * np.sqrt(problem.distance(x)) * (along @ ways[:, 0]) / roots
    return way


def _descended(problem: _Nearest, feasible: Array) -> Array | None:
    """Return a point near the nearest one, by SciPy's SLSQP from a feasible point, or None where it fails.

    It moves coordinates in units in which their masses, and the way to the feasible point, are about 1. It is given
    equality rows that are independent there: others it refuses, and where they are more than the variables it writes
    beyond its memory first (SciPy 1.17, its issue 25665).
    """
    free, size = problem.free, np.sqrt(problem.distance(feasible))
    J = problem.rows_at(feasible)[0]
    equality = _independent(problem, J)
    if not (equality or problem.watched) or not size > 0.0:
        return None
    unit = size / _roots(problem.M, free)
    length = lengths_of(J[:, free] * unit)

    def whole(y: Array) -> Array:
        x = feasible.copy()
        x[free] = problem.start[free] + unit * y
        return x

    def constraint(kind: str, rows: list[int]) -> dict[str, object]:
        return {
            "type": kind,
            "fun": lambda y: (problem.rows_at(whole(y))[1] / length)[rows],
            "jac": lambda y: (problem.rows_at(whole(y))[0][:, free] * unit / length[:, None])[rows],
        }

    kinds = (("eq", equality), ("ineq", problem.watched))
    found = scipy.optimize.minimize(
        lambda y: problem.distance(whole(y)) / (2.0 * size**2),
        (feasible - problem.start)[free] / unit,
        jac=lambda y: (problem.M @ (whole(y) - problem.start))[free] * unit / size**2,
        constraints=[constraint(kind, rows) for kind, rows in kinds if rows],
        method="SLSQP",
        options={"ftol": 1e-12, "maxiter": 10 * SWEEPS},
    )
    return whole(found.x) if np.all(np.isfinite(found.x)) else None


def _independent(problem: _Nearest, J: Array) -> list[int]:
    """Return equality rows among rows J (m, n), at most one for each free component, on which all others depend."""
    J = J[problem.equality][:, problem.free]
    if not J.size:
        return []
    unit = unit_rows(J / _roots(problem.M, problem.free))
    _, R, order = scipy.linalg.qr(unit.T, mode="economic", pivoting=True)
    sizes = np.abs(np.diag(R))
    return sorted(problem.equality[k] for k in order[: int(np.sum(sizes > DEPENDENT))])


def _finite(*arrays: Array) -> bool:
    return all(np.all(np.isfinite(each)) for each in arrays)


def _roots(M: Array, free: Indices) -> Array:
    """Return the roots of the masses of components, 1 for those without mass."""
    roots = np.sqrt(np.diag(M)[free])
    roots[~(roots > 0.0)] = 1.0
    return roots


@dataclass(frozen=True, eq=False)
class _Nearest:
    """The program min ½|x − x₀|²_M on the rows of one level, in the metric of the given state."""

    system: System
    state: State
    free: Indices  # components that may move
    level: str  # "position" or "velocity"
    M: Array  # (n, n)
    start: Array  # (n,) x₀
    equality: list[int]
    watched: list[int]  # unilateral rows

    @classmethod
    def of(cls, system: System, state: State, free: Indices, level: str) -> _Nearest:
        """Return the program of a state; at the velocity level only rows whose gap is closed are watched."""
        model = system.model
        terms = model.terms(state.q, state.v, state.t, system.theta())
        if level == "position":
            equality = [k for k in model.positional if k not in model.unilateral]
            return cls(system, state, free, level, terms.M, state.q, equality, list(model.unilateral))
        watched = [k for k in model.unilateral if terms.phi[k] <= CLOSED]
        return cls(system, state, free, level, terms.M, state.v, list(model.equality), watched)

    def state_of(self, x: Array) -> State:
        """Return the state with x as its position or velocity."""
        q, v = (x, self.state.v) if self.level == "position" else (self.state.q, x)
        return State(q, v, self.state.t)

    def unsolved(self, x: Array) -> dict[str, float]:
        """Return the residuals of the rows that x is off."""
        return unsolved(self.system, self.state_of(x), self.level)

    def rows_at(self, x: Array) -> tuple[Array, Array]:
        """Return the gradients (m, n) and the values (m,) of all rows at x."""
        at = self.state_of(x)
        terms = self.system.model.terms(at.q, at.v, at.t, self.system.theta())
        return terms.J, (terms.phi if self.level == "position" else terms.psi)

    def curvature(self, x: Array, multipliers: Array) -> Array:
        """Return Σ λ_k ∂²row_k/∂x², (n, n)."""
        at = self.state_of(x)
        both = self.system.model.curvatures(at.q, at.v, at.t, self.system.theta(), multipliers)
        return both[self.level == "velocity"]

    def distance(self, x: Array, other: Array | None = None) -> float:
        """Return |x − x₀|²_M, or that between two points."""
        apart = x - (self.start if other is None else other)
        return float(apart @ self.M @ apart)


def _nearest(problem: _Nearest, feasible: Array, rows: Sequence[int]) -> tuple[Array, Array] | None:
    """Return the nearest point on the rows and the multipliers (m,), by Newton's method on M(x − x₀) = Jᵀλ.

    None if it goes astray.
    """
    M, free, start = problem.M, problem.free, problem.start
    n, k = free.size, len(rows)
    x, chosen = feasible.copy(), np.array(rows, dtype=int)
    J, _ = problem.rows_at(x)
    multipliers = np.zeros(len(J))
    J = J[np.ix_(chosen, free)]
    multipliers[chosen] = np.linalg.lstsq(J.T, M[np.ix_(free, free)] @ (x - start)[free], rcond=1e-12)[0]
    roots = _roots(M, free)
    for _ in range(SWEEPS):
        all_rows, values = problem.rows_at(x)
        if not _finite(x, all_rows, values):
            return None
        J = all_rows[np.ix_(chosen, free)] / roots
        lengths = lengths_of(J)
        J = J / lengths[:, None]
        force = (M @ (x - start) - all_rows.T @ multipliers)[free] / roots
        curved = (M - problem.curvature(x, multipliers))[np.ix_(free, free)] / np.outer(roots, roots)
        saddle = np.block([[curved, -J.T], [J, np.zeros((k, k))]])
        step = np.linalg.lstsq(saddle, -np.concatenate([force, values[chosen] / lengths]), rcond=1e-13)[0]
        step /= np.concatenate([roots, lengths])
        x[free] += step[:n]
        multipliers[chosen] += step[n:]
        size = max(1.0, float(np.max(np.abs(x))))
        if np.max(np.abs(step[:n]), initial=0.0) <= CONVERGED * size:
            off = np.abs(values[chosen]) / lengths_of(all_rows[np.ix_(chosen, free)])
            return (x, multipliers) if np.max(off, initial=0.0) <= SAME * size else None
    return None


def _least_change(M: Array, J: Array, residual: Array, free: Indices, cut: float = FINE) -> Array:
    """Return the smallest change of the free components, in the metric of M, that cancels the residual.

    Singular values of the rows below `cut` times the largest count as zero.
    """
    weight = augmentation_weight(M, J)
    K = (M + weight * J.T @ J)[np.ix_(free, free)]
    values, vectors = np.linalg.eigh(K)
    root = 1.0 / np.sqrt(np.maximum(values, 1e-14 * max(float(values[-1]), 1e-300))) if values.size else values
    whitened = (J[:, free] @ vectors) * root
    length = lengths_of(whitened)
    step = np.linalg.lstsq(whitened / length[:, None], -residual / length, rcond=cut)[0]
    return np.asarray(vectors @ (root * step))


def unsolved(system: System, state: State, level: str) -> dict[str, float]:
    """Return the residuals of the rows that a state is off."""
    phi, psi = system.model.residuals(state.q, state.v, state.t, system.theta())
    terms = system.model.terms(state.q, state.v, state.t, system.theta())
    model = system.model
    residual = phi if level == "position" else psi
    rows = list(model.positional) if level == "position" else list(model.equality)
    left = {}
    for k in rows:
        value = min(residual[k], 0.0) if k in model.unilateral else residual[k]
        size = max(float(np.linalg.norm(terms.J[k])), 1.0)
        scale = max(1.0, float(np.max(np.abs(state.q if level == "position" else state.v))))
        if not (np.isfinite(value) and abs(value) <= 1e-10 * size * scale):
            left[system.row_names[k]] = float(residual[k])
    return left


def _require_solved(system: System, state: State, level: str, free: Indices) -> None:
    """Raise InconsistentStateError unless the projection reached the constraints."""
    left = unsolved(system, state, level)
    if left:
        held = [name for k, name in enumerate(system.coordinates) if k not in free]
        parts = shortened([f"{name!r} = {value:.3g}" for name, value in left.items()])
        afar = level == "position" and hasattr(system.source, "bodies")
        raise InconsistentStateError(
            f"no {level} on the constraints was found"
            + (f" with {', '.join(held)} held" if held else "")
            + f"; the residuals that remain are {parts}. Start nearer, or hold fewer coordinates"
            + ("; gauss.bodies.assemble(mechanism, values=…) closes loops from afar." if afar else "."),
            left,
        )
