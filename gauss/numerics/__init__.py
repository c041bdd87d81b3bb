"""Numerical mathematics that knows no mechanics."""
