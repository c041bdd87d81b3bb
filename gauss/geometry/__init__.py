"""Shapes that weigh, touch and are drawn; rotations, vectors and inertia: geometry of bodies, without mechanics."""
