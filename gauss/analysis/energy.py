"""The energy balance of a motion: how far it drifts, and why it may."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gauss.foundation.arrays import Array
from gauss.foundation.calls import advised
from gauss.motion import Trajectory, require_run


@dataclass(frozen=True)
class EnergyBalance:
    """Kinetic plus potential energy along a motion."""

    start: float  # J
    change: float  # J, largest |E(t) + energy lost in impacts so far − E(0)|
    relative: float  # change over the largest kinetic energy
    lost: float  # J, taken by impacts
    friction: float  # J, work of friction with the slip velocities; never positive
    explanation: str
    conserved: bool  # whether all that changes it is counted, so that `change` is numerical


def impact_losses(run: Trajectory) -> Array:
    """Return the energy (N,) that impacts have taken up to each recorded state, J."""
    lost = np.zeros(len(run))
    struck: dict[str, int] = {}  # where the last impact of a row begins to count
    for event in run.events:
        if event.kind == "accumulation":  # its contacts have stopped with the last impact that was followed
            lost[max(struck[name] for name in event.name.split(" + ")) :] += event.energy_loss
        if event.kind not in ("impact", "contact") or (event.kind == "contact" and event.energy_loss == 0.0):
            continue
        # The state before the impact has the same time: only the later one of the pair has lost the energy.
        at = np.flatnonzero(run.t >= event.t)
        first = at[0] + 1 if at.size > 1 and run.t[at[0]] == event.t else at[0]
        if event.kind == "contact":  # perhaps after an impact at the same time
            first = max(first, int(np.searchsorted(run.t, event.t, side="right")) - 1)
        lost[first:] += event.energy_loss
        if event.kind == "impact":
            struck[event.name] = first
    return lost


@advised
def energy_residual(run: Trajectory) -> Array:
    """Return the energy (N,) plus what impacts and friction took, less that at the start, J; zero for an exact motion.

    Of friction the work with the slip velocities counts, and that of moving surfaces under the contacts.
    Raises InputError for what is no run.

    >>> import gauss as g
    >>> stone = g.System("stone", "z", mass_matrix=[[1]], potential_energy=lambda q: 9.81 * q.z)
    >>> residual = g.analysis.energy_residual(g.simulate(stone, [0.0], [5.0], t_end=0.1))
    >>> bool(abs(residual).max() < 1e-9)  # J, of 12.5
    True
    """
    require_run(run)
    balance = run.energy + impact_losses(run) - run.friction_work - run.drive_work
    return np.asarray(balance - balance[0])


def energy_balance(run: Trajectory) -> EnergyBalance:
    """Return the drift of the energy, corrected for the losses in impacts, and what it means for this model."""
    lost = impact_losses(run)
    change = float(np.max(np.abs(energy_residual(run)), initial=0.0))
    scale = float(np.max(run.kinetic, initial=0.0))
    system = None if run.setting is None else run.setting.system
    closed = system is not None and system.model.conservative and system.black_box_force is None
    conserved = run.about.has_potential and closed
    if not run.about.has_potential:
        text = "the model is given by M and f, so its forces have no known potential; the number is ½vᵀMv"
    elif conserved and run.about.contacts:
        text = (
            "but for friction, whose work is counted, the model conserves energy: the drift is the integrator's error"
        )
    elif conserved:
        text = "the model conserves energy, so the drift is the integrator's error"
    else:
        text = "forces, nonlinear or time-dependent constraints may do work here, so energy need not be constant"
    return EnergyBalance(
        float(run.energy[0]),
        change,
        change / scale if scale > 0.0 else 0.0,
        float(lost[-1]) if lost.size else 0.0,
        float(run.friction_work[-1]) if len(run) else 0.0,
        text,
        conserved,
    )
