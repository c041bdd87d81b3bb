"""Redundant rows in a motion: an independent subset for the steps, multipliers of least norm for all of them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import scipy.linalg as sla
import scipy.optimize as opt

from gauss.arrays import Array, lengths_of, unit_rows
from gauss.model import System
from gauss.principle.metric import Metric
from gauss.state import State

PUSHES = 1e-9  # share of the reaction from which a contact force counts as one


def independent_rows(system: System, state: State, metric: Metric, rows: Sequence[int], rank: int) -> tuple[int, ...]:
    """Return `rank` of the rows (indices) that are as independent as possible at a state, by pivoted QR."""
    white = unit_rows(metric.white(system.model.terms(state.q, state.v, state.t, system.theta()).J[list(rows)]))
    _, _, order = sla.qr(white.T, mode="economic", pivoting=True)
    return tuple(sorted(int(rows[k]) for k in order[:rank]))


def bearing_contacts(
    system: System, state: State, metric: Metric, base: Sequence[int], pressing: Sequence[int], multipliers: Array
) -> tuple[int, ...]:
    """Return contacts (indices) among the pressing ones that carry the whole reaction and are independent.

    `base` are the independent equality rows, `multipliers` (m,) any multipliers that fit. The contacts are a basic
    solution of the non-negative least squares problem for the part of the reaction that the equality rows do not carry.
    """
    J = metric.white(system.model.terms(state.q, state.v, state.t, system.theta()).J)
    everything = [*base, *pressing]
    white = unit_rows(J[everything])
    if not pressing or np.linalg.matrix_rank(white, PUSHES) == len(everything):
        return tuple(pressing)
    reaction = J.T @ multipliers
    Q = np.linalg.qr(J[list(base)].T)[0] if base else np.zeros((J.shape[1], 0))
    across = unit_rows(J[list(pressing)])
    across = across - (across @ Q) @ Q.T
    forces, _ = opt.nnls(across.T, reaction - Q @ (Q.T @ reaction))
    size = float(np.max(forces, initial=0.0))
    return tuple(k for k, force in zip(pressing, forces, strict=True) if force > PUSHES * size)


def least_multipliers(metric: Metric, J: Array, reaction: Array) -> Array:
    """Return the multipliers (k,) of rows J (k, n) with Jᵀλ = reaction (n,) and single forces of least squares."""
    white = metric.white(J)
    length = lengths_of(white)
    forces = np.linalg.lstsq((white / length[:, None]).T, metric.covector(reaction), rcond=1e-9)[0]
    return np.asarray(forces / length)
