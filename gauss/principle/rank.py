"""The rank of rows in the mass metric: which of them are independent, and which combinations vanish."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gauss.foundation.arrays import Array, norms
from gauss.foundation.dependence import dependence
from gauss.foundation.zero import UNIT
from gauss.principle.metric import Metric

RANK_TOLERANCE = 1e-11  # singular values below this times the largest count as zero, without noise
SMALL = 1e-6  # singular values above this times the largest are not zero whatever rounding made of the rows


@dataclass(frozen=True)
class ScaledSVD:
    """Singular value decomposition of rows scaled to unit length in the mass metric: D J L⁻ᵀ = U diag(σ) Vᵀ."""

    U: Array  # (m, m)
    sigma: Array  # (min(m, n),) decreasing
    V: Array  # (min(m, n), n) rows are right singular vectors
    length: Array  # (m,) length of each row in the metric; D = 1/length (1 for zero rows)
    rank: int

    @property
    def left_null(self) -> Array:
        """Orthonormal combinations (m, m − rank) of the scaled rows that vanish."""
        return self.U[:, self.rank :]


def spectrum_of(
    metric: Metric, J: Array, noise: Array | None = None, whitened: Array | None = None, stated: bool = False
) -> ScaledSVD:
    """Decompose rows in the metric, where they are `whitened` if that is known; zero rows stay zero.

    Small singular values may come from masses or units alone: then the rows as they are decide, each combination by the
    rounding of its terms, or by the `noise` (m, n) of the rows (`gauss.foundation.dependence`). Where that is `stated`,
    as of rows that were given as numbers, it may be large, and always decides.
    """
    whitened = metric.whitened(J) if whitened is None else whitened
    length = np.sqrt(np.add.reduce(whitened**2, 1))
    length = np.where(length == 0.0, 1.0, length)
    if whitened.shape[0] == 0:
        return ScaledSVD(np.zeros((0, 0)), np.zeros(0), np.zeros((0, whitened.shape[1])), length, 0)
    U, sigma, V = np.linalg.svd(whitened / length[:, None], full_matrices=True)
    rank = int((sigma > SMALL * sigma[0]).sum())
    if rank < sigma.size or (stated and noise is not None):
        decided = dependence(J, rounding_of(metric, J) if noise is None else noise)
        rank = min(decided.rank + decided.doubt, int(np.sum(sigma > 0.0)))
    return ScaledSVD(U, sigma, V[: sigma.size], length, rank)


def rounding_of(metric: Metric, J: Array, unit: float = UNIT) -> Array:
    """Return the noise (m, n) of rows J (m, n) of which nothing else is known.

    Rows that were computed have crumbs in the entries that are zero: the `unit` roundoff of their other entries, in
    units of the coordinates that make their masses 1. How light a combination of coordinates is says nothing of rows.
    """
    size = np.linalg.norm(metric.L, axis=1)
    return np.asarray(unit * norms(J / size, 1)[:, None] * size)
