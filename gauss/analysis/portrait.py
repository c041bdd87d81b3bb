"""Phase portraits of systems with one freedom: motions, equilibria and separatrices in the plane of one coordinate."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gauss.analysis.linear.equilibria import SteadyMotion, equilibria
from gauss.analysis.linear.linearize import Linearization
from gauss.analysis.portrait_flow import Flow
from gauss.errors import GaussError, InputError
from gauss.foundation.arrays import Array, vector
from gauss.foundation.calls import advised
from gauss.foundation.outcomes import Shown
from gauss.model import AnySystem, System, system_of
from gauss.model.state import State
from gauss.model.units import warn_of_degrees

TURN = 1.5 * np.pi  # half of the span of an angle, if none is given
GRID = 8  # starts along each side of the window
EDGE = 1e-9  # share of the span by which an equilibrium may lie outside
PERIODS = 2.0  # of the slowest small oscillation, that a motion is followed
APART = 0.035  # least distance of curves where they start, as a share of the window
MARGIN = 1.25  # window over the separatrices


@dataclass(frozen=True)
class PortraitPoint:
    """An equilibrium in a phase portrait."""

    x: float  # the coordinate
    kind: str  # "saddle", "centre", "stable focus", "stable node", "unstable focus", "unstable node" or "degenerate"
    found: SteadyMotion


@dataclass(frozen=True, repr=False)
class Portrait(Shown):
    """A phase portrait: curves (k, 2) of a coordinate and its velocity."""

    system: System
    coordinate: str
    span: tuple[float, float]  # of the coordinate
    rates: tuple[float, float]  # of its velocity
    curves: tuple[Array, ...]  # (k, 2) each, motions in the direction of time
    separatrices: tuple[Array, ...]  # (k, 2) each, from and to saddles
    equilibria: tuple[PortraitPoint, ...]
    spacing: float  # of the positions at which the sign of the force was asked: two nearer equilibria may be missing
    settled: bool  # whether half the spacing showed no further equilibria, twice


@advised
def portrait(
    system: AnySystem,
    coordinate: str,
    span: tuple[float, float] | None = None,
    rates: tuple[float, float] | None = None,
    *,
    starts: Sequence[tuple[float, float]] | None = None,
    q: object = None,
    u: object = None,
) -> Portrait:
    """Return the phase portrait of a system with one freedom over a `span` of a coordinate.

    The span of a coordinate with the unit "rad" may be left out: three quarters of a turn to each side. `rates` is the
    range of its velocity, taken from the separatrices and small oscillations if left out; `starts` are pairs of
    coordinate and velocity, a grid if left out, of which those near other curves are dropped. With further coordinates
    `q` is a position from which they are found by the constraints.

    Equilibria are sought wherever the force along the motion changes its sign between neighbours of a fine grid of
    positions; `settled` says whether a finer one would show no more.

    Raises InputError for systems with another freedom than one, with contacts, friction or forces that depend on time,
    and for ranges that are none.

    >>> import gauss as g
    >>> pendulum = g.System(
    ...     "pendulum",
    ...     coordinates="phi",
    ...     kinetic_energy=lambda v: 0.5 * v.phi**2,
    ...     potential_energy=lambda q: -g.cos(q.phi),
    ... )
    >>> found = g.analysis.portrait(pendulum, "phi", (-4.0, 4.0))
    >>> [(round(point.x, 6), point.kind) for point in found.equilibria]
    [(-3.141593, 'saddle'), (0.0, 'centre'), (3.141593, 'saddle')]
    """
    system = system_of(system)
    flow = Flow.of(system, coordinate, u)
    if span is None and system.units.get(coordinate) != "rad":
        raise InputError(f"give the span of {coordinate!r}, as span=(-1.0, 1.0).")
    low, high = _range((-TURN, TURN) if span is None else span, f"the span of {coordinate!r}")
    window = _range(rates, f"the range of the velocity of {coordinate!r}") if rates is not None else None
    pairs = None if starts is None else _pairs(starts)
    warn_of_degrees((coordinate,), np.array([[low], [high]]), system.units)
    table, guesses, settled = flow.searched(low, high, system.start(np.zeros(system.n) if q is None else q).q)
    states = [State(guess, np.zeros(system.n)) for guess in guesses]
    edge = EDGE * (high - low)
    found = [each for each in equilibria(system, states, u=u) if low - edge <= each.state.q[flow.place] <= high + edge]
    points = _classified(found, flow.place)
    turns = [abs(x) for _, about in points if about for x in about.eigenvalues if abs(x) > 0.0]
    reach = max(abs(x) for x in window) if window else 10.0 * (high - low) * max([1.0, *turns])
    saddles = [(point.found.state.q, about) for point, about in points if point.kind == "saddle" and about]
    separatrices = flow.separatrices(saddles, (low, high), reach)
    if window is None:
        tops = [float(np.max(np.abs(curve[:, 1]))) for curve in separatrices]
        window = _around(max(tops, default=0.6 * (high - low) * max(turns, default=0.0)), coordinate)
    given = _grid((low, high), window) if pairs is None else pairs
    slowest = 2.0 * np.pi * PERIODS / min(turns) if turns else PERIODS * (high - low) / max(map(abs, window))
    curves = flow.motions(given, table, slowest, (low, high), max(map(abs, window)))
    if starts is None:
        curves = _apart(curves, given, separatrices, np.array([high - low, window[1] - window[0]]))
    spacing = float(np.max(np.diff(table[:, flow.place]), initial=0.0))
    drawn = tuple(curves), tuple(separatrices), tuple(sorted((point for point, _ in points), key=lambda point: point.x))
    return Portrait(system, coordinate, (low, high), window, *drawn, spacing, settled)


def _range(given: object, what: str) -> tuple[float, float]:
    low, high = vector(given, 2, what)
    if low >= high:
        raise InputError(f"{what} runs from {low:g} to {high:g}; the first must be smaller.")
    return float(low), float(high)


def _around(top: float, coordinate: str) -> tuple[float, float]:
    """Return the range of the velocity about curves that reach up to `top`. Raises InputError where that is nothing."""
    if not top > 0.0:
        raise InputError(f"give the range of the velocity of {coordinate!r} as rates=(from, to).")
    return -MARGIN * top, MARGIN * top


def _pairs(starts: Sequence[tuple[float, float]]) -> Array:
    if not isinstance(starts, Sequence | np.ndarray) or not len(starts):
        raise InputError(f"starts must be pairs of the coordinate and its velocity, got {starts!r}.")
    return np.array([vector(pair, 2, "a start, a pair of the coordinate and its velocity,") for pair in starts])


def _grid(span: tuple[float, float], rates: tuple[float, float]) -> Array:
    """Return starts on a grid, from the middle of the window outwards."""
    x, y = np.linspace(*span, GRID + 2)[1:-1], np.linspace(*rates, GRID + 2)[1:-1]
    pairs = np.array([(a, b) for a in x for b in y])
    return pairs[np.argsort(np.max(np.abs(pairs - pairs.mean(axis=0)) / np.ptp(pairs, axis=0), axis=1), kind="stable")]


def _apart(curves: Sequence[Array], starts: Array, others: Sequence[Array], size: Array) -> list[Array]:
    """Return curves whose starts are not near to those before them, nor to `others`."""
    kept: list[Array] = []
    for start, curve in zip(starts, curves, strict=True):
        near = [float(np.min(np.linalg.norm((each - start) / size, axis=1))) for each in (*kept, *others)]
        if len(curve) > 1 and min(near, default=1.0) > APART:
            kept.append(curve)
    return kept


def _classified(found: Sequence[SteadyMotion], place: int) -> list[tuple[PortraitPoint, Linearization | None]]:
    """Return equilibria with their kinds, each with its linear equations, None where there are none."""
    points = []
    for each in found:
        about: Linearization | None
        try:
            about = each.linearize()
            kind = _kind(about)
        except GaussError:
            about, kind = None, "degenerate"
        points.append((PortraitPoint(float(each.state.q[place]), kind, each), about))
    return points


def _kind(about: Linearization) -> str:
    values, doubt = about.eigenvalues, about.spectrum.uncertainty
    if values.size != 2:
        return "degenerate"
    signs = np.where(np.abs(values.real) <= doubt, 0.0, np.sign(values.real))
    turning = bool(np.all(np.abs(values.imag) > doubt))
    if turning and not np.any(signs):
        return "centre"
    if not turning and signs[0] * signs[1] < 0.0:
        return "saddle"
    if signs[0] != signs[1] or not np.all(signs):
        return "degenerate"
    return ("stable" if signs[0] < 0.0 else "unstable") + (" focus" if turning else " node")
