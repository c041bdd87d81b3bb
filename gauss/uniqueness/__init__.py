"""Regularity: what is unique at a state, decided from the rows and from their higher-order conditions."""

from gauss.uniqueness.accelerations import AccelerationSet, Candidate, Continuum
from gauss.uniqueness.classify import classification as classification
from gauss.uniqueness.classify import contradiction as contradiction
from gauss.uniqueness.findings import Finding
from gauss.uniqueness.geometry import Geometry, geometry
from gauss.uniqueness.germs.elimination import Split as Split
from gauss.uniqueness.germs.germ import Germ, germ_of
from gauss.uniqueness.germs.numbers import Noisy as Noisy
from gauss.uniqueness.germs.numbers import OpenError as OpenError
from gauss.uniqueness.germs.parts import RestrictedRows as RestrictedRows
from gauss.uniqueness.germs.series import Series as Series
from gauss.uniqueness.large import clearly_regular as clearly_regular
from gauss.uniqueness.lipschitz import TWO as TWO
from gauss.uniqueness.lipschitz import Neighbourhood as Neighbourhood
from gauss.uniqueness.lipschitz import Smoothness, lipschitz
from gauss.uniqueness.orders.jets import conditions as conditions
from gauss.uniqueness.orders.velocity import on_order_two as on_order_two
from gauss.uniqueness.reactions import Reactions, reactions
from gauss.uniqueness.regularity import Regularity, diagnose, require_unique
from gauss.uniqueness.regularity import sigma_min_along as sigma_min_along
from gauss.uniqueness.rows.frame import frame_of as frame_of
from gauss.uniqueness.rows.inverse import smallest_singular_value as smallest_singular_value
from gauss.uniqueness.singular import SingularPosition, find_singular
from gauss.uniqueness.verdict import Verdict

__all__ = [  # for users; what is imported "as" itself is for other rooms and for tests
    "AccelerationSet",
    "Candidate",
    "Continuum",
    "Finding",
    "Geometry",
    "Germ",
    "Reactions",
    "Regularity",
    "SingularPosition",
    "Smoothness",
    "Verdict",
    "diagnose",
    "find_singular",
    "geometry",
    "germ_of",
    "lipschitz",
    "reactions",
    "require_unique",
]
