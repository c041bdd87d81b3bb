"""Singular positions on the way of a motion: looked for, located, passed, rested at."""

from gauss.motion.singular.deflation import deflation
from gauss.motion.singular.redundant import EVEN, exchanged, independence, independent_rows
from gauss.motion.singular.spectrum import zeros

__all__ = [
    "EVEN",
    "deflation",
    "exchanged",
    "independence",
    "independent_rows",
    "zeros",
]
