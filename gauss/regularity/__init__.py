"""Regularity: what is unique at a state, decided from the rows and from their higher-order conditions."""

from gauss.regularity.accelerations import AccelerationSet, Candidate, Continuum
from gauss.regularity.findings import Finding
from gauss.regularity.lipschitz import lipschitz
from gauss.regularity.rank import Regularity, diagnose, require_unique, sigma_min_along
from gauss.regularity.reactions import Reactions, reactions
from gauss.regularity.singular import SingularPosition, find_singular
from gauss.regularity.verdict import Classification, classification, contradiction

__all__ = [
    "AccelerationSet",
    "Candidate",
    "Classification",
    "Continuum",
    "Finding",
    "Reactions",
    "Regularity",
    "SingularPosition",
    "classification",
    "contradiction",
    "diagnose",
    "find_singular",
    "lipschitz",
    "reactions",
    "require_unique",
    "sigma_min_along",
]
