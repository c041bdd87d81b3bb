"""The fixed point on De Saxcé's form: convex programs over the contact forces, and the modes that they suggest."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product

import numpy as np

from gauss.contact.space.scaled_problem import ScaledCone
from gauss.contact.space.solvers.newton import ModeForces, leaning, polish, read_modes, separation_of
from gauss.contact.space.solvers.program import ConeProgram
from gauss.foundation.arrays import Array
from gauss.numerics.conic import SOLVED

PASSES = 60  # convex programs from one start; below the critical coefficient a handful suffices
UNSURE = 1e-6  # a mode that hangs on less than this is tried both ways
TRIES = 64  # combinations of such modes


def from_start(
    w: ScaledCone, lift: Array, x: Array, forced: Mapping[int, bool] | None = None
) -> tuple[ModeForces | None, int]:
    """Return what the fixed point from one start leads to, and the passes it took.

    `lift` (k,) is De Saxcé's term, x (r,) are the forces to start from. `forced` says of contacts that slide already
    whether they are closed; their forces then come from g̈ = 0 or vanish. A friction with μ_s > μ_k at rest is given μ_s
    first; if it slips then, it has μ_k from there on.
    """
    given = np.array([f.static for f in w.frictions])
    passes = 0
    for _ in range(len(w.frictions) + 1):
        candidate, x, count = _fixed_point(w, lift, x, given, forced or {})
        passes += count
        modes = read_modes(w, x)[1]
        loose = [
            b for b, f in enumerate(w.frictions) if f.direction is None and modes[b] == "slip" and given[b] > f.kinetic
        ]
        if candidate is not None or not loose:
            return candidate, passes
        for b in loose:
            given[b] = w.frictions[b].kinetic
        lift = separation_of(w, x)
    return None, passes


def _fixed_point(
    w: ScaledCone, lift: Array, x: Array, given: Array, forced: Mapping[int, bool]
) -> tuple[ModeForces | None, Array, int]:
    """Solve convex programs until the modes that they suggest satisfy the law, or the passes are used up."""
    program, tried = ConeProgram(w, given, forced), set()
    settled, count = 0, 0
    for count in range(1, PASSES + 1):
        held = _sliding(w, x, forced)
        status, new = ("Failed", x) if held is None else program.solve(held, lift)
        if status not in SOLVED or not np.all(np.isfinite(new)):
            return None, x, count
        for combination in _suggested(w, new, given):
            key = (*combination, count // 8)
            if key not in tried:
                tried.add(key)
                candidate = polish(w, new, *combination)
                if candidate is not None:
                    return candidate, candidate.x, count
        after = separation_of(w, new, given)
        change = float(np.max(np.abs(after - lift), initial=0.0) + np.max(np.abs(new - x), initial=0.0))
        settled = settled + 1 if change < 1e-9 * max(1.0, float(np.max(np.abs(new)))) else 0
        damping = 1.0 if count <= 20 else 0.5
        lift, x = lift + damping * (after - lift), x + damping * (new - x)
        if settled >= 2:
            break
    return None, x, count


def _sliding(w: ScaledCone, x: Array, forced: Mapping[int, bool]) -> Array | None:
    """Return forces x with the friction of sliding contacts, and the normal forces of forced ones; None if singular."""
    x, eye = x.copy(), np.eye(len(x))
    rays = eye[: w.k].copy()  # forces of each contact with p = 1
    for f in w.frictions:
        if f.direction is not None:
            rays[f.contact, f.place] = -f.kinetic * f.direction
    shut = [i for i, closed in forced.items() if closed]
    x[list(forced)] = 0.0
    for f in w.frictions:
        if f.direction is not None:
            x[f.place] = x[f.contact] * rays[f.contact, f.place]
    if shut:
        A = w.G[shut] @ rays[shut].T
        if np.linalg.matrix_rank(A, tol=1e-12 * float(np.max(np.abs(A)))) < len(shut):
            return None
        x = x + np.linalg.solve(A, -w.rates(x)[shut]) @ rays[shut]
    return x


def _suggested(w: ScaledCone, x: Array, given: Array) -> list[tuple[tuple[bool, ...], tuple[str, ...]]]:
    """Return modes that forces x suggest: the likeliest first, then those that hang on less than UNSURE.

    Modes in which a friction with μ_s > μ_k slips while it is given μ_s are left out.
    """
    y, size = w.rates(x), max(1.0, float(np.max(np.abs(x), initial=0.0)))
    likely = read_modes(w, x)
    shut = [(likely[0][i], not likely[0][i])[: 2 if abs(x[i] - y[i]) < UNSURE * size else 1] for i in range(w.k)]
    states: list[tuple[str, ...]] = []
    for f, towards in zip(w.frictions, leaning(w, x, given), strict=True):
        if f.direction is not None:
            states.append(("slide",))
            continue
        first, second = ("slip", "stick") if towards > 0.0 else ("stick", "slip")
        states.append((first, second) if abs(towards) < UNSURE * size else (first,))
    found = []
    for closed in product(*shut):
        for combination in product(*states):
            modes = tuple(
                mode if closed[f.contact] else "open" for f, mode in zip(w.frictions, combination, strict=True)
            )
            barred = any(
                mode == "slip" and given[b] > w.frictions[b].kinetic and w.frictions[b].direction is None
                for b, mode in enumerate(modes)
            )
            if not barred and (closed, modes) not in found:
                found.append((closed, modes))
            if len(found) >= TRIES:
                return found
    return found
