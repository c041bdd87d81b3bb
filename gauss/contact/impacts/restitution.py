"""One contact with friction in an impact: Routh's path, integrated exactly in the normal impulse, and where it ends.

While the normal impulse P grows the velocities of the contact obey (G. Darboux, J. B. Keller)

    dġ/dP = W_nn + W_nt dS/dP,    ds/dP = W_tn + W_tt dS/dP,
    dS/dP = −μ_k sign s where it slips,    −W_tn/W_tt where it sticks,

all of them constant as long as it slips one way or sticks: straight lines (E. J. Routh). A contact that stops sticks if
it can, |W_tn| ≤ μ_s W_tt, and slips back otherwise. Compression lasts until ġ = 0, at the impulse P_c. The impact ends

    newton:   where ġ = −e ġ⁻ (the kinematic coefficient),
    poisson:  at P = (1 + e) P_c (the kinetic coefficient),
    stronge:  where the work of the normal force in restitution is −e² of that in compression (the energetic one).

The work of P is ∫ ġ dP and that of S is ∫ s dS ≤ 0. Under the last law their sum is never positive:
−(1 − e²)|W_c| + ∫ s dS.

Compression always ends where W is positive definite. Where sliding drives the contact in, dġ/dP = W_nn − σ μ_k W_nt < 0
(a jam), σ W_nt > W_nn/μ_k, so that W_nn W_tt > W_nt² gives σ ds/dP = σ W_tn − μ_k W_tt < 0: sliding stops at a finite
P, and once it sticks, or slips back, dġ/dP > 0.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from gauss.errors import InputError, SolverError
from gauss.foundation.arrays import Array, matrix
from gauss.foundation.outcomes import Shown

PATHS = ("newton", "poisson", "stronge")
FLAT = 1e-13  # a rate dġ/dP below this share of W_nn is zero
ROUNDING = 1e-12  # a slip after the impact below this share of its terms is zero


@dataclass(frozen=True)
class ImpactPhase:
    """A straight piece of the path, in which the contact slips one way or sticks.

    >>> import gauss as g
    >>> path = g.contact.routh([[1, 0], [0, 1]], gap_rate=-2.0, slip=0.2, static=0.2, kinetic=0.2, e=0.5, law="newton")
    >>> [(phase.mode, round(phase.start, 9), round(phase.end, 9)) for phase in path.phases]  # slip ends at P = s/μ
    [('slip+', 0.0, 1.0), ('stick', 1.0, 3.0)]
    """

    mode: str  # "slip+", "slip−" or "stick"
    start: float  # normal impulse P at its start, N s
    end: float  # and at its end
    gap_rate: float  # ġ at its start, m/s
    slip: float  # s at its start, m/s
    normal_slope: float  # dġ/dP, 1/kg
    slip_slope: float  # ds/dP, 1/kg
    friction: float  # dS/dP

    def gap_rate_at(self, P: float) -> float:
        """Return ġ (m/s) at the normal impulse P."""
        return self.gap_rate + self.normal_slope * (P - self.start)

    def slip_at(self, P: float) -> float:
        """Return s (m/s) at the normal impulse P."""
        return self.slip + self.slip_slope * (P - self.start)


@dataclass(frozen=True, repr=False)
class ImpactPath(Shown):
    """An impact at one contact from beginning to end."""

    phases: tuple[ImpactPhase, ...]  # none where nothing happens
    compression: float  # P_c, N s
    normal: float  # P at the end, N s
    tangential: float  # S at the end, N s
    work_compression: float  # ∫ ġ dP up to P_c, J, not positive
    work_restitution: float  # ∫ ġ dP from there, J, not negative
    work_friction: float  # ∫ s dS, J, not positive


def routh(
    W: ArrayLike, gap_rate: float, slip: float, static: float, kinetic: float, e: float, law: str, rounding: float = 0.0
) -> ImpactPath:
    """Follow the impact of one contact; W is Delassus's matrix (2, 2) of (ġ, s), in 1/kg; ġ within `rounding` is zero.

    `gap_rate` ġ⁻ and `slip` s⁻ (m/s) are those before; `static` and `kinetic` are μ_s and μ_k, e the coefficient of
    restitution of `law`, "newton", "poisson" or "stronge". A contact that does not approach (ġ⁻ = 0) but whose sliding
    drives it in takes an impact without collision. Raises InputError for an unknown law and for a W of another shape,
    SolverError where the contact jams: it sticks while it still approaches, and no impulse can stop it.

    >>> import gauss as g
    >>> path = g.contact.routh([[1, 0], [0, 1]], gap_rate=-2.0, slip=1.0, static=0.2, kinetic=0.2, e=0.5, law="newton")
    >>> path.compression, path.normal, round(path.tangential, 9)  # N s: it slips throughout, S = −μP
    (2.0, 3.0, -0.6)
    """
    W = matrix(W, (2, 2), "Delassus's matrix W")
    if law not in PATHS:
        raise InputError(f"law {law!r} is unknown for one contact; choose one of {', '.join(PATHS)}.")
    if gap_rate > 0.0:
        return ImpactPath((), 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    lines = _lines(W, gap_rate, slip, static, kinetic)
    compression = _compression(lines, W[0, 0], rounding)
    if compression == 0.0:
        return ImpactPath((), 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    squeezed = _cut(lines, 0.0, compression)
    work = sum(_normal_work(line) for line in squeezed)
    end = _end(lines, compression, -e * gap_rate, e, -e * e * work, law, W[0, 0])
    restored = _cut(lines, compression, end)
    return ImpactPath(
        tuple(_cut(lines, 0.0, end)),
        compression,
        end,
        sum(line.friction * (line.end - line.start) for line in squeezed + restored),
        work,
        sum(_normal_work(line) for line in restored),
        sum(_friction_work(line) for line in squeezed + restored),
    )


def at_once(W: Array, gap_rate: float, slip: float, static: float, kinetic: float, e: float) -> tuple[float, float]:
    """Return P and S of one contact by Moreau's law (see `simultaneous`); W is Delassus's matrix (2, 2).

    Of several solutions that with the least change of the velocities, xᵀW x, x = (P, S). Raises SolverError where there
    is none.
    """
    normal, across, tangent = float(W[0, 0]), float(W[1, 0]), float(W[1, 1])
    gap = gap_rate + e * min(gap_rate, 0.0)
    found = [(0.0, 0.0)] if gap >= 0.0 else []
    free = normal * tangent - across * across
    if free > FLAT * normal * tangent:
        P, S = (across * slip - tangent * gap) / free, (across * gap - normal * slip) / free
        if P > 0.0 and abs(S) <= static * P:
            found.append((P, S))
    if len(found) < 1 + (gap >= 0.0) or static == kinetic:  # what can stick does not slip
        for side in (1.0, -1.0):
            slope = normal - side * kinetic * across
            P = -gap / slope if abs(slope) > FLAT * normal else 0.0
            terms = np.array([slip, across * P, -side * kinetic * tangent * P])  # both sides stop where W is singular
            if P > 0.0 and side * float(np.sum(terms)) >= -ROUNDING * float(np.max(np.abs(terms))):
                found.append((P, -side * kinetic * P))
    if not found:
        raise SolverError("friction wedges the contact: no impulse lets it rebound as its restitution demands.")
    return min(found, key=lambda x: normal * x[0] ** 2 + 2.0 * across * x[0] * x[1] + tangent * x[1] ** 2)


def _lines(W: Array, gap_rate: float, slip: float, static: float, kinetic: float) -> list[ImpactPhase]:
    """Return the straight pieces of the path, the last without end."""
    normal, across, tangent = float(W[0, 0]), float(W[1, 0]), float(W[1, 1])
    lines: list[ImpactPhase] = []
    P = 0.0
    while True:
        direction = float(np.sign(slip))
        if direction == 0.0 and abs(across) > static * tangent:
            direction = float(np.sign(across))  # it cannot stick
        if direction == 0.0:
            mode, friction = "stick", -across / tangent if tangent > 0.0 else 0.0
        else:
            mode, friction = "slip+" if direction > 0.0 else "slip−", -direction * kinetic
        normal_slope = normal + across * friction
        slip_slope = 0.0 if mode == "stick" else across + tangent * friction
        stops = slip * slip_slope < 0.0
        length = -slip / slip_slope if stops else np.inf
        lines.append(ImpactPhase(mode, P, P + length, gap_rate, slip, normal_slope, slip_slope, friction))
        if not np.isfinite(P + length):
            return lines
        P, gap_rate, slip = P + length, gap_rate + normal_slope * length, 0.0


def _compression(lines: list[ImpactPhase], stiff: float, rounding: float) -> float:
    """Return the impulse P_c at which ġ = 0 for good. Raises SolverError where that is never."""
    first = lines[0]
    if first.gap_rate == 0.0 and first.normal_slope >= -FLAT * stiff:
        return 0.0
    for line in lines:
        if line.normal_slope > FLAT * stiff:
            at = line.start - line.gap_rate / line.normal_slope
            if at <= line.end:
                return max(at, line.start)
        elif not np.isfinite(line.end) and line.gap_rate >= -max(rounding, 1e-12 * abs(first.gap_rate)):
            return line.start  # it sticks and stands still: nothing drives it in
    raise SolverError(
        f"the contact jams: it still approaches with {-lines[-1].gap_rate:.6g} m/s when it sticks, and no impulse stops"
        " it there. A bilateral row or a driven one leaves its sticking point no freedom."
    )


def _end(
    lines: list[ImpactPhase], compression: float, rebound: float, e: float, work: float, law: str, stiff: float
) -> float:
    """Return the impulse P at which the impact ends; `rebound` is −e ġ⁻, `work` that of restitution."""
    if law == "poisson":
        return (1.0 + e) * compression
    done = 0.0
    for line in _cut(lines, compression, np.inf):
        if line.normal_slope <= FLAT * stiff:
            continue
        if law == "newton":
            at = line.start + max(rebound - line.gap_rate, 0.0) / line.normal_slope
        else:  # slope x²/2 + ġ x = what is left
            left, rate = work - done, max(line.gap_rate, 0.0)
            root = float(np.sqrt(rate * rate + 2.0 * line.normal_slope * left))
            at = line.start + (2.0 * left / (rate + root) if left > 0.0 else 0.0)
        if at <= line.end:
            return at
        done += _normal_work(line)
    if law == "newton" and rebound > 0.0:
        raise SolverError(
            "the contact sticks where it was stopped, and no impulse makes it rebound with e = "
            f"{e:g}: Newton's law has no solution here. Use law='poisson' or law='stronge'."
        )
    return compression


def _cut(lines: list[ImpactPhase], start: float, end: float) -> list[ImpactPhase]:
    """Return the part of the pieces between two impulses."""
    found = []
    for line in lines:
        low, high = max(line.start, start), min(line.end, end)
        if high > low:
            rates = line.gap_rate_at(low), line.slip_at(low)
            found.append(ImpactPhase(line.mode, low, high, *rates, line.normal_slope, line.slip_slope, line.friction))
    return found


def _normal_work(line: ImpactPhase) -> float:
    length = line.end - line.start
    return length * (line.gap_rate + 0.5 * line.normal_slope * length)


def _friction_work(line: ImpactPhase) -> float:
    length = line.end - line.start
    return line.friction * length * (line.slip + 0.5 * line.slip_slope * length)
