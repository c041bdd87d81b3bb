"""What everything rests on: arrays and names, how zero is decided, files, threads, pickling."""

from gauss.foundation.arrays import norms
from gauss.foundation.dense import Cholesky, solve_factored, solve_triangular
from gauss.foundation.threads import Lock, filtered, precise, warn, withheld
from gauss.foundation.zero import UNIT

__all__ = [
    "UNIT",
    "Cholesky",
    "Lock",
    "filtered",
    "norms",
    "precise",
    "solve_factored",
    "solve_triangular",
    "warn",
    "withheld",
]
