"""The velocities that equality rows admit: the rows' annihilator G, and positions at which it is compared.

The rows A(q) q̇ = 0 are solved for as many velocities as they have rank; the other velocities are free.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
import scipy.linalg as sla
from numpy.typing import NDArray

from gauss.errors import GaussError, InputError
from gauss.foundation.arrays import Array, Indices, unit_rows
from gauss.foundation.tolerances import DEPENDENT
from gauss.model import System
from gauss.model.compiled import CompiledModel
from gauss.model.compiled.derivatives.brackets import PfaffianRows, Words
from gauss.motion import consistent

VANISHING = 1e-11  # words below this share of their terms are zero
POINTS = 24  # random points at which words are compared
PIVOTED = 1e-4  # random points at which the pivots fall below this share are drawn again
DRAWS = 40  # of each random point at most


@lru_cache(maxsize=32)
def _compiled(model: CompiledModel) -> PfaffianRows:
    return PfaffianRows(model)


def pfaffian_of(system: System) -> PfaffianRows:
    """Return the rows of a system as a Pfaffian matrix. Raises InputError where they are none."""
    model = system.model
    if not model.equality:
        raise InputError(f"{system.name!r} has no equality rows, so every velocity is admitted.")
    bent = [name for name, kind in zip(model.names, model.kinds, strict=True) if kind == "nonholonomic"]
    if bent and not model.linear_velocity:
        raise InputError(
            f"the rows {', '.join(map(repr, bent))} of {system.name!r} are nonlinear in the velocities; admitted"
            " velocities form no linear space, and the Lie algebra says nothing about them."
        )
    return _compiled(model)


@dataclass(frozen=True)
class IndependentRows:
    """Which rows are independent at a point, and which variables they are solved for."""

    rows: Indices
    dependent: Indices
    pivot: float  # smallest pivot of unit rows there

    @staticmethod
    def at(system: System, pfaffian: PfaffianRows, x: Array, theta: Array) -> IndependentRows:
        """Choose rows and dependent variables at a point by pivoting; time stays independent.

        Raises InputError where the rows are not finite or demand that time stands still.
        """
        A = pfaffian(x, theta)
        if not np.all(np.isfinite(A)):
            raise InputError(f"the rows of {system.name!r} are not finite at {x}.")
        unit = unit_rows(A)
        spatial = unit[:, : system.n]
        _, R, order = sla.qr(spatial.T, mode="economic", pivoting=True)
        rank = numerical_rank(np.abs(np.diag(R)))
        if numerical_rank(np.linalg.svd(unit, compute_uv=False)) > rank:
            raise InputError(f"the rows of {system.name!r} contradict each other at {x}: no velocity satisfies them.")
        rows = np.sort(order[:rank])
        _, R, order = sla.qr(spatial[rows], mode="economic", pivoting=True)
        pivot = float(np.min(np.abs(np.diag(R)), initial=1.0))
        return IndependentRows(rows, np.sort(order[:rank]), pivot)

    def fields(self, pfaffian: PfaffianRows) -> list[Any]:
        """Return the columns of G as fields."""
        return pfaffian.annihilated([int(k) for k in self.rows], [int(k) for k in self.dependent])

    def pivot_at(self, A: Array) -> float:
        """Return the smallest singular value of the unit rows A (l, n) in the dependent variables at another point."""
        block = unit_rows(A)[np.ix_(self.rows, self.dependent)]
        return float(np.linalg.svd(block, compute_uv=False)[-1]) if block.size else 1.0


def numerical_rank(sigma: NDArray[np.floating[Any]]) -> int:
    """Return how many singular values, or pivots, are above `DEPENDENT` times the largest."""
    top = float(np.max(sigma, initial=0.0))
    return int(np.sum(sigma > DEPENDENT * top)) if top > 0.0 else 0


def random_points(system: System, frame: IndependentRows, x: Array, theta: Array, spread: float) -> Array:
    """Return points (1 + POINTS, n), the given one first; on the Holonomic rows where there are some.

    Raises InputError where the rank of the rows is larger at other points than at the given one.
    """
    pfaffian, rng = pfaffian_of(system), np.random.default_rng(0)
    found, higher = [x], 0
    for _ in range(POINTS * DRAWS):
        if len(found) > POINTS:
            break
        point = x + spread * rng.uniform(-1.0, 1.0, x.size)
        if any(kind == "holonomic" for kind in system.model.kinds):
            try:
                time = float(point[-1]) if pfaffian.timed else 0.0
                place = consistent(system, point[: system.n], None, time).q
            except GaussError:
                continue
            point = np.append(place, time) if pfaffian.timed else place
        A = pfaffian(point, theta)
        if not np.all(np.isfinite(A)):
            continue
        if numerical_rank(np.linalg.svd(unit_rows(A), compute_uv=False)) > frame.rows.size:
            higher += 1
        elif frame.pivot_at(A) > PIVOTED * frame.pivot:
            found.append(point)
    if len(found) <= POINTS:
        if higher > len(found):
            raise InputError(
                f"the rank of the rows of {system.name!r} drops to {frame.rows.size} at this position; their admitted"
                " velocities form no distribution there. Choose a regular position."
            )
        raise InputError(f"only {len(found) - 1} regular points were found near the position; try a smaller `spread`.")
    return np.array(found)


def given_fields(system: System, pfaffian: PfaffianRows, fields: object, points: Array, theta: Array) -> list[Any]:
    """Return fields that a user wrote, checked: A G = 0 and independent, at the points."""
    if not callable(fields):
        raise InputError(f"fields must be a function of q and p that returns the columns of G, got {fields!r}.")
    if pfaffian.timed:
        raise InputError(f"the rows of {system.name!r} depend on time, so they admit no fields of q alone.")
    columns = pfaffian.given(fields, system.coordinates, "fields")
    values = Words(pfaffian, columns).values(0, len(columns))(points, theta)
    for point, G in zip(points, values, strict=True):
        A = pfaffian(point, theta)
        off = np.abs(A @ G.T)
        size = np.abs(A) @ np.abs(G.T)
        if np.any(off > VANISHING * np.maximum(size, 1e-300)):
            k, j = np.unravel_index(int(np.argmax(off - VANISHING * size)), off.shape)
            name = [system.row_names[i] for i in system.model.equality][k]
            raise InputError(f"the rows do not annihilate the fields: row {name!r} times field {j} is {off[k, j]:.3g}.")
        rank = numerical_rank(np.linalg.svd(unit_rows(G), compute_uv=False))
        full = point.size - numerical_rank(np.linalg.svd(unit_rows(A), compute_uv=False))
        if rank < full or len(columns) > full:
            raise InputError(f"{len(columns)} fields of rank {rank} were given; the rows admit {full} directions.")
    return columns


def rank_of_holonomic(system: System, pfaffian: PfaffianRows, x: Array, theta: Array) -> int:
    """Return the rank of the Holonomic rows at a point."""
    kinds = [system.model.kinds[k] for k in system.model.equality]
    rows = pfaffian(x, theta)[[k for k, kind in enumerate(kinds) if kind == "holonomic"]]
    return numerical_rank(np.linalg.svd(unit_rows(rows), compute_uv=False)) if rows.size else 0
