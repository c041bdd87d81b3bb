"""Many states at once whose rows are so far from dependent that their verdict can be nothing but "regular".

What `frame` computes of one state is bounded here for all, from the safe side: the length of the system from above, so
the singular values of the scaled rows from below. A state that is not found clear is in doubt, no more.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gauss.foundation.arrays import Array, Flags, norms
from gauss.model import System
from gauss.model.compiled import Terms
from gauss.principle.metric import cholesky_blocks
from gauss.principle.offsets import STATE_TOLERANCE
from gauss.uniqueness.rows.sizes import FARTHEST

AMPLE = 0.1  # smallest singular value from which on rows of higher order are not asked, nor errors by small ones feared
SHARP = 1e-8  # share of a row that its noise may be


class ClearStates(NamedTuple):
    """What is found of N states."""

    clear: Flags  # (N,)
    terms: Terms  # of the model there, (N, …) each
    apart: Array  # (N,) how far another branch of the constraint set may be, relative to the position, in the metric


def clear_states(system: System, q: Array, v: Array, t: Array, theta: Array) -> ClearStates:
    """Return which of N states are clearly regular: q, v (N, n), t (N,), theta (N, p).

    The system has equality rows only, linear in the velocities.
    """
    model, count = system.model, len(t)
    with np.errstate(all="ignore"):
        terms, noise = model.many(q, v, t, theta)
        good = np.all([_finite(each) for each in (*vars(terms).values(), noise)], axis=0) & _consistent(terms, q, v)
        L = _factors(terms.M, good)
        good &= np.min(np.diagonal(L, axis1=1, axis2=2), axis=1) ** 2 >= np.finfo(float).tiny
        if not model.m or model.m > system.n:
            return ClearStates(good & (model.m == 0), terms, np.full(count, np.inf))
        free, whitened = _solved(L, terms.f[..., None])[..., 0], _solved(L, terms.J.swapaxes(1, 2)).swapaxes(1, 2)
        size, place, speed = norms(whitened, 2), _lengths(L, q), _lengths(L, v)
        unit = whitened / size[..., None]
        good &= np.all(np.isfinite(unit), axis=(1, 2))
        U, sigma, V = np.linalg.svd(np.where(good[:, None, None], unit, 0.0), full_matrices=False)
        least = ((terms.gamma / size)[:, None] @ U)[:, 0] / sigma
        push = np.maximum(norms(free, 1), norms(least, 1))
        one = np.sqrt(np.trace(terms.M, axis1=1, axis2=2) / system.n)
        arc = np.where(speed > 0.0, speed**2 / push, 0.0)
        good &= arc <= FARTHEST * np.maximum(place, one)
        curvature = model.jets.curvatures(q, v, t, theta)  # (N, m, n, n)
        change = norms(_solved(L[:, None], _solved(L[:, None], curvature).swapaxes(2, 3)), (2, 3))
        scale = np.maximum(size, change * np.maximum(place, arc)[:, None])
        good &= np.all(np.isfinite(scale), axis=1)
        scaled = np.where(good[:, None, None], whitened / scale[..., None], 0.0)
        good &= np.min(np.linalg.svd(scaled, compute_uv=False), axis=1) >= AMPLE
        good &= np.all(norms(_solved(L, noise.swapaxes(1, 2)), 1) <= SHARP * size, axis=1)
        weights = U[:, :, -1] / size
        normal = _solved(L.swapaxes(1, 2), V[:, -1, :, None])[..., 0]
        bend = np.abs(np.einsum("Nk,Nkij,Ni,Nj->N", weights, curvature, normal, normal))
        apart = np.where(bend * place > 0.0, 2.0 * sigma[:, -1] / (bend * place), np.inf)
    return ClearStates(good, terms, apart)


def _consistent(terms: Terms, q: Array, v: Array) -> Flags:
    """Return which states (N,) satisfy their rows, by the terms of these alone (see `gauss.principle.offsets`)."""
    size = np.abs(terms.J)
    place = (size @ np.abs(q)[..., None])[..., 0]
    own = terms.psi - (terms.J @ v[..., None])[..., 0]
    speed = (size @ np.abs(v)[..., None])[..., 0] + np.abs(own)
    near = (np.abs(terms.phi) <= STATE_TOLERANCE * place) & (np.abs(terms.psi) <= STATE_TOLERANCE * speed)
    return np.asarray(np.all(near, axis=1))


def _factors(M: Array, good: Flags) -> Array:
    """Return the Cholesky factors (N, n, n) of mass matrices, the unit matrix where there is none: not `good` ones."""
    L, one = cholesky_blocks(M), np.eye(M.shape[-1])
    if L is not None:
        return L
    found = [cholesky_blocks(each) for each in np.where(good[:, None, None], M, one)]
    good &= np.array([each is not None for each in found])
    return np.array([one if each is None else each for each in found])


def _solved(A: Array, B: Array) -> Array:
    return np.asarray(np.linalg.solve(A, B), dtype=float)


def _finite(values: Array) -> Flags:
    return np.asarray(np.all(np.isfinite(values.reshape(len(values), -1)), axis=1))


def _lengths(L: Array, x: Array) -> Array:
    """Return the lengths (N,) of vectors (N, n) in the metrics LLᵀ."""
    return norms((x[:, None] @ L)[:, 0], 1)
