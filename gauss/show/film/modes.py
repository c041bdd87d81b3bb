"""Modes of small oscillations as motions that can be drawn: large enough to be seen, and on the constraints."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from gauss.analysis import Linearization, SteadyMotion
from gauss.analysis.linear.stability import ComplexArray
from gauss.bodies import Drawing, Mechanism
from gauss.errors import InputError
from gauss.foundation.arrays import Array, positive
from gauss.motion import Trajectory, consistent, simulate
from gauss.show.film.bodies import drawn, scene_of

LASTING = 2.0  # s of a film for one period
PERIODS = 2
SWING = 0.25  # of the half size of the scene: the largest deflection
TRIED = 1e-3  # of the size of the coordinates: the deflection from which that is judged
SHORT = 1e-6  # of a period: the run at the equilibrium, of which a drawing is made


def mode_pictures(
    about: Linearization | SteadyMotion,
    mode: int,
    drawing: Drawing | Mechanism | None,
    speed: float | None,
    rate: float,
) -> tuple[Trajectory, Drawing, float]:
    """Return the pictures of a mode (counted from 1, slowest first), how they are drawn, and the speed of the film.

    Raises InputError where there is no such mode, for a steady motion, and where nothing that is drawn moves.
    """
    linear = about.linearize() if isinstance(about, SteadyMotion) else about
    known, name = linear.oscillating, linear.system.name
    if linear.rates:
        raise InputError(f"the modes of {name!r} are about a steady motion; give an equilibrium.")
    if not isinstance(mode, int | np.integer) or isinstance(mode, bool) or not 1 <= mode <= len(known):
        count = f"are modes 1 to {len(known)}, slowest first" if known else "is no mode that oscillates"
        raise InputError(f"mode {mode!r} of {name!r} does not exist; there {count}.")
    place, state = known[mode - 1], linear.state
    hertz = float(linear.eigenvalues[place].imag / (2.0 * np.pi))
    control = linear.u.tolist() or None
    still = simulate(linear.system, state, t_end=state.t + SHORT / hertz, control=control, progress="none")
    shown = replace(drawn(still, drawing), traces=(), note=f"mode {mode}: {hertz:.4g} Hz")
    faster = 1.0 / (hertz * LASTING) if speed is None else positive(speed, "speed")
    found = linear.mode(place)
    shape = np.array([found[coordinate] for coordinate in linear.system.coordinates])
    return swinging(still, shape, hertz, shown, faster / rate), shown, faster


def swinging(still: Trajectory, shape: ComplexArray, hertz: float, drawing: Drawing, each: float) -> Trajectory:
    """Return pictures of a mode, `each` s of the oscillation apart: its deflection, projected onto the constraints.

    They are states, not a motion: accelerations and multipliers are zero. The largest deflection of anything drawn is a
    quarter of the half size of the scene.
    """
    shape = shape * np.exp(-0.5j * np.angle(np.sum(shape**2)))  # largest when it begins
    shape /= np.max(np.abs(shape.real))
    start = still.q[0]
    small = TRIED * max(TRIED, float(np.max(np.abs(start))))
    trial = scene_of(_pictures(still, start + np.outer([0.0, small], shape.real), 2), drawing)
    moved = max((float(np.max(np.abs(part.places[1] - part.places[0]))) for part in trial.parts), default=0.0)
    if not moved:
        raise InputError(f"this mode of {still.about.system!r} moves nothing that is drawn.")
    amplitude = SWING * float(np.max(trial.half)) * small / moved
    count = max(2, round(1.0 / (hertz * each)))
    turns = np.exp(2j * np.pi * np.arange(count) / count)
    pictures = _pictures(still, start + amplitude * np.real(turns[:, None] * shape), PERIODS * count)
    return replace(pictures, t=still.t[0] + each * np.arange(PERIODS * count))


def _pictures(still: Trajectory, q: Array, count: int) -> Trajectory:
    """Return so many states at positions (N, n), brought onto the constraints and repeated."""
    assert still.setting is not None
    on = np.array([consistent(still.setting.system, each, t=float(still.t[0])).q for each in q])
    q = np.tile(on, (count // len(on), 1))
    rows, zeros = np.zeros((count, len(still.about.rows))), np.zeros(count)
    return replace(
        still,
        t=zeros,
        q=q,
        v=np.zeros_like(q),
        a=np.zeros_like(q),
        multipliers=rows,
        active=rows > 0.0,
        zwang=zeros,
        primal=zeros,
        stationarity=zeros,
        solver_distance=zeros,
        sliding=None,
        sharing=None,
        events=(),
    )
