"""Stationarity on several quadrics at one point, and its second order.

A Fritz John point is a point of the quadrics at which M₀ (y − y0) = Σ M_k (S_k y + g_k) has a solution M ≠ 0. With
M₀ ≠ 0 the multipliers μ_k = M_k/M₀ are finite and the Hessian I − Σ μ_k S_k on the tangent space decides the kind; with
M₀ = 0 the gradients are dependent, and what the point is depends on terms of higher order.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gauss.foundation.arrays import Array
from gauss.foundation.zero import UNIT
from gauss.numerics.quadrics.types import FIT, HELD, UNDECIDED, Quadric, kind_of


@dataclass(frozen=True)
class Stationarity:
    """The multipliers that fit best at a point, and how well."""

    multipliers: Array  # (p,) μ of y − y0 ≈ Σ μ_k (S_k y + g_k), of least norm where gradients are dependent
    residual: float  # |y − y0 − Σ μ_k (S_k y + g_k)|
    independent: bool  # whether the gradients are
    tangent: Array  # (d, d − rank) orthonormal basis of the directions in which no gradient points


def stationarity(y: Array, y0: Array, quadrics: Sequence[Quadric]) -> Stationarity:
    """Return the multipliers of a point by least squares; the gradients are compared with the size of the quadrics."""
    if not quadrics:
        return Stationarity(np.zeros(0), float(np.linalg.norm(y - y0)), True, np.eye(y.size))
    G, unit = gradients(y, quadrics)
    U, sigma, V = np.linalg.svd(G, full_matrices=True)
    lengths = np.linalg.norm(G, axis=0)
    scaled = np.linalg.svd(G / np.where(lengths > FIT, lengths, 1.0), compute_uv=False)
    independent = bool(np.all(lengths > FIT) and G.shape[1] <= G.shape[0] and scaled[-1] > FIT)
    rank = int(np.sum(sigma > FIT * max(float(sigma[0]), UNIT)))
    step = y - y0
    mu = V[:rank].T @ ((U[:, :rank].T @ step) / sigma[:rank])
    return Stationarity(mu / unit, float(np.linalg.norm(step - G @ mu)), independent, U[:, rank:])


def gradients(y: Array, quadrics: Sequence[Quadric]) -> tuple[Array, Array]:
    """Return the S y + g (d, p), each divided by its size at the distance 1, and these sizes (p,)."""
    size = np.array([np.linalg.norm(q.S) + np.linalg.norm(q.g) for q in quadrics])
    size = np.where(size > 0.0, size, 1.0)
    return np.array([q.slope(y) for q in quadrics]).T / size, size


def dependence(y: Array, quadrics: Sequence[Quadric]) -> float:
    """Return the smallest singular value of the gradients at y, each divided by its size at the distance 1."""
    return float(np.linalg.svd(gradients(y, quadrics)[0], compute_uv=False)[-1])


def curvatures(quadrics: Sequence[Quadric], multipliers: Array, tangent: Array) -> Array:
    """Return the eigenvalues of I − Σ μ_k S_k on a tangent space (d, ·), relative to the size of its terms."""
    H, size = np.eye(len(tangent)), 1.0
    for q, mu in zip(quadrics, multipliers, strict=True):
        H = H - mu * q.S
        size += abs(mu) * float(np.linalg.norm(q.S, 2))
    return np.asarray(np.linalg.eigvalsh(tangent.T @ H @ tangent) / size)


def kind_at(quadrics: Sequence[Quadric], at: Stationarity, flat: int = 0) -> str:
    """Return the kind of a stationary point by its Hessian, with `flat` flat directions."""
    values = curvatures(quadrics, at.multipliers, at.tangent)
    curved = values[np.abs(values) > FIT]
    return kind_of(int(np.sum(curved < 0.0)), curved.size) if values.size - curved.size == flat else UNDECIDED


def convex(quadrics: Sequence[Quadric], multipliers: Array) -> bool:
    """Return whether I − Σ μ_k S_k is positive semidefinite to rounding."""
    return bool(curvatures(quadrics, multipliers, np.eye(quadrics[0].g.size))[0] >= -HELD)
