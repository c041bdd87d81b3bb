"""Which contact forces are determined: the ranges of impulses that give the same velocities, in the plane.

Given the velocities after a step, the impulses x of its contacts satisfy M⁻¹Hᵀx = v⁺ − v_free, and each stays in its
cone: p ≥ 0, |t| ≤ μ p where the contact sticks, t = −μ p sign s where it slips. These are linear conditions, so that
the least and greatest value of each force, and of the sum of the forces between two bodies, are linear programs.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy
import scipy.sparse as sp

from gauss.errors import InputError, SolverError
from gauss.foundation.arrays import Array, Indices, positive
from gauss.foundation.outcomes import Shown
from gauss.foundation.tolerances import RESTS
from gauss.model import AnySystem
from gauss.nonsmooth.contacts import pairs_of
from gauss.nonsmooth.moreau import world_of
from gauss.nonsmooth.scene import Scene
from gauss.nonsmooth.solving.program import TINY
from gauss.nonsmooth.step import CLOSED, StepResult, WarmStart
from gauss.nonsmooth.step import step as take

EQUAL = 1e-7  # widths below this share of the largest force are rounding


@dataclass(frozen=True, repr=False)
class ForceRanges(Shown):
    """Ranges of normal and friction forces (N), as means over one step; lines are (least, greatest)."""

    pairs: tuple[tuple[str, str], ...]  # (c,) of the contacts
    normal: Array  # (c, 2)
    friction: Array  # (c, 2), along the tangent
    totals: dict[tuple[str, str], tuple[Array, Array]]  # by pair: ranges (2,) of the sums of normal and friction forces
    scale: float  # N, the largest force found

    def determined(self, values: Array) -> bool:
        """Whether all ranges (…, 2) are single values, up to rounding."""
        return bool(np.all(np.ptp(np.reshape(values, (-1, 2)), axis=1) <= EQUAL * self.scale))

    def __str__(self) -> str:
        lines = []
        for pair, (normal, friction) in self.totals.items():
            words = [f"{r[0]:.6g}" if self.determined(r) else f"{r[0]:.6g} … {r[1]:.6g}" for r in (normal, friction)]
            lines.append(f"{pair[0]} on {pair[1] or 'its stop'}: normal {words[0]} N, friction {words[1]} N")
        single = sum(self.determined(r) for r in self.normal)
        return "\n".join([*lines, f"{single} of {len(self.pairs)} single normal forces are determined"])


def force_ranges(
    subject: Scene | AnySystem,
    q: object = None,
    v: object = None,
    *,
    step: float,
) -> ForceRanges:
    """Return the ranges of the contact forces in one step (s) from (q, v), or from the start of a Scene.

    Raises InputError for a scene in space, whose cones are not polyhedral, and SolverError where the step has no
    certified impulses or a linear program fails.

    >>> from gauss.nonsmooth import Disc, HalfPlane, Scene, SceneBody, force_ranges
    >>> scene = Scene("stone", [SceneBody("stone", Disc(0.1), 2.0, position=(0.0, 0.1))], [HalfPlane()])
    >>> print(force_ranges(scene, step=1e-2))
    stone on HalfPlane 0: normal 19.62 N, friction 0 N
    1 of 1 single normal forces are determined
    """
    h = positive(step, "step")
    world, state = world_of(subject, q, v)
    taken = take(world, state.q, state.v, state.t, h, WarmStart())
    c = taken.contacts
    if c.count and c.tangents != 1:
        raise InputError("force_ranges takes plane scenes and Systems; in space cones of friction are not polyhedral.")
    if taken.impulses.residual > 1e-8:
        raise SolverError(f"the impulses of the step have a residual of {taken.impulses.residual:.2g}; no ranges.")
    if not c.count:
        none = np.zeros((0, 2))
        return ForceRanges((), none, none, {}, 0.0)
    may, program = _conditions(taken, h)
    m, names = len(may), pairs_of(world.names, c.one[may], c.two[may])
    totals = {}
    for pair in dict.fromkeys(names):
        mine = np.array([name == pair for name in names], dtype=float)
        rows = np.concatenate([mine, np.zeros(m)]), np.concatenate([np.zeros(m), mine])
        totals[pair] = (program.extremes(rows[0]), program.extremes(rows[1]))
    each = np.array([program.extremes(row) for row in np.eye(2 * m)]).reshape(2 * m, 2)
    return ForceRanges(names, each[:m], each[m:], totals, program.unit)


@dataclass(frozen=True)
class _Linear:
    """The conditions on impulses x = (p, t) in units of `unit` times the step."""

    equal: Any  # sparse (e, 2m)
    right: Array  # (e,)
    cone: Any  # sparse (2m, 2m), cone x ≤ 0
    unit: float  # N

    def extremes(self, row: Array) -> Array:
        """Return the least and the greatest value (2,) of row · x (N). Raises SolverError."""
        m = len(row) // 2
        bounds = [(0.0, None)] * m + [(None, None)] * m
        ends = []
        for sign in (1.0, -1.0):
            found = scipy.optimize.linprog(
                sign * row, A_ub=self.cone, b_ub=np.zeros(2 * m), A_eq=self.equal, b_eq=self.right, bounds=bounds
            )
            if found.status not in (0, 3):
                raise SolverError(f"the linear program for a contact force failed: {found.message}")
            ends.append(-sign * np.inf if found.status == 3 else sign * found.fun * self.unit)
        return np.array(ends)


def _conditions(taken: StepResult, h: float) -> tuple[Indices, _Linear]:
    """Return which contacts may press (m,), and the conditions on their impulses."""
    c, x, k, frozen = taken.contacts, taken.impulses.x, taken.contacts.count, taken.frozen
    rates = c.rows @ taken.v + c.offset
    size = max(float(np.max(abs(c.rows) @ np.maximum(np.abs(taken.start), np.abs(frozen.free)), initial=0.0)), TINY)
    closed = (np.abs(rates[:k]) <= RESTS * size) & (c.gap <= CLOSED * c.size)
    may = np.flatnonzero((x[:k] > 0.0) | closed)
    slip = np.where(np.abs(rates[k:][may]) > RESTS * size, np.sign(rates[k:][may]), 0.0)
    m, mu = len(may), c.friction[may]
    A = sp.csr_matrix(frozen.spread(c.rows[np.concatenate([may, k + may])]))
    known = np.concatenate([x[:k][may], x[k:][may]])
    unit = max(float(np.max(np.abs(known), initial=0.0)), TINY)
    weight = sp.diags(1.0 / np.maximum(abs(A).max(axis=1).toarray().ravel(), TINY))
    eye, slides = sp.identity(m, format="csr"), sp.diags(np.where(slip != 0.0, 1.0, 0.0))
    equal = sp.vstack([weight @ A, sp.hstack([slides @ sp.diags(mu * slip), slides])])
    right = np.concatenate([weight @ (A @ known) / unit, np.zeros(m)])
    cone = sp.vstack([sp.hstack([-sp.diags(mu), eye]), sp.hstack([-sp.diags(mu), -eye])])
    return may, _Linear(equal, right, cone, unit / h)
