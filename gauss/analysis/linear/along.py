"""Linearisation about a motion: A(t) along it, and how disturbances have grown at its end."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import scipy

from gauss.analysis.linear.linearize import Linearization, assembled
from gauss.analysis.linear.steady import Steady
from gauss.analysis.linear.tangent import StateDerivatives, require_derivatives
from gauss.errors import InputError, SolverError
from gauss.foundation.arrays import Array, as_array, positive, vector
from gauss.foundation.calls import advised
from gauss.model import System
from gauss.motion import Trajectory, consistent, require_run

FINEST = 1e-13  # least relative tolerance that the integrator keeps


@advised
def linearize_along(
    run: Trajectory,
    times: object,
    *,
    states: str | Sequence[str] | None = None,
    outputs: str | Sequence[str] | None = None,
) -> list[Linearization]:
    """Return the linear equations of disturbances about a motion, one for each time, in one set of states.

    Disturbances obey ξ̇ = A(t) ξ + B(t) δu, where ξ are the same components of δx at all times; time may occur in the
    model. Under a feedback control u is what it was, and δu is added to it. The states are chosen at the first time, if
    left out. Eigenvalues of A(t) at single times do not decide the stability of the motion: see `transition`.

    Raises InputError for times outside of the run and where the states do not describe all disturbances at some time,
    and what `linearize` raises.

    >>> import gauss as g
    >>> pendulum = g.System("pendulum", "phi", mass_matrix=[[1]], potential_energy=lambda q: -9.81 * g.cos(q.phi))
    >>> run = g.simulate(pendulum, [0.0], [1.0], t_end=0.1)
    >>> found = g.analysis.linearize_along(run, [0.0, 0.1])
    >>> [one.A[1, 0].round(4).item() for one in found]  # 1/s²: −g cos φ/l
    [-9.81, -9.7626]
    """
    system, moments = _system_of(run), np.atleast_1d(as_array(times, "times"))
    if moments.ndim != 1 or not moments.size or not np.all((moments >= run.t[0]) & (moments <= run.t[-1])):
        raise InputError(f"times must be numbers that lie in the run, {run.t[0]:g} s to {run.t[-1]:g} s.")
    found: list[Linearization] = []
    point: StateDerivatives | None = None
    for moment in moments:
        point = _point(run, float(moment), point)
        found.append(assembled(point, Steady.none(system.n), states, outputs))
        states = found[-1].states
    return found


def _system_of(run: Trajectory) -> System:
    """Return the system of a run. Raises InputError where there is none, or none that can be differentiated."""
    require_run(run)
    if run.setting is None:
        raise InputError("this trajectory was loaded from a file and has no model; simulate it again.")
    require_derivatives(run.setting.system)
    return run.setting.system


def _point(run: Trajectory, moment: float, known: StateDerivatives | None) -> StateDerivatives:
    """Return a state of the run with its derivatives; `known` is another one, whose verdict may hold here too."""
    assert run.setting is not None
    dense, control = run.at(np.array([moment])), run.setting.control
    state = consistent(run.setting.system, dense.q[0], dense.v[0], moment)
    u = control(state.t, state.q, state.v) if callable(control) else control
    return (
        StateDerivatives.at(run.setting.system, state, u) if known is None else StateDerivatives.like(known, state, u)
    )


@advised
def transition(
    run: Trajectory, times: object = None, *, states: str | Sequence[str] | None = None, rtol: float = 1e-9
) -> Array:
    """Return Φ (d, d) with ξ(t₁) = Φ ξ(t₀) for the two `times` t₀, t₁ (the ends of the run if left out).

    Φ̇ = A(t) Φ is integrated with the relative tolerance `rtol`. Over a period of a periodic motion Φ is the monodromy
    matrix, whose eigenvalues are the Floquet multipliers. Controls are what they were, of a feedback or a sampled
    control too: Φ is not that of the closed loop, whose derivatives differences of runs give.

    Raises InputError for wrong times and for runs with impacts between them, which are not crossed, SolverError where
    the integration fails, and what `linearize_along` raises.

    >>> import gauss as g
    >>> spring = g.System("spring", "x", mass_matrix=[[1]], potential_energy=lambda q: 0.5 * q.x**2)
    >>> run = g.simulate(spring, [1.0], t_end=g.pi / 2)
    >>> (g.analysis.transition(run).round(6) + 0.0).tolist()  # cos t, sin t; −sin t, cos t
    [[0.0, 1.0], [-1.0, 0.0]]
    """
    _system_of(run)
    first, last = (run.t[0], run.t[-1]) if times is None else vector(times, 2, "times")
    if not run.t[0] <= min(first, last) <= max(first, last) <= run.t[-1]:
        raise InputError(f"times must lie in the run, {run.t[0]:g} s to {run.t[-1]:g} s, but are {first:g}, {last:g}.")
    if positive(rtol, "rtol") < FINEST:
        raise InputError(f"rtol must be at least {FINEST:g}, but is {rtol:g}.")
    if any(event.kind == "impact" and min(first, last) <= event.t <= max(first, last) for event in run.events):
        raise InputError("there are impacts between the times; disturbances jump there, which is not linearised.")
    start = linearize_along(run, first, states=states)[0]
    d, known, steady = len(start.states), _point(run, float(first), None), Steady.none(start.system.n)

    def rate(t: float, flat: Array) -> Array:
        point = _point(run, min(max(t, run.t[0]), run.t[-1]), known)
        return np.asarray((assembled(point, steady, start.states, ()).A @ flat.reshape(d, d)).ravel())

    found = scipy.integrate.solve_ivp(rate, (first, last), np.eye(d).ravel(), "DOP853", rtol=rtol, atol=1e-2 * rtol)
    if not found.success:
        raise SolverError(f"the linear equations along the motion could not be integrated: {found.message}")
    return np.asarray(found.y[:, -1].reshape(d, d))
