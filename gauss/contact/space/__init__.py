"""Friction in space: the true cone of Coulomb at one state, its solvers, its verdicts and what forces it leaves."""
