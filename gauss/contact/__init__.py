"""Unilateral rows: which of them press, and what an impact does."""

from gauss.contact.active import closed_problem, pressing_rows
from gauss.contact.impact import Impact, resolve_impact

__all__ = ["Impact", "closed_problem", "pressing_rows", "resolve_impact"]
