"""Analysis: claims about a motion and witnesses that confirm or refute it, linear equations, first integrals.

>>> import gauss as g
>>> pendulum = g.System(
...     "pendulum",
...     coordinates="x y",
...     kinetic_energy=lambda v: 0.5 * (v.x**2 + v.y**2),
...     potential_energy=lambda q: 9.81 * q.y,
...     constraints=[g.Holonomic("rod", lambda q: q.x**2 + q.y**2 - 1.0)],
... )
>>> [integral.name for integral in g.analysis.first_integrals(pendulum)]
['energy']
"""

from typing import TYPE_CHECKING

from gauss.analysis.certificates import certificate_claims
from gauss.analysis.claims import Claim, Claims, Unexamined, convergence_order, needs, relative
from gauss.analysis.crosscheck import Minimal, crosscheck, crosscheck_states
from gauss.analysis.integrals.associated import AssociatedSystem, ControlledPath, associated
from gauss.analysis.integrals.holonomy import Holonomy, holonomy
from gauss.analysis.integrals.invariants import FirstIntegral, Invariants, first_integrals, invariants, poisson_bracket
from gauss.analysis.integrals.phase_flow import PhaseVolume, Returns, divergence, phase_volume, returns
from gauss.analysis.linear.along import linearize_along, transition
from gauss.analysis.linear.continuation import Bifurcations, bifurcations
from gauss.analysis.linear.equilibria import Equilibria, SteadyMotion, equilibria, equilibrium, steady_motion
from gauss.analysis.linear.linearize import Linearization, linearize
from gauss.analysis.linear.stability import RootLocus, Spectrum, root_locus
from gauss.analysis.portrait import Portrait, portrait
from gauss.analysis.reaction_ranges import ReactionRanges, reaction_ranges
from gauss.analysis.second_opinion.check import check
from gauss.analysis.second_opinion.mujoco import mujoco_state
from gauss.analysis.second_opinion.record import SecondOpinion
from gauss.analysis.second_opinion.recorded import recording
from gauss.analysis.states import RandomStates, random_states
from gauss.foundation.later import later

if TYPE_CHECKING:
    from gauss.analysis.integrals.hamiltonian import CanonicalEquations, hamiltonian

from gauss.analysis.atlas import UNREACHED as UNREACHED
from gauss.analysis.atlas import Atlas, atlas_along, atlas_over
from gauss.analysis.crosscheck import crosscheck_at
from gauss.analysis.crosscheck_formulations import SAME_NUMBERS as SAME_NUMBERS
from gauss.analysis.energy import energy_residual
from gauss.analysis.friction import friction_claims

__all__ = [  # for users; what is imported "as" itself is for other rooms and for tests
    "AssociatedSystem",
    "Atlas",
    "Bifurcations",
    "CanonicalEquations",
    "Claim",
    "Claims",
    "ControlledPath",
    "Equilibria",
    "FirstIntegral",
    "Holonomy",
    "Invariants",
    "Linearization",
    "Minimal",
    "PhaseVolume",
    "Portrait",
    "RandomStates",
    "ReactionRanges",
    "Returns",
    "RootLocus",
    "SecondOpinion",
    "Spectrum",
    "SteadyMotion",
    "Unexamined",
    "associated",
    "atlas_along",
    "atlas_over",
    "bifurcations",
    "certificate_claims",
    "check",
    "convergence_order",
    "crosscheck",
    "crosscheck_at",
    "crosscheck_states",
    "divergence",
    "energy_residual",
    "equilibria",
    "equilibrium",
    "first_integrals",
    "friction_claims",
    "hamiltonian",
    "holonomy",
    "invariants",
    "linearize",
    "linearize_along",
    "mujoco_state",
    "needs",
    "phase_volume",
    "poisson_bracket",
    "portrait",
    "random_states",
    "reaction_ranges",
    "recording",
    "relative",
    "returns",
    "root_locus",
    "steady_motion",
    "transition",
]


# SymPy takes long to import
__getattr__ = later(__name__, dict.fromkeys(("CanonicalEquations", "hamiltonian"), "integrals.hamiltonian"))


def __dir__() -> list[str]:
    return __all__
