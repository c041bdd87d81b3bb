"""What notebooks show: a card of HTML for each kind of result, formulas of a model as LaTeX and MathML, and pages."""

from typing import TYPE_CHECKING

from gauss.foundation.later import later

if TYPE_CHECKING:
    from gauss.show.notebook.cards import html
    from gauss.show.notebook.page import film_of, outcome_section, page_path, report_motion, write_page
    from gauss.show.notebook.picture import NotebookFigure
    from gauss.show.notebook.typeset import Typeset, formulas_of, latex

HOMES = {
    "NotebookFigure": "picture",
    "Typeset": "typeset",
    "film_of": "page",
    "formulas_of": "typeset",
    "html": "cards",
    "latex": "typeset",
    "outcome_section": "page",
    "page_path": "page",
    "report_motion": "page",
    "write_page": "page",
}  # loaded when first asked for: SymPy and Matplotlib take long to import

__all__ = [
    "NotebookFigure",
    "Typeset",
    "film_of",
    "formulas_of",
    "html",
    "latex",
    "outcome_section",
    "page_path",
    "report_motion",
    "write_page",
]

__getattr__ = later(__name__, HOMES)
