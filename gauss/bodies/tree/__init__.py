"""Joint coordinates: a spanning tree of the joints, what its coordinates say of each body, loops as the only rows."""
