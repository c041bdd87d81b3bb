"""Impacts: velocities after contacts close, by named laws, with the energy balance and the orders they may have."""
