"""What the problems of friction and impact ask of what they are given: plain arrays, or a System in a state."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from gauss.errors import InconsistentStateError, InputError, MassMatrixError
from gauss.foundation.arrays import Array
from gauss.model import System
from gauss.model.compiled import Terms
from gauss.model.state import State
from gauss.principle import GaussProblem
from gauss.principle.contact_sizes import contact_sizes
from gauss.principle.offsets import offsets

OFF = 1e-8  # residuals up to this, relative to the row's size, count as on the constraint


def bilateral_part(
    M: ArrayLike,
    f: Array,
    J: ArrayLike | None,
    gamma: ArrayLike | None,
    law: str = "J a = γ",
    coordinates: Sequence[str] | None = None,
) -> GaussProblem:
    """Return M (n, n), f (n,) and the bilateral rows J (m, n), γ (m,), none if both are left out; `law` is for errors.

    Raises InputError for wrong shapes, nan and a row without its right side, MassMatrixError for an unsymmetric M.
    """
    if (J is None) != (gamma is None):
        raise InputError(f"J and gamma belong together: {law}; one of them is missing.")
    rows = np.zeros((0, f.size)) if J is None else J
    right = np.zeros(0) if gamma is None else gamma
    return GaussProblem.of(M, f, rows, right, coordinates=coordinates)


def require_coefficients(kinetic: Array, static: Array) -> None:
    """Raise InputError unless 0 ≤ μ_k ≤ μ_s at every contact (k,)."""
    if np.any(kinetic < 0.0) or np.any(static < kinetic):
        raise InputError(f"0 ≤ μ_k ≤ μ_s is needed at every contact, but μ_k = {kinetic} and μ_s = {static}.")


def labels_of(names: Sequence[str] | None, k: int) -> tuple[str, ...]:
    """Return the names of k contacts, or numbers for them."""
    return tuple(f"contact {i}" for i in range(k)) if names is None else tuple(names)


def require_state(system: System, state: State, terms: Terms, *, before_impact: bool = False) -> None:
    """Raise InconsistentStateError unless the equality rows hold and no closed contact closes further.

    Before an impact contacts may close.
    """
    position, velocity = offsets(system, state, terms)
    sizes = contact_sizes(system, state, terms)
    place, speed = sizes.gap(OFF), sizes.rate(OFF)
    wrong = {}
    for k, name in enumerate(system.row_names):
        if position[k] > OFF:
            wrong[name] = float(terms.phi[k])
        elif k in system.model.unilateral:
            if not before_impact and terms.phi[k] <= place[k] and terms.psi[k] < -speed[k]:
                wrong[name] = float(min(terms.phi[k], terms.psi[k]))
        elif k in system.model.equality and velocity[k] > OFF:
            wrong[name] = float(terms.psi[k])
    if wrong:
        text = ", ".join(f"{name!r} by {value:.6g}" for name, value in wrong.items())
        if before_impact:
            told = f" before the impact violates {text}: off a constraint, or inside an obstacle."
        else:
            told = (
                f" violates {text}: off a constraint, inside an obstacle, or approaching it (an impact follows, which"
                " no finite force describes)."
            )
        raise InconsistentStateError(f"the state of {system.name!r}{told}", wrong)


def require_inertia(coordinates: Sequence[str], definite: bool, consequence: str = "") -> None:
    """Raise MassMatrixError where the mass matrix leaves a direction without inertia that no row holds."""
    if not definite:
        raise MassMatrixError(
            f"the mass matrix has no inertia along some direction of {', '.join(coordinates)} that no bilateral row"
            f" holds{consequence}. Give these coordinates mass."
        )
