"""Pictures of linear equations: eigenvalues over a parameter in the complex plane, and the shapes of modes."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from gauss.analysis import Linearization, SteadyMotion
from gauss.analysis import root_locus as eigenvalues_over
from gauss.analysis.linear.stability import RootLocus
from gauss.errors import InputError
from gauss.foundation.arrays import Array
from gauss.foundation.calls import advised
from gauss.model.units import NONE
from gauss.show.diagrams.canvas import canvas, require_axes
from gauss.show.look import BLACK, BLUE, FAINT, VERMILLION, labelled, plain, style, symbol

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

SHAPES = 6  # modes that are drawn
ACROSS = 3  # of them beside each other
NAMED = 12  # coordinates that are named below a shape


@advised
def root_locus(
    build: Callable[[float], object] | RootLocus,
    values: object = None,
    *,
    parameter: str = "",
    unit: str = "",
    title: str = "",
    ax: Any = None,
) -> Figure:
    """Return the paths of eigenvalues in the complex plane over the values of a parameter.

    `build` and `values` are those of `gauss.analysis.root_locus`, whose result may stand for both. The colour is the
    value of the parameter, a cross marks the first one and a circle the last; the shaded half plane is unstable. Raises
    InputError as `gauss.analysis.root_locus` does.

    >>> import gauss as g
    >>> def damped(c):
    ...     system = g.System("spring", "x", mass_matrix=[[1.0]], force=lambda q, v: [-q.x - c * v.x])
    ...     return g.linearize(system, [0.0])
    >>> figure = g.show.root_locus(damped, [0.0, 0.5, 1.0, 1.5], parameter="c", unit="N s/m")
    >>> figure.axes[1].get_ylabel()
    '$c$ / (N s/m)'
    """
    require_axes(ax)
    found = build if isinstance(build, RootLocus) else eigenvalues_over(build, values)
    with canvas(ax, title) as (figure, (axes,)):
        from matplotlib.collections import LineCollection

        x, y = found.eigenvalues.real, found.eigenvalues.imag
        low, high = float(np.min(found.values)), float(np.max(found.values))
        for k in range(x.shape[1]):
            points = np.column_stack([x[:, k], y[:, k]])
            if len(points) > 1:
                pieces = LineCollection(list(np.stack([points[:-1], points[1:]], axis=1)), cmap="cividis", lw=1.8)
                pieces.set_array(0.5 * (found.values[:-1] + found.values[1:]))
                pieces.set_clim(low, high if high > low else low + 1.0)
                axes.add_collection(pieces)
        axes.plot(x[0], y[0], "x", color=BLACK, ms=6, label=f"{found.values[0]:g}")
        axes.plot(x[-1], y[-1], "o", mfc="white", mec=BLACK, ms=5, label=f"{found.values[-1]:g}")
        axes.autoscale_view()
        axes.margins(0.08)
        left, right = axes.get_xlim()
        axes.axvspan(0.0, max(right, 0.02 * (right - left)), color=VERMILLION, alpha=0.08, lw=0)
        axes.axvline(0.0, color=FAINT, lw=0.8)
        axes.axhline(0.0, color=FAINT, lw=0.8)
        axes.set_xlim(left, max(right, 0.02 * (right - left)))
        axes.set(xlabel="Re $s$ / (1/s)", ylabel="Im $s$ / (1/s)")
        if axes.collections and len(found.values) > 1:
            bar = figure.colorbar(next(c for c in axes.collections if c.get_array() is not None), ax=axes)
            bar.set_label(labelled(symbol(parameter) or "parameter", unit))
        axes.legend(loc="best", title=symbol(parameter) or None)
        return figure


@advised
def normal_modes(about: Linearization | SteadyMotion, *, most: int = SHAPES) -> Figure:
    """Return the shapes of the oscillating modes about an equilibrium, slowest first, each with its frequency.

    `about` is what `gauss.linearize` or `gauss.equilibrium` return. A shape is drawn as its coordinates at the moment
    of the largest deflection, the largest of them 1. ``gauss.animate(about, mode=1)`` is the first of them as a film.
    Raises InputError where no mode oscillates.

    >>> import gauss as g
    >>> chain = g.System(
    ...     "two masses",
    ...     coordinates="x1 x2",
    ...     kinetic_energy=lambda v: 0.5 * (v.x1**2 + v.x2**2),
    ...     potential_energy=lambda q: 0.5 * (q.x1**2 + (q.x2 - q.x1) ** 2 + q.x2**2),
    ... )
    >>> [axes.get_title() for axes in g.show.normal_modes(g.linearize(chain, [0, 0])).axes]
    ['0.159 Hz', '0.276 Hz']
    """
    from gauss.show.notebook import NotebookFigure

    linear = about.linearize() if isinstance(about, SteadyMotion) else about
    if not isinstance(linear, Linearization):
        raise InputError(f"normal_modes needs what gauss.linearize or gauss.equilibrium return, got {about!r}.")
    modes = linear.oscillating
    if not modes:
        raise InputError(f"no mode of {linear.system.name!r} oscillates there.")
    shown = modes[: max(1, most)]
    columns = min(ACROSS, len(shown))
    rows = -(-len(shown) // columns)
    with style():
        figure = NotebookFigure(figsize=(2.6 * columns + 0.8, 2.0 * rows + 0.5), layout="constrained")
        grid = figure.subplots(rows, columns, squeeze=False, sharex=True, sharey=True)
        for axes, k in zip(grid.ravel(), shown, strict=False):
            _draw_shape(axes, linear, k)
        for axes in grid.ravel()[len(shown) :]:
            axes.set_visible(False)
        more = f" ({len(shown)} of {len(modes)} modes)" if len(modes) > len(shown) else ""
        figure.suptitle(plain(linear.system.name) + more, fontsize="medium")
        return figure


def _draw_shape(axes: Axes, linear: Linearization, k: int) -> None:
    """Draw one mode, with its frequency and the share of critical damping."""
    names, value = linear.system.coordinates, complex(linear.eigenvalues[k])
    mode = linear.mode(k)
    shape = _at_its_largest(np.array([mode[name] for name in names]))
    x = np.arange(len(names))
    axes.axhline(0.0, color=FAINT, lw=0.8)
    if len(names) > NAMED:
        axes.plot(x + 1, shape, color=BLUE)
        axes.set_xlabel("coordinate")
    else:
        axes.bar(x, shape, width=0.6, color=BLUE)
        axes.set_xticks(x, [symbol(name) for name in names], rotation=90 if max(map(len, names)) > 5 else 0)
    units = {linear.system.unit(name) for name in names} - {"", NONE}
    if len(units) > 1:
        axes.set_ylabel(f"amplitude / {', '.join(sorted(units))}")
    axes.set_ylim(-1.15, 1.15)
    damping = -value.real / abs(value)
    decaying = abs(value.real) > linear.spectrum.uncertainty[k]
    axes.set_title(f"{value.imag / (2.0 * np.pi):.3g} Hz" + (f", damping {damping:.2g}" if decaying else ""))


def _at_its_largest(shape: Any) -> Array:
    """Return the real shape at the phase at which it is longest, its largest entry 1."""
    turned = shape * np.exp(-0.5j * np.angle(np.sum(shape**2)))
    real = np.asarray(turned.real)
    largest = real[np.argmax(np.abs(real))]
    return np.asarray(real / largest if largest else real)
