"""Exercises: energies, equations of motion, equilibria and frequencies that a student works out and has checked."""
