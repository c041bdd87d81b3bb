"""Files of robots: URDF, SDF and MJCF say the same in one form, with their meshes and what is not understood."""
