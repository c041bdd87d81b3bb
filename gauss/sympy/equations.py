"""The equations of a System in SymPy: M q̈ = f + Jᵀλ with its rows, as LaTeX, and as a `LagrangesMethod`."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from gauss.errors import InputError, ModelError
from gauss.foundation.arrays import names_of
from gauss.foundation.outcomes import Shown
from gauss.model import AnySystem, System, refuse_friction, system_of
from gauss.model.compiled.graph import Graph, graph_of
from gauss.sympy.graph import write

LIMIT = 20_000  # operations that are written


@dataclass(frozen=True, repr=False)
class SympyEquations(Shown):
    """M q̈ = f + Jᵀλ and J q̈ = γ of a System; the m rows are those of `System.row_names`.

    Functions of time are those of `sympy.physics.mechanics.dynamicsymbols` with `real=True`.
    """

    coordinates: tuple[Any, ...]  # (n,) q(t)
    controls: tuple[Any, ...]  # (n_u,) u(t)
    parameters: tuple[Any, ...]  # symbols
    multipliers: tuple[Any, ...]  # (m,) λ(t), called lambda_1, …
    time: Any
    kinetic: Any  # T, or ½ vᵀMv where the System has a mass matrix
    potential: Any  # V
    M: Any  # (n, n) Matrix
    f: Any  # (n, 1) inertial forces, −V_q, and the force
    force: Any  # (n, 1) the force alone: what no potential gives
    phi: Any  # (m, 1) φ or the gap g; 0 for rows on velocities
    psi: Any  # (m, 1) what vanishes of the velocities; dφ/dt for holonomic rows
    J: Any  # (m, n)
    gamma: Any  # (m, 1)
    row_names: tuple[str, ...]  # (m,)
    kinds: tuple[str, ...]  # (m,)
    shared: tuple[tuple[Any, Any], ...]  # symbols of shared parts with their formulas; none where all is written out
    operations: int  # each shared part counted once

    def _in_a_line(self) -> str:
        rows = ", ".join(self.row_names) or "none"
        return f"M q̈ = f + Jᵀλ of {', '.join(map(str, self.coordinates))}; rows: {rows}; {self.operations} operations"

    @property
    def velocities(self) -> tuple[Any, ...]:
        """The derivatives dq/dt (n,)."""
        return tuple(x.diff(self.time) for x in self.coordinates)

    @property
    def accelerations(self) -> tuple[Any, ...]:
        """The second derivatives (n,)."""
        return tuple(x.diff(self.time, 2) for x in self.coordinates)

    @property
    def equations(self) -> Any:
        """Lagrange's equations of the first kind, M q̈ − f − Jᵀλ, which vanish (n, 1)."""
        return self._inertia - self.f - self._reactions

    @property
    def _inertia(self) -> Any:
        """M q̈ (n, 1)."""
        import sympy as sp

        return self.M * sp.Matrix(self.accelerations)

    @property
    def _reactions(self) -> Any:
        """Jᵀλ (n, 1), zero without rows."""
        import sympy as sp

        return self.J.T * sp.Matrix(len(self.multipliers), 1, self.multipliers)

    def latex(self) -> str:
        """Return T, V, the equations of motion and the rows as a LaTeX `align*` environment, dots for derivatives.

        The formulas of a small model are simplified, as in the card of a System; numbers are rounded to 8 digits.
        """
        from sympy.physics.vector.printing import vlatex

        simple = self._simplified()
        lines = [f"{left} &{right}" for left, right in simple._shared_lines(vlatex)]
        lines.append(f"T &= {vlatex(simple.kinetic)}")
        lines += [f"V &= {vlatex(simple.potential)}"] if simple.potential != 0 else []
        lines += [f"{left} &{right}" for left, right in simple._lines(vlatex, r"\ge")]
        return "\\begin{align*}\n" + " \\\\\n".join(lines) + "\n\\end{align*}"

    def text(self) -> str:
        """Return the same as lines of text, x' and x'' for derivatives: answers to `gauss exercise` are written so.

        >>> import gauss as g
        >>> energies = {"kinetic_energy": lambda v, p: p.m * v.x**2 / 2, "potential_energy": lambda q: 4 * q.x**2}
        >>> print(g.sympy.to_sympy(g.System("cart", "x", **energies, parameters={"m": 2.0})).text())
        m*x'' = -8*x
        """
        import sympy as sp

        plain = {}
        for symbol in (*self.coordinates, *self.controls, *self.multipliers):
            for order, dots in enumerate(("", "'", "''")):
                plain[symbol.diff(self.time, order) if order else symbol] = sp.Symbol(symbol.func.__name__ + dots)

        def written(formula: Any) -> str:
            return str(sp.sstr(formula.xreplace(plain)))

        simple = self._simplified()
        lines = [*simple._shared_lines(written), *simple._lines(written, ">=")]
        return "\n".join(f"{left} {right}" for left, right in lines)

    def __str__(self) -> str:
        return self.text()

    def _shared_lines(self, written: Callable[[Any], str]) -> Iterator[tuple[str, str]]:
        """Yield the symbols of shared parts, and what they are."""
        for symbol, formula in self.shared:
            yield written(symbol), f"= {written(formula)}"

    def _lines(self, written: Callable[[Any], str], at_least: str) -> Iterator[tuple[str, str]]:
        """Yield the left sides, and the right ones with their relation, of equations and rows."""
        for a, b in zip(self._inertia, self.f + self._reactions, strict=True):
            yield written(a), f"= {written(b)}"
        for kind, phi, psi in zip(self.kinds, self.phi, self.psi, strict=True):
            relation = at_least if kind == "unilateral" else "="
            yield written(phi if kind in ("holonomic", "unilateral") else psi), f"{relation} 0"

    def _simplified(self) -> SympyEquations:
        """Return the same with each formula simplified, or in a large model with rounded numbers alone."""
        import sympy as sp

        from gauss.analysis.symbolic import SIMPLIFIED, rounded, short

        given = {name: getattr(self, name) for name in ("M", "f", "J", "phi", "psi")}
        size = sum(sp.count_ops(x) for matrix in given.values() for x in matrix)
        change = rounded if size > SIMPLIFIED else short
        shared = tuple((symbol, rounded(formula)) for symbol, formula in self.shared)
        energies = {"kinetic": change(self.kinetic), "potential": change(self.potential)}
        found = {name: matrix.applyfunc(change) for name, matrix in given.items()}
        return replace(self, shared=shared, **energies, **found)


def to_sympy(system: AnySystem, *, form: Literal["full", "shared"] = "full", limit: int = LIMIT) -> SympyEquations:
    """Return the equations of a System in SymPy, converted from the compiled model operation by operation.

    Nothing is simplified or rounded: floats stay the floats they are, whole numbers and simple fractions become exact.
    In the form "full" every entry is written out; in the form "shared" parts that occur more than once are symbols
    (x0, x1, …) defined in `shared`, which keeps large models linear in size. Tables and splines are written as
    Piecewise.

    Raises ModelError for a black-box force, and for more operations than `limit`.

    >>> import gauss as g
    >>> energies = {"kinetic_energy": lambda v, p: p.m * v.x**2 / 2, "potential_energy": lambda q, p: p.k * q.x**2 / 2}
    >>> found = g.sympy.to_sympy(g.System("cart", "x", **energies, parameters={"m": 2.0, "k": 8.0}))
    >>> found.equations[0]
    k*x(t) + m*Derivative(x(t), (t, 2))
    """
    system = system_of(system)
    graph = _checked_graph(system, form, limit)
    return _equations(system, graph, "x" if form == "shared" else None)


def to_lagranges_method(system: AnySystem, *, closed: str | Sequence[str] = (), limit: int = LIMIT) -> Any:
    """Return a `sympy.physics.mechanics.LagrangesMethod` of a System, its equations not yet formed.

    L = T − V; holonomic rows are its `hol_coneqs`, Pfaffian and nonholonomic ones its `nonhol_coneqs`. Each force Q is
    given as a load on a point with the velocity dq/dt along the frame's x axis. LagrangesMethod has no unilateral rows:
    those named in `closed` become holonomic, the others are left out. Rows that vanish everywhere say nothing.

    Raises ModelError for a System without kinetic energy, and what `to_sympy` raises; InputError for unknown rows.

    >>> import gauss as g
    >>> cart = g.System("cart", "x", kinetic_energy=lambda v: v.x**2, potential_energy=lambda q: 4 * q.x**2)
    >>> method = g.sympy.to_lagranges_method(cart)
    >>> method.form_lagranges_equations()
    Matrix([[8*x(t) + 2*Derivative(x(t), (t, 2))]])
    """
    from sympy.physics.mechanics import LagrangesMethod, Point, ReferenceFrame

    system = system_of(system)
    if system.kinetic_energy is None:
        raise ModelError(f"{system.name!r} has a mass matrix and no kinetic energy, so it has no Lagrangian.")
    shut = names_of(closed, "closed") if isinstance(closed, str) else tuple(closed)
    e = to_sympy(system, limit=limit)
    gaps = [name for name, kind in zip(e.row_names, e.kinds, strict=True) if kind == "unilateral"]
    if unknown := [name for name in shut if name not in gaps]:
        raise InputError(f"closed names {unknown}; the unilateral rows are {', '.join(gaps) or 'none'}.")
    rows = list(zip(e.row_names, e.kinds, e.phi, e.psi, strict=True))
    frame = ReferenceFrame("N")
    loads = []
    for name, rate, Q in zip(system.coordinates, e.velocities, e.force, strict=True):
        if Q != 0:
            point = Point(f"P_{name}")
            point.set_vel(frame, rate * frame.x)
            loads.append((point, Q * frame.x))
    rows = [(name, kind, _in_pieces(phi), _in_pieces(psi)) for name, kind, phi, psi in rows]
    return LagrangesMethod(
        _in_pieces(e.kinetic - e.potential),
        list(e.coordinates),
        forcelist=loads,
        frame=frame,
        hol_coneqs=[phi for name, kind, phi, _ in rows if phi != 0 and (kind == "holonomic" or name in shut)],
        nonhol_coneqs=[psi for _, kind, _, psi in rows if kind in ("pfaffian", "nonholonomic")],
    )


def _in_pieces(expression: Any) -> Any:
    """Return Abs and sign as Piecewise: SymPy does not differentiate them by functions of time, even real ones."""
    import sympy as sp

    pieces = {
        sp.Abs: lambda x: sp.Piecewise((x, x >= 0), (-x, True)),
        sp.sign: lambda x: sp.Piecewise((1, x > 0), (-1, x < 0), (0, True)),
    }
    for function, choice in pieces.items():
        expression = expression.replace(function, choice)
    return expression


def _checked_graph(system: System, form: str, limit: int) -> Graph:
    """Return the operations of a System. Raises ModelError where it has a black box or too many of them."""
    if form not in ("full", "shared"):
        raise InputError(f"form = {form!r} is unknown; choose 'full' or 'shared'.")
    if not isinstance(limit, int) or isinstance(limit, bool) or limit < 0:
        raise InputError(f"limit must be a whole number of at least 0, but is {limit!r}.")
    if system.black_box_force is not None:
        raise ModelError(f"the black-box force of {system.name!r} is code, not a formula, so SymPy cannot have it.")
    if system.model.seen is not None:
        raise ModelError(f"the force of {system.name!r} sees multipliers, which SymPy's equations do not solve for.")
    refuse_friction(system.contacts, system.name, "a form in SymPy's equations")
    graph = graph_of(system)
    size = graph.count if form == "shared" else graph.written_out
    if size > limit:
        other = "" if form == "shared" else f" (or form='shared', which needs {graph.count})"
        raise ModelError(
            f"the equations of {system.name!r} have {size} operations, more than the limit {limit}; pass"
            f" limit={size} if you want to wait for SymPy{other}."
        )
    return graph


def _equations(system: System, graph: Graph, share: str | None) -> SympyEquations:
    """Write the equations with real symbols first, then put functions of time in their place."""
    import sympy as sp
    from sympy.physics.mechanics import dynamicsymbols

    n, m, time = system.n, len(system.row_names), dynamicsymbols._t
    q, u = (_functions(names, time) for names in (system.coordinates, system.controls))
    parameters = tuple(sp.Symbol(name, real=True) for name in system.parameters)
    marks = {kind: [sp.Dummy(real=True) for _ in names] for kind, names in (("q", q), ("v", q), ("u", u))}
    tau = sp.Dummy(real=True)
    written = write(graph, [marks["q"], marks["v"], [tau], [*parameters, *marks["u"]]], share)
    back = dict(zip(marks["v"], (x.diff(time) for x in q), strict=True)) | {tau: time}
    back |= dict(zip(marks["q"], q, strict=True)) | dict(zip(marks["u"], u, strict=True))
    entries = {name: [x.xreplace(back) for x in values] for name, values in written.outputs.items()}
    return SympyEquations(
        coordinates=q,
        controls=u,
        parameters=parameters,
        multipliers=_functions([f"lambda_{k + 1}" for k in range(m)], time),
        time=time,
        kinetic=entries["kinetic"][0],
        potential=entries["potential"][0],
        M=sp.Matrix(n, n, entries["M"]),
        J=sp.Matrix(m, n, entries["J"]),
        **{name: sp.Matrix(n, 1, entries[name]) for name in ("f", "force")},
        **{name: sp.Matrix(m, 1, entries[name]) for name in ("phi", "psi", "gamma")},
        row_names=system.row_names,
        kinds=tuple(system.model.kinds),
        shared=tuple((symbol, formula.xreplace(back)) for symbol, formula in written.shared),
        operations=graph.count,
    )


def _functions(names: Sequence[str], time: Any) -> tuple[Any, ...]:
    import sympy as sp

    return tuple(sp.Function(name, real=True)(time) for name in names)
