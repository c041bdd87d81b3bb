"""Steps on a locked position: the rows are dependent all along the motion, and order 4 keeps it where they can be.

Three bars in a line beside a free pendulum, a squared row y² = 0, the loops of a flat chain that stay flat while others
swing: the ordinary rows do not determine the acceleration at any state of such a motion. Holonomic rows are completed
by deflation (see `gauss.motion.singular.deflation`), with the rank and the number of locked directions that the
analysis of a state has found. Other rows, and states where deflation is in doubt, are analysed one by one, which takes
some tens of milliseconds.
"""

from __future__ import annotations

import numpy as np

from gauss.errors import GaussError, SolverError
from gauss.foundation.arrays import Array
from gauss.foundation.tolerances import DEPENDENT
from gauss.model.compiled import StepScalar
from gauss.model.state import State
from gauss.motion.singular.collocation import COUNT, Window, collocate, starting_nodes
from gauss.motion.singular.deflation import Deflation, LockedAcceleration, accelerated, deflation
from gauss.motion.singular.redundant import least_multipliers
from gauss.motion.steps.staged import error_of_pair
from gauss.motion.steps.steppers import Setting
from gauss.principle import GaussProblem
from gauss.uniqueness import classification

SWEEPS = 5  # of the projections
SETTLED = 1e-14  # a correction below this share of the state ends them
HOLDS = 1e-6  # largest relative gap of the higher conditions at a state that is kept; beyond, it is analysed
DOUBTFUL = 1e-2  # the same at a stage, which lies off the locked positions by its own error
REACH, HALVINGS = 0.25, 4  # of a window out of a start: share of the time to cross the size of the system; trials
RANK = 1e-6  # singular values of unit rows below this, relative, are those of dependent rows


class LockedStepper:
    """A Runge-Kutta step whose stages are completed by deflation, or else by the analysis of a state; a `Stepper`.

    `rank` is that of the rows all along the motion, `directions` the number of locked directions, where it is known.
    """

    KEPT: tuple[str, ...] = ("_locked", "_completing")

    def __init__(self, setting: Setting, rows: tuple[int, ...], rank: int, directions: int | None = None):
        self.setting, self.rows, self.trouble, self.rank = setting, rows, "", rank
        model = setting.system.model
        self._deflates = rows == model.equality and all(model.kinds[k] == "holonomic" for k in rows)
        self._locked = directions
        self._completing = np.zeros((0, setting.system.n))  # (·, n) rows of higher order that the last analysis added

    def accelerate(self, x: Array) -> tuple[Array, Array]:
        """Return (a, λ of the rows) at x, λ as near as multipliers of the ordinary rows alone come; nan if none."""
        try:
            return self._record(x, [0.0, 0.0], 0.0)[1:]
        except (GaussError, np.linalg.LinAlgError) as error:
            self.trouble = str(error)
            return np.full(self.setting.system.n, np.nan), np.full(len(self.rows), np.nan)

    def pivot(self, x: Array) -> float:
        """Return the square of the smallest singular value of the independent part of the rows; 0 where it is in doubt.

        Where rows are analysed state by state it is 1: their dependence is dealt with there.
        """
        if not self._deflates:
            return 1.0
        d = self._deflation(*self._at(x))
        return 0.0 if d is None else float(np.min(d.sigma, initial=1.0)) ** 2

    def step(self, x: Array, h: float) -> tuple[Array, Array]:
        """Return the next state, projected, and the record of x; numbers that cannot be computed are nan."""
        n, tableau = self.setting.system.n, self.setting.tableau
        self.trouble = ""
        nothing = np.full(2 * n + 1, np.nan), np.full(n + len(self.rows) + len(StepScalar), np.nan)
        following, record = nothing
        y, stages, error = x[1:], np.zeros((len(tableau.b), 2 * n)), 0.0
        try:
            y1 = y
            if h != 0.0:
                for i, c in enumerate(tableau.c):
                    yi = y + h * tableau.A[i, :i] @ stages[:i]
                    stages[i] = np.concatenate([yi[n:], self._stage(np.concatenate([[x[0] + c * h], yi]))])
                y1 = y + h * tableau.b @ stages
                scale = self.setting.atol + self.setting.rtol * np.maximum(np.abs(y), np.abs(y1))
                error = error_of_pair(self.setting.tableau, h, scale, stages)
            following, off = self._projected(np.concatenate([[x[0] + h], y1]))
            record = self._record(x, off, error)[0]
        except (GaussError, np.linalg.LinAlgError) as failure:
            self.trouble = str(failure)
            if h != 0.0:
                return nothing
        return following, record

    # ------------------------------------------------------------------ one state

    def _at(self, x: Array) -> tuple[State, GaussProblem, Array]:
        """Return a state with its problem, and the parameters with the controls there."""
        n, s = self.setting.system.n, self.setting
        state = State(x[1 : n + 1], x[n + 1 :], float(x[0]))
        theta = s.parameters_at(state.t, state.q, state.v)
        return state, GaussProblem.at(s.system, state, theta[len(s.system.parameters) :]), theta

    def _deflation(self, state: State, problem: GaussProblem, theta: Array) -> Deflation | None:
        if not self._deflates:
            return None
        return deflation(self.setting.system, state, problem, theta, self.rank, self._locked)

    def _held(self, x: Array, tolerance: float) -> tuple[GaussProblem, LockedAcceleration | None]:
        """Return the problem at x and the acceleration by deflation, None where it is in doubt."""
        state, problem, theta = self._at(x)
        d = self._deflation(state, problem, theta)
        if d is None or not d.definite:
            return problem, None
        held = accelerated(self.setting.system, state, theta, d)
        if self._locked is None and held.gap <= HOLDS:
            self._locked = d.locked  # from here on another number is a doubt, and analysed
        return problem, held if held.gap <= tolerance else None

    def _stage(self, x: Array) -> Array:
        """Return the acceleration at a stage."""
        problem, held = self._held(x, DOUBTFUL)
        return self._judged(x, problem).a if held is None else held.a

    def _judged(self, x: Array, problem: GaussProblem) -> LockedAcceleration:
        """Return the acceleration by the analysis of a state. Raises SolverError where it is not locked."""
        state, s = self._at(x)[0], self.setting
        verdict = classification(s.system, state, problem, target=self.rank)
        if verdict.answer is None:
            raise SolverError(f"the state at t = {state.t:.9g} s is {verdict.verdict}, not locked")
        kinds = np.array(verdict.problem.rows.kinds)
        self._completing = verdict.problem.rows.J[kinds == "jet"]
        if self._locked is None and set(verdict.verdicts) <= {"locked", "redundant"}:
            self._locked = len(self._completing)
        r = verdict.answer.residuals
        return LockedAcceleration(verdict.answer.a, verdict.answer.zwang, r.primal, r.stationarity, 0.0)

    def _record(self, x: Array, off: list[float], error: float) -> tuple[Array, Array, Array]:
        """Return the record of a state, with its acceleration and multipliers."""
        problem, held = self._held(x, HOLDS)
        held = self._judged(x, problem) if held is None else held
        J = problem.rows.J[list(self.rows)]
        multipliers = least_multipliers(problem.metric, J, problem.M @ held.a - problem.f)
        scalars = [1.0, held.zwang, held.primal, held.stationarity, 1.0, 1e300, *off, error]
        return np.concatenate([held.a, multipliers, scalars]), held.a, multipliers

    # ------------------------------------------------------------------ projection

    def _projected(self, x: Array) -> tuple[Array, list[float]]:
        """Return the state projected onto the rows and the locked directions, and how far off it is then."""
        n, x = self.setting.system.n, x.copy()
        size = 1.0 + float(np.linalg.norm(x[1:]))
        for part in (slice(1, n + 1), slice(n + 1, None)):
            for _ in range(SWEEPS):
                change = self._correction(x, part.start == 1)
                x[part] += change
                if not np.linalg.norm(change) > SETTLED * size:
                    break
        phi, psi = self.setting.system.model.residuals(x[1 : n + 1], x[n + 1 :], float(x[0]), self.setting.theta)
        length = self._lengths(x)
        return x, [float(np.max(np.abs(r[list(self.rows)]) / length, initial=0.0)) for r in (phi, psi)]

    def _correction(self, x: Array, position: bool) -> Array:
        """Return the change (n,) of the position or of the velocity that Newton's method takes to the constraints."""
        state, problem, theta = self._at(x)
        d, system = self._deflation(state, problem, theta), self.setting.system
        if d is None:
            return self._ordinary(x, problem, position)
        if position:
            return d.metric.lift(d.least(-d.phi) + d.held(d.null.T @ d.W))
        pick = list(self.rows)
        turn = system.model.jets.second(state.q, state.v, state.t, theta, np.zeros(system.n))[1][pick]
        rate = d.metric.whitened(turn) / d.scale[:, None] / 3.0  # for holonomic rows K = 3 dW/dt
        return d.metric.lift(d.least(-d.psi) + d.held(d.null.T @ rate))

    def _ordinary(self, x: Array, problem: GaussProblem, position: bool) -> Array:
        """Return the least change (n,) that the rows demand; velocities must vanish across the completing rows too."""
        n, metric, rows = self.setting.system.n, problem.metric, list(self.rows)
        terms = self.setting.system.model.terms(x[1 : n + 1], x[n + 1 :], float(x[0]), self.setting.theta)
        J, right = terms.J[rows], -(terms.phi if position else terms.psi)[rows]
        if not position:
            J, right = np.vstack([J, self._completing]), np.concatenate([right, -self._completing @ x[n + 1 :]])
        whitened = metric.whitened(J)
        length = np.linalg.norm(whitened, axis=1)
        length = np.where(length > DEPENDENT, length, 1.0)
        change = np.linalg.lstsq(whitened / length[:, None], right / length, rcond=RANK)[0]
        return metric.lift(np.asarray(change, dtype=float))

    def _lengths(self, x: Array) -> Array:
        """Return the lengths of the rows in the metric, 1 for those that vanish."""
        _, problem, _ = self._at(x)
        length = np.linalg.norm(problem.metric.whitened(problem.rows.J[list(self.rows)]), axis=1)
        return np.where(length > DEPENDENT, length, 1.0)


def window_out(stepper: LockedStepper, x: Array, a: Array, span: float) -> Window | None:
    """Return a window in which a locked motion leaves a branching position x with the acceleration a, or None.

    `span` (s) bounds its length, which is otherwise that of the time in which the motion covers the size of the system.
    """
    n = stepper.setting.system.n
    metric = GaussProblem.at(stepper.setting.system, State(x[1 : n + 1], x[n + 1 :], float(x[0]))).metric
    size, speed, push = (metric.norm(part) for part in (x[1 : n + 1], x[n + 1 :], a))
    times = [span]
    if size > 0.0:
        times += [REACH * float(np.sqrt(size / push))] if push > 0.0 else []
        times += [REACH * size / speed] if speed > 0.0 else []
    h = min(times)
    for _ in range(HALVINGS):
        window = collocate(stepper, x, h, starting_nodes(COUNT), a, 0.0, stepper.setting.rtol)
        if window is not None:
            return window
        h /= 2.0
    return None
