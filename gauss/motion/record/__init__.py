"""The record of a motion: states, what is measured along them, files."""
