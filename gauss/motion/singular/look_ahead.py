"""Looking ahead along a motion, and into a step, for positions where its rows become dependent."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np
import scipy

from gauss.foundation.arrays import Array, Flags, Indices, lengths_of
from gauss.model.compiled.steps.looks import FALLEN, PROBE, Sizes
from gauss.motion.singular.missing import Interpolant
from gauss.motion.singular.spectrum import parts_of
from gauss.motion.steps.steppers import FusedStepper, Stepper
from gauss.numerics.paths import pushed
from gauss.principle.metric import metric_of

LINEAR = 1.5  # power of the distance with which the rows lose their rank, below which branches cross
HIGHEST = 20.0  # largest such power
POWERS = np.linspace(1.0, HIGHEST, 500)
TOUCHING = (1.0 - 0.7 / POWERS) ** POWERS, POWERS  # what is left at 0.7 of the time that the rate makes expect, powers
BISECTIONS = 20  # of the time until branches touch, by ratios
CLOSE = 0.99  # share of a limit from which `expected` is asked
AHEAD = 1.5  # steps within which a singular position must be expected for a window to be tried
SECANTS = 3  # corrections of its expected time
THIRDS = 1 / 3, 2 / 3  # shares of a step at which the rows are looked at
FEW = 200  # coordinates times rows up to which each step looks for rows that have turned round
LARGEST = 4000  # coordinates times rows up to which the lengths of the rows are watched beside their sines
SEEN = 12  # states whose indicators are kept
KEPT = 16  # states at which rows are kept that have been looked at
LAW = 1e-2  # by which the logarithms of these may be off a power of the time that is left, of their range
FORESEEN = 10.0  # times the time since the first of them for which they are extrapolated
LEAST_FALL = (1.0 + 1.0 / FORESEEN) ** (CLOSE * LINEAR)  # of what touches that soon, from the first of them to the last
HIDDEN, FAR = 1.0, 1e4  # times the tolerance: branches that are nearer are not told apart; and not looked at beyond
CLOSER = 9  # times that it is


class Path(NamedTuple):
    """Consecutive states of a motion, or of several motions one after another, and what is asked about each of them."""

    states: Array  # (k, 2n+1)
    following: Array  # (k, 2n+1) the states that come next
    tried: Array  # (k,) s, the longest steps that were tried from there
    a: Array  # (k, n)
    theta: Array  # (k, p) parameters and constant controls
    t_end: float
    starts: Indices  # (l,) where each of l motions begins

    @staticmethod
    def of(
        states: Array, following: Array, tried: Array, a: Array, theta: Array, t_end: float, starts: Indices
    ) -> Path:
        """Return a path up to the time t_end, of one theta (p,) or of (k, p)."""
        each = np.empty((len(states), theta.shape[-1]))
        each[:] = theta
        return Path(states, following, tried, a, each, t_end, starts)


class Seen(NamedTuple):
    """What a look at the rows along a path tells of each state but its last."""

    t: Array  # (k,) s
    indicators: Array  # (k,)
    rates: Array  # (k,) at which they change, 1/s
    longest: Array  # (k, m) lengths of the rows in force so far; (k, 0) where they are not watched
    inside: Flags  # (k,) whether a row may have vanished inside the step that follows
    sizes: Sizes  # of the motion
    starts: Indices  # (l,) where each motion begins


class LookAhead:
    """Looks ahead along a motion for positions where its rows become dependent.

    The indicator is the root of the smallest pivot, a sine between rows, times the length of the shortest row relative
    to the longest that the same row has had in the motion: at a singular position one of them vanishes linearly.
    """

    KEPT: tuple[str, ...] = ("_longest", "_seen", "_apart", "_size")

    def __init__(self) -> None:
        self._longest: dict[int, float] = {}
        self._seen: list[tuple[float, float]] = []  # times and indicators at the last states
        self._apart: float | None = None  # distance of another branch over the indicator, where it was looked at last
        self._size = 0.0  # of positions there, in the metric
        self._looked: dict[tuple[bytes, tuple[int, ...], type], tuple[float, Array, Array]] = {}  # at the last states

    def touching(self) -> float | None:
        """Return the time until branches touch, as the indicators at the last states make expect, or None.

        They fall like a power above the first of the time that is left.
        """
        if len(self._seen) < SEEN:
            return None
        (t1, one), (t2, two), (t3, three) = self._seen[0], self._seen[SEEN // 2], self._seen[-1]
        if not one > two > three > 0.0:
            return None
        law = (t1, t2, t3), (one, two, three)
        nearest, farthest = 1e-6 * (t3 - t1), FORESEEN * (t3 - t1)
        if not _missed(nearest, *law) < 0.0 < _missed(farthest, *law):
            return None
        left = float(scipy.optimize.brentq(_missed, nearest, farthest, args=law))
        t, sizes = np.array(self._seen).T
        power, off = _fitted(t, sizes, left)
        return left if power > LINEAR and off <= LAW else None

    def note(self, stepper: Stepper, x: Array) -> float:
        """Keep the indicator at a state of the motion, and return it; states that are looked at again come last."""
        t, indicator = float(x[0]), self.indicator(stepper, x)
        self._seen = [*(entry for entry in self._seen if entry[0] < t), (t, indicator)][-SEEN:]
        return indicator

    def indicator(self, stepper: Stepper, x: Array) -> float:
        """Return the indicator at a state; nan where the model is not finite."""
        system = stepper.setting.system
        if system.n * len(stepper.rows) > LARGEST:
            return _sine(stepper, x)
        sine, lengths, _ = self.look(stepper, x)
        shortest = 1.0
        for row, length in zip(stepper.rows, lengths.tolist(), strict=True):
            longest = self._longest[row] = max(length, self._longest.get(row, 0.0))
            if longest > 0.0:
                shortest = min(shortest, length / longest)
        return sine * shortest

    def look(self, stepper: Stepper, x: Array) -> tuple[float, Array, Array]:
        """Return the root of the smallest pivot at a state, the rows' lengths (k,) and the rows (k, n) in force."""
        key = (x.tobytes(), stepper.rows, type(stepper))
        if key not in self._looked:
            system = stepper.setting.system
            J = system.model.terms(*parts_of(x, system.n), stepper.setting.theta).J[list(stepper.rows)]
            if len(self._looked) >= KEPT:
                self._looked.clear()
            self._looked[key] = _sine(stepper, x), np.sqrt(np.sum(J * J, axis=1)), J
        return self._looked[key]

    def unresolved(self, stepper: Stepper, x: Array) -> float | None:
        """Return how far another branch is from a state, relative to its position, where the tolerance hides it.

        Along the direction n of their least singular value σ the rows are σ s + κ s²/2, with another zero at 2 σ/κ.
        """
        system, n = stepper.setting.system, stepper.setting.system.n
        if not stepper.rows or n * len(stepper.rows) > LARGEST or not np.all(np.isfinite(x)):
            return None
        here = self.indicator(stepper, x)
        if not self._may_hide(stepper, here):
            return None
        parts, rows = (*parts_of(x, n), stepper.setting.theta), list(stepper.rows)
        terms = system.model.terms(*parts)
        J = terms.J[rows]
        metric = metric_of(terms.M, terms.f, J, terms.gamma[rows], system.coordinates)
        whitened = metric.whitened(J)
        length = lengths_of(whitened)
        U, sigma, V = np.linalg.svd(whitened / length[:, None], full_matrices=False)
        weights, normal = np.zeros(len(system.row_names)), metric.lift(V[-1])
        weights[rows] = U[:, -1] / length
        bend = abs(float(weights @ system.model.jets.turn(*parts, normal)[0] @ normal))
        self._size = max(self._size, metric.norm(x[1 : n + 1]))
        apart = 2.0 * sigma[-1] / (bend * self._size) if bend * self._size > 0.0 else np.inf
        self._apart = apart / here if here > 0.0 else None
        return apart if apart <= HIDDEN * stepper.setting.rtol else None

    def inside(self, stepper: Stepper, x: Array, following: Array) -> float | None:
        """Return about when in a step rows have vanished, or lost their rank and come back, or None.

        A row that vanishes like the distance comes out with the other sign. Where branches touch the indicator comes
        back: it falls by half somewhere, and is looked at more closely then.
        """
        hop = Interpolant.cubic(x, following)
        sines, lengths, rows = self._looks(stepper, (x, *(hop.state(share) for share in THIRDS), following))
        turned = _turned(rows[0], rows[-1])
        if not turned and not _fallen(indicators(sines, lengths)):
            return None
        shares = np.linspace(0.0, 1.0, CLOSER)
        sines, lengths, rows = self._looks(stepper, [hop.state(share) for share in shares.tolist()])
        values = indicators(sines, lengths)
        if turned:
            k = int(np.argmax(_turned(rows[:1], rows[1:])))
            here, there = values[k : k + 2].tolist()
            return (shares[k] + shares[1] * here / (here + there)) * hop.h if here + there > 0.0 else None
        least = 1 + int(np.argmin(values[1:-1]))
        back = values[least] < FALLEN * min(np.max(values[:least]), np.max(values[least + 1 :]))
        return float(shares[least] * hop.h) if back else None

    def _looks(self, stepper: Stepper, states: Iterable[Array]) -> tuple[Array, Array, Array]:
        """Return what `look` does at k states, (k,), (k, m) and (k, m, n)."""
        sines, lengths, rows = zip(*(self.look(stepper, x) for x in states), strict=True)
        return np.array(sines), np.array(lengths), np.array(rows)

    def along(self, stepper: FusedStepper, path: Path) -> Seen:
        """Look at the rows at consecutive states, a little ahead of them, and inside the steps that join them."""
        size, (x, y, tried, a, theta, end, starts) = stepper.setting.system.n * len(stepper.rows), path
        shares, rows = THIRDS if size <= FEW else (), size <= LARGEST
        sines, lengths, way, sizes = stepper.views(x, y, a, tried, theta, end, shares, rows)
        k, _, m = lengths.shape
        before = np.array([self._longest.get(row, 0.0) for row in stepper.rows])[:m]
        lengths = lengths.transpose(2, 0, 1).reshape(m, 2 * k).T  # at both places in turn
        longest = largest_so_far(lengths, 2 * starts, before)
        values = sines * _least_share(lengths, longest).reshape(k, 2)
        doubt = ~((way[:, 0] >= 0.0) & np.isfinite(way[:, 1])) if shares else np.zeros(k, dtype=bool)
        rates = (values[:, 1] - values[:, 0]) / (PROBE * sizes.within)
        return Seen(x[:, 0], values[:, 0], rates, longest[1::2], doubt, sizes, starts)

    def take_over(self, stepper: Stepper, seen: Seen, count: int) -> None:
        """Remember the first `count` of the states that were looked at."""
        if count:
            self._longest |= dict(zip(stepper.rows, seen.longest[count - 1].tolist(), strict=False))
            last = slice(max(count - SEEN, 0), count)
            entries = zip(seen.t[last].tolist(), seen.indicators[last].tolist(), strict=True)
            self._seen = [*self._before(seen), *entries][-SEEN:]

    def _before(self, seen: Seen) -> list[tuple[float, float]]:
        return [entry for entry in self._seen if entry[0] < seen.t[0]]

    def expects(self, stepper: FusedStepper, path: Path, seen: Seen, longest: Array) -> Flags:
        """Return at which states `expected` may expect dependent rows: at the others it does not, at little cost."""
        found = np.asarray(_heads(seen.indicators, seen.rates, np.maximum(seen.sizes.within, longest)))
        if not found.any():
            return found
        near = np.flatnonzero(found)
        here, h = seen.indicators[near], seen.sizes.within[near]
        time = -here / seen.rates[near]
        there = self._later(stepper, path, seen, near, 0.7 * time)
        power = np.interp(there / here, *TOUCHING, left=1.0, right=1.0)
        touches = (power > CLOSE * LINEAR) & (CLOSE * power * time < AHEAD * longest[near])
        falls = there < here
        time = np.where(falls, 0.7 * time * here / (here - there), time)
        for _ in range(SECANTS - 1):
            if not np.any(falls):
                break
            there = self._later(stepper, path, seen, near, 0.7 * time)
            falls &= there < here
            time = np.where(falls, 0.7 * time * here / (here - there), time)
        found[near] = touches | (falls & (CLOSE * time < AHEAD * h))
        return found

    def _later(self, stepper: FusedStepper, path: Path, seen: Seen, near: Indices, tau: Array) -> Array:
        """Return the indicators (l,) that states `near` (l,) lead to in times tau (l,), as `expected` asks for them."""
        sines, lengths, _ = _looked(stepper, _moved(path.states[near], path.a[near], tau), path.theta[near])
        return np.asarray(sines * _least_share(lengths, np.maximum(seen.longest[near], lengths)))

    def falls(self, seen: Seen) -> Flags:
        """Return at which states `touching` may expect that branches touch: at the others it does not."""
        before, k = self._before(seen)[1 - SEEN :], len(seen.t)
        of: Any = slice(None)
        last = np.empty((2, k + (SEEN - 1) * len(seen.starts)))  # with those before each, nan where there are none
        last[:] = np.nan
        if before:
            last[:, SEEN - 1 - len(before) : SEEN - 1] = np.transpose(before)
        if len(seen.starts) > 1:
            of = np.arange(k) + (SEEN - 1) * (np.searchsorted(seen.starts, np.arange(k), side="right") - 1)
        last[:, SEEN - 1 :][:, of] = seen.t, seen.indicators
        one, two, three = last[1, : 1 - SEEN], last[1, SEEN // 2 : SEEN // 2 + 1 - SEEN], last[1, SEEN - 1 :]
        falling = (one > two) & (two > three) & (three > 0.0) & (one > LEAST_FALL * three)
        found = np.asarray(falling[of])
        if not found.any():
            return found
        first, near = np.arange(last.shape[1] + 1 - SEEN)[of], np.flatnonzero(found)
        places = first, first + SEEN // 2, first + SEEN - 1
        law = tuple(last[0, place[near]] for place in places), tuple(last[1, place[near]] for place in places)
        one, _, three = law[1]
        span = law[0][2] - law[0][0]
        steep = span / np.expm1(np.log(one / three) / (CLOSE * LINEAR))  # the power is LINEAR there
        low, high = np.maximum(1e-6 * span, steep), FORESEEN * span
        found[near] = (_missed(low, *law) < 0.0) & (_missed(high, *law) > 0.0)
        some = np.flatnonzero(found[near])
        if not some.size:
            return found
        near, low, high = near[some], low[some], high[some]
        law = tuple(x[some] for x in law[0]), tuple(x[some] for x in law[1])
        for _ in range(BISECTIONS):
            left = np.sqrt(low * high)
            below = _missed(left, *law) < 0.0
            low, high = np.where(below, left, low), np.where(below, high, left)
        t, values = last[:, first[near, None] + np.arange(SEEN)]
        found[near] = CLOSE * _fitted(t, values, left)[1] <= LAW
        return found

    def begin(self, apart: float, indicator: float) -> None:
        """Take note that another branch is at least so far from the start, relative to its position."""
        if self._apart is None and indicator > 0.0:
            self._apart = apart / indicator

    def hides(self, stepper: Stepper, seen: Seen) -> Flags:
        """Return at which states another branch may be hidden by the tolerance, as `unresolved` asks first."""
        if stepper.setting.system.n * len(stepper.rows) > LARGEST:
            return np.zeros(len(seen.t), dtype=bool)
        return np.asarray(self._may_hide(stepper, seen.indicators))

    def _may_hide(self, stepper: Stepper, indicators: Any) -> Any:
        """Return whether another branch may be that near, by the distance over the indicator where it was looked at."""
        far = self._apart is not None and indicators * self._apart > FAR * stepper.setting.rtol
        return (indicators >= 0.0) & np.logical_not(far)

    def expected(self, stepper: Stepper, x: Array, h: float, longest: float = 0.0) -> float | None:
        """Return the time until the rows are expected to become dependent, or None where they do not head there.

        The zero of the indicator is extrapolated along q + v τ + a τ²/2. It is looked for within a step h or so, and
        where branches touch within the `longest` one: steps shrink there as the branches come near.
        """
        a, _ = stepper.accelerate(x)
        if not np.all(np.isfinite(a)):
            return None

        def ahead(tau: float) -> float:
            return self.indicator(stepper, _moved(x, a, tau))

        here, near = self.note(stepper, x), PROBE * h
        rate = (ahead(near) - here) / near
        if not _heads(here, rate, max(h, longest)):
            return None
        time = -here / rate
        touching = _power_of(ahead(0.7 * time) / here) * time
        if touching > LINEAR * time and touching < AHEAD * longest:
            return touching
        for _ in range(SECANTS):
            tau = 0.7 * time
            there = ahead(tau)
            if not there < here:
                return None
            time = tau * here / (here - there)
        return time if time < AHEAD * h else None


def largest_so_far(values: Array, starts: Indices, before: Array | float = -np.inf) -> Array:
    """Return the largest of values (k, …) up to each, in each of the sequences that begin at `starts` (l,).

    `before` (…) is what came before the first of them.
    """
    if values.size:
        values = values.copy("K")
        values[0] = np.maximum(values[0], before)
    if len(starts) == 1:
        return np.asarray(np.maximum.accumulate(values))
    return np.concatenate([np.maximum.accumulate(part) for part in np.split(values, starts[1:])])


def _looked(stepper: FusedStepper, states: Array, theta: Array) -> tuple[Array, Array, Array]:
    """Return what `look` does at k states, (k,), (k, m) and (k, m, n); no rows where they are many."""
    pivots, J = stepper.looks(states, stepper.setting.system.n * len(stepper.rows) <= LARGEST, theta)
    return _sines(pivots), np.sqrt(np.sum(J * J, axis=2)), J


def _least_share(lengths: Array, longest: Array) -> Array:
    """Return the least share (k,) that rows of lengths (k, m) have of their `longest` so far; without length they do
    not count.
    """
    return np.asarray(np.fmin.reduce(lengths / longest, axis=-1, initial=1.0))


def indicators(sines: Array, lengths: Array) -> Array:
    """Return the indicators (k, …) at k states of a piece, relative to the longest rows (k, …, m) in it."""
    longest = lengths.max(axis=0)
    shares = lengths / np.where(longest > 0.0, longest, 1.0)
    return np.asarray(sines * shares.min(axis=-1, initial=1.0))


def _turned(before: Array, after: Array) -> Any:
    """Return whether some row (…, m, n) has come out with the other sign."""
    return np.any(np.sum(before * after, axis=-1) < 0.0, axis=-1)


def _fallen(values: Array) -> Any:
    """Return whether indicators (k, …) fall by half somewhere in a step."""
    return ~(values[1:].min(axis=0) >= FALLEN * values.max(axis=0))


def _heads(indicator: Any, rate: Any, within: Any) -> Any:
    """Return whether an indicator that changes at a rate heads for zero within some steps of the length `within`."""
    return (rate < 0.0) & (np.divide(-indicator, rate) < 2.0 * AHEAD * within)


def _moved(x: Array, a: Array, tau: Any) -> Array:
    """Return the states (…, 2n+1) after times tau (…) with the accelerations a (…, n) kept."""
    n, s = a.shape[-1], np.asarray(tau)[..., None]
    return np.concatenate([x[..., :1] + s, *pushed(x[..., 1 : n + 1], x[..., n + 1 :], a, s)], axis=-1)


def _missed(left: Any, times: tuple[Any, Any, Any], sizes: tuple[Any, Any, Any]) -> Any:
    """Return by how much sizes that fall like a power of the time that is left behind the last miss two ratios."""
    (t1, t2, t3), (one, two, three) = times, sizes
    first, second = np.log((t3 - t1 + left) / (t3 - t2 + left)), np.log((t3 - t2 + left) / left)
    return first / second - np.log(one / two) / np.log(two / three)


def _fitted(t: Array, sizes: Array, left: Any) -> tuple[Any, Any]:
    """Return the power of the time with which sizes (…, k) at times fall from the first to the last, `left` behind it.

    Second is how far the others are off that law, as a share of the range of their logarithms.
    """
    last, ahead = sizes[..., -1:], np.asarray(left)[..., None]
    logs, times = np.log(sizes / last), np.log((t[..., -1:] - t + ahead) / ahead)
    whole = logs[..., 0]
    power = whole / times[..., 0]
    return power, np.max(np.abs(logs - power[..., None] * times), axis=-1) / whole


def _sines(pivots: Any) -> Any:
    """Return the roots of the smallest pivots; nan where the model is not finite."""
    return np.where(np.isfinite(pivots), np.sqrt(np.maximum(pivots, 0.0)), np.nan)


def _sine(stepper: Stepper, x: Array) -> float:
    return float(_sines(stepper.pivot(x)))


def _power_of(left: float) -> float:
    """Return m for a size (1 − τ/(m s))^m, which falls at the rate 1/s, where `left` is what is left of it at 0.7 s."""
    if not 0.3 < left < (1.0 - 0.7 / HIGHEST) ** HIGHEST:
        return 1.0
    return float(scipy.optimize.brentq(lambda m: (1.0 - 0.7 / m) ** m - left, 1.0, HIGHEST))
