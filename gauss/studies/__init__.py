"""Studies: motions over a grid of values or many samples, measured, shared among processes, kept in files."""

from gauss.studies.points import StudyPoints, points_of
from gauss.studies.study import sweep

__all__ = ["StudyPoints", "points_of", "sweep"]
