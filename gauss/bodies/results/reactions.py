"""The force and the torque that a joint, a rolling contact or a driver exerts on a body.

The rows of a joint give the generalized force Jᵀλ. On the coordinates of one body this is a force on its origin and
forces G_k on the columns R_k of its rotation matrix; a virtual translation and turn, δR_k = δθ × R_k, do the work of

    F = Q on the origin,    τ = Σ_k R_k × G_k about the origin,    τ_P = τ + (a − P) × F.

This holds for any rows. What is left of Q strains the body and is taken up by its rigidity. Where rows depend on one
another the multipliers are not determined, but some components of the reaction may be.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from gauss.bodies.body.body import AnyBody, described
from gauss.bodies.joints.joint import Link
from gauss.dynamics import accelerate
from gauss.errors import InputError
from gauss.foundation.arrays import Array, Flags, Indices, lengths_of, scalar, tidied, unit_rows
from gauss.foundation.calls import advised, meant_name
from gauss.foundation.outcomes import Shown
from gauss.foundation.tolerances import DETERMINED
from gauss.geometry.rotations import rotation
from gauss.motion.record.natural import in_natural
from gauss.principle.rank import RANK_TOLERANCE
from gauss.uniqueness import Verdict
from gauss.uniqueness.ranges import vanishing
from gauss.verdict import LawOfFriction

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
    link = named_part(answer, link) if isinstance(link, str) else _same_link(answer, link)
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


def named_part(answer: Any, given: Any) -> Any:
    """Return what a name stands for, a joint or a force of the mechanism of an answer; others as they are.

    Raises InputError.
    """
    if not isinstance(given, str):
        return given
    source = _source_of(answer)
    parts = {part.name: part for part in (*getattr(source, "joints", ()), *getattr(source, "forces", ()))}
    return _named(given, parts, "joint or force")


def named_axes(answer: Any, part: Any, given: Any) -> Any:
    """Return what a name of axes stands for, others as they are.

    It is that of a body of a part or of the mechanism of an answer, or of a frame of its robot. Raises InputError.
    """
    if not isinstance(given, str) or given == "space":
        return given
    source = _source_of(answer)
    bodies = {body.name: body for body in (*part.bodies, *getattr(source, "bodies", ()))}
    return _named(given, {**getattr(source, "frames", {}), **bodies}, 'body that axes may be of (or "space")')


def _named(given: str, parts: Mapping[str, Any], what: str) -> Any:
    """Return the part with a name. Raises InputError."""
    if given in parts:
        return parts[given]
    known = f"known: {', '.join(parts)}" if parts else "this answer knows no mechanism: give the part itself"
    meant = meant_name(given, parts)
    raise InputError(f"there is no {what} {given!r}; {f'did you mean {meant!r}? ' if meant else ''}{known}.")


def _joints_of(answer: Any) -> dict[str, Any]:
    return {joint.name: joint for joint in getattr(_source_of(answer), "joints", ())}


def _source_of(answer: Any) -> Any:
    """Return the mechanism of an answer, None where it knows none."""
    system = getattr(getattr(answer, "setting", None), "system", getattr(answer, "system", None))
    return getattr(system, "source", None)


def _same_link(answer: Any, link: Any) -> Any:
    """Return a joint with the numbers of an answer whose mechanism is one of a family."""
    found = _joints_of(answer).get(getattr(link, "name", ""), link)
    return found if getattr(_source_of(answer), "family", None) is not None else link


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


# ------------------------------------------------------------------ what an answer says


@dataclass(frozen=True)
class States:
    """What the three kinds of answers have in common."""

    coordinates: tuple[str, ...]
    names: tuple[str, ...]  # of the rows
    q: Array  # (N, n)
    multipliers: Array  # (N, m)
    loaded: Flags | None  # (N, m) rows that may share reactions in a way not determined; None where there are none
    matrices: Any  # k ↦ J (m, n) at state k
    single: bool

    @property
    def count(self) -> int:
        """N."""
        return len(self.q)

    def named(self, k: int) -> dict[str, float]:
        """Return the coordinates of state k by name."""
        return dict(zip(self.coordinates, map(float, self.q[k]), strict=True))

    @staticmethod
    def of(answer: Any) -> States:
        """Return the states of an answer. Raises InputError for anything else."""
        if isinstance(answer, Verdict):
            return _of_verdict(answer) if answer.twin is None else _of_twin(answer)
        if hasattr(answer, "multipliers") and hasattr(answer, "state") and hasattr(answer, "system"):
            return _of_balance(answer)
        if not (hasattr(answer, "multipliers") and hasattr(answer, "about")):
            raise InputError(
                "a Verdict of gauss.accelerate, a run of gauss.simulate or an equilibrium is expected, got"
                f" {type(answer).__name__}."
            )
        return _of_run(answer)


def rows_of(link: Link, names: Sequence[str]) -> list[int]:
    """Return the indices of the rows of a link among those of a model. Raises InputError where there are none."""
    starts = [row.name for row in link.constraints()]
    shared = [start for start in starts if start in names and f"{start}[0]" in names]
    if shared:
        raise InputError(
            f"several parts of the model have rows called {', '.join(map(repr, shared))}; give {link.name!r} and the"
            " others names of their own."
        )
    found = [k for k, name in enumerate(names) if any(_belongs(name, start) for start in starts)]
    if not found:
        raise InputError(f"the rows of {link.name!r} are not among those of the model: {', '.join(names) or 'none'}.")
    return found


def _belongs(row: str, constraint: str) -> bool:
    rest = row.removeprefix(constraint)
    return row.startswith(constraint) and (not rest or (rest[0] == "[" and rest[1:-1].isdigit() and rest[-1] == "]"))


def _of_verdict(step: Verdict) -> States:
    if step.friction is not None and step.unique:
        return _of_friction(step)
    solution, problem = step.solution, step.solution.problem
    assert step.reactions is not None
    doubtful = step.reactions.undetermined
    loaded = np.array([[name in doubtful for name in problem.rows.names]]) if doubtful else None
    return States(
        coordinates=problem.coordinates,
        names=problem.rows.names,
        q=step.state.q[None],
        multipliers=solution.multipliers[None],
        loaded=loaded,
        matrices=lambda k: problem.rows.J,
        single=True,
    )


def _of_twin(found: Verdict) -> States:
    """Return the state of a verdict on a mechanism in joint coordinates, in natural ones."""
    assert found.twin is not None
    seen = found.twin()
    if isinstance(found.friction, LawOfFriction) and found.unique:
        open_ = {name for name, (low, high) in found.friction.ranges.items() if low < high}
    else:
        assert found.reactions is not None
        open_ = set(found.reactions.undetermined)
    open_ = seen.alike(open_)
    loaded = (seen.inner | np.array([name in open_ for name in seen.names]))[None] if open_ or seen.fitted else None
    return States(
        seen.coordinates, seen.names, seen.state.q[None], seen.multipliers[None], loaded, lambda k: seen.J, True
    )


def _of_friction(found: Verdict) -> States:
    """Return the state of a verdict whose forces are those of the law of friction."""
    law = found.friction
    assert isinstance(law, LawOfFriction)
    state, system = found.state, law.system
    J = system.model.terms(state.q, state.v, state.t, system.theta()).J
    forces = np.array([[law.multiplier(name) for name in system.row_names]])
    open_ = np.array([[low < high for low, high in (law.ranges[name] for name in system.row_names)]])
    loaded = open_ if np.any(open_) else None
    return States(system.coordinates, system.row_names, state.q[None], forces, loaded, lambda k: J, True)


def _of_balance(found: Any) -> States:
    system, state = found.system, found.state
    if system.twin is not None:
        return _of_twin(accelerate(system, state.q, state.v, state.t, u=found.u))
    J = system.model.terms(state.q, state.v, state.t, system.theta(found.u)).J
    loaded = np.array([[not (k in system.model.unilateral and x == 0.0) for k, x in enumerate(found.multipliers)]])
    return States(
        system.coordinates, system.row_names, state.q[None], found.multipliers[None], loaded, lambda k: J, True
    )


def _of_run(run: Any) -> States:
    if run.setting is None:
        raise InputError("a trajectory from a file needs its model: use trajectory.with_system(system).")
    run = in_natural(run)
    system, theta = run.setting.system, run.setting.theta

    def matrix(k: int) -> Array:
        return np.asarray(system.model.terms(run.q[k], run.v[k], float(run.t[k]), theta).J)

    loaded = None
    if run.about.redundant or run.stepping is not None or run.sharing is not None:
        left_out = np.array([name in run.about.redundant for name in system.row_names])
        loaded = run.active | left_out if run.sharing is None else run.active | left_out | run.sharing
    return States(system.coordinates, system.row_names, run.q, run.multipliers, loaded, matrix, False)


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
