"""Ropes and belts that may slip on a drum: Euler's and Eytelwein's law as Coulomb friction.

A massless rope lies on a drum over the angle φ and has the tensions T₁, T₂ where it leaves it. It holds, or slips, with

    T₂ ≤ T₁ e^{μφ}   and   T₁ ≤ T₂ e^{μφ}.

Let l₁ and l₂ be the lengths of its free parts. The row of a taut rope, L − l₁ − l₂ ≥ 0, has the mean tension p as its
multiplier; to the slip velocity s = l̇₁ − l̇₂ belongs the force t with T₁ = p − t and T₂ = p + t. So |t| ≤ κ p with

    (1 + κ)/(1 − κ) = e^{μφ},   κ = tanh(μφ/2),

which is Coulomb's law with the coefficient κ; at slip t = −κ p sign s. On a drum of radius R that turns with the rate ω
in the sense in which the rope would run with l̇₁ > 0 and l̇₂ < 0, s = l̇₁ − l̇₂ − 2Rω, and the drum is turned by
2Rt = R(T₂ − T₁) against ω. In a groove with the angle β between its flanks (a V-belt) μ/sin(β/2) takes the place of μ.
The mass of the rope, its stiffness and its creep are left out.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gauss.errors import InputError
from gauss.foundation.arrays import not_negative, scalar
from gauss.model import Coulomb


def groove_friction(friction: float, groove: float | None = None) -> float:
    """Return the coefficient μ of a flat drum, or μ/sin(β/2) in a groove with the angle β = `groove` (rad).

    Raises InputError for μ < 0 and β outside (0, π].
    """
    mu = not_negative(friction, "the friction coefficient of a belt")
    if groove is None:
        return mu
    angle = scalar(groove, "the angle of a belt's groove")
    if not 0.0 < angle <= np.pi:
        raise InputError(f"the angle of a belt's groove must lie in (0, π] rad, but is {angle:g}.")
    return mu / float(np.sin(angle / 2.0))


def belt_coefficient(friction: float, wrap: float, groove: float | None = None) -> float:
    """Return κ = tanh(μφ/2) for a rope that lies on a drum over the angle φ = `wrap` (rad, several turns allowed).

    Where the slip is one velocity of the belt past a pulley, not l̇₁ − l̇₂, twice κ is the coefficient. Raises
    InputError.

    >>> from gauss import bodies as mb
    >>> kappa = mb.belt_coefficient(0.3, 4 * 3.141592654)  # two turns
    >>> round((1 + kappa) / (1 - kappa), 4)  # e^(μφ): 1 N holds 43 N
    43.3762
    """
    angle = not_negative(wrap, "the angle of wrap of a belt")
    return float(np.tanh(groove_friction(friction, groove) * angle / 2.0))


def belt_friction(
    slip: Callable[..., Any], friction: float, wrap: float, *, static: float | None = None, groove: float | None = None
) -> Coulomb:
    """Return the friction of a rope on a drum, exact by Euler and Eytelwein, for the row of the taut rope.

    The function of that row is the length of the rope less that of its free parts (m), so that its multiplier is the
    mean tension (N); a `Unilateral` row lets it go slack. `slip` is l̇₁ − l̇₂ (m/s) of the free parts, a function of q, v
    (t, p), less 2Rω on a drum that turns. `friction` and `static` are μ_k and μ_s of the rope on the drum, `wrap` is φ
    and `groove` β (rad). Raises InputError.
    """
    resting = None if static is None else belt_coefficient(static, wrap, groove)
    return Coulomb(belt_coefficient(friction, wrap, groove), slip, resting)
