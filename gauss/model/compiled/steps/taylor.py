"""Taylor steps: the compiled acceleration, walked instruction by instruction into heyoka's expressions.

heyoka differentiates these to order 20 and compiles the recurrences by LLVM (F. Biscani, D. Izzo, *Revisiting
high-order Taylor methods for astrodynamics and celestial mechanics*, MNRAS 504, 2021). Its own steps leave an error of
rounding: a constant share of the radius of convergence. Larger tolerances take a larger share here, so that there are
fewer states to project and to certify. Nothing is judged here but the size of the last terms: states come back with it
as they are, off the constraints by what the steps have left, and `Landings` projects them and takes their records.
"""

from __future__ import annotations

import copy
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import casadi as ca
import numpy as np

from gauss.foundation.arrays import Array, Flags, Indices
from gauss.foundation.tolerances import EPS
from gauss.model.compiled.buffer import Mapped
from gauss.model.compiled.steps.fused import FusedStep
from gauss.model.compiled.walked import LEAVES, OPERATIONS, library, walked
from gauss.numerics.step_size import LAST

if TYPE_CHECKING:
    from gauss.model.compiled.trace import Trace

UNROLLED = 40  # instructions of an acceleration up to which its recurrences are written out without loops
LANES = 4  # times what the processor multiplies at once, that so many motions go side by side
INSIDE = (np.arange(8) + 0.5) / 8  # shares of a step at which its series is compared with the acceleration
FALLING = np.exp(-2.0)  # of one term to the next at the end of a step of heyoka, which is shorter by 0.7/(p − 1)


def not_analytic(trace: Trace, arguments: list[ca.SX]) -> str:
    """Return where a model has an operation that has no Taylor series everywhere, or an empty string."""
    rows = [ca.horzcat(trace.J[i, :], trace.gamma[i]) for i in range(len(trace.names))]
    if all(_analytic(ca.Function("scan", arguments, [entry])) for entry in (trace.M, trace.f, *rows)):
        return ""
    forces = [f"the force of coordinate {symbol}" for symbol in trace.symbols.named["q"]]
    named = dict(zip(forces, ca.vertsplit(trace.f), strict=True))
    named |= {f"the constraint {name!r}": row for name, row in zip(trace.names, rows, strict=True)}
    named |= {"the mass matrix": trace.M}
    return next(name for name, entry in named.items() if not _analytic(ca.Function("scan", arguments, [entry])))


def _analytic(function: ca.Function) -> bool:
    codes = {function.instruction_id(k) for k in range(function.n_instructions())}
    return all(code in OPERATIONS or code in LEAVES for code in codes)


@dataclass(frozen=True)
class Reach:
    """How far steps may go."""

    end: float  # time, s
    most: float  # length of a step, s
    count: int  # of steps


class Course(NamedTuple):
    """Consecutive Taylor steps of a motion, or of several motions one after another."""

    states: Array  # (k, 2n+1) after each step, not projected
    steps: Array  # (k,) s
    free: Array  # (k,) s, as long as the step would have been but for the end
    tails: Array  # (k, 2n) sizes of the last terms of the series at the ends of the steps
    inner: Array  # (k, s, 2n+1) states at the shares `INSIDE` of the steps
    rates: Array  # (k, s, n) at which the series change the velocities there
    terms: Array  # (k, 2n, order + 1) of the series, by powers of the share of the step
    counts: Indices  # (l,) steps of each motion

    def at(self, step: Indices, times: Array) -> Array:
        """Return the states (l, 2n+1), not projected, at times (l,) in some of the steps."""
        begun = self.states[step, 0] - self.steps[step]
        powers = ((times - begun) / self.steps[step])[:, None] ** np.arange(self.terms.shape[-1])
        return np.column_stack([times, np.sum(self.terms[step] * powers[:, None], axis=-1)])


class TaylorSteps:
    """heyoka's integrator of a compiled step, for accelerations on its rows; any thread may call."""

    def __init__(self, step: FusedStep, scaled: bool):
        hy, n, pieces = library(), step.n, step.pieces
        acceleration = pieces.acceleration
        alone = acceleration.slice("alone", range(acceleration.n_in()), [0])
        y = hy.make_vars(*(f"y{i}" for i in range(2 * n)))
        sizes = [hy.par[pieces.constants + 1 + i] if scaled else hy.expression(1.0) for i in range(2 * n)]
        x = [size * each for size, each in zip(sizes, y, strict=True)]
        theta = [hy.par[i] for i in range(pieces.constants)]
        a = walked(alone, [x[:n], x[n:], [hy.time], theta, [hy.par[pieces.constants]]])
        self._equations = [(y[i], rate / sizes[i]) for i, rate in enumerate([*x[n:], *a])]
        compact = alone.n_instructions() > UNROLLED
        self._effort = {"compact_mode": compact, "opt_level": 2 if compact else 3, "tol": EPS}
        self.n, self.scaled = n, scaled
        self._made: dict[int, tuple[Any, list[Any]]] = {}

    def _integrators(self, lanes: int) -> tuple[Any, list[Any]]:
        """Return the integrator of so many motions side by side, to be copied, and copies that nobody is using."""
        if lanes not in self._made:
            make = library().taylor_adaptive if lanes == 1 else library().taylor_adaptive_batch
            start = np.zeros(2 * self.n if lanes == 1 else (2 * self.n, lanes))
            self._made[lanes] = make(self._equations, start, **self._effort), []
        return self._made[lanes]

    def _taken(self, lanes: int) -> Any:
        """Return an integrator for the caller alone, who lays it back."""
        first, free = self._integrators(lanes)
        try:
            return free.pop()
        except IndexError:  # as many calls as ever are under way
            return copy.copy(first)

    def __call__(self, x: Array, reach: Reach, tolerance: float, theta: Array, weight: float, sizes: Array) -> Course:
        """Take steps from x (2n+1,), as long as the last terms of the series are below a tolerance, EPS or more.

        It is relative to the largest coordinate or velocity; of scaled ones in the units `sizes` (2n,). Where numbers
        are not finite any more, there are fewer steps.
        """
        integrator = self._taken(1)
        integrator.pars[:] = np.concatenate([theta, [weight], sizes])[: integrator.pars.size]
        share = _share_of(tolerance, integrator.order)
        units = sizes if self.scaled else np.ones(2 * self.n)
        state, series, step, there = integrator.state, integrator.tc, integrator.step, integrator.update_d_output
        time, steps, free, terms = float(x[0]), list[float](), list[float](), list[Array]()
        integrator.time, state[:] = time, x[1:] / units
        times, states = [time], [state.copy()]
        while len(steps) < reach.count and time < reach.end:
            left = reach.end - time
            _, own = step(max_delta_t=left, write_tc=True)
            wished = min(share * own if own < left else left, reach.most)
            h = left if left - wished < LAST * left else wished
            if not h > 0.0:
                break
            time = reach.end if h == left else time + h
            terms.append(series.copy())
            state[:] = there(time)
            integrator.time = time
            times.append(time)
            states.append(state.copy())
            steps.append(h)
            free.append(wished)
        self._made[1][1].append(integrator)
        found = np.array(terms).reshape(-1, *series.shape) * units[:, None]
        passed = np.column_stack([times, np.array(states) * units])
        passed[0] = x
        return _course(passed[:-1], passed[1:], np.array(steps), np.array(free), found, share, [len(steps)])

    def many(self, x: Array, reach: Reach, tolerance: Array, theta: Array, weight: float, sizes: Array) -> Course:
        """Take those steps from N states (N, 2n+1), tolerances (N,), theta (N, p) and `sizes` (N, 2n) being theirs.

        Some times as many motions as the processor multiplies at once go side by side; where one has come to its end,
        the next takes its lane.
        """
        lanes, count = LANES * int(library().recommended_simd_size()), len(x)
        integrator = self._taken(lanes)
        units = sizes if self.scaled else np.ones_like(sizes)
        given = np.column_stack([theta, np.full(count, weight), sizes])[:, : len(integrator.pars)]
        found = _Lanes(integrator, reach, _share_of(tolerance, integrator.order), lanes)
        found.follow(x[:, 0], x[:, 1:] / units, given)
        self._made[lanes][1].append(integrator)
        start, before, time, after, wished, terms, motion = found.steps
        scale, h = units[motion], time - start
        return _course(
            np.column_stack([start, before * scale]),
            np.column_stack([time, after * scale]),
            h,
            wished,
            terms * scale[..., None],
            found.share[motion],
            np.bincount(motion, minlength=count),
        )


class _Lanes:
    """Taylor steps of motions side by side, as many at once as an integrator has lanes."""

    def __init__(self, integrator: Any, reach: Reach, share: Array, lanes: int):
        self.integrator, self.reach, self.share = integrator, reach, share
        self.lane = np.zeros(lanes, dtype=int)  # whose motion each lane is at
        self._seen: list[tuple[Any, ...]] = []  # start, state, end, state, wished length, motion, use and terms

    def follow(self, time: Array, states: Array, pars: Array) -> None:
        """Take steps of motions from N times and states (N, 2n), in their units, with parameters (N, p)."""
        now, fresh, lane = np.zeros(len(self.lane)), list(range(len(self.lane))), self.lane
        integrator, end, waiting = self.integrator, self.reach.end, iter(range(len(time)))
        state, taken = integrator.state, np.zeros(len(lane), dtype=int)
        while True:
            for k in fresh:
                i = next(waiting, None)
                if i is None:  # a lane that has nothing to do stays where it is
                    now[k] = end
                else:
                    lane[k], now[k], taken[k] = i, time[i], 0
                    state[:, k], integrator.pars[:, k] = states[i], pars[i]
            if np.all(now >= end):
                break
            now, used = self._step(now)
            taken += used
            over = ~used | (taken >= self.reach.count) | (now >= end)
            now = np.where(over, end, now)
            fresh = np.flatnonzero(over).tolist()

    def _step(self, start: Array) -> tuple[Array, Flags]:
        """Take one step in each lane from these times (s); return where it leads to, and whether it is one."""
        integrator, end = self.integrator, self.reach.end
        state, left, before = integrator.state, end - start, integrator.state.T.copy()
        integrator.set_time(start)
        integrator.step(left, write_tc=True)
        own = np.array([h for _, h in integrator.step_res])
        wished = np.minimum(np.where(own < left, self.share[self.lane] * own, left), self.reach.most)
        h = np.where(left - wished < LAST * left, left, wished)
        used = h > 0.0
        time = np.where(used, np.where(h == left, end, start + h), start)
        integrator.update_d_output(time)
        state[:] = integrator.d_output
        self._seen.append((start, before, time, state.T.copy(), wished, self.lane.copy(), used, integrator.tc.copy()))
        return time, used

    @property
    def steps(self) -> list[Array]:
        """What is known of all steps, motion by motion: where they begin and end, their length but for the end, series.

        Times are (k,), states (k, 2n), terms (k, 2n, order + 1); last is whose they are (k,).
        """
        *columns, series = zip(*self._seen, strict=True)
        *arrays, motion, used = (np.concatenate(each) for each in columns)
        order = np.flatnonzero(used)
        order = order[np.argsort(motion[order], kind="stable")]
        step, lane = np.divmod(order, len(self.lane))
        return [*(each[order] for each in arrays), np.array(series)[step, :, :, lane], motion[order]]


def _share_of(tolerance: Any, order: int) -> Any:
    """Return how many times longer than heyoka's steps are, whose series have this order, those to a tolerance."""
    return tolerance ** (1.0 / order) / (np.exp(-0.7 / (order - 1)) * FALLING)


def _course(left: Array, reached: Array, steps: Array, free: Array, terms: Array, share: float, counts: Any) -> Course:
    """Return the steps with what their series (k, 2n, order + 1) tell, which are powers of the time in s."""
    n, h, powers = left.shape[-1] // 2, steps[:, None], np.arange(terms.shape[-1])
    with np.errstate(all="ignore"):
        terms = terms * (h**powers)[:, None, :]
        values = terms @ INSIDE ** powers[:, None]
        rates = (terms[:, n:, 1:] * powers[1:]) @ INSIDE ** powers[:-1, None] / h[..., None]
    inner = np.concatenate([(left[:, :1] + h * INSIDE)[:, None], values], axis=1).swapaxes(1, 2)
    falling = np.reshape(FALLING * share, (-1, 1))
    tails = np.maximum(falling * np.abs(terms[..., -2]), np.abs(terms[..., -1]))
    return Course(reached, steps, free, tails, inner, rates.swapaxes(1, 2), terms, np.asarray(counts))


class Landings:
    """States projected onto the constraints, and the records of states, many in one compiled call."""

    def __init__(self, step: FusedStep):
        pieces, n, kind = step.pieces, step.n, step.pieces.kind
        x, theta, w = kind.sym("x", 2 * n + 1), kind.sym("theta", pieces.constants), kind.sym("w")
        t, q, v = x[0], x[1 : n + 1], x[n + 1 :]
        placed, off_position = pieces.place(q, v, t, theta, w)
        slowed, off_velocity = pieces.slow(placed, v, t, theta, w)
        a, multipliers, pivot, smallest, row_pivot = pieces.acceleration(q, v, t, theta, w)
        zwang, primal, dual, noise = pieces.certificate(q, v, t, theta, w, a, multipliers)
        record = ca.vertcat(a, multipliers, row_pivot, zwang, primal, dual, pivot, smallest)
        moved = ca.vertcat(t, placed, slowed, off_position, off_velocity)
        self._project = Mapped(ca.Function("project", [x, theta, w], [moved])).walked
        self._record = Mapped(ca.Function("record", [x, theta, w], [ca.vertcat(record, noise)])).walked
        self._accelerate = Mapped(ca.Function("accelerate", [x, theta, w], [a])).walked
        self._n = n

    def projected(self, states: Array, theta: Array, weight: float) -> tuple[Array, Array]:
        """Return states (k, 2n+1) projected, and how far they are off positions and velocities then (k, 2).

        `theta` (k, p) are parameters and constant controls.
        """
        (found,) = self._project([states, theta], [weight])
        return found[:, :-2], found[:, -2:]

    def records(self, states: Array, theta: Array, weight: float) -> tuple[Array, Array]:
        """Return the records of states (k, 2n+1) up to the distances off the constraints, and the noise (k, n)."""
        (found,) = self._record([states, theta], [weight])
        return found[:, : -self._n], np.abs(found[:, -self._n :])

    def accelerations(self, states: Array, theta: Array, weight: float) -> Array:
        """Return the accelerations (k, n) at states (k, 2n+1)."""
        return self._accelerate([states, theta], [weight])[0]
