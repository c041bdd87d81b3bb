"""What the eigenvalues of a linearisation say about stability, each with the error it is known with.

Eigenvalues of A are uncertain by about eps·|A|/|wᴴv|, where v and w are the right and left eigenvectors of unit length;
at a multiple eigenvalue with too few eigenvectors wᴴv vanishes, and the bound is that of a Jordan block: eps^(1/p)·|A|,
where p ≥ 3 counts the eigenvalues that lie so near. A real part counts as positive or negative only beyond that.

States on which the linear equations do not depend, as the angle of a wheel that has rolled along, have columns of
zeros. They are taken off before, one after another; their eigenvalues are exact zeros, and the verdict names them as
neutral. A coordinate that drifts freely is neutral, and so is a velocity that each steady motion of a family has its
own value of: where all other disturbances decay and the neutral states are no more than such a family has, each
disturbed motion settles on a neighbour (Lyapunov and Malkin). Whether there is such a family the linear part does not
tell: ẍ = −ẋ + x³ has the neutral state x, and leaves 0.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import scipy
import scipy.linalg as sla
from numpy.typing import NDArray

from gauss.errors import InputError
from gauss.foundation.arrays import Array, as_array
from gauss.foundation.calls import advised
from gauss.foundation.outcomes import Shown
from gauss.foundation.tolerances import EPS

IGNORED = 1e-12  # entries of a column below this share of the largest entry of A are zero
ROUNDING = 64.0 * EPS  # the same share, below which they are so beyond doubt
SAFETY = 100.0  # factor on the first-order bound on an eigenvalue, for the errors of A itself
SORTED = 10  # digits to which real parts count as equal when eigenvalues are sorted
TRIPLE = 3  # least order of the Jordan block that bounds the uncertainty

NUMBERS = ["no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"]
VERDICTS = ("unstable", "not decided", "decaying but for neutral states", "asymptotically stable")
STABLE, STABLE_BUT = "stable", "stable but for free coordinates"  # what the energy says where the spectrum does not

ComplexArray = NDArray[np.complex128]


@dataclass(frozen=True, repr=False)
class Spectrum(Shown):
    """Eigenvalues of a linearisation, real parts decreasing, with their uncertainty and their modes.

    >>> import gauss as g
    >>> damped = g.System("damped", "x", mass_matrix=[[1]], force=lambda q, v: [-q.x - 1.2 * v.x])
    >>> found = g.linearize(damped, [0.0]).spectrum
    >>> found.eigenvalues.round(9).tolist(), found.verdict
    ([(-0.6+0.8j), (-0.6-0.8j)], 'asymptotically stable')
    """

    states: tuple[str, ...]  # (d,)
    ignored: tuple[str, ...]  # states on which the others do not depend
    doubtful: tuple[str, ...]  # those of them whose columns may be more than rounding
    eigenvalues: ComplexArray  # (d,) 1/s; those of the ignored states are zero
    uncertainty: Array  # (d,) 1/s
    vectors: ComplexArray  # (d, d) unit modes in the states
    essential: NDArray[np.bool_]  # (d,) whether an eigenvalue decides stability

    @property
    def growing(self) -> ComplexArray:
        """Eigenvalues with positive real parts beyond doubt."""
        return np.asarray(self.eigenvalues[self.essential & (self.eigenvalues.real > self.uncertainty)])

    @property
    def neutral(self) -> ComplexArray:
        """Eigenvalues that decide stability and whose real parts cannot be told from zero."""
        return np.asarray(self.eigenvalues[self.essential & (np.abs(self.eigenvalues.real) <= self.uncertainty)])

    @property
    def verdict(self) -> str:
        """The verdict of the linear part: one of `VERDICTS`."""
        if self.growing.size:
            return VERDICTS[0]
        if not self.states:
            return VERDICTS[3]
        if self.neutral.size or self.doubtful or not np.any(self.essential):
            return VERDICTS[1]
        return VERDICTS[2] if self.ignored else VERDICTS[3]

    @property
    def undecided(self) -> str:
        """Which eigenvalues leave the verdict open: "all four eigenvalues are imaginary"."""
        count, zero = self.eigenvalues.size, int(np.sum(np.abs(self.neutral) <= np.max(self.uncertainty)))
        kinds = [(k, word) for k, word in ((zero, "zero"), (self.neutral.size - zero, "imaginary")) if k]
        if not kinds:
            return "no eigenvalue tells"
        if kinds[0][0] == count:
            every = {1: "the only eigenvalue is", 2: "both eigenvalues are"}
            return f"{every.get(count, f'all {_in_words(count)} eigenvalues are')} {kinds[0][1]}"
        parts = [f"{_in_words(k)} {'is' if k == 1 else 'are'} {word}" for k, word in kinds]
        return f"of {_in_words(count)} eigenvalues {' and '.join(parts)}, and none has a positive real part"

    @property
    def clear(self) -> ComplexArray:
        """The eigenvalues (d,) with zero for real and imaginary parts that cannot be told from it."""
        x, doubt = self.eigenvalues, self.uncertainty
        real, imaginary = (np.where(np.abs(part) <= doubt, 0.0, part) for part in (x.real, x.imag))
        return np.asarray(real + 1j * imaginary)

    @property
    def sentence(self) -> str:
        """The verdict with its reason."""
        if not self.states:
            return f"{self.verdict}: the rows leave no disturbance."
        rest = f"; neutral, as the linear equations do not contain them: {', '.join(self.ignored)}"
        rest = rest if self.ignored else ""
        if self.growing.size:
            top = self.growing[0]
            pair = f" ± {abs(top.imag):.6g}i" if top.imag else ""
            return f"unstable: eigenvalue {top.real:.6g}{pair} 1/s{rest}."
        if self.verdict == VERDICTS[1] and not self.neutral.size and self.doubtful:
            return (
                f"not decided: what depends on {', '.join(self.doubtful)} is less than {IGNORED:g} of the largest entry"
                " of A, which rounding may have made of zero."
            )
        if self.verdict == VERDICTS[1]:
            return f"not decided by the linear part alone: {self.undecided}{rest}."
        return f"{self.verdict}: slowest decay rate {-self.eigenvalues[self.essential][0].real:.6g} 1/s{rest}."

    def __str__(self) -> str:
        lines = [f"stability      {self.sentence}"]
        for x, r in zip(self.clear, self.uncertainty, strict=True):
            lines.append(f"eigenvalue     {x.real:+.9g} {x.imag:+.9g}i 1/s (±{r:.1g})")
        return "\n".join(lines)


def _in_words(count: int) -> str:
    return NUMBERS[count] if count < len(NUMBERS) else str(count)


def spectrum_of(A: Array, states: Sequence[str]) -> Spectrum:
    """Return the eigenvalues of A (d, d) in 1/s, their uncertainty and modes.

    Raises InputError where A is not finite or has another shape than the d states ask for.
    """
    A, d = as_array(A, "A"), len(states)
    if A.shape != (d, d):
        raise InputError(f"A must have the shape ({d}, {d}), one row for each state, but has {A.shape}.")
    if not np.all(np.isfinite(A)):
        raise InputError("A must be finite; check the model at the state that is linearised about.")
    kept, doubtful = _deciding(A, IGNORED), _deciding(A, ROUNDING)
    ignored = np.setdiff1d(np.arange(d), kept)
    values, radius, vectors = np.zeros(d, dtype=complex), np.zeros(d), np.zeros((d, d), dtype=complex)
    essential = np.zeros(d, dtype=bool)
    essential[: kept.size] = True
    values[: kept.size], radius[: kept.size], part = _eigenvalues(A[np.ix_(kept, kept)])
    vectors[np.ix_(kept, np.arange(kept.size))] = part
    for k in range(kept.size):  # the ignored states follow the others: (λ − A₂₂) w = A₂₁ v
        coupled = A[np.ix_(ignored, kept)] @ part[:, k]
        matrix = values[k] * np.eye(ignored.size) - A[np.ix_(ignored, ignored)]
        if ignored.size and abs(values[k]) > radius[k]:
            vectors[ignored, k] = np.linalg.solve(matrix, coupled)
    vectors[ignored, kept.size + np.arange(ignored.size)] = 1.0
    vectors /= np.linalg.norm(vectors, axis=0)
    size = float(np.max(np.abs(values), initial=0.0)) or 1.0
    order = np.lexsort((-values.imag, -np.round(values.real / size, SORTED), ~essential))
    return Spectrum(
        states=tuple(states),
        ignored=tuple(states[k] for k in ignored),
        doubtful=tuple(states[k] for k in np.setdiff1d(doubtful, kept)),
        eigenvalues=values[order],
        uncertainty=radius[order],
        vectors=vectors[:, order],
        essential=essential[order],
    )


def _deciding(A: Array, share: float) -> NDArray[np.intp]:
    """Return the states that are left when those with columns of zeros are taken off, one after another."""
    counts = np.abs(A) > share * float(np.max(np.abs(A), initial=0.0))
    kept = np.arange(len(A))
    while kept.size:
        needed = np.any(counts[np.ix_(kept, kept)], axis=0)
        if np.all(needed):
            break
        kept = kept[needed]
    return kept


def _eigenvalues(A: Array) -> tuple[ComplexArray, Array, ComplexArray]:
    """Return eigenvalues, their uncertainty and unit eigenvectors."""
    if not len(A):
        return np.zeros(0, dtype=complex), np.zeros(0), np.zeros((0, 0), dtype=complex)
    balanced, scale = sla.matrix_balance(A, permute=False)
    values, left, right = sla.eig(balanced, left=True, right=True)
    size = float(np.linalg.norm(balanced))
    overlap = np.abs(np.sum(left.conj() * right, axis=0))
    radius = np.minimum(SAFETY * EPS * size / np.maximum(overlap, 1e-300), _of_blocks(values, size))
    vectors = scale @ right
    return values, radius, vectors / np.linalg.norm(vectors, axis=0)


def _of_blocks(values: ComplexArray, size: float) -> Array:
    """Return how far rounding moves eigenvalues that belong to a Jordan block of as many as lie so near.

    The p eigenvalues of a block of order p move on a circle of radius eps^(1/p)·|A| about the one that they are.
    """
    apart = np.abs(values[:, None] - values[None, :])
    bound = np.full(values.size, EPS ** (1.0 / TRIPLE) * size)
    for p in range(TRIPLE + 1, values.size + 1):
        reach = EPS ** (1.0 / p) * size
        bound = np.where(np.sum(apart <= 2.0 * reach, axis=1) >= p, reach, bound)
    return bound


@dataclass(frozen=True, repr=False)
class RootLocus(Shown):
    """Eigenvalues over the values of a parameter, each followed continuously."""

    values: Array  # (N,)
    eigenvalues: ComplexArray  # (N, d)
    verdicts: tuple[str, ...]  # (N,)

    @property
    def changes(self) -> list[tuple[float, float, str, str]]:
        """Where the verdict changes: the two neighbouring values, and the verdicts there."""
        pairs = zip(range(len(self.values) - 1), self.verdicts[:-1], self.verdicts[1:], strict=True)
        return [(float(self.values[k]), float(self.values[k + 1]), a, b) for k, a, b in pairs if a != b]


@advised
def root_locus(build: Callable[[float], object], values: object) -> RootLocus:
    """Return the eigenvalues of ``build(value)``, a Linearization, over the values of a parameter.

    Eigenvalues at neighbouring values are matched so that they move least in all. Raises InputError for values that are
    no numbers, for what is no Linearization and for linearisations with different numbers of states.

    >>> import gauss as g
    >>> def damped(c):
    ...     return g.linearize(g.System("damped", "x", mass_matrix=[[1]], force=lambda q, v: [-q.x - c * v.x]), [0.0])
    >>> found = g.analysis.root_locus(damped, [0.0, 1.2, 1.6])
    >>> found.eigenvalues[:, 0].round(6).tolist()  # −c/2 + i√(1 − c²/4)
    [1j, (-0.6+0.8j), (-0.8+0.6j)]
    """
    if not callable(build):
        raise InputError(f"build must be a function that returns a Linearization, got {build!r}.")
    numbers = as_array(values, "values")
    if numbers.ndim != 1 or not numbers.size or not np.all(np.isfinite(numbers)):
        raise InputError("values must be a list of finite numbers, at least one.")
    found: list[ComplexArray] = []
    verdicts = []
    for number in numbers:
        spectrum = getattr(build(float(number)), "spectrum", None)
        if not isinstance(spectrum, Spectrum):
            raise InputError("the function given to root_locus must return a Linearization, see gauss.linearize.")
        current = spectrum.eigenvalues
        if found and current.size != found[-1].size:
            raise InputError(f"there are {found[-1].size} states before the value {number:g} and {current.size} at it.")
        if found:
            ahead = 2 * found[-1] - found[-2] if len(found) > 1 else found[-1]
            _, order = scipy.optimize.linear_sum_assignment(np.abs(ahead[:, None] - current[None, :]))
            current = current[order]
        found.append(current)
        verdicts.append(spectrum.verdict)
    return RootLocus(numbers, np.array(found), tuple(verdicts))
