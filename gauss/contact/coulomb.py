"""Coulomb friction in the plane at one state: the problem in numbers, from plain arrays or from a System.

At a closed contact with normal row N (g̈ = N a − ν) and tangent row T (s the slip velocity, ṡ = T a − τ) act a normal
force p and a friction force t:

    M a = f + J_Eᵀλ + Σ (Nᵀp + Tᵀt),    p ≥ 0, g̈ ≥ 0, p g̈ = 0,
    s ≠ 0:  t = −μ_k p sign s;          s = 0, ṡ ≠ 0:  t = −μ_k p sign ṡ;          s = ṡ = 0:  |t| ≤ μ_s p.

A contact on a holonomic row is held from both sides: p has either sign, and |p| replaces p in the law of friction. At
a dry pin |λ| replaces it, the resultant of the two bilateral rows that hold the pin (see `gauss.contact.pins`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from gauss.contact.given import bilateral_part, labels_of, require_coefficients, require_inertia, require_state
from gauss.errors import InputError
from gauss.foundation.arrays import Array, Flags, as_array, matrix, vector
from gauss.model import AnySystem, System, system_of
from gauss.model.compiled import Terms
from gauss.model.rows import Rows
from gauss.model.state import State
from gauss.principle import GaussProblem
from gauss.principle.contact_sizes import closed_rows, zero_rates
from gauss.principle.metric import Metric, metric_of
from gauss.principle.problem import black_box_value, require_finite

SLIP_SHARE = 1e-9  # a slip velocity below this share of the tangent row's size at v counts as zero


@dataclass(frozen=True)
class FrictionProblem:
    """The numbers of a planar friction problem at one state, with n accelerations, m bilateral rows, k contacts."""

    M: Array  # (n, n)
    f: Array  # (n,)
    J: Array  # (m, n) bilateral rows J a = γ
    gamma: Array  # (m,)
    N: Array  # (k, n) normal rows, g̈ = N a − ν
    nu: Array  # (k,)
    T: Array  # (k, n) tangent rows, ṡ = T a − τ; zero where a contact is frictionless
    tau: Array  # (k,)
    static: Array  # (k,) μ_s; where `limited`, the limit of |t| at rest
    kinetic: Array  # (k,) μ_k; where `limited`, |t| while it slips
    slip: Array  # (k,) sign of the slip velocity: −1, 0 or 1
    bilateral: Flags  # (k,) whether the normal force has either sign
    names: tuple[str, ...]  # (k,) of the contacts
    coordinates: tuple[str, ...]  # (n,)
    rows: tuple[str, ...]  # (m,)
    fixed: Flags | None = None  # (k,) whether the normal row is zero: |t| has a constant limit, or that of a pin; None:
    # nowhere
    pins: tuple[tuple[int, int] | None, ...] | None = None  # (k,) the two bilateral rows of a pin, whose static and
    # kinetic are lengths c (m) of the limit c|λ|; None: none

    @staticmethod
    def of(
        M: ArrayLike,
        f: ArrayLike,
        N: ArrayLike,
        nu: ArrayLike,
        T: ArrayLike,
        tau: ArrayLike,
        coefficient: ArrayLike,
        slip: ArrayLike,
        *,
        static: ArrayLike | None = None,
        J: ArrayLike | None = None,
        gamma: ArrayLike | None = None,
        bilateral: Sequence[bool] | None = None,
        limited: Sequence[bool] | None = None,
        pins: Sequence[tuple[int, int] | None] | None = None,
        names: Sequence[str] | None = None,
    ) -> FrictionProblem:
        """Build a problem from plain arrays; `coefficient` is μ_k (k,), `static` μ_s (k,), `slip` signs (k,).

        Where `limited`, coefficient and static are limits of |t| (N), and the row of N must be zero. So it must where
        `pins` (k,) has two rows of J instead of None; there coefficient and static are lengths c (m), |t| ≤ c|λ|.
        Raises InputError for wrong shapes, nan, coefficients without 0 ≤ μ_k ≤ μ_s, and MassMatrixError for an
        unsymmetric M.
        """
        force = vector(f, as_array(f, "f").size, "f")
        n, k = force.size, as_array(nu, "nu").size
        bare = bilateral_part(M, force, J, gamma)
        kinetic = vector(coefficient, k, "coefficient")
        resting = kinetic if static is None else vector(static, k, "static")
        signs = vector(slip, k, "slip")
        require_coefficients(kinetic, resting)
        if not np.all(np.isin(signs, (-1.0, 0.0, 1.0))):
            raise InputError(f"slip must hold signs −1, 0 or 1, but is {signs}.")
        labels = labels_of(names, k)
        held, fixed = (np.array((False,) * k if each is None else each, dtype=bool) for each in (bilateral, limited))
        loads = (None,) * k if pins is None else tuple(pins)
        if len(labels) != k or held.shape != (k,) or fixed.shape != (k,) or len(loads) != k:
            raise InputError(f"names, bilateral, limited and pins need one entry for each of the {k} contacts.")
        _check_pins(loads, labels, len(bare.rows.lower))
        fixed |= np.array([pair is not None for pair in loads], dtype=bool)
        normal = matrix(N, (k, n), "N")
        if np.any(normal[fixed]):
            raise InputError("a contact with a constant limit, or a pin, has no normal row: its row of N must be zero.")
        return FrictionProblem(
            bare.M,
            force,
            bare.rows.J,
            bare.rows.lower,
            normal,
            vector(nu, k, "nu"),
            matrix(T, (k, n), "T"),
            vector(tau, k, "tau"),
            *(resting, kinetic, signs, held),
            *(labels, bare.coordinates, bare.rows.names),
            fixed,
            loads if any(loads) else None,
        )

    @property
    def limited(self) -> Flags:
        """Whether each contact (k,) has no normal row: its friction has a constant limit, or that of a pin."""
        return np.zeros(self.k, dtype=bool) if self.fixed is None else self.fixed

    @property
    def pinned(self) -> dict[int, tuple[int, int]]:
        """The two bilateral rows of each contact that is a dry pin."""
        return {i: pair for i, pair in enumerate(self.pins or ()) if pair is not None}

    @property
    def k(self) -> int:
        """Number of contacts."""
        return len(self.names)

    @property
    def bare(self) -> GaussProblem:
        """The problem without its contacts: M, f and the bilateral rows."""
        return GaussProblem(self.M, self.f, Rows.of(self.J, self.gamma, self.gamma, self.rows), self.coordinates)

    @cached_property
    def metric(self) -> Metric:
        """The metric of the bare problem. Raises MassMatrixError where M leaves a direction without inertia."""
        metric = metric_of(self.bare)
        require_inertia(self.coordinates, metric.definite)
        return metric


def friction_problem(
    system: AnySystem, q: object, v: object = None, t: float = 0.0, *, u: object = None
) -> FrictionProblem:
    """Return the friction problem of a System in the plane at the state (q, v, t): its closed contacts in numbers.

    A unilateral row that is open, or opens, takes no part; a closed one without friction is smooth. Raises
    InconsistentStateError where a bilateral row is violated or a closed contact closes further (an impact), InputError
    where the model is not finite or slips in space.
    """
    system = system_of(system)
    state, terms = given_state(system, q, v, t, u)
    return frozen_friction(system, state, closed_rows(system, state, terms), u)


def in_space(system: System) -> bool:
    """Return whether the friction of a System needs the law of space: a slip with two entries, several on one load."""
    loads = [c.load for c in system.contacts if c.load]
    return any(len(c.slip) == 2 for c in system.contacts) or len(set(loads)) < len(loads)


def given_state(system: System, q: object, v: object, t: float, u: object) -> tuple[State, Terms]:
    """Return a state on the rows of a System, and the terms there. Raises what `friction_problem` raises."""
    state = system.state(q, v, t)
    terms = system.model.terms(state.q, state.v, state.t, system.theta(u))
    require_finite(system, state, terms)
    require_state(system, state, terms)
    return state, terms


def frozen_friction(
    system: System,
    state: State,
    touching: Iterable[int],
    u: object = None,
    signs: Mapping[int, float] | None = None,
    rest: Array | None = None,
) -> FrictionProblem:
    """Return the friction problem with given closed unilateral rows (indices); the state itself is not judged.

    `signs` are slip signs −1, 0 or 1 of contacts (by their place in `System.contacts`) in place of those of the state,
    `rest` (m,) the rates of the rows up to which a slip is none. Raises InputError as `friction_problem` does.
    """
    contacts, rows = system.contacts, system.row_names
    if in_space(system):
        raise InputError(
            f"{system.name!r} has slips in space, or several frictions on one load: see gauss.contact.cone_problem."
        )
    terms, force = forced_terms(system, state, u)
    closed, unilateral = sorted(touching), system.model.unilateral
    acting = [j for j, c in enumerate(contacts) if c.normal not in unilateral or c.normal in closed]
    smooth = [k for k in closed if k not in [c.normal for c in contacts]]
    chosen = [*(contacts[j].normal for j in acting), *smooth]
    slips, none = [contacts[j].slip[0] for j in acting], np.zeros((len(smooth), system.n))
    least = slip_limits(system, state, terms, rest)
    sign = [float(np.sign(terms.psi[k])) if abs(terms.psi[k]) > least[k] else 0.0 for k in slips]
    sign = [(signs or {}).get(j, own) for j, own in zip(acting, sign, strict=True)]
    idle = [0.0] * len(smooth)
    loaded = [k for c in contacts if (k := c.normal) is not None]
    plain = [k for k in system.model.equality if k not in loaded]
    pins = [None if (pin := contacts[j].pin) is None else (plain.index(pin[0]), plain.index(pin[1])) for j in acting]
    return FrictionProblem(
        terms.M,
        force,
        terms.J[plain],
        terms.gamma[plain],
        np.array([np.zeros(system.n) if k is None else terms.J[k] for k in chosen]).reshape(len(chosen), system.n),
        np.array([0.0 if k is None else terms.gamma[k] for k in chosen]),
        np.vstack([terms.J[slips], none]),
        np.array([*terms.gamma[slips], *idle]),
        np.array([*(contacts[j].static for j in acting), *idle]),
        np.array([*(contacts[j].kinetic for j in acting), *idle]),
        np.array([*sign, *(1.0 for _ in smooth)]),  # a frictionless contact has one mode of touching: it slides
        np.array([k is not None and k not in unilateral for k in chosen], dtype=bool),
        (*(contacts[j].name for j in acting), *(rows[k] for k in smooth)),
        system.coordinates,
        tuple(rows[k] for k in plain),
        np.array([k is None for k in chosen], dtype=bool),
        (*pins, *(None for _ in smooth)) if any(pins) else None,
    )


def forced_terms(system: System, state: State, u: object = None) -> tuple[Terms, Array]:
    """Return the terms of a System at a state, and its whole force (n,). Raises InputError unless they are finite."""
    terms = system.model.terms(state.q, state.v, state.t, system.theta(u))
    require_finite(system, state, terms)
    return terms, terms.f if system.black_box_force is None else terms.f + black_box_value(system, state)


def slip_limits(system: System, state: State, terms: Terms, rest: Array | None = None) -> Array:
    """Return the rates (m,) of the rows up to which a slip is none: `rest` if given, else shares of their own terms."""
    return zero_rates(terms.J, terms.J @ state.v - terms.psi, state.v, SLIP_SHARE) if rest is None else rest


def _check_pins(pins: Sequence[object], names: Sequence[str], m: int) -> None:
    """Raise InputError unless each pin has two different ones of m bilateral rows."""
    for name, pair in zip(names, pins, strict=True):
        if pair is None:
            continue
        places = tuple(pair) if isinstance(pair, list | tuple) else ()
        if len(set(places)) != 2 or any(not isinstance(k, int | np.integer) or not 0 <= k < m for k in places):
            raise InputError(f"the pin {name!r} needs two different rows of J, of {m} rows, got {pair!r}.")
