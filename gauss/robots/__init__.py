"""Robots: models from files, and the doctor."""
