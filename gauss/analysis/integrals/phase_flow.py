"""The phase flow: how it changes volume along a motion, and when a motion on a torus returns.

Disturbances ξ of the independent states obey ξ̇ = A ξ (see `gauss.analysis.linear.along`), so the volume dξ that they
span changes at the rate tr A. Measured with the metric of M, the volume element of the admissible states is

    √(det N_qᵀMN_q · det N_vᵀMN_v) dξ,

where N_q and N_v are the displacements and velocities of unit disturbances. For holonomic systems it is dq dp, which
Hamiltonian flows conserve (Liouville); flows under nonholonomic rows need not.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import scipy

from gauss.analysis.linear.along import linearize_along
from gauss.analysis.linear.linearize import Linearization
from gauss.errors import InputError
from gauss.foundation.arrays import Array, names_of, positive
from gauss.foundation.calls import advised
from gauss.foundation.outcomes import Shown
from gauss.motion import Trajectory, require_run

INTERVALS = 40  # along a run, each with a Gauss-Legendre rule
NODES = 6  # of that rule, exact to degree 11
SCAN = 40  # samples per period of the fastest angle when returns are looked for


@dataclass(frozen=True, repr=False)
class PhaseVolume(Shown):
    """The volume of a small set of states that is carried along a run, relative to that at the start."""

    t: Array  # (N,) s
    logarithm: Array  # (N,) of the relative volume
    states: tuple[str, ...]

    @property
    def ratio(self) -> Array:
        """Volume over that at the start, (N,)."""
        return np.asarray(np.exp(self.logarithm))


@advised
def divergence(run: Trajectory, t: float, states: str | Sequence[str] | None = None) -> float:
    """Return tr A at one time of a run, 1/s: the divergence of the phase flow in the given independent states.

    It depends on the states; their volume and `phase_volume` differ by the metric. Raises what `linearize_along` does.

    >>> import gauss as g
    >>> damped = g.System("damped", "x", mass_matrix=[[2]], force=lambda q, v: [-8 * q.x - 1.2 * v.x])
    >>> run = g.simulate(damped, [1.0], t_end=0.1)
    >>> round(g.analysis.divergence(run, 0.05), 9)  # −c/m: volumes of phase space shrink like e^(−0.6 t)
    -0.6
    """
    require_run(run)
    return float(np.trace(linearize_along(run, t, states=states)[0].A))


@advised
def phase_volume(
    run: Trajectory, *, intervals: int = INTERVALS, states: str | Sequence[str] | None = None
) -> PhaseVolume:
    """Return how the volume of a small set of states changes along a run, by quadrature of tr A.

    Raises InputError for a number of intervals that is none, and what `linearize_along` raises: the independent states
    must describe all disturbances along the whole run.

    >>> import gauss as g
    >>> damped = g.System("damped", "x", mass_matrix=[[2]], force=lambda q, v: [-8 * q.x - 1.2 * v.x])
    >>> found = g.analysis.phase_volume(g.simulate(damped, [1.0], t_end=0.5), intervals=2)
    >>> found.logarithm.round(9).tolist()  # −c t/m
    [0.0, -0.15, -0.3]
    """
    if not isinstance(intervals, int) or intervals < 1:
        raise InputError(f"intervals must be a positive integer, got {intervals!r}.")
    require_run(run)
    edges = np.linspace(run.t[0], run.t[-1], intervals + 1)
    x, w = np.polynomial.legendre.leggauss(NODES)
    logarithm = np.zeros(edges.size)
    found = linearize_along(run, edges, states=states)
    chosen = found[0].states
    for k in range(intervals):
        half, middle = (edges[k + 1] - edges[k]) / 2.0, (edges[k + 1] + edges[k]) / 2.0
        inner = linearize_along(run, middle + half * x, states=chosen)
        logarithm[k + 1] = logarithm[k] + half * float(w @ [np.trace(each.A) for each in inner])
    density = np.array([_density(each) for each in found])
    return PhaseVolume(edges, logarithm + density - density[0], chosen)


def _density(point: Linearization) -> float:
    """Return the logarithm of the volume element of the admissible states."""
    system, state = point.system, point.state
    M = system.model.terms(state.q, state.v, state.t, system.theta(point.u)).M
    n = system.n
    places = [k for k, name in enumerate(point.states) if name in system.coordinates]
    speeds = [k for k in range(len(point.states)) if k not in places]
    total = 0.0
    for part in (point.basis[:n, places], point.basis[n:, speeds]):
        if part.shape[1]:
            total += 0.5 * float(np.linalg.slogdet(part.T @ M @ part)[1])
    return total


@dataclass(frozen=True, repr=False)
class Returns(Shown):
    """When a motion on a torus came back to a neighbourhood of its start."""

    t: Array  # (k,) s, closest approaches
    distance: Array  # (k,) from the start, angles taken modulo their period
    left: float  # s, when it first left the neighbourhood; inf if never

    @property
    def records(self) -> Returns:
        """The returns that are closer than all before them."""
        best = np.minimum.accumulate(self.distance) if self.distance.size else self.distance
        keep = (
            np.concatenate([[True], self.distance[1:] < best[:-1]]) if self.distance.size else np.zeros(0, dtype=bool)
        )
        return Returns(self.t[keep], self.distance[keep], self.left)


@advised
def returns(run: Trajectory, angles: str | Sequence[str], radius: float, period: float = 2.0 * np.pi) -> Returns:
    """Return when a run came back to within `radius` of where its angles (names of coordinates) started.

    Between samples, SCAN to a period of the fastest angle, each closest approach is refined. Raises InputError for
    names that are no coordinates and a radius that is no distance on the torus.

    >>> import gauss as g
    >>> turning = g.System("turning", "phi", mass_matrix=[[1]])
    >>> found = g.analysis.returns(g.simulate(turning, [0.0], [20 * g.pi], t_end=0.25), "phi", radius=0.1)
    >>> found.t.round(6).tolist(), round(found.left, 6)  # s: a turn takes 0.1 s, and 0.1 rad 1/200π s
    ([0.1, 0.2], 0.001592)
    """
    require_run(run)
    names = names_of(angles, "angles")
    if not names:
        raise InputError("angles names no coordinate.")
    unknown = [name for name in names if name not in run.about.coordinates]
    if unknown:
        raise InputError(f"angles names {unknown}; the coordinates are {', '.join(run.about.coordinates)}.")
    size, width = positive(period, "period"), positive(radius, "radius")
    if width >= size / 2.0:
        raise InputError(f"radius {width:g} must be less than half the period, {size / 2.0:g}.")
    start = np.array([run[name][0] for name in names])
    fastest = max(float(np.max(np.abs(run["d_" + name]))) for name in names)
    count = int(np.ceil(SCAN * fastest * (run.t[-1] - run.t[0]) / size)) + 2
    times = np.linspace(run.t[0], run.t[-1], count)

    def distance(t: Array) -> Array:
        dense = run.at(np.atleast_1d(t))
        turn = np.array([dense[name] for name in names]).T - start
        return np.asarray(np.linalg.norm(turn - size * np.round(turn / size), axis=1))

    far = distance(times)
    outside = np.flatnonzero(far > width)
    if not outside.size:
        return Returns(np.zeros(0), np.zeros(0), float("inf"))
    step = times[1] - times[0]
    dips = [k for k in range(outside[0], count - 1) if far[k] <= far[k - 1] and far[k] <= far[k + 1]]
    found_t, found_d = [], []
    for k in dips:
        if far[k] > width + fastest * np.sqrt(len(names)) * step:
            continue
        best = scipy.optimize.minimize_scalar(
            lambda t: float(distance(t)[0] ** 2),
            bounds=(times[k - 1], times[k + 1]),
            method="bounded",
            options={"xatol": 1e-10 * max(1.0, abs(times[k]))},
        )
        nearest = float(np.sqrt(max(best.fun, 0.0)))
        if nearest <= width:
            found_t.append(float(best.x))
            found_d.append(nearest)
    before, after = times[outside[0] - 1], times[outside[0]]
    left = scipy.optimize.brentq(lambda t: float(distance(t)[0]) - width, before, after)
    return Returns(np.array(found_t), np.array(found_d), float(left))
