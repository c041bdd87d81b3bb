"""Equilibria and steady motions, found by Newton's method from a guess.

A steady motion follows a one-parameter group of symmetries whose generator is a combination of given ones,
v = k(q) = Σ c_i k_i(q), so that a = k_q k. Its place q, rates c and multipliers λ solve

    M a = f(q, v) + Jᵀλ,    J a = γ,    φ(q) = 0,    ψ(q, v) = 0,

and without generators (v = a = 0) this is an equilibrium. Solutions often come in families, as a disc may stand
anywhere on a plane; each Newton step is the shortest one, so the member found is near the guess, and `family` counts
the dimensions.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from gauss.analysis.linear.linearize import Linearization, linearize
from gauss.analysis.linear.steady import Generator, Steady, generators
from gauss.analysis.linear.tangent import StateDerivatives, autonomous, require_derivatives
from gauss.errors import GaussError, InputError, SolverError
from gauss.foundation.arrays import Array, Indices, names_of, unit_rows, vector
from gauss.foundation.calls import advised
from gauss.foundation.outcomes import Shown
from gauss.foundation.tolerances import EPS, SAME
from gauss.model import AnySystem, System, refuse_friction, system_of
from gauss.model.compiled.derivatives.linear import Variation, VectorField, variations_of
from gauss.model.state import State
from gauss.model.units import with_unit

ITERATIONS = 100
HALVINGS = 30  # of a Newton step that does not diminish the residual
BALANCED = 1e-11  # equations that hold to this share of their terms are solved
RANK = 1e-10  # singular values below this share of the largest belong to directions within the family


@dataclass(frozen=True, repr=False)
class SteadyMotion(Shown):
    """An equilibrium, or a motion along a symmetry with constant rates."""

    system: System
    state: State
    u: Array  # (n_u,)
    rates: dict[str, float]  # of the generators by name; empty for an equilibrium
    multipliers: Array  # (m,)
    family: int  # dimension of the family of solutions that it belongs to, as far as the linear equations tell
    residual: float  # largest imbalance, relative to the terms of its equation
    symmetry: tuple[Generator, ...]

    def multiplier(self, row: str) -> float:
        """Return λ of a row by name. Raises InputError for unknown names."""
        if row not in self.system.row_names:
            raise InputError(f"there is no row {row!r}; known: {', '.join(self.system.row_names) or 'none'}.")
        return float(self.multipliers[self.system.row_names.index(row)])

    def linearize(
        self, states: str | Sequence[str] | None = None, outputs: str | Sequence[str] | None = None
    ) -> Linearization:
        """Return the linear equations of disturbances about it, see `gauss.linearize`."""
        return linearize(
            self.system,
            self.state,
            u=self.u,
            symmetry=self.symmetry,
            states=states,
            outputs=outputs,
        )

    def __str__(self) -> str:
        kind = "steady motion" if self.rates else "equilibrium"
        pairs = zip(self.system.coordinates, self.state.q, strict=True)
        q = ", ".join(with_unit(f"{k} = {x:.9g}", self.system.unit(k)) for k, x in pairs)
        text = f"{kind} of {self.system.name!r}: {q}"
        if self.rates:
            text += "; rates " + ", ".join(f"{k} = {x:.9g}" for k, x in self.rates.items())
        return text + f"; family of dimension {self.family}, imbalance {self.residual:.2g}"


class Equilibria(list[SteadyMotion], Shown):
    """A list of equilibria, a line each when printed; `left_out` says for each guess that led nowhere why."""

    def __init__(self, found: Iterable[SteadyMotion] = (), left_out: Sequence[str] = ()):
        super().__init__(found)
        self.left_out = tuple(left_out)

    def __str__(self) -> str:
        count = len(self.left_out)
        why = [f"{count} of the guesses led to none; the first: {reason}" for reason in self.left_out[:1]]
        return "\n".join([*map(str, self), *why]) or "no equilibrium: there were no guesses"

    __repr__ = __str__


@advised
def equilibrium(
    system: AnySystem, q: object, *, u: object = None, hold: str | Sequence[str] = (), closed: str | Sequence[str] = ()
) -> SteadyMotion:
    """Return the equilibrium that Newton's method reaches from the guess q, with coordinates in `hold` kept.

    Unilateral rows named in `closed` hold as equalities and must press; the gaps of the others must stay open. Raises
    InputError for wrong names and for dry friction, SolverError where no equilibrium is found.

    >>> import gauss as g
    >>> pendulum = g.System(
    ...     "pendulum",
    ...     coordinates="x y",
    ...     kinetic_energy=lambda v: 0.5 * (v.x**2 + v.y**2),
    ...     potential_energy=lambda q: 9.81 * q.y,
    ...     constraints=[g.Holonomic("rod", lambda q: q.x**2 + q.y**2 - 1.0)],
    ... )
    >>> g.equilibrium(pendulum, [0.1, -0.9]).state.q.round(9).tolist()
    [0.0, -1.0]
    """
    return steady_motion(system, q, symmetry=(), u=u, hold=hold, closed=closed)


@advised
def equilibria(system: AnySystem, guesses: Sequence[object], *, u: object = None) -> Equilibria:
    """Return the different equilibria reached from several guesses, a list in the order found.

    Guesses that lead nowhere are skipped: its `left_out` says why, and so does the list when it is printed. That it is
    complete is not claimed. Raises InputError for a guess that is no position.

    >>> import gauss as g
    >>> pull = g.System("pull", "x", kinetic_energy=lambda v: v.x**2, potential_energy=lambda q: -q.x)
    >>> found = g.analysis.equilibria(pull, [[0.0], [1.0]])
    >>> len(found), found.left_out[0].partition(" was found")[0]
    (0, "no steady state of 'pull'")
    """
    if isinstance(guesses, str) or not isinstance(guesses, Sequence | np.ndarray):
        raise InputError(f"guesses must be a list of positions, got {guesses!r}.")
    if len(guesses) and all(np.isscalar(each) for each in guesses):
        raise InputError(f"guesses must be a list of positions, as [{list(guesses)}], got one: {guesses!r}.")
    found: list[SteadyMotion] = []
    left_out = []
    for guess in guesses:
        start = system_of(system).start(guess)
        try:
            new = equilibrium(system, start, u=u)
        except SolverError as error:
            left_out.append(str(error))
            continue
        size = max(1.0, float(np.max(np.abs(new.state.q))))
        if all(np.max(np.abs(new.state.q - old.state.q)) > SAME * size for old in found):
            found.append(new)
    return Equilibria(found, left_out)


@advised
def steady_motion(
    system: AnySystem,
    q: object,
    rates: object = None,
    *,
    symmetry: Generator | Sequence[Generator],
    u: object = None,
    hold: str | Sequence[str] = (),
    hold_rates: Sequence[str | int] | str = (),
    closed: str | Sequence[str] = (),
    t: float = 0.0,
) -> SteadyMotion:
    """Return the steady motion along `symmetry` that Newton's method reaches from the guess q with the given rates.

    `symmetry` is as for `gauss.linearize`: names of drifting coordinates, or functions ``k(q, p)``; `rates` has one
    number for each (zeros if left out). Coordinates in `hold` and rates in `hold_rates` (by name) keep their values.
    Where time occurs in the model the state is that at `t`, its rates are those that carry the rows along, and it is
    confirmed that the symmetry does so. That what is given is a symmetry is confirmed where it moves the state, see
    `gauss.linearize`.

    Raises InputError for wrong names, for what is no symmetry and where none makes up for the time, SolverError where
    no steady motion is found, SingularPositionError where one is found at which accelerations are not smooth.
    """
    system = system_of(system)
    refuse_friction(system.contacts, system.name, "a single equilibrium or steady motion")
    state = system.start(q, None, t)
    require_derivatives(system)
    names, fields, given = generators(system, symmetry)
    start = np.zeros(len(names)) if rates is None else vector(rates, len(names), "rates", names)
    rows = [*system.model.equality, *_named(closed, [system.row_names[k] for k in system.model.unilateral], "closed")]
    index = np.array([k if isinstance(k, int) else system.row_names.index(k) for k in rows], dtype=int)
    held = [system.coordinates.index(name) for name in _named(hold, system.coordinates, "hold")]
    fixed = [names.index(name) for name in _named(hold_rates, names, "hold_rates")]
    free = np.setdiff1d(np.arange(system.n), held)
    loose = np.setdiff1d(np.arange(len(names)), fixed)
    equations = _Equations(system, system.theta(u), state.t, fields, index, free, loose)
    solved = _newton(equations, equations.start(state.q, start))
    _require_contacts(system, solved, index, state.t)
    found = State(solved.q, solved.v, state.t)
    moved = solved.c
    if not autonomous(system) or np.any(moved):
        point = StateDerivatives.at(system, found, u)
        steady = Steady.along(point, names, fields)
        steady.require_symmetry(point)
        moved = steady.rates
    return SteadyMotion(
        system=system,
        state=found,
        u=system.control_vector(u),
        rates={name: float(c) for name, c in zip(names, moved, strict=True)},
        multipliers=solved.full_multipliers(system),
        family=equations.family(solved),
        residual=float(np.max(np.abs(solved.residual) / solved.scale, initial=0.0)),
        symmetry=given,
    )


def _named(value: str | Sequence[str] | Sequence[str | int], known: Sequence[str], what: str) -> list[str]:
    """Return names, checked against those that exist. Raises InputError."""
    if isinstance(value, str) and value in known:  # row names may contain spaces
        return [value]
    if not isinstance(value, str | list | tuple):
        raise InputError(f"{what} must be names (a list, or one string separated by spaces), got {value!r}.")
    names = list(names_of(value, what)) if isinstance(value, str) else [str(name) for name in value]
    unknown = [name for name in names if name not in known]
    if unknown:
        raise InputError(f"{what} names {unknown}; known: {', '.join(known) or 'none'}.")
    return names


@dataclass(frozen=True)
class _Guess:
    """A guess with its residuals and their derivatives by (free q, loose c, λ)."""

    q: Array
    v: Array
    c: Array
    multipliers: Array  # (k,) of the rows that hold
    rows: Indices
    residual: Array  # (e,)
    scale: Array  # (e,) sizes of the terms of each equation
    jacobian: Array  # (e, ·)

    @property
    def imbalance(self) -> float:
        """The largest residual relative to its scale."""
        return float(np.max(np.abs(self.residual) / self.scale, initial=0.0))

    def full_multipliers(self, system: System) -> Array:
        """Return the multipliers of all m rows."""
        full = np.zeros(system.model.m)
        full[self.rows] = self.multipliers
        return full


@dataclass(frozen=True)
class _Equations:
    """The equations of a steady motion as functions of (q, c, λ)."""

    system: System
    theta: Array
    t: float
    fields: Sequence[VectorField]
    rows: Indices
    free: Indices
    loose: Indices

    def start(self, q: Array, c: Array) -> _Guess:
        """Return the guess with multipliers of least squares."""
        v, a, *_ = self._motion(q, c)
        terms = self.system.model.terms(q, v, self.t, self.theta)
        force = terms.M @ a - terms.f
        multipliers = np.asarray(np.linalg.lstsq(terms.J[self.rows].T, force, rcond=None)[0], dtype=float)
        return self.at(q, c, multipliers)

    def _motion(self, q: Array, c: Array) -> tuple[Array, Array, Array, Array, Array, Array]:
        """Return v, a and their derivatives by q (n, n) and by c (n, g)."""
        n, g = self.system.n, len(self.fields)
        parts = [field(q, np.zeros(n), self.theta) for field in self.fields]
        k = np.array([part[0] for part in parts]).reshape(g, n).T
        v = k @ c
        by_q = np.zeros((n, n))
        for rate, part in zip(c, parts, strict=True):
            by_q += rate * part[1]
        bent = np.zeros((n, n))
        for rate, field in zip(c, self.fields, strict=True):
            bent += rate * field(q, v, self.theta)[2]
        turned = np.array([part[1] @ v for part in parts]).reshape(g, n).T
        return v, by_q @ v, by_q, k, bent + by_q @ by_q, turned + by_q @ k

    def at(self, q: Array, c: Array, multipliers: Array) -> _Guess:
        """Return the residuals and derivatives at a guess. Raises SolverError where the model is not finite."""
        system, n, rows = self.system, self.system.n, self.rows
        v, a, v_q, v_c, a_q, a_c = self._motion(q, c)
        terms = system.model.terms(q, v, self.t, self.theta)
        full = np.zeros(system.model.m)
        full[rows] = multipliers
        d = variations_of(system.model)(q, v, self.t, self.theta, a, full)
        J = terms.J[rows]
        place, speed = terms.phi[rows], terms.psi[rows]
        residual = np.concatenate([d.residual[:n], d.residual[n:][rows], place, speed])
        by_q, by_c, by_l = self._derivatives(d, terms.M, J, (v_q, v_c, a_q, a_c))
        push = np.abs(terms.f) + np.abs(J.T) @ np.abs(multipliers) + np.abs(terms.M) @ np.abs(a)
        push = push + np.abs(d.by_q[:n]) @ np.maximum(np.abs(q), 1.0) + np.abs(d.by_v[:n]) @ np.abs(v)
        length = np.linalg.norm(J, axis=1)
        reach = np.where(length > 0.0, length, 1.0) * max(1.0, float(np.max(np.abs(q))))
        pace = length * (float(np.max(np.abs(v), initial=0.0)) or 1.0) + np.abs(d.psi_q[rows]) @ np.abs(q)
        turn = np.abs(terms.gamma[rows]) + length * float(np.linalg.norm(a))  # its terms may be rounding crumbs alone
        force = max(float(np.max(push)), 1e-300)
        scale = np.concatenate([np.full(n, force), np.where(turn > 0, turn, 1.0), reach, np.where(pace > 0, pace, 1.0)])
        jacobian = np.hstack([by_q[:, self.free], by_c[:, self.loose], by_l])
        if not (np.all(np.isfinite(residual)) and np.all(np.isfinite(jacobian))):
            raise SolverError(f"{system.name!r} is not finite at q = {q}, v = {v}, where the search has come to.")
        return _Guess(q, v, c, multipliers, rows, residual, scale, jacobian)

    def _derivatives(
        self, d: Variation, M: Array, J: Array, motion: tuple[Array, Array, Array, Array]
    ) -> tuple[Array, Array, Array]:
        """Return the derivatives of all equations by q, by c and by λ."""
        n, rows = self.system.n, self.rows
        v_q, v_c, a_q, a_c = motion
        kept = np.concatenate([np.arange(n), n + rows])
        by_a = -np.vstack([M, J])
        top_q = d.by_q[kept] + d.by_v[kept] @ v_q + by_a @ a_q
        top_c = d.by_v[kept] @ v_c + by_a @ a_c
        by_q = np.vstack([top_q, d.phi_q[rows], d.psi_q[rows] + d.psi_v[rows] @ v_q])
        by_c = np.vstack([top_c, np.zeros((rows.size, v_c.shape[1])), d.psi_v[rows] @ v_c])
        by_l = np.vstack([J.T, np.zeros((3 * rows.size, rows.size))])
        return by_q, by_c, by_l

    def step(self, guess: _Guess, share: float, change: Array) -> _Guess:
        """Return the guess moved by a share of a change of the unknowns."""
        q, c = guess.q.copy(), guess.c.copy()
        k, g = self.free.size, self.loose.size
        q[self.free] += share * change[:k]
        c[self.loose] += share * change[k : k + g]
        return self.at(q, c, guess.multipliers + share * change[k + g :])

    def family(self, guess: _Guess) -> int:
        """Return how many directions of (q, c) solve the linearised equations."""
        unit = unit_rows((guess.jacobian / guess.scale[:, None]).T).T  # scales of what no force is near are tiny
        k = self.free.size + self.loose.size

        def rank(matrix: Array) -> int:
            sigma = np.linalg.svd(matrix, compute_uv=False) if matrix.size else np.zeros(0)
            return int(np.sum(sigma > RANK * max(float(np.max(sigma, initial=0.0)), 1e-300)))

        return k - (rank(unit) - rank(unit[:, k:]))


def _newton(equations: _Equations, guess: _Guess) -> _Guess:
    """Return the solution that damped Newton steps of least length reach. Raises SolverError."""
    for _ in range(ITERATIONS):
        weighted = guess.jacobian / guess.scale[:, None]
        change = np.asarray(np.linalg.lstsq(weighted, -guess.residual / guess.scale, rcond=RANK)[0], dtype=float)
        moved = _improved(equations, guess, change)
        if moved is None or (moved.imbalance >= guess.imbalance and guess.imbalance <= BALANCED):
            break
        guess = moved
    if guess.imbalance > BALANCED:
        worst = int(np.argmax(np.abs(guess.residual) / guess.scale))
        n = equations.system.n
        labels = [f"the balance of forces on {name!r}" for name in equations.system.coordinates]
        labels += [f"the row {equations.system.row_names[k]!r}" for _ in range(3) for k in guess.rows]
        raise SolverError(
            f"no steady state of {equations.system.name!r} was found from this guess: {labels[worst]} is off by"
            f" {guess.residual[worst]:.3g} at q = {guess.q}{', v = ' + str(guess.v) if np.any(guess.v) else ''}"
            f" ({guess.imbalance:.2g} of its terms). Start nearer, hold fewer coordinates"
            f"{', or add a symmetry' if worst < n else ''}."
        )
    return _without_traces(equations, guess)


def _without_traces(equations: _Equations, guess: _Guess) -> _Guess:
    """Return the solution with coordinates and rates that are zero but for rounding set to zero, if it is no worse."""
    q, c = (
        np.where(np.abs(x) <= EPS * max(1.0, float(np.max(np.abs(x), initial=0.0))), 0.0, x) for x in (guess.q, guess.c)
    )
    neat = equations.at(q, c, guess.multipliers)
    return neat if neat.imbalance <= max(guess.imbalance, 10.0 * EPS) else guess


def _improved(equations: _Equations, guess: _Guess, change: Array) -> _Guess | None:
    """Return the guess after the longest halved step that diminishes the residual, None if there is none."""

    def size(other: _Guess) -> float:
        return float(np.linalg.norm(other.residual / guess.scale))

    share, before = 1.0, size(guess)
    for _ in range(HALVINGS):
        try:
            moved = equations.step(guess, share, change)
            if size(moved) < (1.0 - 1e-4 * share) * before:
                return moved
        except GaussError:  # the model is not defined there
            pass
        share /= 2.0
    return None


def _require_contacts(system: System, solved: _Guess, rows: Indices, t: float) -> None:
    """Raise SolverError where a closed contact would pull or another gap is negative."""
    full = solved.full_multipliers(system)
    phi, _ = system.model.residuals(solved.q, solved.v, t, system.theta())
    for k in system.model.unilateral:
        name = system.row_names[k]
        if k in rows and full[k] < 0.0:
            raise SolverError(f"the contact {name!r} would have to pull ({full[k]:.3g}); leave it out of `closed`.")
        if k not in rows and phi[k] < -BALANCED:
            raise SolverError(f"the gap of {name!r} is negative ({phi[k]:.3g}) there; name it in `closed`.")
