"""Bifurcation diagrams: branches of equilibria over a parameter."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from gauss.analysis import Bifurcations, bifurcations
from gauss.errors import InputError
from gauss.foundation.calls import advised
from gauss.model import AnySystem, system_of
from gauss.model.units import ANGLES
from gauss.motion.record.columns import in_degrees
from gauss.show.diagrams.canvas import canvas, require_angle, require_axes
from gauss.show.look import BLACK, BLUE, FAINT, VERMILLION, beside, labelled, symbol

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

STABLE = ("stable", "asymptotically stable", "decaying but for neutral states")
LOOKS = {  # of branches, by their stability
    "stable": {"color": BLUE, "ls": "-", "lw": 1.8},
    "unstable": {"color": VERMILLION, "ls": "--", "lw": 1.3},
    "not decided": {"color": FAINT, "ls": ":", "lw": 1.6},
}
POINTS: dict[str, dict[str, Any]] = {
    "fold": {"marker": "o", "mfc": "white", "mec": BLACK},
    "branch point": {"marker": "s", "mfc": BLACK, "mec": BLACK},
}


@advised
def bifurcation_diagram(
    system: AnySystem | Bifurcations,
    parameter: str = "",
    values: tuple[float, float] | None = None,
    guesses: Sequence[object] = (),
    *,
    coordinate: str | None = None,
    u: object = None,
    degrees: bool = False,
    ax: Any = None,
) -> Figure:
    """Return a coordinate of the equilibria over a parameter: stable ones full, unstable ones dashed.

    Folds and the points where branches meet are marked. The arguments are those of `gauss.analysis.bifurcations`, whose
    result may stand for all of them; `coordinate` is the first one if left out. Raises InputError as `bifurcations`
    does, and for an unknown coordinate.

    >>> import gauss as g
    >>> hoop = g.System(
    ...     "bead on a rotating hoop",
    ...     coordinates="phi",
    ...     parameters={"w": 1.0},
    ...     kinetic_energy=lambda q, v, p: 0.5 * (v.phi**2 + p.w**2 * g.sin(q.phi) ** 2),
    ...     potential_energy=lambda q: -9.0 * g.cos(q.phi),
    ...     units={"phi": "rad", "w": "rad/s"},
    ... )
    >>> figure = g.show.bifurcation_diagram(hoop, "w", (1.0, 5.0), [[0.0]], degrees=True)
    >>> figure.axes[0].get_xlabel(), figure.axes[0].get_ylabel()
    ('$w$ / (rad/s)', '$\\\\phi$ / deg')
    """
    require_axes(ax)
    about = system.system if isinstance(system, Bifurcations) else system_of(system)
    name = about.coordinates[0] if coordinate is None else coordinate
    if name not in about.coordinates:
        raise InputError(f"{about.name!r} has no coordinate {name!r}; it has {', '.join(about.coordinates)}.")
    require_angle(degrees, about, name)
    if isinstance(system, Bifurcations):
        found = system
    else:
        if values is None:
            raise InputError("give the first and the last value of the parameter, as values=(0.0, 1.0).")
        found = bifurcations(system, parameter, values, guesses, u=u)
    with canvas(ax, found.system.name) as (figure, (axes,)):
        _draw(found, name, axes, degrees)
        return figure


def _draw(found: Bifurcations, name: str, axes: Axes, degrees: bool) -> None:
    place, unit = found.system.coordinates.index(name), found.system.unit(name)

    def shown(values: Any) -> Any:
        return in_degrees(unit, values)[1] if degrees else values

    seen: set[str] = set()
    for branch in found.branches:
        words = np.array(["stable" if word in STABLE else word for word in branch.stability])
        breaks = [0, *(np.flatnonzero(words[1:] != words[:-1]) + 1), len(words)]
        for first, last in pairwise(breaks):
            word, piece = str(words[first]), slice(max(0, first - 1), last)  # joined with the piece before
            label = "_nolegend_" if word in seen else word
            axes.plot(branch.values[piece], shown(branch.q[piece, place]), label=label, **LOOKS[word])  # type: ignore[arg-type]
            seen.add(word)
    for kind, look in POINTS.items():
        points = [point for point in found.points if point.kind == kind]
        if points:
            heights = shown(np.array([point.q[place] for point in points]))
            axes.plot([p.value for p in points], heights, ls="", ms=5, zorder=4, label=kind, **look)
    if not found.branches:
        axes.text(0.5, 0.5, "no equilibrium found", transform=axes.transAxes, ha="center")
    axes.set_xlabel(labelled(symbol(found.parameter), found.system.unit(found.parameter)))
    axes.set_ylabel(labelled(symbol(name), ANGLES[unit] if degrees else unit))
    beside(axes)
