"""Steps of a motion: the rows in force, the integrator, projection, the program of each recorded state."""
