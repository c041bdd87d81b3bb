"""Uniqueness of the motion: whether the acceleration is Lipschitz continuous in the state, in symbols and in numbers.

A motion is unique while the acceleration a(q, v, t) is Lipschitz in (q, v) near it (Picard and Lindelöf). At a state of
rest that is an equilibrium, |a(x) − a(x₀)| ≤ C|x − x₀| is enough: by Grönwall's inequality no motion leaves it. Where
the difference quotients are unbounded, |a(x) − a(x₀)| ~ |x − x₀|^p with p < 1, the motion may still be unique
(r̈ = −sgn(r)|r|^{1/2} at rest) or not (r̈ = |r|^{1/2}); `gauss.motion.several.non_lipschitz` looks for a second motion.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import scipy

from gauss.errors import GaussError, InputError, SingularPositionError
from gauss.foundation.arrays import Array
from gauss.foundation.outcomes import Shown
from gauss.model import AnySystem, System, system_of
from gauss.model.compiled.smoothness import INFINITE, KINK, Irregularity, Symbolic, smoothness_at
from gauss.model.state import State
from gauss.principle import GaussProblem, solve
from gauss.principle.contact_sizes import closed_rows
from gauss.uniqueness.regularity import diagnose, require_unique

UNIQUE, OPEN, TWO = "motion unique (Lipschitz)", "not guaranteed", "not unique (two motions exhibited)"
STEPS = 10.0 ** -np.arange(2.0, 9.25, 0.5)  # largest change of a coordinate or velocity, in its own unit
FINEST, FEWEST = 7, 4  # how many of the smallest usable steps are fitted, and how many are needed
NOISE = 1e-11  # changes of the acceleration below this share of the forces (in the mass metric) are not used
CLOSE = 1e-3  # an exponent within its band and this of 1 counts as Lipschitz, of 0 as a jump
EQUAL = 1e-6  # exponents this close are the same, and the plainest direction is named
WIDE = 0.25  # a band wider than this leaves the exponent undecided
MIXTURE = "a mixture with"  # begins the name of a direction of several entries
MIXED = 4  # directions, each that combine all coordinates or velocities
AHEAD = (1e-2, 1e-3)  # times (s) before and after a moving state at which neighbouring states are tried too
SHOWN = 3  # operations named in a sentence
AT_REST = 1e-12  # accelerations below this share of the forces are zero


@dataclass(frozen=True)
class Fit:
    """|a(x) − a(x₀)| ~ |x − x₀|^p along one direction from a state."""

    exponent: float  # p; inf where the acceleration does not change
    band: float  # half width of the 95 % band of p: regression, and drift of the slope between larger and smaller steps
    direction: Array  # (2n,) of positions, then velocities; its largest entry is ±1
    name: str  # "+r", "−velocity of x", "a mixture with +x"

    @property
    def lipschitz(self) -> bool:
        """Whether the exponent is 1 or more, within its band."""
        return self.band <= WIDE and self.exponent + self.band >= 1.0 - CLOSE

    @property
    def below_one(self) -> bool:
        """Whether the exponent is certainly less than 1."""
        return self.exponent + self.band < 1.0 - CLOSE

    @property
    def kind(self) -> str:
        """ "Lipschitz", "unbounded derivative", "jump" or "undecided"."""
        if self.lipschitz:
            return "Lipschitz"
        if not self.below_one or self.band > WIDE:
            return "undecided"
        return "jump" if abs(self.exponent) <= self.band + CLOSE else "unbounded derivative"


@dataclass(frozen=True, repr=False)
class Smoothness(Shown):
    """What `lipschitz` returns: the verdict on the uniqueness of the motion from a state, with its evidence."""

    state: State
    verdict: str  # UNIQUE, OPEN or TWO
    irregular: tuple[Irregularity, ...]  # operations without a bounded derivative, named with their place
    order: float  # exponent that the expressions guarantee; inf for a constant, −inf where they show none
    proved: bool  # whether the expressions alone show the Lipschitz condition
    equilibrium: bool  # at rest, without acceleration
    fits: tuple[Fit, ...]  # by direction; empty where the expressions decide
    outside: tuple[str, ...]  # directions in which the model is not defined

    @property
    def worst(self) -> Fit | None:
        """The direction with the least exponent, the first of equal ones; None where the expressions decide."""
        least = min((fit.exponent for fit in self.fits), default=0.0)
        return next((fit for fit in self.fits if fit.exponent <= least + fit.band + EQUAL), None)

    @property
    def exponent(self) -> float:
        """Fitted exponent p in the worst direction; where the expressions decide, the order that they guarantee."""
        return self.order if self.worst is None else self.worst.exponent

    @property
    def band(self) -> float:
        """Half width of the 95 % band of the exponent; 0 where the expressions decide."""
        return 0.0 if self.worst is None else self.worst.band

    @property
    def unique(self) -> bool:
        """Whether the motion is unique, as far as the evidence goes; False also where nothing is decided."""
        return self.verdict == UNIQUE

    @property
    def sentence(self) -> str:
        """The verdict and its reason in words."""
        there, worst = _listed(self.irregular), self.worst
        if self.proved:
            return f"{self.verdict}: the expressions show bounded difference quotients{there}."
        if worst is None:
            return f"{self.verdict}: no difference quotient could be formed{there}."
        edge = f" The model is not defined along {', '.join(self.outside)}." if self.outside else ""
        numbers = f"along {worst.name} the acceleration changes like |x − x₀|^{worst.exponent:.4g} (± {worst.band:.1g})"
        if worst.exponent == np.inf:
            numbers = "the acceleration does not change near the state"
        if self.verdict == UNIQUE:
            return f"{self.verdict}, as far as {len(self.fits)} directions show: {numbers}{there}.{edge}"
        if worst.lipschitz:
            return (
                f"{self.verdict}: the difference quotients stay bounded down to the smallest step tried, but an"
                f" operation has an unbounded derivative{there}.{edge}"
            )
        more = "" if self.verdict == TWO else " This alone does not show that there is a second motion."
        return f"{self.verdict}: {numbers}, {worst.kind}{there}.{edge}{more}"

    def __str__(self) -> str:
        return self.sentence


def _listed(irregular: tuple[Irregularity, ...]) -> str:
    """Return the irregular operations in brackets, the worse ones first and not too many."""
    if not irregular:
        return ""
    ordered = sorted(irregular, key=lambda item: item.kind == KINK)
    more = f"; and {len(ordered) - SHOWN} more" if len(ordered) > SHOWN else ""
    return f" ({'; '.join(map(str, ordered[:SHOWN]))}{more})"


def lipschitz(system: AnySystem, q: object, v: object = None, t: float = 0.0, u: object = None) -> Smoothness:
    """Judge whether the motion from (q, v) at time t is unique; constant controls u default to zero.

    First the expressions of M, f, J and γ are searched for operations without a bounded derivative at the state. If
    they show the Lipschitz condition, that is a proof (in the neighbourhood; at an equilibrium, at the state) and the
    verdict is `UNIQUE`. Otherwise, and for a black-box force, the exponent p of |a(x) − a(x₀)| ~ |x − x₀|^p is fitted
    to certified accelerations at displaced states x that satisfy the constraints, along each coordinate and velocity
    that they leave, both ways, and along mixtures; a moving state is tried at neighbours along its motion too.
    The verdict is then `UNIQUE` where every exponent is at least 1 and no operation found has an unbounded derivative,
    else `OPEN`. Contacts that press are kept closed.

    The fit sees what steps down to 1e-9 (in the units of the coordinates) show. Feedback controls are not examined.
    Raises InputError where the model is not finite at the state, naming the operation, SingularPositionError at a
    rank-deficient position, and what `solve` raises.

    >>> import gauss as g
    >>> dome = g.System("Norton's dome", "s", mass_matrix=[[1]], force=lambda q: [g.sqrt(g.fabs(q.s))])
    >>> found = g.uniqueness.lipschitz(dome, [0.0])
    >>> found.verdict, round(found.worst.exponent, 3)  # s̈ = √s leaves s = 0 at any time
    ('not guaranteed', 0.5)
    """
    system = system_of(system)
    state = system.state(q, v, t)
    symbolic = smoothness_at(system.model, state.q, state.v, state.t, system.theta(u))
    near = Neighbourhood(system, state, u, symbolic)
    resting = near.equilibrium
    seen = system.black_box_force is None
    proved = seen and (symbolic.near or (resting and symbolic.order >= 1.0))
    fits, outside = ((), ()) if proved else _all_fits(near)
    good = bool(fits) and all(fit.lipschitz for fit in fits) and not symbolic.steep
    return Smoothness(
        state=state,
        verdict=UNIQUE if proved or good else OPEN,
        irregular=symbolic.irregular,
        order=symbolic.order,
        proved=proved,
        equilibrium=resting,
        fits=fits,
        outside=outside,
    )


class Neighbourhood:
    """States near a regular state that satisfy its constraints, and their certified accelerations.

    Rows in force are the equality rows and the closed contacts that press; they are kept closed. Raises InputError,
    SingularPositionError and what `solve` raises.
    """

    def __init__(self, system: System, state: State, u: object = None, symbolic: Symbolic | None = None):
        self.system, self.state, self.u = system, state, u
        try:
            problem = GaussProblem.at(system, state, u)
        except InputError as error:
            raise _not_finite(error, symbolic) from None
        require_unique(problem)
        verdict = diagnose(problem)
        if not verdict.regular:
            raise SingularPositionError(
                f"the motion of {system.name!r} is judged by the Lipschitz condition at regular positions only."
                f" {verdict.sentence}",
                verdict,
            )
        self.metric = problem.metric
        self.solver = "osqp" if problem.rows.inequality.size else "kkt"
        solution = solve(problem, self.solver)
        terms = system.model.terms(state.q, state.v, state.t, system.theta(u))
        self.closed = closed_rows(system, state, terms)
        model = system.model
        pressing = [k for k in self.closed if solution.multipliers[k] > 0.0]
        self.rows = sorted([*model.equality, *pressing])
        self.positional = [k for k in self.rows if k in model.positional]
        self.a: Array = solution.a
        self.J: Array = problem.rows.J[self.rows]
        size = (float(np.linalg.norm(self.metric.covector(x))) for x in (problem.f, solution.reaction))
        self.force = sum(size) + self.metric.norm(solution.a)
        self.positions = self._free(problem.rows.J[self.positional])  # (k, n), rows that span admissible displacements
        self.velocities = self._free(self.J)  # (k, n), the same for velocities

    @property
    def equilibrium(self) -> bool:
        """Whether the state is at rest and stays so."""
        return not np.any(self.state.v) and self.metric.norm(self.a) <= AT_REST * self.force

    def _free(self, J: Array) -> Array:
        """Return rows that span the kernel of J and are orthonormal in the mass metric."""
        whitened = self.metric.whitened(J) if len(J) else np.zeros((0, self.state.q.size))
        _, sigma, V = np.linalg.svd(whitened)
        rank = int(np.sum(sigma > 1e-10 * np.max(sigma, initial=0.0)))
        return np.array([self.metric.lift(z) for z in V[rank:]]).reshape(-1, self.state.q.size)

    def moved(self, dq: Array, dv: Array, dt: float = 0.0) -> State:
        """Return the state displaced by dq and dv and projected onto the rows in force, in the mass metric."""
        q, v, t = self.state.q + dq, self.state.v + dv, self.state.t + dt
        for _ in range(6 if self.positional else 0):
            phi, J = self._at(q, v, t, self.positional, 0)
            q = q - self._correction(J, phi)
        if self.rows:
            psi, J = self._at(q, v, t, self.rows, 1)
            for _ in range(1 if self.system.model.linear_velocity else 6):
                v = v - self._correction(J, psi)
                psi, J = self._at(q, v, t, self.rows, 1)
        return State(q, v, t)

    def _at(self, q: Array, v: Array, t: float, rows: list[int], level: int) -> tuple[Array, Array]:
        terms = self.system.model.terms(q, v, t, self.system.theta(self.u))
        residual = (terms.phi, terms.psi)[level][rows]
        if not (np.all(np.isfinite(residual)) and np.all(np.isfinite(terms.J[rows]))):
            raise InputError("the constraints are not finite there.")
        return residual, terms.J[rows]

    def _correction(self, J: Array, residual: Array) -> Array:
        whitened = self.metric.whitened(J)
        return self.metric.lift(np.asarray(np.linalg.lstsq(whitened, residual, rcond=None)[0], dtype=float))

    def acceleration(self, state: State) -> Array:
        """Return the certified acceleration (n,) at a nearby state. Raises what `solve` raises."""
        problem = GaussProblem.at(self.system, state, self.u, self.closed)
        return solve(problem, self.solver).a

    def change(self, dq: Array, dv: Array, base: State | None = None, a: Array | None = None) -> tuple[float, float]:
        """Return |x − x₀| (largest entry) and |a(x) − a(x₀)| (mass metric); nan where the model is not defined."""
        origin, a0 = (self.state, self.a) if base is None or a is None else (base, a)
        shift = origin.q - self.state.q, origin.v - self.state.v
        try:
            state = self.moved(dq + shift[0], dv + shift[1], origin.t - self.state.t)
            difference = self.metric.norm(self.acceleration(state) - a0)
        except GaussError:
            return np.nan, np.nan
        distance = max(np.max(np.abs(state.q - origin.q)), np.max(np.abs(state.v - origin.v)))
        return float(distance), difference if difference > NOISE * self.force else 0.0


def _not_finite(error: InputError, symbolic: Symbolic | None) -> InputError:
    """Return the error of a model that is not finite at a state, with the operations that are not."""
    found = [str(item) for item in symbolic.irregular if item.kind == INFINITE] if symbolic else []
    if not found:
        return error
    return InputError(
        f"{str(error).rstrip('.')}, for {'; '.join(found)}. If the model has a limit there, give it with gauss.where."
    )


def fitted_exponent(distance: Array, change: Array) -> tuple[float, float]:
    """Return p of change ~ distance^p and half its 95 % band, from the smallest steps with a change.

    The band adds what Student's distribution gives for the slope of the logarithms to the drift of the slope between
    the larger and the smaller half of the steps, which shows what lower-order terms do. (inf, 0) where nothing changes,
    (nan, inf) where too few steps do.
    """
    used = np.isfinite(change) & (change > 0.0) & (distance > 0.0)
    if not np.any(used):
        return (np.inf, 0.0) if np.any(np.isfinite(change)) else (np.nan, np.inf)
    x, y = np.log(distance[used])[-FINEST:], np.log(change[used])[-FINEST:]
    if x.size < FEWEST:  # only the largest steps change anything: the change dies faster than they do
        return (np.inf, 0.0) if np.isfinite(change[-1]) and change[-1] == 0.0 else (np.nan, np.inf)
    half = (x.size + 1) // 2
    drift = abs(np.polyfit(x[:half], y[:half], 1)[0] - np.polyfit(x[-half:], y[-half:], 1)[0])
    slope, level = np.polyfit(x, y, 1)
    scatter = np.sqrt(np.sum((y - slope * x - level) ** 2) / (x.size - 2) / np.sum((x - np.mean(x)) ** 2))
    return float(slope), float(scipy.special.stdtrit(x.size - 2, 0.975) * scatter + drift)


def _all_fits(near: Neighbourhood) -> tuple[tuple[Fit, ...], tuple[str, ...]]:
    """Fit every direction from the state, and from neighbours along the motion of a moving one."""
    fits: list[Fit] = []
    outside: list[str] = []
    bases: list[State | None] = [None]
    if not near.equilibrium:
        bases += [near.moved(s * h * near.state.v, s * h * near.a, s * h) for h in AHEAD for s in (1.0, -1.0)]
    for base in bases:
        try:
            a = None if base is None else near.acceleration(base)
        except GaussError:
            continue
        for direction, name in _directions(near):
            dq, dv = np.split(direction, 2)
            pairs = np.array([near.change(h * dq, h * dv, base, a) for h in STEPS])
            if not np.any(np.isfinite(pairs[:, 1])):
                outside.append(name)
                continue
            fits.append(Fit(*fitted_exponent(*pairs.T), direction, name))
    plain = [name for name in outside if not name.startswith(MIXTURE)]
    return tuple(fit for fit in fits if not np.isnan(fit.exponent)), tuple(dict.fromkeys(plain or outside))


def _directions(near: Neighbourhood) -> Iterator[tuple[Array, str]]:
    """Yield directions (2n,) in the positions and velocities that the rows leave, both ways, with their names."""
    n, rng = near.state.q.size, np.random.default_rng(0)
    zeros = np.zeros(n)
    single = [np.concatenate([d, zeros]) for d in near.positions] + [
        np.concatenate([zeros, d]) for d in near.velocities
    ]
    mixed = [
        np.concatenate([on_q * (near.positions.T @ rng.normal(size=len(near.positions))),
                        on_v * (near.velocities.T @ rng.normal(size=len(near.velocities)))])
        for on_q, on_v in ((1.0, 0.0), (0.0, 1.0), (1.0, 1.0))
        for _ in range(MIXED if n > 1 or on_q == on_v else 0)
    ]  # fmt: skip
    for direction in [*single, *mixed]:
        top = float(np.max(np.abs(direction), initial=0.0))
        for sign in (1.0, -1.0) if top > 0.0 else ():
            scaled = sign * direction / top
            yield scaled, _name(near.system, scaled)


def _name(system: System, direction: Array) -> str:
    """Return a direction in words, by its entries."""
    names = [*system.coordinates, *(f"velocity of {name}" for name in system.coordinates)]
    large = np.flatnonzero(np.abs(direction) > 1e-9)
    k = int(np.argmax(np.abs(direction)))
    text = ("+" if direction[k] > 0.0 else "−") + names[k]
    return text if large.size == 1 else f"{MIXTURE} {text}"
