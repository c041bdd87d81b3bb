"""Contacts in a motion: they stick, slip, strike, open, and share what is not determined."""
