"""What a solver proposes before it is finished and certified: an acceleration and an active set."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gauss.foundation.arrays import Array
from gauss.principle.problem import GaussProblem

Signs = NDArray[np.int8]  # (m,) +1 at the lower bound, −1 at the upper bound, 0 inactive; equality rows are always +1
SetSolver = Callable[[Signs], tuple[Array, Array]]  # active set → (a, λ) with those rows as equalities


@dataclass(frozen=True)
class Proposal:
    """A solver's own answer, to be finished by a direct solve on its active set."""

    a: Array  # (n,)
    active: Signs  # (m,)
    iterations: int
    status: str


def equality_signs(problem: GaussProblem) -> Signs:
    """Return the active set with the equality rows only."""
    signs = np.zeros(problem.m, dtype=np.int8)
    signs[problem.rows.equality] = 1
    return signs
