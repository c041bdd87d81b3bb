"""Tracing: plain Python model functions become CasADi expressions, once, when a System is built."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import casadi as ca
import numpy as np

from gauss.errors import ModelError
from gauss.foundation.arrays import repeated_in
from gauss.model.constraints import Constraint, Friction, Holonomic, Nonholonomic, Pfaffian, Unilateral
from gauss.model.coordinates import Named, named_loads
from gauss.model.functions import REMEDY, ModelFunction, SymbolError, as_list, as_rows, as_scalar, as_vector
from gauss.model.rows import Kind

LARGE = 4000  # entries; larger matrices that are mostly zeros are kept without them
SPARSE = 0.2  # largest share of entries that are not zero


@dataclass(frozen=True)
class Symbols:
    """The symbols of one model, and the named views that model functions receive."""

    q: ca.SX  # (n, 1)
    v: ca.SX  # (n, 1)
    t: ca.SX  # (1, 1)
    p: ca.SX  # (n_p, 1)
    u: ca.SX  # (n_u, 1)
    named: dict[str, Any]
    load: ca.SX | None = None  # (m_E, 1) of the multipliers that a force may see

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

    @cached_property
    def known(self) -> frozenset[int]:
        """The hashes of all symbols, by which expressions with other symbols are found."""
        loads = frozenset[int]() if self.load is None else _hashes(self.load)
        return self.positions | self.velocities | _hashes(self.t) | _hashes(self.p) | _hashes(self.u) | loads

    def seeing(self, rows: Sequence[str]) -> Symbols:
        """Return the same with the multipliers of rows by name as `load`."""
        load = ca.vertcat(*(ca.SX.sym(f"load_{name}") for name in rows)) if rows else ca.SX(0, 1)
        named = named_loads(rows, ca.vertsplit(load) if rows else ())
        return replace(self, load=load, named=self.named | {"load": named})

    @cached_property
    def positions(self) -> frozenset[int]:
        """The hashes of q."""
        return _hashes(self.q)

    @cached_property
    def velocities(self) -> frozenset[int]:
        """The hashes of v."""
        return _hashes(self.v)

    def rate(self, expression: ca.SX) -> ca.SX:
        """Return the time derivative along (v, 1) with v held fixed: e_q v + e_t."""
        return ca.jtimes(expression, self.q, self.v) + ca.jacobian(expression, self.t)


def _hashes(symbols: ca.SX) -> frozenset[int]:
    return frozenset(entry.element_hash() for entry in symbols.elements())


@dataclass(frozen=True)
class Trace:
    """Expressions of one model; its m rows are the equality rows in the order given, friction, then unilateral rows."""

    symbols: Symbols
    M: ca.SX  # (n, n) mass matrix
    doubt: ca.SX | None  # (n, n) what M was derived from, where it may fail (see `gauss.model.compiled.inertia`)
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
    kept: tuple[int, ...]  # rows that are left out last where rows depend on one another

    @cached_property
    def rheonomic(self) -> bool:
        """Whether time occurs in a constraint by itself."""
        return bool(ca.depends_on(ca.vertcat(self.phi, self.psi), self.symbols.t)) if self.names else False

    def rows(self, pick: Sequence[int]) -> tuple[ca.SX, ca.SX, ca.SX, ca.SX]:
        """Return J, gamma, phi, psi of the rows with the given indices."""
        chosen = list(pick)
        return self.J[chosen, :], self.gamma[chosen, :], self.phi[chosen, :], self.psi[chosen, :]


_TRACING: ContextVar[bool] = ContextVar("_TRACING", default=False)  # whether this thread traces a model function


def _guarded(convert: Callable[[ca.SX], Any]) -> Callable[[ca.SX], Any]:
    def conversion(value: ca.SX) -> Any:
        if _TRACING.get() and not value.is_constant():
            raise SymbolError(f"the symbol {value} has no number while the model is traced")
        return convert(value)

    return conversion


# Once and for all: what one thread puts in place and takes away another may be using. Outside of tracing nothing
# changes, but that CasADi's notice about NumPy functions of symbols, which work, is not shown.
ca.SX.__float__, ca.SX.__int__ = _guarded(ca.SX.__float__), _guarded(ca.SX.__int__)
if hasattr(ca.GlobalOptions, "setNumpyMode") and ca.GlobalOptions.getNumpyMode() == 0:
    ca.GlobalOptions.setNumpyMode(-1)


@contextmanager
def symbols_are_no_numbers() -> Iterator[None]:
    """While tracing, let float(symbol) and int(symbol) raise a SymbolError, in this thread.

    CasADi makes nan of a symbol, which Python code then compares or rounds to the same answer for all states. Functions
    of the math module convert their arguments in the same way.
    """
    token = _TRACING.set(True)
    try:
        yield
    finally:
        _TRACING.reset(token)


def call(function: ModelFunction, symbols: Symbols) -> Any:
    """Return what a model function makes of the symbols. Raises ModelError."""
    with symbols_are_no_numbers():
        return function(symbols.named)


def _checked(entry: Any, what: str, symbols: Symbols) -> ca.SX:
    """Return an entry as SX; refuse constants that are not finite and symbols that are not of the model."""
    try:
        expression = ca.SX(entry)
    except (NotImplementedError, TypeError, RuntimeError):
        raise ModelError(f"{what} returned {type(entry).__name__} {entry!r}, which is not a number.") from None
    if expression.shape != (1, 1):
        raise ModelError(f"{what} returned something of shape {expression.shape} where one number is expected.")
    contained = ca.symvar(expression)
    foreign = [str(symbol) for symbol in contained if symbol.element_hash() not in symbols.known]
    if foreign:
        raise ModelError(
            f"{what} contains {', '.join(foreign)}, which is no symbol of this model; use q, v, t, p and u only."
        )
    if not np.all(np.isfinite(_constants(expression, contained))):
        raise ModelError(f"{what} is nan or infinite when traced with symbols.{REMEDY}")
    return ca.densify(expression)


def _constants(expression: ca.SX, contained: list[ca.SX]) -> list[float]:
    """Return all constants in a scalar expression."""
    function = ca.Function("check", contained, [expression])
    return [
        function.instruction_constant(k)
        for k in range(function.n_instructions())
        if function.instruction_id(k) == ca.OP_CONST
    ]


def stored(matrix: ca.SX) -> ca.SX:
    """Return a matrix with all entries stored, or where it is large and mostly zero, with the others alone."""
    sparse = ca.sparsify(matrix)
    return sparse if is_sparse(sparse) else ca.densify(matrix)


def is_sparse(*matrices: ca.SX) -> bool:
    """Return whether matrices are large together and mostly zero."""
    total = sum(matrix.numel() for matrix in matrices)
    return bool(total > LARGE and sum(matrix.nnz() for matrix in matrices) <= SPARSE * total)


def column(entries: Sequence[Any], what: str, symbols: Symbols) -> ca.SX:
    """Stack checked entries into a column."""
    return ca.vertcat(*(_checked(entry, what, symbols) for entry in entries)) if len(entries) else ca.SX(0, 1)


def scalar_of(function: ModelFunction, symbols: Symbols) -> ca.SX:
    """Trace a scalar model function."""
    return _checked(as_scalar(call(function, symbols), function.what), function.what, symbols)


def _list_of(function: ModelFunction, symbols: Symbols) -> ca.SX:
    """Trace a model function that returns a number or a list of numbers."""
    return column(as_list(call(function, symbols), function.what), function.what, symbols)


def _require_gradients(rows: ca.SX, variables: frozenset[int], what: str, kind: str, remedy: str) -> None:
    """Raise ModelError for a row whose gradient vanishes: a constant, or a step such as a comparison or a sign.

    `variables` are the hashes of the symbols that it should depend on.
    """
    for k in range(rows.numel()):
        contained = [symbol for symbol in ca.symvar(rows[k]) if symbol.element_hash() in variables]
        if ca.sparsify(ca.jacobian(rows[k], ca.vertcat(*contained))).nnz() == 0:
            place = f" (its entry {k})" if rows.numel() > 1 else ""
            step = ""
            if contained:
                step = " smoothly: its derivatives are zero everywhere (write φ(q) itself, not φ(q) == 0 or q >= 0)"
            raise ModelError(f"{what}{place} does not depend on any {kind}{step}.{remedy}")


def _rows_of(constraint: Constraint, names: Sequence[str], s: Symbols) -> tuple[ca.SX, ca.SX]:
    """Return (phi, psi) of one constraint: position residual (zero if none) and velocity residual."""
    what = f"constraint {constraint.name!r}"
    if isinstance(constraint, (Holonomic, Unilateral)):
        phi = _list_of(ModelFunction.of(constraint.function, "qtp", what), s)
        if not getattr(constraint.function, "may_vanish", False):  # as the row across the plane of a plane loop does
            _require_gradients(phi, s.positions, what, "coordinate", "")
        return phi, s.rate(phi)
    if isinstance(constraint, Pfaffian):
        matrix = ModelFunction.of(constraint.matrix, "qtp", f"the matrix of {what}")
        offset = ModelFunction.of(constraint.offset, "qtp", f"the offset of {what}")
        rows = [column(row, matrix.what, s).T for row in as_rows(call(matrix, s), names, matrix.what)]
        b = _list_of(offset, s)
        if b.numel() != len(rows):
            if b.numel() != 1:
                raise ModelError(f"{offset.what} has {b.numel()} entries, but its matrix has {len(rows)} rows.")
            b = ca.repmat(b, len(rows), 1)
        psi = ca.vertcat(*rows) @ s.v + b
    elif isinstance(constraint, Nonholonomic | Friction):
        psi = _list_of(ModelFunction.of(constraint.function, "qvtp", what), s)
        _require_gradients(
            psi, s.velocities, what, "velocity", " If it is a condition on the positions, write it as Holonomic."
        )
    else:
        raise ModelError(
            "constraints must be Holonomic, Pfaffian, Nonholonomic, Unilateral or Friction, got"
            f" {type(constraint).__name__}."
        )
    if isinstance(constraint, Friction) and ca.depends_on(ca.jacobian(psi, s.v), s.v):
        raise ModelError(f"{what}: a slip velocity must be linear in the velocities v.")
    return ca.SX.zeros(psi.shape), psi


def trace_rows(constraints: Sequence[Constraint], names: Sequence[str], symbols: Symbols) -> dict[str, Any]:
    """Trace all constraints into the row fields of a Trace. Raises ModelError for repeated names."""
    phis: list[ca.SX] = []
    psis: list[ca.SX] = []
    row_names: list[str] = []
    kinds: list[Kind] = []
    restitution: list[float] = []
    kept: list[int] = []
    for constraint in constraints:
        phi, psi = _rows_of(constraint, names, symbols)
        count = psi.numel()
        if count == 0:
            raise ModelError(f"constraint {constraint.name!r} returned an empty list.")
        phis.append(phi)
        psis.append(psi)
        row_names += constraint.row_names(count)
        if isinstance(constraint, Holonomic) and constraint.keep:
            kept += range(len(kinds), len(kinds) + count)
        kinds += [constraint.kind] * count
        if isinstance(constraint, Unilateral):
            restitution += [constraint.restitution] * count
    repeated = repeated_in(row_names)
    if repeated:
        raise ModelError(f"constraint names must differ: {', '.join(repeated)} is used more than once.")
    psi = ca.densify(ca.vertcat(*psis)) if psis else ca.SX(0, 1)
    J = stored(ca.jacobian(psi, symbols.v)) if psis else ca.SX(0, symbols.q.numel())
    return {
        "phi": ca.densify(ca.vertcat(*phis)) if phis else ca.SX(0, 1),
        "psi": psi,
        "J": J,
        "gamma": ca.densify(-symbols.rate(psi)) if psis else ca.SX(0, 1),
        "names": tuple(row_names),
        "kinds": tuple(kinds),
        "restitution": tuple(restitution),
        "linear_velocity": not ca.depends_on(J, symbols.v),
        "kept": tuple(kept),
    }


def trace_force(function: ModelFunction, names: Sequence[str], symbols: Symbols) -> ca.SX:
    """Trace a generalized force given as a list or a dict by coordinate name."""
    return column(as_vector(call(function, symbols), names, function.what), function.what, symbols)


def trace_event(function: Callable[..., Any], symbols: Symbols, what: str) -> ca.SX:
    """Trace a scalar function of q, v, t, p."""
    return scalar_of(ModelFunction.of(function, "qvtp", what), symbols)
