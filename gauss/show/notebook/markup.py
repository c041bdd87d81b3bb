"""HTML of the cards: every text is escaped unless it is `Markup` already; colours follow the page that is around.

Notebooks that are not trusted show it without style and inline SVG: what is text must then still read well, and
pictures are those of class "spare", which the style hides.

Rules name the class twice where those of Jupyter's own tables would win. Lights have a colour (Okabe and Ito's, which
the colour-blind tell apart), a shape, a sign and a word.
"""

from __future__ import annotations

import html
from collections.abc import Iterable, Sequence

GREEN, AMBER, RED, BLUE = "#009E73", "#E69F00", "#D55E00", "#0072B2"
SHAPES = {  # of a light: outline, sign
    GREEN: ('<circle cx="9" cy="9" r="8"/>', '<path d="M5 9.4l2.8 2.8L13 6.6" class="sign"/>'),
    AMBER: ('<path d="M9 1.2L17.4 16.4H.6z"/>', '<path d="M9 6.4v4.6M9 13.2v1" class="sign"/>'),
    RED: (
        '<rect x="1.5" y="1.5" width="15" height="15"/>',
        '<path d="M5.6 5.6l6.8 6.8M12.4 5.6l-6.8 6.8" class="sign"/>',
    ),
}
CURVES = """
.gauss .curves text {fill: currentColor; font: 11px system-ui, sans-serif}
.gauss .curves .axis {stroke: currentColor; opacity: .35; fill: none}
.gauss .curves polyline {fill: none; stroke: #0072B2; stroke-width: 1.5; stroke-linejoin: round}
.gauss .curves .mark {stroke: #D55E00; stroke-width: 1; stroke-dasharray: 3 3; opacity: .8}
""".strip()
STYLE = (
    f"{CURVES}\n"
    + """
.gauss {font: 14px/1.45 system-ui, sans-serif; color: inherit; max-width: 60em; text-align: left}
[data-jp-theme-light="false"] .gauss, [data-theme="dark"] .gauss {color-scheme: dark}
.gauss header {display: block; margin: .2em 0 .5em; font-size: 1.08em; border: 0; padding: 0; background: none}
.gauss header > * {margin-right: .25em}
.gauss header b {font-weight: 650}
.gauss .dim {opacity: .72}
.gauss p {margin: .35em 0}
.gauss h4 {margin: .9em 0 .25em; font-size: 1em; font-weight: 650}
.gauss svg.light {width: 1.15em; height: 1.15em; flex: none; vertical-align: -.2em}
.gauss svg.light .sign {fill: none; stroke: #fff; stroke-width: 2.2; stroke-linecap: round}
.gauss .wide {overflow-x: auto}
.gauss.gauss table {border-collapse: collapse; margin: .25em 0; font-size: .96em; color: inherit; border: 0}
.gauss.gauss th, .gauss.gauss td {text-align: left; vertical-align: top; padding: .16em .9em .16em 0; border: 0;
 border-bottom: 1px solid rgba(128,128,128,.28); background: none; color: inherit; white-space: normal}
.gauss.gauss tr:nth-child(n), .gauss.gauss tbody tr:nth-child(n):hover {background: none}
.gauss.gauss thead th {font-weight: 600; border-bottom: 1px solid rgba(128,128,128,.7)}
.gauss.gauss td.n, .gauss.gauss th.n {text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap}
.gauss .facts td:first-child {opacity: .72; white-space: nowrap}
.gauss .warn {border-left: 4px solid #E69F00; padding-left: .6em}
.gauss details {margin: .4em 0}
.gauss summary {cursor: pointer; opacity: .85}
.gauss pre {white-space: pre-wrap; margin: .3em 0; font-size: .92em; background: none; color: inherit}
.gauss math {font-size: 1.12em}
.gauss sub {font-size: .72em; line-height: 0}
.gauss .formula {margin: .3em 0 .3em 1em; overflow-x: auto; overflow-y: hidden; padding: .1em 0}
.gauss math .matrix {border: solid currentColor; border-width: 0 1.4px; border-radius: .5em; padding: 0 .25em}
.gauss math .cases {border-left: 1.4px solid currentColor; border-radius: .4em; padding-left: .25em}
.gauss svg.curves {display: block; max-width: 100%; height: auto}
.gauss img.spare {display: none}
@media print {.gauss details > * {display: block}}
""".strip()
)


class Markup(str):
    """HTML, that is text in which nothing is to be escaped any more."""

    def __add__(self, other: object) -> Markup:
        """Return this and another piece of HTML, or a text, one after the other."""
        return joined([self, other])


def escaped(value: object) -> Markup:
    """Return a text as HTML; HTML as it is.

    >>> escaped("<b>")
    '&lt;b&gt;'
    """
    return value if isinstance(value, Markup) else Markup(html.escape(str(value)))


def joined(parts: Iterable[object], between: str = "") -> Markup:
    """Return texts and pieces of HTML one after the other."""
    return Markup(between.join(escaped(part) for part in parts))


def element(name: str, *inner: object, **attributes: str) -> Markup:
    """Return an element; `class_` is its class.

    >>> element("p", "1 < 2", class_="dim")
    '<p class="dim">1 &lt; 2</p>'
    """
    given = "".join(f' {key.rstrip("_")}="{html.escape(value)}"' for key, value in attributes.items())
    return Markup(f"<{name}{given}>{joined(inner)}</{name}>")


def light(colour: str, words: str, beside: bool = False) -> Markup:
    """Return a light, with the words that it stands for, which may stand `beside` it."""
    outline, sign = SHAPES[colour]
    label = html.escape(words)
    return Markup(
        f'<svg class="light" viewBox="0 0 18 18" role="img" aria-label="{label}" fill="{colour}">'
        f"{'' if beside else f'<title>{label}</title>'}{outline}{sign}</svg>"
    )


def header(colour: str, title: object, *words: object) -> Markup:
    """Return the head of a card: a light, its title, further words."""
    said = [element("span", word, class_="dim") for word in words if word]
    return element("header", joined([light(colour, str(title), True), element("b", title), *said], " "))


def table(head: Sequence[object], rows: Iterable[Sequence[object]], numbers: Sequence[int] = ()) -> Markup:
    """Return a table; columns `numbers` stand flush right."""

    def cells(name: str, row: Sequence[object]) -> Markup:
        return joined(element(name, x, **({"class_": "n"} if k in numbers else {})) for k, x in enumerate(row))

    body = joined(element("tr", cells("td", row)) for row in rows)
    top = element("thead", element("tr", cells("th", head))) if head else ""
    return element("div", element("table", top, element("tbody", body)), class_="wide")


def facts(rows: Iterable[tuple[object, object]]) -> Markup:
    """Return a table of words and what they are."""
    body = joined(element("tr", element("td", label), element("td", value)) for label, value in rows)
    return element("div", element("table", element("tbody", body), class_="facts"), class_="wide")


def folded(summary: object, *inner: object) -> Markup:
    """Return what opens at a click."""
    return element("details", element("summary", summary), *inner)


def some(rows: Sequence[Sequence[object]], most: int, columns: int) -> list[Sequence[object]]:
    """Return rows of a table; of more than `most` the first ones, the last two and how many are between."""
    if len(rows) <= most:
        return list(rows)
    left_out = [f"… {len(rows) - most + 1} more", *[""] * (columns - 1)]
    return [*rows[: most - 3], left_out, *rows[-2:]]


def typeset(text: str) -> str:
    """Return accelerations as they are printed, in the signs of a page.

    >>> typeset("x'' = -9.81 m/s²")
    'x″ = −9.81 m/s²'
    """
    return text.replace("''", "″").replace("-", "−")


def number(x: float, digits: int = 6) -> str:
    """Return a number with a true minus sign.

    >>> number(-0.5), number(float("inf"))
    ('−0.5', '∞')
    """
    return f"{x:.{digits}g}".replace("-", "−").replace("inf", "∞")
