"""Coulomb friction in space at one state: the problem in numbers, from plain arrays or from a System.

At a closed contact with normal row N (g̈ = N a − ν) and two tangent rows T (s the slip velocity, ṡ = T a − τ) act a
normal force p and a friction force t in the tangent plane:

    M a = f + Jᵀλ + Σ (Nᵀp + Tᵀt),    J a = γ,    p ≥ 0, g̈ ≥ 0, p g̈ = 0,
    s ≠ 0:  t = −μ_k p s/|s|;    s = 0, ṡ ≠ 0:  t = −μ_k p ṡ/|ṡ|;    s = ṡ = 0:  |t| ≤ μ_s p.

The numbers may stand one level lower: with a the velocity after a step or an impact and f = M v⁻ + h f the forces are
impulses, and the slip velocity now is zero, as that of the end decides.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from gauss.contact.coulomb import forced_terms, given_state, slip_limits
from gauss.contact.given import bilateral_part, labels_of, require_coefficients, require_state
from gauss.contact.space.resistance import Block, listed
from gauss.errors import InputError
from gauss.foundation.arrays import Array, Flags, as_array, matrix, vector
from gauss.model import AnySystem, System, system_of
from gauss.model.compiled import Terms
from gauss.model.rows import Rows
from gauss.model.state import State
from gauss.principle import GaussProblem
from gauss.principle.contact_sizes import closed_rows
from gauss.principle.problem import require_finite


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
        frictional = kinetic if static is None else vector(static, k, "static")
        require_coefficients(kinetic, frictional)
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
            frictional,
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


def cone_problem(system: AnySystem, q: object, v: object = None, t: float = 0.0, *, u: object = None) -> ConeProblem:
    """Return the friction problem of a System in space at the state (q, v, t): its closed contacts in numbers.

    A unilateral row that is open, or opens, takes no part; a closed one without friction is smooth. A slip below 1e-9
    of its row's size at v counts as rest. Raises what `friction_problem` raises.
    """
    system = system_of(system)
    state, terms = given_state(system, q, v, t, u)
    return frozen_cone(system, state, closed_rows(system, state, terms), u)


def frozen_cone(
    system: System,
    state: State,
    touching: Iterable[int],
    u: object = None,
    ways: Mapping[int, tuple[float, float]] | None = None,
    rest: Array | None = None,
) -> ConeProblem:
    """Return the friction problem in space with given closed unilateral rows (indices); the state is not judged.

    `ways` are directions of slip of contacts (by their place in `System.contacts`) in place of those of the state;
    (0, 0) is rest. `rest` (m,) are the rates of the rows up to which a slip is none. Raises InputError where the model
    is not finite.
    """
    terms, force = forced_terms(system, state, u)
    least = slip_limits(system, state, terms, rest)
    return _rubbed(system, touching, terms, force, terms.gamma, terms.psi, least, ways or {})


def cone_impact(
    system: System, state: State, u: object = None, closed: Iterable[int] | None = None
) -> tuple[ConeProblem, Array, Array]:
    """Return the problem at the velocity level of all closed contacts, v⁻ (n,) and the restitutions (k,).

    For `impact_in_space(problem, v, e)`. Closed contacts may approach; `closed` are unilateral rows (indices) in place
    of those that the state tells. Raises InconsistentStateError where a bilateral row is violated, InputError where the
    model is not finite.
    """
    terms = system.model.terms(state.q, state.v, state.t, system.theta(u))
    require_finite(system, state, terms)
    require_state(system, state, terms, before_impact=True)
    touching = closed_rows(system, state, terms) if closed is None else closed
    steady, none = terms.J @ state.v - terms.psi, np.zeros(len(terms.psi))
    problem = _rubbed(system, touching, terms, terms.M @ state.v, steady, none, none, {})
    e = dict(zip((system.row_names[k] for k in system.model.unilateral), system.model.restitution, strict=True))
    return problem, np.array(state.v), np.array([e[name] for name in problem.names])


def _rubbed(
    system: System,
    touching: Iterable[int],
    terms: Terms,
    force: Array,
    right: Array,
    velocity: Array,
    least: Array,
    ways: Mapping[int, tuple[float, float]],
) -> ConeProblem:
    """Return the problem of rows with right sides and velocities (m,); slips up to `least` (m,) are none."""
    contacts, closed = system.contacts, sorted(touching)
    wrong = [c.name for c in contacts if c.normal not in system.model.unilateral]
    if wrong:
        raise InputError(
            f"friction in space needs a load on a Unilateral row; in {system.name!r} {', '.join(map(repr, wrong))} has"
            " another one."
        )
    acting = [j for j, c in enumerate(contacts) if c.normal in closed]
    loads = list(dict.fromkeys(contacts[j].load[0] for j in acting))
    normal = [*loads, *(k for k in closed if k not in loads)]
    k, equality = len(normal), list(system.model.equality)
    T, tau, slip, static, kinetic = np.zeros((k, 2, system.n)), *np.zeros((2, k, 2)), *np.zeros((2, k))
    blocks = []
    for j in acting:
        contact, rows = contacts[j], list(contacts[j].slip)
        i, d = normal.index(contact.load[0]), len(rows)
        now = velocity[rows] if float(np.linalg.norm(velocity[rows])) > float(np.max(least[rows])) else np.zeros(d)
        if j in ways:
            now = np.array(ways[j][:d])
        if contact is not next(c for c in contacts if c.load == contact.load):
            blocks.append(Block(i, terms.J[rows], right[rows], contact.kinetic, contact.static, now, contact.row))
            continue
        T[i, :d], tau[i, :d], slip[i, :d] = terms.J[rows], right[rows], now
        static[i], kinetic[i] = contact.static, contact.kinetic
    return ConeProblem(
        terms.M,
        force,
        terms.J[equality],
        right[equality],
        terms.J[normal],
        right[normal],
        T,
        tau,
        static,
        kinetic,
        slip,
        tuple(blocks),
        tuple(system.row_names[row] for row in normal),
        system.coordinates,
        tuple(system.row_names[row] for row in equality),
    )
