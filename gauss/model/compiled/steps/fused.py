"""Fused steps: a whole Runge-Kutta step with its projections and certificate numbers in one compiled call.

A step holds a set of active rows fixed and solves the Karush-Kuhn-Tucker system of Gauss's principle on it at each
stage. Nothing here decides anything: pivots, multipliers and residuals come back as numbers, and `gauss.motion`
refuses a step whose numbers do not certify it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import IntEnum
from functools import cached_property, reduce
from typing import TYPE_CHECKING, Any

import casadi as ca
import numpy as np

from gauss.foundation.tolerances import NEVER
from gauss.model.compiled.buffer import Buffered, dense_function
from gauss.model.compiled.native import native
from gauss.model.compiled.steps.kkt import KKT, Form, Oblique, Schur, distance, kkt_of, refined, refinement
from gauss.model.compiled.steps.pins import pin_loads
from gauss.numerics.runge_kutta import Tableau

if TYPE_CHECKING:
    from gauss.model.compiled.trace import Trace

INLINE_LIMIT = 4000  # instructions of one acceleration; longer ones are called, not inlined, to keep tracing short
STAGED = 100  # the same in a step, as sums of whole vectors then cost less than those written out
LEAP = 100.0  # tolerances that a step may leave the constraints by before its projection, where they depend on time
OVER = 4.0  # times the noise of a step its error estimate may be; noise of one size in all stages makes it twice that
FORGIVEN = 1e-9  # share of the largest acceleration up to which noise excuses an error estimate
Slips = tuple[int | tuple[int, int] | None, ...]  # load, slip row and perhaps a second one (see `Pieces`)


class StepScalar(IntEnum):
    """Where the numbers behind a and λ are in the record of a step, counted from its end."""

    START_PIVOT = -9
    ZWANG = -8
    PRIMAL = -7
    STATIONARITY = -6
    PIVOT = -5  # the smallest of all stages
    SMALLEST = -4  # multiplier of a unilateral row, of all stages
    OFF_POSITION = -3
    OFF_VELOCITY = -2
    ERROR = -1


OFF_PLACES = [StepScalar.OFF_POSITION, StepScalar.OFF_VELOCITY]


class StepFunctions:
    """The functions a step is made of, for one set of active rows.

    Inputs are (q, v, t, theta, w), and with `forced` a force (n,) that was not traced. `slides` are pairs of a normal
    row (or None) and a slip row whose friction force is −c p (or −c); the coefficients c are the last of theta. Of a
    dry pin two rows are in the place of the normal row, and its torque is −c |λ|. In space a third entry is the second
    slip row, and two numbers follow c (see `_friction`). Zwang and stationarity count friction as applied. Each
    acceleration is refined in `sweeps`.
    """

    def __init__(
        self,
        trace: Trace,
        arguments: list[ca.SX],
        rows: tuple[int, ...],
        augmented: bool,
        form: Form = "schur",
        forced: bool = False,
        slides: tuple[Slips, ...] = (),
        sweeps: int = 0,
    ):
        n, k = arguments[0].numel(), len(rows)
        self.n, self.constants, self.rows = n, arguments[3].numel(), rows
        w, extra = ca.SX.sym("w"), ca.SX.sym("extra", n)
        f = trace.f + extra if forced else trace.f
        rubbing = _friction(trace, arguments[3], slides)
        loaded = [(c, rows.index(normal), along) for c, normal, along in rubbing if isinstance(normal, int)]
        pins = [(c, [rows.index(k) for k in pair], along) for c, pair, along in rubbing if isinstance(pair, tuple)]
        f = f - sum((c * along.T for c, normal, along in rubbing if normal is None), ca.SX.zeros(n, 1))
        weight = w if augmented else None
        J, gamma, phi, psi = trace.rows(rows)
        kkt = kkt_of(form, trace.M, f, J, gamma, weight)
        system, pivots = _with_friction(kkt, loaded)
        a, multipliers = refined(system, system.F, gamma, sweeps)
        if pins:
            a, multipliers, pivot = _with_pins(system, pins, a, multipliers, sweeps)
            pivots = [ca.fmin(each, pivot) for each in pivots]
        unilateral = [i for i, row in enumerate(rows) if trace.kinds[row] == "unilateral"]
        smallest = ca.mmin(multipliers[unilateral]) if unilateral else ca.SX(NEVER)
        inputs = [*arguments, w, extra] if forced else [*arguments, w]
        outputs = [a, multipliers, pivots[0], smallest, pivots[1]]
        self.acceleration = dense_function("acceleration", inputs, outputs)
        _, _, *rest = inputs
        y = ca.SX.sym("y", 2 * n)
        rates, *numbers = self.acceleration(y[:n], y[n:], *rest)
        self.slope = ca.Function("slope", [y, *rest], [ca.vertcat(y[n:], rates), *numbers])

        positional = [i for i, row in enumerate(rows) if trace.kinds[row] in ("holonomic", "unilateral")]
        place = kkt
        if positional and len(positional) < k:
            place = (
                kkt.restricted(positional)
                if augmented
                else kkt_of(form, trace.M, f, J[positional, :], gamma[positional], None)
            )
        heaviest = ca.sqrt(ca.mmax(ca.densify(ca.diag(trace.M))))
        self.place = _projection("place", inputs, 0, phi[positional], place, heaviest, sweeps=2)
        self.slow = _projection("slow", inputs, 1, psi, kkt, heaviest, sweeps=1 if trace.linear_velocity else 2)

        self.leap = _leap(inputs, arguments, trace, phi[positional], psi, place, kkt) if trace.rheonomic and k else None

        a_in, l_in = ca.SX.sym("a", n), ca.SX.sym("l", k)
        reaction = kkt.J.T @ l_in if k else ca.SX.zeros(n, 1)
        torques = sum((c * ca.norm_2(l_in[pair]) * along.T for c, pair, along in pins), ca.SX.zeros(n, 1))
        applied = f - sum((c * l_in[i] * along.T for c, i, along in loaded), ca.SX.zeros(n, 1)) - torques
        stationarity = kkt.M @ a_in - applied - reaction
        zwang = ca.bilin(kkt.M, a_in, a_in) / 2 - ca.dot(applied, a_in) if augmented else kkt.squared(reaction) / 2
        dual = ca.sqrt(ca.fmax(kkt.squared(stationarity), 0.0))
        noise, _ = refinement(system, system.F - torques, gamma, a_in, l_in)
        outputs = [zwang, distance(kkt, kkt.J @ a_in - gamma), dual, noise]
        self.certificate = dense_function("certificate", [*inputs, a_in, l_in], outputs, often=False)
        self._seen = inputs, [pivots[1], J]

    @property
    def kind(self) -> Any:
        """The symbols that looks at states are written with: `SX` where the acceleration is short enough for them."""
        return ca.SX if self.acceleration.n_instructions() <= INLINE_LIMIT else ca.MX

    @cached_property
    def look(self) -> ca.Function:
        """(q, v, t, theta, w) → the pivot of the rows, as `acceleration` has it, and the rows (k, n)."""
        return dense_function("look", *self._seen)

    @cached_property
    def pivot(self) -> ca.Function:
        """The same without the rows, which cost far more where they are many."""
        inputs, (pivot, _) = self._seen
        return dense_function("pivot", inputs, [pivot])


def misfits(a: Any, zwang: Any, *residuals: Any) -> Any:
    """Return residuals of a certificate relative to what they are judged by, in symbols (see `step_certificate`)."""
    return ca.vertcat(*residuals) / (1.0 + ca.sqrt(ca.fabs(zwang)) + ca.norm_2(a))


def offsets(q: Any, v: Any, off_position: Any, off_velocity: Any) -> Any:
    """Return distances off the constraints relative to what they are judged by, in symbols."""
    return ca.vertcat(off_position / (1.0 + ca.norm_2(q)), off_velocity / (1.0 + ca.norm_2(v)))


def _with_friction(kkt: KKT, loaded: list[tuple[ca.SX, int, ca.SX]]) -> tuple[KKT | Oblique, list[ca.SX]]:
    """Return the system with friction −c λ_i along rows, its smallest pivot and the smallest of its rows."""
    if not loaded:
        return kkt, [kkt.pivot(), kkt.row_pivot()]
    assert isinstance(kkt, Schur)
    G = ca.densify(kkt.J)
    for c, i, along in loaded:
        G[i, :] = G[i, :] - c * along
    system = Oblique.of(kkt, G)
    return system, [ca.fmin(kkt.pivot(), system.row_pivot()), system.row_pivot()]


def _with_pins(
    system: KKT | Oblique,
    pins: list[tuple[ca.SX, list[int], ca.SX]],
    a: ca.SX,
    multipliers: ca.SX,
    sweeps: int,
) -> tuple[ca.SX, ca.SX, ca.SX]:
    """Return acceleration and multipliers with the torques of dry pins added, and the pivot of `pin_loads`."""
    still, turned = ca.SX.zeros(multipliers.numel()), []
    for c, _, along in pins:
        moved, loads = refined(system, ca.densify(along.T), still, sweeps)
        turned.append((-c * moved, -c * loads))
    u = ca.horzcat(*(multipliers[pair] for _, pair, _ in pins))
    U = ca.vertcat(*(ca.horzcat(*(each[pair] for _, each in turned)) for _, pair, _ in pins))
    y, pivot = pin_loads(len(pins))(u, U)
    for k, (moved, loads) in enumerate(turned):
        a, multipliers = a + y[k] * moved, multipliers + y[k] * loads
    return a, multipliers, pivot


def _friction(
    trace: Trace, theta: ca.SX, slides: tuple[Slips, ...]
) -> list[tuple[ca.SX, int | tuple[int, int] | None, ca.SX]]:
    """Return of each sliding contact c, its load (a row, two of a pin) and the row (1, n) along which it acts.

    In space that is (w₁T₁ + w₂T₂)/|w| with w = ±s |s|⁴/|e|⁴ + e: s is the slip velocity, e the small one that follows c
    in theta, and the sign that of s·e (see `gauss.motion.steps.setting.Slide`).
    """
    place = theta.numel() - sum(1 if len(slide) == 2 else 3 for slide in slides)
    found = []
    for normal, *slips in slides:
        along = trace.J[slips[0], :]
        if len(slips) == 2:
            s, e = trace.psi[slips], theta[place + 1 : place + 3]
            w = ca.if_else(ca.dot(s, e) < 0.0, -s, s) * (ca.dot(s, s) / ca.dot(e, e)) ** 2 + e
            along = (w[0] * along + w[1] * trace.J[slips[1], :]) / ca.sqrt(ca.dot(w, w))
        found.append((theta[place], normal, along))
        place += 1 if len(slips) == 1 else 3
    return found


@dataclass(frozen=True)
class Stages:
    """The pieces of a step as functions of arrays, for stages with forces that are not traced.

    Input (q, v, t, theta, w, extra), where extra (n,) is such a force.
    """

    acceleration: Buffered  # → a, λ, pivot, smallest λ of the active unilateral rows, pivot of the rows
    place: Buffered  # → q projected onto the position constraints, distance left over the root of the largest mass
    slow: Buffered  # → v projected onto the velocity constraints, the same
    certificate: Buffered  # with a, λ after the input → Zwang, primal and stationarity residual, noise (n,) of a

    @staticmethod
    def build(
        trace: Trace, arguments: list[ca.SX], rows: tuple[int, ...], augmented: bool, sweeps: int, form: Form = "schur"
    ) -> Stages:
        """Compile the pieces."""
        p = StepFunctions(trace, arguments, rows, augmented, form, forced=True, sweeps=sweeps)
        return Stages(Buffered(p.acceleration), Buffered(p.place), Buffered(p.slow), Buffered(p.certificate))


def _projection(
    name: str, inputs: list[ca.SX], place: int, residual: ca.SX, kkt: KKT, heaviest: ca.SX, sweeps: int
) -> ca.Function:
    """Newton's projection of input `place` with one factorisation: its corrected value and the distance left.

    That is the distance in the metric over the root of the largest mass, so that the unit of mass is none of its own.
    """
    if residual.numel() == 0:
        return dense_function(name, inputs, [inputs[place], ca.SX(0.0)])
    evaluate = ca.Function("residual", inputs, [residual])
    value = inputs[place]
    for _ in range(sweeps):
        value = value + kkt.correct(evaluate(*inputs[:place], value, *inputs[place + 1 :]))
    left = distance(kkt, evaluate(*inputs[:place], value, *inputs[place + 1 :])) / heaviest
    return dense_function(name, inputs, [value, left], often=False)


def _leap(
    inputs: list[ca.SX], arguments: list[ca.SX], trace: Trace, phi: ca.SX, psi: ca.SX, place: KKT, kkt: KKT
) -> ca.Function:
    """Return by how much of the tolerance (and of `LEAP`) a step changes the residuals before its projection.

    The rows are those of its start; further inputs are q, v, t of its end and the tolerances of both, which the metric
    turns into distances. Where a constraint's function of time jumps, this is large for steps of any length.
    """
    n = arguments[0].numel()
    q1, v1, t1 = ca.SX.sym("q1", n), ca.SX.sym("v1", n), ca.SX.sym("t1")
    near, slow = ca.SX.sym("near", n), ca.SX.sym("slow", n)
    shares = []
    for residual, system, allowed in ((phi, place, near), (psi, kkt, slow)):
        evaluate = ca.Function("residual", arguments, [residual])
        change = evaluate(q1, v1, t1, arguments[3]) - residual
        shares.append(distance(system, change) / ca.sqrt(ca.bilin(trace.M, allowed, allowed)))
    return dense_function("leap", [*inputs, q1, v1, t1, near, slow], [ca.fmax(*shares) / LEAP])


@dataclass(frozen=True)
class FusedStep:
    """One compiled Runge-Kutta step on a fixed set of k active rows.

    Input: x = (t, q, v), the step h, parameters theta, the weight w, absolute tolerances (2n,) and rtol.
    Output: the next x, projected, and a record of the state x that the step starts from, laid out as
    (a (n,), λ (k,), smallest pivot of the rows at x, Zwang, primal residual, stationarity residual, smallest pivot of
    rows and masses at all stages, smallest λ of the active unilateral rows at all stages, distance off the positions,
    distance off the velocities, scaled error).

    A further output is the noise of the acceleration at x, what one more sweep of refinement would change in it, as
    changes of the velocities in a second relative to their tolerance. The error estimate is not asked to see less.
    """

    function: ca.Function
    pieces: StepFunctions

    @staticmethod
    def build(pieces: StepFunctions, tableau: Tableau, project: bool = True) -> FusedStep:
        """Compile the step; ``project=False`` leaves out projection, certificate and record, for comparison."""
        n = pieces.n
        kind = ca.SX if pieces.acceleration.n_instructions() <= STAGED else ca.MX
        x, h, w = kind.sym("x", 2 * n + 1), kind.sym("h"), kind.sym("w")
        theta, atol, rtol = kind.sym("theta", pieces.constants), kind.sym("atol", 2 * n), kind.sym("rtol")
        t, y = x[0], x[1:]
        slopes: list[Any] = []
        numbers: list[Any] = []
        for row, c in zip(tableau.A, tableau.c, strict=True):
            change = sum((weight * k for weight, k in zip(row, slopes, strict=False) if weight), kind.zeros(2 * n))
            slope, *others = pieces.slope(y + h * change, t + c * h, theta, w)
            slopes.append(slope)
            numbers.append(others)
        y1 = y + h * sum(b * k for b, k in zip(tableau.b, slopes, strict=True) if b)
        inputs = [x, h, theta, w, atol, rtol]
        if not project:
            return FusedStep(ca.Function("bare", inputs, [ca.vertcat(t + h, y1)]), pieces)
        (q, v), (q1, v1) = (ca.vertsplit(both, [0, n, 2 * n]) for both in (y, y1))
        a, (multipliers, *_, row_pivot) = slopes[0][n:], numbers[0]
        certificate = pieces.certificate(q, v, t, theta, w, a, multipliers)
        scale = atol + rtol * ca.fmax(ca.fabs(y), ca.fabs(y1))
        noise = ca.fabs(certificate[3])
        forgiven = ca.fabs(h) * ca.fmin(noise, FORGIVEN * ca.mmax(ca.fabs(a)))
        uncertain = ca.vertcat(ca.fabs(h) * forgiven, forgiven)
        error = _error_norm(kind, tableau, h, scale + OVER * uncertain, slopes)
        if pieces.leap is not None and tableau.adaptive:
            error = ca.fmax(error, pieces.leap(q, v, t, theta, w, q1, v1, t + h, scale[:n], scale[n:]))
        q1, off_position = pieces.place(q1, v1, t + h, theta, w)
        v1, off_velocity = pieces.slow(q1, v1, t + h, theta, w)
        pivot, smallest = (reduce(ca.fmin, [each[k] for each in numbers]) for k in (1, 2))
        record = ca.vertcat(
            a, multipliers, row_pivot, *certificate[:3], pivot, smallest, off_position, off_velocity, error
        )
        outputs = [ca.densify(ca.vertcat(t + h, q1, v1)), ca.densify(record), ca.mmax(noise / scale[n:])]
        function = ca.Function("step", inputs, outputs)
        return FusedStep(function, pieces)

    @property
    def n(self) -> int:
        """Number of coordinates."""
        return int(self.pieces.n)

    @property
    def rows(self) -> tuple[int, ...]:
        """The indices (k,) of the active rows."""
        return self.pieces.rows

    @property
    def width(self) -> int:
        """Length of the record."""
        return self.n + len(self.rows) + len(StepScalar)

    def native(self, compiler: str) -> FusedStep:
        """Return the step as machine code. Raises InputError where the C compiler is not there, or fails."""
        made: FusedStep = self.once(
            ("native", compiler), lambda: replace(self, function=native(self.function, compiler))
        )
        return made

    @cached_property
    def call(self) -> Buffered:
        """The step as a function of arrays."""
        return Buffered(self.function)

    @cached_property
    def accelerate(self) -> Buffered:
        """(q, v, t, theta, w) → (a, λ, pivot, smallest λ of the active unilateral rows, pivot of the rows)."""
        return Buffered(self.pieces.acceleration)

    def once(self, key: object, build: Callable[[], Any]) -> Any:
        """Return what `build` makes of this step, and keep it by its key."""
        if key not in self.made:
            self.made[key] = build()
        return self.made[key]

    @cached_property
    def made(self) -> dict[object, Any]:
        """What has been made of this step, by its key."""
        return {}

    def marching(self, count: int) -> Buffered:
        """Return `count` consecutive steps as one call: x after each step (2n+1, count), records (width, count).

        Every input but x then takes `count` columns.
        """
        march: Buffered = self.once(("march", count), lambda: Buffered(self.function.mapaccum("march", count)))
        return march


def _error_norm(kind: Any, tableau: Tableau, h: Any, scale: Any, slopes: list[Any]) -> Any:
    """Return the scaled error of the 8(5,3) pair (Hairer, Nørsett, Wanner I, §II.10); accepted below 1."""
    if not tableau.adaptive:
        return kind(0.0)
    e5, e3 = (
        sum(e * k for e, k in zip(weights, slopes, strict=True) if e) / scale for weights in (tableau.e5, tableau.e3)
    )
    n5, n3 = ca.dot(e5, e5), ca.dot(e3, e3)
    tiny = np.finfo(float).tiny
    return ca.fabs(h) * n5 / ca.sqrt((n5 + 0.01 * n3) * scale.numel() + tiny)
