"""Regularity: what is unique at a state, decided from the rows and from their higher-order conditions."""

from gauss.regularity.accelerations import AccelerationSet, Candidate, Continuum
from gauss.regularity.classify import Finding
from gauss.regularity.rank import Regularity, diagnose, require_unique, sigma_min_along
from gauss.regularity.verdict import Classification, classification, contradiction

__all__ = [
    "AccelerationSet",
    "Candidate",
    "Classification",
    "Continuum",
    "Finding",
    "Regularity",
    "classification",
    "contradiction",
    "diagnose",
    "require_unique",
    "sigma_min_along",
]
