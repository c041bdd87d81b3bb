"""The progress of a run, as films report it too; see `gauss.foundation.progress`."""

from gauss.foundation.progress import Report, reporter

__all__ = ["Report", "reporter"]
