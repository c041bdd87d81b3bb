"""Pictures of rows and cones at one state."""
