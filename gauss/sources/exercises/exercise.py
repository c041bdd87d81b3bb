"""Exercises, one file each: a task about a collection of the sources, its questions with hints and worked answers.

A file of the folder `exercises` is a module with a docstring, whose first line is the title and whose rest is the task,
``SOURCE``, the chapter, and ``exercise``, an `Exercise`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from gauss.errors import FileError, InputError
from gauss.foundation import shipped
from gauss.sources.exercises.asked import ExerciseQuestion, Task

if TYPE_CHECKING:
    from gauss.sources.exercises.checking import Check


@dataclass(frozen=True)
class Exercise(Task):
    """A task: the system of a collection of the sources, in which coordinates answers are written, what is asked.

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

    def question(self, asks: str) -> ExerciseQuestion:
        """Return a question by what it asks, or by the coordinate of its equation. Raises InputError."""
        for question in self.questions:
            if asks and asks in (question.asks, question.of):
                return question
        known = [question.asks for question in self.questions]
        near = shipped.nearest(asks, known)
        hint = f"did you mean {near}?" if near else f"it asks for {', '.join(known)}."
        raise InputError(f"the exercise {self.name} does not ask for {asks!r}; {hint}")

    def asked(self, line: str) -> tuple[ExerciseQuestion, str]:
        """Return the question that a line answers, and the answer: "T = …", "equation of phi: …", "phi: …".

        Raises InputError for a line that names no question of the exercise.
        """
        head, colon, answer = line.partition(":")
        if not colon:
            head, colon, answer = line.partition("=")
        if not colon:
            known = ", ".join(question.asks for question in self.questions)
            raise InputError(f"{line!r} does not say what it answers; begin it with one of {known}, and a colon.")
        return self.question(head.strip()), answer.strip()

    def check(self, asks: str, answer: str) -> Check:
        """Return what is right or wrong in an answer; what cannot be read is told in the result's note.

        Raises InputError for a question that the exercise does not have.
        """
        from gauss.sources.exercises.checking import checked

        return checked(self, self.question(asks), answer)


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
    return replace(found, name=path.stem, title=title, text=text, source=str(getattr(module, "SOURCE", "")))
