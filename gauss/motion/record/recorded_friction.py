"""Friction along a recorded motion, a `Trajectory`: what slides, what shares a reaction, its force and its work."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from gauss.foundation.arrays import Array
from gauss.motion.contacts.shared import Shared
from gauss.motion.steps.steppers import Slide

NODES = 4  # of Gauss's quadrature in each step, of order 8 as the method


def slides_at(run: Any, i: int) -> tuple[Slide, ...]:
    """Return the contacts that slide after a recorded state."""
    if run.sliding is None:
        return ()
    index, found = {name: k for k, name in enumerate(run.about.rows)}, []
    for j, contact in enumerate(run.about.contacts):
        slip, load = [index[row] for row in contact.slip], [index[row] for row in contact.load]
        c = [float(run.sliding[i, k]) for k in slip]
        normal, pin = load[0] if len(load) == 1 else None, (load[0], load[1]) if len(load) == 2 else None
        if len(c) == 2 and any(c):
            size = math.hypot(*c)
            found.append(Slide(j, normal, slip[0], size, slip[1], (c[0] / size, c[1] / size)))
        elif c[0] != 0.0:
            found.append(Slide(j, normal, slip[0], c[0], pin=pin))
    return tuple(found)


def shared_at(run: Any, i: int, rows: tuple[int, ...], slides: tuple[Slide, ...]) -> Shared | None:
    """Return how contacts share a reaction after a recorded state, None where the rows in force determine it."""
    if run.sharing is None or not np.any(run.sharing[i]):
        return None
    system, carrying = run.setting.system, {*rows, *np.flatnonzero(run.sharing[i])}
    contacts, slips = system.contacts, [contact.slip[0] for contact in system.contacts]
    unilateral = tuple(k for k in system.model.unilateral if k in carrying)
    base = tuple(k for k in rows if k not in slips and k not in unilateral)
    groups = base, unilateral, tuple(j for j, k in enumerate(slips) if k in carrying)
    inside = tuple(k for k in unilateral if k in rows), tuple(k for k in slips if k in rows)
    loads = {j: run.multipliers[i, k] for j in groups[2] if (k := contacts[j].normal) is not None and k in base}
    sides = {j: -1.0 if load < 0.0 else 1.0 for j, load in loads.items()}
    return Shared.of(run.setting, *groups, *inside, slides, sides)


def sliding_forces(run: Any, i: int) -> Array:
    """Return the generalized friction force (n,) of the sliding contacts at a recorded state."""
    slides = slides_at(run, i)
    if not slides or run.setting is None:
        return np.zeros(len(run.about.coordinates))
    J = run.setting.system.model.terms(run.q[i], run.v[i], float(run.t[i]), run.setting.theta).J
    rows = [k for s in slides for k in (s.slip, s.across) if k is not None]
    return np.asarray(run.multipliers[i, rows] @ J[rows])


def friction_works(run: Any) -> tuple[Array, Array]:
    """Return the work (N,) of friction with the slip velocities up to each recorded state, and that of drives, J.

    A belt that moves beneath a contact drives it: friction t works t·(Tv) on the system, of which t·s is lost at the
    contact, and the rest is the work of the belt. Zeros for a motion without friction.
    """
    count = len(run.t)
    slip, driven = np.zeros(count), np.zeros(count)
    rows = [run.about.rows.index(row) for contact in run.about.contacts for row in contact.slip]
    if not rows or run.setting is None or run.sliding is None:
        return slip, driven
    model, theta = run.setting.system.model, run.setting.theta
    nodes, weights = np.polynomial.legendre.leggauss(NODES)
    for i in range(count - 1):
        h = float(run.t[i + 1] - run.t[i])
        if h <= 0.0 or not (np.any(run.multipliers[i : i + 2, rows]) or np.any(run.sliding[i])):
            continue
        inner = run.at(run.t[i] + h * (nodes + 1.0) / 2.0)
        for k, weight in enumerate(weights):
            terms = model.terms(inner.q[k], inner.v[k], float(inner.t[k]), theta)
            t, slides = inner.multipliers[k, rows], inner.sliding[k, rows] != 0.0
            slip[i + 1] += weight * h / 2.0 * float(np.sum((t * terms.psi[rows])[slides]))
            driven[i + 1] += weight * h / 2.0 * float(t @ (terms.J[rows] @ inner.v[k] - terms.psi[rows]))
    return np.cumsum(slip), np.cumsum(driven)
