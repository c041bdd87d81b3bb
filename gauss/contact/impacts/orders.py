"""Impacts one contact at a time: in every order, and in the order of the approach speeds.

Where several contacts close at once, one coefficient of restitution each does not determine what follows: the impacts
may be simultaneous, or follow one another in any order. `orders` tries every order, each contact alone while the others
count as open, until no contact approaches any more.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from gauss.contact.impacts.laws import AT_REST, check_law, strike
from gauss.contact.impacts.problem import ImpactProblem
from gauss.contact.impacts.restitution import ImpactPhase
from gauss.contact.impacts.simultaneous import moreau
from gauss.errors import InputError
from gauss.foundation.arrays import Array, tidied
from gauss.foundation.outcomes import Shown
from gauss.foundation.tolerances import GAIN, SAME

DEPTH = 300  # impacts that are followed in one order
NODES = 3000  # impacts that are followed in all orders together
HITS = 1000  # impacts of a sequence in the order of the approach speeds, before the rest is stopped at once
RUNAWAY = 1e12  # growth of the energy at which a sequence is not followed any further


@dataclass(frozen=True, repr=False)
class Orders(Shown):
    """What impacts one at a time lead to, in every order."""

    problem: ImpactProblem
    law: str  # of each single impact
    outcomes: Array  # (w, n) distinct velocities after all impacts
    sequences: tuple[tuple[str, ...], ...]  # (w,) contacts in an order that leads to each
    energy_losses: Array  # (w,) J
    unfinished: int  # orders that were not followed to their end, each with all that would branch off
    refused: int  # orders in which a single impact would create energy

    @property
    def order_matters(self) -> bool:
        """Whether different orders have different outcomes."""
        return len(self.outcomes) > 1

    @property
    def sentence(self) -> str:
        """The report in words."""
        count = len(self.outcomes)
        if not count:
            text = "no order of single impacts comes to an end"
        elif count == 1 and not self.sequences[0]:
            text = "no contact approaches"
        elif count == 1:
            text = f"one after another ({said(self.sequences[0])}) the impacts have one outcome in every order"
            text += " that was followed" if self.unfinished else ""
        else:
            text = f"one after another the impacts have {count} outcomes, which depend on the order"
        text += f"; {self.unfinished} orders were not followed to their end" if self.unfinished else ""
        text += f"; {self.refused} orders would create energy and are left out" if self.refused else ""
        return text + "."

    def __str__(self) -> str:
        lines = [f"orders         {self.sentence}"]
        for v, names, loss in zip(self.outcomes, self.sequences, self.energy_losses, strict=True):
            values = zip(self.problem.coordinates, tidied(v), strict=True)
            lines.append("  velocities   " + ", ".join(f"{name} = {x:.9g}" for name, x in values))
            before = 0.5 * float(self.problem.v @ self.problem.M @ self.problem.v)
            lines.append(f"    after      {said(names)}; {loss if abs(loss) > 1e-13 * before else 0.0:.9g} J lost")
        return "\n".join(lines)


@dataclass(frozen=True)
class Sequence:
    """The result of impacts one contact at a time."""

    v: Array  # (n,)
    normal: Array  # (k,) sums of the normal impulses, N s
    tangential: Array  # (k,) sums of the friction impulses, N s
    path: tuple[tuple[str, ImpactPhase], ...]  # pieces of Routh's paths with the names of their contacts
    cut_short: bool  # whether contacts still approached after `HITS` impacts and were stopped at once


def said(names: tuple[str, ...]) -> str:
    """Return a sequence of contacts in words, its middle left out if it is long."""
    shown = [repr(name) for name in names]
    return ", ".join(shown if len(shown) <= 8 else [*shown[:6], "…", f"{len(shown)} impacts"]) or "no impact"


def require_unilateral(p: ImpactProblem) -> None:
    """Raise InputError where a contact is held from both sides: it cannot take an impact of its own."""
    if np.any(p.bilateral):
        names = ", ".join(repr(name) for name, held in zip(p.names, p.bilateral, strict=True) if held)
        raise InputError(
            f"the contacts {names} are held from both sides and have no impact of their own; law='moreau'."
        )


def orders(problem: ImpactProblem, law: str = "moreau") -> Orders:
    """Follow impacts one contact at a time in every order, until no contact approaches, and return all outcomes.

    `law` is that of each single impact, with the contact's own restitution; "moreau" is Newton's law there. At most
    3,000 impacts are followed, and 300 in one order; if that leaves some, three more orders are followed for up to
    10,000 impacts. Sequences without end count as ended when the approach speeds have fallen to 1e-10. Raises
    InputError for an unknown law and contacts held from both sides, and what the law raises.

    >>> import gauss as g
    >>> balls = {"M": [[1, 0, 0], [0, 1, 0], [0, 0, 1]], "N": [[-1, 1, 0], [0, -1, 1]]}  # three in a row, that touch
    >>> cradle = g.contact.ImpactProblem.of(v=[1, 0, 0], restitution=1.0, **balls)
    >>> found = g.contact.orders(cradle)
    >>> found.outcomes.round(9).tolist(), found.order_matters
    ([[0.0, 0.0, 1.0]], False)
    """
    p = problem
    if not isinstance(p, ImpactProblem):
        raise InputError(f"orders expects an ImpactProblem, got {type(p).__name__}; see impact_problem.")
    check_law(law)
    require_unilateral(p)
    size = AT_REST * p.rate_sizes[: p.k]
    scale, energy = p.speed, p.energy
    stack: list[tuple[Array, tuple[int, ...]]] = [(p.v, ())]
    seen: set[tuple[float, ...]] = set()
    ends: list[tuple[Array, tuple[int, ...]]] = []
    unfinished = refused = 0
    while stack:
        v, sequence = stack.pop()  # depth first: some orders come to their end however many there are
        approaching = np.flatnonzero(p.N @ v - p.nu < -size)
        if not len(approaching):
            ends.append((v, sequence))
            continue
        if len(sequence) >= DEPTH or len(seen) >= NODES:
            unfinished += 1
            continue
        for i in map(int, approaching):
            after, normal, tangential, _ = strike(p, i, v, law)
            if _gain(p, i, v, after, normal, tangential) > GAIN * energy:
                refused += 1
                continue
            key = tuple(np.round(after / scale, 11) + 0.0)
            if key not in seen:
                seen.add(key)
                stack.append((after, (*sequence, i)))
    outcomes: list[tuple[Array, tuple[int, ...]]] = []
    for v, sequence in [*ends, *(_long(p, law, size) if unfinished else [])]:
        if all(np.any(np.abs(v - other) > SAME * scale) for other, _ in outcomes):
            outcomes.append((v, sequence))
    return Orders(
        p,
        law,
        np.array([v for v, _ in outcomes]).reshape(len(outcomes), len(p.v)),
        tuple(tuple(p.names[i] for i in sequence) for _, sequence in outcomes),
        np.array([0.5 * (p.v - v) @ p.M @ (p.v + v) for v, _ in outcomes]),
        unfinished,
        refused,
    )


def _long(p: ImpactProblem, law: str, size: Array) -> list[tuple[Array, tuple[int, ...]]]:
    """Return the ends of three orders that are followed further: the fastest, the first, the last contact first."""
    found = []
    for rule in (np.argmin, lambda rate: np.flatnonzero(rate)[0], lambda rate: np.flatnonzero(rate)[-1]):
        v, sequence = p.v, list[int]()
        while len(sequence) < 10 * HITS:
            rate = p.N @ v - p.nu
            rate[rate >= -size] = 0.0
            if not np.any(rate):
                found.append((v, tuple(sequence)))
                break
            i = int(rule(rate))
            before = v
            v, normal, tangential, _ = strike(p, i, v, law)
            if _gain(p, i, before, v, normal, tangential) > GAIN * p.energy:
                break
            sequence.append(i)
    return found


def _gain(p: ImpactProblem, i: int, before: Array, after: Array, normal: float, tangential: float) -> float:
    """Return the work (J) of the impulses of contact i on the body, in the frame of the obstacle."""
    mean = (before + after) / 2.0
    return float(normal * (p.N[i] @ mean - p.nu[i]) + tangential * (p.T[i] @ mean - p.tau[i]))


def one_by_one(p: ImpactProblem, law: str, *, without_collision: bool = False) -> Sequence:
    """Resolve impacts one contact at a time, the fastest approach first, until none approaches.

    What still approaches after `HITS` impacts (contacts that friction wedges rattle long) is stopped at once, by
    Moreau's law with e = 0, which takes energy, too. With `without_collision` a contact that does not approach, but is
    driven in by its sliding, is struck first. Raises InputError for contacts held from both sides.
    """
    require_unilateral(p)
    v, normal, tangential = p.v, np.zeros(p.k), np.zeros(p.k)
    pieces: list[tuple[str, ImpactPhase]] = []
    size = AT_REST * p.rate_sizes[: p.k]
    forced = [int(i) for i in np.flatnonzero(p.frictional & (p.gap_rates(v) == 0.0))] if without_collision else []
    for _ in range(HITS):
        rate = p.N @ v - p.nu
        approaching = rate < -size
        if not forced and not np.any(approaching):
            return Sequence(v, normal, tangential, tuple(pieces), False)
        i = forced.pop() if forced else int(np.argmin(np.where(approaching, rate, 0.0)))
        v, P, S, phases = strike(p, i, v, law)
        normal[i] += P
        tangential[i] += S
        pieces += [(p.names[i], phase) for phase in phases]
        if v @ p.M @ v > RUNAWAY * p.energy:
            break  # a law that creates energy
    last = moreau(replace(p, v=v, restitution=np.zeros(p.k)))
    return Sequence(last.v, normal + last.normal, tangential + last.tangential, tuple(pieces), True)
