"""First guesses of a boundary-value problem: bowed lines between the ends, with multipliers by least squares."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from gauss.errors import InputError, described
from gauss.foundation.arrays import Array, vector
from gauss.variational.problem import VariationalProblem

NODES = 65  # points of a first guess
BOWS = (0.0, -0.25, 0.25, -0.5, 0.5, -0.75, 0.75, -1.0, 1.0)  # heights of bowed lines, relative to the size of the ends


@dataclass(frozen=True)
class Guess:
    """A first guess on the unit interval."""

    s: Array  # (N,)
    q: Array  # (N, n)
    v: Array  # (N, n) dq/dt
    lam: Array  # (k,)
    mu: Array  # (m,) the same all along
    T: float  # length of the interval


def guesses(
    problem: VariationalProblem, curve: Callable[[float], Any] | None, multipliers: object | None
) -> Iterator[Guess]:
    """Yield the user's curve, or else bowed lines; multipliers that are not given are fitted to the curve."""
    s, T = np.linspace(0.0, 1.0, NODES), problem.length
    lam, mu = _given(problem, multipliers)
    curves = _bowed(problem, s) if curve is None else [_traced(problem, curve, problem.t0 + T * s)]
    for q in curves:
        v = np.gradient(q, T * s, axis=0, edge_order=2)
        fitted = _fitted(problem, q, v, problem.t0 + T * s)
        pair = fitted[: len(problem.integrals)], fitted[len(problem.integrals) :]
        yield Guess(s, q, v, pair[0] if lam is None else lam, pair[1] if mu is None else mu, T)


def _given(problem: VariationalProblem, multipliers: object | None) -> tuple[Array | None, Array | None]:
    """Return the multipliers (k,) and (m,) of the user by name, None where there are none. Raises InputError."""
    if multipliers is None:
        return None, None
    integrals, rows = [x.name for x in problem.integrals], list(problem.compiled.row_names)
    if not isinstance(multipliers, Mapping) or set(multipliers) != {*integrals, *rows}:
        names = ", ".join([*integrals, *rows]) or "none"
        raise InputError(f"multipliers must be a dict with one number for each of {names}; got {multipliers!r}.")
    return tuple(  # type: ignore[return-value]
        vector([multipliers[name] for name in names], len(names), "multipliers", names) if names else np.zeros(0)
        for names in (integrals, rows)
    )


def _traced(problem: VariationalProblem, curve: Callable[[float], Any], times: Array) -> Array:
    """Return the points (N, n) of the user's curve. Raises InputError."""
    if not callable(curve):
        raise InputError(f"guess must be a function of t that returns the unknowns in order, got {curve!r}.")
    points = []
    for t in times:
        try:
            point = curve(float(t))
        except Exception as error:
            raise InputError(f"guess failed at t = {t:g}: {described(error)}") from error
        points.append(vector(point, len(problem.names), f"guess at t = {t:g}", problem.names))
    return np.array(points)


def _bowed(problem: VariationalProblem, s: Array) -> Iterator[Array]:
    """Yield lines between the ends and, for each unknown, lines with a bow.

    A free end has the value of the other end first, then values to either side of it.
    """
    start, end = problem.ends
    first = np.where(np.isnan(start), np.where(np.isnan(end), 0.0, end), start)
    free = np.isnan(end)
    size = max(float(np.nanmax(np.abs([first, np.where(free, first, end)]))), problem.length)
    for bow in BOWS:
        for shift in (0.0, 1.0, -1.0) if np.any(free) else (0.0,):
            last = np.where(free, first + shift * size, end)
            for j in range(len(first)) if bow else [0]:
                q = first + np.outer(s, last - first)
                q[:, j] += bow * size * np.sin(np.pi * s)
                yield q


def _fitted(problem: VariationalProblem, q: Array, v: Array, t: Array) -> Array:
    """Return λ, μ (k + m,), constant, for which the curve misses the Euler-Lagrange equations least.

    Their residual E = 𝓛_q − d𝓛_v/dt is linear in the multipliers. Where the curve leaves a multiplier open it is 1,
    where nothing can be evaluated too.
    """
    k, m = problem.compiled.k, problem.compiled.m
    if k + m == 0:
        return np.zeros(0)
    a = np.gradient(v, t, axis=0, edge_order=2)
    inner = slice(2, -2)

    def residual(x: Array) -> Array:
        mu = np.tile(x[k:], (len(t), 1))
        matrix, right = problem.compiled.equations(q, v, t, x[:k], mu)
        n = q.shape[1]
        return np.asarray((right[:, :n] - np.einsum("nij,nj->ni", matrix[:, :n, :n], a))[inner].ravel())

    base = residual(np.zeros(k + m))
    columns = np.array([residual(e) - base for e in np.eye(k + m)]).T
    keep = np.isfinite(base) & np.all(np.isfinite(columns), axis=1)
    if not np.any(keep):
        return np.ones(k + m)
    found, *_ = np.linalg.lstsq(columns[keep], -base[keep], rcond=1e-8)
    return np.where(np.abs(found) > 1e-8, found, 1.0)
