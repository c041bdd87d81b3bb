"""`drawing_of`: how a run is drawn whose drawing nobody wrote.

A mechanism is drawn from its bodies and joints. Of another system the names of the coordinates tell points: x, y, z or
two of them, with a number or a name before or after (x1 y1, p_x p_y), one of them alone on a line, r and an angle as
polar coordinates where the mass matrix is that of them. What rows hold at a constant distance is found from their
derivatives at random positions, so that it does not matter how they are written.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np

from gauss.bodies.body.body import GROUND
from gauss.bodies.drawing import Curve, Drawing
from gauss.bodies.mechanism import Mechanism
from gauss.errors import InputError
from gauss.foundation.arrays import Array
from gauss.geometry.placed import Placed, at_angle
from gauss.geometry.shapes import Points, Polyline
from gauss.model import System
from gauss.motion import Trajectory

LINE = ("x", "y", "z", "s", "r")  # names of coordinates that, alone, are places along a line
ANGLES = ("phi", "theta", "psi", "alpha", "angle", "varphi")
NAMED = re.compile(r"(?P<axis>[xyz])(?P<after>_?\d*|_\w+|[a-w])|(?P<before>\w+)_(?P<last>[xyz])")
SAMPLES = 24  # random positions at which rows are looked at
FEWEST = 8  # of them at which a row must be finite
SAME = 1e-7  # relative: directions and places that differ by less are one
GRID = 161  # values of each coordinate at which a curve is sought
MARGIN = 0.25  # of the size of the motion, around it, within which a curve is drawn
TRACED = 6  # points of which the paths are drawn
PINNED = 1e-4  # rad, the least turn by which a pin is known; of the arc of that turn: what its point may move
MARK = ((0.0, 0.0), (0.6, -0.95), (0.85, -0.95), (-0.85, -0.95), (-0.6, -0.95), (0.0, 0.0))  # triangle on a line
MARKED = 0.09  # of the half length of a bar: the width of the mark beneath its pin
LISTED = 4  # points that are named in the note


@dataclass(frozen=True)
class Spot:
    """A point that coordinates give, by their names."""

    axes: tuple[str | None, ...]  # coordinate of each of its two or three components; None: the component is 0
    angle: str | None = None  # coordinate that turns it (in the plane)
    polar: tuple[str, str] | None = None  # distance and angle in place of `axes`
    zero: float = 0.0  # rad, direction in the picture of the polar angle 0
    half: float = 0.0  # m, half the length of the bar that shows its angle

    @property
    def named(self) -> tuple[str, ...]:
        """Its coordinates."""
        return (*(self.polar or [name for name in self.axes if name]), *((self.angle,) if self.angle else ()))

    def place(self, q: Any) -> tuple[Any, ...]:
        """Return where it is, from the coordinates by name."""
        if self.polar is not None:
            r, angle = q[self.polar[0]], q[self.polar[1]] + self.zero
            return r * np.cos(angle), r * np.sin(angle)
        return tuple(0.0 if name is None else q[name] for name in self.axes)

    def placed(self, q: Any) -> Placed:
        """Return where it is and how it is turned."""
        place = self.place(q)
        if self.angle is not None:
            return at_angle(place, q[self.angle])
        return Placed(place, tuple(tuple(e) for e in np.eye(len(place)).tolist()))

    def marks(self) -> list[Points | Polyline]:
        """Return a dot and, where it has an angle, a bar along it."""
        size = 2 if self.polar is not None else len(self.axes)
        bar = [Polyline([(-self.half, 0.0), (self.half, 0.0)])] if self.half else []
        return [Points([(0.0,) * size]), *bar]


@dataclass
class _Drawn:
    """What is drawn so far, and which rows say so."""

    lines: list[Curve] = field(default_factory=list)
    strings: list[Curve] = field(default_factory=list)
    curves: list[Array] = field(default_factory=list)
    words: list[str] = field(default_factory=list)
    rows: list[int] = field(default_factory=list)


def drawing_of(run: Trajectory) -> Drawing:
    """Return how a run is drawn: its mechanism, or points with the rods, strings and curves that its rows are.

    `note`, which a film shows in its corner, says what was guessed. Rows that are neither distances nor curves of one
    point in the plane are not drawn, nor are those that depend on time. Raises InputError where no coordinates are
    those of points; a `Drawing` with `lines` is then to be written.

    >>> import gauss as g
    >>> from gauss.bodies import drawing_of
    >>> pendulum = g.System(
    ...     "pendulum",
    ...     coordinates="x y",
    ...     kinetic_energy=lambda v: 0.5 * (v.x**2 + v.y**2),
    ...     potential_energy=lambda q: 9.81 * q.y,
    ...     constraints=[g.Holonomic("rod", lambda q: q.x**2 + q.y**2 - 1.0)],
    ... )
    >>> print(drawing_of(g.simulate(pendulum, [1, 0], t_end=0.1)).note)
    drawn from the names and rows: points (x, y); rod 'rod'
    """
    if run.setting is None:
        raise InputError("a trajectory from a file needs its model to be drawn: use trajectory.with_system(system).")
    system = run.setting.system
    if isinstance(system.source, Mechanism):
        return Drawing(system.source)
    spots = spots_of(system, run)
    if not spots:
        raise InputError(
            f"{system.name!r} cannot be drawn from its coordinates {', '.join(system.coordinates)}, which are not those"
            " of points (x y, x1 y1 z1, r phi); give gauss.bodies.Drawing(lines=[…]) with functions of the coordinates"
            f" that return the points of a line, as lambda q: [(0, 0), (q[{system.coordinates[0]!r}], 1)]."
        )
    found = _rows_drawn(system, run, spots)
    rest = [name for name in system.coordinates if not any(name in spot.named for spot in spots)]
    listed = ", ".join(_listed(spot) for spot in spots[:LISTED]) + (", …" if len(spots) > LISTED else "")
    words = [f"points {listed}", *found.words]
    rest += [f"row {system.model.names[k]!r}" for k in system.model.positional if k not in found.rows]
    words += [f"not drawn: {', '.join(rest)}"] if rest else []
    return Drawing(
        lines=found.lines,
        strings=found.strings,
        placed=[(spot.marks(), spot.placed) for spot in spots],
        traces=[spot.place for spot in spots] if len(spots) <= TRACED else (),
        shapes={GROUND: [Polyline(curve.tolist()) for curve in found.curves]} if found.curves else {},
        axes=_axes_of(spots),
        note="drawn from the names and rows: " + "; ".join(words),
    )


# ------------------------------------------------------------------ points by the names of coordinates


def spots_of(system: System, run: Trajectory) -> list[Spot]:
    """Return the points that the names of the coordinates tell, all in the plane or all in space."""
    groups: dict[tuple[str, str], dict[str, str]] = {}
    for name in system.coordinates:
        match = NAMED.fullmatch(name)
        if match:
            key = (match["before"] or "", match["after"] or "")
            groups.setdefault(key, {})[match["axis"] or match["last"]] = name
    several = {key: group for key, group in groups.items() if len(group) > 1}
    groups = several or {key: group for key, group in groups.items() if key[1].strip("_").isdigit() or not any(key)}
    space = any(len(group) == 3 for group in groups.values())
    planes = {"".join(sorted(group)) for group in groups.values() if len(group) == 2}
    plane = planes.pop() if len(planes) == 1 else "xy"
    if space or planes:
        shown = "xyz"
    elif not several:
        shown = "xz" if any("z" in group for group in groups.values()) else "xy"
    else:
        shown = plane
    spots = [
        _turned(Spot(tuple(group.get(axis) for axis in shown)), key, system, run)
        for key, group in groups.items()
        if set(group) <= set(shown)
    ]
    if spots:
        return spots
    polar = [spot for spot in (_polar(name, system, run) for name in system.coordinates) if spot is not None]
    alone = [Spot((name, None)) for name in system.coordinates if name in LINE and system.n == 1]
    return polar or alone


def _axes_of(spots: Sequence[Spot]) -> tuple[str, ...]:
    """Return the names of the two axes of a picture in the plane."""
    if len(spots[0].axes) != 2 or spots[0].polar is not None:
        return ()
    letters = [{NAMED.fullmatch(name) for spot in spots if (name := spot.axes[k])} for k in (0, 1)]
    named = [
        next(((m["axis"] or m["last"]) for m in of if m), default) for of, default in zip(letters, "xy", strict=True)
    ]
    return named[0], "z" if named[0] != "x" and named[1] == named[0] else named[1]


def _mass(system: System, run: Trajectory) -> tuple[Array, Array]:
    """Return random positions (N, n) about the run and the mass matrices (N, n, n) there."""
    q = _positions(run)
    assert run.setting is not None
    return q, system.model.batch(q, np.zeros_like(q), np.full(len(q), run.t[0]), run.setting.theta)[0]


def _turned(spot: Spot, key: tuple[str, str], system: System, run: Trajectory) -> Spot:
    """Return a point with the angle that has its number, if its inertia is that of a body in the plane."""
    own = [name for name in spot.axes if name]
    angles = [name for word in ANGLES if (name := word + key[1]) in system.coordinates]
    if key[0] or len(spot.axes) != 2 or len(own) != 2 or len(angles) != 1:
        return spot
    at = [system.coordinates.index(name) for name in (*own, angles[0])]
    M = _mass(system, run)[1][:, at][:, :, at]
    m, J = M[0, 0, 0], M[0, 2, 2]
    if not (m > 0.0 and J > 0.0 and np.allclose(M, np.diag([m, m, J]), rtol=SAME, atol=SAME * min(m, J))):
        return spot
    return Spot(spot.axes, angles[0], half=float(np.sqrt(3.0 * J / m)))


def _polar(name: str, system: System, run: Trajectory) -> Spot | None:
    """Return the point with the polar coordinates r (or rho) of this name and an angle, if M is m diag(1, r²).

    The potential says which way is up: an angle whose potential is −m g r cos φ counts from below.
    """
    match = re.fullmatch(r"(r|rho)(_?\d*)", name)
    angles = [a for word in ANGLES if match and (a := word + match[2]) in system.coordinates]
    if not angles:
        return None
    i, j = (system.coordinates.index(x) for x in (name, angles[0]))
    q, M = _mass(system, run)
    m = M[0, i, i]
    expected = np.zeros((len(q), 2, 2))
    expected[:, 0, 0], expected[:, 1, 1] = m, m * q[:, i] ** 2
    if not m > 0.0 or not np.allclose(M[:, [i, j]][:, :, [i, j]], expected, rtol=SAME, atol=SAME * m):
        return None
    assert run.setting is not None
    round_ = np.tile(run.q[0], (4, 1))
    round_[:, j] = np.pi / 2.0 * np.arange(4)
    V = system.model.energies(round_, 0.0 * round_, np.full(4, run.t[0]), run.setting.theta)[1]
    east, north = V[0] - V[2], V[1] - V[3]  # twice the first harmonic
    level = np.hypot(east, north) <= SAME * np.max(np.abs(V), initial=1e-300)
    zero = 0.0 if level else np.pi / 2.0 - np.arctan2(north, east)
    return Spot((None, None), polar=(name, angles[0]), zero=float(zero))


# ------------------------------------------------------------------ what the rows are


def _positions(run: Trajectory) -> Array:
    """Return random positions (N, n), spread about those of the run by the size of the motion."""
    rng = np.random.default_rng(0)
    spread = max(float(np.max(np.ptp(run.q, axis=0))), float(np.max(np.abs(run.q))), 1e-3)
    some = run.q[rng.integers(len(run), size=SAMPLES)]
    return np.asarray(some + spread * rng.normal(size=some.shape))


def _rows_drawn(system: System, run: Trajectory, spots: Sequence[Spot]) -> _Drawn:
    """Return the rods, strings and curves that positional rows are."""
    found, q = _Drawn(), _positions(run)
    assert run.setting is not None
    theta, model = run.setting.theta, system.model
    for spot in spots:
        pin, rows = _pinned(system, run, spot)
        if pin is not None:
            found.curves.append(pin + MARKED * spot.half * np.array(MARK))
            found.words.append(f"pin {' + '.join(repr(model.names[k]) for k in rows)}")
            found.rows += rows
    ends = [model.batch(q, 0.0 * q, np.full(len(q), t), theta)[1] for t in (run.t[0], run.t[-1])]
    for k in model.positional:
        row, kind = model.names[k], model.kinds[k]
        concerned = {name for name, yes in zip(system.coordinates, model.concerned[k], strict=True) if yes}
        of = [spot for spot in spots if concerned & set(spot.named)]
        known = {name for spot in of for name in spot.named if name != spot.angle}
        good = np.all(np.isfinite(ends[0][:, k]), axis=1) & np.any(ends[0][:, k] != 0.0, axis=1)
        if not of or not concerned <= known or good.sum() < FEWEST:
            continue
        slopes = [_slopes(system.coordinates, spot, q[good], ends[0][good, k]) for spot in of]
        pulls, line = False, None
        steady = np.allclose(ends[0][good, k], ends[1][good, k], rtol=SAME, atol=0.0)
        if len(of) == 2 and steady:
            pulls, line = _between(of, slopes)
        elif len(of) == 1 and steady:
            pulls, line = _from_a_centre(of[0], *slopes[0])
        if line is not None and (kind == "holonomic" or pulls):
            (found.lines if kind == "holonomic" else found.strings).append(line)
            found.words.append(f"{'rod' if kind == 'holonomic' else 'string'} {row!r}")
            found.rows.append(k)
        elif len(of) == 1 and len(of[0].axes) == 2 and of[0].polar is None and steady:
            there = _curves(system, run, k, of[0], spots)
            curves = [c for c in there if not _there(c, found.curves)]
            found.curves += curves
            found.rows += [k] if there else []
            found.words += [f"curve {row!r}"] if curves else []
    return found


def _pinned(system: System, run: Trajectory, spot: Spot) -> tuple[Array | None, list[int]]:
    """Return the point (2,) about which rows on a bar alone let it turn, if it stays where it is, and these rows."""
    assert run.setting is not None
    model = system.model
    own = [system.coordinates.index(name) for name in spot.named]
    rows = [k for k in model.positional if model.kinds[k] == "holonomic" and np.any(model.concerned[k])]
    rows = [k for k in rows if not np.any(np.delete(np.asarray(model.concerned[k]), own))]
    if spot.angle is None or len(own) != 3 or len(rows) < 2 or len(run) < 2:
        return None, []
    some = run.at(np.linspace(run.t[0], run.t[-1], SAMPLES))
    turned = float(np.ptp(some[spot.angle]))
    J = model.batch(some.q, 0.0 * some.q, some.t, run.setting.theta)[1][:, rows][:, :, own]
    sizes, free = np.linalg.svd(J)[1:]
    rate = free[:, 2, 2]  # of the angle, where the rows leave one freedom: x, y, angle in this order
    if turned <= PINNED or np.any(sizes[:, 1] <= SAME * sizes[:, 0]) or np.any(np.abs(rate) <= SAME):
        return None, []
    if sizes.shape[1] > 2 and np.any(sizes[:, 2] > SAME * sizes[:, 0]):
        return None, []
    place = np.column_stack(spot.place(some))
    centre = place + np.column_stack([-free[:, 2, 1], free[:, 2, 0]]) / rate[:, None]  # of v + ω × r = 0
    size = spot.half + float(np.max(np.ptp(place, axis=0)))
    return (centre[0], rows) if np.all(np.ptp(centre, axis=0) <= PINNED * turned * size) else (None, [])


def _slopes(coordinates: Sequence[str], spot: Spot, q: Array, J: Array) -> tuple[Array, Array]:
    """Return places (N, d) of a point and the derivatives (N, d) of a row by its place."""
    by_name = {name: q[:, i] for i, name in enumerate(coordinates)}
    place = np.stack([np.broadcast_to(x, (len(q),)) for x in spot.place(by_name)], axis=1)
    if spot.polar is None:
        return place, np.stack(
            [np.zeros(len(q)) if a is None else J[:, coordinates.index(a)] for a in spot.axes], axis=1
        )
    by_r, by_angle = (J[:, coordinates.index(name)] for name in spot.polar)
    r, angle = (by_name[name] for name in spot.polar)
    c, s = np.cos(angle + spot.zero), np.sin(angle + spot.zero)
    return place, np.stack([by_r * c - by_angle * s / r, by_r * s + by_angle * c / r], axis=1)


Ends = tuple[bool, Callable[[Any], Any] | None]  # whether a unilateral row pulls together, and the line


def _between(spots: Sequence[Spot], slopes: Sequence[tuple[Array, Array]]) -> Ends:
    """Return the line between two points, if a row holds their distance."""
    (p1, g1), (p2, g2) = slopes
    apart = p1 - p2
    if not np.allclose(g1, -g2, rtol=0.0, atol=SAME * float(np.max(np.abs(g1)))) or not _parallel(g1, apart):
        return False, None
    return bool(np.all(np.sum(g1 * apart, axis=1) < 0.0)), partial(_joined, tuple(spots))


def _from_a_centre(spot: Spot, places: Array, slopes: Array) -> Ends:
    """Return the line from a fixed point, if a row holds the distance to it: where all directions of its slope meet."""
    d = places.shape[1]
    n = slopes / np.linalg.norm(slopes, axis=1, keepdims=True)
    across = np.eye(d) - n[:, :, None] * n[:, None, :]
    left, right = np.sum(across, axis=0), np.sum(across @ places[:, :, None], axis=0)[:, 0]
    if np.linalg.cond(left) > 1.0 / SAME:
        return False, None
    centre = np.linalg.solve(left, right)
    size = float(np.max(np.abs(places)))
    centre[np.abs(centre) <= SAME * size] = 0.0
    if not _parallel(slopes, places - centre):
        return False, None
    pulls = bool(np.all(np.sum(slopes * (places - centre), axis=1) < 0.0))
    return pulls, partial(_joined, (tuple(centre.tolist()), spot))


def _joined(ends: tuple[Any, ...], q: Any) -> list[tuple[Any, ...]]:
    """Return the points of a line: points that coordinates give, or fixed ones."""
    return [end.place(q) if isinstance(end, Spot) else end for end in ends]


def _parallel(a: Array, b: Array) -> bool:
    """Whether vectors (N, d) are parallel, each to its own, and none is zero."""
    sizes = np.linalg.norm(a, axis=1) * np.linalg.norm(b, axis=1)
    if np.any(sizes == 0.0):
        return False
    off = a - (np.sum(a * b, axis=1) / np.sum(b * b, axis=1))[:, None] * b
    return bool(np.all(np.linalg.norm(off, axis=1) <= SAME * np.linalg.norm(a, axis=1)))


def _curves(system: System, run: Trajectory, row: int, spot: Spot, spots: Sequence[Spot]) -> list[Array]:
    """Return the curves (k, 2) on which a row of one point in the plane vanishes, within and around the motion."""
    import contourpy  # late: it comes with matplotlib, which drawing alone needs

    assert run.setting is not None
    places = np.concatenate([np.column_stack(np.broadcast_arrays(*s.place(run), run.t))[:, :2] for s in spots])
    low, high = np.min(places, axis=0), np.max(places, axis=0)
    room = MARGIN * (float(np.max(high - low)) or 1.0)
    across, up = (np.linspace(a - room, b + room, GRID) for a, b in zip(low, high, strict=True))
    grid = np.stack(np.meshgrid(across, up), axis=-1).reshape(-1, 2)
    q = np.tile(run.q[0], (len(grid), 1))
    for k, name in enumerate(spot.axes):
        if name is not None:
            q[:, system.coordinates.index(name)] = grid[:, k]
    values = system.model.batch_residuals(q, 0.0 * q, np.full(len(q), run.t[0]), run.setting.theta)[0][:, row]
    table = np.ma.masked_invalid(values.reshape(GRID, GRID))
    return [np.asarray(line) for line in contourpy.contour_generator(across, up, table).lines(0.0) if len(line) > 1]


def _there(curve: Array, curves: Sequence[Array]) -> bool:
    """Whether a curve is among others."""
    return any(curve.shape == other.shape and np.allclose(curve, other) for other in curves)


def _listed(spot: Spot) -> str:
    """Return a point by its coordinates."""
    return f"({', '.join(spot.polar or [name or '0' for name in spot.axes])}{f'; {spot.angle}' if spot.angle else ''})"
