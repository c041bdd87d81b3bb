"""Contact forces that the rows in force do not determine: of all that fit, those farthest from their limits.

A box that stands on two corners with friction has four contact forces and three equations. Its rows in force are
independent ones, which give the acceleration; that it goes on so asks for some contact forces within their cones that
add up to the same reaction. The forces whose least margin is largest decide that, and are recorded.

The limit c|λ| of a dry pin that sticks is not linear in the forces. With e the direction of λ, c e·λ is no more than
that, and equal to it for the λ in hand: linear programs with these limits, one after another, never lose margin.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import combinations

import numpy as np
import scipy
import scipy.linalg as sla

from gauss.errors import SolverError
from gauss.foundation.arrays import Array, Flags, Indices, lengths_of
from gauss.foundation.tolerances import DEPENDENT, SETTLED
from gauss.motion.steps.steppers import Setting, Slide

SWEEPS = 20  # linear programs for the directions of the loads of pins


@dataclass(frozen=True)
class Shared:
    """The contacts that share a reaction, and their limits G x ≥ h in the forces x of all rows in `rows`."""

    setting: Setting
    force: tuple[int, ...]  # rows in force whose multipliers are to be shared
    rows: tuple[int, ...]  # all rows that carry: base, normal rows, slip rows of sticking contacts
    slides: tuple[Slide, ...]  # all contacts that slide, also where the normal row is not in force
    sides: dict[int, float]  # signs of the normal forces of sticking contacts that are held from both sides
    G: Array  # (g, len(rows)) unit rows
    h: Array  # (g,)
    contact: tuple[tuple[str, int], ...]  # (g,) of each limit: "release" with a row, or "slip" with a contact
    pins: tuple[tuple[int, float, list[int]], ...] = ()  # of the dry pins: place of the first of two limits, c over the
    # length that made the row a unit row, places of λ among `rows`
    corner: list[Indices] = field(default_factory=list, compare=False)  # limits that met where the margin was best

    @staticmethod
    def of(
        setting: Setting,
        base: tuple[int, ...],
        normal: tuple[int, ...],
        sticking: tuple[int, ...],
        closed: tuple[int, ...],
        held: tuple[int, ...],
        slides: Sequence[Slide],
        sides: dict[int, float],
    ) -> Shared:
        """Collect the limits of the contacts: `normal` rows that carry, contacts that stick, rows in force.

        `sides` are the signs of the normal forces of sticking contacts that are held from both sides; the limits are
        those of this sign, and one of them is reached where it changes.
        """
        contacts = setting.system.contacts
        rows = (*base, *normal, *(contacts[j].slip[0] for j in sticking))
        G, h, contact, pins = [], [], [], []
        unit = np.eye(len(rows))
        for k in normal:
            G.append(unit[rows.index(k)])
            h.append(0.0)
            contact.append(("release", k))
        for j in sticking:
            c, t = contacts[j], unit[rows.index(contacts[j].slip[0])]
            if c.pin is not None:
                size = float(np.hypot(1.0, c.static))
                pins.append((len(G), c.static / size, [rows.index(k) for k in c.pin]))
                G, h = [*G, t / size, -t / size], [*h, 0.0, 0.0]
            elif c.limited:
                G, h = [*G, t, -t], [*h, -c.static, -c.static]
            elif c.normal in rows:
                p = c.static * sides.get(j, 1.0) * unit[rows.index(c.load[0])]
                G, h = [*G, p + t, p - t], [*h, 0.0, 0.0]
            else:
                continue
            contact += [("slip", j), ("slip", j)]
        table = np.array(G).reshape(len(G), len(rows))
        length = lengths_of(table)
        length[[i + side for i, _, _ in pins for side in (0, 1)]] = 1.0
        force = (*base, *closed, *held)
        limits = table / length[:, None], np.array(h) / length, tuple(contact)
        return Shared(setting, force, rows, tuple(slides), dict(sides), *limits, tuple(pins))

    def limits_at(self, forces: Array) -> Array:
        """Return G with the directions that the loads of pins have in `forces` of `rows`."""
        G = self.G.copy()
        for i, share, pair in self.pins:
            size = float(np.linalg.norm(forces[pair]))
            G[i : i + 2, pair] += share * (forces[pair] / size if size > 0.0 else np.array([1.0, 0.0]))
        return G

    def best(self, x: Array, order: tuple[int, ...], multipliers: Array) -> tuple[Array, float]:
        """Return the forces of `rows` with the largest least margin (N), and that margin.

        `multipliers` are those of the rows in force, in their `order`. Raises SolverError where there are none.
        """
        start = np.zeros(len(self.rows))
        for k in self.force:
            start[self.rows.index(k)] = multipliers[order.index(k)]
        null = self._null(x)
        margin = -np.inf
        for _ in range(SWEEPS if self.pins else 1):
            G = self.limits_at(start)
            D, rest = G @ null, G @ start - self.h
            if null.shape[1] == 0:
                return start, float(np.min(rest))
            z, found = _line(D[:, 0], rest) if null.shape[1] == 1 else _program(D, rest, self.corner)
            start = start + null @ z
            if found - margin <= SETTLED * float(np.max(np.abs(start), initial=0.0)):
                return start, found
            margin = found
        return start, margin

    def _null(self, x: Array) -> Array:
        """Return forces (len(rows), d) that add up to nothing; where contacts slide, friction goes with its load."""
        n = self.setting.system.n
        J = self.setting.system.model.terms(x[1 : n + 1], x[n + 1 :], float(x[0]), self.setting.theta).J
        columns = J[list(self.rows)].copy()
        for slide in self.slides:
            if slide.normal in self.rows:
                columns[self.rows.index(slide.normal)] -= slide.c * J[slide.slip]
        length = lengths_of(columns)
        null = sla.null_space((columns / length[:, None]).T, rcond=DEPENDENT)
        return np.asarray(null / length[:, None])

    def forces(self, x: Array, record: Array) -> Array:
        """Return the multipliers (m,) of all rows at a recorded state."""
        n, order = self.setting.system.n, tuple(sorted(self.force))
        found, _ = self.best(x, order, record[n : n + len(order)])
        multipliers = np.zeros(self.setting.system.model.m)
        multipliers[list(self.rows)] = found
        return multipliers

    def tight(
        self, x: Array, order: tuple[int, ...], multipliers: Array, tolerance: float
    ) -> list[tuple[str, int, float]]:
        """Return what is at its limit: ("release", row, 0) or ("slip", contact, direction), 0 where that is open.

        That is what all forces with the largest least margin have at its limit. One choice of them may touch others by
        chance: a corner that need not press while others do does not open. The limit tells the direction, as the force
        may be zero in the choice at hand.
        """
        forces, margin = self.best(x, order, multipliers)
        null = self._null(x)
        G = self.limits_at(forces)
        size = max(float(np.max(np.abs(forces), initial=0.0)), 1e-300)
        reached = _always_tight(G @ null, (G @ forces - self.h - min(margin, 0.0)) / size, tolerance)
        at_limit = [(i, *self.contact[i]) for i in np.flatnonzero(reached)]
        gone = {which for _, kind, which in at_limit if kind == "release"}
        signs: dict[int, float] = {}
        for i, kind, which in at_limit:
            if kind == "slip" and self.setting.system.contacts[which].normal not in gone:
                against = -1.0 if i and self.contact[i - 1] == self.contact[i] else 1.0  # t ≥ … comes before t ≤ …
                signs[which] = 0.0 if which in signs else against
        return [*(("release", k, 0.0) for k in sorted(gone)), *(("slip", j, sign) for j, sign in signs.items())]


def _line(D: Array, rest: Array) -> tuple[Array, float]:
    """Maximise min(rest + D z) over one number z: at a crossing of two of the lines."""
    candidates = [0.0]
    for i, j in combinations(range(len(D)), 2):
        slope = D[i] - D[j]
        if abs(slope) > 1e-12 * (abs(D[i]) + abs(D[j])):
            candidates.append((rest[j] - rest[i]) / slope)
    values = np.min(rest[:, None] + np.outer(D, candidates), axis=0)
    k = int(np.argmax(values))
    return np.array([candidates[k]]), float(values[k])


def _program(D: Array, rest: Array, corner: list[Indices]) -> tuple[Array, float]:
    """Maximise min(rest + D z) by a linear program; `corner` keeps the limits that meet at the last solution.

    From look to look these stay the same, and one linear system tells whether they do.
    """
    size = max(float(np.max(np.abs(rest), initial=0.0)), 1e-300)
    if corner:
        found = _at_corner(D, rest / size, corner[0])
        if found is not None:
            return found[0] * size, found[1] * size
    cost = np.zeros(D.shape[1] + 1)
    cost[-1] = -1.0
    A = np.column_stack([-D, np.ones(len(D))])
    solution = scipy.optimize.linprog(cost, A_ub=A, b_ub=rest / size, bounds=[(None, None)] * len(cost), method="highs")
    if solution.status != 0:
        raise SolverError(f"the contact forces could not be shared out: {solution.message}")
    weight, slack = -solution.ineqlin.marginals, solution.ineqlin.residual
    corner[:] = [_independent_of(A, np.lexsort((slack, -weight)))]
    return np.asarray(solution.x[:-1]) * size, float(solution.x[-1]) * size


def _independent_of(A: Array, order: Indices) -> Indices:
    """Return the first rows of A in an order that are independent of those before, as many as A has columns."""
    chosen: list[int] = []
    for i in order:
        if np.linalg.matrix_rank(A[[*chosen, i]]) > len(chosen):
            chosen.append(int(i))
    return np.array(chosen, dtype=int)


def _at_corner(D: Array, rest: Array, corner: Indices) -> tuple[Array, float] | None:
    """Return where some limits meet and the margin there, if no other point has a larger one; else None."""
    K = np.column_stack([-D[corner], np.ones(len(corner))])
    if K.shape[0] != K.shape[1]:
        return None
    try:
        at = np.linalg.solve(K, rest[corner])
        weight = np.linalg.solve(K.T, np.eye(len(K))[-1])
    except np.linalg.LinAlgError:
        return None
    margin = float(at[-1])
    best = np.all(weight >= -SETTLED) and np.all(rest + D @ at[:-1] >= margin - SETTLED)
    return (np.asarray(at[:-1], dtype=float), margin) if best else None


def _always_tight(D: Array, rest: Array, tolerance: float) -> Flags:
    """Return which of rest + D z ≥ 0 are zero, within a tolerance, for every z that satisfies all.

    Each linear program lifts some of those that all the ones before have left at zero, until it lifts none.
    """
    g, d = D.shape
    tight = rest <= tolerance
    while d and np.any(tight):
        lifted = np.flatnonzero(tight)
        cost = np.concatenate([np.zeros(d), -np.ones(len(lifted))])
        A = np.hstack([-D, np.eye(g)[:, lifted]])
        bounds = [(None, None)] * d + [(0.0, 1.0)] * len(lifted)
        found = scipy.optimize.linprog(cost, A_ub=A, b_ub=np.maximum(rest, 0.0), bounds=bounds, method="highs")
        if found.status != 0:
            raise SolverError(f"the contact forces could not be shared out: {found.message}")
        still = tight & (rest + D @ found.x[:d] <= tolerance)
        if np.array_equal(still, tight):
            break
        tight = still
    return tight
