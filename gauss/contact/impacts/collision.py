"""One impact at all closed contacts: the laws by name, the balance of energy, and what another order would change.

The laws differ in what they demand of the impulses P ≥ 0 and S of each contact:

* "moreau": all contacts at once, ġ⁺ + e min(ġ⁻, 0) ≥ 0 complementary to P, and Coulomb's law with the slip after.
* "newton", "poisson", "stronge": Routh's path of one contact, ended by the kinematic, the kinetic or the energetic
  coefficient of restitution. Several contacts: "newton" and "stronge" take one after another, the fastest approach
  first; "poisson" takes all that act on each other at once, in a phase of compression and one of restitution.

The mean velocity v̄ = ½(v⁻ + v⁺) gives the balance of energy exactly: with M(v⁺ − v⁻) = JᵀΛ + NᵀP + TᵀS

    T⁺ − T⁻ = Σ (P ġ̄ + S s̄) + (Pᵀν + Sᵀτ + Λᵀγ),

the work at the contacts, in the frames of their obstacles, and that of moving obstacles and drives. The first sum must
not be positive: a law for which it is would create energy, and is refused unless that is allowed. "stronge" never is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from gauss.contact.impacts.laws import LAWS, check_law
from gauss.contact.impacts.orders import HITS, Orders, one_by_one, orders
from gauss.contact.impacts.problem import SWEEPS, ImpactProblem, impact_problem
from gauss.contact.impacts.restitution import ImpactPhase
from gauss.contact.impacts.simultaneous import ImpactOutcome, moreau, poisson
from gauss.contact.space.impact import moreau_in_space
from gauss.errors import EnergyGainError, InputError, SolverError
from gauss.foundation.arrays import Array, tidied
from gauss.foundation.calls import advised
from gauss.foundation.outcomes import Shown
from gauss.foundation.tolerances import GAIN, SAME, SETTLED
from gauss.model import System
from gauss.model.state import State
from gauss.principle.contact_sizes import impact_sizes

__all__ = ["GAIN", "LAWS", "Collision", "collide", "impact", "impact_at"]

REPEAT = ", or pass allow_energy_gain=True to repeat a published motion that gains energy"


@dataclass(frozen=True, repr=False)
class Collision(Shown):
    """The velocities and impulses after an impact, with its balance of energy."""

    problem: ImpactProblem
    law: str
    v: Array  # (n,) velocities after
    normal: Array  # (k,) normal impulses P, N s
    tangential: Array  # (k,) friction impulses S, N s; in space (k, 2)
    bilateral: Array  # (m,) impulses Λ of the bilateral rows
    others: Array  # (w, n) other velocities that satisfy the law as well
    decided: bool  # whether these are known to be all
    unique_impulses: bool  # whether the velocities determine the impulses
    path: tuple[tuple[str, ImpactPhase], ...]  # pieces of Routh's path with the contact's name; empty for other laws
    cut_short: bool  # whether a sequence of impacts did not die out, and what still approached was stopped at once
    residual: float  # largest violation of momentum, rows and law, relative
    moments: tuple[Array, ...] = ()  # (d,) impulses of rolling and spinning resistances, N m s

    @property
    def energy_before(self) -> float:
        """Kinetic energy before the impact, J."""
        return float(0.5 * self.problem.v @ self.problem.M @ self.problem.v)

    @property
    def energy_after(self) -> float:
        """Kinetic energy after the impact, J."""
        return float(0.5 * self.v @ self.problem.M @ self.v)

    @property
    def energy_loss(self) -> float:
        """Kinetic energy before less that after, J."""
        p = self.problem
        return float(0.5 * (p.v - self.v) @ p.M @ (p.v + self.v))

    @property
    def normal_work(self) -> Array:
        """Work (k,) of the normal impulses with the mean gap rates, J."""
        p = self.problem
        return np.asarray(self.normal * (p.N @ (p.v + self.v) / 2.0 - p.nu))

    @property
    def tangential_work(self) -> Array:
        """Work (k,) of the friction impulses, and of resistances, with the mean slip velocities, J."""
        p, mean = self.problem, (self.problem.v + self.v) / 2.0
        work = self.tangential * p.slip_rates(mean)
        work = np.sum(work, axis=tuple(range(1, work.ndim)))
        for each, moment in zip(p.resistances, self.moments, strict=True):
            work[each.contact] += moment @ (each.rows @ mean - each.right)
        return np.asarray(work)

    @property
    def work(self) -> Array:
        """Work (k,) of all impulses of each contact, J."""
        return np.asarray(self.normal_work + self.tangential_work)

    @property
    def drive_work(self) -> float:
        """Work of moving obstacles and driven rows, J; energy_loss = −(Σ normal + Σ tangential + drive)."""
        p = self.problem
        mean = p.J @ (p.v + self.v) / 2.0
        work = self.normal @ p.nu + np.sum(self.tangential * p.tau) + self.bilateral @ mean
        return float(work + sum(m @ each.right for m, each in zip(self.moments, p.resistances, strict=True)))

    @property
    def created(self) -> float:
        """Energy (J) that the law creates: the work of all contacts where it is positive and no rounding, else 0."""
        work = float(np.sum(self.work))
        return work if work > GAIN * (self.energy_before + self.energy_after) else 0.0

    @property
    def unique(self) -> bool:
        """Whether the law is known to leave one outcome."""
        return self.decided and not len(self.others)

    @cached_property
    def orders(self) -> Orders | None:
        """What the impacts would do one after another, in every order; None where this is no question.

        That is: fewer than two contacts, contacts held from both sides or in space, or one that cannot be struck alone.
        """
        p = self.problem
        if p.k < 2 or p.in_space or np.any(p.bilateral):
            return None
        try:
            return orders(p, self.law)
        except SolverError:
            return None

    @cached_property
    def order_matters(self) -> bool:
        """Whether some order of impacts one after another has another outcome than this one."""
        found = self.orders
        if found is None:
            return False
        return bool(np.any(np.abs(found.outcomes - self.v) > 10.0 * SAME * self.problem.speed))

    @property
    def sentence(self) -> str:
        """What happened, in words."""
        p = self.problem
        if not p.k:
            return "no contact is closed, and the velocities stay."
        gap, slip = p.gap_rates(self.v), p.slips(self.v)
        parts = [
            f"{name!r} {_said(gap[i], np.atleast_1d(slip[i]), self.normal[i], p.frictional[i], p.bilateral[i])}"
            for i, name in enumerate(p.names)
        ]
        loss = self.energy_loss if abs(self.energy_loss) > 1e-13 * self.energy_before else 0.0
        text = ", ".join(parts) + f"; {loss:.6g} J of {self.energy_before:.6g} J are lost."
        if self.created:
            text += f" The law creates {self.created:.6g} J."
        if len(self.others):
            text += f" {len(self.others)} other outcome(s) satisfy the law as well; the nearest to v⁻ is taken."
        if not self.decided:
            text += " There may be more outcomes than have been found."
        if self.cut_short:
            text += f" After {HITS} impacts what still approached was stopped without rebound."
        if not self.unique_impulses:
            text += " The impulses are not unique."
        if self.order_matters and self.orders is not None:
            count = len(self.orders.outcomes)
            word = "has another outcome" if count == 1 else f"has {count} outcomes, depending on the order"
            text += f" The order matters: one impact after another {word}."
        return text

    def __str__(self) -> str:
        p = self.problem
        values = ", ".join(f"{c} = {x:.9g}" for c, x in zip(p.coordinates, tidied(self.v), strict=True))
        lines = [f"impact         {self.law}: {self.sentence}", f"velocities     {values}"]
        impulses = tidied(np.column_stack([self.normal, self.tangential]))
        works = tidied(np.concatenate([self.normal_work, self.tangential_work, [self.energy_before]]))
        for i, name in enumerate(p.names):
            P, *S = (f"{x:.9g}" for x in impulses[i])
            along, work = S[0] if len(S) == 1 else f"({', '.join(S)})", works[[i, p.k + i]].sum()
            lines.append(f"  impulses     {name}: P = {P}, S = {along} N s, work {work:.9g} J")
        if self.order_matters:
            lines.append(str(self.orders))
        return "\n".join(lines)


def _said(gap: float, slip: Array, normal: float, frictional: bool, held: bool) -> str:
    leaves = "is held" if held else "separates" if gap > 0.0 else "stays closed"
    leaves = "is not struck" if normal == 0.0 and gap > 0.0 else leaves
    if not frictional or normal == 0.0:
        return leaves
    if not np.any(slip):
        return f"{leaves} and sticks"
    return f"{leaves} and slips{'' if len(slip) > 1 else ' forwards' if slip[0] > 0.0 else ' backwards'}"


def collide(
    problem: ImpactProblem,
    law: str = "moreau",
    *,
    tangential: float = 0.0,
    without_collision: bool = False,
    allow_energy_gain: bool = False,
) -> Collision:
    """Resolve an impact at all contacts of a problem by the law of that name (see the module's text).

    In space the law is Moreau's (`gauss.contact.space.impact`), with a restitution `tangential` of slips and of
    resistances. `without_collision` asks for the impact of a contact that does not approach (ġ⁻ = 0), but which sliding
    drives in: the way on where no finite forces satisfy the law of friction. Raises EnergyGainError where the law would
    create energy, unless `allow_energy_gain`, with which the answer has it as `created`; InputError for an unknown law
    and for what a law does not know, SolverError and ContradictoryRowsError where it has no solution, in space where it
    has several.

    >>> import gauss as g
    >>> ball = g.contact.ImpactProblem.of([[2.0]], [-3.0], N=[[1.0]], restitution=0.5)
    >>> {law: g.contact.collide(ball, law).v.round(9).tolist() for law in g.contact.LAWS}
    {'moreau': [1.5], 'newton': [1.5], 'poisson': [1.5], 'stronge': [1.5]}
    """
    if not isinstance(problem, ImpactProblem):
        raise InputError(f"collide expects an ImpactProblem, got {type(problem).__name__}; see impact_problem.")
    check_law(law)
    p = problem
    if p.in_space and (law != "moreau" or without_collision):
        raise InputError("contacts in space collide by the law 'moreau', and where they approach.")
    if tangential and not p.in_space:
        raise InputError("a restitution along the tangents is for contacts in space.")
    path: tuple[tuple[str, ImpactPhase], ...] = ()
    cut_short = False
    moments: tuple[Array, ...] = ()
    if p.in_space:
        found, moments = moreau_in_space(p, tangential)
    elif law == "moreau":
        found = moreau(p, without_collision=without_collision)
    elif law == "poisson" and p.k > 1 and not without_collision:
        found = _by_groups(p)
    else:
        single = one_by_one(p, law, without_collision=without_collision)
        path, cut_short = single.path, single.cut_short
        none = np.zeros((0, len(p.v)))
        found = ImpactOutcome(single.v, single.normal, single.tangential, none, True, True, 0.0)
    given = p.momentum_of(found.normal, found.tangential, moments)
    bilateral = p.bilateral_impulses(found.v, given)
    answer = Collision(
        p,
        law,
        found.v,
        found.normal,
        found.tangential,
        bilateral,
        found.others,
        found.decided,
        found.unique_impulses,
        path,
        cut_short,
        max(found.residual, _residual(p, found, bilateral, moments)),
        moments,
    )
    if answer.created and not (allow_energy_gain and not cut_short):
        raise _energy_gain(answer)
    return answer


def _by_groups(p: ImpactProblem) -> ImpactOutcome:
    """Resolve an impact after Poisson, each group of contacts that act on each other on its own."""
    k, W = p.k, np.abs(p.influence.W)
    size = np.sqrt(np.maximum(np.diag(W), 1e-300))
    coupled = (W / np.outer(size, size)).reshape(2, k, 2, k).max(axis=(0, 2)) > 1e-12
    for _ in range(k):
        coupled = coupled @ coupled
    groups = sorted({tuple(int(j) for j in np.flatnonzero(row)) for row in coupled})
    if len(groups) == 1:
        return poisson(p)
    normal, tangential, parts = np.zeros(k), np.zeros(k), []
    for group in groups:
        i = list(group)
        if len(i) == 1:
            single = one_by_one(p.only(i), "poisson")
            normal[i], tangential[i] = single.normal, single.tangential
        else:
            parts.append(poisson(p.only(i)))
            normal[i], tangential[i] = parts[-1].normal, parts[-1].tangential
    v = p.v + p.influence.G @ np.concatenate([normal, tangential])
    others = [x + v - part.v for part in parts for x in part.others]
    return ImpactOutcome(
        v,
        normal,
        tangential,
        np.array(others).reshape(len(others), len(v)),
        all(part.decided for part in parts),
        all(part.unique_impulses for part in parts),
        max((part.residual for part in parts), default=0.0),
    )


def _residual(p: ImpactProblem, found: ImpactOutcome, bilateral: Array, moments: tuple[Array, ...]) -> float:
    """Return the largest violation of momentum, of the bilateral rows, and of ġ⁺ ≥ 0 and P ≥ 0, relative."""
    change = p.M @ (found.v - p.v)
    rest = change - p.J.T @ bilateral - p.momentum_of(found.normal, found.tangential, moments)
    size = np.abs(p.M) @ (np.abs(p.v) + np.abs(found.v)) + np.abs(p.J.T) @ np.abs(bilateral)
    momentum = max(float(np.max(size, initial=0.0)), 1e-300)
    parts = [np.abs(rest) / momentum]
    rows, right = np.vstack([p.J, p.N]), np.concatenate([p.gamma, p.nu])
    sizes = np.maximum(impact_sizes(rows, right, p.v, p.M), impact_sizes(rows, right, found.v, p.M))
    parts.append(np.abs(p.J @ found.v - p.gamma) / np.maximum(sizes[: len(p.J)], 1e-300))
    rate = np.maximum(-(p.N @ found.v - p.nu), 0.0) / np.maximum(sizes[len(p.J) :], 1e-300)
    rate = np.where(p.bilateral, 0.0, rate)
    pull = np.maximum(-found.normal, 0.0) * np.max(np.abs(p.N), axis=1, initial=0.0) / momentum
    return float(np.max(np.concatenate([*parts, rate, np.where(p.bilateral, 0.0, pull)]), initial=0.0))


def _energy_gain(c: Collision) -> EnergyGainError:
    """Return the error for an impact in which the contacts do work on the system."""
    worst = c.problem.names[int(np.argmax(c.work))]
    remedy = "Use law='stronge', whose energetic coefficient never creates energy"
    if c.problem.in_space:
        remedy = "With tangential = restitution, one number for all contacts, it never creates energy"
    return EnergyGainError(
        f"the law {c.law!r} would create {c.created:.6g} J in this impact, most of it at the contact {worst!r} (kinetic"
        f" energy {c.energy_before:.6g} J before, {c.energy_after:.6g} J after), so it is refused. {remedy}{REPEAT}.",
        worst,
        c.created,
        c.law,
    )


@advised
def impact(
    system: System,
    q: object,
    v: object,
    t: float = 0.0,
    *,
    law: str = "moreau",
    u: object = None,
    without_collision: bool = False,
    allow_energy_gain: bool = False,
) -> Collision:
    """Resolve the impact of a System at the state (q, v⁻, t): all closed contacts with their friction, by a law.

    Restitution is that of the Unilateral rows. Raises InconsistentStateError for a state inside an obstacle or off a
    constraint, and what `collide` raises.

    >>> import gauss as g
    >>> block = g.System(
    ...     "block",
    ...     coordinates="x z",
    ...     kinetic_energy=lambda v: 0.5 * (v.x**2 + v.z**2),
    ...     potential_energy=lambda q: 9.81 * q.z,
    ...     constraints=[g.Unilateral("floor", lambda q: q.z, restitution=0.5, friction=g.Coulomb(0.3, lambda v: v.x))],
    ... )
    >>> hit = g.impact(block, [0, 0], [1, -2])
    >>> hit.v.round(9).tolist(), round(hit.energy_loss, 9)
    ([0.1, 1.0], 1.995)
    """
    return impact_at(
        system,
        system.start(q, v, t),
        law,
        u,
        without_collision=without_collision,
        allow_energy_gain=allow_energy_gain,
    )


def impact_at(
    system: System,
    state: State,
    law: str = "moreau",
    u: object = None,
    *,
    without_collision: bool = False,
    allow_energy_gain: bool = False,
    closed: Sequence[int] | None = None,
) -> Collision:
    """Resolve the impact at a state as `impact` does; constraints nonlinear in the velocities hold after it.

    `closed` are the unilateral rows (indices) that take part, in place of those that the state tells.

    Raises what `impact` raises, SolverError where the linearisations do not settle.
    """
    check_law(law)
    asked = {"without_collision": without_collision, "allow_energy_gain": allow_energy_gain}
    found = collide(impact_problem(system, state, u, closed=closed), law, **asked)
    if system.model.linear_velocity:
        return found
    for _ in range(SWEEPS):
        v = found.v
        found = collide(impact_problem(system, state, u, v, closed), law, **asked)
        if np.max(np.abs(found.v - v)) <= SETTLED * float(max(np.max(np.abs(v)), np.max(np.abs(state.v)))):
            return found
    raise SolverError(
        f"the impact at t = {state.t:.9g} s does not settle: the nonlinear constraints are not satisfied within"
        f" {SWEEPS} linearisations."
    )
