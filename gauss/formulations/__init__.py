"""Witnesses: classical formulations that give the same acceleration as Gauss's principle, each on its own path.

They import nothing of the model or the principle, so agreement with them is evidence. The first three consume the same
M, f, J, γ and test only the linear algebra; the others differentiate plain NumPy functions again, or use other
coordinates. None of them is an oracle at a singular position. `gauss.analysis.crosscheck_formulations.witnesses_of`
lists those that a cross-check asks, and says where each applies: a new one is entered there.

| name | formulation | input | gives | where it is not Gauss |
|---|---|---|---|---|
| `lagrange_first_kind` | Lagrange, first kind | M, f, J, γ | a, λ | dependent rows (raises); M indefinite on ker J |
| `null_space_form` | Maggi, Kane | M, f, J, γ | a | the rank of J is its own decision |
| `udwadia_kalaba` | Udwadia–Kalaba | M, f, J, γ | a | semidefinite M (raises); nearly dependent rows are cut off |
| `euler_lagrange` | Lagrange, second kind | L(q, v, t) | M, f | constraints beyond the coordinates |
| `minimal_acceleration` | Lagrange, second kind | L(s, ṡ, t) | s̈ | singular points of the chart (raises) |
| `chart_acceleration` | chain rule | q = chart(s, t) | q, q̇, q̈ | no dynamics in it |
| `holonomic_rows` | φ(q, t) = 0, twice differentiated | φ | J, γ | no conditions of higher order |
| `velocity_rows` | ψ(q, v, t) = 0, once differentiated | ψ | J, γ | no conditions of higher order |
| `quadratic_form_in_velocity` | L = ½ vᵀMv + bᵀv + c | L(q, v, t) | M, b, c | no dynamics in it |
| `legendre` | Legendre transform | L(q, v, t), p | H, v | semidefinite M (raises) |
| `canonical_equations` | Hamilton | L(q, v, t), p | q̇, ṗ | semidefinite M (raises) |
| `hamilton` | Hamilton, with multipliers | L, J, γ | p, H, q̇, ṗ, a, λ | semidefinite M, dependent rows (raises) |
| `gibbs_appell` | Gibbs–Appell | L, a = G ω̇ + g | a, ω̇ | singular choice of quasi-velocities |
| `gibbs_appell_particles` | Gibbs–Appell, ½ Σ m r̈² | r(q, t), m, F, v(q, ω, t) | a, ω̇ | the same |
| `gibbs_gradient` | Nielsen's form | L(q, v, t) | ∂S/∂a | no constraints in it |
| `quasi_velocities` | v̇ = G ω̇ + g | v(q, ω, t) | G, g | no dynamics in it |
| `rows_in_quasi_velocities` | the same for rows | J, γ | G, g | no dynamics in it |
| `voronets` | Voronets, Chaplygin | L, ẏ = Bẋ + B₀ | a | ẏ that the rows do not determine (raises) |
| `boltzmann_hamel` | Boltzmann–Hamel | bodies or L, ω = αq̇ + α₀ | ω̇, a | rows nonlinear in v; singular α (raises) |
| `boltzmann_hamel_form` | the same, quasi-velocities chosen | L, A(q, t), b | a | the same |
| `maggi` | Maggi, from the same frame | bodies or L, α | ω̇ | the same |
| `euler_newton` | Euler–Newton, one rigid body | m, I, F, M, rows | s̈, Ω̇, reactions | dependent reactions (raises) |
| `vakonomic` | vakonomic: *differs* | L, ψ, μ | a, μ̇ | all but integrable rows and μ = 0 |
| `discrete_action_residual` | discrete d'Alembert-Lagrange | L, q(t_k), J | residual | impacts; singular positions |
| `discrete_action_order` | the same for several steps | L, q(t), J | order in h | the same |
| `taylor_along` | Cauchy's formula on a circle | f(τ) | c_0 … c_k | no dynamics in it |

>>> import numpy as np
>>> from gauss.formulations import udwadia_kalaba
>>> udwadia_kalaba(np.eye(2), [0.0, -9.81], [[0.0, 1.0]], [0.0])
array([0., 0.])
"""

from gauss.formulations._analytic import taylor_along
from gauss.formulations._analytic import unexamined as unexamined
from gauss.formulations.boltzmann.hamel import BoltzmannHamel, boltzmann_hamel, boltzmann_hamel_form
from gauss.formulations.boltzmann.inertia import KineticEnergy, RigidBody
from gauss.formulations.boltzmann.maggi import maggi
from gauss.formulations.complex_step import (
    chart_acceleration,
    euler_lagrange,
    holonomic_rows,
    minimal_acceleration,
    quadratic_form_in_velocity,
    velocity_rows,
)
from gauss.formulations.discrete_action import ActionOrder, discrete_action_order, discrete_action_residual
from gauss.formulations.euler_newton import EulerNewton, ReactionRows, euler_newton, point_rows, spin_row
from gauss.formulations.gibbs_appell import (
    gibbs_appell,
    gibbs_appell_particles,
    gibbs_gradient,
    quasi_velocities,
    rows_in_quasi_velocities,
)
from gauss.formulations.hamilton import CanonicalMotion, canonical_equations, hamilton, legendre
from gauss.formulations.lagrange_first import lagrange_first_kind
from gauss.formulations.null_space import null_space_form
from gauss.formulations.udwadia_kalaba import udwadia_kalaba
from gauss.formulations.vakonomic import vakonomic
from gauss.formulations.voronets import voronets

__all__ = [  # for users; what is imported "as" itself is for other rooms and for tests
    "ActionOrder",
    "BoltzmannHamel",
    "CanonicalMotion",
    "EulerNewton",
    "KineticEnergy",
    "ReactionRows",
    "RigidBody",
    "boltzmann_hamel",
    "boltzmann_hamel_form",
    "canonical_equations",
    "chart_acceleration",
    "discrete_action_order",
    "discrete_action_residual",
    "euler_lagrange",
    "euler_newton",
    "gibbs_appell",
    "gibbs_appell_particles",
    "gibbs_gradient",
    "hamilton",
    "holonomic_rows",
    "lagrange_first_kind",
    "legendre",
    "maggi",
    "minimal_acceleration",
    "null_space_form",
    "point_rows",
    "quadratic_form_in_velocity",
    "quasi_velocities",
    "rows_in_quasi_velocities",
    "spin_row",
    "taylor_along",
    "udwadia_kalaba",
    "vakonomic",
    "velocity_rows",
    "voronets",
]
