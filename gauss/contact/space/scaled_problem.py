"""A friction problem in space in the metric of M: rows of unit size, forces without dimension, and its certificate.

With M = LLᵀ, the bilateral rows eliminated, and B the whitened rows of normals and frictions, the rates of the contacts
are y = G x + c, G = B Bᵀ (Delassus's matrix), c the rates without contact forces, x = (p, t) the scaled forces. The two
rows of one friction keep one common scale, so that circles stay circles.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gauss.contact.given import require_inertia
from gauss.contact.problem import ContactProblem
from gauss.foundation.arrays import Array, lengths_of
from gauss.principle.metric import Metric
from gauss.principle.reduction import reduce

CANCELLED = 1e-4  # share of the forces that rates are compared with, if larger than the loads: 1e-14 at 1e-10
LARGEST = 1e11  # forces over loads up to which an answer can be certified
NOTHING = 1e-12  # a scaled row below this is zero: the bilateral rows leave nothing of it


@dataclass(frozen=True)
class ScaledFriction:
    """One friction in the scaled problem."""

    contact: int
    place: slice  # of its d entries in x and y
    kinetic: float
    static: float
    direction: Array | None  # (d,) unit vector of the velocity now; None at rest
    where: str  # contact and kind, for messages

    @property
    def size(self) -> int:
        """Number of its entries, d."""
        return int(self.place.stop - self.place.start)


@dataclass(frozen=True)
class ScaledCone:
    """The scaled problem: rates y = G x + c of k normals, then of the frictions."""

    problem: ContactProblem
    metric: Metric
    start: Array  # (n,) white acceleration without contact forces, bilateral rows kept; relative to the reference
    B: Array  # (r, n)
    G: Array  # (r, r)
    c: Array  # (r,)
    length: Array  # (r,) of the rows in the metric
    size: float  # √kg m/s²
    frictions: tuple[ScaledFriction, ...]
    rows: Array  # (r, n) of the rates in the user's units
    right: Array  # (r,)

    @property
    def k(self) -> int:
        """Number of contacts."""
        return self.problem.k

    @staticmethod
    def of(problem: ContactProblem) -> ScaledCone:
        """Scale a problem. Raises ContradictoryRowsError and MassMatrixError as gauss.principle.solve does."""
        p = problem
        held = reduce(p.bare)
        require_inertia(p.coordinates, held.metric.definite)
        rows = np.vstack([p.N, *(given.rows for given in p.frictions)])
        right = np.concatenate([p.nu, *(given.right for given in p.frictions)])
        whitened = held.metric.whitened(rows)
        length, frictions, place = lengths_of(whitened), [], p.k
        for given in p.frictions:
            here = slice(place, place + len(given.rows))
            length[here] = np.max(length[here])
            share = float(length[place] / length[given.contact])  # t over p in scaled forces is t·|T| over p·|N|
            frictions.append(
                ScaledFriction(
                    given.contact,
                    here,
                    given.kinetic * share,
                    given.static * share,
                    given.direction,
                    f"{p.names[given.contact]!r}" + ("" if given.kind == "sliding" else f" ({given.kind})"),
                )
            )
            place = here.stop
        start = held.E.T @ held.c
        B = whitened / length[:, None]
        c = (rows @ held.metric.reference - right) / length + B @ start
        B = B - B @ held.E.T @ held.E
        B[np.linalg.norm(B, axis=1) < NOTHING] = 0.0
        top, own = float(np.max(np.abs(c), initial=0.0)), held.metric.norm(held.metric.reference)
        rounding = 1e-14 * max(own, float(np.linalg.norm(start)))
        size = top if top > rounding else max(own, 1.0)
        c = c / size if top > rounding else np.zeros_like(c)
        return ScaledCone(p, held.metric, start, B, B @ B.T, c, length, size, tuple(frictions), rows, right)

    def rates(self, x: Array) -> Array:
        """Return the scaled rates (r,) under scaled forces x (r,)."""
        return self.G @ x + self.c

    def whitened(self, x: Array) -> Array:
        """Return the white acceleration over `size`, relative to that without contact forces; a norm of it is |a|_M."""
        return np.asarray(self.B.T @ x)

    def forces(self, x: Array) -> Array:
        """Return the forces (r,) in the user's units: N, N m."""
        return np.asarray(x * self.size / self.length)

    def acceleration(self, x: Array) -> Array:
        """Return the acceleration (n,) under scaled forces x."""
        return self.metric.reference + self.metric.lift(self.start + self.size * self.whitened(x))

    def bilateral(self, x: Array, a: Array) -> Array:
        """Return the multipliers (m,) of the bilateral rows, those of least norm where they are not unique."""
        p = self.problem
        if not len(p.gamma):
            return np.zeros(0)
        left = self.metric.covector(p.M @ a - p.f - self.rows.T @ self.forces(x))
        table = self.metric.whitened(p.J)
        length = lengths_of(table)
        return np.asarray(np.linalg.lstsq((table / length[:, None]).T, left, rcond=1e-11)[0] / length)


@dataclass(frozen=True)
class LawResiduals:
    """How far an answer is from the law, recomputed in the user's units and made relative to forces and loads."""

    balance: float  # M a − f − forces
    rows: float  # J a − γ and closing contacts
    cone: float  # force outside its cone, pulling contacts
    complementarity: float  # the smaller of p and g̈, each relative
    friction: float  # t + μ p ṡ/|ṡ| where it slips, ṡ where it sticks (natural map)
    power: float  # power that friction creates at the slip that begins

    @property
    def largest(self) -> float:
        """The largest of them."""
        return max(self.balance, self.rows, self.cone, self.complementarity, self.friction, self.power)


def residuals_of(w: ScaledCone, x: Array, modes: tuple[str, ...], separation: Array | None = None) -> LawResiduals:
    """Check forces x (r,) against every condition of the law.

    `modes` says which coefficient holds in each friction (static where it sticks). `separation` (k,) is subtracted
    from the normal rates: the relaxed law demands complementarity with g̈ − μ|ṡ|. Forces are relative to the largest of
    them. Rates are relative to those without contact forces: forces that balance each other at 10⁷ times the loads hide
    no closing contact. Only what rounding leaves of such forces, 1e-14 of them, is allowed for; beyond 10¹¹ times the
    loads it is as large as what is to be checked, and nothing is certified.
    """
    p = w.problem
    a, forces = w.acceleration(x), w.forces(x)
    lam = w.bilateral(x, a)
    balance = w.metric.covector(p.M @ a - p.f - p.J.T @ lam - w.rows.T @ forces)
    top = float(np.max(np.abs(x), initial=0.0)) * w.size
    loads = max(w.size, w.metric.norm(w.metric.reference))
    pace = max(loads, CANCELLED * top)
    size = max(pace, top)
    held = (p.J @ a - p.gamma) / lengths_of(w.metric.whitened(p.J)) if len(p.gamma) else np.zeros(0)
    y, z = (w.rows @ a - w.right) / w.length / pace, x * (w.size / size)
    normal = y[: w.k] - (0.0 if separation is None else separation * (w.size / pace))
    press = z[: w.k]
    cone, law, power = float(np.max(-press, initial=0.0)), 0.0, 0.0
    for friction, mode in zip(w.frictions, modes, strict=True):
        t, s, load = z[friction.place], y[friction.place], max(press[friction.contact], 0.0)
        limit = (friction.static if mode == "stick" else friction.kinetic) * load
        scale = max(1.0, friction.static)
        cone = max(cone, (float(np.linalg.norm(t)) - limit) / scale)
        if friction.direction is not None:
            law = max(law, float(np.linalg.norm(t + limit * friction.direction)) / scale)
            continue
        law = max(law, float(np.linalg.norm(t - _onto_disc(t - s, limit))) / scale)
        power = max(power, float(t @ s))
    return LawResiduals(
        float(np.max(np.abs(balance), initial=0.0)) / size if top < LARGEST * loads else np.inf,
        max(float(np.max(np.abs(held), initial=0.0)) / pace, float(np.max(-normal, initial=0.0))),
        cone,
        float(np.max(np.minimum(np.abs(press), np.abs(normal)), initial=0.0)),
        law,
        power,
    )


def _onto_disc(t: Array, radius: float) -> Array:
    """Return the point of the disc |t| ≤ radius nearest to t (d,)."""
    length = float(np.linalg.norm(t))
    return t if length <= radius else t * (radius / length)
