"""A SymPy `KanesMethod` as a System: its speeds, bodies, loads and constraints in the coordinates of a System."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from gauss.errors import GaussError, InputError, ModelError
from gauss.foundation.arrays import Array
from gauss.foundation.tolerances import DEPENDENT
from gauss.model import Constraint, System
from gauss.sympy.expressions import Instructions
from gauss.sympy.lagrange import row
from gauss.sympy.symbols import Alphabet, Parameters, attribute_of

SAMPLES = 3  # states at which two forms of a model are compared
AGREES = 1e-9  # relative difference there that rounding explains
CANCELS = 1e-13  # what rounding leaves of a load minus its potential's, relative to the largest of the latter


@dataclass(frozen=True)
class Speeds:
    """How the generalized speeds u (o,) follow from the velocities v (n,) of a System: u = W v + w."""

    alphabet: Alphabet  # the coordinates of the method, then one for each speed that has none
    speeds: tuple[Any, ...]  # (o,) functions of time
    auxiliary: tuple[Any, ...]  # functions of time that are zero
    surplus: tuple[int, ...]  # speeds that are themselves the rate of a coordinate
    W: Any  # (o, n) matrix in q, t
    w: Any  # (o, 1)
    rows: tuple[Any, ...]  # in q, v, t: what the velocities satisfy where there are more coordinates than speeds

    @cached_property
    def values(self) -> dict[Any, Any]:
        """Each speed in q, v, t."""
        import sympy as sp

        found = self.W * sp.Matrix(self.alphabet.v) + self.w
        return dict(zip(self.speeds, found, strict=True))

    @cached_property
    def drift(self) -> Any:
        """The part of du/dt without accelerations (o, 1), in q, v, t."""
        import sympy as sp

        return sp.Matrix([self.alphabet.rate(self.values[x]) for x in self.speeds])

    def translate(self, expression: Any, what: str) -> Any:
        """Return an expression of the method in q, v, t and the controls. Raises ModelError for accelerations in it."""
        import sympy as sp

        given = sp.sympify(expression).xreplace(dict.fromkeys(self.auxiliary, sp.Integer(0)))
        if rates := [str(x) for x in given.atoms(sp.Derivative) if x.expr in self.speeds]:
            raise ModelError(f"{what} contain {', '.join(sorted(rates))}; loads may not depend on accelerations.")
        return self.alphabet.translate(given.xreplace(self._marked), what).xreplace(self._unmarked)

    @cached_property
    def _marked(self) -> dict[Any, Any]:
        import sympy as sp

        return {x: sp.Dummy(x.func.__name__) for x in self.speeds}

    @cached_property
    def _unmarked(self) -> dict[Any, Any]:
        return {mark: self.values[x] for x, mark in self._marked.items()}


def from_kanes_method(
    method: Any,
    *,
    parameters: Mapping[Any, Any] | None = None,
    controls: Sequence[Any] = (),
    bodies: Sequence[Any] | None = None,
    loads: Sequence[Any] | None = None,
    potential_energy: Any = None,
    name: str = "SymPy KanesMethod",
) -> System:
    """Return the System of a `sympy.physics.mechanics.KanesMethod`.

    Coordinates are those of the method, independent and dependent. A speed that no coordinate belongs to (the spin of
    a wheel whose angle does not matter) gets a coordinate of its own, named after it with `_angle`, of which it is the
    rate. Configuration constraints become holonomic rows, velocity constraints Pfaffian rows unless they are
    derivatives of the former; auxiliary speeds are zero. Bodies and loads are those of the method, or given here.

    The inertia is Kane's, Σ ∂v/∂u·m a over bodies with all speeds free. Where Lagrange's equations with the bodies'
    kinetic energy give the same at random states, the System has that energy and the loads as forces. They do not where
    a velocity already contains a nonholonomic constraint (a disc whose centre has the velocity of rolling), and there
    are none where a speed has no coordinate; then the System has the mass matrix and the whole force instead.
    With `potential_energy` V(q, t) those loads that have it, −V_q, count as conservative; the motion is the same.

    Raises InputError for missing values, ModelError for a method without bodies and what `from_sympy` refuses.

    >>> import gauss as g
    >>> import sympy.physics.mechanics as me
    >>> x, u = me.dynamicsymbols("x u")
    >>> frame, place = me.ReferenceFrame("N"), me.Point("P")
    >>> place.set_vel(frame, u * frame.x)
    >>> method = me.KanesMethod(frame, [x], [u], kd_eqs=[x.diff() - u])
    >>> loads, bodies = [(place, -8 * x * frame.x)], [me.Particle("cart", place, 2)]
    >>> g.accelerate(g.sympy.from_kanes_method(method, bodies=bodies, loads=loads), [0.5]).a.tolist()
    [-2.0]
    """
    _require_method(method)
    bodies = list(bodies or method.bodies or ())
    loads = list(loads or method.loads or ())
    if not bodies:
        raise ModelError("the KanesMethod has no bodies; call its kanes_equations(bodies, loads) or pass bodies=[…].")
    speeds = speeds_of(method, controls)
    M, force, Q = _newton(method, bodies, loads, speeds)
    T = _kinetic_energy(bodies, method, speeds)
    V = speeds.translate(potential_energy or 0, "the potential energy")
    holonomic = [speeds.translate(x, "a configuration constraint") for x in attribute_of(method, "_f_h")]
    velocity = [speeds.translate(x, "a velocity constraint") for x in _velocity_rows(method)]
    energies = () if T is None else (T, *Q)
    known = Parameters.of([*M, *force, *energies, V, *holonomic, *velocity, *speeds.rows], speeds.alphabet, parameters)
    rows = _constraints(holonomic, [*speeds.rows, *velocity], speeds.alphabet, known)
    return _system(name, speeds.alphabet, known, rows, (M, force), energies, V)


def _newton(method: Any, bodies: Sequence[Any], loads: Sequence[Any], speeds: Speeds) -> tuple[Any, Any, Any]:
    """Return M (n, n), the whole force (n, 1) and that of the loads (n, 1), in q, v, t: Kane's with u = W v + w."""
    free, active = _unconstrained(method, bodies, loads)
    o, W = len(speeds.speeds), speeds.W
    M_u = free.mass_matrix[:o, :].applyfunc(lambda x: speeds.translate(x, "the mass matrix"))
    force_u = free.forcing[:o, :].applyfunc(lambda x: speeds.translate(x, "the forces"))
    Q_u = active[:o, :].applyfunc(lambda x: speeds.translate(x, "the loads"))
    return W.T * M_u * W, W.T * (force_u - M_u * speeds.drift), W.T * Q_u


def _kinetic_energy(bodies: Sequence[Any], method: Any, speeds: Speeds) -> Any:
    """Return the bodies' kinetic energy in q, v, t; None where speeds and coordinates do not correspond."""
    if speeds.surplus or speeds.rows:
        return None
    try:
        T = sum(body.kinetic_energy(method_frame(method)) for body in bodies)
    except ValueError:  # frames that nothing connects: SymPy cannot multiply their vectors
        return None
    return speeds.translate(T, "the kinetic energy")


def method_frame(method: Any) -> Any:
    """Return the inertial frame of a KanesMethod."""
    return attribute_of(method, "_inertial")


def speeds_of(method: Any, controls: Sequence[Any] = ()) -> Speeds:
    """Return how the speeds of a KanesMethod follow from the velocities of its System. Raises ModelError."""
    import sympy as sp

    q, u = list(method.q), list(method.u)
    auxiliary = tuple(attribute_of(method, "_uaux"))
    time = q[0].args[0]
    K_u, K_q = attribute_of(method, "_k_ku_implicit"), attribute_of(method, "_k_kqdot_implicit")
    f_k = attribute_of(method, "_f_k_implicit")
    surplus = _without_coordinate(K_u, q, time)
    extra = [sp.Function(f"{u[k].func.__name__}_angle")(time) for k in surplus]
    alphabet = Alphabet.of([*q, *extra], controls)
    K_u, K_q, f_k = (A.applyfunc(lambda x: alphabet.translate(x, "a kinematic equation")) for A in (K_u, K_q, f_k))
    A = K_u.col_join(sp.Matrix(len(surplus), len(u), lambda i, j: int(j == surplus[i])))
    B = sp.diag(K_q, -sp.eye(len(surplus))) if surplus else K_q
    b = f_k.col_join(sp.zeros(len(surplus), 1)) if surplus else f_k
    rows: tuple[Any, ...] = ()
    if A.rows == A.cols:  # A u + B v + b = 0
        W, w = -A.LUsolve(B), -A.LUsolve(b)
    else:  # more coordinates than speeds
        gram = A.T * A
        W, w = -gram.LUsolve(A.T * B), -gram.LUsolve(A.T * b)
        residual = B * sp.Matrix(alphabet.v) + b
        rows = tuple((_without_fractions(z).T * residual)[0] for z in A.T.nullspace())
    return Speeds(alphabet, tuple(u), auxiliary, surplus, W, w, rows)


def _without_fractions(vector: Any) -> Any:
    """Return a vector of expressions times their common denominator."""
    import sympy as sp

    together = [sp.cancel(sp.together(x)) for x in vector]
    factor = sp.Integer(1)
    for x in together:
        factor = sp.lcm(factor, sp.denom(x))
    return sp.Matrix([sp.cancel(x * factor) for x in together])


def _without_coordinate(K_u: Any, q: Sequence[Any], time: Any) -> tuple[int, ...]:
    """Return the speeds that the kinematic equations do not determine from dq/dt, the earlier ones counted first."""
    import sympy as sp

    marks = {x: sp.Dummy() for x in q}
    inputs = [*marks.values(), *sorted(K_u.free_symbols - {time}, key=str), time]
    numbers = np.random.default_rng(0).uniform(0.4, 0.9, len(inputs)).tolist()
    entries = Instructions.of(K_u.xreplace(marks), inputs, "the kinematic equations")(numbers)
    K = np.array(entries, dtype=float).reshape(K_u.shape)
    chosen: list[int] = []
    for k in range(K_u.cols):
        if np.linalg.matrix_rank(K[:, [*chosen, k]]) > len(chosen):
            chosen.append(k)
    return tuple(k for k in range(K_u.cols) if k not in chosen)


def _unconstrained(method: Any, bodies: Sequence[Any], loads: Sequence[Any]) -> tuple[Any, Any]:
    """Return a KanesMethod of the same bodies in which all speeds are independent, and its generalized forces."""
    import sympy as sp
    from sympy.physics.mechanics import KanesMethod

    q, u = sp.Matrix(method.q), sp.Matrix(method.u)
    K_u, K_q = attribute_of(method, "_k_ku_implicit"), attribute_of(method, "_k_kqdot_implicit")
    equations = K_q * q.diff(q[0].args[0]) + K_u * u + attribute_of(method, "_f_k_implicit")
    free = KanesMethod(
        method_frame(method),
        q_ind=list(q),
        u_ind=list(u),
        kd_eqs=list(equations),
        u_auxiliary=list(attribute_of(method, "_uaux")) or None,
    )
    active, _ = free.kanes_equations(list(bodies), list(loads) or None)
    return free, active


def _velocity_rows(method: Any) -> list[Any]:
    """Return the velocity constraints of a KanesMethod in its speeds."""
    import sympy as sp

    matrix = attribute_of(method, "_k_nh")
    return list(matrix * sp.Matrix(method.u) + attribute_of(method, "_f_nh")) if matrix else []


def _constraints(
    holonomic: Sequence[Any], velocity: Sequence[Any], alphabet: Alphabet, known: Parameters
) -> list[Constraint]:
    """Return the rows; velocity rows that are derivatives of holonomic ones, or combinations of them, are left out."""
    rows = [row("holonomic", f"holonomic {k + 1}", x, alphabet, known) for k, x in enumerate(holonomic)]
    kept = [alphabet.rate(x) for x in holonomic]
    for expression in velocity:
        if kept and _follows(expression, kept, alphabet, known):
            continue
        name = f"nonholonomic {len(rows) - len(holonomic) + 1}"
        rows.append(row("nonholonomic", name, expression, alphabet, known))
        kept.append(expression)
    return rows


def _follows(expression: Any, others: Sequence[Any], alphabet: Alphabet, known: Parameters) -> bool:
    """Whether a velocity row, with its offset, is a combination of others at every random state."""
    import sympy as sp

    def parts(row: Any) -> list[Any]:
        return [sp.diff(row, x) for x in alphabet.v] + [row.xreplace(dict.fromkeys(alphabet.v, sp.Integer(0)))]

    function = alphabet.function(
        [x for row in (*others, expression) for x in parts(row)], "qtp", known, "the constraints"
    )
    rng = np.random.default_rng(0)
    for _ in range(SAMPLES):
        q, t = rng.uniform(0.3, 0.9, len(alphabet.q)), rng.uniform(0.1, 1.0)
        matrix = np.array(function(q.tolist(), t, known.values), dtype=float).reshape(len(others) + 1, -1)
        matrix /= np.maximum(np.linalg.norm(matrix, axis=1, keepdims=True), 1e-300)
        sigma = np.linalg.svd(matrix, compute_uv=False)
        if not sigma[-1] <= DEPENDENT * sigma[0]:
            return False
    return True


def _system(
    name: str,
    alphabet: Alphabet,
    known: Parameters,
    rows: list[Constraint],
    newton: tuple[Any, Any],
    energies: tuple[Any, ...],
    V: Any,
) -> System:
    """Return the System with energies where they give the same M and f as Newton's laws, else with M and f."""
    M, force = newton
    n = len(alphabet.names)
    entries = alphabet.function([M[i, j] for i in range(n) for j in range(i, n)], "qtp", known, "the mass matrix")
    place = {(i, j): k for k, (i, j) in enumerate((i, j) for i in range(n) for j in range(i, n))}

    def mass_matrix(q: Any, t: Any, p: Any) -> list[list[Any]]:
        upper = entries(q, t, p)
        return [[upper[place[min(i, j), max(i, j)]] for j in range(n)] for i in range(n)]

    shared: dict[str, Any] = {"parameters": known.values, "controls": alphabet.control_names, "constraints": rows}
    shared["potential_energy"] = alphabet.function([V], "qtp", known, "the potential energy")
    forces = alphabet.function(_without_potential(force, V, alphabet, known), "qvtpu", known, "the forces")
    by_newton = System(name, alphabet.names, mass_matrix=mass_matrix, force=forces, **shared)
    if not energies:
        return by_newton
    try:
        by_energies = System(
            name,
            alphabet.names,
            kinetic_energy=alphabet.function(energies[:1], "qvtp", known, "the kinetic energy"),
            force=alphabet.function(_without_potential(energies[1:], V, alphabet, known), "qvtpu", known, "the loads"),
            **shared,
        )
    except GaussError:
        return by_newton
    return by_energies if _agree(by_newton, by_energies) else by_newton


def _without_potential(force: Sequence[Any], V: Any, alphabet: Alphabet, known: Parameters) -> list[Any]:
    """Return the force without its part −V_q; entries in which nothing but rounding is left are zero."""
    import sympy as sp

    left = [Q + sp.diff(V, x) for Q, x in zip(force, alphabet.q, strict=True)]
    if V == 0:
        return left
    both = alphabet.function([*left, *(sp.diff(V, x) for x in alphabet.q)], "qvtpu", known, "the forces")
    rng, zero = np.random.default_rng(2), np.ones(len(left), dtype=bool)
    for _ in range(SAMPLES):
        q, v, t = rng.uniform(0.3, 0.9, len(left)).tolist(), rng.normal(size=len(left)).tolist(), rng.uniform(0.1, 1.0)
        rest, given = np.array(
            both(q, v, t, known.values, rng.normal(size=len(alphabet.u)).tolist()), dtype=float
        ).reshape(2, -1)
        zero &= np.abs(rest) <= CANCELS * np.max(np.abs(given), initial=0.0)
    return [sp.Integer(0) if cancelled else x for cancelled, x in zip(zero, left, strict=True)]


def _agree(one: System, other: System) -> bool:
    """Whether two models have the same M and f at random states."""
    rng = np.random.default_rng(1)
    for _ in range(SAMPLES):
        q, v, t = rng.uniform(0.3, 0.9, one.n), rng.normal(size=one.n), rng.uniform(0.1, 1.0)
        theta = one.theta(rng.normal(size=len(one.controls)))
        a, b = (system.model.terms(q, v, t, theta) for system in (one, other))
        if not (_close(a.M, b.M) and _close(a.f, b.f)):
            return False
    return True


def _close(x: Array, y: Array) -> bool:
    return bool(np.max(np.abs(x - y)) <= AGREES * max(float(np.max(np.abs(x))), 1e-300))


def _require_method(method: Any) -> None:
    if not hasattr(method, "kindiffdict"):
        raise InputError(f"a KanesMethod is expected, got {type(method).__name__}.")


def require_kanes_method(method: Any) -> None:
    """Raise InputError for anything but a KanesMethod whose equations are formed."""
    _require_method(method)
    try:
        _ = method.mass_matrix
    except ValueError:
        raise InputError("the KanesMethod has no equations yet; call kanes_equations(bodies, loads) first.") from None
