"""Hand-derived equations, held against the model, and mended."""
