"""Phase portraits: motions, equilibria and separatrices in the plane of a coordinate and its velocity."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from gauss.analysis import Portrait, portrait
from gauss.foundation.arrays import Array
from gauss.foundation.calls import advised
from gauss.model import AnySystem, system_of
from gauss.model.units import ANGLES
from gauss.motion.record.columns import in_degrees
from gauss.show.diagrams.canvas import canvas, require_angle, require_axes
from gauss.show.look import BLACK, BLUE, ORANGE, VERMILLION, beside, labelled, symbol

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

LOOKS: dict[str, dict[str, Any]] = {  # of equilibria
    "saddle": {"marker": "X", "mfc": "white", "mec": VERMILLION},
    "centre": {"marker": "o", "mfc": BLUE, "mec": BLUE},
    "stable focus": {"marker": "o", "mfc": BLUE, "mec": BLACK},
    "stable node": {"marker": "s", "mfc": BLUE, "mec": BLACK},
    "unstable focus": {"marker": "o", "mfc": "white", "mec": VERMILLION},
    "unstable node": {"marker": "s", "mfc": "white", "mec": VERMILLION},
    "degenerate": {"marker": "D", "mfc": ORANGE, "mec": BLACK},
}


@advised
def phase_portrait(
    system: AnySystem | Portrait,
    coordinate: str = "",
    span: tuple[float, float] | None = None,
    rates: tuple[float, float] | None = None,
    *,
    starts: Sequence[tuple[float, float]] | None = None,
    q: object = None,
    u: object = None,
    degrees: bool = False,
    ax: Any = None,
) -> Figure:
    """Return the phase portrait of a system with one freedom: motions, equilibria by their kind, separatrices.

    The arguments are those of `gauss.analysis.portrait`, whose result may stand for all of them. The coordinate may be
    left out where there is one. With `degrees` angles are in degrees: those that are shown, and those given as `span`,
    `rates` and `starts`. Raises InputError as `portrait` does, before anything is computed.

    >>> import gauss as g
    >>> pendulum = g.System(
    ...     "pendulum",
    ...     coordinates="phi",
    ...     kinetic_energy=lambda v: 0.5 * v.phi**2,
    ...     potential_energy=lambda q: -9.81 * g.cos(q.phi),
    ...     units={"phi": "rad"},
    ... )
    >>> figure = g.show.phase_portrait(pendulum, "phi")
    >>> figure.axes[0].get_ylabel()
    '$\\\\dot \\\\phi$ / (rad/s)'
    """
    require_axes(ax)
    if isinstance(system, Portrait):
        require_angle(degrees, system.system, system.coordinate)
        found = system
    else:
        system = system_of(system)
        coordinate = coordinate or (system.coordinates[0] if system.n == 1 else "")
        if coordinate in system.coordinates:
            require_angle(degrees, system, coordinate)
        if degrees:
            span, rates, starts = (_in_radians(given) for given in (span, rates, starts))
        found = portrait(system, coordinate, span, rates, starts=starts, q=q, u=u)
    with canvas(ax, found.system.name) as (figure, (axes,)):
        _draw(found, axes, degrees)
        return figure


def _in_radians(given: Any) -> Any:
    """Return numbers in radians that are given in degrees; what is no numbers as it is, for `portrait` to refuse."""
    try:
        return None if given is None else np.deg2rad(np.asarray(given, dtype=float))
    except (TypeError, ValueError):
        return given


def _draw(found: Portrait, axes: Axes, degrees: bool) -> None:
    names = found.coordinate, "d_" + found.coordinate
    units = [found.system.unit(name) for name in names]

    def shown(k: int, values: Any) -> Array:
        return in_degrees(units[k], np.asarray(values))[1] if degrees else np.asarray(values)

    for curve in found.curves:
        axes.plot(shown(0, curve[:, 0]), shown(1, curve[:, 1]), color=BLUE, lw=0.8, alpha=0.8)
    for curve in found.separatrices:
        axes.plot(shown(0, curve[:, 0]), shown(1, curve[:, 1]), color=VERMILLION, lw=1.6)
    if found.separatrices:
        axes.plot([], [], color=VERMILLION, lw=1.6, label="separatrix")
    for kind, look in LOOKS.items():
        places = [point.x for point in found.equilibria if point.kind == kind]
        if places:
            zeros = np.zeros(len(places))
            axes.plot(shown(0, places), zeros, ls="", ms=7, mew=1.4, zorder=4, label=kind, **look)
    axes.set_xlim(*shown(0, found.span))
    axes.set_ylim(*shown(1, found.rates))
    _arrows(axes, [np.column_stack([shown(0, c[:, 0]), shown(1, c[:, 1])]) for c in found.curves])
    told = [ANGLES.get(unit, unit) if degrees else unit for unit in units]
    if not found.settled:
        axes.set_title(f"{found.system.name}: more than the {len(found.equilibria)} equilibria may exist")
    labels = [labelled(symbol(name, found.system.coordinates), unit) for name, unit in zip(names, told, strict=True)]
    axes.set(xlabel=labels[0], ylabel=labels[1])
    beside(axes)


def _arrows(axes: Axes, curves: Sequence[Array]) -> None:
    """Show the direction of time, once on each curve, where it is fastest inside the window."""
    (left, right), (bottom, top) = axes.get_xlim(), axes.get_ylim()
    size = np.array([right - left, top - bottom])
    for curve in curves:
        inside = np.all(np.abs(curve - [(left + right) / 2, (bottom + top) / 2]) < 0.47 * size, axis=1)
        at = np.flatnonzero(inside[:-1] & inside[1:])
        if not at.size:
            continue
        k = int(at[np.argmax(np.linalg.norm(np.diff(curve, axis=0)[at] / size, axis=1))])
        how = {"arrowstyle": "-|>", "color": BLUE, "lw": 0.8, "shrinkA": 0, "shrinkB": 0, "mutation_scale": 9}
        axes.annotate("", curve[k + 1], curve[k], arrowprops=how)
