"""Impacts in space by Moreau's law: the cone program one level lower.

With impulses in the place of forces and velocities in that of accelerations, M (v⁺ − v⁻) = JᵀΛ + Σ (NᵀP + TᵀS) and
the law of friction holds between the impulses and the mixed velocities

    ġ* = ġ⁺ + e ġ⁻,    s* = s⁺ + e_t s⁻:    P ≥ 0, ġ* ≥ 0, P ġ* = 0, |S| ≤ μ P, S = −μ P s*/|s*| where s* ≠ 0

(J. J. Moreau, Unilateral contact and dry friction in finite freedom dynamics, 1988). Where e_t and all e are one number
the contacts lose Σ [½(1 − e) rᵀG r − r·u*]/(1 + e) ≥ 0, with r = (P, S), G Delassus's matrix: nothing is created. With
e_t = 0 < e friction may create energy (Kane's paradox); such an impact is refused.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from gauss.contact.impacts.problem import ImpactProblem
from gauss.contact.impacts.simultaneous import ImpactOutcome
from gauss.contact.space.solve import solve_in_space
from gauss.errors import InputError, SolverError
from gauss.foundation.arrays import Array, vector
from gauss.foundation.outcomes import ONE


def moreau_in_space(p: ImpactProblem, tangential: float = 0.0) -> tuple[ImpactOutcome, tuple[Array, ...]]:
    """Return velocities and impulses after the impact of all contacts, and the impulses of the resistances.

    `tangential` is e_t for friction and resistances. Raises InputError for an e_t outside [0, 1], SolverError where no
    impulses satisfy the law, or several outcomes do.
    """
    e_t = float(vector(tangential, 1, "tangential")[0])
    if not 0.0 <= e_t <= 1.0:
        raise InputError(f"the restitution along the tangents must lie in [0, 1], but it is {e_t:g}.")
    mixed = replace(
        p,
        nu=p.nu - p.restitution * (p.N @ p.v - p.nu),
        tau=p.tau - e_t * (p.T @ p.v - p.tau),
        resistances=tuple(
            replace(each, right=each.right - e_t * (each.rows @ p.v - each.right), velocity=np.zeros(len(each.right)))
            for each in p.resistances
        ),
    )
    verdict = solve_in_space(mixed)
    if len(verdict.solutions) != 1:
        raise SolverError(f"Moreau's law has no single outcome in this impact: {verdict.sentence}")
    s = verdict.solution
    none = np.zeros((0, len(p.v)))
    decided = verdict.verdict == ONE
    return ImpactOutcome(s.a, s.normal[0], s.tangential[0], none, decided, s.unique_forces, s.residual), s.moments
