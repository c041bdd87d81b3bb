"""What a state that is off its rows leaves open of them: rows given as numbers, with their residuals.

The rows are those of a state near by, which a displacement δ ≈ −J⁺φ leads to; on the way row k changes by ∂J_k/∂q δ, or
by |J_k||δ|/ℓ where only a length is known. A combination of rows that is smaller than that may vanish or not.
"""

from __future__ import annotations

import numpy as np

from gauss.foundation.arrays import Array
from gauss.foundation.dependence import dependence

MARGIN = 2.0  # the displacement is known to first order: what exceeds the change of the rows by this factor is certain


def left_open(J: Array, residuals: Array, second: Array | None, length: float) -> Array:
    """Return by how much the entries of the rows J (m, n) may change until the residuals (m,) are gone, (m, n).

    Only those combinations of the rows are divided by that are certain; for what they leave of the residuals the
    displacement is that at which the change of the rows closes them, √(2 φ |J|/|∂J/∂q|).
    """
    size = np.linalg.norm(J, axis=1)
    size = np.where(size > 0.0, size, 1.0)
    bent = size / length if second is None else np.linalg.norm(second, axis=(1, 2))

    def change(move: Array) -> Array:
        if second is None:
            return np.outer(bent * float(np.linalg.norm(move)), np.ones(J.shape[1]))
        return np.asarray(np.abs(second) @ np.abs(move))

    rest, move = residuals / size, np.zeros(J.shape[1])
    U, sigma, V = np.linalg.svd(J / size[:, None], full_matrices=False)
    for u, s, v in zip(U.T, sigma, V, strict=True):
        if s <= MARGIN * float(np.linalg.norm(np.abs(u) @ (change(move) / size[:, None]))) or s == 0.0:
            break
        part = float(u @ rest)
        rest, move = rest - part * u, move - part / s * v
    with np.errstate(divide="ignore", invalid="ignore"):
        further = np.where(bent > 0.0, np.sqrt(2.0 * np.abs(rest) * size / bent), 0.0)
    return change(np.abs(move) + float(np.max(further, initial=0.0)))


def uncertain(J: Array, unsure: Array) -> Array:
    """Return the combinations (m, d) of rows that may vanish when their entries change by `unsure` (m, n)."""
    combinations = dependence(J, np.zeros_like(J)).combinations
    certain = np.any(np.abs(combinations.T @ J) > MARGIN * (np.abs(combinations).T @ unsure), axis=1)
    return np.asarray(combinations[:, ~certain])


def concerned(J: Array, unsure: Array) -> Array:
    """Return which rows (m,) take part in a combination that may vanish: a hundredth of it, by the size of the rows."""
    parts = np.abs(uncertain(J, unsure)) * np.linalg.norm(J, axis=1)[:, None]
    return np.asarray(np.any(parts > 0.01 * np.max(parts, axis=0, initial=0.0), axis=1))
