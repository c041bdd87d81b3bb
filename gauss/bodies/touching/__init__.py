"""Bodies that touch: surfaces, shapes, poses of contact points."""
