"""Diagrams of systems: phase portraits, branches of equilibria, root loci, modes, ranges of reactions."""
