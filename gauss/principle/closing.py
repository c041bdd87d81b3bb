"""What a state that is off its rows leaves open of them: rows given as numbers, with their residuals.

The rows are those of a state near by, which a displacement δ ≈ −J⁺φ leads to; on the way row k changes by ∂J_k/∂q δ, or
by |J_k||δ|/ℓ where only a length is known. A combination of rows that is smaller than that may vanish or not. Only
combinations that are certain are divided by; for what they leave of the residuals the displacement is that at which the
change of the rows closes them, √(2 φ |J|/|∂J/∂q|).
"""

from __future__ import annotations

import numpy as np

from gauss.foundation.arrays import Array, Flags, lengths_of
from gauss.foundation.dependence import dependence, equilibrated
from gauss.foundation.tolerances import DETERMINED, HELD
from gauss.foundation.zero import CLEAR, UNIT, ZERO, ratio

MARGIN = 2.0  # the displacement is known to first order: what exceeds the change of the rows by this factor is certain


def left_open(J: Array, residuals: Array, second: Array | None, length: float) -> tuple[Array, Array]:
    """Return by how much entries of the rows J (m, n) may change until the residuals (m,) are gone, (m, n) twice.

    The first is due to residuals that are open. The second is due to those that are closed: they turn no row by more
    than `HELD`, which programs that close loops do not always reach, and count as noise of the rows.
    """
    size = np.linalg.norm(J, axis=1)
    size = np.where(size > 0.0, size, 1.0)
    bent = size / length if second is None else np.linalg.norm(second, axis=(1, 2))
    shut = np.abs(residuals) / size * np.max(bent / size, initial=0.0) <= HELD

    def change(move: Array) -> Array:
        if second is None:
            return np.outer(bent * float(np.linalg.norm(move)), np.ones(J.shape[1]))
        return np.asarray(np.abs(second) @ np.abs(move))

    def displacement(missed: Array) -> tuple[Array, Array]:
        rest, move = missed / size, np.zeros(J.shape[1])
        for u, s, v in zip(U.T, sigma, V, strict=True):
            if s <= MARGIN * float(np.linalg.norm(np.abs(u) @ (change(move) / size[:, None]))) or s == 0.0:
                break
            part = float(u @ rest)
            rest, move = rest - part * u, move - part / s * v
        return np.abs(move), np.abs(rest)

    U, sigma, V = np.linalg.svd(J / size[:, None], full_matrices=False)
    move, rest = displacement(np.where(shut, 0.0, residuals))
    with np.errstate(divide="ignore", invalid="ignore"):
        further = np.where(bent > 0.0, np.sqrt(2.0 * rest * size / bent), 0.0)
    open_by = change(move + float(np.max(further, initial=0.0)))
    return open_by, change(displacement(np.where(shut, residuals, 0.0))[0])


def decided(J: Array, unsure: Array, noise: Array) -> tuple[Array, Flags, Flags]:
    """Return combinations (m, m) of rows J (m, n), which of them do not vanish (m,), and which do (m,).

    `unsure` (m, n) is what residuals leave open of the rows, `noise` (m, n) what is not known of them at all. A
    combination does not vanish where it exceeds both clearly; it does where it is zero by the noise, and residuals
    leave no more open. The others may vanish or not.
    """
    found = dependence(J, noise)
    noise = np.maximum(noise, UNIT * np.abs(J))
    weights, value = np.abs(found.combinations).T, np.abs(found.combinations.T @ J)
    turned, known = MARGIN * (weights @ unsure), weights @ noise
    rounded = UNIT * np.max(found.sigma, initial=0.0) * np.sqrt(max(J.shape)) / found.columns  # of the combinations
    over = np.max(ratio(value, turned + CLEAR * (known + rounded)), axis=1, initial=0.0)
    clear = (found.ratio >= CLEAR) & (over > 1.0)
    gone = (found.ratio <= ZERO) & np.all(turned <= CLEAR * known, axis=1)
    # what no change of the rows takes from their rank: other combinations may be smaller where more is open
    sure = _least_rank(J, MARGIN * unsure + CLEAR * noise)
    clear[sorted(np.flatnonzero(clear), key=lambda k: -over[k])[sure:]] = False
    return found.combinations, clear, gone


def _least_rank(J: Array, change: Array) -> int:
    """Return a rank that rows J (m, n) keep whatever the change (m, n) of their entries.

    No singular value moves by more than the norm of what is added (Weyl), in any scale of rows and columns; the one
    that makes the change equal everywhere tells most.
    """
    if not J.size:
        return 0
    rows, columns = equilibrated(change, np.zeros_like(change))
    scaled, moved = rows[:, None] * J * columns, rows[:, None] * change * columns
    return int(np.sum(np.linalg.svd(scaled, compute_uv=False) > np.linalg.norm(moved, 2)))


def uncertain(J: Array, unsure: Array, noise: Array) -> Array:
    """Return the combinations (m, d) of rows that may vanish or not."""
    combinations, clear, gone = decided(J, unsure, noise)
    return combinations[:, ~(clear | gone)]


def concerned(J: Array, unsure: Array, noise: Array) -> Flags:
    """Return which rows (m,) take part in a combination that may vanish or not, by the size of the rows."""
    parts = np.abs(uncertain(J, unsure, noise)) * lengths_of(J)[:, None]
    return np.asarray(np.any(parts > DETERMINED * np.max(parts, axis=0, initial=0.0), axis=1))
