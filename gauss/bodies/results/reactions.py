"""The force and the torque that a joint, a rolling contact or a driver exerts on a body.

The rows of a joint give the generalized force Jᵀλ. On the coordinates of one body this is a force on its origin and
forces G_k on the columns R_k of its rotation matrix; a virtual translation and turn, δR_k = δθ × R_k, do the work of

    F = Q on the origin,    τ = Σ_k R_k × G_k about the origin,    τ_P = τ + (a − P) × F.

This holds for any rows. What is left of Q strains the body and is taken up by its rigidity. Where rows depend on one
another the multipliers are not determined, but some components of the reaction may be.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from gauss.bodies.body.body import AnyBody, described
from gauss.bodies.joints.joint import Link
from gauss.bodies.results.answers import States, named_axes, named_part, own_link, rows_of
from gauss.errors import InputError
from gauss.foundation.arrays import Array, Flags, Indices, lengths_of, scalar, tidied, unit_rows
from gauss.foundation.calls import advised
from gauss.foundation.outcomes import Shown
from gauss.foundation.tolerances import DETERMINED
from gauss.geometry.rotations import rotation
from gauss.principle.rank import RANK_TOLERANCE
from gauss.uniqueness.ranges import vanishing

KEPT = 256  # bodies whose constant matrices are kept


@dataclass(frozen=True, repr=False)
class Reaction(Shown):
    """Force and torque on a body at one state, or along a run with N states; in the plane d = 2, in space d = 3.

    Components that the state of motion does not determine, as the rows depend on one another, are nan.
    """

    link: str
    body: str  # that it acts on
    force: Array  # (d,) or (N, d), N
    torque: Array  # (3,) or (N, 3), in the plane () or (N,); N m, about the point asked for
    undetermined: tuple[str, ...]  # components that are not determined at some state: "force 1", …, "torque 3"

    def __str__(self) -> str:
        if self.force.ndim > 1:
            text = f"reaction of {self.link!r} on {self.body!r} at {len(self.force)} states"
        else:
            force, torque = (_shown(np.atleast_1d(y)) for y in (self.force, self.torque))
            text = f"reaction of {self.link!r} on {self.body!r}: force ({force}) N, torque ({torque}) N m"
        return text + (f"; not determined: {', '.join(self.undetermined)}" if self.undetermined else "")


def _shown(values: Array) -> str:
    known = np.isfinite(values)
    shown = tidied(np.where(known, values, 0.0))
    return ", ".join(f"{x:.6g}" if yes else "?" for x, yes in zip(shown, known, strict=True))


@advised
def reaction(
    answer: Any,
    link: Link | str,
    on: AnyBody | str | None = None,
    *,
    at: tuple[AnyBody, Sequence[float]] | None = None,
    axes: Any = "space",
) -> Reaction:
    """Return the force and torque that a joint (or anything else with rows) exerts on a body.

    * `link` is the joint, or its name where `answer` knows its mechanism, as a run does.
    * `answer` is a `Verdict` of gauss.accelerate, a `Trajectory`, or the result of gauss.equilibrium.
    * `on` is the body acted on, or its name; left out, it is body 2 of a joint, or the body that rolls. On the ground
      the reaction is the opposite of that on the other bodies.
    * `at` is the point of the torque, as a body and a point in its axes. Left out, it is point 2 of a joint, the point
      of contact of a rolling body, or else the origin of `on`.
    * `axes` are those of the components: "space", a body, a frame of a robot, the name of one of these, or a rotation
      matrix (3, 3) whose columns are the axes (in the plane an angle in rad).

    Components that dependent rows leave undetermined are nan and named in ``undetermined``. Raises InputError, and
    NonUniqueAccelerationError for a `Verdict` without a unique acceleration.

    >>> import gauss as g
    >>> from gauss import bodies as mb
    >>> bar = mb.PlanarBody("bar", 2.0, inertia=0.0, centre=(0.5, 0.0))
    >>> pin = mb.Pin("pin", mb.GROUND, (0, 0), bar, (0, 0))
    >>> pendulum = mb.Mechanism("pendulum", [bar], [pin])
    >>> found = g.accelerate(pendulum, *pendulum.state(bar.pose(angle=-g.pi / 2, rate=3.0)))
    >>> print(mb.reaction(found, pin))  # m g + m l ω²
    reaction of 'pin' on 'bar': force (0, 28.62) N, torque (0) N m
    >>> print(mb.reaction(found, pin, axes="bar"))  # along the bar
    reaction of 'pin' on 'bar': force (-28.62, 0) N, torque (0) N m
    """
    link = named_part(answer, link) if isinstance(link, str) else own_link(answer, link)
    if not isinstance(link, Link):
        more = "; `applied` gives that of a spring, a motor or another force" if hasattr(link, "generalized") else ""
        raise InputError(
            f"reaction needs a joint or another part with rows as its second argument, got {described(link)}{more}."
        )
    body, axes = body_of(link, on), named_axes(answer, link, axes)
    states = States.of(answer)
    picked = rows_of(link, states.names)
    point = point_of(link, body) if at is None else at
    values, known = [], []  # each (N, 6), in the plane (N, 3)
    for k in range(states.count):
        w, size = _wrench_of_rows(states, k, picked, link, body, point, axes)
        values.append(w @ states.multipliers[k][picked])
        known.append(_determined(states, k, picked, w, size))
    if not values:
        raise InputError("the run has no states.")
    return named_wrench(link.name, body, np.array(values), np.array(known), states.single)


def body_of(part: Any, on: AnyBody | str | None) -> AnyBody:
    """Return the body that a joint or force acts on, its only or second one where none is named. Raises InputError."""
    body = getattr(part, "body", part.bodies[-1]) if on is None else on
    found: AnyBody | None = next((known for known in part.bodies if body is known or body == known.name), None)
    if found is None:
        names = ", ".join(repr(known.name) for known in part.bodies)
        raise InputError(f"{part.name!r} acts on {names}, not on {getattr(body, 'name', body)!r}.")
    return found


def named_wrench(name: str, body: AnyBody, values: Array, known: Flags, single: bool) -> Reaction:
    """Return a reaction from force and torque (N, 6), in the plane (N, 3), and which of them are determined."""
    d = 3 if values.shape[1] == 6 else 2
    labels = [f"force {i + 1}" for i in range(d)] + (["torque"] if d == 2 else [f"torque {i + 1}" for i in range(3)])
    undetermined = tuple(label for label, yes in zip(labels, np.all(known, axis=0), strict=True) if not yes)
    found = np.where(known, values, np.nan)
    force, torque = found[:, :d], found[:, d:] if d == 3 else found[:, d]
    if single:
        force, torque = force[0], torque[0]
    return Reaction(name, body.name, force, np.asarray(torque), undetermined)


# ------------------------------------------------------------------ wrenches


def point_of(link: Any, body: AnyBody) -> Any:
    """Return the point of a joint, as a body and a point of it, or a function of q; None for the origin of `body`."""
    if hasattr(link, "point2") and hasattr(link, "body2"):
        return link.body2, link.point2
    if hasattr(link, "contact"):
        return link.contact
    if hasattr(link, "point") and hasattr(link, "body"):
        return link.body, link.point
    return None


def _wrench_of_rows(
    states: States, k: int, picked: list[int], link: Link, body: AnyBody, point: Any, axes: Any
) -> tuple[Array, Array]:
    """Return force and torque per unit of each multiplier (6 or 3, rows), and the sizes (6 or 3, rows) of the terms."""
    J = states.matrices(k)[picked]
    total, sizes = 0.0, 0.0
    for names, G in wrench_maps(link.bodies, body, states.named(k), point, axes):
        own = J[:, [states.coordinates.index(name) for name in names]].T
        total = total + G @ own
        sizes = sizes + np.abs(G) @ np.abs(own)
    return np.asarray(total), np.asarray(sizes)


def wrench_maps(
    bodies: Sequence[AnyBody], body: AnyBody, q: dict[str, float], point: Any, axes: Any
) -> list[tuple[tuple[str, ...], Array]]:
    """Return what makes generalized forces force and torque on `body`: coordinates and matrices (6 or 3, n_b).

    On the ground these are minus the forces and torques on the other bodies. Raises InputError for a point or axes of
    bodies that are not in the model.
    """
    acting, sign = ([body], 1.0) if body.coordinates else ([part for part in bodies if part.coordinates], -1.0)
    d = 2 if any(part.dimension == 2 for part in bodies) else 3
    place = place_of(point, body, q)[:d]
    turned = sign * _axes_of(axes, q, place.size)
    return [(part.coordinates, turned @ _to_wrench(part, q, place)) for part in acting]


def place_of(point: Any, body: AnyBody, q: dict[str, float]) -> Array:
    """Return the point of the torque in space (d,). Raises InputError."""
    if point is None:
        return np.array(body.placed(q).origin, dtype=float)
    if callable(point):
        return np.array(point(q), dtype=float)
    if not (isinstance(point, Sequence) and len(point) == 2 and hasattr(point[0], "require_point")):
        raise InputError(f"at needs a body and a point of it, as in at=(body, (0, 0, 0)), got {point!r}.")
    owner, at = point
    if any(name not in q for name in owner.coordinates):
        raise InputError(f"the body {owner.name!r} of the point of the torque is not in the model.")
    return np.array(owner.placed(q).point(owner.require_point(at, "the point of the torque")), dtype=float)


def _axes_of(axes: Any, q: dict[str, float], d: int) -> Array:
    """Return the matrix (6, 6), in the plane (3, 3), to the components asked for. Raises InputError."""
    if isinstance(axes, str):
        R = np.eye(d)
    elif hasattr(axes, "placed"):
        body = getattr(axes, "body", axes)  # of a frame
        if any(name not in q for name in body.coordinates):
            raise InputError(f"the body {body.name!r} of the axes is not in the model.")
        R = np.array([axes.placed(q).direction(e) for e in np.eye(d).tolist()], dtype=float).T
        if abs(np.linalg.det(R) - 1.0) > 1e-6:
            raise InputError(f"{body.name!r} has no axes; give another body or a rotation matrix.")
    elif d == 2:
        angle = scalar(axes, "axes (in the plane an angle)")
        c, s = np.cos(angle), np.sin(angle)
        R = np.array([[c, -s], [s, c]])
    else:
        R = rotation(axes, "axes")
    whole = np.eye(6 if d == 3 else 3)
    whole[:d, :d] = R.T
    if d == 3:
        whole[3:, 3:] = R.T
    return whole


def _to_wrench(body: AnyBody, q: dict[str, float], place: Array) -> Array:
    """Return the matrix (6, n_b), in the plane (3, n_b), from generalized forces on a body to force and torque."""
    lift = lift_of(body)  # type: ignore[arg-type]  # bodies are compared by identity
    placed = body.placed(q)
    d = place.size
    arm = np.array(placed.origin, dtype=float) - place
    force = lift[:d]
    torque = _crossed(arm, force)
    for j, column in enumerate(placed.columns):
        torque = torque + _crossed(np.array(column, dtype=float), lift[d + j * d : d + (j + 1) * d])
    return np.vstack([force, torque])


@lru_cache(maxsize=KEPT)
def lift_of(body: AnyBody) -> Array:
    """Return what makes generalized forces (n_b,) forces on the origin and on each column, stacked.

    Origin and columns are linear in the coordinates, with the matrix A; generalized forces are lifted by (A⁺)ᵀ.
    """
    names = body.coordinates
    images = []
    for name in names:
        placed = body.placed({other: float(other == name) for other in names})
        images.append([*placed.origin, *(x for column in placed.columns for x in column)])
    return np.asarray(np.linalg.pinv(np.array(images, dtype=float).T).T)


def _crossed(r: Array, vectors: Array) -> Array:
    """Return r × each column of `vectors` (d, k): (3, k), in the plane (1, k)."""
    if r.size == 2:
        return np.asarray((r[0] * vectors[1] - r[1] * vectors[0])[None])
    x, y, z = r
    return np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]]) @ vectors


def _determined(states: States, k: int, picked: list[int], w: Array, size: Array) -> Flags:
    """Return which components are the same for all multipliers that fit state k.

    They are those in which no combination of rows that vanishes has a part.
    """
    if states.loaded is None or not np.any(states.loaded[k][picked]):
        return np.ones(len(w), dtype=bool)
    rows = np.flatnonzero(states.loaded[k])
    J = states.matrices(k)
    null = vanishing(unit_rows(J[rows]), RANK_TOLERANCE)[0]
    if not null.size:
        return np.ones(len(w), dtype=bool)
    return determined_parts(J, rows, null, picked, w, size)


def determined_parts(J: Array, rows: Indices, null: Array, picked: list[int], w: Array, size: Array) -> Flags:
    """Return which components of w (6 or 3, rows picked) have no part in the combinations `null` (k, d) of rows."""
    length = lengths_of(J[picked])
    shares = np.zeros((len(w), len(J)))
    shares[:, picked] = w / length
    part = np.max(np.abs(shares[:, rows] @ null), axis=1)
    d = 3 if len(w) == 6 else 2
    largest = np.max(size / length, axis=1)
    scale = np.concatenate([np.full(d, np.max(largest[:d])), np.full(len(w) - d, np.max(largest[d:]))])
    return np.asarray(part <= DETERMINED * scale)
