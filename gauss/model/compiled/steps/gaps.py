"""What is watched of gaps, in one compiled call: at a state, at the end of a step, or at several places along it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import casadi as ca

from gauss.foundation.arrays import Array
from gauss.model.compiled.buffer import Buffered, dense_function
from gauss.model.compiled.derivatives.noise import noise_function
from gauss.model.compiled.steps.fused import FusedStep

SHORT = 500  # instructions of an acceleration up to which it stands in these functions; longer ones are called


class Gaps(NamedTuple):
    """The gaps of k unilateral rows at a state, with what says how large they are."""

    gap: Array  # (k,)
    rate: Array  # (k,)
    terms: Array  # (k,) |φ| + Σ|J_j q_j|, the sizes that a gap is the sum of
    length: Array  # (k,) of its row
    noise: Array  # (k,) of the gap


class GapsAt:
    """(q, v, t, theta) → `Gaps` of the given rows."""

    def __init__(self, trace: Any, arguments: Sequence[ca.SX], rows: Sequence[int]):
        J, _, phi, psi = trace.rows(rows)
        terms, length = ca.fabs(phi) + ca.fabs(J) @ ca.fabs(trace.symbols.q), ca.sqrt(ca.sum2(J * J))
        self._call = Buffered(dense_function("gaps", list(arguments), [phi, psi, terms, length]))
        self._noise = noise_function("noise_of_gaps", list(arguments), [phi])

    def __call__(self, q: Array, v: Array, t: float, theta: Array) -> Gaps:
        """Return the gaps at a state."""
        return Gaps(*self._call(q, v, t, theta), *self._noise(q, v, t, theta))


class GapsBehind:
    """The position and velocity residuals of all rows behind a step."""

    def __init__(self, step: FusedStep, residuals: ca.Function):
        kind = _kind(step)
        inputs = [kind.sym(f"i{k}", *step.function.size_in(k)) for k in range(step.function.n_in())]
        following, _, noise = step.function(*inputs)
        phi, psi = residuals(*_place(following, step.n), inputs[2])
        self._call = Buffered(ca.Function("behind", inputs, [ca.densify(phi), ca.densify(psi), noise]))

    def __call__(self, x: Array, h: float, theta: Array, weight: float, atol: Array, rtol: float) -> list[Array]:
        """Return φ (m,), ψ (m,) and the noise (1,) of a step h (s) from a state x (2n+1,), as `FusedStep` takes it."""
        return self._call(x, h, theta, weight, atol, rtol)


class GapsAlong:
    """The same at both ends of a step and at shares between them, where the state is interpolated; and the forces.

    The interpolation is by coefficients `position` (l, 6) of (q₀, v₀h, a₀h², q₁, v₁h, a₁h²) and `velocity` (l, 6).
    """

    def __init__(self, step: FusedStep, residuals: ca.Function, inner: Array, position: Array, velocity: Array):
        n, looks, acceleration = step.n, len(inner) + 2, step.pieces.acceleration
        kind = _kind(step)
        x, y, a, h = kind.sym("x", 2 * n + 1), kind.sym("y", 2 * n + 1), kind.sym("a", n), kind.sym("h")
        theta, w = kind.sym("theta", step.pieces.constants), kind.sym("w")
        (q0, v0, t0), (q1, v1, t1) = _place(x, n), _place(y, n)
        last = acceleration(q1, v1, t1, theta, w)[0]
        known = ca.horzcat(q0, v0 * h, a * h * h, q1, v1 * h, last * h * h)
        q = [q0, *ca.horzsplit(known @ ca.DM(position.T)), q1]
        v = [v0, *ca.horzsplit(known @ ca.DM(velocity.T) / h), v1]
        t = [t0, *(t0 + h * share for share in inner.tolist()), t1]
        found = [residuals(q[k], v[k], t[k], theta) for k in range(looks)]
        forces = [acceleration(q[k], v[k], t[k], theta, w)[1] for k in range(looks)] if step.rows else []
        outputs = [ca.horzcat(*(phi for phi, _ in found)), ca.horzcat(*(psi for _, psi in found))]
        outputs.append(ca.horzcat(*forces) if forces else kind(0, looks))
        self._call = Buffered(ca.Function("along", [x, y, a, h, theta, w], [ca.densify(each) for each in outputs]))

    def __call__(
        self, x: Array, y: Array, a: Array, h: float, theta: Array, weight: float
    ) -> tuple[Array, Array, Array]:
        """Return φ (l + 2, m), ψ (l + 2, m) and λ (l + 2, k) along a step h (s) from x to y with a (n,) at x."""
        phi, psi, forces = self._call(x, y, a, h, theta, weight)
        return phi.T, psi.T, forces.T


def _kind(step: FusedStep) -> Any:
    return ca.SX if step.pieces.acceleration.n_instructions() <= SHORT else ca.MX


def _place(x: ca.SX, n: int) -> tuple[ca.SX, ca.SX, ca.SX]:
    """Return q, v and t of a state (2n+1,)."""
    return x[1 : n + 1], x[n + 1 :], x[0]
