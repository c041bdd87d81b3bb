"""An answer in space in the user's units: its modes, forces and moments, and whether other forces give it."""

from __future__ import annotations

import numpy as np

from gauss.contact.forces.cones import ConePrograms, cone_set
from gauss.contact.forces.record import POINT
from gauss.contact.space.scaled_problem import ScaledCone, residuals_of
from gauss.contact.space.solvers.newton import CERTIFIED, ModeForces
from gauss.contact.verdict import ContactSolution
from gauss.errors import InputError, SolverError
from gauss.foundation.arrays import Array, unit_rows
from gauss.foundation.outcomes import OPEN, SLIP, STICK


def solution_of(w: ScaledCone, candidate: ModeForces, separation: Array | None = None) -> ContactSolution:
    """Return a candidate in the user's units. `separation` (k,), scaled, is that of the relaxed law."""
    p, x, named = w.problem, candidate.x, _named(w, candidate)
    a, forces = w.acceleration(x), w.forces(x)
    tangential, moments, modes, resisted = np.zeros((p.k, 2)), [], [], []
    for i, shut in enumerate(candidate.closed):
        modes.append(SLIP if shut else OPEN)
        for friction, each, mode in zip(w.frictions, p.frictions, named, strict=True):
            if each.kind == "sliding" and each.contact == i:
                tangential[i][p.acting[i]] = forces[friction.place]
                modes[i] = mode
    residual = residuals_of(w, x, candidate.modes, separation).largest
    tagged = iter([j for j, each in enumerate(p.frictions) if each.kind != "sliding"])
    for each in p.resistances:
        if each.static > 0.0:
            j = next(tagged)
            moments.append(forces[w.frictions[j].place])
            resisted.append(named[j])
        else:
            moments.append(np.zeros(len(each.right)))
            resisted.append(SLIP if candidate.closed[each.contact] else OPEN)
    none = np.zeros((0, len(a)))
    return ContactSolution(
        tuple(modes),
        a[None],
        none,
        w.bilateral(x, a)[None],
        forces[None, : p.k],
        tangential[None],
        np.zeros((0, len(p.gamma) + 3 * p.k)),
        residual,
        others=not _determined(w, a, separation is None and residual <= CERTIFIED),
        moments=tuple(moments),
        resisted=tuple(resisted),
    )


def _named(w: ScaledCone, candidate: ModeForces) -> list[str]:
    """Return the modes of the frictions; one at its limit that does not begin to move sticks."""
    y, named = w.rates(candidate.x), []
    for friction, mode in zip(w.frictions, candidate.modes, strict=True):
        load, speed = candidate.x[friction.contact], float(np.linalg.norm(y[friction.place]))
        stuck = mode == SLIP and speed <= CERTIFIED * load
        named.append(STICK if stuck else SLIP if mode == "slide" else mode)
    return named


def _determined(w: ScaledCone, a: Array, exact: bool) -> bool:
    """Return whether a is known to have one set of forces: independent rows, or programs that find no second one.

    `exact` says that a obeys Coulomb's law; the programs are for that.
    """
    tables = w.B, unit_rows(w.metric.whitened(w.problem.J))
    if all(not len(rows) or int(np.linalg.matrix_rank(rows, tol=1e-10)) == len(rows) for rows in tables):
        return True
    if not exact:
        return False
    try:
        programs = ConePrograms(cone_set(w.problem, a))
        along = np.random.default_rng(1).standard_normal((programs.Z.shape[0],))  # nothing is normal to it
        if programs.unbounded(along) or programs.unbounded(-along):
            return False
        (most, _), (least, _) = programs.greatest(along), programs.greatest(-along)
    except (InputError, SolverError):
        return False
    return most + least <= POINT * max(abs(most), abs(least), 1.0)
