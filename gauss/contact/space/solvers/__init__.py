"""Solvers of the law of friction in space: passes of convex programs, Newton, search, listing, and approximations."""
