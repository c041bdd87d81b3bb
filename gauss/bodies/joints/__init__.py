"""Joints between bodies, drivers, guides, rolling and transmissions."""
