"""Bodies, their inertia, rotations and shapes."""
