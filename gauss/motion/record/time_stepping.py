"""What a motion by time stepping records beside the others, and its states between steps."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from gauss.foundation.arrays import Array, Indices
from gauss.foundation.tolerances import ACCEPTED


@dataclass(frozen=True)
class Stepping:
    """What has been exchanged up to each of N states: the energy changes by corrected + work − dissipated."""

    dissipated: Array  # (N,) J, by contacts
    corrected: Array  # (N,) J, that corrections of positions added
    work: Array  # (N,) J, what closes the balance: forces without potential, bilateral rows, the error of integration
    penetration: Array  # (N,) largest penetration, as a share of the size
    residual: Array  # (N,) largest residual of the contact problems since the record before, relative to the rates

    @property
    def certified(self) -> bool:
        """Whether the impulses of all steps satisfy the laws of contact to 1e-10 of the rates, or to rounding."""
        return bool(np.all(self.residual <= ACCEPTED))

    def at(self, index: Indices) -> Stepping:
        """Return the numbers of some of the states."""
        return Stepping(*(getattr(self, field.name)[index] for field in fields(self)))


def between(t: Array, values: Array, times: Array) -> Array:
    """Return values (N, k) at states t (N,) on the straight lines between them, at `times`: of order one, as steps."""
    return np.stack([np.interp(times, t, column) for column in values.T], axis=1)


def stepped_at(run: Any, times: Array) -> dict[str, Any]:
    """Return the fields of a motion by time stepping at other times; forces are those of the step that they lie in."""
    index = np.clip(np.searchsorted(run.t, times - 1e-12 * run.about.step), 0, len(run.t) - 1)
    names = ("a", "multipliers", "active", "zwang", "primal", "stationarity", "solver_distance")
    found: dict[str, Any] = {name: getattr(run, name)[index] for name in names}
    found |= {"q": between(run.t, run.q, times), "v": between(run.t, run.v, times)}
    sliding = None if run.sliding is None else run.sliding[index]
    return found | {"t": times, "sliding": sliding, "stepping": run.stepping.at(index)}
