"""Coulomb friction at one state: the problem in numbers, from plain arrays or from a System, in the plane and in space.

At a closed contact with normal row N (g̈ = N a − ν) and one tangent row T in the plane, two in space (s the slip
velocity, ṡ = T a − τ), act a normal force p and a friction force t:

    M a = f + Jᵀλ + Σ (Nᵀp + Tᵀt),    J a = γ,    p ≥ 0, g̈ ≥ 0, p g̈ = 0,
    s ≠ 0:  t = −μ_k p s/|s|;    s = 0, ṡ ≠ 0:  t = −μ_k p ṡ/|ṡ|;    s = ṡ = 0:  |t| ≤ μ_s p.

A contact on a holonomic row is held from both sides: p has either sign, and |p| replaces p in the law of friction. At
a dry pin |λ| replaces it, the resultant of the two bilateral rows that hold the pin (see `gauss.contact.plane.pins`).
The numbers may stand one level lower: with a the velocity after a step or an impact and f = M v⁻ + h f the forces are
impulses, and the slip velocity now is zero, as that of the end decides.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from gauss.contact.given import bilateral_part, labels_of, require_coefficients, require_inertia, require_state
from gauss.contact.resistance import Resistance, listed
from gauss.errors import InputError
from gauss.foundation.arrays import Array, Flags, as_array, matrix, vector
from gauss.foundation.outcomes import Shown
from gauss.foundation.tolerances import RESTS
from gauss.model import AnySystem, System, system_of
from gauss.model.compiled import Terms
from gauss.model.rows import Rows
from gauss.model.state import State
from gauss.principle import GaussProblem
from gauss.principle.contact_sizes import closed_rows, zero_rates
from gauss.principle.metric import Metric
from gauss.principle.problem import black_box_value, require_finite

Way = float | tuple[float, ...]  # of a slip: its sign in the plane, its direction in space; 0 is rest


@dataclass(frozen=True, repr=False)
class ContactProblem(Shown):
    """The numbers of the contacts at one state, with n accelerations, m bilateral rows, k contacts."""

    M: Array  # (n, n)
    f: Array  # (n,)
    J: Array  # (m, n) bilateral rows J a = γ
    gamma: Array  # (m,)
    N: Array  # (k, n) normal rows, g̈ = N a − ν
    nu: Array  # (k,)
    T: Array  # (k, n) tangent rows, ṡ = T a − τ; in space (k, 2, n) along two orthogonal unit vectors. Zero rows take
    # no part
    tau: Array  # (k,), in space (k, 2)
    static: Array  # (k,) μ_s; where `limited`, the limit of |t| at rest
    kinetic: Array  # (k,) μ_k; where `limited`, |t| while it slips
    slip: Array  # (k,) sign of the slip velocity: −1, 0 or 1; in space (k, 2) the slip velocity, m/s
    names: tuple[str, ...]  # (k,) of the contacts
    coordinates: tuple[str, ...]  # (n,)
    rows: tuple[str, ...]  # (m,)
    resistances: tuple[Resistance, ...] = ()  # rolling and spinning, in space
    held: Flags | None = None  # (k,) whether the normal force has either sign; None: nowhere
    fixed: Flags | None = None  # (k,) whether the normal row is zero: |t| has a constant limit, or that of a pin; None:
    # nowhere
    pins: tuple[tuple[int, int] | None, ...] | None = None  # (k,) the two bilateral rows of a pin, whose static and
    # kinetic are lengths c (m) of the limit c|λ|; None: none

    def _in_a_line(self) -> str:
        return f"{len(self.f)} coordinates, {len(self.rows)} rows, contacts: {', '.join(self.names) or 'none'}"

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
        bilateral: Sequence[bool] | None = None,
        limited: Sequence[bool] | None = None,
        pins: Sequence[tuple[int, int] | None] | None = None,
        resistances: Resistance | Iterable[Resistance] = (),
        names: Sequence[str] | None = None,
    ) -> ContactProblem:
        """Build a problem from plain arrays; `coefficient` is μ_k (k,), `static` μ_s (k,), `slip` is rest if left out.

        Tangent rows T (k, n) belong to the plane, T (k, 2, n) to space; with a second row of zeros a problem of the
        plane is one of space. In the plane `slip` holds signs. Where `limited`, coefficient and static are limits of
        |t| (N), and the row of N must be zero. So it must where `pins` (k,) has two rows of J instead of None; there
        coefficient and static are lengths c (m), |t| ≤ c|λ|. Raises InputError for wrong shapes, nan, coefficients
        without 0 ≤ μ_k ≤ μ_s, for resistances in the plane, for contacts held from both sides and pins in space;
        MassMatrixError for an unsymmetric M.
        """
        force = vector(f, as_array(f, "f").size, "f")
        n, k = force.size, as_array(nu, "nu").size
        bare = bilateral_part(M, force, J, gamma)
        kinetic = vector(coefficient, k, "coefficient")
        resting = kinetic if static is None else vector(static, k, "static")
        require_coefficients(kinetic, resting)
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
        tangents, extra = as_array(T, "T"), listed(resistances, Resistance, "resistances")
        if tangents.ndim == 3:
            if np.any(held) or any(loads):
                raise InputError("contacts held from both sides and pins are for the plane, T (k, n).")
            if tangents.shape != (k, 2, n):
                raise InputError(f"T has shape {tangents.shape}, expected ({k}, 2, {n}): two tangent rows per contact.")
            tangents = matrix(tangents.reshape(2 * k, n), (2 * k, n), "T").reshape(k, 2, n)
            right = matrix(tau, (k, 2), "tau")
            sliding = np.zeros((k, 2)) if slip is None else matrix(slip, (k, 2), "slip")
            _check_resistances(extra, k, n)
        else:
            tangents, right = matrix(T, (k, n), "T"), vector(tau, k, "tau")
            sliding = np.zeros(k) if slip is None else vector(slip, k, "slip")
            if not np.all(np.isin(sliding, (-1.0, 0.0, 1.0))):
                raise InputError(f"slip must hold signs −1, 0 or 1, but is {sliding}.")
            if extra:
                raise InputError("resistances are for problems of space: give T (k, 2, n), with zeros in the plane.")
        return ContactProblem(
            bare.M,
            force,
            bare.rows.J,
            bare.rows.lower,
            normal,
            vector(nu, k, "nu"),
            tangents,
            right,
            *(resting, kinetic, sliding),
            *(labels, bare.coordinates, bare.rows.names),
            extra,
            held,
            fixed,
            loads if any(loads) else None,
        )

    @property
    def k(self) -> int:
        """Number of contacts."""
        return len(self.names)

    @property
    def in_space(self) -> bool:
        """Whether each contact has two tangent rows."""
        return self.T.ndim == 3

    @property
    def bilateral(self) -> Flags:
        """Whether the normal force of each contact (k,) has either sign."""
        return np.zeros(self.k, dtype=bool) if self.held is None else self.held

    @property
    def limited(self) -> Flags:
        """Whether each contact (k,) has no normal row: its friction has a constant limit, or that of a pin."""
        return np.zeros(self.k, dtype=bool) if self.fixed is None else self.fixed

    @property
    def pinned(self) -> dict[int, tuple[int, int]]:
        """The two bilateral rows of each contact that is a dry pin."""
        return {i: pair for i, pair in enumerate(self.pins or ()) if pair is not None}

    @property
    def bare(self) -> GaussProblem:
        """The problem without its contacts: M, f and the bilateral rows."""
        return GaussProblem(self.M, self.f, Rows.of(self.J, self.gamma, self.gamma, self.rows), self.coordinates)

    @cached_property
    def metric(self) -> Metric:
        """The metric of the bare problem. Raises MassMatrixError where M leaves a direction without inertia."""
        metric = self.bare.metric
        require_inertia(self.coordinates, metric.definite)
        return metric

    def gap_rates(self, a: Array) -> Array:
        """Return g̈ (k,) at accelerations a (n,)."""
        return np.asarray(self.N @ a - self.nu)

    def slip_rates(self, a: Array) -> Array:
        """Return ṡ at accelerations a (n,), of the shape of `tau`."""
        return np.asarray(self.T @ a - self.tau)

    @cached_property
    def frictions(self) -> tuple[Resistance, ...]:
        """All frictions in space with a coefficient: of sliding, without rows that never slip, then resistances."""
        found = []
        for i in range(self.k):
            rows = self.acting[i]
            if self.static[i] > 0.0 and np.any(rows):
                coefficients = float(self.kinetic[i]), float(self.static[i])
                own = self.T[i][rows], self.tau[i][rows], *coefficients, self.slip[i][rows]
                found.append(Resistance(i, *own, "sliding"))
        return (*found, *(each for each in self.resistances if each.static > 0.0))

    @property
    def acting(self) -> Flags:
        """Flags (k, 2): which tangent rows of space take part; zeros without a slip or a right side do not."""
        return np.asarray(np.any(self.T, axis=2) | (self.tau != 0.0) | (self.slip != 0.0))

    def turned(self, angles: ArrayLike) -> ContactProblem:
        """Return the same problem of space with the tangent axes turned by angles (k,), rad, about the normals.

        The friction force has the components R t in the new axes; everything else stays.
        """
        turn = vector(angles, self.k, "angles")
        c, s = np.cos(turn), np.sin(turn)
        R = np.array([[c, s], [-s, c]]).transpose(2, 0, 1)  # (k, 2, 2)
        tau, slip = (np.einsum("kij,kj->ki", R, x) for x in (self.tau, self.slip))
        return replace(self, T=np.einsum("kij,kjn->kin", R, self.T), tau=tau, slip=slip)


def require_contacts(problem: object) -> ContactProblem:
    """Return a ContactProblem. Raises InputError for anything else."""
    if not isinstance(problem, ContactProblem):
        raise InputError(
            f"a ContactProblem is expected, got {type(problem).__name__}; see ContactProblem.of(…) and"
            " gauss.contact.contact_problem."
        )
    return problem


def contact_problem(
    system: AnySystem, q: object, v: object = None, t: float = 0.0, *, u: object = None
) -> ContactProblem:
    """Return the contact problem of a System at the state (q, v, t): its closed contacts with friction in numbers.

    A unilateral row that is open, or opens, takes no part; a closed one without friction is smooth. A slip below 1e-9
    of its row's size at v counts as rest. Raises InconsistentStateError where a bilateral row is violated or a closed
    contact closes further (an impact), InputError where the model is not finite.
    """
    system = system_of(system)
    state = system.start(q, v, t)
    terms = system.model.terms(state.q, state.v, state.t, system.theta(u))
    require_finite(system, state, terms)
    require_state(system, state, terms)
    return frozen_contacts(system, state, closed_rows(system, state, terms), u)


def in_space(system: System) -> bool:
    """Return whether the friction of a System needs the law of space: a slip with two entries, several on one load."""
    if not system.contacts:
        return False
    loads = [c.load for c in system.contacts if c.load]
    return any(len(c.slip) == 2 for c in system.contacts) or len(set(loads)) < len(loads)


def frozen_contacts(
    system: System,
    state: State,
    touching: Iterable[int],
    u: object = None,
    ways: Mapping[int, Way] | None = None,
    rest: Array | None = None,
) -> ContactProblem:
    """Return the contact problem with given closed unilateral rows (indices); the state itself is not judged.

    `ways` are signs or directions of slip of contacts (by their place in `System.contacts`) in place of those of the
    state, `rest` (m,) the rates of the rows up to which a slip is none. Raises InputError where the model is not
    finite, and for friction in space on a row that is not Unilateral.
    """
    terms = system.model.terms(state.q, state.v, state.t, system.theta(u))
    require_finite(system, state, terms)
    force = terms.f if system.black_box_force is None else terms.f + black_box_value(system, state)
    least = zero_rates(terms.J, terms.J @ state.v - terms.psi, state.v, RESTS) if rest is None else rest
    return numbers_of(system, touching, terms, force, terms.gamma, terms.psi, least, ways)


def numbers_of(
    system: System,
    touching: Iterable[int],
    terms: Terms,
    force: Array,
    right: Array,
    velocity: Array,
    least: Array,
    ways: Mapping[int, Way] | None = None,
    *,
    impulses: bool = False,
) -> ContactProblem:
    """Return the contacts on closed unilateral rows (indices) for right sides and velocities (m,) of the rows.

    Slips up to `least` (m,) are none. A further friction on one load is a resistance. Among `impulses` friction with a
    constant limit takes no part.
    """
    names, space = system.row_names, in_space(system)
    contacts = [c for c in system.contacts if c.load] if impulses else system.contacts
    unilateral, closed = system.model.unilateral, sorted(touching)
    wrong = [c.name for c in contacts if space and c.normal not in unilateral]
    if wrong:
        raise InputError(
            f"friction in space needs a load on a Unilateral row; in {system.name!r} {', '.join(map(repr, wrong))} has"
            " another one."
        )
    acting = [j for j, c in enumerate(contacts) if c.normal not in unilateral or c.normal in closed]
    first: dict[Any, int] = {}  # of the frictions on each load; what has no load row stands alone
    for j in acting:
        first.setdefault(j if contacts[j].normal is None else (contacts[j].normal,), j)
    owners = list(first.values())
    normal = [contacts[j].normal for j in owners]
    normal += [k for k in closed if k not in [c.normal for c in contacts]]
    k, n = len(normal), system.n
    plain = [k for k in system.model.equality if k not in [c.normal for c in contacts]]
    N, nu, static, kinetic = np.zeros((k, n)), *np.zeros((3, k))
    T, tau, slip, extra = np.zeros((k, 2, n)), *np.zeros((2, k, 2)), []
    for i, row in enumerate(normal):
        if row is not None:
            N[i], nu[i] = terms.J[row], right[row]
    for j in acting:
        contact, rows = contacts[j], list(contacts[j].slip)
        d, speed = len(rows), float(np.linalg.norm(velocity[rows]))
        now = velocity[rows] if speed > float(np.max(least[rows])) else np.zeros(d)
        now = np.atleast_1d(np.asarray(ways[j], dtype=float))[:d] if ways and j in ways else now
        if j not in owners:
            i = normal.index(contact.normal)
            extra.append(Resistance(i, terms.J[rows], right[rows], contact.kinetic, contact.static, now, contact.row))
            continue
        i = owners.index(j)
        T[i, :d], tau[i, :d], slip[i, :d] = terms.J[rows], right[rows], now
        static[i], kinetic[i] = contact.static, contact.kinetic
    pairs = [contacts[j].pin for j in owners] + [None] * (k - len(owners))
    pins = tuple(None if pair is None else (plain.index(pair[0]), plain.index(pair[1])) for pair in pairs)
    if not space:
        T, tau, slip = T[:, 0], tau[:, 0], np.sign(slip[:, 0])
        slip[len(owners) :] = 1.0  # a frictionless contact has one mode of touching: it slides
    return ContactProblem(
        terms.M,
        force,
        terms.J[plain],
        right[plain],
        N,
        nu,
        T,
        tau,
        *(static, kinetic, slip),
        (*(contacts[j].name for j in owners), *(names[row] for row in normal[len(owners) :] if row is not None)),
        system.coordinates,
        tuple(names[row] for row in plain),
        tuple(extra),
        np.array([row is not None and row not in unilateral for row in normal], dtype=bool),
        np.array([row is None for row in normal], dtype=bool),
        pins if any(pins) else None,
    )


def _check_resistances(given: Sequence[Resistance], k: int, n: int) -> None:
    """Raise InputError unless each resistance belongs to one of k contacts and has n columns."""
    for each in given:
        if not 0 <= each.contact < k:
            raise InputError(f"a resistance belongs to contact {each.contact}, but there are {k} contacts.")
        if each.rows.shape[1] != n:
            raise InputError(f"the rows of a resistance have {each.rows.shape[1]} entries, expected {n}.")


def _check_pins(pins: Sequence[object], names: Sequence[str], m: int) -> None:
    """Raise InputError unless each pin has two different ones of m bilateral rows."""
    for name, pair in zip(names, pins, strict=True):
        if pair is None:
            continue
        places = tuple(pair) if isinstance(pair, list | tuple) else ()
        if len(set(places)) != 2 or any(not isinstance(k, int | np.integer) or not 0 <= k < m for k in places):
            raise InputError(f"the pin {name!r} needs two different rows of J, of {m} rows, got {pair!r}.")
