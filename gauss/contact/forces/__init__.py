"""Contact forces in the plane: the set of those that give an acceleration, their ranges, the least coefficients."""
