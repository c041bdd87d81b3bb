"""Exercises on a terminal: tasks, results, and a session that asks one question after the other."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from rich.console import Console, Group
from rich.text import Text

from gauss.show.terminal import BAD_INPUT, CLAIM_FAILED, INTERRUPTED, OK
from gauss.sources import Check, Exercise, ExerciseQuestion

HINT, SOLUTION = "?", "!"  # lines instead of an answer
HELP = f"Type an answer, {HINT} for a hint, {SOLUTION} for the solution, an empty line to go on; Ctrl-D ends."
SPELLING = "Write products with *, powers with **, rates as x_dot (or x'), second rates as x_ddot (or x'')."


def task_page(exercise: Exercise) -> Group:
    """Return the printable task: what is given, what the symbols mean, what is asked."""
    lines = [Text(exercise.title, style="bold"), Text(exercise.source, style="dim"), Text(), Text(exercise.text)]
    lines += [Text(), Text(f"Symbols: {exercise.symbols}."), Text(SPELLING), Text("Asked are")]
    lines += [Text.assemble("  ", (q.asks, "cyan"), q.asked.removeprefix(q.asks)) for q in exercise.questions]
    return Group(*lines, Text())


def result_line(found: Check, level: int) -> Text:
    """Return the verdict on an answer as a line; the level is that of the hints."""
    mark = Text("✓ ", style="green") if found.right else Text("✗ ", style="bold red")
    return mark + Text(found.words(level))


def hint_lines(question: ExerciseQuestion, level: int) -> list[Text]:
    """Return the first hints of a question."""
    return [Text(f"  hint {k + 1}: {hint}", style="yellow") for k, hint in enumerate(question.hints[:level])]


def solution_line(question: ExerciseQuestion) -> Text:
    """Return the worked answer to a question."""
    return Text(f"  {question.asks}: {question.solution}", style="green")


def check_data(found: Check, level: int) -> dict[str, Any]:
    """Return the verdict on an answer as plain data, ready for JSON; details from hint level 2 on."""
    return {
        "question": found.question,
        "answer": found.answer,
        "right": found.right,
        "understood": found.understood,
        "says": found.words(level),
        "alternatives": found.alternatives,
        "wrong": [{"kind": x.kind, "term": x.term, "says": x.words(level)} for x in found.wrong],
    }


def session(
    exercise: Exercise, console: Console, ask: Callable[[str], str], questions: Sequence[ExerciseQuestion]
) -> int:
    """Ask the questions one after the other until each is right or passed over; return the exit status.

    `ask` shows its text and returns a line, as `input` does; EOFError (Ctrl-D) and Ctrl-C end the session.
    """
    console.print(task_page(exercise))
    console.print(HELP, style="dim")
    right = 0
    status = None
    try:
        for k, question in enumerate(questions):
            console.print(f"\n{k + 1} of {len(questions)}: {question}")
            right += _asked(exercise, question, console, ask)
    except EOFError:
        status = OK if right == len(questions) else CLAIM_FAILED
    except KeyboardInterrupt:
        status = INTERRUPTED
    console.print(f"\n{right} of {len(questions)} are right.")
    return status if status is not None else OK if right == len(questions) else CLAIM_FAILED


def piped(exercise: Exercise, console: Console, lines: Sequence[str], questions: Sequence[ExerciseQuestion]) -> int:
    """Check an answer from each line, for the question that it names, else for the next one; return the exit status.

    As at the terminal, ? is a hint and ! the solution: of the question whose answer was wrong just before, else of the
    next one. What follows a hint answers the same question. Raises InputError for a line that answers no question.
    """
    rest, levels = list(questions), dict.fromkeys((question.asks for question in questions), 0)
    last: dict[str, Check | None] = {}
    for line in lines:
        before = exercise.question([*last][-1]) if last else None
        wrong = before is not None and (found := last[before.asks]) is not None and not found.right
        question, answer = exercise.asked_next(line, [before, *rest] if wrong and line in (HINT, SOLUTION) else rest)
        rest = [each for each in rest if each is not question]
        previous = last.pop(question.asks, None)
        level = levels.get(question.asks, 0)
        last[question.asks] = previous
        if answer == HINT:
            levels[question.asks] = level + 1
            rest = [question, *rest]
            _hint(console, question, level + 1, previous)
        elif answer == SOLUTION:
            console.print(solution_line(question))
        else:
            last[question.asks] = found = exercise.check(question.asks, answer)
            console.print(result_line(found, level), soft_wrap=True)
    if not all(found is None or found.understood for found in last.values()):
        return BAD_INPUT
    return OK if all(found is not None and found.right for found in last.values()) else CLAIM_FAILED


def _hint(console: Console, question: ExerciseQuestion, level: int, last: Check | None) -> None:
    """Print one hint more, and from the second on what the last answer lacks."""
    for text in hint_lines(question, level)[level - 1 :]:
        console.print(text, soft_wrap=True)
    if level > len(question.hints):
        console.print(f"  there are no further hints; {SOLUTION} shows the solution.", style="yellow")
    if last is not None and last.wrong and level > 1:
        console.print(result_line(last, level), soft_wrap=True)


def _asked(exercise: Exercise, question: ExerciseQuestion, console: Console, ask: Callable[[str], str]) -> bool:
    """Ask one question until it is right or passed over; return whether it is right."""
    level, last = 0, None
    while True:
        line = ask(f"{question.asks}: ").strip()
        if not line:
            return False
        if line == SOLUTION:
            console.print(solution_line(question))
            return False
        if line == HINT:
            level += 1
            _hint(console, question, level, last)
            continue
        last = exercise.check(question.asks, line)
        console.print(result_line(last, level))
        if last.right:
            return True
