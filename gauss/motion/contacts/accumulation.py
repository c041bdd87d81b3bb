"""Impacts that accumulate: the limit of a geometric sequence of bounces, and the state in which contact goes on.

Near the limit every interval between the impacts of a contact is r times the one before, r < 1, up to a relative change
of the size of the interval. So from the impacts so far the limit is t + Δ r/(1 − r), with r over the last intervals.
The remaining bounces are left out together: the contact is stopped with the last impact that is followed, and pressed
from then on. The impulses of the bounces up to the limit add up to the same, so that the velocities at the limit are
exact, and positions up to the square of the remaining time.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from gauss.foundation.arrays import Array
from gauss.motion.record.trajectory import MotionEvent

GAPS = 6  # intervals that must shrink one after the other
SPREAD = 8.0  # so many times as long as the last is the first of them
REST = 1e-6  # the remaining time is at most this share of the run
SHARE = 1e-5  # and at most this share of the time since the first impact
AGREE = 1e-10  # two limits one after the other agree to this share of the run
FINAL = 1e-8  # intervals below this share of the run are the last in any case


@dataclass(frozen=True)
class Accumulation:
    """Contacts whose impacts accumulate."""

    rows: tuple[str, ...]
    limit: float  # s
    ratio: float  # of an interval to the one before
    error: float  # s, change of the limit by the last impact, and what rounding of the gap may change


def settling(row: str, log: Sequence[MotionEvent], t: float, noise: float) -> Accumulation | None:
    """Return the limit of the impacts of a row whose hops have become too small to be followed at t; None if none."""
    found = _limit(row, log, noise)
    if found is None or t - found.last > found.gap:
        return None
    return Accumulation(_together(row, found, log, noise), max(found.limit, t), found.ratio, found.error)


def accumulation(row: str, log: Sequence[MotionEvent], span: float, noise: float) -> Accumulation | None:
    """Return the limit of the impacts of a row, with the other rows that come to it at the same time; None if none.

    `noise` is the rounding of the row's gap.
    """
    found = _limit(row, log, noise)
    if found is None:
        return None
    rest = found.limit - found.last
    near = rest <= min(REST * span, SHARE * (found.limit - found.first)) and found.error <= AGREE * span
    if not near and found.gap > FINAL * span:
        return None
    return Accumulation(_together(row, found, log, noise), found.limit, found.ratio, found.error)


class _Limit(NamedTuple):
    """Where the impacts of one row accumulate."""

    limit: float  # s
    ratio: float  # of an interval to the one before
    error: float  # s, change of the limit by the last impact, and what rounding of the gap may change
    last: float  # s, the last impact
    gap: float  # s, the last interval
    first: float  # s, the first impact


def _together(row: str, found: _Limit, log: Sequence[MotionEvent], noise: float) -> tuple[str, ...]:
    """Return the row and those whose impacts come to their limit with its own."""
    rows = [row]
    for other in {e.name for e in log if e.kind == "impact"} - {row}:
        theirs = _limit(other, log, noise)
        if theirs is None or found.last - theirs.last > theirs.gap:
            continue
        if abs(theirs.limit - found.limit) <= 0.1 * abs(found.limit - found.last):
            rows.append(other)
    return tuple(sorted(rows))


def _limit(row: str, log: Sequence[MotionEvent], noise: float) -> _Limit | None:
    """Return where the impacts of a row accumulate, None if nowhere is seen.

    Rounding of the gap moves an impact by noise over its speed, which grows from bounce to bounce, while the limit that
    an exact sequence would give settles. So it is taken where both errors together are least, which may be before.
    """
    if not shrinking(row, log):
        return None
    struck = [e for e in log if e.kind == "impact" and e.name == row]
    times, speeds = np.array([e.t for e in struck]), np.array([e.value for e in struck])
    gaps = np.diff(times)
    best: _Limit | None = None
    back, count = 0, len(times)
    while count - back > GAPS + 2:  # ever farther back, twice as far each time
        last = count - back
        limit, ratio = _extrapolated(times[:last], gaps[: last - 1])
        earlier, _ = _extrapolated(times[: last - 1], gaps[: last - 2])
        change, rounding = abs(limit - earlier), noise / speeds[last - 1] / (1.0 - ratio) ** 2
        if best is None or change + rounding < best.error:
            best = _Limit(limit, ratio, change + rounding, float(times[-1]), float(gaps[-1]), float(times[0]))
        if rounding <= change or change > best.error or not 0.0 < ratio < 1.0:
            break
        back = 2 * back or 1
    return best


def shrinking(row: str, log: Sequence[MotionEvent]) -> bool:
    """Return whether the last intervals between the impacts of a row have become shorter and shorter."""
    late, gap, count = np.nan, 0.0, 0
    for event in reversed(log):
        if event.kind != "impact" or event.name != row:
            continue
        if not np.isnan(late):
            if not late - event.t > gap:
                return False
            gap, count = late - event.t, count + 1
            if count == GAPS + 2:
                return True
        late = event.t
    return False


def _extrapolated(times: Array, gaps: Array) -> tuple[float, float]:
    """Return the limit of impact times and the ratio of their intervals, by means over the last of them.

    Where the ratio is near 1, intervals known to few figures say little about it one by one: it is taken over so many
    that the first is `SPREAD` times as long as the last, and the limit is the mean of those from intervals up to twice
    as long as the last.
    """
    count = int(np.argmax(gaps[::-1] > SPREAD * gaps[-1])) or len(gaps) - 1
    count = max(count, 2)
    ratio = float((gaps[-1] / gaps[-1 - count]) ** (1.0 / count))
    like = max(1, int(np.argmax(gaps[::-1] > 2.0 * gaps[-1])))
    return float(np.mean(times[-like:] + gaps[-like:] * ratio / (1.0 - ratio))), ratio


def stopped(M: Array, J: Array, G: Array, rates: Array, v: Array) -> Array:
    """Return velocities (n,) after impulses along G (k, n) have taken `rates` (k,) from the rows J (k, n)."""
    X = np.linalg.solve(M, G.T)
    impulses = np.linalg.lstsq(J @ X, -rates, rcond=1e-12)[0]
    return np.asarray(v + X @ impulses)
