"""The two vocabularies of answers: how many there are, and what a contact does."""

from __future__ import annotations

NONE, ONE, SEVERAL, CONTINUUM, UNDECIDED = "none", "one", "several", "continuum", "undecided"  # how many
OPEN, STICK, SLIP, FORWARDS, BACKWARDS = "open", "stick", "slip", "slip+", "slip−"  # a contact; signs in the plane
