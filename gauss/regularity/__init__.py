"""Regularity: whether the rows at a state are independent, and which of them are not."""

from gauss.regularity.rank import Regularity, diagnose, require_unique, sigma_min_along

__all__ = ["Regularity", "diagnose", "require_unique", "sigma_min_along"]
