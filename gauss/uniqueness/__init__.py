"""Regularity: what is unique at a state, decided from the rows and from their higher-order conditions."""

from gauss.uniqueness.accelerations import AccelerationSet, Candidate, Continuum
from gauss.uniqueness.findings import Finding
from gauss.uniqueness.geometry import geometry
from gauss.uniqueness.germs.germ import Germ, germ_of
from gauss.uniqueness.germs.numbers import Noisy, OpenError
from gauss.uniqueness.germs.reduction import RestrictedRows, Split
from gauss.uniqueness.germs.series import Series
from gauss.uniqueness.large import clearly_regular
from gauss.uniqueness.lipschitz import TWO, Neighbourhood, lipschitz
from gauss.uniqueness.orders.jets import conditions
from gauss.uniqueness.reactions import Reactions, reactions
from gauss.uniqueness.regularity import Regularity, diagnose, require_unique, sigma_min_along
from gauss.uniqueness.rows.frame import frame_of
from gauss.uniqueness.rows.inverse import smallest_singular_value
from gauss.uniqueness.singular import SingularPosition, find_singular
from gauss.uniqueness.verdict import Verdict, classification, contradiction

__all__ = [
    "TWO",
    "AccelerationSet",
    "Candidate",
    "Continuum",
    "Finding",
    "Germ",
    "Neighbourhood",
    "Noisy",
    "OpenError",
    "Reactions",
    "Regularity",
    "RestrictedRows",
    "Series",
    "SingularPosition",
    "Split",
    "Verdict",
    "classification",
    "clearly_regular",
    "conditions",
    "contradiction",
    "diagnose",
    "find_singular",
    "frame_of",
    "geometry",
    "germ_of",
    "lipschitz",
    "reactions",
    "require_unique",
    "sigma_min_along",
    "smallest_singular_value",
]
