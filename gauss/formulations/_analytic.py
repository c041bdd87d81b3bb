"""Functions of complex arguments: values, Taylor coefficients on circles, and whether a function is analytic."""

from __future__ import annotations

import cmath
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gauss.errors import GaussError, InputError, described
from gauss.formulations._problem import EPS
from gauss.foundation.arrays import Array, positive, scalar, vector
from gauss.foundation.threads import filtered

ComplexArray = NDArray[np.complex128]

_NEAR, _NEAR_POINTS = 1e-11, 8  # relative distance of points that tell the rounding of a function, and their number
STEP = 1e-30  # its square is lost even beside coordinates of atomic size, and far from underflow
_CRUMB = 1e-12  # coordinates below this, relative to the largest, or all of them in their unit, are rounding
_DECAYED = 64.0 * EPS
_UNEXAMINED: ContextVar[bool] = ContextVar("_UNEXAMINED", default=False)


class UndefinedError(InputError):
    """A model function has no finite value at some complex argument."""


def evaluate(function: Callable[..., Any], arguments: tuple[Any, ...], name: str) -> ComplexArray:
    """Return function(*arguments) as a finite complex vector; raise an InputError that names the function."""
    value = _value(function, arguments, name)
    result = np.array([value]) if isinstance(value, complex) else value
    if result.ndim != 1:
        raise InputError(f"{name} returns an array of shape {result.shape}; a number or a vector is expected.")
    if not np.isfinite(result).all():
        raise UndefinedError(f"{name} is not finite at {', '.join(map(repr, arguments))}.")
    return result


def evaluate_at(function: Callable[..., Any], points: Sequence[tuple[Any, ...]], name: str) -> list[ComplexArray]:
    """Return what `evaluate` does at several points.

    A function whose attribute `many` takes the arguments of all points at once, stacked along the first axis, and
    returns the values (p, m) is called once, and at the last point besides: where these differ, or `many` fails, each
    point is evaluated by itself.
    """
    many = getattr(function, "many", None)
    if many is not None and len(points) > 1:
        last = evaluate(function, points[-1], name)
        with suppress(Exception), filtered("error", np.exceptions.ComplexWarning), np.errstate(all="ignore"):
            table = np.asarray(many(*(np.array(each) for each in zip(*points, strict=True)))).astype(complex)
            close = np.abs(table[-1] - last) <= 8.0 * EPS * (np.abs(last) + np.max(np.abs(last), initial=0.0))
            if table.shape == (len(points), len(last)) and np.isfinite(table).all() and np.all(close):
                return list(table)
    return [evaluate(function, point, name) for point in points]


def numbers_at(function: Callable[..., Any], points: Sequence[tuple[Any, ...]], name: str) -> ComplexArray:
    """Return a function of one number at several points, as `evaluate_at` evaluates it."""
    if getattr(function, "many", None) is None:
        return np.array([number_at(function, point, name) for point in points])
    found = evaluate_at(function, points, name)
    if any(value.size != 1 for value in found):
        raise InputError(f"{name} returns {found[0].size} numbers; one number is expected.")
    return np.array(found)[:, 0]


def number_at(function: Callable[..., Any], arguments: tuple[Any, ...], name: str) -> complex:
    """Return function(*arguments) as one complex number."""
    value = _value(function, arguments, name)
    if isinstance(value, complex) and cmath.isfinite(value):
        return value
    result = evaluate(lambda *_: value, arguments, name)
    if result.size != 1:
        raise InputError(f"{name} returns {result.size} numbers; one number is expected.")
    return complex(result[0])


def _value(function: Callable[..., Any], arguments: tuple[Any, ...], name: str) -> complex | ComplexArray:
    """Return function(*arguments) as a complex number, or as an array of at least one dimension."""
    if not callable(function):
        raise InputError(f"{name} must be a function, got {type(function).__name__}.")
    try:
        # Writing a complex number into a real array drops the derivative; NumPy only warns of it.
        with filtered("error", np.exceptions.ComplexWarning), np.errstate(all="ignore"):
            value = function(*(x.copy() if isinstance(x, np.ndarray) else x for x in arguments))
            if isinstance(value, (complex, float)):  # those of NumPy are among them
                return complex(value)
            return np.atleast_1d(np.asarray(value).astype(complex))
    except GaussError:
        raise
    except ArithmeticError as error:
        raise UndefinedError(f"{name} cannot be evaluated: {error}.") from error
    except (LookupError, AttributeError) as error:
        raise InputError(f"{name} cannot be evaluated: {described(error)}.") from error
    except (TypeError, ValueError, np.exceptions.ComplexWarning) as error:
        raise InputError(
            f"{name} cannot be evaluated with complex arguments ({error}). Write it with NumPy functions that accept "
            "complex arrays (np.sin, not math.sin), and let arrays that it fills be complex."
        ) from error


def real_values(function: Callable[..., Any], arguments: tuple[Any, ...], name: str) -> Array:
    """Return function at real arguments, which must be real."""
    return require_real(evaluate(function, arguments, name), name)


def require_real(result: ComplexArray, name: str) -> Array:
    """Return values at real arguments as real numbers. Raises InputError."""
    if np.any(result.imag != 0.0):
        raise InputError(f"{name} is complex at real arguments: {result}.")
    return np.array(result.real, dtype=float)


def spread_of(x: Array, first: int = 0) -> Array:
    """A direction (n,) with entries of the size of x's own, none of them zero and no two alike by accident.

    `first` is the number of entries of other arguments before those of x, which are to differ from them, too.
    """
    largest = size_of(x)
    sizes = np.where(np.abs(x) <= _CRUMB * largest, largest, np.abs(x))
    return np.asarray(sizes * (0.6 + 0.4 * np.cos(1.0 + 2.0 * (first + np.arange(x.size)))), dtype=float)


def roughness(phi: Callable[[Any, Any], Any], q0: Array, time: float, value: Array, J: Array) -> Array:
    """Return the size (m,) of the terms whose rounding φ shows at points so near that only rounding bends it.

    Near a cusp, φ − sin φ, neither the values nor the derivatives tell how large the terms are that cancel.
    """
    rough, turns = np.zeros(value.size), 1.0 + 2.0 * np.arange(_NEAR_POINTS)[:, None] + np.arange(q0.size)
    near = q0 * (1.0 + _NEAR * np.cos(turns))
    for moved, found in zip(near, evaluate_at(phi, [(moved, time) for moved in near], "phi"), strict=True):
        bent = require_real(found, "phi") - value - J @ (moved - q0)
        rough = np.maximum(rough, np.abs(bent) / EPS)
    return rough


@dataclass(frozen=True)
class Along:
    """φ(q + v z, t + z) as a function of z, at many z at once where φ has an attribute `many`."""

    phi: Callable[[Any, Any], Any]
    q: Array
    v: Array
    t: float

    def __call__(self, z: complex) -> Any:
        """Return φ at one z."""
        return self.phi(self.q + self.v * z, self.t + z)

    def many(self, z: ComplexArray) -> Any:
        """Return φ (p, m) at several z (p,)."""
        return self.phi.many(self.q + self.v * z[:, None], self.t + z)  # type: ignore[attr-defined]


def curve_radius(x: Array, rate: Array) -> float:
    """A quarter of the time in which x changes by its own size (at most a quarter of a unit of time)."""
    return 0.25 / max(1.0, float(np.max(np.abs(rate), initial=0.0)) / size_of(x))


def size_of(x: Array) -> float:
    """The size of a position: its largest entry, or one unit where all entries are zero but for rounding."""
    largest = float(np.max(np.abs(x), initial=0.0))
    return largest if largest > _CRUMB else 1.0


def _circle(
    function: Callable[[complex], Any], radius: float, points: int, noise: Array | float, name: str
) -> tuple[bool, Array, float]:
    """Scaled coefficients c_k r^k (points, size), whether they have decayed to rounding, and the largest |value|.

    What is real on the real axis has conjugate values at conjugate arguments, so half the circle is evaluated.
    """
    nodes = radius * np.exp(2j * np.pi * np.arange(points // 2 + 1) / points)
    inner = 0.7 * np.exp(-1j * np.pi / points)  # in units of the radius
    try:
        values = evaluate_at(function, [(complex(z),) for z in [*nodes, radius * inner]], name)
    except UndefinedError:
        return False, np.zeros((points, 1)), np.inf
    if len({value.size for value in values}) > 1:
        raise InputError(f"{name} returns vectors of different sizes.")
    table = np.array(values)
    sizes = np.max(np.abs(table), axis=0)  # (size,)
    largest = float(np.max(sizes, initial=0.0))
    coefficients = np.fft.hfft(table[:-1], points, axis=0) / points
    allowed = np.maximum(_DECAYED * np.maximum(sizes, noise), 8.0 * EPS * largest)
    tail = np.max(np.abs(coefficients[3 * points // 4 :]), axis=0)
    # On the grid an order k + points looks like k, and |τ|² like a constant; a point inside the circle, on its other
    # half, tells.
    missed = np.abs(inner ** np.arange(points) @ coefficients - table[-1])
    decayed = _is_real(table[0], largest, noise) and np.all(tail <= allowed) and np.all(missed <= 8.0 * allowed)
    return bool(decayed), coefficients, largest


def _is_real(value: ComplexArray, largest: float, noise: Array | float) -> bool:
    """Whether a value at a real argument is real to rounding."""
    return bool(np.all(np.abs(value.imag) <= 100.0 * EPS * (largest + np.max(noise, initial=0.0))))


def series_of(
    function: Callable[[complex], Any],
    order: int,
    radius: float | None,
    start: float,
    points: int,
    noise: Array | float,
    name: str,
    shrinks: int = 12,
) -> Array:
    """Taylor coefficients (order + 1, size) at 0; see `taylor_along`. `start` is the first radius if none is given."""
    whole = isinstance(points, int) and isinstance(order, int)
    if not whole or points < 16 or order < 0 or order > points // 2:
        raise InputError(
            f"order = {order} and points = {points}: whole numbers, 0 <= order <= points/2 and points >= 16 are"
            " expected."
        )
    r = start if radius is None else positive(radius, "radius")
    decayed, coefficients, largest = _circle(function, r, points, noise, name)
    shrunk = 0
    while not decayed and shrunk < shrinks:
        r, shrunk = 0.5 * r, shrunk + 1
        decayed, coefficients, largest = _circle(function, r, points, noise, name)
    if not decayed and not _is_real(evaluate(function, (complex(r),), name), largest, noise):
        raise InputError(f"{name} is not real at real arguments.")
    if not decayed:
        raise InputError(
            f"{name} is not analytic there: its Taylor coefficients on circles down to radius {r:.1e} do not decay to "
            "rounding. Look for abs, conj, norm, a branch cut or a singularity nearby; if its values are small "
            "differences of large numbers, state their rounding level."
        )
    # A larger circle divides the rounding errors by a higher power; stop where the function outgrows that gain.
    floor = float(np.max(noise, initial=0.0))
    grown = 0
    while radius is None and shrunk == 0 and grown < 12:
        wider, wide_coefficients, wide_largest = _circle(function, 2.0 * r, points, noise, name)
        if not wider or (wide_largest + floor) / 2.0**order > 0.5 * (largest + floor):
            break
        r, coefficients, largest, grown = 2.0 * r, wide_coefficients, wide_largest, grown + 1
    powers = r ** -np.arange(order + 1, dtype=float)
    return np.asarray(coefficients[: order + 1] * powers[:, None], dtype=float)


@contextmanager
def unexamined() -> Iterator[None]:
    """Take functions for analytic inside the block: for a caller who compares the result with that of another way.

    Showing that they are costs more than the result. A derivative of abs or conj is wrong, and the comparison tells.
    """
    token = _UNEXAMINED.set(True)
    try:
        yield
    finally:
        _UNEXAMINED.reset(token)


def require_analytic(function: Callable[[complex], Any], noise: Array | float, name: str) -> None:
    """Raise an InputError that names `function` unless it is analytic on some circle about 0; see `unexamined`."""
    if _UNEXAMINED.get():
        return
    series_of(function, 1, 0.25, 0.25, 32, noise, name, shrinks=20)


def require_analytic_at(function: Callable[..., Any], arguments: Sequence[Any], name: str) -> None:
    """Raise an InputError that names `function` unless it is analytic in its arguments together: arrays, and time."""
    before = np.cumsum([0, *(np.size(x) for x in arguments)]).tolist()
    sides = [
        spread_of(x.ravel(), first).reshape(x.shape) if isinstance(x, np.ndarray) else 1.0
        for x, first in zip(arguments, before[:-1], strict=True)
    ]
    size = float(np.max(np.abs(evaluate(function, tuple(arguments), name)), initial=0.0))

    def aside(z: complex) -> ComplexArray:
        return evaluate(function, tuple(x + z * y for x, y in zip(arguments, sides, strict=True)), name)

    require_analytic(aside, size, name)


def taylor_along(
    function: Callable[[complex], Any],
    order: int,
    radius: float | None = None,
    *,
    points: int = 32,
    noise: float = 0.0,
    name: str = "the function",
) -> Array:
    """Return the Taylor coefficients c_0 … c_order (order + 1, size) at τ = 0 of a function of a complex variable.

    `function(τ)` takes one complex number and returns a vector (size,) that is real for real τ; the k-th derivative is
    k!·c_k. Cauchy's formula by the trapezoidal rule on the circle |τ| = r, that is one FFT of `points` values f_j, half
    of which are the conjugates of the others:

        c_k = 1/(2πi) ∮ f(τ) τ^{-k-1} dτ ≈ r^{-k} (1/N) Σ_j f_j e^{-2πi jk/N}.

    Accuracy: absolute error of c_k about eps·max|f|/r^k for the largest |f| on the circle (the rule's own error,
    c_{k+N} r^N, is below that once the self-check has passed). The circle starts at `radius` (0.25 if not given) and is
    halved up to 12 times until the last quarter of the scaled coefficients and the polynomial's error at a point inside
    the circle are at rounding level; without a given radius it is doubled as long as that lowers the error.
    `noise` is the size that rounding errors relate to where values are small differences of larger numbers.

    Raises InputError if the coefficients never decay (the function, by `name`, is not analytic there), for a function
    that is not real on the real axis, and for an order above points/2.

    >>> import numpy as np
    >>> from gauss.formulations import taylor_along
    >>> taylor_along(lambda t: [np.exp(t)], order=3).ravel().round(9)  # 1/k!
    array([1.        , 1.        , 0.5       , 0.16666667])
    """
    return series_of(function, order, radius, 0.25, points, scalar(noise, "noise"), name)


def vector_of(value: object, what: str) -> Array:
    """Return a finite float vector of any size above 0."""
    array = vector(value, np.size(np.asarray(value)), what)
    if array.size == 0:
        raise InputError(f"{what} is empty; at least one coordinate is expected.")
    return array
