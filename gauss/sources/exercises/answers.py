"""What a student typed, read as a formula: Python's own grammar of expressions, names from a list, nothing is run."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping
from dataclasses import dataclass

import sympy as sp

from gauss.errors import InputError
from gauss.foundation.shipped import nearest

LONGEST = 1000  # characters of an answer
HIGHEST = 12  # exponent
MOST_TERMS = 500  # once products are multiplied out
LARGEST = 10**9  # whole number, so that powers of powers stay small

FUNCTIONS = {
    "sin": sp.sin,
    "cos": sp.cos,
    "tan": sp.tan,
    "asin": sp.asin,
    "acos": sp.acos,
    "atan": sp.atan,
    "atan2": sp.atan2,
    "sinh": sp.sinh,
    "cosh": sp.cosh,
    "sqrt": sp.sqrt,
    "exp": sp.exp,
    "log": sp.log,
}
TAKES_TWO = {"atan2"}

_SIGNS = {
    "·": "*",
    "×": "*",
    "−": "-",
    "²": "**2",
    "³": "**3",
    "½": "(1/2)",
    "π": "pi",
    "^": "**",
    "′": "'",
    "’": "'",
    "´": "'",
    "″": "''",
    '"': "''",
    "°": "*pi/180",
}
_LETTERS, _SPELLED = "αβγδεθμρτφϕψωΩ", "alpha beta gamma delta epsilon theta mu rho tau phi phi psi omega Omega"
_GREEK = dict(zip(_LETTERS, _SPELLED.split(), strict=True))
_GAP = re.compile(  # between the factors of a product without its sign, with the number before it
    r"(?<=[\w)])\s+(?=[\w(])|(?<=\))(?=\w)|(?<!\w)(?>\d+\.?\d*(?:e[+-]?\d+)?)(?=[A-Za-z_])"
)


@dataclass(frozen=True)
class Term:
    """One of the terms that an answer is the sum of."""

    text: str  # as typed, with its sign
    formula: sp.Expr


def spelled(text: str) -> str:
    """Return a text in the spelling of Python: phi' and d_phi become phi_dot, ^ a power, φ phi.

    >>> spelled("½ m l^2 φ'²")
    '(1/2) m l**2 phi_dot**2'
    """
    for sign, word in (*_SIGNS.items(), *_GREEK.items()):
        text = text.replace(sign, word)
    text = re.sub(r"([A-Za-z_]\w*)''", r"\1_ddot", text)
    text = re.sub(r"([A-Za-z_]\w*)'", r"\1_dot", text)
    text = re.sub(r"\bdd_(\w+)", r"\1_ddot", text)
    text = re.sub(r"\bd_(\w+)", r"\1_dot", text)
    return " ".join(text.split())


def read_terms(text: str, names: Mapping[str, sp.Expr]) -> tuple[Term, ...]:
    """Return the terms of an expression, as typed.

    Raises InputError for what is no expression, for names that are not among `names`, and for what is too large.
    """
    tree, source = _parsed(text), spelled(text)
    _require_size(tree)
    terms = []
    for sign, node in _parts(tree, 1):
        typed = ast.get_source_segment(source, node) or ast.unparse(node)
        formula = sign * _formula(node, names)
        if formula.has(sp.nan, sp.zoo, sp.oo, -sp.oo, sp.I):
            raise InputError(f"{typed!r} is infinite, complex or no number at all.")
        if any(abs(x.exp) > HIGHEST for x in formula.atoms(sp.Pow) if x.exp.is_number):
            raise InputError(f"{typed!r} has an exponent above {HIGHEST}.")
        terms.append(Term(f"-{typed}" if sign < 0 else typed, formula))
    return tuple(terms)


def read(text: str, names: Mapping[str, sp.Expr]) -> sp.Expr:
    """Return an expression as a formula. Raises what `read_terms` does.

    >>> read("2*sin(x)", {"x": sp.Symbol("x")})
    2*sin(x)
    """
    return sp.Add(*(term.formula for term in read_terms(text, names)))


def _parsed(text: str) -> ast.expr:
    if len(text) > LONGEST:
        raise InputError(f"an answer has at most {LONGEST} characters, this one has {len(text)}.")
    if not text.strip():
        raise InputError("there is no formula.")
    try:
        return ast.parse(spelled(text), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise InputError(f"{text.strip()!r} is no formula; {_advice(text)}") from None


def _advice(text: str) -> str:
    """Return how a text becomes a formula: where a bracket or a * is missing, or the spelling."""
    source = spelled(text)
    bare = re.search(rf"\b({'|'.join(FUNCTIONS)})\s+(\w+)", source)
    if bare:
        return f"the function {bare[1]} needs its argument in brackets: {bare[1]}({bare[2]})."
    before, colon, _ = source.partition(":")
    if colon:
        return f"{before!r} before the colon is no question of this exercise."
    opened, closed = source.count("("), source.count(")")
    if opened != closed:
        return f"it opens {opened} bracket{'s' * (opened != 1)} and closes {closed}."
    mended = _GAP.sub(lambda gap: f"{gap[0].strip()}*", source)
    try:
        ast.parse(mended, mode="eval")
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return "write products with *, powers with **, rates as x_dot or x', second rates as x_ddot or x''."
    places = " and ".join(re.findall(r"^\w+|^.", source[gap.end() :])[0] for gap in _GAP.finditer(source))
    return f"write products with *, which is missing before {places}: {mended}"


def _parts(node: ast.expr, sign: int) -> list[tuple[int, ast.expr]]:
    """Return the terms of a sum with their signs, as they are written."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add | ast.Sub):
        return _parts(node.left, sign) + _parts(node.right, sign if isinstance(node.op, ast.Add) else -sign)
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.UAdd | ast.USub):
        return _parts(node.operand, sign if isinstance(node.op, ast.UAdd) else -sign)
    return [(sign, node)]


def _require_size(tree: ast.expr) -> None:
    """Raise InputError for a formula that would take long to multiply out."""
    if _size(tree) > MOST_TERMS:
        raise InputError(f"multiplied out, the formula has more than {MOST_TERMS} terms; shorten it.")


def _size(node: ast.AST) -> int:
    """Return how many terms an expression has at most, once products are multiplied out."""
    parts = [_size(part) for part in ast.iter_child_nodes(node) if isinstance(part, ast.expr)]
    if isinstance(node, ast.BinOp):
        if isinstance(node.op, ast.Add | ast.Sub):
            return sum(parts)
        if isinstance(node.op, ast.Pow) and isinstance(node.right, ast.Constant) and isinstance(node.right.value, int):
            power = min(max(node.right.value, 1), HIGHEST + 1)
            return int(min(parts[0] ** power, MOST_TERMS + 1))
        return min(parts[0] * parts[1], MOST_TERMS + 1)
    return max(parts, default=1)


def _formula(node: ast.expr, names: Mapping[str, sp.Expr]) -> sp.Expr:
    """Return a node as a formula. Raises InputError for what does not belong in one."""
    if isinstance(node, ast.Constant) and isinstance(node.value, int | float) and not isinstance(node.value, bool):
        return _number(node.value)
    if isinstance(node, ast.Name):
        return _named(node.id, names)
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub | ast.UAdd):
        value = _formula(node.operand, names)
        return -value if isinstance(node.op, ast.USub) else value
    if isinstance(node, ast.BinOp):
        return _combined(node, names)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and not node.keywords:
        return _applied(node.func.id, [_formula(part, names) for part in node.args])
    if isinstance(node, ast.Attribute) or (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)):
        raise InputError(_without_dot(node))
    if isinstance(node, ast.Call):
        raise InputError(f"{ast.unparse(node)!r} is no product; write it with *.")
    if isinstance(node, ast.Tuple):
        raise InputError(f"{ast.unparse(node)!r} has a comma; write numbers with a point, 0.5 and not 0,5.")
    raise InputError(f"{ast.unparse(node)!r} does not belong in a formula.")


def _without_dot(node: ast.expr) -> str:
    """Return what to write instead of np.cos(phi), q.phi or v.phi, as programs have them."""
    instead = re.sub(r"\b[A-Za-z_]\w*\.(?=[A-Za-z_])", "", re.sub(r"\bv\.(\w+)", r"\1_dot", ast.unparse(node)))
    return f"{ast.unparse(node)!r} is a name with a dot, as in programs; write {instead} here."


def _number(value: float) -> sp.Expr:
    if not abs(value) <= LARGEST:
        raise InputError(f"the number {value!r} is too large for an answer.")
    return sp.nsimplify(value, rational=True) if isinstance(value, float) else sp.Integer(value)


def _named(name: str, names: Mapping[str, sp.Expr]) -> sp.Expr:
    if name == "pi":
        return sp.pi
    if name in names:
        return names[name]
    if name in FUNCTIONS:
        raise InputError(f"the function {name} needs its argument in brackets: {name}(…).")
    near = nearest(name, list(names)) if len(name) > 2 else ""
    hint = f"did you mean {near}?" if near else f"known here: {', '.join(names)}."
    raise InputError(f"the name {name!r} is not known; {hint}")


def _applied(name: str, arguments: list[sp.Expr]) -> sp.Expr:
    if name not in FUNCTIONS:
        if name.lower() in FUNCTIONS:
            raise InputError(f"{name}(…) is written {name.lower()}(…).")
        raise InputError(f"{name}(…) is no function known here; write products with *. Known: {', '.join(FUNCTIONS)}.")
    if len(arguments) != (2 if name in TAKES_TWO else 1):
        raise InputError(f"the function {name} takes {'two arguments' if name in TAKES_TWO else 'one argument'}.")
    return FUNCTIONS[name](*arguments)


def _combined(node: ast.BinOp, names: Mapping[str, sp.Expr]) -> sp.Expr:
    left, right = _formula(node.left, names), _formula(node.right, names)
    if isinstance(node.op, ast.Add):
        return left + right
    if isinstance(node.op, ast.Sub):
        return left - right
    if isinstance(node.op, ast.Mult):
        return left * right
    if isinstance(node.op, ast.Div):
        if right == 0:
            raise InputError(f"{ast.unparse(node)!r} divides by zero.")
        return left / right
    if isinstance(node.op, ast.Pow):
        if not right.is_Rational or abs(right) > HIGHEST or right.q > HIGHEST:
            raise InputError(f"{ast.unparse(node)!r}: an exponent is a number, from -{HIGHEST} to {HIGHEST}.")
        if left == 0 and right <= 0:
            raise InputError(f"{ast.unparse(node)!r} divides by zero.")
        if left.is_Rational and max(abs(left.p), left.q) ** abs(right) > LARGEST:
            raise InputError(f"{ast.unparse(node)!r} is too large for an answer.")
        return left**right
    raise InputError(f"{ast.unparse(node)!r} does not belong in a formula.")
