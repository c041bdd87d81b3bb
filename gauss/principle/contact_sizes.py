"""What is small of a gap, of its rate and of a slip, relative to the system's own sizes: no unit of length or of time.

A gap is compared with the terms that it is the sum of, and with the length v²/α that its row travels while the forces
stop it (no longer than the position of the state). A rate is compared with its own terms and with the speed √(αℓ) that
the forces give it over that length ℓ. Along a run of T seconds time decides: a rate is small where its hop, and a gap
where its fall, lasts a small share of T. What rounding makes of gaps and rates is none.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from gauss.foundation.arrays import Array
from gauss.foundation.dense import kept
from gauss.foundation.zero import CLEAR, UNIT
from gauss.model import System
from gauss.model.compiled import Terms
from gauss.model.state import State
from gauss.principle.offsets import extent, inertia_roots

CONTACT_TOLERANCE = 1e-9  # a gap or a rate below this share of its natural size is zero

SIGHT = 1e-5  # share of the velocities beside which rates are seen: a billionth of it is their rounding


@dataclass(frozen=True)
class ContactSizes:
    """Natural sizes of the m rows of a system at a state, and the rounding of their values."""

    place: Array  # (m,) of gaps
    speed: Array  # (m,) of rates and slips
    place_noise: Array  # (m,)
    speed_noise: Array  # (m,)
    pull: Array  # (m,) accelerations of the rows by the forces

    def gap(self, share: float = CONTACT_TOLERANCE) -> Array:
        """Return the gaps (m,) that are zero, being no more than a share of their sizes or rounding."""
        return np.asarray(share * self.place + self.place_noise)

    def rate(self, share: float = CONTACT_TOLERANCE) -> Array:
        """Return the rates (m,) that are zero, being no more than a share of their sizes or rounding."""
        return np.asarray(share * self.speed + self.speed_noise)


def contact_sizes(
    system: System,
    state: State,
    terms: Terms,
    theta: Array | None = None,
    *,
    span: float = 0.0,
    force: Array | None = None,
    pull: Array | None = None,
) -> ContactSizes:
    """Return the natural sizes of gaps, rates and slips at a state; along a run of `span` seconds those of the run.

    Forces that press frictional contacts slow their slips. `force` (n,) acts beside that of the model;
    `pull` (m,) are accelerations of the rows seen before, where those of the run are larger.
    """
    q, v, theta = state.q, state.v, system.theta() if theta is None else theta
    noise = system.model.noise(q, v, state.t, theta)
    lengths = _lengths_at(system, terms, theta)
    own = _own_pull(system, terms, terms.f if force is None else terms.f + force, lengths)
    own = own if pull is None else np.maximum(own, pull)
    J, far, fast = lengths.J, _over(q, lengths), _over(v, lengths)
    place = np.maximum(J @ np.abs(q), np.abs(terms.phi - terms.J @ q))
    speed = J @ np.abs(v) + np.abs(terms.psi - terms.J @ v)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        pulled = own > 0.0
        arc = speed**2 / own if pulled.all() else np.where(pulled, speed**2 / own, 0.0)
        place = place + np.minimum(arc, far)
        grown = own * span
        if not (span > 0.0 and pulled.all()):
            known = pulled & (span > 0.0)
            far = np.where(known, far, np.maximum(far, lengths.plain * extent(q)))
            fast = np.where(known, fast, np.maximum(fast, lengths.plain * extent(v)))
            grown = np.where(known, grown, np.sqrt(own * place))
        speed = speed + grown
        place = place + CONTACT_TOLERANCE * own * span * span
    small = CLEAR * UNIT
    return ContactSizes(place, speed, CLEAR * noise.phi + small * far, CLEAR * noise.psi + small * fast, own)


def closed_rows(system: System, state: State, terms: Terms, sizes: ContactSizes | None = None) -> tuple[int, ...]:
    """Return the unilateral rows whose gap and whose rate are zero or below, within `CONTACT_TOLERANCE`."""
    if not system.model.unilateral:
        return ()
    sizes = contact_sizes(system, state, terms) if sizes is None else sizes
    near = ((terms.phi <= sizes.gap()) & (terms.psi <= sizes.rate())).nonzero()[0]
    return tuple(k for k in near.tolist() if system.model.kinds[k] == "unilateral")


class _Lengths(NamedTuple):
    """The rows of a model as sizes."""

    J: Array  # (m, n) |J|
    d: Array  # (n,) √M_jj
    plain: Array  # (m,) lengths of the rows
    whitened: Array  # (m,) those of the rows divided by d


def _lengths_at(system: System, terms: Terms, theta: Array) -> _Lengths:
    """Return the lengths of the rows at a state; those of steady rows are kept."""

    def lengths() -> _Lengths:
        d, J = inertia_roots(terms.M), np.abs(terms.J)
        return _Lengths(J, d, _lengths(J), _lengths(J / d))

    return system.model.of_steady("lengths", theta, lengths)


def _own_pull(system: System, terms: Terms, f: Array, lengths: _Lengths) -> Array:
    """Return the accelerations (m,) that the forces and the curvature of the rows give them, as sums of sizes."""
    own = lengths.J @ np.abs(_free(terms.M, f)) + np.abs(terms.gamma)
    finite, whitened = np.isfinite(own), lengths.whitened
    own = own if finite.all() else np.where(finite, own, 0.0)
    for contact in system.contacts:
        normal = contact.normal
        for k in contact.slip if normal is not None and whitened[normal] > 0.0 else ():
            own[k] = max(own[k], own[normal] * whitened[k] / whitened[normal])
    return own


@kept
def _free(M: Array, f: Array) -> Array:
    """Return M⁻¹ f, of least norm where M is singular."""
    try:
        return np.asarray(np.linalg.solve(M, f))
    except np.linalg.LinAlgError:
        return np.asarray(np.linalg.lstsq(M, f, rcond=None)[0])


def _lengths(J: Array) -> Array:
    return np.asarray(np.sqrt(np.add.reduce(J * J, axis=1)))


def _over(x: Array, lengths: _Lengths) -> Array:
    """Return the size (m,) that the whole of a position or velocity gives each row, by lengths or in the metric."""
    whole, largest = lengths.d * x, float(np.abs(x).max(initial=0.0))
    return np.asarray(np.minimum(lengths.plain * largest, lengths.whitened * np.sqrt(whole @ whole)))


def zero_rates(rows: Array, right: Array, v: Array, share: float = CONTACT_TOLERANCE) -> Array:
    """Return the rates rows·v − right (r,) that are zero at velocities v (n,), of rows given as numbers (r, n)."""
    own = np.abs(rows) @ np.abs(v) + np.abs(right)
    return np.asarray(share * own + CLEAR * UNIT * np.linalg.norm(rows, axis=1) * extent(v))


def impact_sizes(rows: Array, right: Array, v: Array, M: Array) -> Array:
    """Return the natural sizes (r,) of rates rows·v − right in an impact at velocities v (n,).

    The rows strike together, so that each is compared with the fastest of them, carried over in the metric of M.
    """
    d = inertia_roots(M)
    own = np.abs(rows) @ np.abs(v) + np.abs(right)
    whitened = np.linalg.norm(rows / d, axis=1)
    lengths = _Lengths(np.abs(rows), d, np.linalg.norm(rows, axis=1), whitened)
    with np.errstate(divide="ignore", invalid="ignore"):
        together = np.where(whitened > 0.0, own / whitened, 0.0)
    far = _over(v, lengths)
    return np.asarray(np.maximum.reduce([own, whitened * np.max(together, initial=0.0), SIGHT * far]))
