"""Equations of motion and constraint rows from plain NumPy functions by complex arguments, without symbolic algebra.

A first derivative is the imaginary part of one evaluation with a tiny imaginary step (complex-step derivative, Squire
and Trapp 1998): there is no difference of nearly equal numbers, so it is exact to rounding. Derivatives in the velocity
of a Lagrangian that is quadratic in the velocity are exact as differences with any step. Higher derivatives along a
curve are Cauchy's integrals over a circle in the complex plane of the curve parameter.

The functions must be analytic and accept complex arrays: NumPy's `sin`, `sqrt`, `exp`, products, `@`. Not analytic are
`abs`, `conj`, `.real`, `np.linalg.norm`, `np.vdot`; `arctan2`, `hypot` and the `math` module refuse complex arguments.
All of these raise InputError here instead of giving a wrong derivative.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import LinAlgError, cho_factor, cho_solve

from gauss.arrays import Array, positive, scalar, vector
from gauss.errors import GaussError, InputError, MassMatrixError
from gauss.formulations._problem import EPS

ComplexArray = NDArray[np.complex128]
Lagrangian = Callable[[Any, Any, Any], Any]
Force = Callable[[Array, Array, float], Any]

_NEAR, _NEAR_POINTS = 1e-11, 8  # relative distance of points that tell the rounding of a function, and their number
_STEP = 1e-30  # its square is lost even beside coordinates of atomic size, and far from underflow
_CRUMB = 1e-12  # coordinates below this, relative to the largest, or all of them in their unit, are rounding
_DECAYED = 64.0 * EPS


class _UndefinedError(InputError):
    """A model function has no finite value at some complex argument."""


def _evaluate(function: Callable[..., Any], arguments: tuple[Any, ...], name: str) -> ComplexArray:
    """Return function(*arguments) as a finite complex vector; raise an InputError that names the function."""
    if not callable(function):
        raise InputError(f"{name} must be a function, got {type(function).__name__}.")
    try:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            # Writing a complex number into a real array drops the derivative; NumPy only warns of it.
            warnings.simplefilter("error", np.exceptions.ComplexWarning)
            value = np.asarray(function(*(x.copy() if isinstance(x, np.ndarray) else x for x in arguments)))
            result = np.atleast_1d(value.astype(complex))
    except GaussError:
        raise
    except ArithmeticError as error:
        raise _UndefinedError(f"{name} cannot be evaluated: {error}.") from error
    except (LookupError, AttributeError) as error:
        raise InputError(f"{name} cannot be evaluated: {type(error).__name__}: {error}.") from error
    except (TypeError, ValueError, np.exceptions.ComplexWarning) as error:
        raise InputError(
            f"{name} cannot be evaluated with complex arguments ({error}). Write it with NumPy functions that accept "
            "complex arrays (np.sin, not math.sin), and let arrays that it fills be complex."
        ) from error
    if result.ndim != 1:
        raise InputError(f"{name} returns an array of shape {result.shape}; a number or a vector is expected.")
    if not np.all(np.isfinite(result)):
        raise _UndefinedError(f"{name} is not finite at {', '.join(map(repr, arguments))}.")
    return result


def _number(function: Callable[..., Any], arguments: tuple[Any, ...], name: str) -> complex:
    """Return function(*arguments) as one complex number."""
    result = _evaluate(function, arguments, name)
    if result.size != 1:
        raise InputError(f"{name} returns {result.size} numbers; one number is expected.")
    return complex(result[0])


def _real_value(function: Callable[..., Any], arguments: tuple[Any, ...], name: str) -> Array:
    """Return function at real arguments, which must be real."""
    result = _evaluate(function, arguments, name)
    if np.any(result.imag != 0.0):
        raise InputError(f"{name} is complex at real arguments: {result}.")
    return np.array(result.real, dtype=float)


def _spread(x: Array) -> Array:
    """A direction (n,) with entries of the size of x's own, none of them zero and no two alike by accident."""
    largest = _size_of(x)
    sizes = np.where(np.abs(x) <= _CRUMB * largest, largest, np.abs(x))
    return np.asarray(sizes * (0.6 + 0.4 * np.cos(1.0 + 2.0 * np.arange(x.size))), dtype=float)


def _roughness(phi: Callable[[Any, Any], Any], q0: Array, time: float, value: Array, J: Array) -> Array:
    """Return the size (m,) of the terms whose rounding φ shows at points so near that only rounding bends it.

    Near a cusp, φ − sin φ, neither the values nor the derivatives tell how large the terms are that cancel.
    """
    rough = np.zeros(value.size)
    for k in range(_NEAR_POINTS):
        moved = q0 * (1.0 + _NEAR * np.cos(1.0 + 2.0 * k + np.arange(q0.size)))
        bent = _real_value(phi, (moved, time), "phi") - value - J @ (moved - q0)
        rough = np.maximum(rough, np.abs(bent) / EPS)
    return rough


def _curve_radius(x: Array, rate: Array) -> float:
    """A quarter of the time in which x changes by its own size (at most a quarter of a unit of time)."""
    return 0.25 / max(1.0, float(np.max(np.abs(rate), initial=0.0)) / _size_of(x))


def _size_of(x: Array) -> float:
    """The size of a position: its largest entry, or one unit where all entries are zero but for rounding."""
    largest = float(np.max(np.abs(x), initial=0.0))
    return largest if largest > _CRUMB else 1.0


def _circle(
    function: Callable[[complex], Any], radius: float, points: int, noise: Array | float, name: str
) -> tuple[bool, ComplexArray, float]:
    """Scaled coefficients c_k r^k (points, size), whether they have decayed to rounding, and the largest |value|."""
    angles = 2.0 * np.pi * np.arange(points) / points
    nodes = radius * np.exp(1j * angles)
    inner = 0.7 * np.exp(1j * np.pi / points)  # in units of the radius
    try:
        values = [_evaluate(function, (complex(z),), name) for z in [*nodes, radius * inner]]
    except _UndefinedError:
        return False, np.zeros((points, 1), dtype=complex), np.inf
    if len({value.size for value in values}) > 1:
        raise InputError(f"{name} returns vectors of different sizes.")
    table = np.array(values)
    sizes = np.max(np.abs(table), axis=0)  # (size,)
    largest = float(np.max(sizes, initial=0.0))
    coefficients = np.fft.fft(table[:-1], axis=0) / points
    allowed = np.maximum(_DECAYED * np.maximum(sizes, noise), 8.0 * EPS * largest)
    tail = np.max(np.abs(coefficients[3 * points // 4 :]), axis=0)
    # On the grid an order k + points looks like k, and |τ|² like a constant; a point inside the circle tells.
    missed = np.abs(inner ** np.arange(points) @ coefficients - table[-1])
    return bool(np.all(tail <= allowed) and np.all(missed <= 8.0 * allowed)), coefficients, largest


def _series(
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
    series = coefficients[: order + 1]
    if np.any(np.abs(series.imag) > 100.0 * EPS * (largest + floor)):
        raise InputError(f"{name} is not real at real arguments: its Taylor coefficients are complex.")
    powers = r ** -np.arange(order + 1, dtype=float)
    return np.asarray(series.real * powers[:, None], dtype=float)


def _require_analytic(function: Callable[[complex], Any], noise: Array | float, name: str) -> None:
    """Raise an InputError that names `function` unless it is analytic on some circle about 0."""
    _series(function, 1, 0.25, 0.25, 32, noise, name, shrinks=20)


def _require_analytic_at(function: Callable[..., Any], arguments: Sequence[Any], name: str) -> None:
    """Raise an InputError that names `function` unless it is analytic in its arguments together: arrays, and time."""
    sides = [_spread(x.ravel()).reshape(x.shape) if isinstance(x, np.ndarray) else 1.0 for x in arguments]
    size = float(np.max(np.abs(_evaluate(function, tuple(arguments), name)), initial=0.0))

    def aside(z: complex) -> ComplexArray:
        return _evaluate(function, tuple(x + z * y for x, y in zip(arguments, sides, strict=True)), name)

    _require_analytic(aside, size, name)


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
    k!·c_k. Cauchy's formula by the trapezoidal rule on the circle |τ| = r, that is one FFT of `points` values f_j:

        c_k = 1/(2πi) ∮ f(τ) τ^{-k-1} dτ ≈ r^{-k} (1/N) Σ_j f_j e^{-2πi jk/N}.

    Accuracy: absolute error of c_k about eps·max|f|/r^k for the largest |f| on the circle (the rule's own error,
    c_{k+N} r^N, is below that once the self-check has passed). The circle starts at `radius` (0.25 if not given) and is
    halved up to 12 times until the last quarter of the scaled coefficients and the polynomial's error at a point inside
    the circle are at rounding level; without a given radius it is doubled as long as that lowers the error.
    `noise` is the size that rounding errors relate to where values are small differences of larger numbers.

    Raises InputError if the coefficients never decay (the function, by `name`, is not analytic there), for a function
    that is not real on the real axis, and for an order above points/2.
    """
    return _series(function, order, radius, 0.25, points, scalar(noise, "noise"), name)


def quadratic_form_in_velocity(L: Lagrangian, q: object, t: float, *, step: object = 1.0) -> tuple[Array, Array, float]:
    """Return M (n, n), b (n,) and c with L(q, v, t) = ½ vᵀM v + bᵀv + c: exact but for rounding, for any step.

    q (n,), t one number, `step` (n,) or one number: the velocities used, best of the size of real ones. With
    p(w) = ∂L/∂v at v = w by complex steps, which never see the potential energy,

        M_ij = (p_i(h e_j) − p_i(−h e_j)) / 2h,    b = p(0),    c = L(q, 0, t).

    Raises InputError if L is not at most quadratic in v (tried at one velocity with all components), or L cannot be
    evaluated with complex arguments. A Lagrangian that is not quadratic (relativistic) has no mass matrix of this kind.
    """
    q0, time = _vector_of(q, "q"), scalar(t, "t")
    n = q0.size
    h = vector(np.broadcast_to(np.asarray(step, dtype=float), (n,)), n, "step")
    for size in h:
        positive(size, "step")
    unit = np.eye(n)

    def momentum(w: Array) -> Array:
        return np.array([_number(L, (q0, w + 1j * _STEP * unit[i], time), "L").imag / _STEP for i in range(n)])

    columns = [(momentum(h[j] * unit[j]) - momentum(-h[j] * unit[j])) / (2.0 * h[j]) for j in range(n)]
    mass = np.array(columns).T
    skew, size = float(np.max(np.abs(mass - mass.T) * np.outer(h, h))), float(np.max(np.abs(mass) * np.outer(h, h)))
    M = 0.5 * (mass + mass.T)
    b = momentum(np.zeros(n))
    c = float(_real_value(L, (q0, np.zeros(n), time), "L")[0])
    w = h * (0.7 + 0.5 * np.cos(1.0 + 3.0 * np.arange(n)))
    found = float(_real_value(L, (q0, w, time), "L")[0])
    terms = float(np.abs(w) @ np.abs(M) @ np.abs(w) + np.abs(b) @ np.abs(w) + abs(c) + abs(found))
    gap = abs(found - (0.5 * float(w @ M @ w) + float(b @ w) + c))
    if gap > 1e-9 * terms or skew > 1e-9 * (size + float(np.max(np.abs(b) * h))):
        raise InputError(
            f"L is not a quadratic polynomial in the velocity: at v = {w} it differs by {gap:.3g} from the quadratic "
            "form found at velocities along the axes."
        )
    return M, b, c


def _vector_of(value: object, what: str) -> Array:
    """Return a finite float vector of any size above 0."""
    array = vector(value, np.size(np.asarray(value)), what)
    if array.size == 0:
        raise InputError(f"{what} is empty; at least one coordinate is expected.")
    return array


def _force(force: Force | object | None, q: Array, v: Array, t: float) -> Array:
    """The generalized force Q (n,), given as a function of (q, v, t), as numbers, or not at all."""
    if force is None:
        return np.zeros(q.size)
    if not callable(force):
        return vector(force, q.size, "force")
    try:
        value = force(q.copy(), v.copy(), t)
    except Exception as error:
        raise InputError(f"force cannot be evaluated: {type(error).__name__}: {error}.") from error
    return vector(value, q.size, "force")


def euler_lagrange(
    L: Lagrangian, q: object, v: object, t: float, force: Force | object | None = None
) -> tuple[Array, Array]:
    """Return M (n, n) and f (n,) of Lagrange's equations of the second kind, M a = f, without symbolic algebra.

    L(q, v, t) takes arrays q (n,), v (n,) and t, any of them complex, and returns one number (energy), at most
    quadratic in v. `force` (n,) or force(q, v, t) → (n,) is Q. From d/dt ∂L/∂v − ∂L/∂q = Q (Lagrange):

        M = ∂²L/∂v∂v,    f = ∂L/∂q − (∂²L/∂v∂q) v − ∂²L/∂v∂t + Q.

    ∂L/∂q by complex steps. The two middle terms together are ∂g/∂v at fixed direction, with
    g(w) = Im L(q + iεv, w, t + iε)/ε, quadratic in w, so central differences in w are exact; their step is chosen to
    make kinetic and potential energy alike in size, where cancellation is least. Measured on the double pendulum:
    relative error below 1e-13 in M and f.

    Where this is not Gauss's principle: coordinates are minimal, so constraints beyond them are not seen (add rows to
    M and f); at a singularity of the coordinates M is singular although the system is regular.

    Raises InputError for an L that is not finite, not analytic, not quadratic in v or not one real number.
    """
    q0 = _vector_of(q, "q")
    v0, time = vector(v, q0.size, "v"), scalar(t, "t")
    unit = np.eye(q0.size)
    energy = abs(float(_real_value(L, (q0, v0, time), "L")[0]))
    speed = max(1.0, float(np.max(np.abs(v0))))
    direction_q, direction_v = _spread(q0), _spread(v0)
    _require_analytic(lambda z: [_number(L, (q0 + z * direction_q, v0 + z * direction_v, time + z), "L")], energy, "L")

    M, b, c = quadratic_form_in_velocity(L, q0, time, step=speed)
    energy = max(abs(c), 0.5 * abs(float(v0 @ M @ v0)), abs(float(b @ v0)))
    inertia = np.diag(M)
    heavy = inertia > 1e-12 * float(np.max(np.abs(M)))
    balanced = np.sqrt(energy / np.where(heavy, inertia, 1.0))
    h = np.where(heavy & (balanced > 0.0), balanced, speed)
    M, _, _ = quadratic_form_in_velocity(L, q0, time, step=h)

    def along_motion(w: Array) -> float:
        return _number(L, (q0 + 1j * _STEP * v0, w, time + 1j * _STEP), "L").imag / _STEP

    gradient = np.array([_number(L, (q0 + 1j * _STEP * e, v0, time), "L").imag / _STEP for e in unit])
    transport = np.array(
        [
            (along_motion(v0 + h_i * e) - along_motion(v0 - h_i * e)) / ((v0 + h_i * e) - (v0 - h_i * e)).sum()
            for h_i, e in zip(h, unit)
        ]
    )
    return M, gradient - transport + _force(force, q0, v0, time)


def minimal_acceleration(
    L: Lagrangian, s: object, s_dot: object, t: float, force: Force | object | None = None
) -> Array:
    """Return s̈ (k,) = M⁻¹ f of a system in minimal coordinates s (k,) by Lagrange's equations of the second kind.

    Arguments as in `euler_lagrange`. Together with `chart_acceleration` this is a witness in other coordinates. Not
    equivalent to Gauss's principle where the chart is singular (a pole of spherical coordinates): M is singular there.

    Raises InputError as `euler_lagrange`, and MassMatrixError if M is not positive definite at s.
    """
    M, f = euler_lagrange(L, s, s_dot, t, force)
    diagonal = np.diag(M)
    scales = 1.0 / np.sqrt(np.where(diagonal > 0.0, diagonal, 1.0))
    try:
        factor = cho_factor(scales[:, None] * M * scales)
    except LinAlgError:
        factor = None
    if factor is None or np.min(np.diag(factor[0])) ** 2 <= 4.0 * f.size * EPS:
        raise MassMatrixError(
            f"The mass matrix in minimal coordinates is not positive definite at s = {np.asarray(s)}: a singular point "
            "of the chart, or a coordinate without inertia."
        )
    return np.asarray(scales * cho_solve(factor, scales * f), dtype=float)


def chart_acceleration(
    chart: Callable[[Any, Any], Any],
    s: object,
    s_dot: object,
    s_ddot: object,
    t: float,
    *,
    radius: float | None = None,
) -> tuple[Array, Array, Array]:
    """Return q, q̇ and q̈, each (n,), of q = chart(s, t) on the curve s(τ) = s + ṡ τ + ½ s̈ τ² at time t + τ.

    chart(s, t) takes s (k,) and t, both possibly complex, and returns q (n,). q̈ = 2 c_2 of `taylor_along`, with its
    accuracy; `radius` in units of time overrides the first circle. Two curves with the same s, ṡ, s̈ have the same q, q̇,
    q̈ (chain rule), so the curve need not be the motion.

    Raises InputError if chart is not analytic near s, or is not finite and real there.
    """
    s0 = _vector_of(s, "s")
    s1, s2 = vector(s_dot, s0.size, "s_dot"), vector(s_ddot, s0.size, "s_ddot")
    time = scalar(t, "t")
    start = min(_curve_radius(s0, s1), _curve_radius(s0, np.sqrt(np.abs(s2))))
    series = _series(lambda z: chart(s0 + s1 * z + 0.5 * s2 * z**2, time + z), 2, radius, start, 32, 0.0, "the chart")
    return _real_value(chart, (s0, time), "the chart"), series[1], 2.0 * series[2]


def holonomic_rows(
    phi: Callable[[Any, Any], Any], q: object, v: object, t: float, *, radius: float | None = None
) -> tuple[Array, Array]:
    """Return J (m, n) and γ (m,) with J a = γ from φ(q, t) = 0 differentiated twice in time.

    phi(q, t) takes q (n,) and t, both possibly complex, and returns m numbers. J = ∂φ/∂q by complex steps, and γ is
    minus the second derivative along the curve without acceleration,

        γ = −d²/dτ² φ(q + v τ, t + τ) at τ = 0 = −(φ_qq[v, v] + 2 φ_qt v + φ_tt) = −2 c_2 of `taylor_along`.

    The state need not satisfy φ = 0. `radius` in units of time overrides the first circle. At a singular position the
    rows are right but not all: conditions of higher order are not among them.

    Raises InputError if phi is not analytic near (q, t), or is not finite and real there.
    """
    q0 = _vector_of(q, "q")
    v0, time = vector(v, q0.size, "v"), scalar(t, "t")
    value = _real_value(phi, (q0, time), "phi")
    columns = [_evaluate(phi, (q0 + 1j * _STEP * e, time), "phi").imag / _STEP for e in np.eye(q0.size)]
    J = np.array(columns).T
    # On the constraint set φ itself is small; its rounding errors are those of terms of the size of J q.
    noise = np.abs(value) + np.abs(J) @ (np.abs(q0) + _curve_radius(q0, v0) * np.abs(v0))
    noise = np.maximum(noise, _roughness(phi, q0, time, value, J))
    direction = _spread(q0)
    _require_analytic(lambda z: phi(q0 + z * direction, time + z), noise, "phi")
    series = _series(
        lambda z: phi(q0 + v0 * z, time + z), 2, radius, _curve_radius(q0, v0), 32, noise, "phi along the motion"
    )
    return J, -2.0 * series[2]


def velocity_rows(psi: Callable[[Any, Any, Any], Any], q: object, v: object, t: float) -> tuple[Array, Array]:
    """Return J (m, n) and γ (m,) with J a = γ from ψ(q, v, t) = 0 differentiated once in time.

    psi(q, v, t) takes q (n,), v (n,) and t, all possibly complex, and returns m numbers; it need not be linear in v.

        J = ∂ψ/∂v,    γ = −d/dτ ψ(q + v τ, v, t + τ) at τ = 0 = −(ψ_q v + ψ_t),

    both by complex steps, so exact to rounding. The state need not satisfy ψ = 0. For ψ linear in v these are the rows
    of d'Alembert's principle too; for others, reactions along ∂ψ/∂v (Chetaev's rule) are what Gauss's principle gives.

    Raises InputError if psi is not analytic near (q, v, t), or is not finite and real there.
    """
    q0 = _vector_of(q, "q")
    v0, time = vector(v, q0.size, "v"), scalar(t, "t")
    value = _real_value(psi, (q0, v0, time), "psi")
    columns = [_evaluate(psi, (q0, v0 + 1j * _STEP * e, time), "psi").imag / _STEP for e in np.eye(q0.size)]
    J = np.array(columns).T
    noise = np.abs(value) + np.abs(J) @ np.abs(v0)
    direction_q, direction_v = _spread(q0), _spread(v0)
    _require_analytic(lambda z: psi(q0 + z * direction_q, v0 + z * direction_v, time + z), noise, "psi")
    drift = _evaluate(psi, (q0 + 1j * _STEP * v0, v0, time + 1j * _STEP), "psi").imag / _STEP
    return J, -drift
