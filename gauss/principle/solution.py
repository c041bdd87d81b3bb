"""`GaussSolution`: an acceleration together with everything that is needed to refute it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from gauss.foundation.arrays import Array
from gauss.foundation.outcomes import Shown
from gauss.model.coordinates import Named
from gauss.principle.certificate import Residuals
from gauss.principle.problem import GaussProblem


@dataclass(frozen=True, repr=False)
class GaussSolution(Shown):
    """The certified minimiser of the Zwang of `problem`."""

    problem: GaussProblem
    a: Array  # (n,) accelerations, m/s² or rad/s²
    multipliers: Array  # (m,) λ of M a = f + Jᵀλ, unit of force times unit of coordinate per unit of row
    zwang: float  # ½(a − a_free)ᵀM(a − a_free); ½aᵀMa − fᵀa (a constant less) if M is semidefinite
    residuals: Residuals
    error_bound: float  # on |a − a*| in the mass metric, √kg m/s²
    multipliers_unique: bool  # False: one choice is shown; of least norm for equality rows, with λ ≥ 0 otherwise
    solver: str
    solver_distance: float  # how far the solver's own acceleration was from the finished one, mass metric
    iterations: int

    @property
    def acceleration(self) -> Named:
        """The accelerations by coordinate name."""
        return Named(self.problem.coordinates, [float(x) for x in self.a], "coordinate")

    @cached_property
    def reaction(self) -> Array:
        """The generalized reaction force Jᵀλ (n,), unique even where λ is not.

        Where the terms of M a − f are smaller, it is computed by these: multipliers of nearly dependent rows cancel.
        """
        p, J = self.problem, self.problem.rows.J
        by_rows, by_forces = J.T @ self.multipliers, p.M @ self.a - p.f
        cancelled = np.abs(J).T @ np.abs(self.multipliers) > np.abs(p.M) @ np.abs(self.a) + np.abs(p.f)
        return np.where(cancelled, by_forces, by_rows)

    def multiplier(self, row: str) -> float:
        """Return λ of the row called `row`. Raises InputError for unknown names."""
        return float(self.multipliers[self.problem.rows.index(row)])

    def reaction_of(self, row: str) -> Array:
        """Return the generalized reaction force (n,) of one row. Raises InputError for unknown names."""
        k = self.problem.rows.index(row)
        return np.asarray(self.problem.rows.J[k] * self.multipliers[k])

    @property
    def active(self) -> tuple[str, ...]:
        """Names of the inequality rows that carry a reaction."""
        rows = self.problem.rows
        return tuple(rows.names[k] for k in rows.inequality if self.multipliers[k] != 0.0)

    def __str__(self) -> str:
        return self.described(f"error bound    {self.error_bound:.2g} (|a − a*| in the mass metric)")

    def described(self, *more: str) -> str:
        """Return what is known of the minimiser, a line each, with further lines before that on the solver."""
        rows = self.problem.rows
        lines = ["acceleration   " + str(self.acceleration)]
        if rows.names:
            pairs = (f"{n} = {x:.12g}" for n, x in zip(rows.names, self.multipliers, strict=True))
            lines.append("multipliers    " + ", ".join(pairs) + ("" if self.multipliers_unique else "  (not unique)"))
            names = self.problem.coordinates
            pairs = (f"{n} = {x:.12g}" for n, x in zip(names, self.reaction, strict=True))
            lines.append("reaction       " + ", ".join(pairs))
        r = self.residuals
        lines += [
            f"Zwang          {self.zwang:.12g}",
            f"certificate    {'certified' if r.certified else 'NOT certified'}: stationarity {r.stationarity:.2g},"
            f" rows {max(r.primal, r.violation):.2g}, signs {r.dual:.2g}",
            *more,
            f"solver         {self.solver}, {self.iterations} iterations, {self.solver_distance:.2g} away before"
            " finishing",
        ]
        return "\n".join(lines)
