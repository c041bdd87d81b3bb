"""Numbers with their noise: is a computed coefficient zero, not zero, or undecided?

Values are balls of python-flint with 77 digits. The noise of a value is what the doubles of the model leave open: every
constant and every coordinate of the state stands for itself times 1 ± 2⁻⁵³, and to first order these changes move the
value by at most its noise.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite
from typing import Any

from flint import ctx

from gauss.foundation.zero import CLEAR as SURE
from gauss.foundation.zero import UNDERFLOW, ZERO

MANY_BITS = 1024  # precision beside a singular position: rows that touch to a high order are nearly dependent there
DUST = 2.0**-200  # noise of a number that is exact: above the rounding of the balls, far below that of doubles


class OpenError(Exception):
    """A question that the numbers at hand leave open; the message says which. It never leaves the package."""


class ShortError(OpenError):
    """A question that series to a higher order may decide."""


def fine(part: float) -> float:
    """Return 2 to a part of the bits that are computed with, as a small number."""
    return float(2.0 ** (-part * ctx.prec))


@dataclass(frozen=True)
class Noisy:
    """A value and its noise."""

    value: Any  # flint.arb
    noise: float

    @property
    def zero(self) -> bool | None:
        """Whether the value is zero; None where that is undecided."""
        return is_zero(self.value, self.noise)


def is_zero(value: Any, noise: float) -> bool | None:
    """Return whether a ball is zero within its noise; None where that is undecided."""
    size, width = abs(float(value.mid())), noise + float(value.rad())
    if not isfinite(size + width):
        return None
    if size <= ZERO * width:
        return True
    if size >= SURE * width and size > UNDERFLOW:
        return False
    return None
