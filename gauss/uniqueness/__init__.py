"""Regularity: what is unique at a state, decided from the rows and from their higher-order conditions."""

from gauss.uniqueness.accelerations import AccelerationSet, Candidate, Continuum
from gauss.uniqueness.findings import Finding
from gauss.uniqueness.lipschitz import lipschitz
from gauss.uniqueness.rank import Regularity, diagnose, require_unique, sigma_min_along
from gauss.uniqueness.reactions import Reactions, reactions
from gauss.uniqueness.singular import SingularPosition, find_singular
from gauss.uniqueness.verdict import Verdict, classification, contradiction

__all__ = [
    "AccelerationSet",
    "Candidate",
    "Continuum",
    "Finding",
    "Reactions",
    "Regularity",
    "SingularPosition",
    "Verdict",
    "classification",
    "contradiction",
    "diagnose",
    "find_singular",
    "lipschitz",
    "reactions",
    "require_unique",
    "sigma_min_along",
]
