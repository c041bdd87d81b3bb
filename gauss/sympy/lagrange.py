"""A SymPy Lagrangian with its constraints, or a `LagrangesMethod`, as a System."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from gauss.errors import InputError, ModelError
from gauss.model import Constraint, Holonomic, Nonholonomic, Pfaffian, System, Unilateral
from gauss.sympy.symbols import Alphabet, Parameters, attribute_of, entries_of, name_of

SAMPLES = 3  # states at which coefficients are evaluated with two velocities each
CANCELS = 1e-12  # relative difference there that rounding explains

Statements = Any  # expressions or equations (sympy.Eq): one, a list, or a dict by name


def from_sympy(
    lagrangian: Any,
    coordinates: Sequence[Any],
    constraints: Statements = (),
    nonholonomic: Statements = (),
    *,
    unilateral: Statements = (),
    forces: Any = None,
    potential_energy: Any = None,
    parameters: Mapping[Any, Any] | None = None,
    controls: Sequence[Any] = (),
    name: str = "SymPy model",
) -> System:
    """Return the System of a SymPy Lagrangian L(q, dq/dt, t).

    `coordinates` are functions of time, as from `dynamicsymbols`, and keep their names (r"\\theta_1" becomes theta_1).
    `constraints` are the holonomic φ(q, t) = 0, `nonholonomic` the ψ(q, dq/dt, t) = 0 (linear ones become Pfaffian
    rows), `unilateral` the gaps g(q, t) ≥ 0: expressions or equations, in a list or in a dict by name. `forces` are
    the generalized forces Q that no potential gives, a list in the order of the coordinates or a dict by coordinate.
    `controls` are functions of time in the forces that are set at run time. All other free symbols are parameters,
    with values by symbol or name.

    Without `potential_energy` V(q, t), −L at rest counts as V and the rest of L as kinetic energy T; the motion does
    not depend on this division, but the recorded energies do (a rotating frame's T has a part without velocities).

    Raises InputError for missing values and bad names, ModelError for functions without a counterpart, foreign
    functions of time, accelerations, and a Lagrangian that is not quadratic in the velocities.
    """
    alphabet = Alphabet.of(coordinates, controls)
    L = alphabet.translate(lagrangian, "the Lagrangian")
    rest = dict.fromkeys(alphabet.v, 0)
    V = -L.xreplace(rest) if potential_energy is None else alphabet.translate(potential_energy, "the potential energy")
    Q = [alphabet.translate(x, "the forces") for x in _forces(forces, alphabet)]
    stated = {
        "holonomic": _statements(constraints, "holonomic", alphabet),
        "nonholonomic": _statements(nonholonomic, "nonholonomic", alphabet),
        "unilateral": _statements(unilateral, "unilateral", alphabet),
    }
    every = [x for group in stated.values() for x in group.values()]
    known = Parameters.of([L, V, *Q, *every], alphabet, parameters)
    return System(
        name,
        alphabet.names,
        kinetic_energy=alphabet.function([L + V], "qvtp", known, "the kinetic energy"),
        potential_energy=alphabet.function([V], "qtp", known, "the potential energy"),
        force=alphabet.function(Q, "qvtpu", known, "the forces"),
        constraints=[row(kind, key, x, alphabet, known) for kind, group in stated.items() for key, x in group.items()],
        parameters=known.values,
        controls=alphabet.control_names,
    )


def from_lagranges_method(
    method: Any,
    *,
    parameters: Mapping[Any, Any] | None = None,
    controls: Sequence[Any] = (),
    potential_energy: Any = None,
    name: str = "SymPy LagrangesMethod",
) -> System:
    """Return the System of a `sympy.physics.mechanics.LagrangesMethod`.

    Its Lagrangian, holonomic and nonholonomic equations and force list are taken over; the equations of motion need
    not have been formed. The generalized force of a load is Q = Σ ∂v/∂(dq/dt)·F over points and
    Σ ∂ω/∂(dq/dt)·M over frames, in the method's inertial frame. Raises what `from_sympy` raises, and ModelError for
    loads without a frame.

    >>> import gauss as g
    >>> import sympy.physics.mechanics as me
    >>> x = me.dynamicsymbols("x")
    >>> method = me.LagrangesMethod(x.diff() ** 2 - 4 * x**2, [x])  # 2 kg, 8 N/m
    >>> g.accelerate(g.sympy.from_lagranges_method(method), [0.5]).a.tolist()
    [-2.0]
    """
    holonomic = list(attribute_of(method, "_hol_coneqs"))
    rows = list(attribute_of(method, "coneqs"))[len(holonomic) :]
    loads = list(method.loads or ())
    frame = method.inertial
    if loads and frame is None:
        raise ModelError("the LagrangesMethod has loads but no inertial frame; build it with frame=….")
    rates = [x.diff(_time_of(method)) for x in method.q]
    return from_sympy(
        attribute_of(method, "_L")[0],
        list(method.q),
        holonomic,
        rows,
        forces=generalized_forces(loads, rates, frame),
        potential_energy=potential_energy,
        parameters=parameters,
        controls=controls,
        name=name,
    )


def _time_of(method: Any) -> Any:
    return method.q[0].args[0]


def generalized_forces(loads: Sequence[Any], speeds: Sequence[Any], frame: Any) -> list[Any]:
    """Return the generalized force for each speed: forces at points times partial velocities, torques at frames."""
    import sympy as sp
    from sympy.physics.vector import ReferenceFrame

    found = [sp.Integer(0)] * len(speeds)
    for place, force in loads:
        velocity = place.ang_vel_in(frame) if isinstance(place, ReferenceFrame) else place.vel(frame)
        for k, speed in enumerate(speeds):
            found[k] += velocity.diff(speed, frame, var_in_dcm=False).dot(force)
    return found


def row(kind: str, name: str, expression: Any, alphabet: Alphabet, known: Parameters) -> Constraint:
    """Return one translated statement as a constraint; a nonholonomic one that is linear in v as a Pfaffian row."""
    import sympy as sp

    what = f"constraint {name!r}"
    if kind in ("holonomic", "unilateral"):
        function = alphabet.function([expression], "qtp", known, what)
        return Holonomic(name, function) if kind == "holonomic" else Unilateral(name, function)
    coefficients = [sp.diff(expression, x) for x in alphabet.v]
    if not any(coefficients):
        raise ModelError(f"{what} contains no velocity; a condition on positions belongs to the holonomic constraints.")
    if not _free_of_velocities(coefficients, alphabet, known, what):
        return Nonholonomic(name, alphabet.function([expression], "qvtp", known, what))
    rest = dict.fromkeys(alphabet.v, sp.Integer(0))
    coefficients, offset = [c.xreplace(rest) for c in coefficients], expression.xreplace(rest)
    return Pfaffian(
        name,
        alphabet.function(coefficients, "qtp", known, what),
        alphabet.function([offset], "qtp", known, what),
    )


def _free_of_velocities(coefficients: list[Any], alphabet: Alphabet, known: Parameters, what: str) -> bool:
    """Whether coefficients do not depend on the velocities, by their symbols or, where these may cancel, by numbers."""
    if not any(c.free_symbols & set(alphabet.v) for c in coefficients):
        return True
    function = alphabet.function(coefficients, "qvtp", known, what)
    rng = np.random.default_rng(0)
    for _ in range(SAMPLES):
        q, t = rng.uniform(0.3, 0.9, len(alphabet.q)).tolist(), rng.uniform(0.1, 1.0)
        try:
            one, other = (
                np.array(function(q, rng.uniform(0.3, 0.9, len(q)).tolist(), t, known.values), dtype=float)
                for _ in range(2)
            )
        except (InputError, TypeError, ZeroDivisionError):
            return False  # not real there
        if not np.max(np.abs(one - other)) <= CANCELS * np.max(np.abs(one)):
            return False
    return True


def _statements(given: Statements, kind: str, alphabet: Alphabet) -> dict[str, Any]:
    """Return translated expressions, which are to vanish, by name."""
    import sympy as sp

    if isinstance(given, Mapping):
        named = dict(given)
    else:
        entries = [given] if isinstance(given, (sp.Expr, sp.Eq)) else entries_of(given, f"the {kind} constraints")
        named = {f"{kind} {k + 1}": x for k, x in enumerate(entries)}
    found = {}
    for name, statement in named.items():
        expression = statement.lhs - statement.rhs if isinstance(statement, sp.Eq) else statement
        found[name] = alphabet.translate(expression, f"constraint {name!r}")
    return found


def _forces(given: Any, alphabet: Alphabet) -> Iterable[Any]:
    """Return one generalized force for each coordinate. Raises InputError for a wrong number or unknown names."""
    if given is None:
        return [0] * len(alphabet.names)
    if isinstance(given, Mapping):
        named = {name_of(key): x for key, x in given.items()}
        unknown = [key for key in named if key not in alphabet.names]
        if unknown:
            raise InputError(f"forces names {unknown}; the coordinates are {', '.join(alphabet.names)}.")
        return [named.get(name, 0) for name in alphabet.names]
    entries = entries_of(given, "forces")
    if len(entries) != len(alphabet.names):
        raise InputError(f"forces has {len(entries)} entries, expected {len(alphabet.names)}: one per coordinate.")
    return entries
