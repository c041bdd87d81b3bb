"""What everything rests on: arrays and names, how zero is decided, files, threads, pickling."""
