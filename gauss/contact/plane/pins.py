"""Dry friction of pins at one state: torques whose limits are the resultants of two multipliers.

A disc of the radius r in a hole that is hardly larger touches it at one place, with the normal force p and, where it
slips, the friction μp. They make up the force λ of the pin, so |λ| = p √(1 + μ²), and the torque about the centre is

    |τ| = r μ p = c |λ|,    c = r μ/√(1 + μ²).

While the pin turns, τ = −c_k |λ| sign s; at rest |τ| ≤ c_s |λ|. In a mode of all contacts the forces are affine in the
torques of the pins that slip, x = x₀ + X τ, and their sizes y_j = |τ_j| obey y = |u₀ + U y| (lengths of pairs):

* for one pin that slips a quadratic equation, of which all roots are taken;
* for several a fixed point. With C_jk = |U_jk| the map is a contraction where the spectral radius of C is below 1, in
  the largest of |y_j|/w_j with C w = ρ w (Perron), so that there is exactly one root.

Where that holds in each mode, and the forces of pins at rest are determined too, no solution is missed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import scipy
import scipy.linalg as sla

from gauss.contact.forces.polyhedra import TIGHT, Polyhedron, polyhedron
from gauss.errors import InputError
from gauss.foundation.arrays import Array
from gauss.foundation.tolerances import DETERMINED
from gauss.principle.rank import RANK_TOLERANCE

DOUBLE = 1e-9  # a discriminant below this share of its parts leaves open whether there are two roots, one or none
CONTRACTING = 1.0 - 1e-6  # spectral radius up to which the iteration counts as a contraction
PATIENCE = 20_000  # iterations of the contraction
STARTS = 60  # Newton's iterations for several pins without contraction
ROUNDING = 1e-14  # of forces, relative to the largest
DIRECTIONS = 16  # of loads, in which they bound the torques from below
SETTLED = 1e-11  # change of the torques, relative, after which the search for them ends
SWEEPS = 30  # linear programs in the search for forces of pins at rest


@dataclass(frozen=True)
class PinLaw:
    """One pin in one mode, over the scaled forces x (d,): |x_t| ≤ |static x| at rest, x_t = −σ|kinetic x| turning."""

    name: str
    place: int  # t among x
    kinetic: Array  # (2, d)
    static: Array  # (2, d)
    sign: float  # σ, 0 where it sticks
    rate: Array  # (d,) ṡ = rate·x − right, where it begins to turn from rest; zero where it turns already
    right: float


@dataclass(frozen=True)
class PinPieces:
    """The solutions of one mode."""

    pieces: tuple[Polyhedron, ...] = ()
    doubtful: bool = False
    unproved: str = ""  # why there may be others; empty where there are not


def pin_pieces(A: Array, b: Array, G: Array, h: Array, pins: Sequence[PinLaw]) -> PinPieces:
    """Return the forces x with A x = b, G x ≥ h that obey the laws of the pins; of forces not determined, some.

    Raises InputError where a pin turns whose load is not determined.
    """
    slipping, sticking = [p for p in pins if p.sign], [p for p in pins if not p.sign]
    unit = np.eye(A.shape[1])[[p.place for p in slipping]]
    table = np.vstack([A, unit])
    right = np.zeros((len(table), len(slipping) + 1))
    right[: len(A), 0], right[len(A) :, 1:] = b, np.eye(len(slipping))
    response, null, missed = _solved(table, right)
    scale = max(1.0, float(np.max(np.abs(response[:, 0]), initial=0.0)))
    if missed[0] > TIGHT * scale:
        return PinPieces()
    if np.any(missed[1:] > TIGHT):
        return PinPieces(doubtful=True)
    if any(np.any(p.rate) and _constant(p, response, null) for p in slipping):
        return PinPieces()  # this pin stays at rest all the same: the mode in which it sticks has these forces
    loose = [p for p in slipping if _moved(p.kinetic, null)]
    if loose:
        if polyhedron(table[: len(A)], b, G, h)[0] is None:
            return PinPieces()
        names = ", ".join(repr(p.name) for p in loose)
        raise InputError(
            f"the load of the dry pin {names} is not determined: its rows depend on other rows. Leave out rows that are"
            " given twice, or use a Brake with a constant torque."
        )
    signs = np.array([p.sign for p in slipping])
    u0 = np.array([p.kinetic @ response[:, 0] for p in slipping]).reshape(len(slipping), 2)
    U = np.array([-(p.kinetic @ response[:, 1:]) * signs for p in slipping]).reshape(len(slipping), 2, len(slipping))
    roots, doubtful, missing = pin_loads(u0, U)
    if missing and not null.shape[1] and _impossible(u0, U, G @ response, h, signs):
        return PinPieces()
    unproved = ""
    if missing:
        unproved = f"the friction of {', '.join(repr(p.name) for p in slipping)} is strong, and roots may be missed"
    pieces = []
    for y in roots:
        found, unsure = polyhedron(table, np.concatenate([b, -signs * y]), G, h)
        doubtful = doubtful or unsure
        if found is None:
            continue
        kept, open_end = _with_sticking(found, sticking)
        unproved = unproved or open_end
        if kept is not None:
            pieces.append(kept)
    return PinPieces(tuple(pieces), doubtful, unproved)


def pin_loads(u0: Array, U: Array) -> tuple[list[Array], bool, bool]:
    """Return the roots y ≥ 0 (p,) of y = |u₀ + U y| for u0 (p, 2), U (p, 2, p); are they in doubt, may some be missed.

    One root is certain where the spectral radius of |U| is below 1; for p = 1 all are found in any case.
    """
    count = len(u0)
    if count == 0:
        return [np.zeros(0)], False, False
    if count == 1:
        found, doubtful = _quadratic(u0[0], U[0, :, 0])
        return [np.array([y]) for y in found], doubtful, False
    C = np.linalg.norm(U, axis=1)
    start = np.linalg.norm(u0, axis=1)
    if float(np.max(np.abs(np.linalg.eigvals(C)))) < CONTRACTING:
        y = start
        for near in (1e-3, 1e-15):  # Newton's iteration from near by, else the contraction alone
            for _ in range(PATIENCE):
                y, last = np.linalg.norm(u0 + U @ y, axis=1), y
                if np.max(np.abs(y - last)) <= near * np.max(y, initial=1e-300):
                    break
            root = _newton(u0, U, y)
            if root is not None:
                return [root], False, False
        return [y], True, False
    rng, roots = np.random.default_rng(0), list[Array]()
    size = max(float(np.max(start)), 1e-300)
    for i in range(STARTS):
        y = start if i == 0 else size * 10.0 ** rng.uniform(-2.0, 2.0, count)
        root = _newton(u0, U, y)
        if root is not None and all(np.max(np.abs(root - other)) > 1e-7 * max(size, np.max(other)) for other in roots):
            roots.append(root)
    return roots, False, True


def _impossible(u0: Array, U: Array, rates: Array, h: Array, signs: Array) -> bool:
    """Whether no y ≥ 0 obeys G x ≥ h, G x = rates₀ − rates₁ σ y, and what y = |u₀ + U y| implies linearly.

    That is y_j ≥ e·(u_j + U_j y) for all unit directions e, of which some are taken, and y ≤ |u₀| + |U| y.
    """
    count, angles = len(u0), np.arange(DIRECTIONS) * 2.0 * np.pi / DIRECTIONS
    e = np.column_stack([np.cos(angles), np.sin(angles)])
    size = max(float(np.max(np.linalg.norm(u0, axis=1))), 1e-300)
    tables = [rates[:, 1:] * signs, np.eye(count) - np.linalg.norm(U, axis=1)]
    limits = [(rates[:, 0] - h) / size + TIGHT * (1.0 + 1.0 / size), np.linalg.norm(u0, axis=1) / size + TIGHT]
    for j in range(count):
        tables.append(e @ U[j] - np.eye(count)[j])
        limits.append(-(e @ u0[j]) / size + TIGHT)
    found = scipy.optimize.linprog(np.zeros(count), A_ub=np.vstack(tables), b_ub=np.concatenate(limits), method="highs")
    return bool(found.status == 2)


def _quadratic(u0: Array, u: Array) -> tuple[list[float], bool]:
    """Return the roots y ≥ 0 of y = |u₀ + u y|: (1 − |u|²) y² − 2 u₀·u y − |u₀|² = 0."""
    size = float(np.linalg.norm(u0))
    if size == 0.0:
        return [0.0], bool(abs(1.0 - u @ u) < DOUBLE)
    lead, half = 1.0 - float(u @ u), float(u0 @ u) / size  # of y over |u₀|: lead y² − 2 half y − 1 = 0
    discriminant = half**2 + lead
    doubtful = abs(discriminant) < DOUBLE * (half**2 + abs(lead))
    if discriminant < 0.0:
        return [], doubtful
    root = np.sqrt(discriminant)
    if half > 0.0:
        found = [(half + root) / lead] if lead > 0.0 else []
    else:
        found = [1.0 / (root - half)] if root > half else []
        found += [(half - root) / lead] if lead < 0.0 and root > 0.0 else []
    return [size * each for each in found], doubtful


def _newton(u0: Array, U: Array, y: Array) -> Array | None:
    """Return a root of y = |u₀ + U y| from a start, to rounding; None where Newton's iteration does not get there."""
    best, least = None, np.inf
    for _ in range(60):
        d = u0 + U @ y
        length = np.linalg.norm(d, axis=1)
        residual = y - length
        worst = float(np.max(np.abs(residual))) / max(float(np.max(length)), 1e-300)
        if worst < least:
            best, least = y, worst
        elif least <= 1e-14:
            break
        slope = np.einsum("ji,jik->jk", d / np.maximum(length, 1e-300)[:, None], U)
        try:
            y = y - np.linalg.solve(np.eye(len(y)) - slope, residual)
        except np.linalg.LinAlgError:
            break
    return best if best is not None and least <= 1e-13 and np.min(best) >= 0.0 else None


def _solved(table: Array, right: Array) -> tuple[Array, Array, Array]:
    """Return solutions (d, c) of table x = right of least norm, the null space (d, z), and what each misses (c,)."""
    if not len(table):
        return np.zeros((table.shape[1], right.shape[1])), np.eye(table.shape[1]), np.zeros(right.shape[1])
    U, sigma, V = np.linalg.svd(table, full_matrices=True)
    rank = int(np.sum(sigma > RANK_TOLERANCE * sigma[0]))
    x = V[:rank].T @ ((U[:, :rank].T @ right) / sigma[:rank, None])
    return x, V[rank:].T, np.max(np.abs(table @ x - right), axis=0)


def _moved(rows: Array, null: Array) -> bool:
    """Whether forces that add up to nothing change what the rows give."""
    size = float(np.linalg.norm(rows))
    return bool(size > 0.0 and np.max(np.abs(rows @ null), initial=0.0) > DETERMINED * size)


def _constant(pin: PinLaw, response: Array, null: Array) -> bool:
    """Whether a pin that should begin to turn has no angular acceleration in this mode, whatever its torque is."""
    change = np.column_stack([response[:, 1:], null])
    size = float(np.linalg.norm(pin.rate))
    moved = float(np.max(np.abs(pin.rate @ change), initial=0.0))
    return bool(moved <= DETERMINED * size and abs(pin.rate @ response[:, 0] - pin.right) <= TIGHT * max(1.0, size))


def _with_sticking(piece: Polyhedron, sticking: Sequence[PinLaw]) -> tuple[Polyhedron | None, str]:
    """Return what is left of forces where pins stick, None for nothing, and why that may be wrong."""
    onward = np.vstack([piece.rays, piece.lines, piece.vertices[1:] - piece.vertices[0]]).T
    unit = np.eye(piece.vertices.shape[1])
    shared = [p for p in sticking if _moved(p.static, onward) or _moved(unit[[p.place]], onward)]
    size = max(1.0, float(np.max(np.abs(piece.vertices))))
    first = piece.vertices[0]
    if any(_margin(p, first) < -TIGHT * _limit(p, first, size) for p in sticking if p not in shared):
        return None, ""
    if not shared:
        return piece, ""
    null = sla.null_space(piece.A) if len(piece.A) else np.eye(piece.vertices.shape[1])
    x, least = _search(piece, shared, null, size)
    if not min(_margin(p, x) / _limit(p, x, size) for p in shared) >= -TIGHT:
        if _excluded(shared, null, x, least):
            return None, ""
        names = ", ".join(repr(p.name) for p in shared)
        return None, f"the torques with which {names} could stick together were searched for and not found"
    points = [x, *(_reach(piece, shared, x, way) for way in np.vstack([null.T, -null.T]))]
    none = np.zeros((0, len(x)))
    return replace(piece, vertices=np.array(points), rays=none, lines=none), ""


def _margin(pin: PinLaw, x: Array) -> float:
    """Return |static x| − |x_t|."""
    return float(np.linalg.norm(pin.static @ x) - abs(x[pin.place]))


def _limit(pin: PinLaw, x: Array, size: float) -> float:
    """Return |static x|, or what counts as the rounding of forces of this size if that is more."""
    return max(float(np.linalg.norm(pin.static @ x)), ROUNDING / TIGHT * size)


def _excluded(pins: Sequence[PinLaw], null: Array, x: Array, least: float) -> bool:
    """Whether no forces x + Z w keep all the pins at rest, where the last program has the margin least < 0 at x.

    With D the static load of a pin and e its direction at x, the optimality bounds the margins with e·D(x + Zw) in the
    place of |D(x + Zw)|, relative to |Dx|, for all w. The difference is of second order in w, and w is bounded: as the
    torques t = TZw + t_x must obey |t| ≤ |D(x + Zw)|, |w| ≤ (|t_x| + |Dx|)/(σ − |DZ|), σ being the least singular
    value of TZ; or the same with the rows of each pin divided by its |Dx|.
    """
    loads = np.array([p.static @ x for p in pins])
    sizes = np.linalg.norm(loads, axis=1)
    places = [p.place for p in pins]
    if not least < 0.0 or null.shape[1] > len(pins) or np.min(sizes) == 0.0:
        return False
    changes = [p.static @ null for p in pins]
    reach = np.inf
    for scale in (np.ones(len(pins)), sizes):
        shares = np.vstack([change / size for change, size in zip(changes, scale, strict=True)])
        stiffness = np.linalg.svd(null[places] / scale[:, None], compute_uv=False)[-1] - np.linalg.norm(shares, 2)
        if stiffness > 0.0:
            far = (np.linalg.norm(x[places] / scale) + np.linalg.norm(sizes / scale)) / stiffness
            reach = min(reach, float(far))
    if not np.isfinite(reach):
        return False
    for load, size, change in zip(loads, sizes, changes, strict=True):
        across = float(np.linalg.norm(np.array([-load[1], load[0]]) / size @ change)) * reach
        along = size - float(np.linalg.norm(load / size @ change)) * reach
        if along <= 0.0 or float(np.hypot(along, across)) - along >= -least * size:
            return False
    return True


def _search(piece: Polyhedron, pins: Sequence[PinLaw], null: Array, size: float) -> tuple[Array, float]:
    """Return forces of a polyhedron with the largest least margin that linear programs lead to, and this margin.

    It is relative to the limits |static x|, and nan where the programs do not settle. With unit directions e of the
    loads, |static x| ≥ e·static x: each program looks at less than is allowed, contains the point before it, and so
    does not make the margin smaller.
    """
    x = piece.vertices[0]
    for _ in range(SWEEPS):
        sizes = [_limit(p, x, size) for p in pins]
        unit = max(sizes)  # of the unknowns
        rows, limits = [-piece.G @ null * unit], [piece.G @ x - piece.h]
        ones = [np.zeros(len(piece.G))]
        for p, top in zip(pins, sizes, strict=True):
            load = p.static @ x
            length = float(np.linalg.norm(load))
            along = (load / length if length > 0.0 else np.array([1.0, 0.0])) @ p.static
            for side in (1.0, -1.0):
                row = -along / top
                row[p.place] += side / top
                rows.append((row @ null)[None] * unit)
                limits.append(np.array([-row @ x]))
                ones.append(np.ones(1))
        table = np.column_stack([np.vstack(rows), np.concatenate(ones)])
        cost = np.zeros(table.shape[1])
        cost[-1] = -1.0
        bounds = [(None, None)] * null.shape[1] + [(None, 1.0)]
        found = scipy.optimize.linprog(cost, A_ub=table, b_ub=np.concatenate(limits), bounds=bounds, method="highs")
        if found.status != 0:
            break
        step, least = null @ found.x[:-1] * unit, float(found.x[-1])
        x = x + step
        if np.max(np.abs(step)) <= SETTLED * max(unit, *(abs(float(x[p.place])) for p in pins)):
            return x, least
    return x, float(np.nan)


def _reach(piece: Polyhedron, pins: Sequence[PinLaw], x: Array, way: Array) -> Array:
    """Return about how far the forces can go from x along a direction, a thousand times the load at most."""

    def allowed(s: float) -> bool:
        point = x + s * way
        return bool(np.all(piece.G @ point - piece.h >= 0.0)) and all(_margin(p, point) >= 0.0 for p in pins)

    low, high = 0.0, 1e3
    if allowed(high):
        return np.asarray(x + high * way)
    for _ in range(60):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if allowed(middle) else (low, middle)
    return np.asarray(x + low * way)
