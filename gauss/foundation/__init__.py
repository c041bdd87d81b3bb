"""What everything rests on: arrays and names, how zero is decided, files, threads, pickling."""

from typing import TYPE_CHECKING

from gauss.foundation.later import later

if TYPE_CHECKING:
    from gauss.foundation.arrays import norms
    from gauss.foundation.dense import Cholesky, solve_factored, solve_triangular
    from gauss.foundation.threads import Lock, filtered, precise, warn, withheld
    from gauss.foundation.zero import UNIT

HOMES = {
    **dict.fromkeys(("Cholesky", "solve_factored", "solve_triangular"), "dense"),
    **dict.fromkeys(("Lock", "filtered", "precise", "warn", "withheld"), "threads"),
    "UNIT": "zero",
    "norms": "arrays",
}

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

__getattr__ = later(__name__, HOMES)
