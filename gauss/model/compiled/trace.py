"""Tracing: plain Python model functions become CasADi expressions, once, when a System is built."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import casadi as ca
import numpy as np

from gauss.errors import MassMatrixError, ModelError
from gauss.model.constraints import Constraint, Holonomic, Nonholonomic, Pfaffian, Unilateral
from gauss.model.coordinates import Named
from gauss.model.functions import ModelFunction, as_list, as_rows, as_scalar, as_vector
from gauss.rows import Kind


@dataclass(frozen=True)
class Symbols:
    """The symbols of one model, and the named views that model functions receive."""

    q: ca.SX  # (n, 1)
    v: ca.SX  # (n, 1)
    t: ca.SX  # (1, 1)
    p: ca.SX  # (n_p, 1)
    u: ca.SX  # (n_u, 1)
    named: dict[str, Any]

    @staticmethod
    def of(coordinates: Sequence[str], parameters: Sequence[str], controls: Sequence[str]) -> Symbols:
        """Create the symbols."""

        def column(names: Sequence[str], prefix: str = "") -> ca.SX:
            return ca.vertcat(*(ca.SX.sym(prefix + name) for name in names)) if names else ca.SX(0, 1)

        q, v, p, u = column(coordinates), column(coordinates, "d_"), column(parameters), column(controls)
        t = ca.SX.sym("t")
        named = {
            "q": Named(coordinates, ca.vertsplit(q), "coordinate"),
            "v": Named(coordinates, ca.vertsplit(v), "velocity"),
            "t": t,
            "p": Named(parameters, ca.vertsplit(p) if parameters else (), "parameter"),
            "u": Named(controls, ca.vertsplit(u) if controls else (), "control"),
        }
        return Symbols(q, v, t, p, u, named)

    def rate(self, expression: ca.SX) -> ca.SX:
        """Return the time derivative along (v, 1) with v held fixed: e_q v + e_t."""
        return ca.jtimes(expression, self.q, self.v) + ca.jacobian(expression, self.t)


@dataclass(frozen=True)
class Trace:
    """Expressions of one model; the m rows are the equality rows in the order given, then the unilateral rows."""

    symbols: Symbols
    M: ca.SX  # (n, n) mass matrix
    f: ca.SX  # (n, 1) applied and inertial generalized force
    kinetic: ca.SX  # (1, 1) kinetic energy T, J
    potential: ca.SX  # (1, 1) potential energy V, J
    phi: ca.SX  # (m, 1) position residual of holonomic rows, gap of unilateral rows, 0 for the others
    psi: ca.SX  # (m, 1) velocity residual; for holonomic and unilateral rows the rate of phi
    J: ca.SX  # (m, n) ψ_v
    gamma: ca.SX  # (m, 1) −(ψ_q v + ψ_t)
    names: tuple[str, ...]  # (m,)
    kinds: tuple[Kind, ...]  # (m,)
    restitution: tuple[float, ...]  # (m_u,) of the unilateral rows
    linear_velocity: bool  # every velocity row is affine in v


def _checked(entry: Any, what: str) -> ca.SX:
    """Return an entry as SX; refuse what tracing silently turned into nan (math.sin of a symbol, for one)."""
    try:
        expression = ca.SX(entry)
    except (NotImplementedError, TypeError, RuntimeError):
        raise ModelError(f"{what} returned {type(entry).__name__} {entry!r}, which is not a number.") from None
    if expression.shape != (1, 1):
        raise ModelError(f"{what} returned something of shape {expression.shape} where one number is expected.")
    if expression.is_constant():
        bad = not np.isfinite(float(expression))
    else:
        function = ca.Function("check", ca.symvar(expression), [expression])
        constants = (
            function.instruction_constant(k)
            for k in range(function.n_instructions())
            if function.instruction_id(k) == ca.OP_CONST
        )
        bad = any(np.isnan(c) for c in constants)
    if bad:
        raise ModelError(
            f"{what} is nan or infinite when traced with symbols. Functions of the math module cannot be traced: write"
            " gauss.sin, gauss.sqrt, … instead of math.sin, math.sqrt, …, or declare a force as black_box_force=…."
        )
    return ca.densify(expression)


def column(entries: Sequence[Any], what: str) -> ca.SX:
    """Stack checked entries into a column."""
    return ca.vertcat(*(_checked(entry, what) for entry in entries)) if len(entries) else ca.SX(0, 1)


def scalar_of(function: ModelFunction, symbols: Symbols) -> ca.SX:
    """Trace a scalar model function."""
    return _checked(as_scalar(function(symbols.named), function.what), function.what)


def _velocity_free(M: ca.SX, symbols: Symbols, what: str) -> ca.SX:
    """Return M with velocities removed where they cancel; refuse a mass matrix that really depends on them."""
    if not ca.depends_on(M, symbols.v):
        return M
    probe = ca.Function("probe", [symbols.q, symbols.v, symbols.t, symbols.p], [M])
    rng = np.random.default_rng(0)
    for _ in range(3):
        q, t, p = rng.uniform(0.1, 1.0, symbols.q.numel()), rng.uniform(), rng.uniform(0.5, 1.5, symbols.p.numel())
        samples = [np.array(probe(q, rng.normal(size=q.size), t, p)) for _ in range(2)]
        if np.max(np.abs(samples[0] - samples[1])) > 1e-9 * max(1.0, float(np.max(np.abs(samples[0])))):
            raise ModelError(
                f"{what} is not quadratic in the velocities, so its mass matrix depends on them and the Zwang has no"
                " metric. Give a kinetic energy of at most second degree in v, or mass_matrix and force."
            )
    return ca.substitute(M, symbols.v, ca.SX.zeros(symbols.v.shape))


def lagrangian_terms(kinetic: ca.SX, potential: ca.SX, symbols: Symbols, what: str) -> tuple[ca.SX, ca.SX]:
    """Return M = T_vv and the force f of M a = f from Lagrange's equations: f = T_q − T_vq v − T_vt − V_q."""
    momentum = ca.gradient(kinetic, symbols.v)
    M = _velocity_free(ca.densify(ca.jacobian(momentum, symbols.v)), symbols, what)
    f = ca.gradient(kinetic - potential, symbols.q) - symbols.rate(momentum)
    return M, f


def mass_matrix_of(function: ModelFunction, names: Sequence[str], symbols: Symbols) -> ca.SX:
    """Trace a mass matrix given as a function or a constant; refuse one that is not square or not symmetric."""
    rows = as_rows(function(symbols.named), names, function.what)
    if len(rows) != len(names):
        raise ModelError(f"{function.what} has {len(rows)} rows, expected {len(names)} ({', '.join(names)}).")
    M = ca.vertcat(*(column(row, function.what).T for row in rows))
    difference = ca.simplify(M - M.T)
    probe = ca.Function("probe", [symbols.q, symbols.t, symbols.p], [difference, M])
    rng = np.random.default_rng(0)
    d, value = probe(*(rng.uniform(0.1, 1.0, s.numel()) for s in (symbols.q, symbols.t, symbols.p)))
    gap, size = np.abs(np.array(d)), float(np.max(np.abs(np.array(value))))
    if gap.size and np.max(gap) > 1e-12 * size:
        i, j = (int(k) for k in np.unravel_index(int(np.argmax(gap)), gap.shape))
        raise MassMatrixError(
            f"{function.what} is not symmetric: its entries [{names[i]}, {names[j]}] and [{names[j]}, {names[i]}]"
            f" differ by {gap[i, j]:.3g} at a sample point."
        )
    return (M + M.T) / 2


def _rows_of(constraint: Constraint, names: Sequence[str], s: Symbols) -> tuple[ca.SX, ca.SX]:
    """Return (phi, psi) of one constraint: position residual (zero if none) and velocity residual."""
    what = f"constraint {constraint.name!r}"
    if isinstance(constraint, (Holonomic, Unilateral)):
        phi = column(as_list(ModelFunction.of(constraint.function, "qtp", what)(s.named), what), what)
        if phi.numel() and not ca.depends_on(phi, s.q):
            raise ModelError(f"{what} does not depend on any coordinate.")
        return phi, s.rate(phi)
    if isinstance(constraint, Pfaffian):
        matrix = ModelFunction.of(constraint.matrix, "qtp", f"the matrix of {what}")
        offset = ModelFunction.of(constraint.offset, "qtp", f"the offset of {what}")
        rows = [column(row, matrix.what).T for row in as_rows(matrix(s.named), names, matrix.what)]
        b = column(as_list(offset(s.named), offset.what), offset.what)
        if b.numel() != len(rows):
            if b.numel() != 1:
                raise ModelError(f"{offset.what} has {b.numel()} entries, but its matrix has {len(rows)} rows.")
            b = ca.repmat(b, len(rows), 1)
        psi = ca.vertcat(*rows) @ s.v + b
    elif isinstance(constraint, Nonholonomic):
        psi = column(as_list(ModelFunction.of(constraint.function, "qvtp", what)(s.named), what), what)
        if psi.numel() and not ca.depends_on(psi, s.v):
            raise ModelError(f"{what} does not depend on any velocity; write it as Holonomic.")
    else:
        raise ModelError(
            f"constraints must be Holonomic, Pfaffian, Nonholonomic or Unilateral, got {type(constraint).__name__}."
        )
    return ca.SX.zeros(psi.shape), psi


def trace_rows(constraints: Sequence[Constraint], names: Sequence[str], symbols: Symbols) -> dict[str, Any]:
    """Trace all constraints into the row fields of a Trace. Raises ModelError for repeated names."""
    ordered = [c for c in constraints if not isinstance(c, Unilateral)]
    ordered += [c for c in constraints if isinstance(c, Unilateral)]
    phis: list[ca.SX] = []
    psis: list[ca.SX] = []
    row_names: list[str] = []
    kinds: list[Kind] = []
    restitution: list[float] = []
    for constraint in ordered:
        phi, psi = _rows_of(constraint, names, symbols)
        count = psi.numel()
        if count == 0:
            raise ModelError(f"constraint {constraint.name!r} returned an empty list.")
        phis.append(phi)
        psis.append(psi)
        row_names += constraint.row_names(count)
        kinds += [constraint.kind] * count
        if isinstance(constraint, Unilateral):
            restitution += [constraint.restitution] * count
    repeated = sorted({name for name in row_names if row_names.count(name) > 1})
    if repeated:
        raise ModelError(f"constraint names must differ: {', '.join(repeated)} is used more than once.")
    psi = ca.densify(ca.vertcat(*psis)) if psis else ca.SX(0, 1)
    J = ca.densify(ca.jacobian(psi, symbols.v)) if psis else ca.SX(0, symbols.q.numel())
    return {
        "phi": ca.densify(ca.vertcat(*phis)) if phis else ca.SX(0, 1),
        "psi": psi,
        "J": J,
        "gamma": ca.densify(-symbols.rate(psi)) if psis else ca.SX(0, 1),
        "names": tuple(row_names),
        "kinds": tuple(kinds),
        "restitution": tuple(restitution),
        "linear_velocity": not ca.depends_on(J, symbols.v),
    }


def trace_force(function: ModelFunction, names: Sequence[str], symbols: Symbols) -> ca.SX:
    """Trace a generalized force given as a list or a dict by coordinate name."""
    return column(as_vector(function(symbols.named), names, function.what), function.what)


def trace_event(function: Callable[..., Any], symbols: Symbols, what: str) -> ca.SX:
    """Trace a scalar function of q, v, t, p."""
    return scalar_of(ModelFunction.of(function, "qvtp", what), symbols)
