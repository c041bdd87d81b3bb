"""The model as formulas: the same functions of a System evaluated with SymPy symbols."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import sympy as sp

from gauss.errors import ModelError
from gauss.model import Constraint, Friction, Holonomic, Nonholonomic, Pfaffian, System, Unilateral
from gauss.model.coordinates import Named, named_loads
from gauss.model.functions import ModelFunction, as_list, as_rows, as_scalar, as_vector

LARGEST_DENOMINATOR = 12
SIMPLIFIED = 200  # operations that are simplified, which takes SymPy about a second
DIGITS = 8  # of numbers that are shown


@dataclass(frozen=True)
class RowFormula:
    """One constraint row: what is written, and its row on the accelerations J a = γ (or ≥ γ)."""

    name: str
    kind: str
    statement: sp.Expr  # φ, ψ or g
    relation: str  # "= 0" or "≥ 0"
    J: sp.Matrix  # (1, n)
    gamma: sp.Expr


@dataclass(frozen=True)
class Formulas:
    """M a = f + Jᵀλ of a System in symbols."""

    coordinates: tuple[sp.Symbol, ...]
    velocities: tuple[sp.Symbol, ...]
    kinetic: sp.Expr | None
    potential: sp.Expr
    M: sp.Matrix
    f: sp.Matrix
    rows: tuple[RowFormula, ...]


def formulas(system: System, equations: bool = True) -> Formulas:
    """Return the equations of a System in symbols; without `equations` the energies and the statements of rows alone.

    M, f, J and γ are zero then. Raises ModelError for a function that SymPy cannot evaluate.
    """
    q = [sp.Symbol(name, real=True) for name in system.coordinates]
    v = [sp.Symbol(name + "_dot", real=True) for name in system.coordinates]
    t = sp.Symbol("t", real=True)
    p = [sp.Symbol(name, real=True) for name in system.parameters]
    u = [sp.Symbol(name, real=True) for name in system.controls]
    values: dict[str, Any] = {
        "q": Named(system.coordinates, q),
        "v": Named(system.coordinates, v, "velocity"),
        "t": t,
        "p": Named(tuple(system.parameters), p, "parameter"),
        "u": Named(system.controls, u, "control"),
    }
    equality = [system.row_names[k] for k in system.model.equality]
    values["load"] = named_loads(equality, [sp.Symbol(f"load_{name}") for name in equality])

    def rate(expression: sp.Expr) -> sp.Expr:
        return sum((sp.diff(expression, x) * dx for x, dx in zip(q, v, strict=True)), sp.diff(expression, t))

    try:
        potential = neat(as_scalar(system.potential_energy(values), "the potential energy"))
        if not equations:
            energy = None
            if system.kinetic_energy is not None:
                energy = neat(as_scalar(system.kinetic_energy(values), "the kinetic energy"))
            none = sp.zeros(system.n, system.n), sp.zeros(system.n, 1)
            rows = tuple(row for c in system.constraints for row in _rows(c, system, values, v, None))
            return Formulas(tuple(q), tuple(v), energy, potential, *none, rows)
        force = sp.Matrix([neat(x) for x in as_vector(system.force(values), system.coordinates, "the force")])
        gradient = sp.Matrix([sp.diff(potential, x) for x in q])
        if system.kinetic_energy is not None:
            kinetic = neat(as_scalar(system.kinetic_energy(values), "the kinetic energy"))
            momentum = [sp.diff(kinetic, x) for x in v]
            M = sp.Matrix([[sp.diff(m, x) for x in v] for m in momentum])
            inertial = sp.Matrix([sp.diff(kinetic, x) - rate(m) for x, m in zip(q, momentum, strict=True)])
        else:
            assert system.mass_matrix is not None
            kinetic, inertial = None, sp.zeros(system.n, 1)
            M = sp.Matrix(as_rows(system.mass_matrix(values), system.coordinates, "the mass matrix"))
        rows = tuple(row for c in system.constraints for row in _rows(c, system, values, v, rate))
    except (TypeError, AttributeError, sp.SympifyError) as error:
        raise ModelError(f"the model cannot be written in symbols: {type(error).__name__}: {error}.") from error
    f = (inertial - gradient + force).applyfunc(sp.simplify)
    return Formulas(tuple(q), tuple(v), kinetic, potential, M.applyfunc(sp.simplify), f, rows)


def neat(value: Any) -> sp.Expr:
    """Return a SymPy expression in which floats that are simple fractions (1/2, 1/3, …) are written as such."""
    expression = sp.sympify(value)
    simple = {number: sp.Rational(*_fraction(float(number))) for number in expression.atoms(sp.Float)}
    return expression.xreplace({n: r for n, r in simple.items() if float(r) == float(n) and r.q <= LARGEST_DENOMINATOR})


def short(expression: Any) -> sp.Expr:
    """Return the shorter of an expression and what SymPy simplifies it to, its numbers `rounded`."""
    return rounded(min((expression, sp.simplify(expression)), key=sp.count_ops))


def rounded(expression: Any) -> sp.Expr:
    """Return an expression whose numbers have `DIGITS` digits, simple fractions written as such."""
    found = neat(expression)
    return found.xreplace({x: sp.Float(x, DIGITS) for x in found.atoms(sp.Float)})


def _fraction(number: float) -> tuple[int, int]:
    return Fraction(number).limit_denominator(LARGEST_DENOMINATOR).as_integer_ratio()


def _rows(
    constraint: Constraint, system: System, values: dict[str, Any], v: list[sp.Symbol], rate: Any
) -> list[RowFormula]:
    """Return the formulas of the rows of one constraint; without a `rate` of change J and γ are zero."""
    what = f"constraint {constraint.name!r}"
    if isinstance(constraint, (Holonomic, Unilateral)):
        statements = as_list(ModelFunction.of(constraint.function, "qtp", what)(values), what)
        residuals = [rate(neat(x)) for x in statements] if rate else []
        gammas = [-_second_rate(neat(x), values, v) for x in statements] if rate else []
    elif isinstance(constraint, Nonholonomic | Friction):
        statements = as_list(ModelFunction.of(constraint.function, "qvtp", what)(values), what)
        residuals = [neat(x) for x in statements]
        gammas = [-rate(psi) for psi in residuals] if rate else []
    else:
        assert isinstance(constraint, Pfaffian)
        matrix = as_rows(ModelFunction.of(constraint.matrix, "qtp", what)(values), system.coordinates, what)
        offset = as_list(ModelFunction.of(constraint.offset, "qtp", what)(values), what)
        offset = offset * len(matrix) if len(offset) == 1 else offset
        statements = [
            sum(a * x for a, x in zip(row, v, strict=True)) + b for row, b in zip(matrix, offset, strict=True)
        ]
        residuals = [neat(x) for x in statements]
        gammas = [-rate(psi) for psi in residuals] if rate else []
    relation = "≥ 0" if isinstance(constraint, Unilateral) else "= 0"
    if rate is None:
        named = zip(constraint.row_names(len(statements)), statements, strict=True)
        none = sp.zeros(1, system.n), sp.S.Zero
        return [RowFormula(name, constraint.kind, neat(statement), relation, *none) for name, statement in named]
    return [
        RowFormula(
            name,
            constraint.kind,
            neat(statement),
            relation,
            sp.Matrix([[sp.simplify(sp.diff(psi, x)) for x in v]]),
            min((gamma, sp.simplify(gamma)), key=sp.count_ops),
        )
        for name, statement, psi, gamma in zip(
            constraint.row_names(len(residuals)), statements, residuals, gammas, strict=True
        )
    ]


def _second_rate(phi: sp.Expr, values: dict[str, Any], v: list[sp.Symbol]) -> sp.Expr:
    """Return the second derivative of φ(q + vτ, t + τ) at τ = 0, which keeps squares of velocities together."""
    tau = sp.Symbol("tau", real=True)
    along = {x: x + tau * dx for x, dx in zip(values["q"], v, strict=True)} | {values["t"]: values["t"] + tau}
    return sp.diff(phi.xreplace(along), tau, 2).subs(tau, 0)
