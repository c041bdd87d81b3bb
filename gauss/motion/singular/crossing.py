"""Passing through singular positions: when one is ahead, the window across it, and what is logged about it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from gauss.errors import GaussError
from gauss.foundation.arrays import Array
from gauss.foundation.tolerances import NEXT
from gauss.model import System
from gauss.model.state import State
from gauss.motion.singular.collocation import (
    BESIDE,
    COUNT,
    FRACTIONS,
    Window,
    changing,
    collocate,
    gauss_nodes,
    nodes_beside,
    noise,
    starting_nodes,
)
from gauss.motion.singular.look_ahead import LINEAR
from gauss.motion.singular.spectrum import (
    LOOKS,
    MostDependent,
    MotionPiece,
    SingularValues,
    places,
    power_at,
    state_of,
    vanishing,
)
from gauss.motion.steps.steppers import Stepper, careful
from gauss.principle import GaussProblem
from gauss.uniqueness.orders.analysis import analyse
from gauss.uniqueness.rows.frame import frame_of

HALVINGS = 14  # of a window that starts at a singular position
KNOWN = 1e-8  # relative uncertainty of a located singular position, at least: a motion through it is admissible
ON = 1e-6  # singular values, relative to the largest in a window from there, of a start that is on a singular position
AMPLIFIED = 100.0  # factor by which an extrapolation to the start of a window amplifies errors
DIP = 0.1  # relative size of a smallest singular value that may be zero between the states where it is looked for
LATE = 0.8  # share of a window from a start behind which its singular position is not looked for


@dataclass(frozen=True)
class SingularCrossing:
    """A singular position that a motion passes through."""

    t: float  # s
    q: Array  # (n,)
    rows: tuple[str, ...]  # that become dependent there
    verdict: str
    sigma_min: float


def windows_across(stepper: Stepper, x: Array, time: float, h: float, rtol: float) -> Iterator[Window]:
    """Yield windows from x across a singular position expected after `time`; the first is the best that passes."""
    n = stepper.setting.system.n
    guess, _ = stepper.accelerate(x)
    lengths = sorted(((time / share, share) for share in FRACTIONS), key=lambda pair: abs(np.log(pair[0] / h)))
    for length, share in lengths:
        if length <= 4.0 * h:
            window = collocate(stepper, x, length, gauss_nodes(COUNT), guess[:n], share, rtol)
            if window is not None:
                yield window


def window_from(stepper: Stepper, x: Array, a: Array, span: float, rtol: float, obliged: bool = False) -> Window | None:
    """Return a window from a state x on or near a singular position with the acceleration a, or None.

    On the singular position a is taken as it is; near it, the acceleration at x too comes from states away from it. The
    window is as long as the motion changes little, but for the `span`: near x the rows say too little. Where they do in
    all, as where a motion all but at rest turns back, one that is `obliged` is longer, or by orthogonal factors.
    """
    system = stepper.setting.system
    metric = GaussProblem.at(system, state_of(x, system.n)).metric
    h = min(span, changing(metric, x, a))
    lengths = [h / 2.0**k for k in range(HALVINGS)]
    if obliged:
        lengths += [min(h * 2.0**k, span) for k in range(1, HALVINGS) if h * 2.0 ** (k - 1) < span]
    orthogonal = careful(stepper) if obliged and stepper.rows else None
    for way in (stepper,) if orthogonal is None else (stepper, orthogonal):
        for length in lengths:
            share, on, calm = _singular_share(way, x, a, length)
            kinds = [starting_nodes(COUNT)] if on else []
            if way is orthogonal or not on:  # the acceleration at x may be known badly
                kinds.append(nodes_beside(share, COUNT))
            for nodes in kinds if share < LATE else []:
                window = collocate(way, x, length, nodes, a, share, rtol)
                if window is not None:
                    return window
            if calm and not obliged:
                return None
    return None


def _singular_share(stepper: Stepper, x: Array, a: Array, h: float) -> tuple[float, bool, bool]:
    """Return where along x + v τ + a τ²/2, 0 ≤ τ ≤ h, the rows are most dependent, and whether they are so at x.

    The share is 1 where that is at several places, or at none: rows that are nearly equal stay so. As on the singular
    position counts a state so near to it that the acceleration from there, good to the square of the distance, is
    better than one extrapolated from the window. Last is whether the rows change so little that shorter windows have no
    such place: singular values change less.
    """
    n = stepper.setting.system.n

    def ahead(shares: Array) -> Array:
        tau = shares[:, None] * h
        v = x[n + 1 :] + tau * a
        return np.hstack([x[0] + tau, x[1 : n + 1] + tau * (x[n + 1 :] + v) / 2.0, v])

    shares = np.linspace(0.0, 1.0, LOOKS)
    states = ahead(shares)
    found, changes = SingularValues.along(stepper, states[[0, -1]]).along_states(states)
    largest = max(float(np.nanmax(found)), 1e-300)
    values, blur = np.nan_to_num(found, nan=np.inf) / largest, AMPLIFIED * noise(stepper, ahead(np.array([BESIDE]))[0])
    dips = np.flatnonzero((values[1:-1] < values[:-2]) & (values[1:-1] <= values[2:]) & (values[1:-1] < DIP)) + 1
    on = bool(values[0] <= ON or values[0] ** 2 <= blur)
    several = dips.size + (values[0] < min(values[1], DIP)) > 1
    change = float(np.max(changes)) / largest
    calm = bool(values[0] - change > DIP * (values[0] + change) and values[0] ** 2 > 2.0 * blur)
    if several or (np.min(values) >= DIP and not on):
        return 1.0, on, calm
    return 0.0 if on else float(shares[int(np.argmin(values))]), on, calm


def crossings_in(path: MotionPiece, stepper: Stepper) -> list[SingularCrossing]:
    """Return the singular positions in a piece of a motion, in their order."""
    spectrum = SingularValues.on(path, stepper)
    found = []
    for place in places(path, spectrum):
        power = power_at(path, spectrum, place)
        if power < LINEAR or _touched(path, spectrum, place, power, stepper.setting.rtol):
            found.append(_crossing_at(path, spectrum, place, power < LINEAR))
    return found


def _touched(
    path: MotionPiece, spectrum: SingularValues, place: MostDependent, power: float, error: float = 0.0
) -> bool:
    """Return whether the rows may lose their rank with a power at a place, as it is known, and the path to `error`."""
    nearest = (place.smallest / place.largest) ** (1.0 / power)
    return nearest <= KNOWN or vanishing(path, spectrum, place.share, error) != "not zero"


def _crossing_at(path: MotionPiece, spectrum: SingularValues, place: MostDependent, straight: bool) -> SingularCrossing:
    """Return what a motion passes at a place of its path.

    Where a single combination vanishes `straight`, with the distance itself, its order 3 row binds.
    """
    stepper, system = spectrum.stepper, spectrum.stepper.setting.system
    x = path.state(place.share)
    state = state_of(x, system.n)
    U, sigmas, _ = np.linalg.svd(spectrum.rows(x))
    count = max(int(np.sum(sigmas <= min(1e-4, 1e-2 * place.room) * place.largest)), 1)
    weights = np.max(np.abs(U[:, sigmas.size - count : sigmas.size]), axis=1)
    rows = list(stepper.rows)
    names = tuple(system.row_names[rows[i]] for i in np.flatnonzero(weights > 1e-3 * weights.max()))
    verdict = _verdict_at(path, stepper, state, count)
    if straight and count == 1 and "crossing" not in verdict:
        verdict = "crossing"
    return SingularCrossing(state.t, state.q, names, verdict, float(sigmas[-1]))


def touching_in(path: MotionPiece, stepper: Stepper) -> tuple[list[MostDependent], bool]:
    """Return where in a piece of a motion branches may touch, in order, and whether no row loses its rank in it."""
    spectrum = SingularValues.on(path, stepper)
    found = places(path, spectrum)
    powers = [power_at(path, spectrum, place) for place in found]
    touching = [
        place
        for place, power in zip(found, powers, strict=True)
        if power >= LINEAR and _touched(path, spectrum, place, power)
    ]
    return touching, not found


def _verdict_at(path: MotionPiece, stepper: Stepper, state: State, lost: int) -> str:
    """Return the verdicts on the singular position of a path, where `lost` rows are dependent.

    Lengths are taken from the whole path; the state is on its branch no better than the path is accurate.
    """
    system = stepper.setting.system
    problem = GaussProblem.at(system, state)
    index = [k for k in stepper.rows if k in system.model.equality]
    frame = frame_of(system, state, problem, index)
    ends = (path.state(share)[1 : system.n + 1] for share in (0.0, 1.0))
    length = max(problem.metric.norm(q) for q in ends)
    if frame.length < length:
        frame = frame_of(system, state, problem, index, length=length)
    rank = max(len(index) - lost, 0)
    noise = max(frame.noise, KNOWN, float(np.max(frame.sigma[rank:], initial=0.0)) / 1e3)
    try:
        return " and ".join(analyse(replace(frame, rank=rank, noise=noise, known=noise)).verdicts)
    except GaussError as error:
        return type(error).__name__


def verdict_near(system: System, state: State, u: object = None) -> str | None:
    """Return what ends a motion at the singular position next to a state, or None where there is none that does."""
    problem = GaussProblem.at(system, state, u)
    frame = frame_of(system, state, problem, system.model.equality)
    rank = int(np.sum(frame.sigma > NEXT))
    if rank == len(system.model.equality):
        return None
    near = replace(frame, rank=rank, known=max(frame.known, float(np.max(frame.sigma[rank:], initial=0.0))))
    found = analyse(near)
    ends = [f.sentence for f in found.findings if f.verdict in ("no smooth continuation", "velocity not admissible")]
    return " ".join(ends) or None
