"""States whose verdict and acceleration are derived by hand; the derivation is the text `why` of each case.

ψ', ψ'', … are derivatives along a motion with velocity v, acceleration a and third derivative b; "order k" counts
derivatives of a holonomic φ, so that order 2 of a velocity residual ψ is ψ', and so on. G = 9.81 is the weight of a
unit mass. Where nothing else is said all masses are 1 and the free acceleration is the given force.
"""

from verdict_none import CONTRADICTORY, NO_SMOOTH, NOT_ADMISSIBLE
from verdict_several import BRANCHING, COMBINED, HIGHER_ORDER, LOCKED
from verdict_unique import CROSSING, REDUNDANT, REGULAR

CASES = [
    *(*REGULAR, *REDUNDANT, *CROSSING, *LOCKED, *BRANCHING, *HIGHER_ORDER),
    *(*NO_SMOOTH, *NOT_ADMISSIBLE, *CONTRADICTORY, *COMBINED),
]
