"""Coulomb friction in space at one state: the problem in numbers, from plain arrays or from a System.

At a closed contact with normal row N (g̈ = N a − ν) and two tangent rows T (s the slip velocity, ṡ = T a − τ) act a
normal force p and a friction force t in the tangent plane:

    M a = f + Jᵀλ + Σ (Nᵀp + Tᵀt),    J a = γ,    p ≥ 0, g̈ ≥ 0, p g̈ = 0,
    s ≠ 0:  t = −μ_k p s/|s|;    s = 0, ṡ ≠ 0:  t = −μ_k p ṡ/|ṡ|;    s = ṡ = 0:  |t| ≤ μ_s p.

The numbers may stand one level lower: with a the velocity after a step or an impact and f = M v⁻ + h f the forces are
impulses, and the slip velocity now is zero, as that of the end decides.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from gauss.contact.coulomb import SLIP_SHARE, FrictionModel, FrictionProblem, rates_of, terms_of_rates
from gauss.contact.given import bilateral_part, labels_of, require_coefficients
from gauss.contact.impacts.problem import ImpactProblem, impact_problem
from gauss.contact.rough import Contact, listed_contacts
from gauss.contact.space.resistance import Block, Resistance, listed
from gauss.errors import InputError
from gauss.foundation.arrays import Array, Flags, as_array, matrix, vector
from gauss.model import Nonholonomic, System
from gauss.model.rows import Rows
from gauss.model.state import State
from gauss.principle import GaussProblem
from gauss.principle.contact_sizes import zero_rates


@dataclass(frozen=True)
class ConeProblem:
    """The numbers of a friction problem in space, with n accelerations, m bilateral rows and k contacts."""

    M: Array  # (n, n)
    f: Array  # (n,)
    J: Array  # (m, n) bilateral rows J a = γ
    gamma: Array  # (m,)
    N: Array  # (k, n) normal rows, g̈ = N a − ν
    nu: Array  # (k,)
    T: Array  # (k, 2, n) tangent rows, ṡ = T a − τ, along two orthogonal unit vectors; zero rows take no part
    tau: Array  # (k, 2)
    static: Array  # (k,) μ_s
    kinetic: Array  # (k,) μ_k
    slip: Array  # (k, 2) slip velocity now, m/s; zero at rest
    resistances: tuple[Block, ...]  # rolling and spinning
    names: tuple[str, ...]  # (k,) of the contacts
    coordinates: tuple[str, ...]  # (n,)
    rows: tuple[str, ...]  # (m,)

    @staticmethod
    def of(
        M: ArrayLike,
        f: ArrayLike,
        N: ArrayLike,
        nu: ArrayLike,
        T: ArrayLike,
        tau: ArrayLike,
        coefficient: ArrayLike,
        slip: ArrayLike | None = None,
        *,
        static: ArrayLike | None = None,
        J: ArrayLike | None = None,
        gamma: ArrayLike | None = None,
        resistances: Block | Iterable[Block] = (),
        names: Sequence[str] | None = None,
    ) -> ConeProblem:
        """Build a problem from plain arrays; `coefficient` is μ_k (k,), `static` μ_s (k,), `slip` (k, 2) zero if None.

        A problem of the plane is embedded by a second tangent row of zeros. Raises InputError for wrong shapes, nan,
        coefficients without 0 ≤ μ_k ≤ μ_s, and MassMatrixError for an unsymmetric M.
        """
        force = vector(f, as_array(f, "f").size, "f")
        n, k = force.size, as_array(nu, "nu").size
        bare = bilateral_part(M, force, J, gamma)
        kinetic = vector(coefficient, k, "coefficient")
        rough = kinetic if static is None else vector(static, k, "static")
        require_coefficients(kinetic, rough)
        labels = labels_of(names, k)
        if len(labels) != k:
            raise InputError(f"names has {len(labels)} entries, expected one for each of the {k} contacts.")
        tangents = as_array(T, "T")
        if tangents.shape != (k, 2, n):
            raise InputError(f"T has shape {tangents.shape}, expected ({k}, 2, {n}): two tangent rows per contact.")
        tangents = matrix(tangents.reshape(2 * k, n), (2 * k, n), "T").reshape(k, 2, n)
        sliding = np.zeros((k, 2)) if slip is None else matrix(slip, (k, 2), "slip")
        extra = _checked_blocks(resistances, k, n)
        return ConeProblem(
            bare.M,
            force,
            bare.rows.J,
            bare.rows.lower,
            matrix(N, (k, n), "N"),
            vector(nu, k, "nu"),
            tangents,
            matrix(tau, (k, 2), "tau"),
            rough,
            kinetic,
            sliding,
            extra,
            labels,
            bare.coordinates,
            bare.rows.names,
        )

    @property
    def k(self) -> int:
        """Number of contacts."""
        return len(self.names)

    @property
    def bare(self) -> GaussProblem:
        """The problem without its contacts: M, f and the bilateral rows."""
        return GaussProblem(self.M, self.f, Rows.of(self.J, self.gamma, self.gamma, self.rows), self.coordinates)

    @cached_property
    def blocks(self) -> tuple[Block, ...]:
        """All frictions that have a coefficient: sliding ones, without rows that never slip, then resistances."""
        found = []
        for i in range(self.k):
            rows = self.slips[i]
            if self.static[i] > 0.0 and np.any(rows):
                coefficients = float(self.kinetic[i]), float(self.static[i])
                found.append(Block(i, self.T[i][rows], self.tau[i][rows], *coefficients, self.slip[i][rows], "sliding"))
        return (*found, *(block for block in self.resistances if block.static > 0.0))

    @property
    def slips(self) -> Flags:
        """Flags (k, 2): which tangent rows take part; a row of zeros without a slip or a right side does not."""
        return np.asarray(np.any(self.T, axis=2) | (self.tau != 0.0) | (self.slip != 0.0))

    def turned(self, angles: ArrayLike) -> ConeProblem:
        """Return the same problem with the tangent axes of each contact turned by angles (k,), rad, about the normal.

        The friction force has the components R t in the new axes; everything else stays.
        """
        turn = vector(angles, self.k, "angles")
        c, s = np.cos(turn), np.sin(turn)
        R = np.array([[c, s], [-s, c]]).transpose(2, 0, 1)  # (k, 2, 2)
        tau, slip = (np.einsum("kij,kj->ki", R, x) for x in (self.tau, self.slip))
        return replace(self, T=np.einsum("kij,kjn->kin", R, self.T), tau=tau, slip=slip)


def _checked_blocks(given: Block | Iterable[Block], k: int, n: int) -> tuple[Block, ...]:
    blocks = listed(given, Block, "resistances")
    for block in blocks:
        if not 0 <= block.contact < k:
            raise InputError(f"a resistance belongs to contact {block.contact}, but there are {k} contacts.")
        if block.rows.shape[1] != n:
            raise InputError(f"the rows of a resistance have {block.rows.shape[1]} entries, expected {n}.")
    return blocks


@dataclass(frozen=True)
class ConeModel:
    """A System with rough contacts in space, compiled once for many states; `at` freezes it at one of them."""

    system: System
    contacts: tuple[Contact, ...]
    resistances: tuple[Resistance, ...]
    bare: FrictionModel  # without friction: which rows are closed, and whether the state is admissible
    rates: System | None  # carries slip velocities and angular velocities as rows

    @staticmethod
    def of(
        system: System, contacts: Contact | Iterable[Contact], resistances: Resistance | Iterable[Resistance] = ()
    ) -> ConeModel:
        """Check contacts and resistances and compile their velocities; `slip` of a Contact has two entries (or one).

        Raises InputError, and ModelError as System does.
        """
        bare = FrictionModel.of(system, ())
        given, extra = listed_contacts(contacts), listed(resistances, Resistance, "resistances")
        kinds = dict(zip(system.model.names, system.model.kinds, strict=True))
        items: list[Contact | Resistance] = [*given, *extra]
        for item in items:
            if not isinstance(item.row, str) or kinds.get(item.row) != "unilateral":
                known = ", ".join(repr(name) for name, kind in kinds.items() if kind == "unilateral") or "none"
                raise InputError(
                    f"{system.name!r} has no Unilateral row {item.row!r} for a contact in space; it has {known}."
                )
        rows = [c.row for c in given]
        if len(set(rows)) < len(rows):
            raise InputError(f"a row of {system.name!r} is used by more than one contact: {rows}.")
        if any(isinstance(c.slip, str) for c in given):
            raise InputError("in space the slip of a Contact is a function with two entries, not the name of a row.")
        functions = [Nonholonomic(f"slip of {c.row}", c.slip) for c in given if callable(c.slip)]
        functions += [Nonholonomic(f"{r.kind} {j} of {r.row}", r.rate) for j, r in enumerate(extra)]
        if not functions:
            return ConeModel(system, given, extra, bare, None)
        rates = rates_of(system, functions, "contact velocities")
        if not rates.model.linear_velocity:
            raise InputError(f"a slip or angular velocity at a contact of {system.name!r} is not linear in v.")
        model = ConeModel(system, given, extra, bare, rates)
        for what, place, limit in model._places():
            if not 1 <= len(place) <= limit:
                raise InputError(
                    f"the {what} of {system.name!r} has {len(place)} entries; at most {limit} are expected."
                )
        return model

    def _places(self) -> list[tuple[str, list[int], int]]:
        """Return for contacts, then resistances: what it is, its rows among those of `rates`, and how many at most."""
        names = [] if self.rates is None else list(self.rates.row_names)
        labels = [(f"slip of {c.row}", 2) for c in self.contacts]
        labels += [
            (f"{r.kind} {j} of {r.row}", 2 if r.kind == "rolling" else 1) for j, r in enumerate(self.resistances)
        ]
        return [
            (label, [i for i, name in enumerate(names) if name == label or name.startswith(f"{label}[")], most)
            for label, most in labels
        ]

    def at(self, q: object, v: object = None, t: float = 0.0, *, u: object = None) -> ConeProblem:
        """Return the friction problem at the state (q, v, t): closed contacts, slip velocities, rows, right sides.

        A unilateral row that is open, or opens, takes no part; a closed one without a Contact is frictionless. A slip
        below 1e-9 of its row's size at v counts as rest. Raises as FrictionModel.at does.
        """
        base = self.bare.at(q, v, t, u=u)
        state = self.system.state(q, v, t)
        return self._rubbed(base, base.f, *self._velocities(state), state)

    def _rubbed(
        self,
        base: FrictionProblem | ImpactProblem,
        f: Array,
        rows: Array,
        right: Array,
        velocity: Array,
        state: State,
    ) -> ConeProblem:
        """Return a frictionless problem with the frictions of this model: their rows, right sides and velocities."""
        k = base.k
        T, tau, slip = np.zeros((k, 2, len(f))), np.zeros((k, 2)), np.zeros((k, 2))
        static, kinetic = np.zeros(k), np.zeros(k)
        places = [place for _, place, _ in self._places()]
        for contact, place in zip(self.contacts, places, strict=False):
            if contact.row in base.names:
                i, d = base.names.index(contact.row), len(place)
                T[i, :d], tau[i, :d], slip[i, :d] = rows[place], right[place], _settled(rows, velocity, place, state)
                static[i], kinetic[i] = float(contact.static or 0.0), contact.coefficient
        blocks = []
        for resistance, place in zip(self.resistances, places[len(self.contacts) :], strict=True):
            if resistance.row in base.names:
                now = _settled(rows, velocity, place, state)
                rest = float(resistance.static or 0.0)
                i = base.names.index(resistance.row)
                blocks.append(Block(i, rows[place], right[place], resistance.arm, rest, now, resistance.kind))
        return ConeProblem(
            base.M,
            f,
            base.J,
            base.gamma,
            base.N,
            base.nu,
            T,
            tau,
            static,
            kinetic,
            slip,
            tuple(blocks),
            base.names,
            base.coordinates,
            base.rows,
        )

    def impact_at(self, q: object, v: object, t: float = 0.0, *, u: object = None) -> tuple[ConeProblem, Array, Array]:
        """Return the problem at the velocity level of all closed contacts, v⁻ (n,) and the restitutions (k,).

        For `impact_in_space(problem, v, e)`. Closed contacts may approach. Raises InconsistentStateError where a
        bilateral row is violated, InputError where the model is not finite.
        """
        state = self.system.state(q, v, t)
        base = impact_problem(self.bare, state, u)
        rows, _, value = self._velocities(state)
        steady = rows @ state.v - value
        problem = self._rubbed(base, base.M @ base.v, rows, steady, np.zeros(len(value)), state)
        return problem, base.v, base.restitution

    def _velocities(self, state: State) -> tuple[Array, Array, Array]:
        """Return rows (r, n), right sides and values (r,) of all slip and angular velocities."""
        if self.rates is None:
            return np.zeros((0, self.system.n)), np.zeros(0), np.zeros(0)
        found = terms_of_rates(self.rates, self.system, state)
        return found.J, found.gamma, found.psi


def _settled(rows: Array, velocity: Array, place: list[int], state: State) -> Array:
    """Return velocities (d,) of one contact, zero where they are rounding beside the sizes of their rows."""
    speed = velocity[place]
    steady = rows[place] @ state.v - speed
    at_rest = np.linalg.norm(speed) <= float(np.max(zero_rates(rows[place], steady, state.v, SLIP_SHARE), initial=0.0))
    return np.zeros(len(place)) if at_rest else speed
