"""Quadratic-program solvers: each proposes an active set, which `gauss.principle.solve` finishes and certifies."""
