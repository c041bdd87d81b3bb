"""The vocabularies of answers: how many there are, what a contact does, how a motion ended."""

from __future__ import annotations

from dataclasses import dataclass

NONE, ONE, SEVERAL, CONTINUUM, UNDECIDED = "none", "one", "several", "continuum", "undecided"  # how many
OPEN, STICK, SLIP, FORWARDS, BACKWARDS = "open", "stick", "slip", "slip+", "slip−"  # a contact; signs in the plane


@dataclass(frozen=True)
class Ending:
    """How a motion ended.

    "finished", "event", "interrupted", "singular", "chattering" (contacts that change without end), "inconsistent" (no
    finite contact forces satisfy the law of friction), "undecided" (several motions do, or rounding decides where the
    motion goes), "energy" (the law of impact would create some, which was not allowed), "escape" (to infinity in finite
    time) or "failed" (no step is certified, or something failed).
    """

    kind: str
    message: str
    limit: float | None = None  # s, estimated time at which the speed is infinite

    @property
    def complete(self) -> bool:
        """Whether the motion reached its end time or the event it was to stop at."""
        return self.kind in ("finished", "event")


FINISHED = Ending("finished", "the end time was reached")
