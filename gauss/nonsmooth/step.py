"""One step of Moreau's midpoint scheme: forces, contacts and impacts together, at the level of velocities.

With v₀ the velocity before the step, q_m = q + h v₀/2 and all terms at q_m,

    M (v⁺ − v₀) = h f + J ᵀλ + Nᵀp + Tᵀt,   J v⁺ = γ,   q⁺ = q + h (v₀ + v⁺)/2,

where λ, p and t are impulses. The rates after the step obey ġ⁺ ≥ b, p ≥ 0, p (ġ⁺ − b) = 0 and Coulomb's law with the
slip s⁺. A contact whose gap g would close within the step at speed (|ġ₀| above the change of ġ by the forces) bounces:
b = −e ġ₀. Any other one may use its gap up: b = min(−2 g/h − ġ₀, max(−e ġ₀, 0)), so that it does not penetrate to
first order, and rests at b = 0.

The theorem of kinetic energy holds for the step without error: T⁺ − T₀ = (h f + …)·(v₀ + v⁺)/2, and (v₀ + v⁺)/2 is
the displacement over h. The contacts do the work p (ġ₀ + ġ⁺)/2 + t (s₀ + s⁺)/2. It is negative but where a rate that
points away from what the impulse would stop is reversed within one step. Where all contacts of a step together would
do positive work, those that do so get −ġ₀ for b, or s⁺ + s₀ in place of s⁺, so that they do none; this changes rates by
O(h), and the energy never rises.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, Protocol

import numpy as np

from gauss.foundation.arrays import Array, Flags, Indices
from gauss.nonsmooth.contacts import Contacts
from gauss.nonsmooth.solving.blocks import with_data
from gauss.nonsmooth.solving.program import MANY, TINY, Program
from gauss.nonsmooth.solving.solver import ROUNDS, Impulses, solved

REPEATS = 4  # solutions of one step with more and more contacts kept from doing work
CLOSED = 1e-6  # gaps below this share of the size are zero: contacts that depend on one another then ask for the same
ROUNDING = 1e-13  # positive work of contacts below this share of the energies exchanged is rounding


class Frozen(Protocol):
    """The mechanics at the middle of a step, apart from contacts."""

    free: Array  # (nv,) velocity after the step without contacts

    def spread(self, rows: Any) -> Any:
        """Return M⁻¹ rowsᵀ, restricted to what bilateral rows leave, sparse."""

    def whitened(self, rows: Any) -> tuple[Any, int]:
        """Return G with G Gᵀ = rows M⁻¹ rowsᵀ and the columns of each body, or None and 0 where bodies are coupled."""

    def kinetic(self, v: Array) -> float:
        """Return ½ v·M v in the metric of the step."""


class PositionMetric(Protocol):
    """The metric at a position, for corrections of it."""

    shift: Array  # (nv,) displacement that bilateral rows ask for

    def spread(self, rows: Any) -> Any:
        """Return M⁻¹ rowsᵀ, restricted to what bilateral rows leave, sparse."""

    def whitened(self, rows: Any) -> tuple[Any, int]:
        """Return G with G Gᵀ = rows M⁻¹ rowsᵀ and the columns of each body, or None and 0 where bodies are coupled."""


class World(Protocol):
    """What the scheme moves: a scene, or a System."""

    names: tuple[str, ...]
    count: int

    def turned(self, q: Array, v: Array, h: float) -> Array:
        """Return the velocity with gyroscopic moments taken into account."""

    def advance(self, q: Array, displacement: Array) -> Array:
        """Return the positions after a displacement."""

    def frozen(self, q: Array, v: Array, t: float, h: float) -> Frozen:
        """Return the mechanics of a step of length h from v, with terms at q and t."""

    def metric(self, q: Array, t: float) -> PositionMetric:
        """Return the metric at a position."""

    def reach(self, v: Array, h: float) -> Array:
        """Return how far bodies may come."""

    def contacts(self, q: Array, v: Array, t: float, reach: Array) -> Contacts:
        """Return the contacts within reach."""

    def energies(self, q: Array, v: Array, t: float) -> tuple[float, float]:
        """Return the kinetic and the potential energy (J)."""

    def work(self, displacement: Array) -> float | None:
        """Return the work of constant loads (J), or None where it is not known beforehand."""


@dataclass(frozen=True)
class WarmStart:
    """Impulses of the last step, by contact; none at first."""

    key: Indices = field(default_factory=lambda: np.zeros(0, dtype=int))  # (k,)
    impulses: Array = field(default_factory=lambda: np.zeros((0, 2)))  # (k, 1 + d)

    @staticmethod
    def of(contacts: Contacts, x: Array) -> WarmStart:
        """Return the impulses x (k (1 + d),) of contacts."""
        k = contacts.count
        return WarmStart(contacts.key, np.concatenate([x[:k, None], x[k:].reshape(k, contacts.tangents)], axis=1))

    def recall(self, contacts: Contacts) -> Array:
        """Return a first guess (k (1 + d),) for contacts, zero for new ones."""
        k, d = contacts.count, contacts.tangents
        guess = np.zeros((k, 1 + d))
        if len(self.key) and self.impulses.shape[1] == 1 + d:
            _, mine, theirs = np.intersect1d(contacts.key, self.key, return_indices=True)
            guess[mine] = self.impulses[theirs]
        return np.concatenate([guess[:, 0], guess[:, 1:].ravel()])


@dataclass(frozen=True)
class StepResult:
    """The velocity level of one step."""

    v: Array  # (nv,) after the step
    start: Array  # (nv,) v₀
    contacts: Contacts
    impulses: Impulses
    work: float  # of the contacts, J
    memory: WarmStart
    frozen: Frozen  # the mechanics at the middle

    def after(self, earlier: StepResult) -> StepResult:
        """Return the second half of a step with the impulses of both, of the contacts that still take part."""
        if not self.contacts.count:
            return self
        x = self.impulses.x + earlier.memory.recall(self.contacts)
        residual = max(self.impulses.residual, earlier.impulses.residual)
        impulses = replace(self.impulses, x=x, residual=residual)
        return replace(self, impulses=impulses, memory=WarmStart.of(self.contacts, x))


def step(world: World, q: Array, v: Array, t: float, h: float, memory: WarmStart, rounds: int = ROUNDS) -> StepResult:
    """Take one step from (q, v) at t to t + h; the displacement is h (start + v)/2.

    `rounds` is the patience of the solver.
    """
    v0 = world.turned(q, v, h)
    middle = world.advance(q, 0.5 * h * v0)
    frozen = world.frozen(middle, v0, t + 0.5 * h, h)
    contacts = world.contacts(middle, v0, t + 0.5 * h, world.reach(v0, h))
    k, d = contacts.count, contacts.tangents
    if not k:
        return StepResult(frozen.free, v0, contacts, Impulses(np.zeros(0), 0.0, 0), 0.0, WarmStart(), frozen)
    H, B = contacts.rows, frozen.spread(contacts.rows)
    before, free = H @ v0 + contacts.offset, H @ frozen.free + contacts.offset
    W, (whitened, width) = (H @ B).tocsr(), frozen.whitened(H) if len(free) > MANY else (None, 0)
    size = float(np.max(with_data(H, np.abs(H.data)) @ np.abs(frozen.free) + np.abs(contacts.offset), initial=0.0))
    apart = np.zeros((2, k), dtype=bool)  # normal and tangential parts that are to do no work
    guess, exchanged = memory.recall(contacts), frozen.kinetic(frozen.free) + frozen.kinetic(v0)
    for repeat in range(REPEATS + 1):
        shift = _asked(contacts, before, free, h, apart)
        found = solved(Program(W, free + shift, contacts.friction, d, max(size, TINY), whitened, width), guess, rounds)
        v1 = frozen.free + B @ found.x
        each = 0.5 * found.x * (H @ (v0 + v1))
        if np.sum(each) <= ROUNDING * exchanged or repeat == REPEATS:
            break
        normal, tangential = each[:k] > 0.0, np.sum(each[k:].reshape(k, d), axis=1) > 0.0
        if not (np.any(normal & ~apart[0]) or np.any(tangential & ~apart[1])):
            break
        apart = apart | np.array([normal, tangential])
        guess = found.x
    return StepResult(v1, v0, contacts, found, float(np.sum(each)), WarmStart.of(contacts, found.x), frozen)


def _asked(contacts: Contacts, before: Array, free: Array, h: float, apart: Flags) -> Array:
    """Return what is added to the free rates (k (1 + d),): −b for normal parts, s₀ for tangents that do no work."""
    k, d, e = contacts.count, contacts.tangents, contacts.restitution
    rate, later = before[:k], free[:k]
    gap = contacts.gap - 0.5 * h * rate  # at the start of the step
    gap = np.where(gap > CLOSED * contacts.size, gap, 0.0)
    bounced = np.where(apart[0], -rate, e * np.maximum(-rate, 0.0))
    closing = gap + 0.5 * h * (rate + later) < 0.0
    fast = closing & (e > 0.0) & (rate < 0.0) & (-rate > np.abs(later - rate))
    b = np.where(fast | (gap == 0.0), bounced, np.minimum(bounced, -2.0 * gap / h - rate))
    slip = np.where(np.repeat(apart[1], d), before[k:], 0.0)
    return np.concatenate([-b, slip])
