"""Coming to rest at a singular position: the motion may go on from there in more than one way.

A motion that starts at rest on a branch of a singular position returns to such a position, as a pendulum to its turning
point, and so does one that is just fast enough to reach it. Near it the rows say too little about the acceleration, and
a step across it would go on along the branch that it came by. So the rest is foreseen, located by a window, which needs
accelerations only away from it, and the state there is analysed.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from gauss.dynamics import judged
from gauss.errors import GaussError
from gauss.foundation.arrays import Array, Flags, length, magnitudes, norms
from gauss.foundation.zero import CLEAR, UNIT
from gauss.model import System
from gauss.model.compiled.steps.looks import Sizes
from gauss.model.state import State
from gauss.motion.singular.collocation import COUNT, KEEP_OFF, Window, gauss_nodes
from gauss.motion.singular.crossing import windows_across
from gauss.motion.singular.deflation import located
from gauss.motion.singular.look_ahead import Path
from gauss.motion.singular.spectrum import state_of
from gauss.motion.steps.steppers import Setting, Stepper
from gauss.principle import GaussProblem
from gauss.principle.metric import SEMIDEFINITE, cholesky_blocks
from gauss.uniqueness import Verdict
from gauss.uniqueness.rows.frame import frame_of

AHEAD = 0.2  # times √(|q|/|a|): rests expected sooner than this are looked at
ACROSS = 0.1  # share of the velocity that may be across the acceleration, at most
SINGULAR = 0.1  # singular values of the rows that vanish at the rest drop below this share of their value now
APART = 3.0  # times that share: values that keep more, in a metric and scales that do not change, need no closer look
ENTRIES = 1_000_000  # of the mass matrices of states that are looked at together
RESTS = 1e-6  # share of the speed in the window that counts as none
SURE = 10.0  # times the tolerance of a step: a singular position nearer than that to a rest may be where it rests
LOOKS = 101  # shares of a window at which the speed is taken, first


@dataclass(frozen=True)
class Rest:
    """A state of rest from which more than one motion goes on."""

    window: Window  # that leads there
    share: float  # of the window, at which it is
    state: State
    verdict: Verdict
    off: float  # how far the motion is from this position there, relative to its size

    @property
    def sentence(self) -> str:
        """Where the motion comes to rest, in words."""
        if self.off <= CLEAR * UNIT:
            return "the motion comes to rest at a singular position"
        return (
            f"the motion comes to rest so near to a singular position ({self.off:.2g} of its size) that its tolerance"
            " does not tell whether it rests there, passes or turns back before"
        )


def rest_ahead(stepper: Stepper, x: Array, h: float, u: Array) -> Rest | None:
    """Return the rest at a branching position to which the motion comes within a step h or so, or None."""
    n, a = stepper.setting.system.n, stepper.accelerate(x)[0]
    q, v = x[1 : n + 1], x[n + 1 :]
    time = float(_expected(Sizes(*np.array([length(q), length(v), length(a), v @ a, h])), h))
    if np.isnan(time) or not _singular_at(stepper, x, time):
        return None
    window = next(windows_across(stepper, x, time, max(h, 2.0 * time), stepper.setting.rtol), None)
    return None if window is None else rest_in(window, stepper.setting, u)


def rest_in(window: Window, setting: Setting, u: Array) -> Rest | None:
    """Return the rest at a branching position inside a window, or None; u are the controls."""
    system = setting.system
    share = _slowest(window, system.n)
    if share is None:
        return None
    x = window.state(share)
    metric = GaussProblem.at(system, state_of(x, system.n)).metric
    ends = [window.state(end)[1 : system.n + 1] for end in (0.0, 1.0)]
    length = max(metric.norm(q) for q in ends)
    rest = State(x[1 : system.n + 1], np.zeros(system.n), float(x[0]))
    state = located(system, rest, u, length, SURE * setting.rtol * length)
    try:
        verdict = judged(system, state, u, length=length)
    except GaussError:
        return None
    window = replace(window, singular=share)
    size = float(np.max(np.abs(ends)))
    off = float(np.max(np.abs(state.q - rest.q))) / size if size > 0.0 else 0.0
    several = verdict.accelerations.several or verdict.motion_unique is False
    return Rest(window, share, state, verdict, off) if several else None


def resting(x: Array, t_end: float) -> Window:
    """Return a window in which a state of rest stays as it is; no part of it is away from the singular position."""
    n, share = x.size // 2, KEEP_OFF / 2.0
    nodes = share * gauss_nodes(COUNT)
    return Window(x, (t_end - float(x[0])) / share, nodes, np.zeros((COUNT, n)), 0.0, share)


def _expected(sizes: Sizes, h: Any) -> Array:
    """Return the times (k,) until the motion rests, as far as its accelerations at k states show.

    nan where it does not within a step h (k,) or so.
    """
    position, speed, push, onward, _ = sizes
    time, soon = -onward / push**2, np.maximum(h, AHEAD * np.sqrt(position / push))
    straight = -onward >= np.sqrt(1.0 - ACROSS**2) * speed * push
    return np.where((push < np.inf) & (onward < 0.0) & (time < soon) & straight, time, np.nan)


def _singular_at(stepper: Stepper, x: Array, time: float) -> bool:
    """Whether the rows lose rank at the place where the motion is expected to rest."""
    system, n = stepper.setting.system, stepper.setting.system.n
    q, v, t = x[1 : n + 1], x[n + 1 :], float(x[0])
    if _keep_rank(stepper.setting, x[None], np.array([time]), system.theta()[None])[0]:
        return False
    states = [State(q, np.zeros(n), t), State(q + v * time / 2.0, np.zeros(n), t + time)]
    here, there = (_spectrum(system, state) for state in states)
    kept = here > RESTS * np.max(here, initial=0.0)
    return bool(np.any(there[kept] < SINGULAR * here[kept]))


def _keep_rank(setting: Setting, states: Array, times: Array, theta: Array) -> Flags:
    """Return at which states (k, 2n+1) no singular value of the rows comes near that share until they rest.

    That is after `times` (k,), with parameters and controls theta (k, p); rows are scaled as they are at the state.
    """
    model, k, n = setting.system.model, len(states), setting.system.n
    rows, t, q, v = list(model.equality), states[:, 0], states[:, 1 : n + 1], states[:, n + 1 :]
    known = model.pieces.independence(0)
    if known is not None:
        pivot, both = (known.approach.walked if setting.series else known.approach)([q, v, t, theta, times])
        return (pivot[:, 0] >= SEMIDEFINITE * n) & _kept(both.T.reshape(2, n, len(rows), k).transpose(3, 0, 1, 2))
    if k > 1 and k * n * n > ENTRIES:
        some = np.array_split(np.arange(k), k)
        return np.concatenate([_keep_rank(setting, states[i], times[i], theta[i]) for i in some])
    places, instants = np.concatenate([q, q + v * times[:, None] / 2.0]), np.concatenate([t, t + times])
    given = places, np.zeros((2 * k, n)), instants, np.concatenate([theta, theta])
    M, J = model.batch(*given)
    L = cholesky_blocks(M[:k])
    if L is None:
        return np.zeros(k, dtype=bool)
    both = J[:, rows].reshape(2, k, -1, n).transpose(1, 0, 3, 2)
    return _kept(np.asarray(np.linalg.solve(L[:, None], both), dtype=float))


def _kept(whitened: Array) -> Flags:
    """Return which rows (k, 2, n, m), now and at a rest and in one metric, keep that share of their singular values."""
    if whitened.shape[-1] == 1:
        here, there = magnitudes(whitened[..., 0]).T
        return np.asarray(np.isfinite(there / here) & (there >= APART * SINGULAR * here))
    unit = whitened / norms(whitened[:, :1], 2)[:, :, None]
    known = np.all(np.isfinite(unit), axis=(1, 2, 3))
    sigma = np.linalg.svd(np.where(known[:, None, None, None], unit, 0.0), compute_uv=False)
    return np.asarray(known & np.all(sigma[:, 1] >= APART * SINGULAR * sigma[:, 0], axis=1))


def may_rest(stepper: Stepper, path: Path, sizes: Sizes, slowing: Flags) -> Flags:
    """Return from which states of a path `rest_ahead` may find a rest: the others have none, at little cost.

    `sizes` are those there, `slowing` (k,) says where the motion has become slower.
    """
    times = _expected(sizes, path.tried)
    found = np.asarray(slowing & ~np.isnan(times))
    if found.any():
        found[found] = ~_keep_rank(stepper.setting, path.states[found], times[found], path.theta[found])
    return found


def _spectrum(system: System, state: State) -> Array:
    """Return the singular values of the equality rows at a state, scaled as their analysis does."""
    return frame_of(system, state, GaussProblem.at(system, state, None, []), system.model.equality).sigma


def _slowest(window: Window, n: int) -> float | None:
    """Return the share of a window at which its motion rests, or None where it does not."""

    def speed(share: float) -> float:
        return float(np.linalg.norm(window.state(share)[n + 1 :]))

    shares = np.linspace(0.0, 1.0, LOOKS)
    speeds = np.array([speed(s) for s in shares])
    k = int(np.argmin(speeds))
    if k in (0, LOOKS - 1):
        return None
    best = float(shares[k])
    for _ in range(5):  # v is smooth: Newton on |v|², whose slope is 2 v·a
        v, a = window.state(best)[n + 1 :], window.acceleration(best)
        best = float(np.clip(best - (v @ a) / (a @ a) / window.h, shares[k - 1], shares[k + 1]))
    return best if speed(best) <= RESTS * float(np.max(speeds)) else None
