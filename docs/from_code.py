"""Write the tables of folders and of constants of design.md from the code (`--check` only compares).

    python docs/from_code.py

A folder is described by the first line of its docstring. A constant is a number, or a tuple of numbers, at the level of
a module; the comment behind it is its reason.
"""

from __future__ import annotations

import ast
import io
import sys
import tokenize
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "design.md"
BEGIN, END = "<!-- {}: written by docs/from_code.py -->", "<!-- end of {} -->"


def is_numeric(node: ast.expr) -> bool:
    """Whether an expression is made of numbers alone: 1e-9, 64 * EPS, (1, 2), np.finfo(float).eps."""
    parts = [x for x in ast.walk(node) if isinstance(x, ast.Constant)]
    if isinstance(node, ast.Call | ast.Dict | ast.List | ast.Set | ast.Compare | ast.Lambda | ast.Attribute | ast.Name):
        return "finfo" in ast.unparse(node)
    numbers = [x for x in parts if isinstance(x.value, int | float) and not isinstance(x.value, bool)]
    return bool(numbers) and len(numbers) == len([x for x in parts if not isinstance(x.value, bool)])


def comments(text: str) -> dict[int, str]:
    """Comments by line, those that go on in lines of their own joined."""
    found: dict[int, str] = {}
    alone: dict[int, str] = {}
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT:
            own = not token.line[: token.start[1]].strip()
            (alone if own else found)[token.start[0]] = token.string.lstrip("# ").strip()
    for line in sorted(found):
        following = line + 1
        while following in alone:
            found[line] += " " + alone[following]
            following += 1
    return found


def constants(path: Path) -> list[tuple[str, str, str]]:
    """Name, value and reason of each constant of a module."""
    text = path.read_text(encoding="utf-8")
    reasons, found = comments(text), []
    for node in ast.parse(text).body:
        if isinstance(node, ast.AnnAssign) and node.value is not None:
            targets, value = [node.target], node.value
        elif isinstance(node, ast.Assign):
            targets, value = node.targets, node.value
        else:
            continue
        reason = reasons.get(node.end_lineno or 0, reasons.get(node.lineno, ""))
        for target in targets:
            pairs = [(target, value)]
            if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
                pairs = list(zip(target.elts, value.elts, strict=True))
            for name, one in pairs:
                if isinstance(name, ast.Name) and name.id.strip("_").isupper() and is_numeric(one):
                    found.append((name.id, ast.unparse(one), reason))
    return found


def table_of_constants() -> str:
    """One line for each constant."""
    lines = ["| constant | value | where | why |", "|---|---|---|---|"]
    for path in sorted((ROOT / "gauss").rglob("*.py")):
        module = ".".join(path.relative_to(ROOT / "gauss").with_suffix("").parts)
        for name, value, reason in constants(path):
            lines.append(f"| `{name}` | {value} | `{module}` | {reason.replace('|', chr(92) + '|')} |")
    return "\n".join(lines)


def table_of_folders() -> str:
    """One line for each folder, and for each module beside them, lowest floors first."""
    floors = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["house"]["floors"]
    lines = ["| floor | where | what it knows | files |", "|---|---|---|---|"]
    listed = {name for floor in floors for name in floor}
    for number, floor in enumerate(floors):
        for name in floor:
            place = ROOT.joinpath(*name.split("."))
            for init in sorted(place.rglob("__init__.py")) if place.is_dir() else [place.with_suffix(".py")]:
                own = ".".join(init.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
                if own in listed and own != name:
                    continue
                title = (ast.get_docstring(ast.parse(init.read_text(encoding="utf-8"))) or "").partition("\n")[0]
                files = sorted(p.stem for p in init.parent.glob("*.py") if p != init) if place.is_dir() else []
                shown = " · ".join(f"`{x}`" for x in files)
                lines.append(f"| {number} | `{own.removeprefix('gauss.')}` | {title.rstrip('.')} | {shown} |")
    return "\n".join(lines)


def main() -> int:
    """Write the tables, or compare."""
    text = new = PAGE.read_text(encoding="utf-8")
    for name, table in (("folders", table_of_folders()), ("constants", table_of_constants())):
        begin, end = BEGIN.format(name), END.format(name)
        before, rest = new.split(begin)
        new = f"{before}{begin}\n{table}\n{end}{rest.split(end)[1]}"
    if "--check" in sys.argv:
        return 0 if new == text else 1
    PAGE.write_text(new, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
