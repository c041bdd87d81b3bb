"""Integrals of the motion, symmetries, holonomy, the flow in phase space."""
