"""The rows at one state: scaled, with their noise, their rank, their vanishing combinations, and points nearby."""
