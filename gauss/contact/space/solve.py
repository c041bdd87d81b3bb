"""Friction in space: the fixed point on De Saxcé's form, finished mode by mode, and what it proves.

With u = (g̈ + Σ μ|ṡ|, ṡ) Coulomb's law is the cone complementarity K* ∋ u ⟂ (p, t) ∈ K (G. De Saxcé, Z.-Q. Feng, The
bipotential method, Math. Comput. Modelling 28 (1998)). With Σ μ|ṡ| held that is the optimality condition of a convex
program, and each pass solves one (V. Acary, F. Cadoux, C. Lemaréchal, J. Malick, ZAMM 91 (2011)). The friction of
contacts that slide already is held as well, −μ_k p ŝ, as no program is symmetric in it. What counts is not that the
passes converge: the modes they suggest are solved by Newton's method, and the answer must satisfy the law to 1e-10.
"""

from __future__ import annotations

from itertools import islice, product

import numpy as np

from gauss.contact.problem import ContactProblem
from gauss.contact.space.answer import solution_of
from gauss.contact.space.evidence import contradictory, normals_clash, solvable, uniqueness_bound
from gauss.contact.space.scaled_problem import ScaledCone
from gauss.contact.space.solvers.enumeration import all_modes
from gauss.contact.space.solvers.fixed_point import from_start
from gauss.contact.space.solvers.newton import ModeForces, rounding_of, separation_of
from gauss.contact.space.solvers.program import ConeProgram
from gauss.contact.space.solvers.search import search
from gauss.contact.verdict import ENUMERATED, ContactVerdict
from gauss.foundation.arrays import Array
from gauss.foundation.tolerances import SAME
from gauss.numerics.conic import SOLVED

STARTS = 6  # frictionless, De Saxcé's term zero, and random ones
SEARCHES = 40  # random starts of the last search
FORCED = 64  # ways in which contacts that slide are closed or open
ROUNDING = 1e-4  # … and closer than this where rounding may have separated them
CONTRADICTORY = "a convex program over the forces has no point below 1e8 times the loads"


def solve_in_space(problem: ContactProblem, starts: int = STARTS) -> ContactVerdict:
    """Return the solutions of a contact problem in space from up to `starts` starts, or all that there are."""
    w = ScaledCone.of(problem)
    bound = uniqueness_bound(w)
    if normals_clash(w):
        reason = "the normal rows alone contradict one another: no acceleration keeps every g̈ ≥ 0"
        return ContactVerdict(problem, (), reason, bound=bound, solvable=False)
    none = np.zeros(len(w.c))
    status, smooth = ConeProgram(w, np.zeros(len(w.frictions))).solve(none, np.zeros(w.k))
    smooth = smooth if status in SOLVED and np.all(np.isfinite(smooth)) else none
    found: list[ModeForces] = []
    passes, most = 1, 1 if bound < 1.0 else starts
    for lift, x in _starts(w, smooth, starts):
        candidate, count = from_start(w, lift, x)
        passes += count
        found += [candidate] if candidate else []
        if len(found) >= most:
            break
    proof, exists = "", None
    if bound >= 1.0 or not found:
        listed = all_modes(w)
        if listed is not None:
            found, proof = found + listed[0], ENUMERATED if listed[1] else ""
        for forced in [] if proof else _forced(w):
            candidate, count = from_start(w, separation_of(w, smooth), smooth, forced)
            passes += count
            found += [candidate] if candidate else []
        if not found and not proof:
            exists = solvable(w)
            proof = CONTRADICTORY if not exists and contradictory(w) else ""
            more = None if proof else search(w, SEARCHES)
            found += [more] if more else []
    kept = _distinct(w, _sticking(w, found))
    if not proof and bound < 1.0 and len(kept) == 1:
        proof = f"the bound on friction is {bound:.3g} < 1"
    missing = "others are not excluded" if kept else "one exists" if exists else "that there is none is not proved"
    known = True if kept else False if proof else exists or None
    found_all = proof or ENUMERATED, "" if proof else missing
    solutions = tuple(solution_of(w, c) for c in kept)
    return ContactVerdict(problem, solutions, *found_all, bound=bound, solvable=known, passes=passes)


def _starts(w: ScaledCone, smooth: Array, count: int) -> list[tuple[Array, Array]]:
    """Return De Saxcé's terms (k,) and forces (r,) to start from."""
    rng = np.random.default_rng(7)
    first = separation_of(w, smooth)
    size = max(1.0, float(np.max(first, initial=0.0)))
    random = [(size * rng.exponential(size=w.k), smooth * rng.uniform(0.0, 3.0)) for _ in range(count)]
    return [(first, smooth), (np.zeros(w.k), np.zeros(len(w.c))), *random][:count]


def _forced(w: ScaledCone) -> list[dict[int, bool]]:
    """Return the ways in which contacts that slide, and do nothing else, are closed or open: at most FORCED of them."""
    mine = [[f for f in w.frictions if f.contact == i] for i in range(w.k)]
    sliding = [i for i, frictions in enumerate(mine) if frictions and all(f.direction is not None for f in frictions)]
    ways = product((True, False), repeat=len(sliding))
    return [dict(zip(sliding, way, strict=True)) for way in islice(ways, FORCED)] if sliding else []


def _sticking(w: ScaledCone, found: list[ModeForces]) -> list[ModeForces]:
    """Leave out solutions in which a friction with μ_s > μ_k begins to slip although it can stick, others unchanged."""
    loose = {b for b, f in enumerate(w.frictions) if f.direction is None and f.static > f.kinetic}

    def beats(other: ModeForces, mine: ModeForces) -> bool:
        changed = [b for b in range(len(w.frictions)) if other.modes[b] != mine.modes[b]]
        return (
            bool(changed)
            and other.closed == mine.closed
            and all(b in loose and other.modes[b] == "stick" and mine.modes[b] == "slip" for b in changed)
        )

    return [mine for mine in found if not any(beats(other, mine) for other in found)]


def _distinct(w: ScaledCone, found: list[ModeForces]) -> list[ModeForces]:
    """Leave one candidate for each acceleration, the best certified.

    Those that rounding may have separated count as one: near a critical coefficient, or where large forces balance.
    """
    kept: list[tuple[ModeForces, float]] = []
    size = max([1.0, *(float(np.linalg.norm(w.whitened(c.x))) for c in found)])
    size = max(size, float(np.linalg.norm(w.start)) / w.size, w.metric.norm(w.metric.reference) / w.size)
    for candidate in sorted(found, key=lambda c: c.residual):
        z, off = w.whitened(candidate.x), rounding_of(w, candidate) if len(found) > 1 else 0.0
        reach = [max(SAME * size, min(ROUNDING * size, off + other)) for _, other in kept]
        if all(float(np.linalg.norm(z - w.whitened(o.x))) > r for (o, _), r in zip(kept, reach, strict=True)):
            kept.append((candidate, off))
    return [candidate for candidate, _ in kept]
