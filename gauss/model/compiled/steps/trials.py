"""Many steps in one compiled call, with their control or side by side.

A trial step is taken or not by its error, and the next one is longer or shorter by it: the rule of
`gauss.numerics.step_size`, written for symbols. Nothing else is judged here: `gauss.motion.many_steps` does that for
all trials together, afterwards.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import casadi as ca
import numpy as np

from gauss.foundation.arrays import Array, Flags, Indices
from gauss.model.compiled.buffer import Buffered, Mapped
from gauss.model.compiled.steps.fused import FusedStep, StepScalar, misfits, offsets
from gauss.numerics.step_size import AIM, LAST, LEAST, LOST, MOST


class Trials(NamedTuple):
    """Trial steps one after another, as columns."""

    states: Array  # (k, 2n+1) after each trial: where it was not taken, the one before it
    steps: Array  # (k,) s, tried; 0 behind the end
    following: Array  # (k,) s, the step to be tried next
    records: Array  # (k, width) of the states that the trials leave, as `FusedStep` lays them out
    noise: Array  # (k,) see `FusedStep`
    taken: Flags  # (k,)
    shares: Array  # (k, 4) the residuals at the states left and the distances behind, relative to their sizes
    last: Array = np.zeros(0)  # (width,) record of the state behind the last of them, or (0,) where it is not known

    def kept(self, x: Array, count: int) -> tuple[Indices, Array, Array]:
        """Return which of the first `count` trials from a state x were taken (l,), and the states that they join.

        These are (l+1, 2n+1); last (l,) are the longest steps that were tried from each, in s.
        """
        if count and self.taken[:count].all():
            return np.arange(count), np.concatenate([x[None], self.states[:count]]), self.steps[:count]
        taken = np.flatnonzero(self.taken[:count])
        if not taken.size:
            return taken, x[None], np.zeros(0)
        begun = np.zeros(taken.size, dtype=int)  # the first trial from each state
        begun[1:] = taken[:-1] + 1
        return taken, np.concatenate([x[None], self.states[taken]]), np.maximum.reduceat(self.steps[:count], begun)

    def records_of(self, taken: Indices) -> Array:
        """Return the records of trials that were taken, in their order."""
        return self.records[: taken.size] if taken.size and taken[-1] == taken.size - 1 else self.records[taken]

    def part(self, some: slice) -> Trials:
        """Return some of the trials."""
        columns: Any = self[:-1]
        return Trials(*(each[some] for each in columns))


class TrialSteps:
    """`count` trial steps of an embedded pair as one compiled function."""

    def __init__(self, step: FusedStep, count: int):
        self.count, kind = count, ca.SX if step.function.is_a("SXFunction") else ca.MX
        z, end, most = kind.sym("z", 2 * step.n + 2), kind.sym("end"), kind.sym("most")
        held = [kind.sym("held", *step.function.size_in(k)) for k in range(2, step.function.n_in())]
        x, h, left = z[:-1], z[-1], end - z[0]
        h = ca.fmin(h, left)
        last = left - h < LAST * h
        h = ca.fmax(ca.if_else(last, left, h), 0.0)
        following, record, noise = step.function(x, h, *held)
        error = record[record.numel() + int(StepScalar.ERROR)]
        known = ca.fabs(error) < np.inf
        aimed = AIM * ca.if_else(known, error, 1.0) ** (-1 / 8)
        taken = ca.logic_and(error <= 1.0, h > 0.0)
        grown = ca.fmin(h * ca.fmax(ca.fmin(MOST, aimed), LEAST), most)
        after = ca.if_else(taken, grown, h * ca.if_else(known, ca.fmax(LEAST, aimed), LOST))
        time = ca.if_else(last, end, following[0])
        moved = ca.if_else(taken, ca.vertcat(time, following[1:]), x)
        onward = ca.vertcat(moved, ca.if_else(h > 0.0, after, z[-1]))
        n, (zwang, primal, dual, _, _, *off, _) = step.n, ca.vertsplit(record[record.numel() + StepScalar.ZWANG :])
        shares = ca.vertcat(misfits(record[:n], zwang, primal, dual), offsets(moved[1 : n + 1], moved[n + 1 :], *off))
        one = ca.Function("trial", [z, end, most, *held], [onward, record, ca.vertcat(h, noise, taken, shares)])
        self._run = Buffered(_until_end(one).mapaccum("trials", count))

    def __call__(self, x: Array, h: float, end: float, most: float, held: Sequence[Array]) -> Trials:
        """Take trial steps from x (2n+1,), the first of size h (s), none beyond the time `end` nor longer than `most`.

        `held` are the further inputs of a step: theta, the weight, atol (2n,) and rtol.
        """
        many = [np.tile(value, self.count) for value in (np.array(end), np.array(most), *held)]
        onward, records, rest = (y.T.reshape(self.count, -1) for y in self._run(np.append(x, h), *many))
        return Trials(onward[:, :-1], rest[:, 0], onward[:, -1], records, rest[:, 1], rest[:, 2] == 1.0, rest[:, 3:])


def _until_end(trial: ca.Function) -> ca.Function:
    """Return a trial step that costs nothing behind the end of the run."""
    inputs = [ca.MX.sym(f"i{k}", *trial.size_in(k)) for k in range(trial.n_in())]
    nothing = [ca.MX.zeros(*trial.size_out(k)) for k in range(1, trial.n_out())]
    idle = ca.Function("idle", inputs, [inputs[0], *nothing])
    either = ca.Function.if_else("either", trial, idle)
    return ca.Function("trial", inputs, either(inputs[0][0] < inputs[1], *inputs))


class Own(NamedTuple):
    """What each of several motions has of its own, or what all states of one have in common, in front of them."""

    theta: Array  # (…, p) parameters and constant controls
    atol: Array  # (…, 2n) absolute tolerances of its steps

    def of(self, motion: Indices | slice) -> Own:
        """Return those of some motions, or of states by the motions (k,) they belong to."""
        return Own(self.theta[motion], self.atol[motion])


class Steps:
    """Steps from many states, each of its own length, in few compiled calls."""

    def __init__(self, step: FusedStep):
        self._at = Mapped(step.function)

    def __call__(self, states: Array, h: Array, own: Own, weight: float, rtol: float) -> tuple[Array, Array, Array]:
        """Return the states (N, 2n+1) after steps h (N,) from N states, the records of these, and the noise (N,)."""
        numbers = np.array(weight), np.array(rtol)
        if own.theta.ndim == 1:
            found = self._at([states, h], [own.theta, numbers[0], own.atol, numbers[1]])
        else:
            w, r = (np.broadcast_to(x, len(h)) for x in numbers)
            found = self._at([states, h, own.theta, w, own.atol, r])
        following, records, noise = found
        return following, records, noise[:, 0]
