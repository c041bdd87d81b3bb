"""Quadratic-program solvers. Each proposes an active set; `gauss.principle.solve` finishes and certifies it."""
