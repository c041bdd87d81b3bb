"""Friction in the plane: all modes of the contacts, dry pins, pivoting, and what is known without trying modes."""
