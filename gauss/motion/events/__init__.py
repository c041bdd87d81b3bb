"""What ends a segment of a motion: events that are watched, halts, motions that escape."""
