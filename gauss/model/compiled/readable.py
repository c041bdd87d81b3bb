"""CasADi expressions in words for messages: short, and without names for shared parts."""

from __future__ import annotations

import re

import casadi as ca

LONGEST, TOO_LONG = 60, 20_000  # characters of an expression in a message, and while it is written out


def readable(expression: ca.SX) -> str:
    """Return an expression in readable form, shortened; CasADi names shared parts @1, @2, …, which are put back."""
    text = str(expression)
    while (shared := re.match(r"(@\d+)=", text)) is not None:
        end = _comma(text)
        value, text = text[shared.end() : end], text[end + 2 :]
        text = re.sub(re.escape(shared[1]) + r"(?!\d)", lambda _, value=value: value, text)  # type: ignore[misc]
        text = text[:TOO_LONG]
    text = re.sub(r"sq\((\w+)\)", r"\1²", text)
    while text.startswith("(") and _closing(text) == len(text) - 1:
        text = text[1:-1]
    return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"


def _comma(text: str) -> int:
    """Return where the first comma outside brackets is; the length of the text where there is none."""
    depth = 0
    for k, letter in enumerate(text):
        depth += (letter == "(") - (letter == ")")
        if depth == 0 and letter == ",":
            return k
    return len(text)


def _closing(text: str) -> int:
    """Return where the bracket closes that opens a text; −1 if it does not."""
    depth = 0
    for k, letter in enumerate(text):
        depth += (letter == "(") - (letter == ")")
        if depth == 0:
            return k
    return -1


def quotient(above: str, below: str) -> str:
    """Return a quotient of two expressions in words, with the brackets it needs."""
    return " / ".join(part if re.fullmatch(r"[\w.]+", part) else f"({part})" for part in (above, below))
