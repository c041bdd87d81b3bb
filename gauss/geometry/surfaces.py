"""Surfaces that points stay on and balls roll on.

A surface is φ(x) = 0 in the axes of the body that carries it (m), and φ > 0 on the side that it is touched from. Of all
but `ImplicitSurface` φ is the distance: ∇φ is the unit normal, and the surface parallel to it is φ = const.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Protocol, runtime_checkable

import numpy as np

import gauss.functions.elementary as elementary
from gauss.errors import InputError, ModelError
from gauss.foundation.arrays import positive, scalar
from gauss.foundation.portable import Portable
from gauss.functions.elementary import sqrt
from gauss.geometry.vectors import Vector, direction_of, dot, minus, numbers, plus, times
from gauss.model.functions import as_list

Point = Sequence[float]


@runtime_checkable
class Surface(Protocol):
    """What contacts ask of a surface: φ and its gradient, in the axes of the carrier.

    >>> from gauss import bodies as mb
    >>> isinstance(mb.SphericalSurface((0, 0, 0), 1.0), mb.Surface), isinstance(mb.Disc(1.0), mb.Surface)
    (True, False)
    """

    @property
    def upright(self) -> Point:
        """A direction that the normal is never opposite to, where there is one; tangents are turned from it."""

    @property
    def is_distance(self) -> bool:
        """Whether φ is the distance from the surface, so that its parallel surfaces are known."""

    def value(self, x: Vector) -> Any:
        """Return φ."""

    def gradient(self, x: Vector) -> Vector:
        """Return ∇φ."""


# ------------------------------------------------------------------ surfaces whose distance has a closed form


class _Distance:
    """A surface whose φ is the distance from it."""

    is_distance = True

    def _set(self, **values: Any) -> None:
        for word, value in values.items():
            object.__setattr__(self, word, value)
        if not isinstance(getattr(self, "inside", False), bool):
            raise InputError(f"inside of a {type(self).__name__} must be True or False, got {self.inside!r}.")  # type: ignore[attr-defined]


@dataclass(frozen=True)
class PlaneSurface(_Distance):
    """The plane through `through` with `normal` towards what touches it: φ = n·(x − p). Raises InputError."""

    through: Point = (0.0, 0.0, 0.0)
    normal: Point = (0.0, 0.0, 1.0)

    def __post_init__(self) -> None:
        self._set(
            through=numbers(self.through, 3, "the point of the plane"),
            normal=direction_of(self.normal, 3, "the normal of the plane"),
        )

    @property
    def upright(self) -> Point:
        """The normal."""
        return self.normal

    def value(self, x: Vector) -> Any:
        """Return φ (m)."""
        return dot(minus(x, self.through), self.normal)

    def gradient(self, x: Vector) -> Vector:
        """Return the normal."""
        return tuple(self.normal)


@dataclass(frozen=True)
class SphericalSurface(_Distance):
    """The sphere φ = |x − c| − R, or with `inside` a hollow one, φ = R − |x − c|. Raises InputError."""

    centre: Point
    radius: float
    inside: bool = False
    upright: Point = (0.0, 0.0, 1.0)  # where the normal is opposite to it the tangents are not determined

    def __post_init__(self) -> None:
        self._set(
            centre=numbers(self.centre, 3, "the centre of the sphere"),
            radius=positive(self.radius, "the radius of the sphere"),
            upright=direction_of(self.upright, 3, "the direction upright of the sphere"),
        )

    def value(self, x: Vector) -> Any:
        """Return φ (m)."""
        off = minus(x, self.centre)
        return _sign(self) * (sqrt(dot(off, off)) - self.radius)

    def gradient(self, x: Vector) -> Vector:
        """Return the unit normal."""
        off = minus(x, self.centre)
        return times(_sign(self) / sqrt(dot(off, off)), off)


def _sign(surface: Any) -> float:
    return -1.0 if surface.inside else 1.0


@dataclass(frozen=True)
class _Round(_Distance):
    """A surface of revolution about the line through `point` along `axis`: φ is a function of ρ and s.

    ρ (m) is the distance from the axis and s (m) the place along it, from `point`.
    """

    point: Point
    axis: Point

    def __post_init__(self) -> None:
        kind = type(self).__name__
        self._set(
            point=numbers(self.point, 3, f"the point of the {kind}"),
            axis=direction_of(self.axis, 3, f"the axis of the {kind}"),
        )

    @property
    def upright(self) -> Point:
        """The axis."""
        return self.axis

    def _parts(self, x: Vector) -> tuple[Any, Any, Vector]:
        """Return ρ, s and the unit vector ρ grows along."""
        off = minus(x, self.point)
        along = dot(off, self.axis)
        outward = minus(off, times(along, self.axis))
        rho = sqrt(dot(outward, outward))
        return rho, along, times(1.0 / rho, outward)


@dataclass(frozen=True)
class CylindricalSurface(_Round):
    """The cylinder φ = ρ − R, or with `inside` a tube, φ = R − ρ. Raises InputError."""

    radius: float
    inside: bool = False

    def __post_init__(self) -> None:
        super().__post_init__()
        self._set(radius=positive(self.radius, "the radius of the cylinder"))

    def value(self, x: Vector) -> Any:
        """Return φ (m)."""
        return _sign(self) * (self._parts(x)[0] - self.radius)

    def gradient(self, x: Vector) -> Vector:
        """Return the unit normal."""
        return times(_sign(self), self._parts(x)[2])


@dataclass(frozen=True)
class ConicalSurface(_Round):
    """The cone with its apex in `point` that opens along `axis`, φ = ρ cos α − s sin α; with `inside` a funnel, −φ.

    α (rad) is `half_angle`. φ is the distance on the side of the flank. Raises InputError.

    >>> from gauss import bodies as mb
    >>> funnel = mb.ConicalSurface((0, 0, 0), (0, 0, 1), half_angle=0.5236, inside=True)  # 30° from its axis
    >>> round(float(funnel.value((1.0, 0.0, 2.0))), 4)  # 2 sin 30° − 1 cos 30°
    0.134
    """

    half_angle: float
    inside: bool = False

    def __post_init__(self) -> None:
        super().__post_init__()
        angle = scalar(self.half_angle, "the half angle of the cone")
        if not 0.0 < angle < np.pi / 2:
            raise InputError(f"the half angle of a cone must lie between 0 and π/2 rad, but is {angle:g}.")
        self._set(half_angle=angle)

    def value(self, x: Vector) -> Any:
        """Return φ (m)."""
        rho, s, _ = self._parts(x)
        return _sign(self) * (float(np.cos(self.half_angle)) * rho - float(np.sin(self.half_angle)) * s)

    def gradient(self, x: Vector) -> Vector:
        """Return the unit normal."""
        outward, sign = self._parts(x)[2], _sign(self)
        return plus(
            times(sign * float(np.cos(self.half_angle)), outward),
            times(-sign * float(np.sin(self.half_angle)), self.axis),
        )


@dataclass(frozen=True)
class ToroidalSurface(_Round):
    """The torus about `axis`: φ = √((ρ − R)² + s²) − r, with R = `major`, r = `minor` (m); with `inside` −φ, a pipe.

    Raises InputError.

    >>> from gauss import bodies as mb
    >>> ring = mb.ToroidalSurface((0, 0, 0), (0, 0, 1), major=1.0, minor=0.25)
    >>> float(ring.value((1.5, 0.0, 0.0))), float(ring.value((1.0, 0.0, 0.0)))
    (0.25, -0.25)
    """

    major: float
    minor: float
    inside: bool = False

    def __post_init__(self) -> None:
        super().__post_init__()
        self._set(
            major=positive(self.major, "the major radius of the torus"),
            minor=positive(self.minor, "the minor radius of the torus"),
        )
        if self.minor >= self.major:
            raise InputError(
                f"the minor radius of a torus, {self.minor:g} m, must be less than the major one, {self.major:g} m."
            )

    def value(self, x: Vector) -> Any:
        """Return φ (m)."""
        rho, s, _ = self._parts(x)
        return _sign(self) * (sqrt((rho - self.major) ** 2 + s**2) - self.minor)

    def gradient(self, x: Vector) -> Vector:
        """Return the unit normal."""
        rho, s, outward = self._parts(x)
        factor = _sign(self) / sqrt((rho - self.major) ** 2 + s**2)
        return plus(times(factor * (rho - self.major), outward), times(factor * s, self.axis))


# ------------------------------------------------------------------ any other surface


class ByFunction(Portable):
    """What is given by a function φ of the place, with its gradient: a function, too, or formed by SymPy."""

    function: Callable[..., Any]
    gradient_function: Callable[..., Any] | None
    called: ClassVar[str]  # in messages
    components: ClassVar[int]  # 2 in the plane, 3 in space

    def _require_functions(self) -> None:
        """Raise InputError for what is no function."""
        names = "x and y" if self.components == 2 else "x, y, z"
        for what, given in (("function", self.function), ("gradient", self.gradient_function)):
            if not callable(given) and (what == "function" or given is not None):
                raise InputError(f"the {what} of {self.called} is a function of {names}, got {given!r}.")

    @cached_property
    def _derived(self) -> Callable[..., Vector]:
        return gradient_of(self.function, self.components)

    def _slope(self, x: Vector) -> Vector:
        """Return ∇φ. Raises ModelError where the given function returns another number of components."""
        if self.gradient_function is None:
            return self._derived(*x)
        parts = as_list(self.gradient_function(*x), f"the gradient of {self.called}")
        if len(parts) != self.components:
            raise ModelError(f"the gradient of {self.called} has {len(parts)} components, expected {self.components}.")
        return tuple(parts)


@dataclass(frozen=True, eq=False)
class ImplicitSurface(ByFunction):
    """The surface φ(x, y, z) = 0 of any function, written with gauss.sin, gauss.sqrt, …

    Its gradient is formed by SymPy when it is first asked for, or given as `gradient`, a function of x, y, z that
    returns three numbers (needed where φ has pieces). φ need not be a distance: the normal force is λ|∇φ|, which
    `force` of a joint gives. Raises InputError.

    >>> from gauss import bodies as mb
    >>> bowl = mb.ImplicitSurface(lambda x, y, z: z - 0.5 * (x**2 + y**2))
    >>> float(bowl.value((1.0, 2.0, 4.0))), [float(part) for part in bowl.gradient((1.0, 2.0, 4.0))]
    (1.5, [-1.0, -2.0, 1.0])
    """

    function: Callable[..., Any]
    gradient_function: Callable[..., Any] | None = None
    upright: Point = (0.0, 0.0, 1.0)
    is_distance = False
    called: ClassVar[str] = "an implicit surface"
    components: ClassVar[int] = 3

    def __post_init__(self) -> None:
        self._require_functions()
        object.__setattr__(self, "upright", direction_of(self.upright, 3, "the direction upright of the surface"))

    def value(self, x: Vector) -> Any:
        """Return φ."""
        return self.function(*x)

    def gradient(self, x: Vector) -> Vector:
        """Return ∇φ."""
        return self._slope(x)


def gradient_of(function: Callable[..., Any], size: int) -> Callable[..., Vector]:
    """Return the gradient of a function of `size` numbers, for numbers of every kind. Raises InputError.

    The function is traced with SymPy symbols; its derivatives are evaluated by `gauss.functions.elementary`.
    """
    import sympy

    symbols = sympy.symbols("x y z"[: 2 * size - 1], real=True)
    try:
        traced = sympy.sympify(function(*symbols))
        parts = [sympy.diff(traced, symbol) for symbol in symbols]
    except Exception as error:
        raise InputError(
            f"the function of a surface or curve cannot be differentiated ({type(error).__name__}: {error}); it takes"
            f" {size} numbers and returns one. Write it with gauss.sin, …, or give its gradient."
        ) from error

    def gradient(*x: Any) -> Vector:
        known = dict(zip(symbols, x, strict=True))
        return tuple(evaluated(part, known) for part in parts)

    gradient(*(0.37 + 0.11 * k for k in range(size)))  # what cannot be evaluated is refused now
    return gradient


def evaluated(expression: Any, known: dict[Any, Any]) -> Any:
    """Return a SymPy expression for values of its symbols; `known` gathers all its parts. Raises InputError."""
    if expression in known:
        return known[expression]
    if expression.is_Integer:
        return int(expression)
    if expression.is_number and expression.is_real and not expression.args:
        return float(expression)
    parts = [evaluated(part, known) for part in expression.args]
    name = {"Abs": "fabs"}.get(type(expression).__name__, type(expression).__name__)
    if expression.is_Add or expression.is_Mul:
        found = parts[0]
        for part in parts[1:]:
            found = found + part if expression.is_Add else found * part
    elif expression.is_Pow:
        found = _power(*parts)
    elif name in elementary.__all__:
        found = getattr(elementary, name)(*parts)
    else:
        raise InputError(f"the derivative of a surface contains {name}, which has no value here; give its gradient.")
    known[expression] = found
    return found


def _power(base: Any, exponent: Any) -> Any:
    """Return base^exponent; half-integer ones by the root, which is the sharper."""
    if isinstance(exponent, int) and exponent < 0:
        return 1.0 / base**-exponent
    if isinstance(exponent, float) and 2.0 * exponent == int(2.0 * exponent):
        odd = int(2.0 * abs(exponent))
        found = sqrt(base) if odd == 1 else sqrt(base) ** odd
        return found if exponent > 0.0 else 1.0 / found
    return base**exponent
