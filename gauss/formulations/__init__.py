"""Witnesses: classical formulations that give the same acceleration as Gauss's principle, each on its own path.

They import nothing of the model or the principle, so agreement with them is evidence. The first three consume the same
M, f, J, γ and test only the linear algebra; the others differentiate plain NumPy functions again, or use other
coordinates. None of them is an oracle at a singular position.

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
| `taylor_along` | Cauchy's formula on a circle | f(τ) | c_0 … c_k | no dynamics in it |
"""

from gauss.formulations.complex_step import (
    chart_acceleration,
    euler_lagrange,
    holonomic_rows,
    minimal_acceleration,
    quadratic_form_in_velocity,
    taylor_along,
    velocity_rows,
)
from gauss.formulations.lagrange_first import lagrange_first_kind
from gauss.formulations.null_space import null_space_form
from gauss.formulations.udwadia_kalaba import udwadia_kalaba

__all__ = [
    "chart_acceleration",
    "euler_lagrange",
    "holonomic_rows",
    "lagrange_first_kind",
    "minimal_acceleration",
    "null_space_form",
    "quadratic_form_in_velocity",
    "taylor_along",
    "udwadia_kalaba",
    "velocity_rows",
]
