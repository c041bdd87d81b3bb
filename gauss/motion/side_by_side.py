"""Motions of many members side by side, in few compiled calls for all of them.

Members are followed here whose starts are clearly regular and to which nothing happens on the way. Their steps are
those of single runs: each is certified, each state's quadratic program is solved, and what lies ahead is looked for.
Whatever leaves a doubt about a member leaves it to `simulate`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from gauss.errors import GaussError
from gauss.foundation.arrays import Array, Flags, Indices, positive
from gauss.foundation.threads import one_by_one
from gauss.model import System
from gauss.model.compiled import StepScalar
from gauss.model.compiled.steps.taylor import Landings, Reach
from gauss.model.compiled.steps.trials import Own, Trials
from gauss.model.compiled.walked import available
from gauss.model.state import State
from gauss.motion.record.dense_output import reached_at
from gauss.motion.singular.calm import doubts
from gauss.motion.singular.look_ahead import FAR, LookAhead, Path, largest_so_far
from gauss.motion.steps.quadratic import StepSolver
from gauss.motion.steps.setting import Setting, natural_tolerances
from gauss.motion.steps.step_certificate import PIVOT_ALARM, certified, objections
from gauss.motion.steps.steppers import FusedStepper
from gauss.motion.steps.taylor import FEW, TOLERANCES, hindrance, landed, series_of_many, series_pay
from gauss.numerics.runge_kutta import RADAU, TAYLOR, tableau_of, taylor
from gauss.numerics.step_size import first_guess
from gauss.principle.sparse import ENTRIES
from gauss.uniqueness.clear import apart_at_least, clear_at

TRIALS, SMALL = (64, 256), 6  # steps of each member in one round, the more for systems of up to so many coordinates
STALLED = 1e-4  # share of the run that each round must advance the time by
OPTIONS = (
    "method",
    "rtol",
    "atol",
    "max_step",
    "solver",
    "solve_at",
)  # of `simulate`, for members that are followed so
SCALARS = len(StepScalar)  # of a record
SMALLEST = 1e-13  # steps below this share of the largest time of the run are not taken


class Followed(NamedTuple):
    """Some of N members at k times, with what certifies them."""

    some: Indices  # (l,) which members
    states: Array  # (l, k, 2n+1)
    multipliers: Array  # (l, k, m)
    distance: Array  # (l,) of the solver's own accelerations from the certified ones, the largest of each member
    residual: Array  # (l,) of the certificates of its steps and states


class Stretch(NamedTuple):
    """Steps of members, one member after another."""

    member: Indices  # (k,)
    left: Array  # (k, 2n+1) states that the steps leave
    reached: Array  # (k, 2n+1)
    tried: Array  # (k,) s, the longest steps that were tried from there
    records: Array  # (k, width) of the states left, as `FusedStep` lays them out


class Round(NamedTuple):
    """Steps of members in one compiled call for each, or for all."""

    pieces: Stretch
    following: Array  # (N,) s, the steps to be tried next
    good: Flags  # (N,) whether nothing was strange
    there: Callable[[Indices, Array], tuple[Array, Array] | None]  # states, and their records, at times in some steps


@dataclass(frozen=True)
class Group:
    """Members that are followed together."""

    setting: Setting  # but for what each has of its own
    stepper: FusedStepper
    solver: str
    own: Own  # (N, …)
    x: Array  # (N, 2n+1) where they start
    times: Array  # (k,) s, from the start of all to their end
    most: float  # s, their longest step
    solve_at: str  # "steps" or "times": where their programs are solved

    def of(self, some: Indices) -> Group:
        """Return some of the members."""
        return replace(self, own=self.own.of(some), x=self.x[some])

    @property
    def t_end(self) -> float:
        """The end of all, s."""
        return float(self.times[-1])

    @property
    def resolution(self) -> float:
        """The least step, s."""
        return SMALLEST * float(np.max(np.abs(self.times[[0, -1]])))


def follow_together(
    system: System, q: Array, v: Array, theta: Array, times: Array, options: Mapping[str, Any]
) -> Followed | None:
    """Return what becomes of those of N members q, v (N, n), theta (N, p) to which nothing happens until the end.

    `times` (k,) are from the start to the end, `options` those of `simulate`. None where the system is not one, or an
    option none, for which members are followed so; what is wrong is told to each of them by itself.
    """
    if not {*options} <= {*OPTIONS}:
        return None
    with np.errstate(all="ignore"), one_by_one(system.n):
        try:
            found = _group(system, q, v, theta, times, **options)
        except GaussError:
            return None
        return None if found is None else _followed(*found)


def _group(
    system: System,
    q: Array,
    v: Array,
    theta: Array,
    times: Array,
    *,
    method: str = "dop853",
    rtol: float = 1e-10,
    atol: float | None = None,
    max_step: float | None = None,
    solver: str = "osqp",
    solve_at: str = "steps",
) -> tuple[Indices, Group] | None:
    """Return which members are clearly regular at their start, and these; None where there are none."""
    model, tableau, count = system.model, tableau_of(method), len(q)
    happens = bool(system.contacts) or len(model.equality) < model.m or system.black_box_force is not None
    large = system.n * model.m > ENTRIES
    unlike = not tableau.adaptive or tableau.name == RADAU.name or solver not in ("osqp", "kkt")
    if happens or large or unlike or not model.linear_velocity:
        return None
    begin = float(times[0])
    model.pieces.independence(count)  # they are asked for all at once
    starts = zip(q, v, theta, strict=True)
    some = np.flatnonzero([clear_at(system, State(x, y, begin), given) for x, y, given in starts])
    if not some.size:
        return None
    q, v, theta, t = q[some], v[some], theta[some], np.full(some.size, begin)
    natural = natural_tolerances(model.many(q, v, t, theta), q, v, float(times[-1]) - begin)
    own = Own(theta, natural if atol is None else np.full((some.size, 2 * system.n), positive(atol, "atol")))
    setting = Setting(system, tableau, theta[0], 0.0, own.atol[0], positive(rtol, "rtol"), None)
    series = method in (TAYLOR, "auto") and available() and not hindrance(setting, watched=False)
    if not setting.fused or (method == TAYLOR and not series):
        return None
    stepper = FusedStepper(setting, model.equality)
    if method == "auto" and series:
        pays = series_pay(stepper.compiled, setting.rtol, 0)
        stepper.setting = setting = replace(setting, auto=True, tableau=taylor() if pays else tableau)
    most = np.inf if max_step is None else positive(max_step, "max_step")
    return some, Group(setting, stepper, solver, own, np.column_stack([t, q, v]), times, most, solve_at)


def _followed(some: Indices, group: Group) -> Followed | None:
    """Return those of some members that come to their end without a doubt."""
    n, m = group.setting.system.n, len(group.stepper.rows)
    shape, there = (len(group.x), len(group.times)), np.zeros(len(group.x), dtype=bool)
    states, records = np.full((*shape, 2 * n + 1), np.nan), np.full((*shape, n + m + SCALARS), np.nan)
    parts, x, active = list[Stretch](), group.x.copy(), np.arange(len(group.x))
    series = group.setting.series
    h, shorter = np.zeros(len(x)) if series else _first_steps(group), np.zeros(len(x), dtype=int)
    while active.size:
        now = replace(group.of(active), x=x[active])
        found = _by_series(now, shorter[active]) if series else _by_pair(now, h[active])
        step, of, at = _wanted(now, found.pieces)
        tabled = found.there(step, group.times[at])
        if tabled is None:
            return None
        states[active[of], at], records[active[of], at] = tabled
        parts.append(found.pieces._replace(member=active[found.pieces.member]))
        last = np.flatnonzero(np.diff(found.pieces.member, append=-1))  # step of each member
        moved = active[found.pieces.member[last]]
        x[moved], h[active] = found.pieces.reached[last], found.following
        ended = x[active, 0] >= group.t_end - group.resolution
        there[active[ended & found.good]] = True
        few = np.bincount(found.pieces.member, minlength=active.size) <= FEW
        shorter[active] = np.where(few, shorter[active] + 1, 0)
        goes_on = x[active, 0] - now.x[:, 0] > STALLED * (group.t_end - group.times[0])
        goes_on |= few & (shorter[active] < len(TOLERANCES)) & series
        active = active[found.good & ~ended & goes_on]
    member, *arrays = (np.concatenate(each) for each in zip(*parts, strict=True))
    order, kept = np.argsort(member, kind="stable"), np.flatnonzero(there)
    order = order[there[member[order]]]
    pieces = Stretch(np.searchsorted(kept, member[order]), *(each[order] for each in arrays))
    followed = _certified(group.of(kept), pieces, states[kept], records[kept]) if kept.size else None
    return None if followed is None else followed._replace(some=some[kept[followed.some]])


def _first_steps(group: Group) -> Array:
    """Return the steps (N,) that are tried first, in s."""
    n, found = group.setting.system.n, []
    for x, theta, atol in zip(group.x, *group.own, strict=True):
        a, *_ = group.stepper.compiled.accelerate(x[1 : n + 1], x[n + 1 :], x[0], theta, 0.0)
        scale = atol + group.setting.rtol * np.abs(x[1:])
        found.append(first_guess(x[1:], np.concatenate([x[n + 1 :], a]), scale, group.t_end - float(x[0])))
    return np.minimum(found, group.most)


def _by_pair(group: Group, h: Array) -> Round:
    """Take steps of the embedded pair, the first of them h (N,) in s."""
    count = TRIALS[group.setting.system.n <= SMALL]
    reach = Reach(group.t_end, group.most, count)
    members = zip(group.x, h.tolist(), *group.own, strict=True)
    each = [group.stepper.trials(x, size, reach, Own(theta, atol)) for x, size, theta, atol in members]
    trials = Trials(*(np.concatenate(parts) for parts in zip(*each, strict=True)))
    pieces, following, good, _ = _kept(group, trials, np.full(len(group.x), count))
    if group.setting.auto:
        series_pay(group.stepper.compiled, group.setting.rtol, len(pieces.left))

    def there(step: Indices, times: Array) -> tuple[Array, Array] | None:
        states = np.where((times == pieces.reached[step, 0])[:, None], pieces.reached[step], pieces.left[step])
        return reached_at(group.stepper, states, times, group.own.of(pieces.member[step]))

    return Round(pieces, following, good, there)


def _by_series(group: Group, shorter: Indices) -> Round:
    """Take steps by Taylor series of N lengths in `TOLERANCES`."""
    s, compiled = group.setting, group.stepper.compiled
    course = series_of_many(s, compiled, group.x, Reach(group.t_end, group.most, TRIALS[-1]), group.own, shorter)
    pieces, following, good, trial = _kept(group, landed(s, compiled, group.x, course, group.own), course.counts)

    def there(step: Indices, times: Array) -> tuple[Array, Array]:
        landings: Landings = compiled.once("landings", lambda: Landings(compiled))
        theta = group.own.theta[pieces.member[step]]
        states, off, _ = landings.projected(course.at(trial[step], times), theta, s.weight)
        states = np.where((times == pieces.left[step, 0])[:, None], pieces.left[step], states)
        short, *_ = landings.records(states, theta, s.weight)
        return states, np.column_stack([short, off, np.zeros(len(step))])

    return Round(pieces, following, good, there)


def _kept(group: Group, trials: Trials, counts: Indices) -> tuple[Stretch, Array, Flags, Indices]:
    """Return the steps that members keep of their trials, the steps that follow, what is good, and of which trials."""
    strange, error = objections(group.stepper, trials, group.resolution), trials.records[:, StepScalar.ERROR]
    short = (
        ~trials.taken & (error > 1.0) & (trials.records[:, StepScalar.PIVOT] > PIVOT_ALARM)
    )  # the next may be shorter
    good, following, parts, kept = (
        np.zeros(len(counts), dtype=bool),
        np.zeros(len(counts)),
        list[Any](),
        list[Indices](),
    )
    for i, (count, end) in enumerate(zip(counts.tolist(), np.cumsum(counts).tolist(), strict=True)):
        part = slice(end - count, end)
        cut = int(np.argmax(strange[part])) if np.any(strange[part]) else count
        taken, joined, tried = trials.part(part).kept(group.x[i], cut)
        if not taken.size:
            good[i] = cut < count and short[part][cut]
            continue
        good[i] = cut == count or short[part][cut] or joined[-1, 0] >= group.t_end - group.resolution
        taken = taken + part.start
        following[i] = trials.following[taken[-1]]
        parts.append((np.full(taken.size, i), joined[:-1], joined[1:], tried, trials.records[taken]))
        kept.append(taken)
    n, width = group.setting.system.n, trials.records.shape[1]
    none = (np.zeros(0, dtype=int), *np.zeros((2, 0, 2 * n + 1)), np.zeros(0), np.zeros((0, width)))
    pieces = Stretch(*(np.concatenate(each) for each in zip(none, *parts, strict=True)))
    return pieces, following, good, np.concatenate([none[0], *kept])


def _wanted(group: Group, pieces: Stretch) -> tuple[Indices, Indices, Indices]:
    """Return in which steps (l,), of which members (l,), which of the times (l,) are."""
    times, found = group.times, [np.zeros((3, 0), dtype=int)]
    counts = np.bincount(pieces.member, minlength=len(group.x))
    for i, (first, count) in enumerate(zip((np.cumsum(counts) - counts).tolist(), counts.tolist(), strict=True)):
        if not count:
            continue
        left = pieces.left[first : first + count, 0]
        begun = 0 if left[0] == times[0] else int(np.searchsorted(times, left[0], side="right"))
        at = np.arange(begun, np.searchsorted(times, pieces.reached[first + count - 1, 0], side="right"))
        step = first + np.searchsorted(left, times[at], side="right") - 1
        found.append(np.stack([step, np.full(at.size, i), at]))
    step, of, at = np.concatenate(found, axis=1)
    return step, of, at


def _certified(group: Group, pieces: Stretch, states: Array, records: Array) -> Followed | None:
    """Return the members whose states are certified and on whose way nothing lies; None where one's answer is another.

    `states` (N, k, 2n+1) and `records` are those at the wanted times.
    """
    count, (n, rows) = len(group.x), (group.setting.system.n, group.stepper.rows)
    good = np.all(certified(_flat(states), _flat(records)).reshape(count, -1), axis=1)
    if rows:
        doubtful = _doubts(group, pieces)
        good &= ~(np.bincount(pieces.member, weights=doubtful, minlength=count) > 0.0)
    some = np.flatnonzero(good)
    if not some.size:
        return None
    residuals = [StepScalar.PRIMAL, StepScalar.STATIONARITY]
    mine, distance, worst = good[pieces.member], np.zeros(count), np.max(records[..., residuals], axis=(1, 2))
    np.maximum.at(worst, pieces.member, np.max(pieces.records[:, residuals], axis=1))
    if group.solver == "osqp":
        at = slice(None) if group.solve_at == "times" else slice(-1, None)  # of the times
        of = np.repeat(some, states[0, at].shape[0])
        parts = [(of, _flat(states[some, at]), _flat(records[some, at]))]
        if group.solve_at == "steps":
            parts.append((pieces.member[mine], pieces.left[mine], pieces.records[mine]))
        member, places, found = (np.concatenate(each) for each in zip(*parts, strict=True))
        solver = StepSolver(group.setting, "osqp")
        solved = solver.distances(places, found[:, :n], rows, group.own.theta[member])
        if solved is None:
            return None
        np.maximum.at(distance, member, solved)
    return Followed(some, states[some], records[some, :, n : n + len(rows)], distance[some], worst[some])


def _doubts(group: Group, pieces: Stretch) -> Flags:
    """Return in or behind which steps something may lie ahead, or another branch of the constraint set be near."""
    n, rtol = group.setting.system.n, group.setting.rtol
    starts = np.flatnonzero(np.diff(pieces.member, prepend=-1))
    theta, a = group.own.theta[pieces.member], pieces.records[:, :n]
    path = Path.of(pieces.left, pieces.reached, pieces.tried, a, theta, group.t_end, starts)
    longest = largest_so_far(pieces.tried, starts)
    seen, rests, heads, falls = doubts(LookAhead(), group.stepper, path, longest)
    apart = apart_at_least(len(group.stepper.rows)) / seen.indicators[starts][pieces.member]
    hides = ~(seen.indicators * apart > FAR * rtol)
    return np.asarray(rests | heads | falls | seen.inside | hides)


def _flat(values: Array) -> Array:
    return values.reshape(-1, values.shape[-1])
