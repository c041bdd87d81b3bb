"""Taylor steps: the compiled acceleration, walked instruction by instruction into heyoka's expressions.

heyoka differentiates these to order 20 and compiles the recurrences by LLVM (F. Biscani, D. Izzo, *Revisiting
high-order Taylor methods for astrodynamics and celestial mechanics*, MNRAS 504, 2021). Its own steps leave an error of
rounding: a constant share of the radius of convergence. Larger tolerances take a larger share here, so that there are
fewer states to project and to certify. Nothing is judged here but the size of the last terms: states come back with it
as they are, off the constraints by what the steps have left, and `Landings` projects them and takes their records.
"""

from __future__ import annotations

import copy
import importlib.util
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

import casadi as ca
import numpy as np

from gauss.errors import InputError
from gauss.foundation.arrays import Array
from gauss.foundation.tolerances import EPS
from gauss.model.compiled.buffer import Mapped
from gauss.model.compiled.steps.fused import FusedStep
from gauss.numerics.step_size import LAST

if TYPE_CHECKING:
    from gauss.model.compiled.trace import Trace

UNROLLED = 40  # instructions of an acceleration up to which its recurrences are written out without loops
INSIDE = (np.arange(8) + 0.5) / 8  # shares of a step at which its series is compared with the acceleration
FALLING = np.exp(-2.0)  # of one term to the next at the end of a step of heyoka, which is shorter by 0.7/(p − 1)


@cache
def library() -> Any:
    """Return the package heyoka. Raises InputError where it is not installed."""
    try:
        import heyoka  # late: it is optional, and takes long to import
    except ImportError:
        raise InputError("method 'taylor' needs the package heyoka: pip install 'gauss-dynamics[taylor]'.") from None
    return heyoka


def available() -> bool:
    """Return whether heyoka is installed, without loading it."""
    return importlib.util.find_spec("heyoka") is not None


def _named(name: str) -> Callable[..., Any]:
    """Return what applies heyoka's function of this name."""
    return lambda *given: getattr(library(), name)(*given)


_CIRCULAR = [f"{a}{name}{h}" for a in ("", "a") for name in ("sin", "cos", "tan") for h in ("", "h")]
_SAME_NAME = ("sqrt", "exp", "log", "erf", "atan2", *_CIRCULAR)
OPERATIONS: dict[int, Callable[..., Any]] = {
    ca.OP_ASSIGN: lambda x: x,
    ca.OP_LIFT: lambda x, _: x,
    ca.OP_ADD: lambda x, y: x + y,
    ca.OP_SUB: lambda x, y: x - y,
    ca.OP_MUL: lambda x, y: x * y,
    ca.OP_DIV: lambda x, y: x / y,
    ca.OP_NEG: lambda x: -x,
    ca.OP_TWICE: lambda x: 2.0 * x,
    ca.OP_SQ: lambda x: x * x,
    ca.OP_INV: lambda x: 1.0 / x,
    ca.OP_CONSTPOW: lambda x, y: x**y,
    ca.OP_POW: lambda x, y: x**y,
    ca.OP_HYPOT: lambda x, y: _named("sqrt")(x * x + y * y),
    ca.OP_EXPM1: lambda x: 2.0 * _named("exp")(0.5 * x) * _named("sinh")(0.5 * x),  # accurate near 0
    ca.OP_LOG1P: lambda x: 2.0 * _named("atanh")(x / (2.0 + x)),
    **{getattr(ca, f"OP_{name.upper()}"): _named(name) for name in _SAME_NAME},
}
_LEAVES = (ca.OP_INPUT, ca.OP_OUTPUT, ca.OP_CONST)


def walked(function: ca.Function, arguments: list[list[Any]]) -> list[Any]:
    """Return the entries of the first output of a function of `SX`, as expressions of heyoka in those of its inputs.

    Raises InputError for an operation that is not in `OPERATIONS`.
    """
    hy, register, found = library(), dict[int, Any](), dict[int, Any]()
    for k in range(function.n_instructions()):
        code = function.instruction_id(k)
        given, result = function.instruction_input(k), function.instruction_output(k)
        if code == ca.OP_OUTPUT:
            if result[0] == 0:
                found[result[1]] = register[given[0]]
        elif code == ca.OP_INPUT:
            register[result[0]] = arguments[given[0]][given[1]]
        elif code == ca.OP_CONST:
            register[result[0]] = hy.expression(function.instruction_constant(k))
        elif code in OPERATIONS:
            register[result[0]] = OPERATIONS[code](*(register[i] for i in given))
        else:
            raise InputError(f"method 'taylor' has no series of the operation {code} of CasADi.")
    return [found[entry] for entry in range(function.numel_out(0))]


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
    return all(code in OPERATIONS or code in _LEAVES for code in codes)


@dataclass(frozen=True)
class Reach:
    """How far steps may go."""

    end: float  # time, s
    most: float  # length of a step, s
    count: int  # of steps


class Course(NamedTuple):
    """Consecutive Taylor steps."""

    states: Array  # (k, 2n+1) after each step, not projected
    steps: Array  # (k,) s
    free: Array  # (k,) s, as long as the step would have been but for the end
    tails: Array  # (k, 2n) sizes of the last terms of the series at the ends of the steps
    inner: Array  # (k, s, 2n+1) states at the shares `INSIDE` of the steps
    rates: Array  # (k, s, n) at which the series change the velocities there
    terms: Array  # (k, 2n, order + 1) of the series, by powers of the share of the step

    def at(self, times: Array, begun: float) -> Array:
        """Return the states (l, 2n+1), not projected, at times (l,) within the steps, the first of which `begun`."""
        before = np.append(begun, self.states[:-1, 0])
        i = np.clip(np.searchsorted(before, times, side="right") - 1, 0, len(before) - 1)
        powers = ((times - before[i]) / self.steps[i])[:, None] ** np.arange(self.terms.shape[-1])
        return np.column_stack([times, np.sum(self.terms[i] * powers[:, None], axis=-1)])


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
        equations = [(y[i], rate / sizes[i]) for i, rate in enumerate([*x[n:], *a])]
        compact = alone.n_instructions() > UNROLLED
        effort = {"compact_mode": compact, "opt_level": 2 if compact else 3}
        self._first = hy.taylor_adaptive(equations, [0.0] * (2 * n), tol=EPS, **effort)
        self._free = [copy.copy(self._first)]
        self.n, self.order, self.scaled = n, int(self._first.order), scaled

    def __call__(self, x: Array, reach: Reach, tolerance: float, theta: Array, weight: float, sizes: Array) -> Course:
        """Take steps from x (2n+1,), as long as the last terms of the series are below a tolerance, EPS or more.

        It is relative to the largest coordinate or velocity; of scaled ones in the units `sizes` (2n,). Where numbers
        are not finite any more, there are fewer steps.
        """
        try:
            integrator = self._free.pop()
        except IndexError:  # as many calls as ever are under way
            integrator = copy.copy(self._first)
        integrator.pars[:] = np.concatenate([theta, [weight], sizes])[: integrator.pars.size]
        p = self.order
        share = tolerance ** (1.0 / p) / (np.exp(-0.7 / (p - 1)) * FALLING)
        course = self._steps(integrator, x, reach, share, sizes if self.scaled else np.ones(2 * self.n))
        self._free.append(integrator)
        return course

    def _steps(self, integrator: Any, x: Array, reach: Reach, share: float, units: Array) -> Course:
        """Take steps in these units, `share` times as long as those of heyoka, whose series are evaluated there."""
        state, series, step, there = integrator.state, integrator.tc, integrator.step, integrator.update_d_output
        time, states, steps, free, terms = float(x[0]), [x], list[float](), list[float](), list[Array]()
        integrator.time, state[:] = time, x[1:] / units
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
            states.append(np.concatenate([[time], state * units]))
            steps.append(h)
            free.append(wished)
        found = np.array(terms).reshape(-1, *series.shape) * units[:, None]
        return self._course(np.array(states), np.array(steps), np.array(free), found, share)

    def _course(self, states: Array, steps: Array, free: Array, terms: Array, share: float) -> Course:
        """Return the steps with what their series (k, 2n, order + 1) tell, which are powers of the time in s."""
        h, powers = steps[:, None], np.arange(self.order + 1)
        with np.errstate(all="ignore"):
            terms = terms * (h**powers)[:, None, :]
            values = terms @ INSIDE ** powers[:, None]
            rates = (terms[:, self.n :, 1:] * powers[1:]) @ INSIDE ** powers[:-1, None] / h[..., None]
        inner = np.concatenate([(states[:-1, :1] + h * INSIDE)[:, None], values], axis=1).swapaxes(1, 2)
        tails = np.maximum(FALLING * share * np.abs(terms[..., -2]), np.abs(terms[..., -1]))
        return Course(states[1:], steps, free, tails, inner, rates.swapaxes(1, 2), terms)


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
        self._project = Mapped(ca.Function("project", [x, theta, w], [moved]))
        self._record = Mapped(ca.Function("record", [x, theta, w], [ca.vertcat(record, noise)]))
        self._accelerate = Mapped(ca.Function("accelerate", [x, theta, w], [a]))
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
