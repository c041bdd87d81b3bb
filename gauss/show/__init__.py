"""Reports, formulas and figures: they know results, and compute nothing but the dense output they draw."""
