"""Coulomb friction in the plane at one state: contacts, and the frozen problem they make of a System.

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
from gauss.contact.rough import Contact, check_rows, contact_names, listed_contacts
from gauss.errors import InputError
from gauss.foundation.arrays import Array, Flags, as_array, matrix, repeated_in, vector
from gauss.model import Nonholonomic, System
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
        rough = kinetic if static is None else vector(static, k, "static")
        signs = vector(slip, k, "slip")
        require_coefficients(kinetic, rough)
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
            *(rough, kinetic, signs, held),
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


@dataclass(frozen=True)
class FrictionModel:
    """A System with its rough contacts, compiled once for many states; `at` freezes it at one of them."""

    system: System
    contacts: tuple[Contact, ...]
    slips: System | None  # carries the slip functions as rows
    labels: tuple[str, ...] | None = None  # of the contacts, in place of those that `names` finds

    @staticmethod
    def of(system: System, contacts: Contact | Iterable[Contact], entries: int = 1) -> FrictionModel:
        """Check the contacts and compile their slip functions, of so many entries at most.

        Raises InputError, and ModelError as System does.
        """
        if not isinstance(system, System):
            raise InputError(f"a gauss.System is expected as the first argument, got {type(system).__name__}.")
        given = listed_contacts(contacts)
        kinds = dict(zip(system.model.names, system.model.kinds, strict=True))
        used: set[str] = set()
        for contact in given:
            check_rows(system, contact, kinds, used)
        repeated = repeated_in(contact_names(given))
        if repeated:
            raise InputError(f"several contacts of {system.name!r} are called {', '.join(map(repr, repeated))}.")
        functions = [
            Nonholonomic(f"slip of {name}", c.slip)
            for name, c in zip(contact_names(given), given, strict=True)
            if not isinstance(c.slip, str)
        ]
        if not functions:
            return FrictionModel(system, given, None)
        slips = rates_of(system, functions, "slip velocities")
        if not slips.model.linear_velocity:
            raise InputError(f"a slip velocity of {system.name!r} is not linear in the velocities v.")
        if entries == 1 and len(slips.row_names) != len(functions):
            raise InputError(
                f"a slip velocity of {system.name!r} has several entries; in the plane it is one number. For contacts"
                " in space see gauss.contact.friction_in_space and gauss.nonsmooth.moreau."
            )
        for function in functions:
            count = sum(name.startswith(f"{function.name}[") for name in slips.row_names)
            if count > entries:
                raise InputError(f"the {function.name} of {system.name!r} has {count} entries; in space it has two.")
        return FrictionModel(system, given, slips)

    def at(self, q: object, v: object = None, t: float = 0.0, *, u: object = None) -> FrictionProblem:
        """Return the friction problem at the state (q, v, t): closed contacts, slip signs, rows and right sides.

        A unilateral row that is open, or opens, takes no part; a closed one without a Contact is frictionless. Raises
        InconsistentStateError where a bilateral row is violated or a closed contact closes further (an impact),
        InputError where the model is not finite.
        """
        system = self.system
        state = system.state(q, v, t)
        terms = system.model.terms(state.q, state.v, state.t, system.theta(u))
        require_finite(system, state, terms)
        require_state(system, state, terms, {c.slip for c in self.contacts if isinstance(c.slip, str)})
        return self.frozen(state, closed_rows(system, state, terms), u)

    def frozen(
        self,
        state: State,
        touching: Iterable[int],
        u: object = None,
        signs: Mapping[int, float] | None = None,
        rest: Array | None = None,
    ) -> FrictionProblem:
        """Return the friction problem with given closed unilateral rows (indices); the state itself is not judged.

        `signs` are slip signs −1, 0 or 1 of contacts (by their place in `contacts`) in place of those of the state.
        Raises InputError where the model is not finite.
        """
        system = self.system
        terms = system.model.terms(state.q, state.v, state.t, system.theta(u))
        require_finite(system, state, terms)
        f = terms.f if system.black_box_force is None else terms.f + black_box_value(system, state)
        rows, closed = list(system.row_names), sorted(touching)
        replaced = {c.slip for c in self.contacts if isinstance(c.slip, str)}
        normal = [None if c.normal is None else rows.index(c.normal) for c in self.contacts]
        acting = [j for j, k in enumerate(normal) if k not in system.model.unilateral or k in closed]
        smooth = [k for k in closed if k not in normal]  # without a Contact
        T, tau, sign = self._tangents(state, terms.J, terms.gamma, terms.psi, rest)
        for j, given in (signs or {}).items():
            sign[j] = given
        index = [*acting, *(-1 for _ in smooth)]  # −1: the frictionless line at the end of each table
        chosen = [*(normal[j] for j in acting), *smooth]
        none = np.zeros(system.n)
        plain = [k for k in system.model.equality if rows[k] not in replaced and k not in normal]
        labels = self.names
        kinetic = [c.coefficient if c.limit is None else c.limit for c in self.contacts]
        pairs = [c.pair_in(rows) for c in self.contacts]
        return FrictionProblem(
            terms.M,
            f,
            terms.J[plain],
            terms.gamma[plain],
            np.array([none if k is None else terms.J[k] for k in chosen]).reshape(len(chosen), system.n),
            np.array([0.0 if k is None else terms.gamma[k] for k in chosen]),
            T[index],
            tau[index],
            np.array([*(float(c.static or 0.0) for c in self.contacts), 0.0])[index],
            np.array([*kinetic, 0.0])[index],
            sign[index],
            np.array([k is not None and k not in system.model.unilateral for k in chosen], dtype=bool),
            (*(labels[j] for j in acting), *(rows[k] for k in smooth)),
            system.coordinates,
            tuple(rows[k] for k in plain),
            np.array([k is None for k in chosen], dtype=bool),
            _pins_among([*(pairs[j] for j in acting), *(None for _ in smooth)], plain),
        )

    @property
    def in_space(self) -> bool:
        """Whether a slip has two entries."""
        functions = sum(not isinstance(c.slip, str) for c in self.contacts)
        return self.slips is not None and len(self.slips.row_names) > functions

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the contacts: of their rows; else their own, of the velocity row that slips, or "friction 1", …."""
        return contact_names(self.contacts) if self.labels is None else self.labels

    def tangents(self, state: State, J: Array, gamma: Array, psi: Array) -> list[tuple[Array, float, float]]:
        """Return the tangent row (n,), its right side and the slip velocity of each contact, from the System's rows."""
        names, entries = list(self.system.row_names), []
        if self.slips is not None:
            found = terms_of_rates(self.slips, self.system, state)
            own = zip(found.J, found.gamma, found.psi, strict=True)
        for contact in self.contacts:
            if isinstance(contact.slip, str):
                k = names.index(contact.slip)
                entries.append((J[k], gamma[k], psi[k]))
            else:
                entries.append(next(own))
        return entries

    def _tangents(
        self, state: State, J: Array, gamma: Array, psi: Array, rest: Array | None
    ) -> tuple[Array, Array, Array]:
        """Return tangent rows (c + 1, n), right sides and slip signs (c + 1,); the last line is a frictionless one."""
        entries = [*self.tangents(state, J, gamma, psi), (np.zeros(self.system.n), 0.0, 0.0)]
        T, right, s = (np.array(column) for column in zip(*entries, strict=True))
        least = zero_rates(T, T @ state.v - s, state.v, SLIP_SHARE)
        if rest is not None:
            least[:-1] = rest
        moving = np.abs(s) > least
        sign = np.where(moving, np.sign(s), 0.0)
        sign[-1] = 1.0  # a frictionless contact has one mode of touching: it slides with μ = 0
        return T, right, sign


def rates_of(system: System, functions: Sequence[Nonholonomic], what: str) -> System:
    """Return a System of the same coordinates and parameters that carries velocities at its contacts as rows."""
    return System(
        f"{what} of {system.name}",
        system.coordinates,
        mass_matrix=np.eye(system.n),
        constraints=functions,
        parameters=system.parameters,
    )


def terms_of_rates(rates: System, system: System, state: State) -> Terms:
    """Return the terms of `rates_of` at the parameters of a system. Raises InputError where they are not finite."""
    values = {key: value for key, value in system.parameters.items() if key in rates.parameters}
    found = rates.model.terms(state.q, state.v, state.t, rates.with_parameters(**values).theta())
    require_finite(rates, state, found)
    return found


def _pins_among(
    pairs: Sequence[tuple[int, int] | None], plain: Sequence[int]
) -> tuple[tuple[int, int] | None, ...] | None:
    """Return the rows of pins as places among the bilateral rows; None without pins."""
    if not any(pairs):
        return None
    return tuple(None if pair is None else (plain.index(pair[0]), plain.index(pair[1])) for pair in pairs)


def _check_pins(pins: Sequence[object], names: Sequence[str], m: int) -> None:
    """Raise InputError unless each pin has two different ones of m bilateral rows."""
    for name, pair in zip(names, pins, strict=True):
        if pair is None:
            continue
        places = tuple(pair) if isinstance(pair, list | tuple) else ()
        if len(set(places)) != 2 or any(not isinstance(k, int | np.integer) or not 0 <= k < m for k in places):
            raise InputError(f"the pin {name!r} needs two different rows of J, of {m} rows, got {pair!r}.")
