"""`check`: whether an answer is right, as `verify` decides it, and which of its terms are wrong."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import sympy as sp

from gauss.errors import GaussError, InputError, described
from gauss.foundation.outcomes import Shown
from gauss.model.coordinates import Named
from gauss.model.functions import as_vector
from gauss.sources.equations import EqualFormula, Equation, Statement
from gauss.sources.exercises.answers import Term, read_terms
from gauss.sources.exercises.asked import ENERGIES, EQUATION, ExerciseQuestion, Task
from gauss.sources.exercises.findings import DETAILS, WrongTerm, by_mends, by_solution, slips
from gauss.sources.exercises.points import compare_points
from gauss.sources.repair import Mend
from gauss.sources.statement_rows import energies
from gauss.sources.symbols import SymbolSet, formula_of, magnitude, table
from gauss.sources.verification import Verification, verify

STATES = 24  # at which an answer is asked, for four sets of parameters

ROUNDING = 1e-10  # of a formula of order 1 at random numbers
NOT_FINITE = "the answer is infinite, complex or no number at most positions."
CERTAIN = {"sign", "factor"}  # kinds that a comparison with the solution shows without doubt


@dataclass(frozen=True, repr=False)
class Check(Shown):
    """What became of an answer.

    >>> import gauss as g
    >>> found = g.sources.exercise("pendulum").check("V", "m*g*l*cos(phi)")
    >>> found.right, str(found)
    (False, 'V: the term m*g*l*cos(phi) has the wrong sign.')
    """

    question: str  # what was asked: "T", "equation of phi"
    answer: str  # as typed
    right: bool
    understood: bool = True  # False for what is no formula of the known names; the note says why
    wrong: tuple[WrongTerm, ...] = ()  # what is wrong, each finding by itself
    alternatives: bool = False  # whether any one of the findings would do, as one of two signs
    note: str = ""  # a sentence about the answer as a whole

    def words(self, level: int = 0) -> str:
        """Return the verdict as a sentence; from level 2 on it tells what each wrong term lacks."""
        if self.right:
            return f"{self.question}: right.{f' {self.note}' if self.note else ''}"
        joint = "; or " if self.alternatives else "; "
        alike = Counter(finding.words(level) for finding in self.wrong)
        clauses = (
            finding.words(level, 1 if self.alternatives else alike[finding.words(level)]) for finding in self.wrong
        )
        found = joint.join(dict.fromkeys(clauses))
        return f"{self.question}: {found}." if found else f"{self.question}: {self.note}"

    def __str__(self) -> str:
        return self.words()


def checked(task: Task, question: ExerciseQuestion, answer: str) -> Check:
    """Return what is right or wrong in an answer to a question."""
    try:
        if not isinstance(answer, str):
            raise InputError(f"an answer is a text, got {type(answer).__name__}.")
        with np.errstate(all="ignore"):  # what is not finite fails
            return (_points if question.asks == "equilibria" else _formula)(task, question, answer)
    except GaussError as error:
        return Check(question.asks, str(answer), right=False, understood=False, note=str(error))
    except (ArithmeticError, TypeError, ValueError, RecursionError) as error:  # SymPy's, of formulas nobody means
        note = f"the answer cannot be evaluated: {described(error)}."
        return Check(question.asks, str(answer), right=False, understood=False, note=note)


def _formula(task: Task, question: ExerciseQuestion, answer: str) -> Check:
    world = SymbolSet.of(task.about)
    names = _names(task, question, world)
    terms = _terms(question, answer, names)
    verdict = _verdict(task, world, question, terms, mending=False)
    if verdict.holds and not verdict.given:
        return _right(task, question, answer, terms, verdict, world)
    own = sp.Add(*(term.formula for term in terms))
    solution = sp.Add(*(term.formula for term in _terms(question, question.solution, names)))
    few = solution.free_symbols & set(world.p) and not own.free_symbols & set(world.p)
    if verdict.given or (few and re.search(r"\d\.\d", answer)):
        note = f"numbers stand in place of parameters; write the symbols: {', '.join(map(str, world.p))}."
        return Check(question.asks, answer, False, note=note)
    variables = set(names.values()) - set(world.p)
    compared = by_solution(terms, solution, variables, bool(question.of))
    wrong = compared or ()
    if wrong and (all(x.kind in CERTAIN for x in wrong) or len(wrong) == 1):
        return Check(question.asks, answer, False, wrong=tuple(wrong))
    mends: Sequence[Mend] = ()
    if not verdict.left_out:  # a mend is looked for at states at which all terms are finite
        mends = _verdict(task, world, question, terms, mending=True).mends
    for some in (slips(mends), [] if wrong else mends):
        found = by_mends(some, own, set(names.values()))
        if found:
            return Check(question.asks, answer, False, wrong=tuple(found), alternatives=len(found) > 1)
    if wrong:
        return Check(question.asks, answer, False, wrong=tuple(wrong))
    note = "it does not hold, and no change of a single term makes it hold; begin again, or ask for a hint."
    return Check(question.asks, answer, False, note=note)


def _names(task: Task, question: ExerciseQuestion, world: SymbolSet) -> dict[str, sp.Symbol]:
    """Return what an answer may name: values, rates and second rates as the question has them, parameters, time."""
    symbols = [] if question.asks in ("omega", "equilibria") else [world.q[x] for x in task.names]
    if question.asks in ENERGIES or question.of:
        symbols += [world.v[x] for x in task.names]
    if question.of:
        symbols += [world.a[x] for x in task.names]
    return {str(symbol): symbol for symbol in [*symbols, *world.p]}


def _terms(question: ExerciseQuestion, answer: str, names: Mapping[str, sp.Symbol]) -> tuple[Term, ...]:
    """Return the terms of an answer; those of a right side with the other sign, where an equation is asked for."""
    sides = answer.replace("==", "=").split("=")
    if not question.of:
        if len(sides) == 2 and sides[0].strip() == question.asks:
            sides = sides[1:]
        if len(sides) != 1:
            raise InputError(f"one formula is expected, as in {question.asks} = …")
        return read_terms(sides[0], names)
    if len(sides) != 2:
        raise InputError("an equation is expected, with one sign =, as in … = 0.")
    left, right = (read_terms(side, names) for side in sides)
    return (*left, *(Term(term.text, -term.formula) for term in right if term.formula != 0))


def _verdict(
    task: Task, world: SymbolSet, question: ExerciseQuestion, terms: Sequence[Term], mending: bool
) -> Verification:
    """Return the verdict of `verify` on an answer, which is made a statement about the system."""
    statement = _statement(task, world, question, terms)
    try:
        (found,) = verify(replace(task.about, claims=[statement], t_end=None), count=STATES, mending=mending)
    except InputError as error:
        if "is finite at" not in str(error):
            raise
        raise InputError(NOT_FINITE) from error
    if not found.given and 2 * found.states < STATES:
        raise InputError(NOT_FINITE)
    return found


def _statement(task: Task, world: SymbolSet, question: ExerciseQuestion, terms: Sequence[Term]) -> Statement:
    """Return an answer as a statement about the system."""
    function: dict[str, Callable[[], sp.Expr]] = {}
    for term in terms:
        label = term.text
        while label in function:  # the same term, typed twice
            label += " "
        function[label] = _given(term.formula)
    if question.of:
        return Equation(question.asks, left=function)
    right = _given(_truth(task, world, question))
    return EqualFormula(question.asks, of=right, function=function, constant=question.asks in ("V", "L"))


def _given(formula: sp.Expr) -> Callable[[], sp.Expr]:
    return lambda: formula


def _truth(task: Task, world: SymbolSet, question: ExerciseQuestion) -> sp.Expr:
    """Return what a formula must be equal to: an energy of the system, or the worked frequency."""
    if question.asks == "omega":
        return sp.Add(*(term.formula for term in _terms(question, question.solution, _names(task, question, world))))
    T, V = energies(task.about, world)
    return {"T": T, "V": V, "L": T - V}[question.asks]


def _right(
    task: Task, question: ExerciseQuestion, answer: str, terms: Sequence[Term], verdict: Verification, world: SymbolSet
) -> Check:
    """Return the result for an answer that holds: an equation must also be the one that is asked for."""
    if not question.of:
        return Check(question.asks, answer, right=True)
    own = world.a[question.of]
    share = {x.of: _inertia(task, x, x.solution, world) for x in task.questions if x.of}
    given = [sp.diff(sp.Add(*(term.formula for term in terms)), world.a[x]) for x in task.names]
    present = [world.a[x] for x, c in zip(task.names, given, strict=True) if not _vanishes(c)]
    if verdict.identity or not present:
        note = "it holds, but says nothing of second rates; an equation of motion is asked for."
    elif present == [own] or _parallel(given, share[question.of]):
        return Check(question.asks, answer, right=True)
    else:
        other = next((x for x in share if _parallel(given, share[x])), "")
        hint = (
            f"it is the {EQUATION}{other}"
            if other
            else f"it mixes the equations; solve it for {own}, or give Lagrange's"
        )
        note = f"it holds, but {hint}."
    return Check(question.asks, answer, right=False, note=note)


def _inertia(task: Task, question: ExerciseQuestion, text: str, world: SymbolSet) -> list[sp.Expr]:
    """Return the coefficients of the second rates in an equation, one for each coordinate of the answers."""
    terms = _terms(question, text, _names(task, question, world))
    return [sp.diff(sp.Add(*(term.formula for term in terms)), world.a[x]) for x in task.names]


def _parallel(one: Sequence[sp.Expr], other: Sequence[sp.Expr]) -> bool:
    return all(_vanishes(one[i] * other[j] - one[j] * other[i]) for i in range(len(one)) for j in range(i))


def _vanishes(formula: sp.Expr) -> bool:
    """Whether a formula is zero at random numbers, but for rounding of its terms."""
    rng = np.random.default_rng(5)
    values = {symbol: rng.uniform(0.3, 1.3, STATES) for symbol in formula.free_symbols}
    total, size = table([formula], values, STATES)[0], magnitude(formula, values, STATES, {})
    good = np.isfinite(total) & np.isfinite(size)
    return bool(np.all(np.abs(total[good]) <= ROUNDING * size[good]))


def _points(task: Task, question: ExerciseQuestion, answer: str) -> Check:
    """Return what is right or wrong in a list of equilibria: those where the equations of motion hold at rest."""
    world = SymbolSet.of(task.about)
    names = _names(task, question, world)
    coordinates = [world.q[x] for x in task.names]
    found = compare_points(answer, question.solution, _statics(task, world), coordinates, names, task.about)
    return Check(question.asks, answer, right=not found, note=" ".join(found))


def _statics(task: Task, world: SymbolSet) -> list[sp.Expr]:
    """Return the equations of motion at rest: those that are asked for, of other coordinates those of the system.

    Raises InputError where the system has none of its own for a coordinate, as it has rows or other coordinates.
    """
    rest = dict.fromkeys([*world.v, *world.a], sp.Integer(0))
    asked = {question.of: question for question in task.questions if question.of}
    missing = [x for x in task.names if x not in asked]
    own = _forces_at_rest(task, world, missing) if missing else {}
    statics = []
    for name in task.names:
        if name in own:
            statics.append(own[name])
            continue
        terms = _terms(asked[name], asked[name].solution, _names(task, asked[name], world))
        statics.append(sp.Add(*(term.formula for term in terms)).subs(rest))
    return statics


def _forces_at_rest(task: Task, world: SymbolSet, names: Sequence[str]) -> dict[str, sp.Expr]:
    """Return the forces on coordinates of a system at rest, centrifugal ones among them. Raises InputError."""
    system = task.about.system
    if system.row_names or any(x not in system.coordinates for x in names):
        asked = ", ".join(f"{EQUATION}{x}" for x in names)
        why = "rows" if system.row_names else "other coordinates"
        raise InputError(f"equilibria follow from the equations of motion, and the system has {why}: ask for {asked}.")
    T, V = energies(task.about, world)
    zeros = Named(system.coordinates, [sp.Integer(0)] * system.n, "velocity")
    controls = Named(system.controls, [sp.Integer(0)] * len(system.controls), "control")
    given = {"q": world.q, "v": zeros, "t": world.t, "p": world.p, "u": controls}
    force = dict(zip(system.coordinates, as_vector(system.force(given), system.coordinates, "the force"), strict=True))
    rest = dict.fromkeys(world.v, sp.Integer(0))
    return {x: formula_of(sp.diff(T - V, world.q[x]).subs(rest) + force[x], f"the force on {x!r}") for x in names}


def require_right(task: Task) -> None:
    """Raise InputError for an exercise with a solution that is not right, or cannot be read.

    All formulas are asked at the same states, for which they take hardly longer than one.
    """
    world, formulas = SymbolSet.of(task.about), [x for x in task.questions if x.asks != "equilibria"]
    read = {}
    for question in formulas:
        try:
            read[question.asks] = _terms(question, question.solution, _names(task, question, world))
        except InputError as error:
            raise _wrong(question, str(error)) from None
    found = {}
    if formulas:
        claims = [_statement(task, world, question, read[question.asks]) for question in formulas]
        with np.errstate(all="ignore"):
            verdicts = verify(replace(task.about, claims=claims, t_end=None), count=STATES, mending=False)
        found = {question.asks: verdict for question, verdict in zip(formulas, verdicts, strict=True)}
    for question in task.questions:
        text, verdict = question.solution, found.get(question.asks)
        if verdict is not None and verdict.holds:
            result = _right(task, question, text, read[question.asks], verdict, world)
        else:
            result = checked(task, question, text)
        if not result.right:
            raise _wrong(question, result.words(DETAILS).partition(": ")[2])


def _wrong(question: ExerciseQuestion, why: str) -> InputError:
    return InputError(f"the solution {question.solution!r} of {question.asks!r} is not right: {why}")
