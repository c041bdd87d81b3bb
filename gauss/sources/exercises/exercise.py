"""Exercises, one file each: a task about a collection of the sources, its questions with hints and worked answers.

A file of the folder `exercises` is a module with a docstring, whose first line is the title and whose rest is the task,
``SOURCE``, the chapter, and ``exercise``, an `Exercise`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from gauss.errors import FileError, InputError
from gauss.foundation import shipped
from gauss.foundation.calls import advised
from gauss.foundation.outcomes import Shown, one_line
from gauss.foundation.portable import empty
from gauss.sources.exercises.asked import ENERGIES, OTHERS, ExerciseQuestion, Task

if TYPE_CHECKING:
    from gauss.sources.exercises.checking import Check


@dataclass(frozen=True, repr=False)
class Exercise(Task, Shown):
    """A task: the system of a collection of the sources, in which coordinates answers are written, what is asked.

    It prints the task without the solutions. Equilibria are where the equations of motion that are asked for hold at
    rest; those of other coordinates are read from a system that has these coordinates and no rows. Raises InputError
    for a solution that is not right or cannot be read (a frequency omega is not compared with the system).

    >>> import gauss as g
    >>> exercise = g.sources.exercise("pendulum")
    >>> found = exercise.check("V", "m*g*l*cos(phi)")
    >>> print(found)
    V: the term m*g*l*cos(phi) has the wrong sign.
    >>> exercise.check("V", "-m*g*l*cos(phi)").right
    True
    """

    name: str = ""  # file name without .py
    title: str = ""
    text: str = ""  # the task
    source: str = ""

    def __post_init__(self) -> None:
        super().__post_init__()
        from gauss.sources.exercises.checking import require_right  # late: it needs SymPy

        require_right(self)

    def __str__(self) -> str:
        parts = [f"{self.title or 'exercise'}{f' ({self.source})' if self.source else ''}", self.text]
        parts.append(f"Symbols: {self.symbols}." if self.symbols else f"Coordinates: {', '.join(self.names)}.")
        return "\n\n".join(filter(None, [*parts, "\n".join(["Asked are", *(f"  {q.asked}" for q in self.questions)])]))

    def __repr__(self) -> str:
        asked = ", ".join(question.asks for question in self.questions)
        return f"Exercise({one_line(f'{self.name or self.about.source}: {asked}')})"

    def question(self, asks: str) -> ExerciseQuestion:
        """Return a question by what it asks, or by the coordinate of its equation. Raises InputError."""
        named = _spelled(asks)
        for question in self.questions:
            if asks and named in (question.asks, question.of):
                return question
        known = [question.asks for question in self.questions]
        alike = [question.asks for question in self.questions if asks and str(named).lower() == question.of.lower()]
        near = " or ".join(alike) or shipped.nearest(asks, known)
        hint = f"did you mean {near}?" if near else f"it asks for {', '.join(known)}."
        raise InputError(f"the exercise {self.name} does not ask for {asks!r}; {hint}")

    def asked(self, line: str) -> tuple[ExerciseQuestion, str]:
        """Return the question that a line answers, and the answer: "T = …", "equation of phi: …", "phi: …".

        Raises InputError for a line that names no question of the exercise.
        """
        head, colon, answer = line.partition(":")
        if not colon:
            head, colon, answer = line.partition("=")
            asks = {question.asks for question in self.questions} | ({*ENERGIES, *OTHERS} - {*self.names})
            colon *= _spelled(head.strip()) in asks  # not of "phi = 0; phi = pi"
        if not colon:
            known = ", ".join(question.asks for question in self.questions)
            like = next((question for question in self.questions if bool(question.of) == ("=" in line)), None)
            example = (like or self.questions[0]).asks
            raise InputError(
                f"{line!r} does not say what it answers; begin it with one of {known}, and a colon: {example}: {line}"
            )
        return self.question(head.strip()), answer.strip()

    def asked_next(self, line: str, rest: Sequence[ExerciseQuestion]) -> tuple[ExerciseQuestion, str]:
        """Return the question that a line names, as in `asked`, else the first of some questions, and the answer.

        Raises InputError for a line that answers no question.
        """
        try:
            return self.asked(line)
        except InputError:
            if not rest:
                raise
            return rest[0], line

    @advised
    def check(self, asks: str, answer: str) -> Check:
        """Return what is right or wrong in an answer; what cannot be read is told in the result's note.

        Raises InputError for a question that the exercise does not have.
        """
        from gauss.sources.exercises.checking import checked

        return checked(self, self.question(asks), answer)


def _spelled(asks: str) -> str:
    """Return what names a question with Greek letters spelled out."""
    if not isinstance(asks, str) or asks.isascii():
        return asks
    from gauss.sources.exercises.answers import spelled  # late: it needs SymPy

    return spelled(asks)


def exercise_names() -> list[str]:
    """Return the names of all exercises that ship with the package, sorted.

    >>> import gauss as g
    >>> "pendulum" in g.sources.exercise_names()
    True
    """
    return shipped.names("exercises")


def exercise(name: str | Path) -> Exercise:
    """Load an exercise by name or by the path of a file of one's own.

    Raises FileError for a file that is missing, damaged or no exercise, InputError for something that is no path.

    >>> import gauss as g
    >>> g.sources.exercise("pendulum_on_cart").names
    ('X', 'phi')
    """
    path = shipped.given_path(name)
    if path is None:
        known = exercise_names()
        if name not in known:
            near = shipped.nearest(name, known)
            hint = f" Did you mean {near}?" if near else " `gauss exercise` shows all of them."
            raise FileError(f"there is no exercise {name!r}.{hint}")
        path = shipped.folder("exercises") / f"{name}.py"
    module = shipped.execute(path, "exercises")
    if not hasattr(module, "exercise"):
        raise FileError(f"{path} is no exercise: it defines no `exercise` (a gauss.sources.Exercise).")
    found = shipped.value(module, "exercise", path)
    if not isinstance(found, Exercise):
        raise shipped.wrong_type(path, "exercise", found, "a gauss.sources.Exercise")
    title, text = shipped.titled(module.__doc__ or path.stem)
    text = "\n\n".join(" ".join(part.split()) for part in text.split("\n\n"))  # lines are broken where it is shown
    words = {"name": path.stem, "title": title, "text": text, "source": str(getattr(module, "SOURCE", ""))}
    named: Exercise = empty(Exercise)  # its solutions are known to be right
    named.__dict__.update(found.__dict__ | words)
    return named
