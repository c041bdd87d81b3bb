"""`Posed`: a rigid body given by where it is as a function of the coordinates of any System."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from gauss.bodies.body.body import AnyBody, Ground, require_name, values_of
from gauss.bodies.body.rods_and_particles import Rod
from gauss.bodies.forces.forces import at_point_velocity
from gauss.bodies.joints.rates import row_rate, within
from gauss.errors import InputError, ModelError
from gauss.foundation.arrays import names_of
from gauss.foundation.portable import Portable
from gauss.functions.elementary import cos, sin
from gauss.geometry.placed import Placed
from gauss.geometry.surfaces import evaluated
from gauss.geometry.vectors import IDENTITY, Vector, cross, dot, minus, numbers, times
from gauss.model.coordinates import Named
from gauss.model.functions import ModelFunction, as_list


@dataclass(frozen=True, eq=False)
class Posed(Portable):
    """A body of a plain System, for shapes that touch: `pose` says where it is.

    `coordinates` are the names of those that the pose depends on; q holds them alone. In the plane `pose` returns the
    place of its origin and its angle, (x, z, θ) in m and rad, or (x, z) of a body that does not turn; with dimension=3
    it returns (x, y, z), or (x, y, z, R) with the rotation matrix R, a list of three rows. It takes what it names of
    q, t and p. Its rates are formed by SymPy. Raises InputError.
    """

    name: str
    coordinates: str | Sequence[str]
    pose: Callable[..., Any]
    dimension: int = 2

    def __post_init__(self) -> None:
        require_name(self.name, "a Posed body")
        names = names_of(self.coordinates, f"the coordinates of {self.name!r}")
        object.__setattr__(self, "coordinates", names)
        if not callable(self.pose):
            raise InputError(f"the pose of {self.name!r} must be a function of q, got {self.pose!r}.")
        if self.dimension not in (2, 3):
            raise InputError(f"the dimension of {self.name!r} must be 2 or 3, got {self.dimension!r}.")

    @cached_property
    def _function(self) -> ModelFunction:
        return ModelFunction.of(self.pose, "qtp", f"the pose of {self.name!r}")

    @property
    def takes(self) -> tuple[str, ...]:
        """Which of q, t and p the pose depends on."""
        return self._function.takes

    def _entries(self, values: dict[str, Any]) -> list[Any]:
        """Return x, z, θ, or x, y, z and the rows of R, as one list. Raises ModelError."""
        given = self._function(values)
        if self.dimension == 3 and isinstance(given, (tuple, list)) and len(given) == 4:
            rows = [as_list(row, f"R of the pose of {self.name!r}") for row in given[3]]
            given = [*given[:3], *(entry for row in rows for entry in row)]
        found = as_list(given, f"the pose of {self.name!r}")
        if len(found) not in ((2, 3) if self.dimension == 2 else (3, 12)):
            wanted = "(x, z) or (x, z, θ)" if self.dimension == 2 else "(x, y, z) or (x, y, z, R)"
            raise ModelError(f"the pose of {self.name!r} has {len(found)} entries, expected {wanted}.")
        return found

    def placed(self, q: Any, t: Any = 0.0, p: Any = None) -> Placed:
        """Return where the body is, from coordinates by name."""
        known = Named(tuple(p), list(p.values())) if isinstance(p, Mapping) else p
        x = self._entries({"q": Named(self.coordinates, values_of(q, self.coordinates)), "t": t, "p": known})
        if self.dimension == 3:
            rows = [x[3 + 3 * k : 6 + 3 * k] for k in range(3)] if len(x) == 12 else IDENTITY
            return Placed(tuple(x[:3]), tuple(zip(*rows, strict=True)))
        if len(x) == 2:
            return Placed((x[0], x[1]), ((1.0, 0.0), (0.0, 1.0)))
        c, s = cos(x[2]), sin(x[2])
        return Placed((x[0], x[1]), ((c, s), (-s, c)))

    @cached_property
    def _derived(self) -> tuple[list[tuple[str, Any]], dict[str, Any], list[list[Any]]]:
        """Return the symbols of q and t by name, those of p, and the derivatives of the entries by q and by t."""
        import sympy

        known = [(name, sympy.Symbol(f"q_{name}", real=True)) for name in self.coordinates]
        time, parameters = sympy.Symbol("t", real=True), _Gathered()
        values = {"q": Named(self.coordinates, [symbol for _, symbol in known]), "t": time, "p": parameters}
        entries = [sympy.sympify(entry) for entry in self._entries(values)]
        symbols = [*known, ("t", time)]
        return symbols, parameters.found, [[sympy.diff(entry, symbol) for _, symbol in symbols] for entry in entries]

    def _rates(self, q: Any, v: Any, t: Any, p: Any) -> list[Any]:
        """Return the rates of the entries of the pose."""
        symbols, parameters, table = self._derived
        speeds = [*values_of(v, self.coordinates), 1.0]
        known = dict(zip([symbol for _, symbol in symbols], [*values_of(q, self.coordinates), t], strict=True))
        known |= {symbol: p[name] for name, symbol in parameters.items()}
        return [
            sum(evaluated(part, known) * speed for part, speed in zip(row, speeds, strict=True) if part != 0)
            for row in table
        ]

    def point_velocity(self, point: Vector, q: Any, v: Any, t: Any = 0.0, p: Any = None) -> Vector:
        """Return the velocity (m/s) of the point of the body that is at `point` in space."""
        rates, placed = self._rates(q, v, t, p), self.placed(q, t, p)
        if self.dimension == 2:
            turning = rates[2] if len(rates) == 3 else 0.0
            arm = minus(point, placed.origin)
            return (rates[0] - turning * arm[1], rates[1] + turning * arm[0])
        if len(rates) == 3:
            return tuple(rates)
        return Placed(tuple(rates[:3]), tuple(tuple(rates[3 + k :: 3]) for k in range(3))).point(within(placed, point))

    def turning(self, axis: Any, q: Any, v: Any, t: Any = 0.0, p: Any = None) -> Any:
        """Return the angular velocity (rad/s) about an axis in space, ½ Σ (R_k × Ṙ_k)·e; in the plane θ̇."""
        rates = self._rates(q, v, t, p)
        if self.dimension == 2:
            return rates[2] if len(rates) == 3 else 0.0
        if len(rates) == 3:
            return 0.0
        columns = self.placed(q, t, p).columns
        moved = [tuple(rates[3 + k :: 3]) for k in range(3)]
        return 0.5 * sum(dot(axis, cross(one, two)) for one, two in zip(columns, moved, strict=True))

    def require_point(self, at: object, what: str) -> tuple[float, ...]:
        """Return a point of the body, checked. Raises InputError."""
        return numbers(at, self.dimension, what)


class _Gathered:
    """Parameters that become symbols as they are named."""

    def __init__(self) -> None:
        self.found: dict[str, Any] = {}

    def __getitem__(self, name: str) -> Any:
        import sympy

        return self.found.setdefault(name, sympy.Symbol(f"p_{name}", real=True))

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return self[name]


def placed_at(body: AnyBody | Posed, world: dict[str, Any]) -> Placed:
    """Return where a body is; `world` holds q, and t and p where a `Posed` body takes them."""
    if isinstance(body, Posed):
        return body.placed(world["q"], world.get("t", 0.0), world.get("p"))
    return body.placed(world["q"])


def velocity_at(body: AnyBody | Posed, point: Vector, world: dict[str, Any]) -> Vector:
    """Return the velocity (m/s) of the point of a body that is at `point` in space; `world` holds q and v."""
    if isinstance(body, Posed):
        return body.point_velocity(point, world["q"], world["v"], world.get("t", 0.0), world.get("p"))
    if isinstance(body, Ground):
        return (0.0,) * len(point)
    placed = body.placed(world["q"])
    along = within(placed, point)
    velocity = at_point_velocity(body, along, world["v"])
    if not isinstance(body, Rod):
        return velocity
    beside = minus(point, placed.point(along))  # d ⟂ u, where the velocity is more by (u × u̇) × d = −(u̇·d) u
    u, rate = (values_of(world[word], body.coordinates)[3:] for word in "qv")
    return minus(velocity, times(dot(rate, beside), tuple(u)))


def turning_of(body: AnyBody | Posed, axis: Any, world: dict[str, Any]) -> Any:
    """Return the angular velocity (rad/s) of a body about an axis in space (in the plane `axis` is 1)."""
    if isinstance(body, Posed):
        return body.turning(axis, world["q"], world["v"], world.get("t", 0.0), world.get("p"))
    return row_rate(body.turned_by(axis, world["q"]), world["v"])
