"""Values of every symbol of a collection of printed statements: at random admissible states and along a motion."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import sympy as sp

from gauss.analysis.states import evenly, random_states
from gauss.errors import GaussError, InputError, SolverError
from gauss.foundation.arrays import Array, Indices, lengths_of
from gauss.foundation.threads import withheld
from gauss.foundation.tolerances import DEPENDENT, EPS
from gauss.model import System
from gauss.model.state import State
from gauss.motion import consistent, simulate
from gauss.principle import GaussProblem, solve
from gauss.sources.equations import Printed
from gauss.sources.symbols import SymbolSet, Values, evaluate, table

SETS = 4  # sets of parameters, the given ones first
VARIATION = 0.3  # each other set multiplies every parameter by a number in [1 − this, 1 + this]
USUAL = 5.0  # loss that a rate which cancels to zero everywhere counts for at a usual state
LOSS = 30.0  # growth of rounding in the rates of quantities; states above it are left out
WORST = 1e3  # condition of M and the rows; states above it are left out
ALONG = 25  # states of the motion at which statements are asked
RTOL, ATOL = 1e-12, 1e-13  # of the motion that closed forms are compared with


@dataclass(frozen=True)
class Sample:
    """Symbols and their values at N states."""

    values: Values
    sizes: Values  # the same, with rates, second rates and multipliers replaced by the largest of their kind there
    count: int
    group: Indices  # (N,) set of parameters of each state
    bound: float  # what rounding explains of a scaled residual
    reason: str
    drift: float = 0.0  # along a motion: what the integrator explains beside rounding
    motion: bool = False
    undetermined: frozenset[sp.Symbol] = frozenset()  # multipliers that are not determined; drawn at random

    @property
    def identity(self) -> bool:
        """Whether the values are numbers that no motion relates, as identities are tested at."""
        return self.values is self.sizes

    def at_given(self, given: Mapping[sp.Symbol, float]) -> Sample:
        """Return the states at which parameters have the given values."""
        keep = np.logical_and.reduce(
            [np.ones(self.count, dtype=bool), *(self.values[x] == y for x, y in given.items())]
        )
        values, sizes = ({x: np.asarray(y)[keep] for x, y in z.items()} for z in (self.values, self.sizes))
        kept = values if self.identity else sizes
        return replace(self, values=values, sizes=kept, count=int(np.count_nonzero(keep)), group=self.group[keep])


def random_sample(printed: Printed, world: SymbolSet, count: int, seed: int) -> Sample:
    """Return values at `count` random admissible states, for several sets of parameters.

    Raises InputError for a collection without states, and what `random_states` raises.
    """
    if printed.ranges:
        return _drawn(printed, world, count, seed)
    if printed.system is None or printed.q is None:
        raise InputError(f"{printed.source}: statements need a system and a state q, or ranges of their variables.")
    rng = np.random.default_rng(seed)
    sets = max(1, min(SETS, count // 2)) if world.varied else 1  # two states of each tell a constant from none
    states: list[State] = []
    systems: list[System] = []
    for k in range(sets):
        factors = rng.uniform(1.0 - VARIATION, 1.0 + VARIATION, len(world.varied)) if k else np.ones(len(world.varied))
        given = printed.system.parameters
        system = printed.system.with_parameters(**{n: given[n] * x for n, x in zip(world.varied, factors, strict=True)})
        share = count // sets + (k < count % sets)
        found = random_states(system, printed.q, printed.v, printed.t, share, seed + k, spread=printed.spread)
        states += [_at_random_time(system, state, rng) for state in found.states]
        systems += [system] * share
    return _sample(printed, world, systems, states)


def motion_sample(printed: Printed, world: SymbolSet) -> Sample | None:
    """Return values along the motion from the collection's state, or None where it has no end time."""
    if printed.system is None or printed.t_end is None:
        return None
    system = printed.system.frictionless()  # the statements are about the rows
    with withheld():
        run = simulate(
            system,
            printed.q,
            printed.v,
            t=printed.t,
            t_end=printed.t_end,
            rtol=RTOL,
            atol=ATOL,
            solver="kkt" if not system.model.unilateral else "osqp",
            control=printed.control,
            progress="none",
        )
    states = [State(run.q[i], run.v[i], float(run.t[i])) for i in evenly(run, ALONG)]
    sample = _sample(printed, world, [system] * len(states), states)
    return replace(sample, drift=len(run) * RTOL, motion=True)


def _at_random_time(system: System, state: State, rng: np.random.Generator) -> State:
    """Return the state at a random later time, again on the constraints; itself where there is none."""
    moved = State(state.q, state.v, state.t + float(rng.uniform(0.0, 1.0)))
    try:
        again = consistent(system, moved.q, moved.v, moved.t)
    except GaussError:
        return state
    return again if np.all(np.isfinite(again.q)) else state


def _drawn(printed: Printed, world: SymbolSet, count: int, seed: int) -> Sample:
    """Return values of the variables of identities, drawn evenly from their ranges."""
    rng = np.random.default_rng(seed)
    values: Values = {world.q[x]: rng.uniform(*limits, count) for x, limits in printed.ranges.items()}
    values |= {world.p[x]: np.full(count, float(y)) for x, y in printed.parameters.items()}
    values |= {world.q[x]: evaluate(f, values, {}) for x, f in world.formulas.items()}
    group = np.arange(count)
    return Sample(values, values, count, group, 100.0 * EPS, "100·eps: identities of numbers of order 1")


def _sample(printed: Printed, world: SymbolSet, systems: Sequence[System], states: Sequence[State]) -> Sample:
    """Return the values at given states, each with its own parameters."""
    rows, undetermined, rng = [], set[int](), np.random.default_rng(1)
    for system, state in zip(systems, states, strict=True):
        u = printed.control(state.t, state.q, state.v) if callable(printed.control) else printed.control
        terms = system.model.terms(state.q, state.v, state.t, system.theta(u))
        condition = _condition(terms.M, terms.J)
        if condition > WORST:
            continue
        try:
            solution = solve(GaussProblem.at(system, state, u), "osqp" if system.model.unilateral else "kkt")
        except SolverError:  # too near a singular position, as where a motion ends in one
            continue
        multipliers, free = _any_multipliers(system, terms.J, np.asarray(solution.multipliers), rng)
        undetermined |= free
        rows.append((system, state, solution.a, multipliers, terms.J, condition))
    if not rows:
        raise InputError(f"{printed.source}: no state whose rows and mass matrix have a condition below {WORST:g}.")
    n, count = len(states[0].q), len(rows)
    parameters = [tuple(system.parameters.values()) for system, *_ in rows]
    order = {given: k for k, given in enumerate(dict.fromkeys(parameters))}
    values: Values = {world.t: np.array([row[1].t for row in rows])}
    for j in range(n):
        values[world.q[j]] = np.array([row[1].q[j] for row in rows])
        values[world.v[j]] = np.array([row[1].v[j] for row in rows])
        values[world.a[j]] = np.array([row[2][j] for row in rows])
    for k in range(len(world.l)):
        values[world.l[k]] = np.array([row[3][k] for row in rows])
        values |= {world.rows[k][j]: np.array([row[4][k, j] for row in rows]) for j in range(n)}
    for k, name in enumerate(world.varied):
        values[world.p[name]] = np.array([given[k] for given in parameters])
    values |= {world.p[x]: np.full(count, float(y)) for x, y in printed.parameters.items() if x not in world.varied}
    loss = add_quantities(world, values, count)
    group = np.array([order[given] for given in parameters])
    conditions = np.array([row[5] for row in rows]) * loss
    keep = loss <= max(LOSS, float(np.min(loss)))
    values = {symbol: np.asarray(entry)[keep] for symbol, entry in values.items()}
    largest, count = float(np.max(conditions[keep])), int(np.count_nonzero(keep))
    bound, reason = 100.0 * EPS * largest, f"100·eps times {largest:.2g}, the worst condition of M, rows and quantities"
    sizes, unknown = _sizes(world, values, count), frozenset(world.l[k] for k in undetermined)
    return Sample(values, sizes, count, group[keep], bound, reason, undetermined=unknown)


def _any_multipliers(system: System, J: Array, found: Array, rng: np.random.Generator) -> tuple[Array, set[int]]:
    """Return multipliers (m,), at random among those that serve as well as the found ones, and which are not unique.

    Equality rows that depend on one another leave theirs open; what is true of them is true of any choice.
    """
    equality = list(system.model.equality)
    if not equality:
        return found, set()
    length = lengths_of(J[equality])
    U, sigma, _ = np.linalg.svd(J[equality] / length[:, None])
    rank = int(np.sum(sigma > DEPENDENT * np.max(sigma, initial=0.0)))
    free = U[:, rank:] / length[:, None]
    if not free.shape[1]:
        return found, set()
    multipliers = np.array(found)
    multipliers[equality] += free @ rng.normal(scale=1.0 + float(np.max(np.abs(found))), size=free.shape[1])
    moved = np.max(np.abs(U[:, rank:]), axis=1) > DEPENDENT
    return multipliers, {k for k, moves in zip(equality, moved, strict=True) if moves}


def _condition(M: Array, J: Array) -> float:
    """Return the condition of the matrix of M a − Jᵀλ = f, J a = γ with rows and columns of equal size.

    Singular values below `DEPENDENT` of the largest belong to redundant rows and do not count.
    """
    m = len(J)
    K = np.block([[M, -J.T], [J, np.zeros((m, m))]])
    for _ in range(4):
        size = np.sqrt(np.maximum(np.max(np.abs(K), axis=1), 1e-300))
        K = K / size[:, None] / size[None, :]
    sigma = np.linalg.svd(K, compute_uv=False)
    return float(sigma[0] / np.min(sigma[sigma > DEPENDENT * sigma[0]]))


def add_quantities(world: SymbolSet, values: Values, count: int) -> Array:
    """Add quantities, their rates and second rates to the values of the coordinates.

    Returns by how much rounding grows in them at each state (N,): Σ|terms| of a rate over its size, at least 1.
    """
    memo: dict[sp.Expr, Array] = {}
    loss = np.ones(count)
    for name, formula in world.formulas.items():
        first = world.rate(formula)
        wanted = [(world.q[name], formula), (world.v[name], first)]
        if name in world.second:
            wanted.append((world.a[name], world.rate(first)))
        found = [(symbol, table([expression], values, count, memo)[0]) for symbol, expression in wanted]
        for (_, expression), (_, value) in zip(wanted, found, strict=True):
            terms = np.sum(np.abs(table(sp.Add.make_args(expression), values, count, memo)), axis=0)
            if not np.any(np.isfinite(value)):
                raise InputError(f"quantity {name!r}, or its rate, is not finite at any of {count} states.")
            size = np.maximum(np.abs(value), np.nanmedian(terms) / USUAL)
            loss = np.maximum(loss, np.where(size > 0.0, terms / np.where(size > 0.0, size, 1.0), 1.0))
        values |= dict(found)
    return np.where(np.isfinite(loss), loss, np.inf)


def _sizes(world: SymbolSet, values: Values, count: int) -> Values:
    """Return the values with rates, second rates and multipliers replaced by the largest of their kind at the state."""
    sizes = dict(values)
    for kind in (list(world.v), [world.a[x] for x in world.second], list(world.l)):
        if kind:
            largest = np.max(np.abs([values[symbol] for symbol in kind]), axis=0)
            sizes |= dict.fromkeys(kind, largest)
    return sizes
