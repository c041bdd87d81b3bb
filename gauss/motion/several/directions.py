"""What tells motions apart that leave the same state: their accelerations there, or where they are some time later."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from gauss.foundation.arrays import Array, tidied
from gauss.model.units import with_unit
from gauss.motion.record.trajectory import Trajectory

SHOWN = 2  # coordinates that are named at least, if motions differ in so many
APART = 1e-6  # share of the largest number: numbers that are nearer are the same
DIGITS = range(3, 10)  # of numbers; the fewest that tell them apart


def directions(runs: Sequence[Trajectory], accelerations: Sequence[Array]) -> list[str]:
    """Return what tells motions apart that leave one state, a text for each; empty for a motion alone.

    It is the acceleration at the start in the coordinates in which it differs most. Where some motions have the same,
    it is the position, too, when the first of the motions ends.
    """
    if len(runs) < 2:
        return [""] * len(runs)
    names = runs[0].about.coordinates
    a = np.array([tidied(each) for each in accelerations])
    found = _told(a, [f"{name}''" for name in names], [runs[0].unit(f"dd_{name}") for name in names])
    if len({*found}) == len(found):
        return found
    end = min(run.t[-1] for run in runs)
    q = np.array([run.q[-1] if run.t[-1] == end else run.at([end]).q[0] for run in runs])
    places = _told(q - runs[0].q[0], [*names], [runs[0].unit(name) for name in names], runs[0].q[0])
    where = [text and f"{text} at t = {end:.3g} s" for text in places]
    return [", ".join(filter(None, pair)) for pair in zip(found, where, strict=True)]


def _told(values: Array, names: Sequence[str], units: Sequence[str], origin: Array | float = 0.0) -> list[str]:
    """Return for each row of values (k, n), plus the origin, those in which rows differ, as texts."""
    size = float(np.max(np.abs(values), initial=0.0))
    rounded = np.round(values / (APART * size)) if size > 0.0 else np.zeros_like(values)
    kept: list[int] = []
    order = sorted(range(len(names)), key=lambda j: -float(np.ptp(rounded[:, j])))
    for j in [j for j in order if np.ptp(rounded[:, j]) > 0.0]:
        if len(kept) < SHOWN or _kinds(rounded[:, [*kept, j]]) > _kinds(rounded[:, kept]):
            kept.append(j)
    kept.sort()
    shown = (values + origin)[:, kept]
    texts = [""] * len(values)
    for digits in DIGITS:
        parts = [[with_unit(f"{x:.{digits}g}", units[j]) for x, j in zip(row, kept, strict=True)] for row in shown]
        texts = [", ".join(f"{names[j]} = {x}" for x, j in zip(row, kept, strict=True)) for row in parts]
        if len({*texts}) == _kinds(rounded):
            break
    return texts


def _kinds(rows: Array) -> int:
    """Return how many different rows there are."""
    return len(np.unique(rows, axis=0))
