"""`extremal` and `extremals`: curves that make an integral stationary, certified and judged."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from gauss.errors import InputError, SolverError
from gauss.foundation.arrays import Array, as_array, positive
from gauss.foundation.outcomes import Shown
from gauss.variational.boundary import COARSE, SINGULAR, Solved, condition, highest, solve_from
from gauss.variational.guess import Guess
from gauss.variational.guess import guesses as first_guesses
from gauss.variational.problem import VariationalProblem
from gauss.variational.second import SecondVariation, legendre, second_variation

TOL = 1e-9
FINEST = 1e-13  # least tolerance, a thousand times the rounding of sums
LOOSE = 1e3  # a curve whose residuals exceed this many times the tolerance is refused
SAME = 1e-5  # relative distance below which two curves are one
POINTS = 201  # at which curves are compared and judged
_GAUSS = np.polynomial.legendre.leggauss(6)


@dataclass(frozen=True, eq=False, repr=False)
class Extremal(Shown):
    """A curve q(t) that satisfies the Euler-Lagrange equations, the ends and the side conditions."""

    problem: VariationalProblem
    t: Array  # (N,) mesh of the collocation
    q: Array  # (N, n)
    v: Array  # (N, n) dq/dt
    mu: Array  # (N, m) multipliers of the rows
    multipliers: dict[str, float]  # λ of the integrals by name
    value: float  # ∫ F dt
    residual: float  # largest defect of the integrated equations, relative to their terms (see `defect`)
    legendre: tuple[float, float]  # least and largest eigenvalue of 𝓛_vv along the curve
    second: SecondVariation
    solved: Solved

    @property
    def t_end(self) -> float:
        """The end t₁ of the interval."""
        return self.problem.t0 + self.solved.T

    @property
    def legendre_condition(self) -> str:
        """ "minimum" or "maximum" where 𝓛_vv is definite of that sign all along (strengthened condition), or "none"."""
        least, largest = self.legendre
        if least > 0.0:
            return "minimum"
        return "maximum" if largest < 0.0 else "none"

    @property
    def kind(self) -> str:
        """ "minimum" or "maximum" (weak, local), "saddle", or "undecided" where the second variation has a zero."""
        second = self.second
        if second.negative and second.positive:
            return "saddle"
        if second.vanishing:
            return "undecided"
        return "maximum" if second.negative else "minimum"

    def at(self, t: object) -> tuple[Array, Array]:
        """Return q and v (N, n) at given t (N,), or (n,) at one. Raises InputError outside the interval."""
        times = as_array(t, "t")
        s = (np.atleast_1d(times) - self.problem.t0) / self.solved.T
        if s.ndim != 1 or not np.all((s > -1e-9) & (s < 1.0 + 1e-9)):
            raise InputError(f"t must lie between {self.problem.t0:g} and {self.t_end:g}.")
        q, v, _, _ = self.solved.layout.split(self.solved.dense(np.clip(s, 0.0, 1.0)))
        return (q, v) if times.ndim else (q[0], v[0])

    def __getitem__(self, name: str) -> Array:
        """Return an unknown at the mesh (N,), or the multiplier of a row. Raises InputError."""
        rows = self.problem.compiled.row_names
        if name in self.problem.names:
            return self.q[:, self.problem.names.index(name)]
        if name in rows:
            return self.mu[:, rows.index(name)]
        raise InputError(f"there is no {name!r}; known: {', '.join((*self.problem.names, *rows))}.")

    def __str__(self) -> str:
        multipliers = "".join(f", λ({name}) = {x:.6g}" for name, x in self.multipliers.items())
        return (
            f"{self.kind} {self.value:.8g}{multipliers}; Legendre's condition: {self.legendre_condition};"
            f" second variation: {self.second.negative} negative, {self.second.vanishing} vanishing;"
            f" residual {self.residual:.1e}"
        )


def extremal(
    problem: VariationalProblem,
    guess: Callable[[float], Any] | None = None,
    multipliers: object | None = None,
    tol: float = TOL,
) -> Extremal:
    """Return one extremal of a problem: the first that is found from the guess, or from bowed lines.

    `guess` returns the unknowns in order at t; `multipliers` is a dict of first guesses by name, for the integrals and
    the rows, fitted to the curve by least squares if left out. `tol` is the tolerance of the collocation. The answer
    is checked apart from it: see `defect`.

    Raises InputError where 𝓛_vv is singular, so that the Euler-Lagrange equations do not determine q̈, SolverError where
    no extremal is found. Then there may be none: between two rings too far apart no surface of revolution is minimal.

    >>> from gauss.variational import VariationalProblem, extremal
    >>> shortest = VariationalProblem(lambda v: v.x**2, "x", start={"x": 0.0}, end={"x": 1.0}, span=(0.0, 2.0))
    >>> found = extremal(shortest)
    >>> found.kind, round(found.value, 9)  # the straight line, ½ · 1²
    ('minimum', 0.5)
    """
    for solved in _found(problem, guess, multipliers, tol):
        return _judged(problem, solved)
    raise _nothing(problem, guess, multipliers)


def extremals(
    problem: VariationalProblem,
    guesses: list[Callable[[float], Any]] | None = None,
    tol: float = TOL,
) -> list[Extremal]:
    """Return the different extremals found from all bowed lines, or from all given guesses, by rising value.

    There may be more. Raises InputError as `extremal`; where nothing is found the list is empty.
    """
    if not (guesses is None or isinstance(guesses, list | tuple)):
        raise InputError(f"guesses must be a list of functions of t, got {guesses!r}.")
    curves: list[Callable[[float], Any] | None] = [None] if guesses is None else list(guesses)
    different: list[Solved] = []
    for curve in curves:
        for found in _found(problem, curve, None, tol):
            if not any(_same(found, other) for other in different):
                different.append(found)
    return sorted((_judged(problem, found) for found in different), key=lambda found: found.value)


def _found(
    problem: VariationalProblem, curve: Callable[[float], Any] | None, multipliers: object | None, tol: float
) -> Iterator[Solved]:
    """Yield what each first guess leads to, where it passes its own check."""
    if not isinstance(problem, VariationalProblem):
        raise InputError(f"a VariationalProblem is expected, got {problem!r}.")
    if not FINEST <= positive(tol, "tol") <= COARSE:
        raise InputError(f"tol must lie between {FINEST:g} and {COARSE:g}, but is {tol!r}.")
    if problem.compiled.parametric and problem.free_end:
        raise InputError("the path alone counts in this problem, so the end of its parameter means nothing; give it.")
    tried = False
    for guess in first_guesses(problem, curve, multipliers):
        if _singular(problem, guess):
            continue
        tried = True
        solved = solve_from(problem, guess, tol)
        if solved is not None and defect(problem, solved)[1] <= LOOSE * tol:
            yield solved
    if not tried:
        raise InputError(
            "the second derivative of the integrand by v is singular (or no number) along every first guess, so the"
            " Euler-Lagrange equations do not determine the second derivatives. Write the integral with other unknowns,"
            " drop an unknown whose derivative does not occur, or give a guess along which it is regular."
        )


def _singular(problem: VariationalProblem, guess: Guess) -> bool:
    """Whether the equations determine the highest derivatives at no point, or are no numbers somewhere inside."""
    mu = np.tile(guess.mu, (len(guess.s), 1))
    t = problem.t0 + guess.T * guess.s
    matrix, right = highest(problem, guess.q, guess.v, t, guess.lam, mu)
    finite = np.all(np.isfinite(right), axis=1)
    if not np.all(finite):
        return True
    return all(condition(one[None]) < SINGULAR for one in matrix)


def _nothing(problem: VariationalProblem, guess: object, multipliers: object) -> SolverError:
    how = "the given guess" if guess is not None else "any bowed line between the ends"
    conditions = [x.name for x in problem.integrals] + list(problem.compiled.row_names)
    side = f" that keeps {', '.join(conditions)}" if conditions else ""
    return SolverError(
        f"no extremal{side} was found from {how}. There may be none: ends too far apart, conditions that contradict the"
        " ends. Else give a closer guess" + (" and multipliers." if conditions and multipliers is None else ".")
    )


def _same(one: Solved, other: Solved) -> bool:
    """Whether two solutions are the same curve."""
    s = np.linspace(0.0, 1.0, POINTS)
    first, second = (x.layout.split(x.dense(s))[0] for x in (one, other))
    size = max(float(np.max(np.abs(first))), 1e-300)
    lengths = abs(one.T - other.T) / one.T
    return float(np.max(np.abs(first - second))) <= SAME * size and lengths <= SAME


def _judged(problem: VariationalProblem, solved: Solved) -> Extremal:
    """Return the extremal with its value, its defect and its second variation."""
    q, v, mu, _ = solved.layout.split(solved.dense(solved.s))
    value, residual = defect(problem, solved)
    bounds = legendre(problem, solved, np.linspace(0.0, 1.0, POINTS))
    names = [x.name for x in problem.integrals]
    return Extremal(
        problem=problem,
        t=problem.t0 + solved.T * solved.s,
        q=q,
        v=v,
        mu=mu,
        multipliers=dict(zip(names, (float(x) for x in solved.lam), strict=True)),
        value=value,
        residual=residual,
        legendre=bounds,
        second=second_variation(problem, solved, bounds),
        solved=solved,
    )


def defect(problem: VariationalProblem, solved: Solved) -> tuple[float, float]:
    """Return ∫ F dt and the largest defect of the integrated equations, relative to the size of their terms.

    These are du Bois-Reymond's form, 𝓛_v(t) − 𝓛_v(t₀) = ∫ 𝓛_q dt, with q(t) − q(t₀) = ∫ v dt, ψ = 0 and ∫ G dt = c.
    𝓛_v counts as at least ∫ |F| dt over the largest |q|. Integrals are Gauss's with six points on each interval of the
    mesh; no second derivative enters.
    """
    nodes, weights = _GAUSS
    s, T, layout = solved.s, solved.T, solved.layout
    half = np.diff(s) / 2
    inside = ((s[1:] + s[:-1]) / 2)[:, None] + half[:, None] * nodes
    w = T * half[:, None] * weights

    def densities(points: Array) -> Any:
        q, v, mu, _ = layout.split(solved.dense(points))
        return q, v, problem.compiled.densities(q, v, problem.t0 + T * points, solved.lam, mu)

    def summed(values: Array) -> Array:
        parts = values.reshape(len(half), len(nodes), -1)
        return np.vstack([np.zeros(parts.shape[2]), np.cumsum(np.einsum("ij,ijk->ik", w, parts), axis=0)])

    q, v, at = densities(s)
    _, v_in, inner = densities(inside.ravel())
    wanted = np.array([x.value for x in problem.integrals])
    action = float(summed(np.abs(inner.F))[-1, 0]) / max(float(np.abs(q).max()), 1e-300)
    pairs = [
        (at.momentum - at.momentum[0], summed(inner.force), max(action, np.abs(at.momentum).max())),
        (q - q[0], summed(v_in), np.abs(q).max()),
        (summed(inner.G)[-1], wanted, np.abs(wanted).max(initial=0.0)),
        (inner.psi, np.zeros_like(inner.psi), np.abs(v).max()),
    ]
    parts = [
        float(np.max(np.abs(x - y), initial=0.0)) / max(float(size), float(np.max(np.abs(y), initial=0.0)), 1e-300)
        for x, y, size in pairs
        if x.size
    ]
    return float(summed(inner.F)[-1, 0]), max(parts)
