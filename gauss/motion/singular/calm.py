"""Whether anything lies on the way of a motion: what one look at many of its states tells, or at many motions."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gauss.foundation.arrays import Array, Flags, norms
from gauss.model import System
from gauss.model.compiled import Terms
from gauss.motion.singular.look_ahead import LookAhead, Path, Seen
from gauss.motion.singular.resting import may_rest
from gauss.motion.steps.steppers import FusedStepper
from gauss.principle.metric import cholesky_blocks


class Doubts(NamedTuple):
    """At which of k states something may lie ahead: at the others, nothing does."""

    seen: Seen  # with `inside`, what may be in the step that follows
    rests: Flags  # (k,) see `may_rest`
    heads: Flags  # (k,) see `LookAhead.expects`
    falls: Flags  # (k,) see `LookAhead.falls`


def doubts(look: LookAhead, stepper: FusedStepper, path: Path, longest: Array, slowing: Flags) -> Doubts:
    """Return where something may lie ahead on a path, `longest` (k,) being the longest steps so far.

    `slowing` (k,) says where the motion has become slower.
    """
    seen, rests = look.along(stepper, path), slowing.copy()
    some = (path.states, path.a, path.tried, path.theta)
    rests[slowing] = may_rest(stepper, *(each[slowing] for each in some))
    return Doubts(seen, rests, look.expects(stepper, path, seen, longest), look.falls(seen))


def apart_from_others(system: System, q: Array, v: Array, t: Array, theta: Array, terms: Terms) -> Array:
    """Return how far other branches of the constraint set are from N states, as `LookAhead.unresolved` does of one.

    q and v are (N, n), t (N,), theta (N, p), and the terms those there, with definite mass matrices. It is nan where
    the model is not finite.
    """
    if not system.model.m:
        return np.full(len(q), np.inf)
    L = cholesky_blocks(terms.M)
    if L is None:
        return np.full(len(q), np.nan)
    whitened = np.linalg.solve(L, terms.J.swapaxes(1, 2)).swapaxes(1, 2)  # (N, m, n)
    length = np.asarray(norms(np.asarray(whitened, dtype=float), 2))
    unit = whitened / length[..., None]
    known = np.all(np.isfinite(unit), axis=(1, 2))
    U, sigma, V = np.linalg.svd(np.where(known[:, None, None], unit, 0.0), full_matrices=False)
    normal = np.linalg.solve(L.swapaxes(1, 2), V[:, -1, :, None])[..., 0]
    turned = system.model.jets.curvatures(q, v, t, theta)  # (N, m, n, n)
    bend = np.abs(np.einsum("Nk,Nkij,Ni,Nj->N", U[:, :, -1] / length, turned, normal, normal))
    size = norms((q[:, None] @ L)[:, 0], 1)
    with np.errstate(divide="ignore"):
        apart = 2.0 * sigma[:, -1] / (bend * size)
    return np.asarray(np.where(known, apart, np.nan))
