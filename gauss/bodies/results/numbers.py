"""`Numbers`: what controllers and estimators ask of a mechanism in joint coordinates, each as one compiled function."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal

import numpy as np

from gauss.bodies.tree import quantities
from gauss.bodies.tree.formulas import FORMULAS
from gauss.bodies.tree.recursion import Recursion
from gauss.dynamics import accelerate
from gauss.errors import InputError
from gauss.foundation.arrays import LARGEST, Array, Flags, scalar, vector
from gauss.foundation.portable import Portable
from gauss.model import System
from gauss.model.compiled.buffer import Buffered
from gauss.model.compiled.quantities import compiled
from gauss.model.compiled.steps.independence import Balance
from gauss.uniqueness.clear import balanced, clear_acceleration, clearly_definite, clearly_open, pressed_alone

Axes = Literal["space", "body"]
EFFORT = "tau_"  # before the name of a coordinate: the control that is a generalized force on it
LONG = 30  # coordinates of a tree without rows beyond which articulated bodies take fewer operations
POINT = ("px", "py", "pz")
ORIGIN = (0.0, 0.0, 0.0)
NOWHERE = np.zeros(3)


@dataclass(frozen=True, eq=False)
class Efforts(Portable):
    """Generalized forces on the coordinates of a tree, as controls."""

    names: tuple[str, ...]
    name: str = "efforts"
    bodies: tuple[Any, ...] = ()
    conservative: bool = False

    def potential(self, q: Any) -> Any:
        """Return no energy."""
        return 0.0

    def generalized(self, world: dict[str, Any]) -> list[dict[str, Any]]:
        """Return the forces by coordinate."""
        return [{name: world["u"][EFFORT + name] for name in self.names}]


class Numbers:
    """Mass matrix, bias, Jacobians, inverse and forward dynamics of a mechanism in joint coordinates, by recursion.

    With the coordinates q of its spanning tree, their rates v and second derivatives a, in the order of `coordinates`:

        M(q) a + h(q, v) = Q(q, v, t, u) + τ + Jᵀλ,     h = C v + weights

    `mass_matrix` is M, `bias` h, `gravity` h at rest, `applied` Q (springs, dampers, motors); τ are given generalized
    forces, N m or N. Rows J, of loops, unit quaternions and stops that touch (`Limit`, λ ≥ 0), are in
    `forward_dynamics` alone: the τ of `inverse_dynamics` is that which would do without stops. States are arrays (n,)
    or dicts by coordinate; positions of points are in axes of their body, m. The vectors of a frame have the linear
    components first, then the angular ones, in axes of space ("space") or of the body ("body"). Each method calls
    one compiled function, which `function` returns.

    A body that nothing holds has its place in space and a unit quaternion p = (w, x, y, z) as coordinates, a ball
    joint the quaternion; their velocities are the rates. Programs with the angular velocity ω in body axes instead
    (Pinocchio: also the linear velocity in body axes, and p as (x, y, z, w)) have v' = S v with

        ω = 2 p* ṗ,   ν = R(p)ᵀ ẋ:     M = Sᵀ M' S + μ p pᵀ,   h = Sᵀ(h' + M' Ṡ v) + μ p (ṗ·ṗ),   J = J' S

    where μ > 0 makes M definite; the row p·p = 1 takes its terms up. Of a and of τ too: a' = S a + Ṡ v, τ = Sᵀ τ'.

    Raises InputError for natural coordinates, for mechanisms with rods or particles, and for armatures on motions that
    are no coordinates.

    >>> from gauss import bodies as mb
    >>> arm = mb.Body("arm", mb.box(2.0, (0.1, 0.1, 1.0), at=(0.0, 0.0, -0.5)))
    >>> hinge = mb.Revolute("hinge", mb.GROUND, (0, 0, 0), arm, (0, 0, 0), axis1=(0, 1, 0))
    >>> robot = mb.Mechanism("robot", [arm], [hinge], coordinates="joint")
    >>> numbers = mb.Numbers(robot)
    >>> numbers.gravity({"hinge": 0.5}).round(6)  # N m to hold it: m g l sin θ
    array([4.703165])
    >>> a = numbers.forward_dynamics([0.5], [1.0], [4.0])
    >>> bool(abs(numbers.inverse_dynamics([0.5], [1.0], a) - 4.0) < 1e-12)
    True
    >>> numbers.jacobian([0.0], "arm", (0, 0, -1)) @ [2.0] + 0.0  # of its end: linear, then angular
    array([-2.,  0.,  0.,  0.,  2.,  0.])
    >>> numbers.function("mass_matrix")
    Function(mass_matrix:(q)->(M) SXFunction)
    """

    def __init__(self, mechanism: Any):
        if getattr(mechanism, "coordinates", None) != "joint":
            name = getattr(mechanism, "name", mechanism)
            raise InputError(
                f"numbers for controllers are those of joint coordinates, and {name!r} has others:"
                ' make it with Mechanism(…, coordinates="joint").'
            )
        if mechanism.tree.loose:
            names = ", ".join(body.name for body in mechanism.tree.loose)
            raise InputError(f"{mechanism.name!r} has rods or particles ({names}), whose numbers are not known here.")
        if mechanism.armatures is None:
            raise InputError(f"{mechanism.name!r} has an armature on a motion that is no coordinate of its tree.")
        self.mechanism, self.tree = mechanism, mechanism.tree
        self.coordinates: tuple[str, ...] = self.tree.coordinates
        self.n = len(self.coordinates)
        self._nodes = {node.body.name: k for k, node in enumerate(self.tree.nodes)}
        self._compiled: dict[Any, Buffered] = {}

    def __reduce__(self) -> tuple[Any, ...]:
        """Travel as the mechanism; functions are compiled where they are called."""
        return type(self), (self.mechanism,)

    @cached_property
    def system(self) -> System:
        """The system of the mechanism with a generalized force τ on each coordinate as a further control."""
        m = self.mechanism
        controls = m.controls.replace(",", " ").split() if isinstance(m.controls, str) else list(m.controls)
        efforts = [EFFORT + name for name in self.coordinates]
        found = replace(m, controls=[*controls, *efforts], forces=(*m.forces, Efforts(self.coordinates)))
        return found.system  # type: ignore[no-any-return]

    def recursion(self, q: Any) -> Recursion:
        """Return the recursions at coordinates by name, with the armatures of the mechanism."""
        return Recursion(self.tree, q, self.mechanism.armatures)

    # -------------------------------------------------------------- numbers

    def mass_matrix(self, q: object) -> Array:
        """Return M (n, n), kg m² or kg."""
        return self._function("mass_matrix")(self._state(q, "q"))[0].reshape(self.n, self.n)

    def bias(self, q: object, v: object) -> Array:
        """Return h (n,) = C v + weights: inverse dynamics with second derivatives of zero."""
        return self._function("bias")(self._state(q, "q"), self._state(v, "v"))[0]

    def gravity(self, q: object) -> Array:
        """Return the weights (n,): the generalized forces that hold the mechanism at rest against them."""
        return self._function("gravity")(self._state(q, "q"))[0]

    def inverse_dynamics(self, q: object, v: object, a: object) -> Array:
        """Return M a + h (n,): the generalized forces that the motion asks for, springs and motors not counted."""
        function = self._function("inverse_dynamics")
        return function(self._state(q, "q"), self._state(v, "v"), self._state(a, "a"))[0]

    def applied(self, q: object, v: object, *, t: float = 0.0, u: object = None) -> Array:
        """Return the generalized forces (n,) of springs, dampers and motors, for controls u of the mechanism."""
        system = self.system
        f = system.model.terms(self._state(q, "q"), self._state(v, "v"), scalar(t, "t"), self.theta(None, u)).f
        return f + self.bias(q, v)

    def forward_dynamics(self, q: object, v: object, tau: object = None, *, t: float = 0.0, u: object = None) -> Array:
        """Return the acceleration (n,) under generalized forces τ and controls u of the mechanism, certified.

        It is that of `gauss.accelerate`: stops that touch push with λ ≥ 0, so that a joint does not go on into them.
        Where all stops are clearly open, the factorisation of masses and rows is clear and the equations hold to
        rounding, no verdict is made; where there is a doubt, and at a stop, the verdict decides, which takes some
        thirty times as long. Raises what ``accelerate(…).a`` raises: NonUniqueAccelerationError,
        InconsistentStateError for a state off its rows.
        """
        q, v, theta = self._state(q, "q"), self._state(v, "v"), self.theta(tau, u)
        clear = self._along_the_tree if self._is_long else clear_acceleration
        found = clear(self.system, *self.without_place(q, v), scalar(t, "t"), theta)
        if found is None:
            found = accelerate(self.system, q, v, t, u=theta[len(self.system.parameters) :]).a
        return found

    @cached_property
    def _is_long(self) -> bool:
        """Whether the tree has no loops and so many coordinates that a recursion costs less than a factorisation."""
        return self.n > LONG and not self.system.model.equality and self.system.black_box_force is None

    def _along_the_tree(self, system: System, q: Array, v: Array, t: float, theta: Array) -> Array | None:
        """Return the acceleration by articulated bodies as `clear_acceleration` does, None where it is not clear.

        Pivots are those of M, eliminated from the tips of the tree; what is left of the equations is computed by
        inverse dynamics.
        """
        if not (pressed_alone(system) and clearly_open(system, q, v, t, theta)):
            return None
        f, kinetic, potential = system.model.forces(q, v, t, theta)
        a, moved, rest, corrected, pivots, masses = self._function("_articulated")(q, f)
        most = sum(float(np.abs(x).sum()) for x in (q, v, f, kinetic, potential, a, moved, masses))
        if not clearly_definite(float((pivots / masses).min()), float(masses.min()), most):
            return None
        left, pushed, applied = (np.sqrt(max(float(x @ y), 0.0)) for x, y in ((rest, corrected), (moved, a), (f, a)))
        return a if balanced(Balance(left, pushed + applied, 0.0, 0.0), self.n) else None

    def without_place(self, q: Array, v: Array) -> tuple[Array, Array]:
        """Return q and v (n,) with zeros for what nothing depends on: what is said of one state holds for both.

        A free body far from the origin, or fast, would raise doubts by rounding that concern nothing.
        """
        places, speeds = self._ignorable
        return _cleared(q, places), _cleared(v, speeds)

    @cached_property
    def _ignorable(self) -> list[Flags | None]:
        return [free if free.any() else None for free in self.system.model.ignorable]

    def placement(self, q: object, body: Any, point: object = ORIGIN) -> tuple[Array, Array]:
        """Return where a point of a body is in space (3,), m, and the axes of the body as columns (3, 3).

        In the place of a body there may be a frame of a robot, or its name: the axes are those of the frame.
        """
        frame = self._frame(body)
        body, point = self._placed(body, point)
        place, R = self._function("placement", body)(self._state(q, "q"), self._point(point))
        return place, R if frame is None else R @ frame.rotation

    def jacobian(self, q: object, body: Any, point: object = ORIGIN, *, axes: Axes = "space") -> Array:
        """Return J (6, n): the velocity of a point of a body (m/s) and the angular one (rad/s) are J v.

        In the place of a body there may be a frame of a robot, or its name: points, and axes "body", are then its own.
        """
        turn = self._axes_of(body, axes)
        body, point = self._placed(body, point)
        J = self._function("jacobian", body, axes)(self._state(q, "q"), self._point(point))[0].reshape(6, self.n)
        return J if turn is None else turn @ J

    def bias_acceleration(
        self, q: object, v: object, body: Any, point: object = ORIGIN, *, axes: Axes = "space"
    ) -> Array:
        """Return J̇ v (6,): the acceleration of a point (m/s²) and the angular one where a is zero.

        With axes "body" it has components along these axes: J̇ is the derivative of the Jacobian in space.
        """
        turn = self._axes_of(body, axes)
        body, point = self._placed(body, point)
        function = self._function("bias_acceleration", body, axes)
        found = function(self._state(q, "q"), self._state(v, "v"), self._point(point))[0]
        return found if turn is None else turn @ found

    def centroidal_momentum(self, q: object, v: object) -> Array:
        """Return the momentum (kg m/s) and its moment about the centre of mass (6,), in axes of space."""
        return self._function("centroidal_momentum")(self._state(q, "q"), self._state(v, "v"))[0]

    def centroidal_matrix(self, q: object) -> Array:
        """Return A (6, n), with the centroidal momentum A v."""
        return self._function("centroidal_matrix")(self._state(q, "q"))[0].reshape(6, self.n)

    def centre_of_mass(self, q: object) -> Array:
        """Return the centre of mass (3,) in space, m."""
        return self._function("centre_of_mass")(self._state(q, "q"))[0]

    def regressor(self, q: object, v: object, a: object) -> Array:
        """Return Y (n, 10 N) with M a + h = Y π, π the `inertial_parameters` of the N bodies.

        Armatures are not in Y: they add their inertia times a. The row p·p = 1 of quaternions is taken to hold in q, v
        and a.
        """
        function = self._function("regressor")
        return function(self._state(q, "q"), self._state(v, "v"), self._state(a, "a"))[0]

    @cached_property
    def inertial_parameters(self) -> Array:
        """The parameters π (10 N,): m, m c and the tensor (xx, xy, yy, xz, yz, zz) about the origin of each body.

        In body axes, bodies in the order of the tree.
        """
        return np.array(quantities.inertial_parameters(self.tree))

    # ------------------------------------------------------------ functions

    def function(self, name: str, body: Any = None, axes: Axes = "space") -> Any:
        """Return the CasADi function behind a method, for code generation and derivatives.

        Names are those of the methods but `applied`. The inputs of `forward_dynamics` are (q, v, t, theta) with theta
        the parameters, the controls and τ, or (q, f) with f = Q + τ − h where the tree is long and has no loops; its
        first output is the acceleration where no stop touches, the others certify it.
        The function of a placement, Jacobian or bias acceleration is that of one body, with the point as an input.
        Raises InputError.

        >>> from gauss import bodies as mb
        >>> arm = mb.Body("arm", mb.box(2.0, (0.1, 0.1, 1.0), at=(0.0, 0.0, -0.5)))
        >>> hinge = mb.Revolute("hinge", mb.GROUND, (0, 0, 0), arm, (0, 0, 0), axis1=(0, 1, 0))
        >>> numbers = mb.Numbers(mb.Mechanism("robot", [arm], [hinge], coordinates="joint"))
        >>> numbers.function("jacobian", "arm").name_in()
        ['q', 'point']
        >>> numbers.function("bias").generate("bias.c")  # C code
        'bias.c'
        >>> numbers.function("gravity").jacobian().name_out()  # and derivatives
        ['jac_h_q']
        """
        if name == "forward_dynamics":
            if self._is_long:
                return self._function("_articulated").function
            answers = self.system.model.pieces.answers
            if answers is None:
                raise InputError(f"{self.mechanism.name!r} is too large for a compiled forward dynamics.")
            return answers.function.function
        return self._function(name, body, axes).function

    def _function(self, name: str, body: Any = None, axes: str = "space") -> Buffered:
        try:
            return self._compiled[name, body, axes]
        except (KeyError, TypeError):
            return self._made(name, body, axes)

    def _made(self, name: str, body: Any, axes: str) -> Buffered:
        """Compile a function where it is first asked for. Raises InputError."""
        if name not in FORMULAS:
            known = ", ".join((*(each for each in FORMULAS if not each.startswith("_")), "forward_dynamics"))
            raise InputError(f"there is no compiled function {name!r}; known: {known}.")
        if axes not in ("space", "body"):
            raise InputError(f'axes are "space" or "body", got {axes!r}.')
        inputs, outputs, make = FORMULAS[name]
        given: dict[str, Any] = {}
        if "point" in inputs:
            key = body if isinstance(body, str) else getattr(body, "name", None)
            if key not in self._nodes:
                known = ", ".join(self._nodes)
                frames = ", ".join(name for name in getattr(self.mechanism, "frames", {}) if name not in self._nodes)
                more = f"; its frames: {frames}" if frames else ""
                raise InputError(f"{body!r} is no body of {self.mechanism.name!r}; its bodies: {known}{more}.")
            given = {"node": self._nodes[key], "space": axes == "space"}
        words = {word: POINT if word == "point" else self.coordinates for word in inputs.split()}

        def formula(q: Any, **vectors: Any) -> list[Any]:
            return make(self.recursion(q), self.mechanism.weight, **vectors, **given)

        found = compiled(name.strip("_"), words, outputs.split(), formula)
        self._compiled[name, body, axes] = found
        return found

    # --------------------------------------------------------------- inputs

    def theta(self, tau: object = None, u: object = None) -> Array:
        """Return what the system takes beside the state: parameters, controls u and τ. Raises InputError."""
        system = self.system
        count = len(system.controls) - self.n
        found = np.zeros(len(system.parameters) + count + self.n)
        if system.parameters:
            found[: len(system.parameters)] = list(system.parameters.values())
        if u is not None:
            names = system.controls[:count]
            if isinstance(u, Mapping):
                unknown = [name for name in u if name not in names]
                if unknown:
                    raise InputError(f"u names {unknown}; the controls are {', '.join(names) or 'none'}.")
                u = [scalar(u.get(name, 0.0), f"control {name!r}") for name in names]
            found[len(system.parameters) : -self.n] = vector(u, count, "u", names)
        if tau is not None:
            found[-self.n :] = self._state(tau, "tau")
        return found

    def _state(self, value: Any, what: str) -> Array:
        """Return a vector (n,); arrays of finite numbers are taken as they are. Raises InputError."""
        plain = type(value) is np.ndarray and value.dtype == np.float64 and value.shape == (self.n,)
        if plain and value.dot(value) < LARGEST:
            return value  # type: ignore[no-any-return]
        return self.mechanism.system.vector(value, what)  # type: ignore[no-any-return]

    def _frame(self, given: Any) -> Any:
        """Return the frame of a robot that is given, or named where no body has the name; else None."""
        if isinstance(given, str) and given not in self._nodes:
            return getattr(self.mechanism, "frames", {}).get(given)
        return given if hasattr(given, "rotation") and hasattr(given, "point") else None

    def _axes_of(self, body: Any, axes: str) -> Array | None:
        """Return what turns motions (6,) from axes of a body to those of a frame of it, or None."""
        frame = self._frame(body) if axes == "body" else None
        return None if frame is None else np.kron(np.eye(2), frame.rotation.T)

    def _placed(self, body: Any, point: object) -> tuple[Any, object]:
        """Return a body and a point of it, from the like or from a frame and a point in axes of the frame."""
        frame = self._frame(body)
        if frame is None:
            return body, point
        offset = 0.0 if point is ORIGIN else frame.rotation @ self._point(point)
        return frame.body, frame.point if point is ORIGIN else np.array(frame.point) + offset

    def _point(self, value: Any) -> Array:
        if value is ORIGIN:
            return NOWHERE
        size = self.mechanism.bodies[0].dimension
        return np.append(vector(value, size, "the point"), [0.0] * (3 - size))


def _cleared(values: Array, free: Flags | None) -> Array:
    """Return values (n,) with zeros at the flags, or as they are where there are none."""
    if free is None:
        return values
    found = values.copy()
    found[free] = 0.0
    return found
