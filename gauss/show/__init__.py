"""Reports, formulas and figures: they know results, and compute nothing but the dense output they draw.

>>> import gauss as g
>>> pendulum = g.System(
...     "pendulum",
...     coordinates="phi",
...     kinetic_energy=lambda v: 0.5 * v.phi**2,
...     potential_energy=lambda q: -9.81 * g.cos(q.phi),
...     units={"phi": "rad"},
... )
>>> g.show.phase_portrait(pendulum, "phi", degrees=True).savefig("portrait.png")
"""

from typing import TYPE_CHECKING

from gauss.foundation.later import later

if TYPE_CHECKING:
    from gauss.show.contacts import mode_times
    from gauss.show.diagrams.bifurcation import bifurcation_diagram
    from gauss.show.diagrams.linear import normal_modes, root_locus
    from gauss.show.diagrams.portrait import phase_portrait
    from gauss.show.diagrams.reactions import reaction_bands
    from gauss.show.figures.plots import plot
    from gauss.show.look import style

HOMES = {
    "COLOURS": "film.bodies",
    "JsonArray": "batch",
    "LARGEST": "film.stage",
    "SIZE": "look",
    "STYLE": "look",
    "bifurcation_diagram": "diagrams.bifurcation",
    "complain": "terminal",
    "console": "terminal",
    "friction_data": "friction",
    "friction_part": "friction",
    "mode_times": "contacts",
    "normal_modes": "diagrams.linear",
    "overview": "figures.overview",
    "phase_portrait": "diagrams.portrait",
    "plot": "figures.plots",
    "reaction_bands": "diagrams.reactions",
    "root_locus": "diagrams.linear",
    "run_all": "batch",
    "save_figure": "figures.overview",
    "shape_of": "film.stage",
    "style": "look",
    "tidy": "look",
    "verdict_page": "verdict",
}  # loaded when first asked for: drawing takes long to import; more than users need, for tests

__all__ = [
    "bifurcation_diagram",
    "mode_times",
    "normal_modes",
    "phase_portrait",
    "plot",
    "reaction_bands",
    "root_locus",
    "style",
]

__getattr__ = later(__name__, HOMES)
