"""All solutions of a friction problem in space, mode by mode, where the directions of slip can be solved for.

A mode is linear but for the direction of a slip that begins. With at most one such direction φ in space its condition
is a trigonometric polynomial of degree two, whose roots are all found, so that all solutions are. Where no direction
begins and the equations leave forces undetermined, a second-order cone program says whether some are in their cones.
"""

from __future__ import annotations

from itertools import product
from math import prod

import numpy as np
import scipy.sparse as sp

from gauss.contact.space.scaled_problem import ScaledCone, ScaledFriction, residuals_of
from gauss.contact.space.solvers.newton import ROUNDED, ModeForces, checked, polish
from gauss.foundation.arrays import Array, lengths_of
from gauss.numerics.conic import SOLVED, conic

UNCLEAR = 1e-7  # violations of the law above this exclude a solution; up to this nothing is decided
SINGULAR = (
    1e-11  # singular values of a mode's equations below this share of the largest count as zero, if without doubt
)
ANGLES = 8  # samples of the trigonometric polynomial, which has degree two
REAL = 1e-5  # distance of a root from the unit circle up to which it is an angle; double roots spread by √ε
MOVING = 1e-9  # accelerations by forces of unit size that the equations leave open, below which these move nothing
MODES = 4096  # modes that are tried at most


def all_modes(w: ScaledCone) -> tuple[list[ModeForces], bool] | None:
    """Return every solution and whether none can be missing; None for more than 4,096 modes.

    Modes in which two directions in space begin at once are not decided, nor are continua of accelerations, nor what
    hangs on rounding: if there is one of these, solutions may be missing.
    """
    choices = [_choices(w, i) for i in range(w.k)]
    if prod(map(len, choices)) > MODES:
        return None
    found: list[ModeForces] = []
    complete = True
    for chosen in product(*choices):
        closed = tuple(shut for shut, _ in chosen)
        tags = {b: tag for _, part in chosen for b, tag in part.items()}
        modes = tuple(tags[b] for b in range(len(w.frictions)))
        turning = [b for b, tag in enumerate(modes) if tag == "slip"]
        candidates, decided = ([], False) if len(turning) > 1 else _solutions(w, closed, modes, turning)
        complete = complete and decided
        found += candidates
    return found, complete


def _choices(w: ScaledCone, i: int) -> list[tuple[bool, dict[int, str]]]:
    """Return the modes of contact i: closed or not, and the mode of each of its frictions."""
    mine = [b for b, friction in enumerate(w.frictions) if friction.contact == i]
    options = []
    for b in mine:
        friction = w.frictions[b]
        begins = ["slip"] if friction.size > 1 else ["slip+", "slip−"]
        options.append(["stick", *begins] if friction.direction is None else ["slide"])
    closed = [(True, dict(zip(mine, tags, strict=True))) for tags in product(*options)]
    return [*closed, (False, dict.fromkeys(mine, "open"))]


def _solutions(
    w: ScaledCone, closed: tuple[bool, ...], modes: tuple[str, ...], turning: list[int]
) -> tuple[list[ModeForces], bool]:
    """Return the solutions of one mode with at most one unknown direction, and whether none is missing."""
    plain = tuple("slip" if mode.startswith("slip") else mode for mode in modes)
    if not turning:
        return _without_direction(w, closed, modes, plain)
    friction = w.frictions[turning[0]]
    angles = 2.0 * np.pi * np.arange(ANGLES) / ANGLES
    values = [_turned(w, closed, modes, friction, angle) for angle in angles]
    if any(value is None for value in values):
        return [], False
    series = np.fft.fft(np.array(values)) / ANGLES
    terms = np.concatenate([series[-2:], series[:3]])  # of e^(−2iφ) … e^(2iφ)
    if np.max(np.abs(terms)) < 1e-13:
        return [], False
    roots = np.roots(terms[::-1])
    found, complete = [], True
    for root in roots[np.abs(np.abs(roots) - 1.0) < REAL]:
        x, free, clear = _linear(w, closed, modes, float(np.angle(root)))
        complete = complete and clear and not free.shape[1]
        if x is not None and x[friction.contact] > 0.0:
            candidate = polish(w, x, closed, plain)
            found += [candidate] if candidate else []
            complete = complete and (candidate is not None or _excluded(w, x, plain))
    return found, complete


def _without_direction(
    w: ScaledCone, closed: tuple[bool, ...], modes: tuple[str, ...], plain: tuple[str, ...]
) -> tuple[list[ModeForces], bool]:
    """Return the solution of a mode with linear equations, and whether no other acceleration is missing."""
    x, free, clear = _linear(w, closed, modes)
    if x is None:
        return [], clear
    if free.shape[1]:
        x, margin = _deepest(w, x, free, closed, modes)
        if margin < -UNCLEAR:
            return [], clear
    candidate = checked(w, x, closed, plain)
    if candidate is not None:
        moving = float(np.max(np.abs(w.B.T @ free), initial=0.0)) > MOVING
        return [candidate], clear and not moving
    return [], clear and not free.shape[1] and _excluded(w, x, plain)


def _excluded(w: ScaledCone, x: Array, modes: tuple[str, ...]) -> bool:
    """Return whether forces break the law by more than rounding may do."""
    return UNCLEAR < residuals_of(w, x, modes).largest < np.inf


def _linear(
    w: ScaledCone, closed: tuple[bool, ...], modes: tuple[str, ...], angle: float = 0.0
) -> tuple[Array | None, Array, bool]:
    """Solve a mode with the direction of slip given: one solution (r,), what may be added (r, d), how sure it is.

    The solution is None where the equations contradict one another. The flag is False where the rank is in doubt.
    """
    A, b = _table(w, closed, modes, angle)
    if not len(b):
        return b, A, True
    scale = lengths_of(A.T)  # a coefficient of 10⁶ is no singularity
    U, sigma, V = np.linalg.svd(A / scale)
    rank = int(np.sum(sigma > SINGULAR * sigma[0]))
    clear = not np.any(sigma[rank:] > ROUNDED * sigma[0])
    x = V[:rank].T @ ((U[:, :rank].T @ b) / sigma[:rank]) / scale
    free = V[rank:].T / scale[:, None]
    free = free / lengths_of(free.T)
    consistent = rank == len(b) or float(np.linalg.norm(A @ x - b)) <= 1e-9 * max(1.0, float(np.linalg.norm(x)))
    return (x if consistent else None), free, clear


def _deepest(
    w: ScaledCone, x: Array, free: Array, closed: tuple[bool, ...], modes: tuple[str, ...]
) -> tuple[Array, float]:
    """Return of the forces x + free n those deepest within the inequalities of a mode, and the depth (at most 1).

    p ≥ δ where closed, g̈ ≥ δ where open, slip along its direction ≥ δ, and μ_s p − |t| ≥ δ where it sticks.
    """
    size = max(1.0, float(np.linalg.norm(x)))
    y, turn, d = w.rates(x), w.G @ free, free.shape[1]
    rows, right, cones = [], [], []
    for i, shut in enumerate(closed):
        rows.append(free[i] if shut else turn[i])
        right.append(x[i] if shut else y[i])
    for f, mode in zip(w.frictions, modes, strict=True):
        if mode in ("slip+", "slip−"):
            sign = 1.0 if mode == "slip+" else -1.0
            rows.append(sign * turn[f.place.start])
            right.append(sign * y[f.place.start])
    depth = [1.0] * (len(rows) + 1)
    rows.append(np.zeros(d))  # δ ≤ 1
    right.append(size)
    cones.append(("nonnegative", len(rows)))
    for f, mode in zip(w.frictions, modes, strict=True):
        if mode == "stick":
            rows += [f.static * free[f.contact], *free[f.place]]
            right += [f.static * x[f.contact], *x[f.place]]
            depth += [1.0, *(0.0 for _ in x[f.place])]
            cones.append(("second order", 1 + len(x[f.place])))
    A = np.column_stack([-np.array(rows), depth])
    goal = np.append(np.zeros(d), -1.0)
    status, found, _ = conic(sp.csc_matrix((d + 1, d + 1)), goal, A, np.array(right) / size, cones)
    if status not in SOLVED or not np.all(np.isfinite(found)):
        return x, 0.0
    return x + size * (free @ found[:-1]), float(found[-1])


def _table(w: ScaledCone, closed: tuple[bool, ...], modes: tuple[str, ...], angle: float) -> tuple[Array, Array]:
    """Return A (r, r) and b (r,) of a mode's linear equations; a slip in space has the direction of `angle`."""
    A, b = np.eye(len(w.c)), np.zeros(len(w.c))
    for i, shut in enumerate(closed):
        if shut:
            A[i], b[i] = w.G[i], -w.c[i]
    begins = {"slip": [np.cos(angle), np.sin(angle)], "slip+": [1.0], "slip−": [-1.0]}
    for friction, mode in zip(w.frictions, modes, strict=True):
        here = friction.place
        if mode == "stick":
            A[here], b[here] = w.G[here], -w.c[here]
        elif mode != "open":
            direction = np.asarray(friction.direction if mode == "slide" else begins[mode])
            A[here, friction.contact] += friction.kinetic * direction
    return A, b


def _turned(
    w: ScaledCone, closed: tuple[bool, ...], modes: tuple[str, ...], friction: ScaledFriction, angle: float
) -> float | None:
    """Return the condition that slip and friction are parallel, times the determinant of the normal direction.

    Without the equation g̈ = 0 of its contact the solution is x₀ + p x₁(φ), g̈ = α₀ + p d(φ), and with p = −α₀/d the slip
    across the direction u(φ), times d, is u⊥·(d ṡ₀ − α₀ ṡ₁): a trigonometric polynomial of degree two in φ.
    """
    A, b = _table(w, closed, modes, angle)
    i, here = friction.contact, friction.place
    A[i], b[i] = 0.0, 0.0
    A[i, i] = 1.0  # p is given
    right = np.stack([b, np.eye(len(b))[i]], axis=1)
    sigma = np.linalg.svd(A / lengths_of(A.T), compute_uv=False)
    if sigma[-1] <= SINGULAR * sigma[0]:
        return None
    x0, x1 = np.linalg.solve(A, right).T
    y0, y1 = w.rates(x0), w.G @ x1
    across = np.array([-np.sin(angle), np.cos(angle)])
    return float(across @ (y1[i] * y0[here] - y0[i] * y1[here]))
