"""Analysis: claims about a motion, and witnesses that confirm or refute it."""

from gauss.analysis.claims import Claim, Unexamined, convergence_order, needs, relative
from gauss.analysis.crosscheck import Minimal, certificate_claims, crosscheck, crosscheck_states

__all__ = [
    "Claim",
    "Minimal",
    "Unexamined",
    "certificate_claims",
    "convergence_order",
    "crosscheck",
    "crosscheck_states",
    "needs",
    "relative",
]
