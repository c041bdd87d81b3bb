"""Reports, formulas and figures: they know results and compute nothing."""
