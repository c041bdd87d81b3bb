"""Derivatives of a traced model: along curves, of its terms, and what their rounding is."""
