"""What the expressions of a model say without numbers: which symbols they depend on, whether energy is conserved."""

from __future__ import annotations

import casadi as ca
import numpy as np

from gauss.foundation.arrays import Flags
from gauss.model.compiled.trace import Trace


def concerned(trace: Trace) -> Flags:
    """Return which coordinates (m, n) each row depends on, by themselves or by their velocities."""
    found = np.zeros((len(trace.names), trace.symbols.q.numel()), dtype=bool)
    for x in (trace.symbols.q, trace.symbols.v):
        found[ca.jacobian_sparsity(trace.psi, x).get_triplet()] = True
    return found


def ignorable(trace: Trace) -> tuple[Flags, Flags]:
    """Return which coordinates and which velocities, (n,) each, occur in no row and no equation of motion."""
    r, found = trace, np.ones((2, trace.symbols.q.numel()), dtype=bool)
    parts = ca.vertcat(*(ca.sparsify(x).nz[:] for x in (r.M, r.f, r.J, r.gamma, r.phi, r.psi)))
    for free, x in zip(found, (r.symbols.q, r.symbols.v), strict=True):
        free[ca.jacobian_sparsity(parts, x).get_triplet()[1]] = False
    return found[0], found[1]


def steady(trace: Trace, expression: ca.SX) -> bool:
    """Whether an expression depends on nothing but parameters and controls."""
    s = trace.symbols
    return not any(ca.depends_on(expression, x) for x in (s.q, s.v, s.t))


def conserves(trace: Trace, arguments: list[ca.SX], force: ca.SX) -> bool:
    """Whether a model given by energies conserves them, as far as the expressions show it.

    There is no explicit time, the other forces vanish, and the rows are homogeneous and linear in the velocities. Rows
    of friction are not asked.
    """
    r, n = trace, trace.symbols.q.numel()
    if not r.linear_velocity:
        return False
    psi = r.psi[[k for k, kind in enumerate(r.kinds) if kind != "friction"]]
    if any(ca.depends_on(e, r.symbols.t) for e in (r.kinetic, r.potential, psi, r.phi)):
        return False
    probe = ca.Function("probe", arguments, [force, psi])
    rng = np.random.default_rng(0)
    for _ in range(3):
        q, theta = rng.uniform(0.1, 1.0, n), rng.uniform(0.5, 1.5, arguments[3].numel())
        t = rng.uniform(0.1, 1.0)
        moving = np.array(probe(q, rng.normal(size=n), t, theta)[0])
        resting = np.array(probe(q, np.zeros(n), t, theta)[1])
        if np.any(np.nan_to_num(moving)) or np.any(np.nan_to_num(resting)):
            return False
    return True
