"""Taylor steps: the compiled acceleration, walked instruction by instruction into heyoka's expressions.

heyoka differentiates these to order 20 and compiles the recurrences by LLVM (F. Biscani, D. Izzo, *Revisiting
high-order Taylor methods for astrodynamics and celestial mechanics*, MNRAS 504, 2021). Its own steps leave an error of
rounding: a constant share of the radius of convergence. Larger tolerances take a larger share here, so that there are
fewer states to project and to certify: heyoka compares the last terms with the largest number of its state, and so the
state has a further number, the yardstick, which stays as it is. Nothing is judged here but the size of the last terms:
states come back with it as they are, off the constraints by what the steps have left, and `Landings` projects them and
takes their records.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

import casadi as ca
import numpy as np

from gauss.foundation.arrays import Array, Flags, Indices
from gauss.foundation.tolerances import EPS
from gauss.model.compiled.buffer import Mapped
from gauss.model.compiled.steps.fused import FusedStep, misfits, offsets
from gauss.model.compiled.walked import LEAVES, OPERATIONS, library, walked

if TYPE_CHECKING:
    from gauss.model.compiled.trace import Trace

UNROLLED = (80, 400)  # instructions up to which recurrences are written out without loops, and where one is patient
LANES = 4  # times what the processor multiplies at once, that so many motions go side by side
INSIDE = (np.arange(8) + 0.5) / 8  # shares of a step at which its series is compared with the acceleration


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
    rests: Array  # (k, 2n) about what the series leave out at the ends of the steps
    inner: Array  # (2n+1, s, k) states at the shares `INSIDE` of the steps
    changes: Array  # (n, s, k) rates at which the series change the velocities there, times the step
    terms: Array  # (k, 2n, order + 1) of the series, by powers of the share of the step
    counts: Indices  # (l,) steps of each motion

    def at(self, step: Indices, times: Array) -> Array:
        """Return the states (l, 2n+1), not projected, at times (l,) in some of the steps."""
        begun = self.states[step, 0] - self.steps[step]
        powers = ((times - begun) / self.steps[step])[:, None] ** np.arange(self.terms.shape[-1])
        return np.column_stack([times, np.sum(self.terms[step] * powers[:, None], axis=-1)])


class TaylorSteps:
    """heyoka's integrator of a compiled step, for accelerations on its rows; any thread may call.

    Recurrences without loops take some 20 ms an instruction to compile, loops a second altogether; their steps take
    up to half as long. A motion alone has them up to `UNROLLED` instructions, the more where it is `patient`.
    """

    def __init__(self, step: FusedStep, scaled: bool, patient: bool = False):
        hy, n, pieces = library(), step.n, step.pieces
        acceleration = pieces.acceleration
        alone = acceleration.slice("alone", range(acceleration.n_in()), [0])
        y = hy.make_vars(*(f"y{i}" for i in range(2 * n)), "yardstick")
        sizes = [hy.par[pieces.constants + 1 + i] if scaled else hy.expression(1.0) for i in range(2 * n)]
        x = [size * each for size, each in zip(sizes, y, strict=False)]
        theta = [hy.par[i] for i in range(pieces.constants)]
        a = walked(alone, [x[:n], x[n:], [hy.time], theta, [hy.par[pieces.constants]]])
        rates = [rate / size for rate, size in zip([*x[n:], *a], sizes, strict=True)]
        self._equations = list(zip(y, [*rates, hy.expression(0.0)], strict=True))
        self._looped = alone.n_instructions() > UNROLLED[patient], alone.n_instructions() > UNROLLED[False]
        self.n, self.scaled = n, scaled
        self._made: dict[int, tuple[Any, list[Any]]] = {}

    def _integrators(self, lanes: int) -> tuple[Any, list[Any]]:
        """Return the integrator of so many motions side by side, to be copied, and copies that nobody is using."""
        if lanes not in self._made:
            make = library().taylor_adaptive if lanes == 1 else library().taylor_adaptive_batch
            start = np.zeros(2 * self.n + 1 if lanes == 1 else (2 * self.n + 1, lanes))
            looped = self._looped[lanes > 1]
            effort = {"compact_mode": looped, "opt_level": 2 if looped else 3, "tol": EPS}
            self._made[lanes] = make(self._equations, start, **effort), []
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

        It is relative to the largest coordinate or velocity of x; of scaled ones in the units `sizes` (2n,). Where
        numbers are not finite any more, there are fewer steps.
        """
        integrator, start = self._taken(1), x[1:] / sizes if self.scaled else x[1:]
        pars, state, series = integrator.pars, integrator.state, integrator.tc
        if pars.size:  # those that the acceleration depends on, and all before them
            pars[:] = np.concatenate([theta, [weight], sizes])[: pars.size]
        times, seen, stored = [float(x[0])], list[bytes](), series.tobytes
        integrator.time, state[:-1], state[-1] = times[0], start, _yardstick(tolerance, integrator.order, start)

        def keep(after: Any) -> bool:
            times.append(after.time)
            seen.append(stored())
            return True

        integrator.propagate_until(
            reach.end, max_steps=reach.count, max_delta_t=reach.most, callback=keep, write_tc=True
        )
        time, terms = np.array(times), np.frombuffer(b"".join(seen)).reshape(-1, *series.shape)[:, :-1]
        reached = np.concatenate([terms[1:, :, 0], state[None, :-1]])[: len(seen)]
        self._made[1][1].append(integrator)
        if self.scaled:
            reached, terms = reached * sizes, terms * sizes[:, None]
        return _course(time[:-1], time[1:], reached, terms, tolerance, [len(seen)])

    def many(self, x: Array, reach: Reach, tolerance: Array, theta: Array, weight: float, sizes: Array) -> Course:
        """Take those steps from N states (N, 2n+1), tolerances (N,), theta (N, p) and `sizes` (N, 2n) being theirs.

        Some times as many motions as the processor multiplies at once go side by side; where one has come to its end,
        the next takes its lane.
        """
        lanes, count = LANES * int(library().recommended_simd_size()), len(x)
        integrator = self._taken(lanes)
        units = sizes if self.scaled else np.ones_like(sizes)
        given = np.column_stack([theta, np.full(count, weight), sizes])[:, : len(integrator.pars)]
        starts = x[:, 1:] / units
        lanes_ = _Lanes(integrator, reach, lanes)
        lanes_.follow(x[:, 0], np.column_stack([starts, _yardstick(tolerance, integrator.order, starts)]), given)
        self._made[lanes][1].append(integrator)
        start, time, after, terms, motion = lanes_.steps
        scale, counts = units[motion], np.bincount(motion, minlength=count)
        return _course(start, time, after[:, :-1] * scale, terms[:, :-1] * scale[..., None], tolerance[motion], counts)


class _Lanes:
    """Taylor steps of motions side by side, as many at once as an integrator has lanes."""

    def __init__(self, integrator: Any, reach: Reach, lanes: int):
        self.integrator, self.reach = integrator, reach
        self.lane = np.zeros(lanes, dtype=int)  # whose motion each lane is at
        self._seen: list[tuple[Any, ...]] = []  # start, end, state there, motion, whether it is a step, and terms

    def follow(self, time: Array, states: Array, pars: Array) -> None:
        """Take steps of motions from N times and states (N, 2n+1), in their units, with parameters (N, p)."""
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
        integrator, left = self.integrator, self.reach.end - start
        integrator.set_time(start)
        integrator.step(np.minimum(left, self.reach.most), write_tc=True)
        h = np.array([h for _, h in integrator.step_res])
        used = h > 0.0
        time = np.where(used, np.where(h == left, self.reach.end, start + h), start)
        self._seen.append((start, time, integrator.state.T.copy(), self.lane.copy(), used, integrator.tc.copy()))
        return time, used

    @property
    def steps(self) -> list[Array]:
        """What is known of all steps, motion by motion: where they begin and end, states, series, whose they are.

        Times are (k,), states (k, 2n+1), terms (k, 2n+1, order + 1); last are the motions (k,).
        """
        *columns, series = zip(*self._seen, strict=True)
        *arrays, motion, used = (np.concatenate(each) for each in columns)
        order = np.flatnonzero(used)
        order = order[np.argsort(motion[order], kind="stable")]
        step, lane = np.divmod(order, len(self.lane))
        return [*(each[order] for each in arrays), np.array(series)[step, :, :, lane], motion[order]]


def _falling(tolerance: Any, order: int) -> Any:
    """Return the ratio of one term to the next at the ends of steps to a tolerance, whose series have this order."""
    return tolerance ** (1.0 / order) * math.exp(0.7 / (order - 1))


def _yardstick(tolerance: Any, order: int, states: Array) -> Any:
    """Return the number beside states (…, 2n) that lets steps grow until the last terms come to a tolerance of them.

    heyoka's steps are those to the tolerance exp(−2)^order, but for a factor.
    """
    return _falling(tolerance, order) ** order * math.exp(2.0 * order) * np.maximum(1.0, np.abs(states).max(axis=-1))


@cache
def _inside(order: int) -> tuple[Array, Array]:
    """Return the powers of `INSIDE`, of which values are made (s, order + 1), and those that changes are made of."""
    powers = np.arange(order + 1)
    values = INSIDE[:, None] ** powers
    return values, powers * values / INSIDE[:, None]


def _course(start: Array, time: Array, reached: Array, terms: Array, tolerance: Any, counts: Any) -> Course:
    """Return the steps with what their series (k, 2n, order + 1) tell, which are powers of the time in s.

    The numbers of all steps lie side by side, as NumPy goes through them faster so.
    """
    (k, size, width), h = terms.shape, time - start
    powers, (values, changes) = np.empty((width, k)), _inside(width - 1)
    powers[0], powers[1:] = 1.0, h
    columns = np.multiply(terms.transpose(1, 2, 0), np.multiply.accumulate(powers), order="C")
    inner = np.empty((size + 1, INSIDE.size, k))
    inner[0] = start + h * INSIDE[:, None]
    np.matmul(values, columns, out=inner[1:])
    before, last = np.abs(columns[:, -2:]).transpose(1, 0, 2)
    falling = _falling(tolerance, width - 1)  # the terms that are left out make a geometric series
    rests = np.maximum(falling * before, last) * falling / (1.0 - falling)
    states, rates = np.concatenate([time[None], reached.T]), np.matmul(changes, columns[size // 2 :])
    return Course(states.T, h, rests.T, inner, rates, columns.transpose(2, 0, 1), np.asarray(counts))


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
        off = ca.vertcat(off_position, off_velocity)
        moved = [ca.vertcat(t, placed, slowed), off, offsets(placed, slowed, off_position, off_velocity)]
        records = [record, misfits(a, zwang, primal, dual), ca.fabs(noise)]
        self._project = Mapped(ca.Function("project", [x, theta, w], moved)).walked
        self._record = Mapped(ca.Function("record", [x, theta, w], records)).walked
        self._accelerate = Mapped(ca.Function("accelerate", [x, theta, w], [a])).walked

    def projected(self, states: Array, theta: Array, weight: float) -> Sequence[Array]:
        """Return states (k, 2n+1) projected, and how far they are off positions and velocities then (k, 2).

        Last are these distances relative to the sizes of both (k, 2). `theta` (k, p), or (1, p) for all of them, are
        parameters and constant controls.
        """
        return self._project([states, theta], [weight])

    def records(self, states: Array, theta: Array, weight: float) -> Sequence[Array]:
        """Return the records of states (k, 2n+1) up to the distances off the constraints.

        Further returned are both residuals relative to their size (k, 2), and the noise (k, n).
        """
        return self._record([states, theta], [weight])

    def accelerations(self, states: Array, theta: Array, weight: float) -> Array:
        """Return the accelerations (k, n) at states (k, 2n+1)."""
        return self._accelerate([states, theta], [weight])[0]
