"""Curves as a page can show them: dense output of a motion, and what remains of many points in few pixels."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from gauss.bodies import Driver, Mechanism, Motor, Servo
from gauss.errors import InputError
from gauss.foundation.arrays import Array, Flags
from gauss.model.units import NONE
from gauss.motion import Trajectory
from gauss.motion.record.columns import in_degrees
from gauss.show.look import STYLE

if TYPE_CHECKING:
    from matplotlib.axes import Axes

LEAST, MOST = 1000, 50_000  # states of dense output
BETWEEN = 8  # states of dense output for each recorded one: an oscillation has some ten recorded ones
CROWDED = 0.5  # turning points for each column of pixels above which single oscillations are not to be told apart
SPECK = 1e-6  # a share of what is drawn that is no more than the width of a line
BAND = 0.3  # opacity of the band that stands for them
NEXT = 0.1  # share of a motion before and behind a singular position where forces may grow without limit
TALL = 3.0  # times what they are elsewhere: beyond it they are cut off
_KEPT: deque[tuple[Trajectory, Trajectory]] = deque(maxlen=8)  # motions, and the same at many times


def dense(run: Trajectory) -> Trajectory:
    """Return the motion at many times if it has its model, else as recorded; of the last motions it is kept.

    Where contacts or singular positions make dense output slow, a motion of many states is drawn as recorded.
    """
    about = run.about
    quick = not (about.contacts or about.redundant or run.windows or about.feedback) and about.locked is None
    if run.setting is None or len(run) < 2 or (len(run) > LEAST and not quick) or BETWEEN * len(run) > 4 * MOST:
        return run
    found = next((finer for known, finer in _KEPT if known is run), None)
    if found is None:
        count = min(max(LEAST, BETWEEN * len(run)), MOST) if quick else LEAST
        found = run.at(np.union1d(np.linspace(run.t[0], run.t[-1], count), run.t))
        _KEPT.append((run, found))
    return found


def value_of(run: Trajectory, name: str, degrees: bool) -> tuple[str, Array]:
    """Return the unit and the values of a name. Raises InputError for what is no number for each state."""
    unit, values = run.unit(name), run[name]
    if values.ndim > 1 or values.dtype.kind not in "fi":
        parts = ", ".join(map(repr, run.parts(name)))
        raise InputError(f"{name!r} is not one number for each state" + (f"; draw one of {parts}." if parts else "."))
    return in_degrees(unit, values) if degrees else (unit, values)


def telling(run: Trajectory) -> list[str]:
    """Return the names that tell a motion: values of the joints of a mechanism, else coordinates.

    Coordinates of bodies that no such joint holds are among them; cosines and sines are not where there is more. In
    joint coordinates the value of a joint that is a coordinate is not repeated.
    """
    source = None if run.setting is None else run.setting.system.source
    held: set[str] = set()
    if isinstance(source, Mechanism) and run.joints:
        valued = {name.rpartition(".")[0].removeprefix("d_") for name in run.joints}
        joints: list[Any] = [joint for joint in source.joints if joint.name in valued]
        held = {name for joint in joints for body in joint.bodies for name in body.coordinates}
    loose = dict.fromkeys(name for name in run.about.coordinates if name not in held).keys()
    values = [name for name in run.joints if loose.isdisjoint(_coordinates_of(name))]
    return [*(x for x in loose if run.about.units.get(x) != NONE), *values] or [*loose]


def _coordinates_of(value: str) -> tuple[str, str]:
    """Return what the value of a joint may be called as a coordinate: "hinge", or "guide_angle1" where it has more."""
    joint, _, word = value.rpartition(".")
    start = "_".join(joint.split())
    return start, f"{start}_{word.replace(' ', '')}"


def forces_of(run: Trajectory) -> list[str]:
    """Return the names of the sizes of the forces in joints."""
    source = None if run.setting is None else run.setting.system.source
    joints = [f"{joint.name}.force" for joint in getattr(source, "joints", ())]
    return [f"{name}.norm" for name in run.names if name in joints and run.parts(name)]


def drives_of(run: Trajectory) -> list[str]:
    """Return the names of what drivers, servos, and motors that are not constant give: torques and forces along joints.

    >>> import gauss as g
    >>> from gauss import bodies as mb
    >>> wheel = mb.PlanarBody("wheel", 1.0, inertia=0.5)
    >>> axle = mb.Pin("axle", mb.GROUND, (0, 0), wheel, (0, 0))
    >>> turned = mb.Mechanism("turned", [wheel], [axle, mb.Driver("drive", axle, lambda t: t**2)])
    >>> drives_of(g.simulate(turned, *turned.state(wheel.pose()), t_end=0.1))
    ['drive']
    """
    source = None if run.setting is None else run.setting.system.source
    joints, forces = getattr(source, "joints", ()), getattr(source, "forces", ())
    drivers = [joint.name for joint in joints if isinstance(joint, Driver) and joint.name in run.about.rows]
    motors = [each for each in forces if isinstance(each, Servo) or (isinstance(each, Motor) and callable(each.torque))]
    given = {f"{each.name}.{'torque' if each.motion == 'angle' else 'force'}" for each in motors}
    return [*drivers, *(f"{name}.norm" if run.parts(name) else name for name in run.names if name in given)]


class Extremes(NamedTuple):
    """The least and the greatest value in each of k columns of equal width, and how often the curve turns in all."""

    t: Array  # (k,) the middle of each column
    low: Array  # (k,)
    high: Array  # (k,)
    turns: int


def extremes(t: Array, y: Array, count: int) -> Extremes:
    """Return the extremes of y (N,) in `count` columns over increasing times t (N,), but of empty columns.

    >>> t = np.linspace(0.0, 1.0, 1001)
    >>> found = extremes(t, np.sin(400.0 * t), 50)
    >>> found.t.size, found.turns, bool(np.max(found.high) == np.max(np.sin(400.0 * t)))
    (50, 127, True)
    """
    known = np.isfinite(y)
    t, y = t[known], y[known]
    if not t.size:
        return Extremes(t, y, y, 0)
    edges = np.linspace(t[0], t[-1], count + 1)
    column = np.clip(np.searchsorted(edges, t, side="right") - 1, 0, count - 1)
    starts = np.flatnonzero(np.diff(column, prepend=-1))
    rising = np.sign(np.diff(y))
    rising = rising[rising != 0.0]
    middle = 0.5 * (edges[:-1] + edges[1:])[column[starts]]
    turns = int(np.sum(rising[1:] != rising[:-1]))
    return Extremes(middle, np.minimum.reduceat(y, starts), np.maximum.reduceat(y, starts), turns)


def ordinary(run: Trajectory) -> Flags:
    """Return which states (N,) are not next to a singular position, where forces may grow like 1/t²; all, if none."""
    span = NEXT * float(run.t[-1] - run.t[0])
    far = np.ones(len(run), dtype=bool)
    for event in run.events:
        if event.kind == "singular":
            far &= np.abs(run.t - event.t) >= span
    return far if np.any(far) else ~far


def columns_of_pixels(axes: Axes) -> int:
    """Return how many columns of pixels axes have in a saved figure, about."""
    figure = axes.get_figure(root=True)
    share = axes.get_position().width
    return max(100, int((figure.get_figwidth() if figure is not None else 6.4) * share * STYLE["savefig.dpi"]))


def draw_over_time(axes: Axes, t: Array, y: Array, size: float, **how: Any) -> bool:
    """Draw y (N,) over t (N,); return whether as a band, since it oscillates faster than the columns of pixels show.

    The band has the least and the greatest value in each column as its edges, so that the envelope is seen. What
    oscillates by less than rounding beside `size`, that of all that is drawn, is a line. `how` are properties of it.
    """
    count = columns_of_pixels(axes)
    found = extremes(t, y, count)
    moves = found.t.size and np.max(found.high) - np.min(found.low) > SPECK * size
    if t.size <= 2 * count or found.turns <= CROWDED * count or not moves:
        axes.plot(t, y, **how)
        return False
    thin = how | {"lw": 0.6, "ls": "-"}
    (line,) = axes.plot(found.t, found.high, **thin)
    axes.plot(found.t, found.low, **(thin | {"label": "_nolegend_", "color": line.get_color()}))
    axes.fill_between(found.t, found.low, found.high, color=line.get_color(), alpha=BAND, lw=0)
    return True
