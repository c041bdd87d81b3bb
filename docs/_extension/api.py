"""The pages of the API reference: one for each name of the front door, one for each room, written from the code."""

from __future__ import annotations

import ast
import dataclasses
import importlib
import inspect
import re
import sys
import textwrap
import tokenize
from collections.abc import Iterable, Iterator
from functools import cached_property
from io import StringIO
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

from docstrings import converted, first_sentence, markdown
from shown import ROOT, example_of, examples, result_names, used

import gauss

if TYPE_CHECKING:
    from sphinx.application import Sphinx

FOLDER = ROOT / "docs" / "api"
BESIDE = ("motion", "uniqueness", "scenario")  # rooms that are used by name, though `gauss.__all__` does not list them
PARTS = {  # the front door, in the order in which a reader needs it
    "State a model": "System Holonomic Pfaffian Nonholonomic Unilateral Coulomb Friction State load",
    "Ask one state": "accelerate classify Verdict reactions find_singular impact consistent check",
    "Follow a motion": "simulate sweep Trajectory Event crosscheck Claim needs relative Minimal Start main",
    "Equilibria and linear equations": "equilibrium linearize",
    "Show": "plot animate view show",
}
MORE = "More"  # names of the front door that PARTS does not list yet
ALIASES = {"AnySystem": "gauss.System | gauss.bodies.Mechanism"}  # in annotations, of what has no page
TYPE = re.compile(r"(?<![\w.'\"])[A-Z]\w*(?![\w'\"])")  # names of classes in annotations
SOME = 4  # links in a list of uses


def rooms() -> list[str]:
    """Return the namespaces of the package that have a page."""
    listed = [name for name in gauss.__all__ if isinstance(getattr(gauss, name), ModuleType)]
    return sorted({*listed, *BESIDE})


def front_door() -> dict[str, list[str]]:
    """Return the names of the front door by part."""
    names = [x for x in gauss.__all__ if x != "__version__" and not isinstance(getattr(gauss, x), ModuleType)]
    parts = {part: [name for name in given.split() if name in names] for part, given in PARTS.items()}
    rest = [name for name in names if not any(name in part for part in parts.values())]
    return {**parts, MORE: rest} if rest else parts


def public(room: ModuleType) -> list[str]:
    """Return the public names of a room: those of its `__all__`, else the classes and functions it defines."""
    if hasattr(room, "__all__"):
        return [name for name in room.__all__ if not isinstance(getattr(room, name), ModuleType)]
    own = [x for x, value in vars(room).items() if getattr(value, "__module__", "").startswith(room.__name__)]
    return [x for x in own if not x.startswith("_") and callable(getattr(room, x))]


class Reference:
    """All pages of the reference, as texts."""

    @cached_property
    def modules(self) -> dict[str, ModuleType]:
        """The rooms by name."""
        return {name: importlib.import_module(getattr(gauss, name).__name__) for name in rooms()}

    @cached_property
    def targets(self) -> dict[str, str]:
        """The full name that each name in backticks stands for: short ones where they are clear."""
        found = {name: f"gauss.{name}" for names in front_door().values() for name in names}
        short: dict[str, list[str]] = {}
        for room, module in self.modules.items():
            for name in public(module):
                if self.at_the_door(getattr(module, name), name):
                    continue
                found[f"{room}.{name}"] = f"gauss.{room}.{name}"
                short.setdefault(name, []).append(f"gauss.{room}.{name}")
        clear = {name: full[0] for name, full in short.items() if len(full) == 1 and len(name) > 3 and name != "box"}
        return {**clear, **found}

    def at_the_door(self, value: object, name: str) -> bool:
        """Whether a name of a room is the same object as the name of the front door."""
        return name in gauss.__all__ and getattr(gauss, name) is value

    @cached_property
    def values(self) -> dict[str, Any]:
        """What the public names of the front door and of the rooms stand for, each once, by full name."""
        found = {f"gauss.{name}": getattr(gauss, name) for names in front_door().values() for name in names}
        for room, module in self.modules.items():
            named = {name: getattr(module, name) for name in public(module)}
            found |= {f"gauss.{room}.{name}": x for name, x in named.items() if not self.at_the_door(x, name)}
        return found

    @cached_property
    def uses(self) -> dict[int, list[str]]:
        """Links to the pages and scenarios whose code uses a value, and to the names in whose examples it is used."""
        found: dict[int, list[str]] = {}
        codes = [(f"[{label}]({link})", code) for label, link, code in examples()]
        codes += [(f"[gauss.{room}](/api/{room}.md)", example_of(module)) for room, module in self.modules.items()]
        codes += [(reference(name), example_of(value)) for name, value in self.values.items()]
        for link, code in codes:
            for value in {id(value): value for value in used(code)}.values():
                found.setdefault(id(value), []).append(link)
        return found

    @cached_property
    def makers(self) -> dict[str, dict[str, bool]]:
        """For the name of a class the functions and methods that return it, and whether these have an example."""
        found: dict[str, dict[str, bool]] = {}
        for name, value in self.values.items():
            parts = {name: value}
            if inspect.isclass(value):
                parts = {f"{name}.{part}": inspect.getattr_static(value, part) for part in methods(value)}
            for full, part in parts.items():
                for result in result_names(part):
                    found.setdefault(result, {})[full] = bool(example_of(part))
        return found

    def not_shown(self) -> list[str]:
        """Return the names without an example, a use in one, and a function with an example that returns them."""
        shown = {name for name, value in self.values.items() if example_of(value) or self.uses.get(id(value))}
        classes = [name for name, value in self.values.items() if inspect.isclass(value)]
        shown |= {name for name in classes if any(self.makers.get(name.rpartition(".")[2], {}).values())}
        return [name for name in self.values if name not in shown]

    def pages(self) -> Iterator[tuple[str, str]]:
        """Return the name of each page and its text."""
        for names in front_door().values():
            for name in names:
                yield name, f"# gauss.{name}\n\n" + self.entry("gauss", name, getattr(gauss, name))
        for room, module in self.modules.items():
            yield room, self.room(room, module)
        yield "index", self.index()

    def index(self) -> str:
        """Return the first page of the reference."""
        lines = ["# API reference", "", "`import gauss as g` has these names. Each has an example that runs.", ""]
        for part, names in front_door().items():
            lines += [f"## {part}", "", "| | |", "|---|---|"]
            lines += [f"| [`g.{name}`]({name}.md) | {self.sentence(getattr(gauss, name))} |" for name in names]
            lines += ["", toctree(names), ""]
        lines += ["## Rooms", "", "Namespaces, loaded when they are first asked for.", "", "| | |", "|---|---|"]
        lines += [f"| [`g.{room}`]({room}.md) | {self.sentence(module)} |" for room, module in self.modules.items()]
        return "\n".join([*lines, "", toctree(list(self.modules)), ""])

    def sentence(self, value: object) -> str:
        """Return the first sentence of a docstring, with links."""
        return converted(first_sentence(value), self.without(value, self.targets))

    def room(self, room: str, module: ModuleType) -> str:
        """Return the page of a room."""
        lines = [f"# gauss.{room}", "", f"```{{py:module}} gauss.{room}\n```", "", markdown(module, self.targets), ""]
        names = public(module)
        lines += ["| | |", "|---|---|"]
        for name in names:
            value = getattr(module, name)
            full = f"gauss.{name}" if self.at_the_door(value, name) else f"gauss.{room}.{name}"
            lines.append(f"| {{py:obj}}`{name} <{full}>` | {self.sentence(value) if documented(value) else ''} |")
        for name in names:
            value = getattr(module, name)
            if not self.at_the_door(value, name):
                lines += ["", f"## {name}", "", self.entry(f"gauss.{room}", name, value)]
        return "\n".join(lines) + "\n"

    def entry(self, module: str, name: str, value: Any) -> str:
        """Return the description of one name."""
        if inspect.isclass(value):
            kind = "exception" if issubclass(value, BaseException) else "class"
            body = [markdown(value, self.within(value)), *self.fields(value)]
            body += [text for method in methods(value) for text in self.method(method, value)]
            given = self.signature(value) if kind == "class" else ""
        elif callable(value):
            kind, given, body = "function", self.signature(value), [markdown(value, self.without(value, self.targets))]
        else:
            kind, given, body = "data", "", [f"`{str(value)[:200]}`"]
        makers = [maker for maker in self.makers.get(name, {}) if not maker.startswith(f"{module}.{name}.")]
        if inspect.isclass(value) and makers:  # functions before methods
            makers.sort(key=lambda maker: maker.rpartition(".")[0] in self.values)
            body.append("Returned by " + ", ".join(map(reference, makers[:SOME])) + ".")
        if not example_of(value) and (uses := self.uses.get(id(value))):
            body.append("Used in " + ", ".join(uses[:SOME]) + ".")
        return directive(kind, f"{name}{given}", "\n\n".join(body), module)

    def method(self, name: str, owner: type) -> list[str]:
        """Return the description of a method or a property."""
        value = inspect.getattr_static(owner, name)
        bound = not isinstance(value, staticmethod)
        if isinstance(value, staticmethod | classmethod):
            value = value.__func__
        text = markdown(value, self.without(value, self.within(owner)))
        if callable(value):
            return [directive("method", name + self.signature(value, bound), text)]
        getter = value.fget if isinstance(value, property) else value.func
        return [directive("property", name, text, type=self.typed(getter.__annotations__.get("return", ""), getter))]

    def within(self, owner: type) -> dict[str, str]:
        """What names in backticks stand for in a class: its own methods before those of the package, no fields."""
        full = self.classes.get(id(owner), "")
        own = {part: f"{full}.{part}" for part in methods(owner)} if full else {}
        return {**self.without(owner, self.targets), **own}

    def without(self, value: Any, targets: dict[str, str]) -> dict[str, str]:
        """Return what names stand for where the parameters of a value are meant by theirs."""
        try:
            own = inspect.signature(value).parameters
        except (TypeError, ValueError):
            return targets
        return {name: full for name, full in targets.items() if name not in own}

    @cached_property
    def classes(self) -> dict[int, str]:
        """The full names of the public classes."""
        return {id(value): name for name, value in self.values.items() if inspect.isclass(value)}

    def typed(self, annotation: object, owner: Any) -> str:
        """Return an annotation in which the public classes have their full names, by which they become links.

        `owner` is the function or the class that it belongs to, whose module says what its names are.
        """
        text = annotation if isinstance(annotation, str) else inspect.formatannotation(annotation)
        module = sys.modules[inspect.unwrap(owner).__module__]

        def full(match: re.Match[str]) -> str:
            name = match[0]
            if name in ALIASES:
                return ALIASES[name]
            known = getattr(module, name, None)  # None for what type checkers alone import
            return self.classes.get(id(known), name) if known is not None else self.targets.get(name, name)

        return TYPE.sub(full, text)

    def signature(self, value: Any, bound: bool = False) -> str:
        """Return the parameters with their types and defaults, and the type of what is returned."""
        try:
            found = inspect.signature(value)
        except (TypeError, ValueError):
            return "()"
        kept = [
            p.replace(annotation=p.empty if p.annotation is p.empty else Shown(self.typed(p.annotation, value)))
            for p in found.parameters.values()
        ]
        back = found.return_annotation
        plain = back is found.empty or inspect.isclass(value)
        found = found.replace(
            parameters=kept[1:] if bound else kept,
            return_annotation=found.empty if plain else Shown(self.typed(back, value)),
        )
        return re.sub(r"<factory>|<(?:function|class|object)[^=]*?>(?=[,)])", "...", str(found))

    def fields(self, owner: type) -> list[str]:
        """Return the table of the fields of a dataclass, with what the comments beside them say."""
        if not dataclasses.is_dataclass(owner):
            return []
        said = {name: text for base in reversed(owner.__mro__) for name, text in comments(base)}
        rows = [
            f"| `{field.name}` | {linked_type(self.typed(field.type, owner))} |"
            f" {converted(said.get(field.name, ''), self.within(owner))} |"
            for field in dataclasses.fields(owner)
            if not field.name.startswith("_")
        ]
        table = ["| field | type | |", "|---|---|---|", *rows]
        return ["\n".join(table)] if rows else []


class Shown(str):
    """An annotation that a signature shows without quotation marks."""

    __repr__ = str.__str__


def linked_type(text: str) -> str:
    """Return a type as text of a table, the full names of classes as links."""
    parts = re.split(r"(gauss(?:\.\w+)+)", text.replace("|", "\\|"))
    return "".join(
        f"{{py:obj}}`{part.rpartition('.')[2]} <{part}>`" if part.startswith("gauss.") else part and f"`{part}`"
        for part in parts
    )


def reference(name: str) -> str:
    """Return a link to a name."""
    return f"{{py:obj}}`{name}`"


def documented(value: object) -> bool:
    """Whether a value has a docstring of its own, not that of its type."""
    return inspect.isclass(value) or callable(value) or isinstance(value, ModuleType)


def directive(kind: str, head: str, body: str, module: str = "", type: str = "") -> str:
    """Return a directive of Sphinx's Python domain; its fence is longer than any within."""
    fence = "`" * (max(map(len, re.findall(r"^ *(`{3,})", body, re.M)), default=2) + 1)
    options = [f":{name}: {text}" for name, text in (("module", module), ("type", type)) if text]
    return "\n".join([f"{fence}{{py:{kind}}} {head}", *options, "", body, fence])


def methods(owner: type) -> list[str]:
    """Return the public methods and properties that a class defines, or a public base of it in the package."""
    if issubclass(owner, BaseException):
        return []
    found: dict[str, None] = {}
    given = getattr(owner, "__dataclass_fields__", {})  # the default of a field may be a function
    for base in owner.__mro__:
        if base.__module__.startswith("gauss.") and base.__name__ != "Portable":
            for name, value in vars(base).items():
                described = isinstance(value, property | cached_property | staticmethod | classmethod)
                if not name.startswith("_") and name not in given and (inspect.isfunction(value) or described):
                    found.setdefault(name)
    return list(found)


def comments(owner: type) -> list[tuple[str, str]]:
    """Return the fields of a class and the comments at their ends."""
    if not owner.__module__.startswith("gauss."):
        return []
    source = textwrap.dedent(inspect.getsource(owner))
    tokens = tokenize.generate_tokens(StringIO(source).readline)
    at = {token.start[0]: token.string.lstrip("# ") for token in tokens if token.type == tokenize.COMMENT}
    body = ast.parse(source).body[0]
    assert isinstance(body, ast.ClassDef)
    stated = [node for node in body.body if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name)]
    said = [(node.target.id, at.get(node.end_lineno or 0, "")) for node in stated if isinstance(node.target, ast.Name)]
    return [(name, text.replace("|", "\\|")) for name, text in said]


def toctree(names: Iterable[str]) -> str:
    """Return a hidden table of contents."""
    return "\n".join(["```{toctree}", ":hidden:", "", *names, "```"])


def write_changed(path: Path, text: str) -> None:
    """Write a page unless it is there as it should be, so that an unchanged one is not read again."""
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def write(app: Sphinx) -> None:
    """Write all pages, and remove those of names that are gone."""
    pages = dict(Reference().pages())
    for name, text in pages.items():
        write_changed(FOLDER / f"{name}.md", text)
    for path in FOLDER.glob("*.md"):
        if path.stem not in pages:
            path.unlink()


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the extension."""
    app.connect("builder-inited", write)
    return {"parallel_read_safe": True}
