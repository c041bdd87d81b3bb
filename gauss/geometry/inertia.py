"""The inertia of a rigid body: mass, centre of mass and the second moment K₀ = ∫ b ⊗ b dm, with uniform shapes.

K₀ takes the place of the inertia tensor when the entries of the rotation matrix are the coordinates (VHIF §1):

    2W = tr(ṘK₀Ṙᵀ) + m|ȧ|² + 2m ȧ·Ṙc₀,    J = tr(K) 1 − K,    K = ½tr(J) 1 − J        (lemma 1),

b from the body's origin, c₀ the centre of mass, both in body axes. K about the centre is positive semidefinite for
every distribution of mass; that is the triangle inequality of the principal moments. Units: kg, m, kg m².
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from gauss.errors import InputError
from gauss.foundation.arrays import Array, as_array, is_symbol, matrix, positive, vector
from gauss.geometry import rotations

__all__ = [
    "Inertia",
    "box",
    "cone",
    "cylinder",
    "disc",
    "ellipsoid",
    "point",
    "ring",
    "rod",
    "second_of_tensor",
    "shell",
    "sphere",
    "tensor_of_second",
    "tube",
]

ORIGIN = (0.0, 0.0, 0.0)
UP = (0.0, 0.0, 1.0)
SYMMETRIC = 1e-9  # asymmetry up to this share of the largest entry is rounding of the input
NEGATIVE = 1e-12  # eigenvalues of K about the centre down to minus this share of tr K₀ are rounding of K₀
FLAT = 1e-12  # eigenvalues of K about the centre up to this share of tr K₀ are zero: 1e-6 of the size in length


@dataclass(frozen=True, eq=False)
class Inertia:
    """Mass, centre of mass and second moment of a rigid body, all in body axes from the body's origin.

    Raises InputError: a mass that is not positive, a second moment that is not symmetric or that no distribution of
    mass has (K about the centre not positive semidefinite), anything not finite.
    """

    mass: float  # kg
    centre: Array  # (3,) m, c₀, the centre of mass
    second: Array  # (3, 3) kg m², K₀ = ∫ b ⊗ b dm about the origin

    def __post_init__(self) -> None:
        if _symbols(self.mass, self.centre, self.second):  # checked for the numbers of the parameters
            object.__setattr__(self, "centre", _objects([*self.centre]))
            object.__setattr__(self, "second", _objects([[*row] for row in self.second]))
            return
        mass = positive(self.mass, "the mass")
        centre = vector(self.centre, 3, "the centre of mass", "xyz")
        second = symmetric(self.second, "the second moment")
        require_distribution(second - mass * np.outer(centre, centre), abs(float(np.trace(second))))
        for array in (centre, second):
            array.setflags(write=False)
        object.__setattr__(self, "mass", mass)
        object.__setattr__(self, "centre", centre)
        object.__setattr__(self, "second", second)

    @classmethod
    def of_tensor(cls, mass: float, tensor: object, centre: object = ORIGIN, axes: object = None) -> Inertia:
        """Return the inertia of a body given by its inertia tensor about the centre of mass.

        `tensor` is (3, 3), kg m², or the three principal moments (3,); `centre` (3,) m. Without `axes` it is in body
        axes, otherwise in the axes that are the columns of `axes` (3, 3), a rotation. Raises InputError as the class.
        """
        if axes is None and _symbols(mass, centre, tensor):
            given, at = [*tensor], [*centre]  # type: ignore[misc]
            flat = not isinstance(given[0], list | tuple | np.ndarray)
            T = [[(given[i] if i == j else 0.0) if flat else given[i][j] for j in range(3)] for i in range(3)]
            half = (T[0][0] + T[1][1] + T[2][2]) / 2.0
            K = [[(half if i == j else 0.0) - T[i][j] + mass * at[i] * at[j] for j in range(3)] for i in range(3)]
            return cls(mass, at, K)  # type: ignore[arg-type]
        J = moments(tensor, "the inertia tensor")
        m, c = positive(mass, "the mass"), vector(centre, 3, "the centre of mass", "xyz")
        values = np.linalg.eigvalsh(J)
        excess = float(values[2] - values[1] - values[0])
        if excess > 2.0 * NEGATIVE * (abs(float(np.trace(J))) / 2.0 + m * float(c @ c)):
            text = ", ".join(f"{value:.6g}" for value in values)
            raise InputError(
                f"no body has the principal moments of inertia {text} kg m²: the largest exceeds the sum of the other "
                f"two by {excess:.3g}. Check that the tensor is about the centre of mass and its products of inertia "
                "have the sign J_xy = −∫ xy dm."
            )
        return cls.of_second(m, second_of_tensor(J), c, axes)

    @classmethod
    def of_second(cls, mass: float, second: object, centre: object = ORIGIN, axes: object = None) -> Inertia:
        """Return the inertia of a body given by K = ∫ r ⊗ r dm about its centre of mass.

        `second` is (3, 3), kg m², or its three principal values (3,); `centre` and `axes` as in `of_tensor`. Raises
        InputError as the class.
        """
        m, c = positive(mass, "the mass"), vector(centre, 3, "the centre of mass", "xyz")
        K = moments(second, "the second moment")
        require_distribution(K, abs(float(np.trace(K))) + m * float(c @ c))
        if axes is not None:
            A = rotations.rotation(axes, "the axes of the inertia")
            K = A @ K @ A.T
        return cls(m, c, K + m * np.outer(c, c))

    @classmethod
    def none(cls) -> Inertia:
        """Return no mass at all: that of a massless body between joints, which the class itself refuses."""
        empty = object.__new__(cls)
        for word, value in (("mass", 0.0), ("centre", np.zeros(3)), ("second", np.zeros((3, 3)))):
            object.__setattr__(empty, word, value)
        return empty

    def scaled(self, factor: Any) -> Inertia:
        """Return the inertia with all mass times a factor, a number or one of `parametric`. Raises InputError.

        >>> from gauss import bodies as mb
        >>> mb.box(1.0, (0.3, 0.2, 0.1)).scaled(2.0).mass
        2.0
        """
        number = positive(factor, "the factor of a mass")
        if not is_symbol(number):
            return Inertia(number * self.mass, self.centre, number * self.second)
        found = object.__new__(Inertia)
        second = np.array(
            [[0.0 if x == 0.0 else x * number for x in row] for row in self.second.tolist()], dtype=object
        )
        for word, value in (("mass", self.mass * number), ("centre", self.centre), ("second", second)):
            object.__setattr__(found, word, value)
        return found

    @property
    def symbolic(self) -> bool:
        """Whether parameters occur in it, as in `parametric`."""
        return _symbols(self.mass, self.centre, self.second)

    @property
    def tensor(self) -> Array:
        """The inertia tensor J (3, 3) about the origin, kg m²."""
        return tensor_of_second(self.second)

    @property
    def central(self) -> Array:
        """The second moment K (3, 3) about the centre of mass, kg m² (Steiner: K₀ = K + m c₀ ⊗ c₀)."""
        return np.asarray(self.second - self.mass * np.outer(self.centre, self.centre))

    @property
    def central_tensor(self) -> Array:
        """The inertia tensor J (3, 3) about the centre of mass, kg m²."""
        return tensor_of_second(self.central)

    @property
    def rank(self) -> int:
        """How many dimensions the body has: 0 a point, 1 a line, 2 a plane figure, 3 a solid.

        An extent below 1e-6 of the distance of the body's farthest points from its origin counts as none. A body of
        rank 0 or 1 has no inertia against turning about its own line: that turn is no freedom with a determined
        acceleration.
        """
        values = np.linalg.eigvalsh(self.central)
        return int(np.sum(values > FLAT * np.trace(self.second)))

    @property
    def density(self) -> float:
        """The density (kg/m³) of the homogeneous box that has this inertia; infinite for what is flat.

        >>> from gauss import bodies as mb
        >>> round(mb.box(2.0, (0.5, 0.2, 0.1)).density, 6)
        200.0
        """
        volume = math.sqrt(max(float(np.linalg.det(12.0 * self.central / self.mass)), 0.0))
        return self.mass / volume if self.rank == 3 else math.inf

    def principal(self) -> tuple[Array, Array]:
        """Return the principal moments (3,) about the centre, ascending, and their axes (3, 3), columns, a rotation."""
        values, axes = np.linalg.eigh(self.central_tensor)
        if np.linalg.det(axes) < 0.0:
            axes[:, 2] *= -1.0
        return values, axes

    def moved(self, position: object = ORIGIN, rotation: object = None) -> Inertia:
        """Return the inertia of the body placed in other axes, where its origin is at `position` (3,) m.

        `rotation` (3, 3) takes its axes to the other ones; without it they are parallel. Raises InputError.
        """
        p = vector(position, 3, "the position", "xyz")
        R = np.eye(3) if rotation is None else rotations.rotation(rotation)
        c = p + R @ self.centre
        return Inertia(self.mass, c, R @ self.central @ R.T + self.mass * np.outer(c, c))

    def __add__(self, other: object) -> Inertia:
        """Return the inertia of two parts joined rigidly, both given from the same origin and axes."""
        if not isinstance(other, Inertia):
            return NotImplemented
        mass = self.mass + other.mass
        centre = (self.mass * self.centre + other.mass * other.centre) / mass
        return Inertia(mass, centre, self.second + other.second)

    def __radd__(self, other: object) -> Inertia:
        """Let `sum(parts)` begin with 0."""
        return self if isinstance(other, int) and other == 0 else NotImplemented


def _symbols(*values: Any) -> bool:
    """Whether any of numbers, vectors and matrices has a symbol as an entry."""
    return any(
        is_symbol(x) or ((isinstance(x, list | tuple) or (isinstance(x, np.ndarray) and x.ndim > 0)) and _symbols(*x))
        for x in values
    )


def _objects(values: list[Any]) -> Array:
    """Return symbols and numbers as an array, (n,) or (n, m)."""
    rows = values if isinstance(values[0], list) else [values]
    found = np.empty((len(rows), len(rows[0])), dtype=object)
    for i, row in enumerate(rows):
        for j, x in enumerate(row):
            found[i, j] = x
    return found if isinstance(values[0], list) else found[0]


def tensor_of_second(second: object) -> Array:
    """Return J = tr(K) 1 − K (3, 3) of a symmetric K (3, 3), or of its principal values (3,) (VHIF lemma 1)."""
    K = moments(second, "the second moment")
    return np.asarray(np.trace(K) * np.eye(3) - K)


def second_of_tensor(tensor: object) -> Array:
    """Return K = ½tr(J) 1 − J (3, 3) of a symmetric J (3, 3), or of its principal moments (3,), about the same point.

    VHIF lemma 1. Raises InputError for a matrix that is not symmetric, not for one that no body has.
    """
    J = moments(tensor, "the inertia tensor")
    return np.asarray(np.trace(J) / 2.0 * np.eye(3) - J)


def point(mass: float, at: object = ORIGIN) -> Inertia:
    """Return a point mass at `at` (3,) m.

    `mass` in kg. Raises InputError for a mass that is not positive.
    """
    return Inertia.of_second(mass, np.zeros(3), at)


def rod(mass: float, start: object, end: object) -> Inertia:
    """Return a thin uniform rod between the points `start` and `end` (3,) m.

    `mass` in kg. Raises InputError for a mass that is not positive and for ends that coincide.
    """
    a, b = vector(start, 3, "the start of the rod"), vector(end, 3, "the end of the rod")
    if np.array_equal(a, b):
        raise InputError("the rod starts and ends at the same point; a mass there is point(mass, at).")
    return Inertia.of_second(mass, positive(mass, "the mass") / 12.0 * np.outer(b - a, b - a), (a + b) / 2.0)


def ring(mass: float, radius: float, normal: object = UP, at: object = ORIGIN) -> Inertia:
    """Return a thin uniform ring of `radius` (m) about `at` (3,) m, across `normal` (3,) of any length.

    `mass` in kg. Raises InputError for a mass or a radius that is not positive.
    """
    r = positive(radius, "the radius of the ring")
    return around(mass, r * r / 2.0, 0.0, normal, at)


def disc(mass: float, radius: float, normal: object = UP, at: object = ORIGIN) -> Inertia:
    """Return a thin uniform disc of `radius` (m) about `at` (3,) m, across `normal` (3,) of any length.

    `mass` in kg. Raises InputError for a mass or a radius that is not positive.
    """
    r = positive(radius, "the radius of the disc")
    return around(mass, r * r / 4.0, 0.0, normal, at)


def cylinder(mass: float, radius: float, length: float, axis: object = UP, at: object = ORIGIN) -> Inertia:
    """Return a solid uniform cylinder of `radius` and `length` (m) along `axis` (3,); its middle is at `at` (3,) m.

    `mass` in kg. Raises InputError for a mass or a size that is not positive.

    >>> from gauss import bodies as mb
    >>> mb.cylinder(2.0, radius=0.3, length=0.6).tensor.round(9).diagonal()  # ½mr² = 0.09 about its axis
    array([0.105, 0.105, 0.09 ])
    """
    r, h = positive(radius, "the radius of the cylinder"), positive(length, "the length of the cylinder")
    return around(mass, r * r / 4.0, h * h / 12.0, axis, at)


def tube(mass: float, inner: float, outer: float, length: float, axis: object = UP, at: object = ORIGIN) -> Inertia:
    """Return a uniform tube with radii `inner` and `outer` and `length` (m) along `axis` (3,), its middle at `at` (3,).

    Equal radii are a thin wall.
    `mass` in kg. Raises InputError for a mass or a size that is not positive and for inner > outer.

    >>> from gauss import bodies as mb
    >>> mb.tube(2.0, inner=0.1, outer=0.2, length=0.3).tensor.round(9)[2, 2].item()  # ½m(r² + R²) about its axis
    0.05
    """
    r, big = positive(inner, "the inner radius of the tube"), positive(outer, "the outer radius of the tube")
    if r > big:
        raise InputError(f"the inner radius of the tube, {r:g} m, exceeds the outer, {big:g} m; exchange them.")
    h = positive(length, "the length of the tube")
    return around(mass, (r * r + big * big) / 4.0, h * h / 12.0, axis, at)


def cone(mass: float, radius: float, height: float, axis: object = UP, at: object = ORIGIN) -> Inertia:
    """Return a solid uniform cone: base of `radius` (m) about `at` (3,) m, apex at `height` (m) along `axis` (3,).

    The centre of mass is at a quarter of the height.
    `mass` in kg. Raises InputError for a mass or a size that is not positive.

    >>> from gauss import bodies as mb
    >>> top = mb.cone(2.0, radius=0.5, height=0.8)
    >>> top.centre.tolist(), top.tensor.round(9)[2, 2].item()  # 3/10 mr² about its axis
    ([0.0, 0.0, 0.2], 0.15)
    """
    r, h = positive(radius, "the radius of the cone"), positive(height, "the height of the cone")
    centre = vector(at, 3, "the centre of the base") + h / 4.0 * rotations.direction(axis, "the axis of the cone")
    return around(mass, 3.0 / 20.0 * r * r, 3.0 / 80.0 * h * h, axis, centre)


def box(mass: float, sides: object, at: object = ORIGIN, axes: object = None) -> Inertia:
    """Return a uniform box with `sides` (3,) m along the columns of `axes` (3, 3), its middle at `at` (3,) m.

    Without `axes` the sides are along the body axes. A side 0 is a thin plate, two are a thin rod.
    `mass` in kg. Raises InputError for a mass that is not positive and for negative sides.
    """
    lengths = extents(sides, "the sides of the box")
    return Inertia.of_second(mass, positive(mass, "the mass") / 12.0 * lengths**2, at, axes)


def ellipsoid(mass: float, semiaxes: object, at: object = ORIGIN, axes: object = None) -> Inertia:
    """Return a solid uniform ellipsoid with `semiaxes` (3,) m along the columns of `axes` (3, 3) about `at` (3,) m.

    `mass` in kg. Raises InputError for a mass or a semi-axis that is not positive.

    >>> from gauss import bodies as mb
    >>> mb.ellipsoid(5.0, (0.1, 0.2, 0.3)).tensor.round(9).diagonal()  # m/5 (b² + c²), …
    array([0.13, 0.1 , 0.05])
    """
    lengths = extents(semiaxes, "the semi-axes of the ellipsoid")
    if not np.all(lengths > 0.0):
        raise InputError(f"the semi-axes of the ellipsoid must be positive, but are {lengths.tolist()}.")
    return Inertia.of_second(mass, positive(mass, "the mass") / 5.0 * lengths**2, at, axes)


def sphere(mass: float, radius: float, at: object = ORIGIN) -> Inertia:
    """Return a solid uniform sphere of `radius` (m) about `at` (3,) m.

    `mass` in kg. Raises InputError for a mass or a radius that is not positive.
    """
    r = positive(radius, "the radius of the sphere")
    return around(mass, r * r / 5.0, r * r / 5.0, UP, at)


def shell(mass: float, radius: float, at: object = ORIGIN) -> Inertia:
    """Return a thin uniform spherical shell of `radius` (m) about `at` (3,) m.

    `mass` in kg. Raises InputError for a mass or a radius that is not positive.

    >>> from gauss import bodies as mb
    >>> mb.shell(3.0, radius=0.5).tensor.round(9).diagonal()  # ⅔mr²
    array([0.5, 0.5, 0.5])
    """
    r = positive(radius, "the radius of the shell")
    return around(mass, r * r / 3.0, r * r / 3.0, UP, at)


def around(mass: float, across: float, along: float, axis: object, at: object) -> Inertia:
    """Return a body of revolution about `axis` through its centre `at`, by the mean squares (m²) of its coordinates.

    `across` is that of a coordinate across the axis, `along` of the one along it.
    """
    e = rotations.direction(axis, "the axis of the body")
    K = across * (np.eye(3) - np.outer(e, e)) + along * np.outer(e, e)
    return Inertia.of_second(mass, positive(mass, "the mass") * K, at)


def extents(value: object, what: str) -> Array:
    """Return lengths (3,), none negative. Raises InputError."""
    lengths = vector(value, 3, what)
    if np.any(lengths < 0.0):
        raise InputError(f"{what} must not be negative, but are {lengths.tolist()}.")
    return lengths


def moments(value: object, what: str) -> Array:
    """Return a symmetric matrix (3, 3), or the diagonal matrix of three numbers. Raises InputError."""
    array = as_array(value, what)
    return np.diag(vector(array, 3, what)) if array.ndim == 1 else symmetric(array, what)


def symmetric(value: object, what: str) -> Array:
    """Return a matrix (3, 3) made symmetric within rounding. Raises InputError."""
    array = matrix(value, (3, 3), what)
    gaps = np.abs(array - array.T)
    if np.max(gaps) > SYMMETRIC * np.max(np.abs(array)):
        i, j = np.unravel_index(int(np.argmax(gaps)), (3, 3))
        raise InputError(
            f"{what} is not symmetric: its entries [{i}, {j}] and [{j}, {i}] are {array[i, j]:g} and {array[j, i]:g}."
        )
    return np.asarray((array + array.T) / 2.0)


def require_distribution(central: Array, scale: float) -> None:
    """Raise InputError if no distribution of mass has K (3, 3) about its centre; `scale` is what rounding is beside."""
    values: Sequence[float] = np.linalg.eigvalsh(central).tolist()
    if values[0] < -NEGATIVE * scale:
        text = ", ".join(f"{value:.6g}" for value in values)
        raise InputError(
            f"no body has a second moment with the principal values {text} kg m² about its centre of mass: none may "
            "be negative. Check the mass, the centre, and that K = ∫ b ⊗ b dm is given, not the inertia tensor J."
        )
