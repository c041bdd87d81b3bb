"""Motions that leave an equilibrium at rest where the force is not Lipschitz continuous: the motion is not unique.

A motion that leaves q₀ without a push begins like q₀ + c τ^k d (see `gauss.motion.several.powerlaw`), as r = t⁴/144
does for r̈ = r^{1/2}. It is integrated from a state on this law at a small distance, then from smaller and smaller
ones. As the acceleration is continuous, a limit of these motions is a motion from q₀ itself (Kneser): if they converge
to one that is not rest, two motions begin at q₀.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np

from gauss.errors import GaussError, InputError
from gauss.foundation.arrays import Array, as_array, positive, scalar
from gauss.foundation.outcomes import Shown
from gauss.foundation.threads import withheld
from gauss.foundation.tolerances import EPS
from gauss.model import AnySystem, System, system_of
from gauss.model.compiled.smoothness import depends_on_time
from gauss.model.state import State
from gauss.motion.events.event import Event
from gauss.motion.record.trajectory import Trajectory
from gauss.motion.several.powerlaw import AccelerationField, Expansion, Law, RefusedError, expanded, starts
from gauss.motion.single import follow
from gauss.principle.offsets import extent
from gauss.uniqueness.lipschitz import TWO, Neighbourhood, Smoothness, lipschitz

AGREEMENT = 1e-3  # largest relative difference between the motions from the two nearest starts
TIMES = 9  # at which they are compared
SAME = 1e-6  # differences below this need not shrink with nearer starts
RESIDUAL = 1e-6  # largest residual of the equations in integral form, relative to the largest values
LEADING = 1e-2  # the same relative to the values up to each time: how well the power law holds at the start
RTOL = 1e-12
ASIDE = 1e-3  # of the extent of a state: so far beside it is asked whether a force depends on time
STAGE = 30.0  # each stage of the integration ends so many times farther away than the one before
LONGEST = 0.02  # share of the run over which a step may add up the rounding of the forces
JOINED = ("t", "q", "v", "a", "multipliers", "active", "zwang", "primal", "stationarity", "solver_distance")
PANELS, NODES = 16, 12  # of the quadrature that checks a motion


@dataclass(frozen=True)
class Leaving:
    """A motion that leaves the equilibrium at once: q = q₀ + c τ^k d + …, τ = t − t₀."""

    state: State  # the equilibrium
    direction: Array  # (n,) d, of length 1
    kind: str  # "position" or "velocity": what the acceleration depends on with the exponent p
    exponent: float  # p
    power: float  # k
    coefficient: float  # c, unit of the coordinates per s^k
    beginning: Expansion  # the motion up to the first state of the first run
    runs: tuple[Trajectory, ...]  # the motion from there on, in stages
    agreement: float  # largest relative difference from the motion of a start twice as late
    residual: float  # of q = q₀ + ∫v and v = ∫a from the equilibrium on, relative to the largest values
    departure: float  # the same relative to the values up to each time: how well the first moments are known

    def at(self, times: object, stays: float = 0.0) -> tuple[Array, Array]:
        """Return positions and velocities (N, n) at times t of the motion that rests for `stays` seconds first.

        With stays > 0 it is a motion only where the system does not depend on time. Raises InputError for times before
        the start or after the end of the run, and for a negative rest.
        """
        rest = scalar(stays, "stays")
        tau = np.atleast_1d(as_array(times, "times")) - self.state.t - rest
        if rest < 0.0 or np.any(tau + rest < 0.0):
            raise InputError("the motion rests from its start on: give times after it, and stays ≥ 0.")
        q, v = self.beginning.at(np.minimum(tau, self.beginning.time))
        late = tau > self.beginning.time
        if np.any(late):
            dense = self.run.at(self.state.t + tau[late])
            q[late], v[late] = dense.q, dense.v
        return q, v

    @cached_property
    def run(self) -> Trajectory:
        """The stages as one trajectory, from the end of `beginning` on."""
        last = self.runs[-1]
        parts = [[getattr(run, name)[: None if run is last else -1] for run in self.runs] for name in JOINED]
        joined: dict[str, Any] = {name: np.concatenate(part) for name, part in zip(JOINED, parts, strict=True)}
        about = replace(last.about, qp_count=sum(run.about.qp_count for run in self.runs))
        return replace(
            last, about=about, events=(), windows=tuple(w for run in self.runs for w in run.windows), **joined
        )

    @property
    def end(self) -> float:
        """The time (s) up to which the motion is known."""
        return float(self.runs[-1].t[-1])


@dataclass(frozen=True, repr=False)
class Motions(Shown):
    """The motions found from one state: what `motions` returns."""

    state: State
    smoothness: Smoothness  # with the verdict that the motions found give
    stays: Trajectory  # the ordinary run; at an equilibrium it rests
    leaves: tuple[Leaving, ...]
    dimension: int  # of the set of directions that belong together; 0 where they are isolated
    autonomous: bool  # the system does not depend on time, so each motion may rest for any time first
    refused: tuple[str, ...]  # candidates that were not confirmed, with the reason
    sampling: str  # what was searched, in words

    @property
    def verdict(self) -> str:
        """The verdict on the uniqueness of the motion."""
        return self.smoothness.verdict

    @property
    def sentence(self) -> str:
        """Verdict, motions and sampling in words."""
        if not self.leaves:
            return f"{self.smoothness.sentence} {self.sampling}"
        first = self.leaves[0]
        family = "; each may rest for any time T ≥ 0 first" if self.autonomous else ""
        many = f"{len(self.leaves)} motions leave" if len(self.leaves) > 1 else "one motion leaves"
        whole = f" (samples of a continuum of dimension {self.dimension})" if self.dimension else ""
        return (
            f"{self.smoothness.sentence} One motion stays at rest, {many}{whole}: the first like"
            f" {first.coefficient:.6g} (t − t₀)^{first.power:.6g}{family}. {self.sampling}"
        )

    def __str__(self) -> str:
        return self.sentence


def motions(
    system: AnySystem, q: object, v: object = None, t: float = 0.0, *, t_end: float, u: object = None, count: int = 12
) -> Motions:
    """Return the motions from (q, v) at time t: the one that stays, and those that leave an equilibrium by themselves.

    Second motions are sought only where `lipschitz` does not give the verdict "motion unique", at a state of rest that
    is an equilibrium, and among those that begin like a power of the time along one direction. Where directions form a
    continuum, `count` of them are taken. None found does not mean that the motion is unique. Each motion is confirmed
    by starts ever nearer the equilibrium and by the equations in integral form. u are constant controls.

    Raises InputError for an end before the start, and what `lipschitz` and `gauss.simulate` raise.
    """
    system = system_of(system)
    smooth = lipschitz(system, q, v, t, u)
    state = smooth.state
    span = positive(t_end - state.t, "t_end − t")
    number = int(positive(count, "count"))
    autonomous = not depends_on_time(system.model) and _steady(system, state)
    stays = _run(system, state, u, state.t + span)
    nothing = "No second motion was sought: "
    if smooth.unique:
        return Motions(state, smooth, stays, (), 0, autonomous, (), nothing + "the motion is unique.")
    if not smooth.equilibrium:
        return Motions(
            state, smooth, stays, (), 0, autonomous, (), nothing + "the state is not an equilibrium at rest."
        )
    near = Neighbourhood(system, state, u)
    leaves: list[Leaving] = []
    refused: list[str] = []
    dimension, tried = 0, []
    for kind in ("position", "velocity"):
        field = AccelerationField(near, kind)
        directions, flat = field.directions(number)
        dimension = max(dimension, flat)
        tried.append(f"{field.starts} trial directions by {kind} gave {len(directions)}")
        for y in directions:
            try:
                leaves.append(_leaving(field, y, span))
            except RefusedError as reason:
                refused.append(f"{field.name(y)}: {reason}")
    sampling = f"Sampling: {', '.join(tried)} along which the acceleration points away."
    if leaves:
        smooth = replace(smooth, verdict=TWO)
    return Motions(state, smooth, stays, tuple(leaves), dimension, autonomous, tuple(refused), sampling)


def _steady(system: System, state: State) -> bool:
    """Whether a black-box force, which may hide the time, has the same values at other times; True without one.

    It is asked at the state and beside it, where a force that vanishes at the state does not.
    """
    force = system.black_box_force
    if force is None:
        return True
    for q in (state.q, state.q + ASIDE * extent(state.q)):
        values = [np.asarray(force(q.copy(), state.v.copy(), state.t + shift)) for shift in (0.0, 0.37, 1.91)]
        if not all(np.array_equal(value, values[0], equal_nan=True) for value in values):
            return False
    return True


def _run(
    system: System,
    state: State,
    u: object,
    t_end: float,
    rtol: float = 1e-10,
    atol: float = 1e-12,
    events: tuple[Event, ...] = (),
) -> Trajectory:
    """Integrate, leaving the end of the run to its trajectory."""
    with withheld():
        return follow(
            system,
            state,
            t_end=t_end,
            rtol=rtol,
            atol=atol,
            max_step=np.inf,
            control=u,  # type: ignore[arg-type]
            events=events,
            progress="none",
        )


def _away(origin: Array, distance: float) -> tuple[Event, ...]:
    """Return the event that ends a run at some distance from a position."""
    return (
        Event(
            "far away",
            lambda q: sum(((x - x0) / distance) ** 2 for x, x0 in zip(q, origin, strict=True)) - 1.0,
            terminal=True,
        ),
    )


def _leaving(field: AccelerationField, y: Array, span: float) -> Leaving:
    """Return the confirmed motion along a direction. Raises RefusedError."""
    near, laws = field.near, starts(field, y, span)
    made = [_started(field, y, law, span) for law in laws]
    end = min(motion.end for motion in made)
    first = 2.0 * laws[0].time
    if end <= near.state.t + first:
        raise RefusedError("it cannot be integrated beyond its start")
    gaps = [_gap(one, other, first, end) for one, other in pairwise(made)]
    if not gaps[-1] <= AGREEMENT or gaps[-1] > max(gaps[0], SAME):
        raise RefusedError(f"starts nearer the equilibrium do not converge (they differ by {gaps[-1]:.2g})")
    residual, departure = _residuals(made[-1], near, end)
    if not (residual <= RESIDUAL and departure <= LEADING):
        raise RefusedError(
            f"it does not satisfy the equations from the start on (residual {residual:.2g}, at first {departure:.2g})"
        )
    return replace(made[-1], agreement=gaps[-1], residual=residual, departure=departure)


def _started(field: AccelerationField, y: Array, law: Law, span: float) -> Leaving:
    """Return the motion from one start on a power law, not confirmed yet. Raises RefusedError.

    It is integrated in stages, in each of which the way from the equilibrium grows to `STAGE` times what it was, with
    tolerances that are small beside the way covered before: those of the first moments could not be kept where the
    motion comes to rest elsewhere.
    """
    near, origin = field.near, field.near.state
    beginning = expanded(field, y, law)
    q, v = (x[0] for x in beginning.at(np.array([law.time])))
    state = near.moved(q - origin.q, v, law.time)
    coarse = EPS * max(float(np.max(np.abs(origin.q), initial=0.0)) / law.s * law.speed, near.force * LONGEST * span)
    runs: list[Trajectory] = []
    while state.t < origin.t + span and (not runs or runs[-1].ending.kind == "event"):
        way = float(np.linalg.norm(state.q - origin.q))
        try:
            atol = max(0.1 * RTOL * way, coarse)
            runs.append(_run(near.system, state, near.u, origin.t + span, RTOL, atol, _away(origin.q, STAGE * way)))
        except GaussError as error:
            raise RefusedError(f"it cannot be integrated: {error}") from None
        state = State(runs[-1].q[-1], runs[-1].v[-1], float(runs[-1].t[-1]))
    if not runs:
        raise RefusedError("its power law takes longer than the run to come off")
    return Leaving(
        state=origin,
        direction=field.along(y),
        kind=field.kind,
        exponent=law.exponent,
        power=law.power,
        coefficient=law.coefficient,
        beginning=beginning,
        runs=tuple(runs),
        agreement=np.inf,
        residual=np.inf,
        departure=np.inf,
    )


def _gap(one: Leaving, other: Leaving, first: float, end: float) -> float:
    """Return how far two motions are apart at times from `first` s after the start on, relative to the way from it.

    Early times count as much as late ones: motions that come to the same rest in the end may differ before.
    """
    times = one.state.t + np.geomspace(first, end - one.state.t, TIMES)
    ways = [motion.at(np.minimum(times, end))[0] - one.state.q for motion in (one, other)]
    return float(np.max(np.linalg.norm(ways[0] - ways[1], axis=1) / np.linalg.norm(ways[1], axis=1)))


def _residuals(motion: Leaving, near: Neighbourhood, end: float) -> tuple[float, float]:
    """Return the largest residual of q = q₀ + ∫v dt and v = ∫a dt over growing times, a certified anew.

    It is returned relative to the largest values of the motion and to the largest up to each time. The first panel of
    the quadrature is the time of the expansion.
    """
    origin, t0 = near.state.q, near.state.t
    edges = np.concatenate([[0.0], np.geomspace(motion.beginning.time, end - t0, PANELS + 1)])
    nodes, weights = np.polynomial.legendre.leggauss(NODES)
    q, v = np.zeros_like(origin), np.zeros_like(origin)
    defects, sizes = [], []
    for left, right in pairwise(edges):
        tau = (left + right) / 2.0 + (right - left) / 2.0 * nodes
        on_q, on_v = motion.at(t0 + tau)
        states = [near.moved(x - origin, w, s) for x, w, s in zip(on_q, on_v, tau, strict=True)]
        q = q + (right - left) / 2.0 * weights @ on_v
        v = v + (right - left) / 2.0 * weights @ np.array([near.acceleration(state) for state in states])
        there_q, there_v = (x[0] for x in motion.at(min(t0 + right, end)))
        defects.append([np.linalg.norm(q - (there_q - origin)), np.linalg.norm(v - there_v)])
        sizes.append([np.linalg.norm(there_q - origin), np.linalg.norm(there_v)])
    defect, size = np.array(defects), np.array(sizes)
    return float(np.max(defect / np.max(size, axis=0))), float(np.max(defect / np.maximum.accumulate(size, axis=0)))
