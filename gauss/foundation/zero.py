"""How zero is decided: a number that decides comes with its noise, and the answer is one of three.

The noise of a number is what its data and its evaluation leave open, in its own unit: the unit roundoff times the sum
of the absolute values of the terms that were added to make it, never a norm of something that may itself have
cancelled, never a unit of length. A number up to `ZERO` times its noise is zero; one from `CLEAR` times its noise on is
not; between them nothing is decided, and the caller says so.

The few numbers that decide stand here, each with its reason.
"""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from gauss.foundation.arrays import Array

Answer = Literal["zero", "not zero", "undecided"]

UNIT = float(np.finfo(float).eps) / 2.0  # u = 2⁻⁵³, the relative error of one operation rounded to nearest
ZERO = 8.0  # the noise adds up single roundings; sums of products and a factorisation behind them make a few more
CLEAR = 64.0  # eight times that: what a number below it says may be made of roundings that all have the same sign
KNOWN = 8.0 * UNIT  # no state is known better, relative to the sizes of its coordinates: some units in the last place
COMPUTED = 128.0 * UNIT  # what that makes of singular values and of errors, with the roundings on the way to them
UNDERFLOW = 1e-290  # of numbers below this one the roundings are lost: they are as good as zero


def answer(value: float, noise: float) -> Answer:
    """Return whether a number is zero by its noise.

    >>> answer(2e-17, 1e-16), answer(1e-9, 1e-16), answer(3e-15, 1e-16)
    ('zero', 'not zero', 'undecided')
    """
    size = abs(value)
    if size <= max(ZERO * noise, UNDERFLOW):
        return "zero"
    return "not zero" if size >= CLEAR * noise else "undecided"


def is_zero(value: Any, noise: Any) -> Any:
    """Return where numbers are zero by their noise, elementwise."""
    return np.abs(value) <= np.maximum(ZERO * np.asarray(noise), UNDERFLOW)


def ratio(value: Array, noise: Array) -> Array:
    """Return |value|/noise elementwise, by which `answer` goes; 0 for what underflows, inf where there is no noise."""
    size = np.abs(value)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        return np.where(size > UNDERFLOW, size / noise, 0.0)
