"""Figures of motions: curves in panels, an overview, the figure of a scenario."""
