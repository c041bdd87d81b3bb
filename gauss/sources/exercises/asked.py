"""What an exercise asks: questions with their hints and worked answers, about the system of a collection."""

from __future__ import annotations

from dataclasses import dataclass

from gauss.errors import InputError
from gauss.foundation.arrays import names_of
from gauss.foundation.portable import Portable
from gauss.sources.equations import Printed

ENERGIES = {"T": "the kinetic energy T", "V": "the potential energy V", "L": "the Lagrangian L = T − V"}
EQUATION = "equation of "
OTHERS = {"equilibria": "the equilibria", "omega": "the frequency omega, in rad/s, of small oscillations"}


@dataclass(frozen=True, repr=False)
class ExerciseQuestion(Portable):
    """One thing that is asked: "T", "V", "L", "equation of NAME", "equilibria" or "omega".

    It does not print its solution.
    """

    asks: str
    solution: str  # a right answer, as a student would type it
    hints: tuple[str, ...] = ()  # shown one after another
    text: str = ""  # what is asked besides the kind: "about phi = 0"

    def __str__(self) -> str:
        named = ENERGIES | OTHERS
        what = named.get(self.asks, f"the {self.asks}")
        return f"{what} {self.text}".rstrip()

    def __repr__(self) -> str:
        return f"ExerciseQuestion({str(self)!r}, {len(self.hints)} hints)"

    @property
    def asked(self) -> str:
        """What is asked, with the word that begins an answer: "T: the kinetic energy T"."""
        return self.asks if str(self) == f"the {self.asks}" else f"{self.asks}: {self}"

    @property
    def of(self) -> str:
        """The coordinate of an equation of motion, empty for the other kinds."""
        return self.asks.removeprefix(EQUATION) if self.asks.startswith(EQUATION) else ""


@dataclass(frozen=True, repr=False)
class Task(Portable):
    """What is asked about a system, and in which coordinates."""

    about: Printed  # the system, a state, and coordinates as functions of its own; its statements are not used
    coordinates: str  # names that answers use: "X phi"
    questions: tuple[ExerciseQuestion, ...]
    symbols: str = ""  # what the names mean, in a sentence

    def __post_init__(self) -> None:
        names_of(self.coordinates, "coordinates of an exercise")
        if not self.questions:
            raise InputError("an exercise has one question or more.")
        for question in self.questions:
            known = question.asks in ENERGIES or question.asks in OTHERS or question.of in self.names
            if not known:
                raise InputError(
                    f"a question asks for {question.asks!r}; it asks for T, V, L, equilibria, omega or"
                    f" 'equation of NAME' with a name among {', '.join(self.names)}."
                )

    @property
    def names(self) -> tuple[str, ...]:
        """The coordinates in which answers are written."""
        return names_of(self.coordinates, "coordinates of an exercise")
