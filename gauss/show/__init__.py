"""Reports, formulas and figures: they know results, and compute nothing but the dense output they draw."""

from typing import TYPE_CHECKING

from gauss.foundation.later import later

if TYPE_CHECKING:
    from gauss.show.batch import JsonArray, run_all
    from gauss.show.contacts import mode_times
    from gauss.show.friction import friction_data, friction_part
    from gauss.show.look import SIZE, STYLE, style
    from gauss.show.plots import plot, save_figure
    from gauss.show.terminal import complain, console
    from gauss.show.verdict import verdict_page

HOMES = {
    "JsonArray": "batch",
    "SIZE": "look",
    "STYLE": "look",
    "complain": "terminal",
    "console": "terminal",
    "friction_data": "friction",
    "friction_part": "friction",
    "mode_times": "contacts",
    "plot": "plots",
    "run_all": "batch",
    "save_figure": "plots",
    "style": "look",
    "verdict_page": "verdict",
}  # loaded when first asked for: drawing takes long to import

__all__ = [
    "SIZE",
    "STYLE",
    "JsonArray",
    "complain",
    "console",
    "friction_data",
    "friction_part",
    "mode_times",
    "plot",
    "run_all",
    "save_figure",
    "style",
    "verdict_page",
]

__getattr__ = later(__name__, HOMES)
