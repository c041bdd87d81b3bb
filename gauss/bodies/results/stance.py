"""Stance, grasp and press: whether a mechanism stays at rest on its contacts, and with which forces.

At rest the forces are in balance,

    0 = f + Jᵀλ + Σ (Nᵀp + Tᵀt) + Σ Bᵀτ,    p ≥ 0,  |t| ≤ μ p,  τ given, free, or within limits,

with the rates B v of the joints that have motors. A free torque is the multiplier of the row that holds its joint; one
within limits holds it as dry friction with a constant limit does, about the middle of the limits. So this is the
contact problem of `gauss.contact` at a = 0. That forces balance does not exclude a motion that the law of friction
allows as well (J.-S. Pang, J. Trinkle, Stability characterizations of rigid body contact problems with Coulomb
friction, ZAMM 80 (2000), tell weak from strong stability); the verdict of the contact problem says whether one is
known.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from gauss.bodies.body.body import GROUND
from gauss.bodies.joints.joint import Link
from gauss.bodies.results.statics import joint_gradient
from gauss.bodies.touching.contact_points import NEAR, ContactPoint, contacts_at
from gauss.contact import (
    ContactForces,
    ContactProblem,
    RequiredCoefficient,
    admits,
    contact_findings,
    contact_forces,
    contact_problem,
    only_acceleration,
    required_coefficient,
    solve_contacts,
)
from gauss.contact.forces.force_sets import patterns, scaled_at
from gauss.errors import InputError
from gauss.foundation.arrays import Array, lengths_of, scalar, shortened, tidied, vector
from gauss.foundation.calls import advised
from gauss.foundation.outcomes import NONE, ONE, SEVERAL, UNDECIDED, Shown

HOLDS, SLIPS, OPENS, UNDETERMINED = "holds", "slips", "opens", "undetermined"
ZERO = 1e-7  # a rate below this share of the accelerations that the forces would give is none
FAR = 1e6  # m within which the nearest of what does not touch is named
Torque = float | str | tuple[float, float]


@dataclass(frozen=True, repr=False)
class Stance(Shown):
    """What the contacts of a mechanism at rest do, and their forces."""

    problem: ContactProblem
    points: tuple[ContactPoint, ...]
    does: Mapping[str, str]  # by contact: "holds", "slips", "opens" in all accelerations known, else "undetermined"
    stays: bool  # whether forces exist that keep it at rest; with motors, whether torques do
    verdict: str  # of the accelerations that the law admits: "one", "several", "continuum", "none", "undecided"
    reason: str  # that verdict in a sentence
    forces: ContactForces | None  # ranges at rest, None where it cannot stay
    required: RequiredCoefficient | None  # least coefficient with which it stays; None where no contact could stick
    given: Mapping[str, float]  # by joint, N m or N: torques that are known, and the middle of those with limits

    def normal(self, contact: str) -> tuple[float, float]:
        """Return the range of the normal force (N) at rest. Raises InputError."""
        return self._resting.range_of(contact)

    def tangential(self, contact: str) -> tuple[tuple[float, float], ...]:
        """Return the ranges of friction (N) at rest along the tangents of its point, one in the plane, two in space."""
        words = ("tangential", "across") if self.problem.in_space else ("tangential",)
        return tuple(self._resting.range_of(contact, word) for word in words)

    def torque(self, joint: Link | str) -> tuple[float, float]:
        """Return the range of the torque (N m) or force (N) of a motor at rest, of body 1 on body 2.

        Raises InputError.
        """
        name = joint if isinstance(joint, str) else joint.name
        if name not in self.given:
            raise InputError(f"{name!r} has no motor here; motors are {', '.join(map(repr, self.given)) or 'none'}.")
        middle, row = self.given[name], _motor(name)
        low, high = 0.0, 0.0
        if row in self.problem.names:
            low, high = self._resting.range_of(row, "tangential")
        elif row in self.problem.rows:
            low, high = self._resting.range_of(row, "bilateral")
        return middle + low, middle + high

    def pushed(self, generalized: object) -> tuple[float, float]:
        """Return between which multiples of a generalized force (n,) it stays: the wrenches that it bears.

        The force acts beside the others; `push_on` makes one of a force at a point. Raises InputError where it stays
        with none.
        """
        p = self.problem
        row = vector(generalized, len(p.f), "the generalized force", p.coordinates)
        name = "push"
        loaded = replace(p, J=np.vstack([p.J, row]), gamma=np.append(p.gamma, 0.0), rows=(*p.rows, name))
        return contact_forces(loaded, np.zeros(len(p.f))).range_of(name, "bilateral")

    @property
    def _resting(self) -> ContactForces:
        if self.forces is None:
            raise InputError(f"there are no forces at rest: {self.sentence}")
        return self.forces

    @property
    def sentence(self) -> str:
        """Whether it stays at rest, in words."""
        if not self.stays:
            text = "it cannot stay at rest: no forces within friction and limits of motors are in balance"
        elif self.verdict == ONE:
            text = "it stays at rest, and no other motion is possible"
        elif self.verdict in (UNDECIDED, NONE):
            text = "it can stay at rest; other motions are not excluded"
        else:
            text = "it can stay at rest, and the law of friction admits other motions as well"
        return f"{text}." if self.required is None else f"{text}; {self.required}."

    def _in_a_line(self) -> str:
        return self.sentence

    def __str__(self) -> str:
        lines = [f"{name:<14} {word}{self._numbers(name)}" for name, word in self.does.items()]
        return "\n".join([self.sentence, *lines])

    def _numbers(self, name: str) -> str:
        if self.forces is None:
            return ""
        ends = [self.normal(name), *self.tangential(name)]
        shown = [f"{low:.6g}" if low == high else f"{low:.6g} … {high:.6g}" for low, high in ends]
        point = next((point for point in self.points if point.name == name), None)
        along = [""] * len(shown) if point is None else [_along(x) for x in (point.normal, *point.tangents)]
        words = ("p", "t") if len(shown) == 2 else ("p", *(f"t{k}" for k in range(1, len(shown))))
        return "; " + ", ".join(f"{word} = {x} N{way}" for word, x, way in zip(words, shown, along, strict=True))


def _along(direction: Any) -> str:
    """Return a direction in space in words."""
    return f" along ({', '.join(f'{x:.4g}' for x in tidied(np.array(direction, dtype=float)))})"


def _nearest(mechanism: Any, q: Array, touching: Any) -> str:
    """Return in words what is nearest to touching, and how near."""
    near = min(contacts_at(mechanism, q, touching, FAR), key=lambda point: point.gap, default=None)
    return "" if near is None else f"; the nearest is {near.name!r}, {near.gap:.3g} m from touching"


@advised
def stance(
    mechanism: Any,
    q: object,
    touching: Any = (),
    torques: str | Mapping[Any, Torque] | None = None,
    *,
    near: float = NEAR,
    t: float = 0.0,
    u: object = None,
) -> Stance:
    """Return whether a mechanism stays at rest at q (n,) on its contacts, with the ranges of their forces.

    `touching` is what may touch, as for `contacts_at`, beside the unilateral parts of the mechanism. `torques` are
    those of motors in joints with one coordinate, by joint or its name: a number (N m or N), a pair of limits, or
    "free"; "free" alone frees all motors (of a `gauss.robots.Robot`, of another mechanism all joints with one
    coordinate). A motor that is free or has limits holds its joint. In space contacts beside limits have no list of
    accelerations, and the verdict is "undecided" where rest needs friction.

    Raises InputError for what does not fit and where nothing touches, and what `gauss.contact.contact_problem` and
    `gauss.contact.contact_forces` raise.

    >>> import gauss as g
    >>> from gauss import bodies as mb
    >>> slope = mb.HalfPlane(normal=(-0.3, 1.0))  # tan α = 0.3
    >>> block = mb.PlanarBody("block", 2.0, 0.1)
    >>> sole = mb.Touching("sole", block, mb.Box((0.4, 0.2)), mb.GROUND, slope, friction=0.5)
    >>> world = mb.Mechanism("block on a slope", [block])
    >>> up = [-0.3 * 0.1 / 1.09**0.5, 0.1 / 1.09**0.5]
    >>> found = mb.stance(world, world.state(block.pose(up, angle=g.atan(0.3)))[0], sole)
    >>> print(found.sentence)
    it stays at rest, and no other motion is possible; least coefficient 0.3, at the limit there: sole[0], sole[1].
    """
    system = mechanism.system
    state = system.start(q, None, t)
    points = contacts_at(mechanism, state.q, touching, near)
    problem = _with_points(contact_problem(system, state.q, state.v, t, u=u), mechanism, state.q, points)
    contacts = problem.names
    if not contacts:
        raise InputError(
            f"nothing touches {mechanism.name!r} here within {near:g} m, so there is no stance to ask for"
            f"{_nearest(mechanism, state.q, touching)}."
        )
    problem, given = _with_motors(problem, mechanism, state.q, torques)
    rest = np.zeros(system.n)
    if not problem.in_space:  # what cannot be decided is refused; `admits` would say no
        scaled_at(problem, rest, rest=True)
        patterns(problem, problem.static)
    stays = admits(problem, rest)
    forces = contact_forces(problem, rest) if stays else None
    verdict, reason, known = _known(problem, stays)
    try:
        required = required_coefficient(problem, contacts=contacts)
    except InputError:  # no contact could stick
        required = None
    return Stance(problem, points, _words(problem, contacts, known), stays, verdict, reason, forces, required, given)


def push_on(mechanism: Any, q: object, body: Any, at: object, force: object) -> Array:
    """Return the generalized force (n,) of a force (N, space axes) at a point of a body (m, in its axes).

    Raises InputError for a force that is zero.

    >>> from gauss import bodies as mb
    >>> plate = mb.PlanarBody("plate", 2.0, 0.1)
    >>> world = mb.Mechanism("plate", [plate], coordinates="joint")
    >>> mb.push_on(world, world.state(plate.pose())[0], plate, (0.5, 0.0), (0.0, 4.0)).round(9).tolist()  # N, N, N m
    [0.0, 4.0, 2.0]
    """
    state = mechanism.system.start(q)
    placed = body.placed(mechanism.named(state.q))
    point = tuple(float(x) for x in placed.point(body.require_point(at, "the point of the push")))
    direction = vector(force, len(point), "the force")
    size = float(np.linalg.norm(direction))
    if size == 0.0:
        raise InputError("the force of a push must not be zero.")
    one = ContactPoint("push", body, GROUND, point, tuple((direction / size).tolist()), 0.0)
    return size * one.rows(mechanism.system, state.q)[0]


def _motor(joint: str) -> str:
    """Return the name of the row of a motor."""
    return f"{joint} torque"


def _with_points(p: ContactProblem, mechanism: Any, q: Array, points: tuple[ContactPoint, ...]) -> ContactProblem:
    """Return the problem with the rows of contact points."""
    space = mechanism.bodies[0].dimension == 3
    if space and not p.in_space:
        if np.any(p.bilateral) or p.pinned:
            raise InputError(f"{mechanism.name!r} has friction on joints held from both sides, which is for the plane.")
        T, tau = np.zeros((p.k, 2, len(p.f))), np.zeros((p.k, 2))
        T[:, 0], tau[:, 0] = p.T, p.tau
        p = replace(p, T=T, tau=tau, slip=np.zeros((p.k, 2)))
    rows = [point.rows(mechanism.system, q) for point in points]
    for point, (N, T) in zip(points, rows, strict=True):
        p = _appended(p, point.name, N, T if space else T[0], point.friction)
    return p


def _appended(p: ContactProblem, name: str, N: Array, T: Array, limit: float) -> ContactProblem:
    """Return the problem with one more contact; without a normal row its friction has a constant limit."""
    if name in p.names:
        raise InputError(f"two contacts are called {name!r}; give each its own name.")
    return replace(
        p,
        N=np.vstack([p.N, N]),
        nu=np.append(p.nu, 0.0),
        T=np.concatenate([p.T, T[None]]),
        tau=np.concatenate([p.tau, np.zeros((1, *p.tau.shape[1:]))]),
        static=np.append(p.static, limit),
        kinetic=np.append(p.kinetic, limit),
        slip=np.concatenate([p.slip, np.zeros((1, *p.slip.shape[1:]))]),
        names=(*p.names, name),
        held=np.append(p.bilateral, False),
        fixed=np.append(p.limited, not np.any(N)),
        pins=None if p.pins is None else (*p.pins, None),
    )


def _with_motors(
    p: ContactProblem, mechanism: Any, q: Array, torques: str | Mapping[Any, Torque] | None
) -> tuple[ContactProblem, dict[str, float]]:
    """Return the problem with motors, and their known torques."""
    joints = {joint.name: joint for joint in mechanism.joints if hasattr(joint, "rate")}
    if isinstance(torques, str):
        if torques != "free":
            raise InputError(f'torques must be "free", or a number, limits or "free" for each motor, got {torques!r}.')
        single = [name for name in joints if len(joint_gradient(mechanism.system, joints[name], q)) == 1]
        torques = dict.fromkeys(getattr(mechanism, "motors", ()) or single, "free")
    given: dict[str, float] = {}
    for joint, asked in (torques or {}).items():
        name = joint if isinstance(joint, str) else getattr(joint, "name", repr(joint))
        if name not in joints:
            known = f"its joints are {shortened(list(joints))}" if joints else "it has no joint with a motion"
            raise InputError(f"torques name {name!r}, which is no joint of {mechanism.name!r}; {known}.")
        rows = joint_gradient(mechanism.system, joints[name], q)
        if len(rows) != 1:
            raise InputError(f"a motor acts in a joint with one coordinate, but {name!r} has {len(rows)}.")
        B = rows[0]
        if asked == "free":
            p = replace(p, J=np.vstack([p.J, B]), gamma=np.append(p.gamma, 0.0), rows=(*p.rows, _motor(name)))
            given[name] = 0.0
            continue
        low, high = _limits(asked, name)
        given[name] = (low + high) / 2.0
        p = replace(p, f=p.f + given[name] * B)
        if high > low:
            T = np.stack([B, np.zeros_like(B)]) if p.in_space else B
            p = _appended(p, _motor(name), np.zeros_like(B), T, (high - low) / 2.0)
    return p, given


def _limits(asked: object, name: str) -> tuple[float, float]:
    """Return the limits of a torque. Raises InputError."""
    if isinstance(asked, tuple | list) and len(asked) == 2:
        low, high = (scalar(x, f"a limit of the torque of {name!r}") for x in asked)
    else:
        low = high = scalar(asked, f"the torque of {name!r} (a number, a pair of limits or 'free')")
    if low > high:
        raise InputError(f"the limits of the torque of {name!r} are {low:g} and {high:g}; give the lesser one first.")
    return low, high


def _known(p: ContactProblem, stays: bool) -> tuple[str, str, list[Array]]:
    """Return the verdict on all accelerations, its sentence, and those that are known."""
    rest = np.zeros(len(p.f))
    if stays and only_acceleration(p, rest):
        return ONE, "rest needs no friction, and then it is the only acceleration", [rest]
    if p.in_space and np.any(p.limited):
        return UNDECIDED, "of contacts in space beside limited torques accelerations are not listed", [rest] * stays
    if p.in_space:
        solved = solve_contacts(p)
        known = [a for solution in solved.solutions for a in solution.accelerations]
        word, reason = solved.verdict, solved.sentence
    else:
        findings = contact_findings(p)
        known, word, reason = [found.a for found in findings.forces], findings.verdict, findings.sentence
    if stays and not any(_rests(p, a) for a in known):
        known, word = [*known, rest], SEVERAL if known else UNDECIDED
    if not stays and any(_rests(p, a) for a in known):  # rounding decides
        known, word = [], UNDECIDED
    return word, reason, known


def _rests(p: ContactProblem, a: Array) -> bool:
    """Return whether an acceleration (n,) is none."""
    return float(p.metric.norm(a)) <= ZERO * (float(p.metric.norm(p.metric.reference)) or 1.0)


def _words(p: ContactProblem, contacts: tuple[str, ...], known: list[Array]) -> dict[str, str]:
    """Return what each contact does in all known accelerations."""
    white = lengths_of(p.metric.whitened(p.N)), lengths_of(p.metric.whitened(p.T.reshape(-1, len(p.f))))
    span = float(p.metric.norm(p.metric.reference)) or 1.0
    found: list[set[str]] = [set() for _ in contacts]
    for a in known:
        size = max(span, float(p.metric.norm(a)))
        gaps = p.gap_rates(a) / white[0] / size
        slips = np.abs((p.slip_rates(a).ravel() / white[1]).reshape(p.k, -1) / size).max(axis=1, initial=0.0)
        for i, words in enumerate(found):
            words.add(OPENS if gaps[i] > ZERO else SLIPS if slips[i] > ZERO else HOLDS)
    return {name: words.pop() if len(words) == 1 else UNDETERMINED for name, words in zip(contacts, found, strict=True)}
