"""The size of the next step, by the error of the last (E. Hairer, S. P. Nørsett, G. Wanner, *Solving ODEs I*, §II.4).

Errors are relative to the tolerances, so that a step with an error up to 1 is taken. All embedded pairs here have an
estimate of order 7: the error goes with h⁸. `gauss.model.compiled.steps.trials` has the same rule for symbols.
"""

from __future__ import annotations

import numpy as np

from gauss.foundation.arrays import Array

AIM = 0.75  # of the step that would just be taken: with 0.9 every sixth trial is refused, and the errors are larger
LEAST, MOST = 0.2, 10.0  # times the last step
LOST = 0.1  # times the last step, where it gave no number
LAST = 1e-9  # of a step: what would be left behind it is taken with it


def _aimed(error: float) -> float:
    return float(AIM * error ** (-1 / 8))


def grown(h: float, error: float) -> float:
    """Return the step after one of h (s) that was taken with an error."""
    return h * max(MOST if error == 0.0 else min(MOST, _aimed(error)), LEAST)


def shrunk(h: float, error: float) -> float:
    """Return the step in place of one of h (s) that was not taken; an infinite error is that of no number."""
    return h * (max(LEAST, _aimed(error)) if np.isfinite(error) else LOST)


def first_guess(y: Array, f: Array, scale: Array, span: float) -> float:
    """Return a first step (s) for y' = f, all (2n,), with the tolerances `scale` (2n,) and a run of `span` (s)."""
    d0, d1 = np.linalg.norm(y / scale), np.linalg.norm(np.nan_to_num(f) / scale)
    return float(0.01 * d0 / d1) if d0 > 1e-5 and d1 > 1e-5 else 1e-6 * span
