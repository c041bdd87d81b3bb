"""What the panels of a figure of a motion show: names of one unit each, but for what is zero to rounding."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from gauss.foundation.arrays import SPECK, Array
from gauss.model.units import NONE
from gauss.motion import Trajectory
from gauss.motion.steps.setting import ATOL
from gauss.show.figures.curves import drives_of, forces_of, telling
from gauss.show.look import labelled

QUANTITIES = {"rad": "angles", "N": "forces", "N m": "torques", "J": "energies"}  # of several names, by unit


@dataclass(frozen=True)
class Panel:
    """What is drawn against time in one panel: names of one unit."""

    names: tuple[str, ...]
    unit: str
    specks: Mapping[str, float] = field(default_factory=dict)  # sizes of values up to which they are zero
    without: tuple[str, ...] = ()  # what has no panel, in words


def default_panels(run: Trajectory, rows: bool = True) -> list[Panel]:
    """Return what is drawn of a motion without names: what tells it, its drives, and forces, of joints or of rows."""
    about = run.about
    loads = [name for name in about.rows if about.units.get(name) != NONE]  # those of rigid bodies say little
    forces = [*drives_of(run), *forces_of(run)] if forces_of(run) else loads
    panels = [*panels_of(run, telling(run)), *(panels_of(run, forces, forces) if rows else [])]
    zero = [each for each in panels if all(size_of(run, name) <= each.specks.get(name, 0.0) for name in each.names)]
    if not rows or len(zero) == len(panels):
        return panels
    first, *others = (each for each in panels if each not in zero)
    kinds = ((each, QUANTITIES.get(each.unit, "values")) for each in zero)
    without = tuple(labelled(f"zero: {len(each.names)} {kind}", each.unit) for each, kind in kinds)
    return [replace(first, without=without), *others]


def panels_of(run: Trajectory, names: Sequence[str], forces: Sequence[str] = ()) -> list[Panel]:
    """Return names, grouped by their units; `forces` are measured by the largest of them."""
    units, specks = list(dict.fromkeys(run.unit(name) for name in names)), _specks(run, forces)
    return [Panel(tuple(name for name in names if run.unit(name) == unit), unit, specks) for unit in units]


def _specks(run: Trajectory, forces: Sequence[str]) -> dict[str, float]:
    """Return up to which size values are rounding: of coordinates what steps do not see, of forces a share of all."""
    known = run.about.coordinates
    steps = np.full(len(known), ATOL) if run.setting is None else run.setting.atol[: len(known)]
    share = SPECK * max((size for name in forces if not np.isnan(size := size_of(run, name))), default=0.0)
    joints = dict.fromkeys(run.joints, float(np.max(steps, initial=0.0)))
    return {**joints, **dict(zip(known, steps.tolist(), strict=True)), **dict.fromkeys(forces, share)}


def size_of(run: Trajectory, name: str) -> float:
    """Return the largest size of a quantity along a motion; not a number where it is known nowhere."""
    sizes = np.abs(run[name])
    return float(np.nanmax(sizes, initial=0.0)) if not np.all(np.isnan(sizes)) else np.nan


def spread_of(values: Array) -> float:
    """Return the difference of the largest and the least of values (N,), as far as they are numbers."""
    known = values[~np.isnan(values)]
    return float(np.ptp(known)) if known.size else 0.0
