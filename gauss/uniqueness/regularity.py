"""Rank of the constraint rows in the mass metric: regular or rank-deficient, and which rows depend on each other.

Diagnosis never asks a quadratic-program solver. A position is regular (Stäckel) when the equality rows together with
the closed unilateral rows have full rank; then the Zwang has exactly one minimiser and the rows (4), (16) of
N. Cyganowa, *Mech. Teoret. i Stos.* 2, 19 (1981) are the right ones.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gauss.errors import ContradictoryRowsError, InputError, NonUniqueAccelerationError
from gauss.foundation.arrays import Array, Flags
from gauss.foundation.dependence import dependence, dependent_sets
from gauss.foundation.outcomes import Shown
from gauss.foundation.tolerances import DOUBTFUL
from gauss.numerics.massless import MISSED, Freedom, Held, violated
from gauss.principle import GaussProblem
from gauss.principle.closing import concerned, uncertain
from gauss.principle.metric import cholesky_blocks, metric_of
from gauss.principle.rank import RANK_TOLERANCE, rounding_of, spectrum_of
from gauss.principle.reduction import contradiction_of, crumbs_of, reduce
from gauss.uniqueness.rows.combinations import involved

INVOLVED = 1e-6  # of the largest: coordinates that move less along a direction without inertia are not named
HEAVY = 1e-3  # of the largest: smaller entries of the weakest combination are not told


@dataclass(frozen=True, repr=False)
class Regularity(Shown):
    """The verdict on the rows at one state, with the evidence that decided it."""

    verdict: str  # "regular", "rank-deficient", or "undecided" where it hangs on the residuals of the state
    rank: int
    rows: tuple[str, ...]  # (m,) names of the rows that were examined
    sigma: Array  # (min(m, n) − left_out,) singular values of the rows scaled in the mass metric, decreasing
    tolerance: float  # singular values below this count as zero
    gap: float  # ratio of the smallest value counted as nonzero to the largest counted as zero; inf if none is
    dependent: tuple[tuple[str, ...], ...]  # minimal dependent sets of rows, by name
    weakest: tuple[str, ...]  # rows of the combination that is nearest to vanishing
    doubtful: bool  # a singular value is so near the tolerance that the decision may go either way
    left_out: int = 0  # singular values that were not computed, between the largest and the smallest (large systems)
    open: tuple[str, ...] = ()  # rows of combinations that vanish or not when the residuals of the state are closed
    assumed: bool = False  # rows given as numbers without residuals: the state is taken to satisfy them exactly

    @property
    def regular(self) -> bool:
        """Whether the rows are independent."""
        return self.verdict == "regular"

    @property
    def sigma_min(self) -> float:
        """Smallest singular value; 0 if there are more rows than coordinates, 1 without rows."""
        if not self.rows:
            return 1.0
        return float(self.sigma[-1]) if self.sigma.size + self.left_out == len(self.rows) else 0.0

    @property
    def sentence(self) -> str:
        """The verdict, its cause and its remedy in words."""
        m = len(self.rows)
        if self.open:
            names = ", ".join(map(repr, self.open))
            return (
                f"undecided: {m} row{'s' if m > 1 else ''} of rank {self.rank} or more; whether {names} are independent"
                " is not decided until the loops are closed: the combination that decides is smaller than the change of"
                " the rows while their residuals are mended. Close them (gauss.consistent does so for a model)."
            )
        if self.regular:
            many = "the row does not vanish" if m == 1 else f"the {m} rows are independent"
            text = f"regular: {many} (smallest singular value {self.sigma_min:.3g})"
            text = text if m else "regular: no constraint row is in force"
        else:
            sets = "; ".join(" + ".join(repr(name) for name in group) for group in self.dependent)
            text = (
                f"rank-deficient: {m} row{'s' if m > 1 else ''} of rank {self.rank}; dependent: {sets}. The multipliers"
                " of these rows are not unique. Either a constraint is given twice (remove it), or the position is"
                " singular and these rows alone do not determine the acceleration"
            )
        text += ". The decision hangs on the tolerance" if self.doubtful else ""
        return text + (". The state is taken to satisfy the rows exactly" if self.assumed and m else "") + "."

    def __str__(self) -> str:
        values = ", ".join(f"{s:.3g}" for s in self.sigma)
        return (
            f"{self.sentence}\nsingular values {values or 'none'}; tolerance {self.tolerance:.1g}; gap {self.gap:.3g}"
        )


def diagnose(problem: GaussProblem) -> Regularity:
    """Decide whether the equality rows and closed unilateral rows of a problem are independent.

    Rows with two infinite bounds (open contacts) are left out. Where the problem holds residuals of its state, a rank
    that hangs on less than these leave open of the rows is undecided.

    Raises InputError for anything but a GaussProblem, MassMatrixError for an indefinite mass matrix.

    >>> from gauss.principle import GaussProblem
    >>> from gauss.uniqueness import diagnose
    >>> rows = GaussProblem.of([[1, 0], [0, 2]], [0, 0], J=[[1, 1], [2, 2]], lower=[0, 0], names=["one", "twice"])
    >>> found = diagnose(rows)
    >>> found.verdict, found.rank, found.dependent
    ('rank-deficient', 1, (('one', 'twice'),))
    """
    if not isinstance(problem, GaussProblem):
        raise InputError(
            f"diagnose expects a GaussProblem, got {type(problem).__name__}; see GaussProblem.at(system, …)."
        )
    rows = problem.rows
    present = np.flatnonzero(np.isfinite(rows.lower) | np.isfinite(rows.upper))
    names = tuple(rows.names[k] for k in present)
    metric = problem.metric
    noise = None if rows.noise is None else rows.noise[present]
    spectrum = spectrum_of(metric, rows.J[present], noise, stated=problem.unsure is not None)
    sigma, rank = spectrum.sigma, spectrum.rank
    top = float(np.max(sigma, initial=0.0))
    tolerance = RANK_TOLERANCE * top
    full = rank == len(names)
    lost = float(sigma[rank]) if rank < sigma.size else 0.0
    kept = float(sigma[rank - 1]) if rank else 0.0
    relative = sigma / top if top > 0.0 else sigma
    unsure = None if problem.unsure is None else problem.unsure[present]
    noise = rounding_of(metric, rows.J[present]) if noise is None else noise
    left = np.zeros((len(names), 0)) if unsure is None else uncertain(rows.J[present], unsure, noise)
    loose = np.zeros(len(names), dtype=bool) if unsure is None else concerned(rows.J[present], unsure, noise)
    verdict = "undecided" if np.any(loose) else "regular" if full else "rank-deficient"
    return Regularity(
        verdict=verdict,
        rank=min(rank, len(names) - left.shape[1]),
        rows=names,
        sigma=sigma,
        tolerance=tolerance,
        gap=float("inf") if full or lost == 0.0 else kept / lost,
        dependent=() if full else _dependent(rows.J[present], noise, names),
        weakest=tuple(names[k] for k in involved(spectrum.U[:, -1], HEAVY)) if names else (),
        doubtful=bool(np.any((relative > DOUBTFUL[0]) & (relative < DOUBTFUL[1])) or np.any(loose)),
        open=tuple(name for name, yes in zip(names, loose, strict=True) if yes),
        assumed=unsure is None and set(rows.kinds) == {"row"},
    )


def _dependent(J: Array, noise: Array, names: tuple[str, ...]) -> tuple[tuple[str, ...], ...]:
    """Return minimal dependent sets of rows by name, one for each row that depends on the rows before it."""
    return tuple(tuple(names[k] for k in found) for found in dependent_sets(dependence(J, noise).vanishing))


def require_unique(problem: GaussProblem) -> None:
    """Raise NonUniqueAccelerationError if a semidefinite mass matrix leaves an acceleration undetermined.

    The minimiser is unique when ker M and the kernel of the equality rows meet in zero only (M + JᵀJ is definite), or
    where inequality rows that the force presses hold what is left. Otherwise it raises ContradictoryRowsError where the
    rows contradict each other as well.

    >>> from gauss.principle import GaussProblem
    >>> from gauss.uniqueness import require_unique
    >>> require_unique(GaussProblem.of([[1, 0], [0, 0]], [0, 0], J=[[1, 1]], lower=[0]))  # the row holds y
    >>> require_unique(GaussProblem.of([[1, 0], [0, 0]], [0, 0], coordinates=["x", "y"]))  # doctest: +ELLIPSIS
    Traceback (most recent call last):
        ...
    gauss.errors.NonUniqueAccelerationError: the mass matrix has no inertia along y and no equality row holds that ...
    """
    if problem.metric.definite:
        return
    reduce(problem)  # raises where no acceleration satisfies the equality rows
    rows = problem.rows
    bounded = [name for k, name in enumerate(rows.names) if np.isfinite(rows.lower[k]) or np.isfinite(rows.upper[k])]
    missed = violated(rows.J, rows.lower, rows.upper, 1.0 / np.diag(problem.metric.L), crumbs_of(problem))
    if missed > MISSED:
        raise ContradictoryRowsError(*contradiction_of(rows, missed))
    held = Held.of(problem.M, rows.J[rows.equality], None if rows.noise is None else rows.noise[rows.equality])
    share = np.abs(held.directions(problem.M)[0]) / held.sizes[:, None]
    share = np.max(share / np.max(share, axis=0), axis=1)
    along = [name for name, x in zip(problem.coordinates, share, strict=True) if x > INVOLVED]
    contacts = ", ".join(repr(name) for name in bounded if rows.index(name) in rows.inequality)
    raise NonUniqueAccelerationError(
        _undetermined(", ".join(along), problem.pressed[0].freedom, held.doubtful, contacts)
        + " Give these coordinates mass, or constrain them."
    )


def _undetermined(along: str, freedom: Freedom, doubtful: bool, contacts: str) -> str:
    """Return what is known of accelerations along coordinates without inertia."""
    if doubtful:
        return (
            f"whether there is inertia along {along}, or an equality row that holds that direction, hangs on the"
            " rounding of the mass matrix and the rows, so it is not decided whether the acceleration is unique."
        )
    start = f"the mass matrix has no inertia along {along} and no equality row holds that direction"
    if freedom == "unbounded":
        return f"{start}, so the Zwang is unbounded: the force would accelerate it infinitely."
    if freedom == "free":
        return f"{start}, so the acceleration is not unique."
    if contacts:
        return f"{start}; whether the force presses {contacts} so that they hold it is not decided."
    return f"{start}, so the acceleration is not determined; whether a force acts along it hangs on rounding."


def sigma_min_along(M: Array, J: Array, present: Flags) -> Array:
    """Return σ_min (N,) of the rows present at each of N states; M (N, n, n), J (N, m, n), present (N, m) booleans.

    Rows are scaled to unit length in the mass metric (augmented by the rows where M is not definite); 1 where there
    are no rows, 0 where there are more rows than coordinates.
    """
    result = np.ones(len(M))
    for pattern in np.unique(present, axis=0):
        members = np.flatnonzero(np.all(present == pattern, axis=1))
        rows = J[members][:, pattern]
        if rows.shape[1] == 0:
            continue
        L = _batched_factor(M[members], rows)
        whitened = np.swapaxes(np.linalg.solve(L, np.swapaxes(rows, 1, 2)), 1, 2)
        length = np.linalg.norm(whitened, axis=2, keepdims=True)
        sigma = np.linalg.svd(whitened / np.where(length == 0.0, 1.0, length), compute_uv=False)
        result[members] = sigma[:, -1] if rows.shape[1] <= rows.shape[2] else 0.0
    return result


def _batched_factor(M: Array, rows: Array) -> Array:
    """Return factors L (N, n, n) of M, or of M augmented by the rows where M is not definite."""
    L = cholesky_blocks(M)
    if L is not None:
        return L
    none, names = np.zeros(M.shape[-1]), tuple(f"a{k}" for k in range(M.shape[-1]))
    return np.array([metric_of(m, none, J, np.zeros(len(J)), names).L for m, J in zip(M, rows, strict=True)])
