"""Inertia: the mass matrix of a model, symmetric and free of velocities wherever the model is used.

Expressions show both for most models. Where they do not, samples are tried when the model is built, and the mass matrix
becomes nan at states where it fails, so that no step is taken there; `explain` then says why.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NoReturn

import casadi as ca
import numpy as np

from gauss.errors import MassMatrixError, ModelError
from gauss.foundation.arrays import Array
from gauss.model.compiled.trace import Symbols, call, column, stored
from gauss.model.functions import ModelFunction, as_rows

SAMPLES = 3  # states at which a doubtful mass matrix is tried when the model is built
SYMMETRY = 1e-12  # entries of the mass matrix that differ by less, relative to the largest, are equal
CANCELLATION = 1e-6  # the same for velocities that cancel: they may be large and leave more rounding behind


def lagrangian_terms(
    kinetic: ca.SX, potential: ca.SX, symbols: Symbols, what: str
) -> tuple[ca.SX, ca.SX, ca.SX | None]:
    """Return M = T_vv, the force f of M a = f from Lagrange's equations, f = T_q − T_vq v − T_vt − V_q, and the doubt.

    The doubt is T_vv as it stands if velocities are left in it, else None. Raises ModelError when they do not cancel.
    """
    momentum = ca.gradient(kinetic, symbols.v)
    f = ca.gradient(kinetic - potential, symbols.q) - symbols.rate(momentum)
    given = stored(ca.jacobian(momentum, symbols.v))
    if not ca.depends_on(given, symbols.v):
        return given, f, None
    M = ca.substitute(given, symbols.v, ca.SX.zeros(symbols.v.shape))
    for state, (value, other) in _samples(symbols, [given, M]):
        if _gap(value, other) > CANCELLATION * np.max(np.abs(other)):
            refuse_velocities(what, state)
    return _nan_where_different(M, given, CANCELLATION), f, given


def equations_of(function: ModelFunction, symbols: Symbols) -> tuple[ca.SX, ca.SX]:
    """Return M and the force f = −h − V_q of what a function says beside energies: M and h by place, and V.

    M has the entries (i, j) that are not zero, each pair once, h all n. That they are what Lagrange's equations make of
    the energies is the function's business.
    """
    entries, h, rest = call(function, symbols)
    M = ca.SX(len(h), len(h))
    for (i, j), entry in entries.items():
        M[i, j] = M[j, i] = entry
    return stored(M), -ca.vertcat(*h) - ca.gradient(ca.SX(rest), symbols.q)


def mass_matrix_of(function: ModelFunction, names: Sequence[str], symbols: Symbols) -> tuple[ca.SX, ca.SX | None]:
    """Trace a mass matrix given as a function or a constant, and return it with the doubt.

    The doubt is the matrix as given if its expressions do not show that it is symmetric, else None. Raises ModelError
    for a matrix of the wrong shape, MassMatrixError for one that is not symmetric.
    """
    rows = as_rows(call(function, symbols), names, function.what)
    if len(rows) != len(names):
        raise ModelError(f"{function.what} has {len(rows)} rows, expected {len(names)} ({', '.join(names)}).")
    given = ca.vertcat(*(column(row, function.what, symbols).T for row in rows))
    shared, transposed = ca.cse([given, given.T])
    if ca.sparsify(ca.simplify(shared - transposed)).nnz() == 0:
        return given, None
    for state, (value,) in _samples(symbols, [given]):
        if _gap(value, value.T) > SYMMETRY * np.max(np.abs(value)):
            refuse_asymmetry(function.what, value, names, state)
    return _nan_where_different((given + given.T) / 2, given, SYMMETRY), given


def explain(what: str, names: Sequence[str], doubt: Array, energies: bool, state: str) -> None:
    """Raise the error of a mass matrix that is nan at a state where its doubt, here as numbers, is confirmed."""
    if not np.all(np.isfinite(doubt)):
        return
    if energies:
        refuse_velocities(what, state)
    if _gap(doubt, doubt.T) > SYMMETRY * np.max(np.abs(doubt)):
        refuse_asymmetry(what, doubt, names, state)


def refuse_velocities(what: str, state: str) -> NoReturn:
    """Raise ModelError: the mass matrix depends on the velocities."""
    raise ModelError(
        f"{what} is not quadratic in the velocities (at {state}), so its mass matrix depends on them and the Zwang has"
        " no metric. Give a kinetic energy of at most second degree in v, or mass_matrix and force."
    )


def refuse_asymmetry(what: str, M: Array, names: Sequence[str], state: str) -> NoReturn:
    """Raise MassMatrixError, naming the entries that differ most."""
    gap = np.abs(M - M.T)
    i, j = (int(k) for k in np.unravel_index(int(np.argmax(gap)), gap.shape))
    raise MassMatrixError(
        f"{what} is not symmetric: its entries [{names[i]}, {names[j]}] and [{names[j]}, {names[i]}] differ by"
        f" {gap[i, j]:.3g} at {state}."
    )


def _gap(one: Array, other: Array) -> float:
    """Return the largest difference of two matrices; nan, which compares false, where they are not defined."""
    return float(np.max(np.abs(one - other)))


def _nan_where_different(M: ca.SX, given: ca.SX, tolerance: float) -> ca.SX:
    """Return M where it agrees with the matrix it stands for, else nan."""
    gap, size = (ca.mmax(ca.fabs(ca.vec(ca.densify(matrix)))) for matrix in (given - M, M))
    return ca.if_else(gap > tolerance * size, ca.SX.nan(M.shape), ca.densify(M))


def _samples(symbols: Symbols, outputs: list[ca.SX]) -> list[tuple[str, list[Array]]]:
    """Evaluate matrices at a few arbitrary states; return each state in words with the numbers."""
    probe = ca.Function("probe", [symbols.q, symbols.v, symbols.t, symbols.p], outputs)
    rng = np.random.default_rng(0)
    samples = []
    for _ in range(SAMPLES):
        q, t = rng.uniform(0.1, 1.0, symbols.q.numel()), rng.uniform(0.1, 1.0)
        v, p = rng.normal(size=q.size), rng.uniform(0.5, 1.5, symbols.p.numel())
        values = probe.call([q, v, t, p])
        samples.append((f"a sample, q = {q}, v = {v}", [np.array(value) for value in values]))
    return samples
