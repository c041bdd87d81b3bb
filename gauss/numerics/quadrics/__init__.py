"""Points nearest to a given one on an intersection of quadrics: stationary points, families, bounds."""
