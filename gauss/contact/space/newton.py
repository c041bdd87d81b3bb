"""Newton's method on one mode of a friction problem in space, and the exact list of solutions where it is finite.

A mode says of each contact whether it is closed, and of each friction whether it sticks, slips, or slides already.
Within a mode the law is a smooth system: closed: g̈ = 0; stick: ṡ = 0; slip: t + μ_k p ṡ/|ṡ| = 0; slide: t + μ_k p ŝ
= 0. It is linear but for the direction of a slip that begins. With at most one such direction φ in space its condition
is a trigonometric polynomial of degree two, whose roots are all found, so that all solutions are. Where no direction
begins and the linear equations leave forces undetermined, a second-order cone program says whether some are in their
cones.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from math import prod

import numpy as np
import scipy.sparse as sp

from gauss.arrays import Array, lengths_of
from gauss.contact.space.program import SOLVED, conic
from gauss.contact.space.white import Friction, WhiteCone, residuals_of

STEPS = 30
CERTIFIED = 1e-10  # largest violation of the law that is accepted, relative to the forces
UNCLEAR = 1e-7  # larger violations exclude a solution; between the two nothing is decided
SINGULAR = 1e-11  # singular values of a mode's equations below this share of the largest count as zero
ROUNDED = 1e-14  # … and between this share and the last they may be none
ANGLES = 8  # samples of the trigonometric polynomial, which has degree two
REAL = 1e-5  # distance of a root from the unit circle up to which it is an angle; double roots spread by √ε
MOVING = 1e-9  # accelerations by forces of unit size that the equations leave open, below which these move nothing
MODES = 4096  # modes that are tried at most


@dataclass(frozen=True)
class Candidate:
    """Forces that satisfy the law in one mode."""

    x: Array  # (r,) scaled forces
    closed: tuple[bool, ...]  # (k,)
    modes: tuple[str, ...]  # of the frictions: "open", "stick", "slip" or "slide"
    residual: float


def polish(
    w: WhiteCone, x: Array, closed: tuple[bool, ...], modes: tuple[str, ...], relaxed: bool = False
) -> Candidate | None:
    """Solve a mode's equations by Newton's method from x; None unless the answer passes the certificate.

    With `relaxed` a closed contact satisfies g̈ = Σ μ|ṡ| over its slips instead of g̈ = 0.
    """
    best, x = (np.inf, x), x.copy()
    for _ in range(STEPS):
        residual, jacobian = _equations(w, x, closed, modes, relaxed)
        norm = float(np.linalg.norm(residual))
        if not np.isfinite(norm) or norm > 1e6:
            break
        settled = norm < 1e-13 and norm > 0.1 * best[0]
        if norm < best[0]:
            best = norm, x
        if norm == 0.0 or settled:
            break
        x = x - np.linalg.lstsq(jacobian, residual, rcond=1e-12)[0]
    return checked(w, best[1], closed, modes, relaxed)


def checked(
    w: WhiteCone, x: Array, closed: tuple[bool, ...], modes: tuple[str, ...], relaxed: bool = False
) -> Candidate | None:
    """Return forces as a Candidate if they pass the certificate."""
    x = x.copy()
    x[: w.k][~np.array(closed, dtype=bool)] = 0.0
    for friction, mode in zip(w.frictions, modes, strict=True):
        if mode == "open":
            x[friction.place] = 0.0
    separation = separation_of(w, x) if relaxed else None
    residual = residuals_of(w, x, modes, separation).largest
    return Candidate(x, closed, modes, residual) if residual <= CERTIFIED else None


def rounding_of(w: WhiteCone, candidate: Candidate) -> float:
    """Return about how far rounding may have carried the scaled forces: ε|G||x| over the least singular value."""
    x = candidate.x
    sigma = np.linalg.svd(_equations(w, x, candidate.closed, candidate.modes, False)[1], compute_uv=False)
    sigma = sigma[sigma > SINGULAR * np.max(sigma, initial=0.0)]
    if not len(sigma):
        return 0.0
    return float(100.0 * np.finfo(float).eps * sigma[0] / sigma[-1] * np.linalg.norm(x))


def separation_of(w: WhiteCone, x: Array) -> Array:
    """Return Σ μ|ṡ| (k,) of the frictions at rest, scaled: De Saxcé's term."""
    y, found = w.rates(x), np.zeros(w.k)
    for friction in w.frictions:
        if friction.direction is None:
            found[friction.contact] += friction.kinetic * float(np.linalg.norm(y[friction.place]))
    return found


def _equations(
    w: WhiteCone, x: Array, closed: tuple[bool, ...], modes: tuple[str, ...], relaxed: bool
) -> tuple[Array, Array]:
    """Return the residual (r,) of a mode and its derivative (r, r)."""
    y, eye = w.rates(x), np.eye(len(x))
    residual, jacobian = x.copy(), eye.copy()
    for i, shut in enumerate(closed):
        if shut:
            residual[i], jacobian[i] = y[i], w.G[i]
    for friction, mode in zip(w.frictions, modes, strict=True):
        here, i = friction.place, friction.contact
        if mode == "stick":
            residual[here], jacobian[here] = y[here], w.G[here]
        elif mode == "slide":
            residual[here] = x[here] + friction.kinetic * x[i] * np.asarray(friction.direction)
            jacobian[here, i] += friction.kinetic * np.asarray(friction.direction)
        elif mode == "slip":
            speed = max(float(np.linalg.norm(y[here])), 1e-300)
            u = y[here] / speed
            turn = (np.eye(len(u)) - np.outer(u, u)) / speed
            residual[here] = x[here] + friction.kinetic * x[i] * u
            jacobian[here] += friction.kinetic * x[i] * turn @ w.G[here]
            jacobian[here, i] += friction.kinetic * u
            if relaxed:
                residual[i] -= friction.kinetic * speed
                jacobian[i] -= friction.kinetic * u @ w.G[here]
    return residual, jacobian


def read_modes(w: WhiteCone, x: Array, margin: float = 0.0) -> tuple[tuple[bool, ...], tuple[str, ...]]:
    """Return which contacts are closed and the modes of the frictions that scaled forces x (r,) suggest.

    `margin` is added to what speaks for open contacts and for sticking.
    """
    y = w.rates(x)
    closed = tuple(bool(x[i] > y[i] + margin) for i in range(w.k))
    modes = []
    for friction in w.frictions:
        t, s = x[friction.place], y[friction.place]
        if not closed[friction.contact]:
            modes.append("open")
        elif friction.direction is not None:
            modes.append("slide")
        else:
            room = friction.static * x[friction.contact] - float(np.linalg.norm(t))
            modes.append("slip" if float(np.linalg.norm(s)) > room + margin else "stick")
    return closed, tuple(modes)


def all_modes(w: WhiteCone) -> tuple[list[Candidate], bool] | None:
    """Return every solution and whether none can be missing; None for more than 4,096 modes.

    Modes in which two directions in space begin at once are not decided, nor are continua of accelerations, nor what
    hangs on rounding: if there is one of these, solutions may be missing.
    """
    choices = [_choices(w, i) for i in range(w.k)]
    if prod(map(len, choices)) > MODES:
        return None
    found: list[Candidate] = []
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


def _choices(w: WhiteCone, i: int) -> list[tuple[bool, dict[int, str]]]:
    """Return the modes of contact i: closed or not, and the mode of each of its frictions."""
    mine = [b for b, friction in enumerate(w.frictions) if friction.contact == i]
    options = []
    for b in mine:
        friction = w.frictions[b]
        wide = friction.place.stop - friction.place.start > 1
        options.append(
            ["slide"] if friction.direction is not None else ["stick", "slip"] if wide else ["stick", "slip+", "slip−"]
        )
    closed = [(True, dict(zip(mine, tags, strict=True))) for tags in product(*options)]
    return [*closed, (False, dict.fromkeys(mine, "open"))]


def _solutions(
    w: WhiteCone, closed: tuple[bool, ...], modes: tuple[str, ...], turning: list[int]
) -> tuple[list[Candidate], bool]:
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
        x, free, clear = _linear(w, closed, modes, friction, float(np.angle(root)))
        complete = complete and clear and not free.shape[1]
        if x is not None and x[friction.contact] > 0.0:
            candidate = polish(w, x, closed, plain)
            found += [candidate] if candidate else []
            complete = complete and (candidate is not None or _excluded(w, x, plain))
    return found, complete


def _without_direction(
    w: WhiteCone, closed: tuple[bool, ...], modes: tuple[str, ...], plain: tuple[str, ...]
) -> tuple[list[Candidate], bool]:
    """Return the solution of a mode with linear equations, and whether no other acceleration is missing."""
    x, free, clear = _linear(w, closed, modes, None, 0.0)
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


def _excluded(w: WhiteCone, x: Array, modes: tuple[str, ...]) -> bool:
    """Return whether forces break the law by more than rounding may do."""
    return UNCLEAR < residuals_of(w, x, modes).largest < np.inf


def _linear(
    w: WhiteCone, closed: tuple[bool, ...], modes: tuple[str, ...], friction: Friction | None, angle: float
) -> tuple[Array | None, Array, bool]:
    """Solve a mode with the direction of `friction` given: one solution (r,), what may be added (r, d), how sure it is.

    The solution is None where the equations contradict one another. The flag is False where the rank is in doubt.
    """
    A, b = _table(w, closed, modes, friction, angle)
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
    w: WhiteCone, x: Array, free: Array, closed: tuple[bool, ...], modes: tuple[str, ...]
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


def _table(
    w: WhiteCone, closed: tuple[bool, ...], modes: tuple[str, ...], friction: Friction | None, angle: float
) -> tuple[Array, Array]:
    """Return A (r, r) and b (r,) of a mode's linear equations; a turning friction has the direction of `angle`."""
    A, b = np.eye(len(w.c)), np.zeros(len(w.c))
    for i, shut in enumerate(closed):
        if shut:
            A[i], b[i] = w.G[i], -w.c[i]
    for other, mode in zip(w.frictions, modes, strict=True):
        here = other.place
        if mode == "stick":
            A[here], b[here] = w.G[here], -w.c[here]
        elif mode != "open":
            if mode == "slide":
                direction = np.asarray(other.direction)
            elif other is friction:
                direction = np.array([np.cos(angle), np.sin(angle)])
            else:
                direction = np.array([1.0 if mode == "slip+" else -1.0])
            A[here, other.contact] += other.kinetic * direction
    return A, b


def _turned(
    w: WhiteCone, closed: tuple[bool, ...], modes: tuple[str, ...], friction: Friction, angle: float
) -> float | None:
    """Return the condition that slip and friction are parallel, times the determinant of the normal direction.

    Without the equation g̈ = 0 of its contact the solution is x₀ + p x₁(φ), g̈ = α₀ + p d(φ), and with p = −α₀/d the slip
    across the direction u(φ), times d, is u⊥·(d ṡ₀ − α₀ ṡ₁): a trigonometric polynomial of degree two in φ.
    """
    A, b = _table(w, closed, modes, friction, angle)
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
