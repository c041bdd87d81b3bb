"""Docstrings of the package as Markdown: examples as code, names of the package as links."""

from __future__ import annotations

import inspect
import re
from collections.abc import Mapping

EXAMPLE = re.compile(r"^( *)>>> ")
OPTION = re.compile(r" *# doctest: \+\w+$")  # for the test that runs the example, not for readers
NAME = re.compile(r"(?<![`\w])`((?:gauss\.|g\.)?[\w.]+)`(?!`)")


def markdown(value: object, targets: Mapping[str, str]) -> str:
    """Return the docstring of a value as Markdown; `targets` gives the full name that a name in backticks links to."""
    return converted(inspect.getdoc(value) or "", targets)


def converted(text: str, targets: Mapping[str, str]) -> str:
    """Return a docstring as Markdown: examples in fences, and known names outside of them as references."""
    lines: list[str] = []
    fence = ""
    for line in text.splitlines():
        begins = EXAMPLE.match(line)
        if begins and not fence:
            fence = begins[1] + "```"
            lines += ["", fence + "pycon"]
        elif fence and not line.strip():
            lines.append(fence)
            fence = ""
        lines.append(OPTION.sub("", line) if fence or line.startswith("    ") else linked(line, targets))
    return "\n".join([*lines, fence] if fence else lines)


def linked(text: str, targets: Mapping[str, str]) -> str:
    """Return a line with the known names in backticks as references."""

    def reference(match: re.Match[str]) -> str:
        full = targets.get(match[1].removeprefix("gauss.").removeprefix("g."))
        return match[0] if full is None else f"{{py:obj}}`{match[1]} <{full}>`"

    return NAME.sub(reference, text)


def first_sentence(value: object) -> str:
    """Return the first sentence of a docstring, as one line of a table."""
    paragraph = re.sub(r"\s+", " ", (inspect.getdoc(value) or "").partition("\n\n")[0])
    sentence = re.split(r"(?<=[.!?])\s", paragraph, maxsplit=1)[0]
    return sentence.replace("|", "\\|")
