"""`Mechanism`: bodies, joints and forces become an ordinary `gauss.System`."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Literal

import numpy as np

from gauss.bodies import families
from gauss.bodies.body.body import Body, Ground, Pose
from gauss.bodies.body.rods_and_particles import Particle, PlanarBody, Rod
from gauss.bodies.equations import given_of
from gauss.bodies.families import Family
from gauss.bodies.forces.bearing_friction import BearingFriction
from gauss.bodies.forces.dry_friction import PinFriction
from gauss.bodies.forces.forces import Force
from gauss.bodies.joints.drivers import Armature, Limit
from gauss.bodies.joints.joint import Link
from gauss.bodies.joints.rates import answered
from gauss.bodies.results.columns import columns_of
from gauss.bodies.results.units import units_of
from gauss.bodies.tree.loops import LoopFrame, loop_frames
from gauss.bodies.tree.places import TreePlaces
from gauss.bodies.tree.reduced import forget
from gauss.bodies.tree.spanning import Tree, spanning_tree
from gauss.bodies.tree.states import NaturalTwin, chosen, joint_state, natural_state
from gauss.errors import ImplausibleWarning, InputError
from gauss.foundation.arrays import Array, repeated_in, shortened
from gauss.foundation.calls import advised
from gauss.foundation.outcomes import Shown
from gauss.foundation.portable import Portable
from gauss.foundation.threads import warn
from gauss.geometry.vectors import numbers
from gauss.model import Constraint, System
from gauss.model.coordinates import Named
from gauss.model.unchanging import Unchanging
from gauss.motion.record.columns import Column, Later
from gauss.motion.record.natural import in_natural

Part = Body | Rod | Particle | PlanarBody
STANDARD = 9.81  # m/s²
LIGHTEST = 1e-4  # kg/m³; aerogels have 0.2, and lengths in mm divide densities by 1e9
DEEPEST = {2: 10, 3: 100}  # bodies on the longest path of a tree up to which "auto" means joint coordinates


@dataclass(frozen=True, eq=False, repr=False)
class Mechanism(Portable, Shown):
    """Bodies with their joints and forces.

    `gravity` (m/s²) has three components for bodies in space, two in the plane; left out, it is 9.81 m/s² along −z in
    space and along −y in the plane. `constraints` are further rows, functions of the coordinates by name; `parameters`
    and `controls` are those of the system, which forces and such rows may name; `units` are theirs, by name: those of
    bodies and joints are known.

    With `coordinates` "joint" the coordinates of the system are those of the joints of a spanning tree (`tree`), by the
    joint's name: angles (rad) and displacements (m), a unit quaternion of a ball joint. Joints that close loops are
    its only rows, in axes of the body where both sides of the loop begin, or in axes fixed in it of which one is across
    a plane loop; `reaction` gives their forces in any axes. Forces, constraints, drawings and results are the same;
    constraints may use both coordinates. "auto"
    takes joint coordinates where the longest path of joints in the tree is at most 10 bodies in the plane and 100 in
    space, natural ones beyond, and says so in `coordinates`. Raises InputError.

    >>> from gauss import bodies as mb
    >>> bars = [mb.PlanarBody(f"bar{k}", 1.0, inertia=0.1, centre=(0.5, 0)) for k in range(12)]
    >>> ends = [(mb.GROUND, (0, 0)), *((bar, (1, 0)) for bar in bars)]
    >>> pins = [mb.Pin(f"pin{k}", *ends[k], bar, (0, 0)) for k, bar in enumerate(bars)]
    >>> [mb.Mechanism("chain", bars[:n], pins[:n], coordinates="auto").coordinates for n in (10, 12)]
    ['joint', 'natural']
    """

    name: str
    bodies: Sequence[Part]
    joints: Sequence[Link] = ()
    forces: Sequence[Force] = ()
    gravity: Sequence[float] | None = None
    constraints: Sequence[Constraint] = ()
    parameters: Mapping[str, float] = field(default_factory=dict)
    controls: str | Sequence[str] = ()
    units: Mapping[str, str] = field(default_factory=dict)
    coordinates: Literal["natural", "joint", "auto"] = "natural"
    family: Family | None = None  # what `parametric` builds it from

    def __post_init__(self) -> None:
        for word, kinds in (("bodies", Part), ("joints", Link), ("forces", Force)):
            given = getattr(self, word)
            given = (given,) if isinstance(given, kinds) else given
            if not isinstance(given, Iterable):
                raise InputError(f"the {word} of {self.name!r} must be a list, got {given!r}.")
            parts = tuple(given)
            for part in parts:
                if not isinstance(part, kinds):
                    kind = type(part).__name__
                    place = _place_of(part)
                    raise InputError(f"the {word} of {self.name!r} must be {word}, but one is a {kind}.{place}")
            object.__setattr__(self, word, parts)
        if not self.bodies:
            raise InputError(f"the mechanism {self.name!r} has no bodies.")
        if len({body.dimension for body in self.bodies}) > 1:
            raise InputError(f"the mechanism {self.name!r} mixes bodies in space and in the plane.")
        self._require_known()
        size = self.bodies[0].dimension
        down = (0.0,) * (size - 1) + (-STANDARD,)
        given = down if self.gravity is None else self.gravity
        object.__setattr__(self, "gravity", numbers(given, size, f"the gravity of {self.name!r}"))
        self._warn_of_millimetres()
        if self.coordinates not in ("natural", "joint", "auto"):
            raise InputError(
                f"the coordinates of {self.name!r} are 'natural', 'joint' or 'auto', got {self.coordinates!r}."
            )
        if self.coordinates == "auto":
            object.__setattr__(self, "coordinates", self._chosen())
        if isinstance(self.parameters, Mapping):  # what else is given is refused by the system
            remedy = "system.with_parameters({name}={value}) returns its system with other ones"
            object.__setattr__(self, "parameters", Unchanging(self.parameters, "parameters", remedy))

    def _chosen(self) -> Literal["natural", "joint"]:
        """Return "joint" where joint coordinates pay, else "natural"."""
        depths: list[int] = []
        for node in self.tree.nodes:
            depths.append(1 + (depths[node.parent] if node.parent >= 0 else 0))
        held = any(node.joint is not None for node in self.tree.nodes)
        return "joint" if held and max(depths) <= DEEPEST[self.bodies[0].dimension] else "natural"

    def _warn_of_millimetres(self) -> None:
        """Warn where all bodies are as light for their size as where lengths are in mm, but gravity in m/s²."""
        assert self.gravity is not None
        bodies = [x for x in self.bodies if isinstance(x, Body) and not x.carried and not x.inertia.symbolic]
        light = bool(bodies) and all(x.inertia.density < LIGHTEST for x in bodies)
        if light and 0.9 * STANDARD < math.hypot(*self.gravity) < 1.1 * STANDARD:
            warn(
                f"the boxes with the inertia of {', '.join(repr(x.name) for x in bodies)} in {self.name!r} have"
                f" {bodies[0].inertia.density:.2g} kg/m³: are lengths in mm? They are taken in m, as gravity in m/s².",
                ImplausibleWarning,
            )

    def _require_known(self) -> None:
        """Raise InputError for names given twice and for joints and forces on bodies of another mechanism."""
        names = [body.name for body in self.bodies]
        repeated = repeated_in(names)
        if repeated:
            raise InputError(f"the mechanism {self.name!r} has several bodies called {', '.join(repeated)}.")
        repeated = repeated_in(joint.name for joint in self.joints)
        if repeated:
            raise InputError(f"the mechanism {self.name!r} has several joints called {', '.join(repeated)}.")
        self._require_one_friction_for_each_pin()
        known = {id(body) for body in self.bodies}
        parts: tuple[Link | Force, ...] = (*self.joints, *self.forces)
        for part in parts:
            for body in part.bodies:
                if not isinstance(body, Ground) and id(body) not in known:
                    raise InputError(
                        f"{part.name!r} acts on the body {body.name!r}, which is not among the bodies of"
                        f" {self.name!r} ({', '.join(names)})."
                    )

    def _require_one_friction_for_each_pin(self) -> None:
        """Raise InputError where a dry friction has no pin among the joints, or a pin has two."""
        joints, dry = {joint.name for joint in self.joints}, dict[str, str]()
        for part in self.joints:
            if not isinstance(part, PinFriction):
                continue
            pin = part.pin.name
            if pin not in joints:
                raise InputError(f"the friction {part.name!r} needs its pin {pin!r} among the joints of {self.name!r}.")
            if pin in dry:
                raise InputError(
                    f"the pin {pin!r} of {self.name!r} has two dry frictions, {dry[pin]!r} and {part.name!r}; give it"
                    " one PinFriction for both."
                )
            dry[pin] = part.name

    @cached_property
    def system(self) -> System:
        """The mechanism as a System: rows of the bodies first, then those of the joints.

        In natural coordinates the mass matrix is constant; in joint coordinates the joints of `tree` have no rows.
        """
        given = given_of(self)
        if self.family is not None:
            given |= {**self.family.functions(self, given), "equations": None}  # recursions have numbers
        system = System(self.name, parameters=self.parameters, controls=self.controls, units=self.units, **given)
        known = self._own_units(system)
        forget()
        families.forget()
        self._explain(system)
        system.units = known | system.units
        return system

    def _own_units(self, system: System) -> dict[str, str]:
        """Return the units of coordinates and rows."""
        if self.coordinates == "joint":
            return dict(self.tree.units()) | units_of(system, (), self.tree.loops)
        return units_of(system, self.bodies, self.joints)

    def bind(self, system: System) -> None:
        """Make the mechanism with the values of a system's parameters its source, from which its results come."""
        if self.family is None:
            return
        found = self
        if dict(system.parameters) != dict(self.parameters):
            found = self.family.mechanism(system.parameters, self.coordinates)
            found.__dict__.update(system=system, first=self.__dict__.get("first", self))
        found._explain(system)

    def _explain(self, system: System) -> None:
        """Say what the results of a system come from."""
        system.columns, system.source = self._columns, self
        if self.coordinates == "joint":
            system.twin = NaturalTwin(self)

    @advised
    def with_parameters(self, **values: float) -> Mechanism:
        """Return what `parametric` makes for other values; nothing is compiled again. Raises InputError."""
        if self.family is None:
            return replace(self, parameters=dict(self.system.with_parameters(**values).parameters))
        return self.system.with_parameters(**values).source  # type: ignore[no-any-return]

    @cached_property
    def tree(self) -> Tree:
        """The spanning tree of its joints, whose coordinates are those of the system with coordinates="joint"."""
        seen = [force.joint.name for force in self.forces if isinstance(force, BearingFriction)]
        return spanning_tree(self.bodies, self.joints, seen=seen)

    @cached_property
    def loop_frames(self) -> dict[str, LoopFrame]:
        """The axes of the rows of joints that close loops of `tree`, by name, where they are not those of space."""
        return loop_frames(self.tree, turning=self.family is None)

    @cached_property
    def _every_motion(self) -> Tree:
        """The tree of all joints, those too whose rows carry the load of a friction."""
        links = [joint for joint in self.joints if not isinstance(joint, PinFriction)]
        loaded = len(links) < len(self.joints) or any(isinstance(force, BearingFriction) for force in self.forces)
        return spanning_tree(self.bodies, links) if loaded else self.tree

    @cached_property
    def armatures(self) -> dict[str, float] | None:
        """The inertia of armatures by coordinate of the tree; None where one is on another motion."""
        found: dict[str, float] = {}
        for force in self.forces:
            if isinstance(force, Armature):
                name = self.tree.own.get((id(force.joint), force.motion or ""))
                if name is None:
                    return None
                found[name] = found.get(name, 0.0) + force.inertia
        return found

    @property
    def weight(self) -> tuple[float, float, float]:
        """The acceleration of gravity (m/s²) in space, of mechanisms in the plane too."""
        assert self.gravity is not None
        return (*self.gravity, 0.0)[:3]  # type: ignore[return-value]

    def _columns(self, run: Any) -> Iterator[tuple[str, Column | Later]]:
        return columns_of(self.bodies, self.joints, self.forces, in_natural(run))

    @cached_property
    def natural(self) -> Mechanism:
        """The same mechanism in natural coordinates."""
        if self.coordinates == "natural":
            return self
        first = self.__dict__.get("first")
        return (
            replace(self, coordinates="natural") if first is None else first.natural.with_parameters(**self.parameters)
        )

    @cached_property
    def oriented(self) -> Mechanism:
        """The same in natural coordinates as far as orientations tell: a stop of a turn or more excludes none."""
        found = self.natural
        joints = [joint.uncounted() if isinstance(joint, Limit) else joint for joint in self.joints]
        return found if joints == list(self.joints) or self.family is not None else replace(found, joints=joints)

    def state(
        self, *poses: Pose, values: Mapping[str, float] | None = None, rates: Mapping[str, float] | None = None
    ) -> tuple[Array, Array]:
        """Return (q, v), each (n,), from one `Pose` for each body, in any order, or from values of joints.

        Bodies without a pose are an error. `values` and `rates` are those of coordinates of the spanning tree by name
        (rad or m, and 1/s of that), as `tree.coordinates` lists them; those left out are zero. Joints that close loops
        are not asked: `gauss.consistent` moves a state onto the rows. Raises InputError.

        >>> from gauss import bodies as mb
        >>> rod = mb.Body("rod", mb.box(1.0, (0.1, 0.1, 1.0), at=(0.0, 0.0, -0.5)))
        >>> hinge = mb.Revolute("hinge", mb.GROUND, (0, 0, 0), rod, (0, 0, 0), axis1=(0, 1, 0))
        >>> pendulum = mb.Mechanism("pendulum", [rod], [hinge], coordinates="joint")
        >>> pendulum.state(values={"hinge": 0.3}, rates={"hinge": 2.0})
        (array([0.3]), array([2.]))
        """
        if values is not None or rates is not None:
            if poses:
                raise InputError(f"state of {self.name!r}: give poses of bodies or values of joints, not both.")
            tree = self._every_motion
            q, v = chosen(tree, values or {}, rates or {})
            if self.coordinates == "natural" or tree is not self.tree:
                names = tree.coordinates
                q, v = natural_state(tree, Named(names, list(q.values())), Named(names, list(v.values())))
        else:
            tree, (q, v) = None, self._posed(poses)
        if self.coordinates == "joint" and tree is not self.tree:
            q, v = joint_state(self.tree, q, v)
        return self.system.vector(q, "q"), self.system.vector(v, "v")

    def _posed(self, poses: Sequence[Pose]) -> tuple[dict[str, float], dict[str, float]]:
        """Return natural coordinates and velocities by name. Raises InputError."""
        wrong = [pose for pose in poses if not isinstance(pose, Pose)]
        if wrong:
            raise InputError(f"poses are made by body.pose(…), got {wrong[0]!r}.")
        names, given = [body.name for body in self.bodies], [pose.body for pose in poses]
        known, posed = set(names), set(given)
        for what, found in (
            ("no pose of", [n for n in names if n not in posed]),
            ("poses of unknown bodies", [n for n in given if n not in known]),
            ("several poses of", repeated_in(given)),
        ):
            if found:
                raise InputError(f"state of {self.name!r}: {what} {', '.join(found)}.")
        q = {name: x for pose in poses for name, x in pose.q.items()}
        v = {name: x for pose in poses for name, x in pose.v.items()}
        return q, v

    def named(self, values: object) -> Named | TreePlaces:
        """Return a vector (n,) by coordinate name, as `placed` and the `value` of joints take it. Raises InputError."""
        found = Named(self.system.coordinates, [float(x) for x in self.system.vector(values, "values")])
        return TreePlaces(self.tree, found) if self.coordinates == "joint" else found

    def multiplier_matrix(self, answer: Any, body: Body) -> Array:
        """Return Λ (3, 3), or (N, 3, 3) along a run, of a body: R̈K₀ + m ä ⊗ c₀ = Q + RΛ (VHIF (1.3)), N m.

        `answer` is a `Verdict` or a `Trajectory`. Q are the other forces on R, those of joints among them. The rows of
        the diagonal count twice, as |R_k|² = 1 has the gradient 2R_k. Raises InputError.
        """
        if not isinstance(body, Body) or body not in self.bodies:
            raise InputError(f"Λ belongs to a Body of {self.name!r}, got {body!r}.")
        rows = [f"{body.name} rigid[{k}]" for k in range(6)]
        multiplier = answered(answer)[1]
        d1, d2, d3, s12, s13, s23 = (np.asarray(multiplier(row), dtype=float) for row in rows)
        matrix = np.array([[2 * d1, s12, s13], [s12, 2 * d2, s23], [s13, s23, 2 * d3]])
        return np.moveaxis(matrix, (0, 1), (-2, -1))

    def _repr_latex_(self) -> str:
        """Return the formulas of the system as LaTeX."""
        return self.system._repr_latex_()

    def __repr__(self) -> str:
        words = [
            f"{word} " + shortened([f"{part.name} ({type(part).__name__})" for part in parts])
            for word, parts in (("bodies", self.bodies), ("joints", self.joints), ("forces", self.forces))
            if parts
        ]
        return f"Mechanism({self.name!r}: {'; '.join(words)})"


def _place_of(part: object) -> str:
    """Return where a part that is in another place belongs, as a sentence; "" for what is no part."""
    if isinstance(part, Force):
        return " Forces, motors among them, are the fourth argument."
    if isinstance(part, Link):
        return " Joints, drivers and dry friction among them, are the third argument."
    return " Bodies are the second argument." if isinstance(part, Part) else ""
