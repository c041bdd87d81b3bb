"""What notebooks show: a card of HTML for each kind of result, formulas of a model as LaTeX and MathML, and pages."""

from typing import TYPE_CHECKING

from gauss.foundation.later import later

if TYPE_CHECKING:
    from gauss.show.notebook.cards import html
    from gauss.show.notebook.picture import NotebookFigure
    from gauss.show.notebook.typeset import Typeset, latex

HOMES = {
    "NotebookFigure": "picture",
    "Typeset": "typeset",
    "html": "cards",
    "latex": "typeset",
}  # loaded when first asked for: SymPy and Matplotlib take long to import

__all__ = ["NotebookFigure", "Typeset", "html", "latex"]

__getattr__ = later(__name__, HOMES)
