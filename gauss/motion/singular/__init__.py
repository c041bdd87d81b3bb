"""Singular positions on the way of a motion: looked for, located, passed, rested at."""
