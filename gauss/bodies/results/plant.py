"""`Plant`: a mechanism that a control loop moves step by step, each step certified."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np

from gauss.bodies.results.numbers import Numbers
from gauss.dynamics import accelerate, require_consistent
from gauss.errors import InputError, SingularPositionError, SolverError
from gauss.foundation.arrays import Array, positive, shortened
from gauss.foundation.threads import withheld
from gauss.model.compiled import StepScalar
from gauss.model.compiled.native import require_compiler
from gauss.model.compiled.steps.independence import Independence
from gauss.model.state import State
from gauss.motion.single import follow
from gauss.motion.singular.redundant import independent_rows
from gauss.motion.steps.setting import Setting, metric_weight, natural_atol
from gauss.motion.steps.step_certificate import certified_once, objection, projected_again
from gauss.motion.steps.steppers import FusedStepper, Stepper, stepper_of
from gauss.numerics.runge_kutta import dop853
from gauss.uniqueness.clear import clear_at, clearly_open

SECOND = 1.0  # s, the span of a motion by which sizes of coordinates are judged
HALVINGS = 20  # of a step whose error is too large
AT_ONCE = 10**9  # questions for bounds of independence: they are compiled at the first one


class Plant:
    """A mechanism in joint coordinates with a state that `step` moves, for control loops and estimators.

    A step is one of the pair of Dormand and Prince of order 8 (12 stages) with τ and u held, projected onto the rows
    of loops and unit quaternions. Its error estimate stays below `rtol` (and an absolute tolerance of at most 1e-12):
    where it is larger the step is divided. Each step is certified as those of `gauss.simulate` are. The state that it
    leaves is so far from dependent rows that no verdict is needed, or has the verdict "regular" or "redundant".

    Stops of joints (`Limit`), and other contacts without friction, are watched. While all are open a step costs what it
    costs without them; one that begins at a closed stop or would pass one is a motion of `gauss.simulate`, which
    locates the impact and the release, and takes ten to thirty milliseconds. Friction and ways through singular
    positions are left to `gauss.simulate`.

    With a C `compiler` ("cc", "gcc", "clang") steps are machine code, which takes it seconds once: a step of a leg with
    two loops then is some six times as fast, with the same numbers to the bit.

    `numbers` are the `Numbers` of the mechanism, `t` (s), `q` and `v` (n,) the state. Raises InputError, and what
    `reset` raises.

    >>> from gauss import bodies as mb
    >>> arm = mb.Body("arm", mb.box(2.0, (0.1, 0.1, 1.0), at=(0.0, 0.0, -0.5)))
    >>> hinge = mb.Revolute("hinge", mb.GROUND, (0, 0, 0), arm, (0, 0, 0), axis1=(0, 1, 0))
    >>> robot = mb.Mechanism("robot", [arm], [hinge], coordinates="joint")
    >>> plant = mb.Plant(robot, [1.0])
    >>> for _ in range(4000):  # 1 kHz: weights, and a spring with a damper towards zero
    ...     q, v = plant.step(0.001, plant.numbers.gravity(plant.q) - 20.0 * plant.q - 8.0 * plant.v)
    >>> round(plant.t, 9), bool(abs(q[0]) < 1e-4)
    (4.0, True)
    """

    _stepper: Stepper

    def __init__(
        self,
        mechanism: Any,
        q: object,
        v: object = None,
        *,
        t: float = 0.0,
        rtol: float = 1e-9,
        compiler: str | None = None,
    ):
        self.numbers = mechanism if isinstance(mechanism, Numbers) else Numbers(mechanism)
        self.rtol = positive(rtol, "rtol")
        self.compiler = None if compiler is None else require_compiler(compiler)
        system = self.numbers.system
        if system.contacts or system.black_box_force is not None:
            what = "a black-box force"
            if system.contacts:
                what = f"friction ({shortened([repr(contact.row) for contact in system.contacts])})"
            raise InputError(
                f"{system.name!r} has {what}, which steps do not follow. gauss.simulate does, with a controller as"
                " control=gauss.motion.Sampled(law, period)."
            )
        self.reset(q, v, t)

    def reset(self, q: object, v: object = None, t: float = 0.0) -> None:
        """Set the state.

        Raises InconsistentStateError off the rows or behind a stop, SingularPositionError where the verdict refuses.

        >>> from gauss import bodies as mb
        >>> cart = mb.Body("cart", mb.box(2.0, (0.1, 0.1, 0.1)))
        >>> rail = mb.Prismatic("rail", mb.GROUND, (0, 0, 0), cart, (0, 0, 0), axis1=(1, 0, 0))
        >>> plant = mb.Plant(mb.Mechanism("cart", [cart], [rail], coordinates="joint"), [0.0], [1.0])
        >>> plant.step(0.5, [4.0])
        (array([0.75]), array([2.]))
        >>> plant.reset([0.0])
        >>> plant.q, plant.t
        (array([0.]), 0.0)
        """
        system = self.numbers.system
        state = system.start(q, v, t)
        theta = self.numbers.theta()
        weight = metric_weight(system, state.q, state.v, state.t)
        atol = natural_atol(system, state, SECOND, theta)
        self._setting = Setting(system, dop853(), theta, weight, atol, self.rtol, None, compiler=self.compiler or "")
        self._x = np.concatenate([[state.t], state.q, state.v])
        self._rows: tuple[int, ...] | None = None
        if self._is_open(state, theta):
            self._judge(state, theta)
        else:
            require_consistent(system, state)

    @cached_property
    def _bounds(self) -> Independence | None:
        """What says that rows are clearly independent; None for large systems."""
        found = self.numbers.system.model.pieces.independence(AT_ONCE)
        return found if found is None or self.compiler is None else found.native(self.compiler)

    @property
    def t(self) -> float:
        """The time, s."""
        return float(self._x[0])

    @property
    def q(self) -> Array:
        """The coordinates (n,)."""
        return self._x[1 : self.numbers.n + 1].copy()

    @property
    def v(self) -> Array:
        """Their rates (n,)."""
        return self._x[self.numbers.n + 1 :].copy()

    def step(self, dt: float, tau: object = None, *, u: object = None) -> tuple[Array, Array]:
        """Move the state by dt (s) under generalized forces τ and controls u of the mechanism; return q and v (n,).

        Raises InputError, SingularPositionError with the verdict where rows or masses leave the motion in doubt,
        SolverError for a step that is not certified, or a motion at a stop that ends; the state then stays.
        """
        theta = self.numbers.theta(tau, u)
        n = self.numbers.n
        x, h = self._x, positive(dt, "dt")
        state, following = State(x[1 : n + 1], x[n + 1 :], float(x[0])), None
        if self._is_open(state, theta):
            self._judge(state, theta)
            if isinstance(self._stepper, FusedStepper):
                self._stepper.theta = theta
            else:
                self._stepper = stepper_of(replace(self._setting, theta=theta), self._stepper.rows)
            following = self._moved(x, h, HALVINGS, theta)
        if following is None:
            following = self._at_stops(state, h, theta)
        following[0] = x[0] + h
        self._x = following
        return following[1 : n + 1].copy(), following[n + 1 :].copy()

    def _is_open(self, state: State, theta: Array) -> bool:
        """Return whether no stop touches."""
        return clearly_open(self.numbers.system, state.q, state.v, state.t, theta)

    def _stays_open(self, x: Array, y: Array, h: float, theta: Array) -> bool:
        """Return whether all gaps are open in a step from x to y, by the cubic of their values and rates at its ends.

        It is above 0 where its four Bernstein coefficients are.
        """
        model, n = self.numbers.system.model, self.numbers.n
        held = list(model.unilateral)
        if not held:
            return True
        (g0, r0), (g1, r1) = (model.residuals(z[1 : n + 1], z[n + 1 :], float(z[0]), theta) for z in (x, y))
        within = np.minimum(g0 + h / 3.0 * r0, g1 - h / 3.0 * r1)
        return bool((np.minimum(within, g1)[held] > 0.0).all())

    def _at_stops(self, state: State, h: float, theta: Array) -> Array:
        """Return the state a time h later by `gauss.simulate`, which follows stops that close and open.

        Raises what that raises, and SolverError where the motion ends before.
        """
        system = self.numbers.system
        u = theta[len(system.parameters) :]
        with withheld():
            run = follow(system, state, t_end=state.t + h, rtol=self.rtol, control=u.tolist(), progress="none")
        if not run.ending.complete:
            near = run.active[-1][list(system.model.unilateral)]
            names = [repr(system.row_names[k]) for k, yes in zip(system.model.unilateral, near, strict=True) if yes]
            raise SolverError(
                f"a step of {system.name!r} from t = {state.t:.9g} s ends at {run.t[-1]:.9g} s, with"
                f" {shortened(names) or 'no stop'} closed: {run.ending.message}"
            )
        return np.concatenate([run.t[-1:], run.q[-1], run.v[-1]])

    def _moved(self, x: Array, h: float, left: int, theta: Array) -> Array | None:
        """Return the state a time h after x, in as many steps as the error asks for; None where a stop is reached.

        Raises SolverError.
        """
        following, record = self._stepper.step(x, h)
        if left and not record[StepScalar.ERROR] <= 1.0:
            middle = self._moved(x, h / 2.0, left - 1, theta)
            return None if middle is None else self._moved(middle, h / 2.0, left - 1, theta)
        if not self._stays_open(x, following, h, theta):
            return None
        following, record = projected_again(self._stepper, following, record)
        if not (record[StepScalar.ERROR] <= 1.0 and certified_once(following, record)):
            name = self.numbers.mechanism.name
            raise SolverError(
                f"a step of {name!r} at t = {x[0]:.9g} is not certified: {objection(following, record)}; the error of"
                f" {h:.2g} s is {record[StepScalar.ERROR]:.2g} of its tolerance."
            )
        return following

    def _judge(self, state: State, theta: Array) -> None:
        """Choose the rows of the next step, by the verdict where they are not clear. Raises SingularPositionError."""
        system = self.numbers.system
        rows = equality = system.model.equality
        place = State(*self.numbers.without_place(state.q, state.v), state.t)
        if not clear_at(system, place, theta, self._bounds):
            verdict = accelerate(system, state, u=theta[len(system.parameters) :])
            if not (verdict.unique and set(verdict.verdicts) <= {"regular", "redundant"}):
                raise SingularPositionError(
                    f"{system.name!r} cannot step from here. {verdict.sentence} gauss.simulate may follow the motion.",
                    verdict,
                )
            if "redundant" in verdict.verdicts:
                rows = independent_rows(system, state, equality, verdict.regularity.rank)
        if rows != self._rows:
            self._rows, self._stepper = rows, stepper_of(self._setting, rows)
