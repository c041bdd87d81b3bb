"""`StepPieces`: what is compiled of a model for its steps and their certificates, when it is first asked for."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any, TypeVar

import casadi as ca

from gauss.model.compiled.steps.fused import FusedStep, Slips, Stages, StepFunctions
from gauss.model.compiled.steps.independence import BoundedAnswers, Independence
from gauss.model.compiled.steps.kkt import Form, form_of
from gauss.model.compiled.steps.measures import Measures
from gauss.model.compiled.steps.programs import GaussData, SparseGaussData, sparse_pays
from gauss.model.compiled.trace import Trace
from gauss.numerics.runge_kutta import Tableau

T = TypeVar("T")
SMALL = 2_000  # entries of ∂J/∂q up to which bounds on the independence of rows are compiled
A_FEW = 200  # of these take as long to compile as a verdict without them


class StepPieces:
    """Functions of a trace for the rows that are asked for, each compiled once; `equality` are the equality rows."""

    def __init__(self, trace: Trace, arguments: list[ca.SX], equality: tuple[int, ...]):
        self.trace, self.arguments, self.equality = trace, arguments, equality
        self.kept: dict[Any, Any] = {}  # by what they are for
        self._independence: Independence | None = None
        self._asked = 0  # for it

    def _once(self, key: tuple[Any, ...], make: Callable[[], T]) -> T:
        """Return what is kept by a key, made when it is first asked for."""
        if key not in self.kept:
            self.kept[key] = make()
        return self.kept[key]  # type: ignore[no-any-return]

    def form(self, augmented: bool) -> Form:
        """Return how constrained accelerations of this model cost least (see `form_of`)."""
        return self._once(("form", augmented), lambda: form_of(self.trace.M, self.trace.J, augmented))

    def step(
        self,
        tableau: Tableau,
        active: Sequence[int],
        augmented: bool,
        slides: Sequence[Slips] = (),
        sweeps: int = 0,
    ) -> FusedStep:
        """Return the fused Runge-Kutta step for the given active rows (indices); compiled once, then kept.

        `augmented` uses M + w JᵀJ in place of M, as a semidefinite mass matrix needs. `slides` are pairs of a normal
        row (None for friction that does not depend on a load) and a slip row; their coefficients c, of friction forces
        −c p or −c, then follow the parameters and controls in theta. Two rows in the place of the normal row are those
        of a dry pin, with the torque −c |λ|. A third entry is the second slip row of a contact
        in space; after its c follow the two components of a small velocity along its last direction. Accelerations are
        refined in `sweeps`, which the condition of the rows asks for.
        """
        key = (tuple(active), augmented, tuple(slides), sweeps)
        pieces = self._once(("pieces", *key), lambda: self._pieces(*key))
        return self._once(("step", tableau.name, *key), lambda: FusedStep.build(pieces, tableau))

    def _pieces(self, rows: tuple[int, ...], augmented: bool, slides: tuple[Slips, ...], sweeps: int) -> StepFunctions:
        """Return the functions that steps over these rows are made of."""
        form, arguments = self.form(augmented), self.arguments
        if slides:
            numbers = ca.SX.sym("c", sum(1 if len(s) == 2 else 3 for s in slides))
            arguments, form = [*arguments[:3], ca.vertcat(arguments[3], numbers)], "schur"
        return StepFunctions(self.trace, arguments, rows, augmented, form, slides=slides, sweeps=sweeps)

    def gauss_data(self, rows: Sequence[int], augmented: bool) -> GaussData | SparseGaussData | None:
        """Return the compiled quadratic program over the given rows (indices), reduced or sparse; kept once compiled.

        None for large systems with full matrices, whose reduction would take too long to compile.
        """
        key = (tuple(rows), augmented)
        return self._once(("program", *key), lambda: self._program(*key))

    def _program(self, rows: tuple[int, ...], augmented: bool) -> GaussData | SparseGaussData | None:
        sparse = sparse_pays(self.trace, rows, augmented)
        if not sparse and self.form(augmented) == "staged":
            return None
        return (SparseGaussData if sparse else GaussData).build(self.trace, self.arguments, rows, augmented)

    def stages(self, rows: Sequence[int], augmented: bool, sweeps: int = 0) -> Stages:
        """Return the pieces of a step over the given rows for forces that are not traced; compiled once, then kept."""
        key = (tuple(rows), augmented, sweeps)
        form = self.form(augmented)
        return self._once(("stages", *key), lambda: Stages.build(self.trace, self.arguments, *key, form))

    def measures(self, rows: Sequence[int], augmented: bool) -> Measures:
        """Return how far off and how nearly dependent the given rows are, as functions; compiled once, then kept."""
        key = (tuple(rows), augmented)
        form = self.form(augmented)
        return self._once(("measures", *key), lambda: Measures.build(self.trace, self.arguments, *key, form))

    def independence(self, times: int = 1) -> Independence | None:
        """Return bounds of how nearly dependent the equality rows are, asked for so many times; None for large systems.

        To compile them takes as long as some verdicts without them, so they are None too when they are first asked for.
        """
        self._asked += times
        if self._independence is None and self._asked > 1 + self._entries // A_FEW and self._entries <= SMALL:
            self._independence = Independence.build(self.trace, self.arguments, self.equality)
        return self._independence

    @property
    def _entries(self) -> int:
        return max(len(self.equality), 1) * int(self.trace.symbols.q.numel()) ** 2

    @cached_property
    def answers(self) -> BoundedAnswers | None:
        """The acceleration on the equality rows with these bounds; None for large systems."""
        return BoundedAnswers.build(self.trace, self.arguments, self.equality) if self._entries <= SMALL else None
