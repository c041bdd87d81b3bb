"""A claim: a number that should be small, how small, and why; every result can be refuted by whoever holds it."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from gauss.errors import InputError
from gauss.foundation.arrays import Array, as_array
from gauss.foundation.calls import advised
from gauss.foundation.outcomes import Shown


@advised
@dataclass(frozen=True, repr=False)
class Claim(Shown):
    """`error` ≤ `bound`, for the stated reason; without a bound, that something is not false.

    Raises InputError for what is no number.

    >>> import gauss as g
    >>> claim = g.Claim("the period is 2π√(l/g)", 3e-12, 1e-9, "closed form")
    >>> claim.holds
    True
    >>> g.Claim("it moves up", not 0.2 > 0.0).holds
    True
    """

    name: str  # what is claimed, as a sentence fragment: "bead stays on the cycloid"
    error: float  # measured, or whether it is false
    bound: float = 0.0  # what it may be at most
    reason: str = "yes or no"  # where the bound comes from

    def __post_init__(self) -> None:
        for which in ("error", "bound"):
            value = np.asarray(getattr(self, which))
            if value.ndim or value.dtype.kind not in "biuf":
                raise InputError(f"the {which} of the claim {self.name!r} must be a number, got {value!r}.")
            object.__setattr__(self, which, float(value))

    @property
    def holds(self) -> bool:
        """Whether the claim holds; a nan error never does."""
        return bool(self.error <= self.bound)

    def __str__(self) -> str:
        return f"{self.name}: {self.error:.3g} {'≤' if self.holds else '≰'} {self.bound:.3g}, {self.reason}"


class Claims(list[Claim], Shown):
    """A list of claims, which a notebook shows as a table; `left_out` says what was not asked, in words."""

    def __init__(self, claims: Iterable[Claim] = (), left_out: str = ""):
        super().__init__(claims)
        self.left_out = left_out

    def __str__(self) -> str:
        return "\n".join([*map(str, self), *([self.left_out] if self.left_out else [])]) or "no claims"


@advised
def relative(value: Any, expected: Any) -> float:
    """Return max|value − expected| / max|expected| (or the absolute error where the expected values vanish).

    `expected` has the shape of `value`, or one that is repeated along it. Raises InputError for other shapes.

    >>> import gauss as g
    >>> g.relative([1.0, 2.0], [1.0, 2.002]) < 2e-3
    True
    """
    got, want = as_array(value, "value"), as_array(expected, "expected")
    try:
        fits = np.broadcast_shapes(got.shape, want.shape) == got.shape
    except ValueError:
        fits = False
    if not fits:
        raise InputError(f"cannot compare values of shape {got.shape} with expected ones of shape {want.shape}.")
    scale = float(np.max(np.abs(want), initial=0.0))
    return float(np.max(np.abs(got - want), initial=0.0)) / (scale if scale > 0.0 else 1.0)


@advised
def convergence_order(steps: Array, errors: Array) -> float:
    """Return the order between the two finest steps: log(e₁/e₂)/log(h₁/h₂). Steps need not be sorted.

    Raises InputError for fewer than two steps and for lists of different lengths.

    >>> import gauss as g
    >>> g.analysis.convergence_order([0.1, 0.05], [1.6e-5, 1.0e-6])  # half the step, a 16th of the error
    4.0
    """
    if len(steps) != len(errors) or len(steps) < 2:
        raise InputError(f"an order needs two steps and their errors, got {len(steps)} steps and {len(errors)} errors.")
    order = np.argsort(steps)
    h, e = np.asarray(steps, dtype=float)[order], np.asarray(errors, dtype=float)[order]
    return float(np.log(e[1] / e[0]) / np.log(h[1] / h[0]))


@dataclass(frozen=True)
class Unexamined:
    """What was not examined, and why: of a motion too short for it, say."""

    name: str  # what would be claimed
    why: str  # "needs t ≥ 0.5 s; the motion ends at 0.1 s"


Checks = Callable[[Any], Sequence[Claim | Unexamined]]


@advised
def needs(t: float, what: str = "what is claimed of the whole motion") -> Callable[[Checks], Checks]:
    """Return a decorator for a function of a run that returns claims: of a motion that ends before t (s) none is asked.

    In their place there is one `Unexamined`, which names `what` they are about.

    >>> import gauss as g
    >>> @g.needs(2.0)
    ... def claims(run):
    ...     return [g.Claim("it stands still", abs(run["d_x"][-1]), 1e-9, "by then the brake has stopped it")]
    """

    def decorated(checks: Checks) -> Checks:
        @functools.wraps(checks)
        def asked(run: Any) -> Sequence[Claim | Unexamined]:
            end = float(run.t[-1]) if len(run) else -np.inf
            if end < t - 1e-12 * abs(t):
                return [Unexamined(what, f"needs t ≥ {t:.6g} s; the motion ends at {end:.6g} s")]
            return checks(run)

        return asked

    return decorated
