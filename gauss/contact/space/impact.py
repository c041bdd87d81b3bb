"""Impacts in space by Moreau's law: the cone program one level lower, with its balance of energy.

With impulses in the place of forces and velocities in that of accelerations, M (v⁺ − v⁻) = JᵀΛ + Σ (NᵀP + TᵀS) and
the law of friction holds between the impulses and the mixed velocities

    ġ* = ġ⁺ + e ġ⁻,    s* = s⁺ + e_t s⁻:    P ≥ 0, ġ* ≥ 0, P ġ* = 0, |S| ≤ μ P, S = −μ P s*/|s*| where s* ≠ 0

(J. J. Moreau, Unilateral contact and dry friction in finite freedom dynamics, 1988). Where e_t and all e are one number
the contacts lose Σ [½(1 − e) rᵀG r − r·u*]/(1 + e) ≥ 0, with r = (P, S), G Delassus's matrix: nothing is created. With
e_t = 0 < e friction may create energy (Kane's paradox); such an impact is refused.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from gauss.contact.impacts.collision import GAIN
from gauss.contact.space.problem import ConeProblem
from gauss.contact.space.solve import solve_cone
from gauss.contact.space.verdict import ConeVerdict
from gauss.errors import EnergyGainError, InputError, SolverError
from gauss.foundation.arrays import Array, as_array, tidied, vector


@dataclass(frozen=True)
class SpaceImpact:
    """The velocities and impulses after an impact in space, with its balance of energy."""

    problem: ConeProblem  # at the velocity level: ġ = N v − ν, s = T v − τ
    before: Array  # (n,) v⁻
    v: Array  # (n,) v⁺
    normal: Array  # (k,) impulses P, N s
    tangential: Array  # (k, 2) impulses S, N s
    moments: tuple[Array, ...]  # (d,) impulses of the resistances, N m s
    bilateral: Array  # (m,) impulses Λ
    verdict: ConeVerdict  # of the mixed velocities: what is known about other outcomes

    @property
    def energy_before(self) -> float:
        """Kinetic energy before, J."""
        return float(0.5 * self.before @ self.problem.M @ self.before)

    @property
    def energy_after(self) -> float:
        """Kinetic energy after, J."""
        return float(0.5 * self.v @ self.problem.M @ self.v)

    @property
    def energy_loss(self) -> float:
        """Kinetic energy before less that after, J."""
        return float(0.5 * (self.before - self.v) @ self.problem.M @ (self.before + self.v))

    @property
    def work(self) -> Array:
        """Work (k,) of each contact's impulses and moments with the mean of its velocities before and after, J."""
        p, mean = self.problem, (self.before + self.v) / 2.0
        work = self.normal * (p.N @ mean - p.nu)
        work += np.sum(self.tangential * (np.einsum("kin,n->ki", p.T, mean) - p.tau), axis=1)
        for block, moment in zip(p.resistances, self.moments, strict=True):
            work[block.contact] += moment @ (block.rows @ mean - block.right)
        return np.asarray(work)

    @property
    def drive_work(self) -> float:
        """Work of moving obstacles and driven rows, J; energy_loss = −(Σ work + drive_work)."""
        p, mean = self.problem, (self.before + self.v) / 2.0
        work = self.normal @ p.nu + np.sum(self.tangential * p.tau) + self.bilateral @ (p.J @ mean)
        for block, moment in zip(p.resistances, self.moments, strict=True):
            work += moment @ block.right
        return float(work)

    @property
    def created(self) -> float:
        """Energy (J) that the law creates: the work of all contacts where it is positive and no rounding, else 0."""
        work = float(np.sum(self.work))
        return work if work > GAIN * (self.energy_before + self.energy_after) else 0.0

    def __str__(self) -> str:
        p = self.problem
        values = ", ".join(f"{c} = {x:.9g}" for c, x in zip(p.coordinates, tidied(self.v), strict=True))
        lines = [f"velocities     {values}"]
        works = tidied(np.append(self.work, self.energy_before))
        for name, P, S, work in zip(p.names, self.normal, tidied(self.tangential), works, strict=False):
            lines.append(f"  impulses     {name}: P = {P:.9g}, S = ({S[0]:.9g}, {S[1]:.9g}) N s, work {work:.9g} J")
        made = f" (the law creates {self.created:.9g} J)" if self.created else ""
        lost = f"{self.energy_loss:.9g} J of {self.energy_before:.9g} J are lost"
        lines.append(f"  {lost}{made}; {self.verdict.verdict}.")
        return "\n".join(lines)


def impact_in_space(
    problem: ConeProblem,
    v: ArrayLike,
    restitution: ArrayLike = 0.0,
    *,
    tangential: float = 0.0,
    allow_energy_gain: bool = False,
) -> SpaceImpact:
    """Return the velocities after the impact of all contacts of a problem at the velocity level, by Moreau's law.

    `problem` holds ġ = N v − ν, s = T v − τ and J v = γ (see `cone_impact`); its forces do not act and are
    ignored. `v` (n,) are the velocities before, `restitution` is e (k,) or one number, `tangential` e_t for friction
    and resistances. Raises InputError for bad arguments, EnergyGainError where contacts would create energy, unless
    `allow_energy_gain`, with which the answer has it as `created`; SolverError where no impulses satisfy the law, or
    several outcomes do.
    """
    if not isinstance(problem, ConeProblem):
        raise InputError(f"impact_in_space expects a ConeProblem, got {type(problem).__name__}.")
    p = problem
    speed = vector(v, len(p.f), "v", p.coordinates)
    given = as_array(restitution, "restitution")
    e = vector(np.full(p.k, float(given)) if given.shape == () else given, p.k, "restitution", p.names)
    e_t = float(vector(tangential, 1, "tangential")[0])
    if np.any((e < 0.0) | (e > 1.0)) or not 0.0 <= e_t <= 1.0:
        raise InputError(f"restitutions must lie in [0, 1], but they are {e} and, along the tangents, {e_t:g}.")
    mixed = replace(
        p,
        f=p.M @ speed,
        nu=p.nu - e * (p.N @ speed - p.nu),
        tau=p.tau - e_t * (np.einsum("kin,n->ki", p.T, speed) - p.tau),
        slip=np.zeros((p.k, 2)),
        resistances=tuple(
            replace(b, right=b.right - e_t * (b.rows @ speed - b.right), velocity=np.zeros(len(b.right)))
            for b in p.resistances
        ),
    )
    verdict = solve_cone(mixed)
    if len(verdict.solutions) != 1:
        raise SolverError(f"Moreau's law has no single outcome in this impact: {verdict.sentence}")
    s = verdict.solution
    found = SpaceImpact(p, speed, s.a, s.normal, s.tangential, s.moments, s.bilateral, verdict)
    if found.created and not allow_energy_gain:
        raise _energy_gain(found)
    return found


def _energy_gain(impact: SpaceImpact) -> EnergyGainError:
    """Return the error for an impact in which the contacts do work on the system."""
    worst = impact.problem.names[int(np.argmax(impact.work))]
    return EnergyGainError(
        f"Moreau's law would create {impact.created:.6g} J in this impact, most of it at the contact {worst!r} (kinetic"
        f" energy {impact.energy_before:.6g} J before), so it is refused. With tangential = restitution, one number for"
        " all contacts, it never creates energy; in the plane collide(…, law='stronge') never does either. Or pass"
        " allow_energy_gain=True to repeat a published motion that gains energy.",
        worst,
        impact.created,
        "moreau",
    )
