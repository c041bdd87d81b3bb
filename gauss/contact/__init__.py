"""Unilateral rows: which of them press, and what an impact does."""

from gauss.contact.active import pressing_rows
from gauss.contact.impact import Impact, resolve_impact

__all__ = ["Impact", "pressing_rows", "resolve_impact"]
