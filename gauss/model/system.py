"""`System`: a mechanical system as its user writes it, from coordinates by name to constraints."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import cached_property
from importlib import import_module
from typing import Any, Protocol

import numpy as np

from gauss.errors import InputError, ModelError
from gauss.foundation.arrays import LARGEST, SMALLEST, Array, names_of, scalar, shortened, vector
from gauss.foundation.calls import advised
from gauss.foundation.outcomes import Shown
from gauss.foundation.portable import empty, within
from gauss.model.compiled import CompiledModel
from gauss.model.constraints import Constraint, Friction, checked_constraints, without_friction
from gauss.model.friction import FrictionalContact, frictional_contacts
from gauss.model.functions import SEEN, ModelFunction, require_by_place
from gauss.model.names import refuse_ambiguous, refuse_collisions
from gauss.model.state import State
from gauss.model.unchanging import Unchanging
from gauss.model.units import checked_units, of_rows, unit_of, warn_of_degrees

NO_FORCE = 0.0
COMPILED = {  # what the model is compiled from, with what makes a system with another one
    "parameters": "with_parameters(…) returns the system with other ones",
    "constraints": "with_constraints(…) returns the system with other ones",
    **dict.fromkeys(("coordinates", "controls", "kinetic_energy", "potential_energy", "mass_matrix"), ""),
    **dict.fromkeys(("force", "black_box_force", "equations"), ""),
}


class Twin(Protocol):
    """The same mechanical system in more coordinates, of which its own are independent ones."""

    @property
    def system(self) -> System:
        """It in these coordinates."""

    def states(self, q: Array, v: Array, a: Array) -> tuple[Array, Array, Array]:
        """Return coordinates, velocities and accelerations (N, n) of states, from its own."""

    def multipliers(self, q: Array, given: Mapping[str, Array]) -> dict[str, Array]:
        """Return multipliers (N,) by row from those of its own at N positions."""

    def alike(self, names: Collection[str]) -> set[str]:
        """Return the rows of which its own are combinations."""


@advised
class System(Shown):
    """A mechanical system with n generalized coordinates and m rows of constraints, friction among them.

    Give either `kinetic_energy` T(q, v, t, p), of at most second degree in v, with `potential_energy` V(q, t, p), or
    `mass_matrix` M(q, t, p) with the whole right-hand side `force` f(q, v, t, p, u) of M a = f + Jᵀλ. With a kinetic
    energy the inertial forces are derived and `force` holds the non-conservative and control forces only; with a mass
    matrix nothing is derived (but −V_q, if a potential energy is given).

    Each function is a plain Python function that names the arguments it needs: q (coordinates), v (velocities), t
    (time, s), p (parameters), u (controls), reached by name (``q.x``) or position (``q[0]``). Forces are lists in the
    order of the coordinates, or dicts by coordinate name. Write ``gauss.sin`` rather than ``math.sin``.

    A force may take `load` too: the multipliers of equality rows by name, ``load.rod``, of a constraint with several
    rows as a tuple. `classify` says whether one set of them agrees with the force, and why (`gauss.contact.loads`).

    `black_box_force(q, v, t)` takes and returns NumPy arrays and may contain any code. It is called as it is, which
    switches off what needs derivatives of it or a compiled step: fused steps (each stage calls Python instead, about
    a hundred times slower), the complex-step witness, and its formula in ``gauss show``. It must not remember earlier
    calls: steps are tried and repeated. What remembers is a control, `gauss.motion.Sampled`.

    `units` are texts by the names of coordinates, parameters, controls and constraints: ``{"phi": "rad", "rod": "m"}``.
    Of a constraint it is the unit of its function φ, ψ or g; those of velocities, accelerations and multipliers follow.
    They are shown beside numbers and computed with nowhere.

    `equations(q, v)` says what the energies say, without derivatives of them, as recursions along a tree of bodies do.
    It returns the entries of M that are not zero as a dict by two places, each pair once, the list h of M a + h = …,
    and the potential energy that h leaves out. It is taken on trust; `gauss.crosscheck` compares it with the energies.

    A System stays as it is, `parameters` (a dict) too, since motions refer to it: `with_parameters` and
    `with_constraints` return others.

    Raises InputError for bad names and numbers, ModelError for functions that cannot be used, MassMatrixError for an
    unsymmetric mass matrix.

    >>> import gauss as g
    >>> pendulum = g.System(
    ...     "pendulum",
    ...     coordinates="x y",
    ...     kinetic_energy=lambda v: 0.5 * (v.x**2 + v.y**2),
    ...     potential_energy=lambda q: 9.81 * q.y,
    ...     constraints=[g.Holonomic("rod", lambda q: q.x**2 + q.y**2 - 1.0)],
    ... )
    >>> pendulum.row_names, pendulum.n
    (('rod',), 2)
    >>> pendulum.state(q={"x": 1.0, "y": 0.0}).q
    array([1., 0.])
    """

    columns: Callable[[Any], Iterable[tuple[str, Any]]] | None = None  # what the table of a motion has beside its own
    source: Any = None  # what it was made from, a mechanism say
    twin: Twin | None = None  # the same in more coordinates, of a mechanism in joint coordinates

    def __init__(
        self,
        name: str,
        coordinates: str | Sequence[str],
        *,
        kinetic_energy: Callable[..., Any] | None = None,
        potential_energy: Callable[..., Any] | float = 0.0,
        mass_matrix: Callable[..., Any] | Any = None,
        force: Callable[..., Any] | Any = NO_FORCE,
        black_box_force: Callable[[Array, Array, float], Any] | None = None,
        constraints: Constraint | Iterable[Constraint] = (),
        parameters: Mapping[str, float] | None = None,
        controls: str | Sequence[str] = (),
        units: Mapping[str, str] | None = None,
        equations: Callable[..., Any] | None = None,
    ):
        if not isinstance(name, str) or not name.strip():
            raise InputError(f"a System needs a name as its first argument, got {name!r}.")
        self.name = name
        self.derived: dict[Any, Any] = {}  # the same with other rows, and starts of motions: nothing is done twice
        self.coordinates = names_of(coordinates, "coordinates")
        if not self.coordinates:
            raise InputError(f"system {name!r} has no coordinates.")
        refuse_collisions(name, self.coordinates)
        if parameters is not None and not isinstance(parameters, Mapping):
            raise InputError(f"parameters must be a dict of numbers by name, got {parameters!r}.")
        given = dict(parameters or {})
        self.parameters = _fixed({k: scalar(given[k], f"parameter {k!r}") for k in names_of(list(given), "parameters")})
        self.controls = names_of(controls, "controls")
        self.constraints = checked_constraints(constraints)
        if (kinetic_energy is None) == (mass_matrix is None):
            raise ModelError(f"system {name!r} needs either a kinetic_energy or a mass_matrix (not both).")
        if black_box_force is not None and not callable(black_box_force):
            raise ModelError(f"the black-box force of {name!r} is not a function.")
        if black_box_force is not None:
            require_by_place(black_box_force, "qvt", f"the black-box force of {name!r}")
        self.black_box_force = black_box_force
        self.potential_energy = ModelFunction.of(potential_energy, "qtp", "the potential energy")
        self.kinetic_energy = (
            None if kinetic_energy is None else ModelFunction.of(kinetic_energy, "qvtp", "the kinetic energy")
        )
        self.mass_matrix = None if mass_matrix is None else ModelFunction.of(mass_matrix, "qtp", "the mass matrix")
        self.equations = None if equations is None else ModelFunction.of(equations, "qv", "the equations")
        no_force = isinstance(force, (int, float)) and force == NO_FORCE
        self.force = ModelFunction.of([0.0] * self.n if no_force else force, SEEN, "the force")
        none = isinstance(potential_energy, (int, float)) and potential_energy == 0.0
        self.unforced = no_force and none and black_box_force is None  # gravity may have been forgotten
        self.model = CompiledModel(self)
        self._check_rows()
        rows = (*(c.name for c in self.constraints), *self.row_names)
        known = (*self.coordinates, *self.parameters, *self.controls, *rows)
        self.units = of_rows(checked_units(units, known, name), self.row_names)

    def __setattr__(self, name: str, value: Any) -> None:
        if name in COMPILED and "model" in self.__dict__:
            instead = COMPILED[name] or "make another System"
            raise InputError(f"the {name.replace('_', ' ')} of {self.name!r} cannot be set; {instead}.")
        super().__setattr__(name, value)

    def given(self) -> dict[str, Any]:
        """Return the attributes that the others are made from."""
        return {name: value for name, value in self.__dict__.items() if name not in ("model", "derived", "contacts")}

    def __reduce__(self) -> tuple[Any, ...]:
        """Write the model, which systems with other parameters share, and the parameters."""
        if within(CompiledModel):  # a function of the model refers to the system, perhaps to its own
            return empty, (type(self),), self.given() | {"model": self.model, "derived": {}}
        return _of_model, (self.model, self.parameters)

    def _check_rows(self) -> None:
        """Raise InputError for names that mean two things and for frictions that do not fit."""
        constraints = [c.name for c in self.constraints]
        refuse_ambiguous(self.name, self.coordinates, self.row_names, constraints, self.parameters, self.controls)
        _ = self.contacts

    @property
    def n(self) -> int:
        """Number of generalized coordinates."""
        return len(self.coordinates)

    @property
    def row_names(self) -> tuple[str, ...]:
        """Names of the m rows: equality rows in the order given, rows of friction, then unilateral rows."""
        return self.model.names

    @cached_property
    def contacts(self) -> tuple[FrictionalContact, ...]:
        """Its frictions: where their rows are, which rows carry their load, their coefficients."""
        return frictional_contacts(self.constraints, self.row_names, self.model.kinds, self.parameters, self.name)

    @property
    def wider(self) -> System:
        """Its twin in more coordinates, with the values of its own parameters."""
        assert self.twin is not None
        return self.twin.system.with_parameters(**self.parameters) if self.parameters else self.twin.system

    def frictionless(self) -> System:
        """Return the system without any friction. Contacts stay; what rolls by friction alone slides."""
        if not self.model.friction:
            return self
        if "frictionless" not in self.derived:
            kept = [c for c in self.constraints if not isinstance(c, Friction)]
            self.derived["frictionless"] = self.with_constraints([without_friction(c) for c in kept])
        found: System = self.derived["frictionless"]
        return found.with_parameters(**self.parameters)

    def with_constraints(self, constraints: Iterable[Constraint]) -> System:
        """Return the system with other constraints, compiled anew. Raises ModelError as System does."""
        other = object.__new__(System)
        other.__dict__.update(self.given(), constraints=checked_constraints(constraints), derived={})
        other.model = CompiledModel(other)
        other._check_rows()
        return other

    @advised
    def with_parameters(self, **values: float) -> System:
        """Return the same system with other parameter values; nothing is compiled again. Raises InputError."""
        unknown = [name for name in values if name not in self.parameters]
        if unknown:
            raise InputError(
                f"{self.name!r} has no parameter {', '.join(map(repr, unknown))};"
                f" it has {', '.join(self.parameters) or 'none'}."
            )
        changed = self.parameters | {k: scalar(x, f"parameter {k!r}") for k, x in values.items()}
        return _with_model(self.model, self.derived, self.given() | {"parameters": _fixed(changed)})

    def unit(self, name: str) -> str:
        """Return the unit of a coordinate, its velocity (d_) or acceleration (dd_), a parameter, control or multiplier.

        "" where none is declared.
        """
        return unit_of(name, self.units, self.coordinates, self.row_names, self.model.kinds)

    def vector(self, value: object, what: str, default: Sequence[float] | None = None) -> Array:
        """Return a vector (n,) from a list or from a dict by coordinate name (missing names take `default`, or 0).

        Numbers whose squares are denormal are zero; those whose squares overflow are refused.
        """
        if isinstance(value, Mapping):
            places = {name: k for k, name in enumerate(self.coordinates)}
            unknown = [key for key in value if key not in places]
            if unknown:
                raise InputError(f"{what} names {unknown}; the coordinates are {', '.join(self.coordinates)}.")
            base = np.zeros(self.n) if default is None else np.array(default, dtype=float)
            for key, entry in value.items():
                base[places[key]] = scalar(entry, f"{what} of {key!r}")
        else:
            base = vector(value, self.n, what, self.coordinates)
        size = np.abs(base)
        if size.max(initial=0.0) > LARGEST:
            large = [f"{name} = {x:g}" for name, x in zip(self.coordinates, base, strict=True) if abs(x) > LARGEST]
            raise InputError(f"{what} is so large that squares overflow ({', '.join(large)}); choose larger units.")
        return np.where(size < SMALLEST, 0.0, base)

    def state(self, q: object, v: object = None, t: float = 0.0) -> State:
        """Return a checked State; q and v are lists or dicts by name. Raises InputError.

        A dict q names every coordinate; velocities that are not named, or not given, are zero.

        A `State`, or what has one as its `state` (an assembled mechanism, a verdict), stands for all three.
        """
        given = q if isinstance(q, State) else getattr(q, "state", None)
        if isinstance(given, State):
            if v is not None or t not in (0.0, given.t):
                raise InputError("a whole state is given, with its velocities and its time: leave out v and t.")
            return State(self.vector(given.q, "q"), self.vector(given.v, "v"), scalar(given.t, "t"))
        missing = [name for name in self.coordinates if name not in q] if isinstance(q, Mapping) else []
        if missing:
            self.vector(q, "q")  # an unknown name comes first
            raise InputError(f"q lacks {', '.join(missing)}: give every coordinate of {self.name!r}.")
        zeros = np.zeros(self.n)
        return State(self.vector(q, "q"), zeros if v is None else self.vector(v, "v"), scalar(t, "t"))

    def start(self, q: object, v: object = None, t: float = 0.0) -> State:
        """Return what `state` does of numbers that a user gave to the caller; warn of angles that look like degrees."""
        found = self.state(q, v, t)
        if not isinstance(getattr(q, "state", q), State):
            warn_of_degrees(self.coordinates, found.q, self.units)
        return found

    def control_vector(self, u: object) -> Array:
        """Return the controls (n_u,) from None (zeros), a list, or a dict by name. Raises InputError."""
        if u is None:
            return np.zeros(len(self.controls))
        if isinstance(u, Mapping):
            unknown = [key for key in u if key not in self.controls]
            if unknown:
                raise InputError(f"u names {unknown}; the controls are {', '.join(self.controls) or 'none'}.")
            given = next((name for name, x in u.items() if callable(x)), None)
            if given is not None:
                raise InputError(f"control {given!r} is a function; give one for all, as lambda t, q, v: [1.0 - q[0]].")
            return np.array([scalar(u.get(name, 0.0), f"control {name!r}") for name in self.controls])
        return vector(u, len(self.controls), "u", self.controls)

    def theta(self, u: object = None) -> Array:
        """Return the numbers a compiled function needs besides the state: parameters, then controls."""
        return np.concatenate([np.array(list(self.parameters.values()), dtype=float), self.control_vector(u)])

    def _repr_latex_(self) -> str:
        """Return the formulas as LaTeX, for pages that prefer it to HTML."""
        return str(import_module("gauss.show.notebook").latex(self))

    def __repr__(self) -> str:
        rows = shortened([f"{c.name} ({c.kind})" for c in self.constraints]) or "none"
        text = f"System({self.name!r}: coordinates {shortened(self.coordinates)}; constraints: {rows}"
        if self.parameters:
            text += "; " + ", ".join(
                f"{k} = {x:g} {self.units.get(k, '')}".rstrip() for k, x in self.parameters.items()
            )
        if self.black_box_force is not None:
            text += "; black-box force (no fused steps, no complex-step witness)"
        text += "; no force, no potential energy" * self.unforced
        return text + ")"


class Modelled(Protocol):
    """What stands for its System: a `Mechanism`, say."""

    @property
    def system(self) -> System:
        """Its System."""


AnySystem = System | Modelled  # what functions take as their first argument


def system_of(value: object) -> System:
    """Return a System, or that of a mechanism. Raises InputError for anything else."""
    found = value if isinstance(value, System) else getattr(value, "system", None)
    if not isinstance(found, System):
        its = "; that of a run is run.setting.system" if hasattr(value, "setting") else ""
        raise InputError(f"a gauss.System is expected as the first argument, got {type(value).__name__}{its}.")
    return found


def _of_model(model: CompiledModel, parameters: Mapping[str, float]) -> System:
    return _with_model(model, model.system.derived, model.system.given() | {"parameters": _fixed(parameters)})


def _fixed(parameters: Mapping[str, float]) -> Unchanging[float]:
    """Return parameters that stay as they are: motions and verdicts refer to them."""
    return Unchanging(parameters, "parameters", "with_parameters({name}={value}) returns the system with other ones")


def _with_model(model: CompiledModel, derived: dict[Any, Any], given: dict[str, Any]) -> System:
    """Return a system with a model that is compiled already. Raises InputError for coefficients that do not fit."""
    system = object.__new__(type(model.system))
    system.__dict__.update(given, model=model, derived=derived)
    if hasattr(system.source, "bind"):
        system.source.bind(system)
    _ = system.contacts
    return system
