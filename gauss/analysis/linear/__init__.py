"""Linearisation: about equilibria, steady motions and along a motion; stability."""
