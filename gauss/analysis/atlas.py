"""Atlas: the verdicts and singular values over a grid of positions, or along a motion."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gauss.dynamics import judged
from gauss.errors import GaussError, InputError
from gauss.foundation.arrays import Array, scalar
from gauss.foundation.calls import advised
from gauss.foundation.outcomes import Shown
from gauss.model import AnySystem, System, system_of
from gauss.motion import Trajectory, consistent

UNREACHED = "no such position"
AXES = 2  # a grid is drawn as a map
LARGEST = 1_000_000  # positions of a grid


@dataclass(frozen=True, repr=False)
class Atlas(Shown):
    """Verdicts on a grid of N₁ (× N₂) positions, or on the N states of a motion."""

    system: str
    axes: tuple[str, ...]  # names of the one or two coordinates that are scanned; ("t",) along a motion
    values: tuple[Array, ...]  # their values, one array per axis
    verdicts: NDArray[np.str_]  # (N₁, …) words as in `Verdict.verdict`, or why there is no state
    sigma_min: Array  # (N₁, …) smallest singular value of the scaled rows; nan where there is no state
    units: tuple[str, ...] = ()  # of the axes; "" where none is declared

    @property
    def words(self) -> tuple[str, ...]:
        """The verdicts that occur, the most frequent first."""
        words, counts = np.unique(self.verdicts, return_counts=True)
        return tuple(str(words[k]) for k in np.argsort(-counts, kind="stable"))

    def count(self, verdict: str) -> int:
        """Return how many states have a verdict."""
        return int(np.sum(self.verdicts == verdict))

    def __str__(self) -> str:
        parts = ", ".join(f"{self.count(word)} {word}" for word in self.words)
        reached = self.sigma_min[np.isfinite(self.sigma_min)]
        least = f"; smallest singular value {np.min(reached):.3g}" if reached.size else ""
        return f"{self.system}: {self.verdicts.size} states over {', '.join(self.axes)}: {parts}{least}"


@advised
def atlas_over(
    system: AnySystem,
    q: object,
    ranges: Mapping[str, tuple[float, float, int]],
    v: object = None,
    t: float = 0.0,
    *,
    report: Callable[[float], None] | None = None,
) -> Atlas:
    """Return the verdicts over a grid: `ranges` maps one or two coordinates to (from, to, count).

    The other coordinates start at q and are projected onto the constraints with the scanned ones held; the velocity v
    (default rest) is projected too. Where no such state exists the verdict is "no such position". `report` receives the
    fraction done. Raises InputError for ranges that cannot be scanned.

    >>> import gauss as g
    >>> rod = g.Holonomic("rod", lambda q: q.x**2 + q.y**2 - 1.0)
    >>> pendulum = g.System("pendulum", "x y", mass_matrix=[[1, 0], [0, 1]], constraints=[rod])
    >>> g.analysis.atlas_over(pendulum, [0, -1], {"x": (-0.5, 1.5, 3)}).verdicts.tolist()  # at x = −0.5, 0.5, 1.5
    ['regular', 'regular', 'no such position']
    """
    system = system_of(system)
    base = system.start(q, v, t)
    values = _checked(system, ranges)
    names = tuple(ranges)
    shape = tuple(x.size for x in values)
    verdicts, sigma = np.full(shape, UNREACHED, dtype="<U80"), np.full(shape, np.nan)
    total = int(np.prod(shape))
    for count, place in enumerate(np.ndindex(*shape)):
        position = base.q.copy()
        for name, axis, k in zip(names, values, place, strict=True):
            position[system.coordinates.index(name)] = axis[k]
        try:
            state = consistent(system, position, base.v, base.t, hold=names)
            found = judged(system, state)
        except GaussError:
            continue
        finally:
            if report is not None:
                report((count + 1) / total)
        verdicts[place], sigma[place] = found.verdict, found.sigma_min
    return Atlas(system.name, names, values, verdicts, sigma, tuple(map(system.unit, names)))


@advised
def atlas_along(run: Trajectory, *, report: Callable[[float], None] | None = None) -> Atlas:
    """Return the verdicts at the recorded states of a motion. Raises InputError for a trajectory without its model.

    >>> import gauss as g
    >>> stone = g.System("stone", "z", mass_matrix=[[1]], force=[-9.81])
    >>> print(g.analysis.atlas_along(g.simulate(stone, [0.0], t_end=0.1)))
    stone: 11 states over t: 11 regular; smallest singular value 1
    """
    if run.setting is None:
        raise InputError("the trajectory comes from a file; give it its model with run.with_system(system).")
    system = run.setting.system
    verdicts, sigma = np.full(len(run), UNREACHED, dtype="<U80"), np.full(len(run), np.nan)
    for k in range(len(run)):
        state = system.state(run.q[k], run.v[k], float(run.t[k]))
        try:
            found = judged(system, state)
        except GaussError as error:
            verdicts[k] = type(error).__name__
        else:
            verdicts[k], sigma[k] = found.verdict, found.sigma_min
        if report is not None:
            report((k + 1) / len(run))
    return Atlas(system.name, ("t",), (run.t,), verdicts, sigma, ("s",))


def _checked(system: System, ranges: Mapping[str, tuple[float, float, int]]) -> tuple[Array, ...]:
    """Return the values of each axis. Raises InputError."""
    if not isinstance(ranges, Mapping) or not 1 <= len(ranges) <= AXES:
        raise InputError('give one or two coordinates to scan, as in {"x": (-1.0, 1.0, 41)}.')
    values = []
    for name, limits in ranges.items():
        if name not in system.coordinates:
            raise InputError(f"{system.name!r} has no coordinate {name!r}; it has {', '.join(system.coordinates)}.")
        try:
            low, high, count = limits
        except (TypeError, ValueError):
            raise InputError(f"the range of {name!r} must be (from, to, count), got {limits!r}.") from None
        low, high = scalar(low, f"the start of {name!r}"), scalar(high, f"the end of {name!r}")
        if not isinstance(count, int) or count < 2:
            raise InputError(f"the count of {name!r} must be an integer of at least 2, got {count!r}.")
        if low >= high:
            raise InputError(f"the range of {name!r} runs from {low:g} to {high:g}; the start must be smaller.")
        values.append(np.linspace(low, high, count))
    if np.prod([x.size for x in values]) > LARGEST:
        raise InputError(f"the grid has more than {LARGEST} positions; choose fewer.")
    return tuple(values)
