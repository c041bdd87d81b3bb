"""Compiled saddle systems and whole steps made of them."""
